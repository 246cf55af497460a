// A conversion in PTX that sets a register of an operand:
//
//   asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(a[0]) : "f"(s[row][k]));
//
// is a value like a[0] = convert(s[row][k]), by the runtime's function (rules/convert/cvt).
// https://docs.nvidia.com/cuda/parallel-thread-execution/#data-movement-and-conversion-instructions-cvt
#pragma once

#include "clang/AST/Expr.h"
#include "clang/AST/Stmt.h"

#include <optional>
#include <string>

namespace layout_port::native {

struct Converted {
  const clang::Expr *target = nullptr;
  const clang::Expr *value = nullptr; // before it is converted
  std::string function;               // cvt_tf32_rna
};

// f32 to tf32 only: what else sets a word has two sources.
std::optional<Converted> convertedBy(const clang::GCCAsmStmt &code);

} // namespace layout_port::native
