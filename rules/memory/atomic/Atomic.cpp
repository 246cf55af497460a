// Atomics, with and without an answer.
//
//   atom.global.add.u32 d, [p], x;         ──▶  d =
//   __hip_atomic_fetch_add(lp::global_at<unsigned>(p), x,
//                                                    __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
//   red.relaxed.gpu.global.add.s32 [p], x; ──▶  (void)__hip_atomic_fetch_add(...)
//   atom.cas.b32 d, [p], a, b;             ──▶  d = lp::atomic_cas(p, a, b, order, scope)
//   atom.add.noftz.f16x2 d, [p], x;        ──▶  d = lp::atomic_add_pair<lp::half2, ..>(p, x)
//                                               by compare and swap
//   atom.add.noftz.f16 d, [p], x;          ──▶  d = lp::atomic_add_16<_Float16, ..>(p, x)
//   red.global.add.v2.f32 [p], {x, y};     ──▶  { one of p, one of p + 1 }
//
// A vector is atomic element by element in PTX too.
// https://docs.nvidia.com/cuda/parallel-thread-execution/#parallel-synchronization-and-communication-instructions-atom
#include "memory/Address.h"

namespace layout_port {

using ptx::Atomic;
using ptx::Instruction;
using ptx::Outcome;
using ptx::Type;

namespace {

bool takes(const Instruction &i) { return i.opcode == "atom" || i.opcode == "red"; }

const char *fetchName(Atomic::Kind kind) {
  switch (kind) {
  case Atomic::Kind::And:
    return "__hip_atomic_fetch_and";
  case Atomic::Kind::Or:
    return "__hip_atomic_fetch_or";
  case Atomic::Kind::Xor:
    return "__hip_atomic_fetch_xor";
  case Atomic::Kind::Add:
    return "__hip_atomic_fetch_add";
  case Atomic::Kind::Min:
    return "__hip_atomic_fetch_min";
  case Atomic::Kind::Max:
    return "__hip_atomic_fetch_max";
  case Atomic::Kind::Exchange:
    return "__hip_atomic_exchange";
  default:
    return nullptr;
  }
}

class Writing {
public:
  Writing(const Instruction &i, const Atomic &a, const Binding &binding) : a_(a), w_(i, binding) {}

  Outcome<Lowered> run() {
    const bool cas = a_.kind == Atomic::Kind::CompareAndSwap;
    if (!cas && a_.sources.size() > 1)
      return vector();
    const bool small = ptx::bitsOf(a_.type) == 16;
    if (variableType(a_.type).empty())
      return w_.notYet();
    const auto pointer =
        memoryAt(w_, a_.space, *a_.address, small ? "unsigned" : variableType(a_.type).str());
    if (!pointer)
      return pointer.error();
    const std::string x = w_.value(*a_.sources[0], a_.type);
    const std::string text = cas ? helper(small ? "atomic_cas_16" : "atomic_cas", *pointer,
                                          x + ", " + w_.value(*a_.sources[1], a_.type))
                                 : one(*pointer, x, small);
    if (text.empty())
      return w_.notYet();
    if (!a_.returns || a_.destinations.empty())
      return w_.statement("(void)" + text, reason);
    return w_.assign(*a_.destinations[0], a_.type, text, reason);
  }

private:
  static constexpr const char *reason = "an atomic of the same order and scope";

  std::string how() const { return orderText(a_.order) + ", " + scopeText(a_.scope); }

  // The atomic on one element, or nothing. `small`: 16 bits by themselves.
  std::string one(const std::string &pointer, const std::string &x, bool small = false) {
    if (a_.kind == Atomic::Kind::Inc || a_.kind == Atomic::Kind::Dec)
      return helper(a_.kind == Atomic::Kind::Inc ? "atomic_inc" : "atomic_dec", pointer, x);
    if (ptx::lanesOf(a_.type) == 2 || ptx::bitsOf(a_.type) == 16)
      return halves(pointer, x, small ? "_16" : "_pair");
    const char *name = fetchName(a_.kind);
    return name ? std::string(name) + "(" + pointer + ", " + x + ", " + how() + ")" : "";
  }

  // By compare and swap: the runtime's functions take order and scope as constants.
  std::string helper(const std::string &name, const std::string &pointer,
                     const std::string &values) {
    w_.use(name.find("cas") != std::string::npos ? name : "atomic_inc_dec");
    return "lp::" + name + "<" + how() + ">(" + pointer + ", " + values + ")";
  }

  // Two halves in a word, or one of them.
  std::string halves(const std::string &pointer, const std::string &x, const std::string &suffix) {
    const bool isHalf = ptx::elementOf(a_.type) == Type::F16;
    const std::string type = suffix == "_16" ? isHalf ? "_Float16" : "__bf16"
                             : isHalf        ? "lp::half2"
                                             : "lp::bfloat2";
    const char *name = a_.kind == Atomic::Kind::Add   ? "atomic_add"
                       : a_.kind == Atomic::Kind::Min ? "atomic_min"
                       : a_.kind == Atomic::Kind::Max ? "atomic_max"
                                                      : nullptr;
    if (!name)
      return "";
    w_.use(name + suffix);
    return "lp::" + (name + suffix) + "<" + type + ", " + how() + ">(" + pointer + ", " + x + ")";
  }

  // {x0, x1, ...}: words one after the other; two halves of 16 bits share one.
  Outcome<Lowered> vector() {
    const bool halves = ptx::bitsOf(a_.type) == 16;
    const Type word = halves || ptx::lanesOf(a_.type) == 2 ? Type::U32 : a_.type;
    const std::string type = variableType(word).str();
    const auto pointer = memoryAt(w_, a_.space, *a_.address, type);
    if (!pointer)
      return pointer.error();
    std::string values, calls;
    const size_t perWord = halves ? 2 : 1;
    for (size_t i = 0; i < a_.sources.size(); i += perWord) {
      const std::string number = std::to_string(i / perWord);
      values += (i ? ", " : "") + element(i, halves);
      const std::string call = one("lp_p + " + number, "lp_x[" + number + "]");
      if (call.empty())
        return w_.notYet();
      calls += " " + answered(i, halves, word, call);
    }
    return w_.statement("{ const auto lp_p = " + *pointer + "; const " + type + " lp_x[] = {" +
                            values + "};" + calls + " }",
                        std::string(reason) + ", one for each element");
  }
  std::string element(size_t i, bool halves) {
    if (!halves)
      return w_.value(*a_.sources[i], a_.type);
    return w_.call("pack<unsigned, unsigned short>",
                   {w_.value(*a_.sources[i], Type::U16), w_.value(*a_.sources[i + 1], Type::U16)});
  }
  std::string answered(size_t i, bool halves, Type word, const std::string &call) {
    if (!a_.returns)
      return "(void)" + call + ";";
    if (!halves)
      return w_.assignment(*a_.destinations[i], word, call) + ";";
    return "{ const unsigned lp_v = " + call + "; " +
           w_.assignment(*a_.destinations[i], Type::U16, "(unsigned short)lp_v") + "; " +
           w_.assignment(*a_.destinations[i + 1], Type::U16, "(unsigned short)(lp_v >> 16)") +
           "; }";
  }

  const Atomic &a_;
  Writer w_;
};

Outcome<Lowered> lower(const Instruction &i, const ptx::Block &, const Binding &binding) {
  const auto atomic = ptx::decodeAtomic(i);
  if (!atomic)
    return atomic.error();
  return Writing(i, *atomic, binding).run();
}

} // namespace

const PtxLowering atomicLowering = {"memory-atomic", takes, lower};

} // namespace layout_port
