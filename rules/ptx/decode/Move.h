// mov: a copy, a pack, an unpack, or a look at a special register.
//
//   mov.u32 %0, %laneid;          Scalar, source Special
//   mov.b32 %0, {lo, hi};         Pack:   lo in the low bits
//   mov.b64 {lo, hi}, %0;         Unpack
//
// cvta: between generic pointers and pointers into one memory.
//
//   cvta.to.shared.u64 %0, %1;    toSpace: generic → shared
//   cvta.shared.u64 %0, %1;       shared → generic
//
// https://docs.nvidia.com/cuda/parallel-thread-execution/#data-movement-and-conversion-instructions-mov
// https://docs.nvidia.com/cuda/parallel-thread-execution/#data-movement-and-conversion-instructions-cvta
#pragma once

#include "ptx/Ast.h"
#include "ptx/Outcome.h"
#include "ptx/decode/Common.h"

#include <vector>

namespace layout_port::ptx {

struct Move {
  enum class Kind { Scalar, Pack, Unpack, Vector };
  Kind kind = Kind::Scalar;
  Type type = Type::B32;                     // of the whole value; Vector: of one element
  std::vector<const Operand *> destinations; // Unpack: lowest bits first
  std::vector<const Operand *> sources;      // Pack: lowest bits first
  // Bits of one part of a Pack or an Unpack: those of `type` over their number.
  unsigned partBits = 0;
};

struct AddressConversion {
  bool toSpace = false; // generic → space; else space → generic
  Space space = Space::Shared;
  unsigned bits = 64;
  const Operand *destination = nullptr;
  const Operand *source = nullptr;
};

Outcome<Move> decodeMove(const Instruction &instruction);
Outcome<AddressConversion> decodeCvta(const Instruction &instruction);

} // namespace layout_port::ptx
