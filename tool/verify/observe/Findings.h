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
  std::vector<Finding> findings() const;

private:
  const Program *program_ = nullptr;
  std::map<std::pair<unsigned, std::string>, Finding> found_;
};

// Shared-memory races: two threads, one byte, no barrier between them, at least
// one of them a plain store. Reads of asynchronous copies before their wait.
//
//   epoch of a byte = number of barriers the block has passed when it was touched
class RaceDetector : public Observer {
public:
  explicit RaceDetector(Observer &sink) : sink_(sink) {}
  void onLaunch(const Program &program) override;
  void onBlock(const uint32_t (&id)[3]) override;
  void onBarrier() override { ++epoch_; }
  void onMemory(const Wave &wave, const MemoryEvent &event) override;
  void onAsyncDone(const Wave &wave, uint64_t address, unsigned bytes) override;

private:
  // Who touched a byte last, and when. Threads of one wave are in lockstep: only
  // what different waves do unordered, or lanes of one store do to one byte, races.
  struct Byte {
    uint32_t writeEpoch = 0, readEpoch = 0;
    uint16_t writer = 0, reader = 0; // wave + 1; kMany: several
    bool pending = false;            // an asynchronous copy is on its way
  };
  static constexpr uint16_t kMany = 0xffff;
  void touch(const Wave &wave, const MemoryEvent &event, unsigned lane, uint64_t address);
  void report(const Wave &wave, const MemoryEvent &event, ProblemKind kind, uint64_t address,
              unsigned lane);

  Observer &sink_;
  std::vector<Byte> bytes_;
  uint32_t epoch_ = 1;
};

} // namespace layout_port::verify
