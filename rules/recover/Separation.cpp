#include "recover/Separation.h"

#include <algorithm>

namespace layout_port::recover {

// ---- Sums --------------------------------------------------------------------

bool ByNumber::operator()(const std::vector<Index> &a, const std::vector<Index> &b) const {
  return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end(),
                                      [](Index x, Index y) { return x->number < y->number; });
}

void Sum::add(const Monomial &monomial, uint64_t coefficient) {
  const auto at = terms.emplace(monomial, 0).first;
  at->second += coefficient;
  if (at->second == 0)
    terms.erase(at);
}

std::optional<uint64_t> Sum::constant() const {
  if (terms.empty())
    return 0;
  if (terms.size() == 1 && terms.begin()->first.empty())
    return terms.begin()->second;
  return std::nullopt;
}

Sum operator+(const Sum &a, const Sum &b) {
  Sum sum = a;
  for (const auto &[monomial, coefficient] : b.terms)
    sum.add(monomial, coefficient);
  return sum;
}

Sum scaled(const Sum &a, uint64_t by) {
  Sum sum;
  for (const auto &[monomial, coefficient] : a.terms)
    sum.add(monomial, coefficient * by);
  return sum;
}

Sum operator-(const Sum &a, const Sum &b) { return a + scaled(b, ~uint64_t(0)); }

Sum operator*(const Sum &a, const Sum &b) {
  Sum product;
  for (const auto &[x, m] : a.terms)
    for (const auto &[y, n] : b.terms) {
      Monomial both = x;
      both.insert(both.end(), y.begin(), y.end());
      std::sort(both.begin(), both.end(), ByNumber());
      product.add(both, m * n);
    }
  return product;
}

std::string toString(const IndexGraph &graph, const Assumption &assumption) {
  const std::string name = graph.toString(assumption.of);
  if (assumption.kind == Assumption::Kind::Aligned)
    return name + " is aligned to " + std::to_string(uint64_t(1) << assumption.bits) + " bytes";
  return name + " does not wrap around";
}

static void merge(std::vector<Assumption> &into, const std::vector<Assumption> &from) {
  for (const Assumption &a : from)
    if (std::find(into.begin(), into.end(), a) == into.end())
      into.push_back(a);
}

// ---- Facts about sums ----------------------------------------------------------

static unsigned trailingZeros(uint64_t x) {
  unsigned n = 0;
  while (n < 64 && !(x >> n & 1))
    ++n;
  return n;
}

unsigned Separation::zeroBitsOf(const Monomial &monomial, uint64_t coefficient) const {
  unsigned zeros = trailingZeros(coefficient);
  for (const Index atom : monomial)
    zeros += atom->zeroBits;
  return std::min(zeros, 64u);
}

Separation::Parts Separation::partsOf(const Sum &sum) const {
  Parts parts;
  for (const auto &[monomial, coefficient] : sum.terms) {
    const bool pure =
        std::all_of(monomial.begin(), monomial.end(), [](Index atom) { return atom->isPure(); });
    (pure ? parts.pure : parts.symbolic).add(monomial, coefficient);
    if (!pure)
      parts.zeroBits = std::min(parts.zeroBits, zeroBitsOf(monomial, coefficient));
  }
  return parts;
}

bool Separation::alignBase(Parts &parts, unsigned bits,
                           std::vector<Assumption> &assumptions) const {
  if (parts.zeroBits >= bits)
    return true;
  constexpr unsigned mostAssumed = 10; // 1024 bytes: the widest swizzle there is
  if (bits > mostAssumed)
    return false;
  std::vector<Assumption> needed;
  for (const auto &[monomial, coefficient] : parts.symbolic.terms) {
    if (zeroBitsOf(monomial, coefficient) >= bits)
      continue;
    if (monomial.size() != 1 || coefficient != 1 || monomial[0]->op != Op::Symbol ||
        !graph_.symbolAt(static_cast<SymbolId>(monomial[0]->value)).object)
      return false;
    needed.push_back({Assumption::Kind::Aligned, monomial[0], bits});
  }
  merge(assumptions, needed);
  parts.zeroBits = bits;
  return true;
}

std::optional<Range> Separation::rangeOf(const Sum &sum) const {
  const Wide big = Wide(1) << 60;
  Range total;
  for (const auto &[monomial, coefficient] : sum.terms) {
    const Wide c = static_cast<int64_t>(coefficient);
    Range r{c, c};
    for (const Index atom : monomial) {
      if (!r.within(-big, big) || !atom->range.within(-big, big))
        return std::nullopt;
      const Wide p[] = {r.least * atom->range.least, r.least * atom->range.most,
                        r.most * atom->range.least, r.most * atom->range.most};
      r = {*std::min_element(p, p + 4), *std::max_element(p, p + 4)};
    }
    total = {total.least + r.least, total.most + r.most};
  }
  if (!total.within(-big, big))
    return std::nullopt;
  return total;
}

// Constants come last, as people write them.
Index Separation::rebuild(const Sum &sum, IndexType type) {
  Index total = nullptr;
  const auto append = [&](const Monomial &monomial, uint64_t coefficient) {
    Index product = monomial.empty() ? graph_.constant(coefficient, type) : nullptr;
    for (const Index atom : monomial) {
      const Index factor = graph_.convert(atom, type);
      product = product ? graph_.mul(product, factor) : factor;
    }
    if (!monomial.empty() && coefficient != 1)
      product = graph_.mul(product, graph_.constant(coefficient, type));
    total = total ? graph_.add(total, product) : product;
  };
  for (const auto &[monomial, coefficient] : sum.terms)
    if (!monomial.empty())
      append(monomial, coefficient);
  const auto constant = sum.terms.find(Monomial());
  if (constant != sum.terms.end())
    append(constant->first, constant->second);
  return total ? total : graph_.constant(0, type);
}

// ---- Separating --------------------------------------------------------------

const Separated &Separation::of(Index e) {
  const auto found = known_.find(e);
  if (found != known_.end())
    return found->second;
  // Operands first, so that the recursion below is one step deep.
  std::vector<Index> stack = {e};
  while (!stack.empty()) {
    const Index n = stack.back();
    bool ready = true;
    for (const Index arg : n->args)
      if (arg && !known_.count(arg)) {
        stack.push_back(arg);
        ready = false;
      }
    if (!ready)
      continue;
    stack.pop_back();
    if (!known_.count(n)) {
      Separated separated = separate(n);
      known_.emplace(n, std::move(separated));
    }
  }
  return known_.at(e);
}

Separated Separation::atom(Index e) const {
  Separated one;
  if (e->isConstant())
    one.sum.add({}, e->value);
  else
    one.sum.add({e}, 1);
  return one;
}

Separated Separation::separate(Index e) {
  switch (e->op) {
  case Op::Constant:
  case Op::Variable:
  case Op::Symbol:
    return atom(e);
  case Op::Add:
  case Op::Sub:
  case Op::Mul:
  case Op::Shl:
    return separateSum(e);
  case Op::Convert:
    return separateConvert(e);
  default:
    break;
  }
  if (e->isPure())
    return atom(e);
  switch (e->op) {
  case Op::Select:
    return separateSelect(e);
  case Op::Eq:
  case Op::Ne:
  case Op::Lt:
  case Op::Le:
    return separateCompare(e);
  case Op::And:
  case Op::Or:
  case Op::Xor:
    return separateBits(e);
  case Op::Shr:
    return e->args[1]->isConstant() && e->args[1]->value < e->type.bits
               ? separateShiftRight(e, e->args[0], unsigned(e->args[1]->value))
               : atom(e);
  case Op::Rem:
    return separateRemainder(e);
  case Op::Div:
    return separateQuotient(e);
  case Op::Min:
  case Op::Max:
    return separateMinMax(e);
  default:
    return atom(e);
  }
}

// Whether the operation on the operands' ranges can leave the type.
static bool mayWrap(Index e) {
  if (e->type.isSigned || e->type.bits == 64)
    return false;
  const Range a = e->args[0]->range, b = e->args[1]->range, all = rangeOf(e->type);
  switch (e->op) {
  case Op::Add:
    return a.most + b.most > all.most;
  case Op::Sub:
    return a.least < b.most;
  case Op::Mul:
    return b.most != 0 && a.most > all.most / b.most;
  case Op::Shl:
    return !e->args[1]->isConstant() || a.most > all.most >> e->args[1]->value;
  default:
    return true;
  }
}

Separated Separation::separateSum(Index e) {
  constexpr size_t most = 256;
  const Separated &a = of(e->args[0]), &b = of(e->args[1]);
  Separated result;
  if (e->op == Op::Add)
    result.sum = a.sum + b.sum;
  else if (e->op == Op::Sub)
    result.sum = a.sum - b.sum;
  else if (e->op == Op::Shl) {
    if (!e->args[1]->isConstant() || e->args[1]->value >= e->type.bits)
      return atom(e);
    result.sum = scaled(a.sum, uint64_t(1) << e->args[1]->value);
  } else {
    if (a.sum.terms.size() * b.sum.terms.size() > most)
      return atom(e);
    result.sum = a.sum * b.sum;
  }
  if (result.sum.terms.size() > most)
    return atom(e);
  const bool exactOperands = a.exact && (b.exact || e->op == Op::Shl);
  result.exact = e->type.bits == 64 || (exactOperands && !mayWrap(e));
  result.assumptions = a.assumptions;
  merge(result.assumptions, b.assumptions);
  return result;
}

Separated Separation::separateConvert(Index e) {
  const Index from = e->args[0];
  Separated result = of(from);
  const Range all = recover::rangeOf(e->type);
  const bool fits = from->range.within(all.least, all.most);
  if (e->type.bits > from->type.bits && !result.exact) {
    // Neither modulus fits. Alone, numbers and uniform values can stay whole.
    const bool mixed = !from->isPure() && supportOf({from}).size() > 0;
    if (!mixed)
      return atom(e);
    merge(result.assumptions, {{Assumption::Kind::NoWrap, from, 0}});
    result.exact = true;
  }
  result.exact = e->type.bits == 64 || (result.exact && fits);
  return result;
}

Separated Separation::separateSelect(Index e) {
  const Separated &a = of(e->args[1]), &b = of(e->args[2]);
  const Separated &condition = of(e->args[0]);
  const Sum difference = a.sum - b.sum;
  if (difference.terms.size() > 64)
    return atom(e);
  Separated result;
  // A bool's own sum is exact: 0 or 1.
  result.sum = b.sum + condition.sum * difference;
  result.exact = e->type.bits == 64 || (a.exact && b.exact);
  result.assumptions = a.assumptions;
  merge(result.assumptions, b.assumptions);
  merge(result.assumptions, condition.assumptions);
  return result;
}

Separated Separation::separateCompare(Index e) {
  const Separated &a = of(e->args[0]), &b = of(e->args[1]);
  if (!a.exact || !b.exact || e->args[0]->type == kU64)
    return atom(e);
  const Parts parts = partsOf(a.sum - b.sum);
  if (!parts.symbolic.isZero())
    return atom(e);
  const Index difference = rebuild(parts.pure, kI64);
  Separated result = atom(graph_.binary(e->op, difference, graph_.constant(0, kI64)));
  result.assumptions = a.assumptions;
  merge(result.assumptions, b.assumptions);
  return result;
}

// (S + p) op q with q below the zero bits of S; and (S + p) & m with ~m below them.
std::optional<Separated> Separation::bitsOfSymbolicAndPure(Op op, const Separated &a, Index pure) {
  Parts parts = partsOf(a.sum);
  const bool keepsHigh = op != Op::And;
  const bool clearsLow = op == Op::And && pure->isConstant() &&
                         normalize(~pure->value, {pure->type.bits, false}) < (uint64_t(1) << 20);
  Wide most = pure->range.most;
  if (clearsLow)
    most = normalize(~pure->value, {pure->type.bits, false});
  else if (!pure->range.isNonNegative())
    return std::nullopt;
  unsigned bits = 0;
  while (most >> bits)
    ++bits;
  Separated result;
  result.assumptions = a.assumptions;
  if (!alignBase(parts, bits, result.assumptions))
    return std::nullopt;
  // A mask that clears low bits must keep all others, also in 64 bits.
  const Index q = clearsLow ? graph_.constant(~uint64_t(most), kI64) : graph_.convert(pure, kI64);
  const Index low = graph_.binary(op, rebuild(parts.pure, kI64), q);
  result.sum = of(low).sum;
  if (keepsHigh || clearsLow)
    result.sum = result.sum + parts.symbolic;
  result.exact = a.exact || (!keepsHigh && !clearsLow);
  return result;
}

// (H1 + l1) op (H2 + l2) = (H1 op H2) + (l1 op l2), all H multiples of 2^z, all l below it.
std::optional<Separated> Separation::bitsHighAndLow(Op op, const Separated &a, const Separated &b) {
  const unsigned z = std::min(partsOf(a.sum).zeroBits, partsOf(b.sum).zeroBits);
  const auto split = [&](const Sum &sum, Sum &high, Sum &low) {
    for (const auto &[monomial, coefficient] : sum.terms) {
      if (monomial.empty()) {
        high.add({}, z >= 64 ? 0 : coefficient >> z << z);
        low.add({}, z >= 64 ? coefficient : coefficient & ((uint64_t(1) << z) - 1));
      } else
        (zeroBitsOf(monomial, coefficient) >= z ? high : low).add(monomial, coefficient);
    }
    const auto range = rangeOf(low);
    return range && range->within(0, (Wide(1) << z) - 1);
  };
  Sum highA, lowA, highB, lowB;
  if (z == 0 || z >= 64 || !split(a.sum, highA, lowA) || !split(b.sum, highB, lowB))
    return std::nullopt;
  if (lowA.isZero() && lowB.isZero())
    return std::nullopt;
  const Index low = graph_.binary(op, rebuild(lowA, kI64), rebuild(lowB, kI64));
  Separated result;
  result.sum = of(low).sum;
  if (highA.isZero() || highB.isZero()) {
    if (op != Op::And)
      result.sum = result.sum + highA + highB;
  } else {
    const Index high = graph_.binary(op, rebuild(highA, kI64), rebuild(highB, kI64));
    result.sum = result.sum + of(high).sum;
  }
  result.exact = a.exact && b.exact;
  result.assumptions = a.assumptions;
  merge(result.assumptions, b.assumptions);
  return result;
}

Index Separation::pureOf(Index e) {
  if (e->isPure())
    return e;
  const Separated &separated = of(e);
  const Parts parts = partsOf(separated.sum);
  return separated.exact && parts.symbolic.isZero() && separated.assumptions.empty()
             ? graph_.convert(rebuild(parts.pure, kI64), e->type)
             : nullptr;
}

Separated Separation::separateBits(Index e) {
  const Index x = e->args[0], y = e->args[1];
  const Separated &a = of(x), &b = of(y);
  std::optional<Separated> result;
  if (const Index q = pureOf(y))
    result = bitsOfSymbolicAndPure(e->op, a, q);
  else if (const Index q = pureOf(x))
    result = bitsOfSymbolicAndPure(e->op, b, q);
  if (!result)
    result = bitsHighAndLow(e->op, a, b);
  if (!result)
    return atom(e);
  if (e->type.bits == 64)
    result->exact = true;
  return *result;
}

std::optional<Sum> Separation::shiftedDown(const Sum &sum, unsigned by) {
  Sum result;
  for (const auto &[monomial, coefficient] : sum.terms) {
    if (trailingZeros(coefficient) >= by) {
      result.add(monomial, static_cast<uint64_t>(static_cast<int64_t>(coefficient) >> by));
      continue;
    }
    Sum one;
    one.add(monomial, coefficient);
    result.add({graph_.binary(Op::Shr, rebuild(one, kI64), graph_.constant(by, kI64))}, 1);
  }
  return result;
}

// (S + p) >> s = (S >> s) + (p >> s), and the same for floor division by 2^s.
Separated Separation::separateShiftRight(Index e, Index a, unsigned by) {
  const Separated &from = of(a);
  if (!from.exact)
    return atom(e);
  Parts parts = partsOf(from.sum);
  Separated result;
  result.assumptions = from.assumptions;
  if (!alignBase(parts, by, result.assumptions))
    return atom(e);
  const Index low = graph_.binary(Op::Shr, rebuild(parts.pure, kI64), graph_.constant(by, kI64));
  result.sum = *shiftedDown(parts.symbolic, by) + of(low).sum;
  return result;
}

// n when the constant is 2^n.
static std::optional<unsigned> powerOfTwo(Index e) {
  if (!e->isConstant() || e->value == 0 || (e->value & (e->value - 1)))
    return std::nullopt;
  return trailingZeros(e->value);
}

// Whether every coefficient is a multiple of d.
static bool isMultiple(const Sum &sum, int64_t d) {
  return std::all_of(sum.terms.begin(), sum.terms.end(),
                     [&](const auto &term) { return static_cast<int64_t>(term.second) % d == 0; });
}

Separated Separation::separateRemainder(Index e) {
  const Index x = e->args[0], d = e->args[1];
  const Separated &a = of(x);
  if (!d->isConstant() || static_cast<int64_t>(d->value) <= 0 ||
      (e->type.isSigned && !x->range.isNonNegative()))
    return atom(e);
  if (powerOfTwo(d)) {
    const Index mask = graph_.constant(d->value - 1, e->type);
    if (auto low = bitsOfSymbolicAndPure(Op::And, a, mask))
      return *low;
    return atom(e);
  }
  const Parts parts = partsOf(a.sum);
  const auto range = rangeOf(parts.pure);
  if (!a.exact || !range || !range->isNonNegative() ||
      !isMultiple(parts.symbolic, static_cast<int64_t>(d->value)))
    return atom(e);
  Separated result =
      of(graph_.binary(Op::Rem, rebuild(parts.pure, kI64), graph_.constant(d->value, kI64)));
  merge(result.assumptions, a.assumptions);
  return result;
}

Separated Separation::separateQuotient(Index e) {
  const Index x = e->args[0], d = e->args[1];
  if (!d->isConstant() || static_cast<int64_t>(d->value) <= 0 ||
      (e->type.isSigned && !x->range.isNonNegative()))
    return atom(e);
  if (const auto by = powerOfTwo(d))
    return separateShiftRight(e, x, *by);
  const Separated &a = of(x);
  const Parts parts = partsOf(a.sum);
  const auto range = rangeOf(parts.pure);
  if (!a.exact || !range || !range->isNonNegative() ||
      !isMultiple(parts.symbolic, static_cast<int64_t>(d->value)))
    return atom(e);
  Separated result =
      of(graph_.binary(Op::Div, rebuild(parts.pure, kI64), graph_.constant(d->value, kI64)));
  for (const auto &[monomial, coefficient] : parts.symbolic.terms)
    result.sum.add(monomial, static_cast<uint64_t>(static_cast<int64_t>(coefficient) /
                                                   static_cast<int64_t>(d->value)));
  merge(result.assumptions, a.assumptions);
  return result;
}

// min(S + p, S + q) = S + min(p, q).
Separated Separation::separateMinMax(Index e) {
  const Separated &a = of(e->args[0]), &b = of(e->args[1]);
  const Parts x = partsOf(a.sum), y = partsOf(b.sum);
  if (!a.exact || !b.exact || e->type == kU64 || !(x.symbolic - y.symbolic).isZero())
    return atom(e);
  Separated result = of(graph_.binary(e->op, rebuild(x.pure, kI64), rebuild(y.pure, kI64)));
  result.sum = result.sum + x.symbolic;
  merge(result.assumptions, a.assumptions);
  merge(result.assumptions, b.assumptions);
  return result;
}

} // namespace layout_port::recover
