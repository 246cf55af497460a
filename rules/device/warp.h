// Device runtime, part 2: the vocabulary of a 32-lane warp inside a 64-lane wave.
//
// Lanes 0-31 and 32-63 are two warps; whatever these functions move or vote on
// stays inside one of them, so they are right in divergent code and in blocks of
// 32 threads. Masks are 32-bit masks of a warp, as in CUDA. `xor_lanes`,
// `row_up`, `broadcast_lane`, `scan_lanes` and their like are written from the cross-lane
// table of layouts/isa (rules/device/LaneMoves.cpp).
// https://docs.nvidia.com/cuda/cuda-c-programming-guide/#warp-shuffle-functions

//# maybe_undef!:
// A parameter that some lanes may come without: in
//   int place; if (leader) place = atomicAdd(n, 1); place = lp::shfl(place, 0);
// only one lane has a value. Clang would else take every lane for the leader.
#define LP_MAYBE_UNDEF __attribute__((maybe_undef))

//# words:
// A value as 32-bit words, the unit that moves between lanes.
template <class T> struct words_of {
  unsigned w[(sizeof(T) + 3) / 4] = {};
  __device__ __forceinline__ explicit words_of(const T &v) { __builtin_memcpy(w, &v, sizeof(T)); }
  __device__ __forceinline__ T put(T v) const {
    __builtin_memcpy(&v, w, sizeof(T));
    return v;
  }
};

//# shfl_from: words from_lane maybe_undef
// v of another lane of the wave; any trivially copyable value.
template <class T> __device__ __forceinline__ T shfl_from(LP_MAYBE_UNDEF T v, unsigned lane) {
  words_of<T> words(v);
  for (unsigned &w : words.w)
    w = from_lane(lane, w);
  return words.put(v);
}

//# shfl_idx: lane shfl_from broadcast_lane
// __shfl_sync: lane `lane` of each segment of `width` lanes. A lane known at
// compile time needs no LDS pipe.
template <class T> __device__ __forceinline__ T shfl(LP_MAYBE_UNDEF T v, int lane, int width = 32) {
  if (__builtin_constant_p(lane) && __builtin_constant_p(width) && width != 8) {
    words_of<T> words(v);
    for (unsigned &w : words.w)
      w = broadcast_lane(w, lane & (width - 1), width);
    return words.put(v);
  }
  return shfl_from(v, (lane64() & -width) + (lane & (width - 1)));
}

//# shfl_uniform: lane words broadcast_lane maybe_undef
// __shfl_sync with one lane for both warps of a wave: each reads its own into a scalar.
template <class T> __device__ __forceinline__ T shfl_uniform(LP_MAYBE_UNDEF T v, int lane) {
  words_of<T> words(v);
  for (unsigned &w : words.w)
    w = broadcast_lane(w, lane & 31, 32);
  return words.put(v);
}

//# wave_up: row_up
// x of the lane `delta` below in the warp, by as many moves of one lane: all lanes between
// take part. Four cost less than one trip through LDS.
__device__ __forceinline__ unsigned wave_up(LP_MAYBE_UNDEF unsigned x, unsigned delta) {
  if (delta == 16)
    return row_up(x, 16);
  for (unsigned moved = 0; moved < delta; ++moved)
    x = row_up(x, 1);
  return x;
}

//# shfl_up: lane shfl_from row_up wave_up
// __shfl_up_sync: lanes before the segment keep their own.
template <class T> __device__ __forceinline__ T shfl_up(LP_MAYBE_UNDEF T v, unsigned delta, int width = 32) {
  const unsigned self = lane64(), in = self & (width - 1), d = delta & 31;
  if (__builtin_constant_p(delta) && __builtin_constant_p(width) &&
      (width <= 16 ? d < 16 : d <= 4 || d == 16)) {
    words_of<T> words(v);
    for (unsigned &w : words.w) {
      // By all lanes: the move is not part of the choice.
      const unsigned moved = width <= 16 ? row_up(w, d) : wave_up(w, d);
      w = in < d ? w : moved;
    }
    return words.put(v);
  }
  return shfl_from(v, in < d ? self : self - d);
}

//# shfl_up_some: lane shfl_from row_up
// The same where only some lanes of the warp take part: no move passes through another lane.
template <class T> __device__ __forceinline__ T shfl_up_some(LP_MAYBE_UNDEF T v, unsigned delta, int width = 32) {
  const unsigned self = lane64(), in = self & (width - 1), d = delta & 31;
  if (__builtin_constant_p(delta) && __builtin_constant_p(width) &&
      (width <= 16 ? d < 16 : d == 1 || d == 16)) {
    words_of<T> words(v);
    for (unsigned &w : words.w) {
      const unsigned moved = row_up(w, d);
      w = in < d ? w : moved;
    }
    return words.put(v);
  }
  return shfl_from(v, in < d ? self : self - d);
}

//# wave_down: row_down
// x of the lane `delta` above, as wave_up.
__device__ __forceinline__ unsigned wave_down(LP_MAYBE_UNDEF unsigned x, unsigned delta) {
  if (delta == 16)
    return row_down(x, 16);
  for (unsigned moved = 0; moved < delta; ++moved)
    x = row_down(x, 1);
  return x;
}

//# shfl_down: lane shfl_from row_down wave_down
// __shfl_down_sync: lanes past the segment keep their own.
template <class T> __device__ __forceinline__ T shfl_down(LP_MAYBE_UNDEF T v, unsigned delta, int width = 32) {
  const unsigned self = lane64(), in = self & (width - 1), d = delta & 31;
  if (__builtin_constant_p(delta) && __builtin_constant_p(width) &&
      (width <= 16 ? d < 16 : d <= 4 || d == 16)) {
    words_of<T> words(v);
    for (unsigned &w : words.w) {
      const unsigned moved = width <= 16 ? row_down(w, d) : wave_down(w, d);
      w = in + d >= unsigned(width) ? w : moved;
    }
    return words.put(v);
  }
  return shfl_from(v, in + d >= unsigned(width) ? self : self + d);
}

//# shfl_down_some: lane shfl_from row_down
// The same where only some lanes of the warp take part.
template <class T> __device__ __forceinline__ T shfl_down_some(LP_MAYBE_UNDEF T v, unsigned delta, int width = 32) {
  const unsigned self = lane64(), in = self & (width - 1), d = delta & 31;
  if (__builtin_constant_p(delta) && __builtin_constant_p(width) &&
      (width <= 16 ? d < 16 : d == 1 || d == 16)) {
    words_of<T> words(v);
    for (unsigned &w : words.w) {
      const unsigned moved = row_down(w, d);
      w = in + d >= unsigned(width) ? w : moved;
    }
    return words.put(v);
  }
  return shfl_from(v, in + d >= unsigned(width) ? self : self + d);
}

//# shfl_xor: lane shfl_from xor_lanes
// __shfl_xor_sync: lanes past the segment keep their own. A mask known at compile
// time (literals, unrolled loops) is one or two DPPs, or one ds_swizzle from 16 on.
template <class T> __device__ __forceinline__ T shfl_xor(LP_MAYBE_UNDEF T v, int mask, int width = 32) {
  const int m = mask & 31;
  if (__builtin_constant_p(mask) && __builtin_constant_p(width) && m < width) {
    words_of<T> words(v);
    for (unsigned &w : words.w)
      w = xor_lanes(w, m);
    return words.put(v);
  }
  const unsigned self = lane64(), lane = self ^ m;
  return shfl_from(v, lane >= ((self + width) & -width) ? self : lane);
}

//# wave_xor: words lane from_lane xor_lanes
// v of lane ^ mask of all 64.
template <class T> __device__ __forceinline__ T wave_xor(T v, int mask) {
  words_of<T> words(v);
  for (unsigned &w : words.w) {
#ifdef __gfx950__
    w = xor_lanes(w, mask & 31);
    if (mask & 32) {
      const auto halves = __builtin_amdgcn_permlane32_swap(w, w, false, false);
      w = lane64() & 32 ? halves[0] : halves[1];
    }
#else
    w = mask & 32 ? from_lane(lane64() ^ mask, w) : xor_lanes(w, mask);
#endif
  }
  return words.put(v);
}

//# shfl_xor_wave: lane shfl_from wave_xor
// __shfl_xor_sync of values made from results that lie as an MFMA leaves them: bits 0 and
// 1 of CUDA's lane (columns) are bits 4 and 5 of the wave's, bits 2-4 (rows) are 0-2.
template <class T> __device__ __forceinline__ T shfl_xor_wave(T v, int mask) {
  const int moved = (mask & 3) << 4 | mask >> 2;
#ifdef __gfx950__
  // Between products the VALU has most to do: its swap of rows wants two copies and a choice.
  if (moved & 48)
    return shfl_from(v, lane64() ^ moved);
#endif
  return wave_xor(v, moved);
}

//# of_element: lane first_warp
// f(lane, warp, e) for the thread and the register that CUDA has the element in which lies
// here in register e of an accumulator. Bit B of e, rows r or r + 8 there, says which of the
// two warps it is here; lane bit 3 is the row's:
//
//   register bit  lanes 0-2  lane 3  lanes 4,5           here
//   warp          row        row + 8  column / 2         of CUDA's
template <int B = 0, class F> __device__ __forceinline__ auto of_element(int e, F f) {
  const int l = lane64();
  return f((l & 7) << 2 | l >> 4, first_warp() + (e >> B & 1), (e & ~(1 << B)) | (l >> 3 & 1) << B);
}

//# store_matrices: of_element lds lds_address bits
// stmatrix of results of an accumulator: f(lane, warp) says where CUDA's lane has eight elements of
// a row go. Bit B of a matrix's number is rows r or r + 8 of a tile (of_element).
template <int B, class F, class... R>
__device__ __forceinline__ void store_matrices(F f, const R &...matrices) {
  const unsigned words[] = {bits<unsigned>(matrices)...};
#pragma unroll
  for (int i = 0; i < (int)sizeof...(R); ++i)
    of_element<B>(i, [&](int lane, int warp, int matrix) {
      *lds_at<unsigned>(lds_address(f(matrix * 8 + lane / 4, warp)) + lane % 4 * 4) = words[i];
    });
}

//# store_matrices_trans: of_element wave_xor lds lds_address bits
// The same with .trans: f says where eight elements of a column go. Two lanes have neighbours along
// it, in two columns: each puts those of one together.
template <int B, class F, class... R>
__device__ __forceinline__ void store_matrices_trans(F f, const R &...matrices) {
  const unsigned words[] = {bits<unsigned>(matrices)...};
#pragma unroll
  for (int i = 0; i < (int)sizeof...(R); ++i) {
    const unsigned other = wave_xor(words[i], 1);
    of_element<B>(i, [&](int lane, int warp, int matrix) {
      const int row = lane / 4, second = row % 2, column = lane % 4 * 2 + second;
      const unsigned both =
          __builtin_amdgcn_perm(words[i], other, second ? 0x07060302u : 0x01000504u);
      *lds_at<unsigned>(lds_address(f(matrix * 8 + column, warp)) + (row - second) * 2) = both;
    });
  }
}

//# add_row_sums: bits words2
// Sums of rows of an operand A that results were packed into, added to values of rows: mma.m16n8k16
// with constants for B, of which one column is kept. Register bit 0 of A is the warp here (of_element),
// and a lane has four elements of its row:
//
//   d[warp] += w0 * a[warp] + w1 * a[2 + warp], over the four lanes of a row
template <class T, class D, class A>
__device__ __forceinline__ void add_row_sums(D &d0, D &d1, const A &a0, const A &a1, const A &a2,
                                             const A &a3, unsigned w0, unsigned w1) {
  typedef float sums __attribute__((ext_vector_type(4)));
  const unsigned a[] = {bits<unsigned>(a0), bits<unsigned>(a1), bits<unsigned>(a2),
                        bits<unsigned>(a3)};
  D *const d[] = {&d0, &d1};
#pragma unroll
  for (int h = 0; h < 2; ++h) {
    sums c = {*d[h], 0, 0, 0};
    const words2 w = {w0, w1}, rows = {a[h], a[2 + h]};
    if constexpr (__is_same(T, __bf16)) {
      typedef short input __attribute__((ext_vector_type(4)));
      c = __builtin_amdgcn_mfma_f32_16x16x16bf16_1k(bits<input>(w), bits<input>(rows), c, 0, 0, 0);
    } else {
      typedef _Float16 input __attribute__((ext_vector_type(4)));
      c = __builtin_amdgcn_mfma_f32_16x16x16f16(bits<input>(w), bits<input>(rows), c, 0, 0, 0);
    }
    *d[h] = c[0];
  }
}

//# turned:
// movmatrix of what f(lane, ...) gives: two lanes have the halves of what a lane has of the turned
// matrix, column lane / 4 of rows lane % 4 * 2 and one more.
template <class F> struct turned_of {
  F f;
  template <class... R> __device__ __forceinline__ unsigned operator()(int lane, R... rest) const {
    const int from = lane % 4 * 8 + lane / 8;
    const unsigned first = f(from, rest...), second = f(from + 4, rest...);
    return __builtin_amdgcn_perm(second, first, lane & 4 ? 0x07060302u : 0x05040100u);
  }
};
template <class F> __device__ __forceinline__ turned_of<F> turned(F f) { return {f}; }

//# packed: bits
// Registers of several values each, the first in the lowest bits: f(lane, ..., i) gives value i, and
// register r has the values from r * (how many make one) on.
template <class F> struct packed_of {
  F f;
  template <class Value> static __device__ __forceinline__ unsigned word(int r, Value value) {
    constexpr int n = 4 / sizeof(value(0));
    decltype(value(0)) values[n];
#pragma unroll
    for (int i = 0; i < n; ++i)
      values[i] = value(r * n + i);
    return bits<unsigned>(values);
  }
  __device__ __forceinline__ unsigned operator()(int lane, int warp, int r) const {
    return word(r, [&](int i) { return f(lane, warp, i); });
  }
  __device__ __forceinline__ unsigned operator()(int lane, int warp, int tile, int r) const {
    return word(r, [&](int i) { return f(lane, warp, tile, i); });
  }
};
template <class F> __device__ __forceinline__ packed_of<F> packed(F f) { return {f}; }

//# halves: lane first_warp
// A value f(lane, warp) of a thread, handed to a function that asks for it elsewhere: the thread's
// own, and that of the thread which CUDA has this lane's elements in, by its warp.
template <class T> struct halves {
  T own, of[2];
  template <class F> __device__ __forceinline__ explicit halves(F f) {
    const int l = lane64(), warp = first_warp(), lane = (l & 7) << 2 | l >> 4;
    own = f(l & 31, warp + (l >> 5));
    of[0] = f(lane, warp);
    of[1] = f(lane, warp + 1);
  }
  __device__ __forceinline__ operator T() const { return own; }
  __device__ __forceinline__ T operator()(int warp) const { return of[warp & 1]; }
};

//# shfl_xor_some: lane shfl_from xor_lanes_direct
// The same where only some lanes of the warp take part.
template <class T> __device__ __forceinline__ T shfl_xor_some(LP_MAYBE_UNDEF T v, int mask, int width = 32) {
  const int m = mask & 31;
  if (__builtin_constant_p(mask) && __builtin_constant_p(width) && m < width) {
    words_of<T> words(v);
    for (unsigned &w : words.w)
      w = xor_lanes_direct(w, m);
    return words.put(v);
  }
  const unsigned self = lane64(), lane = self ^ m;
  return shfl_from(v, lane >= ((self + width) & -width) ? self : lane);
}

//# reduce_step: words reduce_lanes maybe_undef
// One step of a reduction of all 32 lanes, of five: v of lanes that hold another part of
// the whole, where `held` lanes hold the same part. No step goes through the LDS pipe.
template <class T> __device__ __forceinline__ T reduce_step(LP_MAYBE_UNDEF T v, int held) {
  words_of<T> words(v);
  for (unsigned &w : words.w)
    w = reduce_lanes(w, held);
  return words.put(v);
}

//# scan_step: words scan_lanes maybe_undef
// One step of a scan of all 32 lanes, of five: v of the lane `delta` below in the row of
// 16 lanes, and `nothing` where there is none; in the last step v of the row below.
template <class T, class Nothing>
__device__ __forceinline__ T scan_step(LP_MAYBE_UNDEF T v, int delta, Nothing nothing) {
  words_of<T> words(v);
  const words_of<T> none(static_cast<T>(nothing));
  for (unsigned i = 0; i < sizeof(words.w) / 4; ++i)
    words.w[i] = scan_lanes(words.w[i], none.w[i], delta);
  return words.put(v);
}

//# shfl: shfl_idx shfl_up shfl_down shfl_xor

//# ballot: lane
// This warp's 32 bits of the wave's ballot.
__device__ __forceinline__ unsigned ballot(bool p) {
  return unsigned(__builtin_amdgcn_ballot_w64(p) >> (lane64() & 32));
}

//# ballot_sync: ballot
__device__ __forceinline__ unsigned ballot_sync(unsigned mask, bool p) { return ballot(p) & mask; }

//# any_sync: ballot
__device__ __forceinline__ bool any_sync(unsigned mask, bool p) { return ballot(p) & mask; }

//# all_sync: ballot
__device__ __forceinline__ bool all_sync(unsigned mask, bool p) { return !(ballot(!p) & mask); }

//# uni_sync: any_sync all_sync
// Do all lanes of the mask say the same?
__device__ __forceinline__ bool uni_sync(unsigned mask, bool p) {
  return all_sync(mask, p) || !any_sync(mask, p);
}

//# any: ballot
__device__ __forceinline__ bool any(bool p) { return ballot(p); }

//# all: ballot
__device__ __forceinline__ bool all(bool p) { return !ballot(!p); }

//# activemask: ballot
// The lanes of this 32-lane warp that are here.
__device__ __forceinline__ unsigned activemask() { return ballot(true); }

//# syncwarp:
// Lanes of a wave run in step: only the compiler must not move memory accesses
// across this point.
__device__ __forceinline__ void syncwarp(unsigned = ~0u) {
  __builtin_amdgcn_fence(__ATOMIC_RELEASE, "wavefront");
  __builtin_amdgcn_wave_barrier();
  __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "wavefront");
}

//# lanemask: lane
// %lanemask_lt and its kin: lanes of the warp below, up to, from, above this one.
__device__ __forceinline__ unsigned lanemask_eq() { return 1u << (lane64() & 31); }
__device__ __forceinline__ unsigned lanemask_lt() { return lanemask_eq() - 1; }
__device__ __forceinline__ unsigned lanemask_le() { return lanemask_lt() | lanemask_eq(); }
__device__ __forceinline__ unsigned lanemask_ge() { return ~lanemask_lt(); }
__device__ __forceinline__ unsigned lanemask_gt() { return ~lanemask_le(); }

//# fns:
// __fns: the offset-th set bit of `mask` from `base` on, upwards for a positive
// offset, downwards for a negative one; 0: is `base` set? ~0u where there is none.
__device__ __forceinline__ unsigned fns(unsigned mask, unsigned base, int offset) {
  if (offset == 0)
    return mask >> (base & 31) & 1 ? base : ~0u;
  unsigned rest = offset > 0 ? mask & ~0u << base : mask & ~0u >> (31 - base);
  for (int n = offset > 0 ? offset : -offset; rest && n > 1; --n)
    rest &= offset > 0 ? rest - 1 : ~(1u << (31 - __builtin_clz(rest)));
  if (!rest)
    return ~0u;
  return offset > 0 ? __builtin_ctz(rest) : 31 - __builtin_clz(rest);
}

//# same_bits: words
template <class T> __device__ __forceinline__ bool same_bits(const T &a, const T &b) {
  const words_of<T> x(a), y(b);
  bool same = true;
  for (unsigned i = 0; i < sizeof(x.w) / 4; ++i)
    same &= x.w[i] == y.w[i];
  return same;
}

//# match_any_sync: ballot shfl_from same_bits
// The lanes of the mask that hold the same bits: a round a distinct value, in
// which the first lane without an answer is asked.
template <class T> __device__ __forceinline__ unsigned match_any_sync(unsigned mask, LP_MAYBE_UNDEF T v) {
  unsigned mine = 0;
  for (unsigned rest = ballot(true) & mask; rest;) {
    const T asked = shfl_from(v, __builtin_ctz(rest) + (lane64() & 32));
    const bool same = same_bits(v, asked);
    const unsigned lanes = ballot(same) & mask;
    mine = same ? lanes : mine;
    rest &= ~lanes;
  }
  return mine;
}

//# match_all_sync: ballot shfl_from same_bits
template <class T>
__device__ __forceinline__ unsigned match_all_sync(unsigned mask, LP_MAYBE_UNDEF T v, int *predicate) {
  const T first = shfl_from(v, __builtin_ctz(mask) + (lane64() & 32));
  *predicate = !(ballot(!same_bits(v, first)) & mask);
  return *predicate ? mask : 0;
}

//# reduce_sync: ballot shfl_from reduce_step
// Over the lanes of a mask: five steps for the whole warp, else lane by lane.
template <class T, class Op>
__device__ __forceinline__ T reduce_sync(unsigned mask, T v, Op op) {
  if (mask == ~0u) {
    for (int held = 1; held < 32; held *= 2)
      v = op(v, reduce_step(v, held));
    return v;
  }
  T total = shfl_from(v, __builtin_ctz(mask) + (lane64() & 32));
  for (unsigned rest = mask & (mask - 1); rest; rest &= rest - 1)
    total = op(total, shfl_from(v, __builtin_ctz(rest) + (lane64() & 32)));
  return total;
}

//# reduce_add_sync: reduce_sync
// Of int and unsigned, as in CUDA: what is smaller (a bool that is counted) becomes int.
__device__ __forceinline__ unsigned reduce_add_sync(unsigned mask, unsigned v) {
  return reduce_sync(mask, v, [](unsigned a, unsigned b) { return a + b; });
}
__device__ __forceinline__ int reduce_add_sync(unsigned mask, int v) {
  return reduce_add_sync(mask, unsigned(v));
}

//# reduce_min_sync: reduce_sync
__device__ __forceinline__ unsigned reduce_min_sync(unsigned mask, unsigned v) {
  return reduce_sync(mask, v, [](unsigned a, unsigned b) { return b < a ? b : a; });
}
__device__ __forceinline__ int reduce_min_sync(unsigned mask, int v) {
  return reduce_sync(mask, v, [](int a, int b) { return b < a ? b : a; });
}

//# reduce_max_sync: reduce_sync
__device__ __forceinline__ unsigned reduce_max_sync(unsigned mask, unsigned v) {
  return reduce_sync(mask, v, [](unsigned a, unsigned b) { return a < b ? b : a; });
}
__device__ __forceinline__ int reduce_max_sync(unsigned mask, int v) {
  return reduce_sync(mask, v, [](int a, int b) { return a < b ? b : a; });
}

//# reduce_f32_sync: reduce_sync min_max_nan
// The least and the greatest float, of magnitudes if `abs`; a NaN counts only if `nan`.
__device__ __forceinline__ float reduce_min_f32_sync(unsigned mask, float v, bool abs, bool nan) {
  return reduce_sync(mask, abs ? __builtin_fabsf(v) : v, [=](float a, float b) {
    return nan ? min_nan(a, b) : __builtin_fminf(a, b);
  });
}
__device__ __forceinline__ float reduce_max_f32_sync(unsigned mask, float v, bool abs, bool nan) {
  return reduce_sync(mask, abs ? __builtin_fabsf(v) : v, [=](float a, float b) {
    return nan ? max_nan(a, b) : __builtin_fmaxf(a, b);
  });
}

//# reduce_and_sync: reduce_sync
__device__ __forceinline__ unsigned reduce_and_sync(unsigned mask, unsigned v) {
  return reduce_sync(mask, v, [](unsigned a, unsigned b) { return a & b; });
}

//# reduce_or_sync: reduce_sync
__device__ __forceinline__ unsigned reduce_or_sync(unsigned mask, unsigned v) {
  return reduce_sync(mask, v, [](unsigned a, unsigned b) { return a | b; });
}

//# reduce_xor_sync: reduce_sync
__device__ __forceinline__ unsigned reduce_xor_sync(unsigned mask, unsigned v) {
  return reduce_sync(mask, v, [](unsigned a, unsigned b) { return a ^ b; });
}
