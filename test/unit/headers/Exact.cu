// Functions whose result is exactly defined: all of them must have bodies in the IR.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

__global__ void integers(int *n, unsigned int *u, long long *l) {
  n[0] = __popc(n[1]) + __clz(n[2]) + __ffs(n[3]) + __brev(n[4]) + __byte_perm(n[5], n[6], n[7]);
  n[1] = __popcll(l[0]) + __clzll(l[1]) + __ffsll(l[2]) + (int)__brevll(l[3]);
  n[2] = __mulhi(n[0], n[1]) + __umulhi(u[0], u[1]) + __mul24(n[3], n[4]) + __sad(n[0], n[1], 3);
  n[3] =
      min(n[0], n[1]) + max(u[0], u[1]) + abs(n[4]) + __hadd(n[0], n[1]) + __dp4a(n[0], n[1], n[2]);
  l[0] = __mul64hi(l[1], l[2]) + min(l[0], l[1]) + llabs(l[3]);
}

__global__ void reals(float *f, double *d, int *n) {
  f[0] = fabsf(f[1]) + fminf(f[2], f[3]) + fmaxf(f[2], f[3]) + fmaf(f[0], f[1], f[2]) + sqrtf(f[4]);
  f[1] = floorf(f[0]) + ceilf(f[1]) + truncf(f[2]) + rintf(f[3]) + roundf(f[4]) +
         copysignf(f[0], f[1]);
  f[2] = __fadd_rn(f[0], f[1]) + __fmul_rn(f[1], f[2]) + __fdiv_rn(f[0], f[1]) + __fsqrt_rn(f[3]);
  f[3] = __int_as_float(n[0]) + __uint_as_float(n[1]) + __saturatef(f[3]) + __double2float_rn(d[0]);
  n[0] = __float_as_int(f[0]) + __float2int_rn(f[1]) + __float2int_rz(f[2]) + __float2uint_rd(f[3]);
  d[0] = fabs(d[1]) + fmin(d[2], d[3]) + fma(d[0], d[1], d[2]) + __hiloint2double(n[0], n[1]);
  n[1] = isnan(f[0]) + isinf(f[1]) + signbit(f[2]) + isfinite(f[3]);
}

__global__ void smallFloats(half *h, half2 *p, __nv_bfloat16 *b, float *f, __nv_fp8_e4m3 *e) {
  h[0] = __hfma(h[1], h[2], h[3]) + __hdiv(h[4], h[5]) + __hmin(h[6], h[7]) + hsqrt(h[0]) +
         hfloor(h[1]);
  p[0] = __hfma2(p[1], p[2], p[3]);
  b[0] = __hadd(b[1], b[2]) * b[3];
  f[0] = __half2float(h[0]) + __bfloat162float(b[0]) + float(e[0]);
  e[1] = __nv_fp8_e4m3(f[1]);
}
