#include "ptx/decode/Arithmetic.h"

#include "ptx/Opcodes.h"

namespace layout_port::ptx {
namespace {

constexpr std::string_view opcodes[] = {
#define OPERATION(name, opcode) opcode,
#include "ptx/decode/Operations.inc"
#undef OPERATION
};

std::optional<Operation> findOperation(std::string_view opcode) {
  int index = 0;
  for (const std::string_view o : opcodes) {
    if (o == opcode)
      return static_cast<Operation>(index);
    ++index;
  }
  return std::nullopt;
}

ProductPart partOf(const Instruction &i) {
  return pick<ProductPart>(
             i, {{"lo", ProductPart::Low}, {"hi", ProductPart::High}, {"wide", ProductPart::Wide}})
      .value_or(ProductPart::Whole);
}

Type twiceAsWide(Type type) {
  switch (type) {
  case Type::U16:
    return Type::U32;
  case Type::S16:
    return Type::S32;
  case Type::U32:
    return Type::U64;
  default:
    return Type::S64;
  }
}

Type resultOf(const Arithmetic &a) {
  if (a.part == ProductPart::Wide)
    return twiceAsWide(a.type);
  const bool counts = a.operation == Operation::Popc || a.operation == Operation::Clz ||
                      a.operation == Operation::Bfind;
  return counts ? Type::U32 : a.type;
}

void setFlags(const Instruction &i, Arithmetic &a) {
  a.flush = i.has("ftz");
  a.saturate = i.has("sat");
  a.relu = i.has("relu");
  a.propagateNan = i.has("NaN");
  a.xorSign = i.has("xorsign");
  a.magnitude = i.has("abs");
  a.approximate = i.has("approx");
  a.fullRange = i.has("full");
  a.carryOut = i.has("cc");
  a.wrap = i.has("wrap");
  a.shiftAmount = i.has("shiftamt");
}

void setTypes(const Instruction &i, Arithmetic &a) {
  const std::vector<Type> types = typesOf(i);
  a.type = types[0];
  if (types.size() > 1)
    a.leading = types[1];
  a.result = resultOf(a);
}

void setOperands(const Instruction &i, Arithmetic &a) {
  a.destination = &i.operands[0];
  for (std::size_t s = 1; s < i.operands.size(); ++s)
    a.sources.push_back(&i.operands[s]);
}

std::optional<Problem> checkFlags(const Instruction &i, const Arithmetic &a) {
  const bool minimum = a.operation == Operation::Min || a.operation == Operation::Max;
  if (!minimum)
    return std::nullopt;
  const bool three = a.sources.size() == 3;
  if (a.xorSign && (three || !a.magnitude))
    return problemAt(offsetOf(i, "xorsign"), ".xorsign is written .xorsign.abs, of two sources");
  if (a.magnitude && !three && !a.xorSign)
    return problemAt(offsetOf(i, "abs"), ".abs of two sources needs .xorsign");
  return std::nullopt;
}

} // namespace

std::string_view spell(Operation operation) { return opcodes[static_cast<int>(operation)]; }

bool isOperation(std::string_view opcode) { return findOperation(opcode).has_value(); }

Outcome<Arithmetic> decodeArithmetic(const Instruction &i) {
  if (auto problem = check(i))
    return *problem;
  const std::optional<Operation> operation = findOperation(i.opcode);
  if (!operation)
    return problemAt(i.opcodeOffset, i.opcode + " is not arithmetic");
  Arithmetic a;
  a.operation = *operation;
  a.part = partOf(i);
  a.rounding = roundingOf(i);
  setFlags(i, a);
  setTypes(i, a);
  setOperands(i, a);
  if (auto problem = checkFlags(i, a))
    return *problem;
  return a;
}

Outcome<BitTable> decodeLop3(const Instruction &i) {
  if (auto problem = check(i))
    return *problem;
  BitTable t;
  t.combine = i.has("or")    ? BitTable::Combine::Or
              : i.has("and") ? BitTable::Combine::And
                             : BitTable::Combine::None;
  const Operand &result = i.operands[0];
  const bool pair = result.is(Operand::Kind::Pair);
  if (pair != (t.combine != BitTable::Combine::None))
    return problemAt(result.span.begin, "lop3.or and lop3.and, and no other, write d|p");
  t.destination = pair ? &result.elements[0] : &result;
  t.predicate = pair ? &result.elements[1] : nullptr;
  t.sources = {&i.operands[1], &i.operands[2], &i.operands[3]};
  t.tableOperand = &i.operands[4];
  if (i.operands.size() > 5)
    t.condition = &i.operands[5];
  if (const auto table = integerOf(*t.tableOperand)) {
    if (*table < 0 || *table > 255)
      return problemAt(t.tableOperand->span.begin, "lop3's truth table is 0 to 255");
    t.table = static_cast<unsigned>(*table);
  }
  return t;
}

Outcome<BytePermute> decodePrmt(const Instruction &i) {
  if (auto problem = check(i))
    return *problem;
  BytePermute p;
  p.mode = pick<BytePermute::Mode>(i, {{"f4e", BytePermute::Mode::Forward4},
                                       {"b4e", BytePermute::Mode::Backward4},
                                       {"rc8", BytePermute::Mode::Replicate8},
                                       {"ecl", BytePermute::Mode::EdgeLeft},
                                       {"ecr", BytePermute::Mode::EdgeRight},
                                       {"rc16", BytePermute::Mode::Replicate16}})
               .value_or(BytePermute::Mode::Default);
  p.destination = &i.operands[0];
  p.low = &i.operands[1];
  p.high = &i.operands[2];
  p.selector = &i.operands[3];
  return p;
}

Outcome<FunnelShift> decodeShf(const Instruction &i) {
  if (auto problem = check(i))
    return *problem;
  FunnelShift s;
  s.left = i.has("l");
  s.wrap = i.has("wrap");
  s.destination = &i.operands[0];
  s.low = &i.operands[1];
  s.high = &i.operands[2];
  s.amount = &i.operands[3];
  return s;
}

Outcome<DotProduct> decodeDotProduct(const Instruction &i) {
  if (auto problem = check(i))
    return *problem;
  DotProduct d;
  d.terms = i.opcode == "dp4a" ? 4 : 2;
  d.high = i.has("hi");
  const std::vector<Type> types = typesOf(i);
  d.typeA = types[0];
  d.typeB = types[1];
  d.destination = &i.operands[0];
  d.a = &i.operands[1];
  d.b = &i.operands[2];
  d.c = &i.operands[3];
  return d;
}

} // namespace layout_port::ptx
