#include "native/WholeText.h"

#include "native/AstRead.h"
#include "native/EpilogueMemory.h"
#include "native/Sample.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "clang/AST/DynamicRecursiveASTVisitor.h"
#include "clang/AST/ExprCXX.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace layout_port::native {

namespace {

constexpr char kMark[] = "layout_port::kernel";
constexpr int kDeepest = 4; // functions that are all of each other

// What a place is in: x of x.y[2], (x)->z of none.
const VarDecl *rootOfPlace(const Expr *place) {
  for (;;) {
    place = stripped(place);
    if (const auto *member = dyn_cast<MemberExpr>(place); member && !member->isArrow())
      place = member->getBase();
    else if (const auto *access = dyn_cast<ArraySubscriptExpr>(place))
      place = access->getBase();
    else if (const auto *cast = dyn_cast<ExplicitCastExpr>(place))
      place = cast->getSubExpr();
    else
      return variableNamed(place);
  }
}

bool isShared(const VarDecl *variable) { return variable && isSharedVariable(variable); }

// Ways to a variable of the thread's own: its address, an array's, a reference, a lambda; and
// objects that code of their class makes, which may ask whose they are.
class OwnPlaces : public DynamicRecursiveASTVisitor {
public:
  bool VisitCXXConstructExpr(CXXConstructExpr *made) override {
    return !(any |= !made->getConstructor()->isTrivial());
  }
  bool VisitCXXDefaultInitExpr(CXXDefaultInitExpr *) override { return !(any = true); }
  bool VisitUnaryOperator(UnaryOperator *op) override {
    any |= op->getOpcode() == UO_AddrOf && isOwn(op->getSubExpr());
    return !any;
  }
  bool VisitImplicitCastExpr(ImplicitCastExpr *cast) override {
    any |= cast->getCastKind() == CK_ArrayToPointerDecay && isOwn(cast->getSubExpr());
    return !any;
  }
  bool VisitLambdaExpr(LambdaExpr *) override { return !(any = true); }
  bool VisitVarDecl(VarDecl *variable) override {
    const bool isReference = variable->getType()->isReferenceType();
    any |= !isShared(variable) &&
           (variable->isStaticLocal() || variable->getType()->isArrayType() ||
            (isReference && (!variable->getInit() || isOwn(variable->getInit()))));
    return !any;
  }
  static bool isOwn(const Expr *place) {
    const VarDecl *root = rootOfPlace(place);
    return root && root->hasLocalStorage() && !isShared(root);
  }
  bool any = false;
};

// Shared memory that is named, in functions that are called, too, and by variables that are made of
// it; and whether anything multiplies.
class Below : public DynamicRecursiveASTVisitor {
public:
  bool VisitGCCAsmStmt(GCCAsmStmt *stmt) override {
    multiplies |= StringRef(stmt->getAsmString()).contains("mma.sync");
    return true;
  }
  bool VisitDeclRefExpr(DeclRefExpr *name) override {
    const auto *variable = dyn_cast<VarDecl>(name->getDecl());
    if (isShared(variable))
      shared.insert(variable);
    else if (variable && variable->isLocalVarDecl() && variable->getInit() &&
             seen_.insert(variable).second)
      TraverseStmt(const_cast<Expr *>(variable->getInit()));
    return true;
  }
  bool VisitCallExpr(CallExpr *call) override {
    const FunctionDecl *callee = call->getDirectCallee();
    const FunctionDecl *definition = callee ? callee->getDefinition() : nullptr;
    if (definition && definition->hasBody() && seen_.insert(definition).second)
      TraverseStmt(definition->getBody());
    return true;
  }
  std::set<const VarDecl *> shared;
  bool multiplies = false;

private:
  std::set<const Decl *> seen_;
};

bool isDynamic(const VarDecl *variable) { return variable->hasExternalStorage(); }

// The same memory by two names: one variable, or two of what the launch gives.
bool mayMeet(const std::set<const VarDecl *> &a, const std::set<const VarDecl *> &b) {
  return llvm::any_of(a, [&](const VarDecl *variable) { return b.count(variable) != 0; }) ||
         (llvm::any_of(a, isDynamic) && llvm::any_of(b, isDynamic));
}

// Declarations, and a call at the end.
const CallExpr *callAtEnd(const FunctionDecl &kernel) {
  const auto *body = dyn_cast_or_null<CompoundStmt>(kernel.getBody());
  const Stmt *end = body && !body->body_empty() ? body->body_back() : nullptr;
  const auto *leave = dyn_cast_or_null<ReturnStmt>(end); // return compute(p);
  const auto *last = leave ? leave->getRetValue() : dyn_cast_or_null<Expr>(end);
  const bool isPlain = last && llvm::all_of(body->body(), [&](const Stmt *stmt) {
                         return stmt == end || isa<DeclStmt, NullStmt>(stmt);
                       });
  return isPlain ? dyn_cast<CallExpr>(stripped(last)) : nullptr;
}

// *reinterpret_cast<Storage *>(memory)
bool isAtArrayOfShared(const Expr &place) {
  const auto *at = dyn_cast<UnaryOperator>(stripped(&place));
  if (!at || at->getOpcode() != UO_Deref)
    return false;
  const Expr *pointer = stripped(at->getSubExpr());
  while (const auto *cast = dyn_cast<ExplicitCastExpr>(pointer))
    pointer = stripped(cast->getSubExpr());
  const VarDecl *array = variableNamed(pointer);
  return array && array->getType()->isArrayType() && isShared(array);
}

// Storage &storage, of a __shared__ variable or a part of it.
bool namesShared(const ParmVarDecl &parameter, const Expr &argument) {
  return parameter.getType()->isReferenceType() &&
         (isShared(rootOfPlace(&argument)) || isAtArrayOfShared(argument));
}
bool mayChange(const ParmVarDecl &parameter) {
  const QualType type = parameter.getType();
  return type->isReferenceType() && !type.getNonReferenceType().isConstQualified();
}

// Every name of a function, and in which function it stands, of templates their instances; null: in
// none.
class References : public DynamicRecursiveASTVisitor {
public:
  using Note = std::function<void(const FunctionDecl &named, const FunctionDecl *by)>;
  explicit References(Note note) : note_(std::move(note)) {
    ShouldVisitTemplateInstantiations = true;
  }
  bool TraverseDecl(Decl *decl) override {
    const auto *function = dyn_cast_or_null<FunctionDecl>(decl);
    if (function && function->isDependentContext())
      return true;
    const FunctionDecl *outer = in_;
    in_ = function ? function : in_;
    const bool goesOn = DynamicRecursiveASTVisitor::TraverseDecl(decl);
    in_ = outer;
    return goesOn;
  }
  bool VisitDeclRefExpr(DeclRefExpr *name) override { return add(*name->getDecl()); }
  bool VisitMemberExpr(MemberExpr *member) override { return add(*member->getMemberDecl()); }

private:
  bool add(const ValueDecl &named) {
    const auto *function = dyn_cast<FunctionDecl>(&named);
    if (const FunctionDecl *definition = function ? function->getDefinition() : nullptr)
      note_(*definition, in_);
    return true;
  }
  Note note_;
  const FunctionDecl *in_ = nullptr;
};

} // namespace

bool isKernelText(const FunctionDecl &function) {
  return function.hasAttr<CUDAGlobalAttr>() ||
         llvm::any_of(function.specific_attrs<AnnotateAttr>(), [](const AnnotateAttr *attribute) {
           return attribute->getAnnotation() == kMark;
         });
}

bool isConstantOfKernel(const VarDecl &variable) {
  return isa<ParmVarDecl>(variable) && variable.hasAttr<CUDAConstantAttr>();
}

const FunctionDecl *WholeTexts::calledBy(const FunctionDecl &kernel) const {
  const CallExpr *call = callAtEnd(kernel);
  const FunctionDecl *callee = call ? call->getDirectCallee() : nullptr;
  const FunctionDecl *function = callee ? callee->getDefinition() : nullptr;
  const auto *method = dyn_cast_or_null<CXXMethodDecl>(function);
  if (!function || !function->hasBody() || isOfHeaders(*function) ||
      (method && method->isInstance()) || function->isVariadic() ||
      function->hasAttr<CUDAHostAttr>() || !function->getReturnType()->isVoidType())
    return nullptr;
  OwnPlaces own;
  own.TraverseStmt(kernel.getBody());
  Sampler sampler(context_, kernel, kernel, LaunchShape());
  for (const Stmt *stmt : llvm::drop_end(cast<CompoundStmt>(kernel.getBody())->body()))
    if (sampler.asksOthers(stmt))
      return nullptr;
  Below below, before; // `before`: what arguments in front of one lead to
  bool namesAny = false;
  below.TraverseStmt(function->getBody());
  for (unsigned i = 0; i < call->getNumArgs(); ++i) {
    const auto *byDefault = dyn_cast<CXXDefaultArgExpr>(call->getArg(i));
    const Expr &argument = byDefault ? *byDefault->getExpr() : *call->getArg(i);
    const ParmVarDecl &parameter = *function->getParamDecl(i);
    Below given;
    given.TraverseStmt(const_cast<Expr *>(&argument));
    const bool isName = namesShared(parameter, argument);
    namesAny |= isName;
    if (sampler.dependsOnThread(&argument) || sampler.asksOthers(&argument) ||
        (!isName && mayChange(parameter)) || mayMeet(given.shared, below.shared) ||
        (namesAny && mayMeet(given.shared, before.shared)))
      return nullptr;
    before.shared.insert(given.shared.begin(), given.shared.end());
  }
  return below.multiplies && !own.any ? function : nullptr;
}

// A parameter that names shared memory is shared memory; one that names what the kernel is given,
// const Params &params, is a constant.
void WholeTexts::nameShared(const FunctionDecl &function, const CallExpr &call) const {
  for (unsigned i = 0; i < call.getNumArgs(); ++i) {
    auto *parameter = const_cast<ParmVarDecl *>(function.getParamDecl(i));
    const VarDecl *root = rootOfPlace(call.getArg(i));
    if (namesShared(*parameter, *call.getArg(i)) && !isShared(parameter))
      parameter->addAttr(CUDASharedAttr::CreateImplicit(context_));
    else if (parameter->getType()->isReferenceType() && !mayChange(*parameter) &&
             isa_and_nonnull<ParmVarDecl>(root) && !root->getType()->isPointerType() &&
             (!root->getType()->isReferenceType() || isConstantOfKernel(*root)) &&
             !isConstantOfKernel(*parameter))
      parameter->addAttr(CUDAConstantAttr::CreateImplicit(context_));
  }
}

// And each of its instances of one: another call would have its text, too.
bool WholeTexts::isAllOfKernels(const FunctionDecl &function, int depth) {
  if (callers_.empty())
    References([this](const FunctionDecl &named, const FunctionDecl *by) {
      callers_[named.getLocation()][&named].push_back(by);
    }).TraverseDecl(context_.getTranslationUnitDecl());
  const auto known = callers_.find(function.getLocation());
  return known != callers_.end() && depth < kDeepest &&
         llvm::all_of(known->second, [&](const auto &each) {
           const FunctionDecl *by = each.second.size() == 1 ? each.second[0] : nullptr;
           return by && calledBy(*by) == each.first &&
                  (by->template hasAttr<CUDAGlobalAttr>() || isAllOfKernels(*by, depth + 1));
         });
}

const FunctionDecl &WholeTexts::of(const FunctionDecl &kernel) {
  const auto [known, isNew] = texts_.try_emplace(&kernel, &kernel);
  if (!isNew)
    return *known->second;
  const FunctionDecl *text = &kernel;
  for (int depth = 0; depth < kDeepest; ++depth) {
    const FunctionDecl *inner = calledBy(*text);
    if (!inner || !isAllOfKernels(*inner, 0))
      break;
    nameShared(*inner, *callAtEnd(*text));
    text = inner;
  }
  if (text != &kernel)
    const_cast<FunctionDecl *>(text)->addAttr(
        AnnotateAttr::CreateImplicit(context_, kMark, nullptr, 0));
  return *(known->second = text);
}

} // namespace layout_port::native
