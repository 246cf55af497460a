#include "device/LaneMoves.h"

#include "layout_port/layouts/CrossLane.h"

#include "llvm/ADT/StringExtras.h"

namespace layout_port {

using isa::Arch;
using isa::LaneMap;
using isa::MoveChoice;

// The oldest chip that outputs are written for: what it has, the others have.
static constexpr Arch baseline = Arch::Gfx90a;

static std::string hexOf(uint64_t value) {
  return "0x" + llvm::utohexstr(value, /*LowerCase=*/true);
}

static std::string written(const MoveChoice &choice, const std::string &x) {
  return isa::moveText(*choice.move, x, hexOf(choice.control), "", x);
}

static std::string caseOf(unsigned value, const std::string &result) {
  return "  case " + std::to_string(value) + ":\n    return " + result + ";\n";
}

static std::string functionHead(const std::string &signature, const std::string &over) {
  return "__device__ __forceinline__ unsigned " + signature + " {\n  switch (" + over + ") {\n";
}

// permlane16_swap(x, x) holds x of lane ^ 16 in result 1 for lanes with bit 4 clear
// and in result 0 for the others: two VALU operations instead of the LDS pipe.
static constexpr llvm::StringRef swapRows =
    "#ifdef __gfx950__\n"
    "  if (mask == 16) {\n"
    "    const auto rows = __builtin_amdgcn_permlane16_swap(x, x, false, false);\n"
    "    return lane64() & 16 ? rows[0] : rows[1];\n"
    "  }\n"
    "#endif\n";

static std::string xorCases(bool direct) {
  std::string cases;
  for (unsigned mask = 1; mask < 32; ++mask) {
    LaneMap map;
    for (unsigned l = 0; l < map.size(); ++l)
      map[l] = static_cast<int8_t>(l ^ mask);
    const auto one = isa::cheapestMove(baseline, map);
    std::vector<MoveChoice> moves = isa::xorMoves(baseline, mask);
    if (direct && one)
      moves = {*one};
    std::string text = "x";
    for (const MoveChoice &choice : moves)
      text = written(choice, text);
    cases += caseOf(mask, text);
  }
  return cases;
}

// Two DPPs pass through a third lane, which must be there: only for whole warps and
// aligned groups of lanes. The direct moves ask the source alone.
static RuntimeChunk xorLanes(bool direct) {
  const std::string name = direct ? "xor_lanes_direct" : "xor_lanes";
  RuntimeChunk chunk{name, {"lane", "maybe_undef"}, "", false};
  chunk.text = std::string("// x of lane ^ mask, for a mask of 0 to 31 known at compile time") +
               (direct ? ";\n// no third lane takes part.\n" : ".\n");
  chunk.text += "__device__ __forceinline__ unsigned " + name +
                "(LP_MAYBE_UNDEF unsigned x, int mask) {\n" + swapRows.str() +
                "  switch (mask) {\n" + xorCases(direct) + "  }\n  return x;\n}\n";
  return chunk;
}

// Lane `lane` of each segment of `width` lanes, as an immediate of one DPP.
static LaneMap segmentLane(unsigned lane, unsigned width) {
  LaneMap map;
  for (unsigned l = 0; l < map.size(); ++l)
    map[l] = static_cast<int8_t>((l & ~(width - 1)) + lane);
  return map;
}

static std::string broadcastCases(unsigned width) {
  std::string text;
  for (unsigned lane = 0; lane < width; ++lane)
    if (const auto choice = isa::cheapestMove(baseline, segmentLane(lane, width)))
      text += caseOf(width + lane, written(*choice, "x"));
  return text;
}

// Both warps read their own lane into scalars; the half chooses. A half that is not
// here is not read.
static constexpr llvm::StringRef broadcastWarp =
    "  if (width == 32) {\n"
    "    const unsigned long long here = __builtin_amdgcn_ballot_w64(true);\n"
    "    const unsigned low = __builtin_amdgcn_readlane(x, lane + (unsigned(here) ? 0 : 32));\n"
    "    const unsigned high = __builtin_amdgcn_readlane(x, lane + (here >> 32 ? 32 : 0));\n"
    "    return lane64() & 32 ? high : low;\n"
    "  }\n";

static RuntimeChunk broadcastLane() {
  RuntimeChunk chunk{"broadcast_lane", {"lane", "maybe_undef"}, "", false};
  chunk.text = "// x of lane `lane` of each segment of 2, 4, 16 or 32 lanes, both known at compile "
               "time.\n"
               "__device__ __forceinline__ unsigned broadcast_lane(LP_MAYBE_UNDEF unsigned x, int "
               "lane, int width) "
               "{\n" +
               broadcastWarp.str() + "  switch (width + lane) {\n";
  for (const unsigned width : {2u, 4u, 16u})
    chunk.text += broadcastCases(width);
  chunk.text += "  }\n  return x;\n}\n";
  return chunk;
}

// Where each lane of a row of 16 reads when values go `delta` lanes up or down.
static std::string rowShift(bool up, unsigned delta) {
  const uint64_t control = (up ? 0x110 : 0x100) + delta;
  const auto move = isa::dppMove(static_cast<uint32_t>(control), baseline);
  return move ? written({*move, control}, "x") : "x";
}

// A whole wave moved by one lane, and a warp by sixteen.
static std::string waveShift(bool up) {
  const auto move = isa::findCrossLaneMove(up ? "wave_shr:1" : "wave_shl:1", baseline);
  return move ? written({*move, (*move)->firstControl}, "x") : "x";
}
static std::string halfWarpShift(bool up) {
  LaneMap map;
  for (int l = 0; l < 64; ++l)
    map[l] = static_cast<int8_t>(up ? l & ~16 : l | 16);
  const auto choice = isa::cheapestMove(baseline, map);
  return choice ? written(*choice, "x") : "x";
}

// In segments of 16 and less a DPP of the row; in 32 lanes only 1 and 16 have an
// instruction of their own. wave_shift:1 serves both, as the segment's edge is
// masked by the caller.
static RuntimeChunk rowMove(bool up) {
  const std::string name = up ? "row_up" : "row_down";
  RuntimeChunk chunk{name, {"maybe_undef"}, "", false};
  chunk.text = std::string("// x of the lane `delta` ") + (up ? "below" : "above") +
               ", delta known at compile time, where that lies in the row of 16\n"
               "// lanes; by 1 and 16 in the warp too.\n";
  chunk.text += functionHead(name + "(LP_MAYBE_UNDEF unsigned x, int delta)", "delta");
  chunk.text += caseOf(1, waveShift(up));
  for (unsigned delta = 2; delta < 16; ++delta)
    chunk.text += caseOf(delta, rowShift(up, delta));
  chunk.text += caseOf(16, halfWarpShift(up));
  chunk.text += "  }\n  return x;\n}\n";
  return chunk;
}

static RuntimeChunk rowBefore() {
  RuntimeChunk chunk{"row_before", {"maybe_undef"}, "", false};
  const auto move = isa::findCrossLaneMove("row_bcast:15", baseline);
  const std::string text = move ? written({*move, (*move)->firstControl}, "x") : "x";
  chunk.text =
      "// x of the last lane of the row of 16 lanes before this one.\n"
      "__device__ __forceinline__ unsigned row_before(LP_MAYBE_UNDEF unsigned x) {\n  return " +
      text + ";\n}\n";
  return chunk;
}

std::vector<RuntimeChunk> laneMoveChunks() {
  return {xorLanes(false), xorLanes(true), broadcastLane(),
          rowMove(true),   rowMove(false), rowBefore()};
}

} // namespace layout_port
