// The device runtime: what ported code calls. Only the chunks a file uses are
// written into it; each chunk begins with a line `//# name: chunks it needs`.
//
// Clang builtins and HIP keywords only. A wave of 64 lanes hosts two logical
// warps: lanes 0-31 and 32-63; lane bit 5 says which. Functions whose bodies are
// made from the layout tables (mma, ldmatrix) are written by the rules. A chunk
// whose name ends in '!' holds macros and stands before namespace lp. Vector types
// (words2, float4x, ...) come along wherever they are mentioned.

//# lane:
// Lane of the 64-lane wave, 0..63, by linear thread id whatever the block's shape.
__device__ __forceinline__ unsigned lane64() {
  return __builtin_amdgcn_mbcnt_hi(~0u, __builtin_amdgcn_mbcnt_lo(~0u, 0u));
}

//# lane_of_row:
// Lane of the wave in a block that is one row of whole waves: addresses made from it share with
// those that the program makes from threadIdx.x, and clang sees which parts of them overlap.
__device__ __forceinline__ unsigned lane_of_row() { return threadIdx.x % 64; }

//# bits:
// The bits of x as a T of the same size.
template <class T, class X> __device__ __forceinline__ T bits(const X &x) {
  static_assert(sizeof(T) == sizeof(X), "same size");
  T t;
  __builtin_memcpy(&t, &x, sizeof(T));
  return t;
}

//# from_lane: maybe_undef
// x of another lane of the wave, through the LDS crossbar (no LDS memory).
__device__ __forceinline__ unsigned from_lane(unsigned lane, LP_MAYBE_UNDEF unsigned x) {
  return __builtin_amdgcn_ds_bpermute(lane << 2, x);
}

//# from_lane_f64: from_lane bits
__device__ __forceinline__ double from_lane(unsigned lane, LP_MAYBE_UNDEF double x) {
  const words2 word = bits<words2>(x);
  return bits<double>(words2{from_lane(lane, word.x), from_lane(lane, word.y)});
}

//# whole_wave:
// Are all 64 lanes here? MFMA may only run then. The same for the whole wave.
__device__ __forceinline__ bool whole_wave() { return __builtin_amdgcn_ballot_w64(true) == ~0ull; }

//# memory:
// T in memory that the source may also hold as another type: PTX knows only bytes.
template <class T> struct memory { typedef T type __attribute__((may_alias)); };

//# lds: memory
// LDS memory at a 32-bit shared address.
template <class T> using lds = __attribute__((address_space(3))) typename memory<T>::type;
template <class T> __device__ __forceinline__ lds<T> *lds_at(unsigned address) {
  return (lds<T> *)(address);
}

//# lds_behind: lds
// So many bytes behind it: as a pointer, since of a sum of pointers clang takes what is the same in
// all turns out of a loop.
template <class T> __device__ __forceinline__ lds<T> *lds_behind(unsigned address, unsigned bytes) {
  return (lds<T> *)((lds<char> *)address + bytes);
}

//# cvta_generic_to_shared:
// 32-bit LDS address of a pointer into shared memory, in CUDA's size_t.
__device__ __forceinline__ size_t cvta_generic_to_shared(const void *p) {
  return (size_t)(const __attribute__((address_space(3))) void *)p;
}

//# cvta_shared_to_generic:
__device__ __forceinline__ void *cvta_shared_to_generic(size_t address) {
  return (void *)(__attribute__((address_space(3))) void *)(unsigned)address;
}

//# cvta_generic_to_global:
__device__ __forceinline__ size_t cvta_generic_to_global(const void *p) { return (size_t)p; }

//# cvta_global_to_generic:
__device__ __forceinline__ void *cvta_global_to_generic(size_t address) { return (void *)address; }

//# cp_async_chunk:
// 4, 8 or 16 bytes that move in one access.
template <int N> struct cp_async_chunk;
template <> struct cp_async_chunk<4> { typedef unsigned type; };
template <> struct cp_async_chunk<8> {
  typedef unsigned type __attribute__((ext_vector_type(2)));
};
template <> struct cp_async_chunk<16> {
  typedef unsigned type __attribute__((ext_vector_type(4)));
};

//# cp_async: lds cp_async_chunk
// cp.async as a copy that is done when the call returns: CUDA lets it be done at
// any time before its wait.
template <int N, class P> __device__ __forceinline__ void cp_async(unsigned to, P from) {
  typedef typename cp_async_chunk<N>::type chunk;
  typedef const __attribute__((address_space(1))) typename memory<chunk>::type source;
  *lds_at<chunk>(to) = *(source *)(size_t)from;
}

//# cp_async_zfill: cp_async
// The same with src-size: bytes from `size` on are zero and not read.
template <int N, class P>
__device__ __forceinline__ void cp_async_zfill(unsigned to, P from, unsigned size) {
  typedef typename cp_async_chunk<N>::type chunk;
  if (size >= N)
    return cp_async<N>(to, from);
  *lds_at<chunk>(to) = chunk(0);
  for (unsigned i = 0; i < size; ++i)
    *lds_at<char>(to + i) = ((const __attribute__((address_space(1))) char *)(size_t)from)[i];
}

//# cp_async_commit:
// Copies are done when cp_async returns: there is nothing to commit or wait for.
__device__ __forceinline__ void cp_async_commit() {}

//# cp_async_wait:
// Copies are done when cp_async returns; other lanes see them after the barrier
// that the source has here too.
__device__ __forceinline__ void cp_async_wait(int) {}

//# half2:
typedef _Float16 half2 __attribute__((ext_vector_type(2)));

//# bfloat2:
typedef __bf16 bfloat2 __attribute__((ext_vector_type(2)));

//# cvt_f16x2: bits half2
// Two floats as f16, rounded to nearest even; `upper` in the upper half.
__device__ __forceinline__ unsigned cvt_f16x2(float upper, float lower) {
  return bits<unsigned>(half2{(_Float16)lower, (_Float16)upper});
}

//# cvt_bf16x2: bits bfloat2
// Two floats as bf16, rounded to nearest even; `upper` in the upper half.
__device__ __forceinline__ unsigned cvt_bf16x2(float upper, float lower) {
  return bits<unsigned>(bfloat2{(__bf16)lower, (__bf16)upper});
}

//# cvt_f16_f32: bits
__device__ __forceinline__ unsigned short cvt_f16_f32(float x) {
  return bits<unsigned short>((_Float16)x);
}

//# cvt_bf16_f32: bits
__device__ __forceinline__ unsigned short cvt_bf16_f32(float x) {
  return bits<unsigned short>((__bf16)x);
}

//# cvt_f32_f16: bits
__device__ __forceinline__ float cvt_f32_f16(unsigned short x) { return (float)bits<_Float16>(x); }

//# cvt_f32_bf16: bits
__device__ __forceinline__ float cvt_f32_bf16(unsigned short x) {
  return bits<float>((unsigned)x << 16);
}

//# dot2_f16: bits half2
// c + a.x * b.x + a.y * b.y of two packed pairs.
__device__ __forceinline__ float dot2_f16(unsigned a, unsigned b, float c) {
  const half2 x = bits<half2>(a), y = bits<half2>(b);
  return c + (float)x.x * (float)y.x + (float)x.y * (float)y.y;
}

//# dot2_bf16: bits bfloat2
// The same for bf16.
__device__ __forceinline__ float dot2_bf16(unsigned a, unsigned b, float c) {
  const bfloat2 x = bits<bfloat2>(a), y = bits<bfloat2>(b);
  return c + (float)x.x * (float)y.x + (float)x.y * (float)y.y;
}

//# mul_add_f16_halves: bits
// c + a * b of the lower halves.
__device__ __forceinline__ float mul_add_f16_halves(unsigned a, unsigned b, float c) {
  return c + (float)bits<_Float16>((unsigned short)a) * (float)bits<_Float16>((unsigned short)b);
}

//# mul_add_tf32: bits
// c + a * b of two tf32 numbers: the 13 low bits of each do not count.
__device__ __forceinline__ float mul_add_tf32(unsigned a, unsigned b, float c) {
  return c + bits<float>(a & 0xffffe000u) * bits<float>(b & 0xffffe000u);
}

//# mul_add_f64:
__device__ __forceinline__ double mul_add_f64(double a, double b, double c) {
  return __builtin_fma(a, b, c);
}

//# dot4:
// c + four products of bytes, each side signed or not.
template <bool SignedA, bool SignedB>
__device__ __forceinline__ int dot4(unsigned a, unsigned b, int c) {
#pragma unroll
  for (int i = 0; i < 32; i += 8)
    c += (SignedA ? (int)(signed char)(a >> i) : (int)(unsigned char)(a >> i)) *
         (SignedB ? (int)(signed char)(b >> i) : (int)(unsigned char)(b >> i));
  return c;
}

//# dot8:
// c + eight products of nibbles, each side signed or not.
template <bool SignedA, bool SignedB>
__device__ __forceinline__ int dot8(unsigned a, unsigned b, int c) {
#pragma unroll
  for (int i = 0; i < 32; i += 4)
    c += (SignedA ? (int)(a << (28 - i)) >> 28 : (int)(a >> i & 15)) *
         (SignedB ? (int)(b << (28 - i)) >> 28 : (int)(b >> i & 15));
  return c;
}

//# e4m3_to_f32: bits
// OCP e4m3: f16 has its bits one place further left, with another bias. No infinity.
__device__ __forceinline__ float e4m3_to_f32(unsigned byte) {
  const unsigned h = (byte & 0x7f) << 7 | (byte & 0x80) << 8;
  const float x = (float)bits<_Float16>((unsigned short)h) * 256.0f;
  return (byte & 0x7f) == 0x7f ? __builtin_nanf("") : x;
}

//# e5m2_to_f32: bits
// OCP e5m2 is the upper byte of an f16.
__device__ __forceinline__ float e5m2_to_f32(unsigned byte) {
  return (float)bits<_Float16>((unsigned short)(byte << 8));
}

//# dot4_fp8: e4m3_to_f32 e5m2_to_f32
// c + four products of fp8 numbers.
template <float (*FromA)(unsigned), float (*FromB)(unsigned)>
__device__ __forceinline__ float dot4_fp8(unsigned a, unsigned b, float c) {
#pragma unroll
  for (int i = 0; i < 32; i += 8)
    c += FromA(a >> i & 0xff) * FromB(b >> i & 0xff);
  return c;
}

//# e4m3_to_fnuz:
// Four OCP e4m3 as FNUZ numbers of half their value: the same bits, but -0 is 0 and
// NaN is 0x80.
__device__ __forceinline__ unsigned e4m3_to_fnuz(unsigned x) {
  const unsigned magnitude = x & 0x7f7f7f7fu, tops = 0x80808080u;
  const unsigned nonzero = magnitude + 0x7f7f7f7fu & tops, nan = magnitude + 0x01010101u & tops;
  return (magnitude & ~(nan - (nan >> 7))) | (x & nonzero) | nan;
}

//# bf16_pair: bits
// The upper halves of two floats that bf16 holds exactly.
__device__ __forceinline__ unsigned bf16_pair(float lower, float upper) {
  return bits<unsigned>(lower) >> 16 | (bits<unsigned>(upper) & 0xffff0000u);
}

//# e4m3_to_bf16: e4m3_to_f32 bf16_pair
// Bytes 0 and 2.
__device__ __forceinline__ unsigned e4m3_to_bf16(unsigned x) {
  return bf16_pair(e4m3_to_f32(x & 0xff), e4m3_to_f32(x >> 16 & 0xff));
}

//# e5m2_to_bf16: e5m2_to_f32 bf16_pair
// Bytes 0 and 2.
__device__ __forceinline__ unsigned e5m2_to_bf16(unsigned x) {
  return bf16_pair(e5m2_to_f32(x & 0xff), e5m2_to_f32(x >> 16 & 0xff));
}

//# words2:
typedef unsigned words2 __attribute__((ext_vector_type(2)));

//# words4:
typedef unsigned words4 __attribute__((ext_vector_type(4)));

//# float4x:
typedef float float4x __attribute__((ext_vector_type(4)));

//# float16x:
typedef float float16x __attribute__((ext_vector_type(16)));

//# double4x:
typedef double double4x __attribute__((ext_vector_type(4)));

//# int4x:
typedef int int4x __attribute__((ext_vector_type(4)));

//# int16x:
typedef int int16x __attribute__((ext_vector_type(16)));

//# native_words: bits
// The bits of x into t, whatever 32-bit type the fragment is kept in.
template <class T, class X> __device__ __forceinline__ void put(T &t, const X &x) {
  t = bits<T>(x);
}

//# no_words:
// Registers of an operand that is not there.
struct no_words {
  __device__ __forceinline__ unsigned operator[](int) const { return 0; }
};

//# lds_address: lds
// The LDS address that a function of the kernel's own computes, pointer or number.
template <class T> __device__ __forceinline__ unsigned lds_address(T *p) {
  return (unsigned)(size_t)(lds<const void> *)p;
}
__device__ __forceinline__ unsigned lds_address(size_t address) { return (unsigned)address; }

//# by_words:
// f of each 32 bits of x.
template <class T, class F> __device__ __forceinline__ T by_words(const T &x, const F &f) {
  unsigned words[(sizeof(T) + 3) / 4] = {};
  __builtin_memcpy(words, &x, sizeof(T));
  for (unsigned &word : words)
    word = f(word);
  T t = x; // a class may have no other constructor
  __builtin_memcpy(&t, words, sizeof(T));
  return t;
}

//# of_thread: from_lane by_words
// x as the thread at `lane` of `warp` has it; a warp of this wave.
template <class T> __device__ __forceinline__ T of_thread(const T &x, int lane, int warp) {
  const unsigned from = (unsigned)lane | (warp & 1) << 5;
  return by_words(x, [&](unsigned word) { return from_lane(from, word); });
}

//# either:
// Of the wave's two warps, which have it alike each: is it so for one?
__device__ __forceinline__ bool either(bool x) { return __builtin_amdgcn_ballot_w64(x) != 0; }

//# of_warp: by_words
// x as the threads of `warp` have it, all alike; a warp of this wave.
template <class T> __device__ __forceinline__ T of_warp(const T &x, int warp) {
  return by_words(x, [&](unsigned word) {
    const unsigned lower = __builtin_amdgcn_readlane(word, 0);
    const unsigned upper = __builtin_amdgcn_readlane(word, 32);
    return warp & 1 ? upper : lower;
  });
}

//# turn: by_words lane
// x of this warp where it goes on, else of the wave's other one. Each has both alike.
template <class T> __device__ __forceinline__ T turn(const T &x, bool goesOn) {
  const bool isUpper = lane64() >= 32;
  return by_words(x, [&](unsigned word) {
    const unsigned lower = __builtin_amdgcn_readlane(word, 0);
    const unsigned upper = __builtin_amdgcn_readlane(word, 32);
    return goesOn == isUpper ? upper : lower;
  });
}

//# operands:
// Tells a function which set of fragments it is called with.
template <int N> struct operands {};

//# tile:
// Number i of the tiles of N words each that lie behind each other in an array.
template <class T, int N, class X> __device__ __forceinline__ T (&tile(X *x, int i))[N] {
  return reinterpret_cast<T(*)[N]>(x)[i];
}
template <class T, int N, class X>
__device__ __forceinline__ const T (&tile(const X *x, int i))[N] {
  return reinterpret_cast<const T(*)[N]>(x)[i];
}

//# rows_side_by_side:
// Of two tiles behind each other, the registers of one row side by side: 16 columns in one.
// Its own inverse; places are constants, so that it renames registers and moves nothing.
template <class T, int N> __device__ __forceinline__ void rows_side_by_side(T (&d)[N]) {
#pragma unroll
  for (int i = N / 4; i < N / 2; ++i) {
    const T lower = d[i];
    d[i] = d[i + N / 4];
    d[i + N / 4] = lower;
  }
}

//# regs:
// The members of a vector like float4, as an array of registers.
template <class T, class X> __device__ __forceinline__ T (&regs(X &x))[sizeof(X) / sizeof(T)] {
  return reinterpret_cast<T(&)[sizeof(X) / sizeof(T)]>(x);
}
template <class T, class X>
__device__ __forceinline__ const T (&regs(const X &x))[sizeof(X) / sizeof(T)] {
  return reinterpret_cast<const T(&)[sizeof(X) / sizeof(T)]>(x);
}

//# scalars:
// Variables that are the registers of a fragment, as an array of them.
template <class T, int N> struct scalars_of {
  T *registers[N];
  __device__ __forceinline__ T &operator[](int i) const { return *registers[i]; }
};
template <class T, class... Rest>
__device__ __forceinline__ scalars_of<T, 1 + sizeof...(Rest)> scalars(T &first, Rest &...rest) {
  return {{&first, &rest...}};
}

//# elements:
// An array whose elements are computed where they are named.
template <class F> struct elements_of {
  F f;
  __device__ __forceinline__ auto operator[](int i) const { return f(i); }
};
template <class F> __device__ __forceinline__ elements_of<F> elements(F f) {
  return {f};
}

//# first_warp:
// Number of the first of the two 32-lane warps that this wave is.
__device__ __forceinline__ int first_warp() {
  const unsigned thread =
      threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  return thread >> 6 << 1;
}

//# mirrored_thread:
// threadIdx.x in a block that was `threads`, an odd number of warps, before it was padded: the half
// wave left over does as the last warp.
__device__ __forceinline__ unsigned mirrored_thread(unsigned threads) {
  return threadIdx.x < threads ? threadIdx.x : threadIdx.x - 32;
}

//# staying: first_warp
// Which warp a half of the wave does: its own, but where that one leaves the kernel at once and the
// other of the two does not.
struct staying {
  int even, odd; // what the two do
  template <class F> __device__ __forceinline__ explicit staying(F leaves) {
    const int first = __builtin_amdgcn_readfirstlane(first_warp());
    even = first + leaves(0, first);
    odd = first + !leaves(0, first + 1);
  }
  // Chosen among values: of an array, or of two variables, clang would choose the place in memory.
  __device__ __forceinline__ int operator()(int own) const {
    const int first = even, second = odd;
    return own & 1 ? second : first;
  }
  // threadIdx.x of a block that is one row, threadIdx.y of one whose rows are warps.
  __device__ __forceinline__ unsigned thread() const {
    return (*this)(threadIdx.x >> 5) * 32 + (threadIdx.x & 31);
  }
  __device__ __forceinline__ unsigned row() const { return (*this)(threadIdx.y); }
  // threadIdx.x and threadIdx.y of a block of one layer, in rows of any length.
  __device__ __forceinline__ unsigned x() const { return number() % blockDim.x; }
  __device__ __forceinline__ unsigned y() const { return number() / blockDim.x; }
  __device__ __forceinline__ unsigned number() const {
    const unsigned own = threadIdx.x + blockDim.x * threadIdx.y;
    return (*this)(own >> 5) * 32 + (own & 31);
  }
};

//# staying_checked: staying lane
// ... where each thread is asked whether it leaves: all of a warp must, or none.
struct staying_checked : staying {
  template <class F> __device__ __forceinline__ explicit staying_checked(F leaves)
      : staying(leaves) {
    const unsigned long long who = __ballot(leaves(lane64() & 31, first_warp() + (lane64() >> 5)));
    const unsigned low = unsigned(who), high = unsigned(who >> 32);
    if ((low && ~low) || (high && ~high))
      __builtin_trap();
  }
};

//# require_whole_waves:
// The block must be whole waves of 64 threads.
__device__ __forceinline__ void require_whole_waves() {
  if (blockDim.x * blockDim.y * blockDim.z % 64)
    __builtin_trap();
}

//# require_one_row:
// The block must be one row of whole waves of 64 threads.
__device__ __forceinline__ void require_one_row() {
  if (blockDim.x % 64 || blockDim.y != 1 || blockDim.z != 1)
    __builtin_trap();
}

//# require_whole_rows:
// Each row of the block must be whole warps, and the block whole waves of 64 threads.
__device__ __forceinline__ void require_whole_rows() {
  if (blockDim.x % 32 || blockDim.x * blockDim.y * blockDim.z % 64)
    __builtin_trap();
}

//# require_warp_rows:
// Each row of the block must be one warp, and each two of them a wave.
__device__ __forceinline__ void require_warp_rows() {
  if (blockDim.x != 32 || blockDim.y * blockDim.z % 2)
    __builtin_trap();
}

//# require_rows_of:
// Each row of the block must have so many threads, and the block whole waves of 64.
__device__ __forceinline__ void require_rows_of(unsigned threads) {
  if (blockDim.x != threads || blockDim.x * blockDim.y * blockDim.z % 64)
    __builtin_trap();
}

//# add_f16x2: bits half2
// Two floats added to two packed halves; rounded once, to f16.
__device__ __forceinline__ unsigned add_f16x2(unsigned c, float lower, float upper) {
  const half2 h = bits<half2>(c);
  return bits<unsigned>(half2{(_Float16)((float)h.x + lower), (_Float16)((float)h.y + upper)});
}

//# cuda_version!:
// Code that asks for the CUDA version or architecture gets the ones this port
// was read as.
#if defined(__HIP_DEVICE_COMPILE__) && __HIP_DEVICE_COMPILE__
#define LP_CUDA_ARCH 800
#endif
#define LP_CUDACC_VER_MAJOR 12
#define LP_CUDACC_VER_MINOR 0
#define LP_CUDA_VERSION 12000
#define LP_CUDA_RUNTIME_H

//# manual!:
// A place that was not ported: see the reason and the text beside it. Compile
// with -DLP_ALLOW_MANUAL to look at the rest meanwhile.
#ifdef LP_ALLOW_MANUAL
#define LP_MANUAL(reason)
#else
#define LP_PRAGMA(text) _Pragma(#text)
#define LP_MANUAL(reason) LP_PRAGMA(GCC error reason)
#endif
