// Sums of the rows of a first operand, by an mma with constants of which one column is kept:
//
//   asm("{ .reg .f32 ph;\n"
//       "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
//       "{%0, ph, %1, ph}, {%2, %3, %4, %5}, {%6, %7}, {%8, 0., %9, 0.}; }"
//       : "=f"(d[0]), "=f"(d[1])
//       : "r"(p[0]), "r"(p[1]), "r"(p[2]), "r"(p[3]), "r"(0x3c003c00), "r"(0x3c003c00),
//         "f"(d[0]), "f"(d[1]));
//
//   d[0] += sum over k of p[row][k] * w[k],   d[1]: of row + 8
//
// The denominators of FlashInfer's and SageAttention's attention. All columns of the result are
// equal, so the four lanes of a row have the same two values: no tile, but values of rows.
#pragma once

#include "ptx/Types.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/Expr.h"
#include "clang/AST/Stmt.h"

#include <array>
#include <cstdint>
#include <optional>

namespace layout_port::native {

struct RowSums {
  ptx::Type type = ptx::Type::F16;                  // of the operands: f16 or bf16
  std::array<const clang::Expr *, 2> sums{};        // of row r, and of row r + 8
  std::array<const clang::Expr *, 4> first{};       // registers of operand A
  std::array<uint32_t, 2> weights{};                // of operand B, the same in all lanes
  std::array<const clang::Expr *, 2> saidWeights{}; // the author's words; null: the asm's
};

// None: it is any other asm.
std::optional<RowSums> rowSumsOf(const clang::GCCAsmStmt &stmt, const clang::ASTContext &context);

} // namespace layout_port::native
