// B is 4-bit, packed so that one 32-bit word holds the eight values a lane needs for two k
// steps; they become halves in registers by lop3, with a scale a column and a zero of eight.
//
// The packed word is read for the lane whose weights it holds; the rest is the author's, and
// nothing moves.
//
// RUN: %prove --launch %S/dequant4.yaml 2>&1 | FileCheck %S/Inputs/native_tested.txt
// RUN: %ported %t.hip | FileCheck %s --check-prefix=TEXT
// TEXT: int q = lp::read_b([&](int lane, int, int j) {
// TEXT-NEXT: const int n = blockIdx.x * 16 + j * 8 + lane / 4;
// TEXT-NEXT: return packed[(k0 / 32 * N + n) * 4 + lane % 4];
// TEXT-NEXT: }, j);
// TEXT: for (int s = 0; s < 2; s++, q >>= 8)
// TEXT-NEXT: lp::mma_m16n8k16_f32_f16_steps_wave({{.*}}lp::bits<lp::words2>(dequant(q)), j & 1, held, s);
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdint.h>

struct FragB {
  half2 h[2];
};

template <int lut> __device__ inline int lop3(int a, int b, int c) {
  int res;
  asm volatile("lop3.b32 %0, %1, %2, %3, %4;\n" : "=r"(res) : "r"(a), "r"(b), "r"(c), "n"(lut));
  return res;
}

// Nibbles 0 and 4 of q to one half2, nibbles 1 and 5 (scaled by 16) to another: 0x6400 is
// 1024, whose last bits count in ones.
__device__ inline FragB dequant(int q) {
  const int LO = 0x000f000f, HI = 0x00f000f0, EX = 0x64006400;
  int lo = lop3<(0xf0 & 0xcc) | 0xaa>(q, LO, EX);
  int hi = lop3<(0xf0 & 0xcc) | 0xaa>(q, HI, EX);
  FragB f;
  f.h[0] = __hsub2(*reinterpret_cast<half2 *>(&lo), __floats2half2_rn(1032.f, 1032.f));
  f.h[1] = __hfma2(*reinterpret_cast<half2 *>(&hi), __floats2half2_rn(0.0625f, 0.0625f),
                   __floats2half2_rn(-72.f, -72.f));
  return f;
}

__device__ inline void mma(const int4 &a, const FragB &b, float4 &c) {
  const uint32_t *B = reinterpret_cast<const uint32_t *>(&b);
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
               "{%8,%9}, {%10,%11,%12,%13};\n"
               : "=f"(c.x), "=f"(c.y), "=f"(c.z), "=f"(c.w)
               : "r"(a.x), "r"(a.y), "r"(a.z), "r"(a.w), "r"(B[0]), "r"(B[1]), "f"(c.x), "f"(c.y),
                 "f"(c.z), "f"(c.w));
}

// packed[(k / 32) * N * 4 + n * 4 + q]: word q of column n, for the quad's lane q.
__global__ void __launch_bounds__(64) dequant4(const half *A, const int *packed, const half *scales, half *C, int N,
                         int K) {
  __shared__ __align__(16) half sA[32 * 40];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  float4 c[2] = {make_float4(0, 0, 0, 0), make_float4(0, 0, 0, 0)};
  for (int k0 = 0; k0 < K; k0 += 32) {
    for (int i = threadIdx.x; i < 128; i += 64)
      *(int4 *)&sA[i / 4 * 40 + i % 4 * 8] =
          *(const int4 *)&A[(blockIdx.y * 32 + i / 4) * K + k0 + i % 4 * 8];
    __syncthreads();
    int4 a[2];
#pragma unroll
    for (int s = 0; s < 2; s++) {
      uint32_t p = __cvta_generic_to_shared(
          &sA[(warp * 16 + lane % 16) * 40 + s * 16 + lane / 16 * 8]);
      asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];\n"
                   : "=r"(a[s].x), "=r"(a[s].y), "=r"(a[s].z), "=r"(a[s].w) : "r"(p));
    }
#pragma unroll
    for (int j = 0; j < 2; j++) {
      const int n = blockIdx.x * 16 + j * 8 + lane / 4;
      int q = packed[(k0 / 32 * N + n) * 4 + lane % 4];
#pragma unroll
      for (int s = 0; s < 2; s++, q >>= 8)
        mma(a[s], dequant(q), c[j]);
    }
    __syncthreads();
  }
#pragma unroll
  for (int j = 0; j < 2; j++) {
    const int n = blockIdx.x * 16 + j * 8 + lane % 4 * 2,
              m = blockIdx.y * 32 + warp * 16 + lane / 4;
    const float2 s = __half22float2(*(const half2 *)&scales[n]);
    *(half2 *)&C[m * N + n] = __floats2half2_rn(c[j].x * s.x, c[j].y * s.y);
    *(half2 *)&C[(m + 8) * N + n] = __floats2half2_rn(c[j].z * s.x, c[j].w * s.y);
  }
}
