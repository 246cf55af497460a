// Blocks of one launch on several cores.
//
//   share     some blocks in a row; whoever has a core free takes the next one
//   worker    runs shares, in order, over a memory of its own, and notes which bytes it
//             reads and writes
//   at last   no worker wrote a byte that another touched: their writes are put together
//             otherwise, or with atomics, errors, too many steps: nothing has happened, and
//             the caller runs all blocks in order
//
// So memory, findings and counts are those of running the blocks in order, whatever the
// number of cores and whichever worker took which share.
#pragma once

#include "machine/Machine.h"
#include "observe/Counters.h"
#include "observe/Findings.h"
#include "observe/GlobalRaces.h"

#include <atomic>
#include <functional>
#include <thread>

namespace layout_port::verify {

// Cores that nobody uses at the moment.
class Cores {
public:
  explicit Cores(int idle = 0) : idle_(idle) {}
  bool take() {
    int idle = idle_;
    while (idle > 0)
      if (idle_.compare_exchange_weak(idle, idle - 1))
        return true;
    return false;
  }
  void give() { ++idle_; }

private:
  std::atomic<int> idle_;
};

// The eyes on a run that looks for mistakes.
struct Watch {
  Watch(Observer &findings, Counts &counts) : shared(findings), global(findings), counter(counts) {}
  void attach(Machine &machine) {
    machine.watch(shared);
    machine.watch(global);
    machine.watch(counter);
  }
  RaceDetector shared;
  GlobalRaces global;
  Counter counter;
};

class ParallelBlocks {
public:
  ParallelBlocks(const Program &code, GlobalMemory &memory, const Field *field, Limits limits,
                 bool observe)
      : code_(code), memory_(memory), field_(field), limits_(limits), observe_(observe) {}

  // False: nothing has happened.
  bool run(const Launch &launch, Cores &cores);

  // What the blocks were found to do, in their order; to be asked after run().
  void addTo(FindingList &findings, Counter &counter) const;
  void forMachines(const std::function<void(const Machine &)> &f) const;
  bool watchedAll() const;

private:
  struct Worker;
  static constexpr uint64_t kShares = 32;
  static constexpr uint64_t kMostMemory = uint64_t(64) << 20; // copies cost more than they give

  bool start(Worker &worker, const Launch &launch);
  void work(Worker &worker, const std::function<void()> &between);
  bool putTogether();

  const Program &code_;
  GlobalMemory &memory_;
  const Field *field_;
  Limits limits_;
  bool observe_;
  uint64_t blocks_ = 0, perShare_ = 1;
  std::atomic<uint64_t> next_{0};
  std::atomic<bool> failed_{false};
  std::vector<FindingList> findings_;            // of each share
  std::vector<std::shared_ptr<Worker>> workers_; // shared: known to Blocks.cpp only
};

} // namespace layout_port::verify
