// Running and checking plans. Nothing here knows how a plan was found.
#include "layout_port/layouts/Plan.h"

#include "layout_port/layouts/Lds.h"

#include <algorithm>
#include <cstdarg>
#include <cstdio>

namespace layout_port {

bool AffineBits::isConstant() const {
  return std::all_of(columns.begin(), columns.end(), [](uint64_t c) { return c == 0; });
}

bool AffineBits::isXor() const {
  for (size_t i = 0; i < columns.size(); ++i)
    if (columns[i] != uint64_t(1) << i)
      return false;
  return true;
}

const char *LaneInstruction::name() const {
  if (isOwn())
    return "";
  return moves[0].move ? moves[0].move->name : "shfl.sync.idx";
}

// NVIDIA publishes no figures; a shuffle is taken to cost what a shared load does.
double LaneInstruction::issue() const {
  double sum = 0;
  for (int i = 0; i < count; ++i)
    sum += moves[i].move ? moves[i].move->cost.issue : isa::ldsTime(false, 4).issue;
  return sum;
}

double LaneInstruction::latency() const {
  double sum = 0;
  for (int i = 0; i < count; ++i)
    sum += moves[i].move ? moves[i].move->cost.latency : isa::ldsTime(false, 4).latency;
  return sum;
}

PlanCost &PlanCost::operator+=(const PlanCost &other) {
  selects += other.selects;
  moves += other.moves;
  ldsOps += other.ldsOps;
  cycles += other.cycles;
  return *this;
}

const char *planKindName(PlanKind kind) {
  switch (kind) {
  case PlanKind::None:
    return "none";
  case PlanKind::Register:
    return "register";
  case PlanKind::Wave:
    return "wave";
  case PlanKind::Lds:
    return "lds";
  }
  return "";
}

Contents contentsOf(const LinearLayout &layout, int waveSize) {
  const uint64_t registers = layout.inSize("register"), lanes = layout.inSize("lane");
  const uint64_t groups = layout.inSize("warp") * layout.inSize("block");
  const auto at = [&](const char *dim, uint64_t value) {
    const int offset = layout.inOffset(dim);
    return offset < 0 ? 0 : f2::shiftLeft(value, offset);
  };
  Contents contents(groups * waveSize);
  for (uint64_t group = 0; group < groups; ++group)
    for (uint64_t lane = 0; lane < lanes; ++lane)
      for (uint64_t reg = 0; reg < registers; ++reg) {
        const uint64_t warp = group & (layout.inSize("warp") - 1);
        const uint64_t block = group >> layout.inBits("warp");
        contents[group * waveSize + lane].push_back(static_cast<int64_t>(layout.apply(
            at("register", reg) | at("lane", lane) | at("warp", warp) | at("block", block))));
      }
  return contents;
}

namespace {

// The machine: the slots of every thread.
class Machine {
public:
  Machine(const ConversionPlan &plan, const Contents &contents)
      : plan_(plan), slots_(uint64_t(1) << plan.threadBits) {
    for (size_t i = 0; i < contents.size(); ++i) {
      const uint64_t t = threadOf(i, plan.sourceWarpBits);
      if (t >= slots_.size())
        continue;
      for (const int64_t element : contents[i])
        for (int half = 0; half < plan.slotsPerElement(); ++half)
          slots_[t].push_back(element < 0 ? -1 : element * plan.slotsPerElement() + half);
    }
  }

  Result<bool> run(const RegisterStep &step) {
    for (uint64_t t = 0; t < slots_.size(); ++t) {
      std::vector<int64_t> next;
      for (uint64_t e = 0; e < uint64_t(1) << step.slots.size(); ++e)
        next.push_back(slot(t, step.oldSlot(e, t)));
      slots_[t] = std::move(next);
    }
    return true;
  }

  Result<bool> run(const ExchangeStep &step) {
    const uint64_t perWord = plan_.slotsPerWord();
    std::vector<std::vector<int64_t>> next(slots_.size(),
                                           std::vector<int64_t>(step.destWords() * perWord, -1));
    std::vector<std::vector<bool>> stored(slots_.size(), std::vector<bool>(step.destWords()));
    for (const WordMove &move : step.moves)
      for (uint64_t t = 0; t < slots_.size(); ++t) {
        const uint64_t dest = move.destWord(t);
        if (dest >= step.destWords())
          continue;
        if (stored[t][dest])
          return makeError("thread %d stores word %d twice", int(t), int(dest));
        stored[t][dest] = true;
        const uint64_t lane = move.sourceLane(t);
        if (lane >= uint64_t(plan_.waveSize))
          return makeError("thread %d reads lane %d", int(t), int(lane));
        const uint64_t sender = t / plan_.waveSize * plan_.waveSize + lane;
        const uint64_t word = move.sendWord(sender);
        for (uint64_t i = 0; i < perWord; ++i)
          next[t][dest * perWord + i] = slot(sender, word * perWord + i);
      }
    slots_ = std::move(next);
    return true;
  }

  Result<bool> run(const SwapStep &step) {
    const uint64_t perWord = plan_.slotsPerWord();
    const std::vector<std::vector<int64_t>> old = slots_;
    for (uint64_t t = 0; t < slots_.size(); ++t)
      for (uint64_t e = 0; e < perWord << step.wordBits; ++e) {
        const uint64_t word = e / perWord;
        const uint64_t differ = (word >> step.wordBit ^ t >> step.laneBit) & 1;
        const uint64_t from = t ^ differ << step.laneBit;
        const uint64_t fromSlot = (word ^ differ << step.wordBit) * perWord + e % perWord;
        if (e >= slots_[t].size())
          slots_[t].resize(e + 1, -1);
        slots_[t][e] = fromSlot < old[from].size() ? old[from][fromSlot] : -1;
      }
    return true;
  }

  Result<bool> run(const LdsStep &step) {
    const uint64_t blockThreads = uint64_t(plan_.waveSize) << step.warpBits;
    const uint64_t size = plan_.slotsPerElement() * (uint64_t(1) << step.memory.totalInBits());
    std::vector<std::vector<int64_t>> buffers(slots_.size() / blockThreads,
                                              std::vector<int64_t>(size, -1));
    // Rounds pass one after the other, so all threads must take part in each alike.
    for (const f2::Columns *threads : {&step.writeThreads, &step.readThreads})
      for (const uint64_t column : *threads)
        if (column >= size >> step.roundBits)
          return makeError("a thread's place in LDS depends on the round");
    for (uint64_t t = 0; t < slots_.size(); ++t)
      for (uint64_t e = 0; e < slots_[t].size(); ++e) {
        if (slots_[t][e] < 0)
          continue;
        const uint64_t offset = f2::apply(step.writeSlots, e) ^ f2::apply(step.writeThreads, t);
        if (offset >= size)
          return makeError("LDS offset %d is outside of the buffer", int(offset));
        int64_t &cell = buffers[t / blockThreads][offset];
        if (cell >= 0 && cell != slots_[t][e])
          return makeError("two values written to LDS offset %d", int(offset));
        cell = slots_[t][e];
      }
    for (uint64_t t = 0; t < slots_.size(); ++t) {
      slots_[t].clear();
      for (uint64_t e = 0; e < uint64_t(1) << step.readSlots.size(); ++e) {
        const uint64_t offset = f2::apply(step.readSlots, e) ^ f2::apply(step.readThreads, t);
        if (offset >= size)
          return makeError("LDS offset %d is outside of the buffer", int(offset));
        slots_[t].push_back(buffers[t / blockThreads][offset]);
      }
    }
    return true;
  }

  // Back to elements; the halves of a 64-bit element must have stayed together.
  Result<Contents> contents() const {
    const int halves = plan_.slotsPerElement();
    Contents result(uint64_t(plan_.waveSize) << (plan_.destWarpBits + plan_.destBlockBits));
    for (size_t i = 0; i < result.size(); ++i) {
      const uint64_t t = threadOf(i, plan_.destWarpBits);
      for (uint64_t e = 0; e < uint64_t(1) << plan_.destSlotBits; e += halves) {
        const int64_t first = slot(t, e);
        for (int half = 1; half < halves; ++half)
          if (slot(t, e + half) != (first < 0 ? -1 : first + half))
            return makeError("thread %d: the halves of register %d belong to different elements",
                             int(t), int(e / halves));
        result[i].push_back(first < 0 ? -1 : first / halves);
      }
    }
    return result;
  }

private:
  // A thread of a layout with so many warp bits, as the plan counts threads.
  uint64_t threadOf(uint64_t index, int warpBits) const {
    const uint64_t lane = index % plan_.waveSize, group = index / plan_.waveSize;
    const uint64_t warp = group & f2::lowMask(warpBits), block = group >> warpBits;
    return lane + plan_.waveSize * (warp | block << plan_.warpBits);
  }

  int64_t slot(uint64_t thread, uint64_t index) const {
    return index < slots_[thread].size() ? slots_[thread][index] : -1;
  }

  const ConversionPlan &plan_;
  std::vector<std::vector<int64_t>> slots_;
};

} // namespace

Result<Contents> execute(const ConversionPlan &plan, const Contents &contents) {
  Machine machine(plan, contents);
  for (const PlanStep &step : plan.steps) {
    const Result<bool> ran = std::visit([&](const auto &s) { return machine.run(s); }, step);
    if (!ran)
      return ran.error();
  }
  return machine.contents();
}

namespace {

std::string printed(const char *format, ...) __attribute__((format(printf, 1, 2)));
std::string printed(const char *format, ...) {
  char text[256];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  return text;
}

std::string describeStep(const RegisterStep &step) {
  return printed("registers: %d slots, %d selects", 1 << step.slots.size(), step.selects);
}

std::string describeStep(const ExchangeStep &step) {
  std::string text =
      printed("exchange: %d words, %d selects before, %d after:", int(step.destWords()),
              step.selectsBefore, step.selectsAfter);
  for (const WordMove &move : step.moves) {
    if (move.instruction.isOwn())
      text += " own";
    for (int i = 0; i < move.instruction.count; ++i) {
      text += i ? "+" : " ";
      const isa::CrossLaneMove *row = move.instruction.moves[i].move;
      text += row ? row->name : "shfl.sync.idx";
    }
    if (!move.instruction.isOwn() && move.sourceLane.isXor())
      text += printed("(xor %d)", int(move.sourceLane.offset));
  }
  return text;
}

std::string describeStep(const SwapStep &step) {
  return printed("%s: word bit %d with lane bit %d, %d pairs", step.instruction->name, step.wordBit,
                 step.laneBit, 1 << (step.wordBits - 1));
}

std::string describeStep(const LdsStep &step) {
  return printed("lds: %d %s (%d passes), %d %s (%d passes), %d bytes%s, %d rounds", step.writes,
                 step.writeInstruction.c_str(), step.writePasses, step.reads,
                 step.readInstruction.c_str(), step.readPasses, int(step.bytes),
                 step.barrier ? ", barrier" : "", 1 << step.roundBits);
}

} // namespace

std::string describe(const PlanStep &step) {
  return std::visit([](const auto &s) { return describeStep(s); }, step);
}

} // namespace layout_port
