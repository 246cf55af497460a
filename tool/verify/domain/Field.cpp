// See Field.h.
#include "domain/Field.h"

#include <cmath>

namespace layout_port::verify {

Field::Field(unsigned bits, uint64_t seed)
    : bits_(bits), fold_(bits == 8 ? 29 : 269), prime_((1u << bits) - fold_),
      top_((1u << bits) - 1), seed_(seed) {
  // Any residue but 0, 1 and -1; not of the seed, since programs keep constants.
  ln2_ = 2 + reduce(mix(0x6c6e32)) % (prime_ - 4);
}

uint32_t Field::addSpecial(uint32_t a, uint32_t b) const {
  if (a == nan() || b == nan())
    return nan();
  if (special(a) && special(b))
    return a == b ? a : nan();
  return special(a) ? a : b;
}

// The sign of a residue has no meaning; an infinity keeps the sign that the
// centred order gives the product.
uint32_t Field::mulSpecial(uint32_t a, uint32_t b) const {
  if (a == nan() || b == nan() || a == 0 || b == 0)
    return nan();
  return inf((ordinal(a) < 0) != (ordinal(b) < 0));
}

uint32_t Field::div(uint32_t a, uint32_t b) const {
  if (a == nan() || b == nan())
    return nan();
  if (special(b))
    return special(a) ? nan() : 0;
  if (b == 0)
    return a == 0 ? nan() : inf(ordinal(a) < 0);
  return special(a) ? mulSpecial(a, b) : mul(a, inverse(b));
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

uint32_t Field::fromInteger(int64_t value) const {
  return value < 0 ? neg(reduce(0 - uint64_t(value))) : reduce(uint64_t(value));
}

uint32_t Field::fromDouble(double value) const {
  if (std::isnan(value))
    return nan();
  if (std::isinf(value))
    return inf(value < 0);
  int exponent = 0;
  double mantissa = std::frexp(value, &exponent);
  uint32_t residue = fromInteger(int64_t(std::ldexp(mantissa, 53)));
  exponent -= 53;
  return reduce(uint64_t(residue) * powerOfTwo(exponent));
}

uint32_t Field::powerOfTwo(int exponent) const {
  return exponent < 0 ? power(inverse(2), uint64_t(-exponent)) : power(2, uint64_t(exponent));
}

uint32_t Field::fromConstant(double value) const {
  // Six significant digits: as the constant is written in most sources.
  constexpr double ln2 = 0.69314718055994531, tolerance = 1e-6;
  int exponent = 0;
  const double mantissa = std::fabs(std::frexp(value, &exponent)); // in [1/2, 1)
  const bool isLn2 = std::fabs(mantissa - ln2) < tolerance;
  const bool isLog2e = std::fabs(mantissa - 0.5 / ln2) < tolerance;
  if (!isLn2 && !isLog2e)
    return fromDouble(value);
  const uint32_t base = isLn2 ? ln2_ : mul(inverse(ln2_), inverse(2));
  const uint32_t result = mul(base, powerOfTwo(exponent));
  return value < 0 ? neg(result) : result;
}

uint32_t Field::random(uint32_t function, uint32_t x) const { return random(function, x, 0); }

uint32_t Field::random(uint32_t function, uint32_t x, uint32_t y) const {
  if (x == nan() || y == nan())
    return nan();
  return reduce(mix(mix(seed_ ^ (uint64_t(function) << 40)) ^ (uint64_t(y) << 20) ^ x) >> 8);
}

} // namespace layout_port::verify
