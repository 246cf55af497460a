// Tiles that a loop goes over in another order than it counts:
//
//   for (int m = 0; m < 2; ++m)
//     for (int n = 0; n < 4; ++n) {
//       const int nn = m & 1 ? 3 - n : n;      // serpentine: 0 1 2 3, 3 2 1 0
//       mma(acc[m][nn], a[m], b[nn]);
//     }
//
// Each turn of the loop over m has every number nn once. As far as its products are concerned the
// loop is one over nn, where nothing but products is in it.
#pragma once

#include "clang/AST/ASTContext.h"
#include "clang/AST/Stmt.h"

#include <optional>
#include <vector>

namespace layout_port::native {

// A variable that is each number below `turns` once while `loop` runs, for any numbers that the
// counters of the loops around have. All of the loop's body is run in each turn, and says nothing
// else of the counter.
struct Reordered {
  const clang::VarDecl *variable = nullptr, *counter = nullptr;
  const clang::ForStmt *loop = nullptr; // whose body declares it
  int64_t turns = 0;
  std::vector<const clang::VarDecl *> others; // counters of loops around that it is made from
};

// None: it is not so, or its value is made of anything but counters and constants. What is written
// to the variable behind its declaration is the caller's to ask.
std::optional<Reordered> reorderedBy(const clang::VarDecl &variable, clang::ASTContext &context);

} // namespace layout_port::native
