// Every pair of MFMA and mma.sync operand layouts of the same matrix size, and tiles as
// they are laid out for elements of other widths: planned, executed, checked.
#include "layout_port/layouts/Convert.h"

#include <gtest/gtest.h>

using namespace layout_port;

namespace {

struct Named {
  std::string name;
  LinearLayout layout; // onto dim0, dim1
};

// All register fragments, dims renamed to what they are: rows and columns.
std::vector<Named> operands() {
  std::vector<Named> all;
  for (const isa::MatrixInstruction &row : isa::matrixInstructions()) {
    if ((row.family != isa::MatrixFamily::Mfma && row.family != isa::MatrixFamily::MmaSync) ||
        row.blocks != 1)
      continue;
    for (const char operand : {'A', 'B', 'C'}) {
      const Result<LinearLayout> layout = isa::operandLayout(row, operand);
      if (!layout)
        continue;
      LinearLayout renamed = *layout;
      if (renamed.hasOut("block"))
        renamed = *renamed.squeezeOut("block");
      renamed = *renamed.renameOut(renamed.outs()[0].name, "dim0");
      renamed = *renamed.renameOut(renamed.outs()[1].name, "dim1");
      bool known = false;
      for (const Named &other : all)
        known |= other.layout == renamed;
      if (!known)
        all.push_back({std::string(row.name) + "." + operand, renamed});
    }
  }
  return all;
}

void expectPlans(const Named &src, const Named &dst, int bits, isa::Arch arch) {
  const Result<ConversionPlan> plan = planConversion(src.layout, dst.layout, bits, arch);
  ASSERT_TRUE(plan) << src.name << " -> " << dst.name << ": " << plan.error().message;
  const Result<bool> right = checkConversion(*plan, src.layout, dst.layout);
  ASSERT_TRUE(right) << src.name << " -> " << dst.name << " bits " << bits << ": "
                     << right.error().message;
  if (plan->ldsCost.cycles >= 0) {
    EXPECT_LE(plan->cost.cycles, plan->ldsCost.cycles) << src.name << " -> " << dst.name;
  }
}

} // namespace

// The fragment repeated over further registers until the tile has these sizes.
static Named repeated(Named operand, const LinearLayout::NamedSizes &sizes) {
  for (const auto &[dim, size] : sizes)
    operand.layout *=
        LinearLayout::identity1D(size / operand.layout.outSize(dim), "register", dim);
  return operand;
}

TEST(OperandTester, EveryPairOfOperandLayouts) {
  const std::vector<Named> all = operands();
  int pairs = 0;
  for (const Named &src : all)
    for (const Named &dst : all) {
      LinearLayout::NamedSizes sizes;
      for (const char *dim : {"dim0", "dim1"})
        sizes.emplace_back(dim, std::max(src.layout.outSize(dim), dst.layout.outSize(dim)));
      const int bits = 4 << pairs % 5;
      expectPlans(repeated(src, sizes), repeated(dst, sizes), bits, pairs % 2 ? isa::Arch::Gfx942 : isa::Arch::Gfx950);
      ++pairs;
    }
  EXPECT_GT(pairs, 1000);
}

// A row-major tile of 64 x 64 that each lane holds in 16-byte pieces, for elements of one
// width; read as it would lie for another, and moved at every width.
TEST(OperandTester, EveryPairOfElementWidths) {
  const auto tile = [](int bits) {
    const uint64_t vector = 128 / bits;
    const uint64_t lanesInRow = std::min<uint64_t>(64 / vector, 64);
    const LinearLayout rowMajor = LinearLayout::identity1D(vector, "register", "dim0") *
                                  LinearLayout::identity1D(lanesInRow, "lane", "dim0") *
                                  LinearLayout::identity1D(64 / lanesInRow, "lane", "dim1") *
                                  LinearLayout::identity1D(lanesInRow, "register", "dim1");
    return Named{"tile of " + std::to_string(bits) + " bits", rowMajor};
  };
  for (int from = 4; from <= 64; from *= 2)
    for (int to = 4; to <= 64; to *= 2)
      for (int bits = 4; bits <= 64; bits *= 2)
        for (const isa::Arch arch : {isa::Arch::Gfx90a, isa::Arch::Gfx942, isa::Arch::Gfx950})
          expectPlans(tile(from), tile(to), bits, arch);
}
