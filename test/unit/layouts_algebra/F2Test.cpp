// Linear algebra over F2 by hand-sized examples.
#include "layout_port/layouts/F2.h"

#include <gtest/gtest.h>

using namespace layout_port;
using f2::Columns;

//     | 1 0 1 0 |
// M = | 0 1 1 0 |   columns 0b01, 0b10, 0b11, 0b00
static const Columns m = {0b01, 0b10, 0b11, 0b00};

TEST(F2, AppliesColumnByColumn) {
  EXPECT_EQ(f2::apply(m, 0b0101), 0b10u);
  EXPECT_EQ(f2::apply(m, 0b10000), 0u) << "bits without a column are ignored";
  EXPECT_EQ(f2::multiply({0b10, 0b01}, m), (Columns{0b10, 0b01, 0b11, 0}));
  EXPECT_EQ(f2::transpose(m, 2), (Columns{0b0101, 0b0110}));
}

TEST(F2, LowColumnsAreThePivots) {
  EXPECT_EQ(f2::rank(m), 2);
  EXPECT_EQ(f2::pivots(m), 0b0011u);
  EXPECT_EQ(f2::pivots({0, 0b11, 0b11, 0b01}), 0b1010u);
}

TEST(F2, SolutionsUsePivotsOnly) {
  EXPECT_EQ(f2::solve(m, 0b11), 0b0011u);
  EXPECT_EQ(f2::solve({0b100}, 0b001), std::nullopt);
}

TEST(F2, TheLightestSolutionMayUseFreeVariables) {
  EXPECT_EQ(f2::solveMinWeight(m, 0b11), 0b0100u);
  EXPECT_EQ(f2::minWeightRightInverse({0b11, 0b01, 0b10}, 2), (Columns{0b010, 0b100}));
  EXPECT_EQ(f2::minWeightRightInverse({0b11}, 2), std::nullopt);
  EXPECT_EQ(f2::solveMinWeight({0b01, 0b01}, 0b01), 0b01u) << "of equals, the lowest";
}

TEST(F2, KernelAndImage) {
  EXPECT_EQ(f2::kernel(m), (Columns{0b0111, 0b1000}));
  EXPECT_EQ(f2::image({0b11, 0b11, 0b10}), (Columns{0b11, 0b10}));
  EXPECT_EQ(f2::reducedBasis({0b11, 0b10}), (Columns{0b01, 0b10}));
}

TEST(F2, Intersection) {
  EXPECT_EQ(f2::intersection({0b001, 0b010}, {0b011, 0b100}), (Columns{0b011}));
  EXPECT_EQ(f2::intersection({0b001}, {0b010}), (Columns{}));
}

TEST(F2, CommonComplementOfTwoLinesInThePlane) {
  EXPECT_EQ(f2::commonComplement({0b01}, {0b10}, 2), (Columns{0b11}));
  EXPECT_EQ(f2::commonComplement({0b01}, {0b01}, 2), (Columns{0b10}));
  EXPECT_EQ(f2::commonComplement({}, {}, 2), (Columns{0b01, 0b10}));
}

TEST(F2, CommonComplementOfUnequalSpacesAvoidsBoth) {
  // Only bits outside the larger space are left.
  EXPECT_EQ(f2::commonComplement({0b001}, {0b001, 0b010}, 3), (Columns{0b100}));
}

TEST(F2, SixtyFourBits) {
  const uint64_t top = uint64_t(1) << 63;
  Columns identity;
  for (int i = 0; i < 64; ++i)
    identity.push_back(uint64_t(1) << i);
  EXPECT_EQ(f2::rank(identity), 64);
  EXPECT_EQ(f2::solve(identity, top | 1), top | 1);
  EXPECT_TRUE(f2::kernel(identity).empty());
  EXPECT_EQ(f2::lowMask(64), ~uint64_t(0));
}
