// C is read, changed in variables of the element's own and written back.
//
// RUN: %prove --launch %S/written_back.yaml 2>&1 | FileCheck %S/Inputs/native_proved.txt
// RUN: %ported %t.hip | FileCheck %s
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdint.h>

__device__ __forceinline__ uint32_t smem(const void *p) {
  return (uint32_t)__cvta_generic_to_shared(p);
}
__device__ __forceinline__ void ldsm4(uint32_t (&r)[4], uint32_t at) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(at));
}
__device__ __forceinline__ void ldsm2(uint32_t (&r)[2], uint32_t at) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%2];"
               : "=r"(r[0]), "=r"(r[1]) : "r"(at));
}
__device__ __forceinline__ void mma(float (&c)[4], const uint32_t (&a)[4], const uint32_t (&b)[2]) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, "
               "{%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
               : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

constexpr int kPitch = 40;

struct Tiles {
  half a[64 * kPitch], b[64 * kPitch];
};

// 64 x 64 of C a block of four warps, 32 x 32 each.
__device__ __forceinline__ void stage(Tiles &t, const half *A, const half *B, int k0, int K) {
  const int r = threadIdx.x / 4, c = threadIdx.x % 4 * 8;
  for (int i = 0; i < 64; i += 32) {
    *(uint4 *)&t.a[(r + i) * kPitch + c] = *(const uint4 *)&A[(blockIdx.y * 64 + r + i) * K + k0 + c];
    *(uint4 *)&t.b[(r + i) * kPitch + c] = *(const uint4 *)&B[(blockIdx.x * 64 + r + i) * K + k0 + c];
  }
}


// Row by row, in a loop.
__global__ void __launch_bounds__(128)
    byRow(const half *A, const half *B, float *C, float alpha, float beta, int N, int K) {
  __shared__ __align__(16) Tiles t;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int wm = warp / 2 * 32, wn = warp % 2 * 32;
  float acc[2][4][4] = {};
  for (int k0 = 0; k0 < K; k0 += 32) {
    stage(t, A, B, k0, K);
    __syncthreads();
    for (int kk = 0; kk < 32; kk += 16)
      for (int i = 0; i < 2; ++i) {
        uint32_t a[4], b[2];
        ldsm4(a, smem(&t.a[(wm + i * 16 + lane % 16) * kPitch + kk + lane / 16 * 8]));
        for (int j = 0; j < 4; ++j) {
          ldsm2(b, smem(&t.b[(wn + j * 8 + lane % 8) * kPitch + kk + lane / 8 % 2 * 8]));
          mma(acc[i][j], a, b);
        }
      }
    __syncthreads();
  }
  const int row0 = blockIdx.y * 64 + wm, col0 = blockIdx.x * 64 + wn;
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 4; ++j)
      for (int r = 0; r < 2; ++r) {
        float2 *p = (float2 *)&C[(row0 + i * 16 + lane / 4 + r * 8) * N + col0 + j * 8 + lane % 4 * 2];
        float2 c = *p;
        c.x = alpha * acc[i][j][2 * r] + beta * c.x;
        c.y = alpha * acc[i][j][2 * r + 1] + beta * c.y;
        *p = c;
      }
}

// Both rows side by side.
__global__ void __launch_bounds__(128)
    together(const half *A, const half *B, float *D, float alpha, float beta, int N, int K) {
  __shared__ __align__(16) Tiles t;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  float acc[8][4] = {};
  for (int k0 = 0; k0 < K; k0 += 32) {
    stage(t, A, B, k0, K);
    __syncthreads();
    for (int kk = 0; kk < 32; kk += 16) {
      uint32_t a[4], b[2];
      ldsm4(a, smem(&t.a[(warp * 16 + lane % 16) * kPitch + kk + lane / 16 * 8]));
      for (int j = 0; j < 8; ++j) {
        ldsm2(b, smem(&t.b[(j * 8 + lane % 8) * kPitch + kk + lane / 8 % 2 * 8]));
        mma(acc[j], a, b);
      }
    }
    __syncthreads();
  }
  const int row0 = blockIdx.y * 64 + warp * 16, col0 = blockIdx.x * 64;
  for (int j = 0; j < 8; ++j) {
    const int col = col0 + j * 8 + lane % 4 * 2;
    float2 *p0 = reinterpret_cast<float2 *>(D + (row0 + lane / 4) * N + col);
    float2 *p1 = reinterpret_cast<float2 *>(D + (row0 + lane / 4 + 8) * N + col);
    float2 d0 = *p0;
    float2 d1 = *p1;
    d0.x = alpha * acc[j][0] + beta * d0.x;
    d0.y = alpha * acc[j][1] + beta * d0.y;
    d1.x = alpha * acc[j][2] + beta * d1.x;
    d1.y = alpha * acc[j][3] + beta * d1.y;
    *p0 = d0;
    *p1 = d1;
  }
}

// One behind the other.
__global__ void __launch_bounds__(128)
    apart(const half *A, const half *B, half *E, int N, int K) {
  __shared__ __align__(16) Tiles t;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int wm = warp / 2 * 32, wn = warp % 2 * 32;
  float acc[2][4][4] = {};
  for (int k0 = 0; k0 < K; k0 += 32) {
    stage(t, A, B, k0, K);
    __syncthreads();
    for (int kk = 0; kk < 32; kk += 16)
      for (int i = 0; i < 2; ++i) {
        uint32_t a[4], b[2];
        ldsm4(a, smem(&t.a[(wm + i * 16 + lane % 16) * kPitch + kk + lane / 16 * 8]));
        for (int j = 0; j < 4; ++j) {
          ldsm2(b, smem(&t.b[(wn + j * 8 + lane % 8) * kPitch + kk + lane / 8 % 2 * 8]));
          mma(acc[i][j], a, b);
        }
      }
    __syncthreads();
  }
  const int row0 = blockIdx.y * 64 + wm, col0 = blockIdx.x * 64 + wn;
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 4; ++j) {
      const int row = row0 + i * 16 + lane / 4, col = col0 + j * 8 + lane % 4 * 2;
      half2 upper = *(half2 *)&E[row * N + col];
      upper.x = __float2half(__half2float(upper.x) + acc[i][j][0]);
      upper.y = __float2half(__half2float(upper.y) + acc[i][j][1]);
      *(half2 *)&E[row * N + col] = upper;
      half2 below = *(half2 *)&E[(row + 8) * N + col];
      below.x = __float2half(__half2float(below.x) + acc[i][j][2]);
      below.y = __float2half(__half2float(below.y) + acc[i][j][3]);
      *(half2 *)&E[(row + 8) * N + col] = below;
    }
}

// CHECK-NOT: to_warp_layout
// CHECK: c.x = alpha * v[0] + beta * c.x;
// CHECK-NEXT: c.y = alpha * v[1] + beta * c.y;
// CHECK: const int col = col0 + j * 8 + lane % 4 * 2;
// CHECK-NEXT: float2 *p1 = reinterpret_cast<float2 *>(D + (row0 + lane / 4 + 8 * lower) * N + col);
// CHECK-NEXT: float2 d1 = *p1;
// CHECK-NEXT: d1.x = alpha * v[0] + beta * d1.x;
// CHECK-NEXT: d1.y = alpha * v[1] + beta * d1.y;
// CHECK-NEXT: *p1 = d1;
// CHECK-NEXT: });
// CHECK: half2 below = *(half2 *)&E[(row + 8 * lower) * N + col];
// CHECK-NEXT: below.x = __float2half(__half2float(below.x) + v[0]);
// CHECK-NEXT: below.y = __float2half(__half2float(below.y) + v[1]);
// CHECK-NEXT: *(half2 *)&E[(row + 8 * lower) * N + col] = below;
// CHECK-NEXT: });
