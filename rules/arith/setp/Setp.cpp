// setp and mov: what stands around a predicated copy.
//
//   { .reg .pred p; setp.ne.b32 p, %0, 0; @p cp.async... }
//   ──▶ do { bool ptx_p; ptx_p = (unsigned)(x) != (unsigned)(0); if (ptx_p) ...; } while (0)
//
// https://docs.nvidia.com/cuda/parallel-thread-execution/#comparison-and-selection-instructions-setp
#include "asm/Lowering.h"

#include "ptx/decode/Common.h"

namespace layout_port {

using ptx::Instruction;
using ptx::Outcome;
using ptx::Problem;

namespace {

// The C++ type in which a PTX type compares or moves; null for the others.
const char *valueType(ptx::Type type) {
  switch (type) {
  case ptx::Type::B32:
  case ptx::Type::U32:
    return "unsigned";
  case ptx::Type::S32:
    return "int";
  case ptx::Type::B64:
  case ptx::Type::U64:
    return "unsigned long long";
  case ptx::Type::S64:
    return "long long";
  default:
    return nullptr;
  }
}

const char *comparison(const Instruction &i) {
  static constexpr std::pair<const char *, const char *> names[] = {
      {"eq", "=="}, {"ne", "!="}, {"lt", "<"}, {"le", "<="}, {"gt", ">"},
      {"ge", ">="}, {"lo", "<"},  {"ls", "<="}, {"hi", ">"}, {"hs", ">="}};
  for (const auto &[modifier, text] : names)
    if (i.has(modifier))
      return text;
  return nullptr;
}

bool takes(const Instruction &i) { return i.opcode == "setp" || i.opcode == "mov"; }

Outcome<Lowered> lower(const Instruction &instruction, const ptx::Block &,
                       const Binding &binding) {
  const Problem none{instruction.opcodeOffset, "no lowering for " + instruction.spelling() + " yet",
                     ""};
  const bool isSetp = instruction.opcode == "setp";
  const std::vector<ptx::Type> types = ptx::typesOf(instruction);
  const char *type = types.size() == 1 ? valueType(types[0]) : nullptr;
  const char *compare = comparison(instruction);
  if (!type || instruction.operands.size() != (isSetp ? 3u : 2u) ||
      instruction.modifiers.size() != (isSetp ? 2u : 1u) || (isSetp && !compare))
    return none;
  std::string texts[3];
  for (size_t i = 0; i < instruction.operands.size(); ++i) {
    const auto text = binding.text(instruction.operands[i]);
    if (!text)
      return text.error();
    texts[i] = *text;
  }
  const std::string cast = std::string("(") + type + ")";
  Lowered lowered;
  lowered.reason = "plain C++";
  lowered.statement = texts[0] + " = " + cast + "(" + texts[1] + ")";
  if (isSetp)
    lowered.statement += std::string(" ") + compare + " " + cast + "(" + texts[2] + ")";
  return lowered;
}

} // namespace

const PtxLowering setpLowering = {"arith-setp", takes, lower};

} // namespace layout_port
