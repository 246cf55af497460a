// Masks that know their rows from an array: listed where it is declared, or set element by element.
//
// RUN: %prove --launch %S/listed_rows.yaml 2>&1 | FileCheck %S/Inputs/native_proved.txt
// RUN: %ported %t.hip | FileCheck %s
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdint.h>
struct FragA { uint32_t x[4]; };
struct FragB { uint32_t x[2]; };
struct FragC { float x[4]; };
__device__ __forceinline__ FragA loadA(const half *p, int ld) {
  FragA a;
  uint32_t at = static_cast<uint32_t>(__cvta_generic_to_shared(p + (threadIdx.x % 16) * ld + (threadIdx.x % 32) / 16 * 8));
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];\n"
               : "=r"(a.x[0]), "=r"(a.x[1]), "=r"(a.x[2]), "=r"(a.x[3]) : "r"(at));
  return a;
}
__device__ __forceinline__ FragB loadB(const half *p, int ld) {
  FragB b;
  uint32_t at = static_cast<uint32_t>(__cvta_generic_to_shared(p + (threadIdx.x % 8) * ld + (threadIdx.x % 16) / 8 * 8));
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%2];\n"
               : "=r"(b.x[0]), "=r"(b.x[1]) : "r"(at));
  return b;
}
__device__ __forceinline__ FragB loadBt(const half *p, int ld) {
  FragB b;
  uint32_t at = static_cast<uint32_t>(__cvta_generic_to_shared(p + (threadIdx.x % 16) * ld));
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0,%1}, [%2];\n"
               : "=r"(b.x[0]), "=r"(b.x[1]) : "r"(at));
  return b;
}
__device__ __forceinline__ FragC mma(FragA a, FragB b, FragC c) {
  FragC d;
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%10,%11,%12,%13};\n"
               : "=f"(d.x[0]), "=f"(d.x[1]), "=f"(d.x[2]), "=f"(d.x[3])
               : "r"(a.x[0]), "r"(a.x[1]), "r"(a.x[2]), "r"(a.x[3]), "r"(b.x[0]), "r"(b.x[1]),
                 "f"(c.x[0]), "f"(c.x[1]), "f"(c.x[2]), "f"(c.x[3]));
  return d;
}
__device__ __forceinline__ uint32_t pack(float x, float y) {
  half2 h = __floats2half2_rn(x, y);
  return *reinterpret_cast<uint32_t *>(&h);
}
__device__ __forceinline__ FragA toA(FragC lo, FragC hi) {
  FragA a;
  a.x[0] = pack(lo.x[0], lo.x[1]);
  a.x[1] = pack(lo.x[2], lo.x[3]);
  a.x[2] = pack(hi.x[0], hi.x[1]);
  a.x[3] = pack(hi.x[2], hi.x[3]);
  return a;
}
constexpr int kLd = 72;
// CHECK-LABEL: void listed(
// CHECK-NOT: {{^    }}const int rows[2]
// CHECK: if (lp::of_element<1>(e, [&](int lane, int warp, int e) {
// CHECK-NEXT: const int rows[2] = {(int)blockIdx.x * 64 + warp * 16 + lane / 4, (int)blockIdx.x * 64 + warp * 16 + lane / 4 + 8};
// CHECK-NEXT: return key + n * 8 + lane % 4 * 2 + e % 2 > rows[e / 2];
__global__ void listed(const half *Q, const half *K, const half *V, float *O, int keys, float scale) {
  __shared__ half sq[64 * kLd], sk[64 * kLd], sv[64 * kLd];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  for (int i = threadIdx.x; i < 64 * 8; i += blockDim.x)
    *(uint4 *)&sq[i / 8 * kLd + i % 8 * 8] = *(const uint4 *)&Q[(blockIdx.x * 64 + i / 8) * 64 + i % 8 * 8];
  __syncthreads();
  FragA q[4];
  for (int k = 0; k < 4; ++k)
    q[k] = loadA(sq + warp * 16 * kLd + k * 16, kLd);
  FragC o[8] = {};
  float top[2] = {-INFINITY, -INFINITY}, sum[2] = {0.f, 0.f};
  for (int key = 0; key < keys; key += 64) {
    __syncthreads();
    for (int i = threadIdx.x; i < 64 * 8; i += blockDim.x) {
      *(uint4 *)&sk[i / 8 * kLd + i % 8 * 8] = *(const uint4 *)&K[(key + i / 8) * 64 + i % 8 * 8];
      *(uint4 *)&sv[i / 8 * kLd + i % 8 * 8] = *(const uint4 *)&V[(key + i / 8) * 64 + i % 8 * 8];
    }
    __syncthreads();
    FragC s[8] = {};
#pragma unroll
    for (int k = 0; k < 4; ++k)
#pragma unroll
      for (int n = 0; n < 8; ++n)
        s[n] = mma(q[k], loadB(sk + n * 8 * kLd + k * 16, kLd), s[n]);
    const int rows[2] = {(int)blockIdx.x * 64 + warp * 16 + lane / 4,
                         (int)blockIdx.x * 64 + warp * 16 + lane / 4 + 8};
    float now[2] = {top[0], top[1]};
#pragma unroll
    for (int n = 0; n < 8; ++n)
      for (int e = 0; e < 4; ++e) {
        s[n].x[e] *= scale;
        if (key + n * 8 + lane % 4 * 2 + e % 2 > rows[e / 2])
          s[n].x[e] = -INFINITY;
        now[e / 2] = fmaxf(now[e / 2], s[n].x[e]);
      }
    for (int r = 0; r < 2; ++r) {
      now[r] = fmaxf(now[r], __shfl_xor_sync(0xffffffff, now[r], 1));
      now[r] = fmaxf(now[r], __shfl_xor_sync(0xffffffff, now[r], 2));
      const float a = expf(top[r] - now[r]);
      top[r] = now[r];
      sum[r] *= a;
      for (int n = 0; n < 8; ++n) {
        o[n].x[2 * r] *= a;
        o[n].x[2 * r + 1] *= a;
      }
    }
#pragma unroll
    for (int n = 0; n < 8; ++n)
      for (int e = 0; e < 4; ++e) {
        s[n].x[e] = expf(s[n].x[e] - now[e / 2]);
        sum[e / 2] += s[n].x[e];
      }
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const FragA p = toA(s[2 * k], s[2 * k + 1]);
#pragma unroll
      for (int n = 0; n < 8; ++n)
        o[n] = mma(p, loadBt(sv + k * 16 * kLd + n * 8, kLd), o[n]);
    }
  }
  for (int r = 0; r < 2; ++r) {
    sum[r] += __shfl_xor_sync(0xffffffff, sum[r], 1);
    sum[r] += __shfl_xor_sync(0xffffffff, sum[r], 2);
  }
  for (int n = 0; n < 8; ++n)
    for (int e = 0; e < 4; ++e) {
      const int row = blockIdx.x * 64 + warp * 16 + lane / 4 + e / 2 * 8;
      O[row * 64 + n * 8 + lane % 4 * 2 + e % 2] = o[n].x[e] / sum[e / 2];
    }
}

// CHECK-LABEL: void assigned(
// CHECK: if (lp::of_element<1>(e, [&](int lane, int warp, int e) {
// CHECK-NEXT: const int rows[2] = {int(blockIdx.x * 64 + warp * 16 + lane / 4), int(blockIdx.x * 64 + warp * 16 + 8 + lane / 4)};
// CHECK-NEXT: return key + n * 8 + lane % 4 * 2 + e % 2 > rows[e / 2];
__global__ void assigned(const half *Q, const half *K, const half *V, float *O, int keys, float scale) {
  __shared__ half sq[64 * kLd], sk[64 * kLd], sv[64 * kLd];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  for (int i = threadIdx.x; i < 64 * 8; i += blockDim.x)
    *(uint4 *)&sq[i / 8 * kLd + i % 8 * 8] = *(const uint4 *)&Q[(blockIdx.x * 64 + i / 8) * 64 + i % 8 * 8];
  __syncthreads();
  FragA q[4];
  for (int k = 0; k < 4; ++k)
    q[k] = loadA(sq + warp * 16 * kLd + k * 16, kLd);
  FragC o[8] = {};
  float top[2] = {-INFINITY, -INFINITY}, sum[2] = {0.f, 0.f};
  for (int key = 0; key < keys; key += 64) {
    __syncthreads();
    for (int i = threadIdx.x; i < 64 * 8; i += blockDim.x) {
      *(uint4 *)&sk[i / 8 * kLd + i % 8 * 8] = *(const uint4 *)&K[(key + i / 8) * 64 + i % 8 * 8];
      *(uint4 *)&sv[i / 8 * kLd + i % 8 * 8] = *(const uint4 *)&V[(key + i / 8) * 64 + i % 8 * 8];
    }
    __syncthreads();
    FragC s[8] = {};
#pragma unroll
    for (int k = 0; k < 4; ++k)
#pragma unroll
      for (int n = 0; n < 8; ++n)
        s[n] = mma(q[k], loadB(sk + n * 8 * kLd + k * 16, kLd), s[n]);
    int rows[2];
    rows[0] = blockIdx.x * 64 + warp * 16 + lane / 4;
    rows[1] = blockIdx.x * 64 + warp * 16 + 8 + lane / 4;
    float now[2] = {top[0], top[1]};
#pragma unroll
    for (int n = 0; n < 8; ++n)
      for (int e = 0; e < 4; ++e) {
        s[n].x[e] *= scale;
        if (key + n * 8 + lane % 4 * 2 + e % 2 > rows[e / 2])
          s[n].x[e] = -INFINITY;
        now[e / 2] = fmaxf(now[e / 2], s[n].x[e]);
      }
    for (int r = 0; r < 2; ++r) {
      now[r] = fmaxf(now[r], __shfl_xor_sync(0xffffffff, now[r], 1));
      now[r] = fmaxf(now[r], __shfl_xor_sync(0xffffffff, now[r], 2));
      const float a = expf(top[r] - now[r]);
      top[r] = now[r];
      sum[r] *= a;
      for (int n = 0; n < 8; ++n) {
        o[n].x[2 * r] *= a;
        o[n].x[2 * r + 1] *= a;
      }
    }
#pragma unroll
    for (int n = 0; n < 8; ++n)
      for (int e = 0; e < 4; ++e) {
        s[n].x[e] = expf(s[n].x[e] - now[e / 2]);
        sum[e / 2] += s[n].x[e];
      }
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const FragA p = toA(s[2 * k], s[2 * k + 1]);
#pragma unroll
      for (int n = 0; n < 8; ++n)
        o[n] = mma(p, loadBt(sv + k * 16 * kLd + n * 8, kLd), o[n]);
    }
  }
  for (int r = 0; r < 2; ++r) {
    sum[r] += __shfl_xor_sync(0xffffffff, sum[r], 1);
    sum[r] += __shfl_xor_sync(0xffffffff, sum[r], 2);
  }
  for (int n = 0; n < 8; ++n)
    for (int e = 0; e < 4; ++e) {
      const int row = blockIdx.x * 64 + warp * 16 + lane / 4 + e / 2 * 8;
      O[row * 64 + n * 8 + lane % 4 * 2 + e % 2] = o[n].x[e] / sum[e / 2];
    }
}

// Operands that the kernel puts together by such numbers.
// CHECK-LABEL: void gathered(
// CHECK: lp::gather_a(a, [&](int lane, int warp, int r) {
// CHECK-NEXT: const int rows[2] = {warp * 16 + lane / 4, warp * 16 + lane / 4 + 8};
__global__ void gathered(const half *A, const half *B, float *C, int N, int K) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, t = lane % 4 * 2;
  const int rows[2] = {warp * 16 + lane / 4, warp * 16 + lane / 4 + 8};
  int columns[4];
  for (int j = 0; j < 4; ++j)
    columns[j] = blockIdx.x * 32 + j * 8 + lane / 4;
  FragC c[4] = {};
  for (int k = 0; k < K; k += 16) {
    uint32_t a[4];
    for (int r = 0; r < 4; ++r)
      a[r] = *(const uint32_t *)&A[rows[r % 2] * K + k + t + r / 2 * 8];
    for (int j = 0; j < 4; ++j) {
      uint32_t b[2];
      b[0] = *(const uint32_t *)&B[columns[j] * K + k + t];
      b[1] = *(const uint32_t *)&B[columns[j] * K + k + t + 8];
      asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
                   "{%8,%9}, {%0,%1,%2,%3};"
                   : "+f"(c[j].x[0]), "+f"(c[j].x[1]), "+f"(c[j].x[2]), "+f"(c[j].x[3])
                   : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
    }
  }
  for (int j = 0; j < 4; ++j)
    for (int e = 0; e < 4; ++e)
      C[rows[e / 2] * N + blockIdx.x * 32 + j * 8 + t + e % 2] = c[j].x[e];
}
