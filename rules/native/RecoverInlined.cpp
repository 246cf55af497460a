// Functions that multiply into sums which they are handed by reference. Until such a function is
// part of the kernel its sums lie in memory; where clang makes it that only after it has split the
// kernel's arrays, they stay in scratch:
//
//   __device__ void scores(float (&s)[2][4], ..)  ──▶  __device__ __forceinline__ void scores(..)
//
// (HIP's qualifiers that control inlining:
// https://rocm.docs.amd.com/projects/HIP/en/latest/how-to/hip_cpp_language_extensions.html)
#include "native/Recovery.h"

#include "clang/Lex/Lexer.h"

#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace layout_port::native {

namespace {

// Not after what the author said of it, not in a macro's text, nor where it is declared apart:
// others may call it from another file, and an inline one is not there for them.
bool mayBeForced(const FunctionDecl &function) {
  const auto *method = dyn_cast<CXXMethodDecl>(&function);
  return (function.isFirstDecl() || function.isTemplateInstantiation()) &&
         !function.hasAttr<AlwaysInlineAttr>() && !function.hasAttr<NoInlineAttr>() &&
         !function.getLocation().isMacroID() && !function.getTypeSpecStartLoc().isMacroID() &&
         !(method && method->getParent()->isLambda()) &&
         !isa<CXXConstructorDecl, CXXConversionDecl>(function);
}

// The author's `inline`, which `__forceinline__` says too.
SourceLocation writtenInline(const FunctionDecl &function, const SourceManager &sm,
                             const LangOptions &options) {
  constexpr llvm::StringRef kSpellings[] = {"inline", "__inline__", "__inline"};
  SourceLocation at = sm.getExpansionLoc(function.getOuterLocStart());
  for (clang::Token token; sm.isBeforeInTranslationUnit(at, function.getLocation());
       at = token.getEndLoc()) {
    if (Lexer::getRawToken(at, token, sm, options, /*IgnoreWhiteSpace=*/true))
      break;
    if (token.is(tok::raw_identifier) && llvm::is_contained(kSpellings, token.getRawIdentifier()))
      return token.getLocation();
  }
  return {};
}

} // namespace

bool Recovery::multipliesBelow(const FunctionDecl &function) const {
  const auto text = rangeOf(function);
  const auto isWithin = [&](const MmaSite &mma) { return text && text->contains(mma.range); };
  const auto isHandedOn = [&](const auto &known) {
    return llvm::any_of(known.second,
                        [&](const Called &call) { return call.caller == &function; }) &&
           multipliesBelow(*cast<FunctionDecl>(known.first.first));
  };
  return llvm::any_of(out_.mmas, isWithin) || llvm::any_of(called_, isHandedOn);
}

// To multiply into, to hand on to who does, or to store.
bool Recovery::isHandedSums(const FunctionDecl &function) const {
  const auto frames = frames_.find(&function);
  const auto isHanded = [](const Frame &frame) { return !frame.views.empty(); };
  return frames != frames_.end() && llvm::any_of(frames->second, isHanded) &&
         (handingOn_.count(&function) || multipliesBelow(function));
}

void Recovery::findInlined() {
  const SourceManager &sm = context_.getSourceManager();
  for (const FunctionDecl *function : toWalk_) {
    if (!isHandedSums(*function) || !mayBeForced(*function))
      continue;
    const SourceLocation written = writtenInline(*function, sm, context_.getLangOpts());
    if (written.isInvalid() && function->isInlineSpecified())
      continue; // a macro says it: clang would warn of a second one
    const SourceLocation at = written.isValid() ? written : function->getTypeSpecStartLoc();
    auto place = texts_.statement(at);
    if (!place)
      continue;
    if (written.isInvalid())
      place->end = place->begin;
    if (!llvm::is_contained(out_.inlined, *place))
      out_.inlined.push_back(*place);
  }
}

} // namespace layout_port::native
