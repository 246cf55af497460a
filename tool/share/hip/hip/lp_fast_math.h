// The fast forms of the math functions, as the functions they approximate.
#pragma once
#undef __expf
#undef __exp10f
#undef __logf
#undef __log2f
#undef __log10f
#undef __sinf
#undef __cosf
#undef __tanf
#undef __sincosf
#undef __powf
#define LP_FAST(name) static __forceinline__ __device__ float __##name(float x) { return ::name(x); }
LP_FAST(expf)
LP_FAST(exp10f)
LP_FAST(logf)
LP_FAST(log2f)
LP_FAST(log10f)
LP_FAST(sinf)
LP_FAST(cosf)
LP_FAST(tanf)
#undef LP_FAST
static __forceinline__ __device__ float __powf(float x, float y) { return ::powf(x, y); }
static __forceinline__ __device__ void __sincosf(float x, float *s, float *c) {
  *s = ::sinf(x);
  *c = ::cosf(x);
}
