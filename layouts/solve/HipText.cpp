// Prints a word program as HIP, one operation a line, with clang's builtins.
#include "layout_port/layouts/WordProgram.h"

#include <cstdlib>
#include <map>

namespace layout_port {

namespace {

// C++ for a function of the thread, in the least terms: bits that go together by one
// shift are masked together.
std::string affineText(const AffineBits &map) {
  std::map<int, uint64_t> shifted; // distance -> thread bits that only move
  std::string text;
  const auto term = [&](const std::string &part) { text += (text.empty() ? "" : " ^ ") + part; };
  for (size_t t = 0; t < map.columns.size(); ++t) {
    const uint64_t column = map.columns[t];
    if (f2::popcount(column) == 1)
      shifted[f2::lowestBit(column) - static_cast<int>(t)] |= uint64_t(1) << t;
    else if (column)
      term("(thread >> " + std::to_string(t) + " & 1) * " + std::to_string(column) + "u");
  }
  for (const auto &[distance, mask] : shifted) {
    std::string part = "(thread & " + std::to_string(mask) + ")";
    if (distance)
      part =
          "(" + part + (distance > 0 ? " << " : " >> ") + std::to_string(std::abs(distance)) + ")";
    term(part);
  }
  if (map.offset || text.empty())
    term(std::to_string(map.offset) + "u");
  return text;
}

std::string parityText(uint64_t mask) {
  if (f2::popcount(mask) == 1)
    return "(thread & " + std::to_string(mask) + ")";
  return "(__builtin_popcount(thread & " + std::to_string(mask) + ") & 1)";
}

class Printer {
public:
  explicit Printer(const WordProgram &program) : program_(program) {}

  Result<std::string> print(const std::string &name) {
    text_ = "__device__ __forceinline__ void " + name + "(const unsigned (&in)[" +
            std::to_string(program_.inputs) + "], unsigned (&out)[" +
            std::to_string(program_.outputs.size()) + "]) {\n";
    const int bits = program_.laneBits + program_.groupBits;
    line("const unsigned thread = threadIdx.x & " + std::to_string((1u << bits) - 1) + ";");
    int next = program_.inputs;
    for (const WordOp &op : program_.ops) {
      const Result<bool> printed = this->op(op, next);
      if (!printed)
        return printed.error();
      next += op.kind == WordOp::Kind::Swap ? 2 : 1;
    }
    for (size_t i = 0; i < program_.outputs.size(); ++i)
      if (program_.outputs[i] >= 0)
        line("out[" + std::to_string(i) + "] = " + value(program_.outputs[i]) + ";");
    return text_ + "}\n";
  }

private:
  void line(const std::string &text) { text_ += "  " + text + "\n"; }
  std::string value(int number) const {
    return number < program_.inputs ? "in[" + std::to_string(number) + "]"
                                    : "v" + std::to_string(number);
  }

  Result<bool> op(const WordOp &op, int made) {
    const std::string head = "const unsigned v" + std::to_string(made) + " = ";
    const std::string a = value(op.a), b = op.b < 0 ? "" : value(op.b);
    switch (op.kind) {
    case WordOp::Kind::Select:
      line(head + parityText(op.mask) + " ? " + a + " : " + b + ";");
      break;
    case WordOp::Kind::Permute:
      line(head + "__builtin_amdgcn_perm(" + a + ", " + b + ", " + affineText(op.amount) + ");");
      break;
    case WordOp::Kind::Field:
      line(head + (b.empty() ? "" : b + " | ") + "(" + a + " >> (" + affineText(op.amount) +
           ") & " + std::to_string(op.fieldMask) + "u) << " + std::to_string(op.place) + ";");
      break;
    case WordOp::Kind::Move:
      if (!op.move.move)
        return makeError("a shuffle of NVIDIA has no HIP text");
      line(head + isa::moveText(*op.move.move, a, controlText(op), "", "0") + ";");
      break;
    case WordOp::Kind::Swap:
      line("const auto p" + std::to_string(made) + " = " + isa::moveText(*op.move.move, a, "", b) +
           ";");
      line(head + "p" + std::to_string(made) + "[0], v" + std::to_string(made + 1) + " = p" +
           std::to_string(made) + "[1];");
      break;
    }
    return true;
  }

  static std::string controlText(const WordOp &op) {
    if (op.move.move->kind == isa::MoveKind::Gather)
      return std::to_string(op.move.control);
    return "4 * (" + affineText(op.amount) + ")";
  }

  const WordProgram &program_;
  std::string text_;
};

} // namespace

Result<std::string> hipText(const WordProgram &program, const std::string &name) {
  return Printer(program).print(name);
}

} // namespace layout_port
