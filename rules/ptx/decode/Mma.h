// mma.sync: D = A * B + C by one warp.
//
//   mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {d}, {a}, {b}, {c};
//                    shape    A   B   D   A   B   C
//
// https://docs.nvidia.com/cuda/parallel-thread-execution/#warp-level-matrix-instructions-mma
#pragma once

#include "ptx/Ast.h"
#include "ptx/Outcome.h"
#include "ptx/Types.h"
#include "ptx/decode/Common.h"

#include <vector>

namespace layout_port::ptx {

enum class MatrixOrder { Row, Col };

struct Mma {
  unsigned m = 0, n = 0, k = 0;
  unsigned blocks = 1; // independent products: 4 for m8n8k4.f16, else 1
  MatrixOrder orderA = MatrixOrder::Row;
  MatrixOrder orderB = MatrixOrder::Col;
  Type typeD = Type::F32, typeA = Type::F16, typeB = Type::F16, typeC = Type::F32;
  bool satfinite = false;
  Rounding rounding = Rounding::None; // only f64 names one

  // "mma.m16n8k16.bf16", "mma.m16n8k32.s8.u8" where A and B differ,
  // "mma.m8n8k4.f16.row.col.f32" where layouts and accumulator matter.
  std::string name;
  // The row of the layouts library with its fragments: "mma.m16n8k16.f16".
  std::string fragment;

  // One entry a register; they point into the Instruction. Registers have 32
  // bits, or 64 for f64.
  std::vector<const Operand *> d, a, b, c;
};

Outcome<Mma> decodeMma(const Instruction &instruction);

} // namespace layout_port::ptx
