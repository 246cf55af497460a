// The HIP text of small plans, as a person would write it.
#include "layout_port/layouts/WordProgram.h"
#include "layout_port/layouts/Convert.h"

#include <gtest/gtest.h>

using namespace layout_port;
using LL = LinearLayout;

namespace {

// Register bit 0 and the top lane bit change places.
ConversionPlan swapOfTopBit(isa::Arch arch) {
  const LL src = LL::identity1D(2, "register", "x") * LL::identity1D(64, "lane", "x");
  LL::NamedBases bases = {{"register", {{64}}}, {"lane", {{2}, {4}, {8}, {16}, {32}, {1}}}};
  return *planInsideWave(src, *LL::fromBases(bases, {{"x", 128}}), 32, arch);
}

std::string textOf(const ConversionPlan &plan) {
  const Result<WordProgram> program = lowerToWords(plan);
  EXPECT_TRUE(program) << program.error().message;
  const Result<std::string> text = hipText(*program, "swapTop");
  EXPECT_TRUE(text) << text.error().message;
  return *text;
}

} // namespace

TEST(WordProgram, OneSwapInstructionOnGfx950) {
  EXPECT_EQ(textOf(swapOfTopBit(isa::Arch::Gfx950)),
            "__device__ __forceinline__ void swapTop(const unsigned (&in)[2], unsigned (&out)[2]) "
            "{\n"
            "  const unsigned thread = threadIdx.x & 63;\n"
            "  const auto p2 = __builtin_amdgcn_permlane32_swap(in[0], in[1], false, false);\n"
            "  const unsigned v2 = p2[0], v3 = p2[1];\n"
            "  out[0] = v2;\n"
            "  out[1] = v3;\n"
            "}\n");
}

TEST(WordProgram, SelectMoveSelectElsewhere) {
  EXPECT_EQ(textOf(swapOfTopBit(isa::Arch::Gfx942)),
            "__device__ __forceinline__ void swapTop(const unsigned (&in)[2], unsigned (&out)[2]) "
            "{\n"
            "  const unsigned thread = threadIdx.x & 63;\n"
            "  const unsigned v2 = (thread & 32) ? in[0] : in[1];\n"
            "  const unsigned v3 = __builtin_amdgcn_ds_bpermute(4 * ((thread & 63) ^ 32u), v2);\n"
            "  const unsigned v4 = (thread & 32) ? v3 : in[0];\n"
            "  const unsigned v5 = (thread & 32) ? in[1] : v3;\n"
            "  out[0] = v4;\n"
            "  out[1] = v5;\n"
            "}\n");
}

TEST(WordProgram, APlanThroughLdsHasNone) {
  const LL src = LL::identity1D(64, "lane", "x") * LL::identity1D(2, "warp", "x");
  const LL dst = LL::identity1D(2, "warp", "x") * LL::identity1D(64, "lane", "x");
  const Result<ConversionPlan> plan = planConversion(src, dst, 32, isa::Arch::Gfx942);
  ASSERT_TRUE(plan) << plan.error().message;
  EXPECT_FALSE(lowerToWords(*plan));
}
