#include "warp/uniform/SharedLanes.h"

#include "recover/FromAst.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/Decl.h"
#include "clang/AST/DynamicRecursiveASTVisitor.h"
#include "clang/AST/Expr.h"

#include <set>

using namespace clang;

namespace layout_port {

namespace {

using PlaceOf = std::function<std::optional<Place>(SourceLocation)>;

// The calls of __shfl_sync in one kernel's own text.
class Search : public DynamicRecursiveASTVisitor {
public:
  bool VisitCallExpr(CallExpr *call) override {
    const FunctionDecl *callee = call->getDirectCallee();
    if (callee && callee->getIdentifier() && callee->getName() == "__shfl_sync")
      calls.insert(call);
    return true;
  }
  std::set<const CallExpr *> calls;
};

class Watcher : public recover::Observer {
public:
  Watcher(recover::KernelWalk &walk, const std::set<const CallExpr *> &calls,
          const PlaceOf &placeOf, WarpFacts &facts)
      : walk_(walk), calls_(calls), placeOf_(placeOf), facts_(facts) {}

  void onShuffle(const recover::ShuffleSite &site, const recover::Control &) override {
    if (!calls_.count(site.call))
      return;
    const bool shared = recover::uniformity(walk_.graph(), site.source, walk_.threads()) ==
                        recover::Uniformity::Uniform;
    if (const auto place = placeOf_(site.call->getCallee()->getBeginLoc())) {
      const auto [known, isNew] = facts_.sharedLanes.try_emplace(*place, shared);
      known->second = known->second && shared;
    }
  }

private:
  recover::KernelWalk &walk_;
  const std::set<const CallExpr *> &calls_;
  const PlaceOf &placeOf_;
  WarpFacts &facts_;
};

} // namespace

void findSharedLanes(ASTContext &context, const PlaceOf &placeOf, WarpFacts &facts) {
  for (const FunctionDecl *kernel : recover::findKernels(context)) {
    Search search;
    search.TraverseStmt(kernel->getBody());
    if (search.calls.empty())
      continue;
    recover::KernelWalk walk(context, kernel);
    Watcher watcher(walk, search.calls, placeOf, facts);
    walk.run(watcher);
  }
}

} // namespace layout_port
