// One layout, and functions of layouts: worked numbers of CuTe's documentation
// (01_layout.md, 02_layout_algebra.md) and corner cases of its unit tests.
#include "Eval.h"

#include <gtest/gtest.h>

using namespace layout_port;
using namespace layout_port::cute;

TEST(CuteLayout, SizeCosizeRankAndDepth) {
  const std::string layout = "(4,(2,2)):(1,(8,32))";
  EXPECT_EQ(eval("size", {layout}), "16");
  EXPECT_EQ(eval("cosize", {layout}), "44");
  EXPECT_EQ(eval("rank", {layout}), "2");
  EXPECT_EQ(eval("depth", {layout}), "2");
  EXPECT_EQ(eval("depth", {"4:1"}), "0");
  EXPECT_EQ(eval("depth", {"(4):(1)"}), "1");
  EXPECT_EQ(eval("size", {layout, "1", "0"}), "2");
  EXPECT_EQ(eval("get", {layout, "1"}), "(2,2):(8,32)");
  // The largest distance from offset 0 counts, also backwards.
  EXPECT_EQ(eval("cosize", {"4:-2"}), "7");
}

TEST(CuteLayout, MapsIndicesAndCoordinates) {
  // Row (2,3) of the documentation's example: index 17, (1,2), ((1,0),2), ... agree.
  EXPECT_EQ(eval("apply", {"(4,(2,2)):(2,(1,8))", "6"}), "5");
  EXPECT_EQ(eval("apply", {"(4,(2,2)):(2,(1,8))", "2", "1"}), "5");
  EXPECT_EQ(eval("apply", {"(4,(2,2)):(2,(1,8))", "(2,(1,0))"}), "5");
  EXPECT_EQ(eval("crd2idx", {"(1,2)", "(3,(2,3))"}), "7");
  EXPECT_EQ(eval("crd2idx", {"(1,(0,1))", "(3,(2,3))"}), "7");
  EXPECT_EQ(eval("crd2idx", {"16", "(3,(2,3))", "(3,(12,1))"}), "17");
  EXPECT_EQ(eval("crd2idx", {"(1,(1,2))", "(3,(2,3))", "(3,(12,1))"}), "17");
  EXPECT_EQ(eval("idx2crd", {"16", "(3,(2,3))"}), "(1,(1,2))");
  // The last mode is open.
  EXPECT_EQ(eval("apply", {"(4,2):(1,100)", "11"}), "203");
  EXPECT_EQ(eval("idx2crd", {"11", "(4,2)"}), "(3,2)");
  EXPECT_TRUE(isError(eval("apply", {"(4,2):(1,100)", "(1,2,3)"})));
  EXPECT_TRUE(isError(eval("apply", {"(4,2):(1,100)", "((1,2),3)"})));
}

TEST(CuteTuple, ProductsAndQuotients) {
  EXPECT_EQ(eval("product", {"(2,(3,4))"}), "24");
  EXPECT_EQ(eval("product_each", {"(2,(3,4))"}), "(2,12)");
  EXPECT_EQ(eval("inner_product", {"((2,3),4)", "((2,1),2)"}), "15");
  EXPECT_EQ(eval("prefix_product", {"((2,3,4),5,(6))"}), "((1,2,6),24,(120))");
  EXPECT_EQ(eval("prefix_product", {"((2,3),4)", "(5,7)"}), "((5,10),7)");
  EXPECT_EQ(eval("shape_div", {"((4,5),6)", "40"}), "((1,1),3)");
  EXPECT_EQ(eval("shape_div", {"(8,6)", "(2,3)"}), "(4,2)");
  EXPECT_TRUE(isError(eval("shape_div", {"8", "3"})));
  EXPECT_TRUE(isError(eval("inner_product", {"(2,3)", "2"})));
}

TEST(CuteLayout, IndicesOfOffsetsInACompactLayout) {
  EXPECT_EQ(eval("idx2crd", {"5", "(4,2):(2,1)"}), "(2,1)");
  EXPECT_EQ(eval("idx2crd", {"5", "(4,2)", "(2,1)"}), "(2,1)");
  EXPECT_TRUE(isError(eval("idx2crd", {"5", "(4,2)", "(2,0)"})));
  EXPECT_EQ(eval("get_hier_coord", {"(2,(2,3)):(6,(3,1))", "11"}), "(1,(1,2))");
  EXPECT_EQ(eval("get_flat_coord", {"(2,(2,3)):(6,(3,1))", "11"}), "(1,5)");
  EXPECT_EQ(eval("get_1d_coord", {"(2,(2,3)):(6,(3,1))", "10"}), "7");
}

TEST(CuteLayout, SlicesKeepWhatIsMarked) {
  EXPECT_EQ(eval("slice", {"(_,(1,_))", "(4,(2,3)):(6,(3,1))"}), "(4,3):(6,1)");
  EXPECT_EQ(eval("apply", {"(4,(2,3)):(6,(3,1))", "2", "(1,_)"}), "(3):(1)");
  EXPECT_EQ(eval("apply", {"(4,(2,3)):(6,(3,1))", "_", "1"}), "(4):(6)");
  EXPECT_EQ(eval("apply", {"(4,(2,3)):(6,(3,1))", "_"}), "(4,(2,3)):(6,(3,1))");
  EXPECT_EQ(eval("dice", {"(_,(1,_))", "(4,(2,3)):(6,(3,1))"}), "(2):(3)");
  EXPECT_TRUE(isError(eval("slice", {"(_,_,_)", "(4,(2,3)):(6,(3,1))"})));
  EXPECT_TRUE(isError(eval("slice", {"(1,2)", "(4,(2,3)):(6,(3,1))"})));
}

TEST(CuteCoalesce, MergesNeighboursThatContinue) {
  EXPECT_EQ(eval("coalesce", {"(2,(1,6)):(1,(6,2))"}), "12:1");
  EXPECT_EQ(eval("coalesce", {"(2,(1,6)):(1,(6,2))", "(1,1)"}), "(2,6):(1,2)");
  EXPECT_EQ(eval("coalesce", {"((2,2),(2,2)):((1,4),(8,32))"}), "(2,4,2):(1,4,32)");
  EXPECT_EQ(eval("coalesce", {"1:5"}), "1:0");
  EXPECT_EQ(eval("coalesce", {"(2,3):(0,0)"}), "6:0");
  EXPECT_EQ(eval("coalesce", {"(4,(2,2)):(1,(4,8))", "(1)"}), "(4,(2,2)):(1,(4,8))");
  EXPECT_TRUE(isError(eval("coalesce", {"(4,2):(1,4)", "(1,1,1)"})));
}

TEST(CuteFilter, DropsBroadcasts) {
  EXPECT_EQ(eval("filter", {"(2,(4,6)):(0,(1,0))"}), "4:1");
  EXPECT_EQ(eval("filter", {"(2,(4,6)):(0,(1,0))", "(1,1)"}), "(1,4):(0,1)");
  EXPECT_EQ(eval("filter_zeros", {"(2,(4,6)):(0,(1,0))"}), "(1,(4,1)):(0,(1,0))");
}

TEST(CuteComposition, WorkedNumbersOfTheDocumentation) {
  EXPECT_EQ(eval("composition", {"(6,2):(8,2)", "(4,3):(3,1)"}), "((2,2),3):((24,2),8)");
  EXPECT_EQ(eval("composition", {"20:2", "(5,4):(4,1)"}), "(5,4):(8,2)");
  EXPECT_EQ(eval("composition", {"(10,2):(16,4)", "(5,4):(1,5)"}), "(5,(2,2)):(16,(80,4))");
  EXPECT_EQ(eval("composition", {"(12,(4,8)):(59,(13,1))", "<3:4,8:2>"}), "(3,(2,4)):(236,(26,1))");
  EXPECT_EQ(eval("composition", {"(12,(4,8)):(59,(13,1))", "(3,8)"}), "(3,(4,2)):(59,(13,1))");
}

TEST(CuteComposition, KeepsTheTreeOfTheSecond) {
  EXPECT_EQ(eval("composition", {"(8,8):(8,1)", "((2,2,2),(2,2,2)):((1,16,4),(8,2,32))"}),
            "((2,2,2),(2,2,2)):((8,2,32),(1,16,4))");
  EXPECT_EQ(eval("composition", {"4:1", "(4):(1)"}), "(4):(1)");
}

TEST(CuteComposition, TheLastModeIsOpen) {
  EXPECT_EQ(eval("composition", {"(4,3):(3,1)", "24:1"}), "(4,6):(3,1)");
  // A last mode 1:0 makes what follows repeat.
  EXPECT_EQ(eval("composition", {"(4,3,1):(3,1,0)", "24:1"}), "(4,3,2):(3,1,0)");
}

TEST(CuteComposition, RefusesWhatStridesCannotExpress) {
  // 0,3,6,9 in rows of 8 is not a layout; CuTe's static_assert says so too.
  EXPECT_TRUE(isError(eval("composition", {"(8,8):(8,1)", "4:3"})));
  EXPECT_TRUE(isError(eval("composition", {"(4,6,8):(1,4,7)", "6:1"})) == false);
  // Up to the end of the row it is one.
  EXPECT_EQ(eval("composition", {"(8,8):(8,1)", "3:3"}), "3:24");
  // CuTe computes (3,2):(24,1) here, whose element 3 is 1; but A(9) = 9.
  EXPECT_TRUE(isError(eval("composition", {"(8,8):(8,1)", "6:3"})));
  EXPECT_TRUE(isError(eval("composition", {"(4,2):(1,100)", "(2,2):(1,3)"})));
}

TEST(CuteComposition, GoesBackwardsWithNegativeStrides) {
  EXPECT_EQ(eval("composition", {"4:-1", "4:-1"}), "4:1");
  EXPECT_EQ(eval("composition", {"(1,(2,4)):(0,(-1,512))", "4:-1"}), "(2,2):(1,-512)");
}

TEST(CuteComplement, WorkedNumbersOfTheDocumentation) {
  EXPECT_EQ(eval("complement", {"4:1", "24"}), "6:4");
  EXPECT_EQ(eval("complement", {"6:4", "24"}), "4:1");
  EXPECT_EQ(eval("complement", {"(4,6):(1,4)", "24"}), "1:0");
  EXPECT_EQ(eval("complement", {"4:2", "24"}), "(2,3):(1,8)");
  EXPECT_EQ(eval("complement", {"(2,4):(1,6)", "24"}), "3:2");
  EXPECT_EQ(eval("complement", {"(2,2):(1,6)", "24"}), "(3,2):(2,12)");
}

TEST(CuteComplement, CornerCases) {
  EXPECT_EQ(eval("complement", {"4:0", "8"}), "8:1");
  EXPECT_EQ(eval("complement", {"1:2", "5"}), "5:1");
  EXPECT_EQ(eval("complement", {"4:2"}), "2:1");
  EXPECT_EQ(eval("complement", {"4:2", "19"}), "(2,3):(1,8)");
  // A shape as target is filled mode by mode.
  EXPECT_EQ(eval("complement", {"64:1", "(32,4,4)"}), "8:64");
  EXPECT_TRUE(isError(eval("complement", {"((2,2),(2,2)):((1,8),(8,4))"})));
  EXPECT_TRUE(isError(eval("complement", {"(2,2):(2,3)", "19"})));
  EXPECT_TRUE(isError(eval("complement", {"4:-1"})));
}

TEST(CuteInverse, RightInverseFollowsContiguousModes) {
  EXPECT_EQ(eval("right_inverse", {"(8,4):(4,1)"}), "(4,8):(8,1)");
  EXPECT_EQ(eval("right_inverse", {"(2,4,6):(4,1,8)"}), "(4,2,6):(2,1,8)");
  EXPECT_EQ(eval("right_inverse", {"(4,2):(1,16)"}), "4:1");
  EXPECT_EQ(eval("right_inverse", {"4:2"}), "1:0");
  EXPECT_EQ(eval("right_inverse", {"(2,4):(0,1)"}), "4:2");
}

TEST(CuteInverse, LeftInverseReadsDigits) {
  EXPECT_EQ(eval("left_inverse", {"(8,4):(4,1)"}), "(4,8):(8,1)");
  EXPECT_EQ(eval("left_inverse", {"(4,2):(1,16)"}), "(16,2):(1,4)");
  EXPECT_EQ(eval("left_inverse", {"(4,2):(1,5)"}), "(5,2):(1,4)");
  EXPECT_EQ(eval("left_inverse", {"4:2"}), "(2,4):(0,1)");
  EXPECT_TRUE(isError(eval("left_inverse", {"4:-1"})));
  EXPECT_TRUE(isError(eval("left_inverse", {"(2,2):(2,3)"})));
  // (3,1) and (0,4) are both 3, and 6 = (1,3) has no digit 2 in its last place.
  EXPECT_TRUE(isError(eval("left_inverse", {"(2,5):(3,1)"})));
}

TEST(CuteInverse, NullspaceIsTheBroadcast) {
  EXPECT_EQ(eval("nullspace", {"(2,2,2):(0,0,0)"}), "(2,2,2):(1,2,4)");
  EXPECT_EQ(eval("nullspace", {"(7,5,16):(3,1,0)"}), "16:35");
  EXPECT_EQ(eval("nullspace", {"(4,2):(1,4)"}), "1:0");
}

TEST(CuteWidth, UpcastAndDowncast) {
  EXPECT_EQ(eval("upcast", {"(4,8):(1,4)", "2"}), "(2,8):(1,2)");
  EXPECT_EQ(eval("upcast", {"(4,8):(8,1)", "16"}), "(2,1):(1,1)");
  EXPECT_EQ(eval("downcast", {"(4,8):(1,4)", "2"}), "(8,8):(1,8)");
  EXPECT_EQ(eval("recast", {"(4,8):(1,4)", "16", "32"}), "(2,8):(1,2)");
  EXPECT_EQ(eval("recast", {"(4,8):(1,4)", "32", "16"}), "(8,8):(1,8)");
  EXPECT_TRUE(isError(eval("upcast", {"(4,8):(1,6)", "4"})));
  EXPECT_TRUE(isError(eval("downcast", {"4:2", "2"})));
  EXPECT_TRUE(isError(eval("upcast", {"4:1", "0"})));
}

TEST(CuteCommon, VectorsThatBothLayoutsHold) {
  EXPECT_EQ(eval("max_common_vector", {"(4,6):(1,4)", "(4,6):(1,8)"}), "4");
  EXPECT_EQ(eval("max_common_vector", {"(8,8):(8,1)", "(8,8):(8,1)"}), "64");
  EXPECT_EQ(eval("max_common_vector", {"(8,8):(8,1)", "(8,8):(1,8)"}), "1");
  EXPECT_EQ(eval("max_common_layout", {"(8,8):(8,1)", "(8,8):(16,1)"}), "8:8");
  EXPECT_EQ(eval("max_alignment", {"(8,8):(16,1)"}), "8");
}
