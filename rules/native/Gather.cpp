#include "native/Gather.h"

#include "native/AstRead.h"
#include "native/Converted.h"
#include "native/Effects.h"
#include "native/FragmentName.h"
#include "native/Guarded.h"
#include "native/Turned.h"
#include "native/WholeText.h"

#include "clang/AST/DeclCXX.h"
#include "clang/AST/DynamicRecursiveASTVisitor.h"
#include "clang/AST/ExprCXX.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace clang;

namespace layout_port::native {

// ---- variables that change on the way

std::optional<LocalChange> changeOf(const Stmt *stmt) {
  const auto *full = dyn_cast_or_null<FullExpr>(stmt);
  stmt = full ? full->getSubExpr() : stmt;
  const auto *op = dyn_cast_or_null<BinaryOperator>(stmt);
  const auto *overloaded = dyn_cast_or_null<CXXOperatorCallExpr>(stmt);
  const auto *method =
      overloaded ? dyn_cast_or_null<CXXMethodDecl>(overloaded->getDirectCallee()) : nullptr;
  const bool isCopied = method && method->isTrivial() &&
                        (method->isCopyAssignmentOperator() || method->isMoveAssignmentOperator());
  if (!(op && op->isAssignmentOp()) && !isCopied)
    return std::nullopt;
  const VarDecl *local = variableNamed(op ? op->getLHS() : overloaded->getArg(0));
  return local ? std::optional(LocalChange{local, op ? op->getRHS() : overloaded->getArg(1),
                                           op ? op->getOpcodeStr() : "="})
               : std::nullopt;
}

std::vector<const Stmt *> statementsOf(const Stmt *arm) {
  const auto *block = dyn_cast_or_null<CompoundStmt>(arm);
  if (block)
    return {block->body_begin(), block->body_end()};
  return arm ? std::vector<const Stmt *>{arm} : std::vector<const Stmt *>();
}

std::vector<LocalChange> changesIn(const Stmt *step) {
  if (const auto change = changeOf(step))
    return {*change};
  const auto *branch = dyn_cast_or_null<IfStmt>(step);
  if (!branch || branch->getInit() || branch->getConditionVariable() || branch->isConstexpr() ||
      branch->getBeginLoc().isMacroID())
    return {};
  std::vector<LocalChange> changes;
  for (const Stmt *arm : {branch->getThen(), branch->getElse()})
    for (const Stmt *stmt : statementsOf(arm)) {
      const std::vector<LocalChange> its = changesIn(stmt);
      if (its.empty())
        return {};
      llvm::append_range(changes, its);
    }
  return changes;
}

namespace {

// x[1] = *(half2 *)p: a word of a class's type, or a part of one.
bool isWordAssignment(const Stmt *stmt, Filling::Store &out) {
  const auto *full = dyn_cast<FullExpr>(stmt);
  const auto *call = dyn_cast<CXXOperatorCallExpr>(full ? full->getSubExpr() : stmt);
  const auto *method = call ? dyn_cast_or_null<CXXMethodDecl>(call->getDirectCallee()) : nullptr;
  if (!method || !(method->isCopyAssignmentOperator() || method->isMoveAssignmentOperator()) ||
      call->getNumArgs() != 2)
    return false;
  const ASTContext &context = method->getASTContext();
  const Expr *target = call->getArg(0)->IgnoreParens();
  if (!target->getType().isTriviallyCopyableType(context) ||
      !llvm::is_contained({8U, 16U, 32U}, context.getTypeSize(target->getType())) ||
      !isa<ArraySubscriptExpr, MemberExpr>(target))
    return false;
  out.target = target;
  out.value = throughCopies(call->getArg(1));
  return true;
}

// Where movmatrix makes the value, it is what that is given.
Filling::Store turned(Filling::Store store) {
  if (const auto made = store.value ? turnedBy(*store.value) : std::nullopt) {
    store.value = made->value;
    store.isTurned = true;
    store.turner = made->function;
  }
  return store;
}

// An assignment to an element of an array, else nulls.
Filling::Store storeOf(const Stmt *stmt) {
  Filling::Store store;
  store.statement = stmt;
  if (const auto *code = dyn_cast<GCCAsmStmt>(stmt)) {
    const auto made = turnedBy(*code);
    if (made && isa<ArraySubscriptExpr, MemberExpr>(made->target->IgnoreParens())) {
      store.target = made->target->IgnoreParens();
      store.value = made->value;
      store.isTurned = true;
    }
    const auto converted = convertedBy(*code);
    if (converted && isa<ArraySubscriptExpr, MemberExpr>(converted->target->IgnoreParens())) {
      store.target = converted->target->IgnoreParens();
      store.value = converted->value;
      store.through = converted->function;
    }
    return store;
  }
  const auto *expr = dyn_cast<Expr>(stmt);
  const auto *op = expr ? dyn_cast<BinaryOperator>(expr->IgnoreParenImpCasts()) : nullptr;
  if (!op)
    if (const auto *full = dyn_cast<FullExpr>(stmt))
      op = dyn_cast<BinaryOperator>(full->getSubExpr()->IgnoreParenImpCasts());
  if (!op && isWordAssignment(stmt, store))
    return store;
  const Expr *target = op ? op->getLHS()->IgnoreParens() : nullptr;
  if (!op || op->getOpcode() != BO_Assign || !isa<ArraySubscriptExpr, MemberExpr>(target))
    return store;
  store.target = op->getLHS()->IgnoreParens();
  store.value = op->getRHS();
  return turned(store);
}

// half2 and others that lie in one register.
bool isPair(QualType type, const ASTContext &context) {
  constexpr uint64_t kWordBits = 32;
  return type->isRecordType() && type.isTriviallyCopyableType(context) &&
         context.getTypeSize(type) == kWordBits;
}

// Assignments to scalars of the thread's own, or declarations of such with a value.
std::vector<Filling::Store> scalarStoresOf(const Stmt *stmt, const ASTContext &context) {
  std::vector<Filling::Store> stores;
  const auto add = [&](const VarDecl *variable, const Expr *value) {
    const bool isOwn =
        variable && value && variable->hasLocalStorage() && !isa<ParmVarDecl>(variable) &&
        (variable->getType()->isArithmeticType() || isPair(variable->getType(), context)) &&
        !variable->getType().isVolatileQualified();
    if (isOwn)
      stores.push_back(turned({stmt, nullptr, value, 0, variable}));
    return isOwn;
  };
  if (const auto *code = dyn_cast<GCCAsmStmt>(stmt)) {
    const auto converted = convertedBy(*code);
    const VarDecl *variable = converted ? variableNamed(converted->target) : nullptr;
    if (variable && add(variable, converted->value))
      stores.back().through = converted->function;
    return stores;
  }
  if (const auto *declaration = dyn_cast<DeclStmt>(stmt)) {
    for (const Decl *decl : declaration->decls()) {
      const auto *variable = dyn_cast<VarDecl>(decl);
      if (!variable || !add(variable, variable->getInit()))
        return {};
    }
    return stores;
  }
  const auto *expr = dyn_cast<Expr>(stmt);
  const auto *full = dyn_cast<FullExpr>(stmt);
  const auto *op =
      expr ? dyn_cast<BinaryOperator>((full ? full->getSubExpr() : expr)->IgnoreParenImpCasts())
           : nullptr;
  const auto *name = op && op->getOpcode() == BO_Assign
                         ? dyn_cast<DeclRefExpr>(op->getLHS()->IgnoreParens())
                         : nullptr;
  if (name)
    add(dyn_cast<VarDecl>(name->getDecl()), op->getRHS());
  return stores;
}

// Its objects may be declared without values, elsewhere too.
bool isPlainNamed(const CXXRecordDecl &record) {
  return record.isPOD() && (record.getIdentifier() || record.getTypedefNameForAnonDecl());
}

std::string nameOfMember(QualType vector, unsigned number) {
  const RecordDecl *record = vector->getAsCXXRecordDecl()->getDefinition();
  return std::next(record->field_begin(), number)->getNameAsString();
}

// uint2 v = make_uint2(a, b); v[j] = *(const uint2 *)p;
bool isVector(const Stmt *stmt, const ASTContext &context, Filling &out) {
  const auto *declaration = dyn_cast<DeclStmt>(stmt);
  const auto *variable = declaration && declaration->isSingleDecl()
                             ? dyn_cast<VarDecl>(declaration->getSingleDecl())
                             : nullptr;
  const auto *full = dyn_cast<FullExpr>(stmt);
  const auto *call = dyn_cast<CXXOperatorCallExpr>(full ? full->getSubExpr() : stmt);
  const bool assigns = call && call->getOperator() == OO_Equal && call->getNumArgs() == 2;
  const Expr *value = variable ? variable->getInit() : assigns ? call->getArg(1) : nullptr;
  const QualType type = variable ? variable->getType() : assigns ? call->getType() : QualType();
  const auto vector = value && !type->isReferenceType() ? vectorOf(type, context) : std::nullopt;
  if (!vector || (variable && !variable->hasLocalStorage()))
    return false;
  value = throughCopies(value);
  const auto *made = dyn_cast<CallExpr>(value);
  const FunctionDecl *maker = made ? made->getDirectCallee() : nullptr;
  const bool isMade = maker && maker->getIdentifier() && isOfCuda(*maker) &&
                      maker->getName().starts_with("make_") &&
                      static_cast<int64_t>(made->getNumArgs()) == vector->count;
  const auto *read = dyn_cast<UnaryOperator>(value);
  if (!isMade && !(read && read->getOpcode() == UO_Deref))
    return false;
  for (int i = 0; i < vector->count; ++i) {
    Filling::Store store;
    store.statement = stmt;
    store.target = variable ? nullptr : call->getArg(0)->IgnoreParens();
    store.value = isMade ? made->getArg(static_cast<unsigned>(i)) : value;
    store.element = i;
    store.member = "." + nameOfMember(type, static_cast<unsigned>(i));
    store.isOfVector = !isMade;
    out.stores.push_back(isMade ? turned(store) : store);
  }
  out.declared = variable;
  return true;
}

// What a loop's body does in front of its stores, or of another loop.
struct LoopBody {
  std::vector<const VarDecl *> locals;
  std::vector<const Stmt *> steps;
  bool hasChanges = false;
  std::vector<const Stmt *> last;
};

// row = row / 2, if (i & 1) row += 8, of a variable that the body has declared: one from around an
// inner loop would go on from turn to turn.
bool changesLocal(const Stmt *stmt, llvm::ArrayRef<const VarDecl *> locals) {
  const std::vector<LocalChange> changes = changesIn(stmt);
  return !changes.empty() && llvm::all_of(changes, [&](const LocalChange &change) {
    return llvm::is_contained(locals, change.local);
  });
}

// Declarations and changes of variables, then stores or one loop. False: something else.
bool readBody(const Stmt *body, LoopBody &out) {
  const auto *block = dyn_cast_or_null<CompoundStmt>(body);
  const llvm::ArrayRef<Stmt *const> stmts =
      block ? llvm::ArrayRef<Stmt *const>(block->body_begin(), block->size())
            : llvm::ArrayRef<Stmt *const>(const_cast<Stmt *const *>(&body), body ? 1 : 0);
  const size_t around = out.locals.size();
  out.last.clear();
  for (const Stmt *stmt : stmts) {
    const auto *declaration = dyn_cast<DeclStmt>(stmt);
    if (!declaration && !changesLocal(stmt, llvm::ArrayRef(out.locals).drop_front(around))) {
      out.last.push_back(withoutAttributes(stmt));
      continue;
    }
    if (!out.last.empty())
      return false;
    out.steps.push_back(stmt);
    out.hasChanges |= !declaration;
    if (!declaration)
      continue;
    for (const Decl *decl : declaration->decls())
      if (const auto *variable = dyn_cast<VarDecl>(decl))
        out.locals.push_back(variable);
      else
        return false;
  }
  return !out.last.empty();
}

// x.n is one of x's class, whatever x is.
std::optional<int64_t> constantOf(const Expr &expr, const ASTContext &context) {
  const auto *member = dyn_cast<MemberExpr>(stripped(&expr));
  const auto *ofClass = member ? dyn_cast<VarDecl>(member->getMemberDecl()) : nullptr;
  if (ofClass && ofClass->isUsableInConstantExpressions(context))
    if (const APValue *value = ofClass->evaluateValue(); value && value->isInt())
      return value->getInt().getExtValue();
  Expr::EvalResult value;
  if (expr.isValueDependent() || !expr.EvaluateAsInt(value, context))
    return std::nullopt;
  return value.Val.getInt().getExtValue();
}

bool isConstant(const Expr &expr, const ASTContext &context) {
  Expr::EvalResult value;
  return !expr.isValueDependent() && expr.EvaluateAsRValue(value, context);
}

constexpr int64_t kMostRegisters = 1024; // more than a lane has

// for (int r = 0; r < constant; ++r)
std::optional<Filling::Counter> counterOf(const ForStmt &loop, const ASTContext &context) {
  const auto *init = dyn_cast_or_null<DeclStmt>(loop.getInit());
  const auto *variable =
      init && init->isSingleDecl() ? dyn_cast<VarDecl>(init->getSingleDecl()) : nullptr;
  const auto *bound = dyn_cast_or_null<BinaryOperator>(loop.getCond());
  const auto *step = dyn_cast_or_null<UnaryOperator>(loop.getInc());
  const auto *counted = bound ? dyn_cast<DeclRefExpr>(stripped(bound->getLHS())) : nullptr;
  const auto *stepped = step ? dyn_cast<DeclRefExpr>(stripped(step->getSubExpr())) : nullptr;
  if (!variable || !variable->getInit() || !bound || bound->getOpcode() != BO_LT || !step ||
      !step->isIncrementOp() || !counted || counted->getDecl() != variable || !stepped ||
      stepped->getDecl() != variable)
    return std::nullopt;
  const auto first = constantOf(*variable->getInit(), context);
  const auto last = constantOf(*bound->getRHS(), context);
  if (!first || !last || *first != 0 || *last < 1 || *last > kMostRegisters)
    return std::nullopt;
  return Filling::Counter{variable, *last, 0};
}

bool mentions(const Expr &expr, const VarDecl &variable) {
  const auto *name = dyn_cast<DeclRefExpr>(stripped(&expr));
  return (name && name->getDecl() == &variable) ||
         llvm::any_of(expr.children(), [&](const Stmt *child) {
           const auto *inner = dyn_cast_or_null<Expr>(child);
           return inner && mentions(*inner, variable);
         });
}

// An element's number as a sum over the counters, a constant, and what has neither.
struct ElementNumber {
  std::vector<int64_t> strides;
  int64_t constant = 0;
  bool hasOthers = false;
};

bool readNumber(const Expr *expr, int64_t scale, const std::vector<Filling::Counter> &nest,
                const ASTContext &context, ElementNumber &out) {
  expr = stripped(expr);
  if (const auto value = constantOf(*expr, context)) {
    out.constant += scale * *value;
    return true;
  }
  const auto *op = dyn_cast<BinaryOperator>(expr);
  if (op && op->getOpcode() == BO_Add)
    return readNumber(op->getLHS(), scale, nest, context, out) &&
           readNumber(op->getRHS(), scale, nest, context, out);
  if (op && op->getOpcode() == BO_Mul) {
    if (const auto by = constantOf(*op->getRHS(), context))
      return readNumber(op->getLHS(), scale * *by, nest, context, out);
    if (const auto by = constantOf(*op->getLHS(), context))
      return readNumber(op->getRHS(), scale * *by, nest, context, out);
  }
  const auto *name = dyn_cast<DeclRefExpr>(expr);
  for (size_t i = 0; i < nest.size(); ++i) {
    if (name && name->getDecl() == nest[i].variable) {
      out.strides[i] += scale;
      return true;
    }
    if (mentions(*expr, *nest[i].variable))
      return false;
  }
  return out.hasOthers = true;
}

// The strides meet every number below their number once: 1, then extent by extent.
bool isOneToOne(std::vector<Filling::Counter> digits) {
  llvm::sort(digits, [](const auto &a, const auto &b) { return a.stride < b.stride; });
  int64_t below = 1;
  for (const Filling::Counter &digit : digits) {
    if (digit.stride != below || below > kMostRegisters)
      return false;
    below *= digit.extent;
  }
  return true;
}

// The stores of the innermost body to one variable, and what they say of the counters.
bool readStores(llvm::ArrayRef<Filling::Store> stores, const Stmt *outermost,
                const ASTContext &context, Filling &out) {
  std::vector<int64_t> constants;
  for (Filling::Store store : stores) {
    const auto *access = dyn_cast<ArraySubscriptExpr>(store.target);
    ElementNumber number{std::vector<int64_t>(out.nest.size()), 0, false};
    if (!access || !readNumber(access->getIdx(), 1, out.nest, context, number))
      return false;
    for (size_t i = 0; i < out.nest.size(); ++i) {
      if (!out.stores.empty() && out.nest[i].stride != number.strides[i])
        return false;
      out.nest[i].stride = number.strides[i];
    }
    out.isBehindOthers |= number.hasOthers;
    constants.push_back(number.constant);
    store.statement = outermost;
    out.stores.push_back(store);
  }
  std::vector<Filling::Counter> digits = out.nest;
  if (constants.size() > 1) {
    out.storeStride = constants[1] - constants[0];
    digits.push_back({nullptr, static_cast<int64_t>(constants.size()), out.storeStride});
  }
  for (size_t i = 0; i < constants.size(); ++i)
    if (constants[i] != constants[0] + static_cast<int64_t>(i) * out.storeStride)
      return false;
  // Only one index tells the registers apart.
  const auto isApart = [&](const Filling::Store &store) {
    const auto *access = cast<ArraySubscriptExpr>(store.target);
    return llvm::none_of(out.nest, [&](const Filling::Counter &counter) {
      return mentions(*access->getBase(), *counter.variable);
    });
  };
  out.isBehindOthers |= constants[0] != 0;
  return isOneToOne(digits) && llvm::all_of(out.stores, isApart);
}

// The variable, or the member of a method's own object, whose element a target is.
const ValueDecl *filledBy(const Expr *target) {
  if (const VarDecl *variable = variableOf(target))
    return variable;
  while (target) {
    target = stripped(target);
    const auto *access = dyn_cast<ArraySubscriptExpr>(target);
    const auto *member = dyn_cast<MemberExpr>(target);
    if (member && isa<CXXThisExpr>(stripped(member->getBase())))
      return member->getMemberDecl();
    target = access                         ? access->getBase()
             : member && !member->isArrow() ? member->getBase()
                                            : nullptr;
  }
  return nullptr;
}

// for (int r = 0; r < constant; ++r) x[..][r] = value;
// half2 two = x[r]; two = f(two); x[r] = two;  whoever has the registers changes them.
bool changesInPlace(const Filling &filling) {
  const VarDecl *variable =
      filling.stores[0].target ? variableOf(filling.stores[0].target) : nullptr;
  Inputs inputs;
  for (const Stmt *step : filling.steps)
    inputs.TraverseStmt(const_cast<Stmt *>(step));
  return variable && llvm::is_contained(inputs.found, variable);
}

// for (int r = 0; r < constant; ++r) { const int row = ..; x[..][r] = value; }
// for (int h ..) for (int q ..) { ..; x[..][q * 2 + h] = value; }
std::vector<Filling> registerLoops(const Stmt *stmt, const ASTContext &context, bool hasPragma,
                                   llvm::ArrayRef<const Stmt *> before) {
  Filling common;
  LoopBody body;
  const auto *loop = dyn_cast_or_null<ForStmt>(stmt);
  while (loop) {
    const auto counter = counterOf(*loop, context);
    if (!counter || !readBody(loop->getBody(), body))
      return {};
    common.nest.push_back(*counter);
    loop = body.last.size() == 1 ? dyn_cast<ForStmt>(body.last[0]) : nullptr;
  }
  if (common.nest.empty())
    return {};
  GuardedBody filled = guardedBody(body.last, before, context);
  if (body.hasChanges && !filled.locals.empty())
    return {};
  common.locals = std::move(body.locals);
  llvm::append_range(common.locals, filled.locals);
  if (body.hasChanges)
    common.steps = std::move(body.steps);
  common.hasPragma = hasPragma;
  common.parts = filled.arrays.size();
  std::vector<Filling> all;
  for (const auto &stores : filled.arrays) {
    Filling filling = common;
    filling.part = all.size();
    if (!readStores(stores, stmt, context, filling) || changesInPlace(filling))
      return {};
    all.push_back(std::move(filling));
  }
  return all;
}

// T x[n] = {...};  and  T x = {...}, of words by the names x, y, ...
bool isDeclaredList(const Stmt *stmt, const ASTContext &context, Filling &out) {
  const auto *declaration = dyn_cast<DeclStmt>(stmt);
  const auto *variable = declaration && declaration->isSingleDecl()
                             ? dyn_cast<VarDecl>(declaration->getSingleDecl())
                             : nullptr;
  const auto *list = variable ? dyn_cast_or_null<InitListExpr>(variable->getInit()) : nullptr;
  const auto vector = list && !variable->getType()->isReferenceType()
                          ? vectorOf(variable->getType(), context)
                          : std::nullopt;
  if (!list || !(vector || variable->getType()->isConstantArrayType()) ||
      variable->isStaticLocal() || variable->isConstexpr() || list->getNumInits() == 0)
    return false;
  if (vector && (list->getNumInits() != static_cast<unsigned>(vector->count) ||
                 !isPlainNamed(*variable->getType()->getAsCXXRecordDecl())))
    return false;
  for (unsigned i = 0; i < list->getNumInits(); ++i) {
    Filling::Store store;
    store.statement = stmt;
    store.value = list->getInit(i);
    store.element = static_cast<int>(i);
    const bool isValue =
        store.value->getType()->isScalarType() || context.getTypeSize(store.value->getType()) == 16;
    if (!isValue || isa<InitListExpr>(store.value))
      return false;
    if (vector)
      store.member = "." + nameOfMember(variable->getType(), i);
    out.stores.push_back(turned(store));
  }
  out.declared = variable;
  return true;
}

// Functions of CUDA's headers that only compute, by the beginning of their names.
bool onlyComputes(StringRef name) {
  for (const char *prefix :
       {"__h",      "__float", "__half", "__double", "__int", "__uint",      "__short",
        "__ushort", "__low",   "__high", "__bfloat", "__ldg", "__byte_perm", "__nv_cvt",
        "__fm",     "__fadd",  "__fsub", "__cvta",   "make_", "__builtin_"})
    if (name.starts_with(prefix))
      return true;
  return name == "min" || name == "max" || name == "fminf" || name == "fmaxf";
}

// One of libdevice's, which compute; some hand a second result back by a pointer.
// https://docs.nvidia.com/cuda/libdevice-users-guide/
bool isOfLibdevice(const FunctionDecl &function) {
  return function.getName().starts_with("__nv_") && !function.hasBody() &&
         llvm::none_of(function.parameters(), [](const ParmVarDecl *parameter) {
           return parameter->getType()->isPointerType();
         });
}

// Functions that act on memory or on other threads, whatever their bodies look like.
bool actsOnOthers(StringRef name) {
  for (const char *word : {"atomic", "_atom", "sync", "_st_", "store", "fence", "bar", "printf",
                           "trap", "assert", "shfl", "vote", "ballot", "mem"})
    if (name.contains(word))
      return true;
  return name.starts_with("__st");
}

// threadIdx, blockIdx and their kin; whoever asks for the thread's own is told another one's.
bool isIndex(StringRef name) {
  return name.consume_front("__nvvm_read_ptx_sreg_") &&
         (name.starts_with("tid_") || name.starts_with("ctaid_") || name.starts_with("ntid_") ||
          name.starts_with("nctaid_"));
}

// Where the value is computed.
enum class By {
  AnotherLane,   // at the same place, by a lane that has other registers
  AnotherLaneIn, // ... in a function that is called
  Itself,        // registers are read and written
  ItselfIn,
};

// A struct that the kernel is launched with, and that nothing in it changes: the same for all
// threads. Members are read, or all of it is copied.
bool isArgument(const VarDecl &variable) {
  class Others : public DynamicRecursiveASTVisitor {
  public:
    explicit Others(const VarDecl &variable) : variable_(variable) {}
    bool VisitCastExpr(CastExpr *cast) override {
      return cast->getCastKind() != CK_LValueToRValue || noteRead(cast->getSubExpr());
    }
    bool VisitCXXConstructExpr(CXXConstructExpr *made) override {
      const CXXConstructorDecl *constructor = made->getConstructor();
      return !constructor->isCopyConstructor() || !constructor->isTrivial() ||
             made->getNumArgs() != 1 || noteRead(made->getArg(0));
    }
    // By a reference to what is const it is only read.
    bool VisitCallExpr(CallExpr *call) override {
      const FunctionDecl *callee = call->getDirectCallee();
      const auto *method = dyn_cast_or_null<CXXMethodDecl>(callee);
      const unsigned first =
          isa<CXXOperatorCallExpr>(call) && method && method->isInstance() ? 1 : 0;
      for (unsigned i = 0; callee && i + first < call->getNumArgs() && i < callee->getNumParams();
           ++i)
        if (isReferenceToConst(callee->getParamDecl(i)->getType()))
          noteRead(call->getArg(i + first));
      return true;
    }
    bool VisitVarDecl(VarDecl *other) override {
      return !other->getInit() || !isReferenceToConst(other->getType()) ||
             noteRead(other->getInit());
    }
    bool VisitDeclRefExpr(DeclRefExpr *name) override {
      return !(any = any || (name->getDecl() == &variable_ && !reads_.count(name)));
    }
    bool any = false;

  private:
    static bool isReferenceToConst(QualType type) {
      return type->isReferenceType() && type.getNonReferenceType().isConstQualified();
    }
    bool noteRead(const Expr *from) { // of all of it, or of a part
      for (;;) {
        from = from->IgnoreParens();
        const auto *cast = dyn_cast<ImplicitCastExpr>(from);
        const auto *access = dyn_cast<ArraySubscriptExpr>(from);
        const auto *member = dyn_cast<MemberExpr>(from);
        if (member && !member->isArrow())
          from = member->getBase();
        else if (access)
          from = access->getBase();
        else if (cast && cast->getCastKind() != CK_LValueToRValue)
          from = cast->getSubExpr();
        else
          break;
      }
      reads_.insert(from);
      return true;
    }
    const VarDecl &variable_;
    llvm::DenseSet<const Expr *> reads_;
  };
  const auto *kernel = dyn_cast<FunctionDecl>(variable.getDeclContext());
  if (!isa<ParmVarDecl>(variable) || !kernel || !isKernelText(*kernel) || !kernel->hasBody())
    return false;
  Others others(variable);
  others.TraverseStmt(kernel->getBody());
  return !others.any;
}

// What of an expression or a called function's body acts on more than its own locals, or
// reads what only the executing thread has.
class Obstacles : public ExecutedVisitor {
public:
  Obstacles(By by, llvm::DenseSet<const FunctionDecl *> &seen,
            const std::set<const VarDecl *> *made = nullptr)
      : inFunction_(by == By::AnotherLaneIn || by == By::ItselfIn),
        itself_(by == By::Itself || by == By::ItselfIn), seen_(seen), made_(made) {}

  bool VisitBinaryOperator(BinaryOperator *op) override {
    return !op->isAssignmentOp() || assigns(op->getLHS());
  }
  bool VisitUnaryOperator(UnaryOperator *op) override {
    return !op->isIncrementDecrementOp() || assigns(op->getSubExpr());
  }
  bool TraverseMemberExpr(MemberExpr *member) override {
    return objectOfStatic(*member) || DynamicRecursiveASTVisitor::TraverseMemberExpr(member);
  }
  bool VisitDeclRefExpr(DeclRefExpr *name) override {
    const auto *variable = dyn_cast<VarDecl>(name->getDecl());
    if (inFunction_ || itself_ || !variable || !variable->hasLocalStorage())
      return true;
    const QualType type = variable->getType();
    const bool isMade = made_ && made_->count(variable);
    if (!isMade && (type->isArrayType() || type->isRecordType()) && !isArgument(*variable))
      return stop("reads '" + variable->getNameAsString() + "', registers of the thread's own");
    return !type.isVolatileQualified() || stop("reads a volatile variable");
  }
  bool VisitGCCAsmStmt(GCCAsmStmt *stmt) override {
    const std::string why = itself_ ? obstacleInAsm(*stmt) : actsInPtx(*stmt);
    return why.empty() || stop(why);
  }
  bool VisitCallExpr(CallExpr *call) override {
    const FunctionDecl *callee = call->getDirectCallee();
    if (!callee)
      return stop("calls a function that is not known");
    if (callee->getIdentifier() && isIndex(callee->getName()))
      return true;
    const auto *copy = dyn_cast<CXXMethodDecl>(callee);
    if (copy && copy->isTrivial() && call->getNumArgs() == 2 &&
        (copy->isCopyAssignmentOperator() || copy->isMoveAssignmentOperator()))
      return assigns(call->getArg(0));
    if (callee->getIdentifier() && actsOnOthers(callee->getName()))
      return stop("calls '" + callee->getNameAsString() + "'");
    if (itself_ && !handsOwn(*call, *callee))
      return stop("writes memory");
    if (callee->getIdentifier() && isOfCuda(*callee) &&
        (onlyComputes(callee->getName()) || isOfLibdevice(*callee)))
      return true;
    const FunctionDecl *definition = callee->getDefinition();
    if (!definition || !definition->hasBody())
      return stop("calls '" + callee->getNameAsString() + "'");
    if (!seen_.insert(definition).second)
      return true;
    Obstacles inner(itself_ ? By::ItselfIn : By::AnotherLaneIn, seen_);
    inner.TraverseStmt(definition->getBody());
    return inner.found.empty() || stop(inner.found);
  }
  // One that sees nothing around it is a function like others, handed on by its name.
  bool TraverseLambdaExpr(LambdaExpr *lambda) override {
    if (lambda->capture_size() != 0)
      return stop("holds a lambda that sees what is around it");
    Obstacles inner(itself_ ? By::ItselfIn : By::AnotherLaneIn, seen_);
    inner.TraverseStmt(lambda->getBody());
    return inner.found.empty() || stop(inner.found);
  }
  bool VisitCXXNewExpr(CXXNewExpr *) override { return stop("allocates memory"); }
  bool VisitCXXThisExpr(CXXThisExpr *) override {
    return inFunction_ || takesMembers_ || stop("reads members of its class");
  }
  void takeMembers(bool takes) { takesMembers_ = takes; }

  std::string found;

private:
  bool stop(const std::string &why) {
    if (found.empty())
      found = why;
    return false;
  }

  // Only a function's own variables may be assigned.
  bool assigns(const Expr *target) {
    for (target = target->IgnoreParenImpCasts();;) {
      if (const auto *access = dyn_cast<ArraySubscriptExpr>(target)) {
        target = access->getBase()->IgnoreParenImpCasts();
        if (target->getType()->isPointerType())
          return (itself_ && isOwnTarget(target)) || stop("writes memory");
      } else if (const auto *member = dyn_cast<MemberExpr>(target); member && !member->isArrow()) {
        target = member->getBase()->IgnoreParenImpCasts();
      } else {
        break;
      }
    }
    const auto *name = dyn_cast<DeclRefExpr>(target);
    const auto *variable = name ? dyn_cast<VarDecl>(name->getDecl()) : nullptr;
    const bool isOwn = inFunction_ && variable && variable->hasLocalStorage() &&
                       !variable->getType()->isReferenceType();
    return isOwn || (itself_ && isOwnTarget(target)) || stop("assigns on the way");
  }

  // Registers: a variable of the thread's own, or what a function is handed to write to.
  bool isOwnTarget(const Expr *target) const {
    for (;;) {
      target = target->IgnoreParenImpCasts();
      const auto *op = dyn_cast<UnaryOperator>(target);
      if (const auto *access = dyn_cast<ArraySubscriptExpr>(target))
        target = access->getBase();
      else if (const auto *member = dyn_cast<MemberExpr>(target))
        target = member->getBase();
      else if (const auto *cast = dyn_cast<ExplicitCastExpr>(target))
        target = cast->getSubExpr();
      else if (op && (op->getOpcode() == UO_AddrOf || op->getOpcode() == UO_Deref))
        target = op->getSubExpr();
      else
        break;
    }
    if (isa<CXXThisExpr>(target))
      return inFunction_; // of an object that was handed
    const auto *name = dyn_cast<DeclRefExpr>(target);
    const auto *variable = name ? dyn_cast<VarDecl>(name->getDecl()) : nullptr;
    if (!variable || !variable->hasLocalStorage())
      return false;
    const QualType type = variable->getType();
    if (!type->isPointerType() && !type->isReferenceType())
      return true;
    if (isa<ParmVarDecl>(variable))
      return inFunction_;
    return variable->getInit() && isOwnTarget(variable->getInit()) && isFixed(*variable);
  }
  // A reference, or a pointer that nothing sets to another place.
  static bool isFixed(const VarDecl &variable) {
    class Settings : public DynamicRecursiveASTVisitor {
    public:
      explicit Settings(const VarDecl &variable) : variable_(variable) {}
      bool VisitBinaryOperator(BinaryOperator *op) override {
        return note(op->isAssignmentOp(), op->getLHS());
      }
      bool VisitUnaryOperator(UnaryOperator *op) override {
        return note(op->isIncrementDecrementOp() || op->getOpcode() == UO_AddrOf, op->getSubExpr());
      }
      bool any = false;

    private:
      bool note(bool sets, const Expr *target) {
        const auto *name = dyn_cast<DeclRefExpr>(target->IgnoreParenImpCasts());
        return !(any = any || (sets && name && name->getDecl() == &variable_));
      }
      const VarDecl &variable_;
    };
    const auto *function = dyn_cast<FunctionDecl>(variable.getDeclContext());
    if (variable.getType()->isReferenceType() || !function || !function->hasBody())
      return variable.getType()->isReferenceType();
    Settings settings(variable);
    settings.TraverseStmt(function->getBody());
    return !settings.any;
  }
  // Whatever the function may write to is such a target.
  bool handsOwn(const CallExpr &call, const FunctionDecl &callee) const {
    const auto *method = dyn_cast<CXXMethodDecl>(&callee);
    const auto *member = dyn_cast<CXXMemberCallExpr>(&call);
    const unsigned first = isa<CXXOperatorCallExpr>(call) && method && method->isInstance() ? 1 : 0;
    if (method && method->isInstance() && !method->isConst()) {
      const Expr *object = member ? member->getImplicitObjectArgument() : call.getArg(0);
      if (!isOwnTarget(object) && !isa<MaterializeTemporaryExpr>(object->IgnoreParenImpCasts()))
        return false;
    }
    for (unsigned i = first; i < call.getNumArgs() && i - first < callee.getNumParams(); ++i) {
      const QualType type = callee.getParamDecl(i - first)->getType();
      const bool isHanded = type->isLValueReferenceType() || type->isPointerType();
      if (isHanded && !type->getPointeeType().isConstQualified() && !isOwnTarget(call.getArg(i)))
        return false;
    }
    return true;
  }

  const bool inFunction_, itself_;
  bool takesMembers_ = false;
  llvm::DenseSet<const FunctionDecl *> &seen_;
  const std::set<const VarDecl *> *made_;
};

} // namespace

std::vector<const Decl *> arrayFilledBy(const Expr *target) {
  std::vector<const Decl *> names;
  while (target) {
    target = stripped(target);
    const auto *member = dyn_cast<MemberExpr>(target);
    const auto *name = dyn_cast<DeclRefExpr>(target);
    const auto *access = dyn_cast<ArraySubscriptExpr>(target);
    if (member || name)
      names.push_back(member ? member->getMemberDecl() : name->getDecl());
    target = member ? member->getBase() : access ? access->getBase() : nullptr;
  }
  return names;
}

std::vector<Filling::Store> storesOf(const Stmt *stmt, const ASTContext &context) {
  Filling::Store store = storeOf(stmt);
  if (!store.target)
    return scalarStoresOf(stmt, context);
  std::vector<Filling::Store> stores;
  for (;;) {
    stores.push_back(store);
    const auto *next = dyn_cast<BinaryOperator>(store.value->IgnoreParenImpCasts());
    if (!next || next->getOpcode() != BO_Assign)
      break;
    store.target = next->getLHS()->IgnoreParens();
    store.value = next->getRHS();
  }
  for (Filling::Store &each : stores)
    each.value = store.value;
  const bool areElements = llvm::all_of(stores, [](const Filling::Store &each) {
    return isa<ArraySubscriptExpr, MemberExpr>(each.target) && filledBy(each.target);
  });
  const bool isOne = stores.size() == 1 || isConstant(*store.value, context);
  return areElements && isOne ? stores : std::vector<Filling::Store>();
}

const Expr *filledWith(const ForStmt &loop, const VarDecl &array, const ASTContext &context) {
  const std::vector<Filling> fillings = registerLoops(&loop, context, false, {});
  const auto *type = context.getAsConstantArrayType(array.getType());
  if (!type || fillings.size() != 1 || fillings[0].stores.size() != 1)
    return nullptr;
  const Filling::Store &store = fillings[0].stores[0];
  const auto *element = dyn_cast<ArraySubscriptExpr>(store.target);
  const bool isAll = element && variableNamed(element->getBase()) == &array &&
                     type->getSize() == static_cast<uint64_t>(fillings[0].count());
  return isAll && isConstant(*store.value, context) ? store.value : nullptr;
}

int64_t Filling::count() const {
  int64_t registers = storeStride ? static_cast<int64_t>(stores.size()) : 1;
  for (const Counter &counter : nest)
    registers *= counter.extent;
  return registers;
}

const VarDecl *variableOf(const Expr *target) {
  while (target) {
    target = target->IgnoreParenImpCasts();
    if (const auto *access = dyn_cast<ArraySubscriptExpr>(target))
      target = access->getBase();
    else if (const auto *member = dyn_cast<MemberExpr>(target); member && !member->isArrow())
      target = member->getBase();
    else
      break;
  }
  const auto *name = dyn_cast_or_null<DeclRefExpr>(target);
  return name ? dyn_cast<VarDecl>(name->getDecl()) : nullptr;
}

std::vector<Filling> fillingsOf(llvm::ArrayRef<const Stmt *> statements,
                                const ASTContext &context) {
  std::vector<Filling> all;
  const ValueDecl *last = nullptr;
  bool isAfterScalars = false;
  for (size_t at = 0; at < statements.size(); ++at) {
    const Stmt *stmt = statements[at];
    const bool isNext = std::exchange(isAfterScalars, false);
    Filling filling;
    if (const auto *attributed = dyn_cast_or_null<AttributedStmt>(stmt)) {
      stmt = attributed->getSubStmt();
      filling.hasPragma = true;
    }
    if (std::vector<Filling> loops =
            registerLoops(stmt, context, filling.hasPragma, statements.take_front(at));
        !loops.empty()) {
      llvm::append_range(all, std::move(loops));
      last = nullptr;
      continue;
    }
    if (!stmt || isDeclaredList(stmt, context, filling) || isVector(stmt, context, filling)) {
      if (!filling.stores.empty())
        all.push_back(std::move(filling));
      last = nullptr;
      continue;
    }
    if (std::vector<Filling::Store> scalars = scalarStoresOf(stmt, context); !scalars.empty()) {
      if (!isNext)
        all.emplace_back();
      llvm::append_range(all.back().stores, scalars);
      isAfterScalars = true;
      last = nullptr;
      continue;
    }
    std::vector<Filling::Store> stores = storesOf(stmt, context);
    if (stores.empty())
      stores.push_back(storeOf(stmt));
    for (const Filling::Store &store : stores) {
      const ValueDecl *variable = store.target ? filledBy(store.target) : nullptr;
      if (variable && variable == last)
        all.back().stores.push_back(store);
      else if (variable)
        all.emplace_back().stores.push_back(store);
      last = variable;
    }
  }
  return all;
}

static std::string obstacle(const Expr *value, By by,
                            const std::set<const VarDecl *> *made = nullptr,
                            bool ofMethod = false) {
  llvm::DenseSet<const FunctionDecl *> seen;
  Obstacles obstacles(by, seen, made);
  obstacles.takeMembers(ofMethod);
  obstacles.TraverseStmt(const_cast<Expr *>(value));
  if (obstacles.found.empty() && by == By::AnotherLane && !changesNothing(*value))
    return "changes something where it is computed";
  return obstacles.found;
}

std::string obstacleTo(const Expr *value, const ASTContext &, const std::set<const VarDecl *> *made,
                       bool ofMethod) {
  return obstacle(value, By::AnotherLane, made, ofMethod);
}

std::string obstacleOnTheWay(const Expr *value, const ASTContext &) {
  return obstacle(value, By::Itself);
}

std::string obstacleInAsm(const GCCAsmStmt &stmt) {
  const std::string text = stmt.getAsmString();
  for (const char *own : {"%tid", "laneid", "lanemask", "warpid", "clock", "timer", "%%"})
    if (StringRef(text).contains(own))
      return "reads what each lane has of its own in PTX";
  return actsInPtx(stmt);
}

} // namespace layout_port::native
