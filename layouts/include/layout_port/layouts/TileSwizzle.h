// A shared-memory tile that is written by rows and read by columns: where to put its
// elements so that no read waits.
//
// Memory serves a phase of `bankUnits` units at a time, one from each bank; a unit is
// a vector of `vector` elements. Row-major, a column of vectors lies `stride` apart:
//
//   bank(row, v) = (row * stride/vector + v) mod bankUnits          v = col / vector
//
// and bankUnits rows of one column meet gcd(stride/vector, bankUnits) to a bank, that
// is, they take so many *passes*. Example, 32x48 floats read as vectors of 4, 8 units:
//
//         stored as it is                with Sw<2,2,3>: 4 rows share no bank
//   row   v=0 1 2 3 4 5 6 7              v=0 1 2 3 4 5 6 7
//    0      0 1 2 3 4 5 6 7                0 1 2 3 4 5 6 7
//    1      4 5 6 7 0 1 2 3                5 4 7 6 1 0 3 2
//    2      0 1 2 3 4 5 6 7                3 2 1 0 7 6 5 4        (banks)
//
// There is always a layout with one pass. With W = stride/vector units in a row and
// g = gcd(W, bankUnits), rows r and r + bankUnits/g meet; let the rows between them
// count as one band, and displace band s by s mod g inside its row:
//
//   v' = v ^ (s mod g)            g a power of two; stays in the row, as g divides W
//   v' = (v + s mod g) mod W      any g               with s = row / (bankUnits/g)
//
// Banks of one band differ by multiples of g, banks of different bands modulo g. So
// padding, which costs memory, is needed only when rows are no whole number of vectors.
// What is tried, in this order:
//   swizzle          CuTe's Sw<B,M,S> on the element offset row*stride + col. Those
//                    with 0 < S < B are bijections too, though CuTe's static_assert
//                    forbids them; they come after all that it allows.
//   xor              the first formula above
//   row permutation  the second: each row is rotated
//   padding          a longer row
// S < 0 never helps: it XORs low bits into high ones, and the bank is in the low bits.
//
// Of several swizzles the one with the fewest bits is taken. All must keep the rows x
// stride elements they got (the footprint), every vector together and aligned, and
// rows as free of conflicts as they were.
#pragma once

#include "layout_port/layouts/Cute.h"
#include "layout_port/layouts/Result.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace layout_port {

// All in elements, except bankUnits.
struct SwizzleTile {
  int64_t rows = 0;
  int64_t cols = 0;
  int64_t stride = 0;    // between rows; at least cols, any integer
  int64_t vector = 1;    // elements of one bank unit, read at once by one lane
  int64_t bankUnits = 0; // units that one phase serves; lanes of a phase
};

enum class TileSwizzleKind { Swizzle, Xor, RowPermutation, Padding };
const char *toString(TileSwizzleKind kind); // "row permutation", ...

// How often the worst phase goes to one bank.
struct TilePasses {
  int64_t columns = 1; // bankUnits aligned rows of one vector column
  int64_t rows = 1;    // bankUnits aligned vectors of one row
};

struct TileSwizzle {
  TileSwizzleKind kind = TileSwizzleKind::Swizzle;
  // offsets[row * stride + col]: where the element lies. Columns up to the stride are
  // listed, so that the table is a whole buffer of rows * stride elements.
  std::vector<int64_t> offsets;
  // The same in CuTe's terms, a function of (row, col); absent when it has none.
  std::optional<cute::Function> cute;
  std::optional<cute::Swizzle> swizzle; // kind Swizzle
  std::string formula;                  // in C, of row and col
  TilePasses before, after;
  int64_t footprint = 0; // elements, from offset 0 to the last
};

// Errors: sizes below 1, a stride below cols, more than 2^18 elements or 1024 units.
Result<TileSwizzle> solveTileSwizzle(const SwizzleTile &tile);

// The best Sw<B,M,S> with what it reaches, also where that is more than one pass; no
// bits when none helps.
struct BestSwizzle {
  cute::Swizzle swizzle;
  TilePasses passes;
};
Result<BestSwizzle> bestTileSwizzle(const SwizzleTile &tile);

// The table of a swizzle on the tile, and the passes of any table. An element's bank
// is that of its vector's first element.
Result<std::vector<int64_t>> swizzledOffsets(const SwizzleTile &tile, const cute::Swizzle &swizzle);
Result<TilePasses> tilePasses(const SwizzleTile &tile, const std::vector<int64_t> &offsets);

// Checks a table from its definition alone: every element has a place of its own,
// vectors are together, in order and aligned, and columns take `passes` passes.
// The error says what is wrong first.
Result<bool> checkTileOffsets(const SwizzleTile &tile, const std::vector<int64_t> &offsets,
                              int64_t passes);

// Bank numbers, one line a row, one number a vector.
Result<std::string> bankMap(const SwizzleTile &tile, const std::vector<int64_t> &offsets);

} // namespace layout_port
