// C = A * B with mma.m16n8k16: cp.async double buffer, XOR swizzle, ldmatrix and
// ldmatrix.trans, guarded ragged rows, scaled epilogue. A is M x K, B is K x N.
#include <cuda_fp16.h>
#include <cuda_runtime.h>

constexpr int kRows = 32, kCols = 32, kDepth = 32;

__device__ __forceinline__ unsigned sharedAddress(const void *pointer) {
  return static_cast<unsigned>(__cvta_generic_to_shared(pointer));
}

__device__ __forceinline__ int place(int row, int chunk) {
  return row * kDepth + ((chunk ^ ((row >> 1) & 3)) << 3);
}

__device__ __forceinline__ void copyAsync(unsigned to, const void *from, int bytes) {
  asm volatile("cp.async.ca.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(from), "r"(bytes)
               : "memory");
}

__global__ void gemm(const __half *a, const __half *b, float *c, int m, int n, int k,
                     float scale) {
  __shared__ __align__(16) __half tileA[2][kRows * kDepth];
  __shared__ __align__(16) __half tileB[2][kDepth * kCols];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int row0 = blockIdx.y * kRows, col0 = blockIdx.x * kCols;
  auto stage = [&](int slot, int k0) {
    const int row = threadIdx.x / 4, chunk = threadIdx.x % 4;
    const bool inside = row0 + row < m;
    const __half *source = a + (inside ? row0 + row : 0) * k + k0 + chunk * 8;
    copyAsync(sharedAddress(&tileA[slot][place(row, chunk)]), source, inside ? 16 : 0);
    copyAsync(sharedAddress(&tileB[slot][place(row, chunk)]),
              b + (k0 + row) * n + col0 + chunk * 8, 16);
    asm volatile("cp.async.commit_group;" ::: "memory");
  };
  float acc[2][4] = {};
  const int steps = k / kDepth;
  stage(0, 0);
  for (int step = 0; step < steps; ++step) {
    if (step + 1 < steps) {
      stage((step + 1) & 1, (step + 1) * kDepth);
      asm volatile("cp.async.wait_group 1;" ::: "memory");
    } else {
      asm volatile("cp.async.wait_group 0;" ::: "memory");
    }
    __syncthreads();
    for (int kk = 0; kk < kDepth / 16; ++kk) {
      unsigned fa[4];
      asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                   : "=r"(fa[0]), "=r"(fa[1]), "=r"(fa[2]), "=r"(fa[3])
                   : "r"(sharedAddress(&tileA[step & 1][place((warp / 2) * 16 + lane % 16,
                                                              kk * 2 + lane / 16)])));
      for (int j = 0; j < 2; ++j) {
        unsigned fb[2];
        asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0,%1}, [%2];"
                     : "=r"(fb[0]), "=r"(fb[1])
                     : "r"(sharedAddress(&tileB[step & 1][place(kk * 16 + lane % 16,
                                                                (warp % 2) * 2 + j)])));
        asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, "
                     "{%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                     : "+f"(acc[j][0]), "+f"(acc[j][1]), "+f"(acc[j][2]), "+f"(acc[j][3])
                     : "r"(fa[0]), "r"(fa[1]), "r"(fa[2]), "r"(fa[3]), "r"(fb[0]), "r"(fb[1]));
      }
    }
    __syncthreads();
  }
  for (int j = 0; j < 2; ++j)
    for (int r = 0; r < 4; ++r) {
      const int row = row0 + (warp / 2) * 16 + lane / 4 + (r / 2) * 8;
      const int col = col0 + (warp % 2) * 16 + j * 8 + (lane % 4) * 2 + r % 2;
      if (row < m)
        c[row * n + col] = acc[j][r] * scale + 0.5f;
    }
}
