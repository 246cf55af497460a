#include "warp/trees/Trees.h"

#include "warp/trees/FirstLane.h"
#include "warp/trees/Steps.h"

#include "clang/AST/ExprCXX.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace layout_port {

using namespace trees;

namespace {

using Kind = ShufflePart::Kind;
using PlaceOf = std::function<std::optional<Place>(SourceLocation)>;

// The steps over one value, and what holds them: a loop, or the statements themselves.
struct Tree {
  std::vector<Step> steps;
  const ForStmt *loop = nullptr;
  std::vector<int64_t> lanes;
};

class TreeFinder {
public:
  TreeFinder(ASTContext &context, Functions &functions, const Body &body)
      : context_(context), functions_(functions), body_(body) {}

  // What is known of shuffles; those that are not in here stand alone.
  std::map<const CallExpr *, ShufflePart> run() {
    for (const ForStmt *loop : body_.loops)
      readLoop(loop);
    for (const CompoundStmt *block : body_.blocks)
      readBlock(block);
    return std::move(parts_);
  }

private:
  // ---- in a loop over the steps

  void readLoop(const ForStmt *loop) {
    const VarDecl *counter = counterOf(loop);
    std::vector<Step> steps;
    conditions_.clear();
    if (!counter || !collect(loop->getBody(), {}, steps) || steps.empty())
      return;
    for (const Step &step : steps)
      if (!isUsedForStepsOnly(step, counter, steps))
        return;
    for (const Step &step : steps)
      settle({{step}, loop, valuesIn(loop, step.lanes, context_)});
  }

  // All statements of a body are steps, or loops of steps over the elements of an array.
  bool collect(const Stmt *body, std::vector<const VarDecl *> elements, std::vector<Step> &steps) {
    lists_.push_back(std::make_unique<std::vector<const Stmt *>>(statementsOf(body)));
    const std::vector<const Stmt *> &list = *lists_.back();
    for (size_t i = 0; i < list.size();) {
      if (const auto *inner = dyn_cast<ForStmt>(list[i])) {
        const auto *next = dyn_cast_or_null<UnaryOperator>(inner->getInc());
        std::vector<const VarDecl *> deeper = elements;
        deeper.push_back(counterOf(inner));
        conditions_.push_back(inner->getCond());
        if (!deeper.back() || !next || !next->isIncrementOp() || !inner->getCond() ||
            inner->getCond()->HasSideEffects(context_) || !collect(inner->getBody(), deeper, steps))
          return false;
        ++i;
        continue;
      }
      const auto step = stepAt(list, i, context_);
      if (!step || !llvm::all_of(elements, [&](const VarDecl *element) {
            return isIndexedBy(step->value, element);
          }))
        return false;
      steps.push_back(*step);
      i += step->statements.size();
    }
    return true;
  }

  // v[i] with i itself: another element in each trip.
  static bool isIndexedBy(const Expr *value, const VarDecl *index) {
    value = value->IgnoreParenImpCasts();
    if (const auto *element = dyn_cast<ArraySubscriptExpr>(value)) {
      const auto *name = dyn_cast<DeclRefExpr>(plain(element->getIdx()));
      return (name && name->getDecl() == index) || isIndexedBy(element->getBase(), index);
    }
    const auto *member = dyn_cast<MemberExpr>(value);
    return member && isIndexedBy(member->getBase(), index);
  }

  // No step's value hangs on the counter, or is looked at by another step.
  bool isUsedForStepsOnly(const Step &step, const VarDecl *counter,
                          const std::vector<Step> &steps) const {
    if (mentions(step.value, counter) || step.base == counter || step.moved == counter ||
        llvm::any_of(conditions_, [&](const Expr *cond) { return mentions(cond, step.base); }))
      return false;
    for (const Step &other : steps) {
      if (&other == &step)
        continue;
      if (!isApart(step.value, other.value, context_) || step.moved == other.base ||
          (step.base != other.base && otherwiseMentions(other, step.base)))
        return false;
    }
    return !indexMentions(step.value, step.base) && isTemporary(step);
  }

  static bool otherwiseMentions(const Step &step, const VarDecl *variable) {
    return llvm::any_of(step.statements,
                        [&](const Stmt *stmt) { return mentions(stmt, variable); });
  }

  static bool indexMentions(const Expr *value, const VarDecl *base) {
    value = value->IgnoreParenImpCasts();
    if (const auto *element = dyn_cast<ArraySubscriptExpr>(value))
      return mentions(element->getIdx(), base) || indexMentions(element->getBase(), base);
    const auto *member = dyn_cast<MemberExpr>(value);
    return member && indexMentions(member->getBase(), base);
  }

  // Nobody but steps looks at what came.
  bool isTemporary(const Step &step) const {
    if (!step.moved)
      return true;
    if (step.moved->getType()->isReferenceType() ||
        (step.guard && mentions(step.guard, step.moved)))
      return false;
    const auto isInStep = [&](const DeclRefExpr *use) {
      return llvm::any_of(step.statements,
                          [&](const Stmt *stmt) { return body_.holds(stmt, use); });
    };
    for (const DeclRefExpr *use : body_.uses(step.moved))
      if (!isInStep(use) && !isAssigned(use))
        return false;
    return true;
  }

  // Left of `t = shuffle`, or in the use that follows it: parts of another step.
  bool isAssigned(const DeclRefExpr *use) const {
    return llvm::any_of(allSteps_, [&](const Step &step) {
      return llvm::any_of(step.statements,
                          [&](const Stmt *stmt) { return body_.holds(stmt, use); });
    });
  }

  // ---- line by line

  void readBlock(const CompoundStmt *block) {
    lists_.push_back(std::make_unique<std::vector<const Stmt *>>(statementsOf(block)));
    const std::vector<const Stmt *> &list = *lists_.back();
    std::vector<Tree> open;
    allSteps_.clear();
    for (size_t i = 0; i < list.size();) {
      if (const auto step = stepAt(list, i, context_)) {
        allSteps_.push_back(*step);
        i += step->statements.size();
      } else {
        ++i;
      }
    }
    for (size_t i = 0; i < list.size();) {
      const auto step = stepAt(list, i, context_);
      if (!step || !valuesIn(nullptr, step->lanes, context_).size()) {
        open.clear();
        ++i;
        continue;
      }
      extend(open, *step);
      i += step->statements.size();
    }
    allSteps_.clear();
  }

  void extend(std::vector<Tree> &open, const Step &step) {
    llvm::erase_if(open, [&](const Tree &tree) {
      const Step &other = tree.steps.front();
      return !isNext(tree, step) &&
             (!isApart(other.value, step.value, context_) || other.moved == step.base ||
              (other.base != step.base && otherwiseMentions(step, other.base)));
    });
    const auto tree = llvm::find_if(open, [&](const Tree &t) { return isNext(t, step); });
    const int64_t lanes = valuesIn(nullptr, step.lanes, context_).front();
    if (tree == open.end()) {
      if (lanes == 16 || lanes == 1)
        open.push_back({{step}, nullptr, {lanes}});
      return;
    }
    tree->steps.push_back(step);
    tree->lanes.push_back(lanes);
    if (tree->steps.size() == 5) {
      settle(*tree);
      open.erase(tree);
    }
  }

  bool isNext(const Tree &tree, const Step &step) const {
    const Step &last = tree.steps.back();
    const int64_t lanes = valuesIn(nullptr, step.lanes, context_).front();
    const int64_t wanted = tree.lanes.front() == 16 ? tree.lanes.back() / 2 : tree.lanes.back() * 2;
    return isSame(last.value, step.value, context_) && last.move == step.move &&
           last.neutral == step.neutral && lanes == wanted;
  }

  // ---- is it one?

  void settle(const Tree &tree) {
    const bool falls = tree.lanes == std::vector<int64_t>{16, 8, 4, 2, 1};
    const bool rises = tree.lanes == std::vector<int64_t>{1, 2, 4, 8, 16};
    if (!falls && !rises) {
      note(tree, {Kind::Alone, 0, ""});
      return;
    }
    for (const Step &step : tree.steps)
      if (!isTemporary(step))
        return note(tree, {Kind::Alone, 0, "what it moves is looked at elsewhere too"});
    if (tree.steps.front().move == Move::Up)
      return note(tree, scanOf(tree, rises));
    for (const Step &step : tree.steps)
      if (step.guard)
        return note(tree, {Kind::Alone, 0, ""});
    const bool down = tree.steps.front().move == Move::Down;
    if (down)
      if (const std::string problem = firstLaneOnly(tree, falls); !problem.empty())
        return note(tree, {Kind::Alone, 0, problem});
    if (rises || tree.steps.front().exact)
      return note(tree, {Kind::Reduction, falls ? 16u : 0u, ""});
    note(tree, {down ? Kind::FirstLane : Kind::Alone, 0, keepsOrder});
  }

  // Upwards rows of 16 come first anyhow: the same sums. Downwards XOR 16 is first.
  static constexpr const char *keepsOrder = "the order of its roundings is the author's";

  ShufflePart scanOf(const Tree &tree, bool rises) const {
    const std::string neutral = tree.steps.front().neutral;
    if (!rises || neutral.empty())
      return {Kind::Alone, 0, ""};
    if (!tree.steps.front().exact)
      return {Kind::Alone, 0, keepsOrder};
    for (const Step &step : tree.steps)
      if (!step.guard || !admits(tree, step))
        return {Kind::Alone, 0, "its lanes are not seen to add from as far as they may"};
    return {Kind::Scan, 0, neutral};
  }

  // lane >= d, d <= lane, !(lane < d)
  bool admits(const Tree &tree, const Step &step) const {
    const Expr *guard = plain(step.guard);
    bool negated = false;
    if (const auto *unary = dyn_cast<UnaryOperator>(guard);
        unary && unary->getOpcode() == UO_LNot) {
      negated = true;
      guard = plain(unary->getSubExpr());
    }
    const auto *compare = dyn_cast<BinaryOperator>(guard);
    if (!compare || !compare->isRelationalOp())
      return false;
    const BinaryOperatorKind kind =
        negated ? BinaryOperator::negateComparisonOp(compare->getOpcode()) : compare->getOpcode();
    const bool turned = kind == BO_LE;
    if (kind != BO_GE && !turned)
      return false;
    const Expr *lane = turned ? compare->getRHS() : compare->getLHS();
    const Expr *least = turned ? compare->getLHS() : compare->getRHS();
    return functions_.isLane(lane) &&
           valuesIn(tree.loop, least, context_) == valuesIn(tree.loop, step.lanes, context_);
  }

  std::string firstLaneOnly(const Tree &tree, bool falls) const {
    const Step &last = tree.steps.back();
    if (!falls || !isa<DeclRefExpr>(last.value))
      return "which lanes look at its result is not seen";
    const Stmt *end = tree.loop ? static_cast<const Stmt *>(tree.loop) : last.statements.back();
    return functions_.othersLook(body_, last.base, end);
  }

  void note(const Tree &tree, const ShufflePart &part) {
    for (const Step &step : tree.steps)
      if (part.kind != Kind::Alone || !parts_.count(step.shuffle))
        parts_[step.shuffle] = part;
  }

  ASTContext &context_;
  Functions &functions_;
  const Body &body_;
  std::vector<std::unique_ptr<std::vector<const Stmt *>>> lists_; // steps point into them
  std::vector<Step> allSteps_;
  std::vector<const Expr *> conditions_; // of the loops over elements
  std::map<const CallExpr *, ShufflePart> parts_;
};

} // namespace

void findTrees(ASTContext &context, const PlaceOf &placeOf, WarpFacts &facts) {
  Functions functions(context, [&](const FunctionDecl *function) {
    const auto place = placeOf(function->getLocation());
    return !place || place->first != 0;
  });
  for (const std::unique_ptr<Body> &body : functions.all()) {
    const auto parts = TreeFinder(context, functions, *body).run();
    for (const CallExpr *call : body->calls) {
      const FunctionDecl *callee = call->getDirectCallee();
      if (!callee || !callee->getIdentifier() || !callee->getName().starts_with("__shfl"))
        continue;
      const auto place = placeOf(call->getCallee()->getBeginLoc());
      const auto found = parts.find(call);
      if (place)
        facts.shuffleParts[*place].insert(found == parts.end() ? ShufflePart() : found->second);
    }
  }
}

} // namespace layout_port
