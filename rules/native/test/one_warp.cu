// Blocks of one warp, padded to a wave whose halves do the same: every product has its lanes.
//
// RUN: %layout-port %s -o %t.hip --warp-blocks=pad --target gfx90a,gfx942,gfx950 --verify --launch %S/Inputs/one_warp.yaml 2>&1 | FileCheck %s --check-prefix=REPORT
// RUN: %ported %t.hip | FileCheck %s
// RUN: %layout-port %s -o %t.keep.hip 2>&1 | FileCheck %s --check-prefix=KEEP
//
// REPORT-NOT: {{(oneTile|fourTiles) is not native}}
// REPORT: note: addsUp keeps its epilogue, behind a conversion of 'c': 'C' is changed from what it was, which the other half of a padded block would do again
// REPORT: compiled: gfx90a yes gfx942 yes gfx950 yes
// REPORT: verify gfx90a: proved
// REPORT: verify gfx942: proved
// REPORT: verify gfx950: proved
//
// KEEP-DAG: oneTile is not native: it is launched with 32 threads a block, which leaves half a wave; --warp-blocks=pad may fill it
// KEEP-DAG: fourTiles is not native: it is launched with 32 threads a block, which leaves half a wave; --warp-blocks=pad may fill it
#include <cuda_fp16.h>
#include <stdint.h>

__device__ void ldsm4(uint32_t (&r)[4], const half *row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"((uint32_t)__cvta_generic_to_shared(row)));
}
__device__ void ldsm2(uint32_t (&r)[2], const half *row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%2];"
               : "=r"(r[0]), "=r"(r[1]) : "r"((uint32_t)__cvta_generic_to_shared(row)));
}
__device__ void ldsm2t(uint32_t (&r)[2], const half *row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0,%1}, [%2];"
               : "=r"(r[0]), "=r"(r[1]) : "r"((uint32_t)__cvta_generic_to_shared(row)));
}
__device__ void mma(float (&d)[4], const uint32_t (&a)[4], const uint32_t (&b)[2]) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
               "{%8,%9}, {%0,%1,%2,%3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

// The lane is the thread, and is spoken of as the thread.
// CHECK-LABEL: oneTile(
// CHECK-NEXT: lp::require_whole_waves();
__global__ void oneTile(const half *A, const half *B, float *C) {
  __shared__ __align__(16) half tileA[16][16], tileB[8][16];
  // CHECK: for (int i = (threadIdx.x & 31); i < 256; i += 32 /* blockDim.x */)
  for (int i = threadIdx.x; i < 256; i += blockDim.x)
    tileA[i / 16][i % 16] = A[blockIdx.x * 256 + i];
  for (int i = threadIdx.x; i < 128; i += blockDim.x)
    tileB[i / 16][i % 16] = B[i];
  __syncthreads();
  float c[4] = {};
  uint32_t a[4], b[2];
  // CHECK: lp::load_a(a, [&](int lane, int) { return &tileA[lane % 16][lane / 16 * 8]; });
  ldsm4(a, &tileA[threadIdx.x % 16][threadIdx.x / 16 * 8]);
  ldsm2(b, &tileB[threadIdx.x % 8][threadIdx.x / 8 % 2 * 8]);
  mma(c, a, b);
  const int lane = threadIdx.x;
  C[(blockIdx.x * 16 + lane / 4) * 8 + lane % 4 * 2] = c[0];
  C[(blockIdx.x * 16 + lane / 4) * 8 + lane % 4 * 2 + 1] = c[1];
  C[(blockIdx.x * 16 + lane / 4 + 8) * 8 + lane % 4 * 2] = c[2];
  C[(blockIdx.x * 16 + lane / 4 + 8) * 8 + lane % 4 * 2 + 1] = c[3];
}

// B lies along n: the port's rows r and r + 8 are what both halves of the wave have.
__global__ void __launch_bounds__(32) fourTiles(const half *A, const half *B, float *C) {
  __shared__ __align__(16) half tileA[16][16], tileB[16][32];
  const int lane = threadIdx.x % 32;
  for (int i = threadIdx.x; i < 256; i += 32)
    tileA[i / 16][i % 16] = A[blockIdx.x * 256 + i];
  for (int i = threadIdx.x; i < 512; i += 32)
    tileB[i / 32][i % 32] = B[i];
  __syncthreads();
  float c[4][4] = {};
  uint32_t a[4], b[4][2];
  ldsm4(a, &tileA[lane % 16][lane / 16 * 8]);
  for (int j = 0; j < 4; ++j)
    ldsm2t(b[j], &tileB[lane % 16][j * 8]);
  for (int j = 0; j < 4; ++j)
    mma(c[j], a, b[j]);
  for (int j = 0; j < 4; ++j) {
    C[(blockIdx.x * 16 + lane / 4) * 32 + j * 8 + lane % 4 * 2] = c[j][0];
    C[(blockIdx.x * 16 + lane / 4) * 32 + j * 8 + lane % 4 * 2 + 1] = c[j][1];
    C[(blockIdx.x * 16 + lane / 4 + 8) * 32 + j * 8 + lane % 4 * 2] = c[j][2];
    C[(blockIdx.x * 16 + lane / 4 + 8) * 32 + j * 8 + lane % 4 * 2 + 1] = c[j][3];
  }
}

// Lanes that act for both halves one after the other would add twice.
__global__ void addsUp(const half *A, const half *B, float *C) {
  __shared__ __align__(16) half tileA[16][16], tileB[16][32];
  const int lane = threadIdx.x % 32;
  for (int i = threadIdx.x; i < 256; i += 32)
    tileA[i / 16][i % 16] = A[blockIdx.x * 256 + i];
  for (int i = threadIdx.x; i < 512; i += 32)
    tileB[i / 32][i % 32] = B[i];
  __syncthreads();
  float c[4][4] = {};
  uint32_t a[4], b[4][2];
  ldsm4(a, &tileA[lane % 16][lane / 16 * 8]);
  for (int j = 0; j < 4; ++j)
    ldsm2t(b[j], &tileB[lane % 16][j * 8]);
  for (int j = 0; j < 4; ++j)
    mma(c[j], a, b[j]);
  for (int j = 0; j < 4; ++j) {
    C[(blockIdx.x * 16 + lane / 4) * 32 + j * 8 + lane % 4 * 2] += c[j][0];
    C[(blockIdx.x * 16 + lane / 4) * 32 + j * 8 + lane % 4 * 2 + 1] += c[j][1];
    C[(blockIdx.x * 16 + lane / 4 + 8) * 32 + j * 8 + lane % 4 * 2] += c[j][2];
    C[(blockIdx.x * 16 + lane / 4 + 8) * 32 + j * 8 + lane % 4 * 2 + 1] += c[j][3];
  }
}

void launch(const half *A, const half *B, float *C) {
  // CHECK: oneTile<<<2, 64 /* 32 */>>>(A, B, C);
  oneTile<<<2, 32>>>(A, B, C);
  // A launch that the author keeps is not padded; the kernel stops there.
  // CHECK: oneTile<<<3, 32>>>(A, B, C);
  oneTile<<<3, 32>>>(A, B, C); // layout-port: keep
  fourTiles<<<2, 32>>>(A, B, C);
  addsUp<<<2, 32>>>(A, B, C);
}
