#include "layout_port/layouts/Affine.h"

#include "algebra/Dims.h"

namespace layout_port {

using namespace dims;

Result<LinearLayout::NamedValues> AffineLayout::apply(const LinearLayout::NamedValues &ins) const {
  Result<LinearLayout::NamedValues> outs = linear.apply(ins);
  if (!outs)
    return outs.error();
  const LinearLayout::Basis shift = linear.splitOut(constant);
  for (size_t d = 0; d < outs->size(); ++d)
    (*outs)[d].second ^= shift[d];
  return outs;
}

Result<AffineLayout> AffineLayout::compose(const AffineLayout &outer) const {
  Result<LinearLayout> both = linear.compose(outer.linear);
  if (!both)
    return both.error();
  const uint64_t moved = rearrange(constant, linear.outs(), outer.linear.ins());
  return AffineLayout{std::move(*both), outer.apply(moved)};
}

Result<AffineLayout> AffineLayout::invert() const {
  Result<LinearLayout> inverse = linear.invert();
  if (!inverse)
    return inverse.error();
  const uint64_t moved = inverse->apply(constant);
  return AffineLayout{std::move(*inverse), moved};
}

// M x ^ b = N C(x) ^ c has C(x) = N^-1 M x ^ N^-1 (b ^ c).
Result<AffineLayout> AffineLayout::invertAndCompose(const AffineLayout &outer) const {
  Result<LinearLayout> map = linear.invertAndCompose(outer.linear);
  if (!map)
    return map.error();
  const uint64_t difference =
      rearrange(constant, linear.outs(), outer.linear.outs()) ^ outer.constant;
  const std::optional<uint64_t> moved = f2::solve(outer.linear.columns(), difference);
  if (!moved)
    return makeError("no solution: the constants differ by an output that the second layout "
                     "does not reach");
  return AffineLayout{std::move(*map), *moved};
}

std::string AffineLayout::toString() const {
  std::string text = linear.toString();
  if (isLinear())
    return text;
  text += "xor (";
  const LinearLayout::Basis shift = linear.splitOut(constant);
  for (size_t d = 0; d < shift.size(); ++d)
    text += (d ? ", " : "") + std::to_string(shift[d]);
  return text + ")\n";
}

// An input where the function differs from the candidate, split into two parts of which
// the candidate is right: the lowest wrong input minus its lowest bit, and that bit.
static AffineCounterexample splitWrongInput(uint64_t wrong) {
  const uint64_t low = wrong & -wrong;
  return {low, wrong ^ low};
}

Result<AffineFit> fitAffine(const std::vector<LayoutDim> &ins, const LayoutDim &out,
                            const std::function<uint64_t(uint64_t)> &function) {
  const Result<int> inBits = checkDims(ins, "in-dim");
  if (!inBits)
    return inBits.error();
  if (*inBits > 24)
    return makeError("%d in-bits are too many to try every input", *inBits);
  const uint64_t constant = function(0);
  f2::Columns columns;
  for (int i = 0; i < *inBits; ++i)
    columns.push_back(function(uint64_t(1) << i) ^ constant);
  for (uint64_t x = 0; x < uint64_t(1) << *inBits; ++x)
    if (function(x) != (f2::apply(columns, x) ^ constant))
      return AffineFit{std::nullopt, splitWrongInput(x)};
  Result<LinearLayout> linear = LinearLayout::fromColumns(ins, {out}, std::move(columns));
  if (!linear)
    return linear.error();
  if (constant & ~f2::lowMask(out.bits))
    return makeError("a value has bits above the %d out-bits", out.bits);
  return AffineFit{AffineLayout{std::move(*linear), constant}, std::nullopt};
}

} // namespace layout_port
