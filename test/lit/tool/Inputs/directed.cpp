// The device runtime's sums, products, quotients, roots and conversions that round in one
// direction, against the host's own arithmetic in that rounding mode.
#include <cfenv>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <random>
#define __device__
#define __forceinline__ inline
template <class T, class F> T bits(F from) {
  static_assert(sizeof(T) == sizeof(F));
  T to;
  std::memcpy(&to, &from, sizeof to);
  return to;
}
#include "directed.inc"

static std::mt19937_64 generator(7);
static int wrong = 0;

static void expect(float got, float want, const char *what) {
  if ((got != got && want != want) || bits<int>(got) == bits<int>(want))
    return;
  if (wrong++ < 10)
    std::printf("%s: %a, but %a\n", what, got, want);
}

// Any bits, special values, numbers near 1, short fractions.
static float number() {
  static const uint32_t special[] = {0,          0x80000000, 0x7f800000, 0xff800000,
                                     0x7fc00000, 1,          0x80000001, 0x7f7fffff,
                                     0xff7fffff, 0x00800000, 0x3f800000, 0xbf800000};
  uint32_t u = generator();
  switch (generator() % 8) {
  case 0:
    u = special[generator() % 12];
    break;
  case 1:
    u = (u & 0x807fffff) | (127 + generator() % 4) << 23;
    break;
  case 2:
    u &= 0xfff00000;
    break;
  }
  return bits<float>(u);
}

// volatile: computed when the rounding mode is set, not before.
template <class F> static float rounded(int mode, F compute) {
  std::fesetround(mode);
  volatile float result = compute();
  std::fesetround(FE_TONEAREST);
  return result;
}

template <direction D> static void numbers(int mode) {
  for (int n = 0; n < 300000; ++n) {
    volatile float a = number(), b = generator() % 4 ? number() : -a, c = number();
    expect(add_directed<D>(a, b), rounded(mode, [&] { return a + b; }), "add");
    expect(sub_directed<D>(a, b), rounded(mode, [&] { return a - b; }), "sub");
    expect(mul_directed<D>(a, b), rounded(mode, [&] { return a * b; }), "mul");
    expect(div_directed<D>(a, b), rounded(mode, [&] { return a / b; }), "div");
    expect(fma_directed<D>(a, b, c), rounded(mode, [&] { return std::fma(a, b, c); }), "fma");
    expect(sqrt_directed<D>(a), rounded(mode, [&] { return std::sqrt(a); }), "sqrt");
    volatile long long s = (long long)generator() >> generator() % 64;
    volatile unsigned long long u = generator() >> generator() % 64;
    volatile double d = bits<double>((uint64_t)generator());
    expect(directed_integer<float, D>((long long)s), rounded(mode, [&] { return (float)s; }),
           "s64");
    expect(directed_integer<float, D>((unsigned long long)u),
           rounded(mode, [&] { return (float)u; }), "u64");
    expect(directed<float, D>(d, 0), rounded(mode, [&] { return (float)d; }), "f64");
  }
}

// f16 lies on the right side of the number, and its neighbour on the other.
template <direction D> static void halves() {
  for (int n = 0; n < 300000; ++n) {
    const float x = number();
    const _Float16 h = directed<_Float16, D>(x, 0);
    const double v = x, got = (double)h;
    if (x != x || std::isinf(x) || got == v)
      continue;
    const bool upwards = D == down || (D == toward_zero && v > 0);
    const double other = (double)next(h, upwards);
    if (!(upwards ? got < v && v < other : other < v && v < got) && wrong++ < 10)
      std::printf("f16 of %a: %a\n", v, got);
  }
}

int main() {
  numbers<toward_zero>(FE_TOWARDZERO);
  numbers<down>(FE_DOWNWARD);
  numbers<up>(FE_UPWARD);
  halves<toward_zero>();
  halves<down>();
  halves<up>();
  std::printf("%d wrong\n", wrong);
  return wrong != 0;
}
