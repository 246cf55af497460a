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

// Words of a cast, not of what is cast.
bool isTypeWord(llvm::StringRef word) {
  static constexpr llvm::StringRef words[] = {
      "const",  "volatile", "unsigned", "signed", "int",  "short", "long",  "char",
      "float",  "double",   "half",     "half2",  "auto", "bool",  "uint2", "uint4",
      "struct", "int2",     "int4",     "float2", "this", "float4"};
  return word.ends_with("_cast") || word.ends_with("_t") || llvm::is_contained(words, word);
}

// The variables an expression like d[i], *p, v.x or ((unsigned *)&x)[k] may write: its
// names outside of subscripts.
std::vector<llvm::StringRef> writtenNames(llvm::StringRef expression) {
  std::vector<llvm::StringRef> names;
  int subscript = 0;
  char before = 0; // of the word; '.' and '>' come before members
  while (!expression.empty()) {
    const llvm::StringRef word = expression.take_while(isWordChar);
    const bool isMember = before == '.' || before == '>';
    if (subscript == 0 && !word.empty() && !isMember && !llvm::isDigit(word[0]) &&
        !isTypeWord(word))
      names.push_back(word);
    if (word.empty()) {
      subscript += expression[0] == '[';
      subscript -= expression[0] == ']';
    }
    before = expression[0];
    expression = expression.drop_front(std::max<size_t>(1, word.size()));
  }
  return names;
}

// May writing `output` change what `input` gives? By names: arrays and pointers of
// different names are taken as different memory.
bool mayChange(const AsmOperand &output, const AsmOperand &input) {
  if (mentions(input.expression, output.expression))
    return true;
  return llvm::any_of(writtenNames(output.expression),
                      [&](llvm::StringRef name) { return mentions(input.expression, name); });
}

class Preparer {
public:
  Preparer(const ptx::Block &block, const AsmStatement &statement, const std::set<size_t> &once,
           Binding &binding, std::vector<std::string> &preamble)
      : block_(block), statement_(statement), once_(once), binding_(binding), preamble_(preamble) {}

  std::string run() {
    const size_t outputs = statement_.outputs.size();
    names_.resize(statement_.operandCount());
    kept_.resize(statement_.operandCount());
    for (size_t i = 0; i < statement_.operandCount(); ++i)
      kept_[i] = once_.count(i) || hasSideEffects(statement_.operand(i)->expression);
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
      if (binding_.crossed.count(i) != binding_.crossed.count(output))
        return "the input '" + statement_.operand(i)->expression +
               "' is tied to an output of another type: copy its bits first";
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
    const std::optional<ptx::Type> held = binding_.typeOf(i);
    if (!held || (statement_.operand(i)->constraint == "n" && !once_.count(i)))
      return "the operand '" + statement_.operand(i)->expression +
             "' has a side effect: name its value first";
    const std::string type = variableType(*held).str();
    names_[i] = "lp_in" + std::to_string(i);
    preamble_.push_back("const " + type + " " + names_[i] + " = (" + type + ")(" + quoted(i) + ")");
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
  const std::set<size_t> &once_;
  Binding &binding_;
  std::vector<std::string> &preamble_;
  std::vector<std::pair<size_t, size_t>> ties_; // input, output
  std::vector<std::string> names_;
  std::vector<bool> kept_;
};

} // namespace

// Functions of CUDA and casts that only look at their arguments.
static bool isPureCall(llvm::StringRef name) {
  return isTypeWord(name) || name.starts_with("__cvta_") || name.contains("_as_") ||
         name.contains("2float") || name.starts_with("__ld") || name == "sizeof";
}

bool calls(llvm::StringRef expression) {
  const std::string text = expression.str();
  const TokenStream tokens(text);
  for (size_t i = 0; i + 1 < tokens.size(); ++i)
    if (tokens[i].kind == clang::tok::raw_identifier && !isPureCall(tokens.spelling(i)) &&
        (tokens.is(i + 1, "(") || tokens.is(i + 1, "<")))
      return true;
  return false;
}

std::string prepareOperands(const ptx::Block &block, const AsmStatement &statement,
                            const std::set<size_t> &once, Binding &binding,
                            std::vector<std::string> &preamble) {
  return Preparer(block, statement, once, binding, preamble).run();
}

} // namespace layout_port
