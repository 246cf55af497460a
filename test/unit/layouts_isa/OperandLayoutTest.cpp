// Every operand of every row against the published bases in Bases.inc. The rows
// hold parameters of equations, the data was fitted to what AMD's calculator prints
// and to NVIDIA's fragment tables: two derivations.
#include "layout_port/layouts/Isa.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <sstream>

using namespace layout_port;
using namespace layout_port::isa;

namespace {

struct Published {
  std::string archs;
  int wave;
  std::string name, operands, outs, registers, lanes, warps;
};

const Published published[] = {
#define BASES(archs, wave, name, operands, outs, registers, lanes, warps)                          \
  {archs, wave, name, operands, outs, registers, lanes, warps},
#include "Bases.inc"
};

std::vector<std::string> split(const std::string &text) {
  std::istringstream in(text);
  std::vector<std::string> words;
  for (std::string word; in >> word;)
    words.push_back(word);
  return words;
}

// "m:16 k:16" -> {{m, 16}, {k, 16}}
LinearLayout::NamedSizes parseOuts(const std::string &text) {
  LinearLayout::NamedSizes outs;
  for (const std::string &word : split(text)) {
    const size_t colon = word.find(':');
    outs.emplace_back(word.substr(0, colon), std::stoul(word.substr(colon + 1)));
  }
  return outs;
}

// "k0" -> (0, 1): bit 0 of k; "-" -> (0, 0)
LinearLayout::Basis parseBasis(const std::string &word, const LinearLayout::NamedSizes &outs) {
  LinearLayout::Basis basis(outs.size(), 0);
  for (size_t i = 0; i < outs.size(); ++i) {
    const std::string &dim = outs[i].first;
    if (word.compare(0, dim.size(), dim) == 0 && word != "-")
      basis[i] = uint64_t(1) << std::stoi(word.substr(dim.size()));
  }
  return basis;
}

LinearLayout parseLayout(const Published &p) {
  const LinearLayout::NamedSizes outs = parseOuts(p.outs);
  LinearLayout::NamedBases bases;
  const auto add = [&](const std::string &dim, const std::string &bits) {
    bases.emplace_back(dim, std::vector<LinearLayout::Basis>());
    for (const std::string &word : split(bits))
      bases.back().second.push_back(parseBasis(word, outs));
  };
  add("register", p.registers);
  add("lane", p.lanes);
  if (!p.warps.empty())
    add("warp", p.warps);
  return *LinearLayout::fromBases(bases, outs);
}

} // namespace

TEST(IsaOperands, EveryPublishedLayoutIsReproduced) {
  for (const Published &p : published)
    for (const std::string &arch : split(p.archs))
      for (const char operand : p.operands) {
        const auto row = findMatrixInstruction(p.name, *parseArch(arch), p.wave);
        ASSERT_TRUE(row) << row.error().message;
        const auto layout = operandLayout(**row, operand);
        ASSERT_TRUE(layout) << layout.error().message;
        EXPECT_EQ(*layout, parseLayout(p)) << arch << " " << p.name << " " << operand << "\n"
                                           << layout->toString() << parseLayout(p).toString();
      }
}

TEST(IsaOperands, EveryRowHasPublishedBases) {
  std::set<const MatrixInstruction *> covered;
  for (const Published &p : published)
    for (const std::string &arch : split(p.archs))
      covered.insert(*findMatrixInstruction(p.name, *parseArch(arch), p.wave));
  for (const MatrixInstruction &row : matrixInstructions()) {
    // The published table has three of the eight qualifier choices of m8n8k4.f16 (FormulasTest has
    // all)
    //, and one name for ldmatrix and stmatrix.
    const std::string name = row.name;
    if (name.find("mma.m8n8k4.f16.") == 0 || name.find("stmatrix") == 0)
      continue;
    EXPECT_TRUE(covered.count(&row)) << name;
  }
}

// The counts of the source tables: nothing was forgotten when the rows were written.
TEST(IsaOperands, AllDenseInstructionsAreThere) {
  std::map<std::string, int> count;
  for (const MatrixInstruction &row : matrixInstructions())
    for (int a = 0; a < kNumArchs; ++a)
      if (row.availableOn(static_cast<Arch>(a)))
        ++count[archName(static_cast<Arch>(a)) +
                std::string(row.family == MatrixFamily::MmaSync      ? " mma"
                            : row.family == MatrixFamily::Wgmma      ? " wgmma"
                            : row.family == MatrixFamily::MatrixMove ? " move"
                                                                     : "")];
  EXPECT_EQ(count["gfx908"], 20);
  EXPECT_EQ(count["gfx90a"], 27);
  EXPECT_EQ(count["gfx942"], 32);
  EXPECT_EQ(count["gfx950"], 40);
  EXPECT_EQ(count["gfx11"], 12);
  EXPECT_EQ(count["gfx12"], 22);
  EXPECT_EQ(count["nvidia mma"], 20 + 5); // and the rest of m8n8k4's qualifiers
  EXPECT_EQ(count["nvidia wgmma"], 18);
  EXPECT_EQ(count["nvidia move"], 13);
}

// operandLayout asks the equation at unit vectors only; here at every point.
TEST(IsaOperands, EveryFormIsLinear) {
  for (const MatrixInstruction &row : matrixInstructions())
    for (const char operand : {'A', 'B', 'D'}) {
      const auto fragment = fragmentOf(row, operand);
      if (!fragment)
        continue;
      const LinearLayout layout = *operandLayout(row, operand);
      for (int w = 0; w < fragment->warps; ++w)
        for (int l = 0; l < fragment->lanes; ++l)
          for (int e = 0; e < fragment->elementsPerLane; ++e) {
            const uint64_t in = static_cast<uint64_t>(e) +
                                uint64_t(fragment->elementsPerLane) * (l + fragment->lanes * w);
            const LinearLayout::Basis at = layout.splitOut(layout.apply(in));
            const MatrixCoord coord = coordOf(*fragment, l, e, w);
            ASSERT_EQ(static_cast<int>(at[layout.outIndex(fragment->rowDim)]), coord.row)
                << row.name << operand;
            ASSERT_EQ(static_cast<int>(at[layout.outIndex(fragment->colDim)]), coord.col);
          }
    }
}

// Each element lies somewhere, and in one place only unless a lane bit means copies.
TEST(IsaOperands, EveryOperandIsSurjectiveAndOnlyWmmaHasCopies) {
  for (const MatrixInstruction &row : matrixInstructions())
    for (const char operand : {'A', 'B', 'D'}) {
      const auto layout = operandLayout(row, operand);
      if (!layout)
        continue;
      EXPECT_TRUE(layout->isSurjective()) << row.name << operand;
      const bool copies = row.formA == FragmentForm::Wmma11Input ||
                          std::string_view(row.builtin) == "wmma_i32_16x16x16_iu4_w64_gfx12";
      EXPECT_EQ(layout->isInjective(), !copies || operand == 'D') << row.name << operand;
    }
}

TEST(IsaOperands, DimsAreNamedAlikeEverywhere) {
  using Names = LinearLayout::Names;
  const auto outs = [](std::string_view name, Arch arch, char operand) {
    return operandLayout(**findMatrixInstruction(name, arch), operand)->outNames();
  };
  EXPECT_EQ(outs("v_mfma_f32_16x16x16_f16", Arch::Gfx942, 'A'), (Names{"m", "k", "block"}));
  EXPECT_EQ(outs("v_mfma_f32_16x16x16_f16", Arch::Gfx942, 'B'), (Names{"k", "n", "block"}));
  EXPECT_EQ(outs("v_mfma_f32_16x16x16_f16", Arch::Gfx942, 'D'), (Names{"m", "n", "block"}));
  EXPECT_EQ(outs("mma.m16n8k16.f16", Arch::Nvidia, 'B'), (Names{"k", "n"}));
  EXPECT_EQ(outs("mma.m8n8k4.f16", Arch::Nvidia, 'B'), (Names{"k", "n", "block"}));
  EXPECT_EQ(outs("ldmatrix.x4", Arch::Nvidia, 'D'), (Names{"matrix", "row", "col"}));
  EXPECT_EQ(outs("movmatrix", Arch::Nvidia, 'D'), (Names{"row_of_input", "col_of_input"}));
  EXPECT_EQ(operandLayout(**findMatrixInstruction("wgmma.m64n8k16", Arch::Nvidia), 'A')->inNames(),
            (Names{"register", "lane", "warp"}));
}

TEST(IsaOperands, WhatHasNoFragmentSaysSo) {
  const auto b = operandLayout(**findMatrixInstruction("wgmma.m64n8k16", Arch::Nvidia), 'B');
  ASSERT_FALSE(b);
  EXPECT_THAT(b.error().message, testing::HasSubstr("shared memory"));
  EXPECT_FALSE(operandLayout(**findMatrixInstruction("mma.m16n8k16.f16"), 'E'));
}

// The fact that attention rests on: with operands swapped, the result of 16x16x16
// is the operand of the next one.
TEST(IsaOperands, SwappedResultOf16x16x16IsTheNextOperand) {
  const MatrixInstruction &mfma = **findMatrixInstruction("v_mfma_f32_16x16x16_f16", Arch::Gfx942);
  const LinearLayout result = *operandLayout(mfma, 'D');  // of the swapped product: (n, m)
  const LinearLayout operand = *operandLayout(mfma, 'B'); // (k, n) with k := the old n
  EXPECT_EQ(result.bases(), operand.bases());
}

TEST(IsaOperands, ProvenanceNamesTheSourcesAndSingleOnesSaySo) {
  const auto says = [](std::string_view name, Arch arch) {
    return (*findMatrixInstruction(name, arch))->provenance();
  };
  EXPECT_THAT(says("v_mfma_f32_16x16x16_f16", Arch::Gfx942),
              testing::HasSubstr("and independently"));
  EXPECT_THAT(says("v_mfma_i32_16x16x64_i8", Arch::Gfx950), testing::StartsWith("single source"));
  EXPECT_THAT(says("v_mfma_i32_32x32x32_i8", Arch::Gfx950), testing::StartsWith("single source"));
  EXPECT_THAT(says("movmatrix", Arch::Nvidia), testing::StartsWith("single source"));
}

TEST(IsaOperands, CyclesAreFourTimesThePassesAndTheF64OfGfx950IsSlower) {
  const auto cycles = [](std::string_view name, Arch arch) {
    return (*findMatrixInstruction(name, arch))->cycles(arch);
  };
  EXPECT_EQ(cycles("v_mfma_f32_16x16x16_f16", Arch::Gfx908), 32);
  EXPECT_EQ(cycles("v_mfma_f32_16x16x16_f16", Arch::Gfx942), 16);
  EXPECT_EQ(cycles("v_mfma_f64_16x16x4_f64", Arch::Gfx942), 32);
  EXPECT_EQ(cycles("v_mfma_f64_16x16x4_f64", Arch::Gfx950), 64);
}

// The best dense rate of each type on each chip, as AMD's data sheets have it.
TEST(IsaOperands, BestRatesOfTheChips) {
  const auto best = [](Arch arch, ElementType type) {
    int ops = 0;
    for (const MatrixInstruction &row : matrixInstructions())
      if (row.a == type && row.availableOn(arch))
        ops = std::max(ops, row.opsPerClock(arch));
    return ops;
  };
  EXPECT_EQ(best(Arch::Gfx908, ElementType::F16), 1024);
  EXPECT_EQ(best(Arch::Gfx90a, ElementType::F16), 1024);
  EXPECT_EQ(best(Arch::Gfx942, ElementType::F16), 2048);
  EXPECT_EQ(best(Arch::Gfx950, ElementType::BF16), 4096);
  EXPECT_EQ(best(Arch::Gfx908, ElementType::I8), 1024);
  EXPECT_EQ(best(Arch::Gfx942, ElementType::I8), 4096);
  EXPECT_EQ(best(Arch::Gfx950, ElementType::I8), 8192);
  EXPECT_EQ(best(Arch::Gfx942, ElementType::FP8), 4096);
  EXPECT_EQ(best(Arch::Gfx950, ElementType::FP8), 4096);
  EXPECT_EQ(best(Arch::Gfx950, ElementType::Any8), 8192);
  EXPECT_EQ(best(Arch::Gfx950, ElementType::FP4), 16384);
  for (const Arch arch : {Arch::Gfx908, Arch::Gfx90a, Arch::Gfx942, Arch::Gfx950})
    EXPECT_EQ(best(arch, ElementType::F32), 256);
}

TEST(IsaOperands, Fp8HasTwoEncodings) {
  EXPECT_STREQ(archInfo(Arch::Gfx942).fp8, "FNUZ");
  EXPECT_STREQ(archInfo(Arch::Gfx950).fp8, "OCP");
}

// docs/isa.md lists the rows without a second source; the list must not grow stale.
TEST(IsaOperands, TheManualListsEverySingleSourceRow) {
  std::ifstream file(ISA_MANUAL);
  const std::string manual((std::istreambuf_iterator<char>(file)), {});
  const size_t from = manual.find("## Rows with a single source");
  ASSERT_NE(from, std::string::npos);
  const std::string section = manual.substr(from);
  for (const MatrixInstruction &row : matrixInstructions()) {
    const std::string cell = std::string("`") + row.name + "`";
    const bool listed = section.find(cell) != std::string::npos;
    if (row.singleSource())
      EXPECT_TRUE(listed) << row.name;
    else if (row.family != MatrixFamily::Wmma) // gfx11 has two sources for one wave size
      EXPECT_FALSE(listed) << row.name;
  }
}
