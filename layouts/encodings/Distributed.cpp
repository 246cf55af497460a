// The distributed families that are no matrix instruction's: blocked, slice, and the
// dispatch on the parent of a dot operand.
#include "encodings/Families.h"
#include "encodings/Tile.h"

namespace layout_port {
namespace encodings {

static Result<BlockedEncoding> completeBlocked(const BlockedEncoding &e, size_t rank) {
  BlockedEncoding complete = e;
  const Result<PerDim> order = completeOrder(e.order, rank, "order");
  if (!order)
    return order.error();
  complete.order = *order;
  if (const Result<bool> good = checkPowers({{"sizePerThread", e.sizePerThread},
                                             {"threadsPerWarp", e.threadsPerWarp},
                                             {"warpsPerCTA", e.warpsPerCta}},
                                            rank);
      !good)
    return good.error();
  const Result<CtaParams> cta = completeCta(e.cta, rank);
  if (!cta)
    return cta.error();
  complete.cta = *cta;
  return complete;
}

// registers x lanes x warps, each along `order`.
Result<LinearLayout> blocked(const BlockedEncoding &params, const PerDim &shape) {
  const Result<BlockedEncoding> e = completeBlocked(params, shape.size());
  if (!e)
    return e.error();
  Tile tile;
  tile.identityNd(e->sizePerThread, "register", e->order)
      .identityNd(e->threadsPerWarp, "lane", e->order)
      .identityNd(e->warpsPerCta, "warp", e->order);
  return combineWithBlocks(tile, e->cta, shape);
}

OperandDims operandDims(const DotOperandEncoding &dot, size_t rank) {
  const bool isA = dot.opIdx == 0;
  return {isA ? rank - 1 : rank - 2, isA ? rank - 2 : rank - 1, rank == 3};
}

// Each thread multiplies its own rows and columns of the result, so it holds all of k
// for them: registers run over the whole of k, and lanes and warps that differ only
// along k hold the same elements.
Result<LinearLayout> blockedOperand(const DotOperandEncoding &dot, const BlockedEncoding &parent,
                                    const PerDim &shape) {
  Result<BlockedEncoding> e = completeBlocked(parent, shape.size());
  if (!e)
    return e.error();
  const uint64_t k = operandDims(dot, shape.size()).k;
  e->sizePerThread[k] = shape[k];
  e->cta.ctaSplitNum[k] = 1;
  Tile tile;
  tile.identityNd(e->sizePerThread, "register", e->order);
  for (const uint64_t dim : e->order)
    dim == k ? tile.broadcast(e->threadsPerWarp[dim], "lane", dimName(dim))
             : tile.identity(e->threadsPerWarp[dim], "lane", dimName(dim));
  for (const uint64_t dim : e->order)
    dim == k ? tile.broadcast(e->warpsPerCta[dim], "warp", dimName(dim))
             : tile.identity(e->warpsPerCta[dim], "warp", dimName(dim));
  return combineWithBlocks(tile, e->cta, shape);
}

Result<LinearLayout> dotOperand(const DotOperandEncoding &e, const PerDim &shape) {
  if (!e.parent)
    return makeError("dot_operand needs a parent");
  if (e.opIdx > 1)
    return makeError("opIdx must be 0 or 1");
  if (shape.size() != 2 && shape.size() != 3)
    return makeError("a dot operand has rank 2 or 3, not %zu", shape.size());
  if (const auto *parent = std::get_if<BlockedEncoding>(&e.parent->params))
    return blockedOperand(e, *parent, shape);
  if (!isPowerOfTwo(e.kWidth))
    return makeError("kWidth must be a power of two");
  if (const auto *parent = std::get_if<NvidiaMmaEncoding>(&e.parent->params))
    return nvidiaMmaOperand(e, *parent, shape);
  if (const auto *parent = std::get_if<AmdMfmaEncoding>(&e.parent->params))
    return amdMfmaOperand(e, *parent, shape);
  if (const auto *parent = std::get_if<AmdWmmaEncoding>(&e.parent->params))
    return amdWmmaOperand(e, *parent, shape);
  return makeError("dot_operand cannot have a parent of family %s", familyName(*e.parent));
}

// The parent's layout with out-dim `dim` left out and the others renumbered.
static Result<LinearLayout> withoutDim(const LinearLayout &layout, uint64_t dim) {
  LinearLayout::Names kept = layout.outNames();
  kept.erase(kept.begin() + static_cast<std::ptrdiff_t>(dim));
  const Result<LinearLayout> part = layout.sublayout(layout.inNames(), kept);
  if (!part)
    return part.error();
  std::vector<LayoutDim> outs = part->outs();
  for (size_t d = 0; d < outs.size(); ++d)
    outs[d].name = dimName(d);
  return LinearLayout::fromColumns(part->ins(), outs, part->columns());
}

Result<LinearLayout> slice(const SliceEncoding &e, const PerDim &shape) {
  if (!e.parent)
    return makeError("slice needs a parent");
  if (e.dim > shape.size())
    return makeError("slice along dim %llu of a tensor of rank %zu",
                     static_cast<unsigned long long>(e.dim), shape.size() + 1);
  PerDim parentShape = shape;
  parentShape.insert(parentShape.begin() + static_cast<std::ptrdiff_t>(e.dim), 1);
  const Result<LinearLayout> parent = toLinearLayout(*e.parent, parentShape);
  if (!parent)
    return parent.error();
  if (!parent->hasIn("register"))
    return makeError("slice cannot have a parent of family %s", familyName(*e.parent));
  const Result<LinearLayout> part = withoutDim(*parent, e.dim);
  if (!part)
    return part.error();
  return part->removeZeroBases("register");
}

} // namespace encodings
} // namespace layout_port
