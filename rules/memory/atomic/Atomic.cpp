// Atomics, with and without an answer.
//
//   atom.global.add.u32 d, [p], x;         ──▶  d =
//   __hip_atomic_fetch_add(lp::global_at<unsigned>(p), x,
//                                                    __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
//   red.relaxed.gpu.global.add.s32 [p], x; ──▶  (void)__hip_atomic_fetch_add(...)
//   atom.cas.b32 d, [p], a, b;             ──▶  d = lp::atomic_cas(p, a, b, order, scope)
//   atom.add.noftz.f16x2 d, [p], x;        ──▶  d = lp::atomic_add_as<lp::half2>(...)   by compare
//   and swap
//
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
    if (variableType(a_.type).empty() || ptx::bitsOf(a_.type) < 32)
      return w_.refuse("no atomics of fewer than 32 bits");
    const bool cas = a_.kind == Atomic::Kind::CompareAndSwap;
    if (!cas && a_.sources.size() > 1)
      return w_.refuse("an atomic on a vector: write one for each element");
    const auto pointer = memoryAt(w_, a_.space, *a_.address, variableType(a_.type).str());
    if (!pointer)
      return pointer.error();
    const std::string how = orderText(a_.order) + ", " + scopeText(a_.scope) + ")";
    const std::string x = w_.value(*a_.sources[0], a_.type);
    std::string text;
    if (cas)
      text = helper("atomic_cas", *pointer, x + ", " + w_.value(*a_.sources[1], a_.type), how);
    else if (a_.kind == Atomic::Kind::Inc || a_.kind == Atomic::Kind::Dec)
      text = helper(a_.kind == Atomic::Kind::Inc ? "atomic_inc" : "atomic_dec", *pointer, x, how);
    else if (ptx::lanesOf(a_.type) == 2)
      return pair(*pointer, x, how);
    else
      text = std::string(fetchName(a_.kind)) + "(" + *pointer + ", " + x + ", " + how;
    return finish(text);
  }

private:
  // By compare and swap: the runtime's functions take order and scope last.
  std::string helper(const std::string &name, const std::string &pointer, const std::string &values,
                     const std::string &how) {
    w_.use("atomic_loop");
    const bool inc = name != "atomic_cas";
    w_.use(inc ? "atomic_inc_dec" : "atomic_cas");
    return "lp::" + name + "<" + how.substr(0, how.size() - 1) + ">(" + pointer + ", " + values +
           ")";
  }

  Outcome<Lowered> pair(const std::string &pointer, const std::string &x, const std::string &how) {
    if (a_.kind != Atomic::Kind::Add)
      return w_.notYet();
    w_.use("atomic_add_pair");
    const std::string vector = a_.type == Type::F16x2 ? "lp::half2" : "lp::bfloat2";
    return finish("lp::atomic_add_pair<" + vector + ", " + how.substr(0, how.size() - 1) + ">(" +
                  pointer + ", " + x + ")");
  }

  Outcome<Lowered> finish(const std::string &text) {
    const std::string reason = "an atomic of the same order and scope";
    if (!a_.returns || a_.destinations.empty())
      return w_.statement("(void)" + text, reason);
    return w_.assign(*a_.destinations[0], a_.type, text, reason);
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
