// Cross-lane instructions: the rows, their executable meaning, and choosing one.
#include "layout_port/layouts/CrossLane.h"

#include "isa/Tables.h"

#include <algorithm>

namespace layout_port::isa {
namespace {

enum class CostTag {
#define MOVE_COST(tag, pipe, issue, latency, confidence, source) tag,
#include "isa/CrossLaneCosts.inc"
};

MoveCost costOf(CostTag tag) {
  static const MoveCost costs[] = {
#define MOVE_COST(tag, pipe, issue, latency, confidence, source)                                   \
  {MovePipe::pipe, issue, latency, Confidence::confidence, sourceRow(SourceTag::source)},
#include "isa/CrossLaneCosts.inc"
  };
  return costs[static_cast<int>(tag)];
}

std::vector<CrossLaneMove> buildMoves() {
  constexpr unsigned Gfx90a = archBit(Arch::Gfx90a), Gfx942 = archBit(Arch::Gfx942),
                     Gfx950 = archBit(Arch::Gfx950),
                     CDNA = archBit(Arch::Gfx908) | Gfx90a | Gfx942 | Gfx950,
                     RDNA = archBit(Arch::Gfx11) | archBit(Arch::Gfx12);
  return {
#define CROSS_LANE(name, kind, formula, archs, cost, first, last, total, linear, text, source)     \
  {name,                                                                                           \
   MoveKind::kind,                                                                                 \
   LaneFormula::formula,                                                                           \
   archs,                                                                                          \
   costOf(CostTag::cost),                                                                          \
   first,                                                                                          \
   last,                                                                                           \
   total,                                                                                          \
   linear,                                                                                         \
   text,                                                                                           \
   sourceRow(SourceTag::source)},
#include "isa/CrossLane.inc"
  };
}

//===-- Meaning ------------------------------------------------------------===//

constexpr int rowLanes = 16;
constexpr int noSource = -1;

int inRow(int lane, int position) { return lane / rowLanes * rowLanes + position; }

// A shift inside a row; lanes whose source would lie outside have none.
int shifted(int lane, int by) {
  const int position = lane % rowLanes + by;
  return position < 0 || position >= rowLanes ? noSource : inRow(lane, position);
}

int shiftedInWave(int lane, int by, int waveSize) {
  const int source = lane + by;
  return source < 0 || source >= waveSize ? noSource : source;
}

// Two selector bits for each lane of four.
int quadPerm(uint64_t selectors, int lane) {
  return lane / 4 * 4 + static_cast<int>(selectors >> 2 * (lane % 4) & 3);
}

// Three selector bits for each lane of eight.
int dpp8(uint64_t selectors, int lane) {
  return lane / 8 * 8 + static_cast<int>(selectors >> 3 * (lane % 8) & 7);
}

// src = ((dst & and) | or) ^ xor on lane bits 0-4; bit 5 stays.
int swizzleBitMask(uint64_t control, int lane) {
  const int andMask = control & 31, orMask = control >> 5 & 31, xorMask = control >> 10 & 31;
  return (lane & 32) | ((((lane & 31) & andMask) | orMask) ^ xorMask);
}

// A nibble for each lane of a row.
int nibble(uint64_t selectors, int lane) {
  return static_cast<int>(selectors >> 4 * (lane % rowLanes) & 15);
}

int gatherSource(LaneFormula formula, uint64_t control, int lane, int waveSize) {
  const int n = static_cast<int>(control & 15); // the count in DPP's row controls
  const int row = lane / rowLanes;
  switch (formula) {
  case LaneFormula::QuadPerm:
  case LaneFormula::SwizzleQuadPerm:
    return quadPerm(control, lane);
  case LaneFormula::RowMirror:
    return lane ^ 15;
  case LaneFormula::RowHalfMirror:
    return lane ^ 7;
  case LaneFormula::RowRor:
    return inRow(lane, (lane - n) & 15);
  case LaneFormula::RowShl:
    return shifted(lane, n);
  case LaneFormula::RowShr:
    return shifted(lane, -n);
  case LaneFormula::RowBroadcast:
    return inRow(lane, n);
  case LaneFormula::RowXmask:
    return lane ^ n;
  case LaneFormula::Dpp8:
    return dpp8(control, lane);
  case LaneFormula::WaveShl:
    return shiftedInWave(lane, 1, waveSize);
  case LaneFormula::WaveRol:
    return (lane + 1) % waveSize;
  case LaneFormula::WaveShr:
    return shiftedInWave(lane, -1, waveSize);
  case LaneFormula::WaveRor:
    return (lane + waveSize - 1) % waveSize;
  case LaneFormula::RowBcast15: // lane 15 of each row to the whole next row
    return row == 0 ? noSource : rowLanes * row - 1;
  case LaneFormula::RowBcast31: // lane 31 to rows 2 and 3
    return row < 2 ? noSource : 31;
  case LaneFormula::SwizzleBitMask:
    return swizzleBitMask(control, lane);
  case LaneFormula::LaneOfAddress:
    return destinationOf(static_cast<uint32_t>(control), waveSize);
  case LaneFormula::Permlane16:
    return inRow(lane, nibble(control, lane));
  case LaneFormula::PermlaneX16: // from the other row of the pair
    return inRow(lane ^ rowLanes, nibble(control, lane));
  case LaneFormula::Permlane64:
    return lane ^ 32;
  case LaneFormula::ReadLane:
    return static_cast<int>(control) % waveSize;
  default:
    return lane;
  }
}

// Exchange of lane bit `bit` with the register bit (which of the two registers):
// result r of lane l comes from register [bit of l], lane l with that bit set to r.
LaneSource swapSource(int bit, int lane, int result) {
  return {lane >> bit & 1, (lane & ~(1 << bit)) | result << bit};
}

//===-- Choosing -----------------------------------------------------------===//

bool gives(const CrossLaneMove &move, uint64_t control, const LaneMap &sources, int lanes) {
  for (int lane = 0; lane < lanes; ++lane)
    if (sources[lane] >= 0 && sourceOf(move, control, lane, 0, lanes).lane != sources[lane])
      return false;
  return true;
}

// Selector fields are read off the map: field i is where lanes with l % group = i of
// every group take from; lanes that do not matter keep their own.
uint64_t selectorsOf(const LaneMap &sources, int lanes, int group, int bits) {
  uint64_t control = 0;
  for (int position = 0; position < group; ++position) {
    int from = position;
    for (int lane = position; lane < lanes; lane += group)
      if (sources[lane] >= 0)
        from = sources[lane] % group;
    control |= static_cast<uint64_t>(from) << bits * position;
  }
  return control;
}

// Each of the five bits of a ds_swizzle source is a destination bit, its complement,
// 0 or 1: and, or, xor masks of that bit. Read off the lanes that matter.
uint64_t bitMaskOf(const LaneMap &sources, int lanes) {
  uint64_t control = 0;
  for (int bit = 0; bit < 5; ++bit) {
    int seen[2] = {-1, -1}; // source bit for destination bit 0 and 1
    for (int lane = 0; lane < lanes; ++lane)
      if (sources[lane] >= 0)
        seen[lane >> bit & 1] = sources[lane] >> bit & 1;
    const int at0 = seen[0] >= 0 ? seen[0] : seen[1] >= 0 ? !seen[1] : 0;
    const int at1 = seen[1] >= 0 ? seen[1] : !at0;
    if (at0 != at1) // keep the bit
      control |= uint64_t(1) << bit;
    if (at0) // then flip it, or turn the cleared bit on
      control |= uint64_t(1) << (10 + bit);
  }
  return control;
}

// The immediates of a move that could give the map; few enough to try.
std::vector<uint64_t> candidates(const CrossLaneMove &move, const LaneMap &sources, int lanes) {
  switch (move.formula) {
  case LaneFormula::QuadPerm:
  case LaneFormula::SwizzleQuadPerm:
    return {move.firstControl + selectorsOf(sources, lanes, 4, 2)};
  case LaneFormula::Dpp8:
    return {selectorsOf(sources, lanes, 8, 3)};
  case LaneFormula::Permlane16:
  case LaneFormula::PermlaneX16:
    return {selectorsOf(sources, lanes, 16, 4)};
  case LaneFormula::SwizzleBitMask:
    return {bitMaskOf(sources, lanes)};
  default: {
    std::vector<uint64_t> all;
    for (uint64_t control = move.firstControl; control <= move.lastControl; ++control)
      all.push_back(control);
    return all;
  }
  }
}

bool cheaper(const MoveCost &a, const MoveCost &b) {
  return a.issue + a.latency < b.issue + b.latency;
}

bool inWave(const LaneMap &sources, int lanes) {
  return std::all_of(sources.begin(), sources.begin() + lanes,
                     [lanes](int8_t lane) { return lane >= -1 && lane < lanes; });
}

int lanesOf(Arch arch) { return archInfo(arch).waveSize; }

std::optional<MoveChoice> immediateMove(Arch arch, const LaneMap &sources, bool valuOnly) {
  const int lanes = lanesOf(arch);
  std::optional<MoveChoice> best;
  for (const CrossLaneMove *move : crossLaneMoves(arch)) {
    if (move->kind != MoveKind::Gather || !move->total ||
        (valuOnly && move->cost.pipe != MovePipe::Valu))
      continue;
    if (best && !cheaper(move->cost, best->move->cost))
      continue;
    for (const uint64_t control : candidates(*move, sources, lanes))
      if (gives(*move, control, sources, lanes)) {
        best = MoveChoice{move, control};
        break;
      }
  }
  return best;
}

LaneMap xorMap(unsigned mask) {
  LaneMap map;
  for (int lane = 0; lane < 64; ++lane)
    map[lane] = static_cast<int8_t>(lane ^ mask);
  return map;
}

void replaceAll(std::string &text, std::string_view key, std::string_view value) {
  for (size_t at = text.find(key); at != std::string::npos; at = text.find(key, at + value.size()))
    text.replace(at, key.size(), value);
}

} // namespace

const std::vector<CrossLaneMove> &crossLaneMoves() {
  static const std::vector<CrossLaneMove> moves = buildMoves();
  return moves;
}

std::vector<const CrossLaneMove *> crossLaneMoves(Arch arch) {
  std::vector<const CrossLaneMove *> out;
  for (const CrossLaneMove &move : crossLaneMoves())
    if (move.availableOn(arch))
      out.push_back(&move);
  return out;
}

Result<const CrossLaneMove *> findCrossLaneMove(std::string_view name, Arch arch) {
  std::string known;
  for (const CrossLaneMove *move : crossLaneMoves(arch)) {
    if (name == move->name)
      return move;
    known += (known.empty() ? "" : ", ") + std::string(move->name);
  }
  return makeError("no cross-lane instruction '%.*s' on %s; there are: %s",
                   static_cast<int>(name.size()), name.data(), archName(arch), known.c_str());
}

namespace {

// The first immediate row of a pipe whose controls include this one. dpp8 and the
// permlanes take selectors of their own, no dpp_ctrl.
Result<const CrossLaneMove *> moveOfControl(uint32_t control, MovePipe pipe, Arch arch) {
  constexpr uint64_t lastDppControl = 0x1FF;
  for (const CrossLaneMove *move : crossLaneMoves(arch)) {
    const bool selectors = pipe == MovePipe::Valu && move->lastControl > lastDppControl;
    const bool bare = pipe == MovePipe::Valu && move->formula == LaneFormula::Permlane64;
    if (move->kind == MoveKind::Gather && move->cost.pipe == pipe && !selectors && !bare &&
        move->firstControl <= control && control <= move->lastControl)
      return move;
  }
  return makeError("%s has no %s control 0x%x", archName(arch),
                   pipe == MovePipe::Valu ? "DPP" : "ds_swizzle", control);
}

} // namespace

Result<const CrossLaneMove *> dppMove(uint32_t control, Arch arch) {
  return moveOfControl(control, MovePipe::Valu, arch);
}
Result<const CrossLaneMove *> swizzleMove(uint32_t offset, Arch arch) {
  return moveOfControl(offset, MovePipe::Lds, arch);
}

LaneSource sourceOf(const CrossLaneMove &move, uint64_t control, int lane, int result,
                    int waveSize) {
  if (move.formula == LaneFormula::SwapLaneBit4)
    return swapSource(4, lane, result);
  if (move.formula == LaneFormula::SwapLaneBit5)
    return swapSource(5, lane, result);
  return {0, gatherSource(move.formula, control, lane, waveSize)};
}

int destinationOf(uint32_t address, int waveSize) {
  return static_cast<int>(address >> 2 & static_cast<uint32_t>(waveSize - 1));
}

uint32_t permuteBytes(uint32_t high, uint32_t low, uint32_t selector) {
  const uint64_t bytes = uint64_t(high) << 32 | low;
  uint32_t out = 0;
  for (int i = 0; i < 4; ++i) {
    const unsigned choice = selector >> 8 * i & 0xff;
    uint32_t byte = 0xff;
    if (choice < 8)
      byte = static_cast<uint32_t>(bytes >> 8 * choice & 0xff);
    else if (choice < 12)
      byte = bytes >> (16 * (choice - 8) + 15) & 1 ? 0xff : 0;
    else if (choice == 12)
      byte = 0;
    out |= byte << 8 * i;
  }
  return out;
}

std::optional<MoveChoice> cheapestMove(Arch arch, const LaneMap &sources) {
  if (!inWave(sources, lanesOf(arch)))
    return std::nullopt;
  if (const std::optional<MoveChoice> immediate = immediateMove(arch, sources, false))
    return immediate;
  const Result<const CrossLaneMove *> indexed = findCrossLaneMove("ds_bpermute", arch);
  if (!indexed)
    return std::nullopt;
  return MoveChoice{*indexed, 0};
}

std::vector<MoveChoice> xorMoves(Arch arch, unsigned mask) {
  if (mask == 0 || mask >= static_cast<unsigned>(lanesOf(arch)))
    return {};
  if (const auto one = immediateMove(arch, xorMap(mask), true))
    return {*one};
  // Two DPPs: mask = first ^ second, both of them single.
  for (unsigned first = 1; first < 16 && mask < 16; ++first) {
    const auto a = immediateMove(arch, xorMap(first), true);
    const auto b = immediateMove(arch, xorMap(mask ^ first), true);
    if (a && b)
      return {*a, *b};
  }
  const auto any = cheapestMove(arch, xorMap(mask));
  return any ? std::vector<MoveChoice>{*any} : std::vector<MoveChoice>();
}

std::string moveText(const CrossLaneMove &move, std::string_view x, std::string_view control,
                     std::string_view y, std::string_view old) {
  std::string text = move.text;
  replaceAll(text, "{c}", control);
  replaceAll(text, "{x}", x);
  replaceAll(text, "{y}", y);
  replaceAll(text, "{old}", old);
  return text;
}

//===-- shfl ---------------------------------------------------------------===//

// In the words of the PTX manual: bval = b & 31, segmask = c >> 8 & 31,
// maxLane = (lane & segmask) | (cval & ~segmask), minLane = lane & segmask.
ShuffleSource shuffleSource(ShuffleMode mode, uint32_t b, uint32_t c, int lane) {
  const int value = b & 31, clamp = c & 31, segment = c >> 8 & 31;
  const int last = (lane & segment) | (clamp & ~segment), first = lane & segment;
  int source = lane;
  bool inRange = true;
  switch (mode) {
  case ShuffleMode::Up:
    source = lane - value;
    inRange = source >= last;
    break;
  case ShuffleMode::Down:
    source = lane + value;
    inRange = source <= last;
    break;
  case ShuffleMode::Bfly:
    source = lane ^ value;
    inRange = source <= last;
    break;
  case ShuffleMode::Idx:
    source = first | (value & ~segment);
    inRange = source <= last;
    break;
  }
  return {inRange ? source : lane, inRange};
}

uint32_t shuffleClamp(ShuffleMode mode, int width) {
  const uint32_t segment = static_cast<uint32_t>(32 - width) << 8;
  return mode == ShuffleMode::Up ? segment : segment | 31;
}

} // namespace layout_port::isa
