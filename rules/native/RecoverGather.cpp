// Operands that the kernel puts together register by register (Gather.h): which of the
// fillings that were met make operands, tile by tile, and what their values are made from.
#include "native/Recovery.h"

#include "native/Flat.h"
#include "native/FragmentName.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/DynamicRecursiveASTVisitor.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/Regex.h"

#include <numeric>

using namespace clang;

namespace layout_port::native {

void Recovery::noteFillings(llvm::ArrayRef<const Stmt *> statements) {
  const auto note = [&](Filling filling, std::shared_ptr<const GuardedRun> run) {
    PendingFilling pending{std::move(filling), loops_, siteBlock_, "", decided()};
    pending.function = function_;
    pending.frame = frame_;
    pending.run = std::move(run);
    if (!divergent_.empty())
      pending.problem = "fragments are loaded under a condition on the thread: " +
                        texts_.spelled(divergent_.front());
    else if (earlyReturn_)
      pending.problem = returnedBefore();
    else if (inLambda_ && function_)
      pending.problem = "fragments are put together in a lambda of a function";
    pending.lambda = lambdaOfKernel();
    pending_.push_back(std::move(pending));
  };
  for (GuardedRun &run : guardedRunsOf(statements, context_))
    note(Filling(), std::make_shared<const GuardedRun>(std::move(run)));
  for (Filling &filling : fillingsOf(statements, context_))
    note(std::move(filling), nullptr);
}

// Each piece that fills some of an operand's registers fills all of them.
bool Recovery::fillsWholeIn(const Filling &filling, const GuardedRun &run) const {
  const auto isWhole = [&](const std::vector<Filling::Store> &piece, const Filling::Store &store) {
    const Scalar *scalar = store.scalar ? scalarOf(fragmentOf(*store.scalar, nullptr)) : nullptr;
    const VarDecl *variable = store.scalar ? nullptr : variableOf(store.target);
    size_t registers = scalar ? scalarTiles_[scalar->names].size() : 1;
    for (const MmaSite &mma : out_.mmas)
      for (const std::vector<Slot> *slots : {&mma.a, &mma.b})
        if (variable && isFragmentOf(*variable, (*slots)[0].declaration))
          registers = std::max(registers, slots->size());
    const auto stores = llvm::count_if(piece, [&](const Filling::Store &other) {
      const Scalar *its = other.scalar ? scalarOf(fragmentOf(*other.scalar, nullptr)) : nullptr;
      return scalar ? its && its->names == scalar->names
                    : !other.scalar && arrayFilledBy(other.target) == arrayFilledBy(store.target);
    });
    return stores % registers == 0;
  };
  return llvm::all_of(run.pieces, [&](const std::vector<Filling::Store> &piece) {
    return llvm::all_of(filling.stores, [&](const Filling::Store &s) { return isWhole(piece, s); });
  });
}

bool Recovery::isOfOperands(const PendingFilling &pending, const std::set<uint64_t> &operands,
                            const Made &results) {
  Made scalars;
  for (const Filling &filling : pending.run->fillings)
    for (const Filling::Store &store : filling.stores)
      if (store.scalar)
        scalars.variables.insert(store.scalar);
  return llvm::all_of(pending.run->fillings, [&](const Filling &filling) {
    return llvm::all_of(filling.stores, [&](const Filling::Store &store) {
      const VarDecl *variable = store.scalar ? store.scalar : filledIn(filling);
      const Scalar *scalar = store.scalar ? scalarOf(fragmentOf(*store.scalar, nullptr)) : nullptr;
      const bool isOperand = store.scalar
                                 ? scalar && operands.count(scalar->fragment)
                                 : variable && llvm::any_of(operands, [&](uint64_t operand) {
                                     return isFragmentOf(*variable, operand);
                                   });
      return isOperand && !isMadeFromAny(*store.value, results) && !scalars.isIn(*store.value);
    });
  });
}

void Recovery::gatherGuarded(const PendingFilling &pending, const std::set<uint64_t> &operands) {
  const GuardedRun &run = *pending.run;
  const bool isForAll = llvm::all_of(run.branches, [&](const IfStmt *branch) {
    return sameForWave(branch->getCond()) || isAssumedUniform(branch->getCond());
  });
  const auto isWhole = [&](const Filling &filling) { return fillsWholeIn(filling, run); };
  if (isForAll && llvm::all_of(run.fillings, isWhole))
    return;
  const size_t before = out_.loads.size();
  size_t stores = 0, registers = 0;
  for (const Filling &filling : run.fillings) {
    PendingFilling its = pending;
    its.filling = filling;
    stores += filling.stores.size();
    if (filling.isOfScalars())
      gatherScalars(its, operands);
    else
      gatherRuns(its, *filledIn(filling), operands);
  }
  const auto made = llvm::drop_begin(out_.loads, before);
  for (const LoadSite &load : made)
    registers += load.registers.size() * static_cast<size_t>(load.valuesInWord);
  for (const Filling &filling : run.fillings)
    for (const Stmt *stmt : filling.run)
      ofRuns_.insert(withoutAttributes(stmt));
  ofRuns_.insert(run.within.begin(), run.within.end());
  if (made.empty())
    return;
  if (registers != stores)
    refuse("a condition decides about an operand and something else",
           run.fillings[0].run[0]->getSourceRange());
  // One site takes the statements' place, and the others stand behind it.
  for (LoadSite &load : llvm::drop_begin(made)) {
    load.range.begin = load.range.end;
    load.removed.clear();
  }
  for (LoadSite &load : llvm::drop_end(made))
    load.isWhole = false;
}

// a[r] = f(a[r]);  nothing is put together there: what was changes.
bool Recovery::changesOwn(const Filling &filling) const {
  return llvm::all_of(filling.stores, [&](const Filling::Store &store) {
    if (!store.target || !store.value)
      return false;
    const std::string target = texts_.printed(stripped(store.target));
    llvm::SmallVector<const Stmt *, 16> below = {store.value};
    while (!below.empty()) {
      const Stmt *stmt = below.pop_back_val();
      if (const auto *access = dyn_cast<ArraySubscriptExpr>(stmt);
          access && texts_.printed(access) == target)
        return true;
      for (const Stmt *child : stmt->children())
        if (child)
          below.push_back(child);
    }
    return false;
  });
}

void Recovery::gatherOperands() {
  std::set<uint64_t> operands;
  for (size_t i = 0; i < out_.mmas.size(); ++i) {
    operands.insert(out_.mmas[i].a[0].declaration);
    if (!lanewise_.count(i))
      operands.insert(out_.mmas[i].b[0].declaration);
  }
  operands = withSources(std::move(operands));
  for (const MmaSite &mma : out_.mmas)
    operands.erase(mma.d[0].declaration);
  for (const Kernel::Converted &left : out_.converted)
    operands.erase(left.operand);
  const Made results = madeFromResults();
  for (const PendingFilling &pending : pending_) {
    const Filling &filling = pending.filling;
    speakOf(pending.function, pending.frame);
    speakOfLambda(pending.lambda);
    const auto leave = llvm::make_scope_exit([&] {
      speakOf(nullptr, 0);
      speakOfLambda(nullptr);
    });
    const auto isTaken = [&](const Stmt *stmt) {
      return ofRuns_.contains(withoutAttributes(stmt));
    };
    if (pending.run) {
      const GuardedRun &run = *pending.run;
      if (llvm::none_of(run.within, isTaken) && llvm::none_of(run.fillings[0].run, isTaken) &&
          isOfOperands(pending, operands, results))
        gatherGuarded(pending, operands);
      continue;
    }
    if (isOperandCopy(filling) || changesOwn(filling) ||
        llvm::any_of(filling.stores, [&](const auto &store) { return isTaken(store.statement); }))
      continue;
    if (filling.isOfScalars()) {
      gatherScalars(pending, operands);
      continue;
    }
    if (pending.call) {
      loops_ = pending.loops;
      Binding given;
      given.values = pending.given;
      given.self = pending.self;
      const auto path = pathOf(filling.stores[0].target, &given, false);
      loops_.clear();
      pointsInto_ = false;
      const bool isOfResults = llvm::any_of(
          pending.given, [&](const auto &argument) { return results.isIn(*argument.second); });
      if (path && !isOfResults)
        gatherRuns(pending, *path->root, operands);
      continue;
    }
    const VarDecl *variable = filling.declared ? filling.declared : filledIn(filling);
    const bool isOfResults = llvm::any_of(filling.stores, [&](const Filling::Store &store) {
      return isMadeFromAny(*store.value, results);
    });
    if (variable && !isOfResults)
      gatherRuns(pending, *variable, operands);
  }
  // A loop that fills several variables goes, and all that it fills has to be read in its place.
  for (const PendingFilling &pending : pending_) {
    if (pending.run)
      continue;
    const Stmt &loop = *pending.filling.stores[0].statement;
    const auto range = pending.filling.parts > 1 && !pending.filling.part
                           ? texts_.statement(loop.getSourceRange())
                           : std::nullopt;
    const auto made = llvm::count_if(out_.loads, [&](const LoadSite &load) {
      return range && load.isGathered() && load.range.file == range->file &&
             load.range.end == range->end;
    });
    if (made && made != static_cast<long>(pending.filling.parts))
      refuse("a loop puts an operand together and fills something else", loop.getSourceRange());
  }
}

// The variable of the kernel or the function itself that the statements fill; of a parameter what
// it is handed.
const VarDecl *Recovery::filledIn(const Filling &filling) {
  const VarDecl *variable = variableOf(filling.stores[0].target);
  const auto view = isa_and_nonnull<ParmVarDecl>(variable) ? handedTo(variable) : std::nullopt;
  return view ? view->variable : variable;
}

void Recovery::gatherRuns(const PendingFilling &pending, const VarDecl &variable,
                          const std::set<uint64_t> &operands) {
  const Filling &filling = pending.filling;
  Binding given;
  given.values = pending.given;
  given.self = pending.self;
  const Binding *binding = pending.call ? &given : nullptr;
  const int64_t parts = valuesInWord(filling.declared ? filling.stores[0].value->getType()
                                                      : filling.stores[0].target->getType());
  if (parts > 1)
    return gatherPacked(pending, parts, operands);
  if (llvm::none_of(operands, [&](uint64_t o) { return isFragmentOf(variable, o); }))
    return;
  if (llvm::all_of(filling.stores, [&](const Filling::Store &s) { return isConstant(s.value); }))
    return; // a fill
  if (llvm::any_of(filling.stores, [&](const Filling::Store &s) {
        return !s.isOfVector && s.value->getType()->isRecordType() &&
               !hasWordsOf(variable, s.value->getType());
      }))
    return; // words of another type, seen as such
  if (!filling.nest.empty() && hasOneRegister(variable))
    return; // a loop over tiles: each turn fills one
  const bool isPlainLoop =
      filling.nest.size() == 1 && filling.stores.size() == 1 && !filling.isBehindOthers;
  if (!filling.nest.empty() && !isPlainLoop && !hasRegisters(variable, filling.count()))
    return; // likewise
  LoadSite site;
  std::vector<Filling::Store> stores;
  const std::set<uint64_t> halved = takenInHalves();
  const auto close = [&] {
    if (filling.nest.empty())
      sortRegisters(site.registers, stores);
    if (!stores.empty() && halved.count(site.registers[0].declaration)) {
      PendingFilling ordered = pending;
      orderFilling(ordered.filling, site.registers, stores);
      gather(ordered, site, stores);
    } else if (!stores.empty()) {
      gather(pending, site, stores);
    }
    site = LoadSite();
    stores.clear();
  };
  partingIndex_ = nullptr;
  const bool areTiles =
      !filling.declared && hasOneRegister(variable); // each of the stores fills one
  for (int r = 0; r < (filling.nest.empty() ? 0 : filling.count()); ++r) {
    const auto slot = registerAt(filling, filling.stores[filling.storeOf(r)], variable, r, binding);
    if (!slot || slot->isScalar || !operands.count(slot->declaration) ||
        (r && !site.registers[0].sameTile(*slot)))
      return;
    site.registers.push_back(*slot);
    stores = filling.stores;
  }
  for (const Filling::Store &store :
       filling.nest.empty() ? filling.stores : std::vector<Filling::Store>()) {
    const auto slot = registerAt(filling, store, variable, 0, binding);
    if (!slot || slot->isScalar || !operands.count(slot->declaration))
      return; // sums may lie beside operands in one struct
    if (!site.registers.empty() && (areTiles || !areOfOneTile(site.registers[0], *slot)))
      close();
    site.registers.push_back(*slot);
    stores.push_back(store);
  }
  close();
  checkIndices(pending.call ? pending.call->getSourceRange()
                            : filling.stores[0].statement->getSourceRange());
}

// By the registers' numbers, whatever the order of the statements.
void Recovery::sortRegisters(std::vector<Slot> &registers, std::vector<Filling::Store> &stores) {
  std::vector<size_t> order(registers.size());
  std::iota(order.begin(), order.end(), 0);
  llvm::stable_sort(order, [&](size_t a, size_t b) {
    return std::pair(registers[a].reg, registers[a].flatOffset) <
           std::pair(registers[b].reg, registers[b].flatOffset);
  });
  const std::vector<Slot> slots = registers;
  const std::vector<Filling::Store> values = stores;
  for (size_t i = 0; i < order.size(); ++i) {
    registers[i] = slots[order[i]];
    stores[i] = values[order[i]];
  }
}

//   for (j..) for (k..) a[j * 2 + k] = word(j, k);
//   mma(.., {a[0], a[2], a[1], a[3]}, ..);              register r of it:  j = r % 2, k = r / 2
void Recovery::orderFilling(Filling &filling, std::vector<Slot> &registers,
                            std::vector<Filling::Store> &stores) {
  constexpr int64_t kRegisters = 4;
  const auto isBit = [](int64_t extent) { return extent == 2; };
  if (registers.size() != kRegisters)
    return;
  if (filling.nest.empty() && stores.size() == kRegisters) {
    std::swap(stores[1], stores[2]);
  } else if (llvm::all_of(filling.nest, [&](const auto &c) { return isBit(c.extent); }) &&
             (!filling.storeStride || isBit(stores.size()))) {
    for (Filling::Counter &counter : filling.nest)
      counter.stride = interleaved(counter.stride, 2);
    filling.storeStride = interleaved(filling.storeStride, 2);
  } else {
    return;
  }
  std::swap(registers[1], registers[2]);
}

// int a[2], b[4]; mma({c[i][j][0], c[i][j][1]}, {a[i]}, {b[j]}): tiles of one register each.
bool Recovery::hasOneRegister(const VarDecl &variable) const {
  return llvm::any_of(out_.mmas, [&](const MmaSite &mma) {
    return llvm::any_of(std::initializer_list<const std::vector<Slot> *>{&mma.a, &mma.b},
                        [&](const std::vector<Slot> *operand) {
                          return operand->size() == 1 &&
                                 comesFrom(variable, operand->front().declaration);
                        });
  });
}

// Of an array of them, or an array in a struct.
bool Recovery::hasWordsOf(const VarDecl &variable, QualType type) const {
  const QualType element = context_.getBaseElementType(variable.getType());
  const auto *record = element->getAsCXXRecordDecl();
  return context_.hasSameUnqualifiedType(element, type) ||
         (record && record->hasDefinition() &&
          llvm::any_of(record->fields(), [&](const auto *field) {
            return context_.hasSameUnqualifiedType(context_.getBaseElementType(field->getType()),
                                                   type);
          }));
}

// So many are a tile of it.
bool Recovery::hasRegisters(const VarDecl &variable, int64_t count) const {
  return llvm::any_of(out_.mmas, [&](const MmaSite &mma) {
    return llvm::any_of(std::initializer_list<const std::vector<Slot> *>{&mma.a, &mma.b},
                        [&](const std::vector<Slot> *operand) {
                          return static_cast<int64_t>(operand->size()) == count &&
                                 comesFrom(variable, operand->front().declaration);
                        });
  });
}

bool Recovery::isConstant(const Expr *value) const {
  Expr::EvalResult constant;
  return !value->isValueDependent() && value->EvaluateAsRValue(constant, context_);
}

// x[i], where x has one element.
static bool isOfOne(const Expr &target, const ASTContext &context) {
  const auto *access = dyn_cast<ArraySubscriptExpr>(stripped(&target));
  const auto *array =
      access ? context.getAsConstantArrayType(stripped(access->getBase())->getType()) : nullptr;
  return array && array->getSize() == 1;
}

std::optional<Slot> Recovery::registerAt(const Filling &filling, const Filling::Store &store,
                                         const VarDecl &variable, int r, const Binding *binding) {
  Index member;
  member.text = store.member;
  member.isMember = true;
  if (filling.declared)
    return slotAt(Path{&variable,
                       {store.member.empty() ? literalIndex(store.element) : member},
                       "",
                       "",
                       "",
                       {}},
                  r);
  pointsInto_ = false;
  auto path = pathOf(store.target, binding, false);
  if (path && !store.member.empty())
    path->indices.push_back(member);
  if (!path || pointsInto_ || path->indices.empty())
    return std::nullopt;
  if (filling.isBehindOthers)
    return flatRegister(filling, store, r, binding);
  if (!filling.nest.empty())
    path->indices.back() = literalIndex(r);
  else if (isOfOne(*store.target, context_))
    path->indices.back() = literalIndex(0);
  if (auto slot = slotAt(path, r))
    return slot;
  auto slot = filling.nest.empty() ? flatSlot(store.target, binding) : std::nullopt;
  const int64_t registers = slot ? registersOfTile(slot->declaration) : 0;
  const bool isOfOne = slot && llvm::all_of(slot->flatTerms, [&](const auto &term) {
                         return registers && term.second % registers == 0;
                       });
  return isOfOne ? slot : std::nullopt;
}

// Of an operand; 0: it is none.
int64_t Recovery::registersOfTile(uint64_t operand) const {
  int64_t registers = 0;
  for (const MmaSite &mma : out_.mmas)
    for (const std::vector<Slot> *slots : {&mma.a, &mma.b})
      if (withSources({(*slots)[0].declaration}).count(operand))
        registers = std::max(registers, static_cast<int64_t>(slots->size()));
  return registers;
}

// Of words in one array, tiles are told by their places.
bool Recovery::areOfOneTile(const Slot &a, const Slot &b) const {
  const int64_t registers = registersOfTile(a.declaration);
  const bool isOneNumber = a.flatTerms == b.flatTerms &&
                           (!registers || a.flatOffset / registers == b.flatOffset / registers);
  return a.sameTile(b) && (!a.flatWords || isOneNumber);
}

// The element with the numbers of the counters in this register's place.
std::optional<Slot> Recovery::flatRegister(const Filling &filling, const Filling::Store &store,
                                           int64_t r, const Binding *binding) {
  auto slot = flatSlot(store.target, binding);
  if (!slot || !slot->flatText.empty() || slot->belowFirst)
    return std::nullopt;
  for (const Filling::Counter &counter : filling.nest) {
    const std::string name = counter.variable->getNameAsString();
    const auto term = llvm::find(slot->flatTerms, std::pair(name, counter.stride));
    if (term == slot->flatTerms.end())
      return std::nullopt;
    slot->flatTerms.erase(term);
    slot->flatOffset += counter.stride * filling.digitOf(counter, r);
    slot->turns.erase(name);
  }
  return slot;
}

// unsigned x = y, where y is a float: not its bits, which is what a register takes.
static bool becomesAnother(const Expr *value) {
  if (const ConditionalOperator *choice = madeChoice(*value))
    return becomesAnother(choice->getTrueExpr()) || becomesAnother(choice->getFalseExpr());
  for (;;) {
    value = value->IgnoreParens();
    const auto *full = dyn_cast<FullExpr>(value);
    const auto *cast = dyn_cast<ImplicitCastExpr>(value);
    if (!full && !cast)
      return false;
    if (cast && llvm::is_contained({CK_FloatingToIntegral, CK_IntegralToFloating, CK_FloatingCast,
                                    CK_UserDefinedConversion, CK_ConstructorConversion},
                                   cast->getCastKind()))
      return true;
    value = full ? full->getSubExpr() : cast->getSubExpr();
  }
}

// for (..) for (..) { .. }, if (..) { .. }: no ';' stands behind it.
static bool endsInBlock(const Stmt &stmt) {
  const auto *loop = dyn_cast<ForStmt>(&stmt);
  const auto *attributed = dyn_cast<AttributedStmt>(&stmt);
  const auto *branch = dyn_cast<IfStmt>(&stmt);
  const Stmt *last = loop                          ? loop->getBody()
                     : attributed                  ? attributed->getSubStmt()
                     : branch && branch->getElse() ? branch->getElse()
                     : branch                      ? branch->getThen()
                                                   : nullptr;
  return last && (isa<CompoundStmt>(last) || endsInBlock(*last));
}

// Arrays that can be filled again, too (RecoverFilled.cpp).
void Recovery::addArraysMadeAgain(const Expr &value, std::set<const VarDecl *> &made) {
  Inputs inputs;
  inputs.TraverseStmt(const_cast<Expr *>(&value));
  for (const VarDecl *variable : inputs.found)
    if (variable->getType()->isArrayType() &&
        (filledArray(*variable) || !listedArray(*variable).empty()))
      made.insert(variable);
}

// In whatever order they stand.
SourceRange Recovery::rangeOfStores(const std::vector<Filling::Store> &stores) const {
  const SourceManager &sm = context_.getSourceManager();
  SourceRange range(stores[0].statement->getBeginLoc(), stores[0].statement->getEndLoc());
  for (const Filling::Store &store : stores) {
    if (sm.isBeforeInTranslationUnit(store.statement->getBeginLoc(), range.getBegin()))
      range.setBegin(store.statement->getBeginLoc());
    if (sm.isBeforeInTranslationUnit(range.getEnd(), store.statement->getEndLoc()))
      range.setEnd(store.statement->getEndLoc());
  }
  return range;
}

// All registers of what a function returns.
bool Recovery::fillsAll(const PendingFilling &pending, const LoadSite &site) const {
  const auto bytes = [&](const Expr &of) {
    return context_.getTypeSizeInChars(of.getType()).getQuantity();
  };
  return bytes(*pending.call) ==
         static_cast<int64_t>(site.registers.size()) * bytes(*pending.filling.stores[0].target);
}

// CVT(a[0], x); CVT(a[1], y);  each statement is a macro's.
static bool areEachOfMacro(const std::vector<Filling::Store> &stores, const SourceManager &sm) {
  std::set<SourceLocation> places;
  return llvm::all_of(stores, [&](const Filling::Store &store) {
    const SourceLocation begin = store.statement->getBeginLoc(), end = store.statement->getEndLoc();
    return begin.isMacroID() && end.isMacroID() &&
           sm.getExpansionLoc(begin) == sm.getExpansionLoc(end) &&
           places.insert(sm.getExpansionLoc(begin)).second;
  });
}

// Of which zero is one.
static bool areNumbers(const std::vector<Filling::Store> &stores) {
  return llvm::all_of(stores, [](const Filling::Store &store) {
    return store.isOfVector || store.value->getType()->isArithmeticType();
  });
}

void Recovery::gather(const PendingFilling &pending, LoadSite &site,
                      const std::vector<Filling::Store> &stores) {
  const Filling &filling = pending.filling;
  const SourceRange place =
      pending.taking ? pending.taking->getSourceRange()
      : pending.call ? pending.call->getSourceRange()
      : filling.run.empty() || filling.isRunApart
          ? rangeOfStores(stores)
          : SourceRange(filling.run.front()->getBeginLoc(), filling.run.back()->getEndLoc());
  const auto range = pending.taking ? rangeOfSite(*pending.taking) : texts_.statement(place);
  if (!range)
    return;
  if (filling.hasPragma && !filling.part &&
      !pragmaAbove(*filling.stores[0].statement, *range, site.pragma))
    return;
  site.range = *range;
  if (filling.part) // behind what stands for the loop
    site.range.begin = site.range.end;
  site.spelling = "operand put together from loads";
  site.loops = pending.loops;
  site.decided = pending.decided;
  site.problem = pending.problem;
  if (pending.lambda)
    site.calls = calls_[{pending.lambda, pending.frame}];
  if (pending.lambda && (site.calls.empty() || calledApart_.contains(pending.lambda) ||
                         !isOnlyCalled(*cast<CXXMethodDecl>(pending.lambda))))
    site.problem = "'" + site.registers[0].variable +
                   "' is put together in a lambda that is called in a way that is not followed";
  if ((place.getBegin().isMacroID() || place.getEnd().isMacroID()) &&
      !areEachOfMacro(stores, context_.getSourceManager()))
    site.problem = "'" + site.registers[0].variable + "' is put together in a macro";
  siteRange_ = site.range;
  siteBlock_ = pending.block;
  loops_ = pending.loops;
  if (pending.taking && !fillsAll(pending, site))
    site.problem =
        "'" + site.registers[0].variable + "' is returned with more than is put together";
  std::vector<const Expr *> expressions;
  for (size_t i = 0; i < stores.size() && site.problem.empty(); ++i) {
    expressions.push_back(stores[i].value);
    std::set<const VarDecl *> read = madeOnceIn(*stores[i].value);
    addArraysMadeAgain(*stores[i].value, read);
    read.insert(filling.locals.begin(), filling.locals.end()); // which see below
    if (const std::string why =
            obstacleTo(stores[i].value, context_, &read, isa_and_nonnull<CXXMethodDecl>(function_));
        !why.empty())
      site.problem = "'" + site.registers[0].variable + "': its value " + why;
    if (site.problem.empty() && stores[i].isTurned != stores[0].isTurned)
      site.problem = "'" + site.registers[0].variable + "': movmatrix turns some of its registers";
    if (site.problem.empty() && stores[i].through != stores[0].through)
      site.problem = "'" + site.registers[0].variable + "': PTX converts some of its registers";
    if (site.problem.empty() && becomesAnother(stores[i].value))
      site.problem = "'" + site.registers[0].variable + "' is put together from other numbers";
    const QualType type = stripped(stores[i].value)->getType().getUnqualifiedType();
    const QualType first = stripped(stores[0].value)->getType().getUnqualifiedType();
    if (!context_.hasSameType(type, first) &&
        !(type->isIntegerType() && first->isIntegerType() && context_.getTypeSize(type) <= 32 &&
          context_.getTypeSize(first) <= 32))
      site.problem = "'" + site.registers[0].variable + "' is put together from several types";
  }
  for (const VarDecl *local : filling.locals)
    if (const std::string why = obstacleToLocal(*local, filling);
        site.problem.empty() && !why.empty())
      site.problem = "'" + site.registers[0].variable + "': its value " + why;
  std::string unseen;
  const std::set<std::string> outer =
      std::exchange(tileVariables_, tileVariablesOf(site.registers));
  remade_.insert(filling.locals.begin(), filling.locals.end());
  for (const auto &[parameter, argument] : pending.given)
    sampler_.alias(parameter, argument);
  const bool isCounted = filling.nest.size() == 1 && filling.stores.size() == 1;
  if (!filling.nest.empty() && !isCounted)
    site.registerName = freeNameBeside(pending);
  filling_ = &filling;
  registerName_ = site.registerName;
  for (const Filling::Counter &counter : filling.nest)
    own_.insert(counter.variable); // no walk of the address: it goes
  const std::vector<const Expr *> whiles = apartAround(pending.loops);
  llvm::append_range(expressions, whiles);
  fetchesNumbers_ = true;
  isOfApart_ = !whiles.empty();
  site.address = variablesOf(expressions, range->file, unseen);
  isOfApart_ = false;
  fetchesNumbers_ = false;
  tileVariables_ = outer;
  own_.clear();
  if (site.problem.empty())
    site.problem = unseen;
  site.address.dependsOnPair =
      filling.steps.empty()
          ? !whiles.empty() ||
                llvm::any_of(expressions,
                             [&](const Expr *e) { return !sameValueForPair(wholeRead(e)); })
          : mayDifferForPair(filling);
  if (!whiles.empty() && (!filling.steps.empty() || !areNumbers(stores)))
    site.problem =
        "'" + site.registers[0].variable + "' is put together in steps, or not of numbers";
  for (const Expr *condition : whiles) {
    // Not quoted: the head that it is quoted from is written anew.
    if (textOf(condition, site.address, range->file, site.problem) !=
        texts_.quote(condition, range->file))
      site.problem = "the loop's condition is said in other words for another lane";
    site.onlyWhile += (site.onlyWhile.empty() ? "" : " && ") + texts_.spelled(condition);
  }
  for (const Filling::Store &store : stores) {
    std::string text = textOf(store.value, site.address, range->file, site.problem);
    if (!store.through.empty()) {
      text = "lp::" + store.through + "(" + text + ")";
      site.converts = store.through;
    }
    const bool isPart = stores.size() > 1 && madeChoice(*store.value); // of another choice
    site.values.push_back(store.isOfVector        ? "(" + text + ")" + store.member
                          : site.valuesInWord > 1 ? packedText(store, text, stores.size() > 1, site)
                          : isPart                ? "(" + text + ")"
                                                  : text);
  }
  if (!filling.nest.empty() && stores.size() > 1)
    site.values = {chosen(site.values, filling, site.registerName)};
  for (const auto &[parameter, argument] : pending.given)
    sampler_.alias(parameter, nullptr);
  filling_ = nullptr;
  if (isCounted)
    site.registerName = siteName(*filling.nest[0].variable);
  if (!filling.nest.empty()) {
    llvm::erase(site.address.loopVariables, site.registerName);
  } else if (stores.size() > 1) {
    site.registerName = freeName(site.address);
  }
  if (filling.declared)
    declareFirst(*filling.declared, site);
  if (pending.declares) {
    gathered_.insert(pending.declares);
    site.declaration = declarationOf(*pending.declares);
  }
  if (filling.isOfScalars())
    declareScalars(stores, site);
  const bool isBlock = !pending.call && endsInBlock(*stores[0].statement);
  site.isWhole = (!site.declaration.empty() || isBlock) && filling.part + 1 == filling.parts &&
                 !pending.taking;
  if (pending.call) {
    sites_.push_back(pending.taking ? pending.taking : pending.call);
    if (const auto function = definitionOf(*pending.call->getDirectCallee()->getDefinition()))
      out_.wrappers.push_back(*function);
  }
  site.isTurned = stores[0].isTurned;
  llvm::append_range(sites_, filling.run);
  if (filling.isRunApart)
    site.removed = linesOf({filling.run.begin(), std::prev(filling.run.end())});
  for (const Filling::Store &store : stores) {
    if (!pending.call)
      sites_.push_back(store.statement);
    noteWrapper(store.turner);
  }
  loops_.clear();
  if (pending.function)
    site.calls = calls_[{pending.function, pending.frame}];
  site.frame = pending.frame;
  out_.loads.push_back(std::move(site));
}

void Recovery::noteWrapper(const FunctionDecl *function) {
  if (const auto range = function ? rangeOf(*function) : std::nullopt)
    out_.wrappers.push_back(*range);
}

// Of *p the pointer: one word of what is there is the same where all of it is.
const Expr *Recovery::wholeRead(const Expr *value) {
  const auto *read = dyn_cast<UnaryOperator>(value->IgnoreParens());
  return read && read->getOpcode() == UO_Deref && read->getType()->isRecordType()
             ? read->getSubExpr()
             : value;
}

// `r / 2 % 2 == 0 ? first : second`: what each store gives.
std::string Recovery::chosen(const std::vector<std::string> &values, const Filling &filling,
                             const std::string &name) {
  const std::string number = digitText(
      {nullptr, static_cast<int64_t>(values.size()), filling.storeStride}, filling.count(), name);
  std::string text;
  for (size_t i = 0; i + 1 < values.size(); ++i)
    text += number + " == " + std::to_string(i) + " ? " + values[i] + " : ";
  return text + values.back();
}

std::string Recovery::digitText(const Filling::Counter &digit, int64_t count,
                                const std::string &name) {
  std::string text = name;
  if (digit.stride > 1)
    text += " / " + std::to_string(digit.stride);
  if (digit.stride * digit.extent < count)
    text += " % " + std::to_string(digit.extent);
  return text;
}

bool Recovery::needOfFilling(const VarDecl &variable, AddressFunction &out, std::string &problem,
                             unsigned file) {
  const auto counter =
      llvm::find_if(filling_->nest, [&](const auto &known) { return known.variable == &variable; });
  const bool isStep = !filling_->steps.empty() && llvm::is_contained(filling_->locals, &variable);
  if (counter == filling_->nest.end() && !isStep)
    return false;
  if (!needed_.insert(&variable).second)
    return true;
  nameOfFilling(variable, out);
  if (isStep)
    addFillingSteps(out, problem, file);
  else if (!registerName_.empty()) // else it is the register's number itself
    out.variables.push_back({typeText(variable), siteName(variable),
                             digitText(*counter, filling_->count(), registerName_)});
  return true;
}

// A local called `lane` hides the kernel's; in the lambda that is a parameter, beside it.
void Recovery::nameOfFilling(const VarDecl &variable, const AddressFunction &out) {
  Inputs inputs;
  inputs.TraverseStmt(kernel_.getBody());
  const auto isHidden = [&](const VarDecl *other) {
    const bool isSame = other != &variable && other->getName() == variable.getName();
    const ThreadValue kind =
        isSame && other->getInit() ? classify(other->getInit()) : ThreadValue::Other;
    return kind == ThreadValue::Lane || kind == ThreadValue::Warp;
  };
  if (!isOfKernel(&variable) || llvm::any_of(inputs.found, isHidden))
    takeSiteName(variable, out);
}

// All of them, in the author's order: one may be made from what another was before it changed.
void Recovery::addFillingSteps(AddressFunction &out, std::string &problem, unsigned file) {
  for (const VarDecl *local : filling_->locals)
    if (needed_.insert(local).second)
      nameOfFilling(*local, out);
  for (const Stmt *step : filling_->steps) {
    needAll(step, out, problem, file);
    if (!isa<DeclStmt>(step)) {
      out.variables.push_back({"", "", changeText(*step, out, problem, file)});
      continue;
    }
    for (const Decl *decl : cast<DeclStmt>(step)->decls()) {
      const auto *local = cast<VarDecl>(decl);
      if (!local->getInit()) { // int row; that steps give its value
        out.variables.push_back(
            {"", "",
             typeText(*local).substr(StringRef("const ").size()) + " " + siteName(*local) + ";"});
        continue;
      }
      const std::string type =
          repeatedType(*local, *local->getInit(), sampler_.changes(local), problem);
      out.variables.push_back(
          {type, siteName(*local), textOf(local->getInit(), out, file, problem)});
    }
  }
}

// Of what the step is done under.
static std::string obstacleToConditions(const Stmt &step,
                                        llvm::function_ref<std::string(const Expr &)> obstacle) {
  const auto *branch = dyn_cast<IfStmt>(&step);
  if (!branch)
    return "";
  std::string why = obstacle(*branch->getCond());
  for (const Stmt *arm : {branch->getThen(), branch->getElse()})
    for (const Stmt *stmt : statementsOf(arm))
      why = why.empty() ? obstacleToConditions(*stmt, obstacle) : why;
  return why;
}

// x += 8;  if (i & 1) x += 8; else { x = 0; y = 1; }
std::string Recovery::changeText(const Stmt &step, AddressFunction &out, std::string &problem,
                                 unsigned file) {
  if (const auto change = changeOf(&step))
    return siteName(*change->local) + " " + change->op.str() + " " +
           textOf(change->value, out, file, problem) + ";";
  const auto &branch = *cast<IfStmt>(&step);
  const auto armText = [&](const Stmt *arm) {
    std::string text;
    for (const Stmt *stmt : statementsOf(arm))
      text += (text.empty() ? "" : " ") + changeText(*stmt, out, problem, file);
    return isa<CompoundStmt>(arm) ? "{ " + text + " }" : text;
  };
  std::string text =
      "if (" + textOf(branch.getCond(), out, file, problem) + ") " + armText(branch.getThen());
  if (branch.getElse())
    text += " else " + armText(branch.getElse());
  return text;
}

std::string Recovery::obstacleToLocal(const VarDecl &local, const Filling &filling) {
  const bool isGivenLater =
      !local.getInit() && !filling.steps.empty() && local.getType()->isBuiltinType();
  const bool isHeld = local.hasLocalStorage() && (local.getInit() || isGivenLater) &&
                      (local.getType()->isScalarType() || isMadeOnce(local) ||
                       (!filling.steps.empty() && isRegister(local.getType())));
  size_t changes = 0; // that are among the steps
  const auto obstacle = [&](const Expr &value) {
    std::set<const VarDecl *> made = madeOnceIn(value);
    made.insert(filling.locals.begin(), filling.locals.end());
    return obstacleTo(&value, context_, &made, isa_and_nonnull<CXXMethodDecl>(function_));
  };
  std::string why = isHeld && !isGivenLater ? obstacle(*local.getInit()) : "";
  for (const Stmt *step : filling.steps) {
    bool isIts = false;
    for (const LocalChange &change : changesIn(step))
      if (change.local == &local) {
        ++changes;
        isIts = true;
        why = why.empty() ? obstacle(*change.value) : why;
      }
    if (isIts && why.empty())
      why = obstacleToConditions(*step, obstacle);
  }
  // A function that is called twice is looked at twice.
  const auto &places = sampler_.changesOf(&local);
  const std::set<SourceLocation> once(places.begin(), places.end());
  return isHeld && once.size() == changes && !sampler_.changesUnseen(&local)
             ? why
             : "is made from '" + local.getNameAsString() + "', which changes";
}

// Where variables change on the way, no sample of them is taken: whatever they are made from may
// tell the two warps apart.
bool Recovery::mayDifferForPair(const Filling &filling) {
  bool differs = false;
  const auto isOfBody = [&](const ValueDecl *name) {
    return llvm::is_contained(filling.locals, name) ||
           llvm::any_of(filling.nest,
                        [&](const auto &counter) { return counter.variable == name; });
  };
  const auto look = [&](const Stmt *stmt) {
    ThreadMentions threads;
    threads.TraverseStmt(const_cast<Stmt *>(stmt));
    differs |= threads.hasOther || llvm::any_of(threads.found, [&](const auto &mention) {
                 return !sameForPair(mention.first);
               });
    Mentions([&](const DeclRefExpr &name) {
      const auto *function = dyn_cast<FunctionDecl>(name.getDecl());
      const bool isOther = isa<VarDecl>(name.getDecl()) && !isOfBody(name.getDecl());
      differs |= (isOther && !sameValueForPair(&name)) ||
                 (function && function->hasBody() && sampler_.dependsOnThread(function->getBody()));
    }).TraverseStmt(const_cast<Stmt *>(stmt));
  };
  for (const Stmt *step : filling.steps)
    look(step);
  for (const Filling::Store &store : filling.stores)
    look(store.value);
  return differs;
}

bool Recovery::pragmaAbove(const Stmt &loop, const TextRange &range, TextRange &pragma) const {
  const SourceManager &sm = context_.getSourceManager();
  const SourceLocation begin = loop.getBeginLoc();
  if (begin.isMacroID())
    return false;
  const StringRef text = sm.getBufferData(sm.getFileID(begin)).take_front(sm.getFileOffset(begin));
  const size_t end = text.rtrim(" \t").size();
  const size_t line = text.take_front(end ? end - 1 : 0).rfind('\n') + 1; // npos + 1 is 0
  if (!text.slice(line, end).ltrim().starts_with("#pragma"))
    return false;
  const unsigned behind = static_cast<unsigned>(text.size());
  pragma = {range.file, range.begin - (behind - static_cast<unsigned>(line)),
            range.begin - (behind - static_cast<unsigned>(end))};
  return true;
}

std::string Recovery::freeName() const {
  for (const char *name : {"r", "reg", "word"})
    if (freeName(name) == name)
      return name;
  return "register_";
}

// ... and none of what the filling makes or is given.
std::string Recovery::freeNameBeside(const PendingFilling &pending) const {
  std::string name = freeName();
  const auto isTaken = [&](const VarDecl *variable) { return variable->getName() == name; };
  while (llvm::any_of(pending.filling.locals, isTaken) ||
         llvm::any_of(pending.given, [&](const auto &given) { return isTaken(given.first); }) ||
         llvm::any_of(pending.filling.nest,
                      [&](const auto &counter) { return isTaken(counter.variable); }))
    name += "_";
  return name;
}

std::string Recovery::freeName(const AddressFunction &site) const {
  const auto isTaken = [&](const std::string &name) {
    return name == site.laneName || name == site.warpName ||
           llvm::any_of(site.variables,
                        [&](const auto &variable) { return variable.name == name; });
  };
  std::string name = freeName();
  while (isTaken(name))
    name += "_";
  return name;
}

std::string Recovery::freeName(const std::string &name) const {
  Inputs inputs;
  inputs.TraverseStmt(kernel_.getBody());
  if (function_)
    inputs.TraverseStmt(function_->getBody());
  const bool isTaken =
      llvm::any_of(inputs.found, [&](const VarDecl *v) { return v->getName() == name; });
  return isTaken ? name + "_" : name;
}

// name, name2..: the kernel's text has no such word, and no macro is called so.
std::string Recovery::unusedName(const std::string &name) const {
  const SourceManager &sm = context_.getSourceManager();
  const SourceLocation first = sm.getExpansionLoc(kernel_.getBeginLoc());
  const StringRef text = sm.getBufferData(sm.getFileID(first))
                             .slice(sm.getFileOffset(first),
                                    sm.getFileOffset(sm.getExpansionLoc(kernel_.getEndLoc())));
  const auto isTaken = [&](const std::string &word) {
    return llvm::Regex("(^|[^A-Za-z0-9_])" + llvm::Regex::escape(word) + "([^A-Za-z0-9_]|$)")
               .match(text) ||
           context_.Idents.get(word).hasMacroDefinition();
  };
  std::string unused = name;
  for (int n = 2; isTaken(unused); ++n)
    unused = name + std::to_string(n);
  return unused;
}

void Recovery::declareFirst(const VarDecl &variable, LoadSite &site) {
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
  if (vectorOf(variable.getType(), context_)) { // const or auto, where it had its values
    site.declaration =
        variable.getType().getUnqualifiedType().getAsString(context_.getPrintingPolicy()) + " " +
        variable.getNameAsString();
    return;
  }
  const size_t kept = before.rtrim(" \t\r\n=").size();
  constexpr StringRef isConst = "const ";
  unsigned first = site.range.begin;
  if (context_.getBaseElementType(variable.getType())
          .isConstQualified()) { // where it had its values
    const StringRef declared = before.take_back(list->begin - first);
    if (!declared.starts_with(isConst)) {
      site.problem =
          "'" + variable.getNameAsString() + "' is const in other words than 'const T x[]'";
      return;
    }
    first += static_cast<unsigned>(isConst.size());
  }
  site.declaration = sourceRange(first, list->begin - static_cast<unsigned>(before.size() - kept));
}

// What a function's body reads of the thread's index, itself or in what it calls, is the same for
// both warps.
bool Recovery::asksAlikeForPair(const FunctionDecl &function, int depth) {
  constexpr int kDeepest = 8;
  const FunctionDecl *definition = function.getDefinition();
  if (!definition || !definition->hasBody() || !sampler_.dependsOnThread(definition->getBody()))
    return true;
  // threadIdx.x % 32 / 4 is, though threadIdx.x is not.
  class Apart : public DynamicRecursiveASTVisitor {
  public:
    explicit Apart(Recovery &recovery) : r_(recovery) {}
    bool TraverseStmt(Stmt *stmt) override {
      const auto *expr = dyn_cast_or_null<Expr>(stmt);
      if (expr && threadIndexAxis(expr))
        return !(any = true);
      return (expr && expr->getType()->isIntegerType() && r_.sampler_.dependsOnThread(expr) &&
              r_.sameForPair(expr)) ||
             DynamicRecursiveASTVisitor::TraverseStmt(stmt);
    }
    bool any = false;

  private:
    Recovery &r_;
  };
  ThreadMentions threads;
  threads.TraverseStmt(definition->getBody());
  AsmFinder inside;
  inside.TraverseStmt(definition->getBody());
  Apart apart(*this);
  apart.TraverseStmt(definition->getBody());
  return depth < kDeepest && !threads.hasOther && !apart.any && inside.found.empty() &&
         llvm::all_of(inside.calls, [&](const CallExpr *call) {
           const FunctionDecl *callee = call->getDirectCallee();
           return callee && asksAlikeForPair(*callee, depth + 1);
         });
}

bool Recovery::sameValueForPair(const Expr *expr) {
  if (!sampler_.dependsOnThread(expr) || sameForPair(expr))
    return true;
  expr = expr->IgnoreParens();
  const auto *call = dyn_cast<CallExpr>(expr);
  const FunctionDecl *callee = call ? call->getDirectCallee() : nullptr;
  if (call && (!callee || !asksAlikeForPair(*callee, 0)))
    return false;
  if (const auto *method = dyn_cast<CXXMemberCallExpr>(expr);
      method && sampler_.dependsOnThread(method->getImplicitObjectArgument()))
    return false;
  if (!call &&
      !isa<CastExpr, BinaryOperator, ConditionalOperator, CXXConstructExpr, InitListExpr>(expr))
    return false;
  if (const auto *cast = dyn_cast<CastExpr>(expr); cast && cast->getCastKind() == CK_LValueToRValue)
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

// A number of the launch, in a struct too.
bool Recovery::isSameForAll(const Expr &value) {
  Inputs inputs;
  inputs.TraverseStmt(const_cast<Expr *>(&value));
  return !inputs.readsMemory && !sampler_.dependsOnThread(&value) && !sampler_.asksOthers(&value);
}

bool Recovery::isSameForPair(const Expr &value) {
  const Expr *expr = stripped(&value);
  if (const auto *op = dyn_cast<BinaryOperator>(expr);
      op && (op->isComparisonOp() || op->isLogicalOp()))
    return isSameForPair(*op->getLHS()) && isSameForPair(*op->getRHS());
  return isSameForAll(*expr) || (!isDecided(*expr, 0) && sampler_.sameForPair(expr));
}

bool Recovery::isSameForWarp(const Expr &value) {
  const Expr *expr = stripped(&value);
  if (const auto *op = dyn_cast<BinaryOperator>(expr);
      op && (op->isComparisonOp() || op->isLogicalOp()))
    return isSameForWarp(*op->getLHS()) && isSameForWarp(*op->getRHS());
  return isSameForAll(*expr) || (!isDecided(*expr, 0) && sampler_.sameForWarp(expr));
}

namespace {

// Conditions, of what is computed and in functions that it calls.
class Decisions : public DynamicRecursiveASTVisitor {
public:
  bool TraversePseudoObjectExpr(PseudoObjectExpr *) override { return true; } // an index
  bool VisitStmt(Stmt *stmt) override {
    const auto *op = dyn_cast<BinaryOperator>(stmt);
    const auto *call = dyn_cast<CallExpr>(stmt);
    isFound = isFound || isa<AbstractConditionalOperator, IfStmt, SwitchStmt>(stmt) ||
              isa<ForStmt, WhileStmt, DoStmt, CXXForRangeStmt, GotoStmt, AsmStmt>(stmt) ||
              (op && (op->isComparisonOp() || op->isLogicalOp())) || (call && decides(*call));
    return !isFound;
  }
  bool isFound = false;

private:
  bool decides(const CallExpr &call) {
    const FunctionDecl *callee = call.getDirectCallee();
    const FunctionDecl *definition = callee ? callee->getDefinition() : nullptr;
    if (!definition || !definition->hasBody() || isa<CXXMethodDecl>(definition))
      return true;
    if (seen_.insert(definition).second)
      TraverseStmt(definition->getBody());
    return isFound;
  }
  std::set<const FunctionDecl *> seen_;
};

} // namespace

bool Recovery::isDecided(const Expr &value, int depth) {
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

} // namespace layout_port::native
