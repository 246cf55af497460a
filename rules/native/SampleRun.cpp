// Functions and statements that are run for one thread: what they return, and what they make of
// variables and objects of their own.
//
//   __device__ Place placeOf(int t) {
//     Place p;
//     p.lane = t % 32;
//     if (t < 64) p.wm = 0; ...
//     return p;
//   }
//
// Followed are declarations, branches, assignments, and calls of such functions. Parameters by
// reference have what the caller's variable has, which gets back what is left in them. What does
// anything else has no value that is known; nor has what changes something in an expression.
#include "native/Sample.h"

#include "native/AstRead.h"
#include "native/Numbers.h"
#include "native/SampleAssigned.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/ExprCXX.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace layout_port::native {

namespace {

const Expr *withoutCleanups(const Expr *expr) {
  for (;;) {
    expr = expr->IgnoreParens();
    const auto *whole = dyn_cast<FullExpr>(expr);
    if (!whole)
      return expr;
    expr = whole->getSubExpr();
  }
}

// It changes no variable of the function's.
bool onlyReads(const Expr *expr) { return !expr || assignedIn(*expr).touched.empty(); }

bool readsOnly(llvm::iterator_range<CallExpr::const_arg_iterator> arguments) {
  return llvm::all_of(arguments, [](const Expr *argument) { return onlyReads(argument); });
}

bool mayFollow(const Stmt *stmt);

// y = z of x = y = z;  null: what is assigned is no assignment.
const BinaryOperator *assignedBefore(const BinaryOperator &op) {
  const auto *inner = dyn_cast<BinaryOperator>(op.getRHS()->IgnoreParenImpCasts());
  return op.isAssignmentOp() && inner && inner->isAssignmentOp() ? inner : nullptr;
}

bool mayFollowExpr(const Expr &whole) {
  const Expr *expr = withoutCleanups(&whole);
  if (const auto *op = dyn_cast<BinaryOperator>(expr)) {
    const BinaryOperator *before = assignedBefore(*op);
    return op->isAssignmentOp() && onlyReads(op->getLHS()) &&
           (before ? mayFollowExpr(*before) : onlyReads(op->getRHS()));
  }
  if (const auto *op = dyn_cast<UnaryOperator>(expr))
    return op->isIncrementDecrementOp() && onlyReads(op->getSubExpr());
  const auto *call = dyn_cast<CallExpr>(expr);
  return call && readsOnly(call->arguments());
}

bool mayFollowDeclaration(const DeclStmt &stmt) {
  return llvm::all_of(stmt.decls(), [](const Decl *decl) {
    const auto *variable = dyn_cast<VarDecl>(decl);
    const CXXRecordDecl *record =
        variable ? variable->getType()->getBaseElementTypeUnsafe()->getAsCXXRecordDecl() : nullptr;
    const bool acts = record && record->hasDefinition() && !record->hasTrivialDestructor();
    return !variable || (!acts && onlyReads(variable->getInit()));
  });
}

// Labels stand in the switch's own block, each of one number.
bool mayFollowCases(const SwitchStmt &choice) {
  const auto *block = dyn_cast<CompoundStmt>(choice.getBody());
  return block && llvm::all_of(block->body(), [](const Stmt *stmt) {
           for (; const auto *label = dyn_cast<SwitchCase>(stmt); stmt = label->getSubStmt())
             if (const auto *its = dyn_cast<CaseStmt>(label); its && its->getRHS())
               return false;
           return mayFollow(stmt);
         });
}

bool mayFollow(const Stmt *stmt) {
  stmt = withoutAttributes(stmt);
  if (const auto *block = dyn_cast<CompoundStmt>(stmt))
    return llvm::all_of(block->body(), mayFollow);
  if (const auto *branch = dyn_cast<IfStmt>(stmt))
    return !branch->getInit() && !branch->getConditionVariable() && onlyReads(branch->getCond()) &&
           mayFollow(branch->getThen()) && (!branch->getElse() || mayFollow(branch->getElse()));
  if (const auto *choice = dyn_cast<SwitchStmt>(stmt))
    return !choice->getInit() && !choice->getConditionVariable() && onlyReads(choice->getCond()) &&
           mayFollowCases(*choice);
  if (const auto *declaration = dyn_cast<DeclStmt>(stmt))
    return mayFollowDeclaration(*declaration);
  if (const auto *end = dyn_cast<ReturnStmt>(stmt))
    return onlyReads(end->getRetValue());
  if (const auto *expr = dyn_cast<Expr>(stmt))
    return mayFollowExpr(*expr);
  return isa<NullStmt, BreakStmt>(stmt) || laneReadBy(stmt);
}

} // namespace

bool Sampler::mayBeFollowed(const Stmt &stmt) { return mayFollow(&stmt); }

// What it does may be run at all.
bool Sampler::mayRun(const FunctionDecl &definition) {
  const auto [known, isNew] = followed_.try_emplace(&definition, false);
  if (!isNew)
    return known->second;
  const auto *constructor = dyn_cast<CXXConstructorDecl>(&definition);
  const bool may =
      mayFollow(definition.getBody()) &&
      (!constructor || llvm::all_of(constructor->inits(), [](const CXXCtorInitializer *init) {
        return onlyReads(init->getInit());
      }));
  return followed_[&definition] = may;
}

// ---- statements

// True at the end of the function: it returned, or what it does is not followed.
bool Sampler::run(const Stmt *body, Value &result) {
  body = withoutAttributes(body);
  if (const auto *block = dyn_cast<CompoundStmt>(body))
    return llvm::any_of(block->body(), [&](const Stmt *part) { return run(part, result); });
  if (const auto *stmt = dyn_cast<ReturnStmt>(body)) {
    if (run_.wantsRecord)
      run_.record = stmt->getRetValue() ? record(stmt->getRetValue()) : std::nullopt;
    else
      result = stmt->getRetValue() ? value(stmt->getRetValue()) : std::nullopt;
    return true;
  }
  if (const auto *stmt = dyn_cast<DeclStmt>(body)) {
    for (const Decl *decl : stmt->decls())
      if (const auto *local = dyn_cast<VarDecl>(decl))
        declare(*local);
    return false;
  }
  if (const auto *expr = dyn_cast<Expr>(body))
    return !follows(*withoutCleanups(expr));
  if (const auto *stmt = dyn_cast<IfStmt>(body)) {
    const Value condition = deciding([&] { return value(stmt->getCond()); });
    if (!condition)
      return true;
    const Stmt *taken = *condition ? stmt->getThen() : stmt->getElse();
    return taken && run(taken, result);
  }
  if (const auto *stmt = dyn_cast<SwitchStmt>(body))
    return runCases(*stmt, result);
  if (const VarDecl *lane = laneReadBy(body); lane && bindings_.count(lane)) {
    bindings_[lane] = fit(point_.thread % 32, lane->getType());
    return false;
  }
  return !isa<NullStmt>(body); // anything else: not followed
}

bool Sampler::runAll(llvm::ArrayRef<const Stmt *> stmts, Value &result) {
  return llvm::any_of(stmts, [&](const Stmt *stmt) { return run(stmt, result); });
}

// From the label on up to `break`, which stands in the switch's own block.
bool Sampler::runCases(const SwitchStmt &choice, Value &result) {
  const auto *block = dyn_cast<CompoundStmt>(choice.getBody());
  const Cell on = cellOf([&] { return value(choice.getCond()); });
  if (!block || !on.value || on.usedUniform)
    return true;
  const auto takes = [&](const SwitchCase *label) {
    const auto *its = dyn_cast<CaseStmt>(label);
    return !its || (!its->getRHS() && constant(its->getLHS()) == on.value);
  };
  const auto labelled = [&](const Stmt *stmt, bool isDefault) {
    for (; const auto *label = dyn_cast<SwitchCase>(stmt); stmt = label->getSubStmt())
      if (isa<DefaultStmt>(label) == isDefault && takes(label))
        return true;
    return false;
  };
  const auto begin = block->body_begin(), end = block->body_end();
  auto at = std::find_if(begin, end, [&](const Stmt *stmt) { return labelled(stmt, false); });
  if (at == end)
    at = std::find_if(begin, end, [&](const Stmt *stmt) { return labelled(stmt, true); });
  for (; at != end; ++at) {
    const Stmt *stmt = *at;
    while (const auto *label = dyn_cast<SwitchCase>(stmt))
      stmt = label->getSubStmt();
    if (isa<BreakStmt>(stmt))
      return false;
    if (run(stmt, result))
      return true;
  }
  return false;
}

// A reference is what its variable is now, which may be another later.
void Sampler::declare(const VarDecl &local) {
  const QualType type = local.getType();
  const Expr *init = local.getInit();
  const auto *name = init ? dyn_cast<DeclRefExpr>(init->IgnoreParenImpCasts()) : nullptr;
  const auto *of = name ? dyn_cast<VarDecl>(name->getDecl()) : nullptr;
  const bool mayChange = type->isReferenceType() && of && isOfRun(*of);
  if (type->isRecordType() || type->isArrayType())
    run_.records[&local] = init ? record(init).value_or(Record()) : Record();
  const Cell cell = cellOf([&] { return init && !mayChange ? fit(value(init), type) : Value(); });
  bindings_[&local] = cell.value;
  cell.usedUniform ? (void)run_.uniform.insert(&local) : (void)run_.uniform.erase(&local);
}

// x = y;  x += y;  ++x;  of a variable or member of the function's own, and calls.
bool Sampler::follows(const Expr &expr) {
  if (const auto *call = dyn_cast<CallExpr>(&expr))
    return calls(*call);
  const auto *op = dyn_cast<BinaryOperator>(&expr);
  const auto *step = dyn_cast<UnaryOperator>(&expr);
  if ((!op || !op->isAssignmentOp()) && (!step || !step->isIncrementDecrementOp()))
    return false;
  const Expr *target = op ? op->getLHS() : step->getSubExpr();
  const QualType type = target->getType();
  const auto place = type->isScalarType() ? placeOf(target) : std::nullopt;
  const BinaryOperator *first = op ? assignedBefore(*op) : nullptr;
  const auto from = first && follows(*first) ? placeOf(first->getLHS()) : std::nullopt;
  if (!place || (first && !from))
    return false;
  const Value right = first ? load(*from) : op ? value(op->getRHS()) : Value(1);
  if (op && op->getOpcode() == BO_Assign)
    return store(*place, fit(right, type));
  const Value before = load(*place);
  if (!before || !right || !(type->isIntegerType() || type->isPointerType()))
    return store(*place, std::nullopt);
  const auto *compound = dyn_cast_or_null<CompoundAssignOperator>(op);
  const QualType in = compound ? compound->getComputationLHSType() : type;
  const BinaryOperatorKind kind = op ? BinaryOperator::getOpForCompoundAssignment(op->getOpcode())
                                  : step->isIncrementOp() ? BO_Add
                                                          : BO_Sub;
  if (type->isPointerType()) {
    const uint64_t bytes = *right * bytesOf(type->getPointeeType());
    return store(*place, kind == BO_Add ? *before + bytes : *before - bytes);
  }
  const Value after =
      fit(applyBinary(kind, in->isSignedIntegerOrEnumerationType(), *fit(before, in), *right), in);
  return store(*place, fit(after, type));
}

// ---- places of the function's own

static bool leadsToThis(const Expr &pointer) {
  return isa<CXXThisExpr>(pointer.IgnoreParenImpCasts());
}

bool Sampler::isOfRun(const VarDecl &variable) const {
  if (run_.left.count(&variable))
    return true;
  if (variable.getType()->isReferenceType() || !variable.hasLocalStorage() ||
      unseen_.contains(&variable))
    return false;
  return run_.making ? llvm::is_contained(run_.making->variables, &variable)
                     : run_.function && variable.getDeclContext() == run_.function;
}

// x, x.y and x[i], and of the object that the function works on, y of this->y; bases as well.
std::optional<Sampler::Place> Sampler::placeOf(const Expr *expr) {
  uint64_t offset = 0;
  for (;;) {
    expr = expr->IgnoreParens();
    if (const auto *cast = dyn_cast<ImplicitCastExpr>(expr)) {
      const auto base = baseOffset(*cast, context_);
      const bool isSame = cast->getCastKind() == CK_NoOp ||
                          cast->getCastKind() == CK_LValueToRValue ||
                          cast->getCastKind() == CK_ArrayToPointerDecay;
      if (!base && !isSame)
        return std::nullopt;
      offset += base.value_or(0);
      expr = cast->getSubExpr();
    } else if (const auto *member = dyn_cast<MemberExpr>(expr)) {
      const auto *field = dyn_cast<FieldDecl>(member->getMemberDecl());
      if (!field || field->isBitField() || field->getParent()->isUnion() ||
          field->getType()->isReferenceType() ||
          (member->isArrow() && !leadsToThis(*member->getBase())))
        return std::nullopt;
      offset += context_.getFieldOffset(field) / 8;
      expr = member->getBase();
    } else if (const auto *access = dyn_cast<ArraySubscriptExpr>(expr)) {
      const Expr *base = access->getBase()->IgnoreParenImpCasts();
      const Value index = base->getType()->isArrayType() ? value(access->getIdx()) : std::nullopt;
      if (!index)
        return std::nullopt;
      offset += *index * bytesOf(access->getType());
      expr = base;
    } else if (isa<CXXThisExpr>(expr)) {
      return run_.changed ? std::optional(Place{nullptr, offset}) : std::nullopt;
    } else {
      const VarDecl *variable = variableNamed(expr);
      return variable && isOfRun(*variable) ? std::optional(Place{variable, offset}) : std::nullopt;
    }
  }
}

static bool isScalar(const VarDecl *variable) {
  return variable && variable->getType().getNonReferenceType()->isScalarType();
}

Sampler::Record &Sampler::recordAt(const Place &place) {
  return place.variable ? run_.records[place.variable] : *run_.changed;
}

bool Sampler::store(const Place &place, const Value &x) {
  if (isScalar(place.variable))
    bindings_[place.variable] = x;
  else
    recordAt(place)[place.offset] = {x};
  return true;
}

Sampler::Value Sampler::load(const Place &place) {
  if (isScalar(place.variable)) {
    usedUniform_ |= run_.uniform.count(place.variable) != 0;
    return bindings_.count(place.variable) ? bindings_[place.variable] : std::nullopt;
  }
  const Record &whole = recordAt(place);
  const auto found = whole.find(place.offset);
  if (found == whole.end())
    return std::nullopt;
  usedUniform_ |= found->second.usedUniform;
  return found->second.value;
}

void Sampler::storeRecord(const Place &place, const Record &part, uint64_t bytes) {
  Record &whole = recordAt(place);
  whole.erase(whole.lower_bound(place.offset), whole.lower_bound(place.offset + bytes));
  for (const auto &[offset, x] : part)
    whole[place.offset + offset] = x;
}

// ---- functions

// Its parameters have what the call gives; references to objects are what those hold now.
Sampler::Run Sampler::runOf(const FunctionDecl &definition,
                            llvm::function_ref<const Expr *(unsigned)> argument,
                            const Record *object) {
  Run inside;
  inside.function = &definition;
  inside.object = object;
  inside.uniform = run_.uniform;
  for (unsigned i = 0; i < definition.getNumParams(); ++i) {
    const ParmVarDecl *parameter = definition.getParamDecl(i);
    const Expr *given = argument(i);
    const QualType type = parameter->getType().getNonReferenceType();
    if (!given)
      continue;
    if (type->isRecordType() || type->isArrayType())
      if (auto held = record(given))
        inside.records[parameter] = std::move(*held);
    const bool isPlace = parameter->getType()->isReferenceType() && !type->isIntegerType();
    const Cell cell = cellOf([&] { return isPlace ? address(given) : value(given); });
    inside.parameters[parameter] = cell.value;
    cell.usedUniform ? (void)inside.uniform.insert(parameter)
                     : (void)inside.uniform.erase(parameter);
  }
  return inside;
}

// Runs what is inside of a function. `isOwn`: a method of the object that calls it.
void Sampler::within(Run &inside, bool isOwn, llvm::function_ref<void()> body) {
  const Bindings outside = bindings_;
  for (const auto &[parameter, x] : inside.parameters)
    bindings_[parameter] = x;
  const Expr *self = isOwn ? self_ : std::exchange(self_, nullptr);
  Settled settled;
  if (!isOwn)
    std::swap(settled_, settled);
  std::swap(run_, inside);
  ++depth_;
  body();
  --depth_;
  std::swap(run_, inside);
  if (!isOwn)
    std::swap(settled_, settled);
  self_ = self;
  bindings_ = outside;
}

static const FunctionDecl *definitionFor(const CallExpr &call, unsigned first) {
  const FunctionDecl *callee = call.getDirectCallee();
  const FunctionDecl *definition = callee ? callee->getDefinition() : nullptr;
  const auto *method = dyn_cast_or_null<CXXMethodDecl>(callee);
  return definition && definition->hasBody() && !(method && method->isVirtual()) &&
                 call.getNumArgs() - first == callee->getNumParams()
             ? definition
             : nullptr;
}

static bool isOwnMethod(const CallExpr &call) {
  const auto *method = dyn_cast<CXXMemberCallExpr>(&call);
  return method && isa<CXXThisExpr>(method->getImplicitObjectArgument()->IgnoreParenImpCasts());
}

static unsigned firstArgument(const CallExpr &call) {
  return isa<CXXOperatorCallExpr>(call) && isa_and_nonnull<CXXMethodDecl>(call.getDirectCallee())
             ? 1
             : 0;
}

Sampler::Value Sampler::call(const CallExpr *call) {
  const FunctionDecl *callee = call->getDirectCallee();
  if (!callee || depth_ > kDeepest)
    return std::nullopt;
  const StringRef name = cudaName(callee);
  if (name == "__cvta_generic_to_shared")
    return value(call->getArg(0));
  if (name == "__shfl_sync")
    return ofLane(*call);
  const unsigned first = firstArgument(*call);
  const FunctionDecl *definition = definitionFor(*call, first);
  if (!definition || !mayRun(*definition))
    return std::nullopt;
  const std::optional<Record> object = objectOf(*call);
  Run inside = runOf(
      *definition, [&](unsigned i) { return call->getArg(i + first); },
      object ? &*object : nullptr);
  Value result;
  bool returned = false;
  within(inside, isOwnMethod(*call), [&] { returned = run(definition->getBody(), result); });
  return returned ? fit(result, callee->getReturnType()) : std::nullopt;
}

// What a function returns that is an object.
std::optional<Sampler::Record> Sampler::recordOfCall(const CallExpr &call) {
  const unsigned first = firstArgument(call);
  const FunctionDecl *definition = definitionFor(call, first);
  if (!definition || !mayRun(*definition) || depth_ > kDeepest)
    return std::nullopt;
  const std::optional<Record> object = objectOf(call);
  Run inside = runOf(
      *definition, [&](unsigned i) { return call.getArg(i + first); }, object ? &*object : nullptr);
  inside.wantsRecord = true;
  Value nothing;
  within(inside, isOwnMethod(call), [&] { run(definition->getBody(), nothing); });
  return inside.record;
}

// __shfl_sync(mask, x, 0): x of that lane. What is made of numbers that a function or a loop has
// here is not looked at there.
Sampler::Value Sampler::ofLane(const CallExpr &call) {
  const bool isWhole =
      call.getNumArgs() == 3 || (call.getNumArgs() == 4 && constant(call.getArg(3)) == Value(32));
  Inputs inputs;
  if (isWhole)
    inputs.TraverseStmt(const_cast<Expr *>(call.getArg(1)));
  const bool isBound = llvm::any_of(inputs.found, [&](const VarDecl *input) {
    return bindings_.count(input) || run_.records.count(input) || followsBound(input);
  });
  const bool isOfObject = run_.object || run_.changed;
  const Value lane = isWhole && !isBound && !isOfObject ? value(call.getArg(2)) : std::nullopt;
  if (!lane || inputs.readsMemory)
    return std::nullopt;
  const Point here = point_;
  goTo(here.thread / 32 * 32 + *lane % 32, here.seed, here.rowLength, here.rows);
  const Value x = value(call.getArg(1));
  goTo(here.thread, here.seed, here.rowLength, here.rows);
  return x;
}

// A call for what it leaves in what it is handed: ids(lane, warp);  at.init(threadIdx.x);
bool Sampler::calls(const CallExpr &call) {
  const unsigned first = firstArgument(call);
  const FunctionDecl *definition = definitionFor(call, first);
  if (!definition || !mayRun(*definition) || depth_ > kDeepest)
    return false;
  const auto argument = [&](unsigned i) { return call.getArg(i + first); };
  const auto *method = dyn_cast<CXXMemberCallExpr>(&call);
  const auto *callee = method ? method->getMethodDecl() : nullptr;
  std::optional<Place> object;
  Record its;
  if (callee && callee->isInstance()) {
    const Expr *whole = method->getImplicitObjectArgument();
    object =
        whole->getType()->isPointerType() && !isOwnMethod(call) ? std::nullopt : placeOf(whole);
    if (!object || isScalar(object->variable))
      return false;
    its = partFrom(recordAt(*object), object->offset,
                   bytesOf(callee->getFunctionObjectParameterType()));
  } else if (first) {
    return false;
  }
  std::map<const VarDecl *, Place> places;
  if (!placesHanded(*definition, argument, object, places) || (object && !places.empty()))
    return false;
  Run inside = runOf(*definition, argument, nullptr);
  inside.changed = object ? &its : nullptr;
  for (const auto &[parameter, place] : places) {
    inside.left.insert(parameter);
    if (isScalar(place.variable) || isScalar(parameter))
      inside.parameters[parameter] = load(place);
  }
  std::map<const VarDecl *, Value> left;
  std::map<const VarDecl *, Record> leftRecords;
  bool isFollowed = false;
  within(inside, isOwnMethod(call), [&] {
    Value nothing;
    isFollowed = !run(definition->getBody(), nothing);
    for (const auto &[parameter, place] : places)
      if (isScalar(parameter)) {
        left[parameter] = bindings_[parameter];
        usedUniform_ |= run_.uniform.count(parameter) != 0;
      } else
        leftRecords[parameter] = run_.records[parameter];
  });
  if (!isFollowed)
    return false;
  for (const auto &[parameter, place] : places)
    if (isScalar(parameter))
      store(place, left[parameter]);
    else
      storeRecord(place, leftRecords[parameter],
                  bytesOf(parameter->getType().getNonReferenceType()));
  if (object)
    storeRecord(*object, its, bytesOf(callee->getFunctionObjectParameterType()));
  return true;
}

// Where its references lead that it may write through: to places of the caller's own, each by one
// parameter alone, and none in the object whose method it is.
bool Sampler::placesHanded(const FunctionDecl &definition,
                           llvm::function_ref<const Expr *(unsigned)> argument,
                           const std::optional<Place> &object,
                           std::map<const VarDecl *, Place> &places) {
  std::vector<Place> seen;
  for (unsigned i = 0; i < definition.getNumParams(); ++i) {
    const ParmVarDecl *parameter = definition.getParamDecl(i);
    const QualType type = parameter->getType();
    if (!type->isReferenceType() && !type->isPointerType())
      continue;
    const bool isChanged = !type->getPointeeType().isConstQualified();
    const auto place = type->isReferenceType() ? placeOf(argument(i)) : std::nullopt;
    if (place ? !place->variable : isChanged)
      return false;
    if (!place)
      continue;
    if (object && object->variable == place->variable)
      return false;
    const bool isPart = !isScalar(place->variable) && isScalar(parameter);
    const bool meets = llvm::any_of(seen, [&](const Place &other) {
      return other.variable == place->variable &&
             (!isPart || other.isWhole || other.offset == place->offset);
    });
    if (meets)
      return false;
    seen.push_back({place->variable, place->offset, !isPart});
    if (isChanged)
      places[parameter] = *place;
  }
  return true;
}

} // namespace layout_port::native
