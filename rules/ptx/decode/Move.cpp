#include "ptx/decode/Move.h"

#include "ptx/Opcodes.h"

namespace layout_port::ptx {
namespace {

std::optional<Problem> checkParts(const Instruction &i, const Move &move, const Operand &vector,
                                  std::size_t parts) {
  const unsigned bits = bitsOf(move.type);
  if (info(move.type).kind != TypeKind::Bits)
    return problemAt(i.opcodeOffset, "mov packs and unpacks only .b types");
  if ((parts != 2 && parts != 4) || bits / parts < 8)
    return problemAt(vector.span.begin, "mov." + std::string(spell(move.type)) + " cannot hold " +
                                            std::to_string(parts) + " parts");
  return std::nullopt;
}

std::optional<Problem> setKind(const Instruction &i, Move &move) {
  const bool to = i.operands[0].is(Operand::Kind::Vector);
  const bool from = i.operands[1].is(Operand::Kind::Vector);
  if (to && from) {
    move.kind = Move::Kind::Vector;
    if (move.destinations.size() == move.sources.size())
      return std::nullopt;
    return problemAt(i.operands[1].span.begin, "mov between vectors of unequal length");
  }
  if (!to && !from)
    return std::nullopt;
  move.kind = to ? Move::Kind::Unpack : Move::Kind::Pack;
  const std::size_t parts = to ? move.destinations.size() : move.sources.size();
  if (auto problem = checkParts(i, move, i.operands[to ? 0 : 1], parts))
    return problem;
  move.partBits = bitsOf(move.type) / static_cast<unsigned>(parts);
  return std::nullopt;
}

bool isDestination(const Operand &o) {
  return o.is(Operand::Kind::AsmOperand) || o.is(Operand::Kind::Register) ||
         o.is(Operand::Kind::Symbol) || o.is(Operand::Kind::Sink);
}

} // namespace

Outcome<Move> decodeMove(const Instruction &i) {
  if (auto problem = check(i))
    return *problem;
  Move move;
  move.type = typesOf(i)[0];
  move.destinations = registersOf(i.operands[0]);
  move.sources = registersOf(i.operands[1]);
  for (const Operand *d : move.destinations)
    if (!isDestination(*d))
      return problemAt(d->span.begin, "mov writes a register");
  for (const Operand *s : move.sources)
    if (s->is(Operand::Kind::Sink))
      return problemAt(s->span.begin, "mov cannot read '_'");
  if (auto problem = setKind(i, move))
    return *problem;
  return move;
}

Outcome<AddressConversion> decodeCvta(const Instruction &i) {
  if (auto problem = check(i))
    return *problem;
  AddressConversion c;
  c.toSpace = i.has("to");
  c.space = spaceOf(i);
  c.bits = bitsOf(typesOf(i)[0]);
  c.destination = &i.operands[0];
  c.source = &i.operands[1];
  return c;
}

} // namespace layout_port::ptx
