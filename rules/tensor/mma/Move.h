// A conversion between two layouts of words, 64 lanes each, one cross-lane read a
// word. For the word w and lane L of the destination, the source register r and
// lane l are
//
//    r = Q w + P L        l = U w + V L        (over F2)
//
// Choose T with N = U T + V invertible, and in step s let lane L receive the word
// s + T L. Then l = U s + N L, and the register to send depends on the sender
// alone: r = (Q + X U) s + X l with X = (Q T + P) N^-1. So each word costs one
// cross-lane read, a select before it and a select after it.
#pragma once

#include "layout_port/layouts/F2.h"
#include "layout_port/layouts/Result.h"

namespace layout_port {

// One conversion, planned.
struct BridgeMove {
  int wordBits = 0, registerBits = 0;
  f2::Columns sendByStep;  // columns over s: register to send, at lane 0
  f2::Columns sendByLane;  // X: columns over the sender's lane bits
  f2::Columns readByStep;  // U: columns over s: lane to read from, at lane 0
  f2::Columns readByLane;  // N: columns over the receiver's lane bits
  f2::Columns storeByLane; // T: word that step s fills is s ^ T L
  int selects() const;     // lane-dependent picks, before and after
};

// (register and lane of the source) as columns over word bits then lane bits of
// the destination; `registerBits` low bits of each column are the register.
Result<BridgeMove> planBridgeMove(const f2::Columns &source, int wordBits, int registerBits,
                                  int laneBits);

} // namespace layout_port
