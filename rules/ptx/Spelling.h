// Undoing the escapes of an asm template.
//
// The same PTX is spelled differently by the three places it is met in:
//
//   Extended  asm("mov.u32 %0, %%laneid;" : ...)   clang and GCC templates
//   Llvm      call asm "mov.u32 $0, %laneid;"      LLVM IR
//   Raw       asm("bar.sync 0;") or a .ptx file    no operands, no escapes
//
// unescape() turns each into plain PTX in which an operand reference is the one
// byte `operandMark`, and remembers which source byte every plain byte came
// from, so that later stages need not know which spelling they read.
//
// https://gcc.gnu.org/onlinedocs/gcc/Extended-Asm.html#AssemblerTemplate
// https://llvm.org/docs/LangRef.html#inline-asm-template-strings
#pragma once

#include "ptx/Outcome.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace layout_port::ptx {

enum class Spelling { Extended, Llvm, Raw };

// A reference to an operand of the asm statement: %3, %h3, %[name], $3, ${3:h}.
struct OperandReference {
  int index = -1;    // -1 when given by name
  std::string name;  // of %[name]
  char modifier = 0; // the letter in %h3; 0 when there is none
};

// An operand bound to "n" or "i", whose value is known. Where it stands inside a word it becomes
// part of it, as the compiler prints it: "m16n8k%14" is m16n8k64. Elsewhere it stays an operand.
struct OperandConstant {
  int index = -1;
  std::string name; // of %[name]; may be empty
  std::int64_t value = 0;
};

constexpr char operandMark = '\x01';

struct PlainText {
  std::string text;
  std::vector<std::size_t> origin; // origin[i]: source byte of text[i]; one more at the end
  std::vector<OperandReference> references; // the n-th operandMark of text
};

Outcome<PlainText> unescape(std::string_view source, Spelling spelling,
                            const std::vector<OperandConstant> &constants = {});

} // namespace layout_port::ptx
