// Every kernel of the translation unit, recovered as often as it takes: what a run has found out
// about the whole kernel another one needs from its beginning.
#include "native/Accessors.h"
#include "native/LanePlaces.h"
#include "native/LiveText.h"
#include "native/Recovery.h"
#include "native/Solve.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "clang/AST/DynamicRecursiveASTVisitor.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace layout_port::native {

namespace {

class Kernels : public DynamicRecursiveASTVisitor {
public:
  Kernels(ASTContext &context, const PlaceOf &placeOf,
          const std::map<std::string, LaunchShape> &blocks)
      : context_(context), placeOf_(placeOf), blocks_(blocks) {
    ShouldVisitTemplateInstantiations = true;
  }
  bool VisitFunctionDecl(FunctionDecl *function) override {
    if (!function->hasAttr<CUDAGlobalAttr>() || !function->doesThisDeclarationHaveABody() ||
        function->isDependentContext())
      return true;
    const auto known = blocks_.find(function->getNameAsString());
    const LaunchShape blocks = known == blocks_.end() ? LaunchShape() : known->second;
    std::set<const FunctionDecl *> fillers;
    constexpr int kMostTurns = 4; // functions that call functions
    for (int turn = 0;; ++turn) {
      Recovery recovery(context_, placeOf_, *function, blocks, fillers);
      auto kernel = recovery.run();
      const size_t before = fillers.size();
      fillers.insert(recovery.fillersMissed().begin(), recovery.fillersMissed().end());
      if (kernel && fillers.size() > before && turn < kMostTurns)
        continue;
      if (kernel) {
        kernels.push_back(withCodeBetween(std::move(*kernel), recovery, *function, [&] {
          return Recovery(context_, placeOf_, *function, blocks, fillers);
        }));
        findLiveText(context_, placeOf_, *function, kernels.back());
      }
      return true;
    }
  }
  std::vector<Kernel> kernels;

private:
  // Whether code between the products works on results, and whether it stores them, is known when
  // the kernel has been read once.
  template <class Make>
  Kernel withCodeBetween(Kernel kernel, const Recovery &first, const FunctionDecl &function,
                         Make make) {
    bool missesStores = first.missesStores(), together = false;
    if (first.computesBetween()) {
      Recovery other = make();
      other.putTogether();
      auto again = other.run();
      if (again && again->problem.empty() && (again->staysNative() || other.missesStores())) {
        kernel = std::move(*again);
        missesStores = other.missesStores();
        together = true;
      }
    }
    if (kernel.problem.empty()) // else nobody asks for a price
      findPlaces(context_, function, kernel);
    // An epilogue that is run where the elements lie is better, if that is what it is.
    const size_t moved = missesStores ? accumulatorsMoved(kernel) : 0;
    if (moved == 0)
      return kernel;
    Recovery other = make();
    other.storeResults();
    if (together)
      other.putTogether();
    if (auto again = other.run(); again && again->problem.empty()) {
      findPlaces(context_, function, *again);
      if (moved == kNone || accumulatorsMoved(*again) < moved)
        return std::move(*again);
    }
    return kernel;
  }

  static constexpr size_t kNone = SIZE_MAX; // there is no plan

  // Accumulators that go back to CUDA's layout.
  static size_t accumulatorsMoved(const Kernel &kernel) {
    KernelPlans plans;
    if (planKernel(kernel, {}, plans))
      return kNone;
    return static_cast<size_t>(llvm::count_if(plans.plans[0].products, [](const Product &product) {
      return !product.epilogue && !product.noEpilogue.empty();
    }));
  }

  ASTContext &context_;
  const PlaceOf &placeOf_;
  const std::map<std::string, LaunchShape> &blocks_;
};

} // namespace

std::vector<Kernel> recoverKernels(ASTContext &context, const PlaceOf &placeOf,
                                   const std::map<std::string, LaunchShape> &blocks) {
  openAccessors(context);
  Kernels visitor(context, placeOf, blocks);
  const SourceManager &sm = context.getSourceManager();
  for (Decl *decl : context.getTranslationUnitDecl()->noload_decls())
    if (!sm.isInSystemHeader(sm.getExpansionLoc(decl->getLocation())))
      visitor.TraverseDecl(decl);
  return std::move(visitor.kernels);
}

} // namespace layout_port::native
