// The device runtime's arithmetic: what PTX instructions and CUDA intrinsics compute
// that C++ does not say in one expression. Chunks as in runtime.h.

//# laneid: lane
__device__ __forceinline__ unsigned laneid() { return lane64() & 31; }

//# warpid:
// Number of this 32-lane warp in its block, and how many there are.
__device__ __forceinline__ unsigned warpid() {
  return ((threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x) / 32;
}
__device__ __forceinline__ unsigned nwarpid() {
  return (blockDim.x * blockDim.y * blockDim.z + 31) / 32;
}

//# globaltimer:
// Nanoseconds: the constant clock of CDNA runs at 100 MHz.
__device__ __forceinline__ unsigned long long globaltimer() {
  return __builtin_readsteadycounter() * 10;
}

//# nanosleep:
// s_sleep 1 waits for 64 clocks, about 32 ns.
__device__ __forceinline__ void nanosleep(unsigned ns) {
  for (unsigned t = 0; t < ns; t += 32)
    __builtin_amdgcn_s_sleep(1);
}

//# shl:
// A shift left by as many bits as there are, or more, gives 0.
template <class T> __device__ __forceinline__ T shl(T x, unsigned n) {
  return n < sizeof(T) * 8 ? x << n : 0;
}

//# shr:
// A shift right by more bits than there are is one by all of them but the sign.
template <class T> __device__ __forceinline__ T shr(T x, unsigned n) {
  const unsigned last = sizeof(T) * 8 - 1;
  if (n <= last)
    return x >> n;
  return x < 0 ? (T)~(T)0 : (T)0;
}

//# mul_hi:
// The upper half of a product.
template <class T> __device__ __forceinline__ T mul_hi(T a, T b) {
  if constexpr (sizeof(T) == 2)
    return (T)((int)a * (int)b >> 16);
  else if constexpr (sizeof(T) == 4)
    return T(-1) < 0 ? (T)((long long)a * b >> 32) : (T)((unsigned long long)a * b >> 32);
  else {
    typedef unsigned long long u64;
    const u64 la = (unsigned)a, ha = (u64)a >> 32, lb = (unsigned)b, hb = (u64)b >> 32;
    const u64 mid = ha * lb + (la * lb >> 32);
    u64 high = ha * hb + (mid >> 32) + (((unsigned)mid + la * hb) >> 32);
    if (T(-1) < 0)
      high -= (a < 0 ? (u64)b : 0) + (b < 0 ? (u64)a : 0);
    return (T)high;
  }
}

//# mul24:
// The low word of a product of 24-bit numbers.
template <class T> __device__ __forceinline__ T mul24(T a, T b) {
  return (T)((unsigned)((T)((unsigned)a << 8) / 256) * (unsigned)((T)((unsigned)b << 8) / 256));
}

//# mul24_hi:
// Bits 16 to 47 of a product of 24-bit numbers.
template <class T> __device__ __forceinline__ T mul24_hi(T a, T b) {
  const long long x = (T)((unsigned)a << 8) / 256, y = (T)((unsigned)b << 8) / 256;
  return (T)(x * y >> 16);
}

//# sad:
// c + |a - b|
template <class T> __device__ __forceinline__ T sad(T a, T b, T c) {
  return c + (a < b ? b - a : a - b);
}

//# clz:
template <class T> __device__ __forceinline__ unsigned clz(T x) {
  if constexpr (sizeof(T) == 8)
    return x ? __builtin_clzll(x) : 64;
  else
    return x ? __builtin_clz(x) : 32;
}

//# bfind: clz
// The highest bit that is not a copy of the sign, counted from below or (shift) from
// above; all ones when there is none.
template <class T> __device__ __forceinline__ unsigned bfind_shift(T x) {
  const T bits = x < 0 ? ~x : x;
  return bits ? clz(bits) : ~0u;
}
template <class T> __device__ __forceinline__ unsigned bfind(T x) {
  const unsigned n = bfind_shift(x);
  return n == ~0u ? n : sizeof(T) * 8 - 1 - n;
}

//# bfe:
// `length` bits of x from `position` on, extended by the sign bit of T (that of the
// field, or of x where the field leaves it).
template <class T> __device__ __forceinline__ T bfe(T x, unsigned position, unsigned length) {
  const unsigned bits = sizeof(T) * 8, p = position & 255, n = length & 255;
  if (n == 0)
    return 0;
  const bool negative = T(-1) < 0;
  if (p >= bits)
    return negative && x < 0 ? (T)-1 : 0;
  if (p + n >= bits)
    return x >> p;
  return (T)(x << (bits - p - n)) >> (bits - n);
}

//# bfi:
// The low `length` bits of a, put into b at `position`.
template <class T>
__device__ __forceinline__ T bfi(T a, T b, unsigned position, unsigned length) {
  const unsigned bits = sizeof(T) * 8, p = position & 255, n = length & 255;
  if (p >= bits || n == 0)
    return b;
  const T field = (n >= bits ? ~T(0) : (T(1) << n) - 1) << p;
  return (b & ~field) | ((a << p) & field);
}

//# szext:
// The low n bits of x, extended; n is clamped to 32, or wraps at 32.
template <class T> __device__ __forceinline__ T szext(T x, unsigned n) {
  return n >= 32 ? x : n == 0 ? T(0) : (T)(x << (32 - n)) >> (32 - n);
}
template <class T> __device__ __forceinline__ T szext_wrap(T x, unsigned n) {
  return szext<T>(x, n & 31);
}

//# bmsk:
// `length` ones from `position` on.
__device__ __forceinline__ unsigned bmsk(unsigned position, unsigned length) {
  const unsigned ones = length >= 32 ? ~0u : (1u << length) - 1;
  return position >= 32 ? 0 : ones << position;
}
__device__ __forceinline__ unsigned bmsk_wrap(unsigned position, unsigned length) {
  return bmsk(position & 31, length & 31);
}

//# lop3:
// Bit i of the result is bit (a_i * 4 + b_i * 2 + c_i) of the table: a sum of
// products, which clang folds.
template <unsigned Table>
__device__ __forceinline__ unsigned lop3(unsigned a, unsigned b, unsigned c) {
  if constexpr (Table == 0xea)
    return (a & b) | c;
  else if constexpr (Table == 0x6a)
    return (a & b) ^ c;
  else if constexpr (Table == 0x96)
    return a ^ b ^ c;
  unsigned result = 0;
  for (unsigned row = 0; row < 8; ++row)
    if (Table >> row & 1)
      result |= (row & 4 ? a : ~a) & (row & 2 ? b : ~b) & (row & 1 ? c : ~c);
  return result;
}

//# prmt:
// Byte j of the result is byte (nibble j of the selector & 7) of {b, a}; with bit 3 of
// the nibble eight copies of its sign. v_perm_b32 takes the same bytes from {b, a}; its
// signs lie elsewhere, so they are put in after.
__device__ __forceinline__ unsigned prmt(unsigned a, unsigned b, unsigned selector) {
  const unsigned s = selector & 0xffff;
  const unsigned spread = (s & 0xf) | (s & 0xf0) << 4 | (s & 0xf00) << 8 | (s & 0xf000) << 12;
  const unsigned bytes = __builtin_amdgcn_perm(b, a, spread & 0x07070707);
  const unsigned signed_ = (spread >> 3 & 0x01010101) * 0xff;
  const unsigned sign = (bytes >> 7 & 0x01010101) * 0xff;
  return (bytes & ~signed_) | (sign & signed_);
}

//# prmt_modes: prmt
// The modes of prmt take their bytes by the low two bits of the selector.
__device__ __forceinline__ unsigned prmt_f4e(unsigned a, unsigned b, unsigned s) {
  return prmt(a, b, 0x3210 + 0x1111 * (s & 3));
}
__device__ __forceinline__ unsigned prmt_b4e(unsigned a, unsigned b, unsigned s) {
  const unsigned n = s & 3;
  return prmt(a, b, n == 0 ? 0x5670 : n == 1 ? 0x6701 : n == 2 ? 0x7012 : 0x0123);
}
__device__ __forceinline__ unsigned prmt_rc8(unsigned a, unsigned b, unsigned s) {
  return prmt(a, b, 0x1111 * (s & 3));
}
__device__ __forceinline__ unsigned prmt_ecl(unsigned a, unsigned b, unsigned s) {
  const unsigned n = s & 3;
  return prmt(a, b, n == 0 ? 0x3210 : n == 1 ? 0x3211 : n == 2 ? 0x3222 : 0x3333);
}
__device__ __forceinline__ unsigned prmt_ecr(unsigned a, unsigned b, unsigned s) {
  const unsigned n = s & 3;
  return prmt(a, b, n == 0 ? 0x0000 : n == 1 ? 0x1110 : n == 2 ? 0x2210 : 0x3210);
}
__device__ __forceinline__ unsigned prmt_rc16(unsigned a, unsigned b, unsigned s) {
  return prmt(a, b, s & 1 ? 0x3232 : 0x1010);
}

//# shf:
// {high, low} shifted: the upper word for left, the lower for right.
__device__ __forceinline__ unsigned shf_l_wrap(unsigned low, unsigned high, unsigned n) {
  return (unsigned)(((unsigned long long)high << 32 | low) << (n & 31) >> 32);
}
__device__ __forceinline__ unsigned shf_l_clamp(unsigned low, unsigned high, unsigned n) {
  return n < 32 ? shf_l_wrap(low, high, n) : low;
}
__device__ __forceinline__ unsigned shf_r_wrap(unsigned low, unsigned high, unsigned n) {
  return (unsigned)(((unsigned long long)high << 32 | low) >> (n & 31));
}
__device__ __forceinline__ unsigned shf_r_clamp(unsigned low, unsigned high, unsigned n) {
  return n < 32 ? shf_r_wrap(low, high, n) : high;
}

//# dp2a:
// c + two products of the halves of a with the lower (or upper) two bytes of b.
template <bool SignedA, bool SignedB, bool High>
__device__ __forceinline__ int dp2a(unsigned a, unsigned b, int c) {
  for (int i = 0; i < 2; ++i) {
    const unsigned x = a >> 16 * i, y = b >> (8 * i + (High ? 16 : 0));
    c += (SignedA ? (int)(short)x : (int)(unsigned short)x) *
         (SignedB ? (int)(signed char)y : (int)(unsigned char)y);
  }
  return c;
}

//# integer_pairs: bits
// Two 16-bit integers in a word.
typedef short short2x __attribute__((ext_vector_type(2)));
typedef unsigned short ushort2x __attribute__((ext_vector_type(2)));
template <class V> __device__ __forceinline__ unsigned add_pair_as(unsigned a, unsigned b) {
  return bits<unsigned>(bits<V>(a) + bits<V>(b));
}
template <class V> __device__ __forceinline__ unsigned min_pair_as(unsigned a, unsigned b) {
  return bits<unsigned>(__builtin_elementwise_min(bits<V>(a), bits<V>(b)));
}
template <class V> __device__ __forceinline__ unsigned max_pair_as(unsigned a, unsigned b) {
  return bits<unsigned>(__builtin_elementwise_max(bits<V>(a), bits<V>(b)));
}

//# pack:
// Registers put together, the first lowest.
template <class W, class P> __device__ __forceinline__ W pack(P low, P high) {
  return (W)low | (W)high << sizeof(P) * 8;
}
template <class W, class P> __device__ __forceinline__ W pack(P a, P b, P c, P d) {
  const unsigned bits = sizeof(P) * 8;
  return (W)a | (W)b << bits | (W)c << 2 * bits | (W)d << 3 * bits;
}

//# carry:
// Sum and difference with PTX's carry flag: a + b + in and a - b - in of unsigned
// integers, and whether they left the range.
template <class T> __device__ __forceinline__ T add_carry(T a, T b, bool in, bool &out) {
  const T sum = a + b, all = sum + in;
  out = sum < a || all < sum;
  return all;
}
template <class T> __device__ __forceinline__ T sub_borrow(T a, T b, bool in, bool &out) {
  const T rest = a - b, all = rest - in;
  out = a < b || rest < all;
  return all;
}

//# add_rn:
// Rounded as it stands: not fused with what comes before or after.
template <class T> __device__ __forceinline__ T add_rn(T a, T b) {
#pragma clang fp contract(off)
  return a + b;
}

//# sub_rn:
// Rounded as it stands: not fused with what comes before or after.
template <class T> __device__ __forceinline__ T sub_rn(T a, T b) {
#pragma clang fp contract(off)
  return a - b;
}

//# mul_rn:
// Rounded as it stands: not fused with what comes before or after.
template <class T> __device__ __forceinline__ T mul_rn(T a, T b) {
#pragma clang fp contract(off)
  return a * b;
}

//# saturate:
// To [0, 1]; NaN gives 0.
template <class T> __device__ __forceinline__ T saturate(T x) {
  return x > 0 ? x < 1 ? x : T(1) : T(0);
}

//# relu:
// What is negative gives 0; NaN stays.
__device__ __forceinline__ float relu(float x) { return x < 0 ? 0.0f : x; }

//# clamp_finite:
// To the largest finite number of a type; NaN stays.
__device__ __forceinline__ float clamp_finite(float x, float most) {
  return x > most ? most : x < -most ? -most : x;
}

//# min_max_nan:
// NaN if either is NaN.
template <class T> __device__ __forceinline__ T min_nan(T a, T b) {
  return a != a ? a : b != b ? b : a < b ? a : b;
}
template <class T> __device__ __forceinline__ T max_nan(T a, T b) {
  return a != a ? a : b != b ? b : a < b ? b : a;
}

//# min_max_xorsign: min_max_nan
// Of the magnitudes, with the product of the signs.
__device__ __forceinline__ float min_xorsign(float a, float b, bool nan) {
  const float x = __builtin_fabsf(a), y = __builtin_fabsf(b);
  const float m = nan ? min_nan(x, y) : __builtin_fminf(x, y);
  return __builtin_signbit(a) != __builtin_signbit(b) ? -m : m;
}
__device__ __forceinline__ float max_xorsign(float a, float b, bool nan) {
  const float x = __builtin_fabsf(a), y = __builtin_fabsf(b);
  const float m = nan ? max_nan(x, y) : __builtin_fmaxf(x, y);
  return __builtin_signbit(a) != __builtin_signbit(b) ? -m : m;
}

//# min_max_xorsign_as: half_each min_max_xorsign
template <class V>
__device__ __forceinline__ word_of<V> min_xorsign_as(word_of<V> a, word_of<V> b, bool nan) {
  return each(bits<V>(a), bits<V>(b), [=](float x, float y) { return min_xorsign(x, y, nan); });
}
template <class V>
__device__ __forceinline__ word_of<V> max_xorsign_as(word_of<V> a, word_of<V> b, bool nan) {
  return each(bits<V>(a), bits<V>(b), [=](float x, float y) { return max_xorsign(x, y, nan); });
}

//# each_f32: bits
// f of each of the two floats in words of 64 bits.
template <int N> using floats = float __attribute__((ext_vector_type(N)));
template <class F>
__device__ __forceinline__ unsigned long long each_f32(unsigned long long a, unsigned long long b,
                                                       F f) {
  const floats<2> x = bits<floats<2>>(a), y = bits<floats<2>>(b);
  return bits<unsigned long long>(floats<2>{f(x.x, y.x), f(x.y, y.y)});
}
template <class F>
__device__ __forceinline__ unsigned long long each_f32(unsigned long long a, unsigned long long b,
                                                       unsigned long long c, F f) {
  const floats<2> x = bits<floats<2>>(a), y = bits<floats<2>>(b), z = bits<floats<2>>(c);
  return bits<unsigned long long>(floats<2>{f(x.x, y.x, z.x), f(x.y, y.y, z.y)});
}

//# tanh_approx:
// (1 - e) / (1 + e) with e = exp(-2 |x|), which cannot overflow.
__device__ __forceinline__ float tanh_approx(float x) {
  const float e = __builtin_amdgcn_exp2f(-2.885390082f * __builtin_fabsf(x));
  return __builtin_copysignf((1.0f - e) * __builtin_amdgcn_rcpf(1.0f + e), x);
}

//# half_word: bits half2 bfloat2
// Halves are held as bits: what is computed in V (_Float16, __bf16, half2, bfloat2)
// lies in a word_of<V>.
template <class V> struct bits_of { typedef unsigned type; };
template <> struct bits_of<_Float16> { typedef unsigned short type; };
template <> struct bits_of<__bf16> { typedef unsigned short type; };
template <class V> using word_of = typename bits_of<V>::type;

//# half_each: half_word
// f(a, b) of floats, for each element.
template <class V, class F> __device__ __forceinline__ word_of<V> each(V a, V b, F f) {
  if constexpr (sizeof(V) == 2) {
    a = (V)f((float)a, (float)b);
  } else {
    a.x = (decltype(a.x + a.x))f((float)a.x, (float)b.x);
    a.y = (decltype(a.y + a.y))f((float)a.y, (float)b.y);
  }
  return bits<word_of<V>>(a);
}

//# add_as: half_word
template <class V> __device__ __forceinline__ word_of<V> add_as(word_of<V> a, word_of<V> b) {
  const V r = bits<V>(a) + bits<V>(b);
  return bits<word_of<V>>(r);
}

//# sub_as: half_word
template <class V> __device__ __forceinline__ word_of<V> sub_as(word_of<V> a, word_of<V> b) {
  const V r = bits<V>(a) - bits<V>(b);
  return bits<word_of<V>>(r);
}

//# mul_as: half_word
template <class V> __device__ __forceinline__ word_of<V> mul_as(word_of<V> a, word_of<V> b) {
  const V r = bits<V>(a) * bits<V>(b);
  return bits<word_of<V>>(r);
}

//# neg_as: half_word
template <class V> __device__ __forceinline__ word_of<V> neg_as(word_of<V> a) {
  const V r = -bits<V>(a);
  return bits<word_of<V>>(r);
}

//# fma_as: half_word
template <class V> __device__ __forceinline__ word_of<V> fma_as(word_of<V> a, word_of<V> b, word_of<V> c) {
  const V r = __builtin_elementwise_fma(bits<V>(a), bits<V>(b), bits<V>(c));
  return bits<word_of<V>>(r);
}

//# min_as: half_each
template <class V> __device__ __forceinline__ word_of<V> min_as(word_of<V> a, word_of<V> b) {
  return each(bits<V>(a), bits<V>(b), [](float x, float y) { return __builtin_fminf(x, y); });
}

//# max_as: half_each
template <class V> __device__ __forceinline__ word_of<V> max_as(word_of<V> a, word_of<V> b) {
  return each(bits<V>(a), bits<V>(b), [](float x, float y) { return __builtin_fmaxf(x, y); });
}

//# min_nan_as: half_each
template <class V> __device__ __forceinline__ word_of<V> min_nan_as(word_of<V> a, word_of<V> b) {
  return each(bits<V>(a), bits<V>(b), [](float x, float y) { return x != x ? x : y != y ? y : x < y ? x : y; });
}

//# max_nan_as: half_each
template <class V> __device__ __forceinline__ word_of<V> max_nan_as(word_of<V> a, word_of<V> b) {
  return each(bits<V>(a), bits<V>(b), [](float x, float y) { return x != x ? x : y != y ? y : x < y ? y : x; });
}

//# abs_as: half_each
template <class V> __device__ __forceinline__ word_of<V> abs_as(word_of<V> a) {
  return each(bits<V>(a), bits<V>(a), [](float x, float) { return __builtin_fabsf(x); });
}

//# ex2_as: half_each
template <class V> __device__ __forceinline__ word_of<V> ex2_as(word_of<V> a) {
  return each(bits<V>(a), bits<V>(a), [](float x, float) { return __builtin_exp2f(x); });
}

//# tanh_as: half_each tanh_approx
template <class V> __device__ __forceinline__ word_of<V> tanh_as(word_of<V> a) {
  return each(bits<V>(a), bits<V>(a), [](float x, float) { return tanh_approx(x); });
}

//# relu_as: half_each
template <class V> __device__ __forceinline__ word_of<V> relu_as(word_of<V> a) {
  return each(bits<V>(a), bits<V>(a), [](float x, float) { return x < 0 ? 0.0f : x; });
}

//# saturate_as: half_each
template <class V> __device__ __forceinline__ word_of<V> saturate_as(word_of<V> a) {
  return each(bits<V>(a), bits<V>(a), [](float x, float) { return x > 0 ? x < 1 ? x : 1.0f : 0.0f; });
}

//# directed: bits
// value + rest, rounded in one direction to T (float, _Float16, __bf16): `rest` is what the
// double `value` is off by, so only its sign counts beside what rounding value leaves over.
enum direction { toward_zero, down, up };
template <class T> __device__ __forceinline__ T next(T x, bool upwards) {
  if constexpr (sizeof(T) == 2) {
    const short u = bits<short>(x), by = (x > 0) == upwards ? 1 : -1;
    return bits<T>((short)(x == 0 ? upwards ? 1 : (short)0x8001 : u + by));
  } else {
    const int u = bits<int>(x), by = (x > 0) == upwards ? 1 : -1;
    return bits<T>(x == 0 ? upwards ? 1 : (int)0x80000001 : u + by);
  }
}
template <class T, direction D> __device__ __forceinline__ T directed(double value, double rest) {
  const T nearest = (T)value;
  const double over = value - (double)nearest, off = over != 0 ? over : rest;
  const bool lower = D == down || (D == toward_zero && value > 0);
  const bool upper = D == up || (D == toward_zero && value < 0);
  if (lower && off < 0)
    return next(nearest, false);
  return upper && off > 0 ? next(nearest, true) : nearest;
}

//# directed_sum: directed
// a + b; what the sum in double lost is a double (Knuth's TwoSum).
template <class T, direction D> __device__ __forceinline__ T directed_sum(double a, double b) {
#pragma clang fp contract(off) reassociate(off)
  const double sum = a + b, part = sum - a, rest = (a - (sum - part)) + (b - part);
  if (D == down && sum == 0) // an exact 0 is -0 then, unless both are +0
    return __builtin_signbit(a) || __builtin_signbit(b) ? (T)-0.0f : (T)0.0f;
  return directed<T, D>(sum, rest);
}

//# directed_integer: directed_sum
// A 64-bit integer in two parts that are doubles.
template <class T, direction D, class I> __device__ __forceinline__ T directed_integer(I x) {
  return directed_sum<T, D>((double)(x >> 32) * 4294967296.0,
                                                          (double)(unsigned)x);
}

//# directed_float: directed_sum
// Sums, products, quotients and roots of floats, rounded in one direction.
template <direction D> __device__ __forceinline__ float add_directed(float a, float b) {
  return directed_sum<float, D>(a, b);
}
template <direction D> __device__ __forceinline__ float sub_directed(float a, float b) {
  return directed_sum<float, D>(a, -b);
}
template <direction D> __device__ __forceinline__ float mul_directed(float a, float b) {
  return directed<float, D>((double)a * b, 0);
}
template <direction D> __device__ __forceinline__ float fma_directed(float a, float b, float c) {
  return directed_sum<float, D>((double)a * b, c);
}
template <direction D> __device__ __forceinline__ float div_directed(float a, float b) {
  const double q = (double)a / b, rest = __builtin_fma(-q, (double)b, (double)a);
  return directed<float, D>(q, b < 0 ? -rest : rest);
}
template <direction D> __device__ __forceinline__ float sqrt_directed(float a) {
  const double root = __builtin_sqrt((double)a);
  return directed<float, D>(root, __builtin_fma(-root, root, (double)a));
}

//# to_integer:
// A whole number as an integer: out of range gives the nearest, NaN gives 0.
template <class T, class F> __device__ __forceinline__ T to_integer(F x) {
  const unsigned bits = sizeof(T) * 8 - (T(-1) < 0 ? 1 : 0);
  const F end = (F)(1ull << (bits - 1)) * 2; // one past the largest
  const T most = (T)(~0ull >> (64 - bits)), least = T(-1) < 0 ? (T)(-most - 1) : T(0);
  return x != x ? T(0) : x >= end ? most : x <= (T(-1) < 0 ? -end : F(0)) ? least : (T)x;
}

//# saturate_integer:
// An integer clamped to the range of T.
template <class T, class F> __device__ __forceinline__ T saturate_integer(F x) {
  const unsigned bits = sizeof(T) * 8 - (T(-1) < 0 ? 1 : 0);
  const unsigned long long most = ~0ull >> (64 - bits);
  if (x < 0)
    return T(-1) < 0 && (long long)x >= -(long long)most - 1 ? (T)x
           : T(-1) < 0                                       ? (T)(-(long long)most - 1)
                                                             : T(0);
  return (unsigned long long)x > most ? (T)most : (T)x;
}

//# cvt_pack:
// Two integers clamped to `Bits` bits, b lowest, and `rest` above them.
template <unsigned Bits, bool Signed>
__device__ __forceinline__ unsigned cvt_pack(int a, int b, unsigned rest) {
  const int most = Signed ? (1 << (Bits - 1)) - 1 : (1 << Bits) - 1, least = Signed ? ~most : 0;
  const unsigned mask = (1u << Bits) - 1;
  const unsigned high = (unsigned)(a > most ? most : a < least ? least : a) & mask;
  const unsigned low = (unsigned)(b > most ? most : b < least ? least : b) & mask;
  return (Bits < 16 ? rest << 2 * (Bits & 15) : 0u) | high << Bits | low;
}

//# cvt_f16_f32_rz: bits
// Rounded towards zero.
__device__ __forceinline__ unsigned short cvt_f16_f32_rz(float x) {
  return (unsigned short)bits<unsigned>(__builtin_amdgcn_cvt_pkrtz(x, 0.0f));
}

//# cvt_f16x2_rz: bits
// Two floats as f16, rounded towards zero; `upper` in the upper half.
__device__ __forceinline__ unsigned cvt_f16x2_rz(float upper, float lower) {
  return bits<unsigned>(__builtin_amdgcn_cvt_pkrtz(lower, upper));
}

//# cvt_bf16_f32_rz: bits
// The upper half of a float; a NaN stays one.
__device__ __forceinline__ unsigned short cvt_bf16_f32_rz(float x) {
  return (unsigned short)(x != x ? 0x7fff : bits<unsigned>(x) >> 16);
}

//# cvt_bf16x2_rz: cvt_bf16_f32_rz
__device__ __forceinline__ unsigned cvt_bf16x2_rz(float upper, float lower) {
  return (unsigned)cvt_bf16_f32_rz(upper) << 16 | cvt_bf16_f32_rz(lower);
}

//# cvt_f16_f64: bits
__device__ __forceinline__ unsigned short cvt_f16_f64(double x) {
  return bits<unsigned short>((_Float16)x);
}

//# cvt_bf16_f64: bits
__device__ __forceinline__ unsigned short cvt_bf16_f64(double x) {
  return bits<unsigned short>((__bf16)x);
}

//# cvt_tf32_rna: bits
// f32 with 10 bits of fraction: ties away from zero.
__device__ __forceinline__ unsigned cvt_tf32_rna(float x) {
  return x - x != 0 ? bits<unsigned>(x) : bits<unsigned>(x) + 0x1000u & 0xffffe000u;
}

//# cvt_tf32_rn: bits
// f32 with 10 bits of fraction: ties to even.
__device__ __forceinline__ unsigned cvt_tf32_rn(float x) {
  const unsigned u = bits<unsigned>(x);
  return x - x != 0 ? u : u + 0xfffu + (u >> 13 & 1) & 0xffffe000u;
}

//# cvt_tf32_rz: bits
// f32 with 10 bits of fraction: towards zero.
__device__ __forceinline__ unsigned cvt_tf32_rz(float x) {
  return x != x ? bits<unsigned>(x) : bits<unsigned>(x) & 0xffffe000u;
}

//# f32_to_fp8: bits
// An OCP fp8 number of `Fraction` bits, rounded to nearest even; out of range gives
// the largest finite one.
template <int Fraction> __device__ __forceinline__ unsigned f32_to_fp8(float x) {
  const int drop = 23 - Fraction, bias = Fraction == 3 ? 7 : 15;
  const unsigned most = Fraction == 3 ? 0x7e : 0x7b;
  const unsigned u = bits<unsigned>(x), magnitude = u & 0x7fffffffu, sign = u >> 24 & 0x80;
  if (magnitude > 0x7f800000u)
    return 0x7f;
  unsigned code;
  if (magnitude < (unsigned)(128 - bias) << 23) { // below the least normal number
    const float scale = bits<float>((unsigned)(126 + bias + Fraction) << 23);
    code = (unsigned)__builtin_rintf(bits<float>(magnitude) * scale);
  } else {
    const unsigned rounded = magnitude + (1u << (drop - 1)) - 1 + (magnitude >> drop & 1);
    code = (rounded >> drop) - ((unsigned)(127 - bias) << Fraction);
  }
  return sign | (code > most ? most : code);
}

//# cvt_e4m3x2: f32_to_fp8
// Two floats as e4m3; `upper` in the upper byte.
__device__ __forceinline__ unsigned short cvt_e4m3x2(float upper, float lower) {
  return (unsigned short)(f32_to_fp8<3>(upper) << 8 | f32_to_fp8<3>(lower));
}

//# cvt_e5m2x2: f32_to_fp8
__device__ __forceinline__ unsigned short cvt_e5m2x2(float upper, float lower) {
  return (unsigned short)(f32_to_fp8<2>(upper) << 8 | f32_to_fp8<2>(lower));
}

//# cvt_e4m3x2_f16x2: cvt_e4m3x2 half2
__device__ __forceinline__ unsigned short cvt_e4m3x2_f16x2(unsigned x) {
  const half2 h = bits<half2>(x);
  return cvt_e4m3x2((float)h.y, (float)h.x);
}

//# cvt_e5m2x2_f16x2: cvt_e5m2x2 half2
__device__ __forceinline__ unsigned short cvt_e5m2x2_f16x2(unsigned x) {
  const half2 h = bits<half2>(x);
  return cvt_e5m2x2((float)h.y, (float)h.x);
}

//# cvt_f16x2_e4m3x2: e4m3_to_f32 half2
// Exact.
__device__ __forceinline__ unsigned cvt_f16x2_e4m3x2(unsigned short x) {
  return bits<unsigned>(half2{(_Float16)e4m3_to_f32(x & 0xff), (_Float16)e4m3_to_f32(x >> 8)});
}

//# cvt_f16x2_e5m2x2:
// e5m2 is the upper byte of an f16.
__device__ __forceinline__ unsigned cvt_f16x2_e5m2x2(unsigned short x) {
  return (unsigned)(x & 0xff00) << 16 | (unsigned)(x & 0xff) << 8;
}

//# global_at: memory
// Global memory at an address.
template <class T> using global = __attribute__((address_space(1))) typename memory<T>::type;
template <class T, class P> __device__ __forceinline__ global<T> *global_at(P address) {
  return (global<T> *)(size_t)address;
}

//# generic_at: memory
// Memory of any kind at an address.
template <class T, class P>
__device__ __forceinline__ typename memory<T>::type *generic_at(P address) {
  return (typename memory<T>::type *)(size_t)address;
}

//# vec:
// Elements that move in one access.
template <class T, int N> using vec = T __attribute__((ext_vector_type(N)));

//# atomic_loop:
// new = f(old) until nobody came between; gives old.
template <int Order, int Scope, class P, class F>
__device__ __forceinline__ unsigned atomic_loop(P p, F f) {
  unsigned old = __hip_atomic_load(p, __ATOMIC_RELAXED, Scope);
  while (!__hip_atomic_compare_exchange_strong(p, &old, f(old), Order, __ATOMIC_RELAXED, Scope))
    ;
  return old;
}

//# atomic_cas:
template <int Order, int Scope, class P, class T>
__device__ __forceinline__ T atomic_cas(P p, T expected, T desired) {
  __hip_atomic_compare_exchange_strong(p, &expected, desired, Order, __ATOMIC_RELAXED, Scope);
  return expected;
}

//# atomic_inc_dec: atomic_loop
// Up to `most` and then from 0 again; down to 0 and then from `most` again.
template <int Order, int Scope, class P>
__device__ __forceinline__ unsigned atomic_inc(P p, unsigned most) {
  return atomic_loop<Order, Scope>(p, [=](unsigned x) { return x >= most ? 0 : x + 1; });
}
template <int Order, int Scope, class P>
__device__ __forceinline__ unsigned atomic_dec(P p, unsigned most) {
  return atomic_loop<Order, Scope>(
      p, [=](unsigned x) { return x == 0 || x > most ? most : x - 1; });
}

//# atomic_add_pair: atomic_loop add_as
// Two halves added by compare and swap of their word.
template <class V, int Order, int Scope, class P>
__device__ __forceinline__ unsigned atomic_add_pair(P p, unsigned x) {
  return atomic_loop<Order, Scope>(p, [=](unsigned old) { return add_as<V>(old, x); });
}

//# atomic_min_pair: atomic_loop min_as
// The smaller of each of two halves.
template <class V, int Order, int Scope, class P>
__device__ __forceinline__ unsigned atomic_min_pair(P p, unsigned x) {
  return atomic_loop<Order, Scope>(p, [=](unsigned old) { return min_as<V>(old, x); });
}

//# atomic_max_pair: atomic_loop max_as
// The larger of each of two halves.
template <class V, int Order, int Scope, class P>
__device__ __forceinline__ unsigned atomic_max_pair(P p, unsigned x) {
  return atomic_loop<Order, Scope>(p, [=](unsigned old) { return max_as<V>(old, x); });
}

//# atomic_16:
// 16 bits, at p or 2 bytes behind: by compare and swap of the word they lie in.
template <int Order, int Scope, class P, class F>
__device__ __forceinline__ unsigned short atomic_16(P p, F f) {
  const P word = (P)((size_t)p & ~(size_t)3);
  const unsigned shift = (size_t)p & 2 ? 16 : 0;
  unsigned seen = __hip_atomic_load(word, __ATOMIC_RELAXED, Scope);
  while (true) {
    const unsigned short old = (unsigned short)(seen >> shift);
    const unsigned desired = (seen & ~(0xffffu << shift)) | (unsigned)f(old) << shift;
    if (__hip_atomic_compare_exchange_strong(word, &seen, desired, Order, __ATOMIC_RELAXED, Scope))
      return old;
  }
}

//# atomic_add_16: atomic_16 add_as
template <class V, int Order, int Scope, class P>
__device__ __forceinline__ unsigned short atomic_add_16(P p, unsigned short x) {
  return atomic_16<Order, Scope>(p, [=](unsigned short old) { return add_as<V>(old, x); });
}

//# atomic_min_16: atomic_16 min_as
template <class V, int Order, int Scope, class P>
__device__ __forceinline__ unsigned short atomic_min_16(P p, unsigned short x) {
  return atomic_16<Order, Scope>(p, [=](unsigned short old) { return min_as<V>(old, x); });
}

//# atomic_max_16: atomic_16 max_as
template <class V, int Order, int Scope, class P>
__device__ __forceinline__ unsigned short atomic_max_16(P p, unsigned short x) {
  return atomic_16<Order, Scope>(p, [=](unsigned short old) { return max_as<V>(old, x); });
}

//# atomic_cas_16: atomic_16
template <int Order, int Scope, class P>
__device__ __forceinline__ unsigned short atomic_cas_16(P p, unsigned short expected,
                                                        unsigned short desired) {
  return atomic_16<Order, Scope>(
      p, [=](unsigned short old) { return old == expected ? desired : old; });
}

//# shfl_ptx: lane from_lane
// shfl.sync as PTX has it: `clamp` holds the segment mask in bits 8 to 12. Mode: 0 up,
// 1 down, 2 butterfly, 3 index. `inside`: the source lane was in range.
template <int Mode>
__device__ __forceinline__ unsigned shfl_ptx(LP_MAYBE_UNDEF unsigned x, unsigned b, unsigned clamp,
                                             bool &inside) {
  const int lane = lane64() & 31, by = b & 31, mask = clamp >> 8 & 31, last = clamp & 31;
  const int most = (lane & mask) | (last & ~mask);
  int from = Mode == 0   ? lane - by
             : Mode == 1 ? lane + by
             : Mode == 2 ? lane ^ by
                         : (lane & mask) | (by & ~mask);
  inside = Mode == 0 ? from >= most : from <= most;
  if (!inside)
    from = lane;
  return from_lane(from | (lane64() & 32), x);
}
