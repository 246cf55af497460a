// Is a kernel right when rows r + 8 of every tile and the second warp of a wave trade
// places, everywhere between its products?
//
//   register bit r1:  rows r, r + 8 of the own warp's tile   ->   the two warps of the wave
//
// Accumulators of a native product lie so (Scheme.h). Code that scales, packs or reduces
// them need not change for it as long as it does the same to both halves: then r1 may as
// well mean the other thing, and with it every variable made from one half (row maxima,
// row sums) and the operand that is packed from the results. Shuffles along rows and
// columns keep their meaning with other lane masks. What a thread computes from its lane and
// gives to a result (a mask, a bias) is computed for the lane that CUDA has the result in.
//
// This is checked, not assumed: the kernel's text is run twice with names for values
// (WaveRun.h), once as CUDA has it, once exchanged, and both must agree.
#pragma once

#include "native/WaveRun.h"

#include "clang/AST/ASTContext.h"

#include <functional>
#include <set>
#include <string>
#include <vector>

namespace layout_port::native {

struct Exchange {
  std::string problem; // why not; empty when it holds
  clang::SourceRange problemAt;

  // Shuffles of fragments: their lane masks are CUDA's.
  std::vector<const clang::CallExpr *> shuffles;
  // Variables that hold results, or what is made from them, and where in them.
  Bytes fragments;
  // Registers of first operands that are none of those, and that other code than a load changes.
  Bytes changed;
  // Values of the thread's own that meet results (the bound of a mask, a bias by column) and
  // must be asked of the thread that CUDA has the results in. `lower` is the value for rows r,
  // `upper` for rows r + 8; or they are one, and a bit of a loop's counter says which, or
  // nothing does: the value is for both.
  struct Met {
    const clang::Expr *value = nullptr, *lower = nullptr, *upper = nullptr;
    const clang::VarDecl *counter = nullptr;
    const clang::Stmt *loop = nullptr; // that counts
    int bit = 0;
    // Variables that all threads of a wave have the same value of there.
    std::set<const clang::VarDecl *> even;
    // A condition on the warp around: the value is wanted where that holds.
    const clang::Expr *under = nullptr;
    // Between the two halves memory may be written otherwise than by results, or other lanes are
    // waited for at a barrier (a shuffle orders nothing in memory); or results are stored.
    bool isActedBetween = false, isStoredBetween = false;
    // Places in memory that are read between the two.
    std::set<const clang::Expr *> readBetween;
    // Something else is done with memory between the two halves, or is waited for.
    bool isTouchedBetween = false;
    // What is asked for is where the thing is that the expression names.
    bool isPlace = false;
  };
  std::vector<Met> met;
  // Results that go to memory between the products: the assignment, and what is asked for there.
  using Stored = WaveRun::Stored;
  std::map<const clang::Expr *, Stored> stored;
  std::map<const clang::Stmt *, WaveRun::StoredMatrices> storedMatrices;
  std::map<const clang::GCCAsmStmt *, RowSums> rowSums;
  // Accumulators whose tiles may be turned as well, as a whole or in halves.
  std::set<const clang::VarDecl *> turnable, halfTurnable;
  // Values that rows r and rows r + 8 have, there at the end: byte offsets into a
  // variable.
  struct Rows {
    const clang::VarDecl *lower = nullptr, *upper = nullptr;
    int64_t lowerOffset = 0, upperOffset = 0;
    uint64_t bytes = 0;
  };
  std::vector<Rows> rows;

  // ... and variables of which some bytes belong to one half alone there.
  std::set<const clang::VarDecl *> stale;

  // What is known where a statement behind `last` is about to run.
  struct Seen {
    std::string problem; // why nothing is; empty when something is
    clang::SourceRange problemAt;
    // Of results, in any statement up to there.
    std::vector<const clang::CallExpr *> shuffles;
    std::vector<Visit> visits; // one for each turn of the loops around it
  };
  std::function<Seen(const clang::Stmt *)> seenAt;
};

// For the body of `kernel` up to the end of `last`, one of its statements. `operands` are
// registers that the kernel's own loads fill: as with ldmatrix, how they lie is the business
// of whoever ports those. A struct may hold them beside results.
Exchange findExchange(const clang::ASTContext &context, const clang::FunctionDecl &kernel,
                      const clang::Stmt *last, const Bytes &operands, Alike alike, RunMode mode);

} // namespace layout_port::native
