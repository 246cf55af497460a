// Every way to spell an instruction of the opcode table, from the table itself: a new row
// or a new form is tested without a line written here.
//
//   OPCODE("shl", ..., "@b : d s s")  ──▶  shl.b16 shl.b32 shl.b64
//   "lo|hi u32|s32{2} : d s s s"      ──▶  the first alternatives, and each other one alone
//
// Every alternative of a form occurs at least once; not every combination does.
#pragma once

#include "ptx/Ast.h"
#include "ptx/Opcodes.h"

#include <string>
#include <vector>

namespace layout_port::ptx {

// An instruction as it may be spelled, and what its operands are: letters of Forms.h, of
// those operands that this spelling takes.
struct Spelled {
  std::string text; // "add.rn.f32"
  std::vector<char> operands;
};

// Those of a decoded row that the decoder takes, in the order of its forms: each alternative
// once, and with `inPairs` any two together where they are few.
std::vector<Spelled> spellingsOf(const Opcode &row, bool inPairs);

// Why a spelling is not ported, in the words of the report; null for what is. Unported.inc.
const char *unportedReason(const Spelled &spelled);

// One statement with its asm operands bound: operand N of the asm is `outputs[N]` or, behind
// those, `inputs`.
struct BoundAsm {
  std::string text;                 // "add.rn.f32 %0, %1, %2;"
  std::vector<std::string> outputs; // "\"=f\"(f[0])"
  std::vector<std::string> inputs;
};

// Binds a spelling to the arrays r, l, h, f and d of a kernel (one a register class of
// PTX), and to its __shared__ array s.
BoundAsm bind(const Spelled &spelling);

// __global__ void NAME(unsigned *r, unsigned long long *l, unsigned short *h, float *f,
// double *d) with that one statement.
std::string kernelOf(const std::string &name, const BoundAsm &statement);

} // namespace layout_port::ptx
