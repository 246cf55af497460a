// Steps of k that wait for each other: where a chip's MFMA is deeper than one step of k of the CUDA
// program, the operands of a step are held in registers until those of the next are there, and one
// MFMA does both. It takes no other layout: k may run in any order, as long as both operands have
// the same, so the words of two steps are put side by side.
//
//   step s      a = A[s]   b = B[s]        held = {a, b}
//   step s + 1  a = A[s+1] b = B[s+1]      c += {held.b, b} * {held.a, a}
//
// That needs the same tile of sums in all turns of a loop over k, and nobody who looks at it
// between. In the end nothing is held: the loop has a constant number of turns, and what is not
// filled in a turn of the last MFMA would be a remainder, which is not taken.
#pragma once

#include "native/Scheme.h"

#include <optional>

namespace layout_port::native {

struct HeldSteps {
  const Loop *loop = nullptr;      // over k
  int64_t turns = 0;               // of it
  std::vector<const Loop *> tiles; // loops between it and the product, outermost first
};

// The loop in whose turns a product may be held; none where there is no such loop.
std::optional<HeldSteps> heldSteps(const Kernel &kernel, const MmaSite &mma);

// Is an operand of the product read in the loop's turns for a later one, or for a later turn of a
// loop around (ping-pong registers)? Then what waits has to move out of the way.
bool isReadAhead(const Kernel &kernel, const MmaSite &mma, const Loop &loop);

// Turns of a loop whose bounds are constants; 0: not known.
int64_t turnsOf(const Loop &loop);

// How many steps of `words` words of k, out of `turns`, one MFMA of the chip does best: 1, 2 or 4.
int stepsTogether(const MmaSite &mma, int words, int64_t turns, isa::Arch arch);

} // namespace layout_port::native
