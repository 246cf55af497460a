#include "native/Scheme.h"

#include "llvm/ADT/StringRef.h"

#include <algorithm>

namespace layout_port::native {

namespace {

// Rows of an MFMA, by their index's bits.
int rowBits(bool isLarge) { return isLarge ? 5 : 4; }

int onlyBit(uint64_t value) { return value && !(value & (value - 1)) ? f2::lowestBit(value) : -1; }

// Lane bits of an operand: which row bit (0-3) or k bit (from 100 on) each holds.
constexpr int kIsK = 100;

Result<std::vector<int>> laneMeaning(const isa::MatrixInstruction &mfma, char operand,
                                     const char *row, const char *k) {
  const Result<LinearLayout> layout = isa::operandLayout(mfma, operand);
  if (!layout)
    return layout.error();
  std::vector<int> meaning;
  for (int i = 0; i < layout->inBits("lane"); ++i) {
    const int rowBit = onlyBit(layout->basis("lane", i, row));
    const int kBit = onlyBit(layout->basis("lane", i, k));
    if ((rowBit < 0) == (kBit < 0))
      return makeError("a lane bit of %s is no single index bit", mfma.name);
    meaning.push_back(rowBit >= 0 ? rowBit : kIsK + kBit);
  }
  return meaning;
}

// Row bits of the first operand, by name, low to high, as the result wants them: its
// element bits first.
std::vector<std::string> rowNames(const Choice &choice) {
  const bool columns = choice.side == PairSide::Columns;
  if (choice.large)
    return columns ? std::vector<std::string>{"n0", "n1", "n2", "j0", "h"}
                   : std::vector<std::string>{"n0", "n1", "j0", "j1", "n2"};
  if (choice.eightRows)
    return {"n0", choice.single ? "h" : "j0", "n1", "n2"};
  if (choice.wide)
    return {"n0", "n1", "n2", columns ? "h" : "j0"};
  if (!choice.turned)
    return {"n0",
            columns                         ? "h"
            : !choice.single                ? "j0"
            : choice.side == PairSide::Rows ? "pad"
                                            : "h",
            "n1", "n2"};
  if (choice.halfTurned)
    return {"n1", columns ? "h" : "j0", "n2", columns ? "j0" : "j1"};
  return {"n2", columns ? "h" : "j0", columns ? "j0" : "j1", columns ? "j1" : "j2"};
}

} // namespace

int Scheme::tilesTogether() const {
  if (large)
    return side == PairSide::Columns ? 2 : 4;
  int bits = pairTileBit() >= 0 || (eightRows && !single) ? 1 : 0;
  bits += static_cast<int>(tileBits.size());
  return 1 << bits;
}

Result<Scheme> makeScheme(const Choice &choice, const isa::MatrixInstruction &mfma) {
  const int rows = 1 << rowBits(choice.large);
  if (mfma.m != rows || mfma.n != rows || mfma.blocks != 1)
    return makeError("%s is not a %dx%d product", mfma.name, rows, rows);
  const auto first = laneMeaning(mfma, 'A', "m", "k"), second = laneMeaning(mfma, 'B', "n", "k");
  const auto result = isa::operandLayout(mfma, 'D');
  if (!first || !second || !result)
    return makeError("%s has no plain operand layout", mfma.name);
  Scheme scheme;
  scheme.side = choice.side;
  scheme.turned = choice.turned;
  scheme.halfTurned = choice.halfTurned;
  scheme.single = choice.single;
  scheme.odd = choice.odd;
  scheme.wide = choice.wide;
  scheme.deep = choice.deep;
  scheme.shallow = choice.shallow;
  scheme.farWords = choice.farWords;
  scheme.fourWords = choice.fourWords;
  scheme.eightRows = choice.eightRows;
  scheme.large = choice.large;
  scheme.mfma = &mfma;
  const auto columnName = [&](int bit) {
    if (bit < (choice.eightRows ? 3 : 4))
      return "m" + std::to_string(bit);
    return std::string(choice.large && choice.side == PairSide::Columns ? "i0" : "h");
  };
  // Which of the names each row bit gets: the result's elements take the first.
  std::vector<std::string> nameOfRow(rowBits(choice.large));
  const std::vector<std::string> names = rowNames(choice);
  size_t next = 0;
  for (int e = 0; e < result->inBits("register"); ++e) {
    const int row = onlyBit(result->basis("register", e, "m"));
    if (row < 0 || next >= names.size())
      return makeError("the result of %s does not hold neighbouring rows", mfma.name);
    scheme.resultElements[names[next]] = e;
    nameOfRow[row] = names[next++];
  }
  for (int i = 0; i < result->inBits("lane"); ++i) {
    const int row = onlyBit(result->basis("lane", i, "m"));
    const int column = onlyBit(result->basis("lane", i, "n"));
    if (row >= 0) {
      if (next >= names.size())
        return makeError("the result of %s has more rows than names", mfma.name);
      scheme.resultLanes[names[next]] = i;
      nameOfRow[row] = names[next++];
    } else if (column >= 0) {
      scheme.resultLanes[columnName(column)] = i;
    }
  }
  const bool lowest = choice.shallow || choice.farWords;
  const std::string low = choice.large  ? (choice.shallow ? "b3" : "b4")
                          : lowest      ? "b2"
                          : choice.deep ? "b4"
                                        : "b3";
  const std::string high = lowest ? "b3" : choice.deep ? "s" : "b4";
  const auto place = [&](const std::vector<int> &meaning, Places &places, bool isFirst) {
    std::vector<int> k;
    for (const int m : meaning)
      if (m >= kIsK)
        k.push_back(m);
    std::sort(k.begin(), k.end());
    for (size_t i = 0; i < meaning.size(); ++i) {
      const int lane = static_cast<int>(i);
      if (meaning[i] < kIsK)
        places[isFirst ? nameOfRow[meaning[i]] : columnName(meaning[i])] = lane;
      else
        places[meaning[i] == k.front() ? low : high] = lane;
    }
  };
  place(*first, scheme.firstLanes, true);
  place(*second, scheme.secondLanes, false);
  if (choice.turned) {
    const int low = scheme.pairTileBit() + 1;
    scheme.tileBits = {{"n0", low}};
    if (!choice.halfTurned)
      scheme.tileBits["n1"] = low + 1;
  }
  return scheme;
}

namespace {

// Logical bits: m0-m3 0-3, n0-n2 4-6, h 7, j0.. or i0 8..
uint64_t logicalBit(const std::string &name) {
  const uint64_t digit = static_cast<uint64_t>(name.size() > 1 ? name[1] - '0' : 0);
  const uint64_t base = name[0] == 'm' ? 0 : name[0] == 'n' ? 4 : name[0] == 'h' ? 7 : 8;
  return uint64_t(1) << (base + digit);
}

using Names = std::vector<std::string>;

// CUDA's lanes of a result.
const Names &cudaLanes() {
  static const Names names = {"n1", "n2", "m0", "m1", "m2", "h"};
  return names;
}

Names lanesOf(const Scheme &scheme) {
  Names names(6);
  for (const auto &[name, bit] : scheme.resultLanes)
    names[bit] = name;
  return names;
}

Result<LinearLayout> layoutOf(const Names &registers, const Names &lanes, int outBits) {
  LinearLayout::NamedBases bases = {{"register", {}}, {"lane", {}}};
  for (const std::string &name : registers)
    bases[0].second.push_back({logicalBit(name)});
  for (const std::string &name : lanes)
    bases[1].second.push_back({logicalBit(name)});
  return LinearLayout::fromBases(bases, {{"element", uint64_t(1) << outBits}});
}

Result<BorderLayouts> border(const Names &here, const Names &lanesHere, const Names &cuda,
                             int outBits) {
  const auto from = layoutOf(here, lanesHere, outBits), to = layoutOf(cuda, cudaLanes(), outBits);
  if (!from)
    return from.error();
  if (!to)
    return to.error();
  return BorderLayouts{*from, *to};
}

} // namespace

Result<Scheme> makeFourBlocks(const MmaSite &mma) {
  if (!llvm::StringRef(mma.name).contains(".row.col"))
    return makeError("%s has an operand that lies across the lanes of four 4x4 blocks",
                     mma.name.c_str());
  const auto mfma = isa::findMatrixInstruction("v_mfma_f32_4x4x4_16b_f16");
  if (!mfma)
    return mfma.error();
  Scheme scheme;
  scheme.fourBlocks = true;
  scheme.mfma = *mfma;
  return scheme;
}

// A result of four 8x8 blocks: m 0-2, n 3-5, q 6-7, h 8.
static Result<BorderLayouts> fourBlockLayouts(bool packed) {
  constexpr uint64_t m0 = 1, m1 = 2, m2 = 4, n0 = 8, n1 = 16, n2 = 32, q0 = 64, q1 = 128, h = 256;
  const auto layout = [&](std::vector<uint64_t> registers, const std::vector<uint64_t> &lanes) {
    if (packed) // n0 stays in its word
      registers.erase(registers.begin());
    LinearLayout::NamedBases bases = {{"register", {}}, {"lane", {}}};
    for (const uint64_t bit : registers)
      bases[0].second.push_back({bit});
    for (const uint64_t bit : lanes)
      bases[1].second.push_back({bit});
    return LinearLayout::fromBases(bases, {{"element", 2 * h}});
  };
  const auto here = layout({n0, n1, n2}, {m0, m1, q0, q1, m2 | n2, h});
  const auto cuda = packed ? layout({n0, n1, n2}, {m0, m1, q0, q1, m2, h})
                           : layout({n0, m1, n2}, {m0, n1, q0, q1, m2, h});
  if (!here)
    return here.error();
  if (!cuda)
    return cuda.error();
  return BorderLayouts{*here, *cuda};
}

// The bit of n that bit 0 of a register's index is.
static const char *lowestOfRegisters(const Scheme &scheme) {
  return scheme.halfTurned ? "n1" : scheme.turned ? "n2" : "n0";
}

// Bits of the index of the tiles that a turned scheme takes together.
static int turnedTileBits(const Scheme &scheme) {
  return (scheme.pairTileBit() >= 0 ? 1 : 0) + static_cast<int>(scheme.tileBits.size());
}

ResultNames resultNames(const Scheme &scheme) {
  ResultNames names;
  if (scheme.fourBlocks)
    return {{"n0", "n1", "n2^m2"}, {}, {"m0", "m1", "q0", "q1", "m2", "h"}};
  names.lanes = lanesOf(scheme);
  if (scheme.eightRows) {
    names.registers = {"n0"};
    return names;
  }
  names.registers = {lowestOfRegisters(scheme), scheme.wide || scheme.large ? "n1" : "h"};
  const bool inPairs = scheme.pairTileBit() >= 0;
  const int tileBits = scheme.turned ? turnedTileBits(scheme) : scheme.wide && inPairs ? 1 : 0;
  if (scheme.rowTilesTogether() > 1)
    names.tiles = {"n2"};
  for (int i = 0; i < tileBits; ++i) {
    names.tiles.push_back(scheme.wide ? "h" : "j" + std::to_string(i));
    for (const auto &[name, bit] : scheme.tileBits)
      if (bit == i)
        names.tiles.back() = name;
  }
  return names;
}

Result<BorderLayouts> borderLayouts(const Scheme &scheme, bool packed) {
  if (scheme.fourBlocks)
    return fourBlockLayouts(packed);
  if (scheme.eightRows)
    return border({"n0"}, lanesOf(scheme), {"n0"}, 8);
  const bool takesRows = scheme.rowTilesTogether() > 1;
  const int tileBits = scheme.turned ? turnedTileBits(scheme) : 0;
  Names here = {lowestOfRegisters(scheme), scheme.large ? "n1" : "h"}, cuda = {"n0", "m3"};
  if (packed && !scheme.turned) { // n0 stays in its word
    here.erase(here.begin());
    cuda.erase(cuda.begin());
  }
  for (int i = 0; i < tileBits; ++i) {
    cuda.push_back("j" + std::to_string(i));
    here.push_back(cuda.back());
    for (const auto &[name, bit] : scheme.tileBits)
      if (bit == i)
        here.back() = name;
  }
  if (takesRows) {
    here.push_back("n2");
    cuda.push_back("i0");
  }
  return border(here, lanesOf(scheme), cuda, 8 + tileBits + takesRows);
}

//   CUDA  A   register m3 b4   lanes b2 b3 m0 m1 m2 | h        B   register b4   lanes b2 b3 n0 n1
//   n2 | h here  A   register h  b4   lanes m0 m1 m2 m3, b2 b3        B   register b4   lanes n0..
//   and h, b2 b3
Result<BorderLayouts> operandBorder(const Scheme &scheme, bool isA) {
  const bool isOfOne = isA ? scheme.isOfOneWarp() && !scheme.eightRows
                           : scheme.pairTileBit() >= 0 || scheme.turned ||
                                 (scheme.single && scheme.side == PairSide::Rows);
  if (scheme.fourBlocks || scheme.isDouble() || scheme.large || scheme.deep || isOfOne ||
      !(scheme.farWords || scheme.shallow || scheme.eightRows))
    return makeError("the registers of an operand do not stay together");
  const auto bitOf = [](const std::string &name) {
    static const Names all = {"m0", "m1", "m2", "m3", "n0", "n1", "n2", "h", "b2", "b3", "b4"};
    return uint64_t(1) << (std::find(all.begin(), all.end(), name) - all.begin());
  };
  const auto layout = [&](const Names &registers, const Names &lanes) {
    LinearLayout::NamedBases bases = {{"register", {}}, {"lane", {}}};
    for (const std::string &name : registers)
      bases[0].second.push_back({bitOf(name)});
    for (const std::string &name : lanes)
      bases[1].second.push_back({bitOf(name)});
    return LinearLayout::fromBases(bases, {{"element", uint64_t(1) << 11}});
  };
  Names cuda, here, lanes(6);
  if (isA && !scheme.eightRows) {
    cuda.push_back("m3");
    here.push_back("h");
  }
  if (!scheme.shallow && !scheme.eightRows) {
    cuda.push_back("b4");
    here.push_back("b4");
  }
  for (const auto &[name, bit] : isA ? scheme.secondLanes : scheme.firstLanes)
    lanes[bit] = name;
  const Names cudaLanes =
      isA ? Names{"b2", "b3", "m0", "m1", "m2", "h"} : Names{"b2", "b3", "n0", "n1", "n2", "h"};
  const auto from = layout(cuda, cudaLanes), to = layout(here, lanes);
  if (!from)
    return from.error();
  if (!to)
    return to.error();
  return BorderLayouts{*to, *from};
}

Result<BorderLayouts> rowBorderLayouts(const isa::MatrixInstruction &mfma) {
  const auto scheme = makeScheme({PairSide::Rows}, mfma);
  if (!scheme)
    return scheme.error();
  return border({"h"}, lanesOf(*scheme), {"m3"}, 8);
}

namespace {

// What an mma's elements become, and how where they change.
struct Way {
  isa::ElementType type{};
  const OperandNumbers *numbers = nullptr;
};

// Best first. The MFMA's f32 keeps what tf32 leaves out; of u8 see Write.cpp.
std::vector<Way> waysOf(ptx::Type type, isa::Arch arch) {
  switch (type) {
  case ptx::Type::F16:
    return {{isa::ElementType::F16}};
  case ptx::Type::BF16:
    return {{isa::ElementType::BF16}};
  case ptx::Type::TF32:
    return {{isa::ElementType::XF32}, {isa::ElementType::F32}};
  case ptx::Type::S8:
  case ptx::Type::U8:
    return {{isa::ElementType::I8}};
  case ptx::Type::F64:
    return {{isa::ElementType::F64}};
  default: {
    std::vector<Way> ways;
    for (const OperandNumbers *numbers : numbersOf(type, arch)) {
      const bool isPlain = numbers->parts[0] == llvm::StringRef("$");
      ways.push_back({numbers->mfma, isPlain ? nullptr : numbers});
    }
    return ways;
  }
  }
}

// The best of a chip for so many words of k a lane.
Arm bestArm(const MmaSite &mma, int words, isa::Arch arch, int rows) {
  const int wordBytes = mma.typeA == ptx::Type::F64 ? 8 : 4;
  Arm best;
  // Where no instruction is so short, the rest of the lane's bytes are zero.
  for (const int deepest : {words * wordBytes, 8})
    for (const Way &a : waysOf(mma.typeA, arch))
      for (const Way &b : waysOf(mma.typeB, arch))
        for (const isa::MatrixInstruction &row : isa::matrixInstructions()) {
          const int groups = 64 / rows; // of lanes, which share k
          const int bytes = row.k * isa::elementBits(row.a) / 8 / groups;
          const bool fits = row.family == isa::MatrixFamily::Mfma && row.m == rows &&
                            row.n == rows && row.blocks == 1 && row.a == b.type &&
                            row.b == a.type && row.availableOn(arch) && bytes >= wordBytes &&
                            bytes <= deepest && row.formA == isa::FragmentForm::MfmaInput;
          const auto *now = best.instruction;
          const bool better =
              !now || (now->a == row.a && row.k > now->k && deepest == words * wordBytes);
          if (fits && better)
            best = {&row, bytes / wordBytes, {arch}, a.numbers, b.numbers};
        }
  return best;
}

} // namespace

Result<std::vector<Arm>> armsFor(const MmaSite &mma, int words, const std::vector<isa::Arch> &archs,
                                 int rows) {
  std::vector<Arm> arms;
  for (const isa::Arch arch : archs) {
    const Arm best = bestArm(mma, words, arch, rows);
    if (!best.instruction)
      return makeError("%s has no %dx%d MFMA for %s", isa::archName(arch), rows, rows,
                       mma.name.c_str());
    const auto same = std::find(arms.begin(), arms.end(), best);
    if (same != arms.end())
      same->archs.push_back(arch);
    else
      arms.push_back(best);
  }
  return arms;
}

} // namespace layout_port::native
