// The epilogue as a whole: the groups of statements that name accumulators become bodies, each of
// which says what it needs and how its text changes. What is asked on the way stands in the files
// of EpilogueFinder.h.
#include "native/RecoverEpilogue.h"

#include "native/EpilogueFinder.h"
#include "native/MergeRows.h"

#include "clang/AST/ASTContext.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace clang;

namespace layout_port::native {

namespace {

// v, v2, v3...
std::vector<std::string> numbered(const std::string &name, int last) {
  std::vector<std::string> names = {name};
  for (int i = 2; i <= last; ++i)
    names.push_back(name + std::to_string(i));
  return names;
}

constexpr std::initializer_list<const char *> kLowerNames = {"lower", "lower8", "lower_row"};

bool mentions(StringRef text, StringRef word) {
  const auto isWord = [](char c) { return llvm::isAlnum(c) || c == '_'; };
  for (size_t at = text.find(word); at != StringRef::npos; at = text.find(word, at + 1))
    if ((at == 0 || !isWord(text[at - 1])) &&
        (at + word.size() == text.size() || !isWord(text[at + word.size()])))
      return true;
  return false;
}

} // namespace

EpilogueFinder::EpilogueFinder(const EpilogueInput &input) : in_(input) {
  if (in_.between && in_.ownsRows)
    rows_ = RowValues(in_.context, in_.between->rows);
  if (in_.in)
    noteParents(*in_.in->function->getBody());
}

Epilogue EpilogueFinder::run() {
  out_.accumulator = out_.leader = in_.accumulators[0].declaration;
  Values values;
  for (const Stmt *body : bodies())
    values.TraverseStmt(const_cast<Stmt *>(body));
  if (in_.in)
    for (const ParmVarDecl *parameter : in_.in->function->parameters())
      if (const Expr *argument = argumentFor(*parameter))
        values.from[parameter].push_back(argument);
  values_ = std::move(values.from);
  lent_ = std::move(values.lent);
  chooseNames();
  findAccesses();
  for (Group &group : groups_) {
    group.stmts = statementsOf(group);
    group.rowLoop = rowLoopAround(group);
    findWalks(group);
  }
  for (const Group &group : groups_)
    if (out_.problem.empty() && !group.rowLoop)
      addBody(group);
  if (out_.problem.empty() && !sums_.empty())
    addSums();
  out_.isBehindBetween = in_.between != nullptr;
  if (out_.problem.empty() && !groups_.empty())
    addRowStatements();
  for (size_t i = 0; i < out_.bodies.size(); ++i)
    tellTurns(bodyStmts_[i].front(), out_.bodies[i]);
  if (out_.problem.empty())
    checkWaysOut();
  checkViews();
  checkOtherWrites();
  return std::move(out_);
}

bool EpilogueFinder::refuse(const std::string &reason, SourceRange at) {
  if (out_.problem.empty()) {
    out_.problem = reason;
    if (const auto range = in_.texts.statement(at))
      out_.problemAt = *range;
  }
  return false;
}

// ---- names that the kernel does not use

void EpilogueFinder::chooseNames() {
  std::vector<const FunctionDecl *> all = {&in_.kernel};
  for (const EpilogueCall &each : in_.calls)
    all.push_back(each.function);
  out_.lowerName = fresh(all, kLowerNames);
  out_.valueNames = numbered(fresh(all, {"v", "pair", "own"}, kMostTiles), kMostTiles);
  out_.pairName = fresh(all, {"h", "which", "second"});
}

std::string EpilogueFinder::lowerIn(const FunctionDecl &function) const {
  return fresh({&function}, kLowerNames);
}

std::string EpilogueFinder::fresh(const std::vector<const FunctionDecl *> &functions,
                                  std::initializer_list<const char *> candidates, int last) const {
  const SourceManager &sm = in_.context.getSourceManager();
  const auto isMentioned = [&](const std::string &name) {
    return llvm::any_of(functions, [&](const FunctionDecl *function) {
      const SourceLocation first = sm.getExpansionLoc(function->getBeginLoc());
      const unsigned begin = sm.getFileOffset(first);
      const unsigned end = sm.getFileOffset(sm.getExpansionLoc(function->getEndLoc()));
      return mentions(sm.getBufferData(sm.getFileID(first)).slice(begin, end), name);
    });
  };
  for (const char *name : candidates)
    if (llvm::none_of(numbered(name, last), isMentioned))
      return std::string(name);
  return std::string("lp_") + *candidates.begin();
}

// ---- one body

void EpilogueFinder::addBody(Group group) {
  const Expr *first = group.accesses.front().expr;
  if (!tellTiles(group) || !ownsMentions(group))
    return;
  if (group.stmts.empty())
    return void(refuse("a statement of the epilogue is not found", first->getSourceRange()));
  EpilogueBody body;
  body.isInRowLoop = group.rowLoop != nullptr;
  if (!place(group, body) || !reached(group))
    return;
  finish(group, body);
}

// All mentions of accumulators in the statements are accesses of this group: one whose tile is
// counted by another loop, or that stands before its products' end, is another lane's.
bool EpilogueFinder::ownsMentions(const Group &group) {
  for (const Stmt *stmt : group.stmts)
    for (const Expr *name : tilesIn(stmt)) {
      const bool isOwn = llvm::any_of(group.accesses, [&](const RegisterAccess &access) {
        return contains(access.expr, name);
      });
      const auto *accumulator = mayBeAccumulator(*name);
      const bool isOfView =
          llvm::any_of(views_, [&](const View &view) { return contains(view.statement, name); });
      if (!isOwn && !isOfView && !(accumulator && in_.isFill(name, accumulator->declaration)))
        return refuse("tiles of several loops are handed on in one list of statements",
                      name->getSourceRange());
    }
  return true;
}

// What the statements do, and their edits.
void EpilogueFinder::finish(const Group &group, EpilogueBody &body) {
  if (!group.isRow && !group.rowLoop && !findSums(group))
    return;
  if (!bound(group) || !onlyStores(group) || !namesTilesOutside(group))
    return;
  const Stmt *first = group.isRow ? group.stmts.front() : group.accesses.front().expr;
  RowMerger merger(in_.context, in_.texts, group.accesses, in_.isPacked, out_.lowerName,
                   out_.valueNames);
  for (const auto &[upper, lower] : sums_)
    merger.addSum(upper, lower, out_.pairName);
  merger.setRows(rows_, out_.pairName);
  if (group.rowLoop)
    merger.setRowLoop(counterOf(*group.rowLoop));
  body.changes = !group.isRow && changesElements(group);
  if (body.changes && !areApartTiles(group))
    return void(refuse("a tile that is changed may be handed on by two names",
                       group.stmts.front()->getSourceRange()));
  if (body.changes)
    merger.keepOrder();
  body.changes |=
      !in_.isPacked && // of a word it has a copy
      llvm::any_of(group.accesses, [&](const RegisterAccess &a) { return isCastByName(*a.expr); });
  if (!group.isRow && !writeViews(group, merger, body))
    return;
  for (const Stmt *stmt : walks_)
    if (isWithin(stmt, group.stmts)) {
      merger.setAside(stmt);
      if (!RowMerger(in_.context, in_.texts, group.accesses, in_.isPacked, "", {})
               .drop(stmt, body.edits))
        return void(refuse("the epilogue is written by a macro", stmt->getSourceRange()));
    }
  const std::string problem = merger.merge(group.stmts, body.edits);
  if (!problem.empty())
    return void(refuse(problem, first->getSourceRange()));
  body.usesLower = merger.usesLower() || body.isRowLoop;
  std::set<const VarDecl *> own = declared(group.stmts);
  if (group.rowLoop) {
    own.insert(counterOf(*group.rowLoop));
    for (const Stmt *stmt : group.stmts) // those of the tiles in it
      for (const DeclRefExpr *name : mentionsIn(stmt))
        if (namesTile(*name))
          own.insert(cast<VarDecl>(name->getDecl()));
    if (!group.isRow)
      addEvenInRow(group, own);
  }
  for (const RegisterAccess &access : group.accesses)
    for (const VarDecl *variable : namesIn(access.expr))
      own.insert(variable);
  std::set<const VarDecl *> views;
  for (const View &view : views_)
    if (isUsed(view, group) || isWithin(view.statement, group.stmts)) {
      views.insert(view.variable);
      for (const VarDecl *variable : namesIn(view.said))
        own.insert(variable);
    }
  for (const auto &[upper, lower] : sums_) {
    own.insert(upper);
    own.insert(lower);
    for (const Stmt *stmt : group.stmts)
      body.usesPair |= namesIn(stmt).count(upper) != 0;
  }
  for (const Stmt *stmt : group.stmts)
    for (const VarDecl *variable : namesIn(stmt))
      if (rows_.holds(variable) || rowLocals_.count(variable)) {
        own.insert(variable);
        body.usesPair |= rows_.holds(variable);
        out_.usesRows = true;
      }
  body.isRow = group.isRow;
  if (!takeWaysOut(group, body))
    return;
  std::vector<const Stmt *> stmts = group.stmts;
  for (const auto *ways : {&waysOut_, &waysIn_})
    if (const auto its = ways->find(group.stmts.front()); its != ways->end())
      for (const IfStmt *branch : its->second)
        stmts.push_back(branch->getCond());
  body.forThread = in_.rebind(stmts, body, own, views, false);
  body.forLane = in_.rebind(stmts, body, own, views, true);
  if (!guardReads(group, body))
    return;
  for (const RegisterAccess &access : group.accesses)
    if (access.call && !writeForRow(access, group, body))
      return;
  out_.bodies.push_back(std::move(body));
  bodyStmts_.push_back(group.stmts);
}

// The tile is handed over where the statements begin: what numbers it is known there.
bool EpilogueFinder::namesTilesOutside(const Group &group) {
  const std::set<const VarDecl *> inside = declared(group.stmts);
  for (const RegisterAccess &access : group.accesses)
    for (const VarDecl *variable : tileVariables(access))
      if (inside.count(variable))
        return refuse("its tile is numbered by '" + variable->getNameAsString() +
                          "', which the epilogue declares itself",
                      access.expr->getSourceRange());
  return true;
}

Epilogue recoverEpilogue(const EpilogueInput &input) { return EpilogueFinder(input).run(); }

} // namespace layout_port::native
