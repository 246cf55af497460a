#include "pages/Globs.h"

#include "pages/Pages.h"

#include "llvm/ADT/STLExtras.h"

namespace layout_port {

// '*' stands for any text; nothing else is special.
static bool fits(llvm::StringRef pattern, llvm::StringRef name) {
  const size_t star = pattern.find('*');
  if (star == llvm::StringRef::npos)
    return pattern == name;
  if (!name.consume_front(pattern.take_front(star)))
    return false;
  const llvm::StringRef rest = pattern.drop_front(star + 1);
  for (size_t skip = 0; skip <= name.size(); ++skip)
    if (fits(rest, name.drop_front(skip)))
      return true;
  return false;
}

static bool fitsAnyPage(llvm::StringRef pattern) {
  return llvm::any_of(rulePages(), [&](const RulePage &page) {
    return llvm::any_of(page.names, [&](const std::string &name) { return fits(pattern, name); });
  });
}

std::string RuleGlobs::set(const std::vector<std::string> &patterns) {
  for (llvm::StringRef pattern : patterns) {
    pattern.consume_front("-");
    if (!fitsAnyPage(pattern))
      return "--rules: '" + pattern.str() + "' fits no rule: see --list-rules";
  }
  patterns_ = patterns;
  return "";
}

bool RuleGlobs::allows(llvm::StringRef rule) const {
  bool allowed = patterns_.empty() || llvm::StringRef(patterns_[0]).starts_with("-");
  for (llvm::StringRef pattern : patterns_) {
    const bool adds = !pattern.consume_front("-");
    if (fits(pattern, rule))
      allowed = adds;
  }
  return allowed;
}

} // namespace layout_port
