// mma.sync, bridged: the asm statement becomes one call that takes the author's
// registers in the author's order.
//
//   asm("mma.sync...m16n8k16...f32.f16.f16.f32 {%0,..}, {%4,..}, {%8,%9}, {%0,..};" ...)
//   ──▶ lp::mma_m16n8k16_f32_f16(d[0], .., a[0], .., b[0], b[1], d[0], ..)
#include "asm/Lowering.h"

#include "ptx/decode/Mma.h"
#include "tensor/mma/Bridge.h"

namespace layout_port {

using ptx::Instruction;
using ptx::Outcome;
using ptx::Problem;

static bool takes(const Instruction &i) { return i.opcode == "mma" && !i.has("sp"); }

static Outcome<Lowered> lower(const Instruction &instruction, const ptx::Block &,
                              const Binding &binding) {
  const auto mma = ptx::decodeMma(instruction);
  if (!mma)
    return mma.error();
  Result<RuntimeChunk> chunk = bridgeMma(*mma, binding.bestTier() > Tier::Bridged);
  if (!chunk)
    return Problem{instruction.opcodeOffset, chunk.error().message, ""};
  // A and B are registers of bits, whatever variable they are in: "f"(x) passes the
  // bits of x. C and D may be of any type of their size: the function is a template.
  const ptx::Type word = mma->typeA == ptx::Type::F64 ? ptx::Type::F64 : ptx::Type::B32;
  std::string arguments;
  for (const auto *registers : {&mma->d, &mma->a, &mma->b, &mma->c})
    for (const ptx::Operand *operand : *registers) {
      const bool isInput = registers == &mma->a || registers == &mma->b;
      const auto text = isInput ? binding.argument(*operand, word) : binding.text(*operand);
      if (!text)
        return text.error();
      arguments += (arguments.empty() ? "" : ", ") + *text;
    }
  Lowered lowered;
  const bool wholeWave = binding.bestTier() <= Tier::Bridged && hasWholeWaveArm(*mma);
  lowered.tier = wholeWave ? Tier::Bridged : Tier::Emulated;
  lowered.reason = wholeWave ? "MFMA with layout conversions around it; whether the wave is whole "
                               "is tested at run time"
                             : "each half wave multiplies by itself, without MFMA";
  lowered.statement = "lp::" + chunk->name + "(" + arguments + ")";
  lowered.runtime = {chunk->name};
  lowered.made = {std::move(*chunk)};
  return lowered;
}

const PtxLowering mmaLowering = {"tensor-mma", takes, lower};

} // namespace layout_port
