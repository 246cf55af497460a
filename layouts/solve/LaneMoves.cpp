// Matches a lane map against the rows of isa/CrossLane.inc.
//
// A map source(L) = W L ^ o fits a row when its matrix W has the shape that the row's
// formula makes; the offset then gives the control. Two DPPs make what one cannot:
//
//   tmp = quad_perm(value), result = xor_a(tmp):
//   source(L) = q(L ^ a),   q(x) = W x ^ c   with W on bits 0 and 1   =>   c = o ^ W a
//
// so every XOR below 16 is at most two, and so is every map of the quad followed by
// one. checkConversion runs what was chosen against isa::sourceOf.
#include "solve/LaneMoves.h"

namespace layout_port::solve {

namespace {

using isa::LaneFormula;

// A lane map whose pattern is the same in every wave.
struct LinearMap {
  f2::Columns columns; // W
  uint64_t offset;

  bool isXor() const { return keepsBitsFrom(0); }
  // W acts on the lane bits below `from` alone.
  bool keepsBitsFrom(int from) const {
    for (int i = 0; i < static_cast<int>(columns.size()); ++i) {
      const uint64_t own = uint64_t(1) << i;
      if (i >= from ? columns[i] != own : columns[i] >> from != 0)
        return false;
    }
    return true;
  }
  // All lanes that agree above bit `bits` read the same lane.
  bool forgetsBitsBelow(int bits) const {
    for (int i = 0; i < static_cast<int>(columns.size()); ++i)
      if (columns[i] != (i < bits ? 0 : uint64_t(1) << i))
        return false;
    return true;
  }
};

// Two bits for each lane of the quad.
uint64_t quadPermControl(const LinearMap &map, uint64_t offset) {
  uint64_t control = 0;
  for (uint64_t lane = 0; lane < 4; ++lane)
    control |= ((f2::apply(map.columns, lane) ^ offset) & 3) << (2 * lane);
  return control;
}

// Four bits for each lane of the row of 16.
uint64_t rowPermControl(const LinearMap &map) {
  uint64_t control = 0;
  for (uint64_t lane = 0; lane < 16; ++lane)
    control |= ((f2::apply(map.columns, lane) ^ map.offset) & 15) << (4 * lane);
  return control;
}

// ds_swizzle pattern and | or << 5 | xor << 10: W is diagonal on the five low bits.
std::optional<uint64_t> bitMaskControl(const LinearMap &map) {
  uint64_t keep = 0;
  for (int i = 0; i < static_cast<int>(map.columns.size()); ++i) {
    const uint64_t own = uint64_t(1) << i;
    if (map.columns[i] != own && (i >= 5 || map.columns[i] != 0))
      return std::nullopt;
    if (i < 5)
      keep |= map.columns[i];
  }
  if (map.offset >= 32)
    return std::nullopt;
  return keep | map.offset << 10;
}

// The XOR that a DPP form makes whatever its control, 0 for the others.
uint64_t fixedXor(const isa::CrossLaneMove &row) {
  switch (row.formula) {
  case LaneFormula::RowHalfMirror:
    return 7;
  case LaneFormula::RowMirror:
    return 15;
  case LaneFormula::RowRor:
    return row.firstControl == 0x128 && row.lastControl == 0x128 ? 8 : 0;
  default:
    return 0;
  }
}

// The control with which the row makes the map, for rows with an immediate.
std::optional<uint64_t> controlFor(const isa::CrossLaneMove &row, const LinearMap &map) {
  const int bits = static_cast<int>(map.columns.size());
  switch (row.formula) {
  case LaneFormula::QuadPerm:
    if (map.keepsBitsFrom(2) && map.offset < 4)
      return quadPermControl(map, map.offset);
    break;
  case LaneFormula::RowXmask:
    if (map.isXor() && map.offset < 16)
      return row.firstControl + map.offset;
    break;
  case LaneFormula::RowBroadcast:
    if (bits >= 4 && map.forgetsBitsBelow(4) && map.offset < 16)
      return row.firstControl + map.offset;
    break;
  case LaneFormula::Permlane16:
    if (map.keepsBitsFrom(4) && map.offset < 16)
      return rowPermControl(map);
    break;
  case LaneFormula::PermlaneX16:
    if (map.keepsBitsFrom(4) && map.offset >> 4 == 1)
      return rowPermControl(map);
    break;
  case LaneFormula::SwizzleBitMask:
    return bitMaskControl(map);
  default:
    if (const uint64_t mask = fixedXor(row); mask && map.isXor() && map.offset == mask)
      return row.firstControl;
  }
  return std::nullopt;
}

// Keeps the cheapest of what it is offered.
class Chooser {
public:
  explicit Chooser(int words) : words_(words) {}

  void offer(const LaneInstruction &candidate) {
    const double cost = candidate.issue() * words_ + candidate.latency();
    if (!best_.isOwn() && cost >= bestCost_)
      return;
    best_ = candidate;
    bestCost_ = cost;
  }
  const LaneInstruction &best() const { return best_; }

private:
  int words_;
  LaneInstruction best_;
  double bestCost_ = 0;
};

void offerImmediate(Chooser &chooser, isa::Arch arch, const LinearMap &map) {
  const isa::CrossLaneMove *quadPerm = nullptr;
  for (const isa::CrossLaneMove *row : crossLaneRows(arch))
    if (row->formula == LaneFormula::QuadPerm)
      quadPerm = row;
  for (const isa::CrossLaneMove *row : crossLaneRows(arch)) {
    if (const std::optional<uint64_t> control = controlFor(*row, map))
      chooser.offer({1, {{row, *control}, {}}});
    const uint64_t mask = fixedXor(*row);
    if (!mask || !quadPerm || !map.keepsBitsFrom(2))
      continue;
    const uint64_t rest = map.offset ^ f2::apply(map.columns, mask);
    if (rest < 4)
      chooser.offer({2, {{quadPerm, quadPermControl(map, rest)}, {row, row->firstControl}}});
  }
}

void offerAddressed(Chooser &chooser, isa::Arch arch, isa::MoveKind kind) {
  for (const isa::CrossLaneMove *row : crossLaneRows(arch))
    if (row->kind == kind && row->formula == LaneFormula::LaneOfAddress)
      chooser.offer({1, {{row, 0}, {}}});
}

int weight(const AffineBits &map) {
  int ones = 0;
  for (const uint64_t column : map.columns)
    ones += f2::popcount(column);
  return ones;
}

} // namespace

const std::vector<const isa::CrossLaneMove *> &crossLaneRows(isa::Arch arch) {
  static const auto rows = [] {
    std::vector<std::vector<const isa::CrossLaneMove *>> all;
    for (int i = 0; i < isa::kNumArchs; ++i)
      all.push_back(isa::crossLaneMoves(static_cast<isa::Arch>(i)));
    return all;
  }();
  return rows[static_cast<int>(arch)];
}

LaneInstruction chooseLaneInstruction(isa::Arch arch, int laneBits, const AffineBits &source,
                                      const AffineBits *inverse, int words) {
  const LinearMap map{f2::Columns(source.columns.begin(), source.columns.begin() + laneBits),
                      source.offset};
  bool sameInAllWaves = true;
  for (size_t i = laneBits; i < source.columns.size(); ++i)
    sameInAllWaves &= source.columns[i] == 0;
  if (sameInAllWaves && map.isXor() && map.offset == 0)
    return {};
  if (arch == isa::Arch::Nvidia)
    return {1, {}};
  Chooser chooser(words);
  // The address of a gather is computed from W, of a scatter from its inverse: the one
  // with fewer terms is the shorter.
  const bool scatter = inverse && weight(*inverse) < weight(source);
  offerAddressed(chooser, arch, scatter ? isa::MoveKind::Scatter : isa::MoveKind::Indexed);
  if (sameInAllWaves)
    offerImmediate(chooser, arch, map);
  return chooser.best();
}

const isa::CrossLaneMove *permlaneSwap(isa::Arch arch, int laneBit) {
  for (const isa::CrossLaneMove *row : crossLaneRows(arch))
    if ((row->formula == LaneFormula::SwapLaneBit4 && laneBit == 4) ||
        (row->formula == LaneFormula::SwapLaneBit5 && laneBit == 5))
      return row;
  return nullptr;
}

} // namespace layout_port::solve
