// See PtxDecoder.h. Comparing and choosing.
// https://docs.nvidia.com/cuda/parallel-thread-execution/#comparison-and-selection-instructions
#include "semantics/ptx/PtxDecoder.h"

namespace layout_port::verify {

using ptx::Comparison;
using Predicate = llvm::CmpInst::Predicate;

static Predicate floatPredicate(Comparison comparison) {
  switch (comparison) {
  case Comparison::Eq:
    return Predicate::FCMP_OEQ;
  case Comparison::Ne:
    return Predicate::FCMP_ONE;
  case Comparison::Lt:
    return Predicate::FCMP_OLT;
  case Comparison::Le:
    return Predicate::FCMP_OLE;
  case Comparison::Gt:
    return Predicate::FCMP_OGT;
  case Comparison::Ge:
    return Predicate::FCMP_OGE;
  case Comparison::EqU:
    return Predicate::FCMP_UEQ;
  case Comparison::NeU:
    return Predicate::FCMP_UNE;
  case Comparison::LtU:
    return Predicate::FCMP_ULT;
  case Comparison::LeU:
    return Predicate::FCMP_ULE;
  case Comparison::GtU:
    return Predicate::FCMP_UGT;
  case Comparison::GeU:
    return Predicate::FCMP_UGE;
  case Comparison::Num:
    return Predicate::FCMP_ORD;
  case Comparison::Nan:
    return Predicate::FCMP_UNO;
  default: // .lo, .ls, .hi and .hs are for integers: ptx::decode says so
    return Predicate::FCMP_FALSE;
  }
}

static Predicate integerPredicate(Comparison comparison, bool isSigned) {
  switch (comparison) {
  case Comparison::Eq:
    return Predicate::ICMP_EQ;
  case Comparison::Ne:
    return Predicate::ICMP_NE;
  case Comparison::Lt:
    return isSigned ? Predicate::ICMP_SLT : Predicate::ICMP_ULT;
  case Comparison::Le:
    return isSigned ? Predicate::ICMP_SLE : Predicate::ICMP_ULE;
  case Comparison::Gt:
    return isSigned ? Predicate::ICMP_SGT : Predicate::ICMP_UGT;
  case Comparison::Ge:
    return isSigned ? Predicate::ICMP_SGE : Predicate::ICMP_UGE;
  case Comparison::Lo:
    return Predicate::ICMP_ULT;
  case Comparison::Ls:
    return Predicate::ICMP_ULE;
  case Comparison::Hi:
    return Predicate::ICMP_UGT;
  default:
    return Predicate::ICMP_UGE;
  }
}

Reg PtxDecoder::compared(const ptx::Compare &c, Type type, Reg a, Reg b) {
  const Scalar scalar = scalarOf(type);
  if (isFloat(type))
    return compareFloats(floatPredicate(c.comparison), scalar, a, b);
  return d_.emitCompare(integerPredicate(c.comparison, ptx::isSigned(type)), scalar, a, b);
}

// One answer for each element, lowest first.
Regs PtxDecoder::comparisons(const ptx::Compare &c) {
  const Type element = ptx::elementOf(c.type);
  if (!isPacked(c.type))
    return {compared(c, c.type, read(*c.a, c.type), read(*c.b, c.type))};
  const Regs a = split(read(*c.a, c.type), c.type), b = split(read(*c.b, c.type), c.type);
  Regs hits;
  for (size_t e = 0; e < a.size(); ++e)
    hits.push_back(compared(c, element, a[e], b[e]));
  return hits;
}

Reg PtxDecoder::combined(const ptx::Compare &c, Reg hit) {
  const auto with = [&](unsigned opcode) {
    return both(opcode, {1}, hit, predicate(*c.condition));
  };
  switch (c.combine) {
  case ptx::Compare::Combine::None:
    return hit;
  case ptx::Compare::Combine::And:
    return with(Instruction::And);
  case ptx::Compare::Combine::Or:
    return with(Instruction::Or);
  case ptx::Compare::Combine::Xor:
    return with(Instruction::Xor);
  }
  return hit;
}

bool PtxDecoder::run(const ptx::Compare &c) {
  const Regs hits = comparisons(c);
  return c.toPredicate ? writePredicates(c, hits) : writeValue(c, hits);
}

// p|q: of packed values one for each element, otherwise q is of the negated comparison.
bool PtxDecoder::writePredicates(const ptx::Compare &c, const Regs &hits) {
  const Reg other = combined(c, hits.size() > 1 ? hits[1] : invert(hits[0]));
  const Reg first = combined(c, hits[0]);
  write(*c.destination, first, {1});
  writeIf(c.second, other, {1});
  return true;
}

// set.lt.u32.f32: all ones or zero; set.lt.f32.f32: 1.0 or 0. Of two halves each gets its own.
bool PtxDecoder::writeValue(const ptx::Compare &c, const Regs &hits) {
  const unsigned lanes = unsigned(hits.size());
  Scalar to = scalarOf(ptx::elementOf(c.result));
  to.bits = ptx::bitsOf(c.result) / lanes;
  const Reg yes = to.format == FloatFormat::None ? ones(to) : real(to, 1.0);
  Regs values;
  for (Reg hit : hits)
    values.push_back(choose(to, combined(c, hit), yes, d_.constant(to, 0)));
  if (lanes == 1) {
    write(*c.destination, values[0], to);
    return true;
  }
  const Reg whole = d_.fresh({to.bits * lanes});
  d_.emitRepack(values, llvm::SmallVector<Scalar, 2>(lanes, to), {whole}, {{to.bits * lanes}});
  write(*c.destination, whole, {to.bits * lanes});
  return true;
}

// slct chooses by the sign of a number, selp by a predicate.
bool PtxDecoder::run(const ptx::Select &s) {
  Reg condition;
  if (!s.bySign) {
    condition = predicate(*s.condition);
  } else if (s.conditionType == Type::F32) {
    const Scalar real32 = scalarOf(Type::F32);
    condition =
        compareFloats(Predicate::FCMP_OGE, real32, read(*s.condition, real32), real(real32, 0));
  } else {
    condition =
        d_.emitCompare(Predicate::ICMP_SGE, {32}, read(*s.condition, Scalar{32}), number({32}, 0));
  }
  const Scalar scalar = scalarOf(s.type);
  const Reg a = read(*s.a, scalar), b = read(*s.b, scalar);
  write(*s.destination, choose(scalar, condition, a, b), scalar);
  return true;
}

// Bits of llvm.is.fpclass: https://llvm.org/docs/LangRef.html#llvm-is-fpclass
bool PtxDecoder::run(const ptx::FloatTest &t) {
  constexpr uint64_t nan = 1 | 2, infinite = 4 | 512, normal = 8 | 256, subnormal = 16 | 128,
                     zero = 32 | 64;
  const auto classes = [&]() -> uint64_t {
    using Property = ptx::FloatTest::Property;
    switch (t.property) {
    case Property::Finite:
      return normal | subnormal | zero;
    case Property::Infinite:
      return infinite;
    case Property::Number:
      return normal | subnormal | zero | infinite;
    case Property::NotANumber:
      return nan;
    case Property::Normal:
      return normal;
    case Property::Subnormal:
      return subnormal;
    }
    return 0;
  };
  const Scalar scalar = scalarOf(t.type);
  const Reg value = read(*t.source, scalar), result = d_.fresh({1});
  d_.emit(floatIsClass(scalar.format, d_.inField()), InstructionClass::Float, result, value)
      .immediate = classes();
  write(*t.destination, result, {1});
  return true;
}

} // namespace layout_port::verify
