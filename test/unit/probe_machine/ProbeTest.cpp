// The emitted probe on the SIMT machine: every check that it would make on a card, but
// for the timings, holds there, and none holds when its row is changed. So the program
// asks what it means to ask, and a card that differs from the tables will be noticed.
//
// The machine's meanings come from the same tables; that they are right is shown
// elsewhere (test/unit/verify_instructions).
#include "Rows.h"

#include "compile/Compile.h"
#include "decode/Decoder.h"
#include "domain/Ieee.h"
#include "machine/Machine.h"
#include "probe/Emit.h"

#include <llvm/ADT/SmallString.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/raw_ostream.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace layout_port::probe {
namespace {

using namespace verify;
using Words = std::vector<uint32_t>;
constexpr unsigned kLanes = 64;

// A probe for one chip: its text, and its kernels compiled.
class Probe {
public:
  explicit Probe(isa::Arch arch) {
    Result<std::string> text = emitProbe({arch});
    EXPECT_TRUE(text.ok());
    text_ = *text;
    llvm::SmallString<128> path;
    int file = 0;
    EXPECT_FALSE(llvm::sys::fs::createTemporaryFile("probe", "hip", file, path));
    llvm::raw_fd_ostream(file, true) << text_;
    CompileOptions options;
    options.hipArch = isa::archName(arch);
    llvm::Expected<CompiledModule> module = compileDevice(path.str().str(), options);
    llvm::sys::fs::remove(path);
    if (module)
      module_ = std::move(*module);
    else
      ADD_FAILURE() << llvm::toString(module.takeError());
  }
  const std::string &text() const { return text_; }
  explicit operator bool() const { return bool(module_.module); }

  // Runs a kernel on one wave; the buffers are changed in place. Empty, or an error.
  std::string run(const std::string &kernel, const std::vector<Words *> &buffers,
                  const std::vector<uint64_t> &scalars = {}) const {
    llvm::Expected<const llvm::Function *> function = findKernel(*module_.module, kernel);
    if (!function)
      return llvm::toString(function.takeError());
    auto program = Decoder(*module_.module, nullptr).decode(**function);
    if (!program)
      return llvm::toString(program.takeError());
    GlobalMemory memory;
    placeGlobals(**program, memory);
    Launch launch;
    launch.block = {kLanes, 1, 1};
    std::vector<uint64_t> values;
    for (const Words *buffer : buffers) {
      const uint64_t at = memory.allocate("buffer", buffer->size() * 4, 256, shadow::ready);
      std::memcpy(memory.bytesAt(at), buffer->data(), buffer->size() * 4);
      values.push_back(at);
    }
    const size_t pointers = values.size();
    values.insert(values.end(), scalars.begin(), scalars.end());
    for (uint64_t value : values) {
      launch.arguments.emplace_back(8);
      std::memcpy(launch.arguments.back().data(), &value, 8);
      launch.argumentShadow.emplace_back(8, shadow::ready);
    }
    Machine machine(**program, memory, nullptr);
    const std::string error = machine.run(launch);
    for (size_t i = 0; i < pointers; ++i)
      std::memcpy(buffers[i]->data(), memory.bytesAt(values[i]), buffers[i]->size() * 4);
    return error;
  }

private:
  std::string text_;
  CompiledModule module_;
};

const Probe &probeFor(isa::Arch arch) {
  static std::map<isa::Arch, std::unique_ptr<Probe>> probes;
  std::unique_ptr<Probe> &probe = probes[arch];
  if (!probe)
    probe = std::make_unique<Probe>(arch);
  return *probe;
}

constexpr isa::Arch kChips[] = {isa::Arch::Gfx942, isa::Arch::Gfx950};

//===-- Cross-lane moves ---------------------------------------------------===//

// name, control, source, chips, kernel, index, expected
bool moveHolds(const Probe &probe, const Cell &row) {
  Words index = row.list[5].words(), out(row.list[6].list.size(), 0xdeadbeef);
  index.resize(kLanes);
  const std::string error = probe.run(row.list[4].text, {&index, &out});
  EXPECT_EQ(error, "") << row.list[0].text << " " << row.list[1].text;
  return out == row.list[6].words();
}

TEST(Probe, MovesHoldOnTheMachine) {
  for (isa::Arch arch : kChips) {
    const Probe &probe = probeFor(arch);
    ASSERT_TRUE(probe);
    const std::vector<Cell> rows = rowsOf(probe.text(), "moveRows");
    EXPECT_GT(rows.size(), 50u);
    for (const Cell &row : rows)
      EXPECT_TRUE(moveHolds(probe, row))
          << isa::archName(arch) << " " << row.list[0].text << " " << row.list[1].text;
  }
}

// One lane's value changed, or two lanes that differ exchanged.
TEST(Probe, NoMoveHoldsWhenItsRowIsChanged) {
  const Probe &probe = probeFor(isa::Arch::Gfx942);
  ASSERT_TRUE(probe);
  for (Cell row : rowsOf(probe.text(), "moveRows")) {
    std::vector<Cell> &expected = row.list[6].list;
    Cell exchanged = row;
    expected[37].text = std::to_string(expected[37].number() ^ 1);
    EXPECT_FALSE(moveHolds(probe, row)) << row.list[0].text;
    std::vector<Cell> &swapped = exchanged.list[6].list;
    if (swapped[2].text == swapped[3].text)
      continue;
    std::swap(swapped[2], swapped[3]);
    EXPECT_FALSE(moveHolds(probe, exchanged)) << row.list[0].text;
  }
}

//===-- Matrix instructions ------------------------------------------------===//

// name, source, confidence, chips, kernel, m, n, k, blocks, a, b, d; an operand is
// type, elements, bases.
struct Number {
  FloatFormat format;
  unsigned bits;
};
Number numberOf(const std::string &type, bool fnuz) {
  const std::map<std::string, Number> numbers = {
      {"f64", {FloatFormat::F64, 64}},
      {"f32", {FloatFormat::F32, 32}},
      {"xf32", {FloatFormat::F32, 32}},
      {"f16", {FloatFormat::F16, 16}},
      {"bf16", {FloatFormat::BF16, 16}},
      {"fp4", {FloatFormat::E2M1, 4}},
      {"i32", {FloatFormat::None, 32}},
      {"i8", {FloatFormat::None, 8}},
      {"fp8", {fnuz ? FloatFormat::E4M3Fnuz : FloatFormat::E4M3, 8}},
      {"bf8", {fnuz ? FloatFormat::E5M2Fnuz : FloatFormat::E5M2, 8}}};
  EXPECT_TRUE(numbers.count(type)) << type;
  return numbers.at(type);
}

class MatrixCheck {
public:
  MatrixCheck(const Probe &probe, const Cell &row, bool fnuz)
      : probe_(probe), row_(row), fnuz_(fnuz), m_(at(5)), n_(at(6)), k_(at(7)), blocks_(at(8)) {}

  bool holds() {
    std::vector<int> a = invent(m_ * k_), b = invent(k_ * n_), c;
    for (unsigned i = 0; i < m_ * n_ * blocks_; ++i)
      c.push_back(int(i + 1));
    Words wordsA = pack(row_.list[9], a, k_), wordsB = pack(row_.list[10], b, n_);
    Words wordsC = pack(row_.list[11], c, n_), out(wordsC.size(), 0xdeadbeef);
    for (unsigned block = 0; block < blocks_; ++block)
      for (unsigned i = 0; i < m_; ++i)
        for (unsigned j = 0; j < n_; ++j)
          for (unsigned k = 0; k < k_; ++k)
            c[(block * m_ + i) * n_ + j] +=
                a[(block * m_ + i) * k_ + k] * b[(block * k_ + k) * n_ + j];
    const std::string error =
        probe_.run(row_.list[4].text, {&wordsA, &wordsB, &wordsC, &out}, {~uint64_t(0)});
    EXPECT_EQ(error, "") << row_.list[0].text;
    return out == pack(row_.list[11], c, n_);
  }

private:
  unsigned at(size_t column) const { return unsigned(row_.list[column].number()); }
  std::vector<int> invent(unsigned size) {
    std::vector<int> matrix(size * blocks_);
    for (int &x : matrix)
      x = int(random_() % 7) - 3;
    return matrix;
  }
  // The registers of all lanes for a matrix of `cols` columns.
  Words pack(const Cell &operand, const std::vector<int> &matrix, unsigned cols) {
    const Number number = numberOf(operand.list[0].text, fnuz_);
    const unsigned elements = unsigned(operand.list[1].number());
    const unsigned words = (elements * number.bits + 31) / 32;
    const unsigned rows = unsigned(matrix.size()) / cols / blocks_;
    Words registers(kLanes * words);
    for (unsigned input = 0; input < kLanes * elements; ++input) {
      unsigned place[3] = {};
      for (size_t bit = 0; bit < operand.list[2].list.size(); ++bit)
        for (unsigned i = 0; (input >> bit & 1) && i < 3; ++i)
          place[i] ^= unsigned(operand.list[2].list[bit].list[i].number());
      const int value = matrix[(place[2] * rows + place[0]) * cols + place[1]];
      uint64_t bits = number.format == FloatFormat::None ? uint64_t(int64_t(value))
                                                         : encodeFloat(number.format, value);
      const unsigned lane = input / elements, bit = input % elements * number.bits;
      for (unsigned done = 0; done < number.bits; done += 32) {
        const uint64_t part = number.bits < 32 ? bits & ((1u << number.bits) - 1) : bits >> done;
        registers[lane * words + (bit + done) / 32] |= uint32_t(part) << (bit % 32);
      }
    }
    return registers;
  }

  const Probe &probe_;
  const Cell &row_;
  bool fnuz_;
  unsigned m_, n_, k_, blocks_;
  std::mt19937 random_{3};
};

TEST(Probe, MatrixRowsHoldOnTheMachine) {
  for (isa::Arch arch : kChips) {
    const Probe &probe = probeFor(arch);
    ASSERT_TRUE(probe);
    const std::vector<Cell> rows = rowsOf(probe.text(), "matrixRows");
    EXPECT_GE(rows.size(), 32u);
    for (const Cell &row : rows)
      EXPECT_TRUE(MatrixCheck(probe, row, arch == isa::Arch::Gfx942).holds())
          << isa::archName(arch) << " " << row.list[0].text;
  }
}

// A layout in which two register bits, or a register and a lane bit, change places. k
// is a gauge: only changes of A and B alike along k would go unnoticed.
TEST(Probe, NoMatrixRowHoldsWhenALayoutIsChanged) {
  const Probe &probe = probeFor(isa::Arch::Gfx942);
  ASSERT_TRUE(probe);
  for (const Cell &row : rowsOf(probe.text(), "matrixRows"))
    for (size_t operand : {9, 10, 11}) {
      Cell changed = row;
      std::vector<Cell> &bases = changed.list[operand].list[2].list;
      std::swap(bases.front(), bases.back());
      EXPECT_FALSE(MatrixCheck(probe, changed, true).holds())
          << row.list[0].text << ", operand " << operand;
    }
}

//===-- Transposing reads --------------------------------------------------===//

// name, source, confidence, chips, kernel, element bits, lane bits, sources. Rows
// without a source are only measured on a card, and refused by the machine.
TEST(Probe, TransposingReadsHoldOnTheMachine) {
  const Probe &probe = probeFor(isa::Arch::Gfx950);
  ASSERT_TRUE(probe);
  unsigned checked = 0, refused = 0;
  for (const Cell &row : rowsOf(probe.text(), "transposeRows")) {
    const unsigned bits = unsigned(row.list[5].number()), laneBits = unsigned(row.list[6].number());
    const std::vector<uint32_t> sources = row.list[7].words();
    Words in(kLanes * 4), out(kLanes * 4);
    if (sources.empty()) {
      EXPECT_NE(probe.run(row.list[4].text, {&in, &out}).find("no source"), std::string::npos);
      ++refused;
      continue;
    }
    // Element i of the wave holds a number of its own; bytes, its low and high part.
    const unsigned elements = laneBits / bits, count = kLanes * elements;
    Words got(count);
    for (unsigned shift = 0; count >> shift; shift += bits) {
      std::fill(in.begin(), in.end(), 0);
      const uint32_t mask = (1u << bits) - 1;
      for (unsigned i = 0; i < count; ++i)
        in[i * bits / 32] |= (i >> shift & mask) << (i * bits % 32);
      EXPECT_EQ(probe.run(row.list[4].text, {&in, &out}), "");
      for (unsigned i = 0; i < count; ++i)
        got[i] |= (out[i * bits / 32] >> (i * bits % 32) & mask) << shift;
    }
    for (unsigned i = 0; i < count; ++i) {
      uint32_t expected = 0;
      for (size_t bit = 0; bit < sources.size(); ++bit)
        expected ^= i >> bit & 1 ? sources[bit] : 0;
      ASSERT_EQ(got[i], expected) << row.list[0].text << " element " << i;
    }
    ++checked;
  }
  EXPECT_EQ(checked, 2u);
  EXPECT_EQ(refused, 2u);
}

} // namespace
} // namespace layout_port::probe
