// What was stored where, in the order of execution: the raw material for the path from
// a wrong output back to the first wrong store (proof/Path.h).
//
// Only residues are logged, element by element: in the field domain a value's residue
// tells what was computed, wherever it is kept and in whatever format.
#pragma once

#include "machine/Wave.h"
#include "observe/Observer.h"

#include <array>
#include <string>
#include <vector>

namespace layout_port::verify {

struct StoreSite {
  std::array<uint32_t, 3> block{0, 0, 0};
  uint32_t thread = 0, location = 0, launch = 0;
  Space space = Space::Global;
  uint64_t address = 0; // of the element; an offset in shared memory
};

struct StoreLog {
  // Residues loaded from global memory, and those stored to global or shared memory
  // with their places; both in order.
  std::vector<uint64_t> loaded, stored;
  std::vector<StoreSite> sites;
  std::vector<Region> regions; // what global memory held
  bool complete = true;        // false: longer than kMost, and cut
  static constexpr size_t kMost = size_t(1) << 21;
};

class StoreTrace : public Observer {
public:
  explicit StoreTrace(StoreLog &log) : log_(log) {}
  uint32_t launch = 0, locationBase = 0;

  bool wantsInstructions() const override { return true; }
  void onBlock(const uint32_t (&)[3]) override { flush(); }
  void onInstruction(const Wave &wave, const Op &op) override;
  void onMemory(const Wave &wave, const MemoryEvent &event) override;
  void onAsyncDone(const Wave &wave, unsigned lane, uint64_t address, unsigned bytes) override;
  // After the machine stopped.
  void finish(const GlobalMemory &memory);

private:
  // The store that was announced: its bytes are in memory when the next operation begins.
  struct Pending {
    BlockState *block = nullptr;
    StoreSite site; // of the wave's first thread
    Space space = Space::Global;
    unsigned bytes = 0;
    std::vector<std::pair<unsigned, uint64_t>> lanes; // lane, address
  };
  StoreSite siteOf(const Wave &wave, Space space) const;
  void flush();
  template <class F>
  void elements(BlockState &block, Space space, uint64_t address, unsigned bytes, F found) const;
  void store(BlockState &block, StoreSite site, uint64_t address, unsigned bytes);

  StoreLog &log_;
  Pending pending_;
  uint32_t location_ = 0;
};

} // namespace layout_port::verify
