// Counting: what a run executed, by kernel and loop.
//
// Counted is the IR after -O1, wave by wave. What a compiler does later is not seen: it
// may merge two LDS reads into one ds_read2, or hoist an address. An access is counted
// in the pieces a card would take: at most 16 bytes a lane, and no wider than the
// alignment that the program promises.
//
//   LDS passes         sum over the phases of each access of the different words in its
//                      fullest bank (layouts/Banks.h), by the rows of layouts/isa;
//                      their bound is one pass a phase that has an active lane
//   global segments    different 64-byte (and 128-byte) pieces of memory that one
//                      wave's access touches; their bound is the bytes it touches / 64
//   trips of a loop    how often waves entered its first block
//
// A loop's figures include those of the loops inside it.
#pragma once

#include "layout_port/layouts/Lds.h"
#include "machine/Wave.h"
#include "observe/Observer.h"

#include <array>
#include <map>
#include <optional>
#include <unordered_map>

namespace layout_port::verify {

// Accesses of a wave by bytes a lane.
using Widths = std::map<unsigned, uint64_t>;

struct Tally {
  std::array<uint64_t, unsigned(InstructionClass::Count)> instructions{}; // by waves
  uint64_t laneOperations = 0;
  uint64_t sharedAccesses = 0, globalAccesses = 0; // wave-wide loads, stores and atomics
  Widths sharedReads, sharedWrites, globalReads, globalWrites;
  uint64_t sharedPasses = 0, sharedBound = 0;
  uint64_t sharedWithoutRow = 0;                   // pieces whose phases no row of layouts/isa has
  std::optional<isa::Confidence> sharedConfidence; // the least of the rows that counted
  uint64_t segments64 = 0, segments128 = 0, segmentBound = 0;
  uint64_t barriers = 0;

  void add(const Tally &other);
};

struct LoopCounts {
  std::string line; // "hgemm.cu:31", or the kernel's name without debug info
  unsigned depth = 0;
  uint64_t trips = 0;
  Tally tally;
};

struct KernelCounts {
  std::string kernel;
  uint64_t launches = 0, waves = 0;
  Tally tally;
  std::vector<LoopCounts> loops; // a loop, then the loops inside it
};

struct Counts {
  std::string arch;
  Tally total;
  std::vector<KernelCounts> kernels;
};

class Counter : public Observer {
public:
  explicit Counter(Counts &counts) : counts_(counts) {}
  bool wantsInstructions() const override { return true; }
  void onLaunch(const Program &program) override;
  void onBlock(const uint32_t (&)[3]) override { newBlock_ = true; }
  void onInstruction(const Wave &wave, const Op &op) override;
  void onMemory(const Wave &wave, const MemoryEvent &event) override;
  void onBarrier() override { ++innermost().barriers; }
  // What was counted of other blocks of the launch that ran last.
  void add(const Counter &other);
  // Adds inner loops to outer ones, and all to the kernel's and the run's totals.
  void finish();

private:
  // Of the kernel that runs: a tally for code outside loops, then one a loop.
  struct Running {
    std::string kernel;
    const Program *program = nullptr;
    uint64_t launches = 0, waves = 0;
    std::vector<Tally> tallies{1};
    std::vector<uint64_t> trips{0};
    std::vector<std::pair<const Function *, uint32_t>> loops; // of tally i + 1
    std::unordered_map<const Function *, std::vector<uint32_t>> tallyOfOp;
    std::unordered_map<const Op *, uint32_t> headers; // first operation: tally
  };
  struct Passes {
    unsigned passes = 0, bound = 0;
  };

  void describe(Running &running, const Program &program);
  const std::vector<uint32_t> *tableOf(const Op &op);
  Tally &innermost() { return running_->tallies[tally_]; }
  void countShared(const MemoryEvent &event, Tally &tally);
  void countGlobal(const MemoryEvent &event, Tally &tally);
  void countPasses(const MemoryEvent &event, unsigned offset, unsigned bytes, bool write,
                   Tally &tally);
  const isa::LdsInstruction *rowOf(bool write, unsigned bytes);

  Counts &counts_;
  std::vector<Running> kernels_;
  Running *running_ = nullptr;
  const Function *function_ = nullptr;           // of the last operation
  const std::vector<uint32_t> *table_ = nullptr; // its tallies
  uint32_t tally_ = 0;
  bool newBlock_ = false;
  std::optional<isa::Arch> arch_;
  std::map<std::pair<bool, unsigned>, std::optional<isa::LdsInstruction>> rows_;
  std::unordered_map<uint64_t, Passes> known_; // by instruction and address pattern
};

} // namespace layout_port::verify
