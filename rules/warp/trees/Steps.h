// One step of a reduction or scan, `v = v op moved`, and how far the steps of a loop go.
#pragma once

#include "clang/AST/ASTContext.h"
#include "clang/AST/Expr.h"
#include "clang/AST/Stmt.h"
#include "llvm/ADT/ArrayRef.h"

#include <optional>
#include <string>
#include <vector>

namespace layout_port::trees {

enum class Move { Xor, Down, Up };

struct Step {
  const clang::CallExpr *shuffle = nullptr;
  Move move = Move::Xor;
  const clang::Expr *value = nullptr; // v: a variable, an element or member of one
  const clang::VarDecl *base = nullptr;
  const clang::Expr *lanes = nullptr;    // how far
  const clang::Expr *guard = nullptr;    // of a scan: who adds
  const clang::VarDecl *moved = nullptr; // the variable that holds what came, if one does
  std::string neutral; // x op neutral = x: "0", "-0.0f", "1"; "=" where x op x = x; or none
  bool exact = false;  // the order of a, b, c changes no bit of a op b op c
  llvm::ArrayRef<const clang::Stmt *> statements;
};

// The step that begins at statement `first`; its statements are one to three.
std::optional<Step> stepAt(llvm::ArrayRef<const clang::Stmt *> statements, size_t first,
                           const clang::ASTContext &context);

// The values of `expr` in the trips of a loop over one variable, at most nine; none where
// that cannot be seen. Without a loop: its constant value.
std::vector<int64_t> valuesIn(const clang::ForStmt *loop, const clang::Expr *expr,
                              const clang::ASTContext &context);

// The variable that the head of a loop counts; null if there is not exactly one.
const clang::VarDecl *counterOf(const clang::ForStmt *loop);

// The statements of a block, or the one statement that stands for it.
std::vector<const clang::Stmt *> statementsOf(const clang::Stmt *body);

bool mentions(const clang::Stmt *stmt, const clang::VarDecl *variable);
bool isSame(const clang::Expr *a, const clang::Expr *b, const clang::ASTContext &context);

// Does `a` certainly name other memory than `b`?
bool isApart(const clang::Expr *a, const clang::Expr *b, const clang::ASTContext &context);

// Is the first argument of this shuffle the constant of all lanes, and its width 32?
bool takesAllLanes(const clang::CallExpr *shuffle, const clang::ASTContext &context);

// A constant of the program, or a variable that is one: `unsigned full = 0xffffffff;`
std::optional<int64_t> constantOf(const clang::Expr *expr, const clang::ASTContext &context);

// Is this variable only read, after its initializer? `writer`, if it is asked for, becomes
// the asm statement that alone writes it.
bool isOnlyRead(const clang::VarDecl *variable, const clang::GCCAsmStmt **writer = nullptr);

const clang::Expr *plain(const clang::Expr *expr); // without parentheses, casts, copies

} // namespace layout_port::trees
