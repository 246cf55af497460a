// Facts about LinearLayout that a person can check by hand.
#include "layout_port/layouts/LinearLayout.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace layout_port;
using LL = LinearLayout;
using testing::ElementsAre;

namespace {

LL layout(const LL::NamedBases &bases, const LL::NamedSizes &outs) {
  const Result<LL> made = LL::fromBases(bases, outs);
  EXPECT_TRUE(made) << made.error().message;
  return made ? *made : LL();
}

LL id(uint64_t size, const char *in, const char *out) { return LL::identity1D(size, in, out); }

} // namespace

TEST(LinearLayout, TheTutorialTile) {
  const LL tile =
      layout({{"register", {{0, 1}, {1, 0}}}, {"lane", {{0, 2}, {0, 4}, {2, 0}, {4, 0}}}},
             {{"row", 8}, {"col", 8}});
  EXPECT_EQ(*tile.apply({{"register", 3}, {"lane", 5}}), (LL::NamedValues{{"row", 3}, {"col", 3}}));
  EXPECT_TRUE(tile.isInvertible());
}

TEST(LinearLayout, BitsOfDimsLieMinorToMajor) {
  const LL tile =
      layout({{"register", {{0, 1}}}, {"lane", {{1, 0}, {2, 1}}}}, {{"m", 4}, {"n", 2}});
  EXPECT_EQ(tile.columns(), (f2::Columns{0b100, 0b001, 0b110}));
  EXPECT_EQ(tile.inOffset("lane"), 1);
  EXPECT_EQ(tile.outOffset("n"), 2);
  EXPECT_THAT(tile.basis("lane", 1), ElementsAre(2, 1));
  EXPECT_EQ(tile.basis("lane", 1, "m"), 2u);
}

TEST(LinearLayout, InverseUndoes) {
  const LL tile = layout({{"i", {{1}, {3}}}}, {{"o", 4}});
  const Result<LL> inverse = tile.invert();
  ASSERT_TRUE(inverse);
  EXPECT_EQ(*inverse, layout({{"o", {{1}, {3}}}}, {{"i", 4}}));
  EXPECT_TRUE(tile.compose(*inverse)->isIdentity());
}

TEST(LinearLayout, ProductAppendsSharedDims) {
  EXPECT_EQ(id(4, "i", "o") * id(2, "i", "o"), id(8, "i", "o"));
  EXPECT_EQ(id(4, "i", "o1") * id(8, "i", "o2"),
            layout({{"i", {{1, 0}, {2, 0}, {0, 1}, {0, 2}, {0, 4}}}}, {{"o1", 4}, {"o2", 8}}));
}
