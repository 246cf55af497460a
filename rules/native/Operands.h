// Which tiles of an operand a load statement fills, and how each is read under a scheme:
// asked by the writer of the text and by the price of a plan, so that both mean one thing.
#pragma once

#include "native/Solve.h"
#include "native/Write.h"

#include <map>

namespace layout_port::native {

// Registers of one tile that a statement reads, with the matrix each comes from.
struct TileGroup {
  const Slot *tile = nullptr;
  std::map<int, int> matrixOf;
};

std::vector<TileGroup> groupsOf(const LoadSite &load);

// Not an operand but one value that operands are computed from, lane by lane, in place of the
// author's expression (Lanewise.h).
inline constexpr const char *kBeginSpelling = "value that operand B is computed from";
inline bool isBegin(const LoadSite &load) { return load.spelling == kBeginSpelling; }

// Whether a load goes into the first or second operand of the product, if any.
std::optional<Role> roleOf(const Kernel &kernel, const Product &product, const LoadSite &load);

// The index along n of a tile of B; none where neither B nor its product has one.
const Index *columnIndex(const Product &product, const Slot &tile);
// ... along which tiles of this operand are read together.
const Index *tileIndex(const Product &product, Role role, const Slot &tile);

// Of the tiles of one load no two are beside the same one: tiles of one register, two along n and
// two steps of k, would be.
bool hasClearNeighbours(const Product &product, const LoadSite &load);

// There, or in a function that is called there.
bool isWithin(const LoadSite &load, const TextRange &place);

// One is done as often as the other, in one block, with nothing but reads of operands and products
// between.
// Parts of one statement do.
template <class A, class B> bool areOneStatement(const A &a, const B &b) {
  return a.frame == b.frame && a.range.file == b.range.file &&
         a.range.begin - a.part == b.range.begin - b.part;
}
// One text, in two of its frames.
template <class Site> bool areTwins(const Site &a, const Site &b) {
  return a.frame != b.frame && a.range == b.range;
}
bool standBeside(const Kernel &kernel, const MmaSite &a, const MmaSite &b);
bool haveOneA(const MmaSite &a, const MmaSite &b);

// How the registers of one group are read, and the tile index that the address takes.
struct TileLoad {
  LoadForm form;
  const Index *index = nullptr;
};
TileLoad tileLoad(const Product &product, const LoadSite &load, Role role,
                  const std::vector<TileGroup> &groups, const TileGroup &group);

} // namespace layout_port::native
