#include "encodings/Tile.h"

#include <algorithm>

namespace layout_port {
namespace encodings {

std::string dimName(uint64_t dim) { return "dim" + std::to_string(dim); }

LinearLayout::Names dimNames(size_t rank) {
  LinearLayout::Names names;
  for (size_t d = 0; d < rank; ++d)
    names.push_back(dimName(d));
  return names;
}

LinearLayout::Names dimNames(const PerDim &order) {
  LinearLayout::Names names;
  for (const uint64_t dim : order)
    names.push_back(dimName(dim));
  return names;
}

PerDim matrixOrder(size_t rank, bool columnMajor) {
  PerDim order;
  for (size_t d = rank; d-- > 0;)
    order.push_back(d);
  if (columnMajor)
    std::swap(order[0], order[1]);
  return order;
}

PerDim operandOrder(uint64_t opIdx, size_t rank) {
  return matrixOrder(rank, /*columnMajor=*/opIdx == 1);
}

Tile &Tile::set(Result<LinearLayout> next) {
  if (!ok())
    return *this;
  if (!next)
    return fail(next.error());
  // One bit to spare, so that a size is always a number.
  for (const LayoutDim &out : next->outs())
    if (out.bits > 62)
      return fail(makeError("the tile has more than 2^62 elements along %s", out.name.c_str()));
  layout_ = std::move(*next);
  return *this;
}

Tile &Tile::fail(Error error) {
  if (ok())
    error_ = std::move(error);
  return *this;
}

Result<LinearLayout> Tile::take() const {
  if (!ok())
    return error_;
  return layout_;
}

Tile &Tile::times(const LinearLayout &outer) { return set(LinearLayout::product(layout_, outer)); }

// The index of the dim, which is put at the end when it is new.
static size_t findOrAdd(std::vector<LayoutDim> &dims, const std::string &name) {
  for (size_t d = 0; d < dims.size(); ++d)
    if (dims[d].name == name)
      return d;
  dims.push_back({name, 0});
  return dims.size() - 1;
}

// The lowest bit above the dim.
static int endOf(const std::vector<LayoutDim> &dims, size_t index) {
  int end = 0;
  for (size_t d = 0; d <= index; ++d)
    end += dims[d].bits;
  return end;
}

// The product with a layout of one in-dim and one out-dim, spelled out because tiles are
// made of little else: room for the new out-bits at the end of the out-dim, and new
// columns (an identity, or zeros when outSize is 1) at the end of the in-dim.
Tile &Tile::append(uint64_t inSize, const char *in, uint64_t outSize, const std::string &out) {
  if (!ok() || inSize == 0)
    return *this;
  const int inBits = f2::highestBit(inSize), outBits = f2::highestBit(outSize);
  if (layout_.totalInBits() + inBits > 64 || layout_.totalOutBits() + outBits > 64)
    return fail(makeError("the tile has more than 64 in-bits or out-bits"));
  std::vector<LayoutDim> ins = layout_.ins(), outs = layout_.outs();
  const size_t inDim = findOrAdd(ins, in), outDim = findOrAdd(outs, out);
  const int inEnd = endOf(ins, inDim), outEnd = endOf(outs, outDim);
  f2::Columns columns = layout_.columns();
  for (uint64_t &column : columns)
    column = (column & f2::lowMask(outEnd)) |
             f2::shiftLeft(f2::shiftRight(column, outEnd), outEnd + outBits);
  f2::Columns added(inBits, 0);
  for (int i = 0; i < outBits; ++i)
    added[i] = uint64_t(1) << (outEnd + i);
  columns.insert(columns.begin() + inEnd, added.begin(), added.end());
  ins[inDim].bits += inBits;
  outs[outDim].bits += outBits;
  return set(LinearLayout::fromColumns(std::move(ins), std::move(outs), std::move(columns)));
}

Tile &Tile::identity(uint64_t size, const char *in, const std::string &out) {
  return append(size, in, size, out);
}

Tile &Tile::broadcast(uint64_t size, const char *in, const std::string &out) {
  return append(size, in, 1, out);
}

Tile &Tile::identityNd(const PerDim &sizes, const char *in, const PerDim &order) {
  for (const uint64_t dim : order)
    identity(sizes[dim], in, dimName(dim));
  return *this;
}

Tile &Tile::orderOuts(const LinearLayout::Names &names) {
  return set(layout_.transposeOuts(names));
}

// The size that the shape asks of an out-dim "dimN".
static uint64_t wantedSize(const std::string &name, const PerDim &shape) {
  for (size_t d = 0; d < shape.size(); ++d)
    if (dimName(d) == name)
      return shape[d];
  return 1;
}

Tile &Tile::growTo(const PerDim &shape) {
  if (!ok() || layout_.ins().empty())
    return *this;
  const std::string in = layout_.ins()[0].name;
  for (const LayoutDim &out : std::vector<LayoutDim>(layout_.outs()))
    identity(wantedSize(out.name, shape) / out.size(), in.c_str(), out.name);
  return *this;
}

namespace {
// One coordinate of one basis.
struct Entry {
  size_t column;
  uint64_t value;
};
} // namespace

// The nonzero coordinates in an out-dim, largest first, equal ones in column order.
static std::vector<Entry> entriesByValue(const LinearLayout &layout, const std::string &out) {
  std::vector<Entry> entries;
  for (size_t c = 0; c < layout.columns().size(); ++c) {
    const uint64_t value = layout.splitOut(layout.columns()[c])[layout.outIndex(out)];
    if (value)
      entries.push_back({c, value});
  }
  std::sort(entries.begin(), entries.end(), [](const Entry &a, const Entry &b) {
    return a.value != b.value ? a.value > b.value : a.column < b.column;
  });
  return entries;
}

// The layout with its out-dim cut down: one basis is set to 0 for each halving.
static Result<LinearLayout> shrinkDim(const LinearLayout &layout, const std::string &out,
                                      uint64_t wanted) {
  f2::Columns columns = layout.columns();
  const int offset = layout.outOffset(out), bits = layout.outBits(out);
  const uint64_t dimMask = f2::shiftLeft(f2::lowMask(bits), offset);
  uint64_t size = layout.outSize(out);
  for (const Entry &entry : entriesByValue(layout, out)) {
    if (size <= wanted)
      break;
    columns[entry.column] &= ~dimMask;
    size /= 2;
  }
  for (const uint64_t column : columns)
    if (f2::shiftRight(column & dimMask, offset) >= wanted)
      return makeError("the tile does not fit a size of %llu in %s",
                       static_cast<unsigned long long>(wanted), out.c_str());
  const Result<LinearLayout> cut =
      LinearLayout::fromColumns(layout.ins(), layout.outs(), std::move(columns));
  return cut->resizeOut(out, wanted);
}

Tile &Tile::shrinkTo(const PerDim &shape) {
  for (const std::string &name : layout_.outNames())
    if (ok() && layout_.outSize(name) > wantedSize(name, shape))
      set(shrinkDim(layout_, name, wantedSize(name, shape)));
  return *this;
}

bool isPowerOfTwo(uint64_t x) { return f2::popcount(x) == 1; }

Result<bool> checkPowers(const PerDim &values, size_t rank, const char *name) {
  if (values.size() != rank)
    return makeError("%s has %zu entries for a tensor of rank %zu", name, values.size(), rank);
  for (const uint64_t value : values)
    if (!isPowerOfTwo(value))
      return makeError("%s has an entry %llu, which is not a power of two", name,
                       static_cast<unsigned long long>(value));
  return true;
}

Result<bool> checkPowers(std::initializer_list<NamedParam> params, size_t rank) {
  for (const NamedParam &param : params)
    if (const Result<bool> good = checkPowers(param.values, rank, param.name); !good)
      return good.error();
  return true;
}

Result<PerDim> completeOrder(const PerDim &order, size_t rank, const char *name) {
  const PerDim complete = order.empty() ? matrixOrder(rank) : order;
  PerDim sorted = complete;
  std::sort(sorted.begin(), sorted.end());
  PerDim all = matrixOrder(rank);
  std::reverse(all.begin(), all.end());
  if (sorted != all)
    return makeError("%s is not a permutation of the %zu dims", name, rank);
  return complete;
}

Result<CtaParams> completeCta(const CtaParams &cta, size_t rank) {
  CtaParams complete = cta;
  if (cta.ctasPerCga.empty())
    complete.ctasPerCga.assign(rank, 1);
  if (cta.ctaSplitNum.empty())
    complete.ctaSplitNum.assign(rank, 1);
  const Result<PerDim> order = completeOrder(cta.ctaOrder, rank, "CTAOrder");
  if (!order)
    return order.error();
  complete.ctaOrder = *order;
  if (const Result<bool> good = checkPowers(
          {{"CTAsPerCGA", complete.ctasPerCga}, {"CTASplitNum", complete.ctaSplitNum}}, rank);
      !good)
    return good.error();
  for (size_t d = 0; d < rank; ++d)
    if (complete.ctaSplitNum[d] > complete.ctasPerCga[d])
      return makeError("CTASplitNum is larger than CTAsPerCGA in dim %zu", d);
  return complete;
}

PerDim shapePerCta(const CtaParams &cta, const PerDim &shape) {
  PerDim part = shape;
  for (size_t d = 0; d < shape.size(); ++d)
    part[d] /= std::min(shape[d], cta.ctaSplitNum[d]);
  return part;
}

// block -> the piece's position: along each dim, first the blocks that hold different
// pieces, then the copies.
static Tile blocksTile(const CtaParams &cta) {
  Tile tile;
  for (const uint64_t dim : cta.ctaOrder) {
    const uint64_t split = cta.ctaSplitNum[dim];
    tile.identity(split, "block", dimName(dim))
        .broadcast(cta.ctasPerCga[dim] / split, "block", dimName(dim));
  }
  return tile.orderOuts(dimNames(cta.ctaOrder.size()));
}

Result<LinearLayout> combineWithBlocks(Tile tile, const CtaParams &cta, const PerDim &shape) {
  if (!tile.ok())
    return tile.take();
  const Tile blocks = blocksTile(cta).shrinkTo(shape).orderOuts(tile.layout().outNames());
  if (!blocks.ok())
    return blocks.take();
  PerDim part;
  for (size_t d = 0; d < shape.size(); ++d)
    part.push_back(std::max<uint64_t>(1, shape[d] / blocks.layout().outSize(dimName(d))));
  return tile.growTo(part)
      .shrinkTo(part)
      .times(blocks.layout())
      .orderOuts(dimNames(shape.size()))
      .take();
}

} // namespace encodings
} // namespace layout_port
