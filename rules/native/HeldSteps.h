// Steps of k that wait for each other: where a chip's MFMA is deeper than one step of k of the CUDA
// program, the operands of a step are held in registers until those of the next are there, and one
// MFMA does both. It takes no other layout: k may run in any order, as long as both operands have
// the same, so the words of two steps are put side by side.
//
//   step s      a = A[s]   b = B[s]        held = {a, b}
//   step s + 1  a = A[s+1] b = B[s+1]      c += {held.b, b} * {held.a, a}
//
// That needs the same tile of sums in all turns of a loop over k, and nobody who looks at it
// between. In the end nothing is held: where the turns are no constant multiple of the steps, the
// rest is multiplied behind the loop, and zeros for what is not there. A loop that would stay a
// loop becomes one over as many turns as an MFMA takes, so that each knows which of them it is.
//
// Where a function multiplies, and the loop is the kernel's around its only call, what waits is
// handed to it with the number of the step:
//
//   for (int k = 0; k < 4; ++k)          held_t held[2];
//     multiply(f);               ──▶     for (int k = 0; k < 4; ++k)
//                                          multiply(f, held, k);
#pragma once

#include "native/Scheme.h"

#include <optional>

namespace layout_port::native {

struct HeldSteps {
  const Loop *loop = nullptr;      // over k
  int64_t turns = 0;               // of it; 0: nobody knows, or too many to be all unrolled
  std::vector<const Loop *> tiles; // loops between it and the product, outermost first
  // Where the loop is around a call of the function that multiplies, and how many of `tiles` are;
  // null: all of them stand in one text.
  const CallPlace *call = nullptr;
  size_t tilesAtCall = 0;

  // May steps be left over at the end, of so many at once?
  bool mayEndWithin(int steps) const { return turns == 0 || turns % steps != 0; }
  // MFMAs a turn, of one for so many steps.
  double mfmasPerTurn(int steps) const {
    return turns ? double((turns + steps - 1) / steps) / double(turns) : 1.0 / steps;
  }
};

// The loop in whose turns a product may be held; none where there is no such loop.
std::optional<HeldSteps> heldSteps(const Kernel &kernel, const MmaSite &mma);

// Is an operand of the product read in the loop's turns for a later one, or for a later turn of a
// loop around (ping-pong registers)? Then what waits has to move out of the way.
bool isReadAhead(const Kernel &kernel, const MmaSite &mma, const Loop &loop);

// Turns of a loop whose bounds are constants; 0: not known.
int64_t turnsOf(const Loop &loop);

// What its counter grows by in a turn, whatever else does; none: nobody knows.
std::optional<int64_t> stepOf(const Loop &loop);

// How many steps of `words` words of k one MFMA of the chip does best: 1, 2 or 4.
int stepsTogether(const MmaSite &mma, int words, const HeldSteps &held, isa::Arch arch);
// The most on one of the chips; and may some be left at the end on one?
int mostTogether(const std::vector<isa::Arch> &archs, const MmaSite &mma, int words,
                 const HeldSteps &held);
bool mayEndWithin(const std::vector<isa::Arch> &archs, const MmaSite &mma, int words,
                  const HeldSteps &held);

} // namespace layout_port::native
