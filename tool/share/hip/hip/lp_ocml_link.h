// Bodies for the __ocml_* functions Clang's math header calls, for compile checks without ROCm's
// device library: an opaque value, so that the code around a call is compiled as if it were the real
// one. Nothing compiled with LAYOUT_PORT_CHECK is ever run.
#pragma once

#define LP_OCML(T, name, ...)                                                                      \
  extern "C" __device__ inline __attribute__((always_inline)) T __ocml_##name(__VA_ARGS__) {       \
    T result;                                                                                      \
    __asm__("; __ocml_" #name " is linked from ROCm" : "=v"(result));                              \
    return result;                                                                                 \
  }
#define LP_OCML_1(name) LP_OCML(float, name##_f32, float) LP_OCML(double, name##_f64, double)
#define LP_OCML_2(name)                                                                            \
  LP_OCML(float, name##_f32, float, float) LP_OCML(double, name##_f64, double, double)
#define LP_OCML_3(name)                                                                            \
  LP_OCML(float, name##_f32, float, float, float)                                                  \
  LP_OCML(double, name##_f64, double, double, double)
#define LP_OCML_4(name)                                                                            \
  LP_OCML(float, name##_f32, float, float, float, float)                                           \
  LP_OCML(double, name##_f64, double, double, double, double)
#define LP_OCML_OUT(name, from, to)                                                                \
  LP_OCML(float, name##_f32, float, __PRIVATE_AS from *)                                           \
  LP_OCML(double, name##_f64, double, __PRIVATE_AS to *)

LP_OCML_1(acos)
LP_OCML_1(acosh)
LP_OCML_1(asin)
LP_OCML_1(asinh)
LP_OCML_1(atan)
LP_OCML_1(atanh)
LP_OCML_1(cbrt)
LP_OCML_1(cos)
LP_OCML_1(cosh)
LP_OCML_1(cospi)
LP_OCML_1(i0)
LP_OCML_1(i1)
LP_OCML_1(erf)
LP_OCML_1(erfc)
LP_OCML_1(erfcinv)
LP_OCML_1(erfcx)
LP_OCML_1(erfinv)
LP_OCML_1(exp10)
LP_OCML_1(exp2)
LP_OCML_1(exp)
LP_OCML_1(expm1)
LP_OCML_1(j0)
LP_OCML_1(j1)
LP_OCML_1(lgamma)
LP_OCML_1(log10)
LP_OCML_1(log1p)
LP_OCML_1(log2)
LP_OCML_1(log)
LP_OCML_1(logb)
LP_OCML_1(ncdf)
LP_OCML_1(ncdfinv)
LP_OCML_1(rcbrt)
LP_OCML_1(rsqrt)
LP_OCML_1(sin)
LP_OCML_1(sinh)
LP_OCML_1(sinpi)
LP_OCML_1(tan)
LP_OCML_1(tanh)
LP_OCML_1(tgamma)
LP_OCML_1(y0)
LP_OCML_1(y1)
LP_OCML_1(sqrt_rte)
LP_OCML_1(sqrt_rtn)
LP_OCML_1(sqrt_rtp)
LP_OCML_1(sqrt_rtz)
LP_OCML_2(atan2)
LP_OCML_2(fdim)
LP_OCML_2(fmod)
LP_OCML_2(hypot)
LP_OCML_2(nextafter)
LP_OCML_2(pow)
LP_OCML_2(remainder)
LP_OCML_2(rhypot)
LP_OCML_2(add_rte)
LP_OCML_2(add_rtn)
LP_OCML_2(add_rtp)
LP_OCML_2(add_rtz)
LP_OCML_2(sub_rte)
LP_OCML_2(sub_rtn)
LP_OCML_2(sub_rtp)
LP_OCML_2(sub_rtz)
LP_OCML_2(mul_rte)
LP_OCML_2(mul_rtn)
LP_OCML_2(mul_rtp)
LP_OCML_2(mul_rtz)
LP_OCML_2(div_rte)
LP_OCML_2(div_rtn)
LP_OCML_2(div_rtp)
LP_OCML_2(div_rtz)
LP_OCML_3(fma_rte)
LP_OCML_3(fma_rtn)
LP_OCML_3(fma_rtp)
LP_OCML_3(fma_rtz)
LP_OCML_3(len3)
LP_OCML_3(rlen3)
LP_OCML_4(len4)
LP_OCML_4(rlen4)
LP_OCML_OUT(frexp, int, int)
LP_OCML_OUT(modf, float, double)
LP_OCML_OUT(sincos, float, double)
LP_OCML_OUT(sincospi, float, double)
LP_OCML(float, pown_f32, float, int)
LP_OCML(double, pown_f64, double, int)
LP_OCML(int, ilogb_f32, float)
LP_OCML(int, ilogb_f64, double)
LP_OCML(float, remquo_f32, float, float, __PRIVATE_AS int *)
LP_OCML(double, remquo_f64, double, double, __PRIVATE_AS int *)
LP_OCML(float, native_cos_f32, float)
LP_OCML(float, native_sin_f32, float)
LP_OCML(float, native_sqrt_f32, float)
LP_OCML(float, native_exp_f32, float)
LP_OCML(float, native_exp10_f32, float)
LP_OCML(float, native_log_f32, float)
LP_OCML(float, native_log2_f32, float)
LP_OCML(float, native_log10_f32, float)
#undef LP_OCML
#undef LP_OCML_1
#undef LP_OCML_2
#undef LP_OCML_3
#undef LP_OCML_4
#undef LP_OCML_OUT

#ifdef __HIP_DEVICE_COMPILE__
// What Clang makes of printf on the device.
extern "C" {
__device__ __attribute__((weak, used)) unsigned long __ockl_printf_begin(unsigned long version) {
  return version;
}
__device__ __attribute__((weak, used)) unsigned long
__ockl_printf_append_args(unsigned long descriptor, unsigned int count, unsigned long,
                          unsigned long, unsigned long, unsigned long, unsigned long,
                          unsigned long, unsigned long, unsigned int last) {
  return descriptor + count + last;
}
__device__ __attribute__((weak, used)) unsigned long
__ockl_printf_append_string_n(unsigned long descriptor, const char *text, unsigned long length,
                              unsigned int last) {
  return descriptor + (unsigned long)text + length + last;
}
}
#endif
