// See PtxDecoder.h. Logic, shifts, bit fields, byte permutes.
// https://docs.nvidia.com/cuda/parallel-thread-execution/#logic-and-shift-instructions
#include "semantics/PtxOps.h"
#include "semantics/ptx/PtxDecoder.h"

namespace layout_port::verify {

using ptx::Operation;

bool PtxDecoder::bits(const ptx::Arithmetic &a) {
  const Scalar scalar{ptx::bitsOf(a.type)};
  const Reg result = bitsResult(a, scalar);
  write(*a.destination, result, scalar, ptx::isSigned(a.type));
  return true;
}

// Predicates may be negated.
Reg PtxDecoder::bitsResult(const ptx::Arithmetic &a, Scalar scalar) {
  const auto in = [&](size_t k) {
    return a.type == Type::Pred ? predicate(*a.sources[k]) : read(*a.sources[k], scalar);
  };
  switch (a.operation) {
  case Operation::And:
    return both(Instruction::And, scalar, in(0), in(1));
  case Operation::Or:
    return both(Instruction::Or, scalar, in(0), in(1));
  case Operation::Xor:
    return both(Instruction::Xor, scalar, in(0), in(1));
  case Operation::Not:
    return invert(in(0), scalar);
  case Operation::Cnot: // 1 for 0, else 0
    return resize(d_.emitCompare(llvm::CmpInst::ICMP_EQ, scalar, in(0), number(scalar, 0)), {1},
                  scalar, false);
  case Operation::Shl:
  case Operation::Shr:
    return shifted(a, scalar);
  case Operation::Popc:
    return integerStep(IntegerFunction::CountOnes, scalar, in(0));
  case Operation::Clz:
    return integerStep(IntegerFunction::CountLeading, scalar, in(0));
  case Operation::Brev:
    return integerStep(IntegerFunction::ReverseBits, scalar, in(0));
  case Operation::Bfind:
    return highestBit(a, scalar);
  case Operation::Fns:
    return integerStep(IntegerFunction::FindNthSet, scalar, in(0), in(1), in(2));
  case Operation::Bfe:
    return extracted(a, scalar);
  case Operation::Bfi:
    return inserted(a, scalar);
  case Operation::Szext:
    return extended(a, scalar);
  case Operation::Bmsk:
    return maskOfBits(a, scalar);
  default:
    fail();
    return number(scalar, 0);
  }
}

// Amounts have 32 bits whatever is shifted; the width and more shift everything out.
Reg PtxDecoder::shifted(const ptx::Arithmetic &a, Scalar scalar) {
  const Reg amount = read(*a.sources[1], Scalar{32});
  const Reg fitted = scalar.wide() ? resize(amount, {32}, scalar, false) : amount;
  const unsigned opcode = a.operation == Operation::Shl ? Instruction::Shl
                          : ptx::isSigned(a.type)       ? Instruction::AShr
                                                        : Instruction::LShr;
  return both(opcode, scalar, read(*a.sources[0], scalar), fitted);
}

// bfe d, a, pos, len
Reg PtxDecoder::extracted(const ptx::Arithmetic &a, Scalar scalar) {
  const auto small = [&](size_t k) {
    return resize(read(*a.sources[k], Scalar{32}), {32}, scalar, false);
  };
  return integerStep(ptx::isSigned(a.type) ? IntegerFunction::BitExtractS
                                           : IntegerFunction::BitExtractU,
                     scalar, read(*a.sources[0], scalar), small(1), small(2));
}

// bfi d, a, b, pos, len: the low len bits of a at pos of b.
Reg PtxDecoder::inserted(const ptx::Arithmetic &a, Scalar scalar) {
  const auto small = [&](size_t k) {
    const Reg byte =
        both(Instruction::And, {32}, read(*a.sources[k], Scalar{32}), number({32}, 0xff));
    return resize(byte, {32}, scalar, false);
  };
  const Reg position = small(2), length = small(3);
  const Reg field = invert(both(Instruction::Shl, scalar, ones(scalar), length), scalar);
  const Reg mask = both(Instruction::Shl, scalar, field, position);
  const Reg moved = both(Instruction::Shl, scalar, read(*a.sources[0], scalar), position);
  const Reg rest =
      both(Instruction::And, scalar, read(*a.sources[1], scalar), invert(mask, scalar));
  return both(Instruction::Or, scalar, both(Instruction::And, scalar, moved, mask), rest);
}

// szext d, a, n: the low n bits of a, extended; .wrap takes n modulo 32, .clamp up to 32.
Reg PtxDecoder::extended(const ptx::Arithmetic &a, Scalar scalar) {
  const Reg value = read(*a.sources[0], scalar);
  Reg n = read(*a.sources[1], scalar);
  if (a.wrap)
    n = both(Instruction::And, scalar, n, number(scalar, 31));
  const Reg above = both(Instruction::Shl, scalar, ones(scalar), n);
  const Reg low = both(Instruction::And, scalar, value, invert(above, scalar));
  if (!ptx::isSigned(a.type))
    return low;
  const Reg top = both(Instruction::Sub, scalar, n, number(scalar, 1));
  const Reg sign = both(Instruction::And, scalar, both(Instruction::LShr, scalar, value, top),
                        number(scalar, 1));
  const Reg spread = both(Instruction::Sub, scalar, number(scalar, 0), sign);
  return both(Instruction::Or, scalar, low, both(Instruction::And, scalar, above, spread));
}

// bmsk d, pos, n: n ones from pos on; what lies above bit 31 is cut off.
Reg PtxDecoder::maskOfBits(const ptx::Arithmetic &a, Scalar scalar) {
  const auto count = [&](size_t k) {
    const Reg value = read(*a.sources[k], scalar);
    return a.wrap ? both(Instruction::And, scalar, value, number(scalar, 31))
                  : integerStep(IntegerFunction::UMin, scalar, value, number(scalar, 32));
  };
  const Reg position = count(0);
  const Reg end = both(Instruction::Add, scalar, position, count(1));
  const Reg from = both(Instruction::Shl, scalar, ones(scalar), position);
  const Reg beyond = both(Instruction::Shl, scalar, ones(scalar), end);
  return both(Instruction::And, scalar, from, invert(beyond, scalar));
}

// bfind: the place of the highest one (of s types: of the highest bit unlike the sign), ~0 if
// there is none; .shiftamt: how far to shift it to the top.
Reg PtxDecoder::highestBit(const ptx::Arithmetic &a, Scalar scalar) {
  const Reg at = integerStep(ptx::isSigned(a.type) ? IntegerFunction::FindHighestS
                                                   : IntegerFunction::FindHighest,
                             scalar, read(*a.sources[0], scalar));
  if (!a.shiftAmount)
    return at;
  const Reg none = number(scalar, 0xffffffff);
  const Reg far = both(Instruction::Sub, scalar, number(scalar, scalar.bits - 1), at);
  return choose(scalar, d_.emitCompare(llvm::CmpInst::ICMP_EQ, scalar, at, none), none, far);
}

//===-- Three inputs, bytes, two words -------------------------------------===//

bool PtxDecoder::run(const ptx::BitTable &t) {
  const std::optional<uint64_t> table = constantOf(*t.tableOperand);
  if (!table)
    return fail("its truth table is not a constant");
  const Scalar word{32};
  const Reg result =
      bitTable(unsigned(*table),
               {read(*t.sources[0], word), read(*t.sources[1], word), read(*t.sources[2], word)});
  write(*t.destination, result, word);
  if (t.combine == ptx::BitTable::Combine::None)
    return true;
  const Reg some = d_.emitCompare(llvm::CmpInst::ICMP_NE, word, result, number(word, 0));
  const bool isOr = t.combine == ptx::BitTable::Combine::Or;
  writeIf(t.predicate,
          both(isOr ? Instruction::Or : Instruction::And, {1}, some, predicate(*t.condition)), {1});
  return true;
}

// The frequent tables keep their shape, so that payload moves are seen.
Reg PtxDecoder::bitTable(unsigned table, const Regs &in) {
  const Scalar word{32};
  const auto f = [&](unsigned opcode, Reg a, Reg b) { return both(opcode, word, a, b); };
  constexpr unsigned And = Instruction::And, Or = Instruction::Or, Xor = Instruction::Xor;
  switch (table) {
  case 0xea:
    return f(Or, f(And, in[0], in[1]), in[2]);
  case 0x6a:
    return f(Xor, f(And, in[0], in[1]), in[2]);
  case 0x96:
    return f(Xor, f(Xor, in[0], in[1]), in[2]);
  case 0xfe:
    return f(Or, f(Or, in[0], in[1]), in[2]);
  case 0x80:
    return f(And, f(And, in[0], in[1]), in[2]);
  case 0xc0:
    return f(And, in[0], in[1]);
  case 0x3c:
    return f(Xor, in[0], in[1]);
  case 0xfc:
    return f(Or, in[0], in[1]);
  default:
    break;
  }
  // A sum of the table's products.
  Reg sum = number(word, 0);
  for (unsigned row = 0; row < 8; ++row) {
    if (!(table >> row & 1))
      continue;
    const Reg a = row & 4 ? in[0] : invert(in[0], word);
    const Reg b = row & 2 ? in[1] : invert(in[1], word);
    const Reg c = row & 1 ? in[2] : invert(in[2], word);
    sum = f(Or, sum, f(And, f(And, a, b), c));
  }
  return sum;
}

bool PtxDecoder::run(const ptx::BytePermute &p) {
  const Reg result = d_.fresh({32});
  const Reg low = read(*p.low, Scalar{32}), high = read(*p.high, Scalar{32});
  const Reg selector = read(*p.selector, Scalar{32});
  if (p.mode == ptx::BytePermute::Mode::Default)
    d_.emit(runPtxPermute, InstructionClass::BytePermute, result, low, high, selector);
  else
    d_.emit(runPtxPermuteMode, InstructionClass::BytePermute, result, low, high, selector)
        .immediate = uint64_t(p.mode) - uint64_t(ptx::BytePermute::Mode::Forward4);
  write(*p.destination, result, {32});
  return true;
}

// shf.l / shf.r: the high / low word of b:a shifted; .clamp keeps shifts of 32.
bool PtxDecoder::run(const ptx::FunnelShift &s) {
  const Reg low = read(*s.low, Scalar{32}), high = read(*s.high, Scalar{32});
  Reg amount = read(*s.amount, Scalar{32});
  if (s.wrap)
    amount = both(Instruction::And, {32}, amount, number({32}, 31));
  else
    amount = integerStep(IntegerFunction::UMin, {32}, amount, number({32}, 32));
  const Reg pair = d_.fresh({64});
  d_.emitRepack({low, high}, {{32}, {32}}, {pair}, {{64}});
  const Reg wide = d_.emitCast(Instruction::ZExt, {32}, {64}, amount);
  const Reg moved = both(s.left ? Instruction::Shl : Instruction::LShr, {64}, pair, wide);
  const Reg result = d_.fresh({32});
  d_.emitRepack({moved}, {{64}}, {result}, {{32}}, s.left ? 4 : 0);
  write(*s.destination, result, {32});
  return true;
}

} // namespace layout_port::verify
