// One GCC-style extended asm statement, read from raw tokens:
//
//   asm volatile ( "template" "pieces" : outputs : inputs : clobbers ) ;
//
// Works inside macro bodies too, where the operands are the macro's parameters:
// a PTX macro is ported once, at its definition.
#pragma once

#include "source/Tokens.h"

#include <optional>
#include <string>
#include <vector>

namespace layout_port {

struct AsmOperand {
  std::string name;       // of [name], else empty
  std::string constraint; // "=r", "+f", "l", ... pieces joined; ?how? where a macro's parameter says
  std::string expression; // source text inside the parentheses
  unsigned begin = 0, end = 0; // bytes of that text in the file
};

struct AsmStatement {
  unsigned begin = 0, end = 0; // bytes, from `asm` to the closing ')'
  size_t firstToken = 0, lastToken = 0;
  bool isVolatile = false;
  bool inMacro = false;
  // The joined template with escapes undone, when every piece is a literal.
  std::optional<std::string> text;
  size_t firstPiece = 0, lastPiece = 0; // tokens of the template
  std::vector<AsmOperand> outputs, inputs; // operand %n counts outputs first
  std::vector<std::string> clobbers;

  size_t operandCount() const { return outputs.size() + inputs.size(); }
  const AsmOperand *operand(size_t n) const;
};

// The value of one narrow string literal: escapes undone, raw strings as they are.
std::optional<std::string> literalValue(llvm::StringRef spelling);

// The asm statements of a file in order. Text that begins like one but cannot
// be read is returned in `unreadable` (index of its `asm` token).
std::vector<AsmStatement> findAsmStatements(const TokenStream &tokens,
                                            std::vector<size_t> &unreadable);

} // namespace layout_port
