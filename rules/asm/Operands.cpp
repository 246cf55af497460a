#include "asm/Operands.h"

#include "source/Edits.h"
#include "source/Match.h"

#include "llvm/ADT/StringExtras.h"

#include <algorithm>

namespace layout_port {

namespace {

bool isWordChar(char c) { return llvm::isAlnum(c) || c == '_'; }

// `text` holds `part` as whole words.
bool mentions(llvm::StringRef text, llvm::StringRef part) {
  for (size_t at = text.find(part); at != llvm::StringRef::npos; at = text.find(part, at + 1)) {
    const size_t end = at + part.size();
    if ((at == 0 || !isWordChar(text[at - 1])) && (end == text.size() || !isWordChar(text[end])))
      return true;
  }
  return false;
}

// The variable an expression like d[i], *p or v.x begins with.
llvm::StringRef baseName(llvm::StringRef expression) {
  expression = expression.drop_while([](char c) { return !isWordChar(c); });
  return expression.take_while(isWordChar);
}

// May writing `output` change what `input` gives? By names: arrays and pointers of
// different names are taken as different memory.
bool mayChange(const AsmOperand &output, const AsmOperand &input) {
  const llvm::StringRef base = baseName(output.expression);
  return mentions(input.expression, output.expression) ||
         (!base.empty() && mentions(input.expression, base));
}

class Preparer {
public:
  Preparer(const ptx::Block &block, const AsmStatement &statement, Binding &binding,
           std::vector<std::string> &preamble)
      : block_(block), statement_(statement), binding_(binding), preamble_(preamble) {}

  std::string run() {
    const size_t outputs = statement_.outputs.size();
    names_.resize(statement_.operandCount());
    kept_.resize(statement_.operandCount());
    for (size_t i = 0; i < statement_.operandCount(); ++i)
      kept_[i] = hasSideEffects(statement_.operand(i)->expression);
    if (const std::string problem = findTies(); !problem.empty())
      return problem;
    keepWhatChanges();
    for (size_t i = outputs; i < statement_.operandCount(); ++i)
      if (kept_[i])
        if (const std::string problem = keepInput(i); !problem.empty())
          return problem;
    for (size_t i = 0; i < outputs; ++i)
      if (kept_[i])
        keepOutput(i);
    startTiedOutputs();
    return "";
  }

private:
  // Outputs that inputs are tied to, by number or name.
  std::string findTies() {
    for (size_t i = statement_.outputs.size(); i < statement_.operandCount(); ++i) {
      const llvm::StringRef constraint = statement_.operand(i)->constraint;
      size_t output = 0;
      if (constraint.starts_with("[")) {
        while (output < statement_.outputs.size() &&
               statement_.outputs[output].name != constraint.trim("[]"))
          ++output;
      } else if (constraint.getAsInteger(10, output)) {
        continue;
      }
      if (output >= statement_.outputs.size())
        return "the input '" + statement_.operand(i)->expression +
               "' is tied to an output that is not there";
      ties_.push_back({i, output});
    }
    return "";
  }

  bool isTied(size_t input) const {
    return llvm::any_of(ties_, [&](const auto &tie) { return tie.first == input; });
  }

  // Inputs that are read after an output was written which may be the same memory.
  void keepWhatChanges() {
    std::vector<size_t> written;
    for (const auto &[input, output] : ties_)
      if (statement_.operand(input)->expression != statement_.operand(output)->expression)
        written.push_back(output);
    for (const auto &[input, output] : ties_)
      for (const size_t other : written)
        kept_[input] = kept_[input] || (other != output && mayChange(*statement_.operand(other),
                                                                     *statement_.operand(input)));
    for (const ptx::Instruction &instruction : block_.instructions) {
      for (const ptx::Operand &operand : instruction.operands)
        visit(operand, [&](size_t i) { keepIfChanged(i, written); });
      if (instruction.guard)
        visit(instruction.guard->predicate, [&](size_t i) { keepIfChanged(i, written); });
      if (!instruction.operands.empty())
        visit(instruction.operands[0], [&](size_t i) {
          if (i < statement_.outputs.size())
            written.push_back(i);
        });
    }
  }
  void keepIfChanged(size_t i, const std::vector<size_t> &written) {
    if (i < statement_.outputs.size() || isTied(i))
      return;
    for (const size_t output : written)
      kept_[i] = kept_[i] || mayChange(*statement_.operand(output), *statement_.operand(i));
  }

  template <typename Visit> void visit(const ptx::Operand &operand, const Visit &f) const {
    if (operand.is(ptx::Operand::Kind::AsmOperand))
      for (size_t i = 0; i < statement_.operandCount(); ++i)
        if (operand.index >= 0 ? operand.index == static_cast<int>(i)
                               : operand.name == statement_.operand(i)->name)
          f(i);
    for (const ptx::Operand &element : operand.elements)
      visit(element, f);
  }

  std::string quoted(size_t i) const {
    return sourceRange(statement_.operand(i)->begin, statement_.operand(i)->end);
  }

  std::string keepInput(size_t i) {
    std::string constraint = statement_.operand(i)->constraint;
    for (const auto &[input, output] : ties_)
      if (input == i)
        constraint = statement_.operand(output)->constraint;
    const char *type = nullptr;
    switch (constraint.empty() ? 0 : constraint.back()) {
    case 'h':
      type = "unsigned short";
      break;
    case 'r':
      type = "unsigned";
      break;
    case 'l':
      type = "unsigned long long";
      break;
    case 'f':
      type = "float";
      break;
    case 'd':
      type = "double";
      break;
    default:
      return "the operand '" + statement_.operand(i)->expression +
             "' has a side effect: name its value first";
    }
    names_[i] = "lp_in" + std::to_string(i);
    preamble_.push_back(std::string("const ") + type + " " + names_[i] + " = (" + type + ")(" +
                        quoted(i) + ")");
    binding_.rename(i, names_[i]);
    return "";
  }

  void keepOutput(size_t i) {
    names_[i] = "lp_out" + std::to_string(i);
    preamble_.push_back("auto &" + names_[i] + " = " + quoted(i));
    binding_.rename(i, names_[i]);
  }

  // The tied input is the output's register from then on.
  void startTiedOutputs() {
    for (const auto &[input, output] : ties_) {
      const std::string to = names_[output].empty() ? quoted(output) : names_[output];
      const std::string from = names_[input].empty() ? quoted(input) : names_[input];
      if (statement_.operand(input)->expression != statement_.operand(output)->expression)
        preamble_.push_back(to + " = " + from);
      binding_.rename(input, to);
    }
  }

  const ptx::Block &block_;
  const AsmStatement &statement_;
  Binding &binding_;
  std::vector<std::string> &preamble_;
  std::vector<std::pair<size_t, size_t>> ties_; // input, output
  std::vector<std::string> names_;
  std::vector<bool> kept_;
};

} // namespace

std::string prepareOperands(const ptx::Block &block, const AsmStatement &statement,
                            Binding &binding, std::vector<std::string> &preamble) {
  return Preparer(block, statement, binding, preamble).run();
}

} // namespace layout_port
