// cp.async and its groups.
//
//   cp.async.cg.shared.global [s], [g], 16;      ──▶  lp::cp_async<16>(s, g)
//   cp.async.ca.shared.global [s], [g], 4, n;    ──▶  lp::cp_async_zfill<4>(s, g, n)
//   cp.async.commit_group;                       ──▶  lp::cp_async_commit()
//   cp.async.wait_group 1;                       ──▶  lp::cp_async_wait(1)
//
// CUDA allows the copy to be complete at any moment between its issue and its
// wait, so a copy that is complete at once is one of the allowed executions. The
// wait keeps its place as a call for the reader; the barrier behind it is what
// makes the data visible to other lanes, in both languages.
// https://docs.nvidia.com/cuda/parallel-thread-execution/#data-movement-and-conversion-instructions-cp-async
#include "asm/Lowering.h"

#include "ptx/decode/Async.h"

namespace layout_port {

using ptx::Instruction;
using ptx::Outcome;
using ptx::Problem;

static bool takes(const Instruction &i) {
  return i.opcode == "cp" && i.has("async") && !i.has("bulk") && !i.has("mbarrier") &&
         !i.has("reduce");
}

static Outcome<Lowered> lowerWait(const Instruction &instruction, const Binding &binding) {
  const auto wait = ptx::decodeAsyncWait(instruction);
  if (!wait)
    return wait.error();
  Lowered lowered;
  lowered.reason = "copies are done at once: nothing is left to wait for";
  if (wait->kind == ptx::AsyncWait::Kind::Commit) {
    lowered.statement = "lp::cp_async_commit()";
    lowered.runtime = {"cp_async_commit"};
    return lowered;
  }
  std::string pending = "0";
  if (wait->kind == ptx::AsyncWait::Kind::WaitGroup) {
    const auto text = binding.text(*wait->pending);
    if (!text)
      return text.error();
    pending = *text;
  }
  lowered.statement = "lp::cp_async_wait(" + pending + ")";
  lowered.runtime = {"cp_async_wait"};
  return lowered;
}

static Outcome<Lowered> lowerCopy(const Instruction &instruction, const ptx::Block &block,
                                  const Binding &binding) {
  const auto copy = ptx::decodeAsyncCopy(instruction, block);
  if (!copy)
    return copy.error();
  const auto to = binding.address(*copy->destination);
  const auto from = binding.address(*copy->source);
  const auto bytes = binding.text(*copy->size);
  for (const auto *part : {&to, &from, &bytes})
    if (!*part)
      return part->error();
  std::string size;
  if (const ptx::Operand *operand = copy->sourceSize ? copy->sourceSize : copy->ignoreSource) {
    const auto text = binding.text(*operand);
    if (!text)
      return text.error();
    size = copy->sourceSize ? ", " + *text
                            : ", " + std::string(operand->negated ? "!" : "") + "(" + *text +
                                  ") ? 0 : " + *bytes;
  }
  Lowered lowered;
  const std::string function = size.empty() ? "cp_async" : "cp_async_zfill";
  lowered.statement = "lp::" + function + "<" + *bytes + ">(" + *to + ", " + *from + size + ")";
  lowered.runtime = {function};
  lowered.reason = copy->cachePolicy || copy->prefetchBytes
                       ? "a copy that is done at once; its L2 hint is dropped"
                       : "a copy that is done at once";
  return lowered;
}

static Outcome<Lowered> lower(const Instruction &instruction, const ptx::Block &block,
                              const Binding &binding) {
  if (instruction.has("commit_group") || instruction.has("wait_group") ||
      instruction.has("wait_all"))
    return lowerWait(instruction, binding);
  return lowerCopy(instruction, block, binding);
}

const PtxLowering cpAsyncLowering = {"async-cp-async", takes, lower};

} // namespace layout_port
