// Where to put a tile's elements: numbers of the literature on CuTe swizzles, and the
// tiles that no CuTe swizzle solves.
#include "layout_port/layouts/TileSwizzle.h"

#include <gtest/gtest.h>

using namespace layout_port;
using cute::Swizzle;

// 32 banks of 4 bytes, floats: 32 units one by one, or 8 units of 4.
static SwizzleTile byFloat(int64_t rows, int64_t cols) { return {rows, cols, cols, 1, 32}; }
static SwizzleTile byFloat4(int64_t rows, int64_t cols) { return {rows, cols, cols, 4, 8}; }

static int64_t passesWith(const SwizzleTile &tile, const Swizzle &swizzle) {
  return tilePasses(tile, *swizzledOffsets(tile, swizzle))->columns;
}

static TileSwizzle solved(const SwizzleTile &tile) {
  const Result<TileSwizzle> result = solveTileSwizzle(tile);
  EXPECT_TRUE(result) << result.error().message;
  const Result<bool> check = checkTileOffsets(tile, result->offsets, 1);
  EXPECT_TRUE(check) << check.error().message;
  EXPECT_EQ(result->after.columns, 1);
  return *result;
}

TEST(TileSwizzle, ATile32x64ReadByColumn) {
  EXPECT_EQ(passesWith(byFloat(32, 64), Swizzle{0, 0, 1}), 32);
  EXPECT_EQ(passesWith(byFloat(32, 64), Swizzle{5, 0, 6}), 1);
  EXPECT_EQ(passesWith(byFloat4(32, 64), Swizzle{0, 2, 1}), 8);
  EXPECT_EQ(passesWith(byFloat4(32, 64), Swizzle{3, 2, 4}), 1);
}

TEST(TileSwizzle, ATile32x48NeedsAnotherSwizzle) {
  EXPECT_EQ(passesWith(byFloat4(32, 48), Swizzle{0, 2, 1}), 4);
  EXPECT_EQ(passesWith(byFloat4(32, 48), Swizzle{3, 2, 4}), 2);
  EXPECT_EQ(passesWith(byFloat4(32, 48), Swizzle{2, 2, 3}), 1);
}

TEST(TileSwizzle, ATile32x40IsNotSolvedByThatOne) {
  EXPECT_EQ(passesWith(byFloat4(32, 40), Swizzle{2, 2, 3}), 2);
  const TileSwizzle result = solved(byFloat4(32, 40));
  EXPECT_EQ(result.before.columns, 2);
  EXPECT_EQ(result.cute->toString(), "Sw<1,2,3> o 0 o (32,40):(40,1)");
}

TEST(TileSwizzle, TheSearchFindsTheSwizzlesOfTheLiterature) {
  EXPECT_EQ(solved(byFloat(32, 64)).cute->toString(), "Sw<5,0,6> o 0 o (32,64):(64,1)");
  EXPECT_EQ(solved(byFloat4(32, 64)).cute->toString(), "Sw<3,2,4> o 0 o (32,64):(64,1)");
  EXPECT_EQ(solved(byFloat4(32, 48)).cute->toString(), "Sw<2,2,3> o 0 o (32,48):(48,1)");
  EXPECT_EQ(solved({64, 64, 64, 8, 8}).cute->toString(), "Sw<3,3,3> o 0 o (64,64):(64,1)");
}

TEST(TileSwizzle, UnusualTilesAreSolvedWithinTheirFootprint) {
  for (const SwizzleTile &tile : std::vector<SwizzleTile>{{8, 24, 24, 1, 8},
                                                          {8, 24, 24, 1, 32},
                                                          {8, 24, 24, 4, 8},
                                                          {8, 9, 9, 1, 8},
                                                          {8, 9, 9, 1, 32},
                                                          {8, 4, 4, 1, 8},
                                                          {8, 4, 4, 1, 32},
                                                          {8, 4, 4, 4, 8},
                                                          {64, 36, 36, 1, 32},
                                                          {64, 36, 36, 2, 16},
                                                          {64, 33, 36, 4, 8},
                                                          {16, 20, 24, 4, 8},
                                                          {5, 7, 48, 2, 16},
                                                          {24, 24, 24, 1, 6},
                                                          {30, 30, 30, 1, 12},
                                                          {32, 12, 12, 3, 4}})
    EXPECT_EQ(solved(tile).footprint, tile.rows * tile.stride)
        << tile.rows << "x" << tile.cols << " stride " << tile.stride;
}

TEST(TileSwizzle, NothingIsChangedWhereNothingIsWrong) {
  const TileSwizzle result = solved({8, 9, 9, 1, 8});
  EXPECT_EQ(result.kind, TileSwizzleKind::Swizzle);
  EXPECT_EQ(result.cute->toString(), "(8,9):(9,1)");
  EXPECT_EQ(result.formula, "row*9 + col");
}

TEST(TileSwizzle, VectorsOfThreeAreXored) {
  const TileSwizzle result = solved({32, 12, 12, 3, 4});
  EXPECT_EQ(result.kind, TileSwizzleKind::Xor);
  EXPECT_FALSE(result.cute);
  EXPECT_EQ(result.formula, "row*12 + (col/3 ^ row%4)*3 + col%3");
}

TEST(TileSwizzle, SixBanksAreServedByRotation) {
  const TileSwizzle result = solved({24, 24, 24, 1, 6});
  EXPECT_EQ(result.kind, TileSwizzleKind::RowPermutation);
  EXPECT_EQ(result.formula, "row*24 + (col + row%6)%24");
  EXPECT_EQ(result.offsets[1 * 24 + 23], 24 + 0);
}

TEST(TileSwizzle, RowsThatAreNoWholeVectorsArePadded) {
  const TileSwizzle result = solved({8, 9, 9, 4, 8});
  EXPECT_EQ(result.kind, TileSwizzleKind::Padding);
  EXPECT_EQ(result.cute->toString(), "(8,9):(12,1)");
  // 8 units wide and 8 rows: one unit more makes the banks differ.
  EXPECT_EQ(solved({8, 31, 31, 4, 8}).cute->toString(), "(8,31):(36,1)");
}

TEST(TileSwizzle, TheFormOfCuTeIsTheTable) {
  for (const SwizzleTile &tile : std::vector<SwizzleTile>{
           byFloat(32, 64), byFloat4(32, 48), {8, 9, 9, 4, 8}, {8, 24, 24, 1, 8}}) {
    const TileSwizzle result = solved(tile);
    ASSERT_TRUE(result.cute);
    for (int64_t row = 0; row < tile.rows; ++row)
      for (int64_t col = 0; col < tile.stride; ++col)
        EXPECT_EQ(*result.cute->apply(std::vector<cute::IntTuple>{row, col}),
                  result.offsets[row * tile.stride + col]);
  }
}

TEST(TileSwizzle, TheCheckerSeesMistakes) {
  const SwizzleTile tile = byFloat4(32, 64);
  std::vector<int64_t> offsets = solved(tile).offsets;
  EXPECT_FALSE(checkTileOffsets(tile, offsets, 2));
  std::swap(offsets[0], offsets[1]); // within a vector
  EXPECT_FALSE(checkTileOffsets(tile, offsets, 1));
  offsets[0] = offsets[2];
  EXPECT_FALSE(checkTileOffsets(tile, offsets, 1));
  offsets.pop_back();
  EXPECT_FALSE(checkTileOffsets(tile, offsets, 1));
}

TEST(TileSwizzle, TheBankMapOfTheHeader) {
  const SwizzleTile tile = byFloat4(3, 48);
  const std::string map = *bankMap(tile, *swizzledOffsets(tile, Swizzle{2, 2, 3}));
  EXPECT_EQ(map, "0 1 2 3 4 5 6 7 1 0 3 2\n"
                 "5 4 7 6 2 3 0 1 6 7 4 5\n"
                 "3 2 1 0 7 6 5 4 0 1 2 3\n");
}

TEST(TileSwizzle, BadTilesAreErrors) {
  EXPECT_FALSE(solveTileSwizzle({0, 4, 4, 1, 8}));
  EXPECT_FALSE(solveTileSwizzle({8, 8, 4, 1, 8}));
  EXPECT_FALSE(solveTileSwizzle({8, 8, 8, 0, 8}));
  EXPECT_FALSE(solveTileSwizzle({8, 8, 8, 1, 0}));
  EXPECT_FALSE(solveTileSwizzle({1 << 17, 8, 8, 1, 32}));
  EXPECT_FALSE(bestTileSwizzle({8, 9, 9, 3, 8}));
}
