#include "native/Turned.h"

#include "native/AstRead.h"
#include "ptx/decode/MatrixMove.h"

#include "clang/AST/ExprCXX.h"

using namespace clang;

namespace layout_port::native {

namespace {

// int or unsigned.
bool isWord(QualType type) {
  type = type.getNonReferenceType();
  const auto *builtin = type->getAs<BuiltinType>();
  return builtin && !type.isVolatileQualified() &&
         (builtin->getKind() == BuiltinType::UInt || builtin->getKind() == BuiltinType::Int);
}

// uint32_t y = x;
bool declares(const Stmt *stmt) {
  const auto *declarations = dyn_cast<DeclStmt>(stmt);
  return declarations && llvm::all_of(declarations->decls(), [](const Decl *decl) {
           const auto *local = dyn_cast<VarDecl>(decl);
           return local && local->hasLocalStorage() &&
                  (!local->getInit() || variableNamed(local->getInit()));
         });
}

} // namespace

std::optional<Turned> turnedBy(const GCCAsmStmt &code) {
  const auto block = ptx::parse(code.getAsmString());
  if (!block || block->instructions.size() != 1 || block->instructions[0].guard)
    return std::nullopt;
  const auto move = ptx::decodeMatrixMove(block->instructions[0]);
  if (!move || move->kind != ptx::MatrixMove::Kind::Transpose || move->registers.size() != 1 ||
      !move->source || code.getNumOutputs() != 1 ||
      operandOf(code, *move->registers[0]) != code.getOutputExpr(0))
    return std::nullopt;
  const Expr *value = operandReadBy(code, *move->source);
  return value && isWord(stripped(value)->getType()) && isWord(code.getOutputExpr(0)->getType())
             ? std::optional(Turned{code.getOutputExpr(0), value, nullptr})
             : std::nullopt;
}

std::optional<Turned> turnedBy(const Expr &expr) {
  const auto *call = dyn_cast<CallExpr>(stripped(&expr));
  const FunctionDecl *callee = call ? call->getDirectCallee() : nullptr;
  const FunctionDecl *function = callee ? callee->getDefinition() : nullptr;
  const auto *body = function ? dyn_cast_or_null<CompoundStmt>(function->getBody()) : nullptr;
  if (!body || isa<CXXMethodDecl>(function) || function->getNumParams() != 1 ||
      call->getNumArgs() != 1)
    return std::nullopt;
  const ParmVarDecl *parameter = function->getParamDecl(0);
  std::optional<Turned> turned;
  const VarDecl *returned = nullptr;
  for (const Stmt *stmt : body->body()) {
    const auto *code = dyn_cast<GCCAsmStmt>(stmt);
    const auto *end = dyn_cast<ReturnStmt>(stmt);
    if (code && !turned)
      turned = turnedBy(*code);
    else if (end && end->getRetValue())
      returned = variableNamed(end->getRetValue());
    else if (!declares(stmt))
      return std::nullopt;
    if (code && !turned)
      return std::nullopt;
  }
  const VarDecl *from = turned ? variableNamed(turned->value) : nullptr;
  if (from && from != parameter && from->getInit())
    from = variableNamed(from->getInit());
  if (from != parameter || !returned || returned != variableNamed(turned->target) ||
      !isWord(function->getReturnType()) || !isWord(parameter->getType()) ||
      (parameter->getType()->isReferenceType() &&
       !parameter->getType()->getPointeeType().isConstQualified()) ||
      !isWord(stripped(call->getArg(0))->getType()))
    return std::nullopt;
  return Turned{nullptr, call->getArg(0), function};
}

} // namespace layout_port::native
