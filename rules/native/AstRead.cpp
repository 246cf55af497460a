#include "native/AstRead.h"

#include "native/Sample.h"
#include "native/WholeText.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/RecordLayout.h"
#include "clang/Basic/FileManager.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/Path.h"

using namespace clang;

namespace layout_port::native {

constexpr int kDeepestHeader = 8; // folders that a header lies below CUDA's

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

static bool isMatrix(const ptx::Instruction &i) {
  return i.opcode == "mma" || i.opcode == "ldmatrix";
}

std::vector<const ptx::Instruction *> matricesOf(const ptx::Block &block) {
  std::vector<const ptx::Instruction *> all;
  for (const ptx::Instruction &i : block.instructions)
    if (isMatrix(i))
      all.push_back(&i);
  return all;
}

bool onlyMakesAddresses(const ptx::Block &block) {
  return block.labels.empty() && llvm::all_of(block.instructions, [](const ptx::Instruction &i) {
           const bool isMade =
               i.opcode == "cvta" || i.opcode == "cvt" || i.opcode == "mov" || i.opcode == "add";
           const bool isOwn = !i.operands.empty() && i.operands[0].is(ptx::Operand::Kind::Register);
           return isMatrix(i) || (isMade && isOwn && !i.guard);
         });
}

bool isProduct(const GCCAsmStmt &stmt) {
  const auto text = readAsm(stmt);
  return text && text->matrix && text->matrix->opcode == "mma";
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

// %3 and %[name] are numbers of the operands, outputs first.
static std::optional<unsigned> numberOf(const GCCAsmStmt &stmt, const ptx::Operand &operand) {
  if (!operand.is(ptx::Operand::Kind::AsmOperand))
    return std::nullopt;
  const unsigned outputs = stmt.getNumOutputs(), all = outputs + stmt.getNumInputs();
  if (operand.index >= 0)
    return static_cast<unsigned>(operand.index) < all ? std::optional<unsigned>(operand.index)
                                                      : std::nullopt;
  for (unsigned n = 0; n < all; ++n)
    if ((n < outputs ? stmt.getOutputName(n) : stmt.getInputName(n - outputs)) == operand.name)
      return n;
  return std::nullopt;
}

const Expr *operandOf(const GCCAsmStmt &stmt, const ptx::Operand &operand) {
  const auto n = numberOf(stmt, operand);
  const unsigned outputs = stmt.getNumOutputs();
  if (!n)
    return nullptr;
  return *n < outputs ? stmt.getOutputExpr(*n) : stmt.getInputExpr(*n - outputs);
}

const Expr *operandReadBy(const GCCAsmStmt &stmt, const ptx::Operand &operand) {
  const auto n = numberOf(stmt, operand);
  if (!n || *n >= stmt.getNumOutputs() || stmt.isOutputPlusConstraint(*n))
    return operandOf(stmt, operand);
  for (unsigned i = 0; i < stmt.getNumInputs(); ++i)
    if (const std::string given = stmt.getInputConstraint(i);
        given == std::to_string(*n) || given == "[" + stmt.getOutputName(*n).str() + "]")
      return stmt.getInputExpr(i);
  return nullptr;
}

bool ExecutedVisitor::TraverseCXXDefaultArgExpr(CXXDefaultArgExpr *given) {
  return DynamicRecursiveASTVisitor::TraverseCXXDefaultArgExpr(given) &&
         TraverseStmt(given->getExpr());
}
bool ExecutedVisitor::TraverseCXXDefaultInitExpr(CXXDefaultInitExpr *given) {
  return DynamicRecursiveASTVisitor::TraverseCXXDefaultInitExpr(given) &&
         TraverseStmt(given->getExpr());
}
// What the text leaves out is in the other form of the list.
bool ExecutedVisitor::TraverseInitListExpr(InitListExpr *list) {
  if (!DynamicRecursiveASTVisitor::TraverseInitListExpr(list))
    return false;
  const InitListExpr *whole = list->isSemanticForm() ? list : list->getSemanticForm();
  const InitListExpr *spelled = list->isSyntacticForm() ? list : list->getSyntacticForm();
  if (!whole || !spelled || whole == spelled)
    return true;
  const auto isSpelled = [&](Expr *init) {
    return llvm::any_of(spelled->inits(), [&](Expr *other) {
      const auto *named = dyn_cast<DesignatedInitExpr>(other);
      return (named ? named->getInit() : other)->IgnoreImplicit() == init->IgnoreImplicit();
    });
  };
  return llvm::all_of(whole->inits(),
                      [&](Expr *init) { return !init || isSpelled(init) || TraverseStmt(init); });
}
bool ExecutedVisitor::traverseDefinition(const FunctionDecl &definition) {
  if (const auto *constructor = dyn_cast<CXXConstructorDecl>(&definition))
    for (const CXXCtorInitializer *init : constructor->inits())
      if (!TraverseStmt(init->getInit()))
        return false;
  return TraverseStmt(definition.getBody());
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

const Stmt *withoutAttributes(const Stmt *stmt) {
  const auto *attributed = dyn_cast_or_null<AttributedStmt>(stmt);
  return attributed ? attributed->getSubStmt() : stmt;
}

const VarDecl *variableNamed(const Expr *expr) {
  const auto *name = dyn_cast<DeclRefExpr>(stripped(expr));
  return name ? dyn_cast<VarDecl>(name->getDecl()) : nullptr;
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

std::optional<bool> constantCondition(const IfStmt &branch, const ASTContext &context) {
  const Expr *condition = branch.getCond();
  bool value = false;
  if (branch.getInit() || branch.getConditionVariable() || condition->isValueDependent() ||
      !condition->EvaluateAsBooleanCondition(value, context))
    return std::nullopt;
  return value;
}

const Expr *throughConstantChoice(const Expr *expr, const ASTContext &context) {
  const auto *choice = expr ? dyn_cast<ConditionalOperator>(stripped(expr)) : nullptr;
  bool holds = false;
  if (!choice || choice->getCond()->isValueDependent() ||
      !choice->getCond()->EvaluateAsBooleanCondition(holds, context))
    return expr;
  return throughConstantChoice(holds ? choice->getTrueExpr() : choice->getFalseExpr(), context);
}

const LambdaExpr *lambdaByReference(const VarDecl &variable) {
  const Expr *value = variable.getInit() ? throughCopies(variable.getInit()) : nullptr;
  const auto *lambda = dyn_cast_or_null<LambdaExpr>(value);
  const bool isPlain =
      lambda && variable.hasLocalStorage() && !lambda->isGenericLambda() &&
      llvm::none_of(lambda->captures(), [](const LambdaCapture &capture) {
        return capture.capturesVariable() &&
               (capture.getCapturedVar()->isInitCapture() || capture.getCaptureKind() != LCK_ByRef);
      });
  return isPlain ? lambda : nullptr;
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
bool isOfConstants(const VarDecl &variable) {
  const QualType type = variable.getType();
  return type.isConstQualified() && !type.isVolatileQualified() && !type->isReferenceType() &&
         variable.getInit() && !variable.getInit()->isValueDependent() &&
         !variable.hasAttr<CUDAConstantAttr>() &&
         (variable.isConstexpr() ||
          variable.getInit()->isConstantInitializer(variable.getASTContext(), false));
}

static bool isReadOnly(const Expr *place) {
  for (;;) {
    place = place->IgnoreParenImpCasts();
    if (const auto *access = dyn_cast<ArraySubscriptExpr>(place))
      place = access->getBase();
    else if (const auto *op = dyn_cast<UnaryOperator>(place);
             op && (op->getOpcode() == UO_Deref || op->getOpcode() == UO_AddrOf))
      place = op->getSubExpr();
    else if (const auto *cast = dyn_cast<ExplicitCastExpr>(place);
             cast && cast->getType()->isPointerType())
      place = cast->getSubExpr();
    else if (const auto *sum = dyn_cast<BinaryOperator>(place); sum && sum->isAdditiveOp())
      place = sum->getLHS();
    else if (const auto *member = dyn_cast<MemberExpr>(place))
      place = member->getBase();
    else
      break;
  }
  const auto *name = dyn_cast<DeclRefExpr>(place);
  const auto *variable = name ? dyn_cast<VarDecl>(name->getDecl()) : nullptr;
  if (!variable)
    return false;
  const auto *parameter = dyn_cast<ParmVarDecl>(variable);
  const auto *function = parameter ? dyn_cast<FunctionDecl>(parameter->getDeclContext()) : nullptr;
  const QualType type = variable->getType();
  return variable->hasAttr<CUDAConstantAttr>() || isOfConstants(*variable) ||
         (function && isKernelText(*function) && type->isPointerType() &&
          type.isRestrictQualified() && type->getPointeeType().isConstQualified());
}

// x of *reinterpret_cast<const uint32_t *>(&x); null: it is none such.
static const Expr *seenAsAnother(const Expr &place) {
  const auto *op = dyn_cast<UnaryOperator>(&place);
  if (!op || op->getOpcode() != UO_Deref)
    return nullptr;
  const auto *address = dyn_cast<UnaryOperator>(op->getSubExpr()->IgnoreParenCasts());
  return address && address->getOpcode() == UO_AddrOf ? address->getSubExpr() : nullptr;
}

// Not a variable of the function's own, or a part of one, that is seen to change.
static bool isInMemory(const Expr *place) {
  place = stripped(place);
  if (const auto *member = dyn_cast<MemberExpr>(place)) {
    if (isa<CXXThisExpr>(stripped(member->getBase())))
      return false; // where the object is, the call says
    return !objectOfStatic(*member) && (member->isArrow() || isInMemory(member->getBase())) &&
           !isReadOnly(place);
  }
  if (const auto *choice = dyn_cast<AbstractConditionalOperator>(place))
    return isInMemory(choice->getTrueExpr()) || isInMemory(choice->getFalseExpr());
  if (const auto *name = dyn_cast<DeclRefExpr>(place)) {
    const auto *variable = dyn_cast<VarDecl>(name->getDecl());
    if (!variable || isa<ParmVarDecl>(variable))
      return false;
    if (!variable->hasLocalStorage())
      return !variable->getType().isConstQualified() && !isReadOnly(place);
    return variable->getType()->isReferenceType() && variable->getInit() &&
           isInMemory(variable->getInit());
  }
  if (const Expr *whole = seenAsAnother(*place))
    return isInMemory(whole);
  const auto *call = dyn_cast<CallExpr>(place);
  return (isa<ArraySubscriptExpr, UnaryOperator>(place) && !isReadOnly(place)) ||
         (call && call->isGLValue());
}

bool Inputs::matters(const Expr *place) const {
  return isInMemory(place) && !(isNoMatter_ && isNoMatter_(*place));
}

bool Inputs::VisitImplicitCastExpr(ImplicitCastExpr *cast) {
  readsMemory |= cast->getCastKind() == CK_LValueToRValue && matters(cast->getSubExpr());
  return true;
}

// What it is handed by reference, and what it reads through pointers.
bool Inputs::VisitCallExpr(CallExpr *call) {
  const FunctionDecl *callee = call->getDirectCallee();
  readsMemory |= !callee || readsIn(*callee);
  for (const Expr *argument : call->arguments())
    readsMemory |= argument->isGLValue() && matters(argument);
  if (const auto *member = dyn_cast<CXXMemberCallExpr>(call)) {
    const Expr *object = stripped(member->getImplicitObjectArgument());
    readsMemory |= object->getType()->isPointerType() ? !isa<CXXThisExpr>(object) : matters(object);
  }
  return true;
}
bool Inputs::VisitCXXConstructExpr(CXXConstructExpr *made) {
  readsMemory |= !made->getConstructor()->isTrivial() && readsIn(*made->getConstructor());
  for (const Expr *argument : made->arguments())
    readsMemory |= argument->isGLValue() && matters(argument);
  return true;
}
bool Inputs::VisitGCCAsmStmt(GCCAsmStmt *stmt) {
  readsMemory |= StringRef(stmt->getAsmString()).contains("ld");
  return true;
}

bool Inputs::readsIn(const FunctionDecl &callee) {
  const FunctionDecl *definition = callee.getDefinition();
  if (!definition || !definition->hasBody())
    return !callee.getBuiltinID() &&
           (!isOfCuda(callee) || (callee.getIdentifier() && callee.getName().starts_with("__ld")));
  if (!seen_.insert(definition).second)
    return false;
  Inputs inner;
  inner.seen_.swap(seen_);
  inner.traverseDefinition(*definition);
  seen_.swap(inner.seen_);
  return inner.readsMemory;
}

bool readsMemory(const FunctionDecl &callee) { return Inputs().readsIn(callee); }

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

//   struct Derived : First, Second {}      Second lies behind First
std::optional<int64_t> baseOffset(const CastExpr &cast, const ASTContext &context) {
  const bool isBack = cast.getCastKind() == CK_BaseToDerived;
  if (!isBack && cast.getCastKind() != CK_DerivedToBase &&
      cast.getCastKind() != CK_UncheckedDerivedToBase)
    return 0;
  const QualType outer = isBack ? cast.getType() : cast.getSubExpr()->getType();
  const CXXRecordDecl *record =
      (outer->isPointerType() ? outer->getPointeeType() : outer)->getAsCXXRecordDecl();
  int64_t offset = 0;
  for (const CXXBaseSpecifier *step : cast.path()) {
    const CXXRecordDecl *base = step->getType()->getAsCXXRecordDecl();
    if (step->isVirtual() || !record || !base || record->isDependentType() ||
        base->isDependentType())
      return std::nullopt;
    offset += context.getASTRecordLayout(record).getBaseClassOffset(base).getQuantity();
    record = base;
  }
  return isBack ? -offset : offset;
}

static bool isInSystemHeader(const FunctionDecl &function) {
  const SourceManager &sm = function.getASTContext().getSourceManager();
  return sm.isInSystemHeader(sm.getExpansionLoc(function.getLocation()));
}

bool isOfHeaders(const FunctionDecl &function) {
  return function.isImplicit() || function.isDefaulted() || isInSystemHeader(function);
}

// Of a header in a folder that holds CUDA's headers or clang's for CUDA, or in one of CUDA's below
// it.
static bool isCudaHeader(StringRef file, FileManager &files) {
  StringRef folder = llvm::sys::path::parent_path(file), below;
  for (int up = 0; up < kDeepestHeader && !folder.empty(); ++up) {
    for (const char *known : {"cuda_runtime.h", "__clang_cuda_runtime_wrapper.h"}) {
      llvm::SmallString<256> path(folder);
      llvm::sys::path::append(path, known);
      if (files.getOptionalFileRef(path))
        // "..": what they have beside their folder.
        return below.empty() || llvm::is_contained({"crt", "cooperative_groups", "cuda_wrappers",
                                                    "cub", "thrust", "cuda", "nv", ".."},
                                                   below);
    }
    below = llvm::sys::path::filename(folder);
    folder = llvm::sys::path::parent_path(folder);
  }
  return false;
}

bool isOfCudaHeaders(const FunctionDecl &function) {
  const SourceManager &sm = function.getASTContext().getSourceManager();
  return isInSystemHeader(function) &&
         isCudaHeader(sm.getFilename(sm.getExpansionLoc(function.getLocation())),
                      sm.getFileManager());
}

bool isOfCuda(const FunctionDecl &function) {
  return function.isImplicit() || function.isDefaulted() || function.getBuiltinID() ||
         isOfCudaHeaders(function);
}

StringRef cudaName(const FunctionDecl *function) {
  return function && function->getIdentifier() && !isa<CXXMethodDecl>(function) &&
                 isOfCuda(*function)
             ? function->getName()
             : StringRef();
}

bool isShuffle(StringRef cudaName) {
  cudaName.consume_back("_sync");
  return llvm::is_contained({"__shfl", "__shfl_up", "__shfl_down", "__shfl_xor"}, cudaName);
}

bool isBarrier(StringRef cudaName) {
  return cudaName.starts_with("__syncthreads") || cudaName == "__syncwarp";
}

} // namespace layout_port::native
