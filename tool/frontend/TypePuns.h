// Memory of one type that device code reads as another: `*(unsigned *)&f[0]` of floats.
//
// CUDA programs take it for what it says, and hundreds of kernels pack registers so. For clang the two
// types are different memory: at -O3 it may move the read before the write. The port cannot
// say so in the text; the report does, and names the flag.
#pragma once

#include "clang/AST/Expr.h"

#include <string>

namespace layout_port {

// "float as unsigned int", where `cast` turns a pointer or a place of one type into another of a
// type that clang's type-based alias analysis (clang/lib/CodeGen/CodeGenTBAA.cpp) takes for
// different memory. Empty where it does not: bytes, the same type in a struct, either sign, HIP's
// unions.
std::string typePun(const clang::CastExpr *cast, const clang::ASTContext &context);

} // namespace layout_port
