// Operations on floats, in IEEE arithmetic or in the prime field.
#pragma once

#include "machine/Wave.h"

namespace layout_port::verify {

enum class FloatUnary : uint8_t {
  Neg,
  Abs,
  Sqrt,
  ReciprocalSqrt,
  Reciprocal,
  Exp,
  Exp2,
  Exp10,
  ExpM1,
  Log,
  Log2,
  Log10,
  Log1P,
  Sin,
  Cos,
  Tan,
  ASin,
  ACos,
  ATan,
  Sinh,
  Cosh,
  Tanh,
  Erf,
  Erfc,
  Cbrt,
  Gamma,
  Floor,
  Ceil,
  Trunc,
  Round,
  RoundEven,
  Fraction,
  Canonicalize,
  Relu,
  Saturate
};
enum class FloatBinary : uint8_t {
  Add,
  Sub,
  Mul,
  Div,
  Rem,
  MinNum,
  MaxNum,
  Minimum,
  Maximum,
  CopySign,
  Pow,
  ATan2,
  Hypot
};

// field: residues instead of IEEE bits.
Op::Function floatUnary(FloatFormat format, bool field); // Op::opcode: which function
Op::Function floatBinary(FloatBinary what, FloatFormat format, bool field);
Op::Function floatFma(FloatFormat format, bool field);     // a * b + c
Op::Function floatCompare(FloatFormat format, bool field); // Op::immediate: llvm predicate
// Op::immediate: a RoundTo. The field does not round.
enum class RoundTo : uint8_t { NearestEven, Zero, Down, Up, NearestAway };
Op::Function floatConvert(FloatFormat from, FloatFormat to, bool field);
// f32 to tf32: 10 bits of fraction, kept in an f32. Op::immediate: a RoundTo, of those cvt has
// (to nearest, to nearest away from zero, to zero).
Op::Function floatToTf32(bool field);
Op::Function integerToFloat(bool isSigned, bool wide, FloatFormat to, bool field);
// Whether it is one of those, in IEEE arithmetic.
bool readsIntegers(Op::Function operation);
// Op::immediate: 0 towards zero, 1 to nearest even, 2 down, 3 up.
Op::Function floatToInteger(bool isSigned, FloatFormat from, bool wide, bool field);
Op::Function floatIsClass(FloatFormat format, bool field); // Op::immediate: llvm's class mask
// ldexp: a * 2^b with an integer b.
Op::Function floatScale(FloatFormat format, bool field);

// Signs, min, max and comparisons of residues: for Wave::assume.
constexpr const char *kOrderAssumption = "signs, min, max or a comparison of floats: proved for a "
                                         "fixed random order of the values";

// Tests that numbers never pass, or always: the inputs of a run are numbers.
constexpr const char *kNumbersAssumption = "a test for NaN or infinity: shown for inputs that are "
                                           "numbers only";

FloatBinary floatBinaryOf(unsigned llvmOpcode);

// The residues of a register of floats, for the lanes that are active. Raw bits
// (memory set by integer code, constant tables) are converted. `scratch` is used
// only where that is needed.
const uint32_t *residues32(Wave &wave, const Op &op, Reg reg, FloatFormat format,
                           uint32_t *scratch);
// One residue, from a payload or from raw bits.
uint32_t residueOf(Wave &wave, const Op &op, FloatFormat format, uint64_t bits, uint32_t code);

Meta payloadMeta(Wave &wave, uint64_t defined, bool tainted, FloatFormat format);

} // namespace layout_port::verify
