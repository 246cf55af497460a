// Small questions about tokens that several rules ask.
#pragma once

#include "Rule.h"
#include "source/Program.h"

namespace layout_port {

// `name(`: a use of the identifier as a call, outside of its own #define.
bool isCallOf(const TokenStream &tokens, size_t i, llvm::StringRef name);

// Calls visit(file number, file, token index) for every identifier token of
// every user file, except the names that `#define` defines, directive names and
// what lies inside asm statements.
template <typename Visit> void forEachIdentifier(const Program &program, Visit visit);

// Does evaluating this text twice, or not at all, change anything? Judged by
// the operators in it (++, --, assignments); calls are taken as pure.
bool hasSideEffects(llvm::StringRef expression);

// A site for tokens [first, last) of `file`.
Site siteAt(const SourceFile &file, unsigned fileNumber, size_t first, size_t last,
            llvm::StringRef rule, llvm::StringRef construct, Tier tier, llvm::StringRef reason);

// Is token i the macro name in `#define NAME` or `#undef NAME`, `#ifdef NAME`?
bool isMacroNameInDirective(const TokenStream &tokens, size_t i);

template <typename Visit> void forEachIdentifier(const Program &program, Visit visit) {
  for (unsigned f = 0; f < program.files.size(); ++f) {
    const SourceFile &file = program.file(f);
    for (size_t i = 0; i < file.tokens.size(); ++i)
      if (file.tokens[i].kind == clang::tok::raw_identifier &&
          !isMacroNameInDirective(file.tokens, i))
        visit(f, file, i);
  }
}

} // namespace layout_port
