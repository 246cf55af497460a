// See PtxOps.h.
#include "semantics/PtxOps.h"

#include "machine/Integer.h"
#include "machine/MemoryOps.h"

#include <algorithm>

namespace layout_port::verify {
namespace {

void runGuard(Wave &wave, const Op &op) {
  if (wave.active & ~wave.meta(op.a).defined)
    wave.report(op, ProblemKind::UndefinedBranch, wave.active & ~wave.meta(op.a).defined);
  if (wave.meta(op.a).tainted)
    wave.dependsOnData(op.location, "a predicate depends on data");
  wave.guards.push_back(wave.active);
  wave.active &= wave.nonZero(op.a, false);
}

void runEndGuard(Wave &wave, const Op &) {
  wave.active = wave.guards.back();
  wave.guards.pop_back();
}

void runTrapNow(Wave &wave, const Op &op) {
  if (!wave.active)
    return;
  wave.report(op, ProblemKind::Trap, wave.active, "trap");
  wave.stop(op, "trap");
}

// The active lanes leave every path they are on.
void runExit(Wave &wave, const Op &) {
  const uint64_t gone = wave.active;
  wave.exited |= gone;
  for (Frame &frame : wave.frames)
    for (Frame::Path &path : frame.paths)
      path.lanes &= ~gone;
  for (uint64_t &lanes : wave.guards)
    lanes &= ~gone;
  wave.active = 0;
}

// Part i of a word cut into parts of some bits.
int32_t partOf(uint32_t word, unsigned i, unsigned bits, bool isSigned) {
  const uint32_t part = word >> (bits * i) & ((1u << bits) - 1);
  return isSigned ? int32_t(part << (32 - bits)) >> (32 - bits) : int32_t(part);
}

void runDot(Wave &wave, const Op &op) {
  const auto &plan = *static_cast<const DotPlan *>(op.data);
  if (wave.holdsPayload(op.a, op.b))
    wave.giveUp(op, "the bits of a float are multiplied as integers");
  const uint32_t *a = wave.get<uint32_t>(op.a), *b = wave.get<uint32_t>(op.b);
  const uint32_t *c = wave.get<uint32_t>(op.c);
  const unsigned bitsOfA = 32 / plan.terms, first = plan.high ? 2 : 0;
  uint32_t *d = wave.begin<uint32_t>(op.dst);
  for (unsigned lane = 0; lane < wave.lanes; ++lane) {
    uint32_t sum = c[lane];
    for (unsigned i = 0; i < plan.terms; ++i)
      sum += uint32_t(partOf(a[lane], i, bitsOfA, plan.signedA)) *
             uint32_t(partOf(b[lane], first + i, 8, plan.signedB));
    d[lane] = sum;
  }
  wave.commit<uint32_t>(op.dst, wave.rawMeta(op.a, op.b, op.c));
}

} // namespace

void beginGuard(Decoder &decoder, Reg condition) {
  decoder.emit(runGuard, InstructionClass::Control, {}, condition);
}
void endGuard(Decoder &decoder) { decoder.emit(runEndGuard, InstructionClass::Control); }

void emitTrap(Decoder &decoder) { decoder.emit(runTrapNow, InstructionClass::Control); }

void emitExit(Decoder &decoder) { decoder.emit(runExit, InstructionClass::Control); }

Reg emitDot(Decoder &decoder, Reg a, Reg b, Reg c, DotPlan plan) {
  const Reg dst = decoder.fresh({32});
  decoder.emit(runDot, InstructionClass::Integer, dst, a, b, c).data = decoder.keep(plan);
  return dst;
}

void runAsyncCopy(Wave &wave, const Op &op) {
  const auto &plan = *static_cast<const AsyncPlan *>(op.data);
  unsigned copied[kMaxLanes];
  const uint64_t all = wave.active;
  uint64_t reading = all;
  if (op.c.valid())
    forLanes(all, [&](unsigned lane) {
      copied[lane] = wave.get<uint32_t>(op.c)[lane];
      if (!copied[lane])
        reading &= ~(uint64_t(1) << lane);
    });
  Access to, from;
  wave.resolve(to, Space::Shared, op.a, plan.narrowTo, plan.bytes, plan.bytes,
               MemoryEvent::AsyncStore, op);
  wave.active = reading; // lanes that read nothing may have any address
  wave.resolve(from, Space::Global, op.b, false, plan.bytes, plan.bytes, MemoryEvent::Load, op);
  wave.active = all;
  from.lanes |= all & ~reading;
  issueAsync(wave, op, to, from, plan.bytes, op.c.valid() ? copied : nullptr);
}

void runAsyncCommit(Wave &wave, const Op &) {
  forLanes(wave.active, [&](unsigned lane) { ++wave.asyncGroup[lane]; });
}

void runAsyncWait(Wave &wave, const Op &op) {
  uint64_t keep = op.immediate;
  if (op.a.valid() && wave.active)
    keep = wave.get<uint32_t>(op.a)[__builtin_ctzll(wave.active)];
  finishAsync(wave, keep);
}

// Byte i of the result of prmt's modes, n being the selector's low two bits.
static unsigned permuteChoice(PermuteMode mode, unsigned n, unsigned i) {
  switch (mode) {
  case PermuteMode::Forward4Extract:
    return n + i;
  case PermuteMode::Backward4Extract:
    return (n - i) & 7;
  case PermuteMode::Replicate8:
    return n;
  case PermuteMode::EdgeClampLeft:
    return std::max(n, i);
  case PermuteMode::EdgeClampRight:
    return std::min(n, i);
  default:
    return 2 * (n & 1) + (i & 1);
  }
}

void runPtxPermuteMode(Wave &wave, const Op &op) {
  const uint32_t *selectors = wave.get<uint32_t>(op.c);
  uint8_t from[4][kMaxLanes];
  for (unsigned lane = 0; lane < wave.lanes; ++lane)
    for (unsigned i = 0; i < 4; ++i)
      from[i][lane] = uint8_t(permuteChoice(PermuteMode(op.immediate), selectors[lane] & 3, i));
  permuteBytes(wave, op, op.a, op.b, from, op.dst);
}

void runPtxPermute(Wave &wave, const Op &op) {
  const uint32_t *selectors = wave.get<uint32_t>(op.c);
  uint8_t from[4][kMaxLanes];
  uint32_t signs[kMaxLanes] = {};
  bool plain = true;
  for (unsigned lane = 0; lane < wave.lanes; ++lane)
    for (unsigned i = 0; i < 4; ++i) {
      const unsigned nibble = selectors[lane] >> (4 * i) & 15;
      from[i][lane] = uint8_t(nibble & 8 ? 8 : nibble);
      if (!(nibble & 8))
        continue;
      plain = false;
      const uint64_t both =
          uint64_t(wave.get<uint32_t>(op.b)[lane]) << 32 | wave.get<uint32_t>(op.a)[lane];
      if (both >> (8 * (nibble & 7) + 7) & 1)
        signs[lane] |= 0xffu << (8 * i);
    }
  permuteBytes(wave, op, op.a, op.b, from, op.dst);
  if (plain)
    return;
  if (wave.holdsPayload(op.a, op.b))
    wave.giveUp(op, "sign bytes of a float are taken");
  uint32_t merged[kMaxLanes];
  for (unsigned lane = 0; lane < wave.lanes; ++lane)
    merged[lane] = wave.get<uint32_t>(op.dst)[lane] | signs[lane];
  const Meta meta = wave.meta(op.dst);
  wave.blend<uint32_t>(op.dst, merged, meta);
}

} // namespace layout_port::verify
