// Operations that keep the bits and change their names, order and grouping, and
// those that drop some.
#include "algebra/Dims.h"

#include <algorithm>

namespace layout_port {

using namespace dims;
using f2::lowMask;

static Dims dimsInOrder(const Dims &dims, const Names &order) {
  Dims ordered;
  for (const std::string &name : order)
    ordered.push_back(dims[indexOf(dims, name)]);
  return ordered;
}

// The columns of the in-dims named in `ins`, in that order, over the out-dims `outs`.
static f2::Columns pickColumns(const LinearLayout &layout, const Dims &ins, const Dims &outs) {
  const Rearrangement turn(layout.outs(), outs);
  f2::Columns columns;
  for (const LayoutDim &in : ins) {
    const int from = layout.inOffset(in.name);
    for (int i = 0; i < in.bits; ++i)
      columns.push_back(turn(layout.column(from + i)));
  }
  return columns;
}

Result<LinearLayout> LinearLayout::transposeIns(const Names &order) const {
  if (const Result<bool> same = checkSameNames(order, inNames(), "in-dims"); !same)
    return same.error();
  const Dims ins = dimsInOrder(ins_, order);
  return fromColumns(ins, outs_, pickColumns(*this, ins, outs_));
}

Result<LinearLayout> LinearLayout::transposeOuts(const Names &order) const {
  if (const Result<bool> same = checkSameNames(order, outNames(), "out-dims"); !same)
    return same.error();
  const Dims outs = dimsInOrder(outs_, order);
  return fromColumns(ins_, outs, pickColumns(*this, ins_, outs));
}

Result<LinearLayout> LinearLayout::reshapeIns(const NamedSizes &sizes) const {
  const Result<Dims> ins = dimsOfSizes(sizes);
  if (!ins)
    return ins.error();
  return fromColumns(*ins, outs_, columns_);
}

Result<LinearLayout> LinearLayout::reshapeOuts(const NamedSizes &sizes) const {
  const Result<Dims> outs = dimsOfSizes(sizes);
  if (!outs)
    return outs.error();
  if (totalBits(*outs) != totalOutBits())
    return makeError("cannot reshape %d out-bits into %d", totalOutBits(), totalBits(*outs));
  return fromColumns(ins_, *outs, columns_);
}

LinearLayout LinearLayout::flattenIns() const {
  LinearLayout flat = *this;
  if (!ins_.empty())
    flat.ins_ = {{ins_[0].name, totalInBits()}};
  return flat;
}

LinearLayout LinearLayout::flattenOuts() const {
  LinearLayout flat = *this;
  if (!outs_.empty())
    flat.outs_ = {{outs_[0].name, totalOutBits()}};
  return flat;
}

// Error unless `dims` has the dim.
static Result<bool> checkHas(const Dims &dims, const std::string &name, const char *what) {
  if (indexOf(dims, name) < 0)
    return makeError("there is no %s '%s' among [%s]", what, name.c_str(),
                     joinNames(namesOf(dims)).c_str());
  return true;
}

static Result<Dims> squeezed(const Dims &dims, const std::string &name, const char *what) {
  if (const Result<bool> has = checkHas(dims, name, what); !has)
    return has.error();
  if (bitsOf(dims, name) != 0)
    return makeError("%s '%s' has size 2^%d, not 1", what, name.c_str(), bitsOf(dims, name));
  Dims rest = dims;
  rest.erase(rest.begin() + indexOf(dims, name));
  return rest;
}

Result<LinearLayout> LinearLayout::squeezeIn(const std::string &dim) const {
  const Result<Dims> ins = squeezed(ins_, dim, "in-dim");
  if (!ins)
    return ins.error();
  return fromColumns(*ins, outs_, columns_);
}

Result<LinearLayout> LinearLayout::squeezeOut(const std::string &dim) const {
  const Result<Dims> outs = squeezed(outs_, dim, "out-dim");
  if (!outs)
    return outs.error();
  return fromColumns(ins_, *outs, columns_);
}

Result<LinearLayout> LinearLayout::renameIn(const std::string &dim, const std::string &name) const {
  if (const Result<bool> has = checkHas(ins_, dim, "in-dim"); !has)
    return has.error();
  Dims ins = ins_;
  ins[inIndex(dim)].name = name;
  return fromColumns(ins, outs_, columns_);
}

Result<LinearLayout> LinearLayout::renameOut(const std::string &dim,
                                             const std::string &name) const {
  if (const Result<bool> has = checkHas(outs_, dim, "out-dim"); !has)
    return has.error();
  Dims outs = outs_;
  outs[outIndex(dim)].name = name;
  return fromColumns(ins_, outs, columns_);
}

// The bits of a size asked for, or why it is none.
static Result<int> newBits(const Dims &dims, const std::string &dim, uint64_t size,
                           const char *what) {
  if (const Result<bool> has = checkHas(dims, dim, what); !has)
    return has.error();
  if (f2::popcount(size) != 1)
    return makeError("the size %llu is not a power of two", static_cast<unsigned long long>(size));
  return f2::lowestBit(size);
}

Result<LinearLayout> LinearLayout::resizeIn(const std::string &dim, uint64_t size) const {
  const Result<int> bits = newBits(ins_, dim, size, "in-dim");
  if (!bits)
    return bits.error();
  Dims ins = ins_;
  ins[inIndex(dim)].bits = *bits;
  f2::Columns columns = columns_;
  const auto end = columns.begin() + inOffset(dim) + inBits(dim);
  if (*bits < inBits(dim))
    columns.erase(end - (inBits(dim) - *bits), end);
  else
    columns.insert(end, *bits - inBits(dim), 0);
  return fromColumns(ins, outs_, std::move(columns));
}

Result<LinearLayout> LinearLayout::resizeOut(const std::string &dim, uint64_t size) const {
  const Result<int> bits = newBits(outs_, dim, size, "out-dim");
  if (!bits)
    return bits.error();
  Dims outs = outs_;
  outs[outIndex(dim)].bits = *bits;
  f2::Columns columns;
  for (const uint64_t column : columns_) {
    Basis coordinates = splitOut(column);
    if (coordinates[outIndex(dim)] & ~lowMask(*bits))
      coordinates[outIndex(dim)] = 0;
    columns.push_back(join(outs, coordinates));
  }
  return fromColumns(ins_, outs, std::move(columns));
}

static Dims dimsNamed(const Dims &dims, const Names &names) {
  Dims kept;
  for (const LayoutDim &dim : dims)
    if (contains(names, dim.name))
      kept.push_back(dim);
  return kept;
}

Result<LinearLayout> LinearLayout::sublayout(const Names &ins, const Names &outs) const {
  for (const std::string &name : ins)
    if (const Result<bool> has = checkHas(ins_, name, "in-dim"); !has)
      return has.error();
  for (const std::string &name : outs)
    if (const Result<bool> has = checkHas(outs_, name, "out-dim"); !has)
      return has.error();
  const Dims keptIns = dimsNamed(ins_, ins), keptOuts = dimsNamed(outs_, outs);
  return fromColumns(keptIns, keptOuts, pickColumns(*this, keptIns, keptOuts));
}

bool LinearLayout::sublayoutIsZero(const Names &ins, const Names &outs) const {
  const f2::Columns columns = pickColumns(*this, dimsNamed(ins_, ins), dimsNamed(outs_, outs));
  return std::all_of(columns.begin(), columns.end(), [](uint64_t column) { return column == 0; });
}

Result<LinearLayout> LinearLayout::quotient(const Names &dims) const {
  if (!isTrivialOver(dims))
    return makeError("the layout is not the identity on [%s], apart from the other dims",
                     joinNames(dims).c_str());
  return sublayout(namesWithout(ins_, dims), namesWithout(outs_, dims));
}

Result<LinearLayout> LinearLayout::removeZeroBases(const std::string &in) const {
  if (const Result<bool> has = checkHas(ins_, in, "in-dim"); !has)
    return has.error();
  const int from = inOffset(in), to = from + inBits(in);
  Dims ins = ins_;
  f2::Columns columns;
  for (int c = 0; c < totalInBits(); ++c) {
    if (c >= from && c < to && columns_[c] == 0)
      --ins[inIndex(in)].bits;
    else
      columns.push_back(columns_[c]);
  }
  return fromColumns(ins, outs_, std::move(columns));
}

} // namespace layout_port
