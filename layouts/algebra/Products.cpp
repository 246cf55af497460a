// Direct sums of layouts, their inverses (division), and putting layouts side by
// side.
#include "algebra/Dims.h"

#include <optional>

namespace layout_port {

using namespace dims;
using f2::lowMask;
using f2::shiftLeft;
using f2::shiftRight;

// Merges two orders into one that respects both, the first list's names first where
// both orders allow it; nothing when the lists contradict each other.
//   [a, b] + [a, c] = [a, b, c]     [a, b] + [b, c] = [a, b, c]     [a, b] + [b, a]: none
static std::optional<Names> mergeOrders(const Names &a, const Names &b) {
  Names merged;
  size_t i = 0, j = 0;
  while (i < a.size() || j < b.size()) {
    const bool freeA = i < a.size() && !contains(b, a[i]);
    const bool freeB = j < b.size() && !contains(a, b[j]);
    if (freeA)
      merged.push_back(a[i++]);
    else if (freeB)
      merged.push_back(b[j++]);
    else if (i < a.size() && j < b.size() && a[i] == b[j])
      merged.push_back(a[i++]), ++j;
    else
      return std::nullopt;
  }
  return merged;
}

// The first list, then what the second adds.
static Names appendOrders(const Names &a, const Names &b) {
  Names joined = a;
  for (const std::string &name : b)
    if (!contains(joined, name))
      joined.push_back(name);
  return joined;
}

static Dims addedDims(const Names &order, const Dims &a, const Dims &b) {
  Dims sum;
  for (const std::string &name : order)
    sum.push_back({name, bitsOf(a, name) + bitsOf(b, name)});
  return sum;
}

// The coordinates of the second factor go over the first's.
static f2::Columns productColumns(const LinearLayout &inner, const LinearLayout &outer,
                                  const Dims &ins, const Dims &outs) {
  const Rearrangement placeInner(inner.outs(), outs);
  const Rearrangement placeOuter(outer.outs(), outs, inner.outs());
  f2::Columns columns;
  columns.reserve(inner.columns().size() + outer.columns().size());
  for (const LayoutDim &in : ins) {
    const int innerFrom = inner.inOffset(in.name), outerFrom = outer.inOffset(in.name);
    const int innerBits = inner.inBits(in.name);
    for (int i = 0; i < innerBits; ++i)
      columns.push_back(placeInner(inner.column(innerFrom + i)));
    for (int i = 0; i < in.bits - innerBits; ++i)
      columns.push_back(placeOuter(outer.column(outerFrom + i)));
  }
  return columns;
}

namespace {
// The in-dims and out-dims of a product, in an order that suits both factors.
struct ProductDims {
  Dims ins, outs;
};
} // namespace

// The dims of the product; error when the orders contradict each other, unless
// `leftOrderWins`.
static Result<ProductDims> productDims(const LinearLayout &inner, const LinearLayout &outer,
                                       bool leftOrderWins) {
  ProductDims dims;
  for (const bool isIn : {true, false}) {
    const Dims &a = isIn ? inner.ins() : inner.outs(), &b = isIn ? outer.ins() : outer.outs();
    const Names namesA = namesOf(a), namesB = namesOf(b);
    std::optional<Names> order = mergeOrders(namesA, namesB);
    if (!order && !leftOrderWins)
      return makeError("the factors put their shared %s in opposite orders: [%s] and [%s]",
                       isIn ? "in-dims" : "out-dims", joinNames(namesA).c_str(),
                       joinNames(namesB).c_str());
    (isIn ? dims.ins : dims.outs) = addedDims(order ? *order : appendOrders(namesA, namesB), a, b);
  }
  return dims;
}

Result<LinearLayout> LinearLayout::product(const LinearLayout &inner, const LinearLayout &outer) {
  if (inner.totalInBits() + outer.totalInBits() > 64 ||
      inner.totalOutBits() + outer.totalOutBits() > 64)
    return makeError("the product has more than 64 in-bits or out-bits");
  Result<ProductDims> dims = productDims(inner, outer, /*leftOrderWins=*/false);
  if (!dims)
    return dims.error();
  LinearLayout result;
  result.columns_ = productColumns(inner, outer, dims->ins, dims->outs);
  result.ins_ = std::move(dims->ins);
  result.outs_ = std::move(dims->outs);
  return result;
}

LinearLayout operator*(const LinearLayout &inner, const LinearLayout &outer) {
  Result<ProductDims> dims = productDims(inner, outer, /*leftOrderWins=*/true);
  LinearLayout result;
  result.columns_ = productColumns(inner, outer, dims->ins, dims->outs);
  result.ins_ = std::move(dims->ins);
  result.outs_ = std::move(dims->outs);
  return result;
}

// The dims of the quotient: those of `whole`, each smaller by the part's. Error when
// the part has dims or bits that the whole lacks.
static Result<Dims> remainingDims(const Dims &whole, const Dims &part) {
  Dims rest = whole;
  for (const LayoutDim &dim : part) {
    const int index = indexOf(whole, dim.name);
    if (index < 0 || whole[index].bits < dim.bits)
      return makeError("the divisor is larger than the layout in dim '%s'", dim.name.c_str());
    rest[index].bits -= dim.bits;
  }
  return rest;
}

namespace {
// A block [from, from + bits of dims) of each out-dim.
struct OutBlock {
  std::vector<int> from;
  Dims dims;
};
} // namespace

// The part of a column that lies in the block, flattened over the block's dims; nothing
// when the column has bits outside.
static std::optional<uint64_t> extractBlock(uint64_t column, const Dims &outs,
                                            const OutBlock &block) {
  uint64_t inside = 0;
  int wholeOffset = 0, blockOffset = 0;
  for (size_t d = 0; d < outs.size(); ++d) {
    const uint64_t coordinate = shiftRight(column, wholeOffset) & lowMask(outs[d].bits);
    const uint64_t part = shiftRight(coordinate, block.from[d]) & lowMask(block.dims[d].bits);
    if (shiftLeft(part, block.from[d]) != coordinate)
      return std::nullopt;
    inside |= shiftLeft(part, blockOffset);
    wholeOffset += outs[d].bits;
    blockOffset += block.dims[d].bits;
  }
  return inside;
}

// A = B x C cuts the in-bits and out-bits of each dim in two:
//
//     | B 0 |   low bits        divideLeft:  B given, C wanted
//     | 0 C |   high bits       divideRight: C given, B wanted
//
// The block of the divisor must be the divisor, the rest of its rows and columns 0.
static Result<LinearLayout> divide(const LinearLayout &whole, const LinearLayout &divisor,
                                   bool divisorIsLow) {
  const Result<Dims> restIns = remainingDims(whole.ins(), divisor.ins());
  const Result<Dims> restOuts = remainingDims(whole.outs(), divisor.outs());
  if (!restIns || !restOuts)
    return restIns ? restOuts.error() : restIns.error();
  OutBlock divisorBlock, restBlock;
  restBlock.dims = *restOuts;
  for (const LayoutDim &rest : *restOuts) {
    const int taken = divisor.outBits(rest.name);
    divisorBlock.dims.push_back({rest.name, taken});
    divisorBlock.from.push_back(divisorIsLow ? 0 : rest.bits);
    restBlock.from.push_back(divisorIsLow ? taken : 0);
  }
  f2::Columns columns;
  for (const LayoutDim &in : whole.ins()) {
    const int taken = divisor.inBits(in.name);
    const int divisorFrom = divisorIsLow ? 0 : in.bits - taken;
    for (int i = 0; i < in.bits; ++i) {
      const uint64_t column = whole.column(whole.inOffset(in.name) + i);
      const bool inDivisor = i >= divisorFrom && i < divisorFrom + taken;
      const std::optional<uint64_t> part =
          extractBlock(column, whole.outs(), inDivisor ? divisorBlock : restBlock);
      if (!part)
        return makeError("no quotient: in-dim '%s' bit %d crosses the blocks", in.name.c_str(), i);
      if (!inDivisor) {
        columns.push_back(*part);
        continue;
      }
      const uint64_t expected = divisor.column(divisor.inOffset(in.name) + i - divisorFrom);
      if (*part != rearrange(expected, divisor.outs(), divisorBlock.dims))
        return makeError("no quotient: in-dim '%s' bit %d differs from the divisor",
                         in.name.c_str(), i);
    }
  }
  return LinearLayout::fromColumns(*restIns, *restOuts, std::move(columns));
}

// The blocks fit, but the product can still put the dims in another order than the layout
// that was divided.
static Result<LinearLayout> checkProduct(const Result<LinearLayout> &product,
                                         const LinearLayout &whole,
                                         const Result<LinearLayout> &quotient) {
  if (!product)
    return product.error();
  if (*product != whole)
    return makeError("no quotient: the divisor has its dims in another order");
  return quotient;
}

Result<LinearLayout> LinearLayout::divideLeft(const LinearLayout &inner) const {
  const Result<LinearLayout> c = divide(*this, inner, /*divisorIsLow=*/true);
  return c ? checkProduct(product(inner, *c), *this, c) : c;
}

Result<LinearLayout> LinearLayout::divideRight(const LinearLayout &outer) const {
  const Result<LinearLayout> c = divide(*this, outer, /*divisorIsLow=*/false);
  return c ? checkProduct(product(*c, outer), *this, c) : c;
}

Result<LinearLayout> LinearLayout::concatIns(const LinearLayout &other) const {
  if (outs_ != other.outs_)
    return makeError("the layouts to put side by side have different out-dims");
  std::vector<LayoutDim> ins = ins_;
  ins.insert(ins.end(), other.ins_.begin(), other.ins_.end());
  f2::Columns columns = columns_;
  columns.insert(columns.end(), other.columns_.begin(), other.columns_.end());
  return fromColumns(std::move(ins), outs_, std::move(columns));
}

Result<LinearLayout> LinearLayout::concatOuts(const LinearLayout &other) const {
  if (ins_ != other.ins_)
    return makeError("the layouts to stack have different in-dims");
  std::vector<LayoutDim> outs = outs_;
  outs.insert(outs.end(), other.outs_.begin(), other.outs_.end());
  f2::Columns columns = columns_;
  for (size_t c = 0; c < columns.size(); ++c)
    columns[c] |= shiftLeft(other.columns_[c], totalOutBits());
  return fromColumns(ins_, std::move(outs), std::move(columns));
}

} // namespace layout_port
