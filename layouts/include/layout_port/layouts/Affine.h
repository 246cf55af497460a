// Affine layouts: a linear layout and a constant, y = M x ^ b.
//
// A linear layout sends 0 to 0. Index expressions in kernels often do not: the base of a
// tile, `lane ^ 5`, a row counted from the other end (`7 - r` is `7 ^ r` on three bits).
// XOR with a constant is all that is missing:
//
//   x ^ 5             M = identity, b = 5
//   7 - x             M = identity, b = 7              (three bits)
//   4 + x, x < 4      M = identity, b = 4
//   4 + x, x < 8      not affine: 4 + 4 = 8, but (4 ^ 4) = 0
//
// Affine layouts compose and invert like linear ones. With M x ^ b first and N y ^ c
// second:
//
//   N (M x ^ b) ^ c = (N M) x ^ (N b ^ c)          y = M x ^ b  <=>  x = M^-1 y ^ M^-1 b
#pragma once

#include "layout_port/layouts/LinearLayout.h"

#include <functional>
#include <optional>

namespace layout_port {

struct AffineLayout {
  LinearLayout linear;
  uint64_t constant = 0; // flattened over the out-dims of `linear`

  // Flattened on both sides.
  uint64_t apply(uint64_t flatIn) const { return linear.apply(flatIn) ^ constant; }
  // By name, as in LinearLayout.
  Result<LinearLayout::NamedValues> apply(const LinearLayout::NamedValues &ins) const;

  // *this first, then outer. Errors as for LinearLayout::compose.
  Result<AffineLayout> compose(const AffineLayout &outer) const;
  // Error: the linear part is not invertible.
  Result<AffineLayout> invert() const;
  // The C with (*this)(x) = outer(C(x)), the linear part as in
  // LinearLayout::invertAndCompose. Error: an output of *this is not one of outer.
  Result<AffineLayout> invertAndCompose(const AffineLayout &outer) const;

  bool isLinear() const { return constant == 0; }
  std::string toString() const;

  friend bool operator==(const AffineLayout &a, const AffineLayout &b) {
    return a.linear == b.linear && a.constant == b.constant;
  }
  friend bool operator!=(const AffineLayout &a, const AffineLayout &b) { return !(a == b); }
};

// Two inputs without a common bit that show a function f not to be affine:
// f(0) ^ f(a) ^ f(b) ^ f(a ^ b) is 0 for every affine f and all a, b, and is not 0 here.
struct AffineCounterexample {
  uint64_t a = 0;
  uint64_t b = 0;
};

// Either the function as M x ^ b, or why it is none.
struct AffineFit {
  std::optional<AffineLayout> affine;
  std::optional<AffineCounterexample> counterexample;

  explicit operator bool() const { return affine.has_value(); }
};

// Fits an affine layout from `ins` to the one out-dim `out` by asking for the values at 0
// and at every single bit, and then checks every other input: exact, 2^bits evaluations.
// The out-dim gets `outBits` bits; values with higher bits are an error, as are more than
// 24 in-bits.
Result<AffineFit> fitAffine(const std::vector<LayoutDim> &ins, const LayoutDim &out,
                            const std::function<uint64_t(uint64_t)> &function);

} // namespace layout_port
