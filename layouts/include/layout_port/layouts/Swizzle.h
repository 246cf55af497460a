// Swizzle: where in LDS each element of a tile goes, so that the wave that writes it
// and the wave that reads it both move wide vectors without bank conflicts.
//
// The unknown is an invertible F2 matrix M from the offset (in elements) to the logical
// element. Its columns, low offset bits to high:
//
//        | vector bits | rest of the | bank bits |  row bits     |
//   M =  |   V         |  word       |           |    Z          |
//
//   wide      V: an access moves 2^v consecutive elements, so the lowest v columns lie
//             in the span of the registers of that side. The narrower side's vector is
//             part of the wider one's: both sides share the low bits.
//   no        Two elements of one phase meet in a bank and differ in the row exactly
//   conflict  if their difference is in Z. A phase touches the subspace A = V + word +
//             (lanes of the phase), so Z must meet A(write) and A(read) in 0 only.
//
// A phase never touches more words than there are banks, so dim A <= vector + bank bits,
// and a Z of the right size that avoids both exists always: a common complement,
//
//   A(write) = W + <u_i>, A(read) = W + <v_i>:   Z = < u_i ^ v_i > + rest
//
// which is the familiar XOR of row bits onto bank bits, found rather than searched.
//
// The lower bound: a phase that touches 2^n different elements of b bits needs
// at least 2^n b / (32 banks) passes in any layout, and one if it is active at all.
#pragma once

#include "layout_port/layouts/Isa.h"
#include "layout_port/layouts/LinearLayout.h"
#include "layout_port/layouts/Result.h"

#include <optional>
#include <string>

namespace layout_port {

struct SwizzleOptions {
  // Bits a lane moves with one instruction; absent: the widest that serves best.
  std::optional<int> writeVectorBits, readVectorBits;
  // The tile's LDS may not be larger; absent: what the chip has.
  std::optional<int> ldsBytes;
  // Writes come from global_load_lds: each wave's instruction fills one contiguous
  // piece of LDS. Which lane fetches what is then part of the answer (`source`).
  bool contiguousWrites = false;
};

// One side's access: one instruction of one wave.
struct SwizzleAccess {
  std::string instruction; // "ds_write_b128", "global_load_lds_b32"
  int vectorBits = 0;
  int instructions = 0; // of a wave, for all its registers
  int passes = 0;       // of one instruction, summed over its phases
  int lowerBound = 0;   // of the same, in any layout of this vector width
  isa::Confidence confidence{};
};

struct SwizzleSolution {
  LinearLayout memory; // offset -> the logical dims
  SwizzleAccess write, read;
  // Who writes what: `src`, or with contiguousWrites its elements dealt out anew.
  LinearLayout source;

  int lowerBound() const { return write.lowerBound + read.lowerBound; }
};

// src writes (register, lane, warp -> logical), dst reads. Both have the same out-dims.
// Errors: a chip without LDS rows; a width that the registers do not hold; elements of
// less than a byte that are never neighbours in a register on both sides; a tile that
// does not fit.
Result<SwizzleSolution> solveSwizzle(const LinearLayout &src, const LinearLayout &dst,
                                     int elementBits, isa::Arch arch,
                                     const SwizzleOptions &options = {});

// What a given memory layout costs: the widest vectors that it allows (or those asked
// for), and passes counted over the phases. Error: memory is not invertible; a width
// it does not allow.
Result<SwizzleSolution> priceMemoryLayout(const LinearLayout &memory, const LinearLayout &src,
                                          const LinearLayout &dst, int elementBits, isa::Arch arch,
                                          const SwizzleOptions &options = {});

// The checker: bijective; every vector is one lane's; passes counted by enumeration of
// all lanes of every instruction (Banks.h); bounds recounted. Error: what is wrong.
Result<bool> checkSwizzle(const SwizzleSolution &solution, const LinearLayout &src,
                          const LinearLayout &dst, int elementBits, isa::Arch arch);

} // namespace layout_port
