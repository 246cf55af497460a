// Carry analysis; the argument is at the head of Strided.h.
#include "layout_port/layouts/Strided.h"

#include "algebra/Dims.h"

namespace layout_port {

StridedField StridedField::ofStride(const std::string &name, int bits, int64_t stride) {
  StridedField field{name, {}};
  for (int i = 0; i < bits; ++i)
    field.weights.push_back(f2::shiftLeft(static_cast<uint64_t>(stride), i));
  return field;
}

StridedField StridedField::padded(const std::string &name, int bits, int64_t stride,
                                  uint64_t interval, int64_t padding) {
  StridedField field = ofStride(name, bits, stride);
  const int first = interval ? f2::highestBit(interval) : bits;
  for (int i = first; i < bits; ++i)
    field.weights[i] += f2::shiftLeft(static_cast<uint64_t>(padding), i - first);
  return field;
}

// The weights of all fields, first field lowest.
static std::vector<uint64_t> flattenedWeights(const StridedMap &map) {
  std::vector<uint64_t> weights;
  for (const StridedField &field : map.fields)
    weights.insert(weights.end(), field.weights.begin(), field.weights.end());
  return weights;
}

uint64_t StridedMap::apply(uint64_t flatIn) const {
  const std::vector<uint64_t> weights = flattenedWeights(*this);
  uint64_t sum = base;
  for (size_t i = 0; i < weights.size(); ++i)
    if (f2::shiftRight(flatIn, static_cast<int>(i)) & 1)
      sum += weights[i];
  return sum & f2::lowMask(width);
}

std::vector<LayoutDim> StridedMap::dims() const {
  std::vector<LayoutDim> dims;
  for (const StridedField &field : fields)
    dims.push_back({field.name, static_cast<int>(field.weights.size())});
  return dims;
}

namespace {

// Goes up the bits of the sum; after step k, base and weights are what is left of them
// above bit k, with the carries added in.
class CarryAnalysis {
public:
  CarryAnalysis(uint64_t base, std::vector<uint64_t> weights, int width)
      : base_(base), weights_(std::move(weights)), width_(width) {}

  // The two lowest input bits whose product appears in a bit of the sum.
  std::optional<AffineCounterexample> run() {
    for (int bit = 0; bit + 1 < width_; ++bit) {
      const std::vector<size_t> odd = oddWeights();
      if (odd.size() >= 2)
        return AffineCounterexample{uint64_t(1) << odd[0], uint64_t(1) << odd[1]};
      halve(odd);
    }
    return std::nullopt;
  }

private:
  std::vector<size_t> oddWeights() const {
    std::vector<size_t> odd;
    for (size_t i = 0; i < weights_.size(); ++i)
      if (weights_[i] & 1)
        odd.push_back(i);
    return odd;
  }

  // (w + 1) / 2 = w / 2 + 1 for an odd w whose bit meets an odd base.
  void halve(const std::vector<size_t> &odd) {
    for (uint64_t &weight : weights_)
      weight >>= 1;
    if (base_ & 1)
      for (const size_t i : odd)
        ++weights_[i];
    base_ >>= 1;
  }

  uint64_t base_;
  std::vector<uint64_t> weights_;
  int width_;
};

} // namespace

// The bits that occur in a value of the map: every bit of the constant or of a column does,
// in f(0) or in f of that column's input.
static int neededBits(uint64_t constant, const f2::Columns &columns) {
  for (const uint64_t column : columns)
    constant |= column;
  return constant ? f2::highestBit(constant) + 1 : 0;
}

Result<AffineFit> stridedToAffine(const StridedMap &map, const std::string &out) {
  if (map.width < 1 || map.width > 64)
    return makeError("the width of a sum is 1 to 64 bits, not %d", map.width);
  const std::vector<LayoutDim> dims = map.dims();
  const Result<int> inBits = dims::checkDims(dims, "field");
  if (!inBits)
    return inBits.error();
  if (const auto counterexample = CarryAnalysis(map.base, flattenedWeights(map), map.width).run())
    return AffineFit{std::nullopt, counterexample};
  const uint64_t constant = map.apply(0);
  f2::Columns columns;
  for (int i = 0; i < *inBits; ++i)
    columns.push_back(map.apply(uint64_t(1) << i) ^ constant);
  const int outBits = neededBits(constant, columns);
  Result<LinearLayout> linear =
      LinearLayout::fromColumns(dims, {{out, outBits}}, std::move(columns));
  if (!linear)
    return linear.error();
  return AffineFit{AffineLayout{std::move(*linear), constant}, std::nullopt};
}

} // namespace layout_port
