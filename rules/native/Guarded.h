// Registers that are set where a condition of the thread holds, and are something else where not:
//
//   uint32_t a[4] = {};
//   if (row < M) {
//     a[0] = word(p);                  a[r] = r == 0 ? row < M ? word(p) : 0
//     a[2] = word(p + 8);                   : r == 1 ? row + 8 < M ? word(q) : 0 ...
//   }
//   if (row + 8 < M) {
//     a[1] = word(q);
//     ...
//
// What a register has behind these statements is a function of the lane like one that is set once
// (Gather.h): a choice, whose conditions and values stand in the author's text, though the choice
// itself does not.
#pragma once

#include "native/Gather.h"

namespace layout_port::native {

// Statements of one block that set registers, some of them under conditions: by what each register
// has behind the last of them. One filling an array.
struct GuardedRun {
  std::vector<Filling> fillings;
  std::vector<const clang::IfStmt *> branches;
  std::vector<const clang::Stmt *> within; // that set registers in those
  // What is set together: in each arm of those, and between them and declarations.
  std::vector<std::vector<Filling::Store>> pieces;
};
std::vector<GuardedRun> guardedRunsOf(llvm::ArrayRef<const clang::Stmt *> statements,
                                      const clang::ASTContext &context);

// Of a loop's body: the stores to each array, none where something else is done, too; and what its
// branches declare. `before`: what stands in front of the loop.
struct GuardedBody {
  std::vector<std::vector<Filling::Store>> arrays;
  std::vector<const clang::VarDecl *> locals;
};
GuardedBody guardedBody(const std::vector<const clang::Stmt *> &body,
                        llvm::ArrayRef<const clang::Stmt *> before,
                        const clang::ASTContext &context);

// A choice that was made here: it has no place in the author's text.
const clang::ConditionalOperator *madeChoice(const clang::Expr &value);

} // namespace layout_port::native
