#include "native/MergeRows.h"

#include "native/Effects.h"
#include "native/LocalNames.h"

#include "clang/AST/DynamicRecursiveASTVisitor.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/ParentMapContext.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/SaveAndRestore.h"

#include <utility>

using namespace clang;

namespace layout_port::native {

namespace {

constexpr int64_t kMostRegisters = 16;

std::optional<int64_t> constantOf(const Expr *expr, const ASTContext &context) {
  Expr::EvalResult value;
  if (!expr || expr->isValueDependent() || !expr->getType()->isIntegralOrEnumerationType() ||
      !expr->EvaluateAsInt(value, context))
    return std::nullopt;
  return value.Val.getInt().getExtValue();
}

bool add(LinearIndex &to, const LinearIndex &from, int64_t scale) {
  for (const auto &[variable, factor] : from.terms)
    to.terms[variable] += factor * scale;
  to.constant += from.constant * scale;
  return true;
}

// Every node below a statement.
class Nodes : public DynamicRecursiveASTVisitor {
public:
  explicit Nodes(const std::function<void(const Stmt *)> &visit) : visit_(visit) {}
  bool VisitStmt(Stmt *stmt) override {
    visit_(stmt);
    return true;
  }

private:
  const std::function<void(const Stmt *)> &visit_;
};

void forEachNode(const Stmt *stmt, const std::function<void(const Stmt *)> &visit) {
  Nodes(visit).TraverseStmt(const_cast<Stmt *>(stmt));
}

} // namespace

const Expr *bare(const Expr *expr) {
  for (;;) {
    expr = expr->IgnoreParenImpCasts();
    if (const auto *full = dyn_cast<FullExpr>(expr))
      expr = full->getSubExpr();
    else if (const auto *temporary = dyn_cast<MaterializeTemporaryExpr>(expr))
      expr = temporary->getSubExpr();
    else if (const auto *bound = dyn_cast<CXXBindTemporaryExpr>(expr))
      expr = bound->getSubExpr();
    else if (const auto *subst = dyn_cast<SubstNonTypeTemplateParmExpr>(expr))
      expr = subst->getReplacement();
    else
      return expr;
  }
}

// An implicit cast takes bits away: x[e] of a parameter `bool e`.
static bool isCut(const Expr *expr, const ASTContext &context) {
  for (expr = expr->IgnoreParens();;) {
    const auto *cast = dyn_cast<ImplicitCastExpr>(expr);
    if (!cast)
      return false;
    const QualType from = cast->getSubExpr()->getType(), to = cast->getType();
    if (to->isBooleanType() != from->isBooleanType() ||
        (from->isIntegralOrEnumerationType() &&
         context.getTypeSize(to) < std::min<uint64_t>(context.getTypeSize(from), 32)))
      return true;
    expr = cast->getSubExpr()->IgnoreParens();
  }
}

std::optional<LinearIndex> linearIndex(const Expr *expr, const ASTContext &context) {
  LinearIndex out;
  if (const auto constant = constantOf(expr, context)) {
    out.constant = *constant;
    return out;
  }
  if (isCut(expr, context))
    return std::nullopt;
  expr = bare(expr);
  if (const auto *name = dyn_cast<DeclRefExpr>(expr)) {
    const auto *variable = dyn_cast<VarDecl>(name->getDecl());
    if (!variable)
      return std::nullopt;
    out.terms[variable] = 1;
    return out;
  }
  const auto *op = dyn_cast<BinaryOperator>(expr);
  if (!op)
    return std::nullopt;
  const auto left = linearIndex(op->getLHS(), context), right = linearIndex(op->getRHS(), context);
  if (!left || !right)
    return std::nullopt;
  out = *left;
  switch (op->getOpcode()) {
  case BO_Add:
    add(out, *right, 1);
    return out;
  case BO_Sub:
    add(out, *right, -1);
    return out;
  case BO_Mul:
    if (!left->terms.empty() && !right->terms.empty())
      return std::nullopt;
    out = LinearIndex();
    add(out, left->terms.empty() ? *right : *left,
        left->terms.empty() ? left->constant : right->constant);
    return out;
  case BO_Shl:
    if (!right->terms.empty() || right->constant < 0 || right->constant > 16)
      return std::nullopt;
    out = LinearIndex();
    add(out, *left, int64_t(1) << right->constant);
    return out;
  default:
    return std::nullopt;
  }
}

std::optional<SteppedCounter> steppedCounter(const ForStmt *loop, const ASTContext &context) {
  const auto *init = dyn_cast_or_null<DeclStmt>(loop->getInit());
  const auto *variable =
      init && init->isSingleDecl() ? dyn_cast<VarDecl>(init->getSingleDecl()) : nullptr;
  const auto *bound = dyn_cast_or_null<BinaryOperator>(loop->getCond());
  if (!variable || !variable->getInit() || constantOf(variable->getInit(), context) != 0 ||
      !bound || bound->getOpcode() != BO_LT)
    return std::nullopt;
  const auto *name = dyn_cast<DeclRefExpr>(bare(bound->getLHS()));
  const auto last = constantOf(bound->getRHS(), context);
  if (!name || name->getDecl() != variable || !last || *last <= 0)
    return std::nullopt;
  const Expr *inc = loop->getInc();
  const auto isIt = [&](const Expr *expr) {
    const auto *counter = dyn_cast<DeclRefExpr>(bare(expr));
    return counter && counter->getDecl() == variable;
  };
  if (const auto *op = dyn_cast_or_null<UnaryOperator>(inc))
    return op->isIncrementOp() && isIt(op->getSubExpr())
               ? std::optional(SteppedCounter{variable, *last, 1})
               : std::nullopt;
  const auto *op = dyn_cast_or_null<BinaryOperator>(inc);
  const auto step = op && op->getOpcode() == BO_AddAssign && isIt(op->getLHS())
                        ? constantOf(op->getRHS(), context)
                        : std::nullopt;
  return step && *step > 0 ? std::optional(SteppedCounter{variable, *last, *step}) : std::nullopt;
}

std::optional<std::pair<const VarDecl *, int64_t>> plainCounter(const ForStmt *loop,
                                                                const ASTContext &context) {
  const auto counter = steppedCounter(loop, context);
  return counter && counter->step == 1
             ? std::optional(std::make_pair(counter->variable, counter->last))
             : std::nullopt;
}

const IfStmt *skipsTurn(const Stmt *stmt) {
  const auto *branch = dyn_cast_or_null<IfStmt>(stmt);
  if (!branch || branch->getElse() || branch->getInit() || branch->getConditionVariable() ||
      branch->isConstexpr())
    return nullptr;
  const Stmt *then = branch->getThen();
  if (const auto *block = dyn_cast<CompoundStmt>(then); block && block->size() == 1)
    then = block->body_front();
  const auto *leave = dyn_cast<ReturnStmt>(then);
  return isa<ContinueStmt, BreakStmt>(then) || (leave && !leave->getRetValue()) ? branch : nullptr;
}

RowMerger::RowMerger(ASTContext &context, const Texts &texts,
                     const std::vector<RegisterAccess> &accesses, bool isPacked, std::string lower,
                     std::vector<std::string> values)
    : context_(context), texts_(texts), accesses_(accesses), isPacked_(isPacked),
      lower_(std::move(lower)), values_(std::move(values)) {}

std::string RowMerger::merge(const std::vector<const Stmt *> &stmts,
                             std::vector<SourceEdit> &edits) {
  for (const Stmt *stmt : stmts)
    findCounters(stmt);
  if (rowLoop_) {
    if (llvm::all_of(stmts, [&](const Stmt *stmt) { return isOfItsTurn(stmt); })) {
      valueEdits(stmts);
      if (accesses_.empty()) // those in bodies of tiles are the loop's, too
        rowEdits(stmts);
      for (const Stmt *stmt : stmts)
        skipEdits(stmt);
    }
    if (problem_.empty())
      llvm::append_range(edits, edits_);
    return problem_;
  }
  RowMerger byUse = *this;
  byUse.isByUse_ = byUse.keepsOrder_ = true;
  if (byUse.mergeOnce(stmts)) {
    usesLower_ = byUse.usesLower_;
    llvm::append_range(edits, byUse.edits_);
  } else if (mergeOnce(stmts)) {
    llvm::append_range(edits, edits_);
  }
  return problem_;
}

bool RowMerger::mergeOnce(const std::vector<const Stmt *> &stmts) {
  // The braces of the only block stay as they are.
  const auto *block = stmts.size() == 1 ? dyn_cast<CompoundStmt>(stmts[0]) : nullptr;
  if (block ? list({block->body_begin(), block->body_end()}) : list(stmts)) {
    valueEdits(stmts);
    sumEdits(stmts);
    rowEdits(stmts);
    for (const Stmt *stmt : stmts)
      skipEdits(stmt);
  }
  return problem_.empty();
}

// ---- which rows ---------------------------------------------------------------------

void RowMerger::findCounters(const Stmt *stmt) {
  forEachNode(stmt, [&](const Stmt *s) {
    if (const auto *loop = dyn_cast<ForStmt>(s))
      if (const auto counter = steppedCounter(loop, context_))
        counters_[counter->variable] = {counter->last, loop, counter->step};
  });
}

const RegisterAccess *RowMerger::accessAt(const Stmt *stmt) const {
  const auto *expr = dyn_cast<Expr>(stmt);
  if (!expr)
    return nullptr;
  const Expr *inner = bare(expr);
  const auto found =
      llvm::find_if(accesses_, [&](const RegisterAccess &a) { return a.expr == inner; });
  return found == accesses_.end() ? nullptr : &*found;
}

std::optional<LinearIndex> RowMerger::registerOf(const RegisterAccess &access) const {
  if (access.call)
    return std::nullopt;
  if (access.flatRegister)
    return access.flatRegister;
  if (!access.number)
    return linearIndex(access.index, context_);
  LinearIndex index;
  index.constant = *access.number;
  return index;
}

std::optional<int64_t> RowMerger::registerAt(const RegisterAccess &access,
                                             const Values &values) const {
  const auto index = registerOf(access);
  if (!index)
    return std::nullopt;
  int64_t at = index->constant;
  for (const auto &[variable, factor] : index->terms) {
    const auto value = values.find(variable);
    if (value == values.end())
      return std::nullopt;
    at += factor * value->second;
  }
  const int64_t registers = isPacked_ ? 2 : 4;
  return at >= 0 && at < registers ? std::optional(at) : std::nullopt;
}

// Calls visit(values of the counters, row, neighbour) for every register that the access
// may mean. False when one cannot be told.
template <class Visit> bool RowMerger::forAll(const RegisterAccess &access, Visit visit) const {
  const auto index = registerOf(access);
  if (!index)
    return false;
  std::set<const VarDecl *> variables;
  for (const auto &[variable, factor] : index->terms)
    variables.insert(variable);
  const auto all = turnsOf(variables);
  if (!all)
    return false;
  for (const Values &values : *all) {
    const auto at = registerAt(access, values);
    if (!at)
      return false;
    visit(values, static_cast<int>(isPacked_ ? *at : *at >> 1), isPacked_ ? 0 : int(*at & 1));
  }
  return true;
}

// All values that these counters have together.
std::optional<std::vector<CounterValues>>
RowMerger::turnsOf(const std::set<const VarDecl *> &variables) const {
  std::vector<Values> all = {{}};
  for (const VarDecl *variable : variables) {
    const auto counter = counters_.find(variable);
    if (counter == counters_.end() || counter->second.last > kMostRegisters)
      return std::nullopt;
    std::vector<Values> next;
    for (const Values &values : all)
      for (int64_t v = 0; v < counter->second.last; v += counter->second.step) {
        next.push_back(values);
        next.back()[variable] = v;
      }
    all = std::move(next);
    if (all.size() > 4 * kMostRegisters)
      return std::nullopt;
  }
  return all;
}

// Calls visit(values of the counters, row) for every row that is meant.
template <class Visit> bool RowMerger::forAll(const RowValues::Access &access, Visit visit) const {
  std::set<const VarDecl *> variables;
  if (!access.index) {
    visit({}, access.row);
    return true;
  }
  forEachNode(access.index, [&](const Stmt *s) {
    if (const auto *name = dyn_cast<DeclRefExpr>(s))
      if (const auto *variable = dyn_cast<VarDecl>(name->getDecl());
          variable && counters_.count(variable))
        variables.insert(variable);
  });
  const auto all = turnsOf(variables);
  if (!all)
    return false;
  for (const Values &values : *all) {
    const auto row = valueOf(access.index, values, context_);
    if (!row || *row < 0 || *row > 1)
      return false;
    visit(values, static_cast<int>(*row));
  }
  return true;
}

void RowMerger::setRows(const RowValues &rows, const std::string &pair) {
  rows_ = &rows;
  for (const auto &[upper, lower] : rows.scalars())
    addSum(upper, lower, pair);
  pairName_ = pair;
}

// Nothing below the statement is of the other row than the loop's turn says.
bool RowMerger::isOfItsTurn(const Stmt *stmt) {
  bool known = true, same = true;
  const auto isOwn = [&](const Values &values, int row) {
    const auto turn = values.find(rowLoop_);
    same &= turn != values.end() && turn->second == row;
  };
  forEachNode(stmt, [&](const Stmt *s) {
    if (const RegisterAccess *access = accessAt(s); access && access->expr == s)
      known &= forAll(*access, [&](const Values &values, int row, int) { isOwn(values, row); });
    if (const auto access = rows_ ? rows_->accessAt(s) : std::nullopt)
      known &= forAll(*access, isOwn);
    if (const auto *name = dyn_cast<DeclRefExpr>(s); name && rows_)
      if (const auto *variable = dyn_cast<VarDecl>(name->getDecl()))
        same &= !rows_->isScalar(variable);
  });
  if (!known)
    return fail("which row of the accumulator is meant is not clear");
  return same || fail("the turn of one row uses the other row");
}

unsigned RowMerger::rowsIn(const Stmt *stmt) {
  unsigned rows = 0;
  forEachNode(stmt, [&](const Stmt *s) {
    if (const auto *name = dyn_cast<DeclRefExpr>(s))
      if (const auto *variable = dyn_cast<VarDecl>(name->getDecl()))
        if (const auto known = derived_.find(variable); known != derived_.end())
          rows |= known->second;
    const auto found =
        llvm::find_if(accesses_, [&](const RegisterAccess &a) { return a.expr == s; });
    if (found != accesses_.end() && found->call)
      rows |= 3;
    else if (found != accesses_.end() &&
             !forAll(*found, [&](const Values &, int row, int neighbour) {
               rows |= 1u << row;
               const QualType type = found->expr->getType();
               const unsigned one = type->isSpecificBuiltinType(BuiltinType::Double) ? 8 : 4;
               const uint64_t left = isPacked_ ? 4 : one * (2 - static_cast<unsigned>(neighbour));
               if (found->bytes > left)
                 fail("more than the two neighbours of a row are read at once");
             }))
      fail("which register of the accumulator is meant is not clear");
    if (const auto access = rows_ ? rows_->accessAt(s) : std::nullopt)
      if (!forAll(*access, [&](const Values &, int row) { rows |= 1u << row; }))
        fail("which row of the accumulator is meant is not clear");
  });
  return rows;
}

// Changes memory or a variable, or calls what may; of what stands below it nothing is said.
static bool isEffect(const Stmt *stmt) {
  if (const auto *op = dyn_cast<BinaryOperator>(stmt))
    return op->isAssignmentOp();
  if (const auto *op = dyn_cast<UnaryOperator>(stmt))
    return op->isIncrementDecrementOp();
  if (const auto *call = dyn_cast<CallExpr>(stmt))
    return call->getType()->isVoidType() || !onlyComputesInWarp(*call) ||
           (isa<CXXOperatorCallExpr>(call) && cast<CXXOperatorCallExpr>(call)->isAssignmentOp());
  if (const auto *made = dyn_cast<CXXConstructExpr>(stmt))
    return !changesNothing(*made);
  return isa<AsmStmt, ReturnStmt, BreakStmt, ContinueStmt>(stmt);
}

static bool hasEffects(const Stmt *stmt) {
  bool effects = false;
  forEachNode(stmt, [&](const Stmt *s) { effects |= isEffect(s); });
  return effects;
}

// ---- variables of one row -------------------------------------------------------------
//
//   float2 *p0 = C + row * N;            float2 *p1 = C + (row + 8 * lower) * N;
//   float2 *p1 = C + (row + 8) * N;
//   float2 c0 = *p0, is the upper's ──▶  float2 c1 = *p1;
//   c0.x = beta * c0.x + c[0];           c1.x = beta * c1.x + v[0];
//
// A variable that is changed with what belongs to one row is that row's, from its declaration on;
// so is one that only statements of one row use, where the other row has one like it.

namespace {

bool names(const Stmt *stmt, const VarDecl *variable) {
  bool found = false;
  forEachNode(stmt, [&](const Stmt *s) {
    const auto *name = dyn_cast<DeclRefExpr>(s);
    found |= name && name->getDecl() == variable;
  });
  return found;
}

// s of s.x, (&s)->x, *(int *)&s.x and s[i]; none of what a pointer variable leads to.
const VarDecl *wholeOf(const Expr *place) {
  bool isPlace = true; // else the address of one
  for (;;) {
    place = bare(place);
    const auto *member = dyn_cast<MemberExpr>(place);
    const auto *access = dyn_cast<ArraySubscriptExpr>(place);
    const auto *op = dyn_cast<UnaryOperator>(place);
    if (const auto *cast = dyn_cast<ExplicitCastExpr>(place))
      place = cast->getSubExpr();
    else if (member)
      place = member->getBase();
    else if (access)
      place = access->getBase();
    else if (op && (op->getOpcode() == UO_AddrOf || op->getOpcode() == UO_Deref))
      place = op->getSubExpr();
    else
      break;
    isPlace &= !(member && member->isArrow()) && !access && !(op && op->getOpcode() == UO_Deref);
  }
  const auto *name = dyn_cast<DeclRefExpr>(place);
  const auto *variable = name ? dyn_cast<VarDecl>(name->getDecl()) : nullptr;
  return variable && (isPlace || !variable->getType()->isPointerType()) ? variable : nullptr;
}

// What an assignment changes; null: it is none.
const Expr *targetOf(const Stmt *stmt) {
  const auto *op = dyn_cast<BinaryOperator>(stmt);
  const auto *step = dyn_cast<UnaryOperator>(stmt);
  const auto *call = dyn_cast<CXXOperatorCallExpr>(stmt);
  return op && op->isAssignmentOp()               ? op->getLHS()
         : step && step->isIncrementDecrementOp() ? step->getSubExpr()
         : call && call->isAssignmentOp()         ? call->getArg(0)
                                                  : nullptr;
}

// The statement assigns the variable, or a part of it.
bool assigns(const Stmt *stmt, const VarDecl *variable) {
  bool found = false;
  forEachNode(stmt, [&](const Stmt *s) {
    const Expr *target = targetOf(s);
    found |= target && wholeOf(target) == variable;
  });
  return found;
}

std::vector<const VarDecl *> declaredBy(const Stmt *stmt) {
  std::vector<const VarDecl *> all;
  if (const auto *declarations = dyn_cast_or_null<DeclStmt>(stmt))
    for (const Decl *decl : declarations->decls())
      if (const auto *variable = dyn_cast<VarDecl>(decl))
        all.push_back(variable);
  return all;
}

} // namespace

unsigned RowMerger::rowsOfDeclared(const Stmt *stmt) const {
  unsigned rows = 0;
  for (const VarDecl *variable : declaredBy(stmt))
    if (const auto known = derived_.find(variable); known != derived_.end())
      rows |= known->second;
  return rows;
}

bool RowMerger::giveRows(const std::vector<const Stmt *> &stmts) {
  for (bool again = true; again;) {
    again = false;
    for (const Stmt *stmt : stmts)
      for (const VarDecl *variable :
           aside_.count(stmt) ? std::vector<const VarDecl *>() : declaredBy(stmt)) {
        unsigned rows = 0;
        for (const Stmt *other : stmts)
          if (other && other != stmt && assigns(other, variable)) {
            rows |= rowsIn(other);
            keepsOrder_ = true;
          }
        if (rows == 3)
          return fail("'" + variable->getNameAsString() + "' serves both rows of a tile");
        if (rows && derived_.emplace(variable, rows).second)
          again = true;
      }
  }
  return !isByUse_ || giveRowsByUse(stmts);
}

bool RowMerger::giveRowsByUse(const std::vector<const Stmt *> &stmts) {
  for (const Stmt *stmt : llvm::reverse(stmts)) {
    const std::vector<const VarDecl *> declared = declaredBy(stmt);
    if (declared.size() != 1 || aside_.count(stmt) || derived_.count(declared[0]) || rowsIn(stmt))
      continue;
    unsigned rows = 0;
    bool isShared = false; // by a statement of no row
    for (const Stmt *other : stmts)
      if (other && other != stmt && names(other, declared[0])) {
        const unsigned its = rowsIn(other) | rowsOfDeclared(other);
        isShared |= its == 0;
        rows |= its;
      }
    if (!isShared && (rows == 1 || rows == 2))
      derived_[declared[0]] = rows;
  }
  return problem_.empty();
}

// ---- statements -----------------------------------------------------------------------

// It changes nothing but variables that each row has for itself, as the statements declare them.
//
//   float bias = 0.f;
//   if (hasBias) bias = b[col];           both rows' turns do this
//   C[row * N + col] = c[0] + bias;
bool RowMerger::changesOwn(const Stmt *stmt) const {
  std::set<const VarDecl *> own = own_;
  forEachNode(stmt, [&](const Stmt *s) {
    for (const VarDecl *variable : declaredBy(s))
      own.insert(variable);
  });
  bool isOwn = true;
  forEachNode(stmt, [&](const Stmt *s) {
    const Expr *target = targetOf(s);
    isOwn &= target ? own.count(wholeOf(target)) != 0 : !isEffect(s);
  });
  return isOwn;
}

// return, and what leaves a turn of a loop around.
static bool leaves(const Stmt *stmt, bool isInLoop = false) {
  if (!stmt || isa<LambdaExpr>(stmt))
    return false;
  if (isa<ReturnStmt, GotoStmt, IndirectGotoStmt>(stmt) ||
      (isa<BreakStmt, ContinueStmt>(stmt) && !isInLoop))
    return true;
  isInLoop |= isa<ForStmt, WhileStmt, DoStmt, CXXForRangeStmt>(stmt);
  return llvm::any_of(stmt->children(), [&](const Stmt *child) { return leaves(child, isInLoop); });
}

bool RowMerger::list(const std::vector<const Stmt *> &stmts) {
  std::vector<const Stmt *> upper;
  if (!giveRows(stmts))
    return false;
  for (const Stmt *stmt : stmts) {
    if (!stmt || aside_.count(stmt))
      continue;
    const unsigned rows = rowsIn(stmt) | rowsOfDeclared(stmt);
    if (!problem_.empty())
      return false;
    if (const IfStmt *branch = rows ? nullptr : skipsTurn(stmt)) {
      if (!skip(*branch, !upper.empty()))
        return false;
      continue;
    }
    if (isPastUpper_ && (rows & 1))
      return fail("a tile is left between the rows that its statements speak of");
    const auto *declarations = dyn_cast<DeclStmt>(stmt);
    if (declarations && rows == 3 && (!upper.empty() || waiting_ > 0 || !sideBySide(*declarations)))
      return fail("one declaration holds both rows of a tile");
    for (const VarDecl *variable : declaredBy(stmt)) {
      own_.insert(variable);
      if (rows == 1 || rows == 2)
        derived_[variable] = rows;
    }
    if (declarations && rows == 3)
      continue;
    const bool isWaiting = !upper.empty() || waiting_ > 0; // for a statement behind this one
    if (rows == 0 && hasEffects(stmt) && (isWaiting || !changesOwn(stmt)))
      return fail("the epilogue does more than hand on the accumulator's elements");
    if ((rows == 1 || rows == 2) && leaves(stmt))
      return fail("an element of one row decides whether its tile is left");
    if (rows == 3 && keepsOrder_ && !upper.empty())
      return fail("the two rows of a tile are treated differently");
    const size_t outside = waiting_;
    waiting_ += upper.size();
    const bool holds = rows != 3 || both(stmt);
    waiting_ = outside;
    if (!holds)
      return false;
    if (rows == 1)
      upper.push_back(stmt);
    else if (rows == 2 && upper.empty() && !guard(stmt, true))
      return false;
    else if (rows == 2 && !upper.empty()) {
      if (!pair(upper.front(), stmt))
        return false;
      upper.erase(upper.begin());
    }
  }
  return llvm::all_of(upper, [&](const Stmt *stmt) { return guard(stmt, false); });
}

// What comes behind it is left out: of the lower row alone, where the upper row's statements stood
// before it.
//
//   C[row * N + col] = c[0];
//   if (row + 8 >= M) continue;        ──▶  if (lower && (row + 8 >= M)) return;
//   C[(row + 8) * N + col] = c[2];          C[(row + 8 * lower) * N + col] = v[0];
bool RowMerger::skip(const IfStmt &stmt, bool isBetweenRows) {
  if (hasEffects(stmt.getCond()))
    return fail("the epilogue does more than hand on the accumulator's elements");
  if (waiting_ > 0)
    return fail("a tile is left between the rows that its statements speak of");
  if (!isBetweenRows)
    return true;
  const auto range = texts_.range(stmt.getCond()->getSourceRange());
  if (!range)
    return fail("the epilogue is written by a macro");
  edits_.push_back({{range->file, range->begin, range->begin}, lower_ + " && ("});
  edits_.push_back({{range->file, range->end, range->end}, ")"});
  usesLower_ = isPastUpper_ = true;
  return true;
}

// The body of the loop over tiles, or over rows, is a function: its 'continue' is a 'return'.
void RowMerger::skipEdits(const Stmt *stmt) {
  if (!stmt || isa<ForStmt, WhileStmt, DoStmt, CXXForRangeStmt>(stmt))
    return;
  if (isa<ContinueStmt, BreakStmt>(stmt)) {
    const auto range = texts_.range(stmt->getSourceRange());
    if (!range)
      return void(fail("the epilogue is written by a macro"));
    edits_.push_back({*range, "return"});
  }
  for (const Stmt *child : stmt->children())
    skipEdits(child);
}

bool RowMerger::both(const Stmt *stmt) {
  if (const auto *attributed = dyn_cast<AttributedStmt>(stmt))
    return both(attributed->getSubStmt());
  const llvm::SaveAndRestore<bool> outside(isBeforeElse_);
  if (const auto *block = dyn_cast<CompoundStmt>(stmt)) {
    isBeforeElse_ = false;
    return list({block->body_begin(), block->body_end()});
  }
  if (const auto *branch = dyn_cast<IfStmt>(stmt);
      branch && !rowsIn(branch->getCond()) && !branch->getInit()) {
    if (!branch->getElse())
      return list({branch->getThen()});
    const bool isOuterBeforeElse = std::exchange(isBeforeElse_, true);
    if (!list({branch->getThen()}))
      return false;
    isBeforeElse_ = isOuterBeforeElse;
    return list({branch->getElse()});
  }
  if (const auto *loop = dyn_cast<ForStmt>(stmt))
    return halve(loop);
  if (const auto *expr = dyn_cast<Expr>(stmt))
    if (const auto *call = dyn_cast<CallExpr>(bare(expr));
        call && llvm::any_of(accesses_, [&](const RegisterAccess &a) { return a.call == call; }))
      return hand(*call);
  return fail("one statement uses both rows of a tile");
}

unsigned RowMerger::rowsOf(const VarDecl &variable) {
  const auto known = derived_.find(&variable);
  return (variable.getInit() ? rowsIn(variable.getInit()) : 0) |
         (known == derived_.end() ? 0 : known->second);
}

// Where a declaration of several begins to speak of the first: behind the type, with its * and &.
static SourceLocation firstDeclarator(const VarDecl &variable, const ASTContext &context) {
  TypeLoc type = variable.getTypeSourceInfo()->getTypeLoc();
  while (type.getAs<PointerTypeLoc>() || type.getAs<ReferenceTypeLoc>() ||
         type.getAs<ArrayTypeLoc>() || type.getAs<ParenTypeLoc>() || type.getAs<QualifiedTypeLoc>())
    type = type.getNextTypeLoc();
  const auto next =
      Lexer::findNextToken(type.getEndLoc(), context.getSourceManager(), context.getLangOpts());
  return next ? next->getLocation() : SourceLocation();
}

// ... of the one behind a variable; none: it is the last.
static SourceLocation declaratorBehind(const VarDecl &variable, const ASTContext &context) {
  const auto behind = [&](SourceLocation at) {
    return Lexer::findNextToken(at, context.getSourceManager(), context.getLangOpts());
  };
  const auto comma = behind(variable.getEndLoc());
  const auto next = comma && comma->is(tok::comma) ? behind(comma->getLocation()) : std::nullopt;
  return next ? next->getLocation() : SourceLocation();
}

// float2 u = *top, v = *bottom; ──▶ float2 v = *(lower ? bottom : top);
bool RowMerger::sideBySide(const DeclStmt &stmt) {
  const std::vector<const VarDecl *> declared = declaredBy(&stmt);
  if (stmt.getBeginLoc().isMacroID() || stmt.getEndLoc().isMacroID() || declared.size() < 2)
    return false;
  SourceLocation at = firstDeclarator(*declared[0], context_);
  std::vector<const VarDecl *> upper;
  for (const VarDecl *variable : declared) {
    const SourceLocation next = declaratorBehind(*variable, context_);
    const unsigned rows = derived_[variable] = rowsOf(*variable);
    if (rows == 1) {
      const auto from = at.isValid() ? texts_.range(at) : std::nullopt;
      const auto to = next.isValid() ? texts_.range(next) : std::nullopt;
      if (!from || !to)
        return false;
      edits_.push_back({{from->file, from->begin, to->begin}, ""});
      upper.push_back(variable);
    } else if (rows != 2 || upper.empty() || !unifyDeclared(*upper.front(), *variable, edits_) ||
               (variable->getInit() && namesGone(variable->getInit()))) {
      return false;
    } else {
      upper.erase(upper.begin());
    }
    at = next;
  }
  return upper.empty();
}

// store(p, acc[i][j], n) ──▶ store(p, v, n, lower): one row of the tile is handed on, and which.
bool RowMerger::hand(const CallExpr &call) {
  bool isAlone = true;
  forEachNode(&call, [&](const Stmt *s) {
    const auto *name = dyn_cast<DeclRefExpr>(s);
    const auto *variable = name ? dyn_cast<VarDecl>(name->getDecl()) : nullptr;
    const auto found =
        llvm::find_if(accesses_, [&](const RegisterAccess &a) { return a.expr == s; });
    isAlone &= (found == accesses_.end() || found->call == &call) &&
               !(rows_ && rows_->accessAt(s)) && !(variable && derived_.count(variable));
  });
  const auto end = texts_.range(SourceRange(call.getRParenLoc()));
  if (!isAlone)
    return fail("a tile is handed on together with what belongs to one of its rows");
  if (!end)
    return fail("the epilogue is written by a macro");
  edits_.push_back({{end->file, end->begin, end->begin}, ", " + lower_});
  usesLower_ = true;
  return true;
}

std::string RowMerger::rowText(int64_t half) const {
  return half == 1 ? lower_ : std::to_string(half) + " * " + lower_;
}

// for (int r = 0; r < 4; ++r) ──▶ for (int r = 2 * lower; r < 2 * lower + 2; ++r), when
// the first half of the trips means the upper row; r += 2 is one trip for either.
bool RowMerger::halve(const ForStmt *loop) {
  const auto counter = steppedCounter(loop, context_);
  if (!counter)
    return fail("a loop over an accumulator's registers is not plain");
  const int64_t last = counter->last, step = counter->step;
  const VarDecl *const mine = counter->variable;
  std::map<int64_t, unsigned> rowsAt;
  bool known = true;
  forEachNode(loop->getBody(), [&](const Stmt *s) {
    const auto note = [&](const Values &values, int row) {
      const auto value = values.find(mine);
      known &= value != values.end();
      if (known)
        rowsAt[value->second] |= 1u << row;
    };
    if (const auto access = rows_ ? rows_->accessAt(s) : std::nullopt)
      known &= forAll(*access, note);
    if (const auto *name = dyn_cast<DeclRefExpr>(s))
      if (const auto *variable = dyn_cast<VarDecl>(name->getDecl()))
        known &= !derived_.count(variable);
    const auto found =
        llvm::find_if(accesses_, [&](const RegisterAccess &a) { return a.expr == s; });
    if (found != accesses_.end())
      known &= forAll(*found, [&](const Values &values, int row, int) { note(values, row); });
  });
  const int64_t half = last / 2;
  bool cuts = known && last == half * 2 && half % step == 0;
  for (int64_t v = 0; cuts && v < last; v += step)
    cuts = rowsAt[v] == (v < half ? 1u : 2u);
  if (!cuts) { // its turns are its own
    const size_t waiting = std::exchange(waiting_, 0);
    const bool isPast = std::exchange(isPastUpper_, false);
    const bool holds = list({loop->getBody()});
    waiting_ = waiting;
    isPastUpper_ = isPast;
    return holds;
  }
  const auto first = texts_.range(mine->getInit()->getSourceRange());
  const auto bound =
      texts_.range(cast<BinaryOperator>(loop->getCond())->getRHS()->getSourceRange());
  if (!first || !bound)
    return fail("a loop over an accumulator's registers is written by a macro");
  edits_.push_back({*first, rowText(half)});
  edits_.push_back({*bound, rowText(half) + " + " + std::to_string(half)});
  usesLower_ = true;
  return true;
}

bool RowMerger::pair(const Stmt *upper, const Stmt *lower) {
  Edits edits;
  const auto pairs = pairs_;
  if (unify(upper, lower, edits) && !namesGone(lower) && remove(upper)) {
    llvm::append_range(edits_, edits);
    return true;
  }
  pairs_ = pairs;
  return guard(upper, false) && guard(lower, true);
}

// A variable whose declaration goes, with the upper row's statement.
bool RowMerger::isGone(const VarDecl &variable) const {
  return pairs_.count(&variable) && !isSum(&variable);
}

bool RowMerger::namesGone(const Stmt *stmt) const {
  bool any = false;
  forEachNode(stmt, [&](const Stmt *s) {
    const auto *name = dyn_cast<DeclRefExpr>(s);
    const auto *variable = name ? dyn_cast<VarDecl>(name->getDecl()) : nullptr;
    any |= variable && isGone(*variable);
  });
  return any;
}

bool RowMerger::guard(const Stmt *stmt, bool isLower) {
  const auto range = texts_.statement(stmt->getSourceRange());
  if (isa<DeclStmt, AttributedStmt>(stmt) || !range || namesGone(stmt) || (keepsOrder_ && !isLower))
    return fail("the two rows of a tile are treated differently");
  usesLower_ = true;
  edits_.push_back(
      {{range->file, range->begin, range->begin},
       std::string(isBeforeElse_ ? "{ " : "") + "if (" + (isLower ? "" : "!") + lower_ + ") "});
  const unsigned end = withSemicolon(*range, *stmt);
  if (isBeforeElse_) // the author's else is not this condition's
    edits_.push_back({{range->file, end, end}, " }"});
  return true;
}

// The end of a statement with its ';'.
unsigned RowMerger::withSemicolon(const TextRange &range, const Stmt &stmt) const {
  Around around(context_, stmt.getSourceRange(), range);
  around.takeSemicolon();
  return around.range().end;
}

bool RowMerger::drop(const Stmt *stmt, std::vector<SourceEdit> &edits) {
  const bool holds = remove(stmt);
  llvm::append_range(edits, edits_);
  return holds;
}

// With its ';', and the line where nothing else stands on it but others that go.
bool RowMerger::remove(const Stmt *stmt) {
  const auto range = texts_.statement(stmt->getSourceRange());
  if (!range)
    return false;
  Around around(context_, stmt->getSourceRange(), *range);
  around.takeSemicolon();
  const bool isNext = removed_ && !edits_.empty() && edits_.back().text.empty() &&
                      edits_.back().range.contains(removed_->range()) && removed_->growOver(around);
  if (isNext)
    edits_.pop_back();
  else
    removed_ = around;
  edits_.push_back({removed_->withLines(), ""});
  return true;
}

// e of acc[j * 4 + e], where tiles of four registers lie in one array.
const Expr *RowMerger::registerPart(const RegisterAccess &access) const {
  const Expr *index = bare(access.index);
  const int64_t registers = isPacked_ ? 2 : 4;
  const auto isOfTile = [&](const Expr *term) {
    const auto read = linearIndex(term, context_);
    return read && read->constant % registers == 0 &&
           llvm::all_of(read->terms,
                        [&](const auto &each) { return each.second % registers == 0; });
  };
  for (;;) {
    const auto *sum = access.flatTile ? dyn_cast<BinaryOperator>(index) : nullptr;
    if (!sum || sum->getOpcode() != BO_Add)
      return index;
    if (isOfTile(sum->getLHS()))
      index = bare(sum->getRHS());
    else if (isOfTile(sum->getRHS()))
      index = bare(sum->getLHS());
    else
      return index;
  }
}

// acc[i][j][2 * h + 1] ──▶ v[1]
void RowMerger::valueEdits(const std::vector<const Stmt *> &stmts) {
  for (const Stmt *stmt : stmts)
    forEachNode(stmt, [&](const Stmt *s) {
      const auto access =
          llvm::find_if(accesses_, [&](const RegisterAccess &a) { return a.expr == s; });
      if (access == accesses_.end())
        return;
      const std::string &value =
          access->pointer.empty() ? values_[static_cast<size_t>(access->which)] : access->pointer;
      std::set<int> neighbours;
      forAll(*access, [&](const Values &, int, int neighbour) { neighbours.insert(neighbour); });
      const auto range = texts_.range(access->expr->getSourceRange());
      const Expr *part = access->index ? registerPart(*access) : nullptr;
      const auto index = part ? texts_.range(part->getSourceRange()) : std::nullopt;
      if (range && access->call)
        return void(edits_.push_back({*range, value}));
      if (!range || neighbours.empty() || (neighbours.size() > 1 && !index))
        return void(fail("an accumulator's register is named inside a macro"));
      std::string text = value;
      if (isPacked_ && !access->pointer.empty())
        text += "[0]";
      else if (!isPacked_ && neighbours.size() == 1)
        text += "[" + std::to_string(*neighbours.begin()) + "]";
      else if (!isPacked_)
        text += "[" +
                (isa<DeclRefExpr>(part) ? sourceRange(index->begin, index->end)
                                        : "(" + sourceRange(index->begin, index->end) + ")") +
                " & 1]";
      edits_.push_back({*range, text});
    });
}

// s1 ──▶ (h ? s1 : s0), and s0 likewise where a statement of its own is left.
void RowMerger::sumEdits(const std::vector<const Stmt *> &stmts) {
  for (const Stmt *stmt : stmts)
    forEachNode(stmt, [&](const Stmt *s) {
      const auto *name = dyn_cast<DeclRefExpr>(s);
      const auto *variable = name ? dyn_cast<VarDecl>(name->getDecl()) : nullptr;
      for (const auto &[lower, upper] : sums_)
        if (variable == lower || variable == upper) {
          const auto range = texts_.range(name->getSourceRange());
          if (!range)
            return void(fail("a sum over a row is named inside a macro"));
          edits_.push_back({*range, "(" + pairName_ + " ? " + lower->getNameAsString() + " : " +
                                        upper->getNameAsString() + ")"});
        }
    });
}

// (h ? bottom.m : top.m)
std::string RowMerger::eitherRow(const RowValues::Access &access) const {
  const auto spell = [this](const Expr *index) { return texts_.spelled(index); };
  const std::string own = texts_.spelled(access.expr), other = *rows_->textOfOther(access, spell);
  return "(" + pairName_ + " ? " + (access.row ? own : other) + " : " + (access.row ? other : own) +
         ")";
}

// l[r] ──▶ l[h]
void RowMerger::rowEdits(const std::vector<const Stmt *> &stmts) {
  for (const Stmt *stmt : stmts)
    for (const RowValues::Access &access :
         rows_ ? rows_->accessesIn(stmt) : std::vector<RowValues::Access>()) {
      const Expr *changed = access.index ? access.index : access.expr;
      const auto range = texts_.range(changed->getSourceRange());
      if (!range)
        return void(fail("a value of a row is named inside a macro"));
      edits_.push_back({*range, access.index ? pairName_ : eitherRow(access)});
    }
}

// ---- side by side ---------------------------------------------------------------------

bool RowMerger::same(const Stmt *a, const Stmt *b) const {
  llvm::FoldingSetNodeID left, right;
  a->Profile(left, context_, true);
  b->Profile(right, context_, true);
  return left == right;
}

// Are two nodes of one kind, so that only their children can differ?
static bool sameKind(const Stmt *a, const Stmt *b) {
  if (a->getStmtClass() != b->getStmtClass())
    return false;
  if (const auto *x = dyn_cast<BinaryOperator>(a))
    return x->getOpcode() == cast<BinaryOperator>(b)->getOpcode();
  if (const auto *x = dyn_cast<UnaryOperator>(a))
    return x->getOpcode() == cast<UnaryOperator>(b)->getOpcode();
  if (const auto *x = dyn_cast<CallExpr>(a))
    return x->getDirectCallee() && x->getDirectCallee() == cast<CallExpr>(b)->getDirectCallee() &&
           x->getNumArgs() == cast<CallExpr>(b)->getNumArgs();
  if (const auto *x = dyn_cast<MemberExpr>(a))
    return x->getMemberDecl() == cast<MemberExpr>(b)->getMemberDecl();
  if (const auto *x = dyn_cast<ExplicitCastExpr>(a))
    return x->getType().getCanonicalType() ==
           cast<ExplicitCastExpr>(b)->getType().getCanonicalType();
  if (const auto *x = dyn_cast<CXXConstructExpr>(a))
    return x->getConstructor() == cast<CXXConstructExpr>(b)->getConstructor() &&
           x->getNumArgs() == cast<CXXConstructExpr>(b)->getNumArgs();
  if (const auto *x = dyn_cast<InitListExpr>(a))
    return x->getNumInits() == cast<InitListExpr>(b)->getNumInits();
  if (const auto *x = dyn_cast<IfStmt>(a))
    return !x->getElse() == !cast<IfStmt>(b)->getElse() && !x->getInit() &&
           !cast<IfStmt>(b)->getInit();
  return isa<ArraySubscriptExpr, ConditionalOperator, CompoundStmt>(a);
}

// l[0] and l[1] of one l, top.m and bottom.m.
bool RowMerger::isOtherRow(const RowValues::Access &upper, const RowValues::Access &lower) const {
  if (!upper.index != !lower.index || upper.steps.size() != lower.steps.size())
    return false;
  for (size_t i = 0; i < upper.steps.size(); ++i) {
    const Expr *one = upper.steps[i].index, *other = lower.steps[i].index;
    if (!one != !other || (one && one != upper.index && !same(bare(one), bare(other))))
      return false;
    if (upper.index && upper.steps[i].member != lower.steps[i].member)
      return false;
  }
  if (upper.index)
    return upper.variable == lower.variable && valueOf(upper.index, {}, context_) == 0 &&
           valueOf(lower.index, {}, context_) == 1;
  const auto spell = [this](const Expr *index) { return texts_.spelled(index); };
  return upper.row == 0 && lower.row == 1 &&
         rows_->textOfOther(upper, spell) == texts_.spelled(lower.expr);
}

bool RowMerger::unify(const Stmt *upper, const Stmt *lower, Edits &edits) {
  if (const auto *a = dyn_cast<Expr>(upper)) {
    const auto *b = dyn_cast<Expr>(lower);
    if (!b)
      return false;
    upper = a = bare(a);
    lower = b = bare(b);
    const RegisterAccess *left = accessAt(a), *right = accessAt(b);
    if (left && right) {
      const auto one = registerOf(*left), other = registerOf(*right);
      return one && other && left->which == right->which && left->pointer == right->pointer &&
             one->terms == other->terms && other->constant - one->constant == (isPacked_ ? 1 : 2);
    }
    if (left || right)
      return false;
    const auto first = rows_ ? rows_->accessAt(a) : std::nullopt,
               second = rows_ ? rows_->accessAt(b) : std::nullopt;
    if (first || second)
      return first && second && isOtherRow(*first, *second);
    if (same(a, b))
      return true;
    const auto *x = dyn_cast<DeclRefExpr>(a), *y = dyn_cast<DeclRefExpr>(b);
    if (x && y)
      if (const auto *variable = dyn_cast<VarDecl>(x->getDecl()); pairs_.count(variable))
        return pairs_.at(variable) == y->getDecl();
    if (unifySum(a, b, edits))
      return true;
    Edits inner;
    if (sameKind(a, b) && unifyChildren(a, b, inner)) {
      llvm::append_range(edits, inner);
      return true;
    }
    return choose(a, b, edits);
  }
  const auto *x = dyn_cast<DeclStmt>(upper), *y = dyn_cast<DeclStmt>(lower);
  if (x && y) {
    const std::vector<const VarDecl *> a = declaredBy(x), b = declaredBy(y);
    if (a.empty() || a.size() != b.size() || llvm::size(x->decls()) != llvm::size(y->decls()))
      return false;
    for (size_t i = 0; i < a.size(); ++i)
      if (!unifyDeclared(*a[i], *b[i], edits))
        return false;
    return true;
  }
  return sameKind(upper, lower) && unifyChildren(upper, lower, edits);
}

bool RowMerger::unifyDeclared(const VarDecl &upper, const VarDecl &lower, Edits &edits) {
  if (!upper.getInit() != !lower.getInit() ||
      upper.getType().getCanonicalType() != lower.getType().getCanonicalType() ||
      (upper.getInit() && !unify(upper.getInit(), lower.getInit(), edits)))
    return false;
  pairs_[&upper] = &lower;
  return true;
}

bool RowMerger::unifyChildren(const Stmt *upper, const Stmt *lower, Edits &edits) {
  std::vector<const Stmt *> a(upper->child_begin(), upper->child_end());
  std::vector<const Stmt *> b(lower->child_begin(), lower->child_end());
  if (a.size() != b.size() || a.empty())
    return false;
  for (size_t i = 0; i < a.size(); ++i)
    if (!a[i] != !b[i] || (a[i] && !unify(a[i], b[i], edits)))
      return false;
  return true;
}

// What it adds nothing to is the same number, in whatever stands around: no wrap at another width,
// no sign lost, no -0.f that + 0 makes 0.f.
static bool isSameNumber(QualType number, QualType sum, const ASTContext &context) {
  number = number.getCanonicalType().getUnqualifiedType();
  sum = sum.getCanonicalType().getUnqualifiedType();
  if (number == sum)
    return !number->isFloatingType();
  if (context.isPromotableIntegerType(number))
    number = context.getPromotedIntegerType(number).getCanonicalType();
  return number == sum || (number->isSignedIntegerType() && sum->isSignedIntegerType());
}

// lower = upper + term, or term + upper: the term counts for the lower row only.
bool RowMerger::unifySum(const Expr *upper, const Expr *lower, Edits &edits) {
  const auto *sum = dyn_cast<BinaryOperator>(lower);
  if (!sum || sum->getOpcode() != BO_Add ||
      !isSameNumber(upper->getType(), sum->getType(), context_))
    return false;
  const Expr *left = bare(sum->getLHS()), *right = bare(sum->getRHS());
  if (isSameInRow(upper, left))
    return multiply(sum->getRHS(), edits);
  return isSameInRow(upper, right) && multiply(sum->getLHS(), edits);
}

// What the lower row's text says of the upper row, too: it is the same, or names variables that are
// the upper row's variables where the statement is for that row.
bool RowMerger::isSameInRow(const Expr *upper, const Expr *lower) {
  Edits edits;
  const bool areNames = isa<DeclRefExpr>(upper) && isa<DeclRefExpr>(lower);
  return same(upper, lower) || (areNames && unify(upper, lower, edits) && edits.empty());
}

// term ──▶ term * lower
bool RowMerger::multiply(const Expr *term, Edits &edits) {
  const Expr *inner = term->IgnoreImpCasts();
  const auto *product = dyn_cast<BinaryOperator>(inner);
  const bool binds = isa<IntegerLiteral, DeclRefExpr, ParenExpr, CallExpr, ArraySubscriptExpr,
                         SubstNonTypeTemplateParmExpr>(inner) ||
                     (product && product->getOpcode() == BO_Mul);
  const auto range = texts_.range(inner->getSourceRange());
  if (!inner->getType()->isIntegerType() || !binds || !range || inner->HasSideEffects(context_) ||
      rowsIn(inner))
    return false;
  usesLower_ = true;
  edits.push_back({{range->file, range->end, range->end}, " * " + lower_});
  return true;
}

// In brackets: what else binds there is of no matter.
bool RowMerger::isIndex(const Expr &expr) const {
  const Stmt *at = &expr;
  while (at && isa<Expr>(at) && bare(cast<Expr>(at)) == &expr) {
    const auto parents = context_.getParents(*at);
    at = parents.empty() ? nullptr : parents[0].get<Stmt>();
  }
  const auto *access = dyn_cast_or_null<ArraySubscriptExpr>(at);
  return access && bare(access->getIdx()) == &expr;
}

// The upper row's text is put where the lower row's stands. Variables of the upper row that have
// one of the lower row for themselves are that one here; all else must mean what it meant.
//
//   { const float lo = bias[row];     C[at] = c[0] * lo; }
//   { const float hi = bias[row + 8]; C[at + 8 * N] = c[2] * (hi + 1); }
//     ──▶  { const float hi = bias[row + 8 * lower]; C[...] = v[0] * (lower ? hi + 1 : hi); }
std::optional<std::string> RowMerger::movedText(const Expr *text, const Expr *place) {
  const auto isPaired = [&](const VarDecl &variable) { return isGone(variable); };
  const auto whole = texts_.range(text->getSourceRange());
  if (!whole || !meansTheSame(*text, *place, context_, isPaired))
    return std::nullopt;
  bool holds = true;
  std::map<unsigned, std::pair<unsigned, std::string>> names; // by where they begin
  forEachNode(text, [&](const Stmt *s) {
    const auto *name = dyn_cast<DeclRefExpr>(s);
    const auto *variable = name ? dyn_cast<VarDecl>(name->getDecl()) : nullptr;
    if (!variable || !isGone(*variable))
      return;
    const VarDecl *own = pairs_.at(variable);
    const auto range = texts_.range(name->getSourceRange());
    holds &= range && localNamed(own->getName(), *place, context_) == own;
    if (holds)
      names[range->begin] = {range->end, own->getNameAsString()};
  });
  std::string moved;
  unsigned at = whole->begin;
  for (const auto &[begin, name] : names) {
    moved += (at < begin ? sourceRange(at, begin) : "") + name.second;
    at = name.first;
  }
  moved += at < whole->end ? sourceRange(at, whole->end) : "";
  return holds ? std::optional(moved) : std::nullopt;
}

static bool isList(const Expr *expr) {
  const auto *op = dyn_cast<BinaryOperator>(expr);
  return op && op->isCommaOp();
}

// lower ? the one : the other
bool RowMerger::choose(const Expr *upper, const Expr *lower, Edits &edits) {
  const auto a = texts_.range(upper->getSourceRange()), b = texts_.range(lower->getSourceRange());
  if (!a || !b || a->file != b->file || isList(upper) || isList(lower) ||
      upper->HasSideEffects(context_) || lower->HasSideEffects(context_) || rowsIn(upper) ||
      rowsIn(lower) ||
      upper->getType().getCanonicalType().getUnqualifiedType() !=
          lower->getType().getCanonicalType().getUnqualifiedType() ||
      namesGone(lower))
    return false;
  const std::optional<std::string> first = movedText(upper, lower);
  if (!first)
    return false;
  usesLower_ = true;
  const std::string second = sourceRange(b->begin, b->end);
  const auto *none = dyn_cast<IntegerLiteral>(upper);
  const auto *product = dyn_cast<BinaryOperator>(lower);
  const bool isTerm =
      (isa<IntegerLiteral, DeclRefExpr>(lower) && lower->getType()->isIntegerType()) ||
      (product && product->getOpcode() == BO_Mul);
  if (none && none->getValue() == 0 && isTerm && isIndex(*lower))
    edits.push_back({*b, second + " * " + lower_});
  else if (none && none->getValue() == 0 && isTerm)
    edits.push_back({*b, "(" + second + " * " + lower_ + ")"});
  else
    edits.push_back({*b, "(" + lower_ + " ? " + second + " : " + *first + ")"});
  return true;
}

} // namespace layout_port::native
