// The matrix of a conversion: for each destination bit, where the source is.
//
// In-bits: destination slot bits, then thread bits (lane, warp, block). Columns are
// flattened source positions: slot bits lowest, then the same thread bits. So the
// four blocks of the drawing in Plan.h are bit ranges:
//
//               slot'   lane' warp'
//   slot       |  Q    |   P       |
//   lane       |  U    |   V       |
//   warp,block |       |           |  identity exactly when no wave needs another
#pragma once

#include "layout_port/layouts/Plan.h"

namespace layout_port::solve {

struct Conversion {
  int sourceSlotBits = 0, destSlotBits = 0;
  int laneBits = 0;  // of the wave
  int groupBits = 0; // warp and block bits above the lane
  f2::Columns columns;

  int threadBits() const { return laneBits + groupBits; }
  uint64_t slotPart(uint64_t position) const { return position & f2::lowMask(sourceSlotBits); }
  uint64_t threadPart(uint64_t position) const { return f2::shiftRight(position, sourceSlotBits); }
  uint64_t lanePart(uint64_t position) const {
    return threadPart(position) & f2::lowMask(laneBits);
  }
  uint64_t groupPart(uint64_t position) const {
    return f2::shiftRight(position, sourceSlotBits + laneBits);
  }
  uint64_t slotColumn(int bit) const { return columns[bit]; }
  uint64_t threadColumn(int bit) const { return columns[destSlotBits + bit]; }
  f2::Columns slotColumns() const;
  f2::Columns threadColumns() const;

  // What has to happen at all.
  bool staysInWave() const;
  bool staysInLane() const;
  bool isIdentity() const;
};

// One position in a layout: the same bits, whatever dims the layout has.
struct Positions {
  f2::Columns slots;    // logical (slot-wise) column of each slot bit
  f2::Columns threads;  // of each thread bit; 0 where the layout lacks the bit
  uint64_t present = 0; // thread bits that the layout has
};

// A layout with in-dims register, lane, warp, block as positions. Slots: an element of
// more than 32 bits counts as several, the lowest logical bits say which.
struct Shape {
  int laneBits = 0, warpBits = 0, blockBits = 0;
  int halfBits = 0; // log2 of slots an element
};
Positions positionsOf(const LinearLayout &layout, const Shape &shape);

// src^-1 o dst, reading from the own thread where it can, then from the own wave.
Result<Conversion> conversionOf(const LinearLayout &src, const LinearLayout &dst,
                                const Shape &shape);

} // namespace layout_port::solve
