// Fences, barriers of a block, and instructions that only steer a thread.
//
//   membar.gl;  fence.acq_rel.gpu;  ──▶  __builtin_amdgcn_fence(__ATOMIC_SEQ_CST, "agent") ...
//   bar.sync 1;                     ──▶  __syncthreads()
//   bar.sync 1, 256;                ──▶  __syncthreads(), where every block has 256 threads
//   bar.red.popc.u32 d, 0, p;       ──▶  d = __syncthreads_count(p)
//   nanosleep.u32 n;  trap;         ──▶  lp::nanosleep(n);  __builtin_trap();
//
// A CDNA work-group has one barrier and all its waves take part in it: a named barrier
// of some of a block's threads has no counterpart and is refused.
// https://docs.nvidia.com/cuda/parallel-thread-execution/#parallel-synchronization-and-communication-instructions-bar
#include "memory/Address.h"

#include "ptx/decode/Sync.h"

namespace layout_port {

using ptx::Barrier;
using ptx::Instruction;
using ptx::Outcome;
using ptx::Type;

namespace {

bool takes(const Instruction &i) {
  if (i.opcode == "bar")
    return !i.has("warp");
  return i.opcode == "membar" || i.opcode == "fence" || i.opcode == "barrier" ||
         i.opcode == "nanosleep" || i.opcode == "trap" || i.opcode == "exit" || i.opcode == "brkpt";
}

const char *scopeName(ptx::MemoryScope scope) {
  switch (scope) {
  case ptx::MemoryScope::Block:
    return "\"workgroup\"";
  case ptx::MemoryScope::System:
    return "\"\"";
  default:
    return "\"agent\"";
  }
}

Outcome<Lowered> lowerFence(const Instruction &i, const Binding &binding) {
  const auto f = ptx::decodeFence(i);
  if (!f)
    return f.error();
  Writer w(i, binding);
  return w.statement("__builtin_amdgcn_fence(" + orderText(f->order) + ", " + scopeName(f->scope) +
                         ")",
                     "a fence of the same order and scope");
}

// Do all threads of the block take part?
std::string partOfBlock(const Barrier &b, const Binding &binding) {
  if (b.kind == Barrier::Kind::Arrive)
    return "a barrier that is only arrived at: a CDNA work-group has one barrier, at which all "
           "wait";
  if (!b.threads)
    return "";
  const auto threads = binding.constant(*b.threads);
  if (threads && binding.blockThreads && *threads == static_cast<int64_t>(binding.blockThreads))
    return "";
  return "a barrier of a number of threads that is not known to be the whole block: a CDNA "
         "work-group has one barrier";
}

Outcome<Lowered> lowerBarrier(const Instruction &i, const Binding &binding) {
  const auto b = ptx::decodeBarrier(i);
  if (!b)
    return b.error();
  Writer w(i, binding);
  if (const std::string why = partOfBlock(*b, binding); !why.empty())
    return w.refuse(why);
  if (i.guard)
    return w.refuse("a barrier under a predicate");
  const std::string reason = "the barrier of the work-group";
  if (b->kind == Barrier::Kind::Sync)
    return w.statement("__syncthreads()", reason);
  const std::string p = w.value(*b->predicate, Type::Pred);
  switch (b->reduction) {
  case Barrier::Reduction::Count:
    return w.assign(*b->destination, Type::U32, "(unsigned)__syncthreads_count(" + p + ")", reason);
  case Barrier::Reduction::And:
    return w.assign(*b->destination, Type::Pred, "__syncthreads_and(" + p + ") != 0", reason);
  default:
    return w.assign(*b->destination, Type::Pred, "__syncthreads_or(" + p + ") != 0", reason);
  }
}

Outcome<Lowered> lowerControl(const Instruction &i, const Binding &binding) {
  const auto c = ptx::decodeControl(i);
  if (!c)
    return c.error();
  Writer w(i, binding);
  switch (c->kind) {
  case ptx::Control::Kind::Trap:
    return w.statement("__builtin_trap()", "a trap");
  case ptx::Control::Kind::Breakpoint:
    return w.statement("__builtin_debugtrap()", "a breakpoint");
  case ptx::Control::Kind::Sleep:
    return w.statement(w.call("nanosleep", {w.argument(*c->nanoseconds, Type::U32)}),
                       "sleeps about as long");
  default:
    return w.refuse("exit ends one thread, s_endpgm a whole wave: write return in the kernel");
  }
}

Outcome<Lowered> lower(const Instruction &i, const ptx::Block &, const Binding &binding) {
  if (i.opcode == "membar" || i.opcode == "fence")
    return lowerFence(i, binding);
  if (i.opcode == "bar" || i.opcode == "barrier")
    return lowerBarrier(i, binding);
  return lowerControl(i, binding);
}

} // namespace

const PtxLowering syncLowering = {"sync-barrier", takes, lower};

} // namespace layout_port
