// See PtxDecoder.h. What lanes and waves tell each other, and where threads end.
// https://docs.nvidia.com/cuda/parallel-thread-execution/#parallel-synchronization-and-communication-instructions
#include "semantics/PtxOps.h"
#include "semantics/Threads.h"
#include "semantics/ptx/PtxDecoder.h"

namespace layout_port::verify {

bool PtxDecoder::run(const ptx::Shuffle &s) {
  ShufflePlan plan;
  plan.mode = s.mode == ptx::Shuffle::Mode::Up          ? ShuffleMode::Up
              : s.mode == ptx::Shuffle::Mode::Down      ? ShuffleMode::Down
              : s.mode == ptx::Shuffle::Mode::Butterfly ? ShuffleMode::Butterfly
                                                        : ShuffleMode::Index;
  const Reg value = read(*s.source, Scalar{32}), lane = read(*s.lane, Scalar{32});
  const Reg control = read(*s.clamp, Scalar{32});
  if (s.mask)
    plan.mask = read(*s.mask, Scalar{32});
  const Reg moved = plan.dst = d_.fresh({32});
  if (s.predicate)
    plan.predicate = d_.fresh({1});
  const Reg inside = plan.predicate;
  d_.emit(runShuffle, InstructionClass::CrossLane, {}, value, lane, control).data =
      d_.keep(std::move(plan));
  write(*s.destination, moved, {32});
  writeIf(s.predicate, inside, {1});
  return true;
}

bool PtxDecoder::run(const ptx::Vote &v) {
  VotePlan plan;
  plan.kind = v.mode == ptx::Vote::Mode::All       ? VoteKind::All
              : v.mode == ptx::Vote::Mode::Any     ? VoteKind::Any
              : v.mode == ptx::Vote::Mode::Uniform ? VoteKind::Uniform
                                                   : VoteKind::Ballot;
  const Reg value = predicate(*v.predicate), members = read(*v.mask, Scalar{32});
  const Scalar scalar{v.mode == ptx::Vote::Mode::Ballot ? 32u : 1u};
  const Reg result = plan.dst = d_.fresh(scalar);
  d_.emit(runVote, InstructionClass::Vote, {}, value, members).data = d_.keep(std::move(plan));
  write(*v.destination, result, scalar);
  return true;
}

bool PtxDecoder::run(const ptx::Match &m) {
  VotePlan plan;
  plan.kind = m.all ? VoteKind::MatchAll : VoteKind::MatchAny;
  const Scalar scalar = scalarOf(m.type);
  plan.wideValue = scalar.wide();
  const Reg value = read(*m.value, scalar), members = read(*m.mask, Scalar{32});
  const Reg result = plan.dst = d_.fresh({32});
  if (m.predicate)
    plan.predicate = d_.fresh({1});
  const Reg agreed = plan.predicate;
  d_.emit(runVote, InstructionClass::Vote, {}, value, members).data = d_.keep(std::move(plan));
  write(*m.destination, result, {32});
  writeIf(m.predicate, agreed, {1});
  return true;
}

bool PtxDecoder::run(const ptx::ActiveMask &m) {
  VotePlan plan;
  const Reg result = plan.dst = d_.fresh({32});
  d_.emit(runVote, InstructionClass::Vote, {}, number({1}, 1)).data = d_.keep(std::move(plan));
  write(*m.destination, result, {32});
  return true;
}

bool PtxDecoder::run(const ptx::Reduce &r) {
  using Kind = ptx::Reduce::Kind;
  ReducePlan plan;
  plan.kind = r.kind == Kind::Add   ? ReducePlan::Add
              : r.kind == Kind::Min ? ReducePlan::Min
              : r.kind == Kind::Max ? ReducePlan::Max
              : r.kind == Kind::And ? ReducePlan::And
              : r.kind == Kind::Or  ? ReducePlan::Or
                                    : ReducePlan::Xor;
  if (ptx::isFloat(r.type))
    return fail("a reduction of floats");
  plan.isSigned = ptx::isSigned(r.type);
  const Reg result = d_.fresh({32});
  const Reg value = read(*r.source, Scalar{32}), members = read(*r.mask, Scalar{32});
  d_.emit(runReduce, InstructionClass::CrossLane, result, value, members).data = d_.keep(plan);
  write(*r.destination, result, {32});
  return true;
}

// Any lane of the mask may be elected: here the lowest.
bool PtxDecoder::run(const ptx::Elect &e) {
  const Scalar word{32};
  const Reg members = read(*e.mask, word);
  const Reg lowest = integerStep(IntegerFunction::CountTrailing, word, members);
  const Reg lane = emitThreadValue(d_, ThreadValue::Lane);
  const Reg elected = d_.emitCompare(llvm::CmpInst::ICMP_EQ, word, lane, lowest);
  writeIf(e.destination, lowest, word);
  writeIf(e.predicate, elected, {1});
  return true;
}

bool PtxDecoder::run(const ptx::Barrier &b) {
  const Reg id = read(*b.id, Scalar{32});
  const Reg threads = b.threads ? read(*b.threads, Scalar{32}) : Reg();
  if (b.kind != ptx::Barrier::Kind::Reduce) {
    emitBarrier(d_, id, threads, b.kind != ptx::Barrier::Kind::Arrive);
    return true;
  }
  const BarrierVote vote = b.reduction == ptx::Barrier::Reduction::Count ? BarrierVote::Count
                           : b.reduction == ptx::Barrier::Reduction::And ? BarrierVote::And
                                                                         : BarrierVote::Or;
  const Scalar scalar{vote == BarrierVote::Count ? 32u : 1u};
  write(*b.destination, emitBarrierVote(d_, id, threads, predicate(*b.predicate), vote), scalar);
  return true;
}

bool PtxDecoder::run(const ptx::WarpBarrier &) {
  emitWarpBarrier(d_);
  return true;
}

bool PtxDecoder::run(const ptx::Control &c) {
  switch (c.kind) {
  case ptx::Control::Kind::Trap:
    emitTrap(d_);
    return true;
  case ptx::Control::Kind::Exit:
    emitExit(d_);
    return true;
  case ptx::Control::Kind::Breakpoint: // nobody debugs
  case ptx::Control::Kind::Sleep:
    return true;
  }
  return fail();
}

} // namespace layout_port::verify
