// See Threads.h.
#include "semantics/Threads.h"

#include "machine/Machine.h"

#include <algorithm>

namespace layout_port::verify {
namespace {

uint32_t threadValue(const Wave &wave, ThreadValue what, unsigned lane) {
  const Launch &launch = *wave.block->launch;
  const unsigned w = unsigned(what);
  switch (what) {
  case ThreadValue::ThreadX:
  case ThreadValue::ThreadY:
  case ThreadValue::ThreadZ:
    return wave.threadId[w - unsigned(ThreadValue::ThreadX)][lane];
  case ThreadValue::BlockX:
  case ThreadValue::BlockY:
  case ThreadValue::BlockZ:
    return wave.block->id[w - unsigned(ThreadValue::BlockX)];
  case ThreadValue::BlockSizeX:
  case ThreadValue::BlockSizeY:
  case ThreadValue::BlockSizeZ:
    return launch.block[w - unsigned(ThreadValue::BlockSizeX)];
  case ThreadValue::GridX:
  case ThreadValue::GridY:
  case ThreadValue::GridZ:
    return launch.grid[w - unsigned(ThreadValue::GridX)];
  case ThreadValue::Lane:
    return lane;
  case ThreadValue::WaveIndex:
    return wave.index;
  case ThreadValue::WaveCount:
    return uint32_t(wave.block->waves.size());
  case ThreadValue::LaneSelf:
    return uint32_t(1) << (lane & 31);
  case ThreadValue::WaveSize:
    return wave.lanes;
  case ThreadValue::LanesBelow:
    return uint32_t((uint64_t(1) << lane) - 1);
  case ThreadValue::LanesBelowOrSelf:
    return uint32_t((uint64_t(2) << lane) - 1);
  case ThreadValue::LanesAbove:
    return ~uint32_t((uint64_t(2) << lane) - 1);
  case ThreadValue::LanesAboveOrSelf:
    return ~uint32_t((uint64_t(1) << lane) - 1);
  case ThreadValue::DynamicShared:
    return launch.dynamicShared;
  case ThreadValue::TotalShared:
    return wave.program->staticShared + launch.dynamicShared;
  }
  return 0;
}

void runThreadValue(Wave &wave, const Op &op) {
  uint32_t *d = wave.begin<uint32_t>(op.dst);
  for (unsigned lane = 0; lane < wave.lanes; ++lane)
    d[lane] = threadValue(wave, ThreadValue(op.immediate), lane);
  wave.commit<uint32_t>(op.dst, {wave.all, 0, 0, false});
}

void runBarrier(Wave &wave, const Op &op) {
  if (wave.active != (wave.populated & ~wave.exited))
    wave.report(op, ProblemKind::DivergentBarrier, wave.active);
  const unsigned first = wave.active ? unsigned(__builtin_ctzll(wave.active)) : 0;
  wave.barrier.id = op.a.valid() ? wave.get<uint32_t>(op.a)[first] : 0;
  wave.barrier.threads = op.b.valid() ? wave.get<uint32_t>(op.b)[first] : 0;
  wave.barrier.waits = op.immediate != 0;
  NamedBarrier &barrier = wave.block->barriers[wave.barrier.id];
  barrier.arrivedThreads += wave.lanes;
  barrier.expected = wave.barrier.threads;
  if (wave.barrier.waits)
    wave.state = WaveState::AtBarrier;
}

// Before the barrier: what this wave says.
void runCastVote(Wave &wave, const Op &op) {
  if (wave.active & ~wave.meta(op.b).defined)
    wave.report(op, ProblemKind::UndefinedOperand, wave.active & ~wave.meta(op.b).defined);
  if (wave.meta(op.b).tainted)
    wave.dependsOnData(op.location, "a vote at a barrier depends on data");
  const unsigned first = wave.active ? unsigned(__builtin_ctzll(wave.active)) : 0;
  NamedBarrier &barrier = wave.block->barriers[op.a.valid() ? wave.get<uint32_t>(op.a)[first] : 0];
  const uint64_t agreeing = wave.nonZero(op.b, false) & wave.active;
  barrier.voting += unsigned(__builtin_popcountll(wave.active));
  barrier.agreeing += unsigned(__builtin_popcountll(agreeing));
}

// After it: what all said.
void runReadVote(Wave &wave, const Op &op) {
  const NamedBarrier &barrier = wave.block->barriers[wave.barrier.id];
  const unsigned agreed = barrier.agreed;
  const auto vote = BarrierVote(op.immediate);
  const uint32_t result = vote == BarrierVote::Count ? agreed
                          : vote == BarrierVote::And ? agreed == barrier.voted
                                                     : agreed != 0;
  uint32_t *d = wave.begin<uint32_t>(op.dst);
  std::fill_n(d, wave.lanes, result);
  wave.commit<uint32_t>(op.dst, {wave.all, 0, 0, wave.meta(op.a).tainted});
}

void runWarpBarrier(Wave &wave, const Op &) {
  for (Observer *observer : *wave.block->observers)
    observer->onWarpSync(wave);
}

} // namespace

Reg emitThreadValue(Decoder &decoder, ThreadValue what) {
  const Reg dst = decoder.fresh({32});
  const unsigned block = unsigned(what) - unsigned(ThreadValue::BlockX);
  const unsigned thread = unsigned(what) - unsigned(ThreadValue::ThreadX);
  if (block < 3)
    decoder.program().readsBlock[block] = true;
  if (thread < 3)
    decoder.program().readsThread[thread] = true;
  decoder.emit(runThreadValue, InstructionClass::Control, dst).immediate = unsigned(what);
  return dst;
}

void emitBarrier(Decoder &decoder, Reg id, Reg threads, bool waits) {
  decoder.emit(runBarrier, InstructionClass::Barrier, {}, id, threads).immediate = waits;
}

Reg emitBarrierVote(Decoder &decoder, Reg id, Reg threads, Reg predicate, BarrierVote vote) {
  decoder.emit(runCastVote, InstructionClass::Vote, {}, id, predicate);
  emitBarrier(decoder, id, threads, true);
  const Reg result = decoder.fresh({vote == BarrierVote::Count ? 32u : 1u});
  decoder.emit(runReadVote, InstructionClass::Vote, result, predicate).immediate = uint64_t(vote);
  return result;
}

void emitBlockBarrier(Decoder &decoder) { emitBarrier(decoder, {}, {}, true); }

void emitWarpBarrier(Decoder &decoder) { decoder.emit(runWarpBarrier, InstructionClass::Control); }

namespace {

template <class T>
void gather(Wave &wave, const Op &op, Reg dst, Reg src, const uint8_t (&from)[kMaxLanes],
            uint64_t keep, Reg old) {
  const T *values = wave.get<T>(src);
  const Meta source = wave.meta(src);
  const Meta before = old.valid() ? wave.meta(old) : Meta{wave.all, 0, 0, false};
  T result[kMaxLanes];
  // Every lane moves something known from a lane that takes part.
  if (!keep && wave.active == wave.all && source.defined == wave.all &&
      (source.field == 0 || source.field == wave.all)) {
    for (unsigned lane = 0; lane < wave.lanes; ++lane)
      result[lane] = values[from[lane] & (wave.lanes - 1)];
    return wave.blend<T>(dst, result, source);
  }
  Meta meta{0, 0, source.field ? source.code : before.code, source.tainted || before.tainted};
  uint64_t inactive = 0;
  for (unsigned lane = 0; lane < wave.lanes; ++lane) {
    const uint64_t bit = uint64_t(1) << lane;
    const bool kept = keep & bit;
    const unsigned at = from[lane] & (wave.lanes - 1);
    result[lane] = !kept ? values[at] : old.valid() ? wave.get<T>(old)[lane] : T(0);
    const Meta &origin = kept ? before : source;
    const unsigned index = kept ? lane : at;
    if (!kept && !(wave.active >> at & 1))
      inactive |= bit;
    meta.defined |= (origin.defined >> index & 1) << lane;
    meta.field |= (origin.field >> index & 1) << lane;
  }
  inactive &= wave.active;
  if (inactive) {
    wave.report(op, ProblemKind::InactiveLane, inactive);
    meta.defined &= ~inactive;
  }
  if (source.field && (before.field & keep) && source.code != before.code)
    meta.code = kMixedCode;
  wave.blend<T>(dst, result, meta);
}

} // namespace

void gatherLanes(Wave &wave, const Op &op, Reg dst, Reg src, bool wide,
                 const uint8_t (&from)[kMaxLanes], uint64_t keep, Reg old) {
  if (wide)
    gather<uint64_t>(wave, op, dst, src, from, keep, old);
  else
    gather<uint32_t>(wave, op, dst, src, from, keep, old);
}

void runShuffle(Wave &wave, const Op &op) {
  const auto &plan = *static_cast<const ShufflePlan *>(op.data);
  const uint32_t *offsets = wave.get<uint32_t>(op.b), *controls = wave.get<uint32_t>(op.c);
  const uint64_t needed = wave.active;
  if ((wave.meta(op.b).defined & wave.meta(op.c).defined & needed) != needed)
    wave.report(op, ProblemKind::UndefinedOperand, needed & ~wave.meta(op.b).defined);
  uint8_t from[kMaxLanes];
  uint32_t valid[kMaxLanes];
  for (unsigned lane = 0; lane < wave.lanes; ++lane) {
    const int b = int(offsets[lane] & 31), clamp = int(controls[lane] & 31);
    const int segment = int(controls[lane] >> 8 & 31), self = int(lane & 31);
    const int high = (self & segment) | (clamp & ~segment), low = self & segment;
    int source = 0;
    bool inside = false;
    switch (plan.mode) {
    case ShuffleMode::Up:
      source = self - b;
      inside = source >= high;
      break;
    case ShuffleMode::Down:
      source = self + b;
      inside = source <= high;
      break;
    case ShuffleMode::Butterfly:
      source = self ^ b;
      inside = source <= high;
      break;
    case ShuffleMode::Index:
      source = low | (b & ~segment);
      inside = source <= high;
      break;
    }
    valid[lane] = inside;
    from[lane] = uint8_t((lane & ~31u) + unsigned(inside ? source & 31 : self));
  }
  if (plan.mask.valid()) {
    const uint32_t *masks = wave.get<uint32_t>(plan.mask);
    uint64_t stranger = 0;
    forLanes(wave.active, [&](unsigned lane) {
      if (!(masks[lane] >> (lane & 31) & 1) || !(masks[lane] >> (from[lane] & 31) & 1))
        stranger |= uint64_t(1) << lane;
    });
    if (stranger)
      wave.report(op, ProblemKind::InactiveLane, stranger,
                  "a shuffle's mask lacks the lane or its source");
  }
  gatherLanes(wave, op, plan.dst, op.a, false, from);
  if (plan.predicate.valid())
    wave.blend<uint32_t>(plan.predicate, valid, {wave.all, 0, 0, false});
}

void runVote(Wave &wave, const Op &op) {
  const auto &plan = *static_cast<const VotePlan *>(op.data);
  auto word = [&](unsigned lane) {
    return plan.wideValue ? wave.get<uint64_t>(op.a)[lane] : wave.get<uint32_t>(op.a)[lane];
  };
  uint64_t results[kMaxLanes] = {};
  uint32_t agree[kMaxLanes] = {};
  Meta meta = wave.rawMeta(op.a);
  if (wave.holdsPayload(op.a))
    wave.giveUp(op, "the bits of a float are compared between lanes");
  uint64_t undefined = wave.active & ~meta.defined;
  if (undefined)
    wave.report(op, ProblemKind::UndefinedOperand, undefined);
  const uint64_t nonZero = wave.nonZero(op.a, plan.wideValue);
  const bool matches = plan.kind == VoteKind::MatchAny || plan.kind == VoteKind::MatchAll;
  forLanes(wave.active, [&](unsigned lane) {
    uint64_t members = wave.active;
    if (op.b.valid()) {
      members = uint64_t(wave.get<uint32_t>(op.b)[lane]) << (lane & ~31u);
      if (members & ~wave.active & ~wave.exited & wave.populated)
        wave.report(op, ProblemKind::InactiveLane, members & ~wave.active,
                    "a vote's mask names lanes that do not take part");
      members &= wave.active;
    }
    const uint64_t set = nonZero & members;
    uint64_t same = 0;
    if (matches)
      forLanes(members,
               [&](unsigned other) { same |= uint64_t(word(other) == word(lane)) << other; });
    const unsigned base = wave.lanes == 64 && !plan.wideResult ? lane & 32u : 0;
    switch (plan.kind) {
    case VoteKind::All:
      results[lane] = set == members;
      break;
    case VoteKind::Any:
      results[lane] = set != 0;
      break;
    case VoteKind::Uniform:
      results[lane] = set == members || set == 0;
      break;
    case VoteKind::Ballot:
      results[lane] = set >> base;
      break;
    case VoteKind::MatchAny:
      results[lane] = same >> base;
      break;
    case VoteKind::MatchAll:
      agree[lane] = same == members;
      results[lane] = agree[lane] ? members >> base : 0;
      break;
    }
  });
  meta.defined = wave.active;
  if (plan.wideResult) {
    wave.blend<uint64_t>(plan.dst, results, meta);
  } else {
    uint32_t narrow[kMaxLanes];
    std::copy_n(results, kMaxLanes, narrow);
    wave.blend<uint32_t>(plan.dst, narrow, meta);
  }
  if (plan.predicate.valid())
    wave.blend<uint32_t>(plan.predicate, agree, meta);
}

void runReduce(Wave &wave, const Op &op) {
  const auto &plan = *static_cast<const ReducePlan *>(op.data);
  const uint32_t *values = wave.get<uint32_t>(op.a);
  uint32_t results[kMaxLanes] = {};
  if (wave.holdsPayload(op.a))
    wave.giveUp(op, "the bits of a float are reduced as integers");
  forLanes(wave.active, [&](unsigned lane) {
    uint64_t members = wave.active;
    if (op.b.valid()) {
      const uint64_t named = uint64_t(wave.get<uint32_t>(op.b)[lane]) << (lane & ~31u);
      if (named & ~wave.active & ~wave.exited & wave.populated)
        wave.report(op, ProblemKind::InactiveLane, named & ~wave.active,
                    "a reduction's mask names lanes that do not take part");
      members &= named;
    }
    bool first = true;
    uint32_t sum = 0;
    forLanes(members, [&](unsigned other) {
      const uint32_t x = values[other];
      const bool less = plan.isSigned ? int32_t(x) < int32_t(sum) : x < sum;
      if (first)
        sum = x;
      else if (plan.kind == ReducePlan::Add)
        sum += x;
      else if (plan.kind == ReducePlan::And)
        sum &= x;
      else if (plan.kind == ReducePlan::Or)
        sum |= x;
      else if (plan.kind == ReducePlan::Xor)
        sum ^= x;
      else if (less == (plan.kind == ReducePlan::Min))
        sum = x;
      first = false;
    });
    results[lane] = sum;
  });
  Meta meta = wave.rawMeta(op.a);
  if ((meta.defined & wave.active) != wave.active)
    meta.defined = 0;
  wave.blend<uint32_t>(op.dst, results, meta);
}

} // namespace layout_port::verify
