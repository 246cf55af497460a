#include "frontend/HostConstants.h"

#include "clang/AST/DynamicRecursiveASTVisitor.h"
#include "clang/AST/ExprCXX.h"

using namespace clang;

namespace layout_port {

namespace {

// The variable whose memory `expr` names: v, v.x, v[i].
const VarDecl *variableOf(const Expr *expr) {
  expr = expr->IgnoreParenImpCasts();
  if (const auto *member = dyn_cast<MemberExpr>(expr))
    return variableOf(member->getBase());
  if (const auto *element = dyn_cast<ArraySubscriptExpr>(expr))
    return variableOf(element->getBase());
  if (const auto *name = dyn_cast<DeclRefExpr>(expr))
    return dyn_cast<VarDecl>(name->getDecl());
  return nullptr;
}

// Variables that a function assigns to, or lets others change.
class Changes : public DynamicRecursiveASTVisitor {
public:
  explicit Changes(std::set<const VarDecl *> &changed) : changed_(changed) {}

  bool VisitBinaryOperator(BinaryOperator *op) override {
    if (op->isAssignmentOp())
      changed_.insert(variableOf(op->getLHS()));
    return true;
  }
  bool VisitUnaryOperator(UnaryOperator *op) override {
    if (op->isIncrementDecrementOp() || op->getOpcode() == UO_AddrOf)
      changed_.insert(variableOf(op->getSubExpr()));
    return true;
  }
  bool VisitCallExpr(CallExpr *call) override {
    const auto *op = dyn_cast<CXXOperatorCallExpr>(call);
    if (op && op->isAssignmentOp())
      changed_.insert(variableOf(op->getArg(0)));
    const FunctionDecl *callee = call->getDirectCallee();
    for (unsigned i = 0; i < call->getNumArgs(); ++i)
      if (!callee || i >= callee->getNumParams() || isChangeable(callee->getParamDecl(i)))
        changed_.insert(variableOf(call->getArg(i)));
    return true;
  }

private:
  static bool isChangeable(const ParmVarDecl *parameter) {
    const QualType type = parameter->getType();
    return type->isReferenceType() && !type.getNonReferenceType().isConstQualified();
  }

  std::set<const VarDecl *> &changed_;
};

class SharedBytes : public DynamicRecursiveASTVisitor {
public:
  explicit SharedBytes(const ASTContext &context) : context_(context) {}
  bool VisitVarDecl(VarDecl *variable) override {
    const QualType type = variable->getType();
    if (variable->hasAttr<CUDASharedAttr>() && !variable->hasExternalStorage() &&
        !type->isDependentType() && !type->isIncompleteType())
      bytes += context_.getTypeSizeInChars(type).getQuantity();
    return true;
  }
  uint64_t bytes = 0;

private:
  const ASTContext &context_;
};

} // namespace

bool HostConstants::keepsItsValue(const VarDecl *variable) {
  if (variable->getType().isConstQualified() || variable->isConstexpr())
    return true;
  const auto *function = dyn_cast<FunctionDecl>(variable->getDeclContext());
  if (!function || !function->hasBody() || isa<ParmVarDecl>(variable))
    return false;
  const auto [entry, isNew] = changed_.try_emplace(function);
  if (isNew)
    Changes(entry->second).TraverseStmt(function->getBody());
  return entry->second.count(variable) == 0;
}

// What a variable was made with, if it still has that; nullptr if nobody knows.
const Expr *HostConstants::source(const Expr *expr) {
  expr = expr->IgnoreUnlessSpelledInSource();
  const auto *name = dyn_cast<DeclRefExpr>(expr);
  const auto *variable = name ? dyn_cast<VarDecl>(name->getDecl()) : nullptr;
  if (!variable)
    return expr;
  const Expr *init = variable->getInit();
  return init && keepsItsValue(variable) ? init->IgnoreUnlessSpelledInSource() : nullptr;
}

std::optional<uint64_t> HostConstants::number(const Expr *expr) {
  Expr::EvalResult value;
  if (expr->isValueDependent())
    return std::nullopt;
  if (expr->EvaluateAsInt(value, context_))
    return value.Val.getInt().getZExtValue();
  const Expr *from = source(expr);
  if (!from)
    return std::nullopt;
  if (from != expr->IgnoreUnlessSpelledInSource())
    return number(from);
  const auto *op = dyn_cast<BinaryOperator>(from);
  if (!op || (op->getOpcode() != BO_Mul && op->getOpcode() != BO_Add))
    return std::nullopt;
  const auto left = number(op->getLHS()), right = number(op->getRHS());
  if (!left || !right)
    return std::nullopt;
  return op->getOpcode() == BO_Mul ? *left * *right : *left + *right;
}

const FunctionDecl *HostConstants::function(const Expr *expr) {
  const Expr *from = source(expr);
  for (int depth = 0; from && depth < 8; ++depth) {
    from = from->IgnoreUnlessSpelledInSource();
    const auto *address = dyn_cast<UnaryOperator>(from);
    if (address && address->getOpcode() == UO_AddrOf)
      from = address->getSubExpr();
    const auto *name = dyn_cast<DeclRefExpr>(from);
    if (name && isa<FunctionDecl>(name->getDecl()))
      return cast<FunctionDecl>(name->getDecl());
    if (!name && !address)
      return nullptr;
    if (name)
      from = source(name);
  }
  return nullptr;
}

std::optional<uint64_t> HostConstants::volume(const Expr *expr) { return product(expr, 3); }
std::optional<uint64_t> HostConstants::row(const Expr *expr) { return product(expr, 1); }

// Of the first so many sizes.
std::optional<uint64_t> HostConstants::product(const Expr *expr, unsigned sizes) {
  const Expr *from = source(expr);
  if (!from)
    return std::nullopt;
  const auto *construct = dyn_cast<CXXConstructExpr>(from);
  if (!construct)
    return number(from);
  if (construct->getNumArgs() == 1 && construct->getArg(0)->getType()->isRecordType())
    return product(construct->getArg(0), sizes); // a copy
  uint64_t product = 1;
  for (unsigned i = 0; i < construct->getNumArgs() && i < sizes; ++i) {
    const Expr *size = construct->getArg(i);
    if (size->isDefaultArgument())
      continue;
    const auto value = number(size);
    if (!value)
      return std::nullopt;
    product *= *value;
  }
  return product;
}

uint64_t staticSharedBytes(const FunctionDecl *kernel, const ASTContext &context) {
  const FunctionDecl *definition = nullptr;
  if (!kernel->hasBody(definition))
    return 0;
  SharedBytes visitor(context);
  visitor.TraverseStmt(definition->getBody());
  return visitor.bytes;
}

} // namespace layout_port
