// CuTe layouts: functions from integers to integers, written shape:stride.
//
// NVIDIA's CuTe (https://docs.nvidia.com/cutlass/media/docs/cpp/cute/01_layout.html)
// describes where data lies, and who owns it, by pairs of congruent integer tuples:
//
//   (4,2):(1,8)      a 4x2 matrix whose columns start 8 apart
//
//          j = 0   1                  coordinate (i, j) -> offset 1*i + 8*j
//     i=0      0   8
//       1      1   9                  The same by one index, first mode fastest:
//       2      2  10                    index 0 1 2 3 4 5  6  7
//       3      3  11                    offset 0 1 2 3 8 9 10 11
//
// Tuples nest: (4,(2,2)):(1,(8,32)) is a 4x4 matrix whose second coordinate is split
// in two. A *mode* is an entry of the top level, the *rank* the number of modes, the
// *depth* the height of the tree. The *size* is the number of coordinates, the
// *cosize* one more than the largest offset.
//
// This file is CuTe's layout algebra at run time: every integer counts as known, as
// if it were a template argument (_4, Int<4>). Results, names and printed forms are
// CuTe's; what CuTe rejects by static_assert is an error here.
//
//   coalesce     fewer modes, same function        coalesce((2,(1,6)):(1,(6,2))) = 12:1
//   composition  R(c) = A(B(c))                    (6,2):(8,2) o (4,3):(3,1)
//                                                                = ((2,2),3):((24,2),8)
//   complement   the offsets A leaves out          complement(4:2, 24) = (2,3):(1,8)
//   divide       A seen as tiles and their rest    logical_divide(A, B) = A o (B, B*)
//   product      A repeated as B says              logical_product(A, B) = (A, A* o B)
//   inverses     A(R(i)) = i on the right, L(A(i)) = i on the left
//   swizzle      XOR bits of an offset into others, Sw<B,M,S>
//
// and its two bridges to F2: a CuTe layout is a LinearLayout exactly when all sizes
// are powers of two and adding its strides never carries (cuteToLinear), and a
// LinearLayout is a CuTe layout, perhaps swizzled, when its columns say so
// (linearToCute).
//
// Bounds: a layout has at most kMaxLeaves integers, sizes up to 2^40 and offsets up
// to 2^60, so that nothing here overflows; beyond them is an error. Errors are one
// line. Nothing in this file loops over a layout's elements, except where it says so.
#pragma once

#include "layout_port/layouts/LinearLayout.h"
#include "layout_port/layouts/Result.h"

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace layout_port::cute {

inline constexpr int kMaxLeaves = 1024;
inline constexpr int kMaxDepth = 32;
inline constexpr int64_t kMaxSize = int64_t(1) << 40;
inline constexpr int64_t kMaxOffset = int64_t(1) << 60;

// ---- Integer tuples ----------------------------------------------------------

// An integer, a tuple of integer tuples, or `_`, which stands for "all of this mode"
// in the coordinate of a slice. (4) is a tuple of one entry and not the integer 4.
class IntTuple {
public:
  IntTuple(int64_t value = 0) : value_(value) {}
  IntTuple(std::vector<IntTuple> modes) : kind_(Kind::Tuple), modes_(std::move(modes)) {}
  static IntTuple underscore();

  bool isInt() const { return kind_ == Kind::Int; }
  bool isTuple() const { return kind_ == Kind::Tuple; }
  bool isUnderscore() const { return kind_ == Kind::Underscore; }
  bool hasUnderscore() const;

  int64_t value() const { return value_; } // of an integer
  // The entries; an integer is its own only mode.
  int rank() const { return isTuple() ? static_cast<int>(modes_.size()) : 1; }
  const IntTuple &mode(int i) const { return isTuple() ? modes_[i] : *this; }
  const std::vector<IntTuple> &modes() const { return modes_; } // of a tuple

  // An integer has depth 0.
  int depth() const;
  int leafCount() const;
  std::vector<int64_t> leaves() const; // left to right; `_` counts as 0
  // The product of the leaves, held at +-2^62 where it would be larger.
  int64_t product() const;
  // (4,(2,2)), 4, (4), _
  std::string toString() const;

  friend bool operator==(const IntTuple &a, const IntTuple &b);
  friend bool operator!=(const IntTuple &a, const IntTuple &b) { return !(a == b); }

private:
  enum class Kind { Int, Tuple, Underscore };
  Kind kind_ = Kind::Int;
  int64_t value_ = 0;
  std::vector<IntTuple> modes_;
};

// Same tree shape.
bool congruent(const IntTuple &a, const IntTuple &b);
// Any coordinate of a is one of b: equal sizes at each leaf of a.
bool compatible(const IntTuple &a, const IntTuple &b);

// sum a_i * b_i over the leaves of two congruent tuples.
Result<int64_t> innerProduct(const IntTuple &a, const IntTuple &b);
// Exclusive products from left to right: (3,2,4) from 1 -> (1,3,6).
Result<IntTuple> prefixProduct(const IntTuple &shape, const IntTuple &start);
// Divides b out of a, leftmost first: shapeDiv((4,5,6), 40) = (1,1,3). Error: an entry
// that neither divides nor is divided.
Result<IntTuple> shapeDiv(const IntTuple &a, const IntTuple &b);

// ---- Layouts -----------------------------------------------------------------

// One leaf of a layout: `shape` elements, `stride` apart.
struct Mode {
  int64_t shape = 1;
  int64_t stride = 0;
};

class Layout {
public:
  Layout() : shape_(1), stride_(0) {} // 1:0
  // Errors: not congruent, a shape below 1, out of the bounds above.
  static Result<Layout> make(IntTuple shape, IntTuple stride);
  // Compact and column-major: strides are the products of the shapes to the left,
  // modes of size 1 have stride 0: (4,1,2) -> (4,1,2):(1,0,4).
  static Result<Layout> make(const IntTuple &shape);
  static Result<Layout> make(int64_t shape, int64_t stride);
  // Concatenation: each layout becomes a mode, also when there is only one.
  static Result<Layout> concat(const std::vector<Layout> &modes);

  const IntTuple &shape() const { return shape_; }
  const IntTuple &stride() const { return stride_; }

  int64_t size() const { return shape_.product(); }
  // 1 + sum (shape-1)*|stride|: one more than the largest offset.
  int64_t cosize() const;
  int rank() const { return shape_.rank(); }
  int depth() const { return shape_.depth(); }
  bool isLeaf() const { return shape_.isInt(); }
  Layout mode(int i) const;          // 0 <= i < rank()
  std::vector<Layout> modes() const; // mode(0), mode(1), ...
  std::vector<Mode> leaves() const;  // left to right
  std::string toString() const;      // (4,2):(1,8)

  // Offset of an index: the first mode is fastest, the last one is not bounded, as
  // in CuTe. Division truncates, so layout(-x) = -layout(x).
  int64_t operator()(int64_t index) const;
  // Offset of a coordinate: an integer, or a tuple whose entries are coordinates of
  // the modes. Error: it does not fit the shape.
  Result<int64_t> offset(const IntTuple &coordinate) const;

  friend bool operator==(const Layout &a, const Layout &b) {
    return a.shape_ == b.shape_ && a.stride_ == b.stride_;
  }
  friend bool operator!=(const Layout &a, const Layout &b) { return !(a == b); }

private:
  friend Layout trustedLayout(IntTuple shape, IntTuple stride);
  IntTuple shape_, stride_;
};

// ---- Swizzles and composed functions -----------------------------------------

// Sw<B,M,S>: bits M+S .. M+S+B-1 of an offset ("YYY") are XORed into bits
// M .. M+B-1 ("ZZZ"); M low bits stay, so vectors of 2^M elements stay whole. With
// S < 0 the low bits are XORed into the high ones.
//
//   0b....YYY.......ZZZ....    S = distance from ZZZ to YYY
//                      ^--^    M low bits
//         ^-^       ^-^        B bits each
//
// CuTe demands |S| >= B (YYY and ZZZ do not overlap; Sw is then its own inverse).
// With 0 < |S| < B the map is still a bijection, only not its own inverse.
struct Swizzle {
  int bits = 0;
  int base = 0;
  int shift = 0;

  // Errors: B or M negative, |S| < B (CuTe's static_assert), more than 31 bits.
  static Result<Swizzle> make(int64_t bits, int64_t base, int64_t shift);
  int64_t yyyMask() const;
  int64_t zzzMask() const;
  bool isAllowedByCute() const { return (shift < 0 ? -shift : shift) >= bits; }
  int64_t operator()(int64_t offset) const;
  std::string toString() const; // Sw<3,4,3>

  friend bool operator==(const Swizzle &a, const Swizzle &b) {
    return a.bits == b.bits && a.base == b.base && a.shift == b.shift;
  }
};

struct Composed;

// Layout, swizzle, or the composed form "outer o offset o inner", which is
// c -> outer(offset + inner(c)) and prints as Sw<3,4,3> o 0 o (8,64):(64,1).
class Function {
public:
  Function(Layout layout) : node_(std::move(layout)) {}
  Function(Swizzle swizzle) : node_(swizzle) {}
  Function(Composed composed);

  const Layout *layout() const { return std::get_if<Layout>(&node_); }
  const Swizzle *swizzle() const { return std::get_if<Swizzle>(&node_); }
  const Composed *composed() const;
  // The swizzle of "Sw o offset o layout", else nullptr.
  const Swizzle *outerSwizzle() const;

  // A coordinate without `_`. A swizzle takes an integer. Error: it does not fit.
  Result<int64_t> apply(const IntTuple &coordinate) const;
  std::string toString() const;

private:
  std::variant<Layout, Swizzle, std::shared_ptr<const Composed>> node_;
};

struct Composed {
  Function outer;
  int64_t offset;
  Function inner;
};

// How to cut a layout: a layout; an integer n, meaning n:1; `_`, the mode as it is;
// or a tuple <t0,t1,...> of tilers, one a mode. A shape (8,4) means <8:1,4:1>.
struct Tiler {
  enum class Kind { ByLayout, BySize, Whole, ByMode };
  Kind kind = Kind::Whole;
  Layout layout;
  int64_t size = 1;
  std::vector<Tiler> modes;

  static Tiler of(Layout layout);
  static Tiler of(const IntTuple &shape);
  static Tiler byMode(std::vector<Tiler> modes);
};

// ---- Text --------------------------------------------------------------------

// All parsers take the whole text, skip blanks, and accept what CuTe prints (also
// _4 for a static 4). Errors say at which character.
Result<IntTuple> parseIntTuple(const std::string &text);
// "(6,2):(8,2)", "8:1"; without strides the layout is compact: "(4,2)", "8".
Result<Layout> parseLayout(const std::string &text);
// "Sw<3,4,3>", "Sw<3,4,3> o 0 o (8,64):(64,1)", or a layout.
Result<Function> parseFunction(const std::string &text);
// "<4:1,3:1>", "<4,_>", "(4,3)", "4:1", "4".
Result<Tiler> parseTiler(const std::string &text);

// ---- Coordinates -------------------------------------------------------------

// Index of a coordinate of `shape`, first mode fastest; offset under `stride`.
Result<int64_t> crd2idx(const IntTuple &coordinate, const IntTuple &shape);
Result<int64_t> crd2idx(const IntTuple &coordinate, const IntTuple &shape, const IntTuple &stride);
// Coordinate of an index. The last mode is not bounded.
Result<IntTuple> idx2crd(const IntTuple &index, const IntTuple &shape);
// Leaf by leaf (index / stride) % shape: inverts a compact layout.
Result<IntTuple> idx2crd(const IntTuple &index, const IntTuple &shape, const IntTuple &stride);

// The modes that the coordinate marks with `_`; the rest of it is only checked.
//   slice((_,(1,_)), (4,(2,3)):(6,(3,1))) = (4,3):(6,1)
// A slice of a swizzled layout that cannot meet both YYY and ZZZ is a plain layout;
// the constant part of the offset is dropped, as for plain layouts.
Result<Function> slice(const IntTuple &coordinate, const Function &function);
// The modes that the coordinate does not mark with `_`.
Result<Layout> dice(const IntTuple &coordinate, const Layout &layout);

// ---- One layout --------------------------------------------------------------

Layout flatten(const Layout &layout);
// Depth at most 1, as few modes as possible, the same function on [0, size).
Layout coalesce(const Layout &layout);
// The same for each leaf of `profile` (its values do not matter); modes beyond the
// profile stay. Error: the profile has more modes than the layout.
Result<Layout> coalesce(const Layout &layout, const IntTuple &profile);
// Without modes of stride 0 and size 1, coalesced.
Layout filter(const Layout &layout);
Result<Layout> filter(const Layout &layout, const IntTuple &profile);
// Modes of stride 0 become modes of size 1.
Layout filterZeros(const Layout &layout);

// The layout of the offsets below `cotarget` that `layout` does not reach, ordered:
// layout + complement covers [0, cotarget) without meeting twice. Errors: strides
// that are negative or overlap.
Result<Layout> complement(const Layout &layout, const IntTuple &cotarget);
Result<Layout> complement(const Layout &layout); // within its own cosize

// layout(R(i)) = i for all i < size(R), with R as large as strides allow.
Result<Layout> rightInverse(const Layout &layout);
// layout(L(layout(i))) = layout(i), so L(layout(i)) = i where layout is injective.
// Errors: negative strides, strides that do not divide one another, strides that
// overlap so that no layout is an inverse.
Result<Layout> leftInverse(const Layout &layout);
// layout(N(i)) = 0: the modes of stride 0.
Result<Layout> nullspace(const Layout &layout);

// The layout counted in elements `n` times as wide, or `n` times as narrow.
//   upcast((4,8):(1,4), 2) = (2,8):(1,2)       downcast((4,8):(1,4), 2) = (8,8):(1,8)
Result<Layout> upcast(const Layout &layout, int64_t n);
Result<Layout> downcast(const Layout &layout, int64_t n);
// The largest N for which upcast(layout, N) is possible.
Result<int64_t> maxAlignment(const Layout &layout);

// ---- Two layouts -------------------------------------------------------------

// R(c) = a(b(c)) for all c of b, R compatible with b. Errors: a shape of `a` that b's
// strides or shapes do not divide. Where CuTe's own check is too weak to notice that,
// the result is compared with a(b(c)) on all of b (up to 2^16 elements).
Result<Layout> composition(const Layout &a, const Layout &b);
// By mode; modes of `a` beyond the tiler are dropped.
Result<Layout> composition(const Layout &a, const Tiler &tiler);

// The longest run of consecutive offsets that are one run in both layouts: how many
// elements a vector copy may move. The layout form says at which indices.
Result<int64_t> maxCommonVector(const Layout &a, const Layout &b);
Result<Layout> maxCommonLayout(const Layout &a, const Layout &b);

// Layout shape (M,N,L), tiler <TileM,TileN>:
//   logical  ((TileM,RestM),(TileN,RestN),L)      zipped  ((TileM,TileN),(RestM,RestN,L))
//   tiled    ((TileM,TileN),RestM,RestN,L)        flat    (TileM,TileN,RestM,RestN,L)
// Where a tile does not divide a mode, the rest is rounded up, as in CuTe: the last
// tiles reach beyond the layout and the user predicates them.
Result<Layout> logicalDivide(const Layout &layout, const Tiler &tiler);
Result<Layout> zippedDivide(const Layout &layout, const Tiler &tiler);
Result<Layout> tiledDivide(const Layout &layout, const Tiler &tiler);
Result<Layout> flatDivide(const Layout &layout, const Tiler &tiler);

// Layout shape (M,N,L), tiler <TileM,TileN>: the same four forms, with M in the place
// of TileM and TileM in the place of RestM.
Result<Layout> logicalProduct(const Layout &block, const Tiler &tiler);
Result<Layout> zippedProduct(const Layout &block, const Tiler &tiler);
Result<Layout> tiledProduct(const Layout &block, const Tiler &tiler);
Result<Layout> flatProduct(const Layout &block, const Tiler &tiler);
// Mode i of the block with mode i of the tiler: block inside (blocked), or cyclic,
// tiler inside (raked).
Result<Layout> blockedProduct(const Layout &block, const Layout &tiler);
Result<Layout> rakedProduct(const Layout &block, const Layout &tiler);
// blockedProduct up to a given shape, modes repeated in the order that `order` ranks
// them (default: left to right).
Result<Layout> tileToShape(const Layout &block, const IntTuple &shape);
Result<Layout> tileToShape(const Layout &block, const IntTuple &shape, const IntTuple &order);
// Compact strides for `shape`, the mode of least order first.
Result<Layout> makeOrderedLayout(const IntTuple &shape, const IntTuple &order);

// Thread-value layout, as CuTe's make_tiled_copy makes it: threads laid out over a
// tile as `threads` says, each holding `values` elements. Maps (thread, value) to the
// tile's index; `tiler` is the tile's shape.
//   threads (4,8):(8,1), values (2,1):(1,2) -> tile (8,8), ((8,4),2):((8,2),1)
struct ThreadValue {
  Layout layout;
  IntTuple tiler;
};
Result<ThreadValue> makeLayoutTv(const Layout &threads, const Layout &values);

// ---- The same on swizzled layouts ----------------------------------------------

// As CuTe overloads them for "Sw o offset o layout": most act on the inner layout.
Result<Function> composition(const Function &a, const Function &b);
Result<Function> composition(const Function &a, const Tiler &tiler);
Result<Function> rightInverse(const Function &function);
Result<Function> leftInverse(const Function &function);
Result<Function> upcast(const Function &function, int64_t n);
Result<Function> downcast(const Function &function, int64_t n);
Result<int64_t> maxCommonVector(const Function &a, const Function &b);
Result<Function> logicalProduct(const Layout &block, const Function &tiler);
// The swizzle that XORs the bits of mask `yyy` into those of `zzz`. Error: the masks
// are not two equal runs of bits.
Result<Swizzle> makeSwizzle(int64_t yyy, int64_t zzz);

// ---- Front for users -----------------------------------------------------------

// A CuTe function by name on arguments in text, as `layout-port layout serve` takes
// them: evaluate("composition", {"(6,2):(8,2)", "(4,3):(3,1)"}) = ((2,2),3):((24,2),8).
// The result is a layout, a tuple or an integer in text. Each argument may itself be
// an expression. functionNames() lists what there is.
Result<std::string> evaluate(const std::string &function, const std::vector<std::string> &args);
// "composition((6,2):(8,2),coalesce((4,3)))", or a layout, which prints as itself.
Result<std::string> evaluate(const std::string &expression);
std::vector<std::string> functionNames();

// ---- F2 ------------------------------------------------------------------------

// f(x) = matrix(x) ^ constant on the index x, first mode lowest.
struct CuteAffine {
  LinearLayout matrix;
  uint64_t constant = 0;
};

// The function as an F2-affine map with one in-dim and one out-dim. It is one when the
// size is a power of two and adding strides and offset never makes a carry that
// depends on x. Otherwise the error names the size, or two indices x and y with
// f(x^y) != f(x)^f(y)^f(0).
Result<CuteAffine> cuteToAffine(const Function &function, const std::string &in = "index",
                                const std::string &out = "offset");
// The same with f(0) = 0.
Result<LinearLayout> cuteToLinear(const Function &function, const std::string &in = "index",
                                  const std::string &out = "offset");
// A layout, or swizzle o layout, that is the given map from flattened input to
// flattened output; one mode an in-dim when there are several. Of the swizzles that
// do, one with the fewest bits. Error: there is none.
Result<Function> linearToCute(const LinearLayout &layout);

} // namespace layout_port::cute
