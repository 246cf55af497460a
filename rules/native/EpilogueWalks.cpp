// Pointers and numbers that a loop over tiles moves on at the end of each turn:
//
//   half *p = C + row * n + col;
//   for (int j = 0; j < 4; ++j) {                 lp::each_pair(acc[j], j, [&](int lane, int j, ..)
//   {
//     *(half2 *)p = pack(acc[j][0], acc[j][1]);     half *p = C + row * n + col;
//     p += 8;                                ──▶    p += 8 * j;
//   }                                               *(half2 *)p = pack(v[0], v[1]);
//
// What they are in turn j the declaration and the counter say, so another lane can say it, too.
// Behind the loop nobody may ask.
#include "native/EpilogueFinder.h"

#include "native/AstRead.h"
#include "native/MergeRows.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/ParentMapContext.h"
#include "clang/Lex/Lexer.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace layout_port::native {

// Steps of which n times one is n of them: of float each turn rounds.
static bool isNumber(QualType type) { return type->isIntegerType() && !type->isBooleanType(); }

// p += by;
static const VarDecl *movedBy(const Stmt &stmt) {
  const auto *op = dyn_cast<BinaryOperator>(&stmt);
  const auto *name =
      op && op->getOpcode() == BO_AddAssign ? dyn_cast<DeclRefExpr>(bare(op->getLHS())) : nullptr;
  const auto *variable = name ? dyn_cast<VarDecl>(name->getDecl()) : nullptr;
  return variable && variable->isLocalVarDecl() && variable->hasLocalStorage() &&
                 (variable->getType()->isPointerType() || variable->getType()->isIntegerType()) &&
                 !variable->getType()->isBooleanType() && isNumber(op->getRHS()->getType())
             ? variable
             : nullptr;
}

// Something in the loop may go on to its next turn, past the end of the body.
static bool skips(const Stmt *stmt) {
  return stmt && (isa<ContinueStmt, GotoStmt, IndirectGotoStmt>(stmt) ||
                  llvm::any_of(stmt->children(), skips));
}

// Of the loop that the group's tiles are counted by, and of those around it.
void EpilogueFinder::findWalks(const Group &group) {
  if (!in_.in && !group.rowLoop)
    for (const Stmt *at = group.holder; at; at = parentOf(at))
      if (const auto *loop = dyn_cast<ForStmt>(at))
        findWalks(*loop, group);
}

// The last statements of the loop.
void EpilogueFinder::findWalks(const ForStmt &around, const Group &group) {
  const ForStmt *loop = &around;
  const auto counter = steppedCounter(loop, in_.context);
  const auto *block = dyn_cast<CompoundStmt>(loop->getBody());
  if (!counter || !block || skips(block) || in_.sampler.changesOf(counter->variable).size() != 1)
    return;
  for (const Stmt *stmt : llvm::reverse(block->body())) {
    const VarDecl *variable = movedBy(*stmt);
    if (!variable)
      return;
    const Expr *by = cast<BinaryOperator>(stmt)->getRHS();
    const auto isSteady = [&](const DeclRefExpr *name) {
      const auto *input = cast<VarDecl>(name->getDecl());
      return !in_.sampler.changes(input) && !isWithin(*input, *loop);
    };
    const auto isInside = [&](const DeclRefExpr *name) {
      return name->getDecl() != variable || contains(loop, name) || isBefore(*name, *loop);
    };
    if (variable->getInit() && in_.sampler.changesOf(variable).size() == 1 &&
        !in_.sampler.changesUnseen(variable) && beginsAnew(*variable, *loop) &&
        !in_.sampler.dependsOnThread(by) && isPure(*by) && touchesOf(by).empty() &&
        llvm::all_of(mentionsIn(by), isSteady) &&
        llvm::all_of(mentionsIn(home().getBody()), isInside)) {
      in_.sampler.walk(variable, {loop, counter->variable, counter->last, counter->step, by});
      if (loop == group.holder)
        walks_.insert(stmt);
      else
        addStep(*variable, *stmt);
    }
  }
}

// It goes where the variable does (Leftovers.h).
void EpilogueFinder::addStep(const VarDecl &variable, const Stmt &stmt) {
  auto range = in_.texts.statement(stmt.getSourceRange());
  if (!range || stmt.getBeginLoc().isMacroID() || stmt.getEndLoc().isMacroID())
    return;
  const SourceManager &sm = in_.context.getSourceManager();
  const auto end = Lexer::findNextToken(stmt.getEndLoc(), sm, in_.context.getLangOpts());
  if (!end || !end->is(tok::semi))
    return;
  range->end = sm.getFileOffset(end->getEndLoc());
  if (llvm::none_of(out_.steps, [&](const auto &step) { return step.statement == *range; }))
    out_.steps.push_back({variable.getNameAsString(), *range});
}

// Declared in the loop.
bool EpilogueFinder::isWithin(const VarDecl &variable, const ForStmt &loop) const {
  return declared({&loop}).count(&variable) != 0;
}

// Each time that the loop is come to, it has been declared: no loop stands between.
bool EpilogueFinder::beginsAnew(const VarDecl &variable, const ForStmt &loop) const {
  const auto parents = in_.context.getParents(variable);
  const auto *declaration = parents.empty() ? nullptr : parents[0].get<DeclStmt>();
  const Stmt *block = declaration ? parentOf(declaration) : nullptr;
  if (!isa_and_nonnull<CompoundStmt>(block))
    return false;
  const Stmt *at = parentOf(&loop);
  while (at && at != block && isa<CompoundStmt, AttributedStmt, IfStmt>(at))
    at = parentOf(at);
  return at == block;
}

bool EpilogueFinder::isWalk(const Expr &target) const {
  return llvm::any_of(walks_, [&](const Stmt *stmt) {
    return bare(cast<BinaryOperator>(stmt)->getLHS()) == bare(&target);
  });
}

} // namespace layout_port::native
