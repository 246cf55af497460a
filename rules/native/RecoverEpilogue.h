// Reads what a kernel does with its accumulators behind the loops.
//
// Element (r, i, j) of an accumulator belongs to a row and a column of C; CUDA's thread
// computes both from its lane, and so can any other lane, at the lane that it stands for.
// That is right when
//   - the statements only store: no shuffle, no barrier, nothing kept for later
//   - what they read is not what they write, but for the very element
//   - whether they are reached is the same for the whole wave
// Then no element has to move. A kernel that does more keeps its own epilogue, behind a
// conversion of layouts.
#pragma once

#include "native/Exchange.h"
#include "native/FragmentProgram.h"
#include "native/Sample.h"
#include "native/Texts.h"

#include <functional>
#include <map>
#include <set>
#include <vector>

namespace layout_port::native {

// Where the kernel hands its sums to a function of the author's, whose text is the epilogue then:
//
//   store(C, acc, N);   or, where an object has the sums,   gemm.store(C, N);
struct EpilogueCall {
  const clang::FunctionDecl *function = nullptr;
  const clang::CallExpr *call = nullptr;
  std::map<const clang::ParmVarDecl *, const clang::VarDecl *> handed; // null: the object
};

// What is known of the kernel already.
struct EpilogueInput {
  clang::ASTContext &context;
  const Texts &texts;
  Sampler &sampler;
  const clang::FunctionDecl &kernel;
  // Raw locations of the declarations, and the products of each: the epilogue is behind them.
  // Several: their elements meet in one statement.
  struct Accumulator {
    uint64_t declaration = 0;
    TextRange region;
    const Slot *flat = nullptr; // of a tile, where they lie behind each other in one array
  };
  std::vector<Accumulator> accumulators;
  bool isPacked = false; // two neighbours along n in one register
  std::function<bool(const clang::Stmt *)> isSite;
  std::function<Loop(const clang::Stmt *)> loopOf;
  std::function<Index(const clang::Expr *)> indexOf;
  // The variables that `stmts` need, but for `own`, computed anew for another lane and
  // warp; `laneOnly`: for another lane of the same warp. `views` lead to the row's values there.
  std::function<EpilogueBody::Rebound(const std::vector<const clang::Stmt *> &stmts,
                                      const EpilogueBody &body,
                                      const std::set<const clang::VarDecl *> &own,
                                      const std::set<const clang::VarDecl *> &views, bool laneOnly)>
      rebind;
  // All registers are set to one constant there.
  std::function<bool(const clang::Expr *, uint64_t accumulator)> isFill;
  // The author says that nothing else leads to what this pointer points to.
  std::function<bool(const std::string &pointer)> isNoAlias;
  // The author says that the condition is the same for a wave.
  std::function<bool(const clang::Expr *)> isAssumedUniform;
  // Where other code works on accumulators between the products: what is known at the end of
  // the region.
  const Exchange *between = nullptr;
  bool ownsRows = false; // no other epilogue reads rows
  // A shuffle that becomes one of the port's lanes. False: it cannot be written.
  std::function<bool(const clang::CallExpr &)> takeShuffle = {};
  std::function<void(const clang::FunctionDecl &)> takeExchanging = {}; // functions of such
  // A function that reads the thread's index, and can be told whose.
  std::function<bool(const clang::CallExpr &)> isTold = {};
  // Of a lambda that is declared anew for another lane.
  std::function<bool(const clang::CallExpr &)> isOfLambda = {};
  // All its arguments are written, and another behind them would mean no other function.
  std::function<bool(const clang::CallExpr &)> takesOneMore = {};
  // All such calls, and the one whose function is looked at; null: the kernel's own text is.
  std::vector<EpilogueCall> calls = {};
  const EpilogueCall *in = nullptr;
};

// Of a variable that the epilogue mentions, behind its name: another lane has another value.
inline constexpr char kOfLane[] = "is kept in registers by lane";

Epilogue recoverEpilogue(const EpilogueInput &input);

} // namespace layout_port::native
