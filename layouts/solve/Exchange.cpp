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

constexpr int kSearchBudget = 96; // candidates for T that are costed

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
  Factors(const Conversion &words, Gauge gauge) : words_(words), gauge_(std::move(gauge)) {}

  bool solve() {
    for (int t = 0; t < words_.threadBits(); ++t) {
      const uint64_t moved = throughSlots(gauge_.low[t]) ^ words_.threadColumn(t);
      lane_.push_back(words_.lanePart(moved));
      wanted_.push_back(words_.slotPart(moved));
    }
    return solveSender();
  }

  ExchangeStep build(isa::Arch arch) const {
    ExchangeStep step;
    step.sourceWordBits = words_.sourceSlotBits;
    step.destWordBits = words_.destSlotBits;
    const int stepBits = words_.destSlotBits + gauge_.highBits;
    for (uint64_t s = 0; s < uint64_t(1) << stepBits; ++s)
      step.moves.push_back(moveOf(s));
    chooseInstructions(step, arch);
    countSelects(step);
    return step;
  }

private:
  // (Q; U) w': the position that a destination word reads, seen from thread 0.
  uint64_t throughSlots(uint64_t word) const { return f2::apply(words_.columns, word); }

  bool solveSender() {
    f2::Columns keys;
    const int laneAt = gauge_.highBits, groupAt = laneAt + words_.laneBits;
    for (int t = 0; t < words_.threadBits(); ++t) {
      const uint64_t group = t < words_.laneBits ? 0 : uint64_t(1) << (t - words_.laneBits);
      keys.push_back(gauge_.high[t] | lane_[t] << laneAt | group << groupAt);
    }
    const std::optional<f2::Columns> map =
        linearThrough(keys, wanted_, laneAt + words_.threadBits());
    if (!map)
      return false;
    fromHigh_.assign(map->begin(), map->begin() + laneAt);
    fromThread_.assign(map->begin() + laneAt, map->end());
    return true;
  }

  WordMove moveOf(uint64_t s) const {
    const uint64_t low = s & f2::lowMask(words_.destSlotBits);
    const uint64_t high = f2::shiftRight(s, words_.destSlotBits);
    const uint64_t position = throughSlots(low);
    WordMove move;
    move.sendWord = {fromThread_, words_.slotPart(position) ^ f2::apply(fromHigh_, high) ^
                                      f2::apply(fromThread_, words_.lanePart(position))};
    move.sourceLane = {lane_, words_.lanePart(position)};
    move.destWord = {stacked(gauge_.low, words_.destSlotBits, gauge_.high), s};
    return move;
  }

  // The map from sender to receiver, without its offset, if there is one.
  std::optional<AffineBits> inverseLaneMap() const {
    for (int t = words_.laneBits; t < words_.threadBits(); ++t)
      if (lane_[t])
        return std::nullopt;
    f2::Columns units;
    for (int i = 0; i < words_.laneBits; ++i)
      units.push_back(uint64_t(1) << i);
    const f2::Columns square(lane_.begin(), lane_.begin() + words_.laneBits);
    std::optional<f2::Columns> inverse = f2::solve(square, units);
    if (!inverse)
      return std::nullopt;
    return AffineBits{std::move(*inverse), 0};
  }

  void chooseInstructions(ExchangeStep &step, isa::Arch arch) const {
    int moved = 0;
    for (const WordMove &move : step.moves)
      moved += !isOwn(move);
    const std::optional<AffineBits> inverse = moved ? inverseLaneMap() : std::nullopt;
    for (WordMove &move : step.moves)
      move.instruction = chooseLaneInstruction(arch, words_.laneBits, move.sourceLane,
                                               inverse ? &*inverse : nullptr, moved);
  }

  // Where a lane takes word w' from its own step s, T t = w' ^ s is known; if that
  // also decides which word it would send, it is one register and needs no select.
  bool ownWordsAreFixed() const {
    const f2::Columns steps = stacked(gauge_.low, words_.destSlotBits, gauge_.high);
    const int bits = words_.destSlotBits + gauge_.highBits;
    return f2::rank(stacked(steps, bits, fromThread_)) == f2::rank(steps);
  }

  bool isOwn(const WordMove &move) const {
    if (move.sourceLane.offset)
      return false;
    for (int t = 0; t < words_.threadBits(); ++t)
      if (lane_[t] != (t < words_.laneBits ? uint64_t(1) << t : 0))
        return false;
    return true;
  }

  void countSelects(ExchangeStep &step) const {
    const bool ownFixed = ownWordsAreFixed();
    std::vector<uint64_t> sent, stored;
    for (const WordMove &move : step.moves)
      if (!ownFixed || !isOwn(move))
        sent.push_back(move.sendWord.offset);
    for (uint64_t w = 0; w < step.destWords(); ++w)
      stored.push_back(w);
    step.selectsBefore = selectCount(sent, fromThread_);
    step.selectsAfter = selectCount(stored, stacked(gauge_.low, words_.destSlotBits, gauge_.high));
  }

  const Conversion &words_;
  Gauge gauge_;
  f2::Columns lane_;       // W
  f2::Columns wanted_;     // N = Q T1 + P
  f2::Columns fromHigh_;   // Fz
  f2::Columns fromThread_; // X
};

// Looks for the T of the least cost.
class GaugeSearch {
public:
  GaugeSearch(const Conversion &words, isa::Arch arch) : words_(words), arch_(arch) {
    for (int i = 0; i < words.destSlotBits; ++i)
      laneOfSlot_.push_back(words.lanePart(words.slotColumn(i)));
  }

  ExchangeStep run() {
    consider(towardsIdentity());
    consider(zero());
    if (!best_)
      consider(fromCommonComplement());
    descend();
    return *best_;
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
    ExchangeStep step = factors.build(arch_);
    const PlanCost cost = costOf(step);
    if (best_ && (cost.cycles > bestCost_.cycles ||
                  (cost.cycles == bestCost_.cycles && cost.moves >= bestCost_.moves)))
      return false;
    best_ = std::move(step);
    bestCost_ = cost;
    bestGauge_ = std::move(gauge);
    return true;
  }

  // One column of T1 at a time, while that helps.
  void descend() {
    for (bool better = true; better && tried_ < kSearchBudget;) {
      better = false;
      for (int t = 0; t < words_.threadBits(); ++t)
        for (const uint64_t value : alternatives(t)) {
          if (tried_ >= kSearchBudget)
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
  std::optional<ExchangeStep> best_;
  PlanCost bestCost_;
  Gauge bestGauge_;
  int tried_ = 0;
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
  std::vector<uint64_t> needed = offsets;
  int count = 0;
  for (const uint64_t direction : f2::image(matrix)) {
    std::sort(needed.begin(), needed.end());
    needed.erase(std::unique(needed.begin(), needed.end()), needed.end());
    count += static_cast<int>(needed.size());
    const size_t size = needed.size();
    for (size_t i = 0; i < size; ++i)
      needed.push_back(needed[i] ^ direction);
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
