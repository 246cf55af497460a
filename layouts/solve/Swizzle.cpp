// The construction of Swizzle.h, step by step: vectors, what each phase touches, the
// rows that avoid both, and the rest of the columns.
#include "layout_port/layouts/Swizzle.h"

#include "solve/SwizzleParts.h"

#include <algorithm>

namespace layout_port {

namespace solve {

f2::Columns columnsOf(const LinearLayout &layout, const char *dim) {
  const int first = layout.inOffset(dim);
  f2::Columns columns;
  for (int i = 0; i < layout.inBits(dim); ++i)
    columns.push_back(layout.column(first + i));
  return columns;
}

f2::Columns sum(f2::Columns a, const f2::Columns &b) {
  a.insert(a.end(), b.begin(), b.end());
  return f2::reducedBasis(a);
}

std::string ldsName(bool isWrite, int bits) {
  const std::string width = std::to_string(bits);
  if (isWrite)
    return "ds_write_b" + width;
  return (bits < 32 ? "ds_read_u" : "ds_read_b") + width;
}

f2::Columns phaseColumns(const f2::Columns &lanes, const isa::LdsInstruction &instruction) {
  f2::Columns columns;
  for (const uint64_t mask : phaseBasis(static_cast<int>(lanes.size()), instruction))
    columns.push_back(f2::apply(lanes, mask));
  return columns;
}

f2::Columns phaseBasis(int laneBits, const isa::LdsInstruction &instruction) {
  f2::Columns span, lanes;
  for (const uint32_t mask : instruction.phaseSpan)
    span.push_back(mask);
  for (int i = 0; i < laneBits; ++i)
    lanes.push_back(uint64_t(1) << i);
  return f2::intersection(span, lanes);
}

int passesLowerBound(const f2::Columns &vector, const f2::Columns &lanes, int elementBits,
                     const isa::LdsInstruction &instruction) {
  const int phases =
      1 << (static_cast<int>(lanes.size()) -
            static_cast<int>(phaseBasis(static_cast<int>(lanes.size()), instruction).size()));
  const size_t touched = sum(vector, phaseColumns(lanes, instruction)).size();
  const double words = std::max(1.0, double(uint64_t(1) << touched) * elementBits / 32);
  const int each = std::max(1, static_cast<int>(words / instruction.banks));
  return phases * each;
}

} // namespace solve

using namespace solve;

namespace {

constexpr int kWidths[] = {128, 64, 32, 16, 8};

int log2Of(int powerOfTwo) { return f2::lowestBit(static_cast<uint64_t>(powerOfTwo)); }

// The first `count` vectors.
f2::Columns firstOf(const f2::Columns &vectors, size_t count) {
  return f2::Columns(vectors.begin(), vectors.begin() + std::min(count, vectors.size()));
}

// One side with a chosen width.
struct Side {
  f2::Columns registers, lanes;
  isa::LdsInstruction instruction;
  int vectorBits = 0;  // log2 of elements a vector
  f2::Columns touched; // by a phase, whole words

  int bankBits(int elementBits) const { return log2Of(instruction.banks * 32 / elementBits); }
};

class Solver {
public:
  Solver(const LinearLayout &src, const LinearLayout &dst, int elementBits, isa::Arch arch,
         const SwizzleOptions &options)
      : src_(src), dst_(dst), elementBits_(elementBits), arch_(arch), options_(options),
        bits_(src.totalOutBits()), wordBits_(elementBits < 32 ? log2Of(32 / elementBits) : 0) {}

  // As conflicts can always be avoided, the widths decide what a solution costs; it is
  // built for the best widths that both sides have registers for.
  Result<SwizzleSolution> run() {
    struct Widths {
      Side write, read;
      double clocks;
    };
    std::vector<Widths> candidates;
    std::optional<Error> problem;
    common_ = f2::intersection(columnsOf(src_, "register"), columnsOf(dst_, "register"));
    const std::vector<Side> writes = sidesOf(src_, true, options_.writeVectorBits, problem);
    const std::vector<Side> reads = sidesOf(dst_, false, options_.readVectorBits, problem);
    for (const Side &write : writes)
      for (const Side &read : reads) {
        if (std::min(write.vectorBits, read.vectorBits) <= static_cast<int>(common_.size()))
          candidates.push_back({write, read, clocks(write, true) + clocks(read, false)});
        else
          problem = makeError("only %d elements are neighbours in a register on both sides",
                              1 << common_.size());
      }
    // Of equal clocks the wider read, whose latency is waited for; sides come widest first.
    const auto best = std::min_element(
        candidates.begin(), candidates.end(), [](const Widths &a, const Widths &b) {
          return a.clocks != b.clocks ? a.clocks < b.clocks
                                      : a.read.instruction.bytes > b.read.instruction.bytes;
        });
    if (best != candidates.end())
      return build(best->write, best->read);
    return problem ? *problem : makeError("no vector width to choose from");
  }

private:
  std::vector<Side> sidesOf(const LinearLayout &layout, bool isWrite,
                            const std::optional<int> &fixed, std::optional<Error> &problem) const {
    std::vector<Side> sides;
    for (const int width : kWidths) {
      if (fixed ? width != *fixed : width < elementBits_)
        continue;
      Result<Side> side = sideOf(layout, isWrite, width);
      if (side)
        sides.push_back(std::move(*side));
      else
        problem = side.error();
    }
    if (fixed && sides.empty() && !problem)
      problem = makeError("no LDS instruction moves %d bits", *fixed);
    return sides;
  }

  static double clocks(const Side &side, bool isWrite) {
    const int instructions = 1 << (f2::rank(side.registers) - side.vectorBits);
    return instructions * isa::ldsTime(isWrite, side.instruction.bytes).issue;
  }

  Result<Side> sideOf(const LinearLayout &layout, bool isWrite, int width) const {
    Side side;
    side.registers = columnsOf(layout, "register");
    side.lanes = columnsOf(layout, "lane");
    if (width < elementBits_ || width > 128 || f2::popcount(width) != 1)
      return makeError("no instruction moves %d bits of %d-bit elements", width, elementBits_);
    side.vectorBits = log2Of(width / elementBits_);
    const Result<isa::LdsInstruction> row = isa::ldsInstruction(ldsName(isWrite, width), arch_);
    if (!row)
      return row.error();
    side.instruction = *row;
    if (f2::rank(side.registers) < side.vectorBits)
      return makeError("%d bits are wider than the registers of a lane", width);
    return side;
  }

  Result<SwizzleSolution> build(const Side &write, const Side &read) const {
    const f2::Columns memory = memoryColumns(vectorColumns(write, read), write, read);
    const Result<LinearLayout> layout =
        LinearLayout::fromColumns({{"offset", bits_}}, src_.outs(), memory);
    if (!layout)
      return layout.error();
    SwizzleOptions widths = options_;
    widths.writeVectorBits = write.instruction.bytes * 8;
    widths.readVectorBits = read.instruction.bytes * 8;
    return priceMemoryLayout(*layout, src_, dst_, elementBits_, arch_, widths);
  }

  // The columns below max(vector): the smaller vector from what both sides hold in
  // registers, then the wider side's own.
  f2::Columns vectorColumns(const Side &write, const Side &read) const {
    const int narrow = std::min(write.vectorBits, read.vectorBits);
    const int wide = std::max(write.vectorBits, read.vectorBits);
    const Side &wider = write.vectorBits > read.vectorBits ? write : read;
    f2::Columns low;
    f2::Span span;
    const auto take = [&](const f2::Columns &candidates, size_t most) {
      for (const uint64_t vector : candidates)
        if (low.size() < most && span.insert(vector, 0))
          low.push_back(vector);
    };
    // Register bits that both sides have in common come first: no v_perm to pack them.
    f2::Columns shared;
    for (const uint64_t vector : wider.registers)
      if (sum(common_, {vector}).size() == common_.size())
        shared.push_back(vector);
    take(shared, narrow);
    take(common_, narrow);
    take(shared, wide);
    take(wider.registers, wide);
    return low;
  }

  f2::Columns touchedBy(const Side &side, const f2::Columns &low, const f2::Columns &word) const {
    return sum(sum(firstOf(low, side.vectorBits), word),
               phaseColumns(side.lanes, side.instruction));
  }

  f2::Columns memoryColumns(f2::Columns low, Side write, Side read) const {
    completeWord(low, write);
    const f2::Columns word = firstOf(low, wordBits_);
    write.touched = touchedBy(write, low, word);
    read.touched = touchedBy(read, low, word);
    const Side &fewerBanks = write.instruction.banks <= read.instruction.banks ? write : read;
    const Side &moreBanks = &fewerBanks == &write ? read : write;

    // Rows for the side of more banks; then those that are banks only there.
    const f2::Columns high =
        avoiding(write.touched, read.touched, {}, bits_ - moreBanks.bankBits(elementBits_));
    const f2::Columns rows = avoiding(sum(fewerBanks.touched, high), sum(low, high), high,
                                      bits_ - fewerBanks.bankBits(elementBits_));

    f2::Columns columns = low;
    for (const uint64_t vector : bankColumns(low, rows))
      columns.push_back(vector);
    // `rows` starts with `high`, which belongs on top.
    columns.insert(columns.end(), rows.begin() + high.size(), rows.end());
    columns.insert(columns.end(), high.begin(), high.end());
    return columns;
  }

  // Where vectors are narrower than a word, lanes that are neighbours share words.
  void completeWord(f2::Columns &low, const Side &write) const {
    f2::Span span;
    for (const uint64_t vector : low)
      span.insert(vector, 0);
    f2::Columns candidates = write.lanes;
    for (int i = 0; i < bits_; ++i)
      candidates.push_back(uint64_t(1) << i);
    for (const uint64_t vector : candidates)
      if (static_cast<int>(low.size()) < std::min(wordBits_, bits_) && span.insert(vector, 0))
        low.push_back(vector);
  }

  // `start` extended to at most `dimension` vectors, the new ones outside of u and v.
  f2::Columns avoiding(const f2::Columns &u, const f2::Columns &v, f2::Columns start,
                       int dimension) const {
    for (const uint64_t vector : f2::commonComplement(u, v, bits_))
      if (static_cast<int>(start.size()) < dimension)
        start.push_back(vector);
    return start;
  }

  f2::Columns bankColumns(const f2::Columns &low, const f2::Columns &rows) const {
    return f2::complement(sum(low, rows), bits_);
  }

  const LinearLayout &src_;
  const LinearLayout &dst_;
  int elementBits_;
  isa::Arch arch_;
  const SwizzleOptions &options_;
  int bits_, wordBits_;
  f2::Columns common_; // elements that one lane holds on both sides
};

Result<bool> checkSides(const LinearLayout &src, const LinearLayout &dst, int elementBits,
                        isa::Arch arch, const SwizzleOptions &options) {
  if (elementBits < 1 || elementBits > 64 || f2::popcount(elementBits) != 1)
    return makeError("elements of %d bits: only powers of two up to 64", elementBits);
  if (src.outs() != dst.outs())
    return makeError("src and dst differ in their out-dims");
  const int most = options.ldsBytes.value_or(isa::archInfo(arch).ldsBytes);
  const double bytes = double(f2::shiftLeft(1, src.totalOutBits())) * elementBits / 8;
  if (src.totalOutBits() > 40 || bytes > most)
    return makeError("the tile takes %.0f bytes of LDS, %d are there", bytes, most);
  return true;
}

} // namespace

Result<SwizzleSolution> solveSwizzle(const LinearLayout &src, const LinearLayout &dst,
                                     int elementBits, isa::Arch arch,
                                     const SwizzleOptions &options) {
  const Result<LinearLayout> ordered = dst.transposeOuts(src.outNames());
  if (!ordered)
    return makeError("src and dst differ in their out-dims: %s", ordered.error().message.c_str());
  if (const Result<bool> fine = checkSides(src, *ordered, elementBits, arch, options); !fine)
    return fine.error();
  if (options.contiguousWrites)
    return solveContiguousWrites(src, *ordered, elementBits, arch, options);
  return Solver(src, *ordered, elementBits, arch, options).run();
}

} // namespace layout_port
