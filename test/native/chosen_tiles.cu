// The two tiles that one ldmatrix.x4 of B reads, chosen by the tile's parity: of a vector's
// members, of an array's elements, and straight in the asm.
//
// RUN: %prove --launch %S/chosen_tiles.yaml 2>&1 | FileCheck %S/Inputs/native_proved.txt
// RUN: %ported %t.hip | FileCheck %s --check-prefix=TEXT
// TEXT-NOT: to_warp_layout(acc
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdint.h>

template <class R> __device__ __forceinline__ void ldsm4(R &r, const half *p) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(r.x), "=r"(r.y), "=r"(r.z), "=r"(r.w)
               : "r"((uint32_t)__cvta_generic_to_shared(p)));
}
__device__ __forceinline__ void mma(float4 &d, const uint4 &a, uint2 b) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
               "{%8,%9}, {%0,%1,%2,%3};"
               : "+f"(d.x), "+f"(d.y), "+f"(d.z), "+f"(d.w)
               : "r"(a.x), "r"(a.y), "r"(a.z), "r"(a.w), "r"(b.x), "r"(b.y));
}
#define READ(wide)                                                                                 \
  for (int i = threadIdx.x; i < 64 * 2; i += 128)                                                  \
    *(uint4 *)&sA[i / 2][i % 2 * 8] = *(const uint4 *)&A[i / 2 * K + k + i % 2 * 8];               \
  for (int i = threadIdx.x; i < wide * 2; i += 128)                                                \
    *(uint4 *)&sB[i / 2][i % 2 * 8] = *(const uint4 *)&B[i / 2 * K + k + i % 2 * 8];               \
  __syncthreads();

// TEXT-LABEL: members(
// TEXT: lp::load_b_tiles(lp::tile<unsigned int, 2>(b, j * 2), lp::tile<unsigned int, 2>(b, j * 2 + 1), [&](int lane, int, int j) {
// TEXT: lp::mma_m16n8k16_f32_f16_wave(lp::regs<float>(acc[j & ~3]), {{.*}}, lp::regs<unsigned int>(a), lp::tile<unsigned int, 2>(b, j & ~1), lp::tile<unsigned int, 2>(b, j | 1), j % 4 == 3);
__global__ void __launch_bounds__(128) members(const half *A, const half *B, float *C, int K) {
  __shared__ __align__(16) half sA[64][24], sB[32][24];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  float4 acc[4];
  for (int j = 0; j < 4; ++j)
    acc[j] = make_float4(0, 0, 0, 0);
  for (int k = 0; k < K; k += 16) {
    __syncthreads();
    READ(32)
    uint4 a, b[2];
    ldsm4(a, &sA[warp * 16 + lane % 16][lane / 16 * 8]);
    for (int j = 0; j < 2; ++j)
      ldsm4(b[j], &sB[j * 16 + lane / 16 * 8 + lane % 8][lane / 8 % 2 * 8]);
    for (int j = 0; j < 4; ++j)
      mma(acc[j], a,
          j & 1 ? make_uint2(b[j / 2].z, b[j / 2].w) : make_uint2(b[j / 2].x, b[j / 2].y));
  }
  for (int j = 0; j < 4; ++j) {
    float *c = C + (warp * 16 + lane / 4) * 32 + j * 8 + lane % 4 * 2;
    *(float2 *)c = make_float2(acc[j].x, acc[j].y);
    *(float2 *)(c + 8 * 32) = make_float2(acc[j].z, acc[j].w);
  }
}

// Warps with an A in common, and the even tile named first.
// TEXT-LABEL: elements(
// TEXT: lp::mma_m16n8k16_f32_f16_steps_wave(acc[j], a, lp::tile<unsigned int, 2>(b, j), held[j], (k - k0) / 16);
__global__ void __launch_bounds__(128) elements(const half *A, const half *B, float *C, int K) {
  __shared__ __align__(16) half sA[64][24], sB[64][24];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  float acc[4][4] = {};
  for (int k = 0; k < K; k += 16) {
    __syncthreads();
    READ(64)
    uint32_t a[4], b[2][4];
    asm volatile(
        "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
        : "=r"(a[0]), "=r"(a[1]), "=r"(a[2]), "=r"(a[3])
        : "r"((uint32_t)__cvta_generic_to_shared(&sA[warp / 2 * 16 + lane % 16][lane / 16 * 8])));
    for (int j = 0; j < 2; ++j)
      asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                   : "=r"(b[j][0]), "=r"(b[j][1]), "=r"(b[j][2]), "=r"(b[j][3])
                   : "r"((uint32_t)__cvta_generic_to_shared(
                       &sB[warp % 2 * 32 + j * 16 + lane / 16 * 8 + lane % 8][lane / 8 % 2 * 8])));
    for (int j = 0; j < 4; ++j)
      asm volatile(
          "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
          "{%8,%9}, {%0,%1,%2,%3};"
          : "+f"(acc[j][0]), "+f"(acc[j][1]), "+f"(acc[j][2]), "+f"(acc[j][3])
          : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(j % 2 == 0 ? b[j / 2][0] : b[j / 2][2]),
            "r"(j % 2 == 0 ? b[j / 2][1] : b[j / 2][3]));
  }
  for (int j = 0; j < 4; ++j) {
    float *c = C + (warp / 2 * 16 + lane / 4) * 64 + warp % 2 * 32 + j * 8 + lane % 4 * 2;
    *(float2 *)c = make_float2(acc[j][0], acc[j][1]);
    *(float2 *)(c + 8 * 64) = make_float2(acc[j][2], acc[j][3]);
  }
}
