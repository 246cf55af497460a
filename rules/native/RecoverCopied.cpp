// Operands that are copied from one variable to another, as a kernel does that reads a step ahead:
//
//   load(next, k + 16);  mma(c, a, b);  a = next;
//
// Both have one layout, so that the copy stays as it is where it takes all registers of all tiles:
// a struct as a whole, or element by element, in loops over all of them or one behind the other.
// So does a declaration, const Fragment now = next;  where that is what the struct begins with.
#include "native/Recovery.h"

#include "native/FragmentName.h"
#include "native/MergeRows.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/DynamicRecursiveASTVisitor.h"
#include "clang/AST/ExprCXX.h"

using namespace clang;

namespace layout_port::native {

// The copies of a kernel, with the loops over elements that are around them.
class Recovery::CopyFinder : public DynamicRecursiveASTVisitor {
public:
  explicit CopyFinder(Recovery &recovery) : r_(recovery) {}

  bool TraverseStmt(Stmt *stmt) override {
    if (!stmt || isa<LambdaExpr>(stmt))
      return true;
    const auto *branch = dyn_cast<IfStmt>(stmt);
    const bool isLoop = isa<ForStmt, WhileStmt, DoStmt, CXXForRangeStmt>(stmt);
    if ((branch && !branch->isConstexpr() && !r_.sameForWave(branch->getCond())) ||
        (isLoop && !r_.countsAlikeForPair(*stmt)) ||
        (isa<CompoundStmt>(stmt) && partsTurn(*stmt, false, false)) ||
        isa<SwitchStmt, ConditionalOperator>(stmt))
      return true;
    std::vector<const Stmt *> outer = loops_;
    if (branch || leavesTurn(*stmt))
      loops_.clear(); // they do not run over all, for what is in here
    if (isLoop)
      loops_.push_back(stmt);
    const bool go = DynamicRecursiveASTVisitor::TraverseStmt(stmt);
    loops_ = std::move(outer);
    return go;
  }
  bool VisitBinaryOperator(BinaryOperator *op) override {
    if (op->getOpcode() == BO_Assign)
      note(*op, *op->getLHS(), *op->getRHS());
    return true;
  }
  bool VisitCXXOperatorCallExpr(CXXOperatorCallExpr *op) override {
    const auto *callee = dyn_cast_or_null<CXXMethodDecl>(op->getDirectCallee());
    if (callee && callee->isTrivial() && op->getOperator() == OO_Equal && op->getNumArgs() == 2)
      note(*op, *op->getArg(0), *op->getArg(1));
    return true;
  }

  // const Fragment now = next;
  bool VisitVarDecl(VarDecl *variable) override {
    const Expr *from = copiedBy(*variable);
    const auto here = from ? placeOf(*from) : std::nullopt;
    const Place there{variable, nullptr, {}};
    if (here && variable->hasLocalStorage() && mayBeCopied(there, *here))
      add(there, *here, variable->getInit()->getSourceRange(), true);
    return true;
  }

  // a[0] = next[0];  a[1] = next[1];  ...
  bool VisitCompoundStmt(CompoundStmt *block) override {
    std::vector<Piece> run;
    std::set<int64_t> numbers;
    for (const Stmt *stmt : block->body()) {
      const auto piece = pieceOf(*stmt);
      if (!piece ||
          (!run.empty() && !(piece->to.isOfSame(run[0].to) && piece->from.isOfSame(run[0].from)))) {
        run.clear();
        numbers.clear();
      }
      if (!piece)
        continue;
      run.push_back(*piece);
      numbers.insert(piece->number);
      const QualType type = typeOf(piece->to);
      const auto *array = r_.context_.getAsConstantArrayType(type);
      if (array && !array->getElementType()->isArrayType() &&
          static_cast<int64_t>(numbers.size()) == array->getSize().getSExtValue())
        add(run[0].to, run[0].from,
            {run[0].statement->getBeginLoc(), piece->statement->getEndLoc()}, false);
    }
    return true;
  }

private:
  // A block, of which a turn may do a part.
  static bool leavesTurn(const Stmt &stmt) {
    class Jumps : public DynamicRecursiveASTVisitor {
    public:
      bool VisitStmt(Stmt *at) override {
        any |= isa<BreakStmt, ContinueStmt, ReturnStmt, GotoStmt>(at);
        return !any;
      }
      bool any = false;
    } jumps;
    if (isa<CompoundStmt>(stmt))
      jumps.TraverseStmt(const_cast<Stmt *>(&stmt));
    return jumps.any;
  }

  // A block that some lanes of a wave may leave before the others:
  //
  //   for (..) { if (lane < 7) continue; .. }
  //
  // `isParted`: a condition around tells lanes apart; `isInner`: a loop in the block is around.
  bool partsTurn(const Stmt &stmt, bool isParted, bool isInner) const {
    if (isa<BreakStmt, ContinueStmt>(stmt))
      return isParted && !isInner;
    if (isa<ReturnStmt, GotoStmt, IndirectGotoStmt>(stmt))
      return isParted;
    if (isa<Expr, DeclStmt, AsmStmt>(stmt))
      return false;
    const auto *branch = dyn_cast<IfStmt>(&stmt);
    const auto *choice = dyn_cast<SwitchStmt>(&stmt);
    const bool isLoop = isa<ForStmt, WhileStmt, DoStmt, CXXForRangeStmt>(stmt);
    const Expr *condition = choice                             ? choice->getCond()
                            : branch && !branch->isConstexpr() ? branch->getCond()
                                                               : nullptr;
    isParted |=
        (condition && !r_.sameForWave(condition)) || (isLoop && !r_.countsAlikeForPair(stmt));
    return llvm::any_of(stmt.children(), [&](const Stmt *child) {
      return child && partsTurn(*child, isParted, isInner || isLoop);
    });
  }

  // x.part[i][j]: the variable, and what leads from it to the place.
  struct Place {
    const VarDecl *variable = nullptr;
    const FieldDecl *part = nullptr;
    std::vector<const Expr *> indices; // innermost first
    bool isOfSame(const Place &other) const {
      return variable == other.variable && part == other.part;
    }
  };
  // A copy of one element.
  struct Piece {
    Place to, from;
    int64_t number = 0;
    const Stmt *statement = nullptr;
  };
  std::optional<Piece> pieceOf(const Stmt &stmt) const {
    const auto *op = dyn_cast<BinaryOperator>(&stmt);
    if (!op || op->getOpcode() != BO_Assign)
      return std::nullopt;
    const auto there = placeOf(*op->getLHS()), here = placeOf(*op->getRHS());
    if (!there || !here || !mayBeCopied(*there, *here) || there->indices.size() != 1)
      return std::nullopt;
    const auto number = r_.constant(there->indices[0]);
    return number ? std::optional(Piece{*there, *here, *number, &stmt}) : std::nullopt;
  }
  static QualType typeOf(const Place &place) {
    return place.part ? place.part->getType() : place.variable->getType();
  }

  static std::optional<Place> placeOf(const Expr &expr) {
    Place place;
    const Expr *at = stripped(&expr);
    while (const auto *access = dyn_cast<ArraySubscriptExpr>(at)) {
      place.indices.push_back(access->getIdx());
      at = stripped(access->getBase());
    }
    if (const auto *member = dyn_cast<MemberExpr>(at); member && !member->isArrow()) {
      place.part = dyn_cast<FieldDecl>(member->getMemberDecl());
      at = stripped(member->getBase());
    }
    const auto *name = dyn_cast<DeclRefExpr>(at);
    place.variable = name ? dyn_cast<VarDecl>(name->getDecl()) : nullptr;
    const bool isOwn = place.variable && place.variable->hasLocalStorage() &&
                       !place.variable->getType()->isReferenceType() &&
                       !place.variable->getType()->isPointerType();
    return isOwn ? std::optional(place) : std::nullopt;
  }

  bool mayBeCopied(const Place &to, const Place &from) const {
    return to.variable != from.variable && to.part == from.part && areAlike(to, from) &&
           r_.context_.hasSameUnqualifiedType(to.variable->getType(), from.variable->getType());
  }
  void note(const Expr &copy, const Expr &to, const Expr &from) {
    const auto there = placeOf(to), here = placeOf(*throughCopies(&from));
    if (there && here && mayBeCopied(*there, *here) && coversAll(*there))
      add(*there, *here, copy.getSourceRange(),
          there->indices.empty() || to.getType()->isRecordType());
  }
  // Of registers that are variables of their own, one is no operand.
  void add(const Place &to, const Place &from, SourceRange copy, bool isWhole) {
    const auto range = r_.texts_.statement(copy);
    if (!range)
      return;
    std::vector<Root> sources; // whose other uses are uses of operands
    for (const auto &[fragment, root] : r_.roots_)
      if (root.variable == to.variable && (!to.part || root.part == to.part) &&
          !r_.scalarOf(fragment)) {
        sources.push_back({from.variable, root.part});
        r_.out_.copies.push_back(
            {fragmentOf(*from.variable, root.part), fragment, *range, isWhole});
      }
    for (const Root &source : sources)
      r_.roots_.try_emplace(fragmentOf(*source.variable, source.part), source);
  }
  bool areAlike(const Place &a, const Place &b) const {
    if (a.indices.size() != b.indices.size())
      return false;
    for (size_t i = 0; i < a.indices.size(); ++i) {
      llvm::FoldingSetNodeID x, y;
      a.indices[i]->Profile(x, r_.context_, true);
      b.indices[i]->Profile(y, r_.context_, true);
      if (!(x == y))
        return false;
    }
    return true;
  }

  // Each index is the counter of a loop of its own, over all there is.
  bool coversAll(const Place &place) const {
    QualType type = typeOf(place);
    std::set<const VarDecl *> counters;
    for (const Expr *index : llvm::reverse(place.indices)) {
      const auto *array = r_.context_.getAsConstantArrayType(type);
      const VarDecl *counter = variableNamed(index);
      if (!array || !counter || !counters.insert(counter).second ||
          !runsOver(*counter, array->getSize().getSExtValue()))
        return false;
      type = array->getElementType();
    }
    return !type->isArrayType();
  }
  bool runsOver(const VarDecl &counter, int64_t extent) const {
    return llvm::any_of(loops_, [&](const Stmt *stmt) {
      const auto *loop = dyn_cast<ForStmt>(stmt);
      const auto counted = loop ? plainCounter(loop, r_.context_) : std::nullopt;
      return counted && counted->first == &counter && counted->second == extent;
    });
  }

  Recovery &r_;
  std::vector<const Stmt *> loops_;
};

void Recovery::findCopies() {
  for (size_t before = 1; before != out_.copies.size();) { // copies of copies
    before = out_.copies.size();
    out_.copies.clear();
    CopyFinder(*this).TraverseStmt(kernel_.getBody());
  }
}

// All that is copied into one of them, whether at once or by way of others.
std::set<uint64_t> Recovery::withSources(std::set<uint64_t> operands) const {
  for (size_t before = 0; before != operands.size();) {
    before = operands.size();
    for (const Kernel::Copy &copy : out_.copies)
      if (operands.count(copy.to))
        operands.insert(copy.from);
  }
  return operands;
}

// What a struct is a copy of where it is declared, by a constructor that does nothing else.
const Expr *Recovery::copiedBy(const VarDecl &variable) {
  const auto *made = dyn_cast_or_null<CXXConstructExpr>(variable.getInit());
  const CXXConstructorDecl *constructor = made ? made->getConstructor() : nullptr;
  return constructor && constructor->isCopyConstructor() && constructor->isTrivial() &&
                 made->getNumArgs() == 1
             ? throughCopies(made->getArg(0))
             : nullptr;
}

bool Recovery::isCopyOfOperand(const VarDecl &variable, const FieldDecl *part) const {
  const auto range =
      copiedBy(variable) ? texts_.statement(variable.getInit()->getSourceRange()) : std::nullopt;
  return range && llvm::any_of(out_.copies, [&](const Kernel::Copy &copy) {
           return copy.to == fragmentOf(variable, part) && copy.range.contains(*range);
         });
}

// The statements copy an operand, which is no way to put one together.
bool Recovery::isOperandCopy(const Filling &filling) const {
  return llvm::all_of(filling.stores, [&](const Filling::Store &store) {
    const auto range = texts_.statement(store.statement->getSourceRange());
    return range && llvm::any_of(out_.copies, [&](const Kernel::Copy &copy) {
             return range->contains(copy.range) || copy.range.contains(*range);
           });
  });
}

// Of the variable, or copied from it.
bool Recovery::comesFrom(const VarDecl &variable, uint64_t operand) const {
  const std::set<uint64_t> sources = withSources({operand});
  return llvm::any_of(sources, [&](uint64_t source) { return isFragmentOf(variable, source); });
}

} // namespace layout_port::native
