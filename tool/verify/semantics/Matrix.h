// Matrix instructions of all vendors, by the layouts of layouts/isa.
//
//   D(m, n) = C(m, n) + sum over k of A(m, k) * B(k, n)
//
// A plan holds, for each operand, its registers and a table from (element, lane)
// to a place in the matrix, made once from isa::coordOf. Running it is: collect A,
// B and C into matrices, multiply, and spread D over lanes.
#pragma once

#include "decode/Decoder.h"
#include "layout_port/layouts/Isa.h"
#include "machine/Wave.h"

namespace layout_port::verify {

struct MatrixElement {
  FloatFormat format = FloatFormat::None; // None: integers
  unsigned bits = 32;
  bool isSigned = true;
  bool truncateToTf32 = false;
};

struct MatrixOperand {
  std::vector<Reg> regs;
  unsigned regBits = 32; // of one register; elements are packed low bits first
  unsigned elements = 0; // a lane
  MatrixElement element;
  std::vector<uint16_t> place; // [element * lanes + lane] -> index into the matrix
  // Modifiers of MFMA: the lane whose register is read in this one's place (blgp), and
  // the block that is read in this one's place (cbsz, abid). Empty: one's own.
  std::vector<uint8_t> laneFrom, blockFrom;
  std::vector<uint32_t> offset; // in matrix order: the element's byte in the register file
};

// A factor 2^(x - 127) for each row (A) or column (B) and `depth` neighbouring k: x is
// byte `byte` of `reg` in lane (k / depth) * side + row.
struct BlockScale {
  Reg reg;
  unsigned byte = 0, depth = 32;
  bool present = false;
};

struct MatrixPlan {
  unsigned m = 0, n = 0, k = 0, blocks = 1;
  MatrixOperand a, b, c, d;
  bool saturate = false;
  bool xorBits = false; // single bits: exclusive or in the place of the product
  bool negateA = false, negateB = false, negateC = false; // f64 MFMA
  BlockScale scaleA, scaleB;                              // f8f6f4 MFMA
  bool plain = false; // no modifiers, and every operand has its `offset`
};
void runMatrix(Wave &wave, const Op &op);
// To be called when the plan is complete: finds out whether it is `plain`.
void preparePlain(MatrixPlan &plan, unsigned lanes);

// Emits the multiplication described by a row; operands are in the order of the
// row's registers. The element types come with the instruction, not the row, since
// several share a layout.
struct MatrixCall {
  const isa::MatrixInstruction *row = nullptr;
  // Rows of operands that lie otherwise than `row` says: f8f6f4 mixes widths, m8n8k4
  // takes an f16 C for an f32 D.
  const isa::MatrixInstruction *rowA = nullptr, *rowB = nullptr, *rowC = nullptr;
  Regs a, b, c, d;
  unsigned bitsA = 32, bitsB = 32, bitsC = 32, bitsD = 32; // of one register
  MatrixElement elementA, elementB, elementC, elementD;
  bool saturate = false, negateA = false, negateB = false, negateC = false;
  unsigned broadcastSize = 0, broadcastBlock = 0, lanePattern = 0; // cbsz, abid, blgp
  BlockScale scaleA, scaleB;
};
void emitMatrix(Decoder &decoder, const MatrixCall &call);

MatrixElement matrixElement(isa::ElementType type, bool fnuz);

// ldmatrix and stmatrix: Op::a is the row address; tiles of 8x8 16-bit elements.
struct MatrixMovePlan {
  std::vector<Reg> regs; // one a tile
  Space space = Space::Shared;
  bool narrow = true;
  bool store = false;
  // [element * 32 + lane] -> the lane that holds the row's address, the byte in the row
  struct Place {
    uint8_t row, byte;
  };
  std::vector<Place> place;
};
void runMatrixMove(Wave &wave, const Op &op);
bool emitMatrixMove(Decoder &decoder, llvm::StringRef rowName, llvm::ArrayRef<Reg> regs,
                    Reg address, Space space, bool narrow, bool store);
// movmatrix: Op::a to Op::dst, transposed.
void runMatrixTranspose(Wave &wave, const Op &op);

} // namespace layout_port::verify
