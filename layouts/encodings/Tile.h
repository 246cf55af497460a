// Tile: a layout under construction, and the two rules that fit a tile to a tensor.
#pragma once

#include "layout_port/layouts/Encodings.h"

#include <string>
#include <vector>

namespace layout_port {
namespace encodings {

// "dim0", "dim1", ...
std::string dimName(uint64_t dim);
LinearLayout::Names dimNames(size_t rank);
LinearLayout::Names dimNames(const PerDim &order);

// rank-1, ..., 1, 0; with columnMajor the first two are swapped.
PerDim matrixOrder(size_t rank, bool columnMajor = false);
// The order of a dot operand with k fastest: k, the other dim, the batch dim.
PerDim operandOrder(uint64_t opIdx, size_t rank);

// A product of layouts, grown from the inside out. The first error sticks and is
// reported by take(), so that a chain of steps needs no checks in between.
class Tile {
public:
  Tile() = default;
  explicit Tile(Result<LinearLayout> start) { set(std::move(start)); }

  // Appends `size` values of in-dim `in` along `out`; size 0 appends nothing.
  Tile &identity(uint64_t size, const char *in, const std::string &out);
  // Appends `size` values of in-dim `in` that all mean the same element.
  Tile &broadcast(uint64_t size, const char *in, const std::string &out);
  // identity() of sizes[dim] for the dims in this order.
  Tile &identityNd(const PerDim &sizes, const char *in, const PerDim &order);
  Tile &times(const LinearLayout &outer);
  Tile &orderOuts(const LinearLayout::Names &names);
  Tile &fail(Error error);

  // Repeats the tile in the first in-dim until each out-dim is as large as `shape`
  // (entry i for dim i), out-dims in the tile's order.
  Tile &growTo(const PerDim &shape);
  // Sets the highest bases of each out-dim to 0 until it is no larger than `shape`.
  Tile &shrinkTo(const PerDim &shape);

  bool ok() const { return error_.message.empty(); }
  const LinearLayout &layout() const { return layout_; }
  Result<LinearLayout> take() const;

private:
  Tile &set(Result<LinearLayout> next);
  Tile &append(uint64_t inSize, const char *in, uint64_t outSize, const std::string &out);

  LinearLayout layout_;
  Error error_;
};

// The parameters with their defaults filled in, or why they do not suit the rank.
Result<CtaParams> completeCta(const CtaParams &cta, size_t rank);
// The piece of the tensor that one block holds.
PerDim shapePerCta(const CtaParams &cta, const PerDim &shape);
// Puts one block's tile and the cluster's blocks together, and fits both to the shape.
Result<LinearLayout> combineWithBlocks(Tile tile, const CtaParams &cta, const PerDim &shape);

// Checks on parameters, with the parameter's name in the message.
Result<bool> checkPowers(const PerDim &values, size_t rank, const char *name);
struct NamedParam {
  const char *name;
  const PerDim &values;
};
Result<bool> checkPowers(std::initializer_list<NamedParam> params, size_t rank);
Result<PerDim> completeOrder(const PerDim &order, size_t rank, const char *name);
bool isPowerOfTwo(uint64_t x);

} // namespace encodings
} // namespace layout_port
