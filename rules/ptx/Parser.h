// parse(): the text of an asm statement → Block.
//
//   template text ──unescape──▶ plain PTX ──lex──▶ tokens ──parse──▶ Block
//
// Every opcode is accepted here, known or not: what an instruction means, and
// whether it is spelled rightly, is asked of Opcodes.h and decode/Decode.h.
// Time and memory grow linearly with the text, whatever it holds.
//
// https://docs.nvidia.com/cuda/parallel-thread-execution/#syntax
#pragma once

#include "ptx/Ast.h"
#include "ptx/Outcome.h"
#include "ptx/Spelling.h"

#include <string_view>

namespace layout_port::ptx {

struct ParseOptions {
  Spelling spelling = Spelling::Extended;
  std::vector<OperandConstant> constants = {};
  std::vector<std::string> names = {}; // of the operands: %[name] gets their number, too
  std::size_t maxBytes = std::size_t(1) << 18;
  unsigned maxNesting = 64; // of { } blocks, and of brackets inside an operand
};

// `text` is the decoded string: literals joined, \n and \t already characters.
// All spans of the result are byte offsets of `text`.
Outcome<Block> parse(std::string_view text, const ParseOptions &options = {});

} // namespace layout_port::ptx
