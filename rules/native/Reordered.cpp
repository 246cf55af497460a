#include "native/Reordered.h"

#include "native/AstRead.h"
#include "native/MergeRows.h"

#include "clang/AST/ParentMapContext.h"
#include "llvm/ADT/STLExtras.h"

#include <map>

using namespace clang;

namespace layout_port::native {

namespace {

constexpr int64_t kMostNumbers = 4096; // of all counters together
constexpr int64_t kMost = 1 << 20;     // no number on the way is larger: none wraps around

using Numbers = std::map<const VarDecl *, int64_t>;

std::optional<int64_t> within(int64_t value, QualType type) {
  const bool mayBe = type->isSignedIntegerOrEnumerationType() ? -kMost < value : 0 <= value;
  return mayBe && value < kMost ? std::optional(value) : std::nullopt;
}

std::optional<int64_t> applied(BinaryOperatorKind op, int64_t a, int64_t b) {
  const bool mayDivide = b > 0 && a >= 0, mayShift = 0 <= b && b < 20 && a >= 0;
  switch (op) {
  case BO_Add:
    return a + b;
  case BO_Sub:
    return a - b;
  case BO_Mul:
    return a * b;
  case BO_Div:
    return mayDivide ? std::optional(a / b) : std::nullopt;
  case BO_Rem:
    return mayDivide ? std::optional(a % b) : std::nullopt;
  case BO_And:
    return a & b;
  case BO_Or:
    return a | b;
  case BO_Xor:
    return a ^ b;
  case BO_Shl:
    return mayShift ? std::optional(a << b) : std::nullopt;
  case BO_Shr:
    return mayShift ? std::optional(a >> b) : std::nullopt;
  case BO_EQ:
    return a == b;
  case BO_NE:
    return a != b;
  case BO_LT:
    return a < b;
  case BO_LE:
    return a <= b;
  case BO_GT:
    return a > b;
  case BO_GE:
    return a >= b;
  case BO_LAnd:
    return a && b;
  case BO_LOr:
    return a || b;
  default:
    return std::nullopt;
  }
}

// What it is worth where the counters have these numbers.
std::optional<int64_t> valueOf(const Expr *expr, const Numbers &numbers,
                               const ASTContext &context) {
  expr = stripped(expr);
  const QualType type = expr->getType();
  Expr::EvalResult constant;
  if (expr->isValueDependent() || !type->isIntegralOrEnumerationType())
    return std::nullopt;
  if (expr->EvaluateAsInt(constant, context)) {
    const auto number = constant.Val.getInt().tryExtValue();
    return number ? within(*number, type) : std::nullopt;
  }
  std::optional<int64_t> value;
  if (const auto *name = dyn_cast<DeclRefExpr>(expr)) {
    const auto known = numbers.find(dyn_cast<VarDecl>(name->getDecl()));
    if (known != numbers.end())
      value = known->second;
  } else if (const auto *choice = dyn_cast<ConditionalOperator>(expr)) {
    const auto which = valueOf(choice->getCond(), numbers, context);
    if (which)
      value = valueOf(*which ? choice->getTrueExpr() : choice->getFalseExpr(), numbers, context);
  } else if (const auto *one = dyn_cast<UnaryOperator>(expr)) {
    const auto of = valueOf(one->getSubExpr(), numbers, context);
    if (of && one->getOpcode() == UO_LNot)
      value = !*of;
    else if (of && one->getOpcode() == UO_Minus)
      value = -*of;
  } else if (const auto *op = dyn_cast<BinaryOperator>(expr)) {
    const auto a = valueOf(op->getLHS(), numbers, context);
    const auto b = valueOf(op->getRHS(), numbers, context);
    if (a && b)
      value = applied(op->getOpcode(), *a, *b);
  }
  return value ? within(*value, type) : std::nullopt;
}

// The counted loops around the declaration in its function, the innermost first, which is the one
// that declares it in each turn. None: it is declared in no such turn.
std::vector<const ForStmt *> loopsAround(const VarDecl &variable, ASTContext &context) {
  std::vector<const ForStmt *> loops;
  const auto declared = context.getParents(variable);
  const Stmt *at = declared.empty() ? nullptr : declared[0].get<DeclStmt>();
  bool isInTurn = true; // nothing stands between it and the loop but its body
  while (at) {
    const auto parents = context.getParents(*at);
    const Stmt *up = parents.empty() ? nullptr : parents[0].get<Stmt>();
    const auto *loop = dyn_cast_or_null<ForStmt>(up);
    if (loop && loop->getBody() == at)
      loops.push_back(loop);
    else if (up && !isa<CompoundStmt>(up) && loops.empty())
      isInTurn = false;
    at = up;
  }
  return isInTurn ? loops : std::vector<const ForStmt *>();
}

// The body says nothing of the counter but there, and all of it is run in each turn.
bool isAllOfTurn(const VarDecl &variable, const VarDecl &counter, const Stmt &body) {
  class Names : public DynamicRecursiveASTVisitor {
  public:
    Names(const VarDecl &variable, const VarDecl &counter)
        : variable_(variable), counter_(counter) {}
    bool TraverseVarDecl(VarDecl *declared) override {
      return declared == &variable_ || DynamicRecursiveASTVisitor::TraverseVarDecl(declared);
    }
    bool VisitDeclRefExpr(DeclRefExpr *name) override { return name->getDecl() != &counter_; }
    bool VisitStmt(Stmt *stmt) override {
      return !isa<IfStmt, SwitchStmt, BreakStmt, ContinueStmt, ReturnStmt, GotoStmt, LabelStmt,
                  WhileStmt, DoStmt, LambdaExpr>(stmt);
    }

  private:
    const VarDecl &variable_, &counter_;
  };
  return Names(variable, counter).TraverseStmt(const_cast<Stmt *>(&body));
}

// For these numbers of the other counters.
bool isEachOnce(const Reordered &of, Numbers numbers, const ASTContext &context) {
  std::vector<bool> seen(static_cast<size_t>(of.turns));
  for (int64_t turn = 0; turn < of.turns; ++turn) {
    numbers[of.counter] = turn;
    const auto value = valueOf(of.variable->getInit(), numbers, context);
    if (!value || *value < 0 || *value >= of.turns || seen[static_cast<size_t>(*value)])
      return false;
    seen[static_cast<size_t>(*value)] = true;
  }
  return true;
}

bool isEachOnce(const Reordered &of, const std::map<const VarDecl *, int64_t> &turns, size_t next,
                Numbers &numbers, const ASTContext &context) {
  if (next == of.others.size())
    return isEachOnce(of, numbers, context);
  for (int64_t turn = 0; turn < turns.at(of.others[next]); ++turn) {
    numbers[of.others[next]] = turn;
    if (!isEachOnce(of, turns, next + 1, numbers, context))
      return false;
  }
  return true;
}

} // namespace

std::optional<Reordered> reorderedBy(const VarDecl &variable, ASTContext &context) {
  if (!variable.isLocalVarDecl() || !variable.hasLocalStorage() || !variable.getInit() ||
      !variable.getType()->isIntegerType() || variable.getType()->isBooleanType())
    return std::nullopt;
  const std::vector<const ForStmt *> loops = loopsAround(variable, context);
  const auto own = loops.empty() ? std::nullopt : plainCounter(loops[0], context);
  if (!own || own->second < 2 || !isAllOfTurn(variable, *own->first, *loops[0]->getBody()))
    return std::nullopt;
  Reordered found{&variable, own->first, loops[0], own->second, {}};
  std::map<const VarDecl *, int64_t> turns;
  for (const ForStmt *loop : loops)
    if (const auto counter = plainCounter(loop, context))
      turns.insert(*counter);
  Inputs inputs;
  inputs.TraverseStmt(const_cast<Expr *>(variable.getInit()));
  if (inputs.readsMemory || !llvm::is_contained(inputs.found, found.counter))
    return std::nullopt;
  int64_t all = found.turns;
  for (const VarDecl *input : inputs.found) {
    const auto known = turns.find(input);
    if (input == found.counter || input->isConstexpr() || llvm::is_contained(found.others, input))
      continue;
    if (known == turns.end() || (all *= std::max<int64_t>(known->second, 1)) > kMostNumbers)
      return std::nullopt;
    found.others.push_back(input);
  }
  Numbers numbers;
  return all <= kMostNumbers && isEachOnce(found, turns, 0, numbers, context) ? std::optional(found)
                                                                              : std::nullopt;
}

} // namespace layout_port::native
