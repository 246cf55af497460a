// See Findings.h.
#include "observe/Findings.h"

#include "machine/Machine.h"

#include <llvm/ADT/StringExtras.h>

namespace layout_port::verify {

const char *toString(ProblemKind kind) {
  switch (kind) {
  case ProblemKind::OutOfBounds:
    return "out of bounds";
  case ProblemKind::Misaligned:
    return "misaligned access";
  case ProblemKind::ReadOnly:
    return "store to constant memory";
  case ProblemKind::UndefinedAddress:
    return "undefined address";
  case ProblemKind::UndefinedBranch:
    return "branch on an undefined value";
  case ProblemKind::UndefinedOperand:
    return "undefined operand";
  case ProblemKind::UndefinedResult:
    return "undefined result";
  case ProblemKind::InactiveLane:
    return "value of a lane that does not take part";
  case ProblemKind::PartialMatrix:
    return "matrix instruction with lanes missing";
  case ProblemKind::DivergentBarrier:
    return "barrier in divergent control flow";
  case ProblemKind::SharedRace:
    return "shared-memory race";
  case ProblemKind::GlobalRace:
    return "global-memory race";
  case ProblemKind::WarpRace:
    return "shared memory passed between lanes of a warp without __syncwarp";
  case ProblemKind::StoreConflict:
    return "lanes of one store give one address different values";
  case ProblemKind::AsyncNotWaited:
    return "asynchronous copy read before its wait";
  case ProblemKind::BrokenPromise:
    return "promise broken";
  case ProblemKind::Trap:
    return "trap";
  }
  return "";
}

namespace {

// Often the launch gives too little: say how much there is.
std::string sizeOfShared(const Wave &wave) {
  return " of " + std::to_string(wave.program->staticShared) + " bytes static and " +
         std::to_string(wave.block->launch->dynamicShared) + " dynamic from 0x" +
         llvm::utohexstr(wave.program->dynamicShared, true);
}

} // namespace

void FindingList::onProblem(const Wave &wave, const Problem &problem) {
  const Location &where = program_->locations[problem.location];
  const std::string line =
      where.line ? where.file + ":" + std::to_string(where.line) : program_->kernel().name;
  auto [entry, added] = found_.try_emplace({unsigned(problem.kind), line + problem.detail});
  Finding &finding = entry->second;
  if (!added) {
    ++finding.times;
    return;
  }
  finding.kind = problem.kind;
  const auto &id = wave.block->id;
  const unsigned lane = problem.lanes ? unsigned(__builtin_ctzll(problem.lanes)) : 0;
  finding.text = line + ": " + program_->kernel().name + ": " + toString(problem.kind);
  if (!problem.detail.empty())
    finding.text += " (" + problem.detail + ")";
  finding.text += ": block (" + std::to_string(id[0]) + "," + std::to_string(id[1]) + "," +
                  std::to_string(id[2]) + "), wave " + std::to_string(wave.index) + ", lane " +
                  std::to_string(lane);
  if (problem.kind == ProblemKind::OutOfBounds || problem.kind == ProblemKind::ReadOnly ||
      problem.kind == ProblemKind::Misaligned || problem.kind == ProblemKind::SharedRace ||
      problem.kind == ProblemKind::GlobalRace || problem.kind == ProblemKind::WarpRace ||
      problem.kind == ProblemKind::StoreConflict || problem.kind == ProblemKind::AsyncNotWaited) {
    char text[40];
    snprintf(text, sizeof(text), "0x%llx", (unsigned long long)(problem.address & 0xffffffffffff));
    finding.text +=
        ", " + (problem.space == Space::Global
                    ? wave.block->global->describe(problem.address)
                    : std::string(problem.space == Space::Shared ? "shared " : "local ") + text);
    if (problem.kind == ProblemKind::OutOfBounds && problem.space == Space::Shared)
      finding.text += sizeOfShared(wave);
  }
}

void FindingList::add(const FindingList &later) {
  for (const auto &[key, finding] : later.found_) {
    auto [entry, added] = found_.try_emplace(key, finding);
    if (!added)
      entry->second.times += finding.times;
  }
}

std::vector<Finding> FindingList::findings() const {
  std::vector<Finding> list;
  for (const auto &entry : found_)
    list.push_back(entry.second);
  return list;
}

void RaceDetector::onLaunch(const Program &program) {
  bytes_.clear();
  lanesRace_ = program.target == Target::Nvptx;
}

void RaceDetector::onBlock(const uint32_t (&)[3]) {
  bytes_.clear();
  phases_.clear();
  epoch_ = 1;
}

uint32_t &RaceDetector::phaseOf(const Wave &wave) {
  if (wave.index >= phases_.size())
    phases_.resize(wave.index + 1);
  return phases_[wave.index];
}

void RaceDetector::report(const Wave &wave, const MemoryEvent &event, ProblemKind kind,
                          uint64_t address, unsigned lane) {
  Problem problem{kind, uint64_t(1) << lane, Space::Shared, address, event.op->location, {}};
  sink_.onProblem(wave, problem);
}

void RaceDetector::load(const Wave &wave, const MemoryEvent &event, unsigned lane, uint64_t address,
                        Byte &byte) {
  const uint16_t self = uint16_t(wave.index + 1);
  const uint32_t phase = phaseOf(wave);
  const bool written = byte.writeEpoch == epoch_;
  const bool updated = byte.atomicEpoch == epoch_ && byte.updater != self && !event.ordered;
  if ((written && byte.writer != self) || updated)
    report(wave, event, ProblemKind::SharedRace, address, lane);
  else if (written && lanesRace_ && byte.writePhase == phase && byte.writeLane != lane)
    report(wave, event, ProblemKind::WarpRace, address, lane);
  const bool again = byte.readEpoch == epoch_;
  const bool sameWave = !again || byte.reader == self;
  const bool sameLane =
      !again || byte.readPhase != phase || byte.readLane == uint8_t(lane) || !sameWave;
  byte.reader = sameWave ? self : kMany;
  byte.readLane = sameLane ? uint8_t(lane) : kManyLanes;
  byte.readEpoch = epoch_;
  byte.readPhase = phase;
}

void RaceDetector::store(const Wave &wave, const MemoryEvent &event, unsigned lane,
                         uint64_t address, Byte &byte) {
  const uint16_t self = uint16_t(wave.index + 1);
  const uint32_t phase = phaseOf(wave);
  const bool written = byte.writeEpoch == epoch_, read = byte.readEpoch == epoch_;
  const bool updated = byte.atomicEpoch == epoch_ && byte.updater != self;
  if ((written && byte.writer != self) || (read && byte.reader != self) || updated)
    report(wave, event, ProblemKind::SharedRace, address, lane);
  else if (lanesRace_ && ((written && byte.writePhase == phase && byte.writeLane != lane &&
                           byte.writeEvent != event_) ||
                          (read && byte.readPhase == phase && byte.readLane != lane)))
    report(wave, event, ProblemKind::WarpRace, address, lane);
  byte.writer = self;
  byte.writeLane = uint8_t(lane);
  byte.writeEpoch = epoch_;
  byte.writePhase = phase;
  byte.writeEvent = event_;
  byte.pending = event.kind == MemoryEvent::AsyncStore;
}

// Atomics are ordered among themselves.
void RaceDetector::update(const Wave &wave, const MemoryEvent &event, unsigned lane,
                          uint64_t address, Byte &byte) {
  const uint16_t self = uint16_t(wave.index + 1);
  if ((byte.writeEpoch == epoch_ && byte.writer != self) ||
      (byte.readEpoch == epoch_ && byte.reader != self))
    report(wave, event, ProblemKind::SharedRace, address, lane);
  byte.updater = byte.atomicEpoch != epoch_ || byte.updater == self ? self : kMany;
  byte.atomicEpoch = epoch_;
}

void RaceDetector::touch(const Wave &wave, const MemoryEvent &event, unsigned lane,
                         uint64_t address) {
  if (address >= bytes_.size())
    bytes_.resize(wave.block->shared.bytes.size());
  Byte &byte = bytes_[address];
  if (byte.pending && event.kind != MemoryEvent::AsyncStore)
    report(wave, event, ProblemKind::AsyncNotWaited, address, lane);
  if (event.kind == MemoryEvent::Load)
    load(wave, event, lane, address, byte);
  else if (event.kind == MemoryEvent::Atomic)
    update(wave, event, lane, address, byte);
  else
    store(wave, event, lane, address, byte);
}

void RaceDetector::onMemory(const Wave &wave, const MemoryEvent &event) {
  if (event.space != Space::Shared)
    return;
  ++event_;
  forLanes(event.lanes, [&](unsigned lane) {
    for (unsigned i = 0; i < event.bytes; ++i)
      touch(wave, event, lane, event.addresses[lane] + i);
  });
}

// What the copy wrote becomes visible to other waves only after the next barrier, and
// to other lanes of a warp after the next __syncwarp.
void RaceDetector::onAsyncDone(const Wave &wave, unsigned lane, uint64_t address, unsigned bytes) {
  for (unsigned i = 0; i < bytes; ++i) {
    if (address + i >= bytes_.size())
      return;
    Byte &byte = bytes_[address + i];
    byte.pending = false;
    byte.writer = uint16_t(wave.index + 1);
    byte.writeLane = uint8_t(lane);
    byte.writeEpoch = epoch_;
    byte.writePhase = phaseOf(wave);
    byte.writeEvent = 0;
  }
}

} // namespace layout_port::verify
