// Where a function can be told which set of fragments it is called with, if its text has to differ:
//
//   __device__ void load(frag &f, const half *s) { ldmatrix(f.x, s + ..); }
//   load(a, tile);
//   load(b, other);
//
//   template <int Operands = 0>                                      the header
//   __device__ void load(frag &f, const half *s, lp::operands<Operands> = {}) {
//                                              └ the parameter
//   load(a, tile);
//   load(b, other, lp::operands<1>{});
//                └ a call
//
// Not where it is declared apart, called by others than the kernel, or what a macro writes.
#include "native/Recovery.h"

#include "clang/AST/DeclTemplate.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace layout_port::native {

namespace {

bool mayHaveAnother(const FunctionDecl &function) {
  return function.isFirstDecl() && !function.getPreviousDecl() &&
         function.getMostRecentDecl() == &function && !function.isVariadic() &&
         !function.isOverloadedOperator() && !isa<CXXConstructorDecl, CXXConversionDecl>(function) &&
         function.getFriendObjectKind() == Decl::FOK_None &&
         function.getTemplateSpecializationKind() != TSK_ExplicitSpecialization;
}

} // namespace

void Recovery::tagFrames() {
  for (const auto &[function, frames] : frames_) {
    const FunctionDecl *pattern = function->getTemplateInstantiationPattern();
    pattern = pattern ? pattern : function;
    const auto whole = rangeOf(*function);
    const FunctionTypeLoc type = pattern->getFunctionTypeLoc();
    const FunctionTemplateDecl *description = pattern->getDescribedFunctionTemplate();
    const bool hasPack =
        description && llvm::any_of(*description->getTemplateParameters(),
                                    [](const NamedDecl *own) { return own->isParameterPack(); });
    const auto end = type ? texts_.range(SourceRange(type.getRParenLoc())) : std::nullopt;
    const auto header =
        description
            ? texts_.range(SourceRange(description->getTemplateParameters()->getRAngleLoc()))
            : whole;
    if (!whole || !end || !header || hasPack || !mayHaveAnother(*pattern))
      continue;
    for (Kernel::Frame &its : out_.frames) {
      const auto known = called_.find({function, its.number});
      if (known == called_.end() || !(its.function == *whole))
        continue;
      Kernel::Frame::Tag tag;
      tag.header = {header->file, header->begin, header->begin};
      tag.isTemplate = description;
      tag.parameter = {end->file, end->begin, end->begin};
      tag.isOnly = pattern->getNumParams() == 0;
      for (const Called &called : known->second) {
        const TextRange &call = called.place.range;
        tag.calls.push_back({call.file, call.end - 1, call.end - 1});
      }
      if (llvm::none_of(known->second, [](const Called &called) { return called.caller; }))
        its.tag = std::move(tag);
    }
  }
}

} // namespace layout_port::native
