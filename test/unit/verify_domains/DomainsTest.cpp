// The arithmetic that proofs rest on: residues and float formats.
#include "domain/Field.h"
#include "domain/FieldLanes.h"
#include "domain/Ieee.h"
#include "semantics/MatrixKernels.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

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

// What is done for whole rows and matrices is what is done for one element.
TEST_P(Fields, RowsAgreeWithElements) {
  std::mt19937_64 random(2);
  const uint32_t p = f.prime();
  for (int round = 0; round < 200; ++round) {
    const unsigned lanes = round % 2 ? 32 : 64;
    uint32_t a[64], b[64], c[64], sum[64], difference[64], product[64], fused[64];
    for (unsigned i = 0; i < lanes; ++i) {
      a[i] = random() % 4 ? uint32_t(random() % p) : p - 1;
      b[i] = random() % 4 ? uint32_t(random() % p) : p - 1;
      c[i] = random() % 4 ? uint32_t(random() % p) : p - 1;
    }
    ASSERT_TRUE(addRows(f, a, b, sum, lanes) && subtractRows(f, a, b, difference, lanes) &&
                multiplyRows(f, a, b, product, lanes) && multiplyAddRows(f, a, b, c, fused, lanes));
    for (unsigned i = 0; i < lanes; ++i) {
      ASSERT_EQ(sum[i], f.add(a[i], b[i]));
      ASSERT_EQ(difference[i], f.sub(a[i], b[i]));
      ASSERT_EQ(product[i], f.mul(a[i], b[i]));
      ASSERT_EQ(fused[i], f.add(f.mul(a[i], b[i]), c[i]));
    }
    b[lanes - 1] = f.inf(true);
    EXPECT_FALSE(addRows(f, a, b, sum, lanes) || multiplyAddRows(f, a, c, b, fused, lanes));
  }
}

TEST_P(Fields, MatricesAgreeWithElements) {
  std::mt19937_64 random(3);
  const uint32_t p = f.prime();
  const unsigned shapes[][3] = {{16, 8, 16}, {16, 16, 128}, {32, 32, 8}, {4, 4, 4}, {16, 8, 64}};
  for (const auto &[m, n, k] : shapes)
    for (bool largest : {false, true}) { // the sums' bounds are reached at +-(p - 1) / 2
      const auto element = [&] {
        return largest ? p / 2 + uint32_t(random() % 2) : uint32_t(random() % p);
      };
      std::vector<uint16_t> a(m * k), b(k * n);
      std::vector<uint32_t> c(m * n), wanted;
      for (uint16_t &x : a)
        x = uint16_t(largest ? p / 2 : element());
      for (uint16_t &x : b)
        x = uint16_t(largest ? p / 2 + 1 : element());
      for (uint32_t &x : c)
        x = element();
      wanted = c;
      for (unsigned i = 0; i < m; ++i)
        for (unsigned j = 0; j < n; ++j)
          for (unsigned kk = 0; kk < k; ++kk)
            wanted[i * n + j] = f.add(wanted[i * n + j], f.mul(a[i * k + kk], b[kk * n + j]));
      ASSERT_TRUE(multiplyResidues(a.data(), b.data(), c.data(), m, n, k, p, GetParam()));
      ASSERT_EQ(c, wanted) << m << "x" << n << "x" << k;
      b.back() = uint16_t(f.nan());
      EXPECT_FALSE(multiplyResidues(a.data(), b.data(), c.data(), m, n, k, p, GetParam()));
      EXPECT_EQ(c, wanted);
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

// Words of residue and shadow: the ring rules hold for both halves at once.
class Shadows : public testing::TestWithParam<unsigned> {
protected:
  Field f{GetParam(), 7, Algebra::Shadowed};
  std::mt19937_64 random{1};
  uint32_t input() { return f.fromRandom(random(), FloatFormat::F32); }
};

TEST_P(Shadows, TheShadowsModulusIsPrime) {
  const uint32_t q = (f.prime() - 1) / 2;
  for (uint32_t d = 2; d * d <= q; ++d)
    ASSERT_NE(q % d, 0u) << d;
}

TEST_P(Shadows, ExponentialsOfSumsAreProducts) {
  for (int i = 0; i < 2000; ++i) {
    const uint32_t a = input(), b = input(), c = input();
    ASSERT_TRUE(f.same(f.exp(1, f.add(a, b)), f.mul(f.exp(1, a), f.exp(1, b))));
    ASSERT_TRUE(f.same(f.exp(1, f.sub(a, b)), f.div(f.exp(1, a), f.exp(1, b))));
    const uint32_t sum = f.mul(a, f.add(b, c)), terms = f.add(f.mul(a, b), f.mul(a, c));
    ASSERT_EQ(sum, terms);
    ASSERT_TRUE(f.same(f.exp(1, sum), f.exp(1, terms)));
  }
  EXPECT_EQ(f.exp(1, f.inf(true)), 0u);
  EXPECT_TRUE(f.same(f.exp(1, 0), f.one()));
}

TEST_P(Shadows, DifferentExponentsDiffer) {
  int equal = 0;
  for (int i = 0; i < 1000; ++i)
    equal += f.same(f.exp(1, input()), f.exp(1, input()));
  EXPECT_LT(equal, GetParam() == 8 ? 40 : 3); // 1/113 and 1/32633 of them
}

TEST_P(Shadows, AnExponentialIsSpentAndSoIsWhatHoldsIt) {
  const uint32_t x = f.exp(1, input());
  EXPECT_FALSE(f.spent(input()));
  EXPECT_TRUE(f.spent(x));
  EXPECT_TRUE(f.spent(f.add(x, input())));
  EXPECT_TRUE(f.spent(f.mul(input(), x)));
  EXPECT_TRUE(f.spent(f.div(input(), x)));
}

TEST_P(Shadows, BasesOfExponentialsMeet) {
  // exp2(x log2 e) = exp(x)
  const uint32_t x = input(), y = f.mul(x, f.fromConstant(1.4426950408889634f));
  EXPECT_TRUE(f.same(f.exp(1, f.mul(y, f.ln2())), f.exp(1, x)));
}

TEST_P(Shadows, NarrowPayloadsGetTheirShadowBack) {
  const uint32_t x = input();
  EXPECT_EQ(f.widen(f.residue(x)), x);
  EXPECT_EQ(f.widen(f.residue(f.fromDouble(-3))), f.fromDouble(-3));
}

INSTANTIATE_TEST_SUITE_P(Widths, Shadows, testing::Values(8u, 16u));

// Rounding keeps what has the format already, and is odd.
TEST_P(Fields, RoundingTwiceIsRoundingOnce) {
  const Field r(GetParam(), 7, Algebra::Residues, true);
  unsigned moved = 0, apart = 0;
  for (uint32_t x = 0; x < r.prime(); ++x) {
    const uint32_t y = r.round(FloatFormat::F16, x);
    ASSERT_EQ(r.round(FloatFormat::F16, y), y) << x;
    ASSERT_EQ(r.round(FloatFormat::F16, r.neg(x)), r.neg(y)) << x;
    ASSERT_EQ(f.round(FloatFormat::F16, x), x) << "not asked for";
    moved += y != x;
    apart += y != r.round(FloatFormat::BF16, x);
  }
  EXPECT_GT(moved, r.prime() / 2);
  EXPECT_GT(apart, r.prime() / 2) << "one function a format";
}

class Degrees : public testing::Test {
protected:
  Field f{16, 7, Algebra::Degrees};
  uint32_t x = DegreeTable::variable, one = DegreeTable::constant;
  // {numerator, denominator}
  std::pair<uint32_t, uint32_t> of(uint32_t payload) const {
    const Degree degree = f.degrees().at(payload);
    return {degree.top, degree.bottom};
  }
};
using Quotient = std::pair<uint32_t, uint32_t>;

TEST_F(Degrees, OfPolynomials) {
  EXPECT_EQ(of(f.add(x, one)), Quotient(1, 0));
  EXPECT_EQ(of(f.mul(x, x)), Quotient(2, 0));
  EXPECT_EQ(of(f.add(f.mul(x, x), x)), Quotient(2, 0));
  uint32_t power = x;
  for (int i = 0; i < 20; ++i)
    power = f.mul(power, power);
  EXPECT_EQ(of(power), Quotient(kDegreeLimit, 0)) << "saturates";
}

TEST_F(Degrees, OfQuotients) {
  const uint32_t a = f.div(x, f.mul(x, x)), b = f.div(one, x);
  EXPECT_EQ(of(a), Quotient(1, 2));
  EXPECT_EQ(of(f.add(a, x)), Quotient(3, 2));
  EXPECT_EQ(of(f.add(a, b)), Quotient(2, 3)) << "two denominators";
  EXPECT_EQ(of(f.add(a, f.mul(a, x))), Quotient(2, 2)) << "one denominator";
  EXPECT_EQ(of(f.mul(a, b)), Quotient(1, 3));
  EXPECT_EQ(of(f.add(f.mul(a, b), f.mul(b, a))), Quotient(1, 3)) << "one product of two";
}

TEST_F(Degrees, OfFunctionsAndChoices) {
  EXPECT_EQ(of(f.random(5, f.mul(x, x))), Quotient(3, 0));
  EXPECT_EQ(of(f.exp(5, x)), Quotient(4, 0));
  EXPECT_EQ(of(f.max(f.mul(x, x), x)), Quotient(2, 0));
  EXPECT_EQ(of(f.random(5, one)), Quotient(0, 0));
}

TEST_F(Degrees, AFullTableNeverUnderstates) {
  const Field small(8, 7, Algebra::Degrees);
  uint32_t sum = x;
  uint32_t top = 1, bottom = 0;
  for (int i = 0; i < 1000; ++i) {
    sum = small.add(sum, small.div(DegreeTable::constant, x));
    const Degree degree = small.degrees().at(sum);
    ASSERT_GE(degree.top, std::min(top, kDegreeLimit)) << i;
    ASSERT_GE(degree.bottom, std::min(bottom, kDegreeLimit)) << i;
    ++top, ++bottom;
  }
}

INSTANTIATE_TEST_SUITE_P(Widths, Fields, testing::Values(8u, 16u));

// 1/8 and 1/10 are the residues of negative numbers too: what counts is the number.
TEST(Signs, InfinitiesKeepThatOfAProduct) {
  const Field f(16, 7);
  const uint32_t inf = f.inf(false), minus = f.inf(true);
  for (const double number : {0.125, 0.5, 0.1, 1.4426950408889634, 0.08838834764831845}) {
    const uint32_t word = f.withSign(number);
    EXPECT_EQ(f.mul(minus, word), minus) << number;
    EXPECT_EQ(f.mul(word, inf), inf) << number;
    EXPECT_EQ(f.mul(inf, f.neg(word)), minus) << number;
    EXPECT_EQ(f.div(minus, word), minus) << number;
  }
  f.knowProducts(f.fromConstant(-0.125), true, {{f.fromConstant(3.5), false}});
  EXPECT_EQ(f.mul(inf, f.mul(f.fromConstant(-0.125), f.fromConstant(3.5))), minus);
  EXPECT_FALSE(f.doubtedASign());
}

TEST(Signs, AreDoubtedWhereNobodyKnows) {
  const Field f(16, 7);
  f.mul(f.inf(true), f.inf(false));
  EXPECT_FALSE(f.doubtedASign());
  f.mul(f.inf(true), f.fromRandom(12345, FloatFormat::F32));
  EXPECT_TRUE(f.doubtedASign());
}

TEST(Signs, NumbersThatShareAResidueHaveNone) {
  const Field f(16, 7);
  f.knowSign(7, false);
  EXPECT_EQ(f.mul(f.inf(false), 7), f.inf(false));
  EXPECT_FALSE(f.doubtedASign());
  f.knowSign(7, true);
  f.mul(f.inf(false), 7);
  EXPECT_TRUE(f.doubtedASign());
}

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
