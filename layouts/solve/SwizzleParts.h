// What the swizzle solver, its pricing and the planner of LDS round trips share.
#pragma once

#include "layout_port/layouts/Lds.h"
#include "layout_port/layouts/LinearLayout.h"
#include "layout_port/layouts/Swizzle.h"

#include <string>

namespace layout_port::solve {

// The columns of one in-dim; none if the layout lacks it.
f2::Columns columnsOf(const LinearLayout &layout, const char *dim);
// Reduced basis of the sum of two spans.
f2::Columns sum(f2::Columns a, const f2::Columns &b);
// "ds_write_b128", "ds_read_u16".
std::string ldsName(bool isWrite, int bits);

// A basis of the lanes that are served together with lane 0, of a layout with so many
// lane bits, and what they map to.
f2::Columns phaseBasis(int laneBits, const isa::LdsInstruction &instruction);
f2::Columns phaseColumns(const f2::Columns &lanes, const isa::LdsInstruction &instruction);

// Passes of one instruction that no layout can go below (Swizzle.h), when a lane's
// vector spans `vector` and lanes map to `lanes` in logical elements.
int passesLowerBound(const f2::Columns &vector, const f2::Columns &lanes, int elementBits,
                     const isa::LdsInstruction &instruction);

// solveSwizzle for SwizzleOptions::contiguousWrites.
Result<SwizzleSolution> solveContiguousWrites(const LinearLayout &src, const LinearLayout &dst,
                                              int elementBits, isa::Arch arch,
                                              const SwizzleOptions &options);

} // namespace layout_port::solve
