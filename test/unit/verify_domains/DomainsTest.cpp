// The arithmetic that proofs rest on: residues and float formats.
#include "domain/Field.h"
#include "domain/Ieee.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace layout_port::verify {
namespace {

class Fields : public testing::TestWithParam<unsigned> {
protected:
  Field f{GetParam(), 7};
};

TEST_P(Fields, ThePrimeIsPrimeAndFitsThePayload) {
  const uint32_t p = f.prime();
  for (uint32_t d = 2; d * d <= p; ++d)
    ASSERT_NE(p % d, 0u) << d;
  EXPECT_LT(f.nan(), 1u << GetParam());
  EXPECT_GT(f.inf(true), p - 1);
}

TEST_P(Fields, AgreesWithLongArithmetic) {
  std::mt19937_64 random(1);
  const uint64_t p = f.prime();
  for (int i = 0; i < 20000; ++i) {
    const uint32_t a = uint32_t(random() % p), b = uint32_t(random() % p);
    ASSERT_EQ(f.add(a, b), (a + uint64_t(b)) % p);
    ASSERT_EQ(f.sub(a, b), (a + p - b) % p);
    ASSERT_EQ(f.mul(a, b), uint64_t(a) * b % p);
    const uint64_t x = random();
    ASSERT_EQ(f.reduce(x), x % p);
    if (b) {
      ASSERT_EQ(f.mul(f.div(a, b), b), a);
    }
  }
}

TEST_P(Fields, ConstantsAreExactRationals) {
  EXPECT_EQ(f.fromDouble(1.0), 1u);
  EXPECT_EQ(f.fromDouble(-1.0), f.prime() - 1);
  EXPECT_EQ(f.mul(f.fromDouble(0.125), 8), 1u);
  EXPECT_EQ(f.add(f.fromDouble(0.1), f.fromDouble(-0.1)), 0u);
  // 3 * (float)0.1 is not (float)0.3: the field does not round.
  EXPECT_NE(f.mul(3, f.fromDouble(0.1f)), f.fromDouble(0.3f));
}

TEST_P(Fields, InfinitiesObeyIeee) {
  const uint32_t inf = f.inf(false), minus = f.inf(true);
  EXPECT_EQ(f.add(inf, 5), inf);
  EXPECT_EQ(f.add(inf, minus), f.nan());
  EXPECT_EQ(f.sub(3, inf), minus);
  EXPECT_EQ(f.max(minus, f.prime() - 1), f.prime() - 1);
  EXPECT_EQ(f.mul(0, inf), f.nan());
  EXPECT_EQ(f.div(1, inf), 0u);
  EXPECT_EQ(f.fromDouble(-INFINITY), minus);
}

TEST_P(Fields, SmallNumbersKeepTheirOrder) {
  EXPECT_TRUE(f.less(f.fromDouble(-3), f.fromDouble(2)));
  EXPECT_EQ(f.abs(f.fromDouble(-7)), 7u);
  EXPECT_EQ(f.abs(7), 7u);
}

TEST_P(Fields, Log2eAndLn2AreInverse) {
  EXPECT_EQ(f.mul(f.fromConstant(1.4426950408889634f), f.ln2()), 1u);
  EXPECT_EQ(f.fromConstant(0.5 * 1.4426950408889634),
            f.mul(f.fromConstant(1.442695), f.fromDouble(0.5)));
  EXPECT_EQ(f.fromConstant(0.69314718f), f.ln2());
}

INSTANTIATE_TEST_SUITE_P(Widths, Fields, testing::Values(8u, 16u));

TEST(Ieee, EveryNarrowValueSurvivesTheRoundTrip) {
  for (FloatFormat format : {FloatFormat::F16, FloatFormat::BF16, FloatFormat::E4M3,
                             FloatFormat::E5M2, FloatFormat::E4M3Fnuz, FloatFormat::E5M2Fnuz})
    for (uint64_t bits = 0; bits < uint64_t(1) << floatBitsOf(format); ++bits) {
      const double value = decodeFloat(format, bits);
      if (!std::isnan(value)) {
        ASSERT_EQ(encodeFloat(format, value), bits) << int(format);
      }
    }
}

TEST(Ieee, RoundsToNearestEven) {
  EXPECT_EQ(encodeFloat(FloatFormat::F16, 1.0 + 0x1p-11), 0x3c00u);     // tie, to even
  EXPECT_EQ(encodeFloat(FloatFormat::F16, 1.0 + 3 * 0x1p-11), 0x3c02u); // tie, to even
  EXPECT_EQ(encodeFloat(FloatFormat::F16, 65520.0), 0x7c00u);           // overflow
  EXPECT_EQ(encodeFloat(FloatFormat::F16, 0x1p-25), 0u);                // half a subnormal
  EXPECT_EQ(encodeFloat(FloatFormat::E4M3, 1e9), 0x7eu);                // saturates at 448
  EXPECT_EQ(decodeFloat(FloatFormat::E4M3, 0x7e), 448.0);
  EXPECT_EQ(decodeFloat(FloatFormat::E4M3Fnuz, 0x7f), 240.0);
  EXPECT_EQ(encodeFloat(FloatFormat::BF16, 1.00390625), 0x3f80u);
}

} // namespace
} // namespace layout_port::verify
