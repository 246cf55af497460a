// Values that the rows of an accumulator have when its epilogue begins: a maximum, a sum, what
// was computed from those. Each thread of CUDA keeps one for row r and one for row r + 8,
//
//   float l[2];       l[r], l[e >> 1], with counters r, e of known loops
//   float l0, l1;
//
// and each lane of the port one for either warp of the wave (Exchange.h).
#pragma once

#include "native/Exchange.h"

#include <map>
#include <optional>

namespace layout_port::native {

// The value of an integer expression of constants and of variables whose values are given.
using CounterValues = std::map<const clang::VarDecl *, int64_t>;
std::optional<int64_t> valueOf(const clang::Expr *expr, const CounterValues &values,
                               const clang::ASTContext &context);

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

  // l[index] or l[i][index], where the index says which of the two rows.
  struct Access {
    const clang::VarDecl *array = nullptr;
    const clang::Expr *index = nullptr;
    std::vector<const clang::Expr *> outer; // indices in front of it, innermost first
  };
  std::optional<Access> accessAt(const clang::Stmt *stmt) const;
  std::vector<Access> accessesIn(const clang::Stmt *stmt) const;

  // A mention below `stmt` of a variable that holds such values, but is neither such an access
  // nor such a scalar.
  const clang::DeclRefExpr *otherMention(const clang::Stmt *stmt) const;

private:
  std::set<const clang::VarDecl *> held_, arrays_;
  std::vector<std::pair<const clang::VarDecl *, const clang::VarDecl *>> scalars_;
};

} // namespace layout_port::native
