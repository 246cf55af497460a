#include "source/DeadArms.h"

#include "source/Macros.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>

namespace layout_port {

// The end of the #if or #else line that begins an arm: what it asks for is asked.
static unsigned behindCondition(const TokenStream &tokens, unsigned begin) {
  for (const Directive &d : tokens.directives())
    if (d.begin == begin)
      return d.end;
  return begin;
}

DeadArms::DeadArms(const Program &program) {
  if (isHeaderInput(program) ||
      llvm::any_of(program.includes, [](const Include &include) { return include.missing; }))
    return;
  for (const AstFacts::Skipped &arm : program.facts.skipped) {
    unsigned &end = arms_[arm.file][behindCondition(program.file(arm.file).tokens, arm.begin)];
    end = std::max(end, arm.end);
  }
}

bool DeadArms::hold(unsigned file, unsigned begin, unsigned end) const {
  const auto arms = arms_.find(file);
  if (arms == arms_.end())
    return false;
  const auto next = arms->second.upper_bound(begin);
  return next != arms->second.begin() && end <= std::prev(next)->second;
}

} // namespace layout_port
