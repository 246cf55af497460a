// The class of LinearLayout.h: names and order of dims on top of the matrix, which
// algebra/F2.cpp works on. Building, looking and printing; Products.cpp, Solving.cpp
// and Reshaping.cpp hold the operations.
#include "layout_port/layouts/LinearLayout.h"

#include "algebra/Dims.h"

#include <algorithm>

namespace layout_port {

using namespace dims;
using f2::lowMask;
using f2::shiftLeft;
using f2::shiftRight;

// ---- Building ----------------------------------------------------------------

LinearLayout LinearLayout::strided1D(uint64_t size, uint64_t stride, const std::string &in,
                                     const std::string &out) {
  if (size == 0)
    return empty();
  LinearLayout layout;
  layout.ins_ = {{in, f2::highestBit(size)}};
  layout.outs_ = {{out, f2::highestBit(size) + f2::highestBit(stride)}};
  for (int i = 0; i < layout.ins_[0].bits; ++i)
    layout.columns_.push_back(shiftLeft(stride, i));
  return layout;
}

LinearLayout LinearLayout::identity1D(uint64_t size, const std::string &in,
                                      const std::string &out) {
  return strided1D(size, 1, in, out);
}

LinearLayout LinearLayout::zeros1D(uint64_t size, const std::string &in, const std::string &out,
                                   uint64_t outSize) {
  if (size == 0)
    return empty();
  LinearLayout layout;
  layout.ins_ = {{in, f2::highestBit(size)}};
  layout.outs_ = {{out, f2::highestBit(outSize)}};
  layout.columns_.assign(layout.ins_[0].bits, 0);
  return layout;
}

Result<LinearLayout> LinearLayout::fromColumns(std::vector<LayoutDim> ins,
                                               std::vector<LayoutDim> outs, f2::Columns columns) {
  if (Result<int> inBits = checkDims(ins, "in-dim"); !inBits)
    return inBits.error();
  else if (static_cast<size_t>(*inBits) != columns.size())
    return makeError("the in-dims have %d bits, but there are %zu columns", *inBits,
                     columns.size());
  const Result<int> outBits = checkDims(outs, "out-dim");
  if (!outBits)
    return outBits.error();
  for (const uint64_t column : columns)
    if (column & ~lowMask(*outBits))
      return makeError("a column has bits above the %d out-bits", *outBits);
  LinearLayout layout;
  layout.ins_ = std::move(ins);
  layout.outs_ = std::move(outs);
  layout.columns_ = std::move(columns);
  return layout;
}

// The flattened output of one basis.
static Result<uint64_t> flattenBasis(const LinearLayout::Basis &basis,
                                     const std::vector<LayoutDim> &outs, const std::string &in) {
  if (basis.size() != outs.size())
    return makeError("a basis of in-dim '%s' has %zu coordinates for %zu out-dims", in.c_str(),
                     basis.size(), outs.size());
  uint64_t flat = 0;
  int offset = 0;
  for (size_t d = 0; d < outs.size(); ++d) {
    if (basis[d] & ~lowMask(outs[d].bits))
      return makeError("basis %llu of in-dim '%s' is not below the size of out-dim '%s', 2^%d",
                       static_cast<unsigned long long>(basis[d]), in.c_str(), outs[d].name.c_str(),
                       outs[d].bits);
    flat |= shiftLeft(basis[d], offset);
    offset += outs[d].bits;
  }
  return flat;
}

Result<LinearLayout> LinearLayout::fromBases(const NamedBases &bases, const NamedSizes &outDims) {
  Result<std::vector<LayoutDim>> outs = dimsOfSizes(outDims);
  if (!outs)
    return outs.error();
  if (const Result<int> outBits = checkDims(*outs, "out-dim"); !outBits)
    return outBits.error();
  std::vector<LayoutDim> ins;
  f2::Columns columns;
  for (const auto &[name, vectors] : bases) {
    ins.push_back({name, static_cast<int>(vectors.size())});
    for (const Basis &basis : vectors) {
      const Result<uint64_t> flat = flattenBasis(basis, *outs, name);
      if (!flat)
        return flat.error();
      columns.push_back(*flat);
    }
  }
  return fromColumns(std::move(ins), std::move(*outs), std::move(columns));
}

Result<LinearLayout> LinearLayout::fromSurjectiveBases(const NamedBases &bases,
                                                       const Names &outDims) {
  std::vector<uint64_t> bitsSeen(outDims.size(), 0);
  for (const auto &dim : bases)
    for (const Basis &basis : dim.second)
      for (size_t d = 0; d < std::min(basis.size(), outDims.size()); ++d)
        bitsSeen[d] |= basis[d];
  NamedSizes sizes;
  for (size_t d = 0; d < outDims.size(); ++d) {
    const int bits = bitsSeen[d] ? f2::highestBit(bitsSeen[d]) + 1 : 0;
    if (bits > 63)
      return makeError("out-dim '%s' does not fit into 63 bits", outDims[d].c_str());
    sizes.push_back({outDims[d], shiftLeft(1, bits)});
  }
  Result<LinearLayout> layout = fromBases(bases, sizes);
  if (layout && !layout->isSurjective())
    return makeError("the bases do not reach every output: give the sizes of the out-dims");
  return layout;
}

// ---- Looking -----------------------------------------------------------------

LinearLayout::Names LinearLayout::inNames() const { return namesOf(ins_); }
LinearLayout::Names LinearLayout::outNames() const { return namesOf(outs_); }
int LinearLayout::totalOutBits() const { return totalBits(outs_); }
int LinearLayout::inIndex(const std::string &name) const { return indexOf(ins_, name); }
int LinearLayout::outIndex(const std::string &name) const { return indexOf(outs_, name); }
int LinearLayout::inBits(const std::string &name) const { return bitsOf(ins_, name); }
int LinearLayout::outBits(const std::string &name) const { return bitsOf(outs_, name); }
int LinearLayout::inOffset(const std::string &name) const { return offsetOf(ins_, name); }
int LinearLayout::outOffset(const std::string &name) const { return offsetOf(outs_, name); }

LinearLayout::Basis LinearLayout::splitOut(uint64_t flat) const { return split(outs_, flat); }
LinearLayout::Basis LinearLayout::splitIn(uint64_t flat) const { return split(ins_, flat); }
uint64_t LinearLayout::joinIn(const Basis &coordinates) const { return join(ins_, coordinates); }
uint64_t LinearLayout::joinOut(const Basis &coordinates) const { return join(outs_, coordinates); }

LinearLayout::Basis LinearLayout::basis(const std::string &in, int bit) const {
  return splitOut(columns_[inOffset(in) + bit]);
}

uint64_t LinearLayout::basis(const std::string &in, int bit, const std::string &out) const {
  const uint64_t column = columns_[inOffset(in) + bit];
  return hasOut(out) ? shiftRight(column, outOffset(out)) & lowMask(outBits(out)) : 0;
}

LinearLayout::NamedBases LinearLayout::bases() const {
  NamedBases all;
  size_t next = 0;
  for (const LayoutDim &in : ins_) {
    all.emplace_back(in.name, std::vector<Basis>());
    for (int i = 0; i < in.bits; ++i)
      all.back().second.push_back(splitOut(columns_[next++]));
  }
  return all;
}

LinearLayout::NamedSizes LinearLayout::outSizes() const {
  NamedSizes sizes;
  for (const LayoutDim &out : outs_)
    sizes.emplace_back(out.name, shiftLeft(1, out.bits));
  return sizes;
}

Result<LinearLayout::NamedValues> LinearLayout::apply(const NamedValues &ins) const {
  Names names;
  for (const auto &[name, value] : ins)
    names.push_back(name);
  if (const Result<bool> same = checkSameNames(names, inNames(), "in-dims"); !same)
    return same.error();
  Basis coordinates(ins_.size(), 0);
  for (const auto &[name, value] : ins)
    coordinates[inIndex(name)] = value;
  const Basis outputs = splitOut(apply(joinIn(coordinates)));
  NamedValues named;
  for (size_t d = 0; d < outs_.size(); ++d)
    named.emplace_back(outs_[d].name, outputs[d]);
  return named;
}

bool LinearLayout::isIdentity() const {
  if (totalInBits() != totalOutBits())
    return false;
  for (int i = 0; i < totalInBits(); ++i)
    if (columns_[i] != uint64_t(1) << i)
      return false;
  return true;
}

bool LinearLayout::isTrivialOver(const Names &dims) const {
  for (const std::string &dim : dims) {
    if (!hasIn(dim) || !hasOut(dim) || inBits(dim) != outBits(dim))
      return false;
    for (int i = 0; i < inBits(dim); ++i)
      if (columns_[inOffset(dim) + i] != shiftLeft(1, outOffset(dim) + i))
        return false;
  }
  return sublayoutIsZero(namesWithout(ins_, dims), dims);
}

LinearLayout::NamedValues LinearLayout::zeroBases() const {
  uint64_t zero = 0;
  for (size_t c = 0; c < columns_.size(); ++c)
    zero |= uint64_t(columns_[c] == 0) << c;
  return nameValues(ins_, zero);
}

LinearLayout::NamedValues LinearLayout::freeVariableMasks() const {
  return nameValues(ins_, lowMask(totalInBits()) & ~f2::pivots(columns_));
}

uint64_t LinearLayout::numConsecutive() const {
  return ins_.empty() ? 1 : numConsecutive(ins_[0].name);
}

uint64_t LinearLayout::numConsecutive(const std::string &in) const {
  return outs_.empty() ? 1 : numConsecutive(in, outs_[0].name);
}

uint64_t LinearLayout::numConsecutive(const std::string &in, const std::string &out) const {
  if (!hasIn(in) || !hasOut(out))
    return 1;
  // The first `run` bases of the dim are 1, 2, 4, ... in the out-dim, and no other basis
  // may touch the bits below the block they form.
  const int from = inOffset(in), base = outOffset(out);
  const int bits = std::min(inBits(in), outBits(out));
  int run = 0;
  while (run < bits && columns_[from + run] == shiftLeft(1, base + run))
    ++run;
  uint64_t others = 0;
  for (int c = 0; c < totalInBits(); ++c)
    if (c < from || c >= from + run)
      others |= columns_[c];
  others = shiftRight(others, base) & lowMask(outBits(out));
  return shiftLeft(1, others ? std::min(run, f2::lowestBit(others)) : run);
}

std::string LinearLayout::toString() const {
  std::string text;
  for (const auto &[in, vectors] : bases()) {
    if (vectors.empty())
      text += in + " has size 1\n";
    for (size_t i = 0; i < vectors.size(); ++i) {
      text += in + "=" + std::to_string(shiftLeft(1, static_cast<int>(i))) + " -> (";
      for (size_t d = 0; d < vectors[i].size(); ++d)
        text += (d ? ", " : "") + std::to_string(vectors[i][d]);
      text += ")\n";
    }
  }
  text += "out dims:";
  for (size_t d = 0; d < outs_.size(); ++d)
    text += (d ? ", " : " ") + outs_[d].name + " (" + sizeText(outs_[d]) + ")";
  return text + "\n";
}

} // namespace layout_port
