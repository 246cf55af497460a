#include "ptx/decode/Common.h"

namespace layout_port::ptx {

std::vector<Type> typesOf(const Instruction &instruction) {
  std::vector<Type> types;
  for (const std::string &m : instruction.modifiers)
    if (const std::optional<Type> type = findType(m))
      types.push_back(*type);
  return types;
}

std::size_t offsetOf(const Instruction &instruction, std::string_view modifier) {
  for (std::size_t m = 0; m < instruction.modifiers.size(); ++m)
    if (instruction.modifiers[m] == modifier)
      return instruction.modifierOffsets[m];
  return instruction.opcodeOffset;
}

std::vector<const Operand *> registersOf(const Operand &operand) {
  if (!operand.is(Operand::Kind::Vector))
    return {&operand};
  std::vector<const Operand *> registers;
  for (const Operand &e : operand.elements)
    registers.push_back(&e);
  return registers;
}

std::optional<std::int64_t> integerOf(const Operand &operand) {
  if (!operand.is(Operand::Kind::Immediate) || operand.immediate.kind != Immediate::Kind::Integer)
    return std::nullopt;
  return static_cast<std::int64_t>(operand.immediate.bits);
}

Space spaceOf(const Instruction &instruction) {
  return pick<Space>(instruction, {{"shared::cluster", Space::SharedCluster},
                                   {"shared", Space::Shared},
                                   {"shared::cta", Space::Shared},
                                   {"global", Space::Global},
                                   {"local", Space::Local},
                                   {"const", Space::Const},
                                   {"param", Space::Param},
                                   {"param::entry", Space::Param},
                                   {"param::func", Space::Param}})
      .value_or(Space::Generic);
}

Rounding roundingOf(const Instruction &instruction) {
  return pick<Rounding>(instruction, {{"rn", Rounding::NearestEven},
                                      {"rni", Rounding::NearestEven},
                                      {"rna", Rounding::NearestAway},
                                      {"rz", Rounding::Zero},
                                      {"rzi", Rounding::Zero},
                                      {"rm", Rounding::Down},
                                      {"rmi", Rounding::Down},
                                      {"rp", Rounding::Up},
                                      {"rpi", Rounding::Up}})
      .value_or(Rounding::None);
}

} // namespace layout_port::ptx
