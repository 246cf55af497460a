#include "native/Recover.h"

#include "native/Asked.h"
#include "native/Exchange.h"
#include "native/Flat.h"
#include "native/FragmentName.h"
#include "native/Gather.h"
#include "native/LanePlaces.h"
#include "native/RecoverEpilogue.h"
#include "native/Sample.h"
#include "native/Texts.h"
#include "ptx/Parser.h"
#include "ptx/decode/MatrixMove.h"
#include "source/Edits.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/DynamicRecursiveASTVisitor.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/ParentMapContext.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Lex/Lexer.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace clang;

namespace layout_port::native {

namespace {

// ---- wrappers -------------------------------------------------------------------

// What a wrapper's parameters and locals stand for at one call.
struct Binding {
  std::map<const VarDecl *, const Expr *> values;
  const Expr *self = nullptr;     // the object, where the wrapper is one's method
  const Binding *outer = nullptr; // the values are expressions there
};

struct AsmText {
  ptx::Block block;
  const ptx::Instruction *matrix = nullptr; // its mma or ldmatrix
  bool isCvta = false;
};

std::optional<AsmText> readAsm(const GCCAsmStmt &stmt) {
  const auto block = ptx::parse(stmt.getAsmString());
  if (!block)
    return std::nullopt;
  AsmText text{*block, nullptr, false};
  for (const ptx::Instruction &i : text.block.instructions) {
    if (i.opcode == "mma" || i.opcode == "ldmatrix" || i.opcode == "stmatrix" ||
        i.opcode == "movmatrix")
      text.matrix = &i;
    text.isCvta = text.isCvta || i.opcode == "cvta";
  }
  return text;
}

bool isMatrix(const GCCAsmStmt &stmt) {
  const std::string text = stmt.getAsmString();
  return text.find("mma.") != text.npos || text.find("matrix") != text.npos;
}

class AsmFinder : public DynamicRecursiveASTVisitor {
public:
  AsmFinder() { ShouldVisitTemplateInstantiations = true; }
  bool VisitGCCAsmStmt(GCCAsmStmt *stmt) override {
    found.push_back(stmt);
    matrix = matrix || isMatrix(*stmt);
    return true;
  }
  bool VisitCallExpr(CallExpr *call) override {
    calls.push_back(call);
    return true;
  }
  std::vector<GCCAsmStmt *> found;
  std::vector<CallExpr *> calls;
  bool matrix = false;
};

const Expr *stripped(const Expr *expr) {
  for (;;) {
    expr = expr->IgnoreParenImpCasts();
    if (const auto *full = dyn_cast<FullExpr>(expr))
      expr = full->getSubExpr();
    else if (const auto *temporary = dyn_cast<MaterializeTemporaryExpr>(expr))
      expr = temporary->getSubExpr();
    else if (const auto *subst = dyn_cast<SubstNonTypeTemplateParmExpr>(expr))
      expr = subst->getReplacement();
    else
      return expr;
  }
}

// ---- one kernel -----------------------------------------------------------------

class Recovery {
public:
  Recovery(const ASTContext &context, const PlaceOf &placeOf, const FunctionDecl &kernel)
      : context_(context), texts_(context, placeOf), kernel_(kernel), sampler_(context, kernel) {}

  std::optional<Kernel> run() {
    const auto whole = texts_.statement(kernel_.getSourceRange());
    const auto body = texts_.range(kernel_.getBody()->getSourceRange());
    if (!whole || !body)
      return std::nullopt;
    out_.name = kernel_.getNameAsString();
    out_.range = *whole;
    out_.bodyBegin = {body->file, body->begin + 1, body->begin + 1};
    if (const auto *bounds = kernel_.getAttr<CUDALaunchBoundsAttr>()) {
      Expr::EvalResult value;
      if (!bounds->getMaxThreads()->isValueDependent() &&
          bounds->getMaxThreads()->EvaluateAsInt(value, context_))
        out_.launchBound = static_cast<int>(value.Val.getInt().getExtValue());
    }
    out_.assumesWholeWaves = says("layout-port: assume whole waves");
    walk(kernel_.getBody());
    if (!multiplies_)
      return std::nullopt;
    placeCalls();
    checkPartings();
    gatherOperands();
    splitFlat();
    out_.isTwoDimensional = sampler_.needsWarpRows();
    collectUses();
    if (out_.problem.empty())
      lookBetween();
    collectEpilogues();
    collectProductLoops();
    return std::move(out_);
  }

private:
  void refuse(const std::string &reason, SourceRange at) {
    if (!out_.problem.empty())
      return;
    out_.problem = reason;
    if (const auto range = texts_.statement(at))
      out_.problemAt = *range;
  }

  // ---- control flow

  void condition(const Expr *expr) {
    if (!expr || sampler_.sameForWave(expr))
      return;
    if (isAssumedUniform(expr))
      out_.assumptions.push_back("uniform over each wave: " + texts_.spelled(expr));
    else
      divergent_.push_back(expr);
  }

  // The text from the line above `first` up to `last`.
  StringRef textAround(SourceLocation first, SourceLocation last) const {
    const SourceManager &sm = context_.getSourceManager();
    first = sm.getExpansionLoc(first);
    const StringRef text = sm.getBufferData(sm.getFileID(first));
    const size_t line = text.rfind('\n', sm.getFileOffset(first)) + 1; // npos + 1 is 0
    const size_t above = line > 1 ? text.rfind('\n', line - 2) + 1 : 0;
    return text.slice(above, text.find('\n', sm.getFileOffset(sm.getExpansionLoc(last))));
  }

  // "layout-port: assume uniform" in a comment on the line of the condition or the one
  // above: the author's word, which verify checks (an MFMA of part of a wave is found).
  bool isAssumedUniform(const Expr *expr) const {
    return textAround(expr->getBeginLoc(), expr->getBeginLoc())
        .contains("layout-port: assume uniform");
  }

  // A comment inside the kernel or on the line above it.
  bool says(const std::string &words) const {
    return textAround(kernel_.getBeginLoc(), kernel_.getEndLoc()).contains(words);
  }

  void walk(const Stmt *stmt) {
    if (!stmt)
      return;
    if (const auto *loop = dyn_cast<ForStmt>(stmt)) {
      walk(loop->getInit());
      inLoop(stmt, loop->getCond(), loop->getBody(), loop->getInc());
    } else if (const auto *loop = dyn_cast<WhileStmt>(stmt)) {
      inLoop(stmt, loop->getCond(), loop->getBody(), nullptr);
    } else if (const auto *loop = dyn_cast<DoStmt>(stmt)) {
      inLoop(stmt, loop->getCond(), loop->getBody(), nullptr);
    } else if (const auto *branch = dyn_cast<IfStmt>(stmt)) {
      if (branch->isConstexpr()) {
        if (const auto taken = branch->getNondiscardedCase(context_))
          walk(*taken);
        return;
      }
      walk(branch->getCond());
      const size_t depth = divergent_.size();
      condition(branch->getCond());
      deciding_.push_back(branch->getCond());
      walk(branch->getThen());
      walk(branch->getElse());
      deciding_.pop_back();
      divergent_.resize(depth);
    } else if (const auto *asmStmt = dyn_cast<GCCAsmStmt>(stmt)) {
      visitAsm(*asmStmt, *asmStmt, nullptr);
    } else if (const auto *choice = dyn_cast<SwitchStmt>(stmt)) {
      walk(choice->getCond());
      const size_t depth = divergent_.size();
      condition(choice->getCond());
      deciding_.push_back(choice->getCond());
      walk(choice->getBody());
      deciding_.pop_back();
      divergent_.resize(depth);
    } else if (const auto *range = dyn_cast<CXXForRangeStmt>(stmt)) {
      inLoop(stmt, range->getCond(), range->getBody(), range->getInc());
    } else if (isa<BreakStmt, ContinueStmt, GotoStmt, IndirectGotoStmt>(stmt)) {
      if (const auto range = texts_.statement(stmt->getSourceRange()))
        out_.jumps.push_back(*range);
      notePartings(loops_.empty() ? 0 : loops_.size() - 1);
      if (isa<GotoStmt, IndirectGotoStmt>(stmt))
        goesTo_ = stmt;
    } else if (isa<ReturnStmt>(stmt)) {
      if (!divergent_.empty())
        earlyReturn_ = stmt;
      notePartings(0);
    } else if (isConditional(stmt)) {
      walkConditional(stmt);
    } else if (const auto *lambda = dyn_cast<LambdaExpr>(stmt)) {
      lambdas_[lambda->getCallOperator()] = lambda;
      if (isWrapperLambda(*lambda->getCallOperator()))
        return; // where it is called
      ++inLambda_;
      const Decl *outer = std::exchange(owner_, lambda->getCallOperator());
      const size_t before = out_.mmas.size();
      walk(lambda->getBody());
      owner_ = outer;
      --inLambda_;
      if (before != out_.mmas.size() && copiesArrays(*lambda))
        refuse("fragments are multiplied in a lambda that captures them by copy",
               lambda->getSourceRange());
    } else if (const auto *block = dyn_cast<CompoundStmt>(stmt)) {
      const CompoundStmt *outer = std::exchange(siteBlock_, block);
      noteFillings({block->body_begin(), block->body_end()});
      for (const Stmt *child : block->body())
        walk(child);
      siteBlock_ = outer;
    } else {
      if (const auto *call = dyn_cast<CXXOperatorCallExpr>(stmt)) {
        if (visitLambdaCall(*call))
          return;
      } else if (const auto *call = dyn_cast<CallExpr>(stmt))
        if (visitCall(*call))
          return;
      for (const Stmt *child : stmt->children())
        walk(child);
    }
  }

  // Part of it is evaluated on a condition.
  static bool isConditional(const Stmt *stmt) {
    const auto *op = dyn_cast<BinaryOperator>(stmt);
    return isa<ConditionalOperator>(stmt) || (op && op->isLogicalOp());
  }
  void walkConditional(const Stmt *stmt) {
    const auto *op = dyn_cast<BinaryOperator>(stmt);
    const auto *choice = dyn_cast<ConditionalOperator>(stmt);
    const Expr *first = op ? op->getLHS() : choice->getCond();
    walk(first);
    const size_t depth = divergent_.size();
    condition(first);
    deciding_.push_back(first);
    walk(op ? op->getRHS() : choice->getTrueExpr());
    walk(op ? nullptr : choice->getFalseExpr());
    deciding_.pop_back();
    divergent_.resize(depth);
  }

  // The warps of a wave may part where a jump depends on the thread: from there to the end
  // of the loop it leaves or shortens, and in all its later turns.
  void notePartings(size_t loop) {
    if (!divergent_.empty() && loop < loops_.size())
      partings_.push_back({loops_[loop].range, divergent_.front()});
  }
  void checkPartings() {
    if (goesTo_)
      refuse("a goto in a kernel that handles fragments", goesTo_->getSourceRange());
    const auto check = [&](const TextRange &site) {
      for (const auto &[loop, condition] : partings_)
        if (loop.contains(site))
          refuse("the two warps of a wave may part at a condition on the thread: " +
                     texts_.spelled(condition),
                 condition->getSourceRange());
    };
    for (const MmaSite &mma : out_.mmas) {
      check(mma.range);
      for (const MmaSite::Call &call : mma.calls)
        check(call.range);
    }
    for (const LoadSite &load : out_.loads)
      check(load.range);
    for (const auto &[function, calls] : calls_)
      for (const MmaSite::Call &call : calls)
        check(call.range);
  }

  // Where the variables of the conditions around are declared and assigned.
  std::vector<TextRange> decided() {
    std::vector<TextRange> places;
    const auto add = [&](SourceLocation at) {
      if (const auto range = texts_.statement(SourceRange(at, at)))
        places.push_back(*range);
    };
    for (const Expr *condition : deciding_) {
      Inputs inputs;
      inputs.TraverseStmt(const_cast<Expr *>(condition));
      for (const VarDecl *variable : inputs.found) {
        add(variable->getLocation());
        for (const SourceLocation at : sampler_.changesOf(variable))
          add(at);
      }
    }
    return places;
  }

  void inLoop(const Stmt *stmt, const Expr *cond, const Stmt *body, const Stmt *increment) {
    const size_t depth = divergent_.size();
    condition(cond);
    if (const auto range = texts_.statement(stmt->getSourceRange()))
      loops_.push_back(loopOf(stmt, *range));
    else
      refuse("a loop that a macro writes", stmt->getSourceRange());
    walk(cond);
    walk(increment);
    if (body && !isa<CompoundStmt>(body))
      noteFillings({body});
    walk(body);
    if (!loops_.empty())
      loops_.pop_back();
    divergent_.resize(depth);
  }

  std::optional<int64_t> constant(const Expr *expr) const {
    Expr::EvalResult value;
    if (!expr || expr->isValueDependent() || !expr->EvaluateAsInt(value, context_))
      return std::nullopt;
    return value.Val.getInt().getExtValue();
  }

  Loop loopOf(const Stmt *stmt, const TextRange &range) const {
    Loop loop;
    loop.range = range;
    const auto *form = dyn_cast<ForStmt>(stmt);
    const auto *init = form ? dyn_cast_or_null<DeclStmt>(form->getInit()) : nullptr;
    const auto *variable =
        init && init->isSingleDecl() ? dyn_cast<VarDecl>(init->getSingleDecl()) : nullptr;
    const auto *bound = form ? dyn_cast_or_null<BinaryOperator>(form->getCond()) : nullptr;
    if (!variable)
      return loop;
    loop.variable = variable->getNameAsString();
    loop.first = constant(variable->getInit());
    if (bound && bound->getOpcode() == BO_LT)
      loop.last = constant(bound->getRHS());
    if (const auto *op = dyn_cast_or_null<UnaryOperator>(form->getInc()); op && op->isIncrementOp())
      loop.step = 1;
    else if (const auto *op = dyn_cast_or_null<BinaryOperator>(form->getInc());
             op && op->getOpcode() == BO_AddAssign)
      loop.step = constant(op->getRHS());
    if (form->getInc())
      if (const auto range = texts_.range(form->getInc()->getSourceRange()))
        loop.increment = *range;
    return loop;
  }

  // ---- sites

  bool matrixWithin(const FunctionDecl *function) {
    const auto [known, isNew] = matrixFunctions_.try_emplace(function, false);
    if (!isNew)
      return known->second;
    AsmFinder finder;
    finder.TraverseStmt(function->getBody());
    bool within = finder.matrix;
    for (const CallExpr *call : finder.calls)
      if (const FunctionDecl *callee = call->getDirectCallee())
        if (const FunctionDecl *definition = callee->getDefinition();
            definition && definition->hasBody() && !within)
          within = matrixWithin(definition);
    return matrixFunctions_[function] = within;
  }

  // One matrix instruction on registers that are handed to it by reference.
  bool isWrapperLambda(const CXXMethodDecl &method) {
    const bool takesRegisters = llvm::any_of(method.parameters(), [](const ParmVarDecl *p) {
      const QualType type = p->getType();
      return (type->isReferenceType() || type->isPointerType()) &&
             !type->getPointeeType().isConstQualified();
    });
    return takesRegisters && method.hasBody() && !method.isDependentContext() &&
           matrixWithin(&method) && isWrapper(method);
  }

  // A lambda of the kernel that loads fragments: where it is called, the wave must be
  // whole, and what it is called with must be the same for all of it. True when the call
  // is dealt with.
  bool visitLambdaCall(const CXXOperatorCallExpr &call) {
    const auto *method = dyn_cast_or_null<CXXMethodDecl>(call.getDirectCallee());
    if (!method || !method->getParent()->isLambda() || !method->hasBody() || !matrixWithin(method))
      return false;
    if (isWrapperLambda(*method))
      return liftCall(call, *method, call, nullptr);
    if (!divergent_.empty() || earlyReturn_)
      refuse("fragments are loaded where the two warps of a wave may part", call.getSourceRange());
    for (unsigned i = 1; i < call.getNumArgs(); ++i)
      if (sampler_.dependsOnThread(call.getArg(i)))
        refuse("a lambda that loads fragments is called with a value of the thread",
               call.getSourceRange());
    noteCall(*method, call);
    return false;
  }

  static bool copiesArrays(const LambdaExpr &lambda) {
    return llvm::any_of(lambda.captures(), [](const LambdaCapture &capture) {
      if (!capture.capturesVariable() || capture.getCaptureKind() != LCK_ByCopy)
        return false;
      const QualType type = capture.getCapturedVar()->getType();
      return type->isArrayType() || type->isRecordType();
    });
  }

  void noteCall(const FunctionDecl &callee, const Expr &call) {
    const auto range = texts_.statement(call.getSourceRange());
    if (owner_ || !range)
      refuse("'" + callee.getNameAsString() + "' handles fragments and is not called by the kernel",
             call.getSourceRange());
    else
      calls_[&callee].push_back({*range, loops_});
  }

  // Products in lambdas and functions take place where those are called.
  void placeCalls() {
    for (size_t i = 0; i < out_.mmas.size(); ++i) {
      if (!owners_[i])
        continue;
      out_.mmas[i].calls = calls_[owners_[i]];
      if (out_.mmas[i].calls.empty())
        refuse("fragments are multiplied in a lambda that the kernel does not call by its name",
               kernel_.getSourceRange());
    }
  }

  // A function that does more to fragments than one instruction is ported where it stands.
  // It is handed whole variables, or what is the same for the whole wave.
  void enterFunction(const CallExpr &call, const FunctionDecl &function) {
    multiplies_ = true;
    const std::string name = function.getNameAsString();
    if (!rangeOf(function))
      return refuse("'" + name + "' handles fragments and a macro writes it",
                    call.getSourceRange());
    const Expr *self = objectOf(call);
    const VarDecl *object = self ? wholeVariable(*self) : nullptr;
    if (owner_ || (self && !object))
      return refuse("fragments are handled in '" + name + "', which does more than one instruction",
                    call.getSourceRange());
    if (!divergent_.empty() || earlyReturn_)
      return refuse("fragments are handled in '" + name +
                        "' where the two warps of a wave may part",
                    call.getSourceRange());
    Frame frame;
    if (object)
      frame[nullptr] = object;
    for (unsigned i = 0; i < function.getNumParams() && i < call.getNumArgs(); ++i)
      if (const VarDecl *variable = handedWhole(*function.getParamDecl(i), *call.getArg(i)))
        frame[function.getParamDecl(i)] = variable;
      else if (sampler_.dependsOnThread(call.getArg(i)))
        return refuse("'" + name + "' handles fragments and is called with a value of the thread",
                      call.getSourceRange());
    const auto [known, isNew] = frames_.try_emplace(&function, frame);
    if (!isNew && known->second != frame)
      return refuse("'" + name + "' is called with several sets of fragments",
                    call.getSourceRange());
    noteCall(function, call);
    sites_.push_back(&call);
    if (isNew)
      walkFunction(function);
  }

  // The object of a method's call: `f` of f.load(p), also where that is a pointer.
  static const Expr *objectOf(const CallExpr &call) {
    const auto *member = dyn_cast<CXXMemberCallExpr>(&call);
    const auto *method = dyn_cast_or_null<CXXMethodDecl>(call.getDirectCallee());
    return member && method && method->isInstance() ? member->getImplicitObjectArgument() : nullptr;
  }

  // An array or struct in the thread's registers, named as a whole.
  static const VarDecl *wholeVariable(const Expr &expr) {
    const auto *name = dyn_cast<DeclRefExpr>(stripped(&expr));
    const auto *variable = name ? dyn_cast<VarDecl>(name->getDecl()) : nullptr;
    const bool isFragment =
        variable && variable->isLocalVarDecl() && variable->hasLocalStorage() &&
        (variable->getType()->isArrayType() || variable->getType()->isRecordType());
    return isFragment ? variable : nullptr;
  }
  static const VarDecl *handedWhole(const ParmVarDecl &parameter, const Expr &argument) {
    const QualType type = parameter.getType();
    return type->isReferenceType() || type->isPointerType() ? wholeVariable(argument) : nullptr;
  }

  void walkFunction(const FunctionDecl &function) {
    sampler_.consider(function.getBody());
    std::vector<Loop> loops;
    std::swap(loops, loops_);
    const CompoundStmt *block = std::exchange(siteBlock_, nullptr);
    owner_ = function_ = &function;
    walk(function.getBody());
    owner_ = function_ = nullptr;
    siteBlock_ = block;
    loops_ = std::move(loops);
  }

  // Declarations, cvta and one matrix instruction, or a call of such a function.
  bool isWrapper(const FunctionDecl &function) {
    int instructions = 0;
    for (const Stmt *stmt : flattened(function.getBody())) {
      const auto *text = dyn_cast<GCCAsmStmt>(stmt);
      instructions += !isa<DeclStmt>(stmt) && (!text || isMatrix(*text));
      if (instructions > 1)
        return false;
      if (isa<DeclStmt, GCCAsmStmt>(stmt))
        continue;
      const auto *call = dyn_cast<CallExpr>(stmt);
      const FunctionDecl *callee = call ? call->getDirectCallee() : nullptr;
      const FunctionDecl *definition = callee ? callee->getDefinition() : nullptr;
      if (!definition || !definition->hasBody() || !matrixWithin(definition))
        return false;
    }
    return true;
  }

  std::optional<TextRange> rangeOf(const FunctionDecl &function) const {
    const FunctionTemplateDecl *pattern = function.getPrimaryTemplate();
    return texts_.statement(pattern ? pattern->getSourceRange() : function.getSourceRange());
  }

  // Every function in reach that may be ported where it stands, also when this kernel is
  // not: another one that calls it must know.
  void recordFunctions(const FunctionDecl &function) {
    if (!recorded_.insert(&function).second)
      return;
    if (const auto range = rangeOf(function); range && !isWrapper(function))
      out_.functions.push_back(*range);
    AsmFinder finder;
    finder.TraverseStmt(function.getBody());
    for (const CallExpr *call : finder.calls) {
      const FunctionDecl *callee = call->getDirectCallee();
      const FunctionDecl *definition = callee ? callee->getDefinition() : nullptr;
      if (definition && definition->hasBody() && matrixWithin(definition))
        recordFunctions(*definition);
    }
  }

  // True when the call was a matrix wrapper and is dealt with.
  bool visitCall(const CallExpr &call) {
    const FunctionDecl *callee = call.getDirectCallee();
    const FunctionDecl *definition = callee ? callee->getDefinition() : nullptr;
    if (!definition || !definition->hasBody() || !matrixWithin(definition))
      return false;
    recordFunctions(*definition);
    if (isWrapper(*definition))
      return liftCall(call, *definition, call, nullptr);
    enterFunction(call, *definition);
    return true;
  }

  // Blocks and constexpr branches opened.
  std::vector<const Stmt *> flattened(const Stmt *stmt) const {
    std::vector<const Stmt *> all;
    if (const auto *block = dyn_cast<CompoundStmt>(stmt)) {
      for (const Stmt *inner : block->body())
        llvm::append_range(all, flattened(inner));
    } else if (const auto *branch = dyn_cast<IfStmt>(stmt); branch && branch->isConstexpr()) {
      if (const auto taken = branch->getNondiscardedCase(context_); taken && *taken)
        all = flattened(*taken);
    } else if (const auto *leave = dyn_cast<ReturnStmt>(stmt);
               !isa<NullStmt>(stmt) && (!leave || leave->getRetValue())) {
      all.push_back(stmt);
    }
    return all;
  }

  // The wrapper's body: declarations, cvta blocks and one matrix instruction.
  bool liftCall(const CallExpr &call, const FunctionDecl &wrapper, const Stmt &site,
                const Binding *outer) {
    multiplies_ = true;
    const auto *body = dyn_cast<CompoundStmt>(wrapper.getBody());
    Binding binding;
    binding.outer = outer;
    binding.self = objectOf(call);
    const unsigned first = isa<CXXOperatorCallExpr>(call) ? 1 : 0; // behind the lambda itself
    for (unsigned i = 0; i < wrapper.getNumParams() && i + first < call.getNumArgs(); ++i)
      binding.values[wrapper.getParamDecl(i)] = call.getArg(i + first);
    if (!body) {
      refuse("fragments are handled in '" + wrapper.getNameAsString() + "'", call.getSourceRange());
      return true;
    }
    sampler_.consider(body);
    for (const auto &[parameter, argument] : binding.values)
      if (argument)
        sampler_.alias(parameter, argument);
    for (const Stmt *stmt : flattened(body)) {
      if (const auto *declarations = dyn_cast<DeclStmt>(stmt)) {
        for (const Decl *decl : declarations->decls())
          if (const auto *local = dyn_cast<VarDecl>(decl); local && local->getInit())
            binding.values[local] = nullptr; // looked up where it is used
        continue;
      }
      if (const auto *asmStmt = dyn_cast<GCCAsmStmt>(stmt)) {
        const auto text = readAsm(*asmStmt);
        if (text && text->isCvta && !text->matrix)
          continue;
        visitAsm(*asmStmt, site, &binding);
        continue;
      }
      if (const auto *inner = dyn_cast<CallExpr>(stmt))
        if (const FunctionDecl *callee = inner->getDirectCallee())
          if (const FunctionDecl *definition = callee->getDefinition();
              definition && definition->hasBody() && matrixWithin(definition)) {
            liftCall(*inner, *definition, site, &binding);
            continue;
          }
      refuse("fragments are handled in '" + wrapper.getNameAsString() +
                 "', which does more than one instruction",
             call.getSourceRange());
      return true;
    }
    if (const auto range = definitionOf(wrapper))
      out_.wrappers.push_back(*range);
    return true;
  }

  // With the declaration of the variable that a lambda is kept in.
  std::optional<TextRange> definitionOf(const FunctionDecl &wrapper) const {
    const auto *method = dyn_cast<CXXMethodDecl>(&wrapper);
    if (!method || !method->getParent()->isLambda())
      return rangeOf(wrapper);
    const Expr *value = lambdas_.lookup(method);
    while (value) {
      const auto parents = const_cast<ASTContext &>(context_).getParents(*value);
      if (parents.empty())
        break;
      if (const auto *variable = parents[0].get<VarDecl>()) {
        const auto holders = const_cast<ASTContext &>(context_).getParents(*variable);
        const auto *stmt = holders.empty() ? nullptr : holders[0].get<DeclStmt>();
        return stmt && stmt->isSingleDecl() ? texts_.statement(stmt->getSourceRange())
                                            : std::nullopt;
      }
      value = parents[0].get<Expr>();
    }
    return std::nullopt;
  }

  void visitAsm(const GCCAsmStmt &stmt, const Stmt &site, const Binding *binding) {
    if (!isMatrix(stmt))
      return;
    multiplies_ = true;
    const auto text = readAsm(stmt);
    if (!text || !text->matrix)
      return refuse("matrix PTX that is not understood", site.getSourceRange());
    if (text->block.instructions.size() != 1 || text->matrix->guard)
      return refuse("a matrix instruction among others in one asm", site.getSourceRange());
    if (!divergent_.empty())
      return refuse("the two warps of a wave may part at a condition on the thread: " +
                        texts_.spelled(divergent_.front()),
                    divergent_.front()->getSourceRange());
    if (earlyReturn_)
      return refuse("some threads of a wave may have returned before",
                    earlyReturn_->getSourceRange());
    const auto range = texts_.statement(site.getSourceRange());
    if (!range)
      return refuse("a matrix instruction that a macro writes with others", site.getSourceRange());
    if (text->matrix->opcode == "mma")
      addMma(stmt, *text->matrix, *range, binding, site);
    else if (text->matrix->opcode == "ldmatrix")
      addLoad(stmt, *text->matrix, *range, binding, site);
    else
      refuse(text->matrix->opcode + " has no native port yet", site.getSourceRange());
  }

  const Expr *operand(const GCCAsmStmt &stmt, const ptx::Operand &operand) const {
    if (!operand.is(ptx::Operand::Kind::AsmOperand) || operand.index < 0)
      return nullptr;
    const unsigned n = operand.index, outputs = stmt.getNumOutputs();
    if (n < outputs)
      return stmt.getOutputExpr(n);
    return n - outputs < stmt.getNumInputs() ? stmt.getInputExpr(n - outputs) : nullptr;
  }

  void addMma(const GCCAsmStmt &stmt, const ptx::Instruction &instruction, const TextRange &range,
              const Binding *binding, const Stmt &site) {
    const auto mma = ptx::decodeMma(instruction);
    if (!mma)
      return refuse(mma.error().reason, site.getSourceRange());
    MmaSite out;
    out.range = range;
    out.name = mma->name;
    out.shape = mma->fragment;
    out.spelling = instruction.spelling();
    out.m = mma->m, out.n = mma->n, out.k = mma->k;
    out.typeA = mma->typeA, out.typeB = mma->typeB, out.typeC = mma->typeC, out.typeD = mma->typeD;
    out.satfinite = mma->satfinite;
    out.loops = loops_;
    const auto add = [&](std::vector<Slot> &slots, const std::vector<const ptx::Operand *> &from) {
      for (size_t i = 0; i < from.size(); ++i) {
        std::optional<Slot> slot;
        if (const Expr *expr = operand(stmt, *from[i]))
          slot = slotOf(expr, binding, static_cast<int>(i));
        if (!slot)
          return false;
        slots.push_back(*slot);
      }
      return true;
    };
    if (!add(out.d, mma->d) || !add(out.a, mma->a) || !add(out.b, mma->b) || !add(out.c, mma->c))
      return refuse("an operand of " + mma->name + " is not a register of a fragment variable",
                    site.getSourceRange());
    out.decided = decided();
    note(site);
    owners_.push_back(owner_);
    out_.mmas.push_back(std::move(out));
  }

  void addLoad(const GCCAsmStmt &stmt, const ptx::Instruction &instruction, const TextRange &range,
               const Binding *binding, const Stmt &site) {
    const auto move = ptx::decodeMatrixMove(instruction);
    if (!move)
      return refuse(move.error().reason, site.getSourceRange());
    LoadSite out;
    out.range = range;
    out.spelling = instruction.spelling();
    out.transposed = move->transposed;
    out.line = context_.getSourceManager().getExpansionLineNumber(site.getBeginLoc());
    out.loops = loops_;
    for (size_t i = 0; i < move->registers.size(); ++i) {
      const Expr *expr = operand(stmt, *move->registers[i]);
      const auto slot = expr ? slotOf(expr, binding, static_cast<int>(i)) : std::nullopt;
      if (!slot)
        return refuse("a destination of ldmatrix is not a register of a fragment variable",
                      site.getSourceRange());
      out.registers.push_back(*slot);
    }
    const ptx::Operand &at = *move->address;
    const Expr *address =
        at.elements.size() == 1 && at.offset == 0 ? operand(stmt, at.elements[0]) : nullptr;
    if (!address)
      return refuse("an address of ldmatrix of another form than one register",
                    site.getSourceRange());
    siteRange_ = range;
    tileVariables_ = tileVariablesOf(out.registers);
    const Binding *where = binding;
    const Expr *outer = kernelExpression(address, where);
    if (outer && !where)
      out.address = addressOf(outer, range.file, out.problem);
    else
      out.address = addressOf(address, range.file, out.problem);
    out.decided = decided();
    note(site);
    out_.loads.push_back(std::move(out));
  }

  void note(const Stmt &site) { sites_.push_back(&site); }

  // ---- operands

  const Expr *boundValue(const VarDecl *variable, const Binding *binding) const {
    const auto it = binding->values.find(variable);
    return it == binding->values.end() ? nullptr : it->second;
  }

  // Follows a wrapper's parameters, casts and cvta up to the kernel's own expression;
  // `binding` becomes null there.
  const Expr *kernelExpression(const Expr *expr, const Binding *&binding) const {
    for (int steps = 0; binding && steps < 32; ++steps) {
      expr = stripped(expr);
      if (const auto *cast = dyn_cast<ExplicitCastExpr>(expr)) {
        expr = cast->getSubExpr();
      } else if (const auto *call = dyn_cast<CallExpr>(expr);
                 call && call->getDirectCallee() && call->getDirectCallee()->getIdentifier() &&
                 call->getDirectCallee()->getName() == "__cvta_generic_to_shared") {
        expr = call->getArg(0);
      } else if (const auto *name = dyn_cast<DeclRefExpr>(expr)) {
        const auto *variable = dyn_cast<VarDecl>(name->getDecl());
        if (!variable)
          return nullptr;
        if (const Expr *value = boundValue(variable, binding)) {
          expr = value;
          binding = binding->outer;
        } else if (variable->getInit() && !isa<ParmVarDecl>(variable)) {
          expr = variable->getInit();
        } else {
          return nullptr;
        }
      } else {
        return nullptr;
      }
    }
    return expr;
  }

  // A variable that holds fragments, and which part of it is one.
  struct Root {
    const VarDecl *variable = nullptr;
    const FieldDecl *part = nullptr;
  };

  struct Path {
    const VarDecl *root = nullptr;
    std::vector<Index> indices;
    std::string prefix, suffix; // around the variable: casts
    std::string name;           // what it is called at the site, where that is not its own
  };

  Index indexOf(const Expr *expr, const Binding *binding) {
    Index index;
    Expr::EvalResult value;
    if (!expr->isValueDependent() && expr->EvaluateAsInt(value, context_))
      index.literal = value.Val.getInt().getExtValue();
    const Binding *where = binding;
    const Expr *own = binding && !index.literal ? kernelExpression(expr, where) : expr;
    if (own && !where)
      expr = own;
    if (!index.literal) {
      scaled(expr, index);
      index.turns = own && !where ? turnsOf({expr}) : allTurns();
    }
    index.text = index.literal && binding ? std::to_string(*index.literal) : texts_.spelled(expr);
    return index;
  }

  std::set<std::string> allTurns() const {
    std::set<std::string> names;
    for (const Loop &loop : loops_)
      names.insert(loop.variable);
    return names;
  }
  // The loops around in whose turns the values may differ.
  std::set<std::string> turnsOf(llvm::ArrayRef<const Expr *> values) {
    Inputs inputs;
    for (const Expr *value : values)
      inputs.TraverseStmt(const_cast<Expr *>(value));
    return inputs.readsMemory ? allTurns() : turnsOf(inputs.found);
  }
  std::set<std::string> turnsOf(const std::vector<const VarDecl *> &variables) {
    std::set<std::string> names;
    for (const Loop &loop : loops_)
      if (llvm::any_of(variables, [&](const VarDecl *v) {
            return v->getName() == loop.variable || (!isCounter(*v) && variesIn(*v, loop, 0));
          }))
        names.insert(loop.variable);
    return names;
  }

  // scale * variable + offset; true when `expr` has that form.
  bool scaled(const Expr *expr, Index &index) const {
    expr = stripped(expr);
    Expr::EvalResult value;
    if (const auto *name = dyn_cast<DeclRefExpr>(expr)) {
      index.variable = name->getDecl()->getNameAsString();
      index.scale = 1;
      return isa<VarDecl>(name->getDecl());
    }
    const auto *op = dyn_cast<BinaryOperator>(expr);
    if (!op || (op->getOpcode() != BO_Mul && op->getOpcode() != BO_Add))
      return false;
    const Expr *left = op->getLHS(), *right = op->getRHS();
    if (left->isValueDependent() || right->isValueDependent())
      return false;
    if (left->EvaluateAsInt(value, context_))
      std::swap(left, right);
    else if (!right->EvaluateAsInt(value, context_))
      return false;
    const int64_t constant = value.Val.getInt().getExtValue();
    if (!scaled(left, index)) {
      index.variable.clear();
      return false;
    }
    if (op->getOpcode() == BO_Mul) {
      index.scale *= constant;
      index.offset *= constant;
    } else {
      index.offset += constant;
    }
    return true;
  }

  static Index sum(const Index &a, const Index &b) {
    if (a.literal && *a.literal == 0)
      return b;
    if (b.literal && *b.literal == 0)
      return a;
    Index index;
    if (a.literal && b.literal) {
      index.literal = *a.literal + *b.literal;
      index.text = std::to_string(*index.literal);
    } else {
      index = a.literal ? b : a;
      index.offset += a.literal ? *a.literal : b.literal ? *b.literal : 0;
      if (!a.literal && !b.literal)
        index.variable.clear();
      index.text = a.text + " + " + b.text;
    }
    return index;
  }

  // X[e]..., &X[e], a parameter that is one of these, each with what it stands for.
  std::optional<Path> pathOf(const Expr *expr, const Binding *binding, bool isAddress) {
    expr = stripped(expr);
    if (isa<CXXThisExpr>(expr)) {
      if (binding)
        return binding->self ? pathOf(binding->self, binding->outer, true) : std::nullopt;
      const VarDecl *object = handedTo(nullptr);
      return object ? std::optional(Path{object, {}, "", "", "(*this)"}) : std::nullopt;
    }
    if (const auto *name = dyn_cast<DeclRefExpr>(expr)) {
      const auto *variable = dyn_cast<VarDecl>(name->getDecl());
      if (!variable)
        return std::nullopt;
      if (binding && isOutside(*variable)) // what a lambda captures
        return pathOf(expr, nullptr, isAddress);
      if (binding) {
        if (const Expr *value = boundValue(variable, binding))
          return pathOf(value, binding->outer, isAddress || variable->getType()->isPointerType());
        if (variable->getInit() && !isa<ParmVarDecl>(variable) &&
            (variable->getType()->isPointerType() || variable->getType()->isReferenceType()))
          return pathOf(variable->getInit(), binding, variable->getType()->isPointerType());
        return std::nullopt;
      }
      if (const VarDecl *handed = handedTo(variable))
        return Path{handed, {}, "", "", variable->getNameAsString()};
      if (!variable->isLocalVarDecl())
        return std::nullopt;
      return Path{variable, {}, "", "", ""};
    }
    if (const auto *access = dyn_cast<ArraySubscriptExpr>(expr)) {
      auto path = pathOf(access->getBase(), binding, true);
      if (!path)
        return std::nullopt;
      const Index index = indexOf(access->getIdx(), binding);
      if (pointsInto_) {
        path->indices.back() = sum(path->indices.back(), index);
        pointsInto_ = false;
      } else {
        path->indices.push_back(index);
      }
      return path;
    }
    if (const auto *member = dyn_cast<MemberExpr>(expr);
        member && isa<FieldDecl>(member->getMemberDecl()) && !pointsInto_) {
      auto path = pathOf(member->getBase(), binding, member->isArrow());
      if (!path || pointsInto_)
        return std::nullopt;
      Index index;
      index.text = "." + member->getMemberDecl()->getNameAsString();
      index.isMember = true;
      path->indices.push_back(index);
      return path;
    }
    if (const auto *op = dyn_cast<UnaryOperator>(expr); op && op->getOpcode() == UO_AddrOf) {
      auto path = pathOf(op->getSubExpr(), binding, false);
      if (!path || path->indices.empty())
        return std::nullopt;
      pointsInto_ = true;
      return path;
    }
    return std::nullopt;
  }

  // A variable of the kernel or of the function being walked, and of no lambda in it.
  bool isOutside(const VarDecl &variable) const {
    const DeclContext *context = variable.getDeclContext();
    return variable.isLocalVarDecl() && (context == &kernel_ || context == function_);
  }

  // The kernel's variable that the function being walked has as this parameter; null: as
  // its object.
  const VarDecl *handedTo(const VarDecl *variable) const {
    const auto *parameter = dyn_cast_or_null<ParmVarDecl>(variable);
    const auto frame =
        (parameter || !variable) && function_ ? frames_.find(function_) : frames_.end();
    if (frame == frames_.end())
      return nullptr;
    const auto found = frame->second.find(parameter);
    return found == frame->second.end() ? nullptr : found->second;
  }

  static Index literalIndex(int64_t value) {
    Index index;
    index.text = std::to_string(value);
    index.literal = value;
    return index;
  }

  static const FieldDecl *fieldOf(QualType type, StringRef name) {
    const auto *record = type->getAsCXXRecordDecl();
    if (record && record->hasDefinition())
      for (const FieldDecl *field : record->fields())
        if (field->getName() == name)
          return field;
    return nullptr;
  }

  // Nothing in the method being walked hides the member.
  bool isFreeInMethod(const FieldDecl &member) const {
    Inputs inputs;
    inputs.TraverseStmt(function_->getBody());
    return llvm::none_of(inputs.found,
                         [&](const VarDecl *v) { return v->getName() == member.getName(); });
  }

  // As the author wrote them: float acc[TM][TN][4] -> TM, TN, 4.
  std::vector<std::string> extentTextsOf(const DeclaratorDecl &variable) const {
    std::vector<std::string> texts;
    const TypeSourceInfo *info = variable.getTypeSourceInfo();
    if (!info)
      return texts;
    for (TypeLoc loc = info->getTypeLoc();;) {
      const auto array = loc.getAsAdjusted<ArrayTypeLoc>();
      if (!array || !array.getSizeExpr())
        return texts;
      texts.push_back(texts_.spelled(array.getSizeExpr()));
      loc = array.getElementLoc();
    }
  }

  std::optional<Slot> slotOf(const Expr *expr, const Binding *binding, int position) {
    pointsInto_ = false;
    const auto path = pathOf(expr, binding, false);
    if (path && !pointsInto_)
      if (auto slot = slotAt(path, position))
        return slot;
    return flatSlot(expr, binding);
  }

  std::optional<Slot> flatSlot(const Expr *expr, const Binding *binding) {
    const MeaningOf meaningOf = [&](const VarDecl *variable, const void *scope) {
      const auto *inner = static_cast<const Binding *>(scope);
      if (!inner)
        return Meaning();
      if (const Expr *value = boundValue(variable, inner))
        return Meaning{value, inner->outer};
      return Meaning{isa<ParmVarDecl>(variable) ? nullptr : variable->getInit(), scope};
    };
    auto flat = flatSlotOf(expr, context_, meaningOf, binding);
    if (!flat || !isOfKernel(flat->root))
      return std::nullopt;
    flat->slot.turns = turnsOf(flat->variables);
    roots_[flat->slot.declaration] = {flat->root, nullptr};
    return flat->slot;
  }

  // Tiles in one array, by the registers that their mma takes.
  void splitFlat() {
    std::map<uint64_t, int> registers;
    const auto splitAll = [&](std::vector<Slot> &slots, int count) {
      for (Slot &slot : slots) {
        const auto [known, isNew] = registers.try_emplace(slot.declaration, count);
        const bool isFlat =
            !slot.flatTerms.empty() || (slot.tile.empty() && slot.flatWords > count);
        if (slot.flatWords && isFlat && (known->second != count || !split(slot, count)))
          refuse("tiles of '" + slot.variable + "' do not lie one behind the other",
                 kernel_.getSourceRange());
      }
    };
    for (MmaSite &mma : out_.mmas)
      for (std::vector<Slot> *slots : {&mma.d, &mma.a, &mma.b, &mma.c})
        splitAll(*slots, static_cast<int>(slots->size()));
    for (LoadSite &load : out_.loads)
      for (Slot &slot : load.registers)
        if (const auto known = registers.find(slot.declaration); known != registers.end()) {
          std::vector<Slot> one = {slot};
          splitAll(one, known->second);
          slot = one[0];
        }
  }

  std::optional<Slot> slotAt(const std::optional<Path> &path, int position) {
    if (path->root->getType()->isReferenceType() || path->root->getType()->isPointerType())
      return std::nullopt;
    Slot slot;
    slot.variable = path->name.empty() ? path->root->getNameAsString() : path->name;
    std::vector<Index> indices = path->indices;
    const DeclaratorDecl *fragment = path->root;
    const FieldDecl *part = nullptr;
    if (!indices.empty() && indices.front().isMember && hasParts(path->root->getType(), context_)) {
      fragment = part = fieldOf(path->root->getType(), indices.front().text.substr(1));
      if (!part)
        return std::nullopt;
      slot.variable = slot.variable == "(*this)" && isFreeInMethod(*part)
                          ? part->getNameAsString()
                          : slot.variable + indices.front().text;
      indices.erase(indices.begin());
    }
    slot.declaration = fragmentOf(*path->root, part);
    roots_[slot.declaration] = {path->root, part};
    std::vector<int64_t> extents;
    std::vector<std::string> extentTexts = extentTextsOf(*fragment);
    QualType type = fragment->getType(), tile;
    for (const Index &index : indices) {
      tile = type;
      if (index.isMember) {
        const FieldDecl *field = fieldOf(type, index.text.substr(1));
        if (!field)
          return std::nullopt;
        type = field->getType();
        extents.push_back(0);
        continue;
      }
      const auto *array = context_.getAsConstantArrayType(type);
      if (!array)
        return std::nullopt;
      extents.push_back(static_cast<int64_t>(array->getSize().getZExtValue()));
      type = array->getElementType();
    }
    if (!type->isScalarType())
      return std::nullopt;
    if (indices.empty()) {
      slot.isScalar = true;
      slot.reg = position;
      slot.text = slot.tileText = slot.variable;
      return slot;
    }
    Index last = indices.back();
    if (const auto vector = last.isMember ? vectorOf(tile, context_) : std::nullopt) {
      last = literalIndex(numberOf(*fieldOf(tile, last.text.substr(1))));
      slot.vectorType = vector->element.getAsString(context_.getPrintingPolicy());
      extents.back() = vector->count;
    }
    if (!last.literal)
      return std::nullopt;
    indices.pop_back();
    // A pointer to one tile that runs on into the next: [d][2 + r] is [d + 1][r].
    if (*last.literal >= extents.back() && !indices.empty() && !indices.back().isMember) {
      const int64_t carry = *last.literal / extents.back();
      indices.back() = sum(indices.back(), literalIndex(carry));
      last.literal = *last.literal % extents.back();
    }
    slot.reg = static_cast<int>(*last.literal);
    slot.tile = indices;
    for (const Index &index : indices)
      slot.turns.insert(index.turns.begin(), index.turns.end());
    slot.tileText = tileTextOf(slot, -1, "");
    slot.text = slot.tileText + "[" + std::to_string(slot.reg) + "]";
    if (indices.empty() && slot.vectorType.empty() && context_.getTypeSize(type) == 32) {
      slot.flatWords = extents.back();
      slot.flatOffset = slot.reg;
      slot.flatType =
          type.getCanonicalType().getUnqualifiedType().getAsString(context_.getPrintingPolicy());
    }
    extents.pop_back();
    extentTexts.resize(extents.size());
    for (size_t i = 0; i < extents.size(); ++i)
      if (extentTexts[i].empty())
        extentTexts[i] = std::to_string(extents[i]);
    slot.extents = std::move(extents);
    slot.extentTexts = std::move(extentTexts);
    return slot;
  }

  // ---- addresses

  // The author's variables below `expr` that depend on the thread, in the order in
  // which they must be computed; a lane, a warp or the thread itself ends the search.
  class Needs : public DynamicRecursiveASTVisitor {
  public:
    Needs(Recovery &recovery, AddressFunction &out, std::string &problem, unsigned file)
        : r_(recovery), out_(out), problem_(problem), file_(file) {}

    bool VisitDeclRefExpr(DeclRefExpr *name) override {
      const auto *variable = dyn_cast<VarDecl>(name->getDecl());
      if (variable && (variable->isLocalVarDecl() || isa<ParmVarDecl>(variable)))
        r_.need(variable, out_, problem_, file_);
      return true;
    }
    bool VisitCXXThisExpr(CXXThisExpr *) override {
      problem_ = "the address is computed from members of a class";
      return true;
    }
    bool VisitCallExpr(CallExpr *call) override {
      const FunctionDecl *callee = call->getDirectCallee();
      if (callee && callee->getDefinition() && callee->getDefinition()->hasBody() &&
          r_.sampler_.dependsOnThread(callee->getDefinition()->getBody()))
        problem_ = "the address is computed by '" + callee->getNameAsString() +
                   "', which reads the thread's index itself";
      return true;
    }

  private:
    Recovery &r_;
    AddressFunction &out_;
    std::string &problem_;
    unsigned file_;
  };

  void need(const VarDecl *variable, AddressFunction &out, std::string &problem, unsigned file) {
    // A wrapper's parameter: what it was called with, by value.
    if (const Expr *argument = sampler_.aliasOf(variable)) {
      if (!needed_.insert(variable).second)
        return;
      Needs(*this, out, problem, file).TraverseStmt(const_cast<Expr *>(argument));
      const std::string name = variable->getNameAsString();
      const auto *same = dyn_cast<DeclRefExpr>(stripped(argument));
      if (same && same->getDecl()->getNameAsString() == name)
        return; // the lambda sees the caller's
      if (mentionsWord(texts_.spelled(argument), name))
        problem = "a wrapper's parameter '" + name + "' hides the variable it is computed from";
      out.variables.push_back({"const auto", name, textOf(argument, out, file, problem)});
      return;
    }
    // A wrapper's own variable has to be made again, whatever it depends on.
    const bool isForeign = variable->hasLocalStorage() && !isOfKernel(variable);
    if (variable->isStaticLocal() && !isOfKernel(variable))
      problem = "the address uses '" + variable->getNameAsString() +
                "', which only the wrapper function sees";
    if (!isForeign && !sampler_.dependsOnThread(variable) && !followsTile(variable)) {
      if (sampler_.changes(variable) && !llvm::is_contained(out.loopVariables, variable->getName()))
        out.loopVariables.push_back(variable->getNameAsString());
      noteWalk(*variable, out);
      for (const Loop &loop : loops_)
        if (follows(variable, {loop.variable}))
          out.hiddenVariables.insert(loop.variable);
      return;
    }
    const std::string name = variable->getNameAsString();
    if (!needed_.insert(variable).second)
      return;
    const bool hasParts = variable->getType()->isArrayType() || variable->getType()->isRecordType();
    const bool isMadeOnce =
        !variable->getType()->isArrayType() && sampler_.changesOf(variable).empty();
    if (hasParts && variable->hasLocalStorage() && !isMadeOnce) {
      problem = "'" + name + "' is an array or struct of the thread's own";
      return;
    }
    if (sampler_.isReadLane(variable))
      return takeLane(name, typeText(*variable), out);
    if (warpStays_ && !sampler_.changes(variable) && variable->getInit() &&
        sampler_.sameForWarp(variable->getInit()))
      return;
    if (const std::vector<Step> steps = stepsOf(*variable); !steps.empty())
      return addSteps(*variable, steps, out, problem, file);
    if (const std::string stale = staleInput(*variable);
        !sampler_.changes(variable) && !stale.empty()) {
      if (!fetch(*variable, isForeign, out))
        problem =
            "'" + name + "' is computed from '" + stale + "', which changes before it is used";
      return;
    }
    const Expr *value = sampler_.changes(variable) ? latestValue(*variable) : nullptr;
    if (value) {
      sampler_.alias(variable, value);
      siteAliases_.push_back(variable);
      Needs(*this, out, problem, file).TraverseStmt(const_cast<Expr *>(value));
      out.variables.push_back({typeText(*variable), name, textOf(value, out, file, problem)});
      return;
    }
    if (sampler_.changes(variable) || !variable->getInit()) {
      if (!fetch(*variable, isForeign, out))
        problem = "the address walks: '" + name + "' changes after it was computed from the thread";
      return;
    }
    const std::string type = typeText(*variable);
    switch (sampler_.classify(variable->getInit())) {
    case ThreadValue::Lane:
      return takeLane(name, type, out);
    case ThreadValue::Warp:
      if (!out.usesWarp)
        out.warpName = name;
      else if (name != out.warpName)
        out.variables.push_back({type, name, out.warpName});
      out.usesWarp = true;
      return;
    case ThreadValue::Thread:
      out.usesLane = out.usesWarp = true;
      threads_.push_back({type, name, ""});
      return;
    default:
      break;
    }
    Needs(*this, out, problem, file).TraverseStmt(const_cast<Expr *>(variable->getInit()));
    out.variables.push_back({type, name, textOf(variable->getInit(), out, file, problem)});
  }

  // The first variable that is the lane names it, others are set from that.
  static void takeLane(const std::string &name, const std::string &type, AddressFunction &out) {
    if (!out.usesLane)
      out.laneName = name;
    else if (name != out.laneName)
      out.variables.push_back({type, name, out.laneName});
    out.usesLane = true;
  }

  void forgetSiteValues() {
    for (const VarDecl *variable : siteAliases_) {
      sampler_.alias(variable, nullptr);
      sampler_.assume(variable, {});
    }
    siteAliases_.clear();
  }

  // A statement of the site's own block that makes another value of a variable that the block
  // declares:
  //
  //   uint32_t at = address(lane);
  //   if constexpr (isSwizzled)
  //     at = swizzle(at);
  //
  // `assignment` is null where another instantiation of the template has it.
  struct Step {
    TextRange range;
    const BinaryOperator *assignment = nullptr;
  };

  // Those between the declaration and the site, when nothing else changes the variable there
  // and what they are made from is the same at the site.
  std::vector<Step> stepsOf(const VarDecl &variable) {
    std::vector<Step> steps;
    bool isThere = false;
    if (!siteBlock_ || !variable.getInit() || !variable.getType()->isScalarType())
      return {};
    for (const Stmt *stmt : siteBlock_->body()) {
      const auto range = texts_.statement(stmt->getSourceRange());
      if (!range || range->end > siteRange_.begin)
        break;
      const auto *declaration = dyn_cast<DeclStmt>(stmt);
      if (declaration && declaration->isSingleDecl() && declaration->getSingleDecl() == &variable)
        isThere = staleBut(variable, *variable.getInit(), *range).empty();
      else if (const auto step = isThere ? stepAt(variable, *stmt, *range) : std::nullopt)
        steps.push_back(*step);
      else if (isThere && llvm::any_of(sampler_.changesOf(&variable), [&](SourceLocation at) {
                 const auto place = texts_.statement(SourceRange(at, at));
                 return !place || range->contains(*place);
               }))
        return {};
    }
    return isThere ? steps : std::vector<Step>();
  }

  std::optional<Step> stepAt(const VarDecl &variable, const Stmt &stmt, const TextRange &range) {
    const auto *branch = dyn_cast<IfStmt>(&stmt);
    const auto whole = wholeStatement(stmt);
    const Stmt *taken = &stmt;
    if (!whole)
      return std::nullopt;
    if (branch && (!branch->isConstexpr() || branch->getElse() || branch->getInit() ||
                   !assignedUnder(*branch).count(variable.getLocation())))
      return std::nullopt;
    if (branch) {
      const auto arm = branch->getNondiscardedCase(context_);
      if (!arm || !*arm || isa<NullStmt>(*arm))
        return Step{*whole, nullptr};
      taken = *arm;
    }
    if (const auto *block = dyn_cast<CompoundStmt>(taken); block && block->size() == 1)
      taken = block->body_front();
    const auto *op = dyn_cast<BinaryOperator>(taken);
    const auto *name =
        op && op->isAssignmentOp() ? dyn_cast<DeclRefExpr>(op->getLHS()->IgnoreParens()) : nullptr;
    if (!name || name->getDecl() != &variable ||
        !staleBut(variable, *op->getRHS(), range).empty() ||
        !obstacleTo(op->getRHS(), context_).empty())
      return std::nullopt;
    return Step{*whole, op};
  }

  // Inputs that are others by the time of the site; the variable itself is followed.
  std::string staleBut(const VarDecl &variable, const Expr &value, const TextRange &made) {
    Inputs inputs;
    inputs.TraverseStmt(const_cast<Expr *>(&value));
    if (inputs.readsMemory)
      return "memory";
    for (const VarDecl *input : inputs.found)
      if (input != &variable && changesAfter(*input, made))
        return input->getNameAsString();
    return "";
  }

  // With the ';' behind it, where the statement does not hold its own.
  std::optional<TextRange> wholeStatement(const Stmt &stmt) const {
    const SourceLocation behind = Lexer::findLocationAfterToken(
        stmt.getEndLoc(), tok::semi, context_.getSourceManager(), context_.getLangOpts(), false);
    if (behind.isInvalid())
      return texts_.range(stmt.getSourceRange());
    return texts_.range({stmt.getBeginLoc(), behind.getLocWithOffset(-1)});
  }

  // Variables that the template assigns under an 'if constexpr', whether or not this
  // instantiation has it.
  std::set<SourceLocation> assignedUnder(const IfStmt &branch) const {
    class Assigned : public DynamicRecursiveASTVisitor {
    public:
      explicit Assigned(SourceLocation at) : at_(at) {}
      bool TraverseIfStmt(IfStmt *stmt) override {
        const bool outer = std::exchange(isWithin_, isWithin_ || stmt->getIfLoc() == at_);
        const bool goesOn = DynamicRecursiveASTVisitor::TraverseIfStmt(stmt);
        isWithin_ = outer;
        return goesOn;
      }
      bool VisitBinaryOperator(BinaryOperator *op) override {
        if (const auto *name = dyn_cast<DeclRefExpr>(op->getLHS()->IgnoreParens());
            name && op->isAssignmentOp() && isWithin_)
          found.insert(name->getDecl()->getLocation());
        return true;
      }
      std::set<SourceLocation> found;

    private:
      const SourceLocation at_;
      bool isWithin_ = false;
    };
    const FunctionDecl *pattern = kernel_.getTemplateInstantiationPattern();
    Assigned assigned(branch.getIfLoc());
    assigned.TraverseStmt(const_cast<FunctionDecl *>(pattern ? pattern : &kernel_)->getBody());
    return assigned.found;
  }

  // The declaration, no longer const, and the statements as they stand.
  void addSteps(const VarDecl &variable, const std::vector<Step> &steps, AddressFunction &out,
                std::string &problem, unsigned file) {
    const std::string name = variable.getNameAsString();
    std::vector<const BinaryOperator *> assignments;
    std::vector<std::string> texts;
    Needs needs(*this, out, problem, file);
    needs.TraverseStmt(const_cast<Expr *>(variable.getInit()));
    for (const Step &step : steps) {
      ThreadMentions mentions;
      if (step.assignment) {
        assignments.push_back(step.assignment);
        needs.TraverseStmt(step.assignment->getRHS());
        mentions.TraverseStmt(step.assignment->getRHS());
      }
      if (step.range.file != file || !mentions.found.empty())
        problem = "'" + name + "' is changed by a statement that cannot stand elsewhere";
      texts.push_back(sourceRange(step.range.begin, step.range.end));
    }
    sampler_.assume(&variable, assignments);
    siteAliases_.push_back(&variable);
    const std::string type = typeText(variable);
    out.variables.push_back({type.substr(StringRef("const ").size()), name,
                             textOf(variable.getInit(), out, file, problem)});
    for (const std::string &text : texts)
      out.variables.push_back({"", "", text});
  }

  // The loops around the site of whose turn `variable` is a matter, but for the loop that it
  // counts.
  void noteWalk(const VarDecl &variable, AddressFunction &out) {
    if (own_.count(&variable))
      return;
    for (const Loop &loop : loops_)
      if (!isCounter(variable) && variesIn(variable, loop, 0))
        out.walksIn.push_back(loop.variable);
  }

  bool isCounter(const VarDecl &variable) const {
    return llvm::any_of(loops_, [&](const Loop &l) { return l.variable == variable.getName(); });
  }

  // Another value in another turn of the loop: it is assigned there, or declared there and
  // made from what is.
  bool variesIn(const VarDecl &variable, const Loop &loop, int depth) {
    const auto isWithin = [&](SourceLocation at) {
      const auto range = texts_.statement(SourceRange(at, at));
      return !range || loop.range.contains(*range);
    };
    if (depth > 16 || llvm::any_of(sampler_.changesOf(&variable), isWithin))
      return true;
    if (!variable.hasLocalStorage() || isa<ParmVarDecl>(variable) ||
        !isWithin(variable.getLocation()) || !variable.getInit())
      return false;
    Inputs inputs;
    inputs.TraverseStmt(const_cast<Expr *>(variable.getInit()));
    return inputs.readsMemory || llvm::any_of(inputs.found, [&](const VarDecl *input) {
             return variesIn(*input, loop, depth + 1);
           });
  }

  // The value of a variable that cannot be computed anew, from the lane that has it: every
  // thread of the port has the values of the same thread of the program.
  bool fetch(const VarDecl &variable, bool isForeign, AddressFunction &out) {
    const QualType type = variable.getType();
    const bool isWord = type->isPointerType() || type->isIntegralOrEnumerationType();
    if (isForeign || !isWord || type->isBooleanType() || type.isVolatileQualified() ||
        variable.isStaticLocal())
      return false;
    const uint64_t bits = context_.getTypeSize(type);
    if (bits != 32 && bits != 64)
      return false;
    out.usesLane = out.usesWarp = true;
    noteWalk(variable, out);
    const std::string name = variable.getNameAsString();
    out.fetched.push_back(name);
    out.variables.push_back(
        {"const auto", name,
         "lp::of_thread(" + name + "_, " + out.laneName + ", " + out.warpName + ")"});
    return true;
  }

  // Computed from one of these.
  bool follows(const VarDecl *variable, const std::set<std::string> &names, int depth = 0) {
    constexpr int kDeepest = 16;
    if (names.empty() || depth > kDeepest || !variable->getInit() || isa<ParmVarDecl>(variable))
      return false;
    Inputs inputs;
    inputs.TraverseStmt(const_cast<Expr *>(variable->getInit()));
    return llvm::any_of(inputs.found, [&](const VarDecl *input) {
      return names.count(input->getNameAsString()) ||
             (input != variable && follows(input, names, depth + 1));
    });
  }
  // ... from a tile index that the port may rebind.
  bool followsTile(const VarDecl *variable) {
    return !variable->getType()->isRecordType() && follows(variable, tileVariables_);
  }
  static std::set<std::string> tileVariablesOf(const std::vector<Slot> &slots) {
    std::set<std::string> names;
    for (const Slot &slot : slots)
      for (const Index &index : slot.tile)
        if (!index.variable.empty())
          names.insert(index.variable);
    return names;
  }

  static bool mentionsWord(StringRef text, StringRef word) {
    const auto isWord = [](char c) { return llvm::isAlnum(c) || c == '_'; };
    for (size_t at = text.find(word); at != StringRef::npos; at = text.find(word, at + 1)) {
      const size_t end = at + word.size();
      if ((at == 0 || !isWord(text[at - 1])) && (end == text.size() || !isWord(text[end])))
        return true;
    }
    return false;
  }

  // The value assigned to `variable` by the last statement before the site that does so,
  // when that statement stands in the site's own block and nothing between them may change
  // the variable or what the value is made from.
  const Expr *latestValue(const VarDecl &variable) {
    const Expr *value = nullptr;
    std::optional<TextRange> made;
    if (!siteBlock_)
      return nullptr;
    for (const Stmt *stmt : siteBlock_->body()) {
      const auto range = texts_.statement(stmt->getSourceRange());
      if (!range || range->end > siteRange_.begin)
        break;
      const auto *op = dyn_cast<BinaryOperator>(stmt);
      const auto *name =
          op && op->getOpcode() == BO_Assign ? dyn_cast<DeclRefExpr>(op->getLHS()) : nullptr;
      if (!name || name->getDecl() != &variable)
        continue;
      value = op->getRHS();
      made = range;
    }
    if (!value && variable.getInit()) { // not yet assigned again
      value = variable.getInit();
      made = texts_.statement(variable.getSourceRange());
    }
    if (!value || !made || changesAfter(variable, *made) || !staleInput(*value, *made).empty())
      return nullptr;
    return value;
  }

  // Is `variable` assigned between `made` and the site? Places count up to the site, or to
  // the end of the outermost loop that holds the site and not `made`.
  bool changesAfter(const VarDecl &variable, const TextRange &made) {
    unsigned end = siteRange_.begin;
    for (const Loop &loop : loops_)
      if (!loop.range.contains(made)) {
        end = loop.range.end;
        break;
      }
    for (const SourceLocation at : sampler_.changesOf(&variable)) {
      const auto range = texts_.statement(SourceRange(at, at));
      if (!range || (range->begin >= made.end && range->begin < end))
        return true;
    }
    return false;
  }

  // What a value was made from and is another by the time of the site, where the value is
  // computed anew. Empty when nothing is.
  std::string staleInput(const Expr &value, const TextRange &made) {
    Inputs inputs;
    inputs.TraverseStmt(const_cast<Expr *>(&value));
    if (inputs.readsMemory)
      return "memory";
    for (const VarDecl *input : inputs.found)
      if (changesAfter(*input, made))
        return input->getNameAsString();
    return "";
  }
  std::string staleInput(const VarDecl &variable) {
    const auto made = texts_.statement(variable.getSourceRange());
    if (!made || !variable.getInit())
      return variable.getNameAsString();
    return staleInput(*variable.getInit(), *made);
  }

  // The variables an expression is made from, and whether it reads memory.
  class Inputs : public DynamicRecursiveASTVisitor {
  public:
    bool VisitDeclRefExpr(DeclRefExpr *name) override {
      if (const auto *variable = dyn_cast<VarDecl>(name->getDecl()))
        found.push_back(variable);
      return true;
    }
    bool VisitImplicitCastExpr(ImplicitCastExpr *cast) override {
      const Expr *from = cast->getSubExpr()->IgnoreParens();
      if (cast->getCastKind() == CK_LValueToRValue &&
          (isa<ArraySubscriptExpr>(from) || isa<UnaryOperator>(from)))
        readsMemory = true;
      return true;
    }
    std::vector<const VarDecl *> found;
    bool readsMemory = false;
  };

  // Names of types may be CUDA's: integers by their own name, else what the value has.
  std::string typeText(const VarDecl &variable) const {
    const QualType type = variable.getType().getCanonicalType().getUnqualifiedType();
    if (type->isIntegerType() && !type->isEnumeralType())
      return "const " + type.getAsString(context_.getPrintingPolicy());
    return "const auto";
  }

  bool isOfKernel(const VarDecl *variable) const {
    for (const DeclContext *context = variable->getDeclContext(); context;
         context = context->getParent())
      if (context == &kernel_ || context == function_)
        return true;
    return false;
  }

  // threadIdx.x and threadIdx.y below `expr`, in the order of the text.
  class ThreadMentions : public DynamicRecursiveASTVisitor {
  public:
    bool TraverseStmt(Stmt *stmt) override {
      const auto *expr = dyn_cast_or_null<Expr>(stmt);
      if (const auto axis = expr ? threadIndexAxis(expr) : std::nullopt) {
        found.push_back({expr, *axis});
        return true;
      }
      return DynamicRecursiveASTVisitor::TraverseStmt(stmt);
    }
    std::vector<std::pair<const Expr *, int>> found;
  };

  // The text of `expr` with the thread's index in terms of lane and warp.
  std::string textOf(const Expr *expr, AddressFunction &out, unsigned file, std::string &problem) {
    ThreadMentions mentions;
    mentions.TraverseStmt(const_cast<Expr *>(expr));
    if (mentions.found.empty())
      return texts_.quote(expr, file);
    const auto whole = texts_.range(expr->getSourceRange());
    if (!whole || whole->file != file) {
      problem = "threadIdx stands in the address inside a macro: name the lane first";
      return "";
    }
    std::string text;
    unsigned at = whole->begin;
    for (const auto &[mention, axis] : mentions.found) {
      const auto range = texts_.range(mention->getSourceRange());
      if (!range || range->begin < at) {
        problem = "threadIdx stands in the address inside a macro: name the lane first";
        return "";
      }
      text += sourceRange(at, range->begin) + threadText(axis, out);
      at = range->end;
    }
    return text + sourceRange(at, whole->end);
  }

  std::string threadText(int axis, AddressFunction &out) {
    if (sampler_.isTwoDimensional()) {
      sampler_.needWarpRows();
      (axis ? out.usesWarp : out.usesLane) = true;
      const std::string &name = axis ? out.warpName : out.laneName;
      return keepsSign_ ? "unsigned(" + name + ")" : name;
    }
    out.usesLane = out.usesWarp = true;
    return (keepsSign_ ? "unsigned(" : "(") + out.warpName + " * 32 + " + out.laneName + ")";
  }

  AddressFunction addressOf(const Expr *expr, unsigned file, std::string &problem) {
    AddressFunction out = variablesOf({expr}, file, problem);
    out.expression = textOf(expr, out, file, problem);
    out.dependsOnPair = !sampler_.sameForPair(expr);
    return out;
  }

  // The author's variables that the expressions are made from.
  AddressFunction variablesOf(llvm::ArrayRef<const Expr *> expressions, unsigned file,
                              std::string &problem) {
    AddressFunction out;
    needed_.clear();
    threads_.clear();
    forgetSiteValues();
    for (const Expr *expr : expressions)
      Needs(*this, out, problem, file).TraverseStmt(const_cast<Expr *>(expr));
    for (AddressFunction::Variable thread : threads_) {
      thread.value = out.warpName + " * 32 + " + out.laneName;
      out.variables.insert(out.variables.begin(), thread);
    }
    return out;
  }

  // ---- operands that the kernel puts together itself

  // Where a filling was met: what it is can be told once all products are known.
  struct PendingFilling {
    Filling filling;
    std::vector<Loop> loops;
    const CompoundStmt *block = nullptr;
    std::string problem;
  };

  void noteFillings(llvm::ArrayRef<const Stmt *> statements) {
    for (Filling &filling : fillingsOf(statements, context_)) {
      PendingFilling pending{std::move(filling), loops_, siteBlock_, ""};
      if (function_)
        continue;
      if (!divergent_.empty())
        pending.problem = "fragments are loaded under a condition on the thread: " +
                          texts_.spelled(divergent_.front());
      else if (earlyReturn_)
        pending.problem = "some threads of a wave may have returned before";
      else if (inLambda_)
        pending.problem = "fragments are put together in a lambda";
      pending_.push_back(std::move(pending));
    }
  }

  void gatherOperands() {
    std::set<uint64_t> operands;
    for (const MmaSite &mma : out_.mmas) {
      operands.insert(mma.a[0].declaration);
      operands.insert(mma.b[0].declaration);
    }
    for (const MmaSite &mma : out_.mmas)
      operands.erase(mma.d[0].declaration);
    const std::set<const VarDecl *> results = madeFromResults();
    for (const PendingFilling &pending : pending_) {
      const Filling &filling = pending.filling;
      const VarDecl *variable =
          filling.declared ? filling.declared : variableOf(filling.stores[0].target);
      const bool isOfResults = llvm::any_of(filling.stores, [&](const Filling::Store &store) {
        return mentionsAny(*store.value, results);
      });
      const bool isOperand = llvm::any_of(
          operands, [&](uint64_t operand) { return isFragmentOf(*variable, operand); });
      if (isOperand && !isOfResults)
        gatherRuns(pending, *variable);
    }
  }

  static bool mentionsAny(const Expr &value, const std::set<const VarDecl *> &variables) {
    bool found = false;
    Mentions mentions([&](const DeclRefExpr &name) {
      found = found || variables.count(dyn_cast<VarDecl>(name.getDecl()));
    });
    mentions.TraverseStmt(const_cast<Expr *>(&value));
    return found;
  }

  // Accumulators, and every variable that is given a value made from one: operands of
  // those are no loads (Exchange.h).
  std::set<const VarDecl *> madeFromResults() {
    std::set<const VarDecl *> made;
    for (const MmaSite &mma : out_.mmas)
      made.insert(roots_.at(mma.d[0].declaration).variable);
    Givings givings([this](const FunctionDecl *function) { return matrixWithin(function); });
    givings.TraverseStmt(kernel_.getBody());
    for (bool again = true; again;) {
      again = false;
      for (const auto &[variable, value] : givings.found)
        if (!made.count(variable) && mentionsAny(*value, made))
          again = made.insert(variable).second;
    }
    return made;
  }

  // Variables with the values that they, or parts of them, are given.
  class Givings : public DynamicRecursiveASTVisitor {
  public:
    bool VisitVarDecl(VarDecl *variable) override {
      if (variable->getInit())
        found.push_back({variable, variable->getInit()});
      return true;
    }
    bool VisitBinaryOperator(BinaryOperator *op) override {
      if (op->isAssignmentOp())
        give(op->getLHS(), op->getRHS());
      return true;
    }
    // What a function is handed by reference it may write to; the products are known.
    bool VisitCallExpr(CallExpr *call) override {
      const FunctionDecl *callee = call->getDirectCallee();
      const FunctionDecl *definition = callee ? callee->getDefinition() : nullptr;
      if (!callee || (definition && definition->hasBody() && isMatrix_(definition)))
        return true;
      for (unsigned i = 0; i < call->getNumArgs() && i < callee->getNumParams(); ++i) {
        const QualType type = callee->getParamDecl(i)->getType();
        if ((type->isReferenceType() || type->isPointerType()) &&
            !type->getPointeeType().isConstQualified())
          for (const Expr *value : call->arguments())
            give(call->getArg(i), value);
      }
      return true;
    }
    explicit Givings(std::function<bool(const FunctionDecl *)> isMatrix)
        : isMatrix_(std::move(isMatrix)) {}
    std::vector<std::pair<const VarDecl *, const Expr *>> found;

  private:
    // The variable at the root of an lvalue or a pointer; not those of its indices.
    void give(const Expr *target, const Expr *value) {
      for (;;) {
        target = stripped(target);
        if (const auto *access = dyn_cast<ArraySubscriptExpr>(target))
          target = access->getBase();
        else if (const auto *member = dyn_cast<MemberExpr>(target))
          target = member->getBase();
        else if (const auto *op = dyn_cast<UnaryOperator>(target))
          target = op->getSubExpr();
        else if (const auto *op = dyn_cast<BinaryOperator>(target))
          target = op->getLHS();
        else if (const auto *cast = dyn_cast<CastExpr>(target))
          target = cast->getSubExpr();
        else
          break;
      }
      if (const auto *name = dyn_cast<DeclRefExpr>(target))
        if (const auto *variable = dyn_cast<VarDecl>(name->getDecl()))
          found.push_back({variable, value});
    }
    std::function<bool(const FunctionDecl *)> isMatrix_;
  };

  // One site for each tile.
  void gatherRuns(const PendingFilling &pending, const VarDecl &variable) {
    const Filling &filling = pending.filling;
    if (llvm::all_of(filling.stores, [&](const Filling::Store &s) { return isConstant(s.value); }))
      return; // a fill
    LoadSite site;
    std::vector<Filling::Store> stores;
    const auto close = [&] {
      if (!stores.empty())
        gather(pending, site, stores);
      site = LoadSite();
      stores.clear();
    };
    for (const Filling::Store &store : filling.stores)
      for (int r = 0; r < (filling.registerLoop ? filling.count : 1); ++r) {
        const auto slot = registerAt(filling, store, variable, r);
        if (!slot || slot->isScalar)
          return;
        if (!site.registers.empty() && !site.registers[0].sameTile(*slot))
          close();
        site.registers.push_back(*slot);
        if (!r)
          stores.push_back(store);
      }
    close();
  }

  bool isConstant(const Expr *value) const {
    Expr::EvalResult constant;
    return !value->isValueDependent() && value->EvaluateAsRValue(constant, context_);
  }

  std::optional<Slot> registerAt(const Filling &filling, const Filling::Store &store,
                                 const VarDecl &variable, int r) {
    if (filling.declared)
      return slotAt(Path{&variable, {literalIndex(store.element)}, "", "", ""}, r);
    pointsInto_ = false;
    auto path = pathOf(store.target, nullptr, false);
    if (!path || pointsInto_ || path->indices.empty())
      return std::nullopt;
    if (filling.registerLoop)
      path->indices.back() = literalIndex(r);
    if (auto slot = slotAt(path, r))
      return slot;
    // Tiles of one register: a[t] = ...
    const bool isOneWord = llvm::any_of(out_.mmas, [&](const MmaSite &mma) {
      return (mma.a.size() == 1 && isFragmentOf(variable, mma.a[0].declaration)) ||
             (mma.b.size() == 1 && mma.m == 8 && isFragmentOf(variable, mma.b[0].declaration));
    });
    return isOneWord && !filling.registerLoop ? flatSlot(store.target, nullptr) : std::nullopt;
  }

  void gather(const PendingFilling &pending, LoadSite &site,
              const std::vector<Filling::Store> &stores) {
    const Filling &filling = pending.filling;
    const auto range = texts_.statement(
        {stores.front().statement->getBeginLoc(), stores.back().statement->getEndLoc()});
    if (!range)
      return;
    if (filling.hasPragma && !pragmaAbove(*filling.stores[0].statement, *range, site.pragma))
      return;
    site.range = *range;
    site.spelling = "operand put together from loads";
    site.loops = pending.loops;
    site.problem = pending.problem;
    siteRange_ = site.range;
    siteBlock_ = pending.block;
    loops_ = pending.loops;
    std::vector<const Expr *> expressions;
    for (size_t i = 0; i < stores.size() && site.problem.empty(); ++i) {
      expressions.push_back(stores[i].value);
      if (const std::string why = obstacleTo(stores[i].value, context_); !why.empty())
        site.problem = "'" + site.registers[0].variable + "': its value " + why;
      const QualType type = stripped(stores[i].value)->getType().getUnqualifiedType();
      const QualType first = stripped(stores[0].value)->getType().getUnqualifiedType();
      if (!context_.hasSameType(type, first) &&
          !(type->isIntegerType() && first->isIntegerType() && context_.getTypeSize(type) <= 32 &&
            context_.getTypeSize(first) <= 32))
        site.problem = "'" + site.registers[0].variable + "' is put together from several types";
    }
    std::string unseen;
    site.address = variablesOf(expressions, range->file, unseen);
    if (site.problem.empty())
      site.problem = unseen;
    site.address.dependsOnPair =
        llvm::any_of(expressions, [&](const Expr *e) { return !sameValueForPair(e); });
    for (const Expr *expr : expressions)
      site.values.push_back(textOf(expr, site.address, range->file, site.problem));
    if (filling.registerLoop) {
      site.registerName = filling.registerLoop->getNameAsString();
      llvm::erase(site.address.loopVariables, site.registerName);
    } else if (stores.size() > 1) {
      site.registerName = freeName();
    }
    if (filling.declared)
      declareFirst(*filling.declared, site);
    for (const Filling::Store &store : stores)
      sites_.push_back(store.statement);
    loops_.clear();
    out_.loads.push_back(std::move(site));
  }

  // The line of "#pragma unroll" above a loop.
  bool pragmaAbove(const Stmt &loop, const TextRange &range, TextRange &pragma) const {
    const SourceManager &sm = context_.getSourceManager();
    const SourceLocation begin = loop.getBeginLoc();
    if (begin.isMacroID())
      return false;
    const StringRef text =
        sm.getBufferData(sm.getFileID(begin)).take_front(sm.getFileOffset(begin));
    const size_t end = text.rtrim(" \t").size();
    const size_t line = text.take_front(end ? end - 1 : 0).rfind('\n') + 1; // npos + 1 is 0
    if (!text.slice(line, end).ltrim().starts_with("#pragma"))
      return false;
    const unsigned behind = static_cast<unsigned>(text.size());
    pragma = {range.file, range.begin - (behind - static_cast<unsigned>(line)),
              range.begin - (behind - static_cast<unsigned>(end))};
    return true;
  }

  // A name that nothing in the kernel has.
  std::string freeName() const {
    for (const char *name : {"r", "reg", "word"})
      if (freeName(name) == name)
        return name;
    return "register_";
  }
  std::string freeName(const std::string &name) const {
    Inputs inputs;
    inputs.TraverseStmt(kernel_.getBody());
    const bool isTaken =
        llvm::any_of(inputs.found, [&](const VarDecl *v) { return v->getName() == name; });
    return isTaken ? name + "_" : name;
  }

  // T x[n] = {...}  becomes  T x[n]; and its values.
  void declareFirst(const VarDecl &variable, LoadSite &site) {
    const auto list = texts_.range(variable.getInit()->getSourceRange());
    const SourceLocation begin = variable.getInit()->getBeginLoc();
    gathered_.insert(&variable);
    if (!list || list->file != site.range.file || begin.isMacroID()) {
      site.problem = "'" + variable.getNameAsString() + "' is declared by a macro";
      return;
    }
    const SourceManager &sm = context_.getSourceManager();
    const StringRef before =
        sm.getBufferData(sm.getFileID(begin)).take_front(sm.getFileOffset(begin));
    const size_t kept = before.rtrim(" \t\r\n=").size();
    site.declaration =
        sourceRange(site.range.begin, list->begin - static_cast<unsigned>(before.size() - kept));
  }

  // Equal for the two warps of a wave: by value where it can be followed, else because it
  // is made from such.
  bool sameValueForPair(const Expr *expr) {
    if (!sampler_.dependsOnThread(expr) || sampler_.sameForPair(expr))
      return true;
    expr = expr->IgnoreParens();
    const auto *call = dyn_cast<CallExpr>(expr);
    if (!call &&
        !isa<CastExpr, BinaryOperator, ConditionalOperator, CXXConstructExpr, InitListExpr>(expr))
      return false;
    if (const auto *cast = dyn_cast<CastExpr>(expr);
        cast && cast->getCastKind() == CK_LValueToRValue)
      return false;
    for (const Stmt *child : expr->children()) {
      const auto *inner = dyn_cast_or_null<Expr>(child);
      if (!inner || (call && inner == call->getCallee()))
        continue;
      if (!sameValueForPair(inner))
        return false;
    }
    return true;
  }

  // The same, of a condition too: its sides must be, since random values seldom part the
  // warps of `column < n`.
  bool isSameForPair(const Expr &value) {
    const Expr *expr = stripped(&value);
    if (const auto *op = dyn_cast<BinaryOperator>(expr);
        op && (op->isComparisonOp() || op->isLogicalOp()))
      return isSameForPair(*op->getLHS()) && isSameForPair(*op->getRHS());
    return !isDecided(*expr, 0) && sampler_.sameForPair(expr);
  }

  // Made by a condition, on the way.
  bool isDecided(const Expr &value, int depth) {
    class Decisions : public DynamicRecursiveASTVisitor {
    public:
      bool TraversePseudoObjectExpr(PseudoObjectExpr *) override { return true; } // an index
      bool VisitExpr(Expr *expr) override {
        const auto *op = dyn_cast<BinaryOperator>(expr);
        isFound = isFound || isa<AbstractConditionalOperator, CallExpr>(expr) ||
                  (op && (op->isComparisonOp() || op->isLogicalOp()));
        return true;
      }
      bool isFound = false;
    };
    constexpr int kDeepest = 16;
    Decisions decisions;
    decisions.TraverseStmt(const_cast<Expr *>(&value));
    Inputs inputs;
    inputs.TraverseStmt(const_cast<Expr *>(&value));
    return decisions.isFound || depth > kDeepest ||
           llvm::any_of(inputs.found, [&](const VarDecl *input) {
             return input->hasLocalStorage() && !isa<ParmVarDecl>(input) && input->getInit() &&
                    isDecided(*input->getInit(), depth + 1);
           });
  }

  // ---- what is done with accumulators behind the loops

  EpilogueBody::Rebound rebind(const std::vector<const Stmt *> &stmts, const EpilogueBody &body,
                               const std::set<const VarDecl *> &own, bool laneOnly) {
    EpilogueBody::Rebound out;
    needed_ = own_ = own;
    threads_.clear();
    forgetSiteValues();
    siteRange_ = body.range;
    siteBlock_ = nullptr;
    loops_ = body.loops;
    warpStays_ = laneOnly;
    tileVariables_ = laneOnly ? std::set<std::string>() : tileVariablesOf({body.tile});
    for (const Stmt *stmt : stmts) {
      Needs(*this, out.names, out.problem, body.range.file).TraverseStmt(const_cast<Stmt *>(stmt));
      ThreadMentions mentions;
      mentions.TraverseStmt(const_cast<Stmt *>(stmt));
      for (const auto &[mention, axis] : mentions.found)
        if (const auto range = texts_.range(mention->getSourceRange()))
          out.edits.push_back({*range, threadText(axis, out.names)});
        else
          out.problem = "threadIdx stands in the epilogue inside a macro: name the lane first";
    }
    for (AddressFunction::Variable thread : threads_) {
      out.names.usesWarp = true;
      thread.value = out.names.warpName + " * 32 + " + out.names.laneName;
      out.names.variables.insert(out.names.variables.begin(), thread);
    }
    if (!out.names.fetched.empty())
      out.problem = "the epilogue walks: '" + out.names.fetched[0] +
                    "' changes after it was computed from the thread";
    loops_.clear();
    own_.clear();
    warpStays_ = false;
    tileVariables_.clear();
    return out;
  }

  void memberPlace(const Root &root, Kernel::Variable &out) const {
    constexpr int64_t kWordBits = 32;
    const QualType element = context_.getBaseElementType(root.part->getType());
    out.isPrivate = root.part->getAccess() == AS_private || root.part->getAccess() == AS_protected;
    out.object = root.variable->getNameAsString();
    out.type =
        element.getCanonicalType().getUnqualifiedType().getAsString(context_.getPrintingPolicy());
    if (context_.getTypeSize(element) == kWordBits) {
      out.words = static_cast<int64_t>(context_.getTypeSize(root.part->getType())) / kWordBits;
      out.firstWord = static_cast<int64_t>(context_.getFieldOffset(root.part)) / kWordBits;
    }
  }

  void lastExtent(const VarDecl &variable, Kernel::Variable &out) const {
    const TypeSourceInfo *info = variable.getTypeSourceInfo();
    const Expr *size = nullptr;
    for (TypeLoc loc = info ? info->getTypeLoc() : TypeLoc(); loc;) {
      const auto array = loc.getAsAdjusted<ArrayTypeLoc>();
      if (!array || !array.getSizeExpr())
        break;
      size = array.getSizeExpr();
      loc = array.getElementLoc();
    }
    if (!context_.getBaseElementType(variable.getType())->isScalarType())
      return;
    const auto count = constant(size);
    const auto range = size ? texts_.range(size->getSourceRange()) : std::nullopt;
    if (!count || !range || variable.getInit())
      return;
    out.registers = *range;
    out.registerCount = *count;
  }

  class Calls : public DynamicRecursiveASTVisitor {
  public:
    bool VisitCallExpr(CallExpr *call) override {
      all.push_back(call);
      return true;
    }
    std::vector<const CallExpr *> all;
  };
  // A value that may be computed more or less often.
  bool onlyComputes(const Expr &value) const {
    Calls calls;
    calls.TraverseStmt(const_cast<Expr *>(&value));
    return !value.HasSideEffects(context_, false) &&
           llvm::all_of(calls.all, [](const CallExpr *c) { return native::onlyComputes(*c); });
  }

  // Nothing but tile loops, declarations, loads of operands and products.
  bool onlyProducts(const Stmt *stmt) {
    if (!stmt || isa<NullStmt>(stmt) || llvm::is_contained(sites_, stmt))
      return true;
    if (const auto *attributed = dyn_cast<AttributedStmt>(stmt))
      return onlyProducts(attributed->getSubStmt());
    if (const auto *block = dyn_cast<CompoundStmt>(stmt))
      return llvm::all_of(block->body(), [&](const Stmt *s) { return onlyProducts(s); });
    if (const auto *loop = dyn_cast<ForStmt>(stmt))
      return onlyProducts(loop->getBody());
    if (const auto *declarations = dyn_cast<DeclStmt>(stmt))
      return llvm::all_of(declarations->decls(), [&](const Decl *decl) {
        const auto *variable = dyn_cast<VarDecl>(decl);
        return variable && (!variable->getInit() || onlyComputes(*variable->getInit()));
      });
    return false;
  }

  class ForLoops : public DynamicRecursiveASTVisitor {
  public:
    bool VisitForStmt(ForStmt *loop) override {
      all.push_back(loop);
      return true;
    }
    std::vector<const ForStmt *> all;
  };
  void collectProductLoops() {
    ForLoops loops;
    loops.TraverseStmt(kernel_.getBody());
    for (const ForStmt *loop : loops.all) {
      const auto range = texts_.statement(loop->getSourceRange());
      if (range && onlyProducts(loop->getBody()))
        out_.productLoops.push_back(*range);
      Effects effects(*this);
      effects.TraverseStmt(const_cast<Stmt *>(loop->getBody()));
      if (range && !effects.any)
        out_.quietLoops.push_back(*range);
    }
  }

  // Whether anything but the sites writes memory, or may.
  class Effects : public DynamicRecursiveASTVisitor {
  public:
    explicit Effects(Recovery &recovery) : r_(recovery) {}
    bool TraverseStmt(Stmt *stmt) override {
      return !stmt || llvm::is_contained(r_.sites_, stmt) ||
             DynamicRecursiveASTVisitor::TraverseStmt(stmt);
    }
    bool VisitBinaryOperator(BinaryOperator *op) override {
      return note(op->isAssignmentOp() && isMemory(op->getLHS()));
    }
    bool VisitUnaryOperator(UnaryOperator *op) override {
      return note(op->isIncrementDecrementOp() && isMemory(op->getSubExpr()));
    }
    bool VisitCallExpr(CallExpr *call) override {
      if (const auto *op = dyn_cast<CXXOperatorCallExpr>(call); op && op->isAssignmentOp())
        return note(isMemory(op->getArg(0)));
      const FunctionDecl *callee = call->getDirectCallee();
      const FunctionDecl *definition = callee ? callee->getDefinition() : nullptr;
      const bool isProduct = definition && definition->hasBody() && r_.matrixWithin(definition);
      return note(!isProduct && !native::onlyComputes(*call));
    }
    bool VisitGCCAsmStmt(GCCAsmStmt *stmt) override {
      const auto text = readAsm(*stmt);
      return note(!text || !text->isCvta || text->matrix);
    }
    bool any = false;

  private:
    bool note(bool isEffect) { return !(any = any || isEffect); }
    static bool isMemory(const Expr *target) {
      for (;;) {
        target = stripped(target);
        if (const auto *member = dyn_cast<MemberExpr>(target)) {
          if (member->isArrow())
            return true;
          target = member->getBase();
        } else if (const auto *access = dyn_cast<ArraySubscriptExpr>(target)) {
          target = stripped(access->getBase());
          if (!target->getType()->isArrayType())
            return true;
        } else {
          break;
        }
      }
      const auto *name = dyn_cast<DeclRefExpr>(target);
      const auto *variable = name ? dyn_cast<VarDecl>(name->getDecl()) : nullptr;
      return !variable || !variable->hasLocalStorage();
    }
    Recovery &r_;
  };

  void collectEpilogues() {
    std::set<uint64_t> done;
    for (const MmaSite &mma : out_.mmas) {
      const uint64_t accumulator = mma.d[0].declaration;
      if (!done.insert(accumulator).second)
        continue;
      const EpilogueInput input = {
          const_cast<ASTContext &>(context_),
          texts_,
          sampler_,
          kernel_,
          accumulator,
          mma.typeD == ptx::Type::F16,
          regionOf(out_, accumulator),
          [&](const Stmt *stmt) { return llvm::is_contained(sites_, stmt); },
          [&](const Stmt *stmt) {
            const auto range = texts_.statement(stmt->getSourceRange());
            return loopOf(stmt, range ? *range : TextRange());
          },
          [&](const Expr *expr) { return indexOf(expr, nullptr); },
          [&](const std::vector<const Stmt *> &stmts, const EpilogueBody &body,
              const std::set<const VarDecl *> &own,
              bool laneOnly) { return rebind(stmts, body, own, laneOnly); },
          [&](const VarDecl *variable) {
            return says("layout-port: noalias(" + variable->getNameAsString() + ")");
          }};
      out_.epilogues.push_back(recoverEpilogue(input));
    }
  }

  // ---- other mentions of fragment variables

  class Uses : public DynamicRecursiveASTVisitor {
  public:
    explicit Uses(Recovery &recovery) : r_(recovery) {}

    bool TraverseStmt(Stmt *stmt) override {
      if (!stmt || llvm::is_contained(r_.sites_, stmt))
        return true;
      if (isa<ForStmt, WhileStmt, DoStmt, CXXForRangeStmt>(stmt)) {
        const auto range = r_.texts_.statement(stmt->getSourceRange());
        if (range)
          loops_.push_back(*range);
        counting_.push_back(countingOf(stmt, range ? *range : TextRange()));
        const Stmt *outer = std::exchange(block_, stmt);
        const bool go = DynamicRecursiveASTVisitor::TraverseStmt(stmt);
        block_ = outer;
        counting_.pop_back();
        if (range)
          loops_.pop_back();
        return go;
      }
      if (auto *branch = dyn_cast<IfStmt>(stmt); branch && !branch->isConstexpr())
        return TraverseStmt(branch->getInit()) &&
               TraverseStmt(branch->getConditionVariableDeclStmt()) &&
               TraverseStmt(branch->getCond()) &&
               onCondition(branch->getCond(), branch->getThen()) &&
               onCondition(branch->getCond(), branch->getElse());
      if (auto *choice = dyn_cast<SwitchStmt>(stmt))
        return onCondition(choice->getCond(), choice->getBody()) && TraverseStmt(choice->getCond());
      if (auto *choice = dyn_cast<ConditionalOperator>(stmt))
        return TraverseStmt(choice->getCond()) &&
               onCondition(choice->getCond(), choice->getTrueExpr()) &&
               onCondition(choice->getCond(), choice->getFalseExpr());
      if (auto *op = dyn_cast<BinaryOperator>(stmt); op && op->isLogicalOp())
        return TraverseStmt(op->getLHS()) && onCondition(op->getLHS(), op->getRHS());
      if (isa<CompoundStmt>(stmt)) {
        const Stmt *outer = std::exchange(block_, stmt);
        const bool go = DynamicRecursiveASTVisitor::TraverseStmt(stmt);
        block_ = outer;
        return go;
      }
      if (const auto *call = dyn_cast<CallExpr>(stmt); call && descendCall(*call))
        return true;
      if (const auto *op = dyn_cast<BinaryOperator>(stmt);
          op && op->getOpcode() == BO_Assign && constantOf(op->getRHS()) && !divergent_) {
        traverseFill({op->getLHS(), *constantOf(op->getRHS())});
        if (isa<BinaryOperator>(op->getRHS()->IgnoreParenImpCasts()))
          TraverseStmt(op->getRHS());
        return true;
      }
      if (const auto *op = dyn_cast<CXXOperatorCallExpr>(stmt);
          op && op->getOperator() == OO_Equal && op->getNumArgs() == 2 && !divergent_)
        if (const auto value = vectorConstantOf(op->getArg(1)))
          return traverseFill({op->getArg(0), *value});
      return DynamicRecursiveASTVisitor::TraverseStmt(stmt);
    }
    // A part that runs or does not: what it sets by number is not set with what stands
    // beside it, and a loop around it does not run through all.
    bool onCondition(const Expr *condition, Stmt *part) {
      if (!part)
        return true;
      const bool outer = divergent_;
      divergent_ = divergent_ || !r_.sampler_.sameForWave(condition);
      const Stmt *outerBlock = std::exchange(block_, part);
      const size_t outerLoops = std::exchange(underCondition_, counting_.size());
      const bool go = TraverseStmt(part);
      underCondition_ = outerLoops;
      block_ = outerBlock;
      divergent_ = outer;
      return go;
    }

    bool VisitDeclRefExpr(DeclRefExpr *name) override {
      const auto *variable = dyn_cast<VarDecl>(name->getDecl());
      if (!variable)
        return true;
      const VarDecl *handed = handedTo(variable);
      const FieldDecl *part = partNamed(*name, const_cast<ASTContext &>(r_.context_));
      noteMention(*name, handed ? *handed : *variable, part, handed);
      return true;
    }
    bool VisitCXXThisExpr(CXXThisExpr *self) override {
      const VarDecl *object = handedTo(nullptr);
      const auto parents = const_cast<ASTContext &>(r_.context_).getParents(*self);
      const auto *member = parents.empty() ? nullptr : parents[0].get<MemberExpr>();
      const auto *part = member ? dyn_cast<FieldDecl>(member->getMemberDecl()) : nullptr;
      if (object && (part || !member))
        noteMention(*self, *object, part, object);
      return true;
    }
    bool VisitVarDecl(VarDecl *variable) override {
      const auto *made = variable->getInit()
                             ? dyn_cast<CXXConstructExpr>(throughCopies(variable->getInit()))
                             : nullptr;
      if (made && isRoot(*variable))
        descend(*made->getConstructor(), {made->getArgs(), made->getNumArgs()}, variable, *made);
      return true;
    }

    // What a function does that is handed fragments it does where it is called: it may be
    // nothing but a fill.
    bool isRoot(const VarDecl &variable) const {
      return llvm::any_of(r_.roots_, [&](const auto &r) { return r.second.variable == &variable; });
    }
    const VarDecl *handedTo(const VarDecl *parameter) const {
      const auto known = handed_.find(parameter);
      return known != handed_.end()         ? known->second
             : parameter || handed_.empty() ? r_.handedTo(parameter)
                                            : nullptr;
    }
    // The fragments' variable that an expression names as a whole.
    const VarDecl *rootNamed(const Expr &expr) const {
      if (isa<CXXThisExpr>(stripped(&expr)))
        return handedTo(nullptr);
      const auto *name = dyn_cast<DeclRefExpr>(stripped(&expr));
      const auto *variable = name ? dyn_cast<VarDecl>(name->getDecl()) : nullptr;
      const VarDecl *handed = variable ? handedTo(variable) : nullptr;
      const VarDecl *root = handed ? handed : variable;
      return root && isRoot(*root) ? root : nullptr;
    }
    bool descendCall(const CallExpr &call) {
      const FunctionDecl *callee = call.getDirectCallee();
      if (!callee || isa<CXXOperatorCallExpr>(call))
        return false;
      const Expr *self = objectOf(call);
      const VarDecl *object = self ? rootNamed(*self) : nullptr;
      if ((self && !object) || !descend(*callee, {call.getArgs(), call.getNumArgs()}, object, call))
        return false;
      for (const Expr *argument : call.arguments())
        if (!rootNamed(*argument))
          TraverseStmt(const_cast<Expr *>(argument));
      return true;
    }
    bool descend(const FunctionDecl &callee, llvm::ArrayRef<const Expr *> arguments,
                 const VarDecl *object, const Expr &call) {
      constexpr size_t kDeepest = 8;
      const FunctionDecl *function = callee.getDefinition();
      if (!function || !function->hasBody() || depth_ > kDeepest || r_.matrixWithin(function))
        return false;
      Handed inner;
      if (object)
        inner[nullptr] = object;
      for (size_t i = 0; i < arguments.size(); ++i) {
        const VarDecl *root = rootNamed(*arguments[i]);
        if (!root)
          continue;
        if (i >= function->getNumParams() ||
            !function->getParamDecl(i)->getType()->isReferenceType())
          return false; // a copy, or a pointer to who knows how many
        inner[function->getParamDecl(i)] = root;
      }
      if (inner.empty() || leavesEarly(*function))
        return false;
      r_.sampler_.consider(function->getBody());
      for (size_t i = 0; i < arguments.size() && i < function->getNumParams(); ++i)
        r_.sampler_.alias(function->getParamDecl(i), arguments[i]);
      const auto range = r_.texts_.statement(call.getSourceRange());
      const bool isOutermost = !place_ && range;
      if (isOutermost)
        place_ = range;
      std::swap(handed_, inner);
      ++depth_;
      TraverseStmt(function->getBody());
      --depth_;
      std::swap(handed_, inner);
      if (isOutermost)
        place_.reset();
      return true;
    }

    static bool leavesEarly(const FunctionDecl &function) {
      Jumps jumps;
      for (const Stmt *stmt : cast<CompoundStmt>(function.getBody())->body())
        if (!isa<ReturnStmt>(stmt))
          jumps.TraverseStmt(const_cast<Stmt *>(stmt));
      return jumps.any;
    }

    void noteMention(const Expr &mention, const VarDecl &root, const FieldDecl *part,
                     const VarDecl *handed) {
      const uint64_t declaration = fragmentOf(root, part);
      if (r_.roots_.count(declaration))
        noteUse(mention, declaration, handed);
      else if (!part) // the whole of a variable with parts
        for (const auto &[fragment, known] : r_.roots_)
          if (known.variable == &root)
            noteUse(mention, fragment, handed);
    }
    void noteUse(const Expr &mention, uint64_t declaration, const VarDecl *handed) {
      FragmentUse use;
      use.declaration = declaration;
      use.loops = loops_;
      if (const auto range = r_.texts_.statement(mention.getSourceRange()))
        use.range = *range;
      if (fill_ && (!handed || place_))
        noteFill(mention, use);
      if (place_)
        use.range = *place_;
      else if (handed) // what the function does is done where it is first called
        use.range = r_.calls_[r_.function_].front().range;
      r_.out_.uses.push_back(use);
    }

    // Fills that leave registers out, or put different constants into them, are uses like
    // any other.
    void finish() {
      for (const auto &[key, registers] : partial_)
        if (static_cast<int64_t>(registers.found.size()) != registers.extent)
          for (const size_t use : registers.uses)
            r_.out_.uses[use].isFill = false;
      for (FragmentUse &use : r_.out_.uses)
        use.isFill = use.isFill && values_[use.declaration].size() == 1;
    }

  private:
    // An assignment of one constant to what `target` is.
    struct Fill {
      const Expr *target = nullptr;
      uint64_t value = 0;
    };
    bool traverseFill(const Fill &fill) {
      fill_ = fill;
      TraverseStmt(const_cast<Expr *>(fill.target));
      fill_.reset();
      return true;
    }

    // x[j][r] = constant: r runs over all registers in its loop, or is a number and all
    // numbers come in one block; x[j] = make_float4(constant, ...).
    void noteFill(const Expr &mention, FragmentUse &use) {
      std::vector<const Expr *> steps; // accesses, innermost first
      const Expr *target = stripped(fill_->target);
      for (;;) {
        const auto *access = dyn_cast<ArraySubscriptExpr>(target);
        const auto *member = dyn_cast<MemberExpr>(target);
        if (!access && (!member || (member->isArrow() && !isa<CXXThisExpr>(member->getBase()))))
          break;
        steps.push_back(target);
        target = stripped(access ? access->getBase() : member->getBase());
      }
      values_[use.declaration].insert(fill_->value);
      if (target != &mention)
        return;
      QualType type = mention.getType();
      if (const FieldDecl *part = r_.roots_.at(use.declaration).part) {
        if (steps.empty())
          return;
        type = part->getType();
        steps.pop_back();
      }
      use.isFill = true;
      bool isRegister = false; // the last step told one from the others
      for (size_t left = steps.size(); left-- > 0 && use.isFill;)
        use.isFill = noteStep(*steps[left], left == 0, type, isRegister, use);
      use.isFill = use.isFill &&
                   (type->isScalarType() ? isRegister : vectorOf(type, r_.context_).has_value());
    }

    bool noteStep(const Expr &step, bool isLast, QualType &type, bool &isRegister,
                  FragmentUse &use) {
      if (const auto *member = dyn_cast<MemberExpr>(&step)) {
        const auto vector = vectorOf(type, r_.context_);
        const auto *field = dyn_cast<FieldDecl>(member->getMemberDecl());
        if (field && !vector && isOnlyMember(*field)) {
          type = field->getType();
          return true;
        }
        if (!vector || !field || !isLast)
          return false;
        addPartial(r_.texts_.printed(member->getBase()), numberOf(*field), vector->count);
        type = vector->element;
        return isRegister = true;
      }
      const auto &access = cast<ArraySubscriptExpr>(step);
      const auto *array = r_.context_.getAsConstantArrayType(type);
      if (!array)
        return false;
      const int64_t extent = static_cast<int64_t>(array->getSize().getZExtValue());
      type = array->getElementType();
      isRegister = isLast && type->isScalarType();
      if (!isRegister)
        use.isOfSomeTiles |= !runsOverAll(access.getIdx(), extent);
      else if (const auto number = r_.constant(access.getIdx()))
        addPartial(r_.texts_.printed(access.getBase()), *number, extent);
      else
        return runsOverAll(access.getIdx(), extent);
      return true;
    }

    static bool isOnlyMember(const FieldDecl &field) {
      return std::next(field.getParent()->field_begin()) == field.getParent()->field_end();
    }

    // make_float4(c, c, c, c): the bits of c.
    std::optional<uint64_t> vectorConstantOf(const Expr *value) const {
      const auto *call = dyn_cast<CallExpr>(throughCopies(value));
      if (!call || !makesOfItsArguments(*call) || !vectorOf(call->getType(), r_.context_) ||
          call->getNumArgs() == 0)
        return std::nullopt;
      const auto first = constantOf(call->getArg(0));
      const bool areEqual = llvm::all_of(
          call->arguments(), [&](const Expr *argument) { return constantOf(argument) == first; });
      return areEqual ? first : std::nullopt;
    }

    void addPartial(const std::string &tile, int64_t number, int64_t extent) {
      Registers &registers = partial_[{block_, tile}];
      registers.found.insert(number);
      registers.extent = extent;
      registers.uses.push_back(r_.out_.uses.size());
    }

    // A loop around; `variable` is its counter, null where it has none or a turn may be
    // left out or cut short.
    struct Counting {
      Loop loop;
      const VarDecl *variable = nullptr;
    };
    Counting countingOf(const Stmt *stmt, const TextRange &range) const {
      Counting counting{r_.loopOf(stmt, range), nullptr};
      const auto *loop = dyn_cast<ForStmt>(stmt);
      const auto *init = loop ? dyn_cast_or_null<DeclStmt>(loop->getInit()) : nullptr;
      const auto *variable =
          init && init->isSingleDecl() ? dyn_cast<VarDecl>(init->getSingleDecl()) : nullptr;
      Jumps jumps;
      jumps.TraverseStmt(const_cast<Stmt *>(stmt));
      const auto isCount = [&](SourceLocation at) {
        const auto place = r_.texts_.statement(SourceRange(at, at));
        return place && counting.loop.increment.contains(*place);
      };
      if (variable && !jumps.any && llvm::all_of(r_.sampler_.changesOf(variable), isCount))
        counting.variable = variable;
      return counting;
    }
    class Jumps : public DynamicRecursiveASTVisitor {
    public:
      bool VisitStmt(Stmt *stmt) override {
        any |= isa<BreakStmt, ContinueStmt, ReturnStmt, GotoStmt, IndirectGotoStmt>(stmt);
        return true;
      }
      bool any = false;
    };

    // A variable of one of the loops around that counts 0, 1, ... extent - 1, for all of
    // which the place is reached.
    bool runsOverAll(const Expr *index, int64_t extent) const {
      const auto *name = dyn_cast<DeclRefExpr>(stripped(index));
      for (size_t i = underCondition_; name && i < counting_.size(); ++i)
        if (const auto &[loop, variable] = counting_[i]; variable == name->getDecl())
          return loop.first == 0 && loop.last == extent && loop.step == 1;
      return false;
    }

    // The bits of a constant, or of an assignment of one: a = b = 0.
    std::optional<uint64_t> constantOf(const Expr *value) const {
      Expr::EvalResult result;
      const auto *chained = dyn_cast<BinaryOperator>(value->IgnoreParenImpCasts());
      if (chained && chained->getOpcode() == BO_Assign)
        return constantOf(chained->getRHS());
      if (value->isValueDependent() || !value->EvaluateAsRValue(result, r_.context_))
        return std::nullopt;
      if (result.Val.isInt())
        return result.Val.getInt().getZExtValue();
      if (!result.Val.isFloat())
        return std::nullopt;
      return result.Val.getFloat().isPosZero()
                 ? 0
                 : result.Val.getFloat().bitcastToAPInt().getLimitedValue();
    }

    struct Registers {
      std::set<int64_t> found;
      int64_t extent = 0;
      std::vector<size_t> uses; // numbers of the uses
    };

    Recovery &r_;
    std::vector<TextRange> loops_;
    std::vector<Counting> counting_; // the same loops
    size_t underCondition_ = 0;      // how many of them are around the innermost condition
    std::optional<Fill> fill_;
    // Fragments by the names of the function that is looked into (null: its object), and
    // where the kernel calls it.
    using Handed = std::map<const VarDecl *, const VarDecl *>;
    Handed handed_;
    std::optional<TextRange> place_;
    size_t depth_ = 0;
    const Stmt *block_ = nullptr;
    bool divergent_ = false;
    std::map<std::pair<const Stmt *, std::string>, Registers> partial_;
    std::map<uint64_t, std::set<uint64_t>> values_; // constants, by declaration
  };

  // A value that is copied or moved where it stands.
  static const Expr *throughCopies(const Expr *value) {
    for (;;) {
      value = stripped(value);
      const auto *copy = dyn_cast<CXXConstructExpr>(value);
      if (!copy || copy->getNumArgs() != 1 || !copy->getConstructor()->isCopyOrMoveConstructor())
        return value;
      value = copy->getArg(0);
    }
  }
  // make_float4, __floats2half2_rn...: registers are equal when the arguments are.
  static bool makesOfItsArguments(const CallExpr &call) {
    const FunctionDecl *callee = call.getDirectCallee();
    const StringRef name = callee && callee->getIdentifier() ? callee->getName() : StringRef();
    return llvm::any_of(
        std::initializer_list<StringRef>{"make_", "__float", "__half", "__double", "__int"},
        [&](StringRef prefix) { return name.starts_with(prefix); });
  }

  // The value of a constant; empty when it is none, or not the same in all elements.
  std::string constantText(const Expr *value) const {
    const auto *chained = dyn_cast<BinaryOperator>(value->IgnoreParenImpCasts());
    if (chained && chained->getOpcode() == BO_Assign)
      return constantText(chained->getRHS());
    Expr::EvalResult result;
    if (value->isValueDependent() || !value->EvaluateAsRValue(result, context_))
      return "";
    const APValue &constant = result.Val;
    if (constant.isInt())
      return constant.getInt().isZero() ? "0" : llvm::toString(constant.getInt(), 10);
    if (constant.isFloat())
      return constant.getFloat().isPosZero()
                 ? "0"
                 : "f" + llvm::toString(constant.getFloat().bitcastToAPInt(), 16, false);
    return "";
  }

  // Every scalar that a list sets, and zero for what it leaves out.
  void listed(const Expr *value, std::set<std::string> &found) const {
    if (const auto *list = dyn_cast<InitListExpr>(value)) {
      for (const Expr *inner : list->inits())
        listed(inner, found);
      if (list->hasArrayFiller() || list->getNumInits() == 0)
        found.insert("0");
    } else if (const auto *call = dyn_cast<CallExpr>(throughCopies(value));
               call && makesOfItsArguments(*call)) {
      for (const Expr *argument : call->arguments())
        listed(argument, found);
    } else if (!isa<ImplicitValueInitExpr>(value)) {
      found.insert(constantText(value));
    } else {
      found.insert("0");
    }
  }

  // What its body does is a use like others (Uses).
  bool beginsUnequal(const CXXConstructorDecl &constructor) const {
    if (constructor.isDefaultConstructor() && constructor.isTrivial())
      return false;
    const FunctionDecl *definition = constructor.getDefinition();
    if (!definition || !definition->hasBody() || constructor.isCopyOrMoveConstructor())
      return true;
    return llvm::any_of(cast<CXXConstructorDecl>(definition)->inits(),
                        [&](const CXXCtorInitializer *init) {
                          const Expr *value = init->getInit();
                          if (const auto *own = dyn_cast<CXXDefaultInitExpr>(value))
                            value = own->getExpr();
                          if (const auto *made = dyn_cast<CXXConstructExpr>(value))
                            return beginsUnequal(*made->getConstructor());
                          std::set<std::string> values;
                          listed(value, values);
                          return values.size() > 1 || values.count("") != 0;
                        });
  }

  // An initializer that does not put one constant into all registers.
  bool beginsUnequal(const VarDecl &variable) const {
    if (!variable.getInit() || gathered_.contains(&variable))
      return false;
    if (const auto *made = dyn_cast<CXXConstructExpr>(variable.getInit()))
      return variable.getType()->isRecordType() && beginsUnequal(*made->getConstructor());
    std::set<std::string> values;
    listed(variable.getInit(), values);
    return values.size() > 1 || values.count("");
  }

  void collectUses() {
    Uses uses(*this);
    uses.TraverseStmt(kernel_.getBody());
    for (const auto &[function, frame] : frames_) {
      function_ = function;
      if (!calls_[function].empty())
        uses.TraverseStmt(function->getBody());
    }
    function_ = nullptr;
    uses.finish();
    for (const auto &[declaration, root] : roots_) {
      const VarDecl *variable = root.variable;
      Kernel::Variable out;
      out.name = variable->getNameAsString() +
                 (root.part ? "." + root.part->getNameAsString() : std::string());
      out.declaration = declaration;
      out.beginsUnequal = beginsUnequal(*variable);
      const auto parents = const_cast<ASTContext &>(context_).getParents(*variable);
      if (const auto *stmt = parents.empty() ? nullptr : parents[0].get<DeclStmt>()) {
        if (const auto range = texts_.statement(stmt->getSourceRange()))
          out.statement = *range;
        const auto blocks = const_cast<ASTContext &>(context_).getParents(*stmt);
        if (const auto *block = blocks.empty() ? nullptr : blocks[0].get<CompoundStmt>())
          if (const auto range = texts_.statement(block->getSourceRange()))
            out.scope = *range;
      }
      if (root.part)
        memberPlace(root, out);
      else
        lastExtent(*variable, out);
      out_.variables.push_back(out);
    }
  }

  // ---- code between the products

  // The statement of the kernel's body that holds the last product.
  const Stmt *lastProduct(TextRange &region) const {
    const Stmt *last = nullptr;
    for (const Stmt *stmt : cast<CompoundStmt>(kernel_.getBody())->body()) {
      const auto range = texts_.statement(stmt->getSourceRange());
      if (range &&
          llvm::any_of(out_.mmas, [&](const MmaSite &m) { return range->contains(m.range); })) {
        last = stmt;
        region = *range;
      }
    }
    return last;
  }

  bool isWorkedOn(const TextRange &region) const {
    const auto isLoaded = [&](uint64_t operand) {
      return llvm::any_of(out_.loads, [&](const LoadSite &load) {
        return load.registers[0].declaration == operand;
      });
    };
    for (const MmaSite &mma : out_.mmas) {
      if (!isLoaded(mma.a[0].declaration))
        return true;
      for (const FragmentUse &use : out_.uses)
        if (use.declaration == mma.d[0].declaration && !use.isFill && region.contains(use.range))
          return true;
    }
    return false;
  }

  void lookBetween() {
    if (llvm::any_of(out_.mmas, [](const MmaSite &mma) { return !mma.calls.empty(); }))
      return; // they are not in the kernel's own text
    Between between;
    const Stmt *last = out_.mmas.empty() ? nullptr : lastProduct(between.last);
    between.region = {between.last.file, out_.bodyBegin.begin, between.last.end};
    if (!last || !isWorkedOn(between.region))
      return;
    std::set<const VarDecl *> operands;
    for (const LoadSite &load : out_.loads)
      if (load.isGathered())
        operands.insert(roots_.at(load.registers[0].declaration).variable);
    std::map<const Expr *, bool> known;
    Exchange exchange = findExchange(context_, kernel_, last, operands, [&](const Expr *expr) {
      const auto [it, isNew] = known.try_emplace(expr, false);
      return isNew ? it->second = isSameForPair(*expr) : it->second;
    });
    if (exchange.problem.empty())
      describe(exchange, between);
    if (!exchange.problem.empty()) {
      between.problem = exchange.problem;
      if (const auto range = texts_.statement(exchange.problemAt))
        between.problemAt = *range;
    }
    out_.between = std::move(between);
  }

  void describe(Exchange &exchange, Between &between) {
    for (const auto &[fragment, root] : roots_) {
      if (exchange.fragments.count(root.variable))
        between.fragments.insert(fragment);
      if (exchange.turnable.count(root.variable))
        between.turnable.insert(fragment);
    }
    for (const CallExpr *call : exchange.shuffles) {
      const unsigned first = call->getDirectCallee()->getName().ends_with("_sync") ? 1 : 0;
      const auto whole = texts_.range(call->getSourceRange()),
                 value = texts_.range(call->getArg(first)->getSourceRange()),
                 mask = texts_.range(call->getArg(first + 1)->getSourceRange());
      if (!whole || !value || !mask || whole->file != out_.range.file)
        return fail(exchange, "a shuffle of results stands in a macro or another file",
                    call->getSourceRange());
      between.shuffles.push_back({*whole, *value, *mask});
    }
    for (const Exchange::Met &met : exchange.met)
      if (const std::string why = ask(met); !why.empty())
        return fail(exchange, "'" + texts_.spelled(met.value) + "' depends on the lane: " + why,
                    met.value->getSourceRange());
    if (const CallExpr *other = calledElsewhere(exchange, between.region))
      return fail(exchange,
                  "'" + other->getDirectCallee()->getNameAsString() +
                      "' exchanges results between the lanes there and other values here",
                  other->getSourceRange());
    for (const Exchange::Rows &rows : exchange.rows) {
      const auto lower = textAt(*rows.lower, rows.lowerOffset),
                 upper = textAt(*rows.upper, rows.upperOffset);
      if (!isUsedBehind(*rows.lower, between.region) && !isUsedBehind(*rows.upper, between.region))
        continue;
      if (!lower || !upper || rows.bytes != 4)
        return fail(exchange,
                    "'" + rows.lower->getNameAsString() +
                        "' is not made of words that belong to rows",
                    rows.lower->getSourceRange());
      between.rows.push_back({*lower, *upper});
    }
  }

  // A value that results meet, as a function of the thread that CUDA has them in. Why not;
  // empty when it is.
  std::string ask(const Exchange::Met &met) {
    const FunctionDecl *function = enclosingFunction(*met.value);
    const auto range = texts_.range(met.value->getSourceRange());
    const SourceManager &sm = context_.getSourceManager();
    if (!function || function->getLocation() != kernel_.getLocation())
      return "it is not in the kernel's own text";
    if (!range || range->file != out_.range.file ||
        sm.isMacroArgExpansion(met.value->getBeginLoc()))
      return "it stands in a macro or another file";
    std::vector<const Expr *> values = {met.lower};
    if (met.upper != met.lower)
      values.push_back(met.upper);
    if (met.counter && (!context_.hasSameType(met.counter->getType(), context_.IntTy) ||
                        sampler_.changesOf(met.counter).size() != 1))
      return "it stands in a loop that does not count in int, by one";
    if (!context_.hasSameType(stripped(met.lower)->getType().getUnqualifiedType(),
                              stripped(met.upper)->getType().getUnqualifiedType()))
      return "it has another type for the other half of the rows";
    placeAt(*met.value, *range);
    keepsSign_ = true;
    const std::string counter = met.counter ? met.counter->getNameAsString() : "";
    if (met.counter)
      tileVariables_ = {counter};
    AskedValue out;
    out.range = *range;
    std::string problem;
    out.names = variablesOf(values, range->file, problem);
    for (const Expr *value : values)
      out.values.push_back(value == met.value ? textOf(value, out.names, range->file, problem)
                                              : texts_.spelled(value));
    for (const Expr *value : values) // written anew there, it cannot be quoted here
      if (problem.empty() && value != met.value && !isPlain(*value))
        problem = "it is more than arithmetic, and not the same for both halves of the rows";
    if (values.size() == 2 && texts_.spelled(met.lower) == texts_.spelled(met.upper))
      out.values.pop_back();
    keepsSign_ = false;
    out.laneType = typeOf(out.names.laneName);
    out.warpType = typeOf(out.names.warpName);
    out.element = met.counter ? counter : met.value == met.lower ? "0" : "1";
    out.parameter = met.counter ? counter : out.values.size() == 2 ? freeName("lower") : "";
    out.bit = met.bit;
    if (problem.empty() && !out.names.fetched.empty())
      problem = "it uses '" + out.names.fetched[0] + "', which changes after it was computed";
    if (problem.empty() &&
        llvm::any_of(out.names.variables,
                     [](const AddressFunction::Variable &v) { return v.type.empty(); }))
      problem = "it uses what is computed in several steps";
    if (problem.empty() && met.counter &&
        (llvm::is_contained(out.names.walksIn, counter) ||
         out.names.hiddenVariables.count(counter)))
      problem = "it uses what changes in the loop over '" + counter + "'";
    if (problem.empty())
      problem = whyNotAsked(met, values, out);
    loops_.clear();
    tileVariables_.clear();
    addBetween(out_, {out.range, native::textOf(out, indentOf(met.value->getBeginLoc()))});
    return problem;
  }

  // Of the variable that is the lane or warp: arithmetic on it keeps its sign.
  std::string typeOf(const std::string &name) const {
    for (const VarDecl *variable : needed_)
      if (variable->getName() == name && variable->getType()->isIntegerType()) {
        const std::string type = typeText(*variable);
        return StringRef(type).starts_with("const ") ? type.substr(6) : type;
      }
    return "int";
  }

  // Of the line.
  std::string indentOf(SourceLocation at) const {
    const SourceManager &sm = context_.getSourceManager();
    at = sm.getExpansionLoc(at);
    const StringRef text = sm.getBufferData(sm.getFileID(at));
    const size_t line = text.rfind('\n', sm.getFileOffset(at)) + 1; // npos + 1 is 0
    return text.substr(line).take_while([](char c) { return c == ' ' || c == '\t'; }).str();
  }

  std::string whyNotAsked(const Exchange::Met &met, const std::vector<const Expr *> &values,
                          const AskedValue &asked) {
    const bool isOne = met.upper == met.lower;
    std::set<std::string> parameters;
    if (asked.names.usesLane)
      parameters.insert(asked.names.laneName);
    if (asked.names.usesWarp)
      parameters.insert(asked.names.warpName);
    if (!asked.parameter.empty() && !parameters.insert(asked.parameter).second)
      return "uses two variables of the name '" + asked.parameter + "'";
    const auto lower = texts_.range(met.lower->getSourceRange()),
               upper = texts_.range(met.upper->getSourceRange());
    if (!lower || !upper)
      return "it stands in a macro or another file";
    const unsigned first = std::min(lower->begin, upper->begin);
    const AskedVerdict judged =
        judgeAsked(values, {context_, sampler_, needed_, met.even, parameters, met.counter,
                            [&](const VarDecl *variable) {
                              return isOne || isVisible(*variable, first, *lower, *upper);
                            }});
    if (!judged.problem.empty() || isOne)
      return judged.problem.empty() ? "" : "it " + judged.problem;
    for (const VarDecl *variable : judged.variables)
      for (const SourceLocation at : sampler_.changesOf(variable)) {
        const auto place = texts_.statement(SourceRange(at, at));
        if (!place || (first <= place->begin && place->begin < std::max(lower->end, upper->end)))
          return "it uses '" + variable->getNameAsString() +
                 "', which changes from one half of the rows to the other";
      }
    return "";
  }

  // Of variables, numbers and operators: nothing that any rule changes.
  static bool isPlain(const Expr &value) {
    class Plain : public DynamicRecursiveASTVisitor {
    public:
      bool VisitExpr(Expr *expr) override {
        const auto *cast = dyn_cast<ExplicitCastExpr>(expr);
        isIt = isIt && !isa<CallExpr, PseudoObjectExpr, CXXConstructExpr>(expr) &&
               (!cast || cast->getType()->isBuiltinType());
        return isIt;
      }
      bool isIt = true;
    };
    Plain plain;
    plain.TraverseStmt(const_cast<Expr *>(&value));
    return plain.isIt;
  }

  // Declared before `first`, in a block that holds both places.
  bool isVisible(const VarDecl &variable, unsigned first, const TextRange &a,
                 const TextRange &b) const {
    const auto at = texts_.statement(variable.getSourceRange());
    if (isa<ParmVarDecl>(variable))
      return variable.getDeclContext() == &kernel_;
    const Stmt *declaration = parentOf(DynTypedNode::create(variable));
    const Stmt *block = declaration ? parentOf(DynTypedNode::create(*declaration)) : nullptr;
    const auto scope = block ? texts_.statement(block->getSourceRange()) : std::nullopt;
    return at && scope && at->end <= first && scope->contains(a) && scope->contains(b);
  }

  const Stmt *parentOf(const DynTypedNode &node) const {
    const auto parents = const_cast<ASTContext &>(context_).getParents(node);
    return parents.empty() ? nullptr : parents[0].get<Stmt>();
  }

  // The site, its loops and its block are those of an expression of the kernel.
  void placeAt(const Expr &expr, const TextRange &range) {
    siteRange_ = range;
    siteBlock_ = nullptr;
    loops_.clear();
    DynTypedNode node = DynTypedNode::create(expr);
    for (int depth = 0; depth < 256; ++depth) {
      const auto parents = const_cast<ASTContext &>(context_).getParents(node);
      if (parents.empty() || parents[0].get<FunctionDecl>())
        return;
      node = parents[0];
      if (const auto *block = node.get<CompoundStmt>(); block && !siteBlock_)
        siteBlock_ = block;
      const Stmt *stmt = node.get<Stmt>();
      if (!stmt || !isa<ForStmt, WhileStmt, DoStmt>(stmt))
        continue;
      const auto whole = texts_.statement(stmt->getSourceRange());
      loops_.insert(loops_.begin(), loopOf(stmt, whole ? *whole : TextRange()));
    }
  }

  static void fail(Exchange &exchange, const std::string &problem, SourceRange at) {
    exchange.problem = problem;
    exchange.problemAt = at;
  }

  // A call from outside the region to a function that holds one of the shuffles, or to
  // one that calls such a function.
  const CallExpr *calledElsewhere(const Exchange &exchange, const TextRange &region) const {
    AsmFinder all;
    all.TraverseDecl(context_.getTranslationUnitDecl());
    std::vector<SourceLocation> functions; // instantiations share their template's
    const auto add = [&](const FunctionDecl *function) {
      if (function && function->getLocation() != kernel_.getLocation() &&
          !llvm::is_contained(functions, function->getLocation()))
        functions.push_back(function->getLocation());
    };
    for (const CallExpr *shuffle : exchange.shuffles)
      add(enclosingFunction(*shuffle));
    for (size_t i = 0; i < functions.size(); ++i)
      for (const CallExpr *call : all.calls) {
        const FunctionDecl *callee = call->getDirectCallee();
        if (!callee ||
            (callee->getLocation() != functions[i] &&
             (!callee->getDefinition() || callee->getDefinition()->getLocation() != functions[i])))
          continue;
        const FunctionDecl *caller = enclosingFunction(*call);
        const auto at = texts_.statement(call->getSourceRange());
        const bool isHere = caller && caller->getLocation() == kernel_.getLocation();
        if (isHere ? !at || !region.contains(*at) : !caller || caller->hasAttr<CUDAGlobalAttr>())
          return call;
        add(caller);
      }
    return nullptr;
  }

  const FunctionDecl *enclosingFunction(const Stmt &stmt) const {
    DynTypedNode node = DynTypedNode::create(stmt);
    for (int depth = 0; depth < 256; ++depth) {
      const auto parents = const_cast<ASTContext &>(context_).getParents(node);
      if (parents.empty())
        return nullptr;
      node = parents[0];
      if (const auto *function = node.get<FunctionDecl>())
        return function;
    }
    return nullptr;
  }

  bool isUsedBehind(const VarDecl &variable, const TextRange &region) const {
    bool used = false;
    Mentions mentions([&](const DeclRefExpr &name) {
      const auto at = texts_.statement(name.getSourceRange());
      used = used || (name.getDecl() == &variable && (!at || at->begin >= region.end));
    });
    mentions.TraverseStmt(kernel_.getBody());
    return used;
  }

  class Mentions : public DynamicRecursiveASTVisitor {
  public:
    explicit Mentions(std::function<void(const DeclRefExpr &)> found) : found_(std::move(found)) {}
    bool VisitDeclRefExpr(DeclRefExpr *name) override {
      found_(*name);
      return true;
    }

  private:
    std::function<void(const DeclRefExpr &)> found_;
  };

  // The author's text for the word at `offset` bytes of a variable.
  std::optional<std::string> textAt(const VarDecl &variable, int64_t offset) const {
    std::string text = variable.getNameAsString();
    QualType type = variable.getType();
    for (;;) {
      if (const auto *array = context_.getAsConstantArrayType(type)) {
        type = array->getElementType();
        const int64_t size = context_.getTypeSizeInChars(type).getQuantity();
        text += "[" + std::to_string(offset / size) + "]";
        offset %= size;
        continue;
      }
      const auto *record = type->getAsCXXRecordDecl();
      if (!record || !record->hasDefinition())
        break;
      const FieldDecl *found = nullptr;
      for (const FieldDecl *field : record->fields())
        if (static_cast<int64_t>(context_.getFieldOffset(field) / 8) <= offset)
          found = field;
      if (!found || context_.getTypeSizeInChars(type).getQuantity() == 4)
        break;
      text += "." + found->getNameAsString();
      offset -= static_cast<int64_t>(context_.getFieldOffset(found) / 8);
      type = found->getType();
    }
    if (offset != 0 || context_.getTypeSizeInChars(type).getQuantity() != 4)
      return std::nullopt;
    return text;
  }

  const ASTContext &context_;
  Texts texts_;
  const FunctionDecl &kernel_;
  Sampler sampler_;
  Kernel out_;
  std::vector<Loop> loops_;
  std::vector<const Expr *> divergent_;
  std::vector<const Expr *> deciding_; // conditions of the branches around
  const Stmt *earlyReturn_ = nullptr;
  const Stmt *goesTo_ = nullptr;
  std::vector<std::pair<TextRange, const Expr *>> partings_; // a loop, and where it parts
  int inLambda_ = 0;
  // Lambdas and functions that multiply: the one being walked, those of the products, and
  // where each is called.
  using Frame = std::map<const ParmVarDecl *, const VarDecl *>;
  const Decl *owner_ = nullptr;
  const FunctionDecl *function_ = nullptr;
  std::vector<const Decl *> owners_;
  std::map<const Decl *, std::vector<MmaSite::Call>> calls_;
  std::map<const FunctionDecl *, Frame> frames_;
  llvm::DenseSet<const FunctionDecl *> recorded_;
  bool pointsInto_ = false;
  bool multiplies_ = false;
  TextRange siteRange_;                     // of the load whose address is made
  const CompoundStmt *siteBlock_ = nullptr; // the block it stands in
  std::vector<const VarDecl *> siteAliases_;
  std::vector<PendingFilling> pending_;
  llvm::DenseSet<const VarDecl *> gathered_; // declared with values that are a site's
  std::vector<const Stmt *> sites_;
  std::map<uint64_t, Root> roots_;
  llvm::DenseMap<const FunctionDecl *, bool> matrixFunctions_;
  llvm::DenseMap<const CXXMethodDecl *, const LambdaExpr *> lambdas_;
  std::set<const VarDecl *> needed_, own_; // own_: declared in the text that is rebound
  bool keepsSign_ = false;                 // threadIdx is unsigned, also when it is another lane's
  bool warpStays_ = false;                 // what the warp alone decides need not be made again
  std::set<std::string> tileVariables_;    // that the port may rebind
  std::vector<AddressFunction::Variable> threads_;
};

class Kernels : public DynamicRecursiveASTVisitor {
public:
  Kernels(ASTContext &context, const PlaceOf &placeOf) : context_(context), placeOf_(placeOf) {
    ShouldVisitTemplateInstantiations = true;
  }
  bool VisitFunctionDecl(FunctionDecl *function) override {
    if (!function->hasAttr<CUDAGlobalAttr>() || !function->doesThisDeclarationHaveABody() ||
        function->isDependentContext())
      return true;
    if (auto kernel = Recovery(context_, placeOf_, *function).run()) {
      findPlaces(context_, *function, *kernel);
      kernels.push_back(std::move(*kernel));
    }
    return true;
  }
  std::vector<Kernel> kernels;

private:
  ASTContext &context_;
  const PlaceOf &placeOf_;
};

} // namespace

std::vector<Kernel> recoverKernels(ASTContext &context, const PlaceOf &placeOf) {
  Kernels visitor(context, placeOf);
  const SourceManager &sm = context.getSourceManager();
  for (Decl *decl : context.getTranslationUnitDecl()->decls())
    if (!sm.isInSystemHeader(sm.getExpansionLoc(decl->getLocation())))
      visitor.TraverseDecl(decl);
  return std::move(visitor.kernels);
}

} // namespace layout_port::native
