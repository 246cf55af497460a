// PTX text that a macro builds from its parameters, and what can be done about it.
//
//   #define LUT(d, a, b, c, lut) asm("lop3.b32 %0,%1,%2,%3," #lut ";" : ...)
//       `#lut` stands where an operand stands: it is one, a constant named lut, and the
//       macro is ported once, whatever it is used with.
//
//   #define CVT(to, from, d, s) asm("cvt.rn." #to "." #from " %0, %1;" : ...)
//       The instruction itself differs. The macro becomes one macro for each text its
//       uses expand to, and each use names the one it means:
//
//   #define CVT_f16_f32(to, from, d, s) ...
//   #define CVT_bf16_f32(to, from, d, s) ...
//       CVT(f16, f32, x, y)    ──▶  CVT_f16_f32(f16, f32, x, y)
//
//   #define LD(T, how, d, p) asm("ld.global." #T " %0, [%1];" : how(d) : "l"(p))
//       The same where uses differ in the constraints: LD(f32, "=f", x, p).
#pragma once

#include "source/Program.h"

#include <optional>
#include <string>
#include <vector>

namespace layout_port {

// The `#define` around an asm statement.
struct MacroAround {
  size_t name = 0;                     // its token
  size_t body = 0;                     // first token of the body
  unsigned begin = 0, end = 0;         // bytes of the directive
  std::vector<std::string> parameters; // "__VA_ARGS__" and all

  bool hasParameter(llvm::StringRef word) const;
};

std::optional<MacroAround> macroAround(const SourceFile &file, const AsmStatement &statement);

// Does the text of the asm depend on what the macro is called with?
bool isBuiltFromParameters(const SourceFile &file, const AsmStatement &statement,
                           const MacroAround &macro);

// The statement with `#x` in its template as an operand named x; nothing where a piece is
// neither that nor a literal.
std::optional<AsmStatement> withParametersAsOperands(const SourceFile &file,
                                                     const AsmStatement &statement,
                                                     const MacroAround &macro);

// One text, and where the macro is used that expands to it.
struct TextOfUses {
  std::string text;
  std::vector<Place> uses;
};

// The texts in the order of their first use. `reason` says why there are none.
std::vector<TextOfUses> textsByUse(const Program &program, unsigned f,
                                   const AsmStatement &statement, const MacroAround &macro,
                                   std::string &reason);

// Is a constraint of the statement built from parameters, as in `"=" #letter (x)`?
bool hasBuiltConstraints(const AsmStatement &statement);

// The statement with the constraints that this use of the macro gives it; nothing where an
// argument is no literal.
std::optional<AsmStatement> withConstraintsOf(const Program &program, const AsmStatement &statement,
                                              const MacroAround &macro, Place use);

// Does the program name the macro where no expansion of it was seen?
bool hasUnseenUses(const Program &program, unsigned f, const AsmStatement &statement,
                   const MacroAround &macro);

// Does any use of the macro pass an argument with a side effect?
bool passesSideEffects(const Program &program, llvm::StringRef macroName);

// What tells a use's text from others', as part of a name: CVT(f16, f32, ..) is "f16_f32".
std::string suffixOf(const Program &program, unsigned f, const AsmStatement &statement,
                     const MacroAround &macro, Place use);

} // namespace layout_port
