// What an epilogue names must be the same for all lanes or be computed from the lane: another lane
// than CUDA's runs its statements. What lives in registers, or is made from such, is refused.
#include "native/EpilogueFinder.h"

#include "native/AstRead.h"
#include "native/FragmentName.h"
#include "native/MergeRows.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/DynamicRecursiveASTVisitor.h"
#include "clang/AST/ExprCXX.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace layout_port::native {

// ---- what statements name

std::set<const VarDecl *> EpilogueFinder::declared(const std::vector<const Stmt *> &stmts) {
  class Declarations : public DynamicRecursiveASTVisitor {
  public:
    bool VisitVarDecl(VarDecl *variable) override {
      all.insert(variable);
      return true;
    }
    std::set<const VarDecl *> all;
  };
  Declarations declarations;
  for (const Stmt *stmt : stmts)
    declarations.TraverseStmt(const_cast<Stmt *>(stmt));
  return declarations.all;
}

void EpilogueFinder::addMakers(const Expr *value, std::set<const VarDecl *> &made) {
  for (const VarDecl *variable : namesIn(value))
    if (made.insert(variable).second)
      for (const Expr *from : values_[variable])
        addMakers(from, made);
}

// A value that another lane may not have: it lives in registers, or was made from such.
bool EpilogueFinder::isOfRegisters(const VarDecl *variable) {
  const auto [known, isNew] = ofRegisters_.try_emplace(variable, false);
  if (!isNew)
    return known->second;
  const bool isMade = isMadeAgain(*variable);
  bool is = (isRegisters(variable) && !isAlikeRecord(*variable) && !isMade) ||
            rows_.holds(variable) ||
            (lent_.count(variable) && variable->isLocalVarDecl() &&
             !in_.sampler.isReadLane(variable) && !isMade);
  for (const Expr *value : values_[variable])
    for (const VarDecl *input : namesIn(value))
      is = is || (input != variable && isOfRegisters(input));
  return ofRegisters_[variable] = is;
}

// An object or list that its declaration makes, or statements behind it, and nothing else changes:
// made for another lane like a number, from what is looked at by itself.
bool EpilogueFinder::isMadeAgain(const VarDecl &variable) const {
  if (heldBy(variable))
    return false;
  if (in_.sampler.isMadeByStatements(variable))
    return true;
  return variable.isLocalVarDecl() && variable.getInit() &&
         !variable.getType()->isReferenceType() && !lent_.count(&variable) &&
         in_.sampler.changesOf(&variable).empty() && !in_.sampler.changesUnseen(&variable);
}

// Everything that the statements name, but for their own variables and the accumulator,
// is the same for all lanes or computed from the lane.
bool EpilogueFinder::bound(const Group &group) {
  const std::set<const VarDecl *> own = declared(group.stmts);
  for (const Stmt *stmt : group.stmts)
    for (const DeclRefExpr *name : mentionsIn(stmt)) {
      const auto *variable = cast<VarDecl>(name->getDecl());
      if (own.count(variable) || isAccumulator(*name) || viewNamed(*name) || isSum(variable) ||
          isCalledLambda(*name) || isAlikeObject(*variable))
        continue;
      if (storingCallOf(*name))
        return refuse(whyNotAlike(*variable), name->getSourceRange());
      const bool isRow = rows_.holds(variable) || rowLocals_.count(variable);
      if (isRow && !group.isRow && !isEvenInQuads(variable, group))
        return refuse("the lanes of a quad may have different values of '" +
                          variable->getNameAsString() + "'",
                      stmt->getSourceRange());
      if (isOfRegisters(variable) && !isRow)
        return refuse("'" + variable->getNameAsString() + std::string("' ") + kOfLane,
                      stmt->getSourceRange());
    }
  // Nothing declared in between may be used behind.
  if (isa<ForStmt>(group.holder))
    return true;
  for (const VarDecl *variable : own)
    if (usedBehind(variable, group))
      return refuse("'" + variable->getNameAsString() + "' is used behind the epilogue",
                    variable->getSourceRange());
  return true;
}

bool EpilogueFinder::usedBehind(const VarDecl *variable, const Group &group) {
  class Mentions : public DynamicRecursiveASTVisitor {
  public:
    explicit Mentions(const VarDecl *variable) : variable_(variable) {}
    bool VisitDeclRefExpr(DeclRefExpr *name) override {
      if (name->getDecl() == variable_)
        all.push_back(name);
      return true;
    }
    std::vector<const DeclRefExpr *> all;

  private:
    const VarDecl *variable_;
  };
  Mentions mentions(variable);
  mentions.TraverseStmt(home().getBody());
  return llvm::any_of(mentions.all, [&](const DeclRefExpr *name) {
    return llvm::none_of(group.stmts, [&](const Stmt *s) { return contains(s, name); });
  });
}

// ---- lambdas and objects

// store(...), of a lambda: what it does is looked at where it is called.
bool EpilogueFinder::isCalledLambda(const DeclRefExpr &name) const {
  const auto *record = name.getType()->getAsCXXRecordDecl();
  const Stmt *user = &name;
  do
    user = parentOf(user);
  while (isa_and_nonnull<ImplicitCastExpr, ParenExpr>(user));
  const auto *call = dyn_cast_or_null<CXXOperatorCallExpr>(user);
  return record && record->isLambda() && call && call->getOperator() == OO_Call &&
         storingFunction(*call) && bare(call->getArg(0)) == &name;
}

// epi(row, col, x) or epi.store(row, col, x).
const CallExpr *EpilogueFinder::storingCallOf(const DeclRefExpr &name) const {
  const CallExpr *call = methodCallOf(name);
  return call && storingFunction(*call) ? call : nullptr;
}

// act(x), of a const method that is in view.
bool EpilogueFinder::computesBy(const DeclRefExpr &name) const {
  const CallExpr *call = methodCallOf(name);
  const auto *method = call ? dyn_cast<CXXMethodDecl>(call->getDirectCallee()) : nullptr;
  return method && method->isConst() && !method->isVirtual() && givesValue(*method) &&
         method->getDefinition() && method->getDefinition()->hasBody();
}

const CallExpr *EpilogueFinder::methodCallOf(const DeclRefExpr &name) const {
  const Stmt *user = &name;
  do
    user = parentOf(user);
  while (isa_and_nonnull<ImplicitCastExpr, ParenExpr>(user));
  if (const auto *method = dyn_cast_or_null<MemberExpr>(user);
      method && isa<CXXMethodDecl>(method->getMemberDecl()))
    user = parentOf(method);
  const auto *call = dyn_cast_or_null<CallExpr>(user);
  return call && objectOf(*call) == name.getDecl() ? call : nullptr;
}

// An object of a struct that all threads have alike: it is made of what they have alike, and
// nothing changes it.
bool EpilogueFinder::isAlikeObject(const VarDecl &variable) {
  return whyNotAlike(variable).empty();
}

std::string EpilogueFinder::whyNotAlike(const VarDecl &variable) {
  const std::string name = "'" + variable.getNameAsString() + "' ";
  if (const Expr *argument = argumentFor(variable)) { // a parameter is what the call says
    const auto *given = dyn_cast<DeclRefExpr>(bare(throughCopies(argument)));
    const auto *its = given ? dyn_cast<VarDecl>(given->getDecl()) : nullptr;
    const std::string why = its ? whyNotAlike(*its) : name + kOfLane;
    return why.empty() ? whyNotLeft(variable) : why;
  }
  const bool isOfKernel =
      isa<ParmVarDecl>(variable)
          ? variable.getDeclContext() == &in_.kernel
          : variable.isLocalVarDecl() && variable.hasLocalStorage() && variable.getInit();
  if (!variable.getType()->isRecordType() || !isOfKernel)
    return name + kOfLane;
  if (variable.getInit() && in_.sampler.dependsOnThread(variable.getInit()))
    return name + "is made of what each thread has for itself";
  std::set<const VarDecl *> made;
  if (variable.getInit())
    addMakers(variable.getInit(), made);
  const auto isHeld = [&](const VarDecl *input) { return isOfRegisters(input) || heldBy(*input); };
  if (llvm::any_of(made, isHeld))
    return name + kOfLane;
  const std::string why = whyNotLeft(variable);
  return why.empty() && in_.sampler.dependsOnThread(&variable) ? name + "may be changed" : why;
}

// Its methods are called that are const, and its members are read: nothing else is done with it.
std::string EpilogueFinder::whyNotLeft(const VarDecl &variable) const {
  const std::string name = "'" + variable.getNameAsString() + "' ";
  class Uses : public DynamicRecursiveASTVisitor {
  public:
    explicit Uses(const VarDecl &object) : object_(object) {}
    bool VisitDeclRefExpr(DeclRefExpr *name) override {
      if (name->getDecl() == &object_)
        all.push_back(name);
      return true;
    }
    std::vector<const DeclRefExpr *> all;

  private:
    const VarDecl &object_;
  };
  Uses uses(variable);
  for (const Stmt *body : bodies())
    uses.TraverseStmt(const_cast<Stmt *>(body));
  for (const DeclRefExpr *use : uses.all)
    if (const CallExpr *call = storingCallOf(*use);
        call && !cast<CXXMethodDecl>(call->getDirectCallee())->isConst())
      return name + "may be changed by a method that is not const";
    else if (!call && !isMemberRead(*use) && !computesBy(*use) &&
             !(in_.in && !isAtHome(use) && contains(in_.in->call, use)))
      return name + "may be changed";
  return "";
}

// epi.alpha, where it is read.
bool EpilogueFinder::isMemberRead(const DeclRefExpr &name) const {
  const auto *member = dyn_cast_or_null<MemberExpr>(userOf(&name));
  const auto *cast = member ? dyn_cast_or_null<ImplicitCastExpr>(userOf(member)) : nullptr;
  return cast && cast->getCastKind() == CK_LValueToRValue;
}

// ---- accumulators

const EpilogueFinder::Accumulator *EpilogueFinder::isAccumulator(const Expr &name) const {
  const auto *reference = dyn_cast<DeclRefExpr>(&name);
  const auto *variable = reference ? dyn_cast<VarDecl>(reference->getDecl()) : nullptr;
  const FieldDecl *part = variable ? partNamed(*reference, in_.context) : nullptr;
  if (const VarDecl *handed = variable ? handedTo(variable) : nullptr)
    variable = handed;
  if (const auto *member = dyn_cast<MemberExpr>(&name);
      member && isa<CXXThisExpr>(bare(member->getBase()))) {
    variable = handedTo(nullptr);
    part = dyn_cast<FieldDecl>(member->getMemberDecl());
  }
  return variable ? accumulatorWith([&](const Accumulator &accumulator) {
    return fragmentOf(*variable, part) == accumulator.declaration;
  })
                  : nullptr;
}

// ... or the variable that it is a part of.
const EpilogueFinder::Accumulator *EpilogueFinder::mayBeAccumulator(const Expr &name) const {
  const auto *reference = dyn_cast<DeclRefExpr>(&name);
  const auto *variable = reference ? dyn_cast<VarDecl>(reference->getDecl()) : nullptr;
  if (const Accumulator *known = isAccumulator(name); known || !variable)
    return known;
  return partNamed(*reference, in_.context) ? nullptr : heldBy(*variable);
}

// The variable is an accumulator, or has one as a part.
const EpilogueFinder::Accumulator *EpilogueFinder::heldBy(const VarDecl &variable) const {
  const VarDecl *handed = handedTo(&variable);
  return accumulatorWith([&](const Accumulator &accumulator) {
    return isFragmentOf(handed ? *handed : variable, accumulator.declaration);
  });
}

const EpilogueFinder::Accumulator *
EpilogueFinder::accumulatorWith(llvm::function_ref<bool(const Accumulator &)> is) const {
  const auto known = llvm::find_if(in_.accumulators, is);
  return known == in_.accumulators.end() ? nullptr : &*known;
}

} // namespace layout_port::native
