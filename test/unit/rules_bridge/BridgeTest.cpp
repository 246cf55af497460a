// The conversions behind a bridged site, executed step by step over lanes, and the
// C++ they are written as.
#include "ptx/Parser.h"
#include "tensor/layout/Lanes.h"
#include "tensor/mma/Bridge.h"

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

TEST(Bridge, NamesWhatItCannotBridge) {
  const auto block = ptx::parse("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 "
                                "{%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};");
  ASSERT_TRUE(block);
  const auto mma = ptx::decodeMma(block->instructions[0]);
  ASSERT_TRUE(mma);
  EXPECT_EQ(bridgeMma(*mma).error().message, "no bridge for mma.m16n8k8.tf32 yet");
}
