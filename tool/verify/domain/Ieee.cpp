// See Ieee.h.
#include "domain/Ieee.h"

#include <cmath>
#include <limits>

namespace layout_port::verify {

const char *toString(FloatFormat format) {
  static const char *const names[] = {"none", "f16",  "bf16",     "f32",     "f64",
                                      "e4m3", "e5m2", "e4m3fnuz", "e5m2fnuz", "e2m1"};
  return names[unsigned(format)];
}
namespace {

// sign | exponent | mantissa, with what each format does at its upper end.
struct Shape {
  unsigned exponentBits, mantissaBits;
  int bias;
  bool infinities; // exponent all ones is inf / NaN
  bool fnuz;       // NaN is the pattern of -0
  bool nan = true; // some pattern is NaN
  unsigned bits() const { return 1 + exponentBits + mantissaBits; }
  // The largest finite magnitude's bit pattern.
  uint64_t largest() const {
    uint64_t all = (uint64_t(1) << (exponentBits + mantissaBits)) - 1;
    if (infinities)
      return all - (uint64_t(1) << mantissaBits);
    return fnuz || !nan ? all : all - 1;
  }
};

Shape shapeOf(FloatFormat format) {
  switch (format) {
  case FloatFormat::F16:
    return {5, 10, 15, true, false};
  case FloatFormat::BF16:
    return {8, 7, 127, true, false};
  case FloatFormat::F32:
    return {8, 23, 127, true, false};
  case FloatFormat::E4M3:
    return {4, 3, 7, false, false};
  case FloatFormat::E5M2:
    return {5, 2, 15, true, false};
  case FloatFormat::E4M3Fnuz:
    return {4, 3, 8, false, true};
  case FloatFormat::E5M2Fnuz:
    return {5, 2, 16, false, true};
  case FloatFormat::E2M1:
    return {2, 1, 1, false, false, false};
  case FloatFormat::F64:
  case FloatFormat::None:
    break;
  }
  return {11, 52, 1023, true, false};
}

bool isNan(const Shape &shape, uint64_t bits, uint64_t magnitude) {
  if (shape.fnuz)
    return bits == uint64_t(1) << (shape.bits() - 1);
  return magnitude > shape.largest() + (shape.infinities ? 1 : 0);
}

} // namespace

double decodeFloat(FloatFormat format, uint64_t bits) {
  if (format == FloatFormat::F32)
    return bitCast<float>(uint32_t(bits));
  if (format == FloatFormat::F64)
    return bitCast<double>(bits);
  const Shape shape = shapeOf(format);
  bits &= (uint64_t(1) << shape.bits()) - 1;
  const bool negative = bits >> (shape.bits() - 1);
  const uint64_t magnitude = bits & ((uint64_t(1) << (shape.bits() - 1)) - 1);
  if (isNan(shape, bits, magnitude))
    return std::numeric_limits<double>::quiet_NaN();
  double value;
  const uint64_t exponent = magnitude >> shape.mantissaBits;
  const uint64_t mantissa = magnitude & ((uint64_t(1) << shape.mantissaBits) - 1);
  if (shape.infinities && magnitude > shape.largest())
    value = std::numeric_limits<double>::infinity();
  else if (exponent == 0)
    value = std::ldexp(double(mantissa), 1 - shape.bias - int(shape.mantissaBits));
  else
    value = std::ldexp(double(mantissa | uint64_t(1) << shape.mantissaBits),
                       int(exponent) - shape.bias - int(shape.mantissaBits));
  return negative ? -value : value;
}

uint64_t encodeFloat(FloatFormat format, double value) {
  if (format == FloatFormat::F64)
    return bitCast<uint64_t>(value);
  if (format == FloatFormat::F32)
    return bitCast<uint32_t>(float(value));
  const Shape shape = shapeOf(format);
  const uint64_t sign = uint64_t(std::signbit(value)) << (shape.bits() - 1);
  if (std::isnan(value)) // without a NaN: the largest
    return shape.fnuz ? uint64_t(1) << (shape.bits() - 1) : (uint64_t(1) << (shape.bits() - 1)) - 1;
  const double magnitude = std::fabs(value);
  // One unit in the last place, fixed below the smallest normal number.
  const int lowest = 1 - shape.bias;
  int exponent = lowest - 1;
  if (magnitude != 0 && !std::isinf(value))
    exponent = std::ilogb(magnitude);
  const int ulp = (exponent < lowest ? lowest : exponent) - int(shape.mantissaBits);
  uint64_t pattern;
  if (std::isinf(value)) {
    pattern = ~uint64_t(0);
  } else {
    // Adding the rounded mantissa to the exponent field carries where it must.
    uint64_t units = uint64_t(std::nearbyint(std::ldexp(magnitude, -ulp)));
    pattern =
        exponent < lowest ? units : (uint64_t(exponent - lowest) << shape.mantissaBits) + units;
  }
  if (pattern > shape.largest())
    pattern = shape.infinities ? shape.largest() + 1 : shape.largest();
  return shape.fnuz && pattern == 0 ? 0 : pattern | sign;
}

} // namespace layout_port::verify
