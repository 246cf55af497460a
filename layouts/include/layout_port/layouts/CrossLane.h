// Cross-lane instructions: what moves a value from one lane to another, at what cost.
//
// One table serves three readers: solvers choose an instruction for a lane map,
// emitters print its clang builtin, and interpreters (of plans, of compiled kernels)
// execute the same row. Values are 32 bits a lane; lanes are numbered in the wave.
//
//   XOR 1, 2, 3     quad_perm              XOR 7    row_half_mirror
//   XOR 8           row_ror:8              XOR 15   row_mirror
//   XOR < 32        ds_swizzle             any map  ds_bpermute
//
// A row of 16 lanes is DPP's word for lanes 16r .. 16r + 15; it is no matrix row.
#pragma once

#include "layout_port/layouts/Isa.h"

#include <optional>

namespace layout_port::isa {

enum class MoveKind : uint8_t { Gather, Indexed, Scatter, Swap, ToScalar, InLane };
enum class MovePipe : uint8_t { Valu, Lds };

// How a destination lane finds its source; the equations stand in isa/CrossLane.cpp.
enum class LaneFormula : uint8_t {
  QuadPerm,
  RowMirror,
  RowHalfMirror,
  RowRor,
  RowShl,
  RowShr,
  RowBroadcast,
  RowXmask,
  Dpp8,
  WaveShl,
  WaveRol,
  WaveShr,
  WaveRor,
  RowBcast15,
  RowBcast31,
  SwizzleBitMask,
  SwizzleQuadPerm,
  LaneOfAddress,
  SwapLaneBit4,
  SwapLaneBit5,
  Permlane16,
  PermlaneX16,
  Permlane64,
  ReadLane,
  SameLane
};

struct MoveCost {
  MovePipe pipe;
  double issue; // clocks until the pipe takes the wave's next instruction
  int latency;  // clocks until the result can be used
  Confidence confidence;
  const Source *source;
};

struct CrossLaneMove {
  const char *name;
  MoveKind kind;
  LaneFormula formula;
  unsigned archs; // bit (1 << Arch)
  MoveCost cost;
  uint64_t firstControl, lastControl; // the immediates it takes
  bool total;                         // every lane has a source
  bool linear;                        // affine over F2 in the lane bits, for every control
  const char *text;                   // clang source with {x} {y} {old} {c} to fill in
  const Source *source;

  bool availableOn(Arch arch) const { return archs >> static_cast<int>(arch) & 1; }
};

// The rows of a chip, cheapest pipe first within the table's order; or all of them.
std::vector<const CrossLaneMove *> crossLaneMoves(Arch arch);
const std::vector<CrossLaneMove> &crossLaneMoves();
// By the row's name ("ds_bpermute"). Error: not on this chip, or no such row.
Result<const CrossLaneMove *> findCrossLaneMove(std::string_view name, Arch arch);

// The row that executes this dpp_ctrl, or this ds_swizzle offset. Error: the chip has
// no such control.
Result<const CrossLaneMove *> dppMove(uint32_t control, Arch arch);
Result<const CrossLaneMove *> swizzleMove(uint32_t offset, Arch arch);

// Where a lane's result comes from: which operand (0 is {x}, 1 is {y}) and lane; lane
// -1 when the lane has no source. Meaning of `control`:
//   Gather    the immediate                 Indexed   this lane's index register (4 * lane)
//   ToScalar  the lane to read              InLane, Swap   unused
// `result` is 0 or 1 for Swap. waveSize is 64, or 32 on gfx11 and gfx12. For Scatter
// ask destinationOf.
struct LaneSource {
  int operand, lane;
};
LaneSource sourceOf(const CrossLaneMove &move, uint64_t control, int lane, int result = 0,
                    int waveSize = 64);
// ds_permute: the lane that source lane writes to, given its index register. Where
// several write to one lane the highest source lane wins; others get 0.
int destinationOf(uint32_t address, int waveSize = 64);

// v_perm_b32(high, low, selector): byte i of the result is chosen by byte i of the
// selector: 0-3 of low, 4-7 of high, 8-11 the sign of halves (low, then high), 12
// zero, above 0xff.
uint32_t permuteBytes(uint32_t high, uint32_t low, uint32_t selector);

// A source lane for each destination lane, -1 where it does not matter.
using LaneMap = std::array<int8_t, 64>;

struct MoveChoice {
  const CrossLaneMove *move;
  uint64_t control; // 0 for Indexed, whose control is the map itself
};

// The cheapest single instruction whose result has these sources: an immediate one
// if there is any, otherwise ds_bpermute. Lanes that do not matter may get anything.
// Nothing if a lane is out of range or the chip has no rows (NVIDIA).
std::optional<MoveChoice> cheapestMove(Arch arch, const LaneMap &sources);

// The cheapest sequence for lane l <- lane l ^ mask: one or two DPPs below 16 (every
// such mask has one), else one ds_swizzle, else ds_bpermute. Empty for mask 0.
std::vector<MoveChoice> xorMoves(Arch arch, unsigned mask);

// The text with {x}, {y}, {old}, {c} filled in.
std::string moveText(const CrossLaneMove &move, std::string_view x, std::string_view control,
                     std::string_view y = "", std::string_view old = "");

//===-- shfl of CUDA -------------------------------------------------------===//

enum class ShuffleMode : uint8_t { Up, Down, Bfly, Idx };

// PTX shfl.sync: b is the lane operand, c packs the clamp (bits 0-4) and the segment
// mask (bits 8-12). `inRange` is the predicate result; out of range means own value.
// bfly with a constant b is XOR; up and down carry and clamp, so are not linear.
// https://docs.nvidia.com/cuda/parallel-thread-execution/#data-movement-and-conversion-instructions-shfl-sync
struct ShuffleSource {
  int lane;
  bool inRange;
};
ShuffleSource shuffleSource(ShuffleMode mode, uint32_t b, uint32_t c, int lane);
// The c operand that CUDA's __shfl_*_sync(..., width) passes.
uint32_t shuffleClamp(ShuffleMode mode, int width);

} // namespace layout_port::isa
