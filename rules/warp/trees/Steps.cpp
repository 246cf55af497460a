#include "warp/trees/Steps.h"

#include "clang/AST/DeclCXX.h"
#include "clang/AST/DynamicRecursiveASTVisitor.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtCXX.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/StringSwitch.h"

using namespace clang;

namespace layout_port::trees {

const Expr *plain(const Expr *expr) {
  for (const Expr *before = nullptr; expr && expr != before;) {
    before = expr;
    expr = expr->IgnoreParenImpCasts()->IgnoreImplicit();
    const auto *copy = dyn_cast<CXXConstructExpr>(expr);
    if (copy && copy->getNumArgs() == 1 && copy->getConstructor()->isCopyOrMoveConstructor())
      expr = copy->getArg(0);
  }
  return expr;
}

static const VarDecl *variableOf(const Expr *expr) {
  const auto *name = dyn_cast_or_null<DeclRefExpr>(expr ? plain(expr) : nullptr);
  return name ? dyn_cast<VarDecl>(name->getDecl()) : nullptr;
}

namespace {

class Names : public DynamicRecursiveASTVisitor {
public:
  explicit Names(const VarDecl *wanted) : wanted_(wanted) {}
  bool VisitDeclRefExpr(DeclRefExpr *name) override { return !(hit |= name->getDecl() == wanted_); }
  bool hit = false;

private:
  const VarDecl *wanted_;
};

// Uses of a variable that are not reads of its value.
class Writes : public DynamicRecursiveASTVisitor {
public:
  explicit Writes(const VarDecl *wanted) : wanted_(wanted) {}
  bool VisitImplicitCastExpr(ImplicitCastExpr *cast) override {
    if (cast->getCastKind() == CK_LValueToRValue)
      reads_.insert(cast->getSubExpr()->IgnoreParens());
    return true;
  }
  bool VisitDeclRefExpr(DeclRefExpr *name) override {
    if (name->getDecl() == wanted_)
      all_.insert(name);
    return true;
  }
  bool VisitGCCAsmStmt(GCCAsmStmt *code) override {
    for (unsigned i = 0; i < code->getNumOutputs(); ++i)
      if (variableOf(code->getOutputExpr(i)) == wanted_ && !code->isOutputPlusConstraint(i))
        writers_[code->getOutputExpr(i)->IgnoreParens()] = code;
    return true;
  }

  // Uses that are no reads, but for those of asm statements, which are counted apart.
  unsigned others(const GCCAsmStmt *&writer) const {
    unsigned count = 0;
    for (const Expr *name : all_) {
      const auto asmWrite = writers_.find(name);
      if (asmWrite != writers_.end() && !writer)
        writer = asmWrite->second;
      else
        count += !reads_.count(name);
    }
    return count;
  }

private:
  const VarDecl *wanted_;
  llvm::DenseSet<const Expr *> reads_, all_;
  llvm::DenseMap<const Expr *, const GCCAsmStmt *> writers_;
};

} // namespace

bool mentions(const Stmt *stmt, const VarDecl *variable) {
  Names names(variable);
  names.TraverseStmt(const_cast<Stmt *>(stmt));
  return names.hit;
}

bool isOnlyRead(const VarDecl *variable, const GCCAsmStmt **writer) {
  const auto *function = dyn_cast_or_null<FunctionDecl>(variable->getParentFunctionOrMethod());
  if (!function || !function->getBody() || variable->getType()->isReferenceType() ||
      variable->getType().isVolatileQualified())
    return false;
  Writes writes(variable);
  writes.TraverseStmt(function->getBody());
  const GCCAsmStmt *found = nullptr;
  const unsigned others = writes.others(found);
  if (writer)
    *writer = found;
  return others == 0 && (writer || !found);
}

std::optional<int64_t> constantOf(const Expr *expr, const ASTContext &context) {
  Expr::EvalResult result;
  if (!expr->isValueDependent() && expr->getType()->isIntegralOrEnumerationType() &&
      expr->EvaluateAsInt(result, context))
    return result.Val.getInt().getExtValue();
  const VarDecl *variable = variableOf(expr);
  if (!variable || !variable->isLocalVarDecl() || !variable->getInit() ||
      variable->isStaticLocal() || !isOnlyRead(variable))
    return std::nullopt;
  return constantOf(variable->getInit(), context);
}

// ---- how far

namespace {

// Whole numbers with one variable in them.
class Count {
public:
  Count(const VarDecl *variable, const ASTContext &context)
      : variable_(variable), context_(context) {}

  std::optional<int64_t> of(const Expr *expr, int64_t at) const {
    expr = plain(expr);
    if (variable_ && variableOf(expr) == variable_)
      return at;
    if (const auto *binary = dyn_cast<BinaryOperator>(expr);
        binary && variable_ && mentions(binary, variable_)) {
      const auto a = of(binary->getLHS(), at), b = of(binary->getRHS(), at);
      return a && b ? combine(binary->getOpcode(), *a, *b) : std::nullopt;
    }
    return constantOf(expr, context_);
  }

  // The variable after `o /= 2`, `o = o >> 1`, `++o`.
  std::optional<int64_t> after(const Expr *step, int64_t at) const {
    step = step->IgnoreParens();
    if (const auto *unary = dyn_cast<UnaryOperator>(step))
      return unary->isIncrementDecrementOp() && variableOf(unary->getSubExpr()) == variable_
                 ? std::optional<int64_t>(at + (unary->isIncrementOp() ? 1 : -1))
                 : std::nullopt;
    const auto *binary = dyn_cast<BinaryOperator>(step);
    if (!binary || !binary->isAssignmentOp() || variableOf(binary->getLHS()) != variable_)
      return std::nullopt;
    const auto value = of(binary->getRHS(), at);
    if (!value || binary->getOpcode() == BO_Assign)
      return value;
    return combine(BinaryOperator::getOpForCompoundAssignment(binary->getOpcode()), at, *value);
  }

private:
  static std::optional<int64_t> combine(BinaryOperatorKind kind, int64_t a, int64_t b) {
    const bool shifts = b >= 0 && b < 32 && a >= 0;
    switch (kind) {
    case BO_Add:
      return a + b;
    case BO_Sub:
      return a - b;
    case BO_Mul:
      return a * b;
    case BO_Div:
      return b ? std::optional<int64_t>(a / b) : std::nullopt;
    case BO_Shl:
      return shifts ? std::optional<int64_t>(a << b) : std::nullopt;
    case BO_Shr:
      return shifts ? std::optional<int64_t>(a >> b) : std::nullopt;
    case BO_LT:
      return a < b;
    case BO_LE:
      return a <= b;
    case BO_GT:
      return a > b;
    case BO_GE:
      return a >= b;
    case BO_NE:
      return a != b;
    default:
      return std::nullopt;
    }
  }

  const VarDecl *variable_;
  const ASTContext &context_;
};

} // namespace

const VarDecl *counterOf(const ForStmt *loop) {
  if (const auto *declaration = dyn_cast_or_null<DeclStmt>(loop->getInit()))
    return declaration->isSingleDecl() ? dyn_cast<VarDecl>(declaration->getSingleDecl()) : nullptr;
  const auto *assignment = dyn_cast_or_null<BinaryOperator>(loop->getInit());
  return assignment && assignment->getOpcode() == BO_Assign ? variableOf(assignment->getLHS())
                                                            : nullptr;
}

static const Expr *firstValue(const ForStmt *loop) {
  if (const auto *assignment = dyn_cast<BinaryOperator>(loop->getInit()))
    return assignment->getRHS();
  return counterOf(loop)->getInit();
}

std::vector<int64_t> valuesIn(const ForStmt *loop, const Expr *expr, const ASTContext &context) {
  std::vector<int64_t> values;
  if (!loop) {
    if (const auto value = constantOf(expr, context))
      values.push_back(*value);
    return values;
  }
  const VarDecl *counter = counterOf(loop);
  if (!counter || !firstValue(loop) || !loop->getCond() || !loop->getInc() ||
      !counter->getType()->isIntegerType())
    return {};
  const Count count(counter, context);
  std::optional<int64_t> at = constantOf(firstValue(loop), context);
  for (unsigned trip = 0; trip < 9 && at; ++trip) {
    const auto goes = count.of(loop->getCond(), *at);
    if (!goes)
      return {};
    if (!*goes)
      return values;
    const auto value = count.of(expr, *at);
    if (!value)
      return {};
    values.push_back(*value);
    at = count.after(loop->getInc(), *at);
  }
  return {};
}

// ---- v

std::vector<const Stmt *> statementsOf(const Stmt *body) {
  std::vector<const Stmt *> result;
  if (const auto *block = dyn_cast<CompoundStmt>(body)) {
    for (const Stmt *stmt : block->body())
      if (!isa<NullStmt>(stmt))
        result.push_back(stmt);
  } else if (!isa<NullStmt>(body)) {
    result.push_back(body);
  }
  return result;
}

bool isSame(const Expr *a, const Expr *b, const ASTContext &context) {
  llvm::FoldingSetNodeID x, y;
  plain(a)->Profile(x, context, /*Canonical=*/true);
  plain(b)->Profile(y, context, /*Canonical=*/true);
  return x == y;
}

// The variable that holds `value`, if it is a thread's own: v, v[i], v.x, v[i].x.
static const VarDecl *baseOf(const Expr *value, const ASTContext &context) {
  value = value->IgnoreParenImpCasts();
  if (value->getType().isVolatileQualified())
    return nullptr;
  if (const auto *element = dyn_cast<ArraySubscriptExpr>(value)) {
    const Expr *array = element->getBase()->IgnoreParenImpCasts();
    const bool isPlain =
        array->getType()->isArrayType() && !element->getIdx()->HasSideEffects(context);
    return isPlain ? baseOf(array, context) : nullptr;
  }
  if (const auto *member = dyn_cast<MemberExpr>(value))
    return member->isArrow() || !isa<FieldDecl>(member->getMemberDecl())
               ? nullptr
               : baseOf(member->getBase(), context);
  const auto *name = dyn_cast<DeclRefExpr>(value);
  const auto *variable = name ? dyn_cast<VarDecl>(name->getDecl()) : nullptr;
  return variable && variable->hasLocalStorage() ? variable : nullptr;
}

bool isApart(const Expr *a, const Expr *b, const ASTContext &context) {
  a = a->IgnoreParenImpCasts();
  b = b->IgnoreParenImpCasts();
  const VarDecl *baseA = baseOf(a, context), *baseB = baseOf(b, context);
  if (!baseA || !baseB)
    return false;
  if (baseA != baseB)
    return !baseA->getType()->isReferenceType() && !baseB->getType()->isReferenceType();
  const auto *memberA = dyn_cast<MemberExpr>(a), *memberB = dyn_cast<MemberExpr>(b);
  if (memberA && memberB && isSame(memberA->getBase(), memberB->getBase(), context))
    return memberA->getMemberDecl() != memberB->getMemberDecl();
  const auto *elementA = dyn_cast<ArraySubscriptExpr>(a),
             *elementB = dyn_cast<ArraySubscriptExpr>(b);
  if (!elementA || !elementB || !isSame(elementA->getBase(), elementB->getBase(), context))
    return false;
  const auto i = constantOf(elementA->getIdx(), context),
             j = constantOf(elementB->getIdx(), context);
  return i && j && *i != *j;
}

// ---- the shuffle

static std::optional<Move> moveOf(const FunctionDecl *callee) {
  if (!callee || !callee->getIdentifier())
    return std::nullopt;
  return llvm::StringSwitch<std::optional<Move>>(callee->getName())
      .Case("__shfl_xor_sync", Move::Xor)
      .Case("__shfl_down_sync", Move::Down)
      .Case("__shfl_up_sync", Move::Up)
      .Default(std::nullopt);
}

static const CallExpr *shuffleIn(const Expr *expr) {
  const auto *call = dyn_cast<CallExpr>(plain(expr));
  return call && moveOf(call->getDirectCallee()) && call->getNumArgs() >= 3 ? call : nullptr;
}

bool takesAllLanes(const CallExpr *shuffle, const ASTContext &context) {
  const auto mask = constantOf(shuffle->getArg(0), context);
  if (!mask || static_cast<uint32_t>(*mask) != ~0u)
    return false;
  if (shuffle->getNumArgs() < 4 || isa<CXXDefaultArgExpr>(shuffle->getArg(3)))
    return true;
  return constantOf(shuffle->getArg(3), context) == 32;
}

// ---- v = v op moved

namespace {

// Reads the statements of one step.
class Reader {
public:
  Reader(llvm::ArrayRef<const Stmt *> statements, size_t first, const ASTContext &context)
      : statements_(statements), first_(first), context_(context) {}

  std::optional<Step> read() {
    size_t use = first_;
    const Expr *came = movedAt(first_, step_.moved);
    if (came && ++use == statements_.size())
      return std::nullopt;
    if (came)
      step_.shuffle = shuffleIn(came);
    if (!combines(statements_[use]) || !finish())
      return std::nullopt;
    step_.statements = statements_.slice(first_, use + 1 - first_);
    return step_;
  }

private:
  // The shuffle of `T t = shuffle;` or `t = shuffle;`.
  static const Expr *movedAt(llvm::ArrayRef<const Stmt *> statements, size_t i,
                             const VarDecl *&variable) {
    if (const auto *declaration = dyn_cast<DeclStmt>(statements[i])) {
      const auto *made =
          declaration->isSingleDecl() ? dyn_cast<VarDecl>(declaration->getSingleDecl()) : nullptr;
      if (!made || !made->getInit() || !shuffleIn(made->getInit()) ||
          made->getType()->isReferenceType())
        return nullptr;
      variable = made;
      return made->getInit();
    }
    const auto *expr = dyn_cast<Expr>(statements[i]);
    const auto *assignment = dyn_cast_or_null<BinaryOperator>(expr ? plain(expr) : nullptr);
    if (!assignment || assignment->getOpcode() != BO_Assign || !shuffleIn(assignment->getRHS()))
      return nullptr;
    const VarDecl *target = variableOf(assignment->getLHS());
    const CallExpr *shuffle = shuffleIn(assignment->getRHS());
    if (!target || !target->hasLocalStorage() || target->getType()->isReferenceType() ||
        mentions(shuffle, target))
      return nullptr; // v = shuffle(v) is no step
    variable = target;
    return assignment->getRHS();
  }
  const Expr *movedAt(size_t i, const VarDecl *&variable) const {
    return movedAt(statements_, i, variable);
  }

  bool isMoved(const Expr *expr) {
    if (step_.moved)
      return variableOf(expr) == step_.moved;
    if (const CallExpr *call = shuffleIn(expr)) {
      step_.shuffle = call;
      return true;
    }
    return false;
  }

  bool isValue(const Expr *expr) const { return isSame(expr, step_.value, context_); }

  // v += moved; v = op(v, moved); if (guard) either; v += guard ? moved : 0
  bool combines(const Stmt *stmt) {
    if (const auto *branch = dyn_cast<IfStmt>(stmt)) {
      const std::vector<const Stmt *> then = statementsOf(branch->getThen());
      if (!step_.moved || branch->getElse() || branch->getInit() ||
          branch->getConditionVariable() || branch->isConstexpr() || then.size() != 1)
        return false;
      step_.guard = branch->getCond();
      return !isa<IfStmt>(then.front()) && combines(then.front());
    }
    const auto *expr = dyn_cast<Expr>(stmt);
    expr = expr ? plain(expr) : nullptr;
    if (const auto *compound = dyn_cast_or_null<CompoundAssignOperator>(expr)) {
      step_.value = compound->getLHS()->IgnoreParenImpCasts();
      return adds(compound->getRHS(),
                  BinaryOperator::getOpForCompoundAssignment(compound->getOpcode()));
    }
    if (const auto *assignment = dyn_cast_or_null<BinaryOperator>(expr)) {
      if (assignment->getOpcode() != BO_Assign)
        return false;
      step_.value = assignment->getLHS()->IgnoreParenImpCasts();
      return combined(assignment->getRHS());
    }
    const auto *call = dyn_cast_or_null<CXXOperatorCallExpr>(expr);
    if (!call || call->getNumArgs() != 2)
      return false;
    step_.value = call->getArg(0)->IgnoreParenImpCasts();
    if (call->getOperator() == OO_Equal)
      return combined(call->getArg(1));
    return isLibrary(call->getDirectCallee()) && call->getOperator() == OO_PlusEqual &&
           isMoved(call->getArg(1));
  }

  // What += and its like add: moved, or `guard ? moved : neutral`.
  bool adds(const Expr *addend, BinaryOperatorKind op) {
    if (!setOperator(op))
      return false;
    const auto *choice = dyn_cast<ConditionalOperator>(plain(addend));
    if (!choice)
      return isMoved(addend);
    if (!step_.moved || step_.guard || !isMoved(choice->getTrueExpr()) || op != BO_Add ||
        !isZero(choice->getFalseExpr()))
      return false;
    step_.guard = choice->getCond();
    return true;
  }

  bool isZero(const Expr *expr) const {
    return expr->getType()->isIntegerType() && constantOf(expr, context_) == 0;
  }

  // v op moved, moved op v, f(v, moved), guard ? one of these : v
  bool combined(const Expr *expr) {
    expr = plain(expr);
    if (const auto *choice = dyn_cast<ConditionalOperator>(expr)) {
      if (!step_.moved || step_.guard || !isValue(choice->getFalseExpr()))
        return false;
      step_.guard = choice->getCond();
      return !isa<ConditionalOperator>(plain(choice->getTrueExpr())) &&
             combined(choice->getTrueExpr());
    }
    if (const auto *binary = dyn_cast<BinaryOperator>(expr))
      return setOperator(binary->getOpcode()) && isPair(binary->getLHS(), binary->getRHS());
    const auto *call = dyn_cast<CallExpr>(expr);
    if (!call || call->getNumArgs() != 2 || !isLibrary(call->getDirectCallee()))
      return false;
    const auto *spelled = dyn_cast<CXXOperatorCallExpr>(call);
    if (spelled ? spelled->getOperator() != OO_Plus : !setFunction(call->getDirectCallee()))
      return false;
    const QualType taken =
        call->getDirectCallee()->getParamDecl(0)->getType().getNonReferenceType();
    if (taken->isRealFloatingType() != step_.value->getType()->isRealFloatingType())
      return false;
    return isPair(call->getArg(0), call->getArg(1));
  }

  bool isPair(const Expr *a, const Expr *b) {
    return (isValue(a) && isMoved(b)) || (isValue(b) && isMoved(a));
  }

  bool setOperator(BinaryOperatorKind op) {
    const QualType type = step_.value->getType().getCanonicalType().getUnqualifiedType();
    const bool whole = type->isIntegerType() && !type->isBooleanType() && !type->isEnumeralType();
    const bool real = type == context_.FloatTy || type == context_.DoubleTy;
    step_.exact = whole;
    switch (op) {
    case BO_Add:
      step_.neutral = whole ? "0" : "-0.0f";
      return whole || real;
    case BO_Mul:
      step_.neutral = "1";
      return whole || real;
    case BO_Xor:
      step_.neutral = "0";
      return whole;
    case BO_And:
    case BO_Or:
      step_.neutral = "=";
      return whole;
    default:
      return false;
    }
  }

  // Of the headers, not of the user: max of a program may be anything.
  bool isLibrary(const FunctionDecl *callee) const {
    return callee && context_.getSourceManager().isInSystemHeader(
                         context_.getSourceManager().getExpansionLoc(callee->getLocation()));
  }

  bool setFunction(const FunctionDecl *callee) {
    if (!callee->getIdentifier())
      return false;
    const bool same = llvm::StringSwitch<bool>(callee->getName())
                          .Cases({"max", "min", "umax", "umin", "llmax", "llmin"}, true)
                          .Cases({"fmaxf", "fminf", "fmax", "fmin"}, true)
                          .Cases({"__hmax", "__hmin", "__hmax2", "__hmin2"}, true)
                          .Default(false);
    if (same)
      step_.neutral = "=";
    // std::max chooses by order between NaNs and between zeros; fmaxf does not.
    step_.exact = same && !(callee->isInStdNamespace() && step_.value->getType()->isFloatingType());
    return same || callee->getName() == "__hadd" || callee->getName() == "__hadd2";
  }

  // The same value goes in that comes out, in the same type, by all lanes.
  bool finish() {
    const CallExpr *shuffle = step_.shuffle;
    if (!shuffle || !isValue(shuffle->getArg(1)) || !takesAllLanes(shuffle, context_))
      return false;
    step_.base = baseOf(step_.value, context_);
    step_.move = *moveOf(shuffle->getDirectCallee());
    step_.lanes = shuffle->getArg(2);
    const auto typeOf = [](const auto *typed) {
      return typed->getType().getCanonicalType().getUnqualifiedType();
    };
    const QualType type = typeOf(step_.value), through = typeOf(shuffle);
    return step_.base && step_.base != step_.moved && type == typeOf(plain(shuffle->getArg(1))) &&
           keeps(type, through) && (!step_.moved || keeps(through, typeOf(step_.moved)));
  }

  // Values of type `from` in a `to` are neither rounded nor cut.
  bool keeps(QualType from, QualType to) const {
    return from == to || (from->isIntegerType() && to->isIntegerType() &&
                          context_.getTypeSize(from) <= context_.getTypeSize(to));
  }

  llvm::ArrayRef<const Stmt *> statements_;
  size_t first_;
  const ASTContext &context_;
  Step step_;
};

} // namespace

std::optional<Step> stepAt(llvm::ArrayRef<const Stmt *> statements, size_t first,
                           const ASTContext &context) {
  return Reader(statements, first, context).read();
}

} // namespace layout_port::trees
