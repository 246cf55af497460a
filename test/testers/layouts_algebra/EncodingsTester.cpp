// Random encodings against a second derivation that knows no layouts: integer division
// and remainder on coordinates, as a kernel would compute them.
#include "RandomLayouts.h"
#include "layout_port/layouts/Encodings.h"

#include <gtest/gtest.h>

using namespace layout_port;

namespace {

PerDim randomSizes(RandomLayouts &random, size_t rank, uint64_t maxLog) {
  PerDim sizes;
  for (size_t d = 0; d < rank; ++d)
    sizes.push_back(uint64_t(1) << random.below(maxLog + 1));
  return sizes;
}

PerDim randomOrder(RandomLayouts &random, size_t rank) {
  PerDim order;
  for (size_t d = 0; d < rank; ++d)
    order.push_back(d);
  return random.shuffled(order);
}

// The coordinates of `index` in a box of these sizes, counted along `order`.
PerDim unravel(uint64_t index, const PerDim &sizes, const PerDim &order) {
  PerDim coordinates(sizes.size(), 0);
  for (const uint64_t dim : order) {
    coordinates[dim] = index % sizes[dim];
    index /= sizes[dim];
  }
  return coordinates;
}

uint64_t product(const PerDim &sizes) {
  uint64_t total = 1;
  for (const uint64_t size : sizes)
    total *= size;
  return total;
}

std::string describe(const PerDim &sizes) {
  std::string text;
  for (const uint64_t size : sizes)
    text += " " + std::to_string(size);
  return text;
}

} // namespace

// Thread tile, lane, warp and repetition each are a mixed-radix number along the order;
// the coordinate is taken modulo the tensor's size where the tile is larger.
TEST(Encodings, BlockedByDivision) {
  for (uint64_t seed = 0; seed < 4000; ++seed) {
    RandomLayouts random(seed);
    const size_t rank = 1 + random.below(3);
    const BlockedEncoding e = {randomSizes(random, rank, 2),
                               randomSizes(random, rank, 3),
                               randomSizes(random, rank, 2),
                               randomOrder(random, rank),
                               {}};
    const PerDim shape = randomSizes(random, rank, 6);
    const Result<LinearLayout> layout = toLinearLayout({e}, shape);
    ASSERT_TRUE(layout) << layout.error().message;
    const uint64_t inThread = product(e.sizePerThread);
    PerDim tile(rank), repeats(rank);
    for (size_t d = 0; d < rank; ++d) {
      tile[d] = e.sizePerThread[d] * e.threadsPerWarp[d] * e.warpsPerCta[d];
      repeats[d] = std::max<uint64_t>(1, shape[d] / tile[d]);
    }
    ASSERT_EQ(layout->inSize("register"), inThread * product(repeats));
    for (int i = 0; i < 8; ++i) {
      const uint64_t reg = random.below(layout->inSize("register"));
      const uint64_t lane = random.below(layout->inSize("lane"));
      const uint64_t warp = random.below(layout->inSize("warp"));
      const PerDim inner = unravel(reg % inThread, e.sizePerThread, e.order);
      const PerDim outer = unravel(reg / inThread, repeats, e.order);
      const PerDim lanes = unravel(lane, e.threadsPerWarp, e.order);
      const PerDim warps = unravel(warp, e.warpsPerCta, e.order);
      const auto got =
          layout->apply({{"register", reg}, {"lane", lane}, {"warp", warp}, {"block", 0}});
      ASSERT_TRUE(got);
      for (size_t d = 0; d < rank; ++d) {
        const uint64_t want =
            inner[d] +
            e.sizePerThread[d] *
                (lanes[d] + e.threadsPerWarp[d] * (warps[d] + e.warpsPerCta[d] * outer[d]));
        ASSERT_EQ((*got)[d].second, want % shape[d]) << "seed " << seed << describe(shape);
      }
    }
  }
}

// Offset o of a swizzled tile: row o / columns, and column o % columns XOR vec * phase.
TEST(Encodings, SwizzledByDivision) {
  for (uint64_t seed = 0; seed < 4000; ++seed) {
    RandomLayouts random(seed);
    const PerDim shape = randomSizes(random, 2, 7);
    const PerDim order = randomOrder(random, 2);
    const SwizzledSharedEncoding e = {uint64_t(1) << random.below(4),
                                      uint64_t(1) << random.below(3),
                                      uint64_t(1) << random.below(4),
                                      order,
                                      {}};
    const Result<LinearLayout> layout = toLinearLayout({e}, shape);
    ASSERT_TRUE(layout) << layout.error().message;
    ASSERT_TRUE(layout->isInvertible());
    const uint64_t columns = shape[order[0]];
    for (int i = 0; i < 8; ++i) {
      const uint64_t offset = random.below(product(shape));
      const uint64_t row = offset / columns;
      const uint64_t phase = row / e.perPhase % e.maxPhase;
      const LinearLayout::Basis got = layout->splitOut(layout->apply(offset));
      ASSERT_EQ(got[order[1]], row);
      ASSERT_EQ(got[order[0]], (offset % columns) ^ (e.vec * phase % columns)) << "seed " << seed;
    }
  }
}

// Every matrix encoding covers exactly its shape, each register, lane and warp count is
// what the parameters say, and a slice is its parent without a dim.
TEST(Encodings, MatrixFamiliesCoverTheShape) {
  for (uint64_t seed = 0; seed < 500; ++seed) {
    RandomLayouts random(seed);
    const size_t rank = 2 + random.below(2);
    const PerDim warps = randomSizes(random, rank, 1);
    const PerDim shape = randomSizes(random, rank, 7);
    std::vector<Encoding> parents;
    parents.push_back({NvidiaMmaEncoding{2, {16, 8}, warps, {}}});
    for (const PerDim &instr : {PerDim{32, 32, 8}, PerDim{16, 16, 16}, PerDim{4, 4, 4},
                                PerDim{64, 4, 4}, PerDim{4, 64, 4}}) {
      AmdMfmaEncoding e;
      e.instrShape = instr;
      e.isTransposed = instr[0] == 64 || random.coin();
      e.warpsPerCta = warps;
      e.tilesPerWarp = randomSizes(random, rank, 1);
      parents.push_back({e});
    }
    for (uint64_t version = 1; version <= 3; ++version)
      parents.push_back({AmdWmmaEncoding{version, random.coin(), warps, {16, 16, 16}, {}}});
    for (const Encoding &parent : parents) {
      const auto shared = std::make_shared<const Encoding>(parent);
      const uint64_t lanes = std::holds_alternative<AmdMfmaEncoding>(parent.params) ? 64 : 32;
      const uint64_t kWidth = uint64_t(1) << random.below(4);
      for (const Encoding &e :
           {parent, Encoding{DotOperandEncoding{shared, random.below(2), kWidth}}}) {
        const Result<LinearLayout> layout = toLinearLayout(e, shape);
        ASSERT_TRUE(layout) << familyName(parent) << ": " << layout.error().message << ", seed "
                            << seed;
        ASSERT_TRUE(layout->isSurjective());
        ASSERT_EQ(layout->inSize("lane"), lanes);
        ASSERT_EQ(layout->inSize("warp"), product(warps));
        for (size_t d = 0; d < rank; ++d)
          ASSERT_EQ(layout->outs()[d].size(), shape[d]);
      }
      const uint64_t dim = random.below(rank);
      PerDim rest = shape, full = shape;
      rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(dim));
      full[dim] = 1;
      const Result<LinearLayout> slice = toLinearLayout({SliceEncoding{shared, dim}}, rest);
      const Result<LinearLayout> whole = toLinearLayout(parent, full);
      ASSERT_TRUE(slice && whole);
      ASSERT_EQ(slice->columns().size(), whole->removeZeroBases("register")->columns().size());
      ASSERT_EQ(slice->columns(), whole->removeZeroBases("register")->columns())
          << "dropping a dim of size 1 changes no bits";
    }
  }
}
