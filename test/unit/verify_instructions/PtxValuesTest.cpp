// Scalar PTX, value by value: random words and corners against formulas written out from
// https://docs.nvidia.com/cuda/parallel-thread-execution/#instructions (PTX ISA 9.0).
#include "Golden.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

namespace layout_port::verify::golden {
namespace {

using Words = std::vector<uint32_t>;

// $0 .. of `outputs` words, then inputs, all "r". `want` computes the outputs of one lane.
struct Case {
  std::string ptx;
  unsigned outputs = 1, inputs = 1;
  std::function<Words(const Words &)> want;
  // Whether two results are the same.
  std::function<bool(uint32_t, uint32_t)> same = std::equal_to<uint32_t>();
};

// Corners first, in all pairs; the rest by chance.
Registers operandsOf(unsigned count, const Words &corners, unsigned seed) {
  Registers in = randomRegisters(count, 32, seed);
  for (unsigned lane = 0; lane < 32; ++lane)
    for (unsigned reg = 0; reg < count; ++reg)
      if (const uint32_t at = reg == 0 ? lane : lane / 5 + reg; lane < 25 && !corners.empty())
        in.word(reg, lane) = corners[at % corners.size()];
  return in;
}

void check(const Case &c, const Words &corners) {
  std::string type = "i32", constraints, arguments;
  for (unsigned i = 0; i < c.outputs; ++i)
    constraints += i ? ",=r" : "=r";
  for (unsigned i = 0; i < c.inputs; ++i) {
    constraints += ",r";
    arguments += (i ? ", i32 %r" : "i32 %r") + std::to_string(i);
  }
  std::string body;
  if (c.outputs == 1) {
    body = "  %d0 = call i32 asm sideeffect \"" + c.ptx + "\", \"" + constraints + "\"(" +
           arguments + ")\n";
  } else {
    type = "{i32";
    for (unsigned i = 1; i < c.outputs; ++i)
      type += ", i32";
    type += "}";
    body = "  %x = call " + type + " asm sideeffect \"" + c.ptx + "\", \"" + constraints + "\"(" +
           arguments + ")\n";
    for (unsigned i = 0; i < c.outputs; ++i)
      body += "  %d" + std::to_string(i) + " = extractvalue " + type + " %x, " + std::to_string(i) +
              "\n";
  }
  for (unsigned seed = 1; seed <= 3; ++seed) {
    const Registers in = operandsOf(c.inputs, corners, seed);
    const Registers out = execute(nvidia(), in, c.outputs, {body, {}});
    for (unsigned lane = 0; lane < 32; ++lane) {
      Words words;
      std::string shown;
      for (unsigned i = 0; i < c.inputs; ++i) {
        words.push_back(in.word(i, lane));
        shown += " " + std::to_string(words.back());
      }
      const Words want = c.want(words);
      for (unsigned i = 0; i < c.outputs; ++i)
        ASSERT_TRUE(c.same(out.word(i, lane), want[i]))
            << c.ptx << " of" << shown << ", result " << i << " is " << out.word(i, lane)
            << ", not " << want[i];
    }
  }
}

const Words kIntegers{0,          1,          2,          31,         32,
                      33,         0x7fffffff, 0x80000000, 0xffffffff, 0x80000001,
                      0x00ffffff, 0xff000000, 0xffff,     0x8000};
const Words kFloats{0x00000000, 0x80000000, 0x3f800000, 0xbf800000, 0x7f800000, 0xff800000,
                    0x7fc00000, 0x00000001, 0x807fffff, 0x00800000, 0x7f7fffff, 0xff7fffff,
                    0x3f000000, 0x40490fdb, 0x43e00000, 0x43e80000, 0x477fe000, 0x477ff000};

float real(uint32_t bits) { return bitCast<float>(bits); }
uint32_t bitsOf(float value) { return bitCast<uint32_t>(value); }
uint64_t both(uint32_t low, uint32_t high) { return uint64_t(high) << 32 | low; }

//===-- Integers -----------------------------------------------------------===//

TEST(PtxValues, CarriesRunThroughAChain) {
  check({"add.cc.u32 $0, $3, $5; addc.cc.u32 $1, $4, $6; addc.u32 $2, 0, 0;", 3, 4,
         [](const Words &w) -> Words {
           const unsigned __int128 sum = (unsigned __int128)both(w[0], w[1]) + both(w[2], w[3]);
           return {uint32_t(sum), uint32_t(sum >> 32), uint32_t(sum >> 64)};
         }},
        kIntegers);
  check({"sub.cc.u32 $0, $3, $5; subc.cc.u32 $1, $4, $6; subc.u32 $2, 0, 0;", 3, 4,
         [](const Words &w) -> Words {
           const unsigned __int128 rest = (unsigned __int128)both(w[0], w[1]) - both(w[2], w[3]);
           return {uint32_t(rest), uint32_t(rest >> 32), uint32_t(rest >> 64)};
         }},
        kIntegers);
  // (b:a) * c, the upper word with the carry of the lower one.
  check({"mad.lo.cc.u32 $0, $2, $4, 7; madc.hi.u32 $1, $2, $4, 0; mad.lo.u32 $1, $3, $4, $1;", 2, 3,
         [](const Words &w) -> Words {
           const uint64_t product = both(w[0], w[1]) * w[2] + 7;
           return {uint32_t(product), uint32_t(product >> 32)};
         }},
        kIntegers);
  check({"{ .reg .b64 x, y, z; mov.b64 x, {$2, $3}; mov.b64 y, {$4, $5}; add.cc.u64 z, x, y; "
         "addc.u32 $1, 0, 0; cvt.u32.u64 $0, z; }",
         2, 4,
         [](const Words &w) -> Words {
           const uint64_t x = both(w[0], w[1]), sum = x + both(w[2], w[3]);
           return {uint32_t(sum), sum < x};
         }},
        kIntegers);
}

// The flag stays set between statements, as a multiplication written in pieces expects.
TEST(PtxValues, TheCarryOutlivesItsStatement) {
  const Registers in = operandsOf(2, kIntegers, 5);
  const Registers out = execute(
      nvidia(), in, 2,
      {"  %d0 = call i32 asm sideeffect \"add.cc.u32 $0, $1, $2;\", \"=r,r,r\"(i32 %r0, i32 %r1)\n"
       "  %d1 = call i32 asm sideeffect \"addc.u32 $0, 0, 0;\", \"=r\"()\n",
       {}});
  for (unsigned lane = 0; lane < 32; ++lane)
    EXPECT_EQ(out.word(1, lane), out.word(0, lane) < in.word(0, lane));
}

int64_t clamp32(int64_t x) {
  return std::min<int64_t>(std::max<int64_t>(x, std::numeric_limits<int32_t>::min()),
                           std::numeric_limits<int32_t>::max());
}

TEST(PtxValues, SaturatedIntegers) {
  check({"add.sat.s32 $0, $1, $2;", 1, 2,
         [](const Words &w) -> Words {
           return {uint32_t(clamp32(int64_t(int32_t(w[0])) + int32_t(w[1])))};
         }},
        kIntegers);
  check({"sub.sat.s32 $0, $1, $2;", 1, 2,
         [](const Words &w) -> Words {
           return {uint32_t(clamp32(int64_t(int32_t(w[0])) - int32_t(w[1])))};
         }},
        kIntegers);
  check({"mad.hi.sat.s32 $0, $1, $2, $3;", 1, 3,
         [](const Words &w) -> Words {
           const int64_t high = int64_t(int32_t(w[0])) * int32_t(w[1]) >> 32;
           return {uint32_t(clamp32(high + int32_t(w[2])))};
         }},
        kIntegers);
  for (const auto &[name, low, high] :
       {std::tuple("u8", 0, 255), std::tuple("s8", -128, 127), std::tuple("s16", -32768, 32767)})
    check({std::string("cvt.sat.") + name + ".s32 $0, $1;", 1, 1,
           [low = low, high = high](const Words &w) -> Words {
             return {uint32_t(std::clamp(int32_t(w[0]), low, high))};
           }},
          kIntegers);
}

int64_t low24(uint32_t x, bool isSigned) {
  return isSigned ? int64_t(int32_t(x << 8) >> 8) : int64_t(x & 0xffffff);
}

TEST(PtxValues, ProductsOf24Bits) {
  for (bool isSigned : {false, true}) {
    const std::string type = isSigned ? "s32" : "u32";
    check({"mul24.lo." + type + " $0, $1, $2;", 1, 2,
           [=](const Words &w) -> Words {
             return {uint32_t(low24(w[0], isSigned) * low24(w[1], isSigned))};
           }},
          kIntegers);
    check({"mul24.hi." + type + " $0, $1, $2;", 1, 2,
           [=](const Words &w) -> Words {
             return {uint32_t(low24(w[0], isSigned) * low24(w[1], isSigned) >> 16)};
           }},
          kIntegers);
    check({"mad24.lo." + type + " $0, $1, $2, $3;", 1, 3,
           [=](const Words &w) -> Words {
             return {uint32_t(low24(w[0], isSigned) * low24(w[1], isSigned) + w[2])};
           }},
          kIntegers);
  }
}

TEST(PtxValues, PairsOfShortIntegers) {
  const auto each = [](auto f) {
    return [f](const Words &w) -> Words {
      const auto half = [&](unsigned i) {
        return uint32_t(uint16_t(f(int16_t(w[0] >> (16 * i)), int16_t(w[1] >> (16 * i)))));
      };
      return {half(0) | half(1) << 16};
    };
  };
  check({"add.s16x2 $0, $1, $2;", 1, 2, each([](int a, int b) { return a + b; })}, kIntegers);
  check({"min.s16x2 $0, $1, $2;", 1, 2, each([](int a, int b) { return std::min(a, b); })},
        kIntegers);
  check({"max.relu.s16x2 $0, $1, $2;", 1, 2,
         each([](int a, int b) { return std::max(0, std::max(a, b)); })},
        kIntegers);
  check({"max.u16x2 $0, $1, $2;", 1, 2,
         each([](int a, int b) { return std::max(uint16_t(a), uint16_t(b)); })},
        kIntegers);
}

TEST(PtxValues, SumsOfDifferencesAndDots) {
  check(
      {"sad.u32 $0, $1, $2, $3;", 1, 3,
       [](const Words &w) -> Words { return {(w[0] < w[1] ? w[1] - w[0] : w[0] - w[1]) + w[2]}; }},
      kIntegers);
  check({"sad.s32 $0, $1, $2, $3;", 1, 3,
         [](const Words &w) -> Words {
           return {(int32_t(w[0]) < int32_t(w[1]) ? w[1] - w[0] : w[0] - w[1]) + w[2]};
         }},
        kIntegers);
  for (bool high : {false, true})
    check({std::string("dp2a.") + (high ? "hi" : "lo") + ".s32.u32 $0, $1, $2, $3;", 1, 3,
           [=](const Words &w) -> Words {
             uint32_t sum = w[2];
             for (unsigned i = 0; i < 2; ++i)
               sum += uint32_t(int16_t(w[0] >> (16 * i)) *
                               int(uint8_t(w[1] >> (8 * (i + (high ? 2 : 0))))));
             return {sum};
           }},
          kIntegers);
}

//===-- Bits ---------------------------------------------------------------===//

TEST(PtxValues, FieldsOfBits) {
  // The bit by bit meaning, not the shifts of the machine.
  const auto extend = [](uint32_t x, uint64_t n, bool isSigned) {
    uint32_t result = 0;
    for (unsigned bit = 0; bit < 32; ++bit)
      if (bit < n ? x >> bit & 1 : isSigned && n && (x >> (n - 1) & 1))
        result |= 1u << bit;
    return result;
  };
  for (bool isSigned : {false, true})
    for (bool wrap : {false, true})
      check({std::string("szext.") + (wrap ? "wrap" : "clamp") + (isSigned ? ".s32" : ".u32") +
                 " $0, $1, $2;",
             1, 2,
             [=](const Words &w) -> Words {
               return {extend(w[0], wrap ? w[1] % 32 : w[1], isSigned)};
             }},
            kIntegers);
  for (bool wrap : {false, true})
    check({std::string("bmsk.") + (wrap ? "wrap" : "clamp") + ".b32 $0, $1, $2;", 1, 2,
           [=](const Words &w) -> Words {
             const uint64_t from = wrap ? w[0] % 32 : w[0], n = wrap ? w[1] % 32 : w[1];
             uint32_t mask = 0;
             for (uint64_t bit = 0; bit < 32; ++bit)
               if (bit >= from && bit < from + n)
                 mask |= 1u << bit;
             return {mask};
           }},
          kIntegers);
  check({"bfind.shiftamt.u32 $0, $1;", 1, 1,
         [](const Words &w) -> Words { return {w[0] ? uint32_t(__builtin_clz(w[0])) : ~0u}; }},
        kIntegers);
  check({"bfind.s32 $0, $1;", 1, 1,
         [](const Words &w) -> Words {
           const uint32_t unlike = int32_t(w[0]) < 0 ? ~w[0] : w[0];
           return {unlike ? 31 - uint32_t(__builtin_clz(unlike)) : ~0u};
         }},
        kIntegers);
  check({"cnot.b32 $0, $1;", 1, 1, [](const Words &w) -> Words { return {w[0] == 0}; }}, kIntegers);
  check({"{ .reg .pred p, q; setp.ne.u32 q, $4, 0; lop3.or.b32 $0|p, $2, $3, $4, 0x96, q; "
         "selp.u32 $1, 1, 0, p; }",
         2, 3,
         [](const Words &w) -> Words {
           const uint32_t x = w[0] ^ w[1] ^ w[2];
           return {x, x != 0 || w[2] != 0};
         }},
        kIntegers);
}

TEST(PtxValues, VectorsMoveAtOnce) {
  check({"{ .reg .b32 a, b; mov.b32 a, $2; mov.b32 b, $3; mov.v2.b32 {a, b}, {b, a}; "
         "mov.b32 $0, a; mov.b32 $1, b; }",
         2, 2, [](const Words &w) -> Words { return {w[1], w[0]}; }},
        kIntegers);
}

//===-- Comparisons --------------------------------------------------------===//

TEST(PtxValues, ClassesOfFloats) {
  const std::pair<const char *, bool (*)(float)> tests[] = {
      {"finite", [](float x) { return bool(std::isfinite(x)); }},
      {"infinite", [](float x) { return bool(std::isinf(x)); }},
      {"number", [](float x) { return !std::isnan(x); }},
      {"notanumber", [](float x) { return bool(std::isnan(x)); }},
      {"normal", [](float x) { return bool(std::isnormal(x)); }},
      {"subnormal", [](float x) { return std::fpclassify(x) == FP_SUBNORMAL; }}};
  for (const auto &[name, holds] : tests)
    check({std::string("{ .reg .pred p; testp.") + name + ".f32 p, $1; selp.u32 $0, 1, 0, p; }", 1,
           1, [f = holds](const Words &w) -> Words { return {f(real(w[0]))}; }},
          kFloats);
}

TEST(PtxValues, ChoicesBySign) {
  check({"slct.b32.s32 $0, $1, $2, $3;", 1, 3,
         [](const Words &w) -> Words { return {int32_t(w[2]) >= 0 ? w[0] : w[1]}; }},
        kIntegers);
  check({"slct.b32.f32 $0, $1, $2, $3;", 1, 3,
         [](const Words &w) -> Words { return {real(w[2]) >= 0 ? w[0] : w[1]}; }},
        kFloats);
}

double half(uint32_t word, unsigned i) {
  return decodeFloat(FloatFormat::F16, word >> (16 * i) & 0xffff);
}

TEST(PtxValues, HalvesAreComparedApart) {
  const Words corners{0x3c003c00, 0x3c00bc00, 0x7e003c00, 0x00000000, 0x80000000, 0xfc007c00};
  check({"{ .reg .pred p, q; setp.lt.f16x2 p|q, $2, $3; selp.u32 $0, 1, 0, p; "
         "selp.u32 $1, 1, 0, q; }",
         2, 2,
         [](const Words &w) -> Words {
           return {half(w[0], 0) < half(w[1], 0), half(w[0], 1) < half(w[1], 1)};
         }},
        corners);
  check({"set.geu.f16x2.f16x2 $0, $1, $2;", 1, 2,
         [](const Words &w) -> Words {
           uint32_t result = 0;
           for (unsigned i = 0; i < 2; ++i)
             if (!(half(w[0], i) < half(w[1], i)))
               result |= 0x3c00u << (16 * i);
           return {result};
         }},
        corners);
}

//===-- Floats -------------------------------------------------------------===//

// A NaN is a NaN, whatever its bits.
uint32_t same(float value) { return std::isnan(value) ? 0x7fc00000 : bitsOf(value); }
std::string quiet(const std::string &instruction) { // one NaN for all
  return "{ .reg .pred n; " + instruction +
         " testp.notanumber.f32 n, $0; @n mov.b32 $0, 0x7fc00000; }";
}

TEST(PtxValues, MinimaOfMagnitudesKeepTheProductOfSigns) {
  check({quiet("min.xorsign.abs.f32 $0, $1, $2;"), 1, 2,
         [](const Words &w) -> Words {
           const float a = real(w[0]), b = real(w[1]);
           const float least = std::fmin(std::fabs(a), std::fabs(b));
           return {same(std::signbit(a) != std::signbit(b) ? -least : least)};
         }},
        kFloats);
  check({quiet("max.abs.f32 $0, $1, $2, $3;"), 1, 3,
         [](const Words &w) -> Words {
           return {same(std::fmax(std::fmax(std::fabs(real(w[0])), std::fabs(real(w[1]))),
                                  std::fabs(real(w[2]))))};
         }},
        kFloats);
}

TEST(PtxValues, ReluKeepsNaN) {
  check({quiet("{ .reg .b16 h; cvt.rn.relu.bf16.f32 h, $1; mov.b32 $0, {0, h}; }"), 1, 1,
         [](const Words &w) -> Words {
           const float x = real(w[0]);
           if (std::isnan(x))
             return {0x7fc00000};
           return {x > 0 ? uint32_t(encodeFloat(FloatFormat::BF16, x)) << 16 : 0};
         }},
        kFloats);
}

TEST(PtxValues, Tf32RoundsToTenBits) {
  const std::pair<const char *, uint32_t (*)(uint32_t)> roundings[] = {
      {"rz", [](uint32_t x) { return x; }},
      {"rna", [](uint32_t x) { return x + 0x1000; }},
      {"rn", [](uint32_t x) { return x + 0xfff + (x >> 13 & 1); }}};
  for (const auto &[name, step] : roundings)
    check({quiet(std::string("cvt.") + name + ".tf32.f32 $0, $1;"), 1, 1,
           [f = step](const Words &w) -> Words {
             return {std::isnan(real(w[0])) ? 0x7fc00000 : f(w[0]) & ~0x1fffu};
           }},
          kFloats);
}

// Towards zero: the largest number of the format that is not beyond x.
TEST(PtxValues, HalvesRoundedTowardsZero) {
  check({"{ .reg .b16 h; cvt.rz.f16.f32 h, $1; cvt.u32.u16 $0, h; }", 1, 1,
         [](const Words &w) -> Words {
           const float x = real(w[0]);
           if (std::isnan(x))
             return {0x7fff};
           uint32_t best = std::signbit(x) ? 0x8000 : 0;
           for (uint32_t h = 0; h <= 0x7c00; ++h)
             if (decodeFloat(FloatFormat::F16, h) <= std::fabs(double(x)))
               best = (best & 0x8000) | h;
           return {std::isinf(x) ? best : std::min(best & 0x7fff, 0x7bffu) | (best & 0x8000)};
         }},
        {0x3f800000, 0x3f801fff, 0xbf801fff, 0x7f7fffff, 0xff7fffff, 0x477fffff, 0x33ffffff,
         0x7f800000, 0x80000001, 0x38800000, 0x387fffff});
}

//===-- 8-bit floats -------------------------------------------------------===//

// The nearest of all numbers of the format, the even one of two; beyond the largest that one.
uint32_t nearest8(FloatFormat format, double x) {
  if (std::isnan(x))
    return 0x7f;
  const uint32_t most = format == FloatFormat::E4M3 ? 0x7e : 0x7b;
  if (std::fabs(x) > decodeFloat(format, most))
    return most | (std::signbit(x) ? 0x80 : 0);
  uint32_t best = 0;
  for (uint32_t code = 0; code <= most; ++code) {
    const double at = std::fabs(decodeFloat(format, code) - std::fabs(x));
    const double far = std::fabs(decodeFloat(format, best) - std::fabs(x));
    if (at < far || (at == far && !(code & 1)))
      best = code;
  }
  return best | (std::signbit(x) ? 0x80 : 0);
}

TEST(PtxValues, FloatsToEightBits) {
  for (const auto &[name, format] :
       {std::pair("e4m3", FloatFormat::E4M3), std::pair("e5m2", FloatFormat::E5M2)}) {
    check({std::string("{ .reg .b16 h; cvt.rn.satfinite.") + name +
               "x2.f32 h, $1, $2; cvt.u32.u16 $0, h; }",
           1, 2,
           [f = format](const Words &w) -> Words {
             return {nearest8(f, real(w[0])) << 8 | nearest8(f, real(w[1]))};
           }},
          {0x00000000, 0x80000000, 0x3f800000, 0x3f880000, 0x3f980000, 0x43e00000, 0x43e80000,
           0x44000000, 0x47600000, 0x47700000, 0x7f800000, 0xff800000, 0x3a800000, 0x3b000000});
    check({std::string("{ .reg .b16 h; cvt.rn.satfinite.relu.") + name +
               "x2.f16x2 h, $1; cvt.u32.u16 $0, h; }",
           1, 1,
           [f = format](const Words &w) -> Words {
             const auto one = [&](double x) {
               return x > 0 || std::isnan(x) ? nearest8(f, x) : 0u;
             };
             return {one(half(w[0], 1)) << 8 | one(half(w[0], 0))};
           }},
          {0x3c003c00, 0xbc003c00, 0x7bff7c00, 0x00010400, 0x5f005f80});
  }
}

bool sameHalves(uint32_t a, uint32_t b) {
  const auto same = [&](unsigned i) {
    const double x = half(a, i), y = half(b, i);
    return x == y ? std::signbit(x) == std::signbit(y) : std::isnan(x) && std::isnan(y);
  };
  return same(0) && same(1);
}

// Every code of the format, exactly.
TEST(PtxValues, EightBitsToHalves) {
  for (const auto &[name, format] :
       {std::pair("e4m3", FloatFormat::E4M3), std::pair("e5m2", FloatFormat::E5M2)})
    for (uint32_t base = 0; base < 256; base += 8) {
      Words corners;
      for (uint32_t i = 0; i < 8; ++i)
        corners.push_back((255 - base - i) << 8 | (base + i));
      check({std::string("{ .reg .b16 h; cvt.u16.u32 h, $1; cvt.rn.f16x2.") + name + "x2 $0, h; }",
             1, 1,
             [f = format](const Words &w) -> Words {
               uint32_t result = 0;
               for (unsigned i = 0; i < 2; ++i)
                 result |=
                     uint32_t(encodeFloat(FloatFormat::F16, decodeFloat(f, w[0] >> (8 * i) & 0xff)))
                     << (16 * i);
               return {result};
             },
             sameHalves},
            corners);
    }
}

// AMD's conversions: gfx942 has the FNUZ encodings, gfx950 and gfx12 those of OCP.
TEST(PtxValues, AmdPacksEightBits) {
  for (const auto &[cpu, e4m3, e5m2] :
       {std::tuple("gfx942", FloatFormat::E4M3Fnuz, FloatFormat::E5M2Fnuz),
        std::tuple("gfx950", FloatFormat::E4M3, FloatFormat::E5M2)})
    for (const auto &[name, format] : {std::pair("fp8", e4m3), std::pair("bf8", e5m2)})
      for (bool high : {false, true}) {
        const std::string n = name, flag = high ? "true" : "false";
        Registers in(3, 64);
        for (unsigned lane = 0; lane < 64; ++lane) {
          in.word(0, lane) = bitsOf(float(int(lane) - 32) * 0.25f);
          in.word(1, lane) = bitsOf(float(lane) * 1.5f);
          in.word(2, lane) = 0x01020304u * (lane % 5);
        }
        const Registers out =
            execute(amd(cpu), in, 2,
                    {"  %a = bitcast i32 %r0 to float\n  %b = bitcast i32 %r1 to float\n"
                     "  %d0 = call i32 @llvm.amdgcn.cvt.pk." +
                         n + ".f32(float %a, float %b, i32 %r2, i1 " + flag +
                         ")\n  %x = call float @llvm.amdgcn.cvt.f32." + n + "(i32 %d0, i32 " +
                         (high ? "3" : "1") + ")\n  %d1 = bitcast float %x to i32\n",
                     "declare i32 @llvm.amdgcn.cvt.pk." + n +
                         ".f32(float, float, i32, i1)\n"
                         "declare float @llvm.amdgcn.cvt.f32." +
                         n + "(i32, i32)"});
        for (unsigned lane = 0; lane < 64; ++lane) {
          const uint32_t a = uint32_t(encodeFloat(format, real(in.word(0, lane))));
          const uint32_t b = uint32_t(encodeFloat(format, real(in.word(1, lane))));
          const uint32_t pair = a | b << 8, old = in.word(2, lane);
          ASSERT_EQ(out.word(0, lane),
                    high ? pair << 16 | (old & 0xffff) : pair | (old & 0xffff0000))
              << cpu << " " << name << " lane " << lane;
          ASSERT_EQ(real(out.word(1, lane)), float(decodeFloat(format, b)));
        }
      }
}

//===-- Memory -------------------------------------------------------------===//

// [base + offset] of two registers, of a register and a constant, and of both widths.
TEST(PtxValues, AddressesAreSums) {
  Registers in = randomRegisters(2, 32, 9);
  for (const char *address : {"[$1+$2]", "[$1 + $2 + 4]", "[$1+$3]", "[$1+8]", "[$1]"}) {
    const std::string at = address;
    const Registers out = execute(nvidia(), in, 1,
                                  {"  %o = mul i32 %lane, 4\n  %b = ptrtoint ptr %in to i64\n"
                                   "  %w = zext i32 %o to i64\n  %m = add i64 %b, %w\n"
                                   "  %d0 = call i32 asm sideeffect \"ld.global.u32 $0, " +
                                       at + ";\", \"=r,l,r,n\"(i64 %m, i32 64, i32 16)\n",
                                   {}});
    const unsigned shift = at == "[$1+$2]"         ? 16
                           : at == "[$1 + $2 + 4]" ? 17
                           : at == "[$1+$3]"       ? 4
                           : at == "[$1+8]"        ? 2
                                                   : 0;
    for (unsigned lane = 0; lane < 32; ++lane) {
      const unsigned word = lane + shift;
      EXPECT_EQ(out.word(0, lane), in.word(word / 32, word % 32)) << at << " lane " << lane;
    }
  }
}

// Each lane adds to its own words of %out, and gets what was there.
TEST(PtxValues, AtomicsOfVectors) {
  const auto run = [](const std::string &ptx, unsigned words, const Registers &in) {
    std::string zero, constraints, arguments, store;
    for (unsigned i = 0; i < words; ++i)
      arguments += ", i32 %x" + std::to_string(i);
    std::string body = "  %o = mul i32 %lane, " + std::to_string(4 * words) +
                       "\n  %p = getelementptr i8, ptr %out, i32 %o\n"
                       "  %q = getelementptr i8, ptr %in, i32 %o\n";
    for (unsigned i = 0; i < words; ++i) {
      const std::string n = std::to_string(i);
      body += "  %q" + n + " = getelementptr i32, ptr %q, i32 " + n + "\n  %x" + n +
              " = load i32, ptr %q" + n + ", align 4\n  %p" + n +
              " = getelementptr i32, ptr %p, i32 " + n + "\n  store i32 1006648320, ptr %p" + n +
              ", align 4\n"; // two halves 1.0 are 0x3c003c00
      constraints += ",r";
    }
    body += "  call void asm sideeffect \"" + ptx + "\", \"l" + constraints + "\"(ptr %p" +
            arguments + ")\n";
    return execute(nvidia(), in, words, {body, {}, true});
  };
  Registers in(4, 32);
  for (unsigned i = 0; i < 4 * 32; ++i)
    in.word(i / 32, i % 32) = 0x40003c00u + (i % 2 ? 0x0400u : 0); // 1 or 2, and 2
  const Registers pairs = run("red.global.add.noftz.v4.f16x2 [$0], {$1, $2, $3, $4};", 4, in);
  const Registers least = run("red.global.min.noftz.v2.f16x2 [$0], {$1, $2};", 2, in);
  const auto sum = [](uint32_t a, uint32_t b) {
    uint32_t result = 0;
    for (unsigned i = 0; i < 2; ++i)
      result |= uint32_t(encodeFloat(FloatFormat::F16, half(a, i) + half(b, i))) << (16 * i);
    return result;
  };
  for (unsigned i = 0; i < 4 * 32; ++i)
    ASSERT_EQ(pairs.word(i / 32, i % 32), sum(in.word(i / 32, i % 32), 0x3c003c00)) << i;
  for (unsigned i = 0; i < 2 * 32; ++i)
    ASSERT_EQ(least.word(i / 32, i % 32), 0x3c003c00u) << i;
}

//===-- Threads ------------------------------------------------------------===//

TEST(PtxValues, SpecialRegisters) {
  const std::pair<const char *, uint32_t (*)(uint32_t)> registers[] = {
      {"laneid", [](uint32_t l) { return l; }},
      {"lanemask_eq", [](uint32_t l) { return 1u << l; }},
      {"lanemask_lt", [](uint32_t l) { return (1u << l) - 1; }},
      {"lanemask_le", [](uint32_t l) { return uint32_t((uint64_t(2) << l) - 1); }},
      {"lanemask_gt", [](uint32_t l) { return ~uint32_t((uint64_t(2) << l) - 1); }},
      {"lanemask_ge", [](uint32_t l) { return ~((1u << l) - 1); }},
      {"warpid", [](uint32_t) { return 0u; }},
      {"nwarpid", [](uint32_t) { return 1u; }},
      {"ntid.x", [](uint32_t) { return 32u; }}};
  for (const auto &[name, want] : registers) {
    const Registers out = execute(
        nvidia(), Registers(1, 32), 1,
        {std::string("  %d0 = call i32 asm sideeffect \"mov.u32 $0, %") + name + ";\", \"=r\"()\n",
         {}});
    for (unsigned lane = 0; lane < 32; ++lane)
      EXPECT_EQ(out.word(0, lane), want(lane)) << name;
  }
}

TEST(PtxValues, BarriersCountVotes) {
  const std::tuple<const char *, const char *, std::function<uint32_t(uint32_t)>> kinds[] = {
      {"{ .reg .pred p; setp.ne.u32 p, $1, 0; bar.red.popc.u32 $0, 0, p; }", "count",
       [](uint32_t n) { return n; }},
      {"{ .reg .pred p, q; setp.ne.u32 p, $1, 0; bar.red.and.pred q, 0, p; selp.u32 $0, 1, 0, q; }",
       "all", [](uint32_t n) { return uint32_t(n == 32); }},
      {"{ .reg .pred p, q; setp.eq.u32 p, $1, 0; bar.red.or.pred q, 0, !p; selp.u32 $0, 1, 0, q; }",
       "any", [](uint32_t n) { return uint32_t(n != 0); }}};
  for (uint32_t yes : {0u, 1u, 7u, 32u})
    for (const auto &[ptx, name, want] : kinds) {
      Registers in(1, 32);
      for (unsigned lane = 0; lane < yes; ++lane)
        in.word(0, lane) = lane + 1;
      const Registers out = execute(
          nvidia(), in, 1,
          {std::string("  %d0 = call i32 asm sideeffect \"") + ptx + "\", \"=r,r\"(i32 %r0)\n",
           {}});
      for (unsigned lane = 0; lane < 32; ++lane)
        EXPECT_EQ(out.word(0, lane), want(yes)) << name << " of " << yes;
    }
}

TEST(PtxValues, ExitedThreadsWriteNothing) {
  Registers in(1, 32);
  for (unsigned lane = 0; lane < 32; ++lane)
    in.word(0, lane) = lane % 3 == 0;
  const Registers out = execute(
      nvidia(), in, 1,
      {"  call void asm sideeffect \"{ .reg .pred p; setp.ne.u32 p, $0, 0; @p exit; }\", \"r\""
       "(i32 %r0)\n  %d0 = add i32 %lane, 100\n",
       {}});
  for (unsigned lane = 0; lane < 32; ++lane)
    EXPECT_EQ(out.word(0, lane), lane % 3 == 0 ? 0u : lane + 100);
}

TEST(PtxValues, OneLaneIsElected) {
  const Registers out = execute(
      nvidia(), Registers(1, 32), 2,
      {"  %x = call {i32, i32} asm sideeffect \"{ .reg .pred p; elect.sync $0|p, 0xfffffff0; "
       "selp.u32 $1, 1, 0, p; }\", \"=r,=r\"()\n"
       "  %d0 = extractvalue {i32, i32} %x, 0\n  %d1 = extractvalue {i32, i32} %x, 1\n",
       {}});
  uint32_t elected = 0;
  for (unsigned lane = 4; lane < 32; ++lane) {
    EXPECT_EQ(out.word(0, lane), out.word(0, 4));
    elected += out.word(1, lane);
    EXPECT_EQ(out.word(1, lane), lane == out.word(0, 4));
  }
  EXPECT_EQ(elected, 1u);
}

} // namespace
} // namespace layout_port::verify::golden
