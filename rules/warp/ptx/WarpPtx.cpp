// What the lanes of a warp tell each other, written as PTX.
//
//   shfl.sync.bfly.b32 d, a, 1, 0x1f, -1;   ──▶  d = lp::shfl_xor((unsigned)(a), 1);
//   shfl.sync.bfly.b32 d, a, 1, 0x1f, m;    ──▶  d = lp::shfl_xor_some((unsigned)(a), 1);
//   shfl.sync.up.b32 d|p, a, b, c, m;       ──▶  { d = lp::shfl_ptx<0>(a, b, c, inside); p =
//   inside; } vote.sync.ballot.b32 d, p, m;           ──▶  d = lp::ballot_sync(m, p);
//   match.sync.any.b32 d, a, m;             ──▶  d = lp::match_any_sync(m, a);
//   redux.sync.add.s32 d, a, m;             ──▶  d = lp::reduce_add_sync(m, a);
//   bar.warp.sync m;                        ──▶  lp::syncwarp(m);
//
// https://docs.nvidia.com/cuda/parallel-thread-execution/#data-movement-and-conversion-instructions-shfl-sync
#include "asm/Writer.h"

#include "ptx/decode/Sync.h"
#include "ptx/decode/Warp.h"

namespace layout_port {

using ptx::Instruction;
using ptx::Outcome;
using ptx::Shuffle;
using ptx::Type;

namespace {

bool takes(const Instruction &i) {
  return i.opcode == "shfl" || i.opcode == "vote" || i.opcode == "match" || i.opcode == "redux" ||
         i.opcode == "activemask" || i.opcode == "elect" || (i.opcode == "bar" && i.has("warp"));
}

const char *const reason = "the 32 lanes of this warp, half of the wave";

struct ShuffleName {
  const char *function, *chunk, *mode;
};

// Every lane of the warp takes part, whatever the kernel does.
bool isWholeWarp(const ptx::Operand &mask) {
  return mask.is(ptx::Operand::Kind::Immediate) && (mask.immediate.bits & ~0u) == ~0u;
}

// Where some lanes may be absent, no move may pass through another lane.
ShuffleName nameOf(const Shuffle &shuffle) {
  const bool isOneStep = shuffle.mode != Shuffle::Mode::Butterfly &&
                         shuffle.lane->is(ptx::Operand::Kind::Immediate) &&
                         shuffle.lane->immediate.bits == 1;
  const bool isWhole = isOneStep || (shuffle.mask && isWholeWarp(*shuffle.mask));
  switch (shuffle.mode) {
  case Shuffle::Mode::Up:
    return isWhole ? ShuffleName{"shfl_up", "shfl_up", "0"}
                   : ShuffleName{"shfl_up_some", "shfl_up_some", "0"};
  case Shuffle::Mode::Down:
    return isWhole ? ShuffleName{"shfl_down", "shfl_down", "1"}
                   : ShuffleName{"shfl_down_some", "shfl_down_some", "1"};
  case Shuffle::Mode::Butterfly:
    return isWhole ? ShuffleName{"shfl_xor", "shfl_xor", "2"}
                   : ShuffleName{"shfl_xor_some", "shfl_xor_some", "2"};
  default:
    return {"shfl", "shfl_idx", "3"};
  }
}

Outcome<Lowered> lowerShuffle(const Instruction &i, const Binding &binding) {
  const auto s = ptx::decodeShuffle(i);
  if (!s)
    return s.error();
  Writer w(i, binding);
  const ShuffleName name = nameOf(*s);
  const std::string value = w.value(*s->source, Type::U32), lane = w.argument(*s->lane, Type::U32);
  if (s->width && !s->predicate) {
    const std::string width = *s->width == 32 ? "" : ", " + std::to_string(*s->width);
    return w.assign(*s->destination, Type::B32,
                    w.call(name.function, {value, lane + width}, name.chunk), reason);
  }
  const std::string call = w.call(std::string("shfl_ptx<") + name.mode + ">",
                                  {value, lane, w.argument(*s->clamp, Type::U32), "lp_inside"});
  std::string text = "{ bool lp_inside; " + w.assignment(*s->destination, Type::B32, call) + ";";
  if (s->predicate)
    text += " " + w.assignment(*s->predicate, Type::Pred, "lp_inside") + ";";
  return w.statement(text + " }", reason);
}

Outcome<Lowered> lowerVote(const Instruction &i, const Binding &binding) {
  const auto v = ptx::decodeVote(i);
  if (!v)
    return v.error();
  Writer w(i, binding);
  const char *name = v->mode == ptx::Vote::Mode::All       ? "all_sync"
                     : v->mode == ptx::Vote::Mode::Any     ? "any_sync"
                     : v->mode == ptx::Vote::Mode::Uniform ? "uni_sync"
                                                           : "ballot_sync";
  const bool ballot = v->mode == ptx::Vote::Mode::Ballot;
  return w.assign(
      *v->destination, ballot ? Type::B32 : Type::Pred,
      w.call(name, {w.argument(*v->mask, Type::U32), w.value(*v->predicate, Type::Pred)}), reason);
}

Outcome<Lowered> lowerMatch(const Instruction &i, const Binding &binding) {
  const auto m = ptx::decodeMatch(i);
  if (!m)
    return m.error();
  Writer w(i, binding);
  const std::string mask = w.argument(*m->mask, Type::U32), value = w.value(*m->value, m->type);
  if (!m->all)
    return w.assign(*m->destination, Type::B32, w.call("match_any_sync", {mask, value}), reason);
  std::string text = "{ int lp_same; " +
                     w.assignment(*m->destination, Type::B32,
                                  w.call("match_all_sync", {mask, value, "&lp_same"})) +
                     ";";
  if (m->predicate)
    text += " " + w.assignment(*m->predicate, Type::Pred, "lp_same != 0") + ";";
  return w.statement(text + " }", reason);
}

Outcome<Lowered> lowerReduce(const Instruction &i, const Binding &binding) {
  const auto r = ptx::decodeReduce(i);
  if (!r)
    return r.error();
  Writer w(i, binding);
  using Kind = ptx::Reduce::Kind;
  if (ptx::isFloat(r->type))
    return w.assign(*r->destination, r->type,
                    w.call(r->kind == Kind::Min ? "reduce_min_f32_sync" : "reduce_max_f32_sync",
                           {w.argument(*r->mask, Type::U32), w.argument(*r->source, r->type),
                            i.has("abs") ? "true" : "false", i.has("NaN") ? "true" : "false"},
                           "reduce_f32_sync"),
                    reason);
  const char *name = r->kind == Kind::Add   ? "reduce_add_sync"
                     : r->kind == Kind::Min ? "reduce_min_sync"
                     : r->kind == Kind::Max ? "reduce_max_sync"
                     : r->kind == Kind::And ? "reduce_and_sync"
                     : r->kind == Kind::Or  ? "reduce_or_sync"
                                            : "reduce_xor_sync";
  return w.assign(*r->destination, r->type,
                  w.call(name, {w.argument(*r->mask, Type::U32), w.value(*r->source, r->type)}),
                  reason);
}

// The lowest lane of the mask is as good as any.
Outcome<Lowered> lowerElect(const Instruction &i, const Binding &binding) {
  const auto e = ptx::decodeElect(i);
  if (!e)
    return e.error();
  Writer w(i, binding);
  w.use("laneid");
  std::string text = "{ const unsigned lp_v = __builtin_ctz(" + w.value(*e->mask, Type::U32) + ");";
  if (e->destination)
    text += " " + w.assignment(*e->destination, Type::U32, "lp_v") + ";";
  if (e->predicate)
    text += " " + w.assignment(*e->predicate, Type::Pred, "lp::laneid() == lp_v") + ";";
  return w.statement(text + " }", "the lowest lane of the mask is elected");
}

Outcome<Lowered> lower(const Instruction &i, const ptx::Block &, const Binding &binding) {
  Writer w(i, binding);
  if (i.opcode == "shfl")
    return lowerShuffle(i, binding);
  if (i.opcode == "vote")
    return lowerVote(i, binding);
  if (i.opcode == "match")
    return lowerMatch(i, binding);
  if (i.opcode == "redux")
    return lowerReduce(i, binding);
  if (i.opcode == "elect")
    return lowerElect(i, binding);
  if (i.opcode == "activemask") {
    const auto a = ptx::decodeActiveMask(i);
    if (!a)
      return a.error();
    return w.assign(*a->destination, Type::B32, w.call("activemask", {}), reason);
  }
  const auto b = ptx::decodeWarpBarrier(i);
  if (!b)
    return b.error();
  return w.statement(w.call("syncwarp", {w.argument(*b->mask, Type::U32)}), reason);
}

} // namespace

const PtxLowering warpLowering = {"warp-ptx", takes, lower};

} // namespace layout_port
