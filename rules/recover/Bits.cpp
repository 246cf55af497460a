#include "recover/Bits.h"

#include <algorithm>
#include <unordered_map>

namespace layout_port::recover {

namespace {

AffineBit constantBit(bool one) { return {0, one, true}; }

AffineBit exclusiveOr(AffineBit a, AffineBit b) {
  if (!a.known || !b.known)
    return AffineBit::unknown();
  return {a.mask ^ b.mask, a.one != b.one, true};
}

AffineBit inverse(AffineBit a) { return exclusiveOr(a, constantBit(true)); }

AffineBit conjunction(AffineBit a, AffineBit b) {
  if (a.is(false) || b.is(false))
    return constantBit(false);
  if (a.is(true))
    return b;
  if (b.is(true))
    return a;
  if (a.known && b.known && a.mask == b.mask)
    return a.one == b.one ? a : constantBit(false);
  return AffineBit::unknown();
}

AffineBit disjunction(AffineBit a, AffineBit b) {
  return inverse(conjunction(inverse(a), inverse(b)));
}

// c ? a : b = b ^ c & (a ^ b)
AffineBit choice(AffineBit c, AffineBit a, AffineBit b) {
  if (c.isConstant())
    return c.one ? a : b;
  const AffineBit difference = exclusiveOr(a, b);
  if (difference.is(false))
    return a;
  return exclusiveOr(b, conjunction(c, difference));
}

AffineBit majority(AffineBit a, AffineBit b, AffineBit c) {
  for (int turn = 0; turn < 3; ++turn) {
    if (a.isConstant())
      return a.one ? disjunction(b, c) : conjunction(b, c);
    if (a.known && b.known && a.mask == b.mask)
      return a.one == b.one ? a : c; // equal: that; opposite: the third decides
    const AffineBit first = a;
    a = b, b = c, c = first;
  }
  return AffineBit::unknown();
}

AffineBits fromNumber(uint64_t value) {
  AffineBits bits;
  for (int i = 0; i < 64; ++i)
    bits[i] = constantBit(value >> i & 1);
  return bits;
}

AffineBits unknownBits() {
  AffineBits bits;
  bits.fill(AffineBit::unknown());
  return bits;
}

AffineBits sum(const AffineBits &a, const AffineBits &b, bool carryIn) {
  AffineBits s;
  AffineBit carry = constantBit(carryIn);
  for (int i = 0; i < 64; ++i) {
    s[i] = exclusiveOr(exclusiveOr(a[i], b[i]), carry);
    carry = majority(a[i], b[i], carry);
  }
  return s;
}

AffineBits inverse(AffineBits a) {
  for (AffineBit &bit : a)
    bit = inverse(bit);
  return a;
}

// Bits above the type's width, as its signedness says.
void extend(AffineBits &bits, IndexType type) {
  for (int i = type.bits; i < 64; ++i)
    bits[i] = type.isSigned ? bits[type.bits - 1] : constantBit(false);
}

std::optional<uint64_t> numberOf(const AffineBits &bits) {
  uint64_t value = 0;
  for (int i = 0; i < 64; ++i) {
    if (!bits[i].isConstant())
      return std::nullopt;
    value |= uint64_t(bits[i].one) << i;
  }
  return value;
}

AffineBits shiftedLeft(const AffineBits &a, uint64_t by) {
  AffineBits s = fromNumber(0);
  for (uint64_t i = by; i < 64; ++i)
    s[i] = a[i - by];
  return s;
}

AffineBits shiftedRight(const AffineBits &a, uint64_t by, IndexType type) {
  AffineBits s;
  for (uint64_t i = 0; i < 64; ++i)
    s[i] = i + by < 64 ? a[i + by] : type.isSigned ? a[63] : constantBit(false);
  return s;
}

// a * n as a sum of shifted copies; runs of ones are one addition and one subtraction.
AffineBits product(const AffineBits &a, uint64_t n) {
  AffineBits total = fromNumber(0);
  for (int i = 0; i < 64 && n >> i;) {
    if (!(n >> i & 1)) {
      ++i;
      continue;
    }
    int end = i;
    while (end < 64 && n >> end & 1)
      ++end;
    if (end - i == 1) {
      total = sum(total, shiftedLeft(a, i), false);
    } else {
      total = sum(total, inverse(shiftedLeft(a, i)), true);
      if (end < 64)
        total = sum(total, shiftedLeft(a, end), false);
    }
    i = end;
  }
  return total;
}

bool isPowerOfTwo(uint64_t n) { return n && !(n & (n - 1)); }

int log2of(uint64_t n) {
  int bits = 0;
  while (n >>= 1)
    ++bits;
  return bits;
}

// The disjunction of many bits, affine when at most one of them is not constant.
AffineBit anyOf(const AffineBits &bits, int from) {
  AffineBit any = constantBit(false);
  for (int i = from; i < 64; ++i)
    any = disjunction(any, bits[i]);
  return any;
}

} // namespace

namespace {

class Walker {
public:
  Walker(const IndexGraph &graph, const std::vector<VariableId> &inputs)
      : graph_(graph), inputs_(inputs) {}

  const AffineBits &of(Index e) {
    const auto found = known_.find(e);
    if (found != known_.end())
      return found->second;
    std::vector<Index> stack = {e};
    while (!stack.empty()) {
      const Index n = stack.back();
      const size_t before = stack.size();
      for (const Index arg : n->args)
        if (arg && !known_.count(arg))
          stack.push_back(arg);
      if (stack.size() != before)
        continue;
      stack.pop_back();
      if (known_.count(n))
        continue;
      AffineBits bits = compute(n);
      extend(bits, n->type);
      // Bits above the range, and below the known zeros, are 0.
      if (n->range.isNonNegative())
        for (int i = 0; i < 64; ++i)
          if (n->range.most >> i == 0 || i < int(n->zeroBits))
            bits[i] = constantBit(false);
      known_.emplace(n, bits);
    }
    return known_.at(e);
  }

private:
  AffineBits leaf(Index n) const {
    if (n->op == Op::Constant)
      return fromNumber(n->value);
    AffineBits bits = unknownBits();
    int offset = 0;
    for (const VariableId v : inputs_) {
      const int width = graph_.variableAt(v).bits();
      if (n->op == Op::Variable && v == n->value) {
        bits = fromNumber(0);
        for (int i = 0; i < width; ++i)
          bits[i] = {uint64_t(1) << (offset + i), false, true};
      }
      offset += width;
    }
    return bits;
  }

  AffineBits compute(Index n) {
    if (!n->args[0])
      return leaf(n);
    const AffineBits &a = known_.at(n->args[0]);
    if (n->op == Op::Convert)
      return a;
    const AffineBits &b = known_.at(n->args[1]);
    switch (n->op) {
    case Op::Add:
      return sum(a, b, false);
    case Op::Sub:
      return sum(a, inverse(b), true);
    case Op::Mul:
      if (const auto factor = numberOf(b))
        return product(a, *factor);
      if (const auto factor = numberOf(a))
        return product(b, *factor);
      return unknownBits();
    case Op::Shl:
    case Op::Shr:
      return shift(n, a, b);
    case Op::Div:
    case Op::Rem:
      return divide(n, a, b);
    case Op::And:
      return zip(a, b, conjunction);
    case Op::Or:
      return zip(a, b, disjunction);
    case Op::Xor:
      return zip(a, b, exclusiveOr);
    case Op::Select: {
      const AffineBits &c = known_.at(n->args[2]);
      AffineBits bits;
      for (int i = 0; i < 64; ++i)
        bits[i] = choice(a[0], b[i], c[i]);
      return bits;
    }
    case Op::Min:
    case Op::Max:
      return unknownBits();
    default:
      return compare(n, a, b);
    }
  }

  template <typename F> static AffineBits zip(const AffineBits &a, const AffineBits &b, F f) {
    AffineBits bits;
    for (int i = 0; i < 64; ++i)
      bits[i] = f(a[i], b[i]);
    return bits;
  }

  static AffineBits shift(Index n, const AffineBits &a, const AffineBits &b) {
    const auto by = numberOf(b);
    if (!by)
      return unknownBits();
    if (n->op == Op::Shl)
      return *by < n->type.bits ? shiftedLeft(a, *by) : fromNumber(0);
    const uint64_t most = n->type.isSigned ? 63 : 64;
    return shiftedRight(a, *by >= n->type.bits ? most : *by, n->type);
  }

  static AffineBits divide(Index n, const AffineBits &a, const AffineBits &b) {
    const auto by = numberOf(b);
    if (!by || !isPowerOfTwo(*by) || !n->args[0]->range.isNonNegative())
      return unknownBits();
    if (n->op == Op::Div)
      return shiftedRight(a, log2of(*by), {64, false});
    return zip(a, fromNumber(*by - 1), conjunction);
  }

  // Equality, and order against a power of two of what is not negative.
  static AffineBits compare(Index n, const AffineBits &a, const AffineBits &b) {
    AffineBits bits = fromNumber(0);
    bits[0] = AffineBit::unknown();
    if (n->op == Op::Eq || n->op == Op::Ne) {
      const AffineBit differ = anyOf(zip(a, b, exclusiveOr), 0);
      bits[0] = n->op == Op::Ne ? differ : inverse(differ);
    } else if ((n->op == Op::Lt || n->op == Op::Le) && n->args[0]->range.isNonNegative() &&
               n->args[1]->range.isNonNegative()) {
      const bool orEqual = n->op == Op::Le;
      if (const auto most = numberOf(b)) // a < 2^k: no bit from k up
        bits[0] = isPowerOfTwo(*most + orEqual) ? inverse(anyOf(a, log2of(*most + orEqual)))
                                                : AffineBit::unknown();
      else if (const auto least = numberOf(a)) // 2^k - 1 < b: a bit from k up
        bits[0] = isPowerOfTwo(*least + !orEqual) ? anyOf(b, log2of(*least + !orEqual))
                                                  : AffineBit::unknown();
    }
    return bits;
  }

  const IndexGraph &graph_;
  const std::vector<VariableId> &inputs_;
  std::unordered_map<Index, AffineBits> known_;
};

} // namespace

AffineBits affineBits(const IndexGraph &graph, Index e, const std::vector<VariableId> &inputs) {
  return Walker(graph, inputs).of(e);
}

} // namespace layout_port::recover
