// Two n8 tiles as one of 16 columns, as a compiler of 16x16 tiles lays them out: a row's four values
// side by side, so that a product has every other pair of registers; and A's registers by rows, 0, 2,
// 1, 3. The port counts both so that a tile lies in one place, and says it to whatever reads them.
//
// RUN: %prove --launch %S/interleaved.yaml 2>&1 | FileCheck %S/Inputs/native_proved.txt
// RUN: %layout-port %s -o %t.hip --target gfx942 2>&1 | FileCheck %s --check-prefix=KEPT
// RUN: %ported %t.hip | FileCheck %s
// KEPT-NOT: keeps its epilogue
// KEPT: note: walked keeps its epilogue, behind a conversion of 'acc'
// KEPT-NOT: keeps its epilogue
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdint.h>

namespace {
constexpr int kLd = 24;

// CHECK-NOT: void both(
__device__ __forceinline__ void both(float *c, unsigned *a, unsigned *b) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, "
               "{%4, %5, %6, %7}, {%8, %9}, {%10, %11, %12, %13};"
               : "=f"(c[0]), "=f"(c[1]), "=f"(c[4]), "=f"(c[5])
               : "r"(a[0]), "r"(a[2]), "r"(a[1]), "r"(a[3]), "r"(b[0]), "r"(b[1]), "f"(c[0]),
                 "f"(c[1]), "f"(c[4]), "f"(c[5]));
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, "
               "{%4, %5, %6, %7}, {%8, %9}, {%10, %11, %12, %13};"
               : "=f"(c[2]), "=f"(c[3]), "=f"(c[6]), "=f"(c[7])
               : "r"(a[0]), "r"(a[2]), "r"(a[1]), "r"(a[3]), "r"(b[2]), "r"(b[3]), "f"(c[2]),
                 "f"(c[3]), "f"(c[6]), "f"(c[7]));
}
// Sums of f16: a word has two columns.
__device__ __forceinline__ void bothHalves(unsigned *c, unsigned *a, unsigned *b) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%0, %1}, {%2, %3, %4, %5}, "
               "{%6, %7}, {%0, %1};"
               : "+r"(c[0]), "+r"(c[2])
               : "r"(a[0]), "r"(a[2]), "r"(a[1]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%0, %1}, {%2, %3, %4, %5}, "
               "{%6, %7}, {%0, %1};"
               : "+r"(c[1]), "+r"(c[3])
               : "r"(a[0]), "r"(a[2]), "r"(a[1]), "r"(a[3]), "r"(b[2]), "r"(b[3]));
}

// CHECK-LABEL: void buildA(
// CHECK: lp::gather_a(lp::tile<unsigned int, 4>(frag, i), [&](int tx, int warp, int r) {
// CHECK: const int j = r % 2;
// CHECK: const int k = r / 2;
__device__ __forceinline__ void buildA(unsigned *frag, half *smem) {
  int tx = threadIdx.x, tz = threadIdx.z;
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 2; ++j)
      for (int k = 0; k < 2; ++k) {
        int row = tz * 32 + i * 16 + j * 8 + tx / 4;
        int col = k * 8 + tx % 4 * 2;
        frag[i * 4 + j * 2 + k] = *reinterpret_cast<unsigned *>(smem + row * kLd + col);
      }
}
__device__ __forceinline__ void copyTiles(half *sA, half *sB, const half *A, const half *B, int K) {
  int tid = threadIdx.z * 64 + threadIdx.y * 32 + threadIdx.x;
  *(uint4 *)&sA[tid / 2 * kLd + tid % 2 * 8] =
      *(const uint4 *)&A[(blockIdx.y * 64 + tid / 2) * K + tid % 2 * 8];
  *(uint4 *)&sB[tid / 2 * kLd + tid % 2 * 8] =
      *(const uint4 *)&B[(blockIdx.x * 64 + tid / 2) * K + tid % 2 * 8];
}
// CHECK-LABEL: void store(
// CHECK: lp::each_row([&](int tx, int warp, int r, int h) {
// CHECK: for (int c = 0; c < 2; {{.*}}lp::tile<float, 4>(frag, i * 4 + j * 2 + c)
__device__ __forceinline__ void store(half *C, float *frag, int N) {
  int tx = threadIdx.x, ty = threadIdx.y, tz = threadIdx.z;
#pragma unroll
  for (int i = 0; i < 2; ++i)
#pragma unroll
    for (int j = 0; j < 2; ++j)
      for (int r = 0; r < 2; ++r)
        for (int c = 0; c < 2; ++c) {
          int row = blockIdx.y * 64 + tz * 32 + i * 16 + r * 8 + tx / 4;
          int col = blockIdx.x * 64 + ty * 32 + j * 16 + c * 8 + tx % 4 * 2;
          C[row * N + col] = (half)frag[i * 16 + j * 8 + r * 4 + c * 2 + 0];
          C[row * N + col + 1] = (half)frag[i * 16 + j * 8 + r * 4 + c * 2 + 1];
        }
}
} // namespace

// CHECK-LABEL: built(
// CHECK: lp::mma_m16n8k16_f32_f16_wave(lp::tile<float, 4>(acc, mi * 4 + {{.*}}lp::tile<unsigned int, 4>(a, mi), lp::tile<unsigned int, 2>(b, ni * 2)
// CHECK-NOT: to_warp_layout(lp::tile
__global__ void __launch_bounds__(128) built(const half *A, const half *B, half *C, int N, int K) {
  __shared__ __align__(16) half sA[64 * kLd], sB[64 * kLd];
  unsigned a[2 * 4], b[2 * 4];
  float acc[2 * 2 * 8] = {0.0f};
  for (int k = 0; k < K; k += 16) {
    copyTiles(sA, sB, A + k, B + k, K);
    __syncthreads();
    buildA(a, sA);
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      const half *q = sB + (threadIdx.y * 32 + i * 16 + threadIdx.x / 16 * 8 + threadIdx.x % 8) * kLd +
                      threadIdx.x / 8 % 2 * 8;
      asm volatile("ldmatrix.sync.aligned.x4.m8n8.shared.b16 {%0, %1, %2, %3}, [%4];"
                   : "=r"(b[i * 4]), "=r"(b[i * 4 + 1]), "=r"(b[i * 4 + 2]), "=r"(b[i * 4 + 3])
                   : "r"((unsigned)__cvta_generic_to_shared(q)));
    }
#pragma unroll
    for (int mi = 0; mi < 2; ++mi)
#pragma unroll
      for (int ni = 0; ni < 2; ++ni)
        both(&acc[mi * 16 + ni * 8], &a[mi * 4], &b[ni * 4]);
    __syncthreads();
  }
  store(C, acc, N);
}

// A walking pointer: back in CUDA's lanes, and in the author's order.
// CHECK-LABEL: walked(
// CHECK: lp::to_warp_layout
// CHECK: lp::rows_side_by_side(lp::tile<float, 8>(acc, i));
__global__ void __launch_bounds__(128) walked(const half *A, const half *B, half *C, int N, int K) {
  __shared__ __align__(16) half sA[64 * kLd], sB[64 * kLd];
  unsigned a[2 * 4], b[2 * 4];
  float acc[2 * 2 * 8] = {0.0f};
  for (int k = 0; k < K; k += 16) {
    copyTiles(sA, sB, A + k, B + k, K);
    __syncthreads();
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      const half *p = sA + (threadIdx.z * 32 + i * 16 + threadIdx.x / 16 * 8 + threadIdx.x % 8) * kLd +
                      threadIdx.x / 8 % 2 * 8;
      asm volatile("ldmatrix.sync.aligned.x4.m8n8.shared.b16 {%0, %1, %2, %3}, [%4];"
                   : "=r"(a[i * 4]), "=r"(a[i * 4 + 1]), "=r"(a[i * 4 + 2]), "=r"(a[i * 4 + 3])
                   : "r"((unsigned)__cvta_generic_to_shared(p)));
      const half *q = sB + (threadIdx.y * 32 + i * 16 + threadIdx.x / 16 * 8 + threadIdx.x % 8) * kLd +
                      threadIdx.x / 8 % 2 * 8;
      asm volatile("ldmatrix.sync.aligned.x4.m8n8.shared.b16 {%0, %1, %2, %3}, [%4];"
                   : "=r"(b[i * 4]), "=r"(b[i * 4 + 1]), "=r"(b[i * 4 + 2]), "=r"(b[i * 4 + 3])
                   : "r"((unsigned)__cvta_generic_to_shared(q)));
    }
    for (int mi = 0; mi < 2; ++mi)
      for (int ni = 0; ni < 2; ++ni)
        both(&acc[mi * 16 + ni * 8], &a[mi * 4], &b[ni * 4]);
    __syncthreads();
  }
  half *p = C + (blockIdx.y * 64 + threadIdx.z * 32 + threadIdx.x / 4) * N + blockIdx.x * 64 +
            threadIdx.y * 32 + threadIdx.x % 4 * 2;
  for (int i = 0; i < 2; ++i) {
    for (int j = 0; j < 2; ++j) {
      p[0] = (half)acc[i * 16 + j * 8];
      p[1] = (half)acc[i * 16 + j * 8 + 1];
      p[8] = (half)acc[i * 16 + j * 8 + 2];
      p[9] = (half)acc[i * 16 + j * 8 + 3];
      p[8 * N] = (half)acc[i * 16 + j * 8 + 4];
      p[8 * N + 1] = (half)acc[i * 16 + j * 8 + 5];
      p[8 * N + 8] = (half)acc[i * 16 + j * 8 + 6];
      p[8 * N + 9] = (half)acc[i * 16 + j * 8 + 7];
      p += 16;
    }
    p += 16 * N - 32;
  }
}

// CHECK-LABEL: halves(
// CHECK: lp::tile<unsigned int, 2>(acc, mi * 4 +
// CHECK-NOT: to_warp_layout(lp::tile
__global__ void __launch_bounds__(128) halves(const half *A, const half *B, half *C, int N, int K) {
  __shared__ __align__(16) half sA[64 * kLd], sB[64 * kLd];
  unsigned a[2 * 4], b[2 * 4];
  unsigned acc[2 * 2 * 4] = {};
  for (int k = 0; k < K; k += 16) {
    copyTiles(sA, sB, A + k, B + k, K);
    __syncthreads();
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      const half *p = sA + (threadIdx.z * 32 + i * 16 + threadIdx.x / 16 * 8 + threadIdx.x % 8) * kLd +
                      threadIdx.x / 8 % 2 * 8;
      asm volatile("ldmatrix.sync.aligned.x4.m8n8.shared.b16 {%0, %1, %2, %3}, [%4];"
                   : "=r"(a[i * 4]), "=r"(a[i * 4 + 1]), "=r"(a[i * 4 + 2]), "=r"(a[i * 4 + 3])
                   : "r"((unsigned)__cvta_generic_to_shared(p)));
      const half *q = sB + (threadIdx.y * 32 + i * 16 + threadIdx.x / 16 * 8 + threadIdx.x % 8) * kLd +
                      threadIdx.x / 8 % 2 * 8;
      asm volatile("ldmatrix.sync.aligned.x4.m8n8.shared.b16 {%0, %1, %2, %3}, [%4];"
                   : "=r"(b[i * 4]), "=r"(b[i * 4 + 1]), "=r"(b[i * 4 + 2]), "=r"(b[i * 4 + 3])
                   : "r"((unsigned)__cvta_generic_to_shared(q)));
    }
    for (int mi = 0; mi < 2; ++mi)
      for (int ni = 0; ni < 2; ++ni)
        bothHalves(&acc[mi * 8 + ni * 4], &a[mi * 4], &b[ni * 4]);
    __syncthreads();
  }
  int tx = threadIdx.x, ty = threadIdx.y, tz = threadIdx.z;
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 2; ++j)
      for (int r = 0; r < 2; ++r)
        for (int c = 0; c < 2; ++c)
          *(unsigned *)&C[(blockIdx.y * 64 + tz * 32 + i * 16 + r * 8 + tx / 4) * N +
                          blockIdx.x * 64 + ty * 32 + j * 16 + c * 8 + tx % 4 * 2] =
              acc[i * 8 + j * 4 + r * 2 + c];
}

void launch(const half *A, const half *B, half *C, int N, int K) {
  built<<<dim3(2, 2), dim3(32, 2, 2)>>>(A, B, C, N, K);
  walked<<<dim3(2, 2), dim3(32, 2, 2)>>>(A, B, C, N, K);
  halves<<<dim3(2, 2), dim3(32, 2, 2)>>>(A, B, C, N, K);
}
