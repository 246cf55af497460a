// Whether all lanes of a wave reach an epilogue: its elements are other lanes' than CUDA's. A way
// out that only some take goes with the elements, where nothing else stands behind it.
#include "native/EpilogueFinder.h"

#include "native/Around.h"
#include "native/AstRead.h"
#include "native/MergeRows.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/DynamicRecursiveASTVisitor.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/ParentMapContext.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace clang;

namespace layout_port::native {

namespace {

// What may have no value: a division by what may be nothing, a loop that may not end. Who does not
// pass the condition must not come to it.
class Endless : public DynamicRecursiveASTVisitor {
public:
  explicit Endless(const ASTContext &context) : context_(context) {}
  bool VisitBinaryOperator(BinaryOperator *op) override {
    const bool divides = op->getOpcode() == BO_Div || op->getOpcode() == BO_Rem ||
                         op->getOpcode() == BO_DivAssign || op->getOpcode() == BO_RemAssign;
    Expr::EvalResult by;
    const bool isKnown = divides && !op->getRHS()->isValueDependent() &&
                         op->getRHS()->getType()->isIntegerType() &&
                         op->getRHS()->EvaluateAsInt(by, context_);
    return note(divides && op->getType()->isIntegerType() && !(isKnown && by.Val.getInt() != 0));
  }
  bool VisitStmt(Stmt *stmt) override {
    return note(isa<ForStmt, WhileStmt, DoStmt, CXXForRangeStmt, GotoStmt, GCCAsmStmt>(stmt));
  }
  bool VisitCallExpr(CallExpr *call) override { return enter(call->getDirectCallee()); }
  bool VisitCXXConstructExpr(CXXConstructExpr *made) override {
    return enter(made->getConstructor());
  }
  bool any = false;

private:
  bool note(bool isOne) { return !(any |= isOne); }
  bool enter(const FunctionDecl *callee) {
    const FunctionDecl *definition = callee ? callee->getDefinition() : nullptr;
    if (!callee || (definition && isOfCuda(*definition)) || !definition || !definition->hasBody())
      return note(!callee);
    if (!active_.insert(definition).second)
      return note(true); // it calls itself
    const bool goesOn = !entered_.insert(definition).second || TraverseStmt(definition->getBody());
    active_.erase(definition);
    return goesOn;
  }
  const ASTContext &context_;
  std::set<const FunctionDecl *> entered_, active_;
};

class Returns : public DynamicRecursiveASTVisitor {
public:
  bool TraverseLambdaExpr(LambdaExpr *) override { return true; }
  bool VisitReturnStmt(ReturnStmt *stmt) override {
    all.push_back(stmt);
    return true;
  }
  std::vector<const ReturnStmt *> all;
};

} // namespace

// All lanes of a wave get there, or none.
bool EpilogueFinder::reached(const Group &group) {
  for (const Stmt *at = parentOf(group.stmts.front()); at; at = parentOf(at)) {
    const Expr *condition = nullptr;
    if (const auto *branch = dyn_cast<IfStmt>(at))
      condition = branch->isConstexpr() ? nullptr : branch->getCond();
    else if (const auto *loop = dyn_cast<ForStmt>(at))
      condition = loop->getCond();
    else if (const auto *loop = dyn_cast<WhileStmt>(at))
      condition = loop->getCond();
    else if (at != (in_.in ? in_.in->call : nullptr) && !isa<ExprWithCleanups>(at) &&
             !isa<CompoundStmt, AttributedStmt>(at))
      return refuse("the epilogue is reached through a statement that is not followed",
                    at->getSourceRange());
    if (at == group.rowLoop && !group.isRow)
      return true; // what stands around that is its own matter
    const auto *loop = dyn_cast<ForStmt>(at);
    const bool isCounted = loop && plainCounter(loop, in_.context);
    if (group.rowLoop && !group.isRow &&
        (isCounted || (condition && in_.sampler.sameForQuads(condition))))
      continue;
    if (condition && !sameForWave(*condition) && !entersBy(*at, group))
      return refuse("some lanes of a wave may not reach the epilogue: " +
                        in_.texts.spelled(condition),
                    condition->getSourceRange());
  }
  return returnsBefore(group) && noneLeaves(group);
}

// A 'continue' or 'break' of a loop around: where lanes do not agree on it, some of them would
// not be there for the elements that they hold for others.
bool EpilogueFinder::noneLeaves(const Group &group) {
  class Jumps : public DynamicRecursiveASTVisitor {
  public:
    bool TraverseLambdaExpr(LambdaExpr *) override { return true; }
    bool VisitContinueStmt(ContinueStmt *stmt) override {
      all.push_back(stmt);
      return true;
    }
    bool VisitBreakStmt(BreakStmt *stmt) override {
      all.push_back(stmt);
      return true;
    }
    std::vector<const Stmt *> all;
  };
  Jumps jumps;
  for (const Stmt *body : bodies())
    jumps.TraverseStmt(const_cast<Stmt *>(body));
  for (const Stmt *jump : jumps.all) {
    if (isWithin(jump, group.stmts))
      continue;
    const Expr *parting = nullptr;
    const bool isInRow = group.rowLoop && !group.isRow && contains(group.rowLoop, jump);
    const Stmt *loop = parentOf(jump);
    for (; loop && !isa<ForStmt, WhileStmt, DoStmt, CXXForRangeStmt>(loop); loop = parentOf(loop)) {
      const auto *branch = dyn_cast<IfStmt>(loop);
      const Expr *condition = branch && !branch->isConstexpr() ? branch->getCond() : nullptr;
      if (const auto *choice = dyn_cast<SwitchStmt>(loop))
        condition = choice->getCond();
      if (condition && !sameForWave(*condition) &&
          !(isInRow && in_.sampler.sameForQuads(condition)))
        parting = condition;
    }
    if (parting && loop && contains(loop, group.stmts.front()) && !leavesBy(*jump, group))
      return refuse("some lanes of a wave may not reach the epilogue: " +
                        in_.texts.spelled(parting),
                    parting->getSourceRange());
  }
  return true;
}

bool EpilogueFinder::sameForWave(const Expr &condition) const {
  return in_.sampler.sameForWave(&condition) || in_.isAssumedUniform(&condition);
}

bool EpilogueFinder::returnsBefore(const Group &group) {
  Returns returns;
  for (const Stmt *body : bodies())
    returns.TraverseStmt(const_cast<Stmt *>(body));
  for (const ReturnStmt *stmt : returns.all)
    for (const Stmt *at = parentOf(stmt); at; at = parentOf(at))
      if (const auto *branch = dyn_cast<IfStmt>(at); branch && !branch->isConstexpr() &&
                                                     !sameForWave(*branch->getCond()) &&
                                                     !leavesBy(*stmt, group))
        return refuse("some lanes of a wave may have returned before the epilogue",
                      stmt->getSourceRange());
  return true;
}

// ---- ways out that go with the elements
//
//   if (row >= M) return;             lp::each_pair(acc[j], [&](int lane, ...) {
//   for (j...) {                        const int row = ...;
//     C[row * N + col] = acc[j][0]; ──▶ if (row >= M) return;
//   }                                   C[row * N + col] = v[0];
//
// Who leaves in CUDA has nothing to hand on behind it; here, its elements are other lanes'. So
// the condition is asked in each body behind it, and nothing else may stand there. So it is with
// `if (row < M) for (j...)`, and what stands in there.

// if (...) return; and what it leaves: the kernel, or the turn of a loop.
const IfStmt *EpilogueFinder::wayOut(const Stmt &jump) const {
  const Stmt *at = parentOf(&jump);
  if (const auto *block = dyn_cast_or_null<CompoundStmt>(at); block && block->size() == 1)
    at = parentOf(at);
  const auto *branch = dyn_cast_or_null<IfStmt>(at);
  return branch && !branch->getElse() && !branch->getInit() && !branch->getConditionVariable() &&
                 !branch->isConstexpr()
             ? branch
             : nullptr;
}

// if (row < M) for (j...) C[row * N + col] = acc[j][0];  is left by who does not pass.
bool EpilogueFinder::entersBy(const Stmt &around, const Group &group) {
  const auto *branch = dyn_cast<IfStmt>(&around);
  if (!branch || branch->getElse() || branch->getInit() || branch->getConditionVariable() ||
      branch->isConstexpr() || !isAtHome(branch) || group.rowLoop ||
      !mayBeAskedAgain(*branch->getCond(), *branch))
    return false;
  std::vector<const IfStmt *> &all = waysIn_[group.stmts.front()];
  if (!llvm::is_contained(all, branch))
    all.push_back(branch);
  return true;
}

// The group's elements may ask for themselves whether they are left out there; or the jump is no
// matter of theirs.
bool EpilogueFinder::leavesBy(const Stmt &jump, const Group &group) {
  const IfStmt *branch = wayOut(jump);
  const auto *block = branch ? dyn_cast_or_null<CompoundStmt>(parentOf(branch)) : nullptr;
  if (!block)
    return false;
  const Stmt *around = parentOf(block);
  const auto *loop = dyn_cast_or_null<ForStmt>(around);
  const bool isReturn = isa<ReturnStmt>(jump);
  const FunctionDecl &owner = isAtHome(&jump) ? home() : in_.kernel;
  if (isReturn ? block != owner.getBody() : !loop || loop->getBody() != block)
    return false;
  if (!isa<BreakStmt>(jump) && isBefore(*group.stmts.back(), *branch))
    return true;
  if (&owner != &home() || !isBefore(*branch, *group.stmts.front()) || group.rowLoop ||
      group.isRow || !mayBeAskedAgain(*branch->getCond(), *branch) ||
      (isa<BreakStmt>(jump) && !leavesForGood(*branch, *block, *loop)))
    return false;
  std::vector<const IfStmt *> &all = waysOut_[group.stmts.front()];
  if (!llvm::is_contained(all, branch))
    all.push_back(branch);
  return true;
}

bool EpilogueFinder::isBefore(const Stmt &a, const Stmt &b) const {
  const bool areApart = isAtHome(&a) != isAtHome(&b);
  const Stmt &first = areApart ? *placeOf(&a) : a, &second = areApart ? *placeOf(&b) : b;
  const auto one = in_.texts.statement(first.getSourceRange()),
             other = in_.texts.statement(second.getSourceRange());
  return one && other && one->file == other->file && one->end <= other->begin;
}

// Arithmetic of what nothing changes behind it, and no lane keeps for itself.
bool EpilogueFinder::mayBeAskedAgain(const Expr &condition, const Stmt &at) {
  ThreadMentions mentions;
  mentions.TraverseStmt(const_cast<Expr *>(&condition));
  AsmFinder inside;
  inside.TraverseStmt(const_cast<Expr *>(&condition));
  if (!mentions.found.empty() || mentions.hasOther || !inside.calls.empty() ||
      !touchesOf(&condition).empty() || condition.HasSideEffects(in_.context) ||
      !in_.texts.range(condition.getSourceRange()) || at.getBeginLoc().isMacroID() ||
      at.getEndLoc().isMacroID())
    return false;
  return llvm::all_of(mentionsIn(&condition), [&](const DeclRefExpr *name) {
    const auto *variable = cast<VarDecl>(name->getDecl());
    return !mayBeAccumulator(*name) && !isOfRegisters(variable) && !isSum(variable) &&
           (!in_.sampler.changes(variable) || countsAround(*variable, at));
  });
}

// A loop around has it as its counter, and nobody else changes it.
bool EpilogueFinder::countsAround(const VarDecl &variable, const Stmt &at) const {
  for (const Stmt *up = parentOf(&at); up; up = parentOf(up))
    if (const auto *loop = dyn_cast<ForStmt>(up); loop && counterOf(*loop) == &variable)
      return plainCounter(loop, in_.context) && in_.sampler.changesOf(&variable).size() == 1;
  return false;
}

// if (col >= N) break; at the beginning of a turn: who leaves would do so in all turns behind,
// too.
bool EpilogueFinder::leavesForGood(const IfStmt &branch, const CompoundStmt &block,
                                   const ForStmt &loop) {
  for (const Stmt *stmt : block.body())
    if (stmt == &branch)
      break;
    else if (!isa<DeclStmt>(stmt) || !onlyRunsBodies(stmt, loop))
      return false;
  const auto *op = dyn_cast<BinaryOperator>(bare(branch.getCond()));
  if (!op || !plainCounter(&loop, in_.context) ||
      !in_.context.hasSameType(op->getLHS()->getType().getUnqualifiedType(), in_.context.IntTy))
    return false; // less than zero, an unsigned number is large, and then small
  const bool isLess = op->getOpcode() == BO_LE || op->getOpcode() == BO_LT;
  if (!isLess && op->getOpcode() != BO_GE && op->getOpcode() != BO_GT)
    return false;
  const Expr *grows = isLess ? op->getRHS() : op->getLHS(),
             *stays = isLess ? op->getLHS() : op->getRHS();
  return growth(*grows, loop).has_value() && growth(*stays, loop) == 0;
}

// The condition goes into the body; behind the statement, which goes, is nothing else.
bool EpilogueFinder::takeWaysOut(const Group &group, EpilogueBody &body) {
  for (const IfStmt *branch : waysIn_[group.stmts.front()])
    if (!takeCondition(*branch, /*isWayIn=*/true, group, body) || !takeBranch(*branch, body))
      return false;
  for (const IfStmt *branch : waysOut_[group.stmts.front()]) {
    if (!takeCondition(*branch, /*isWayIn=*/false, group, body))
      return false;
    if (gone_.insert(branch).second &&
        !RowMerger(in_.context, in_.texts, group.accesses, in_.isPacked, "", {})
             .drop(branch, body.edits))
      return refuse("the epilogue is written by a macro", branch->getSourceRange());
  }
  return true;
}

// Asked at the beginning of the body, or in front of the one statement that it is.
bool EpilogueFinder::takeCondition(const IfStmt &branch, bool isWayIn, const Group &group,
                                   EpilogueBody &body) {
  const Expr &asked = *branch.getCond();
  const auto condition = in_.texts.range(asked.getSourceRange());
  const bool isOne = isWayIn && !body.isBlock && group.stmts.size() == 1;
  // Another arm of an #if may stand in it.
  const SourceManager &sm = in_.context.getSourceManager();
  const SourceLocation first = sm.getExpansionLoc(branch.getIfLoc());
  const unsigned end = sm.getFileOffset(sm.getExpansionLoc(branch.getRParenLoc()));
  const StringRef whole = sm.getBufferData(sm.getFileID(first)).take_front(end);
  const bool hasArms = !condition || whole.drop_front(sm.getFileOffset(first)).contains('#');
  const bool isList = !body.isBlock && !isOne; // of statements of rows
  if (hasArms || (isList && !group.isRow))
    return refuse("some lanes of a wave may not reach the epilogue: " + in_.texts.spelled(&asked),
                  branch.getSourceRange());
  if (!readBehindWays(group).empty())
    return true; // guardReads() asks
  const std::string text = sourceRange(condition->begin, condition->end);
  const unsigned at = body.range.begin + (body.isBlock ? 1 : 0);
  const std::string indent = indentOf(group);
  const std::string leaves =
      "if (" + (isWayIn ? "!(" + text + ")" : text) + ")\n" + indent + "  return;";
  body.edits.insert(body.edits.begin(), {{body.range.file, at, at},
                                         isOne    ? "if (" + text + ") "
                                         : isList ? leaves + "\n" + indent
                                                  : "\n" + indent + leaves});
  return true;
}

// What is read from memory behind a way out, who leaves does not read. It is read in the body,
// behind the condition:
//
//   for (j...) {                           lp::each_pair(acc[j], [&](int lane, ...) {
//     const int col = ...;                   const int col = ...;
//     if (col >= N) continue;         ──▶    if (col >= N) return;
//     const float by = bias[col];            const float by = bias[col];
//     C[..] = acc[j][0] + by;                C[..] = v[0] + by;
//   }                                      });
std::set<const VarDecl *> EpilogueFinder::readBehindWays(const Group &group) {
  const auto declarationOf = [&](const VarDecl &variable) -> const Stmt * {
    const auto parents = in_.context.getParents(variable);
    return parents.empty() ? nullptr : parents[0].get<DeclStmt>();
  };
  const auto isBehind = [&](const Stmt &declaration) {
    const std::vector<const IfStmt *> &out = waysOut_[group.stmts.front()],
                                      &in = waysIn_[group.stmts.front()];
    return llvm::any_of(out,
                        [&](const IfStmt *branch) {
                          return contains(parentOf(branch), &declaration) &&
                                 isBefore(*branch, declaration);
                        }) ||
           llvm::any_of(
               in, [&](const IfStmt *branch) { return contains(branch->getThen(), &declaration); });
  };
  std::set<const VarDecl *> seen, found;
  const std::function<void(const Stmt *)> look = [&](const Stmt *stmt) {
    for (const VarDecl *variable : namesIn(stmt)) {
      const Stmt *declaration = variable->isLocalVarDecl() ? declarationOf(*variable) : nullptr;
      if (!declaration || !variable->getInit() || !seen.insert(variable).second ||
          isWithin(declaration, group.stmts) || in_.sampler.changes(variable))
        continue;
      look(variable->getInit());
      const bool isMadeOfSuch = llvm::any_of(namesIn(variable->getInit()),
                                             [&](const VarDecl *its) { return found.count(its); });
      if (isMadeOfSuch || (!touchesOf(variable->getInit()).empty() && isBehind(*declaration)))
        found.insert(variable);
    }
  };
  for (const Stmt *stmt : group.stmts)
    look(stmt);
  return found;
}

// In the order: names, conditions made of them, and what is read.
bool EpilogueFinder::guardReads(const Group &group, EpilogueBody &body) {
  const std::set<const VarDecl *> reads = readBehindWays(group);
  if (reads.empty())
    return true;
  const auto isRead = [&](const AddressFunction::Variable &made) {
    return llvm::any_of(reads, [&](const VarDecl *read) { return read->getName() == made.name; });
  };
  std::vector<std::string> leaves;
  const Expr *last = nullptr;
  for (const bool isWayIn : {true, false})
    for (const IfStmt *branch : (isWayIn ? waysIn_ : waysOut_)[group.stmts.front()]) {
      last = branch->getCond();
      for (const VarDecl *name : namesIn(last))
        if (reads.count(name))
          return refuse("some lanes of a wave may not reach the epilogue: " +
                            in_.texts.spelled(last),
                        last->getSourceRange());
      const auto place = in_.texts.range(last->getSourceRange());
      const std::string text = place ? sourceRange(place->begin, place->end) : "";
      leaves.push_back(isWayIn ? "!(" + text + ")" : text);
    }
  const std::string text =
      leaves.size() == 1 ? leaves[0] : "(" + llvm::join(leaves, ") || (") + ")";
  for (EpilogueBody::Rebound *rebound : {&body.forThread, &body.forLane}) {
    if (!rebound->problem.empty())
      continue;
    std::vector<AddressFunction::Variable> &made = rebound->names.variables;
    const bool areAllMade = llvm::all_of(reads, [&](const VarDecl *read) {
      return llvm::count_if(made, [&](const auto &its) { return its.name == read->getName(); }) ==
                 1 &&
             !llvm::is_contained(rebound->names.fetched, read->getName());
    });
    if (!areAllMade || llvm::any_of(made, [](const auto &its) { return its.name.empty(); }))
      return refuse("some lanes of a wave may not reach the epilogue: " + in_.texts.spelled(last),
                    last->getSourceRange());
    const auto first = std::stable_partition(made.begin(), made.end(),
                                             [&](const auto &its) { return !isRead(its); });
    made.insert(first, {"", "", "if (" + text + ") return;"});
  }
  readsBehind_[out_.bodies.size()] = reads;
  return true;
}

// Their declarations go: nobody else names them.
void EpilogueFinder::dropReads() {
  std::set<const VarDecl *> all;
  for (const auto &[number, reads] : readsBehind_)
    all.insert(reads.begin(), reads.end());
  std::set<const DeclStmt *> declarations;
  for (const VarDecl *read : all)
    if (const auto parents = in_.context.getParents(*read); !parents.empty())
      declarations.insert(parents[0].get<DeclStmt>());
  const auto isInDeclaration = [&](const DeclRefExpr *name) {
    return llvm::any_of(declarations, [&](const auto *its) { return contains(its, name); });
  };
  const auto isMadeForBody = [&](const DeclRefExpr *name, const VarDecl *read) {
    for (size_t i = 0; i < bodyStmts_.size(); ++i)
      if (isWithin(name, bodyStmts_[i]))
        return readsBehind_.count(i) && readsBehind_.at(i).count(read) != 0;
    return false;
  };
  const std::vector<RegisterAccess> none;
  for (const DeclStmt *declaration : declarations) {
    bool isOnlyTheirs = declaration && isAtHome(declaration);
    for (const Decl *decl : isOnlyTheirs ? declaration->getDeclGroup() : DeclGroupRef()) {
      const auto *read = dyn_cast<VarDecl>(decl);
      isOnlyTheirs &= read && all.count(read);
      for (const Stmt *body : bodies())
        for (const DeclRefExpr *name : mentionsIn(body))
          isOnlyTheirs &=
              name->getDecl() != read || isInDeclaration(name) || isMadeForBody(name, read);
    }
    if (isOnlyTheirs && RowMerger(in_.context, in_.texts, none, in_.isPacked, "", {})
                            .drop(declaration, out_.bodies[0].edits))
      dropped_.insert(declaration);
  }
}

// What it guards stands by itself from now on: `if (...)` goes, with its line where nothing else
// stands there.
bool EpilogueFinder::takeBranch(const IfStmt &branch, EpilogueBody &body) {
  if (!opened_.insert(&branch).second)
    return true;
  auto head = in_.texts.range({branch.getIfLoc(), branch.getRParenLoc()});
  if (!head)
    return refuse("the epilogue is written by a macro", branch.getSourceRange());
  const Around around(in_.context, {branch.getIfLoc(), branch.getRParenLoc()}, *head);
  const TextRange lines = around.withLines();
  const bool isLine = !(lines == *head);
  const StringRef rest = around.behind().ltrim(" \t\r");
  const unsigned blanks = static_cast<unsigned>(around.behind().size() - rest.size());
  body.edits.push_back(
      {isLine ? lines : TextRange{head->file, head->begin, head->end + blanks}, ""});
  return true;
}

// Of the first statement in the group's block.
std::string EpilogueFinder::indentOf(const Group &group) const {
  const SourceManager &sm = in_.context.getSourceManager();
  const Stmt *first = group.stmts.front();
  if (const auto *block = dyn_cast<CompoundStmt>(first); block && !block->body_empty())
    first = block->body_front();
  const SourceLocation at = sm.getExpansionLoc(first->getBeginLoc());
  const StringRef text = sm.getBufferData(sm.getFileID(at));
  const size_t line = text.rfind('\n', sm.getFileOffset(at)) + 1; // npos + 1 is 0
  return text.substr(line).take_while([](char c) { return c == ' ' || c == '\t'; }).str();
}

// All that stands behind a way out, up to what it leaves.
void EpilogueFinder::checkWaysOut() {
  dropReads();
  for (const IfStmt *branch : opened_)
    if (!onlyBodies(branch->getThen()))
      return void(refuse("some lanes of a wave may not reach the epilogue: " +
                             in_.texts.spelled(branch->getCond()),
                         branch->getSourceRange()));
  for (const IfStmt *branch : gone_) {
    bool isBehind = false;
    for (const Stmt *stmt : cast<CompoundStmt>(parentOf(branch))->body()) {
      if (isBehind && !onlyBodies(stmt))
        return void(refuse("some lanes of a wave may not reach the epilogue: " +
                               in_.texts.spelled(branch->getCond()),
                           branch->getSourceRange()));
      isBehind = isBehind || stmt == branch;
    }
  }
}

bool EpilogueFinder::hasValue(const Expr &expr) const {
  Endless endless(in_.context);
  endless.TraverseStmt(const_cast<Expr *>(&expr));
  return !endless.any;
}

bool EpilogueFinder::onlyBodies(const Stmt *stmt) {
  if (!stmt || isa<NullStmt>(stmt) || gone_.count(dyn_cast<IfStmt>(stmt)) ||
      llvm::any_of(bodyStmts_, [&](const auto &stmts) { return isWithin(stmt, stmts); }))
    return true;
  const auto isQuiet = [&](const Expr *value) {
    return !value || (isPure(*value) && touchesOf(value).empty());
  };
  if (isa<CompoundStmt, AttributedStmt>(stmt))
    return llvm::all_of(stmt->children(), [&](const Stmt *child) { return onlyBodies(child); });
  if (const auto *declarations = dyn_cast<DeclStmt>(stmt))
    return dropped_.count(declarations) ||
           llvm::all_of(declarations->decls(), [&](const Decl *decl) {
             const auto *variable = dyn_cast<VarDecl>(decl);
             return variable && isQuiet(variable->getInit()) &&
                    (!variable->getInit() || hasValue(*variable->getInit()));
           });
  if (const auto *loop = dyn_cast<ForStmt>(stmt))
    return plainCounter(loop, in_.context) && isQuiet(loop->getCond()) &&
           onlyBodies(loop->getBody());
  const auto *branch = dyn_cast<IfStmt>(stmt);
  return branch && !branch->getInit() && !branch->getConditionVariable() &&
         isQuiet(branch->getCond()) && onlyBodies(branch->getThen()) &&
         onlyBodies(branch->getElse());
}

} // namespace layout_port::native
