// Every element goes to a place of its own. Of two that go to one place another may be the last in
// the port; so the places are computed for all threads and turns of loops, and compared.
#include "native/EpilogueFinder.h"

#include "native/AstRead.h"
#include "native/SharedFlow.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/DynamicRecursiveASTVisitor.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace layout_port::native {

// ---- what is written, and how often

bool EpilogueFinder::isPlaceType(QualType type) {
  return type->isIntegralOrEnumerationType() || type->isPointerType();
}

// Every element goes to a place of its own. What one thread writes twice, or counts up, has an
// order that is lost when other lanes act for it.
bool EpilogueFinder::isWrittenOnce(const Group &group, const std::vector<Touch> &touches) {
  std::vector<const Expr *> places;
  const auto isOfFunction = [](const Touch &touch) { return touch.isWrite && touch.call; };
  if (llvm::any_of(touches, isOfFunction))
    return functionsWriteOnce(group, touches);
  for (const Touch &touch : touches)
    if (touch.isWrite && touch.place && (!touch.root || !isRegisters(touch.root)))
      addPlace(*touch.place, places, [&](const Expr &one, const Expr &other) {
        return sameText(&one, &other) || liesWithin(group, one, other);
      });
  if (!areOfOneValue(group, places))
    return false;
  if (!group.isRow || !group.rowLoop)
    return lieApart(group, places, countersAround(group));
  llvm::erase_if(places, [&](const Expr *place) { // of tiles
    return llvm::any_of(groups_, [&](const Group &tile) { return isWithin(place, tile.stmts); });
  });
  Sampler::Counters rows;
  addCounter(*group.rowLoop, rows);
  return lieApart(group, places, rows);
}

// Of two arms, what the one writes within what the other does is no place of its own: a thread
// comes to one of them.
void EpilogueFinder::addPlace(
    const Expr &place, std::vector<const Expr *> &places,
    llvm::function_ref<bool(const Expr &, const Expr &)> liesWithin) const {
  const auto isIn = [&](const Expr &one, const Expr &other) {
    return excludeEachOther(one, other) && liesWithin(one, other);
  };
  if (llvm::any_of(places, [&](const Expr *other) { return isIn(place, *other); }))
    return;
  llvm::erase_if(places, [&](const Expr *other) { return isIn(*other, place); });
  places.push_back(&place);
}

// In all turns that both stand in.
bool EpilogueFinder::liesWithin(const Group &group, const Expr &place, const Expr &other) {
  Sampler::Counters counters = countersAround(group);
  for (const ForStmt *loop : loopsIn(group.stmts))
    if (contains(loop, &place) && contains(loop, &other))
      addCounter(*loop, counters);
  return in_.sampler.liesWithin(place, other, counters);
}

// Of nothing that the statements declare and change: what it is by then is not followed.
bool EpilogueFinder::areOfOneValue(const Group &group, const std::vector<const Expr *> &places) {
  std::set<const VarDecl *> own = declared(group.stmts);
  for (const ForStmt *loop : loopsIn(group.stmts))
    own.erase(counterOf(*loop));
  for (const Expr *place : places) {
    std::set<const VarDecl *> made;
    addMakers(place, made);
    for (const VarDecl *variable : made)
      if (own.count(variable) && in_.sampler.changes(variable) && isPlaceType(variable->getType()))
        return refuse("whether each element is written to a place of its own is not clear",
                      place->getSourceRange());
  }
  return true;
}

// One expression; of a cached store what its pointer leads to, each time it is looked at.
static bool isOnePlace(const Expr &a, const Expr &b) {
  const auto *its = dyn_cast<UnaryOperator>(&a), *others = dyn_cast<UnaryOperator>(&b);
  return &a == &b || (its && others && its->getSubExpr() == others->getSubExpr());
}

// All that is written is written by calls of one function. To its places, its parameters are
// what the call gives: of two calls, one or the other.
bool EpilogueFinder::functionsWriteOnce(const Group &group, const std::vector<Touch> &touches) {
  std::vector<const CallExpr *> calls;
  std::vector<const Expr *> places;
  const FunctionDecl *function = nullptr;
  const VarDecl *object = nullptr;
  for (const Touch &touch : touches) {
    if (!touch.isWrite || (touch.root && isRegisters(touch.root)))
      continue;
    const FunctionDecl *its = touch.call ? storingFunction(*touch.call) : nullptr;
    const bool isOther = function && (its != function || objectOf(*touch.call) != object);
    if (!its || !touch.place || isOther || group.isRow)
      return refuse("whether each element is written to a place of its own is not clear",
                    touch.anchor() ? touch.anchor()->getSourceRange()
                                   : group.stmts.front()->getSourceRange());
    function = its;
    object = objectOf(*touch.call);
    if (!llvm::is_contained(calls, touch.call))
      calls.push_back(touch.call);
    if (llvm::none_of(places, [&](const Expr *other) { return isOnePlace(*other, *touch.place); }))
      places.push_back(touch.place);
  }
  if (!function)
    return true;
  Sampler::Counters counters = countersAround(group);
  for (const ForStmt *loop : loopsIn(group.stmts))
    if (llvm::any_of(calls, [&](const CallExpr *call) { return contains(loop, call); }))
      addCounter(*loop, counters);
  std::vector<std::pair<const VarDecl *, const Expr *>> before;
  const VarDecl *which = numberOfCall(calls.size(), counters);
  for (unsigned i = 0; i < function->getNumParams(); ++i) {
    const ParmVarDecl *parameter = function->getParamDecl(i);
    const QualType type = parameter->getType();
    const Expr *given = isPlaceType(type) ? eitherArgument(calls, i, which) : nullptr;
    before.push_back({parameter, in_.sampler.aliasOf(parameter)});
    in_.sampler.alias(parameter, given);
  }
  std::set<const VarDecl *> counts;
  for (const ForStmt *loop : loopsIn({function->getBody()})) {
    addCounter(*loop, counters);
    counts.insert(counterOf(*loop));
  }
  for (const VarDecl *local : declared({function->getBody()})) { // made of those
    if (counts.count(local))
      continue;
    before.push_back({local, nullptr});
    in_.sampler.alias(local, local->getInit());
  }
  in_.sampler.takeObject(object != nullptr);
  std::vector<const Expr *> once;
  for (const Expr *place : places)
    addPlace(*place, once, [&](const Expr &one, const Expr &other) {
      return in_.sampler.liesWithin(one, other, counters);
    });
  const bool holds = liesApart(once, counters);
  in_.sampler.takeObject(false);
  for (const auto &[parameter, argument] : before)
    in_.sampler.alias(parameter, argument);
  return holds;
}

// A counter that no loop has: which of the calls.
const VarDecl *EpilogueFinder::numberOfCall(size_t calls, Sampler::Counters &counters) const {
  if (calls < 2)
    return nullptr;
  ASTContext &context = in_.context;
  VarDecl *which = VarDecl::Create(context, const_cast<FunctionDecl *>(&in_.kernel),
                                   in_.kernel.getLocation(), in_.kernel.getLocation(),
                                   &context.Idents.get("which"), context.IntTy, nullptr, SC_None);
  std::vector<int64_t> turns;
  for (size_t i = 0; i < calls; ++i)
    turns.push_back(static_cast<int64_t>(i));
  counters.push_back({which, std::move(turns)});
  return which;
}

// which == 0 ? the first call's : which == 1 ? ...
const Expr *EpilogueFinder::eitherArgument(const std::vector<const CallExpr *> &calls,
                                           unsigned parameter, const VarDecl *which) const {
  ASTContext &context = in_.context;
  Expr *either = const_cast<Expr *>(argumentOf(*calls.back(), parameter));
  const SourceLocation at = in_.kernel.getLocation();
  for (size_t i = calls.size() - 1; either && i-- > 0;) {
    Expr *own = const_cast<Expr *>(argumentOf(*calls[i], parameter));
    auto *name =
        DeclRefExpr::Create(context, NestedNameSpecifierLoc(), SourceLocation(),
                            const_cast<VarDecl *>(which), false, at, context.IntTy, VK_LValue);
    auto *value = ImplicitCastExpr::Create(context, context.IntTy, CK_LValueToRValue, name, nullptr,
                                           VK_PRValue, FPOptionsOverride());
    auto *number = IntegerLiteral::Create(context, llvm::APInt(32, i), context.IntTy, at);
    auto *isIt = BinaryOperator::Create(context, value, number, BO_EQ, context.BoolTy, VK_PRValue,
                                        OK_Ordinary, at, FPOptionsOverride());
    either = new (context)
        ConditionalOperator(isIt, at, own, at, either, own->getType(), VK_PRValue, OK_Ordinary);
  }
  return either;
}

bool EpilogueFinder::liesApart(const std::vector<const Expr *> &places,
                               const Sampler::Counters &counters, uint64_t share) {
  const std::optional<bool> areApart = in_.sampler.areApart(places, counters, share);
  if (areApart && *areApart)
    return true;
  return refuse(areApart ? "several elements are written to one place"
                         : "whether each element is written to a place of its own is not clear",
                places.front()->getSourceRange());
}

// Places in different loops are counted by those around each:
//
//   for (int e = 0; e < 4; ++e) C[p + e] = ...;     p .. p + 3
//   D[q] = ...;                                     q alone, once
bool EpilogueFinder::lieApart(const Group &group, const std::vector<const Expr *> &places,
                              const Sampler::Counters &around) {
  std::vector<std::pair<Loops, std::vector<const Expr *>>> byLoops;
  for (const Expr *place : places) {
    Loops loops = loopsAround(*place, group);
    auto known = llvm::find_if(byLoops, [&](const auto &each) { return each.first == loops; });
    if (known == byLoops.end())
      known = byLoops.insert(known, {std::move(loops), {}});
    known->second.push_back(place);
  }
  for (auto one = byLoops.begin(); one != byLoops.end(); ++one)
    for (auto other = one; other != byLoops.end(); ++other) {
      Sampler::Counters counters = around;
      Loops single; // around one of the two
      for (const ForStmt *loop : one->first)
        if (llvm::is_contained(other->first, loop))
          addCounter(*loop, counters);
        else
          single.push_back(loop);
      for (const ForStmt *loop : other->first)
        if (!llvm::is_contained(one->first, loop))
          single.push_back(loop);
      std::vector<const Expr *> both = one->second;
      if (other != one)
        llvm::append_range(both, other->second);
      Sampler::Counters turns;
      for (const ForStmt *loop : single)
        addCounter(*loop, turns);
      if (!lieApartInTurns(both, turns, counters))
        return false;
    }
  return true;
}

// In any one turn of each of the loops, all together one question.
bool EpilogueFinder::lieApartInTurns(const std::vector<const Expr *> &places,
                                     const Sampler::Counters &loops, Sampler::Counters &counters,
                                     size_t first, uint64_t share) {
  if (first == loops.size())
    return liesApart(places, counters, share);
  constexpr uint64_t kMost = 1 << 30; // of it there is nothing left
  const auto &[counter, turns] = loops[first];
  const uint64_t its = std::min(share * turns.size(), kMost);
  for (const int64_t turn : turns) {
    counters.push_back({counter, {turn}});
    const bool holds = lieApartInTurns(places, loops, counters, first + 1, its);
    counters.pop_back();
    if (!holds)
      return false;
  }
  return true;
}

// Loops of the group's own around the place, the innermost first.
EpilogueFinder::Loops EpilogueFinder::loopsAround(const Expr &place, const Group &group) const {
  Loops loops;
  for (const Stmt *at = &place; at && isWithin(at, group.stmts); at = parentOf(at))
    if (const auto *loop = dyn_cast<ForStmt>(at))
      loops.push_back(loop);
  return loops;
}

// In two arms of one 'if'.
bool EpilogueFinder::excludeEachOther(const Stmt &a, const Stmt &b) const {
  for (const Stmt *at = &a; at; at = parentOf(at))
    if (const auto *branch = dyn_cast<IfStmt>(at); branch && contains(branch, &b))
      return branch->getElse() &&
             contains(branch->getThen(), &a) != contains(branch->getThen(), &b) &&
             !contains(branch->getCond(), &a) && !contains(branch->getCond(), &b);
  return false;
}

// ---- by which turns

// Of the loops around over tiles, that its tile is made from, and the one over rows.
Sampler::Counters EpilogueFinder::countersAround(const Group &group) {
  std::set<const VarDecl *> made;
  for (const RegisterAccess &access : group.accesses)
    if (access.flatTile)
      addMakers(access.expr, made);
    else
      for (const Expr *index : access.tile)
        addMakers(index, made);
  Sampler::Counters counters;
  if (group.rowLoop)
    addCounter(*group.rowLoop, counters);
  for (const Stmt *at = parentOf(group.stmts.front()); at; at = parentOf(at))
    if (const auto *loop = dyn_cast<ForStmt>(at);
        loop && loop != group.rowLoop && made.count(counterOf(*loop)) && !waitsInTurns(*loop))
      addCounter(*loop, counters);
  return counters;
}

void EpilogueFinder::addCounter(const ForStmt &loop, Sampler::Counters &counters) const {
  constexpr int64_t kSome = 4; // where the bounds are no constants
  const VarDecl *counter = counterOf(loop);
  if (!counter)
    return;
  std::vector<int64_t> turns = Sampler::turnsOf(in_.loopOf(&loop));
  for (int64_t i = 0; turns.empty() && i < kSome; ++i)
    turns.push_back(i);
  counters.push_back({counter, std::move(turns)});
}

} // namespace layout_port::native
