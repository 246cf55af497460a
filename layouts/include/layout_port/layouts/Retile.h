// Retile: from the fragments of an mma.sync to those of an MFMA, without moving data.
//
// A kernel for warps of 32 has fragments over registers, 5 lane bits, loops over tiles,
// and, when two warps share a wave of 64, a pair bit h. An MFMA wants other bits of m,
// n and k in its lanes and elements. All of them are bits of the same logical
// matrices, so the question is only which bit goes where:
//
//   n: n0 n1 n2 | j0 j1 h        rows of v_mfma_f32_16x16x16_f16, operands swapped
//      own bits   spare bits     n0 n1 n2 j0      the others are loop bits: j1, h
//
//   swap    C^T = B^T A^T: B becomes the first operand, and each lane of the result owns
//           neighbouring columns instead of neighbouring rows
//   spare   loop bits over tiles (j, i), the pair bit and k steps (kk) fill the bits
//           that the MFMA has more than the mma.sync
//   gauge   the contraction index may be permuted alike in A and B: which k bits lie in
//           the lane's own elements, which in its lane number, which in the loop
//
// For each choice source^-1 o destination is the *virtual lane* map: for a destination
// element, lane and loop bit, the source register, lane, tile bits and half that owned
// it. Code that addresses memory by lane, warp, tile and register is re-evaluated there.
// So no instruction moves anything between lanes; solutions differ in MFMA clocks, in
// how wide operands can be read and results stored, and in registers.
#pragma once

#include "layout_port/layouts/Isa.h"
#include "layout_port/layouts/LinearLayout.h"
#include "layout_port/layouts/Result.h"

#include <string>
#include <vector>

namespace layout_port {

// Where the pair bit h lies: two warps with different columns of n (and the same A),
// with different rows of m (and the same B), or with nothing of either in common.
enum class PairBit : uint8_t { N, M, Shared };

struct RetileRequest {
  std::string mma; // any spelling that isa::findMatrixInstruction knows
  isa::Arch arch{};
  // Names of tile-loop bits above the instruction's own bits, low to high.
  std::vector<std::string> n, m, k;
  PairBit pair = PairBit::N;
  int limit = 256; // solutions that are wanted
};

// One of A, B, C. All layouts have one logical bit a dim's bit: out-dims of source and
// target are m, n or k, each with own bits, spare bits and then h where it lies there
// (and a dim h of its own for PairBit::Shared).
struct RetileOperand {
  LinearLayout source;      // register, lane, <spare bits>, h        -> logical
  LinearLayout target;      // element, lane, <loop bits>             -> logical
  LinearLayout virtualLane; // element, lane, <loop bits>  -> register, lane, <spare>, h
  int elementBits = 0;
  int accessBits = 0; // widest vector of neighbours a lane owns: k for A, B; n for C
  int accesses = 0;   // of that width, for all loop bits
  int registers = 0;  // 32-bit, to hold all of it at once
};

struct RetileCost {
  int mfmas = 0; // for all loop bits
  double mfmaClocks = 0;
  double readClocks = 0;  // ds_read of A and B, no conflicts
  double storeClocks = 0; // of C, as if to LDS; outside of the k loop
  int crossLaneMoves = 0; // by construction
  int registers = 0;
  // What solutions are ordered by: the k loop, then a small share of the epilogue.
  double total = 0;
};

struct RetileSolution {
  const isa::MatrixInstruction *instruction = nullptr;
  bool swap = false;
  // Logical bits in the order of the MFMA's own index bits, "pad" where none is left
  // (those rows or columns repeat others and are dropped), and the bits that remain.
  std::vector<std::string> m, n, k, loops;
  RetileOperand a, b, c;
  RetileCost cost;
};

// The solutions, best first; the order is the same in every run. Errors: not an
// mma.sync; no MFMA of this element type on this chip; names that repeat.
Result<std::vector<RetileSolution>> retile(const RetileRequest &request);

// The checker: multiplies matrices of labels. Every operand holds what its virtual place
// held, every product that the MFMAs make belongs to one result, and all products of the
// source are made, each once. Error: the first that is not so.
Result<bool> checkRetile(const RetileSolution &solution);

// How a sum or maximum over one logical dim of C is made: register bits and loop bits
// are combined in the lane, lane bits by XOR with the mask.
struct ReductionSteps {
  std::vector<int> elementBits, laneMasks;
  std::vector<std::string> loops;
};
ReductionSteps reductionOver(const LinearLayout &target, const std::string &dim);

} // namespace layout_port
