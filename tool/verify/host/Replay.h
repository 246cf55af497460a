// Launches that main made: recorded, and run again in other domains.
#pragma once

#include "proof/Run.h"

namespace layout_port::verify {

// One launch of main's, on one side.
struct RecordedLaunch {
  std::string kernel; // mangled
  std::string name;   // "ns::scale<float, 4>"
  const Program *code = nullptr;
  Launch launch;             // addresses are of this side's memory
  std::string shape() const; // "grid 2x2x1, block 128x1x1, 256 bytes of shared memory"
};

// A side whose launches are main's. While one is set, run() repeats it: over a copy of the memory
// as it was before, with those buffers of the launch file refilled that have `init: random`.
class HostSide : public Side {
public:
  using Side::Side;
  struct Replay {
    const RecordedLaunch *launch = nullptr;
    const GlobalMemory *before = nullptr;
    std::vector<uint64_t> addresses; // of the launch file's buffers
  };
  void setReplay(const Replay *replay) { replay_ = replay; }

  RunResult run(const LaunchFile &file, const RunOptions &options) override;
  // A kernel in IEEE arithmetic, by its mangled name.
  llvm::Expected<const Program *> kernel(const std::string &name);

private:
  const Replay *replay_ = nullptr;
};

} // namespace layout_port::verify
