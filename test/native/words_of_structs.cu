// Fragments that are structs of words, seen as words by a cast of their address: classes with an
// operator [], as in Marlin, of half2 and of float; a vector of floats; and a class that multiplies what
// it reads, with the words of A and B in variables of their own and a pointer to the tile of the sums.
//
// RUN: %prove --launch %S/words_of_structs.yaml 2>&1 | FileCheck %S/Inputs/native_proved.txt
// RUN: %ported %t.hip | FileCheck %s
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdint.h>

template <class T, int n> struct Vec {
  T elems[n];
  __device__ T &operator[](int i) { return elems[i]; }
};
using FragA = Vec<half2, 4>;
using FragB = Vec<half2, 2>;
using FragC = Vec<float, 4>;

__device__ inline void mma(const FragA &a_frag, const FragB &b_frag, FragC &c_frag) {
  const uint32_t *a = reinterpret_cast<const uint32_t *>(&a_frag);
  const uint32_t *b = reinterpret_cast<const uint32_t *>(&b_frag);
  float *c = reinterpret_cast<float *>(&c_frag);
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%10,%11,%12,%13};"
               : "=f"(c[0]), "=f"(c[1]), "=f"(c[2]), "=f"(c[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), "f"(c[0]), "f"(c[1]), "f"(c[2]),
                 "f"(c[3]));
}

__device__ inline void ldsm4(FragA &frag, const void *p) {
  uint32_t *a = reinterpret_cast<uint32_t *>(&frag);
  uint32_t at = static_cast<uint32_t>(__cvta_generic_to_shared(p));
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(a[0]), "=r"(a[1]), "=r"(a[2]), "=r"(a[3])
               : "r"(at));
}

__device__ inline void stage(half (&tile)[32][24], const half *from, int K) {
  __syncthreads();
  for (int i = threadIdx.x; i < 32 * 16; i += 64)
    tile[i / 16][i % 16] = from[i / 16 * K + i % 16];
  __syncthreads();
}

// CHECK-LABEL: void as_in_marlin(
__global__ void as_in_marlin(const half *A, const half *B, float *C, int N, int K) {
  __shared__ __align__(16) half tile[32][24];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  FragC c[2] = {};
  for (int k = 0; k < K; k += 16) {
    stage(tile, A + k, K);
    FragA a;
    // CHECK: lp::load_a(a.elems, [&](int lane, int warp) {
    ldsm4(a, &tile[warp * 16 + lane % 16][lane / 16 * 8]);
    FragB b[2];
    for (int j = 0; j < 2; ++j) {
      const half2 *p = reinterpret_cast<const half2 *>(B + (j * 8 + lane / 4) * K + k) + lane % 4;
      // CHECK: lp::gather_b(b[j].elems, [&](int lane, int, int j, int r) {
      b[j][0] = p[0];
      b[j][1] = p[4];
    }
    for (int j = 0; j < 2; ++j)
      mma(a, b[j], c[j]);
  }
  for (int j = 0; j < 2; ++j) {
    float *out = C + (warp * 16 + lane / 4) * N + j * 8 + lane % 4 * 2;
    out[0] = c[j][0];
    out[1] = c[j][1];
    out[8 * N] = c[j][2];
    out[8 * N + 1] = c[j][3];
  }
}

__device__ inline void mma(float4 &d, const uint4 &a, const uint32_t (&b)[2]) {
  float *c = reinterpret_cast<float *>(&d);
  const uint32_t *w = reinterpret_cast<const uint32_t *>(&a);
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
               : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
               : "r"(w[0]), "r"(w[1]), "r"(w[2]), "r"(w[3]), "r"(b[0]), "r"(b[1]));
}

// CHECK-LABEL: void vectors(
__global__ void vectors(const half *A, const half *B, float *C, int N, int K) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  float4 c[2];
  for (int j = 0; j < 2; ++j)
    c[j] = make_float4(0.f, 0.f, 0.f, 0.f);
  for (int k = 0; k < K; k += 16) {
    const uint32_t *p = reinterpret_cast<const uint32_t *>(A + (warp * 16 + lane / 4) * K + k) + lane % 4;
    const uint32_t *q = p + 4 * K;
    uint4 a = make_uint4(p[0], q[0], p[4], q[4]);
    uint32_t b[2][2];
    for (int j = 0; j < 2; ++j)
      for (int h = 0; h < 2; ++h)
        b[j][h] = reinterpret_cast<const uint32_t *>(B + (j * 8 + lane / 4) * K + k)[lane % 4 + h * 4];
    for (int j = 0; j < 2; ++j)
      mma(c[j], a, b[j]);
  }
  for (int j = 0; j < 2; ++j) {
    float *out = C + (warp * 16 + lane / 4) * N + j * 8 + lane % 4 * 2;
    *reinterpret_cast<float2 *>(out) = make_float2(c[j].x, c[j].y);
    *reinterpret_cast<float2 *>(out + 8 * N) = make_float2(c[j].z, c[j].w);
  }
}

template <int Tiles> class Multiplier {
public:
  float acc[Tiles][4];
  __device__ void reset() {
    for (int j = 0; j < Tiles; ++j)
      for (int e = 0; e < 4; ++e)
        acc[j][e] = 0.f;
  }
  // CHECK-LABEL: void run(
  __device__ void run(const half *A, const half *B, int K, int warp, int lane) {
    const int g = lane >> 2, t = (lane & 3) * 2;
    // CHECK: lp::gather_a(lp::scalars(a0, a1, a2, a3), [&](int lane, int warp, int r) {
    const uint32_t a0 = word(A + (warp * 16 + g) * K + t), a1 = word(A + (warp * 16 + g + 8) * K + t);
    const uint32_t a2 = word(A + (warp * 16 + g) * K + t + 8), a3 = word(A + (warp * 16 + g + 8) * K + t + 8);
    for (int j = 0; j < Tiles; ++j) {
      const uint32_t b0 = word(B + (j * 8 + g) * K + t), b1 = word(B + (j * 8 + g) * K + t + 8);
      // CHECK: lp::mma_m16n8k16_f32_f16_wave{{[_0-9]*}}(acc[j & ~1], acc[j | 1], lp::scalars(a0, a1, a2, a3), lp::scalars(b0, b1), j & 1);
      float *c = acc[j];
      asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                   : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
                   : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1));
    }
  }
  static __device__ uint32_t word(const half *p) { return *reinterpret_cast<const uint32_t *>(p); }
};

// CHECK-LABEL: void by_class(
__global__ void by_class(const half *A, const half *B, float *C, int N, int K) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  Multiplier<2> m;
  m.reset();
  for (int k = 0; k < K; k += 16)
    m.run(A + k, B + k, K, warp, lane);
  for (int j = 0; j < 2; ++j) {
    float *out = C + (warp * 16 + lane / 4) * N + j * 8 + lane % 4 * 2;
    *reinterpret_cast<float2 *>(out) = make_float2(m.acc[j][0], m.acc[j][1]);
    *reinterpret_cast<float2 *>(out + 8 * N) = make_float2(m.acc[j][2], m.acc[j][3]);
  }
}

// Every lane counts from where it reads.
// CHECK-LABEL: void from_lane(
__global__ void from_lane(const half *A, const half *B, float *C, int N, int K) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const uint32_t *p = reinterpret_cast<const uint32_t *>(A + (warp * 16 + lane / 4) * K);
  const uint32_t *q = reinterpret_cast<const uint32_t *>(B + lane / 4 * K);
  float c[2][4] = {};
  // CHECK: for (int k0 = lane % 4; k0 < K / 2; k0 += 2 * 8)
// CHECK-NEXT: #pragma unroll
// CHECK-NEXT: for (int k = k0; k - k0 < 2 * 8 && k < K / 2; k += 8) {
  for (int k = lane % 4; k < K / 2; k += 8) {
    uint32_t a[4] = {p[k], p[4 * K + k], p[k + 4], p[4 * K + k + 4]};
#pragma unroll
    for (int j = 0; j < 2; ++j) {
      uint32_t b[2] = {q[j * 4 * K + k], q[j * 4 * K + k + 4]};
      // CHECK: lp::mma_m16n8k16_f32_f16_steps_wave{{[_0-9]*}}(
      asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                   : "+f"(c[j][0]), "+f"(c[j][1]), "+f"(c[j][2]), "+f"(c[j][3])
                   : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
    }
  }
  for (int j = 0; j < 2; ++j) {
    float *out = C + (warp * 16 + lane / 4) * N + j * 8 + lane % 4 * 2;
    *reinterpret_cast<float2 *>(out) = make_float2(c[j][0], c[j][1]);
    *reinterpret_cast<float2 *>(out + 8 * N) = make_float2(c[j][2], c[j][3]);
  }
}
