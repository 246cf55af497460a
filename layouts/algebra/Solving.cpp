// Composition and everything that solves A X = B for layouts.
#include "algebra/Dims.h"

#include <optional>

namespace layout_port {

using namespace dims;

Result<LinearLayout> LinearLayout::compose(const LinearLayout &outer) const {
  if (const Result<bool> same = checkSameNames(outNames(), outer.inNames(),
                                               "out-dims of the first and in-dims of the second");
      !same)
    return same.error();
  for (const LayoutDim &dim : outs_)
    if (dim.bits > outer.inBits(dim.name))
      return makeError("dim '%s' has size %s in the first layout and only %s in the second",
                       dim.name.c_str(), sizeText(dim).c_str(),
                       sizeText({dim.name, outer.inBits(dim.name)}).c_str());
  LinearLayout result;
  result.ins_ = ins_;
  result.outs_ = outer.outs_;
  const Rearrangement between(outs_, outer.ins_);
  for (const uint64_t column : columns_)
    result.columns_.push_back(outer.apply(between(column)));
  return result;
}

Result<LinearLayout> LinearLayout::invert() const {
  if (!isInvertible())
    return makeError("not invertible: %d in-bits, %d out-bits, rank %d", totalInBits(),
                     totalOutBits(), rank());
  return pseudoinvert();
}

// The identity from the dims onto themselves.
static Result<LinearLayout> identityOn(const Dims &dims) {
  f2::Columns columns;
  for (int i = 0; i < totalBits(dims); ++i)
    columns.push_back(uint64_t(1) << i);
  return LinearLayout::fromColumns(dims, dims, std::move(columns));
}

Result<LinearLayout> LinearLayout::pseudoinvert() const {
  if (!isSurjective())
    return makeError("no right inverse: rank %d of %d out-bits", rank(), totalOutBits());
  return identityOn(outs_)->invertAndCompose(*this);
}

Result<LinearLayout> LinearLayout::minWeightRightInverse() const {
  const std::optional<f2::Columns> inverse = f2::minWeightRightInverse(columns_, totalOutBits());
  if (!inverse)
    return makeError("no right inverse: rank %d of %d out-bits", rank(), totalOutBits());
  return fromColumns(outs_, ins_, *inverse);
}

// The out-dims of `source` are those of `target`, perhaps smaller.
static Result<bool> checkFits(const LinearLayout &source, const LinearLayout &target) {
  if (const Result<bool> same = checkSameNames(source.outNames(), target.outNames(), "out-dims");
      !same)
    return same.error();
  for (const LayoutDim &dim : source.outs())
    if (dim.bits > target.outBits(dim.name))
      return makeError("out-dim '%s' has size %s where only %s can be reached", dim.name.c_str(),
                       sizeText(dim).c_str(),
                       sizeText({dim.name, target.outBits(dim.name)}).c_str());
  return true;
}

Result<LinearLayout> LinearLayout::lstsq(const LinearLayout &b) const {
  if (const Result<bool> fits = checkFits(b, *this); !fits)
    return fits.error();
  const Rearrangement turn(b.outs_, outs_);
  f2::Columns wanted;
  for (const uint64_t column : b.columns_)
    wanted.push_back(turn(column));
  std::optional<f2::Columns> x = f2::solve(columns_, wanted);
  if (!x)
    return makeError("no solution: the second layout reaches outputs that the first does not");
  return fromColumns(b.ins_, ins_, std::move(*x));
}

namespace {

// One solve of outer(C(x)) = inner(x), column by column, on flattened bits. See
// invertAndCompose in LinearLayout.h for the rules.
class InvertAndCompose {
public:
  InvertAndCompose(const LinearLayout &inner, const LinearLayout &outer)
      : inner_(inner), outer_(outer), turn_(inner.outs(), outer.outs()) {
    for (const LayoutDim &dim : outer.ins())
      if (mapsToItself(dim))
        identity_.push_back(dim.name);
    for (const LayoutDim &dim : outer.ins())
      for (int i = 0; i < dim.bits; ++i)
        if (!contains(identity_, dim.name)) {
          const int bit = outer.inOffset(dim.name) + i;
          rest_.insert(outer.column(bit), bit);
        }
    for (int bit = 0; bit < outer.totalInBits(); ++bit)
      all_.insert(outer.column(bit), bit);
  }

  // The columns of C, or nothing when an element of inner is not in outer.
  std::optional<f2::Columns> run() const {
    f2::Columns columns;
    for (const LayoutDim &dim : inner_.ins()) {
      const bool same = contains(identity_, dim.name);
      for (int i = 0; i < dim.bits; ++i) {
        const std::optional<uint64_t> x = same ? uint64_t(1) << (outer_.inOffset(dim.name) + i)
                                               : place(wanted(inner_.inOffset(dim.name) + i));
        if (!x)
          return std::nullopt;
        columns.push_back(*x);
      }
    }
    return columns;
  }

private:
  // The output of an in-bit of inner, in outer's order of out-dims.
  uint64_t wanted(int bit) const { return turn_(inner_.column(bit)); }

  bool mapsToItself(const LayoutDim &dim) const {
    if (!inner_.hasIn(dim.name) || inner_.inBits(dim.name) != dim.bits)
      return false;
    for (int i = 0; i < dim.bits; ++i)
      if (wanted(inner_.inOffset(dim.name) + i) != outer_.column(outer_.inOffset(dim.name) + i))
        return false;
    return true;
  }

  // An input of outer with this output: by the dims that are not equal alone if
  // they can, else by all of them.
  std::optional<uint64_t> place(uint64_t output) const {
    const std::optional<uint64_t> x = rest_.solve(output);
    return x ? x : all_.solve(output);
  }

  const LinearLayout &inner_;
  const LinearLayout &outer_;
  Rearrangement turn_;
  Names identity_;
  f2::Span rest_; // columns of outer outside the identity dims, tagged with their in-bit
  f2::Span all_;
};

} // namespace

Result<LinearLayout> LinearLayout::invertAndCompose(const LinearLayout &outer) const {
  if (const Result<bool> fits = checkFits(*this, outer); !fits)
    return fits.error();
  std::optional<f2::Columns> columns = InvertAndCompose(*this, outer).run();
  if (!columns)
    return makeError("no solution: the first layout reaches outputs that the second does not");
  return fromColumns(ins_, outer.ins_, std::move(*columns));
}

} // namespace layout_port
