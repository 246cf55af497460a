// Contiguous writes: global_load_lds puts lane l's vector at base + l * bytes, so the
// elements of one instruction, the span S of a vector and the lanes, fill the lowest
// offset bits. Inside S the order is free, because each lane may fetch another element.
//
//        |        S           |              |
//   M =  | V_w | banks |  Z1  |      Z2      |     Z = Z1 + Z2 avoids the read's A
//
// Z1 is a common complement, within S, of what the read touches there and of the vector
// bits; Z2 one of A + Z1 and S. Both are as large as needed, as in Swizzle.h.
#include "solve/SwizzleParts.h"

#include "layout_port/layouts/Swizzle.h"

#include <algorithm>

namespace layout_port::solve {

namespace {

int log2Of(int powerOfTwo) { return f2::lowestBit(static_cast<uint64_t>(powerOfTwo)); }

class AsyncSolver {
public:
  AsyncSolver(const LinearLayout &src, const LinearLayout &dst, int elementBits, isa::Arch arch,
              const SwizzleOptions &options)
      : src_(src), dst_(dst), elementBits_(elementBits), arch_(arch), options_(options),
        bits_(src.totalOutBits()), registers_(columnsOf(src, "register")),
        lanes_(columnsOf(src, "lane")) {}

  // The widest copy that the source's registers allow, then the widest read.
  Result<SwizzleSolution> run() {
    std::vector<int> copies = isa::asyncCopyBytes(arch_);
    std::reverse(copies.begin(), copies.end());
    for (const int bytes : copies) {
      const int width = 8 * bytes;
      if (f2::popcount(width) != 1 || width < elementBits_ ||
          (options_.writeVectorBits && *options_.writeVectorBits != width) || !takesVector(width))
        continue;
      for (int read = 128; read >= std::max(8, elementBits_); read /= 2)
        if (!options_.readVectorBits || *options_.readVectorBits == read)
          if (const Result<SwizzleSolution> solution = withWidths(width, read); solution)
            return solution;
    }
    return makeError("no load from global memory into LDS moves what a lane has to %s",
                     isa::archName(arch_));
  }

private:
  int vectorOf(int width) const { return log2Of(width / elementBits_); }

  // The vector is the lowest registers, as they lie in global memory, and no two lanes
  // fetch the same.
  bool takesVector(int width) {
    const int vector = vectorOf(width);
    if (vector > static_cast<int>(registers_.size()))
      return false;
    vector_.assign(registers_.begin(), registers_.begin() + vector);
    piece_ = sum(vector_, lanes_);
    return piece_.size() == vector_.size() + lanes_.size();
  }

  Result<SwizzleSolution> withWidths(int writeBits, int readBits) const {
    const Result<isa::LdsInstruction> row = isa::ldsInstruction(ldsName(false, readBits), arch_);
    if (!row)
      return row.error();
    const Result<f2::Columns> low = lowColumns(vectorOf(readBits));
    if (!low)
      return low.error();
    const f2::Columns readVector(low->begin(), low->begin() + vectorOf(readBits));
    const f2::Columns touched =
        sum(sum(readVector, wordOf(*low)), phaseColumns(columnsOf(dst_, "lane"), *row));
    const Result<LinearLayout> memory = LinearLayout::fromColumns(
        {{"offset", bits_}}, src_.outs(),
        memoryColumns(*low, touched, log2Of(row->banks * 32 / elementBits_)));
    if (!memory)
      return memory.error();
    return solutionOf(*memory, writeBits, readBits);
  }

  // Vector bits: the smaller vector inside the wider one, both inside the piece.
  Result<f2::Columns> lowColumns(int readVector) const {
    const f2::Columns held = columnsOf(dst_, "register");
    const f2::Columns both = f2::intersection(held, vector_);
    const int copied = static_cast<int>(vector_.size());
    if (static_cast<int>(both.size()) < std::min(readVector, copied))
      return makeError("the read's vectors do not fit those of the copy");
    f2::Columns low;
    f2::Span span;
    const auto take = [&](const f2::Columns &candidates, int most) {
      for (const uint64_t vector : candidates)
        if (static_cast<int>(low.size()) < most && span.insert(vector, 0))
          low.push_back(vector);
    };
    take(both, std::min(readVector, copied));
    take(vector_, copied);
    take(f2::intersection(held, piece_), readVector);
    if (static_cast<int>(low.size()) < std::max(readVector, copied))
      return makeError("one copy does not bring what a read wants");
    take(piece_, elementBits_ < 32 ? log2Of(32 / elementBits_) : 0);
    return low;
  }

  f2::Columns wordOf(const f2::Columns &low) const {
    const size_t word = elementBits_ < 32 ? log2Of(32 / elementBits_) : 0;
    return f2::Columns(low.begin(), low.begin() + std::min(word, low.size()));
  }

  // commonComplement inside the piece: in coordinates of its basis, and back.
  f2::Columns avoidingInPiece(const f2::Columns &u, const f2::Columns &v, int most) const {
    const f2::Columns in = *f2::solve(piece_, f2::intersection(u, piece_));
    const f2::Columns other = *f2::solve(piece_, v);
    f2::Columns rows =
        f2::multiply(piece_, f2::commonComplement(in, other, static_cast<int>(piece_.size())));
    rows.resize(std::min<size_t>(rows.size(), std::max(0, most)));
    return rows;
  }

  f2::Columns memoryColumns(const f2::Columns &low, const f2::Columns &touched,
                            int bankBits) const {
    const int piece = static_cast<int>(piece_.size());
    const f2::Columns inner = avoidingInPiece(touched, low, piece - bankBits);
    f2::Columns outer = f2::commonComplement(sum(touched, inner), piece_, bits_);
    outer.resize(std::min<size_t>(outer.size(), bits_ - std::max(piece, bankBits)));

    f2::Columns columns = low;
    const auto complete = [&](const f2::Columns &candidates, const f2::Columns &keepFree,
                              size_t most) {
      f2::Span span;
      for (const uint64_t vector : sum(columns, keepFree))
        span.insert(vector, 0);
      for (const uint64_t vector : candidates)
        if (columns.size() < most && span.insert(vector, 0))
          columns.push_back(vector);
    };
    complete(piece_, inner, piece - inner.size());
    columns.insert(columns.end(), inner.begin(), inner.end());
    complete(f2::complement({}, bits_), outer, bits_ - outer.size());
    columns.insert(columns.end(), outer.begin(), outer.end());
    return columns;
  }

  Result<SwizzleSolution> solutionOf(const LinearLayout &memory, int writeBits,
                                     int readBits) const {
    const Result<LinearLayout> source = dealtOut(memory);
    if (!source)
      return source.error();
    SwizzleOptions widths;
    widths.readVectorBits = readBits;
    Result<SwizzleSolution> solution =
        priceMemoryLayout(memory, *source, dst_, elementBits_, arch_, widths);
    if (!solution)
      return solution.error();
    SwizzleAccess &write = solution->write;
    write.instruction = "global_load_lds_b" + std::to_string(writeBits);
    write.vectorBits = writeBits;
    write.instructions = 1 << (f2::rank(registers_) - static_cast<int>(vector_.size()));
    // Contiguous: every bank in turn.
    const int bytes = writeBits / 8 << lanes_.size();
    write.passes = write.lowerBound = std::max(1, bytes / (32 * 4));
    write.confidence = isa::Confidence::Low; // no source for its phases
    return solution;
  }

  // Lane l fetches what belongs at l * vector. Other registers and warps keep their
  // piece, and start it at its beginning.
  Result<LinearLayout> dealtOut(const LinearLayout &memory) const {
    const f2::Columns inverse = memory.invert()->columns();
    const uint64_t inPiece = f2::lowMask(static_cast<int>(piece_.size()));
    f2::Columns columns;
    for (const uint64_t column : src_.columns())
      columns.push_back(memory.apply(f2::apply(inverse, column) & ~inPiece));
    for (size_t i = 0; i < vector_.size(); ++i)
      columns[src_.inOffset("register") + i] = memory.column(static_cast<int>(i));
    for (size_t i = 0; i < lanes_.size(); ++i)
      columns[src_.inOffset("lane") + i] = memory.column(static_cast<int>(vector_.size() + i));
    return LinearLayout::fromColumns(src_.ins(), src_.outs(), columns);
  }

  const LinearLayout &src_;
  const LinearLayout &dst_;
  int elementBits_;
  isa::Arch arch_;
  const SwizzleOptions &options_;
  int bits_;
  f2::Columns registers_, lanes_;
  f2::Columns vector_, piece_; // of one copy: a lane's, the wave's (S)
};

} // namespace

Result<SwizzleSolution> solveContiguousWrites(const LinearLayout &src, const LinearLayout &dst,
                                              int elementBits, isa::Arch arch,
                                              const SwizzleOptions &options) {
  return AsyncSolver(src, dst, elementBits, arch, options).run();
}

} // namespace layout_port::solve
