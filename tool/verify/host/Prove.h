// From one launch of main's to all inputs: its float buffers are refilled, and both sides run it
// again in the field domain, as they would for a launch file.
#pragma once

#include "host/Compare.h"

namespace layout_port::verify {

// Where kernels read global memory, in granules smaller than the gap between two buffers.
class ReadSet : public Observer {
public:
  void onMemory(const Wave &wave, const MemoryEvent &event) override;
  bool touches(const DeviceBuffer &buffer) const;

private:
  static constexpr unsigned kGranuleBits = 8;
  std::set<uint64_t> granules_;
  uint64_t last_ = ~uint64_t(0);
};

// Equal for launches of which one proof speaks: kernel, shape and arguments, where a pointer is
// told by its buffer's size and type, its offset, and which other arguments point there too.
std::string launchKey(const Device &device, const RecordedLaunch &launch);

struct ProofSide {
  HostSide &side;
  Device &device;
  const RecordedLaunch &launch;
  const GlobalMemory &before; // the device's memory when the launch was made
};

struct LaunchProof {
  Report report;
  // Buffers that the kernel read and that kept main's data: what was proved is for that data only.
  std::vector<std::string> kept;
};

LaunchProof proveLaunch(const ProofSide &left, const ProofSide &right,
                        llvm::ArrayRef<BufferPair> pairs, const ReadSet &reads,
                        const ProofOptions &options);

} // namespace layout_port::verify
