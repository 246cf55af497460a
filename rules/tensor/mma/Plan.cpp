#include "tensor/mma/Plan.h"

#include <algorithm>
#include <numeric>
#include <optional>

namespace layout_port {

using isa::Arch;
using isa::MatrixInstruction;

uint64_t Holder::at(uint64_t row, uint64_t col, uint64_t block) const {
  LinearLayout::Basis in(inverse.ins().size(), 0);
  in[0] = row;
  in[1] = col;
  if (in.size() > 2)
    in[2] = block;
  return inverse.apply(inverse.joinIn(in));
}

Result<Holder> holderOf(const MatrixInstruction &instruction, char operand) {
  const Result<LinearLayout> layout = isa::operandLayout(instruction, operand);
  if (!layout)
    return layout.error();
  Result<LinearLayout> inverse = layout->invert();
  if (!inverse)
    return inverse.error();
  return Holder{layout->inBits("register"), *inverse};
}

namespace {

constexpr Arch chips[] = {Arch::Gfx950, Arch::Gfx942, Arch::Gfx90a};
constexpr int sourceLaneBits = 5; // of a warp; bit 5 of a wave's lane is h
constexpr int waveLaneBits = 6;

int log2Of(int x) { return f2::lowestBit(static_cast<uint64_t>(x)); }

// A coordinate with the bit at `position` taken out, and with h put in there.
uint64_t without(uint64_t x, int position) {
  return (x & f2::lowMask(position)) | x >> (position + 1) << position;
}
uint64_t insert(uint64_t rest, uint64_t h, int position) {
  const uint64_t low = rest & f2::lowMask(position);
  return low | h << position | rest >> position << (position + 1);
}

// One way to compute the product, before its conversions are planned.
struct Choice {
  const MatrixInstruction *mfma;
  const OperandNumbers *a, *b;
  int cycles; // of the wave's MFMAs, and about those of converting a register of each operand
  friend bool operator==(const Choice &x, const Choice &y) {
    return x.mfma == y.mfma && x.a == y.a && x.b == y.b;
  }
};

// Plans the conversions of one choice for every gauge and keeps the cheapest.
class Planner {
public:
  Planner(const ptx::Mma &mma, const MatrixInstruction &source, const Choice &choice)
      : mma_(mma), source_(source), choice_(choice), mfma_(*choice.mfma) {}

  bool fits() { return !prepare(); }

  Result<Bridge> plan() {
    if (const std::optional<Error> error = prepare())
      return *error;
    std::optional<Bridge> best;
    int bestCost = 0;
    gauge_.resize(kBits_);
    std::iota(gauge_.begin(), gauge_.end(), 0);
    do
      for (rowPosition_ = 0; rowPosition_ < 4; ++rowPosition_) {
        const std::optional<Bridge> bridge = attempt();
        if (bridge && (!best || cost(*bridge) < bestCost)) {
          best = bridge;
          bestCost = cost(*bridge);
        }
      }
    while (std::next_permutation(gauge_.begin() + packed_, gauge_.end()));
    if (!best)
      return makeError("no assignment of k makes %s an MFMA", mma_.name.c_str());
    return *best;
  }

  // How the two warps are kept apart, and by how much the k's differ.
  static Bridge shape(const ptx::Mma &mma, const MatrixInstruction &mfma) {
    Bridge bridge;
    bridge.mfma = &mfma;
    bridge.spareBits = std::max(0, log2Of(mfma.k) - log2Of(int(mma.k)));
    bridge.stepBits = std::max(0, log2Of(int(mma.k)) - log2Of(mfma.k));
    bridge.sharing = mma.m == 8             ? Sharing::Columns
                     : bridge.spareBits > 0 ? Sharing::Depth
                                            : Sharing::Merge;
    return bridge;
  }

private:
  std::optional<Error> prepare() {
    const auto a = holderOf(source_, 'A'), b = holderOf(source_, 'B'), d = holderOf(mfma_, 'D');
    const auto sourceD = isa::operandLayout(source_, 'D');
    const auto first = isa::operandLayout(mfma_, 'A'), second = isa::operandLayout(mfma_, 'B');
    if (!a || !b || !d || !sourceD || !first || !second)
      return makeError("a fragment of %s is not one-to-one", mma_.name.c_str());
    sourceA_ = *a;
    sourceB_ = *b;
    mfmaD_ = *d;
    sourceD_ = *sourceD;
    first_ = *first;
    second_ = *second;
    packed_ = packedBits(mma_.typeA);
    kBits_ = log2Of(int(mma_.k));
    shape_ = shape(mma_, mfma_);
    const int elementBits = first_.inBits("register");
    used_ = elementBits - shape_.spareBits;
    if (used_ < 0 || used_ + shape_.stepBits < packed_)
      return makeError("%s has no room for %s", mfma_.name, mma_.name.c_str());
    // The k bits that the spare element bits stand for are no k of the source.
    for (int i = 0; i < elementBits; ++i)
      (i < used_ ? elementK_ : spareK_) |= first_.splitOut(first_.apply(uint64_t(1) << i))[1];
    return std::nullopt;
  }

  // The source's k at the MFMA's k and step: k bits of its elements first, then of
  // the step, then of its lanes, so that what may share a register stands first.
  uint64_t sourceK(uint64_t k, uint64_t step) const {
    uint64_t out = 0;
    int dense = 0;
    const auto take = [&](uint64_t bits, uint64_t from) {
      for (; bits; bits &= bits - 1)
        out ^= (from >> f2::lowestBit(bits) & 1) << gauge_[dense++];
    };
    take(elementK_, k);
    take(f2::lowMask(shape_.stepBits), step);
    take(f2::lowMask(log2Of(mfma_.k)) & ~elementK_ & ~spareK_, k);
    return out;
  }

  // Where the source holds what input element, step and lane of the MFMA want, as
  // (word, lane of the wave). `h` counts only where it is no row of the operand.
  uint64_t wanted(bool isB, uint64_t element, uint64_t step, uint64_t lane, uint64_t h) const {
    const LinearLayout &mfma = isB ? first_ : second_;
    const int elementBits = mfma.inBits("register");
    const LinearLayout::Basis at = mfma.splitOut(mfma.apply(element | lane << elementBits));
    uint64_t row = isB ? at[0] : at[1];
    const uint64_t k = sourceK(isB ? at[1] : at[0], step);
    if (hIsRow(isB)) {
      h = row >> rowPosition_ & 1;
      row = without(row, rowPosition_);
    }
    const Holder &source = isB ? sourceB_ : sourceA_;
    const uint64_t held = isB ? source.at(k, row) : source.at(row, k);
    const uint64_t word = (held & f2::lowMask(source.elementBits)) >> packed_;
    return word | (held >> source.elementBits | h << sourceLaneBits)
                      << (source.elementBits - packed_);
  }
  bool hIsRow(bool isB) const { return isB || shape_.sharing == Sharing::Columns; }

  // Element bits, then step bits: what the elements of a source word must be the
  // lowest of, in their order.
  Result<BridgeMove> planInput(bool isB) const {
    const Holder &source = isB ? sourceB_ : sourceA_;
    const LinearLayout &mfma = isB ? first_ : second_;
    const auto bit = [&](int i) {
      return i < used_ ? wanted(isB, uint64_t(1) << i, 0, 0, 0)
                       : wanted(isB, 0, uint64_t(1) << (i - used_), 0, 0);
    };
    for (int i = 0; i < packed_; ++i)
      if (!staysInWord(isB, mfma, i))
        return makeError("the elements of a register would part");
    f2::Columns columns;
    for (int i = packed_; i < used_ + shape_.stepBits; ++i)
      columns.push_back(bit(i));
    if (!hIsRow(isB))
      columns.push_back(wanted(isB, 0, 0, 0, 1));
    const int wordBits = static_cast<int>(columns.size());
    for (int i = 0; i < waveLaneBits; ++i)
      columns.push_back(wanted(isB, 0, 0, uint64_t(1) << i, 0));
    return planBridgeMove(columns, wordBits, source.elementBits - packed_, waveLaneBits);
  }

  bool staysInWord(bool isB, const LinearLayout &mfma, int i) const {
    const uint64_t step = i < used_ ? 0 : uint64_t(1) << (i - used_);
    const LinearLayout::Basis at =
        mfma.splitOut(i < used_ ? mfma.apply(uint64_t(1) << i) : uint64_t(0));
    const uint64_t k = sourceK(isB ? at[1] : at[0], step);
    return (isB ? sourceB_.at(k, 0) : sourceA_.at(0, k)) == uint64_t(1) << i;
  }

  // For the source's D (register, lane, h), where the MFMA's result holds it.
  Result<BridgeMove> planResult() const {
    f2::Columns columns;
    const auto place = [&](uint64_t flat, uint64_t h) {
      const LinearLayout::Basis at = sourceD_.splitOut(sourceD_.apply(flat));
      const uint64_t row = insert(at[1], h, rowPosition_);
      const uint64_t column =
          shape_.sharing == Sharing::Columns ? insert(at[0], h, rowPosition_) : at[0];
      return mfmaD_.at(row, column);
    };
    const int registers = sourceD_.inBits("register");
    for (int i = 0; i < registers + sourceLaneBits; ++i)
      columns.push_back(place(uint64_t(1) << i, 0));
    columns.push_back(place(0, 1));
    return planBridgeMove(columns, registers, mfmaD_.elementBits, waveLaneBits);
  }

  std::optional<Bridge> attempt() const {
    Bridge bridge = shape_;
    bridge.a = choice_.a;
    bridge.b = choice_.b;
    const auto d = planResult();
    if (!d)
      return std::nullopt;
    const auto a = planInput(false), b = planInput(true);
    if (!a || !b)
      return std::nullopt;
    bridge.moveA = *a;
    bridge.moveB = *b;
    bridge.moveD = *d;
    const uint64_t h = mfmaD_.at(uint64_t(1) << rowPosition_, 0);
    const Result<LinearLayout> rows = first_.invert();
    if (!rows || f2::popcount(h) != 1)
      return std::nullopt;
    const int bit = f2::lowestBit(h);
    bridge.resultInElement = bit < mfmaD_.elementBits;
    bridge.resultBit = bridge.resultInElement ? bit : bit - mfmaD_.elementBits;
    const uint64_t input = rows->apply(uint64_t(1) << rowPosition_);
    if (f2::popcount(input) != 1 || f2::lowestBit(input) < first_.inBits("register"))
      return std::nullopt;
    bridge.inputLaneBit = f2::lowestBit(input) - first_.inBits("register");
    return bridge;
  }

  // A cross-lane read counts two selects.
  static int cost(const Bridge &bridge) {
    const auto of = [](const BridgeMove &move) {
      return (1 << move.wordBits) * (2 + move.selects());
    };
    const bool choosesLanes = bridge.sharing == Sharing::Merge && !bridge.resultInElement;
    return of(bridge.moveA) + of(bridge.moveB) + of(bridge.moveD) + (choosesLanes ? 4 : 0);
  }

  const ptx::Mma &mma_;
  const MatrixInstruction &source_;
  Choice choice_;
  const MatrixInstruction &mfma_;
  Holder sourceA_, sourceB_, mfmaD_;
  LinearLayout sourceD_, first_, second_;
  Bridge shape_;
  int packed_ = 0, kBits_ = 0, used_ = 0;
  uint64_t elementK_ = 0, spareK_ = 0; // k bits of the MFMA that are elements of a lane
  std::vector<int> gauge_;             // source k bit at each dense k bit of the MFMA and its steps
  int rowPosition_ = 0;                // of h among the MFMA's rows (and columns)
};

// Every MFMA of 16 x 16 that takes these operands on this chip.
std::vector<Choice> choicesOn(Arch arch, const ptx::Mma &mma, const MatrixInstruction &source) {
  std::vector<Choice> choices;
  for (const MatrixInstruction &row : isa::matrixInstructions()) {
    if (row.family != isa::MatrixFamily::Mfma || row.m != 16 || row.n != 16 || row.blocks != 1 ||
        !row.availableOn(arch))
      continue;
    for (const OperandNumbers *a : numbersOf(mma.typeA, arch))
      for (const OperandNumbers *b : numbersOf(mma.typeB, arch))
        if (row.a == b->mfma && row.b == a->mfma) {
          constexpr int cyclesOfOne = 4; // vector instruction of a wave
          const Choice choice{&row, a, b,
                              row.cycles(arch) * Planner::shape(mma, row).mfmas() +
                                  cyclesOfOne * (a->operations + b->operations)};
          if (Planner(mma, source, choice).fits())
            choices.push_back(choice);
        }
  }
  return choices;
}

} // namespace

Result<std::vector<Bridge>> planBridges(const ptx::Mma &mma, const MatrixInstruction &source) {
  struct Chip {
    Arch arch;
    std::vector<Choice> good; // at most twice as slow as the fastest
  };
  std::vector<Chip> left;
  for (const Arch arch : chips) {
    Chip chip{arch, choicesOn(arch, mma, source)};
    if (chip.good.empty())
      return makeError("no MFMA of %s takes %s", isa::archName(arch), mma.name.c_str());
    const int fastest =
        std::min_element(chip.good.begin(), chip.good.end(), [](const Choice &x, const Choice &y) {
          return x.cycles < y.cycles;
        })->cycles;
    chip.good.erase(std::remove_if(chip.good.begin(), chip.good.end(),
                                   [&](const Choice &c) { return c.cycles > 2 * fastest; }),
                    chip.good.end());
    left.push_back(chip);
  }
  // What serves the oldest chip left and most others comes last; newer chips first.
  std::vector<Bridge> bridges;
  while (!left.empty()) {
    const auto serves = [&](const Choice &choice) {
      return std::count_if(left.begin(), left.end(), [&](const Chip &chip) {
        return std::find(chip.good.begin(), chip.good.end(), choice) != chip.good.end();
      });
    };
    Choice best = left.back().good.front();
    for (const Choice &choice : left.back().good)
      if (serves(choice) > serves(best) ||
          (serves(choice) == serves(best) && choice.cycles < best.cycles))
        best = choice;
    Result<Bridge> bridge = Planner(mma, source, best).plan();
    if (!bridge)
      return bridge.error();
    for (auto chip = left.begin(); chip != left.end();) {
      const bool served = std::find(chip->good.begin(), chip->good.end(), best) != chip->good.end();
      if (served)
        bridge->archs.push_back(chip->arch);
      chip = served ? left.erase(chip) : chip + 1;
    }
    bridges.insert(bridges.begin(), *bridge);
  }
  return bridges;
}

} // namespace layout_port
