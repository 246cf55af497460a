#include "native/AstRead.h"

#include "native/Sample.h"

#include "clang/AST/ASTContext.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace layout_port::native {

std::optional<AsmText> readAsm(const GCCAsmStmt &stmt) {
  const auto block = ptx::parse(stmt.getAsmString());
  if (!block)
    return std::nullopt;
  AsmText text{*block, nullptr, false};
  for (const ptx::Instruction &i : text.block.instructions) {
    if (i.opcode == "mma" || i.opcode == "ldmatrix")
      text.matrix = &i;
    text.isCvta = text.isCvta || i.opcode == "cvta";
  }
  return text;
}

bool isMatrix(const GCCAsmStmt &stmt) {
  const std::string text = stmt.getAsmString();
  return text.find("mma.") != text.npos || text.find("ldmatrix") != text.npos;
}

bool onlyCasts(const GCCAsmStmt &stmt) {
  const auto text = readAsm(stmt);
  return text && text->isCvta && !text->matrix &&
         llvm::all_of(text->block.instructions, [](const ptx::Instruction &i) {
           return i.opcode == "cvta" || i.opcode == "cvt" || i.opcode == "mov";
         });
}

bool AsmFinder::VisitGCCAsmStmt(GCCAsmStmt *stmt) {
  found.push_back(stmt);
  matrix = matrix || isMatrix(*stmt);
  return true;
}
bool AsmFinder::VisitCallExpr(CallExpr *call) {
  calls.push_back(call);
  return true;
}

const Expr *stripped(const Expr *expr) {
  for (;;) {
    expr = expr->IgnoreParenImpCasts();
    if (const auto *full = dyn_cast<FullExpr>(expr))
      expr = full->getSubExpr();
    else if (const auto *temporary = dyn_cast<MaterializeTemporaryExpr>(expr))
      expr = temporary->getSubExpr();
    else if (const auto *subst = dyn_cast<SubstNonTypeTemplateParmExpr>(expr))
      expr = subst->getReplacement();
    else
      return expr;
  }
}

const Expr *throughCopies(const Expr *value) {
  for (;;) {
    value = stripped(value);
    const auto *copy = dyn_cast<CXXConstructExpr>(value);
    if (!copy || copy->getNumArgs() != 1 || !copy->getConstructor()->isCopyOrMoveConstructor())
      return value;
    value = copy->getArg(0);
  }
}

bool isOfClass(const MemberExpr &member) {
  const auto *method = dyn_cast<CXXMethodDecl>(member.getMemberDecl());
  return isa<VarDecl>(member.getMemberDecl()) || (method && method->isStatic());
}

const VarDecl *objectOfStatic(const MemberExpr &member) {
  const auto *name = dyn_cast<DeclRefExpr>(stripped(member.getBase()));
  return name && isOfClass(member) ? dyn_cast<VarDecl>(name->getDecl()) : nullptr;
}

bool Inputs::TraverseMemberExpr(MemberExpr *member) {
  return objectOfStatic(*member) || DynamicRecursiveASTVisitor::TraverseMemberExpr(member);
}

bool Inputs::VisitDeclRefExpr(DeclRefExpr *name) {
  if (const auto *variable = dyn_cast<VarDecl>(name->getDecl()))
    found.push_back(variable);
  return true;
}
// Of `const T *__restrict__ p`, a parameter of the kernel's, nobody writes the memory while it
// runs; nor of a __constant__ variable.
// https://docs.nvidia.com/cuda/cuda-c-programming-guide/#restrict
static bool isReadOnly(const Expr *place) {
  for (;;) {
    place = place->IgnoreParenImpCasts();
    if (const auto *access = dyn_cast<ArraySubscriptExpr>(place))
      place = access->getBase();
    else if (const auto *op = dyn_cast<UnaryOperator>(place); op && op->getOpcode() == UO_Deref)
      place = op->getSubExpr();
    else if (const auto *sum = dyn_cast<BinaryOperator>(place); sum && sum->isAdditiveOp())
      place = sum->getLHS();
    else
      break;
  }
  const auto *name = dyn_cast<DeclRefExpr>(place);
  const auto *variable = name ? dyn_cast<VarDecl>(name->getDecl()) : nullptr;
  if (!variable)
    return false;
  const auto *parameter = dyn_cast<ParmVarDecl>(variable);
  const auto *function =
      parameter ? dyn_cast<FunctionDecl>(parameter->getDeclContext()) : nullptr;
  const QualType type = variable->getType();
  return variable->hasAttr<CUDAConstantAttr>() ||
         (function && function->hasAttr<CUDAGlobalAttr>() && type->isPointerType() &&
          type.isRestrictQualified() && type->getPointeeType().isConstQualified());
}

bool Inputs::VisitImplicitCastExpr(ImplicitCastExpr *cast) {
  const Expr *from = cast->getSubExpr()->IgnoreParens();
  if (cast->getCastKind() == CK_LValueToRValue &&
      (isa<ArraySubscriptExpr>(from) || isa<UnaryOperator>(from)))
    readsMemory |= !isReadOnly(from);
  return true;
}

bool ThreadMentions::TraverseStmt(Stmt *stmt) {
  const auto *expr = dyn_cast_or_null<Expr>(stmt);
  if (const auto axis = expr ? threadIndexAxis(expr) : std::nullopt) {
    found.push_back({expr, *axis});
    return true;
  }
  return DynamicRecursiveASTVisitor::TraverseStmt(stmt);
}

bool ThreadMentions::VisitDeclRefExpr(DeclRefExpr *name) {
  hasOther |= name->getDecl()->getIdentifier() && name->getDecl()->getName() == "threadIdx";
  return true;
}

bool Mentions::VisitDeclRefExpr(DeclRefExpr *name) {
  found_(*name);
  return true;
}

bool isOfHeaders(const FunctionDecl &function) {
  const SourceManager &sm = function.getASTContext().getSourceManager();
  return function.isImplicit() || function.isDefaulted() ||
         sm.isInSystemHeader(sm.getExpansionLoc(function.getLocation()));
}

} // namespace layout_port::native
