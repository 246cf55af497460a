// Facts about conversions that a person can check by hand.
#include "layout_port/layouts/Convert.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace layout_port;
using LL = LinearLayout;

namespace {

LL layout(const LL::NamedBases &bases, const LL::NamedSizes &outs) {
  const Result<LL> made = LL::fromBases(bases, outs);
  EXPECT_TRUE(made) << made.error().message;
  return made ? *made : LL();
}

ConversionPlan planned(const LL &src, const LL &dst, int bits, isa::Arch arch) {
  const Result<ConversionPlan> plan = planConversion(src, dst, bits, arch);
  EXPECT_TRUE(plan) << plan.error().message;
  if (!plan)
    return {};
  const Result<bool> right = checkConversion(*plan, src, dst);
  EXPECT_TRUE(right) << right.error().message;
  return *plan;
}

LL operand(const char *name, char which, isa::Arch arch) {
  const auto instruction = isa::findMatrixInstruction(name, arch);
  EXPECT_TRUE(instruction) << instruction.error().message;
  return *isa::operandLayout(**instruction, which);
}

constexpr isa::Arch kMi300 = isa::Arch::Gfx942, kMi350 = isa::Arch::Gfx950;

} // namespace

TEST(Convert, TheSameLayoutIsNothing) {
  const LL a = operand("v_mfma_f32_16x16x16_f16", 'A', kMi300);
  const ConversionPlan plan = planned(a, a, 16, kMi300);
  EXPECT_EQ(plan.kind, PlanKind::None);
  EXPECT_TRUE(plan.steps.empty());
}

TEST(Convert, RegistersInAnotherOrderAreOnlyRenamed) {
  const LL src = layout({{"register", {{1}, {2}}}, {"lane", {{4}, {8}}}}, {{"x", 16}});
  const LL dst = layout({{"register", {{2}, {1}}}, {"lane", {{4}, {8}}}}, {{"x", 16}});
  const ConversionPlan plan = planned(src, dst, 32, kMi300);
  EXPECT_EQ(plan.kind, PlanKind::Register);
  EXPECT_EQ(plan.cost.selects, 0);
}

TEST(Convert, ARegisterBitAndALaneBitSwapWithOneMoveAPair) {
  const LL src = layout({{"register", {{1}}}, {"lane", {{2}, {4}}}}, {{"x", 8}});
  const LL dst = layout({{"register", {{2}}}, {"lane", {{1}, {4}}}}, {{"x", 8}});
  const ConversionPlan plan = planned(src, dst, 32, kMi300);
  EXPECT_EQ(plan.kind, PlanKind::Wave);
  EXPECT_EQ(plan.cost.moves, 1);
}

TEST(Convert, LaneBitFiveSwapsByOneInstructionOnGfx950) {
  const LL src =
      layout({{"register", {{1}}}, {"lane", {{2}, {4}, {8}, {16}, {32}, {64}}}}, {{"x", 128}});
  const LL dst =
      layout({{"register", {{64}}}, {"lane", {{2}, {4}, {8}, {16}, {32}, {1}}}}, {{"x", 128}});
  const ConversionPlan plan = planned(src, dst, 32, kMi350);
  EXPECT_EQ(plan.cost.moves, 1);
  EXPECT_EQ(plan.cost.selects, 0);
  ASSERT_EQ(plan.steps.size(), 1u);
  EXPECT_TRUE(std::holds_alternative<SwapStep>(plan.steps[0]));
}

// The accumulator of an fp16 product lies as k0 | l0 l1 = k1 k2 | k3; fp8 operands want
// k0 k1 | l0 l1 = k2 k3: a rotation of one register bit and two lane bits.
TEST(Convert, TheThreeBitRotationOfFp8TakesTwoMoves) {
  for (const int bits : {8, 16}) {
    const LL fp16 =
        layout({{"register", {{1}, {8}}}, {"lane", {{2}, {4}, {16}, {32}, {64}}}}, {{"k", 128}});
    const LL fp8 =
        layout({{"register", {{1}, {2}}}, {"lane", {{4}, {8}, {16}, {32}, {64}}}}, {{"k", 128}});
    EXPECT_EQ(planned(fp16, fp8, bits, kMi300).cost.moves, 2);
    EXPECT_EQ(planned(fp8, fp16, bits, kMi300).cost.moves, 2);
  }
}

TEST(Convert, TheCheckerRefusesAWrongPlan) {
  const LL src = layout({{"register", {{1}}}, {"lane", {{2}, {4}}}}, {{"x", 8}});
  const LL dst = layout({{"register", {{2}}}, {"lane", {{1}, {4}}}}, {{"x", 8}});
  const ConversionPlan plan = planned(src, dst, 32, kMi300);
  const auto refused = [&](auto change) {
    ConversionPlan wrong = plan;
    change(std::get<ExchangeStep>(wrong.steps[0]).moves[1]);
    return !checkConversion(wrong, src, dst);
  };
  EXPECT_TRUE(refused([](WordMove &move) { move.sendWord.offset ^= 1; }));
  EXPECT_TRUE(refused([](WordMove &move) { move.sourceLane.offset ^= 1; }));
  EXPECT_TRUE(refused([](WordMove &move) { move.destWord.offset ^= 1; }));
  EXPECT_TRUE(refused([](WordMove &move) { move.instruction.moves[0].control ^= 1; }));
  EXPECT_TRUE(refused([](WordMove &move) { move.instruction = {}; }));
}

TEST(Convert, WhatTheSourceLacksIsAnError) {
  const LL half = layout({{"lane", {{1}, {2}}}}, {{"x", 8}});
  const LL whole = layout({{"lane", {{1}, {2}, {4}}}}, {{"x", 8}});
  EXPECT_FALSE(planConversion(half, whole, 32, kMi300));
  EXPECT_TRUE(planConversion(whole, half, 32, kMi300));
  EXPECT_FALSE(planConversion(whole, whole, 24, kMi300));
}

// Threads are counted lane + waveSize * (warp + warps * block), with each layout's own
// number of warps.
TEST(Convert, LayoutsMayDifferInTheirNumberOfWarps) {
  const LL src = layout({{"register", {{1}}}, {"lane", {{2}, {4}}}, {"block", {{8}}}}, {{"x", 16}});
  const LL dst = layout({{"lane", {{2}, {4}}}, {"warp", {{1}}}, {"block", {{8}}}}, {{"x", 16}});
  EXPECT_EQ(planned(src, dst, 32, kMi300).kind, PlanKind::Lds);
  EXPECT_EQ(planned(dst, src, 32, kMi300).kind, PlanKind::Lds);
}

TEST(Convert, BlocksCannotExchange) {
  const LL src = layout({{"lane", {{1}, {2}}}, {"block", {{4}}}}, {{"x", 8}});
  const LL dst = layout({{"lane", {{1}, {4}}}, {"block", {{2}}}}, {{"x", 8}});
  EXPECT_FALSE(planConversion(src, dst, 32, kMi300));
}

// 256 x 128 f32 is 128 KiB: two rounds through 64 KiB, one through the 160 of gfx950.
TEST(Convert, ATileLargerThanLdsGoesThroughItInRounds) {
  const auto tile = [](const char *fast, const char *slow) {
    return LL::identity1D(4, "register", fast) * LL::identity1D(8, "lane", fast) *
           LL::identity1D(8, "lane", slow) * LL::identity1D(4, "warp", slow) *
           LL::identity1D(4, "register", fast);
  };
  const LL rows = tile("x", "y") * LL::identity1D(8, "register", "y");
  const LL columns =
      *(tile("y", "x") * LL::identity1D(2, "register", "y") * LL::identity1D(4, "register", "x"))
           .transposeOuts({"x", "y"});
  ASSERT_EQ(rows.totalOutBits(), 15);
  for (const auto &[arch, rounds] : {std::pair(kMi300, 1), std::pair(kMi350, 0)}) {
    const ConversionPlan plan = planned(rows, columns, 32, arch);
    ASSERT_EQ(plan.kind, PlanKind::Lds);
    EXPECT_EQ(std::get<LdsStep>(plan.steps[0]).roundBits, rounds);
    EXPECT_LE(std::get<LdsStep>(plan.steps[0]).bytes,
              static_cast<uint64_t>(isa::archInfo(arch).ldsBytes));
  }
}
