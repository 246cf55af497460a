#include "ptx/decode/Async.h"

#include "ptx/Opcodes.h"
#include "ptx/decode/Common.h"

namespace layout_port::ptx {
namespace {

bool isPredicate(const Operand &o, const Block &block) {
  return o.is(Operand::Kind::Register) && block.declarations[o.declaration].type == "pred";
}

// Operands behind the size: [src-size | ignore-src] [cache-policy].
std::optional<Problem> readTail(const Instruction &i, const Block &block, AsyncCopy &copy) {
  std::size_t end = i.operands.size();
  if (i.has("L2::cache_hint")) {
    if (end == 3)
      return problemAt(i.span.end, "cp.async with .L2::cache_hint needs a cache policy");
    copy.cachePolicy = &i.operands[--end];
  }
  if (end == 5)
    return problemAt(i.operands[4].span.begin, "a cache policy needs .L2::cache_hint");
  if (end == 4)
    (isPredicate(i.operands[3], block) ? copy.ignoreSource : copy.sourceSize) = &i.operands[3];
  if (copy.sourceSize && copy.sourceSize->negated)
    return problemAt(copy.sourceSize->span.begin, "'!' stands before a predicate");
  return std::nullopt;
}

std::optional<Problem> checkSizes(const Instruction &i, AsyncCopy &copy) {
  const std::size_t where = copy.size->span.begin;
  if (const auto bytes = integerOf(*copy.size)) {
    if (*bytes != 4 && *bytes != 8 && *bytes != 16)
      return problemAt(where, "cp.async copies 4, 8 or 16 bytes");
    if (copy.bypassL1 && *bytes != 16)
      return problemAt(where, "cp.async.cg copies 16 bytes");
    copy.bytes = static_cast<unsigned>(*bytes);
  }
  if (!copy.sourceSize)
    return std::nullopt;
  const auto read = integerOf(*copy.sourceSize);
  if (read && (*read < 0 || (copy.bytes && *read > *copy.bytes)))
    return problemAt(copy.sourceSize->span.begin, "cp.async reads at most the bytes it copies");
  return std::nullopt;
}

} // namespace

Outcome<AsyncCopy> decodeAsyncCopy(const Instruction &i, const Block &block) {
  if (auto problem = check(i))
    return *problem;
  if (findOpcode(i)->key != "cp.async")
    return problemAt(i.opcodeOffset, i.spelling() + " is not a copy");
  AsyncCopy copy;
  copy.bypassL1 = i.has("cg");
  copy.prefetchBytes =
      pick<unsigned>(i, {{"L2::64B", 64}, {"L2::128B", 128}, {"L2::256B", 256}}).value_or(0);
  copy.destination = &i.operands[0];
  copy.source = &i.operands[1];
  copy.size = &i.operands[2];
  if (auto problem = readTail(i, block, copy))
    return *problem;
  if (auto problem = checkSizes(i, copy))
    return *problem;
  return copy;
}

Outcome<AsyncWait> decodeAsyncWait(const Instruction &i) {
  if (auto problem = check(i))
    return *problem;
  const auto kind = pick<AsyncWait::Kind>(i, {{"commit_group", AsyncWait::Kind::Commit},
                                              {"wait_group", AsyncWait::Kind::WaitGroup},
                                              {"wait_all", AsyncWait::Kind::WaitAll}});
  if (!kind)
    return problemAt(i.opcodeOffset, i.spelling() + " does not wait for copies");
  AsyncWait wait;
  wait.kind = *kind;
  if (wait.kind != AsyncWait::Kind::WaitGroup)
    return wait;
  wait.pending = &i.operands[0];
  if (const auto count = integerOf(*wait.pending)) {
    if (*count < 0 || *count > UINT32_MAX)
      return problemAt(wait.pending->span.begin, "a number of copy groups is not negative");
    wait.pendingCount = static_cast<unsigned>(*count);
  }
  return wait;
}

} // namespace layout_port::ptx
