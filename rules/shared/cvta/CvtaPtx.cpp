// cvta in PTX, and the moves and width changes that stand beside it:
//
//   { .reg .u64 a; cvta.to.shared.u64 a, %1; cvt.u32.u64 %0, a; }
//   ──▶ unsigned long long ptx_a; ptx_a = lp::cvta_generic_to_shared(...); x = (unsigned)(ptx_a);
//
// https://docs.nvidia.com/cuda/parallel-thread-execution/#data-movement-and-conversion-instructions-cvta
#include "asm/Lowering.h"

#include "ptx/Opcodes.h"

namespace layout_port {

using ptx::Instruction;
using ptx::Outcome;
using ptx::Problem;

static bool takes(const Instruction &i) { return i.opcode == "cvta"; }

static Outcome<Lowered> lower(const Instruction &instruction, const ptx::Block &,
                              const Binding &binding) {
  if (const auto problem = ptx::check(instruction))
    return *problem;
  const bool toSpace = instruction.has("to");
  const bool shared = instruction.has("shared") || instruction.has("shared::cta");
  const bool global = instruction.has("global");
  if ((!shared && !global) || instruction.operands.size() != 2)
    return Problem{instruction.opcodeOffset, "cvta of a memory space other than shared or global",
                   ""};
  const auto to = binding.text(instruction.operands[0]);
  const auto from = binding.text(instruction.operands[1]);
  if (!to)
    return to.error();
  if (!from)
    return from.error();
  const std::string space = shared ? "shared" : "global";
  const std::string function =
      toSpace ? "cvta_generic_to_" + space : "cvta_" + space + "_to_generic";
  Lowered lowered;
  lowered.statement = *to + " = " + (toSpace ? "" : "(size_t)") + "lp::" + function + "(" +
                      (toSpace ? "(const void *)(" : "(size_t)(") + *from + "))";
  lowered.runtime = {function};
  lowered.reason = "an address-space cast of clang";
  return lowered;
}

const PtxLowering cvtaLowering = {"shared-cvta", takes, lower};

} // namespace layout_port
