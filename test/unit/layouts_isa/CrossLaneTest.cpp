// Cross-lane rows: published meanings, the choice of an instruction, shfl.
#include "layout_port/layouts/CrossLane.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

using namespace layout_port;
using namespace layout_port::isa;

namespace {

const Arch cdna[] = {Arch::Gfx908, Arch::Gfx90a, Arch::Gfx942, Arch::Gfx950};

const CrossLaneMove &find(std::string_view name, Arch arch) {
  const auto move = findCrossLaneMove(name, arch);
  EXPECT_TRUE(move) << move.error().message;
  return **move;
}

LaneMap mapOf(int (*source)(int)) {
  LaneMap map;
  for (int lane = 0; lane < 64; ++lane)
    map[lane] = static_cast<int8_t>(source(lane));
  return map;
}

std::string chosen(Arch arch, const LaneMap &map) {
  const auto choice = cheapestMove(arch, map);
  return choice ? choice->move->name : "none";
}

// Runs a choice on lane numbers: what each lane holds afterwards.
LaneMap run(const MoveChoice &choice, const LaneMap &before, int lanes) {
  LaneMap after = before;
  for (int lane = 0; lane < lanes; ++lane)
    after[lane] = before[sourceOf(*choice.move, choice.control, lane, 0, lanes).lane];
  return after;
}

} // namespace

// The F2 maps of the single instructions: source lane = lane ^ constant.
TEST(CrossLane, XorsOfTheDppControls) {
  const struct {
    const char *name;
    uint64_t control;
    int mask;
  } rows[] = {{"quad_perm", 0xB1, 1},        {"quad_perm", 0x4E, 2},    {"quad_perm", 0x1B, 3},
              {"row_half_mirror", 0x141, 7}, {"row_mirror", 0x140, 15}, {"row_ror:8", 0x128, 8},
              {"ds_swizzle", 0x041F, 1},     {"ds_swizzle", 0x401F, 16}};
  for (const auto &row : rows)
    for (int lane = 0; lane < 64; ++lane)
      EXPECT_EQ(sourceOf(find(row.name, Arch::Gfx942), row.control, lane).lane, lane ^ row.mask)
          << row.name;
}

TEST(CrossLane, BroadcastsShiftsAndRotations) {
  const auto source = [](std::string_view name, uint64_t control, int lane) {
    return sourceOf(find(name, Arch::Gfx942), control, lane).lane;
  };
  EXPECT_EQ(source("row_newbcast", 0x153, 37), 35);
  EXPECT_EQ(source("row_shr", 0x111, 20), 19);
  EXPECT_EQ(source("row_shr", 0x111, 16), -1);
  EXPECT_EQ(source("row_shl", 0x104, 12), -1);
  EXPECT_EQ(source("row_shl", 0x104, 11), 15);
  EXPECT_EQ(source("row_ror", 0x123, 16), 29);
  EXPECT_EQ(source("wave_shr:1", 0x138, 32), 31);
  EXPECT_EQ(source("wave_shr:1", 0x138, 0), -1);
  EXPECT_EQ(source("wave_rol:1", 0x134, 63), 0);
  EXPECT_EQ(source("row_bcast:15", 0x142, 15), -1);
  EXPECT_EQ(source("row_bcast:15", 0x142, 40), 31);
  EXPECT_EQ(source("row_bcast:31", 0x143, 63), 31);
  EXPECT_EQ(source("row_bcast:31", 0x143, 31), -1);
  EXPECT_EQ(source("ds_bpermute", 4 * 77, 0), 77 % 64);
  EXPECT_EQ(source("v_readlane", 5, 63), 5);
}

// Lane bit 5 (or 4) and the choice of register change places.
TEST(CrossLane, PermlaneSwapExchangesARegisterBitWithALaneBit) {
  for (const auto &[name, bit] : {std::pair("permlane16_swap", 4), {"permlane32_swap", 5}})
    for (int lane = 0; lane < 64; ++lane)
      for (const int result : {0, 1}) {
        const LaneSource from = sourceOf(find(name, Arch::Gfx950), 0, lane, result);
        EXPECT_EQ(from.operand, lane >> bit & 1);
        EXPECT_EQ(from.lane, (lane & ~(1 << bit)) | result << bit);
      }
  // "swaps the upper 32 lanes of the first with the lower 32 of the second"
  const CrossLaneMove &swap = find("permlane32_swap", Arch::Gfx950);
  EXPECT_EQ(sourceOf(swap, 0, 40, 0).operand, 1);
  EXPECT_EQ(sourceOf(swap, 0, 40, 0).lane, 8);
  EXPECT_EQ(sourceOf(swap, 0, 8, 1).operand, 0);
  EXPECT_EQ(sourceOf(swap, 0, 8, 1).lane, 40);
  EXPECT_FALSE(findCrossLaneMove("permlane32_swap", Arch::Gfx942));
}

TEST(CrossLane, EachChipHasWhatTheCompilerCanSelectThere) {
  EXPECT_FALSE(findCrossLaneMove("row_newbcast", Arch::Gfx908));
  EXPECT_TRUE(findCrossLaneMove("row_newbcast", Arch::Gfx90a));
  EXPECT_FALSE(findCrossLaneMove("row_bcast:15", Arch::Gfx11));
  for (const Arch arch : cdna) {
    EXPECT_FALSE(findCrossLaneMove("row_xmask", arch));
    EXPECT_FALSE(findCrossLaneMove("permlane16", arch));
  }
  EXPECT_TRUE(crossLaneMoves(Arch::Nvidia).empty());
}

// A row says "linear" exactly when its map is affine over F2 for every control.
TEST(CrossLane, LinearRowsAreAffineAndTotalRowsHaveASourceEverywhere) {
  std::mt19937_64 rng(7);
  for (const CrossLaneMove &move : crossLaneMoves()) {
    if (move.kind != MoveKind::Gather)
      continue;
    bool alwaysAffine = true, alwaysTotal = true;
    for (int trial = 0; trial < 400; ++trial) {
      const uint64_t span = move.lastControl - move.firstControl;
      const uint64_t control = move.firstControl + (span == ~0ull ? rng() : rng() % (span + 1));
      const auto at = [&](int lane) { return sourceOf(move, control, lane).lane; };
      for (int lane = 0; lane < 64; ++lane) {
        int affine = at(0);
        for (int bit = 0; bit < 6; ++bit)
          affine ^= lane >> bit & 1 ? at(0) ^ at(1 << bit) : 0;
        alwaysAffine &= affine == at(lane);
        alwaysTotal &= at(lane) >= 0;
      }
    }
    EXPECT_EQ(alwaysTotal, move.total) << move.name;
    if (alwaysTotal)
      EXPECT_EQ(alwaysAffine, move.linear) << move.name;
  }
}

// The affine group of two bits has 24 elements: exactly the permutations of a quad.
TEST(CrossLane, EveryQuadPermutationIsAffine) {
  const CrossLaneMove &move = find("quad_perm", Arch::Gfx942);
  int permutations = 0;
  for (int control = 0; control < 256; ++control) {
    int seen = 0, at[4];
    for (int lane = 0; lane < 4; ++lane) {
      at[lane] = sourceOf(move, control, lane).lane;
      seen |= 1 << at[lane];
    }
    if (seen != 15)
      continue;
    ++permutations;
    EXPECT_EQ(at[3], at[0] ^ at[1] ^ at[2]);
  }
  EXPECT_EQ(permutations, 24);
}

TEST(CrossLane, TheCheapestInstructionForALaneMap) {
  EXPECT_EQ(chosen(Arch::Gfx942, mapOf([](int l) { return l ^ 1; })), "quad_perm");
  EXPECT_EQ(chosen(Arch::Gfx942, mapOf([](int l) { return l & ~3; })), "quad_perm");
  EXPECT_EQ(chosen(Arch::Gfx942, mapOf([](int l) { return l ^ 8; })), "row_ror:8");
  EXPECT_EQ(chosen(Arch::Gfx942, mapOf([](int l) { return l ^ 15; })), "row_mirror");
  EXPECT_EQ(chosen(Arch::Gfx942, mapOf([](int l) { return (l & 48) | 3; })), "row_newbcast");
  EXPECT_EQ(chosen(Arch::Gfx908, mapOf([](int l) { return (l & 48) | 3; })), "ds_swizzle");
  EXPECT_EQ(chosen(Arch::Gfx942, mapOf([](int l) { return l ^ 16; })), "ds_swizzle");
  EXPECT_EQ(chosen(Arch::Gfx942, mapOf([](int l) { return l ^ 32; })), "ds_bpermute");
  EXPECT_EQ(chosen(Arch::Gfx942, mapOf([](int l) { return 63 - l; })), "ds_bpermute");
  EXPECT_EQ(chosen(Arch::Nvidia, mapOf([](int l) { return l; })), "none");
}

TEST(CrossLane, LanesThatDoNotMatterWidenTheChoice) {
  LaneMap map = mapOf([](int l) { return l ^ 1; });
  map[63] = -1;
  EXPECT_EQ(chosen(Arch::Gfx942, map), "quad_perm");
  map.fill(-1);
  map[5] = 4;
  EXPECT_EQ(chosen(Arch::Gfx942, map), "quad_perm");
  map[5] = 20;
  EXPECT_EQ(chosen(Arch::Gfx942, map), "ds_swizzle");
  map[5] = 64;
  EXPECT_EQ(chosen(Arch::Gfx942, map), "none");
}

// Random immediates: the choice does what the immediate did, and never costs more.
TEST(CrossLane, AnyImmediateMapIsFoundAgain) {
  std::mt19937_64 rng(11);
  for (int trial = 0; trial < 5000; ++trial) {
    const auto moves = crossLaneMoves(trial % 2 ? Arch::Gfx942 : Arch::Gfx90a);
    const CrossLaneMove &move = *moves[rng() % moves.size()];
    if (move.kind != MoveKind::Gather || !move.total)
      continue;
    const uint64_t control = move.firstControl + rng() % (move.lastControl - move.firstControl + 1);
    LaneMap map;
    for (int lane = 0; lane < 64; ++lane)
      map[lane] = static_cast<int8_t>(sourceOf(move, control, lane).lane);
    const auto choice = cheapestMove(trial % 2 ? Arch::Gfx942 : Arch::Gfx90a, map);
    ASSERT_TRUE(choice);
    EXPECT_EQ(choice->move->kind, MoveKind::Gather) << move.name << " " << control;
    EXPECT_LE(choice->move->cost.latency, move.cost.latency);
    LaneMap identity = mapOf([](int l) { return l; });
    EXPECT_EQ(run(*choice, identity, 64), map) << move.name << " " << control;
  }
}

TEST(CrossLane, EveryXorBelow16IsAtMostTwoDpps) {
  for (const Arch arch : cdna)
    for (unsigned mask = 1; mask < 64; ++mask) {
      const std::vector<MoveChoice> steps = xorMoves(arch, mask);
      ASSERT_FALSE(steps.empty());
      for (const MoveChoice &step : steps)
        EXPECT_EQ(step.move->cost.pipe, mask < 16 ? MovePipe::Valu : MovePipe::Lds) << mask;
      EXPECT_LE(steps.size(), mask < 16 ? 2u : 1u);
      if (steps[0].move->kind == MoveKind::Indexed)
        continue; // the map itself is its control
      LaneMap held = mapOf([](int l) { return l; });
      for (const MoveChoice &step : steps)
        held = run(step, held, 64);
      for (int lane = 0; lane < 64; ++lane)
        EXPECT_EQ(held[lane], lane ^ static_cast<int>(mask));
    }
  EXPECT_EQ(xorMoves(Arch::Gfx942, 15).size(), 1u);
  EXPECT_EQ(xorMoves(Arch::Gfx942, 4).size(), 2u);
  EXPECT_EQ(xorMoves(Arch::Gfx12, 4).size(), 1u); // row_xmask
  EXPECT_TRUE(xorMoves(Arch::Gfx942, 0).empty());
}

TEST(CrossLane, RowsAreFoundByTheImmediateOfTheInstruction) {
  const auto name = [](const Result<const CrossLaneMove *> &move) {
    return move ? std::string((*move)->name) : move.error().message;
  };
  EXPECT_EQ(name(dppMove(0xB1, Arch::Gfx942)), "quad_perm");
  EXPECT_EQ(name(dppMove(0x111, Arch::Gfx942)), "row_shr");
  EXPECT_EQ(name(dppMove(0x143, Arch::Gfx942)), "row_bcast:31");
  EXPECT_EQ(name(dppMove(0x155, Arch::Gfx12)), "row_newbcast");
  EXPECT_EQ(name(dppMove(0x165, Arch::Gfx12)), "row_xmask");
  EXPECT_EQ(name(swizzleMove(0x041F, Arch::Gfx942)), "ds_swizzle");
  EXPECT_EQ(name(swizzleMove(0x80B1, Arch::Gfx942)), "ds_swizzle quad_perm");
  EXPECT_EQ(name(dppMove(0x165, Arch::Gfx942)), "gfx942 has no DPP control 0x165");
  EXPECT_EQ(name(dppMove(0x155, Arch::Gfx908)), "gfx908 has no DPP control 0x155");
  EXPECT_EQ(name(dppMove(0x110, Arch::Gfx12)), "gfx12 has no DPP control 0x110");
}

TEST(CrossLane, VPermPicksBytes) {
  EXPECT_EQ(permuteBytes(0x44556677, 0x00112233, 0x07060504), 0x44556677u);
  EXPECT_EQ(permuteBytes(0x44556677, 0x00112233, 0x03020100), 0x00112233u);
  EXPECT_EQ(permuteBytes(0x44556677, 0x00112233, 0x05040100), 0x66772233u); // low halves
  EXPECT_EQ(permuteBytes(0x44556677, 0x00112233, 0x07060302), 0x44550011u); // high halves
  EXPECT_EQ(permuteBytes(0x80000000, 0x00008000, 0x0b0a0908), 0xff0000ffu); // signs of halves
  EXPECT_EQ(permuteBytes(0, 0, 0x0d0c0c0c), 0xff000000u);
}

TEST(CrossLane, TextForTheCompiler) {
  EXPECT_EQ(moveText(find("quad_perm", Arch::Gfx942), "v", "0xb1"),
            "__builtin_amdgcn_mov_dpp(v, 0xb1, 0xf, 0xf, true)");
  EXPECT_EQ(moveText(find("ds_bpermute", Arch::Gfx942), "v", "4 * src"),
            "__builtin_amdgcn_ds_bpermute(4 * src, v)");
  EXPECT_EQ(moveText(find("permlane32_swap", Arch::Gfx950), "a", "", "b"),
            "__builtin_amdgcn_permlane32_swap(a, b, false, false)");
}

// CUDA's own words for each mode, with a width.
TEST(Shuffle, FollowsCudasDefinitionForEveryWidth) {
  for (int width = 1; width <= 32; width *= 2)
    for (int lane = 0; lane < 32; ++lane)
      for (int delta = 0; delta < width; ++delta) {
        const int base = lane / width * width, inside = lane % width;
        const auto source = [&](ShuffleMode mode) {
          return shuffleSource(mode, delta, shuffleClamp(mode, width), lane);
        };
        const bool upIn = inside - delta >= 0, downIn = inside + delta < width;
        EXPECT_EQ(source(ShuffleMode::Up).lane, upIn ? lane - delta : lane);
        EXPECT_EQ(source(ShuffleMode::Up).inRange, upIn);
        EXPECT_EQ(source(ShuffleMode::Down).lane, downIn ? lane + delta : lane);
        EXPECT_EQ(source(ShuffleMode::Down).inRange, downIn);
        EXPECT_EQ(source(ShuffleMode::Bfly).lane, base + (inside ^ delta));
        EXPECT_EQ(source(ShuffleMode::Idx).lane, base + delta);
      }
}
