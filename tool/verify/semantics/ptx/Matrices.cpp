// See PtxDecoder.h. mma, ldmatrix, stmatrix, movmatrix, by the rows of layouts/isa.
#include "semantics/Matrix.h"
#include "semantics/ptx/PtxDecoder.h"

namespace layout_port::verify {

// The registers of a matrix operand of `type`. Numbers, and results that nobody wants, get one of
// their own.
Regs PtxDecoder::registers(const std::vector<const Operand *> &operands, unsigned &bits,
                           Type type) {
  bits = type == Type::F64 ? 64 : 32;
  const bool isFloat = type == Type::F32 || type == Type::F64;
  Regs regs;
  for (const Operand *operand : operands) {
    if (operand->is(Operand::Kind::Immediate)) {
      regs.push_back(immediate(*operand, isFloat ? scalarOf(type) : Scalar{bits}));
      continue;
    }
    if (operand->is(Operand::Kind::Sink)) {
      regs.push_back(d_.fresh({bits}));
      continue;
    }
    const Binding *binding = find(*operand);
    if (!binding) {
      d_.fail("PTX: a matrix operand is not a register");
      return regs;
    }
    bits = binding->scalar.bits;
    regs.push_back(binding->reg);
  }
  return regs;
}

bool PtxDecoder::run(const ptx::Mma &mma) {
  const auto element = [](Type type) {
    const Scalar scalar = scalarOf(type);
    return MatrixElement{scalar.format, scalar.bits, ptx::isSigned(type), type == Type::TF32};
  };
  const auto row = isa::findMatrixInstruction(mma.fragment, isa::Arch::Nvidia);
  if (!row) {
    d_.fail(row.error().message);
    return false;
  }
  MatrixCall call;
  call.row = *row;
  if (mma.blocks == 4 && mma.typeC != mma.typeD) {
    // The four-block m8n8k4 lets an f32 D start from an f16 C, which lies otherwise.
    const auto rowC = isa::findMatrixInstruction(mma.fragment.substr(0, mma.fragment.rfind('.')) +
                                                     "." + std::string(ptx::spell(mma.typeC)),
                                                 isa::Arch::Nvidia);
    if (!rowC) {
      d_.fail(rowC.error().message);
      return false;
    }
    call.rowC = *rowC;
  }
  call.a = registers(mma.a, call.bitsA, mma.typeA);
  call.b = registers(mma.b, call.bitsB, mma.typeB);
  call.c = registers(mma.c, call.bitsC, mma.typeC);
  call.d = registers(mma.d, call.bitsD, mma.typeD);
  call.elementA = element(mma.typeA);
  call.elementB = element(mma.typeB);
  call.elementC = element(mma.typeC);
  call.elementD = element(mma.typeD);
  call.saturate = mma.satfinite;
  emitMatrix(d_, call);
  return true;
}

bool PtxDecoder::run(const ptx::MatrixMove &move) {
  if (move.kind == ptx::MatrixMove::Kind::Transpose) {
    const Reg source = read(*move.source, Scalar{32}), result = d_.fresh({32});
    d_.emit(runMatrixTranspose, InstructionClass::CrossLane, result, source);
    write(*move.registers[0], result, {32});
    return true;
  }
  bool narrow = false;
  const Reg at = address(*move.address, narrow);
  unsigned bits = 32;
  const Regs regs = registers(move.registers, bits, Type::B32);
  if (bits != 32)
    return fail("its registers have 32 bits");
  return emitMatrixMove(d_, move.name, regs, at,
                        move.space == ptx::Space::Generic ? Space::Generic : Space::Shared, narrow,
                        move.kind == ptx::MatrixMove::Kind::Store);
}

} // namespace layout_port::verify
