// See PtxDecoder.h. Sums, products, minima and elementary functions of integers, floats and
// packed values; the carry flag.
#include "semantics/PtxOps.h"
#include "semantics/ptx/PtxDecoder.h"

namespace layout_port::verify {

using ptx::Operation;
using ptx::ProductPart;

static bool isBits(Operation operation) { return operation >= Operation::Popc; }

static bool readsCarry(Operation operation) {
  return operation == Operation::AddCarry || operation == Operation::SubBorrow ||
         operation == Operation::MadCarry;
}

bool PtxDecoder::run(const ptx::Arithmetic &a) {
  if (isBits(a.operation))
    return bits(a);
  if (a.carryOut || readsCarry(a.operation))
    return withCarry(a);
  if (a.leading)
    return mixedPrecision(a);
  if (a.part == ProductPart::Wide)
    return wideProduct(a);
  return elementwise(*a.destination, a.sources, a.type, [&](const Regs &in, Scalar scalar) {
    return scalar.format == FloatFormat::None ? integerResult(a, in, scalar)
                                              : limited(a, realResult(a, in, scalar), scalar);
  });
}

// fma.rn.f32.f16: the last source and the result are f32, the others are widened first.
bool PtxDecoder::mixedPrecision(const ptx::Arithmetic &a) {
  const Scalar to = scalarOf(a.type), from = scalarOf(*a.leading);
  Regs in;
  for (size_t k = 0; k + 1 < a.sources.size(); ++k)
    in.push_back(convertFloat(read(*a.sources[k], from), from.format, to));
  in.push_back(read(*a.sources.back(), to));
  write(*a.destination, limited(a, realResult(a, in, to), to), to);
  return true;
}

//===-- The carry flag -----------------------------------------------------===//

//   add.cc   d, flag = a + b            addc.cc   d, flag = a + b + flag
//   sub.cc   d, flag = a - b, borrow    subc.cc   d, flag = a - b - flag, borrow
//   mad.cc   the same with a product; without .cc the flag stays
//
// The flag outlives the statement, as on the GPU: there is one for the program.
// https://docs.nvidia.com/cuda/parallel-thread-execution/#extended-precision-integer-arithmetic-instructions
bool PtxDecoder::withCarry(const ptx::Arithmetic &a) {
  const Scalar scalar = scalarOf(a.type);
  const bool isMad = a.operation == Operation::Mad || a.operation == Operation::MadCarry;
  const bool minus = a.operation == Operation::Sub || a.operation == Operation::SubBorrow;
  const unsigned opcode = minus ? Instruction::Sub : Instruction::Add;
  Reg x = read(*a.sources[0], scalar), y = read(*a.sources[1], scalar);
  if (isMad) {
    x = product(a, scalar, x, y);
    y = read(*a.sources[2], scalar);
  }
  // A sum is smaller than its addend if it wrapped; a difference needs a < b.
  const auto step = [&](Reg from, Reg by, Reg &wrapped) {
    const Reg result = both(opcode, scalar, from, by);
    wrapped = minus ? d_.emitCompare(llvm::CmpInst::ICMP_ULT, scalar, from, by)
                    : d_.emitCompare(llvm::CmpInst::ICMP_ULT, scalar, result, from);
    return result;
  };
  Reg wrapped;
  Reg result = step(x, y, wrapped);
  if (readsCarry(a.operation)) {
    const Reg flag = d_.emitCast(Instruction::ZExt, {1}, scalar, d_.carryFlag());
    Reg again;
    result = step(result, flag, again);
    wrapped = both(Instruction::Or, {1}, wrapped, again);
  }
  if (a.carryOut)
    d_.emit(move(false), InstructionClass::Control, d_.carryFlag(), wrapped);
  write(*a.destination, result, scalar, ptx::isSigned(a.type));
  return true;
}

//===-- Integers -----------------------------------------------------------===//

Reg PtxDecoder::product(const ptx::Arithmetic &a, Scalar scalar, Reg x, Reg y) {
  if (a.part != ProductPart::High)
    return both(Instruction::Mul, scalar, x, y);
  return integerStep(ptx::isSigned(a.type) ? IntegerFunction::MulHighS : IntegerFunction::MulHighU,
                     scalar, x, y);
}

// mul24: the low 24 bits of each factor; .lo gives bits 0 to 31 of the product, .hi 16 to 47.
Reg PtxDecoder::product24(const ptx::Arithmetic &a, Reg x, Reg y) {
  const bool isSigned = ptx::isSigned(a.type);
  const auto factor = [&](Reg value) {
    return resize(d_.emitCast(Instruction::Trunc, {32}, {24}, value), {24}, {64}, isSigned);
  };
  const Reg whole = both(Instruction::Mul, {64}, factor(x), factor(y));
  const bool high = a.part == ProductPart::High;
  return resize(high ? both(Instruction::LShr, {64}, whole, number({64}, 16)) : whole, {64}, {32},
                false);
}

bool PtxDecoder::wideProduct(const ptx::Arithmetic &a) {
  const Scalar from = scalarOf(a.type), to = scalarOf(a.result);
  const bool isSigned = ptx::isSigned(a.type);
  const auto factor = [&](size_t k) {
    return resize(read(*a.sources[k], from), from, to, isSigned);
  };
  Reg value = both(Instruction::Mul, to, factor(0), factor(1));
  if (a.operation == Operation::Mad)
    value = both(Instruction::Add, to, value, read(*a.sources[2], to));
  write(*a.destination, value, to, isSigned);
  return true;
}

Reg PtxDecoder::integerResult(const ptx::Arithmetic &a, const Regs &in, Scalar scalar) {
  const bool isSigned = ptx::isSigned(a.type);
  const auto least = isSigned ? IntegerFunction::SMin : IntegerFunction::UMin;
  const auto most = isSigned ? IntegerFunction::SMax : IntegerFunction::UMax;
  const auto sum = [&](Reg x, Reg y) {
    return a.saturate ? integerStep(IntegerFunction::AddSatS, scalar, x, y)
                      : both(Instruction::Add, scalar, x, y);
  };
  switch (a.operation) {
  case Operation::Add:
    return sum(in[0], in[1]);
  case Operation::Sub:
    return a.saturate ? integerStep(IntegerFunction::SubSatS, scalar, in[0], in[1])
                      : both(Instruction::Sub, scalar, in[0], in[1]);
  case Operation::Mul:
    return product(a, scalar, in[0], in[1]);
  case Operation::Mad:
    return sum(product(a, scalar, in[0], in[1]), in[2]);
  case Operation::Mul24:
    return product24(a, in[0], in[1]);
  case Operation::Mad24:
    return sum(product24(a, in[0], in[1]), in[2]);
  case Operation::Sad: { // |a - b| + c
    const Reg distance = both(Instruction::Sub, scalar, integerStep(most, scalar, in[0], in[1]),
                              integerStep(least, scalar, in[0], in[1]));
    return both(Instruction::Add, scalar, distance, in[2]);
  }
  case Operation::Div:
    return both(isSigned ? Instruction::SDiv : Instruction::UDiv, scalar, in[0], in[1]);
  case Operation::Rem:
    return both(isSigned ? Instruction::SRem : Instruction::URem, scalar, in[0], in[1]);
  case Operation::Abs:
    return integerStep(IntegerFunction::Abs, scalar, in[0]);
  case Operation::Neg:
    return both(Instruction::Sub, scalar, number(scalar, 0), in[0]);
  case Operation::Min:
  case Operation::Max: {
    const Reg value =
        integerStep(a.operation == Operation::Min ? least : most, scalar, in[0], in[1]);
    return a.relu ? integerStep(most, scalar, value, number(scalar, 0)) : value;
  }
  default:
    fail();
    return in[0];
  }
}

//===-- Floats -------------------------------------------------------------===//

static std::optional<FloatUnary> unaryOf(Operation operation) {
  switch (operation) {
  case Operation::Neg:
    return FloatUnary::Neg;
  case Operation::Abs:
    return FloatUnary::Abs;
  case Operation::Rcp:
    return FloatUnary::Reciprocal;
  case Operation::Sqrt:
    return FloatUnary::Sqrt;
  case Operation::Rsqrt:
    return FloatUnary::ReciprocalSqrt;
  case Operation::Sin:
    return FloatUnary::Sin;
  case Operation::Cos:
    return FloatUnary::Cos;
  case Operation::Lg2:
    return FloatUnary::Log2;
  case Operation::Ex2:
    return FloatUnary::Exp2;
  case Operation::Tanh:
    return FloatUnary::Tanh;
  default:
    return std::nullopt;
  }
}

Reg PtxDecoder::realResult(const ptx::Arithmetic &a, const Regs &in, Scalar scalar) {
  if (const auto unary = unaryOf(a.operation))
    return floatStep(*unary, scalar, in[0]);
  switch (a.operation) {
  case Operation::Add:
    return floatTwo(FloatBinary::Add, scalar, in[0], in[1]);
  case Operation::Sub:
    return floatTwo(FloatBinary::Sub, scalar, in[0], in[1]);
  case Operation::Mul:
    return floatTwo(FloatBinary::Mul, scalar, in[0], in[1]);
  case Operation::Div:
    return floatTwo(FloatBinary::Div, scalar, in[0], in[1]);
  case Operation::CopySign: // copysign d, a, b: the sign of a on b
    return floatTwo(FloatBinary::CopySign, scalar, in[1], in[0]);
  case Operation::Min:
  case Operation::Max:
    return realLimit(a, in, scalar);
  case Operation::Mad:
  case Operation::Fma: {
    const Reg result = d_.fresh(scalar);
    d_.emit(floatFma(scalar.format, d_.inField()), InstructionClass::Float, result, in[0], in[1],
            in[2]);
    return result;
  }
  default:
    fail();
    return in[0];
  }
}

// .abs compares magnitudes; .xorsign gives the result the product of both signs.
Reg PtxDecoder::realLimit(const ptx::Arithmetic &a, Regs in, Scalar scalar) {
  const bool least = a.operation == Operation::Min;
  const FloatBinary what = least ? (a.propagateNan ? FloatBinary::Minimum : FloatBinary::MinNum)
                                 : (a.propagateNan ? FloatBinary::Maximum : FloatBinary::MaxNum);
  const Regs signs = in;
  if (a.magnitude)
    for (Reg &value : in)
      value = floatStep(FloatUnary::Abs, scalar, value);
  Reg value = floatTwo(what, scalar, in[0], in[1]);
  if (in.size() > 2)
    value = floatTwo(what, scalar, value, in[2]);
  if (!a.xorSign)
    return value;
  for (unsigned k = 0; k < 2; ++k)
    value = floatTwo(FloatBinary::Mul, scalar, value,
                     floatTwo(FloatBinary::CopySign, scalar, real(scalar, 1.0), signs[k]));
  return value;
}

Reg PtxDecoder::limited(const ptx::Arithmetic &a, Reg value, Scalar scalar) {
  if (a.relu)
    value = floatStep(FloatUnary::Relu, scalar, value);
  if (a.saturate)
    value = floatStep(FloatUnary::Saturate, scalar, value);
  return value;
}

bool PtxDecoder::run(const ptx::DotProduct &d) {
  DotPlan plan;
  plan.terms = d.terms;
  plan.high = d.high;
  plan.signedA = ptx::isSigned(d.typeA);
  plan.signedB = ptx::isSigned(d.typeB);
  write(*d.destination,
        emitDot(d_, read(*d.a, Scalar{32}), read(*d.b, Scalar{32}), read(*d.c, Scalar{32}), plan),
        {32});
  return true;
}

} // namespace layout_port::verify
