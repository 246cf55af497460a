// What one PTX instruction becomes in HIP.
//
// An asm statement is parsed by the PTX library; each of its instructions goes
// to the first lowering that handles its opcode. A lowering is a row: the rule
// it belongs to, which instructions it takes, and a function that writes the
// statement. What no row takes, or a row refuses, is manual.
#pragma once

#include "Rule.h"
#include "device/Runtime.h"
#include "ptx/Ast.h"
#include "ptx/Outcome.h"
#include "ptx/Types.h"
#include "source/AsmStatement.h"

#include <optional>
#include <set>
#include <string>
#include <vector>

namespace layout_port {

struct Lowered {
  std::string statement; // C++, without the ';'; empty when nothing remains
  Tier tier = Tier::Emulated;
  std::string reason;
  std::vector<std::string> runtime; // chunks it calls
  std::vector<RuntimeChunk> made;   // chunks written for it
};

// The C++ variable of a register declared in the asm: a name of its own, so that it
// cannot capture a variable of the author's ("l"(p) beside `.reg .pred p`). What C++ has
// not in names, as in %tmp and $r, is written out.
std::string registerVariable(llvm::StringRef name);

// The C++ type in which a PTX type is held: floats of 16 bits and packed values are
// bits. Empty for types that no variable has.
llvm::StringRef variableType(ptx::Type type);

// The C++ text behind PTX operands: asm operands quote the author's expressions.
//
// PTX registers are bits, and instructions have types; C++ variables have both. So
// value() and assign() are told the type that the instruction gives an operand, and
// convert where the variable has another:
//
//   mov.b32 %0, %1;  "=f"(x) : "r"(n)    assign(%0, B32, value(%1, B32))
//                                        x = lp::bits<float>((unsigned)(n))
class Binding {
public:
  explicit Binding(const AsmStatement &statement, Tier best = Tier::Native)
      : statement_(statement), best_(best) {}

  // The best tier this site may get.
  Tier bestTier() const { return best_; }

  // Text for reading (or, for destinations, for writing) one scalar operand.
  ptx::Outcome<std::string> text(const ptx::Operand &operand) const;
  // The texts of several, joined by ", ".
  ptx::Outcome<std::string> list(const std::vector<const ptx::Operand *> &operands) const;
  // [address] as one integer expression.
  ptx::Outcome<std::string> address(const ptx::Operand &operand) const;
  // The constraint letter of an asm operand ('r', 'f', 'l', 'h', 'd', 'n'), 0 otherwise.
  char constraint(const ptx::Operand &operand) const;

  // The operand as a C++ value of variableType(type).
  ptx::Outcome<std::string> value(const ptx::Operand &operand, ptx::Type type) const;
  // The same where an implicit conversion will do: as an argument of a function.
  ptx::Outcome<std::string> argument(const ptx::Operand &operand, ptx::Type type) const;
  // `operand = value`, value being of variableType(type).
  ptx::Outcome<std::string> assign(const ptx::Operand &operand, ptx::Type type,
                                   const std::string &value) const;
  // An operand that must be a number known here: an immediate, or a literal bound to "n".
  std::optional<std::int64_t> constant(const ptx::Operand &operand) const;

  // Stands for asm operand `index` from now on: a local variable that holds it.
  void rename(size_t index, const std::string &name);
  // Parameters of the macro around the statement: each may stand for any expression.
  std::set<std::string> parameters;
  // Operands whose C++ type is a float in an integer register, or the reverse.
  std::set<unsigned> crossed;
  // The type of the variable behind asm operand `index`; none where it is not known.
  std::optional<ptx::Type> typeOf(size_t index) const;
  // Threads of every block, where all launches agree; 0 when unknown.
  unsigned blockThreads = 0;
  // Chunks that the texts handed out need.
  const std::set<std::string> &needs() const { return needs_; }

private:
  const AsmOperand *bound(const ptx::Operand &operand) const;
  // The number of the asm operand.
  std::optional<size_t> number(const ptx::Operand &operand) const;
  bool isCrossed(const ptx::Operand &operand) const;
  // A name of the author's that needs no parentheses behind a cast.
  bool isPlain(const ptx::Operand &operand) const;
  // The text of an operand as it may stand beside an operator.
  std::string atom(const ptx::Operand &operand, const std::string &text) const;
  ptx::Outcome<std::string> special(const ptx::Operand &operand, bool &isWide) const;
  std::string converted(const std::string &text, ptx::Type from, ptx::Type to) const;
  char constraint(const AsmOperand &operand) const;
  // The type of the variable behind an operand.
  std::optional<ptx::Type> held(const ptx::Operand &operand) const;

  const AsmStatement &statement_;
  Tier best_;
  std::vector<std::string> names_; // of renamed operands
  mutable std::set<std::string> needs_;
  mutable std::vector<std::pair<std::string, std::string>> registers_;

public:
  // PTX types of the registers that the text declares, by name.
  void declare(const std::string &name, const std::string &type) {
    registers_.push_back({name, type});
  }
};

struct PtxLowering {
  const char *rule;
  bool (*takes)(const ptx::Instruction &);
  ptx::Outcome<Lowered> (*lower)(const ptx::Instruction &, const ptx::Block &, const Binding &);
};

// One a rule folder.
extern const PtxLowering mmaLowering;
extern const PtxLowering matrixMoveLowering;
extern const PtxLowering cpAsyncLowering;
extern const PtxLowering cvtaLowering;
extern const PtxLowering cvtLowering;
extern const PtxLowering movLowering;
extern const PtxLowering scalarLowering;
extern const PtxLowering bitsLowering;
extern const PtxLowering compareLowering;
extern const PtxLowering accessLowering;
extern const PtxLowering atomicLowering;
extern const PtxLowering syncLowering;
extern const PtxLowering warpLowering;

} // namespace layout_port
