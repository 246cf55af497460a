// LinearLayout: a function on bits, with names on the bits.
//
// A GPU kernel keeps asking one question: which lane's which register holds
// element (row, col)? The answer is a table, for instance for an 8x8 tile whose
// 64 elements are spread over 16 lanes (T0..T15) with 4 registers each:
//
//            col 0     col 1     col 2     col 3     col 4 ...
//   row 0    T0:r0     T0:r1     T1:r0     T1:r1     T2:r0 ...
//   row 1    T0:r2     T0:r3     T1:r2     T1:r3     T2:r2 ...
//   row 2    T4:r0     T4:r1     T5:r0     T5:r1     T6:r0 ...
//
// Such tables have a short description, because every size is a power of two and
// every rule is about bits. Write down where the inputs that are powers of two go:
//
//   register=1 -> (row 0, col 1)     lane=1 -> (row 0, col 2)
//   register=2 -> (row 1, col 0)     lane=2 -> (row 0, col 4)
//                                    lane=4 -> (row 2, col 0)
//                                    lane=8 -> (row 4, col 0)
//
// and get all others by XOR: register 3 of lane 5 is
// (0,1) ^ (1,0) ^ (0,2) ^ (2,0) = (3, 3). These six lines are the *bases*, and a
// function that is determined by its bases through XOR is linear over F2, the
// field with the two elements 0 and 1 in which addition is XOR.
//
// The same thing is a matrix: number the output bits (here col first: c0 c1 c2
// r0 r1 r2) and make each basis a column.
//
//              reg1 reg2 | lane1 lane2 lane4 lane8
//        c0      1    0  |   0     0     0     0
//        c1      0    0  |   1     0     0     0
//        c2      0    0  |   0     1     0     0        column = one input bit
//        r0      0    1  |   0     0     0     0        row    = one output bit
//        r1      0    0  |   0     0     1     0
//        r2      0    0  |   0     0     0     1
//
// What a porter asks is then linear algebra:
//   who holds (r, c)?                 the inverse matrix
//   convert layout A into B           x -> B^-1(A(x))            invertAndCompose
//   the same value held twice         a zero column, or dependent columns
//   a vector load                     an identity block at the lowest bits
//   bank conflicts                    a rank
//
// XOR also covers what integer strides cannot: a swizzled shared-memory tile.
// 4x4 elements, offset -> (row, col) with col ^= row:
//
//   offset   0     1     2     3     4     5     6     7     8 ...
//          (0,0) (0,1) (0,2) (0,3) (1,1) (1,0) (1,3) (1,2) (2,2) ...
//
//   offset=1 -> (0,1)   offset=2 -> (0,2)   offset=4 -> (1,1)   offset=8 -> (2,2)
//
// Terms and conventions, the same in all of layouts/:
// - A dim is a name and a power-of-two size, given as its number of bits. In-dims
//   ("register", "lane", "warp", "block", "offset") and out-dims ("dim0", "dim1",
//   or "m", "n", "k") are ordered minor to major. The order matters when dims are
//   flattened or reshaped, and for what equality and printing see; it does not
//   change which coordinate goes where.
// - A layout has at most 64 in-bits and 64 out-bits. Column i of the matrix is one
//   uint64_t, the flattened output of flattened input bit i: the first out-dim
//   occupies the lowest bits.
// - A dim of size 1 has no bits and is kept: it has a name and a place.
// - Not every layout is surjective (a swizzle's padding, a slice) or injective (a
//   broadcast). Out-dim sizes are therefore part of a layout: they say what the
//   codomain is, also where no input reaches.
// - Errors are values. A function that can be asked for the impossible returns a
//   Result with a one-line message.
//
// The notion and the names follow Triton's LinearLayout
// (https://github.com/triton-lang/triton/blob/main/include/triton/Tools/LinearLayout.h;
// the mathematics: https://arxiv.org/abs/2505.23819), so that a layout printed by
// one can be compared with a layout printed by the other. Unlike there, dim names
// are plain strings and nothing asserts.
#pragma once

#include "layout_port/layouts/F2.h"
#include "layout_port/layouts/Result.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace layout_port {

// One named dim of 2^bits values.
struct LayoutDim {
  std::string name;
  int bits = 0;

  // 2^bits; only for bits <= 63.
  uint64_t size() const { return uint64_t(1) << bits; }

  friend bool operator==(const LayoutDim &a, const LayoutDim &b) {
    return a.name == b.name && a.bits == b.bits;
  }
  friend bool operator!=(const LayoutDim &a, const LayoutDim &b) { return !(a == b); }
};

class LinearLayout {
public:
  using Names = std::vector<std::string>;
  // Names with sizes (powers of two), or with coordinates: "lane" -> 5.
  using NamedSizes = std::vector<std::pair<std::string, uint64_t>>;
  using NamedValues = std::vector<std::pair<std::string, uint64_t>>;
  // One basis: a coordinate for each out-dim.
  using Basis = std::vector<uint64_t>;
  // In-dim name -> its bases, bit 0 first: {{"lane", {{0, 2}, {0, 4}}}, ...}.
  using NamedBases = std::vector<std::pair<std::string, std::vector<Basis>>>;

  // ---- Building --------------------------------------------------------------

  // No dims at all; the unit of the product.
  LinearLayout() = default;
  static LinearLayout empty() { return LinearLayout(); }

  // x -> x, for x in [0, size). `size` must be a power of two here and in the
  // next two (what comes from users goes through fromBases); size 0 gives empty().
  static LinearLayout identity1D(uint64_t size, const std::string &in, const std::string &out);
  // x -> stride * x; the out-dim has size stride * size. `stride` is a power of two.
  static LinearLayout strided1D(uint64_t size, uint64_t stride, const std::string &in,
                                const std::string &out);
  // x -> 0, into an out-dim of the given size.
  static LinearLayout zeros1D(uint64_t size, const std::string &in, const std::string &out,
                              uint64_t outSize = 1);

  // From bases, with the sizes of the out-dims. The layout need not be surjective.
  // Errors: a size that is no power of two, a basis of the wrong length or not
  // smaller than its out-dim, a name given twice, more than 64 bits.
  static Result<LinearLayout> fromBases(const NamedBases &bases, const NamedSizes &outDims);
  // The same with every out-dim as small as the bases allow. As nothing then says
  // what lies outside the image, the layout must be surjective.
  static Result<LinearLayout> fromSurjectiveBases(const NamedBases &bases, const Names &outDims);
  // From the matrix itself. Errors: as above; a column with bits above the out-bits.
  static Result<LinearLayout> fromColumns(std::vector<LayoutDim> ins, std::vector<LayoutDim> outs,
                                          f2::Columns columns);

  // ---- Looking ---------------------------------------------------------------

  const std::vector<LayoutDim> &ins() const { return ins_; }
  const std::vector<LayoutDim> &outs() const { return outs_; }
  Names inNames() const;
  Names outNames() const;
  int totalInBits() const { return static_cast<int>(columns_.size()); }
  int totalOutBits() const;

  bool hasIn(const std::string &name) const { return inIndex(name) >= 0; }
  bool hasOut(const std::string &name) const { return outIndex(name) >= 0; }
  // Position among the dims, or -1.
  int inIndex(const std::string &name) const;
  int outIndex(const std::string &name) const;
  // Bits and size of a dim; a dim that is absent counts as one of size 1.
  int inBits(const std::string &name) const;
  int outBits(const std::string &name) const;
  uint64_t inSize(const std::string &name) const { return f2::shiftLeft(1, inBits(name)); }
  uint64_t outSize(const std::string &name) const { return f2::shiftLeft(1, outBits(name)); }
  // Position of the dim's bit 0 among all in-bits or out-bits, or -1 when absent:
  // flattened input bit inOffset("lane") + i is bit i of the lane.
  int inOffset(const std::string &name) const;
  int outOffset(const std::string &name) const;

  // The matrix: column(i) is the flattened output of flattened input bit i.
  const f2::Columns &columns() const { return columns_; }
  uint64_t column(int i) const { return columns_[i]; }
  // L(in = 2^bit), all else 0, as a coordinate for each out-dim or for one of them.
  // The in-dim must exist and have that bit.
  Basis basis(const std::string &in, int bit) const;
  uint64_t basis(const std::string &in, int bit, const std::string &out) const;
  // All bases, in the form that fromBases takes.
  NamedBases bases() const;
  NamedSizes outSizes() const;

  // Splits a flattened output into a coordinate for each out-dim, and back.
  Basis splitOut(uint64_t flat) const;
  Basis splitIn(uint64_t flat) const;
  uint64_t joinIn(const Basis &coordinates) const;
  uint64_t joinOut(const Basis &coordinates) const;

  // The function. Flattened on both sides; input bits above totalInBits() are ignored.
  uint64_t apply(uint64_t flatIn) const { return f2::apply(columns_, flatIn); }
  // By name, in-dims in any order, each exactly once.
  Result<NamedValues> apply(const NamedValues &ins) const;

  int rank() const { return f2::rank(columns_); }
  bool isSurjective() const { return rank() == totalOutBits(); }
  bool isInjective() const { return rank() == totalInBits(); }
  bool isInvertible() const { return isSurjective() && totalInBits() == totalOutBits(); }
  // Flattened input = flattened output, whatever the names.
  bool isIdentity() const;
  // L(x) = x on `dim`, alone: the dim is an in-dim and an out-dim of the same size,
  // bit i maps to bit i and to nothing else, and no other in-dim maps onto it.
  bool isIdentityOn(const std::string &dim) const { return isTrivialOver({dim}); }
  bool isTrivialOver(const Names &dims) const;
  // Each in-dim's input bits whose basis is 0 (broadcast), as masks.
  NamedValues zeroBases() const;
  // Each in-dim's free variables, as masks: the input bits that are no pivots of
  // the row-reduced matrix, i.e. depend on the bits below them. Setting them to 0
  // leaves one input for each output.
  NamedValues freeVariableMasks() const;
  // The largest power of two V such that V consecutive values of the first in-dim
  // map to V consecutive values of the first out-dim, aligned, whatever the rest:
  //   L(a V + v, ...) = L(a V, ...) + (v, 0, ...)      for 0 <= v < V
  uint64_t numConsecutive() const;
  // The same question for the in-dim `in`, and the first out-dim or the out-dim `out`.
  uint64_t numConsecutive(const std::string &in) const;
  uint64_t numConsecutive(const std::string &in, const std::string &out) const;

  // Same dims in the same order with the same sizes, and the same matrix.
  friend bool operator==(const LinearLayout &a, const LinearLayout &b) {
    return a.ins_ == b.ins_ && a.outs_ == b.outs_ && a.columns_ == b.columns_;
  }
  friend bool operator!=(const LinearLayout &a, const LinearLayout &b) { return !(a == b); }

  //   register=1 -> (0, 1)
  //   register=2 -> (8, 0)
  //   lane=1 -> (0, 2)
  //   out dims: dim0 (16), dim1 (16)
  std::string toString() const;

  // ---- Products --------------------------------------------------------------

  // The direct sum. In-dims of the same name are appended, out-dims of the same
  // name too, the second factor's coordinates shifted left over the first's:
  //
  //   | A 0 |      identity1D(4,"i","o") x identity1D(2,"i","o") = identity1D(8,"i","o")
  //   | 0 B |      identity1D(4,"i","o") x zeros1D(2,"i","o"):     x -> x % 4 on [0, 8)
  //
  // The dims of the result are those of both in a common order, the first factor's
  // first where the order is open. Errors: the factors put shared dims in opposite
  // orders; more than 64 bits.
  static Result<LinearLayout> product(const LinearLayout &inner, const LinearLayout &outer);
  // product() for layouts built by the library, where it cannot fail: when the
  // orders disagree the left order wins; more than 64 bits is undefined.
  friend LinearLayout operator*(const LinearLayout &inner, const LinearLayout &outer);
  LinearLayout &operator*=(const LinearLayout &outer) { return *this = *this * outer; }

  // The C with *this = inner x C, or *this = C x outer. C has all dims of *this,
  // those that are used up with size 1. Error: there is none.
  Result<LinearLayout> divideLeft(const LinearLayout &inner) const;
  Result<LinearLayout> divideRight(const LinearLayout &outer) const;

  // Side by side: the in-dims of both (names disjoint, same out-dims), or the
  // out-dims of both (names disjoint, same in-dims).
  Result<LinearLayout> concatIns(const LinearLayout &other) const;
  Result<LinearLayout> concatOuts(const LinearLayout &other) const;

  // ---- Solving ---------------------------------------------------------------

  // x -> outer((*this)(x)): *this first, then outer. The out-dims of *this are the
  // in-dims of outer, in any order, and not larger.
  Result<LinearLayout> compose(const LinearLayout &outer) const;

  // The inverse; its in-dims are the out-dims of *this and vice versa. Error: not
  // invertible.
  Result<LinearLayout> invert() const;

  // A right inverse R of a surjective layout: (*this)(R(y)) = y, by the rules of
  // invertAndCompose with the identity. Error: not surjective.
  Result<LinearLayout> pseudoinvert() const;

  // The right inverse whose every basis has the fewest bits set (in all in-dims
  // together; of several the numerically smallest flattened input): the one whose
  // address arithmetic is shortest. Error: not surjective.
  Result<LinearLayout> minWeightRightInverse() const;

  // The C with (*this)(x) = outer(C(x)): where in `outer` the element lies that
  // *this puts at x. In-dims: those of *this; out-dims: the in-dims of outer. The
  // out-dims of both are the same, in any order; outer's may be larger.
  //
  // An in-dim whose bases are the same in both maps to itself, and the rest is
  // solved without it: so a value held by every warp is read from the own warp, and
  // an equal lane dim means that no lane needs another. What is left is solved with
  // free variables 0 (low bits of outer first), so that equal values are read from
  // one place. Where the rest cannot be solved alone, it is solved with all bits of
  // outer. Error: an element of *this is not in outer.
  Result<LinearLayout> invertAndCompose(const LinearLayout &outer) const;

  // The X with (*this)(X(y)) = b(y), free variables 0 (row reduction, low columns
  // as pivots). In-dims: those of b; out-dims: the in-dims of *this. Error: none.
  Result<LinearLayout> lstsq(const LinearLayout &b) const;

  // ---- Reshaping -------------------------------------------------------------

  // Reorders the dims; all of them must be named.
  Result<LinearLayout> transposeIns(const Names &order) const;
  Result<LinearLayout> transposeOuts(const Names &order) const;

  // Flattens all dims, first = lowest, and cuts them anew; the total must agree.
  Result<LinearLayout> reshapeIns(const NamedSizes &dims) const;
  Result<LinearLayout> reshapeOuts(const NamedSizes &dims) const;

  // All dims into the first, keeping its name. A layout without dims stays as it is.
  LinearLayout flattenIns() const;
  LinearLayout flattenOuts() const;

  // Removes a dim of size 1.
  Result<LinearLayout> squeezeIn(const std::string &dim) const;
  Result<LinearLayout> squeezeOut(const std::string &dim) const;

  // The new name must not be in use.
  Result<LinearLayout> renameIn(const std::string &dim, const std::string &name) const;
  Result<LinearLayout> renameOut(const std::string &dim, const std::string &name) const;

  // Cuts a dim down to its lowest values: high in-bits are dropped; bases whose
  // coordinate in the out-dim does not fit become 0 there. Enlarging appends zero
  // bases, or enlarges the codomain. The size is a power of two.
  Result<LinearLayout> resizeIn(const std::string &dim, uint64_t size) const;
  Result<LinearLayout> resizeOut(const std::string &dim, uint64_t size) const;

  // Only these in-dims (the others are 0) and out-dims, in the layout's own order.
  Result<LinearLayout> sublayout(const Names &ins, const Names &outs) const;
  // Nothing of these in-dims reaches these out-dims. Absent dims are ignored.
  bool sublayoutIsZero(const Names &ins, const Names &outs) const;

  // The rest of a layout that isTrivialOver(dims), without them. Error: it is not.
  Result<LinearLayout> quotient(const Names &dims) const;

  // Drops the zero bases of an in-dim, which shrinks.
  Result<LinearLayout> removeZeroBases(const std::string &in) const;

private:
  std::vector<LayoutDim> ins_;
  std::vector<LayoutDim> outs_;
  f2::Columns columns_; // one for each in-bit
};

} // namespace layout_port
