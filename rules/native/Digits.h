// One loop over tiles of two dimensions:
//
//   for (int t = 0; t < 4; ++t)
//     mma(acc[t / 2][t % 2], a[t / 2], b[t % 2]);
//
// is two, as far as its products are concerned, over the digits of t:
//
//   for (t / 2 = 0, 1)
//     for (t % 2 = 0, 1) ...
//
// It is so where t runs from 0 on by one through all numbers of two such digits, and nothing but
// digits of it is named. The text stays; an index names a digit as the author does.
#pragma once

#include "native/FragmentProgram.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/Stmt.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace layout_port::native {

// t / 2 or t % 2, of a number that is not negative.
std::string digitName(llvm::StringRef variable, int64_t by, bool isRest);

// The number that the counter of a loop is divided by wherever the body names it; 0: it is not so.
int64_t digitsIn(const clang::ForStmt &loop, const clang::VarDecl &counter,
                 const clang::ASTContext &context);

// The innermost of the loops that has the variable's name for its counter; null: none.
const Loop *loopCountedBy(const std::vector<Loop> &loops, const clang::VarDecl &variable);

// Of an expression that is such a digit.
bool takeDigit(const clang::Expr *expr, const std::vector<Loop> &loops,
               const clang::ASTContext &context, Index &index);

// The loop of whose counter the index is the lower digit; null: it is none.
const Loop *lowerDigitOf(const std::vector<Loop> &loops, const Index &index);

// A loop within one over rows, which counts the registers of a row:
//
//   for (int h = 0; h < 2; ++h)
//     for (int e = 2 * h; e < 2 * h + 2; ++e)
//       if (j * 8 + lane % 4 * 2 + (e & 1) > row) s[j][e] = -INFINITY;
//
// What its body says of the counter, but for numbers of registers, is a rest that does not depend
// on any of `outer`, the counters around that it begins with.
bool namesOnlyRest(const clang::VarDecl &counter, const std::set<std::string> &outer,
                   clang::ASTContext &context,
                   llvm::function_ref<bool(const clang::VarDecl &)> isFragment);

// Loops around the product become two where its slots name such digits.
void splitTurns(MmaSite &mma);

} // namespace layout_port::native
