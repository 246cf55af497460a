// Forms: what kind of function an index is, over lane, warp, tile and loop indices.
//
//   address = uniform  +  f(inputs)  +  sum of  symbol * g(inputs)
//             └ pointers, k0 ... ┘     └ K * row: a stride nobody knows yet
//
// and each of f, g is one of
//
//   affine over F2          f(x) = M x ^ b              row*64 + (chunk ^ row%8)*8
//   affine over integers    f(x) = c + sum w_i x_i      row*36 + col       (padding)
//   piecewise               one of these for each value of a few input bits
//                                                       (col + row/2) % 4  (rotation)
//   a table                 any function of few values
//
// Every answer is exact: found by shape or by trying all joint values, never by sampling;
// what was assumed on the way is listed. Expressions with more joint values than can be
// tried, and no shape that tells, are unknown, with the reason.
#pragma once

#include "recover/Index.h"
#include "recover/Separation.h"

#include "layout_port/layouts/Affine.h"
#include "layout_port/layouts/Strided.h"

#include <memory>

namespace layout_port::recover {

// The most joint values that are tried: 2^16.
inline constexpr int kTriedBits = 16;

enum class FormKind { AffineF2, AffineInt, Piecewise, Table, Unknown };
const char *name(FormKind kind);

// The function where (inputs & mask) == value. At least one of the two is there.
struct Piece {
  uint64_t mask = 0, value = 0;
  std::optional<AffineLayout> affine;
  std::optional<StridedMap> strided;
};

// A function of variables alone; values modulo 2^width. Its inputs are flattened as in
// IndexGraph::evaluateAll. A function that is affine both ways has both.
struct NumericForm {
  FormKind kind = FormKind::Unknown;
  std::vector<VariableId> inputs;
  std::vector<LayoutDim> dims; // the inputs' names and bits
  int width = 64;
  std::optional<AffineLayout> affine; // to the out-dim "index"
  std::optional<StridedMap> strided;
  std::vector<Piece> pieces;
  std::shared_ptr<const std::vector<uint64_t>> table; // where it has been tried
  std::string reason;                                 // of Unknown

  bool isConstant() const;
  // The value; inputs must be below their variables' sizes. Nothing when unknown.
  std::optional<uint64_t> at(uint64_t flat) const;
};

struct StridedTerm {
  Index stride = nullptr; // uniform: a product of symbols and uniform indices
  NumericForm form;
};

struct Form {
  FormKind kind = FormKind::Unknown; // of `number`; Unknown when any part is
  std::string reason;
  NumericForm number;               // f; its constant is in `number`, not in `uniform`
  std::vector<StridedTerm> strided; // the g
  Index uniform = nullptr;          // 0 when there is none; of the same type as the index
  unsigned uniformZeroBits = 64;    // low bits of all of `uniform` and the strides that are 0
  std::vector<Assumption> assumptions;

  bool isUniform() const; // independent of the asked variables
};

// The form of `e` over `over`. Other variables count as uniform where they come apart by
// addition; where they do not, they are inputs too, after those of `over`. Variables
// without a known size cannot be inputs.
Form classify(IndexGraph &graph, Index e, const std::vector<VariableId> &over);
// Over all variables of known size that `e` mentions.
Form classify(IndexGraph &graph, Index e);

// Whether the value can change with the variable. False is proved (under the assumptions,
// which are appended); true may also mean that nobody could tell.
bool dependsOn(IndexGraph &graph, Index e, VariableId variable,
               std::vector<Assumption> *assumptions = nullptr);

// The value, if it is one number whatever the variables and symbols are.
std::optional<uint64_t> constantValue(IndexGraph &graph, Index e);

// a - b in their type, if that is one number: how far two addresses are apart.
std::optional<int64_t> difference(IndexGraph &graph, Index a, Index b);

// How many low bits are 0 for all values: log2 of the alignment.
unsigned knownZeroBits(IndexGraph &graph, Index e);

// The object whose address the pointer or shared-memory address is counted from: the one
// symbol with an object that occurs in it once, with factor 1. Null when there is none or
// more than one. `offset` gets the rest, as a 64-bit index.
const void *baseObject(IndexGraph &graph, Index address, Index *offset = nullptr);

// ---- Threads -----------------------------------------------------------------

// The block by linear thread id: id = lane + 32 * warp, warp = pair + 2 * wave.
struct ThreadVariables {
  VariableId lane = 0, pair = 0, wave = 0;
  Index warp(IndexGraph &graph) const;   // i32
  Index thread(IndexGraph &graph) const; // i32
};
// `threads` in the block, 0 when unknown (then 1024, the most there are).
ThreadVariables addThreadVariables(IndexGraph &graph, unsigned threads);

// Over which threads a value is the same. Each says less than the one before.
enum class Uniformity {
  Uniform,     // over the block
  PairUniform, // over the two warps that will share a wave
  WarpUniform, // over each warp
  Divergent,   // or nobody could tell
};
const char *name(Uniformity uniformity);
Uniformity uniformity(IndexGraph &graph, Index e, const ThreadVariables &threads,
                      std::vector<Assumption> *assumptions = nullptr);

} // namespace layout_port::recover
