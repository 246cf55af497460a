// Macros that stand for `asm` and its qualifiers:
//
//   #define ASM asm volatile
//   ASM("membar.gl;");
//
// Where the macro is defined in the same file, its uses are asm statements like others.
#pragma once

#include "source/Tokens.h"

#include <set>
#include <string>

namespace layout_port {

// The names of such macros that a file defines.
std::set<std::string> asmAliases(const TokenStream &tokens);

// Is token i in the definition of one?
bool isInAsmAlias(const TokenStream &tokens, size_t i);

} // namespace layout_port
