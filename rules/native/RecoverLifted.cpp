// Operands that a function of the author's puts together: it is looked through where it is called.
//
//   void load(frag &f, const half *s, int lane) {
//     for (int l = 0; l < 4; ++l)
//       f.x[l] = word(s + (lane / 4 + l % 2 * 8) * pitch + lane % 4 * 2 + l / 2 * 8);
//   }
//   load(a, tile, lane);  ──▶  lp::gather_a(a.x, [&](int lane, int warp, int l) {
//                                const auto s = tile;
//                                return word(s + ...);
//                              });
//
// It holds one filling, with locals in front of it, reads nothing of what it fills, and names
// nothing that only its template knows. It may return what it fills:
//
//   const FragA a = load(tile, lane);  ──▶  FragA a;
//                                           lp::gather_a(a.x, ...);
#include "native/Recovery.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/AST/DynamicRecursiveASTVisitor.h"
#include "clang/Lex/Lexer.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/ScopeExit.h"

using namespace clang;

namespace layout_port::native {

namespace {

// Variables, but for those whose class alone is meant; and whether memory may be read.
class Read : public DynamicRecursiveASTVisitor {
public:
  bool TraverseMemberExpr(MemberExpr *member) override {
    return isOfClass(*member) || DynamicRecursiveASTVisitor::TraverseMemberExpr(member);
  }
  bool VisitDeclRefExpr(DeclRefExpr *name) override {
    if (const auto *variable = dyn_cast<VarDecl>(name->getDecl()))
      variables.insert(variable);
    return true;
  }
  bool VisitCallExpr(CallExpr *) override { return mayRead = true; }
  bool VisitArraySubscriptExpr(ArraySubscriptExpr *) override { return mayRead = true; }
  bool VisitUnaryOperator(UnaryOperator *op) override {
    mayRead |= op->getOpcode() == UO_Deref;
    return true;
  }
  std::set<const VarDecl *> variables;
  bool mayRead = false;
};

bool isWritable(const ParmVarDecl &parameter) {
  const QualType type = parameter.getType();
  return (type->isReferenceType() || type->isPointerType()) &&
         !type->getPointeeType().isConstQualified();
}

} // namespace

// A template's own names mean nothing where the text goes.
bool Recovery::namesTemplate(const FunctionDecl &function) const {
  const FunctionDecl *pattern = function.getTemplateInstantiationPattern();
  const FunctionTemplateDecl *shape = function.getPrimaryTemplate();
  const auto *record = dyn_cast<CXXRecordDecl>(function.getDeclContext());
  if ((record && isa<ClassTemplateSpecializationDecl>(record)) || (pattern && !shape))
    return true;
  const StringRef text =
      Lexer::getSourceText(CharSourceRange::getTokenRange(function.getBody()->getSourceRange()),
                           context_.getSourceManager(), context_.getLangOpts());
  return shape && llvm::any_of(*shape->getTemplateParameters(), [&](const NamedDecl *parameter) {
           return mentionsWord(text, parameter->getName());
         });
}

// FragA f; ...; return f;
const VarDecl *Recovery::filledAndReturnedBy(const FunctionDecl &function) {
  const auto *body = dyn_cast_or_null<CompoundStmt>(function.getBody());
  const auto *leave = body && body->size() > 1 ? dyn_cast<ReturnStmt>(body->body_back()) : nullptr;
  const VarDecl *variable =
      leave && leave->getRetValue() ? variableNamed(throughCopies(leave->getRetValue())) : nullptr;
  const bool isOwn = variable && variable->isLocalVarDecl() && variable->hasLocalStorage() &&
                     variable->getDeclContext() == &function &&
                     variable->getType()->isRecordType() &&
                     !variable->getType().isVolatileQualified();
  return isOwn ? variable : nullptr;
}

bool Recovery::isFilledBy(const FunctionDecl &function, Filling &out, const VarDecl *returned) {
  const auto *body = dyn_cast_or_null<CompoundStmt>(function.getBody());
  if (!body || body->body_empty() || (!returned && !function.getReturnType()->isVoidType()))
    return false;
  std::vector<const Stmt *> stmts;
  std::set<const VarDecl *> own; // leads to what is filled
  std::set<const VarDecl *> parameters(function.param_begin(), function.param_end());
  for (const ParmVarDecl *parameter : function.parameters())
    if (isWritable(*parameter))
      own.insert(parameter);
  if (returned)
    own = {returned};
  const auto readsOwn = [&](const Expr &value) {
    Read read;
    read.TraverseStmt(const_cast<Expr *>(&value));
    return llvm::any_of(read.variables, [&](const VarDecl *v) { return own.count(v) != 0; });
  };
  for (const Stmt *stmt : llvm::ArrayRef(body->body_begin(), body->size() - (returned ? 1 : 0))) {
    const auto *declaration = dyn_cast<DeclStmt>(stmt);
    if (!declaration) {
      stmts.push_back(stmt);
      continue;
    }
    for (const Decl *decl : declaration->decls()) {
      const auto *local = dyn_cast<VarDecl>(decl);
      if (local && local == returned && stmts.empty())
        continue;
      if (!stmts.empty() || !local || !local->getInit() || local->isStaticLocal() ||
          !obstacleTo(local->getInit(), context_).empty())
        return false;
      if (readsOwn(*local->getInit()))
        own.insert(local);
    }
  }
  std::vector<Filling> all = fillingsOf(stmts, context_);
  if (all.size() != 1 || all[0].declared || all[0].isOfScalars())
    return false;
  out = std::move(all[0]);
  bool mayRead = false;
  for (const Filling::Store &store : out.stores) {
    const VarDecl *target = store.target ? variableOf(store.target) : nullptr;
    const bool isOtherType =
        target && !isa<ParmVarDecl>(target) && store.value->getType()->isRecordType();
    if (readsOwn(*store.value) || (target && !own.count(target)) || isOtherType)
      return false;
    Read read;
    read.TraverseStmt(const_cast<Expr *>(store.value));
    mayRead |= read.mayRead;
  }
  const auto readsInStep = [&](const Stmt *step) {
    const auto *branch = dyn_cast<IfStmt>(step);
    return (branch && readsOwn(*branch->getCond())) ||
           llvm::any_of(changesIn(step),
                        [&](const LocalChange &change) { return readsOwn(*change.value); });
  };
  if (llvm::any_of(out.steps, readsInStep) || llvm::any_of(out.locals, [&](const VarDecl *local) {
        return local->getInit() && readsOwn(*local->getInit());
      }))
    return false;
  size_t stored = 0; // statements that are part of it
  for (const Stmt *stmt : stmts) {
    const auto *attributed = dyn_cast<AttributedStmt>(stmt);
    stored += llvm::any_of(out.stores, [&](const Filling::Store &store) {
      return store.statement == (attributed ? attributed->getSubStmt() : stmt);
    });
  }
  return mayRead && stored == stmts.size() && !stmts.empty();
}

// T x = f(...);  and  x = f(...);  where f puts x together.
bool Recovery::visitFilled(const Stmt &stmt) {
  const auto fills = [](const Expr *value) -> const CallExpr * {
    const auto *call = value ? dyn_cast<CallExpr>(throughCopies(value)) : nullptr;
    const FunctionDecl *callee = call ? call->getDirectCallee() : nullptr;
    const FunctionDecl *definition = callee ? callee->getDefinition() : nullptr;
    return definition && !isOfCuda(*definition) && filledAndReturnedBy(*definition) ? call
                                                                                    : nullptr;
  };
  const auto taking = takingAt(stmt, fills);
  return taking && obstacleToTaking(*taking, stmt).empty() &&
         noteLifted(*taking->call, &*taking, &stmt);
}

bool Recovery::noteLifted(const CallExpr &call, const Taking *taking, const Stmt *stmt) {
  const FunctionDecl *callee = call.getDirectCallee();
  const FunctionDecl *definition = callee ? callee->getDefinition() : nullptr;
  const auto *method = dyn_cast_or_null<CXXMethodDecl>(callee);
  const bool isOfLambda = method && method->getParent()->isLambda();
  const Expr *self = objectOf(call);
  if (function_ || (owner_ && !lambdaOfKernel()) || !definition || !definition->hasBody() ||
      (isa<CXXOperatorCallExpr>(call) && !isOfLambda) ||
      (method && method->isInstance() && !self && !isOfLambda) ||
      (isOfLambda && !keptBy(*method).empty()) || (self && self->HasSideEffects(context_)) ||
      call.getNumArgs() != definition->getNumParams() + (isOfLambda ? 1 : 0))
    return false;
  PendingFilling pending;
  const VarDecl *returned = taking ? filledAndReturnedBy(*definition) : nullptr;
  if (namesTemplate(*definition) || !isFilledBy(*definition, pending.filling, returned))
    return false;
  for (unsigned i = 0; i < definition->getNumParams(); ++i) {
    const Expr *argument = call.getArg(isOfLambda ? i + 1 : i);
    if (isa<CXXDefaultArgExpr>(argument) || !changesNothing(*argument))
      return false;
    if (!isWritable(*definition->getParamDecl(i)) && !obstacleTo(argument, context_).empty())
      return false;
    pending.given[definition->getParamDecl(i)] = argument;
  }
  if (returned) {
    pending.given[returned] = taking->declared ? nameOf(*taking->declared) : taking->destination;
    pending.taking = stmt;
    pending.declares = taking->declared;
  }
  sampler_.consider(definition->getBody());
  pending.filling.hasPragma = false; // it goes with the function
  pending.call = &call;
  pending.self = self;
  pending.loops = loops_;
  pending.block = siteBlock_;
  pending.decided = decided();
  pending.lambda = lambdaOfKernel();
  if (!divergent_.empty())
    pending.problem = "fragments are loaded under a condition on the thread: " +
                      texts_.spelled(divergent_.front());
  else if (earlyReturn_)
    pending.problem = returnedBefore();
  pending_.push_back(std::move(pending));
  return true;
}

void Recovery::noteMayFill(const CallExpr &call, const FunctionDecl &function) {
  const bool isOwn = !isa<CXXOperatorCallExpr>(call) && !isOfHeaders(function) && rangeOf(function);
  const Expr *parting = partingIndex_;
  const auto leave = llvm::make_scope_exit([&] { partingIndex_ = parting; });
  const auto note = [&](const Expr *handed) {
    const Expr *name = nullptr;
    if (const auto view = handed ? viewIn(*handed, name) : std::nullopt)
      mayFill_.push_back({&function, view->variable});
  };
  if (!isOwn)
    return;
  note(objectOf(call));
  for (unsigned i = 0; i < call.getNumArgs() && i < function.getNumParams(); ++i)
    if (isWritable(*function.getParamDecl(i)))
      note(call.getArg(i));
}

// Operands that nobody fills as far as could be seen, are no results and no constants.
std::set<const FunctionDecl *> Recovery::findMissed() {
  std::set<const FunctionDecl *> missed;
  if (mayFill_.empty())
    return missed;
  const Made results = madeFromResults();
  std::set<const VarDecl *> wanted;
  const auto want = [&](uint64_t operand) {
    const bool isKnown = out_.isConverted(operand) ||
                         llvm::any_of(out_.loads,
                                      [&](const LoadSite &load) {
                                        return load.registers[0].declaration == operand;
                                      }) ||
                         llvm::any_of(out_.variables, [&](const Kernel::Variable &variable) {
                           return variable.declaration == operand && variable.isConstant;
                         });
    for (const Root &root : rootsOf(operand))
      if (!isKnown && !results.variables.count(root.variable))
        wanted.insert(root.variable);
  };
  for (size_t i = 0; i < out_.mmas.size(); ++i) {
    want(out_.mmas[i].a[0].declaration);
    if (!lanewise_.count(i) && !computed_.count(i))
      want(out_.mmas[i].b[0].declaration);
  }
  for (const auto &[function, variable] : mayFill_)
    if (wanted.count(variable) && !fillers_.count(function))
      missed.insert(function);
  return missed;
}

} // namespace layout_port::native
