// Convert: from one register layout to another by the cheapest way there is.
//
//   Result<ConversionPlan> plan = planConversion(src, dst, 16, isa::Arch::Gfx942);
//   plan->kind     none | register | wave | lds
//   plan->steps    what to do (Plan.h)
//   execute(*plan, contentsOf(src, plan->waveSize))
//
// src and dst have in-dims register, lane, warp (and block) and the same out-dims. If
// a value is held more than once in src, a thread reads its own copy, else one
// in its own lane group, else one in its own wave. A layout of 32 lanes on a wave of
// 64 uses lanes 0-31.
//
// What it costs is counted for the whole wave and compared with the round trip through
// LDS (swizzle solver, true phases); the cheaper of the two is the plan. Errors:
// element widths other than powers of two up to 64; more lanes than the wave
// has; dst wants an element that src does not hold; data would have to cross blocks.
#pragma once

#include "layout_port/layouts/Plan.h"

namespace layout_port {

Result<ConversionPlan> planConversion(const LinearLayout &src, const LinearLayout &dst,
                                      int elementBits, isa::Arch arch);

// The best plan of one kind, whatever the other costs. Error: there is none.
Result<ConversionPlan> planInsideWave(const LinearLayout &src, const LinearLayout &dst,
                                      int elementBits, isa::Arch arch);

Result<ConversionPlan> planThroughLds(const LinearLayout &src, const LinearLayout &dst,
                                      int elementBits, isa::Arch arch);

// The checker. It does not trust the planner: runs the steps on contentsOf(src), and
// compares with contentsOf(dst). Error: the first register that is wrong.
Result<bool> checkConversion(const ConversionPlan &plan, const LinearLayout &src,
                             const LinearLayout &dst);

} // namespace layout_port
