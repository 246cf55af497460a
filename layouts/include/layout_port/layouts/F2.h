// Linear algebra over F2, the field of two elements, on machine words.
//
// A vector of up to 64 bits is one uint64_t: bit r is the coordinate r, addition
// is XOR. A matrix is the list of its columns, so that column c is the image of
// the unit vector 1 << c, and
//
//   M x = XOR of columns[c] over the set bits c of x.
//
//   columns = {0b01, 0b10, 0b11}      M = | 1 0 1 |     M 0b101 = 0b01 ^ 0b11
//                                         | 0 1 1 |             = 0b10
//
// Where a system has many solutions, the answer of every function here is fixed
// by a rule that is stated beside it, so that results can be compared bit by bit.
// All functions are total: there is no precondition but "at most 64 columns".
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace layout_port {
namespace f2 {

using Columns = std::vector<uint64_t>;

// The lowest `bits` bits set; `bits` may be 0 to 64.
uint64_t lowMask(int bits);

// Shifts that are 0, not undefined, when `by` is 64 or more.
uint64_t shiftLeft(uint64_t x, int by);
uint64_t shiftRight(uint64_t x, int by);

int popcount(uint64_t x);
// The index of the lowest or highest set bit; x must not be 0.
int lowestBit(uint64_t x);
int highestBit(uint64_t x);

// M x.
uint64_t apply(const Columns &m, uint64_t x);

// A B: column c of the product is A applied to column c of B.
Columns multiply(const Columns &a, const Columns &b);

// The transpose of a matrix with `rows` rows.
Columns transpose(const Columns &m, int rows);

// A growing set of independent vectors that remembers how each vector of their
// span is made from them. Eliminates as it grows: insert and solve take at most
// 64 word operations.
class Span {
public:
  // Adds `vector` under the name `tag` (0..63). False, and nothing changes, when
  // it already lies in the span.
  bool insert(uint64_t vector, int tag);
  bool contains(uint64_t vector) const { return reduce(vector).rest == 0; }
  // The set of tags whose vectors add up to `vector`; unique where it exists.
  std::optional<uint64_t> solve(uint64_t vector) const;
  int rank() const { return rank_; }

private:
  struct Row {
    uint64_t rest = 0; // highest set bit = the row's index in rows_
    uint64_t tags = 0;
  };
  Row reduce(uint64_t vector) const;

  Row rows_[64];
  int rank_ = 0;
};

int rank(const Columns &m);

// The pivot columns of the reduced row echelon form, as a mask over columns:
// column c is a pivot when it is independent of the columns below it. The
// others are the free variables.
uint64_t pivots(const Columns &m);

// The x with M x = y and all free variables 0 (so its support lies in pivots(M),
// and x is unique), or nothing when y is not in the image.
std::optional<uint64_t> solve(const Columns &m, uint64_t y);

// X with M X = Y column by column as in solve().
std::optional<Columns> solve(const Columns &m, const Columns &y);

// A basis of {x : M x = 0}: for each free column c, from low to high, the vector
// with bit c, no other free bit, and the pivot bits that cancel it.
Columns kernel(const Columns &m);

// The reduced basis of the span of the vectors, sorted ascending: each vector's
// highest bit occurs in no other vector. Two lists span the same space exactly
// when their reduced bases are equal.
Columns reducedBasis(const Columns &vectors);

// The pivot columns themselves, in order: a basis of the image.
Columns image(const Columns &m);

// An x of minimum Hamming weight with M x = y; of several, the numerically smallest.
// Exact, by search over the kernel in order of weight: at once for layouts, whose columns
// are mostly unit vectors, and a fraction of a second for the worst 64 columns.
std::optional<uint64_t> solveMinWeight(const Columns &m, uint64_t y);

// The right inverse R (M R = identity on `rows` bits) whose every column has
// minimum Hamming weight; nothing when M is not surjective on `rows` bits.
std::optional<Columns> minWeightRightInverse(const Columns &m, int rows);

// Basis of the intersection of two spans, reduced.
Columns intersection(const Columns &u, const Columns &v);

// Unit vectors that extend `u` to a basis of F2^bits: 1 << b for every b that is
// not the highest bit of a vector of reducedBasis(u).
Columns complement(const Columns &u, int bits);

// A subspace C of F2^bits that meets both spans in 0 only, of the largest
// dimension there is: bits - max(dim U, dim V). When dim U = dim V it is a
// common complement, U (+) C = V (+) C = F2^bits. With W = U n V, U = W + <u_i>,
// V = W + <v_i>:
//
//   C = < u_i ^ v_i > + complement of (U + V)
//
// for a sum of u_i ^ v_i that lay in U would put a sum of v_i into W. When the
// dimensions differ, as many pairs are made as the smaller space allows; the rest of the
// larger one is avoided because it lies in U + V.
Columns commonComplement(const Columns &u, const Columns &v, int bits);

} // namespace f2
} // namespace layout_port
