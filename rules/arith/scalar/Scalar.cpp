// Computations of one lane on numbers: sums, products, minima, bit counts,
// elementary functions, of integers, floats, halves and pairs of halves.
//
//   mad.lo.s32 d, a, b, c;       ──▶  d = (int)(a) * (int)(b) + (int)(c);
//   shl.b32 d, a, n;             ──▶  d = lp::shl<unsigned>(a, n);      32 and more give 0
//   fma.rn.f32 d, a, b, c;       ──▶  d = __builtin_fmaf(a, b, c);
//   add.rz.f32 d, a, b;          ──▶  d = lp::add_directed<lp::toward_zero>(a, b);
//   ex2.approx.ftz.f32 d, a;     ──▶  d = __builtin_amdgcn_exp2f(a);
//   fma.rn.relu.f16x2 d, a, b, c ──▶  d = lp::relu<lp::half2>(lp::fma<lp::half2>(a, b, c));
//   mul.f32x2 d, a, b;           ──▶  d = lp::each_f32(a, b, [](float x, float y) { return x * y;
//   }) fma.rn.f32.f16 d, a, b, c;   ──▶  d = __builtin_fmaf(lp::cvt_f32_f16(a), ..., c);
//
// .ftz asks for subnormals to be flushed; here they keep their value, and the reason
// says so. A sum or product with .rn is not contracted to an fma, one without may be.
// https://docs.nvidia.com/cuda/parallel-thread-execution/#integer-arithmetic-instructions
#include "asm/Rounding.h"
#include "asm/Writer.h"

#include "ptx/decode/Arithmetic.h"

namespace layout_port {

using ptx::Arithmetic;
using ptx::Instruction;
using ptx::Operation;
using ptx::Outcome;
using ptx::Problem;
using ptx::ProductPart;
using ptx::Rounding;
using ptx::Type;

namespace {

bool takes(const Instruction &i) { return ptx::isOperation(i.opcode); }

bool isHalf(Type type) {
  const Type element = ptx::elementOf(type);
  return element == Type::F16 || element == Type::BF16;
}

// The vector (or scalar) in which halves are computed.
std::string halfType(Type type) {
  switch (type) {
  case Type::F16:
    return "_Float16";
  case Type::BF16:
    return "__bf16";
  case Type::F16x2:
    return "lp::half2";
  default:
    return "lp::bfloat2";
  }
}

class Lowering {
public:
  Lowering(const Instruction &instruction, const ptx::Block &block, const Arithmetic &a,
           const Binding &binding)
      : instruction_(instruction), block_(block), a_(a), w_(instruction, binding),
        binding_(binding) {}

  Outcome<Lowered> run() {
    std::string text;
    if (a_.carryOut || readsCarry(instruction_))
      text = withCarry();
    else if (isHalf(a_.type))
      text = half();
    else if (a_.type == Type::F32 || a_.type == Type::F64)
      text = real();
    else if (a_.type == Type::F32x2)
      text = realPair();
    else if (a_.type == Type::Pred)
      text = predicate();
    else if (ptx::lanesOf(a_.type) == 2)
      text = integerPair();
    else
      text = integer();
    if (!why_.empty())
      return w_.refuse(why_);
    if (text.empty())
      return w_.notYet();
    std::string reason = reason_.empty() ? "plain C++" : reason_;
    if (a_.flush)
      reason += "; subnormals are kept, not flushed";
    return w_.assign(*a_.destination, a_.result, text, reason);
  }

private:
  // Of mixed precision: all sources but the last are halves, which widen exactly.
  bool isWidened(size_t i) const { return a_.leading && i + 1 < a_.sources.size(); }
  std::string widened(size_t i) {
    return w_.call(*a_.leading == Type::F16 ? "cvt_f32_f16" : "cvt_f32_bf16",
                   {w_.argument(*a_.sources[i], *a_.leading)});
  }
  std::string v(size_t i) {
    return !names_.empty() ? names_[i]
           : isWidened(i)  ? widened(i)
                           : w_.value(*a_.sources[i], a_.type);
  }
  // As an unsigned integer: low bits are the same, and nothing overflows.
  std::string u(size_t i) { return w_.value(*a_.sources[i], unsignedType(a_.type)); }
  static Type unsignedType(Type type) {
    return type == Type::S32 ? Type::U32 : type == Type::S64 ? Type::U64 : type;
  }
  std::string arg(size_t i) {
    return !names_.empty() ? names_[i]
           : isWidened(i)  ? widened(i)
                           : w_.argument(*a_.sources[i], a_.type);
  }
  std::string count(size_t i) { return w_.argument(*a_.sources[i], Type::U32); }
  std::string type() const { return variableType(a_.type).str(); }
  std::string of(const std::string &function) const { return function + "<" + type() + ">"; }
  unsigned width() const { return ptx::bitsOf(a_.type); }

  //===-- the carry flag ----------------------------------------------------===//

  static bool readsCarry(const Instruction &i) {
    return i.opcode == "addc" || i.opcode == "subc" || i.opcode == "madc";
  }
  static bool writesCarry(const Instruction &i) { return i.has("cc"); }

  // The flag is a local variable of the statement, so what writes it and what reads
  // it must both stand here.
  bool isCarryKnown() {
    bool before = false, after = false, reached = false;
    for (const Instruction &i : block_.instructions) {
      if (&i == &instruction_)
        reached = true;
      else if (!reached)
        before |= writesCarry(i);
      else
        after |= readsCarry(i);
    }
    if (readsCarry(instruction_) && !before)
      why_ = "it reads the carry flag of another asm statement; write the chain in one statement, "
             "or use wider integers";
    else if (a_.carryOut && !after)
      why_ = "it leaves the carry flag to another asm statement; write the chain in one statement, "
             "or use wider integers";
    return why_.empty();
  }

  // add.cc: a + b; addc.cc: a + b + carry; addc: the same, and the flag stays.
  std::string withCarry() {
    if (!isCarryKnown())
      return "";
    reason_ = "integer arithmetic with the carry flag as a variable";
    const bool difference = instruction_.opcode == "sub" || instruction_.opcode == "subc";
    const bool isMad = instruction_.opcode == "mad" || instruction_.opcode == "madc";
    const std::string x = isMad ? product() : u(0);
    const std::string y = w_.value(*a_.sources[isMad ? 2 : 1], unsignedType(a_.type));
    const bool reads = readsCarry(instruction_);
    if (!a_.carryOut)
      return x + (difference ? " - " : " + ") + y + (difference ? " - " : " + ") + "lp_carry";
    const std::string name = difference ? "sub_borrow<" : "add_carry<";
    return w_.call(name + variableType(unsignedType(a_.type)).str() + ">",
                   {x, y, reads ? "lp_carry" : "false", "lp_carry"}, "carry");
  }

  //===-- integers ----------------------------------------------------------===//

  std::string product() {
    if (a_.part == ProductPart::High)
      return w_.call(of("mul_hi"), {arg(0), arg(1)});
    if (a_.part == ProductPart::Wide)
      return "(" + variableType(a_.result).str() + ")" + v(0) + " * " + v(1);
    return u(0) + " * " + u(1);
  }

  // Of the low 24 bits: bits 0 to 31 of the product, or 16 to 47.
  std::string product24() {
    const bool isHigh = a_.part == ProductPart::High;
    const std::string text = w_.call(of(isHigh ? "mul24_hi" : "mul24"), {arg(0), arg(1)});
    if (a_.operation == Operation::Mul24)
      return text;
    return a_.saturate ? "__builtin_elementwise_add_sat(" + text + ", " + v(2) + ")"
                       : text + " + " + v(2);
  }

  std::string integer() {
    reason_ = "integer arithmetic";
    switch (a_.operation) {
    case Operation::Add:
      return a_.saturate ? "__builtin_elementwise_add_sat(" + v(0) + ", " + v(1) + ")"
                         : u(0) + " + " + u(1);
    case Operation::Sub:
      return a_.saturate ? "__builtin_elementwise_sub_sat(" + v(0) + ", " + v(1) + ")"
                         : u(0) + " - " + u(1);
    case Operation::Mul:
      return product();
    case Operation::Mad:
      if (a_.saturate)
        return "__builtin_elementwise_add_sat(" + product() + ", " + v(2) + ")";
      return product() + " + " + w_.value(*a_.sources[2], unsignedType(a_.result));
    case Operation::Mul24:
    case Operation::Mad24:
      return product24();
    case Operation::Sad:
      return w_.call(of("sad"), {arg(0), arg(1), arg(2)});
    case Operation::Div:
      return v(0) + " / " + v(1);
    case Operation::Rem:
      return v(0) + " % " + v(1);
    case Operation::Abs:
      return "__builtin_elementwise_abs(" + v(0) + ")";
    case Operation::Neg:
      return "0 - " + u(0);
    case Operation::Min:
    case Operation::Max:
      return limit("__builtin_elementwise_", v(0), v(1));
    default:
      return bits();
    }
  }

  std::string limit(const std::string &prefix, const std::string &x, const std::string &y) {
    const std::string text =
        prefix + std::string(ptx::spell(a_.operation)) + "(" + x + ", " + y + ")";
    return a_.relu ? "__builtin_elementwise_max(" + text + ", (" + type() + ")0)" : text;
  }

  // A shift by a number below the width needs no care.
  std::string shift() {
    const bool left = a_.operation == Operation::Shl;
    const auto amount = binding_.constant(*a_.sources[1]);
    if (amount && *amount >= 0 && *amount < static_cast<int64_t>(width()))
      return v(0) + (left ? " << " : " >> ") + std::to_string(*amount);
    return w_.call(of(left ? "shl" : "shr"), {arg(0), count(1)});
  }

  std::string bits() {
    reason_ = "bit arithmetic";
    const bool wide = width() == 64;
    switch (a_.operation) {
    case Operation::And:
      return v(0) + " & " + v(1);
    case Operation::Or:
      return v(0) + " | " + v(1);
    case Operation::Xor:
      return v(0) + " ^ " + v(1);
    case Operation::Not:
      return "~" + v(0);
    case Operation::Cnot:
      return v(0) + " == 0";
    case Operation::Shl:
    case Operation::Shr:
      return shift();
    case Operation::Popc:
      return std::string(wide ? "__builtin_popcountll(" : "__builtin_popcount(") + v(0) + ")";
    case Operation::Clz:
      return w_.call(of("clz"), {arg(0)});
    case Operation::Brev:
      return std::string(wide ? "__builtin_bitreverse64(" : "__builtin_bitreverse32(") + v(0) + ")";
    case Operation::Bfind:
      return w_.call(of(a_.shiftAmount ? "bfind_shift" : "bfind"), {arg(0)}, "bfind");
    case Operation::Fns:
      return w_.call("fns", {arg(0), count(1), w_.argument(*a_.sources[2], Type::S32)});
    case Operation::Bfe:
      return w_.call(of("bfe"), {arg(0), count(1), count(2)});
    case Operation::Bfi:
      return w_.call(of("bfi"), {arg(0), arg(1), count(2), count(3)});
    case Operation::Szext:
      return w_.call((a_.wrap ? "szext_wrap<" : "szext<") + type() + ">", {arg(0), count(1)},
                     "szext");
    case Operation::Bmsk:
      return w_.call(a_.wrap ? "bmsk_wrap" : "bmsk", {count(0), count(1)}, "bmsk");
    default:
      return "";
    }
  }

  std::string predicate() {
    switch (a_.operation) {
    case Operation::And:
      return v(0) + " & " + v(1);
    case Operation::Or:
      return v(0) + " | " + v(1);
    case Operation::Xor:
      return v(0) + " ^ " + v(1);
    case Operation::Not:
      return "!" + v(0);
    default:
      return "";
    }
  }

  // Two 16-bit integers in a word.
  std::string integerPair() {
    reason_ = "two 16-bit integers in a word";
    const std::string pair = ptx::isSigned(a_.type) ? "<lp::short2x>" : "<lp::ushort2x>";
    const std::string name(ptx::spell(a_.operation));
    if (a_.operation != Operation::Add && a_.operation != Operation::Min &&
        a_.operation != Operation::Max)
      return "";
    const std::string text = w_.call(name + "_pair_as" + pair, {arg(0), arg(1)}, "integer_pairs");
    return a_.relu ? w_.call("max_pair_as" + pair, {text, "0u"}, "integer_pairs") : text;
  }

  //===-- floats ------------------------------------------------------------===//

  bool nearest() {
    if (a_.rounding == Rounding::None || a_.rounding == Rounding::NearestEven)
      return true;
    why_ = std::string(ptx::spell(a_.operation)) +
           " that rounds other than to nearest: AMD's rounding is a mode of the wave";
    return false;
  }

  // .rz .rm .rp of f32: in double, and corrected by what is left over.
  std::string directed() {
    const char *direction = directionOf(a_.rounding);
    if (a_.type != Type::F32 || !direction) {
      nearest();
      return "";
    }
    reason_ = "rounded in the direction written, by way of double";
    const std::string how = std::string("_directed<lp::") + direction + ">";
    switch (a_.operation) {
    case Operation::Add:
    case Operation::Sub:
    case Operation::Mul:
    case Operation::Div:
      return w_.call(std::string(ptx::spell(a_.operation)) + how, {arg(0), arg(1)},
                     "directed_float");
    case Operation::Mad:
    case Operation::Fma:
      return w_.call("fma" + how, {arg(0), arg(1), arg(2)}, "directed_float");
    case Operation::Rcp:
      return w_.call("div" + how, {"1.0f", arg(0)}, "directed_float");
    case Operation::Sqrt:
      return w_.call("sqrt" + how, {arg(0)}, "directed_float");
    default:
      nearest();
      return "";
    }
  }
  std::string suffix() const { return a_.type == Type::F32 ? "f" : ""; }
  std::string builtin(const std::string &name, const std::string &arguments) const {
    return "__builtin_" + name + suffix() + "(" + arguments + ")";
  }

  // Not to be fused with what stands before or after it, where .rn is written.
  std::string sum(const char *name, const char *sign) {
    if (a_.rounding == Rounding::None)
      return v(0) + sign + v(1);
    return w_.call(std::string(name) + "_rn", {arg(0), arg(1)});
  }

  std::string real() {
    const bool toNearest = a_.rounding == Rounding::None || a_.rounding == Rounding::NearestEven;
    const std::string text = toNearest ? unsaturated() : directed();
    return a_.saturate && !text.empty() ? w_.call("saturate", {text}) : text;
  }

  std::string unsaturated() {
    reason_ = "float arithmetic";
    const bool approximate = a_.approximate && a_.type == Type::F32;
    switch (a_.operation) {
    case Operation::Add:
      return sum("add", " + ");
    case Operation::Sub:
      return sum("sub", " - ");
    case Operation::Mul:
      return sum("mul", " * ");
    case Operation::Mad:
    case Operation::Fma:
      return builtin("fma", arg(0) + ", " + arg(1) + ", " + arg(2));
    case Operation::Div:
      return v(0) + " / " + v(1);
    case Operation::Abs:
      return builtin("fabs", arg(0));
    case Operation::Neg:
      return v(0)[0] == '-' ? "-(" + v(0) + ")" : "-" + v(0);
    case Operation::CopySign:
      return builtin("copysign", arg(1) + ", " + arg(0));
    case Operation::Min:
    case Operation::Max:
      return realLimit();
    case Operation::Rcp:
      return approximate ? "__builtin_amdgcn_rcpf(" + arg(0) + ")"
                         : std::string(a_.type == Type::F32 ? "1.0f" : "1.0") + " / " + v(0);
    case Operation::Sqrt:
      return approximate ? "__builtin_amdgcn_sqrtf(" + arg(0) + ")" : builtin("sqrt", arg(0));
    case Operation::Rsqrt:
      return a_.type == Type::F32 ? "__builtin_amdgcn_rsqf(" + arg(0) + ")"
                                  : "1.0 / __builtin_sqrt(" + arg(0) + ")";
    case Operation::Sin:
      return builtin("sin", arg(0));
    case Operation::Cos:
      return builtin("cos", arg(0));
    case Operation::Ex2:
      return (a_.flush ? "__builtin_amdgcn_exp2f(" : "__builtin_exp2f(") + arg(0) + ")";
    case Operation::Lg2:
      return (a_.flush ? "__builtin_amdgcn_logf(" : "__builtin_log2f(") + arg(0) + ")";
    case Operation::Tanh:
      return w_.call("tanh_approx", {arg(0)});
    default:
      return "";
    }
  }

  // PTX's minimum prefers a number to NaN; .NaN prefers NaN.
  std::string realLimit() {
    const std::string name(ptx::spell(a_.operation));
    if (a_.xorSign)
      return w_.call(name + "_xorsign", {arg(0), arg(1), a_.propagateNan ? "true" : "false"},
                     "min_max_xorsign");
    const auto one = [&](size_t i) { return a_.magnitude ? builtin("fabs", arg(i)) : arg(i); };
    const auto two = [&](const std::string &x, const std::string &y) {
      return a_.propagateNan ? w_.call(name + "_nan", {x, y}, "min_max_nan")
                             : builtin("f" + name, x + ", " + y);
    };
    const std::string text = two(one(0), one(1));
    return a_.sources.size() == 3 ? two(text, one(2)) : text;
  }

  // Two floats in a 64-bit register, each on its own.
  std::string realPair() {
    static const char *const names[] = {"x", "y", "z"};
    names_.assign(names, names + a_.sources.size());
    a_.type = Type::F32;
    const std::string each = real();
    names_.clear();
    a_.type = a_.result = Type::U64;
    if (each.empty())
      return "";
    std::string parameters;
    for (size_t i = 0; i < a_.sources.size(); ++i)
      parameters += std::string(i ? ", " : "") + "float " + names[i];
    const std::string function = "[](" + parameters + ") { return " + each + "; }";
    return a_.sources.size() == 2 ? w_.call("each_f32", {arg(0), arg(1), function})
                                  : w_.call("each_f32", {arg(0), arg(1), arg(2), function});
  }

  //===-- halves ------------------------------------------------------------===//

  std::string half() {
    if (!nearest())
      return "";
    const std::string type = "<" + halfType(a_.type) + ">";
    const std::string name(ptx::spell(a_.operation));
    reason_ = "arithmetic on halves";
    std::string text;
    switch (a_.operation) {
    case Operation::Add:
    case Operation::Sub:
    case Operation::Mul:
      text = w_.call(name + "_as" + type, {arg(0), arg(1)});
      break;
    case Operation::Min:
    case Operation::Max:
      text =
          a_.xorSign
              ? w_.call(name + "_xorsign_as" + type,
                        {arg(0), arg(1), a_.propagateNan ? "true" : "false"}, "min_max_xorsign_as")
              : w_.call(name + (a_.propagateNan ? "_nan_as" : "_as") + type, {arg(0), arg(1)});
      break;
    case Operation::Fma:
      text = w_.call("fma_as" + type, {arg(0), arg(1), arg(2)});
      break;
    case Operation::Abs:
    case Operation::Neg:
    case Operation::Ex2:
    case Operation::Tanh:
      text = w_.call(name + "_as" + type, {arg(0)});
      break;
    default:
      return "";
    }
    if (a_.relu)
      text = w_.call("relu_as" + type, {text});
    if (a_.saturate)
      text = w_.call("saturate_as" + type, {text});
    return text;
  }

  const Instruction &instruction_;
  const ptx::Block &block_;
  Arithmetic a_;
  std::vector<std::string> names_; // what stands for the sources, if not their operands
  Writer w_;
  const Binding &binding_;
  std::string reason_, why_;
};

Outcome<Lowered> lower(const Instruction &instruction, const ptx::Block &block,
                       const Binding &binding) {
  const auto arithmetic = ptx::decodeArithmetic(instruction);
  if (!arithmetic)
    return arithmetic.error();
  return Lowering(instruction, block, *arithmetic, binding).run();
}

} // namespace

const PtxLowering scalarLowering = {"arith-scalar", takes, lower};

} // namespace layout_port
