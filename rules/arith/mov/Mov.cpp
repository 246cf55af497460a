// mov: a copy, a pack, an unpack, or a look at a special register.
//
//   mov.u32 %0, %laneid;        ──▶  x = lp::laneid();
//   mov.b32 %0, {%1, %2};       ──▶  x = lp::pack<unsigned>(lo, hi);
//   mov.b64 {%0, %1}, %2;       ──▶  { lp_v = x; lo = lp::part<unsigned, 0>(lp_v); ... }
//   mov.v2.u32 {%0, %1}, {..};  ──▶  { const unsigned lp_v0 = a, lp_v1 = b; x = lp_v0; ... }
//
// https://docs.nvidia.com/cuda/parallel-thread-execution/#data-movement-and-conversion-instructions-mov
#include "asm/Writer.h"

#include "ptx/decode/Move.h"

namespace layout_port {

using ptx::Instruction;
using ptx::Move;
using ptx::Outcome;
using ptx::Type;

namespace {

bool takes(const Instruction &i) { return i.opcode == "mov"; }

std::optional<Type> bitsOfSize(unsigned bits) {
  switch (bits) {
  case 16:
    return Type::U16;
  case 32:
    return Type::U32;
  case 64:
    return Type::U64;
  }
  return std::nullopt;
}

Outcome<Lowered> lowerPack(Writer &w, const Move &m, Type part, Type whole) {
  std::string arguments, types = variableType(whole).str();
  bool allTyped = true; // a literal of 16 bits has no type of its own
  for (const ptx::Operand *source : m.sources) {
    arguments += (arguments.empty() ? "" : ", ") + w.value(*source, part);
    allTyped &= !source->is(ptx::Operand::Kind::Immediate);
  }
  if (!allTyped)
    types += ", " + variableType(part).str();
  return w.assign(*m.destinations[0], whole, w.call("pack<" + types + ">", {arguments}),
                  "registers put together");
}

Outcome<Lowered> lowerUnpack(Writer &w, const Move &m, Type part, Type whole) {
  std::string text =
      "{ const " + variableType(whole).str() + " lp_v = " + w.value(*m.sources[0], whole) + ";";
  for (size_t i = 0; i < m.destinations.size(); ++i)
    text += " " +
            w.assignment(*m.destinations[i], part,
                         "(" + variableType(part).str() + ")(lp_v >> " +
                             std::to_string(i * m.partBits) + ")") +
            ";";
  return w.statement(text + " }", "a register taken apart");
}

// All are read before any is written.
Outcome<Lowered> lowerVector(Writer &w, const Move &m) {
  std::string reads, writes;
  for (size_t i = 0; i < m.sources.size(); ++i) {
    const std::string name = "lp_v" + std::to_string(i);
    reads += (i ? ", " : "") + name + " = " + w.value(*m.sources[i], m.type);
    if (!m.destinations[i]->is(ptx::Operand::Kind::Sink))
      writes += " " + w.assignment(*m.destinations[i], m.type, name) + ";";
  }
  return w.statement("{ const " + variableType(m.type).str() + " " + reads + ";" + writes + " }",
                     "a copy");
}

Outcome<Lowered> lower(const Instruction &i, const ptx::Block &, const Binding &binding) {
  const auto m = ptx::decodeMove(i);
  if (!m)
    return m.error();
  Writer w(i, binding);
  if (m->kind == Move::Kind::Pack || m->kind == Move::Kind::Unpack) {
    const auto part = bitsOfSize(m->partBits), whole = bitsOfSize(ptx::bitsOf(m->type));
    if (!part || !whole)
      return w.notYet();
    return m->kind == Move::Kind::Pack ? lowerPack(w, *m, *part, *whole)
                                       : lowerUnpack(w, *m, *part, *whole);
  }
  if (m->kind == Move::Kind::Vector && !variableType(m->type).empty())
    return lowerVector(w, *m);
  if (m->destinations.size() != 1 || variableType(m->type).empty())
    return w.notYet();
  const bool isFloat = m->type == Type::F32 || m->type == Type::F64;
  return w.assign(*m->destinations[0], m->type,
                  isFloat ? w.argument(*m->sources[0], m->type) : w.value(*m->sources[0], m->type),
                  "a copy");
}

} // namespace

const PtxLowering movLowering = {"arith-mov", takes, lower};

} // namespace layout_port
