// Sums over rows: each thread of a quad adds up its elements of rows r and r + 8, and butterflies
// add up the quad's. In the port a lane has elements of one row, so the two sums are one:
//
//   s0 += c[0];  s1 += c[2];                     in the loop over tiles
//   s0 += __shfl_xor_sync(0xffffffff, s0, 1);    ... and by 2; the same of s1
//   out[row] = s0;  out[row + 8] = s1;           what reads whole sums, a body of its own
#include "native/EpilogueFinder.h"

#include "native/AstRead.h"
#include "native/MergeRows.h"

#include "clang/AST/ASTContext.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace layout_port::native {

bool EpilogueFinder::isSum(const VarDecl *variable) const {
  return llvm::any_of(
      sums_, [&](const auto &sum) { return sum.first == variable || sum.second == variable; });
}

bool EpilogueFinder::isSum(const Expr *target) const {
  const auto *name = dyn_cast<DeclRefExpr>(bare(target));
  const auto *variable = name ? dyn_cast<VarDecl>(name->getDecl()) : nullptr;
  return variable && isSum(variable);
}

// s0 += ... of the upper row and s1 += ... of the lower, statements of the body itself.
bool EpilogueFinder::findSums(const Group &group) {
  const auto *block = group.stmts.size() == 1 ? dyn_cast<CompoundStmt>(group.stmts[0]) : nullptr;
  const std::set<const VarDecl *> own = declared(group.stmts);
  std::vector<const VarDecl *> upper, lower;
  for (const Stmt *stmt :
       block ? std::vector<const Stmt *>(block->body_begin(), block->body_end()) : group.stmts) {
    const auto *op = dyn_cast<CompoundAssignOperator>(stmt);
    const auto *name = op ? dyn_cast<DeclRefExpr>(bare(op->getLHS())) : nullptr;
    const auto *variable = name ? dyn_cast<VarDecl>(name->getDecl()) : nullptr;
    if (!variable || op->getOpcode() != BO_AddAssign || !variable->isLocalVarDecl() ||
        !variable->getType()->isRealFloatingType() || rows_.holds(variable) || own.count(variable))
      continue;
    RowMerger rows(in_.context, in_.texts, group.accesses, in_.isPacked, "", {});
    const unsigned which = rows.rowsOf(op->getRHS());
    if (which == 1)
      upper.push_back(variable);
    else if (which == 2)
      lower.push_back(variable);
  }
  if (upper.size() != lower.size())
    return refuse("a sum over one row has none beside it for the other",
                  group.stmts.front()->getSourceRange());
  for (size_t i = 0; i < upper.size(); ++i)
    if (upper[i] == lower[i] || isSum(upper[i]) || isSum(lower[i]))
      return refuse("'" + upper[i]->getNameAsString() + "' sums over several rows",
                    group.stmts.front()->getSourceRange());
    else
      sums_.push_back({upper[i], lower[i]});
  if (!upper.empty()) {
    sumBody_ = group.stmts.front();
    llvm::append_range(sumStmts_, group.stmts);
  }
  return true;
}

// Where the sums are declared: then the loop, the butterflies, what reads them.
void EpilogueFinder::addSums() {
  out_.hasSums = true;
  const CompoundStmt *block = nullptr;
  for (const Stmt *at = sumBody_; at && !block; at = parentOf(at))
    if (const auto *inner = dyn_cast<CompoundStmt>(at); inner && declares(inner, sums_[0].first))
      block = inner;
  if (!block)
    return void(refuse("a sum over a row is declared too far away", sumBody_->getSourceRange()));
  for (const auto &[upper, lower] : sums_)
    if (upper->getType().getCanonicalType() != lower->getType().getCanonicalType())
      return void(refuse("'" + upper->getNameAsString() + "' and '" + lower->getNameAsString() +
                             "' are not of one type",
                         sumBody_->getSourceRange()));
    else if (!declares(block, upper) || !declares(block, lower) || !startAlike(upper, lower))
      return void(refuse("'" + upper->getNameAsString() + "' and '" + lower->getNameAsString() +
                             "' do not begin as one constant",
                         sumBody_->getSourceRange()));
  Group rows;
  rows.isRow = true;
  rows.holder = block;
  std::map<const VarDecl *, unsigned> summed; // over which bits of the quad
  bool behind = false;
  for (const Stmt *stmt : block->body()) {
    const bool holds = contains(stmt, sumBody_);
    if (holds || !mentionsSum(stmt)) {
      behind = behind || holds;
      for (const DeclRefExpr *name : mentionsIn(stmt))
        if (holds && isSum(name) && !isAddedTo(name))
          return void(refuse("a part of a sum over a row is used before it is whole",
                             name->getSourceRange()));
      continue;
    }
    if (!behind || !(butterfly(stmt, summed) || (allSummed(summed) && addRow(rows, stmt))))
      return void(refuse("a sum over a row is used in another way than across its quad",
                         stmt->getSourceRange()));
  }
  if (!rows.stmts.empty())
    addRows(rows);
}

bool EpilogueFinder::declares(const CompoundStmt *block, const VarDecl *variable) const {
  return llvm::any_of(block->body(), [&](const Stmt *stmt) {
    const auto *declarations = dyn_cast<DeclStmt>(stmt);
    return declarations && llvm::is_contained(declarations->decls(), variable);
  });
}

// s0 of s0 += c[0], a statement of its own in a body. What else is done with a part of a sum asks
// which of the row's columns it is of, and the port's lanes have others.
bool EpilogueFinder::isAddedTo(const DeclRefExpr *name) const {
  const auto *op = dyn_cast_or_null<CompoundAssignOperator>(userOf(name));
  if (!op || op->getOpcode() != BO_AddAssign || bare(op->getLHS()) != name ||
      !isWithin(name, sumStmts_))
    return false;
  const Stmt *around = parentOf(op);
  const auto *branch = dyn_cast_or_null<IfStmt>(around);
  const auto *loop = dyn_cast_or_null<ForStmt>(around);
  return isa_and_nonnull<CompoundStmt>(around) || (branch && branch->getCond() != op) ||
         (loop && loop->getBody() == op);
}

// A lane's row is the upper or the lower one, whichever of the two sums it has.
bool EpilogueFinder::startAlike(const VarDecl *upper, const VarDecl *lower) const {
  Expr::EvalResult one, other;
  return upper->getInit() && upper->getInit()->EvaluateAsRValue(one, in_.context) &&
         lower->getInit() && lower->getInit()->EvaluateAsRValue(other, in_.context) &&
         one.Val.isFloat() && other.Val.isFloat() &&
         one.Val.getFloat().bitwiseIsEqual(other.Val.getFloat());
}

bool EpilogueFinder::mentionsSum(const Stmt *stmt) const {
  return llvm::any_of(namesIn(stmt), [&](const VarDecl *v) { return isSum(v); });
}

bool EpilogueFinder::allSummed(const std::map<const VarDecl *, unsigned> &summed) const {
  const auto whole = [&](const VarDecl *v) {
    const auto known = summed.find(v);
    return known != summed.end() && known->second == 3;
  };
  return llvm::all_of(sums_,
                      [&](const auto &sum) { return whole(sum.first) && whole(sum.second); });
}

bool EpilogueFinder::addRow(Group &rows, const Stmt *stmt) const {
  rows.stmts.push_back(stmt);
  return true;
}

// s += __shfl_xor_sync(0xffffffff, s, 1 or 2)
bool EpilogueFinder::butterfly(const Stmt *stmt, std::map<const VarDecl *, unsigned> &summed) {
  const auto *op = dyn_cast<CompoundAssignOperator>(stmt);
  const auto *call =
      op && op->getOpcode() == BO_AddAssign ? dyn_cast<CallExpr>(bare(op->getRHS())) : nullptr;
  if (!call || cudaName(call->getDirectCallee()) != "__shfl_xor_sync" || call->getNumArgs() < 3)
    return false;
  const auto *target = dyn_cast<DeclRefExpr>(bare(op->getLHS()));
  const auto *value = dyn_cast<DeclRefExpr>(bare(call->getArg(1)));
  Expr::EvalResult mask, distance, width;
  if (!target || !value || target->getDecl() != value->getDecl() ||
      !call->getArg(0)->EvaluateAsInt(mask, in_.context) ||
      !call->getArg(2)->EvaluateAsInt(distance, in_.context) ||
      mask.Val.getInt().getZExtValue() % (uint64_t(1) << 32) != 0xffffffff)
    return false;
  if (call->getNumArgs() > 3 &&
      (!call->getArg(3)->EvaluateAsInt(width, in_.context) || width.Val.getInt().getExtValue() < 4))
    return false;
  const int64_t by = distance.Val.getInt().getExtValue();
  const auto range = in_.texts.range(call->getSourceRange());
  const auto text = in_.texts.range(value->getSourceRange());
  unsigned &bits = summed[cast<VarDecl>(target->getDecl())];
  if ((by != 1 && by != 2) || (bits & by) || !range || !text)
    return false;
  bits |= static_cast<unsigned>(by);
  out_.butterflies.push_back({*range, sourceRange(text->begin, text->end), by == 1 ? 0 : 1});
  return true;
}

// The statements that read whole sums, as one body.
void EpilogueFinder::addRows(Group &rows) {
  const auto *block = cast<CompoundStmt>(rows.holder);
  std::vector<const Stmt *> between;
  bool inside = false;
  for (const Stmt *stmt : block->body()) {
    inside = inside || stmt == rows.stmts.front();
    if (inside)
      between.push_back(stmt);
    if (stmt == rows.stmts.back())
      break;
  }
  rows.stmts = between;
  EpilogueBody body;
  const auto range =
      in_.texts.statement(SourceRange(between.front()->getBeginLoc(), between.back()->getEndLoc()));
  if (!range)
    return void(refuse("the epilogue is written by a macro", between.front()->getSourceRange()));
  body.range = *range;
  for (const Stmt *at = parentOf(between.front()); at; at = parentOf(at))
    if (isa<ForStmt>(at))
      body.loops.insert(body.loops.begin(), in_.loopOf(at));
  if (reached(rows))
    finish(rows, body);
}

} // namespace layout_port::native
