// Random tiles against the definition: every solution is a placement of all elements
// that reads any column in one pass, and costs no memory unless it must.
#include "layout_port/layouts/TileSwizzle.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

using namespace layout_port;

namespace {

constexpr unsigned seed = 20261122;
constexpr int runs = 4000;

SwizzleTile randomTile(std::mt19937 &rng) {
  static const int64_t vectors[] = {1, 1, 2, 4, 4, 8, 3}, units[] = {4, 8, 8, 16, 32, 32, 6, 12};
  SwizzleTile tile;
  tile.vector = vectors[rng() % std::size(vectors)];
  tile.bankUnits = units[rng() % std::size(units)];
  tile.rows = 1 + rng() % 40;
  tile.stride = rng() % 3 ? tile.vector * (1 + rng() % 24) : 1 + rng() % 80;
  tile.cols = tile.stride - rng() % std::min<int64_t>(tile.stride, 3);
  return tile;
}

// One pass: the units of one column in a phase, modulo the banks, are all different.
bool readsInOnePass(const SwizzleTile &tile, const std::vector<int64_t> &offsets) {
  for (int64_t col = 0; col < tile.stride; col += tile.vector)
    for (int64_t start = 0; start < tile.rows; start += tile.bankUnits) {
      std::set<int64_t> banks;
      const int64_t end = std::min(tile.rows, start + tile.bankUnits);
      for (int64_t row = start; row < end; ++row)
        banks.insert(offsets[row * tile.stride + col] / tile.vector % tile.bankUnits);
      if (static_cast<int64_t>(banks.size()) != end - start)
        return false;
    }
  return true;
}

} // namespace

TEST(TileSwizzleTester, EveryTileIsSolved) {
  std::mt19937 rng(seed);
  int kinds[4] = {};
  for (int run = 0; run < runs; ++run) {
    const SwizzleTile tile = randomTile(rng);
    SCOPED_TRACE("seed " + std::to_string(seed) + ": " + std::to_string(tile.rows) + "x" +
                 std::to_string(tile.cols) + " stride " + std::to_string(tile.stride) + " vector " +
                 std::to_string(tile.vector) + " units " + std::to_string(tile.bankUnits));
    const Result<TileSwizzle> result = solveTileSwizzle(tile);
    ASSERT_TRUE(result) << result.error().message;
    ++kinds[static_cast<int>(result->kind)];
    const Result<bool> check = checkTileOffsets(tile, result->offsets, 1);
    ASSERT_TRUE(check) << check.error().message;
    ASSERT_TRUE(readsInOnePass(tile, result->offsets));
    if (result->kind == TileSwizzleKind::Padding)
      ASSERT_NE(tile.stride % tile.vector, 0);
    else
      ASSERT_EQ(result->footprint, tile.rows * tile.stride);
    if (result->kind == TileSwizzleKind::Swizzle)
      ASSERT_EQ(result->after.rows, 1);
  }
  for (const int count : kinds)
    EXPECT_GT(count, 0);
}
