#include "native/RowFunction.h"

#include "clang/AST/DeclTemplate.h"
#include "clang/AST/TypeLoc.h"
#include "llvm/ADT/STLExtras.h"

using namespace clang;

namespace layout_port::native {

namespace {

// As the author wrote it: of a template's instance, the template's.
const FunctionDecl &textOf(const FunctionDecl &function) {
  const FunctionDecl *pattern = function.getTemplateInstantiationPattern();
  return pattern ? *pattern : function;
}

// float of const float (&c)[4], float *c and float c[4]; none where a template says how many.
std::optional<TextRange> elementOf(const Texts &texts, const ParmVarDecl &tile) {
  const TypeSourceInfo *info = tile.getTypeSourceInfo();
  TypeLoc loc = info ? info->getTypeLoc() : TypeLoc();
  const auto next = [&](TypeLoc inner) {
    loc = inner;
    return true;
  };
  for (bool goes = !loc.isNull(); goes;) {
    if (const auto qualified = loc.getAs<QualifiedTypeLoc>())
      goes = next(qualified.getUnqualifiedLoc());
    else if (const auto paren = loc.getAs<ParenTypeLoc>())
      goes = next(paren.getInnerLoc());
    else if (const auto reference = loc.getAs<LValueReferenceTypeLoc>())
      goes = next(reference.getPointeeLoc());
    else if (const auto pointer = loc.getAs<PointerTypeLoc>())
      goes = next(pointer.getPointeeLoc());
    else if (const auto decayed = loc.getAs<DecayedTypeLoc>())
      goes = next(decayed.getOriginalLoc());
    else if (const auto array = loc.getAs<ArrayTypeLoc>())
      goes = !loc.getAs<DependentSizedArrayTypeLoc>() && next(array.getElementLoc());
    else
      return texts.range(loc.getSourceRange());
  }
  return std::nullopt;
}

// The text of `whole` with the edits in it: an outer one hides what lies within it.
std::string edited(const TextRange &whole, std::vector<SourceEdit> edits) {
  llvm::stable_sort(edits, [](const SourceEdit &a, const SourceEdit &b) {
    const bool isInsertion = a.range.begin == a.range.end;
    if (a.range.begin != b.range.begin || isInsertion != (b.range.begin == b.range.end))
      return std::pair(a.range.begin, !isInsertion) <
             std::pair(b.range.begin, b.range.begin != b.range.end);
    return a.range.end > b.range.end;
  });
  std::string text;
  unsigned at = whole.begin;
  for (const SourceEdit &edit : edits) {
    if (edit.range.begin < at)
      continue;
    text += sourceRange(at, edit.range.begin) + edit.text;
    at = edit.range.end;
  }
  return text + sourceRange(at, whole.end);
}

} // namespace

RowFunction functionForRow(const Texts &texts, const FunctionDecl &function,
                           const ParmVarDecl &tile, bool isPacked, bool isConst,
                           const std::string &lower, std::vector<SourceEdit> edits) {
  RowFunction out;
  const FunctionDecl &author = textOf(function);
  const FunctionTemplateDecl *pattern = author.getDescribedFunctionTemplate();
  const ParmVarDecl &parameter = *author.getParamDecl(tile.getFunctionScopeIndex());
  const SourceRange all = pattern ? pattern->getSourceRange() : author.getSourceRange();
  const TypeSourceInfo *info = author.getTypeSourceInfo();
  const auto type =
      info ? info->getTypeLoc().IgnoreParens().getAs<FunctionTypeLoc>() : FunctionTypeLoc();
  const auto whole = texts.statement(all);
  const auto element = elementOf(texts, parameter),
             declared = texts.range(parameter.getSourceRange()),
             end = type ? texts.range(SourceRange(type.getRParenLoc())) : std::nullopt;
  if (!whole || !element || !declared || !end)
    return out;
  const std::string name = parameter.getNameAsString(),
                    of = sourceRange(element->begin, element->end);
  edits.push_back({*declared, isPacked ? of + " " + name
                                       : (isConst ? "const " : "") + of + " (&" + name + ")[2]"});
  edits.insert(edits.begin(), {{end->file, end->begin, end->begin}, ", int " + lower});
  out.name = author.getNameAsString();
  out.range = *whole;
  // A quote up to the end would hold what is put behind it: the copy itself.
  out.text = edited({whole->file, whole->begin, whole->end - 1}, std::move(edits)) + "}";
  return out;
}

} // namespace layout_port::native
