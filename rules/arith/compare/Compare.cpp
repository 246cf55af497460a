// Comparing and choosing.
//
//   setp.ne.b32 p, a, 0;           ──▶  ptx_p = (unsigned)(a) != 0u;
//   setp.lt.and.s32 p|q, a, b, c;  ──▶  ptx_p = (a < b) & ptx_c; ptx_q = !(a < b) & ptx_c
//   selp.b32 d, a, b, p;           ──▶  d = ptx_p ? a : b;
//   set.gt.u32.f32 d, a, b;        ──▶  d = a > b ? ~0u : 0u;
//   set.gt.f16x2.f16x2 d, a, b;    ──▶  d = (lo > lo ? 0x3c00u : 0u) | (hi > hi ? 0x3c00u : 0u) <<
//   16
//
// https://docs.nvidia.com/cuda/parallel-thread-execution/#comparison-and-selection-instructions
#include "asm/Writer.h"

#include "ptx/decode/Compare.h"

namespace layout_port {

using ptx::Compare;
using ptx::Comparison;
using ptx::Instruction;
using ptx::Outcome;
using ptx::Type;

namespace {

bool takes(const Instruction &i) {
  return i.opcode == "setp" || i.opcode == "set" || i.opcode == "selp" || i.opcode == "slct" ||
         i.opcode == "testp";
}

// The C++ comparison; `unordered`: true when an operand is NaN, which is how C++'s
// negated opposite behaves.
struct Sign {
  const char *text;
  bool negate = false;
};
Sign signOf(Comparison c) {
  switch (c) {
  case Comparison::Eq:
    return {" == "};
  case Comparison::Ne:
    return {" != "};
  case Comparison::Lt:
  case Comparison::Lo:
    return {" < "};
  case Comparison::Le:
  case Comparison::Ls:
    return {" <= "};
  case Comparison::Gt:
  case Comparison::Hi:
    return {" > "};
  case Comparison::Ge:
  case Comparison::Hs:
    return {" >= "};
  case Comparison::NeU:
    return {" == ", true};
  case Comparison::LtU:
    return {" >= ", true};
  case Comparison::LeU:
    return {" > ", true};
  case Comparison::GtU:
    return {" <= ", true};
  case Comparison::GeU:
    return {" < ", true};
  default: // Num, Nan and EqU are no signs
    return {" == "};
  }
}

bool isHalf(Type type) { return type == Type::F16 || type == Type::BF16; }

// A float operand as a number: halves widen exactly.
std::string number(Writer &w, const ptx::Operand &operand, Type type) {
  if (!isHalf(type))
    return w.value(operand, type);
  const char *function = type == Type::F16 ? "cvt_f32_f16" : "cvt_f32_bf16";
  return w.call(function, {w.argument(operand, type)});
}

// Half 0 or 1 of a word of two, as a number.
std::string halfOf(Writer &w, const ptx::Operand &operand, Type type, int half) {
  const char *function = type == Type::F16x2 ? "cvt_f32_f16" : "cvt_f32_bf16";
  const std::string word = w.value(operand, Type::U32);
  return w.call(function, {"(unsigned short)(" + word + (half ? " >> 16)" : ")")});
}

// The comparison of a and b as one C++ expression, or nothing.
std::string compared(const Compare &c, const std::string &a, const std::string &b) {
  const bool isFloat = ptx::isFloat(c.type);
  const auto unordered = [&] { return "__builtin_isunordered(" + a + ", " + b + ")"; };
  switch (c.comparison) {
  case Comparison::Num:
    return "!" + unordered();
  case Comparison::Nan:
    return unordered();
  case Comparison::EqU: // neither less nor greater
    return "!__builtin_islessgreater(" + a + ", " + b + ")";
  case Comparison::Ne: // of floats: ordered
    if (isFloat)
      return "__builtin_islessgreater(" + a + ", " + b + ")";
    break;
  default:
    break;
  }
  const Sign sign = signOf(c.comparison);
  return sign.negate ? "!(" + a + sign.text + b + ")" : a + sign.text + b;
}

// `text`, joined to the predicate that the instruction names.
std::string withCondition(Writer &w, const Compare &c, const std::string &text) {
  if (c.combine == Compare::Combine::None)
    return text;
  const char *sign = c.combine == Compare::Combine::And  ? " & "
                     : c.combine == Compare::Combine::Or ? " | "
                                                         : " ^ ";
  return "(" + text + ")" + sign + w.value(*c.condition, Type::Pred);
}

// What set gives where the comparison holds: all bits, or 1.
const char *truthOf(Type result) {
  switch (result) {
  case Type::F32:
    return "1.0f";
  case Type::F16:
  case Type::F16x2:
    return "0x3c00u";
  case Type::BF16:
  case Type::BF16x2:
    return "0x3f80u";
  case Type::U16:
  case Type::S16:
    return "0xffffu";
  default:
    return "~0u";
  }
}

// Each half of a word by itself; two predicates, or one word of results.
Outcome<Lowered> lowerPacked(Writer &w, const Compare &c) {
  std::string hits[2];
  for (int half = 0; half < 2; ++half)
    hits[half] = withCondition(
        w, c, compared(c, halfOf(w, *c.a, c.type, half), halfOf(w, *c.b, c.type, half)));
  const std::string reason = "a comparison of each half";
  if (!c.toPredicate) {
    const std::string truth = ptx::isFloat(c.result) ? truthOf(c.result) : "0xffffu";
    return w.assign(*c.destination, Type::B32,
                    "((" + hits[0] + ") ? " + truth + " : 0u) | ((" + hits[1] + ") ? " + truth +
                        " : 0u) << 16",
                    reason);
  }
  if (!c.second)
    return w.refuse("setp of two halves gives two predicates (p|q)");
  return w.statement("{ const bool lp_v = " + hits[0] + ", lp_q = " + hits[1] + "; " +
                         w.assignment(*c.destination, Type::Pred, "lp_v") + "; " +
                         w.assignment(*c.second, Type::Pred, "lp_q") + "; }",
                     reason);
}

Outcome<Lowered> lowerCompare(const Instruction &i, const Binding &binding) {
  const auto c = ptx::decodeCompare(i);
  if (!c)
    return c.error();
  Writer w(i, binding);
  if (ptx::lanesOf(c->type) > 1)
    return lowerPacked(w, *c);
  const std::string hit = compared(*c, number(w, *c->a, c->type), number(w, *c->b, c->type));
  const auto combined = [&](const std::string &text) { return withCondition(w, *c, text); };
  if (!c->toPredicate)
    return w.assign(*c->destination, c->result,
                    "(" + combined(hit) + ") ? " + truthOf(c->result) +
                        (c->result == Type::F32 ? " : 0.0f" : " : 0u"),
                    "a comparison");
  if (!c->second)
    return w.assign(*c->destination, Type::Pred, combined(hit), "a comparison");
  return w.statement("{ const bool lp_v = " + hit + "; const bool lp_q = " + combined("!lp_v") +
                         "; " + w.assignment(*c->destination, Type::Pred, combined("lp_v")) + "; " +
                         w.assignment(*c->second, Type::Pred, "lp_q") + "; }",
                     "a comparison");
}

Outcome<Lowered> lowerSelect(const Instruction &i, const Binding &binding) {
  const auto s = ptx::decodeSelect(i);
  if (!s)
    return s.error();
  Writer w(i, binding);
  const std::string a = w.value(*s->a, s->type), b = w.value(*s->b, s->type);
  const std::string condition = !s->bySign
                                    ? w.value(*s->condition, Type::Pred)
                                    : w.value(*s->condition, s->conditionType) +
                                          (s->conditionType == Type::F32 ? " >= 0.0f" : " >= 0");
  return w.assign(*s->destination, s->type, condition + " ? " + a + " : " + b, "a choice");
}

Outcome<Lowered> lowerTest(const Instruction &i, const Binding &binding) {
  const auto t = ptx::decodeFloatTest(i);
  if (!t)
    return t.error();
  using Property = ptx::FloatTest::Property;
  Writer w(i, binding);
  const std::string x = w.value(*t->source, t->type);
  const auto ask = [&](const char *what) {
    return std::string("__builtin_") + what + "(" + x + ")";
  };
  std::string text;
  switch (t->property) {
  case Property::Finite:
    text = ask("isfinite");
    break;
  case Property::Infinite:
    text = ask("isinf");
    break;
  case Property::Number:
    text = "!" + ask("isnan");
    break;
  case Property::NotANumber:
    text = ask("isnan");
    break;
  case Property::Normal: // zero counts as normal here
    text = "(" + ask("isnormal") + " || " + x + " == 0)";
    break;
  case Property::Subnormal:
    text = "(" + ask("isfinite") + " && !" + ask("isnormal") + " && " + x + " != 0)";
    break;
  }
  return w.assign(*t->destination, Type::Pred, text, "a test of a float");
}

Outcome<Lowered> lower(const Instruction &i, const ptx::Block &, const Binding &binding) {
  if (i.opcode == "testp")
    return lowerTest(i, binding);
  if (i.opcode == "selp" || i.opcode == "slct")
    return lowerSelect(i, binding);
  return lowerCompare(i, binding);
}

} // namespace

const PtxLowering compareLowering = {"arith-compare", takes, lower};

} // namespace layout_port
