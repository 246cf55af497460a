// Numbers that host code launches kernels with, where they cannot be others.
//
//   const int n = 256; k<<<g, n, 4 * n>>>()       256 threads, 1024 bytes
//   dim3 block(32, 4); k<<<g, block>>>()          128 threads
//   dim3 block(32); if (big) block.y = 4; ...     not known
#pragma once

#include "clang/AST/ASTContext.h"
#include "clang/AST/Decl.h"
#include "clang/AST/Expr.h"

#include <map>
#include <optional>
#include <set>

namespace layout_port {

class HostConstants {
public:
  explicit HostConstants(const clang::ASTContext &context) : context_(context) {}

  // Of a whole number; through a variable that keeps what it was made with.
  std::optional<uint64_t> number(const clang::Expr *expr);
  // The function that a name, or a pointer that keeps what it was made with, stands for.
  const clang::FunctionDecl *function(const clang::Expr *expr);
  // x * y * z of a dim3 or a whole number.
  std::optional<uint64_t> volume(const clang::Expr *expr);
  // x of such.
  std::optional<uint64_t> row(const clang::Expr *expr);

private:
  std::optional<uint64_t> product(const clang::Expr *expr, unsigned sizes);
  const clang::Expr *source(const clang::Expr *expr);
  bool keepsItsValue(const clang::VarDecl *variable);

  const clang::ASTContext &context_;
  std::map<const clang::FunctionDecl *, std::set<const clang::VarDecl *>> changed_;
};

// Bytes of the variables that a function itself declares __shared__ with a size.
uint64_t staticSharedBytes(const clang::FunctionDecl *kernel, const clang::ASTContext &context);

} // namespace layout_port
