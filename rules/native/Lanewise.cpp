#include "native/Lanewise.h"

#include "native/AstRead.h"
#include "native/Gather.h"

#include "clang/AST/DeclCXX.h"
#include "clang/AST/DynamicRecursiveASTVisitor.h"
#include "clang/AST/ExprCXX.h"
#include "llvm/ADT/STLExtras.h"

#include <map>
#include <utility>

using namespace clang;

namespace layout_port::native {

namespace {

// A variable, or a part of it, gets a value made of `values`.
struct Giving {
  const VarDecl *target = nullptr;
  std::vector<const Expr *> values; // none: ++x, or what the expression itself is
  const Stmt *at = nullptr;
  std::vector<Lanewise::Condition> conditions;
  bool isHidden = false;              // inside a lambda
  const LambdaExpr *lambda = nullptr; // ... that is text of the kernel
  bool isCall = false;                // a function may write it, from what else it is handed
  const Expr *place = nullptr;        // that is written; null: all of it
};

struct Mention {
  const VarDecl *variable = nullptr;
  const DeclRefExpr *at = nullptr;
  std::vector<size_t> givings; // around it
  bool isOperand = false, isTarget = false;
};

// The name of the variable at the root of an lvalue, or of a pointer to it.
const DeclRefExpr *rootOf(const Expr *target) {
  for (;;) {
    target = stripped(target);
    if (const auto *access = dyn_cast<ArraySubscriptExpr>(target))
      target = access->getBase();
    else if (const auto *member = dyn_cast<MemberExpr>(target))
      target = member->getBase();
    else if (const auto *op = dyn_cast<UnaryOperator>(target);
             op && (op->getOpcode() == UO_AddrOf || op->getOpcode() == UO_Deref))
      target = op->getSubExpr();
    else if (const auto *cast = dyn_cast<ExplicitCastExpr>(target))
      target = cast->getSubExpr();
    else
      return dyn_cast<DeclRefExpr>(target);
  }
}

// ... where that is in the thread's own registers: no memory that a pointer leads to.
const DeclRefExpr *ownRootOf(const Expr *target) {
  const DeclRefExpr *name = rootOf(target);
  const auto *variable = name ? dyn_cast<VarDecl>(name->getDecl()) : nullptr;
  return variable && variable->hasLocalStorage() && !variable->getType()->isPointerType() ? name
                                                                                          : nullptr;
}

// What a function's text names, but for branches that are never taken.
class LiveNames : public DynamicRecursiveASTVisitor {
public:
  explicit LiveNames(const ASTContext &context) : context_(context) {}
  bool TraverseIfStmt(IfStmt *branch) override {
    const auto isTaken = constantCondition(*branch, context_);
    return isTaken ? TraverseStmt(*isTaken ? branch->getThen() : branch->getElse())
                   : DynamicRecursiveASTVisitor::TraverseIfStmt(branch);
  }
  bool VisitDeclRefExpr(DeclRefExpr *name) override {
    found.insert(name->getDecl());
    return true;
  }
  std::set<const ValueDecl *> found;

private:
  const ASTContext &context_;
};

bool mayWriteThrough(QualType parameter) {
  return (parameter->isReferenceType() || parameter->isPointerType()) &&
         !parameter->getPointeeType().isConstQualified();
}

// Lambdas that are text of the kernel: called by their names alone, handed nothing of the thread,
// and that by the kernel itself or by such as are its text; what they name is the kernel's own.
class OpenLambdas : public DynamicRecursiveASTVisitor {
public:
  explicit OpenLambdas(const LanewiseInput &input) : input_(input) {
    TraverseStmt(const_cast<Stmt *>(input.body));
    for (const auto &[variable, calls] : calls_)
      if (const LambdaExpr *lambda = lambdaByReference(*variable);
          lambda && calls == mentions_[variable] && !ofThread_.count(variable))
        open_.insert(lambda);
    for (size_t before = 0; before != open_.size();) { // what a closed one calls is closed
      before = open_.size();
      for (const auto &[variable, callers] : callers_)
        if (llvm::any_of(callers, [&](const LambdaExpr *caller) { return !open_.count(caller); }))
          open_.erase(lambdaByReference(*variable));
    }
  }
  bool TraverseLambdaExpr(LambdaExpr *lambda) override {
    const LambdaExpr *outer = std::exchange(around_, lambda);
    const bool goesOn = DynamicRecursiveASTVisitor::TraverseLambdaExpr(lambda);
    around_ = outer;
    return goesOn;
  }
  bool VisitDeclRefExpr(DeclRefExpr *name) override {
    if (const auto *variable = dyn_cast<VarDecl>(name->getDecl()))
      ++mentions_[variable];
    return true;
  }
  bool VisitCXXOperatorCallExpr(CXXOperatorCallExpr *call) override {
    const VarDecl *variable = calledBy(*call);
    if (!variable)
      return true;
    ++calls_[variable];
    if (around_)
      callers_[variable].insert(around_);
    for (unsigned i = 1; i < call->getNumArgs(); ++i)
      if (input_.readsThread(call->getArg(i)))
        ofThread_.insert(variable);
    return true;
  }
  // The lambda that a call calls; null: it is none such.
  const LambdaExpr *calledIn(const CallExpr &call) const {
    const auto *op = dyn_cast<CXXOperatorCallExpr>(&call);
    const VarDecl *variable = op ? calledBy(*op) : nullptr;
    return variable ? openIn(*variable) : nullptr;
  }
  const LambdaExpr *openIn(const VarDecl &variable) const {
    const LambdaExpr *lambda = lambdaByReference(variable);
    return open_.count(lambda) ? lambda : nullptr;
  }

private:
  static const VarDecl *calledBy(const CXXOperatorCallExpr &call) {
    return call.getOperator() == OO_Call ? variableNamed(call.getArg(0)) : nullptr;
  }
  const LanewiseInput &input_;
  std::map<const VarDecl *, int> mentions_, calls_;
  std::map<const VarDecl *, std::set<const LambdaExpr *>> callers_;
  std::set<const VarDecl *> ofThread_;
  std::set<const LambdaExpr *> open_;
  const LambdaExpr *around_ = nullptr; // of what is visited
};

// Every mention of a variable in a kernel, and which values it goes into.
class Flow : public DynamicRecursiveASTVisitor {
public:
  Flow(const std::vector<const Expr *> &operands, const LanewiseInput &input)
      : operands_(operands.begin(), operands.end()), input_(input), open_(input) {}

  // What decides about a lambda's text is around its calls, too.
  void finish() {
    for (Giving &giving : givings)
      addConditions(giving.lambda, giving.conditions);
  }

  bool TraverseStmt(Stmt *stmt) override {
    if (!stmt)
      return true;
    if (operands_.count(dyn_cast<Expr>(stmt))) {
      const auto outer = std::exchange(givings_, {});
      const bool wasOperand = std::exchange(isOperand_, true);
      const bool goesOn = traverse(stmt);
      isOperand_ = wasOperand;
      givings_ = outer;
      return goesOn;
    }
    return input_.isSite(stmt) ? atSite(stmt) : traverse(stmt);
  }

  bool VisitDeclRefExpr(DeclRefExpr *name) override {
    if (const auto *variable = dyn_cast<VarDecl>(name->getDecl()))
      mentions.push_back({variable, name, isHidden_ ? std::vector<size_t>() : givings_,
                          isOperand_ && !isHidden_, name == target_});
    return true;
  }
  bool TraverseUnaryExprOrTypeTraitExpr(UnaryExprOrTypeTraitExpr *) override { return true; }
  bool TraverseVarDecl(VarDecl *variable) override {
    if (const LambdaExpr *lambda = open_.openIn(*variable))
      return inLambda(*lambda);
    if (variable->getInit())
      within(give(variable, {variable->getInit()}, variable->getInit()), variable->getInit());
    return true;
  }

  std::vector<Giving> givings;
  std::vector<Mention> mentions;

private:
  bool traverse(Stmt *stmt) {
    if (auto *branch = dyn_cast<IfStmt>(stmt))
      return onBranch(branch);
    if (auto *loop = dyn_cast<ForStmt>(stmt))
      return TraverseStmt(loop->getInit()) && TraverseStmt(loop->getCond()) &&
             under(loop->getCond(), loop, {loop->getBody(), loop->getInc()});
    if (auto *loop = dyn_cast<WhileStmt>(stmt))
      return TraverseStmt(loop->getCond()) && under(loop->getCond(), loop, {loop->getBody()});
    if (auto *loop = dyn_cast<DoStmt>(stmt))
      return TraverseStmt(loop->getCond()) && under(loop->getCond(), loop, {loop->getBody()});
    if (auto *choice = dyn_cast<SwitchStmt>(stmt))
      return TraverseStmt(choice->getCond()) &&
             under(choice->getCond(), choice, {choice->getBody()});
    if (auto *loop = dyn_cast<CXXForRangeStmt>(stmt))
      return TraverseStmt(loop->getRangeInit()) && under(loop->getCond(), loop, {loop->getBody()});
    if (auto *choice = dyn_cast<AbstractConditionalOperator>(stmt))
      return TraverseStmt(choice->getCond()) &&
             under(choice->getCond(), choice, {choice->getTrueExpr(), choice->getFalseExpr()});
    if (auto *op = dyn_cast<BinaryOperator>(stmt))
      return onBinary(op);
    if (auto *op = dyn_cast<UnaryOperator>(stmt); op && op->isIncrementDecrementOp())
      return onTarget(op->getSubExpr(), giveAt(op->getSubExpr(), {}, op));
    if (auto *call = dyn_cast<CallExpr>(stmt))
      return onCall(call);
    if (auto *code = dyn_cast<GCCAsmStmt>(stmt))
      return onAsm(code);
    if (auto *lambda = dyn_cast<LambdaExpr>(stmt)) {
      const bool outer = std::exchange(isHidden_, true);
      const bool goesOn = TraverseStmt(lambda->getBody());
      isHidden_ = outer;
      return goesOn;
    }
    return DynamicRecursiveASTVisitor::TraverseStmt(stmt);
  }

  bool inLambda(const LambdaExpr &lambda) {
    const LambdaExpr *outer = std::exchange(lambda_, &lambda);
    const auto around = std::exchange(givings_, {});
    const bool goesOn = TraverseStmt(lambda.getBody());
    givings_ = around;
    lambda_ = outer;
    return goesOn;
  }
  void addConditions(const LambdaExpr *lambda, std::vector<Lanewise::Condition> &out,
                     int depth = 0) const {
    constexpr int kDeepest = 8; // recursion
    if (!lambda || depth >= kDeepest)
      return;
    for (const Call &call : calls_)
      if (call.callee == lambda) {
        llvm::append_range(out, call.conditions);
        addConditions(call.caller, out, depth + 1);
      }
  }

  // What a matrix instruction writes is no value that begins here.
  bool atSite(Stmt *stmt) {
    for (Stmt *child : stmt->children())
      if (!atSiteBelow(child))
        return false;
    return true;
  }
  bool atSiteBelow(Stmt *stmt) {
    if (!stmt || operands_.count(dyn_cast<Expr>(stmt)) || isa<DeclRefExpr>(stmt))
      return TraverseStmt(stmt);
    return atSite(stmt);
  }

  bool onBranch(IfStmt *branch) {
    if (branch->isConstexpr()) {
      const auto taken = branch->getNondiscardedCase(input_.context);
      return !taken || !*taken || TraverseStmt(const_cast<Stmt *>(*taken));
    }
    if (const auto isTaken = constantCondition(*branch, input_.context))
      return TraverseStmt(*isTaken ? branch->getThen() : branch->getElse());
    return TraverseStmt(branch->getInit()) &&
           TraverseStmt(branch->getConditionVariableDeclStmt()) &&
           TraverseStmt(branch->getCond()) &&
           under(branch->getCond(), branch, {branch->getThen(), branch->getElse()});
  }
  bool onBinary(BinaryOperator *op) {
    if (op->isLogicalOp())
      return TraverseStmt(op->getLHS()) && under(op->getLHS(), op, {op->getRHS()});
    if (!op->isAssignmentOp())
      return DynamicRecursiveASTVisitor::TraverseStmt(op);
    const auto giving = giveAt(op->getLHS(), {op->getRHS()}, op);
    return onTarget(op->getLHS(), giving) && within(giving, op->getRHS());
  }
  bool onCall(CallExpr *call) {
    if (const LambdaExpr *callee = open_.calledIn(*call))
      calls_.push_back({callee, lambda_, conditions_});
    const auto *op = dyn_cast<CXXOperatorCallExpr>(call);
    const auto *method = dyn_cast_or_null<CXXMethodDecl>(call->getDirectCallee());
    if (op && op->getOperator() == OO_Equal && op->getNumArgs() == 2 && method &&
        method->isTrivial()) {
      const auto giving = giveAt(call->getArg(0), {call->getArg(1)}, call);
      return onTarget(call->getArg(0), giving) && within(giving, call->getArg(1));
    }
    // Whatever it may write to gets a value made of all that it is handed.
    const size_t depth = givings_.size();
    const FunctionDecl *callee = call->getDirectCallee();
    const unsigned first = op && method && method->isInstance() ? 1 : 0; // the object
    for (unsigned i = 0; callee && i < call->getNumArgs(); ++i)
      if (i < first ? !method->isConst()
                    : i - first < callee->getNumParams() &&
                          mayWriteThrough(callee->getParamDecl(i - first)->getType()) &&
                          !isUnnamed(*callee, i - first))
        pushCall(give(ownVariable(call->getArg(i)), {call}, call));
    if (const auto *member = dyn_cast<CXXMemberCallExpr>(call);
        member && method && !method->isConst())
      pushCall(give(ownVariable(member->getImplicitObjectArgument()), {call}, call));
    const auto isRead = [&](unsigned i) {
      return !callee || i < first || i - first >= callee->getNumParams() ||
             !callee->getParamDecl(i - first)->getType()->isReferenceType() ||
             !isUnnamed(*callee, i - first);
    };
    bool goesOn = TraverseStmt(call->getCallee());
    for (unsigned i = 0; i < call->getNumArgs(); ++i)
      if (isRead(i))
        goesOn = goesOn && TraverseStmt(call->getArg(i));
    givings_.resize(depth);
    return goesOn;
  }
  // Its text names the parameter nowhere.
  bool isUnnamed(const FunctionDecl &function, unsigned parameter) {
    const FunctionDecl *definition = function.getDefinition();
    if (!definition || !definition->hasBody())
      return false;
    const auto [known, isNew] = names_.try_emplace(definition);
    if (isNew) {
      LiveNames names(input_.context);
      names.TraverseStmt(definition->getBody());
      known->second = std::move(names.found);
    }
    return !known->second.count(definition->getParamDecl(parameter));
  }
  bool onAsm(GCCAsmStmt *code) {
    std::vector<const Expr *> inputs;
    for (unsigned i = 0; i < code->getNumInputs(); ++i)
      inputs.push_back(code->getInputExpr(i));
    std::vector<std::optional<size_t>> all;
    for (unsigned i = 0; i < code->getNumOutputs(); ++i) {
      all.push_back(giveAt(code->getOutputExpr(i), inputs, code));
      if (!onTarget(code->getOutputExpr(i), all.back()))
        return false;
    }
    const size_t depth = givings_.size();
    for (const auto &giving : all)
      push(giving);
    for (unsigned i = 0; i < code->getNumInputs(); ++i)
      TraverseStmt(code->getInputExpr(i));
    givings_.resize(depth);
    return true;
  }

  static const VarDecl *ownVariable(const Expr *target) {
    const DeclRefExpr *name = ownRootOf(target);
    return name ? cast<VarDecl>(name->getDecl()) : nullptr;
  }
  std::optional<size_t> give(const VarDecl *target, std::vector<const Expr *> values,
                             const Stmt *at) {
    if (!target)
      return std::nullopt;
    givings.push_back(
        {target, std::move(values), at, conditions_, isHidden_, lambda_, false, nullptr});
    return givings.size() - 1;
  }
  std::optional<size_t> giveAt(const Expr *place, std::vector<const Expr *> values,
                               const Stmt *at) {
    const auto giving = give(ownVariable(place), std::move(values), at);
    if (giving)
      givings[*giving].place = place;
    return giving;
  }
  void push(std::optional<size_t> giving) {
    if (giving)
      givings_.push_back(*giving);
  }
  void pushCall(std::optional<size_t> giving) {
    push(giving);
    if (giving)
      givings[*giving].isCall = true;
  }
  bool within(std::optional<size_t> giving, Expr *value) {
    const size_t depth = givings_.size();
    push(giving);
    const bool goesOn = TraverseStmt(value);
    givings_.resize(depth);
    return goesOn;
  }
  // The indices below are mentions like others; the value that is given there is not theirs.
  bool onTarget(Expr *target, std::optional<size_t> giving) {
    const DeclRefExpr *outer = std::exchange(target_, giving ? ownRootOf(target) : nullptr);
    const bool goesOn = TraverseStmt(target);
    target_ = outer;
    return goesOn;
  }
  bool under(const Expr *condition, const Stmt *owner, std::initializer_list<Stmt *> parts) {
    if (condition)
      conditions_.push_back({condition, owner});
    bool goesOn = true;
    for (Stmt *part : parts)
      goesOn = goesOn && TraverseStmt(part);
    if (condition)
      conditions_.pop_back();
    return goesOn;
  }

  struct Call {
    const LambdaExpr *callee = nullptr, *caller = nullptr;
    std::vector<Lanewise::Condition> conditions;
  };
  const std::set<const Expr *> operands_;
  const LanewiseInput &input_;
  const OpenLambdas open_;
  std::vector<Call> calls_;
  std::map<const FunctionDecl *, std::set<const ValueDecl *>> names_; // of functions
  const LambdaExpr *lambda_ = nullptr;                                // whose text is traversed
  std::vector<size_t> givings_;
  std::vector<Lanewise::Condition> conditions_;
  const DeclRefExpr *target_ = nullptr;
  bool isOperand_ = false, isHidden_ = false;
};

class Follower {
public:
  Follower(const std::vector<const Expr *> &operands, const LanewiseInput &input)
      : operands_(operands), input_(input), flow_(operands, input) {
    flow_.TraverseStmt(const_cast<Stmt *>(input.body));
    flow_.finish();
    for (size_t i = 0; i < flow_.givings.size(); ++i)
      givingsOf_[flow_.givings[i].target].push_back(i);
  }

  Lanewise follow() {
    for (const Expr *operand : operands_) {
      if (isBegin(*operand))
        refuse("what is multiplied reads the thread's index itself", operand);
      takeFrom(*operand);
    }
    for (const Mention &mention : flow_.mentions)
      checkMention(mention);
    for (const VarDecl *variable : out_.variables)
      checkVariable(*variable);
    if (out_.begins.empty())
      refuse("nothing that it is made from depends on the thread", operands_[0]);
    return std::move(out_);
  }

private:
  void refuse(const std::string &reason, const Stmt *at) {
    if (!out_.problem.empty())
      return;
    out_.problem = reason;
    out_.problemAt = at;
  }

  static std::vector<const VarDecl *> namesIn(const Expr &value) {
    Inputs inputs;
    inputs.TraverseStmt(const_cast<Expr *>(&value));
    return inputs.found;
  }
  bool isOfThread(const VarDecl *variable) const {
    return (variable->isLocalVarDecl() || isa<ParmVarDecl>(variable)) &&
           input_.dependsOnThread(variable);
  }

  // Memory was read on the way to it; else it is an index, made from the thread alone.
  bool isLoaded(const VarDecl *variable) const {
    const auto [known, isNew] = loaded_.try_emplace(variable, false);
    if (!isNew)
      return known->second;
    bool loaded = false;
    const auto givings = givingsOf_.find(variable);
    for (const size_t i : givings == givingsOf_.end() ? std::vector<size_t>() : givings->second)
      for (const Expr *value : flow_.givings[i].values)
        loaded = loaded || readsMemory(*value) || llvm::any_of(namesIn(*value), [&](const auto *v) {
                   return v != variable && isOfThread(v) && isLoaded(v);
                 });
    return loaded_[variable] = loaded;
  }
  // ... also in a function that is called, or by asm.
  static bool readsMemory(const Expr &value) {
    class Reads : public DynamicRecursiveASTVisitor {
    public:
      // threadIdx and its kin are no memory.
      bool TraversePseudoObjectExpr(PseudoObjectExpr *) override { return true; }
      bool TraverseMemberExpr(MemberExpr *member) override {
        return isIndexVariable(*member) || DynamicRecursiveASTVisitor::TraverseMemberExpr(member);
      }
      bool VisitImplicitCastExpr(ImplicitCastExpr *cast) override {
        any |= cast->getCastKind() == CK_LValueToRValue && isMemory(cast->getSubExpr());
        return true;
      }
      bool VisitCallExpr(CallExpr *call) override {
        const auto *method = dyn_cast_or_null<CXXMethodDecl>(call->getDirectCallee());
        any |= method && native::readsMemory(*method); // view.item(row, column)
        for (const Expr *argument : call->arguments())
          any |= argument->getType()->isPointerType() && !ownRootOf(argument);
        return true;
      }
      bool VisitCXXConstructExpr(CXXConstructExpr *made) override { // a copy of what is there
        for (const Expr *argument : made->arguments())
          any |= argument->isGLValue() && !isa<MaterializeTemporaryExpr>(argument) &&
                 !ownRootOf(argument);
        return true;
      }
      bool any = false;

      static bool isIndexVariable(const MemberExpr &member) {
        const auto *name = dyn_cast<DeclRefExpr>(stripped(member.getBase()));
        const StringRef of =
            name && name->getDecl()->getIdentifier() ? name->getDecl()->getName() : StringRef();
        return of == "threadIdx" || of == "blockIdx" || of == "blockDim" || of == "gridDim";
      }
      static bool isMemory(const Expr *from) {
        from = from->IgnoreParens();
        const auto *member = dyn_cast<MemberExpr>(from);
        const auto *name = dyn_cast<DeclRefExpr>(from);
        const auto *variable = name ? dyn_cast<VarDecl>(name->getDecl()) : nullptr;
        if (variable)
          return !variable->hasLocalStorage() && !variable->getType().isConstQualified();
        return !(member && isIndexVariable(*member)) && !ownRootOf(from);
      }
    };
    Reads reads;
    reads.TraverseStmt(const_cast<Expr *>(&value));
    // x = p[i] of halves: what an assignment is handed is a place.
    const Expr *place = value.IgnoreParenImpCasts();
    return reads.any || (place->isGLValue() && !isa<MaterializeTemporaryExpr>(place) &&
                         place->getType()->isRecordType() && Reads::isMemory(place));
  }

  // It mentions the thread's index, or what is made from that alone.
  bool isBegin(const Expr &value) const {
    ThreadMentions mentions;
    mentions.TraverseStmt(const_cast<Expr *>(&value));
    if (!mentions.found.empty() || callsReader(value))
      return true;
    return llvm::any_of(namesIn(value),
                        [&](const VarDecl *v) { return isOfThread(v) && !isLoaded(v); });
  }
  bool callsReader(const Expr &value) const {
    AsmFinder all;
    all.TraverseStmt(const_cast<Expr *>(&value));
    return llvm::any_of(all.calls, [&](const CallExpr *call) {
      const FunctionDecl *callee = call->getDirectCallee();
      const FunctionDecl *definition = callee ? callee->getDefinition() : nullptr;
      return definition && definition->hasBody() && input_.readsThread(definition->getBody());
    });
  }

  // The thread's index is read where no text of the value says so: by a default argument, a
  // constructor; or one name stands for a part of what does.
  bool readsHidden(const Expr &value) const {
    class Hidden : public DynamicRecursiveASTVisitor {
    public:
      explicit Hidden(const LanewiseInput &input) : input_(input) {}
      bool VisitCXXDefaultArgExpr(CXXDefaultArgExpr *given) override {
        return note(given->getExpr());
      }
      bool VisitCXXDefaultInitExpr(CXXDefaultInitExpr *given) override {
        return note(given->getExpr());
      }
      bool VisitCXXConstructExpr(CXXConstructExpr *made) override {
        const FunctionDecl *definition = made->getConstructor()->getDefinition();
        if (!definition)
          return true;
        for (const CXXCtorInitializer *init : cast<CXXConstructorDecl>(definition)->inits())
          note(init->getInit());
        return note(definition->getBody());
      }
      bool VisitDeclRefExpr(DeclRefExpr *name) override {
        return !isa<BindingDecl>(name->getDecl()) || note(name);
      }
      bool any = false;

    private:
      bool note(const Stmt *stmt) {
        any |= stmt && input_.readsThread(stmt);
        return true;
      }
      const LanewiseInput &input_;
    };
    Hidden hidden(input_);
    hidden.TraverseStmt(const_cast<Expr *>(&value));
    return hidden.any;
  }

  // An operand, or a value on the way to one.
  void takeFrom(const Expr &value) {
    out_.between.push_back(&value);
    if (readsHidden(value))
      refuse("its value depends on the thread by a default argument, a constructor or a structured "
             "binding",
             &value);
    if (const std::string why = obstacleOnTheWay(&value, input_.context); !why.empty())
      refuse("its value " + why, &value);
    for (const VarDecl *variable : namesIn(value))
      if (isOfThread(variable))
        take(variable);
  }
  void take(const VarDecl *variable) {
    if (!out_.variables.insert(variable).second)
      return;
    for (const size_t i : givingsOf_[variable]) {
      const Giving &giving = flow_.givings[i];
      out_.statements.push_back(giving.at);
      const bool begins = llvm::any_of(giving.values, [&](const Expr *v) { return isBegin(*v); });
      if (const auto *code = dyn_cast<GCCAsmStmt>(giving.at))
        if (const std::string why = obstacleInAsm(*code); !why.empty() || begins)
          refuse("'" + variable->getNameAsString() + "' is given its value by asm that " +
                     (why.empty() ? "takes the thread's index" : why),
                 code);
      for (const Lanewise::Condition &condition : giving.conditions) {
        out_.conditions.push_back(condition);
        if (!input_.isSameForWave(condition.value))
          refuse("'" + variable->getNameAsString() + "' is set under a condition on the thread",
                 condition.value);
      }
      takePlace(giving);
      if (!begins)
        for (const Expr *value : giving.values)
          takeFrom(*value);
      else if (Parts parts; giving.values.size() == 1 && splits(*giving.values[0], parts) &&
                            !parts.calls.empty())
        beginWithin(giving, parts);
      else
        begin(giving);
    }
  }

  // b.x[j % 2] ^= sign: which word it is, is as good as a value that it is made of.
  void takePlace(const Giving &giving) {
    for (const Expr *place = giving.place; place;) {
      place = stripped(place);
      const Expr *index = nullptr;
      if (const auto *access = dyn_cast<ArraySubscriptExpr>(place)) {
        index = access->getIdx();
        place = access->getBase();
      } else if (const auto *member = dyn_cast<MemberExpr>(place)) {
        place = member->getBase();
      } else if (const auto *op = dyn_cast<UnaryOperator>(place)) {
        place = op->getSubExpr();
      } else if (const auto *cast = dyn_cast<ExplicitCastExpr>(place)) {
        place = cast->getSubExpr();
      } else {
        return;
      }
      if (index && isBegin(*index))
        refuse("which of its words is written hangs on the thread", index);
      else if (index)
        takeFrom(*index);
    }
  }

  // scale(frag, scales[n + lane / 4]): what is read there begins by itself, and the call makes
  // something of it as it does of values that have begun.
  struct Parts {
    std::vector<const Expr *> begins, rest;
    std::vector<const CallExpr *> calls;
  };
  bool splits(const Expr &value, Parts &parts) const {
    const Expr *expr = throughCopies(&value);
    if (!isBegin(*expr)) {
      parts.rest.push_back(expr);
      return true;
    }
    if (!namesLoaded(*expr)) {
      parts.begins.push_back(expr);
      return parts.calls.empty() || readsMemory(value);
    }
    const auto *call = dyn_cast<CallExpr>(expr);
    const FunctionDecl *callee = call ? call->getDirectCallee() : nullptr;
    const FunctionDecl *definition = callee ? callee->getDefinition() : nullptr;
    const bool readsItself =
        definition && definition->hasBody() && input_.readsThread(definition->getBody());
    if (!callee || readsItself || callee->isVariadic())
      return false;
    parts.calls.push_back(call);
    if (const auto *member = dyn_cast<CXXMemberCallExpr>(call))
      if (const Expr *object = member->getImplicitObjectArgument()) {
        if (isBegin(*object))
          return false;
        parts.rest.push_back(object);
      }
    const auto *method = dyn_cast<CXXMethodDecl>(callee);
    const unsigned first = isa<CXXOperatorCallExpr>(call) && method && method->isInstance() ? 1 : 0;
    for (unsigned i = 0; i < call->getNumArgs(); ++i) {
      const Expr *argument = call->getArg(i);
      const bool isObject = i < first;
      if (!isObject && i - first >= callee->getNumParams())
        return false;
      if (isBegin(*argument) &&
          (isObject || leadsElsewhere(callee->getParamDecl(i - first)->getType())))
        return false;
      if (!splits(*argument, parts))
        return false;
    }
    return true;
  }
  // Made of a value that has begun already.
  bool namesLoaded(const Expr &value) const {
    return llvm::any_of(namesIn(value),
                        [&](const VarDecl *v) { return isOfThread(v) && isLoaded(v); });
  }
  // A value that begins has no place; and what a pointer leads to is another matter.
  static bool leadsElsewhere(QualType parameter) {
    return parameter->isPointerType() || mayWriteThrough(parameter);
  }
  void beginWithin(const Giving &giving, const Parts &parts) {
    if (giving.isHidden)
      refuse("it is read in a lambda", giving.at);
    for (const CallExpr *call : parts.calls)
      if (const std::string why = obstacleOnTheWay(call, input_.context); !why.empty())
        refuse("its value " + why, call);
    for (const Expr *value : parts.begins) {
      if (const std::string why = obstacleToBegin(*value); !why.empty())
        refuse("its value " + why, value);
      if (isListed(*value))
        refuse("several values that depend on the thread stand in one list", giving.at);
      if (within_.insert(value).second)
        out_.begins.push_back({value, nullptr, giving.conditions, giving.lambda});
    }
    for (const Expr *value : parts.rest)
      takeFrom(*value);
  }
  static bool isListed(const Expr &value) {
    const auto *made = dyn_cast<CXXConstructExpr>(value.IgnoreImplicit());
    return isa<InitListExpr>(value) ||
           (made && !isa<CXXTemporaryObjectExpr>(made) && made->getParenOrBraceRange().isValid());
  }
  std::string obstacleToBegin(const Expr &value) const {
    const std::set<const VarDecl *> made = input_.madeOnceIn(value);
    return obstacleTo(&value, input_.context, &made);
  }
  void begin(const Giving &giving) {
    const Expr *value = giving.values[0];
    if (giving.isHidden)
      refuse("it is read in a lambda", giving.at);
    if (giving.values.size() != 1 || giving.isCall)
      refuse("a function is handed the thread's index and what it writes to", giving.at);
    if (isListed(*value))
      refuse("several values that depend on the thread stand in one list", giving.at);
    if (const std::string why = obstacleToBegin(*value); !why.empty())
      refuse("its value " + why, value);
    begins_.insert(&giving - flow_.givings.data());
    out_.begins.push_back({value, giving.target, giving.conditions, giving.lambda});
  }

  void checkMention(const Mention &mention) {
    if (!out_.variables.count(mention.variable) || mention.isOperand)
      return;
    const bool isFollowed =
        !isWithinBegin(*mention.at) && (mention.isTarget || !mention.givings.empty()) &&
        llvm::all_of(mention.givings, [&](size_t i) {
          return out_.variables.count(flow_.givings[i].target) && !begins_.count(i);
        });
    if (!isFollowed)
      refuse("'" + mention.variable->getNameAsString() + "' is used otherwise too", mention.at);
  }
  // In an argument that is made for another lane.
  bool isWithinBegin(const DeclRefExpr &name) const {
    return llvm::any_of(within_, [&](const Expr *value) {
      bool found = false;
      Mentions mentions([&](const DeclRefExpr &inner) { found = found || &inner == &name; });
      mentions.TraverseStmt(const_cast<Expr *>(value));
      return found;
    });
  }
  void checkVariable(const VarDecl &variable) {
    const QualType type = variable.getType();
    if (!variable.hasLocalStorage() || isa<ParmVarDecl>(variable) || type->isReferenceType() ||
        type->isPointerType() || type.isVolatileQualified() ||
        llvm::any_of(givingsOf_[&variable], [&](size_t i) { return flow_.givings[i].isHidden; }))
      refuse("'" + variable.getNameAsString() + "' is no variable in the thread's own registers",
             variable.getInit() ? variable.getInit() : operands_[0]);
  }

  const std::vector<const Expr *> operands_;
  const LanewiseInput &input_;
  Flow flow_;
  std::map<const VarDecl *, std::vector<size_t>> givingsOf_;
  mutable std::map<const VarDecl *, bool> loaded_;
  std::set<size_t> begins_;
  std::set<const Expr *> within_; // begins that are arguments
  Lanewise out_;
};

} // namespace

Lanewise followLanewise(const std::vector<const Expr *> &operands, const LanewiseInput &input) {
  return Follower(operands, input).follow();
}

} // namespace layout_port::native
