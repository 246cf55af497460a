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
