// What the CuTe sources share: arithmetic that cannot overflow, and ways to build a
// layout from parts that are known to be in order.
#pragma once

#include "layout_port/layouts/Cute.h"

namespace layout_port::cute {

// Products and sums are held at +-kSaturated: far beyond every bound of a layout, so
// that what was cut off is refused when a layout is made of it.
inline constexpr int64_t kSaturated = int64_t(1) << 62;
int64_t satMul(int64_t a, int64_t b);
int64_t satAdd(int64_t a, int64_t b);

inline int64_t absolute(int64_t x) { return x < 0 ? -x : x; }
inline int64_t signOf(int64_t x) { return x < 0 ? -1 : x > 0 ? 1 : 0; }
// b > 0; a >= 0.
inline int64_t ceilDiv(int64_t a, int64_t b) { return a / b + (a % b != 0); }

// No checks: for rearrangements of a layout that was checked.
Layout trustedLayout(IntTuple shape, IntTuple stride);
// 1:0 for no mode, shape:stride for one, else a flat tuple.
Layout trustedFlat(const std::vector<Mode> &modes);
Result<Layout> checkedFlat(const std::vector<Mode> &modes);
// The modes marked with `_`: slice() of a plain layout.
Result<Layout> sliceLayout(const IntTuple &coordinate, const Layout &layout);
// A o B without the comparison: where a stride of B does not divide a mode of A, the
// elements are those that start in the mode (for the rest of an uneven division).
Result<Layout> roundedComposition(const Layout &a, const Layout &b);
// Compact strides from `start` on; modes of size 1 get stride 0.
IntTuple compactStrides(const IntTuple &shape, int64_t &start);
// Modes merged as far as they go, without modes of size 1.
std::vector<Mode> coalesceModes(const std::vector<Mode> &modes);
// A layout of at least `rank` modes: appends 1:0; a leaf becomes a tuple if it grows.
Layout padded(const Layout &layout, int rank);

// A tuple with every leaf replaced by the product of what `tuple` has there.
Result<IntTuple> productLike(const IntTuple &tuple, const IntTuple &guide);
IntTuple productEach(const IntTuple &shape);
IntTuple flatTuple(const IntTuple &tuple);

} // namespace layout_port::cute
