// Which fragment a piece of the author's code names. One variable may hold several, and a
// tile's registers may be the members of a vector instead of the elements of an array:
//
//   struct F { unsigned a[2][4]; float c[2][4]; } f;   f.a and f.c are two fragments
//   struct R { unsigned a[4], b[2]; } r[2];            r[i].a and r[i].b likewise
//   float4 acc[8];                                     acc[j].y is register 1 of tile j
#pragma once

#include "clang/AST/ASTContext.h"
#include "clang/AST/Expr.h"

#include <optional>
#include <string>

namespace layout_port::native {

// A struct whose members are told apart: any that is no vector; and arrays of those that have
// several.
bool hasParts(clang::QualType type, const clang::ASTContext &context);

// A struct of 2, 4, 8... scalars of four bytes and of one type, like float4: the type, and
// how many.
struct Vector {
  clang::QualType element;
  int count = 0;
};
std::optional<Vector> vectorOf(clang::QualType type, const clang::ASTContext &context);

// The same of a struct of such vectors, struct { float2 top, bottom; }: one tile, whose words are
// those of all.
std::optional<Vector> vectorsOf(clang::QualType type, const clang::ASTContext &context);

// struct { unsigned r[4]; }: words, or vectors of them, that are the struct, and nothing else.
bool isArrayAlone(clang::QualType type, const clang::ASTContext &context);

// A struct that holds more than one member, or an array of such, or a struct in a struct.
bool hasSeveralParts(clang::QualType type, const clang::ASTContext &context);

// The member's place among its struct's.
int numberOf(const clang::FieldDecl &member);

// Tells fragments apart: the place of the variable's declaration, and above it that of the
// part's (null: the variable as a whole). The same in every run.
uint64_t fragmentOf(const clang::VarDecl &root, const clang::FieldDecl *part);
bool isFragmentOf(const clang::VarDecl &root, uint64_t fragment);

// The part of the variable that stands at this mention: f in `f.c[i][j]` is followed by c.
// Null for a mention of the whole, and where the variable has no parts.
const clang::FieldDecl *partNamed(const clang::DeclRefExpr &name, clang::ASTContext &context);

} // namespace layout_port::native
