#include "ptx/Opcodes.h"

#include "ptx/Forms.h"

#include <iterator>

namespace layout_port::ptx {
namespace {

constexpr Opcode rows[] = {
#define OPCODE(key, category, status, forms, reason, advice, issue)                                \
  {key, Category::category, Status::status, forms, reason, advice, issue},
#include "ptx/Opcodes.inc"
#undef OPCODE
};

// The number of words of `key`, or 0 when one of them is not in `instruction`.
unsigned wordsMet(std::string_view key, const Instruction &instruction) {
  unsigned words = 0;
  while (!key.empty()) {
    const std::size_t dot = key.find('.');
    const std::string_view word = key.substr(0, dot);
    key.remove_prefix(dot == std::string_view::npos ? key.size() : dot + 1);
    const bool met = words == 0 ? word == instruction.opcode : instruction.has(word);
    if (!met)
      return 0;
    ++words;
  }
  return words;
}

Problem notPorted(const Instruction &instruction, const Opcode &row) {
  return {instruction.opcodeOffset, std::string(row.key) + ": " + std::string(row.reason),
          std::string(row.advice)};
}

} // namespace

const Opcode *beginOpcodes() { return std::begin(rows); }
const Opcode *endOpcodes() { return std::end(rows); }

const Opcode *findOpcode(const Instruction &instruction) {
  const Opcode *best = nullptr;
  unsigned most = 0;
  for (const Opcode &row : rows) {
    const unsigned words = wordsMet(row.key, instruction);
    if (words > most) {
      best = &row;
      most = words;
    }
  }
  return best;
}

std::optional<Problem> check(const Instruction &instruction) {
  const Opcode *row = findOpcode(instruction);
  if (!row)
    return Problem{instruction.opcodeOffset,
                   brief(instruction.opcode) + ": PTX, but no instruction this tool knows", ""};
  if (row->status != Status::Decoded)
    return notPorted(instruction, *row);
  return checkForms(instruction, row->key, row->forms);
}

std::string_view name(Category category) {
  static constexpr std::string_view names[] = {
      "matrix", "async",  "move",   "convert", "arithmetic", "logic",   "compare", "shuffle",
      "vote",   "memory", "atomic", "sync",    "control",    "texture", "video",   "cluster"};
  return names[static_cast<int>(category)];
}

std::string_view name(Status status) {
  static constexpr std::string_view names[] = {"decoded", "refused", "not yet"};
  return names[static_cast<int>(status)];
}

} // namespace layout_port::ptx
