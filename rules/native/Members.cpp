#include "native/Members.h"

#include "native/AstRead.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/AST/DynamicRecursiveASTVisitor.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtCXX.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace layout_port::native {

namespace {

const CXXRecordDecl *classOf(QualType type) {
  const CXXRecordDecl *record = type->getAsCXXRecordDecl();
  return record ? record->getCanonicalDecl() : nullptr;
}

// T of T *, T[n], T *&, and of what is made of those: not of T and T & themselves.
const CXXRecordDecl *classBehind(QualType type) {
  const QualType whole = type.getNonReferenceType();
  QualType inner = whole;
  for (;;) {
    if (inner->isPointerType() || inner->isReferenceType())
      inner = inner->getPointeeType();
    else if (const ArrayType *array = inner->getAsArrayTypeUnsafe())
      inner = array->getElementType();
    else
      break;
  }
  return inner == whole ? nullptr : classOf(inner);
}

// lane_{threadIdx.x % 32}
const Expr *withoutBraces(const Expr *value) {
  const auto *list = dyn_cast<InitListExpr>(value->IgnoreParenImpCasts());
  return list && list->getNumInits() == 1 && list->getType()->isScalarType() ? list->getInit(0)
                                                                             : value;
}

bool isPassing(const Stmt *stmt) {
  const auto *cast = dyn_cast<ImplicitCastExpr>(stmt);
  return isa<ParenExpr, FullExpr, MaterializeTemporaryExpr, CXXBindTemporaryExpr>(stmt) ||
         (cast && cast->getCastKind() == CK_NoOp);
}

} // namespace

// Functions as they are compiled: of templates their instances. Headers that are no part of the
// program know its classes by templates alone.
class Members::Reader : public DynamicRecursiveASTVisitor {
public:
  explicit Reader(Members &out) : out_(out) { ShouldVisitTemplateInstantiations = true; }

  bool TraverseDecl(Decl *decl) override {
    const auto *function = dyn_cast_or_null<FunctionDecl>(decl);
    const auto *record = dyn_cast_or_null<CXXRecordDecl>(decl);
    if ((function && (function->isDependentContext() ||
                      (isOfHeaders(*function) && !function->isTemplateInstantiation()))) ||
        (record && record->isDependentContext()))
      return true;
    const FunctionDecl *outer = function_;
    if (function)
      function_ = function;
    const bool goesOn = DynamicRecursiveASTVisitor::TraverseDecl(decl);
    function_ = outer;
    return goesOn;
  }
  bool TraverseStmt(Stmt *stmt) override {
    if (!stmt)
      return true;
    above_.push_back(stmt);
    const bool goesOn = DynamicRecursiveASTVisitor::TraverseStmt(stmt);
    above_.pop_back();
    return goesOn;
  }
  bool TraverseLambdaExpr(LambdaExpr *lambda) override {
    ++inLambda_;
    bool goesOn = DynamicRecursiveASTVisitor::TraverseLambdaExpr(lambda);
    if (FunctionTemplateDecl *generic = lambda->getDependentCallOperator())
      for (FunctionDecl *instance : generic->specializations())
        goesOn = goesOn && TraverseDecl(instance);
    --inLambda_;
    return goesOn;
  }
  bool TraverseConstructorInitializer(CXXCtorInitializer *init) override {
    if (init->isAnyMemberInitializer() && !isa<CXXDefaultInitExpr>(init->getInit()))
      out_.writes_[init->getAnyMember()].push_back(
          {withoutBraces(init->getInit()), function_, true, true});
    return DynamicRecursiveASTVisitor::TraverseConstructorInitializer(init);
  }

  // Objects within others, and those that pointers lead to.
  bool VisitFieldDecl(FieldDecl *field) override {
    if (field->hasInClassInitializer() && field->getInClassInitializer())
      out_.writes_[field].push_back(
          {withoutBraces(field->getInClassInitializer()), nullptr, true, true});
    confuse(classOf(field->getType().getNonReferenceType()));
    confuse(classBehind(field->getType()));
    return true;
  }
  bool VisitCXXRecordDecl(CXXRecordDecl *record) override {
    if (record->isThisDeclarationADefinition())
      for (const CXXBaseSpecifier &base : record->bases())
        confuse(classOf(base.getType()));
    return true;
  }
  bool VisitVarDecl(VarDecl *variable) override {
    confuse(classBehind(variable->getType()));
    if (isa<DecompositionDecl>(variable))
      confuse(classOf(variable->getType().getNonReferenceType()));
    return true;
  }

  bool VisitMemberExpr(MemberExpr *member) override {
    if (const auto *field = dyn_cast<FieldDecl>(member->getMemberDecl()))
      noteUse(*member, *field);
    return true;
  }
  // &Loop::wm
  bool VisitDeclRefExpr(DeclRefExpr *name) override {
    if (const auto *field = dyn_cast<FieldDecl>(name->getDecl()))
      out_.unclear_.insert(field);
    return true;
  }
  bool VisitCXXConstructExpr(CXXConstructExpr *made) override {
    if (made->getConstructor()->isCopyOrMoveConstructor() || made->requiresZeroInitialization() ||
        made->isStdInitListInitialization())
      confuse(classOf(made->getType()));
    return true;
  }
  bool VisitCXXInheritedCtorInitExpr(CXXInheritedCtorInitExpr *made) override {
    confuse(classOf(made->getType()));
    return true;
  }
  bool VisitInitListExpr(InitListExpr *list) override {
    confuse(classOf(list->getType()));
    return true;
  }
  bool VisitCXXParenListInitExpr(CXXParenListInitExpr *list) override {
    confuse(classOf(list->getType()));
    return true;
  }
  bool VisitImplicitValueInitExpr(ImplicitValueInitExpr *zero) override {
    confuse(classOf(zero->getType()));
    return true;
  }
  bool VisitCXXScalarValueInitExpr(CXXScalarValueInitExpr *zero) override {
    confuse(classOf(zero->getType()));
    return true;
  }
  bool VisitCallExpr(CallExpr *call) override {
    const auto *method = dyn_cast_or_null<CXXMethodDecl>(call->getDirectCallee());
    if (method && (method->isCopyAssignmentOperator() || method->isMoveAssignmentOperator()))
      confuse(method->getParent()->getCanonicalDecl());
    return true;
  }
  bool VisitExpr(Expr *expr) override {
    if (expr->getType().isNull()) // the message of a static_assert
      return true;
    const auto *self = dyn_cast<CXXThisExpr>(expr);
    if (!self && !isPassing(expr))
      confuse(classBehind(expr->getType()));
    const CXXRecordDecl *record =
        self ? self->getType()->getPointeeCXXRecordDecl() : classOf(expr->getType());
    if (record && !isPassing(expr) && (!isMadeInSight(*expr) || !isFollowed(*expr)))
      confuse(record->getCanonicalDecl());
    return true;
  }

private:
  void confuse(const CXXRecordDecl *record) {
    if (record)
      out_.unclearClasses_.insert(record);
  }

  // What holds the expression that is visited.
  const Stmt *holder() const {
    for (size_t i = above_.size(); i-- > 1;)
      if (!isPassing(above_[i - 1]))
        return above_[i - 1];
    return nullptr;
  }
  // ... and whether that takes the value of it as its own left side.
  const Expr *child() const {
    size_t i = above_.size() - 1;
    while (i > 0 && isPassing(above_[i - 1]))
      --i;
    return dyn_cast<Expr>(above_[i]);
  }

  // The assignment's own value is read, or dropped.
  bool isPlainAssignment(const Expr &op) const {
    for (size_t i = above_.size(); i-- > 1;) {
      if (above_[i] != &op)
        continue;
      const Stmt *holder = above_[i - 1];
      const auto *cast = dyn_cast<ImplicitCastExpr>(holder);
      return isa<CompoundStmt, IfStmt, ForStmt, WhileStmt, ExprWithCleanups>(holder) ||
             (cast && cast->getCastKind() == CK_LValueToRValue);
    }
    return false;
  }

  void noteUse(const MemberExpr &member, const FieldDecl &field) {
    const Stmt *by = holder();
    const auto *cast = dyn_cast_or_null<ImplicitCastExpr>(by);
    if ((cast && cast->getCastKind() == CK_LValueToRValue) ||
        isa_and_nonnull<UnaryExprOrTypeTraitExpr>(by) || !field.getType()->isScalarType())
      return;
    const auto *op = dyn_cast_or_null<BinaryOperator>(by);
    const auto *step = dyn_cast_or_null<UnaryOperator>(by);
    const bool isAssigned = op && op->isAssignmentOp() && op->getLHS() == child();
    const bool isInside = isa<CXXThisExpr>(member.getBase()->IgnoreParenImpCasts());
    if (function_ && (isAssigned || (step && step->isIncrementDecrementOp())) &&
        isPlainAssignment(*llvm::cast<Expr>(by)))
      out_.writes_[&field].push_back({op && op->getOpcode() == BO_Assign ? op->getRHS() : nullptr,
                                      inLambda_ ? nullptr : function_, false,
                                      isInside && !inLambda_});
    else
      out_.unclear_.insert(&field);
  }

  static bool isSeen(const FunctionDecl *callee) {
    const FunctionDecl *definition = callee ? callee->getDefinition() : nullptr;
    return definition && definition->hasBody() && !isOfHeaders(*definition);
  }

  // A name of an object, or one that the program's own code makes: not bits that are taken for one.
  static bool isMadeInSight(const Expr &object) {
    if (const auto *call = dyn_cast<CallExpr>(&object))
      return isSeen(call->getDirectCallee());
    if (const auto *cast = dyn_cast<CastExpr>(&object))
      return cast->getCastKind() == CK_ConstructorConversion ||
             cast->getCastKind() == CK_UserDefinedConversion || cast->getCastKind() == CK_NoOp;
    return isa<DeclRefExpr, MemberExpr, CXXThisExpr, UnaryOperator, CXXConstructExpr, LambdaExpr,
               AbstractConditionalOperator, BinaryOperator, CXXDefaultArgExpr>(object);
  }

  // An object, or `this`, where all that is done with it is seen elsewhere.
  bool isFollowed(const Expr &object) const {
    const Stmt *by = holder();
    if (!by)
      return isa<CXXConstructExpr>(object);
    if (isa<CXXThisExpr>(object)) {
      const auto *op = dyn_cast<UnaryOperator>(by);
      return isa<MemberExpr, LambdaExpr>(by) || (op && op->getOpcode() == UO_Deref);
    }
    if (const auto *call = dyn_cast<CallExpr>(by))
      return isSeen(call->getDirectCallee());
    if (const auto *made = dyn_cast<CXXConstructExpr>(by))
      return isSeen(made->getConstructor());
    if (const auto *member = dyn_cast<MemberExpr>(by)) {
      const auto *method = dyn_cast<CXXMethodDecl>(member->getMemberDecl());
      return !method || isSeen(method);
    }
    return isa<DeclStmt, ReturnStmt, CompoundStmt, IfStmt, ForStmt, WhileStmt, LambdaExpr,
               UnaryExprOrTypeTraitExpr>(by);
  }

  Members &out_;
  const FunctionDecl *function_ = nullptr;
  int inLambda_ = 0;
  std::vector<const Stmt *> above_;
};

void Members::read() {
  if (std::exchange(isRead_, true))
    return;
  Reader(*this).TraverseDecl(context_.getTranslationUnitDecl());
}

bool Members::isClear(const FieldDecl &field) const {
  const auto *record = dyn_cast<CXXRecordDecl>(field.getParent());
  const bool isOnce = field.getType()->isReferenceType() || // whatever is done to where it leads
                      (field.getType()->isScalarType() && !unclear_.count(&field));
  return record && !record->isUnion() && !record->isAnonymousStructOrUnion() &&
         !unclearClasses_.count(record->getCanonicalDecl()) && !field.isBitField() &&
         !field.getType().isVolatileQualified() && isOnce;
}

const Members::Write *Members::once(const FieldDecl &field) {
  read();
  const auto known = writes_.find(&field);
  return known != writes_.end() && known->second.size() == 1 && known->second[0].value &&
                 isClear(field)
             ? &known->second.front()
             : nullptr;
}

bool Members::isOfConstructors(const FieldDecl &field) {
  read();
  const auto known = writes_.find(&field);
  return isClear(field) &&
         (known == writes_.end() || llvm::all_of(known->second, [&](const Write &write) {
            const auto *constructor = dyn_cast_or_null<CXXConstructorDecl>(write.by);
            return write.isInside && (write.isInitial || (constructor && constructor->getParent() ==
                                                                             field.getParent()));
          }));
}

} // namespace layout_port::native
