// How kernels are spelled today: shared memory as one struct by a reference, a reduction that is handed
// a lambda, sums in a struct by a pointer to a row, the address cast in an asm of the helper's, and the
// whole product as operator() of a class whose methods call each other.
//
// RUN: %prove --launch %S/common_spellings.yaml 2>&1 | FileCheck %S/Inputs/native_proved.txt
// RUN: %layout-port %s -o %t.hip --target gfx942 2>&1 | FileCheck %s --check-prefix=KEPT
// RUN: %ported %t.hip | FileCheck %s
// KEPT-NOT: keeps its epilogue
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdint.h>

#define ASSERT_ALIGNED(p) ((void)0) // of a release

namespace {
constexpr int D = 32, KEYS = 32, PITCH = D + 8;

// CHECK-NOT: void ldsm4(
__device__ void ldsm4(uint32_t (&r)[4], const half *p) {
  ASSERT_ALIGNED(p);
  uint32_t s;
  asm("{.reg .u64 t; cvta.to.shared.u64 t, %1; cvt.u32.u64 %0, t;}" : "=r"(s) : "l"(p));
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(s));
}
__device__ void ldsm2(uint32_t (&r)[2], const half *p) {
  uint32_t s;
  asm("{.reg .u64 t; cvta.to.shared.u64 t, %1; cvt.u32.u64 %0, t;}" : "=r"(s) : "l"(p));
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%2];"
               : "=r"(r[0]), "=r"(r[1]) : "r"(s));
}
__device__ void ldsm2t(uint32_t (&r)[2], const half *p) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0,%1}, [%2];"
               : "=r"(r[0]), "=r"(r[1]) : "r"((uint32_t)__cvta_generic_to_shared(p)));
}
__device__ void mma(float (&d)[4], const uint32_t (&a)[4], const uint32_t (&b)[2]) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
               "{%8,%9}, {%0,%1,%2,%3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
__device__ uint32_t pack(float x, float y) {
  const half2 h = __floats2half2_rn(x, y);
  return *(const uint32_t *)&h;
}
template <class Op> __device__ float overQuad(float x, Op op) {
  x = op(x, __shfl_xor_sync(0xffffffffu, x, 2));
  return op(x, __shfl_xor_sync(0xffffffffu, x, 1));
}
struct Smem {
  half q[32][PITCH], k[KEYS][PITCH], v[KEYS][PITCH];
  float decay[KEYS], bias[D];
};
} // namespace

// CHECK-LABEL: forward(
// CHECK: lp::load_a(a, [&](int lane, int warp) { return &smem.q[warp * 16 + lane % 16][d + lane / 16 * 8]; });
// CHECK: s[j][e] *= lp::of_element<1>(e, [&](int lane, int, int e) { return smem.decay[
// CHECK: row = overQuad(row, [](float a, float b) { return fmaxf(a, b); });
// CHECK: lp::each_pair_of(o[n],
__global__ void __launch_bounds__(64) forward(const half *Q, const half *K, const half *V,
                                              const float *decay, const float *bias, half *O,
                                              int keys) {
  extern __shared__ __align__(16) unsigned char raw[];
  auto &smem = *reinterpret_cast<Smem *>(raw);
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  for (int i = threadIdx.x; i < 32 * D / 8; i += 64)
    *(uint4 *)&smem.q[i / (D / 8)][i % (D / 8) * 8] = *(const uint4 *)&Q[i * 8];
  if (threadIdx.x < D)
    smem.bias[threadIdx.x] = bias[threadIdx.x];
  float o[4][4] = {}, most[2] = {-1e30f, -1e30f}, sum[2] = {};
  for (int k = 0; k < keys; k += KEYS) {
    for (int i = threadIdx.x; i < KEYS * D / 8; i += 64) {
      *(uint4 *)&smem.k[i / (D / 8)][i % (D / 8) * 8] = *(const uint4 *)&K[k * D + i * 8];
      *(uint4 *)&smem.v[i / (D / 8)][i % (D / 8) * 8] = *(const uint4 *)&V[k * D + i * 8];
    }
    if (threadIdx.x < KEYS)
      smem.decay[threadIdx.x] = decay[k + threadIdx.x];
    __syncthreads();
    float s[4][4] = {};
    for (int d = 0; d < D; d += 16) {
      uint32_t a[4];
      ldsm4(a, &smem.q[warp * 16 + lane % 16][d + lane / 16 * 8]);
      for (int j = 0; j < 4; ++j) {
        uint32_t b[2];
        ldsm2(b, &smem.k[j * 8 + lane % 8][d + lane / 8 % 2 * 8]);
        mma(s[j], a, b);
      }
    }
    for (int j = 0; j < 4; ++j)
      for (int e = 0; e < 4; ++e)
        s[j][e] *= smem.decay[j * 8 + lane % 4 * 2 + (e & 1)];
    for (int h = 0; h < 2; ++h) {
      float row = most[h];
      for (int j = 0; j < 4; ++j)
        row = fmaxf(row, fmaxf(s[j][2 * h], s[j][2 * h + 1]));
      row = overQuad(row, [](float a, float b) { return fmaxf(a, b); });
      const float scale = __expf(most[h] - row);
      most[h] = row;
      float part = 0.f;
      for (int j = 0; j < 4; ++j) {
        s[j][2 * h] = __expf(s[j][2 * h] - row);
        s[j][2 * h + 1] = __expf(s[j][2 * h + 1] - row);
        part += s[j][2 * h] + s[j][2 * h + 1];
      }
      sum[h] = sum[h] * scale + overQuad(part, [](float a, float b) { return a + b; });
      for (int n = 0; n < 4; ++n) {
        o[n][2 * h] *= scale;
        o[n][2 * h + 1] *= scale;
      }
    }
    for (int j = 0; j < 2; ++j) {
      uint32_t p[4] = {pack(s[2 * j][0], s[2 * j][1]), pack(s[2 * j][2], s[2 * j][3]),
                       pack(s[2 * j + 1][0], s[2 * j + 1][1]), pack(s[2 * j + 1][2], s[2 * j + 1][3])};
      for (int n = 0; n < 4; ++n) {
        uint32_t b[2];
        ldsm2t(b, &smem.v[j * 16 + lane % 16][n * 8]);
        mma(o[n], p, b);
      }
    }
    __syncthreads();
  }
  for (int h = 0; h < 2; ++h)
    for (int n = 0; n < 4; ++n) {
      const int col = n * 8 + lane % 4 * 2;
      *(uint32_t *)(O + (warp * 16 + lane / 4 + h * 8) * D + col) =
          pack(o[n][2 * h] / sum[h] + smem.bias[col], o[n][2 * h + 1] / sum[h] + smem.bias[col + 1]);
    }
}

// CHECK-LABEL: byRows(
// CHECK-NOT: float *c
// CHECK: lp::mma_m16n8k16_f32_f16_wave{{.*}}(sums.v[j
struct Sums {
  float v[4][4];
};
__global__ void __launch_bounds__(64) byRows(const half *A, const half *B, float *C, int K) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  Sums sums = {};
  for (int k = 0; k < K; k += 16) {
    uint32_t a[4];
    const half *p = A + (warp * 16 + lane / 4) * K + k + lane % 4 * 2;
    a[0] = *(const uint32_t *)p;
    a[1] = *(const uint32_t *)(p + 8 * K);
    a[2] = *(const uint32_t *)(p + 8);
    a[3] = *(const uint32_t *)(p + 8 * K + 8);
    for (int j = 0; j < 4; ++j) {
      uint32_t b[2];
      const half *q = B + (j * 8 + lane / 4) * K + k + lane % 4 * 2;
      b[0] = *(const uint32_t *)q;
      b[1] = *(const uint32_t *)(q + 8);
      float *c = sums.v[j];
      asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, "
                   "{%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                   : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
                   : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
    }
  }
  for (int j = 0; j < 4; ++j)
    for (int e = 0; e < 4; ++e)
      C[(warp * 16 + lane / 4 + e / 2 * 8) * 32 + j * 8 + lane % 4 * 2 + e % 2] = sums.v[j][e];
}

// CHECK-LABEL: struct Multiply
// CHECK: void step(
// CHECK: lp::load_a{{.*}}(a, [&](int lane, int warp) { return sA + (warp * 16 + lane % 16) * PITCH
// CHECK: void operator()(
struct Multiply {
  float c[4][4];
  __device__ void clear() {
    for (int j = 0; j < 4; ++j)
      for (int e = 0; e < 4; ++e)
        c[j][e] = 0.f;
  }
  __device__ void step(const half *sA, const half *sB) {
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    uint32_t a[4];
    ldsm4(a, sA + (warp * 16 + lane % 16) * PITCH + lane / 16 * 8);
    for (int j = 0; j < 4; ++j) {
      uint32_t b[2];
      ldsm2(b, sB + (j * 8 + lane % 8) * PITCH + lane / 8 % 2 * 8);
      mma(c[j], a, b);
    }
  }
  __device__ void operator()(const half *sA, const half *sB, int steps) {
    for (int k = 0; k < steps; ++k)
      step(sA + k * 16, sB + k * 16);
  }
};
__global__ void __launch_bounds__(64) byOperator(const half *A, const half *B, float *C, int K) {
  __shared__ __align__(16) half sA[32 * PITCH], sB[32 * PITCH];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  Multiply multiply;
  multiply.clear();
  for (int k = 0; k < K; k += 32) {
    for (int v = threadIdx.x; v < 128; v += 64) {
      *(uint4 *)&sA[v / 4 * PITCH + v % 4 * 8] = *(const uint4 *)&A[v / 4 * K + k + v % 4 * 8];
      *(uint4 *)&sB[v / 4 * PITCH + v % 4 * 8] = *(const uint4 *)&B[v / 4 * K + k + v % 4 * 8];
    }
    __syncthreads();
    multiply(sA, sB, 2);
    __syncthreads();
  }
  for (int j = 0; j < 4; ++j)
    for (int e = 0; e < 4; ++e)
      C[(warp * 16 + lane / 4 + e / 2 * 8) * 32 + j * 8 + lane % 4 * 2 + e % 2] = multiply.c[j][e];
}
