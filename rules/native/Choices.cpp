#include "native/Choices.h"

#include "native/UserTree.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/Expr.h"

using namespace clang;

namespace layout_port::native {

namespace {

class Reads : public DynamicRecursiveASTVisitor {
public:
  explicit Reads(ASTContext &context) : context_(context) {}

  bool VisitImplicitCastExpr(ImplicitCastExpr *read) override {
    if (read->getCastKind() != CK_LValueToRValue || read->isTypeDependent() ||
        !isa<ConditionalOperator>(read->getSubExpr()->IgnoreParens()))
      return true;
    read->setSubExpr(valueOf(read->getSubExpr()));
    read->setCastKind(CK_NoOp);
    return true;
  }

private:
  Expr *valueOf(Expr *place) {
    const QualType type = place->getType().getUnqualifiedType();
    auto *choice = dyn_cast<ConditionalOperator>(place->IgnoreParens());
    if (!choice)
      return ImplicitCastExpr::Create(context_, type, CK_LValueToRValue, place, nullptr, VK_PRValue,
                                      {});
    return new (context_) ConditionalOperator(
        choice->getCond(), choice->getQuestionLoc(), valueOf(choice->getTrueExpr()),
        choice->getColonLoc(), valueOf(choice->getFalseExpr()), type, VK_PRValue, OK_Ordinary);
  }

  ASTContext &context_;
};

} // namespace

void readChoices(ASTContext &context) {
  Reads reads(context);
  changeUserTree(context, reads);
}

} // namespace layout_port::native
