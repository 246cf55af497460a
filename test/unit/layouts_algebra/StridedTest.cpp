// When integer address arithmetic is a layout.
#include "layout_port/layouts/Strided.h"

#include <gtest/gtest.h>

using namespace layout_port;

static StridedMap map(uint64_t base, std::vector<StridedField> fields, int width = 64) {
  return {base, std::move(fields), width};
}

static StridedField field(const char *name, int bits, int64_t stride) {
  return StridedField::ofStride(name, bits, stride);
}

// The verdict, checked against every input.
static bool isAffine(const StridedMap &m) {
  const Result<AffineFit> fit = stridedToAffine(m, "address");
  EXPECT_TRUE(fit) << fit.error().message;
  int bits = 0;
  for (const LayoutDim &dim : m.dims())
    bits += dim.bits;
  if (*fit) {
    for (uint64_t x = 0; x < uint64_t(1) << bits; ++x)
      EXPECT_EQ(fit->affine->apply(x), m.apply(x)) << x;
  } else {
    const uint64_t a = fit->counterexample->a, b = fit->counterexample->b;
    EXPECT_EQ(a & b, 0u);
    EXPECT_NE(m.apply(0) ^ m.apply(a) ^ m.apply(b) ^ m.apply(a | b), 0u);
  }
  return bool(*fit);
}

TEST(Strided, DisjointBitsNeverCarry) {
  EXPECT_TRUE(isAffine(map(0, {field("col", 5, 2), field("row", 3, 64)})));
  EXPECT_TRUE(isAffine(map(1 << 20, {field("col", 5, 2), field("row", 3, 64)})));
}

TEST(Strided, StridesThatAreNoPowerOfTwoCarry) {
  EXPECT_FALSE(isAffine(map(0, {field("row", 2, 48)})));
  EXPECT_TRUE(isAffine(map(0, {field("row", 1, 48)}))) << "one bit: only two values";
}

TEST(Strided, APaddedRowIsLinearOnlyWhereThePaddingDoesNotMeetTheColumns) {
  // 72 = 64 + 8: bit 3 of the row's stride meets the column.
  EXPECT_FALSE(isAffine(map(0, {field("col", 6, 1), field("row", 3, 72)})));
  // Column vectors of one bit above the padding, rows that stay below the carry.
  EXPECT_TRUE(isAffine(map(0, {field("col", 3, 1), field("row", 1, 72)})));
}

TEST(Strided, AConstantThatMeetsABitCarriesTheBitItself) {
  EXPECT_TRUE(isAffine(map(64, {field("x", 1, 64)})));
  EXPECT_FALSE(isAffine(map(64, {field("x", 2, 64)})));
  EXPECT_TRUE(isAffine(map(3, {field("x", 1, 1)})));
}

TEST(Strided, CountingDownIsXor) {
  EXPECT_TRUE(isAffine(map(7, {field("x", 3, -1)})));
  EXPECT_FALSE(isAffine(map(8, {field("x", 3, -1)})));
}

TEST(Strided, TruncationForgivesTheLastCarry) {
  const auto twice = [](int width) { return map(0, {field("x", 1, 8), field("y", 1, 8)}, width); };
  EXPECT_FALSE(isAffine(twice(5)));
  EXPECT_TRUE(isAffine(twice(4)));
}

TEST(Strided, TheOutDimIsAsWideAsTheValuesNeed) {
  const Result<AffineFit> fit = stridedToAffine(map(0, {field("x", 3, 2)}), "o");
  ASSERT_TRUE(fit && *fit);
  EXPECT_EQ(fit->affine->linear, *LinearLayout::fromBases({{"x", {{2}, {4}, {8}}}}, {{"o", 16}}));
}

TEST(Strided, PaddingAfterEveryInterval) {
  // 32 elements, 8 more after every 8: rows of 16.
  const StridedMap m = map(0, {StridedField::padded("x", 5, 1, 8, 8)});
  EXPECT_EQ(m.apply(7), 7u);
  EXPECT_EQ(m.apply(8), 16u);
  EXPECT_EQ(m.apply(31), 55u);
  EXPECT_TRUE(isAffine(m));
  EXPECT_FALSE(isAffine(map(0, {StridedField::padded("x", 5, 1, 8, 4)})));
}

TEST(Strided, BadMapsAreErrors) {
  EXPECT_FALSE(stridedToAffine(map(0, {field("x", 1, 1), field("x", 1, 2)}), "o"));
  EXPECT_FALSE(stridedToAffine(map(0, {field("x", 65, 0)}), "o"));
  EXPECT_FALSE(stridedToAffine(map(0, {}, 0), "o"));
}
