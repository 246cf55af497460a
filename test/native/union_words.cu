// P packed in a union of two halves and a word, and masked in a loop over the registers of a row that
// begins with the row's number. Key blocks come from a list, which is read again for other rows
// across the shuffles of the ones before.
//
// RUN: %prove --launch %S/union_words.yaml 2>&1 | FileCheck %S/Inputs/native_proved.txt
// RUN: %ported %t.hip | FileCheck %s --check-prefix=TEXT
// TEXT-NOT: to_warp_layout(o
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdint.h>

typedef union {
  uint32_t u;
  half2 h;
} Pair;

__device__ __forceinline__ void mma(float (&c)[4], uint32_t a0, uint32_t a1, uint32_t a2, uint32_t a3,
                                    uint32_t b0, uint32_t b1) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
               "{%8,%9}, {%0,%1,%2,%3};"
               : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
               : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1));
}

// TEXT-LABEL: listed(
// TEXT: if (lp::of_element(h, [&](int lane, int warp, int h) { return list[it] * 16 + j * 8 + lane % 4 * 2 + (e & 1) > warp * 16 + lane / 4 + h * 8; }))
// TEXT: p[j * 2 + h].h = __floats2half2_rn(x, y);
// TEXT: lp::mma_m16n8k16_f32_f16_wave_2(o[j & ~1], o[j | 1], p, v, j & 1);
__global__ void __launch_bounds__(64)
    listed(const half *Q, const half *K, const half *V, const int *list, half *O, int blocks) {
  __shared__ __align__(16) half sQ[32][24], sK[16][24], sV[16][40];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  *(uint4 *)&sQ[threadIdx.x / 2][threadIdx.x % 2 * 8] = *(const uint4 *)&Q[threadIdx.x * 8];
  float o[4][4] = {}, top[2] = {-1e30f, -1e30f}, total[2] = {};
  for (int it = 0; it < blocks; ++it) {
    __syncthreads();
    if (threadIdx.x < 32)
      *(uint4 *)&sK[threadIdx.x / 2][threadIdx.x % 2 * 8] =
          *(const uint4 *)&K[list[it] * 256 + threadIdx.x * 8];
    *(uint4 *)&sV[threadIdx.x / 4][threadIdx.x % 4 * 8] =
        *(const uint4 *)&V[list[it] * 512 + threadIdx.x * 8];
    __syncthreads();
    uint32_t a[4], b[4];
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(a[0]), "=r"(a[1]), "=r"(a[2]), "=r"(a[3])
                 : "r"((uint32_t)__cvta_generic_to_shared(
                     &sQ[warp * 16 + lane % 16][lane / 16 * 8])));
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(b[0]), "=r"(b[1]), "=r"(b[2]), "=r"(b[3])
                 : "r"((uint32_t)__cvta_generic_to_shared(
                     &sK[lane / 16 * 8 + lane % 8][lane / 8 % 2 * 8])));
    float s[2][4] = {};
    for (int j = 0; j < 2; ++j)
      mma(s[j], a[0], a[1], a[2], a[3], b[j * 2], b[j * 2 + 1]);
    Pair p[4];
    for (int h = 0; h < 2; ++h) {
      float most = top[h];
      for (int j = 0; j < 2; ++j)
        for (int e = 2 * h; e < 2 * h + 2; ++e) {
          if (list[it] * 16 + j * 8 + lane % 4 * 2 + (e & 1) > warp * 16 + lane / 4 + h * 8)
            s[j][e] = -1e30f;
          most = fmaxf(most, s[j][e]);
        }
      most = fmaxf(most, __shfl_xor_sync(~0u, most, 1));
      most = fmaxf(most, __shfl_xor_sync(~0u, most, 2));
      const float c = __expf(top[h] - most);
      top[h] = most;
      total[h] *= c;
      for (int j = 0; j < 2; ++j) {
        const float x = __expf(s[j][2 * h] - most), y = __expf(s[j][2 * h + 1] - most);
        total[h] += x + y;
        p[j * 2 + h].h = __floats2half2_rn(x, y);
      }
      for (int j = 0; j < 4; ++j) {
        o[j][2 * h] *= c;
        o[j][2 * h + 1] *= c;
      }
    }
    for (int j = 0; j < 4; ++j) {
      uint32_t v[2];
      asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0,%1}, [%2];"
                   : "=r"(v[0]), "=r"(v[1])
                   : "r"((uint32_t)__cvta_generic_to_shared(&sV[lane % 16][j * 8])));
      mma(o[j], p[0].u, p[1].u, p[2].u, p[3].u, v[0], v[1]);
    }
  }
  for (int h = 0; h < 2; ++h) {
    total[h] += __shfl_xor_sync(~0u, total[h], 1);
    total[h] += __shfl_xor_sync(~0u, total[h], 2);
    for (int j = 0; j < 4; ++j)
      *(half2 *)&O[(warp * 16 + lane / 4 + h * 8) * 32 + j * 8 + lane % 4 * 2] =
          __floats2half2_rn(o[j][2 * h] / total[h], o[j][2 * h + 1] / total[h]);
  }
}
