// cvt: every conversion between integers, floats, halves, bf16, tf32 and fp8.
//
//   cvt.rn.f16x2.f32 %0, %1, %2;            ──▶  d = lp::cvt_f16x2(a, b)    a is the upper half
//   cvt.u32.u64 %0, a;                      ──▶  d = (unsigned)(a)
//   cvt.rni.sat.s8.f32 %0, a;               ──▶  d = lp::to_integer<signed char>(
//                                                     __builtin_rintf(a))
//   cvt.rn.satfinite.e4m3x2.f32 %0, %1, %2; ──▶  d = lp::cvt_e4m3x2(a, b)
//   cvt.rn.relu.bf16x2.f32 ...              ──▶  d = lp::relu_as<lp::bfloat2>(lp::cvt_bf16x2(a, b))
//   cvt.rm.f16.f32 %0, a;                   ──▶  d = lp::bits<unsigned short>(
//                                                     lp::directed<_Float16, lp::down>(a, 0))
//
// Floats round to nearest even (what clang's conversions do). In the other directions the
// nearest is corrected by what is left over, a number of double; where the result is a double
// that is none, and the site is manual.
// https://docs.nvidia.com/cuda/parallel-thread-execution/#data-movement-and-conversion-instructions-cvt
#include "asm/Rounding.h"
#include "asm/Writer.h"

#include "ptx/decode/Convert.h"

#include "llvm/ADT/STLExtras.h"

namespace layout_port {

using ptx::Convert;
using ptx::Instruction;
using ptx::Outcome;
using ptx::Rounding;
using ptx::Type;

namespace {

bool takes(const Instruction &i) { return i.opcode == "cvt"; }

bool isHalf(Type type) { return type == Type::F16 || type == Type::BF16; }
bool isReal(Type type) { return type == Type::F32 || type == Type::F64; }
bool isFp8(Type type) { return type == Type::E4M3x2 || type == Type::E5M2x2; }
std::string spelled(Type type) { return std::string(ptx::spell(type)); }

// The C++ type in which relu and saturate treat a result.
std::string halfType(Type type) {
  return type == Type::F16     ? "_Float16"
         : type == Type::BF16  ? "__bf16"
         : type == Type::F16x2 ? "lp::half2"
                               : "lp::bfloat2";
}

class Conversion {
public:
  Conversion(const Instruction &i, const Convert &c, const Binding &binding)
      : c_(c), w_(i, binding) {}

  Outcome<Lowered> run() {
    std::string text;
    if (c_.pack)
      text = packed();
    else if (ptx::lanesOf(c_.to) == 2 || ptx::lanesOf(c_.from) == 2)
      text = pair();
    else if (ptx::isFloat(c_.to) && ptx::isFloat(c_.from))
      text = floatToFloat();
    else if (ptx::isFloat(c_.from))
      text = floatToInteger();
    else if (ptx::isFloat(c_.to))
      text = integerToFloat();
    else
      text = integerToInteger();
    if (text.empty())
      return w_.refuse(unported());
    std::string reason = reason_;
    if (c_.flush)
      reason += "; subnormals are kept, not flushed";
    return w_.assign(*c_.destination, result(), text, reason);
  }

private:
  std::string spelling() const { return "cvt." + spelled(c_.to) + "." + spelled(c_.from); }
  // Numbers of 4 and 6 bits and bare exponents, in which blocks are scaled from sm_100 on.
  static bool isBlockType(Type type) {
    const Type element = ptx::elementOf(type);
    return element == Type::E2M1 || element == Type::E2M3 || element == Type::E3M2 ||
           element == Type::UE8M0;
  }
  std::string unported() const {
    if (isBlockType(c_.to) || isBlockType(c_.from))
      return "numbers of block-scaled formats have no counterpart before gfx950; keep them as e4m3, "
             "or compute them with shifts";
    return "no lowering for the rounding or types of " + spelling();
  }
  Type result() const { return c_.pack ? Type::B32 : c_.to; }
  std::string from() { return w_.value(*c_.sources[0], c_.from); }
  std::string argument() { return w_.argument(*c_.sources[0], c_.from); }
  bool nearest() const {
    return c_.rounding == Rounding::None || c_.rounding == Rounding::NearestEven;
  }

  // The source as a float, to be an argument: halves widen exactly.
  std::string widened() {
    if (c_.from == Type::F16)
      return w_.call("cvt_f32_f16", {w_.argument(*c_.sources[0], c_.from)});
    if (c_.from == Type::BF16)
      return w_.call("cvt_f32_bf16", {w_.argument(*c_.sources[0], c_.from)});
    return argument();
  }
  // To float or double: a cast where the width changes.
  std::string toReal(const std::string &x, bool isPlain) {
    const bool isDouble = c_.from == Type::F64;
    if (isDouble == (c_.to == Type::F64))
      return x;
    return (isDouble ? "(float)" : "(double)") + (isPlain && isReal(c_.from) ? from() : x);
  }

  // To an integer value: .rni .rzi .rmi .rpi.
  std::string integral(const std::string &x) const {
    const char *name = c_.rounding == Rounding::Zero   ? "trunc"
                       : c_.rounding == Rounding::Down ? "floor"
                       : c_.rounding == Rounding::Up   ? "ceil"
                                                       : "rint";
    return std::string("__builtin_") + name + (c_.from == Type::F64 ? "" : "f") + "(" + x + ")";
  }

  std::string limited(std::string text) {
    if (c_.relu)
      text = ptx::bitsOf(c_.to) == 32 && ptx::lanesOf(c_.to) == 1
                 ? w_.call("relu", {text})
                 : w_.call("relu_as<" + halfType(c_.to) + ">", {text});
    if (c_.saturate)
      text = isReal(c_.to) ? w_.call("saturate", {text})
                           : w_.call("saturate_as<" + halfType(c_.to) + ">", {text});
    return text;
  }

  std::string floatToFloat() {
    reason_ = "a conversion of floats";
    if (c_.to == Type::TF32)
      return toTf32();
    if (c_.from == Type::TF32 || !(isReal(c_.to) || isHalf(c_.to)))
      return "";
    std::string x = widened();
    const bool isPlain = !c_.toInteger && !c_.satfinite;
    if (c_.toInteger)
      x = integral(x);
    else if (!nearest() &&
             !(c_.rounding == Rounding::Zero && isHalf(c_.to) && c_.from == Type::F32))
      return directed(x);
    if (c_.satfinite)
      x = finite(x);
    if (isReal(c_.to))
      return limited(toReal(x, isPlain));
    const bool toZero = c_.rounding == Rounding::Zero && !c_.toInteger;
    if (c_.from == Type::F64)
      return limited(w_.call("cvt_" + spelled(c_.to) + "_f64", {x}));
    if (c_.from == c_.to && !c_.toInteger)
      return limited(from());
    return limited(w_.call("cvt_" + spelled(c_.to) + "_f32" + (toZero ? "_rz" : ""), {x}));
  }

  // Rounded down, up or to zero: of a value that a double holds, or of a 64-bit integer.
  std::string directed(const std::string &x) {
    const char *direction = directionOf(c_.rounding);
    const std::string to = isHalf(c_.to) ? halfType(c_.to) : "float";
    if (!direction || c_.satfinite || !(isHalf(c_.to) || c_.to == Type::F32))
      return "";
    reason_ = "rounded in the direction written, by way of double";
    const std::string how = to + ", lp::" + direction + ">";
    const bool isLong = ptx::bitsOf(c_.from) == 64 && !ptx::isFloat(c_.from);
    const std::string text =
        isLong ? w_.call("directed_integer<" + how, {x}) : w_.call("directed<" + how, {x, "0"});
    return limited(isHalf(c_.to) ? w_.call("bits<unsigned short>", {text}) : text);
  }

  std::string finite(const std::string &x) {
    const bool half = ptx::elementOf(c_.to) == Type::F16;
    return w_.call("clamp_finite", {x, half ? "65504.0f" : "0x1.fep127f"});
  }

  std::string toTf32() {
    if (c_.from != Type::F32)
      return "";
    const char *how = c_.rounding == Rounding::NearestAway   ? "rna"
                      : c_.rounding == Rounding::NearestEven ? "rn"
                      : c_.rounding == Rounding::Zero        ? "rz"
                                                             : nullptr;
    if (!how)
      return "";
    std::string x =
        c_.satfinite ? w_.call("clamp_finite", {argument(), "0x1.ffcp127f"}) : argument();
    if (c_.relu)
      x = w_.call("relu", {x});
    return w_.call(std::string("cvt_tf32_") + how, {x});
  }

  std::string floatToInteger() {
    reason_ = "out of range gives the nearest, NaN gives 0, as in PTX";
    const bool half = isHalf(c_.from);
    if (!half && !isReal(c_.from))
      return "";
    return w_.call("to_integer<" + variableType(c_.to).str() + ">", {integral(widened())});
  }

  std::string integerToFloat() {
    reason_ = "a conversion of an integer";
    if (!nearest())
      return directed(argument());
    const std::string x = from();
    if (isReal(c_.to))
      return limited("(" + variableType(c_.to).str() + ")" + x);
    if (c_.to == Type::F16 || c_.to == Type::BF16)
      return limited(w_.call("bits<unsigned short>", {"(" + halfType(c_.to) + ")" + x}));
    return "";
  }

  std::string integerToInteger() {
    reason_ = "a change of width";
    const std::string to = variableType(c_.to).str();
    if (c_.saturate)
      return w_.call("saturate_integer<" + to + ">", {from()});
    return "(" + to + ")" + from();
  }

  // Two values in one register; the first source is the upper one.
  std::string pair() {
    reason_ = "a conversion of two numbers";
    if (isFp8(c_.to))
      return toFp8();
    if (isFp8(c_.from))
      return c_.to == Type::F16x2 ? limited(w_.call("cvt_f16x2_" + spelled(c_.from),
                                                    {w_.argument(*c_.sources[0], Type::U16)}))
                                  : "";
    const bool halves = c_.to == Type::F16x2 || c_.to == Type::BF16x2;
    if (!halves || c_.from != Type::F32 || c_.sources.size() != 2 ||
        !(nearest() || c_.rounding == Rounding::Zero))
      return "";
    std::string upper = w_.argument(*c_.sources[0], Type::F32),
                lower = w_.argument(*c_.sources[1], Type::F32);
    if (c_.satfinite) {
      upper = finite(upper);
      lower = finite(lower);
    }
    return limited(w_.call("cvt_" + spelled(c_.to) + (c_.rounding == Rounding::Zero ? "_rz" : ""),
                           {upper, lower}));
  }

  // Out of range gives the largest finite number (.satfinite must be written).
  std::string toFp8() {
    const std::string name = "cvt_" + spelled(c_.to);
    if (c_.from == Type::F32 && c_.sources.size() == 2) {
      std::string upper = w_.argument(*c_.sources[0], Type::F32),
                  lower = w_.argument(*c_.sources[1], Type::F32);
      if (c_.relu) {
        upper = w_.call("relu", {upper});
        lower = w_.call("relu", {lower});
      }
      return w_.call(name, {upper, lower});
    }
    if (c_.from != Type::F16x2)
      return "";
    std::string halves = w_.argument(*c_.sources[0], Type::U32);
    if (c_.relu)
      halves = w_.call("relu_as<lp::half2>", {halves});
    return w_.call(name + "_f16x2", {halves});
  }

  // cvt.pack.sat: two clamped integers, the second lowest, and what was there before above.
  std::string packed() {
    reason_ = "integers clamped and packed";
    const std::string rest = c_.sources.size() > 2 ? w_.argument(*c_.sources[2], Type::U32) : "0u";
    return w_.call(
        "cvt_pack<" + std::to_string(ptx::bitsOf(c_.to)) + ", " +
            (ptx::isSigned(c_.to) ? "true" : "false") + ">",
        {w_.argument(*c_.sources[0], Type::S32), w_.argument(*c_.sources[1], Type::S32), rest});
  }

  const Convert &c_;
  Writer w_;
  std::string reason_ = "clang's conversion";
};

Outcome<Lowered> lower(const Instruction &instruction, const ptx::Block &, const Binding &binding) {
  const auto convert = ptx::decodeConvert(instruction);
  if (!convert)
    return convert.error();
  return Conversion(instruction, *convert, binding).run();
}

} // namespace

const PtxLowering cvtLowering = {"convert-cvt", takes, lower};

} // namespace layout_port
