// Accumulators and register operands of mma.sync and wgmma.
// https://docs.nvidia.com/cuda/parallel-thread-execution/#warp-level-matrix-fragment-mma-16816-float
//
// All of them are made of 8x4-lane pieces: a lane holds `width` neighbours along the
// inner dim, four lanes stand along the inner dim, eight along the outer one.
//
//            inner ->
//   outer   T0 T0 | T1 T1 | T2 T2 | T3 T3       (width = 2)
//     |     T4 T4 | T5 T5 | T6 T6 | T7 T7
//     v      ...
//           T28T28| ...           | T31T31      then more registers: first down the
//                                               outer dim, then along the inner one
#include "encodings/Families.h"
#include "encodings/Tile.h"

namespace layout_port {
namespace encodings {

namespace {
// One warp's tile: sizes of the dims, the inner and the outer dim.
struct MmaTile {
  PerDim shape;
  uint64_t width;
  uint64_t inner, outer;
};
} // namespace

// The out-dims of the tile stand in `repeatOrder`, in which it is repeated later.
static Tile mmaTile(const MmaTile &mma, const PerDim &repeatOrder) {
  const std::string inner = dimName(mma.inner), outer = dimName(mma.outer);
  const uint64_t rows = mma.shape[mma.outer], columns = mma.shape[mma.inner];
  Tile tile;
  if (rows < 8 || columns < mma.width * 4)
    return tile.fail(makeError("an mma tile has at least 8 x %llu elements",
                               static_cast<unsigned long long>(mma.width) * 4));
  return tile.identityNd(PerDim(mma.shape.size(), 1), "register", repeatOrder)
      .identity(mma.width, "register", inner)
      .identity(4, "lane", inner)
      .identity(8, "lane", outer)
      .identity(rows / 8, "register", outer)
      .identity(columns / (mma.width * 4), "register", inner);
}

// Parameters with defaults and a tile shape of the tensor's rank: [1, m, n] or [m, n].
static Result<NvidiaMmaEncoding> completeMma(const NvidiaMmaEncoding &e, size_t rank) {
  NvidiaMmaEncoding complete = e;
  if (e.version != 2 && e.version != 3)
    return makeError("nvidia_mma has version 2 or 3, not %llu",
                     static_cast<unsigned long long>(e.version));
  if (rank != 2 && rank != 3)
    return makeError("nvidia_mma wants rank 2 or 3, not %zu", rank);
  if (e.version == 3) {
    if (rank != 2 || e.instrShape.size() < 2)
      return makeError("nvidia_mma version 3 wants rank 2 and instrShape [m, n, k]");
    complete.instrShape.resize(2);
  } else if (rank == 3 && e.instrShape.size() == 2) {
    complete.instrShape.insert(complete.instrShape.begin(), 1);
  }
  if (const Result<bool> good =
          checkPowers({{"instrShape", complete.instrShape}, {"warpsPerCTA", e.warpsPerCta}}, rank);
      !good)
    return good.error();
  const Result<CtaParams> cta = completeCta(e.cta, rank);
  if (!cta)
    return cta.error();
  complete.cta = *cta;
  return complete;
}

// Warps are numbered along rows with mma.sync, down columns with wgmma (its four warps
// own 16 rows each).
static PerDim warpOrder(const NvidiaMmaEncoding &e, size_t rank) {
  return matrixOrder(rank, /*columnMajor=*/e.version == 3);
}

Result<LinearLayout> nvidiaMma(const NvidiaMmaEncoding &params, const PerDim &shape) {
  const size_t rank = shape.size();
  const Result<NvidiaMmaEncoding> e = completeMma(params, rank);
  if (!e)
    return e.error();
  Tile tile = mmaTile({e->instrShape, 2, rank - 1, rank - 2}, matrixOrder(rank));
  Tile warps;
  warps.identityNd(e->warpsPerCta, "warp", warpOrder(*e, rank))
      .orderOuts(dimNames(matrixOrder(rank)));
  return combineWithBlocks(tile.times(warps.layout()), e->cta, shape);
}

// A: 16 x 8 kWidth, B: 8 kWidth x 8, with k as the inner dim. Warps that differ along
// the other operand's dim hold the same elements.
Result<LinearLayout> nvidiaMmaOperand(const DotOperandEncoding &dot,
                                      const NvidiaMmaEncoding &parent, const PerDim &shape) {
  const size_t rank = shape.size();
  Result<NvidiaMmaEncoding> e = completeMma(parent, rank);
  if (!e)
    return e.error();
  if (e->version == 3 && dot.opIdx == 1)
    return makeError("wgmma reads operand B from shared memory, not from registers");
  const OperandDims dims = operandDims(dot, rank);
  PerDim tileShape(rank, 1);
  tileShape[dims.nonK] = dot.opIdx == 0 ? 16 : 8;
  tileShape[dims.k] = dot.kWidth * 8;
  const PerDim order = operandOrder(dot.opIdx, rank);
  Tile tile = mmaTile({tileShape, dot.kWidth, dims.k, dims.nonK}, order);
  Tile warps;
  for (const uint64_t dim : warpOrder(*e, rank))
    dim == dims.k ? warps.broadcast(e->warpsPerCta[dim], "warp", dimName(dim))
                  : warps.identity(e->warpsPerCta[dim], "warp", dimName(dim));
  warps.orderOuts(dimNames(order));
  e->cta.ctaSplitNum[dims.k] = 1;
  return combineWithBlocks(tile.times(warps.layout()), e->cta, shape);
}

} // namespace encodings
} // namespace layout_port
