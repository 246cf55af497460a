#include "native/UserTree.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/ParentMapContext.h"
#include "clang/Basic/SourceManager.h"

using namespace clang;

namespace layout_port::native {

void changeUserTree(ASTContext &context, DynamicRecursiveASTVisitor &visitor) {
  visitor.ShouldVisitTemplateInstantiations = true;
  const SourceManager &sm = context.getSourceManager();
  for (Decl *decl : context.getTranslationUnitDecl()->noload_decls())
    if (!sm.isInSystemHeader(sm.getExpansionLoc(decl->getLocation())))
      visitor.TraverseDecl(decl);
  context.getParentMapContext().clear(); // of the tree as it was
}

} // namespace layout_port::native
