// DESIGN.md's worked example and the facts that the solver must find by itself.
#include "layout_port/layouts/Retile.h"
#include "layout_port/layouts/Convert.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace layout_port;
using testing::ElementsAre;
using testing::IsEmpty;
using LL = LinearLayout;
using Names = std::vector<std::string>;

namespace {

constexpr isa::Arch kMi300 = isa::Arch::Gfx942, kMi350 = isa::Arch::Gfx950;

std::vector<RetileSolution> solved(const RetileRequest &request) {
  const Result<std::vector<RetileSolution>> solutions = retile(request);
  EXPECT_TRUE(solutions) << solutions.error().message;
  return solutions ? *solutions : std::vector<RetileSolution>();
}

RetileRequest hgemm() {
  return {"mma.m16n8k16.f16", kMi300, {"j0", "j1"}, {"i0"}, {"kk0"}, PairBit::N, 256};
}

// The first solution with these bits.
const RetileSolution *find(const std::vector<RetileSolution> &all, const char *instruction,
                           bool swap, const Names &n, const Names &k) {
  for (const RetileSolution &s : all)
    if (s.instruction->name == std::string(instruction) && s.swap == swap && s.n == n && s.k == k)
      return &s;
  return nullptr;
}

// Coordinates of a virtual place by name.
uint64_t at(const LL &map, const LL::NamedValues &in, const char *out) {
  LL::NamedValues all;
  for (const LayoutDim &dim : map.ins()) {
    uint64_t value = 0;
    for (const auto &[name, given] : in)
      if (name == dim.name)
        value = given;
    all.emplace_back(dim.name, value);
  }
  const Result<LL::NamedValues> place = map.apply(all);
  EXPECT_TRUE(place) << place.error().message;
  for (const auto &[name, value] : *place)
    if (name == out)
      return value;
  ADD_FAILURE() << "no out-dim " << out;
  return 0;
}

} // namespace

// mma.m16n8k16 f16 -> mfma_f32_16x16x16f16, operands swapped, n3 := j0, natural k.
TEST(Retile, TheWorkedExample) {
  const auto all = solved(hgemm());
  const RetileSolution *s = find(all, "v_mfma_f32_16x16x16_f16", true, {"n0", "n1", "n2", "j0"},
                                 {"k0", "k1", "k2", "k3"});
  ASSERT_TRUE(s);
  EXPECT_TRUE(checkRetile(*s));
  EXPECT_THAT(s->m, ElementsAre("m0", "m1", "m2", "m3"));
  EXPECT_THAT(s->loops, ElementsAre("i0", "j1", "h", "kk0"));
  EXPECT_EQ(s->cost.crossLaneMoves, 0);

  const LL &c = s->c.virtualLane;
  for (uint64_t l = 0; l < 64; ++l)
    for (uint64_t e = 0; e < 4; ++e) {
      const LL::NamedValues in = {{"element", e}, {"lane", l}};
      // vlane = e1 | l4<<1 | (l&7)<<2   r0 = e0   r1 = l3   j0 = l5   half = loop bit h
      EXPECT_EQ(at(c, in, "lane"), (e >> 1) | (l >> 4 & 1) << 1 | (l & 7) << 2);
      EXPECT_EQ(at(c, in, "register"), (e & 1) | (l >> 3 & 1) << 1);
      EXPECT_EQ(at(c, in, "j0"), l >> 5);
      EXPECT_EQ(at(c, in, "h"), 0u);
    }
  EXPECT_EQ(at(c, {{"h", 1}}, "h"), 1u);

  // A: m0-3 = l0-3, k0 k1 = e0 e1, k2 k3 = l4 l5, of
  // k0 = sub, k1 k2 = lane bits 0 1, m0-2 = lane bits 2-4, m3 = r0, k3 = r1.
  const LL &a = s->a.virtualLane;
  for (uint64_t l = 0; l < 64; ++l)
    for (uint64_t e = 0; e < 4; ++e) {
      const LL::NamedValues in = {{"element", e}, {"lane", l}};
      EXPECT_EQ(at(a, in, "lane"), (e >> 1) | (l >> 4 & 1) << 1 | (l & 7) << 2);
      EXPECT_EQ(at(a, in, "register"), (e & 1) | (l >> 3 & 1) << 1 | (l >> 5) << 2);
    }
}

TEST(Retile, TheSwappedResultIsTheOperandOfTheNextProduct) {
  const auto all = solved(hgemm());
  const RetileSolution *s = find(all, "v_mfma_f32_16x16x16_f16", true, {"n0", "n1", "n2", "j0"},
                                 {"k0", "k1", "k2", "k3"});
  ASSERT_TRUE(s);
  // C (m, n) taken as the A (m, k) of a product over n, 16 of its columns at a time.
  const LL result = *s->c.target.sublayout({"element", "lane"}, {"m", "n"});
  const LL operand = *s->a.target.sublayout({"element", "lane"}, {"m", "k"});
  const LL asOperand = *result.resizeOut("n", 16)->renameOut("n", "k");
  EXPECT_EQ(*asOperand.resizeOut("m", 16), *operand.resizeOut("k", 16)->resizeOut("m", 16));
}

TEST(Retile, AQuadReductionBecomesTwoRegisterStepsAndXor16And32) {
  const auto all = solved(hgemm());
  const RetileSolution *s = find(all, "v_mfma_f32_16x16x16_f16", true, {"n0", "n1", "n2", "j0"},
                                 {"k0", "k1", "k2", "k3"});
  ASSERT_TRUE(s);
  const ReductionSteps steps = reductionOver(s->c.target, "n");
  EXPECT_THAT(steps.elementBits, ElementsAre(0, 1));
  EXPECT_THAT(steps.laneMasks, ElementsAre(16, 32));
  EXPECT_THAT(steps.loops, ElementsAre("j1", "h"));
  EXPECT_THAT(reductionOver(s->c.target, "m").laneMasks, ElementsAre(1, 2, 4, 8));
}

// With k3 and the k step in the lanes a lane owns k0 k1 k2: 8 halves, two MFMAs.
TEST(Retile, TheGaugeLetsOneRead128FeedTwoMfmas) {
  const auto all = solved(hgemm());
  ASSERT_FALSE(all.empty());
  const RetileSolution *s = find(all, "v_mfma_f32_16x16x16_f16", true, {"n0", "n1", "n2", "j0"},
                                 {"k0", "k1", "k3", "kk0"});
  ASSERT_TRUE(s);
  EXPECT_EQ(s->a.accessBits, 128);
  EXPECT_EQ(s->b.accessBits, 128);
  EXPECT_THAT(s->loops, testing::Contains("k2"));
  EXPECT_EQ(all.front().a.accessBits, 128); // and it is found best
  EXPECT_TRUE(checkRetile(*s));
}

TEST(Retile, EverySolutionMultipliesTheRightMatrices) {
  for (const char *mma : {"mma.m16n8k16.f16", "mma.m16n8k8.f16", "mma.m16n8k32.s8",
                          "mma.m8n8k16.s8", "mma.m16n8k8.tf32", "mma.m8n8k4.f64",
                          "mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32"})
    for (const isa::Arch arch : {kMi300, kMi350})
      for (const PairBit pair : {PairBit::N, PairBit::M, PairBit::Shared}) {
        const RetileRequest request{mma, arch, {"j0"}, {}, {"kk0"}, pair, 256};
        const auto solutions = retile(request);
        if (!solutions)
          continue;
        for (size_t i = 0; i < solutions->size(); i += 61) {
          const Result<bool> right = checkRetile((*solutions)[i]);
          EXPECT_TRUE(right) << mma << " solution " << i << ": " << right.error().message;
        }
      }
}

TEST(Retile, TheOrderIsTheSameInEveryRun) {
  const auto once = solved(hgemm()), again = solved(hgemm());
  ASSERT_EQ(once.size(), again.size());
  for (size_t i = 0; i < once.size(); ++i) {
    EXPECT_EQ(once[i].c.virtualLane, again[i].c.virtualLane);
    EXPECT_EQ(once[i].a.virtualLane, again[i].a.virtualLane);
    if (i > 0) {
      EXPECT_LE(once[i - 1].cost.total, once[i].cost.total);
    }
  }
}

// h on n fills the columns of a single n8 tile; on m, or on nothing, it cannot.
TEST(Retile, OneTileIsFullOnlyWhenThePairLiesOnN) {
  const auto pads = [](PairBit pair) {
    const auto all = solved({"mma.m16n8k16.f16", kMi300, {}, {}, {}, pair, 256});
    int padded = 0;
    for (const RetileSolution &s : all)
      padded += std::count(s.n.begin(), s.n.end(), "pad") > 0;
    return std::pair(padded, static_cast<int>(all.size()));
  };
  EXPECT_LT(pads(PairBit::N).first, pads(PairBit::N).second);
  EXPECT_EQ(pads(PairBit::M).first, pads(PairBit::M).second);
  EXPECT_EQ(pads(PairBit::Shared).first, pads(PairBit::Shared).second);
}

TEST(Retile, WhatHasNoMfmaIsAnError) {
  EXPECT_FALSE(retile({"mma.m16n8k64.s4", kMi300, {}, {}, {}, PairBit::N, 256}));
  EXPECT_FALSE(retile({"mma.m16n8k16.f16", isa::Arch::Gfx11, {}, {}, {}, PairBit::N, 256}));
  EXPECT_FALSE(retile({"ldmatrix.x4", kMi300, {}, {}, {}, PairBit::N, 256}));
  EXPECT_FALSE(retile({"mma.m16n8k16.f16", kMi300, {"n1"}, {}, {}, PairBit::N, 256}));
  EXPECT_FALSE(retile({"mma.m16n8k16.f16", kMi300, Names(13, "j"), {}, {}, PairBit::N, 256}));
  EXPECT_FALSE(retile({"mma.m16n8k16.f16", kMi300, {"j", "j"}, {}, {}, PairBit::N, 256}));
}

TEST(Retile, TheCheckerRefusesWrongMaps) {
  const auto all = solved(hgemm());
  ASSERT_FALSE(all.empty());
  RetileSolution wrong = all.front();
  wrong.c.virtualLane = all.back().c.virtualLane;
  EXPECT_FALSE(checkRetile(wrong));
  wrong = all.front();
  wrong.swap = !wrong.swap;
  EXPECT_FALSE(checkRetile(wrong));
}
