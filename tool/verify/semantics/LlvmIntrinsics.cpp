// llvm.*: see https://llvm.org/docs/LangRef.html#intrinsic-functions
#include "semantics/Tables.h"

#include "machine/FloatOps.h"
#include "machine/Integer.h"
#include "machine/MemoryOps.h"

#include <llvm/IR/IntrinsicInst.h>

namespace layout_port::verify {

void emitFloatUnary(Decoder &decoder, const llvm::CallBase &call, unsigned what) {
  const Regs a = decoder.value(call.getArgOperand(0));
  const Leaves leaves = decoder.flatten(call.getType());
  const Regs dst = decoder.freshFor(call);
  for (size_t i = 0; i < dst.size(); ++i)
    decoder
        .emit(floatUnary(leaves[i].scalar.format, decoder.inField()), InstructionClass::Float,
              dst[i], a[i])
        .opcode = uint16_t(what);
}

void emitFloatBinary(Decoder &decoder, const llvm::CallBase &call, unsigned what) {
  const Regs a = decoder.value(call.getArgOperand(0)), b = decoder.value(call.getArgOperand(1));
  const Leaves leaves = decoder.flatten(call.getType());
  const Regs dst = decoder.freshFor(call);
  for (size_t i = 0; i < dst.size(); ++i)
    decoder.emit(floatBinary(FloatBinary(what), leaves[i].scalar.format, decoder.inField()),
                 InstructionClass::Float, dst[i], a[i], b[i]);
}

void emitFloatFma(Decoder &decoder, const llvm::CallBase &call) {
  const Regs a = decoder.value(call.getArgOperand(0)), b = decoder.value(call.getArgOperand(1));
  const Regs c = decoder.value(call.getArgOperand(2));
  const Leaves leaves = decoder.flatten(call.getType());
  const Regs dst = decoder.freshFor(call);
  for (size_t i = 0; i < dst.size(); ++i)
    decoder.emit(floatFma(leaves[i].scalar.format, decoder.inField()), InstructionClass::Float,
                 dst[i], a[i], b[i], c[i]);
}

void emitIntegerFunction(Decoder &decoder, const llvm::CallBase &call, unsigned what,
                         unsigned operands) {
  const Regs a = decoder.value(call.getArgOperand(0));
  const Leaves leaves = decoder.flatten(call.getArgOperand(0)->getType());
  const Leaves results = decoder.flatten(call.getType());
  const Regs dst = decoder.freshFor(call);
  for (size_t i = 0; i < dst.size(); ++i) {
    const Scalar from = leaves[i].scalar, to = results[i].scalar;
    const Reg b = operands > 1 ? decoder.value(call.getArgOperand(1))[i] : Reg();
    const Reg c = operands > 2 ? decoder.value(call.getArgOperand(2))[i] : Reg();
    const bool cut = from.wide() && !to.wide();
    const Reg result = cut ? decoder.fresh(from) : dst[i];
    Op &op = decoder.emit(integerFunction(IntegerFunction(what), from.wide()),
                          InstructionClass::Integer, result, a[i], b, c);
    op.bits = uint8_t(from.bits);
    op.opcode = uint16_t(what);
    if (cut) {
      Op &trim = decoder.emit(integerCast(llvm::Instruction::Trunc, true, false),
                              InstructionClass::Integer, dst[i], result);
      trim.bits = uint8_t(from.bits);
      trim.immediate = to.bits;
    }
  }
}

namespace {

struct FloatRow {
  const char *name;
  FloatUnary what;
};
constexpr FloatRow kUnary[] = {{"fabs", FloatUnary::Abs},
                               {"sqrt", FloatUnary::Sqrt},
                               {"exp", FloatUnary::Exp},
                               {"exp2", FloatUnary::Exp2},
                               {"exp10", FloatUnary::Exp10},
                               {"log", FloatUnary::Log},
                               {"log2", FloatUnary::Log2},
                               {"log10", FloatUnary::Log10},
                               {"sin", FloatUnary::Sin},
                               {"cos", FloatUnary::Cos},
                               {"tan", FloatUnary::Tan},
                               {"asin", FloatUnary::ASin},
                               {"acos", FloatUnary::ACos},
                               {"atan", FloatUnary::ATan},
                               {"sinh", FloatUnary::Sinh},
                               {"cosh", FloatUnary::Cosh},
                               {"tanh", FloatUnary::Tanh},
                               {"floor", FloatUnary::Floor},
                               {"ceil", FloatUnary::Ceil},
                               {"trunc", FloatUnary::Trunc},
                               {"round", FloatUnary::Round},
                               {"roundeven", FloatUnary::RoundEven},
                               {"rint", FloatUnary::RoundEven},
                               {"nearbyint", FloatUnary::RoundEven},
                               {"canonicalize", FloatUnary::Canonicalize}};

struct BinaryRow {
  const char *name;
  FloatBinary what;
};
constexpr BinaryRow kBinary[] = {
    {"minnum", FloatBinary::MinNum},     {"maxnum", FloatBinary::MaxNum},
    {"minimum", FloatBinary::Minimum},   {"maximum", FloatBinary::Maximum},
    {"minimumnum", FloatBinary::MinNum}, {"maximumnum", FloatBinary::MaxNum},
    {"copysign", FloatBinary::CopySign}, {"pow", FloatBinary::Pow},
    {"atan2", FloatBinary::ATan2}};

struct IntegerRow {
  const char *name;
  IntegerFunction what;
  unsigned operands;
};
constexpr IntegerRow kInteger[] = {{"abs", IntegerFunction::Abs, 1},
                                   {"umin", IntegerFunction::UMin, 2},
                                   {"umax", IntegerFunction::UMax, 2},
                                   {"smin", IntegerFunction::SMin, 2},
                                   {"smax", IntegerFunction::SMax, 2},
                                   {"ctpop", IntegerFunction::CountOnes, 1},
                                   {"ctlz", IntegerFunction::CountLeading, 1},
                                   {"cttz", IntegerFunction::CountTrailing, 1},
                                   {"bitreverse", IntegerFunction::ReverseBits, 1},
                                   {"bswap", IntegerFunction::ReverseBytes, 1},
                                   {"uadd.sat", IntegerFunction::AddSatU, 2},
                                   {"sadd.sat", IntegerFunction::AddSatS, 2},
                                   {"usub.sat", IntegerFunction::SubSatU, 2},
                                   {"ssub.sat", IntegerFunction::SubSatS, 2}};

// Names that only help an optimiser or a debugger.
bool isHint(llvm::StringRef name) {
  for (llvm::StringRef hint : {"dbg.", "lifetime.", "assume", "invariant.",
                               "experimental.noalias.scope.decl", "experimental.convergence.",
                               "sideeffect", "donothing", "prefetch", "fake.use", "var.annotation"})
    if (name.starts_with(hint))
      return true;
  return false;
}

void runTrap(Wave &wave, const Op &op) {
  wave.report(op, ProblemKind::Trap, wave.active, "trap");
  wave.stop(op, "trap (a failed assertion?)");
}

void decodeCopy(Decoder &decoder, const llvm::CallBase &call, bool fill) {
  BlockCopy plan;
  const unsigned to = call.getArgOperand(0)->getType()->getPointerAddressSpace();
  plan.to = decoder.spaceOf(to);
  plan.narrowTo = decoder.narrowPointer(to);
  plan.fill = fill;
  if (!fill) {
    const unsigned from = call.getArgOperand(1)->getType()->getPointerAddressSpace();
    plan.from = decoder.spaceOf(from);
    plan.narrowFrom = decoder.narrowPointer(from);
  }
  plan.wideLength = decoder.scalarOf(call.getArgOperand(2)->getType()).wide();
  decoder
      .emit(runBlockCopy, InstructionClass::GlobalMemory, {},
            decoder.scalarValue(call.getArgOperand(0)), decoder.scalarValue(call.getArgOperand(1)),
            decoder.scalarValue(call.getArgOperand(2)))
      .data = decoder.keep(plan);
}

// fshl and fshr by a whole number of bytes are byte moves, which payloads survive.
void decodeFunnel(Decoder &decoder, const llvm::CallBase &call, bool left) {
  auto *amount = llvm::dyn_cast<llvm::ConstantInt>(call.getArgOperand(2));
  const Leaves leaves = decoder.flatten(call.getType());
  if (!amount || amount->getZExtValue() % 8 || leaves.size() != 1 || leaves[0].scalar.bits % 8) {
    emitIntegerFunction(decoder, call,
                        unsigned(left ? IntegerFunction::FunnelLeft : IntegerFunction::FunnelRight),
                        3);
    return;
  }
  const Scalar scalar = leaves[0].scalar;
  const unsigned shift = unsigned(amount->getZExtValue() % scalar.bits);
  const unsigned skip = (left ? scalar.bits - shift : shift) / 8 % scalar.bytes();
  const Reg high = decoder.scalarValue(call.getArgOperand(0));
  const Reg low = decoder.scalarValue(call.getArgOperand(1));
  // hi:lo shifted right by `skip` bytes; a shift by nothing keeps one operand.
  if (skip == 0)
    return decoder.define(call, {left ? high : low});
  decoder.emitRepack({low, high}, {scalar, scalar}, decoder.freshFor(call), {scalar}, skip);
}

// vector.reduce.add and the like: a chain.
bool decodeReduction(Decoder &decoder, const llvm::CallBase &call, llvm::StringRef name) {
  unsigned opcode = 0;
  if (name.starts_with("add"))
    opcode = llvm::Instruction::Add;
  else if (name.starts_with("mul"))
    opcode = llvm::Instruction::Mul;
  else if (name.starts_with("and"))
    opcode = llvm::Instruction::And;
  else if (name.starts_with("or"))
    opcode = llvm::Instruction::Or;
  else if (name.starts_with("xor"))
    opcode = llvm::Instruction::Xor;
  const bool fadd = name.starts_with("fadd"), fmul = name.starts_with("fmul");
  const bool fmax = name.starts_with("fmax"), fmin = name.starts_with("fmin");
  if (!opcode && !fadd && !fmul && !fmax && !fmin)
    return false;
  const Scalar scalar = decoder.scalarOf(call.getType());
  Regs parts = decoder.value(call.getArgOperand(fadd || fmul ? 1 : 0));
  Reg sum = parts[0];
  size_t first = 1;
  if (fadd || fmul) {
    sum = decoder.scalarValue(call.getArgOperand(0));
    first = 0;
  }
  for (size_t i = first; i < parts.size(); ++i) {
    if (opcode) {
      sum = decoder.emitInteger(opcode, scalar, sum, parts[i]);
      continue;
    }
    const Reg next = decoder.fresh(scalar);
    const FloatBinary what = fadd   ? FloatBinary::Add
                             : fmul ? FloatBinary::Mul
                             : fmax ? FloatBinary::MaxNum
                                    : FloatBinary::MinNum;
    decoder.emit(floatBinary(what, scalar.format, decoder.inField()), InstructionClass::Float, next,
                 sum, parts[i]);
    sum = next;
  }
  decoder.define(call, {sum});
  return true;
}

// {result, overflowed}
bool decodeOverflow(Decoder &decoder, const llvm::CallBase &call, llvm::StringRef name) {
  const Reg a = decoder.scalarValue(call.getArgOperand(0));
  const Reg b = decoder.scalarValue(call.getArgOperand(1));
  const Scalar scalar = decoder.scalarOf(call.getArgOperand(0)->getType());
  if (name.starts_with("uadd")) {
    const Reg sum = decoder.emitInteger(llvm::Instruction::Add, scalar, a, b);
    const Reg over = decoder.emitCompare(llvm::CmpInst::ICMP_ULT, scalar, sum, a);
    decoder.define(call, {sum, over});
    return true;
  }
  if (name.starts_with("usub")) {
    const Reg difference = decoder.emitInteger(llvm::Instruction::Sub, scalar, a, b);
    const Reg over = decoder.emitCompare(llvm::CmpInst::ICMP_ULT, scalar, a, b);
    decoder.define(call, {difference, over});
    return true;
  }
  return false;
}

} // namespace

bool decodeLlvmIntrinsic(Decoder &decoder, const llvm::CallBase &call, llvm::StringRef name) {
  if (isHint(name))
    return true;
  // "fabs.v4f32" -> "fabs"; the type suffix is known from the operands.
  auto is = [&](llvm::StringRef base) {
    return name == base || (name.starts_with(base) && name[base.size()] == '.');
  };
  for (const FloatRow &row : kUnary)
    if (is(row.name)) {
      emitFloatUnary(decoder, call, unsigned(row.what));
      return true;
    }
  for (const BinaryRow &row : kBinary)
    if (is(row.name)) {
      emitFloatBinary(decoder, call, unsigned(row.what));
      return true;
    }
  for (const IntegerRow &row : kInteger)
    if (is(row.name)) {
      emitIntegerFunction(decoder, call, unsigned(row.what), row.operands);
      return true;
    }
  if (is("fma") || is("fmuladd")) {
    emitFloatFma(decoder, call);
    return true;
  }
  if (is("fshl") || is("fshr")) {
    decodeFunnel(decoder, call, is("fshl"));
    return true;
  }
  if (is("memcpy") || is("memmove") || is("memcpy.inline")) {
    decodeCopy(decoder, call, false);
    return true;
  }
  if (is("memset") || is("memset.inline")) {
    decodeCopy(decoder, call, true);
    return true;
  }
  if (is("trap") || is("ubsantrap") || is("debugtrap")) {
    decoder.emit(runTrap, InstructionClass::Control);
    return true;
  }
  if (is("expect") || is("launder.invariant.group") || is("ssa.copy") || is("ptrmask") ||
      is("strip.invariant.group")) {
    if (is("ptrmask")) {
      const Scalar scalar = decoder.scalarOf(call.getType());
      decoder.define(call, {decoder.emitInteger(llvm::Instruction::And, scalar,
                                                decoder.scalarValue(call.getArgOperand(0)),
                                                decoder.scalarValue(call.getArgOperand(1)))});
      return true;
    }
    decoder.define(call, decoder.value(call.getArgOperand(0)));
    return true;
  }
  if (is("is.fpclass")) {
    const Regs a = decoder.value(call.getArgOperand(0)), dst = decoder.freshFor(call);
    const Leaves leaves = decoder.flatten(call.getArgOperand(0)->getType());
    const auto mask = llvm::cast<llvm::ConstantInt>(call.getArgOperand(1))->getZExtValue();
    for (size_t i = 0; i < dst.size(); ++i)
      decoder
          .emit(floatIsClass(leaves[i].scalar.format, decoder.inField()), InstructionClass::Float,
                dst[i], a[i])
          .immediate = mask;
    return true;
  }
  if (is("is.constant")) {
    decoder.define(call, {decoder.rawConstant({1}, 0)});
    return true;
  }
  if (is("ldexp") || is("powi")) {
    if (is("powi"))
      return false;
    const Regs a = decoder.value(call.getArgOperand(0)), b = decoder.value(call.getArgOperand(1));
    const Leaves leaves = decoder.flatten(call.getType());
    const Regs dst = decoder.freshFor(call);
    for (size_t i = 0; i < dst.size(); ++i)
      decoder.emit(floatScale(leaves[i].scalar.format, decoder.inField()), InstructionClass::Float,
                   dst[i], a[i], b[i]);
    return true;
  }
  if (is("fptosi.sat") || is("fptoui.sat")) {
    const Regs a = decoder.value(call.getArgOperand(0)), dst = decoder.freshFor(call);
    const Leaves from = decoder.flatten(call.getArgOperand(0)->getType());
    const Leaves to = decoder.flatten(call.getType());
    for (size_t i = 0; i < dst.size(); ++i)
      decoder
          .emit(floatToInteger(is("fptosi.sat"), from[i].scalar.format, to[i].scalar.wide(),
                               decoder.inField()),
                InstructionClass::Float, dst[i], a[i])
          .bits = uint8_t(to[i].scalar.bits);
    return true;
  }
  if (is("readcyclecounter") || is("readsteadycounter")) {
    decoder.define(call, {decoder.rawConstant({64}, 0)});
    return true;
  }
  if (is("stacksave") || is("stackrestore")) {
    if (!call.getType()->isVoidTy())
      decoder.define(call, {decoder.rawConstant(decoder.scalarOf(call.getType()), 0)});
    return true;
  }
  if (name.consume_front("vector.reduce."))
    return decodeReduction(decoder, call, name);
  if (name.contains(".with.overflow"))
    return decodeOverflow(decoder, call, name);
  return false;
}

} // namespace layout_port::verify
