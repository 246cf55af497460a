// The LDS rows: the published lane groups, names, transposing reads, async widths.
#include "layout_port/layouts/Lds.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

using namespace layout_port;
using namespace layout_port::isa;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

using Ranges = std::vector<std::pair<int, int>>;

std::vector<int> lanesIn(const Ranges &ranges, int shift = 0) {
  std::vector<int> out;
  for (const auto &[first, last] : ranges)
    for (int lane = first; lane <= last; ++lane)
      out.push_back(lane + shift);
  return out;
}

std::vector<std::vector<int>> phasesOf(std::string_view name, Arch arch) {
  return ldsInstruction(name, arch)->phases();
}

} // namespace

// https://rocm.blogs.amd.com/software-tools-optimization/lds-bank-conflict/README.html
TEST(Lds, Gfx942ReadsOf128BitsGoInEightCrossedGroups) {
  const std::vector<Ranges> half = {
      {{0, 3}, {20, 23}}, {{4, 7}, {16, 19}}, {{8, 11}, {28, 31}}, {{12, 15}, {24, 27}}};
  std::vector<std::vector<int>> expected;
  for (const int shift : {0, 32})
    for (const Ranges &group : half)
      expected.push_back(lanesIn(group, shift));
  EXPECT_EQ(phasesOf("ds_read_b128", Arch::Gfx942), expected);
  EXPECT_EQ(phasesOf("ds_read_b96", Arch::Gfx950), expected);
}

// https://github.com/HazyResearch/HipKittens analysis/paper_experiments/phases
TEST(Lds, Gfx950ReadsOf128BitsGoInFourGroups) {
  const std::vector<Ranges> half = {{{0, 3}, {12, 15}, {20, 27}}, {{4, 11}, {16, 19}, {28, 31}}};
  std::vector<std::vector<int>> expected;
  for (const int shift : {0, 32})
    for (const Ranges &group : half)
      expected.push_back(lanesIn(group, shift));
  EXPECT_EQ(phasesOf("ds_read_b128", Arch::Gfx950), expected);
}

TEST(Lds, TheOthersGoInSequence) {
  const auto inSequence = [](std::string_view name, Arch arch, int lanes) {
    std::vector<std::vector<int>> expected;
    for (int first = 0; first < 64; first += lanes)
      expected.push_back(lanesIn({{first, first + lanes - 1}}));
    EXPECT_EQ(phasesOf(name, arch), expected) << name;
  };
  inSequence("ds_write_b128", Arch::Gfx942, 8);
  inSequence("ds_write_b128", Arch::Gfx950, 8);
  inSequence("ds_read_b64", Arch::Gfx942, 16);
  inSequence("ds_read_b64", Arch::Gfx950, 32);
  inSequence("ds_write_b64", Arch::Gfx942, 16);
  inSequence("ds_write_b64", Arch::Gfx950, 16);
  for (const Arch arch : {Arch::Gfx942, Arch::Gfx950})
    for (const char *name : {"ds_read_b32", "ds_write_b32", "ds_read_u16", "ds_write_b8"})
      inSequence(name, arch, 32);
}

TEST(Lds, BanksOfEachInstruction) {
  EXPECT_EQ(ldsInstruction("ds_read_b128", Arch::Gfx942)->banks, 32);
  EXPECT_EQ(ldsInstruction("ds_read_b128", Arch::Gfx950)->banks, 64);
  EXPECT_EQ(ldsInstruction("ds_read_b64", Arch::Gfx950)->banks, 64);
  EXPECT_EQ(ldsInstruction("ds_read_b96", Arch::Gfx950)->banks, 32);
  EXPECT_EQ(ldsInstruction("ds_write_b64", Arch::Gfx950)->banks, 32);
}

TEST(Lds, EveryRowPartitionsTheWave) {
  for (const Arch arch : {Arch::Gfx908, Arch::Gfx90a, Arch::Gfx942, Arch::Gfx950})
    for (const std::string &name : ldsInstructionNames(arch)) {
      std::vector<int> all;
      for (const std::vector<int> &phase : phasesOf(name, arch))
        all.insert(all.end(), phase.begin(), phase.end());
      std::sort(all.begin(), all.end());
      EXPECT_EQ(all, lanesIn({{0, 63}})) << name;
    }
}

TEST(Lds, Spellings) {
  const auto base = [](std::string_view name) {
    const auto in = ldsInstruction(name, Arch::Gfx942);
    return in ? std::string(in->name) : in.error().message;
  };
  EXPECT_EQ(base("ds_load_b128"), "ds_read_b128");
  EXPECT_EQ(base("ds_store_b64"), "ds_write_b64");
  EXPECT_EQ(base("ds_read_i16"), "ds_read_u16");
  EXPECT_EQ(base("ds_read_u8_d16_hi"), "ds_read_u8");
  EXPECT_EQ(base("ds_read2st64_b32"), "ds_read_b32");
  EXPECT_THAT(base("ds_read_b64_tr_b16"), HasSubstr("unknown LDS instruction"));
}

TEST(Lds, TwoAddressOffsetsCountElements) {
  const auto offsets = [](std::string_view name) {
    const LdsInstruction in = *ldsInstruction(name, Arch::Gfx942);
    return std::pair(in.offsets[0], in.offsets[1]);
  };
  EXPECT_EQ(offsets("ds_read2_b32"), std::pair(0, 4));
  EXPECT_EQ(offsets("ds_read2_b64 offset0:2 offset1:10"), std::pair(16, 80));
  EXPECT_EQ(offsets("ds_write2st64_b64 offset0:0 offset1:1"), std::pair(0, 512));
  EXPECT_FALSE(ldsInstruction("ds_read2_b32 offset1:x", Arch::Gfx942));
  EXPECT_FALSE(ldsInstruction("ds_read2_b32 offset0:256", Arch::Gfx942));
}

// ds_read_b64_tr_b16 as Composable Kernel uses it: with 4 elements a lane, lane c
// takes element c % 4 of lanes c / 4, c / 4 + 4, c / 4 + 8, c / 4 + 12 of its group.
TEST(Lds, TransposingReadOf16BitElements) {
  const LdsTransposeRead &read = ldsTransposeReads(Arch::Gfx950)[0];
  const LinearLayout layout = *transposeReadLayout(read);
  for (int lane = 0; lane < 64; ++lane)
    for (int r = 0; r < 4; ++r) {
      const LinearLayout::Basis from = layout.splitOut(layout.apply(r + 4 * lane));
      EXPECT_EQ(static_cast<int>(from[0]), lane % 4);
      EXPECT_EQ(static_cast<int>(from[1]), lane / 16 * 16 + lane % 16 / 4 + 4 * r);
    }
  EXPECT_TRUE(ldsTransposeReads(Arch::Gfx942).empty());
}

TEST(Lds, TransposingReadsWithoutASourceHaveNoLayout) {
  for (const LdsTransposeRead &read : ldsTransposeReads(Arch::Gfx950))
    EXPECT_EQ(transposeReadLayout(read).ok(), read.confidence != Confidence::Unknown) << read.name;
}

TEST(Lds, AsyncCopyWidths) {
  EXPECT_THAT(asyncCopyBytes(Arch::Gfx942), ElementsAre(1, 2, 4));
  EXPECT_THAT(asyncCopyBytes(Arch::Gfx950), ElementsAre(1, 2, 4, 12, 16));
  EXPECT_TRUE(asyncCopyBytes(Arch::Gfx11).empty());
}

TEST(Lds, CapacityTimesAndWaitStates) {
  EXPECT_EQ(archInfo(Arch::Gfx942).ldsBytes, 65536);
  EXPECT_EQ(archInfo(Arch::Gfx950).ldsBytes, 163840);
  EXPECT_EQ(ldsTime(false, 16).latency, 48);
  EXPECT_EQ(ldsTime(true, 2).confidence, Confidence::Low);
  EXPECT_EQ(*waitStates("valu", "dpp", Arch::Gfx908), 2);
  EXPECT_EQ(*waitStates("v_mfma_f32_16x16x16_f16", "valu", Arch::Gfx942), 7);
  EXPECT_FALSE(waitStates("valu", "permlane_swap", Arch::Gfx942));
  EXPECT_FALSE(waitStates("valu", "dpp", Arch::Gfx11));
}
