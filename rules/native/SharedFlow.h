// Values that go through shared memory.
//
//   S[row][col] = d[e] * scale;        results, of this thread
//   __syncthreads();
//   x = S[r][c];                       memory: any lane may read it
//
// Behind a barrier it is memory like other: who is asked for it reads it. Without one a thread may
// count on what it wrote itself, and another lane must not.
#pragma once

#include "clang/AST/Expr.h"

namespace layout_port::native {

// Whatever the kernel's body reads of a shared array stands behind a barrier from where `value` is
// written to it, each time. Not so where it cannot be told: nothing else may lead to the array.
bool isReadBehindBarrier(const clang::VarDecl &array, const clang::Expr &value,
                         const clang::Stmt &body);

} // namespace layout_port::native
