// Operands that a kernel puts together itself, register by register, with plain loads and
// arithmetic at addresses made from lane / 4 and lane % 4:
//
//   a[i][0] = word(p);                 for (int r = 0; r < 4; ++r)
//   a[i][1] = word(p + 8 * ld);          a[i][r] = word(p + r % 2 * 8 * ld + r / 2 * 8);
//   ...
//                                      for (int h = 0; h < 2; ++h)
//                                        for (int q = 0; q < 2; ++q)
//                                          a[i][q * 2 + h] = word(p + h * 8 * ld + q * 8);
//
// The values are functions of (lane, warp, register), free of effects: so any lane can
// compute the register of another one. Here the statements are found and the values
// judged; Recover makes functions of them.
#pragma once

#include "clang/AST/ASTContext.h"
#include "clang/AST/Stmt.h"
#include "llvm/ADT/ArrayRef.h"

#include <set>
#include <string>
#include <vector>

namespace layout_port::native {

// Statements that follow each other and write elements of one local array, or scalars.
struct Filling {
  struct Store {
    const clang::Stmt *statement = nullptr;
    const clang::Expr *target = nullptr; // null: element number `element` of `declared`
    const clang::Expr *value = nullptr;
    int element = 0;
    const clang::VarDecl *scalar = nullptr; // a variable of its own, assigned or declared so
    std::string member = {};                // ".x" of the vector that the target is
    bool isOfVector = false;                // the value is a vector: its member of that name
    bool isTurned = false; // movmatrix turns the value (Turned.h), in that function or in an asm
    const clang::FunctionDecl *turner = nullptr;
    std::string through = {}; // the runtime's function that converts the value (Converted.h)
  };
  std::vector<Store> stores;
  // Loops over the registers, outermost first: register number = the sum of stride * counter, and
  // of storeStride * the store's number. Every number below count() is met once.
  struct Counter {
    const clang::VarDecl *variable = nullptr;
    int64_t extent = 0, stride = 0;
  };
  std::vector<Counter> nest;
  int64_t storeStride = 0;     // of several stores in the innermost body
  size_t part = 0, parts = 1;  // of loops that fill several variables at once: one filling each
  bool isBehindOthers = false; // the element's number is that register's behind other tiles
  int64_t count() const;
  // Of register `r`.
  int64_t digitOf(const Counter &counter, int64_t r) const {
    return r / counter.stride % counter.extent;
  }
  size_t storeOf(int64_t r) const {
    return storeStride ? static_cast<size_t>(r / storeStride) % stores.size() : 0;
  }
  bool hasPragma = false; // #pragma unroll stands above the loop
  // T x[n] = {...}: the declaration.
  const clang::VarDecl *declared = nullptr;
  // Of the loops' bodies, in front of the stores. Where some are changed there, `steps` are all the
  // statements that make and change them, in order; some may be under an `if`.
  std::vector<const clang::VarDecl *> locals;
  std::vector<const clang::Stmt *> steps;
  // Of registers that are set under conditions (Guarded.h), all the statements, in order.
  std::vector<const clang::Stmt *> run;
  bool isRunApart = false; // declarations stand between those
  bool isOfScalars() const { return stores[0].scalar != nullptr; }
};

// What a statement sets: an element, or scalars, or one constant for several: x[0] = x[1] = 0. None
// where it does something else.
std::vector<Filling::Store> storesOf(const clang::Stmt *stmt, const clang::ASTContext &context);
// The array that a store fills an element of: its variable, and the members on the way there.
std::vector<const clang::Decl *> arrayFilledBy(const clang::Expr *target);
// for (int r = 0; r < count; ++r) x[r] = constant;  of all elements of x: the constant, or null.
const clang::Expr *filledWith(const clang::ForStmt &loop, const clang::VarDecl &array,
                              const clang::ASTContext &context);

// x = value; x += value;  of a variable.
struct LocalChange {
  const clang::VarDecl *local = nullptr;
  const clang::Expr *value = nullptr;
  llvm::StringRef op;
};
std::optional<LocalChange> changeOf(const clang::Stmt *stmt);
// Of an `if`, what its arms change; nothing where they do anything else.
std::vector<LocalChange> changesIn(const clang::Stmt *step);
// The statements of an arm.
std::vector<const clang::Stmt *> statementsOf(const clang::Stmt *arm);

std::vector<Filling> fillingsOf(llvm::ArrayRef<const clang::Stmt *> statements,
                                const clang::ASTContext &context);

// The variable whose element `target` is; null when it is not one.
const clang::VarDecl *variableOf(const clang::Expr *target);

// Why a value may not be computed by another lane, at the same place; empty when it may. `made`:
// variables that are made anew for that lane. `ofMethod`: members of its object are, too.
std::string obstacleTo(const clang::Expr *value, const clang::ASTContext &context,
                       const std::set<const clang::VarDecl *> *made = nullptr,
                       bool ofMethod = false);

// The same of a value that every lane goes on computing for itself, from registers of its own
// into registers of its own (Lanewise.h).
std::string obstacleOnTheWay(const clang::Expr *value, const clang::ASTContext &context);
std::string obstacleInAsm(const clang::GCCAsmStmt &stmt);

} // namespace layout_port::native
