// Operands that movmatrix turns on their way into the product. What ldmatrix has read is read with .trans
// instead; where the kernel reads registers itself, a lane of the turned matrix puts the halves of
// two others together.
//
// RUN: %prove --launch %S/moved_operands.yaml 2>&1 | FileCheck %S/Inputs/native_proved.txt
// RUN: %ported %t.hip | FileCheck %s --implicit-check-not=movmatrix.sync
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
__device__ __forceinline__ void mma(float (&d)[4], const uint32_t (&a)[4], uint32_t b0, uint32_t b1) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
               "{%8,%9}, {%0,%1,%2,%3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}
__device__ __forceinline__ uint32_t turned(uint32_t r) {
  uint32_t out;
  asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(out) : "r"(r));
  return out;
}

// A is M x K, B is K x N: rows of B are along n.
struct Tiles {
  half a[32][16 + 8], b[16][32 + 8];
};
__device__ void fill(Tiles &tiles, const half *A, const half *B, int K, int k) {
  __syncthreads();
  for (int e = threadIdx.x; e < 32 * 16; e += 64) {
    tiles.a[e / 16][e % 16] = A[e / 16 * K + k + e % 16];
    tiles.b[e / 32][e % 32] = B[(k + e / 32) * 32 + e % 32];
  }
  __syncthreads();
}
#define KERNEL(name)                                                                               \
  __global__ void __launch_bounds__(64) name(const half *A, const half *B, float *C, int K)

// CHECK-LABEL: (ofRead)
// CHECK: uint32_t b[4];
// CHECK-NEXT: lp::load_b{{[_0-9]*}}(b, [&](int lane, int, int j) {
// CHECK-NEXT: const auto p = &tiles.b[lane % 16][j * 8];
// CHECK-NEXT: return shared32(p);
// CHECK-NEXT: }, j);
// CHECK-NEXT: lp::mma_m16n8k16_f32_f16_wave(
KERNEL(ofRead) {
  __shared__ __align__(16) Tiles tiles;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  float c[4][4] = {};
  for (int k = 0; k < K; k += 16) {
    fill(tiles, A, B, K, k);
    uint32_t a[4];
    ldsm4(a, &tiles.a[warp * 16 + lane % 16][lane / 16 * 8]);
    for (int j = 0; j < 4; ++j) {
      uint32_t rows[2];
      uint32_t b[2];
      ldsm2(rows, &tiles.b[lane % 16][j * 8]);
      b[0] = turned(rows[0]);
      b[1] = turned(rows[1]);
      mma(c[j], a, b[0], b[1]);
    }
  }
  for (int j = 0; j < 4; ++j)
    for (int i = 0; i < 2; ++i)
      *(float2 *)&C[(warp * 16 + lane / 4 + i * 8) * 32 + j * 8 + lane % 4 * 2] = make_float2(c[j][2 * i], c[j][2 * i + 1]);
}

// The kernel's own asm, and A is turned twice: once as a whole, by the order of its registers.
// CHECK-LABEL: (byAsm)
// CHECK: lp::load_a{{[_0-9]*}}(a, [&](int lane, int warp) {
// CHECK: lp::load_b{{[_0-9]*}}(b, [&](int lane, int, int j) {
KERNEL(byAsm) {
  __shared__ __align__(16) Tiles tiles;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  float c[4][4] = {};
  for (int k = 0; k < K; k += 16) {
    fill(tiles, A, B, K, k);
    uint32_t t[4], a[4];
    ldsm4(t, &tiles.a[warp * 16 + lane % 16][lane / 16 * 8]);
    a[0] = turned(t[0]);
    a[1] = turned(t[2]);
    a[2] = turned(t[1]);
    a[3] = turned(t[3]);
    for (int j = 0; j < 4; ++j) {
      uint32_t rows[2];
      uint32_t b[2];
      ldsm2(rows, &tiles.b[lane % 16][j * 8]);
      asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(b[0]) : "r"(rows[0]));
      asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(b[1]) : "r"(rows[1]));
      mma(c[j], a, b[0], b[1]);
    }
  }
  for (int j = 0; j < 4; ++j)
    for (int i = 0; i < 2; ++i)
      *(float2 *)&C[(warp * 16 + lane / 4 + i * 8) * 32 + j * 8 + lane % 4 * 2] = make_float2(c[j][2 * i], c[j][2 * i + 1]);
}

// From memory, in a loop over the registers.
// CHECK-LABEL: (ofMemory)
// CHECK: lp::gather_b{{[_0-9]*}}(b, lp::turned([&](int lane, int, int j, int h) {
// CHECK: }), j);
KERNEL(ofMemory) {
  __shared__ __align__(16) Tiles tiles;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  float c[4][4] = {};
  for (int k = 0; k < K; k += 16) {
    fill(tiles, A, B, K, k);
    uint32_t a[4];
    ldsm4(a, &tiles.a[warp * 16 + lane % 16][lane / 16 * 8]);
    for (int j = 0; j < 4; ++j) {
      uint32_t b[2];
      for (int h = 0; h < 2; ++h) {
        const uint32_t x = *(const uint32_t *)&B[(k + h * 8 + lane / 4) * 32 + j * 8 + lane % 4 * 2];
        asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(b[h]) : "r"(x));
      }
      mma(c[j], a, b[0], b[1]);
    }
  }
  for (int j = 0; j < 4; ++j)
    for (int i = 0; i < 2; ++i)
      *(float2 *)&C[(warp * 16 + lane / 4 + i * 8) * 32 + j * 8 + lane % 4 * 2] = make_float2(c[j][2 * i], c[j][2 * i + 1]);
}

// Written into the call, and an A that is turned as well.
// CHECK-LABEL: (inCall)
// CHECK: lp::gather_a{{[_0-9]*}}(a, lp::turned([&](int lane, int warp, int r) {
// CHECK: lp::operand_b{{[_0-9]*}}(lp::turned([&](int lane, int, int j, int r) {
KERNEL(inCall) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int g = lane / 4, t = lane % 4;
  float c[4][4] = {};
  for (int k = 0; k < K; k += 16) {
    const half *at = A + (k + g) * 32 + warp * 16 + t * 2;
    uint32_t a[4];
    a[0] = turned(*(const uint32_t *)at);
    a[1] = turned(*(const uint32_t *)(at + 8));
    a[2] = turned(*(const uint32_t *)(at + 8 * 32));
    a[3] = turned(*(const uint32_t *)(at + 8 * 32 + 8));
    for (int j = 0; j < 4; ++j) {
      uint32_t b0 = *(const uint32_t *)&B[(k + g) * 32 + j * 8 + t * 2];
      uint32_t b1 = *(const uint32_t *)&B[(k + 8 + g) * 32 + j * 8 + t * 2];
      mma(c[j], a, turned(b0), turned(b1));
    }
  }
  for (int j = 0; j < 4; ++j)
    for (int i = 0; i < 2; ++i)
      *(float2 *)&C[(warp * 16 + lane / 4 + i * 8) * 32 + j * 8 + lane % 4 * 2] = make_float2(c[j][2 * i], c[j][2 * i + 1]);
}
