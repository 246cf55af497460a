// Observers that look for mistakes, and the list of what they found.
#pragma once

#include "observe/Observer.h"

#include <map>
#include <set>
#include <unordered_map>
#include <vector>

namespace layout_port::verify {

struct Finding {
  ProblemKind kind = ProblemKind::Trap;
  std::string text; // "hgemm.cu:42: out of bounds: block (1,0,0), lane 3, A+0x4000"
  uint64_t times = 1;
};

// Turns the machine's problems into findings, one a kind and source line.
class FindingList : public Observer {
public:
  void onLaunch(const Program &program) override { program_ = &program; }
  void onProblem(const Wave &wave, const Problem &problem) override;
  // What later blocks of the same launch found.
  void add(const FindingList &later);
  std::vector<Finding> findings() const;

private:
  const Program *program_ = nullptr;
  std::map<std::pair<unsigned, std::string>, Finding> found_;
};

// Shared-memory races: two threads, one byte, no barrier between them, at least
// one of them a store, and not both atomic. Reads of asynchronous copies before their wait.
// Between lanes of one warp, a plain access beside an atomic is often meant.
//
//   epoch of a byte = number of barriers the block has passed when it was touched
//   phase of a byte = number of __syncwarps its warp has passed then
//
// Two waves race in one epoch. Two lanes of a CUDA warp race in one phase: since Volta
// nothing but __syncwarp orders them, a shuffle does not. An AMD wave is in lockstep.
// https://docs.nvidia.com/cuda/cuda-c-programming-guide/#synchronization-functions
class RaceDetector : public Observer {
public:
  explicit RaceDetector(Observer &sink) : sink_(sink) {}
  void onLaunch(const Program &program) override;
  void onBlock(const uint32_t (&id)[3]) override;
  void onBarrier() override { ++epoch_; }
  void onMemory(const Wave &wave, const MemoryEvent &event) override;
  void onAsyncDone(const Wave &wave, unsigned lane, uint64_t address, unsigned bytes) override;
  void onWarpSync(const Wave &wave) override { ++phaseOf(wave); }

private:
  // Who touched a byte last, and when.
  struct Byte {
    uint32_t writeEpoch = 0, readEpoch = 0;
    uint32_t writePhase = 0, readPhase = 0;
    uint32_t writeEvent = 0;             // lanes of one instruction do not race with each other
    uint16_t writer = 0, reader = 0;     // wave + 1; kMany: several
    uint8_t writeLane = 0, readLane = 0; // kManyLanes: several
    uint32_t atomicEpoch = 0;
    uint16_t updater = 0; // wave + 1 of atomics
    bool pending = false; // an asynchronous copy is on its way
  };
  static constexpr uint16_t kMany = 0xffff;
  static constexpr uint8_t kManyLanes = 0xff;
  uint32_t &phaseOf(const Wave &wave);
  void load(const Wave &wave, const MemoryEvent &event, unsigned lane, uint64_t address,
            Byte &byte);
  void store(const Wave &wave, const MemoryEvent &event, unsigned lane, uint64_t address,
             Byte &byte);
  void update(const Wave &wave, const MemoryEvent &event, unsigned lane, uint64_t address,
              Byte &byte);
  void touch(const Wave &wave, const MemoryEvent &event, unsigned lane, uint64_t address);
  void report(const Wave &wave, const MemoryEvent &event, ProblemKind kind, uint64_t address,
              unsigned lane);

  Observer &sink_;
  std::vector<Byte> bytes_;
  std::vector<uint32_t> phases_; // of each wave
  uint32_t epoch_ = 1, event_ = 0;
  bool lanesRace_ = false; // warps of CUDA
};

} // namespace layout_port::verify
