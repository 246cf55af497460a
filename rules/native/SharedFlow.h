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
#include "clang/AST/Stmt.h"

#include <set>
#include <vector>

namespace layout_port::native {

// Whatever the kernel's body reads of a shared array stands behind a barrier from where `value` is
// written to it, each time. Not so where it cannot be told: nothing else may lead to the array.
bool isReadBehindBarrier(const clang::VarDecl &array, const clang::Expr &value,
                         const clang::Stmt &body);

// All threads of the block wait for each other in each turn: what one writes comes before what
// another does in the next, wherever that is.
bool waitsInTurns(const clang::ForStmt &loop);

// Memory, by the variable that leads to it and, of a struct, the member: sm.s[i], params.out[i].
struct Memory {
  const clang::VarDecl *root = nullptr;
  const clang::FieldDecl *member = nullptr;
  friend bool operator==(const Memory &a, const Memory &b) {
    return a.root == b.root && a.member == b.member;
  }
};
// `through`: pointers of the kernel's own on the way there, by what they are set to at first.
Memory memoryOf(const clang::Expr &place, std::vector<const clang::VarDecl *> *through = nullptr);

// `p` of shared32(p), where the function makes an address of its parameter and does no more.
const clang::Expr *sharedPointerIn(const clang::CallExpr &call);

// Whatever else the kernel's body does with the memory, by its name or by what is made of it
// (pointers, addresses, objects, lambdas), is parted by a barrier from where `write` writes to it,
// before and behind: other lanes may write in its stead. `beside`: writes that are known to go to
// other places; `addresses`: of such writes, too, by PTX, and named for nothing else. Of functions
// that get at it by themselves nothing is known. `isMatrix`: stmatrix writes, which CUDA does not
// order behind what its own lanes did before either; so a loop in front counts that waits in each
// of its turns, if it has any.
bool isWrittenApart(const Memory &memory, const clang::Expr &write,
                    const std::set<const clang::Expr *> &beside, const clang::Stmt &body,
                    const std::set<const clang::Expr *> &addresses = {}, bool isMatrix = false);

} // namespace layout_port::native
