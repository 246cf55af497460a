// Code between two products that works on results (Exchange.h): what it asks of a lane is
// made a function of the lane that CUDA has the result in (Asked.h).
#include "native/Effects.h"
#include "native/Operands.h"
#include "native/Recovery.h"
#include "native/WholeText.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/DynamicRecursiveASTVisitor.h"
#include "clang/AST/ParentMapContext.h"
#include "clang/AST/StmtCXX.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/ScopeExit.h"

#include <memory>

using namespace clang;

namespace layout_port::native {

const Stmt *Recovery::lastProduct(TextRange &region) const {
  const Stmt *last = nullptr;
  for (const Stmt *stmt : cast<CompoundStmt>(kernel_.getBody())->body()) {
    const auto range = texts_.statement(stmt->getSourceRange());
    const auto multiplies = [&](const MmaSite &m) {
      return range->contains(m.range) || llvm::any_of(m.calls, [&](const CallPlace &call) {
               return range->contains(call.range);
             });
    };
    if (range && llvm::any_of(out_.mmas, multiplies)) {
      last = stmt;
      region = *range;
    }
  }
  return last;
}

// What comes behind the last product is like what comes between two, for results that stay where
// the MFMA has them.
const Stmt *Recovery::lastStatement(TextRange &region) const {
  const Stmt *last = cast<CompoundStmt>(kernel_.getBody())->body_back();
  const auto range = texts_.statement(last->getSourceRange());
  region = range.value_or(region);
  return range ? last : nullptr;
}

bool Recovery::isWorkedOn(const Between &between) const {
  const auto isLoaded = [&](uint64_t operand) {
    return out_.isConverted(operand) || llvm::any_of(out_.loads, [&](const LoadSite &load) {
             return load.registers[0].declaration == operand;
           });
  };
  for (const MmaSite &mma : out_.mmas) {
    if (!isLoaded(mma.a[0].declaration))
      return true;
    for (const FragmentUse &use : out_.uses)
      if (use.declaration == mma.d[0].declaration && !use.isFill && between.holds(use.range))
        return true;
  }
  return false;
}

// They come by together: what they read at one place is one value, and so is what is computed of
// such values.
bool Recovery::isMadeAlike(const Expr &value, AlikeTest isAlike) {
  const Expr *expr = stripped(throughCopies(&value));
  if (value.getType().isVolatileQualified() || expr->getType().isVolatileQualified())
    return false;
  if ((!value.isValueDependent() && value.isEvaluatable(context_)) || isAlike(*expr))
    return true;
  const auto areAlike = [&](llvm::ArrayRef<const Expr *> parts) {
    return llvm::all_of(parts, [&](const Expr *part) { return isMadeAlike(*part, isAlike); });
  };
  if (const auto *access = dyn_cast<ArraySubscriptExpr>(expr)) {
    const VarDecl *array = variableOf(access);
    const bool isOwn = array && array->hasLocalStorage() && !array->getType()->isPointerType() &&
                       !stripped(access->getBase())->getType()->isPointerType(); // params.bias
    return !isOwn && areAlike({access->getBase(), access->getIdx()});
  }
  if (const auto *op = dyn_cast<UnaryOperator>(expr))
    return !op->isIncrementDecrementOp() && op->getOpcode() != UO_AddrOf &&
           areAlike({op->getSubExpr()});
  if (const auto *op = dyn_cast<BinaryOperator>(expr))
    return !op->isAssignmentOp() && areAlike({op->getLHS(), op->getRHS()});
  if (const auto *cast = dyn_cast<ExplicitCastExpr>(expr))
    return areAlike({cast->getSubExpr()});
  const auto *call = dyn_cast<CallExpr>(expr); // __half2float(bias[column])
  const FunctionDecl *callee = call ? call->getDirectCallee() : nullptr;
  return callee && isOfCudaHeaders(*callee) && !llvm::isa<CXXMethodDecl>(callee) &&
         call->getNumArgs() > 0 && onlyComputes(*call) && !sampler_.asksOthers(call) &&
         areAlike({call->getArgs(), call->getNumArgs()});
}

bool Recovery::isMadeAlikeForPair(const Expr &value) {
  return isMadeAlike(value, [this](const Expr &expr) { return isSameForPair(expr); });
}

bool Recovery::isMadeAlikeForQuads(const Expr &value) {
  return isMadeAlike(value, [this](const Expr &expr) {
    return !isDecided(expr, 0) && sampler_.sameForQuads(&expr);
  });
}

// First operands that other code changes: where those stay as CUDA has them the rest may hold.
std::set<uint64_t> Recovery::changedOperands(const Exchange &exchange) const {
  std::set<uint64_t> changed;
  for (const MmaSite &mma : out_.mmas)
    for (const Root &root : rootsOf(mma.a[0].declaration)) {
      const auto [begin, end] = bytesOf(root);
      if (!out_.isConverted(mma.a) && exchange.changed.touch(root.variable, begin, end) &&
          !exchange.fragments.touch(root.variable, begin, end))
        changed.insert(mma.a[0].declaration);
    }
  return changed;
}

void Recovery::lookBetween() {
  Between between;
  const Stmt *last = out_.mmas.empty() ? nullptr : lastProduct(between.last);
  if (last && goesToEnd_)
    last = lastStatement(between.last);
  between.region = {between.last.file, out_.bodyBegin.begin, between.last.end};
  const auto isWithin = [&](const Decl *function) {
    return llvm::all_of(calls_, [&](const auto &known) {
      return known.first.first != function ||
             llvm::all_of(known.second, [&](const CallPlace &call) {
               return between.region.contains(call.range);
             });
    });
  };
  for (const auto &[owner, calls] : calls_)
    if (const auto range = rangeOf(*cast<FunctionDecl>(owner.first));
        range && isWithin(owner.first) && !llvm::is_contained(between.functions, *range))
      between.functions.push_back(*range);
  if (!last || !isWorkedOn(between))
    return;
  if (goesToEnd_ && partedReturn_) { // who returns there takes along what it holds for others
    between.problem = "some lanes of a wave may have returned before results are stored";
    out_.between = std::move(between);
    return;
  }
  if (const auto begin = llvm::find_if(out_.loads, isBegin); begin != out_.loads.end()) {
    between.problem = "operand B is computed here in the lanes that multiply it";
    between.problemAt = begin->range;
    out_.between = std::move(between);
    computesBetween_ = true;
    return;
  }
  Bytes operands;
  const auto add = [&](uint64_t operand) {
    for (const Root &root : rootsOf(operand)) {
      const auto [begin, end] = bytesOf(root);
      operands.add(root.variable, begin, end);
    }
  };
  for (const LoadSite &load : out_.loads)
    if (load.isGathered()) // what is read on the way into an operand has no root
      add(load.registers[0].declaration);
  for (const Kernel::Converted &left : out_.converted) // nor has what other code makes of it
    add(left.operand);
  const auto once = [](std::function<bool(const Expr *)> ask) {
    return [ask, known = std::make_shared<std::map<const Expr *, bool>>()](const Expr *expr) {
      const auto [it, isNew] = known->try_emplace(expr, false);
      return isNew ? it->second = ask(expr) : it->second;
    };
  };
  const Alike alike = {once([this](const Expr *expr) { return isAlikeForPair(*expr); }),
                       once([this](const Expr *expr) { return isSameForWarp(*expr); }),
                       once([this](const Expr *expr) {
                         const FunctionDecl *function = enclosingFunction(*expr);
                         return function && function->getLocation() == kernel_.getLocation() &&
                                isMadeAlikeForQuads(*expr);
                       })};
  const Kernel before = out_;
  const Between none = between;
  std::optional<Exchange> first;
  for (const bool bearsRows : {false, true}) {
    const auto find = [&, bearsRows](const Stmt *end) {
      return findExchange(context_, kernel_, end, operands, alike, {bearsRows, storesResults_});
    };
    Exchange exchange = find(last);
    checkConverted(exchange);
    if (exchange.problem.empty())
      describe(exchange, between);
    if (exchange.problem.empty())
      lookBehind(exchange, *last, between.region, find);
    if (exchange.problem.empty()) {
      first = std::move(exchange);
      break;
    }
    out_ = before;
    between = none;
    if (!first)
      first = std::move(exchange);
  }
  const Exchange &exchange = *first;
  missesStores_ = exchange.problem == kStored && !storesResults_;
  if (!exchange.problem.empty()) {
    between.problem = exchange.problem;
    between.changed = changedOperands(exchange);
    if (const auto range = texts_.statement(exchange.problemAt))
      between.problemAt = *range;
  }
  out_.between = std::move(between);
}

namespace {

// Writes to memory, waits for others or ends: more than the thread's own variables change.
class ActsOutside : public DynamicRecursiveASTVisitor {
public:
  bool TraverseLambdaExpr(LambdaExpr *) override { return true; } // it acts where it is called
  bool VisitStmt(Stmt *stmt) override {
    any = any || llvm::isa<AsmStmt, ReturnStmt, BreakStmt, ContinueStmt, GotoStmt>(stmt);
    return !any;
  }
  bool VisitBinaryOperator(BinaryOperator *op) override {
    return !(any = any || (op->isAssignmentOp() && !isOwn(op->getLHS())));
  }
  bool VisitUnaryOperator(UnaryOperator *op) override {
    return !(any = any || (op->isIncrementDecrementOp() && !isOwn(op->getSubExpr())));
  }
  bool VisitCallExpr(CallExpr *call) override {
    if (const auto *op = dyn_cast<CXXOperatorCallExpr>(call); op && op->isAssignmentOp())
      any = any || !isOwn(op->getArg(0));
    else
      any = any || call->getType()->isVoidType();
    return !any;
  }
  bool any = false;

private:
  static bool isOwn(const Expr *target) {
    for (target = stripped(target);;) {
      const auto *member = dyn_cast<MemberExpr>(target);
      const auto *access = dyn_cast<ArraySubscriptExpr>(target);
      if (member && !member->isArrow())
        target = stripped(member->getBase());
      else if (access && stripped(access->getBase())->getType()->isArrayType())
        target = stripped(access->getBase());
      else
        break;
    }
    const auto *name = dyn_cast<DeclRefExpr>(target);
    const auto *variable = name ? dyn_cast<VarDecl>(name->getDecl()) : nullptr;
    return variable && variable->hasLocalStorage() && !variable->hasAttr<CUDASharedAttr>();
  }
};

bool actsOutside(const Stmt &stmt) {
  ActsOutside visitor;
  visitor.TraverseStmt(const_cast<Stmt *>(&stmt));
  return visitor.any;
}

// Halves that were written one by one, as the words they are together.
std::vector<Exchange::Rows> inWords(llvm::ArrayRef<Exchange::Rows> rows) {
  constexpr int64_t kHalf = 2, kWord = 4;
  const auto isOther = [](const Exchange::Rows &a, const Exchange::Rows &b) {
    return a.bytes == kHalf && b.bytes == kHalf && a.lower == b.lower && a.upper == b.upper &&
           a.lowerOffset % kWord == 0 && a.upperOffset % kWord == 0 &&
           b.lowerOffset == a.lowerOffset + kHalf && b.upperOffset == a.upperOffset + kHalf;
  };
  std::vector<Exchange::Rows> words;
  for (const Exchange::Rows &row : rows) {
    if (llvm::any_of(rows, [&](const auto &other) { return isOther(other, row); }))
      continue;
    words.push_back(row);
    if (llvm::any_of(rows, [&](const auto &other) { return isOther(row, other); }))
      words.back().bytes = kWord;
  }
  return words;
}

} // namespace

// __syncthreads(); wait_all(); but no lambda, which may have results without naming them.
static bool isCallOrAsm(const Stmt &stmt) {
  const auto *expr = dyn_cast<Expr>(&stmt);
  const auto *call = expr ? dyn_cast<CallExpr>(expr->IgnoreParenImpCasts()) : nullptr;
  return llvm::isa<AsmStmt>(stmt) || (call && !llvm::isa<CXXOperatorCallExpr>(call));
}

// Statements behind the last product that only compute are followed too, and calls among them that
// have nothing to do with results: what they do to results and rows is right as it stands, or it is
// not.
void Recovery::lookBehind(Exchange &between, const Stmt &last, const TextRange &region,
                          const std::function<Exchange(const Stmt *)> &find) {
  const Stmt *end = nullptr;
  bool isBehind = false;
  std::set<const VarDecl *> made = between.fragments.variables(); // from results
  for (const Stmt *stmt : cast<CompoundStmt>(kernel_.getBody())->body()) {
    const bool isOfResults = mentionsAnyOf(*stmt, made);
    if (isBehind && actsOutside(*stmt) && (isOfResults || !isCallOrAsm(*stmt)))
      break;
    if (isBehind && isOfResults) {
      end = stmt;
      addDeclared(*stmt, made);
    }
    isBehind = isBehind || stmt == &last;
  }
  behind_.emplace();
  behind_->region = region;
  const auto range = end ? texts_.statement(end->getSourceRange()) : std::nullopt;
  Exchange further = range ? find(end) : Exchange();
  if (range && further.problem.empty())
    for (const VarDecl *variable : further.stale) // of one half alone, and handed on as such
      if (isUsedBehind(*variable, *range)) {
        further.problem = notAlike(variable);
        further.problemAt = variable->getSourceRange();
        break;
      }
  if (range && further.problem.empty() && further.met.size() == between.met.size()) {
    behind_->region.end = range->end;
    for (const CallExpr *shuffle : further.shuffles)
      if (!llvm::is_contained(between.shuffles, shuffle))
        behind_->shuffles.push_back(shuffle);
    behind_->exchange = std::move(further);
  } else {
    behind_->exchange = between;
    behind_->whyNot = further.problem;
    behind_->whyNotAt = further.problemAt;
    if (range && further.problem.empty()) {
      const Expr *first = further.met[between.met.size()].value;
      behind_->whyNot = "'" + texts_.spelled(first) + "' depends on the lane and goes into results";
      behind_->whyNotAt = first->getSourceRange();
    }
  }
  behind_->between = between.shuffles;
}

// An epilogue that follows takes what it shuffles along, if nothing else is shuffled so.
void Recovery::addShuffles(Epilogue &epilogue, const std::vector<const CallExpr *> &own) {
  std::vector<const CallExpr *> behind = behind_->shuffles;
  llvm::append_range(behind, own);
  for (const CallExpr *shuffle : behind)
    if (const auto places = placesOf(*shuffle))
      epilogue.shuffles.push_back(*places);
    else if (epilogue.problem.empty())
      epilogue.problem = "a shuffle of results stands in a macro";
  llvm::append_range(behind, behind_->between);
  const CallExpr *other =
      exchangedElsewhere({behind.begin(), behind.end()}, [&](const TextRange &at) {
        return behind_->region.contains(at) ||
               llvm::any_of(epilogue.bodies, [&](const EpilogueBody &body) {
                 return body.isRowLoop && body.range.contains(at);
               });
      });
  if (!other || !epilogue.problem.empty())
    return;
  epilogue.problem = "'" + nameCalled(*other) +
                     "' exchanges results between the lanes there and other values here";
  if (const auto at = texts_.statement(other->getSourceRange()))
    epilogue.problemAt = *at;
}

// Of an array of structs: all of it.
std::pair<int64_t, int64_t> Recovery::bytesOf(const Root &root) const {
  const FieldDecl *part = root.variable->getType()->isArrayType() ? nullptr : root.part;
  const int64_t begin = part ? static_cast<int64_t>(context_.getFieldOffset(part) / 8) : 0;
  const QualType type = part ? part->getType() : root.variable->getType();
  return {begin, begin + context_.getTypeSizeInChars(type.getNonReferenceType()).getQuantity()};
}

bool Recovery::isReadBehind(uint64_t accumulator) const {
  return llvm::any_of(out_.uses, [&](const FragmentUse &use) {
    return use.declaration == accumulator && !use.isFill && !out_.between->holds(use.range);
  });
}

void Recovery::addDeclared(const Stmt &stmt, std::set<const VarDecl *> &variables) {
  class Declarations : public DynamicRecursiveASTVisitor {
  public:
    explicit Declarations(std::set<const VarDecl *> &variables) : variables_(variables) {}
    bool VisitVarDecl(VarDecl *variable) override {
      variables_.insert(variable);
      return true;
    }

  private:
    std::set<const VarDecl *> &variables_;
  };
  Declarations(variables).TraverseStmt(const_cast<Stmt *>(&stmt));
  // What it assigns is made from what it mentions.
  Mentions mentions([&](const DeclRefExpr &name) {
    const auto *variable = dyn_cast<VarDecl>(name.getDecl());
    if (variable && variable->isLocalVarDecl() && sampler_.changes(variable))
      variables.insert(variable);
  });
  mentions.TraverseStmt(const_cast<Stmt *>(&stmt));
}

bool Recovery::mentionsAnyOf(const Stmt &stmt, const std::set<const VarDecl *> &variables) {
  bool any = false;
  Mentions mentions([&](const DeclRefExpr &name) {
    const auto *variable = dyn_cast<VarDecl>(name.getDecl());
    any = any || (variable && variables.count(variable));
  });
  mentions.TraverseStmt(const_cast<Stmt *>(&stmt));
  return any;
}

std::optional<Between::Shuffle> Recovery::placesOf(const CallExpr &shuffle) const {
  const unsigned first = shuffle.getDirectCallee()->getName().ends_with("_sync") ? 1 : 0;
  const auto whole = texts_.range(shuffle.getSourceRange()),
             value = texts_.range(shuffle.getArg(first)->getSourceRange()),
             mask = texts_.range(shuffle.getArg(first + 1)->getSourceRange());
  if (!whole || !value || !mask || value->file != whole->file || mask->file != whole->file)
    return std::nullopt;
  return Between::Shuffle{*whole, *value, *mask};
}

void Recovery::describe(Exchange &exchange, Between &between) {
  for (const auto &[fragment, root] : roots_) {
    const auto [begin, end] = bytesOf(root);
    if (exchange.fragments.touch(root.variable, begin, end) && !madeLives_.count(fragment))
      between.fragments.insert(fragment);
    if (exchange.turnable.count(root.variable))
      between.turnable.insert(fragment);
    if (exchange.halfTurnable.count(root.variable))
      between.halfTurnable.insert(fragment);
  }
  for (const auto &[declaration, scalar] : scalars_) // all of them, or none
    if (!between.fragments.count(declaration))
      between.fragments.erase(scalar.fragment);
  for (const CallExpr *call : exchange.shuffles) {
    const auto places = placesOf(*call);
    if (!places)
      return fail(exchange, "a shuffle of results stands in a macro", call->getSourceRange());
    between.shuffles.push_back(*places);
  }
  storedTo_.clear();
  storing_.clear();
  const auto leave = llvm::make_scope_exit([&] { storing_.clear(); });
  for (const auto &stored : exchange.stored) {
    storedTo_.push_back(memoryOf(*stored.second.place));
    storing_.insert(stored.first);
  }
  for (const auto &stored : exchange.storedMatrices) {
    const Expr *place = placeOfMatrices(stored.second);
    storedTo_.push_back(place ? sharedBehind(*place) : Memory());
    storing_.insert(stored.first);
  }
  const auto isMatrix = [&](const Exchange::Met &met) {
    return llvm::any_of(exchange.storedMatrices, [&](const auto &stored) {
      return llvm::is_contained(stored.second.matrices, met.value);
    });
  };
  for (const Exchange::Met &met : askedOnce(exchange.met))
    if (const std::string why = isMatrix(met) ? "" : ask(met, between.region); !why.empty())
      return fail(exchange, "'" + texts_.spelled(met.value) + "' depends on the lane: " + why,
                  met.value->getSourceRange());
  if (!lookAtStored(exchange) || !lookAtStoredMatrices(exchange) ||
      !lookAtRowSums(exchange, between))
    return;
  std::set<const Expr *> tests;
  for (const Exchange::Met &met : exchange.met)
    if (met.under && tests.insert(met.under).second)
      if (const std::string why = askEither(met); !why.empty())
        return fail(exchange, "'" + texts_.spelled(met.under) + "' depends on the warp: " + why,
                    met.under->getSourceRange());
  if (const CallExpr *other =
          exchangedElsewhere({exchange.shuffles.begin(), exchange.shuffles.end()},
                             [&](const TextRange &at) { return between.region.contains(at); })) {
    between.elsewhere = "'" + nameCalled(*other) +
                        "' exchanges results between the lanes there and other values here";
    if (const auto at = texts_.statement(other->getSourceRange()))
      between.elsewhereAt = *at;
  }
  std::set<const VarDecl *> followed = exchange.fragments.variables();
  for (const Exchange::Rows &rows : exchange.rows)
    followed.insert({rows.lower, rows.upper});
  for (const VarDecl *variable : followed)
    if (const VarDecl *alias = aliasBehind(*variable, between.region))
      return fail(exchange,
                  (alias->getName().empty() ? "a structured binding"
                                            : "'" + alias->getNameAsString() + "'") +
                      " leads to '" + variable->getNameAsString() + "' and is used behind them",
                  alias->getSourceRange());
  for (const VarDecl *variable : exchange.stale)
    if (isUsedBehind(*variable, between.region))
      return fail(exchange, notAlike(variable), variable->getSourceRange());
  std::set<const VarDecl *> whole;
  const std::vector<Exchange::Rows> allRows = inWords(exchange.rows);
  for (const Exchange::Rows &rows : allRows) {
    if (whole.count(rows.lower))
      continue;
    if (const auto all = wholeArray(*rows.lower, allRows)) {
      whole.insert(rows.lower);
      if (isUsedBehind(*rows.lower, between.region))
        between.rows.push_back(*all);
      continue;
    }
    const auto lower = textAt(*rows.lower, rows.lowerOffset),
               upper = textAt(*rows.upper, rows.upperOffset);
    if (!isUsedBehind(*rows.lower, between.region) && !isUsedBehind(*rows.upper, between.region))
      continue;
    if (!lower || !upper || rows.bytes != 4)
      return fail(exchange,
                  "'" + rows.lower->getNameAsString() +
                      "' is not made of words that belong to rows",
                  rows.lower->getSourceRange());
    between.rows.push_back({*lower, *upper, {}, {}});
  }
}

// Of a narrower one the turns would not be the numbers that go into its registers.
static bool isWordCounter(const VarDecl &counter, const ASTContext &context) {
  const QualType type = counter.getType();
  return type->isIntegerType() && !type->isEnumeralType() && !type->isBooleanType() &&
         context.getTypeSize(type) >= context.getTypeSize(context.IntTy);
}

// A lambda of the kernel is its text, where nothing of the thread is handed to it.
std::string Recovery::askInLambda(const Exchange::Met &met, const CXXMethodDecl &lambda) {
  for (const CallExpr *call : callsFromKernel(lambda))
    for (const Expr *given : llvm::drop_begin(call->arguments()))
      if (sampler_.dependsOnThread(given))
        return "it is in a lambda that is called with a value of the thread";
  speakOfLambda(&lambda);
  const std::string problem = askHere(met);
  speakOfLambda(nullptr);
  return problem;
}

std::string Recovery::ask(const Exchange::Met &met, const TextRange &region) {
  const FunctionDecl *function = enclosingFunction(*met.value);
  const bool isInKernel = function && function->getLocation() == kernel_.getLocation();
  if (const std::string why = isInKernel ? "" : whyNotAskedIn(function, region); !why.empty())
    return why;
  const std::vector<const Stmt *> all = {met.lower, met.upper, met.loop, met.under};
  if (llvm::any_of(all,
                   [&](const Stmt *stmt) { return stmt && enclosingFunction(*stmt) != function; }))
    return "what it hangs on is in another function";
  if (isInKernel)
    return askHere(met);
  if (const auto *method = dyn_cast<CXXMethodDecl>(function);
      method && method->getParent()->isLambda())
    return askInLambda(met, *method);
  enterAsked(*function);
  std::string problem = askHere(met);
  leaveAsked();
  for (const ParmVarDecl *parameter : askedIn_.halves)
    if (problem.empty())
      problem = handHalves(*parameter, met);
  askedIn_ = {};
  return problem;
}

std::string Recovery::askHere(const Exchange::Met &met) {
  const auto range = texts_.range(met.value->getSourceRange());
  const SourceManager &sm = context_.getSourceManager();
  if (!range || range->file != out_.range.file || sm.isMacroArgExpansion(met.value->getBeginLoc()))
    return "it stands in a macro or another file";
  std::vector<const Expr *> values = {met.lower};
  if (met.upper != met.lower)
    values.push_back(met.upper);
  if (met.counter &&
      (!isWordCounter(*met.counter, context_) || sampler_.changesOf(met.counter).size() != 1))
    return "it stands in a loop that does not count in whole words, by one";
  if (!context_.hasSameType(stripped(met.lower)->getType().getUnqualifiedType(),
                            stripped(met.upper)->getType().getUnqualifiedType()))
    return "it has another type for the other half of the rows";
  placeAt(*met.value, *range);
  keepsSign_ = asks_ = true;
  const std::string counter = met.counter ? met.counter->getNameAsString() : "";
  if (met.counter)
    tileVariables_ = {counter};
  AskedValue out;
  out.range = *range;
  std::string problem;
  std::vector<const Expr *> all = values;
  if (met.under)
    all.push_back(met.under);
  out.names = variablesOf(all, range->file, problem);
  for (const Expr *value : values)
    out.values.push_back(value == met.value ? textOf(value, out.names, range->file, problem)
                                            : texts_.spelled(value));
  for (const Expr *value : values) // written anew there, it cannot be quoted here
    if (problem.empty() && value != met.value && !isPlain(*value))
      problem = "it is more than arithmetic, and not the same for both halves of the rows";
  if (values.size() == 2 && texts_.spelled(met.lower) == texts_.spelled(met.upper))
    out.values.pop_back();
  if (met.isPlace)
    for (std::string &value : out.values)
      value = "&" + value;
  if (met.under) {
    if (problem.empty())
      problem = whyNotRepeated(*met.under);
    for (std::string &value : out.values)
      value = "(" + texts_.spelled(met.under) + ") && (" + value + ")";
  }
  keepsSign_ = asks_ = false;
  out.element = met.counter ? counter : met.value == met.lower ? "0" : "1";
  out.parameter = met.counter ? counter : out.values.size() == 2 ? freeName("lower") : "";
  if (met.counter)
    out.parameterType = parameterType(*met.counter);
  out.bit = met.bit;
  out.isPlace = met.isPlace;
  for (const ParmVarDecl *parameter : askedIn_.halves)
    out.halves.push_back(parameter->getNameAsString());
  if (problem.empty())
    problem = whyNotMade(out);
  if (problem.empty() && met.counter &&
      (llvm::is_contained(out.names.walksIn, counter) || out.names.hiddenVariables.count(counter)))
    problem = "it uses what changes in the loop over '" + counter + "'";
  const auto isElsewhere = [this](const Expr &place) { return isStoredElsewhere(place); };
  if (problem.empty() && ((met.isActedBetween && readsWhatChanges(all, {})) ||
                          (met.isStoredBetween && readsWhatChanges(all, isElsewhere))))
    problem = "it reads memory, which may be written from one half of the rows to the other";
  if (problem.empty())
    problem = whyNotAsked(met, all, out);
  loops_.clear();
  tileVariables_.clear();
  llvm::append_range(out_.toldBetween, out.names.told);
  llvm::append_range(out_.keptBetween, out.names.kept);
  const std::string text = native::textOf(out, indentOf(met.value->getBeginLoc()));
  if (!addBetween(out_, {out.range, text}) && problem.empty())
    problem = "it is asked for in several ways";
  return problem;
}

// What it is made from, as far as the names go.
std::string Recovery::whyNotMade(const AskedValue &asked) {
  if (!asked.names.fetched.empty())
    return "it uses '" + asked.names.fetched[0] +
           "', which cannot be computed anew for another lane";
  const bool hasSteps = llvm::any_of(asked.names.variables,
                                     [](const auto &variable) { return variable.type.empty(); });
  return hasSteps ? "it uses what is computed in several steps" : "";
}

// The values, or what is made anew for them.
bool Recovery::readsWhatChanges(const std::vector<const Expr *> &values,
                                const Inputs::PlaceTest &isNoMatter) const {
  Inputs inputs(isNoMatter);
  for (const Expr *value : values)
    inputs.TraverseStmt(const_cast<Expr *>(value));
  for (const VarDecl *variable : needed_) {
    const Expr *alias = sampler_.aliasOf(variable);
    if (const Expr *value = alias ? alias : variable->getInit())
      inputs.TraverseStmt(const_cast<Expr *>(value));
  }
  return inputs.readsMemory;
}

// Its text is written anew where a mask within it is asked for.
std::string Recovery::whyNotRepeated(const Expr &condition) {
  ThreadMentions mentions;
  mentions.TraverseStmt(const_cast<Expr *>(&condition));
  const auto range = texts_.range(condition.getSourceRange());
  const bool isHere = range && range->file == out_.range.file && isPlain(condition) &&
                      mentions.found.empty() && !mentions.hasOther;
  return isHere ? ""
                : "'" + texts_.spelled(&condition) + "' around it is no arithmetic of variables";
}

// A condition on the warp, of either warp of the wave: where it holds for none of them, nothing
// within is to be done.
std::string Recovery::askEither(const Exchange::Met &met) {
  std::string text;
  for (const char *warp : {"0", "1"}) {
    const auto range = texts_.range(met.under->getSourceRange());
    placeAt(*met.under, *range);
    AskedValue out;
    out.range = *range;
    std::string problem;
    out.names = variablesOf({met.under}, range->file, problem);
    out.values = {texts_.spelled(met.under)};
    out.element = warp;
    loops_.clear();
    if (problem.empty() && !out.names.fetched.empty())
      problem =
          "it uses '" + out.names.fetched[0] + "', which cannot be computed anew for another lane";
    if (!problem.empty())
      return problem;
    llvm::append_range(out_.toldBetween, out.names.told);
    llvm::append_range(out_.keptBetween, out.names.kept);
    text += (text.empty() ? "" : " ||\n" + indentOf(met.under->getBeginLoc()) + "    ") +
            native::textOf(out, indentOf(met.under->getBeginLoc()));
  }
  addBetween(out_, {*texts_.range(met.under->getSourceRange()), text});
  return "";
}

std::string Recovery::indentOf(SourceLocation at) const {
  const SourceManager &sm = context_.getSourceManager();
  at = sm.getExpansionLoc(at);
  const StringRef text = sm.getBufferData(sm.getFileID(at));
  const size_t line = text.rfind('\n', sm.getFileOffset(at)) + 1; // npos + 1 is 0
  return text.substr(line).take_while([](char c) { return c == ' ' || c == '\t'; }).str();
}

std::string Recovery::whyNotAsked(const Exchange::Met &met, const std::vector<const Expr *> &values,
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
      judgeAsked(values, {context_,
                          sampler_,
                          needed_,
                          met.even,
                          parameters,
                          met.counter,
                          {askedIn_.halves.begin(), askedIn_.halves.end()},
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

// Functions of numbers that HIP has by the same name, so that no rule changes their calls.
// https://rocm.docs.amd.com/projects/HIP/en/latest/reference/math_api.html
static bool isSameInHip(const CallExpr &call) {
  static constexpr StringRef kNames[] = {"expf",    "exp2f",  "__expf", "logf",  "log2f", "__logf",
                                         "__log2f", "sqrtf",  "rsqrtf", "tanhf", "fmaxf", "fminf",
                                         "fabsf",   "powf",   "__powf", "cosf",  "sinf",  "__cosf",
                                         "exp",     "__sinf", "fmaf",   "floorf"};
  const FunctionDecl *callee = call.getDirectCallee();
  return callee && isOfCudaHeaders(*callee) && callee->getIdentifier() &&
         llvm::is_contained(kNames, callee->getName()) && !call.getBeginLoc().isMacroID();
}

// The variable that a method is called for.
static const VarDecl *objectNamed(const CallExpr &call) {
  const auto *member = dyn_cast<CXXMemberCallExpr>(&call);
  const Expr *object = member ? member->getImplicitObjectArgument() : call.getArg(0);
  return object ? variableNamed(object) : nullptr;
}

// Of a lambda of the kernel's, or of an object that it leaves as it is: allowed(row, col), by a
// name that is all that is written.
static bool callsByName(const CallExpr &call) {
  const auto *method = dyn_cast_or_null<CXXMethodDecl>(call.getDirectCallee());
  const bool isOfObject = llvm::isa<CXXOperatorCallExpr, CXXMemberCallExpr>(call) && method &&
                          method->isInstance() && method->isConst() && !isOfCudaHeaders(*method) &&
                          objectNamed(call);
  return (isOfObject ||
          (llvm::isa<CXXOperatorCallExpr>(call) && method && method->getParent()->isLambda())) &&
         !call.getBeginLoc().isMacroID();
}

// blockIdx.x: HIP's is of the same name, and no rule writes it anew.
static bool isOfGrid(const PseudoObjectExpr &expr) {
  const auto *property =
      dyn_cast<MSPropertyRefExpr>(expr.getSyntacticForm()->IgnoreParenImpCasts());
  const Expr *base = property ? property->getBaseExpr()->IgnoreParenImpCasts() : &expr;
  if (const auto *opaque = dyn_cast<OpaqueValueExpr>(base))
    base = opaque->getSourceExpr()->IgnoreParenImpCasts();
  const auto *name = dyn_cast<DeclRefExpr>(base);
  const IdentifierInfo *id = name ? name->getDecl()->getIdentifier() : nullptr;
  return id && (id->getName() == "blockIdx" || id->getName() == "gridDim");
}

// It asks for nothing of the thread: else who is told another one's would be told it in its text.
bool Recovery::knowsNoThread(const CallExpr &call) {
  const FunctionDecl *callee = call.getDirectCallee();
  const FunctionDecl *definition = callee ? callee->getDefinition() : nullptr;
  const auto *method = dyn_cast_or_null<CXXMethodDecl>(definition);
  return method && method->hasBody() && !method->getParent()->hasMutableFields() &&
         !sampler_.dependsOnThread(method->getBody()) && !sampler_.asksOthers(method->getBody());
}

bool Recovery::isPlain(const Expr &value) {
  class Plain : public DynamicRecursiveASTVisitor {
  public:
    explicit Plain(llvm::function_ref<bool(const CallExpr &)> knowsNoThread)
        : knowsNoThread_(knowsNoThread) {}
    bool TraverseStmt(Stmt *stmt) override {
      const auto *property = dyn_cast_or_null<PseudoObjectExpr>(stmt);
      if (!property)
        return DynamicRecursiveASTVisitor::TraverseStmt(stmt);
      return isIt = isIt && isOfGrid(*property);
    }
    bool VisitExpr(Expr *expr) override {
      const auto *cast = dyn_cast<ExplicitCastExpr>(expr);
      const auto *call = dyn_cast<CallExpr>(expr);
      isIt = isIt && !llvm::isa<CXXConstructExpr>(expr) &&
             (!call || isSameInHip(*call) || (callsByName(*call) && knowsNoThread_(*call))) &&
             (!cast || cast->getType()->isBuiltinType());
      return isIt;
    }
    bool isIt = true;

  private:
    llvm::function_ref<bool(const CallExpr &)> knowsNoThread_;
  };
  const auto ask = [this](const CallExpr &call) { return knowsNoThread(call); };
  Plain plain(ask);
  plain.TraverseStmt(const_cast<Expr *>(&value));
  return plain.isIt && !(saysFormulas_ && saysInOtherWords(value));
}

bool Recovery::isVisible(const VarDecl &variable, unsigned first, const TextRange &a,
                         const TextRange &b) const {
  const auto at = texts_.statement(variable.getSourceRange());
  if (llvm::isa<ParmVarDecl>(variable))
    return variable.getDeclContext() == (function_ ? function_ : &kernel_);
  const Stmt *declaration = parentOf(DynTypedNode::create(variable));
  const Stmt *block = declaration ? parentOf(DynTypedNode::create(*declaration)) : nullptr;
  const auto scope = block ? texts_.statement(block->getSourceRange()) : std::nullopt;
  return at && scope && at->end <= first && scope->contains(a) && scope->contains(b);
}

const Stmt *Recovery::parentOf(const DynTypedNode &node) const {
  const auto parents = const_cast<ASTContext &>(context_).getParents(node);
  return parents.empty() ? nullptr : parents[0].get<Stmt>();
}

void Recovery::placeAt(const Expr &expr, const TextRange &range) {
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
    if (!stmt || !llvm::isa<ForStmt, WhileStmt, DoStmt, CXXForRangeStmt>(stmt))
      continue;
    const auto whole = texts_.statement(stmt->getSourceRange());
    loops_.insert(loops_.begin(), loopOf(stmt, whole ? *whole : TextRange()));
  }
}

void Recovery::fail(Exchange &exchange, const std::string &problem, SourceRange at) {
  exchange.problem = problem;
  exchange.problemAt = at;
}

// Kernels with fragments of their own may exchange results by the same function, if they are ported
// alike (portNatively). What is read as if it stood between products need not be: it has another
// way.
const CallExpr *
Recovery::exchangedElsewhere(const std::vector<const Stmt *> &shuffles,
                             const std::function<bool(const TextRange &)> &isInside) {
  for (const Stmt *shuffle : shuffles) {
    std::set<const FunctionDecl *> kernels;
    if (const CallExpr *other =
            calledElsewhere(*shuffle, isInside, goesToEnd_ ? nullptr : &kernels))
      return other;
    const auto place = texts_.statement(shuffle->getSourceRange());
    for (const FunctionDecl *kernel : kernels)
      if (const auto range = texts_.statement(kernel->getSourceRange()); place && range)
        out_.sharedShuffles.push_back({*place, *range});
  }
  return nullptr;
}

const std::vector<CallExpr *> &Recovery::allCalls() {
  if (allCalls_.empty()) {
    AsmFinder all;
    all.TraverseDecl(context_.getTranslationUnitDecl());
    allCalls_ = std::move(all.calls);
  }
  return allCalls_;
}

const CallExpr *Recovery::calledElsewhere(const Stmt &shuffle,
                                          const std::function<bool(const TextRange &)> &isInside,
                                          std::set<const FunctionDecl *> *kernels) {
  std::vector<SourceLocation> functions; // instantiations share their template's
  std::set<std::string> names;
  const auto add = [&](const FunctionDecl *function) {
    if (function && function->getLocation() != kernel_.getLocation() &&
        !llvm::is_contained(functions, function->getLocation()))
      functions.push_back(function->getLocation());
  };
  add(enclosingFunction(shuffle));
  for (size_t i = 0; i < functions.size(); ++i)
    for (const CallExpr *call : allCalls()) {
      const FunctionDecl *callee = call->getDirectCallee();
      if (!callee ||
          (callee->getLocation() != functions[i] &&
           (!callee->getDefinition() || callee->getDefinition()->getLocation() != functions[i])))
        continue;
      const FunctionDecl *caller = enclosingFunction(*call);
      const auto at = texts_.statement(call->getSourceRange());
      const bool isHere = caller && caller->getLocation() == kernel_.getLocation();
      const bool isOfOther = !isHere && caller && isKernelText(*caller);
      if (isHere ? !at || !isInside(*at)
                 : !caller || (isOfOther && !(kernels && matrixWithin(caller))))
        return call;
      if (isOfOther)
        kernels->insert(caller);
      else
        add(caller);
      names.insert(callee->getNameAsString());
    }
  // Templates that nobody has instantiated yet may call them, too.
  for (const CallExpr *call : allCalls()) {
    const auto *callee = dyn_cast<UnresolvedLookupExpr>(call->getCallee()->IgnoreParenImpCasts());
    const FunctionDecl *caller =
        callee && names.count(callee->getName().getAsString()) ? enclosingFunction(*call) : nullptr;
    const auto isCaller = [&](const FunctionDecl *kernel) {
      return kernel->getLocation() == caller->getLocation();
    };
    if (caller && caller->getLocation() != kernel_.getLocation() &&
        !llvm::is_contained(functions, caller->getLocation()) &&
        !(kernels && llvm::any_of(*kernels, isCaller)))
      return call;
  }
  return nullptr;
}

std::string Recovery::nameCalled(const CallExpr &call) {
  if (const FunctionDecl *callee = call.getDirectCallee())
    return callee->getNameAsString();
  const auto *callee = dyn_cast<UnresolvedLookupExpr>(call.getCallee()->IgnoreParenImpCasts());
  return callee ? callee->getName().getAsString() : "a function";
}

const FunctionDecl *Recovery::enclosingFunction(const Stmt &stmt) const {
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

// A pointer, a reference, a lambda or what holds one.
static bool holdsPlaces(QualType type) {
  type = type.getCanonicalType();
  if (type->isPointerType() || type->isReferenceType())
    return true;
  if (const auto *array = type->getAsArrayTypeUnsafe())
    return holdsPlaces(array->getElementType());
  const auto *record = type->getAsCXXRecordDecl();
  if (!record || !record->hasDefinition())
    return false;
  return llvm::any_of(record->fields(),
                      [](const FieldDecl *field) { return holdsPlaces(field->getType()); }) ||
         llvm::any_of(record->bases(),
                      [](const CXXBaseSpecifier &base) { return holdsPlaces(base.getType()); });
}

namespace {

// What a name stands for; of auto [x, y] the whole.
const VarDecl *variableNamed(const DeclRefExpr &name) {
  if (const auto *part = dyn_cast<BindingDecl>(name.getDecl()))
    return dyn_cast_or_null<VarDecl>(part->getDecomposedDecl());
  return dyn_cast<VarDecl>(name.getDecl());
}

// A variable that may get to know a place, and from what: what it is made or assigned of, a call
// that may change it. `isThrough`: it leads to who does, *p = &c[0], p->of = c, keep(p, c).
struct Handover {
  const VarDecl *holder = nullptr;
  const Expr *from = nullptr;
  bool isThrough = false;
};

class Handovers : public DynamicRecursiveASTVisitor {
public:
  bool VisitVarDecl(VarDecl *variable) override {
    if (variable->getInit())
      add(variable, variable->getInit(), false);
    return true;
  }
  bool VisitBinaryOperator(BinaryOperator *op) override {
    if (op->isAssignmentOp())
      addAt(op->getLHS(), op->getRHS());
    return true;
  }
  bool VisitCallExpr(CallExpr *call) override {
    const auto *op = dyn_cast<CXXOperatorCallExpr>(call);
    const auto *method = dyn_cast_or_null<CXXMethodDecl>(call->getDirectCallee());
    if (op && method && method->getParent()->isLambda()) {
      callLambda(*op, *method);
      return true;
    }
    for (unsigned i = 0; i < call->getNumArgs(); ++i)
      if (op || mayChange(call->getDirectCallee(), i))
        addAt(call->getArg(i), call);
    if (const auto *member = dyn_cast<CXXMemberCallExpr>(call))
      addAt(member->getImplicitObjectArgument(), call);
    return true;
  }
  std::vector<Handover> all;

private:
  static bool mayChange(const FunctionDecl *callee, unsigned parameter) {
    if (!callee || parameter >= callee->getNumParams())
      return true;
    const QualType type = callee->getParamDecl(parameter)->getType();
    return (type->isReferenceType() || type->isPointerType()) &&
           !type->getPointeeType().isConstQualified();
  }
  // It may keep places that it is handed, in what it has captured.
  void callLambda(const CXXOperatorCallExpr &call, const CXXMethodDecl &method) {
    for (unsigned i = 1; i < call.getNumArgs(); ++i) {
      if (mayChange(&method, i - 1))
        addAt(call.getArg(i), &call);
      if (i > method.getNumParams() || holdsPlaces(method.getParamDecl(i - 1)->getType()))
        addAll(*call.getArg(0), call.getArg(i), true);
    }
  }
  void add(const VarDecl *variable, const Expr *from, bool isThrough) {
    if (variable->hasLocalStorage() && holdsPlaces(variable->getType()))
      all.push_back({variable, from, isThrough});
  }
  void addAll(const Expr &place, const Expr *from, bool isThrough) {
    Mentions mentions([&](const DeclRefExpr &name) {
      if (const VarDecl *named = variableNamed(name))
        add(named, from, isThrough);
    });
    mentions.TraverseStmt(const_cast<Expr *>(&place));
  }
  // A pointer by value leads where it did, but to another pointer there may be written.
  void addAt(const Expr *place, const Expr *from) {
    const QualType type = place->getType();
    const auto *address = dyn_cast<UnaryOperator>(stripped(place));
    const bool isAddress = address && address->getOpcode() == UO_AddrOf;
    if (place->isPRValue() && type->isPointerType() && !isAddress) {
      if (holdsPlaces(type->getPointeeType()))
        addAll(*place, from, true);
    } else if (holdsPlaces(type)) {
      addAll(*place, from, true);
    }
  }
};

} // namespace

// Made before the end of the region from what leads to the variable, and named behind it:
//
//   float *q = &c[0][0]; auto put = [&](int j) { D[j] = c[j][0]; };
const VarDecl *Recovery::aliasBehind(const VarDecl &variable, const TextRange &region) const {
  Handovers handovers;
  handovers.TraverseStmt(kernel_.getBody());
  llvm::erase_if(handovers.all, [&](const Handover &handover) {
    const auto at = texts_.statement(handover.from->getSourceRange());
    return at && at->begin >= region.end;
  });
  std::set<const VarDecl *> names = {&variable};
  const auto leads = [&](const Expr *from) {
    bool any = false;
    Mentions mentions([&](const DeclRefExpr &name) {
      const VarDecl *named = variableNamed(name);
      any = any || (named && names.count(named));
    });
    mentions.TraverseStmt(const_cast<Expr *>(from));
    return any;
  };
  // Who is written through a name: what that was made from, if anything changes it.
  const auto addWritten = [&](const VarDecl *through) {
    bool any = false;
    Mentions mentions([&](const DeclRefExpr &name) {
      const VarDecl *named = variableNamed(name);
      if (named && named->hasLocalStorage() && holdsPlaces(named->getType()) &&
          (sampler_.changes(named) || sampler_.changesUnseen(named)))
        any |= names.insert(named).second;
    });
    for (const Handover &made : handovers.all)
      if (made.holder == through)
        mentions.TraverseStmt(const_cast<Expr *>(made.from));
    return any;
  };
  for (bool again = true; again;) {
    again = false;
    for (const Handover &handover : handovers.all)
      if (leads(handover.from)) {
        again |= names.insert(handover.holder).second;
        again |= handover.isThrough && addWritten(handover.holder);
      }
  }
  names.erase(&variable);
  const VarDecl *found = nullptr;
  Mentions mentions([&](const DeclRefExpr &name) {
    const VarDecl *named = variableNamed(name);
    const auto at = texts_.statement(name.getSourceRange());
    if (named && names.count(named) && (!at || at->begin >= region.end))
      found = named;
  });
  mentions.TraverseStmt(kernel_.getBody());
  return found;
}

bool Recovery::isUsedBehind(const VarDecl &variable, const TextRange &region) const {
  bool used = false;
  Mentions mentions([&](const DeclRefExpr &name) {
    const auto at = texts_.statement(name.getSourceRange());
    used = used || (variableNamed(name) == &variable && (!at || at->begin >= region.end));
  });
  mentions.TraverseStmt(kernel_.getBody());
  return used;
}

// T x[m][n][2]: x[i][j][0] and x[i][j][1] for all i and j; of T x[m][n][4] registers 0 and 2, 1 and
// 3.
std::optional<Between::Rows> Recovery::wholeArray(const VarDecl &variable,
                                                  llvm::ArrayRef<Exchange::Rows> rows) const {
  constexpr int64_t kWordBytes = 4;
  std::vector<std::string> extents = extentTextsOf(variable);
  QualType type = variable.getType();
  Between::Rows out;
  std::string element = variable.getNameAsString();
  int64_t registers = 0;
  while (const auto *array = context_.getAsConstantArrayType(type)) {
    type = array->getElementType();
    registers = array->getSExtSize();
    if (!type->isArrayType())
      break;
    element += "[" + std::string(1, static_cast<char>('i' + out.extents.size())) + "]";
    if (out.extents.size() < extents.size())
      out.extents.push_back(extents[out.extents.size()]);
  }
  const bool isNamed = llvm::none_of(out.extents, [](const std::string &t) { return t.empty(); });
  if (out.extents.empty() || extents.size() != out.extents.size() + 1 || !isNamed ||
      (registers != 2 && registers != 4) ||
      context_.getTypeSizeInChars(type).getQuantity() != kWordBytes)
    return std::nullopt;
  const int64_t half = registers / 2; // registers of the lower rows
  std::set<int64_t> found;
  for (const Exchange::Rows &pair : rows) {
    if (pair.lower != &variable && pair.upper != &variable)
      continue;
    if (pair.lower != pair.upper || pair.bytes != kWordBytes ||
        pair.lowerOffset / kWordBytes % registers >= half ||
        pair.upperOffset != pair.lowerOffset + half * kWordBytes)
      return std::nullopt;
    found.insert(pair.lowerOffset);
  }
  const int64_t bytes = context_.getTypeSizeInChars(variable.getType()).getQuantity();
  if (static_cast<int64_t>(found.size()) * 2 * kWordBytes != bytes)
    return std::nullopt;
  out.array = element;
  return out;
}

std::optional<std::string> Recovery::textAt(const VarDecl &variable, int64_t offset) const {
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

} // namespace layout_port::native
