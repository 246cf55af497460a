// Compares what two devices hold.
#pragma once

#include "host/Device.h"
#include "proof/Verify.h"

namespace layout_port::verify {

// The same buffer on both sides: indices into Device::buffers().
struct BufferPair {
  size_t left = 0, right = 0;
};

// Allocations pair by their order, variables by their names. An error says which buffer has no
// counterpart, or not of its size.
llvm::Expected<std::vector<BufferPair>> pairBuffers(Device &left, Device &right);

// How a buffer is compared and, if `refill`, filled anew in other domains.
BufferSpec specOf(const DeviceBuffer &buffer);

struct MemoryDifference {
  Difference difference;
  BufferSpec spec; // of the buffer that differs
  BufferPair pair;
  bool untyped = false; // no kernel said what its elements are: bytes differ, perhaps by rounding
};

// The first difference beyond rounding. Where sides differ by rounding alone, the right one goes
// on with the left one's values, so that rounding does not add up from launch to launch; `rounded`
// is set then.
MemoryDifference compareMemories(Device &left, Device &right, llvm::ArrayRef<BufferPair> pairs,
                                 bool &rounded);

} // namespace layout_port::verify
