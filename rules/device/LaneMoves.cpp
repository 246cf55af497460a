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

static LaneMap xorMap(unsigned mask) {
  LaneMap map;
  for (unsigned l = 0; l < map.size(); ++l)
    map[l] = static_cast<int8_t>(l ^ mask);
  return map;
}

// x of lane ^ mask by one instruction; x itself where there is none.
static std::string xorBy(unsigned mask) {
  const auto choice = isa::cheapestMove(baseline, xorMap(mask));
  return choice ? written(*choice, "x") : "x";
}

static bool isOneDpp(unsigned mask) {
  const std::vector<MoveChoice> moves = isa::xorMoves(baseline, mask);
  return mask < 16 && moves.size() == 1;
}

// permlane16_swap(x, x) holds x of lane ^ 16 in result 1 for lanes with bit 4 clear
// and in result 0 for the others: two VALU operations instead of the LDS pipe.
static std::string swapRows(const std::string &condition, const std::string &result) {
  return "#ifdef __gfx950__\n"
         "  if (" +
         condition +
         ") {\n"
         "    const auto rows = __builtin_amdgcn_permlane16_swap(x, x, false, false);\n"
         "    " +
         result + " lane64() & 16 ? rows[0] : rows[1];\n  }\n";
}

// Masks 4 to 7, 8 to 11, 12 to 15 have one DPP each for one of the four; what it moves
// too far inside its quad a quad_perm brings back.
static std::string xorCasesOfRow() {
  std::string cases;
  for (const unsigned quads : {4u, 8u, 12u})
    for (unsigned mask = quads; mask < quads + 4; ++mask)
      if (isOneDpp(mask)) {
        cases += "  case " + std::to_string(quads) + ":\n    x = " + xorBy(mask) + ";\n" +
                 (mask == quads ? "" : "    mask ^= " + std::to_string(mask) + ";\n") +
                 "    break;\n";
        break;
      }
  return cases;
}

// One ds_swizzle moves by any mask from 16 to 31.
static std::string xorCasesOfWarp() {
  std::string cases;
  for (unsigned mask = 16; mask < 32; ++mask)
    cases += caseOf(mask, xorBy(mask));
  return cases;
}

// Two DPPs pass through a third lane, which must be there: only for whole warps and
// aligned groups of lanes.
static RuntimeChunk xorLanes() {
  RuntimeChunk chunk{"xor_lanes", {"lane", "maybe_undef"}, "", false};
  chunk.text =
      "// x of lane ^ mask, for a mask of 0 to 31: at most two DPPs, from 16 on one move through\n"
      "// the LDS pipe or a swap of rows before them. Known at compile time it is these alone.\n"
      "__device__ __forceinline__ unsigned xor_lanes(LP_MAYBE_UNDEF unsigned x, int mask) "
      "{\n" +
      swapRows("mask & 16", "x =") + "#else\n  switch (mask) {\n" + xorCasesOfWarp() +
      "  }\n#endif\n  switch (mask & 12) {\n" + xorCasesOfRow() + "  }\n  switch (mask & 3) {\n";
  for (unsigned mask = 1; mask < 4; ++mask)
    chunk.text += caseOf(mask, xorBy(mask));
  chunk.text += "  }\n  return x;\n}\n";
  return chunk;
}

// The direct moves ask the source alone.
static RuntimeChunk xorLanesDirect() {
  RuntimeChunk chunk{"xor_lanes_direct", {"lane", "from_lane", "maybe_undef"}, "", false};
  chunk.text = "// x of lane ^ mask; no third lane takes part.\n"
               "__device__ __forceinline__ unsigned xor_lanes_direct(LP_MAYBE_UNDEF unsigned x, "
               "int mask) {\n" +
               swapRows("mask == 16", "return") + "#endif\n  switch (mask) {\n";
  for (unsigned mask = 1; mask <= 16; ++mask)
    if (isOneDpp(mask) || mask == 4 || mask == 16)
      chunk.text += caseOf(mask, xorBy(mask));
  chunk.text += "  }\n  return from_lane(lane64() ^ mask, x);\n}\n";
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

static std::string controlOf(llvm::StringRef name) {
  const auto move = isa::findCrossLaneMove(name.str(), baseline);
  return move ? hexOf((*move)->firstControl) : "";
}

static std::string dppOf(llvm::StringRef name, const std::string &x) {
  const auto move = isa::findCrossLaneMove(name.str(), baseline);
  return move ? written({*move, (*move)->firstControl}, x) : x;
}

// All lanes of a row of 16 hold the same: the upper row of a warp takes the lower one's
// last lane, the lower row takes the upper one's first through its own last.
//
//   lanes     0 .. 15 | 16 .. 31          row_bcast:15 writes rows 1 and 3 (0xa) only
//             a     a | b      b
//   wave_shl  a  a  b | b
//   spread    b     b | .      .
//   bcast:15  b     b | a      a
static RuntimeChunk otherRow() {
  const std::string last = hexOf(0x150 + 15); // row_newbcast:15
  return {"other_row",
          {"maybe_undef"},
          "// x of the warp's other row of 16 lanes, where all lanes of a row hold the same.\n"
          "__device__ __forceinline__ unsigned other_row(LP_MAYBE_UNDEF unsigned x) {\n"
          "  const unsigned next = " +
              dppOf("wave_shl:1", "x") +
              ";\n"
              "  const unsigned above = __builtin_amdgcn_update_dpp(next, next, " +
              last +
              ", 0xf, 0xf, false);\n"
              "  return __builtin_amdgcn_update_dpp(above, x, " +
              controlOf("row_bcast:15") + ", 0xa, 0xf, false);\n}\n",
          false};
}

// Whoever holds what 1, 2, 4, 8, 16 lanes hold together gets it of as many others: the
// mirrors bring it of another lane than XOR does, which holds the same.
static RuntimeChunk reduceLanes() {
  RuntimeChunk chunk{"reduce_lanes", {"other_row", "maybe_undef"}, "", false};
  chunk.text = "// What a reduction of a whole warp adds where `held` lanes have been taken\n"
               "// together: 1, 2, 4, 8, 16 in this order.\n" +
               functionHead("reduce_lanes(LP_MAYBE_UNDEF unsigned x, int held)", "held") +
               caseOf(1, xorBy(1)) + caseOf(2, xorBy(2)) + caseOf(4, xorBy(7)) +
               caseOf(8, xorBy(15)) + "  }\n  return other_row(x);\n}\n";
  return chunk;
}

// Rows of 16 first: a lane whose source lies in another row adds nothing, until the
// upper row adds the last lane of the lower one.
static RuntimeChunk scanLanes() {
  RuntimeChunk chunk{"scan_lanes", {"row_before", "maybe_undef"}, "", false};
  chunk.text =
      "// What a scan of a whole warp adds in step `delta`: 1, 2, 4, 8, 16 in this order.\n" +
      functionHead("scan_lanes(LP_MAYBE_UNDEF unsigned x, unsigned nothing, int delta)", "delta");
  for (unsigned delta = 1; delta < 16; delta *= 2)
    chunk.text += caseOf(delta, "__builtin_amdgcn_update_dpp(nothing, x, " + hexOf(0x110 + delta) +
                                    ", 0xf, 0xf, false)");
  chunk.text += "  }\n  return row_before(x);\n}\n";
  return chunk;
}

std::vector<RuntimeChunk> laneMoveChunks() {
  return {xorLanes(),  xorLanesDirect(), broadcastLane(), rowMove(true), rowMove(false),
          rowBefore(), otherRow(),       reduceLanes(),   scanLanes()};
}

} // namespace layout_port
