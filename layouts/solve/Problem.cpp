// What a conversion is asked for: shapes, word sizes, and the matrix.
#include "solve/Problem.h"

#include <algorithm>

namespace layout_port::solve {

namespace {

int log2Of(int powerOfTwo) { return f2::lowestBit(static_cast<uint64_t>(powerOfTwo)); }

Result<bool> checkDims(const LinearLayout &layout, const char *which) {
  for (const LayoutDim &dim : layout.ins())
    if (dim.name != "register" && dim.name != "lane" && dim.name != "warp" && dim.name != "block")
      return makeError("%s has an in-dim '%s'; register, lane, warp and block are known", which,
                       dim.name.c_str());
  return true;
}

} // namespace

Result<Problem> problemOf(const LinearLayout &src, const LinearLayout &dst, int elementBits,
                          isa::Arch arch) {
  if (elementBits < 1 || elementBits > 64 || f2::popcount(elementBits) != 1)
    return makeError("elements of %d bits: only powers of two up to 64 can be moved", elementBits);
  for (const auto &[layout, which] : {std::pair(&src, "src"), std::pair(&dst, "dst")})
    if (const Result<bool> known = checkDims(*layout, which); !known)
      return known.error();
  Problem problem;
  problem.elementBits = elementBits;
  problem.arch = arch;
  problem.subBits = elementBits >= 32 ? 0 : log2Of(32 / elementBits);
  Shape &shape = problem.shape;
  shape.halfBits = elementBits > 32 ? log2Of(elementBits / 32) : 0;
  shape.laneBits = log2Of(isa::archInfo(arch).waveSize);
  const int lanes = std::max(src.inBits("lane"), dst.inBits("lane"));
  if (lanes > shape.laneBits)
    return makeError("a layout of %d lanes on %s, whose wave has %d", 1 << lanes,
                     isa::archName(arch), 1 << shape.laneBits);
  shape.warpBits = std::max(src.inBits("warp"), dst.inBits("warp"));
  problem.sourceWarpBits = src.inBits("warp");
  problem.destWarpBits = dst.inBits("warp");
  problem.destBlockBits = dst.inBits("block");
  shape.blockBits = std::max(src.inBits("block"), dst.inBits("block"));
  const Result<LinearLayout> ordered = dst.transposeOuts(src.outNames());
  if (!ordered)
    return makeError("src and dst differ in their out-dims: %s", ordered.error().message.c_str());
  if (ordered->outs() != src.outs())
    return makeError("src and dst differ in the size of an out-dim");
  Result<Conversion> conversion = conversionOf(src, *ordered, shape);
  if (!conversion)
    return conversion.error();
  problem.conversion = std::move(*conversion);
  return problem;
}

ConversionPlan emptyPlan(const Problem &problem) {
  ConversionPlan plan;
  plan.arch = problem.arch;
  plan.waveSize = 1 << problem.shape.laneBits;
  plan.elementBits = problem.elementBits;
  plan.slotBits = std::min(problem.elementBits, 32);
  plan.sourceSlotBits = problem.conversion.sourceSlotBits;
  plan.destSlotBits = problem.conversion.destSlotBits;
  plan.threadBits = problem.conversion.threadBits();
  plan.warpBits = problem.shape.warpBits;
  plan.sourceWarpBits = problem.sourceWarpBits;
  plan.destWarpBits = problem.destWarpBits;
  plan.destBlockBits = problem.destBlockBits;
  return plan;
}

double selectClocks() {
  static const double clocks = [] {
    const Result<const isa::CrossLaneMove *> select =
        isa::findCrossLaneMove("v_cndmask", isa::Arch::Gfx942);
    return select ? (*select)->cost.issue : 0;
  }();
  return clocks;
}

} // namespace layout_port::solve
