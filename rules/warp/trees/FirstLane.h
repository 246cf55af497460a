// Who looks at the result of a tree that is right in lane 0 alone?
//
//   v = warpSum(v);                      v is right in lane 0
//   if (lane == 0) part[warp] = v;       lane 0 looks
//   v = tid < n ? part[lane] : 0;        v is another value from here on
//
// Values made of v count as v; a function that returns one is followed to its callers, a
// parameter that names the lane to what they pass.
#pragma once

#include "warp/trees/Steps.h"

#include "clang/AST/Decl.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

#include <functional>
#include <memory>
#include <set>

namespace layout_port::trees {

// A function's statements in the order of the text.
class Body {
public:
  explicit Body(const clang::FunctionDecl *function);

  const clang::FunctionDecl *function() const { return function_; }
  const clang::Stmt *parent(const clang::Stmt *stmt) const { return parents_.lookup(stmt); }
  bool holds(const clang::Stmt *outer, const clang::Stmt *inner) const;
  bool isBefore(const clang::Stmt *a, const clang::Stmt *b) const;
  const std::vector<const clang::DeclRefExpr *> &uses(const clang::VarDecl *variable) const;

  std::vector<const clang::CallExpr *> calls;
  std::vector<const clang::DeclRefExpr *> functions; // names of functions, called or not
  std::vector<const clang::CompoundStmt *> blocks;
  std::vector<const clang::ForStmt *> loops;
  std::vector<const clang::LambdaExpr *> lambdas;
  bool jumps = false; // goto: the order of the text is not that of the steps

private:
  friend class BodyReader;
  const clang::FunctionDecl *function_;
  llvm::DenseMap<const clang::Stmt *, const clang::Stmt *> parents_;
  llvm::DenseMap<const clang::Stmt *, std::pair<unsigned, unsigned>> spans_;
  llvm::DenseMap<const clang::VarDecl *, std::vector<const clang::DeclRefExpr *>> uses_;
};

// All functions of the translation unit that have a body; instantiations, not templates.
class Functions {
public:
  // `isOpen` says of a function that others than this unit may call it: it is in a header.
  Functions(clang::ASTContext &context, std::function<bool(const clang::FunctionDecl *)> isOpen);

  const std::vector<std::unique_ptr<Body>> &all() const { return all_; }

  // Is this the number of the thread in its warp?
  bool isLane(const clang::Expr *expr) const;

  // Why not lane 0 alone looks at `value` behind `tree`; empty if it does.
  std::string othersLook(const Body &body, const clang::VarDecl *value, const clang::Stmt *tree);

private:
  struct Call {
    const Body *body;
    const clang::CallExpr *call;
  };

  bool isLane(const clang::Expr *expr, unsigned depth) const;
  bool isLaneVariable(const clang::VarDecl *variable, unsigned depth) const;
  bool returnsLane(const clang::FunctionDecl *function, unsigned depth) const;
  bool isThread(const clang::Expr *expr) const;
  bool isFirstLane(const clang::Expr *condition) const;

  std::string usesOf(const Body &body, const clang::VarDecl *value, const clang::Stmt *from);
  bool isAskedOfFirst(const Body &body, const clang::Expr *use) const;
  std::string look(const Body &body, const clang::Expr *use);
  std::string callersLook(const clang::FunctionDecl *function);
  std::string become(const Body &body, const clang::VarDecl *target, const clang::Stmt *where);
  bool isOverwritten(const Body &body, const clang::VarDecl *value, const clang::Stmt *from,
                     const clang::Stmt *use) const;
  bool isCalledByAllSeen(const clang::FunctionDecl *function) const;

  clang::ASTContext &context_;
  std::function<bool(const clang::FunctionDecl *)> isOpen_;
  std::vector<std::unique_ptr<Body>> all_;
  llvm::DenseMap<const clang::FunctionDecl *, std::vector<Call>> callers_;
  llvm::DenseSet<const clang::FunctionDecl *> named_; // otherwise than called
  bool readsRows_ = false;                            // threadIdx.y or .z stands anywhere
  std::set<std::pair<const void *, const void *>> seen_;
};

} // namespace layout_port::trees
