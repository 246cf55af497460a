#include "native/SampleAssigned.h"

#include "native/AstRead.h"

#include "clang/AST/DynamicRecursiveASTVisitor.h"
#include "clang/AST/ExprCXX.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace layout_port::native {

namespace {

// A method that could be const: of its object it reads numbers and pointers, itself and in other
// methods, and nothing else.
class OnlyReads : public DynamicRecursiveASTVisitor {
public:
  static bool holds(const CXXMethodDecl &method, int depth = 0) {
    constexpr int kDeepest = 4;
    const FunctionDecl *definition = method.getDefinition();
    if (method.isVirtual() || !definition || !definition->hasBody() || depth > kDeepest)
      return false;
    OnlyReads reads(depth);
    reads.TraverseStmt(definition->getBody());
    return reads.holds_;
  }
  bool TraverseImplicitCastExpr(ImplicitCastExpr *cast) override {
    const auto *member = dyn_cast<MemberExpr>(cast->getSubExpr()->IgnoreParens());
    const bool isRead = cast->getCastKind() == CK_LValueToRValue && member &&
                        isa<CXXThisExpr>(member->getBase()->IgnoreParenImpCasts());
    return isRead || DynamicRecursiveASTVisitor::TraverseImplicitCastExpr(cast);
  }
  bool TraverseCXXMemberCallExpr(CXXMemberCallExpr *call) override {
    const CXXMethodDecl *method = call->getMethodDecl();
    if (!method || !isa<CXXThisExpr>(call->getImplicitObjectArgument()->IgnoreParenImpCasts()))
      return DynamicRecursiveASTVisitor::TraverseCXXMemberCallExpr(call);
    holds_ = holds_ && (method->isConst() || holds(*method, depth_ + 1));
    return holds_ && llvm::all_of(call->arguments(), [&](Expr *e) { return TraverseStmt(e); });
  }
  bool VisitCXXThisExpr(CXXThisExpr *) override { return holds_ = false; }

private:
  explicit OnlyReads(int depth) : depth_(depth) {}
  int depth_;
  bool holds_ = true;
};

class Assignments : public ExecutedVisitor {
public:
  explicit Assignments(bool entersLambdas) : entersLambdas_(entersLambdas) {}

  bool VisitBinaryOperator(BinaryOperator *op) override {
    if (op->isAssignmentOp())
      note(op->getLHS(), op->getRHS());
    if (op->getOpcode() == BO_Assign)
      keep(op->getLHS()->getType(), op->getRHS());
    return true;
  }
  bool VisitUnaryOperator(UnaryOperator *op) override {
    if (reads_.count(op))
      return true;
    const bool mayWrite = !op->getSubExpr()->getType().isConstQualified();
    if (op->isIncrementDecrementOp() || (op->getOpcode() == UO_AddrOf && mayWrite))
      note(op->getSubExpr(), nullptr);
    const auto *name = dyn_cast<DeclRefExpr>(op->getSubExpr()->IgnoreParenImpCasts());
    if (const auto *variable = name ? dyn_cast<VarDecl>(name->getDecl()) : nullptr;
        variable && op->getOpcode() == UO_AddrOf && variable->hasLocalStorage() &&
        variable->getType()->isScalarType())
      found.escaped.push_back(variable);
    return true;
  }
  bool VisitGCCAsmStmt(GCCAsmStmt *stmt) override {
    for (unsigned i = 0; i < stmt->getNumOutputs(); ++i)
      note(stmt->getOutputExpr(i), stmt);
    for (unsigned i = 0; i < stmt->getNumInputs(); ++i)
      keep(stmt->getInputExpr(i)->getType(), stmt->getInputExpr(i));
    return true;
  }
  bool VisitCallExpr(CallExpr *call) override {
    const FunctionDecl *callee = call->getDirectCallee();
    if (!callee) { // by a pointer: it may keep what it is handed
      for (const Expr *argument : call->arguments())
        keepAll(argument);
      return true;
    }
    const auto *method = dyn_cast<CXXMethodDecl>(callee);
    const unsigned first = isa<CXXOperatorCallExpr>(call) && method && method->isInstance() ? 1 : 0;
    for (unsigned i = 0; i + first < call->getNumArgs() && i < callee->getNumParams(); ++i) {
      const Expr *argument = call->getArg(i + first);
      const QualType type = callee->getParamDecl(i)->getType();
      const bool isHanded =
          type->isReferenceType() || (type->isPointerType() && !handsPointer(argument));
      if (isHanded && !type->getPointeeType().isConstQualified())
        note(argument, call);
    }
    return true;
  }
  // An address as a number.
  bool VisitCastExpr(CastExpr *cast) override {
    if (cast->getCastKind() == CK_PointerToIntegral)
      escape(placesAt(cast->getSubExpr()));
    if (cast->getCastKind() == CK_LValueToRValue)
      noteRead(cast->getSubExpr());
    return true;
  }
  // Struct{n}, Struct(n): whose references and pointers lead to n, whenever they are written
  // through.
  bool VisitCXXConstructExpr(CXXConstructExpr *made) override {
    if (made->getNumArgs() == 1 && made->getConstructor()->isCopyOrMoveConstructor() &&
        made->getConstructor()->isTrivial()) {
      noteRead(made->getArg(0));
      return true;
    }
    for (unsigned i = 0; i < made->getNumArgs() && i < made->getConstructor()->getNumParams(); ++i)
      lend(made->getConstructor()->getParamDecl(i)->getType(), made->getArg(i));
    return true;
  }
  bool VisitInitListExpr(InitListExpr *list) override {
    const InitListExpr *whole = list->isSemanticForm() ? list : list->getSemanticForm();
    const CXXRecordDecl *record = whole ? whole->getType()->getAsCXXRecordDecl() : nullptr;
    if (whole && whole->getType()->isArrayType())
      for (const Expr *element : whole->inits())
        keep(element->getType(), element);
    if (!record || record->isUnion())
      return true;
    unsigned i = record->getNumBases();
    for (const FieldDecl *field : record->fields())
      if (i < whole->getNumInits() && !field->isUnnamedBitField())
        lend(field->getType(), whole->getInit(i++));
    return true;
  }
  // What a method that is not const does to its object.
  bool VisitCXXMemberCallExpr(CXXMemberCallExpr *call) override {
    const CXXMethodDecl *method = call->getMethodDecl();
    if (method && method->isInstance() && !method->isConst() && !OnlyReads::holds(*method))
      note(call->getImplicitObjectArgument(), call);
    return true;
  }
  bool VisitCXXOperatorCallExpr(CXXOperatorCallExpr *call) override {
    const auto *method = dyn_cast_or_null<CXXMethodDecl>(call->getDirectCallee());
    if (method && method->isInstance() && !method->isConst() && !method->getParent()->isLambda())
      note(call->getArg(0), call);
    return !method || !method->getParent()->isLambda() || !entersLambdas_ || !method->hasBody() ||
           !entered_.insert(method).second || TraverseStmt(method->getBody());
  }
  // int *p = m: who has it may write anything there.
  bool VisitVarDecl(VarDecl *variable) override {
    if (variable->getInit() && !variable->isImplicit())
      keep(variable->getType(), variable->getInit());
    return true;
  }
  // for (int &x : m)
  bool VisitCXXForRangeStmt(CXXForRangeStmt *loop) override {
    const QualType type = loop->getLoopVariable()->getType();
    if (type->isReferenceType() && !type->getPointeeType().isConstQualified())
      keepAll(loop->getRangeInit());
    return true;
  }

  // [&]() -> int & { return n; }
  bool VisitReturnStmt(ReturnStmt *stmt) override {
    if (lambda_ && stmt->getRetValue())
      keep(lambda_->getCallOperator()->getReturnType(), stmt->getRetValue());
    if (!lambda_ || !lambda_->getCallOperator()->getReturnType()->isReferenceType())
      return true;
    note(stmt->getRetValue(), nullptr);
    escape(rootsOf(stmt->getRetValue(), false));
    return true;
  }

  bool TraverseLambdaExpr(LambdaExpr *lambda) override {
    const LambdaExpr *outer = std::exchange(lambda_, lambda);
    const bool goesOn = DynamicRecursiveASTVisitor::TraverseLambdaExpr(lambda);
    lambda_ = outer;
    return goesOn;
  }

  Assigned found;

private:
  // A variable that an expression may stand for, or a part of which.
  struct Root {
    const VarDecl *variable = nullptr;
    bool isPart = false;
  };

  // A parameter of one, or a local, which may be made of those.
  static bool isOfLambda(const VarDecl *variable) {
    const auto *method = dyn_cast<CXXMethodDecl>(variable->getDeclContext());
    return method && method->getParent()->isLambda() && method->getNumParams() > 0;
  }
  static bool mentionsLambdasOwn(const Stmt *value) {
    class Finder : public DynamicRecursiveASTVisitor {
    public:
      bool VisitDeclRefExpr(DeclRefExpr *name) override {
        const auto *variable = dyn_cast<VarDecl>(name->getDecl());
        return !(any = any || (variable && isOfLambda(variable)));
      }
      bool any = false;
    };
    Finder finder;
    finder.TraverseStmt(const_cast<Stmt *>(value));
    return finder.any;
  }

  // *(T *)&x, ((T *)&x)[0], ((T *)&x)->y: read as another type, and let go.
  void noteRead(const Expr *place) {
    place = place->IgnoreParenImpCasts();
    const Expr *pointer = nullptr;
    if (const auto *op = dyn_cast<UnaryOperator>(place); op && op->getOpcode() == UO_Deref)
      pointer = op->getSubExpr();
    else if (const auto *access = dyn_cast<ArraySubscriptExpr>(place))
      pointer = access->getBase();
    else if (const auto *member = dyn_cast<MemberExpr>(place); member && member->isArrow())
      pointer = member->getBase();
    for (bool isCast = pointer; isCast;) {
      pointer = pointer->IgnoreParens();
      const auto *cast = dyn_cast<CastExpr>(pointer);
      isCast = cast && (cast->getCastKind() == CK_BitCast || cast->getCastKind() == CK_NoOp);
      if (isCast)
        pointer = cast->getSubExpr();
    }
    const auto *address = dyn_cast_or_null<UnaryOperator>(pointer);
    if (address && address->getOpcode() == UO_AddrOf)
      reads_.insert(address);
  }

  // As a whole, or some of a number's bytes.
  static bool isChanged(const Root &root) {
    const QualType type = root.variable->getType().getNonReferenceType();
    return !type->isArrayType() && (!root.isPart || !type->isRecordType());
  }

  // Who has the places' address may write there at any time.
  void escape(const std::vector<Root> &roots) {
    for (const Root &root : roots) {
      const VarDecl *variable = root.variable;
      if (variable->hasLocalStorage()) {
        found.escaped.push_back(variable);
        found.touched.insert(variable);
        if (isChanged(root))
          found.changed.insert(variable);
      }
      if (variable->getType()->isReferenceType() && variable->getInit() &&
          !isa<ParmVarDecl>(variable) && seenReferences_.insert(variable).second)
        escape(rootsOf(variable->getInit(), false));
    }
  }
  // A pointer of this type that is kept: by a variable, an element, whoever is given it.
  void keep(QualType type, const Expr *value) {
    if (type->isPointerType() && !type->getPointeeType().isConstQualified())
      escape(placesAt(value));
  }
  void keepAll(const Expr *value) {
    escape(value->getType()->isPointerType() ? placesAt(value) : rootsOf(value, false));
  }

  void lend(QualType type, const Expr *value) {
    if (!(type->isReferenceType() || type->isPointerType()) ||
        type->getPointeeType().isConstQualified() || (type->isPointerType() && handsPointer(value)))
      return;
    note(value, value);
    escape(rootsOf(value, false));
  }

  // The variables that are written, or whose parts are: n, m[i], f.x, and what a reference
  // stands for. Arrays and structs count as given the value, and as changed nowhere but there.
  void note(const Expr *target, const Stmt *value) { note(target, value, target->getExprLoc(), 0); }
  void note(const Expr *target, const Stmt *value, SourceLocation at, int depth) {
    constexpr int kDeepest = 8;
    if (depth > kDeepest)
      return;
    for (const Root &root : rootsOf(target, false)) {
      const VarDecl *variable = root.variable;
      const bool isPlace =
          root.isPart || variable->getType()->isArrayType() || variable->getType()->isRecordType();
      if ((!variable->hasLocalStorage() && isPlace) || namesSharedPlace(*variable))
        continue; // shared memory: who reads it reads by place
      found.touched.insert(variable);
      if (lambda_ && variable->getDeclContext() != lambda_->getCallOperator()) {
        found.byLambda.push_back(variable);
        if (value && mentionsLambdasOwn(value))
          found.escaped.push_back(variable); // what it is called with
      }
      found.places[variable].push_back(at);
      if (value)
        found.values[variable].push_back(value);
      if (isChanged(root))
        found.changed.insert(variable);
      if (variable->getType()->isReferenceType() && !isa<ParmVarDecl>(variable) &&
          variable->getInit())
        note(variable->getInit(), value, at, depth + 1);
    }
  }
  // Tile &tile = *(Tile *)shared;   Tile &tile = tiles[k], where tiles is a pointer
  static bool namesSharedPlace(const VarDecl &variable) {
    if (!variable.getType()->isReferenceType() || isa<ParmVarDecl>(variable) || !variable.getInit())
      return false;
    const std::vector<Root> roots = rootsOf(variable.getInit(), false);
    if (roots.empty()) // behind a pointer
      return variable.getType().getNonReferenceType()->isRecordType() &&
             isa<ArraySubscriptExpr, UnaryOperator>(variable.getInit()->IgnoreParenImpCasts());
    return llvm::all_of(roots, [](const Root &root) {
      const VarDecl &of = *root.variable;
      return of.hasLocalStorage() ? namesSharedPlace(of)
                                  : of.getType()->isArrayType() || of.getType()->isRecordType();
    });
  }

  // More than one of c ? n : m; none of memory that a pointer variable leads to.
  static std::vector<Root> rootsOf(const Expr *expr, bool isPart) {
    for (;;) {
      expr = expr->IgnoreParenImpCasts();
      if (const auto *access = dyn_cast<ArraySubscriptExpr>(expr)) {
        const Expr *base = access->getBase()->IgnoreParenImpCasts();
        if (!base->getType()->isArrayType())
          return placesAt(access->getBase());
        expr = base;
        isPart = true;
      } else if (const auto *member = dyn_cast<MemberExpr>(expr)) {
        if (member->isArrow())
          return placesAt(member->getBase());
        expr = member->getBase();
        isPart = true;
      } else if (const auto *cast = dyn_cast<ExplicitCastExpr>(expr)) { // the same bytes
        if (!cast->isGLValue() && !cast->getType()->isPointerType())
          return {};
        expr = cast->getSubExpr();
        isPart |= cast->isGLValue();
      } else if (const auto *op = dyn_cast<UnaryOperator>(expr)) {
        const bool isAddress = op->getOpcode() == UO_AddrOf; // handed to a function
        if (op->getOpcode() == UO_Deref)
          return placesAt(op->getSubExpr());
        if (!isAddress && !op->isIncrementDecrementOp())
          return {};
        expr = op->getSubExpr();
        isPart |= isAddress;
      } else if (const auto *op = dyn_cast<BinaryOperator>(expr)) {
        if (op->getOpcode() == BO_PtrMemI)
          return placesAt(op->getLHS());
        const bool isMember = op->getOpcode() == BO_PtrMemD;
        if (op->getType()->isPointerType() && op->isAdditiveOp())
          return placesAt(op);
        if (op->getOpcode() != BO_Comma && !op->isAssignmentOp() && !isMember)
          return {};
        expr = op->getOpcode() == BO_Comma ? op->getRHS() : op->getLHS();
        isPart |= isMember;
      } else if (const auto *choice = dyn_cast<AbstractConditionalOperator>(expr)) {
        return both(rootsOf(choice->getTrueExpr(), isPart),
                    rootsOf(choice->getFalseExpr(), isPart));
      } else if (const auto *name = dyn_cast<DeclRefExpr>(expr)) {
        if (const auto *binding = dyn_cast<BindingDecl>(name->getDecl())) {
          if (!binding->getBinding())
            return {};
          expr = binding->getBinding(); // a member or element of the declaration's own variable
          continue;
        }
        const auto *variable = dyn_cast<VarDecl>(name->getDecl());
        return variable ? std::vector<Root>{{variable, isPart}} : std::vector<Root>();
      } else {
        return {};
      }
    }
  }
  // Where a pointer's value shows that it leads to: m, &n, (T *)m, m + i, &s.x.
  static std::vector<Root> placesAt(const Expr *pointer) {
    for (;;) {
      pointer = pointer->IgnoreParens();
      if (const auto *cast = dyn_cast<CastExpr>(pointer)) {
        if (cast->getCastKind() == CK_ArrayToPointerDecay)
          return rootsOf(cast->getSubExpr(), true);
        if (cast->getCastKind() == CK_LValueToRValue)
          return {};
        pointer = cast->getSubExpr();
      } else if (const auto *op = dyn_cast<UnaryOperator>(pointer)) {
        return op->getOpcode() == UO_AddrOf ? rootsOf(op->getSubExpr(), true) : std::vector<Root>();
      } else if (const auto *op = dyn_cast<BinaryOperator>(pointer)) {
        const bool isLeft = op->isAdditiveOp() && op->getLHS()->getType()->isPointerType();
        pointer = isLeft ? op->getLHS() : op->getRHS();
      } else if (const auto *choice = dyn_cast<AbstractConditionalOperator>(pointer)) {
        return both(placesAt(choice->getTrueExpr()), placesAt(choice->getFalseExpr()));
      } else if (const auto *whole = dyn_cast<FullExpr>(pointer)) {
        pointer = whole->getSubExpr();
      } else {
        return {};
      }
    }
  }
  static std::vector<Root> both(std::vector<Root> roots, const std::vector<Root> &others) {
    roots.insert(roots.end(), others.begin(), others.end());
    return roots;
  }
  // A pointer by value: it stays what it is. What it points to escaped where it was made.
  static bool handsPointer(const Expr *argument) {
    const auto *read = dyn_cast<ImplicitCastExpr>(argument->IgnoreParens());
    if (read && read->getCastKind() == CK_LValueToRValue)
      return true;
    const std::vector<Root> roots = rootsOf(argument, false);
    return !roots.empty() && llvm::all_of(roots, [](const Root &root) {
      return !root.isPart && !root.variable->getType()->isArrayType();
    });
  }

  const bool entersLambdas_; // where they are called, too
  const LambdaExpr *lambda_ = nullptr;
  llvm::DenseSet<const UnaryOperator *> reads_; // through addresses that nobody keeps
  llvm::DenseSet<const CXXMethodDecl *> entered_;
  llvm::DenseSet<const VarDecl *> seenReferences_;
};

} // namespace

Assigned assignedIn(const Stmt &stmt, bool entersLambdas) {
  Assignments assignments(entersLambdas);
  assignments.TraverseStmt(const_cast<Stmt *>(&stmt));
  return std::move(assignments.found);
}

} // namespace layout_port::native
