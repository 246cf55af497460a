// Blocks of an odd number of warps, padded to whole waves: the half wave left over does as the last
// warp, and the others are pairs as ever.
//
// RUN: %layout-port %s -o %t.hip --warp-blocks=pad --target gfx90a,gfx942,gfx950 --verify --launch %S/Inputs/odd_warps.yaml 2>&1 | FileCheck %s --check-prefix=REPORT
// RUN: %ported %t.hip | FileCheck %s
// RUN: %layout-port %s -o %t.bridged.hip --warp-blocks=pad --max-tier=bridged --verify --launch %S/Inputs/odd_warps.yaml 2>&1 | FileCheck %s --check-prefix=BRIDGED
// RUN: %layout-port %s -o %t.keep.hip 2>&1 | FileCheck %s --check-prefix=KEEP
//
// REPORT-NOT: {{(rows|columns|byThread) is not native}}
// REPORT: note: addsUp keeps its epilogue, behind a conversion of 'c': 'C' is changed from what it was, which the other half of a padded block would do again
// REPORT: compiled: gfx90a yes gfx942 yes gfx950 yes
// REPORT: verify gfx90a: proved
// REPORT: verify gfx942: proved
// REPORT: verify gfx950: proved
//
// BRIDGED: 36 sites, 3 bridged, 32 emulated, 1 renamed
// BRIDGED: verify gfx942: proved
//
// KEEP-DAG: rows is not native: it is launched with 96 threads a block, which leaves half a wave; --warp-blocks=pad may fill it
// KEEP-DAG: columns is not native: it is launched with 160 threads a block, which leaves half a wave; --warp-blocks=pad may fill it
// KEEP-DAG: rows is launched with 96 threads a block ({{.*}}): its last half wave multiplies without MFMA; whole waves need a multiple of 64 (see --warp-blocks=pad)
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
__device__ void mma(float (&d)[4], const uint32_t (&a)[4], const uint32_t (&b)[2]) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
               "{%8,%9}, {%0,%1,%2,%3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

// Three warps above each other; whoever acts for the fourth does as the third.
// CHECK-LABEL: __launch_bounds__(128 /* 96 */) rows(
// CHECK-NEXT: lp::require_whole_waves();
__global__ void __launch_bounds__(96) rows(const half *A, const half *B, float *C, int K) {
  __shared__ __align__(16) half tileA[48][16], tileB[16][16];
  // CHECK: const int warp = lp::mirrored_thread(96) / 32, lane = threadIdx.x % 32;
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  const int wm = warp * 16;
  float c[2][4] = {};
  for (int k = 0; k < K; k += 16) {
    // CHECK: for (int i = lp::mirrored_thread(96); i < 768; i += 96 /* blockDim.x */)
    for (int i = threadIdx.x; i < 768; i += blockDim.x)
      tileA[i / 16][i % 16] = A[(blockIdx.x * 48 + i / 16) * K + k + i % 16];
    for (int i = threadIdx.x; i < 256; i += blockDim.x)
      tileB[i / 16][i % 16] = B[i / 16 * K + k + i % 16];
    __syncthreads();
    uint32_t a[4], b[2][2];
    // CHECK: lp::load_a(a, [&](int lane, int padded) {
    // CHECK-NEXT: const int warp = min(padded, 2);
    // CHECK-NEXT: const int wm = warp * 16;
    // CHECK-NEXT: return &tileA[wm + lane % 16][lane / 16 * 8];
    ldsm4(a, &tileA[wm + lane % 16][lane / 16 * 8]);
    for (int j = 0; j < 2; ++j)
      ldsm2(b[j], &tileB[j * 8 + lane % 8][lane / 8 % 2 * 8]);
    for (int j = 0; j < 2; ++j)
      mma(c[j], a, b[j]);
    __syncthreads();
  }
  for (int j = 0; j < 2; ++j) {
    float *to = C + (blockIdx.x * 48 + wm + lane / 4) * 16 + j * 8 + lane % 4 * 2;
    to[0] = c[j][0];
    to[1] = c[j][1];
    to[8 * 16] = c[j][2];
    to[8 * 16 + 1] = c[j][3];
  }
}

// Five side by side; C goes through shared memory, where the last warp's place is written twice.
// CHECK-LABEL: columns(
__global__ void columns(const half *A, const half *B, float *C) {
  __shared__ __align__(16) half tileA[16][16], tileB[40][16];
  __shared__ float stage[16][40];
  const int warp = threadIdx.x >> 5, lane = threadIdx.x & 31;
  for (int i = threadIdx.x; i < 256; i += 160)
    tileA[i / 16][i % 16] = A[blockIdx.x * 256 + i];
  for (int i = threadIdx.x; i < 640; i += 160)
    tileB[i / 16][i % 16] = B[i];
  __syncthreads();
  float c[4] = {};
  uint32_t a[4], b[2];
  ldsm4(a, &tileA[lane % 16][lane / 16 * 8]);
  ldsm2(b, &tileB[warp * 8 + lane % 8][lane / 8 % 2 * 8]);
  mma(c, a, b);
  stage[lane / 4][warp * 8 + lane % 4 * 2] = c[0];
  stage[lane / 4][warp * 8 + lane % 4 * 2 + 1] = c[1];
  stage[lane / 4 + 8][warp * 8 + lane % 4 * 2] = c[2];
  stage[lane / 4 + 8][warp * 8 + lane % 4 * 2 + 1] = c[3];
  __syncthreads();
  for (int i = threadIdx.x; i < 640; i += blockDim.x)
    C[blockIdx.x * 640 + i] = stage[i / 40][i % 40];
}

// No variable is the warp's: the thread is spoken of as such, and the block's size in an address.
// CHECK-LABEL: byThread(
__global__ void byThread(const half *A, const half *B, float *C) {
  __shared__ __align__(16) half tileA[48][16], tileB[8][16];
  for (int i = threadIdx.x; i < 768; i += blockDim.x)
    tileA[i / 16][i % 16] = A[blockIdx.x * 768 + i];
  for (int i = threadIdx.x; i < 128; i += blockDim.x)
    tileB[i / 16][i % 16] = B[i];
  __syncthreads();
  float c[4] = {};
  uint32_t a[4], b[2];
  // CHECK: tileA[0][0] + (min(padded, 2) * 16 + (min(padded, 2) * 32 + lane) % 16) * (96 /* blockDim.x */ / 6)
  ldsm4(a, &tileA[0][0] + (threadIdx.x / 32 * 16 + threadIdx.x % 16) * (blockDim.x / 6) + threadIdx.x / 16 % 2 * 8);
  ldsm2(b, &tileB[threadIdx.x % 8][threadIdx.x / 8 % 2 * 8]);
  mma(c, a, b);
  float *to = C + blockIdx.x * 384 + (threadIdx.x / 32 * 16 + threadIdx.x % 32 / 4) * 8 + threadIdx.x % 4 * 2;
  to[0] = c[0];
  to[1] = c[1];
  to[8 * 8] = c[2];
  to[8 * 8 + 1] = c[3];
}

// Lanes that act for the last warp and for its mirror one after the other would add twice.
__global__ void addsUp(const half *A, const half *B, float *C) {
  __shared__ __align__(16) half tileA[48][16], tileB[8][16];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  for (int i = threadIdx.x; i < 768; i += 96)
    tileA[i / 16][i % 16] = A[blockIdx.x * 768 + i];
  for (int i = threadIdx.x; i < 128; i += 96)
    tileB[i / 16][i % 16] = B[i];
  __syncthreads();
  float c[4] = {};
  uint32_t a[4], b[2];
  ldsm4(a, &tileA[warp * 16 + lane % 16][lane / 16 * 8]);
  ldsm2(b, &tileB[lane % 8][lane / 8 % 2 * 8]);
  mma(c, a, b);
  float *to = C + blockIdx.x * 384 + (warp * 16 + lane / 4) * 8 + lane % 4 * 2;
  to[0] += c[0];
  to[1] += c[1];
  to[8 * 8] += c[2];
  to[8 * 8 + 1] += c[3];
}

void launch(const half *A, const half *B, float *C, int K) {
  // CHECK: rows<<<2, 128 /* 96 */>>>(A, B, C, K);
  rows<<<2, 96>>>(A, B, C, K);
  // CHECK: columns<<<2, 192 /* 160 */>>>(A, B, C);
  columns<<<2, 160>>>(A, B, C);
  byThread<<<2, 96>>>(A, B, C);
  addsUp<<<2, 96>>>(A, B, C);
}
