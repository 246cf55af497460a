// What registers hold that are set under conditions: choices, made of the author's own expressions.
#include "native/Guarded.h"

#include "native/AstRead.h"
#include "native/Effects.h"

#include "clang/AST/DynamicRecursiveASTVisitor.h"
#include "llvm/ADT/FoldingSet.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace layout_port::native {

namespace {

// A register of its own, or an element: by its text's meaning.
struct Place {
  const VarDecl *scalar = nullptr;
  llvm::FoldingSetNodeID element;
  bool operator==(const Place &other) const {
    return scalar == other.scalar && element == other.element;
  }
};

bool isWithoutMemory(const DeclStmt &declaration) {
  return llvm::all_of(declaration.decls(), [](const Decl *decl) {
    const auto *local = dyn_cast<VarDecl>(decl);
    if (!local || !local->getInit() || local->isStaticLocal())
      return false;
    Inputs inputs;
    inputs.TraverseStmt(const_cast<Expr *>(local->getInit()));
    return !inputs.readsMemory && changesNothing(*local->getInit());
  });
}

bool isPlain(const IfStmt &branch) {
  return !branch.getInit() && !branch.getConditionVariable() && !branch.isConstexpr() &&
         !branch.getBeginLoc().isMacroID() && !branch.getEndLoc().isMacroID() &&
         changesNothing(*branch.getCond());
}

bool mentions(const Stmt &stmt, const ValueDecl &name) {
  bool isFound = false;
  Mentions([&](const DeclRefExpr &mention) {
    isFound |= mention.getDecl() == &name;
  }).TraverseStmt(const_cast<Stmt *>(&stmt));
  return isFound;
}

// What registers have behind the statements that were taken.
class Run {
public:
  explicit Run(const ASTContext &context) : context_(const_cast<ASTContext &>(context)) {}

  // False: it does something else. `before`: what stands in front of it.
  bool take(const Stmt &stmt, llvm::ArrayRef<const Stmt *> before) {
    before_ = before;
    const size_t known = within_.size();
    if (!take(stmt)) {
      within_.resize(known);
      return false;
    }
    taken_.push_back(&stmt);
    return true;
  }
  std::vector<Filling::Store> stores() const {
    std::vector<Filling::Store> all;
    for (const Entry &entry : entries_)
      all.push_back(entry.store);
    return all;
  }
  const std::vector<const Stmt *> &within() const { return within_; }
  // What a branch declares is made from a register that is set here, too: it would be made from
  // what that held before.
  bool readsItself() const {
    return llvm::any_of(entries_, [&](const Entry &entry) {
      const Filling::Store &store = entry.store;
      const VarDecl *name = store.scalar ? store.scalar : variableOf(store.target);
      return llvm::any_of(locals_, [&](const VarDecl *local) {
        return name && mentions(*local->getInit(), *name);
      });
    });
  }
  // What branches declare: where those were it is seen no more, so that it is made anew.
  const std::vector<const VarDecl *> &locals() const { return locals_; }

private:
  struct Entry {
    Place place;
    Filling::Store store;
  };
  using Entries = std::vector<Entry>;

  bool take(const Stmt &stmt) {
    const Stmt *inner = withoutAttributes(&stmt);
    if (isa<NullStmt>(inner))
      return true;
    if (const auto *block = dyn_cast<CompoundStmt>(inner))
      return llvm::all_of(block->body(), [this](const Stmt *part) { return take(*part); });
    if (const auto *branch = dyn_cast<IfStmt>(inner))
      return takeBranch(*branch);
    // In a branch, what is declared there is made anew for each register.
    if (const auto *declaration = dyn_cast<DeclStmt>(inner); declaration && depth_ > 0) {
      if (!isWithoutMemory(*declaration))
        return false;
      for (const Decl *local : declaration->decls())
        locals_.push_back(cast<VarDecl>(local));
      return true;
    }
    const std::vector<Filling::Store> stores = storesOf(inner, context_);
    for (const Filling::Store &store : stores)
      set(store);
    if (depth_ > 0)
      within_.push_back(inner);
    return !stores.empty();
  }

  Place placeOf(const Filling::Store &store) const {
    Place place;
    place.scalar = store.scalar;
    if (store.target)
      store.target->Profile(place.element, context_, true);
    return place;
  }
  static const Entry *find(const Entries &entries, const Place &place) {
    const auto known = llvm::find_if(entries, [&](const Entry &e) { return e.place == place; });
    return known == entries.end() ? nullptr : &*known;
  }
  void set(const Filling::Store &store) {
    const Place place = placeOf(store);
    const auto known = llvm::find_if(entries_, [&](const Entry &e) { return e.place == place; });
    if (known == entries_.end())
      entries_.push_back({place, store});
    else
      known->store = store;
  }

  //   x = 1;
  //   if (c) x = 2; else y = 3;      x: c ? 2 : 1     y: c ? what it began with : 3
  bool takeBranch(const IfStmt &branch) {
    if (!isPlain(branch))
      return false;
    const Entries before = entries_;
    ++depth_;
    const bool isThenTaken = take(*branch.getThen());
    const Entries then = std::exchange(entries_, before);
    const bool isElseTaken = !branch.getElse() || take(*branch.getElse());
    const Entries otherwise = std::exchange(entries_, before);
    --depth_;
    if (!isThenTaken || !isElseTaken)
      return false;
    Entries all = then;
    for (const Entry &entry : otherwise)
      if (!find(then, entry.place))
        all.push_back(entry);
    for (Entry &entry : all) {
      const Expr *first = valueIn(then, entry), *second = valueIn(otherwise, entry);
      if (!first || !second || entry.store.isOfVector || entry.store.isTurned ||
          !entry.store.through.empty())
        return false;
      if (first == second)
        continue;
      entry.store.value = choice(*branch.getCond(), *first, *second);
    }
    entries_ = std::move(all);
    return true;
  }
  const Expr *valueIn(const Entries &entries, const Entry &of) {
    const Entry *known = find(entries, of.place);
    return known ? known->store.value : beginningOf(of.store);
  }
  const Expr *choice(const Expr &condition, const Expr &first, const Expr &second) {
    const QualType type = first.getType().getUnqualifiedType();
    return new (context_) ConditionalOperator(
        const_cast<Expr *>(&condition), SourceLocation(), const_cast<Expr *>(&first),
        SourceLocation(), const_cast<Expr *>(&second), type, VK_PRValue, OK_Ordinary);
  }

  // The constant that it has before all of these statements; null: nobody knows.
  const Expr *beginningOf(const Filling::Store &store) const {
    const VarDecl *variable = store.scalar ? store.scalar : variableOf(store.target);
    if (!variable || !variable->hasLocalStorage())
      return nullptr;
    for (const Stmt *stmt : llvm::reverse(before_)) {
      stmt = withoutAttributes(stmt);
      const auto *declaration = dyn_cast<DeclStmt>(stmt);
      if (declaration && llvm::is_contained(declaration->decls(), variable))
        return constantIn(variable->getInit(), variable->getType());
      if (llvm::is_contained(taken_, stmt) || !mentions(*stmt, *variable))
        continue;
      const auto *loop = dyn_cast<ForStmt>(stmt);
      const Expr *value = loop ? filledWith(*loop, *variable, context_) : nullptr;
      return value ? constant(value) : nullptr;
    }
    return nullptr;
  }
  const Expr *constantIn(const Expr *begin, QualType type) const {
    if (!begin || type->isRecordType())
      return nullptr;
    const auto *list = dyn_cast<InitListExpr>(begin);
    if (!list)
      return type->isScalarType() ? constant(begin) : nullptr;
    if (!list->getType()->isConstantArrayType())
      return nullptr;
    // {} and {0, 0, 0, 0}: one constant for all.
    const Expr *first = nullptr;
    for (const Expr *value : list->inits()) {
      const Expr *its = constantIn(value, value->getType());
      if (!its || (first && numberOf(*first) != numberOf(*its)))
        return nullptr;
      first = its;
    }
    if (list->hasArrayFiller() && first && numberOf(*first) != 0)
      return nullptr;
    return first ? first : zero();
  }
  std::optional<uint64_t> numberOf(const Expr &value) const {
    Expr::EvalResult result;
    if (isa<ImplicitValueInitExpr>(value))
      return 0;
    if (value.isValueDependent() || !value.EvaluateAsRValue(result, context_))
      return std::nullopt;
    return result.Val.isInt() ? std::optional(result.Val.getInt().getZExtValue())
           : result.Val.isFloat()
               ? std::optional(result.Val.getFloat().bitcastToAPInt().getLimitedValue())
               : std::nullopt;
  }
  const Expr *constant(const Expr *value) const {
    const auto number = value ? numberOf(*value) : std::nullopt;
    return !number ? nullptr : isa<ImplicitValueInitExpr>(value) ? zero() : value;
  }
  const Expr *zero() const {
    return IntegerLiteral::Create(context_, llvm::APInt(32, 0), context_.IntTy, SourceLocation());
  }

  ASTContext &context_;
  llvm::ArrayRef<const Stmt *> before_;
  Entries entries_;
  std::vector<const Stmt *> taken_, within_; // `within`: in branches
  std::vector<const VarDecl *> locals_;      // likewise
  int depth_ = 0;
};

// Where a register is: an array of its variable's; scalars are all one.
std::vector<const Decl *> arrayOf(const Filling::Store &store) {
  return store.scalar ? std::vector<const Decl *>() : arrayFilledBy(store.target);
}

using Groups = std::vector<std::pair<std::vector<const Decl *>, std::vector<Filling::Store>>>;
Groups byArray(const std::vector<Filling::Store> &stores) {
  Groups groups;
  for (const Filling::Store &store : stores) {
    const auto array = arrayOf(store);
    auto known = llvm::find_if(groups, [&](const auto &group) { return group.first == array; });
    if (known == groups.end())
      known = groups.insert(groups.end(), {array, {}});
    known->second.push_back(store);
  }
  return groups;
}

// All that the arms set, wherever they do.
std::vector<Filling::Store> storesBelow(const Stmt &stmt, const ASTContext &context) {
  const Stmt *inner = withoutAttributes(&stmt);
  std::vector<Filling::Store> all;
  const auto *branch = dyn_cast<IfStmt>(inner);
  if (!branch && !isa<CompoundStmt>(inner))
    return isa<DeclStmt>(inner) ? all : storesOf(inner, context);
  for (const Stmt *part : inner->children())
    if (part && !(branch && part == branch->getCond()))
      llvm::append_range(all, storesBelow(*part, context));
  return all;
}

bool areAllIn(const std::vector<Filling::Store> &stores, const Groups &groups) {
  return llvm::all_of(stores, [&](const Filling::Store &store) {
    return llvm::any_of(groups, [&](const auto &group) { return group.first == arrayOf(store); });
  });
}

bool isAnyIn(const std::vector<Filling::Store> &stores, const Groups &groups) {
  return llvm::any_of(stores, [&](const Filling::Store &store) {
    return llvm::any_of(groups, [&](const auto &group) { return group.first == arrayOf(store); });
  });
}

// Of a declaration in the midst of a run, which stays in front of all that is set there.
bool mayStandBefore(const DeclStmt &declaration, const std::vector<Filling::Store> &stores) {
  return changesNothing(declaration) && llvm::none_of(stores, [&](const Filling::Store &store) {
           const ValueDecl *name = store.scalar ? store.scalar : variableOf(store.target);
           return !name || mentions(declaration, *name);
         });
}

} // namespace

const ConditionalOperator *madeChoice(const Expr &value) {
  const auto *choice = dyn_cast<ConditionalOperator>(&value);
  return choice && choice->getQuestionLoc().isInvalid() ? choice : nullptr;
}

// The run that begins with statement `first`, and the number behind its last.
static std::optional<GuardedRun> runFrom(llvm::ArrayRef<const Stmt *> statements, size_t first,
                                         const ASTContext &context, size_t &end) {
  Run run(context);
  GuardedRun out;
  Filling filling;
  Groups groups; // that it may fill
  bool isApart = false, isNewPiece = true;
  for (size_t at = first; at < statements.size(); ++at) {
    const Stmt *stmt = withoutAttributes(statements[at]);
    if (const auto *declaration = dyn_cast<DeclStmt>(stmt)) {
      if (filling.run.empty() || !mayStandBefore(*declaration, run.stores()))
        break;
      isApart = isNewPiece = true;
      continue;
    }
    const auto *branch = dyn_cast<IfStmt>(stmt);
    const std::vector<Filling::Store> its = storesBelow(*stmt, context);
    const bool isIts = groups.empty() || (branch ? isAnyIn(its, groups) : areAllIn(its, groups));
    // What stands in front of the first condition is of the same arrays.
    const bool isWhole = !branch || !out.branches.empty() || areAllIn(run.stores(), byArray(its));
    if (its.empty() || !isIts || !isWhole || !run.take(*stmt, statements.take_front(at)))
      break;
    filling.run.push_back(statements[at]);
    filling.isRunApart = isApart;
    groups = byArray(run.stores());
    end = at + 1;
    if (!branch && std::exchange(isNewPiece, false))
      out.pieces.emplace_back();
    if (!branch) {
      llvm::append_range(out.pieces.back(), its);
      continue;
    }
    isNewPiece = true;
    out.branches.push_back(branch);
    for (const Stmt *arm : {branch->getThen(), branch->getElse()})
      if (arm)
        out.pieces.push_back(storesBelow(*arm, context));
  }
  // Without a condition it is a filling like others, unless declarations stand in it.
  const bool isOfOne = groups.size() == 1 && !groups[0].first.empty();
  if (groups.empty() || run.readsItself() ||
      (out.branches.empty() && !(filling.isRunApart && isOfOne))) {
    end = first + 1;
    return std::nullopt;
  }
  filling.locals = run.locals();
  for (auto &group : byArray(run.stores())) {
    filling.stores = std::move(group.second);
    for (Filling::Store &store : filling.stores)
      store.statement = filling.run.back();
    out.fillings.push_back(filling);
  }
  out.within = run.within();
  return out;
}

std::vector<GuardedRun> guardedRunsOf(llvm::ArrayRef<const Stmt *> statements,
                                      const ASTContext &context) {
  std::vector<GuardedRun> runs;
  for (size_t at = 0; at < statements.size();) {
    size_t end = at + 1;
    if (auto run = runFrom(statements, at, context, end))
      runs.push_back(std::move(*run));
    at = end;
  }
  return runs;
}

GuardedBody guardedBody(const std::vector<const Stmt *> &body, llvm::ArrayRef<const Stmt *> before,
                        const ASTContext &context) {
  Run run(context);
  for (const Stmt *stmt : body)
    if (!run.take(*stmt, before))
      return {};
  GuardedBody out;
  for (auto &[array, stores] : byArray(run.stores())) {
    if (array.empty() || run.readsItself())
      return {};
    out.arrays.push_back(std::move(stores));
  }
  out.locals = run.locals();
  return out;
}

} // namespace layout_port::native
