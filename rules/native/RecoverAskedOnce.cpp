// A value of the thread's own that several results meet, by the name of a variable that nothing
// else mentions:
//
//   const int col = n0 + lane % 4 * 2;          const int col = lp::of_element(0, [&](int lane, ...
//   const float b = bias[col];           ──▶    const float b = bias[col];
//   p[0] = pack(c[0] + b, c[1] + b);            p[0] = pack(c[0] + b, c[1] + b);
//   p[1] = pack(c[2] + b, c[3] + b);            p[1] = pack(c[2] + b, c[3] + b);
//
// It is asked for once, where the variable is declared, if both warps of a wave have the same: it
// is no matter then which of them has the row that it meets. Or, where all that it is made of is
// made of one variable, and that of nothing else: there.
#include "native/Recovery.h"

#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace layout_port::native {

// The kernel's own `const T b = ...;`, whose text can be written anew, of the same value in both
// warps.
bool Recovery::isAskable(const VarDecl &variable) {
  const QualType type = variable.getType();
  const Expr *value = variable.getInit();
  return variable.isLocalVarDecl() && variable.hasLocalStorage() && isOfKernel(&variable) &&
         value && !type->isReferenceType() && !type->isPointerType() && !type->isArrayType() &&
         !variable.isInitCapture() && blockOf(variable) &&
         value->getBeginLoc() != variable.getLocation() && // T b(...)
         !isa<InitListExpr>(value->IgnoreImplicit()) && sampler_.changesOf(&variable).empty() &&
         !sampler_.changesUnseen(&variable) && isMadeAlikeForPair(*value);
}

const VarDecl *Recovery::askedByName(const Exchange::Met &met) {
  const auto named = [](const Expr *value) { return variableNamed(throughCopies(value)); };
  const VarDecl *variable = named(met.value);
  const bool isIts = variable && !met.counter && !met.under && !met.isPlace &&
                     named(met.lower) == variable && named(met.upper) == variable;
  return isIts && isAskable(*variable) ? variable : nullptr;
}

// `isKnown`: a mention that does not count.
bool Recovery::isMentionedBesides(const VarDecl &variable,
                                  llvm::function_ref<bool(const DeclRefExpr &)> isKnown) {
  bool any = false;
  Mentions mentions([&](const DeclRefExpr &name) {
    any = any || (name.getDecl() == &variable && !isKnown(name));
  });
  mentions.TraverseStmt(kernel_.getBody());
  return any;
}

std::vector<Exchange::Met> Recovery::askedOnce(const std::vector<Exchange::Met> &all) {
  std::map<const VarDecl *, std::set<const Expr *>> named; // where results meet it
  for (const Exchange::Met &met : all)
    if (const VarDecl *variable = askedByName(met))
      for (const Expr *place : {met.value, met.lower, met.upper})
        named[variable].insert(throughCopies(place));
  const auto isOnlyMet = [&](const auto &known) {
    return known.second.size() > 1 &&
           !isMentionedBesides(*known.first, [&](const DeclRefExpr &name) {
             return known.second.count(&name) != 0;
           });
  };
  AskedVariables once;
  for (const auto &known : named)
    if (isOnlyMet(known))
      once[known.first];
  std::vector<Exchange::Met> asked;
  for (const Exchange::Met &met : all) {
    const VarDecl *variable = askedByName(met);
    const auto known = variable ? once.find(variable) : once.end();
    if (known == once.end()) {
      asked.push_back(met);
      continue;
    }
    Exchange::Met &its = known->second;
    if (!its.value)
      its.even = met.even;
    its.value = its.lower = its.upper = known->first->getInit();
    its.bit = met.bit;
    std::set<const VarDecl *> even = std::exchange(its.even, {});
    llvm::copy_if(even, std::inserter(its.even, its.even.end()),
                  [&](const VarDecl *each) { return met.even.count(each) != 0; });
  }
  while (askEarlier(once))
    ;
  for (const auto &[variable, met] : once)
    asked.push_back(met);
  return asked;
}

// The one variable that makes the value the thread's own; null: more does.
const VarDecl *Recovery::onlyOwnIn(const Expr &value) {
  ThreadMentions indices;
  indices.TraverseStmt(const_cast<Expr *>(&value));
  std::set<const VarDecl *> own;
  Inputs inputs;
  inputs.TraverseStmt(const_cast<Expr *>(&value));
  for (const VarDecl *variable : inputs.found)
    if (sampler_.dependsOnThread(variable))
      own.insert(variable);
  return indices.found.empty() && !indices.hasOther && own.size() == 1 ? *own.begin() : nullptr;
}

// Of const float b0 = bias[col], b1 = bias[col + 1]; it is `col` that is asked for.
bool Recovery::askEarlier(AskedVariables &once) {
  for (const auto &[made, met] : once) {
    const VarDecl *from = onlyOwnIn(*made->getInit());
    if (!from || once.count(from) || !isAskable(*from))
      continue;
    std::set<const DeclRefExpr *> within; // mentions by what is asked for
    std::vector<const VarDecl *> others;
    for (const auto &[other, its] : once) {
      if (onlyOwnIn(*other->getInit()) != from)
        continue;
      others.push_back(other);
      Mentions mentions([&](const DeclRefExpr &name) { within.insert(&name); });
      mentions.TraverseStmt(const_cast<Expr *>(other->getInit()));
    }
    if (isMentionedBesides(*from, [&](const DeclRefExpr &name) { return within.count(&name); }))
      continue;
    Exchange::Met first = met;
    first.value = first.lower = first.upper = from->getInit();
    for (const VarDecl *other : others)
      once.erase(other);
    once[from] = first;
    return true;
  }
  return false;
}

} // namespace layout_port::native
