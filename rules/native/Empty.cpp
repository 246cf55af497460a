#include "native/Empty.h"

#include "native/UserTree.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/ExprCXX.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace layout_port::native {

namespace {

class Blocks : public DynamicRecursiveASTVisitor {
public:
  explicit Blocks(ASTContext &context) : context_(context) {}

  bool VisitFunctionDecl(FunctionDecl *function) override {
    if (function->doesThisDeclarationHaveABody() && !function->isDependentContext())
      function->setBody(cleaned(function->getBody()));
    return true;
  }
  bool VisitStmt(Stmt *stmt) override {
    if (!isa<LambdaExpr>(stmt)) // whose body its call operator has, too
      for (Stmt *&child : stmt->children())
        child = cleaned(child);
    return true;
  }
  bool VisitLambdaExpr(LambdaExpr *lambda) override {
    if (auto *block = dyn_cast<CompoundStmt>(lambda->getCallOperator()->getBody()))
      for (Stmt *&stmt : block->body())
        if (isEmpty(*stmt))
          stmt = new (context_) NullStmt(stmt->getBeginLoc());
    return true;
  }

private:
  Stmt *cleaned(Stmt *stmt) {
    auto *block = dyn_cast_or_null<CompoundStmt>(stmt);
    if (!block || llvm::none_of(block->body(), [&](Stmt *s) { return isEmpty(*s); }))
      return stmt;
    std::vector<Stmt *> kept;
    llvm::copy_if(block->body(), std::back_inserter(kept), [&](Stmt *s) { return !isEmpty(*s); });
    return CompoundStmt::Create(context_, kept,
                                block->hasStoredFPFeatures() ? block->getStoredFPFeatures()
                                                             : FPOptionsOverride(),
                                block->getLBracLoc(), block->getRBracLoc());
  }

  bool isEmpty(const Stmt &stmt) const {
    const auto *declaration = dyn_cast<DeclStmt>(&stmt);
    const auto *expr = dyn_cast<Expr>(&stmt);
    const auto *cast = expr ? dyn_cast<CastExpr>(expr->IgnoreParens()) : nullptr;
    const bool isConstant = cast && cast->getCastKind() == CK_ToVoid &&
                            isa<IntegerLiteral>(cast->getSubExpr()->IgnoreParenImpCasts());
    return isa<NullStmt>(stmt) || isConstant ||
           (declaration && declaration->isSingleDecl() &&
            isa<StaticAssertDecl>(declaration->getSingleDecl()));
  }

  ASTContext &context_;
};

} // namespace

void dropEmptyStatements(ASTContext &context) {
  Blocks blocks(context);
  changeUserTree(context, blocks);
}

} // namespace layout_port::native
