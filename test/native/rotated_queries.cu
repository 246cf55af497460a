// Attention whose queries are turned by their place (RoPE) in the registers that ldmatrix filled:
// they stay where CUDA has them and move for each product, and the code between the products is
// followed as where nothing was turned.
//
// RUN: %prove --launch %S/rotated_queries.yaml 2>&1 | FileCheck %S/Inputs/native_kept_proved.txt
// RUN: %ported %t.hip | FileCheck %s
// RUN: %layout-port explain %s | FileCheck %s --check-prefix=EXPLAIN
// EXPLAIN: qf[4][4]: first operand of mma.m16n8k16.f16
// EXPLAIN-NEXT: CUDA  register
// EXPLAIN-NEXT: moved  register
// EXPLAIN: s: {{.*}}, qf moved from CUDA's layout for each product
// EXPLAIN: moved for each product: 'qf' is an operand and is used by other code
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdint.h>

constexpr int kDim = 64, kRows = 32, kKeys = 32;

__device__ int at(int r, int c) { return r * kDim + ((c ^ (r & 7)) << 3); }
__device__ void ldsm4(uint32_t (&r)[4], const half *p) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"((uint32_t)__cvta_generic_to_shared(p)));
}
__device__ void ldsm4t(uint32_t (&r)[4], const half *p) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"((uint32_t)__cvta_generic_to_shared(p)));
}
__device__ void mma(float (&d)[4], const uint32_t (&a)[4], uint32_t b0, uint32_t b1) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
               "{%8,%9}, {%0,%1,%2,%3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}
__device__ uint32_t pack(float x, float y) {
  half2 h = __floats2half2_rn(x, y);
  return *reinterpret_cast<uint32_t *>(&h);
}
__device__ void fill(half *to, const half *from) {
  for (int i = threadIdx.x; i < kKeys * 8; i += 64)
    *(uint4 *)(to + at(i / 8, i % 8)) = *(const uint4 *)(from + i / 8 * kDim + i % 8 * 8);
}

// x[d] and x[d + 4], in lanes two apart, are turned by angle d of the place: (cos, sin).
__device__ uint32_t rotate(uint32_t pair, const float2 *angles) {
  const int t = threadIdx.x & 3;
  const float2 x = __half22float2(*reinterpret_cast<half2 *>(&pair));
  const float other0 = __shfl_xor_sync(~0u, x.x, 2), other1 = __shfl_xor_sync(~0u, x.y, 2);
  const float2 f0 = angles[2 * (t & 1)], f1 = angles[2 * (t & 1) + 1];
  const float sign = t < 2 ? -1.f : 1.f;
  return pack(x.x * f0.x + sign * other0 * f0.y, x.y * f1.x + sign * other1 * f1.y);
}

// CHECK-LABEL: attention(
// CHECK: qf[0][0] = rotate(qf[0][0],
// CHECK: lp::mma_m16n8k16_f32_f16{{.*}}lp::move_a(qf[k])
// CHECK-NOT: lp::to_warp_layout
// CHECK: lp::mma_m16n8k16_f32_f16
__global__ void __launch_bounds__(64)
    attention(const half *Q, const half *K, const half *V, const float2 *rope, half *O, int keys,
              float scale) {
  __shared__ __align__(128) half sQ[kRows * kDim], sK[kKeys * kDim], sV[kKeys * kDim];
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5, g = lane >> 2, t = lane & 3;
  const int row0 = blockIdx.x * kRows + warp * 16 + g;
  uint32_t qf[4][4];
  float o[8][4] = {}, row_max[2] = {-INFINITY, -INFINITY}, row_sum[2] = {0.f, 0.f};
  fill(sQ, Q + blockIdx.x * kRows * kDim);
  for (int n = 0; n < keys; n += kKeys) {
    __syncthreads();
    fill(sK, K + n * kDim);
    fill(sV, V + n * kDim);
    __syncthreads();
    if (n == 0) {
      for (int k = 0; k < 4; ++k)
        ldsm4(qf[k], sQ + at(warp * 16 + (lane & 15), 2 * k + (lane >> 4)));
      qf[0][0] = rotate(qf[0][0], rope + row0 * 4);
      qf[0][1] = rotate(qf[0][1], rope + (row0 + 8) * 4);
    }
    float s[4][4] = {};
    for (int k = 0; k < 4; ++k)
      for (int np = 0; np < 2; ++np) {
        uint32_t b[4];
        ldsm4(b, sK + at(np * 16 + (lane & 7) + ((lane >> 4) << 3), 2 * k + ((lane >> 3) & 1)));
        mma(s[2 * np], qf[k], b[0], b[1]);
        mma(s[2 * np + 1], qf[k], b[2], b[3]);
      }
    for (int nt = 0; nt < 4; ++nt)
      for (int e = 0; e < 4; ++e)
        if (n + nt * 8 + 2 * t + (e & 1) > row0 + (e >> 1) * 8)
          s[nt][e] = -INFINITY;
    for (int h = 0; h < 2; ++h) {
      float m = row_max[h];
      for (int nt = 0; nt < 4; ++nt)
        m = fmaxf(m, fmaxf(s[nt][2 * h], s[nt][2 * h + 1]));
      m = fmaxf(m, __shfl_xor_sync(~0u, m, 2));
      m = fmaxf(m, __shfl_xor_sync(~0u, m, 1));
      const float used = m == -INFINITY ? 0.f : m * scale;
      const float shrink = exp2f(row_max[h] * scale - used);
      row_max[h] = m;
      row_sum[h] *= shrink;
      for (int nt = 0; nt < 4; ++nt) {
        s[nt][2 * h] = exp2f(s[nt][2 * h] * scale - used);
        s[nt][2 * h + 1] = exp2f(s[nt][2 * h + 1] * scale - used);
        row_sum[h] += s[nt][2 * h] + s[nt][2 * h + 1];
      }
      for (int dt = 0; dt < 8; ++dt) {
        o[dt][2 * h] *= shrink;
        o[dt][2 * h + 1] *= shrink;
      }
    }
    for (int kk = 0; kk < 2; ++kk) {
      const uint32_t a[4] = {pack(s[2 * kk][0], s[2 * kk][1]), pack(s[2 * kk][2], s[2 * kk][3]),
                             pack(s[2 * kk + 1][0], s[2 * kk + 1][1]),
                             pack(s[2 * kk + 1][2], s[2 * kk + 1][3])};
      for (int dp = 0; dp < 4; ++dp) {
        uint32_t b[4];
        ldsm4t(b, sV + at(kk * 16 + (lane & 15), 2 * dp + (lane >> 4)));
        mma(o[2 * dp], a, b[0], b[1]);
        mma(o[2 * dp + 1], a, b[2], b[3]);
      }
    }
  }
  for (int h = 0; h < 2; ++h) {
    float sum = row_sum[h];
    sum += __shfl_xor_sync(~0u, sum, 2);
    sum += __shfl_xor_sync(~0u, sum, 1);
    const float inv = 1.f / sum;
    for (int dt = 0; dt < 8; ++dt)
      *reinterpret_cast<half2 *>(O + (row0 + h * 8) * kDim + dt * 8 + 2 * t) =
          __floats2half2_rn(o[dt][2 * h] * inv, o[dt][2 * h + 1] * inv);
  }
}
