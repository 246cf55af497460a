// See FloatOps.h. Each operation is a small struct with its meaning in both
// domains; templates make the loops over lanes from it.
#include "machine/FloatOps.h"

#include "domain/FieldLanes.h"

#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/Instruction.h>

#include <algorithm>
#include <cmath>
#include <type_traits>

namespace layout_port::verify {
namespace {

template <FloatFormat F>
using WordOf = std::conditional_t<F == FloatFormat::F64, uint64_t, uint32_t>;
// Arithmetic is done in float for the narrow formats: their products and sums
// are rounded once more, which is innocuous (24 >= 2 * 11 + 2).
template <FloatFormat F> using NumberOf = std::conditional_t<F == FloatFormat::F64, double, float>;

float halfToFloat(uint32_t bits) {
  const uint32_t sign = (bits & 0x8000u) << 16, rest = bits & 0x7fffu;
  if (rest >= 0x7c00u)
    return bitCast<float>(sign | 0x7f800000u | (rest & 0x3ffu) << 13);
  if (rest < 0x400u) {
    const float magnitude = float(rest) * 0x1p-24f;
    return sign ? -magnitude : magnitude;
  }
  return bitCast<float>(sign | ((rest << 13) + (112u << 23)));
}

uint32_t floatToHalf(float value) {
  const uint32_t bits = bitCast<uint32_t>(value), sign = bits >> 16 & 0x8000u;
  uint32_t rest = bits & 0x7fffffffu;
  if (rest > 0x7f800000u)
    return sign | 0x7e00u;
  if (rest >= 0x47800000u)
    return sign | 0x7c00u;
  if (rest < 0x38800000u) // subnormal: let the FPU round
    return sign | (bitCast<uint32_t>(bitCast<float>(rest) + 0.5f) - 0x3f000000u);
  rest += 0xfffu + (rest >> 13 & 1);
  return sign | (rest - (112u << 23)) >> 13;
}

uint32_t floatToBfloat(float value) {
  const uint32_t bits = bitCast<uint32_t>(value);
  if ((bits & 0x7fffffffu) > 0x7f800000u)
    return (bits >> 16 | 0x40u) & 0xffffu;
  return (bits + 0x7fffu + (bits >> 16 & 1)) >> 16;
}

template <FloatFormat F> NumberOf<F> toNumber(WordOf<F> bits) {
  if constexpr (F == FloatFormat::F64)
    return bitCast<double>(bits);
  else if constexpr (F == FloatFormat::F32)
    return bitCast<float>(bits);
  else if constexpr (F == FloatFormat::F16)
    return halfToFloat(bits);
  else if constexpr (F == FloatFormat::BF16)
    return bitCast<float>(bits << 16);
  else
    return float(decodeFloat(F, bits));
}

template <FloatFormat F> WordOf<F> toBits(NumberOf<F> value) {
  if constexpr (F == FloatFormat::F64)
    return bitCast<uint64_t>(value);
  else if constexpr (F == FloatFormat::F32)
    return bitCast<uint32_t>(value);
  else if constexpr (F == FloatFormat::F16)
    return floatToHalf(value);
  else if constexpr (F == FloatFormat::BF16)
    return floatToBfloat(value);
  else
    return uint32_t(encodeFloat(F, value));
}

// Numbers of the fixed random functions that have no field meaning.
enum RandomFunction : uint32_t {
  kSqrt = 1,
  kExp,
  kExp10,
  kExpM1,
  kLog,
  kLog2,
  kLog10,
  kLog1P,
  kSin,
  kCos,
  kTan,
  kASin,
  kACos,
  kATan,
  kSinh,
  kCosh,
  kTanh,
  kErf,
  kErfc,
  kCbrt,
  kGamma,
  kFloor,
  kCeil,
  kTrunc,
  kRound,
  kRoundEven,
  kFraction,
  kRem,
  kCopySign,
  kPow,
  kATan2,
  kHypot
};

// A random function that keeps f(0) = 0.
uint32_t throughZero(const Field &f, uint32_t id, uint32_t x) {
  return f.residue(x) == 0 ? 0 : f.random(id, x);
}
// One that maps 1 to 0.
uint32_t logarithm(const Field &f, uint32_t id, uint32_t x) {
  return f.same(x, f.one()) ? 0 : f.random(id, x);
}
uint32_t odd(const Field &f, uint32_t id, uint32_t x) {
  if (f.residue(x) == 0)
    return 0;
  const uint32_t y = f.random(id, f.abs(x));
  return f.ordinal(x) < 0 ? f.neg(y) : y;
}
uint32_t even(const Field &f, uint32_t id, uint32_t x) { return f.random(id, f.abs(x)); }
uint32_t exponential(const Field &f, uint32_t id, uint32_t x) {
  if (x == f.inf(true))
    return 0;
  if (x == f.inf(false) || x == f.nan())
    return x;
  return x == 0 ? f.one() : f.random(id, x);
}

uint32_t fieldUnary(FloatUnary what, const Field &f, uint32_t x) {
  switch (what) {
  case FloatUnary::Neg:
    return f.neg(x);
  case FloatUnary::Abs:
    return f.abs(x);
  case FloatUnary::Canonicalize:
    return x;
  case FloatUnary::Sqrt:
    return throughZero(f, kSqrt, x);
  case FloatUnary::ReciprocalSqrt:
    return f.div(f.one(), throughZero(f, kSqrt, x));
  case FloatUnary::Reciprocal:
    return f.div(f.one(), x);
  case FloatUnary::Exp:
    return f.exp(kExp, x);
  case FloatUnary::Exp2: // 2^x = e^(x ln 2)
    return f.exp(kExp, f.mul(x, f.ln2()));
  case FloatUnary::Exp10:
    return exponential(f, kExp10, x);
  case FloatUnary::ExpM1:
    return f.sub(f.exp(kExp, x), f.one());
  case FloatUnary::Log:
    return logarithm(f, kLog, x);
  case FloatUnary::Log2: // log2 x = ln x / ln 2
    return f.div(logarithm(f, kLog, x), f.ln2());
  case FloatUnary::Log10:
    return logarithm(f, kLog10, x);
  case FloatUnary::Log1P:
    return logarithm(f, kLog, f.add(x, f.one()));
  case FloatUnary::Sin:
    return odd(f, kSin, x);
  case FloatUnary::Cos:
    return even(f, kCos, x);
  case FloatUnary::Tan:
    return odd(f, kTan, x);
  case FloatUnary::ASin:
    return odd(f, kASin, x);
  case FloatUnary::ACos:
    return f.random(kACos, x);
  case FloatUnary::ATan:
    return odd(f, kATan, x);
  case FloatUnary::Sinh:
    return odd(f, kSinh, x);
  case FloatUnary::Cosh:
    return even(f, kCosh, x);
  case FloatUnary::Tanh:
    return odd(f, kTanh, x);
  case FloatUnary::Erf:
    return odd(f, kErf, x);
  case FloatUnary::Erfc:
    return f.sub(f.one(), odd(f, kErf, x));
  case FloatUnary::Cbrt:
    return odd(f, kCbrt, x);
  case FloatUnary::Gamma:
    return f.random(kGamma, x);
  case FloatUnary::Floor:
    return throughZero(f, kFloor, x);
  case FloatUnary::Ceil: // ceil x = -floor -x
    return f.neg(throughZero(f, kFloor, f.neg(x)));
  case FloatUnary::Trunc:
    return odd(f, kTrunc, x);
  case FloatUnary::Round:
    return odd(f, kRound, x);
  case FloatUnary::RoundEven:
    return odd(f, kRoundEven, x);
  case FloatUnary::Fraction:
    return f.sub(x, throughZero(f, kFloor, x));
  case FloatUnary::Relu:
    return f.max(x, 0);
  case FloatUnary::Saturate:
    return f.min(f.max(x, 0), f.one());
  }
  return x;
}

template <class T> T ieeeUnary(FloatUnary what, T x) {
  switch (what) {
  case FloatUnary::Neg:
    return -x;
  case FloatUnary::Abs:
    return std::fabs(x);
  case FloatUnary::Canonicalize:
    return x;
  case FloatUnary::Sqrt:
    return std::sqrt(x);
  case FloatUnary::ReciprocalSqrt:
    return 1 / std::sqrt(x);
  case FloatUnary::Reciprocal:
    return 1 / x;
  case FloatUnary::Exp:
    return std::exp(x);
  case FloatUnary::Exp2:
    return std::exp2(x);
  case FloatUnary::Exp10:
    return T(std::pow(10.0, double(x)));
  case FloatUnary::ExpM1:
    return std::expm1(x);
  case FloatUnary::Log:
    return std::log(x);
  case FloatUnary::Log2:
    return std::log2(x);
  case FloatUnary::Log10:
    return std::log10(x);
  case FloatUnary::Log1P:
    return std::log1p(x);
  case FloatUnary::Sin:
    return std::sin(x);
  case FloatUnary::Cos:
    return std::cos(x);
  case FloatUnary::Tan:
    return std::tan(x);
  case FloatUnary::ASin:
    return std::asin(x);
  case FloatUnary::ACos:
    return std::acos(x);
  case FloatUnary::ATan:
    return std::atan(x);
  case FloatUnary::Sinh:
    return std::sinh(x);
  case FloatUnary::Cosh:
    return std::cosh(x);
  case FloatUnary::Tanh:
    return std::tanh(x);
  case FloatUnary::Erf:
    return std::erf(x);
  case FloatUnary::Erfc:
    return std::erfc(x);
  case FloatUnary::Cbrt:
    return std::cbrt(x);
  case FloatUnary::Gamma:
    return std::tgamma(x);
  case FloatUnary::Floor:
    return std::floor(x);
  case FloatUnary::Ceil:
    return std::ceil(x);
  case FloatUnary::Trunc:
    return std::trunc(x);
  case FloatUnary::Round:
    return std::round(x);
  case FloatUnary::RoundEven:
    return std::nearbyint(x);
  case FloatUnary::Fraction:
    return x - std::floor(x);
  case FloatUnary::Relu: // NaN stays
    return x > 0 || std::isnan(x) ? x : T(0);
  case FloatUnary::Saturate:
    return x > 1 ? T(1) : x > 0 ? x : T(0);
  }
  return x;
}

// What the field can only say of values in their centred order.
constexpr bool hangsOnOrder(FloatUnary what) {
  return what == FloatUnary::Abs || what == FloatUnary::Relu || what == FloatUnary::Saturate;
}
constexpr bool hangsOnOrder(FloatBinary what) {
  return what == FloatBinary::MinNum || what == FloatBinary::MaxNum ||
         what == FloatBinary::Minimum || what == FloatBinary::Maximum ||
         what == FloatBinary::CopySign;
}
uint32_t fieldPower(const Field &f, uint32_t a, uint32_t b) {
  if (f.tracksDegrees())
    return f.random(kPow, f.mul(a, a), b); // no less than a square
  switch (f.residue(b)) {
  case 0:
    return f.one();
  case 1:
    return a;
  case 2:
    return f.mul(a, a);
  default:
    return f.random(kPow, a, b);
  }
}

template <FloatBinary W> uint32_t fieldBinary(const Field &f, uint32_t a, uint32_t b) {
  switch (W) {
  case FloatBinary::Add:
    return f.add(a, b);
  case FloatBinary::Sub:
    return f.sub(a, b);
  case FloatBinary::Mul:
    return f.mul(a, b);
  case FloatBinary::Div:
    return f.div(a, b);
  case FloatBinary::Rem:
    return f.random(kRem, a, b);
  case FloatBinary::MinNum:
    return f.min(a, b);
  case FloatBinary::MaxNum:
    return f.max(a, b);
  case FloatBinary::Minimum:
    return a == f.nan() || b == f.nan() ? f.nan() : f.min(a, b);
  case FloatBinary::Maximum:
    return a == f.nan() || b == f.nan() ? f.nan() : f.max(a, b);
  case FloatBinary::CopySign:
    return f.tracksDegrees()                          ? f.degrees().either(a, b)
           : (f.ordinal(a) < 0) == (f.ordinal(b) < 0) ? a
                                                      : f.neg(a);
  case FloatBinary::Pow:
    return fieldPower(f, a, b);
  case FloatBinary::ATan2:
    return f.random(kATan2, a, b);
  case FloatBinary::Hypot:
    return throughZero(f, kSqrt, f.add(f.mul(a, a), f.mul(b, b)));
  }
  return a;
}

template <FloatBinary W, class T> T ieeeBinary(T a, T b) {
  switch (W) {
  case FloatBinary::Add:
    return a + b;
  case FloatBinary::Sub:
    return a - b;
  case FloatBinary::Mul:
    return a * b;
  case FloatBinary::Div:
    return a / b;
  case FloatBinary::Rem:
    return std::fmod(a, b);
  case FloatBinary::MinNum:
    return std::fmin(a, b);
  case FloatBinary::MaxNum:
    return std::fmax(a, b);
  case FloatBinary::Minimum:
    return std::isnan(a) ? a : std::isnan(b) ? b : std::fmin(a, b);
  case FloatBinary::Maximum:
    return std::isnan(a) ? a : std::isnan(b) ? b : std::fmax(a, b);
  case FloatBinary::CopySign:
    return std::copysign(a, b);
  case FloatBinary::Pow:
    return std::pow(a, b);
  case FloatBinary::ATan2:
    return std::atan2(a, b);
  case FloatBinary::Hypot:
    return std::hypot(a, b);
  }
  return a;
}

// Residues of a register whatever its width.
template <FloatFormat F>
const uint32_t *fieldOperand(Wave &wave, const Op &op, Reg reg, uint32_t *scratch) {
  return residues32(wave, op, reg, F, scratch);
}

template <FloatFormat F, class Function>
void writeField(Wave &wave, const Op &op, const Meta &inputs, Function residue) {
  WordOf<F> *d = wave.begin<WordOf<F>>(op.dst);
  const uint32_t mask = floatBytes(F) < 4 ? 0xffffu : ~0u;
  for (unsigned lane = 0; lane < wave.lanes; ++lane)
    d[lane] = residue(lane) & mask;
  wave.commit<WordOf<F>>(op.dst, payloadMeta(wave, inputs.defined, inputs.tainted, F));
}

// As writeField, for results that the hardware rounds to a format narrower than what
// it computed them in.
template <FloatFormat F, class Function>
void writeRounded(Wave &wave, const Op &op, const Meta &inputs, Function residue) {
  const Field &f = *wave.field;
  if (!f.roundings())
    return writeField<F>(wave, op, inputs, residue);
  uint32_t exact[kMaxLanes];
  for (unsigned lane = 0; lane < wave.lanes; ++lane)
    exact[lane] = residue(lane);
  forLanes(wave.active & inputs.defined, [&](unsigned lane) { wave.rounded(op, F, exact[lane]); });
  writeField<F>(wave, op, inputs, [&](unsigned lane) { return f.round(F, exact[lane]); });
}

// Arithmetic in a 16-bit format rounds to it.
template <FloatFormat F, class Function>
void writeArithmetic(Wave &wave, const Op &op, const Meta &inputs, Function residue) {
  if constexpr (floatBytes(F) < 4)
    writeRounded<F>(wave, op, inputs, residue);
  else
    writeField<F>(wave, op, inputs, residue);
}

bool isExponential(FloatUnary what) {
  return what == FloatUnary::Exp || what == FloatUnary::Exp2 || what == FloatUnary::ExpM1;
}

// exp of what an exp has made: the shadow residue of it is spent.
void noteSpent(Wave &wave, const Op &op, const uint32_t *words) {
  forLanes(wave.active & wave.meta(op.a).defined, [&](unsigned lane) {
    if (wave.field->spent(words[lane]))
      wave.spend(op, "an exponential of a value that holds an exponential");
  });
}

// Op::immediate says which function.
template <FloatFormat F, bool InField> void unary(Wave &wave, const Op &op) {
  const auto what = FloatUnary(op.opcode);
  if constexpr (InField) {
    if (hangsOnOrder(what))
      wave.assume(op, kOrderAssumption);
    constexpr unsigned notNumbers = 1 | 2 | 4 | 512;
    if ((op.immediate & notNumbers) && wave.rawMeta(op.a).tainted)
      wave.assume(op, kNumbersAssumption);
    uint32_t scratch[kMaxLanes];
    const uint32_t *a = fieldOperand<F>(wave, op, op.a, scratch);
    if (wave.field->widens() && isExponential(what))
      noteSpent(wave, op, a);
    const Field &f = *wave.field;
    const Meta inputs = wave.rawMeta(op.a);
    if (what == FloatUnary::Neg)
      writeArithmetic<F>(wave, op, inputs, [&](unsigned lane) { return f.neg(a[lane]); });
    else if (what == FloatUnary::Abs)
      writeArithmetic<F>(wave, op, inputs, [&](unsigned lane) { return f.abs(a[lane]); });
    else
      writeArithmetic<F>(wave, op, inputs,
                         [&](unsigned lane) { return fieldUnary(what, f, a[lane]); });
  } else {
    const WordOf<F> *a = wave.get<WordOf<F>>(op.a);
    WordOf<F> *d = wave.begin<WordOf<F>>(op.dst);
    for (unsigned lane = 0; lane < wave.lanes; ++lane)
      d[lane] = toBits<F>(ieeeUnary(what, toNumber<F>(a[lane])));
    wave.commit<WordOf<F>>(op.dst, wave.rawMeta(op.a));
  }
}

// Whole rows of plain residues. False: not done.
template <FloatBinary W>
bool combineRows(const Field &f, const uint32_t *a, const uint32_t *b, uint32_t *to,
                 unsigned lanes) {
  switch (W) {
  case FloatBinary::Add:
    return addRows(f, a, b, to, lanes);
  case FloatBinary::Sub:
    return subtractRows(f, a, b, to, lanes);
  case FloatBinary::Mul:
    return multiplyRows(f, a, b, to, lanes);
  default:
    return false;
  }
}

// Where a row of results in the format may be written as it is: no rounding is watched.
template <FloatFormat F> bool takesRows(const Wave &wave) {
  return floatBytes(F) <= 4 && !wave.field->roundings();
}

template <FloatBinary W, FloatFormat F, bool InField> void binary(Wave &wave, const Op &op) {
  if constexpr (InField) {
    if (hangsOnOrder(W))
      wave.assume(op, kOrderAssumption);
    uint32_t first[kMaxLanes], second[kMaxLanes];
    const uint32_t *a = fieldOperand<F>(wave, op, op.a, first);
    const uint32_t *b = fieldOperand<F>(wave, op, op.b, second);
    if (uint32_t row[kMaxLanes];
        takesRows<F>(wave) && combineRows<W>(*wave.field, a, b, row, wave.lanes)) {
      const Meta inputs = wave.rawMeta(op.a, op.b);
      return wave.blend<uint32_t>(op.dst, row,
                                  payloadMeta(wave, inputs.defined, inputs.tainted, F));
    }
    writeArithmetic<F>(wave, op, wave.rawMeta(op.a, op.b), [&](unsigned lane) {
      return fieldBinary<W>(*wave.field, a[lane], b[lane]);
    });
  } else {
    const WordOf<F> *a = wave.get<WordOf<F>>(op.a), *b = wave.get<WordOf<F>>(op.b);
    WordOf<F> *d = wave.begin<WordOf<F>>(op.dst);
    for (unsigned lane = 0; lane < wave.lanes; ++lane)
      d[lane] = toBits<F>(ieeeBinary<W>(toNumber<F>(a[lane]), toNumber<F>(b[lane])));
    wave.commit<WordOf<F>>(op.dst, wave.rawMeta(op.a, op.b));
  }
}

template <FloatFormat F, bool InField> void fma(Wave &wave, const Op &op) {
  const Meta meta = wave.rawMeta(op.a, op.b, op.c);
  if constexpr (InField) {
    uint32_t first[kMaxLanes], second[kMaxLanes], third[kMaxLanes];
    const uint32_t *a = fieldOperand<F>(wave, op, op.a, first);
    const uint32_t *b = fieldOperand<F>(wave, op, op.b, second);
    const uint32_t *c = fieldOperand<F>(wave, op, op.c, third);
    const Field &f = *wave.field;
    if (uint32_t row[kMaxLanes]; takesRows<F>(wave) && multiplyAddRows(f, a, b, c, row, wave.lanes))
      return wave.blend<uint32_t>(op.dst, row, payloadMeta(wave, meta.defined, meta.tainted, F));
    writeArithmetic<F>(wave, op, meta,
                       [&](unsigned lane) { return f.add(f.mul(a[lane], b[lane]), c[lane]); });
  } else {
    const WordOf<F> *a = wave.get<WordOf<F>>(op.a), *b = wave.get<WordOf<F>>(op.b);
    const WordOf<F> *c = wave.get<WordOf<F>>(op.c);
    WordOf<F> *d = wave.begin<WordOf<F>>(op.dst);
    for (unsigned lane = 0; lane < wave.lanes; ++lane)
      d[lane] =
          toBits<F>(std::fma(toNumber<F>(a[lane]), toNumber<F>(b[lane]), toNumber<F>(c[lane])));
    wave.commit<WordOf<F>>(op.dst, meta);
  }
}

// LLVM's predicates are bit sets: 1 equal, 2 greater, 4 less, 8 unordered.
bool holds(unsigned predicate, bool unordered, bool less, bool equal) {
  const unsigned relation = unordered ? 8 : less ? 4 : equal ? 1 : 2;
  return predicate & relation;
}

// Ordered, unordered; or equal to an infinity, or not.
bool testsForNumbers(const Field &field, unsigned predicate, const uint32_t *a, const uint32_t *b,
                     unsigned lanes) {
  constexpr unsigned ordered = 7, unordered = 8, greater = 2, less = 4;
  if (predicate == ordered || predicate == unordered)
    return true;
  const auto isInfinite = [&](uint32_t x) { return x == field.inf(false) || x == field.inf(true); };
  const bool isEquality = !(predicate & greater) == !(predicate & less);
  return isEquality &&
         (std::all_of(a, a + lanes, isInfinite) || std::all_of(b, b + lanes, isInfinite));
}

template <FloatFormat F, bool InField> void compare(Wave &wave, const Op &op) {
  uint32_t *d = nullptr;
  const unsigned predicate = unsigned(op.immediate);
  if constexpr (InField) {
    uint32_t first[kMaxLanes], second[kMaxLanes];
    const uint32_t *a = fieldOperand<F>(wave, op, op.a, first);
    const uint32_t *b = fieldOperand<F>(wave, op, op.b, second);
    const Field &f = *wave.field;
    if (((predicate >> 1 ^ predicate >> 2) & 1) != 0)
      wave.assume(op, kOrderAssumption);
    if (testsForNumbers(f, predicate, a, b, wave.lanes) && wave.rawMeta(op.a, op.b).tainted)
      wave.assume(op, kNumbersAssumption);
    d = wave.begin<uint32_t>(op.dst);
    for (unsigned lane = 0; lane < wave.lanes; ++lane)
      d[lane] = holds(predicate, a[lane] == f.nan() || b[lane] == f.nan(), f.less(a[lane], b[lane]),
                      f.same(a[lane], b[lane]));
  } else {
    const WordOf<F> *a = wave.get<WordOf<F>>(op.a), *b = wave.get<WordOf<F>>(op.b);
    d = wave.begin<uint32_t>(op.dst);
    for (unsigned lane = 0; lane < wave.lanes; ++lane) {
      const auto x = toNumber<F>(a[lane]), y = toNumber<F>(b[lane]);
      d[lane] = holds(predicate, std::isnan(x) || std::isnan(y), x < y, x == y);
    }
  }
  wave.commit<uint32_t>(op.dst, wave.rawMeta(op.a, op.b));
}

// The number of the format next to `value` in a direction, from the one nearest to it: signs and
// magnitudes are apart in all formats, so that a step is a step of the bits.
template <FloatFormat To> uint64_t encodeToward(RoundTo direction, double value) {
  const uint64_t nearest = encodeFloat(To, value);
  const double back = decodeFloat(To, nearest);
  const bool above = back > value, below = back < value, negative = std::signbit(value);
  const bool shrink = direction == RoundTo::Zero   ? (negative ? below : above)
                      : direction == RoundTo::Down ? above && !negative
                      : direction == RoundTo::Up   ? below && negative
                                                   : false;
  const bool grow = direction == RoundTo::Down ? above && negative
                    : direction == RoundTo::Up ? below && !negative
                                               : false;
  return shrink ? nearest - 1 : grow ? nearest + 1 : nearest;
}

template <FloatFormat From, FloatFormat To, bool InField> void convert(Wave &wave, const Op &op) {
  if constexpr (InField) {
    uint32_t scratch[kMaxLanes];
    const uint32_t *a = fieldOperand<From>(wave, op, op.a, scratch);
    const auto same = [&](unsigned lane) { return a[lane]; };
    if constexpr (floatBitsOf(To) < floatBitsOf(From) ||
                  (floatBitsOf(To) == floatBitsOf(From) && To != From))
      writeRounded<To>(wave, op, wave.rawMeta(op.a), same);
    else
      writeField<To>(wave, op, wave.rawMeta(op.a), same);
  } else {
    const WordOf<From> *a = wave.get<WordOf<From>>(op.a);
    WordOf<To> *d = wave.begin<WordOf<To>>(op.dst);
    for (unsigned lane = 0; lane < wave.lanes; ++lane) {
      const auto value = toNumber<From>(a[lane]);
      if (const auto direction = RoundTo(op.immediate); direction != RoundTo::NearestEven)
        d[lane] = WordOf<To>(encodeToward<To>(direction, double(value)));
      else if constexpr (From == FloatFormat::F64 && floatBitsOf(To) < 32)
        d[lane] = WordOf<To>(encodeFloat(To, value)); // round once
      else
        d[lane] = toBits<To>(NumberOf<To>(value));
    }
    wave.commit<WordOf<To>>(op.dst, wave.rawMeta(op.a));
  }
}

// https://docs.nvidia.com/cuda/parallel-thread-execution/#alternate-floating-point-data-formats
uint32_t tf32Of(uint32_t bits, RoundTo direction) {
  constexpr uint32_t dropped = 0x1fff, half = 0x1000;
  if ((bits & 0x7fffffffu) > 0x7f800000u)
    return bits;
  if (direction == RoundTo::NearestEven)
    bits += half - 1 + (bits >> 13 & 1);
  else if (direction == RoundTo::NearestAway)
    bits += half;
  return bits & ~dropped;
}

template <bool InField> void toTf32(Wave &wave, const Op &op) {
  if constexpr (InField) {
    uint32_t scratch[kMaxLanes];
    const uint32_t *a = fieldOperand<FloatFormat::F32>(wave, op, op.a, scratch);
    wave.leavesOut(op, "whether values are rounded to tf32 is not compared");
    writeField<FloatFormat::F32>(wave, op, wave.rawMeta(op.a),
                                 [&](unsigned lane) { return a[lane]; });
  } else {
    const uint32_t *a = wave.get<uint32_t>(op.a);
    uint32_t *d = wave.begin<uint32_t>(op.dst);
    for (unsigned lane = 0; lane < wave.lanes; ++lane)
      d[lane] = tf32Of(a[lane], RoundTo(op.immediate));
    wave.commit<uint32_t>(op.dst, wave.rawMeta(op.a));
  }
}

int64_t signedValue(uint64_t value, unsigned bits) {
  return int64_t(value << (64 - bits)) >> (64 - bits);
}

template <bool Sign, class From, FloatFormat To, bool InField>
void fromInteger(Wave &wave, const Op &op) {
  const From *a = wave.get<From>(op.a);
  if (wave.holdsPayload(op.a))
    wave.giveUp(op, "the bits of a float are converted as an integer");
  if constexpr (InField) {
    writeField<To>(wave, op, wave.rawMeta(op.a), [&](unsigned lane) {
      const int64_t value = Sign ? signedValue(a[lane], op.bits) : 0;
      const uint32_t word =
          Sign ? wave.field->fromInteger(value) : wave.field->fromUnsigned(a[lane]);
      wave.field->knowSign(word, value < 0);
      return word;
    });
  } else {
    WordOf<To> *d = wave.begin<WordOf<To>>(op.dst);
    for (unsigned lane = 0; lane < wave.lanes; ++lane)
      d[lane] = Sign ? toBits<To>(NumberOf<To>(signedValue(a[lane], op.bits)))
                     : toBits<To>(NumberOf<To>(a[lane]));
    wave.commit<WordOf<To>>(op.dst, wave.rawMeta(op.a));
  }
}

template <class To> To clampToInteger(double value, unsigned bits, bool isSigned) {
  if (std::isnan(value))
    return 0;
  const double high = std::ldexp(1.0, int(isSigned ? bits - 1 : bits));
  const double low = isSigned ? -high : 0.0;
  if (value < low)
    return isSigned ? To(uint64_t(1) << (bits - 1)) : To(0);
  if (value >= high)
    return To(bits == 64 && !isSigned ? ~uint64_t(0)
                                      : (uint64_t(1) << (isSigned ? bits - 1 : bits)) - 1);
  const uint64_t bitsOfValue = value < 0 ? uint64_t(int64_t(value)) : uint64_t(value);
  return To(bits == 64 ? bitsOfValue : bitsOfValue & ((uint64_t(1) << bits) - 1));
}

double roundBy(double value, uint64_t mode) {
  switch (mode) {
  case 1:
    return std::nearbyint(value);
  case 2:
    return std::floor(value);
  case 3:
    return std::ceil(value);
  default:
    return std::trunc(value);
  }
}

template <bool Sign, FloatFormat From, class To, bool InField>
void toInteger(Wave &wave, const Op &op) {
  To *d = nullptr;
  if constexpr (InField) {
    wave.giveUp(op, "a float becomes an integer");
    uint32_t scratch[kMaxLanes];
    const uint32_t *a = fieldOperand<From>(wave, op, op.a, scratch);
    d = wave.begin<To>(op.dst);
    for (unsigned lane = 0; lane < wave.lanes; ++lane)
      d[lane] = clampToInteger<To>(wave.field->ordinal(a[lane]), op.bits, Sign);
  } else {
    const WordOf<From> *a = wave.get<WordOf<From>>(op.a);
    d = wave.begin<To>(op.dst);
    for (unsigned lane = 0; lane < wave.lanes; ++lane)
      d[lane] = clampToInteger<To>(roundBy(toNumber<From>(a[lane]), op.immediate), op.bits, Sign);
  }
  wave.commit<To>(op.dst, wave.rawMeta(op.a));
}

// llvm.is.fpclass: snan 1, qnan 2, -inf 4, -normal 8, -subnormal 16, -0 32, +0 64,
// +subnormal 128, +normal 256, +inf 512.
template <FloatFormat F> unsigned classOf(NumberOf<F> value) {
  const bool negative = std::signbit(value);
  constexpr NumberOf<F> leastNormal = F == FloatFormat::F64   ? 0x1p-1022
                                      : F == FloatFormat::F16 ? 0x1p-14
                                                              : 0x1p-126;
  if (std::isnan(value))
    return 2;
  if (std::isinf(value))
    return negative ? 4 : 512;
  if (value == 0)
    return negative ? 32 : 64;
  if (std::fabs(value) < leastNormal)
    return negative ? 16 : 128;
  return negative ? 8 : 256;
}

template <FloatFormat F, bool InField> void isClass(Wave &wave, const Op &op) {
  uint32_t *d = nullptr;
  if constexpr (InField) {
    constexpr unsigned negative = 8 | 16, positive = 128 | 256;
    if (((op.immediate & negative) != 0) != ((op.immediate & positive) != 0))
      wave.assume(op, kOrderAssumption);
    uint32_t scratch[kMaxLanes];
    const uint32_t *a = fieldOperand<F>(wave, op, op.a, scratch);
    const Field &f = *wave.field;
    d = wave.begin<uint32_t>(op.dst);
    for (unsigned lane = 0; lane < wave.lanes; ++lane) {
      const uint32_t x = a[lane];
      const unsigned bit = x == f.nan()        ? 3
                           : x == f.inf(true)  ? 4
                           : x == f.inf(false) ? 512
                           : f.residue(x) == 0 ? 96
                           : f.ordinal(x) < 0  ? 8
                                               : 256;
      d[lane] = (op.immediate & bit) != 0;
    }
  } else {
    const WordOf<F> *a = wave.get<WordOf<F>>(op.a);
    d = wave.begin<uint32_t>(op.dst);
    for (unsigned lane = 0; lane < wave.lanes; ++lane)
      d[lane] = (op.immediate & classOf<F>(toNumber<F>(a[lane]))) != 0;
  }
  wave.commit<uint32_t>(op.dst, wave.rawMeta(op.a));
}

template <FloatFormat F, bool InField> void scale(Wave &wave, const Op &op) {
  const uint32_t *exponent = wave.get<uint32_t>(op.b);
  if (wave.holdsPayload(op.b))
    wave.giveUp(op, "the bits of a float are an exponent");
  if constexpr (InField) {
    uint32_t scratch[kMaxLanes];
    const uint32_t *a = fieldOperand<F>(wave, op, op.a, scratch);
    writeField<F>(wave, op, wave.rawMeta(op.a, op.b), [&](unsigned lane) {
      const int power = std::clamp(int(exponent[lane]), -2000, 2000);
      return wave.field->mul(a[lane], wave.field->powerOfTwo(power));
    });
  } else {
    const WordOf<F> *a = wave.get<WordOf<F>>(op.a);
    WordOf<F> *d = wave.begin<WordOf<F>>(op.dst);
    for (unsigned lane = 0; lane < wave.lanes; ++lane)
      d[lane] = toBits<F>(std::ldexp(toNumber<F>(a[lane]), int(exponent[lane])));
    wave.commit<WordOf<F>>(op.dst, wave.rawMeta(op.a, op.b));
  }
}

// Calls f<Format>() for a format known only at run time, of those with arithmetic.
template <class F> Op::Function forArithmetic(FloatFormat format, F f) {
  switch (format) {
  case FloatFormat::F16:
    return f(std::integral_constant<FloatFormat, FloatFormat::F16>());
  case FloatFormat::BF16:
    return f(std::integral_constant<FloatFormat, FloatFormat::BF16>());
  case FloatFormat::F32:
    return f(std::integral_constant<FloatFormat, FloatFormat::F32>());
  case FloatFormat::F64:
    return f(std::integral_constant<FloatFormat, FloatFormat::F64>());
  default:
    return nullptr;
  }
}

// The same with the 8-bit formats, which can only be converted.
template <class F> Op::Function forFormat(FloatFormat format, F f) {
  switch (format) {
  case FloatFormat::E4M3:
    return f(std::integral_constant<FloatFormat, FloatFormat::E4M3>());
  case FloatFormat::E5M2:
    return f(std::integral_constant<FloatFormat, FloatFormat::E5M2>());
  case FloatFormat::E4M3Fnuz:
    return f(std::integral_constant<FloatFormat, FloatFormat::E4M3Fnuz>());
  case FloatFormat::E5M2Fnuz:
    return f(std::integral_constant<FloatFormat, FloatFormat::E5M2Fnuz>());
  default:
    return forArithmetic(format, f);
  }
}

template <FloatBinary W> Op::Function pickBinary(FloatFormat format, bool field) {
  return forArithmetic(format, [&](auto f) -> Op::Function {
    return field ? binary<W, f(), true> : binary<W, f(), false>;
  });
}

// Tables indexed by the enumerators.
template <unsigned... Is>
Op::Function binaryFrom(FloatBinary what, FloatFormat format, bool field,
                        std::integer_sequence<unsigned, Is...>) {
  using Picker = Op::Function (*)(FloatFormat, bool);
  static constexpr Picker pickers[] = {pickBinary<FloatBinary(Is)>...};
  return pickers[unsigned(what)](format, field);
}

} // namespace

Op::Function floatUnary(FloatFormat format, bool field) {
  return forArithmetic(
      format, [&](auto f) -> Op::Function { return field ? unary<f(), true> : unary<f(), false>; });
}

Op::Function floatBinary(FloatBinary what, FloatFormat format, bool field) {
  return binaryFrom(what, format, field,
                    std::make_integer_sequence<unsigned, unsigned(FloatBinary::Hypot) + 1>());
}

Op::Function floatFma(FloatFormat format, bool field) {
  return forArithmetic(
      format, [&](auto f) -> Op::Function { return field ? fma<f(), true> : fma<f(), false>; });
}

Op::Function floatCompare(FloatFormat format, bool field) {
  return forArithmetic(format, [&](auto f) -> Op::Function {
    return field ? compare<f(), true> : compare<f(), false>;
  });
}

Op::Function floatConvert(FloatFormat from, FloatFormat to, bool field) {
  return forFormat(from, [&](auto f) -> Op::Function {
    return forFormat(to, [&](auto t) -> Op::Function {
      return field ? convert<decltype(f)::value, t(), true>
                   : convert<decltype(f)::value, t(), false>;
    });
  });
}

Op::Function integerToFloat(bool isSigned, bool wide, FloatFormat to, bool field) {
  return forArithmetic(to, [&](auto t) -> Op::Function {
    if (wide)
      return isSigned ? (field ? fromInteger<true, uint64_t, t(), true>
                               : fromInteger<true, uint64_t, t(), false>)
                      : (field ? fromInteger<false, uint64_t, t(), true>
                               : fromInteger<false, uint64_t, t(), false>);
    return isSigned ? (field ? fromInteger<true, uint32_t, t(), true>
                             : fromInteger<true, uint32_t, t(), false>)
                    : (field ? fromInteger<false, uint32_t, t(), true>
                             : fromInteger<false, uint32_t, t(), false>);
  });
}

bool readsIntegers(Op::Function operation) {
  for (const FloatFormat to :
       {FloatFormat::F16, FloatFormat::BF16, FloatFormat::F32, FloatFormat::F64})
    for (const bool isSigned : {false, true})
      for (const bool wide : {false, true})
        if (operation == integerToFloat(isSigned, wide, to, false))
          return true;
  return false;
}

Op::Function floatToInteger(bool isSigned, FloatFormat from, bool wide, bool field) {
  return forArithmetic(from, [&](auto f) -> Op::Function {
    if (wide)
      return isSigned ? (field ? toInteger<true, f(), uint64_t, true>
                               : toInteger<true, f(), uint64_t, false>)
                      : (field ? toInteger<false, f(), uint64_t, true>
                               : toInteger<false, f(), uint64_t, false>);
    return isSigned ? (field ? toInteger<true, f(), uint32_t, true>
                             : toInteger<true, f(), uint32_t, false>)
                    : (field ? toInteger<false, f(), uint32_t, true>
                             : toInteger<false, f(), uint32_t, false>);
  });
}

Op::Function floatToTf32(bool field) { return field ? toTf32<true> : toTf32<false>; }

Op::Function floatIsClass(FloatFormat format, bool field) {
  return forArithmetic(format, [&](auto f) -> Op::Function {
    return field ? isClass<f(), true> : isClass<f(), false>;
  });
}

Op::Function floatScale(FloatFormat format, bool field) {
  return forArithmetic(
      format, [&](auto f) -> Op::Function { return field ? scale<f(), true> : scale<f(), false>; });
}

FloatBinary floatBinaryOf(unsigned llvmOpcode) {
  switch (llvmOpcode) {
  case llvm::Instruction::FSub:
    return FloatBinary::Sub;
  case llvm::Instruction::FMul:
    return FloatBinary::Mul;
  case llvm::Instruction::FDiv:
    return FloatBinary::Div;
  case llvm::Instruction::FRem:
    return FloatBinary::Rem;
  default:
    return FloatBinary::Add;
  }
}

Meta payloadMeta(Wave &wave, uint64_t defined, bool tainted, FloatFormat format) {
  return {defined, wave.all, payloadCode(floatBytes(format)), tainted};
}

uint32_t residueOf(Wave &wave, const Op &op, FloatFormat format, uint64_t bits, uint32_t code) {
  const unsigned width = floatBytes(format); // 0: fp4, which no payload fits
  if (width && code == payloadCode(width))
    return width < 4 ? wave.field->widen(uint32_t(bits)) : uint32_t(bits);
  if (code == 0)
    return bits == 0 ? 0 : wave.field->withSign(decodeFloat(format, bits));
  // A bf16 payload in the upper half of an f32 is that value.
  if (format == FloatFormat::F32 && code == payloadCode(2) << 8 && !(bits & 0xffff))
    return wave.field->widen(uint32_t(bits >> 16));
  // A narrow payload with raw zeros above it comes from an integer that was cut.
  wave.giveUp(op, "a float is read from bytes of another float");
  return wave.field->reduce(bits);
}

const uint32_t *residues32(Wave &wave, const Op &op, Reg reg, FloatFormat format,
                           uint32_t *scratch) {
  const Meta &meta = wave.meta(reg);
  const bool wide = format == FloatFormat::F64;
  const bool plain = meta.code == payloadCode(floatBytes(format)) &&
                     (meta.field & wave.active & meta.defined) == (wave.active & meta.defined);
  const bool widen = wave.field->widens() && floatBytes(format) < 4;
  if (plain && !wide && !widen)
    return wave.get<uint32_t>(reg);
  std::fill_n(scratch, kMaxLanes, 0);
  forLanes(wave.active & meta.defined, [&](unsigned lane) {
    const uint64_t bits = wide ? wave.get<uint64_t>(reg)[lane] : wave.get<uint32_t>(reg)[lane];
    const uint32_t code = (meta.field >> lane & 1) ? meta.code : 0;
    scratch[lane] = plain && !widen ? uint32_t(bits) : residueOf(wave, op, format, bits, code);
  });
  return scratch;
}

} // namespace layout_port::verify
