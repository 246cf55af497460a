// Values of rows from between the products, as a softmax keeps them: the statements that speak of
// them are bodies of rows, and a loop over r and r + 8 runs once, for the row that a lane has:
//
//   for (int r = 0; r < 2; ++r)                             one turn: r is the lane's row
//     for (int j = 0; j < 4; ++j)
//       O[p + 8 * r * N + 8 * j] = o[j][2 * r] / l[r];      l: a value of the row
#include "native/EpilogueFinder.h"

#include "native/AstRead.h"
#include "native/Effects.h"
#include "native/MergeRows.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/DynamicRecursiveASTVisitor.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace layout_port::native {

namespace {

// Shuffles that the statement does, itself or by the functions that it calls.
std::vector<const CallExpr *> shufflesBelow(const Stmt *stmt, int depth = 0) {
  constexpr int kDeepest = 8;
  class Calls : public DynamicRecursiveASTVisitor {
  public:
    bool VisitCallExpr(CallExpr *call) override {
      all.push_back(call);
      return true;
    }
    std::vector<const CallExpr *> all;
  };
  Calls calls;
  calls.TraverseStmt(const_cast<Stmt *>(stmt));
  std::vector<const CallExpr *> found;
  for (const CallExpr *call : calls.all) {
    const FunctionDecl *callee = call->getDirectCallee();
    const FunctionDecl *definition = callee ? callee->getDefinition() : nullptr;
    if (isShuffle(cudaName(callee)))
      found.push_back(call);
    else if (definition && definition->hasBody() && depth < kDeepest)
      llvm::append_range(found, shufflesBelow(definition->getBody(), depth + 1));
  }
  return found;
}

bool asksOnlyByShuffles(const Stmt *body, int depth = 0) {
  constexpr int kDeepest = 8;
  ThreadMentions mentions;
  mentions.TraverseStmt(const_cast<Stmt *>(body));
  AsmFinder inner;
  inner.TraverseStmt(const_cast<Stmt *>(body));
  return depth < kDeepest && mentions.found.empty() && !mentions.hasOther && inner.found.empty() &&
         llvm::all_of(inner.calls, [&](const CallExpr *call) {
           const FunctionDecl *callee = call->getDirectCallee();
           const FunctionDecl *definition = callee ? callee->getDefinition() : nullptr;
           return !definition || !definition->hasBody() ||
                  asksOnlyByShuffles(definition->getBody(), depth + 1);
         });
}

// The variable whose value, or a member of it, is changed.
const VarDecl *changedBy(const Expr &target) {
  const Expr *place = bare(&target);
  while (const auto *member = dyn_cast<MemberExpr>(place)) {
    if (member->isArrow())
      return nullptr;
    place = bare(member->getBase());
  }
  const auto *name = dyn_cast<DeclRefExpr>(place);
  return name ? dyn_cast<VarDecl>(name->getDecl()) : nullptr;
}

// Of its own where it stands: no other place knows it by this name.
bool isOwnVariable(const VarDecl *variable) {
  return variable && variable->hasLocalStorage() && !variable->getType()->isReferenceType();
}

} // namespace

// ---- which statements speak of rows

// A loop over r and r + 8 around the loop over tiles, that its registers are chosen by.
const ForStmt *EpilogueFinder::rowLoopAround(const Group &group) const {
  std::set<const VarDecl *> indices;
  for (const RegisterAccess &access : group.accesses)
    for (const VarDecl *variable : registerVariables(access))
      indices.insert(variable);
  for (const Stmt *at = parentOf(group.holder); at; at = parentOf(at))
    if (const auto *loop = dyn_cast<ForStmt>(at); loop && isa<ForStmt>(group.holder)) {
      const auto counter = plainCounter(loop, in_.context);
      if (counter && counter->second == 2 && indices.count(counter->first))
        return loop;
    }
  return nullptr;
}

// ... or by which values of rows are.
bool EpilogueFinder::isRowLoop(const ForStmt *loop) const {
  const auto counter = plainCounter(loop, in_.context);
  if (!counter || counter->second != 2)
    return false;
  return llvm::any_of(groups_, [&](const Group &group) { return group.rowLoop == loop; }) ||
         llvm::any_of(rows_.accessesIn(loop->getBody()), [&](const RowValues::Access &access) {
           return access.index && namesIn(access.index).count(counter->first) != 0;
         });
}

// Values of rows are named below `stmt` outside of the bodies of tiles.
bool EpilogueFinder::namesRows(const Stmt *stmt) const {
  return llvm::any_of(mentionsIn(stmt), [&](const DeclRefExpr *name) {
    return rows_.holds(cast<VarDecl>(name->getDecl())) &&
           llvm::none_of(groups_, [&](const Group &group) { return isWithin(name, group.stmts); });
  });
}

bool EpilogueFinder::holdsTiles(const Stmt *stmt) const {
  return llvm::any_of(groups_, [&](const Group &group) {
    return !group.stmts.empty() && contains(stmt, group.stmts.front());
  });
}

bool EpilogueFinder::holdsRowLoop(const Stmt *stmt) const {
  return llvm::any_of(
      groups_, [&](const Group &group) { return group.rowLoop && contains(stmt, group.rowLoop); });
}

bool EpilogueFinder::holdsAnyRowLoop(const Stmt *stmt) const {
  const auto *loop = dyn_cast_or_null<ForStmt>(stmt);
  return stmt && ((loop && isRowLoop(loop)) ||
                  llvm::any_of(stmt->children(),
                               [&](const Stmt *child) { return holdsAnyRowLoop(child); }));
}

// ---- bodies of rows

void EpilogueFinder::addRowStatements() {
  std::vector<std::vector<const Stmt *>> behind;
  if (in_.in)
    behind.push_back({home().getBody()->child_begin(), home().getBody()->child_end()});
  else
    addBehind(*in_.kernel.getBody(), behind);
  for (const auto &stmts : behind) {
    for (const Stmt *stmt : stmts)
      if (const DeclRefExpr *name = rows_.otherMention(stmt))
        return void(refuse("'" + name->getDecl()->getNameAsString() + std::string("' ") + kOfLane,
                           stmt->getSourceRange()));
    addRowsOf(stmts);
  }
  for (const Group &group : groups_)
    if (group.rowLoop && !isWritten(*group.rowLoop))
      return void(refuse("a loop over rows is not followed", group.rowLoop->getSourceRange()));
}

bool EpilogueFinder::isWritten(const ForStmt &rowLoop) const {
  const auto range = in_.texts.statement(rowLoop.getSourceRange());
  return llvm::any_of(out_.bodies, [&](const EpilogueBody &body) {
    return body.isRowLoop && range && body.range.contains(*range);
  });
}

// The statements behind the products, by the blocks that those stand in.
void EpilogueFinder::addBehind(const Stmt &block,
                               std::vector<std::vector<const Stmt *>> &behind) const {
  std::vector<const Stmt *> stmts;
  for (const Stmt *stmt : block.children()) {
    const auto range = stmt ? in_.texts.statement(stmt->getSourceRange()) : std::nullopt;
    if (stmt && (!range || range->begin >= in_.accumulators[0].region.end))
      stmts.push_back(stmt);
    else if (range && in_.accumulators[0].region.end < range->end)
      addBehind(*stmt, behind);
  }
  behind.push_back(std::move(stmts));
}

// Neighbouring statements that speak of rows alone are one body.
void EpilogueFinder::addRowsOf(llvm::ArrayRef<const Stmt *> stmts) {
  Group rows;
  const auto flush = [&] {
    if (!rows.stmts.empty() && out_.problem.empty())
      addRowBody(rows);
    rows = Group();
  };
  for (const Stmt *stmt : stmts) {
    while (const auto *attributed = dyn_cast_or_null<AttributedStmt>(stmt))
      stmt = attributed->getSubStmt();
    const auto *loop = dyn_cast_or_null<ForStmt>(stmt);
    const bool isLoop = loop && isRowLoop(loop);
    if (!stmt || (!isLoop && !namesRows(stmt) && !holdsRowLoop(stmt))) {
      flush();
    } else if (isLoop) {
      flush();
      if (out_.problem.empty())
        addRowLoop(loop);
    } else if (!holdsTiles(stmt) && !holdsRowLoop(stmt)) {
      rows.stmts.push_back(stmt);
    } else {
      flush();
      if (!addRowsBelow(stmt))
        return void(refuse("values of rows are used beside the accumulator's elements",
                           stmt->getSourceRange()));
    }
  }
  flush();
}

bool EpilogueFinder::addRowsBelow(const Stmt *stmt) {
  if (const auto *block = dyn_cast<CompoundStmt>(stmt)) {
    addRowsOf({block->body_begin(), block->body_end()});
    return true;
  }
  if (const auto *loop = dyn_cast<ForStmt>(stmt)) {
    addRowsOf({loop->getBody()});
    return true;
  }
  const auto *branch = dyn_cast<IfStmt>(stmt);
  if (!branch || namesRows(branch->getCond()) || branch->getInit())
    return false;
  addRowsOf({branch->getThen(), branch->getElse()});
  return true;
}

// Statements side by side, once for each row: l0 and l1, or l[0] and l[1].
void EpilogueFinder::addRowBody(Group &rows) {
  rows.isRow = true;
  rows.holder = parentOf(rows.stmts.front());
  EpilogueBody body;
  const auto range = in_.texts.statement(
      SourceRange(rows.stmts.front()->getBeginLoc(), rows.stmts.back()->getEndLoc()));
  if (!range)
    return void(refuse("the epilogue is written by a macro", rows.stmts.front()->getSourceRange()));
  body.range = *range;
  addLoops(rows.stmts.front(), body);
  if (reached(rows))
    finish(rows, body);
}

// ---- loops over rows

// for (int r = 0; r < 2; ++r) { ... }: what is in it is done for the one row that the lane has
// of either warp, as the lane and warp that CUDA would do it in. So nothing may be carried
// from one turn to the next but values of rows.
void EpilogueFinder::addRowLoop(const ForStmt *loop) {
  Group rows;
  rows.isRow = true;
  rows.holder = rows.rowLoop = loop;
  const auto *block = dyn_cast<CompoundStmt>(loop->getBody());
  rows.stmts = block ? std::vector<const Stmt *>(block->body_begin(), block->body_end())
                     : std::vector<const Stmt *>{loop->getBody()};
  EpilogueBody body;
  if (!followsPrefix(rows) || !placeLoop(rows, block != nullptr, body) || !reached(rows))
    return;
  const size_t at = out_.bodies.size();
  finish(rows, body);
  if (!out_.problem.empty())
    return;
  out_.bodies[at].usesPair = true;
  out_.usesRows = true;
  for (const Group &group : groups_)
    if (group.rowLoop == loop && out_.problem.empty())
      addBody(group);
}

bool EpilogueFinder::placeLoop(const Group &rows, bool isBlock, EpilogueBody &body) {
  const ForStmt *loop = rows.rowLoop;
  const auto range = in_.texts.statement(loop->getSourceRange()),
             inner = in_.texts.statement(loop->getBody()->getSourceRange());
  if (!range || !inner || loop->getBeginLoc().isMacroID() || loop->getEndLoc().isMacroID() ||
      loop->getBody()->getBeginLoc().isMacroID())
    return refuse("the epilogue is written by a macro", loop->getSourceRange());
  body.range = *range;
  body.inner = *inner;
  body.isBlock = isBlock;
  body.isRowLoop = true;
  takePragmas(loop, body);
  addLoops(loop, body);
  const Loop known = in_.loopOf(loop);
  body.rowName = known.variable;
  body.rowType = known.type;
  const QualType type = counterOf(*loop)->getType();
  if (!type->isIntegerType() || in_.context.getTypeSize(type) < 32)
    return refuse("a loop over rows does not count in whole words", loop->getSourceRange());
  return true;
}

// Up to the first statement that hands something on, a turn may change values of its row, and
// variables of its own.
bool EpilogueFinder::followsPrefix(Group &rows) {
  const auto own = declared(rows.stmts);
  const Stmt *first = nullptr;
  for (const Stmt *stmt : rows.stmts) {
    first = handsOn(stmt) ? stmt : nullptr;
    if (first)
      break;
    rows.prefix.push_back(stmt);
  }
  if (!first)
    return refuse("a loop over rows hands nothing on", rows.rowLoop->getSourceRange());
  Exchange::Seen seen;
  if (in_.between)
    seen = in_.between->seenAt(first);
  if (!seen.problem.empty())
    return refuse(seen.problem, seen.problemAt);
  visits_[rows.rowLoop] = seen.visits;
  for (const Stmt *stmt : rows.prefix)
    for (const CallExpr *shuffle : shufflesBelow(stmt))
      if (!llvm::is_contained(seen.shuffles, shuffle) || !in_.takeShuffle(*shuffle))
        return refuse("a shuffle in the epilogue is not one of values of rows",
                      shuffle->getSourceRange());
  for (const VarDecl *variable : own)
    if (isOfRegisters(variable) && llvm::none_of(groups_, [&](const Group &group) {
          return declared(group.stmts).count(variable) != 0;
        }))
      rowLocals_.insert(variable);
  return true;
}

bool EpilogueFinder::handsOn(const Stmt *stmt) const {
  if (holdsTiles(stmt))
    return true;
  Touches visitor;
  visitor.TraverseStmt(const_cast<Stmt *>(stmt));
  return llvm::any_of(visitor.all, [](const Touch &touch) {
    return touch.isWrite && (!touch.root || !isRegisters(touch.root));
  });
}

// In the part of a loop over rows that only computes: variables of its own, and the value of
// the row whose turn it is.
bool EpilogueFinder::mayChange(const Expr *target, const Stmt *stmt, const Group &group) const {
  if (target && (isOfElement(*target, *stmt) || isOfBody(*target, group)))
    return true;
  if (!target || !llvm::is_contained(group.prefix, stmt))
    return false;
  const Expr *place = bare(target);
  while (const auto *member = dyn_cast_or_null<MemberExpr>(parentOf(place))) // of a touched object
    place = member;
  if (const auto access = rows_.accessAt(place)) {
    const auto *index = access->index ? dyn_cast<DeclRefExpr>(bare(access->index)) : nullptr;
    return index && index->getDecl() == counterOf(*group.rowLoop);
  }
  const auto *name = dyn_cast<DeclRefExpr>(place);
  return name && declared(group.stmts).count(dyn_cast<VarDecl>(name->getDecl()));
}

// float2 c = *p; c.x = ...; *p = c; in a body of a tile: it has one for itself, of what no place
// is made of.
bool EpilogueFinder::isOfBody(const Expr &target, const Group &group) const {
  const VarDecl *variable = changedBy(target);
  return isOwnVariable(variable) && !group.isRow && !isPlaceType(variable->getType()) &&
         !variable->getType()->isArrayType() && declared(group.stmts).count(variable);
}

// A variable of the body of the innermost loop in the statement: each turn has its own.
bool EpilogueFinder::isOfElement(const Expr &target, const Stmt &stmt) const {
  const VarDecl *variable = changedBy(target);
  const Stmt *at = &target;
  while (at && at != &stmt && !isa<ForStmt>(at))
    at = parentOf(at);
  const auto *loop = dyn_cast_or_null<ForStmt>(at);
  return loop && isOwnVariable(variable) && declared({loop->getBody()}).count(variable);
}

// A shuffle, or a function that computes by shuffles and asks nothing else of its thread.
bool EpilogueFinder::exchanges(const CallExpr &call) const {
  if (shufflesBelow(&call).empty() || !onlyComputesInWarp(call))
    return false;
  const FunctionDecl *callee = call.getDirectCallee();
  const FunctionDecl *definition = callee ? callee->getDefinition() : nullptr;
  if (!definition || !definition->hasBody())
    return true;
  if (!asksOnlyByShuffles(definition->getBody()))
    return false;
  in_.takeExchanging(*definition);
  return true;
}

// What the loop over rows around has for the row and the warp already, for all of a quad.
void EpilogueFinder::addEvenInRow(const Group &group, std::set<const VarDecl *> &own) {
  std::set<const VarDecl *> made;
  for (const Stmt *stmt : group.stmts)
    for (const VarDecl *variable : namesIn(stmt)) {
      made.insert(variable);
      for (const Expr *value : values_[variable])
        addMakers(value, made);
    }
  for (const VarDecl *variable : made)
    if (variable->getInit() && !in_.sampler.changes(variable) && !isOfRegisters(variable) &&
        in_.sampler.dependsOnThread(variable) && in_.sampler.sameForQuads(variable->getInit()))
      own.insert(variable);
}

// ---- what is the same for a quad

// What is known where the group's statements begin.
const std::vector<Visit> &EpilogueFinder::visitsOf(const Group &group) {
  const Stmt *key = group.rowLoop ? group.rowLoop : group.stmts.front();
  const auto [known, isNew] = visits_.try_emplace(key);
  if (isNew && in_.between) {
    const Stmt *at = key;
    for (const Stmt *up = parentOf(at); up && up != in_.kernel.getBody() && !holdsAnyRowLoop(up);
         up = parentOf(up))
      at = up;
    if (Exchange::Seen seen = in_.between->seenAt(at); seen.problem.empty())
      known->second = std::move(seen.visits);
  }
  return known->second;
}

// The lanes of a quad have the same of what the group uses of the variable.
bool EpilogueFinder::isEvenInQuads(const VarDecl *variable, const Group &group) {
  const std::vector<Visit> &visits = visitsOf(group);
  if (visits.empty())
    return false;
  std::vector<RowValues::Access> accesses;
  for (const Stmt *stmt : group.stmts)
    for (const RowValues::Access &access : rows_.accessesIn(stmt))
      if (access.variable == variable)
        accesses.push_back(access);
  return llvm::all_of(visits, [&](const Visit &visit) {
    return accesses.empty() ? visit.evenInQuads.count({variable, 0}) != 0
                            : llvm::all_of(accesses, [&](const RowValues::Access &access) {
                                return isEven(access, visit);
                              });
  });
}

bool EpilogueFinder::isEven(const RowValues::Access &access, const Visit &visit) const {
  return llvm::all_of(rows_.cellsOf(access, visit.numbers),
                      [&](const RowCell &cell) { return visit.evenInQuads.count(cell) != 0; });
}

} // namespace layout_port::native
