// Loops that the warps leave in turns of their own: each goes through a part of k, and one of the
// two warps of a wave may have a turn more than the other. MFMA wants all 64 lanes. So both go on
// while one of them does, and the operands of the other are zeros:
//
//   K = 80     warp 0   1   2   3      for (int k = warp * 16; lp::either(k < K); k += 64)
//   turn 0  k =   0  16  32  48          lp::gather_a(a, [&](int lane, int warp, int r) {
//   turn 1       64   -   -   -            return !(k < K) ? 0 : ...
//                     └ 0 * 0
//
// The sums stay as they are [c + 0 * 0 = c; a zero loses its sign]. Nothing but that may be in such
// a loop: no memory is read but for operands, which a warp beyond its end does not do, and nothing
// that the loop changes is seen behind it.
// https://docs.nvidia.com/cuda/parallel-thread-execution/#warp-level-matrix-instructions-mma
#include "native/AstRead.h"
#include "native/Effects.h"
#include "native/Gather.h"
#include "native/Recovery.h"

#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace layout_port::native {

namespace {

bool readsMemory(const Expr &value) {
  Inputs inputs;
  inputs.TraverseStmt(const_cast<Expr *>(&value));
  return inputs.readsMemory;
}

// Anybody may ask for it, at any time.
bool isQuiet(const Expr *value) {
  return !value || (changesNothing(*value) && !readsMemory(*value));
}

// ++i, i += 2;  of a variable that is declared on the way.
bool counts(const Stmt &stmt, const std::set<const VarDecl *> &own) {
  const auto *expr = dyn_cast<Expr>(&stmt);
  const auto *op = expr ? dyn_cast<UnaryOperator>(expr->IgnoreParenImpCasts()) : nullptr;
  if (op && op->isIncrementDecrementOp())
    return own.count(variableNamed(op->getSubExpr()));
  const auto change = changeOf(&stmt);
  return change && own.count(change->local) && isQuiet(change->value);
}

bool isIn(const std::vector<Loop> &loops, const TextRange &range) {
  return llvm::any_of(loops, [&](const Loop &loop) { return loop.range == range; });
}

bool isCalledIn(const std::vector<CallPlace> &calls, const TextRange &range) {
  return llvm::any_of(calls, [&](const CallPlace &call) { return range.contains(call.range); });
}

} // namespace

//   for (int k = of the warp; k < same for all; k += same for all)
bool Recovery::isLeftApart(const Stmt &stmt) {
  const auto *loop = dyn_cast<ForStmt>(&stmt);
  const VarDecl *counter = loop && !function_ && !inLambda_ ? countedByHead(*loop) : nullptr;
  const auto *bound =
      counter ? dyn_cast<BinaryOperator>(loop->getCond()->IgnoreImpCasts()) : nullptr;
  if (!bound || !llvm::is_contained({BO_LT, BO_LE}, bound->getOpcode()) ||
      variableNamed(stripped(bound->getLHS())) != counter || !warpCounters_.count(counter) ||
      !isQuiet(bound) || !sampler_.sameForWave(bound->getRHS()) || sampler_.sameForWave(bound) ||
      isAssumedUniform(bound))
    return false;
  const auto range = texts_.statement(loop->getSourceRange());
  const auto condition = texts_.range(bound->getSourceRange());
  AsmFinder inside;
  inside.TraverseStmt(const_cast<Stmt *>(loop->getBody()));
  const auto multiplies = [this](const CallExpr *call) {
    const FunctionDecl *callee = call->getDirectCallee();
    const FunctionDecl *definition = callee ? callee->getDefinition() : nullptr;
    return definition && definition->hasBody() && matrixWithin(definition);
  };
  if (!range || !condition || leaves(loop->getBody()) ||
      !(inside.matrix || llvm::any_of(inside.calls, multiplies)))
    return false;
  Kernel::Apart out;
  out.condition = *condition;
  out.isMirrored = mayMirror(*loop, *counter, out);
  apart_.push_back({loop, *range, out.isMirrored});
  out_.apart.push_back(std::move(out));
  sampler_.takeAlike(*bound);
  return true;
}

// Where each turn is for itself, the half wave whose warp has none does the turn of the other one:
//
//   for (int own = warp; lp::either(own < tiles); own += 4) {
//     const int tile = lp::turn(own, own < tiles);
//
// What differs between them is the counter alone: the lanes of both read, and then write, the same.
bool Recovery::mayMirror(const ForStmt &loop, const VarDecl &counter, Kernel::Apart &out) {
  const auto *body = dyn_cast<CompoundStmt>(loop.getBody());
  const auto range = body ? texts_.range(body->getSourceRange()) : std::nullopt;
  const auto whole = texts_.statement(loop.getSourceRange());
  ThreadMentions threads;
  threads.TraverseStmt(const_cast<Stmt *>(loop.getBody()));
  if (!range || !whole || !threads.found.empty() || threads.hasOther || !tellsApart(*body).empty())
    return false;
  std::vector<TextRange> inside = {*range}; // the body, and lambdas that it calls
  const auto isIn = [&](SourceRange place) {
    const auto its = texts_.statement(place);
    return its && llvm::any_of(inside, [&](const TextRange &part) { return part.contains(*its); });
  };
  std::vector<const DeclRefExpr *> names;
  Mentions mentions([&](const DeclRefExpr &name) { names.push_back(&name); });
  mentions.TraverseStmt(const_cast<Stmt *>(loop.getBody()));
  std::set<const LambdaExpr *> lambdas;
  for (size_t i = 0; i < names.size(); ++i) {
    const auto *variable = dyn_cast<VarDecl>(names[i]->getDecl());
    const LambdaExpr *lambda =
        variable && !isIn(variable->getSourceRange()) && sampler_.changesOf(variable).empty()
            ? lambdaByReference(*variable)
            : nullptr;
    const auto its = lambda ? texts_.statement(lambda->getSourceRange()) : std::nullopt;
    if (its && lambdas.insert(lambda).second) {
      inside.push_back(*its);
      mentions.TraverseStmt(lambda->getBody());
    }
  }
  for (const DeclRefExpr *name : names) {
    const auto *variable = dyn_cast<VarDecl>(name->getDecl());
    const LambdaExpr *lambda = variable ? lambdaByReference(*variable) : nullptr;
    if (!variable || variable == &counter || variable->isConstexpr() ||
        isIn(variable->getSourceRange()) || lambdas.count(lambda))
      continue;
    const QualType type = variable->getType();
    const auto isHere = [&](SourceLocation at) { return isIn(at); };
    const bool isHanded = isa<ParmVarDecl>(variable) && sampler_.changesOf(variable).empty();
    const bool isPlain = (type->isScalarType() || isHanded) &&
                         (variable->hasLocalStorage() || type.isConstQualified()) &&
                         !sampler_.changesUnseen(variable) &&
                         llvm::none_of(sampler_.changesOf(variable), isHere);
    if (!isPlain || (sampler_.dependsOnThread(variable) && !sameValueForPair(name)))
      return false;
  }
  names.clear();
  for (const Stmt *part :
       {static_cast<const Stmt *>(loop.getCond()), static_cast<const Stmt *>(loop.getInc())})
    Mentions([&](const DeclRefExpr &name) {
      if (name.getDecl() == &counter)
        names.push_back(&name);
    }).TraverseStmt(const_cast<Stmt *>(part));
  std::vector<std::optional<TextRange>> places = {
      texts_.range(SourceRange(counter.getLocation(), counter.getLocation()))};
  for (const DeclRefExpr *name : names)
    places.push_back(texts_.range(name->getSourceRange()));
  for (const auto &place : places) {
    if (!place)
      return false;
    out.names.push_back(*place);
  }
  out.counter = counter.getNameAsString();
  out.type = parameterType(counter);
  out.body = *range;
  return true;
}

std::vector<const Expr *> Recovery::apartAround(const std::vector<Loop> &loops) const {
  std::vector<const Expr *> conditions;
  for (const Apart &apart : apart_)
    if (!apart.isMirrored && isIn(loops, apart.range))
      conditions.push_back(apart.loop->getCond());
  return conditions;
}

// What is made on the way to an operand is made by warps beyond their end, too.
std::string Recovery::obstacleToApart(const VarDecl &variable) const {
  if (warpCounters_.count(&variable))
    return "";
  const bool isMadeOnce = !variable.getType()->isArrayType() && !sampler_.changes(&variable);
  const bool isPlain = isMadeOnce && isQuiet(variable.getInit());
  return isPlain ? ""
                 : "'" + siteName(variable) +
                       "' is made for warps that have left the loop, too, and more than computed";
}

// What a statement does that is no product and no operand's; empty when it only computes.
std::string Recovery::doneBesides(const Stmt *stmt, std::set<const VarDecl *> &own) const {
  stmt = stmt ? withoutAttributes(stmt) : nullptr;
  if (const auto *full = dyn_cast_or_null<FullExpr>(stmt))
    stmt = full->getSubExpr();
  if (!stmt || isa<NullStmt>(stmt) || llvm::is_contained(sites_, stmt) || ofRuns_.contains(stmt))
    return "";
  const auto say = [&] {
    const auto *expr = dyn_cast<Expr>(stmt);
    return expr ? texts_.spelled(expr) : std::string("not only expressions");
  };
  if (const auto *declaration = dyn_cast<DeclStmt>(stmt)) {
    for (const Decl *decl : declaration->decls()) {
      const auto *local = dyn_cast<VarDecl>(decl);
      if (!local || local->isStaticLocal() || !isQuiet(local->getInit()))
        return local && local->getInit() ? texts_.spelled(local->getInit()) : say();
      own.insert(local);
    }
    return "";
  }
  const auto *branch = dyn_cast<IfStmt>(stmt);
  const auto *loop = dyn_cast<ForStmt>(stmt);
  const Expr *condition = branch ? branch->getCond() : loop ? loop->getCond() : nullptr;
  if (branch || loop || isa<CompoundStmt>(stmt)) {
    if (!isQuiet(condition))
      return texts_.spelled(condition);
    for (const Stmt *part : stmt->children())
      if (part != condition)
        if (std::string other = doneBesides(part, own); !other.empty())
          return other;
    return "";
  }
  const std::vector<Filling::Store> stores = storesOf(stmt, context_);
  const auto isOwn = [&](const Filling::Store &store) {
    const VarDecl *variable = store.scalar ? store.scalar : variableOf(store.target);
    return own.count(variable) && isQuiet(store.value);
  };
  return counts(*stmt, own) || (!stores.empty() && llvm::all_of(stores, isOwn)) ? "" : say();
}

// The product adds zeros to its sums in turns that a warp does not have; no one else sees those.
std::string Recovery::obstacleToApart(const MmaSite &mma, const Apart &apart) const {
  const auto isHere = [&](const LoadSite &load) { return isIn(load.loops, apart.range); };
  if (mma.isFromZero || !mma.c[0].sameTile(mma.d[0]))
    return "sums begin in it";
  for (const std::vector<Slot> *operand : {&mma.a, &mma.b}) {
    const Slot &slot = (*operand)[0];
    bool isRead = false;
    for (const LoadSite &load : out_.loads)
      if (load.registers[0].declaration == slot.declaration) {
        if (!isHere(load) || load.onlyWhile.empty())
          return "'" + slot.variable + "' is loaded for it elsewhere, or by ldmatrix";
        isRead = true;
      }
    if (!isRead)
      return "'" + slot.variable + "' is not put together from loads in it";
    const auto isSeen = [&](const FragmentUse &use) {
      return use.declaration == slot.declaration && !use.isFill && !apart.range.contains(use.range);
    };
    const auto isMultiplied = [&](const MmaSite &other) {
      return !isIn(other.loops, apart.range) && (other.a[0].declaration == slot.declaration ||
                                                 other.b[0].declaration == slot.declaration);
    };
    if (llvm::any_of(out_.uses, isSeen) || llvm::any_of(out_.mmas, isMultiplied))
      return "'" + slot.variable + "' is seen behind it";
  }
  return "";
}

// ... or loaded for others, by which it would be seen.
bool Recovery::loadsForOthers(const Apart &apart) const {
  const auto isMultiplied = [&](const LoadSite &load) {
    return llvm::any_of(out_.mmas, [&](const MmaSite &mma) {
      const uint64_t declaration = load.registers[0].declaration;
      return isIn(mma.loops, apart.range) &&
             (mma.a[0].declaration == declaration || mma.b[0].declaration == declaration);
    });
  };
  return !lanewise_.empty() || llvm::any_of(out_.loads, [&](const LoadSite &load) {
    return isCalledIn(load.calls, apart.range) ||
           (isIn(load.loops, apart.range) && (load.onlyWhile.empty() || !isMultiplied(load)));
  });
}

void Recovery::checkApart() {
  for (const Apart &apart : apart_) {
    if (apart.isMirrored)
      continue;
    std::set<const VarDecl *> own;
    std::string why;
    if (const std::string other = doneBesides(apart.loop->getBody(), own); !other.empty())
      why = "it does more than multiply: " + other;
    for (const MmaSite &mma : out_.mmas) {
      if (!why.empty())
        break;
      if (isCalledIn(mma.calls, apart.range))
        why = "a function multiplies in it";
      else if (isIn(mma.loops, apart.range))
        why = obstacleToApart(mma, apart);
    }
    if (why.empty() && loadsForOthers(apart))
      why = "what it loads is not multiplied in it as it is";
    if (!why.empty())
      refuse("the two warps of a wave may leave a loop in turns of their own (" +
                 texts_.spelled(apart.loop->getCond()) + "), and " + why,
             apart.loop->getSourceRange());
  }
}

} // namespace layout_port::native
