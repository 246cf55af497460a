// The bits of an expression as functions of the bits of its variables: which of them are
// affine over F2, decided by the shape of the expression, operation by operation, without
// trying values. So it also serves expressions of too many variables to try all.
//
//   ((c >> 3) ^ (r >> 1)) & 3      bit 0 = c3 ^ r1     bit 1 = c4 ^ r2     others 0
//   x + 4, x < 8                   bit 2 = 1 ^ x2      bit 3 = x2          the carry is x2
//
// A bit that is not affine, or that this way cannot see to be, is unknown.
#pragma once

#include "recover/Index.h"

#include <array>
#include <optional>
#include <vector>

namespace layout_port::recover {

// parity(mask & inputs) ^ one, where `known`.
struct AffineBit {
  uint64_t mask = 0;
  bool one = false;
  bool known = true;

  static AffineBit unknown() { return {0, false, false}; }
  bool isConstant() const { return known && mask == 0; }
  bool is(bool value) const { return isConstant() && one == value; }
};

using AffineBits = std::array<AffineBit, 64>;

// All 64 bits of the value's representation (sign- or zero-extended), as functions of the
// bits of `inputs`, flattened, first variable lowest; at most 64 in all. Variables that are
// not among the inputs, and symbols, are unknown.
AffineBits affineBits(const IndexGraph &graph, Index e, const std::vector<VariableId> &inputs);

} // namespace layout_port::recover
