// Integer tuples: the trees that shapes, strides and coordinates are made of.
// https://docs.nvidia.com/cutlass/media/docs/cpp/cute/01_layout.html
#include "cute/Detail.h"

#include <algorithm>

namespace layout_port::cute {

int64_t satMul(int64_t a, int64_t b) {
  if (a == 0 || b == 0)
    return 0;
  if (absolute(a) > kSaturated / absolute(b))
    return (a < 0) == (b < 0) ? kSaturated : -kSaturated;
  return a * b;
}

int64_t satAdd(int64_t a, int64_t b) {
  return std::clamp(std::clamp(a, -kSaturated / 2, kSaturated / 2) +
                        std::clamp(b, -kSaturated / 2, kSaturated / 2),
                    -kSaturated, kSaturated);
}

IntTuple IntTuple::underscore() {
  IntTuple result;
  result.kind_ = Kind::Underscore;
  return result;
}

bool IntTuple::hasUnderscore() const {
  return isUnderscore() ||
         std::any_of(modes_.begin(), modes_.end(), [](auto &m) { return m.hasUnderscore(); });
}

int IntTuple::depth() const {
  if (!isTuple())
    return 0;
  int deepest = 0;
  for (const IntTuple &m : modes_)
    deepest = std::max(deepest, m.depth());
  return 1 + deepest;
}

int IntTuple::leafCount() const {
  if (!isTuple())
    return 1;
  int count = 0;
  for (const IntTuple &m : modes_)
    count += m.leafCount();
  return count;
}

static void appendLeaves(const IntTuple &tuple, std::vector<int64_t> &leaves) {
  if (!tuple.isTuple())
    leaves.push_back(tuple.isInt() ? tuple.value() : 0);
  for (const IntTuple &m : tuple.modes())
    appendLeaves(m, leaves);
}

std::vector<int64_t> IntTuple::leaves() const {
  std::vector<int64_t> result;
  appendLeaves(*this, result);
  return result;
}

int64_t IntTuple::product() const {
  if (!isTuple())
    return value_;
  int64_t result = 1;
  for (const IntTuple &m : modes_)
    result = satMul(result, m.product());
  return result;
}

std::string IntTuple::toString() const {
  if (isUnderscore())
    return "_";
  if (isInt())
    return std::to_string(value_);
  std::string text = "(";
  for (const IntTuple &m : modes_)
    text += (&m == &modes_.front() ? "" : ",") + m.toString();
  return text + ")";
}

bool operator==(const IntTuple &a, const IntTuple &b) {
  return a.kind_ == b.kind_ && a.value_ == b.value_ && a.modes_ == b.modes_;
}

bool congruent(const IntTuple &a, const IntTuple &b) {
  if (!a.isTuple() || !b.isTuple())
    return !a.isTuple() && !b.isTuple();
  return a.rank() == b.rank() &&
         std::equal(a.modes().begin(), a.modes().end(), b.modes().begin(), congruent);
}

bool compatible(const IntTuple &a, const IntTuple &b) {
  if (!a.isTuple())
    return a.value() == b.product();
  return b.isTuple() && a.rank() == b.rank() &&
         std::equal(a.modes().begin(), a.modes().end(), b.modes().begin(), compatible);
}

Result<IntTuple> productLike(const IntTuple &tuple, const IntTuple &guide) {
  if (!guide.isTuple())
    return IntTuple(tuple.product());
  if (!tuple.isTuple() || tuple.rank() != guide.rank())
    return makeError("%s does not have the modes of %s", tuple.toString().c_str(),
                     guide.toString().c_str());
  std::vector<IntTuple> modes;
  for (int i = 0; i < guide.rank(); ++i) {
    const Result<IntTuple> mode = productLike(tuple.mode(i), guide.mode(i));
    if (!mode)
      return mode;
    modes.push_back(*mode);
  }
  return IntTuple(std::move(modes));
}

static Error differentForms(const IntTuple &a, const IntTuple &b) {
  return makeError("%s and %s do not have the same form", a.toString().c_str(),
                   b.toString().c_str());
}

Result<int64_t> innerProduct(const IntTuple &a, const IntTuple &b) {
  if (!congruent(a, b) || a.hasUnderscore() || b.hasUnderscore())
    return differentForms(a, b);
  const std::vector<int64_t> x = a.leaves(), y = b.leaves();
  int64_t sum = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    const int64_t term = satMul(x[i], y[i]);
    if (absolute(term) > kMaxOffset || absolute(sum + term) > kMaxOffset)
      return makeError("a sum beyond 2^60");
    sum += term;
  }
  return sum;
}

// Entry by entry where both are tuples.
template <typename F>
static Result<IntTuple> zipModes(const IntTuple &a, const IntTuple &b, const F &f) {
  if (a.rank() != b.rank())
    return differentForms(a, b);
  std::vector<IntTuple> modes;
  for (int i = 0; i < a.rank(); ++i) {
    const Result<IntTuple> mode = f(a.mode(i), b.mode(i));
    if (!mode)
      return mode;
    modes.push_back(*mode);
  }
  return IntTuple(std::move(modes));
}

static IntTuple prefixProducts(const IntTuple &shape, int64_t &start) {
  if (!shape.isTuple()) {
    const int64_t before = start;
    start = satMul(start, shape.value());
    return before;
  }
  std::vector<IntTuple> modes;
  for (const IntTuple &m : shape.modes())
    modes.push_back(prefixProducts(m, start));
  return modes;
}

Result<IntTuple> prefixProduct(const IntTuple &shape, const IntTuple &start) {
  if (shape.isTuple() && start.isTuple())
    return zipModes(shape, start, prefixProduct);
  if (start.isTuple() || start.isUnderscore() || shape.hasUnderscore())
    return differentForms(shape, start);
  int64_t next = start.value();
  IntTuple result = prefixProducts(shape, next);
  if (absolute(next) > kMaxOffset)
    return makeError("a product beyond 2^60");
  return result;
}

static Result<IntTuple> divide(int64_t a, int64_t b) {
  if (a < 1 || b < 1 || (a % b != 0 && b % a != 0))
    return makeError("%lld and %lld do not divide one another", static_cast<long long>(a),
                     static_cast<long long>(b));
  return IntTuple(ceilDiv(a, b));
}

Result<IntTuple> shapeDiv(const IntTuple &a, const IntTuple &b) {
  if (a.hasUnderscore() || b.hasUnderscore())
    return differentForms(a, b);
  if (!a.isTuple())
    return divide(a.value(), b.product());
  if (b.isTuple())
    return zipModes(a, b, shapeDiv);
  std::vector<IntTuple> modes;
  IntTuple rest = b;
  for (const IntTuple &m : a.modes()) {
    const Result<IntTuple> mode = shapeDiv(m, rest), left = shapeDiv(rest, m);
    if (!mode || !left)
      return mode ? left : mode;
    modes.push_back(*mode);
    rest = *left;
  }
  return IntTuple(std::move(modes));
}

IntTuple productEach(const IntTuple &shape) {
  std::vector<IntTuple> modes;
  for (int i = 0; i < shape.rank(); ++i)
    modes.push_back(IntTuple(shape.mode(i).product()));
  return IntTuple(std::move(modes));
}

IntTuple flatTuple(const IntTuple &tuple) {
  if (!tuple.isTuple())
    return tuple;
  const std::vector<int64_t> leaves = tuple.leaves();
  return IntTuple(std::vector<IntTuple>(leaves.begin(), leaves.end()));
}

} // namespace layout_port::cute
