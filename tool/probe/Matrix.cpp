// MFMA rows: a kernel that executes the builtin once, and where each operand's
// elements lie.
#include "probe/Parts.h"

namespace layout_port::probe {
namespace {

int log2Of(int size) {
  int bits = 0;
  while (1 << bits < size)
    ++bits;
  return bits;
}

// 32-bit registers that a lane's elements fill.
int wordsOf(const isa::Fragment &fragment) {
  return (fragment.elementsPerLane * fragment.elementBits + 31) / 32;
}

// The immediates behind A, B and C. f8f6f4 takes the operand formats (0: fp8, 4: fp4)
// and E8M0 block scales, of which 127 is 2^0.
// https://www.amd.com/content/dam/amd/en/documents/instinct-tech-docs/instruction-set-architectures/amd-instinct-cdna4-instruction-set-architecture.pdf
std::string immediates(const isa::MatrixInstruction &row) {
  if (std::string_view(row.builtin).find("f8f6f4") == std::string_view::npos)
    return "0, 0, 0";
  auto format = [](isa::ElementType type) { return type == isa::ElementType::FP4 ? "4" : "0"; };
  return std::string(format(row.a)) + ", " + format(row.b) + ", 0, 127, 0, 127";
}

// {type, elements a lane, {{row, column, block} for each register bit, then lane bit}}
Result<std::string> operandText(const isa::MatrixInstruction &row, char operand,
                                isa::ElementType type) {
  const auto fragment = isa::fragmentOf(row, operand);
  if (!fragment.ok())
    return fragment.error();
  const auto layout = isa::operandLayout(row, operand);
  if (!layout.ok())
    return layout.error();
  std::string text = "{" + quoted(isa::elementTypeName(type)) + ", " +
                     std::to_string(fragment->elementsPerLane) + ", {";
  auto add = [&](const char *dim, int size) {
    for (int bit = 0; bit < log2Of(size); ++bit)
      text += "{" + std::to_string(layout->basis(dim, bit, fragment->rowDim)) + ", " +
              std::to_string(layout->basis(dim, bit, fragment->colDim)) + ", " +
              std::to_string(layout->basis(dim, bit, "block")) + "}, ";
  };
  add("register", fragment->elementsPerLane);
  add("lane", fragment->lanes);
  return text + "}}";
}

void emitKernel(Program &program, const isa::MatrixInstruction &row, const std::string &name,
                unsigned chips) {
  auto load = [&](char operand) {
    const int words = wordsOf(*isa::fragmentOf(row, operand));
    const char lower = char(operand - 'A' + 'a');
    return "  const auto " + std::string(1, lower) + " = load<" + std::to_string(words) + ">(in" +
           operand + ");\n";
  };
  program.kernels << "\n__global__ void " << name
                  << "(const unsigned *inA, const unsigned *inB, const unsigned *inC,\n"
                  << "    unsigned *out, unsigned long long active) {\n"
                  << "#if " << program.condition(chips) << "\n"
                  << load('A') << load('B') << load('C')
                  << "  if (active >> threadIdx.x & 1)\n    store(out, __builtin_amdgcn_"
                  << row.builtin << "(a, b, c, " << immediates(row) << "));\n#endif\n}\n";
}

} // namespace

Result<bool> emitMatrixRows(Program &program) {
  int number = 0;
  for (const isa::MatrixInstruction &row : isa::matrixInstructions()) {
    const unsigned chips = program.chipsOf(row);
    if (row.family != isa::MatrixFamily::Mfma || !chips)
      continue;
    const auto a =
        operandText(row, 'A', row.a == isa::ElementType::Any8 ? isa::ElementType::FP8 : row.a);
    const auto b =
        operandText(row, 'B', row.b == isa::ElementType::Any8 ? isa::ElementType::FP8 : row.b);
    const auto d = operandText(row, 'D', row.acc);
    for (const auto *operand : {&a, &b, &d})
      if (!operand->ok())
        return operand->error();
    const std::string kernel = "matrix" + std::to_string(number++);
    emitKernel(program, row, kernel, chips);
    program.matrixRows << "    {" << quoted(row.name) << ", " << quoted(row.source->what) << ", "
                       << quoted(isa::confidenceName(row.confidence)) << ", " << chips << "u, "
                       << kernel << ",\n     " << row.m << ", " << row.n << ", " << row.k << ", "
                       << row.blocks << ",\n     " << *a << ",\n     " << *b << ",\n     " << *d
                       << "},\n";
  }
  return true;
}

} // namespace layout_port::probe
