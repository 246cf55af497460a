#include "asm/Lowering.h"

#include "source/Edits.h"

#include "llvm/ADT/StringRef.h"

namespace layout_port {

using ptx::Operand;
using ptx::Outcome;
using ptx::Problem;

const AsmOperand *Binding::bound(const Operand &operand) const {
  if (!operand.is(Operand::Kind::AsmOperand))
    return nullptr;
  if (operand.index >= 0)
    return statement_.operand(operand.index);
  for (size_t i = 0; i < statement_.operandCount(); ++i)
    if (statement_.operand(i)->name == operand.name)
      return statement_.operand(i);
  return nullptr;
}

char Binding::constraint(const Operand &operand) const {
  const AsmOperand *bound = this->bound(operand);
  if (!bound)
    return 0;
  const llvm::StringRef letters = llvm::StringRef(bound->constraint).ltrim("=+&");
  return letters.empty() ? 0 : letters.back();
}

// An operand that begins or ends like a comma expression would split as arguments.
static bool needsParentheses(llvm::StringRef expression) {
  int depth = 0;
  for (const char c : expression) {
    depth += c == '(' || c == '[' || c == '{';
    depth -= c == ')' || c == ']' || c == '}';
    if (c == ',' && depth == 0)
      return true;
  }
  return false;
}

Outcome<std::string> Binding::text(const Operand &operand) const {
  switch (operand.kind) {
  case Operand::Kind::AsmOperand: {
    const AsmOperand *bound = this->bound(operand);
    if (!bound)
      return Problem{operand.span.begin, "an operand that the asm statement does not bind", ""};
    const std::string quote = sourceRange(bound->begin, bound->end);
    return needsParentheses(bound->expression) ? "(" + quote + ")" : quote;
  }
  case Operand::Kind::Register:
    return registerVariable(operand.name);
  case Operand::Kind::Immediate:
    if (operand.immediate.kind == ptx::Immediate::Kind::Integer)
      return std::to_string(static_cast<int64_t>(operand.immediate.bits));
    return Problem{operand.span.begin, "a floating-point constant inside the PTX", ""};
  case Operand::Kind::Special:
    return Problem{operand.span.begin, "no lowering for the special register %" + operand.name +
                                           " yet", ""};
  default:
    return Problem{operand.span.begin, "an operand of a kind that is not ported here", ""};
  }
}

Outcome<std::string> Binding::list(const std::vector<const Operand *> &operands) const {
  std::string joined;
  for (const Operand *operand : operands) {
    Outcome<std::string> one = text(*operand);
    if (!one)
      return one;
    joined += (joined.empty() ? "" : ", ") + *one;
  }
  return joined;
}

Outcome<std::string> Binding::address(const Operand &operand) const {
  if (!operand.is(Operand::Kind::Address) || operand.elements.size() != 1 ||
      !operand.extra.empty())
    return Problem{operand.span.begin, "an address that is not one register and an offset", ""};
  Outcome<std::string> base = text(operand.elements[0]);
  if (!base || operand.offset == 0)
    return base;
  const bool down = operand.offset < 0;
  return "(" + *base + ")" + (down ? " - " : " + ") +
         std::to_string(down ? -operand.offset : operand.offset);
}

} // namespace layout_port
