// Divides and products: a layout as tiles, and tiles as a layout.
// https://docs.nvidia.com/cutlass/media/docs/cpp/cute/02_layout_algebra.html
#include "cute/Detail.h"

#include <algorithm>

namespace layout_port::cute {

// ---- Tilers --------------------------------------------------------------------

Tiler Tiler::of(Layout layout) {
  Tiler tiler;
  tiler.kind = Kind::ByLayout;
  tiler.layout = std::move(layout);
  return tiler;
}

Tiler Tiler::of(const IntTuple &shape) {
  Tiler tiler;
  if (shape.isUnderscore())
    return tiler;
  tiler.kind = shape.isInt() ? Kind::BySize : Kind::ByMode;
  tiler.size = shape.value();
  for (const IntTuple &m : shape.modes())
    tiler.modes.push_back(of(m));
  return tiler;
}

Tiler Tiler::byMode(std::vector<Tiler> modes) {
  Tiler tiler;
  tiler.kind = Kind::ByMode;
  tiler.modes = std::move(modes);
  return tiler;
}

// ---- By mode, and gathered -----------------------------------------------------

// Either division or multiplication by one layout; the result has two modes.
using Splitter = Result<Layout> (*)(const Layout &, const Layout &);

static Error tooManyModes(const Tiler &tiler, const Layout &layout) {
  return makeError("a tiler of %zu modes for %s", tiler.modes.size(), layout.toString().c_str());
}

// Applies `split` where the tiler has a layout; modes beyond the tiler stay.
static Result<Layout> splitByMode(const Layout &layout, const Tiler &tiler, Splitter split) {
  switch (tiler.kind) {
  case Tiler::Kind::Whole:
    return layout;
  case Tiler::Kind::ByLayout:
    return split(layout, tiler.layout);
  case Tiler::Kind::BySize: {
    const Result<Layout> size = Layout::make(IntTuple(tiler.size));
    return size ? split(layout, *size) : size;
  }
  case Tiler::Kind::ByMode:
    break;
  }
  if (static_cast<int>(tiler.modes.size()) > layout.rank())
    return tooManyModes(tiler, layout);
  std::vector<Layout> modes = layout.modes();
  for (size_t i = 0; i < tiler.modes.size(); ++i) {
    const Result<Layout> mode = splitByMode(modes[i], tiler.modes[i], split);
    if (!mode)
      return mode;
    modes[i] = *mode;
  }
  return Layout::concat(modes);
}

// ((A,a),(B,b),c) -> ((A,B),(a,b,c)), at every level of the tiler. A mode that `_`
// leaves alone is all rest: its tile is 1:0.
static Result<Layout> splitAndZip(const Layout &layout, const Tiler &tiler, Splitter split) {
  if (tiler.kind == Tiler::Kind::Whole)
    return Layout::concat({Layout(), layout});
  if (tiler.kind != Tiler::Kind::ByMode)
    return splitByMode(layout, tiler, split);
  if (static_cast<int>(tiler.modes.size()) > layout.rank())
    return tooManyModes(tiler, layout);
  std::vector<Layout> tiles, rests;
  for (int i = 0; i < layout.rank(); ++i) {
    if (i >= static_cast<int>(tiler.modes.size())) {
      rests.push_back(layout.mode(i));
      continue;
    }
    const Result<Layout> mode = splitAndZip(layout.mode(i), tiler.modes[i], split);
    if (!mode)
      return mode;
    tiles.push_back(mode->mode(0));
    rests.push_back(mode->mode(1));
  }
  const Result<Layout> tile = Layout::concat(tiles), rest = Layout::concat(rests);
  if (!tile || !rest)
    return tile ? rest : tile;
  return Layout::concat({*tile, *rest});
}

// Appends the modes of `layout`. A tuple of one mode stays a tuple, as CuTe's slice
// result(_, _) leaves it.
static void appendModes(std::vector<Layout> &to, const Layout &layout) {
  if (layout.rank() == 1)
    return to.push_back(layout);
  for (const Layout &m : layout.modes())
    to.push_back(m);
}

// ((A,B),(a,b,c)) -> ((A,B),a,b,c)
static Result<Layout> spreadRest(const Result<Layout> &zipped) {
  if (!zipped)
    return zipped;
  std::vector<Layout> modes = {zipped->mode(0)};
  appendModes(modes, zipped->mode(1));
  return Layout::concat(modes);
}

// ((A,B),(a,b,c)) -> (A,B,a,b,c)
static Result<Layout> spreadBoth(const Result<Layout> &zipped) {
  if (!zipped)
    return zipped;
  std::vector<Layout> modes;
  appendModes(modes, zipped->mode(0));
  appendModes(modes, zipped->mode(1));
  return Layout::concat(modes);
}

// ---- Divide --------------------------------------------------------------------

//   A / B = A o (B, B*), B* the complement of B in A's indices
static Result<Layout> divideByLayout(const Layout &layout, const Layout &tiler) {
  const Result<Layout> rest = complement(tiler, coalesce(layout).shape());
  if (!rest)
    return rest;
  const Result<Layout> inTile = composition(layout, tiler);
  if (!inTile)
    return inTile;
  const Result<Layout> ofTiles = roundedComposition(layout, *rest);
  if (!ofTiles)
    return ofTiles;
  return Layout::concat({*inTile, *ofTiles});
}

Result<Layout> logicalDivide(const Layout &layout, const Tiler &tiler) {
  return splitByMode(layout, tiler, divideByLayout);
}

Result<Layout> zippedDivide(const Layout &layout, const Tiler &tiler) {
  return splitAndZip(layout, tiler, divideByLayout);
}

Result<Layout> tiledDivide(const Layout &layout, const Tiler &tiler) {
  return spreadRest(zippedDivide(layout, tiler));
}

Result<Layout> flatDivide(const Layout &layout, const Tiler &tiler) {
  return spreadBoth(zippedDivide(layout, tiler));
}

// ---- Product -------------------------------------------------------------------

//   A x B = (A, A* o B), A* the complement of A as far as B reaches
static Result<Layout> multiplyByLayout(const Layout &block, const Layout &tiler) {
  const int64_t reach = satMul(block.size(), tiler.cosize());
  const Result<Layout> free = complement(block, IntTuple(reach));
  if (!free)
    return free;
  const Result<Layout> repeats = composition(*free, tiler);
  if (!repeats)
    return repeats;
  return Layout::concat({block, *repeats});
}

Result<Layout> logicalProduct(const Layout &block, const Tiler &tiler) {
  return splitByMode(block, tiler, multiplyByLayout);
}

Result<Layout> zippedProduct(const Layout &block, const Tiler &tiler) {
  return splitAndZip(block, tiler, multiplyByLayout);
}

Result<Layout> tiledProduct(const Layout &block, const Tiler &tiler) {
  return spreadRest(zippedProduct(block, tiler));
}

Result<Layout> flatProduct(const Layout &block, const Tiler &tiler) {
  return spreadBoth(zippedProduct(block, tiler));
}

// Mode i of the first with mode i of the second: ((a0,b0),(a1,b1),...).
static Result<Layout> zip(const Layout &a, const Layout &b) {
  if (a.isLeaf()) {
    const Result<Layout> only = Layout::concat({a, b});
    return only ? Layout::concat({*only}) : only;
  }
  std::vector<Layout> modes;
  for (int i = 0; i < a.rank(); ++i) {
    const Result<Layout> mode = Layout::concat({a.mode(i), b.mode(i)});
    if (!mode)
      return mode;
    modes.push_back(*mode);
  }
  return Layout::concat(modes);
}

// The product of block and tiler brought to one rank: (block modes, tiler modes).
static Result<Layout> rankedProduct(const Layout &block, const Layout &tiler) {
  const int rank = std::max(block.rank(), tiler.rank());
  return multiplyByLayout(padded(block, rank), padded(tiler, rank));
}

Result<Layout> blockedProduct(const Layout &block, const Layout &tiler) {
  const Result<Layout> product = rankedProduct(block, tiler);
  return product ? zip(product->mode(0), product->mode(1)) : product;
}

Result<Layout> rakedProduct(const Layout &block, const Layout &tiler) {
  const Result<Layout> product = rankedProduct(block, tiler);
  return product ? zip(product->mode(1), product->mode(0)) : product;
}

// ---- Layouts of a given shape --------------------------------------------------

// Where each mode starts: the product of all modes of lesser order.
static IntTuple orderedStrides(const IntTuple &shape, const IntTuple &order,
                               const std::vector<int64_t> &sizes,
                               const std::vector<int64_t> &orders) {
  if (!order.isTuple()) {
    int64_t start = 1;
    for (size_t i = 0; i < sizes.size(); ++i)
      start = orders[i] < order.value() ? satMul(start, sizes[i]) : start;
    return compactStrides(shape, start);
  }
  std::vector<IntTuple> modes;
  for (int i = 0; i < order.rank(); ++i)
    modes.push_back(orderedStrides(shape.mode(i), order.mode(i), sizes, orders));
  return IntTuple(std::move(modes));
}

Result<Layout> makeOrderedLayout(const IntTuple &shape, const IntTuple &order) {
  if (const Result<Layout> ok = Layout::make(shape); !ok)
    return ok;
  if (order.hasUnderscore())
    return makeError("'_' is no order");
  const Result<IntTuple> sizes = productLike(shape, order);
  if (!sizes)
    return sizes.error();
  return Layout::make(shape, orderedStrides(shape, order, sizes->leaves(), order.leaves()));
}

static IntTuple leftToRight(int rank) {
  std::vector<IntTuple> order;
  for (int i = 0; i < rank; ++i)
    order.push_back(IntTuple(i));
  return IntTuple(std::move(order));
}

Result<Layout> tileToShape(const Layout &block, const IntTuple &shape) {
  return tileToShape(block, shape, shape.isTuple() ? leftToRight(shape.rank()) : IntTuple(0));
}

Result<Layout> tileToShape(const Layout &block, const IntTuple &shape, const IntTuple &order) {
  if (const Result<Layout> ok = Layout::make(shape); !ok)
    return ok;
  if (block.rank() > shape.rank())
    return makeError("%s has more modes than shape %s", block.toString().c_str(),
                     shape.toString().c_str());
  const Layout tile = padded(block, shape.rank());
  std::vector<IntTuple> repeats;
  for (int i = 0; i < shape.rank(); ++i) {
    const int64_t whole = shape.mode(i).product(), part = tile.mode(i).size();
    if (whole % part != 0)
      return makeError("a block of %lld does not divide a mode of %lld",
                       static_cast<long long>(part), static_cast<long long>(whole));
    repeats.push_back(IntTuple(whole / part));
  }
  const Result<Layout> tiler = makeOrderedLayout(IntTuple(std::move(repeats)), order);
  return tiler ? blockedProduct(tile, *tiler) : tiler;
}

// ---- Threads and values --------------------------------------------------------

//   raked_product(threads, values): tile -> (thread, value);  its inverse, cut in two
Result<ThreadValue> makeLayoutTv(const Layout &threads, const Layout &values) {
  const Result<Layout> tile = rakedProduct(threads, values);
  if (!tile)
    return tile.error();
  const Result<Layout> inverse = rightInverse(*tile);
  if (!inverse)
    return inverse.error();
  const Result<Layout> pairs =
      Layout::make(IntTuple(std::vector<IntTuple>{threads.size(), values.size()}));
  if (!pairs)
    return pairs.error();
  const Result<Layout> layout = composition(*inverse, *pairs);
  if (!layout)
    return layout.error();
  return ThreadValue{*layout, productEach(tile->shape())};
}

} // namespace layout_port::cute
