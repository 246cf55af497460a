// What statements assign: variables, parts of them, and what references and pointers in view lead
// to.
#pragma once

#include "clang/AST/Decl.h"
#include "clang/AST/Stmt.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

#include <vector>

namespace layout_port::native {

struct Assigned {
  // As a whole, or some of a number's bytes.
  llvm::DenseSet<const clang::VarDecl *> changed;
  llvm::DenseMap<const clang::VarDecl *, std::vector<const clang::Stmt *>> values; // they are given
  llvm::DenseMap<const clang::VarDecl *, std::vector<clang::SourceLocation>> places; // where
  // Whose address is taken: who has it may write anything there.
  std::vector<const clang::VarDecl *> escaped;
  // What a lambda assigns of the function's around it: whenever it is called.
  std::vector<const clang::VarDecl *> byLambda;
  // Everything that is assigned, or a part of it.
  llvm::DenseSet<const clang::VarDecl *> touched;
};

// `entersLambdas`: where they are called, too.
Assigned assignedIn(const clang::Stmt &stmt, bool entersLambdas = false);

} // namespace layout_port::native
