// The arm of a bridged mma that uses no MFMA: each lane multiplies rows of A and
// columns of B that lanes of its own warp hold.
//
//   for element r of D at (m, n) and each register of k:
//       r += register of A that holds (m, k)  .  register of B that holds (k, n)
//
// k bits that only change the lane are a loop, the others are unrolled. Where which
// register it is depends on the receiving lane, all candidates are read.
#include "tensor/layout/Lanes.h"
#include "tensor/mma/Bridge.h"

#include <map>

namespace layout_port {

namespace {

constexpr int sourceLaneBits = 5;

class Writer {
public:
  Writer(const ptx::Mma &mma, Holder a, Holder b, LinearLayout d)
      : mma_(mma), a_(std::move(a)), b_(std::move(b)), d_(std::move(d)) {}

  std::string write(std::vector<std::string> &chunks) {
    const int kBits = f2::lowestBit(mma_.k);
    // Whether a register holds neighbours along k, so that whole registers multiply.
    packed_ = packedBits(mma_.typeA);
    for (int i = 0; i < packed_; ++i)
      inWords_ &= a_.at(0, uint64_t(1) << i) == uint64_t(1) << i &&
                  b_.at(uint64_t(1) << i, 0) == uint64_t(1) << i;
    const int inside = inWords_ ? packed_ : 0;
    for (int i = inside; i < kBits; ++i)
      (inRegister(i) ? unrolled_ : looped_).push_back(i);
    const DotFunction dot = inWords_ ? dotOf(mma_.typeA, mma_.typeB)
                                     : DotFunction{"mul_add_f16_halves", "mul_add_f16_halves"};
    chunks.push_back(dot.chunk);
    const int results = 1 << d_.inBits("register");
    std::string sums;
    for (uint64_t u = 0; u < uint64_t(1) << unrolled_.size(); ++u)
      for (int r = 0; r < results; ++r) {
        const std::string name = "r" + std::to_string(r);
        sums += "      " + name + " = " + dot.call + "(" + operand(a_, "a", r, u, false) + ", " +
                operand(b_, "b", r, u, true) + ", " + name + ");\n";
      }
    std::string out = "    ";
    for (int r = 0; r < results; ++r)
      out += "r" + std::to_string(r) + " = ";
    return out + "0;\n#pragma unroll 1\n    for (unsigned q = 0; q < " +
           std::to_string(1 << looped_.size()) + "; ++q) {\n" + reads_ + sums + "    }\n";
  }

private:
  // Does bit i of k select a register (rather than a lane) of A or B?
  bool inRegister(int i) const {
    const uint64_t k = uint64_t(1) << i;
    return (a_.at(0, k) & f2::lowMask(a_.elementBits)) != 0 ||
           (b_.at(k, 0) & f2::lowMask(b_.elementBits)) != 0;
  }

  uint64_t held(const Holder &holder, bool isB, uint64_t flatD, uint64_t k) const {
    const LinearLayout::Basis at = d_.splitOut(d_.apply(flatD));
    const uint64_t block = at.size() > 2 ? at[2] : 0;
    return isB ? holder.at(k, at[1], block) : holder.at(at[0], k, block);
  }

  // The variable with the register for element r of D and this part of k; for
  // registers that hold other neighbours, the element's half is chosen too.
  std::string operand(const Holder &holder, const std::string &name, int r, uint64_t u, bool isB) {
    uint64_t fixedK = 0;
    for (size_t i = 0; i < unrolled_.size(); ++i)
      if (u >> i & 1)
        fixedK |= uint64_t(1) << unrolled_[i];
    const int bits = holder.elementBits;
    const uint64_t fixed = held(holder, isB, static_cast<uint64_t>(r), fixedK);
    f2::Columns laneByLane, laneByLoop, wordByLane, halfByLane;
    for (int i = 0; i < sourceLaneBits; ++i) {
      const uint64_t at = held(holder, isB, uint64_t(1) << (d_.inBits("register") + i), 0);
      laneByLane.push_back(at >> bits);
      wordByLane.push_back((at & f2::lowMask(bits)) >> packed_);
      halfByLane.push_back(at & f2::lowMask(packed_));
    }
    laneByLane.push_back(uint64_t(1) << sourceLaneBits); // the own half
    wordByLane.push_back(0);
    halfByLane.push_back(0);
    for (const int i : looped_)
      laneByLoop.push_back(held(holder, isB, 0, uint64_t(1) << i) >> bits);
    const std::string lane = f2Expression({{"lane", laneByLane}, {"q", laneByLoop}}, fixed >> bits);
    const int registers = 1 << (bits - packed_);
    std::vector<std::string> read;
    for (int w = 0; w < registers; ++w)
      read.push_back("from_lane(" + lane + ", " + name + std::to_string(w) + ")");
    const uint64_t word = (fixed & f2::lowMask(bits)) >> packed_;
    std::string text = f2Select(choices(read, wordByLane, word, name), {"lane", wordByLane}, word);
    if (!inWords_) {
      const uint64_t half = fixed & f2::lowMask(packed_);
      const bool byLane = f2Expression({{"lane", halfByLane}}, 0) != "0";
      text = byLane ? variable(text, name) + " >> (" + f2Expression({{"lane", halfByLane}}, half) +
                          ") * 16"
             : half ? variable(text, name) + " >> 16"
                    : text;
    }
    return variable(text, name);
  }

  // Reads that a select chooses from are named, so that each is made by every lane.
  std::vector<std::string> choices(const std::vector<std::string> &read,
                                   const f2::Columns &wordByLane, uint64_t word,
                                   const std::string &name) {
    uint64_t reached = 0;
    for (const uint64_t column : wordByLane)
      reached |= column;
    std::vector<std::string> names = read;
    for (uint64_t w = 0; reached && w < read.size(); ++w)
      if (((w ^ word) & ~reached) == 0)
        names[w] = variable(read[w], name);
    return names;
  }

  // Each expression is computed once.
  std::string variable(const std::string &text, const std::string &operand) {
    std::string &name = names_[text];
    if (name.empty()) {
      name = (operand == "a" ? "x" : "y") + std::to_string(names_.size() - 1);
      reads_ += "      const " + std::string(sumType(mma_.typeD).word) + " " + name + " = " + text +
                ";\n";
    }
    return name;
  }

  const ptx::Mma &mma_;
  Holder a_, b_;
  LinearLayout d_;
  int packed_ = 0;
  bool inWords_ = true;
  std::vector<int> looped_, unrolled_; // bits of k
  std::map<std::string, std::string> names_;
  std::string reads_;
};

} // namespace

Result<std::string> halfWaveArm(const ptx::Mma &mma, const isa::MatrixInstruction &source,
                                std::vector<std::string> &chunks) {
  const auto d = isa::operandLayout(source, 'D');
  const auto a = holderOf(source, 'A'), b = holderOf(source, 'B');
  if (!d || !a || !b)
    return makeError("a fragment of %s is not one-to-one", mma.name.c_str());
  return Writer(mma, *a, *b, *d).write(chunks);
}

} // namespace layout_port
