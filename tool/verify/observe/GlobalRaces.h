// Races in global memory: two waves, one byte, one of them writes, and nothing says which
// comes first. Blocks of a launch may run in any order, so that a result that hangs on
// theirs is luck.
//
//   in a block       ordered by a barrier between them
//   between blocks   ordered by   write, __threadfence, atomic on X  ->  atomic on X, read
//                    (X: any word; a volatile access does for the atomic)
//
// Atomics do not race with each other, and neither do writes of what is there already.
//
// The machine runs blocks in order, so only earlier blocks are asked about:
//
//   strand           a wave between two barriers and fences of its block
//   released[block]  when the block touched which word atomically, behind how many fences
//   acquired[X]      when this block touched X atomically last
//   a write in strand s is seen if its block released an X behind more fences than s had passed,
//   and this block has touched X since
//
// https://docs.nvidia.com/cuda/cuda-c-programming-guide/#memory-fence-functions
#pragma once

#include "observe/Observer.h"

#include <memory>
#include <unordered_map>
#include <vector>

namespace layout_port::verify {

class GlobalRaces : public Observer {
public:
  explicit GlobalRaces(Observer &sink) : sink_(sink) {}
  void onLaunch(const Program &) override;
  void onBlock(const uint32_t (&id)[3]) override;
  void onBarrier() override { ++epoch_; }
  void onFence(const Wave &) override { ++fences_; }
  void onMemory(const Wave &wave, const MemoryEvent &event) override;
  void onStored(const Wave &wave) override;
  // Whether more memory was touched than is watched.
  bool incomplete() const { return incomplete_; }

private:
  struct Strand {
    uint32_t block = 0, wave = 0, epoch = 0, fences = 0;
  };
  // The last strands that touched a byte, 0 for none. Of readers, two of different blocks or
  // waves are kept: if any is unordered with a writer, so is one of these, nearly always.
  struct Byte {
    uint32_t writer = 0, reader = 0, other = 0, atomic = 0;
  };
  static constexpr unsigned kPageBits = 12;
  static constexpr size_t kMostPages = 1 << 12; // 16 MiB of touched memory
  using Page = std::vector<Byte>;
  // A byte that another strand has written as well: a race if its value changes.
  struct Overwritten {
    uint64_t address = 0;
    unsigned lane = 0;
    uint8_t value = 0, shade = 0;
    uint32_t location = 0;
    const char *what = nullptr;
  };

  Byte *byteAt(uint64_t address); // null beyond what is watched
  Page *pageOf(uint64_t number);
  uint32_t strandOf(const Wave &wave);
  bool ordered(uint32_t before, const Strand &now) const;
  const char *nameOf(uint32_t before) const;
  void touch(const Wave &wave, const MemoryEvent &event, unsigned lane, uint64_t address,
             uint32_t self);
  void load(Byte &byte, uint32_t self);
  void synchronize(const MemoryEvent &event, uint64_t address);
  void report(const Wave &wave, uint32_t location, unsigned lane, uint64_t address,
              const char *what);

  Observer &sink_;
  std::unordered_map<uint64_t, Page> pages_;
  uint64_t lastPage_ = ~uint64_t(0);
  Page *last_ = nullptr;
  std::vector<Strand> strands_;
  std::vector<uint32_t> current_; // of each wave of the block
  uint32_t block_ = 0, epoch_ = 0, fences_ = 0;
  // What a block did before so many fences is known to all who touch the word atomically later.
  struct Release {
    uint64_t word = 0, time = 0;
    uint32_t fences = 0;
  };
  std::unordered_map<uint32_t, std::vector<Release>> released_; // by block
  std::unordered_map<uint64_t, uint64_t> acquired_; // by word: when this block looked last
  uint64_t time_ = 0;                               // counts atomics
  std::vector<Overwritten> overwritten_;
  bool incomplete_ = false;
};

} // namespace layout_port::verify
