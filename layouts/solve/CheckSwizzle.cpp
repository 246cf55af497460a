// The checker of memory layouts: no ranks, only addresses. Every instruction of every
// wave is enumerated lane by lane and given to the bank counter.
#include "layout_port/layouts/Banks.h"
#include "layout_port/layouts/Swizzle.h"

#include <algorithm>
#include <map>
#include <set>

namespace layout_port {

namespace {

class SideCheck {
public:
  SideCheck(const LinearLayout &layout, const std::vector<uint64_t> &offsetOf, int elementBits,
            isa::LdsInstruction row)
      : layout_(layout), offsetOf_(offsetOf), elementBits_(elementBits), row_(std::move(row)),
        vector_(row_.bytes * 8 / elementBits) {}

  Result<bool> run(const SwizzleAccess &claimed) const {
    const uint64_t groups = layout_.inSize("warp") * layout_.inSize("block");
    for (uint64_t group = 0; group < groups; ++group) {
      std::set<uint64_t> seen; // vectors of lane 0: offsets are linear, one decides all
      for (uint64_t reg = 0; reg < layout_.inSize("register"); ++reg) {
        if (!seen.insert(offset(reg, 0, group) / vector_).second)
          continue;
        const LaneAddresses addresses = addressesOf(reg, group);
        const BankReport report = countBankConflicts(row_, addresses);
        if (report.passes != claimed.passes)
          return makeError("%s of register %d takes %d passes, claimed %d", row_.name,
                           static_cast<int>(reg), report.passes, claimed.passes);
        if (boundOf(addresses) != claimed.lowerBound)
          return makeError("%s: no layout does it in less than %d passes, claimed %d", row_.name,
                           boundOf(addresses), claimed.lowerBound);
      }
    }
    return checkVectors(claimed);
  }

private:
  static uint64_t at(int firstBit, uint64_t value) {
    return firstBit < 0 ? 0 : f2::shiftLeft(value, firstBit);
  }

  uint64_t offset(uint64_t reg, uint64_t lane, uint64_t group) const {
    const uint64_t warp = group & f2::lowMask(warpBits_), block = group >> warpBits_;
    const uint64_t in = at(register_, reg) | at(lane_, lane) | at(warp_, warp) | at(block_, block);
    return offsetOf_[layout_.apply(in)];
  }

  // The aligned vector that holds this register, for each lane.
  LaneAddresses addressesOf(uint64_t reg, uint64_t group) const {
    LaneAddresses addresses;
    for (uint64_t lane = 0; lane < layout_.inSize("lane"); ++lane)
      addresses.push_back(offset(reg, lane, group) / vector_ * vector_ * elementBits_ / 8);
    return addresses;
  }

  // Different words that each phase wants, over its banks.
  int boundOf(const LaneAddresses &addresses) const {
    int bound = 0;
    for (const std::vector<int> &phase : row_.phases()) {
      std::set<uint64_t> vectors;
      for (const int lane : phase)
        if (lane < static_cast<int>(addresses.size()))
          vectors.insert(*addresses[lane]);
      const int bits = static_cast<int>(vectors.size()) * row_.bytes * 8;
      if (bits)
        bound += std::max(1, bits / (32 * row_.banks));
    }
    return bound;
  }

  // Each lane's registers are whole vectors, and as many as claimed.
  Result<bool> checkVectors(const SwizzleAccess &claimed) const {
    for (uint64_t lane = 0; lane < layout_.inSize("lane"); ++lane) {
      std::map<uint64_t, std::set<uint64_t>> vectors;
      for (uint64_t reg = 0; reg < layout_.inSize("register"); ++reg) {
        const uint64_t at = offset(reg, lane, 0);
        vectors[at / vector_].insert(at);
      }
      for (const auto &[at, elements] : vectors)
        if (static_cast<int>(elements.size()) != vector_)
          return makeError("lane %d holds %d of the %d elements of a vector",
                           static_cast<int>(lane), static_cast<int>(elements.size()), vector_);
      if (static_cast<int>(vectors.size()) != claimed.instructions)
        return makeError("lane %d needs %d instructions, claimed %d", static_cast<int>(lane),
                         static_cast<int>(vectors.size()), claimed.instructions);
    }
    return true;
  }

  const LinearLayout &layout_;
  const std::vector<uint64_t> &offsetOf_;
  int elementBits_;
  isa::LdsInstruction row_;
  int vector_;
  int register_ = layout_.inOffset("register"), lane_ = layout_.inOffset("lane"),
      warp_ = layout_.inOffset("warp"), warpBits_ = layout_.inBits("warp"),
      block_ = layout_.inOffset("block");
};

// Contiguous writes: lane l's vector lies at base + l * vector, and the wave's elements
// are those that src gave the same instruction, whoever of its lanes fetches them.
class CopyCheck {
public:
  CopyCheck(const LinearLayout &src, const LinearLayout &source,
            const std::vector<uint64_t> &offsetOf, uint64_t vector)
      : src_(src), source_(source), offsetOf_(offsetOf), vector_(vector) {}

  Result<bool> run() const {
    if (src_.ins() != source_.ins())
      return makeError("the source was dealt out to other threads");
    const uint64_t lanes = src_.inSize("lane");
    const uint64_t others = (uint64_t(1) << src_.totalInBits()) / lanes / vector_;
    for (uint64_t other = 0; other < others; ++other) {
      std::set<uint64_t> wanted, dealt;
      const uint64_t base = offsetOf_[source_.apply(at(0, 0, other))];
      for (uint64_t lane = 0; lane < lanes; ++lane)
        for (uint64_t i = 0; i < vector_; ++i) {
          wanted.insert(src_.apply(at(i, lane, other)));
          dealt.insert(source_.apply(at(i, lane, other)));
          if (offsetOf_[source_.apply(at(i, lane, other))] != base + lane * vector_ + i)
            return makeError("lane %d does not write beside lane 0", static_cast<int>(lane));
        }
      if (wanted != dealt)
        return makeError("a copy brings elements that belong to another");
    }
    return true;
  }

private:
  // In-bits: `i` the lowest registers, `lane`, and all others in order.
  uint64_t at(uint64_t i, uint64_t lane, uint64_t others) const {
    const int vectorBits = f2::lowestBit(vector_), laneAt = src_.inOffset("lane");
    uint64_t in = i << src_.inOffset("register") | lane << laneAt;
    int bit = 0;
    for (int b = 0; b < src_.totalInBits(); ++b) {
      const bool isVector =
          b >= src_.inOffset("register") && b < src_.inOffset("register") + vectorBits;
      const bool isLane = b >= laneAt && b < laneAt + src_.inBits("lane");
      if (!isVector && !isLane)
        in |= (others >> bit++ & 1) << b;
    }
    return in;
  }

  const LinearLayout &src_;
  const LinearLayout &source_;
  const std::vector<uint64_t> &offsetOf_;
  uint64_t vector_;
};

bool isCopy(const SwizzleAccess &access) {
  return access.instruction.rfind("global_load_lds", 0) == 0;
}

} // namespace

Result<bool> checkSwizzle(const SwizzleSolution &solution, const LinearLayout &src,
                          const LinearLayout &dst, int elementBits, isa::Arch arch) {
  const uint64_t size = uint64_t(1) << solution.memory.totalInBits();
  if (solution.memory.totalOutBits() != solution.memory.totalInBits())
    return makeError("the memory layout is not square");
  std::vector<uint64_t> offsetOf(size, size);
  for (uint64_t offset = 0; offset < size; ++offset) {
    uint64_t &slot = offsetOf[solution.memory.apply(offset)];
    if (slot != size)
      return makeError("offsets %d and %d hold the same element", static_cast<int>(slot),
                       static_cast<int>(offset));
    slot = offset;
  }
  for (const bool isWrite : {true, false}) {
    const SwizzleAccess &access = isWrite ? solution.write : solution.read;
    const Result<LinearLayout> layout =
        (isWrite ? src : dst).transposeOuts(solution.memory.outNames());
    if (!layout)
      return layout.error();
    if (isCopy(access)) {
      const uint64_t vector = access.vectorBits / elementBits;
      if (const Result<bool> right = CopyCheck(*layout, solution.source, offsetOf, vector).run();
          !right)
        return right.error();
      continue;
    }
    const Result<isa::LdsInstruction> row = isa::ldsInstruction(access.instruction, arch);
    if (!row)
      return row.error();
    if (row->bytes * 8 != access.vectorBits)
      return makeError("%s moves %d bits, claimed %d", row->name, row->bytes * 8,
                       access.vectorBits);
    if (const Result<bool> right = SideCheck(*layout, offsetOf, elementBits, *row).run(access);
        !right)
      return right.error();
  }
  return true;
}

} // namespace layout_port
