#include "ptx/decode/Memory.h"

#include "ptx/Forms.h"
#include "ptx/Opcodes.h"

namespace layout_port::ptx {
namespace {

unsigned vectorLength(const Instruction &i) {
  return pick<unsigned>(i, {{"v2", 2}, {"v4", 4}, {"v8", 8}}).value_or(1);
}

// The part behind "L1::" of an eviction hint.
std::string evictionOf(const Instruction &i, std::string_view classOfHints) {
  for (const std::string &m : i.modifiers)
    if (isOfClass(m, classOfHints))
      return m.substr(4);
  return "";
}

std::string cacheOperationOf(const Instruction &i) {
  for (const char *op : {"ca", "cg", "cs", "lu", "cv", "wb", "wt"})
    if (i.has(op))
      return op;
  return "";
}

// An operand of `n` elements: a scalar for one, a vector of exactly n otherwise.
std::optional<Problem> checkLength(const Instruction &i, const Operand &o, std::size_t has) {
  const unsigned needs = vectorLength(i);
  if (has == needs && (needs > 1) >= o.is(Operand::Kind::Vector))
    return std::nullopt;
  if (needs == 1 && has == 1) // {%0} around a scalar
    return std::nullopt;
  return problemAt(o.span.begin, i.spelling() + " moves " + std::to_string(needs) +
                                     " elements, here are " + std::to_string(has));
}

// The policy behind `first` operands, which stands exactly when it is announced.
Outcome<const Operand *> policyOf(const Instruction &i, std::size_t first) {
  const bool announced = i.has("L2::cache_hint");
  const bool given = i.operands.size() > first;
  if (announced && !given)
    return problemAt(i.span.end, i.spelling() + " needs a cache policy");
  if (!announced && given)
    return problemAt(i.operands[first].span.begin, "a cache policy needs .L2::cache_hint");
  return given ? &i.operands[first] : static_cast<const Operand *>(nullptr);
}

std::optional<Problem> checkOrder(const Instruction &i, MemoryOrder order, MemoryScope scope) {
  const bool ordered = order == MemoryOrder::Relaxed || order == MemoryOrder::Acquire ||
                       order == MemoryOrder::Release || order == MemoryOrder::Mmio;
  if (order == MemoryOrder::Mmio && !i.has("relaxed"))
    return problemAt(offsetOf(i, "mmio"), ".mmio is written .mmio.relaxed");
  if (ordered && scope == MemoryScope::None)
    return problemAt(i.opcodeOffset, i.spelling() + " needs a scope: .cta, .gpu or .sys");
  if (!ordered && scope != MemoryScope::None)
    return problemAt(i.opcodeOffset, i.spelling() + " has a scope but no order");
  return std::nullopt;
}

std::optional<Problem> checkReadOnly(const Instruction &i, const MemoryAccess &a) {
  if (!i.has("nc"))
    return std::nullopt;
  if (a.space != Space::Global)
    return problemAt(offsetOf(i, "nc"), "ld.nc reads global memory");
  if (a.order != MemoryOrder::Weak)
    return problemAt(offsetOf(i, "nc"), "ld.nc has no memory order");
  return std::nullopt;
}

std::optional<Problem> checkAccess(const Instruction &i, const MemoryAccess &a) {
  if (auto problem = checkLength(i, i.operands[a.load ? 0 : 1], a.registers.size()))
    return problem;
  if (auto problem = checkOrder(i, a.order, a.scope))
    return problem;
  if (!a.load)
    for (const Operand *r : a.registers)
      if (r->is(Operand::Kind::Sink))
        return problemAt(r->span.begin, "st cannot store '_'");
  return checkReadOnly(i, a);
}

Atomic::Kind atomicKind(const Instruction &i) {
  using Kind = Atomic::Kind;
  return pick<Kind>(i, {{"and", Kind::And},
                        {"or", Kind::Or},
                        {"xor", Kind::Xor},
                        {"exch", Kind::Exchange},
                        {"cas", Kind::CompareAndSwap},
                        {"add", Kind::Add},
                        {"inc", Kind::Inc},
                        {"dec", Kind::Dec},
                        {"min", Kind::Min},
                        {"max", Kind::Max}})
      .value_or(Kind::Add);
}

} // namespace

MemoryOrder orderOf(const Instruction &i, MemoryOrder otherwise) {
  return pick<MemoryOrder>(i, {{"weak", MemoryOrder::Weak},
                               {"volatile", MemoryOrder::Volatile},
                               {"mmio", MemoryOrder::Mmio}, // beside .relaxed
                               {"relaxed", MemoryOrder::Relaxed},
                               {"acquire", MemoryOrder::Acquire},
                               {"release", MemoryOrder::Release},
                               {"acq_rel", MemoryOrder::AcquireRelease},
                               {"sc", MemoryOrder::Sequential}})
      .value_or(otherwise);
}

MemoryScope scopeOf(const Instruction &i) {
  return pick<MemoryScope>(i, {{"cta", MemoryScope::Block},
                               {"cluster", MemoryScope::Cluster},
                               {"gpu", MemoryScope::Device},
                               {"sys", MemoryScope::System}})
      .value_or(MemoryScope::None);
}

Outcome<MemoryAccess> decodeAccess(const Instruction &i) {
  if (auto problem = check(i))
    return *problem;
  MemoryAccess a;
  a.load = i.opcode != "st";
  a.space = spaceOf(i);
  a.type = typesOf(i)[0];
  a.order = orderOf(i, MemoryOrder::Weak);
  a.scope = scopeOf(i);
  a.readOnly = i.has("nc") || i.opcode == "ldu";
  a.cacheOperation = cacheOperationOf(i);
  a.evictL1 = evictionOf(i, "@level1");
  a.evictL2 = evictionOf(i, "@level2");
  a.prefetchBytes =
      pick<unsigned>(i, {{"L2::64B", 64}, {"L2::128B", 128}, {"L2::256B", 256}}).value_or(0);
  a.registers = registersOf(i.operands[a.load ? 0 : 1]);
  a.address = &i.operands[a.load ? 1 : 0];
  const Outcome<const Operand *> policy = policyOf(i, 2);
  if (!policy)
    return policy.error();
  a.cachePolicy = *policy;
  if (auto problem = checkAccess(i, a))
    return *problem;
  return a;
}

Outcome<Atomic> decodeAtomic(const Instruction &i) {
  if (auto problem = check(i))
    return *problem;
  Atomic a;
  a.kind = atomicKind(i);
  a.returns = i.opcode == "atom";
  a.space = spaceOf(i);
  a.type = typesOf(i)[0];
  a.order = orderOf(i, MemoryOrder::Relaxed);
  const MemoryScope scope = scopeOf(i);
  a.scope = scope == MemoryScope::None ? MemoryScope::Device : scope;
  std::size_t next = 0;
  if (a.returns)
    a.destinations = registersOf(i.operands[next++]);
  a.address = &i.operands[next++];
  const Operand &value = i.operands[next++];
  a.sources = registersOf(value);
  if (auto problem = checkLength(i, value, a.sources.size()))
    return *problem;
  if (a.returns && a.destinations.size() != a.sources.size())
    return problemAt(i.operands[0].span.begin, "atom returns as many elements as it takes");
  if (a.kind == Atomic::Kind::CompareAndSwap)
    a.sources.push_back(&i.operands[next++]);
  const Outcome<const Operand *> policy = policyOf(i, next);
  if (!policy)
    return policy.error();
  a.cachePolicy = *policy;
  return a;
}

Outcome<CacheControl> decodeCacheControl(const Instruction &i) {
  if (auto problem = check(i))
    return *problem;
  using Kind = CacheControl::Kind;
  CacheControl c;
  c.space = spaceOf(i);
  if (i.opcode == "createpolicy") {
    c.kind = Kind::DefinePolicy;
    c.destination = &i.operands[0];
    return c;
  }
  c.kind = i.opcode == "prefetch"    ? Kind::Prefetch
           : i.opcode == "prefetchu" ? Kind::PrefetchUniform
           : i.opcode == "discard"   ? Kind::Discard
                                     : Kind::Priority;
  c.address = &i.operands[0];
  if (i.operands.size() > 1)
    c.bytes = &i.operands[1];
  return c;
}

Outcome<SpaceTest> decodeSpaceTest(const Instruction &i) {
  if (auto problem = check(i))
    return *problem;
  return SpaceTest{spaceOf(i), &i.operands[0], &i.operands[1]};
}

} // namespace layout_port::ptx
