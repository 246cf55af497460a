#include "native/HeldSteps.h"

#include "llvm/ADT/STLExtras.h"

namespace layout_port::native {

namespace {

// Longer loops may stay loops, where nobody knows which of the steps a turn is.
constexpr int64_t kMostTurns = 16;

// Every turn does the same with the product's sums, and nothing else is done with them.
bool isAlone(const Kernel &kernel, const MmaSite &mma, const TextRange &loop) {
  const uint64_t sums = mma.d[0].declaration;
  const auto isInside = [&](const TextRange &place) { return loop.contains(place); };
  const bool isDeclaredThere = llvm::any_of(kernel.variables, [&](const Kernel::Variable &v) {
    return v.declaration == sums && (isInside(v.statement) || (v.scope.end && isInside(v.scope)));
  });
  const bool isUsed = llvm::any_of(kernel.uses, [&](const FragmentUse &use) {
    return use.declaration == sums && (isInside(use.range) || isInside(use.place));
  });
  // What is named in front of the loop may be changed through another name in it: a reference, a
  // lambda. Code between the products works on sums by their name, in a loop around.
  const Loop &outermost = mma.loops.front();
  const unsigned begin =
      kernel.staysNative() ? std::min(loop.begin, outermost.range.begin) : loop.begin;
  const bool isNamedBefore = llvm::any_of(kernel.uses, [&](const FragmentUse &use) {
    // In a function it is the call that counts, unless the loop stands there, too.
    const TextRange &at = kernel.range.contains(loop) ? use.range : use.place;
    return use.declaration == sums && !use.isFill && at.file == loop.file && at.begin < begin;
  });
  const bool mayBeLeftOut = llvm::any_of(mma.branches, [&](const Branch &branch) {
    return isInside(branch.whole) || isInside(branch.part);
  });
  return !isDeclaredThere && !isUsed && !isNamedBefore && !mayBeLeftOut &&
         llvm::none_of(kernel.jumps, isInside) && llvm::none_of(kernel.returns, isInside);
}

// Does the loop's text run the product, or that of a lambda in it, which may be called otherwise?
bool isOfOneText(const Kernel &kernel, const MmaSite &mma, const TextRange &loop) {
  if (!loop.contains(mma.range))
    return false;
  if (mma.calls.empty())
    return kernel.range.contains(loop);
  return mma.frame && llvm::any_of(kernel.frames, [&](const Kernel::Frame &frame) {
           return frame.number == mma.frame && frame.function.contains(loop);
         });
}

} // namespace

int64_t turnsOf(const Loop &loop) {
  if (!loop.first || !loop.last || !loop.step || *loop.step <= 0)
    return 0;
  return std::max<int64_t>(0, (*loop.last - *loop.first + *loop.step - 1) / *loop.step);
}

std::optional<HeldSteps> heldSteps(const Kernel &kernel, const MmaSite &mma) {
  if (mma.isFromZero || (mma.m == 8 && mma.k == 4 && mma.typeA == ptx::Type::F16))
    return std::nullopt;
  HeldSteps held;
  std::set<std::string> names;
  for (const Loop &loop : llvm::reverse(mma.loops)) {
    const int64_t turns = turnsOf(loop);
    const bool maySplit = loop.condition.end && !loop.isDigit();
    const bool isCounted = (turns > 0 || maySplit) && loop.increment.end &&
                           !loop.variable.empty() && names.insert(loop.variable).second;
    if (!isCounted || !isOfOneText(kernel, mma, loop.range))
      return std::nullopt;
    const bool isOverTiles =
        llvm::any_of(mma.d, [&](const Slot &slot) { return slot.turns.count(loop.variable) != 0; });
    if (isOverTiles) {
      if (turns == 0)
        return std::nullopt;
      held.tiles.insert(held.tiles.begin(), &loop);
      continue;
    }
    if (turns == 1)
      continue;
    held.loop = &loop;
    held.turns = turns > kMostTurns ? 0 : turns;
    if ((held.turns == 0 && !maySplit) || !isAlone(kernel, mma, loop.range))
      return std::nullopt;
    return held;
  }
  return std::nullopt;
}

bool isReadAhead(const Kernel &kernel, const MmaSite &mma, const Loop &loop) {
  const auto isAhead = [&](const Slot &slot) {
    const bool isReadThere = llvm::any_of(kernel.loads, [&](const LoadSite &load) {
      return load.registers[0].declaration == slot.declaration &&
             !load.registers[0].sameTile(slot) &&
             (loop.range.contains(load.range) ||
              llvm::any_of(load.calls,
                           [&](const CallPlace &call) { return loop.range.contains(call.range); }));
    });
    return isReadThere && llvm::none_of(kernel.variables, [&](const Kernel::Variable &variable) {
             return variable.declaration == slot.declaration &&
                    loop.range.contains(variable.statement);
           });
  };
  return llvm::any_of(mma.a, isAhead) || llvm::any_of(mma.b, isAhead);
}

int stepsTogether(const MmaSite &mma, int words, const HeldSteps &held, isa::Arch arch) {
  int best = 1;
  double least = 0;
  for (const int steps : {1, 2, 4}) {
    const auto arms = armsFor(mma, words * steps, {arch});
    if (!arms || arms->empty())
      break;
    const Arm &arm = arms->front();
    const int wide = std::max(1, arm.words);
    const int mfmas = (words * steps + wide - 1) / wide * arm.parts();
    const double clocks = double(mfmas) * arm.instruction->cycles(arch) * held.mfmasPerTurn(steps);
    if (steps == 1 || clocks < least) {
      best = steps;
      least = clocks;
    }
  }
  return best;
}

int mostTogether(const std::vector<isa::Arch> &archs, const MmaSite &mma, int words,
                 const HeldSteps &held) {
  int most = 1;
  for (const isa::Arch arch : archs)
    most = std::max(most, stepsTogether(mma, words, held, arch));
  return most;
}

bool mayEndWithin(const std::vector<isa::Arch> &archs, const MmaSite &mma, int words,
                  const HeldSteps &held) {
  return llvm::any_of(archs, [&](isa::Arch arch) {
    return held.mayEndWithin(stepsTogether(mma, words, held, arch));
  });
}

} // namespace layout_port::native
