// Products whose loop takes the tiles in another order than it counts (Reordered.h): the loop over
// n is one over what the tiles are numbered by. That nothing else is in it, the plan asks.
#include "native/Recovery.h"

#include "clang/AST/ASTContext.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace layout_port::native {

void Recovery::noteReordered(const DeclStmt &declarations) {
  const auto isCounted = [&](const VarDecl *counter) {
    return sampler_.changesOf(counter).size() == 1 && !sampler_.changesUnseen(counter);
  };
  for (const Decl *declared : declarations.decls()) {
    const auto *variable = dyn_cast<VarDecl>(declared);
    const auto found =
        variable ? reorderedBy(*variable, const_cast<ASTContext &>(context_)) : std::nullopt;
    if (found && sampler_.changesOf(variable).empty() && !sampler_.changesUnseen(variable) &&
        isCounted(found->counter) && llvm::all_of(found->others, isCounted))
      reordered_.push_back(*found);
  }
}

// In turns of the loop over its tiles, and in no others because of that. False: it is another for
// each turn of the counter by something else.
bool Recovery::takeReordered(Slot &slot, const Reordered &found) {
  const std::string name = found.variable->getNameAsString();
  const std::string counter = found.counter->getNameAsString();
  const bool isNamed =
      llvm::any_of(slot.tile, [&](const Index &index) { return index.variable == name; }) ||
      llvm::any_of(slot.flatTerms, [&](const auto &term) { return term.first == name; });
  if (!isNamed)
    return !slot.turns.count(counter);
  if (slot.turnsByName)
    return false;
  std::set<std::string> byOthers;
  for (Index &index : slot.tile) {
    if (index.variable == name)
      index.turns = {name};
    else if (index.turns.count(counter))
      return false;
    byOthers.insert(index.turns.begin(), index.turns.end());
  }
  for (const auto &[term, scale] : slot.flatTerms)
    byOthers.insert(term);
  slot.turns.erase(counter);
  for (const VarDecl *other : found.others)
    if (const std::string its = other->getNameAsString(); !byOthers.count(its))
      slot.turns.erase(its);
  slot.turns.insert(name);
  if (!slot.belowFirst)
    return true;
  Slot below = *slot.belowFirst;
  const bool isTaken = takeReordered(below, found);
  slot.belowFirst = std::make_shared<const Slot>(below);
  return isTaken;
}

void Recovery::takeReordered(MmaSite &mma) const {
  for (const Reordered &found : reordered_) {
    const auto range = texts_.statement(found.loop->getSourceRange());
    const auto loop = llvm::find_if(mma.loops, [&](const Loop &each) {
      return range && !each.isDigit() && each.variable == found.counter->getName() &&
             each.range == *range;
    });
    MmaSite taken = mma;
    bool isNamed = false;
    for (std::vector<Slot> *slots : {&taken.d, &taken.a, &taken.b, &taken.c})
      for (Slot &slot : *slots)
        isNamed |= slot.turns.count(found.counter->getNameAsString()) != 0;
    const bool isTaken =
        loop != mma.loops.end() && isNamed &&
        llvm::all_of(
            std::array{&taken.d, &taken.a, &taken.b, &taken.c}, [&](std::vector<Slot> *slots) {
              return llvm::all_of(*slots, [&](Slot &slot) { return takeReordered(slot, found); });
            });
    if (!isTaken)
      continue;
    Loop &its = taken.loops[static_cast<size_t>(loop - mma.loops.begin())];
    its.counter = its.variable;
    its.variable = found.variable->getNameAsString();
    its.type = parameterType(*found.variable);
    its.first = 0;
    its.last = found.turns;
    its.step = 1;
    its.begin = its.condition = {};
    its.isReordered = true;
    mma = std::move(taken);
  }
}

} // namespace layout_port::native
