// Attention whose steps are lambdas of the kernel: scores with their mask, a softmax by functors
// without members, and values. What hangs on the lane is asked for in the lambda's own text.
//
// RUN: %prove --launch %S/lambda_masks.yaml 2>&1 | FileCheck %S/Inputs/native_proved.txt
// RUN: %ported %t.hip | FileCheck %s
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdint.h>

constexpr int D = 32, KEYS = 16, LD = D + 8;

struct Max {
  __device__ float operator()(float x, float y) const { return fmaxf(x, y); }
};
struct Sum {
  __device__ float operator()(float x, float y) const { return x + y; }
};
template <class Op> __device__ float overQuad(float x, Op op) {
  x = op(x, __shfl_xor_sync(0xffffffffu, x, 1));
  return op(x, __shfl_xor_sync(0xffffffffu, x, 2));
}
__device__ __forceinline__ uint32_t word(float x, float y) {
  const half2 v = __floats2half2_rn(x, y);
  return *(const uint32_t *)&v;
}
__device__ __forceinline__ uint32_t shared32(const void *p) {
  return (uint32_t)__cvta_generic_to_shared(p);
}

// CHECK-LABEL: attention(
// CHECK: auto score = [&](int k) {
// CHECK: s[n][e] = lp::of_element<1>(e, [&](int lane, int warp, int e) {
// CHECK-NEXT: const int key = k + n * 8 + lane % 4 * 2 + e % 2;
// CHECK: return key <= query;
// CHECK-NEXT: }) ? s[n][e] * scale : -1e30f;
// CHECK: auto soften = [&] {
// CHECK: const float m = fmaxf(top[i], overQuad(here, Max()));
// CHECK: auto add = [&] {
__global__ void __launch_bounds__(64) attention(const half *Q, const half *K, const half *V, float *O,
                                                int keys, float scale) {
  __shared__ __align__(16) half sq[32 * LD], sk[KEYS * LD], sv[KEYS * LD];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int first = blockIdx.x * 32 + warp * 16;
  uint32_t q[D / 16][4];
  float s[KEYS / 8][4], o[D / 8][4] = {};
  float top[2] = {-1e30f, -1e30f}, sum[2] = {0.f, 0.f};

  auto mma = [](float (&c)[4], const uint32_t (&a)[4], uint32_t b0, uint32_t b1) {
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
                 "{%8,%9}, {%0,%1,%2,%3};"
                 : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
  };
  auto ldsm4 = [](uint32_t (&r)[4], const half *p) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(shared32(p)));
  };
  auto ldsm4t = [](uint32_t (&r)[4], const half *p) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(shared32(p)));
  };
  auto stage = [&](half *to, const half *from, int rows) {
    for (int i = threadIdx.x; i < rows * D / 8; i += 64)
      *(uint4 *)&to[i / (D / 8) * LD + i % (D / 8) * 8] = *(const uint4 *)&from[i * 8];
  };
  auto score = [&](int k) {
    for (int n = 0; n < KEYS / 8; ++n)
      for (int e = 0; e < 4; ++e)
        s[n][e] = 0.f;
    for (int d = 0; d < D / 16; ++d) {
      uint32_t b[4];
      ldsm4(b, &sk[(lane / 16 * 8 + lane % 8) * LD + d * 16 + lane / 8 % 2 * 8]);
      mma(s[0], q[d], b[0], b[1]);
      mma(s[1], q[d], b[2], b[3]);
    }
    for (int n = 0; n < KEYS / 8; ++n)
      for (int e = 0; e < 4; ++e) {
        const int key = k + n * 8 + lane % 4 * 2 + e % 2, query = first + lane / 4 + e / 2 * 8;
        s[n][e] = key <= query ? s[n][e] * scale : -1e30f;
      }
  };
  auto soften = [&] {
    for (int i = 0; i < 2; ++i) {
      float here = -1e30f;
      for (int n = 0; n < KEYS / 8; ++n)
        here = fmaxf(here, fmaxf(s[n][2 * i], s[n][2 * i + 1]));
      const float m = fmaxf(top[i], overQuad(here, Max()));
      const float down = exp2f(top[i] - m);
      float part = 0.f;
      for (int n = 0; n < KEYS / 8; ++n)
        for (int e = 2 * i; e < 2 * i + 2; ++e) {
          s[n][e] = exp2f(s[n][e] - m);
          part += s[n][e];
        }
      sum[i] = sum[i] * down + overQuad(part, Sum());
      top[i] = m;
      for (int n = 0; n < D / 8; ++n)
        for (int e = 2 * i; e < 2 * i + 2; ++e)
          o[n][e] *= down;
    }
  };
  auto add = [&] {
    const uint32_t p[4] = {word(s[0][0], s[0][1]), word(s[0][2], s[0][3]), word(s[1][0], s[1][1]),
                           word(s[1][2], s[1][3])};
    for (int n = 0; n < D / 16; ++n) {
      uint32_t b[4];
      ldsm4t(b, &sv[lane % 16 * LD + n * 16 + lane / 16 * 8]);
      mma(o[2 * n], p, b[0], b[1]);
      mma(o[2 * n + 1], p, b[2], b[3]);
    }
  };

  stage(sq, Q + blockIdx.x * 32 * D, 32);
  __syncthreads();
  for (int d = 0; d < D / 16; ++d)
    ldsm4(q[d], &sq[(warp * 16 + lane % 16) * LD + d * 16 + lane / 16 * 8]);
  for (int k = 0; k < keys; k += KEYS) {
    __syncthreads();
    stage(sk, K + k * D, KEYS);
    stage(sv, V + k * D, KEYS);
    __syncthreads();
    score(k);
    soften();
    add();
  }
  for (int i = 0; i < 2; ++i)
    for (int n = 0; n < D / 8; ++n)
      *(float2 *)&O[(first + lane / 4 + i * 8) * D + n * 8 + lane % 4 * 2] =
          make_float2(o[n][2 * i] / sum[i], o[n][2 * i + 1] / sum[i]);
}
