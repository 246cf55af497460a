// Bits of whole words: truth tables, byte permutations, funnel shifts, dot products.
//
//   lop3.b32 d, a, b, c, 0xea;   ──▶  d = lp::lop3<0xea>(a, b, c);
//   prmt.b32 d, a, b, 0x5410;    ──▶  d = lp::prmt(a, b, 0x5410);
//   shf.l.wrap.b32 d, a, b, n;   ──▶  d = lp::shf_l_wrap(a, b, n);
//   dp4a.s32.u32 d, a, b, c;     ──▶  d = lp::dot4<true, false>(a, b, c);
//
// https://docs.nvidia.com/cuda/parallel-thread-execution/#logic-and-shift-instructions-lop3
#include "asm/Writer.h"

#include "ptx/decode/Arithmetic.h"

#include "llvm/ADT/StringExtras.h"

namespace layout_port {

using ptx::Instruction;
using ptx::Outcome;
using ptx::Type;

namespace {

bool takes(const Instruction &i) {
  return i.opcode == "lop3" || i.opcode == "prmt" || i.opcode == "shf" || i.opcode == "dp4a" ||
         i.opcode == "dp2a";
}

Outcome<Lowered> lowerLop3(const Instruction &i, const Binding &binding) {
  const auto table = ptx::decodeLop3(i);
  if (!table)
    return table.error();
  Writer w(i, binding);
  const std::string number = table->table ? "0x" + llvm::utohexstr(*table->table, true)
                                          : w.argument(*table->tableOperand, Type::U32);
  const auto source = [&](int n) { return w.argument(*table->sources[n], Type::U32); };
  const std::string text = w.call("lop3<" + number + ">", {source(0), source(1), source(2)});
  if (table->combine == ptx::BitTable::Combine::None)
    return w.assign(*table->destination, Type::B32, text, "a truth table of three words");
  const char *sign = table->combine == ptx::BitTable::Combine::Or ? " | " : " & ";
  return w.statement(
      "{ const unsigned lp_v = " + text + "; " +
          w.assignment(*table->predicate, Type::Pred,
                       "(lp_v != 0)" + (sign + w.value(*table->condition, Type::Pred))) +
          "; " + w.assignment(*table->destination, Type::B32, "lp_v") + "; }",
      "a truth table of three words");
}

Outcome<Lowered> lowerPrmt(const Instruction &i, const Binding &binding) {
  const auto p = ptx::decodePrmt(i);
  if (!p)
    return p.error();
  using Mode = ptx::BytePermute::Mode;
  const char *name = p->mode == Mode::Default      ? "prmt"
                     : p->mode == Mode::Forward4   ? "prmt_f4e"
                     : p->mode == Mode::Backward4  ? "prmt_b4e"
                     : p->mode == Mode::Replicate8 ? "prmt_rc8"
                     : p->mode == Mode::EdgeLeft   ? "prmt_ecl"
                     : p->mode == Mode::EdgeRight  ? "prmt_ecr"
                                                   : "prmt_rc16";
  Writer w(i, binding);
  return w.assign(*p->destination, Type::B32,
                  w.call(name,
                         {w.argument(*p->low, Type::U32), w.argument(*p->high, Type::U32),
                          w.argument(*p->selector, Type::U32)},
                         p->mode == Mode::Default ? "prmt" : "prmt_modes"),
                  "a permutation of bytes");
}

Outcome<Lowered> lowerShf(const Instruction &i, const Binding &binding) {
  const auto s = ptx::decodeShf(i);
  if (!s)
    return s.error();
  Writer w(i, binding);
  const std::string name =
      std::string("shf_") + (s->left ? "l" : "r") + (s->wrap ? "_wrap" : "_clamp");
  return w.assign(*s->destination, Type::B32,
                  w.call(name,
                         {w.argument(*s->low, Type::U32), w.argument(*s->high, Type::U32),
                          w.argument(*s->amount, Type::U32)},
                         "shf"),
                  "a funnel shift");
}

Outcome<Lowered> lowerDot(const Instruction &i, const Binding &binding) {
  const auto d = ptx::decodeDotProduct(i);
  if (!d)
    return d.error();
  Writer w(i, binding);
  const auto flag = [](bool b) { return std::string(b ? "true" : "false"); };
  std::string name = d->terms == 4 ? "dot4<" : "dp2a<";
  name += flag(ptx::isSigned(d->typeA)) + ", " + flag(ptx::isSigned(d->typeB));
  if (d->terms == 2)
    name += ", " + flag(d->high);
  return w.assign(*d->destination, Type::S32,
                  w.call(name + ">", {w.argument(*d->a, Type::U32), w.argument(*d->b, Type::U32),
                                      w.argument(*d->c, Type::S32)}),
                  "a dot product of small integers");
}

Outcome<Lowered> lower(const Instruction &i, const ptx::Block &, const Binding &binding) {
  if (i.opcode == "lop3")
    return lowerLop3(i, binding);
  if (i.opcode == "prmt")
    return lowerPrmt(i, binding);
  if (i.opcode == "shf")
    return lowerShf(i, binding);
  return lowerDot(i, binding);
}

} // namespace

const PtxLowering bitsLowering = {"arith-bits", takes, lower};

} // namespace layout_port
