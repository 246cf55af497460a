// cvt: from one type to another.
//
//   cvt.rn.f16.f32 d, a;                     one value
//   cvt.rn.relu.f16x2.f32 d, hi, lo;         two values packed: the first source
//                                            goes to the high half
//   cvt.rn.satfinite.e4m3x2.f32 d, hi, lo;
//   cvt.rn.f16x2.e4m3x2 d, a;                packed to packed
//   cvt.pack.sat.s8.s32.b32 d, a, b, c;      d = {c's bytes, sat(a), sat(b)}
//
// https://docs.nvidia.com/cuda/parallel-thread-execution/#data-movement-and-conversion-instructions-cvt
#pragma once

#include "ptx/Ast.h"
#include "ptx/Outcome.h"
#include "ptx/decode/Common.h"

#include <vector>

namespace layout_port::ptx {

struct Convert {
  Type to = Type::F32;
  Type from = Type::F32;
  Rounding rounding = Rounding::None;
  bool toInteger = false; // .rni .rzi .rmi .rpi: round to an integer value
  bool flush = false;     // .ftz: subnormal f32 become zero
  bool saturate = false;  // .sat: floats to [0, 1], integers to the range of `to`
  bool relu = false;      // negative → 0, NaN → canonical NaN
  bool satfinite = false; // out of range → largest finite value
  bool pack = false;      // cvt.pack
  const Operand *destination = nullptr;
  std::vector<const Operand *> sources; // high part first; cvt.pack's third is the b32 to shift in
};

Outcome<Convert> decodeConvert(const Instruction &instruction);

} // namespace layout_port::ptx
