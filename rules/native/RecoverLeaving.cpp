// Warps that return at once, on a condition of their own: a block has more warps than there are
// tiles. Where one of the two warps of a wave leaves and the other stays, MFMA still wants all 64
// lanes. So the half that would leave does as the other one, from the first statement on:
//
//   warp   0     1   (stays, leaves)         const lp::staying stays([&](int, int warp) {
//   does   0     0                             const int m0 = (blockIdx.x * 4 + warp) * 16;
//                                              return m0 >= M;
//   const int warp = threadIdx.x / 32;  ──▶  });
//   const int m0 = ...;                      const int warp = stays.thread() / 32;
//   if (m0 >= M)                             const int m0 = ...;
//     return;                                if (m0 >= M)
//                                              return;   // both of them
//
// Both halves walk in step, so both read before either writes, and what they write is the same: the
// kernel must not count how often something is done, nor tell a thread from its mirror in another
// way. What two warps share, a warp shares with its mirror, so plans are as ever.
#include "native/AstRead.h"
#include "native/Effects.h"
#include "native/Recovery.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace clang;

namespace layout_port::native {

namespace {

// `return;`, alone or in braces.
bool onlyReturns(const Stmt *stmt) {
  const auto *block = dyn_cast_or_null<CompoundStmt>(stmt);
  return isa_and_nonnull<ReturnStmt>(block && block->size() == 1 ? block->body_front() : stmt);
}

// Does it only say names: no memory is written on the way to what stands behind?
bool onlyDeclares(const Stmt &stmt) {
  const auto *declaration = dyn_cast<DeclStmt>(&stmt);
  return isa<NullStmt>(stmt) || (declaration && changesNothing(stmt));
}

bool isOfGroups(const Decl &decl) {
  const auto *named = dyn_cast<NamedDecl>(&decl);
  const std::string name = named ? named->getQualifiedNameAsString() : "";
  return StringRef(name).starts_with("cooperative_groups::") ||
         StringRef(name).starts_with("cuda::") || StringRef(name).starts_with("nvcuda::");
}

bool isDoneTwice(StringRef name) {
  return name.contains("atomic") || name == "printf" || name == "malloc" || name == "free" ||
         name == "__syncthreads_count" || name == "__assertfail";
}

// The word begins an instruction or a register's name there: not "red." in "ldmatrix.shared.b16".
bool says(StringRef ptx, StringRef word) {
  for (size_t at = ptx.find(word); at != ptx.npos; at = ptx.find(word, at + 1))
    if (at == 0 || !(llvm::isAlnum(ptx[at - 1]) || ptx[at - 1] == '.' || ptx[at - 1] == '_'))
      return true;
  return false;
}

// What counts how often it is done, or tells a thread from its mirror: in the kernel, and in what
// it calls.
class TellsApart : public ExecutedVisitor {
public:
  // `byRows`: a row of threads is a warp, and threadIdx.x the lane.
  TellsApart(const Texts &texts, Sampler &sampler, bool byRows)
      : texts_(texts), sampler_(sampler), byRows_(byRows) {}

  bool VisitCallExpr(CallExpr *call) override {
    const FunctionDecl *callee = call->getDirectCallee();
    if (!callee)
      return found("a call of what is not known");
    if (isDoneTwice(nameOf(*callee)))
      return found("'" + nameOf(*callee) + "' would be done twice");
    // Who has left is not waited for, in CUDA or here.
    const bool isOfCompiler = // INFINITY
        callee->getBuiltinID() && StringRef(nameOf(*callee)).starts_with("__builtin_");
    if (nameOf(*callee) == "__syncthreads" || nameOf(*callee) == "__syncwarp" || isOfCompiler)
      return true;
    return !isOfGroups(*callee) && lookInto(*callee, call)
               ? true
               : found("'" + nameOf(*callee) + "' may tell a thread from its mirror");
  }
  bool VisitCXXConstructExpr(CXXConstructExpr *made) override {
    const CXXConstructorDecl *constructor = made->getConstructor();
    return !isOfGroups(*constructor) && lookInto(*constructor, nullptr)
               ? true
               : found("'" + nameOf(*constructor) + "' may tell a thread from its mirror");
  }
  bool VisitCXXInheritedCtorInitExpr(CXXInheritedCtorInitExpr *made) override {
    return lookInto(*made->getConstructor(), nullptr) ||
           found("'" + nameOf(*made->getConstructor()) + "' may tell a thread from its mirror");
  }
  bool VisitCXXNewExpr(CXXNewExpr *) override { return found("'new' would be done twice"); }
  // What an object does at its end, and a loop over one to walk it.
  bool VisitVarDecl(VarDecl *variable) override { return ends(variable->getType()); }
  bool VisitCXXBindTemporaryExpr(CXXBindTemporaryExpr *made) override {
    return ends(made->getType());
  }
  bool VisitCXXForRangeStmt(CXXForRangeStmt *loop) override {
    return loop->getRangeInit()->getType()->isConstantArrayType() ||
           found("a loop over an object may tell a thread from its mirror");
  }
  // They are written elsewhere, where the thread's number is its own.
  bool VisitCXXDefaultArgExpr(CXXDefaultArgExpr *given) override {
    return !sampler_.dependsOnThread(given->getExpr()) ||
           found("a default value tells a thread from its mirror");
  }
  bool VisitCXXDefaultInitExpr(CXXDefaultInitExpr *given) override {
    return !sampler_.dependsOnThread(given->getExpr()) ||
           found("a default value tells a thread from its mirror");
  }
  bool VisitGCCAsmStmt(GCCAsmStmt *stmt) override {
    const std::string text = stmt->getAsmString();
    for (const char *word :
         {"%tid", "%ntid", "%warpid", "%nwarpid", "atom.", "red.", "bar.", "barrier.", "mbarrier."})
      if (says(text, word))
        return found(std::string("PTX with ") + word + " would tell the two apart");
    return true;
  }
  std::string problem;

private:
  static std::string nameOf(const FunctionDecl &function) { return function.getNameAsString(); }
  bool found(const std::string &why) {
    problem = problem.empty() ? why : problem;
    return false;
  }
  bool ends(QualType type) {
    const CXXRecordDecl *record = type->getBaseElementTypeUnsafe()->getAsCXXRecordDecl();
    const CXXDestructorDecl *end =
        record && record->hasDefinition() && !record->hasTrivialDestructor()
            ? record->getDestructor()
            : nullptr;
    return !end || isOfGroups(*end) || lookInto(*end, nullptr) ||
           found("'" + nameOf(*end) + "' may tell a thread from its mirror");
  }
  // False where it asks for the thread's number, but for the lane, or is not in view.
  bool lookInto(const FunctionDecl &callee, const CallExpr *call) {
    const FunctionDecl *definition = callee.getDefinition();
    if (!definition || !definition->hasBody())
      return !texts_.statement(callee.getSourceRange()) || callee.isDefaulted();
    if (!seen_.insert(definition).second)
      return true;
    ThreadMentions mentions;
    mentions.TraverseStmt(definition->getBody());
    if (const auto *constructor = dyn_cast<CXXConstructorDecl>(definition))
      for (const CXXCtorInitializer *init : constructor->inits())
        mentions.TraverseStmt(init->getInit());
    const bool isLane = call && sampler_.indexOf(call) == ThreadValue::Lane;
    const bool areLanes = byRows_ && llvm::all_of(mentions.found, [](const auto &mention) {
                            return mention.second == 0;
                          });
    return (isLane || ((mentions.found.empty() || areLanes) && !mentions.hasOther)) &&
           traverseDefinition(*definition);
  }

  const Texts &texts_;
  Sampler &sampler_;
  const bool byRows_;
  std::set<const FunctionDecl *> seen_;
};

// Branches and loops around matrix instructions that the thread decides.
class Deciding : public DynamicRecursiveASTVisitor {
public:
  explicit Deciding(Sampler &sampler) : sampler_(sampler) {}
  bool VisitIfStmt(IfStmt *branch) override {
    return branch->isConstexpr() || look(branch->getCond(), *branch);
  }
  bool VisitForStmt(ForStmt *loop) override { return look(loop->getCond(), *loop); }
  bool VisitWhileStmt(WhileStmt *loop) override { return look(loop->getCond(), *loop); }
  bool VisitDoStmt(DoStmt *loop) override { return look(loop->getCond(), *loop); }
  bool VisitSwitchStmt(SwitchStmt *choice) override { return look(choice->getCond(), *choice); }
  bool any = false;

private:
  bool look(const Expr *condition, Stmt &around) {
    AsmFinder inside;
    inside.TraverseStmt(&around);
    const auto multiplies = [](const CallExpr *call) {
      const FunctionDecl *callee = call->getDirectCallee();
      const FunctionDecl *definition = callee ? callee->getDefinition() : nullptr;
      AsmFinder its;
      if (definition && definition->hasBody())
        its.TraverseStmt(definition->getBody());
      return its.matrix || !its.calls.empty();
    };
    any |= condition && sampler_.dependsOnThread(condition) &&
           (inside.matrix || llvm::any_of(inside.calls, multiplies));
    return !any;
  }
  Sampler &sampler_;
};

// threadIdx.x % 32, threadIdx.x & 31: the mirror's is the same.
class CutToLane : public DynamicRecursiveASTVisitor {
public:
  explicit CutToLane(const ASTContext &context) : context_(context) {}
  bool VisitBinaryOperator(BinaryOperator *op) override {
    const Expr *index = op->getLHS()->IgnoreParenImpCasts();
    Expr::EvalResult by;
    if (threadIndexAxis(index) && (op->getOpcode() == BO_Rem || op->getOpcode() == BO_And) &&
        !op->getRHS()->isValueDependent() && op->getRHS()->EvaluateAsInt(by, context_) &&
        by.Val.getInt() == (op->getOpcode() == BO_Rem ? 32 : 31))
      found.insert(index);
    return true;
  }
  std::set<const Expr *> found;

private:
  const ASTContext &context_;
};

// Behind `!`; of `a || b`.
bool isOneTerm(const Expr &expr) {
  return isa<DeclRefExpr, CallExpr, UnaryOperator, ParenExpr>(expr.IgnoreImpCasts());
}
bool isAlternative(const Expr &expr) {
  const auto *op = dyn_cast<BinaryOperator>(expr.IgnoreImpCasts());
  return isOneTerm(expr) || (op && (op->isComparisonOp() || op->getOpcode() == BO_LOr));
}

} // namespace

std::string Recovery::tellsApart(const Stmt &body) {
  TellsApart apart(texts_, sampler_, /*byRows=*/false); // nobody has asked for rows that are warps
  apart.TraverseStmt(const_cast<Stmt *>(&body));
  return apart.problem;
}

bool Recovery::decidesElsewhere(const IfStmt *all) {
  Deciding deciding(sampler_);
  deciding.TraverseStmt(const_cast<Stmt *>(all ? all->getThen() : kernel_.getBody()));
  return deciding.any;
}

// What decides whether a warp goes on. Where each of its threads asks for itself (row >= M), they
// must be of one mind: mma.sync is undefined where any thread of the warp has exited, and that they
// are is checked. A warp that never multiplies might be of several: so no other condition on the
// thread may stand around the products.
// https://docs.nvidia.com/cuda/parallel-thread-execution/#warp-level-matrix-instructions-mma
std::vector<Recovery::Leaves> Recovery::leavesAtOnce() {
  std::vector<Leaves> found;
  const auto *body = dyn_cast<CompoundStmt>(kernel_.getBody());
  if (!body)
    return found;
  const auto isOwn = [&](const Expr *condition) {
    Inputs inputs;
    inputs.TraverseStmt(const_cast<Expr *>(condition));
    return !isAssumedUniform(condition) && changesNothing(*condition) &&
           !sampler_.asksOthers(condition) && !inputs.readsMemory;
  };
  for (const Stmt *stmt : body->body()) {
    if (onlyDeclares(*stmt))
      continue;
    const auto *branch = dyn_cast<IfStmt>(stmt);
    if (!branch || branch->getElse() || branch->isConstexpr() || branch->hasInitStorage() ||
        branch->hasVarStorage())
      break;
    const bool returns = onlyReturns(branch->getThen());
    if (!returns && stmt != body->body_back())
      break;
    if (returns && sampler_.sameForWave(branch->getCond()))
      continue;
    if (sampler_.sameForWave(branch->getCond()) || !isOwn(branch->getCond()))
      break;
    const bool isOfWarp = sampler_.sameForWarp(branch->getCond());
    if (!isOfWarp && decidesElsewhere(returns ? nullptr : branch))
      break;
    found.push_back({branch->getCond(), !returns, isOfWarp});
  }
  return found;
}

// Variables of the kernel that `leaves` is made of and that are the same for all threads: where the
// function stands, they are not there yet.
bool Recovery::addUniformLocals(const Stmt &below, std::set<const VarDecl *> &seen,
                                AddressFunction &out, std::string &problem) {
  Inputs inputs;
  inputs.TraverseStmt(const_cast<Stmt *>(&below));
  return llvm::all_of(inputs.found, [&](const VarDecl *variable) {
    if (!variable->isLocalVarDecl() || !seen.insert(variable).second)
      return true;
    const Expr *value = variable->getInit();
    if (!value || variable->isStaticLocal() || sampler_.changes(variable) ||
        !canBeMadeAgain(*value) || !addUniformLocals(*value, seen, out, problem))
      return false;
    if (!sampler_.dependsOnThread(variable))
      addMade(*variable, *value, out, problem, out_.range.file);
    return true;
  });
}

std::optional<AddressFunction> Recovery::leavingText(const std::vector<Leaves> &conditions) {
  std::vector<const Expr *> all;
  for (const Leaves &leaves : conditions)
    all.push_back(leaves.condition);
  std::string problem;
  AddressFunction out = variablesOf(all, out_.range.file, problem);
  AddressFunction uniform;
  std::set<const VarDecl *> seen;
  for (const Leaves &leaves : conditions) {
    if (!addUniformLocals(*leaves.condition, seen, uniform, problem))
      return std::nullopt;
    std::string text = textOf(leaves.condition, out, out_.range.file, problem);
    if (!(leaves.isNegated ? isOneTerm : isAlternative)(*leaves.condition))
      text = "(" + text + ")";
    out.expression +=
        (out.expression.empty() ? "" : " || ") + (leaves.isNegated ? "!" + text : text);
  }
  out.variables.insert(out.variables.begin(), uniform.variables.begin(), uniform.variables.end());
  if (!problem.empty() || !out.fetched.empty() || !out.moved.empty() || !out.told.empty() ||
      !out.kept.empty())
    return std::nullopt;
  return out;
}

// Where the kernel's text names the part of the thread's number that says which warp it is of.
bool Recovery::findMirrored(Kernel::Leaving &leaving) const {
  using Numbering = Kernel::Leaving::Numbering;
  const bool takesBoth = leaving.numbering == Numbering::Both;
  const int axis = leaving.numbering == Numbering::Rows ? 1 : 0;
  ThreadMentions mentions;
  mentions.TraverseStmt(kernel_.getBody());
  CutToLane lanes(context_);
  if (!takesBoth)
    lanes.TraverseStmt(kernel_.getBody());
  for (const auto &[index, its] : mentions.found) {
    if ((!takesBoth && its != axis) || lanes.found.count(index->IgnoreParenImpCasts()))
      continue;
    const auto place = texts_.range(index->getSourceRange());
    if (!place)
      return false;
    leaving.mentions.push_back({*place, its});
  }
  return !mentions.hasOther;
}

std::string Recovery::returnedBefore() const {
  return "some threads of a wave may have returned before" +
         (whyNotMirrored_.empty() ? "" : ", and " + whyNotMirrored_);
}

void Recovery::findLeaving() {
  using Numbering = Kernel::Leaving::Numbering;
  if (sampler_.isMirrored() || sampler_.isThreeDimensional() || sampler_.saidRow())
    return;
  const std::vector<Leaves> conditions = leavesAtOnce();
  if (conditions.empty())
    return;
  Kernel::Leaving leaving;
  leaving.numbering = sampler_.numbersThreads()     ? Numbering::Both
                      : sampler_.isTwoDimensional() ? Numbering::Rows
                                                    : Numbering::Row;
  TellsApart apart(texts_, sampler_, leaving.numbering == Numbering::Rows);
  apart.TraverseStmt(const_cast<Stmt *>(kernel_.getBody()));
  whyNotMirrored_ = apart.problem;
  if (whyNotMirrored_.empty() && !findMirrored(leaving))
    whyNotMirrored_ = "a macro, or more than its parts, names the thread's number";
  const auto text = whyNotMirrored_.empty() ? leavingText(conditions) : std::nullopt;
  if (!text && whyNotMirrored_.empty())
    whyNotMirrored_ = "which of them do cannot be said at the kernel's beginning";
  if (!text)
    return;
  if (leaving.numbering == Numbering::Rows)
    sampler_.needWarpRows();
  leaving.leaves = *text;
  leaving.name = hiddenName("stays", ThreadValue::Other);
  leaving.isChecked =
      llvm::any_of(conditions, [](const Leaves &leaves) { return !leaves.isOfWarp; });
  out_.leaving = std::move(leaving);
  sampler_.mirrorLeaving();
  for (const Leaves &leaves : conditions)
    sampler_.takeAlike(*leaves.condition);
}

} // namespace layout_port::native
