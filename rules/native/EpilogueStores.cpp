// An epilogue only stores, and does not see what it stores: other lanes write, in another order. Up
// to the next barrier, what is read is the very element that is written, or lies elsewhere:
//
//   C[i] = beta * C[i] + acc[0];      may be
//   C[i] = acc[0] + C[i + 1];         may not: another lane may have written it, or not yet
#include "native/EpilogueFinder.h"

#include "native/AstRead.h"
#include "native/MergeRows.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/ExprCXX.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace layout_port::native {

namespace {

bool isBarrier(const Stmt *stmt) {
  const auto *expr = dyn_cast<Expr>(stmt);
  const auto *call = expr ? dyn_cast<CallExpr>(bare(expr)) : nullptr;
  return call && native::isBarrier(cudaName(call->getDirectCallee()));
}

// What a method does to a member of its object, which is a variable of the thread's own.
bool isInOwnObject(const Touch &touch) {
  const VarDecl *object =
      touch.call && touch.place && isPartOfThis(touch.place) ? objectOf(*touch.call) : nullptr;
  return object && isRegisters(object) && !object->getType()->isReferenceType();
}

std::string nameOf(const Touch &touch) {
  const std::string member = touch.member ? "." + touch.member->getNameAsString() : "";
  return touch.root ? touch.root->getNameAsString() + member : "memory";
}

} // namespace

bool EpilogueFinder::onlyStores(const Group &group) {
  std::vector<Touch> touches;
  for (const Stmt *stmt : group.stmts) {
    if (!plainStatements(stmt, group))
      return false;
    Touches visitor;
    visitor.TraverseStmt(const_cast<Stmt *>(stmt));
    for (const Expr *target : visitor.variables)
      if (!isCounter(target, stmt) && (group.isRow || !isSum(target)) &&
          !mayChange(target, stmt, group) && !isWalk(*target))
        return refuse("'" + in_.texts.spelled(target) + "' is changed in the epilogue",
                      target->getSourceRange());
    for (const Touch &touch : touchesAt(stmt))
      if (touch.root && llvm::is_contained(group.prefix, stmt) &&
          mayChange(touch.place, stmt, group))
        continue;
      else if (touch.root && touch.isWrite && rows_.holds(touch.root))
        return refuse("'" + touch.root->getNameAsString() + "' is changed in the epilogue",
                      touch.place->getSourceRange());
      else if (!touch.root || !heldBy(*touch.root))
        touches.push_back(touch);
      else if (touch.isWrite && !isElement(touch.place))
        return refuse("'" + touch.root->getNameAsString() + "' is changed in the epilogue",
                      touch.place->getSourceRange());
  }
  for (const Touch &write : touches)
    for (const Touch &read : touches)
      if (write.isWrite && read.isRead && !maySee(read, write, group, touches))
        return false;
  return isWrittenOnce(group, touches) && notReadBehind(group, touches);
}

// One register of the accumulator, in a body of its tile: whoever has it may change it.
bool EpilogueFinder::isElement(const Expr *place) const {
  return llvm::any_of(groups_, [&](const Group &group) {
    return llvm::any_of(group.accesses, [&](const RegisterAccess &access) {
      return access.expr == place && access.index && access.bytes == bytesOf(place);
    });
  });
}

bool EpilogueFinder::changesElements(const Group &group) const {
  return llvm::any_of(group.stmts, [&](const Stmt *stmt) {
    return llvm::any_of(touchesAt(stmt), [&](const Touch &touch) {
      return touch.isWrite && touch.place && isElement(touch.place);
    });
  });
}

// What is read is the element itself, or lies elsewhere than what is written.
bool EpilogueFinder::maySee(const Touch &read, const Touch &write, const Group &group,
                            const std::vector<Touch> &touches) {
  const bool isOwn = isOwnElement(read, touches);
  for (const Touch &other : touches)
    if (isOwn && !read.isWrite && isSameElement(read, other) && !isOfSameRow(read, other, group))
      return refuse("'" + nameOf(read) +
                        "' is read for one row of a tile where the other's element is written",
                    read.anchor()->getSourceRange());
  if (isOwn && in_.sampler.isMirrored())
    return refuse("'" + nameOf(read) +
                      "' is changed from what it was, which the other half of "
                      "a padded block would do again",
                  read.anchor()->getSourceRange());
  const bool mayMeet = !isOwn && !apart(write, read);
  if (mayMeet && !read.root)
    return refuse("the epilogue may read what it writes, by a pointer that is not followed",
                  read.anchor()->getSourceRange());
  if (mayMeet)
    return refuse("'" + nameOf(read) +
                      "' may be the memory that the epilogue writes; "
                      "'// layout-port: noalias(" +
                      nameOf(read) + ")' would tell",
                  read.anchor()->getSourceRange());
  return true;
}

// ---- the same element, of the same row

// C[i] = beta * C[i] + ...: what is read is what is written.
bool EpilogueFinder::isOwnElement(const Touch &read, const std::vector<Touch> &touches) const {
  return llvm::any_of(touches, [&](const Touch &write) { return isSameElement(read, write); });
}

bool EpilogueFinder::isSameElement(const Touch &read, const Touch &write) const {
  return write.isWrite && write.place && read.place && write.root && write.isOfSame(read) &&
         write.call == read.call &&
         (sameText(write.place, read.place) || isMemberAt(*read.place, *write.place) ||
          isConstCast(*read.place, *write.place));
}

// *(const float2 *)p  of  *(float2 *)p.
bool EpilogueFinder::isConstCast(const Expr &read, const Expr &written) const {
  const auto castOf = [](const Expr &place) {
    const auto *op = dyn_cast<UnaryOperator>(&place);
    return op && op->getOpcode() == UO_Deref ? dyn_cast<ExplicitCastExpr>(bare(op->getSubExpr()))
                                             : nullptr;
  };
  const ExplicitCastExpr *from = castOf(read), *to = castOf(written);
  return from && to &&
         in_.context.hasSameUnqualifiedType(from->getType()->getPointeeType(),
                                            to->getType()->getPointeeType()) &&
         sameText(bare(from->getSubExpr()), bare(to->getSubExpr()));
}

// p->x of *p.
bool EpilogueFinder::isMemberAt(const Expr &member, const Expr &whole) const {
  const auto *part = dyn_cast<MemberExpr>(&member);
  const auto *op = dyn_cast<UnaryOperator>(&whole);
  return part && part->isArrow() && op && op->getOpcode() == UO_Deref &&
         sameText(bare(part->getBase()), bare(op->getSubExpr()));
}

// One statement reads and writes; or nothing that comes of what is read is of another row than
// the one that is written, as rows r and r + 8 are two lanes' now:
//
//   C[i] = acc[0];  C[i + 8 * N] = acc[2] + C[i];     the second lane may be first
bool EpilogueFinder::isOfSameRow(const Touch &read, const Touch &write, const Group &group) {
  const Stmt *reads = statementOf(*read.anchor()), *writes = statementOf(*write.anchor());
  if (read.call && rowsMadeOf(*reads, group) == 3) // both rows are the function's
    return statementOf(*read.place) == statementOf(*write.place);
  if (reads == writes || group.isRow)
    return true;
  const unsigned row = rowsMadeOf(*writes, group);
  const ForStmt *loop = loopWithin(*writes, group);
  return llvm::all_of(usesOf(*read.anchor(), group), [&](const Stmt *use) {
    const unsigned rows = rowsMadeOf(*use, group);
    return rows == 0 || row == 0 ||
           (rows == row && (row != 3 || (loop && loopWithin(*use, group) == loop)));
  });
}

// The statement that an expression stands in; where it gives a variable of the group's own its
// value, those that mention the variable.
std::vector<const Stmt *> EpilogueFinder::usesOf(const Stmt &inner, const Group &group) {
  std::vector<const Stmt *> uses;
  std::vector<const Stmt *> next = {&inner};
  std::set<const VarDecl *> followed;
  for (size_t i = 0; i < next.size(); ++i) {
    const Stmt *use = statementOf(*next[i]);
    const VarDecl *made = madeBy(*use, *next[i]);
    if (!isa<DeclStmt>(use) && !llvm::is_contained(uses, use))
      uses.push_back(use);
    if (!made || !declared(group.stmts).count(made) || !followed.insert(made).second)
      continue;
    for (const Stmt *stmt : group.stmts)
      for (const DeclRefExpr *name : mentionsIn(stmt))
        if (name->getDecl() == made)
          next.push_back(name);
  }
  return uses;
}

// float x = ..inner..; x = ..inner..; x.y += ..inner..
const VarDecl *EpilogueFinder::madeBy(const Stmt &stmt, const Stmt &inner) const {
  if (const auto *declarations = dyn_cast<DeclStmt>(&stmt)) {
    for (const Decl *decl : declarations->decls())
      if (const auto *variable = dyn_cast<VarDecl>(decl);
          variable && variable->getInit() && contains(variable->getInit(), &inner))
        return variable;
    return nullptr;
  }
  const auto *op = dyn_cast<BinaryOperator>(&stmt);
  const auto *overloaded = dyn_cast<CXXOperatorCallExpr>(&stmt);
  if (!(op && op->isAssignmentOp()) && !(overloaded && overloaded->isAssignmentOp()))
    return nullptr;
  const Expr *target = bare(op ? op->getLHS() : overloaded->getArg(0));
  while (const auto *member = dyn_cast<MemberExpr>(target))
    target = bare(member->getBase());
  const auto *name = dyn_cast<DeclRefExpr>(target);
  return name ? dyn_cast<VarDecl>(name->getDecl()) : nullptr;
}

// The statement of a block, or an arm, that an expression stands in.
const Stmt *EpilogueFinder::statementOf(const Stmt &inner) const {
  const Stmt *at = &inner;
  for (const Stmt *up = parentOf(at); up && !isa<CompoundStmt>(up); up = parentOf(at)) {
    const auto *branch = dyn_cast<IfStmt>(up);
    const auto *loop = dyn_cast<ForStmt>(up);
    if ((branch && at != branch->getCond()) || (loop && at == loop->getBody()))
      break;
    at = up;
  }
  return at;
}

// The innermost loop of the group's own around a statement.
const ForStmt *EpilogueFinder::loopWithin(const Stmt &stmt, const Group &group) const {
  for (const Stmt *at = &stmt; at && isWithin(at, group.stmts); at = parentOf(at))
    if (const auto *loop = dyn_cast<ForStmt>(at))
      return loop;
  return nullptr;
}

// The rows whose elements a statement names, itself or in variables of the group's own.
unsigned EpilogueFinder::rowsMadeOf(const Stmt &stmt, const Group &group) {
  RowMerger merger(in_.context, in_.texts, group.accesses, in_.isPacked, "", {});
  for (const Stmt *all : group.stmts)
    merger.rowsOf(all); // knows the loops around
  const std::set<const VarDecl *> own = declared(group.stmts);
  unsigned rows = 0;
  std::vector<const Stmt *> open = {&stmt};
  for (size_t i = 0; i < open.size(); ++i) {
    rows |= merger.rowsOf(open[i]);
    for (const VarDecl *variable : namesIn(open[i]))
      for (const Stmt *makes :
           own.count(variable) ? makersOf(*variable, group) : std::vector<const Stmt *>())
        if (!llvm::is_contained(open, makes))
          open.push_back(makes);
  }
  return rows;
}

// What gives a variable its value.
std::vector<const Stmt *> EpilogueFinder::makersOf(const VarDecl &variable, const Group &group) {
  std::vector<const Stmt *> makers;
  if (variable.getInit())
    makers.push_back(variable.getInit());
  for (const Stmt *stmt : group.stmts)
    for (const DeclRefExpr *name : mentionsIn(stmt))
      if (const Stmt *use = statementOf(*name);
          !isa<DeclStmt>(use) && name->getDecl() == &variable && madeBy(*use, *name) == &variable)
        makers.push_back(use);
  return makers;
}

// ---- apart

// Two places that cannot be one, or that are the very same element.
bool EpilogueFinder::apart(const Touch &write, const Touch &read) {
  const VarDecl *own = read.root;
  if (own && own != write.root && isRegisters(own) && !own->getType()->isReferenceType() &&
      !in_.sampler.changesUnseen(own))
    return true; // no pointer leads to it
  if (write.root && read.root && !write.isOfSame(read)) {
    const bool registers = isRegisters(write.root) || isRegisters(read.root);
    if (leadApart(*write.root, *read.root) || registers || saidApart(read) || saidApart(write))
      return true;
  }
  // Read by several lanes: writing it would be a race in the source.
  return !write.isOfSame(read) && read.place && in_.sampler.isReadByOthers(read.place);
}

bool EpilogueFinder::saidApart(const Touch &touch) {
  if (!in_.isNoAlias(nameOf(touch)))
    return false;
  const std::string said = "nothing else leads to the memory of '" + nameOf(touch) + "'";
  if (!llvm::is_contained(out_.assumptions, said))
    out_.assumptions.push_back(said);
  return true;
}

bool EpilogueFinder::sameText(const Expr *a, const Expr *b) const {
  llvm::FoldingSetNodeID x, y;
  a->Profile(x, in_.context, true);
  b->Profile(y, in_.context, true);
  return x == y;
}

// ---- behind the epilogue

// Up to the next barrier nobody reads what the epilogue wrote: another lane wrote it.
bool EpilogueFinder::notReadBehind(const Group &group, const std::vector<Touch> &touches) {
  const Stmt *inner = group.stmts.back();
  for (const Stmt *at = parentOf(inner); at; inner = at, at = parentOf(at)) {
    const auto *block = dyn_cast<CompoundStmt>(at);
    if (!block) { // in the next turn, if there is one
      if (isa<ForStmt, WhileStmt, DoStmt>(at) && passing(at, group, touches) == Passing::Read)
        return false;
      continue;
    }
    bool behind = false;
    for (const Stmt *stmt : block->body()) {
      const Passing passed = behind ? passing(stmt, group, touches) : Passing::Quiet;
      if (passed != Passing::Quiet)
        return passed == Passing::Barrier;
      behind = behind || stmt == inner;
    }
  }
  return true;
}

EpilogueFinder::Passing EpilogueFinder::passing(const Stmt *stmt, const Group &group,
                                                const std::vector<Touch> &touches) {
  const auto all = [&](llvm::ArrayRef<const Stmt *> stmts) {
    for (const Stmt *part : stmts)
      if (const Passing passed = part ? passing(part, group, touches) : Passing::Quiet;
          passed != Passing::Quiet)
        return passed;
    return Passing::Quiet;
  };
  if (isBarrier(stmt))
    return Passing::Barrier;
  if (const auto *attributed = dyn_cast<AttributedStmt>(stmt))
    return passing(attributed->getSubStmt(), group, touches);
  if (const auto *block = dyn_cast<CompoundStmt>(stmt))
    return all({block->body_begin(), block->body_end()});
  const Passing turn = [&] {
    if (const auto *loop = dyn_cast<ForStmt>(stmt))
      return all({loop->getInit(), loop->getCond(), loop->getBody(), loop->getInc()});
    if (const auto *loop = dyn_cast<WhileStmt>(stmt))
      return all({loop->getCond(), loop->getBody()});
    if (const auto *loop = dyn_cast<DoStmt>(stmt))
      return all({loop->getBody(), loop->getCond()});
    return quiet(stmt, group, touches) ? Passing::Quiet : Passing::Read;
  }();
  return turn == Passing::Read ? turn : Passing::Quiet;
}

bool EpilogueFinder::quiet(const Stmt *stmt, const Group &group,
                           const std::vector<Touch> &touches) {
  for (const Touch &touch : touchesAt(stmt)) {
    const bool own = !touch.place || llvm::any_of(group.stmts, [&](const Stmt *s) {
      return contains(s, touch.anchor());
    });
    const bool isAsked = asksOfWrites_ ? touch.isWrite && !isInBody(touch) : touch.isRead;
    if (own || !isAsked || (touch.root && isRegisters(touch.root)) || isInOwnObject(touch))
      continue;
    for (const Touch &write : touches)
      if (write.isWrite && !apart(write, touch))
        return refuse("'" + nameOf(touch) + "' is " + (asksOfWrites_ ? "written" : "read") +
                          " behind the epilogue without a barrier",
                      touch.anchor()->getSourceRange());
  }
  return true;
}

// Elements of other tiles, which have places of their own.
bool EpilogueFinder::isInBody(const Touch &touch) const {
  return isInCalled(touch.anchor()) || llvm::any_of(groups_, [&](const Group &group) {
           return llvm::any_of(group.stmts,
                               [&](const Stmt *stmt) { return contains(stmt, touch.anchor()); });
         });
}

static bool declaresLambda(const Stmt &stmt) {
  const auto *declaration = dyn_cast<DeclStmt>(&stmt);
  const auto *variable = declaration && declaration->isSingleDecl()
                             ? dyn_cast<VarDecl>(declaration->getSingleDecl())
                             : nullptr;
  return variable && variable->getInit() &&
         isa<LambdaExpr>(variable->getInit()->IgnoreUnlessSpelledInSource());
}

// A thread writes one place twice in its own order; the element may be another lane's now.
void EpilogueFinder::checkOtherWrites() {
  asksOfWrites_ = true;
  for (const Group &group : groups_) {
    std::vector<Touch> touches;
    for (const Stmt *stmt : group.stmts)
      llvm::copy_if(touchesAt(stmt), std::back_inserter(touches),
                    [&](const Touch &touch) { return touch.root && !heldBy(*touch.root); });
    if (!group.stmts.empty() && out_.problem.empty() && notReadBehind(group, touches))
      notWrittenBefore(group, touches);
  }
  asksOfWrites_ = false;
}

bool EpilogueFinder::notWrittenBefore(const Group &group, const std::vector<Touch> &touches) {
  const auto isOfProducts = [&](const Stmt *stmt) {
    if (in_.in && isAtHome(stmt))
      return false;
    const auto at = in_.texts.statement(stmt->getSourceRange());
    return !at || llvm::any_of(in_.accumulators, [&](const EpilogueInput::Accumulator &known) {
      return at->begin < known.region.end;
    });
  };
  const Stmt *inner = group.stmts.front();
  for (const Stmt *at = parentOf(inner); at; inner = at, at = parentOf(at)) {
    const auto *block = dyn_cast<CompoundStmt>(at);
    if (!block)
      continue;
    const auto begin = llvm::find(block->body(), inner);
    for (const Stmt *stmt : llvm::reverse(llvm::make_range(block->body_begin(), begin))) {
      if (isBarrier(stmt) || isOfProducts(stmt))
        return true;
      if (declaresLambda(*stmt)) // it writes where it is called
        continue;
      for (const Touch &first : touchesAt(stmt)) {
        if (!first.place || !first.isWrite || isInBody(first) || isInOwnObject(first) ||
            (first.root && isRegisters(first.root)))
          continue;
        for (const Touch &write : touches)
          if (write.isWrite && !apart(write, first))
            return refuse("'" + nameOf(first) +
                              "' is written before the epilogue without a barrier",
                          first.anchor()->getSourceRange());
      }
    }
  }
  return true;
}

} // namespace layout_port::native
