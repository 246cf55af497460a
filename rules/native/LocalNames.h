// What names mean at a place of a function, for text that is moved there.
//
//   const float hi = 1.f;
//   { C[at] = c[0] * hi; }                                     hi is the outer one,
//   { const float hi = bias[row]; C[at + 8 * N] = c[2] * hi; } and here the inner one
#pragma once

#include "clang/AST/ASTContext.h"
#include "clang/AST/Expr.h"

#include <functional>

namespace layout_port::native {

// The declaration within a function that the name means at `place`, which is its parameter at the
// outermost; null: it means none of the function's own.
const clang::NamedDecl *localNamed(llvm::StringRef name, const clang::Stmt &place,
                                   clang::ASTContext &context);

// Every name in the text of the expression, macros' names and types' among them, means the same at
// `place`; but those of variables that `isReplaced`.
bool meansTheSame(const clang::Expr &text, const clang::Stmt &place, clang::ASTContext &context,
                  const std::function<bool(const clang::VarDecl &)> &isReplaced);

} // namespace layout_port::native
