// Comparing and choosing.
//
//   setp.lt.and.s32 p|q, a, b, !c;   p = (a < b) and !c;  q = !(a < b) and !c
//   set.gt.u32.f32 d, a, b;          d = a > b ? 0xffffffff : 0, or 1.0 for floats
//   selp.b32 d, a, b, p;             d = p ? a : b
//   slct.f32.s32 d, a, b, c;         d = c >= 0 ? a : b
//   testp.notanumber.f32 p, a;
//
// https://docs.nvidia.com/cuda/parallel-thread-execution/#comparison-and-selection-instructions
#pragma once

#include "ptx/Ast.h"
#include "ptx/Outcome.h"
#include "ptx/decode/Common.h"

namespace layout_port::ptx {

// Lo, Ls, Hi, Hs: unsigned less, less-or-same, higher, higher-or-same. The ...U
// ones are true when an operand is NaN.
enum class Comparison {
  Eq,
  Ne,
  Lt,
  Le,
  Gt,
  Ge,
  Lo,
  Ls,
  Hi,
  Hs,
  EqU,
  NeU,
  LtU,
  LeU,
  GtU,
  GeU,
  Num,
  Nan,
};

struct Compare {
  bool toPredicate = true; // setp; else set, which writes a value
  Comparison comparison = Comparison::Eq;
  enum class Combine { None, And, Or, Xor };
  Combine combine = Combine::None;
  bool flush = false;
  Type type = Type::S32;    // of the sources
  Type result = Type::Pred; // set: of the destination
  const Operand *destination = nullptr;
  // setp: the second predicate of p|q. For a packed type p is of the low element
  // and q of the high one; otherwise q is the negated comparison.
  const Operand *second = nullptr;
  const Operand *a = nullptr, *b = nullptr;
  const Operand *condition = nullptr; // what `combine` joins to the comparison
};

struct Select {
  bool bySign = false; // slct; else selp
  Type type = Type::B32;
  Type conditionType = Type::Pred; // S32 or F32 for slct
  bool flush = false;
  const Operand *destination = nullptr;
  const Operand *a = nullptr, *b = nullptr;
  const Operand *condition = nullptr;
};

struct FloatTest {
  enum class Property { Finite, Infinite, Number, NotANumber, Normal, Subnormal };
  Property property = Property::Finite;
  Type type = Type::F32;
  const Operand *destination = nullptr;
  const Operand *source = nullptr;
};

Outcome<Compare> decodeCompare(const Instruction &instruction);
Outcome<Select> decodeSelect(const Instruction &instruction);
Outcome<FloatTest> decodeFloatTest(const Instruction &instruction);

} // namespace layout_port::ptx
