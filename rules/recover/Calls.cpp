// Calls: device functions and lambdas are walked in place; intrinsics are known by name.
#include "recover/Walk.h"

#include "clang/AST/Attr.h"
#include "llvm/ADT/StringSwitch.h"

using namespace clang;

namespace layout_port::recover {

static StringRef nameOf(const FunctionDecl *f) {
  return f && f->getIdentifier() ? f->getName() : StringRef();
}

Index Walk::call(const CallExpr *e) {
  const std::optional<Place> result = std::exchange(result_, std::nullopt);
  const Expr *outer = std::exchange(current_, e);
  const FunctionDecl *callee = e->getDirectCallee();
  Index value = nullptr;
  if (live())
    observer_->onCall(e, control_);
  if (const auto known = callee ? intrinsic(e, nameOf(callee)) : std::nullopt)
    value = *known;
  else if (const auto *method = dyn_cast_or_null<CXXMethodDecl>(callee);
           method && method->isTrivial() && isa<CXXOperatorCallExpr>(e) &&
           (method->isCopyAssignmentOperator() || method->isMoveAssignmentOperator())) {
    const Place from = record(e->getArg(1));
    const Place to = place(e->getArg(0));
    copyRecord(to, from);
    returnedPlace_ = to;
  } else if (const FunctionDecl *body = callee ? callee->getDefinition() : nullptr;
             body && mayWalk(body)) {
    result_ = result;
    value = walkFunction(e, body);
  } else {
    value = opaqueCall(e);
    if (result && result->object)
      lose(environment_[result->object->number], where(e) + "returned by a function not followed");
  }
  current_ = outer;
  return value;
}

// ---- Walking in place ----------------------------------------------------------

const Stmt *Walk::findGoto(const Stmt *s) {
  if (!s || isa<GotoStmt, IndirectGotoStmt>(s))
    return s;
  for (const Stmt *child : s->children())
    if (const Stmt *found = findGoto(child))
      return found;
  return nullptr;
}

bool Walk::mayWalk(const FunctionDecl *callee) const {
  constexpr size_t deepest = 40;
  if (!callee->hasBody() || callee->isDependentContext() || frames_.size() >= deepest)
    return false;
  for (const Frame &frame : frames_)
    if (frame.function == callee)
      return false;
  if (findGoto(callee->getBody()))
    return false;
  // The bodies of system headers compute data, but for a few that return indices.
  const SourceManager &sm = context_.getSourceManager();
  const QualType type = callee->getReturnType();
  return !sm.isInSystemHeader(sm.getExpansionLoc(callee->getLocation())) || typeOf(type) ||
         type->isReferenceType() || isa<CXXConversionDecl>(callee) || callee->getNumParams() == 0;
}

void Walk::bindParameters(const FunctionDecl *callee, llvm::ArrayRef<const Expr *> args) {
  std::vector<std::pair<const ValueDecl *, Place>> bound;
  for (unsigned i = 0; i < callee->getNumParams() && i < args.size(); ++i) {
    const ParmVarDecl *parameter = callee->getParamDecl(i);
    if (parameter->getType()->isReferenceType()) {
      bound.push_back({parameter, args[i]->isGLValue() ? place(args[i]) : materialize(args[i])});
      continue;
    }
    Place own;
    own.bytes = static_cast<unsigned>(sizeOf(parameter->getType()));
    own.object = newObject(parameter->getNameAsString(), parameter, Space::Local, own.bytes, 16);
    own.offset = number(0);
    if (const LambdaExpr *lambda = lambdaOf(args[i]))
      lambdas_[parameter] = lambda;
    initialize(own, parameter->getType(), args[i]);
    bound.push_back({parameter, own});
  }
  for (const auto &[parameter, place] : bound)
    bindings_[parameter] = place;
}

const LambdaExpr *Walk::lambdaOf(const Expr *e) {
  e = e->IgnoreUnlessSpelledInSource();
  if (const auto *lambda = dyn_cast<LambdaExpr>(e)) {
    if (!closures_.count(lambda))
      capture(lambda);
    return lambda;
  }
  if (const auto *name = dyn_cast<DeclRefExpr>(e)) {
    const auto known = lambdas_.find(name->getDecl());
    return known == lambdas_.end() ? nullptr : known->second;
  }
  return nullptr;
}

Index Walk::walkFunction(const CallExpr *e, const FunctionDecl *callee) {
  const Place outerThis = this_;
  Place newThis = this_;
  llvm::ArrayRef<const Expr *> args(e->getArgs(), e->getNumArgs());
  const LambdaExpr *lambda = nullptr;
  const std::optional<Place> result = std::exchange(result_, std::nullopt);
  if (const auto *operatorCall = dyn_cast<CXXOperatorCallExpr>(e);
      operatorCall && isa<CXXMethodDecl>(callee)) {
    lambda = lambdaOf(args[0]);
    if (!lambda)
      newThis = record(args[0]);
    args = args.drop_front();
  } else if (const auto *memberCall = dyn_cast<CXXMemberCallExpr>(e)) {
    const Expr *object = memberCall->getImplicitObjectArgument();
    lambda = lambdaOf(object);
    if (!lambda)
      newThis = object->getType()->isPointerType() ? pointee(rvalue(object), 0)
                : object->isGLValue()              ? place(object)
                                                   : record(object);
  }
  bindParameters(callee, args);
  std::vector<std::pair<const ValueDecl *, Place>> hidden;
  if (lambda)
    for (const auto &[variable, copy] : closures_[lambda].copies) {
      hidden.push_back({variable, placeOfVariable(variable)});
      bindings_[variable] = copy;
    }
  if (!lambda)
    this_ = newThis;
  Frame frame;
  frame.function = callee;
  frame.conditions = control_.conditions.size();
  frame.result = result;
  frames_.push_back(std::move(frame));
  control_.calls.push_back(e);
  std::vector<LoopFrame> loops;
  std::swap(loops, loopFrames_);
  const Flow flow = statement(callee->getBody());
  std::swap(loops, loopFrames_);
  if (flow == Flow::Next)
    frames_.back().returns.push_back({pathSince(frames_.back().conditions), nullptr, environment_});
  const Index value = resultOf(frames_.back(), callee->getReturnType(), e);
  control_.calls.pop_back();
  control_.conditions.resize(frames_.back().conditions);
  frames_.pop_back();
  this_ = outerThis;
  for (const auto &[variable, place] : hidden)
    bindings_[variable] = place;
  return value;
}

// One value and one memory of all the ways a function was left.
Index Walk::resultOf(Frame &frame, QualType type, const Stmt *at) {
  if (frame.returns.empty())
    return type->isVoidType() ? nullptr : unknown(type, at, "it does not return");
  Index value = frame.returns.back().value;
  environment_ = std::move(frame.returns.back().environment);
  for (size_t i = frame.returns.size() - 1; i-- > 0;) {
    Exit &exit = frame.returns[i];
    environment_ = merged(exit.condition, exit.environment, environment_, at);
    if (exit.value && value)
      value = graph.select(exit.condition, exit.value, value);
  }
  return value;
}

Index Walk::opaqueCall(const CallExpr *e) {
  std::vector<Index> of;
  bool onlyValues = true;
  for (const Expr *arg : e->arguments()) {
    const QualType type = arg->getType();
    if (arg->isGLValue() || type->isRecordType()) {
      const Place where = arg->isGLValue() ? place(arg) : record(arg);
      if (where.object && !type.isConstQualified() && arg->isGLValue())
        lose(environment_[where.object->number],
             this->where(e) + "changed by a function not followed");
      onlyValues = false;
      continue;
    }
    const Index value = rvalue(arg);
    if (value && type->isPointerType()) {
      const Place to = pointee(value, 0);
      if (to.object && !type->getPointeeType().isConstQualified() &&
          to.object->space == Space::Local)
        lose(environment_[to.object->number], where(e) + "changed by a function not followed");
      onlyValues = false;
    }
    if (value)
      of.push_back(value);
  }
  if (e->getType()->isVoidType() || e->getType()->isRecordType())
    return nullptr;
  const FunctionDecl *callee = e->getDirectCallee();
  const std::string reason =
      (callee ? callee->getNameAsString() : std::string("a call")) + "() is not followed";
  return opaque(e->getType(), textOf(e), onlyValues && callee ? of : everything(), e, reason);
}

// ---- Intrinsics ----------------------------------------------------------------

// %tid.x and its kin, by PTX name.
std::optional<Index> Walk::specialRegister(StringRef name) {
  const auto known = specials_.find(name.str());
  if (known != specials_.end())
    return known->second;
  const auto uniform = [&](const char *called, int64_t least, int64_t most) {
    Symbol symbol;
    symbol.name = called;
    symbol.type = kU32;
    symbol.least = least;
    symbol.most = most;
    return graph.symbol(graph.addSymbol(symbol));
  };
  const auto size = [&](unsigned n, const char *called) {
    return n ? graph.constant(n, kU32) : uniform(called, 1, 1024);
  };
  const int64_t wide = (int64_t(1) << 31) - 1, narrow = 65535;
  const Index thread = graph.convert(threads.thread(graph), kU32);
  const auto quotient = [&](Index a, unsigned by) {
    return graph.binary(Op::Div, a, graph.constant(std::max(1u, by), kU32));
  };
  const auto remainder = [&](Index a, unsigned by) {
    return by ? graph.binary(Op::Rem, a, graph.constant(by, kU32)) : a;
  };
  Index value = nullptr;
  if (name == "tid.x")
    value = remainder(thread, block.y == 1 && block.z == 1 ? 0 : block.x);
  else if (name == "tid.y")
    value = block.x ? remainder(quotient(thread, block.x), block.z == 1 ? 0 : block.y)
                    : graph.constant(0, kU32);
  else if (name == "tid.z")
    value = block.x && block.y ? quotient(thread, block.x * block.y) : graph.constant(0, kU32);
  else if (name == "laneid")
    value = graph.variable(threads.lane, kU32);
  else if (name == "warpid")
    value = graph.convert(threads.warp(graph), kU32);
  else if (name == "ntid.x")
    value = size(block.x, "blockDim.x");
  else if (name == "ntid.y")
    value = size(block.y, "blockDim.y");
  else if (name == "ntid.z")
    value = size(block.z, "blockDim.z");
  else if (name == "ctaid.x")
    value = uniform("blockIdx.x", 0, wide);
  else if (name == "ctaid.y")
    value = uniform("blockIdx.y", 0, narrow);
  else if (name == "ctaid.z")
    value = uniform("blockIdx.z", 0, narrow);
  else if (name == "nctaid.x")
    value = uniform("gridDim.x", 1, wide);
  else if (name == "nctaid.y")
    value = uniform("gridDim.y", 1, narrow);
  else if (name == "nctaid.z")
    value = uniform("gridDim.z", 1, narrow);
  else if (name == "warpsize" || name == "WARP_SZ")
    value = graph.constant(32, kU32);
  else
    return std::nullopt;
  specials_[name.str()] = value;
  return value;
}

// The lane that shfl reads (PTX ISA, shfl.sync): segments of `width` lanes; out of the
// segment, a lane reads itself.
//
//   first = lane & (32 - width)     last = first | (width - 1)
Index Walk::shuffle(const CallExpr *e, StringRef name) {
  const bool sync = name.ends_with("_sync");
  const unsigned first = sync ? 1 : 0;
  if (e->getNumArgs() < first + 2)
    return opaqueCall(e);
  if (sync)
    rvalue(e->getArg(0));
  const Index value = e->getArg(first)->getType()->isRecordType()
                          ? (statement(e->getArg(first)), nullptr)
                          : rvalue(e->getArg(first));
  Index by = rvalue(e->getArg(first + 1));
  Index width = e->getNumArgs() > first + 2 ? rvalue(e->getArg(first + 2)) : number(32, kI32);
  if (!by || !width)
    return opaqueCall(e);
  by = graph.binary(Op::And, graph.convert(by, kI32), number(31, kI32));
  width = graph.convert(width, kI32);
  const Index lane = graph.variable(threads.lane);
  const Index segment = graph.binary(Op::And, lane, graph.sub(number(32, kI32), width));
  const Index last = graph.binary(Op::Or, segment, graph.sub(width, number(1, kI32)));
  Index source = nullptr, inside = nullptr;
  if (name.contains("_xor")) {
    source = graph.binary(Op::Xor, lane, by);
    inside = graph.binary(Op::Le, source, last);
  } else if (name.contains("_up")) {
    source = graph.sub(lane, by);
    inside = graph.binary(Op::Le, segment, source);
  } else if (name.contains("_down")) {
    source = graph.add(lane, by);
    inside = graph.binary(Op::Le, source, last);
  } else {
    source =
        graph.binary(Op::Or, segment, graph.binary(Op::And, by, graph.sub(width, number(1, kI32))));
    inside = graph.constant(1, kBool);
  }
  source = graph.select(inside, source, lane);
  if (live())
    observer_->onShuffle({e, name.str(), source, outerLine(e)}, control_);
  if (!value)
    return nullptr;
  return fit(graph.substitute(value, {{threads.lane, source}}), e->getType());
}

static bool isOneOf(StringRef name, std::initializer_list<StringRef> names) {
  return llvm::is_contained(names, name);
}

std::optional<Index> Walk::intrinsic(const CallExpr *e, StringRef name) {
  StringRef special = name;
  if (special.consume_front("__nvvm_read_ptx_sreg_")) {
    std::string ptx = special.str();
    for (char &c : ptx)
      c = c == '_' ? '.' : c;
    if (const auto value = specialRegister(ptx))
      return fit(*value, e->getType());
    return opaque(e->getType(), ptx, everything(), e, "%" + ptx + " is not followed");
  }
  if (name.starts_with("__shfl"))
    return shuffle(e, name);
  if (name.starts_with("__cvta_") || isOneOf(name, {"__builtin_assume_aligned"}))
    return fit(rvalue(e->getArg(0)), e->getType());
  if (isOneOf(name, {"__builtin_expect", "__builtin_launder"}))
    return rvalue(e->getArg(0));
  if (isOneOf(name, {"__syncthreads", "__syncwarp", "__nvvm_barrier0", "__threadfence",
                     "__threadfence_block", "__barrier_sync"})) {
    if (live() && name == "__syncthreads")
      observer_->onBarrier(e, control_);
    return nullptr;
  }
  if (isOneOf(name, {"__any_sync", "__all_sync", "__ballot_sync", "__activemask", "__ballot",
                     "__any", "__all", "__reduce_add_sync", "__reduce_min_sync",
                     "__reduce_max_sync", "__reduce_and_sync", "__reduce_or_sync"}) ||
      name.starts_with("__nvvm_vote_")) {
    for (const Expr *arg : e->arguments())
      rvalue(arg);
    std::vector<Index> of = loopsNow();
    of.push_back(graph.variable(threads.pair));
    of.push_back(graph.variable(threads.wave));
    return opaque(e->getType(), textOf(e), of, e, name.str() + "() is known to the warp only");
  }
  if (isOneOf(name, {"__ldg", "__ldcg", "__ldca", "__ldcs", "__ldlu", "__ldcv"}) &&
      !e->getType()->isRecordType()) {
    const Index address = rvalue(e->getArg(0));
    return load(pointee(address, unsigned(sizeOf(e->getType()))), e->getType(), e);
  }
  if (name.starts_with("atomic") && e->getNumArgs() >= 2 &&
      e->getArg(0)->getType()->isPointerType()) {
    const Index address = rvalue(e->getArg(0));
    for (unsigned i = 1; i < e->getNumArgs(); ++i)
      statement(e->getArg(i));
    const auto bytes = unsigned(sizeOf(e->getArg(0)->getType()->getPointeeType()));
    store(pointee(address, bytes), nullptr, e, nullptr);
    return e->getType()->isVoidType() ? nullptr : unknown(e->getType(), e, "an atomic's result");
  }
  const auto type = typeOf(e->getType());
  if (!type || e->isGLValue() || e->getNumArgs() != 2)
    return std::nullopt;
  for (const Expr *arg : e->arguments())
    if (arg->isGLValue() || !typeOf(arg->getType()))
      return std::nullopt;
  if (isOneOf(name, {"min", "umin", "llmin", "ullmin", "max", "umax", "llmax", "ullmax"})) {
    const Index a = fit(rvalue(e->getArg(0)), e->getType());
    const Index b = fit(rvalue(e->getArg(1)), e->getType());
    return graph.binary(name.contains("min") ? Op::Min : Op::Max, a, b);
  }
  if (isOneOf(name, {"__mul24", "__umul24"}))
    return graph.mul(fit(rvalue(e->getArg(0)), e->getType()),
                     fit(rvalue(e->getArg(1)), e->getType()));
  return std::nullopt;
}

} // namespace layout_port::recover
