// Gather: result[.., i, ..] = src[.., index[.., i, ..], ..] along one axis, inside a wave.
//
// The index is run-time data, so any position of the axis may be asked for. The result
// lies as the index does. It is legal inside the wave exactly when, for every register
// and thread of the index, all positions of the axis with the thread's other coordinates
// lie in the thread's own wave. With src and index as F2 layouts that is membership in a
// span: with S the span of src's register and lane columns,
//
//   axis unit vectors in S;  other(index column) in S for registers and lanes;
//   other(index column) ^ (src column) in S for each warp bit
//
// and the solutions are the plan: element `a` of the axis is wanted from
//
//   lane      laneOfAxis a     ^ laneOfPosition (register', thread)
//   register  registerOfAxis a ^ registerOfPosition (register', thread)
//
// A sender cannot know which register its receivers want. So each register that may be
// wanted is moved by a ds_bpermute and the receiver selects: 2^rho moves for each result,
// with rho the rank of all that the register depends on but the result's own register.
// Axis bits are placed in lanes rather than registers where src has copies.
#pragma once

#include "layout_port/layouts/Plan.h"

namespace layout_port {

struct GatherPlan {
  isa::Arch arch{};
  int waveSize = 0;
  int resultRegisterBits = 0, threadBits = 0;
  f2::Columns registerOfAxis, laneOfAxis;         // a column for each axis bit
  f2::Columns registerOfPosition, laneOfPosition; // result register bits, then thread bits
  f2::Columns candidates;         // span of registers moved for a result, around its own
  PlanKind kind = PlanKind::Wave; // Register if no lane needs another
  PlanCost cost;                  // for 32-bit elements
  PlanCost ldsCost;               // src to LDS, one read an element: at least this
};

// src and index have in-dims register, lane, warp, block and the same out-dims, whose
// sizes may differ along `axis` only. Error: why it is not legal.
Result<GatherPlan> planGather(const LinearLayout &src, const LinearLayout &index,
                              const std::string &axis, isa::Arch arch);

// The result for given index values (indices[thread][register], as contentsOf counts
// threads). Error: the plan reaches outside of the wave or of what was moved.
Result<Contents> executeGather(const GatherPlan &plan, const Contents &source,
                               const std::vector<std::vector<uint64_t>> &indices);

// The checker: executes on these indices and compares with src looked up directly.
Result<bool> checkGather(const GatherPlan &plan, const LinearLayout &src, const LinearLayout &index,
                         const std::string &axis,
                         const std::vector<std::vector<uint64_t>> &indices);

} // namespace layout_port
