// Member templates of a dependent type get `template`; others, and comparisons, stay.
// RUN: %layout-port %s -o %t.hip 2>&1 | FileCheck %s --check-prefix=ERR
// RUN: %ported %t.hip | FileCheck %s
// RUN: %layout-port %t.hip --check 2>&1 | FileCheck %s --check-prefix=AGAIN
// ERR-NOT: while parsing
// ERR: launch-template 9 renamed clang wants 'template' before a member template of a dependent type
// ERR: compiled: gfx942 yes host yes
// AGAIN-NOT: launch-template
#include <algorithm>
#include <cuda_runtime.h>
struct Tile {
  int stride;
  template <int n> __device__ int row(int at) const { return at + n * stride; }
  template <typename T, int n> __device__ int bytes(int at) const { return at * n * sizeof(T); }
  template <int n = 1> __device__ int first() const { return n; }
};
template <typename T> struct Pair {
  int low, high;
  Tile tile;
  // The class itself is known inside.
  template <int n> __device__ int both() const { return low + n * high; }
  // CHECK: return this->both<2>() + tile.row<4>(at);
  __device__ int sum(int at) const { return this->both<2>() + tile.row<4>(at); }
};
// CHECK: #define NEXT(t, at) at = t.template row<8>(at)
#define NEXT(t, at) at = t.row<8>(at)
template <int n, typename T, typename U> __device__ int walk(const T &tile, const U *pair, int at) {
  // CHECK: at = tile.template row<n * 2>(at); // by rows
  at = tile.row<n * 2>(at); // by rows
  // CHECK: at += tile.template bytes<unsigned, 2>(at) + pair->template both<3>() + tile.template first<>();
  at += tile.bytes<unsigned, 2>(at) + pair->both<3>() + tile.first<>();
  NEXT(tile, at);
  // CHECK: at = tile.template row<1>(at);
  at = tile.template row<1>(at);
  unsigned lane;
  // CHECK: lane = lp::laneid();
  asm("mov.u32 %0, %laneid;" : "=r"(lane));
  // CHECK: at += lp::shfl_xor(tile.template row<2>(at), 1);
  at += __shfl_xor_sync(~0u, tile.row<2>(at), 1);
  // CHECK: if (pair->low < n && pair->high > (at))
  if (pair->low < n && pair->high > (at))
    ++at;
  return at + lane;
}
struct Scale {
  template <int n> static __device__ int by(int x) { return x * n; }
};
template <> __device__ int Scale::by<3>(int x) { return x + x + x; }
template <class Op, typename... More> __device__ int scaled(int x) {
  // CHECK: return Op::template by<4>(x) + (Op::template by<3>(x) < x) + Scale::by<2>(x) + std::max<int>(x, 1);
  return Op::by<4>(x) + (Op::by<3>(x) < x) + Scale::by<2>(x) + std::max<int>(x, 1);
}
// CHECK: template <typename Op> __device__ int most(int x) { return Op::template by<1>(x); }
template <typename Op> __device__ int most(int x) { return Op::template by<1>(x); }
template <typename Op> __device__ int twice(int x) { return Op::by<2>(x); }
__global__ void k(int *out) {
  Tile tile{3};
  Pair<float> pair{1, 2, tile};
  // CHECK: out[0] = walk<5>(tile, &pair, tile.row<16>(out[0])) + pair.sum(1);
  out[0] = walk<5>(tile, &pair, tile.row<16>(out[0])) + pair.sum(1);
  out[1] = scaled<Scale>(out[1]) + most<Scale>(out[1]) + twice<Scale>(out[1]);
}
