// Random conversions, each executed lane by lane and its instructions checked.
#include "RandomLayouts.h"

#include "layout_port/layouts/Convert.h"

#include <gtest/gtest.h>

using namespace layout_port;
using layout_port::testing::RandomLayouts;

namespace {

constexpr uint64_t kSeed = 20240611;
constexpr isa::Arch kArchs[] = {isa::Arch::Gfx908, isa::Arch::Gfx90a, isa::Arch::Gfx942,
                                isa::Arch::Gfx950, isa::Arch::Gfx11,  isa::Arch::Gfx12,
                                isa::Arch::Nvidia};

std::string describeCase(const LinearLayout &src, const LinearLayout &dst, int bits, int run) {
  return "seed " + std::to_string(kSeed) + " run " + std::to_string(run) + " bits " +
         std::to_string(bits) + "\nsrc\n" + src.toString() + "dst\n" + dst.toString();
}

} // namespace

TEST(ConvertTester, RandomConversionsInsideAWave) {
  RandomLayouts random(kSeed);
  for (int run = 0; run < 6000; ++run) {
    const isa::Arch arch = kArchs[random.below(7)];
    const int wave = isa::archInfo(arch).waveSize == 64 ? 6 : 5;
    const int lanes = random.oneIn(4) ? 1 + random.below(wave) : wave;
    const int bits = 4 << random.below(5);
    const int logical = std::max(1, lanes + random.below(5) - random.below(2));
    const bool permutation = random.oneIn(2);
    const int srcRegisters = std::max(0, logical - lanes) + (random.oneIn(3) ? random.below(2) : 0);
    const LinearLayout src = random.surjective(logical, srcRegisters, lanes, 0, permutation);
    const LinearLayout dst = random.oneIn(4)
                                 ? random.any(logical, random.below(5), random.below(wave + 1), 0)
                                 : random.surjective(logical, srcRegisters, lanes, 0, permutation);
    const Result<ConversionPlan> plan = planInsideWave(src, dst, bits, arch);
    ASSERT_TRUE(plan) << plan.error().message << describeCase(src, dst, bits, run);
    const Result<bool> right = checkConversion(*plan, src, dst);
    ASSERT_TRUE(right) << right.error().message << describeCase(src, dst, bits, run);
  }
}

// The chosen plan and, where there is one, the plan through LDS; data may cross waves.
TEST(ConvertTester, RandomConversionsOfABlock) {
  RandomLayouts random(kSeed + 1);
  int throughLds = 0;
  for (int run = 0; run < 6000; ++run) {
    const isa::Arch arch = kArchs[random.below(7)];
    const int wave = isa::archInfo(arch).waveSize == 64 ? 6 : 5;
    const int lanes = random.oneIn(4) ? 3 + random.below(wave - 2) : wave;
    const int warps = random.below(2);
    const int bits = 4 << random.below(5);
    const int logical = lanes + warps + random.below(4);
    const bool permutation = random.oneIn(2);
    const int registers = logical - lanes - warps + (random.oneIn(3) ? 1 : 0);
    const LinearLayout src = random.surjective(logical, registers, lanes, warps, permutation);
    const LinearLayout dst =
        random.oneIn(4)
            ? random.any(logical, random.below(4), random.below(lanes + 1), random.below(2))
            : random.surjective(logical, registers, lanes, warps, permutation);
    const Result<ConversionPlan> chosen = planConversion(src, dst, bits, arch);
    ASSERT_TRUE(chosen) << chosen.error().message << describeCase(src, dst, bits, run);
    const Result<ConversionPlan> lds = planThroughLds(src, dst, bits, arch);
    ASSERT_TRUE(lds) << lds.error().message << describeCase(src, dst, bits, run);
    throughLds += chosen->kind == PlanKind::Lds;
    for (const ConversionPlan *plan : {&*chosen, &*lds}) {
      const Result<bool> right = checkConversion(*plan, src, dst);
      ASSERT_TRUE(right) << right.error().message << describeCase(src, dst, bits, run);
      EXPECT_GE(lds->cost.cycles, chosen->cost.cycles);
    }
  }
  EXPECT_GT(throughLds, 0);
}
