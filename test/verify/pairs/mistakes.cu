// Five small kernels and, in mistakes.hip, ports of them by hand, each with mistakes that a
// porter could make: -DMISTAKE=NAME puts one in. test/lit/verify/mistakes.test has the verdicts.
#include <cuda_fp16.h>
#include <cuda_runtime.h>

// Each warp: 16 x 8 = (16 x 16) (16 x 8) with mma.m16n8k16; B is stored column by column.
__global__ void product(const __half *a, const __half *b, float *c, int rows, float scale) {
  const int lane = threadIdx.x % 32, tile = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
  unsigned fa[4], fb[2];
  for (int r = 0; r < 4; ++r)
    fa[r] = *(const unsigned *)&a[tile * 256 + (lane / 4 + r % 2 * 8) * 16 + lane % 4 * 2 +
                                  r / 2 * 8];
  for (int r = 0; r < 2; ++r)
    fb[r] = *(const unsigned *)&b[lane / 4 * 16 + lane % 4 * 2 + r * 8];
  float sum[4] = {};
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
               "{%8,%9}, {%0,%1,%2,%3};"
               : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
               : "r"(fa[0]), "r"(fa[1]), "r"(fa[2]), "r"(fa[3]), "r"(fb[0]), "r"(fb[1]));
  for (int r = 0; r < 4; ++r) {
    const int row = tile * 16 + lane / 4 + r / 2 * 8;
    if (row < rows)
      c[row * 8 + lane % 4 * 2 + r % 2] = sum[r] * scale;
  }
}

// A sum a block; its last thread adds up.
__global__ void sums(const float *in, float *out) {
  __shared__ float part[8];
  float x = in[blockIdx.x * blockDim.x + threadIdx.x];
  for (int offset = 16; offset; offset /= 2)
    x += __shfl_xor_sync(0xffffffffu, x, offset);
  if (threadIdx.x % 32 == 0)
    part[threadIdx.x / 32] = x;
  __syncthreads();
  if (threadIdx.x == blockDim.x - 1) {
    float sum = 0.f;
    for (int w = 0; w < blockDim.x / 32; ++w)
      sum += part[w];
    out[blockIdx.x] = sum;
  }
}

// 32 x 32 values, transposed through shared memory.
__global__ void turned(const float *in, float *out) {
  __shared__ float tile[32][33];
  const int x = threadIdx.x % 32;
  for (int y = threadIdx.x / 32; y < 32; y += blockDim.x / 32)
    tile[y][x] = in[blockIdx.x * 1024 + y * 32 + x];
  __syncthreads();
  for (int y = threadIdx.x / 32; y < 32; y += blockDim.x / 32)
    out[blockIdx.x * 1024 + y * 32 + x] = tile[x][y];
}

// Dot products of four signed bytes.
__global__ void dots(const int *a, const int *b, int *out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = __dp4a(a[i], b[i], 1);
}

// Collects the places of large values, in no order; how many there are; their sum. The last
// block to be done says that all is there.
__global__ void collects(const float *in, int *list, unsigned *count, float *total, float *parts,
                         unsigned *ticket) {
  __shared__ bool last;
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (in[i] > 0.f)
    list[atomicAdd(count, 1u)] = i;
  parts[i] = in[i] * 2.f;
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
