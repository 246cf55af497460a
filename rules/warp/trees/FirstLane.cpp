#include "warp/trees/FirstLane.h"

#include "native/Sample.h"

#include "clang/AST/DynamicRecursiveASTVisitor.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/StmtCXX.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace layout_port::trees {

// Fills a Body.
class BodyReader : public DynamicRecursiveASTVisitor {
public:
  explicit BodyReader(Body &body) : body_(body) {}

  bool dataTraverseStmtPre(Stmt *stmt) override {
    body_.parents_[stmt] = stack_.empty() ? nullptr : stack_.back();
    body_.spans_[stmt].first = next_++;
    stack_.push_back(stmt);
    return true;
  }
  bool dataTraverseStmtPost(Stmt *stmt) override {
    body_.spans_[stmt].second = next_;
    stack_.pop_back();
    return true;
  }
  bool VisitDeclRefExpr(DeclRefExpr *name) override {
    if (const auto *variable = dyn_cast<VarDecl>(name->getDecl()))
      body_.uses_[variable].push_back(name);
    else if (isa<FunctionDecl>(name->getDecl()))
      body_.functions.push_back(name);
    return true;
  }
  bool VisitCallExpr(CallExpr *call) override { return add(body_.calls, call); }
  bool VisitCompoundStmt(CompoundStmt *block) override { return add(body_.blocks, block); }
  bool VisitForStmt(ForStmt *loop) override { return add(body_.loops, loop); }
  bool VisitLabelStmt(LabelStmt *) override { return body_.jumps = true; }
  bool VisitLambdaExpr(LambdaExpr *lambda) override { return add(body_.lambdas, lambda); }

private:
  template <class T> static bool add(std::vector<const T *> &list, const T *item) {
    list.push_back(item);
    return true;
  }

  Body &body_;
  std::vector<const Stmt *> stack_;
  unsigned next_ = 0;
};

Body::Body(const FunctionDecl *function) : function_(function) {
  BodyReader(*this).TraverseStmt(function->getBody());
}

bool Body::holds(const Stmt *outer, const Stmt *inner) const {
  const auto a = spans_.lookup(outer), b = spans_.lookup(inner);
  return a.first <= b.first && b.first < a.second;
}

bool Body::isBefore(const Stmt *a, const Stmt *b) const {
  return spans_.lookup(a).first < spans_.lookup(b).first;
}

const std::vector<const DeclRefExpr *> &Body::uses(const VarDecl *variable) const {
  static const std::vector<const DeclRefExpr *> none;
  const auto found = uses_.find(variable);
  return found == uses_.end() ? none : found->second;
}

namespace {

class FunctionFinder : public DynamicRecursiveASTVisitor {
public:
  FunctionFinder() { ShouldVisitTemplateInstantiations = true; }
  bool VisitFunctionDecl(FunctionDecl *function) override {
    if (function->doesThisDeclarationHaveABody() && !function->isDependentContext() &&
        seen_.insert(function).second)
      found.push_back(function);
    return true;
  }
  std::vector<const FunctionDecl *> found;

private:
  llvm::DenseSet<const FunctionDecl *> seen_;
};

class RowReader : public DynamicRecursiveASTVisitor {
public:
  bool VisitExpr(Expr *expr) override {
    return !(hit |= native::threadIndexAxis(expr).value_or(0) > 0);
  }
  bool VisitGCCAsmStmt(GCCAsmStmt *code) override {
    const std::string text = code->getAsmString();
    return !(hit |= StringRef(text).contains("tid.y") || StringRef(text).contains("tid.z"));
  }
  bool hit = false;
};

} // namespace

Functions::Functions(ASTContext &context, std::function<bool(const FunctionDecl *)> isOpen)
    : context_(context), isOpen_(std::move(isOpen)) {
  const SourceManager &sm = context.getSourceManager();
  FunctionFinder finder;
  for (Decl *decl : context.getTranslationUnitDecl()->noload_decls())
    if (!sm.isInSystemHeader(sm.getExpansionLoc(decl->getLocation())))
      finder.TraverseDecl(decl);
  for (const FunctionDecl *function : finder.found) {
    all_.push_back(std::make_unique<Body>(function));
    const Body &body = *all_.back();
    llvm::DenseSet<const Expr *> called;
    for (const CallExpr *call : body.calls) {
      called.insert(call->getCallee()->IgnoreParenImpCasts());
      if (const FunctionDecl *callee = call->getDirectCallee())
        callers_[callee->getCanonicalDecl()].push_back({&body, call});
    }
    for (const DeclRefExpr *name : body.functions)
      if (!called.count(name))
        named_.insert(cast<FunctionDecl>(name->getDecl())->getCanonicalDecl());
    RowReader rows;
    rows.TraverseStmt(function->getBody());
    readsRows_ |= rows.hit;
  }
}

// ---- the lane

// threadIdx.x where no code of the program speaks of rows of threads.
bool Functions::isThread(const Expr *expr) const {
  expr = plain(expr);
  if (native::threadIndexAxis(expr) == 0)
    return !readsRows_;
  const auto *name = dyn_cast<DeclRefExpr>(expr);
  const auto *variable = name ? dyn_cast<VarDecl>(name->getDecl()) : nullptr;
  return variable && variable->isLocalVarDecl() && variable->getInit() && isOnlyRead(variable) &&
         isThread(variable->getInit());
}

bool Functions::isLane(const Expr *expr) const { return isLane(expr, 0); }

bool Functions::isLane(const Expr *expr, unsigned depth) const {
  if (depth > 4)
    return false;
  expr = plain(expr);
  if (const auto *cast = dyn_cast<ExplicitCastExpr>(expr))
    return cast->getType()->isIntegerType() && context_.getTypeSize(cast->getType()) >= 8 &&
           isLane(cast->getSubExpr(), depth + 1);
  if (const auto *binary = dyn_cast<BinaryOperator>(expr)) {
    const auto by = constantOf(binary->getRHS(), context_);
    return by && isThread(binary->getLHS()) &&
           ((binary->getOpcode() == BO_Rem && *by == 32) ||
            (binary->getOpcode() == BO_And && *by == 31));
  }
  if (const auto *call = dyn_cast<CallExpr>(expr))
    return call->getDirectCallee() && returnsLane(call->getDirectCallee(), depth + 1);
  const auto *name = dyn_cast<DeclRefExpr>(expr);
  const auto *variable = name ? dyn_cast<VarDecl>(name->getDecl()) : nullptr;
  return variable && isLaneVariable(variable, depth + 1);
}

static bool isLaneId(StringRef text) {
  text = text.trim();
  text.consume_back(";");
  return text.starts_with("mov.") && text.ends_with("laneid") && !text.contains(';');
}

bool Functions::isLaneVariable(const VarDecl *variable, unsigned depth) const {
  const GCCAsmStmt *writer = nullptr;
  if (!variable->hasLocalStorage() || !variable->getType()->isIntegerType() ||
      !isOnlyRead(variable, &writer))
    return false;
  if (writer) // asm("mov.u32 %0, %%laneid;" : "=r"(lane));
    return !variable->getInit() && writer->getNumOutputs() == 1 && writer->getNumInputs() == 0 &&
           isLaneId(writer->getAsmString());
  if (variable->getInit() && !isa<ParmVarDecl>(variable))
    return isLane(variable->getInit(), depth);
  const auto *parameter = dyn_cast<ParmVarDecl>(variable);
  const auto *function = parameter ? dyn_cast<FunctionDecl>(parameter->getDeclContext()) : nullptr;
  if (!function || !isCalledByAllSeen(function))
    return false;
  const unsigned index = parameter->getFunctionScopeIndex();
  return llvm::all_of(callers_.lookup(function->getCanonicalDecl()), [&](const Call &call) {
    return index < call.call->getNumArgs() && isLane(call.call->getArg(index), depth);
  });
}

// The last statement returns it, and no other returns.
bool Functions::returnsLane(const FunctionDecl *function, unsigned depth) const {
  const FunctionDecl *definition = function->getDefinition();
  const auto *block = definition ? dyn_cast_or_null<CompoundStmt>(definition->getBody()) : nullptr;
  if (!block || block->body_empty() || block->size() > 3)
    return false;
  const auto *last = dyn_cast<ReturnStmt>(block->body_back());
  const bool simple = llvm::all_of(block->body(), [&](const Stmt *stmt) {
    return stmt == last || isa<DeclStmt>(stmt) || isa<GCCAsmStmt>(stmt);
  });
  return last && last->getRetValue() && simple && isLane(last->getRetValue(), depth);
}

// lane == 0, !lane, threadIdx.x == 0, any of them && more
bool Functions::isFirstLane(const Expr *condition) const {
  condition = condition->IgnoreParenImpCasts();
  const auto isFirst = [&](const Expr *expr) { return isLane(expr) || isThread(expr); };
  if (const auto *unary = dyn_cast<UnaryOperator>(condition))
    return unary->getOpcode() == UO_LNot && isFirst(unary->getSubExpr());
  const auto *binary = dyn_cast<BinaryOperator>(condition);
  if (!binary)
    return false;
  if (binary->getOpcode() == BO_LAnd)
    return isFirstLane(binary->getLHS()) || isFirstLane(binary->getRHS());
  if (binary->getOpcode() != BO_EQ)
    return false;
  return (isFirst(binary->getLHS()) && constantOf(binary->getRHS(), context_) == 0) ||
         (isFirst(binary->getRHS()) && constantOf(binary->getLHS(), context_) == 0);
}

// ---- who looks

static constexpr const char *othersDo = "lanes other than the first look at its result";

bool Functions::isCalledByAllSeen(const FunctionDecl *function) const {
  const FunctionDecl *canonical = function->getCanonicalDecl();
  return !function->hasAttr<CUDAGlobalAttr>() && !isOpen_(function) && !named_.count(canonical) &&
         !callers_.lookup(canonical).empty() && !isa<CXXMethodDecl>(function);
}

std::string Functions::othersLook(const Body &body, const VarDecl *value, const Stmt *tree) {
  seen_.clear();
  return usesOf(body, value, tree);
}

// A statement `value = ...` behind `from` that whoever comes to `use` has passed.
bool Functions::isOverwritten(const Body &body, const VarDecl *value, const Stmt *from,
                              const Stmt *use) const {
  for (const DeclRefExpr *name : body.uses(value)) {
    const Stmt *stmt = body.parent(name);
    while (stmt && isa<ParenExpr>(stmt))
      stmt = body.parent(stmt);
    const auto *assignment = dyn_cast_or_null<BinaryOperator>(stmt);
    if (!assignment || assignment->getOpcode() != BO_Assign ||
        assignment->getLHS()->IgnoreParens() != name)
      continue;
    const Stmt *block = body.parent(assignment);
    if (isa_and_nonnull<CompoundStmt>(block) && !isa_and_nonnull<SwitchStmt>(body.parent(block)) &&
        body.isBefore(from, assignment) && !body.holds(from, assignment) &&
        body.isBefore(assignment, use) && !body.holds(assignment, use) && body.holds(block, use))
      return true;
  }
  return false;
}

// Is the variable read, assigned and counted, and nothing else: no address, no reference?
static bool isUnaliased(const Body &body, const VarDecl *variable) {
  if (llvm::any_of(body.lambdas,
                   [&](const LambdaExpr *lambda) { return mentions(lambda->getBody(), variable); }))
    return false;
  return llvm::all_of(body.uses(variable), [&](const DeclRefExpr *name) {
    const Stmt *child = name, *s = body.parent(name);
    for (; s && isa<ParenExpr>(s); child = s, s = body.parent(s)) {
    }
    if (const auto *cast = dyn_cast_or_null<ImplicitCastExpr>(s))
      return cast->getCastKind() == CK_LValueToRValue;
    if (const auto *unary = dyn_cast_or_null<UnaryOperator>(s))
      return unary->isIncrementDecrementOp();
    const auto *binary = dyn_cast_or_null<BinaryOperator>(s);
    return binary && binary->isAssignmentOp() && binary->getLHS() == child;
  });
}

static bool isLoop(const Stmt *stmt) {
  return isa<ForStmt>(stmt) || isa<WhileStmt>(stmt) || isa<DoStmt>(stmt) ||
         isa<CXXForRangeStmt>(stmt);
}

// The outermost loop around `stmt` in which `value` lives on from trip to trip.
static const Stmt *loopAround(const Body &body, const VarDecl *value, const Stmt *stmt) {
  const Stmt *result = nullptr;
  for (const Stmt *s = body.parent(stmt); s; s = body.parent(s)) {
    if (const auto *block = dyn_cast<CompoundStmt>(s))
      for (const Stmt *child : block->body())
        if (const auto *made = dyn_cast<DeclStmt>(child))
          if (llvm::is_contained(made->decls(), value))
            return result;
    if (isLoop(s))
      result = s;
  }
  return result;
}

std::string Functions::usesOf(const Body &body, const VarDecl *value, const Stmt *from) {
  if (!seen_.insert({value, from}).second)
    return "";
  if (body.jumps)
    return "a function that its result goes through has a label";
  if (!value->hasLocalStorage() || !value->getType()->isArithmeticType() ||
      !isUnaliased(body, value))
    return "its result is not kept in a variable that only names speak of";
  const Stmt *loop = loopAround(body, value, from);
  for (const DeclRefExpr *use : body.uses(value)) {
    const bool behind = body.isBefore(from, use) || (loop && body.holds(loop, use));
    if (!behind || body.holds(from, use) || (!loop && isOverwritten(body, value, from, use)))
      continue;
    if (std::string problem = look(body, use); !problem.empty())
      return problem;
  }
  return "";
}

// A shuffle that asks lane 0 of the warp.
static bool isBroadcast(const CallExpr *call, const Stmt *value, const ASTContext &context) {
  const FunctionDecl *callee = call->getDirectCallee();
  return callee && callee->getIdentifier() && callee->getName() == "__shfl_sync" &&
         call->getNumArgs() >= 3 && call->getArg(1) == value &&
         constantOf(call->getArg(2), context) == 0 && takesAllLanes(call, context);
}

// Functions of the headers that look at their own arguments only.
static bool isArithmetic(const CallExpr *call, const ASTContext &context) {
  const FunctionDecl *callee = call->getDirectCallee();
  const SourceManager &sm = context.getSourceManager();
  if (!callee || !callee->getIdentifier() ||
      !sm.isInSystemHeader(sm.getExpansionLoc(callee->getLocation())))
    return false;
  const StringRef name = callee->getName();
  for (const char *other : {"__shfl", "atomic", "__ballot", "__any", "__all", "__match", "__reduce",
                            "__st", "printf", "__nv_isClusterShared", "mem", "__uni", "__fns"})
    if (name.starts_with(other))
      return false;
  return llvm::all_of(callee->parameters(), [](const ParmVarDecl *parameter) {
    return !parameter->getType()->isPointerType();
  });
}

static bool isFullStatement(const Stmt *parent, const Stmt *child) {
  if (isa<CompoundStmt>(parent))
    return true;
  if (const auto *loop = dyn_cast<ForStmt>(parent))
    return child != loop->getCond();
  if (const auto *loop = dyn_cast<WhileStmt>(parent))
    return child == loop->getBody();
  if (const auto *loop = dyn_cast<DoStmt>(parent))
    return child == loop->getBody();
  const auto *branch = dyn_cast<IfStmt>(parent);
  return branch && child != branch->getCond();
}

// Under `if (lane == 0)`, in `lane == 0 ? v : w`, or in a shuffle from lane 0.
bool Functions::isAskedOfFirst(const Body &body, const Expr *use) const {
  bool arithmetic = true; // all between is arithmetic
  const Stmt *child = use;
  for (const Stmt *s = body.parent(use); s; child = s, s = body.parent(s)) {
    const auto *branch = dyn_cast<IfStmt>(s);
    if (branch && child == branch->getThen() && isFirstLane(branch->getCond()))
      return true;
    const auto *choice = dyn_cast<ConditionalOperator>(s);
    if (choice && child == choice->getTrueExpr() && isFirstLane(choice->getCond()))
      return true;
    const auto *call = dyn_cast<CallExpr>(s);
    if (call && arithmetic && isBroadcast(call, child, context_))
      return true;
    const auto *binary = dyn_cast<BinaryOperator>(s);
    arithmetic &= !(call && !isArithmetic(call, context_)) && !(binary && binary->isAssignmentOp());
  }
  return false;
}

// Does the value of `s` hang on that of `child` by arithmetic alone?
static bool isMadeOf(const Stmt *s, const Stmt *child, const ASTContext &context) {
  if (const auto *unary = dyn_cast<UnaryOperator>(s))
    return unary->getOpcode() == UO_Minus || unary->getOpcode() == UO_Plus ||
           unary->getOpcode() == UO_Not;
  if (const auto *binary = dyn_cast<BinaryOperator>(s))
    return !binary->isAssignmentOp() && !binary->isLogicalOp() && !binary->isCommaOp();
  if (const auto *choice = dyn_cast<ConditionalOperator>(s))
    return child != choice->getCond();
  if (const auto *call = dyn_cast<CallExpr>(s))
    return isArithmetic(call, context);
  return isa<ParenExpr>(s) || isa<CastExpr>(s) || isa<ExprWithCleanups>(s);
}

// The variable that a whole statement `v = ...` or `v += ...` sets.
static const VarDecl *targetOf(const Body &body, const BinaryOperator *assignment) {
  const auto *name = dyn_cast<DeclRefExpr>(assignment->getLHS()->IgnoreParens());
  const Stmt *outer = body.parent(assignment);
  while (outer && isa<ExprWithCleanups>(outer))
    outer = body.parent(outer);
  const bool whole = outer && isFullStatement(outer, assignment);
  return name && whole ? dyn_cast<VarDecl>(name->getDecl()) : nullptr;
}

// Where the value of `use` goes; the problem if others than lane 0 look at it there.
std::string Functions::look(const Body &body, const Expr *use) {
  if (isAskedOfFirst(body, use))
    return "";
  const Stmt *child = use;
  for (const Stmt *s = body.parent(use); s; child = s, s = body.parent(s)) {
    if (isFullStatement(s, child))
      return ""; // nobody takes it
    if (isa<ReturnStmt>(s))
      return callersLook(body.function());
    if (const auto *made = dyn_cast<DeclStmt>(s))
      return made->isSingleDecl() ? become(body, dyn_cast<VarDecl>(made->getSingleDecl()), s)
                                  : othersDo;
    const auto *assignment = dyn_cast<BinaryOperator>(s);
    if (assignment && assignment->isAssignmentOp()) {
      const VarDecl *target = targetOf(body, assignment);
      return child == assignment->getLHS() && target ? "" : become(body, target, s);
    }
    if (!isMadeOf(s, child, context_))
      return othersDo;
  }
  return othersDo;
}

std::string Functions::become(const Body &body, const VarDecl *target, const Stmt *where) {
  return target ? usesOf(body, target, where) : othersDo;
}

std::string Functions::callersLook(const FunctionDecl *function) {
  if (!seen_.insert({function, nullptr}).second)
    return "";
  if (isOpen_(function))
    return "it is returned from a header, and others may call it";
  if (!isCalledByAllSeen(function))
    return "it is returned to who knows whom";
  for (const Call &call : callers_.lookup(function->getCanonicalDecl())) {
    const Stmt *parent = call.body->parent(call.call);
    if (parent && isFullStatement(parent, call.call))
      continue; // nobody takes the result
    if (std::string problem = look(*call.body, call.call); !problem.empty())
      return problem;
  }
  return "";
}

} // namespace layout_port::trees
