// The turns of the loops around an epilogue and in it: which of them do the same, and what may be
// another value in each.
#include "native/EpilogueFinder.h"

#include "native/AstRead.h"
#include "native/Effects.h"
#include "native/MergeRows.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/DynamicRecursiveASTVisitor.h"
#include "clang/AST/ParentMapContext.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace layout_port::native {

std::vector<const ForStmt *> EpilogueFinder::loopsIn(const std::vector<const Stmt *> &stmts) {
  class Loops : public DynamicRecursiveASTVisitor {
  public:
    bool VisitForStmt(ForStmt *loop) override {
      all.push_back(loop);
      return true;
    }
    std::vector<const ForStmt *> all;
  };
  Loops loops;
  for (const Stmt *stmt : stmts)
    loops.TraverseStmt(const_cast<Stmt *>(stmt));
  return loops.all;
}

const VarDecl *EpilogueFinder::counterOf(const ForStmt &loop) {
  const auto *init = dyn_cast_or_null<DeclStmt>(loop.getInit());
  return init && init->isSingleDecl() ? dyn_cast<VarDecl>(init->getSingleDecl()) : nullptr;
}

// A loop's own counter, in its head.
bool EpilogueFinder::isCounter(const Expr *target, const Stmt *within) const {
  const auto *name = dyn_cast<DeclRefExpr>(bare(target));
  for (const Stmt *at = target; at && name; at = parentOf(at)) {
    const auto *loop = dyn_cast<ForStmt>(at);
    if (loop && loop->getInc() && contains(loop->getInc(), target)) {
      const auto counter = steppedCounter(loop, in_.context);
      return counter && counter->variable == name->getDecl();
    }
    if (at == within)
      break;
  }
  return false;
}

// Where tiles go together, one turn of the loop over them stands for several.
void EpilogueFinder::tellTurns(const Stmt *first, EpilogueBody &body) {
  for (const Stmt *at = parentAtHome(first); at; at = parentAtHome(at)) {
    const auto *loop = dyn_cast<ForStmt>(at);
    if (loop && counterOf(*loop) && !onlyRunsBodies(loop->getBody(), *loop))
      body.ownTurns.insert(counterOf(*loop)->getNameAsString());
  }
}

// In a turn of the loop nothing else is done than in any other, but by bodies.
bool EpilogueFinder::onlyRunsBodies(const Stmt *stmt, const ForStmt &loop) {
  const auto all = [&](const Stmt &of) {
    return llvm::all_of(of.children(),
                        [&](const Stmt *child) { return onlyRunsBodies(child, loop); });
  };
  if (!stmt || isa<NullStmt>(stmt) ||
      llvm::any_of(bodyStmts_, [&](const auto &stmts) { return isWithin(stmt, stmts); }))
    return true;
  if (isa<CompoundStmt, AttributedStmt>(stmt))
    return all(*stmt);
  if (const auto *declarations = dyn_cast<DeclStmt>(stmt))
    return llvm::all_of(declarations->decls(), [&](const Decl *decl) {
      const auto *variable = dyn_cast<VarDecl>(decl);
      return variable && (!variable->getInit() || isPure(*variable->getInit()));
    });
  if (const auto *inner = dyn_cast<ForStmt>(stmt)) {
    const auto *init = dyn_cast_or_null<DeclStmt>(inner->getInit());
    return counterOf(*inner) && steppedCounter(inner, in_.context) && init->isSingleDecl() &&
           !isOfTurn(inner->getCond(), loop) && onlyRunsBodies(inner->getBody(), loop);
  }
  const auto *branch = dyn_cast<IfStmt>(stmt);
  if (!branch || branch->getInit() || branch->getConditionVariable() ||
      !isPure(*branch->getCond()) || isOfTurn(branch->getCond(), loop))
    return isa<ContinueStmt, BreakStmt>(stmt);
  return onlyRunsBodies(branch->getThen(), loop) && onlyRunsBodies(branch->getElse(), loop);
}

bool EpilogueFinder::isPure(const Expr &value) const {
  AsmFinder inside;
  inside.TraverseStmt(const_cast<Expr *>(&value));
  return changesNothing(value) && inside.found.empty() &&
         llvm::all_of(inside.calls, [](const CallExpr *call) { return onlyComputes(*call); });
}

// Perhaps another value in each turn of the loop.
bool EpilogueFinder::isOfTurn(const Expr *value, const ForStmt &loop) {
  std::set<const VarDecl *> made;
  addMakers(value, made);
  bool reads = !touchesOf(value).empty();
  for (const VarDecl *variable : made)
    for (const Expr *from : values_[variable])
      reads |= !touchesOf(from).empty();
  const SourceManager &sm = in_.context.getSourceManager();
  const auto isInside = [&](SourceLocation at) {
    return !sm.isBeforeInTranslationUnit(at, loop.getBeginLoc()) &&
           !sm.isBeforeInTranslationUnit(loop.getEndLoc(), at);
  };
  return reads || llvm::any_of(made, [&](const VarDecl *variable) {
           return variable == counterOf(loop) ||
                  (!isCounterWithin(*variable, loop) &&
                   llvm::any_of(in_.sampler.changesOf(variable), isInside));
         });
}

bool EpilogueFinder::isCounterWithin(const VarDecl &variable, const ForStmt &loop) const {
  const auto parents = in_.context.getParents(variable);
  const auto *declaration = parents.empty() ? nullptr : parents[0].get<Stmt>();
  const auto *inner = declaration ? dyn_cast_or_null<ForStmt>(parentOf(declaration)) : nullptr;
  return inner && inner != &loop && inner->getInit() == declaration && contains(&loop, inner) &&
         steppedCounter(inner, in_.context);
}

// 1: not less in a later turn of the loop; 0: the same. Of numbers far below 2^31.
std::optional<int> EpilogueFinder::growth(const Expr &value, const ForStmt &loop, int depth) {
  constexpr int kDeepest = 16;
  const Expr *expr = bare(&value);
  if (depth > kDeepest || !expr->getType()->isIntegralOrEnumerationType())
    return std::nullopt;
  if (!isOfTurn(expr, loop))
    return 0;
  constexpr uint64_t kWide = 32; // a byte comes back to where it was
  if (in_.context.getTypeSize(expr->getType()) < kWide)
    return std::nullopt;
  if (const auto *name = dyn_cast<DeclRefExpr>(expr)) {
    const auto *variable = dyn_cast<VarDecl>(name->getDecl());
    if (variable == counterOf(loop))
      return in_.sampler.changesOf(variable).size() == 1 ? std::optional(1) : std::nullopt;
    return variable && variable->getInit() && !in_.sampler.changes(variable)
               ? growth(*variable->getInit(), loop, depth + 1)
               : std::nullopt;
  }
  const auto *op = dyn_cast<BinaryOperator>(expr);
  if (!op)
    return std::nullopt;
  const auto left = growth(*op->getLHS(), loop, depth + 1),
             right = growth(*op->getRHS(), loop, depth + 1);
  const auto isCount = [&](const Expr *factor) {
    Expr::EvalResult number;
    return factor->EvaluateAsInt(number, in_.context) && number.Val.getInt() >= 0;
  };
  if (!left || !right)
    return std::nullopt;
  if (op->getOpcode() == BO_Add)
    return 1;
  if (op->getOpcode() == BO_Mul && (isCount(op->getLHS()) || isCount(op->getRHS())))
    return 1;
  return op->getOpcode() == BO_Shl && isCount(op->getRHS()) ? std::optional(1) : std::nullopt;
}

} // namespace layout_port::native
