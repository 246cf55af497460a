// The bridged tier of mma.sync: one site becomes MFMA with layout conversions
// around it, written from the rows of layouts/isa.
//
// A wave hosts two warps, h = 0 and 1, each with its own product D_h = A_h B_h.
// One MFMA serves one warp. B of both warps lies side by side in the first
// operand (rows n0 n1 n2 and n3 := h), A of one warp is the second operand:
//
//             A_0 (m)                         A_1 (m)
//           ┌─────────┐                     ┌─────────┐
//    B_0 n  │  D_0 ◀  │  mfma 0      B_0 n  │    ·    │  mfma 1
//    B_1 n  │    ·    │              B_1 n  │  D_1 ◀  │
//           └─────────┘                     └─────────┘
//
// so the wave's D is taken from mfma 0 in lanes with n3 = 0 and from mfma 1 in
// lanes with n3 = 1. Which k position of the MFMA holds which k of the source is
// free (a gauge); the one with the cheapest conversions is taken.
//
// A conversion between two layouts of 32-bit words, 64 lanes each. For the word
// w and lane L of the destination, the source register r and lane l are
//
//    r = Q w + P L        l = U w + V L        (over F2)
//
// Choose T with N = U T + V invertible, and in step s let lane L receive the word
// s + T L. Then l = U s + N L, and the register to send depends on the sender
// alone: r = (Q + X U) s + X l with X = (Q T + P) N^-1. So each word costs one
// cross-lane read, a select before it and a select after it.
#pragma once

#include "device/Runtime.h"
#include "layout_port/layouts/F2.h"
#include "layout_port/layouts/Isa.h"
#include "layout_port/layouts/Result.h"
#include "ptx/decode/Mma.h"

#include <string>

namespace layout_port {

// One conversion, planned.
struct BridgeMove {
  int wordBits = 0, registerBits = 0;
  f2::Columns sendByStep;   // columns over s: register to send, at lane 0
  f2::Columns sendByLane;   // X: columns over the sender's lane bits
  f2::Columns readByStep;   // U: columns over s: lane to read from, at lane 0
  f2::Columns readByLane;   // N: columns over the receiver's lane bits
  f2::Columns storeByLane;  // T: word that step s fills is s ^ T L
  int selects() const;      // lane-dependent picks, before and after
};

// (register and lane of the source) as columns over word bits then lane bits of
// the destination; `registerBits` low bits of each column are the register.
Result<BridgeMove> planBridgeMove(const f2::Columns &source, int wordBits, int registerBits,
                              int laneBits);

// The runtime function lp::mma_<name> as a chunk. Errors: a shape or type that is
// not bridged, in one line. `halfWaveOnly` leaves the MFMA arm out, and
// the function is lp::mma_<name>_halves.
Result<RuntimeChunk> bridgeMma(const ptx::Mma &mma, bool halfWaveOnly = false);

// "mma_m16n8k16_f32_f16": the name of that function and chunk.
std::string bridgeName(const ptx::Mma &mma);

} // namespace layout_port
