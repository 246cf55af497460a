// Swizzles and swizzled layouts.
#include "Eval.h"

#include <gtest/gtest.h>

using namespace layout_port;
using namespace layout_port::cute;

TEST(CuteSwizzle, XorsHighBitsIntoLowOnes) {
  EXPECT_EQ(eval("apply", {"Sw<3,0,3>", "13"}), "12"); // 001 101 -> 001 100
  EXPECT_EQ(eval("apply", {"Sw<2,1,3>", "48"}), "54"); // 11 00 0 -> 11 11 0 (bits 4-5 into 1-2)
  EXPECT_EQ(eval("apply", {"Sw<2,0,-3>", "3"}), "27"); // 00 011 -> 11 011
  EXPECT_EQ(eval("apply", {"Sw<0,4,3>", "77"}), "77");
  EXPECT_TRUE(isError(eval("Sw<3,0,2>")));
  EXPECT_TRUE(isError(eval("Sw<-1,0,2>")));
}

TEST(CuteSwizzle, ComposedLayoutsApplyFromTheRight) {
  EXPECT_EQ(eval("apply", {"Sw<3,0,3> o 0 o (8,8):(8,1)", "5", "3"}), "46");
  EXPECT_EQ(eval("composition", {"Sw<2,0,-3>", "(8,8):(8,1)"}), "Sw<2,0,-3> o 0 o (8,8):(8,1)");
  EXPECT_EQ(eval("composition", {"Sw<0,4,3>", "(8,8):(8,1)"}), "(8,8):(8,1)");
  EXPECT_EQ(eval("composition", {"Sw<1,2,3>", "Sw<1,3,3>"}), "Sw<2,2,3>");
  EXPECT_TRUE(isError(eval("composition", {"Sw<1,2,3>", "Sw<1,3,4>"})));
}

TEST(CuteSwizzle, OperationsActOnTheInnerLayout) {
  const std::string tile = "Sw<3,3,3> o 0 o (8,64):(64,1)";
  EXPECT_EQ(eval("size", {tile}), "512");
  EXPECT_EQ(eval("cosize", {tile}), "512");
  EXPECT_EQ(eval("zipped_divide", {tile, "<4,8>"}),
            "Sw<3,3,3> o 0 o ((4,8),(2,8)):((64,1),(256,8))");
  EXPECT_EQ(eval("tile_to_shape", {tile, "(16,64)"}),
            "Sw<3,3,3> o 0 o ((8,2),(64,1)):((64,512),(1,0))");
  EXPECT_EQ(eval("upcast", {tile, "8"}), "Sw<3,0,3> o 0 o (8,8):(8,1)");
  EXPECT_EQ(eval("downcast", {tile, "2"}), "Sw<3,4,3> o 0 o (8,128):(128,1)");
  EXPECT_EQ(eval("max_common_vector", {tile, "(8,64):(64,1)"}), "8");
}

TEST(CuteSwizzle, ASwizzleMovesThroughALayout) {
  // Transposing the tile turns the shift round.
  EXPECT_EQ(eval("composition", {"(8,8):(8,1)", "Sw<2,0,-3> o 0 o (8,8):(8,1)"}),
            "Sw<2,0,3> o 0 o (8,8):(1,8)");
  EXPECT_EQ(eval("right_inverse", {"Sw<1,0,2> o 0 o (4,4):(4,1)"}), "Sw<1,0,-2> o 0 o (4,4):(4,1)");
  EXPECT_EQ(eval("left_inverse", {"Sw<1,0,1> o 0 o (4,4):(8,1)"}), "Sw<1,2,1> o 0 o (8,4):(4,1)");
  EXPECT_EQ(eval("right_inverse", {"Sw<1,0,2> o 3 o (4,4):(4,1)"}), "(4,4):(4,1) o -3 o Sw<1,0,2>");
  EXPECT_EQ(eval("logical_product", {"(2,2):(1,2)", "Sw<1,0,1> o 0 o (2,2):(2,1)"}),
            "Sw<1,2,1> o 0 o ((2,2),(2,2)):((1,2),(8,4))");
  // Tiles 4 apart: bits 4 and 2 of the tile are bits 6 and 4 of the offset.
  EXPECT_EQ(eval("logical_product", {"4:1", "Sw<1,2,2> o 0 o (8,4):(4,1)"}),
            "Sw<1,4,2> o 0 o (4,(8,4)):(1,(16,4))");
  // Bits 0 and 1 change places, so no Sw<2,..> does what Sw<2,0,2> did.
  EXPECT_TRUE(isError(eval("composition", {"(2,2,4):(2,1,4)", "Sw<2,0,2>"})));
}

TEST(CuteSwizzle, SlicesOfOneRowOrColumnArePlainLayouts) {
  EXPECT_EQ(eval("apply", {"Sw<3,0,3> o 0 o (8,8):(8,1)", "3", "_"}), "((4,2)):((-1,4))");
  EXPECT_EQ(eval("apply", {"Sw<3,0,3> o 0 o (8,8):(8,1)", "_", "5"}), "((2,2,2)):((7,18,28))");
  EXPECT_EQ(eval("apply", {"Sw<2,1,3> o 0 o ((2,2,2),(2,2,2)):((32,2,8),(4,1,16))", "1", "_"}),
            "((2,2,2)):((-4,1,18))");
  EXPECT_EQ(eval("apply", {"Sw<3,0,3> o 0 o (8,8):(8,1)", "_", "_"}),
            "Sw<3,0,3> o 0 o (8,8):(8,1)");
  // A slice that meets both bit fields stays swizzled.
  EXPECT_EQ(eval("apply", {"Sw<3,0,3> o 0 o (8,8,2):(8,1,64)", "_", "_", "1"}),
            "Sw<3,0,3> o 0 o (8,8):(8,1)");
}
