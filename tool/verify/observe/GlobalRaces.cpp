// See GlobalRaces.h.
#include "observe/GlobalRaces.h"

#include "machine/Machine.h"

#include <algorithm>

namespace layout_port::verify {

void GlobalRaces::onLaunch(const Program &) {
  pages_.clear();
  last_ = nullptr;
  lastPage_ = ~uint64_t(0);
  strands_.assign(1, Strand());
  released_.clear();
  overwritten_.clear();
  block_ = 0;
}

void GlobalRaces::onBlock(const uint32_t (&)[3]) {
  ++block_;
  epoch_ = fences_ = 0;
  current_.clear();
  acquired_.clear();
}

GlobalRaces::Byte *GlobalRaces::byteAt(uint64_t address) {
  const uint64_t number = address >> kPageBits;
  if (number != lastPage_) {
    lastPage_ = number;
    last_ = pageOf(number);
  }
  return last_ ? &(*last_)[address & ((1u << kPageBits) - 1)] : nullptr;
}

GlobalRaces::Page *GlobalRaces::pageOf(uint64_t number) {
  const auto entry = pages_.find(number);
  if (entry != pages_.end())
    return &entry->second;
  incomplete_ |= pages_.size() >= kMostPages;
  return incomplete_ ? nullptr
                     : &pages_.emplace(number, Page(size_t(1) << kPageBits)).first->second;
}

uint32_t GlobalRaces::strandOf(const Wave &wave) {
  if (wave.index >= current_.size())
    current_.resize(wave.index + 1);
  uint32_t &known = current_[wave.index];
  if (!known || strands_[known].epoch != epoch_ || strands_[known].fences != fences_) {
    known = uint32_t(strands_.size());
    strands_.push_back({block_, wave.index, epoch_, fences_});
  }
  return known;
}

bool GlobalRaces::ordered(uint32_t before, const Strand &now) const {
  const Strand &then = strands_[before];
  if (!before || (then.block == now.block && (then.wave == now.wave || then.epoch < now.epoch)))
    return true;
  const auto releases = released_.find(then.block);
  if (then.block == now.block || releases == released_.end())
    return false;
  return std::any_of(releases->second.begin(), releases->second.end(), [&](const Release &release) {
    const auto seen = acquired_.find(release.word);
    return release.fences > then.fences && seen != acquired_.end() && seen->second > release.time;
  });
}

const char *GlobalRaces::nameOf(uint32_t before) const {
  return strands_[before].block == block_ ? "between waves" : "between blocks";
}

void GlobalRaces::report(const Wave &wave, uint32_t location, unsigned lane, uint64_t address,
                         const char *what) {
  sink_.onProblem(
      wave, {ProblemKind::GlobalRace, uint64_t(1) << lane, Space::Global, address, location, what});
}

void GlobalRaces::load(Byte &byte, uint32_t self) {
  if (byte.reader == self)
    return;
  const Strand &old = strands_[byte.reader], &now = strands_[self];
  if (byte.reader && (old.block != now.block || old.wave != now.wave))
    byte.other = byte.reader;
  byte.reader = self;
}

void GlobalRaces::touch(const Wave &wave, const MemoryEvent &event, unsigned lane, uint64_t address,
                        uint32_t self) {
  Byte *byte = byteAt(address);
  if (!byte)
    return;
  const Strand &now = strands_[self];
  const bool atomic = event.kind == MemoryEvent::Atomic || event.ordered;
  const bool writes = event.kind != MemoryEvent::Load;
  const auto race = [&](uint32_t before) {
    if (before == self || ordered(before, now))
      return false;
    report(wave, event.op->location, lane, address, nameOf(before));
    return true;
  };
  if (!atomic && race(byte->atomic))
    return;
  if (writes && (race(byte->reader) || race(byte->other)))
    return;
  const bool met = byte->writer != self && !ordered(byte->writer, now);
  if (met && atomic == writes) { // who polls a flag may meet its writer
    report(wave, event.op->location, lane, address, nameOf(byte->writer));
  } else if (met && writes) {
    const Arena &arena = wave.block->global->arena;
    overwritten_.push_back({address, lane, arena.bytes[address - arena.base],
                            arena.shadow[address - arena.base], event.op->location,
                            nameOf(byte->writer)});
  }
  if (atomic)
    byte->atomic = self;
  else if (writes)
    byte->writer = self;
  else
    load(*byte, self);
}

void GlobalRaces::onStored(const Wave &wave) {
  const Arena &arena = wave.block->global->arena;
  for (const Overwritten &old : overwritten_) {
    const uint64_t at = old.address - arena.base;
    const bool same = arena.bytes[at] == old.value &&
                      (arena.shadow[at] & shadow::defined) == (old.shade & shadow::defined);
    if (!same)
      report(wave, old.location, old.lane, old.address, old.what);
  }
  overwritten_.clear();
}

// What an atomic makes known: what its block did before its last fence, to all who touch
// the same word atomically later. Without a fence, nothing.
void GlobalRaces::synchronize(const MemoryEvent &event, uint64_t address) {
  ++time_;
  if (event.kind != MemoryEvent::Store)
    acquired_[address] = time_;
  if (event.kind == MemoryEvent::Load || !fences_)
    return;
  std::vector<Release> &own = released_[block_];
  if (own.empty() || own.back().word != address || own.back().fences != fences_)
    own.push_back({address, time_, fences_});
}

void GlobalRaces::onMemory(const Wave &wave, const MemoryEvent &event) {
  if (event.space != Space::Global)
    return;
  overwritten_.clear();
  if (event.ordered)
    forLanes(event.lanes, [&](unsigned lane) { synchronize(event, event.addresses[lane]); });
  const uint32_t self = strandOf(wave);
  forLanes(event.lanes, [&](unsigned lane) {
    for (unsigned i = 0; i < event.bytes; ++i)
      touch(wave, event, lane, event.addresses[lane] + i, self);
  });
}

} // namespace layout_port::verify
