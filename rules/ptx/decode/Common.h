// Small questions every decoder asks of an instruction.
#pragma once

#include "ptx/Ast.h"
#include "ptx/Outcome.h"
#include "ptx/Types.h"

#include <initializer_list>
#include <optional>
#include <utility>
#include <vector>

namespace layout_port::ptx {

// The memory a pointer points to.
enum class Space { Generic, Global, Shared, SharedCluster, Local, Const, Param };

// Where rounding goes: to nearest even, to nearest away from zero, to zero, to
// minus and to plus infinity. `toInteger` marks .rni and its kin.
enum class Rounding { None, NearestEven, NearestAway, Zero, Down, Up };

// The types among the modifiers, in their order: mma's are D, A, B, C.
std::vector<Type> typesOf(const Instruction &instruction);

// Offset of `modifier` in the text, or of the opcode when it is absent.
std::size_t offsetOf(const Instruction &instruction, std::string_view modifier);

// A vector's elements, or the scalar itself: the registers an operand stands for.
std::vector<const Operand *> registersOf(const Operand &operand);

// The integer of an immediate operand; nothing for any other operand.
std::optional<std::int64_t> integerOf(const Operand &operand);

Space spaceOf(const Instruction &instruction);
Rounding roundingOf(const Instruction &instruction);

// The value beside the first modifier of `choices` that the instruction has.
template <typename T>
std::optional<T> pick(const Instruction &instruction,
                      std::initializer_list<std::pair<std::string_view, T>> choices) {
  for (const auto &[modifier, value] : choices)
    if (instruction.has(modifier))
      return value;
  return std::nullopt;
}

inline Problem problemAt(std::size_t offset, std::string reason, std::string advice = "") {
  return {offset, std::move(reason), std::move(advice)};
}

} // namespace layout_port::ptx
