// The checker of conversions: runs the plan on what the source layout holds, and runs
// every chosen instruction against its row in the cross-lane table.
#include "layout_port/layouts/Convert.h"

namespace layout_port {

namespace {

// The lane that `lane` gets its value from.
int lanesSource(const LaneInstruction &instruction, int lane, int waveSize) {
  for (int i = instruction.count - 1; i >= 0 && lane >= 0; --i)
    lane =
        isa::sourceOf(*instruction.moves[i].move, instruction.moves[i].control, lane, 0, waveSize)
            .lane;
  return lane;
}

bool hasImmediates(const LaneInstruction &instruction) {
  for (int i = 0; i < instruction.count; ++i)
    if (!instruction.moves[i].move || instruction.moves[i].move->kind != isa::MoveKind::Gather)
      return false;
  return true;
}

bool isScatter(const LaneInstruction &instruction) {
  return instruction.count == 1 && instruction.moves[0].move &&
         instruction.moves[0].move->kind == isa::MoveKind::Scatter;
}

// A scatter works when no lane is asked for by two.
Result<bool> checkScatter(const WordMove &move, const ConversionPlan &plan) {
  std::vector<bool> asked(uint64_t(1) << plan.threadBits);
  for (uint64_t t = 0; t < asked.size(); ++t) {
    const uint64_t sender = t / plan.waveSize * plan.waveSize + move.sourceLane(t);
    if (asked[sender])
      return makeError("a scatter to two lanes");
    asked[sender] = true;
  }
  return true;
}

Result<bool> checkInstruction(const WordMove &move, const ExchangeStep &step,
                              const ConversionPlan &plan) {
  if (isScatter(move.instruction))
    return checkScatter(move, plan);
  if (!move.instruction.isOwn() && !hasImmediates(move.instruction))
    return true; // the source lane is an operand
  for (uint64_t t = 0; t < uint64_t(1) << plan.threadBits; ++t) {
    const int lane = static_cast<int>(t % plan.waveSize);
    const int source = lanesSource(move.instruction, lane, plan.waveSize);
    if (move.destWord(t) < step.destWords() && source != static_cast<int>(move.sourceLane(t)))
      return makeError("%s gives lane %d the value of lane %d, wanted %d", move.instruction.name(),
                       lane, source, static_cast<int>(move.sourceLane(t)));
  }
  return true;
}

Result<bool> checkInstructions(const ConversionPlan &plan) {
  int moves = 0;
  for (const PlanStep &step : plan.steps) {
    if (const auto *swap = std::get_if<SwapStep>(&step))
      moves += 1 << (swap->wordBits - 1);
    const auto *exchange = std::get_if<ExchangeStep>(&step);
    if (!exchange)
      continue;
    for (const WordMove &move : exchange->moves) {
      moves += move.instruction.count;
      if (const Result<bool> right = checkInstruction(move, *exchange, plan); !right)
        return right.error();
    }
  }
  if (moves != plan.cost.moves)
    return makeError("%d moves counted, %d in the steps", plan.cost.moves, moves);
  return true;
}

} // namespace

Result<bool> checkConversion(const ConversionPlan &plan, const LinearLayout &src,
                             const LinearLayout &dst) {
  if (const Result<bool> right = checkInstructions(plan); !right)
    return right.error();
  const Result<LinearLayout> ordered = dst.transposeOuts(src.outNames());
  if (!ordered)
    return ordered.error();
  const Result<Contents> got = execute(plan, contentsOf(src, plan.waveSize));
  if (!got)
    return got.error();
  const Contents want = contentsOf(*ordered, plan.waveSize);
  for (size_t t = 0; t < want.size(); ++t)
    for (size_t r = 0; r < want[t].size(); ++r)
      if (t >= got->size() || r >= (*got)[t].size() || (*got)[t][r] != want[t][r])
        return makeError("thread %d register %d does not hold element %lld", int(t), int(r),
                         static_cast<long long>(want[t][r]));
  return true;
}

} // namespace layout_port
