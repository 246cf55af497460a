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

#include <algorithm>

namespace layout_port::solve {

namespace {

using isa::LaneFormula;

// A lane map whose pattern is the same in every wave; what its matrix is like is
// found once, for all offsets.
class LinearMap {
public:
  explicit LinearMap(f2::Columns columns) : columns_(std::move(columns)) {
    for (int i = 0; i < bits(); ++i) {
      const uint64_t own = uint64_t(1) << i;
      if (columns_[i] != own)
        keptFrom_ = i + 1;
      diagonal_ &= columns_[i] == own || (i < 5 && columns_[i] == 0);
      if (i < 5)
        mask_ |= columns_[i];
      forgetsRow_ &= columns_[i] == (i < 4 ? 0 : own);
    }
    for (int i = 0; i < keptFrom_; ++i)
      if (columns_[i])
        keptFrom_ = std::max(keptFrom_, f2::highestBit(columns_[i]) + 1);
  }

  int bits() const { return static_cast<int>(columns_.size()); }
  bool isXor() const { return keptFrom_ == 0; }
  // W acts on the lane bits below `from` alone.
  bool keepsBitsFrom(int from) const { return keptFrom_ <= from; }
  // All lanes of a row of 16 read the same lane.
  bool forgetsRow() const { return bits() >= 4 && forgetsRow_; }
  uint64_t at(uint64_t lane) const { return f2::apply(columns_, lane); }

  // One field of `fieldBits` for each of the first lanes: where it reads.
  uint64_t permControl(int fieldBits, uint64_t offset) const {
    uint64_t control = 0;
    for (uint64_t lane = 0; lane < uint64_t(1) << fieldBits; ++lane)
      control |= ((at(lane) ^ offset) & f2::lowMask(fieldBits)) << (fieldBits * lane);
    return control;
  }

  // ds_swizzle pattern and | or << 5 | xor << 10: W is diagonal on the five low bits.
  std::optional<uint64_t> bitMaskControl(uint64_t offset) const {
    if (!diagonal_ || offset >= 32)
      return std::nullopt;
    return mask_ | offset << 10;
  }

private:
  f2::Columns columns_;
  int keptFrom_ = 0;
  bool diagonal_ = true, forgetsRow_ = true;
  uint64_t mask_ = 0;
};

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
std::optional<uint64_t> controlFor(const isa::CrossLaneMove &row, const LinearMap &map,
                                   uint64_t offset) {
  switch (row.formula) {
  case LaneFormula::QuadPerm:
    if (map.keepsBitsFrom(2) && offset < 4)
      return map.permControl(2, offset);
    break;
  case LaneFormula::RowXmask:
    if (map.isXor() && offset < 16)
      return row.firstControl + offset;
    break;
  case LaneFormula::RowBroadcast:
    if (map.forgetsRow() && offset < 16)
      return row.firstControl + offset;
    break;
  case LaneFormula::Permlane16:
    if (map.keepsBitsFrom(4) && offset < 16)
      return map.permControl(4, offset);
    break;
  case LaneFormula::PermlaneX16:
    if (map.keepsBitsFrom(4) && offset >> 4 == 1)
      return map.permControl(4, offset);
    break;
  case LaneFormula::SwizzleBitMask:
    return map.bitMaskControl(offset);
  default:
    if (const uint64_t mask = fixedXor(row); mask && map.isXor() && offset == mask)
      return row.firstControl;
  }
  return std::nullopt;
}

// Keeps the cheapest of what it is offered.
class Cheapest {
public:
  explicit Cheapest(int words) : words_(words) {}

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

void offerImmediate(Cheapest &cheapest, isa::Arch arch, const LinearMap &map, uint64_t offset) {
  const isa::CrossLaneMove *quadPerm = nullptr;
  for (const isa::CrossLaneMove *row : crossLaneRows(arch))
    if (row->formula == LaneFormula::QuadPerm)
      quadPerm = row;
  for (const isa::CrossLaneMove *row : crossLaneRows(arch)) {
    if (const std::optional<uint64_t> control = controlFor(*row, map, offset))
      cheapest.offer({1, {{row, *control}, {}}});
    const uint64_t mask = fixedXor(*row);
    if (!mask || !quadPerm || !map.keepsBitsFrom(2))
      continue;
    const uint64_t rest = offset ^ map.at(mask);
    if (rest < 4)
      cheapest.offer({2, {{quadPerm, map.permControl(2, rest)}, {row, row->firstControl}}});
  }
}

void offerAddressed(Cheapest &cheapest, isa::Arch arch, isa::MoveKind kind) {
  for (const isa::CrossLaneMove *row : crossLaneRows(arch))
    if (row->kind == kind && row->formula == LaneFormula::LaneOfAddress)
      cheapest.offer({1, {{row, 0}, {}}});
}

int weight(const f2::Columns &map) {
  int ones = 0;
  for (const uint64_t column : map)
    ones += f2::popcount(column);
  return ones;
}

} // namespace

struct LaneMoveChooser::Map : LinearMap {
  using LinearMap::LinearMap;
};

LaneMoveChooser::LaneMoveChooser(isa::Arch arch, int laneBits, const f2::Columns &source,
                                 const f2::Columns *inverse, int words)
    : arch_(arch), words_(words),
      map_(std::make_unique<Map>(f2::Columns(source.begin(), source.begin() + laneBits))),
      sameInAllWaves_(std::all_of(source.begin() + laneBits, source.end(),
                                  [](uint64_t column) { return column == 0; })),
      // The address of a gather is computed from W, of a scatter from its inverse: the
      // one with fewer terms is the shorter.
      scatters_(inverse && weight(*inverse) < weight(source)), known_(uint64_t(1) << laneBits) {}

LaneMoveChooser::~LaneMoveChooser() = default;

const LaneInstruction &LaneMoveChooser::choose(uint64_t offset) {
  std::optional<LaneInstruction> &known = known_[offset];
  if (!known)
    known = find(offset);
  return *known;
}

LaneInstruction LaneMoveChooser::find(uint64_t offset) const {
  if (sameInAllWaves_ && map_->isXor() && offset == 0)
    return {};
  if (arch_ == isa::Arch::Nvidia)
    return {1, {}};
  Cheapest cheapest(words_);
  offerAddressed(cheapest, arch_, scatters_ ? isa::MoveKind::Scatter : isa::MoveKind::Indexed);
  if (sameInAllWaves_)
    offerImmediate(cheapest, arch_, *map_, offset);
  return cheapest.best();
}

const std::vector<const isa::CrossLaneMove *> &crossLaneRows(isa::Arch arch) {
  static const auto rows = [] {
    std::vector<std::vector<const isa::CrossLaneMove *>> all;
    for (int i = 0; i < isa::kNumArchs; ++i)
      all.push_back(isa::crossLaneMoves(static_cast<isa::Arch>(i)));
    return all;
  }();
  return rows[static_cast<int>(arch)];
}

const isa::CrossLaneMove *permlaneSwap(isa::Arch arch, int laneBit) {
  for (const isa::CrossLaneMove *row : crossLaneRows(arch))
    if ((row->formula == LaneFormula::SwapLaneBit4 && laneBit == 4) ||
        (row->formula == LaneFormula::SwapLaneBit5 && laneBit == 5))
      return row;
  return nullptr;
}

} // namespace layout_port::solve
