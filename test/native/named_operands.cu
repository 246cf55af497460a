// Operands of asm that go by names, %[a0], and a struct of both operands whose one register of B is a
// member of its own; the product is the struct's operator().
//
// RUN: %prove --launch %S/named_operands.yaml 2>&1 | FileCheck %S/Inputs/native_proved.txt
// RUN: %layout-port %s -o %t.one.hip --target gfx942
// RUN: %ported %t.one.hip | FileCheck %s
// CHECK: __global__ void __launch_bounds__(128) byNames(
// CHECK: lp::load_a(a.r, [&](int lane, int warp) {
// CHECK: lp::load_b(b.r, [&](int lane, int, int j) {
// CHECK: __global__ void __launch_bounds__(128) inOne(
// CHECK: lp::load_b_2(lp::scalars(op.b), [&](int lane, int, int j) {
// CHECK: lp::mma_m16n8k8_f32_f16_steps_wave(acc[j], op.a, lp::scalars(op.b), j & 1, held[j], kk / 8);
// CHECK-NOT: to_warp_
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdint.h>

constexpr int PITCH = 40;

struct Sums {
  float v[4];
  __device__ void clear() { v[0] = v[1] = v[2] = v[3] = 0.f; }
};
struct Rows {
  uint32_t r[4];
  __device__ void load(const half *tile, int lane) {
    uint32_t at = (uint32_t)__cvta_generic_to_shared(tile + (lane & 15) * PITCH + (lane >> 4) * 8);
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%[r0], %[r1], %[r2], %[r3]}, [%[at]];"
                 : [r0] "=r"(r[0]), [r1] "=r"(r[1]), [r2] "=r"(r[2]), [r3] "=r"(r[3])
                 : [at] "r"(at));
  }
};
struct Columns {
  uint32_t r[2];
  __device__ void load(const half *tile, int lane) {
    uint32_t at = (uint32_t)__cvta_generic_to_shared(tile + (lane & 7) * PITCH + (lane >> 3 & 1) * 8);
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%[r0], %[r1]}, [%[at]];"
                 : [r0] "=r"(r[0]), [r1] "=r"(r[1])
                 : [at] "r"(at));
  }
};
__device__ __forceinline__ void multiply(Sums &d, const Rows &a, const Columns &b) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
               "{%[d0], %[d1], %[d2], %[d3]}, {%[a0], %[a1], %[a2], %[a3]}, {%[b0], %[b1]}, "
               "{%[d0], %[d1], %[d2], %[d3]};"
               : [d0] "+f"(d.v[0]), [d1] "+f"(d.v[1]), [d2] "+f"(d.v[2]), [d3] "+f"(d.v[3])
               : [a0] "r"(a.r[0]), [a1] "r"(a.r[1]), [a2] "r"(a.r[2]), [a3] "r"(a.r[3]),
                 [b0] "r"(b.r[0]), [b1] "r"(b.r[1]));
}

__device__ __forceinline__ void copy(half *to, const half *from, int rows, int k) {
  for (int i = threadIdx.x; i < rows * 4; i += 128)
    *(uint4 *)&to[i / 4 * PITCH + i % 4 * 8] = *(const uint4 *)&from[i / 4 * k + i % 4 * 8];
}

__global__ void __launch_bounds__(128) byNames(const half *A, const half *B, half *C, int n, int k) {
  __shared__ __align__(16) half as[64 * PITCH], bs[32 * PITCH];
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  Sums c[4];
#pragma unroll
  for (int j = 0; j < 4; ++j) c[j].clear();
  for (int k0 = 0; k0 < k; k0 += 32) {
    copy(as, A + blockIdx.y * 64 * k + k0, 64, k);
    copy(bs, B + blockIdx.x * 32 * k + k0, 32, k);
    __syncthreads();
#pragma unroll
    for (int kk = 0; kk < 32; kk += 16) {
      Rows a;
      a.load(as + warp * 16 * PITCH + kk, lane);
#pragma unroll
      for (int j = 0; j < 4; ++j) {
        Columns b;
        b.load(bs + j * 8 * PITCH + kk, lane);
        multiply(c[j], a, b);
      }
    }
    __syncthreads();
  }
  half *to = C + (blockIdx.y * 64 + warp * 16 + lane / 4) * n + blockIdx.x * 32 + lane % 4 * 2;
#pragma unroll
  for (int j = 0; j < 4; ++j) {
    *(half2 *)(to + j * 8) = __floats2half2_rn(c[j].v[0], c[j].v[1]);
    *(half2 *)(to + j * 8 + 8 * n) = __floats2half2_rn(c[j].v[2], c[j].v[3]);
  }
}

struct Product {
  uint32_t a[2];
  uint32_t b;
  __device__ void loadA(const half *p) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];"
                 : "=r"(a[0]), "=r"(a[1])
                 : "r"((uint32_t)__cvta_generic_to_shared(p)));
  }
  __device__ void loadB(const half *p) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];"
                 : "=r"(b)
                 : "r"((uint32_t)__cvta_generic_to_shared(p)));
  }
  __device__ void operator()(float *c) const {
    asm("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5}, {%6}, "
        "{%0, %1, %2, %3};"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
        : "r"(a[0]), "r"(a[1]), "r"(b));
  }
};

// beta * C + A * B
__global__ void __launch_bounds__(128) inOne(const half *A, const half *B, float *C, int n, int k,
                                             float beta) {
  __shared__ __align__(16) half as[64 * PITCH], bs[32 * PITCH];
  const int lane = threadIdx.x & 31, strip = (threadIdx.x >> 5) * 16;
  float acc[4][4];
#pragma unroll
  for (int j = 0; j < 4; j++)
    acc[j][0] = acc[j][1] = acc[j][2] = acc[j][3] = 0.0f;
  for (int k0 = 0; k0 < k; k0 += 32) {
    copy(as, A + blockIdx.y * 64 * k + k0, 64, k);
    copy(bs, B + blockIdx.x * 32 * k + k0, 32, k);
    __syncthreads();
#pragma unroll
    for (int kk = 0; kk < 32; kk += 8) {
      Product op;
      op.loadA(&as[(strip + (lane & 15)) * PITCH + kk]);
#pragma unroll
      for (int j = 0; j < 4; j++) {
        op.loadB(&bs[(j * 8 + (lane & 7)) * PITCH + kk]);
        op(acc[j]);
      }
    }
    __syncthreads();
  }
#pragma unroll
  for (int j = 0; j < 4; j++)
#pragma unroll
    for (int e = 0; e < 4; e++) {
      int row = blockIdx.y * 64 + strip + lane / 4 + (e & 2) * 4;
      int col = blockIdx.x * 32 + j * 8 + lane % 4 * 2 + (e & 1);
      float *c = C + (size_t)row * n + col;
      *c = acc[j][e] + beta * *c;
    }
}
