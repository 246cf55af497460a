// Which bytes of global memory were read and which written, one bit each: what tells
// whether blocks that ran at the same time could have seen each other.
#pragma once

#include "observe/Observer.h"

#include <vector>

namespace layout_port::verify {

struct Arena;

class Touched {
public:
  explicit Touched(const Arena &arena);
  void mark(MemoryEvent::Kind kind, uint64_t lanes, const uint64_t *addresses, unsigned bytes);
  // Atomics were used: what they return, and how floats are summed, hangs on the order.
  bool usedAtomics() const { return atomics_; }
  // Whether one side wrote what the other read or wrote.
  static bool overlap(const Touched &a, const Touched &b);
  // Copies what was written here into an arena of the same layout.
  void copyWritten(const Arena &from, Arena &to) const;

private:
  uint64_t base_;
  std::vector<uint64_t> read_, written_; // bit i of word w: byte 64 w + i of the arena
  bool atomics_ = false;
};

} // namespace layout_port::verify
