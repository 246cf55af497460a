// A tile of eight by eight that movmatrix turns in registers:
//
//   lane l   row l / 4, columns l % 4 * 2 and + 1   ->   column l / 4, rows l % 4 * 2 and + 1
//
// What a lane has of the turned tile are halves of what two others had. Where that is a function of
// the lane (Gather.h), so is this; and what ldmatrix has read is what it reads with .trans, and the
// other way round.
#pragma once

#include "clang/AST/Expr.h"
#include "clang/AST/Stmt.h"

#include <optional>

namespace layout_port::native {

struct Turned {
  const clang::Expr *target = nullptr;           // null: it is a value
  const clang::Expr *value = nullptr;            // before it is turned
  const clang::FunctionDecl *function = nullptr; // that does; null: the asm itself
};

// asm("movmatrix... %0, %1;" : "=r"(target) : "r"(value))
std::optional<Turned> turnedBy(const clang::GCCAsmStmt &code);
// turned(value), of a function of the author's that does this and no more.
std::optional<Turned> turnedBy(const clang::Expr &call);

} // namespace layout_port::native
