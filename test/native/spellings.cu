// One product, spelled as kernels spell it: a method of a struct whose f32 accumulators lie in
// uint32_t, operands by reinterpret_cast and by members of vectors, registers of the asm's own,
// an address by an asm cvta; rows leave in pairs that shfl_down by 4 brings together.
//
// RUN: %prove --launch %S/spellings.yaml 2>&1 | FileCheck %S/Inputs/proved.txt
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <cstdint>

static constexpr int kSkew = 8, kPitch = 16 + kSkew;

__device__ uint32_t shared_address(const void *p) {
  uint32_t address;
  asm("{ .reg .u64 wide; cvta.to.shared.u64 wide, %1; cvt.u32.u64 %0, wide; }" : "=r"(address) : "l"(p));
  return address;
}

struct Tile {
  uint32_t acc[4];
  half2 a[4];

  __device__ void load(uint32_t address) {
    asm volatile("ldmatrix.sync.aligned.x4.m8n8.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(*reinterpret_cast<uint32_t *>(&a[0])), "=r"(*(uint32_t *)&a[1]),
                   "=r"(reinterpret_cast<uint32_t &>(a[2])), "=r"(*(uint32_t *)(a + 3))
                 : "r"(address));
  }
  __device__ void multiply(uint2 b) {
    asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, "
        "{%8, %9}, {%10, %11, %12, %13};\n"
        : "=r"(acc[0]), "=r"(acc[1]), "=r"(acc[2]), "=r"(acc[3])
        : "r"(*reinterpret_cast<const uint32_t *>(&a[0])), "r"(*(uint32_t *)&a[1]),
          "r"(*(uint32_t *)&a[2]), "r"(*(uint32_t *)&a[3]), "r"(b.x), "r"(b.y), "r"(acc[0]),
          "r"(acc[1]), "r"(acc[2]), "r"(acc[3]));
  }
};

__global__ __launch_bounds__(64) void spelled(const half *a, const half *b, float2 *c, int k) {
  __shared__ __align__(16) half tile[2 * 16 * kPitch];
  const int lane = threadIdx.x % 32, warp = threadIdx.x >> 5;
  half *mine = tile + warp * 16 * kPitch;
  a += (blockIdx.x * 2 + warp) * 16 * k;
  Tile t = {};
  for (int k0 = 0; k0 < k; k0 += 16) {
    *(uint4 *)&mine[lane / 2 * kPitch + lane % 2 * 8] = *(const uint4 *)(a + lane / 2 * k + k0 + lane % 2 * 8);
    __syncwarp();
    t.load(shared_address(mine + lane % 16 * kPitch + lane / 16 * 8));
    const half *column = b + lane / 4 * k + k0 + lane % 4 * 2;
    t.multiply(make_uint2(*(const uint32_t *)column, *(const uint32_t *)(column + 8)));
    __syncwarp();
  }
  // Rows 2i and 2i + 1 of a column side by side.
  float2 *out = c + (blockIdx.x * 2 + warp) * 64;
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const float mineNow = __uint_as_float(t.acc[i]);
    const float below = __shfl_down_sync(0xffffffff, mineNow, 4);
    if (lane / 4 % 2 == 0)
      out[(i / 2 * 8 + lane / 4) / 2 * 8 + lane % 4 * 2 + i % 2] = make_float2(mineNow, below);
  }
}
