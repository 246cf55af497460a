#include "native/Sample.h"

#include "native/AstRead.h"
#include "native/Numbers.h"
#include "native/SampleAssigned.h"
#include "native/WholeText.h"
#include "ptx/Parser.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/DynamicRecursiveASTVisitor.h"
#include "clang/AST/ExprCXX.h"
#include "clang/Basic/SourceManager.h"

#include "llvm/ADT/bit.h"

#include <functional>

using namespace clang;

namespace layout_port::native {

namespace {

constexpr uint64_t kMostThreads = 1024, kWave = 64, kWarp = 32;
constexpr uint64_t kSeeds = 8;
constexpr uint64_t kOther = 45; // a thread of the second warp, with another lane

// The same in every run, unlike the declaration's address.
uint64_t keyOf(const VarDecl *decl) { return decl->getLocation().getRawEncoding(); }

// Every expression below a statement, lambdas' bodies included.
class AnyBelow : public ExecutedVisitor {
public:
  explicit AnyBelow(std::function<bool(const Stmt *)> found) : found_(std::move(found)) {}
  bool VisitStmt(Stmt *stmt) override { return !(hit = hit || found_(stmt)); }
  bool TraverseMemberExpr(MemberExpr *member) override {
    return takes && takes(*member) ? !hit : ExecutedVisitor::TraverseMemberExpr(member);
  }
  bool hit = false;
  std::function<bool(const MemberExpr &)> takes; // and looks no further

private:
  std::function<bool(const Stmt *)> found_;
};

bool isNamed(const Stmt *stmt, StringRef wanted) {
  const auto *name = dyn_cast<DeclRefExpr>(stmt);
  return name && name->getDecl()->getIdentifier() && name->getDecl()->getName() == wanted;
}

// What lanes tell each other, or get one by one: another value for each.
bool asksOthers(const GCCAsmStmt &code) {
  const std::string text = code.getAsmString();
  return llvm::any_of(std::initializer_list<const char *>{"shfl", "vote", "match.", "activemask",
                                                          "redux", "elect", "atom", "clock",
                                                          "movmatrix", "globaltimer"},
                      [&](const char *word) { return text.find(word) != text.npos; });
}

bool isThreadName(const Stmt *stmt) {
  if (isNamed(stmt, "threadIdx"))
    return true;
  if (const auto *code = dyn_cast<GCCAsmStmt>(stmt)) {
    const std::string text = code->getAsmString();
    return asksOthers(*code) || text.find("%laneid") != text.npos ||
           text.find("%warpid") != text.npos || text.find("%tid") != text.npos ||
           text.find("%%lane") != text.npos;
  }
  return false;
}

// Branches and loops, with their conditions, and what happens to be done or not on them: a
// jump from below one decides about all that it jumps over, in all turns of a loop.
class Conditions : public ExecutedVisitor {
public:
  explicit Conditions(Stmt *body) : body_(body) {}
  bool TraverseStmt(Stmt *stmt) override {
    const bool isLoop = stmt && isa<ForStmt, WhileStmt, DoStmt, CXXForRangeStmt>(stmt);
    if (isLoop)
      loops_.push_back(stmt);
    const bool goesOn = DynamicRecursiveASTVisitor::TraverseStmt(stmt);
    if (isLoop)
      loops_.pop_back();
    return goesOn;
  }
  bool VisitIfStmt(IfStmt *stmt) override {
    return stmt->isConstexpr() || add(stmt->getCond(), stmt);
  }
  bool VisitForStmt(ForStmt *stmt) override { return add(stmt->getCond(), stmt); }
  bool VisitWhileStmt(WhileStmt *stmt) override { return add(stmt->getCond(), stmt); }
  bool VisitDoStmt(DoStmt *stmt) override { return add(stmt->getCond(), stmt); }
  bool VisitSwitchStmt(SwitchStmt *stmt) override { return add(stmt->getCond(), stmt); }
  bool VisitCXXForRangeStmt(CXXForRangeStmt *stmt) override { return add(stmt->getCond(), stmt); }
  bool VisitConditionalOperator(ConditionalOperator *op) override { return add(op->getCond(), op); }
  bool VisitBinaryConditionalOperator(BinaryConditionalOperator *op) override {
    return add(op->getCommon(), op);
  }
  bool VisitBinaryOperator(BinaryOperator *op) override {
    return !op->isLogicalOp() || add(op->getLHS(), op);
  }
  std::vector<std::pair<const Expr *, const Stmt *>> found;

private:
  class Jumps : public DynamicRecursiveASTVisitor {
  public:
    bool VisitStmt(Stmt *stmt) override {
      leavesTurn |= isa<BreakStmt, ContinueStmt>(stmt);
      leavesAll |= isa<GotoStmt, IndirectGotoStmt>(stmt);
      return true;
    }
    bool leavesTurn = false, leavesAll = false;
  };
  bool add(const Expr *condition, const Stmt *stmt) {
    if (!condition)
      return true;
    found.push_back({condition, stmt});
    Jumps jumps;
    if (isa<IfStmt, SwitchStmt>(stmt))
      jumps.TraverseStmt(const_cast<Stmt *>(stmt));
    if (jumps.leavesTurn && !loops_.empty())
      addTurns(condition, loops_.back());
    if (jumps.leavesAll)
      found.push_back({condition, body_});
    return true;
  }
  // All threads that are still in a loop have its own counter alike.
  void addTurns(const Expr *condition, const Stmt *stmt) {
    const auto *loop = dyn_cast<ForStmt>(stmt);
    const bool isCounted = loop && isa_and_nonnull<DeclStmt>(loop->getInit());
    found.push_back({condition, isCounted ? loop->getBody() : stmt});
  }
  Stmt *body_;
  std::vector<const Stmt *> loops_;
};

// The same of CUDA's functions.
bool differsByThread(StringRef function) {
  for (const char *prefix : {"atomic", "__shfl", "__ballot", "__any", "__all", "__match",
                             "__reduce", "__activemask", "__fns", "clock", "__clock", "curand",
                             "__nvvm_read_ptx_sreg_clock", "__nvvm_read_ptx_sreg_globaltimer"})
    if (function.starts_with(prefix))
      return true;
  return false;
}

// Clang's builtins for the thread's place; threadIdx calls them in its header.
bool readsOwnIndex(const CallExpr &call, const FunctionDecl &callee) {
  const StringRef name = callee.getIdentifier() ? callee.getName() : StringRef();
  if (callee.getASTContext().getSourceManager().isInSystemHeader(call.getBeginLoc()))
    return false;
  return llvm::any_of(
      std::initializer_list<const char *>{"tid", "laneid", "warpid", "lanemask"},
      [&](const std::string &which) { return name.starts_with("__nvvm_read_ptx_sreg_" + which); });
}

// name.x, .y or .z of one of CUDA's built-in variables.
std::optional<int> axisOf(const Expr *expr, StringRef name) {
  expr = expr->IgnoreParenImpCasts();
  StringRef member;
  if (const auto *pseudo = dyn_cast<PseudoObjectExpr>(expr)) {
    const Expr *form = pseudo->getSyntacticForm()->IgnoreParenImpCasts();
    if (const auto *property = dyn_cast<MSPropertyRefExpr>(form)) {
      const Expr *base = property->getBaseExpr()->IgnoreParenImpCasts();
      if (const auto *opaque = dyn_cast<OpaqueValueExpr>(base))
        base = opaque->getSourceExpr()->IgnoreParenImpCasts();
      if (!isNamed(base, name))
        return std::nullopt;
      member = property->getPropertyDecl()->getName();
    }
  } else if (const auto *access = dyn_cast<MemberExpr>(expr)) {
    if (!isNamed(access->getBase()->IgnoreParenImpCasts(), name))
      return std::nullopt;
    member = access->getMemberDecl()->getName();
  }
  if (member == "x" || member == "y" || member == "z")
    return member[0] - 'x';
  return std::nullopt;
}

} // namespace

// asm("mov.u32 %0, %%laneid;" : "=r"(lane)): the variable that it writes.
const VarDecl *laneReadBy(const Stmt *stmt) {
  const auto *code = dyn_cast<GCCAsmStmt>(stmt);
  if (!code || code->getNumOutputs() != 1 || code->getNumInputs() != 0)
    return nullptr;
  const auto block = ptx::parse(code->getAsmString());
  if (!block || block->instructions.size() != 1)
    return nullptr;
  const ptx::Instruction &move = block->instructions[0];
  const bool isLane = move.opcode == "mov" && !move.guard && move.operands.size() == 2 &&
                      move.operands[0].is(ptx::Operand::Kind::AsmOperand) &&
                      move.operands[1].is(ptx::Operand::Kind::Special) &&
                      move.operands[1].name == "%laneid";
  const auto *name =
      isLane ? dyn_cast<DeclRefExpr>(code->getOutputExpr(0)->IgnoreParenImpCasts()) : nullptr;
  return name ? dyn_cast<VarDecl>(name->getDecl()) : nullptr;
}

// blockIdx, gridDim and blockDim: the same for a whole block.
static std::optional<uint64_t> keyOfBlock(const Expr *expr) {
  constexpr uint64_t behindDeclarations = uint64_t(1) << 32;
  uint64_t place = behindDeclarations;
  for (const char *name : {"blockIdx", "gridDim", "blockDim"}) {
    if (const std::optional<int> axis = axisOf(expr, name))
      return place + static_cast<uint64_t>(*axis);
    place += 4;
  }
  return std::nullopt;
}

std::optional<int> threadIndexAxis(const Expr *expr) { return axisOf(expr, "threadIdx"); }

// Asks for a number that threadIdx.y and .z are part of, or may be: %tid.y, %tid, %warpid.
static bool asksForRows(const GCCAsmStmt &code) {
  const std::string written = code.getAsmString();
  const StringRef text = written;
  for (size_t at = text.find("%tid"); at != text.npos; at = text.find("%tid", at + 1))
    if (!text.substr(at).starts_with("%tid.x"))
      return true;
  return text.contains("%warpid");
}

// grid.thread_rank() and its kin: numbers of the thread in a block of any shape.
static bool countsRows(const FunctionDecl &callee) {
  const auto *method = dyn_cast<CXXMethodDecl>(&callee);
  const StringRef name = callee.getIdentifier() ? callee.getName() : StringRef();
  const bool isOfTile = method && method->getParent()->getName().contains("tile");
  return isOfCuda(callee) && (name == "thread_index" || name == "meta_group_rank" ||
                              (name == "thread_rank" && !isOfTile));
}

// Reads threadIdx.y or .z (from axis 1 on; 2: .z), by itself, as part of a number or a whole, or in
// a function that it calls. One of a header speaks for blocks of any shape: it counts where
// `ranks`.
static bool readsAxis(const Stmt *body, int first, llvm::DenseSet<const FunctionDecl *> &seen,
                      bool ranks = false) {
  ThreadMentions threads;
  threads.TraverseStmt(const_cast<Stmt *>(body));
  if (threads.hasOther ||
      llvm::any_of(threads.found, [&](const auto &mention) { return mention.second >= first; }))
    return true;
  AnyBelow mentions([&](const Stmt *s) {
    if (const auto *code = dyn_cast<GCCAsmStmt>(s))
      return asksForRows(*code);
    const auto *expr = dyn_cast<Expr>(s);
    if (expr && threadIndexAxis(expr).value_or(-1) >= first) // of a default argument
      return true;
    const auto *call = dyn_cast<CallExpr>(s);
    const auto *made = dyn_cast<CXXConstructExpr>(s);
    const FunctionDecl *callee = call   ? call->getDirectCallee()
                                 : made ? made->getConstructor()
                                        : nullptr;
    const FunctionDecl *definition = callee ? callee->getDefinition() : nullptr;
    if (ranks && callee && countsRows(*callee))
      return true;
    const bool isOthers = definition && isOfCuda(*definition) && !definition->isImplicit();
    if (!definition || !definition->hasBody() || isOthers || !seen.insert(definition).second)
      return false;
    if (const auto *constructor = dyn_cast<CXXConstructorDecl>(definition))
      for (const CXXCtorInitializer *init : constructor->inits())
        if (readsAxis(init->getInit(), first, seen, ranks))
          return true;
    return readsAxis(definition->getBody(), first, seen, ranks);
  });
  mentions.TraverseStmt(const_cast<Stmt *>(body));
  return mentions.hit;
}

// Made from threadIdx, blockDim and constants by arithmetic.
static bool isOfIndexAlone(const Expr *expr) {
  class Finder : public DynamicRecursiveASTVisitor {
  public:
    bool TraverseStmt(Stmt *stmt) override {
      const auto *below = dyn_cast_or_null<Expr>(stmt);
      const bool isIndex = below && threadIndexAxis(below);
      hasIndex |= isIndex;
      return isIndex || (below && axisOf(below, "blockDim")) ||
             DynamicRecursiveASTVisitor::TraverseStmt(stmt);
    }
    bool VisitStmt(Stmt *stmt) override {
      return isa<BinaryOperator, ParenExpr, CastExpr, IntegerLiteral, UnaryOperator,
                 SubstNonTypeTemplateParmExpr>(stmt);
    }
    bool hasIndex = false;
  };
  Finder finder;
  return finder.TraverseStmt(const_cast<Expr *>(expr)) && finder.hasIndex;
}

Sampler::Sampler(const ASTContext &context, const FunctionDecl &launched,
                 const FunctionDecl &kernel, const LaunchShape &blocks)
    : context_(context), paddedWarps_(blocks.oddWarps) {
  llvm::DenseSet<const FunctionDecl *> seenFirst, seen, seenToo;
  if (const auto *bounds = launched.getAttr<CUDALaunchBoundsAttr>()) {
    Expr::EvalResult most;
    if (!bounds->getMaxThreads()->isValueDependent() &&
        bounds->getMaxThreads()->EvaluateAsInt(most, context))
      mostSaid_ = std::clamp<uint64_t>(most.Val.getInt().getZExtValue(), 1, kMostThreads);
  }
  readsIndex_ = readsAxis(kernel.getBody(), 0, seenFirst);
  twoDimensional_ = paddedWarps_ != 1 && readsAxis(kernel.getBody(), 1, seen, readsIndex_);
  threeDimensional_ = twoDimensional_ && readsAxis(kernel.getBody(), 2, seenToo);
  consider(kernel.getBody());
  for (const ParmVarDecl *parameter : kernel.parameters()) // C += blockIdx.x * 64 + warp * 16;
    blocks_[parameter] = dyn_cast<CompoundStmt>(kernel.getBody());
  numbersThreads_ = twoDimensional_ && numbersRows(kernel.getBody());
  if (twoDimensional_ && !numbersThreads_ && blocks.row != kWarp)
    saidRow_ = blocks.row ? blocks.row : rowSaidIn(kernel.getBody());
  numbersThreads_ = numbersThreads_ || saidRow_;
}

// (threadIdx.y * 16 + threadIdx.x) % 32 is the lane where rows have 16 threads, and
// (threadIdx.y * 64 + threadIdx.x) / 32 the warp where they have 64. Of rows of 32 both may be
// places in memory: the first does not count where threadIdx.x alone names a lane's quad, the
// second counts where threadIdx.x is cut to a lane. In a block of one layer: .z may have a meaning
// of its own.
uint64_t Sampler::rowSaidIn(const Stmt *body) {
  uint64_t saidShort = 0, saidLong = 0;
  bool namesQuads = false, namesLane = false; // threadIdx.x / 4; threadIdx.x % 32
  AnyBelow mentions([&](const Stmt *s) {
    const auto *op = dyn_cast<BinaryOperator>(s);
    if (!op || op->isAssignmentOp() || !op->getType()->isIntegerType() || op->isValueDependent() ||
        !dependsOnThread(op))
      return false;
    namesQuads |= isQuadOfRow(op);
    namesLane |= classifyFor(op, {kWave}, {kMostThreads}) == ThreadValue::Lane;
    if (classifyFor(op, {kWarp}, {kMostThreads}) != ThreadValue::Other)
      return false;
    for (const uint64_t row : {kWarp / 2, kWarp / 4, kWarp / 8, kWarp / 16, kWave, 3 * kWarp,
                               2 * kWave, 4 * kWave, 8 * kWave}) {
      const ThreadValue known = classifyFor(op, {row}, {kMostThreads});
      if (known == ThreadValue::Other || classifyFor(op, rowLengths(), {kMostThreads}) == known)
        continue;
      if (row < kWarp && known != ThreadValue::Warp)
        saidShort = row;
      else if (row > kWarp && known == ThreadValue::Warp)
        saidLong = row;
    }
    return false;
  });
  mentions.TraverseStmt(const_cast<Stmt *>(body));
  return saidLong && namesLane ? saidLong : namesQuads ? 0 : saidShort;
}

// threadIdx.x / 4, of rows of 32 threads.
bool Sampler::isQuadOfRow(const Expr *expr) {
  for (uint64_t t = 0; t < kMostThreads; ++t) {
    goTo(t, 1, kWarp, kMostThreads);
    if (value(expr) != Value(t % kWarp / 4))
      return false;
  }
  return true;
}

// threadIdx.y * blockDim.x + threadIdx.x, or what is made from it.
bool Sampler::numbersRows(const Stmt *body) {
  llvm::DenseSet<const FunctionDecl *> seen;
  AnyBelow mentions([&](const Stmt *s) {
    const auto *op = dyn_cast<BinaryOperator>(s);
    return op && isOfIndexAlone(op) && op->getType()->isIntegerType() && readsAxis(op, 1, seen) &&
           classifyFor(op, rowLengths(), layerRows()) != ThreadValue::Other;
  });
  mentions.TraverseStmt(const_cast<Stmt *>(body));
  return mentions.hit;
}

// What is declared in a branch is the same for all threads that take it.
static bool declares(const Stmt *stmt, const VarDecl *variable) {
  AnyBelow mentions([&](const Stmt *s) {
    const auto *declaration = dyn_cast<DeclStmt>(s);
    return declaration && llvm::is_contained(declaration->decls(), variable);
  });
  mentions.TraverseStmt(const_cast<Stmt *>(stmt));
  return mentions.hit;
}

// Variables that a branch or loop on the thread assigns; what depends on them may be
// another such condition, so until nothing is new.
void Sampler::findConditional(const Stmt *body) {
  Conditions conditions(const_cast<Stmt *>(body));
  conditions.TraverseStmt(const_cast<Stmt *>(body));
  for (bool again = true; again;) {
    again = false;
    depends_.clear();
    functions_.clear();
    for (const auto &[condition, stmt] : conditions.found) {
      if (!mentionsThread(condition))
        continue;
      const Assigned assigned = assignedIn(*stmt, true);
      for (const VarDecl *variable : assigned.touched)
        if (!declares(stmt, variable))
          again |= conditional_.insert(variable).second;
    }
  }
  depends_.clear();
  functions_.clear();
}

void Sampler::consider(const Stmt *body) {
  if (!considered_.insert(body).second)
    return findConditional(body);
  const Assigned assigned = assignedIn(*body);
  changed_.insert(assigned.changed.begin(), assigned.changed.end());
  for (const auto &[variable, values] : assigned.values)
    llvm::append_range(assigned_[variable], values);
  for (const auto &[variable, places] : assigned.places)
    llvm::append_range(places_[variable], places);
  noteBlocks(*body);
  noteChangedConst(*body);
  conditional_.insert(assigned.escaped.begin(), assigned.escaped.end());
  unseen_.insert(assigned.escaped.begin(), assigned.escaped.end());
  unseen_.insert(assigned.byLambda.begin(), assigned.byLambda.end());
  findConditional(body);
}

// What runs is an override of it.
static bool mayBeAnother(const FunctionDecl *callee) {
  const auto *method = dyn_cast_or_null<CXXMethodDecl>(callee);
  return method && method->isVirtual() && !isa<CXXDestructorDecl>(method);
}

bool Sampler::mentionsThread(const Stmt *stmt) {
  AnyBelow mentions([&](const Stmt *s) {
    if (isThreadName(s) || (isa<CXXThisExpr>(s) && thisOfThread_ && !inCallee_))
      return true;
    if (isa<CXXThisExpr>(s) && self_ && !inCallee_) {
      const Expr *self = std::exchange(self_, nullptr);
      const bool depends = mentionsThread(self);
      self_ = self;
      return depends;
    }
    if (const auto *name = dyn_cast<DeclRefExpr>(s)) {
      if (const auto *binding = dyn_cast<BindingDecl>(name->getDecl()))
        return dependsOnThread(cast<VarDecl>(binding->getDecomposedDecl()));
      const auto *decl = dyn_cast<VarDecl>(name->getDecl());
      return decl && (decl->isLocalVarDecl() || isa<ParmVarDecl>(decl)) && dependsOnThread(decl);
    }
    const auto *call = dyn_cast<CallExpr>(s);
    const auto *made = dyn_cast<CXXConstructExpr>(s);
    const FunctionDecl *callee = call   ? call->getDirectCallee()
                                 : made ? made->getConstructor()
                                        : nullptr;
    if ((call && !callee) || mayBeAnother(callee))
      return true; // by a pointer: it may ask anything
    if (callee && callee->getIdentifier() && differsByThread(callee->getName()))
      return true;
    if (call && callee && readsOwnIndex(*call, *callee))
      return true;
    if (!callee || !callee->hasBody())
      return callee && !isOfCuda(*callee); // it may ask anything
    const FunctionDecl *definition = callee->getDefinition();
    const auto [known, isNew] = functions_.try_emplace(definition, false);
    if (!isNew)
      return known->second;
    const bool outer = std::exchange(inCallee_, true);
    bool depends = mentionsThread(definition->getBody());
    if (const auto *constructor = dyn_cast<CXXConstructorDecl>(definition))
      for (const CXXCtorInitializer *init : constructor->inits())
        depends = depends || mentionsThread(init->getInit());
    inCallee_ = outer;
    return functions_[definition] = depends;
  });
  mentions.takes = [&](const MemberExpr &member) {
    const Expr *value = inCallee_ ? nullptr : settledValue(member);
    mentions.hit = mentions.hit || (value && mentionsThread(value));
    return value != nullptr;
  };
  mentions.TraverseStmt(const_cast<Stmt *>(stmt));
  return mentions.hit;
}

// Of the object whose method is asked about, also where that calls another of its own.
const Expr *Sampler::settledValue(const MemberExpr &member) const {
  const bool isOwn = isa<CXXThisExpr>(member.getBase()->IgnoreParenImpCasts()) &&
                     (!self_ || isa<CXXThisExpr>(self_->IgnoreParenImpCasts()));
  const auto known =
      isOwn ? settled_.find(dyn_cast<FieldDecl>(member.getMemberDecl())) : settled_.end();
  return known == settled_.end() ? nullptr : known->second;
}

bool Sampler::asksOthers(const Stmt *stmt) {
  AnyBelow mentions([&](const Stmt *s) {
    if (const auto *code = dyn_cast<GCCAsmStmt>(s))
      return native::asksOthers(*code);
    const auto *call = dyn_cast<CallExpr>(s);
    const auto *made = dyn_cast<CXXConstructExpr>(s);
    const FunctionDecl *callee = call   ? call->getDirectCallee()
                                 : made ? made->getConstructor()
                                        : nullptr;
    if (!callee || mayBeAnother(callee))
      return call != nullptr;
    if (callee->getIdentifier() && differsByThread(callee->getName()))
      return true;
    const FunctionDecl *definition = callee->getDefinition();
    if (!definition || !definition->hasBody())
      return false;
    const auto [known, isNew] = askers_.try_emplace(definition, false);
    if (!isNew)
      return known->second;
    bool asks = asksOthers(definition->getBody());
    if (const auto *constructor = dyn_cast<CXXConstructorDecl>(definition))
      for (const CXXCtorInitializer *init : constructor->inits())
        asks = asks || asksOthers(init->getInit());
    return askers_[definition] = asks;
  });
  mentions.TraverseStmt(const_cast<Stmt *>(stmt));
  return mentions.hit;
}

bool Sampler::namesShared(const VarDecl *variable) {
  return isa<ParmVarDecl>(variable) && variable->hasAttr<CUDASharedAttr>();
}

// Shared memory is one for all: whoever has written there, who reads one place in one instruction
// reads one value.
bool Sampler::dependsOnThread(const VarDecl *variable) {
  if (variable->hasAttr<CUDASharedAttr>())
    return false;
  if (conditional_.contains(variable))
    return true;
  const auto [known, isNew] = depends_.try_emplace(variable, false);
  if (!isNew)
    return known->second;
  asked_.push_back(variable);
  ++asking_;
  const bool depends = findsThread(variable);
  depends_[variable] = depends;
  // Until this is known it counted as independent: what was said of others meanwhile may be
  // wrong when it is not.
  if (depends)
    for (const VarDecl *other : asked_)
      if (const auto its = depends_.find(other); its != depends_.end() && !its->second)
        depends_.erase(its);
  if (--asking_ == 0)
    asked_.clear();
  return depends;
}

// auto f = [&](int n) { return p[n]; };  null: it is none such, or keeps values of its own.
static const LambdaExpr *lambdaIn(const VarDecl &variable) {
  const Expr *value = variable.getInit() ? throughCopies(variable.getInit()) : nullptr;
  const auto *lambda = dyn_cast_or_null<LambdaExpr>(value);
  return lambda && llvm::none_of(lambda->captures(),
                                 [](const LambdaCapture &capture) {
                                   return capture.capturesVariable() &&
                                          capture.getCapturedVar()->isInitCapture();
                                 })
             ? lambda
             : nullptr;
}

// What a lambda is handed, and makes of it, is its call's: by itself it is the same code for all,
// if what it names outside is.
bool Sampler::namesThreadOutside(const LambdaExpr &lambda) {
  std::set<const Decl *> inside;
  for (const ParmVarDecl *parameter : lambda.getCallOperator()->parameters())
    inside.insert(parameter);
  AnyBelow declared([&](const Stmt *s) {
    if (const auto *declaration = dyn_cast<DeclStmt>(s))
      inside.insert(declaration->decl_begin(), declaration->decl_end());
    return false;
  });
  declared.TraverseStmt(lambda.getBody());
  AnyBelow outside([&](const Stmt *s) {
    if (isThreadName(s) || isa<CXXThisExpr>(s))
      return mentionsThread(s);
    if (const auto *name = dyn_cast<DeclRefExpr>(s))
      return isa<VarDecl, BindingDecl>(name->getDecl()) && !inside.count(name->getDecl()) &&
             mentionsThread(s);
    const auto *call = dyn_cast<CallExpr>(s);
    const FunctionDecl *callee = call ? call->getDirectCallee() : nullptr;
    if (call && !callee) { // op(a, b) of what it is handed
      const auto *name = dyn_cast<DeclRefExpr>(call->getCallee()->IgnoreParenImpCasts());
      return !name || !inside.count(name->getDecl());
    }
    if (!callee || (callee->getIdentifier() && callee->getName().starts_with("__shfl")))
      return false;
    return mayBeAnother(callee) ||
           (callee->getIdentifier() && differsByThread(callee->getName())) ||
           readsOwnIndex(*call, *callee) ||
           (callee->hasBody() ? dependsOnThread(callee->getDefinition()->getBody())
                              : !isOfCuda(*callee));
  });
  outside.TraverseStmt(lambda.getBody());
  return outside.hit;
}

bool Sampler::findsThread(const VarDecl *variable) {
  if (const LambdaExpr *lambda = lambdaIn(*variable))
    return namesThreadOutside(*lambda);
  const Expr *argument = aliases_.lookup(variable);
  bool depends = argument ? mentionsThread(argument)
                          : variable->getInit() && !isa<ParmVarDecl>(variable) &&
                                mentionsThread(variable->getInit());
  if (const auto it = assigned_.find(variable); it != assigned_.end())
    for (const Stmt *value : std::vector<const Stmt *>(it->second))
      depends = depends || mentionsThread(value);
  return depends;
}

bool Sampler::dependsOnThread(const Stmt *stmt) {
  const bool outer = std::exchange(inCallee_, inCallee_ || isa<CompoundStmt>(stmt)); // a body
  const bool depends = mentionsThread(stmt);
  inCallee_ = outer;
  return depends;
}

Sampler::Value Sampler::fit(Value value, QualType type) const {
  return value ? Value(fitted(*value, type, context_)) : value;
}

// Sizes and counts are small, so that sums stay in 32 bits, but no row is so short that its
// elements meet the next one's; for every third seed they are so small that they part the threads
// of a wave. Pointers are aligned.
Sampler::Value Sampler::uniform(uint64_t key, QualType type) const {
  usedUniform_ = usedGiven_ = true;
  const uint64_t random = mixed(key + point_.seed * 0x9e3779b97f4a7c15);
  if (type->isPointerType() || type->isArrayType())
    return random << 12 >> 8;
  if (type->isBooleanType()) { // of eight seeds four say true
    const uint64_t bits = mixed(key), some = 1 + bits % 7;
    return (llvm::popcount(point_.seed & some) + (bits >> 8)) & 1;
  }
  return point_.seed % 3 ? (random & 0xffff) | 0x4000 : random & 63;
}

uint64_t Sampler::sizeOfPointee(QualType pointer) const {
  const QualType pointee = pointer->isArrayType()
                               ? context_.getAsArrayType(pointer)->getElementType()
                               : pointer->getPointeeType();
  if (pointee.isNull() || pointee->isIncompleteType() || pointee->isFunctionType())
    return 1;
  return context_.getTypeSizeInChars(pointee).getQuantity();
}

bool Sampler::isReadLane(const VarDecl *variable) const {
  const auto given = assigned_.find(variable);
  const auto places = places_.find(variable);
  return !variable->getInit() && !conditional_.contains(variable) && given != assigned_.end() &&
         places != places_.end() && places->second.size() == 1 && given->second.size() == 1 &&
         laneReadBy(given->second[0]) == variable;
}

void Sampler::goTo(uint64_t thread, uint64_t seed, uint64_t rowLength, uint64_t rows) {
  point_ = {thread, seed, rowLength, rows};
  here_.clear();
  records_.clear();
  left_.clear();
}

// Outside of functions that are followed a variable has one value at a point, however
// often an expression mentions it.
Sampler::Value Sampler::variable(const DeclRefExpr &name, const VarDecl *decl) {
  if (const auto bound = bindings_.find(decl); bound != bindings_.end()) {
    usedUniform_ |= run_.uniform.count(decl) != 0;
    return bound->second;
  }
  if (const Walk *walk = walkOf(decl))
    return walked(name, decl, *walk);
  const QualType type = decl->getType().getNonReferenceType();
  if (const Left *left = aliases_.lookup(decl) ? nullptr : leftAt(name)) {
    const auto made = left->values.find(decl);
    return made == left->values.end() ? std::nullopt : fit(made->second, type);
  }
  if (!bindings_.empty() || !decl->isLocalVarDecl())
    return variableAnew(decl, type);
  if (const auto known = here_.find(decl); known != here_.end()) {
    usedUniform_ |= known->second.usedUniform;
    return known->second.value;
  }
  const bool before = std::exchange(usedUniform_, false);
  const Value x = variableAnew(decl, type);
  if (x)
    here_[decl] = {*x, usedUniform_};
  usedUniform_ |= before;
  return x;
}

// p + j / step * by, in the loop.
Sampler::Value Sampler::walked(const DeclRefExpr &name, const VarDecl *decl, const Walk &walk) {
  const SourceManager &sources = context_.getSourceManager();
  const SourceLocation at = sources.getExpansionLoc(name.getLocation());
  const bool isWithin = !sources.isBeforeInTranslationUnit(at, walk.loop->getBeginLoc()) &&
                        !sources.isBeforeInTranslationUnit(walk.loop->getEndLoc(), at);
  const QualType type = decl->getType();
  if (depth_ > kDeepest)
    return std::nullopt;
  ++depth_;
  Value x = fit(value(decl->getInit()), type);
  if (const auto turn = bindings_.find(walk.counter); isWithin && turn == bindings_.end())
    x = std::nullopt;
  else if (const Value by = isWithin ? value(walk.by) : Value(); by && turn->second && x)
    x = fit(*x + *turn->second / static_cast<uint64_t>(walk.step) * *by *
                     (type->isPointerType() ? bytesOf(type->getPointeeType()) : 1),
            type);
  else if (isWithin)
    x = std::nullopt;
  --depth_;
  return x;
}

// Made from a counter that has a value here: row = i * 16, the same for all threads, is another
// number in each turn.
bool Sampler::followsBound(const VarDecl *decl) {
  if (bindings_.empty() || !decl->isLocalVarDecl() || !decl->getInit() || changes(decl) ||
      decl->isStaticLocal())
    return false;
  if (!madeFrom_.count(decl)) {
    Inputs inputs;
    inputs.TraverseStmt(const_cast<Expr *>(decl->getInit()));
    madeFrom_[decl] = inputs.found;
  }
  const std::vector<const VarDecl *> from = madeFrom_[decl];
  return llvm::any_of(from, [&](const VarDecl *input) {
    return bindings_.count(input) || (input != decl && followsBound(input));
  });
}

Sampler::Value Sampler::variableAnew(const VarDecl *decl, QualType type) {
  const Expr *argument = aliases_.lookup(decl);
  if (!argument && !changes(decl) && dependsOnThread(decl))
    argument = handed_.lookup(decl);
  if (argument) {
    ++depth_;
    const Value x = fit(decl->getType()->isReferenceType() && !type->isIntegralOrEnumerationType()
                            ? address(argument)
                            : value(argument),
                        type);
    --depth_;
    return x;
  }
  if (!dependsOnThread(decl)) {
    if (!followsBound(decl))
      return fit(uniform(keyOf(decl), type), type);
    ++depth_;
    const Value x = fit(value(decl->getInit()), type);
    --depth_;
    return x;
  }
  if (isReadLane(decl))
    return fit(point_.thread % kWarp, type);
  if (const auto steps = steps_.find(decl); steps != steps_.end())
    return stepped(decl, steps->second);
  if (changes(decl) || isa<ParmVarDecl>(decl) || !decl->getInit())
    return std::nullopt;
  return fit(value(decl->getInit()), type);
}

Sampler::Value Sampler::stepped(const VarDecl *decl,
                                const std::vector<const BinaryOperator *> &steps) {
  const QualType type = decl->getType();
  Value x = fit(value(decl->getInit()), type);
  for (const BinaryOperator *step : steps) {
    bindings_[decl] = x;
    const Value right = value(step->getRHS());
    if (!step->isCompoundAssignmentOp())
      x = right;
    else if (!x || !right || type->isPointerType())
      x = std::nullopt;
    else {
      const QualType in = cast<CompoundAssignOperator>(step)->getComputationLHSType();
      x = fit(applyBinary(BinaryOperator::getOpForCompoundAssignment(step->getOpcode()),
                          in->isSignedIntegerOrEnumerationType(), *fit(x, in), *right),
              in);
    }
    x = fit(x, type);
  }
  bindings_.erase(decl);
  return x;
}

Sampler::Value Sampler::address(const Expr *expr) {
  expr = expr->IgnoreParens();
  if (const auto *name = dyn_cast<DeclRefExpr>(expr)) {
    const auto *decl = dyn_cast<VarDecl>(name->getDecl());
    if (!decl)
      return std::nullopt;
    const bool isReference = decl->getType()->isReferenceType();
    // Of a function that is followed: what stands there is the value, by whatever type it is read.
    if (const auto bound = bindings_.find(decl);
        bound != bindings_.end() && decl->hasLocalStorage() && !decl->isConstexpr())
      return isReference || !bound->second
                 ? bound->second
                 : Value(uniform(keyOf(decl) + mixed(*bound->second), context_.VoidPtrTy));
    if (const Expr *argument = aliases_.lookup(decl); argument && isReference)
      return address(argument);
    // What stands there is not known by the place alone; nor by the place of a reference to it.
    if (decl->hasLocalStorage() && dependsOnThread(decl)) {
      const bool isMadeOnce = decl->getInit() && !isReference && !isa<ParmVarDecl>(decl) &&
                              !changes(decl) && changesOf(decl).empty() && !changesUnseen(decl);
      const Value made = isMadeOnce ? value(decl->getInit()) : std::nullopt;
      return made ? Value(uniform(keyOf(decl) + mixed(*made), context_.VoidPtrTy)) : std::nullopt;
    }
    return uniform(keyOf(decl), context_.VoidPtrTy);
  }
  if (const auto *access = dyn_cast<ArraySubscriptExpr>(expr)) {
    const Value base = value(access->getBase()), index = value(access->getIdx());
    if (!base || !index)
      return std::nullopt;
    return *base + *index * sizeOfPointee(access->getBase()->getType());
  }
  if (const auto *op = dyn_cast<UnaryOperator>(expr); op && op->getOpcode() == UO_Deref)
    return value(op->getSubExpr());
  if (const auto *member = dyn_cast<MemberExpr>(expr)) {
    const Value base = member->isArrow() ? value(member->getBase()) : address(member->getBase());
    const auto *field = dyn_cast<FieldDecl>(member->getMemberDecl());
    if (field && field->getType()->isReferenceType())
      if (const Value led = memberValue(member))
        return led;
    if (!base || !field || field->isBitField() || field->getParent()->isDependentType())
      return std::nullopt;
    return *base + context_.getFieldOffset(field) / 8;
  }
  if (const auto *cast = dyn_cast<CastExpr>(expr)) {
    const auto offset = baseOffset(*cast, context_);
    const Value whole = offset ? address(cast->getSubExpr()) : std::nullopt;
    return whole ? Value(*whole + *offset) : whole;
  }
  return std::nullopt;
}

// Nothing times any number is nothing: the rows before the first, of blockDim.x threads each.
Sampler::Value Sampler::product(const BinaryOperator *op) {
  const Cell a = cellOf([&] { return value(op->getLHS()); });
  const Cell b = cellOf([&] { return value(op->getRHS()); });
  const auto isNothing = [](const Cell &x) { return x.value == Value(0) && !x.usedUniform; };
  usedUniform_ |= (a.usedUniform || b.usedUniform) && !isNothing(a) && !isNothing(b);
  return a.value && b.value ? Value(*a.value * *b.value) : std::nullopt;
}

// What a number that is only known to be uniform goes into, and what is decided or cut off by it.
Sampler::Value Sampler::deciding(llvm::function_ref<Value()> ask) {
  const Cell cell = cellOf(ask);
  usedUniform_ |= cell.usedUniform;
  decidedByUniform_ |= cell.usedUniform;
  return cell.value;
}

Sampler::Value Sampler::binary(const BinaryOperator *op) {
  if (op->getOpcode() == BO_Mul)
    return product(op);
  return cuts(*op) || op->isComparisonOp() || op->isLogicalOp()
             ? deciding([&] { return combined(op); })
             : combined(op);
}

// x / 4, x % 4, x >> 2, x & 3, x | 4; x << y
bool Sampler::cuts(const BinaryOperator &op) {
  switch (op.getOpcode()) {
  case BO_Div:
  case BO_Rem:
  case BO_Shr:
  case BO_And:
  case BO_Or:
    return true;
  case BO_Shl:
    return !constant(op.getRHS());
  default:
    return false;
  }
}

Sampler::Value Sampler::combined(const BinaryOperator *op) {
  const Value a = value(op->getLHS());
  if (op->getOpcode() == BO_LAnd && a && !*a)
    return 0;
  if (op->getOpcode() == BO_LOr && a && *a)
    return 1;
  const Value b = value(op->getRHS());
  if (!a || !b)
    return std::nullopt;
  const QualType left = op->getLHS()->getType(), right = op->getRHS()->getType();
  switch (op->getOpcode()) {
  case BO_Add:
    return *a * (right->isPointerType() ? sizeOfPointee(right) : 1) +
           *b * (left->isPointerType() ? sizeOfPointee(left) : 1);
  case BO_Sub:
    if (left->isPointerType() && right->isPointerType())
      return static_cast<uint64_t>(static_cast<int64_t>(*a - *b) /
                                   static_cast<int64_t>(sizeOfPointee(left)));
    return *a - *b * (left->isPointerType() ? sizeOfPointee(left) : 1);
  case BO_Comma:
    return b;
  default:
    return applyBinary(op->getOpcode(), left->isSignedIntegerOrEnumerationType(), *a, *b);
  }
}

Sampler::Value Sampler::element(const Elements &elements, const ArraySubscriptExpr &access) {
  std::vector<Value> indices; // innermost first
  for (const Expr *at = &access; const auto *inner = dyn_cast<ArraySubscriptExpr>(at);
       at = inner->getBase()->IgnoreParenImpCasts())
    indices.push_back(value(inner->getIdx()));
  if (indices.size() != elements.counters.size())
    return std::nullopt;
  const Bindings before = bindings_;
  for (size_t i = 0; i < indices.size(); ++i) {
    const VarDecl *counter = elements.counters[elements.counters.size() - 1 - i];
    bindings_[counter] = fit(indices[i], counter->getType());
  }
  ++depth_;
  for (const VarDecl *local : elements.locals)
    bindings_[local] = fit(value(local->getInit()), local->getType());
  const bool areKnown = llvm::all_of(indices, [](const Value &index) { return index.has_value(); });
  const Value found = areKnown ? value(elements.value) : std::nullopt;
  --depth_;
  bindings_ = before;
  return found;
}

// What an expression is wherever and of whomever it is asked: looked for once.
Sampler::Plain Sampler::plain(const Expr *expr) {
  const auto [known, isNew] = plain_.try_emplace(expr);
  if (!isNew)
    return known->second;
  Plain &found = known->second;
  found.thread = threadIndexAxis(expr);
  found.blockDim = axisOf(expr, "blockDim");
  found.block = keyOfBlock(expr);
  Expr::EvalResult result;
  if (!expr->isValueDependent() && expr->getType()->isIntegralOrEnumerationType() &&
      expr->EvaluateAsInt(result, context_))
    found.constant = fit(result.Val.getInt().getExtValue(), expr->getType());
  return found;
}

Sampler::Value Sampler::constant(const Expr *expr) { return plain(expr).constant; }

uint64_t Sampler::threadIndex(int axis) const {
  if (isOneWarp())
    return axis == 0 ? point_.thread % point_.rowLength : 0;
  if (!twoDimensional_)
    return axis == 0 ? point_.thread : 0;
  const uint64_t row = point_.thread / point_.rowLength;
  return axis == 0            ? point_.thread % point_.rowLength
         : !threeDimensional_ ? (axis == 1 ? row : 0)
         : axis == 1          ? row % point_.rows
                              : row / point_.rows;
}

Sampler::Value Sampler::value(const Expr *expr) {
  if (depth_ > kDeepest)
    return std::nullopt;
  expr = expr->IgnoreParens();
  const QualType type = expr->getType();
  const Plain its = plain(expr);
  if (its.thread)
    return threadIndex(*its.thread);
  if ((twoDimensional_ || isOneWarp()) && its.blockDim == 0)
    return point_.rowLength;
  if (threeDimensional_ && its.blockDim == 1)
    return point_.rows;
  if (its.block) {
    const bool isBlock = its.blockDim.has_value();
    if (isBlock && isMirrored() && !mirrorsLeaving_)
      return std::nullopt; // the padded one
    const bool wasGiven = usedGiven_;
    const Value some = uniform(*its.block, type);
    usedGiven_ = wasGiven;
    // Whole waves: that is checked where a kernel counts on blocks of one row.
    return fit(its.blockDim == 0 && readsOneRow() ? *some * kWave : *some, type);
  }
  if (its.constant)
    return its.constant;
  if (!free_.empty())
    if (const auto decision = free_.find(expr->IgnoreParenImpCasts()); decision != free_.end())
      return anyNumber(decision->second, type);
  if (const auto *wrapper = dyn_cast<FullExpr>(expr))
    return value(wrapper->getSubExpr());
  if (const auto *wrapper = dyn_cast<MaterializeTemporaryExpr>(expr))
    return value(wrapper->getSubExpr());
  if (const auto *given = dyn_cast<CXXDefaultArgExpr>(expr))
    return value(given->getExpr());
  if (const auto *given = dyn_cast<CXXDefaultInitExpr>(expr))
    return value(given->getExpr());
  if (const auto *wrapper = dyn_cast<SubstNonTypeTemplateParmExpr>(expr))
    return value(wrapper->getReplacement());
  if (const auto *cast = dyn_cast<CastExpr>(expr)) {
    const Expr *inner = cast->getSubExpr();
    switch (cast->getCastKind()) {
    case CK_ArrayToPointerDecay:
      return address(inner);
    case CK_LValueToRValue: {
      if (const auto *name = dyn_cast<DeclRefExpr>(inner->IgnoreParens()))
        if (const auto *decl = dyn_cast<VarDecl>(name->getDecl()))
          return variable(*name, decl);
      if (const auto *member = dyn_cast<MemberExpr>(inner->IgnoreParens()))
        if (const Expr *settled = settledValue(*member)) {
          ++depth_;
          const Value x = fit(value(settled), type);
          --depth_;
          return x;
        }
      if (const Value x = memberValue(inner))
        return fit(x, type);
      const auto *access = dyn_cast<ArraySubscriptExpr>(inner->IgnoreParens());
      const Expr *base = access;
      while (const auto *outer = dyn_cast_or_null<ArraySubscriptExpr>(base))
        base = outer->getBase()->IgnoreParenImpCasts();
      const auto *array = base ? dyn_cast<DeclRefExpr>(base) : nullptr;
      const auto known =
          array ? elements_.find(dyn_cast<VarDecl>(array->getDecl())) : elements_.end();
      if (known != elements_.end())
        return fit(element(known->second, *access), type);
      if (const auto listed =
              array ? listOf(dyn_cast<VarDecl>(array->getDecl())) : std::vector<const Expr *>();
          !listed.empty()) {
        const Value index = value(access->getIdx());
        const auto number = static_cast<size_t>(index.value_or(0));
        return index && number < listed.size() ? fit(value(listed[number]), type) : std::nullopt;
      }
      const Value where = address(inner);
      return where ? fit(uniform(*where, type), type) : where;
    }
    case CK_IntegralToBoolean: {
      const Value x = deciding([&] { return value(inner); });
      return x ? Value(*x != 0) : x;
    }
    case CK_IntegralCast:
    case CK_NoOp:
    case CK_BitCast:
    case CK_AddressSpaceConversion:
    case CK_PointerToIntegral:
    case CK_IntegralToPointer:
      ++depth_;
      {
        const Value x = value(inner);
        --depth_;
        const bool isFlag = inner->getType()->isBooleanType() && !free_.empty() && x;
        return fit(isFlag ? Value(mixed(*x + point_.seed) & 0xffff) : x, type);
      }
    default:
      return std::nullopt;
    }
  }
  if (const auto *name = dyn_cast<DeclRefExpr>(expr)) {
    const auto *decl = dyn_cast<VarDecl>(name->getDecl());
    if (isa<BindingDecl>(name->getDecl()))
      return memberValue(name);
    return decl ? variable(*name, decl) : std::nullopt;
  }
  constexpr uint64_t behindBuiltins = uint64_t(1) << 33;
  if (isa<CXXThisExpr>(expr) && self_) {
    const Expr *self = std::exchange(self_, nullptr);
    const Value at = self->getType()->isPointerType() ? value(self) : address(self);
    self_ = self;
    return at;
  }
  if (isa<CXXThisExpr>(expr))
    return isObjectAlike_ ? fit(uniform(behindBuiltins, type), type) : std::nullopt;
  ++depth_;
  Value result;
  if (const auto *op = dyn_cast<BinaryOperator>(expr))
    result = fit(binary(op), type);
  else if (const auto *op = dyn_cast<UnaryOperator>(expr)) {
    if (op->getOpcode() == UO_AddrOf)
      result = address(op->getSubExpr());
    else if (const Value x = value(op->getSubExpr())) {
      switch (op->getOpcode()) {
      case UO_Plus:
        result = x;
        break;
      case UO_Minus:
        result = fit(-*x, type);
        break;
      case UO_Not:
        result = fit(~*x, type);
        break;
      case UO_LNot:
        decidedByUniform_ |= usedUniform_;
        result = *x == 0;
        break;
      default:
        break;
      }
    }
  } else if (const auto *op = dyn_cast<ConditionalOperator>(expr)) {
    if (const Value condition = deciding([&] { return value(op->getCond()); }))
      result = value(*condition ? op->getTrueExpr() : op->getFalseExpr());
  } else if (const auto *c = dyn_cast<CallExpr>(expr)) {
    result = call(c);
  }
  --depth_;
  return result;
}

// Rows of the block that are tried, those of one warp first.
std::vector<uint64_t> Sampler::rowLengths(BlockRows rows) const {
  if (saidRow_)
    return {saidRow_};
  if (!twoDimensional_ || rows == BlockRows::OneWarp)
    return {kWarp};
  if (rows == BlockRows::WholeWarps)
    return {kWarp, kWave, 3 * kWarp, 128, kMostThreads};
  return {kWarp, kWarp / 4, kWarp / 2, kWave, 3 * kWarp, 128, kMostThreads};
}

// Rows of one layer of the block, likewise: also so many that a wave lies in two layers.
std::vector<uint64_t> Sampler::layerRows() const {
  return threeDimensional_ ? std::vector<uint64_t>{2, 1, 3, 4, 8} : std::vector<uint64_t>{1};
}

uint64_t Sampler::mostThreads() const {
  return paddedWarps_ > 1 ? paddedWarps_ * kWarp : kMostThreads;
}

// Whole waves of them. What a number means is asked of all blocks that there may be.
uint64_t Sampler::threadsOfBlock() const {
  return std::min(mostThreads(), (mostSaid_ + kWave - 1) / kWave * kWave);
}

static bool readsIndexItself(const Expr *expr) {
  const auto *call = dyn_cast<CallExpr>(expr);
  const FunctionDecl *callee = call ? call->getDirectCallee() : nullptr;
  const FunctionDecl *definition = callee ? callee->getDefinition() : nullptr;
  return definition && definition->hasBody() && call->getNumArgs() == 0 &&
         !isa<CXXMemberCallExpr>(call);
}

ThreadValue Sampler::indexOf(const Expr *expr) {
  if (!expr->getType()->isIntegerType() || expr->isValueDependent() ||
      context_.getTypeSize(expr->getType()) != 32)
    return ThreadValue::Other;
  const bool isArithmetic = isa<BinaryOperator>(expr->IgnoreParens()) && isOfIndexAlone(expr);
  const auto *call = readsIndexItself(expr) ? cast<CallExpr>(expr) : nullptr;
  if (!isArithmetic && !call)
    return ThreadValue::Other;
  const Stmt *asked = call ? call->getDirectCallee()->getDefinition()->getBody() : expr;
  if (asksOthers(asked) || !dependsOnThread(asked))
    return ThreadValue::Other;
  const ThreadValue kind = classify(expr);
  return kind == ThreadValue::Uniform ? ThreadValue::Other : kind;
}

ThreadValue Sampler::classify(const Expr *expr) {
  return static_cast<ThreadValue>(
      once(Question::Kind, expr, [&] { return static_cast<int64_t>(classifyAnew(expr)); }));
}

ThreadValue Sampler::classifyAnew(const Expr *expr) {
  if (!dependsOnThread(expr))
    return ThreadValue::Uniform;
  for (const BlockRows rows : {BlockRows::Any, BlockRows::WholeWarps, BlockRows::OneWarp}) {
    const ThreadValue known =
        rows < rows_ ? ThreadValue::Other : classifyFor(expr, rowLengths(rows), layerRows());
    if (known != ThreadValue::Other) {
      rows_ = twoDimensional_ ? rows : rows_;
      return known;
    }
    if (!twoDimensional_ || saidRow_)
      break;
  }
  return ThreadValue::Other;
}

// By all threads, and by nothing that is only known to be uniform: that is no sample.
ThreadValue Sampler::classifyFor(const Expr *expr, const std::vector<uint64_t> &rows,
                                 const std::vector<uint64_t> &layers) {
  bool lane = true, warp = true, thread = true;
  usedUniform_ = false;
  for (const uint64_t row : rows)
    for (const uint64_t layer : layers)
      for (uint64_t t = 0; t < mostThreads() && (lane || warp || thread); ++t)
        for (const uint64_t seed : {1, 2}) {
          goTo(t, seed, row, layer);
          const Value x = value(expr);
          lane = lane && x && *x == t % kWarp;
          warp = warp && x && *x == t / kWarp;
          thread = thread && x && *x == t;
        }
  return usedUniform_ ? ThreadValue::Other
         : lane       ? ThreadValue::Lane
         : warp       ? ThreadValue::Warp
         : thread     ? ThreadValue::Thread
                      : ThreadValue::Other;
}

// warp + n differs within a pair of warps for any number n that is taken at random, and (warp + n)
// / 1000 for few: random numbers tell of sums and products, and not of what is cut off or decided.
template <class Same> bool Sampler::forWavesOfRows(const Expr *expr, Same same) {
  usedUniform_ = false;
  if (!sampled(expr, same))
    return false;
  if (!usedUniform_)
    return true; // all threads were asked, and there is nothing else
  const std::vector<Decision> decisions = decisionsBelow(expr);
  const auto areSame = [&](const std::vector<const Expr *> &values) {
    return llvm::all_of(values, [&](const Expr *value) { return sampled(value, same); });
  };
  bool holds = llvm::all_of(decisions, [&](const Decision &decision) {
    return !dependsOnThread(decision.at) || (!decision.isWithin && areSame(decision.operands));
  });
  for (const Decision &decision : decisions)
    if (decision.arms.empty() && !decision.isLookedInto)
      free_[decision.at->IgnoreParenImpCasts()] = decision;
  holds = holds && llvm::all_of(decisions, [&](const Decision &d) { return areSame(d.arms); }) &&
          (decisions.empty() || sampled(expr, same));
  free_.clear();
  return holds;
}

// (n == 77) * warp is 0 for nearly every n, and so is the warp of n == 77 ? warp : 0. So what is
// decided is given any number, the same for the same operands, and either arm is asked for itself.
Sampler::Value Sampler::anyNumber(const Decision &decision, QualType type) {
  uint64_t key = decision.at->getExprLoc().getRawEncoding();
  ++depth_;
  for (const Expr *operand : decision.operands)
    if (operand->IgnoreParenImpCasts() != decision.at->IgnoreParenImpCasts())
      key = mixed(key + value(operand).value_or(0));
  --depth_;
  usedUniform_ = true;
  return fit(mixed(key + point_.seed) & 0xffff, type);
}

// All that an answer may hang on and that changes between two questions. Sets that only grow count
// by their size.
Sampler::Told Sampler::told() const {
  Told told = {static_cast<uintptr_t>(rows_),
               reinterpret_cast<uintptr_t>(self_),
               thisOfThread_,
               isObjectAlike_,
               mirrorsLeaving_,
               considered_.size(),
               conditional_.size(),
               alike_.size()};
  const auto add = [&told](const auto *pointer) {
    told.push_back(reinterpret_cast<uintptr_t>(pointer));
  };
  for (const auto *given : {&aliases_, &handed_}) {
    std::vector<std::pair<const VarDecl *, const Expr *>> now;
    llvm::copy_if(*given, std::back_inserter(now), [](const auto &one) { return one.second; });
    llvm::sort(now);
    told.push_back(now.size());
    for (const auto &[variable, value] : now) {
      add(variable);
      add(value);
    }
  }
  told.push_back(settled_.size());
  for (const auto &[member, value] : settled_) {
    add(member);
    add(value);
  }
  told.push_back(steps_.size());
  for (const auto &[variable, steps] : steps_) {
    add(variable);
    told.push_back(steps.size());
    llvm::for_each(steps, add);
  }
  told.push_back(walks_.size());
  for (const auto &[array, elements] : elements_) {
    add(array);
    told.push_back(elements.counters.size());
    llvm::for_each(elements.counters, add);
    add(elements.value);
    told.push_back(elements.locals.size());
    llvm::for_each(elements.locals, add);
  }
  for (const auto &[array, values] : lists_) {
    add(array);
    told.push_back(values.size());
    llvm::for_each(values, add);
  }
  return told;
}

// Asked for all threads of blocks of many shapes, each time: an expression is asked about for each
// statement that it is met in. In the middle of a question nothing is kept.
template <class Ask> int64_t Sampler::once(Question question, const Expr *expr, Ask ask) {
  if (!bindings_.empty() || !free_.empty() || asking_ || inCallee_)
    return ask();
  auto &known = answers_[told()];
  const auto [at, isNew] = known.try_emplace({expr, question});
  Answer &answer = at->second;
  if (isNew) {
    const bool wasGiven = std::exchange(usedGiven_, false);
    usedUniform_ = false;
    answer.said = ask();
    answer.rows = rows_;
    answer.usedUniform = usedUniform_;
    answer.usedGiven = usedGiven_;
    usedGiven_ = wasGiven;
  }
  rows_ = answer.rows;
  usedUniform_ = answer.usedUniform;
  usedGiven_ |= answer.usedGiven;
  return answer.said;
}

template <class Same> bool Sampler::forWaves(const Expr *expr, Same same) {
  if (forWavesOfRows(expr, same))
    return true;
  if (!twoDimensional_ || saidRow_ || rows_ != BlockRows::Any)
    return false;
  rows_ = BlockRows::WholeWarps;
  if (forWavesOfRows(expr, same))
    return true;
  rows_ = BlockRows::Any;
  return false;
}

template <class Same> bool Sampler::sampled(const Expr *expr, Same same) {
  return sampledBy([&] { return value(expr); }, same);
}

// What nothing goes into that is only known to be uniform is the same for each seed; but what
// counts as any number (free_) is another one for each.
template <class Ask, class Same> bool Sampler::sampledBy(Ask ask, Same same) {
  const bool before = std::exchange(usedUniform_, false);
  bool holds = true;
  for (const uint64_t row : rowLengths())
    for (const uint64_t layer : layerRows()) {
      bool isSeeded = true;
      for (uint64_t seed = 1; seed <= kSeeds && isSeeded && holds; ++seed) {
        const bool usedBefore = std::exchange(usedUniform_, false);
        holds = sampledAt({0, seed, row, layer}, ask, same);
        isSeeded = usedUniform_ || !free_.empty();
        usedUniform_ |= usedBefore;
      }
    }
  usedUniform_ |= before;
  return holds;
}

template <class Ask, class Same> bool Sampler::sampledAt(const Point &at, Ask ask, Same same) {
  for (uint64_t wave = 0; wave < threadsOfBlock(); wave += kWave) {
    std::vector<uint64_t> values;
    for (uint64_t t = wave; t < wave + kWave; ++t) {
      // the mirror of the last warp
      goTo(t < mostThreads() ? t : t - kWarp, at.seed, at.rowLength, at.rows);
      const Value x = ask();
      if (!x)
        return false;
      values.push_back(*x);
    }
    if (!same(values))
      return false;
  }
  return true;
}

// Where an expression, or a variable that it is made from, compares or cuts something off; a call
// counts as one when its function does so, or is not seen.
class Sampler::Decisions : public ExecutedVisitor {
public:
  // readsCount: what memory holds at two places may be one number.
  explicit Decisions(Sampler &sampler, bool readsCount = false)
      : sampler_(sampler), readsCount_(readsCount) {}
  bool TraversePseudoObjectExpr(PseudoObjectExpr *) override { return true; } // an index
  bool VisitBinaryOperator(BinaryOperator *op) override {
    if (op->isComparisonOp() || op->isLogicalOp() || sampler_.cuts(*op))
      found.push_back({op, {op->getLHS(), op->getRHS()}});
    return true;
  }
  bool VisitUnaryOperator(UnaryOperator *op) override {
    if (op->getOpcode() == UO_LNot)
      found.push_back({op, {op->getSubExpr()}});
    return true;
  }
  bool VisitCastExpr(CastExpr *cast) override {
    const Expr *inner = cast->getSubExpr()->IgnoreParens();
    if (cast->getCastKind() == CK_IntegralToBoolean)
      found.push_back({cast, {inner}});
    if (readsCount_ && cast->getCastKind() == CK_LValueToRValue && !isa<DeclRefExpr>(inner) &&
        !isOfArgument(inner))
      found.push_back({cast, {cast}});
    return true;
  }
  bool VisitAbstractConditionalOperator(AbstractConditionalOperator *op) override {
    found.push_back(
        {op->getCond(), {op->getCond()}, false, {op->getTrueExpr(), op->getFalseExpr()}});
    return true;
  }
  bool VisitMemberExpr(MemberExpr *member) override {
    const Expr *value = sampler_.settledValue(*member);
    if (value && seen_.insert(member->getMemberDecl()).second)
      TraverseStmt(const_cast<Expr *>(value));
    return true;
  }
  bool VisitIfStmt(IfStmt *branch) override {
    return branch->isConstexpr() || branchOn(branch->getCond());
  }
  bool VisitSwitchStmt(SwitchStmt *choice) override { return branchOn(choice->getCond()); }
  // A function without branches is looked into, with any numbers for its parameters.
  bool VisitCallExpr(CallExpr *call) override {
    const auto *method = dyn_cast<CXXMemberCallExpr>(call);
    const bool isOfThread = method && sampler_.dependsOnThread(method->getImplicitObjectArgument());
    return enter(*call, call->getDirectCallee(), {call->arg_begin(), call->arg_end()}, isOfThread);
  }
  bool VisitCXXConstructExpr(CXXConstructExpr *made) override {
    const CXXConstructorDecl *constructor = made->getConstructor();
    return constructor->isTrivial() ||
           enter(*made, constructor, {made->arg_begin(), made->arg_end()}, false);
  }
  // `isOfThread`: it hangs on an object of the thread's own, too.
  bool enter(const Expr &call, const FunctionDecl *callee, std::vector<const Expr *> arguments,
             bool isOfThread) {
    const FunctionDecl *definition = callee ? callee->getDefinition() : nullptr;
    const bool isSeen = definition && definition->hasBody();
    const auto [known, isNew] = inside_.try_emplace(isSeen ? definition : nullptr);
    if (isNew && isSeen) {
      Decisions inside(sampler_, readsCount_);
      inside.inside_ = inside_;
      inside.traverseDefinition(*definition);
      auto &its = inside_[definition];
      its.decisions = std::move(inside.found);
      its.branches = inside.branches_;
    }
    const Inside its = inside_[isSeen ? definition : nullptr];
    if (isSeen && its.decisions.empty() && !its.branches)
      return true;
    const bool isAsked = isSeen && (isOfThread || sampler_.mentionsThread(definition->getBody()));
    const bool isLookedInto = isAsked && !its.branches && !readsCount_;
    found.push_back({&call, std::move(arguments), isAsked && !isLookedInto, {}, isLookedInto});
    if (isLookedInto)
      llvm::append_range(found, its.decisions);
    return true;
  }
  bool VisitDeclRefExpr(DeclRefExpr *name) override {
    const auto *binding = dyn_cast<BindingDecl>(name->getDecl());
    const auto *variable =
        dyn_cast<VarDecl>(binding ? binding->getDecomposedDecl() : name->getDecl());
    if (!variable || !variable->hasLocalStorage() || !seen_.insert(variable).second)
      return true;
    if (const Expr *argument = sampler_.aliasOf(variable))
      TraverseStmt(const_cast<Expr *>(argument));
    else if (!isa<ParmVarDecl>(variable) && sampler_.makingOf(*variable) &&
             !sampler_.steps_.count(variable))
      return true; // not known, where such numbers decide in it
    else if (variable->getInit() && !isa<ParmVarDecl>(variable))
      TraverseStmt(const_cast<Expr *>(variable->getInit()));
    if (const auto given = sampler_.assigned_.find(variable); given != sampler_.assigned_.end())
      for (const Stmt *value : given->second)
        TraverseStmt(const_cast<Stmt *>(value));
    if (const auto steps = sampler_.steps_.find(variable); steps != sampler_.steps_.end())
      addSteps(*name, *variable, steps->second);
    return true;
  }
  std::vector<Decision> found;

private:
  // A number of a struct that the kernel is launched with, as good as one by itself.
  bool isOfArgument(const Expr *number) const {
    while (const auto *member = dyn_cast<MemberExpr>(number->IgnoreParens())) {
      if (member->isArrow() || member->getType()->isReferenceType())
        return false;
      number = member->getBase();
    }
    const auto *name = dyn_cast<DeclRefExpr>(number->IgnoreParens());
    const auto *argument = name ? dyn_cast<ParmVarDecl>(name->getDecl()) : nullptr;
    const auto *kernel = argument ? dyn_cast<FunctionDecl>(argument->getDeclContext()) : nullptr;
    const QualType type = argument ? argument->getType() : QualType();
    return kernel && isKernelText(*kernel) &&
           (!type->isReferenceType() || type.getNonReferenceType().isConstQualified()) &&
           !argument->hasAttr<CUDASharedAttr>() && !sampler_.changes(argument) &&
           !sampler_.changesUnseen(argument);
  }
  bool branchOn(const Expr *condition) {
    branches_ = true;
    found.push_back({condition, {condition}});
    return true;
  }
  // v = warp + n; v /= 1000; what v was before a step has no expression any more, so all that the
  // steps begin with or mention counts.
  void addSteps(const DeclRefExpr &name, const VarDecl &variable,
                const std::vector<const BinaryOperator *> &steps) {
    Decision decision{&name, {}, false, {}};
    if (variable.getInit())
      decision.operands.push_back(variable.getInit());
    for (const BinaryOperator *step : steps) {
      bool mentionsItself = false;
      std::vector<const Expr *> others;
      AnyBelow mentions([&](const Stmt *s) {
        const auto *inner = dyn_cast<DeclRefExpr>(s);
        const bool isItself = inner && inner->getDecl() == &variable;
        mentionsItself |= isItself;
        if (inner && !isItself && isa<VarDecl>(inner->getDecl()) &&
            inner->getType()->isScalarType())
          others.push_back(inner);
        decision.isWithin |= isThreadName(s);
        return false;
      });
      mentions.TraverseStmt(step->getRHS());
      if (mentionsItself)
        llvm::append_range(decision.operands, others);
      else
        decision.operands.push_back(step->getRHS());
    }
    found.push_back(decision);
  }
  struct Inside {
    std::vector<Decision> decisions;
    bool branches = false;
  };
  Sampler &sampler_;
  const bool readsCount_;
  bool branches_ = false;
  llvm::DenseSet<const Decl *> seen_;
  std::map<const FunctionDecl *, Inside> inside_; // of functions
};

// warp < n is the same for a pair of warps for nearly every n, and not for all. So what is decided
// or cut with a number that is only known to be uniform must have the same on both sides.
std::vector<Sampler::Decision> Sampler::decisionsBelow(const Expr *expr) {
  const bool before = usedUniform_;
  Decisions all(*this);
  all.TraverseStmt(const_cast<Expr *>(expr));
  llvm::erase_if(all.found, [&](const Decision &decision) {
    return !usesUniform(decision) || cutsEvenly(decision);
  });
  usedUniform_ = before;
  return all.found;
}

// What takes something away in an expression, or in a variable that it is made from; what is called
// does as it likes.
class Sampler::Subtractions : public DynamicRecursiveASTVisitor {
public:
  explicit Subtractions(const Sampler &sampler) : sampler_(sampler) {}
  bool TraversePseudoObjectExpr(PseudoObjectExpr *) override { return true; } // an index
  bool VisitBinaryOperator(BinaryOperator *op) override {
    return note(op->getOpcode() == BO_Sub || op->isAssignmentOp());
  }
  bool VisitUnaryOperator(UnaryOperator *op) override {
    return note(op->getOpcode() == UO_Minus || op->getOpcode() == UO_Not);
  }
  bool VisitCallExpr(CallExpr *) override { return note(true); }
  bool VisitDeclRefExpr(DeclRefExpr *name) override {
    const auto *variable = dyn_cast<VarDecl>(name->getDecl());
    if (!variable || !seen_.insert(variable).second)
      return note(!variable);
    const Expr *given = sampler_.aliasOf(variable);
    const Expr *value = given ? given : variable->getInit();
    return note(sampler_.changes(variable) || !sampler_.places_.lookup(variable).empty()) &&
           TraverseStmt(const_cast<Expr *>(value));
  }
  bool found = false;

private:
  bool note(bool subtracts) { return !(found |= subtracts); }

  const Sampler &sampler_;
  llvm::DenseSet<const VarDecl *> seen_;
};

// (blockIdx.x * blockDim.x + threadIdx.x) / 32 is a number that all threads have alike, and a
// thread's own: what is divided is a multiple of 32 and something known. What is less than nothing
// division takes for another multiple, so nothing given by the author may be in it.
bool Sampler::cutsEvenly(const Decision &decision) {
  const auto *op = dyn_cast<BinaryOperator>(decision.at);
  const Value right = op ? constant(op->getRHS()) : std::nullopt;
  const bool divides = op && (op->getOpcode() == BO_Div || op->getOpcode() == BO_Rem);
  const bool isKnown = right && *right < kMostThreads;
  uint64_t by = 0;
  if (isKnown && divides)
    by = *right;
  else if (isKnown && op->getOpcode() == BO_Shr && *right < 10)
    by = uint64_t(1) << *right;
  else if (isKnown && op->getOpcode() == BO_And)
    by = *right + 1;
  if (!llvm::isPowerOf2_64(by))
    return false;
  Subtractions negative(*this);
  if (divides && op->getLHS()->getType()->isSignedIntegerType())
    negative.TraverseStmt(op->getLHS());
  if (negative.found)
    return false;
  constexpr uint64_t kMany = 32;
  for (const uint64_t thread : {0, 5, 31, 32, 63, 70, 127, 901}) {
    Value rest;
    for (uint64_t seed = 1; seed <= kMany; ++seed) {
      goTo(thread, seed, rowLengths().front());
      usedGiven_ = false;
      const Value x = value(op->getLHS());
      if (!x || (rest && *rest != *x % by) || (divides && usedGiven_))
        return false;
      rest = *x % by;
    }
  }
  return true;
}

// For some thread: lane > 5 ? n : 3 does not for each. Each side is asked by itself, for what is
// behind a false && too.
bool Sampler::usesUniform(const Decision &decision) {
  constexpr uint64_t kThreads = 128;
  for (uint64_t t = 0; t < kThreads; ++t) {
    goTo(t, 1, rowLengths().front());
    usedUniform_ = false;
    for (const Expr *operand : decision.operands)
      if (!value(operand) || usedUniform_)
        return true;
  }
  return false;
}

bool Sampler::sameForPair(const Expr *expr) {
  const auto areSame = [](const std::vector<uint64_t> &values) {
    for (uint64_t i = 0; i < kWarp; ++i)
      if (values[i] != values[i + kWarp])
        return false;
    return true;
  };
  return once(Question::Pair, expr, [&] { return forWaves(expr, areSame); });
}

bool Sampler::sameForWarp(const Expr *expr) {
  const auto areSame = [](const std::vector<uint64_t> &values) {
    for (uint64_t i = 0; i < kWave; ++i)
      if (values[i] != values[i / kWarp * kWarp])
        return false;
    return true;
  };
  return once(Question::Warp, expr, [&] { return forWaves(expr, areSame); });
}

bool Sampler::isReadByOthers(const Expr *place) {
  for (const uint64_t row : rowLengths())
    for (const uint64_t layer : layerRows())
      for (const uint64_t seed : {1, 2})
        for (uint64_t warp = 0; warp < mostThreads(); warp += kWarp) {
          std::map<uint64_t, int> readers;
          for (uint64_t t = warp; t < warp + kWarp; ++t) {
            goTo(t, seed, row, layer);
            const Value x = address(place);
            if (!x)
              return false;
            ++readers[*x];
          }
          for (const auto &[at, count] : readers)
            if (count < 2)
              return false;
        }
  return true;
}

// By the thread, in the place or in what a variable of it is made from.
bool Sampler::isChosen(const Expr *place) {
  class Choices : public ExecutedVisitor {
  public:
    explicit Choices(Sampler &sampler) : sampler_(sampler) {}
    bool VisitAbstractConditionalOperator(AbstractConditionalOperator *op) override {
      return choose(op->getCond());
    }
    bool VisitBinaryOperator(BinaryOperator *op) override {
      return !op->isComparisonOp() || choose(op);
    }
    bool VisitIfStmt(IfStmt *branch) override { return choose(branch->getCond()); }
    bool VisitSwitchStmt(SwitchStmt *choice) override { return choose(choice->getCond()); }
    bool VisitArraySubscriptExpr(ArraySubscriptExpr *access) override { // a table
      return !access->getBase()->IgnoreParenImpCasts()->getType()->isArrayType() ||
             !isa<DeclRefExpr>(access->getBase()->IgnoreParenImpCasts()) || namesShared(*access) ||
             choose(access->getIdx());
    }
    bool VisitCallExpr(CallExpr *call) override { return enter(call->getDirectCallee()); }
    bool VisitCXXConstructExpr(CXXConstructExpr *made) override {
      return enter(made->getConstructor());
    }
    bool VisitDeclRefExpr(DeclRefExpr *name) override {
      const auto *binding = dyn_cast<BindingDecl>(name->getDecl());
      auto *variable = const_cast<VarDecl *>(
          dyn_cast<VarDecl>(binding ? binding->getDecomposedDecl() : name->getDecl()));
      if (!variable || !seen_.insert(variable).second)
        return true;
      if (const Making *making = sampler_.makingOf(*variable))
        for (const Stmt *stmt : making->statements)
          TraverseStmt(const_cast<Stmt *>(stmt));
      return isa<ParmVarDecl>(variable) || !variable->getInit() ||
             TraverseStmt(variable->getInit());
    }
    bool found = false;

  private:
    // A parameter of a function may be anything's.
    bool choose(const Expr *condition) {
      found = found || isInside_ || sampler_.dependsOnThread(condition);
      return !found;
    }
    bool enter(const FunctionDecl *callee) {
      const FunctionDecl *definition = callee ? callee->getDefinition() : nullptr;
      if (!definition || !definition->hasBody() || !seen_.insert(definition).second)
        return true;
      const bool outer = std::exchange(isInside_, true);
      const bool goesOn = traverseDefinition(*definition);
      isInside_ = outer;
      return goesOn;
    }
    static bool namesShared(const ArraySubscriptExpr &access) {
      const auto *name = cast<DeclRefExpr>(access.getBase()->IgnoreParenImpCasts());
      const auto *array = dyn_cast<VarDecl>(name->getDecl());
      return !array || array->hasAttr<CUDASharedAttr>();
    }
    Sampler &sampler_;
    llvm::DenseSet<const Decl *> seen_;
    bool isInside_ = false;
  };
  Choices choices(*this);
  choices.TraverseStmt(const_cast<Expr *>(place));
  return choices.found;
}

std::vector<int64_t> Sampler::turnsOf(const Loop &loop) {
  constexpr size_t kMost = 1024;
  std::vector<int64_t> turns;
  if (!loop.first || !loop.last || !loop.step || *loop.step <= 0)
    return turns;
  for (int64_t turn = *loop.first; turn < *loop.last; turn += *loop.step) {
    if (turns.size() == kMost)
      return {};
    turns.push_back(turn);
  }
  return turns;
}

// Do two of them have a byte in common?
static bool overlap(const std::multimap<uint64_t, uint64_t> &extents) {
  uint64_t end = 0;
  for (const auto &[first, bytes] : extents) {
    if (first < end)
      return true;
    end = first + bytes;
  }
  return false;
}

std::optional<bool> Sampler::areApart(const std::vector<const Expr *> &places,
                                      const Counters &counters, uint64_t share) {
  constexpr uint64_t kMost = 1 << 21; // places of threads in turns: about a second
  // One thread is like another, but for places that a comparison picks: lane == 7 ? 2000 : ...
  const bool areChosen = llvm::any_of(places, [&](const Expr *place) { return isChosen(place); });
  const uint64_t last = areChosen ? mostThreads() : 2 * kOther, step = areChosen ? 1 : kOther;
  uint64_t all = places.size() * (last / step) * share;
  for (const auto &[counter, turns] : counters)
    all = std::min(all * std::max<uint64_t>(turns.size(), 1), kMost + 1);
  if (all > kMost)
    return std::nullopt;
  for (const uint64_t seed : {1, 2})
    for (uint64_t thread = 0; thread < last; thread += step) {
      goTo(thread, seed, rowLengths().front());
      const Bindings before = bindings_;
      Extents found;
      const bool isTold = addPlaces(places, counters, 0, found);
      bindings_ = before;
      if (!isTold)
        return std::nullopt;
      if (overlap(found))
        return false;
    }
  if (mayMeet(places, counters))
    return std::nullopt;
  return true;
}

bool Sampler::liesWithin(const Expr &place, const Expr &other, const Counters &counters) {
  constexpr uint64_t kMost = 1 << 12, kStep = 7;
  uint64_t all = 1;
  for (const auto &[counter, turns] : counters)
    all = std::min(all * std::max<uint64_t>(turns.size(), 1), kMost + 1);
  if (all > kMost || isChosen(&place) || isChosen(&other))
    return false;
  for (const uint64_t seed : {1, 2, 3})
    for (uint64_t thread = 0; thread < 2 * kOther; thread += kStep) {
      goTo(thread, seed, rowLengths().front());
      const Bindings before = bindings_;
      const bool holds = liesWithinInTurns(place, other, counters, 0);
      bindings_ = before;
      if (!holds)
        return false;
    }
  return true;
}

bool Sampler::liesWithinInTurns(const Expr &place, const Expr &other, const Counters &counters,
                                size_t first) {
  if (first == counters.size()) {
    here_.clear();
    const Value x = address(&place), y = address(&other);
    return x && y && *y <= *x && *x + bytesOf(place.getType()) <= *y + bytesOf(other.getType());
  }
  const auto &[counter, turns] = counters[first];
  return llvm::all_of(turns, [&, counter = counter](int64_t turn) {
    bindings_[counter] = static_cast<uint64_t>(turn);
    return liesWithinInTurns(place, other, counters, first + 1);
  });
}

std::optional<bool> Sampler::areRowsApart(const std::vector<Rows> &stores) {
  constexpr uint64_t kMost = 1 << 20;
  std::vector<const Expr *> addresses;
  for (const Rows &rows : stores)
    addresses.push_back(rows.address);
  const bool areChosen = llvm::any_of(addresses, [&](const Expr *e) { return isChosen(e); });
  const uint64_t last = areChosen ? mostThreads() : kWarp * 2;
  uint64_t all = 0;
  for (const Rows &rows : stores) {
    uint64_t its = last;
    for (const auto &[counter, turns] : rows.counters)
      its = std::min(its * std::max<uint64_t>(turns.size(), 1), kMost + 1);
    all += its;
  }
  if (all > kMost)
    return std::nullopt;
  for (const uint64_t seed : {1, 2})
    for (uint64_t warp = 0; warp < last; warp += kWarp) {
      Extents found;
      for (const Rows &rows : stores)
        for (uint64_t lane = 0; lane < rows.lanes; ++lane) {
          goTo(warp + lane, seed, rowLengths().front());
          const Bindings before = bindings_;
          const bool isTold = addAddresses(rows, 0, found);
          bindings_ = before;
          if (!isTold)
            return std::nullopt;
        }
      if (overlap(found))
        return false;
    }
  for (const Rows &rows : stores)
    if (mayMeet(addresses, rows.counters))
      return std::nullopt;
  return true;
}

bool Sampler::addAddresses(const Rows &rows, size_t first, Extents &found) {
  constexpr uint64_t kRowBytes = 16; // eight halves
  if (first == rows.counters.size()) {
    const Value x = value(rows.address);
    if (x)
      found.insert({*x, kRowBytes});
    return x.has_value();
  }
  const auto &[counter, turns] = rows.counters[first];
  return llvm::all_of(turns, [&, counter = counter](int64_t turn) {
    bindings_[counter] = static_cast<uint64_t>(turn);
    return addAddresses(rows, first + 1, found);
  });
}

// The variable whose memory a place is in: C of p[i], where p is C + n.
static const VarDecl *rootOf(const Expr *place) {
  constexpr int kSteps = 64; // float *p = p leads nowhere
  for (int step = 0; step < kSteps; ++step) {
    place = place->IgnoreParenCasts();
    if (const auto *access = dyn_cast<ArraySubscriptExpr>(place)) {
      place = access->getBase();
    } else if (const auto *op = dyn_cast<UnaryOperator>(place)) {
      place = op->getSubExpr();
    } else if (const auto *member = dyn_cast<MemberExpr>(place)) {
      place = member->getBase();
    } else if (const auto *op = dyn_cast<BinaryOperator>(place)) {
      place = op->getLHS()->getType()->isPointerType() ? op->getLHS() : op->getRHS();
    } else {
      const auto *name = dyn_cast<DeclRefExpr>(place);
      const auto *variable = name ? dyn_cast<VarDecl>(name->getDecl()) : nullptr;
      const bool leadsOn = variable && variable->getType()->isPointerType() &&
                           !isa<ParmVarDecl>(variable) && variable->getInit();
      if (!leadsOn)
        return variable;
      place = variable->getInit();
    }
  }
  return nullptr;
}

// What must be one thing for all places. Of x / 2 it is what the division drops: numbers that leave
// the same differ behind it as they did before.
std::vector<Sampler::Part> Sampler::partsOf(const Decision &decision) {
  const auto *op = dyn_cast<BinaryOperator>(decision.at);
  const Value right = op ? constant(op->getRHS()) : std::nullopt;
  if (op && op->getOpcode() == BO_Div && right && *right)
    return {{op->getLHS(), *right}};
  if (op && op->getOpcode() == BO_Shr && right && *right < 32)
    return {{op->getLHS(), uint64_t(1) << *right}};
  std::vector<Part> parts;
  for (const Expr *operand : decision.operands)
    parts.push_back({operand, 0});
  return parts;
}

// (row + 8 * r) % n is another number for each r for nearly every n, and not for all; map[row + 8 *
// r] holds anything. What a number of the launch decides must be one thing for all places in a
// buffer.
bool Sampler::mayMeet(const std::vector<const Expr *> &places, const Counters &counters) {
  std::map<const VarDecl *, std::vector<std::vector<Part>>> decided; // by buffer, of each place
  const Bindings before = bindings_;
  goTo(0, 1, rowLengths().front());
  for (const Expr *place : places)
    decided[rootOf(place)].push_back(decidedIn(*place, counters));
  bool meet = false;
  const auto isLeft = [](const std::vector<Part> &parts) {
    return llvm::any_of(parts, [](const Part &part) { return part.modulus != 0; });
  };
  for (const auto &[buffer, all] : decided)
    if (llvm::any_of(all, [](const std::vector<Part> &parts) { return !parts.empty(); }))
      // What is left by a small modulus is the same for one number in so many.
      for (uint64_t seed = 1; seed <= (llvm::any_of(all, isLeft) ? kSeeds : 1) && !meet; ++seed) {
        goTo(0, seed, rowLengths().front());
        std::set<std::vector<Value>> found;
        for (const std::vector<Part> &parts : all)
          addValues(parts, counters, 0, found);
        meet = found.size() > 1;
      }
  bindings_ = before;
  return meet;
}

// 8 * n / 2: it drops nothing, whatever n is.
bool Sampler::dividesEvenly(const std::vector<Part> &parts, const Counters &counters) {
  constexpr uint64_t kMany = 32;
  if (parts.size() != 1 || !parts[0].modulus)
    return false;
  std::set<std::vector<Value>> rests;
  const Point here = point_;
  for (uint64_t seed = 1; seed <= kMany; ++seed) {
    goTo(here.thread, seed, here.rowLength, here.rows);
    addValues(parts, counters, 0, rests);
  }
  goTo(here.thread, here.seed, here.rowLength, here.rows);
  return rests == std::set<std::vector<Value>>{{Value(0)}};
}

std::vector<Sampler::Part> Sampler::decidedIn(const Expr &place, const Counters &counters) {
  Decisions all(*this, /*readsCount=*/true);
  all.TraverseStmt(const_cast<Expr *>(&place));
  std::vector<Part> parts;
  for (const Decision &decision : all.found) {
    const std::vector<Part> its = partsOf(decision);
    std::set<std::vector<Value>> values;
    usedUniform_ = false;
    addValues(its, counters, 0, values);
    if (usedUniform_ && !dividesEvenly(its, counters))
      llvm::append_range(parts, its);
  }
  return parts;
}

void Sampler::addValues(const std::vector<Part> &parts, const Counters &counters, size_t first,
                        std::set<std::vector<Value>> &found) {
  if (first == counters.size()) {
    here_.clear();
    std::vector<Value> values;
    for (const Part &part : parts) {
      const Value x = value(part.expr);
      values.push_back(x && part.modulus ? Value(*x % part.modulus) : x);
    }
    found.insert(std::move(values));
    return;
  }
  const auto &[counter, turns] = counters[first];
  for (const int64_t turn : turns) {
    bindings_[counter] = static_cast<uint64_t>(turn);
    addValues(parts, counters, first + 1, found);
  }
}

bool Sampler::addPlaces(const std::vector<const Expr *> &places, const Counters &counters,
                        size_t first, Extents &found) {
  if (first == counters.size()) {
    for (const Expr *place : places) {
      const Value x = address(place);
      if (!x)
        return false;
      found.insert({*x, std::max<uint64_t>(bytesOf(place->getType()), 1)});
    }
    return true;
  }
  const auto &[counter, turns] = counters[first];
  for (const int64_t turn : turns) {
    bindings_[counter] = static_cast<uint64_t>(turn);
    if (!addPlaces(places, counters, first + 1, found))
      return false;
  }
  return true;
}

bool Sampler::sameForWave(const Expr *expr) {
  if (alike_.contains(expr->IgnoreParenImpCasts()) || !dependsOnThread(expr))
    return true;
  const Expr *bare = expr->IgnoreParenImpCasts();
  if (const auto *op = dyn_cast<UnaryOperator>(bare); op && op->getOpcode() == UO_LNot)
    return sameForWave(op->getSubExpr());
  if (const auto *op = dyn_cast<BinaryOperator>(bare);
      op && (op->isComparisonOp() || op->isLogicalOp())) {
    if (sameForWave(op->getLHS()) && sameForWave(op->getRHS()))
      return true;
    usedUniform_ = false;
    goTo(0, 1, rowLengths().front()); // one thread tells, often
    value(expr);
    return !usedUniform_ && equalInWaves(expr) && !usedUniform_;
  }
  return equalInWaves(expr);
}

// Either from where each begins it is equally far to its end, or all is known. Numbers are those
// that are compared: -1 is far behind the end where that has no sign.
bool Sampler::turnsAlike(const Expr &begin, const BinaryOperator &bound, const Expr *step) {
  const Expr &end = *bound.getRHS();
  const auto areEqual = [](const std::vector<uint64_t> &values) {
    return llvm::all_of(values, [&](uint64_t v) { return v == values[0]; });
  };
  const auto isDecided = [this](const Expr &expr) {
    return llvm::any_of(decisionsBelow(&expr), [this](const Decision &decision) {
      return decision.isWithin || dependsOnThread(decision.at);
    });
  };
  const auto distance = [&]() -> Value {
    const Value from = fit(value(&begin), bound.getLHS()->getType()), to = value(&end);
    return from && to ? Value(*to - *from) : std::nullopt;
  };
  const auto turns = [&]() -> Value {
    const Value far = distance(), by = step ? value(step) : 1;
    if (!far || !by || static_cast<int64_t>(*by) <= 0)
      return std::nullopt;
    const int64_t left = static_cast<int64_t>(*far) + (bound.getOpcode() == BO_LE);
    return left <= 0 ? 0 : (left - 1) / static_cast<int64_t>(*by) + 1;
  };
  if (!isDecided(begin) && !isDecided(end) && sampledBy(distance, areEqual))
    return true;
  usedUniform_ = false;
  return sampledBy(turns, areEqual) && !usedUniform_;
}

bool Sampler::sameForQuads(const Expr *expr) {
  if (!dependsOnThread(expr))
    return true;
  const Expr *bare = expr->IgnoreParenImpCasts();
  if (const auto *op = dyn_cast<UnaryOperator>(bare); op && op->getOpcode() == UO_LNot)
    return sameForQuads(op->getSubExpr());
  if (const auto *op = dyn_cast<BinaryOperator>(bare);
      op && (op->isComparisonOp() || op->isLogicalOp()))
    return sameForQuads(op->getLHS()) && sameForQuads(op->getRHS());
  const auto areSame = [](const std::vector<uint64_t> &values) {
    constexpr uint64_t kQuad = 4;
    for (uint64_t i = 0; i < values.size(); ++i)
      if (values[i] != values[i / kQuad * kQuad])
        return false;
    return true;
  };
  return once(Question::Quads, expr, [&] { return forWaves(expr, areSame); });
}

bool Sampler::equalInWaves(const Expr *expr) {
  const auto areSame = [](const std::vector<uint64_t> &values) {
    for (const uint64_t v : values)
      if (v != values[0])
        return false;
    return true;
  };
  return once(Question::Wave, expr, [&] { return forWaves(expr, areSame); });
}

} // namespace layout_port::native
