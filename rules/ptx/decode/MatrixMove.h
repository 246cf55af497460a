// ldmatrix, stmatrix: eight-by-eight tiles of 16-bit elements between shared
// memory and registers; movmatrix: one such tile transposed in registers.
//
// Lane 8*t + r gives the address of row r of tile t (16 bytes). Lane l then holds
// the elements (l/4, 2*(l%4)) and (l/4, 2*(l%4)+1) of each tile, or with .trans
// the elements (2*(l%4), l/4) and (2*(l%4)+1, l/4).
//
// https://docs.nvidia.com/cuda/parallel-thread-execution/#warp-level-matrix-instructions-ldmatrix
#pragma once

#include "ptx/Ast.h"
#include "ptx/Outcome.h"
#include "ptx/decode/Common.h"

#include <vector>

namespace layout_port::ptx {

struct MatrixMove {
  enum class Kind { Load, Store, Transpose };
  Kind kind = Kind::Load;
  unsigned tiles = 1; // 1, 2 or 4
  bool transposed = false;
  Space space = Space::Generic; // Generic or Shared

  std::vector<const Operand *> registers; // one a tile; destinations of Load and Transpose
  const Operand *address = nullptr;       // Load, Store
  const Operand *source = nullptr;        // Transpose

  // "ldmatrix.m8n8.x4.trans.b16", whatever the order in the source.
  std::string name;
};

// Any of the three.
Outcome<MatrixMove> decodeMatrixMove(const Instruction &instruction);

} // namespace layout_port::ptx
