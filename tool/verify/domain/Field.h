// Arithmetic of the *field* domain: every float is an element of a prime field.
//
// A residue lives in the float's own payload, so loads, stores, packing and
// shuffles move it like any other bits:
//
//   payload of f16, bf16, f32, f64 = residue in [0, p)   p = 65267, fits 16 bits
//   payload when fp8 is in play    = residue in [0, p)   p = 227, fits 8 bits
//
// One prime serves every width of a run, so that conversions are the identity:
// a kernel's rounding disappears and only what it computes remains. Both primes
// are 2^bits - c with a small c (reduction is a few folds) and are safe primes
// (p = 2q + 1 with q prime: g^x has order q, see exponential()).
//
//   x = hi * 2^bits + lo  ≡  hi * c + lo   (mod 2^bits - c)
//
// The three highest payloads are no residues but NaN, +inf and -inf, which obey
// IEEE's rules: attention kernels start their maxima at -inf. Comparisons use the
// centred order -(p-1)/2 .. (p-1)/2, in which small constants compare as numbers
// do; |x|, min and max follow from it. That order is not the order of the reals:
// what hangs on it is reported as an assumption.
#pragma once

#include <cstdint>

namespace layout_port::verify {

class Field {
public:
  // bits: 16, or 8 when an 8-bit float format takes part. seed: of the fixed
  // random functions that stand for sqrt, log, tanh and the like.
  explicit Field(unsigned bits = 16, uint64_t seed = 1);

  uint32_t prime() const { return prime_; }
  unsigned bits() const { return bits_; }
  uint32_t nan() const { return top_; }
  uint32_t inf(bool negative) const { return top_ - 1 - negative; }
  bool special(uint32_t x) const { return x >= prime_; }

  // Any 64-bit value to its residue.
  uint32_t reduce(uint64_t x) const {
    while (x >> bits_)
      x = (x >> bits_) * fold_ + (x & top_);
    return x >= prime_ ? x - prime_ : x;
  }

  uint32_t add(uint32_t a, uint32_t b) const {
    return special(a) || special(b) ? addSpecial(a, b) : addFinite(a, b);
  }
  uint32_t neg(uint32_t a) const {
    if (special(a))
      return a == nan() ? a : inf(a == inf(false));
    return a ? prime_ - a : 0;
  }
  uint32_t sub(uint32_t a, uint32_t b) const { return add(a, neg(b)); }
  uint32_t mul(uint32_t a, uint32_t b) const {
    return special(a) || special(b) ? mulSpecial(a, b) : reduce(uint64_t(a) * b);
  }
  uint32_t div(uint32_t a, uint32_t b) const;

  // Position in the centred order; infinities lie outside, NaN is unordered.
  int32_t ordinal(uint32_t x) const {
    if (x == inf(false))
      return INT32_MAX;
    if (x == inf(true))
      return INT32_MIN;
    return x > prime_ / 2 ? int32_t(x) - int32_t(prime_) : int32_t(x);
  }
  bool less(uint32_t a, uint32_t b) const {
    return a != nan() && b != nan() && ordinal(a) < ordinal(b);
  }
  uint32_t abs(uint32_t x) const { return x != nan() && ordinal(x) < 0 ? neg(x) : x; }
  uint32_t max(uint32_t a, uint32_t b) const {
    return a == nan() ? b : b == nan() ? a : less(a, b) ? b : a;
  }
  uint32_t min(uint32_t a, uint32_t b) const {
    return a == nan() ? b : b == nan() ? a : less(b, a) ? b : a;
  }

  // A double is m * 2^e, a rational whose denominator is a power of two: exact.
  uint32_t fromDouble(double value) const;
  uint32_t fromInteger(int64_t value) const;
  uint32_t powerOfTwo(int exponent) const;

  // As fromDouble, but a float next to 2^k ln 2 or 2^k / ln 2 is taken for that
  // product: ln 2 is a residue of its own, so that exp2(x * log2e) is exp(x).
  uint32_t fromConstant(double value) const;
  uint32_t ln2() const { return ln2_; }

  // A fixed random function, the same for every caller with the same name.
  uint32_t random(uint32_t function, uint32_t x) const;
  uint32_t random(uint32_t function, uint32_t x, uint32_t y) const;

private:
  uint32_t addFinite(uint32_t a, uint32_t b) const {
    uint32_t sum = a + b;
    return sum >= prime_ ? sum - prime_ : sum;
  }
  uint32_t addSpecial(uint32_t a, uint32_t b) const;
  uint32_t mulSpecial(uint32_t a, uint32_t b) const;
  uint32_t power(uint32_t base, uint64_t exponent) const;
  uint32_t inverse(uint32_t x) const { return power(x, prime_ - 2); }

  unsigned bits_;
  uint32_t fold_, prime_, top_, ln2_;
  uint64_t seed_;
};

// A 64-bit mixing function (the finaliser of splitmix64), used wherever the tool
// needs reproducible random numbers.
inline uint64_t mix(uint64_t x) {
  x += 0x9e3779b97f4a7c15u;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

} // namespace layout_port::verify
