#include "ptx/decode/Compare.h"

#include "ptx/Opcodes.h"

namespace layout_port::ptx {
namespace {

Comparison comparisonOf(const Instruction &i) {
  return pick<Comparison>(i, {{"eq", Comparison::Eq},
                              {"ne", Comparison::Ne},
                              {"lt", Comparison::Lt},
                              {"le", Comparison::Le},
                              {"gt", Comparison::Gt},
                              {"ge", Comparison::Ge},
                              {"lo", Comparison::Lo},
                              {"ls", Comparison::Ls},
                              {"hi", Comparison::Hi},
                              {"hs", Comparison::Hs},
                              {"equ", Comparison::EqU},
                              {"neu", Comparison::NeU},
                              {"ltu", Comparison::LtU},
                              {"leu", Comparison::LeU},
                              {"gtu", Comparison::GtU},
                              {"geu", Comparison::GeU},
                              {"num", Comparison::Num},
                              {"nan", Comparison::Nan}})
      .value_or(Comparison::Eq);
}

Compare::Combine combineOf(const Instruction &i) {
  return pick<Compare::Combine>(i, {{"and", Compare::Combine::And},
                                    {"or", Compare::Combine::Or},
                                    {"xor", Compare::Combine::Xor}})
      .value_or(Compare::Combine::None);
}

bool isOrder(Comparison c) { return c != Comparison::Eq && c != Comparison::Ne; }
bool isUnsignedOrder(Comparison c) { return c >= Comparison::Lo && c <= Comparison::Hs; }
bool isFloatOnly(Comparison c) { return c >= Comparison::EqU; }

// .b compares for equality only, .lo and its kin are for unsigned, .equ and its
// kin for floats.
std::optional<Problem> checkComparison(const Instruction &i, const Compare &c) {
  const TypeKind kind = info(c.type).kind;
  const bool fits = kind == TypeKind::Float      ? !isUnsignedOrder(c.comparison)
                    : kind == TypeKind::Unsigned ? !isFloatOnly(c.comparison)
                    : kind == TypeKind::Signed
                        ? !isFloatOnly(c.comparison) && !isUnsignedOrder(c.comparison)
                        : !isOrder(c.comparison);
  if (!fits)
    return problemAt(i.opcodeOffset,
                     i.spelling() + ": ." + std::string(spell(c.type)) + " has no such comparison");
  const bool flushable = c.type == Type::F32 || c.type == Type::F16 || c.type == Type::F16x2;
  if (c.flush && !flushable)
    return problemAt(offsetOf(i, "ftz"), ".ftz compares .f32, .f16 or .f16x2");
  return std::nullopt;
}

// set writes 32 bits for any sources, 16 bits for scalar halves, and one 16-bit
// float for scalars; packed sources give packed floats of their own kind.
std::optional<Problem> checkResult(const Instruction &i, const Compare &c) {
  const bool packed = lanesOf(c.type) > 1;
  const bool half = c.type == Type::F16 || c.type == Type::BF16;
  const auto fits = [&](Type result) {
    switch (result) {
    case Type::U32:
    case Type::S32:
      return true;
    case Type::F32:
      return !packed && !half;
    case Type::U16:
    case Type::S16:
      return half;
    case Type::F16:
      return !packed && c.type != Type::BF16;
    case Type::BF16:
      return !packed;
    default:
      return packed && result == c.type;
    }
  };
  if (c.toPredicate || fits(c.result))
    return std::nullopt;
  return problemAt(i.opcodeOffset, i.spelling() + ": a comparison of ." +
                                       std::string(spell(c.type)) + " gives no ." +
                                       std::string(spell(c.result)));
}

} // namespace

Outcome<Compare> decodeCompare(const Instruction &i) {
  if (auto problem = check(i))
    return *problem;
  Compare c;
  c.toPredicate = i.opcode == "setp";
  c.comparison = comparisonOf(i);
  c.combine = combineOf(i);
  c.flush = i.has("ftz");
  const std::vector<Type> types = typesOf(i);
  c.type = types.back();
  c.result = c.toPredicate ? Type::Pred : types.front();
  const Operand &d = i.operands[0];
  const bool pair = d.is(Operand::Kind::Pair);
  c.destination = pair ? &d.elements[0] : &d;
  c.second = pair ? &d.elements[1] : nullptr;
  c.a = &i.operands[1];
  c.b = &i.operands[2];
  if (i.operands.size() > 3)
    c.condition = &i.operands[3];
  if (auto problem = checkComparison(i, c))
    return *problem;
  if (auto problem = checkResult(i, c))
    return *problem;
  return c;
}

Outcome<Select> decodeSelect(const Instruction &i) {
  if (auto problem = check(i))
    return *problem;
  Select s;
  s.bySign = i.opcode == "slct";
  const std::vector<Type> types = typesOf(i);
  s.type = types[0];
  s.conditionType = s.bySign ? types[1] : Type::Pred;
  s.flush = i.has("ftz");
  s.destination = &i.operands[0];
  s.a = &i.operands[1];
  s.b = &i.operands[2];
  s.condition = &i.operands[3];
  if (s.bySign && s.conditionType != Type::S32 && s.conditionType != Type::F32)
    return problemAt(i.opcodeOffset, "slct chooses by an s32 or an f32");
  if (s.flush && s.conditionType != Type::F32)
    return problemAt(offsetOf(i, "ftz"), "slct.ftz chooses by an f32");
  return s;
}

Outcome<FloatTest> decodeFloatTest(const Instruction &i) {
  if (auto problem = check(i))
    return *problem;
  using Property = FloatTest::Property;
  FloatTest t;
  t.property = pick<Property>(i, {{"finite", Property::Finite},
                                  {"infinite", Property::Infinite},
                                  {"number", Property::Number},
                                  {"notanumber", Property::NotANumber},
                                  {"normal", Property::Normal},
                                  {"subnormal", Property::Subnormal}})
                   .value_or(Property::Finite);
  t.type = typesOf(i)[0];
  t.destination = &i.operands[0];
  t.source = &i.operands[1];
  return t;
}

} // namespace layout_port::ptx
