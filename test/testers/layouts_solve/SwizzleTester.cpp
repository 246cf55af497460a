// Random swizzles: wherever the layout is free, no conflict at the widest vectors, by
// enumeration of the addresses of every lane.
#include "RandomLayouts.h"

#include "layout_port/layouts/Swizzle.h"

#include <gtest/gtest.h>

using namespace layout_port;
using layout_port::testing::RandomLayouts;

namespace {
constexpr uint64_t kSeed = 7;
constexpr isa::Arch kArchs[] = {isa::Arch::Gfx908, isa::Arch::Gfx90a, isa::Arch::Gfx942,
                                isa::Arch::Gfx950};
} // namespace

TEST(SwizzleTester, FreeLayoutsAreFreeOfConflicts) {
  RandomLayouts random(kSeed);
  int solved = 0;
  for (int run = 0; solved < 10000; ++run) {
    ASSERT_LT(run, 20000);
    const isa::Arch arch = kArchs[random.below(4)];
    const int lanes = random.oneIn(4) ? 4 + random.below(3) : 6;
    const int logical = lanes + 1 + random.below(4);
    const int warps = random.below(2);
    const int bits = 4 << random.below(5);
    const bool permutation = random.oneIn(2);
    const int registers = std::max(0, logical - lanes - warps) + random.below(2);
    const LinearLayout src = random.surjective(logical, registers, lanes, warps, permutation);
    const LinearLayout dst = random.surjective(logical, registers, lanes, warps, permutation);
    const std::string seed = "seed " + std::to_string(kSeed) + " run " + std::to_string(run) +
                             " bits " + std::to_string(bits) + " " + isa::archName(arch) +
                             "\nsrc\n" + src.toString() + "dst\n" + dst.toString();
    const Result<SwizzleSolution> solution = solveSwizzle(src, dst, bits, arch);
    if (!solution) { // only elements of less than a byte can lack a vector
      ASSERT_LT(bits, 8) << solution.error().message << seed;
      continue;
    }
    ++solved;
    const Result<bool> right = checkSwizzle(*solution, src, dst, bits, arch);
    ASSERT_TRUE(right) << right.error().message << "\n" << seed << solution->memory.toString();
    ASSERT_EQ(solution->write.passes, solution->write.lowerBound) << seed;
    ASSERT_EQ(solution->read.passes, solution->read.lowerBound) << seed;
  }
}

// Contiguous copies: rows of a tile fetched by global_load_lds, read in any permutation.
// The elements of a lane's copy must be neighbours; the read stays free of conflicts.
TEST(SwizzleTester, ContiguousWritesLeaveTheReadFreeOfConflicts) {
  RandomLayouts random(kSeed + 1);
  int solved = 0;
  for (int run = 0; run < 800; ++run) {
    const isa::Arch arch = kArchs[random.below(4)];
    const int bits = 8 << random.below(4), lanes = 6;
    const int logical = lanes + 2 + random.below(4);
    const bool permutation = random.oneIn(2);
    const LinearLayout src = random.surjective(logical, logical - lanes, lanes, 0, permutation);
    const LinearLayout dst = random.surjective(logical, logical - lanes, lanes, 0, permutation);
    SwizzleOptions options;
    options.contiguousWrites = true;
    const Result<SwizzleSolution> solution = solveSwizzle(src, dst, bits, arch, options);
    if (!solution)
      continue;
    ++solved;
    const std::string seed = "seed " + std::to_string(kSeed + 1) + " run " + std::to_string(run) +
                             "\nsrc\n" + src.toString() + "dst\n" + dst.toString();
    const Result<bool> right = checkSwizzle(*solution, src, dst, bits, arch);
    ASSERT_TRUE(right) << right.error().message << "\n" << seed << solution->memory.toString();
    ASSERT_EQ(solution->read.passes, solution->read.lowerBound) << seed;
  }
  EXPECT_GT(solved, 200);
}
