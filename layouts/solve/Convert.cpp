// The planner: what is possible, then what is cheapest.
//
//   C = src^-1 o dst  ->  identity?            none
//                         stays in the lane?   register: one RegisterStep
//                         stays in the wave?   pack, exchange, unpack; perhaps after
//                                              swapping a register and a lane bit
//                         otherwise            LDS
#include "layout_port/layouts/Convert.h"

#include "solve/Exchange.h"
#include "solve/LaneMoves.h"
#include "solve/Packing.h"
#include "solve/Problem.h"

#include <algorithm>

namespace layout_port {

using namespace solve;

namespace {

constexpr int kMaxStages = 4;

PlanCost costOf(const RegisterStep &step) {
  return {step.selects, 0, 0, step.selects * selectClocks()};
}

PlanCost costOf(const SwapStep &step) {
  const int pairs = 1 << (step.wordBits - 1);
  const isa::MoveCost &cost = step.instruction->cost;
  return {0, pairs, 0, pairs * cost.issue + cost.latency - cost.issue};
}

PlanCost costOf(const PlanStep &step) {
  if (const auto *registers = std::get_if<RegisterStep>(&step))
    return costOf(*registers);
  if (const auto *exchange = std::get_if<ExchangeStep>(&step))
    return solve::costOf(*exchange);
  if (const auto *swap = std::get_if<SwapStep>(&step))
    return costOf(*swap);
  return {};
}

// Steps with their cost; neighbouring register steps become one.
struct Steps {
  std::vector<PlanStep> steps;
  PlanCost cost;

  void append(PlanStep step, int subBits) {
    RegisterStep *last = steps.empty() ? nullptr : std::get_if<RegisterStep>(&steps.back());
    const auto *next = std::get_if<RegisterStep>(&step);
    if (last && next)
      *last = fused(*last, *next, subBits);
    else
      steps.push_back(std::move(step));
  }
  void total() {
    cost = {};
    for (const PlanStep &step : steps)
      cost += costOf(step);
  }
};

bool cheaper(const PlanCost &a, const PlanCost &b) {
  if (a.cycles != b.cycles)
    return a.cycles < b.cycles;
  return a.moves + a.selects < b.moves + b.selects;
}

// Plans a conversion that stays in the wave.
class WavePlanner {
public:
  WavePlanner(isa::Arch arch, int subBits) : arch_(arch), subBits_(subBits) {}

  // One exchange; then, as long as it pays, a bit swap taken out in front.
  Steps plan(const Conversion &conversion) const {
    Steps best = finish({}, conversion);
    Steps prefix;
    Conversion rest = conversion;
    for (int stage = 0; stage < kMaxStages; ++stage) {
      std::optional<BitSwap> found;
      for (const BitSwap &swap : usefulSwaps(rest)) {
        Steps candidate = finish(extended(prefix, rest, swap), swapped(rest, swap));
        if (!cheaper(candidate.cost, best.cost))
          continue;
        best = std::move(candidate);
        found = swap;
      }
      if (!found)
        break;
      prefix = extended(prefix, rest, *found);
      rest = swapped(rest, *found);
    }
    return best;
  }

private:
  struct BitSwap {
    int slotBit, laneBit;
  };

  Steps finish(Steps steps, const Conversion &rest) const {
    if (rest.staysInLane()) {
      RegisterStep step{rest.slotColumns(), {}, 0};
      for (const uint64_t column : rest.threadColumns())
        step.threads.push_back(rest.slotPart(column));
      step.selects = registerSelects(step, subBits_);
      if (!isIdentity(step, rest.sourceSlotBits))
        steps.append(std::move(step), subBits_);
    } else {
      Packed packed = packIntoWords(rest, subBits_);
      if (!isIdentity(packed.pack, rest.sourceSlotBits))
        steps.append(std::move(packed.pack), subBits_);
      steps.append(buildExchange(packed.words, arch_), subBits_);
      if (!isIdentity(packed.unpack, packed.words.destSlotBits + subBits_))
        steps.append(std::move(packed.unpack), subBits_);
    }
    steps.total();
    return steps;
  }

  // C = S C' with S the exchange of a source slot bit and a lane bit.
  static Conversion swapped(Conversion conversion, const BitSwap &swap) {
    const int lane = conversion.sourceSlotBits + swap.laneBit;
    for (uint64_t &column : conversion.columns)
      if ((column >> swap.slotBit ^ column >> lane) & 1)
        column ^= uint64_t(1) << swap.slotBit | uint64_t(1) << lane;
    return conversion;
  }

  // How far the lanes are from reading themselves.
  static int laneDistance(const Conversion &conversion) {
    f2::Columns lanes;
    for (const uint64_t column : conversion.slotColumns())
      lanes.push_back(conversion.lanePart(column));
    for (int t = 0; t < conversion.threadBits(); ++t) {
      const uint64_t own = t < conversion.laneBits ? uint64_t(1) << t : 0;
      lanes.push_back(conversion.lanePart(conversion.threadColumn(t)) ^ own);
    }
    return f2::rank(lanes);
  }

  // Swaps with an instruction of their own (permlane), or of a bit inside the word:
  // there a whole word is exchanged and one v_perm merges it with the own one.
  std::vector<BitSwap> usefulSwaps(const Conversion &rest) const {
    std::vector<BitSwap> swaps;
    const int distance = laneDistance(rest);
    if (distance == 0 || rest.sourceSlotBits < subBits_)
      return swaps;
    for (int lane = 0; lane < rest.laneBits; ++lane)
      for (int slot = 0; slot < rest.sourceSlotBits; ++slot) {
        const BitSwap swap{slot, lane};
        if (slot >= subBits_ && !permlaneSwap(arch_, lane))
          continue;
        if (laneDistance(swapped(rest, swap)) < distance)
          swaps.push_back(swap);
      }
    return swaps;
  }

  Steps extended(Steps steps, const Conversion &from, const BitSwap &swap) const {
    const int wordBits = from.sourceSlotBits - subBits_;
    if (swap.slotBit >= subBits_) {
      SwapStep step{wordBits, swap.slotBit - subBits_, swap.laneBit,
                    permlaneSwap(arch_, swap.laneBit)};
      steps.append(step, subBits_);
      return steps;
    }
    steps.append(copyAcross(from, swap, wordBits), subBits_);
    steps.append(mergeHalves(from, swap), subBits_);
    return steps;
  }

  // Each word stays and also arrives from lane ^ (1 << laneBit), above the others.
  ExchangeStep copyAcross(const Conversion &from, const BitSwap &swap, int wordBits) const {
    ExchangeStep step;
    step.sourceWordBits = wordBits;
    step.destWordBits = wordBits + 1;
    const f2::Columns none(from.threadBits(), 0);
    f2::Columns own = none;
    for (int i = 0; i < from.laneBits; ++i)
      own[i] = uint64_t(1) << i;
    const uint64_t words = uint64_t(1) << wordBits;
    LaneMoveChooser chooser(arch_, from.laneBits, own, nullptr, static_cast<int>(words));
    for (uint64_t copy = 0; copy < 2; ++copy)
      for (uint64_t word = 0; word < words; ++word) {
        WordMove move{{none, word}, {own, copy << swap.laneBit}, {none, word + copy * words}, {}};
        move.instruction = chooser.choose(move.sourceLane.offset);
        step.moves.push_back(move);
      }
    return step;
  }

  // new slot e of lane t = slot (e with bit s := t_l) of copy e_s ^ t_l.
  RegisterStep mergeHalves(const Conversion &from, const BitSwap &swap) const {
    RegisterStep step;
    const uint64_t copy = uint64_t(1) << from.sourceSlotBits, slot = uint64_t(1) << swap.slotBit;
    for (int i = 0; i < from.sourceSlotBits; ++i)
      step.slots.push_back(i == swap.slotBit ? copy : uint64_t(1) << i);
    step.threads.assign(from.threadBits(), 0);
    step.threads[swap.laneBit] = copy | slot;
    step.selects = registerSelects(step, subBits_);
    return step;
  }

  isa::Arch arch_;
  int subBits_;
};

Result<ConversionPlan> insideWave(const Problem &problem) {
  const Conversion &conversion = problem.conversion;
  if (!conversion.staysInWave())
    return makeError("a wave needs what only another wave holds");
  ConversionPlan plan = emptyPlan(problem);
  plan.ldsCost.cycles = -1;
  if (conversion.isIdentity())
    return plan;
  Steps steps = WavePlanner(problem.arch, problem.subBits).plan(conversion);
  plan.kind = conversion.staysInLane() ? PlanKind::Register : PlanKind::Wave;
  plan.steps = std::move(steps.steps);
  plan.cost = steps.cost;
  return plan;
}

} // namespace

Result<ConversionPlan> planInsideWave(const LinearLayout &src, const LinearLayout &dst,
                                      int elementBits, isa::Arch arch) {
  const Result<Problem> problem = problemOf(src, dst, elementBits, arch);
  if (!problem)
    return problem.error();
  return insideWave(*problem);
}

Result<ConversionPlan> planThroughLds(const LinearLayout &src, const LinearLayout &dst,
                                      int elementBits, isa::Arch arch) {
  const Result<Problem> problem = problemOf(src, dst, elementBits, arch);
  if (!problem)
    return problem.error();
  return throughLds(src, dst, *problem);
}

Result<ConversionPlan> planConversion(const LinearLayout &src, const LinearLayout &dst,
                                      int elementBits, isa::Arch arch) {
  const Result<Problem> problem = problemOf(src, dst, elementBits, arch);
  if (!problem)
    return problem.error();
  Result<ConversionPlan> wave = insideWave(*problem);
  if (wave && wave->kind == PlanKind::None)
    return wave;
  Result<ConversionPlan> lds = throughLds(src, dst, *problem);
  if (!wave)
    return lds;
  if (!lds)
    return wave;
  ConversionPlan &chosen = lds->cost.cycles < wave->cost.cycles ? *lds : *wave;
  chosen.ldsCost = lds->cost;
  return chosen;
}

} // namespace layout_port
