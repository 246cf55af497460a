// The walk over a kernel in the order of its text: which conditions its products stand
// under, the loops around them, and the asm statements themselves.
#include "native/Recovery.h"

#include "native/Accessors.h"
#include "native/Digits.h"
#include "native/FragmentName.h"
#include "ptx/decode/MatrixMove.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/DynamicRecursiveASTVisitor.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace layout_port::native {

// nvcuda::wmma::mma_sync(d, a, b, c)
static const CallExpr *wmmaProductIn(const Stmt &body) {
  AsmFinder finder;
  finder.TraverseStmt(const_cast<Stmt *>(&body));
  for (const CallExpr *call : finder.calls)
    if (const FunctionDecl *callee = call->getDirectCallee();
        callee && callee->getIdentifier() && callee->getName() == "mma_sync")
      if (const auto *space = dyn_cast<NamespaceDecl>(callee->getDeclContext());
          space && space->getName() == "wmma")
        return call;
  return nullptr;
}

// As the port names it; empty: it has no name, as a lambda's.
static std::string typeNamed(QualType type, const ASTContext &context) {
  PrintingPolicy policy = context.getPrintingPolicy();
  policy.FullyQualifiedName = true;
  std::string name = type.getCanonicalType().getAsString(policy);
  for (const char *cuda : {"__nv_bfloat16", "__nv_fp8"})
    for (size_t at = 0; (at = name.find(cuda, at)) != std::string::npos;)
      name.replace(at, StringRef("__nv").size(), "__hip");
  return StringRef(name).contains('(') ? "" : name;
}

std::vector<std::string> argumentsOf(const FunctionDecl &instance) {
  std::vector<std::string> tests;
  const FunctionTemplateDecl *pattern = instance.getPrimaryTemplate();
  const TemplateArgumentList *arguments = instance.getTemplateSpecializationArgs();
  if (!pattern || !arguments)
    return tests;
  for (unsigned i = 0; i < arguments->size(); ++i) {
    const TemplateArgument &argument = arguments->get(i);
    const std::string name = pattern->getTemplateParameters()->getParam(i)->getNameAsString();
    std::string test;
    if (argument.getKind() == TemplateArgument::Integral)
      test = (argument.getIntegralType()->isScopedEnumeralType()
                  ? "static_cast<long long>(" + name + ")"
                  : name) +
             " == " + llvm::toString(argument.getAsIntegral(), 10);
    else if (argument.getKind() == TemplateArgument::Type)
      if (const std::string type = typeNamed(argument.getAsType(), instance.getASTContext());
          !type.empty())
        test = "__is_same(" + name + ", " + type + ")";
    tests.push_back(name.empty() ? "" : test);
  }
  return tests;
}

// A function on the way that calls itself, by others or at once; null: there is none.
static const FunctionDecl *recursionBelow(const Stmt &body,
                                          const std::function<bool(const FunctionDecl *)> &counts,
                                          std::vector<const FunctionDecl *> &path,
                                          std::set<const FunctionDecl *> &done) {
  AsmFinder finder;
  finder.TraverseStmt(const_cast<Stmt *>(&body));
  for (const CallExpr *call : finder.calls) {
    const FunctionDecl *callee = call->getDirectCallee();
    const FunctionDecl *definition = callee ? callee->getDefinition() : nullptr;
    if (!definition || !definition->hasBody() || !counts(definition))
      continue;
    if (llvm::is_contained(path, definition))
      return definition;
    if (!done.insert(definition).second)
      continue;
    path.push_back(definition);
    const FunctionDecl *found = recursionBelow(*definition->getBody(), counts, path, done);
    path.pop_back();
    if (found)
      return found;
  }
  return nullptr;
}

std::optional<Kernel> Recovery::run() {
  const auto whole = texts_.statement(kernel_.getSourceRange());
  const auto body = texts_.range(kernel_.getBody()->getSourceRange());
  out_.name = launched_.getNameAsString();
  std::vector<const FunctionDecl *> path;
  std::set<const FunctionDecl *> done;
  const auto handles = [this](const FunctionDecl *function) { return matrixWithin(function); };
  if (!whole || !body) {
    const auto place = texts_.statement(SourceRange(kernel_.getLocation()));
    if (!place || !matrixWithin(&kernel_))
      return std::nullopt;
    out_.range = *place;
    if (!recursionBelow(*kernel_.getBody(), handles, path, done))
      recordFunctions(kernel_); // of which others may think that they are theirs alone
    refuse("the kernel itself is written by a macro", kernel_.getLocation());
    return std::move(out_);
  }
  out_.range = *whole;
  out_.arguments = argumentsOf(kernel_);
  out_.bodyBegin = {body->file, body->begin + 1, body->begin + 1};
  if (const auto *bounds = launched_.getAttr<CUDALaunchBoundsAttr>()) {
    Expr::EvalResult value;
    if (!bounds->getMaxThreads()->isValueDependent() &&
        bounds->getMaxThreads()->EvaluateAsInt(value, context_))
      out_.launchBound = static_cast<int>(value.Val.getInt().getExtValue());
  }
  out_.assumesWholeWaves = says("layout-port: assume whole waves");
  if (const FunctionDecl *again = recursionBelow(*kernel_.getBody(), handles, path, done)) {
    refuse("'" + again->getNameAsString() + "' handles fragments and calls itself",
           again->getSourceRange());
    return std::move(out_);
  }
  findLeaving();
  walk(kernel_.getBody());
  partedReturn_ = earlyReturn_;
  if (!multiplies_) {
    const CallExpr *product = wmmaProductIn(*kernel_.getBody());
    if (product)
      refuse("it multiplies by wmma::mma_sync, whose fragments the device runtime lays out one by "
             "one; layouts are solved anew for mma.sync",
             product->getSourceRange());
    const bool isWithin = !product && matrixWithin(&kernel_);
    if (isWithin)
      refuse("a function that handles fragments is called in a way that is not followed",
             kernel_.getSourceRange());
    return product || isWithin ? std::optional(std::move(out_)) : std::nullopt;
  }
  if (sampler_.isThreeDimensional() && sampler_.paddedWarps())
    refuse("it reads threadIdx.z, and its blocks of " + std::to_string(sampler_.paddedWarps()) +
               " warps would be padded",
           kernel_.getSourceRange());
  walkFunctions();
  if (out_.mmas.empty())
    refuse("it handles fragments, and no product of them is in reach", kernel_.getSourceRange());
  placeCalls();
  tagFrames();
  findInlined();
  checkPartings();
  checkPlaces(0);
  const size_t placesOfSites = places_.size();
  joinScalars();
  leaveConverted();
  followOperands();
  findCopies();
  leaveCopies();
  gatherOperands();
  checkPlaces(placesOfSites);
  checkForwarded();
  checkInCall();
  splitFlat();
  finishLanewise();
  decideByTiles();
  partLives();
  collectUses();
  checkApart();
  partUses();
  findNewLives();
  if (out_.problem.empty())
    lookBetween();
  collectEpilogues();
  collectProductLoops();
  collectProductRuns();
  collectLocals();
  out_.rows = sampler_.rows();
  out_.saidRow = sampler_.saidRow();
  out_.isOneRow = sampler_.readsOneRow();
  missed_ = findMissed();
  findHandingOn();
  return std::move(out_);
}

void Recovery::refuse(const std::string &reason, SourceRange at) {
  if (!out_.problem.empty())
    return;
  out_.problem = reason;
  if (const auto range = texts_.statement(at))
    out_.problemAt = *range;
}

void Recovery::condition(const Expr *expr, const Stmt *part) {
  if (!expr || sameForWave(expr) || (multipliesAlways(part) && isSameForPair(*expr)))
    return;
  if (isAssumedUniform(expr))
    out_.assumptions.push_back("uniform over each wave: " + texts_.spelled(expr));
  else
    divergent_.push_back(expr);
}

StringRef Recovery::textAround(SourceLocation first, SourceLocation last) const {
  const SourceManager &sm = context_.getSourceManager();
  first = sm.getExpansionLoc(first);
  const StringRef text = sm.getBufferData(sm.getFileID(first));
  const size_t line = text.rfind('\n', sm.getFileOffset(first)) + 1; // npos + 1 is 0
  const size_t above = line > 1 ? text.rfind('\n', line - 2) + 1 : 0;
  return text.slice(above, text.find('\n', sm.getFileOffset(sm.getExpansionLoc(last))));
}

// Whoever runs it multiplies. mma.sync and ldmatrix are `.aligned`: all threads of a warp come to
// them or none, so that what decides about it is the same for a warp's threads; and if it is
// the same for the two threads of the wave that have one lane, it is for all of them.
// https://docs.nvidia.com/cuda/parallel-thread-execution/#warp-level-matrix-instructions-mma
bool Recovery::multipliesAlways(const Stmt *stmt) {
  constexpr size_t kDeepest = 16; // recursion
  std::vector<const FunctionDecl *> calls;
  const std::function<bool(const Stmt *)> always = [&](const Stmt *inner) {
    if (!inner)
      return false;
    if (const auto *text = dyn_cast<GCCAsmStmt>(inner))
      return isMatrix(*text);
    if (const auto *loop = dyn_cast<ForStmt>(inner))
      return runsOnce(*loop) && always(loop->getBody());
    if (const auto *call = dyn_cast<CallExpr>(inner)) {
      const FunctionDecl *callee = call->getDirectCallee();
      const FunctionDecl *definition = callee ? callee->getDefinition() : nullptr;
      if (!definition || !definition->hasBody() || !matrixWithin(definition) ||
          calls.size() == kDeepest || llvm::is_contained(calls, definition))
        return false;
      calls.push_back(definition);
      const bool multiplies = always(definition->getBody());
      calls.pop_back();
      return multiplies;
    }
    if (!isa<CompoundStmt, AttributedStmt, ExprWithCleanups>(inner))
      return false;
    for (const Stmt *child : inner->children()) {
      if (always(child))
        return true;
      if (leaves(child))
        return false;
    }
    return false;
  };
  return always(stmt);
}

// for (int i = 0; i < 4; ..): once at least.
bool Recovery::runsOnce(const ForStmt &loop) const {
  const auto *init = dyn_cast_or_null<DeclStmt>(loop.getInit());
  const auto *counter =
      init && init->isSingleDecl() ? dyn_cast<VarDecl>(init->getSingleDecl()) : nullptr;
  const auto *bound = dyn_cast_or_null<BinaryOperator>(loop.getCond());
  const auto *counted = bound && bound->getOpcode() == BO_LT
                            ? dyn_cast<DeclRefExpr>(stripped(bound->getLHS()))
                            : nullptr;
  const auto first = counter ? constant(counter->getInit()) : std::nullopt;
  const auto last =
      counted && counted->getDecl() == counter ? constant(bound->getRHS()) : std::nullopt;
  return first && last && *first < *last;
}

bool Recovery::leaves(const Stmt *stmt) {
  return stmt && (isa<ReturnStmt, BreakStmt, ContinueStmt, GotoStmt, IndirectGotoStmt>(stmt) ||
                  llvm::any_of(stmt->children(), leaves));
}

// The counter of a loop that its head alone moves on, by the same for all threads.
const VarDecl *Recovery::countedByHead(const ForStmt &loop) {
  const auto *init = dyn_cast_or_null<DeclStmt>(loop.getInit());
  const auto *counter =
      init && init->isSingleDecl() ? dyn_cast<VarDecl>(init->getSingleDecl()) : nullptr;
  const auto *add = dyn_cast_or_null<BinaryOperator>(loop.getInc());
  const auto *next = dyn_cast_or_null<UnaryOperator>(loop.getInc());
  const Expr *moved = add && add->getOpcode() == BO_AddAssign ? add->getLHS()
                      : next && next->isIncrementOp()         ? next->getSubExpr()
                                                              : nullptr;
  const auto *name = moved ? dyn_cast<DeclRefExpr>(stripped(moved)) : nullptr;
  return name && name->getDecl() == counter && counter->getInit() && loop.getCond() &&
                 !(add && sampler_.dependsOnThread(add->getRHS())) &&
                 sampler_.changesOf(counter).size() == 1 && !sampler_.changesUnseen(counter)
             ? counter
             : nullptr;
}

// for (int k = lane % 4; k < K; k += 4), where all that moves k on is there.
bool Recovery::countsAlikeForPair(const Stmt &stmt) {
  const auto *loop = dyn_cast<ForStmt>(&stmt);
  const VarDecl *counter = loop ? countedByHead(*loop) : nullptr;
  if (!counter)
    return false;
  if (sampler_.sameForWarp(counter->getInit()))
    warpCounters_.insert(counter);
  if (turnsAlike(*loop, *counter)) {
    sampler_.takeAlike(*loop->getCond());
    return true;
  }
  if (!multipliesAlways(loop->getBody()))
    return false;
  sampler_.alias(counter, counter->getInit()); // what it is more is the same for all
  const bool isAlike = isSameForPair(*loop->getCond());
  sampler_.alias(counter, nullptr);
  return isAlike;
}

// As many turns for all threads of a wave, wherever each begins:
//   for (int p = warp * 4; p < warp * 4 + 4; p++)      end - begin = 4
//   for (int p = warp; p < 8; p += 4)                  begins within the first step, of 8 / 4
bool Recovery::turnsAlike(const ForStmt &loop, const VarDecl &counter) {
  const auto *bound = dyn_cast<BinaryOperator>(loop.getCond()->IgnoreImpCasts());
  const auto *counted = bound && (bound->getOpcode() == BO_LT || bound->getOpcode() == BO_LE)
                            ? dyn_cast<DeclRefExpr>(stripped(bound->getLHS()))
                            : nullptr;
  if (!counted || counted->getDecl() != &counter)
    return false;
  const auto *add = dyn_cast<BinaryOperator>(loop.getInc());
  return sampler_.turnsAlike(*counter.getInit(), *bound, add ? add->getRHS() : nullptr);
}

bool Recovery::isAssumedUniform(const Expr *expr) const {
  return textAround(expr->getBeginLoc(), expr->getBeginLoc())
      .contains("layout-port: assume uniform");
}

bool Recovery::says(const std::string &words) const {
  return llvm::any_of(std::initializer_list<const FunctionDecl *>{&launched_, &kernel_},
                      [&](const FunctionDecl *text) {
                        return textAround(text->getBeginLoc(), text->getEndLoc()).contains(words);
                      });
}

void Recovery::walk(const Stmt *stmt) {
  if (!stmt)
    return;
  if (const auto *declarations = dyn_cast<DeclStmt>(stmt))
    noteReordered(*declarations);
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
    condition(branch->getCond(), branch->getElse() ? nullptr : branch->getThen());
    deciding_.push_back(branch->getCond());
    walkPart(branch->getThen(), *branch);
    walkPart(branch->getElse(), *branch);
    deciding_.pop_back();
    divergent_.resize(depth);
  } else if (const auto *asmStmt = dyn_cast<GCCAsmStmt>(stmt)) {
    visitAsm(*asmStmt, *asmStmt, nullptr);
  } else if (const auto *choice = dyn_cast<SwitchStmt>(stmt)) {
    walk(choice->getCond());
    const size_t depth = divergent_.size();
    condition(choice->getCond());
    deciding_.push_back(choice->getCond());
    walkPart(choice->getBody(), *choice);
    deciding_.pop_back();
    divergent_.resize(depth);
  } else if (const auto *range = dyn_cast<CXXForRangeStmt>(stmt)) {
    inLoop(stmt, range->getCond(), range->getBody(), range->getInc());
  } else if (isa<BreakStmt, ContinueStmt, GotoStmt, IndirectGotoStmt>(stmt)) {
    if (const auto range = texts_.statement(stmt->getSourceRange()))
      out_.jumps.push_back(*range);
    else
      jumpsInMacro_ = true;
    notePartings(loops_.empty() ? 0 : loops_.size() - 1);
    if (isa<GotoStmt, IndirectGotoStmt>(stmt))
      goesTo_ = stmt;
  } else if (isa<ReturnStmt>(stmt)) {
    if (const auto range = texts_.statement(stmt->getSourceRange()))
      out_.returns.push_back(*range);
    if (!divergent_.empty())
      earlyReturn_ = stmt;
    notePartings(0);
  } else if (isConditional(stmt)) {
    walkConditional(stmt);
  } else if (const auto *lambda = dyn_cast<LambdaExpr>(stmt)) {
    if (lambda->isGenericLambda())
      walkInstances(*lambda);
    else
      walkLambda(*lambda, *lambda->getCallOperator());
  } else if (const auto *block = dyn_cast<CompoundStmt>(stmt)) {
    const CompoundStmt *outer = std::exchange(siteBlock_, block);
    forwardTemporaries(*block);
    std::vector<const Stmt *> kept;
    llvm::copy_if(block->body(), std::back_inserter(kept),
                  [&](const Stmt *s) { return !forwardedCopies_.count(s); });
    noteFillings(kept);
    for (const Stmt *child : kept)
      walk(child);
    siteBlock_ = outer;
  } else {
    if (visitTaking(*stmt) || visitFilled(*stmt))
      return;
    if (const auto *call = dyn_cast<CXXOperatorCallExpr>(stmt)) {
      if (visitLambdaCall(*call) || visitOperator(*call))
        return;
    } else if (const auto *call = dyn_cast<CallExpr>(stmt))
      if (visitCall(*call))
        return;
    for (const Stmt *child : stmt->children())
      walk(child);
  }
}

void Recovery::walkLambda(const LambdaExpr &lambda, const CXXMethodDecl &its) {
  lambdas_[&its] = &lambda;
  if (isWrapperLambda(its))
    return; // where it is called
  ++inLambda_;
  const Decl *outer = std::exchange(owner_, &its);
  const size_t before = out_.mmas.size();
  walk(its.getBody());
  owner_ = outer;
  --inLambda_;
  if (before != out_.mmas.size() && copiesArrays(lambda))
    refuse("fragments are multiplied in a lambda that captures them by copy",
           lambda.getSourceRange());
}

// [&](auto step) {..}: a text of as many instances as types that it is called with.
void Recovery::walkInstances(const LambdaExpr &lambda) {
  const FunctionTemplateDecl *generic = lambda.getDependentCallOperator();
  const auto text = texts_.statement(lambda.getSourceRange());
  for (FunctionDecl *instance : generic->specializations()) {
    const auto *method = dyn_cast<CXXMethodDecl>(instance);
    const auto body = method && method->hasBody()
                          ? texts_.range(method->getBody()->getSourceRange())
                          : std::nullopt;
    if (!text || !body)
      continue;
    const unsigned outer = std::exchange(frame_, ++frameCount_);
    frameOfInstance_[method] = frame_;
    sampler_.consider(method->getBody());
    const size_t mmas = out_.mmas.size(), loads = out_.loads.size();
    walkLambda(lambda, *method);
    if (out_.mmas.size() != mmas || out_.loads.size() != loads)
      out_.frames.push_back({frame_,
                             *text,
                             {body->file, body->begin + 1, body->begin + 1},
                             argumentsOf(*method),
                             {}});
    frame_ = outer;
  }
}

void Recovery::walkPart(const Stmt *part, const Stmt &branch) {
  const auto range = part ? texts_.statement(part->getSourceRange()) : std::nullopt;
  const auto whole = texts_.statement(branch.getSourceRange());
  if (range && whole)
    branches_.push_back({isa<SwitchStmt>(branch) ? TextRange{range->file, 0, 0} : *range, *whole});
  walk(part);
  if (range && whole)
    branches_.pop_back();
}

bool Recovery::isConditional(const Stmt *stmt) {
  const auto *op = dyn_cast<BinaryOperator>(stmt);
  return isa<ConditionalOperator>(stmt) || (op && op->isLogicalOp());
}

void Recovery::walkConditional(const Stmt *stmt) {
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

void Recovery::notePartings(size_t loop) {
  if (!divergent_.empty() && loop < loops_.size())
    partings_.push_back({loops_[loop].range, divergent_.front()});
}

void Recovery::checkPartings() {
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
    for (const CallPlace &call : mma.calls)
      check(call.range);
  }
  for (const LoadSite &load : out_.loads)
    check(load.range);
  for (const TextRange &sums : rowSums_)
    check(sums);
  for (const auto &[function, calls] : called_)
    for (const Called &call : calls)
      check(call.place.range);
  for (const auto &[function, calls] : calls_)
    for (const CallPlace &call : calls)
      check(call.range);
}

std::vector<TextRange> Recovery::decided() {
  std::vector<TextRange> places;
  if (function_)
    for (const Handing &handing : handings_[function_])
      llvm::append_range(places, handing.decided);
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

void Recovery::inLoop(const Stmt *stmt, const Expr *cond, const Stmt *body, const Stmt *increment) {
  const size_t depth = divergent_.size();
  const bool isAlike = countsAlikeForPair(*stmt), isApart = !isAlike && isLeftApart(*stmt);
  if (!isAlike && !isApart)
    condition(cond);
  if (const auto range = texts_.statement(stmt->getSourceRange()))
    loops_.push_back(loopOf(stmt, *range));
  else
    refuse("a loop that a macro writes", stmt->getSourceRange());
  if (isApart)
    loops_.back().condition = {}; // a head that asks again would ask for one of them
  walk(cond);
  walk(increment);
  if (body && !isa<CompoundStmt>(body))
    noteFillings({body});
  walk(body);
  if (!loops_.empty())
    loops_.pop_back();
  divergent_.resize(depth);
}

std::optional<int64_t> Recovery::constant(const Expr *expr) const {
  Expr::EvalResult value;
  if (!expr || expr->isValueDependent() || !expr->EvaluateAsInt(value, context_))
    return std::nullopt;
  return value.Val.getInt().getExtValue();
}

// Of i++, p += 4: what moves the counter.
static void addMoves(const Expr *increment, const VarDecl *counter,
                     std::vector<const Expr *> &steps) {
  const auto *both = dyn_cast_or_null<BinaryOperator>(increment);
  if (both && both->getOpcode() == BO_Comma) {
    addMoves(both->getLHS()->IgnoreParens(), counter, steps);
    addMoves(both->getRHS()->IgnoreParens(), counter, steps);
    return;
  }
  Inputs inputs;
  if (increment)
    inputs.TraverseStmt(const_cast<Expr *>(increment));
  if (increment && (!counter || llvm::is_contained(inputs.found, counter)))
    steps.push_back(increment);
}

// i++, i += 4.
std::optional<int64_t> Recovery::stepOf(const VarDecl &counter, const Expr *increment) const {
  const auto isCounter = [&](const Expr *side) {
    const auto *name = dyn_cast<DeclRefExpr>(side->IgnoreParens());
    return name && name->getDecl() == &counter;
  };
  const auto *one = dyn_cast_or_null<UnaryOperator>(increment);
  if (one && one->isIncrementOp() && isCounter(one->getSubExpr()))
    return 1;
  const auto *op = dyn_cast_or_null<BinaryOperator>(increment);
  const bool isSum = op && op->getOpcode() == BO_AddAssign && isCounter(op->getLHS());
  return isSum ? constant(op->getRHS()) : std::nullopt;
}

// Of i++, p += 4: what counts.
std::optional<int64_t> Recovery::stepBesideOthers(const VarDecl &counter,
                                                  const Expr *increment) const {
  const auto *both = dyn_cast_or_null<BinaryOperator>(increment);
  if (!both || both->getOpcode() != BO_Comma)
    return std::nullopt;
  std::vector<const Expr *> moves;
  addMoves(both, &counter, moves);
  return moves.size() == 1 ? stepOf(counter, moves[0]) : std::nullopt;
}

//   for (int k = begin; k < end; k += step)
//
// Where a number counts up by a constant, nothing else moves it, and asking for the end is of no
// effect: so a head may be written that asks again.
static void addHead(const ForStmt &form, const VarDecl &counter, bool changesUnseen,
                    const Texts &texts, const ASTContext &context, Loop &loop) {
  const auto *condition = dyn_cast_or_null<BinaryOperator>(form.getCond());
  const QualType type = counter.getType();
  const bool isNumber = type->isIntegerType() && !type->isBooleanType() &&
                        !type->isEnumeralType() && context.getTypeSize(type) >= 32;
  if (!condition || !isNumber || !counter.getInit() || !loop.step || *loop.step <= 0 ||
      changesUnseen)
    return;
  const auto isCounter = [&](const Expr *side) {
    const auto *name = dyn_cast<DeclRefExpr>(side->IgnoreParenImpCasts());
    return name && name->getDecl() == &counter;
  };
  const BinaryOperatorKind kind = condition->getOpcode();
  const bool isBelow = (kind == BO_LT || kind == BO_LE) && isCounter(condition->getLHS());
  const bool isAbove = (kind == BO_GT || kind == BO_GE) && isCounter(condition->getRHS());
  Inputs inputs;
  inputs.TraverseStmt(const_cast<BinaryOperator *>(condition));
  if ((!isBelow && !isAbove) || inputs.readsMemory || condition->HasSideEffects(context))
    return;
  const auto begin = texts.range(counter.getInit()->getSourceRange());
  const auto asked = texts.range(condition->getSourceRange());
  if (begin && asked) {
    loop.begin = *begin;
    loop.condition = *asked;
  }
}

Loop Recovery::loopOf(const Stmt *stmt, const TextRange &range) {
  Loop loop;
  loop.range = range;
  const auto *form = dyn_cast<ForStmt>(stmt);
  const auto *init = form ? dyn_cast_or_null<DeclStmt>(form->getInit()) : nullptr;
  const auto *variable =
      init && init->isSingleDecl() ? dyn_cast<VarDecl>(init->getSingleDecl()) : nullptr;
  const auto *bound = form ? dyn_cast_or_null<BinaryOperator>(form->getCond()) : nullptr;
  loop.turns = turnsOfLoop(*stmt, variable);
  if (!variable)
    return loop;
  loop.variable = variable->getNameAsString();
  loop.type = parameterType(*variable);
  loop.first = constant(variable->getInit());
  if (bound && bound->getOpcode() == BO_LT)
    loop.last = constant(bound->getRHS());
  loop.step = stepOf(*variable, form->getInc());
  loop.stepBesideOthers = stepBesideOthers(*variable, form->getInc());
  if (form->getInc())
    if (const auto range = texts_.range(form->getInc()->getSourceRange()))
      loop.increment = *range;
  const auto counts = [&](SourceLocation at) {
    const auto place = texts_.statement(SourceRange(at, at));
    return place && loop.increment.contains(*place);
  };
  if (llvm::all_of(sampler_.changesOf(variable), counts))
    addHead(*form, *variable, sampler_.changesUnseen(variable), texts_, context_, loop);
  else
    loop.last = std::nullopt; // it is set on the way
  const bool runsFromZero = loop.first == 0 && loop.last && loop.step == 1;
  const int64_t by = runsFromZero ? digitsIn(*form, *variable, context_) : 0;
  loop.digitsBy = by && *loop.last % by == 0 ? by : 0;
  return loop;
}

std::set<std::string> Recovery::turnsOfLoop(const Stmt &loop, const VarDecl *counter) {
  std::vector<const Expr *> deciding;
  if (const auto *form = dyn_cast<ForStmt>(&loop)) {
    deciding = {counter ? counter->getInit() : nullptr, form->getCond()};
    addMoves(form->getInc(), counter, deciding);
  }
  if (const auto *form = dyn_cast<WhileStmt>(&loop))
    deciding = {form->getCond()};
  else if (const auto *form = dyn_cast<DoStmt>(&loop))
    deciding = {form->getCond()};
  Inputs inputs;
  for (const Expr *value : deciding)
    if (value)
      inputs.TraverseStmt(const_cast<Expr *>(value));
  llvm::erase(inputs.found, counter);
  return inputs.readsMemory ? allTurns() : turnsOf(inputs.found);
}

void Recovery::decideByTiles() {
  std::set<std::string> tiles;
  for (const MmaSite &mma : out_.mmas)
    for (const std::string &variable : tileVariablesOf(mma.d))
      tiles.insert(variable);
  const auto decide = [&](const std::vector<Loop> &loops, std::vector<TextRange> &decided) {
    for (const Loop &loop : loops)
      for (const std::string &variable : loop.turns)
        if (tiles.count(variable))
          decided.push_back({loop.range.file, loop.range.begin, loop.range.begin});
  };
  for (MmaSite &mma : out_.mmas)
    decide(mma.loops, mma.decided);
  for (LoadSite &load : out_.loads)
    decide(load.loops, load.decided);
}

void Recovery::visitAsm(const GCCAsmStmt &stmt, const Stmt &site, const Binding *binding) {
  const auto text = readAsm(stmt);
  if (text && llvm::any_of(text->block.instructions,
                           [](const ptx::Instruction &i) { return i.opcode == "exit"; }))
    return refuse("asm ends a thread in a kernel that handles fragments: write return",
                  site.getSourceRange());
  if (!isMatrix(stmt))
    return;
  multiplies_ = true;
  if (!text || !text->matrix)
    return refuse("matrix PTX that is not understood", site.getSourceRange());
  const std::vector<const ptx::Instruction *> matrices = matricesOf(text->block);
  if (!onlyMakesAddresses(text->block) ||
      llvm::any_of(matrices, [](const ptx::Instruction *i) { return i->guard.has_value(); }))
    return refuse("a matrix instruction among others in one asm", site.getSourceRange());
  if (!divergent_.empty())
    return refuse("the two warps of a wave may part at a condition on the thread: " +
                      texts_.spelled(divergent_.front()),
                  divergent_.front()->getSourceRange());
  if (earlyReturn_)
    return refuse(returnedBefore(), earlyReturn_->getSourceRange());
  if (rowSumsOf(stmt, context_)) {
    const auto at = rangeOfSite(site);
    return at ? noteRowSums(*at)
              : refuse("a macro writes a matrix instruction together with something else",
                       site.getSourceRange());
  }
  // Its text as a whole is the PTX rules', and no call stands for its parts.
  if (matrices.size() > 1 && !binding && !site.getBeginLoc().isMacroID())
    return refuse("several matrix instructions in one asm that is no function's or macro's",
                  site.getSourceRange());
  const auto range = rangeOfSite(site);
  if (!range)
    return refuse("a matrix instruction that a macro writes with others", site.getSourceRange());
  if (!binding)
    part_ = partInMacro(site, *range);
  if (!standsAlone(site, *range) || part_.count > kMostParts ||
      range->end - range->begin < part_.count)
    return refuse("a macro writes a matrix instruction together with something else",
                  site.getSourceRange());
  for (const ptx::Instruction *instruction : matrices) {
    if (instruction->opcode == "mma")
      addMma(stmt, *instruction, *range, binding, site);
    else
      addLoad(stmt, text->block, *instruction, *range, binding, site);
    if (!out_.problem.empty())
      return;
  }
}

std::optional<TextRange> Recovery::rangeOfSite(const Stmt &site) const {
  const auto *declaration = dyn_cast<DeclStmt>(&site); // without its ';'
  return texts_.statement(declaration
                              ? SourceRange((*declaration->decl_begin())->getBeginLoc(),
                                            (*std::prev(declaration->decl_end()))->getEndLoc())
                              : site.getSourceRange());
}

// The whole text of a macro's use is written anew where a site stands in it: nothing else may,
// but for braces, do { } while (0), and what is declared for the site alone.
bool Recovery::standsAlone(const Stmt &site, const TextRange &range) {
  const auto isWithin = [&](const Stmt *stmt) {
    const auto its = texts_.statement(stmt->getSourceRange());
    return !its || (its->file == range.file && its->begin < range.end && range.begin < its->end);
  };
  const bool isPart =
      partsOf(site) && isa_and_nonnull<CompoundStmt>(parentOf(DynTypedNode::create(site)));
  const auto isFree = [&](const Stmt *stmt) {
    if (isPart && partsOf(*stmt)) // another part of it
      return true;
    const auto *declaration = dyn_cast<DeclStmt>(stmt);
    return isa<NullStmt>(stmt) ||
           (declaration && llvm::all_of(declaration->decls(), [&](const Decl *decl) {
              const auto *variable = dyn_cast<VarDecl>(decl);
              return !variable || !variable->getInit() || changesNothing(*variable->getInit());
            }));
  };
  const Stmt *inner = &site;
  while (const Stmt *outer = parentOf(DynTypedNode::create(*inner))) {
    const auto *loop = dyn_cast<DoStmt>(outer);
    Expr::EvalResult again;
    const bool isOnce =
        loop && loop->getCond()->EvaluateAsInt(again, context_) && again.Val.getInt().isZero();
    const auto its = texts_.statement(outer->getSourceRange());
    const bool isOutside = !its || its->begin < range.begin || its->end > range.end;
    for (const Stmt *other : outer->children())
      if (other && other != inner && !(isOnce && other == loop->getCond()) &&
          !(isFree(other) && (!isOutside || !isa<DeclStmt>(other))) && isWithin(other))
        return false;
    if (isOutside)
      return true;
    if (!isOnce && !isa<CompoundStmt, ParenExpr, CastExpr, ExprWithCleanups, AttributedStmt,
                        MaterializeTemporaryExpr>(outer))
      return false;
    inner = outer;
  }
  return true;
}

// Side by side in the braces of a macro, or in those around its use.
Recovery::Part Recovery::partInMacro(const Stmt &site, const TextRange &range) {
  if (const auto *declaration = dyn_cast<DeclStmt>(&site)) {
    const auto count = static_cast<unsigned>(llvm::size(declaration->decls()));
    if (listed_ || count > 1)
      return {declarator_, listed_ ? listed_ : count};
  }
  const auto *block = dyn_cast_or_null<CompoundStmt>(parentOf(DynTypedNode::create(site)));
  Part part{0, 0};
  if (!block)
    return {0, std::max(1u, partsOf(site))};
  for (const Stmt *stmt : block->body()) {
    const unsigned its = partsOf(*stmt);
    const auto place = its ? texts_.statement(stmt->getSourceRange()) : std::nullopt;
    if (stmt == &site)
      part.number = part.count;
    part.count += place && place->contains(range) && range.contains(*place) ? its : 0;
  }
  return {part.number, std::max(1u, part.count)};
}

// A character for each but the last, which has the rest.
TextRange Recovery::rangeOfPart(const TextRange &range, const Part &part) {
  const bool isLast = part.number + 1 == part.count;
  const unsigned begin = range.begin + part.number;
  return {range.file, begin, isLast ? range.end : begin + 1};
}

bool Recovery::takesOthers(const std::vector<Slot> &slots) {
  return slots.size() == 2 && slots[0].flatWords && slots[1].flatWords && !slots[0].isSwapped &&
         slots[0].declaration == slots[1].declaration && !slots[0].flatTerms.empty() &&
         slots[0].flatTerms == slots[1].flatTerms &&
         slots[1].flatOffset == slots[0].flatOffset + 2 &&
         llvm::any_of(slots[0].flatTerms, [](const auto &term) { return term.second == 1; });
}

// The constant 0, not -0: by itself, or in a variable that holds nothing else.
// Whatever is written to it, anywhere, is 0: who reads it has nothing else.
bool Recovery::isSetToZero(const VarDecl &variable) {
  class Zeros : public DynamicRecursiveASTVisitor {
  public:
    explicit Zeros(const VarDecl &variable) : variable_(variable) {}
    bool VisitBinaryOperator(BinaryOperator *op) override {
      count += op->getOpcode() == BO_Assign && isOfIt(op->getLHS()) && isZero(op->getRHS());
      return true;
    }
    size_t count = 0;

  private:
    bool isOfIt(const Expr *place) const {
      for (;;) {
        place = stripped(place);
        const auto *access = dyn_cast<ArraySubscriptExpr>(place);
        const auto *member = dyn_cast<MemberExpr>(place);
        if (!access && (!member || member->isArrow()))
          break;
        place = access ? access->getBase() : member->getBase();
      }
      const auto *name = dyn_cast<DeclRefExpr>(place);
      return name && name->getDecl() == &variable_;
    }
    static bool isZero(const Expr *value) { // or a = b = 0
      const auto *op = dyn_cast<BinaryOperator>(stripped(value));
      const auto *literal = dyn_cast<IntegerLiteral>(stripped(value));
      const auto *real = dyn_cast<FloatingLiteral>(stripped(value));
      return op && op->getOpcode() == BO_Assign ? isZero(op->getRHS())
                                                : (literal && literal->getValue().isZero()) ||
                                                      (real && real->getValue().isPosZero());
    }
    const VarDecl &variable_;
  };
  const auto *made = dyn_cast_or_null<CXXConstructExpr>(variable.getInit());
  const bool beginsUnset = !variable.getInit() ||
                           (made && made->getConstructor()->isTrivial() && made->getNumArgs() == 0);
  if (!beginsUnset || !variable.isLocalVarDecl() || !variable.hasLocalStorage() ||
      sampler_.changesUnseen(&variable) || !isOfKernel(&variable))
    return false;
  Zeros zeros(variable);
  zeros.TraverseStmt((function_ ? function_ : &kernel_)->getBody());
  return zeros.count && zeros.count == sampler_.changesOf(&variable).size();
}

bool Recovery::isZero(const Expr *expr, const Binding *binding) {
  if (!expr || expr->isValueDependent())
    return false;
  Expr::EvalResult value;
  if (expr->getType()->isScalarType() && expr->EvaluateAsRValue(value, context_))
    return value.Val.isFloat() ? value.Val.getFloat().isPosZero()
                               : value.Val.isInt() && value.Val.getInt().isZero();
  expr = stripped(expr);
  if (const auto *all = dyn_cast<InitListExpr>(expr))
    return llvm::all_of(all->inits(), [&](const Expr *init) { return isZero(init, binding); });
  if (llvm::isa<ImplicitValueInitExpr>(expr))
    return true;
  if (const auto *access = dyn_cast<ArraySubscriptExpr>(expr))
    return isZero(access->getBase(), binding);
  if (const auto *member = dyn_cast<MemberExpr>(expr); member && !member->isArrow())
    return isZero(member->getBase(), binding);
  const auto *name = dyn_cast<DeclRefExpr>(expr);
  const auto *variable = name ? dyn_cast<VarDecl>(name->getDecl()) : nullptr;
  if (!variable)
    return false;
  if (const Expr *bound = binding ? boundValue(variable, binding) : nullptr)
    return isZero(bound, binding->outer);
  if (!binding && isSetToZero(*variable))
    return true;
  const bool isFixed = context_.getBaseElementType(variable->getType()).isConstQualified() ||
                       (!binding && sampler_.changesOf(variable).empty());
  return isFixed && variable->hasLocalStorage() && !llvm::isa<ParmVarDecl>(variable) &&
         !sampler_.changesUnseen(variable) && isZero(variable->getInit(), binding);
}

// Elements of several arrays or structs.
static bool areApart(const std::vector<Slot> &slots) {
  return llvm::any_of(slots, [&](const Slot &slot) {
    return !slot.isScalar && slot.declaration != slots[0].declaration;
  });
}

// Than a register: of a class that gives them out in another way than openAccessors() knows.
std::string Recovery::whatElse(const GCCAsmStmt &stmt) {
  for (const Stmt *operand : stmt.children()) {
    const auto *call = operand ? dyn_cast<CallExpr>(stripped(cast<Expr>(operand))) : nullptr;
    const auto *method = call ? dyn_cast_or_null<CXXMethodDecl>(call->getDirectCallee()) : nullptr;
    if (method && call->isLValue())
      return "what '" + method->getNameAsString() + "' of '" +
             method->getParent()->getNameAsString() +
             "' returns: an element is followed of an array of its own, by the number that is "
             "given";
  }
  return "not a register of a fragment variable";
}

// What is written to the variable that a wrapper returns goes where its value does; what is read
// from it was there before.
static std::optional<Binding> forResults(const Binding *binding) {
  if (!binding || !binding->returned)
    return std::nullopt;
  Binding results = *binding;
  results.values[binding->returned] = binding->destination;
  return results;
}

void Recovery::addMma(const GCCAsmStmt &stmt, const ptx::Instruction &instruction,
                      const TextRange &range, const Binding *binding, const Stmt &site) {
  const auto mma = ptx::decodeMma(instruction);
  if (!mma)
    return refuse(mma.error().reason, site.getSourceRange());
  for (const Binding *at = binding; at; at = at->outer)
    if (!at->zeroed.empty() && (at != binding || !isSumsBegin(stmt, *mma, *binding)))
      return refuse("a wrapper sets to zero what " + mma->name + " does not begin with",
                    site.getSourceRange());
  MmaSite out;
  out.part = part_.number++;
  out.range = siteRange_ = rangeOfPart(range, {out.part, part_.count});
  out.name = mma->name;
  out.shape = mma->fragment;
  out.spelling = instruction.spelling();
  out.m = mma->m, out.n = mma->n, out.k = mma->k;
  out.typeA = mma->typeA, out.typeB = mma->typeB, out.typeC = mma->typeC, out.typeD = mma->typeD;
  out.satfinite = mma->satfinite;
  out.loops = loops_;
  out.branches = branches_;
  const std::optional<Binding> results = forResults(binding);
  const Binding *where = binding; // of the operands that are added
  const auto readBy = [&](const ptx::Operand &operand) {
    return throughConstantChoice(operandReadBy(stmt, operand), context_);
  };
  const auto add = [&](std::vector<Slot> &slots, const std::vector<const ptx::Operand *> &from) {
    const std::map<uint64_t, Root> before = roots_;
    const Expr *const parting = partingIndex_;
    for (size_t i = 0; i < from.size(); ++i) {
      std::optional<Slot> slot;
      if (const Expr *expr = &from == &mma->d ? operandOf(stmt, *from[i]) : readBy(*from[i]))
        slot = slotOf(expr, where, static_cast<int>(i));
      if (!slot) {
        slots.clear();
        roots_ = before;
        partingIndex_ = parting;
        return false;
      }
      slots.push_back(*slot);
    }
    return true;
  };
  const auto addAgain = [&](std::vector<Slot> &slots, const std::vector<const ptx::Operand *> &from,
                            FlatOrder order) {
    const std::vector<Slot> plain = std::exchange(slots, {});
    flatOrder_ = order;
    if (!add(slots, from))
      slots = plain;
    flatOrder_ = FlatOrder::Any;
  };
  const auto addSums = [&](std::vector<Slot> &slots,
                           const std::vector<const ptx::Operand *> &from) {
    const bool isAdded = add(slots, from);
    if (llvm::any_of(slots, [](const Slot &slot) { return slot.isOfRow && !slot.flatWords; })) {
      seesRows_ = true;
      addAgain(slots, from, FlatOrder::Any); // float *d = c[j]
      seesRows_ = false;
    }
    if (llvm::any_of(slots, [](const Slot &slot) { return slot.isOfRow && slot.flatWords; }))
      addAgain(slots, from, FlatOrder::Rows); // c[j] + 4
    return isAdded;
  };
  const auto registersOf = [&](const std::vector<const ptx::Operand *> &from) {
    std::vector<const Expr *> registers;
    for (const ptx::Operand *operand : from)
      registers.push_back(readBy(*operand));
    return registers;
  };
  const auto addFirst = [&] {
    const std::map<uint64_t, Root> before = roots_;
    std::vector<Slot> parts;
    if (!add(out.a, mma->a))
      return addWritten(registersOf(mma->a), binding, out, true, out.a);
    if (!areApart(out.a) || !addWritten(registersOf(mma->a), binding, out, true, parts))
      return true;
    out.a = std::move(parts); // lower.u[0], upper.u[0], lower.u[1], upper.u[1]
    roots_ = before;
    return true;
  };
  const bool isOfKernelText = !owner_ || (inLambda_ && !function_);
  const auto addSecond = [&] {
    if (add(out.b, mma->b)) {
      if (takesOthers(out.b)) // b[j][h], b[j][h + 2]
        addAgain(out.b, mma->b, FlatOrder::Swapped);
      if (llvm::any_of(out.b, [&](const Slot &slot) {
            return slot.isOfRow && slot.flatWords > static_cast<int64_t>(mma->b.size());
          }))
        addAgain(out.b, mma->b, FlatOrder::Rows); // b[j] + 2
      return true;
    }
    if (isOfKernelText && addComputed(registersOf(mma->b), binding, range.file, out.b))
      computed_.insert(out_.mmas.size());
    return !out.b.empty() || addWritten(registersOf(mma->b), binding, out, false, out.b);
  };
  partingIndex_ = nullptr;
  const auto addC = [&] {
    out.isFromZero = llvm::all_of(mma->c, [&](const ptx::Operand *from) {
      return from->is(ptx::Operand::Kind::Immediate) ? from->immediate.bits == 0
                                                     : isZero(readBy(*from), binding);
    });
    if (binding && !binding->zeroed.empty())
      out.isFromZero = true;
    if (out.isFromZero)
      out.c = out.d;
    return out.isFromZero || addSums(out.c, mma->c);
  };
  where = results ? &*results : binding;
  const bool hasSums = addSums(out.d, mma->d);
  where = binding;
  if (!hasSums || !addC() || !addFirst() || !addSecond())
    return refuse("an operand of " + mma->name + " is " + whatElse(stmt), site.getSourceRange());
  checkIndices(site.getSourceRange());
  std::vector<const Expr *> second;
  for (const Expr *expr : registersOf(mma->b))
    if (const Expr *value = expr && isOfKernelText ? kernelOperand(expr, binding) : nullptr)
      second.push_back(value);
  if (second.size() != mma->b.size())
    second.clear();
  seconds_.push_back(std::move(second));
  if (const Root &root = roots_[out.d[0].declaration];
      !out.d[0].isScalar && hasSeveralParts(root.part && !root.variable->getType()->isArrayType()
                                                ? root.part->getType()
                                                : root.variable->getType(),
                                            context_))
    return refuse("the sums in '" + out.d[0].variable +
                      "' lie in structs that have other members, too",
                  site.getSourceRange());
  if (declaresOne(site, out.a) || declaresOne(site, out.b) || declaresOne(site, out.d))
    return refuse(kOwnFragment, site.getSourceRange());
  out.decided = decided();
  note(site);
  owners_.push_back({owner_, frame_});
  out.frame = frame_;
  splitTurns(out);
  takeReordered(out);
  out_.mmas.push_back(std::move(out));
}

const Expr *Recovery::behindMacro(const Expr *address) const {
  const Expr *inner = stripped(address);
  while (const auto *cast = dyn_cast<ExplicitCastExpr>(inner)) {
    if (!cast->getType()->isIntegerType() || context_.getTypeSize(cast->getType()) < 32)
      return address;
    inner = stripped(cast->getSubExpr());
  }
  const auto *call = dyn_cast<CallExpr>(inner);
  const bool isIts = call && !texts_.range(address->getSourceRange()) &&
                     cudaName(call->getDirectCallee()) == "__cvta_generic_to_shared";
  return isIts ? call->getArg(0) : address;
}

void Recovery::noteCast(const GCCAsmStmt &stmt, Binding &binding) {
  const bool isOne = stmt.getNumOutputs() == 1 && stmt.getNumInputs() == 1;
  const auto *name = isOne ? dyn_cast<DeclRefExpr>(stripped(stmt.getOutputExpr(0))) : nullptr;
  const auto *local = name ? dyn_cast<VarDecl>(name->getDecl()) : nullptr;
  const bool isMadeSo = local && local->isLocalVarDecl() && !local->getInit() &&
                        !stmt.isOutputPlusConstraint(0) && sampler_.changesOf(local).size() == 1;
  if (isMadeSo && stmt.getInputExpr(0)->getType()->isPointerType())
    binding.casts[local] = stmt.getInputExpr(0);
}

static const Expr *behindCast(const Expr *address, const Binding &binding) {
  const auto *name = address ? dyn_cast<DeclRefExpr>(stripped(address)) : nullptr;
  const auto *local = name ? dyn_cast<VarDecl>(name->getDecl()) : nullptr;
  const auto known = local ? binding.casts.find(local) : binding.casts.end();
  return known == binding.casts.end() ? address : known->second;
}

void Recovery::addLoad(const GCCAsmStmt &stmt, const ptx::Block &block,
                       const ptx::Instruction &instruction, const TextRange &range,
                       const Binding *binding, const Stmt &site) {
  const auto move = ptx::decodeMatrixMove(instruction);
  if (!move)
    return refuse(move.error().reason, site.getSourceRange());
  LoadSite out;
  out.part = part_.number++;
  out.range = siteRange_ = rangeOfPart(range, {out.part, part_.count});
  out.spelling = instruction.spelling();
  out.transposed = move->transposed;
  out.line = context_.getSourceManager().getExpansionLineNumber(site.getBeginLoc());
  out.loops = loops_;
  partingIndex_ = nullptr;
  std::set<const Stmt *> removed;
  size_t handedOn = 0, turned = 0;
  const std::optional<Binding> results = forResults(binding);
  const Binding *to = results ? &*results : binding;
  for (size_t i = 0; i < move->registers.size(); ++i) {
    const Expr *expr = operandOf(stmt, *move->registers[i]);
    bool isTurned = false;
    const Expr *place =
        expr ? forwardedTo(expr, to, static_cast<int>(i), removed, isTurned) : nullptr;
    handedOn += place != nullptr;
    turned += isTurned;
    const auto slot = place  ? slotOf(place, nullptr, static_cast<int>(i))
                      : expr ? slotOf(expr, to, static_cast<int>(i))
                             : std::nullopt;
    if (!slot)
      return refuse("a destination of ldmatrix is " + whatElse(stmt), site.getSourceRange());
    out.registers.push_back(*slot);
  }
  if (handedOn && handedOn != out.registers.size())
    return refuse(
        "only some of the registers that ldmatrix fills do nothing but hand on what they got",
        site.getSourceRange());
  if (turned && turned < handedOn)
    return refuse("movmatrix turns some of the registers that ldmatrix fills",
                  site.getSourceRange());
  out.isTurned = turned != 0;
  out.transposed ^= out.isTurned;
  out.removed = linesOf(removed);
  checkIndices(site.getSourceRange());
  const Expr *address = addressIn(stmt, block, instruction, *move->address);
  if (address)
    address = binding ? behindCast(address, *binding) : behindMacro(address);
  if (!address)
    return refuse("an address of ldmatrix of another form than one register",
                  site.getSourceRange());
  tileVariables_ = tileVariablesOf(out.registers);
  const Binding *where = binding;
  const Expr *outer = kernelExpression(address, where);
  if (outer && !where)
    out.address = addressOf(outer, range.file, out.problem);
  else
    out.address = addressOf(address, range.file, out.problem);
  if (declaresOne(site, out.registers))
    return refuse(kOwnFragment, site.getSourceRange());
  out.decided = decided();
  note(site);
  if (owner_)
    loadOwners_[out_.loads.size()] = {owner_, frame_};
  out.frame = frame_;
  out_.loads.push_back(std::move(out));
}

void Recovery::note(const Stmt &site) { sites_.push_back(&site); }

} // namespace layout_port::native
