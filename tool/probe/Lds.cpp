// LDS rows: transposing reads with what each lane must get, and, for the phases,
// access patterns with the passes that the tables predict.
//
// A pattern is linear over F2: lane l is at the XOR of the vectors of its bits. Of
// many random ones those are taken whose predicted passes differ, first the ones that
// lanes taken in sequence would serve in another number of passes: these tell the
// row's phases from the obvious ones.
#include "probe/Parts.h"

#include "layout_port/layouts/Banks.h"
#include "layout_port/layouts/Lds.h"

#include <map>
#include <random>

namespace layout_port::probe {
namespace {

constexpr int lanes = 64, laneBits = 6;
constexpr uint64_t ldsBytes = 16384; // that the patterns reach
constexpr int candidates = 2000, perPassCount = 2, patternsPerRow = 10;

struct Pattern {
  std::vector<uint64_t> vectors; // one a lane bit, bytes
  int passes = 0;
  bool telling = false;
};

LaneAddresses addressesOf(const std::vector<uint64_t> &vectors) {
  LaneAddresses addresses(lanes);
  for (int lane = 0; lane < lanes; ++lane) {
    uint64_t address = 0;
    for (int bit = 0; bit < laneBits; ++bit)
      if (lane >> bit & 1)
        address ^= vectors[bit];
    addresses[lane] = address;
  }
  return addresses;
}

uint64_t alignmentOf(int bytes) {
  uint64_t alignment = 1;
  while (alignment < uint64_t(bytes))
    alignment *= 2;
  return alignment;
}

// The same instruction, had it phases of neighbouring lanes.
isa::LdsInstruction inSequence(isa::LdsInstruction row) {
  for (size_t i = 0; i < row.phaseSpan.size(); ++i)
    row.phaseSpan[i] = 1u << i;
  return row;
}

std::vector<Pattern> patternsOf(const isa::LdsInstruction &row) {
  std::mt19937_64 random(row.bytes * 131 + row.banks);
  std::map<int, std::vector<Pattern>> byPasses;
  const uint64_t alignment = alignmentOf(row.bytes);
  for (int i = 0; i < candidates; ++i) {
    Pattern pattern;
    // Fewer low bits make more conflicts.
    const uint64_t allowed = ~uint64_t(0) << (random() % 9);
    for (int bit = 0; bit < laneBits; ++bit)
      pattern.vectors.push_back(random() % ldsBytes & ~(alignment - 1) & allowed);
    const LaneAddresses addresses = addressesOf(pattern.vectors);
    pattern.passes = countBankConflicts(row, addresses).passes;
    pattern.telling = countBankConflicts(inSequence(row), addresses).passes != pattern.passes;
    auto &same = byPasses[pattern.passes];
    if (pattern.telling)
      same.insert(same.begin(), pattern);
    else
      same.push_back(pattern);
  }
  std::vector<Pattern> chosen;
  for (auto &[passes, same] : byPasses)
    for (int i = 0; i < perPassCount && i < int(same.size()) && chosen.size() < patternsPerRow; ++i)
      chosen.push_back(same[i]);
  return chosen;
}

std::string vectorsText(const std::vector<uint64_t> &vectors) {
  std::string text = "{";
  for (uint64_t vector : vectors)
    text += std::to_string(vector) + ", ";
  return text + "}";
}

bool startsWith(std::string_view text, std::string_view head) {
  return text.substr(0, head.size()) == head;
}

std::string emitLdsKernel(Program &program, const std::string &instruction, int bytes,
                          unsigned chips, int number) {
  const std::string name = "lds" + std::to_string(number);
  program.kernels << "\n__global__ void " << name
                  << "(const unsigned *addresses, unsigned long long *clocks) {\n#if "
                  << program.condition(chips) << "\n  TIME_LDS_"
                  << (startsWith(instruction, "ds_write") ? "WRITE" : "READ") << "("
                  << quoted(instruction) << ", " << (bytes + 3) / 4 << ");\n#endif\n}\n";
  return name;
}

} // namespace

Result<bool> emitLdsRows(Program &program) {
  int number = 0;
  for (size_t i = 0; i < program.archs.size(); ++i)
    for (const std::string &name : isa::ldsInstructionNames(program.archs[i])) {
      const auto row = isa::ldsInstruction(name, program.archs[i]);
      if (!row.ok())
        return row.error();
      const std::string kernel = emitLdsKernel(program, name, row->bytes, 1u << i, number++);
      program.ldsRows << "    {" << quoted(name) << ", " << quoted(row->source->what) << ", "
                      << quoted(isa::confidenceName(row->confidence)) << ", " << (1u << i) << "u, "
                      << kernel << ", {\n";
      for (const Pattern &pattern : patternsOf(*row))
        program.ldsRows << "      {" << vectorsText(pattern.vectors) << ", " << pattern.passes
                        << "},\n";
      program.ldsRows << "    }},\n";
    }
  return true;
}

namespace {

// Where each lane's elements come from: the number of the element that lane s
// addressed as its r-th is s * elements + r, which is linear in the bits.
Result<std::string> transposeSources(const isa::LdsTransposeRead &read) {
  if (read.confidence == isa::Confidence::Unknown)
    return std::string(); // the program prints what it measures
  const auto layout = isa::transposeReadLayout(read);
  if (!layout.ok())
    return layout.error();
  const uint64_t elements = read.laneBits / read.elementBits;
  std::string text;
  for (const LayoutDim &in : layout->ins())
    for (int bit = 0; bit < in.bits; ++bit)
      text += std::to_string(layout->basis(in.name, bit, "src_lane") * elements +
                             layout->basis(in.name, bit, "src_register")) +
              ", ";
  return text;
}

// The builtins are overloaded by their vector of 16-bit elements or 32-bit words.
std::string transposeBuiltin(const isa::LdsTransposeRead &read) {
  return std::string("__builtin_amdgcn_") + read.builtin +
         (read.elementBits == 16 ? "_v" + std::to_string(read.laneBits / 16) + "i16"
                                 : "_v" + std::to_string(read.laneBits / 32) + "i32");
}

} // namespace

Result<bool> emitTransposeRows(Program &program) {
  int number = 0;
  for (size_t i = 0; i < program.archs.size(); ++i)
    for (const isa::LdsTransposeRead &read : isa::ldsTransposeReads(program.archs[i])) {
      const auto sources = transposeSources(read);
      if (!sources.ok())
        return sources.error();
      const std::string kernel = "transpose" + std::to_string(number++);
      const std::string element = read.elementBits == 16 ? "short" : "int";
      program.kernels << "\n__global__ void " << kernel
                      << "(const unsigned *in, unsigned *out) {\n#if " << program.condition(1u << i)
                      << "\n  using V = Vector<" << element << ", "
                      << read.laneBits / (read.elementBits == 16 ? 16 : 32) << ">;\n  store(out, "
                      << transposeBuiltin(read) << "(stage<V>(in)));\n#endif\n}\n";
      program.transposeRows << "    {" << quoted(read.name) << ", " << quoted(read.source->what)
                            << ", " << quoted(isa::confidenceName(read.confidence)) << ", "
                            << (1u << i) << "u, " << kernel << ", " << read.elementBits << ", "
                            << read.laneBits << ", {" << *sources << "}},\n";
    }
  return true;
}

} // namespace layout_port::probe
