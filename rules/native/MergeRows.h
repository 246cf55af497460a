// One statement of the two that speak of rows r and r + 8 of an accumulator tile.
//
//   C[row * N + col] = c[0];         ──▶  deleted
//   C[(row + 8) * N + col] = c[2];   ──▶  C[(row + 8 * lower) * N + col] = v[0];
//
// The two trees are walked side by side (anti-unification). Where the second is the first
// plus something, that is multiplied by `lower`; where they differ otherwise, both are
// written with `lower ? second : first`; where their shapes differ, each gets a condition
// of its own. A loop over the registers is cut to the half that belongs to the row.
#pragma once

#include "native/Around.h"
#include "native/RowValues.h"
#include "native/Texts.h"

#include <map>
#include <set>

namespace layout_port::native {

// terms * variables + constant, of an index; none for another form.
struct LinearIndex {
  std::map<const clang::VarDecl *, int64_t> terms;
  int64_t constant = 0;
};
std::optional<LinearIndex> linearIndex(const clang::Expr *expr, const clang::ASTContext &context);

// One mention of an accumulator's register.
struct RegisterAccess {
  const clang::Expr *expr = nullptr;
  const clang::Expr *index = nullptr; // of the register
  std::optional<int64_t> number;      // ... where it is a member of a vector, its place
  std::vector<const clang::Expr *> tile;
  uint64_t bytes = 4; // that are read from there on
  uint64_t accumulator = 0;
  int which = 0;                         // of the tiles that the statements name
  const clang::CallExpr *call = nullptr; // that is handed the whole tile
  // Of tiles behind each other in one array: the tile's number, and the register's in it; that one
  // also where it is named through a pointer, which `index` counts from.
  std::optional<LinearIndex> flatTile, flatRegister;
  std::string pointer; // to another type, that is led to the row's values
};

class RowMerger {
public:
  RowMerger(clang::ASTContext &context, const Texts &texts,
            const std::vector<RegisterAccess> &accesses, bool isPacked, std::string lower,
            std::vector<std::string> values);

  // The edits that make `stmts` speak of one row; or why there are none.
  std::string merge(const std::vector<const clang::Stmt *> &stmts, std::vector<SourceEdit> &edits);
  // The edits that take a statement away; false where it stands in a macro.
  bool drop(const clang::Stmt *stmt, std::vector<SourceEdit> &edits);
  // The rows that an expression or a statement speaks of: bit 0 the upper, bit 1 the lower.
  unsigned rowsOf(const clang::Stmt *stmt) {
    findCounters(stmt);
    return rowsIn(stmt);
  }
  bool usesLower() const { return usesLower_; }

  // A variable that stands for the upper row and one for the lower, each kept for a warp
  // here: (pair ? lower : upper).
  void addSum(const clang::VarDecl *upper, const clang::VarDecl *lower, const std::string &pair) {
    derived_[upper] = 1;
    derived_[lower] = 2;
    pairs_[upper] = lower;
    sums_[lower] = upper;
    pairName_ = pair;
  }

  // Values that rows have, each kept for a warp here: l[1] and l0 become l[pair] and
  // (pair ? l1 : l0).
  void setRows(const RowValues &rows, const std::string &pair);
  // A declaration that is of no row, and written elsewhere.
  void setAside(const clang::Stmt *stmt) { aside_.insert(stmt); }
  // They change elements: no statement of a row may pass another.
  void keepOrder() { keepsOrder_ = true; }
  // The statements stand in a loop over both rows: each speaks of the one that `counter` says.
  void setRowLoop(const clang::VarDecl *counter) {
    counters_[counter] = {2, nullptr};
    rowLoop_ = counter;
  }

private:
  struct Counter {
    int64_t last = 0;
    const clang::ForStmt *loop = nullptr;
    int64_t step = 1;
  };
  using Values = CounterValues;

  // Rows that are mentioned below a statement, as a set of bits: 1 the upper, 2 the lower.
  unsigned rowsIn(const clang::Stmt *stmt);
  const RegisterAccess *accessAt(const clang::Stmt *stmt) const;
  std::optional<LinearIndex> registerOf(const RegisterAccess &access) const;
  std::optional<int64_t> registerAt(const RegisterAccess &access, const Values &values) const;
  template <class Visit> bool forAll(const RegisterAccess &access, Visit visit) const;
  template <class Visit> bool forAll(const RowValues::Access &access, Visit visit) const;
  std::optional<std::vector<Values>>
  turnsOf(const std::set<const clang::VarDecl *> &variables) const;
  bool isOfItsTurn(const clang::Stmt *stmt);
  bool isOtherRow(const RowValues::Access &upper, const RowValues::Access &lower) const;

  void findCounters(const clang::Stmt *stmt);
  bool list(const std::vector<const clang::Stmt *> &stmts);
  bool mergeOnce(const std::vector<const clang::Stmt *> &stmts);
  bool giveRows(const std::vector<const clang::Stmt *> &stmts);
  bool giveRowsByUse(const std::vector<const clang::Stmt *> &stmts);
  bool changesOwn(const clang::Stmt *stmt) const;
  unsigned rowsOfDeclared(const clang::Stmt *stmt) const;
  bool hand(const clang::CallExpr &call);
  bool skip(const clang::IfStmt &stmt, bool isBetweenRows);
  void skipEdits(const clang::Stmt *stmt);
  bool both(const clang::Stmt *stmt);
  bool sideBySide(const clang::DeclStmt &stmt);
  unsigned rowsOf(const clang::VarDecl &variable);
  bool halve(const clang::ForStmt *loop);
  bool pair(const clang::Stmt *upper, const clang::Stmt *lower);
  bool guard(const clang::Stmt *stmt, bool isLower);
  bool isGone(const clang::VarDecl &variable) const;
  bool namesGone(const clang::Stmt *stmt) const;
  bool remove(const clang::Stmt *stmt);
  unsigned withSemicolon(const TextRange &range, const clang::Stmt &stmt) const;
  bool isSum(const clang::VarDecl *upper) const {
    for (const auto &[lower, its] : sums_)
      if (its == upper)
        return true;
    return false;
  }
  void sumEdits(const std::vector<const clang::Stmt *> &stmts);
  std::string eitherRow(const RowValues::Access &access) const;
  void rowEdits(const std::vector<const clang::Stmt *> &stmts);
  const clang::Expr *registerPart(const RegisterAccess &access) const;
  void valueEdits(const std::vector<const clang::Stmt *> &stmts);

  using Edits = std::vector<SourceEdit>;
  bool unify(const clang::Stmt *upper, const clang::Stmt *lower, Edits &edits);
  bool unifyDeclared(const clang::VarDecl &upper, const clang::VarDecl &lower, Edits &edits);
  bool unifyChildren(const clang::Stmt *upper, const clang::Stmt *lower, Edits &edits);
  bool unifySum(const clang::Expr *upper, const clang::Expr *lower, Edits &edits);
  bool isSameInRow(const clang::Expr *upper, const clang::Expr *lower);
  std::optional<std::string> movedText(const clang::Expr *text, const clang::Expr *place);
  bool choose(const clang::Expr *upper, const clang::Expr *lower, Edits &edits);
  bool multiply(const clang::Expr *term, Edits &edits);
  bool isIndex(const clang::Expr &expr) const;
  bool same(const clang::Stmt *a, const clang::Stmt *b) const;
  std::string rowText(int64_t half) const;
  bool fail(const std::string &why) {
    if (problem_.empty())
      problem_ = why;
    return false;
  }

  clang::ASTContext &context_;
  const Texts &texts_;
  const std::vector<RegisterAccess> &accesses_;
  const bool isPacked_;
  const std::string lower_;
  const std::vector<std::string> values_; // by tile
  std::map<const clang::VarDecl *, Counter> counters_;
  std::map<const clang::VarDecl *, unsigned> derived_;
  std::map<const clang::VarDecl *, const clang::VarDecl *> pairs_; // upper -> lower
  std::map<const clang::VarDecl *, const clang::VarDecl *> sums_;  // lower -> upper
  std::string pairName_;
  std::set<const clang::Stmt *> aside_;
  std::set<const clang::VarDecl *> own_; // that the statements declare, so far
  const RowValues *rows_ = nullptr;
  const clang::VarDecl *rowLoop_ = nullptr;
  Edits edits_;
  std::optional<Around> removed_; // the statement that went last
  std::string problem_;
  bool usesLower_ = false;
  // Of the turn that a 'continue' may end: statements of the upper row that wait outside of the
  // list for those of the lower; the upper row is past its own.
  size_t waiting_ = 0;
  bool isPastUpper_ = false;
  bool isBeforeElse_ = false; // no brace stands between the statement and an 'else' behind it
  bool keepsOrder_ = false;
  bool isByUse_ = false; // variables that only one row uses are that row's
};

// if (...) continue; or break; or, in a function, return;
const clang::IfStmt *skipsTurn(const clang::Stmt *stmt);

// for (int v = 0; v < last; v += step)
struct SteppedCounter {
  const clang::VarDecl *variable = nullptr;
  int64_t last = 0, step = 1;
};
std::optional<SteppedCounter> steppedCounter(const clang::ForStmt *loop,
                                             const clang::ASTContext &context);
// ... with steps of one: v and last.
std::optional<std::pair<const clang::VarDecl *, int64_t>>
plainCounter(const clang::ForStmt *loop, const clang::ASTContext &context);

// Without parentheses, implicit casts and the nodes that only mark temporaries.
const clang::Expr *bare(const clang::Expr *expr);

} // namespace layout_port::native
