// The checker of retilings: multiplies matrices of labels. Every product that the MFMAs
// make must be one of the source's, all of them must be made, each once, and every
// operand must be where its virtual lane says.
#include "layout_port/layouts/Retile.h"

#include <algorithm>
#include <map>

namespace layout_port {

namespace {

// (free index, k or second free index) of the MFMA -> flattened (element, lane).
using Places = std::map<std::pair<uint64_t, uint64_t>, uint64_t>;

Result<Places> placesOf(const isa::MatrixInstruction &instruction, char operand) {
  const Result<LinearLayout> layout = isa::operandLayout(instruction, operand);
  if (!layout)
    return layout.error();
  Places places;
  for (uint64_t in = 0; in < uint64_t(1) << layout->totalInBits(); ++in) {
    const LinearLayout::Basis index = layout->splitOut(layout->apply(in));
    places[{index[0], index[1]}] = in;
  }
  return places;
}

// The logical coordinates of one operand.
class Coordinates {
public:
  Coordinates(const RetileOperand &operand, const std::vector<std::string> &loops)
      : target_(operand.target) {
    for (const std::string &loop : loops)
      loopColumns_.push_back(target_.hasIn(loop) ? target_.column(target_.inOffset(loop)) : 0);
  }

  uint64_t at(uint64_t place, uint64_t loopValues) const {
    return target_.apply(place) ^ f2::apply(loopColumns_, loopValues);
  }
  // The coordinate in a dim, 0 where the operand lacks it.
  struct Field {
    int offset, bits;
    uint64_t of(uint64_t flat) const { return flat >> offset & f2::lowMask(bits); }
  };
  Field field(const char *dim) const {
    return {std::max(0, target_.outOffset(dim)), target_.outBits(dim)};
  }

private:
  const LinearLayout &target_;
  f2::Columns loopColumns_;
};

Result<bool> checkVirtualLanes(const RetileOperand &operand, char name) {
  const Result<LinearLayout> owned = operand.virtualLane.compose(operand.source);
  if (!owned)
    return owned.error();
  if (*owned != operand.target)
    return makeError("%c: a virtual lane does not own what the MFMA wants", name);
  return true;
}

// Index bits of the MFMA that hold nothing of their own.
uint64_t padMask(const std::vector<std::string> &bits) {
  uint64_t mask = 0;
  for (size_t i = 0; i < bits.size(); ++i)
    if (bits[i] == "pad")
      mask |= uint64_t(1) << i;
  return mask;
}

class ProductCheck {
public:
  ProductCheck(const RetileSolution &solution, Places first, Places second, Places result)
      : s_(solution), first_(std::move(first)), second_(std::move(second)),
        result_(std::move(result)), a_(solution.a, solution.loops), b_(solution.b, solution.loops),
        c_(solution.c, solution.loops) {}

  Result<bool> run() {
    const isa::MatrixInstruction &mfma = *s_.instruction;
    for (uint64_t row = 0; row < uint64_t(mfma.m); ++row)
      for (uint64_t col = 0; col < uint64_t(mfma.n); ++col)
        for (uint64_t k = 0; k < uint64_t(mfma.k); ++k)
          for (uint64_t loops = 0; loops < uint64_t(1) << s_.loops.size(); ++loops)
            if (const Result<bool> right = product(loops, row, col, k); !right)
              return right.error();
    const auto missing = std::count(made_.begin(), made_.end(), false);
    if (missing)
      return makeError("%d of %d products are not made", static_cast<int>(missing),
                       static_cast<int>(made_.size()));
    return true;
  }

private:
  Result<bool> product(uint64_t loops, uint64_t row, uint64_t col, uint64_t k) {
    const uint64_t first = first_.at({row, k}), second = second_.at({k, col});
    const uint64_t a = a_.at(s_.swap ? second : first, loops);
    const uint64_t b = b_.at(s_.swap ? first : second, loops);
    const uint64_t c = c_.at(result_.at({row, col}), loops);
    if (kOfA_.of(a) != kOfB_.of(b) || mOfA_.of(a) != mOfC_.of(c) || nOfB_.of(b) != nOfC_.of(c))
      return makeError("row %d, column %d, k %d multiplies elements that do not belong together",
                       static_cast<int>(row), static_cast<int>(col), static_cast<int>(k));
    if (hOfA_.of(a) != hOfC_.of(c) || hOfB_.of(b) != hOfC_.of(c))
      return makeError("operands of different warps meet");
    const uint64_t m = s_.swap ? col : row, n = s_.swap ? row : col;
    if ((m & padMask(s_.m)) || (n & padMask(s_.n)))
      return true;
    const uint64_t triple = c | kOfA_.of(a) << s_.c.target.totalOutBits();
    if (made_[triple])
      return makeError("a product is made twice");
    made_[triple] = true;
    return true;
  }

  const RetileSolution &s_;
  Places first_, second_, result_;
  Coordinates a_, b_, c_;
  Coordinates::Field mOfA_ = a_.field("m"), kOfA_ = a_.field("k"), hOfA_ = a_.field("h"),
                     nOfB_ = b_.field("n"), kOfB_ = b_.field("k"), hOfB_ = b_.field("h"),
                     mOfC_ = c_.field("m"), nOfC_ = c_.field("n"), hOfC_ = c_.field("h");
  std::vector<bool> made_ = std::vector<bool>(
      uint64_t(1) << (s_.c.target.totalOutBits() + s_.a.target.outBits("k")), false);
};

} // namespace

Result<bool> checkRetile(const RetileSolution &solution) {
  const std::pair<const RetileOperand *, char> operands[] = {
      {&solution.a, 'A'}, {&solution.b, 'B'}, {&solution.c, 'C'}};
  for (const auto &[operand, name] : operands)
    if (const Result<bool> right = checkVirtualLanes(*operand, name); !right)
      return right.error();
  const Result<Places> first = placesOf(*solution.instruction, 'A');
  const Result<Places> second = placesOf(*solution.instruction, 'B');
  const Result<Places> result = placesOf(*solution.instruction, 'C');
  for (const auto *places : {&first, &second, &result})
    if (!*places)
      return places->error();
  return ProductCheck(solution, *first, *second, *result).run();
}

} // namespace layout_port
