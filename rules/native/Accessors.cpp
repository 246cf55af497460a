#include "native/Accessors.h"

#include "native/AstRead.h"
#include "native/UserTree.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/DynamicRecursiveASTVisitor.h"
#include "clang/AST/ExprCXX.h"
#include "llvm/ADT/STLExtras.h"

#include <optional>

using namespace clang;

namespace layout_port::native {

namespace {

// What a function returns: this->a[p].b[q], from the object outwards. A step is a member, or an
// index that is one of its parameters.
struct Step {
  FieldDecl *member = nullptr;
  unsigned parameter = 0;
};
using Path = std::vector<Step>;

bool addSteps(const Expr *place, Path &path) {
  place = place->IgnoreParenImpCasts();
  if (isa<CXXThisExpr>(place))
    return true;
  if (const auto *member = dyn_cast<MemberExpr>(place)) {
    auto *field = dyn_cast<FieldDecl>(member->getMemberDecl());
    const QualType object = member->getBase()->IgnoreParenImpCasts()->getType();
    const QualType of = object->isPointerType() ? object->getPointeeType() : object;
    const bool isOwn = field && of->getAsCXXRecordDecl() == field->getParent(); // not of a base
    if (!isOwn || field->isBitField() || field->getType()->isReferenceType() ||
        !addSteps(member->getBase(), path))
      return false;
    path.push_back({field, 0});
    return true;
  }
  const auto *access = dyn_cast<ArraySubscriptExpr>(place);
  const auto *index = access ? dyn_cast<DeclRefExpr>(stripped(access->getIdx())) : nullptr;
  const auto *parameter = index ? dyn_cast<ParmVarDecl>(index->getDecl()) : nullptr;
  if (!parameter || !access->getBase()->IgnoreParenImpCasts()->getType()->isArrayType() ||
      !addSteps(access->getBase(), path))
    return false;
  path.push_back({nullptr, parameter->getFunctionScopeIndex()});
  return true;
}

// Every parameter is an index, once: what stands there is evaluated once, as in the call.
bool usesEachOnce(const Path &path, const FunctionDecl &function) {
  std::vector<unsigned> used;
  for (const Step &step : path)
    if (!step.member)
      used.push_back(step.parameter);
  llvm::sort(used);
  return used.size() == function.getNumParams() &&
         llvm::equal(used, llvm::seq(0u, function.getNumParams())) &&
         llvm::all_of(function.parameters(), [](const ParmVarDecl *parameter) {
           return parameter->getType()->isIntegralOrEnumerationType();
         });
}

// Of a function that does nothing but return that place.
std::optional<Path> pathOf(const FunctionDecl &callee) {
  const auto *method = dyn_cast_or_null<CXXMethodDecl>(callee.getDefinition());
  if (!method || !method->isInstance() || method->isVirtual() || method->isDependentContext())
    return std::nullopt;
  const auto *body = dyn_cast_or_null<CompoundStmt>(method->getBody());
  const auto *leave =
      body && body->size() == 1 ? dyn_cast<ReturnStmt>(body->body_front()) : nullptr;
  Path path;
  if (!leave || !leave->getRetValue() || !addSteps(leave->getRetValue(), path) || path.empty() ||
      !usesEachOnce(path, *method))
    return std::nullopt;
  return path;
}

class Opener {
public:
  explicit Opener(ASTContext &context) : context_(context) {}

  void open(Stmt *below) {
    for (Stmt *&child : below->children()) {
      if (!child)
        continue;
      open(child);
      if (auto *call = dyn_cast<CallExpr>(child))
        if (Expr *element = elementFor(*call))
          child = element;
    }
  }

private:
  Expr *elementFor(CallExpr &call) {
    const FunctionDecl *callee = call.getDirectCallee();
    const auto path = callee ? pathOf(*callee) : std::nullopt;
    auto *method = dyn_cast<CXXMemberCallExpr>(&call);
    const bool isOperator = isa<CXXOperatorCallExpr>(call);
    if (!path || (!method && !isOperator))
      return nullptr;
    Expr *place = isOperator ? call.getArg(0) : method->getImplicitObjectArgument();
    if (auto *self = dyn_cast<UnaryOperator>(place->IgnoreParenImpCasts());
        self && self->getOpcode() == UO_Deref && isa<CXXThisExpr>(self->getSubExpr()))
      place = self->getSubExpr();
    if (!place->getType()->isPointerType() && !place->isLValue())
      return nullptr; // a temporary
    for (const Step &step : *path)
      place = step.member ? member(place, *step.member, call.getRParenLoc())
                          : element(place, call.getArg(step.parameter + (isOperator ? 1 : 0)),
                                    call.getRParenLoc());
    const QualType returned = callee->getReturnType();
    if (place->getType()->isArrayType())
      place = decayed(place);
    else if (!returned->isReferenceType() && place->getType()->isScalarType())
      place = read(place);
    // Else it is a copy, or another value.
    const bool isSame =
        place->isLValue() == returned->isReferenceType() &&
        context_.hasSameUnqualifiedType(place->getType(), returned.getNonReferenceType());
    return isSame ? place : nullptr;
  }
  // Its text ends with the call.
  Expr *member(Expr *object, FieldDecl &field, SourceLocation end) {
    const bool isArrow = object->getType()->isPointerType();
    const QualType of = isArrow ? object->getType()->getPointeeType() : object->getType();
    QualType type = field.getType();
    if (of.isConstQualified() && !field.isMutable())
      type = type.withConst();
    return MemberExpr::Create(context_, object, isArrow, {}, {}, {}, &field,
                              DeclAccessPair::make(&field, field.getAccess()),
                              {field.getDeclName(), end}, nullptr, type, VK_LValue, OK_Ordinary,
                              NOUR_None);
  }
  Expr *element(Expr *array, Expr *index, SourceLocation end) {
    const QualType type = context_.getAsArrayType(array->getType())->getElementType();
    return new (context_)
        ArraySubscriptExpr(decayed(array), index, type, VK_LValue, OK_Ordinary, end);
  }
  Expr *decayed(Expr *array) {
    return ImplicitCastExpr::Create(context_, context_.getArrayDecayedType(array->getType()),
                                    CK_ArrayToPointerDecay, array, nullptr, VK_PRValue, {});
  }
  Expr *read(Expr *place) {
    return ImplicitCastExpr::Create(context_, place->getType().getUnqualifiedType(),
                                    CK_LValueToRValue, place, nullptr, VK_PRValue, {});
  }
  ASTContext &context_;
};

class Bodies : public DynamicRecursiveASTVisitor {
public:
  explicit Bodies(ASTContext &context) : opener_(context) {}
  bool VisitFunctionDecl(FunctionDecl *function) override {
    if (function->doesThisDeclarationHaveABody() && !function->isDependentContext())
      opener_.open(function->getBody());
    return true;
  }

private:
  Opener opener_;
};

} // namespace

void openAccessors(ASTContext &context) {
  Bodies bodies(context);
  changeUserTree(context, bodies);
}

} // namespace layout_port::native
