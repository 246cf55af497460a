// Plans lowered to instructions: what they compute, word by word, and that there are as
// many as the plan's cost says.
#include "RandomLayouts.h"

#include "layout_port/layouts/Convert.h"
#include "layout_port/layouts/WordProgram.h"

#include <gtest/gtest.h>

using namespace layout_port;
using layout_port::testing::RandomLayouts;

namespace {

constexpr uint64_t kSeed = 31;

// Every slot's bits: a value that tells elements of this width apart as well as it can.
uint32_t slotValue(int64_t slot, int slotBits) {
  const uint64_t mixed = static_cast<uint64_t>(slot + 1) * 0x9E3779B97F4A7C15u >> 20;
  return static_cast<uint32_t>(mixed & f2::lowMask(slotBits));
}

ThreadWords packed(const Contents &contents, const ConversionPlan &plan) {
  ThreadWords words;
  const int halves = plan.slotsPerElement();
  for (const auto &registers : contents) {
    words.emplace_back((registers.size() * halves + plan.slotsPerWord() - 1) / plan.slotsPerWord());
    for (size_t r = 0; r < registers.size(); ++r)
      for (int half = 0; half < halves; ++half) {
        const size_t slot = r * halves + half;
        words.back()[slot / plan.slotsPerWord()] |=
            slotValue(registers[r] * halves + half, plan.slotBits)
            << slot % plan.slotsPerWord() * plan.slotBits;
      }
  }
  return words;
}

} // namespace

TEST(WordProgramTester, ComputesWhatThePlanSaysAtItsPrice) {
  RandomLayouts random(kSeed);
  constexpr isa::Arch archs[] = {isa::Arch::Gfx90a, isa::Arch::Gfx942, isa::Arch::Gfx950,
                                 isa::Arch::Gfx11};
  for (int run = 0; run < 3000; ++run) {
    const isa::Arch arch = archs[random.below(4)];
    const int lanes = arch == isa::Arch::Gfx11 ? 5 : 6, bits = 4 << random.below(5);
    const int logical = lanes + random.below(5);
    const bool permutation = random.oneIn(2);
    const LinearLayout src = random.surjective(logical, logical - lanes, lanes, 0, permutation);
    const LinearLayout dst = random.surjective(logical, logical - lanes, lanes, 0, permutation);
    const std::string seed = "seed " + std::to_string(kSeed) + " run " + std::to_string(run) +
                             " bits " + std::to_string(bits) + " " + isa::archName(arch) +
                             "\nsrc\n" + src.toString() + "dst\n" + dst.toString();
    const Result<ConversionPlan> plan = planInsideWave(src, dst, bits, arch);
    ASSERT_TRUE(plan) << plan.error().message << seed;
    const Result<WordProgram> program = lowerToWords(*plan);
    ASSERT_TRUE(program) << program.error().message << seed;

    const ThreadWords got =
        layout_port::run(*program, packed(contentsOf(src, plan->waveSize), *plan));
    const ThreadWords want = packed(contentsOf(dst, plan->waveSize), *plan);
    const uint32_t used =
        static_cast<uint32_t>(f2::lowMask(std::min(32, plan->slotBits << plan->destSlotBits)));
    for (size_t t = 0; t < want.size(); ++t)
      for (size_t w = 0; w < want[t].size(); ++w)
        ASSERT_EQ(got[t][w] & used, want[t][w]) << "thread " << t << " word " << w << seed;

    int selects = 0, moves = 0;
    for (const WordOp &op : program->ops)
      (op.kind == WordOp::Kind::Move || op.kind == WordOp::Kind::Swap ? moves : selects) += 1;
    EXPECT_EQ(moves, plan->cost.moves) << seed;
    if (bits >= 8) {
      EXPECT_EQ(selects, plan->cost.selects) << seed;
    }
    EXPECT_TRUE(hipText(*program, "convert"));
  }
}
