#include "native/WaveRun.h"

#include "native/AstRead.h"
#include "native/Effects.h"
#include "native/FragmentName.h"
#include "native/Numbers.h"
#include "native/Sample.h"
#include "native/WholeText.h"

#include "clang/AST/DynamicRecursiveASTVisitor.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/RecordLayout.h"
#include "clang/AST/StmtCXX.h"
#include "clang/Basic/Builtins.h"
#include "llvm/ADT/STLExtras.h"

#include <algorithm>

using namespace clang;

namespace layout_port::native {

namespace {

constexpr uint64_t kMostSteps = 1000000, kMostIterations = 4096;
constexpr size_t kDeepest = 32;
constexpr uint64_t kPointerBytes = 8;
constexpr unsigned kQuadLanes = 3;
constexpr char kConstructs[] = "a constructor changes more than its object";
constexpr char kUncounted[] =
    "a loop whose count is not known is left, or goes on with its next turn, under a condition";
constexpr char kGivenOn[] = "what goes into results is given to more than results";
constexpr char kMoreDecided[] = "a condition on the lane decides about results and about more";

uint64_t joined(uint64_t a, uint64_t b) { return mixed(a * 0x9e3779b97f4a7c15 + b + 1); }

// Whether the two may be given the other way round.
bool commutes(BinaryOperatorKind op) {
  return op == BO_Add || op == BO_Mul || op == BO_And || op == BO_Or || op == BO_Xor ||
         op == BO_EQ || op == BO_NE;
}
bool commutes(StringRef name) {
  static const std::set<std::string> names = {
      "max",     "min",     "fmaxf",     "fminf",     "fmax",      "fmin",
      "__hadd",  "__hmul",  "__hmax",    "__hmin",    "__hadd2",   "__hmul2",
      "__hmax2", "__hmin2", "__fadd_rn", "__fmul_rn", "operator+", "operator*"};
  return names.count(name.str());
}

// Functions of CUDA's that ask other lanes, or change what others see.
bool isWarpWide(StringRef name) {
  if (actsByName(name) || name.starts_with("__nvvm_elect") ||
      llvm::any_of(std::initializer_list<const char *>{"tid", "laneid", "warpid", "lanemask"},
                   [&](const std::string &which) {
                     return name.starts_with("__nvvm_read_ptx_sreg_" + which);
                   }))
    return true;
  for (const char *prefix : {"__any", "__all", "__ballot", "__match", "__reduce", "__activemask",
                             "__uni", "atomic", "__st", "__shfl"})
    if (name.starts_with(prefix))
      return true;
  return false;
}

// A function of a header whose body asks which thread it is, or other lanes: what it gives is no
// function of what it is given. tile.shfl_xor(x, 2), tile.thread_rank()
bool knowsThread(const FunctionDecl &definition, std::set<const FunctionDecl *> &seen) {
  class Finder : public ExecutedVisitor {
  public:
    explicit Finder(std::set<const FunctionDecl *> &seen) : seen_(seen) {}
    bool VisitDeclRefExpr(DeclRefExpr *name) override {
      const IdentifierInfo *id = name->getDecl()->getIdentifier();
      return !(any = any || (id && id->getName() == "threadIdx"));
    }
    bool VisitGCCAsmStmt(GCCAsmStmt *stmt) override {
      const std::string text = stmt->getAsmString();
      any = any || !actsInPtx(*stmt).empty() || text.find("%tid") != text.npos ||
            text.find("%lane") != text.npos || text.find("%warpid") != text.npos;
      return !any;
    }
    bool VisitCallExpr(CallExpr *call) override {
      const FunctionDecl *callee = call->getDirectCallee();
      const FunctionDecl *definition = callee ? callee->getDefinition() : nullptr;
      const StringRef name = callee && callee->getIdentifier() ? callee->getName() : StringRef();
      any = any || !callee || isWarpWide(name) ||
            (definition && definition->hasBody() && knowsThread(*definition, seen_));
      return !any;
    }
    bool any = false;

  private:
    std::set<const FunctionDecl *> &seen_;
  };
  if (!seen.insert(&definition).second)
    return false;
  Finder finder(seen);
  finder.traverseDefinition(definition);
  return finder.any;
}

// Of one without a body that is nobody's whose name says what it does: it may do anything.
bool asksThread(const FunctionDecl &callee) {
  const FunctionDecl *definition = callee.getDefinition();
  if (!definition || !definition->hasBody())
    return !isOfCuda(callee) || isWarpWide(cudaName(&callee));
  std::set<const FunctionDecl *> seen;
  return isWarpWide(cudaName(&callee)) || knowsThread(*definition, seen);
}

// std::move(x), std::forward<T>(x): x itself. The compiler keeps their text to itself.
bool handsBack(const FunctionDecl &callee) {
  return llvm::is_contained({Builtin::BImove, Builtin::BImove_if_noexcept, Builtin::BIforward,
                             Builtin::BIforward_like, Builtin::BIas_const},
                            static_cast<Builtin::ID>(callee.getBuiltinID()));
}
bool takesAddress(const FunctionDecl &callee) {
  return llvm::is_contained(
      {Builtin::BIaddressof, Builtin::BI__addressof, Builtin::BI__builtin_addressof},
      static_cast<Builtin::ID>(callee.getBuiltinID()));
}

class Leaving : public DynamicRecursiveASTVisitor {
public:
  bool VisitStmt(Stmt *stmt) override {
    any |= isa<BreakStmt, ContinueStmt, ReturnStmt, GotoStmt, AsmStmt>(stmt);
    return !any;
  }
  bool any = false;
};

// Of variables and numbers: no memory, and nothing that a function does.
bool isArithmetic(const Expr &value) {
  class Other : public DynamicRecursiveASTVisitor {
  public:
    bool VisitStmt(Stmt *stmt) override {
      const auto *op = dyn_cast<UnaryOperator>(stmt);
      const auto *member = dyn_cast<MemberExpr>(stmt);
      any |= isa<ArraySubscriptExpr, LambdaExpr, StmtExpr>(stmt) || (member && member->isArrow()) ||
             (op && (op->getOpcode() == UO_Deref || op->isIncrementDecrementOp()));
      return !any;
    }
    bool VisitBinaryOperator(BinaryOperator *op) override {
      any |= op->isAssignmentOp();
      return !any;
    }
    bool VisitCallExpr(CallExpr *call) override {
      const FunctionDecl *callee = call->getDirectCallee();
      any |= !callee || (!callee->getBuiltinID() && !callee->isConstexpr() &&
                         !callee->getName().starts_with("__nvvm_read_ptx_sreg"));
      return !any;
    }
    bool any = false;
  };
  Other other;
  other.TraverseStmt(const_cast<Expr *>(&value));
  return !other.any;
}

bool overlap(int64_t a, uint64_t bytesOfA, int64_t b, uint64_t bytesOfB) {
  return a < b + static_cast<int64_t>(bytesOfB) && b < a + static_cast<int64_t>(bytesOfA);
}

// All bytes as they are.
bool isPlainCopy(const CXXConstructExpr &made) {
  const CXXConstructorDecl &constructor = *made.getConstructor();
  return constructor.isCopyOrMoveConstructor() && constructor.isTrivial() && made.getNumArgs() == 1;
}

// What is read: not so of a const __restrict__ parameter's.
bool mayChange(const ImplicitCastExpr &read) {
  Inputs inputs;
  inputs.VisitImplicitCastExpr(const_cast<ImplicitCastExpr *>(&read));
  return inputs.readsMemory;
}

// Of a parameter: what it is given may be written to, then or later.
bool handsOn(QualType type) {
  return (type->isReferenceType() || type->isPointerType()) &&
         !type->getPointeeType().isConstQualified();
}

class Mentioned : public DynamicRecursiveASTVisitor {
public:
  bool VisitCastExpr(CastExpr *cast) override {
    const Expr *from = cast->getSubExpr()->IgnoreParens();
    while (const auto *member = dyn_cast<MemberExpr>(from)) {
      if (member->isArrow())
        break;
      from = member->getBase()->IgnoreParens();
    }
    if (cast->getCastKind() == CK_LValueToRValue && isa<DeclRefExpr>(from))
      reads_.insert(from);
    return true;
  }
  bool VisitDeclRefExpr(DeclRefExpr *name) override {
    const auto *part = dyn_cast<BindingDecl>(name->getDecl());
    if (const auto *variable =
            dyn_cast<VarDecl>(part ? part->getDecomposedDecl() : name->getDecl())) {
      found.insert(variable);
      if (!reads_.count(name))
        changed.insert(variable);
    }
    return true;
  }
  bool VisitCXXThisExpr(CXXThisExpr *) override { return hasThis = true; }
  std::set<const VarDecl *> found, changed; // by all, and but for those whose value alone is read
  bool hasThis = false;

private:
  std::set<const Expr *> reads_;
};

// A jump out of what stands there.
class Jumps : public DynamicRecursiveASTVisitor {
public:
  bool VisitStmt(Stmt *stmt) override {
    returns |= isa<ReturnStmt>(stmt);
    goes |= isa<ContinueStmt, GotoStmt, IndirectGotoStmt>(stmt);
    breaks |= isa<BreakStmt>(stmt);
    return true;
  }
  bool returns = false, goes = false, breaks = false;
};

// A variable of a plain struct's type that a function returns a copy of, or {a, b}, at its end and
// nowhere else.
const Expr *onlyReturned(const FunctionDecl *function, const ASTContext &context) {
  const FunctionDecl *definition = function ? function->getDefinition() : nullptr;
  const auto *body = definition ? dyn_cast_or_null<CompoundStmt>(definition->getBody()) : nullptr;
  const auto *leave = body && body->size() ? dyn_cast<ReturnStmt>(body->body_back()) : nullptr;
  const Expr *value = leave ? leave->getRetValue() : nullptr;
  if (!value || !value->isPRValue() || !value->getType()->isRecordType() ||
      !value->getType().isTriviallyCopyableType(context))
    return nullptr;
  const Expr *made = throughCopies(value);
  if (const auto *cast = dyn_cast<CXXFunctionalCastExpr>(made)) // T{a, b}
    made = throughCopies(cast->getSubExpr());
  if (!isa<DeclRefExpr, InitListExpr>(made))
    return nullptr;
  Jumps before;
  for (const Stmt *stmt : llvm::ArrayRef(body->body_begin(), body->size() - 1))
    before.TraverseStmt(const_cast<Stmt *>(stmt));
  return before.returns ? nullptr : value;
}

} // namespace

// ---- values ------------------------------------------------------------------------

bool WaveValue::isUniform() const {
  return std::all_of(of.begin(), of.end(), [&](uint64_t x) { return x == of[0]; });
}

unsigned WaveValue::invariantBits() const {
  unsigned bits = 0;
  for (int bit = 1; bit < kWaveThreads; bit *= 2) {
    bool same = true;
    for (int t = 0; t < kWaveThreads && same; ++t)
      same = of[t] == of[t ^ bit];
    bits |= same ? bit : 0;
  }
  return bits;
}

WaveValue Meetings::valueOf(size_t number) const {
  const std::vector<uint64_t> &names = all[number].of;
  WaveValue value;
  for (size_t t = 0; t < kWaveThreads; ++t)
    value.of[t] = names[names.size() == 1 ? 0 : t];
  return value;
}

WaveValue WaveRun::number(uint64_t n) {
  WaveValue value;
  value.of.fill(n);
  value.isNumber = true;
  return value;
}

WaveValue WaveRun::uniformName(uint64_t key) {
  WaveValue value;
  value.of.fill(mixed(key));
  return value;
}

WaveValue WaveRun::threadName(uint64_t key) {
  WaveValue value;
  for (int t = 0; t < kWaveThreads; ++t)
    value.of[t] = joined(mixed(key), t);
  return value;
}

WaveValue WaveRun::fresh() { return threadName(joined(0xf7e54, ++counter_)); }

uint64_t WaveRun::hashOf(const std::string &text) {
  uint64_t hash = 0xcbf29ce484222325;
  for (const char c : text)
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return mixed(hash);
}

// Numbers get a name of their own here, so that 1 is another value than a name of 1.
WaveValue WaveRun::combine(uint64_t op, const std::vector<const WaveValue *> &of, bool commutes) {
  WaveValue out;
  uint8_t all = 3;
  for (const WaveValue *value : of) {
    out.rows |= value->rows;
    out.isAsked |= value->isAsked;
    out.isStale |= value->isStale;
    if (value->rows || !value->isUniform()) {
      out.met |= value->met;
      all &= value->met;
    }
  }
  out.met = out.met == all ? all : 0; // of the same results, all of them
  llvm::SmallVector<uint64_t, 8> names(of.size());
  for (int t = 0; t < kWaveThreads; ++t) {
    for (size_t i = 0; i < of.size(); ++i)
      names[i] = of[i]->isNumber ? joined(0x17, of[i]->of[t]) : of[i]->of[t];
    if (commutes)
      std::sort(names.begin(), names.end());
    uint64_t name = op;
    for (const uint64_t n : names)
      name = joined(name, n);
    out.of[t] = name;
  }
  // Of a loaded fragment and of what all threads have, it is a fragment that lies as that does.
  uint64_t loaded = op;
  for (const WaveValue *value : of) {
    if (!value->loaded && !value->isUniform())
      return out;
    loaded = joined(loaded, value->loaded ? value->loaded : joined(value->isNumber, value->of[0]));
  }
  if (llvm::any_of(of, [](const WaveValue *value) { return value->loaded != 0; }))
    out.loaded = loaded;
  return out;
}

bool WaveRun::refuse(const std::string &reason, const Stmt *at) {
  if (problem.empty()) {
    problem = reason;
    problemAt = at;
  }
  return false;
}

bool Bytes::hold(const VarDecl *variable, int64_t begin, int64_t end) const {
  const auto spans = spans_.find(variable);
  return spans != spans_.end() && llvm::any_of(spans->second, [&](const auto &span) {
           return span.first <= begin && end <= span.second;
         });
}

bool Bytes::touch(const VarDecl *variable, int64_t begin, int64_t end) const {
  const auto spans = spans_.find(variable);
  return spans != spans_.end() && llvm::any_of(spans->second, [&](const auto &span) {
           return span.first < end && begin < span.second;
         });
}

std::set<const VarDecl *> Bytes::variables() const {
  std::set<const VarDecl *> all;
  for (const auto &[variable, spans] : spans_)
    all.insert(variable);
  return all;
}

WaveRun::WaveRun(const ASTContext &context, const FunctionDecl &kernel, Carried &carried,
                 const Bytes &operands, RunLayout layout)
    : context_(context), kernel_(kernel), carried_(carried), operands_(operands),
      layout_(std::move(layout)) {
  for (const ParmVarDecl *parameter : kernel.parameters()) {
    Place place;
    place.isOwn = true;
    place.root = rootOf(parameter, parameter);
    write(place, sizeOf(parameter->getType()),
          {uniformName(joined(0x9a4a, parameter->getLocation().getRawEncoding())), {}}, nullptr);
    if (isConstantOfKernel(*parameter))
      references_[parameter] = place;
  }
}

void WaveRun::run(const Stmt *last) {
  const auto *body = clang::cast<CompoundStmt>(kernel_.getBody());
  frames_.emplace_back();
  for (const Stmt *stmt : body->body()) {
    if (run1(stmt) != Flow::Next || !problem.empty() || stmt == last)
      break;
  }
  if (!layout_.watched)
    finish(last);
}

// Part of `outer`, or it.
static bool holds(const Stmt *outer, const Stmt *inner) {
  return outer && (outer == inner || llvm::any_of(outer->children(), [&](const Stmt *child) {
                     return holds(child, inner);
                   }));
}

// The arm of a branch that the watched statement stands in.
const Stmt *WaveRun::armToWatched(const IfStmt &s) const {
  for (const Stmt *arm : {s.getThen(), s.getElse()})
    if (layout_.watched && holds(arm, layout_.watched))
      return arm;
  return nullptr;
}

void WaveRun::noteVisit() {
  Visit visit;
  for (const auto &[root, contents] : memory_) {
    const VarDecl *variable = carried_.variables[root];
    for (const auto &[offset, cell] : contents) {
      const WaveValue &value = cell.value.wave;
      if (!variable || cell.value.pointee)
        continue;
      if (value.isNumber && offset == 0 && cell.bytes == sizeOf(variable->getType()))
        visit.numbers[variable] = static_cast<int64_t>(value.of[0]);
      if ((value.invariantBits() & kQuadLanes) == kQuadLanes)
        visit.evenInQuads.insert({variable, offset});
    }
  }
  visits.push_back(std::move(visit));
}

// Everything that rows of fragments have gone into and that is still there is compared as
// at the end of a loop.
void WaveRun::finish(const Stmt *last) {
  const LoopKey end{nullptr, 0};
  CarriedCells &cells = carried_.loops[end];
  for (const auto &[root, contents] : memory_)
    for (const auto &[offset, cell] : contents)
      if (cell.value.wave.rows && !cell.value.pointee && carried_.variables[root])
        cells.try_emplace({root, offset, cell.bytes});
  for (const auto &[root, contents] : memory_)
    for (const auto &[offset, cell] : contents)
      if (cell.value.wave.isLost() && carried_.variables[root])
        refuse(kGivenOn, last);
  snapshot(end, last);
  // Who names them behind the products does not say that they are results.
  std::map<unsigned, const VarDecl *> nameless = kept_;
  for (const auto &[of, copy] : copies_)
    nameless[copy.root] = of.second;
  for (const auto &[root, variable] : nameless)
    if (const auto contents = memory_.find(root); contents != memory_.end())
      for (const auto &[offset, cell] : contents->second)
        if (cell.value.wave.rows)
          refuse("'" + variable->getNameAsString() + "' is used in a way that is not followed",
                 last);
  for (const Stmt *stmt : skipped_) {
    Mentioned mentioned;
    mentioned.TraverseStmt(const_cast<Stmt *>(stmt));
    for (const auto &[key, cell] : cells)
      if (const VarDecl *variable = carried_.variables[key.root];
          cell.rows && variable && mentioned.found.count(variable))
        refuse("'" + variable->getNameAsString() + "' is used in a way that is not followed", stmt);
  }
}

// ---- memory ------------------------------------------------------------------------

unsigned WaveRun::rootOf(const void *key, const VarDecl *variable) {
  const auto [at, isNew] =
      carried_.roots.try_emplace(key, static_cast<unsigned>(carried_.variables.size()));
  if (isNew)
    carried_.variables.push_back(variable);
  return at->second;
}

uint64_t WaveRun::sizeOf(QualType type) const {
  type = type.getNonReferenceType();
  if (type->isIncompleteType() || type->isFunctionType() || type->isDependentType())
    return 1;
  return context_.getTypeSizeInChars(type).getQuantity();
}

// One that 64 bits hold.
bool WaveRun::isInteger(QualType type) const {
  constexpr unsigned kMostBits = 64;
  return type->isIntegralOrEnumerationType() && context_.getIntWidth(type) <= kMostBits;
}

// Equal for one type alone, however it is called.
uint64_t WaveRun::keyOf(QualType type) const {
  type = type.getNonReferenceType().getCanonicalType().getUnqualifiedType();
  const TagDecl *tag = type->getAsTagDecl();
  return joined(hashOf(type.getAsString()), tag ? tag->getLocation().getRawEncoding() : 0);
}

bool WaveRun::isOwn(const VarDecl *variable) {
  return variable->hasLocalStorage() && !variable->hasAttr<CUDASharedAttr>();
}

WaveValue WaveRun::piece(const Cell &cell, int64_t begin, int64_t from, int64_t to) {
  return combine(joined(joined(0x9a27, from - begin), to - from), {&cell.value.wave});
}

WaveRun::Value WaveRun::readOwn(const Place &place, uint64_t bytes) {
  const Contents &contents = memory_[place.root];
  if (const auto it = contents.find(place.offset);
      it != contents.end() && it->second.bytes == bytes)
    return it->second.value;
  // What there is of these bytes: parts of cells, or several. The others nobody has written:
  // whatever they are will do.
  std::vector<WaveValue> parts;
  uint64_t name = 0xca7;
  const int64_t end = place.offset + static_cast<int64_t>(bytes);
  for (const auto &[offset, cell] : contents) {
    const int64_t cellEnd = offset + static_cast<int64_t>(cell.bytes);
    const int64_t from = std::max(offset, place.offset), to = std::min(cellEnd, end);
    if (to <= from)
      continue;
    lose(cell.value, current_);
    parts.push_back(from == offset && to == cellEnd ? cell.value.wave
                                                    : piece(cell, offset, from, to));
    if (from == place.offset && to == end)
      return {parts.back(), {}};
    name = joined(joined(name, from - place.offset), to - from);
  }
  if (parts.empty())
    return {threadName(joined(joined(joined(0x0de, place.root), place.offset), bytes)), {}};
  std::vector<const WaveValue *> of;
  for (const WaveValue &part : parts)
    of.push_back(&part);
  return {combine(name, of), {}};
}

// The bits of a value, as a type has them: a number that was written as another integer is the one
// that those bits are; what is no integer has a name, but that all bits zero are.
WaveRun::Value WaveRun::readAs(Value value, QualType type, const Stmt *at) {
  if (value.pointee && type->isScalarType() && !type->isPointerType())
    return converted(std::move(value), context_.VoidPtrTy, type, at);
  if (value.pointee || !value.wave.isNumber)
    return value;
  if (isInteger(type))
    value.wave.of.fill(fitted(value.wave.of[0], type, context_));
  else if (value.wave.of[0] != 0)
    value.wave = combine(joined(0xb175, keyOf(type)), {&value.wave});
  return value;
}

WaveRun::Value WaveRun::read(const Place &place, QualType type, const Stmt *at) {
  if (place.isOwn && place.isExact && place.bitBytes) {
    if (readOwn(place, place.bitBytes).wave.rows)
      refuse("a bit field is made from results", at);
    return {fresh(), {}};
  }
  if (place.isOwn && place.isExact) {
    const Value value = readOwn(place, sizeOf(type));
    if (value.wave.isStale)
      refuse(notAlike(carried_.variables[place.root]), at);
    return readAs(value, type, at);
  }
  if (place.isOwn) {
    WaveValue unknown = fresh();
    for (const auto &[offset, cell] : memory_[place.root]) {
      unknown.rows |= cell.value.wave.rows;
      lose(cell.value, at);
    }
    if (unknown.rows)
      refuse("an index of a register array is not known", at);
    return {unknown, {}};
  }
  if (place.address.rows)
    refuse("memory is read at an address made from results", at);
  ++touches_;
  const WaveValue name = uniformName(joined(versionOfMemory(at), keyOf(type)));
  return {combine(0x10ad, {&name, &place.address}), {}};
}

// Two reads of one place give the same, where nothing has acted in between, no barrier and no turn
// of a loop stands there.
uint64_t WaveRun::versionOfMemory(const Stmt *at) {
  const auto *read = dyn_cast_or_null<ImplicitCastExpr>(at);
  if (!read || read->getSubExpr()->getType().isVolatileQualified())
    return joined(0x10ad, ++counter_);
  return joined(joined(joined(0x3e3, effects_), storings_), epoch_);
}

// What is in all of its bytes is not known any more: one value of the thread's own.
void WaveRun::forget(unsigned root) {
  Contents &contents = memory_[root];
  const VarDecl *variable = carried_.variables[root];
  int64_t begin = 0, end = variable ? static_cast<int64_t>(sizeOf(variable->getType())) : 0;
  for (const auto &[offset, cell] : contents) {
    begin = std::min(begin, offset);
    end = std::max(end, offset + static_cast<int64_t>(cell.bytes));
  }
  const auto bytes = static_cast<uint64_t>(end - begin);
  if (!bytes)
    return;
  contents.clear();
  contents[begin] = {bytes, {fresh(), {}}};
  if (assigned_)
    assigned_->insert({root, begin, bytes});
}

// Somebody writes through an address that is not known: to whatever is known by its address alone.
void WaveRun::forgetLost() {
  for (const auto &[root, at] : lost_)
    if (memory_.count(root) && !isConstant(root))
      forget(root);
}

bool WaveRun::isConstant(unsigned root) const {
  const VarDecl *variable = carried_.variables[root];
  return variable && variable->getType().isConstant(context_);
}

// A variable that comes into being.
void WaveRun::renew(unsigned root) {
  memory_[root].clear();
  lost_.erase(root);
}

// Declared in the function that runs, and gone with it.
bool WaveRun::isLocal(unsigned root) const {
  const VarDecl *variable = carried_.variables[root];
  return !variable || variable->getDeclContext() == frames_.back().function;
}

// Gives what is there then: a bit field may hold less than it is given.
WaveRun::Value WaveRun::assign(const Place &place, QualType type, const Value &value,
                               const Stmt *at) {
  write(place, sizeOf(type), value, at);
  target_ = place;
  return place.bitBytes ? Value{fresh(), {}} : value;
}

void WaveRun::write(const Place &place, uint64_t bytes, const Value &value, const Stmt *at) {
  if (!place.isOwn) {
    if (store(place, value, at))
      return;
    ++effects_;
    ++touches_;
    if (!layout_.watched && (value.wave.rows || place.address.rows || controlRows_))
      refuse(kStored, at);
    if (!layout_.watched && (value.wave.isLost() || place.address.isLost()))
      refuse(kGivenOn, at);
    lose(value, at);
    return forgetLost();
  }
  if (llvm::any_of(frames_, [](const Frame &f) { return f.isPartial; }) && !isLocal(place.root))
    refuse("a function writes to its caller's variables behind a return under a condition", at);
  if (!place.isExact) {
    for (const auto &[offset, cell] : memory_[place.root])
      if (cell.value.wave.rows || value.wave.rows)
        refuse("an index of a register array is not known", at);
    return forget(place.root);
  }
  if (place.bitBytes) {
    if (value.wave.rows)
      refuse("a bit field is made from results", at);
    Place all = place;
    all.bitBytes = 0;
    return write(all, place.bitBytes, {fresh(), {}}, at);
  }
  const int64_t begin = place.offset, end = begin + static_cast<int64_t>(bytes);
  Contents &contents = memory_[place.root];
  // What is overwritten in part keeps its other bytes.
  std::vector<std::pair<int64_t, Cell>> rests;
  for (auto it = contents.begin(); it != contents.end();) {
    const int64_t first = it->first, last = first + static_cast<int64_t>(it->second.bytes);
    if (last <= begin || end <= first) {
      ++it;
      continue;
    }
    const auto keep = [&](int64_t from, int64_t to) {
      if (from >= to)
        return;
      lose(it->second.value, at);
      rests.push_back(
          {from, {static_cast<uint64_t>(to - from), {piece(it->second, first, from, to), {}}}});
    };
    keep(first, begin);
    keep(end, last);
    it = contents.erase(it);
  }
  for (auto &[offset, cell] : rests)
    contents[offset] = cell;
  contents[begin] = {bytes, value};
  const VarDecl *variable = carried_.variables[place.root];
  if (const auto lost = lost_.find(place.root); lost != lost_.end() && value.wave.rows)
    refuseLost(place.root, lost->second);
  if (!value.wave.rows && !value.wave.loaded && operands_.hold(variable, begin, end))
    contents[begin].value.wave.loaded = joined(0x6a7e, ++counter_);
  if (value.wave.rows && variable)
    holders.add(variable, begin, end);
  if (value.wave.rows && operands_.touch(variable, begin, end))
    refuse("an operand that is read from memory is given results", at);
  if (assigned_)
    assigned_->insert({place.root, begin, bytes});
}

// ---- results that are stored between the products

// `x` of  x = result
static const Expr *storedTo(const Stmt *at) {
  const auto *op = dyn_cast_or_null<BinaryOperator>(at);
  if (op && op->getOpcode() == BO_Assign)
    return op->getLHS();
  const auto *call = dyn_cast_or_null<CXXOperatorCallExpr>(at);
  return call && call->getOperator() == OO_Equal ? call->getArg(0) : nullptr;
}

// What says where: p of *p and *(half2 *)p; of s[i] and s->x the place itself, and of
// (half2 &)s[i] as well.
static WaveRun::Stored addressIn(const Expr &target) {
  const Expr *place = target.IgnoreParens();
  while (const auto *cast = dyn_cast<ExplicitCastExpr>(place))
    place = cast->getSubExpr()->IgnoreParens();
  const auto *op = dyn_cast<UnaryOperator>(place);
  if (op && op->getOpcode() == UO_Deref)
    return {&target, op->getSubExpr()->IgnoreParenCasts(), false};
  const bool isElement = isa<ArraySubscriptExpr, MemberExpr>(place);
  return {&target, isElement ? place : nullptr, true};
}

// The statement stays where it is: the lanes that have the result here write it, to where CUDA's
// thread would have. What is stored is compared at the end as what variables hold is.
bool WaveRun::store(const Place &place, const Value &value, const Stmt *at) {
  const uint8_t rows = value.wave.rows;
  const Expr *target = storedTo(at);
  if (!target || (rows != 1 && rows != 2) || !layout_.mode.storesResults || layout_.watched ||
      frames_.size() != 1 || controlRows_ || value.pointee || place.address.rows ||
      place.address.isLost())
    return false;
  const Stored where = addressIn(*target);
  if (!where.address)
    return false;
  stored.insert({clang::cast<Expr>(at), where});
  noteStore(target, value.wave, met(where.address, place.address, rows, memory_), at);
  forgetLost();
  return true;
}

// atomicAdd(p, result): as a store, by the lanes that have the result.
bool WaveRun::addTo(const CallExpr *e, const Handed &handed) {
  if (cudaName(e->getDirectCallee()) != "atomicAdd" || isa<CXXMemberCallExpr>(e) ||
      handed.values.size() != 2 || layout_.watched || frames_.size() != 1 || controlRows_)
    return false;
  const Value &address = handed.values[0], &value = handed.values[1];
  const uint8_t rows = value.wave.rows;
  if ((rows != 1 && rows != 2) || value.pointee || address.pointee || address.wave.rows ||
      address.wave.isLost())
    return false;
  if (!layout_.mode.storesResults) {
    refuse(kStored, e);
    return true;
  }
  const Expr *pointer = e->getArg(0);
  const Stored where{pointer, pointer->IgnoreParenCasts(), false};
  stored.insert({e, where});
  noteStore(pointer, value.wave, met(where.address, address.wave, rows, memory_), e);
  forgetLost();
  return true;
}

void WaveRun::noteStore(const Expr *target, const WaveValue &value, const WaveValue &address,
                        const Stmt *at) {
  const unsigned root = rootOf(target, nullptr);
  carried_.stores[root] = at;
  Contents &contents = memory_[root];
  const auto number = static_cast<int64_t>(contents.size());
  contents[number] = {1, {combine(hashOf("store"), {&value, &address}), {}}};
  ++storings_;
}

WaveRun::Memory WaveRun::storesNow() const {
  Memory stores;
  for (const auto &[root, at] : carried_.stores)
    if (const auto contents = memory_.find(root); contents != memory_.end())
      stores.insert(*contents);
  return stores;
}

size_t WaveRun::storesIn(const Memory &memory) const {
  size_t count = 0;
  for (const auto &[root, at] : carried_.stores)
    if (const auto contents = memory.find(root); contents != memory.end())
      count += contents->second.size();
  return count;
}

// What the one has stored and the other has not.
void WaveRun::noteStored(const Memory &one, const Memory &other,
                         llvm::function_ref<void(const Value *, const Value *)> note) const {
  for (const auto &[root, at] : carried_.stores) {
    const auto contents = one.find(root), others = other.find(root);
    if (contents == one.end())
      continue;
    for (const auto &[offset, cell] : contents->second)
      if (others == other.end() || !others->second.count(offset))
        note(&cell.value, nullptr);
  }
}

// What one of the arms does not store is nothing there.
void WaveRun::mergeStored(const WaveValue &condition, const Memory &no) {
  const Value nothing = {uniformName(hashOf("nothing is stored")), {}};
  for (const auto &[root, at] : carried_.stores) {
    Contents &contents = memory_[root];
    const auto known = no.find(root);
    Contents other = known == no.end() ? Contents() : known->second;
    for (const auto &[offset, cell] : contents)
      other.try_emplace(offset, Cell{cell.bytes, nothing});
    for (const auto &[offset, cell] : other) {
      Cell &into = contents.try_emplace(offset, Cell{cell.bytes, nothing}).first->second;
      into.value = select(condition, into.value, cell.value);
    }
  }
}

// Where a member lies in its object. What is in a bit field is not followed:
//
//   struct { unsigned a : 3, b : 7; }     b is bits 3 to 9: of bytes 0 and 1
WaveRun::Place WaveRun::member(Place whole, const FieldDecl &field) const {
  constexpr uint64_t kByte = 8;
  const uint64_t bit = context_.getFieldOffset(&field);
  whole.offset += static_cast<int64_t>(bit / kByte);
  if (field.isBitField())
    whole.bitBytes = llvm::divideCeil(bit % kByte + field.getBitWidthValue(), kByte);
  return whole;
}

WaveRun::Place WaveRun::base(Place whole, const CXXRecordDecl &record,
                             const CXXRecordDecl &of) const {
  whole.offset += context_.getASTRecordLayout(&record).getBaseClassOffset(&of).getQuantity();
  return whole;
}

void WaveRun::unknown(const Place &place, QualType type) {
  write(place, sizeOf(type), {fresh(), {}}, nullptr);
}

void WaveRun::zero(const Place &place, QualType type) {
  if (const auto *array = context_.getAsConstantArrayType(type)) {
    const uint64_t size = sizeOf(array->getElementType());
    for (uint64_t i = 0; i < array->getSize().getZExtValue(); ++i) {
      Place element = place;
      element.offset += static_cast<int64_t>(i * size);
      zero(element, array->getElementType());
    }
    return;
  }
  if (const auto *record = type->getAsCXXRecordDecl(); record && record->hasDefinition()) {
    if (record->getNumVBases())
      return unknown(place, type);
    for (const CXXBaseSpecifier &part : record->bases())
      zero(base(place, *record, *part.getType()->getAsCXXRecordDecl()), part.getType());
    for (const FieldDecl *field : record->fields())
      zero(member(place, *field), field->getType());
    return;
  }
  write(place, sizeOf(type), zeroOf(type), nullptr);
}

// Of `= {}` what of `= {0.f}` is the number.
WaveRun::Value WaveRun::zeroOf(QualType type) {
  return type->isRealFloatingType() ? realNumber(llvm::APFloat(0.0), type) : Value{number(0), {}};
}

WaveRun::Value WaveRun::realNumber(llvm::APFloat real, QualType type) {
  bool loses = false;
  real.convert(llvm::APFloat::IEEEdouble(), llvm::APFloat::rmNearestTiesToEven, &loses);
  return {uniformName(joined(joined(0xf10a, keyOf(type)), real.bitcastToAPInt().getZExtValue())),
          {}};
}

void WaveRun::copyRecord(const Place &to, const Place &from, uint64_t bytes) {
  std::vector<std::pair<int64_t, Cell>> cells;
  for (const auto &[offset, cell] : memory_[from.root]) {
    const int64_t begin = std::max(offset, from.offset);
    const int64_t end = std::min(offset + static_cast<int64_t>(cell.bytes),
                                 from.offset + static_cast<int64_t>(bytes));
    if (begin >= end)
      continue;
    const auto size = static_cast<uint64_t>(end - begin);
    if (size != cell.bytes)
      lose(cell.value, current_);
    cells.push_back(
        {begin - from.offset,
         {size, size == cell.bytes ? cell.value : Value{piece(cell, offset, begin, end), {}}}});
  }
  if (cells.empty())
    return write(to, bytes, readOwn(from, bytes), nullptr);
  for (const auto &[offset, cell] : cells) {
    Place part = to;
    part.offset += offset;
    write(part, cell.bytes, cell.value, nullptr);
  }
}

// make_float4(x, y, z, w): each member is an argument.
static bool makesVector(const CallExpr &call, QualType type, const ASTContext &context) {
  const FunctionDecl *callee = call.getDirectCallee();
  const auto vector = callee && callee->getIdentifier() && callee->getName().starts_with("make_") &&
                              isOfCuda(*callee)
                          ? vectorOf(type, context)
                          : std::nullopt;
  return vector && call.getNumArgs() == static_cast<unsigned>(vector->count);
}

// A new object of a class without members: there is nothing in it that could differ.
static bool isWithoutState(QualType type, const Expr &value) {
  const CXXRecordDecl *record = type->getAsCXXRecordDecl();
  const auto *made = dyn_cast<CXXConstructExpr>(&value);
  const bool isPlain = isa<InitListExpr>(value) ||
                       (made && made->getNumArgs() == 0 && made->getConstructor()->isTrivial());
  return record && record->hasDefinition() && record->isEmpty() && isPlain;
}

void WaveRun::initialize(const Place &place, QualType type, const Expr *init) {
  const Expr *e = init;
  while (true) {
    e = e->IgnoreParens();
    if (const auto *full = dyn_cast<FullExpr>(e))
      e = full->getSubExpr();
    else if (const auto *temporary = dyn_cast<MaterializeTemporaryExpr>(e))
      e = temporary->getSubExpr();
    else if (const auto *bound = dyn_cast<CXXBindTemporaryExpr>(e))
      e = bound->getSubExpr();
    else if (const auto *same = dyn_cast<CastExpr>(e); // const T x = f();  T{..}
             same && same->getCastKind() == CK_NoOp && same->isPRValue())
      e = same->getSubExpr();
    else
      break;
  }
  if (isa<ImplicitValueInitExpr>(e))
    return zero(place, type);
  if (isWithoutState(type, *e)) // reduce(x, Max())
    return write(place, sizeOf(type), zeroOf(type), init);
  if (const auto *list = dyn_cast<InitListExpr>(e)) {
    if (list->isTransparent())
      return initialize(place, type, list->getInit(0));
    if (const auto *array = context_.getAsConstantArrayType(type)) {
      const uint64_t size = sizeOf(array->getElementType());
      for (uint64_t i = 0; i < array->getSize().getZExtValue(); ++i) {
        Place element = place;
        element.offset += static_cast<int64_t>(i * size);
        const Expr *value = i < list->getNumInits() ? list->getInit(i) : list->getArrayFiller();
        if (value)
          initialize(element, array->getElementType(), value);
        else
          zero(element, array->getElementType());
      }
      return;
    }
    if (const auto *record = type->getAsCXXRecordDecl())
      return initializeRecord(place, *record, *list);
    if (list->getNumInits() == 1)
      return initialize(place, type, list->getInit(0));
  }
  if (const auto *made = dyn_cast<CXXConstructExpr>(e)) {
    if (isPlainCopy(*made)) {
      const Expr *from = made->getArg(0);
      const bool isChosen = isa<AbstractConditionalOperator>(from->IgnoreParenImpCasts());
      if (from->isGLValue() && !isChosen && !isa<MaterializeTemporaryExpr>(from->IgnoreParens())) {
        const Place source = this->place(from);
        if (source.isOwn && source.isExact)
          return copyRecord(place, source, sizeOf(type));
      }
      return initialize(place, type, from);
    }
    if (made->requiresZeroInitialization())
      zero(place, type);
    if (!changesNothing(*made))
      refuse(kConstructs, made);
    return construct(place, type, *made);
  }
  if (type->isReferenceType()) // a member
    loseAll(e);
  const auto *made = dyn_cast<CallExpr>(e);
  if (made && makesVector(*made, type, context_))
    return initializeVector(place, *type->getAsCXXRecordDecl(), *made);
  Value value;
  if (made && onlyReturned(made->getDirectCallee(), context_)) {
    if (takeParts(place, *made, value))
      return;
  } else {
    value = rvalue(e);
  }
  begin({{place, type}}, false, e, value);
  write(place, sizeOf(type), value, init);
}

void WaveRun::initializeVector(const Place &place, const CXXRecordDecl &record,
                               const CallExpr &made) {
  unsigned i = 0;
  for (const FieldDecl *field : record.fields())
    initialize(member(place, *field), field->getType(), made.getArg(i++));
}

// An aggregate's bases come before its members; of a union, one member.
void WaveRun::initializeRecord(const Place &place, const CXXRecordDecl &record,
                               const InitListExpr &list) {
  if (record.isUnion()) {
    if (const FieldDecl *field = list.getInitializedFieldInUnion();
        field && list.getNumInits() == 1)
      initializeMember(place, *field, list.getInit(0));
    return;
  }
  unsigned i = 0;
  for (const CXXBaseSpecifier &part : record.bases())
    if (i < list.getNumInits())
      initialize(base(place, record, *part.getType()->getAsCXXRecordDecl()), part.getType(),
                 list.getInit(i++));
  for (const FieldDecl *field : record.fields())
    if (!field->isUnnamedBitField() && i < list.getNumInits())
      initializeMember(place, *field, list.getInit(i++));
}

// A default value may speak of the object's other members.
void WaveRun::initializeMember(const Place &object, const FieldDecl &field, const Expr *init) {
  const Place place = member(object, field);
  const auto *own = dyn_cast<CXXDefaultInitExpr>(init);
  if (own)
    this_.push_back(object);
  if (field.getType()->isReferenceType())
    bind(place, own ? own->getExpr() : init);
  else
    initialize(place, field.getType(), own ? own->getExpr() : init);
  if (own)
    this_.pop_back();
}

// A reference in an object is where it leads to.
void WaveRun::bind(const Place &member, const Expr *to) {
  write(member, kPointerBytes, pointerTo(place(to)), to);
}

// The object may hold on to what it is handed.
static bool keepsPlaces(const CXXRecordDecl &record) {
  return llvm::any_of(record.fields(),
                      [](const FieldDecl *field) {
                        const QualType type(field->getType()->getBaseElementTypeUnsafe(), 0);
                        const CXXRecordDecl *inner = type->getAsCXXRecordDecl();
                        return type->isPointerType() || type->isReferenceType() ||
                               (inner && inner->hasDefinition() && keepsPlaces(*inner));
                      }) ||
         llvm::any_of(record.bases(), [](const CXXBaseSpecifier &base) {
           const CXXRecordDecl *inner = base.getType()->getAsCXXRecordDecl();
           return inner && inner->hasDefinition() && keepsPlaces(*inner);
         });
}

// Who is handed it can get at more than its value: at what it points to, at what a lambda has
// captured.
static bool leadsOn(QualType type) {
  type = QualType(type.getNonReferenceType()->getBaseElementTypeUnsafe(), 0);
  const CXXRecordDecl *record = type->getAsCXXRecordDecl();
  if (!record)
    return type->isPointerType() || type->isMemberPointerType() || type->isFunctionType();
  return !record->hasDefinition() || record->isPolymorphic() || keepsPlaces(*record) ||
         (record->isLambda() && record->capture_size() > 0);
}

// By a header's constructor: of its arguments' values alone.
WaveRun::Value WaveRun::constructed(const CXXConstructExpr *made) {
  const bool keeps = keepsPlaces(*made->getConstructor()->getParent());
  std::vector<Value> values;
  for (const Expr *argument : made->arguments()) {
    values.push_back(rvalue(argument));
    lose(values.back(), made);
    if (keeps && argument->isGLValue())
      loseAll(argument);
  }
  std::vector<const WaveValue *> of;
  for (const Value &value : values)
    of.push_back(&value.wave);
  const uint64_t name = keyOf(made->getConstructor()->getType());
  return {combine(joined(keyOf(made->getType()), name), of), {}};
}

// An object, or an array of them, by its constructor's own text.
void WaveRun::construct(const Place &place, QualType type, const CXXConstructExpr &made) {
  if (const auto *array = context_.getAsConstantArrayType(type)) {
    Place element = place;
    for (uint64_t i = 0; i < array->getSize().getZExtValue(); ++i) {
      construct(element, array->getElementType(), made);
      element.offset += sizeOf(array->getElementType());
    }
    return;
  }
  const CXXConstructorDecl *constructor = made.getConstructor();
  if (constructor->isTrivial())
    return;
  if (isOfCudaHeaders(*constructor) && made.getNumArgs() > 0)
    return write(place, sizeOf(type), constructed(&made), &made);
  const auto *definition = cast_or_null<CXXConstructorDecl>(constructor->getDefinition());
  if (!definition || !definition->hasBody() || isOfCudaHeaders(*definition) ||
      definition->getParent()->getNumVBases() ||
      llvm::any_of(definition->inits(), [](const CXXCtorInitializer *init) {
        return !init->isMemberInitializer() && !init->isBaseInitializer();
      })) {
    for (const Expr *argument : made.arguments())
      loseAll(argument);
    return unknown(place, type);
  }
  follow(&made, *definition, {made.getArgs(), made.getNumArgs()}, place);
}

// What stands in front of a constructor's body.
void WaveRun::initializeParts(const Place &object, const CXXConstructorDecl &constructor) {
  for (const CXXCtorInitializer *init : constructor.inits()) {
    if (const FieldDecl *field = init->getMember()) {
      initializeMember(object, *field, init->getInit());
      continue;
    }
    const QualType part(init->getBaseClass(), 0);
    initialize(base(object, *constructor.getParent(), *part->getAsCXXRecordDecl()), part,
               init->getInit());
  }
}

// [x]: its body sees what x was where the lambda stands; [y = x] is a variable of its own. A lambda
// that may change its copies keeps them for itself.
void WaveRun::copyCaptures(const LambdaExpr &lambda) {
  const CXXRecordDecl *closure = lambda.getLambdaClass();
  const bool isConst = lambda.getCallOperator()->isConst();
  const auto begin = [&](const void *key) {
    Place place;
    place.isOwn = true;
    place.root = rootOf(key, nullptr);
    renew(place.root);
    if (!scopes_.empty())
      scopes_.back().push_back(place.root);
    return place;
  };
  for (const LambdaCapture &capture : lambda.captures()) {
    if (capture.capturesThis()) {
      const bool isThis = capture.getCaptureKind() == LCK_This && !this_.empty();
      objects_[closure] = {begin(&capture).root, isThis ? this_.back() : nowhere()};
    }
    const auto *variable =
        capture.capturesVariable() ? dyn_cast<VarDecl>(capture.getCapturedVar()) : nullptr;
    if (!variable)
      continue;
    const QualType type = variable->getType();
    if (variable->isInitCapture() && (isConst || type->isReferenceType()))
      declare(variable);
    if (variable->isInitCapture() || capture.getCaptureKind() != LCK_ByCopy ||
        type.isConstQualified())
      continue;
    copies_.erase({closure, variable});
    if (!isConst)
      continue;
    const Place from = placeOf(*variable, true), to = begin(&capture);
    if (from.isOwn && from.isExact)
      copyRecord(to, from, sizeOf(type));
    else
      write(to, sizeOf(type), read(from, type.getNonReferenceType(), &lambda), &lambda);
    copies_[{closure, variable}] = to;
  }
}

// Of a name in a lambda's body: the copy, where it, or the one that it stands in, has made one.
// Where the copy is gone, what it was is not known.
std::optional<WaveRun::Place> WaveRun::copyOf(const ValueDecl &variable) {
  const DeclContext *around = frames_.empty() ? nullptr : frames_.back().function;
  for (; around; around = around->getParent()) {
    const auto *method = dyn_cast<CXXMethodDecl>(around);
    if (!method || !method->getParent()->isLambda())
      continue;
    const auto captures = method->getParent()->captures();
    if (llvm::none_of(captures, [&](const LambdaCapture &capture) {
          return capture.capturesVariable() && capture.getCapturedVar() == &variable &&
                 capture.getCaptureKind() == LCK_ByCopy;
        }))
      continue;
    const auto *own = dyn_cast<VarDecl>(&variable);
    const auto copy = copies_.find({method->getParent(), own});
    if (copy != copies_.end() && memory_.count(copy->second.root))
      return copy->second;
    if (!variable.getType().isConstQualified() && !(own && own->isInitCapture()))
      return nowhere();
  }
  return std::nullopt;
}

// What 'this' is in a lambda's body, or nothing where it says none.
std::optional<WaveRun::Place> WaveRun::objectOf(const CXXRecordDecl &closure) {
  if (llvm::none_of(closure.captures(),
                    [](const LambdaCapture &capture) { return capture.capturesThis(); }))
    return std::nullopt;
  const auto known = objects_.find(&closure);
  return known != objects_.end() && memory_.count(known->second.first) ? known->second.second
                                                                       : nowhere();
}

void WaveRun::declare(const VarDecl *variable) {
  if (!isOwn(variable))
    return;
  const CXXRecordDecl *record =
      variable->getType()->getBaseElementTypeUnsafe()->getAsCXXRecordDecl();
  if (record && record->hasDefinition() && !record->hasTrivialDestructor())
    refuse("the end of '" + variable->getNameAsString() + "' is a function's", variable->getInit());
  if (variable->getType()->isReferenceType()) {
    if (variable->getInit())
      references_[variable] = place(variable->getInit());
    return;
  }
  const Expr *init = variable->getInit();
  const auto *lambda = init ? dyn_cast<LambdaExpr>(init->IgnoreUnlessSpelledInSource()) : nullptr;
  if (lambda)
    copyCaptures(*lambda);
  Place place;
  place.isOwn = true;
  place.root = rootOf(variable, variable);
  renew(place.root);
  if (!scopes_.empty())
    scopes_.back().push_back(place.root);
  if (init && (!lambda || lambda->capture_size() == 0)) // all threads have the same
    initialize(place, variable->getType(), init);
}

// ---- places ------------------------------------------------------------------------

WaveRun::Place WaveRun::temporary(const Expr *e) {
  Place place;
  place.isOwn = true;
  place.root = rootOf(e, nullptr);
  renew(place.root);
  initialize(place, e->getType(), e);
  return place;
}

WaveRun::Place WaveRun::elsewhere(const ValueDecl &variable) {
  Place place;
  place.address = uniformName(joined(0xadd4, variable.getLocation().getRawEncoding()));
  return place;
}

// The address of what has been moved by so many bytes already, in memory.
WaveRun::Place WaveRun::moved(Place place, int64_t bytes) {
  const WaveValue step = number(bytes);
  if (!place.isOwn && bytes)
    place.address = combine(hashOf("+"), {&place.address, &step});
  return place;
}

// The base that an object holds, or the object around a base. Where a virtual base lies is not
// known.
WaveRun::Place WaveRun::cast(Place place, const CastExpr &e) {
  const auto offset = baseOffset(e, context_);
  if (!offset)
    refuse("where a virtual base lies is not followed", &e);
  place.offset += offset.value_or(0);
  return moved(place, offset.value_or(0));
}

// What is there is each thread's own, and another each time.
WaveRun::Place WaveRun::nowhere() {
  Place place;
  place.address = fresh();
  return place;
}

WaveRun::Place WaveRun::placeOf(const VarDecl &variable, bool isCaptured) {
  if (isCaptured)
    if (const auto copy = copyOf(variable))
      return *copy;
  const auto bound = references_.find(&variable);
  if (bound != references_.end())
    return bound->second;
  if (!isOwn(&variable))
    return elsewhere(variable);
  if (variable.getType()->isReferenceType())
    return nowhere();
  Place place;
  place.isOwn = true;
  place.root = rootOf(&variable, &variable);
  return memory_.count(place.root) ? place : nowhere(); // gone, or not come yet
}

// Each thread has a variable of its own: its address is one of its own too, but for its name.
WaveRun::Value WaveRun::pointerTo(const Place &place) {
  if (!place.isOwn)
    return {place.address, {}};
  return {threadName(joined(joined(0xadd, place.root), place.offset)), place};
}

WaveRun::Place WaveRun::pointee(const Value &pointer) {
  if (pointer.pointee)
    return *pointer.pointee;
  Place place;
  place.address = pointer.wave;
  return place;
}

WaveRun::Place WaveRun::place(const Expr *e) {
  e = e->IgnoreParens();
  if (const auto *full = dyn_cast<FullExpr>(e))
    return place(full->getSubExpr());
  if (const auto *made = dyn_cast<MaterializeTemporaryExpr>(e)) {
    const Place place = temporary(made->getSubExpr());
    const auto *keeper = dyn_cast_or_null<VarDecl>(made->getExtendingDecl());
    if (keeper && !scopes_.empty())
      scopes_.back().push_back(place.root);
    if (keeper)
      kept_[place.root] = keeper;
    return place;
  }
  if (const auto *name = dyn_cast<DeclRefExpr>(e)) {
    if (const auto *part = dyn_cast<BindingDecl>(name->getDecl());
        part && part->getBinding() && !part->getHoldingVar()) {
      const auto copy = name->refersToEnclosingVariableOrCapture() ? copyOf(*part) : std::nullopt;
      return copy ? *copy : place(part->getBinding());
    }
    if (const auto *part = dyn_cast<BindingDecl>(name->getDecl()); part && part->getHoldingVar()) {
      loseAll(e); // what a function gives: get<0>(x)
      return nowhere();
    }
    const auto *variable = dyn_cast<VarDecl>(name->getDecl());
    if (variable)
      return placeOf(*variable, name->refersToEnclosingVariableOrCapture());
    return elsewhere(*name->getDecl());
  }
  if (const auto *access = dyn_cast<MemberExpr>(e)) {
    const auto *field = dyn_cast<FieldDecl>(access->getMemberDecl());
    const Expr *base = access->getBase();
    Place whole = access->isArrow()   ? pointee(rvalue(base))
                  : base->isGLValue() ? place(base)
                                      : temporary(base);
    if (!field) // static: no part of the object
      return elsewhere(*access->getMemberDecl());
    const int64_t before = whole.offset;
    whole = member(whole, *field);
    if (field->getType()->isReferenceType() && whole.isOwn && whole.isExact)
      return pointee(readOwn(whole, kPointerBytes));
    if (field->getType()->isReferenceType())
      whole.isExact = false;
    return moved(whole, whole.offset - before);
  }
  if (const auto *access = dyn_cast<ArraySubscriptExpr>(e);
      access && access->getBase()->getType()->isPointerType())
    return pointee(pointerStep(rvalue(access->getBase()), rvalue(access->getIdx()),
                               sizeOf(access->getType()), false));
  if (const auto *op = dyn_cast<UnaryOperator>(e)) {
    if (op->getOpcode() == UO_Deref)
      return pointee(rvalue(op->getSubExpr()));
    if (op->isIncrementDecrementOp()) {
      rvalue(op);
      return target_;
    }
  }
  if (const auto *op = dyn_cast<BinaryOperator>(e); op && op->isAssignmentOp()) {
    rvalue(op);
    return target_;
  }
  if (const auto *op = dyn_cast<BinaryOperator>(e); op && op->getOpcode() == BO_Comma) {
    rvalue(op->getLHS());
    return place(op->getRHS());
  }
  if (const auto *chosen = dyn_cast<AbstractConditionalOperator>(e); chosen && e->isGLValue()) {
    const Value condition = rvalue(chosen->getCond());
    if (condition.wave.isNumber)
      return place(condition.wave.of[0] ? chosen->getTrueExpr() : chosen->getFalseExpr());
    if (!changesVariables(chosen->getTrueExpr()) && !changesVariables(chosen->getFalseExpr())) {
      const Place a = place(chosen->getTrueExpr()), b = place(chosen->getFalseExpr());
      Place either;
      if (!a.isOwn && !b.isOwn && !a.bitBytes && !b.bitBytes) { // it lies in memory
        either.isExact = a.isExact && b.isExact;
        either.address = select(condition.wave, {a.address, {}}, {b.address, {}}).wave;
        return either;
      }
    }
    refuse("which variable is meant is decided by '?:'", e);
  }
  if (const auto *cast = dyn_cast<CastExpr>(e); cast && e->isGLValue())
    return this->cast(place(cast->getSubExpr()), *cast);
  if (const auto *cast = dyn_cast<CastExpr>(e); cast && e->getType()->isRecordType())
    return cast->getSubExpr()->isGLValue() ? place(cast->getSubExpr())
                                           : temporary(cast->getSubExpr());
  if (const auto *made = dyn_cast<CallExpr>(e); made && e->isGLValue()) {
    if (frames_.size() < kDeepest) {
      const Value value = call(made);
      if (value.pointee)
        return *value.pointee;
    }
  } else if (!e->isGLValue()) {
    return temporary(e);
  }
  loseAll(e);
  return nowhere();
}

// ---- expressions -------------------------------------------------------------------

std::optional<WaveRun::Value> WaveRun::constant(const Expr *e) {
  if (e->isValueDependent() || e->isGLValue())
    return std::nullopt;
  Expr::EvalResult result;
  if (isInteger(e->getType()) && e->EvaluateAsInt(result, context_))
    return Value{number(fitted(result.Val.getInt().getExtValue(), e->getType(), context_)), {}};
  llvm::APFloat real(0.0);
  if (e->getType()->isRealFloatingType() && e->EvaluateAsFloat(real, context_))
    return realNumber(real, e->getType());
  return std::nullopt;
}

WaveRun::Value WaveRun::rvalue(const Expr *e) {
  if (++steps_ > kMostSteps) {
    refuse("the code between the products is too long to follow", e);
    return {number(0), {}};
  }
  if (!problem.empty())
    return {number(0), {}};
  return compute(e->IgnoreParens());
}

WaveRun::Value WaveRun::compute(const Expr *e) {
  if (threadIndexAxis(e))
    return {threadName(joined(0x71d, *threadIndexAxis(e))), {}};
  if (const auto *full = dyn_cast<FullExpr>(e))
    return rvalue(full->getSubExpr());
  if (const auto known = constant(e))
    return *known;
  const auto *assignment = dyn_cast<BinaryOperator>(e);
  const auto *step = dyn_cast<UnaryOperator>(e);
  if ((assignment && assignment->isAssignmentOp()) || (step && step->isIncrementDecrementOp()))
    return assignment ? binary(assignment) : unary(step);
  // Of two variables: the value of one or the other.
  if (const auto *chosen = dyn_cast<AbstractConditionalOperator>(e))
    return conditional(chosen);
  if (e->isGLValue() && !isa<CallExpr>(e)) {
    const Place at = place(e);
    return read(at, e->getType(), e);
  }
  if (const auto *made = dyn_cast<MaterializeTemporaryExpr>(e))
    return rvalue(made->getSubExpr());
  if (const auto *bound = dyn_cast<CXXBindTemporaryExpr>(e))
    return rvalue(bound->getSubExpr());
  if (const auto *subst = dyn_cast<SubstNonTypeTemplateParmExpr>(e))
    return rvalue(subst->getReplacement());
  if (const auto *standard = dyn_cast<CXXDefaultArgExpr>(e))
    return rvalue(standard->getExpr());
  if (const auto *op = dyn_cast<CastExpr>(e))
    return cast(op);
  if (const auto *op = dyn_cast<BinaryOperator>(e))
    return binary(op);
  if (const auto *op = dyn_cast<UnaryOperator>(e))
    return unary(op);
  if (const auto *op = dyn_cast<CallExpr>(e))
    return call(op);
  if (isa<CXXThisExpr>(e) && !this_.empty())
    return pointerTo(this_.back());
  if (isa<ImplicitValueInitExpr, CXXScalarValueInitExpr>(e))
    return zeroOf(e->getType());
  if (const auto *block = dyn_cast<StmtExpr>(e)) {
    Value last;
    for (const Stmt *stmt : block->getSubStmt()->body()) {
      if (const auto *value = dyn_cast<Expr>(stmt))
        last = rvalue(value);
      else if (run1(stmt) != Flow::Next)
        refuse("code between the products is left in a way that is not followed", stmt);
    }
    return last;
  }
  if (const auto *list = dyn_cast<InitListExpr>(e);
      list && list->getNumInits() == 1 && !e->getType()->isRecordType())
    return rvalue(list->getInit(0));
  if (isa<InitListExpr>(e) && e->getType()->isRecordType())
    return readOwn(temporary(e), sizeOf(e->getType()));
  if (const auto *made = dyn_cast<CXXConstructExpr>(e)) {
    if (isPlainCopy(*made))
      return rvalue(made->getArg(0));
    if (isOfCudaHeaders(*made->getConstructor()) && made->getNumArgs() > 0 && changesNothing(*made))
      return constructed(made);
    return readOwn(temporary(e), sizeOf(e->getType()));
  }
  // blockIdx.x and its kin: the same for the block.
  if (isa<PseudoObjectExpr, MSPropertyRefExpr>(e)) {
    std::string text;
    llvm::raw_string_ostream out(text);
    e->printPretty(out, nullptr, PrintingPolicy(context_.getLangOpts()));
    return {uniformName(hashOf(text)), {}};
  }
  skipped_.push_back(e);
  const auto *lambda = dyn_cast<LambdaExpr>(e);
  if (!lambda)
    loseAll(e);
  else // what it does, it does where it is called
    for (const auto &[root, isChanged] : rootsBelow(e))
      lose(root, e);
  if (lambda)
    copyCaptures(*lambda);
  if (lambda && lambda->capture_size() == 0) // all threads have the same
    return {uniformName(joined(hashOf("lambda"), keyOf(e->getType()))), {}};
  return {fresh(), {}};
}

// By its name, which tells what else it may be.
void WaveRun::noteRead(const Expr &place, uint64_t touchesBefore) {
  touches_ = touchesBefore;
  reads.push_back(&place);
}

WaveRun::Value WaveRun::cast(const CastExpr *e) {
  const Expr *inner = e->getSubExpr();
  switch (e->getCastKind()) {
  case CK_LValueToRValue: {
    if (const auto *chosen = dyn_cast<AbstractConditionalOperator>(inner->IgnoreParens()))
      return conditional(chosen);
    const Place at = place(inner);
    const uint64_t touches = touches_;
    Value value = read(at, e->getType(), e);
    if (!at.isOwn)
      evenQuads(value.wave, e);
    if (!mayChange(*clang::cast<ImplicitCastExpr>(e)))
      touches_ = touches;
    else if (touches != touches_)
      noteRead(*inner, touches);
    return value;
  }
  case CK_ArrayToPointerDecay:
    return pointerTo(inner->isGLValue() ? place(inner) : temporary(inner));
  case CK_NoOp:
  case CK_BitCast:
  case CK_ConstructorConversion:
  case CK_UserDefinedConversion:
  case CK_AddressSpaceConversion:
  case CK_FunctionToPointerDecay:
    if (e->isGLValue())
      break;
    return rvalue(inner);
  case CK_DerivedToBase:
  case CK_UncheckedDerivedToBase:
  case CK_BaseToDerived:
    if (!e->getType()->isPointerType())
      break;
    return pointerTo(cast(pointee(rvalue(inner)), *e));
  case CK_NullToPointer:
    return {number(0), {}};
  case CK_LValueToRValueBitCast:
    return readAs(rvalue(inner), e->getType(), e);
  case CK_ToVoid:
    if (inner->isGLValue())
      place(inner);
    else
      rvalue(inner);
    return {};
  default:
    break;
  }
  return converted(rvalue(inner), inner->getType(), e->getType(), e);
}

// From one type to another that has other bits for the same, or as many for something else.
// Integers of one size have the same bits; what is done with them says by itself what they are.
WaveRun::Value WaveRun::converted(Value value, QualType from, QualType to, const Stmt *at) {
  if (value.pointee) {
    lose(value, at);
    return {fresh(), {}};
  }
  if (value.wave.isNumber && value.wave.of[0] == 0 && to->isBooleanType())
    return value; // null, or nothing
  if (isInteger(from) && isInteger(to)) {
    if (value.wave.isNumber) {
      const uint64_t x = value.wave.of[0];
      value.wave.of.fill(to->isBooleanType() ? x != 0 : fitted(x, to, context_));
      return value;
    }
    if (!to->isBooleanType() && sizeOf(from) == sizeOf(to))
      return value;
  }
  return {combine(joined(joined(0xca57, keyOf(from)), keyOf(to)), {&value.wave}), {}};
}

WaveRun::Value WaveRun::pointerStep(const Value &pointer, const Value &index, uint64_t size,
                                    bool back) {
  if (!pointer.pointee) {
    const WaveValue scale = number(size);
    const WaveValue step = combine(hashOf("step"), {&index.wave, &scale});
    return {combine(hashOf(back ? "-" : "+"), {&pointer.wave, &step}), {}};
  }
  Place place = *pointer.pointee;
  if (!index.wave.isNumber) {
    place.isExact = false;
    return {fresh(), place};
  }
  const int64_t step = static_cast<int64_t>(index.wave.of[0]) * static_cast<int64_t>(size);
  place.offset += back ? -step : step;
  return pointerTo(place);
}

WaveRun::Value WaveRun::arithmetic(BinaryOperatorKind op, const Value &a, const Value &b,
                                   QualType left, QualType right, QualType type) {
  if (left->isPointerType() && !right->isPointerType() && (op == BO_Add || op == BO_Sub))
    return pointerStep(a, b, sizeOf(left->getPointeeType()), op == BO_Sub);
  if (right->isPointerType() && !left->isPointerType() && op == BO_Add)
    return pointerStep(b, a, sizeOf(right->getPointeeType()), false);
  // Two places of one variable.
  if (BinaryOperator::isComparisonOp(op) && a.pointee && b.pointee && a.pointee->isOwn &&
      b.pointee->isOwn && a.pointee->isExact && b.pointee->isExact &&
      a.pointee->root == b.pointee->root)
    if (const auto answer = applyBinary(op, true, static_cast<uint64_t>(a.pointee->offset),
                                        static_cast<uint64_t>(b.pointee->offset)))
      return {number(*answer), {}};
  if (a.pointee || b.pointee)
    return {fresh(), {}};
  if (a.wave.isNumber && b.wave.isNumber && isInteger(left) && isInteger(right) && isInteger(type))
    if (const auto x =
            applyBinary(op, left->isSignedIntegerOrEnumerationType(), a.wave.of[0], b.wave.of[0])) {
      WaveValue out = number(fitted(*x, type, context_));
      out.rows = a.wave.rows | b.wave.rows;
      return {out, {}};
    }
  const uint64_t name = joined(joined(joined(0xb1, op), keyOf(left)), keyOf(right));
  return {combine(name, {&a.wave, &b.wave}, commutes(op) && keyOf(left) == keyOf(right)), {}};
}

// A call that may write to its caller's variables.
static bool handsOut(const Stmt *stmt) {
  if (const auto *call = dyn_cast_or_null<CallExpr>(stmt))
    if (const FunctionDecl *callee = call->getDirectCallee())
      if (llvm::any_of(callee->parameters(),
                       [](const ParmVarDecl *p) { return handsOn(p->getType()); }))
        return true;
  return stmt && llvm::any_of(stmt->children(), handsOut);
}

bool WaveRun::changesVariables(const Expr *e) const { return !changesNothing(*e) || handsOut(e); }

// The assignment to b in  a = b = value;  null where a is given more than what b then is.
static const BinaryOperator *innerAssignment(const BinaryOperator &e) {
  const Expr *right = e.getRHS()->IgnoreParens();
  if (const auto *read = dyn_cast<ImplicitCastExpr>(right);
      read && read->getCastKind() == CK_LValueToRValue)
    right = read->getSubExpr()->IgnoreParens();
  const auto *inner = dyn_cast<BinaryOperator>(right);
  return inner && inner->getOpcode() == BO_Assign ? inner : nullptr;
}

// a = b = value: given to b, and what b then is to a. What results begin with is asked for once,
// where it stands, for all of them.
WaveRun::Value WaveRun::assignment(const BinaryOperator *e) {
  std::vector<const BinaryOperator *> steps; // outermost first
  for (const BinaryOperator *step = e; step; step = innerAssignment(*step))
    steps.push_back(step);
  const Expr *from = steps.back()->getRHS();
  Value value = rvalue(from), given;
  std::vector<Beginning> places;
  for (const BinaryOperator *step : llvm::reverse(steps)) {
    if (!places.empty())
      value = read(places.back().place, places.back().type, step);
    const Expr *left = step->getLHS();
    places.push_back({place(left), left->getType()});
    given = assign(places.back().place, left->getType(), value, step);
  }
  if (begin(places, !unused_.count(e), from, value))
    for (const Beginning &place : places)
      given = assign(place.place, place.type, value, e);
  return given;
}

WaveRun::Value WaveRun::binary(const BinaryOperator *e) {
  const Expr *left = e->getLHS(), *right = e->getRHS();
  if (e->getOpcode() == BO_Assign)
    return assignment(e);
  if (const auto *compound = dyn_cast<CompoundAssignOperator>(e)) {
    Value more = rvalue(right);
    const Place at = place(left);
    Value old = read(at, left->getType(), e);
    meet({{left, &old}, {right, &more}});
    // a op= b is a = A((W)a op b): W the type that it is computed in, A the type of a.
    const QualType wide = compound->getComputationLHSType();
    const QualType result = compound->getComputationResultType();
    const auto as = [&](const Value &value, QualType from, QualType to) {
      return context_.hasSameUnqualifiedType(from, to) ? value : converted(value, from, to, e);
    };
    const Value value =
        as(arithmetic(BinaryOperator::getOpForCompoundAssignment(compound->getOpcode()),
                      as(old, left->getType(), wide), more, wide, right->getType(), result),
           result, left->getType());
    return assign(at, left->getType(), value, e);
  }
  Value a = rvalue(left);
  if (e->getOpcode() == BO_Comma)
    return rvalue(right);
  if (e->isLogicalOp() && changesVariables(right)) {
    const bool goesOn = a.wave.isNumber && (a.wave.of[0] != 0) == (e->getOpcode() == BO_LAnd);
    if (!goesOn) {
      if (!a.wave.isNumber)
        refuse("a side of '&&' or '||' changes variables", e);
      return a.wave.isNumber ? Value{number(a.wave.of[0] != 0), {}} : Value{fresh(), {}};
    }
  }
  Value b = rvalue(right);
  meet({{left, &a}, {right, &b}});
  return arithmetic(e->getOpcode(), a, b, left->getType(), right->getType(), e->getType());
}

WaveRun::Value WaveRun::unary(const UnaryOperator *e) {
  const Expr *inner = e->getSubExpr();
  if (e->isIncrementDecrementOp()) {
    const Place at = place(inner);
    const Value old = read(at, inner->getType(), e);
    const Value value = arithmetic(e->isIncrementOp() ? BO_Add : BO_Sub, old, {number(1), {}},
                                   inner->getType(), context_.IntTy, inner->getType());
    const Value now = assign(at, inner->getType(), value, e);
    return e->isPostfix() ? old : now;
  }
  if (e->getOpcode() == UO_AddrOf) {
    return pointerTo(place(inner));
  }
  const Value value = rvalue(inner);
  if (e->getOpcode() == UO_Plus || e->getOpcode() == UO_Extension)
    return value;
  if (value.wave.isNumber && isInteger(inner->getType()) && isInteger(e->getType())) {
    const uint64_t x = value.wave.of[0];
    const uint64_t y = e->getOpcode() == UO_Minus ? -x : e->getOpcode() == UO_Not ? ~x : x == 0;
    Value out = value;
    out.wave.of.fill(fitted(y, e->getType(), context_));
    return out;
  }
  return {combine(joined(joined(0x0b, e->getOpcode()), keyOf(inner->getType())), {&value.wave}),
          {}};
}

WaveRun::Value WaveRun::select(const WaveValue &condition, const Value &a, const Value &b) {
  if (condition.isNumber)
    return condition.of[0] ? a : b;
  if (a.pointee || b.pointee) {
    if (a.pointee && b.pointee && a.pointee->isOwn && b.pointee->isOwn && a.pointee->isExact &&
        b.pointee->isExact && a.pointee->root == b.pointee->root &&
        a.pointee->offset == b.pointee->offset)
      return a;
    lose(a, current_);
    lose(b, current_);
    return {fresh(), {}};
  }
  if (a.wave.of == b.wave.of && a.wave.isNumber == b.wave.isNumber) {
    Value same = a;
    same.wave.rows |= b.wave.rows;
    same.wave.isAsked |= b.wave.isAsked;
    same.wave.isStale |= b.wave.isStale;
    if (a.wave.loaded != b.wave.loaded)
      same.wave.loaded = 0;
    return same;
  }
  return {combine(0x5e1ec7, {&condition, &a.wave, &b.wave}), {}};
}

WaveRun::Value WaveRun::conditional(const AbstractConditionalOperator *e) {
  Value condition = rvalue(e->getCond());
  if (condition.wave.isNumber) {
    const Expr *taken = condition.wave.of[0] ? e->getTrueExpr() : e->getFalseExpr();
    const Value value = rvalue(taken);
    apart.insert(e->getCond());
    notMet(taken, value.wave);
    return value;
  }
  // Both arms are run here: what either does to variables would be done for all.
  for (const Expr *arm : {e->getTrueExpr(), e->getFalseExpr()})
    if (changesVariables(arm)) {
      refuse("an arm of '?:' changes variables", e);
      return {fresh(), {}};
    }
  const uint64_t effects = effects_;
  Value a = rvalue(e->getTrueExpr()), b = rvalue(e->getFalseExpr());
  if (effects != effects_ && (a.wave.rows || b.wave.rows) && !condition.wave.isUniform())
    refuse(kMoreDecided, e);
  meet({{e->getCond(), &condition}, {e->getTrueExpr(), &a}, {e->getFalseExpr(), &b}});
  return select(condition.wave, a, b);
}

// ---- values that meet results ------------------------------------------------------

// A value of the thread's own and results of one half of the rows. The exchanged run asks for
// it of the thread that CUDA has this lane's result in:
//
//   lane = (row & 7) * 4 + column / 2, warp = the register's bit, rows r or r + 8 = lane bit 3
//
// Of both halves, what is the same for both warps.
WaveValue WaveRun::met(const Expr *at, WaveValue value, uint8_t rows, const Memory &memory) {
  if (!value.rows && value.met && value.met == rows)
    return value; // a parameter, of an argument that was asked for
  const size_t before = meetings.size();
  WaveValue out = metOnce(at, std::move(value), rows, memory);
  if (meetings.size() != before) {
    out.met = rows;
    out.isAsked = !out.isUniform();
  }
  return out;
}

// What the lanes of a quad have the same of is one name for them.
void WaveRun::evenQuads(WaveValue &value, const Expr *at) const {
  if (!value.isUniform() && layout_.alike.forQuads && layout_.alike.forQuads(at))
    for (int t = 0; t < kWaveThreads; ++t)
      value.of[t] = value.of[t & ~kQuadLanes];
}

WaveValue WaveRun::metOnce(const Expr *at, WaveValue value, uint8_t rows, const Memory &memory) {
  const bool isOfBoth = rows == 3 && !value.rows && !value.isUniform() && layout_.alike.forPair &&
                        layout_.alike.forPair(at);
  if (value.rows || (rows != 1 && rows != 2 && !isOfBoth)) {
    notMet(at, value);
    return value;
  }
  if (isRehearsal_)
    return value;
  for (int t = 0; isOfBoth && t < kWaveThreads / 2; ++t)
    value.of[t + kWaveThreads / 2] = value.of[t];
  evenQuads(value, at);
  return meeting(at, std::move(value), rows, memory);
}

WaveValue WaveRun::meeting(const Expr *at, WaveValue value, uint8_t rows, const Memory &memory) {
  const size_t number = meetings.size();
  std::vector<uint64_t> names(value.of.begin(), value.of.end());
  if (value.isUniform())
    names = {value.isNumber ? joined(0x17, value.of[0]) : value.of[0]}; // as combine() has it
  meetings.push_back({at, rows, turns_, std::move(names), effects_ - shuffles_, storings_, touches_,
                      reads.size()});
  if (!layout_.meetings) {
    noteEven(at, memory);
    noteBorn(at, rows);
    return value;
  }
  const Meetings &known = *layout_.meetings;
  if (number >= known.all.size() || number >= known.partners.size() ||
      known.all[number].value != at || known.all[number].rows != rows) {
    refuse("the two halves of a tile do not go the same way", at);
    return value;
  }
  const int partner = known.partners[number];
  if (partner < 0)
    return value;
  if (layout_.isSymmetric) {
    const unsigned same = known.valueOf(number).invariantBits() &
                          known.valueOf(static_cast<size_t>(partner)).invariantBits();
    const WaveValue either = threadName(joined(0x3e7, std::min<uint64_t>(number, partner)));
    for (int t = 0; t < kWaveThreads; ++t)
      value.of[t] = either.of[t & ~same];
    value.isNumber = false;
    return value;
  }
  return layout_.isExchanged ? askedFor(number, partner, rows) : value;
}

WaveValue WaveRun::askedFor(size_t number, size_t partner, uint8_t rows) const {
  const WaveValue own = layout_.meetings->valueOf(number),
                  other = layout_.meetings->valueOf(partner);
  const CellKey here, there{1};
  CarriedCell cell;
  cell.rows = rows == 3 ? 1 : rows;
  cell.partner = there;
  WaveValue out = *exchanged(here, cell, Turn::None,
                             [&](const CellKey &key) { return key == here ? &own : &other; });
  out.rows = 0;
  return out;
}

uint8_t WaveRun::bornTo(const CellKey &key) const {
  const auto known = carried_.born.find(key);
  return known == carried_.born.end() || known->second == 3 ? 0 : known->second;
}

// Of the results that lie there; 0: none do.
uint8_t WaveRun::rowsOf(const Beginning &beginning) const {
  const Place &place = beginning.place;
  if (!place.isOwn || !place.isExact || place.bitBytes)
    return 0;
  const CellKey key{place.root, place.offset, sizeOf(beginning.type)};
  const auto known = carried_.results.find(key);
  return known == carried_.results.end() ? bornTo(key) : known->second;
}

// It is then asked for where it stands: whoever else is given it would have another lane's.
bool WaveRun::begin(llvm::ArrayRef<Beginning> places, bool isUsed, const Expr *at, Value &value) {
  if (value.pointee || value.wave.rows || value.wave.isUniform())
    return false;
  uint8_t rows = 0;
  for (const Beginning &place : places)
    rows |= rowsOf(place);
  if (rows && (isUsed || !llvm::all_of(places, [&](const auto &p) { return rowsOf(p) != 0; })))
    return refuse(kGivenOn, at);
  if (!rows)
    return false;
  value.wave = met(at, value.wave, rows, memory_);
  for (const Beginning &place : places)
    if (bornTo({place.place.root, place.place.offset, sizeOf(place.type)}))
      value.wave.rows = rows;
  return true;
}

void WaveRun::meet(const std::vector<std::pair<const Expr *, Value *>> &values, uint8_t rows) {
  for (const auto &[at, value] : values)
    rows |= value->wave.rows;
  for (const auto &[at, value] : values)
    if (!value->pointee)
      value->wave = met(at, value->wave, rows, memory_);
}

// A value that is wanted as it is: then it is so wherever the text is run.
void WaveRun::notMet(const Expr *at, const WaveValue &value) {
  if (!value.rows && !value.isUniform() && !isRehearsal_)
    apart.insert(at);
}

// It is no index: an address that is made of it is not one of results.
void WaveRun::noteBorn(const Expr *at, uint8_t rows) {
  const Expr *name = at->IgnoreParenImpCasts();
  const QualType type = name->getType();
  if (!layout_.mode.bearsRows || rows == 3 || !name->isGLValue() || !changesNothing(*name) ||
      !isa<DeclRefExpr, ArraySubscriptExpr, MemberExpr>(name) ||
      (!type->isRealFloatingType() && !type->isRecordType()))
    return;
  const uint64_t counter = counter_; // other runs do not ask
  const Place place = this->place(name);
  counter_ = counter;
  if (!place.isOwn || !place.isExact || place.bitBytes || !carried_.variables[place.root])
    return;
  uint8_t &known = carried_.born[{place.root, place.offset, sizeOf(type)}];
  carried_.changed |= (known | rows) != known;
  known |= rows;
}

// Which variables all threads have the same value of, where something meets results.
void WaveRun::noteEven(const Expr *at, const Memory &memory) {
  const auto [known, isFirst] = even.try_emplace(at);
  const auto isEven = [&](const VarDecl *variable) {
    const auto contents = memory.find(rootOf(variable, variable));
    return contents != memory.end() && !contents->second.empty() &&
           llvm::all_of(contents->second, [](const auto &cell) {
             return !cell.second.value.pointee && cell.second.value.wave.isUniform();
           });
  };
  if (isFirst) {
    for (const auto &[root, contents] : memory)
      if (const VarDecl *variable = carried_.variables[root]; variable && isEven(variable))
        known->second.insert(variable);
    return;
  }
  for (auto it = known->second.begin(); it != known->second.end();)
    it = isEven(*it) ? std::next(it) : known->second.erase(it);
}

// ---- calls -------------------------------------------------------------------------

WaveRun::Value WaveRun::call(const CallExpr *e) {
  const FunctionDecl *callee = e->getDirectCallee();
  if (const auto *method = dyn_cast_or_null<CXXMethodDecl>(callee); method && method->isVirtual())
    callee = nullptr; // whose it is only the object says
  if (!callee) {
    skipped_.push_back(e);
    loseAll(e);
    return {fresh(), {}};
  }
  const auto *method = dyn_cast<CXXMethodDecl>(callee);
  const unsigned first = isa<CXXOperatorCallExpr>(e) && method ? 1 : 0;
  const StringRef name = cudaName(callee);
  if (name.starts_with("__sh") || name.starts_with("__sync"))
    ++effects_;
  touches_ += isBarrier(name);
  shuffles_ += isShuffle(name);
  if (isShuffle(name))
    return shuffle(e, name.str());
  if (name == "__syncthreads" || name == "__syncwarp") {
    ++epoch_;
    return {};
  }
  if (name == "__cvta_generic_to_shared" && e->getNumArgs() == 1) {
    const Value pointer = rvalue(e->getArg(0));
    return pointer.pointee ? Value{fresh(), {}} : pointer;
  }
  if (handsBack(*callee) && e->getNumArgs() == 1 && e->isGLValue())
    return {{}, place(e->getArg(0))};
  if (takesAddress(*callee) && e->getNumArgs() == 1)
    return pointerTo(place(e->getArg(0)));
  const FunctionDecl *definition = callee->getDefinition();
  if (const auto value = assignParts(e))
    return *value;
  if (const auto value = takeReturned(e))
    return *value;
  if (!definition || !definition->hasBody() || isOfCudaHeaders(*definition))
    return unknownCall(e, first);
  return inlined(e, definition, first);
}

// What a function returns a copy of at its end, member by member. False: it is known as a whole
// alone, as `value`.
bool WaveRun::takeParts(const Place &to, const CallExpr &made, Value &value) {
  const Expr *returned = onlyReturned(made.getDirectCallee(), context_);
  Place from;
  from.isOwn = true;
  from.root = rootOf(returned, nullptr);
  memory_.erase(from.root); // of a call before
  const VarDecl *variable = variableNamed(throughCopies(returned));
  if (variable)
    taking_.push_back({variable, to});
  value = rvalue(&made);
  if (variable)
    taking_.pop_back();
  const auto parts = memory_.find(from.root);
  const auto leadsNowhere = [&](const auto &part) { // to what was the function's own
    const auto &pointee = part.second.value.pointee;
    return pointee && pointee->isOwn && !memory_.count(pointee->root);
  };
  if (parts == memory_.end() || llvm::any_of(parts->second, leadsNowhere))
    return false;
  copyRecord(to, from, sizeOf(made.getType()));
  memory_.erase(from.root);
  return true;
}

// c[j] = mma(a, b, c[j]): the sums that come into being in the function's own variable are those
// of c[j]. None where something else is assigned.
std::optional<WaveRun::Value> WaveRun::takeReturned(const CallExpr *e) {
  const auto *op = dyn_cast<CXXOperatorCallExpr>(e);
  const auto *method = op ? dyn_cast_or_null<CXXMethodDecl>(op->getDirectCallee()) : nullptr;
  if (!method || op->getOperator() != OO_Equal || !method->isTrivial() ||
      changesVariables(op->getArg(0)))
    return std::nullopt;
  const auto *made = dyn_cast<CallExpr>(throughCopies(op->getArg(1)));
  if (!made || !onlyReturned(made->getDirectCallee(), context_))
    return std::nullopt;
  const Place to = place(op->getArg(0));
  if (!to.isOwn || !to.isExact)
    return std::nullopt;
  Value value;
  if (!takeParts(to, *made, value))
    return assign(to, op->getArg(0)->getType(), value, e);
  return Value{fresh(), to};
}

// Where sums are once the function that multiplies has returned them.
WaveRun::Place WaveRun::takenTo(Place sums) {
  for (const auto &[variable, to] : llvm::reverse(taking_))
    if (sums.isOwn && sums.isExact && sums.root == rootOf(variable, variable) && to.isOwn &&
        to.isExact) {
      const int64_t offset = to.offset + sums.offset;
      sums = to;
      sums.offset = offset;
    }
  return sums;
}

// More than one word, each of which may be assigned by itself.
bool WaveRun::hasWords(QualType type) const {
  constexpr uint64_t kWordBytes = 4;
  return vectorOf(type, context_) ||
         (type->isRecordType() && !type->isUnionType() && type.isTriviallyCopyableType(context_) &&
          sizeOf(type) > kWordBytes);
}

// c[j] = make_float4(0, 0, 0, 0), or c[j] = d[j] = make_float4(0, 0, 0, 0).
bool WaveRun::assignsParts(const CXXOperatorCallExpr &op) const {
  const auto *method = dyn_cast_or_null<CXXMethodDecl>(op.getDirectCallee());
  const bool isPlain = op.getOperator() == OO_Equal && method && method->isTrivial() &&
                       hasWords(op.getArg(0)->getType());
  if (!isPlain || !changesNothing(*op.getArg(0)))
    return false;
  const auto *inner = dyn_cast<CXXOperatorCallExpr>(op.getArg(1)->IgnoreParenImpCasts());
  return changesNothing(*op.getArg(1)) || (inner && assignsParts(*inner));
}

// Part by part: a tile's registers are its members. A word of two halves stays one. None where it
// is another operator, or is not of the thread's own variables.
std::optional<WaveRun::Value> WaveRun::assignParts(const CallExpr *e) {
  const auto *op = dyn_cast<CXXOperatorCallExpr>(e);
  if (!op || !assignsParts(*op))
    return std::nullopt;
  const QualType type = op->getArg(0)->getType();
  const Place to = place(op->getArg(0));
  const Expr *from = op->getArg(1)->IgnoreParens();
  const auto *made = dyn_cast<MaterializeTemporaryExpr>(from->IgnoreImpCasts());
  if (!to.isOwn || !to.isExact || (!made && !from->isGLValue()))
    return std::nullopt;
  const Place source = made ? temporary(made->getSubExpr()) : place(from);
  if (!source.isOwn || !source.isExact)
    return std::nullopt;
  copyRecord(to, source, sizeOf(type));
  return Value{fresh(), to};
}

// The object that a method is called for; a const one leaves it as it is.
void WaveRun::handObject(const CXXMemberCallExpr *e, Handed &handed) {
  const Expr *object = e->getImplicitObjectArgument();
  const bool isPointer = object->getType()->isPointerType();
  const bool isChanged = !e->getMethodDecl() || !e->getMethodDecl()->isConst();
  handed.values.push_back(isPointer             ? rvalue(object)
                          : object->isGLValue() ? read(place(object), object->getType(), e)
                                                : rvalue(object));
  lose(handed.values.back(), e);
  const bool leads = isPointer || leadsOn(object->getType()) || leadsOn(e->getObjectType());
  handed.leadsOn |= leads;
  handed.mayWrite |= isChanged;
  if (isChanged || leads)
    loseAll(object);
}

// Values, and places that may be written to. Where more is led to, all of it may be.
WaveRun::Handed WaveRun::handed(const CallExpr *e, unsigned first) {
  const FunctionDecl *callee = e->getDirectCallee();
  Handed out;
  if (const auto *member = dyn_cast<CXXMemberCallExpr>(e))
    handObject(member, out);
  const auto *op = dyn_cast<CXXOperatorCallExpr>(e);
  out.replaced = op && op->getOperator() == OO_Equal ? 1 : 0;
  for (unsigned i = 0; i < e->getNumArgs(); ++i) {
    const Expr *argument = e->getArg(i);
    const QualType type = i >= first && i - first < callee->getNumParams()
                              ? callee->getParamDecl(i - first)->getType()
                              : argument->getType();
    const QualType bare = type.getNonReferenceType();
    const bool isPlace = (type->isReferenceType() || i < first) && argument->isGLValue();
    if (isPlace) {
      const Place at = place(argument);
      const uint64_t touches = touches_;
      out.values.push_back(read(at, argument->getType(), e));
      if (i < out.replaced) // what is there does not matter
        touches_ = touches;
      if (!bare.isConstQualified())
        out.written.push_back({at, sizeOf(argument->getType()), i});
    } else {
      out.values.push_back(rvalue(argument));
      if (out.values.back().pointee)
        out.written.push_back({*out.values.back().pointee, 0, i});
    }
    if (leadsOn(bare) && !callee->isTrivial()) {
      out.leadsOn = true;
      out.mayWrite |= !bare->isPointerType() || !bare->getPointeeType().isConstQualified();
      if (isPlace || !bare->isPointerType())
        loseAll(argument);
    }
    out.rows |= i < out.replaced ? 0 : out.values.back().wave.rows;
  }
  return out;
}

// What it makes of them: of the same, the same. Two functions of one name are two.
WaveValue WaveRun::resultOf(const CallExpr *e, const Handed &handed, bool isWide) {
  const FunctionDecl *callee = e->getDirectCallee();
  const StringRef name = cudaName(callee);
  if (isWide || name.contains("clock") || name.contains("rand"))
    return fresh();
  std::vector<const WaveValue *> of;
  for (const Value &value : llvm::ArrayRef(handed.values).drop_front(handed.replaced))
    of.push_back(&value.wave);
  const WaveValue result = combine(joined(0xca11, rootOf(callee->getCanonicalDecl(), nullptr)), of,
                                   e->getNumArgs() == 2 && commutes(name));
  if (!handed.leadsOn || name.starts_with("__ldg") || callee->hasAttr<ConstAttr>())
    return result;
  const WaveValue now = uniformName(joined(0x10ad, ++counter_)); // as memory is
  return combine(0x10ad, {&now, &result});
}

// Of all that it may write to, each gets a value of its own.
void WaveRun::writeHanded(const CallExpr *e, const Handed &handed, const WaveValue &result) {
  for (const auto &[at, bytes, argument] : handed.written) {
    if (!at.isOwn || bytes != 0) {
      write(at, bytes, {combine(joined(0x0a2, argument), {&result}), {}}, e);
      continue;
    }
    if (llvm::any_of(memory_[at.root],
                     [](const auto &cell) { return cell.second.value.wave.rows != 0; }))
      refuseHanded(e);
    forget(at.root); // a pointer: how much is written is not known
  }
}

void WaveRun::refuseHanded(const CallExpr *e) {
  refuse("'" + e->getDirectCallee()->getNameAsString() + "' is given results between the products",
         e);
}

// A function that is not followed: a pure one of its arguments' values, unless it is
// given a place to write to.
WaveRun::Value WaveRun::unknownCall(const CallExpr *e, unsigned firstArgument) {
  const FunctionDecl *callee = e->getDirectCallee();
  const StringRef name = cudaName(callee);
  Handed handed = this->handed(e, firstArgument);
  const bool isWide = asksThread(*callee), isVoid = e->getType()->isVoidType();
  if (addTo(e, handed))
    return {fresh(), {}};
  const bool isRead = name.starts_with("__ld") && isOfCuda(*callee) && !handed.mayWrite;
  if ((handed.leadsOn && !isRead) || handed.mayWrite || isWide || isVoid)
    ++effects_;
  touches_ += handed.leadsOn || handed.mayWrite || isVoid;
  if (!isa<CXXMemberCallExpr>(e)) {
    std::vector<std::pair<const Expr *, Value *>> met;
    for (unsigned i = handed.replaced; i < e->getNumArgs(); ++i)
      met.push_back({e->getArg(i), &handed.values[i]});
    meet(met);
  }
  const bool isStore = layout_.watched && name.starts_with("atomic");
  const bool isSaid = name == "__builtin_assume" || name == "__builtin_unreachable";
  const bool isSilent = isVoid && handed.written.empty() && !isSaid;
  if ((handed.rows || controlRows_) && !isStore &&
      (handed.leadsOn || handed.mayWrite || isWide || isSilent))
    refuseHanded(e);
  if ((handed.leadsOn || handed.mayWrite || isWide || isSilent) &&
      llvm::any_of(handed.values, [](const Value &value) { return value.wave.isLost(); }))
    refuse(kGivenOn, e);
  if (handed.mayWrite || isWide)
    forgetLost();
  const WaveValue result = resultOf(e, handed, isWide);
  const QualType given = e->getType().getCanonicalType();
  if (given->isPointerType() || given->isRecordType() || e->isGLValue())
    for (const Value &value : handed.values)
      lose(value, e);
  writeHanded(e, handed, result);
  if (!e->isGLValue() || handed.written.empty())
    return {result, {}};
  const auto *op = dyn_cast<CXXOperatorCallExpr>(e); // x = y gives x, whatever y is
  const Written &first = handed.written[0];
  if ((op && op->isAssignmentOp() && first.argument == 0) ||
      (handed.written.size() == 1 && first.bytes && !handed.leadsOn))
    return {result, first.at};
  loseAll(e); // it may be any of them
  return {fresh(), {}};
}

// There is a product in it, or in what it calls.
static bool multiplies(const FunctionDecl &function, std::set<const FunctionDecl *> &seen) {
  const FunctionDecl *definition = function.getDefinition();
  if (!definition || !definition->hasBody() || !seen.insert(definition).second)
    return false;
  AsmFinder all;
  all.TraverseStmt(definition->getBody());
  return llvm::any_of(all.found, [](const GCCAsmStmt *stmt) { return isProduct(*stmt); }) ||
         llvm::any_of(all.calls, [&](const CallExpr *call) {
           return call->getDirectCallee() && multiplies(*call->getDirectCallee(), seen);
         });
}

// Of results that a function is handed to change: single ones, and nothing that asm does.
uint8_t
WaveRun::rowsOfReferences(const FunctionDecl &callee,
                          const std::vector<std::pair<const ParmVarDecl *, Place>> &references) {
  AsmFinder all;
  all.TraverseStmt(callee.getBody());
  uint8_t rows = 0;
  for (const auto &[parameter, at] : references) {
    const QualType type = parameter->getType().getNonReferenceType();
    if (at.isOwn && at.isExact && type->isScalarType() && all.found.empty())
      rows |= readOwn(at, sizeOf(type)).wave.rows;
  }
  return rows;
}

WaveRun::Value WaveRun::inlined(const CallExpr *e, const FunctionDecl *callee, unsigned first) {
  const auto *method = dyn_cast<CXXMethodDecl>(callee);
  std::optional<Place> self;
  if (method && method->isInstance() && !method->getParent()->isLambda()) {
    const Expr *object = nullptr;
    if (const auto *member = dyn_cast<CXXMemberCallExpr>(e))
      object = member->getImplicitObjectArgument();
    else if (first == 1)
      object = e->getArg(0);
    if (!object)
      return unknownCall(e, first);
    self = object->getType()->isPointerType() ? pointee(rvalue(object)) : place(object);
  }
  if (method && method->getParent()->isLambda())
    self = objectOf(*method->getParent());
  const auto arguments = llvm::ArrayRef(e->getArgs(), e->getNumArgs()).drop_front(first);
  Frame frame = follow(e, *callee, arguments, self);
  Value result = frame.value;
  if (frame.place)
    result.pointee = frame.place;
  for (const auto &[condition, value] : llvm::reverse(frame.early))
    result = select(condition, value, result);
  return result;
}

// A struct by value: f(c[j]).
static bool copiesVariable(const Expr &argument) {
  const auto *made = dyn_cast<CXXConstructExpr>(argument.IgnoreParens());
  return made && isPlainCopy(*made) && made->getArg(0)->isGLValue() &&
         !isa<MaterializeTemporaryExpr>(made->getArg(0)->IgnoreParens());
}

// A function's own text, run for what it is handed.
WaveRun::Frame WaveRun::follow(const Expr *e, const FunctionDecl &callee,
                               llvm::ArrayRef<const Expr *> arguments,
                               const std::optional<Place> &self) {
  if (frames_.size() > kDeepest || active_.count(&callee)) {
    refuse("'" + callee.getNameAsString() + "' calls itself", e);
    return {};
  }
  // All arguments first: a parameter may be one of a call within them.
  std::vector<std::pair<const ParmVarDecl *, Place>> references;
  std::vector<std::pair<const ParmVarDecl *, Value>> values;
  std::vector<std::pair<const ParmVarDecl *, Place>> objects;
  const size_t count = std::min<size_t>(callee.getNumParams(), arguments.size());
  for (size_t i = 0; i < count; ++i) {
    const ParmVarDecl *parameter = callee.getParamDecl(i);
    const Expr *argument = arguments[i];
    const CXXRecordDecl *record = parameter->getType()->getAsCXXRecordDecl();
    if (parameter->getType()->isReferenceType()) {
      references.push_back({parameter, place(argument)});
      continue;
    }
    if (!record || record->isLambda() || !record->hasDefinition() ||
        !(keepsPlaces(*record) || copiesVariable(*argument))) {
      values.push_back({parameter, rvalue(argument)});
      continue;
    }
    objects.push_back({parameter, temporary(argument)}); // with the places that it holds
    values.push_back({parameter, readOwn(objects.back().second, sizeOf(argument->getType()))});
  }
  std::vector<std::pair<const Expr *, Value *>> met;
  for (size_t i = 0, next = 0; i < count; ++i)
    if (!callee.getParamDecl(i)->getType()->isReferenceType())
      met.push_back({arguments[i], &values[next++].second});
  std::set<const FunctionDecl *> seen;
  if (!multiplies(callee, seen)) // an operand beside one that is made of results meets none
    meet(met, rowsOfReferences(callee, references));
  for (const auto &[parameter, at] : references)
    references_[parameter] = at;
  for (const auto &[parameter, value] : values) {
    Place at;
    at.isOwn = true;
    at.root = rootOf(parameter, parameter);
    renew(at.root);
    write(at, sizeOf(parameter->getType()), value, e);
  }
  const auto isAskedFor = [&](const ParmVarDecl *parameter) { // as a whole, where it met results
    return llvm::any_of(values, [&](const auto &value) {
      return value.first == parameter && value.second.wave.met != 0;
    });
  };
  for (const auto &[parameter, object] : objects) {
    if (isAskedFor(parameter))
      continue;
    Place at;
    at.isOwn = true;
    at.root = rootOf(parameter, parameter);
    renew(at.root);
    copyRecord(at, object, sizeOf(parameter->getType()));
  }
  if (self)
    this_.push_back(*self);
  active_.insert(&callee);
  scopes_.emplace_back();
  frames_.emplace_back();
  frames_.back().function = &callee;
  frames_.back().loops = isCounted_.size();
  turns_.push_back({e, 0});
  if (const auto *constructor = dyn_cast<CXXConstructorDecl>(&callee))
    initializeParts(*self, *constructor);
  run1(callee.getBody());
  turns_.pop_back();
  controlRows_ -= frames_.back().controlRows;
  joinReturns();
  Frame frame = std::move(frames_.back());
  frames_.pop_back();
  leaveScope();
  for (const auto &[parameter, value] : values)
    memory_.erase(rootOf(parameter, parameter));
  active_.erase(&callee);
  if (self)
    this_.pop_back();
  return frame;
}

// ---- statements --------------------------------------------------------------------

// The variables of a scope end with it.
void WaveRun::leaveScope() {
  for (const unsigned root : scopes_.back())
    memory_.erase(root);
  scopes_.pop_back();
}

WaveRun::Flow WaveRun::compound(const CompoundStmt *s) {
  scopes_.emplace_back();
  Flow flow = Flow::Next;
  for (const Stmt *stmt : s->body())
    if (flow = run1(stmt); flow != Flow::Next)
      break;
  leaveScope();
  return flow;
}

void WaveRun::noteUnused(const Expr *e) {
  e = e->IgnoreParens();
  if (const auto *full = dyn_cast<FullExpr>(e))
    return noteUnused(full->getSubExpr());
  unused_.insert(e);
  const auto *op = dyn_cast<BinaryOperator>(e);
  if (op && op->getOpcode() == BO_Comma) {
    noteUnused(op->getLHS());
    noteUnused(op->getRHS());
  }
}

WaveRun::Flow WaveRun::run1(const Stmt *s) {
  if (!s || !problem.empty())
    return Flow::Next;
  if (++steps_ > kMostSteps) {
    refuse("the code between the products is too long to follow", s);
    return Flow::Next;
  }
  current_ = s;
  if (s == layout_.watched) {
    noteVisit();
    return Flow::Continue; // with the next turn of the loops around
  }
  if (const auto *block = dyn_cast<CompoundStmt>(s))
    return compound(block);
  if (const auto *attributed = dyn_cast<AttributedStmt>(s))
    return run1(attributed->getSubStmt());
  if (const auto *declarations = dyn_cast<DeclStmt>(s)) {
    for (const Decl *decl : declarations->decls())
      if (const auto *variable = dyn_cast<VarDecl>(decl))
        declare(variable);
    return Flow::Next;
  }
  if (const auto *stmt = dyn_cast<IfStmt>(s))
    return branch(stmt);
  if (const auto *stmt = dyn_cast<ForStmt>(s); stmt && !stmt->getConditionVariable()) {
    scopes_.emplace_back();
    run1(stmt->getInit());
    const Flow flow = loop(s, stmt->getCond(), stmt->getInc(), stmt->getBody(), true);
    leaveScope();
    return flow;
  }
  if (const auto *stmt = dyn_cast<CXXForRangeStmt>(s);
      stmt && stmt->getRangeInit()->getType()->isConstantArrayType())
    return rangeLoop(*stmt);
  if (const auto *stmt = dyn_cast<WhileStmt>(s); stmt && !stmt->getConditionVariable())
    return loop(s, stmt->getCond(), nullptr, stmt->getBody(), true);
  if (const auto *stmt = dyn_cast<DoStmt>(s))
    return loop(s, stmt->getCond(), nullptr, stmt->getBody(), false);
  if (const auto *stmt = dyn_cast<ReturnStmt>(s)) {
    if (const Expr *value = stmt->getRetValue()) {
      if (const auto *record = value->getType()->getAsCXXRecordDecl(); record && record->isLambda())
        loseAll(value); // with what it has copied
      if (value->isGLValue())
        frames_.back().place = place(value);
      else
        frames_.back().value = rvalue(value);
      if (value == onlyReturned(frames_.back().function, context_))
        temporary(value); // member by member
    }
    return Flow::Return;
  }
  if (isa<BreakStmt>(s))
    return Flow::Break;
  if (isa<ContinueStmt>(s))
    return Flow::Continue;
  if (const auto *stmt = dyn_cast<GCCAsmStmt>(s)) {
    assembly(stmt);
    return Flow::Next;
  }
  if (isa<NullStmt>(s))
    return Flow::Next;
  if (const auto *expr = dyn_cast<Expr>(s)) {
    const Expr *bare = expr->IgnoreParens();
    noteUnused(bare);
    if (bare->isGLValue() && !isa<CallExpr>(bare))
      place(bare);
    else
      rvalue(bare);
    return Flow::Next;
  }
  skip(s);
  return Flow::Next;
}

// A statement that is not followed: what it assigns is not known any more, and it must
// not touch fragments.
void WaveRun::skip(const Stmt *s) {
  ++effects_;
  ++touches_;
  skipped_.push_back(s);
  Jumps jumps;
  jumps.TraverseStmt(const_cast<Stmt *>(s));
  if (jumps.goes || (jumps.returns && frames_.size() > 1) || (jumps.breaks && isa<LabelStmt>(s)))
    refuse("code between the products is left in a way that is not followed", s);
  loseAll(s);
}

// ---- what is not followed ------------------------------------------------------------

// Variables that a statement may read or write, whatever it does: those that it names, and what
// references, pointers and lambdas among them lead to. Whether it may write to them.
std::map<unsigned, bool> WaveRun::rootsBelow(const Stmt *s) {
  Mentioned mentioned;
  mentioned.TraverseStmt(const_cast<Stmt *>(s));
  std::map<unsigned, bool> roots;
  std::vector<unsigned> open;
  const auto add = [&](const Place &place, bool isChanged = true) {
    if (!place.isOwn)
      return;
    const auto [known, isNew] = roots.try_emplace(place.root, isChanged);
    known->second |= isChanged;
    if (isNew)
      open.push_back(place.root);
  };
  std::set<const VarDecl *> seen;
  for (bool again = true; again;) {
    again = false;
    for (const VarDecl *variable : std::set<const VarDecl *>(mentioned.found)) {
      if (!seen.insert(variable).second)
        continue;
      again = true;
      const auto *closure = variable->getType().getNonReferenceType()->getAsCXXRecordDecl();
      if (!closure || !closure->isLambda())
        continue;
      mentioned.TraverseStmt(closure->getLambdaCallOperator()->getBody());
      for (const auto &[copy, place] : copies_)
        if (copy.first == closure)
          add(place, false);
    }
  }
  for (const VarDecl *variable : mentioned.found) {
    const bool isChanged = mentioned.changed.count(variable);
    if (const auto known = references_.find(variable); known != references_.end())
      add(known->second, isChanged);
    else if (isOwn(variable))
      add({true, true, rootOf(variable, variable), 0, {}}, isChanged);
  }
  if (mentioned.hasThis && !this_.empty())
    add(this_.back());
  while (!open.empty()) {
    const unsigned root = open.back();
    open.pop_back();
    for (const auto &[offset, cell] : memory_[root])
      if (cell.value.pointee)
        add(*cell.value.pointee);
  }
  return roots;
}

void WaveRun::refuseLost(unsigned root, const Stmt *at) {
  const VarDecl *variable = carried_.variables[root];
  refuse(variable ? "'" + variable->getNameAsString() + "' is used in a way that is not followed"
                  : "results are used in a way that is not followed",
         at);
}

// Who has their address may change results that are there, or come to be (write()).
void WaveRun::lose(unsigned root, const Stmt *at) {
  lost_.try_emplace(root, at);
  for (const auto &[offset, cell] : memory_[root])
    if (cell.value.wave.rows)
      return refuseLost(root, at);
}

void WaveRun::lose(const Value &pointer, const Stmt *at) {
  if (pointer.pointee && pointer.pointee->isOwn)
    lose(pointer.pointee->root, at);
}

void WaveRun::loseAll(const Stmt *s) {
  for (const auto &[root, isChanged] : rootsBelow(s)) {
    lose(root, s);
    if (isChanged && memory_.count(root) && !isConstant(root))
      forget(root);
  }
  forgetLost();
}

// Loops and declarations around one 'if' or several, and nothing else that runs.
static bool isMask(const Stmt *s, unsigned &conditions) {
  if (const auto *attributed = dyn_cast<AttributedStmt>(s))
    return isMask(attributed->getSubStmt(), conditions);
  if (const auto *block = dyn_cast<CompoundStmt>(s))
    return llvm::all_of(block->body(), [&](const Stmt *stmt) { return isMask(stmt, conditions); });
  if (const auto *loop = dyn_cast<ForStmt>(s))
    return isMask(loop->getBody(), conditions);
  const auto *branch = dyn_cast<IfStmt>(s);
  if (branch && !branch->getElse() && !branch->getInit() && !branch->getConditionVariable() &&
      !branch->isConstexpr()) {
    ++conditions;
    Leaving leaving;
    leaving.TraverseStmt(const_cast<Stmt *>(branch->getThen()));
    return !leaving.any;
  }
  const auto *declarations = dyn_cast<DeclStmt>(s);
  return declarations && llvm::all_of(declarations->decls(), [](const Decl *decl) {
           const auto *variable = dyn_cast<VarDecl>(decl);
           return variable && variable->getInit() && isArithmetic(*variable->getInit());
         });
}

//   if (base + 63 > q0 + warp * 16)     of the warp: here lanes act for both
//     for (...) for (...)
//       if (col > row) s[j][e] = -INFINITY;
//
// It says when the condition within need not be asked: that becomes  test && col > row.
bool WaveRun::isTestAroundMask(const IfStmt &s, const WaveValue &test) const {
  if (around_.at || layout_.watched || test.rows || test.isUniform() || s.getElse() ||
      !layout_.alike.forPair || layout_.alike.forPair(s.getCond()) ||
      !layout_.alike.forWarp(s.getCond()))
    return false;
  unsigned conditions = 0;
  return isMask(s.getThen(), conditions) && conditions > 0;
}

WaveRun::Flow WaveRun::branch(const IfStmt *s) {
  const Around around = std::exchange(around_, {});
  const Flow flow = branchUnder(s, around);
  around_ = around;
  return flow;
}

WaveRun::Flow WaveRun::branchUnder(const IfStmt *s, const Around &around) {
  if (s->isConstexpr()) {
    const auto taken = s->getNondiscardedCase(context_);
    return taken ? run1(*taken) : Flow::Next;
  }
  run1(s->getInit());
  if (const VarDecl *variable = s->getConditionVariable())
    declare(variable);
  if (const Stmt *arm = armToWatched(*s))
    return run1(arm);
  const Value condition = rvalue(s->getCond());
  if (condition.wave.isNumber && !around.at) {
    apart.insert(s->getCond());
    return run1(condition.wave.of[0] ? s->getThen() : s->getElse());
  }
  const WaveValue test =
      around.at ? combine(hashOf("&&"), {&around.test, &condition.wave}) : condition.wave;
  if (around.at)
    under[s->getCond()] = around.at;
  if (!around.at && isTestAroundMask(*s, test)) {
    around_ = {s->getCond(), test};
    return run1(s->getThen());
  }
  const Memory before = memory_;
  const uint64_t effects = effects_;
  controlRows_ += test.rows != 0;
  const WaveValue one = number(1);
  bool isSkip = false;
  const auto arm = [&](const Stmt *stmt, bool isElse) {
    const Frame kept = frames_.back();
    if (!arms_.empty())
      ++arms_.back();
    ++frames_.back().arms;
    const Flow flow = run1(stmt);
    if (!arms_.empty())
      --arms_.back();
    const bool isEnd = flow == Flow::Return && mayEndHere();
    --frames_.back().arms;
    if (flow != Flow::Next && test.rows && !isEnd)
      refuse("code is left where results say so", s);
    if ((flow == Flow::Return || flow == Flow::Break) && storesIn(before) != storesIn(memory_))
      refuse("results are stored between the products where a loop or function is left", s);
    if (isEnd) {
      isSkip = true;
      const WaveValue left = isElse ? combine(hashOf("not"), {&test, &one}) : test;
      frames_.back().skips.push_back({s, left, memory_, before, effects});
      frames_.back().controlRows += test.rows != 0;
      controlRows_ += test.rows != 0;
    } else if (flow == Flow::Return && frames_.size() > 1) {
      if (!std::all_of(isCounted_.begin() + frames_.back().loops, isCounted_.end(),
                       [](bool isCounted) { return isCounted; }))
        refuse("a function returns from a loop", s);
      returnUnder(test, kept, before, s);
    }
    if (flow == Flow::Continue && !isCounted_.empty() && isCounted_.back() && !arms_.back()) {
      isSkip = true;
      const WaveValue left = isElse ? combine(hashOf("not"), {&test, &one}) : test;
      skips_.back().push_back({s, left, memory_, before, effects});
    } else if (flow == Flow::Break || flow == Flow::Continue) {
      refuse(isCounted_.empty() || isCounted_.back() ? "a counted loop is left under a condition"
                                                     : kUncounted,
             s);
    }
    return flow;
  };
  const Flow yes = arm(s->getThen(), false);
  Memory after = std::exchange(memory_, before);
  // In the other arm the condition does not hold: values returned there are selected by
  // its negation, which the order of Frame::early says.
  const size_t early = frames_.back().early.size();
  const Flow no = arm(s->getElse(), true);
  controlRows_ -= test.rows != 0;
  if (frames_.back().early.size() > early) {
    if (yes == Flow::Return) {
      // Both arms return: the second is what is left.
      frames_.back().value = frames_.back().early.back().second;
      frames_.back().early.pop_back();
      return Flow::Return;
    }
    frames_.back().early.back().first = combine(hashOf("not"), {&test, &one});
  }
  if ((yes != Flow::Next || no != Flow::Next) && !isSkip)
    notMet(s->getCond(), test);
  if (yes != Flow::Next && no != Flow::Next) {
    if (yes != no)
      refuse("a branch whose arms leave by different ways", s);
    return yes;
  }
  if (yes != Flow::Next)
    return Flow::Next; // the state is that of the other arm
  if (no != Flow::Next) {
    memory_ = std::move(after);
    return Flow::Next;
  }
  Memory other = std::move(memory_);
  cutAlike(after, other);
  const Changes changes = changesBetween(after, other);
  if (test.isLost() && (effects != effects_ || changes.others))
    refuse(kGivenOn, s);
  if (changes.rows && (effects != effects_ || changes.others)) {
    if (!test.isUniform() && !test.rows)
      refuse(kMoreDecided, s);
    apart.insert(s->getCond());
  }
  merge(met(s->getCond(), test, test.rows ? 0 : changes.rows, before), std::move(after), other);
  return Flow::Next;
}

// The rest of the function is as good as under the condition: it gives nothing back, and no loop of
// it nor another condition stands around.
bool WaveRun::mayEndHere() const {
  const Frame &frame = frames_.back();
  return frames_.size() > 1 && frame.function && frame.function->getReturnType()->isVoidType() &&
         frame.arms == 1 && isCounted_.size() == frame.loops && !layout_.watched;
}

// The turn, or the function, ends in one of several states: the latest first, since each condition
// is asked only where those before it did not hold.
void WaveRun::joinSkips(std::vector<Skip> skips) {
  for (Skip &skip : llvm::reverse(skips)) {
    cutAlike(skip.memory, memory_);
    const Changes changes = changesBetween(skip.memory, memory_);
    if (changes.rows && (skip.effects != effects_ || changes.others)) {
      if (!skip.test.isUniform() && !skip.test.rows)
        refuse(kMoreDecided, skip.at);
      apart.insert(skip.at->getCond());
    }
    const Memory other = std::move(memory_);
    merge(met(skip.at->getCond(), skip.test, skip.test.rows ? 0 : changes.rows, skip.before),
          std::move(skip.memory), other);
  }
}

// The function's own variables are gone by then.
void WaveRun::joinReturns() {
  if (frames_.back().skips.empty())
    return;
  std::set<unsigned> roots;
  for (const auto &[root, contents] : memory_)
    roots.insert(root);
  joinSkips(std::exchange(frames_.back().skips, {}));
  for (auto it = memory_.begin(); it != memory_.end();)
    it = roots.count(it->first) ? std::next(it) : memory_.erase(it);
}

// What one has as a whole and the other in pieces is in pieces for both:
//
//   float2 x = f(c);              x    [ f(c)           ]
//   if (isOut) x.x = 0;     yes   x    [ 0 ][ f(c), 4-7 ]
//                           no    x    [ f(c), 0-3 ][ f(c), 4-7 ]
void WaveRun::cutAlike(Memory &yes, Memory &no) const {
  for (auto &[root, contents] : yes)
    if (const auto other = no.find(root); other != no.end() && carried_.variables[root]) {
      cutBy(other->second, contents);
      cutBy(contents, other->second);
    }
}

void WaveRun::cutBy(const Contents &pieces, Contents &contents) {
  Contents cut;
  for (const auto &[first, cell] : contents) {
    const int64_t last = first + static_cast<int64_t>(cell.bytes);
    std::set<int64_t> ends = {first, last};
    for (const auto &[offset, piece] : pieces)
      for (const int64_t at : {offset, offset + static_cast<int64_t>(piece.bytes)})
        if (first < at && at < last && !cell.value.pointee)
          ends.insert(at);
    for (auto end = std::next(ends.begin()); end != ends.end(); ++end) {
      const int64_t begin = *std::prev(end);
      cut[begin] = ends.size() == 2 ? cell
                                    : Cell{static_cast<uint64_t>(*end - begin),
                                           {piece(cell, first, begin, *end), {}}};
    }
  }
  contents = std::move(cut);
}

// What the two arms of a branch leave different: results of which rows, and whether others too.
WaveRun::Changes WaveRun::changesBetween(const Memory &yes, const Memory &no) const {
  Changes changes;
  const auto note = [&](const Value *a, const Value *b) {
    const uint8_t rows = (a ? a->wave.rows : 0) | (b ? b->wave.rows : 0);
    const bool same = a && b && !a->pointee && !b->pointee && a->wave.of == b->wave.of;
    const bool samePlace = a && b && a->pointee && b->pointee && a->pointee->isExact &&
                           b->pointee->isExact && a->pointee->root == b->pointee->root &&
                           a->pointee->offset == b->pointee->offset;
    if (same || samePlace)
      return;
    changes.rows |= rows;
    changes.others |= rows == 0;
  };
  noteStored(yes, no, note);
  noteStored(no, yes, note);
  for (const auto &[root, contents] : yes) {
    const auto other = no.find(root);
    if (other == no.end() || !carried_.variables[root]) // of one arm's own, or a temporary
      continue;
    for (const auto &[offset, cell] : contents) {
      const auto match = other->second.find(offset);
      const bool isThere = match != other->second.end() && match->second.bytes == cell.bytes;
      note(&cell.value, isThere ? &match->second.value : nullptr);
    }
    for (const auto &[offset, cell] : other->second)
      if (const auto match = contents.find(offset);
          match == contents.end() || match->second.bytes != cell.bytes)
        note(&cell.value, nullptr);
  }
  return changes;
}

// A function's return in one arm of a branch: its value is chosen at the end; nothing else
// may have been done by then.
void WaveRun::returnUnder(const WaveValue &test, const Frame &kept, const Memory &before,
                          const Stmt *at) {
  Frame &frame = frames_.back();
  if (frame.place)
    refuse("a reference is returned under a condition", at);
  for (const auto &[root, contents] : memory_) {
    const auto old = before.find(root);
    if (isLocal(root) || (old == before.end() && contents.empty()))
      continue;
    const bool same = old != before.end() && old->second.size() == contents.size() &&
                      std::equal(contents.begin(), contents.end(), old->second.begin(),
                                 [](const auto &a, const auto &b) {
                                   return a.first == b.first && a.second.bytes == b.second.bytes &&
                                          a.second.value.wave.of == b.second.value.wave.of;
                                 });
    if (!same)
      refuse("a function writes to its caller's variables and returns under a condition", at);
  }
  const Value value = frame.value;
  frame.value = kept.value;
  frame.isPartial = true;
  frame.early.push_back({test, value});
}

// memory_ = condition ? yes : no, byte by byte.
void WaveRun::merge(const WaveValue &condition, Memory yes, const Memory &no) {
  memory_ = std::move(yes);
  mergeStored(condition, no);
  for (auto &[root, contents] : memory_) {
    const auto other = no.find(root);
    if (other == no.end() || carried_.stores.count(root))
      continue;
    for (auto it = contents.begin(); it != contents.end();) {
      const auto match = other->second.find(it->first);
      if (match == other->second.end() || match->second.bytes != it->second.bytes) {
        // Never written in one of the arms, or cut up otherwise there.
        lose(it->second.value, current_);
        WaveValue unknown = fresh();
        unknown.rows = it->second.value.wave.rows;
        for (const auto &[offset, cell] : other->second)
          if (overlap(offset, cell.bytes, it->first, it->second.bytes))
            unknown.rows |= cell.value.wave.rows;
        it->second.value = {unknown, {}};
      } else {
        it->second.value = select(condition, it->second.value, match->second.value);
      }
      ++it;
    }
    for (const auto &[offset, cell] : other->second)
      if (!contents.count(offset)) {
        const bool overlaps =
            llvm::any_of(contents, [&, at = offset, size = cell.bytes](const auto &c) {
              return overlap(c.first, c.second.bytes, at, size);
            });
        lose(cell.value, current_);
        if (overlaps)
          continue;
        WaveValue unknown = fresh();
        unknown.rows = cell.value.wave.rows;
        contents[offset] = {cell.bytes, {unknown, {}}};
      }
  }
  for (const auto &[root, contents] : no)
    memory_.try_emplace(root, contents);
}

// ---- loops -------------------------------------------------------------------------

// for (float &x : c[j]), in the words that it stands for: a pointer goes from the first element to
// the end.
WaveRun::Flow WaveRun::rangeLoop(const CXXForRangeStmt &s) {
  scopes_.emplace_back();
  for (const Stmt *begin :
       {s.getInit(), static_cast<const Stmt *>(s.getRangeStmt()),
        static_cast<const Stmt *>(s.getBeginStmt()), static_cast<const Stmt *>(s.getEndStmt())})
    run1(begin);
  const Flow flow = loop(&s, s.getCond(), s.getInc(), s.getBody(), true);
  leaveScope();
  return flow;
}

WaveRun::Flow WaveRun::turn(const Stmt *loop, const Stmt *body) {
  if (const auto *range = dyn_cast<CXXForRangeStmt>(loop))
    run1(range->getLoopVarStmt());
  return run1(body);
}

WaveRun::Flow WaveRun::loop(const Stmt *at, const Expr *condition, const Expr *step,
                            const Stmt *body, bool testsFirst) {
  for (uint64_t i = 0; i < kMostIterations && problem.empty(); ++i) {
    if (condition && (testsFirst || i > 0)) {
      const Value test = rvalue(condition);
      if (!test.wave.isNumber)
        return i == 0 ? unknownLoop(at, condition, step, body)
                      : (refuse("a loop whose count becomes unknown on the way", at), Flow::Next);
      if (!test.wave.of[0])
        return Flow::Next;
    } else if (!condition) {
      return unknownLoop(at, condition, step, body);
    }
    isCounted_.push_back(true);
    arms_.push_back(0);
    skips_.emplace_back();
    turns_.push_back({at, i});
    const Flow flow = turn(at, body);
    const bool leaves = flow == Flow::Return || flow == Flow::Break;
    if (leaves && !skips_.back().empty())
      refuse("a counted loop is left under a condition", at);
    else
      joinSkips(std::move(skips_.back()));
    turns_.pop_back();
    skips_.pop_back();
    arms_.pop_back();
    isCounted_.pop_back();
    if (flow == Flow::Return)
      return flow;
    if (flow == Flow::Break)
      return Flow::Next;
    if (step)
      rvalue(step);
  }
  refuse("a loop of too many iterations", at);
  return Flow::Next;
}

// The bytes of variables that are there now and that `body` assigns.
std::set<CellKey> WaveRun::assignedBy(const std::function<void()> &body) {
  std::set<unsigned> there;
  for (const auto &[root, contents] : memory_)
    there.insert(root);
  std::set<CellKey> assigned;
  std::set<CellKey> *outer = std::exchange(assigned_, &assigned);
  body();
  assigned_ = outer;
  if (outer)
    outer->insert(assigned.begin(), assigned.end());
  for (auto it = assigned.begin(); it != assigned.end();)
    it = there.count(it->root) ? std::next(it) : assigned.erase(it);
  return assigned;
}

// The same, and nothing of it is done.
std::set<CellKey> WaveRun::wouldAssign(const std::function<void()> &body) {
  std::set<CellKey> *outer = std::exchange(assigned_, nullptr);
  const Memory before = memory_;
  const bool rehearsed = std::exchange(isRehearsal_, true);
  const uint64_t counter = counter_;
  const auto met = met_;
  std::set<CellKey> assigned = assignedBy(body);
  met_ = met;
  counter_ = counter;
  isRehearsal_ = rehearsed;
  memory_ = before;
  assigned_ = outer;
  return assigned;
}

static bool isWithin(const CellKey &part, const CellKey &whole) {
  return part.root == whole.root && whole.offset <= part.offset &&
         part.offset + static_cast<int64_t>(part.bytes) <=
             whole.offset + static_cast<int64_t>(whole.bytes);
}

// A cell and a part of it: the wider one stands for both.
static std::set<CellKey> widest(const std::set<CellKey> &all) {
  std::set<CellKey> out;
  for (const CellKey &key : all)
    if (llvm::none_of(
            all, [&](const CellKey &other) { return !(other == key) && isWithin(key, other); }))
      out.insert(key);
  return out;
}

WaveRun::Flow WaveRun::unknownLoop(const Stmt *at, const Expr *condition, const Expr *step,
                                   const Stmt *body) {
  const LoopKey key{at, met_[at]++};
  unsigned alike = kWaveThreads - 1; // thread bits that the number of turns does not hang on
  const auto iteration = [&] {
    ++epoch_;
    if (condition) {
      const Value test = rvalue(condition);
      if (test.wave.rows)
        refuse("a loop goes on as results say", at);
      if (test.wave.isLost())
        refuse(kGivenOn, at);
      alike = test.wave.isNumber ? alike : test.wave.invariantBits();
    }
    isCounted_.push_back(false);
    arms_.push_back(0);
    turns_.push_back({at, ++passes_});
    const Flow flow = turn(at, body);
    turns_.pop_back();
    arms_.pop_back();
    isCounted_.pop_back();
    if (flow == Flow::Return && frames_.size() > 1)
      refuse("a function returns from a loop", at);
    if (step && flow != Flow::Break)
      rvalue(step);
  };
  // Where a condition hangs on what is carried, one turn may assign what the first one does not.
  std::set<CellKey> &known = carried_.assigned[key];
  const std::set<CellKey> first = wouldAssign(iteration);
  known.insert(first.begin(), first.end());
  const std::set<CellKey> cells = widest(known);
  enter(key, cells);
  const uint64_t products = products_;
  const Memory stores = storesNow();
  for (const CellKey &more : assignedBy(iteration))
    if (llvm::none_of(cells, [&](const CellKey &cell) { return isWithin(more, cell); })) {
      known.insert(more);
      carried_.changed = true;
    }
  for (const auto &[root, contents] : stores) // not of this loop
    for (const auto &[offset, cell] : contents)
      memory_[root].erase(offset);
  snapshot(key, at);
  if (products == products_) // around products all lanes agree, or the kernel is not native
    partTurns(key, alike, at);
  for (const auto &[root, at] : carried_.stores)
    memory_.erase(root);
  for (const auto &[root, contents] : stores)
    memory_[root] = contents;
  // Any number of iterations, none of them included, ends in a state of this form.
  enter(key, cells);
  return Flow::Next;
}

// Threads that take a loop another number of times than others leave it with other values.
void WaveRun::partTurns(const LoopKey &key, unsigned alike, const Stmt *at) {
  for (auto &[where, cell] : carried_.loops[key]) {
    if (cell.rows && alike != kWaveThreads - 1)
      refuse("lanes may take a loop that changes results a different number of times", at);
    carried_.changed |= (alike & cell.invariant) != cell.invariant;
    cell.invariant &= alike;
  }
}

std::string notAlike(const VarDecl *variable) {
  return "rows r and r + 8 of a tile are not treated alike" +
         (variable ? " in '" + variable->getNameAsString() + "'" : std::string());
}

void WaveRun::learn(CarriedCell &cell, const WaveValue &value, bool isEntry) {
  const CarriedCell before = cell;
  cell.rows |= value.rows;
  cell.invariant &= value.invariantBits();
  cell.isLoaded = value.loaded && (isEntry || cell.isLoaded);
  uint64_t name = 0;
  for (const uint64_t x : value.of)
    name = joined(name, x);
  if (layout_.isSymmetric)
    cell.color = joined(cell.color, name);
  carried_.changed |= before.rows != cell.rows || before.invariant != cell.invariant ||
                      before.isLoaded != cell.isLoaded;
}

bool WaveRun::isWritten(const CellKey &at) {
  return llvm::any_of(memory_[at.root], [&](const auto &cell) {
    return overlap(cell.first, cell.second.bytes, at.offset, at.bytes);
  });
}

// A pointer that is carried leads somewhere: where is not followed.
WaveValue WaveRun::carriedBy(const CellKey &at, const Stmt *loop) {
  Place place;
  place.isOwn = true;
  place.root = at.root;
  place.offset = at.offset;
  const Value value = readOwn(place, at.bytes);
  lose(value, loop);
  return value.pointee ? fresh() : value.wave;
}

// The state of a loop before any iteration: what it carries gets names.
void WaveRun::enter(const LoopKey &key, const std::set<CellKey> &assigned) {
  CarriedCells &cells = carried_.loops[key];
  Event event{key, key.first, {}, {}};
  for (const CellKey &at : assigned) {
    const auto [cell, isNew] = cells.try_emplace(at);
    if (isNew)
      carried_.changed = true;
    if (!isWritten(at)) { // yet: any value will do, that of a fragment that a turn will load, too
      cell->second.isLoaded |= isNew;
      continue;
    }
    const WaveValue value = carriedBy(at, key.first ? key.first : current_);
    if (cell->second.isStale)
      continue;
    event.cells[at] = value;
    if (!layout_.isExchanged)
      learn(cell->second, value, isNew);
  }
  if (!isRehearsal_)
    events.push_back(std::move(event));
  // A name for each thread but for the bits that do not matter.
  const uint64_t loop = joined(rootOf(key.first, nullptr), key.second);
  std::map<CellKey, WaveValue> names;
  for (const CellKey &at : assigned) {
    const CarriedCell &cell = cells[at];
    WaveValue value;
    const bool byColor = layout_.isSymmetric && cell.rows;
    const uint64_t id =
        byColor ? joined(0xc0102, cell.color) : joined(joined(at.root, at.offset), at.bytes);
    for (int t = 0; t < kWaveThreads; ++t)
      value.of[t] = joined(joined(loop, id), t & ~static_cast<int>(cell.invariant));
    value.rows = cell.rows;
    value.loaded = cell.isLoaded ? joined(loop, id) : 0;
    value.isStale = cell.isStale;
    names[at] = value;
  }
  for (const CellKey &at : assigned) {
    WaveValue value = names[at];
    const CarriedCell &cell = cells[at];
    if (layout_.isExchanged && cell.rows && !cell.isStale) {
      const auto moved =
          exchanged(at, cell, turnOf(layout_.turned, at.root), [&](const CellKey &other) {
            const auto it = names.find(other);
            return it == names.end() ? nullptr : &it->second;
          });
      if (moved)
        value = *moved;
    }
    Place place;
    place.isOwn = true;
    place.root = at.root;
    place.offset = at.offset;
    write(place, at.bytes, {value, {}}, nullptr);
  }
}

void WaveRun::snapshot(const LoopKey &key, const Stmt *at) {
  CarriedCells &cells = carried_.loops[key];
  for (const auto &[root, at] : carried_.stores)
    for (const auto &[offset, cell] : memory_[root])
      cells.try_emplace({root, offset, cell.bytes});
  Event event{key, at, {}, {}};
  for (auto &[where, cell] : cells) {
    const WaveValue value = carriedBy(where, at);
    if (cell.isStale)
      continue;
    event.cells[where] = value;
    if (value.isStale)
      refuse(notAlike(carried_.variables[where.root]), at);
    if (!layout_.isExchanged)
      learn(cell, value, false);
    if (value.isLost())
      refuse(kGivenOn, at);
    if (cell.rows == 3)
      refuse("rows r and r + 8 of a tile are mixed" +
                 (carried_.variables[where.root]
                      ? " in '" + carried_.variables[where.root]->getNameAsString() + "'"
                      : std::string()),
             at);
  }
  if (!isRehearsal_)
    events.push_back(std::move(event));
}

} // namespace layout_port::native
