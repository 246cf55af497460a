// Wrappers around one instruction that return its registers by value: what takes them is declared
// with them or assigned, and goes by any name.
//
// RUN: %prove --launch %S/by_value.yaml 2>&1 | FileCheck %S/Inputs/native_proved.txt
// RUN: %ported %t.hip | FileCheck %s
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdint.h>

namespace detail {
struct FragA {
  uint32_t r[4];
};
struct FragB {
  uint32_t r[2];
};
struct FragC {
  float x[4];
};

__device__ __forceinline__ uint4 ldmatrix_x4(const half *p) {
  uint4 r;
  uint32_t s = static_cast<uint32_t>(__cvta_generic_to_shared(p));
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];\n"
               : "=r"(r.x), "=r"(r.y), "=r"(r.z), "=r"(r.w) : "r"(s));
  return r;
}
__device__ __forceinline__ uint2 ldmatrix_x2(const half *p) {
  uint2 r;
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];\n"
               : "=r"(r.x), "=r"(r.y)
               : "r"(static_cast<uint32_t>(__cvta_generic_to_shared(p))));
  return r;
}
__device__ __forceinline__ FragA load_a(const half *p) {
  const uint32_t s = static_cast<uint32_t>(__cvta_generic_to_shared(p));
  FragA a;
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];\n"
               : "=r"(a.r[0]), "=r"(a.r[1]), "=r"(a.r[2]), "=r"(a.r[3]) : "r"(s));
  return a;
}
template <int Pitch> __device__ __forceinline__ FragB load_b(const half *tile, int row, int k) {
  FragB b;
  uint32_t s = static_cast<uint32_t>(__cvta_generic_to_shared(tile + row * Pitch + k));
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];\n"
               : "=r"(b.r[0]), "=r"(b.r[1]) : "r"(s));
  return b;
}
} // namespace detail

// The sums are the parameter that is returned.
__device__ __forceinline__ float4 mma(float4 c, uint4 a, uint2 b) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
               "{%8,%9}, {%0,%1,%2,%3};\n"
               : "+f"(c.x), "+f"(c.y), "+f"(c.z), "+f"(c.w)
               : "r"(a.x), "r"(a.y), "r"(a.z), "r"(a.w), "r"(b.x), "r"(b.y));
  return c;
}
// ... or a variable of the wrapper's own,
__device__ __forceinline__ detail::FragC multiplied(const detail::FragA &a, const detail::FragB &b,
                                                    const detail::FragC &c) {
  detail::FragC d;
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
               "{%8,%9}, {%10,%11,%12,%13};\n"
               : "=f"(d.x[0]), "=f"(d.x[1]), "=f"(d.x[2]), "=f"(d.x[3])
               : "r"(a.r[0]), "r"(a.r[1]), "r"(a.r[2]), "r"(a.r[3]), "r"(b.r[0]), "r"(b.r[1]),
                 "f"(c.x[0]), "f"(c.x[1]), "f"(c.x[2]), "f"(c.x[3]));
  return d;
}
// ... that begins with them.
__device__ __forceinline__ float4 added(uint4 a, uint2 b, const float4 &c) {
  float4 d = c;
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
               "{%8,%9}, {%0,%1,%2,%3};\n"
               : "+f"(d.x), "+f"(d.y), "+f"(d.z), "+f"(d.w)
               : "r"(a.x), "r"(a.y), "r"(a.z), "r"(a.w), "r"(b.x), "r"(b.y));
  return d;
}
// By reference, as in other kernels.
__device__ __forceinline__ void multiply(float4 &c, const uint4 &a, uint2 const &b) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
               "{%8,%9}, {%0,%1,%2,%3};\n"
               : "+f"(c.x), "+f"(c.y), "+f"(c.z), "+f"(c.w)
               : "r"(a.x), "r"(a.y), "r"(a.z), "r"(a.w), "r"(b.x), "r"(b.y));
}

// 64 rows of A, 16 a warp, and 32 columns of B.
__device__ __forceinline__ void stage(half (&sA)[64 * 24], half (&sB)[32 * 24], const half *A,
                                      const half *B, int K, int k) {
  for (int v = threadIdx.x; v < 128; v += 128)
    *(uint4 *)&sA[v / 2 * 24 + v % 2 * 8] = *(const uint4 *)&A[(blockIdx.y * 64 + v / 2) * K + k + v % 2 * 8];
  for (int v = threadIdx.x; v < 64; v += 128)
    *(uint4 *)&sB[v / 2 * 24 + v % 2 * 8] = *(const uint4 *)&B[(blockIdx.x * 32 + v / 2) * K + k + v % 2 * 8];
}

// CHECK-LABEL: void __launch_bounds__(128) declared(
// CHECK: {{^    uint4 a;$}}
// CHECK-NEXT: {{^    }}lp::load_a(lp::regs<unsigned int>(a), [&](int lane, int warp) { return sA + (warp * 16 +
// CHECK: {{^      uint2 b;$}}
// CHECK-NEXT: {{^      }}lp::load_b(lp::regs<unsigned int>(b), [&](int lane, int, int j) {
// CHECK-NEXT: lp::mma_m16n8k16_f32_f16_steps_wave(lp::regs<float>(c[j]),
__global__ void __launch_bounds__(128) declared(const half *A, const half *B, float *C, int N, int K) {
  __shared__ __align__(16) half sA[64 * 24], sB[32 * 24];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  float4 c[4];
  for (int j = 0; j < 4; ++j)
    c[j] = make_float4(0.f, 0.f, 0.f, 0.f);
  for (int k = 0; k < K; k += 16) {
    stage(sA, sB, A, B, K, k);
    __syncthreads();
    const uint4 a = detail::ldmatrix_x4(sA + (warp * 16 + lane % 16) * 24 + lane / 16 * 8);
    for (int j = 0; j < 4; ++j) {
      uint2 const b = detail::ldmatrix_x2(sB + (j * 8 + lane % 8) * 24 + lane / 8 % 2 * 8);
      multiply(c[j], a, b);
    }
    __syncthreads();
  }
  for (int j = 0; j < 4; ++j) {
    const int row = blockIdx.y * 64 + warp * 16 + lane / 4, col = blockIdx.x * 32 + j * 8 + lane % 4 * 2;
    C[row * N + col] = c[j].x;
    C[row * N + col + 1] = c[j].y;
    C[(row + 8) * N + col] = c[j].z;
    C[(row + 8) * N + col + 1] = c[j].w;
  }
}

// CHECK-LABEL: void __launch_bounds__(128) assigned(
// CHECK: {{^    }}lp::load_a{{.*}}(lp::regs<unsigned int>(a), [&]
// CHECK: {{^      }}lp::load_b{{.*}}(lp::regs<unsigned int>(b[j]), [&]
// CHECK: {{^      }}lp::mma_m16n8k16_f32_f16_wave{{.*}}(lp::regs<float>(c[j & ~3]), {{.*}}, lp::regs<unsigned int>(a), lp::regs<unsigned int>(b[j & ~1]), lp::regs<unsigned int>(b[j | 1]), j % 4 == 3);
__global__ void __launch_bounds__(128) assigned(const half *A, const half *B, float *C, int N, int K) {
  __shared__ __align__(16) half sA[64 * 24], sB[32 * 24];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  float4 c[4];
  for (int j = 0; j < 4; ++j)
    c[j] = make_float4(0.f, 0.f, 0.f, 0.f);
  uint4 a;
  uint2 b[4];
  for (int k = 0; k < K; k += 16) {
    stage(sA, sB, A, B, K, k);
    __syncthreads();
    a = detail::ldmatrix_x4(sA + (warp * 16 + lane % 16) * 24 + lane / 16 * 8);
    for (int j = 0; j < 4; ++j)
      b[j] = detail::ldmatrix_x2(sB + (j * 8 + lane % 8) * 24 + lane / 8 % 2 * 8);
    for (int j = 0; j < 4; ++j)
      c[j] = mma(c[j], a, b[j]);
    __syncthreads();
  }
  for (int j = 0; j < 4; ++j) {
    const int row = blockIdx.y * 64 + warp * 16 + lane / 4, col = blockIdx.x * 32 + j * 8 + lane % 4 * 2;
    C[row * N + col] = c[j].x;
    C[row * N + col + 1] = c[j].y;
    C[(row + 8) * N + col] = c[j].z;
    C[(row + 8) * N + col + 1] = c[j].w;
  }
}

// CHECK-LABEL: structs(
// CHECK: {{^    detail::FragA a;$}}
// CHECK-NEXT: {{^    }}lp::load_a(a.r, [&](int lane, int warp) {
// CHECK: {{^      detail::FragB b;$}}
// CHECK-NEXT: {{^      }}lp::load_b(b.r, [&](int lane, int, int j) {
// CHECK: lp::mma_m16n8k16_f32_f16_steps_wave(c[j].x, a.r, b.r, j & 1, held{{.*}});
template <int Pitch>
__global__ void __launch_bounds__(128) structs(const half *A, const half *B, float *C, int N, int K) {
  __shared__ __align__(16) half sA[64 * Pitch], sB[32 * Pitch];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  detail::FragC c[4] = {};
  for (int k = 0; k < K; k += 16) {
    stage(sA, sB, A, B, K, k);
    __syncthreads();
    const detail::FragA a = detail::load_a(sA + (warp * 16 + lane % 16) * Pitch + lane / 16 * 8);
    for (int j = 0; j < 4; ++j) {
      auto b = detail::load_b<Pitch>(sB, j * 8 + lane % 8, lane / 8 % 2 * 8);
      c[j] = multiplied(a, b, c[j]);
    }
    __syncthreads();
  }
  for (int j = 0; j < 4; ++j)
    for (int e = 0; e < 4; ++e)
      C[(blockIdx.y * 64 + warp * 16 + lane / 4 + e / 2 * 8) * N + blockIdx.x * 32 + j * 8 + lane % 4 * 2 + e % 2] =
          c[j].x[e];
}
template __global__ void structs<24>(const half *, const half *, float *, int, int);

// In a function that is ported where it stands.
// CHECK-LABEL: void step(
// CHECK: {{^  uint4 a;$}}
// CHECK: {{^    uint2 b;$}}
// CHECK: lp::mma_m16n8k16_f32_f16_wave{{.*}}(lp::regs<float>(c[j & ~1]), lp::regs<float>(c[j | 1]),
__device__ __forceinline__ void step(float4 (&c)[4], const half *rows, const half *columns) {
  const auto a = detail::ldmatrix_x4(rows);
  for (int j = 0; j < 4; ++j) {
    auto const b = detail::ldmatrix_x2(columns + j * 8 * 24);
    c[j] = added(a, b, c[j]);
  }
}
__global__ void __launch_bounds__(128) inFunction(const half *A, const half *B, float *C, int N, int K) {
  __shared__ __align__(16) half sA[64 * 24], sB[32 * 24];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  float4 c[4];
  for (int j = 0; j < 4; ++j)
    c[j] = make_float4(0.f, 0.f, 0.f, 0.f);
  for (int k = 0; k < K; k += 16) {
    stage(sA, sB, A, B, K, k);
    __syncthreads();
    step(c, sA + (warp * 16 + lane % 16) * 24 + lane / 16 * 8, sB + lane % 8 * 24 + lane / 8 % 2 * 8);
    __syncthreads();
  }
  for (int j = 0; j < 4; ++j) {
    const int row = blockIdx.y * 64 + warp * 16 + lane / 4, col = blockIdx.x * 32 + j * 8 + lane % 4 * 2;
    C[row * N + col] = c[j].x;
    C[row * N + col + 1] = c[j].y;
    C[(row + 8) * N + col] = c[j].z;
    C[(row + 8) * N + col + 1] = c[j].w;
  }
}
