// Thread, block and lane indices, barriers, and moves between lanes.
#pragma once

#include "decode/Decoder.h"
#include "machine/Wave.h"

namespace layout_port::verify {

enum class ThreadValue : uint8_t {
  ThreadX,
  ThreadY,
  ThreadZ,
  BlockX,
  BlockY,
  BlockZ,
  BlockSizeX,
  BlockSizeY,
  BlockSizeZ,
  GridX,
  GridY,
  GridZ,
  Lane,
  WaveIndex,
  WaveCount,
  WaveSize,
  LaneSelf,
  LanesBelow,
  LanesBelowOrSelf,
  LanesAbove,
  LanesAboveOrSelf,
  DynamicShared,
  TotalShared
};
Reg emitThreadValue(Decoder &decoder, ThreadValue what);

// id: barrier number; threads: how many take part, invalid for the whole block.
void emitBarrier(Decoder &decoder, Reg id, Reg threads, bool waits);
void emitBlockBarrier(Decoder &decoder);
// A barrier that asks: for how many threads of those at it `predicate` holds, whether for all,
// whether for any.
enum class BarrierVote : uint8_t { Count, And, Or };
Reg emitBarrierVote(Decoder &decoder, Reg id, Reg threads, Reg predicate, BarrierVote vote);
// __syncwarp: lockstep makes it a no-op, but observers hear of it.
void emitWarpBarrier(Decoder &decoder);

// dst[lane] = src[from[lane]] for active lanes; lanes of `keep` keep what `old`
// holds (0 without it). Reading a lane that is not active is reported.
void gatherLanes(Wave &wave, const Op &op, Reg dst, Reg src, bool wide,
                 const uint8_t (&from)[kMaxLanes], uint64_t keep = 0, Reg old = {});

// How shfl finds its source lane, from PTX's b and c operands.
// https://docs.nvidia.com/cuda/parallel-thread-execution/#data-movement-and-conversion-instructions-shfl-sync
enum class ShuffleMode : uint8_t { Up, Down, Butterfly, Index };
struct ShufflePlan {
  ShuffleMode mode = ShuffleMode::Index;
  Reg dst, predicate, mask; // predicate and mask may be absent
};
void runShuffle(Wave &wave, const Op &op); // a: value, b: lane or offset, c: clamp and segment

enum class VoteKind : uint8_t { All, Any, Uniform, Ballot, MatchAny, MatchAll };
struct VotePlan {
  VoteKind kind = VoteKind::Ballot;
  Reg dst, predicate; // predicate: of match.all
  bool wideValue = false, wideResult = false;
};
void runVote(Wave &wave, const Op &op); // a: value; b: member mask, may be absent

// redux.sync: every member gets the reduction over the members.
struct ReducePlan {
  enum Kind : uint8_t { Add, Min, Max, And, Or, Xor } kind = Add;
  bool isSigned = false;
};
void runReduce(Wave &wave, const Op &op);

} // namespace layout_port::verify
