// See mistakes.cu.
#include <hip/hip_runtime.h>

#define NONE 0
#define WRONG_HALF 1
#define SWAPPED_PAIR 2
#define NO_MASK 3
#define SCALE 4
#define HALF_SUMS 5
#define TRANSPOSED 6
#define HALF_A_WAVE 7
#define NO_BARRIER 8
#define PADDING 9
#define NEXT_ROW 10
#define UNSIGNED 11
#define OTHER_ORDER 12
#define ONE_TOO_FEW 13
#define NO_FENCE 14
#ifndef MISTAKE
#define MISTAKE NONE
#endif

typedef _Float16 half4x __attribute__((ext_vector_type(4)));
typedef float float4x __attribute__((ext_vector_type(4)));

// A wave does the tiles of two warps, one after the other. v_mfma_f32_16x16x16_f16: A(row, k)
// and B(k, column) in lane 16 (k / 4) + row (column), element k % 4; D(row, column) in lane
// 16 (row / 4) + column, element row % 4. Columns from 8 on are empty.
__global__ void product(const _Float16 *a, const _Float16 *b, float *c, int rows, float scale) {
  const int lane = threadIdx.x % 64, wave = blockIdx.x * (blockDim.x / 64) + threadIdx.x / 64;
  const int line = lane % 16, k = lane / 16 * 4;
  for (int h = 0; h < 2; ++h) {
    const int tile = wave * 2 + h, from = MISTAKE == WRONG_HALF ? tile ^ 1 : tile;
    half4x fa, fb;
    for (int e = 0; e < 4; ++e) {
      fa[e] = MISTAKE == TRANSPOSED ? a[from * 256 + (k + e) * 16 + line]
                                    : a[from * 256 + line * 16 + k + e];
      fb[e] = line < 8 ? b[line * 16 + k + (MISTAKE == SWAPPED_PAIR ? e ^ 1 : e)] : _Float16(0);
    }
    const float4x d = __builtin_amdgcn_mfma_f32_16x16x16f16(fa, fb, float4x(0), 0, 0, 0);
    for (int e = 0; e < 4; ++e) {
      const int row = tile * 16 + k + e;
      const float sum = MISTAKE == HALF_SUMS ? float(_Float16(d[e])) : d[e];
      if (line < 8 && (row < rows || MISTAKE == NO_MASK))
        c[row * 8 + line] = sum * (MISTAKE == SCALE ? scale * 1.0001f : scale);
    }
  }
}

__global__ void sums(const float *in, float *out) {
  __shared__ float part[4];
  float x = in[blockIdx.x * blockDim.x + threadIdx.x];
  for (int offset = MISTAKE == HALF_A_WAVE ? 16 : 32; offset; offset /= 2)
    x += __shfl_xor(x, offset);
  if (threadIdx.x % 64 == 0)
    part[threadIdx.x / 64] = x;
  if (MISTAKE != NO_BARRIER)
    __syncthreads();
  if (threadIdx.x == blockDim.x - 1) {
    float sum = 0.f;
    for (int w = 0; w < blockDim.x / 64; ++w)
      sum += part[w];
    out[blockIdx.x] = sum;
  }
}

__global__ void turned(const float *in, float *out) {
  __shared__ float tile[32][33];
  const int x = threadIdx.x % 32, place = MISTAKE == PADDING ? x + 1 : x;
  for (int y = threadIdx.x / 32; y < 32; y += blockDim.x / 32)
    tile[MISTAKE == NEXT_ROW ? y + 1 : y][place] = in[blockIdx.x * 1024 + y * 32 + x];
  __syncthreads();
  for (int y = threadIdx.x / 32; y < 32; y += blockDim.x / 32)
    out[blockIdx.x * 1024 + y * 32 + x] = tile[x][y];
}

__global__ void dots(const int *a, const int *b, int *out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  int sum = 1;
  for (int k = 0; k < 32; k += 8)
    sum += MISTAKE == UNSIGNED ? (a[i] >> k & 255) * (b[i] >> k & 255)
                               : (signed char)(a[i] >> k) * (signed char)(b[i] >> k);
  out[i] = sum;
}

__global__ void collects(const float *in, int *list, unsigned *count, float *total, float *parts,
                         unsigned *ticket) {
  __shared__ bool last;
  const int thread = MISTAKE == OTHER_ORDER ? blockDim.x - 1 - threadIdx.x : threadIdx.x;
  const int i = blockIdx.x * blockDim.x + thread;
  if (in[i] > 0.f && (MISTAKE != ONE_TOO_FEW || i % 8))
    list[atomicAdd(count, 1u)] = i;
  parts[i] = in[i] * 2.f;
  if (MISTAKE != NO_FENCE)
    __threadfence();
  __syncthreads();
  if (threadIdx.x == 0)
    last = atomicAdd(ticket, 1u) == gridDim.x - 1;
  __syncthreads();
  if (last && threadIdx.x == 0) {
    float sum = 0.f;
    for (int k = 0; k < gridDim.x * blockDim.x; ++k)
      sum += parts[k];
    *total = sum;
  }
}
