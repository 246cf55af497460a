// Random gathers: what is called legal works for random indices; what is refused is
// refused because some element really lies in another wave.
#include "RandomLayouts.h"

#include "layout_port/layouts/Gather.h"

#include <gtest/gtest.h>

#include <set>

using namespace layout_port;
using layout_port::testing::RandomLayouts;

namespace {

constexpr uint64_t kSeed = 99;

// Does the wave of every thread of the index hold the whole axis for its coordinates?
bool heldByOwnWave(const LinearLayout &src, const LinearLayout &index, int axisBits) {
  const Contents held = contentsOf(src, 64), wanted = contentsOf(index, 64);
  for (size_t wave = 0; wave * 64 < wanted.size(); ++wave) {
    std::set<int64_t> elements;
    for (size_t t = wave * 64; t < wave * 64 + 64 && t < held.size(); ++t)
      elements.insert(held[t].begin(), held[t].end());
    for (size_t t = wave * 64; t < wave * 64 + 64; ++t)
      for (const int64_t element : wanted[t])
        for (int64_t a = 0; a < int64_t(1) << axisBits; ++a)
          if (!elements.count((element >> axisBits << axisBits) | a))
            return false;
  }
  return true;
}

} // namespace

TEST(GatherTester, LegalExactlyWhenTheWaveHoldsTheAxis) {
  RandomLayouts random(kSeed);
  int legal = 0;
  for (int run = 0; run < 2000; ++run) {
    const int axisBits = 1 + random.below(3), warps = random.below(2);
    const int lanes = 4 + random.below(3), logical = lanes + warps + random.below(3);
    const int registers = logical - lanes - warps + random.below(2);
    const auto made = [&] {
      const LinearLayout flat = random.surjective(logical, registers, lanes, warps, true);
      return *flat.reshapeOuts(
          {{"axis", uint64_t(1) << axisBits}, {"row", uint64_t(1) << (logical - axisBits)}});
    };
    const LinearLayout src = made();
    const LinearLayout index = random.oneIn(2) ? src : made();
    const Result<GatherPlan> plan = planGather(src, index, "axis", isa::Arch::Gfx942);
    const std::string seed = "seed " + std::to_string(kSeed) + " run " + std::to_string(run) +
                             "\nsrc\n" + src.toString() + "index\n" + index.toString();
    ASSERT_EQ(plan.ok(), heldByOwnWave(src, index, axisBits)) << plan.error().message << seed;
    if (!plan)
      continue;
    ++legal;
    std::vector<std::vector<uint64_t>> indices(uint64_t(64) << warps);
    for (auto &thread : indices)
      for (uint64_t r = 0; r < index.inSize("register"); ++r)
        thread.push_back(random.below(1 << axisBits));
    const Result<bool> right = checkGather(*plan, src, index, "axis", indices);
    ASSERT_TRUE(right) << right.error().message << seed;
  }
  EXPECT_GT(legal, 100);
}
