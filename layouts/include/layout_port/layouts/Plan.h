// Plans: how a value in one register layout gets into another, as steps that can
// be printed as instructions, executed on arrays, and checked.
//
// Where a thread finds what it needs is one F2 matrix, C = src^-1 o dst: from the
// bits of (destination register, destination thread) to the bits of (source
// register, source thread). A plan is a factorisation of C into steps of four kinds:
//
//   RegisterStep   nothing leaves the lane: new register e' of thread t is old
//                  register M e' ^ N t (v_perm, v_cndmask, or only renaming)
//   ExchangeStep   whole 32-bit words between lanes of one wave:
//                  select / cross-lane / select (below)
//   SwapStep       v_permlane16_swap, v_permlane32_swap: a register bit and a lane
//                  bit change places, two words an instruction
//   LdsStep        written to LDS in one layout and read in another
//
// The exchange is one factorisation of a matrix. Destination word w' of lane L' wants
// source word Q w' + P L' of lane U w' + V L'. Choose any T; then
//
//   | Q P |   | Q+XU  X |   | I  0 |   | I  T |        W = U T + V
//   | U V | = |   0   I | * | U  W | * | 0  I |        X W = Q T + P
//              select,       one         select,
//              sender        cross-      receiver
//                            lane
//                            move a
//                            word
//
//   step s = w' + T L':   lane l sends its word   Q s + X (l + U s)
//                         lane L' reads lane      U s + W L'
//                         and stores it as word   s + T L'
//
// So each word takes one cross-lane instruction (none where U s + W L' = L'), and T is
// free: it decides how many selects there are and which instruction W needs (W = I is
// a XOR). It exists whenever the data does: what must be avoided by the kernel
// of step and lane are two subspaces, and they have a common complement
// (f2::commonComplement). If a lane has to send more words than it receives (a
// broadcast out of few lanes), steps get extra bits z = T2 L' and only the receivers
// of step z store; Exchange.cpp has the general case.
//
// Units and order: a *slot* is what registers are counted in: an element, or one half
// of a 64-bit element (bit 0 is then the half). Slots are packed little-endian: with
// slots of b <= 32 bits, slot e lies in 32-bit word e * b / 32. A thread is
// lane + waveSize * warp; columns over thread bits have the lane bits first.
#pragma once

#include "layout_port/layouts/CrossLane.h"
#include "layout_port/layouts/F2.h"
#include "layout_port/layouts/Isa.h"
#include "layout_port/layouts/LinearLayout.h"
#include "layout_port/layouts/Result.h"

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace layout_port {

// x -> offset ^ XOR of columns[i] over the set bits i of x.
struct AffineBits {
  f2::Columns columns;
  uint64_t offset = 0;

  uint64_t operator()(uint64_t x) const { return offset ^ f2::apply(columns, x); }
  bool isConstant() const;
  // x -> x ^ offset.
  bool isXor() const;
};

// How a lane map is made: one row of the cross-lane table with its control, or two
// DPPs, the second on the result of the first; none when each lane reads itself. On
// NVIDIA, which has no rows, a shfl.sync.idx.
struct LaneInstruction {
  int count = 0;
  isa::MoveChoice moves[2] = {}; // move is null for shfl

  bool isOwn() const { return count == 0; }
  const char *name() const;
  double issue() const;   // clocks until the wave's next instruction
  double latency() const; // clocks more until the value is there
};

// One word from each lane to each lane.
struct WordMove {
  AffineBits sendWord;   // sender's thread -> which of its words
  AffineBits sourceLane; // receiver's thread -> the lane it reads
  AffineBits destWord;   // receiver's thread -> which of its words; at or above
                         // ExchangeStep::destWords(): this thread stores nothing
  LaneInstruction instruction;
};

struct ExchangeStep {
  int sourceWordBits = 0, destWordBits = 0;
  std::vector<WordMove> moves; // each destination word of each thread exactly once
  int selectsBefore = 0, selectsAfter = 0;

  uint64_t sourceWords() const { return uint64_t(1) << sourceWordBits; }
  uint64_t destWords() const { return uint64_t(1) << destWordBits; }
};

struct RegisterStep {
  f2::Columns slots;   // bit of the new slot -> old slot
  f2::Columns threads; // bit of the thread -> old slot
  int selects = 0;     // v_perm and v_cndmask that it takes; 0: only renaming

  uint64_t oldSlot(uint64_t slot, uint64_t thread) const {
    return f2::apply(slots, slot) ^ f2::apply(threads, thread);
  }
};

// Word bit `wordBit` and lane bit `laneBit` change places: for each pair of words
// (a, b) that differ in that bit, the upper half of a and the lower half of b.
struct SwapStep {
  int wordBits = 0;
  int wordBit = 0, laneBit = 0;
  const isa::CrossLaneMove *instruction = nullptr;
};

// Written and read back. `memory` maps the offset (in slots) of one block's buffer to
// the conversion's logical elements; a wave's instruction covers `vector` slots a lane.
struct LdsStep {
  LinearLayout memory;
  f2::Columns writeSlots, writeThreads; // bit of (slot, thread) -> offset
  f2::Columns readSlots, readThreads;
  std::string writeInstruction, readInstruction;
  int writes = 0, reads = 0;           // instructions a wave
  int writePasses = 0, readPasses = 0; // of one of them
  int selects = 0;                     // packing and unpacking in registers
  uint64_t bytes = 0;                  // of LDS a block
  int roundBits = 0;    // the tile is too large: the highest offset bits say in which round
                        // an element goes through the same LDS
  bool barrier = false; // other waves take part
  int warpBits = 0;     // log2 of the waves of a block
};

using PlanStep = std::variant<RegisterStep, ExchangeStep, SwapStep, LdsStep>;

// Counted for one wave. Cycles are modelled: issue of all instructions plus the
// latency of what has to be waited for, once a step; clocks are those of isa/.
struct PlanCost {
  int selects = 0; // v_cndmask, v_perm: choices inside a lane
  int moves = 0;   // cross-lane instructions
  int ldsOps = 0;  // ds_read and ds_write
  double cycles = 0;

  PlanCost &operator+=(const PlanCost &other);
};

enum class PlanKind : uint8_t { None, Register, Wave, Lds };
const char *planKindName(PlanKind kind); // "none", "register", "wave", "lds"

struct ConversionPlan {
  PlanKind kind = PlanKind::None;
  isa::Arch arch{};
  int waveSize = 0;
  int elementBits = 0;
  int slotBits = 0;       // min(elementBits, 32)
  int sourceSlotBits = 0; // log2 of slots a thread, before and after
  int destSlotBits = 0;
  int threadBits = 0; // lane, warp and block bits
  int warpBits = 0;   // of these, as many as the layout with more warps has
  int sourceWarpBits = 0, destWarpBits = 0, destBlockBits = 0;
  std::vector<PlanStep> steps;
  PlanCost cost;
  PlanCost ldsCost; // what the LDS round trip would cost; cycles < 0: not possible
  std::string note; // assumptions of low confidence, "" if none

  int slotsPerWord() const { return 32 / slotBits; }
  int slotsPerElement() const { return elementBits > 32 ? elementBits / 32 : 1; }
};

// contents[thread][register]: the flattened logical element that a register holds,
// first out-dim lowest; -1 nothing.
using Contents = std::vector<std::vector<int64_t>>;

// What the registers hold in a layout with in-dims register, lane, warp. Threads are
// lane + waveSize * warp; a layout of fewer lanes leaves the others empty.
Contents contentsOf(const LinearLayout &layout, int waveSize);

// Runs a plan on what `contentsOf(src)` counts; the answer counts threads as
// contentsOf(dst) does. Error: a step reads what is not there.
Result<Contents> execute(const ConversionPlan &plan, const Contents &contents);

// One line a step: "select 4", "ds_swizzle_b32 xor 16 ...".
std::string describe(const PlanStep &step);

} // namespace layout_port
