// Composition, complement and inverses: the operations that all tiling rests on.
// https://docs.nvidia.com/cutlass/media/docs/cpp/cute/02_layout_algebra.html
#include "cute/Detail.h"

#include <algorithm>
#include <numeric>

namespace layout_port::cute {

// Results that need it are compared element by element up to this size.
static constexpr int64_t kLongestCheck = int64_t(1) << 16;

// ---- Composition ---------------------------------------------------------------

// What composing a leaf s:d with a flat A found out beside the result.
struct Leaf {
  std::vector<Mode> modes;
  // d divided, or was divided by, every mode of A that it passed: then the result is
  // exact wherever s:d is. Otherwise it has to be looked at.
  bool divides = true;
};

// A o s:d, A flat: skip d elements of A's leading modes, then take s.
//
//   (3,6,2,8) / 9 = (1,2,2,8), strides (9w,3x,y,z);  (1,2,2,8) % 16 = (1,2,2,4)
static Result<Leaf> composeLeaf(const std::vector<Mode> &a, Mode b) {
  Leaf leaf;
  if (b.stride == 0) {
    leaf.modes = {b};
    return leaf;
  }
  int64_t restShape = b.shape, restStride = b.stride;
  for (size_t i = 0; i + 1 < a.size(); ++i) {
    const int64_t step = absolute(restStride);
    if (restStride >= a[i].shape && restStride % a[i].shape != 0)
      return makeError("stride %lld does not divide, nor is divided by, a mode of size %lld",
                       static_cast<long long>(restStride), static_cast<long long>(a[i].shape));
    leaf.divides = leaf.divides && (a[i].shape % step == 0 || step % a[i].shape == 0);
    const int64_t nextShape = ceilDiv(a[i].shape, step);
    const int64_t nextStride = ceilDiv(step, a[i].shape) * signOf(restStride);
    if (nextShape != 1 && restShape != 1) {
      const int64_t taken = std::min(nextShape, restShape);
      if (restShape % taken != 0)
        return makeError("shape %lld is not divided by the %lld elements that a mode has left",
                         static_cast<long long>(restShape), static_cast<long long>(taken));
      leaf.modes.push_back({taken, satMul(restStride, a[i].stride)});
      restShape /= taken;
    }
    restStride = nextStride;
  }
  if (restShape != 1 || leaf.modes.empty())
    leaf.modes.push_back({restShape, satMul(restStride, a.back().stride)});
  return leaf;
}

// A's leaves for composition. The last mode has no end, so a last mode of size 1 is
// not dropped: (4,1):(3,0) goes on with stride 0 after 4 elements.
static std::vector<Mode> openEnded(const Layout &a) {
  std::vector<Mode> leaves = a.leaves();
  if (leaves.back().shape == 1)
    leaves.back().shape = 2;
  return coalesceModes(leaves);
}

struct Tree {
  IntTuple shape, stride;
};

// A o B leaf by leaf: A o (B0, B1, ...) = (A o B0, A o B1, ...).
class Composition {
public:
  explicit Composition(const Layout &a) : a_(openEnded(a)) {}

  Result<Layout> with(const Layout &b) {
    const Result<Tree> result = tree(b.shape(), b.stride());
    if (!result)
      return result.error();
    return Layout::make(result->shape, result->stride);
  }
  // Leaf::divides for all leaves.
  bool divides() const { return divides_; }

private:
  Result<Tree> leaf(Mode b) {
    const Result<Leaf> leaf = composeLeaf(a_, b);
    if (!leaf)
      return leaf.error();
    divides_ = divides_ && leaf->divides;
    leaves_ += static_cast<int>(leaf->modes.size());
    if (leaves_ > kMaxLeaves)
      return makeError("a composition of more than %d integers", kMaxLeaves);
    const Result<Layout> flat = checkedFlat(leaf->modes);
    if (!flat)
      return flat.error();
    return Tree{flat->shape(), flat->stride()};
  }

  Result<Tree> tree(const IntTuple &shape, const IntTuple &stride) {
    if (!shape.isTuple())
      return leaf({shape.value(), stride.value()});
    std::vector<IntTuple> shapes, strides;
    for (int i = 0; i < shape.rank(); ++i) {
      const Result<Tree> mode = tree(shape.mode(i), stride.mode(i));
      if (!mode)
        return mode;
      shapes.push_back(mode->shape);
      strides.push_back(mode->stride);
    }
    return Tree{IntTuple(std::move(shapes)), IntTuple(std::move(strides))};
  }

  std::vector<Mode> a_;
  bool divides_ = true;
  int leaves_ = 0;
};

// Compares R with A o B on all of B.
static Result<bool> checkComposition(const Layout &a, const Layout &b, const Layout &r) {
  if (b.size() > kLongestCheck)
    return makeError("%s does not divide %s, and is too large to check element by element",
                     b.toString().c_str(), a.toString().c_str());
  for (int64_t i = 0; i < b.size(); ++i) {
    const Result<int64_t> expected = a.offset(IntTuple(b(i)));
    if (!expected || *expected != r(i))
      return makeError("%s o %s is no layout: element %lld of the second is offset %lld, which no "
                       "strides reach",
                       a.toString().c_str(), b.toString().c_str(), static_cast<long long>(i),
                       static_cast<long long>(b(i)));
  }
  return true;
}

Result<Layout> composition(const Layout &a, const Layout &b) {
  Composition composition(a);
  Result<Layout> result = composition.with(b);
  if (!result || composition.divides())
    return result;
  if (const Result<bool> exact = checkComposition(a, b, *result); !exact)
    return exact.error();
  return result;
}

Result<Layout> roundedComposition(const Layout &a, const Layout &b) {
  return Composition(a).with(b);
}

Result<Layout> composition(const Layout &a, const Tiler &tiler) {
  switch (tiler.kind) {
  case Tiler::Kind::Whole:
    return a;
  case Tiler::Kind::ByLayout:
    return composition(a, tiler.layout);
  case Tiler::Kind::BySize: {
    const Result<Layout> b = Layout::make(tiler.size, 1);
    return b ? composition(a, *b) : b;
  }
  case Tiler::Kind::ByMode:
    break;
  }
  if (static_cast<int>(tiler.modes.size()) > a.rank())
    return makeError("a tiler of %zu modes for %s", tiler.modes.size(), a.toString().c_str());
  std::vector<Layout> modes;
  for (size_t i = 0; i < tiler.modes.size(); ++i) {
    const Result<Layout> mode = composition(a.mode(static_cast<int>(i)), tiler.modes[i]);
    if (!mode)
      return mode;
    modes.push_back(*mode);
  }
  return Layout::concat(modes);
}

// ---- Complement ----------------------------------------------------------------

// Tiles of `step` elements over a shape, first mode first: the number of tiles.
static int64_t tilesOver(const IntTuple &shape, int64_t step) {
  int64_t tiles = 1;
  for (const int64_t s : shape.leaves()) {
    tiles = satMul(tiles, ceilDiv(s, step));
    step = ceilDiv(step, s);
  }
  return tiles;
}

// With modes sorted by stride, fill the hole below each: s:d over `covered` offsets
// leaves d/covered copies of what lies below, then covers s*d.
//
//   (2,2):(1,6)    0 1 . . . .   6 7 . . . .      covered 2: hole 6/2 = 3:2, then 12
Result<Layout> complement(const Layout &layout, const IntTuple &cotarget) {
  if (const Result<Layout> ok = Layout::make(cotarget); !ok)
    return ok.error();
  std::vector<Mode> modes = filter(layout).leaves();
  if (modes.size() == 1 && modes[0].stride == 0)
    return Layout::make(IntTuple(cotarget.product()));
  std::sort(modes.begin(), modes.end(),
            [](const Mode &x, const Mode &y) { return x.stride < y.stride; });
  int64_t covered = 1;
  std::vector<Mode> holes;
  for (const Mode &m : modes) {
    if (m.stride < covered)
      return makeError("%s has no complement: strides are negative or overlap",
                       layout.toString().c_str());
    holes.push_back({m.stride / covered, covered});
    covered = satMul(m.stride, m.shape);
  }
  holes.push_back({tilesOver(cotarget, covered), covered});
  return checkedFlat(coalesceModes(holes));
}

Result<Layout> complement(const Layout &layout) {
  return complement(layout, IntTuple(filter(layout).cosize()));
}

// ---- Inverses ------------------------------------------------------------------

// A mode of a coalesced layout with the index at which it starts to count.
struct IndexedMode {
  Mode mode;
  int64_t index;
};

// Sorted by stride. CuTe's sort swaps any pair that is out of order, which decides how
// modes of equal stride come to lie; results depend on it, so it is done the same way.
static std::vector<IndexedMode> sortedByStride(const Layout &layout) {
  std::vector<IndexedMode> modes;
  int64_t index = 1;
  for (const Mode &m : coalesce(layout).leaves()) {
    modes.push_back({m, index});
    index *= m.shape;
  }
  for (size_t i = 0; i < modes.size(); ++i)
    for (size_t j = i + 1; j < modes.size(); ++j)
      if (modes[j].mode.stride < modes[i].mode.stride)
        std::swap(modes[i], modes[j]);
  return modes;
}

// Follow the modes whose strides continue one another: 1, s, s*t, ...
Result<Layout> rightInverse(const Layout &layout) {
  std::vector<Mode> result;
  int64_t next = 1;
  for (const IndexedMode &m : sortedByStride(layout)) {
    if (m.mode.stride != next)
      continue;
    result.push_back({m.mode.shape, m.index});
    next = satMul(m.mode.shape, m.mode.stride);
  }
  return checkedFlat(coalesceModes(result));
}

static Error noLeftInverse(const Layout &layout) {
  return makeError("%s has no left inverse: strides are negative, overlap, or do not divide one "
                   "another",
                   layout.toString().c_str());
}

static bool invertsOnTheLeft(const Layout &inverse, const Layout &layout) {
  if (layout.size() > kLongestCheck)
    return false;
  for (int64_t i = 0; i < layout.size(); ++i) {
    const Result<int64_t> index = inverse.offset(IntTuple(layout(i)));
    const Result<int64_t> again = index ? layout.offset(IntTuple(*index)) : index;
    if (!again || *again != layout(i))
      return false;
  }
  return true;
}

// An offset x is written in the mixed radix of the strides d_1 | d_2 | ...; its digits
// count in the indices of the modes:
//
//   (4,2):(1,16)   x = c_1 + 16 c_2,  c_1 < 16   ->   index c_1 + 4 c_2,  (16,2):(1,4)
//
// Where modes overlap, a digit can run out of its mode; then the result is compared.
Result<Layout> leftInverse(const Layout &layout) {
  const std::vector<IndexedMode> sorted = sortedByStride(layout);
  std::vector<Mode> digits;
  int64_t radix = 1, index = 0, reached = 1;
  bool overlaps = false;
  for (const IndexedMode &m : sorted) {
    if (m.mode.stride == 0)
      continue;
    if (m.mode.stride < 0 || m.mode.stride % radix != 0)
      return noLeftInverse(layout);
    overlaps = overlaps || m.mode.stride < reached;
    digits.push_back({m.mode.stride / radix, index});
    radix = m.mode.stride;
    reached = satMul(m.mode.shape, m.mode.stride);
    index = m.index;
  }
  digits.push_back({sorted.back().mode.shape, index});
  Result<Layout> result = checkedFlat(coalesceModes(digits));
  if (result && overlaps && !invertsOnTheLeft(*result, coalesce(layout)))
    return noLeftInverse(layout);
  return result;
}

Result<Layout> nullspace(const Layout &layout) {
  std::vector<Mode> result;
  int64_t index = 1;
  for (const Mode &m : layout.leaves()) {
    if (m.stride == 0)
      result.push_back({m.shape, m.shape == 1 ? 0 : index});
    index *= m.shape;
  }
  return checkedFlat(result);
}

// ---- Element width -------------------------------------------------------------

template <typename F> static Result<Layout> byLeaf(const Layout &layout, const F &change) {
  if (layout.isLeaf())
    return change(layout.shape().value(), layout.stride().value());
  std::vector<Layout> modes;
  for (const Layout &m : layout.modes()) {
    const Result<Layout> mode = byLeaf(m, change);
    if (!mode)
      return mode;
    modes.push_back(*mode);
  }
  return Layout::concat(modes);
}

static Result<bool> checkWidth(int64_t n) {
  if (n < 1 || n > kMaxSize)
    return makeError("an element width ratio is 1 to 2^40, not %lld", static_cast<long long>(n));
  return true;
}

Result<Layout> upcast(const Layout &layout, int64_t n) {
  if (const Result<bool> ok = checkWidth(n); !ok)
    return ok.error();
  return byLeaf(layout, [&](int64_t shape, int64_t stride) -> Result<Layout> {
    if (stride == 0)
      return Layout::make(shape, 0);
    const int64_t step = absolute(stride);
    if (step % n != 0 && n % step != 0)
      return makeError("stride %lld neither divides %lld nor is divided by it",
                       static_cast<long long>(stride), static_cast<long long>(n));
    return Layout::make(ceilDiv(shape, ceilDiv(n, step)), signOf(stride) * ceilDiv(step, n));
  });
}

Result<Layout> downcast(const Layout &layout, int64_t n) {
  if (const Result<bool> ok = checkWidth(n); !ok)
    return ok.error();
  const std::vector<int64_t> strides = layout.stride().leaves();
  if (std::find(strides.begin(), strides.end(), 1) == strides.end())
    return makeError("%s has no mode of stride 1 to split", layout.toString().c_str());
  return byLeaf(layout, [&](int64_t shape, int64_t stride) {
    return absolute(stride) == 1 ? Layout::make(satMul(shape, n), stride)
                                 : Layout::make(shape, satMul(stride, n));
  });
}

// ---- Common vectors ------------------------------------------------------------

// A o B^-1 as far as it is the identity: its first mode, when that has stride 1.
static Result<Layout> commonIdentity(const Layout &a, const Layout &inverseB) {
  const Result<Layout> common = composition(a, inverseB);
  if (!common)
    return common;
  const Mode first = coalesce(*common).leaves()[0];
  return first.stride == 1 ? Layout::make(first.shape, 1) : Layout();
}

Result<int64_t> maxCommonVector(const Layout &a, const Layout &b) {
  const Result<Layout> inverse = rightInverse(b);
  if (!inverse)
    return inverse.error();
  const Result<Layout> common = commonIdentity(a, *inverse);
  if (!common)
    return common.error();
  return common->size();
}

Result<Layout> maxCommonLayout(const Layout &a, const Layout &b) {
  const Result<Layout> inverse = rightInverse(b);
  if (!inverse)
    return inverse;
  const Result<Layout> common = commonIdentity(a, *inverse);
  if (!common || common->size() == 1)
    return common;
  return composition(*inverse, *common);
}

Result<int64_t> maxAlignment(const Layout &layout) {
  const Layout flat = coalesce(layout);
  const Result<Layout> inverse = rightInverse(flat);
  if (!inverse)
    return inverse.error();
  const Result<Layout> permuted = logicalDivide(flat, Tiler::of(*inverse));
  if (!permuted)
    return permuted.error();
  int64_t result = permuted->mode(0).size();
  for (const int64_t stride : permuted->mode(1).stride().leaves())
    result = std::gcd(result, absolute(stride));
  return result;
}

} // namespace layout_port::cute
