// half, bfloat16 and fp8: the idioms of kernels, on both sides.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

template <typename T> __host__ __device__ float square(T v) { return float(v) * float(v); }

__global__ void halves(half *a, half2 *b, const float *f) {
  __shared__ half tile[16][16 + 8];
  half h = __float2half(f[0]);
  tile[threadIdx.y][threadIdx.x] = h;
  h = __hadd(h, a[0]) * a[1] - a[2] / a[3];
  h += half(1.0f);
  a[0] = __hfma(h, a[1], __hmax(a[2], a[3]));
  a[1] = h > a[2] ? hexp(h) : hsqrt(__habs(h));
  a[2] = (half)0.5f;
  a[3] = __int2half_rn(3);
  a[4] = __shfl_xor_sync(0xffffffff, a[4], 1);
  half2 p = __floats2half2_rn(f[0], f[1]);
  p = __hmul2(p, __half2half2(h)) + __hfma2(p, p, b[0]);
  float2 back = __half22float2(p);
  b[0] = __halves2half2(__low2half(p), __high2half(p));
  b[1] = __shfl_down_sync(0xffffffff, p, 2);
  b[2] = make_half2(h, h);
  b[3] = *reinterpret_cast<half2 *>(&back);
  atomicAdd(&b[4], p);
  if (__hgt(h, a[2]) && __hbeq2(p, b[0]))
    a[5] = __ushort_as_half(0x7c00);
  unsigned int word = *reinterpret_cast<unsigned int *>(&p);
  a[6] = __half2float(h) + square(h) + word;
  int4 packed = *reinterpret_cast<int4 *>(a);
  const half *lanes = reinterpret_cast<const half *>(&packed);
  a[7] = lanes[3];
}

__global__ void brains(__nv_bfloat16 *a, nv_bfloat162 *b, const float *f) {
  nv_bfloat16 h = __float2bfloat16(f[0]);
  a[0] = h * a[1] + __float2bfloat16_rn(2.f);
  b[0] = __floats2bfloat162_rn(f[0], f[1]);
  b[1] = __hfma2(b[0], b[2], b[3]);
  a[1] = __hmax(a[0], __hneg(h));
  a[2] = __shfl_sync(0xffffffff, h, 3);
  float2 back = __bfloat1622float2(b[0]);
  a[3] = __bfloat162float(h) + back.x;
  if (a[0] < a[1])
    a[4] = hrsqrt(h);
}

__global__ void bytes(__nv_fp8_e4m3 *a, __nv_fp8x2_e5m2 *b, float *f) {
  a[0] = __nv_fp8_e4m3(f[0]);
  f[1] = float(a[1]) + float2(b[0]).x;
  unsigned short pair =
      __nv_cvt_float2_to_fp8x2(make_float2(f[0], f[1]), __NV_SATFINITE, __NV_E4M3);
  __half2 both = __half2(__nv_cvt_fp8x2_to_halfraw2(pair, __NV_E4M3));
  f[2] = __low2float(both);
}

float host() {
  half h = __float2half(2.5f);
  half2 p = __floats2half2_rn(1.f, 2.f);
  __nv_bfloat16 b = __float2bfloat16(1.5f);
  return __half2float(h) + __low2float(p) + __bfloat162float(b) + square(h);
}
