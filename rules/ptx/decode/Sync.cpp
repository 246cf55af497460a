#include "ptx/decode/Sync.h"

#include "ptx/Opcodes.h"

namespace layout_port::ptx {
namespace {

std::optional<Problem> checkNumbers(const Barrier &b) {
  if (const auto id = integerOf(*b.id); id && (*id < 0 || *id > 15))
    return problemAt(b.id->span.begin, "a barrier is numbered 0 to 15");
  if (!b.threads)
    return std::nullopt;
  if (const auto n = integerOf(*b.threads); n && (*n <= 0 || *n % 32 != 0))
    return problemAt(b.threads->span.begin, "a barrier counts whole warps: a multiple of 32");
  return std::nullopt;
}

// d, id [, threads], p
void readReduction(const Instruction &i, Barrier &b) {
  using Reduction = Barrier::Reduction;
  b.reduction = i.has("popc") ? Reduction::Count : i.has("and") ? Reduction::And : Reduction::Or;
  b.destination = &i.operands[0];
  b.id = &i.operands[1];
  if (i.operands.size() > 3)
    b.threads = &i.operands[2];
  b.predicate = &i.operands.back();
}

void readSynchronisation(const Instruction &i, Barrier &b) {
  b.kind = i.has("arrive") ? Barrier::Kind::Arrive : Barrier::Kind::Sync;
  b.id = &i.operands[0];
  if (i.operands.size() > 1)
    b.threads = &i.operands[1];
}

} // namespace

Outcome<Fence> decodeFence(const Instruction &i) {
  if (auto problem = check(i))
    return *problem;
  if (i.opcode == "membar") {
    const MemoryScope scope = pick<MemoryScope>(i, {{"cta", MemoryScope::Block},
                                                    {"gl", MemoryScope::Device},
                                                    {"sys", MemoryScope::System}})
                                  .value_or(MemoryScope::Device);
    return Fence{MemoryOrder::Sequential, scope};
  }
  return Fence{orderOf(i, MemoryOrder::AcquireRelease), scopeOf(i)};
}

Outcome<Barrier> decodeBarrier(const Instruction &i) {
  if (auto problem = check(i))
    return *problem;
  Barrier b;
  b.aligned = i.opcode == "bar" || i.has("aligned");
  if (i.has("red")) {
    b.kind = Barrier::Kind::Reduce;
    readReduction(i, b);
  } else {
    readSynchronisation(i, b);
  }
  if (auto problem = checkNumbers(b))
    return *problem;
  return b;
}

Outcome<WarpBarrier> decodeWarpBarrier(const Instruction &i) {
  if (auto problem = check(i))
    return *problem;
  return WarpBarrier{&i.operands[0]};
}

Outcome<Control> decodeControl(const Instruction &i) {
  if (auto problem = check(i))
    return *problem;
  using Kind = Control::Kind;
  Control c;
  c.kind = i.opcode == "trap"    ? Kind::Trap
           : i.opcode == "brkpt" ? Kind::Breakpoint
           : i.opcode == "exit"  ? Kind::Exit
                                 : Kind::Sleep;
  if (!i.operands.empty())
    c.nanoseconds = &i.operands[0];
  return c;
}

} // namespace layout_port::ptx
