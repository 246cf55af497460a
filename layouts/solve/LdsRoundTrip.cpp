// The way that always works inside a block: write to LDS, read back.
#include "solve/LdsRounds.h"
#include "solve/Packing.h"
#include "solve/Problem.h"

#include "layout_port/layouts/Lds.h"
#include "layout_port/layouts/Swizzle.h"

#include <algorithm>

namespace layout_port::solve {

namespace {

int log2Of(int powerOfTwo) { return f2::lowestBit(static_cast<uint64_t>(powerOfTwo)); }

// Through LDS: the swizzle solver's memory layout, written as src lies, read as dst.
class LdsPlanner {
public:
  LdsPlanner(const LinearLayout &src, const LinearLayout &dst, const Problem &problem)
      : src_(src), dst_(dst), problem_(problem) {}

  Result<ConversionPlan> plan() const {
    for (int i = 0; i < problem_.conversion.threadBits(); ++i)
      if (crossesBlocks(problem_.conversion.threadColumn(i), i))
        return makeError("a block needs what only another block holds");
    for (const uint64_t column : problem_.conversion.slotColumns())
      if (crossesBlocks(column, -1))
        return makeError("a block needs what only another block holds");
    ConversionPlan plan = emptyPlan(problem_);
    plan.kind = PlanKind::Lds;
    const Result<Stored> stored = solve(plan);
    if (!stored)
      return stored.error();
    LdsStep step = stepOf(*stored);
    plan.cost = costOf(step, stored->solution);
    plan.steps.push_back(std::move(step));
    return plan;
  }

private:
  struct Stored {
    SwizzleSolution solution;
    int bits;   // that an element takes in memory
    int rounds; // log2
  };

  bool crossesBlocks(uint64_t position, int ownThreadBit) const {
    const int blockAt = problem_.shape.laneBits + problem_.shape.warpBits;
    const uint64_t own = ownThreadBit >= blockAt ? uint64_t(1) << (ownThreadBit - blockAt) : 0;
    return f2::shiftRight(problem_.conversion.threadPart(position), blockAt) != own;
  }

  // Elements of less than a byte that never fill one are stored a byte each. A chip
  // without published phases is taken to be served as gfx942 is.
  Result<Stored> solve(ConversionPlan &plan) const {
    isa::Arch arch = problem_.arch;
    if (!isa::ldsInstruction("ds_read_b32", arch)) {
      arch = isa::Arch::Gfx942;
      plan.note = std::string("no LDS phases published for ") + isa::archName(problem_.arch) +
                  "; those of gfx942 assumed";
    }
    for (int bits = problem_.elementBits;; bits = 8) {
      const int rounds = roundBits(bits, isa::archInfo(arch).ldsBytes);
      const Result<SwizzleSolution> solution =
          rounds ? solveSwizzleInRounds(src_, dst_, bits, arch, rounds)
                 : solveSwizzle(src_, dst_, bits, arch);
      if (solution)
        return Stored{*solution, bits, rounds};
      if (bits >= 8)
        return solution.error();
    }
  }

  // log2 of the rounds in which the tile goes through LDS.
  int roundBits(int storedBits, uint64_t ldsBytes) const {
    int rounds = 0;
    while ((storedBits * f2::shiftLeft(1, src_.totalOutBits()) / 8) >> rounds > ldsBytes)
      ++rounds;
    return rounds;
  }

  // Offsets are in slots: element offsets with the half below.
  LdsStep stepOf(const Stored &stored) const {
    const SwizzleSolution &solution = stored.solution;
    const Shape &shape = problem_.shape;
    LdsStep step;
    step.memory = solution.memory;
    step.warpBits = shape.warpBits;
    const f2::Columns inverse = solution.memory.invert()->columns();
    const auto offsets = [&](const f2::Columns &logical) {
      f2::Columns columns;
      for (const uint64_t column : logical)
        columns.push_back((column & f2::lowMask(shape.halfBits)) |
                          f2::apply(inverse, column >> shape.halfBits) << shape.halfBits);
      return columns;
    };
    const Positions from = positionsOf(src_, shape), to = positionsOf(dst_, shape);
    step.writeSlots = offsets(from.slots);
    step.writeThreads = offsets(from.threads);
    step.readSlots = offsets(to.slots);
    step.readThreads = offsets(to.threads);
    step.writeInstruction = solution.write.instruction;
    step.readInstruction = solution.read.instruction;
    step.writes = solution.write.instructions;
    step.reads = solution.read.instructions;
    step.writePasses = solution.write.passes;
    step.readPasses = solution.read.passes;
    step.roundBits = stored.rounds;
    const uint64_t bits = stored.bits * f2::shiftLeft(1, solution.memory.totalInBits());
    step.bytes = std::max<uint64_t>(1, (bits >> stored.rounds) / 8);
    step.barrier = !problem_.conversion.staysInWave();
    step.selects = packing(step.writeSlots, step.writeThreads, solution.write, stored.bits) +
                   packing(step.readSlots, step.readThreads, solution.read, stored.bits);
    return step;
  }

  // v_perms that bring a lane's registers into the order of its vectors, or back.
  int packing(const f2::Columns &slots, const f2::Columns &threads, const SwizzleAccess &access,
              int storedBits) const {
    const int spread = storedBits > problem_.elementBits ? 1 << slots.size() : 0;
    const int vector = log2Of(access.vectorBits / std::min(32, storedBits));
    RegisterStep step;
    f2::Span span;
    for (int i = 0; i < vector; ++i) {
      step.slots.push_back(f2::solve(slots, uint64_t(1) << i).value_or(0));
      span.insert(step.slots.back(), 0);
    }
    for (size_t i = 0; i < slots.size(); ++i)
      if (span.insert(uint64_t(1) << i, 0))
        step.slots.push_back(uint64_t(1) << i);
    // A lane's offset inside the vector decides which register comes first.
    for (const uint64_t column : threads)
      step.threads.push_back(f2::solve(slots, column & f2::lowMask(vector)).value_or(0));
    return registerSelects(step, problem_.subBits) + spread;
  }

  PlanCost costOf(const LdsStep &step, const SwizzleSolution &solution) const {
    const auto side = [](const SwizzleAccess &access, bool isWrite) {
      const isa::LdsTime &time = isa::ldsTime(isWrite, access.vectorBits / 8);
      const double conflicts = double(access.passes) / std::max(1, access.lowerBound);
      return access.instructions * time.issue * conflicts + time.latency;
    };
    PlanCost cost;
    cost.selects = step.selects;
    cost.ldsOps = step.writes + step.reads;
    cost.cycles =
        side(solution.write, true) + side(solution.read, false) + step.selects * selectClocks();
    return cost;
  }

  const LinearLayout &src_;
  const LinearLayout &dst_;
  const Problem &problem_;
};

} // namespace

Result<ConversionPlan> throughLds(const LinearLayout &src, const LinearLayout &dst,
                                  const Problem &problem) {
  const Result<LinearLayout> ordered = dst.transposeOuts(src.outNames());
  if (!ordered)
    return ordered.error();
  return LdsPlanner(src, *ordered, problem).plan();
}

} // namespace layout_port::solve
