#include "source/Match.h"

#include "llvm/ADT/StringExtras.h"

namespace layout_port {

bool isCallOf(const TokenStream &tokens, size_t i, llvm::StringRef name) {
  return tokens.is(i, name) && tokens.is(i + 1, "(");
}

bool isMacroNameInDirective(const TokenStream &tokens, size_t i) {
  const int d = tokens[i].directive;
  if (d < 0)
    return false;
  const Directive &directive = tokens.directives()[d];
  const size_t position = i - directive.firstToken;
  if (position == 1)
    return true; // the directive's own name
  return position == 2 && (directive.name == "define" || directive.name == "undef" ||
                           directive.name == "ifdef" || directive.name == "ifndef");
}

bool hasSideEffects(llvm::StringRef expression) {
  const std::string text = expression.str();
  const TokenStream tokens(text);
  for (size_t i = 0; i < tokens.size(); ++i) {
    const llvm::StringRef s = tokens.spelling(i);
    if (s == "++" || s == "--" || s == "=" ||
        (s.size() > 1 && s.back() == '=' && s != "==" && s != "!=" && s != "<=" && s != ">="))
      return true;
  }
  return false;
}

Site siteAt(const SourceFile &file, unsigned fileNumber, size_t first, size_t last,
            llvm::StringRef rule, llvm::StringRef construct, Tier tier, llvm::StringRef reason) {
  Site site;
  site.file = fileNumber;
  site.begin = file.tokens[first].offset;
  site.end = file.tokens[last - 1].end();
  site.rule = rule.str();
  site.construct = construct.str();
  site.tier = tier;
  site.reason = reason.str();
  return site;
}

} // namespace layout_port
