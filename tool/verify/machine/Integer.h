// Integer operations, selection, byte moves.
#pragma once

#include "machine/Wave.h"

namespace layout_port::verify {

// opcode: of an llvm binary instruction. Operands of 1 to 64 bits.
Op::Function integerBinary(unsigned opcode, unsigned bits);
// predicate: of an llvm icmp. The result is 0 or 1.
Op::Function integerCompare(unsigned predicate, unsigned bits);
// Trunc, ZExt, SExt; widths are in Op::bits (from) and Op::immediate (to).
Op::Function integerCast(unsigned opcode, bool wideFrom, bool wideTo);
Op::Function select(bool wide);
Op::Function move(bool wide); // also makes undefined lanes defined if Op::immediate is 1

// abs, umin, ...: the integer intrinsics of llvm with one to three operands.
enum class IntegerFunction : uint8_t {
  Abs,
  UMin,
  UMax,
  SMin,
  SMax,
  CountOnes,
  CountLeading,
  CountTrailing,
  ReverseBits,
  ReverseBytes,
  FunnelLeft,
  FunnelRight,
  AddSatU,
  AddSatS,
  SubSatU,
  SubSatS,
  MulHighU,
  MulHighS,
  BitExtractU,
  BitExtractS,
  FindHighest,
  FindHighestS,
  SumOfDifferences,
  FindNthSet
};
Op::Function integerFunction(IntegerFunction function, bool wide);

// One piece of a byte move: bytes [fromByte, fromByte + bytes) of source register
// `from` become bytes [toByte, ..) of destination register `to`.
struct Piece {
  uint16_t from = 0, to = 0;
  uint8_t fromByte = 0, toByte = 0, bytes = 0;
};
struct Repack {
  std::vector<Reg> from, to;
  std::vector<bool> wideFrom, wideTo;
  std::vector<Piece> pieces; // ordered by `to`
};
void runRepack(Wave &wave, const Op &op); // Op::data is a Repack

// prmt / v_perm: result byte i is byte selector[i] of b:a, 0..7; 8 is a zero byte.
void permuteBytes(Wave &wave, const Op &op, Reg low, Reg high,
                  const uint8_t (&selector)[4][kMaxLanes], Reg dst);

// Bit operations on registers that hold float payloads (field domain only): moves
// of whole payloads are exact, well-known tricks (sign, absolute value, truncation
// to bf16) get their meaning, anything else gives up. See Payload.cpp.
void payloadOperation(Wave &wave, const Op &op);

} // namespace layout_port::verify
