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
#include "source/AsmStatement.h"

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
// cannot capture a variable of the author's ("l"(p) beside `.reg .pred p`).
inline std::string registerVariable(const std::string &name) { return "ptx_" + name; }

// The C++ text behind PTX operands: asm operands quote the author's expressions.
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

private:
  const AsmOperand *bound(const ptx::Operand &operand) const;

  const AsmStatement &statement_;
  Tier best_;
};

struct PtxLowering {
  const char *rule;
  bool (*takes)(const ptx::Instruction &);
  ptx::Outcome<Lowered> (*lower)(const ptx::Instruction &, const ptx::Block &, const Binding &);
};

// One a rule folder.
extern const PtxLowering mmaLowering;
extern const PtxLowering ldmatrixLowering;
extern const PtxLowering cpAsyncLowering;
extern const PtxLowering cvtaLowering;
extern const PtxLowering cvtLowering;
extern const PtxLowering setpLowering;

} // namespace layout_port
