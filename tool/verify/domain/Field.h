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
// what hangs on it is reported as an assumption. An infinity times a residue needs
// the sign of a real number: it is known of constants and arguments, of their
// products, and of nothing else. -inf * (1 / 8) is -inf: were it +inf, a softmax whose
// masked scores are scaled would be NaN on both sides, and NaN is equal to NaN.
//
// Three algebras share the payloads, so that decoder, memory and machine know none
// of them:
//
//   Residues   as above; exp, log, ... are fixed random functions
//   Shadowed   a payload of 32 bits or more carries a second residue, modulo
//              q = (p - 1) / 2, in its upper half:
//                  word = x | x' << 16        exp(x, x') = g^x' mod p
//              g has order q, so exp(a + b) = exp(a) exp(b) holds: what a softmax
//              needs that is tiled otherwise than its source. The result of an exp
//              has no x' any more (it is spent): one exp on a path is followed.
//              Narrower payloads have no room; x' of theirs is a fixed random
//              function of x, which is all the same where inputs are concerned
//   Degrees    no values but bounds of their degrees, see Degrees.h
//
// Roundings: in each algebra a conversion to a narrower format may be a fixed random
// function too (that keeps what already has the format), to see where two programs
// round differently.
#pragma once

#include "domain/Degrees.h"
#include "domain/Ieee.h"

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace layout_port::verify {

enum class Algebra : uint8_t { Residues, Shadowed, Degrees };

class Field {
public:
  // bits: 16, or 8 when an 8-bit float format takes part. seed: of the fixed
  // random functions that stand for sqrt, log, tanh and the like.
  explicit Field(unsigned bits = 16, uint64_t seed = 1, Algebra algebra = Algebra::Residues,
                 bool roundings = false);

  uint32_t prime() const { return prime_; }
  unsigned bits() const { return bits_; }
  Algebra algebra() const { return algebra_; }
  bool tracksDegrees() const { return algebra_ == Algebra::Degrees; }
  DegreeTable &degrees() const { return *degrees_; }
  uint32_t nan() const { return top_; }
  uint32_t inf(bool negative) const { return top_ - 1 - negative; }
  // No plain residue: needs more than a sum or product modulo p.
  bool special(uint32_t x) const { return x >= plainEnd_; }
  uint32_t one() const {
    return algebra_ == Algebra::Residues ? 1 : algebra_ == Algebra::Shadowed ? 0x10001 : 0;
  }

  // A word without its shadow.
  uint32_t residue(uint32_t x) const { return x & residueMask_; }
  bool same(uint32_t a, uint32_t b) const { return residue(a) == residue(b); }
  // The word that a narrow payload (1 or 2 bytes) stands for, and back.
  bool widens() const { return algebra_ == Algebra::Shadowed; }
  uint32_t widen(uint32_t x) const { return widens() ? withShadow(x) : x; }
  // Whether the word is the result of an exp, whose exp cannot be followed.
  bool spent(uint32_t x) const { return widens() && (x >> 16) == kSpent; }

  // Any 64-bit value to its residue; by constants, which need no division.
  uint32_t reduce(uint64_t x) const { return uint32_t(bits_ == 8 ? x % kNarrowPrime : x % kPrime); }

  uint32_t add(uint32_t a, uint32_t b) const {
    return special(a) || special(b) ? addSpecial(a, b) : addFinite(a, b);
  }
  uint32_t neg(uint32_t a) const { return special(a) ? negSpecial(a) : a ? prime_ - a : 0; }
  uint32_t sub(uint32_t a, uint32_t b) const { return add(a, neg(b)); }
  uint32_t mul(uint32_t a, uint32_t b) const {
    return special(a) || special(b) ? mulSpecial(a, b) : reduce(uint64_t(a) * b);
  }
  uint32_t div(uint32_t a, uint32_t b) const;

  // Position in the centred order; infinities lie outside, NaN is unordered.
  int32_t ordinal(uint32_t word) const {
    const uint32_t x = residue(word);
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
    if (tracksDegrees())
      return degrees_->either(a, b);
    return a == nan() ? b : b == nan() ? a : less(a, b) ? b : a;
  }
  uint32_t min(uint32_t a, uint32_t b) const {
    if (tracksDegrees())
      return degrees_->either(a, b);
    return a == nan() ? b : b == nan() ? a : less(b, a) ? b : a;
  }

  // A double is m * 2^e, a rational whose denominator is a power of two: exact.
  uint32_t fromDouble(double value) const;
  uint32_t fromInteger(int64_t value) const;
  uint32_t fromUnsigned(uint64_t value) const;
  uint32_t powerOfTwo(int exponent) const;
  // An element of an input, from 64 random bits.
  uint32_t fromRandom(uint64_t random, FloatFormat format) const;

  // The sign of the real number that this residue stands for; and that of products of it with
  // those in `others`. Two numbers of one residue and different signs: no sign.
  void knowSign(uint32_t word, bool negative) const;
  void knowProducts(uint32_t word, bool negative,
                    const std::vector<std::pair<uint32_t, bool>> &others) const;
  // An infinity was multiplied by a residue of no known sign.
  bool doubtedASign() const { return signs_ && signs_->doubted; }

  // As fromDouble, but a float next to 2^k ln 2 or 2^k / ln 2 is taken for that
  // product: ln 2 is a residue of its own, so that exp2(x * log2e) is exp(x).
  uint32_t fromConstant(double value) const;
  uint32_t ln2() const { return ln2_; }
  // The same, whose sign is known from here on.
  uint32_t withSign(double value) const {
    const uint32_t word = fromConstant(value);
    knowSign(word, value < 0);
    return word;
  }

  // A fixed random function, the same for every caller with the same name.
  uint32_t random(uint32_t function, uint32_t x) const;
  uint32_t random(uint32_t function, uint32_t x, uint32_t y) const;
  // e^x: random(function, x) in Residues, g^x' in Shadowed.
  uint32_t exp(uint32_t function, uint32_t x) const;

  // Rounding to a format as a function of its own; the identity unless asked for.
  bool roundings() const { return roundings_; }
  uint32_t round(FloatFormat format, uint32_t x) const { return roundings_ ? cut(format, x) : x; }

private:
  // The largest of their sizes for which (p - 1) / 2 is a prime too.
  static constexpr uint32_t kPrime = 65267, kNarrowPrime = 227;
  static constexpr uint32_t kSpent = 0x7fff; // above every residue modulo q

  uint32_t addFinite(uint32_t a, uint32_t b) const {
    uint32_t sum = a + b;
    return sum >= prime_ ? sum - prime_ : sum;
  }
  uint32_t addSpecial(uint32_t a, uint32_t b) const;
  uint32_t mulSpecial(uint32_t a, uint32_t b) const;
  uint32_t negSpecial(uint32_t a) const;
  // On residues and IEEE's special values, whatever the algebra.
  bool infinite(uint32_t x) const { return x >= prime_; }
  uint32_t addResidues(uint32_t a, uint32_t b) const;
  uint32_t mulResidues(uint32_t a, uint32_t b) const;
  uint32_t negResidue(uint32_t a) const;
  uint32_t divResidues(uint32_t a, uint32_t b) const;
  bool negative(uint32_t residue) const;
  uint32_t power(uint32_t base, uint64_t exponent) const;
  uint32_t inverse(uint32_t x) const { return power(x, prime_ - 2); }
  // Shadows.
  uint32_t order() const { return (prime_ - 1) / 2; }
  uint32_t join(uint32_t residue, uint32_t shadow) const {
    return infinite(residue) ? residue : residue | shadow << 16;
  }
  uint32_t withShadow(uint32_t residue) const;
  uint32_t shadowInverse(uint32_t x) const;
  uint32_t cut(FloatFormat format, uint32_t x) const;
  bool fits(FloatFormat format, uint32_t residue) const;
  uint32_t function(uint32_t id, uint32_t x, uint32_t y) const;

  unsigned bits_;
  uint32_t prime_, top_, ln2_ = 0;
  uint32_t plainEnd_ = 0, residueMask_ = ~0u;
  uint64_t seed_;
  Algebra algebra_;
  bool roundings_;
  std::shared_ptr<DegreeTable> degrees_;
  // By residue: 1 and -1; 2 where two numbers disagree. Blocks run on several threads.
  struct Signs {
    std::array<std::atomic<int8_t>, 1 << 16> of{};
    std::atomic<bool> doubted{false};
  };
  std::shared_ptr<Signs> signs_;
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
