// Loops: an iteration is walked once, with its number t as a variable, and what it hands
// to the next gets a closed form over t:
//
//   i += s           i0 + t s             addr ^= f(t), few t     addr0 ^ F(t), a table
//   x = f(t)         t = 0 ? x0 : f(t-1)  s = (s + 1) % 3, s ^= 1 the orbit s0, s1, ... by t % p
//
// For that the body is walked a first time, in silence, with a symbol for the value of
// each carried variable at the iteration's start; comparing it with the value at the end
// tells the form. Whatever has none is unknown.
#include "recover/Walk.h"

#include <algorithm>

using namespace clang;

namespace layout_port::recover {

namespace {

// The variables that a piece of code may write, by name: assigned, incremented, passed by
// reference or by address, or output of an asm. Others are noticed when they change.
class Written {
public:
  explicit Written(const llvm::DenseMap<const ValueDecl *, const LambdaExpr *> &lambdas)
      : lambdas_(lambdas) {}

  void visit(const Stmt *s) {
    if (!s)
      return;
    if (const auto *b = dyn_cast<BinaryOperator>(s); b && b->isAssignmentOp())
      root(b->getLHS());
    if (const auto *u = dyn_cast<UnaryOperator>(s))
      if (u->isIncrementDecrementOp() || u->getOpcode() == UO_AddrOf)
        root(u->getSubExpr());
    if (const auto *c = dyn_cast<CallExpr>(s))
      call(c);
    if (const auto *a = dyn_cast<GCCAsmStmt>(s))
      for (unsigned i = 0; i < a->getNumOutputs(); ++i)
        root(a->getOutputExpr(i));
    for (const Stmt *child : s->children())
      visit(child);
  }

  std::vector<const ValueDecl *> decls;

private:
  void root(const Expr *e) {
    e = e->IgnoreParenCasts();
    while (true) {
      if (const auto *m = dyn_cast<MemberExpr>(e))
        e = m->getBase()->IgnoreParenCasts();
      else if (const auto *s = dyn_cast<ArraySubscriptExpr>(e))
        e = s->getBase()->IgnoreParenCasts();
      else
        break;
    }
    if (const auto *name = dyn_cast<DeclRefExpr>(e))
      if (std::find(decls.begin(), decls.end(), name->getDecl()) == decls.end())
        decls.push_back(name->getDecl());
  }

  void call(const CallExpr *c) {
    const FunctionDecl *callee = c->getDirectCallee();
    for (const Expr *arg : c->arguments()) {
      const auto *decay = dyn_cast<CastExpr>(arg->IgnoreParens());
      if (arg->isGLValue() || (decay && decay->getCastKind() == CK_ArrayToPointerDecay))
        root(arg);
      if (const auto *name = dyn_cast<DeclRefExpr>(arg->IgnoreParenCasts())) {
        const auto lambda = lambdas_.find(name->getDecl());
        if (lambda != lambdas_.end() && entered_.insert(lambda->second).second)
          visit(lambda->second->getBody());
      }
    }
    if (const auto *member = dyn_cast<CXXMemberCallExpr>(c))
      root(member->getImplicitObjectArgument());
    (void)callee;
  }

  const llvm::DenseMap<const ValueDecl *, const LambdaExpr *> &lambdas_;
  llvm::DenseSet<const LambdaExpr *> entered_;
};

bool mentionsAny(const std::map<Index, Index, ByNumber> &symbols, Index e) {
  std::vector<Index> stack = {e};
  llvm::DenseSet<Index> seen;
  while (!stack.empty()) {
    const Index n = stack.back();
    stack.pop_back();
    if (!seen.insert(n).second)
      continue;
    if (symbols.count(n))
      return true;
    for (const Index arg : n->args)
      if (arg)
        stack.push_back(arg);
  }
  return false;
}

} // namespace

Index Walk::replaceSymbols(Index e, const std::map<Index, Index, ByNumber> &by) {
  std::map<Index, Index, ByNumber> done = by;
  std::vector<Index> stack = {e};
  while (!stack.empty()) {
    const Index n = stack.back();
    bool ready = true;
    for (const Index arg : n->args)
      if (arg && !done.count(arg)) {
        stack.push_back(arg);
        ready = false;
      }
    if (!ready)
      continue;
    stack.pop_back();
    if (done.count(n))
      continue;
    const auto arg = [&](int i) { return done.at(n->args[i]); };
    if (!n->args[0])
      done[n] = n;
    else if (n->op == Op::Select)
      done[n] = graph.select(arg(0), arg(1), arg(2));
    else if (n->op == Op::Convert)
      done[n] = graph.convert(arg(0), n->type);
    else
      done[n] = graph.binary(n->op, arg(0), arg(1));
  }
  return done.at(e);
}

std::vector<Walk::Carried> Walk::carriedBy(const LoopParts &parts) {
  Written written(lambdas_);
  written.visit(parts.condition);
  written.visit(parts.step);
  written.visit(parts.body);
  std::vector<Carried> carried;
  llvm::DenseSet<unsigned> seen;
  for (const ValueDecl *decl : written.decls) {
    const auto bound = bindings_.find(decl);
    const Place place = bound == bindings_.end() ? Place() : bound->second;
    if (!place.object || !seen.insert(place.object->number).second)
      continue;
    if (place.object->space == Space::Parameter && !environment_.count(place.object->number)) {
      const QualType type = decl->getType();
      if (typeOf(type))
        write(environment_[place.object->number],
              {place.offset, place.bytes, parameterPart(place, type)});
    }
    const auto held = environment_.find(place.object->number);
    if (held == environment_.end())
      continue;
    for (const Write &w : held->second.writes)
      if (w.offset->isConstant())
        carried.push_back({place.object, w.offset, w.bytes, w.value, nullptr});
      else {
        carried.erase(std::remove_if(carried.begin(), carried.end(),
                                     [&](const Carried &c) { return c.object == place.object; }),
                      carried.end());
        lose(held->second, where(parts.at) + "it changes in the loop");
        break;
      }
  }
  return carried;
}

// One iteration: condition, body, step; with the environment that was set up.
Walk::LoopFrame Walk::runIteration(const LoopParts &parts, Index *condition) {
  const size_t depth = control_.conditions.size();
  LoopFrame frame;
  frame.conditions = depth;
  loopFrames_.push_back(std::move(frame));
  const auto test = [&] {
    if (parts.conditionVariable && parts.testsFirst && !isa<CXXForRangeStmt>(parts.at))
      declare(parts.conditionVariable);
    const Index value = parts.condition ? rvalue(parts.condition) : nullptr;
    *condition = value ? graph.truth(value) : nullptr;
  };
  if (parts.testsFirst) {
    test();
    if (isa<CXXForRangeStmt>(parts.at))
      declare(parts.conditionVariable);
    if (*condition && !(*condition)->isConstant())
      control_.conditions.push_back({*condition, parts.at, false});
  }
  const Flow flow = statement(parts.body);
  // Who continued meets those who reached the end.
  std::vector<Exit> &continues = loopFrames_.back().continues;
  if (flow == Flow::Gone && !continues.empty()) {
    environment_ = std::move(continues.back().environment);
    continues.pop_back();
  }
  for (size_t i = continues.size(); i-- > 0;)
    environment_ = merged(continues[i].condition, continues[i].environment, environment_, parts.at);
  if (parts.step)
    statement(parts.step);
  if (!parts.testsFirst)
    test();
  control_.conditions.resize(depth);
  control_.loops.back().hasBreak |= loopFrames_.back().hasBreak;
  LoopFrame ended = std::move(loopFrames_.back());
  loopFrames_.pop_back();
  return ended;
}

// ---- Closed forms --------------------------------------------------------------

// v0 + step * place, when the values run so; else a chain of selects over the place.
Index Walk::listed(const std::vector<Index> &values, Index place) {
  const IndexType type = values[0]->type;
  const uint64_t step = values.size() > 1 ? values[1]->value - values[0]->value : 0;
  bool runs = true;
  for (size_t i = 0; i < values.size(); ++i)
    runs &= normalize(values[0]->value + i * step, type) == values[i]->value;
  if (runs)
    return graph.add(graph.mul(graph.convert(place, type), graph.constant(step, type)), values[0]);
  Index value = values.back();
  for (size_t i = values.size() - 1; i-- > 0;)
    value = graph.select(graph.binary(Op::Eq, place, graph.constant(i)), values[i], value);
  return value;
}

// s0, f(s0), f(f(s0)), ... until a value comes again: a cycle (its place is t % p), or a
// run into a value that stays (16, 8, 4, 2, 1, 0, 0, ...).
Index Walk::orbit(const Carried &c, VariableId t) {
  constexpr size_t longest = 64;
  if (!c.before->isConstant())
    return nullptr;
  std::vector<Index> values = {c.before};
  const Index iteration = graph.variable(t);
  while (values.size() <= longest) {
    const Index next = replaceSymbols(c.after, {{c.placeholder, values.back()}});
    if (!next->isConstant())
      return nullptr;
    if (next == values.front())
      return listed(values, graph.binary(Op::Rem, iteration, graph.constant(values.size())));
    if (next == values.back()) {
      Index value = next;
      for (size_t i = values.size() - 1; i-- > 0;)
        value = graph.select(graph.binary(Op::Eq, iteration, graph.constant(i)), values[i], value);
      return value;
    }
    values.push_back(next);
  }
  return nullptr;
}

Index Walk::closedForm(const Carried &c, const std::map<Index, Index, ByNumber> &solved,
                       const std::vector<Carried> &all, VariableId t) {
  const IndexType type = c.before->type;
  const Index iteration = graph.variable(t);
  if (c.after == c.placeholder)
    return c.before;
  std::map<Index, Index, ByNumber> unsolved;
  for (const Carried &other : all)
    if (!solved.count(other.placeholder))
      unsolved[other.placeholder] = other.placeholder;
  const std::map<Index, Index, ByNumber> own = {{c.placeholder, c.placeholder}};
  unsolved.erase(c.placeholder);
  if (mentionsAny(unsolved, c.after))
    return nullptr;
  const Index after = replaceSymbols(c.after, solved);
  if (!mentionsAny(own, after)) // x = f(t), one iteration late
    return graph.select(graph.binary(Op::Eq, iteration, number(0, kI32)), c.before,
                        graph.substitute(after, {{t, graph.sub(iteration, number(1, kI32))}}));
  const auto sumOf = [&](Index e) { return graph.separation().of(e).sum; };
  const Index step = graph.separation().rebuild(sumOf(after) - sumOf(c.placeholder), type);
  if (!mentionsAny(own, step) && !step->mentions(t))
    return graph.add(c.before, graph.mul(graph.convert(iteration, type), step));
  Carried self = c;
  self.after = after;
  if (const Index cycle = orbit(self, t))
    return cycle;
  return recurrence(self, own, t);
}

// x ^= f(t) and x += f(t) over few iterations: prefix sums, as a table.
Index Walk::recurrence(const Carried &c, const std::map<Index, Index, ByNumber> &own,
                       VariableId t) {
  constexpr uint64_t most = 64;
  Index a = c.after;
  std::vector<IndexType> casts;
  Op op = Op::Xor;
  Index by = nullptr;
  if (a->op == Op::Xor && (a->args[0] == c.placeholder || a->args[1] == c.placeholder))
    by = a->args[0] == c.placeholder ? a->args[1] : a->args[0];
  else {
    op = Op::Add;
    by = graph.separation().rebuild(
        graph.separation().of(a).sum - graph.separation().of(c.placeholder).sum, c.before->type);
  }
  if (mentionsAny(own, by))
    return nullptr;
  if (!by->mentions(t)) // x ^= constant: there and back
    return graph.select(graph.truth(graph.binary(Op::And, graph.variable(t), number(1, kI32))),
                        graph.binary(Op::Xor, c.before, by), c.before);
  const uint64_t trips = graph.variableAt(t).size;
  if (trips == 0 || trips > most)
    return nullptr;
  std::vector<Index> prefix = {graph.constant(0, c.before->type)};
  for (uint64_t i = 0; i + 1 < trips; ++i)
    prefix.push_back(
        graph.binary(op, prefix.back(), graph.substitute(by, {{t, graph.constant(i)}})));
  return graph.binary(op, c.before, graph.table(t, prefix));
}

void Walk::solveCarried(std::vector<Carried> &carried, VariableId t) {
  std::map<Index, Index, ByNumber> solved;
  for (const Carried &c : carried)
    if (c.atStart)
      solved[c.placeholder] = c.atStart;
  for (bool progress = true; progress;) {
    progress = false;
    for (Carried &c : carried) {
      if (c.atStart || !c.after)
        continue;
      c.atStart = closedForm(c, solved, carried, t);
      if (!c.atStart)
        continue;
      solved[c.placeholder] = c.atStart;
      progress = true;
    }
  }
}

// How many iterations any thread makes at most, when the condition tells: the first t at
// which it holds for nobody.
std::optional<uint64_t> Walk::tripCount(Index condition, VariableId t) {
  constexpr uint64_t tried = 70;
  if (!condition)
    return std::nullopt;
  // c - s t > 0 or >= 0: solved.
  const bool strict = condition->op == Op::Lt;
  if ((strict || condition->op == Op::Le) && condition->isPureBut(t)) {
    const Sum rest = graph.separation().of(condition->args[1]).sum -
                     graph.separation().of(condition->args[0]).sum;
    int64_t constant = 0, step = 0;
    bool plain = graph.separation().of(condition->args[0]).exact &&
                 graph.separation().of(condition->args[1]).exact;
    Wide most = 0;
    for (const auto &[monomial, coefficient] : rest.terms) {
      const auto c = static_cast<int64_t>(coefficient);
      if (monomial.empty())
        constant = c;
      else if (monomial.size() == 1 && monomial[0]->op == Op::Variable && monomial[0]->value == t)
        step = c;
      else if (monomial.size() == 1 && monomial[0]->isPure())
        most += std::max(Wide(c) * monomial[0]->range.least, Wide(c) * monomial[0]->range.most);
      else
        plain = false;
    }
    if (plain && step < 0) {
      const Wide left = most + constant + (strict ? 0 : 1); // runs while left - t |step| > 0
      const Wide by = -Wide(step);
      return left <= 0 ? 0 : static_cast<uint64_t>((left + by - 1) / by);
    }
  }
  for (uint64_t n = 0; n < tried; ++n) {
    const Index now = graph.substitute(condition, {{t, graph.constant(n)}});
    const auto value = constantValue(graph, now);
    if (!value && !now->isPure())
      return std::nullopt;
    if (value && *value == 0)
      return n;
  }
  return std::nullopt;
}

// ---- Running -------------------------------------------------------------------

static std::string nameOfLoop(const Stmt *at, const std::string &carriedName) {
  if (const auto *f = dyn_cast<ForStmt>(at)) {
    if (const auto *init = dyn_cast_or_null<DeclStmt>(f->getInit()))
      if (init->isSingleDecl())
        if (const auto *v = dyn_cast<VarDecl>(init->getSingleDecl()))
          return v->getNameAsString();
  }
  return carriedName.empty() ? "t" : carriedName;
}

Walk::Flow Walk::loop(const LoopParts &parts) {
  std::vector<Carried> carried = carriedBy(parts);
  const Environment before = environment_;
  const size_t depth = control_.conditions.size();
  const std::string called =
      nameOfLoop(parts.at, carried.size() == 1 ? carried[0].object->name : "");

  // In silence, with placeholders.
  const VariableId t0 = graph.addVariable({called, 0, Role::Loop});
  Index condition = nullptr;
  LoopFrame silent;
  for (int round = 0; round < 3; ++round) {
    environment_ = before;
    for (Carried &c : carried) {
      Symbol symbol;
      symbol.name = c.object->name;
      symbol.type = c.before->type;
      c.placeholder = graph.symbol(graph.addSymbol(symbol));
      write(environment_[c.object->number], {c.offset, c.bytes, c.placeholder});
    }
    ++muted_;
    control_.loops.push_back({t0, parts.at, nullptr, Uniformity::Divergent, false});
    const std::vector<Exit> returns =
        frames_.empty() ? std::vector<Exit>() : frames_.back().returns;
    silent = runIteration(parts, &condition);
    if (!frames_.empty())
      frames_.back().returns = returns;
    control_.loops.pop_back();
    --muted_;
    control_.conditions.resize(depth);
    if (!addSurprises(carried, before))
      break;
  }
  for (Carried &c : carried) {
    std::string reason;
    c.after = read(graph, environment_[c.object->number], c.offset, c.bytes, {t0}, reason);
    if (c.after)
      c.after = graph.convert(c.after, c.before->type);
  }
  solveCarried(carried, t0);

  // The trip count, and with it the loop's variable.
  std::map<Index, Index, ByNumber> closed;
  for (const Carried &c : carried)
    if (c.atStart)
      closed[c.placeholder] = c.atStart;
  const Index test = condition ? replaceSymbols(condition, closed) : nullptr;
  std::optional<uint64_t> trips;
  if (parts.testsFirst)
    trips = tripCount(test, t0);
  else if (const auto again = tripCount(test, t0))
    trips = *again + 1; // the body comes before the test
  constexpr uint64_t widest = 1u << 20;
  const bool finite = trips && *trips <= widest && !silent.hasBreak;
  if (finite && *trips == 0) {
    environment_ = before;
    return Flow::Next;
  }
  const uint64_t size = trips && *trips <= widest && *trips > 0 ? *trips : 0;
  const VariableId t = graph.addVariable({called, size, Role::Loop});
  const Index tIndex = graph.variable(t);
  std::vector<Carried> again = carried;
  for (Carried &c : again) {
    if (c.after)
      c.after = graph.substitute(c.after, {{t0, tIndex}});
    c.atStart = c.atStart ? graph.substitute(c.atStart, {{t0, tIndex}}) : nullptr;
  }
  solveCarried(again, t); // tables need the count
  LoopScope scope;
  scope.variable = t;
  scope.at = parts.at;
  scope.condition = test ? graph.substitute(test, {{t0, tIndex}}) : nullptr;
  for (Index &exit : silent.exits)
    exit = replaceSymbols(exit, closed);
  scope.trips = tripUniformity(test, silent.exits, t0, size);
  scope.hasBreak = silent.hasBreak;
  if (live() && parts.condition)
    observer_->onBranch({parts.at, scope.condition, scope.trips, true, outerLine(parts.at)},
                        control_);

  // For good.
  environment_ = before;
  for (Carried &c : again) {
    if (!c.atStart) {
      std::vector<Index> of = everything();
      of.push_back(tIndex);
      c.atStart = graph.opaque(c.object->name, c.before->type, of,
                               where(parts.at) + c.object->name +
                                   " changes in the loop in a way that has no closed form");
    }
    write(environment_[c.object->number], {c.offset, c.bytes, c.atStart});
  }
  control_.loops.push_back(scope);
  Index ignored = nullptr;
  const LoopFrame walked = runIteration(parts, &ignored);
  control_.loops.pop_back();
  control_.conditions.resize(depth);
  if (walked.hasReturn)
    noteReturns(walked.exits, parts);
  leaveLoop(parts, again, before, t,
            finite && scope.trips == Uniformity::Uniform ? trips : std::nullopt, test);
  return Flow::Next;
}

// Objects that changed though nothing said so: from then on they are carried too, or lost.
bool Walk::addSurprises(std::vector<Carried> &carried, const Environment &before) {
  bool any = false;
  for (const auto &[number, contents] : before) {
    const auto now = environment_.find(number);
    const bool known =
        std::any_of(carried.begin(), carried.end(),
                    [&, n = number](const Carried &c) { return c.object->number == n; });
    if (known || (now != environment_.end() && now->second == contents))
      continue;
    for (const Write &w : contents.writes)
      if (w.offset->isConstant()) {
        carried.push_back({&objects_[number], w.offset, w.bytes, w.value, nullptr});
        any = true;
      }
  }
  return any;
}

Uniformity Walk::tripUniformity(Index test, const std::vector<Index> &exits, VariableId t0,
                                uint64_t size) {
  // All iterations and the test that ends the loop.
  const VariableId all = graph.addVariable({"t", size ? size + 1 : 0, Role::Loop});
  Uniformity worst = Uniformity::Uniform;
  std::vector<Index> tests = exits;
  if (test)
    tests.push_back(test);
  for (const Index e : tests)
    worst = std::max(worst,
                     uniformity(graph, graph.substitute(e, {{t0, graph.variable(all)}}), threads));
  return worst;
}

// Who returned from inside the loop is missing behind it.
void Walk::noteReturns(const std::vector<Index> &exits, const LoopParts &parts) {
  std::vector<Index> of;
  for (const VariableId v : supportOf(exits))
    if (graph.variableAt(v).role != Role::Loop)
      of.push_back(graph.variable(v));
  control_.conditions.push_back(
      {graph.truth(opaque(context_.BoolTy, "returned", of, parts.at, "left by return in the loop")),
       parts.at, true});
}

// After the loop: what was carried has the value that the next iteration would have seen;
// what iterations wrote at places of their own stays; the rest is as the last one left it.
void Walk::leaveLoop(const LoopParts &parts, const std::vector<Carried> &carried,
                     const Environment &before, VariableId t, std::optional<uint64_t> trips,
                     Index test) {
  const std::map<VariableId, Index> last = {
      {t, trips ? graph.constant(*trips - 1) : graph.constant(0)}};
  for (auto &[number, contents] : environment_) {
    const auto old = before.find(number);
    if (old != before.end() && old->second == contents)
      continue;
    // How often it ran is not known, or not the same for all: nothing is certain.
    if (!trips) {
      lose(contents, where(parts.at) + "it changes in the loop");
      continue;
    }
    for (Write &w : contents.writes)
      if (!w.offset->mentions(t))
        w.value = graph.substitute(w.value, last);
  }
  for (const Carried &c : carried) {
    if (c.after == c.placeholder) {
      write(environment_[c.object->number], {c.offset, c.bytes, c.before});
      continue;
    }
    Index value = nullptr;
    if (trips && c.atStart)
      value = graph.substitute(c.atStart, {{t, graph.constant(*trips)}});
    else {
      std::vector<Index> of = loopsNow();
      std::vector<Index> own = {c.before, c.atStart};
      if (test)
        own.push_back(test);
      for (const VariableId v : supportOf(own))
        if (v != t && graph.variableAt(v).role != Role::Loop)
          of.push_back(graph.variable(v));
      value = graph.opaque(c.object->name, c.before->type, of,
                           where(parts.at) + c.object->name + " is what the loop left");
    }
    write(environment_[c.object->number], {c.offset, c.bytes, value});
  }
}

} // namespace layout_port::recover
