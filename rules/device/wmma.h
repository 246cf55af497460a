// Device runtime, part 3: nvcuda::wmma for a warp of 32 lanes inside a 64-lane wave.
//
// CUDA leaves open which element of a fragment a lane holds. Here it is what the
// MFMAs of 16 blocks of 4x4 want, so that both warps of a wave multiply at once and
// no value ever changes its lane. For lane l of the warp, of an M x N tile:
//
//   row   = l % M                       first = (l / M) * columns
//   D     x[i]         = D[row][first + i]           columns = M N / 32
//   A     x[k]         = A[row][k]
//   B     x[r K + k]   = B[k][first + 4 r + l % 4]   r = 0, 1: what lane l % 4 of an
//                                                    MFMA block wants
//
// An MFMA computes D^T = B^T A^T in each block of four lanes: its first operand's
// row i is lane i's column of B, its result's element i lies in the lane of the row:
// exactly x[4 r + i]. In the 8 x 8 shapes a lane holds both of its columns of B
// whole, x[i K + k] = B[k][first + i], and multiplies by itself.
// https://docs.nvidia.com/cuda/cuda-c-programming-guide/#warp-matrix-functions

//# wmma_headers!:
#include <hip/hip_bf16.h>
#include <hip/hip_fp16.h>

//# wmma_types: wmma_headers
namespace wmma {
struct row_major;
struct col_major;
struct matrix_a;
struct matrix_b;
struct accumulator;
enum layout_t { mem_row_major, mem_col_major };
namespace precision {
struct tf32;
}
namespace experimental {
namespace precision {
struct s4;
struct u4;
struct b1;
} // namespace precision
enum bmmaBitOp { bmmaBitOpXOR = 1, bmmaBitOpAND = 2 };
enum bmmaAccumulateOp { bmmaAccumulateOpPOPC = 1 };
} // namespace experimental

// How elements of T are kept: `count` of them in one `type`, and in `memory`.
template <class T> struct kept {
  typedef T type;
  typedef T memory;
  static constexpr int count = 1;
};
template <> struct kept<precision::tf32> : kept<float> {};
template <class Word, int n> struct kept_packed {
  typedef Word type;
  typedef void memory;
  static constexpr int count = n;
};
template <> struct kept<experimental::precision::s4> : kept_packed<int, 8> {};
template <> struct kept<experimental::precision::u4> : kept_packed<unsigned, 8> {};
template <> struct kept<experimental::precision::b1> : kept_packed<unsigned, 32> {};

// Elements a lane holds.
template <class Use, int M, int N, int K> struct held {
  static constexpr int value = M * N / 32;
};
template <int M, int N, int K> struct held<matrix_a, M, N, K> {
  static constexpr int value = K;
};
template <int M, int N, int K> struct held<matrix_b, M, N, K> {
  static constexpr int value = 2 * K;
};

template <class Use, int M, int N, int K, class T, class Layout = void> struct fragment {
  typedef T element_type;
  typedef typename kept<T>::type storage_element_type;
  static constexpr int num_elements = held<Use, M, N, K>::value / kept<T>::count;
  static constexpr int num_storage_elements = num_elements;
  storage_element_type x[num_elements];
};
} // namespace wmma

//# wmma_fill: wmma_types
namespace wmma {
template <class Use, int M, int N, int K, class T, class Layout, class V>
__device__ __forceinline__ void fill_fragment(fragment<Use, M, N, K, T, Layout> &f, const V &v) {
#pragma unroll
  for (auto &x : f.x)
    x = v;
}
} // namespace wmma

//# wmma_tf32: bits wmma_types
namespace wmma {
// 10 bits of mantissa, ties away from zero.
__device__ __forceinline__ float __float_to_tf32(float x) {
  return bits<float>((bits<unsigned>(x) + 0x1000u) & ~0x1fffu);
}
} // namespace wmma

//# wmma_place: lane wmma_types
namespace wmma {
// Where this lane's elements of an M x N tile lie.
template <int M, int N> struct place {
  static constexpr int columns = M * N / 32;
  static __device__ __forceinline__ int row() { return lane64() % M; }
  static __device__ __forceinline__ int first() { return (lane64() & 31) / M * columns; }
  // The r-th column of B that this lane holds.
  static __device__ __forceinline__ int column(int r) {
    return first() + (columns == 8 ? 4 * r + lane64() % 4 : r);
  }
};

// `size` neighbouring bytes, in pieces of 16 where that many are aligned by CUDA's rules.
template <int size> __device__ __forceinline__ void copy(void *to, const void *from) {
  constexpr int piece = size % 16 == 0 ? 16 : size % 8 == 0 ? 8 : 4;
  typedef unsigned words __attribute__((ext_vector_type(piece / 4), may_alias));
#pragma unroll
  for (int i = 0; i < size / piece; ++i)
    static_cast<words *>(to)[i] = static_cast<const words *>(from)[i];
}
} // namespace wmma

//# wmma_load: wmma_place
// ldm counts elements, also of the packed types.
namespace wmma {
// n elements of one row or column: neighbours in memory, or ldm apart.
template <class T, int n, class Kept>
__device__ __forceinline__ void load_line(Kept *x, const typename kept<T>::memory *p, size_t line,
                                          size_t ldm, bool along) {
  constexpr int count = kept<T>::count;
  if (along) {
    alignas(16) Kept piece[n / count];
    copy<sizeof(piece)>(piece, reinterpret_cast<const Kept *>(p) + line * ldm / count);
#pragma unroll
    for (int i = 0; i < n / count; ++i)
      x[i] = piece[i];
  } else if constexpr (count == 1) {
#pragma unroll
    for (int i = 0; i < n; ++i)
      x[i] = reinterpret_cast<const Kept *>(p)[line + i * ldm];
  }
}
template <class L> constexpr bool is_row = false;
template <> constexpr bool is_row<row_major> = true;

template <int M, int N, int K, class T, class Layout>
__device__ __forceinline__ void load_matrix_sync(fragment<matrix_a, M, N, K, T, Layout> &f,
                                                 const typename kept<T>::memory *p, unsigned ldm) {
  load_line<T, K>(f.x, p, place<M, N>::row(), ldm, is_row<Layout>);
}
template <int M, int N, int K, class T, class Layout>
__device__ __forceinline__ void load_matrix_sync(fragment<matrix_b, M, N, K, T, Layout> &f,
                                                 const typename kept<T>::memory *p, unsigned ldm) {
#pragma unroll
  for (int r = 0; r < 2; ++r)
    load_line<T, K>(f.x + r * K / kept<T>::count, p, place<M, N>::column(r), ldm,
                    !is_row<Layout>);
}
template <int M, int N, int K, class T>
__device__ __forceinline__ void load_matrix_sync(fragment<accumulator, M, N, K, T> &f, const T *p,
                                                 unsigned ldm, layout_t layout) {
  typedef place<M, N> at;
  if (layout == mem_row_major)
    load_line<T, at::columns>(f.x, p + at::first(), at::row(), ldm, true);
  else
    load_line<T, at::columns>(f.x, p + size_t(at::first()) * ldm, at::row(), ldm, false);
}
} // namespace wmma

//# wmma_store: wmma_place
namespace wmma {
template <int M, int N, int K, class T>
__device__ __forceinline__ void store_matrix_sync(T *p,
                                                  const fragment<accumulator, M, N, K, T> &f,
                                                  unsigned ldm, layout_t layout) {
  typedef place<M, N> at;
  if (layout == mem_row_major) {
    alignas(16) T line[at::columns];
#pragma unroll
    for (int i = 0; i < at::columns; ++i)
      line[i] = f.x[i];
    copy<sizeof(line)>(p + size_t(at::row()) * ldm + at::first(), line);
  } else {
#pragma unroll
    for (int i = 0; i < at::columns; ++i)
      p[size_t(at::first() + i) * ldm + at::row()] = f.x[i];
  }
}
} // namespace wmma

//# wmma_products: bits dot2_f16 dot2_bf16 wmma_types
// How four rows of B^T meet four columns of A^T: `step` holds the operands of one
// MFMA, mfma() multiplies in each block of four lanes, dot() in one lane.
namespace wmma {
template <int n> using floats = float __attribute__((ext_vector_type(n)));
template <int n> using ints = int __attribute__((ext_vector_type(n)));
template <int n> using halves = _Float16 __attribute__((ext_vector_type(n)));
template <int n> using shorts = short __attribute__((ext_vector_type(n)));

template <class T> struct product;
template <> struct product<__half> {
  typedef float sum;
  typedef floats<4> sums;
  struct step {
    unsigned w[2];
  };
  static __device__ __forceinline__ sums mfma(step b, step a, sums c) {
    return __builtin_amdgcn_mfma_f32_4x4x4f16(bits<halves<4>>(b), bits<halves<4>>(a), c, 0, 0, 0);
  }
  static __device__ __forceinline__ float dot(step b, step a, float c) {
    return dot2_f16(b.w[1], a.w[1], dot2_f16(b.w[0], a.w[0], c));
  }
};
template <> struct product<__hip_bfloat16> {
  typedef float sum;
  typedef floats<4> sums;
  struct step {
    unsigned w[2];
  };
  static __device__ __forceinline__ sums mfma(step b, step a, sums c) {
    return __builtin_amdgcn_mfma_f32_4x4x4bf16_1k(bits<shorts<4>>(b), bits<shorts<4>>(a), c, 0, 0,
                                                  0);
  }
  static __device__ __forceinline__ float dot(step b, step a, float c) {
    return dot2_bf16(b.w[1], a.w[1], dot2_bf16(b.w[0], a.w[0], c));
  }
};
template <> struct product<precision::tf32> {
  typedef float sum;
  typedef floats<4> sums;
  struct step {
    float w[1];
  };
  static __device__ __forceinline__ sums mfma(step b, step a, sums c) {
    return __builtin_amdgcn_mfma_f32_4x4x1f32(b.w[0], a.w[0], c, 0, 0, 0);
  }
  static __device__ __forceinline__ float dot(step b, step a, float c) {
    return c + b.w[0] * a.w[0];
  }
};
template <> struct product<signed char> {
  typedef int sum;
  typedef ints<4> sums;
  struct step {
    int w[1];
  };
  static __device__ __forceinline__ sums mfma(step b, step a, sums c) {
    return __builtin_amdgcn_mfma_i32_4x4x4i8(b.w[0], a.w[0], c, 0, 0, 0);
  }
  static __device__ __forceinline__ int dot(step b, step a, int c) {
    return __builtin_amdgcn_sdot4(b.w[0], a.w[0], c, false);
  }
};
// There is no unsigned MFMA. With u = s + 128 for the signed byte s = u ^ 0x80:
//   sum of b a = sum of sb sa + 128 (sum of sb 1 + sum of 1 sa) + 128 128 k
template <> struct product<unsigned char> {
  typedef int sum;
  typedef ints<4> sums;
  struct step {
    unsigned w[1];
  };
  static __device__ __forceinline__ sums mfma(step b, step a, sums c) {
    const int sb = b.w[0] ^ 0x80808080u, sa = a.w[0] ^ 0x80808080u, ones = 0x01010101;
    sums edge = {};
    edge = __builtin_amdgcn_mfma_i32_4x4x4i8(sb, ones, edge, 0, 0, 0);
    edge = __builtin_amdgcn_mfma_i32_4x4x4i8(ones, sa, edge, 0, 0, 0);
    return __builtin_amdgcn_mfma_i32_4x4x4i8(sb, sa, c, 0, 0, 0) + 128 * edge + 4 * 128 * 128;
  }
  static __device__ __forceinline__ int dot(step b, step a, int c) {
    return __builtin_amdgcn_udot4(b.w[0], a.w[0], c, false);
  }
};

// Accumulators in the type that is summed in, and back.
__device__ __forceinline__ float widened(float x) { return x; }
__device__ __forceinline__ float widened(__half x) { return bits<_Float16>(x); }
__device__ __forceinline__ int widened(int x) { return x; }
__device__ __forceinline__ void narrow(float &to, float x) { to = x; }
__device__ __forceinline__ void narrow(__half &to, float x) { to = bits<__half>((_Float16)x); }
__device__ __forceinline__ void narrow(int &to, int x) { to = x; }
__device__ __forceinline__ float added(float c, float x, bool) { return c + x; }
__device__ __forceinline__ int added(int c, int x, bool saturate) {
  return saturate ? __builtin_elementwise_add_sat(c, x) : int(unsigned(c) + unsigned(x));
}
} // namespace wmma

//# wmma_mma_quad: broadcast_lane wmma_products
namespace wmma {
// The operands of step s, out of K elements a line.
template <class P, int K, class Kept>
__device__ __forceinline__ typename P::step step_at(const Kept *x, int s) {
  typename P::step step;
  __builtin_memcpy(&step, x + s * int(sizeof(step) / sizeof(Kept)), sizeof(step));
  return step;
}
// The step that lane i of each four holds.
template <class Step> __device__ __forceinline__ Step lane_of_four(Step step, int i) {
#pragma unroll
  for (auto &w : step.w)
    w = bits<decltype(w + 0)>(broadcast_lane(bits<unsigned>(w), i, 4));
  return step;
}
// Rows 4 r to 4 r + 3 of D^T, each lane by itself: right for half a wave too.
template <class P, int K, class Kept>
__device__ __forceinline__ typename P::sums by_lanes(const Kept *b, const Kept *a,
                                                     typename P::sums c) {
#pragma unroll
  for (int s = 0; s < K * int(sizeof(Kept)) / int(sizeof(typename P::step)); ++s)
#pragma unroll
    for (int i = 0; i < 4; ++i)
      c[i] = P::dot(lane_of_four(step_at<P, K>(b, s), i), step_at<P, K>(a, s), c[i]);
  return c;
}
// The same by MFMA, for all 64 lanes at once.
template <class P, int K, class Kept>
__device__ __forceinline__ typename P::sums by_mfma(const Kept *b, const Kept *a,
                                                    typename P::sums c) {
#pragma unroll
  for (int s = 0; s < K * int(sizeof(Kept)) / int(sizeof(typename P::step)); ++s)
    c = P::mfma(step_at<P, K>(b, s), step_at<P, K>(a, s), c);
  return c;
}
template <bool whole, int M, int N, int K, class T, class D, class C, class LA, class LB>
__device__ __forceinline__ void multiply(fragment<accumulator, M, N, K, D> &d,
                                         const fragment<matrix_a, M, N, K, T, LA> &a,
                                         const fragment<matrix_b, M, N, K, T, LB> &b,
                                         const fragment<accumulator, M, N, K, C> &c,
                                         bool saturate) {
  typedef product<T> P;
#pragma unroll
  for (int r = 0; r < 2; ++r) {
    typename P::sums sums = {};
    if (!saturate)
#pragma unroll
      for (int i = 0; i < 4; ++i)
        sums[i] = widened(c.x[4 * r + i]);
    sums = whole ? by_mfma<P, K>(b.x + r * K, a.x, sums) : by_lanes<P, K>(b.x + r * K, a.x, sums);
#pragma unroll
    for (int i = 0; i < 4; ++i)
      narrow(d.x[4 * r + i], saturate ? added(widened(c.x[4 * r + i]), sums[i], true) : sums[i]);
  }
}
} // namespace wmma

//# wmma_mma_alone: bits wmma_types
// The 8 x 8 shapes: a lane multiplies its row of A by its two columns of B.
namespace wmma {
__device__ __forceinline__ double line(const double *b, const double *a, double c, double) {
#pragma unroll
  for (int k = 0; k < 4; ++k)
    c = __builtin_fma(a[k], b[k], c);
  return c;
}
__device__ __forceinline__ int line(const int *b, const int *a, int c, int) {
#pragma unroll
  for (int w = 0; w < 4; ++w)
    c = __builtin_amdgcn_sdot8(a[w], b[w], c, false);
  return c;
}
__device__ __forceinline__ int line(const unsigned *b, const unsigned *a, int c, int) {
#pragma unroll
  for (int w = 0; w < 4; ++w)
    c = __builtin_amdgcn_udot8(a[w], b[w], c, false);
  return c;
}
template <int K, class T, class D, class LA, class LB>
__device__ __forceinline__ void multiply_alone(fragment<accumulator, 8, 8, K, D> &d,
                                               const fragment<matrix_a, 8, 8, K, T, LA> &a,
                                               const fragment<matrix_b, 8, 8, K, T, LB> &b,
                                               const fragment<accumulator, 8, 8, K, D> &c,
                                               bool saturate) {
#pragma unroll
  for (int i = 0; i < 2; ++i) {
    const auto *column = b.x + i * a.num_elements;
    const D sum = line(column, a.x, saturate ? D(0) : c.x[i], D());
    d.x[i] = saturate ? D(__builtin_elementwise_add_sat(int(c.x[i]), int(sum))) : sum;
  }
}
} // namespace wmma

//# wmma_mma: whole_wave wmma_mma_quad wmma_mma_alone
namespace wmma {
// MFMA needs all 64 lanes; whether they are here is asked at run time.
template <int M, int N, int K, class T, class D, class C, class LA, class LB>
__device__ __forceinline__ void mma_sync(fragment<accumulator, M, N, K, D> &d,
                                         const fragment<matrix_a, M, N, K, T, LA> &a,
                                         const fragment<matrix_b, M, N, K, T, LB> &b,
                                         const fragment<accumulator, M, N, K, C> &c,
                                         bool saturate = false) {
  if constexpr (M == 8 && N == 8)
    multiply_alone(d, a, b, c, saturate);
  else if (whole_wave())
    multiply<true>(d, a, b, c, saturate);
  else
    multiply<false>(d, a, b, c, saturate);
}
} // namespace wmma

//# wmma_mma_halves: wmma_mma_quad wmma_mma_alone
namespace wmma {
// Without MFMA.
template <int M, int N, int K, class T, class D, class C, class LA, class LB>
__device__ __forceinline__ void mma_sync_halves(fragment<accumulator, M, N, K, D> &d,
                                                const fragment<matrix_a, M, N, K, T, LA> &a,
                                                const fragment<matrix_b, M, N, K, T, LB> &b,
                                                const fragment<accumulator, M, N, K, C> &c,
                                                bool saturate = false) {
  if constexpr (M == 8 && N == 8)
    multiply_alone(d, a, b, c, saturate);
  else
    multiply<false>(d, a, b, c, saturate);
}
} // namespace wmma

//# wmma_bmma: wmma_types
namespace wmma {
// Counts the bits that a row of A and a column of B share (AND) or differ in (XOR).
template <class A, class B>
__device__ __forceinline__ void
bmma_sync(fragment<accumulator, 8, 8, 128, int> &d, const A &a, const B &b,
          const fragment<accumulator, 8, 8, 128, int> &c,
          experimental::bmmaBitOp op = experimental::bmmaBitOpXOR,
          experimental::bmmaAccumulateOp = experimental::bmmaAccumulateOpPOPC) {
#pragma unroll
  for (int i = 0; i < 2; ++i) {
    int count = c.x[i];
#pragma unroll
    for (int w = 0; w < 4; ++w)
      count += __builtin_popcount(op == experimental::bmmaBitOpXOR ? a.x[w] ^ b.x[4 * i + w]
                                                                   : a.x[w] & b.x[4 * i + w]);
    d.x[i] = count;
  }
}
} // namespace wmma
