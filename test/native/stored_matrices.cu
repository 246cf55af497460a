// stmatrix behind native products: results are packed and stored to shared memory as matrices (two,
// four, four transposed at once), each by the lanes that have them here. Where movmatrix turns results,
// or stmatrix is given no pairs of rows r and r + 8, the sums go back to CUDA's layout first. And a
// wrapper that multiplies and stores: both are done.
//
// RUN: %prove --launch %S/stored_matrices.yaml 2>&1 | FileCheck %S/Inputs/native_tested.txt
// RUN: %layout-port %s -o %t.one.hip --target gfx942 2>&1 | FileCheck %s --implicit-check-not="keeps its epilogue"
// RUN: FileCheck %s --check-prefix=TEXT --input-file=%t.one.hip
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdint.h>

__device__ __forceinline__ uint32_t shared32(const void *p) {
  return (uint32_t)__cvta_generic_to_shared(p);
}
__device__ __forceinline__ void ldsm4(uint32_t (&r)[4], const half *p) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(shared32(p)));
}
__device__ __forceinline__ void ldsm2(uint32_t (&r)[2], const half *p) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%2];"
               : "=r"(r[0]), "=r"(r[1]) : "r"(shared32(p)));
}
__device__ __forceinline__ void mma(float (&d)[4], const uint32_t (&a)[4], const uint32_t (&b)[2]) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
               "{%8,%9}, {%0,%1,%2,%3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
__device__ __forceinline__ void mmaHalves(uint32_t (&d)[2], const uint32_t (&a)[4],
                                          const uint32_t (&b)[2]) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%0,%1}, {%2,%3,%4,%5}, "
               "{%6,%7}, {%0,%1};"
               : "+r"(d[0]), "+r"(d[1])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
__device__ __forceinline__ void stsm2(half *p, uint32_t r0, uint32_t r1) {
  asm volatile("stmatrix.sync.aligned.m8n8.x2.shared.b16 [%0], {%1,%2};"
               :: "r"(shared32(p)), "r"(r0), "r"(r1) : "memory");
}
__device__ __forceinline__ void stsm4(half *p, uint32_t r0, uint32_t r1, uint32_t r2, uint32_t r3) {
  asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1,%2,%3,%4};"
               :: "r"(shared32(p)), "r"(r0), "r"(r1), "r"(r2), "r"(r3) : "memory");
}
__device__ __forceinline__ void stsm4At(uint32_t at, const uint32_t (&r)[4]) {
  asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1,%2,%3,%4};"
               :: "r"(at), "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3]) : "memory");
}
__device__ __forceinline__ void stsm4t(half *p, uint32_t r0, uint32_t r1, uint32_t r2,
                                       uint32_t r3) {
  asm volatile("stmatrix.sync.aligned.m8n8.x4.trans.shared.b16 [%0], {%1,%2,%3,%4};"
               :: "r"(shared32(p)), "r"(r0), "r"(r1), "r"(r2), "r"(r3) : "memory");
}
__device__ __forceinline__ uint32_t turned(uint32_t r) {
  uint32_t out;
  asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(out) : "r"(r));
  return out;
}
__device__ __forceinline__ uint32_t packed(float low, float high) {
  const half2 both = __floats2half2_rn(low, high);
  return *(const uint32_t *)&both;
}

constexpr int kRow = 16 + 8, kOut = 32 + 8;
struct Tiles {
  half a[32][kRow], b[32][kRow];
};
__device__ void fill(Tiles &tiles, const half *A, const half *B, int K, int k) {
  __syncthreads();
  for (int e = threadIdx.x; e < 32 * 16; e += 64) {
    tiles.a[e / 16][e % 16] = A[e / 16 * K + k + e % 16];
    tiles.b[e / 16][e % 16] = B[e / 16 * K + k + e % 16];
  }
  __syncthreads();
}
#define KERNEL(name)                                                                               \
  __global__ void __launch_bounds__(64) name(const half *A, const half *B, half *C, int K)
#define PRODUCTS                                                                                   \
  __shared__ __align__(16) Tiles tiles;                                                            \
  __shared__ __align__(16) half out[32][kOut];                                                     \
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;                                      \
  float c[4][4] = {};                                                                              \
  for (int k = 0; k < K; k += 16) {                                                                \
    fill(tiles, A, B, K, k);                                                                       \
    uint32_t a[4], b[4][2];
#define STORE                                                                                      \
  __syncthreads();                                                                                 \
  for (int e = threadIdx.x; e < 32 * 4; e += 64)                                                   \
    *(uint4 *)&C[e / 4 * 32 + e % 4 * 8] = *(const uint4 *)&out[e / 4][e % 4 * 8];

// TEXT-LABEL: (two)
// TEXT: for (int j = 0; j < 4; ++j)
// TEXT-NEXT: lp::store_matrices<0>([&](int lane, int warp) { return &out[warp * 16 + lane % 16][j * 8]; }, packed(c[j][0], c[j][1]), packed(c[j][2], c[j][3]));
// TEXT-NEXT: __syncthreads();
KERNEL(two) {
  PRODUCTS
    ldsm4(a, &tiles.a[warp * 16 + lane % 16][lane / 16 * 8]);
    for (int j = 0; j < 4; ++j)
      ldsm2(b[j], &tiles.b[j * 8 + lane % 8][lane / 8 % 2 * 8]);
    for (int j = 0; j < 4; ++j)
      mma(c[j], a, b[j]);
  }
  for (int j = 0; j < 4; ++j)
    stsm2(&out[warp * 16 + lane % 16][j * 8], packed(c[j][0], c[j][1]), packed(c[j][2], c[j][3]));
  STORE
}

// TEXT-LABEL: (four)
// TEXT: for (int j = 0; j < 4; j += 2)
// TEXT-NEXT: lp::store_matrices<0>([&](int lane, int warp) { return &out[warp * 16 + lane % 16][j * 8 + lane / 16 * 8]; }, packed(c[j][0], c[j][1]),
// TEXT-NEXT: packed(c[j][2], c[j][3]), packed(c[j + 1][0], c[j + 1][1]),
// TEXT-NEXT: packed(c[j + 1][2], c[j + 1][3]));
KERNEL(four) {
  PRODUCTS
    ldsm4(a, &tiles.a[warp * 16 + lane % 16][lane / 16 * 8]);
    for (int j = 0; j < 4; ++j)
      ldsm2(b[j], &tiles.b[j * 8 + lane % 8][lane / 8 % 2 * 8]);
    for (int j = 0; j < 4; ++j)
      mma(c[j], a, b[j]);
  }
  for (int j = 0; j < 4; j += 2)
    stsm4(&out[warp * 16 + lane % 16][j * 8 + lane / 16 * 8], packed(c[j][0], c[j][1]),
          packed(c[j][2], c[j][3]), packed(c[j + 1][0], c[j + 1][1]),
          packed(c[j + 1][2], c[j + 1][3]));
  STORE
}

// The columns of C, one behind the other.
// TEXT-LABEL: (columns)
// TEXT: lp::store_matrices_trans<0>([&](int lane, int warp) { return &out[j * 8 + lane / 16 * 8 + lane % 8][warp * 16 + lane / 8 % 2 * 8]; },
// TEXT-NEXT: packed(c[j][0], c[j][1]), packed(c[j][2], c[j][3]), packed(c[j + 1][0], c[j + 1][1]),
// TEXT-NEXT: packed(c[j + 1][2], c[j + 1][3]));
KERNEL(columns) {
  PRODUCTS
    ldsm4(a, &tiles.a[warp * 16 + lane % 16][lane / 16 * 8]);
    for (int j = 0; j < 4; ++j)
      ldsm2(b[j], &tiles.b[j * 8 + lane % 8][lane / 8 % 2 * 8]);
    for (int j = 0; j < 4; ++j)
      mma(c[j], a, b[j]);
  }
  for (int j = 0; j < 4; j += 2)
    stsm4t(&out[j * 8 + lane / 16 * 8 + lane % 8][warp * 16 + lane / 8 % 2 * 8],
           packed(c[j][0], c[j][1]), packed(c[j][2], c[j][3]), packed(c[j + 1][0], c[j + 1][1]),
           packed(c[j + 1][2], c[j + 1][3]));
  STORE
}

// The two warps have the columns, and the matrices of rows r + 8 come last.
// TEXT-LABEL: (byColumns)
// TEXT: const uint32_t base = shared32(out);
// TEXT: lp::store_matrices<1>([&](int lane, int warp) {
// TEXT-NEXT: const int row = i * 16 + lane / 16 * 8 + lane % 8;
// TEXT-NEXT: const int chunk = (warp * 2 + lane / 8 % 2) ^ row / 2 % 4;
// TEXT-NEXT: return base + row * kOut * 2 + chunk * 16;
// TEXT-NEXT: }, words[0], words[1], words[2], words[3]);
KERNEL(byColumns) {
  __shared__ __align__(16) Tiles tiles;
  __shared__ __align__(16) half out[32][kOut];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const uint32_t base = shared32(out);
  float c[2][2][4] = {};
  for (int k = 0; k < K; k += 16) {
    fill(tiles, A, B, K, k);
    uint32_t a[2][4], b[2][2];
    for (int i = 0; i < 2; ++i)
      ldsm4(a[i], &tiles.a[i * 16 + lane % 16][lane / 16 * 8]);
    for (int j = 0; j < 2; ++j)
      ldsm2(b[j], &tiles.b[warp * 16 + j * 8 + lane % 8][lane / 8 % 2 * 8]);
    for (int i = 0; i < 2; ++i)
      for (int j = 0; j < 2; ++j)
        mma(c[i][j], a[i], b[j]);
  }
  for (int i = 0; i < 2; ++i) {
    const int row = i * 16 + lane / 16 * 8 + lane % 8, chunk = (warp * 2 + lane / 8 % 2) ^ row / 2 % 4;
    const uint32_t words[4] = {packed(c[i][0][0], c[i][0][1]), packed(c[i][1][0], c[i][1][1]),
                               packed(c[i][0][2], c[i][0][3]), packed(c[i][1][2], c[i][1][3])};
    stsm4At(base + row * kOut * 2 + chunk * 16, words);
  }
  __syncthreads();
  for (int e = threadIdx.x; e < 32 * 4; e += 64)
    *(uint4 *)&C[e / 4 * 32 + e % 4 * 8] = *(const uint4 *)&out[e / 4][(e % 4 ^ e / 8 % 4) * 8];
}

// Sums in f16 are words already; the instruction is a macro's.
#define STSM2(p, r0, r1)                                                                           \
  asm volatile("stmatrix.sync.aligned.m8n8.x2.shared.b16 [%0], {%1,%2};"                           \
               :: "r"((uint32_t)__cvta_generic_to_shared(p)), "r"(r0), "r"(r1) : "memory")
// TEXT-LABEL: (halves)
// TEXT: lp::store_matrices<0>([&](int lane, int warp) { return &out[warp * 16 + lane % 16][j * 8]; }, c[j][0], c[j][1]);
KERNEL(halves) {
  __shared__ __align__(16) Tiles tiles;
  __shared__ __align__(16) half out[32][kOut];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  uint32_t c[4][2] = {};
  for (int k = 0; k < K; k += 16) {
    fill(tiles, A, B, K, k);
    uint32_t a[4], b[4][2];
    ldsm4(a, &tiles.a[warp * 16 + lane % 16][lane / 16 * 8]);
    for (int j = 0; j < 4; ++j)
      ldsm2(b[j], &tiles.b[j * 8 + lane % 8][lane / 8 % 2 * 8]);
    for (int j = 0; j < 4; ++j)
      mmaHalves(c[j], a, b[j]);
  }
  for (int j = 0; j < 4; ++j)
    STSM2(&out[warp * 16 + lane % 16][j * 8], c[j][0], c[j][1]);
  STORE
}

// Over the tiles that the loop has read, whose last barrier stands in the loop itself.
// TEXT-LABEL: (overTiles)
// TEXT: lp::store_matrices<0>([&](int lane, int warp) { return over + (warp * 16 + lane % 16) * kOut + j * 8 + lane / 16 * 8; },
KERNEL(overTiles) {
  __shared__ __align__(16) Tiles tiles;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  float c[4][4] = {};
  fill(tiles, A, B, K, 0);
  for (int k = 0; k < K; k += 16) {
    if (k)
      fill(tiles, A, B, K, k);
    uint32_t a[4], b[4][2];
    ldsm4(a, &tiles.a[warp * 16 + lane % 16][lane / 16 * 8]);
    for (int j = 0; j < 4; ++j)
      ldsm2(b[j], &tiles.b[j * 8 + lane % 8][lane / 8 % 2 * 8]);
    for (int j = 0; j < 4; ++j)
      mma(c[j], a, b[j]);
    __syncthreads();
  }
  half *over = &tiles.a[0][0];
  for (int j = 0; j < 4; j += 2)
    stsm4(over + (warp * 16 + lane % 16) * kOut + j * 8 + lane / 16 * 8, packed(c[j][0], c[j][1]),
          packed(c[j][2], c[j][3]), packed(c[j + 1][0], c[j + 1][1]),
          packed(c[j + 1][2], c[j + 1][3]));
  __syncthreads();
  for (int e = threadIdx.x; e < 32 * 4; e += 64)
    *(uint4 *)&C[e / 4 * 32 + e % 4 * 8] = *(const uint4 *)&over[e / 4 * kOut + e % 4 * 8];
}

// One half of the rows is stored, the other is not.
// CHECK-DAG: note: upperHalf keeps its epilogue, behind a conversion of 'c': the epilogue calls 'stsm4', which does more than write to places that it is given (
KERNEL(upperHalf) {
  PRODUCTS
    ldsm4(a, &tiles.a[warp * 16 + lane % 16][lane / 16 * 8]);
    for (int j = 0; j < 4; ++j)
      ldsm2(b[j], &tiles.b[j * 8 + lane % 8][lane / 8 % 2 * 8]);
    for (int j = 0; j < 4; ++j)
      mma(c[j], a, b[j]);
  }
  for (int i = 0; i < 2; ++i)
    stsm4(&out[warp * 16 + i * 8 + lane % 8][lane / 8 * 8], packed(c[0][2 * i], c[0][2 * i + 1]),
          packed(c[1][2 * i], c[1][2 * i + 1]), packed(c[2][2 * i], c[2][2 * i + 1]),
          packed(c[3][2 * i], c[3][2 * i + 1]));
  STORE
}

// A slab is copied out while another warp stores the next: nothing says that it waits.
// CHECK-DAG: note: unparted keeps its epilogue, behind a conversion of 'c': the epilogue calls 'stsm4', which does more than write to places that it is given (
KERNEL(unparted) {
  PRODUCTS
    ldsm4(a, &tiles.a[warp * 16 + lane % 16][lane / 16 * 8]);
    for (int j = 0; j < 4; ++j)
      ldsm2(b[j], &tiles.b[j * 8 + lane % 8][lane / 8 % 2 * 8]);
    for (int j = 0; j < 4; ++j)
      mma(c[j], a, b[j]);
  }
  for (int j = 0; j < 4; j += 2) {
    stsm4(&out[warp * 16 + lane % 16][j / 2 % 2 * 16 + lane / 16 * 8], packed(c[j][0], c[j][1]),
          packed(c[j][2], c[j][3]), packed(c[j + 1][0], c[j + 1][1]),
          packed(c[j + 1][2], c[j + 1][3]));
    __syncthreads();
    for (int e = threadIdx.x; e < 32 * 2; e += 64)
      *(uint4 *)&C[e / 2 * 32 + j * 8 + e % 2 * 8] = *(const uint4 *)&out[e / 2][j / 2 % 2 * 16 + e % 2 * 8];
  }
}

// Two matrices go to one place: the last one counts.
// CHECK-DAG: note: overlapping keeps its epilogue, behind a conversion of 'c': the epilogue calls 'stsm4', which does more than write to places that it is given (
KERNEL(overlapping) {
  PRODUCTS
    ldsm4(a, &tiles.a[warp * 16 + lane % 16][lane / 16 * 8]);
    for (int j = 0; j < 4; ++j)
      ldsm2(b[j], &tiles.b[j * 8 + lane % 8][lane / 8 % 2 * 8]);
    for (int j = 0; j < 4; ++j)
      mma(c[j], a, b[j]);
  }
  for (int e = threadIdx.x; e < 32 * 32; e += 64)
    out[e / 32][e % 32] = __float2half(0.f);
  __syncthreads();
  for (int j = 0; j < 4; j += 2)
    stsm4(&out[warp * 16 + lane % 16][j * 4 + lane / 16 * 8], packed(c[j][0], c[j][1]),
          packed(c[j][2], c[j][3]), packed(c[j + 1][0], c[j + 1][1]),
          packed(c[j + 1][2], c[j + 1][3]));
  STORE
}

// CHECK-DAG: note: inRegisters keeps its epilogue, behind a conversion of 'c': the epilogue calls 'turned', which asks other lanes (
KERNEL(inRegisters) {
  PRODUCTS
    ldsm4(a, &tiles.a[warp * 16 + lane % 16][lane / 16 * 8]);
    for (int j = 0; j < 4; ++j)
      ldsm2(b[j], &tiles.b[j * 8 + lane % 8][lane / 8 % 2 * 8]);
    for (int j = 0; j < 4; ++j)
      mma(c[j], a, b[j]);
  }
  for (int j = 0; j < 4; ++j)
    for (int upper = 0; upper < 2; ++upper)
      *(uint32_t *)&out[j * 8 + lane / 4][warp * 16 + upper * 8 + lane % 4 * 2] =
          turned(packed(c[j][upper * 2], c[j][upper * 2 + 1]));
  STORE
}

// What else a wrapper does is done.
__device__ __forceinline__ void mmaAndTell(float (&d)[4], const uint32_t (&a)[4],
                                           const uint32_t (&b)[2], uint32_t at, uint32_t value) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
               "{%8,%9}, {%0,%1,%2,%3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
  asm volatile("st.shared.u32 [%0], %1;" :: "r"(at), "r"(value) : "memory");
}
KERNEL(tells) {
  __shared__ __align__(16) Tiles tiles;
  __shared__ float told[64];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  float c[4] = {};
  for (int k = 0; k < K; k += 16) {
    fill(tiles, A, B, K, k);
    uint32_t a[4], b[2];
    ldsm4(a, &tiles.a[warp * 16 + lane % 16][lane / 16 * 8]);
    ldsm2(b, &tiles.b[lane % 8][lane / 8 % 2 * 8]);
    mmaAndTell(c, a, b, shared32(&told[threadIdx.x]), __float_as_uint(1.0f));
  }
  __syncthreads();
  for (int e = 0; e < 4; ++e)
    C[(warp * 16 + lane / 4 + e / 2 * 8) * 32 + lane % 4 * 2 + e % 2] = __float2half(c[e]);
  C[threadIdx.x / 2 * 32 + 16 + threadIdx.x % 2] = __float2half(told[threadIdx.x ^ 1]);
}
