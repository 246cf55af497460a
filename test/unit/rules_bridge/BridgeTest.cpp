// The conversions behind a bridged site, executed step by step over lanes, and the
// C++ they are written as.
#include "tensor/mma/Bridge.h"
#include "ptx/Parser.h"
#include "tensor/layout/Lanes.h"

#include <gtest/gtest.h>
#include <random>

using namespace layout_port;

namespace {

// Runs a planned conversion on 2^registerBits words in each of 64 lanes.
std::vector<std::vector<uint64_t>> execute(const BridgeMove &move,
                                           const std::vector<std::vector<uint64_t>> &source) {
  std::vector<std::vector<uint64_t>> out(64, std::vector<uint64_t>(size_t(1) << move.wordBits));
  for (uint64_t s = 0; s < uint64_t(1) << move.wordBits; ++s)
    for (uint64_t lane = 0; lane < 64; ++lane) {
      const uint64_t from = f2::apply(move.readByLane, lane) ^ f2::apply(move.readByStep, s);
      const uint64_t sent = f2::apply(move.sendByStep, s) ^ f2::apply(move.sendByLane, from);
      out[lane][s ^ f2::apply(move.storeByLane, lane)] = source[from][sent];
    }
  return out;
}

} // namespace

// Any permutation of the bits of (word, lane) is planned and moves every word home.
TEST(BridgeMove, RandomBitPermutationsExecute) {
  const unsigned seed = 20240611;
  std::mt19937 random(seed);
  for (int round = 0; round < 500; ++round) {
    const int wordBits = 1 + round % 3;
    std::vector<int> bits(wordBits + 6);
    for (size_t i = 0; i < bits.size(); ++i)
      bits[i] = int(i);
    std::shuffle(bits.begin(), bits.end(), random);
    f2::Columns source;
    for (const int bit : bits)
      source.push_back(uint64_t(1) << bit);
    const auto move = planBridgeMove(source, wordBits, wordBits, 6);
    ASSERT_TRUE(move) << "seed " << seed << " round " << round << ": " << move.error().message;
    std::vector<std::vector<uint64_t>> words(64, std::vector<uint64_t>(size_t(1) << wordBits));
    for (uint64_t lane = 0; lane < 64; ++lane)
      for (uint64_t r = 0; r < words[lane].size(); ++r)
        words[lane][r] = lane << 8 | r;
    const auto moved = execute(*move, words);
    for (uint64_t lane = 0; lane < 64; ++lane)
      for (uint64_t w = 0; w < moved[lane].size(); ++w) {
        const uint64_t from = f2::apply(source, w | lane << wordBits);
        ASSERT_EQ(moved[lane][w], words[from >> wordBits][from & f2::lowMask(wordBits)])
            << "seed " << seed << " round " << round << " lane " << lane << " word " << w;
      }
  }
}

TEST(Lanes, RunsOfBitsBecomeShiftsAndMasks) {
  EXPECT_EQ(f2Expression({{"lane", {1, 2, 4, 8, 16, 32}}}, 0), "lane");
  EXPECT_EQ(f2Expression({{"lane", {4, 8, 16, 0, 1, 2}}}, 0), "((lane & 7) << 2) | (lane >> 4)");
  EXPECT_EQ(f2Expression({{"lane", {0, 0, 1, 2, 4, 32}}}, 8),
            "((lane >> 2) & 7) | (lane & 32) | 8");
  EXPECT_EQ(f2Expression({}, 0), "0");
  EXPECT_EQ(f2Expression({{"lane", {3, 0}}}, 0), "(lane >> 0 & 1) * 3");
}

TEST(Lanes, SelectsSplitOnTheLanesThatDecide) {
  const std::vector<std::string> names = {"a", "b", "c", "d"};
  EXPECT_EQ(f2Select(names, {"lane", {0, 0}}, 2), "c");
  EXPECT_EQ(f2Select(names, {"lane", {0, 1}}, 0), "lane & 2 ? b : a");
  EXPECT_EQ(f2Select(names, {"lane", {1, 1}}, 0), "__builtin_parity(lane & 3) ? b : a");
  EXPECT_EQ(f2Select(names, {"lane", {1, 2}}, 0),
            "lane & 1 ? (lane & 2 ? d : b) : (lane & 2 ? c : a)");
}

static Result<RuntimeChunk> bridgeOf(const std::string &types) {
  const std::string d = types.substr(0, 3) == "f16" ? "{%0,%1}" : "{%0,%1,%2,%3}";
  const auto block = ptx::parse("mma.sync.aligned.m16n8k16.row.col." + types + " " + d +
                                ", {%4,%5,%6,%7}, {%8,%9}, " + d + ";");
  if (!block)
    return makeError("%s", block.error().reason.c_str());
  const auto mma = ptx::decodeMma(block->instructions[0]);
  if (!mma)
    return makeError("%s", mma.error().reason.c_str());
  return bridgeMma(*mma);
}

static size_t count(const std::string &text, const std::string &what) {
  size_t n = 0;
  for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1))
    ++n;
  return n;
}

// 4 cross-lane reads for A, 2 for B, 4 for D, two MFMAs; and in the other arm one
// read for each word that the half wave's sums use.
TEST(Bridge, CostsOneCrossLaneReadAWord) {
  for (const char *types : {"f32.f16.f16.f32", "f32.bf16.bf16.f32", "f16.f16.f16.f16"}) {
    const auto chunk = bridgeOf(types);
    ASSERT_TRUE(chunk) << chunk.error().message;
    const size_t half = chunk->text.find("} else {");
    EXPECT_EQ(count(chunk->text.substr(0, half), "from_lane("), 10u) << types;
    EXPECT_EQ(count(chunk->text, "__builtin_amdgcn_mfma_f32_16x16x16"), 2u) << types;
    EXPECT_EQ(count(chunk->text.substr(half), "from_lane("), 8u) << types;
  }
}

// m16n8k8 is half an MFMA's k: both warps share one. m8n8k16 is half its columns.
TEST(Bridge, TwoWarpsShareAnMfmaWhereThereIsRoom) {
  const auto count1 = [](const char *text) {
    const auto block = ptx::parse(text);
    const auto mma = ptx::decodeMma(block->instructions[0]);
    const auto source = isa::findMatrixInstruction(mma->fragment, isa::Arch::Nvidia);
    return planBridges(*mma, **source);
  };
  const auto depth = count1("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, "
                            "{%4,%5}, {%6}, {%0,%1,%2,%3};");
  ASSERT_TRUE(depth) << depth.error().message;
  ASSERT_EQ(depth->size(), 1u);
  EXPECT_EQ(depth->front().sharing, Sharing::Depth);
  EXPECT_EQ(depth->front().mfmas(), 1);
  const auto columns = count1("mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 {%0,%1}, {%2}, "
                              "{%3}, {%0,%1};");
  ASSERT_TRUE(columns) << columns.error().message;
  EXPECT_EQ(columns->size(), 2u); // gfx90a has another int8 MFMA
  EXPECT_EQ(columns->front().sharing, Sharing::Columns);
  EXPECT_EQ(columns->front().mfmas(), 1);
}

// tf32 takes xf32 where it exists, four times as fast; one choice serves the others.
TEST(Bridge, AChipLeavesTheCommonMfmaOnlyForAMuchFasterOne) {
  const auto block = ptx::parse("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 "
                                "{%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};");
  const auto mma = ptx::decodeMma(block->instructions[0]);
  const auto source = isa::findMatrixInstruction(mma->fragment, isa::Arch::Nvidia);
  const auto bridges = planBridges(*mma, **source);
  ASSERT_TRUE(bridges) << bridges.error().message;
  ASSERT_EQ(bridges->size(), 2u);
  EXPECT_EQ(bridges->front().archs, std::vector<isa::Arch>{isa::Arch::Gfx942});
  EXPECT_EQ(bridges->front().mfma->a, isa::ElementType::XF32);
  EXPECT_EQ(bridges->back().mfma->a, isa::ElementType::F32);
}

TEST(Bridge, NamesWhatItCannotBridge) {
  const auto block = ptx::parse("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64.rz {%0,%1}, {%2}, "
                                "{%3}, {%0,%1};");
  ASSERT_TRUE(block);
  const auto mma = ptx::decodeMma(block->instructions[0]);
  ASSERT_TRUE(mma) << mma.error().reason;
  EXPECT_EQ(bridgeMma(*mma).error().message,
            "mma.m8n8k4.f64 with a rounding other than to nearest");
}
