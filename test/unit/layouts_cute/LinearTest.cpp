// CuTe layouts as F2 matrices, and back.
#include "Eval.h"

#include <gtest/gtest.h>

using namespace layout_port;
using namespace layout_port::cute;

static Result<LinearLayout> linear(const std::string &text) {
  return cuteToLinear(*parseFunction(text));
}

TEST(CuteLinear, DisjointColumnsAreTheMatrix) {
  const Result<LinearLayout> matrix = linear("(4,4):(4,1)");
  ASSERT_TRUE(matrix);
  EXPECT_EQ(matrix->columns(), (f2::Columns{4, 8, 1, 2}));
  EXPECT_EQ(matrix->inNames(), LinearLayout::Names{"index"});
  EXPECT_EQ(matrix->outNames(), LinearLayout::Names{"offset"});
  EXPECT_EQ(matrix->outSize("offset"), 16u);
}

TEST(CuteLinear, OddStridesAreLinearWhereTheyNeverCarry) {
  EXPECT_EQ(linear("(2,2):(5,2)")->columns(), (f2::Columns{5, 2}));
  EXPECT_EQ(linear("(2,4):(0,1)")->columns(), (f2::Columns{0, 1, 2}));
}

TEST(CuteLinear, ACarryIsACounterexample) {
  const Result<LinearLayout> refused = linear("(4,2):(1,3)");
  ASSERT_FALSE(refused);
  EXPECT_NE(
      refused.error().message.find("x = 4, y = 1: f(x^y) = 4, but f(x)^f(y)^f(0) = 3^1^0 = 2"),
      std::string::npos)
      << refused.error().message;
  EXPECT_FALSE(linear("4:3"));
  EXPECT_FALSE(linear("(2,2):(1,1)"));
}

TEST(CuteLinear, OtherSizesAreNamed) {
  const Result<LinearLayout> refused = linear("(4,3):(1,4)");
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message.find("size 12"), std::string::npos);
}

TEST(CuteLinear, ASwizzleMultipliesOnTheLeft) {
  // Sw<1,0,2>: bit 2 into bit 0.
  EXPECT_EQ(linear("Sw<1,0,2> o 0 o (4,4):(1,4)")->columns(), (f2::Columns{1, 2, 5, 8}));
  EXPECT_EQ(linear("Sw<1,0,-2> o 0 o (4,4):(1,4)")->columns(), (f2::Columns{5, 2, 4, 8}));
}

TEST(CuteLinear, SwizzlesThatCuTeForbidsAreLinearWhileTheyAreBijections) {
  const Layout layout = *parseLayout("8:1");
  // S = 1 < B = 2: bits 1 and 2 into bits 0 and 1.
  EXPECT_EQ(cuteToLinear(Composed{Swizzle{2, 0, 1}, 0, layout})->columns(), (f2::Columns{1, 3, 6}));
  // S = 0 would clear bits, and hide carries that matter: 1 + 1 + 2 = 4.
  EXPECT_FALSE(cuteToLinear(Composed{Swizzle{1, 1, 0}, 0, *parseLayout("(2,2,2):(1,1,2)")}));
}

TEST(CuteLinear, OffsetsAreAffineWhileNothingCarries) {
  const Result<CuteAffine> affine = cuteToAffine(*parseFunction("Sw<1,0,2> o 16 o (4,4):(1,4)"));
  ASSERT_TRUE(affine);
  EXPECT_EQ(affine->constant, 16u);
  EXPECT_EQ(affine->matrix.columns(), (f2::Columns{1, 2, 5, 8}));
  EXPECT_FALSE(linear("Sw<1,0,2> o 16 o (4,4):(1,4)")); // f(0) is not 0
  EXPECT_FALSE(cuteToAffine(*parseFunction("Sw<1,0,2> o 1 o (4,4):(1,4)")));
  // 7 - x is 7 ^ x.
  EXPECT_EQ(cuteToAffine(*parseFunction("Sw<1,0,3> o 7 o 8:-1"))->constant, 7u);
  EXPECT_FALSE(linear("8:-1"));
}

TEST(CuteLinear, BackToCute) {
  for (const std::string text : {"(4,4):(4,1)", "8:1", "(2,4):(0,1)", "1:0", "Sw<1,0,2> o 0 o 16:1",
                                 "Sw<2,1,3> o 0 o (8,8):(8,1)"}) {
    const Result<Function> back = linearToCute(*linear(text));
    ASSERT_TRUE(back) << text << ": " << back.error().message;
    EXPECT_EQ(linear(back->toString())->columns(), linear(text)->columns()) << back->toString();
  }
  EXPECT_EQ(linearToCute(*linear("Sw<2,1,3> o 0 o (8,8):(8,1)"))->toString(),
            "Sw<2,1,3> o 0 o (8,8):(8,1)");
}

TEST(CuteLinear, InDimsBecomeModes) {
  const auto map = LinearLayout::fromBases({{"register", {{8}}}, {"lane", {{1}, {2}, {4}}}},
                                           LinearLayout::NamedSizes{{"offset", 16}});
  EXPECT_EQ(linearToCute(*map)->toString(), "(2,8):(8,1)");
}

TEST(CuteLinear, NotEveryMatrixIsALayout) {
  // Bit 0 goes everywhere: no run of bits can undo it.
  const auto map = LinearLayout::fromColumns({{"i", 4}}, {{"o", 4}}, {15, 3, 5, 9});
  EXPECT_FALSE(linearToCute(*map));
}
