// Fragments that lie behind each other in one array, seen as words:
//
//   half A_warp[32];   ((unsigned *)(A_warp + i * 8))[r]     register r of tile i
//   float acc[64];     acc[i * 16 + j * 4 + r]               register r of tile [i][j]
//   unsigned b[2][4];  b[j / 2][j % 2 * 2 + r]               register r of tile j
//   unsigned b[2][4];  b[j / 2][j % 2 + r * 2]               ... of registers 0, 2, 1, 3
//   unsigned b[4];     b[t % 2 * 2 + r]                      register r of tile t % 2
//
// The element number is a sum of loop variables; divided by the registers of a tile it is
// the tile's number, whose digits are the tile's indices.
#pragma once

#include "native/FragmentProgram.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/Expr.h"

#include <functional>

namespace layout_port::native {

// What a variable stands for where `scope` is what is known of variables; null: itself.
struct Meaning {
  const clang::Expr *value = nullptr;
  const void *scope = nullptr;
};
using MeaningOf = std::function<Meaning(const clang::VarDecl *, const void *scope)>;

// A row of a local array, where that goes by a name: a parameter, a pointer, X[k % 2].
struct FlatRow {
  const clang::VarDecl *root = nullptr;
  std::string text;
  int64_t bytes = 0;
  int depth = 0;        // indices that the text has
  bool isWhole = false; // no row but the array
  std::set<std::string> turns;
};
using RowOf = std::function<std::optional<FlatRow>(const clang::Expr *)>;

// Bytes of a fragment's register of this type: 4, or 8 for f64. 0: it can be none.
int64_t registerBytes(clang::QualType type, const clang::ASTContext &context);

// `expr` as a word of a local array; none when it is of another form. The slot's place is in
// `flat` and its tile is open until split().
struct FlatSlot {
  Slot slot;
  const clang::VarDecl *root = nullptr;
  std::vector<const clang::VarDecl *> variables; // that its place is a sum of
  // What the kernel itself adds to the array, with the bytes of one; a constant of its wrappers
  // is left. Empty where that is not all.
  std::vector<std::pair<const clang::Expr *, int64_t>> pieces;
  bool hasNames = false;                           // numbers that have a name
  std::vector<const clang::VarDecl *> notNegative; // so that it is this sum
  std::vector<const clang::VarDecl *> belowTwo;    // likewise
  // t / 2 or t % 2 that stands without the other is a term as it is, named as in Digits.h.
  std::vector<std::pair<const clang::VarDecl *, int64_t>> digits;
};

enum class FlatOrder {
  Any,     // the first that fits
  Swapped, // of four registers 0, 2 and 1, 3
  Rows,    // all rows of the array, not one that goes by a name
};
std::optional<FlatSlot> flatSlotOf(const clang::Expr *expr, const clang::ASTContext &context,
                                   const MeaningOf &meaningOf, const RowOf &rowOf,
                                   const void *scope, FlatOrder order = FlatOrder::Any);

// Of an array of structs that are one array each, b[j].r[0], the members between the indices.
void dropMembers(Slot &slot, clang::QualType whole, const clang::ASTContext &context);

// A slot of an array of rows, all of it of type `whole`, in words, below the first `kept` indices:
// false where the others are no sums of variables.
bool flatten(Slot &slot, clang::QualType whole, const clang::ASTContext &context, int kept);

// Of two tiles of so many registers, 4 or 2, whose registers of one row alternate, the place of a
// word of the one behind the other; and back.
//
//   4:  0 1 2 3 4 5 6 7  <->  0 1 4 5 2 3 6 7        2:  0 1 2 3  <->  0 2 1 3
inline int64_t interleaved(int64_t word, int64_t registers) {
  const int64_t pair = registers / 2;
  return (word & ~(3 * pair)) | (word & pair) * 2 | (word & 2 * pair) / 2;
}

// Divides a flat slot's place into tile indices and a register, of `registers` a tile.
bool split(Slot &slot, int registers);

// The tile of `slot`, with index number `dim` replaced by `text` (dim < 0: as it is).
std::string tileTextOf(const Slot &slot, int dim, const std::string &text);

} // namespace layout_port::native
