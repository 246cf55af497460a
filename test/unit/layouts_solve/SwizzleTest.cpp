// Facts about memory layouts that a person can check by hand.
#include "layout_port/layouts/Swizzle.h"

#include <gtest/gtest.h>

using namespace layout_port;
using LL = LinearLayout;

namespace {

constexpr isa::Arch kMi300 = isa::Arch::Gfx942, kMi350 = isa::Arch::Gfx950;

// Lane l of 64 holds 2^registers columns of row l: f32, row-major.
LL rows(int registers) {
  return LL::identity1D(uint64_t(1) << registers, "register", "col") *
         LL::identity1D(64, "lane", "row");
}

// Lane l holds 2^registers rows of column l.
LL columns(int registers) {
  const LL layout = LL::identity1D(uint64_t(1) << registers, "register", "row") *
                    LL::identity1D(64, "lane", "col");
  return *layout.transposeOuts({"col", "row"});
}

} // namespace

// 64 x 64 f32, written by rows and read by columns: no two elements are registers of one
// lane on both sides, so one side moves single words. The other can still be wide.
TEST(Swizzle, ATransposeHasNoConflicts) {
  const Result<SwizzleSolution> s = solveSwizzle(rows(6), columns(6), 32, kMi300);
  ASSERT_TRUE(s) << s.error().message;
  EXPECT_TRUE(checkSwizzle(*s, rows(6), columns(6), 32, kMi300));
  EXPECT_EQ(s->write.passes, s->write.lowerBound);
  EXPECT_EQ(s->read.passes, s->read.lowerBound);
  EXPECT_EQ(s->read.vectorBits, 128); // columns hold 4 rows, which rows() holds in 4 lanes
}

// Without a swizzle the same tile is read by 64 lanes in one bank each half wave.
TEST(Swizzle, RowMajorIsThirtyTwoWayByColumn) {
  const LL rowMajor = LL::identity1D(4096, "offset", "flat");
  const Result<LL> memory = rowMajor.reshapeOuts({{"col", 64}, {"row", 64}});
  ASSERT_TRUE(memory);
  SwizzleOptions word;
  word.writeVectorBits = word.readVectorBits = 32;
  const Result<SwizzleSolution> s =
      priceMemoryLayout(*memory, rows(6), columns(6), 32, kMi300, word);
  ASSERT_TRUE(s) << s.error().message;
  EXPECT_EQ(s->write.passes, 64); // every lane a row: one bank
  EXPECT_EQ(s->read.passes, 2);   // neighbours: a half wave a pass
  EXPECT_TRUE(checkSwizzle(*s, rows(6), columns(6), 32, kMi300));
}

TEST(Swizzle, TheSameLayoutOnBothSidesIsWide) {
  for (const isa::Arch arch : {kMi300, kMi350}) {
    const Result<SwizzleSolution> s = solveSwizzle(rows(3), rows(3), 16, arch);
    ASSERT_TRUE(s) << s.error().message;
    EXPECT_EQ(s->write.instruction, "ds_write_b128");
    EXPECT_EQ(s->read.instruction, "ds_read_b128");
    EXPECT_EQ(s->write.passes, 8);                     // 8 lanes a phase
    EXPECT_EQ(s->read.passes, arch == kMi350 ? 4 : 8); // 16 lanes on gfx950
    EXPECT_TRUE(checkSwizzle(*s, rows(3), rows(3), 16, arch));
  }
}

TEST(Swizzle, WidthsCanBeFixed) {
  SwizzleOptions options;
  options.writeVectorBits = 32;
  const Result<SwizzleSolution> s = solveSwizzle(rows(3), rows(3), 16, kMi300, options);
  ASSERT_TRUE(s) << s.error().message;
  EXPECT_EQ(s->write.vectorBits, 32);
  EXPECT_EQ(s->read.vectorBits, 128);
  EXPECT_TRUE(checkSwizzle(*s, rows(3), rows(3), 16, kMi300));
  options.writeVectorBits = 256;
  EXPECT_FALSE(solveSwizzle(rows(3), rows(3), 16, kMi300, options));
  options = {};
  options.ldsBytes = 512;
  EXPECT_FALSE(solveSwizzle(rows(3), rows(3), 16, kMi300, options));
}

TEST(Swizzle, TheCheckerRefusesWrongClaims) {
  const Result<SwizzleSolution> s = solveSwizzle(rows(4), columns(4), 32, kMi300);
  EXPECT_FALSE(s); // 64 rows of 16 columns and 16 rows of 64 columns: not the same tile
  const Result<SwizzleSolution> right = solveSwizzle(rows(6), columns(6), 32, kMi300);
  ASSERT_TRUE(right);
  const auto refused = [&](auto change) {
    SwizzleSolution wrong = *right;
    change(wrong);
    return !checkSwizzle(wrong, rows(6), columns(6), 32, kMi300);
  };
  EXPECT_TRUE(refused([](SwizzleSolution &s) { s.read.passes /= 2; }));
  EXPECT_TRUE(refused([](SwizzleSolution &s) { s.write.lowerBound += 1; }));
  EXPECT_TRUE(refused([](SwizzleSolution &s) { s.write.instructions /= 2; }));
  EXPECT_TRUE(refused([](SwizzleSolution &s) {
    s.memory = LL::zeros1D(4096, "offset", "col", 64) * LL::zeros1D(1, "offset", "row", 64);
  }));
}
