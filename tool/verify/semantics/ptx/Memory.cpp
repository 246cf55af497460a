// See PtxDecoder.h. Loads, stores, atomics, asynchronous copies, fences.
// https://docs.nvidia.com/cuda/parallel-thread-execution/#memory-consistency-model
#include "semantics/PtxOps.h"
#include "semantics/ptx/PtxDecoder.h"

namespace layout_port::verify {

static Space spaceOf(ptx::Space space) {
  switch (space) {
  case ptx::Space::Shared:
  case ptx::Space::SharedCluster:
    return Space::Shared;
  case ptx::Space::Local:
    return Space::Local;
  case ptx::Space::Generic:
    return Space::Generic;
  default:
    return Space::Global;
  }
}

static bool reachesOtherBlocks(ptx::MemoryScope scope) {
  return scope == ptx::MemoryScope::Device || scope == ptx::MemoryScope::System;
}

//===-- Loads and stores ---------------------------------------------------===//

bool PtxDecoder::run(const ptx::MemoryAccess &m) {
  bool narrow = false;
  MemoryAccess access;
  const Reg at = address(*m.address, narrow);
  access.space = spaceOf(m.space);
  access.narrow = narrow;
  access.bytes = unsigned(m.registers.size()) * (ptx::bitsOf(m.type) / 8);
  access.alignment = access.bytes;
  access.ordered = m.order != ptx::MemoryOrder::Weak;
  if (ptx::bitsOf(m.type) > 64)
    return fail("registers of 128 bits");
  const Scalar scalar = scalarOf(m.type);
  for (size_t k = 0; k < m.registers.size(); ++k)
    access.parts.push_back({m.load ? d_.fresh(scalar) : read(*m.registers[k], scalar),
                            uint32_t(k * scalar.bytes()), uint8_t(scalar.bytes()), scalar.wide()});
  if (!m.load)
    releaseBefore(m.order, m.scope);
  const std::vector<MemoryPart> parts = access.parts;
  d_.emit(m.load ? runLoad : runStore,
          access.space == Space::Shared ? InstructionClass::SharedMemory
                                        : InstructionClass::GlobalMemory,
          {}, at)
      .data = d_.keep(std::move(access));
  for (size_t k = 0; m.load && k < parts.size(); ++k)
    write(*m.registers[k], parts[k].reg, scalar, ptx::isSigned(m.type));
  return true;
}

void PtxDecoder::releaseBefore(ptx::MemoryOrder order, ptx::MemoryScope scope) {
  const bool releases = order == ptx::MemoryOrder::Release ||
                        order == ptx::MemoryOrder::AcquireRelease ||
                        order == ptx::MemoryOrder::Sequential;
  if (releases && reachesOtherBlocks(scope))
    d_.emit(runFence, InstructionClass::Control);
}

//===-- Atomics ------------------------------------------------------------===//

static std::optional<AtomicKind> atomicKind(ptx::Atomic::Kind kind, ptx::Type type) {
  using Kind = ptx::Atomic::Kind;
  const bool isFloat = ptx::isFloat(type), isSigned = ptx::isSigned(type);
  switch (kind) {
  case Kind::And:
    return AtomicKind::And;
  case Kind::Or:
    return AtomicKind::Or;
  case Kind::Xor:
    return AtomicKind::Xor;
  case Kind::Exchange:
    return AtomicKind::Exchange;
  case Kind::CompareAndSwap:
    return AtomicKind::CompareExchange;
  case Kind::Add:
    return isFloat ? AtomicKind::FAdd : AtomicKind::Add;
  case Kind::Inc:
    return AtomicKind::IncrementWrap;
  case Kind::Dec:
    return AtomicKind::DecrementWrap;
  case Kind::Min:
    return isFloat ? AtomicKind::FMin : isSigned ? AtomicKind::SMin : AtomicKind::UMin;
  case Kind::Max:
    return isFloat ? AtomicKind::FMax : isSigned ? AtomicKind::SMax : AtomicKind::UMax;
  }
  return std::nullopt;
}

// Vectors and packed values are atomic element by element:
//   atom.global.v2.f16x2.add.noftz {d0, d1}, [a], {x0, x1}   four halves
bool PtxDecoder::run(const ptx::Atomic &a) {
  const Type element = ptx::elementOf(a.type);
  const std::optional<AtomicKind> kind = atomicKind(a.kind, element);
  if (!kind || ptx::bitsOf(element) > 64)
    return fail("registers of 128 bits");
  AtomicPlan plan;
  plan.kind = *kind;
  plan.scalar = scalarOf(element);
  plan.space = spaceOf(a.space);
  bool narrow = false;
  const Reg at = address(*a.address, narrow);
  plan.narrow = narrow;
  const bool swaps = *kind == AtomicKind::CompareExchange; // expected, desired
  Reg comparand;
  Regs values;
  if (swaps) {
    comparand = read(*a.sources[0], a.type);
    values.push_back(read(*a.sources[1], a.type));
  } else {
    for (const Operand *source : a.sources)
      values.append(isPacked(a.type) ? split(read(*source, a.type), a.type)
                                     : Regs{read(*source, a.type)});
  }
  Regs old;
  for (size_t k = 0; k < values.size(); ++k)
    old.push_back(a.returns ? d_.fresh(plan.scalar) : Reg());
  plan.old = old[0];
  for (size_t k = 1; k < values.size(); ++k)
    plan.more.insert(plan.more.end(), {values[k], old[k]});
  releaseBefore(a.order, a.scope);
  d_.emit(runAtomic, InstructionClass::Atomic, {}, at, values[0], comparand).data =
      d_.keep(std::move(plan));
  const unsigned lanes = ptx::lanesOf(a.type);
  for (size_t k = 0; k < a.destinations.size(); ++k) {
    const auto *first = old.begin() + k * lanes;
    write(*a.destinations[k], lanes > 1 ? join(Regs(first, first + lanes), a.type) : *first,
          wordOf(a.type));
  }
  return true;
}

//===-- Caches, spaces, fences ---------------------------------------------===//

// The machine has no caches; a policy is a number that nothing reads.
bool PtxDecoder::run(const ptx::CacheControl &c) {
  writeIf(c.destination, number({64}, 0), {64});
  return true;
}

bool PtxDecoder::run(const ptx::SpaceTest &t) {
  const bool shared = t.space == ptx::Space::Shared, local = t.space == ptx::Space::Local;
  if (!shared && !local && t.space != ptx::Space::Global)
    return fail("the machine keeps constants and parameters in global memory");
  const Reg window =
      both(Instruction::LShr, {64}, read(*t.address, Scalar{64}), number({64}, kWindowShift));
  write(*t.destination,
        d_.emitCompare(llvm::CmpInst::ICMP_EQ, {64}, window,
                       number({64}, shared  ? 1
                                    : local ? 2
                                            : 0)),
        {1});
  return true;
}

bool PtxDecoder::run(const ptx::Fence &f) {
  if (reachesOtherBlocks(f.scope))
    d_.emit(runFence, InstructionClass::Control);
  return true;
}

//===-- Asynchronous copies ------------------------------------------------===//

bool PtxDecoder::run(const ptx::AsyncCopy &copy) {
  AsyncPlan plan;
  const auto bytes = constantOf(*copy.size);
  if (!bytes || (*bytes != 4 && *bytes != 8 && *bytes != 16))
    return fail("a copy is of 4, 8 or 16 bytes");
  plan.bytes = unsigned(*bytes);
  bool narrowTo = false, narrowFrom = false;
  const Reg to = address(*copy.destination, narrowTo);
  const Reg from = address(*copy.source, narrowFrom);
  plan.narrowTo = narrowTo;
  if (narrowFrom)
    return fail("a global address of 32 bits");
  Reg bytesRead;
  if (copy.sourceSize)
    bytesRead = read(*copy.sourceSize, Scalar{32});
  if (copy.ignoreSource)
    bytesRead =
        choose({32}, predicate(*copy.ignoreSource), number({32}, 0), number({32}, plan.bytes));
  d_.emit(runAsyncCopy, InstructionClass::Async, {}, to, from, bytesRead).data = d_.keep(plan);
  return true;
}

bool PtxDecoder::run(const ptx::AsyncWait &wait) {
  using Kind = ptx::AsyncWait::Kind;
  if (wait.kind != Kind::WaitGroup) // wait_all waits for what is not committed, too
    d_.emit(runAsyncCommit, InstructionClass::Async);
  if (wait.kind == Kind::WaitAll)
    d_.emit(runAsyncWait, InstructionClass::Async).immediate = 0;
  if (wait.kind != Kind::WaitGroup)
    return true;
  const Reg count = wait.pendingCount ? Reg() : read(*wait.pending, Scalar{32});
  d_.emit(runAsyncWait, InstructionClass::Async, {}, count).immediate =
      wait.pendingCount.value_or(0);
  return true;
}

} // namespace layout_port::verify
