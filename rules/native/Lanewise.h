// Operands that every lane computes from values of its own, all lanes alike:
//
//   int q = packed[(k / 32 * N + n) * 4 + lane % 4];     // eight weights of four bits
//   for (int s = 0; s < 2; ++s, q >>= 8)
//     mma(a[s], dequant(q), c[j]);
//
// Between the read and the product no lane does what another does not. So a lane that is to
// have another one's operand need only begin with the other's value: the read is evaluated
// for that lane, where it stands, and the text behind it stays.
//
//   int q = lp::read_b([&](int lane, int, int j) { ...; return packed[...]; }, j);
//
// That holds when what is done on the way
//   - mentions nothing of the thread but values that begin so,
//   - stands under no condition on which the lanes of a wave disagree, nor do calls of the kernel's
//     lambdas, which are text of the kernel where nothing of the thread is handed to them,
//   - and when its values go nowhere but into operands.
#pragma once

#include "clang/AST/ASTContext.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/Stmt.h"

#include <functional>
#include <set>
#include <string>
#include <vector>

namespace layout_port::native {

struct Lanewise {
  // Of a branch or loop, with the statement that it decides about.
  struct Condition {
    const clang::Expr *value = nullptr;
    const clang::Stmt *owner = nullptr;
  };
  // An expression that makes a value from the thread's index, and the conditions around it,
  // those of loops too.
  struct Begin {
    const clang::Expr *value = nullptr;
    // That it is given to; null: a function is handed it, with what has begun already.
    const clang::VarDecl *target = nullptr;
    std::vector<Condition> conditions;
    const clang::LambdaExpr *lambda = nullptr; // of the kernel, where it stands in one
  };
  std::vector<Begin> begins;
  std::set<const clang::VarDecl *> variables; // that hold such values, or what is made of them
  // What else the operands depend on: values computed on the way, conditions around all.
  std::vector<const clang::Expr *> between;
  std::vector<Condition> conditions;
  std::vector<const clang::Stmt *> statements; // that give the variables their values
  std::string problem;                         // why not; empty when it holds
  const clang::Stmt *problemAt = nullptr;
};

struct LanewiseInput {
  const clang::ASTContext &context;
  const clang::Stmt *body = nullptr; // of the kernel
  std::function<bool(const clang::VarDecl *)> dependsOnThread;
  // A function's body that asks for the thread's index itself.
  std::function<bool(const clang::Stmt *)> readsThread;
  std::function<bool(const clang::Expr *)> isSameForWave;
  std::function<bool(const clang::Stmt *)> isSite; // matrix instructions, known elsewhere
  // Structs that a value reads and nothing changes.
  std::function<std::set<const clang::VarDecl *>(const clang::Expr &)> madeOnceIn;
};

// For operands that are these expressions of the kernel, nodes below its sites.
Lanewise followLanewise(const std::vector<const clang::Expr *> &operands,
                        const LanewiseInput &input);

} // namespace layout_port::native
