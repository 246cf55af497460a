// Conversions between double and the payload bits of the float formats that GPUs
// use, rounding to nearest even.
//
// Formats: IEEE 754 binary16/32/64; bfloat16 (binary32 cut to 16 bits); fp8 as in
// the OCP 8-bit floating point specification (E4M3: no infinities, one NaN; E5M2:
// IEEE-like),
// https://www.opencompute.org/documents/ocp-8-bit-floating-point-specification-ofp8-revision-1-0-2023-12-01-pdf-1
// and the FNUZ variants that gfx942 uses (bias one higher, NaN is 0x80, no -0); fp4
// (E2M1: no infinities, no NaN) as in the OCP Microscaling Formats specification,
// https://www.opencompute.org/documents/ocp-microscaling-formats-mx-v1-0-spec-final-pdf
#pragma once

#include <cstdint>
#include <cstring>

namespace layout_port::verify {

enum class FloatFormat : uint8_t { None, F16, BF16, F32, F64, E4M3, E5M2, E4M3Fnuz, E5M2Fnuz, E2M1 };

constexpr unsigned floatBitsOf(FloatFormat format) {
  switch (format) {
  case FloatFormat::None:
    return 0;
  case FloatFormat::F16:
  case FloatFormat::BF16:
    return 16;
  case FloatFormat::F32:
    return 32;
  case FloatFormat::F64:
    return 64;
  case FloatFormat::E2M1:
    return 4;
  default:
    return 8;
  }
}
constexpr unsigned floatBytes(FloatFormat format) { return floatBitsOf(format) / 8; }

const char *toString(FloatFormat format); // "f16"
double decodeFloat(FloatFormat format, uint64_t bits);
// Saturating only where the format has no infinity.
uint64_t encodeFloat(FloatFormat format, double value);

template <class To, class From> To bitCast(From from) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  std::memcpy(&to, &from, sizeof(to));
  return to;
}

} // namespace layout_port::verify
