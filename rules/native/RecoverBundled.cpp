// Registers that are put side by side for a product that takes them as an array:
//
//   uint32_t b0, b1, b2, b3;
//   ldmatrix_x4(b0, b1, b2, b3, p);
//   const uint32_t left[2] = {b0, b1}, right[2] = {b2, b3};
//   mma(c[0], a, left);  mma(c[1], a, right);
//
// are products of {b0, b1} and {b2, b3}. The arrays go.
#include "native/Recovery.h"

#include "clang/AST/DynamicRecursiveASTVisitor.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace layout_port::native {

namespace {

// What happens to variables in a block, behind the declaration that reads them.
class Later : public DynamicRecursiveASTVisitor {
public:
  explicit Later(std::set<const VarDecl *> read) : read_(std::move(read)) {}
  // Only read, whatever of it.
  bool TraverseImplicitCastExpr(ImplicitCastExpr *cast) override {
    const Expr *place = cast->getSubExpr();
    while (const auto *element = dyn_cast<ArraySubscriptExpr>(stripped(place)))
      place = element->getBase();
    return (isRead(*cast) && isa<DeclRefExpr>(stripped(place))) ||
           DynamicRecursiveASTVisitor::TraverseImplicitCastExpr(cast);
  }
  bool VisitDeclRefExpr(DeclRefExpr *name) override {
    return !(isOther |= read_.count(dyn_cast<VarDecl>(name->getDecl())) != 0);
  }
  bool VisitNamedDecl(NamedDecl *decl) override {
    return !(isOther |= llvm::any_of(read_, [&](const VarDecl *variable) {
               return variable->getDeclName() == decl->getDeclName();
             }));
  }
  bool isOther = false; // one may change, or the name is another's

private:
  // Its value, or as something that is const.
  static bool isRead(const ImplicitCastExpr &cast) {
    const QualType type = cast.getType();
    const QualType place = type->isPointerType() ? type->getPointeeType() : type;
    return cast.getCastKind() == CK_LValueToRValue ||
           (cast.getCastKind() == CK_NoOp && place.isConstQualified());
  }
  const std::set<const VarDecl *> read_;
};

const Expr *wordOf(const Expr &value, const ASTContext &context) {
  const Expr *place = stripped(&value);
  const bool isPlace = isa<DeclRefExpr, ArraySubscriptExpr>(place);
  return isPlace && context.getTypeSize(place->getType()) == 32 &&
                 place->getType()->isIntegerType() && !place->getType().isVolatileQualified()
             ? place
             : nullptr;
}

// r of r[j][1].
const VarDecl *rootOf(const Expr *place) {
  while (const auto *element = dyn_cast<ArraySubscriptExpr>(stripped(place)))
    place = element->getBase();
  const auto *name = dyn_cast<DeclRefExpr>(stripped(place));
  return name ? dyn_cast<VarDecl>(name->getDecl()) : nullptr;
}

} // namespace

// {b0, b1} of an array that is nothing else all its life, and whose words stay what they are as
// long.
const InitListExpr *Recovery::bundleOf(const VarDecl &variable) {
  constexpr uint64_t kMostWords = 4;
  const auto *array = context_.getAsConstantArrayType(variable.getType());
  const auto *list = dyn_cast_or_null<InitListExpr>(variable.getInit());
  const auto *block = dyn_cast_or_null<CompoundStmt>(blockOf(variable));
  const bool isOwn = array && list && block && variable.isLocalVarDecl() &&
                     variable.hasLocalStorage() && isOfKernel(&variable) &&
                     array->getElementType()->isIntegerType() &&
                     context_.getTypeSize(array->getElementType()) == 32 &&
                     !array->getElementType().isVolatileQualified();
  if (!isOwn || array->getSize().ugt(kMostWords) || array->getSize() != list->getNumInits() ||
      sampler_.changes(&variable) || sampler_.changesUnseen(&variable))
    return nullptr;
  Inputs inputs;
  for (const Expr *init : list->inits()) {
    const Expr *word = wordOf(*init, context_);
    const VarDecl *root = word ? rootOf(word) : nullptr;
    if (!root || (root->getInit() && !bundleOf(*root))) // filled, not computed
      return nullptr;
    inputs.TraverseStmt(const_cast<Expr *>(init));
  }
  const auto isOwnWord = [&](const VarDecl *input) {
    return input->isLocalVarDecl() && input->hasLocalStorage() &&
           !input->getType()->isReferenceType() && !input->getType()->isPointerType();
  };
  if (!llvm::all_of(inputs.found, isOwnWord))
    return nullptr;
  std::set<const VarDecl *> read(inputs.found.begin(), inputs.found.end());
  if (!array->getElementType().isConstQualified())
    read.insert(&variable);
  Later later(std::move(read));
  bool isBehind = false;
  for (Stmt *stmt : const_cast<CompoundStmt *>(block)->body()) {
    const auto *declaration = dyn_cast<DeclStmt>(stmt);
    if (isBehind)
      later.TraverseStmt(stmt);
    isBehind = isBehind || (declaration && llvm::is_contained(declaration->decls(), &variable));
  }
  return later.isOther ? nullptr : list;
}

// b1 for left[1].
const Expr *Recovery::bundledWord(const Path &path) {
  const auto known = bundles_.find(path.root);
  const InitListExpr *list =
      known != bundles_.end() ? known->second : bundles_[path.root] = bundleOf(*path.root);
  const bool isWord = list && path.indices.size() == 1 && path.indices[0].literal &&
                      path.prefix.empty() && path.suffix.empty() && path.name.empty();
  const int64_t word = isWord ? *path.indices[0].literal : -1;
  if (word < 0 || word >= static_cast<int64_t>(list->getNumInits()))
    return nullptr;
  const Stmt *declaration = parentOf(DynTypedNode::create(*path.root));
  if (places_.insert(path.root) && declaration && !llvm::is_contained(sites_, declaration))
    note(*declaration);
  return wordOf(*list->getInit(static_cast<unsigned>(word)), context_);
}

} // namespace layout_port::native
