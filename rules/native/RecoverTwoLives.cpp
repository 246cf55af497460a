// One variable for two operands: ldmatrix fills it here, and there it is made from results.
//
//   Tile a;
//   for (...) {
//     a.load(q);                                        first life: what is read
//     for (...) mma(p[j], a, b);
//   }
//   for (...) {
//     for (int r = 0; r < 4; ++r) a.r[r] = pack(p, r);  second life: what is made
//     for (...) mma(o[j], a, b);
//     a.load(k);                                        first life again
//     for (...) mma(s[j], a, b);
//   }
//
// Registers of the two lie in other ways, so each life is a fragment of its own: a product takes
// the one that the last statement before it began. Where that is not one statement that is
// certainly run, in a block around the product, the variable is one fragment, and not followed.
#include "native/Recovery.h"

#include "clang/AST/DynamicRecursiveASTVisitor.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace layout_port::native {

namespace {

// Above the place of the variable, where a fragment's number has its member's: no variable has
// this.
constexpr uint64_t kMade = uint64_t(0xfffffffd) << 32;

enum class Life { Unknown, Read, Made };

} // namespace

class Recovery::TwoLives {
public:
  TwoLives(Recovery &recovery, uint64_t fragment, const VarDecl &variable)
      : r_(recovery), variable_(variable) {
    for (const MmaSite &mma : r_.out_.mmas)
      noteSites(mma.range, mma.a[0].declaration == fragment, products_);
    for (const LoadSite &load : r_.out_.loads)
      noteSites(load.range, load.registers[0].declaration == fragment, loads_);
  }

  // It is only loaded, multiplied and assigned by the kernel's own text.
  bool areFollowed() {
    bool all = !variable_.getType()->isReferenceType() && isEmptyAtFirst() &&
               llvm::none_of(r_.views_,
                             [&](const auto &view) { return view.second.variable == &variable_; });
    Mentions mentions([&](const DeclRefExpr &name) {
      all = all && (name.getDecl() != &variable_ || isInSite(name) || assignmentOf(name));
    });
    mentions.TraverseStmt(r_.kernel_.getBody());
    return all;
  }

  // Of a product's first operand.
  Life lifeAt(const MmaSite &mma) const {
    for (const Stmt *site : products_)
      if (const auto range = r_.texts_.statement(site->getSourceRange());
          range && *range == mma.range)
        return lifeAt(*site);
    return Life::Unknown;
  }

private:
  void noteSites(const TextRange &range, bool isIts, std::set<const Stmt *> &sites) const {
    for (const Stmt *site : r_.sites_)
      if (const auto its = r_.texts_.statement(site->getSourceRange());
          isIts && its && *its == range)
        sites.insert(site);
  }

  bool isEmptyAtFirst() const {
    const auto *made = dyn_cast_or_null<CXXConstructExpr>(variable_.getInit());
    return !variable_.getInit() || (made && made->getConstructor()->isTrivial());
  }

  const Stmt *parentOf(const Stmt &stmt) const { return r_.parentOf(DynTypedNode::create(stmt)); }
  bool isSite(const Stmt *stmt) const { return products_.count(stmt) || loads_.count(stmt); }
  bool isInSite(const Stmt &stmt) const {
    for (const Stmt *at = &stmt; at; at = parentOf(*at))
      if (isSite(at))
        return true;
    return false;
  }

  // v[r] = value, v.r[r] = value, where the value names no register of v, and is no constant.
  const BinaryOperator *assignmentOf(const DeclRefExpr &name) const {
    const Stmt *at = &name, *above = parentOf(*at);
    for (; above; at = above, above = parentOf(*above)) {
      const auto *element = dyn_cast<ArraySubscriptExpr>(above);
      const auto *cast = dyn_cast<ImplicitCastExpr>(above);
      const bool isPlace = isa<ParenExpr>(above) || (element && element->getBase() == at) ||
                           (cast && cast->getCastKind() == CK_ArrayToPointerDecay) ||
                           (isa<MemberExpr>(above) && !cast_or_null<MemberExpr>(above)->isArrow());
      if (!isPlace)
        break;
    }
    const auto *op = dyn_cast_or_null<BinaryOperator>(above);
    const bool isAssigned = op && op->getOpcode() == BO_Assign && op->getLHS() == at;
    Expr::EvalResult value;
    return isAssigned && !op->getRHS()->EvaluateAsRValue(value, r_.context_) ? op : nullptr;
  }

  // Something in it writes to the variable: whatever is no product.
  bool mayBegin(const Stmt &stmt) const {
    bool any = false;
    Mentions mentions([&](const DeclRefExpr &name) {
      if (name.getDecl() != &variable_)
        return;
      const Stmt *at = &name;
      while (at && !isSite(at))
        at = parentOf(*at);
      any = any || !at || !products_.count(at);
    });
    mentions.TraverseStmt(const_cast<Stmt *>(&stmt));
    return any;
  }

  // Assignments, perhaps in loops that run once at least.
  bool isMade(const Stmt *stmt) const {
    if (const auto *attributed = dyn_cast<AttributedStmt>(stmt))
      return isMade(attributed->getSubStmt());
    if (const auto *loop = dyn_cast<ForStmt>(stmt))
      return r_.runsOnce(*loop) && isMade(loop->getBody());
    if (const auto *block = dyn_cast<CompoundStmt>(stmt))
      return llvm::any_of(block->body(), [&](const Stmt *s) { return mayBegin(*s); }) &&
             llvm::all_of(block->body(), [&](const Stmt *s) {
               return !leaves(s) && (isMade(s) || !mayBegin(*s));
             });
    if (const auto *full = dyn_cast<ExprWithCleanups>(stmt))
      return isMade(full->getSubExpr());
    const auto *op = dyn_cast<BinaryOperator>(stmt);
    return op && op->getOpcode() == BO_Assign && mayBegin(*op->getLHS());
  }

  bool isLoad(const Stmt *stmt) const {
    while (const auto *attributed = dyn_cast<AttributedStmt>(stmt))
      stmt = attributed->getSubStmt();
    const auto *full = dyn_cast<ExprWithCleanups>(stmt);
    return loads_.count(stmt) || (full && loads_.count(full->getSubExpr()));
  }

  // Outwards from the product, the last statement before it that begins a life; none may begin
  // in an earlier turn of a loop on the way.
  Life lifeAt(const Stmt &product) const {
    const Stmt *inner = &product;
    for (const Stmt *outer = parentOf(*inner); outer; inner = outer, outer = parentOf(*outer)) {
      if (isa<LambdaExpr, SwitchStmt, LabelStmt>(outer))
        return Life::Unknown;
      if (isa<ForStmt, WhileStmt, DoStmt, CXXForRangeStmt>(outer) && mayBegin(*outer))
        return Life::Unknown;
      const auto *block = dyn_cast<CompoundStmt>(outer);
      const Stmt *last = nullptr;
      for (const Stmt *stmt : outer->children()) {
        if (stmt == inner)
          break;
        if (block && mayBegin(*stmt))
          last = stmt;
      }
      if (last)
        return isLoad(last) ? Life::Read : isMade(last) ? Life::Made : Life::Unknown;
    }
    return Life::Unknown;
  }

  Recovery &r_;
  const VarDecl &variable_;
  std::set<const Stmt *> products_, loads_;
};

// First operands that are read, of one tile; what is made gets a number of its own.
void Recovery::partLives() {
  const auto isWhole = [](const Slot &slot, uint64_t fragment) {
    return slot.declaration == fragment && slot.tile.empty() && !slot.isScalar && !slot.isSwapped &&
           !slot.flatRegisters;
  };
  const std::map<uint64_t, Root> roots = roots_;
  for (const auto &[fragment, root] : roots) {
    const auto isIts = [&, id = fragment](const Slot &slot) { return slot.declaration == id; };
    const auto isPlain = [&, id = fragment](const std::vector<Slot> &slots) {
      return llvm::all_of(slots, [&](const Slot &slot) { return isWhole(slot, id); });
    };
    std::vector<MmaSite *> mmas;
    bool isFirst = !scalarOf(fragment) && isOfKernel(root.variable);
    bool isRead = false;
    for (MmaSite &mma : out_.mmas) {
      const bool isA = llvm::any_of(mma.a, isIts);
      isFirst &= llvm::none_of(mma.b, isIts) && llvm::none_of(mma.d, isIts) &&
                 llvm::none_of(mma.c, isIts) &&
                 (!isA || (isPlain(mma.a) && mma.calls.empty() && !mma.frame));
      if (isA)
        mmas.push_back(&mma);
    }
    for (const LoadSite &load : out_.loads)
      if (llvm::any_of(load.registers, isIts)) {
        isFirst &= isPlain(load.registers) && load.calls.empty() && !load.frame &&
                   !load.isGathered() && !load.isAhead && load.removed.empty();
        isRead = true;
      }
    TwoLives lives(*this, fragment, *root.variable);
    if (!isFirst || !isRead || mmas.empty() || !lives.areFollowed())
      continue;
    std::vector<Life> of;
    for (const MmaSite *mma : mmas)
      of.push_back(lives.lifeAt(*mma));
    if (llvm::is_contained(of, Life::Unknown) || !llvm::is_contained(of, Life::Made))
      continue;
    const uint64_t made = kMade | (fragment & 0xffffffff);
    if (!roots_.try_emplace(made, root).second)
      continue;
    madeLives_[fragment] = made;
    for (size_t i = 0; i < mmas.size(); ++i)
      for (Slot &slot : mmas[i]->a)
        if (of[i] == Life::Made)
          slot.declaration = made;
  }
}

// All that other code does to such a variable is done to what it makes.
void Recovery::partUses() {
  for (FragmentUse &use : out_.uses)
    if (const auto made = madeLives_.find(use.declaration); made != madeLives_.end())
      use.declaration = made->second;
  for (Kernel::Variable &variable : out_.variables)
    for (const auto &[read, made] : madeLives_)
      if (variable.declaration == read || variable.declaration == made)
        variable.registers = {}; // they are not to grow
}

} // namespace layout_port::native
