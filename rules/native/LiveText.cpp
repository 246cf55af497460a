#include "native/LiveText.h"

#include "native/Asked.h"
#include "native/Texts.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/Decl.h"
#include "clang/AST/ExprCXX.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/STLExtras.h"

#include <set>

using namespace clang;

namespace layout_port::native {

namespace {

class Finder {
public:
  Finder(const ASTContext &context, const PlaceOf &placeOf, Kernel &kernel)
      : context_(context), texts_(context, placeOf), kernel_(kernel) {}

  void walk(const Stmt *stmt) {
    if (!stmt)
      return;
    if (const auto *branch = dyn_cast<IfStmt>(stmt)) {
      walk(branch->getInit());
      walk(branch->getConditionVariableDeclStmt());
      return arms(branch->getCond(), branch->getThen(), branch->getElse());
    }
    if (const auto *choice = dyn_cast<ConditionalOperator>(stmt))
      return arms(choice->getCond(), choice->getTrueExpr(), choice->getFalseExpr());
    if (const auto *op = dyn_cast<BinaryOperator>(stmt); op && op->getOpcode() == BO_LAnd)
      return arms(op->getLHS(), op->getRHS(), nullptr);
    if (const auto *op = dyn_cast<BinaryOperator>(stmt); op && op->getOpcode() == BO_LOr)
      return arms(op->getLHS(), nullptr, op->getRHS());
    if (const auto *call = dyn_cast<CallExpr>(stmt))
      enter(call->getDirectCallee());
    if (const auto *made = dyn_cast<CXXConstructExpr>(stmt))
      enter(made->getConstructor());
    for (const Stmt *child : stmt->children())
      walk(child);
  }

private:
  void arms(const Expr *condition, const Stmt *yes, const Stmt *no) {
    walk(condition);
    bool holds = false;
    const bool isKnown = !condition->isValueDependent() && !condition->HasSideEffects(context_) &&
                         condition->EvaluateAsBooleanCondition(holds, context_);
    for (const auto &[arm, isTaken] : {std::pair(yes, holds), std::pair(no, !holds)}) {
      if (!arm)
        continue;
      if (!isKnown || isTaken)
        walk(arm);
      else if (const auto range = texts_.statement(arm->getSourceRange()); range && !depth_)
        kernel_.dead.push_back(*range);
    }
  }

  void enter(const FunctionDecl *function) {
    const FunctionDecl *definition = function ? function->getDefinition() : nullptr;
    const SourceManager &sm = context_.getSourceManager();
    if (!definition || !definition->hasBody() || !seen_.insert(definition).second ||
        sm.isInSystemHeader(sm.getExpansionLoc(definition->getLocation())))
      return;
    if (const auto range = texts_.statement(definition->getSourceRange()))
      kernel_.called.push_back(*range);
    ++depth_;
    walk(definition->getBody());
    --depth_;
  }

  const ASTContext &context_;
  const Texts texts_;
  Kernel &kernel_;
  std::set<const FunctionDecl *> seen_;
  int depth_ = 0;
};

std::vector<TextRange> askedBetween(const Kernel &kernel) {
  std::vector<TextRange> all;
  if (!kernel.staysNative())
    return all;
  for (const SourceEdit &edit : editsBetween(kernel))
    all.push_back(edit.range);
  for (const Between::Shuffle &shuffle : kernel.between->shuffles)
    all.push_back(shuffle.range);
  return all;
}

bool contain(const std::vector<TextRange> &all, const TextRange &range) {
  return llvm::any_of(all, [&](const TextRange &each) { return each.contains(range); });
}

} // namespace

void findLiveText(const ASTContext &context, const PlaceOf &placeOf, const FunctionDecl &function,
                  Kernel &kernel) {
  Finder(context, placeOf, kernel).walk(function.getBody());
}

std::optional<TextRange> askedByOne(const Kernel &one, const Kernel &other) {
  const std::vector<TextRange> its = askedBetween(other);
  for (const TextRange &range : askedBetween(one)) {
    const bool isAsked = llvm::any_of(
        its, [&](const TextRange &each) { return each.contains(range) && range.contains(each); });
    const bool isHere =
        other.range.contains(range) ? !contain(other.dead, range) : contain(other.called, range);
    if (!isAsked && isHere)
      return range;
  }
  return std::nullopt;
}

} // namespace layout_port::native
