// Strided maps: addresses as kernels write them, and the question whether they are
// layouts.
//
//   address = base + row * 72 + column * 2
//
// is integer arithmetic; a layout is XOR. The two agree exactly as long as no addition
// carries in a way that depends on the data:
//
//   row * 64 + column * 2, column < 32    the bits of the two terms never meet: affine
//   row * 48 + column, column < 16        row 1 adds 0b110000, row 2 0b1100000: both have
//                                         bit 5, so row 3 carries where rows 1 and 2 do
//                                         not: not affine
//   64 + x * 64, x < 2                    the constant and the bit meet, and the carry is
//                                         x itself: affine, 0 -> 64, 1 -> 128 = 64 ^ 192
//
// Each bit of each field contributes a fixed integer, its *weight* (stride << i); a map is
// the sum of the weights of the bits that are set.
//
// The decision is exact and takes one pass from the lowest bit up. Write f = base + sum of
// weights, and let S be the bits whose weight is odd.
//   |S| = 0   bit 0 of f is that of base, and nothing is carried.
//   |S| = 1   say x: bit 0 is base_0 ^ x. If base is odd, the carry is x: it joins x's own
//             weight, (w + 1) / 2; otherwise x goes on with (w - 1) / 2.
//   |S| >= 2  bit 1 of f contains the product of any two of them: not affine, unless bit 0
//             is the last one that is kept.
// Then halve everything and go on with bit 1.
#pragma once

#include "layout_port/layouts/Affine.h"

#include <string>
#include <vector>

namespace layout_port {

// One variable of the map: `weights[i]` is added when its bit i is set. Negative strides
// are weights modulo 2^64.
struct StridedField {
  std::string name;
  std::vector<uint64_t> weights;

  // stride * x for x of so many bits.
  static StridedField ofStride(const std::string &name, int bits, int64_t stride);
  // stride * x, and `padding` more after every `interval` values of x (a power of two):
  // stride * x + x / interval * padding.
  static StridedField padded(const std::string &name, int bits, int64_t stride, uint64_t interval,
                             int64_t padding);
};

struct StridedMap {
  uint64_t base = 0;
  std::vector<StridedField> fields;
  // Sums are taken modulo 2^width: 64 for addresses, less where the source truncates.
  int width = 64;

  // The fields' bits flattened, first field lowest.
  uint64_t apply(uint64_t flatIn) const;
  std::vector<LayoutDim> dims() const;
};

// The map as an affine layout from its fields to the out-dim `out`, or a counterexample of
// two single bits. The out-dim has as many bits as the values need. Errors: more than 64
// input bits, a field given twice, a width outside 1 to 64.
Result<AffineFit> stridedToAffine(const StridedMap &map, const std::string &out);

} // namespace layout_port
