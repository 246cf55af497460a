// What a memory layout costs a side, by ranks: addresses are linear in the lane bits.
#include "solve/SwizzleParts.h"

#include "layout_port/layouts/Swizzle.h"

namespace layout_port {

using namespace solve;

namespace {

int log2Of(int powerOfTwo) { return f2::lowestBit(static_cast<uint64_t>(powerOfTwo)); }

// One side seen from the memory: offsets of its registers and lanes.
class SidePrice {
public:
  SidePrice(const f2::Columns &inverse, const LinearLayout &layout, int elementBits, isa::Arch arch,
            bool isWrite)
      : registers_(f2::multiply(inverse, columnsOf(layout, "register"))),
        lanes_(f2::multiply(inverse, columnsOf(layout, "lane"))),
        logicalLanes_(columnsOf(layout, "lane")), elementBits_(elementBits), arch_(arch),
        isWrite_(isWrite) {}

  // The widest vector that the registers allow, or the one asked for.
  Result<SwizzleAccess> price(const std::optional<int> &wanted, const f2::Columns &memory) const {
    if (wanted)
      return priceWidth(*wanted, memory);
    for (int width = 128; width >= elementBits_ && width >= 8; width /= 2)
      if (const Result<SwizzleAccess> access = priceWidth(width, memory); access)
        return access;
    return makeError("elements of %d bits never fill a byte of one lane", elementBits_);
  }

private:
  Result<SwizzleAccess> priceWidth(int width, const f2::Columns &memory) const {
    if (width < elementBits_ || f2::popcount(width) != 1)
      return makeError("no instruction moves %d bits of %d-bit elements", width, elementBits_);
    const int vector = log2Of(width / elementBits_);
    if (!holdsVector(vector))
      return makeError("this memory layout has no vectors of %d bits for the %s", width,
                       isWrite_ ? "write" : "read");
    const std::string name = ldsName(isWrite_, width);
    const Result<isa::LdsInstruction> row = isa::ldsInstruction(name, arch_);
    if (!row)
      return row.error();
    SwizzleAccess access;
    access.instruction = name;
    access.vectorBits = width;
    access.instructions = 1 << (f2::rank(registers_) - vector);
    access.passes = passes(vector, *row);
    access.lowerBound = passesLowerBound(f2::Columns(memory.begin(), memory.begin() + vector),
                                         logicalLanes_, elementBits_, *row);
    access.confidence = row->confidence;
    return access;
  }

  // The lowest offset bits are combinations of register bits.
  bool holdsVector(int vector) const {
    f2::Span span;
    for (const uint64_t offset : registers_)
      span.insert(offset, 0);
    for (int i = 0; i < vector; ++i)
      if (!span.contains(uint64_t(1) << i))
        return false;
    return true;
  }

  // 4-byte words: of the lane's aligned vector, and those inside it.
  uint64_t wordOf(uint64_t offset) const {
    return elementBits_ < 32 ? offset / (32 / elementBits_) : offset * (elementBits_ / 32);
  }

  int passes(int vector, const isa::LdsInstruction &row) const {
    const f2::Columns phase = phaseBasis(static_cast<int>(lanes_.size()), row);
    f2::Columns words;
    for (const uint64_t mask : phase)
      words.push_back(wordOf(f2::apply(lanes_, mask) >> vector << vector));
    for (int bytes = 4; bytes < row.bytes; bytes *= 2)
      words.push_back(bytes / 4);
    f2::Columns banks;
    for (const uint64_t word : words)
      banks.push_back(word & (row.banks - 1));
    const int phases = 1 << (lanes_.size() - phase.size());
    return phases << (f2::rank(words) - f2::rank(banks));
  }

  f2::Columns registers_, lanes_, logicalLanes_;
  int elementBits_;
  isa::Arch arch_;
  bool isWrite_;
};

} // namespace

Result<SwizzleSolution> priceMemoryLayout(const LinearLayout &memory, const LinearLayout &src,
                                          const LinearLayout &dst, int elementBits, isa::Arch arch,
                                          const SwizzleOptions &options) {
  const Result<LinearLayout> inverse = memory.invert();
  if (!inverse)
    return inverse.error();
  if (memory.outs() != src.outs() || memory.outs() != dst.outs())
    return makeError("memory, src and dst differ in their out-dims");
  SwizzleSolution solution{memory, {}, {}, src};
  const Result<SwizzleAccess> write = SidePrice(inverse->columns(), src, elementBits, arch, true)
                                          .price(options.writeVectorBits, memory.columns());
  if (!write)
    return write.error();
  const Result<SwizzleAccess> read = SidePrice(inverse->columns(), dst, elementBits, arch, false)
                                         .price(options.readVectorBits, memory.columns());
  if (!read)
    return read.error();
  solution.write = *write;
  solution.read = *read;
  return solution;
}

} // namespace layout_port
