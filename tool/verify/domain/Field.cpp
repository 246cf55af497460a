// See Field.h.
#include "domain/Field.h"

#include <cmath>

namespace layout_port::verify {

Field::Field(unsigned bits, uint64_t seed, Algebra algebra, bool roundings)
    : bits_(bits), prime_(bits == 8 ? kNarrowPrime : kPrime), top_((1u << bits) - 1), seed_(seed),
      algebra_(algebra), roundings_(roundings) {
  plainEnd_ = algebra == Algebra::Residues ? prime_ : 0;
  if (algebra == Algebra::Degrees) {
    degrees_ = std::make_shared<DegreeTable>(prime_);
    return; // ln 2 is a constant
  }
  signs_ = std::make_shared<Signs>();
  // Any residue but 0, 1 and -1; not of the seed, since programs keep constants.
  ln2_ = 2 + reduce(mix(0x6c6e32)) % (prime_ - 4);
  if (algebra == Algebra::Shadowed) {
    residueMask_ = 0xffff;
    ln2_ |= uint32_t(2 + mix(0x6c6e33) % (order() - 4)) << 16;
  }
  // What functions multiply by of their own accord.
  for (const uint32_t positive : {1u, 2u, inverse(2), residue(ln2_), inverse(residue(ln2_))})
    knowSign(positive, false);
}

//===-- residues and IEEE's special values ---------------------------------===//

uint32_t Field::addResidues(uint32_t a, uint32_t b) const {
  if (!infinite(a) && !infinite(b))
    return addFinite(a, b);
  if (a == nan() || b == nan())
    return nan();
  if (infinite(a) && infinite(b))
    return a == b ? a : nan();
  return infinite(a) ? a : b;
}

uint32_t Field::negResidue(uint32_t a) const {
  if (infinite(a))
    return a == nan() ? a : inf(a == inf(false));
  return a ? prime_ - a : 0;
}

// The sign of a residue has no meaning where it is not known: then the centred order gives the
// product one, and the run says so.
uint32_t Field::mulResidues(uint32_t a, uint32_t b) const {
  if (!infinite(a) && !infinite(b))
    return reduce(uint64_t(a) * b);
  if (a == nan() || b == nan() || a == 0 || b == 0)
    return nan();
  return inf(negative(a) != negative(b));
}

bool Field::negative(uint32_t residue) const {
  if (infinite(residue))
    return residue == inf(true);
  const int8_t known = signs_->of[residue].load(std::memory_order_relaxed);
  if (known == 1 || known == -1)
    return known < 0;
  signs_->doubted.store(true, std::memory_order_relaxed);
  return ordinal(residue) < 0;
}

void Field::knowSign(uint32_t word, bool negative) const {
  const uint32_t x = residue(word);
  if (!signs_ || infinite(x) || x == 0)
    return;
  const auto set = [&](uint32_t residue, int8_t sign) {
    std::atomic<int8_t> &known = signs_->of[residue];
    const int8_t before = known.load(std::memory_order_relaxed);
    known.store(before == 0 || before == sign ? sign : 2, std::memory_order_relaxed);
  };
  set(x, negative ? -1 : 1);
  set(negResidue(x), negative ? 1 : -1);
}

void Field::knowProducts(uint32_t word, bool isNegative,
                         const std::vector<std::pair<uint32_t, bool>> &others) const {
  const uint32_t x = residue(word);
  if (!signs_ || infinite(x))
    return;
  for (const auto &[other, negative] : others)
    if (!infinite(residue(other)))
      knowSign(reduce(uint64_t(x) * residue(other)), negative != isNegative);
}

uint32_t Field::divResidues(uint32_t a, uint32_t b) const {
  if (a == nan() || b == nan())
    return nan();
  if (infinite(b))
    return infinite(a) ? nan() : 0;
  if (b == 0)
    return a == 0 ? nan() : inf(infinite(a) ? a == inf(true) : ordinal(a) < 0);
  if (infinite(a))
    return inf(negative(a) != negative(b));
  return mulResidues(a, inverse(b));
}

uint32_t Field::power(uint32_t base, uint64_t exponent) const {
  uint32_t result = 1;
  for (; exponent; exponent >>= 1) {
    if (exponent & 1)
      result = reduce(uint64_t(result) * base);
    base = reduce(uint64_t(base) * base);
  }
  return result;
}

//===-- the three algebras -------------------------------------------------===//

uint32_t Field::addSpecial(uint32_t a, uint32_t b) const {
  if (algebra_ == Algebra::Degrees)
    return degrees_->add(a, b);
  if (algebra_ == Algebra::Residues)
    return addResidues(a, b);
  const uint32_t x = a >> 16, y = b >> 16;
  return join(addResidues(residue(a), residue(b)),
              x == kSpent || y == kSpent ? kSpent : (x + y) % order());
}

uint32_t Field::negSpecial(uint32_t a) const {
  if (algebra_ == Algebra::Degrees)
    return a;
  if (algebra_ == Algebra::Residues)
    return negResidue(a);
  const uint32_t x = a >> 16;
  return join(negResidue(residue(a)), x == kSpent ? kSpent : (order() - x) % order());
}

uint32_t Field::mulSpecial(uint32_t a, uint32_t b) const {
  if (algebra_ == Algebra::Degrees)
    return degrees_->mul(a, b);
  if (algebra_ == Algebra::Residues)
    return mulResidues(a, b);
  const uint32_t x = a >> 16, y = b >> 16;
  return join(mulResidues(residue(a), residue(b)),
              x == kSpent || y == kSpent ? kSpent : uint32_t(uint64_t(x) * y % order()));
}

uint32_t Field::div(uint32_t a, uint32_t b) const {
  if (algebra_ == Algebra::Degrees)
    return degrees_->div(a, b);
  if (algebra_ == Algebra::Residues)
    return divResidues(a, b);
  const uint32_t x = a >> 16, y = b >> 16;
  const bool spends = x == kSpent || y == kSpent || y == 0;
  return join(divResidues(residue(a), residue(b)),
              spends ? kSpent : uint32_t(uint64_t(x) * shadowInverse(y) % order()));
}

// Modulo the prime q, by Fermat.
uint32_t Field::shadowInverse(uint32_t x) const {
  uint64_t result = 1, base = x;
  for (uint32_t exponent = order() - 2; exponent; exponent >>= 1) {
    if (exponent & 1)
      result = result * base % order();
    base = base * base % order();
  }
  return uint32_t(result);
}

// Small numbers keep their value, so that a constant may pass through 16 bits.
uint32_t Field::withShadow(uint32_t x) const {
  if (infinite(x))
    return x;
  const int32_t number = ordinal(x), limit = bits_ == 8 ? 16 : 1024;
  if (number >= -limit && number <= limit)
    return join(x, uint32_t(number + int32_t(order())) % order());
  return join(x, uint32_t(mix(seed_ ^ 0x736861646f77 ^ uint64_t(x) << 20) % order()));
}

// 4 is a square, so its powers are all squares: q of them.
uint32_t Field::exp(uint32_t id, uint32_t x) const {
  if (algebra_ == Algebra::Degrees)
    return degrees_->function(x, DegreeTable::constant, 2);
  if (x == inf(true))
    return 0;
  if (x == inf(false) || x == nan())
    return x;
  if (x == 0)
    return one();
  if (algebra_ == Algebra::Residues)
    return random(id, x);
  return join(spent(x) ? function(id, residue(x), 0) : power(4, x >> 16), kSpent);
}

//===-- constants and inputs -----------------------------------------------===//

uint32_t Field::fromUnsigned(uint64_t value) const {
  if (algebra_ == Algebra::Degrees)
    return DegreeTable::constant;
  const uint32_t word = reduce(value);
  return widens() ? join(word, uint32_t(value % order())) : word;
}

uint32_t Field::fromInteger(int64_t value) const {
  return value < 0 ? neg(fromUnsigned(0 - uint64_t(value))) : fromUnsigned(uint64_t(value));
}

uint32_t Field::fromDouble(double value) const {
  if (algebra_ == Algebra::Degrees)
    return DegreeTable::constant;
  if (std::isnan(value))
    return nan();
  if (std::isinf(value))
    return inf(value < 0);
  int exponent = 0;
  const double mantissa = std::frexp(value, &exponent);
  return mul(fromInteger(int64_t(std::ldexp(mantissa, 53))), powerOfTwo(exponent - 53));
}

uint32_t Field::powerOfTwo(int exponent) const {
  if (algebra_ == Algebra::Degrees)
    return DegreeTable::constant;
  const uint64_t size = uint64_t(std::abs(exponent));
  const uint32_t value = power(exponent < 0 ? inverse(2) : 2, size);
  if (!widens())
    return value;
  uint64_t shadow = 1;
  const uint64_t base = exponent < 0 ? shadowInverse(2) : 2;
  for (uint64_t i = 0; i < size; ++i)
    shadow = shadow * base % order();
  return join(value, uint32_t(shadow));
}

uint32_t Field::fromConstant(double value) const {
  if (algebra_ == Algebra::Degrees)
    return DegreeTable::constant;
  // Six significant digits: as the constant is written in most sources.
  constexpr double ln2 = 0.69314718055994531, tolerance = 1e-6;
  int exponent = 0;
  const double mantissa = std::fabs(std::frexp(value, &exponent)); // in [1/2, 1)
  const bool isLn2 = std::fabs(mantissa - ln2) < tolerance;
  const bool isLog2e = std::fabs(mantissa - 0.5 / ln2) < tolerance;
  if (!isLn2 && !isLog2e)
    return fromDouble(value);
  const uint32_t base = isLn2 ? ln2_ : div(powerOfTwo(-1), ln2_);
  const uint32_t result = mul(base, powerOfTwo(exponent));
  return value < 0 ? neg(result) : result;
}

uint32_t Field::fromRandom(uint64_t random, FloatFormat format) const {
  if (algebra_ == Algebra::Degrees)
    return DegreeTable::variable;
  return round(format, widen(reduce(random)));
}

//===-- random functions ---------------------------------------------------===//

uint32_t Field::function(uint32_t id, uint32_t x, uint32_t y) const {
  return reduce(mix(mix(seed_ ^ (uint64_t(id) << 40)) ^ (uint64_t(y) << 20) ^ x) >> 8);
}

uint32_t Field::random(uint32_t id, uint32_t x) const { return random(id, x, 0); }

uint32_t Field::random(uint32_t id, uint32_t x, uint32_t y) const {
  if (algebra_ == Algebra::Degrees)
    return degrees_->function(x, y);
  if (x == nan() || y == nan())
    return nan();
  return widen(function(id, residue(x), residue(y)));
}

//===-- roundings ----------------------------------------------------------===//

// A quarter of the residues, and small numbers, are taken to have the format: cut()
// leaves them alone, so that rounding twice is rounding once.
bool Field::fits(FloatFormat format, uint32_t size) const {
  return size <= (bits_ == 8 ? 8u : 256u) ||
         mix(0x726f756e64 ^ uint64_t(format) << 32 ^ size) % 4 == 0;
}

// Odd, as rounding to nearest is.
uint32_t Field::cut(FloatFormat format, uint32_t x) const {
  if (algebra_ == Algebra::Degrees || format == FloatFormat::F64 || infinite(residue(x)))
    return x;
  const bool negative = ordinal(x) < 0;
  const uint32_t size = negative ? negResidue(residue(x)) : residue(x);
  if (fits(format, size))
    return x;
  uint32_t result = size;
  for (unsigned i = 0; i < 256 && (result > prime_ / 2 || !fits(format, result)); ++i)
    result = function(0x8000 + i * 16 + uint32_t(format), size, 0);
  if (result > prime_ / 2)
    result = 1;
  return widen(negative ? negResidue(result) : result);
}

} // namespace layout_port::verify
