// Where a thread stands, said in many ways: what the author's text cannot say for another lane is
// said in other words, by lane and warp.
//
// RUN: %prove --launch %S/index_forms.yaml 2>&1 | FileCheck %S/Inputs/native_proved.txt
// RUN: %ported %t.hip | FileCheck %s
#include <cooperative_groups.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdint.h>
namespace cg = cooperative_groups;

__device__ __forceinline__ void mma(float (&d)[4], const uint32_t (&a)[4], const uint32_t (&b)[2]) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};\n"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
__device__ __forceinline__ uint32_t pairAt(const half *p, int row, int K, int k) {
  return *reinterpret_cast<const uint32_t *>(p + row * K + k);
}
__device__ __forceinline__ void storePair(float *C, int row, int col, float x, float y) {
  *reinterpret_cast<float2 *>(C + row * 16 + col) = make_float2(x, y);
}

// 32 x 16, of four warps.
#define KERNEL(name) \
  __global__ void __launch_bounds__(128) name(const half *A, const half *B, float *C, int K)

struct Place {
  int lane, wm, wn;
};
struct Made {
  int lane, wm, wn;
  __device__ explicit Made(int t) : lane(t % 32) {
    wm = t / 64 * 16;
    wn = t / 32 % 2 * 8;
  }
};
struct Own {
  int lane = threadIdx.x % 32, wm, wn;
  __device__ Own() : wm(threadIdx.x / 64 * 16) { wn = (threadIdx.x / 32 & 1) ? 8 : 0; }
  __device__ int row() const { return wm + lane / 4; }
};
struct Columns {
  int wn;
};
struct Rows {
  int lane, wm;
  __device__ void up() { wm += 16; }
};
struct Both : Columns, Rows {};
__device__ Place placeOf() {
  Place p;
  p.lane = threadIdx.x & 31;
  p.wm = (threadIdx.x >> 6) << 4;
  p.wn = threadIdx.x / 32 % 2;
  p.wn *= 8;
  return p;
}
__device__ void tell(int &lane, int &wm, int &wn) {
  lane = threadIdx.x % 32;
  wm = wn = 0;
  if (threadIdx.x >= 64)
    wm += 16;
  switch (threadIdx.x / 32) {
  case 1:
  case 3:
    wn = 8;
    break;
  default:
    break;
  }
}

// CHECK-LABEL: KERNEL(constructed)
// CHECK: lp::gather_a(a, [&](int lane, int warp, int r) {
// CHECK-NEXT: return pairAt(A, (warp / 2 * 16) + lane / 4 + r % 2 * 8, K, k + lane % 4 * 2 + r / 2 * 8);
// CHECK: lp::each_pair(c, [&](int lane, int warp, int lower, const auto &v) {
// CHECK-NEXT: storePair(C, (warp / 2 * 16) + lane / 4 + 8 * lower, (warp % 2 * 8) + lane % 4 * 2, v[0], v[1]);
KERNEL(constructed) {
  Made at(threadIdx.x);
  float c[4] = {};
  for (int k = 0; k < K; k += 16) {
    uint32_t a[4], b[2];
    for (int r = 0; r < 4; ++r)
      a[r] = pairAt(A, at.wm + at.lane / 4 + r % 2 * 8, K, k + at.lane % 4 * 2 + r / 2 * 8);
    for (int r = 0; r < 2; ++r)
      b[r] = pairAt(B, at.wn + at.lane / 4, K, k + at.lane % 4 * 2 + r * 8);
    mma(c, a, b);
  }
  storePair(C, at.wm + at.lane / 4, at.wn + at.lane % 4 * 2, c[0], c[1]);
  storePair(C, at.wm + at.lane / 4 + 8, at.wn + at.lane % 4 * 2, c[2], c[3]);
}

// CHECK-LABEL: KERNEL(byMethods)
// CHECK: lp::gather_a(a, [&](int lane, int warp, int r) {
// CHECK-NEXT: return pairAt(A, (lane / 4 + warp / 2 * 16) + r % 2 * 8, K, k + lane % 4 * 2 + r / 2 * 8);
KERNEL(byMethods) {
  const Own at;
  float c[4] = {};
  for (int k = 0; k < K; k += 16) {
    uint32_t a[4], b[2];
    for (int r = 0; r < 4; ++r)
      a[r] = pairAt(A, at.row() + r % 2 * 8, K, k + at.lane % 4 * 2 + r / 2 * 8);
    for (int r = 0; r < 2; ++r)
      b[r] = pairAt(B, at.wn + at.lane / 4, K, k + at.lane % 4 * 2 + r * 8);
    mma(c, a, b);
  }
  storePair(C, at.row(), at.wn + at.lane % 4 * 2, c[0], c[1]);
  storePair(C, at.row() + 8, at.wn + at.lane % 4 * 2, c[2], c[3]);
}

// CHECK-LABEL: KERNEL(byMembers)
// CHECK: pairAt(A, (warp / 2 * 16) + lane / 4 + r % 2 * 8, K,
KERNEL(byMembers) {
  Place at;
  at.lane = threadIdx.x % 32;
  at.wm = threadIdx.x / 64 * 16;
  at.wn = 0;
  if (threadIdx.x / 32 % 2)
    at.wn = 8;
  float c[4] = {};
  for (int k = 0; k < K; k += 16) {
    uint32_t a[4], b[2];
    for (int r = 0; r < 4; ++r)
      a[r] = pairAt(A, at.wm + at.lane / 4 + r % 2 * 8, K, k + at.lane % 4 * 2 + r / 2 * 8);
    for (int r = 0; r < 2; ++r)
      b[r] = pairAt(B, at.wn + at.lane / 4, K, k + at.lane % 4 * 2 + r * 8);
    mma(c, a, b);
  }
  storePair(C, at.wm + at.lane / 4, at.wn + at.lane % 4 * 2, c[0], c[1]);
  storePair(C, at.wm + at.lane / 4 + 8, at.wn + at.lane % 4 * 2, c[2], c[3]);
}

// Names are declared anew.
// CHECK-LABEL: KERNEL(byBindings)
// CHECK: lp::gather_a(a, [&](int lane, int warp, int r) {
// CHECK-NEXT: const int wm = warp / 2 * 16;
// CHECK-NEXT: return pairAt(A, wm + lane / 4 + r % 2 * 8, K, k + lane % 4 * 2 + r / 2 * 8);
KERNEL(byBindings) {
  const auto [lane, wm, wn] = placeOf();
  float c[4] = {};
  for (int k = 0; k < K; k += 16) {
    uint32_t a[4], b[2];
    for (int r = 0; r < 4; ++r)
      a[r] = pairAt(A, wm + lane / 4 + r % 2 * 8, K, k + lane % 4 * 2 + r / 2 * 8);
    for (int r = 0; r < 2; ++r)
      b[r] = pairAt(B, wn + lane / 4, K, k + lane % 4 * 2 + r * 8);
    mma(c, a, b);
  }
  storePair(C, wm + lane / 4, wn + lane % 4 * 2, c[0], c[1]);
  storePair(C, wm + lane / 4 + 8, wn + lane % 4 * 2, c[2], c[3]);
}

// CHECK-LABEL: KERNEL(byReference)
// CHECK: lp::gather_b(b, [&](int lane, int warp, int r) {
// CHECK-NEXT: const int wn = warp % 2 * 8;
// CHECK-NEXT: return pairAt(B, wn + lane / 4, K, k + lane % 4 * 2 + r * 8);
KERNEL(byReference) {
  int lane, wm, wn;
  tell(lane, wm, wn);
  float c[4] = {};
  for (int k = 0; k < K; k += 16) {
    uint32_t a[4], b[2];
    for (int r = 0; r < 4; ++r)
      a[r] = pairAt(A, wm + lane / 4 + r % 2 * 8, K, k + lane % 4 * 2 + r / 2 * 8);
    for (int r = 0; r < 2; ++r)
      b[r] = pairAt(B, wn + lane / 4, K, k + lane % 4 * 2 + r * 8);
    mma(c, a, b);
  }
  storePair(C, wm + lane / 4, wn + lane % 4 * 2, c[0], c[1]);
  storePair(C, wm + lane / 4 + 8, wn + lane % 4 * 2, c[2], c[3]);
}

#define LANE (threadIdx.x % 32)
#define WM (threadIdx.x / 64 * 16)

// A lambda is declared anew.
// CHECK-LABEL: KERNEL(byMacros)
// CHECK: pairAt(A, (warp / 2 * 16) + lane / 4 + r % 2 * 8, K, k + lane % 4 * 2 + r / 2 * 8)
// CHECK: lp::gather_b(b, [&](int lane, int warp, int r) {
// CHECK-NEXT: auto wn = [&] { return warp % 2 * 8; };
// CHECK-NEXT: return pairAt(B, wn() + lane / 4, K, k + lane % 4 * 2 + r * 8);
KERNEL(byMacros) {
  const int warp = __shfl_sync(0xffffffff, threadIdx.x / 32, 0);
  auto wn = [&] { return warp % 2 * 8; };
  float c[4] = {};
  for (int k = 0; k < K; k += 16) {
    uint32_t a[4], b[2];
    for (int r = 0; r < 4; ++r)
      a[r] = pairAt(A, WM + LANE / 4 + r % 2 * 8, K, k + LANE % 4 * 2 + r / 2 * 8);
    for (int r = 0; r < 2; ++r)
      b[r] = pairAt(B, wn() + LANE / 4, K, k + LANE % 4 * 2 + r * 8);
    mma(c, a, b);
  }
  storePair(C, WM + LANE / 4, wn() + LANE % 4 * 2, c[0], c[1]);
  storePair(C, WM + LANE / 4 + 8, wn() + LANE % 4 * 2, c[2], c[3]);
}

// CHECK-LABEL: KERNEL(byGroups)
// CHECK: lp::gather_a(a, [&](int lane, int warp, int r) {
// CHECK-NEXT: const int wm = rows[warp];
// CHECK-NEXT: return pairAt(A, wm + lane / 4 + r % 2 * 8, K, k + lane % 4 * 2 + r / 2 * 8);
KERNEL(byGroups) {
  auto block = cg::this_thread_block();
  auto tile = cg::tiled_partition<32>(block);
  const int lane = tile.thread_rank(), warp = tile.meta_group_rank();
  constexpr int rows[4] = {0, 0, 16, 16};
  const int wm = rows[warp], wn = warp % 2 * 8;
  float c[4] = {};
  for (int k = 0; k < K; k += 16) {
    uint32_t a[4], b[2];
    for (int r = 0; r < 4; ++r)
      a[r] = pairAt(A, wm + lane / 4 + r % 2 * 8, K, k + lane % 4 * 2 + r / 2 * 8);
    for (int r = 0; r < 2; ++r)
      b[r] = pairAt(B, wn + lane / 4, K, k + lane % 4 * 2 + r * 8);
    mma(c, a, b);
  }
  storePair(C, wm + lane / 4, wn + lane % 4 * 2, c[0], c[1]);
  storePair(C, wm + lane / 4 + 8, wn + lane % 4 * 2, c[2], c[3]);
}

// CHECK-LABEL: KERNEL(ofBases)
// CHECK: pairAt(A, (warp / 2 * 16) + lane / 4 + r % 2 * 8, K, k + lane % 4 * 2 + r / 2 * 8)
// CHECK: pairAt(B, (warp % 2 * 8) + lane / 4, K, k + lane % 4 * 2 + r * 8)
KERNEL(ofBases) {
  Both at;
  at.wn = threadIdx.x / 32 % 2 * 8;
  at.lane = threadIdx.x % 32;
  at.wm = 0;
  if (threadIdx.x >= 64)
    at.up();
  float c[4] = {};
  for (int k = 0; k < K; k += 16) {
    uint32_t a[4], b[2];
    for (int r = 0; r < 4; ++r)
      a[r] = pairAt(A, at.wm + at.lane / 4 + r % 2 * 8, K, k + at.lane % 4 * 2 + r / 2 * 8);
    for (int r = 0; r < 2; ++r)
      b[r] = pairAt(B, at.wn + at.lane / 4, K, k + at.lane % 4 * 2 + r * 8);
    mma(c, a, b);
  }
  storePair(C, at.wm + at.lane / 4, at.wn + at.lane % 4 * 2, c[0], c[1]);
  storePair(C, at.wm + at.lane / 4 + 8, at.wn + at.lane % 4 * 2, c[2], c[3]);
}
