// Variables that statements behind their declaration make, before they are used:
//
//   Ids at;                         int wm;                      int lane, warp;
//   at.lane = threadIdx.x % 32;     if (warp < 2) wm = 0;        ids(lane, warp);
//   at.wm = threadIdx.x / 64;       else wm = 32;
//
// Where all that changes them are statements of the block that they are declared in, each of which
// run() follows, they are behind the last of these what running them in order leaves. Variables
// that one statement changes together are made together. A kernel's parameter is declared in front
// of all:
//
//   C += blockIdx.y * 64 * n + warp * 16 * n;
#include "native/Sample.h"

#include "native/AstRead.h"
#include "native/SampleAssigned.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/DynamicRecursiveASTVisitor.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace layout_port::native {

namespace {

class Declarations : public DynamicRecursiveASTVisitor {
public:
  explicit Declarations(llvm::DenseMap<const VarDecl *, const CompoundStmt *> &blocks)
      : blocks_(blocks) {}
  bool VisitCompoundStmt(CompoundStmt *block) override {
    for (const Stmt *stmt : block->body())
      if (const auto *declaration = dyn_cast<DeclStmt>(stmt))
        for (const Decl *decl : declaration->decls())
          if (const auto *variable = dyn_cast<VarDecl>(decl))
            blocks_[variable] = block;
    return true;
  }

private:
  llvm::DenseMap<const VarDecl *, const CompoundStmt *> &blocks_;
};

bool declaresAny(const Stmt &stmt, llvm::ArrayRef<const VarDecl *> variables) {
  const auto *declaration = dyn_cast<DeclStmt>(&stmt);
  return declaration && llvm::any_of(declaration->decls(), [&](const Decl *decl) {
           return llvm::is_contained(variables, decl);
         });
}

// What is called may write through what is const: a mutable member, or by a cast.
class ChangedConst : public ExecutedVisitor {
public:
  bool VisitCallExpr(CallExpr *call) override {
    const FunctionDecl *callee = call->getDirectCallee();
    const auto *method = dyn_cast_or_null<CXXMethodDecl>(callee);
    const auto *member = dyn_cast<CXXMemberCallExpr>(call);
    const bool isOperator = isa<CXXOperatorCallExpr>(call) && method && method->isInstance();
    if (!callee || (method && method->getParent()->isLambda()))
      return true;
    const unsigned first = isOperator ? 1 : 0;
    if (method && method->isInstance() && (member || isOperator))
      note(member ? member->getImplicitObjectArgument() : call->getArg(0), *callee);
    for (unsigned i = 0; i + first < call->getNumArgs() && i < callee->getNumParams(); ++i)
      if (callee->getParamDecl(i)->getType()->isReferenceType() ||
          callee->getParamDecl(i)->getType()->isPointerType())
        note(call->getArg(i + first), *callee);
    return true;
  }
  std::vector<const VarDecl *> found;

private:
  class Casts : public DynamicRecursiveASTVisitor {
  public:
    bool VisitExplicitCastExpr(ExplicitCastExpr *cast) override {
      const auto pointee = [](const Expr &expr) {
        return expr.getType()->isPointerType() ? expr.getType()->getPointeeType()
               : expr.isGLValue()              ? expr.getType()
                                               : QualType();
      };
      const QualType to = pointee(*cast),
                     from = pointee(*cast->getSubExpr()->IgnoreParenImpCasts());
      any |= !to.isNull() && !from.isNull() && from.isConstQualified() && !to.isConstQualified();
      return !any;
    }
    bool VisitCallExpr(CallExpr *call) override {
      calls.push_back(call->getDirectCallee());
      return true;
    }
    std::vector<const FunctionDecl *> calls;
    bool any = false;
  };
  static const VarDecl *rootOf(const Expr *place) {
    for (;;) {
      place = stripped(place);
      const auto *op = dyn_cast<UnaryOperator>(place);
      if (const auto *member = dyn_cast<MemberExpr>(place))
        place = member->getBase();
      else if (const auto *access = dyn_cast<ArraySubscriptExpr>(place))
        place = access->getBase();
      else if (op && op->getOpcode() == UO_AddrOf)
        place = op->getSubExpr();
      else
        return variableNamed(place);
    }
  }
  void note(const Expr *place, const FunctionDecl &callee) {
    const VarDecl *variable = rootOf(place);
    if (!variable || !variable->isLocalVarDecl() || variable->getType()->isReferenceType())
      return;
    const CXXRecordDecl *record =
        variable->getType()->getBaseElementTypeUnsafe()->getAsCXXRecordDecl();
    if ((record && record->hasDefinition() && record->hasMutableFields()) || casts(callee, 0))
      found.push_back(variable);
  }
  bool casts(const FunctionDecl &callee, int depth) {
    constexpr int kDeepest = 8;
    const FunctionDecl *definition = callee.getDefinition();
    if (!definition || !definition->hasBody() || isOfCuda(*definition))
      return false;
    const auto [known, isNew] = casts_.try_emplace(definition, false);
    if (!isNew)
      return known->second;
    Casts all;
    all.TraverseStmt(definition->getBody());
    const bool any =
        all.any || depth > kDeepest ||
        llvm::any_of(all.calls, [&](const FunctionDecl *f) { return f && casts(*f, depth + 1); });
    return casts_[definition] = any;
  }
  llvm::DenseMap<const FunctionDecl *, bool> casts_;
};

} // namespace

void Sampler::noteChangedConst(const Stmt &body) {
  ChangedConst changed;
  changed.TraverseStmt(const_cast<Stmt *>(&body));
  for (const VarDecl *variable : changed.found) {
    unseen_.insert(variable);
    conditional_.insert(variable);
    places_[variable].push_back(body.getBeginLoc());
  }
}

void Sampler::noteBlocks(const Stmt &body) {
  Declarations(blocks_).TraverseStmt(const_cast<Stmt *>(&body));
}

const Sampler::Making *Sampler::makingOf(const VarDecl &variable) {
  const auto changes = places_.find(&variable);
  if (changes == places_.end() || changes->second.empty() || unseen_.contains(&variable))
    return nullptr;
  const auto [known, isNew] = makings_.try_emplace(&variable);
  if (isNew)
    known->second = findMaking(variable);
  return known->second ? &*known->second : nullptr;
}

// int wm = .., wn = ..;  what they are by then goes by the statements behind.
std::vector<const VarDecl *> Sampler::changedOfDeclared(const Stmt &stmt) const {
  std::vector<const VarDecl *> changed;
  if (const auto *declaration = dyn_cast<DeclStmt>(&stmt))
    for (const Decl *decl : declaration->decls())
      if (const auto *variable = dyn_cast<VarDecl>(decl);
          variable && !places_.lookup(variable).empty())
        changed.push_back(variable);
  return changed;
}

std::optional<Sampler::Making> Sampler::findMaking(const VarDecl &variable) const {
  const CompoundStmt *block = blocks_.lookup(&variable);
  if (!block)
    return std::nullopt;
  std::vector<Assigned> assigned;
  for (const Stmt *stmt : block->body())
    assigned.push_back(assignedIn(*stmt));
  Making making;
  making.variables = {&variable};
  std::set<size_t> taken;
  // Until nothing is new: what its statements change, and what changes that.
  for (bool again = true; again;) {
    again = false;
    size_t i = 0;
    for (const Stmt *stmt : block->body()) {
      const Assigned &its = assigned[i];
      const bool changes = llvm::any_of(
          making.variables, [&](const VarDecl *made) { return its.touched.contains(made); });
      if ((changes || declaresAny(*stmt, making.variables)) && taken.insert(i).second) {
        if (!mayBeFollowed(*stmt))
          return std::nullopt;
        again = true;
        std::vector<const VarDecl *> together = changedOfDeclared(*stmt);
        together.insert(together.end(), its.touched.begin(), its.touched.end());
        for (const VarDecl *other : together)
          if (!llvm::is_contained(making.variables, other))
            making.variables.push_back(other);
      }
      ++i;
    }
  }
  for (const size_t i : taken) {
    const Stmt *stmt = block->body_begin()[i];
    making.statements.push_back(stmt);
    for (const VarDecl *made : making.variables)
      if (assigned[i].touched.contains(made))
        making.ends[made] = stmt->getEndLoc();
  }
  const auto isWhole = [&](const VarDecl *made) {
    size_t found = 0;
    for (const size_t i : taken)
      if (const auto places = assigned[i].places.find(made); places != assigned[i].places.end())
        found += places->second.size();
    const auto all = places_.find(made);
    return blocks_.lookup(made) == block && made->isLocalVarDeclOrParm() &&
           made->hasLocalStorage() && !made->getType()->isReferenceType() &&
           !made->getType().isVolatileQualified() && !unseen_.contains(made) &&
           all != places_.end() && all->second.size() == found;
  };
  return llvm::all_of(making.variables, isWhole) ? std::optional(std::move(making)) : std::nullopt;
}

std::optional<Sampler::Left> Sampler::runMaking(const Making &making) {
  if (depth_ > kDeepest)
    return std::nullopt;
  const bool before = std::exchange(usedUniform_, false);
  const bool decidedBefore = std::exchange(decidedByUniform_, false);
  Run inside;
  inside.making = &making;
  for (const VarDecl *variable : making.variables)
    if (isa<ParmVarDecl>(variable)) {
      const uint64_t name = variable->getLocation().getRawEncoding(); // what the launch gives
      inside.parameters[variable] = uniform(name, variable->getType());
      inside.uniform.insert(variable);
    }
  Left left;
  bool isFollowed = false;
  within(inside, true, [&] {
    Value nothing;
    isFollowed = !runAll(making.statements, nothing);
    for (const VarDecl *variable : making.variables)
      if (const auto made = bindings_.find(variable); made != bindings_.end()) {
        left.values[variable] = made->second;
        usedUniform_ |= run_.uniform.count(variable) != 0;
      }
    left.records = run_.records;
  });
  left.usedUniform = usedUniform_;
  usedUniform_ |= before;
  // warp == n is false for nearly every n, and not for all.
  isFollowed = isFollowed && !decidedByUniform_;
  decidedByUniform_ = decidedBefore;
  return isFollowed ? std::optional(std::move(left)) : std::nullopt;
}

bool Sampler::isMadeByStatements(const VarDecl &variable) {
  const Making *making = isa<ParmVarDecl>(variable) ? nullptr : makingOf(variable);
  if (!making)
    return false;
  const auto [known, isNew] = isFollowed_.try_emplace(making, false);
  if (isNew) {
    goTo(0, 1, rowLengths().front());
    known->second = runMaking(*making).has_value();
  }
  return known->second;
}

const Stmt *Sampler::onlyChangeOf(const ParmVarDecl &parameter) {
  const Making *making = makingOf(parameter);
  return making && making->variables.size() == 1 && making->statements.size() == 1
             ? making->statements[0]
             : nullptr;
}

// Of a variable that is named behind the statements that make it; null: it is not known there.
const Sampler::Left *Sampler::leftAt(const DeclRefExpr &name) {
  const auto *variable = dyn_cast<VarDecl>(name.getDecl());
  if (!variable || !variable->isLocalVarDeclOrParm() || !dependsOnThread(variable))
    return nullptr;
  const Making *making = makingOf(*variable);
  if (!making)
    return nullptr;
  const SourceManager &sources = context_.getSourceManager();
  if (!sources.isBeforeInTranslationUnit(sources.getExpansionLoc(making->ends.at(variable)),
                                         sources.getExpansionLoc(name.getLocation())))
    return nullptr;
  const bool isAtPoint = bindings_.empty() && run_.isOutside();
  auto known = left_.find(making);
  if (!isAtPoint || known == left_.end())
    known = left_.insert_or_assign(making, runMaking(*making)).first;
  if (!known->second)
    return nullptr;
  usedUniform_ |= known->second->usedUniform;
  return &*known->second;
}

// ---- numbers of the thread's own in other words

std::optional<Sampler::Formula> Sampler::formulaOf(const Expr *expr) {
  if (!bindings_.empty() || !free_.empty() || asking_ || inCallee_)
    return formulaAnew(expr);
  const auto [known, isNew] = formulas_[told()].try_emplace(expr);
  if (isNew)
    known->second = {formulaAnew(expr), rows_};
  rows_ = known->second.second;
  return known->second.first;
}

std::optional<Sampler::Formula> Sampler::formulaAnew(const Expr *expr) {
  if (!expr->getType()->isIntegerType() || expr->isValueDependent() || !dependsOnThread(expr))
    return std::nullopt;
  for (const BlockRows rows : {BlockRows::Any, BlockRows::WholeWarps, BlockRows::OneWarp}) {
    const auto found = rows < rows_ ? std::nullopt : formulaFor(*expr, rows);
    if (found) {
      rows_ = twoDimensional_ ? rows : rows_;
      return found;
    }
    if (!twoDimensional_ || saidRow_)
      break;
  }
  return std::nullopt;
}

std::optional<Sampler::Formula> Sampler::formulaFor(const Expr &expr, BlockRows rows) {
  std::optional<Formula> formula;
  for (const uint64_t row : rowLengths(rows))
    for (const uint64_t layer : layerRows())
      for (uint64_t t = 0; t < threadsOfBlock(); ++t) {
        goTo(t, 1, row, layer);
        usedUniform_ = false;
        const Value x = value(&expr);
        if (!x || usedUniform_)
          return std::nullopt;
        const auto its = static_cast<int64_t>(*x);
        if (!formula)
          formula = Formula{its, {}};
        if (llvm::isPowerOf2_64(t) && llvm::Log2_64(t) == formula->weights.size())
          formula->weights.push_back(its - formula->base);
        int64_t sum = formula->base;
        for (size_t bit = 0; bit < formula->weights.size(); ++bit)
          sum += t >> bit & 1 ? formula->weights[bit] : 0;
        if (sum != its)
          return std::nullopt;
      }
  return formula;
}

} // namespace layout_port::native
