// mma.sync, bridged: the asm statement becomes one call that takes the author's
// registers in the author's order.
//
//   asm("mma.sync...m16n8k16...f32.f16.f16.f32 {%0,..}, {%4,..}, {%8,%9}, {%0,..};" ...)
//   ──▶ lp::mma_m16n8k16_f32_f16(d[0], .., a[0], .., b[0], b[1], d[0], ..)
#include "asm/Lowering.h"

#include "ptx/decode/Mma.h"
#include "tensor/mma/Bridge.h"

#include "llvm/ADT/STLExtras.h"

namespace layout_port {

using ptx::Instruction;
using ptx::Outcome;
using ptx::Problem;
using Kind = ptx::Operand::Kind;

static bool takes(const Instruction &i) { return i.opcode == "mma" && !i.has("sp"); }

// The first of these that is a register of the author's: all have its type.
static const ptx::Operand *firstRegister(const std::vector<const ptx::Operand *> &registers) {
  const auto found = llvm::find_if(registers, [](const ptx::Operand *operand) {
    return operand->is(Kind::AsmOperand) || operand->is(Kind::Register);
  });
  return found == registers.end() ? nullptr : *found;
}

// '_', a result that nobody wants: the function writes it all the same.
static std::string nextUnwanted(std::string &declared) {
  const std::string name =
      "unwanted" + std::to_string(llvm::count(declared, ',') + !declared.empty());
  declared += (declared.empty() ? "" : ", ") + name;
  return name;
}

// The constraint that binds a variable of this type itself, not its bits.
static char letterOf(ptx::Type type) {
  return type == ptx::Type::F64 ? 'd' : type == ptx::Type::F32 ? 'f' : 'r';
}

// A number in the place of a register of C, as the variables beside it would hold it.
static Outcome<std::string> summand(const ptx::Mma &mma, const ptx::Operand &number,
                                    const Binding &binding) {
  const ptx::Operand *beside = firstRegister(mma.c);
  const bool isFloat = mma.typeC == ptx::Type::F32 || mma.typeC == ptx::Type::F64;
  const auto value = binding.value(number, isFloat ? mma.typeC : ptx::Type::B32);
  if (!value || !beside || binding.constraint(*beside) == letterOf(mma.typeC))
    return value;
  const auto like = binding.text(*beside);
  if (!like)
    return like;
  return "__builtin_bit_cast(__typeof__(" + *like + "), " + *value + ")";
}

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
  std::string arguments, unwanted;
  for (const auto *registers : {&mma->d, &mma->a, &mma->b, &mma->c})
    for (const ptx::Operand *operand : *registers) {
      const bool isInput = registers == &mma->a || registers == &mma->b;
      const auto text = isInput                        ? binding.argument(*operand, word)
                        : operand->is(Kind::Sink)      ? nextUnwanted(unwanted)
                        : operand->is(Kind::Immediate) ? summand(*mma, *operand, binding)
                                                       : binding.text(*operand);
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
  if (!unwanted.empty()) {
    const ptx::Operand *wanted = firstRegister(mma->d);
    if (!wanted)
      return Problem{instruction.operands[0].span.begin, "a product of which nobody wants a result",
                     ""};
    const auto type = binding.text(*wanted);
    if (!type)
      return type.error();
    lowered.statement =
        "[&] { __typeof__(" + *type + ") " + unwanted + "; " + lowered.statement + "; }()";
  }
  lowered.runtime = {chunk->name};
  lowered.made = {std::move(*chunk)};
  return lowered;
}

const PtxLowering mmaLowering = {"tensor-mma", takes, lower};

} // namespace layout_port
