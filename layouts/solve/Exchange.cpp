// One exchange: choose T, then everything else follows (the drawing in Plan.h).
//
// In general steps have extra bits z, and T is two matrices: a receiver t takes word
// w' in step (w' ^ T1 t, T2 t). What makes a T valid is that a sender can know what to
// send: the source word must be a function of step and sender,
//
//   N = Q T1 + P  must factor through  S = (T2; W; warp),     N = F S,  F = (Fz | X)
//
// that is ker S within ker N. Counting positions x = (w', t): the kernel K of
// (step, receiver) meets the destination words in 0, and meets the positions that read
// lane 0 only where nothing else is read either. The largest such K is a common
// complement, so the number of steps is the least there can be:
//
//   2^max(words a lane receives, words a lane sends)   (as numbers of bits)
#include "solve/Exchange.h"

#include "solve/LaneMoves.h"
#include "solve/Problem.h"

#include <algorithm>

namespace layout_port::solve {

namespace {

// Candidates for T that are costed: fewer where each has many steps.
constexpr int kMostCandidates = 96, kLeastCandidates = 12, kStepsPriced = 512;

// T1 and T2, a column for each thread bit.
struct Gauge {
  f2::Columns low, high;
  int highBits = 0;
};

f2::Columns stacked(const f2::Columns &low, int lowBits, const f2::Columns &high) {
  f2::Columns columns;
  for (size_t i = 0; i < low.size(); ++i)
    columns.push_back(low[i] | high[i] << lowBits);
  return columns;
}

// A linear F with F keys[i] = values[i], as images of the unit vectors of `bits` bits;
// nothing when equal keys want different values. Where the keys do not reach, F is 0 on
// the unit vectors that complete them.
std::optional<f2::Columns> linearThrough(const f2::Columns &keys, f2::Columns values, int bits) {
  f2::Span span;
  for (size_t i = 0; i < keys.size(); ++i) {
    const std::optional<uint64_t> known = span.solve(keys[i]);
    if (!known)
      span.insert(keys[i], static_cast<int>(i));
    else if (f2::apply(values, *known) != values[i])
      return std::nullopt;
  }
  f2::Columns map;
  for (int b = 0; b < bits; ++b) {
    const uint64_t unit = uint64_t(1) << b;
    if (span.insert(unit, static_cast<int>(values.size())))
      values.push_back(0);
    map.push_back(f2::apply(values, *span.solve(unit)));
  }
  return map;
}

// All that follows from a valid T.
class Factors {
public:
  Factors(const Conversion &words, Gauge gauge) : words_(&words), gauge_(std::move(gauge)) {}

  bool solve() {
    for (int t = 0; t < words_->threadBits(); ++t) {
      const uint64_t moved = throughSlots(gauge_.low[t]) ^ words_->threadColumn(t);
      lane_.push_back(words_->lanePart(moved));
      wanted_.push_back(words_->slotPart(moved));
    }
    return solveSender();
  }

  ExchangeStep build(isa::Arch arch) const {
    ExchangeStep step;
    step.sourceWordBits = words_->sourceSlotBits;
    step.destWordBits = words_->destSlotBits;
    LaneMoveChooser chooser = chooserFor(arch);
    for (uint64_t s = 0; s < steps(); ++s) {
      step.moves.push_back(moveOf(s));
      WordMove &move = step.moves.back();
      move.instruction = chooser.choose(move.sourceLane.offset);
    }
    step.selectsBefore = selectsBefore();
    step.selectsAfter = selectsAfter();
    return step;
  }

  // costOf(build(arch)), without building.
  PlanCost price(isa::Arch arch) const {
    LaneMoveChooser chooser = chooserFor(arch);
    PlanCost cost;
    cost.selects = selectsBefore() + selectsAfter();
    double latency = 0;
    for (uint64_t s = 0; s < steps(); ++s) {
      const LaneInstruction &instruction = chooser.choose(laneOffset(s));
      cost.moves += instruction.count;
      cost.cycles += instruction.issue();
      latency = std::max(latency, instruction.latency());
    }
    cost.cycles += latency + cost.selects * selectClocks();
    return cost;
  }

private:
  // (Q; U) w': the position that a destination word reads, seen from thread 0.
  uint64_t throughSlots(uint64_t word) const { return f2::apply(words_->columns, word); }

  bool solveSender() {
    f2::Columns keys;
    const int laneAt = gauge_.highBits, groupAt = laneAt + words_->laneBits;
    for (int t = 0; t < words_->threadBits(); ++t) {
      const uint64_t group = t < words_->laneBits ? 0 : uint64_t(1) << (t - words_->laneBits);
      keys.push_back(gauge_.high[t] | lane_[t] << laneAt | group << groupAt);
    }
    const std::optional<f2::Columns> map =
        linearThrough(keys, wanted_, laneAt + words_->threadBits());
    if (!map)
      return false;
    fromHigh_.assign(map->begin(), map->begin() + laneAt);
    fromThread_.assign(map->begin() + laneAt, map->end());
    return true;
  }

  uint64_t steps() const { return uint64_t(1) << (words_->destSlotBits + gauge_.highBits); }
  uint64_t position(uint64_t s) const {
    return throughSlots(s & f2::lowMask(words_->destSlotBits));
  }
  uint64_t laneOffset(uint64_t s) const { return words_->lanePart(position(s)); }
  uint64_t sendOffset(uint64_t s) const {
    const uint64_t from = position(s);
    return words_->slotPart(from) ^ f2::apply(fromHigh_, f2::shiftRight(s, words_->destSlotBits)) ^
           f2::apply(fromThread_, words_->lanePart(from));
  }
  f2::Columns stepOfThread() const {
    return stacked(gauge_.low, words_->destSlotBits, gauge_.high);
  }

  WordMove moveOf(uint64_t s) const {
    WordMove move;
    move.sendWord = {fromThread_, sendOffset(s)};
    move.sourceLane = {lane_, laneOffset(s)};
    move.destWord = {stepOfThread(), s};
    return move;
  }

  // The map from sender to receiver, without its offset, if there is one.
  std::optional<f2::Columns> inverseLaneMap() const {
    for (int t = words_->laneBits; t < words_->threadBits(); ++t)
      if (lane_[t])
        return std::nullopt;
    f2::Columns units;
    for (int i = 0; i < words_->laneBits; ++i)
      units.push_back(uint64_t(1) << i);
    return f2::solve(f2::Columns(lane_.begin(), lane_.begin() + words_->laneBits), units);
  }

  LaneMoveChooser chooserFor(isa::Arch arch) const {
    int moved = 0;
    for (uint64_t s = 0; s < steps(); ++s)
      moved += !isOwn(s);
    const std::optional<f2::Columns> inverse = lanesAreOwn() ? std::nullopt : inverseLaneMap();
    return LaneMoveChooser(arch, words_->laneBits, lane_, inverse ? &*inverse : nullptr, moved);
  }

  // Where a lane takes word w' from its own step s, T t = w' ^ s is known; if that
  // also decides which word it would send, it is one register and needs no select. With
  // more than one direction the receiver's selects are shared and it would.
  bool ownWordsAreFixed() const {
    const f2::Columns steps = stepOfThread();
    const int bits = words_->destSlotBits + gauge_.highBits;
    const int rank = f2::rank(steps);
    return rank <= 1 && f2::rank(stacked(steps, bits, fromThread_)) == rank;
  }

  bool lanesAreOwn() const {
    for (int t = 0; t < words_->threadBits(); ++t)
      if (lane_[t] != (t < words_->laneBits ? uint64_t(1) << t : 0))
        return false;
    return true;
  }
  bool isOwn(uint64_t s) const { return laneOffset(s) == 0 && lanesAreOwn(); }

  int selectsBefore() const {
    if (std::all_of(fromThread_.begin(), fromThread_.end(), [](uint64_t c) { return c == 0; }))
      return 0;
    const bool ownFixed = ownWordsAreFixed();
    std::vector<uint64_t> sent;
    for (uint64_t s = 0; s < steps(); ++s)
      if (!ownFixed || !isOwn(s))
        sent.push_back(sendOffset(s));
    return selectCount(sent, fromThread_);
  }

  int selectsAfter() const {
    std::vector<uint64_t> stored;
    for (uint64_t w = 0; w < uint64_t(1) << words_->destSlotBits; ++w)
      stored.push_back(w);
    return selectCount(stored, stepOfThread());
  }

  const Conversion *words_;
  Gauge gauge_;
  f2::Columns lane_;       // W
  f2::Columns wanted_;     // N = Q T1 + P
  f2::Columns fromHigh_;   // Fz
  f2::Columns fromThread_; // X
};

// Looks for the T of the least cost.
class GaugeSearch {
public:
  GaugeSearch(const Conversion &words, isa::Arch arch)
      : words_(words), arch_(arch),
        budget_(std::max(kLeastCandidates,
                         std::min(kMostCandidates, kStepsPriced >> words.destSlotBits))) {
    for (int i = 0; i < words.destSlotBits; ++i)
      laneOfSlot_.push_back(words.lanePart(words.slotColumn(i)));
  }

  ExchangeStep run() {
    consider(towardsIdentity());
    consider(zero());
    if (!best_)
      consider(fromCommonComplement());
    descend();
    return best_->build(arch_);
  }

private:
  Gauge zero() const {
    return {f2::Columns(words_.threadBits(), 0), f2::Columns(words_.threadBits(), 0), 0};
  }

  // T with W = I where U can reach that: U T_t = V_t ^ own lane bit.
  Gauge towardsIdentity() const {
    Gauge gauge = zero();
    for (int t = 0; t < words_.threadBits(); ++t) {
      const uint64_t own = t < words_.laneBits ? uint64_t(1) << t : 0;
      gauge.low[t] =
          f2::solve(laneOfSlot_, words_.lanePart(words_.threadColumn(t)) ^ own).value_or(0);
    }
    return gauge;
  }

  Gauge fromCommonComplement() const;

  bool consider(Gauge gauge) {
    ++tried_;
    Factors factors(words_, gauge);
    if (!factors.solve())
      return false;
    const PlanCost cost = factors.price(arch_);
    if (best_ && (cost.cycles > bestCost_.cycles ||
                  (cost.cycles == bestCost_.cycles && cost.moves >= bestCost_.moves)))
      return false;
    best_ = std::move(factors);
    bestCost_ = cost;
    bestGauge_ = std::move(gauge);
    return true;
  }

  // One column of T1 at a time, while that helps.
  void descend() {
    for (bool better = true; better && tried_ < budget_;) {
      better = false;
      for (int t = 0; t < words_.threadBits(); ++t)
        for (const uint64_t value : alternatives(t)) {
          if (tried_ >= budget_)
            return;
          Gauge gauge = bestGauge_;
          gauge.low[t] = value;
          better |= consider(std::move(gauge));
        }
    }
  }

  // All values of a short column; of a long one 0 and one-bit changes.
  f2::Columns alternatives(int t) const {
    f2::Columns values;
    const uint64_t current = bestGauge_.low[t];
    if (words_.destSlotBits <= 2) {
      for (uint64_t v = 0; v < uint64_t(1) << words_.destSlotBits; ++v)
        values.push_back(v);
    } else {
      values.push_back(0);
      for (int b = 0; b < words_.destSlotBits; ++b)
        values.push_back(current ^ uint64_t(1) << b);
    }
    values.erase(std::remove(values.begin(), values.end(), current), values.end());
    return values;
  }

  const Conversion &words_;
  isa::Arch arch_;
  f2::Columns laneOfSlot_; // U
  std::optional<Factors> best_;
  PlanCost bestCost_;
  Gauge bestGauge_;
  int tried_ = 0, budget_;
};

// The always valid T. Work in the image of C, which is the space of positions without
// those that read the same: destination words there, positions that read lane 0 (of
// wave 0) there, and a common complement K of the two. Its preimage is the kernel of
// the step; a thread bit is then written as (element of K) + (words) + (extra bits).
Gauge GaugeSearch::fromCommonComplement() const {
  const f2::Columns image = f2::image(words_.columns);
  const int dimension = static_cast<int>(image.size());
  const f2::Columns slots = *f2::solve(image, words_.slotColumns());
  f2::Columns threadParts;
  for (const uint64_t vector : image)
    threadParts.push_back(words_.threadPart(vector));
  const f2::Columns complement = f2::commonComplement(slots, f2::kernel(threadParts), dimension);

  // Coordinates: K first (dropped), then the words, then thread bits that are new.
  f2::Span span;
  int tag = 0;
  for (const uint64_t vector : complement)
    span.insert(vector, tag++);
  const int slotsAt = tag;
  for (const uint64_t vector : slots)
    span.insert(vector, tag++);
  const int highAt = tag;
  const f2::Columns threads = *f2::solve(image, words_.threadColumns());
  for (const uint64_t vector : threads)
    if (span.insert(vector, tag))
      ++tag;

  Gauge gauge = zero();
  gauge.highBits = tag - highAt;
  for (size_t t = 0; t < threads.size(); ++t) {
    const uint64_t coordinates = *span.solve(threads[t]);
    gauge.low[t] = coordinates >> slotsAt & f2::lowMask(highAt - slotsAt);
    gauge.high[t] = f2::shiftRight(coordinates, highAt);
  }
  return gauge;
}

} // namespace

int selectCount(const std::vector<uint64_t> &offsets, const f2::Columns &matrix) {
  // Backwards: what stage i has to deliver, stage i - 1 must hold twice.
  const f2::Columns directions = f2::image(matrix);
  if (directions.empty())
    return 0;
  uint64_t all = 0;
  for (const uint64_t x : offsets)
    all |= x;
  for (const uint64_t x : directions)
    all |= x;
  std::vector<bool> seen(uint64_t(1) << (all ? f2::highestBit(all) + 1 : 0));
  std::vector<uint64_t> needed;
  const auto need = [&](uint64_t x) {
    if (!seen[x])
      needed.push_back(x);
    seen[x] = true;
  };
  for (const uint64_t x : offsets)
    need(x);
  int count = 0;
  for (const uint64_t direction : directions) {
    count += static_cast<int>(needed.size());
    for (size_t i = 0, size = needed.size(); i < size; ++i)
      need(needed[i] ^ direction);
  }
  return count;
}

PlanCost costOf(const ExchangeStep &step) {
  PlanCost cost;
  double latency = 0;
  cost.selects = step.selectsBefore + step.selectsAfter;
  for (const WordMove &move : step.moves) {
    cost.moves += move.instruction.count;
    cost.cycles += move.instruction.issue();
    latency = std::max(latency, move.instruction.latency());
  }
  cost.cycles += latency + cost.selects * selectClocks();
  return cost;
}

ExchangeStep buildExchange(const Conversion &words, isa::Arch arch) {
  return GaugeSearch(words, arch).run();
}

} // namespace layout_port::solve
