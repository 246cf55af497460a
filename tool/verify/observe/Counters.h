// Counting: what a run executed, by class of instruction and kind of memory.
#pragma once

#include "machine/Wave.h"
#include "observe/Observer.h"

#include <array>

namespace layout_port::verify {

struct Counts {
  std::array<uint64_t, unsigned(InstructionClass::Count)> instructions{}; // by waves
  uint64_t laneOperations = 0;
  uint64_t sharedAccesses = 0, globalAccesses = 0; // wave-wide loads, stores and atomics
  uint64_t barriers = 0;
};

class Counter : public Observer {
public:
  explicit Counter(Counts &counts) : counts_(counts) {}
  bool wantsInstructions() const override { return true; }
  void onInstruction(const Wave &wave, const Op &op) override {
    ++counts_.instructions[op.kind];
    counts_.laneOperations += uint64_t(__builtin_popcountll(wave.active));
  }
  void onMemory(const Wave &, const MemoryEvent &event) override {
    if (event.space == Space::Shared)
      ++counts_.sharedAccesses;
    else if (event.space == Space::Global)
      ++counts_.globalAccesses;
  }
  void onBarrier() override { ++counts_.barriers; }

private:
  Counts &counts_;
};

} // namespace layout_port::verify
