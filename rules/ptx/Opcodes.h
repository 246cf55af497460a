// The typed view of Opcodes.inc: what the port knows of each PTX instruction.
//
//   const Opcode *row = findOpcode(instruction);
//   nullptr           → PTX, but no instruction this table knows: manual
//   Status::Refused   → manual, with the row's reason and advice
//   Status::NotYet    → manual, with the row's reason
//   Status::Decoded   → check() it, then decode() it (decode/Decode.h)
#pragma once

#include "ptx/Ast.h"
#include "ptx/Outcome.h"

#include <optional>
#include <string_view>

namespace layout_port::ptx {

enum class Category {
  Matrix,
  Async,
  Move,
  Convert,
  Arithmetic,
  Logic,
  Compare,
  Shuffle,
  Vote,
  Memory,
  Atomic,
  Sync,
  Control,
  Texture,
  Video,
  Cluster,
};

enum class Status {
  Decoded, // decode() gives its meaning; whether a rule lowers it is that rule's to say
  Refused, // known, and AMD has nothing like it: reason and advice say what to do
  NotYet,  // known, could be ported, is not yet
};

struct Opcode {
  std::string_view key; // "cp.async.wait_group": the opcode and the modifiers that name it
  Category category;
  Status status;
  std::string_view forms; // see Forms.h; empty when not Decoded
  std::string_view reason;
  std::string_view advice;
  int issue; // the issue that owns its lowering
};

// All rows, in the order of Opcodes.inc.
const Opcode *beginOpcodes();
const Opcode *endOpcodes();

// The row whose key's words all occur in the instruction, in any order; the one
// with most words when several do.
const Opcode *findOpcode(const Instruction &instruction);

// Nothing when the instruction is known and spelled as its row allows. Otherwise
// one line for the report, e.g. "wgmma is not ported: ...".
std::optional<Problem> check(const Instruction &instruction);

std::string_view name(Category category);
std::string_view name(Status status);

} // namespace layout_port::ptx
