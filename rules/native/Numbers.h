// Integers as C++ computes them on a GPU, in 64 bits: sign-extended where their type is
// signed, zero-extended where it is not.
#pragma once

#include "clang/AST/ASTContext.h"
#include "clang/AST/Expr.h"

#include <cstdint>
#include <optional>

namespace layout_port::native {

// `value` as the type holds it; other types than integers leave it as it is.
uint64_t fitted(uint64_t value, clang::QualType type, const clang::ASTContext &context);

// a op b. None: division by zero, or an operator that is none of two integers.
std::optional<uint64_t> applyBinary(clang::BinaryOperatorKind op, bool isSigned, uint64_t a,
                                    uint64_t b);

// Numbers that are as good as random, and the same in every run.
uint64_t mixed(uint64_t x);

} // namespace layout_port::native
