// Which MFMA computes one mma.sync of both warps of a wave, and how the fragments
// get there and back.
//
// A wave hosts two warps, h = 0 and 1, each with its own product D_h = A_h B_h. B of
// both warps lies side by side in the MFMA's first operand (n and h are its 16 rows),
// A is the second operand, so the result is transposed. What keeps the warps apart
// depends on where there is room:
//
//   Columns   m has 8 rows: A of both warps fills the 16 columns. Of the four blocks
//             of the result, the two on the diagonal are wanted. One MFMA.
//
//                   A_0   A_1
//              B_0  D_0    ·
//              B_1   ·    D_1
//
//   Depth     the MFMA's k is longer: its upper half belongs to warp 1, and B is
//             zero where row and k are not of one warp. One MFMA.
//
//                        k of A_0, k of A_1        (columns: m)
//              B_0       B_0        0         ──▶  D_0
//              B_1        0        B_1        ──▶  D_1
//
//   Merge     neither: an MFMA a warp, and each lane takes what is its own.
//
//                   A_0                     A_1
//              B_0  D_0             B_0      ·
//              B_1   ·              B_1     D_1
//
// A longer k of the source is a chain of MFMAs. Which k of the MFMA holds which k of
// the source, and which of its 16 rows hold h, is free (a gauge): the assignment with
// the cheapest conversions is taken.
#pragma once

#include "layout_port/layouts/Isa.h"
#include "layout_port/layouts/Result.h"
#include "ptx/decode/Mma.h"
#include "tensor/mma/Move.h"
#include "tensor/mma/Numbers.h"

#include <vector>

namespace layout_port {

enum class Sharing { Columns, Depth, Merge };

struct Bridge {
  const isa::MatrixInstruction *mfma = nullptr;
  const OperandNumbers *a = nullptr, *b = nullptr; // of the source's A and B
  std::vector<isa::Arch> archs;                    // the chips it serves
  Sharing sharing = Sharing::Merge;
  int spareBits = 0; // the MFMA's k is 2^spareBits times the source's
  int stepBits = 0;  // 2^stepBits MFMAs make one source k
  BridgeMove moveA, moveB, moveD;
  // Where h lies in the first operand's input (a lane bit) and in the result: an
  // element bit, or (from 4 on, less the element bits) a lane bit.
  int inputLaneBit = 0;
  bool resultInElement = false;
  int resultBit = 0;

  int mfmas() const { return (sharing == Sharing::Merge ? 2 : 1) << stepBits; }
};

// The ways for gfx90a, gfx942 and gfx950: one that serves all of them if there is
// one, unless a chip's own is more than twice as fast. Together they serve each chip
// once; the last is the oldest chip's.
Result<std::vector<Bridge>> planBridges(const ptx::Mma &mma, const isa::MatrixInstruction &source);

// Where an operand holds (row, column, block): elements in the low bits of the
// answer, lanes above.
struct Holder {
  int elementBits = 0;
  LinearLayout inverse;

  uint64_t at(uint64_t row, uint64_t col, uint64_t block = 0) const;
};
Result<Holder> holderOf(const isa::MatrixInstruction &instruction, char operand);

} // namespace layout_port
