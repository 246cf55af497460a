// Operands that lambdas of the kernel put together or read: what their addresses are made of is what
// it is where they are called. Variables that change behind the lambda's text are asked for, and so
// is a pointer that walks in the loop that calls.
//
// RUN: %prove --launch %S/lambda_loads.yaml 2>&1 | FileCheck %S/Inputs/native_proved.txt
// RUN: %ported %t.hip | FileCheck %s
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdint.h>

constexpr int LD = 40;

__device__ __forceinline__ uint32_t word(const half *p) { return *(const uint32_t *)p; }
__device__ __forceinline__ void ldsm4(uint32_t (&r)[4], const half *p) {
  const uint32_t s = (uint32_t)__cvta_generic_to_shared(p);
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(s));
}
__device__ __forceinline__ void mma(float (&d)[4], const uint32_t (&a)[4], const uint32_t (&b)[2]) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
               "{%8,%9}, {%0,%1,%2,%3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

// 34 rows of A, the last two for kernels that read a row further on, and 16 of B: 32 along k.
struct Tiles {
  half a[34][LD], b[16][LD];
};
__device__ void fill(Tiles &tiles, const half *A, const half *B) {
  for (int e = threadIdx.x; e < 34 * 32; e += 64)
    tiles.a[e / 32][e % 32] = A[e];
  for (int e = threadIdx.x; e < 16 * 32; e += 64)
    tiles.b[e / 32][e % 32] = B[e];
  __syncthreads();
}
#define KERNEL(name)                                                                               \
  __global__ void __launch_bounds__(64) name(const half *A, const half *B, float *C)
#define BEGIN                                                                                      \
  __shared__ __align__(16) Tiles tiles;                                                            \
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, g = lane / 4, t = lane % 4 * 2;      \
  fill(tiles, A, B);                                                                               \
  float c[2][4] = {};
#define STORE                                                                                      \
  for (int j = 0; j < 2; ++j)                                                                      \
    for (int i = 0; i < 2; ++i)                                                                    \
      *(float2 *)&C[(warp * 16 + g + i * 8) * 16 + j * 8 + t] =                                    \
          make_float2(c[j][2 * i], c[j][2 * i + 1]);

// Each register by itself, and in a loop.
// CHECK-LABEL: (together)
// CHECK: auto fetch = [&](int kk) {
// CHECK-NEXT: lp::gather_a(a, [&](int lane, int warp, int reg) {
// CHECK: lp::gather_b(b[j], [&](int lane, int, int j, int r) {
KERNEL(together) {
  BEGIN
  uint32_t a[4], b[2][2];
  const int row = warp * 16 + g;
  auto fetch = [&](int kk) {
    a[0] = word(&tiles.a[row][kk + t]);
    a[1] = word(&tiles.a[row + 8][kk + t]);
    a[2] = word(&tiles.a[row][kk + t + 8]);
    a[3] = word(&tiles.a[row + 8][kk + t + 8]);
    for (int j = 0; j < 2; ++j)
      for (int r = 0; r < 2; ++r)
        b[j][r] = word(&tiles.b[j * 8 + g][kk + t + r * 8]);
  };
  for (int kk = 0; kk < 32; kk += 16) {
    fetch(kk);
    for (int j = 0; j < 2; ++j)
      mma(c[j], a, b[j]);
  }
  STORE
}

// One lambda calls the other. The row that it reads is another one when it is called.
// CHECK-LABEL: (changed)
// CHECK: lp::gather_a(a, [&, row_ = row](int lane, int warp, int r) {
// CHECK-NEXT: const auto row = lp::of_thread(row_, lane, warp);
KERNEL(changed) {
  BEGIN
  uint32_t a[4], b[2];
  int row = warp * 16 + g;
  auto fetch = [&](int kk) {
    a[0] = word(&tiles.a[row][kk + t]);
    a[1] = word(&tiles.a[row + 8][kk + t]);
    a[2] = word(&tiles.a[row][kk + t + 8]);
    a[3] = word(&tiles.a[row + 8][kk + t + 8]);
  };
  auto step = [&](int kk) {
    fetch(kk);
    for (int j = 0; j < 2; ++j) {
      b[0] = word(&tiles.b[j * 8 + g][kk + t]);
      b[1] = word(&tiles.b[j * 8 + g][kk + t + 8]);
      mma(c[j], a, b);
    }
  };
  row += 1;
  for (int kk = 0; kk < 32; kk += 16)
    step(kk);
  STORE
}

// So is a pointer that walks where the lambda is called, and what it begins with when that changes.
// CHECK-LABEL: (walks)
// CHECK: lp::load_a(a, [&, at_ = at](int lane, int warp) {
// CHECK: lp::of_thread(at_, lane, warp);
KERNEL(walks) {
  BEGIN
  uint32_t a[4], b[2];
  const half *at = &tiles.a[warp * 16 + lane % 16][lane / 16 * 8];
  auto read = [&] { ldsm4(a, at); };
  for (int kk = 0; kk < 32; kk += 16) {
    read();
    for (int j = 0; j < 2; ++j) {
      b[0] = word(&tiles.b[j * 8 + g][kk + t]);
      b[1] = word(&tiles.b[j * 8 + g][kk + t + 8]);
      mma(c[j], a, b);
    }
    at += 16;
  }
  STORE
}

// CHECK-LABEL: (stale)
// CHECK: lp::load_a(a, [&, row_ = row](int lane, int warp) {
KERNEL(stale) {
  BEGIN
  uint32_t a[4], b[2];
  int row = warp * 16 + lane % 16;
  auto read = [&](int kk) { ldsm4(a, &tiles.a[row][kk + lane / 16 * 8]); };
  row += 1;
  for (int kk = 0; kk < 32; kk += 16) {
    read(kk);
    for (int j = 0; j < 2; ++j) {
      b[0] = word(&tiles.b[j * 8 + g][kk + t]);
      b[1] = word(&tiles.b[j * 8 + g][kk + t + 8]);
      mma(c[j], a, b);
    }
  }
  STORE
}

// A lambda that is handed the registers is written anew where it is called.
// CHECK-LABEL: (handed)
// CHECK-NOT: auto rows =
// CHECK: lp::gather_a(a, [&, row_ = row](int lane, int warp, int r) {
// CHECK-NEXT: const auto row = lp::of_thread(row_, lane, warp);
// CHECK: lp::gather_b(b[j], [&](int lane, int, int j, int r) {
// CHECK-NEXT: const auto tile = j;
KERNEL(handed) {
  BEGIN
  uint32_t a[4], b[2][2];
  int row = warp * 16 + g;
  auto rows = [&](uint32_t (&f)[4], int kk) {
    f[0] = word(&tiles.a[row][kk + t]);
    f[1] = word(&tiles.a[row + 8][kk + t]);
    f[2] = word(&tiles.a[row][kk + t + 8]);
    f[3] = word(&tiles.a[row + 8][kk + t + 8]);
  };
  auto columns = [&](uint32_t (&f)[2], int tile, int kk) {
    f[0] = word(&tiles.b[tile * 8 + g][kk + t]);
    f[1] = word(&tiles.b[tile * 8 + g][kk + t + 8]);
  };
  row += 1;
  for (int kk = 0; kk < 32; kk += 16) {
    rows(a, kk);
    for (int j = 0; j < 2; ++j) {
      columns(b[j], j, kk);
      mma(c[j], a, b[j]);
    }
  }
  STORE
}

// A function that multiplies, called by lambdas with what the row is then.
// CHECK-LABEL: void step(
// CHECK: lp::load_a(a, [&, row_ = row](int ofLane, int warp) {
// CHECK-NEXT: const auto row = lp::of_thread(row_, ofLane, warp);
__device__ __forceinline__ void step(float (&c)[2][4], const Tiles &tiles, int row, int kk, int lane) {
  uint32_t a[4], b[2];
  ldsm4(a, &tiles.a[row + lane % 16][kk + lane / 16 * 8]);
  for (int j = 0; j < 2; ++j) {
    b[0] = word(&tiles.b[j * 8 + lane / 4][kk + lane % 4 * 2]);
    b[1] = word(&tiles.b[j * 8 + lane / 4][kk + lane % 4 * 2 + 8]);
    mma(c[j], a, b);
  }
}
KERNEL(helped) {
  BEGIN
  int row = warp * 16;
  auto first = [&](int kk) { step(c, tiles, row, kk, lane); };
  auto second = [&](int kk) { step(c, tiles, row ^ 1, kk, lane); };
  row += 1;
  first(0);
  second(16);
  STORE
}

// Rows that a loop of the kernel has found for the lambda.
// CHECK-LABEL: (found)
// CHECK: const auto rows = lp::elements([&](int i)
KERNEL(found) {
  BEGIN
  uint32_t a[4], b[2];
  int rows[2];
  for (int i = 0; i < 2; ++i)
    rows[i] = warp * 16 + g + i * 8;
  auto fetch = [&](int kk) {
    for (int r = 0; r < 4; ++r)
      a[r] = word(&tiles.a[rows[r % 2]][kk + t + r / 2 * 8]);
  };
  for (int kk = 0; kk < 32; kk += 16) {
    fetch(kk);
    for (int j = 0; j < 2; ++j) {
      b[0] = word(&tiles.b[j * 8 + g][kk + t]);
      b[1] = word(&tiles.b[j * 8 + g][kk + t + 8]);
      mma(c[j], a, b);
    }
  }
  STORE
}
