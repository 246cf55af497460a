#include "native/EpilogueMemory.h"

#include "native/AstRead.h"
#include "native/MergeRows.h"
#include "native/WholeText.h"

#include "clang/AST/Attr.h"

using namespace clang;

namespace layout_port::native {

namespace {

// A function of the author's that gives a value, and reads memory for it.
const FunctionDecl *readingFunction(const CallExpr &call) {
  const FunctionDecl *callee = call.getDirectCallee();
  const FunctionDecl *definition = callee ? callee->getDefinition() : nullptr;
  return definition && definition->hasBody() && !isOfCuda(*definition) && readsMemory(*definition)
             ? definition
             : nullptr;
}

// What a reference of the function's own is another name for; else the expression itself.
const Expr *behindReference(const Expr *object) {
  const auto *name = dyn_cast<DeclRefExpr>(object);
  const auto *variable = name ? dyn_cast<VarDecl>(name->getDecl()) : nullptr;
  const bool isName = variable && variable->isLocalVarDecl() &&
                      variable->getType()->isReferenceType() && variable->getInit();
  return isName ? bare(variable->getInit()) : object;
}

// params, params.matrices: a parameter that is a struct, or a struct in one.
const VarDecl *parameterNamed(const Expr *object) {
  constexpr int kDeepest = 16;
  for (int depth = 0; depth < kDeepest; ++depth) {
    object = behindReference(bare(object));
    if (const auto *name = dyn_cast<DeclRefExpr>(object))
      return dyn_cast<ParmVarDecl>(name->getDecl());
    const auto *part = dyn_cast<MemberExpr>(object);
    if (!part || part->isArrow())
      return nullptr;
    object = part->getBase();
  }
  return nullptr;
}

// params.out, params.matrices.out: a pointer in it.
const VarDecl *parameterOf(const Expr *pointer, const FieldDecl **member) {
  const auto *part = dyn_cast<MemberExpr>(pointer);
  const VarDecl *parameter =
      part && member && !part->isArrow() ? parameterNamed(part->getBase()) : nullptr;
  if (parameter)
    *member = dyn_cast<FieldDecl>(part->getMemberDecl());
  return parameter;
}

// Of a pointer, or of an array.
const VarDecl *rootOf(const Expr *expr, int depth = 0, const FieldDecl **member = nullptr) {
  constexpr int kDeepest = 16;
  if (depth > kDeepest)
    return nullptr;
  expr = bare(expr);
  if (const auto *cast = dyn_cast<ExplicitCastExpr>(expr))
    return rootOf(cast->getSubExpr(), depth + 1, member);
  if (const auto *op = dyn_cast<UnaryOperator>(expr); op && op->getOpcode() == UO_AddrOf) {
    const Expr *place = bare(op->getSubExpr());
    return isMemory(place) || isa<MemberExpr>(place) ? rootOfPlace(place, depth + 1, member)
                                                     : rootOf(place, depth + 1, member);
  }
  if (isMemory(expr) || isa<MemberExpr>(expr))
    return expr->getType()->isArrayType() || expr->getType()->isRecordType()
               ? rootOfPlace(expr, depth + 1, member)
               : parameterOf(expr, member); // else a pointer that lies in memory
  if (const auto *op = dyn_cast<BinaryOperator>(expr);
      op && (op->getOpcode() == BO_Add || op->getOpcode() == BO_Sub))
    return rootOf(op->getLHS()->getType()->isPointerType() ? op->getLHS() : op->getRHS(), depth + 1,
                  member);
  const auto *name = dyn_cast<DeclRefExpr>(expr);
  const auto *variable = name ? dyn_cast<VarDecl>(name->getDecl()) : nullptr;
  if (!variable)
    return nullptr;
  const bool leads = variable->getType()->isPointerType() || variable->getType()->isReferenceType();
  if (leads && !isa<ParmVarDecl>(variable)) {
    if (!variable->getInit())
      return nullptr;
    return rootOf(variable->getInit(), depth + 1, member);
  }
  return variable;
}

// What a member of the object is set to where it is declared: Epilogue e{C, n}, e(C, n) or
// e = {C, n}.
const Expr *memberOf(const VarDecl &object, const FieldDecl &member) {
  const Expr *made = object.getInit() ? throughCopies(object.getInit()) : nullptr;
  if (const auto *list = dyn_cast_or_null<InitListExpr>(made)) {
    const CXXRecordDecl *record = list->getType()->getAsCXXRecordDecl();
    const bool isIts = record && !record->isUnion() && !record->getNumBases() &&
                       member.getParent()->getCanonicalDecl() == record->getCanonicalDecl() &&
                       member.getFieldIndex() < list->getNumInits();
    return isIts ? list->getInit(member.getFieldIndex()) : nullptr;
  }
  const auto *call = dyn_cast_or_null<CXXConstructExpr>(made);
  const FunctionDecl *definition = call ? call->getConstructor()->getDefinition() : nullptr;
  const auto *constructor = dyn_cast_or_null<CXXConstructorDecl>(definition);
  if (!constructor || !isa<CompoundStmt>(constructor->getBody()) ||
      !cast<CompoundStmt>(constructor->getBody())->body_empty())
    return nullptr;
  for (const CXXCtorInitializer *init : constructor->inits())
    if (init->getMember() == &member) {
      const auto *name = dyn_cast<DeclRefExpr>(bare(init->getInit()));
      const auto *parameter = name ? dyn_cast<ParmVarDecl>(name->getDecl()) : nullptr;
      return parameter && parameter->getFunctionScopeIndex() < call->getNumArgs()
                 ? call->getArg(parameter->getFunctionScopeIndex())
                 : nullptr;
    }
  return nullptr;
}

class Names : public DynamicRecursiveASTVisitor {
public:
  bool VisitDeclRefExpr(DeclRefExpr *name) override {
    if (isa<VarDecl>(name->getDecl()))
      all.push_back(name);
    return true;
  }
  std::vector<const DeclRefExpr *> all;
};

} // namespace

// ---- memory

bool isCachedStore(const CallExpr &call) {
  const StringRef name = cudaName(call.getDirectCallee());
  return call.getNumArgs() == 2 &&
         (name == "__stcs" || name == "__stcg" || name == "__stwb" || name == "__stwt");
}

// What a pointer leads to: a place that no expression of the author's names.
static const Expr *placeBehind(Expr &pointer, ASTContext &context) {
  return UnaryOperator::Create(context, &pointer, UO_Deref, pointer.getType()->getPointeeType(),
                               VK_LValue, OK_Ordinary, pointer.getBeginLoc(), false,
                               FPOptionsOverride());
}

const FunctionDecl *storingFunction(const CallExpr &call) {
  if (isCachedStore(call))
    return nullptr;
  const FunctionDecl *callee = call.getDirectCallee();
  const FunctionDecl *definition = callee ? callee->getDefinition() : nullptr;
  return definition && definition->hasBody() && callee->getReturnType()->isVoidType() &&
                 !callee->getBuiltinID()
             ? definition
             : nullptr;
}

const Expr *argumentOf(const CallExpr &call, unsigned parameter) {
  const bool isOfObject = // the first is the object
      isa<CXXOperatorCallExpr>(call) && isa_and_nonnull<CXXMethodDecl>(call.getDirectCallee());
  const unsigned first = isOfObject ? 1 : 0;
  return parameter + first < call.getNumArgs() ? call.getArg(parameter + first) : nullptr;
}

const VarDecl *objectOf(const CallExpr &call) {
  const auto *method = dyn_cast_or_null<CXXMethodDecl>(call.getDirectCallee());
  const auto *member = dyn_cast<CXXMemberCallExpr>(&call);
  const Expr *object = member                           ? member->getImplicitObjectArgument()
                       : isa<CXXOperatorCallExpr>(call) ? call.getArg(0)
                                                        : nullptr;
  const auto *name = object ? dyn_cast<DeclRefExpr>(bare(object)) : nullptr;
  return name && method && method->isInstance() && !method->getParent()->isLambda()
             ? dyn_cast<VarDecl>(name->getDecl())
             : nullptr;
}

bool isMemory(const Expr *expr) {
  if (const auto *op = dyn_cast<UnaryOperator>(expr))
    return op->getOpcode() == UO_Deref;
  if (const auto *member = dyn_cast<MemberExpr>(expr))
    return member->isArrow();
  return isa<ArraySubscriptExpr>(expr);
}

const VarDecl *rootOfPlace(const Expr *place, int depth, const FieldDecl **member) {
  if (const auto *access = dyn_cast<ArraySubscriptExpr>(place))
    return rootOf(access->getBase(), depth, member);
  if (const auto *op = dyn_cast<UnaryOperator>(place))
    return rootOf(op->getSubExpr(), depth, member);
  if (const auto *part = dyn_cast<MemberExpr>(place))
    return rootOf(part->getBase(), depth, member);
  return nullptr;
}

static Touch touchOf(const Expr *place, bool isWrite, bool isRead) {
  Touch touch;
  touch.place = place;
  touch.root = rootOfPlace(place, 0, &touch.member);
  touch.isWrite = isWrite;
  touch.isRead = isRead;
  return touch;
}

const MemberExpr *memberOfThis(const Expr *expr) {
  for (;;) {
    expr = bare(expr);
    if (const auto *cast = dyn_cast<ExplicitCastExpr>(expr))
      expr = cast->getSubExpr();
    else if (const auto *access = dyn_cast<ArraySubscriptExpr>(expr))
      expr = access->getBase();
    else if (const auto *op = dyn_cast<UnaryOperator>(expr))
      expr = op->getSubExpr();
    else if (const auto *sum = dyn_cast<BinaryOperator>(expr))
      expr = sum->getLHS()->getType()->isPointerType() ? sum->getLHS() : sum->getRHS();
    else if (const auto *member = dyn_cast<MemberExpr>(expr)) {
      if (isa<CXXThisExpr>(bare(member->getBase())))
        return member;
      expr = member->getBase();
    } else if (const auto *name = dyn_cast<DeclRefExpr>(expr)) {
      const auto *local = dyn_cast<VarDecl>(name->getDecl());
      if (!local || isa<ParmVarDecl>(local) || !local->getInit() ||
          !local->getType()->isPointerType())
        return nullptr;
      expr = local->getInit();
    } else
      return nullptr;
  }
}

bool isPartOfThis(const Expr *place) {
  for (;;) {
    place = bare(place);
    if (isa<CXXThisExpr>(place))
      return true;
    const auto *member = dyn_cast<MemberExpr>(place);
    const auto *access = dyn_cast<ArraySubscriptExpr>(place);
    if (member && (!member->isArrow() || isa<CXXThisExpr>(bare(member->getBase()))))
      place = member->getBase();
    else if (access && bare(access->getBase())->getType()->isArrayType())
      place = access->getBase();
    else
      return false;
  }
}

// ---- what is read and written

bool Touches::TraverseStmt(Stmt *stmt) {
  if (!stmt)
    return true;
  if (const auto *op = dyn_cast<UnaryOperator>(stmt); op && op->getOpcode() == UO_AddrOf)
    return inside(bare(op->getSubExpr()));
  if (const auto *op = dyn_cast<BinaryOperator>(stmt); op && op->isAssignmentOp()) {
    written(op->getLHS(), op->isCompoundAssignmentOp());
    return TraverseStmt(op->getRHS());
  }
  if (const auto *op = dyn_cast<UnaryOperator>(stmt); op && op->isIncrementDecrementOp()) {
    written(op->getSubExpr(), true);
    return true;
  }
  if (const auto *call = dyn_cast<CXXOperatorCallExpr>(stmt); call && call->isAssignmentOp()) {
    written(call->getArg(0), call->getOperator() != OO_Equal);
    return TraverseStmt(const_cast<Expr *>(call->getArg(1)));
  }
  if (const auto *call = dyn_cast<CallExpr>(stmt); call && isAtomic(call)) {
    all.push_back({nullptr, rootOf(call->getArg(0)), true, false});
    return DynamicRecursiveASTVisitor::TraverseStmt(stmt);
  }
  auto *call = dyn_cast<CallExpr>(stmt);
  if (call && isCachedStore(*call)) {
    const Expr *place = placeBehind(*call->getArg(0), call->getDirectCallee()->getASTContext());
    all.push_back(touchOf(place, true, false));
    return TraverseStmt(call->getArg(0)) && TraverseStmt(call->getArg(1));
  }
  if (call && !isInFunction_ && storingFunction(*call))
    addFunction(*call, *storingFunction(*call));
  else if (const FunctionDecl *reading = call ? readingFunction(*call) : nullptr) {
    if (isInFunction_)
      all.push_back({nullptr, nullptr, false, true});
    else
      addFunction(*call, *reading);
  }
  if (const auto *made = dyn_cast<CXXConstructExpr>(stmt);
      made && readsMemory(*made->getConstructor()))
    all.push_back({nullptr, nullptr, false, true});
  const auto *expr = dyn_cast<Expr>(stmt);
  if (expr && isMemory(expr)) {
    all.push_back(touchOf(expr, false, true));
    return inside(expr);
  }
  return DynamicRecursiveASTVisitor::TraverseStmt(stmt);
}

// What the function does is done here, to what it is given.
void Touches::addFunction(const CallExpr &call, const FunctionDecl &function) {
  Touches inner;
  inner.isInFunction_ = true;
  inner.TraverseStmt(function.getBody());
  for (Touch touch : inner.all) {
    if (touch.place && !touch.isWrite && isPartOfThis(touch.place))
      continue; // in registers
    touch.root = rootSeenFrom(call, function, touch);
    touch.call = &call;
    all.push_back(touch);
  }
}

bool Touches::isAtomic(const CallExpr *call) {
  return cudaName(call->getDirectCallee()).starts_with("atomic") && call->getNumArgs() > 0;
}

// The address's own parts: a place inside an array is no access of the array.
bool Touches::inside(const Expr *place) {
  if (const auto *access = dyn_cast<ArraySubscriptExpr>(place))
    return address(access->getBase()) && TraverseStmt(const_cast<Expr *>(access->getIdx()));
  if (const auto *op = dyn_cast<UnaryOperator>(place))
    return address(op->getSubExpr());
  if (const auto *member = dyn_cast<MemberExpr>(place))
    return address(member->getBase());
  return TraverseStmt(const_cast<Expr *>(place));
}

bool Touches::address(const Expr *expr) {
  const Expr *inner = bare(expr);
  const bool isPlace = inner->getType()->isArrayType() || inner->getType()->isRecordType();
  return isPlace && isMemory(inner) ? inside(inner) : TraverseStmt(const_cast<Expr *>(inner));
}

void Touches::written(const Expr *target, bool isRead) {
  const Expr *place = bare(target);
  while (const auto *member = dyn_cast<MemberExpr>(place)) {
    if (member->isArrow())
      break;
    place = bare(member->getBase());
  }
  if (!isMemory(place)) {
    variables.push_back(target);
    TraverseStmt(const_cast<Expr *>(place));
    return;
  }
  all.push_back(touchOf(place, true, isRead));
  inside(place);
}

const VarDecl *rootSeenFrom(const CallExpr &call, const FunctionDecl &function,
                            const Touch &touch) {
  const VarDecl *object = objectOf(call), *root = touch.root;
  const MemberExpr *member = touch.place && !root ? memberOfThis(touch.place) : nullptr;
  const auto *field = member ? dyn_cast<FieldDecl>(member->getMemberDecl()) : nullptr;
  const Expr *leads = object && field ? memberOf(*object, *field) : nullptr;
  if (leads)
    root = rootOf(leads);
  const auto *parameter = dyn_cast_or_null<ParmVarDecl>(root);
  if (!parameter || parameter->getDeclContext() != &function)
    return root;
  const Expr *argument = argumentOf(call, parameter->getFunctionScopeIndex());
  const VarDecl *given = argument ? rootOf(argument) : nullptr;
  // A pointer of a struct leads elsewhere than the struct lies.
  return touch.member && !isa_and_nonnull<ParmVarDecl>(given) ? nullptr : given;
}

std::vector<Touch> touchesOf(const Stmt *stmt) {
  Touches touches;
  touches.TraverseStmt(const_cast<Stmt *>(stmt));
  return touches.all;
}

// ---- values that live in registers

bool isSharedVariable(const VarDecl *variable) { return variable->hasAttr<CUDASharedAttr>(); }

bool leadApart(const VarDecl &a, const VarDecl &b) {
  const auto isArray = [](const VarDecl &v) { return v.getType()->isArrayType(); };
  const auto isDynamic = [](const VarDecl &v) {
    return isSharedVariable(&v) && v.hasExternalStorage();
  };
  return &a != &b && (isSharedVariable(&a) != isSharedVariable(&b) ||
                      (isArray(a) && isArray(b) && !(isDynamic(a) && isDynamic(b))) ||
                      a.getType().isRestrictQualified() || b.getType().isRestrictQualified());
}

const VarDecl *sharedNamedBy(const VarDecl &reference) {
  if (!reference.getType()->isReferenceType() || !reference.isLocalVarDecl())
    return nullptr;
  const Expr *place = reference.getInit();
  while (place) {
    place = bare(place);
    const auto *op = dyn_cast<UnaryOperator>(place);
    const auto *member = dyn_cast<MemberExpr>(place);
    if (const auto *cast = dyn_cast<ExplicitCastExpr>(place))
      place = cast->getSubExpr();
    else if (const auto *access = dyn_cast<ArraySubscriptExpr>(place))
      place = access->getBase();
    else if (op && (op->getOpcode() == UO_Deref || op->getOpcode() == UO_AddrOf))
      place = op->getSubExpr();
    else if (member && !member->isArrow())
      place = member->getBase();
    else
      break;
  }
  const auto *name = dyn_cast_or_null<DeclRefExpr>(place);
  const auto *root = name ? dyn_cast<VarDecl>(name->getDecl()) : nullptr;
  return root && isSharedVariable(root) ? root : nullptr;
}

// const auto &m = params.matrices: a name of what the kernel is given.
static bool namesArgument(const VarDecl &variable) {
  const VarDecl *parameter = variable.getType()->isReferenceType() && variable.getInit()
                                 ? parameterNamed(variable.getInit())
                                 : nullptr;
  const auto *kernel = parameter ? dyn_cast<FunctionDecl>(parameter->getDeclContext()) : nullptr;
  return kernel && isKernelText(*kernel);
}

bool isRegisters(const VarDecl *variable) {
  const QualType type = variable->getType().getNonReferenceType();
  return variable->isLocalVarDecl() && !namesArgument(*variable) && !sharedNamedBy(*variable) &&
         !isSharedVariable(variable) && !variable->isStaticLocal() && !variable->isConstexpr() &&
         (type->isArrayType() || type->isRecordType());
}

bool Values::VisitVarDecl(VarDecl *variable) {
  if (variable->getInit())
    from[variable].push_back(variable->getInit());
  return true;
}

bool Values::VisitBinaryOperator(BinaryOperator *op) {
  const auto *name = dyn_cast<DeclRefExpr>(bare(op->getLHS()));
  if (const auto *variable = name ? dyn_cast<VarDecl>(name->getDecl()) : nullptr;
      variable && op->isAssignmentOp())
    from[variable].push_back(op->getRHS());
  return true;
}

bool Values::VisitUnaryOperator(UnaryOperator *op) {
  if (op->getOpcode() == UO_AddrOf)
    lend(op->getSubExpr());
  return true;
}

bool Values::VisitCallExpr(CallExpr *call) {
  const FunctionDecl *callee = call->getDirectCallee();
  for (unsigned i = 0; callee && i < call->getNumArgs() && i < callee->getNumParams(); ++i) {
    const QualType type = callee->getParamDecl(i)->getType();
    if (type->isReferenceType() && !type.getNonReferenceType().isConstQualified())
      lend(call->getArg(i));
  }
  return true;
}

bool Values::VisitGCCAsmStmt(GCCAsmStmt *stmt) {
  for (unsigned i = 0; i < stmt->getNumOutputs(); ++i)
    lend(stmt->getOutputExpr(i));
  return true;
}

void Values::lend(const Expr *expr) {
  if (const auto *name = dyn_cast<DeclRefExpr>(bare(expr)))
    if (const auto *variable = dyn_cast<VarDecl>(name->getDecl()))
      lent.insert(variable);
}

std::vector<const DeclRefExpr *> mentionsIn(const Stmt *stmt) {
  Names names;
  names.TraverseStmt(const_cast<Stmt *>(stmt));
  return names.all;
}

std::set<const VarDecl *> namesIn(const Stmt *stmt) {
  std::set<const VarDecl *> variables;
  for (const DeclRefExpr *name : mentionsIn(stmt))
    variables.insert(cast<VarDecl>(name->getDecl()));
  return variables;
}

} // namespace layout_port::native
