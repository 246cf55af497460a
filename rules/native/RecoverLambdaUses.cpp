// When a site that stands in a lambda of the kernel runs: where the lambda is called, not where its
// text is. What its addresses are made of must be the same there.
//
//   int row = lane % 16;
//   auto load = [&](int k) { ldsm4(a, tile + row * LD + k); };
//   row += 16;                                                  load reads other rows from here on
//   for (int k = 0; k < K; k += 16) { load(k); ... }
#include "native/Recovery.h"

#include "clang/AST/DynamicRecursiveASTVisitor.h"
#include "clang/AST/ExprCXX.h"
#include "clang/AST/ParentMapContext.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace layout_port::native {

namespace {

// Where lambdas that are kept in variables are named, with the loops around those places. One that
// names another is where that is named, too.
class LambdaUses : public DynamicRecursiveASTVisitor {
public:
  struct Use {
    const DeclRefExpr *name = nullptr;
    std::vector<const Stmt *> loops; // outermost first
  };
  explicit LambdaUses(const Decl *callOperator) { operators_.insert(callOperator); }

  // Until nothing more is known of them.
  std::vector<Use> in(const Stmt *body) {
    for (size_t before = 0; before != operators_.size() + variables_.size();) {
      before = operators_.size() + variables_.size();
      uses_.clear();
      areOnlyCalled_ = true;
      TraverseStmt(const_cast<Stmt *>(body));
    }
    return std::move(uses_);
  }
  // In variables of their own, whose names stand for calls alone: no other name leads to one.
  bool areKept() const { return variables_.size() == operators_.size() && areOnlyCalled_; }

  bool TraverseStmt(Stmt *stmt) override {
    const bool isLoop = stmt && isa<ForStmt, WhileStmt, DoStmt, CXXForRangeStmt>(stmt);
    if (isLoop)
      loops_.push_back(stmt);
    const bool goesOn = DynamicRecursiveASTVisitor::TraverseStmt(stmt);
    if (isLoop)
      loops_.pop_back();
    return goesOn;
  }
  bool TraverseLambdaExpr(LambdaExpr *lambda) override {
    for (const LambdaCapture &capture : lambda->captures())
      if (capture.capturesVariable() && capture.getCapturedVar()->isInitCapture())
        TraverseStmt(cast<VarDecl>(capture.getCapturedVar())->getInit());
    around_.push_back(lambda->getCallOperator());
    const bool goesOn = TraverseStmt(lambda->getBody());
    around_.pop_back();
    return goesOn;
  }
  bool VisitVarDecl(VarDecl *variable) override {
    const CXXRecordDecl *record = variable->getType()->getAsCXXRecordDecl();
    if (record && record->isLambda() && operators_.count(record->getLambdaCallOperator()))
      variables_.insert(variable);
    return true;
  }
  bool VisitCXXOperatorCallExpr(CXXOperatorCallExpr *call) override {
    if (call->getOperator() == OO_Call)
      called_.insert(stripped(call->getArg(0)));
    return true;
  }
  bool VisitDeclRefExpr(DeclRefExpr *name) override {
    if (!variables_.count(name->getDecl()))
      return true;
    areOnlyCalled_ &= called_.count(name) != 0;
    uses_.push_back({name, loops_});
    operators_.insert(around_.begin(), around_.end());
    return true;
  }

private:
  std::set<const Decl *> operators_, variables_;
  std::set<const Expr *> called_;
  bool areOnlyCalled_ = true;
  std::vector<const Decl *> around_;
  std::vector<const Stmt *> loops_;
  std::vector<Use> uses_;
};

} // namespace

unsigned Recovery::lastRunOfSite(const TextRange &made) {
  unsigned end = siteRange_.begin;
  // A macro that begins the loop may have made it in front of that.
  const auto takeLoop = [&](const TextRange &loop) {
    if (loop.contains(made) && (made.begin > loop.begin || isMadeIn(loop)))
      return false;
    end = std::max(end, loop.end);
    return true;
  };
  for (const Loop &loop : loops_)
    if (takeLoop(loop.range))
      break;
  if (!inLambda_ || function_)
    return end;
  const auto *method = dyn_cast_or_null<CXXMethodDecl>(owner_); // perhaps an instance
  LambdaUses lambda(method ? method->getParent()->getLambdaCallOperator() : owner_);
  for (const LambdaUses::Use &use : lambda.in(kernel_.getBody())) {
    const auto place = texts_.statement(use.name->getSourceRange());
    end = place ? std::max(end, place->end) : out_.range.end;
    for (const Stmt *stmt : use.loops) {
      const auto loop = texts_.statement(stmt->getSourceRange());
      if (!loop)
        return out_.range.end;
      if (takeLoop(*loop))
        break;
    }
  }
  return lambda.areKept() ? end : out_.range.end;
}

// The declaration that is asked about stands in the loop, whatever macro writes both.
bool Recovery::isMadeIn(const TextRange &loop) {
  const Stmt *at = maker_ ? parentOf(DynTypedNode::create(*maker_)) : nullptr;
  for (; at; at = parentOf(DynTypedNode::create(*at)))
    if (isa<ForStmt, WhileStmt, DoStmt, CXXForRangeStmt>(at))
      if (const auto range = texts_.statement(at->getSourceRange()); range && *range == loop)
        return true;
  return false;
}

// A walk that the site's text shows: it runs in the loop, or before it.
const Sampler::Walk *Recovery::walkAtSite(const VarDecl &variable) {
  const Sampler::Walk *walk = sampler_.walkOf(&variable);
  const auto loop = walk ? texts_.statement(walk->loop->getSourceRange()) : std::nullopt;
  const bool isSeen =
      loop && (!inLambda_ || function_ || loop->contains(siteRange_) ||
               lastRunOfSite({loop->file, loop->begin, loop->begin}) <= loop->begin);
  return isSeen || !loop ? walk : nullptr;
}

} // namespace layout_port::native
