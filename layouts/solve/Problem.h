// One question to the conversion planner, made ready for all its ways to answer.
#pragma once

#include "solve/Conversion.h"

namespace layout_port::solve {

struct Problem {
  Shape shape;
  int elementBits = 0, subBits = 0;
  isa::Arch arch{};
  Conversion conversion;
  int sourceWarpBits = 0, destWarpBits = 0, destBlockBits = 0;
};

// Checks the question and finds its matrix. Errors as in Convert.h.
Result<Problem> problemOf(const LinearLayout &src, const LinearLayout &dst, int elementBits,
                          isa::Arch arch);

// A plan without steps.
ConversionPlan emptyPlan(const Problem &problem);

// Written to LDS and read back; layouts in the order of the problem's out-dims.
Result<ConversionPlan> throughLds(const LinearLayout &src, const LinearLayout &dst,
                                  const Problem &problem);

// Clocks of one VALU instruction of a wave (isa/CrossLaneCosts.inc).
double selectClocks();

} // namespace layout_port::solve
