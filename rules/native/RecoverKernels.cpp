// Every kernel of the translation unit, recovered as often as it takes: what a run has found out
// about the whole kernel another one needs from its beginning.
#include "native/Accessors.h"
#include "native/Choices.h"
#include "native/Empty.h"
#include "native/LanePlaces.h"
#include "native/LiveText.h"
#include "native/Recovery.h"
#include "native/Solve.h"
#include "native/WholeText.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "clang/AST/DynamicRecursiveASTVisitor.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/STLExtras.h"

#include <tuple>

using namespace clang;

namespace layout_port::native {

namespace {

// Who names which function, by where they are written: instances share their template's text.
class Callers : public DynamicRecursiveASTVisitor {
public:
  Callers() { ShouldVisitTemplateInstantiations = true; }
  bool TraverseDecl(Decl *decl) override {
    const auto *function = dyn_cast_or_null<FunctionDecl>(decl);
    const auto *method = dyn_cast_or_null<CXXMethodDecl>(decl);
    const bool isLambda = method && method->getParent()->isLambda();
    const SourceLocation outer = in_;
    in_ = function && !isLambda ? function->getLocation() : in_;
    const bool goesOn = DynamicRecursiveASTVisitor::TraverseDecl(decl);
    in_ = outer;
    return goesOn;
  }
  bool VisitDeclRefExpr(DeclRefExpr *name) override { return add(name->getDecl()); }
  bool VisitMemberExpr(MemberExpr *member) override { return add(member->getMemberDecl()); }
  std::map<SourceLocation, std::set<SourceLocation>> any;

private:
  bool add(const ValueDecl *named) {
    const auto *function = dyn_cast<FunctionDecl>(named);
    const FunctionDecl *definition = function ? function->getDefinition() : nullptr;
    if (definition)
      any[definition->getLocation()].insert(in_);
    return true;
  }
  SourceLocation in_;
};

class Kernels : public DynamicRecursiveASTVisitor {
public:
  Kernels(ASTContext &context, const PlaceOf &placeOf,
          const std::map<std::string, LaunchShape> &blocks)
      : context_(context), placeOf_(placeOf), blocks_(blocks), texts_(context) {
    ShouldVisitTemplateInstantiations = true;
  }
  bool VisitFunctionDecl(FunctionDecl *function) override {
    if (!function->hasAttr<CUDAGlobalAttr>() || !function->doesThisDeclarationHaveABody() ||
        function->isDependentContext())
      return true;
    const FunctionDecl &text = texts_.of(*function);
    if (onlyFindsTexts)
      return true;
    const auto known = blocks_.find(function->getNameAsString());
    const LaunchShape blocks = known == blocks_.end() ? LaunchShape() : known->second;
    constexpr int kMostTurns = 4; // functions that call functions
    Reading reading{function, &text, blocks, {}, false, {}, {}};
    for (int turn = 0;; ++turn) {
      Recovery recovery = reading.begin(context_, placeOf_);
      auto kernel = recovery.run();
      const size_t before = reading.fillers.size();
      reading.fillers.insert(recovery.fillersMissed().begin(), recovery.fillersMissed().end());
      if (kernel && reading.fillers.size() > before && turn < kMostTurns)
        continue;
      if (kernel) {
        reading.mayHandOn = recovery.mayHandOn();
        kernels.push_back(withCodeBetween(std::move(*kernel), recovery, reading));
        readings_.push_back(std::move(reading));
      }
      return true;
    }
  }
  // All kernels are there. Instances of one template go to the end together, or none of them: they
  // share its text.
  void finish() {
    for (size_t first = 0; first < kernels.size(); ++first) {
      std::vector<size_t> instances;
      for (size_t i = first; i < kernels.size(); ++i)
        if (kernels[i].range == kernels[first].range)
          instances.push_back(i);
      const auto isSeen = [&](const Kernel &kernel) {
        return kernel.range == kernels[first].range;
      };
      if (llvm::any_of(llvm::ArrayRef(kernels).take_front(first), isSeen))
        continue;
      convertOperands(instances);
      handOn(instances);
      goToEnd(instances);
    }
    for (size_t i = 0; i < kernels.size(); ++i)
      findLiveText(context_, placeOf_, *readings_[i].function, kernels[i]);
  }
  std::vector<Kernel> kernels;
  // Which functions count as kernels is known before any of them is read.
  bool onlyFindsTexts = false;

private:
  // What a kernel is read with.
  struct Reading {
    const FunctionDecl *launched = nullptr, *function = nullptr; // function: whose text it is
    LaunchShape blocks;
    std::set<const FunctionDecl *> fillers;
    bool together = false;
    std::set<const FunctionDecl *> mayHandOn;
    std::vector<Kernel::Converted> converted;

    Recovery begin(ASTContext &context, const PlaceOf &placeOf) const {
      Recovery recovery(context, placeOf, *launched, *function, blocks, fillers);
      if (together)
        recovery.putTogether();
      recovery.convert(converted);
      return recovery;
    }
  };

  // Whether code between the products works on results, and whether it stores them, is known when
  // the kernel has been read once.
  Kernel withCodeBetween(Kernel kernel, const Recovery &first, Reading &reading) {
    bool missesStores = first.missesStores();
    if (first.computesBetween()) {
      reading.together = true;
      Recovery other = reading.begin(context_, placeOf_);
      auto again = other.run();
      if (again && again->problem.empty() && (again->staysNative() || other.missesStores())) {
        kernel = std::move(*again);
        missesStores = other.missesStores();
      } else {
        reading.together = false;
      }
    }
    if (!kernel.problem.empty()) // nobody asks for a price
      return kernel;
    findPlaces(context_, *reading.launched, *reading.function, kernel);
    const size_t moved = missesStores ? accumulatorsMoved(kernel) : 0;
    if (moved == 0)
      return kernel;
    Recovery other = reading.begin(context_, placeOf_);
    other.storeResults();
    auto again = runAgain(other, reading);
    return again && (moved == kNone || accumulatorsMoved(*again) < moved) ? std::move(*again)
                                                                          : std::move(kernel);
  }

  std::optional<Kernel> runAgain(Recovery &recovery, const Reading &reading) {
    auto again = recovery.run();
    if (!again || !again->problem.empty())
      return std::nullopt;
    findPlaces(context_, *reading.launched, *reading.function, *again);
    return again;
  }

  // Operands that stand in the way stay where CUDA has them, in all instances, if there is a plan
  // then.
  void convertOperands(const std::vector<size_t> &instances) {
    constexpr int kMostOperands = 8;
    std::vector<Kernel> all;
    std::vector<Reading> readings;
    for (const size_t i : instances) {
      all.push_back(kernels[i]);
      readings.push_back(readings_[i]);
    }
    std::vector<Kernel::Converted> converted;
    for (int turn = 0; turn <= kMostOperands; ++turn) {
      const size_t before = converted.size();
      for (const Kernel &kernel : all) {
        KernelPlans plans;
        const auto refusal = planKernel(kernel, {}, plans);
        if (!refusal)
          continue;
        if (!refusal->operand || kernel.isConverted(refusal->operand))
          return; // something else stands in the way
        converted.push_back({refusal->operand, refusal->reason, refusal->at});
      }
      if (converted.size() == before)
        break;
      for (size_t i = 0; i < all.size(); ++i) {
        readings[i].converted = converted;
        auto again = readAnew(readings[i]);
        if (!again)
          return;
        all[i] = std::move(*again);
      }
    }
    for (size_t i = 0; i < all.size() && !converted.empty(); ++i) {
      kernels[instances[i]] = std::move(all[i]);
      readings_[instances[i]] = std::move(readings[i]);
    }
  }

  std::optional<Kernel> readAnew(Reading &reading) {
    reading.together = false;
    Recovery recovery = reading.begin(context_, placeOf_);
    auto kernel = recovery.run();
    if (!kernel || !kernel->problem.empty())
      return std::nullopt;
    return withCodeBetween(std::move(*kernel), recovery, reading);
  }

  // An epilogue that is run where the elements lie is better, if that is what it is: results that
  // are stored behind the last product as they are between two.
  void goToEnd(const std::vector<size_t> &instances) {
    readAgain(instances, [](size_t, Recovery &recovery) { recovery.goToEnd(); });
  }

  // Functions that sums are handed to behind the products are part of the kernel's text, where
  // nobody else calls them.
  void handOn(const std::vector<size_t> &instances) {
    std::map<size_t, std::set<const FunctionDecl *>> own;
    bool any = false;
    for (const size_t i : instances)
      for (const FunctionDecl *function : readings_[i].mayHandOn)
        if (onlyCalledBy(*readings_[i].function, *function))
          any |= own[i].insert(function).second;
    if (any)
      readAgain(instances, [&](size_t i, Recovery &recovery) { recovery.handOnIn(own[i]); });
  }

  bool onlyCalledBy(const FunctionDecl &kernel, const FunctionDecl &function) {
    if (callers_.any.empty())
      callers_.TraverseDecl(context_.getTranslationUnitDecl());
    const auto known = callers_.any.find(function.getLocation());
    return known != callers_.any.end() && llvm::all_of(known->second, [&](SourceLocation caller) {
             return caller == kernel.getLocation();
           });
  }

  // Better is what moves fewer sums.
  void readAgain(const std::vector<size_t> &instances,
                 llvm::function_ref<void(size_t, Recovery &)> prepare) {
    std::vector<Kernel> all;
    size_t before = 0, after = 0;
    for (const size_t i : instances) {
      const size_t moved = kernels[i].problem.empty() ? accumulatorsMoved(kernels[i]) : kNone;
      if (moved == kNone)
        return;
      before += moved;
    }
    for (const size_t i : instances) {
      Recovery other = readings_[i].begin(context_, placeOf_);
      prepare(i, other);
      auto again = before ? runAgain(other, readings_[i]) : std::nullopt;
      const size_t moved = again ? accumulatorsMoved(*again) : kNone;
      if (moved == kNone)
        return;
      after += moved;
      all.push_back(std::move(*again));
    }
    if (after < before && arePlannedAlike(all))
      for (size_t i = 0; i < instances.size(); ++i)
        kernels[instances[i]] = std::move(all[i]);
  }

  // The best plan of each is the others', but for how many tiles there are: another that all could
  // have may not be had where results stay to the end.
  static bool arePlannedAlike(const std::vector<Kernel> &instances) {
    std::vector<std::vector<std::tuple<PairSide, bool, bool, int>>> all;
    for (const Kernel &kernel : instances) {
      KernelPlans plans;
      if (planKernel(kernel, {}, plans))
        return false;
      all.emplace_back();
      for (const Product &product : plans.plans[0].products) {
        const Scheme &scheme = product.scheme;
        all.back().push_back({scheme.side, scheme.turned, scheme.large, scheme.words()});
      }
    }
    return llvm::all_equal(all);
  }

  static constexpr size_t kNone = SIZE_MAX; // there is no plan

  // Accumulators that go back to CUDA's layout.
  static size_t accumulatorsMoved(const Kernel &kernel) {
    KernelPlans plans;
    if (planKernel(kernel, {}, plans))
      return kNone;
    return static_cast<size_t>(llvm::count_if(plans.plans[0].products, [&](const Product &product) {
      return !product.isFurther && (goesBack(kernel, product) || usedInFront(kernel, product));
    }));
  }

  ASTContext &context_;
  const PlaceOf &placeOf_;
  const std::map<std::string, LaunchShape> &blocks_;
  std::vector<Reading> readings_; // of each kernel
  Callers callers_;
  WholeTexts texts_;
};

} // namespace

std::vector<Kernel> recoverKernels(ASTContext &context, const PlaceOf &placeOf,
                                   const std::map<std::string, LaunchShape> &blocks) {
  openAccessors(context);
  readChoices(context);
  dropEmptyStatements(context);
  Kernels visitor(context, placeOf, blocks);
  const SourceManager &sm = context.getSourceManager();
  for (const bool onlyFindsTexts : {true, false}) {
    visitor.onlyFindsTexts = onlyFindsTexts;
    for (Decl *decl : context.getTranslationUnitDecl()->noload_decls())
      if (!sm.isInSystemHeader(sm.getExpansionLoc(decl->getLocation())))
        visitor.TraverseDecl(decl);
  }
  visitor.finish();
  return std::move(visitor.kernels);
}

} // namespace layout_port::native
