#include "recover/Index.h"

#include "recover/Separation.h"

#include <algorithm>
#include <array>

namespace layout_port::recover {

// ---- Values ------------------------------------------------------------------

uint64_t normalize(uint64_t value, IndexType type) {
  if (type.bits >= 64)
    return value;
  const int shift = 64 - type.bits;
  const uint64_t high = value << shift;
  return type.isSigned ? static_cast<uint64_t>(static_cast<int64_t>(high) >> shift) : high >> shift;
}

Range rangeOf(IndexType type) {
  const Wide one = 1;
  if (type.isSigned)
    return {-(one << (type.bits - 1)), (one << (type.bits - 1)) - 1};
  return {0, (one << type.bits) - 1};
}

static Wide asNumber(uint64_t value, IndexType type) {
  return type.isSigned ? Wide(static_cast<int64_t>(value)) : Wide(value);
}

static bool less(uint64_t a, uint64_t b, IndexType type) {
  return type.isSigned ? static_cast<int64_t>(a) < static_cast<int64_t>(b) : a < b;
}

static uint64_t shiftRight(uint64_t a, uint64_t by, IndexType type) {
  if (!type.isSigned)
    return by >= type.bits ? 0 : a >> by;
  return static_cast<uint64_t>(static_cast<int64_t>(a) >> std::min<uint64_t>(by, 63));
}

static uint64_t divide(uint64_t a, uint64_t b, IndexType type, bool remainder) {
  if (b == 0)
    return 0;
  if (!type.isSigned)
    return remainder ? a % b : a / b;
  const Wide x = static_cast<int64_t>(a), y = static_cast<int64_t>(b);
  return static_cast<uint64_t>(remainder ? x % y : x / y);
}

uint64_t apply(Op op, IndexType type, IndexType operand, uint64_t a, uint64_t b, uint64_t c) {
  switch (op) {
  case Op::Add:
    return normalize(a + b, type);
  case Op::Sub:
    return normalize(a - b, type);
  case Op::Mul:
    return normalize(a * b, type);
  case Op::Div:
    return normalize(divide(a, b, type, false), type);
  case Op::Rem:
    return normalize(divide(a, b, type, true), type);
  case Op::Shl:
    return b >= type.bits ? 0 : normalize(a << b, type);
  case Op::Shr:
    return shiftRight(a, b, type);
  case Op::And:
    return a & b;
  case Op::Or:
    return a | b;
  case Op::Xor:
    return normalize(a ^ b, type);
  case Op::Min:
    return less(a, b, operand) ? a : b;
  case Op::Max:
    return less(a, b, operand) ? b : a;
  case Op::Eq:
    return a == b;
  case Op::Ne:
    return a != b;
  case Op::Lt:
    return less(a, b, operand);
  case Op::Le:
    return !less(b, a, operand);
  case Op::Select:
    return a ? b : c;
  case Op::Convert:
    return normalize(a, type);
  case Op::Constant:
  case Op::Variable:
  case Op::Symbol:
    break;
  }
  return 0;
}

int Variable::bits() const {
  int n = 0;
  while (size > uint64_t(1) << n)
    ++n;
  return n;
}

bool Node::mentions(VariableId variable) const {
  return std::binary_search(support.begin(), support.end(), variable);
}

std::vector<VariableId> supportOf(const std::vector<Index> &expressions) {
  std::vector<VariableId> all;
  for (const Index e : expressions)
    if (e)
      all.insert(all.end(), e->support.begin(), e->support.end());
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

// ---- What is known of a node from its operands ---------------------------------

static unsigned trailingZeros(uint64_t value, unsigned bits) {
  unsigned n = 0;
  while (n < bits && !(value >> n & 1))
    ++n;
  return n;
}

// 2^k - 1, the least of that form that is not below x.
static Wide onesAbove(Wide x) {
  Wide ones = 0;
  while (ones < x)
    ones = ones * 2 + 1;
  return ones;
}

static Range clamped(Range r, IndexType type) {
  const Range all = rangeOf(type);
  if (r.within(all.least, all.most))
    return r;
  if (!type.isSigned)
    return all;
  return {std::clamp(r.least, all.least, all.most), std::clamp(r.most, all.least, all.most)};
}

static Range productRange(Range a, Range b) {
  // 64-bit factors may exceed 128 bits; such a product says nothing.
  const Wide big = Wide(1) << 62;
  if (!a.within(-big, big) || !b.within(-big, big))
    return {-(big * 2), big * 4};
  const Wide p[] = {a.least * b.least, a.least * b.most, a.most * b.least, a.most * b.most};
  return {*std::min_element(p, p + 4), *std::max_element(p, p + 4)};
}

static Range quotientRange(Range a, Range b, IndexType type) {
  if (!a.isNonNegative() || b.least < 1)
    return rangeOf(type);
  return {a.least / b.most, a.most / b.least};
}

static Range remainderRange(Range a, Range b, IndexType type) {
  if (b.least < 1)
    return rangeOf(type);
  if (!a.isNonNegative())
    return {std::max(a.least, 1 - b.most), std::max<Wide>(0, std::min(a.most, b.most - 1))};
  if (a.most < b.least)
    return a;
  return {0, std::min(a.most, b.most - 1)};
}

static Range bitsRange(Op op, Range a, Range b, IndexType type) {
  if (op == Op::And && (a.isNonNegative() || b.isNonNegative())) {
    if (a.isNonNegative() && b.isNonNegative())
      return {0, std::min(a.most, b.most)};
    return {0, a.isNonNegative() ? a.most : b.most};
  }
  if (a.isNonNegative() && b.isNonNegative())
    return {op == Op::Or ? std::max(a.least, b.least) : 0, onesAbove(std::max(a.most, b.most))};
  return rangeOf(type);
}

static Range shiftedRange(Op op, Range a, Index by, IndexType type) {
  if (!by->isConstant() || by->value >= type.bits)
    return op == Op::Shr && a.isNonNegative() ? Range{0, a.most} : rangeOf(type);
  if (op == Op::Shl)
    return clamped(productRange(a, {Wide(1) << by->value, Wide(1) << by->value}), type);
  return {a.least >> by->value, a.most >> by->value};
}

static Range rangeOf(const Node &n) {
  const Range a = n.args[0] ? n.args[0]->range : Range();
  const Range b = n.args[1] ? n.args[1]->range : Range();
  switch (n.op) {
  case Op::Add:
    return clamped({a.least + b.least, a.most + b.most}, n.type);
  case Op::Sub:
    return clamped({a.least - b.most, a.most - b.least}, n.type);
  case Op::Mul:
    return clamped(productRange(a, b), n.type);
  case Op::Div:
    return quotientRange(a, b, n.type);
  case Op::Rem:
    return remainderRange(a, b, n.type);
  case Op::Shl:
  case Op::Shr:
    return shiftedRange(n.op, a, n.args[1], n.type);
  case Op::And:
  case Op::Or:
  case Op::Xor:
    return bitsRange(n.op, a, b, n.type);
  case Op::Min:
    return {std::min(a.least, b.least), std::min(a.most, b.most)};
  case Op::Max:
    return {std::max(a.least, b.least), std::max(a.most, b.most)};
  case Op::Select:
    return {std::min(b.least, n.args[2]->range.least), std::max(b.most, n.args[2]->range.most)};
  case Op::Convert: {
    const Range all = rangeOf(n.type);
    return a.within(all.least, all.most) ? a : all;
  }
  default:
    return rangeOf(n.type);
  }
}

static unsigned zeroBitsOf(const Node &n) {
  const unsigned a = n.args[0] ? n.args[0]->zeroBits : 0;
  const unsigned b = n.args[1] ? n.args[1]->zeroBits : 0;
  const unsigned bits = n.type.bits;
  switch (n.op) {
  case Op::Add:
  case Op::Sub:
  case Op::Or:
  case Op::Xor:
  case Op::Rem:
  case Op::Min:
  case Op::Max:
    return std::min(a, b);
  case Op::And:
    return std::max(a, b);
  case Op::Mul:
    return std::min(bits, a + b);
  case Op::Shl:
    return n.args[1]->isConstant() ? std::min<uint64_t>(bits, a + n.args[1]->value) : a;
  case Op::Shr:
    return n.args[1]->isConstant() && n.args[1]->value < a ? a - unsigned(n.args[1]->value) : 0;
  case Op::Div:
    return n.args[1]->isConstant() && n.args[1]->value == uint64_t(1) << b && b < a ? a - b : 0;
  case Op::Select:
    return std::min(b, n.args[2]->zeroBits);
  case Op::Convert:
    return std::min(a, bits);
  default:
    return 0;
  }
}

void IndexGraph::describe(Node &node) const {
  switch (node.op) {
  case Op::Constant:
    node.range.least = node.range.most = asNumber(node.value, node.type);
    node.zeroBits = trailingZeros(node.value, node.type.bits);
    return;
  case Op::Variable: {
    const Variable &v = variables_[node.value];
    node.support = {static_cast<VariableId>(node.value)};
    node.hasEndless = !v.isFinite();
    node.range = {0, v.isFinite() ? Wide(v.size - 1) : rangeOf(node.type).most};
    return;
  }
  case Op::Symbol: {
    const Symbol &s = symbols_[node.value];
    node.support = s.varies;
    node.hasSymbol = true;
    node.range = s.least <= s.most ? Range{s.least, s.most} : rangeOf(s.type);
    node.zeroBits = s.zeroBits;
    return;
  }
  default:
    break;
  }
  std::vector<Index> args;
  for (const Index arg : node.args)
    if (arg) {
      args.push_back(arg);
      node.hasSymbol |= arg->hasSymbol;
      node.hasEndless |= arg->hasEndless;
    }
  node.support = supportOf(args);
  node.range = rangeOf(node);
  node.zeroBits = zeroBitsOf(node);
}

// ---- Making ------------------------------------------------------------------

IndexGraph::IndexGraph() = default;
IndexGraph::~IndexGraph() = default;

bool IndexGraph::Key::operator==(const Key &o) const {
  return op == o.op && type == o.type && value == o.value && args[0] == o.args[0] &&
         args[1] == o.args[1] && args[2] == o.args[2];
}

size_t IndexGraph::KeyHash::operator()(const Key &k) const {
  uint64_t h = uint64_t(k.op) * 131 + k.type.bits * 2 + k.type.isSigned;
  for (const uint64_t part : {k.value, uint64_t(k.args[0] ? k.args[0]->number + 1 : 0),
                              uint64_t(k.args[1] ? k.args[1]->number + 1 : 0),
                              uint64_t(k.args[2] ? k.args[2]->number + 1 : 0)})
    h = (h ^ part) * 0x9E3779B97F4A7C15ull, h ^= h >> 29;
  return h;
}

Index IndexGraph::make(Op op, IndexType type, uint64_t value, Index a, Index b, Index c) {
  const Key key{op, type, value, {a, b, c}};
  const auto found = known_.find(key);
  if (found != known_.end())
    return found->second;
  Node node;
  node.op = op;
  node.type = type;
  node.value = value;
  node.args[0] = a;
  node.args[1] = b;
  node.args[2] = c;
  node.number = static_cast<uint32_t>(nodes_.size());
  describe(node);
  if (op != Op::Constant && op != Op::Symbol && node.range.least == node.range.most)
    return constant(static_cast<uint64_t>(node.range.least), type);
  nodes_.push_back(std::move(node));
  return known_[key] = &nodes_.back();
}

Index IndexGraph::constant(uint64_t value, IndexType type) {
  return make(Op::Constant, type, normalize(value, type));
}

VariableId IndexGraph::addVariable(Variable variable) {
  variables_.push_back(std::move(variable));
  return static_cast<VariableId>(variables_.size() - 1);
}

Index IndexGraph::variable(VariableId id, IndexType type) { return make(Op::Variable, type, id); }

SymbolId IndexGraph::addSymbol(Symbol symbol) {
  std::sort(symbol.varies.begin(), symbol.varies.end());
  symbols_.push_back(std::move(symbol));
  return static_cast<SymbolId>(symbols_.size() - 1);
}

Index IndexGraph::symbol(SymbolId id) { return make(Op::Symbol, symbols_[id].type, id); }

Index IndexGraph::opaque(const std::string &name, IndexType type, const std::vector<Index> &of,
                         const std::string &reason) {
  Symbol symbol;
  symbol.name = name;
  symbol.type = type;
  symbol.varies = supportOf(of);
  symbol.reason = reason;
  return this->symbol(addSymbol(std::move(symbol)));
}

// A comparison that the ranges decide, or null.
Index IndexGraph::foldComparison(Op op, Index a, Index b) {
  const Range x = a->range, y = b->range;
  const bool apart = x.most < y.least || y.most < x.least;
  const auto answer = [&](bool yes) { return constant(yes, kBool); };
  if (op == Op::Eq && (a == b || apart))
    return answer(a == b);
  if (op == Op::Ne && (a == b || apart))
    return answer(a != b);
  if (op == Op::Lt && (x.most < y.least || x.least >= y.most || a == b))
    return answer(a != b && x.most < y.least);
  if (op == Op::Le && (x.most <= y.least || x.least > y.most || a == b))
    return answer(a == b || x.most <= y.least);
  return nullptr;
}

Index IndexGraph::foldArithmetic(Op op, Index a, Index b) {
  const bool constantB = b->isConstant();
  switch (op) {
  case Op::Add:
    return b->isConstant(0) ? a : a->isConstant(0) ? b : nullptr;
  case Op::Sub:
    return b->isConstant(0) ? a : a == b ? constant(0, a->type) : nullptr;
  case Op::Mul:
    if (a->isConstant(0) || b->isConstant(1))
      return a;
    return b->isConstant(0) || a->isConstant(1) ? b : nullptr;
  case Op::Div:
    if (b->isConstant(1))
      return a;
    return constantB && a->range.isNonNegative() && a->range.most < b->range.least
               ? constant(0, a->type)
               : nullptr;
  case Op::Rem:
    return constantB && a->range.isNonNegative() && a->range.most < b->range.least ? a : nullptr;
  case Op::Min:
    return a == b || a->range.most <= b->range.least ? a
           : b->range.most <= a->range.least         ? b
                                                     : nullptr;
  case Op::Max:
    return a == b || a->range.least >= b->range.most ? a
           : b->range.least >= a->range.most         ? b
                                                     : nullptr;
  default:
    return nullptr;
  }
}

// x = low + high, low < 2^k, high a multiple of 2^k:   x & (2^k - 1) = x % 2^k = low,
// x >> k = x / 2^k = high >> k, and (y * 2^k) >> k = y.
Index IndexGraph::foldHalf(Op op, Index a, Index b) {
  const bool shift = op == Op::Shr, divide = op == Op::Div || op == Op::Rem;
  if (!b->isConstant() || !a->range.isNonNegative() || (op != Op::And && !shift && !divide))
    return nullptr;
  const uint64_t size = shift ? uint64_t(1) << (b->value & 63) : b->value + (op == Op::And);
  if (size < 2 || (size & (size - 1)) || b->value >= uint64_t(1) << 31)
    return nullptr;
  const unsigned k = trailingZeros(size, 64);
  const bool wantsLow = op == Op::And || op == Op::Rem;
  if (a->op == Op::Mul && a->args[1]->isConstant(size) && !wantsLow &&
      a->args[0]->range.isNonNegative() && a->args[0]->range.most <= rangeOf(a->type).most >> k)
    return a->args[0];
  if (a->op != Op::Add || !a->isPure())
    return nullptr;
  for (int turn = 0; turn < 2; ++turn) {
    const Index low = a->args[turn], high = a->args[1 - turn];
    if (!low->range.isNonNegative() || high->zeroBits < k || !high->range.isNonNegative() ||
        low->range.most + high->range.most > rangeOf(a->type).most)
      continue;
    if (wantsLow)
      return binary(op, low, b);
    if (low->range.most < Wide(size))
      return binary(Op::Shr, high, constant(k, kU32));
  }
  return nullptr;
}

Index IndexGraph::foldBits(Op op, Index a, Index b) {
  if (a->isConstant() && op != Op::Shl && op != Op::Shr)
    std::swap(a, b);
  const uint64_t all = normalize(~uint64_t(0), a->type);
  if (const Index half = foldHalf(op, a, b))
    return half;
  switch (op) {
  case Op::Shl:
  case Op::Shr:
    return b->isConstant(0) ? a : nullptr;
  case Op::And:
    if (b->isConstant(0) || a == b)
      return b;
    // A mask of low ones that covers every value.
    if (b->isConstant(all) || (b->isConstant() && (b->value & (b->value + 1)) == 0 &&
                               a->range.isNonNegative() && a->range.most <= b->range.most))
      return a;
    return nullptr;
  case Op::Or:
    return b->isConstant(0) || a == b ? a : b->isConstant(all) ? b : nullptr;
  case Op::Xor:
    return b->isConstant(0) ? a : a == b ? constant(0, a->type) : nullptr;
  default:
    return nullptr;
  }
}

static bool isShift(Op op) { return op == Op::Shl || op == Op::Shr; }
static bool isComparison(Op op) {
  return op == Op::Eq || op == Op::Ne || op == Op::Lt || op == Op::Le;
}

Index IndexGraph::binary(Op op, Index a, Index b) {
  if (!isShift(op))
    b = convert(b, a->type);
  const IndexType type = isComparison(op) ? kBool : a->type;
  if (a->isConstant() && b->isConstant())
    return constant(apply(op, type, a->type, a->value, b->value, 0), type);
  Index folded = op == Op::Div || op == Op::Rem ? foldHalf(op, a, b) : nullptr;
  if (!folded)
    folded = foldArithmetic(op, a, b);
  if (!folded)
    folded = foldBits(op, a, b);
  if (!folded && isComparison(op))
    folded = foldComparison(op, a, b);
  return folded ? folded : make(op, type, 0, a, b);
}

Index IndexGraph::select(Index condition, Index a, Index b) {
  condition = truth(condition);
  if (condition->isConstant())
    return condition->value ? a : b;
  if (a == b)
    return a;
  b = convert(b, a->type);
  return make(Op::Select, a->type, 0, condition, a, b);
}

Index IndexGraph::convert(Index a, IndexType type) {
  if (a->type == type)
    return a;
  if (a->isConstant())
    return constant(a->value, type);
  // Towards the variables, where every value on the way fits: i32(u32(lane + 32 * warp)).
  const Range all = rangeOf(type);
  const auto fits = [&](Index e) { return e->range.within(all.least, all.most); };
  if (a->op == Op::Variable && fits(a))
    return variable(static_cast<VariableId>(a->value), type);
  if ((a->op == Op::Add || a->op == Op::Mul) && a->isPure() && fits(a) && fits(a->args[0]) &&
      fits(a->args[1]) && a->range.isNonNegative())
    return binary(a->op, convert(a->args[0], type), convert(a->args[1], type));
  // u32 -> i64 -> u64: a step that loses nothing can be left out.
  if (a->op == Op::Convert) {
    const Range middle = rangeOf(a->type);
    if (a->args[0]->range.within(middle.least, middle.most) || type.bits <= a->type.bits)
      return convert(a->args[0], type);
  }
  return make(Op::Convert, type, 0, a);
}

Index IndexGraph::truth(Index a) {
  return a->type == kBool ? a : binary(Op::Ne, a, constant(0, a->type));
}

Index IndexGraph::table(VariableId v, const std::vector<Index> &values) {
  const Index index = variable(v, kU32);
  std::vector<Index> level = values;
  for (int bit = 0; level.size() > 1; ++bit) {
    std::vector<Index> next;
    const Index set =
        truth(binary(Op::And, binary(Op::Shr, index, constant(bit, kU32)), constant(1, kU32)));
    for (size_t i = 0; i < level.size(); i += 2)
      next.push_back(i + 1 < level.size() ? select(set, level[i + 1], level[i]) : level[i]);
    level = std::move(next);
  }
  return level.front();
}

namespace {

// Nodes below a root, operands first, without recursion.
std::vector<Index> inOrder(Index root) {
  std::vector<Index> stack = {root}, order;
  std::unordered_map<Index, bool> seen;
  while (!stack.empty()) {
    const Index n = stack.back();
    stack.pop_back();
    if (seen[n])
      continue;
    seen[n] = true;
    order.push_back(n);
    for (const Index arg : n->args)
      if (arg)
        stack.push_back(arg);
  }
  std::sort(order.begin(), order.end(), [](Index a, Index b) { return a->number < b->number; });
  return order;
}

} // namespace

Index IndexGraph::instance(SymbolId id, const std::map<VariableId, Index> &by) {
  std::vector<Index> of;
  for (const VariableId v : symbols_[id].varies)
    of.push_back(by.count(v) ? by.at(v) : variable(v));
  Index &known = instances_[{id, of}];
  if (!known) {
    Symbol symbol = symbols_[id];
    symbol.varies = supportOf(of);
    known = this->symbol(addSymbol(std::move(symbol)));
  }
  return known;
}

Index IndexGraph::substitute(Index e, const std::map<VariableId, Index> &by) {
  std::unordered_map<Index, Index> done;
  const auto touched = [&](Index n) {
    return std::any_of(by.begin(), by.end(),
                       [&](const auto &entry) { return n->mentions(entry.first); });
  };
  if (!touched(e))
    return e;
  for (const Index n : inOrder(e)) {
    const auto arg = [&](int i) { return n->args[i] ? done.at(n->args[i]) : nullptr; };
    Index result = n;
    if (!touched(n))
      result = n;
    else if (n->op == Op::Variable)
      result = convert(by.at(static_cast<VariableId>(n->value)), n->type);
    else if (n->op == Op::Symbol) {
      // Another value of something unknown: unknown anew, and varying with what was put in.
      result = instance(static_cast<SymbolId>(n->value), by);
    } else if (n->op == Op::Select)
      result = select(arg(0), arg(1), arg(2));
    else if (n->op == Op::Convert)
      result = convert(arg(0), n->type);
    else
      result = binary(n->op, arg(0), arg(1));
    done[n] = result;
  }
  return done.at(e);
}

// ---- Evaluating --------------------------------------------------------------

uint64_t IndexGraph::evaluate(Index e, const Bindings &at) const {
  std::unordered_map<Index, uint64_t> values;
  const auto bound = [](const std::map<uint32_t, uint64_t> &map, uint64_t id) {
    const auto found = map.find(static_cast<uint32_t>(id));
    return found == map.end() ? 0 : found->second;
  };
  for (const Index n : inOrder(e)) {
    const auto arg = [&](int i) { return n->args[i] ? values.at(n->args[i]) : 0; };
    if (n->op == Op::Constant)
      values[n] = n->value;
    else if (n->op == Op::Variable)
      values[n] = normalize(bound(at.variables, n->value), n->type);
    else if (n->op == Op::Symbol)
      values[n] = normalize(bound(at.symbols, n->value), n->type);
    else
      values[n] = apply(n->op, n->type, n->args[0]->type, arg(0), arg(1), arg(2));
  }
  return values.at(e);
}

namespace {

// An expression as a list of steps over columns: each step computes a node for a block of
// joint values, small enough to stay in the cache.
class Tape {
public:
  static constexpr size_t kBlock = 256;

  Tape(const IndexGraph &graph, Index root, const std::vector<VariableId> &inputs)
      : order_(inOrder(root)), columns_(order_.size() * kBlock) {
    std::unordered_map<Index, size_t> place;
    for (const Index n : order_) {
      std::array<size_t, 3> args{};
      for (int i = 0; i < 3; ++i)
        args[i] = n->args[i] ? place.at(n->args[i]) : 0;
      args_.push_back(args);
      shifts_.push_back(n->op == Op::Variable ? place_(graph, inputs, n->value) : Field());
      place[n] = place.size();
    }
  }

  // The root at joint values first .. first + count - 1.
  const uint64_t *run(uint64_t first, size_t count) {
    for (size_t i = 0; i < order_.size(); ++i)
      step(i, first, count);
    return column(order_.size() - 1);
  }

private:
  struct Field {
    int offset = 0;
    uint64_t mask = 0;
  };

  static Field place_(const IndexGraph &graph, const std::vector<VariableId> &inputs,
                      uint64_t variable) {
    Field field;
    for (const VariableId v : inputs) {
      const int bits = graph.variableAt(v).bits();
      if (v == variable) {
        field.mask = (uint64_t(1) << bits) - 1;
        return field;
      }
      field.offset += bits;
    }
    return Field();
  }

  uint64_t *column(size_t i) { return columns_.data() + i * kBlock; }

  template <Op op> void fill(size_t i, size_t count) {
    const IndexType type = order_[i]->type, operand = order_[i]->args[0]->type;
    uint64_t *out = column(i);
    const uint64_t *a = column(args_[i][0]), *b = column(args_[i][1]), *c = column(args_[i][2]);
    for (size_t k = 0; k < count; ++k)
      out[k] = apply(op, type, operand, a[k], b[k], c[k]);
  }

  void step(size_t i, uint64_t first, size_t count) {
    switch (order_[i]->op) {
    case Op::Constant:
    case Op::Symbol:
      std::fill_n(column(i), count, order_[i]->value);
      return;
    case Op::Variable:
      for (size_t k = 0; k < count; ++k)
        column(i)[k] = (first + k) >> shifts_[i].offset & shifts_[i].mask;
      return;
// The operation is a constant inside each loop.
#define LP_FILL(name)                                                                              \
  case Op::name:                                                                                   \
    return fill<Op::name>(i, count);
      LP_FILL(Add)
      LP_FILL(Sub)
      LP_FILL(Mul)
      LP_FILL(Div)
      LP_FILL(Rem)
      LP_FILL(Shl)
      LP_FILL(Shr)
      LP_FILL(And)
      LP_FILL(Or)
      LP_FILL(Xor)
      LP_FILL(Min)
      LP_FILL(Max)
      LP_FILL(Eq)
      LP_FILL(Ne)
      LP_FILL(Lt)
      LP_FILL(Le)
      LP_FILL(Select)
      LP_FILL(Convert)
#undef LP_FILL
    }
  }

  std::vector<Index> order_;
  std::vector<std::array<size_t, 3>> args_;
  std::vector<Field> shifts_;
  std::vector<uint64_t> columns_;
};

} // namespace

std::vector<uint64_t> IndexGraph::evaluateAll(Index e,
                                              const std::vector<VariableId> &inputs) const {
  int bits = 0;
  for (const VariableId v : inputs)
    bits += variables_[v].bits();
  const uint64_t rows = uint64_t(1) << bits;
  Tape tape(*this, e, inputs);
  std::vector<uint64_t> values;
  values.reserve(rows);
  for (uint64_t first = 0; first < rows; first += Tape::kBlock) {
    const size_t count = std::min<uint64_t>(Tape::kBlock, rows - first);
    const uint64_t *block = tape.run(first, count);
    values.insert(values.end(), block, block + count);
  }
  return values;
}

Separation &IndexGraph::separation() {
  if (!separation_)
    separation_ = std::make_unique<Separation>(*this);
  return *separation_;
}

// ---- Printing ----------------------------------------------------------------

namespace {

struct Spelling {
  const char *text;
  int precedence; // higher binds tighter
};

Spelling spellingOf(Op op) {
  switch (op) {
  case Op::Mul:
    return {"*", 10};
  case Op::Div:
    return {"/", 10};
  case Op::Rem:
    return {"%", 10};
  case Op::Add:
    return {"+", 9};
  case Op::Sub:
    return {"-", 9};
  case Op::Shl:
    return {"<<", 8};
  case Op::Shr:
    return {">>", 8};
  case Op::Lt:
    return {"<", 7};
  case Op::Le:
    return {"<=", 7};
  case Op::Eq:
    return {"==", 6};
  case Op::Ne:
    return {"!=", 6};
  case Op::And:
    return {"&", 5};
  case Op::Xor:
    return {"^", 4};
  case Op::Or:
    return {"|", 3};
  case Op::Select:
    return {"?", 1};
  default:
    return {"", 20};
  }
}

std::string number(uint64_t value, IndexType type) {
  return type.isSigned ? std::to_string(static_cast<int64_t>(value)) : std::to_string(value);
}

class Printer {
public:
  explicit Printer(const IndexGraph &graph) : graph_(graph) {}

  std::string print(Index n, int outer) {
    if (++printed_ > most)
      return "...";
    switch (n->op) {
    case Op::Constant:
      return number(n->value, n->type);
    case Op::Variable:
      return graph_.variableAt(static_cast<VariableId>(n->value)).name;
    case Op::Symbol:
      return graph_.symbolAt(static_cast<SymbolId>(n->value)).name;
    case Op::Min:
    case Op::Max:
      return (n->op == Op::Min ? "min(" : "max(") + print(n->args[0], 0) + ", " +
             print(n->args[1], 0) + ")";
    case Op::Convert:
      return convert(n, outer);
    default:
      return operation(n, outer);
    }
  }

private:
  std::string convert(Index n, int outer) {
    const Range all = rangeOf(n->type), r = n->args[0]->range;
    if (r.within(all.least, all.most) || n->type.bits >= n->args[0]->type.bits)
      return print(n->args[0], outer);
    return std::string(n->type.isSigned ? "i" : "u") + std::to_string(n->type.bits) + "(" +
           print(n->args[0], 0) + ")";
  }

  std::string operation(Index n, int outer) {
    const auto [text, precedence] = spellingOf(n->op);
    std::string s;
    if (n->op == Op::Select)
      s = print(n->args[0], 2) + " ? " + print(n->args[1], 2) + " : " + print(n->args[2], 1);
    else
      s = print(n->args[0], precedence) + " " + text + " " + print(n->args[1], precedence + 1);
    return precedence < outer ? "(" + s + ")" : s;
  }

  static constexpr int most = 200;
  const IndexGraph &graph_;
  int printed_ = 0;
};

} // namespace

std::string IndexGraph::toString(Index e) const { return e ? Printer(*this).print(e, 0) : "?"; }

} // namespace layout_port::recover
