// Which kernels there are, and what block they are launched with.
#include "recover/FromAst.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "clang/AST/DynamicRecursiveASTVisitor.h"
#include "clang/AST/ExprCXX.h"
#include "clang/Basic/SourceManager.h"

#include <optional>
#include <set>

using namespace clang;

namespace layout_port::recover {

namespace {

std::string lineOf(const ASTContext &context, SourceLocation loc) {
  const SourceManager &sm = context.getSourceManager();
  return std::to_string(sm.getPresumedLoc(sm.getExpansionLoc(loc)).getLine());
}

std::optional<unsigned> number(const Expr *e, ASTContext &context) {
  Expr::EvalResult result;
  if (!e || e->isValueDependent() || !e->EvaluateAsInt(result, context))
    return std::nullopt;
  return static_cast<unsigned>(result.Val.getInt().getZExtValue());
}

// dim3(x, y, z), a number, or a variable that is one of them.
std::optional<BlockShape> shapeOf(const Expr *e, ASTContext &context) {
  e = e->IgnoreUnlessSpelledInSource();
  if (const auto *name = dyn_cast<DeclRefExpr>(e))
    if (const auto *variable = dyn_cast<VarDecl>(name->getDecl()))
      if (variable->getInit() && variable->getType()->isRecordType())
        e = variable->getInit()->IgnoreUnlessSpelledInSource();
  BlockShape shape;
  shape.x = shape.y = shape.z = 1;
  unsigned *dims[] = {&shape.x, &shape.y, &shape.z};
  if (const auto x = number(e, context)) {
    shape.x = *x;
    return shape;
  }
  std::vector<const Expr *> args;
  if (const auto *made = dyn_cast<CXXConstructExpr>(e))
    args.assign(made->arg_begin(), made->arg_end());
  else if (const auto *list = dyn_cast<InitListExpr>(e))
    for (const Expr *init : list->inits())
      args.push_back(init);
  if (args.empty() || args.size() > 3)
    return std::nullopt;
  for (size_t i = 0; i < args.size(); ++i) {
    const auto n = number(args[i], context);
    if (!n)
      return std::nullopt;
    *dims[i] = *n;
  }
  return shape;
}

class Launches : public DynamicRecursiveASTVisitor {
public:
  Launches(ASTContext &context, const FunctionDecl *kernel) : context_(context), kernel_(kernel) {
    ShouldVisitTemplateInstantiations = true;
  }

  bool VisitCUDAKernelCallExpr(CUDAKernelCallExpr *call) override {
    const FunctionDecl *callee = call->getDirectCallee();
    const CallExpr *config = call->getConfig();
    if (!callee || callee->getCanonicalDecl() != kernel_->getCanonicalDecl() || !config ||
        config->getNumArgs() < 2)
      return true;
    ++count;
    const auto shape = shapeOf(config->getArg(1), context_);
    if (!shape || (found && (found->x != shape->x || found->y != shape->y || found->z != shape->z)))
      agree = false;
    else {
      found = shape;
      line = lineOf(context_, call->getBeginLoc());
    }
    return true;
  }

  std::optional<BlockShape> found;
  std::string line;
  unsigned count = 0;
  bool agree = true;

private:
  ASTContext &context_;
  const FunctionDecl *kernel_;
};

// Which components of threadIdx a kernel reads, also in the functions it calls.
class ThreadIndices : public DynamicRecursiveASTVisitor {
public:
  bool VisitMSPropertyRefExpr(MSPropertyRefExpr *e) override {
    const Expr *object = e->getBaseExpr()->IgnoreParenImpCasts();
    if (const auto *bound = dyn_cast<OpaqueValueExpr>(object); bound && bound->getSourceExpr())
      object = bound->getSourceExpr()->IgnoreParenImpCasts();
    const auto *base = dyn_cast<DeclRefExpr>(object);
    if (base && base->getDecl()->getName() == "threadIdx")
      read.insert(e->getPropertyDecl()->getName().str());
    return true;
  }
  bool VisitCallExpr(CallExpr *e) override {
    const FunctionDecl *callee = e->getDirectCallee();
    const FunctionDecl *body = callee ? callee->getDefinition() : nullptr;
    if (body && body->hasBody() && seen_.insert(body).second)
      TraverseStmt(body->getBody());
    return true;
  }
  std::set<std::string> read;

private:
  std::set<const FunctionDecl *> seen_;
};

class Kernels : public DynamicRecursiveASTVisitor {
public:
  explicit Kernels(const SourceManager &sm) : sm_(sm) { ShouldVisitTemplateInstantiations = true; }
  bool VisitFunctionDecl(FunctionDecl *f) override {
    if (f->hasAttr<CUDAGlobalAttr>() && f->doesThisDeclarationHaveABody() &&
        !f->isDependentContext() && !f->isInvalidDecl() &&
        !sm_.isInSystemHeader(sm_.getExpansionLoc(f->getLocation())))
      kernels.push_back(f);
    return true;
  }
  std::vector<const FunctionDecl *> kernels;

private:
  const SourceManager &sm_;
};

} // namespace

std::vector<const FunctionDecl *> findKernels(ASTContext &context) {
  const SourceManager &sm = context.getSourceManager();
  Kernels finder(sm);
  for (Decl *decl : context.getTranslationUnitDecl()->noload_decls())
    if (!sm.isInSystemHeader(sm.getExpansionLoc(decl->getLocation())))
      finder.TraverseDecl(decl);
  return finder.kernels;
}

static unsigned launchBound(const FunctionDecl *kernel, ASTContext &context) {
  const auto *bounds = kernel->getAttr<CUDALaunchBoundsAttr>();
  return bounds ? number(bounds->getMaxThreads(), context).value_or(0) : 0;
}

BlockShape findBlockShape(ASTContext &context, const FunctionDecl *kernel) {
  Launches launches(context, kernel);
  const SourceManager &sm = context.getSourceManager();
  for (Decl *decl : context.getTranslationUnitDecl()->noload_decls())
    if (!sm.isInSystemHeader(sm.getExpansionLoc(decl->getLocation())))
      launches.TraverseDecl(decl);
  BlockShape block;
  const unsigned bound = launchBound(kernel, context);
  if (launches.found && launches.agree && launches.found->threads() > 0 &&
      launches.found->threads() <= 1024) {
    block = *launches.found;
    block.notes.push_back("block (" + std::to_string(block.x) + ", " + std::to_string(block.y) +
                          ", " + std::to_string(block.z) + ") from the launch at line " +
                          launches.line);
    return block;
  }
  block.mostThreads = bound;
  if (bound)
    block.notes.push_back("at most " + std::to_string(bound) + " threads, from __launch_bounds__");
  ThreadIndices indices;
  indices.TraverseStmt(kernel->getBody());
  const bool twoDims = indices.read.count("y") > 0;
  if (twoDims) {
    block.x = 32;
    block.z = 1;
    block.notes.push_back("assumed: blocks of (32, W) threads");
  } else {
    block.y = block.z = 1;
    block.notes.push_back("assumed: blocks of one dimension");
  }
  return block;
}

} // namespace layout_port::recover
