#include "layout_port/layouts/Affine.h"

#include <gtest/gtest.h>

using namespace layout_port;
using LL = LinearLayout;

static AffineLayout xorWith(uint64_t constant, const char *in, const char *out) {
  return {LL::identity1D(8, in, out), constant};
}

TEST(Affine, ConstantsAddUnderComposition) {
  const Result<AffineLayout> both = xorWith(5, "x", "y").compose(xorWith(3, "y", "z"));
  ASSERT_TRUE(both);
  EXPECT_EQ(*both, xorWith(6, "x", "z"));
}

TEST(Affine, TheInverseOfAnXorIsItself) {
  EXPECT_EQ(*xorWith(5, "x", "y").invert(), xorWith(5, "y", "x"));
  const AffineLayout flat = {LL::zeros1D(8, "x", "y", 8), 0};
  EXPECT_FALSE(flat.invert());
}

TEST(Affine, InvertAndComposeFindsTheSameOutput) {
  const AffineLayout a = {*LL::fromBases({{"x", {{1, 1}, {2, 0}}}}, {{"r", 4}, {"c", 2}}), 0b100};
  const AffineLayout b = {*LL::fromBases({{"y", {{0, 1}, {1, 0}, {2, 1}}}}, {{"r", 4}, {"c", 2}}),
                          0b011};
  const Result<AffineLayout> c = a.invertAndCompose(b);
  ASSERT_TRUE(c) << c.error().message;
  for (uint64_t x = 0; x < 4; ++x)
    EXPECT_EQ(a.apply(x), b.apply(c->apply(x)));
  EXPECT_FALSE(AffineLayout({LL::identity1D(2, "x", "o"), 0})
                   .invertAndCompose({LL::zeros1D(2, "y", "o", 2), 1}));
}

TEST(Affine, AppliesByName) {
  EXPECT_EQ(*xorWith(5, "x", "y").apply(LL::NamedValues{{"x", 6}}), (LL::NamedValues{{"y", 3}}));
}

TEST(Affine, FitsReversal) {
  const Result<AffineFit> fit = fitAffine({{"x", 3}}, {"y", 3}, [](uint64_t x) { return 7 - x; });
  ASSERT_TRUE(fit && *fit);
  EXPECT_EQ(*fit->affine, xorWith(7, "x", "y"));
}

TEST(Affine, RefutesWithTwoInputs) {
  const auto plusFour = [](uint64_t x) { return x + 4; };
  const Result<AffineFit> fit = fitAffine({{"x", 3}}, {"y", 4}, plusFour);
  EXPECT_TRUE(fit && *fit) << "the carry out of bit 2 is bit 2 itself";
  const auto plusOne = [](uint64_t x) { return x + 1; };
  const Result<AffineFit> no = fitAffine({{"x", 3}}, {"y", 4}, plusOne);
  ASSERT_TRUE(no);
  ASSERT_FALSE(*no);
  const uint64_t a = no->counterexample->a, b = no->counterexample->b;
  EXPECT_EQ(a & b, 0u);
  EXPECT_NE(plusOne(0) ^ plusOne(a) ^ plusOne(b) ^ plusOne(a | b), 0u);
}

TEST(Affine, TooLargeTablesAreErrors) {
  EXPECT_FALSE(fitAffine({{"x", 25}}, {"y", 25}, [](uint64_t x) { return x; }));
  EXPECT_FALSE(fitAffine({{"x", 2}}, {"y", 1}, [](uint64_t x) { return x; }));
}
