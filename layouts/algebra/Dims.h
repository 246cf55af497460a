// Bookkeeping on lists of dims, shared by the files that implement LinearLayout.
#pragma once

#include "layout_port/layouts/LinearLayout.h"

namespace layout_port {
namespace dims {

using Dims = std::vector<LayoutDim>;
using Names = LinearLayout::Names;

Names namesOf(const Dims &dims);
int totalBits(const Dims &dims);
// Position of the dim, or -1.
int indexOf(const Dims &dims, const std::string &name);
// Bits of the dim, 0 when absent.
int bitsOf(const Dims &dims, const std::string &name);
// Position of the dim's lowest bit, or -1 when absent.
int offsetOf(const Dims &dims, const std::string &name);
bool contains(const Names &names, const std::string &name);
Names namesWithout(const Dims &dims, const Names &without);

// Cuts a flattened value into one coordinate a dim, and back.
LinearLayout::Basis split(const Dims &dims, uint64_t flat);
uint64_t join(const Dims &dims, const LinearLayout::Basis &coordinates);
// As split, with the names.
LinearLayout::NamedValues nameValues(const Dims &dims, uint64_t flat);

// Moves every bit of a flattened value from its place in `from` to the place of the same
// dim's same bit in `to`, `lift` bits further up in the dims of `lift`; bits without a
// place there are dropped. Made once, applied to many columns.
class Rearrangement {
public:
  Rearrangement(const Dims &from, const Dims &to, const Dims &lift = {});
  uint64_t operator()(uint64_t flat) const;

private:
  struct Move {
    int from, to;
    uint64_t mask;
  };
  std::vector<Move> moves_;
};
inline uint64_t rearrange(uint64_t flat, const Dims &from, const Dims &to) {
  return Rearrangement(from, to)(flat);
}

// The total number of bits, or why these are no dims: a name given twice, more
// than 64 bits. `what` names them in the message.
Result<int> checkDims(const Dims &dims, const char *what);
// Sizes to bits; error on a size that is no power of two.
Result<Dims> dimsOfSizes(const LinearLayout::NamedSizes &sizes);
// Error unless `a` and `b` hold the same names in some order, each once.
Result<bool> checkSameNames(const Names &a, const Names &b, const char *what);
// Error unless the sizes agree.
Result<bool> checkSameDims(const Dims &a, const Dims &b, const char *what);

std::string joinNames(const Names &names);
// "16", or "2^64" where the number is too large.
std::string sizeText(const LayoutDim &dim);

} // namespace dims
} // namespace layout_port
