// Values that the rows of an accumulator have when its epilogue begins: a maximum, a sum, what
// was computed from those. Each thread of CUDA keeps one for row r and one for row r + 8,
//
//   float l[2];                    l[r], l[e >> 1], with counters r, e of known loops
//   struct { float m, l; } at[2];  at[r].m
//   float l0, l1;
//   struct Row top, bottom;        top.m, bottom.m
//   float2 l;                      l.x, l.y
//
// and each lane of the port one for either warp of the wave (Exchange.h).
#pragma once

#include "native/Exchange.h"

#include "llvm/ADT/STLFunctionalExtras.h"

#include <map>
#include <optional>
#include <string>

namespace layout_port::native {

// The value of an integer expression of constants and of variables whose values are given.
using CounterValues = std::map<const clang::VarDecl *, int64_t>;
std::optional<int64_t> valueOf(const clang::Expr *expr, const CounterValues &values,
                               const clang::ASTContext &context);

// Bytes of a variable.
using RowCell = std::pair<const clang::VarDecl *, int64_t>;

class RowValues {
public:
  RowValues() = default;
  RowValues(const clang::ASTContext &context, const std::vector<Exchange::Rows> &rows);

  // Some of its bytes are a row's.
  bool holds(const clang::VarDecl *variable) const { return held_.count(variable) != 0; }
  bool isEmpty() const { return held_.empty(); }

  // Scalars of row r, and of row r + 8.
  const std::vector<std::pair<const clang::VarDecl *, const clang::VarDecl *>> &scalars() const {
    return scalars_;
  }
  bool isScalar(const clang::VarDecl *variable) const;

  // The value of a row, in an array or in a struct: at[i][r].l
  struct Access {
    // From the variable inwards: a member, or an index that not every access knows.
    struct Step {
      const clang::FieldDecl *member = nullptr;
      const clang::Expr *index = nullptr;
    };
    const clang::Expr *expr = nullptr;
    const clang::VarDecl *variable = nullptr;
    std::vector<Step> steps;
    const clang::Expr *index = nullptr; // says which of the two rows; null: `row` does, 0 or 1
    int row = 0;
  };
  std::optional<Access> accessAt(const clang::Stmt *stmt) const;
  std::vector<Access> accessesIn(const clang::Stmt *stmt) const;
  // Those of the access that it may be where these are the numbers of counters.
  std::vector<RowCell> cellsOf(const Access &access, const CounterValues &numbers) const;
  // Where no index says the row: the place of the other row, bottom.m for top.m.
  using Spell = llvm::function_ref<std::string(const clang::Expr *)>;
  std::optional<std::string> textOfOther(const Access &access, Spell spell) const;

  // A mention below `stmt` of a variable that holds such values, but is neither such an access
  // nor such a scalar.
  const clang::DeclRefExpr *otherMention(const clang::Stmt *stmt) const;

private:
  struct Cell {
    int row = 0;
    RowCell partner;
  };
  bool findSteps(Access &access) const;
  bool findRow(Access &access) const;
  bool isRowIndex(const Access &access, const clang::Expr *index) const;
  std::optional<std::string> textOfOther(const Access &access, const RowCell &cell,
                                         Spell spell) const;

  const clang::ASTContext *context_ = nullptr;
  std::set<const clang::VarDecl *> held_;
  std::map<RowCell, Cell> cells_;
  std::vector<std::pair<const clang::VarDecl *, const clang::VarDecl *>> scalars_;
};

} // namespace layout_port::native
