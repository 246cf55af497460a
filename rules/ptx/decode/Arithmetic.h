// Computations of one lane on registers: sums, products, bits, elementary
// functions, and the few that need a description of their own.
//
//   fma.rn.ftz.relu.f16x2 d, a, b, c;   Arithmetic{Fma, F16x2, ...}
//   mul.wide.u16 d, a, b;               part Wide: the result is u32
//   lop3.b32 d, a, b, c, 0xEA;          BitTable
//   prmt.b32 d, a, b, 0x5410;           BytePermute
//   shf.l.wrap.b32 d, lo, hi, n;        FunnelShift
//   dp4a.s32.u32 d, a, b, c;            DotProduct
#pragma once

#include "ptx/Ast.h"
#include "ptx/Outcome.h"
#include "ptx/decode/Common.h"

#include <optional>
#include <string_view>
#include <vector>

namespace layout_port::ptx {

enum class Operation {
#define OPERATION(name, opcode) name,
#include "ptx/decode/Operations.inc"
#undef OPERATION
};

// "add"
std::string_view spell(Operation operation);

// Which bits of a product are kept. Whole: the type has no such choice.
enum class ProductPart { Whole, Low, High, Wide };

struct Arithmetic {
  Operation operation = Operation::Add;
  Type type = Type::F32;   // of the sources (with `leading`: of the last source and the result)
  Type result = Type::F32; // twice as wide for .wide, 32 bits for popc, clz and bfind
  // add, sub and fma of mixed precision: the type of all sources but the last.
  std::optional<Type> leading;
  ProductPart part = ProductPart::Whole;
  Rounding rounding = Rounding::None;
  bool flush = false;        // .ftz
  bool saturate = false;     // .sat: floats to [0, 1], s32 to its range
  bool relu = false;         // negative and NaN results become 0, see the ISA
  bool propagateNan = false; // .NaN of min and max
  bool xorSign = false;      // .xorsign.abs of min and max: sign = xor of the signs
  bool magnitude = false;    // .abs of min and max: compares magnitudes
  bool approximate = false;  // .approx
  bool fullRange = false;    // .full of div
  bool carryOut = false;     // .cc
  bool wrap = false;         // .wrap of szext and bmsk; .clamp otherwise
  bool shiftAmount = false;  // .shiftamt of bfind
  const Operand *destination = nullptr;
  std::vector<const Operand *> sources;
};

// Bit i of the result is bit (a_i*4 + b_i*2 + c_i) of `table`.
struct BitTable {
  std::optional<unsigned> table; // nothing when the operand is bound outside of the text
  const Operand *tableOperand = nullptr;
  const Operand *destination = nullptr;
  std::vector<const Operand *> sources; // a, b, c
  // lop3.or / lop3.and: predicate = (result != 0) or/and `condition`.
  enum class Combine { None, Or, And };
  Combine combine = Combine::None;
  const Operand *predicate = nullptr;
  const Operand *condition = nullptr;
};

// Default: byte j of the result is byte (nibble j of selector & 7) of {b, a}, or
// eight copies of its sign when bit 3 of the nibble is set. The other modes take
// their bytes by the low two bits of the selector.
struct BytePermute {
  enum class Mode { Default, Forward4, Backward4, Replicate8, EdgeLeft, EdgeRight, Replicate16 };
  Mode mode = Mode::Default;
  const Operand *destination = nullptr;
  const Operand *low = nullptr;      // a: bytes 0 to 3
  const Operand *high = nullptr;     // b: bytes 4 to 7
  const Operand *selector = nullptr; // c
};

// {high, low} shifted; the high word for left, the low word for right.
struct FunnelShift {
  bool left = false;
  bool wrap = false; // amount & 31; else min(amount, 32)
  const Operand *destination = nullptr;
  const Operand *low = nullptr;
  const Operand *high = nullptr;
  const Operand *amount = nullptr;
};

// dp4a: four bytes by four bytes; dp2a: two halves of a by two bytes of b.
struct DotProduct {
  unsigned terms = 4;
  bool high = false; // dp2a.hi: the upper two bytes of b
  Type typeA = Type::S32, typeB = Type::S32;
  const Operand *destination = nullptr;
  const Operand *a = nullptr, *b = nullptr, *c = nullptr;
};

Outcome<Arithmetic> decodeArithmetic(const Instruction &instruction);
Outcome<BitTable> decodeLop3(const Instruction &instruction);
Outcome<BytePermute> decodePrmt(const Instruction &instruction);
Outcome<FunnelShift> decodeShf(const Instruction &instruction);
Outcome<DotProduct> decodeDotProduct(const Instruction &instruction);

// Whether `opcode` is one of Operations.inc.
bool isOperation(std::string_view opcode);

} // namespace layout_port::ptx
