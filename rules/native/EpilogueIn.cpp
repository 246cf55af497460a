// An epilogue that is a function of the author's: the kernel hands it all of its sums, or calls it
// of the object that has them.
//
//   struct Gemm {                                         Gemm g;
//     float acc[2][4][4];                                 ...
//     void store(float *C, int N) const {       ◀──────   g.store(C, N);
//       for (i..) for (j..) C[row * N + col] = acc[i][j][0];
//
// Its statements stand where the function is called, for all that is asked of the kernel: what is
// above them in the text ends with the function's body, and goes on with the call.
#include "native/EpilogueFinder.h"

#include "native/FragmentName.h"
#include "native/MergeRows.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/ExprCXX.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace layout_port::native {

namespace {

// acc of this->acc.
class OwnMembers : public DynamicRecursiveASTVisitor {
public:
  bool VisitMemberExpr(MemberExpr *member) override {
    if (isa<CXXThisExpr>(bare(member->getBase())))
      all.push_back(member);
    return true;
  }
  std::vector<const MemberExpr *> all;
};

} // namespace

// ---- where it stands

bool EpilogueFinder::isAtHome(const Stmt *stmt) const {
  return !in_.in || contains(in_.in->function->getBody(), stmt);
}

const Stmt *EpilogueFinder::placeOf(const Stmt *stmt) const {
  return in_.in && isAtHome(stmt) ? in_.in->call : stmt;
}

void EpilogueFinder::noteParents(const Stmt &stmt) {
  for (const Stmt *child : stmt.children())
    if (child && parents_.try_emplace(child, &stmt).second)
      noteParents(*child);
}

// None above the function's body, whose names mean nothing in the kernel.
const Stmt *EpilogueFinder::parentAtHome(const Stmt *stmt) const {
  return in_.in && stmt == in_.in->function->getBody() ? nullptr : parentOf(stmt);
}

std::vector<const Stmt *> EpilogueFinder::bodies() const {
  std::vector<const Stmt *> all = {in_.kernel.getBody()};
  if (in_.in)
    all.push_back(in_.in->function->getBody());
  return all;
}

// In a call that is handed these sums in place of this one, by the other arm of a branch.
bool EpilogueFinder::isInCalled(const Stmt *stmt) const {
  return llvm::any_of(in_.calls, [&](const EpilogueCall &each) {
    return in_.in && contains(each.call, stmt) && excludeEachOther(*each.call, *in_.in->call) &&
           llvm::any_of(each.handed, [&](const auto &handed) {
             return accumulatorWith([&](const Accumulator &accumulator) {
                      return isFragmentOf(*handed.second, accumulator.declaration);
                    }) != nullptr;
           });
  });
}

// ---- what it is handed

// The kernel's variable; null: this one is handed a value, or is no parameter.
const VarDecl *EpilogueFinder::handedTo(const VarDecl *parameter) const {
  if (!in_.in)
    return nullptr;
  const auto known = in_.in->handed.find(dyn_cast_or_null<ParmVarDecl>(parameter));
  return known == in_.in->handed.end() || (parameter && !isa<ParmVarDecl>(parameter))
             ? nullptr
             : known->second;
}

const Expr *EpilogueFinder::argumentFor(const VarDecl &variable) const {
  const auto *parameter = dyn_cast<ParmVarDecl>(&variable);
  return in_.in && parameter && parameter->getDeclContext() == in_.in->function
             ? argumentOf(*in_.in->call, parameter->getFunctionScopeIndex())
             : nullptr;
}

std::vector<const Expr *> EpilogueFinder::tilesIn(const Stmt *stmt) const {
  std::vector<const Expr *> all;
  for (const DeclRefExpr *name : mentionsIn(stmt))
    if (namesTile(*name))
      all.push_back(name);
  OwnMembers members;
  if (handedTo(nullptr))
    members.TraverseStmt(const_cast<Stmt *>(stmt));
  for (const MemberExpr *member : members.all)
    if (mayBeAccumulator(*member))
      all.push_back(member);
  return all;
}

// ---- the memory that it gets at

// By the variable that the kernel leads there.
Touch EpilogueFinder::seenFromKernel(Touch touch) const {
  const VarDecl *object = handedTo(nullptr);
  if (!touch.root && touch.place && object && isPartOfThis(touch.place))
    touch.root = object;
  else
    touch.root = rootSeenFrom(*in_.in->call, *in_.in->function, touch);
  return touch;
}

std::vector<Touch> EpilogueFinder::touchesAt(const Stmt *stmt) const {
  std::vector<Touch> touches = touchesOf(stmt);
  if (in_.in && isAtHome(stmt))
    for (Touch &touch : touches)
      touch = seenFromKernel(touch);
  return touches;
}

} // namespace layout_port::native
