// Divides, products and thread-value layouts: worked numbers of 02_layout_algebra.md.
#include "Eval.h"

#include <gtest/gtest.h>

using namespace layout_port;
using namespace layout_port::cute;

TEST(CuteDivide, ByALayout) {
  EXPECT_EQ(eval("logical_divide", {"(4,2,3):(2,1,8)", "4:2"}), "((2,2),(2,3)):((4,1),(2,8))");
  EXPECT_EQ(eval("logical_divide", {"6:1", "2:3"}), "(2,3):(3,1)");
  EXPECT_EQ(eval("flat_divide", {"(4,6):(1,4)", "2:1"}), "(2,12):(1,2)");
}

TEST(CuteDivide, ByModeInFourForms) {
  const std::string layout = "(9,(4,8)):(59,(13,1))", tiler = "<3:3,(2,4):(1,8)>";
  EXPECT_EQ(eval("logical_divide", {layout, tiler}),
            "((3,3),((2,4),(2,2))):((177,59),((13,2),(26,1)))");
  EXPECT_EQ(eval("zipped_divide", {layout, tiler}),
            "((3,(2,4)),(3,(2,2))):((177,(13,2)),(59,(26,1)))");
  EXPECT_EQ(eval("tiled_divide", {layout, tiler}), "((3,(2,4)),3,(2,2)):((177,(13,2)),59,(26,1))");
  EXPECT_EQ(eval("flat_divide", {layout, tiler}), "(3,(2,4),3,(2,2)):(177,(13,2),59,(26,1))");
}

TEST(CuteDivide, ModesBeyondTheTilerStay) {
  EXPECT_EQ(eval("logical_divide", {"(4,6,3):(1,4,24)", "<2:1>"}), "((2,2),6,3):((1,2),4,24)");
  EXPECT_EQ(eval("zipped_divide", {"(4,6,3):(1,4,24)", "(2,3)"}),
            "((2,3),(2,2,3)):((1,4),(2,12,24))");
  EXPECT_EQ(eval("zipped_divide", {"8:1", "<2:1>"}), "((2),(4)):((1),(2))");
}

TEST(CuteDivide, UnevenTilesReachBeyondTheLayout) {
  // Four rows of 3 in tiles of 2: each row takes two tiles, the second one half empty.
  EXPECT_EQ(eval("logical_divide", {"(3,4):(1,100)", "2:1"}), "(2,(2,4)):(1,(2,100))");
  EXPECT_EQ(eval("logical_divide", {"10:1", "4:1"}), "(4,3):(1,4)");
  EXPECT_TRUE(isError(eval("logical_divide", {"(4,6):(1,4)", "<2,3,4>"})));
}

TEST(CuteProduct, ByALayout) {
  EXPECT_EQ(eval("logical_product", {"(2,2):(4,1)", "6:1"}), "((2,2),(2,3)):((4,1),(2,8))");
  EXPECT_EQ(eval("logical_product", {"(2,2):(4,1)", "(4,2):(2,1)"}), "((2,2),(4,2)):((4,1),(8,2))");
  EXPECT_EQ(eval("logical_product", {"4:1", "2"}), "(4,2):(1,4)");
}

TEST(CuteProduct, BlockedAndRaked) {
  // A 2x5 row-major block in a 3x4 column-major arrangement.
  EXPECT_EQ(eval("blocked_product", {"(2,5):(5,1)", "(3,4):(1,3)"}),
            "((2,3),(5,4)):((5,10),(1,30))");
  EXPECT_EQ(eval("raked_product", {"(2,5):(5,1)", "(3,4):(1,3)"}), "((3,2),(4,5)):((10,5),(30,1))");
  EXPECT_EQ(eval("blocked_product", {"4:1", "(3,4):(1,3)"}), "((4,3),(1,4)):((1,4),(0,12))");
  EXPECT_EQ(eval("blocked_product", {"4:1", "3:1"}), "((4,3)):((1,4))");
}

TEST(CuteProduct, ByModeInThreeForms) {
  const std::string block = "(4,6,3):(1,4,24)", tiler = "<2:1,3:1>";
  EXPECT_EQ(eval("zipped_product", {block, tiler}), "((4,6),(2,3,3)):((1,4),(4,1,24))");
  EXPECT_EQ(eval("tiled_product", {block, tiler}), "((4,6),2,3,3):((1,4),4,1,24)");
  EXPECT_EQ(eval("flat_product", {block, tiler}), "(4,6,2,3,3):(1,4,4,1,24)");
}

TEST(CuteProduct, TileToShape) {
  EXPECT_EQ(eval("tile_to_shape", {"(8,8):(8,1)", "(16,32)"}), "((8,2),(8,4)):((8,64),(1,128))");
  EXPECT_EQ(eval("tile_to_shape", {"(8,8):(8,1)", "(16,32)", "(2,1)"}),
            "((8,2),(8,4)):((8,256),(1,64))");
  EXPECT_EQ(eval("make_ordered_layout", {"(2,3,4)", "(3,1,2)"}), "(2,3,4):(12,1,3)");
  EXPECT_TRUE(isError(eval("tile_to_shape", {"(8,8):(8,1)", "(12,32)"})));
}

TEST(CuteThreadValue, WhereThreadsAndValuesLie) {
  // 4x8 threads row-major, each with a column of two: an 8x8 tile.
  EXPECT_EQ(eval("make_layout_tv", {"(4,8):(8,1)", "(2,1):(1,2)"}), "((8,4),2):((8,2),1)");
  EXPECT_EQ(eval("tiler_tv", {"(4,8):(8,1)", "(2,1):(1,2)"}), "(8,8)");
  // 32x8 threads, each with 4 consecutive values of a column: 128x8.
  EXPECT_EQ(eval("make_layout_tv", {"(32,8):(1,32)", "(4,1):(1,4)"}), "(256,4):(4,1)");
}
