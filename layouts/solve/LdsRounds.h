// A tile that does not fit in LDS goes through it in rounds.
//
// A round is the value of some functionals phi of the logical element. If they vanish on
// all thread columns of both sides, every thread has a part of its registers in every
// round, and the rounds are all alike: cosets of K = ker phi. So the layouts within K
// are solved, and K's memory layout is completed by one offset bit for each functional:
//
//   M = ( basis of K * M_K | u_1 .. u_r ),   phi(u_i) = e_i      offset = (in K, round)
#pragma once

#include "layout_port/layouts/Swizzle.h"

namespace layout_port::solve {

// The memory layout whose highest `rounds` offset bits are the round; instructions are
// those of all rounds. Errors: as solveSwizzle; threads take up too many logical bits.
Result<SwizzleSolution> solveSwizzleInRounds(const LinearLayout &src, const LinearLayout &dst,
                                             int elementBits, isa::Arch arch, int rounds);

} // namespace layout_port::solve
