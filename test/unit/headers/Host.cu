// The host side of the small floats, run: conversions against their definitions.
#include <cmath>
#include <cstdio>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

static int failures = 0;
#define CHECK(condition, ...)                                                                      \
  if (!(condition)) {                                                                              \
    ++failures;                                                                                    \
    std::printf(__VA_ARGS__);                                                                      \
  }

// The value of a code by the formula of the OCP specification.
static float valueOf(int code, int exponentBits, int mantissaBits) {
  int bias = (1 << (exponentBits - 1)) - 1;
  int e = (code & 0x7f) >> mantissaBits, m = code & ((1 << mantissaBits) - 1);
  float value = e == 0 ? std::ldexp((float)m, 1 - bias - mantissaBits)
                       : std::ldexp((float)(m + (1 << mantissaBits)), e - bias - mantissaBits);
  return code & 0x80 ? -value : value;
}

static void fp8() {
  for (int code = 0; code < 256; ++code) {
    if ((code & 0x7f) != 0x7f) {
      float v = __half2float(__half(__nv_cvt_fp8_to_halfraw(code, __NV_E4M3)));
      CHECK(v == valueOf(code, 4, 3), "e4m3 %02x is %g\n", code, v);
      CHECK(__nv_cvt_float_to_fp8(v, __NV_SATFINITE, __NV_E4M3) == code, "e4m3 %g\n", v);
    }
    if ((code & 0x7f) < 0x7c) {
      float v = __half2float(__half(__nv_cvt_fp8_to_halfraw(code, __NV_E5M2)));
      CHECK(v == valueOf(code, 5, 2), "e5m2 %02x is %g\n", code, v);
      CHECK(__nv_cvt_float_to_fp8(v, __NV_SATFINITE, __NV_E5M2) == code, "e5m2 %g\n", v);
    }
  }
  // Midpoints go to the even code; beyond the range, satfinite or NaN and infinity.
  for (int code = 0; code < 0x7e; ++code) {
    float middle = (valueOf(code, 4, 3) + valueOf(code + 1, 4, 3)) / 2;
    int rounded = __nv_cvt_float_to_fp8(middle, __NV_SATFINITE, __NV_E4M3);
    CHECK(rounded == code + (code & 1), "e4m3 midpoint %g went to %02x\n", middle, rounded);
  }
  CHECK(__nv_cvt_float_to_fp8(1e6f, __NV_SATFINITE, __NV_E4M3) == 0x7e, "e4m3 saturates\n");
  CHECK(__nv_cvt_float_to_fp8(1e6f, __NV_NOSAT, __NV_E4M3) == 0x7f, "e4m3 overflows to NaN\n");
  CHECK(__nv_cvt_float_to_fp8(1e6f, __NV_NOSAT, __NV_E5M2) == 0x7c, "e5m2 overflows to inf\n");
}

static void halves() {
  CHECK(__half_as_ushort(__float2half(1.f)) == 0x3c00, "half 1\n");
  CHECK(__half_as_ushort(__float2half(65504.f)) == 0x7bff, "largest half\n");
  CHECK(__half_as_ushort(__float2half(1.f + 0x1p-11f)) == 0x3c00, "half ties to even\n");
  CHECK(__half_as_ushort(__float2half(1.f + 0x3p-11f)) == 0x3c02, "half ties to even, up\n");
  CHECK(__bfloat16_as_ushort(__float2bfloat16(1.f + 0x1p-8f)) == 0x3f80, "bfloat16 ties to even\n");
  CHECK(__bfloat16_as_ushort(__float2bfloat16(1.f + 0x3p-8f)) == 0x3f82, "bfloat16 ties up\n");
  half2 p = __floats2half2_rn(1.f, 2.f);
  CHECK(*reinterpret_cast<unsigned int *>(&p) == 0x40003c00u, "x is the low half\n");
  CHECK(__half2float(__hmax(__float2half(NAN), __float2half(3.f))) == 3.f, "hmax drops a NaN\n");
  CHECK(__hisnan(__hmax_nan(__float2half(NAN), __float2half(3.f))), "hmax_nan keeps a NaN\n");
  CHECK(__half2float(__hadd_sat(__float2half(0.75f), __float2half(0.5f))) == 1.f, "hadd_sat\n");
  CHECK(!__heq(__float2half(NAN), __float2half(NAN)), "heq is ordered\n");
  CHECK(__hequ(__float2half(NAN), __float2half(1.f)), "hequ is unordered\n");
  CHECK(__half2int_rn(__float2half(2.5f)) == 2, "half2int_rn ties to even\n");
  CHECK(__half2int_ru(__float2half(2.25f)) == 3, "half2int_ru\n");
}

int main() {
  fp8();
  halves();
  return failures != 0;
}
