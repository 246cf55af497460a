#include "native/HeldSteps.h"

#include "llvm/ADT/STLExtras.h"

namespace layout_port::native {

namespace {

// Longer loops may stay loops, where nobody knows which of the steps a turn is.
constexpr int64_t kMostTurns = 16;

// Every turn does the same with the product's sums, and nothing else is done with them. `outermost`
// of the loops around it, in the loop's text.
bool isAlone(const Kernel &kernel, const MmaSite &mma, const TextRange &loop,
             const TextRange &outermost) {
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
  const unsigned begin = kernel.staysNative() ? std::min(loop.begin, outermost.begin) : loop.begin;
  const bool isNamedBefore = llvm::any_of(kernel.uses, [&](const FragmentUse &use) {
    // In a function it is the call that counts, unless the loop stands there, too.
    const TextRange &at = kernel.range.contains(loop) ? use.range : use.place;
    return use.declaration == sums && !use.isFill && at.file == loop.file && at.begin < begin;
  });
  const auto isBranchInside = [&](const Branch &branch) {
    return isInside(branch.whole) || isInside(branch.part);
  };
  const bool mayBeLeftOut = llvm::any_of(mma.branches, isBranchInside) ||
                            llvm::any_of(mma.calls, [&](const CallPlace &call) {
                              return llvm::any_of(call.branches, isBranchInside);
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

// The call of the function that multiplies, where there is one, in the kernel's text, and every
// way through the function is by the product.
const CallPlace *onlyCall(const Kernel &kernel, const MmaSite &mma) {
  if (mma.calls.size() != 1 || !mma.branches.empty())
    return nullptr;
  const CallPlace &call = mma.calls.front();
  const Kernel::Frame *own = nullptr;
  for (const Kernel::Frame &frame : kernel.frames)
    if (frame.number == mma.frame)
      own = &frame;
  if (!own || !kernel.range.contains(call.range) || kernel.range.contains(own->function))
    return nullptr;
  const auto isInside = [&](const TextRange &place) { return own->function.contains(place); };
  const bool isShared = llvm::any_of(kernel.frames, [&](const Kernel::Frame &frame) {
    return &frame != own && frame.function == own->function;
  });
  const bool isSumsOwn = llvm::any_of(kernel.variables, [&](const Kernel::Variable &variable) {
    return variable.declaration == mma.d[0].declaration && isInside(variable.statement);
  });
  return isShared || isSumsOwn || llvm::any_of(kernel.jumps, isInside) ||
                 llvm::any_of(kernel.returns, isInside)
             ? nullptr
             : &call;
}

} // namespace

std::optional<int64_t> stepOf(const Loop &loop) {
  return loop.step ? loop.step : loop.stepBesideOthers;
}

int64_t turnsOf(const Loop &loop) {
  const int64_t step = stepOf(loop).value_or(0);
  if (!loop.first || !loop.last || step <= 0)
    return 0;
  return std::max<int64_t>(0, (*loop.last - *loop.first + step - 1) / step);
}

namespace {

// The loops around the product, innermost first, until the one over k is found.
class Search {
public:
  Search(const Kernel &kernel, const MmaSite &mma) : kernel_(kernel), mma_(mma) {}

  std::optional<HeldSteps> find() {
    goThrough(mma_.loops, [&](const Loop &loop) { return isOfOneText(kernel_, mma_, loop.range); });
    if (!isOver_ && (held_.call = onlyCall(kernel_, mma_))) {
      held_.tilesAtCall = held_.tiles.size(); // those that follow are in front of them
      names_.clear();
      goThrough(held_.call->loops,
                [&](const Loop &loop) { return kernel_.range.contains(loop.range); });
      held_.tilesAtCall = held_.tiles.size() - held_.tilesAtCall;
    }
    if (!held_.loop)
      return std::nullopt;
    const std::vector<Loop> &around = held_.call ? held_.call->loops : mma_.loops;
    const bool isWhole = isAlone(kernel_, mma_, held_.loop->range, around.front().range);
    return isWhole ? std::optional(held_) : std::nullopt;
  }

private:
  template <class IsText> void goThrough(const std::vector<Loop> &loops, IsText isText) {
    for (const Loop &loop : llvm::reverse(loops))
      if (isOver_ = isOver_ || !isText(loop) || !take(loop); isOver_)
        return;
  }

  // False: that was the last.
  bool take(const Loop &loop) {
    const int64_t turns = turnsOf(loop);
    const bool maySplit = loop.condition.end && !loop.isDigit();
    const bool isCounted = (turns > 0 || maySplit) && loop.increment.end &&
                           !loop.variable.empty() && names_.insert(loop.variable).second;
    if (!isCounted)
      return false;
    const std::string variable = held_.call ? ofCaller(loop.variable) : loop.variable;
    const bool isOverTiles =
        llvm::any_of(mma_.d, [&](const Slot &d) { return d.turns.count(variable) != 0; });
    if (isOverTiles && (turns == 0 || !loop.step))
      return false;
    if (isOverTiles)
      held_.tiles.insert(held_.tiles.begin(), &loop);
    if (isOverTiles || turns == 1)
      return true;
    held_.turns = turns > kMostTurns ? 0 : turns;
    if (held_.turns != 0 || maySplit)
      held_.loop = &loop;
    return false;
  }

  const Kernel &kernel_;
  const MmaSite &mma_;
  HeldSteps held_;
  std::set<std::string> names_;
  bool isOver_ = false;
};

} // namespace

std::optional<HeldSteps> heldSteps(const Kernel &kernel, const MmaSite &mma) {
  if (mma.isFromZero || (mma.m == 8 && mma.k == 4 && mma.typeA == ptx::Type::F16))
    return std::nullopt;
  return Search(kernel, mma).find();
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
