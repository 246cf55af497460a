// The layout itself: building it within bounds, taking it apart, and walking from
// coordinates to offsets and back.
//
//   offset(c)  = sum c_i * d_i                       c a coordinate (c_0, c_1, ...)
//   offset(x)  = offset((x % s_0, x / s_0 % s_1, ...))          x an index
#include "cute/Detail.h"

#include <algorithm>

namespace layout_port::cute {

// ---- Building ------------------------------------------------------------------

Layout trustedLayout(IntTuple shape, IntTuple stride) {
  Layout layout;
  layout.shape_ = std::move(shape);
  layout.stride_ = std::move(stride);
  return layout;
}

static int64_t cosizeOf(const std::vector<int64_t> &shape, const std::vector<int64_t> &stride) {
  int64_t last = 0;
  for (size_t i = 0; i < shape.size(); ++i)
    last = satAdd(last, satMul(shape[i] - 1, absolute(stride[i])));
  return satAdd(last, 1);
}

static Result<bool> checkShape(const IntTuple &shape) {
  if (shape.hasUnderscore())
    return makeError("'_' has no place in a layout");
  if (shape.depth() > kMaxDepth)
    return makeError("a layout nested more than %d deep", kMaxDepth);
  const std::vector<int64_t> leaves = shape.leaves();
  if (leaves.empty() || static_cast<int>(leaves.size()) > kMaxLeaves)
    return makeError("a layout has 1 to %d integers, not %zu", kMaxLeaves, leaves.size());
  for (const int64_t s : leaves)
    if (s < 1)
      return makeError("a shape is at least 1, not %lld", static_cast<long long>(s));
  if (shape.product() > kMaxSize)
    return makeError("a layout of more than 2^40 elements");
  return true;
}

Result<Layout> Layout::make(IntTuple shape, IntTuple stride) {
  if (!congruent(shape, stride))
    return makeError("shape %s and stride %s do not have the same form", shape.toString().c_str(),
                     stride.toString().c_str());
  if (const Result<bool> ok = checkShape(shape); !ok)
    return ok.error();
  if (stride.hasUnderscore())
    return makeError("'_' has no place in a layout");
  const std::vector<int64_t> strides = stride.leaves();
  for (const int64_t d : strides)
    if (absolute(d) > kMaxOffset)
      return makeError("a stride beyond 2^60");
  if (cosizeOf(shape.leaves(), strides) > kMaxOffset)
    return makeError("a layout with offsets beyond 2^60");
  return trustedLayout(std::move(shape), std::move(stride));
}

IntTuple compactStrides(const IntTuple &shape, int64_t &start) {
  if (!shape.isTuple()) {
    const int64_t stride = shape.value() == 1 ? 0 : start;
    start = satMul(start, shape.value());
    return IntTuple(stride);
  }
  std::vector<IntTuple> modes;
  for (const IntTuple &m : shape.modes())
    modes.push_back(compactStrides(m, start));
  return IntTuple(std::move(modes));
}

Result<Layout> Layout::make(const IntTuple &shape) {
  if (const Result<bool> ok = checkShape(shape); !ok)
    return ok.error();
  int64_t start = 1;
  return make(shape, compactStrides(shape, start));
}

Result<Layout> Layout::make(int64_t shape, int64_t stride) {
  return make(IntTuple(shape), IntTuple(stride));
}

Result<Layout> Layout::concat(const std::vector<Layout> &modes) {
  std::vector<IntTuple> shapes, strides;
  for (const Layout &m : modes) {
    shapes.push_back(m.shape());
    strides.push_back(m.stride());
  }
  return make(IntTuple(std::move(shapes)), IntTuple(std::move(strides)));
}

static std::pair<IntTuple, IntTuple> tuplesOf(const std::vector<Mode> &modes) {
  if (modes.empty())
    return {IntTuple(1), IntTuple(0)};
  if (modes.size() == 1)
    return {IntTuple(modes[0].shape), IntTuple(modes[0].stride)};
  std::vector<IntTuple> shapes, strides;
  for (const Mode &m : modes) {
    shapes.push_back(m.shape);
    strides.push_back(m.stride);
  }
  return {IntTuple(std::move(shapes)), IntTuple(std::move(strides))};
}

Layout trustedFlat(const std::vector<Mode> &modes) {
  auto [shape, stride] = tuplesOf(modes);
  return trustedLayout(std::move(shape), std::move(stride));
}

Result<Layout> checkedFlat(const std::vector<Mode> &modes) {
  auto [shape, stride] = tuplesOf(modes);
  return Layout::make(std::move(shape), std::move(stride));
}

Layout padded(const Layout &layout, int rank) {
  if (layout.rank() >= rank)
    return layout;
  std::vector<IntTuple> shapes, strides;
  for (int i = 0; i < rank; ++i) {
    shapes.push_back(i < layout.rank() ? layout.shape().mode(i) : IntTuple(1));
    strides.push_back(i < layout.rank() ? layout.stride().mode(i) : IntTuple(0));
  }
  return trustedLayout(IntTuple(std::move(shapes)), IntTuple(std::move(strides)));
}

// ---- Looking -------------------------------------------------------------------

int64_t Layout::cosize() const { return cosizeOf(shape_.leaves(), stride_.leaves()); }

Layout Layout::mode(int i) const { return trustedLayout(shape_.mode(i), stride_.mode(i)); }

std::vector<Layout> Layout::modes() const {
  std::vector<Layout> result;
  for (int i = 0; i < rank(); ++i)
    result.push_back(mode(i));
  return result;
}

std::vector<Mode> Layout::leaves() const {
  const std::vector<int64_t> shapes = shape_.leaves(), strides = stride_.leaves();
  std::vector<Mode> result;
  for (size_t i = 0; i < shapes.size(); ++i)
    result.push_back({shapes[i], strides[i]});
  return result;
}

std::string Layout::toString() const { return shape_.toString() + ":" + stride_.toString(); }

// ---- Coordinates ---------------------------------------------------------------

// Calls term(c, d) for each leaf: its part of the index and its stride.
template <typename F>
static void splitIndex(int64_t index, const IntTuple &shape, const IntTuple &stride,
                       const F &term) {
  if (!shape.isTuple())
    return term(index, stride.value());
  for (int i = 0; i < shape.rank(); ++i) {
    const bool last = i + 1 == shape.rank();
    const int64_t size = shape.mode(i).product();
    splitIndex(last ? index : index % size, shape.mode(i), stride.mode(i), term);
    index /= size;
  }
}

int64_t Layout::operator()(int64_t index) const {
  int64_t offset = 0;
  splitIndex(index, shape_, stride_, [&](int64_t c, int64_t d) { offset += c * d; });
  return offset;
}

static Error mismatch(const IntTuple &coordinate, const IntTuple &shape) {
  return makeError("coordinate %s does not fit shape %s", coordinate.toString().c_str(),
                   shape.toString().c_str());
}

// A sum that remembers whether it ever left the bounds.
class OffsetSum {
public:
  void add(int64_t c, int64_t d) {
    const int64_t product = satMul(c, d);
    inBounds_ = inBounds_ && absolute(product) <= kMaxOffset;
    sum_ = inBounds_ ? sum_ + product : 0;
    inBounds_ = inBounds_ && absolute(sum_) <= kMaxOffset;
  }
  Result<int64_t> value() const {
    if (!inBounds_)
      return makeError("an offset beyond 2^60");
    return sum_;
  }

private:
  int64_t sum_ = 0;
  bool inBounds_ = true;
};

// Shape and stride congruent, shapes positive. An underscore counts as 0. False when
// the coordinate does not fit the shape.
static bool addOffset(const IntTuple &coordinate, const IntTuple &shape, const IntTuple &stride,
                      OffsetSum &sum) {
  if (coordinate.isUnderscore())
    return true;
  if (coordinate.isInt()) {
    splitIndex(coordinate.value(), shape, stride, [&](int64_t c, int64_t d) { sum.add(c, d); });
    return true;
  }
  if (!shape.isTuple() || coordinate.rank() != shape.rank())
    return false;
  for (int i = 0; i < shape.rank(); ++i)
    if (!addOffset(coordinate.mode(i), shape.mode(i), stride.mode(i), sum))
      return false;
  return true;
}

static Result<int64_t> offsetOf(const IntTuple &coordinate, const IntTuple &shape,
                                const IntTuple &stride) {
  OffsetSum sum;
  if (!addOffset(coordinate, shape, stride, sum))
    return mismatch(coordinate, shape);
  return sum.value();
}

Result<int64_t> Layout::offset(const IntTuple &coordinate) const {
  if (coordinate.hasUnderscore())
    return makeError("coordinate %s selects a slice, not an element",
                     coordinate.toString().c_str());
  return offsetOf(coordinate, shape_, stride_);
}

Result<int64_t> crd2idx(const IntTuple &coordinate, const IntTuple &shape, const IntTuple &stride) {
  const Result<Layout> layout = Layout::make(shape, stride);
  if (!layout)
    return layout.error();
  // An underscore counts as 0: crd2idx gives the offset at which a slice starts.
  return offsetOf(coordinate, shape, stride);
}

//   i = c_0 + s_0 * (c_1 + s_1 * (c_2 + ...))
Result<int64_t> crd2idx(const IntTuple &coordinate, const IntTuple &shape) {
  if (coordinate.isInt())
    return coordinate.value();
  if (const Result<bool> ok = checkShape(shape); !ok)
    return ok.error();
  const Result<IntTuple> sizes = productLike(shape, coordinate);
  if (!sizes)
    return mismatch(coordinate, shape);
  const std::vector<int64_t> c = coordinate.leaves(), s = sizes->leaves();
  int64_t index = 0;
  for (size_t i = c.size(); i-- > 0;)
    index = satAdd(c[i], satMul(s[i], index));
  if (absolute(index) > kMaxOffset)
    return makeError("an index beyond 2^60");
  return index;
}

static IntTuple coordinateOf(int64_t index, const IntTuple &shape) {
  if (!shape.isTuple())
    return IntTuple(index);
  std::vector<IntTuple> modes;
  for (int i = 0; i < shape.rank(); ++i) {
    const int64_t size = shape.mode(i).product();
    modes.push_back(coordinateOf(i + 1 == shape.rank() ? index : index % size, shape.mode(i)));
    index /= size;
  }
  return IntTuple(std::move(modes));
}

Result<IntTuple> idx2crd(const IntTuple &index, const IntTuple &shape) {
  if (const Result<bool> ok = checkShape(shape); !ok)
    return ok.error();
  if (index.isInt())
    return coordinateOf(index.value(), shape);
  if (!index.isTuple() || !shape.isTuple() || index.rank() != shape.rank())
    return mismatch(index, shape);
  std::vector<IntTuple> modes;
  for (int i = 0; i < shape.rank(); ++i) {
    const Result<IntTuple> mode = idx2crd(index.mode(i), shape.mode(i));
    if (!mode)
      return mode;
    modes.push_back(*mode);
  }
  return IntTuple(std::move(modes));
}

static Result<IntTuple> coordinateOf(const IntTuple &index, const IntTuple &shape,
                                     const IntTuple &stride) {
  if (shape.isTuple()) {
    if (index.isUnderscore() || (index.isTuple() && index.rank() != shape.rank()))
      return mismatch(index, shape);
    std::vector<IntTuple> modes;
    for (int i = 0; i < shape.rank(); ++i) {
      const Result<IntTuple> mode =
          coordinateOf(index.isTuple() ? index.mode(i) : index, shape.mode(i), stride.mode(i));
      if (!mode)
        return mode;
      modes.push_back(*mode);
    }
    return IntTuple(std::move(modes));
  }
  if (!index.isInt())
    return mismatch(index, shape);
  if (shape.value() == 1)
    return IntTuple(0);
  if (stride.value() == 0)
    return makeError("stride 0 has no inverse: mode %s:0", shape.toString().c_str());
  return IntTuple(index.value() / stride.value() % shape.value());
}

Result<IntTuple> idx2crd(const IntTuple &index, const IntTuple &shape, const IntTuple &stride) {
  const Result<Layout> layout = Layout::make(shape, stride);
  if (!layout)
    return layout.error();
  return coordinateOf(index, shape, stride);
}

// ---- Slicing -------------------------------------------------------------------

// Appends to `kept` what the coordinate marks with `_` (or, for dice, what it does
// not). Tuples dissolve: ((_,2),_) keeps two modes side by side.
static bool collect(const IntTuple &coordinate, const Layout &layout, bool keepUnderscore,
                    std::vector<Layout> &kept) {
  if (!coordinate.isTuple()) {
    if (coordinate.isUnderscore() == keepUnderscore)
      kept.push_back(layout);
    return true;
  }
  if (layout.isLeaf() || coordinate.rank() != layout.rank())
    return false;
  for (int i = 0; i < layout.rank(); ++i)
    if (!collect(coordinate.mode(i), layout.mode(i), keepUnderscore, kept))
      return false;
  return true;
}

static Result<Layout> select(const IntTuple &coordinate, const Layout &layout,
                             bool keepUnderscore) {
  std::vector<Layout> kept;
  if (!collect(coordinate, layout, keepUnderscore, kept))
    return mismatch(coordinate, layout.shape());
  if (kept.empty())
    return makeError("coordinate %s keeps no mode of %s", coordinate.toString().c_str(),
                     layout.toString().c_str());
  if (!coordinate.isTuple())
    return kept[0];
  return Layout::concat(kept);
}

Result<Layout> dice(const IntTuple &coordinate, const Layout &layout) {
  return select(coordinate, layout, false);
}

Result<Layout> sliceLayout(const IntTuple &coordinate, const Layout &layout) {
  return select(coordinate, layout, true);
}

// ---- Simplifying ---------------------------------------------------------------

Layout flatten(const Layout &layout) {
  return trustedLayout(flatTuple(layout.shape()), flatTuple(layout.stride()));
}

//   s0:d0, 1:d1      -> s0:d0
//   s0:d0, s1:s0*d0  -> s0*s1:d0
std::vector<Mode> coalesceModes(const std::vector<Mode> &modes) {
  std::vector<Mode> result;
  for (const Mode &m : modes) {
    if (m.shape == 1)
      continue;
    if (!result.empty() && satMul(result.back().shape, result.back().stride) == m.stride)
      result.back().shape *= m.shape;
    else
      result.push_back(m);
  }
  return result;
}

Layout coalesce(const Layout &layout) { return trustedFlat(coalesceModes(layout.leaves())); }

// Applies `simplify` to what lies at the leaves of `profile`.
template <typename F>
static Result<Layout> byProfile(const Layout &layout, const IntTuple &profile, const F &simplify) {
  if (!profile.isTuple())
    return simplify(layout);
  if (profile.rank() > layout.rank())
    return makeError("profile %s has more modes than %s", profile.toString().c_str(),
                     layout.toString().c_str());
  std::vector<Layout> modes;
  for (int i = 0; i < layout.rank(); ++i) {
    const Result<Layout> mode = i < profile.rank()
                                    ? byProfile(layout.mode(i), profile.mode(i), simplify)
                                    : Result<Layout>(layout.mode(i));
    if (!mode)
      return mode;
    modes.push_back(*mode);
  }
  return Layout::concat(modes);
}

Result<Layout> coalesce(const Layout &layout, const IntTuple &profile) {
  return byProfile(layout, profile, [](const Layout &l) { return coalesce(l); });
}

static IntTuple onesWhereZero(const IntTuple &shape, const IntTuple &stride) {
  if (!shape.isTuple())
    return stride.value() == 0 ? IntTuple(1) : shape;
  std::vector<IntTuple> modes;
  for (int i = 0; i < shape.rank(); ++i)
    modes.push_back(onesWhereZero(shape.mode(i), stride.mode(i)));
  return IntTuple(std::move(modes));
}

Layout filterZeros(const Layout &layout) {
  return trustedLayout(onesWhereZero(layout.shape(), layout.stride()), layout.stride());
}

Layout filter(const Layout &layout) { return coalesce(filterZeros(layout)); }

Result<Layout> filter(const Layout &layout, const IntTuple &profile) {
  return byProfile(layout, profile, [](const Layout &l) { return filter(l); });
}

} // namespace layout_port::cute
