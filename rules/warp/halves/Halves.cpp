#include "warp/halves/Halves.h"

#include "recover/FromAst.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/Decl.h"
#include "clang/AST/DynamicRecursiveASTVisitor.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtCXX.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Lex/Lexer.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace layout_port {

using recover::Condition;
using recover::Control;
using recover::Index;
using recover::KernelWalk;
using recover::LoopScope;
using recover::Uniformity;
using Kind = WaveState::Kind;
using PlaceOf = std::function<std::optional<Place>(SourceLocation)>;

namespace {

bool isProduct(const GCCAsmStmt *code) {
  const std::string text = code->getAsmString();
  return StringRef(text).contains("mma.sync") || StringRef(text).contains("mma.sp");
}

const DeclRefExpr *productOf(const CallExpr *call) {
  const auto *name = dyn_cast<DeclRefExpr>(call->getCallee()->IgnoreParenImpCasts());
  const auto *callee = name ? dyn_cast<FunctionDecl>(name->getDecl()) : nullptr;
  return callee && callee->getIdentifier() && callee->getName() == "mma_sync" ? name : nullptr;
}

const DeclRefExpr *barrierOf(const CallExpr *call) {
  const auto *name = dyn_cast<DeclRefExpr>(call->getCallee()->IgnoreParenImpCasts());
  const auto *callee = name ? dyn_cast<FunctionDecl>(name->getDecl()) : nullptr;
  return callee && callee->getIdentifier() && callee->getName() == "__syncthreads" ? name : nullptr;
}

bool waits(const Stmt *stmt) {
  const auto *call = dyn_cast_or_null<CallExpr>(stmt);
  return (call && barrierOf(call)) ||
         (stmt && llvm::any_of(stmt->children(), [](const Stmt *inner) { return waits(inner); }));
}

bool leaves(const Stmt *stmt) {
  return stmt && (isa<ReturnStmt>(stmt) || llvm::any_of(stmt->children(), leaves));
}

bool leavesByBranch(const Stmt *stmt) {
  const auto *branch = dyn_cast_or_null<IfStmt>(stmt);
  return (branch && leaves(branch->getThen())) ||
         (stmt && llvm::any_of(stmt->children(), leavesByBranch));
}

// Is there any product in the program's own text, a barrier in an arm of a branch with two, or a
// barrier in a function that has a branch which leaves?
class Search : public DynamicRecursiveASTVisitor {
public:
  bool VisitIfStmt(IfStmt *branch) override {
    return !(found |= branch->getElse() && (waits(branch->getThen()) || waits(branch->getElse())));
  }
  bool VisitFunctionDecl(FunctionDecl *function) override {
    const Stmt *body = function->doesThisDeclarationHaveABody() ? function->getBody() : nullptr;
    return !(found |= waits(body) && leavesByBranch(body));
  }
  bool VisitGCCAsmStmt(GCCAsmStmt *code) override { return !(found |= isProduct(code)); }
  bool VisitDeclRefExpr(DeclRefExpr *name) override { return note(name->getNameInfo().getName()); }
  bool VisitOverloadExpr(OverloadExpr *name) override { return note(name->getName()); }
  bool found = false;

private:
  bool note(DeclarationName name) {
    const IdentifierInfo *word = name.getAsIdentifierInfo();
    return !(found |= word && word->getName() == "mma_sync");
  }
};

// Which lanes of a block come: lane, pair and wave bits as IndexGraph counts them.
class Threads {
public:
  Threads(KernelWalk &walk, unsigned threads)
      : walk_(walk), threads_(threads ? threads : 1024), come_(threads_, true) {}

  // Keeps those for whom the condition holds; false where it hangs on more than the thread.
  bool restrict(Index condition) {
    const recover::ThreadVariables &v = walk_.threads();
    if (!condition->isPure() || !llvm::all_of(condition->support, [&](recover::VariableId id) {
          return id == v.lane || id == v.pair || id == v.wave;
        }))
      return false;
    for (unsigned t = 0; t < threads_; ++t) {
      recover::Bindings at;
      at.variables = {{v.lane, t % 32}, {v.pair, t / 32 % 2}, {v.wave, t / 64}};
      come_[t] = come_[t] && walk_.graph().evaluate(condition, at);
    }
    return true;
  }

  // Over the waves of the block of which any lane comes.
  Kind state() const {
    bool whole = false, parted = false;
    for (unsigned wave = 0; wave * 64 < threads_; ++wave) {
      const unsigned low = lanesOf(wave * 64), high = lanesOf(wave * 64 + 32);
      whole |= low == 32 && high == 32;
      parted |= (low || high) && !(low == 32 && high == 32);
    }
    if (!whole)
      return Kind::Half;
    return parted ? Kind::Perhaps : Kind::Whole;
  }

private:
  unsigned lanesOf(unsigned first) const {
    unsigned count = 0;
    for (unsigned t = first; t < std::min(first + 32, threads_); ++t)
      count += come_[t];
    return count;
  }

  KernelWalk &walk_;
  unsigned threads_;
  std::vector<bool> come_;
};

class Watcher : public recover::Observer {
public:
  Watcher(ASTContext &context, KernelWalk &walk, const PlaceOf &placeOf, WarpFacts &facts)
      : context_(context), walk_(walk), placeOf_(placeOf), facts_(facts) {}

  void onAsm(const recover::AsmSite &site, const Control &control) override {
    if (isProduct(site.stmt))
      note(site.stmt->getAsmLoc(), control);
  }
  void onCall(const CallExpr *call, const Control &control) override {
    if (const DeclRefExpr *name = productOf(call))
      note(name->getLocation(), control);
    else if (const DeclRefExpr *barrier = barrierOf(call))
      note(barrier->getLocation(), control);
  }

private:
  void note(SourceLocation loc, const Control &control) {
    if (const auto place = placeOf_(loc))
      facts_.waveStates[*place].insert(stateOf(control));
  }

  WaveState stateOf(const Control &control) {
    const unsigned threads = walk_.block().isKnown() ? walk_.block().threads() : 0;
    Threads here(walk_, threads);
    if (here.state() == Kind::Half) // or may be padded to a whole one
      return {Kind::Perhaps, "a block of " + std::to_string(threads) + " threads is half a wave"};
    WaveState state = conditionsOf(control, here);
    if (state.kind == Kind::Whole)
      state = loopsOf(control);
    if (state.kind != Kind::Whole)
      return state;
    if (threads % 64)
      return {Kind::Perhaps,
              "blocks of " + std::to_string(threads) + " threads end in half a wave"};
    if (threads)
      return {Kind::Whole, "no branch parts its two warps, and blocks of " +
                               std::to_string(threads) + " threads are whole waves"};
    return {Kind::Whole, "no branch parts its two warps"};
  }

  // The first condition that parts the warps is the reason.
  WaveState conditionsOf(const Control &control, Threads &here) {
    std::string first;
    for (const Condition &condition : control.conditions) {
      if (!condition.value || isOfLoop(condition, control))
        continue;
      const Kind before = here.state();
      const bool known = here.restrict(condition.value);
      if (known && here.state() == Kind::Half)
        return {Kind::Half, "only one warp of a wave comes here, by " + textOf(condition)};
      const bool parts =
          known ? here.state() == Kind::Perhaps && before == Kind::Whole : mayPart(condition.value);
      if (parts && first.empty())
        first = condition.isExit ? "one of its two warps may have left by " + textOf(condition)
                                 : "its two warps may part by " + textOf(condition);
    }
    return first.empty() ? WaveState{Kind::Whole, ""} : WaveState{Kind::Perhaps, first};
  }

  bool mayPart(Index value) {
    return recover::uniformity(walk_.graph(), value, walk_.threads()) > Uniformity::PairUniform;
  }

  static bool isOfLoop(const Condition &condition, const Control &control) {
    return llvm::any_of(control.loops,
                        [&](const LoopScope &loop) { return loop.at == condition.at; });
  }

  WaveState loopsOf(const Control &control) {
    for (const LoopScope &loop : control.loops)
      if (loop.trips > Uniformity::PairUniform)
        return {Kind::Perhaps,
                "its two warps may make different numbers of trips of the loop " + textOf(loop.at)};
    return {Kind::Whole, ""};
  }

  // 'warp < n' (line 20)
  std::string textOf(const Condition &condition) { return textOf(condition.at); }
  std::string textOf(const Stmt *at) {
    const SourceManager &sm = context_.getSourceManager();
    const Stmt *shown = at;
    if (const auto *branch = dyn_cast_or_null<IfStmt>(at))
      shown = branch->getCond();
    else if (const auto *loop = dyn_cast_or_null<ForStmt>(at); loop && loop->getCond())
      shown = loop->getCond();
    else if (const auto *loop = dyn_cast_or_null<WhileStmt>(at))
      shown = loop->getCond();
    else if (const auto *loop = dyn_cast_or_null<DoStmt>(at))
      shown = loop->getCond();
    else if (const auto *choice = dyn_cast_or_null<SwitchStmt>(at))
      shown = choice->getCond();
    if (!shown)
      return "a branch";
    const auto range = Lexer::makeFileCharRange(
        CharSourceRange::getTokenRange(sm.getExpansionRange(shown->getSourceRange()).getAsRange()),
        sm, context_.getLangOpts());
    StringRef text = Lexer::getSourceText(range, sm, context_.getLangOpts());
    text = text.take_until([](char c) { return c == '\n'; });
    const unsigned line = sm.getPresumedLoc(sm.getExpansionLoc(at->getBeginLoc())).getLine();
    return "'" + text.take_front(60).str() + "' (line " + std::to_string(line) + ")";
  }

  ASTContext &context_;
  KernelWalk &walk_;
  const PlaceOf &placeOf_;
  WarpFacts &facts_;
};

} // namespace

void findWaveStates(ASTContext &context, const PlaceOf &placeOf, WarpFacts &facts) {
  const SourceManager &sm = context.getSourceManager();
  Search search;
  for (Decl *decl : context.getTranslationUnitDecl()->noload_decls())
    if (!sm.isInSystemHeader(sm.getExpansionLoc(decl->getLocation())))
      search.TraverseDecl(decl);
  if (!search.found)
    return;
  for (const FunctionDecl *kernel : recover::findKernels(context)) {
    KernelWalk walk(context, kernel);
    Watcher watcher(context, walk, placeOf, facts);
    walk.run(watcher);
  }
}

} // namespace layout_port
