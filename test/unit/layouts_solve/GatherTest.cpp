// Facts about gathers that a person can check by hand.
#include "layout_port/layouts/Gather.h"

#include <gtest/gtest.h>

using namespace layout_port;
using LL = LinearLayout;

namespace {

constexpr isa::Arch kMi300 = isa::Arch::Gfx942;

LL id(uint64_t size, const char *in, const char *out) { return LL::identity1D(size, in, out); }

} // namespace

TEST(Gather, AnAxisOverLanesIsOneMoveAResult) {
  const LL row = id(64, "lane", "x") * id(4, "register", "y");
  const Result<GatherPlan> plan = planGather(row, row, "x", kMi300);
  ASSERT_TRUE(plan) << plan.error().message;
  EXPECT_EQ(plan->cost.moves, 4);
  EXPECT_EQ(plan->cost.selects, 0);
}

TEST(Gather, AnAxisInRegistersMovesNothing) {
  const LL row = id(4, "register", "x") * id(64, "lane", "y");
  const Result<GatherPlan> plan = planGather(row, row, "x", kMi300);
  ASSERT_TRUE(plan) << plan.error().message;
  EXPECT_EQ(plan->kind, PlanKind::Register);
  EXPECT_EQ(plan->cost.moves, 0);
  EXPECT_EQ(plan->cost.selects, 4 * 3);
}

TEST(Gather, AnAxisOverWavesIsRefused) {
  const LL rows = id(64, "lane", "y") * id(4, "warp", "x");
  const Result<GatherPlan> plan = planGather(rows, rows, "x", kMi300);
  ASSERT_FALSE(plan);
  EXPECT_NE(plan.error().message.find("other waves"), std::string::npos);
  EXPECT_FALSE(planGather(rows, rows, "z", kMi300));
}

TEST(Gather, TheCheckerRefusesAWrongPlan) {
  const LL row = id(4, "lane", "x");
  Result<GatherPlan> plan = planGather(row, row, "x", kMi300);
  ASSERT_TRUE(plan);
  const std::vector<std::vector<uint64_t>> indices = {{3}, {2}, {0}, {0}};
  EXPECT_TRUE(checkGather(*plan, row, row, "x", indices));
  plan->laneOfAxis[0] ^= 2;
  EXPECT_FALSE(checkGather(*plan, row, row, "x", indices));
}
