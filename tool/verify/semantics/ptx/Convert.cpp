// See PtxDecoder.h. Moves, packing, address spaces, conversions.
// https://docs.nvidia.com/cuda/parallel-thread-execution/#data-movement-and-conversion-instructions-cvt
#include "semantics/ptx/PtxDecoder.h"

#include <cmath>

namespace layout_port::verify {

//===-- Moves --------------------------------------------------------------===//

bool PtxDecoder::run(const ptx::Move &m) {
  const Scalar whole = m.type == Type::Pred ? Scalar{1} : wordOf(m.type);
  if (whole.bits > 64)
    return fail("registers of 128 bits");
  switch (m.kind) {
  case ptx::Move::Kind::Scalar:
    write(*m.destinations[0], read(*m.sources[0], whole), whole);
    return true;
  case ptx::Move::Kind::Vector: {
    Regs copies; // {a, b} = {b, a}
    for (const Operand *source : m.sources) {
      copies.push_back(d_.fresh(whole));
      const Reg value = read(*source, whole);
      d_.emit(move(whole.wide()), InstructionClass::Control, copies.back(), value);
    }
    for (size_t k = 0; k < m.destinations.size(); ++k)
      write(*m.destinations[k], copies[k], whole);
    return true;
  }
  case ptx::Move::Kind::Pack: {
    Regs parts;
    for (const Operand *source : m.sources)
      parts.push_back(read(*source, Scalar{m.partBits}));
    const llvm::SmallVector<Scalar, 4> types(parts.size(), Scalar{m.partBits});
    const Reg result = d_.fresh({whole.bits});
    d_.emitRepack(parts, types, {result}, {{whole.bits}});
    write(*m.destinations[0], result, {whole.bits});
    return true;
  }
  case ptx::Move::Kind::Unpack: {
    const Reg source = read(*m.sources[0], Scalar{whole.bits});
    const llvm::SmallVector<Scalar, 4> types(m.destinations.size(), Scalar{m.partBits});
    Regs parts;
    for (size_t k = 0; k < m.destinations.size(); ++k)
      parts.push_back(d_.fresh({m.partBits}));
    d_.emitRepack({source}, {{whole.bits}}, parts, types);
    for (size_t k = 0; k < parts.size(); ++k)
      write(*m.destinations[k], parts[k], {m.partBits});
    return true;
  }
  }
  return fail();
}

bool PtxDecoder::run(const ptx::AddressConversion &c) {
  const bool window = c.space == ptx::Space::Shared || c.space == ptx::Space::SharedCluster ||
                      c.space == ptx::Space::Local;
  Reg value = read(*c.source, Scalar{64});
  if (window) {
    const uint64_t base = c.space == ptx::Space::Local ? kLocalWindow : kSharedWindow;
    value = both(c.toSpace ? Instruction::And : Instruction::Or, {64}, value,
                 number({64}, c.toSpace ? 0xffffffffu : base));
  }
  write(*c.destination, value, {64});
  return true;
}

//===-- Conversions --------------------------------------------------------===//

static RoundTo roundTo(ptx::Rounding rounding) {
  switch (rounding) {
  case ptx::Rounding::Zero:
    return RoundTo::Zero;
  case ptx::Rounding::Down:
    return RoundTo::Down;
  case ptx::Rounding::Up:
    return RoundTo::Up;
  case ptx::Rounding::NearestAway:
    return RoundTo::NearestAway;
  default:
    return RoundTo::NearestEven;
  }
}

Reg PtxDecoder::convertFloat(Reg value, FloatFormat from, Scalar to, ptx::Rounding rounding) {
  if (from == to.format)
    return value;
  const Reg result = d_.fresh(to);
  d_.emit(floatConvert(from, to.format, d_.inField()), InstructionClass::Float, result, value)
      .immediate = uint64_t(roundTo(rounding));
  return result;
}

bool PtxDecoder::run(const ptx::Convert &c) {
  if (c.pack)
    return packIntegers(c);
  if (isPacked(c.to) || isPacked(c.from))
    return convertPacked(c);
  const bool from = isFloat(c.from), to = isFloat(c.to);
  return from && to ? floatToFloat(c)
         : from     ? floatToInteger(c)
         : to       ? integerToFloat(c)
                    : integerToInteger(c);
}

// .satfinite: what is too large becomes the largest finite number; NaN stays.
Reg PtxDecoder::clampFinite(Reg value, Scalar from, Type to) {
  const double most = to == Type::F16    ? 65504.0
                      : to == Type::BF16 ? 0x1.fep127
                      : to == Type::TF32 ? 0x1.ffcp127
                      : to == Type::E4M3 ? 448.0
                                         : 57344.0;
  for (const auto &[predicate, limit] :
       {std::pair(llvm::CmpInst::FCMP_OGT, most), std::pair(llvm::CmpInst::FCMP_OLT, -most)}) {
    const Reg bound = real(from, limit);
    value = choose(from, compareFloats(predicate, from, value, bound), bound, value);
  }
  return value;
}

// One float made another: relu and satfinite where they belong, then the rounding.
Reg PtxDecoder::narrowed(const ptx::Convert &c, Reg value, Scalar from, Scalar to) {
  const Type element = ptx::elementOf(c.to);
  const bool narrow8 = to.bits == 8; // only converted: the clamps come first
  if (c.relu && narrow8)
    value = floatStep(FloatUnary::Relu, from, value);
  if (c.satfinite && !(narrow8 && d_.inField())) // a conversion is the identity of the field
    value = clampFinite(value, from, element);
  if (element == Type::TF32) {
    const Reg result = d_.fresh(to);
    d_.emit(floatToTf32(d_.inField()), InstructionClass::Float, result, value).immediate =
        uint64_t(roundTo(c.rounding));
    value = result;
  } else {
    value = convertFloat(value, from.format, to, c.rounding);
  }
  if (c.relu && !narrow8)
    value = floatStep(FloatUnary::Relu, to, value);
  if (c.saturate)
    value = floatStep(FloatUnary::Saturate, to, value);
  return value;
}

bool PtxDecoder::floatToFloat(const ptx::Convert &c) {
  const Scalar from = scalarOf(c.from), to = scalarOf(c.to);
  Reg value = read(*c.sources[0], from);
  if (c.toInteger)
    value = floatStep(c.rounding == ptx::Rounding::Zero   ? FloatUnary::Trunc
                      : c.rounding == ptx::Rounding::Down ? FloatUnary::Floor
                      : c.rounding == ptx::Rounding::Up   ? FloatUnary::Ceil
                                                          : FloatUnary::RoundEven,
                      from, value);
  write(*c.destination, narrowed(c, value, from, to), to);
  return true;
}

bool PtxDecoder::floatToInteger(const ptx::Convert &c) {
  const Scalar from = scalarOf(c.from), to = scalarOf(c.to);
  const Reg value = read(*c.sources[0], from), result = d_.fresh(to);
  Op &op = d_.emit(layout_port::verify::floatToInteger(ptx::isSigned(c.to), from.format, to.wide(),
                                                       d_.inField()),
                   InstructionClass::Float, result, value);
  op.bits = uint8_t(to.bits);
  op.immediate = c.rounding == ptx::Rounding::Zero   ? 0
                 : c.rounding == ptx::Rounding::Down ? 2
                 : c.rounding == ptx::Rounding::Up   ? 3
                                                     : 1;
  write(*c.destination, result, to, ptx::isSigned(c.to));
  return true;
}

// A 64-bit integer that is no double, with its low eleven bits gathered in the lowest bit that
// stays: a double then, which lies on the same side of every number of fewer bits.
Reg PtxDecoder::roundedToOdd(Reg value, bool isSigned) {
  const Scalar word{64};
  const uint64_t low = 0x7ff, exact = uint64_t(1) << 53; // magnitudes below are doubles
  const Reg rest = both(Instruction::And, word, value, number(word, low));
  const Reg sticky =
      both(Instruction::And, word, both(Instruction::Add, word, rest, number(word, low)),
           number(word, low + 1));
  const Reg odd =
      both(Instruction::Or, word, both(Instruction::And, word, value, number(word, ~low)), sticky);
  const Reg shifted = isSigned ? both(Instruction::Add, word, value, number(word, exact)) : value;
  const Reg fits = d_.emitCompare(llvm::CmpInst::ICMP_ULT, word, shifted,
                                  number(word, isSigned ? 2 * exact : exact));
  return choose(word, fits, value, odd);
}

// Up to 32 bits fit a double, from which any rounding is one step.
bool PtxDecoder::integerToFloat(const ptx::Convert &c) {
  const Scalar from = scalarOf(c.from), to = scalarOf(c.to);
  const bool nearest =
      c.rounding == ptx::Rounding::None || c.rounding == ptx::Rounding::NearestEven;
  if (!nearest && from.wide() && c.to == Type::F64)
    return fail("a directed rounding of 64 bits to a double");
  const Scalar middle = nearest ? to : scalarOf(Type::F64);
  Reg value = read(*c.sources[0], from);
  if (!nearest && from.wide())
    value = roundedToOdd(value, ptx::isSigned(c.from));
  Reg result = d_.fresh(middle);
  d_.emit(layout_port::verify::integerToFloat(ptx::isSigned(c.from), from.wide(), middle.format,
                                              d_.inField()),
          InstructionClass::Float, result, value)
      .bits = uint8_t(from.bits);
  result = convertFloat(result, middle.format, to, c.rounding);
  if (c.saturate)
    result = floatStep(FloatUnary::Saturate, to, result);
  write(*c.destination, result, to);
  return true;
}

bool PtxDecoder::integerToInteger(const ptx::Convert &c) {
  const Scalar from = scalarOf(c.from), to = scalarOf(c.to);
  Reg value = read(*c.sources[0], from);
  if (c.saturate)
    value = clampInteger(value, from, ptx::isSigned(c.from), to, ptx::isSigned(c.to));
  write(*c.destination, resize(value, from, to, ptx::isSigned(c.from)), to, ptx::isSigned(c.to));
  return true;
}

Reg PtxDecoder::clampInteger(Reg value, Scalar from, bool fromSigned, Scalar to, bool toSigned) {
  const unsigned valueBits = toSigned ? to.bits - 1 : to.bits;
  const uint64_t high = valueBits >= 64 ? ~uint64_t(0) : (uint64_t(1) << valueBits) - 1;
  const unsigned room = fromSigned ? from.bits - 1 : from.bits; // bits of the largest source
  if (fromSigned && (!toSigned || to.bits < from.bits))
    value = integerStep(IntegerFunction::SMax, from, value, number(from, toSigned ? ~high : 0));
  if (valueBits < room)
    value = integerStep(fromSigned ? IntegerFunction::SMin : IntegerFunction::UMin, from, value,
                        number(from, high));
  return value;
}

// cvt.pack: d = {low part of c, sat(a), sat(b)}; b lands lowest.
bool PtxDecoder::packIntegers(const ptx::Convert &c) {
  const Scalar to = scalarOf(c.to), word{32};
  const auto place = [&](size_t k, unsigned shift) {
    const Reg part = clampInteger(read(*c.sources[k], word), word, true, to, ptx::isSigned(c.to));
    const Reg cut = both(Instruction::And, word, part, number(word, (uint64_t(1) << to.bits) - 1));
    return both(Instruction::Shl, word, cut, number(word, shift));
  };
  Reg result = both(Instruction::Or, word, place(1, 0), place(0, to.bits));
  if (c.sources.size() > 2) {
    const Reg rest =
        both(Instruction::Shl, word, read(*c.sources[2], word), number(word, 2 * to.bits));
    result = both(Instruction::Or, word, result, rest);
  }
  write(*c.destination, result, word);
  return true;
}

// Two values in one register; of two sources the first is the high half.
bool PtxDecoder::convertPacked(const ptx::Convert &c) {
  const Scalar from = scalarOf(ptx::elementOf(c.from)), to = scalarOf(ptx::elementOf(c.to));
  if (from.format == FloatFormat::None || to.format == FloatFormat::None)
    return fail("floats of 4 and 6 bits, and scales, are not converted");
  Regs values;
  if (isPacked(c.from))
    values = split(read(*c.sources[0], c.from), c.from);
  else
    for (size_t k = c.sources.size(); k-- > 0;)
      values.push_back(read(*c.sources[k], from));
  for (Reg &value : values)
    value = narrowed(c, value, from, to);
  write(*c.destination, join(values, c.to), {ptx::bitsOf(c.to)});
  return true;
}

} // namespace layout_port::verify
