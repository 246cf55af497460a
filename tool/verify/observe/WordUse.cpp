// See WordUse.h.
#include "observe/WordUse.h"

#include "machine/FloatOps.h"
#include "semantics/Matrix.h"

namespace layout_port::verify {

void WordUse::look(const Wave &wave, Reg reg) {
  if (!reg.valid() || !wave.holdsPayload(reg))
    return;
  numbers_ = true;
  // A register may hold several, or a bf16 above zeros that make an f32 of it.
  const uint32_t code = wave.meta(reg).code, one = payloadCode(bytes_);
  bool isWhole = code == one || (bytes_ == 2 && code == one << 8);
  for (unsigned count = 2; count * bytes_ <= 4; ++count) {
    uint32_t several = 0;
    for (unsigned i = 0; i < count; ++i)
      several |= one << (4 * bytes_ * i);
    isWhole |= code == several;
  }
  apart_ |= !isWhole;
}

void WordUse::onInstruction(const Wave &wave, const Op &op) {
  if (op.run == runMatrix) {
    const auto &plan = *static_cast<const MatrixPlan *>(op.data);
    for (const MatrixOperand *operand : {&plan.a, &plan.b, &plan.c})
      for (Reg reg : operand->regs)
        if (operand->element.format != FloatFormat::None)
          look(wave, reg);
  } else if (op.kind == uint8_t(InstructionClass::Float) && !readsIntegers(op.run)) {
    for (Reg reg : {op.a, op.b, op.c})
      look(wave, reg);
  }
}

} // namespace layout_port::verify
