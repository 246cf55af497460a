// Rule names by pattern, as `--rules` takes them:
//
//   tensor-*,warp-shuffle     these and no others
//   -rename,-async-*          all but these
//   *,-tensor-*,tensor-mma    the last pattern that fits a name decides
//
// A list that begins with a minus starts from all rules, any other from none.
#pragma once

#include "llvm/ADT/StringRef.h"

#include <string>
#include <vector>

namespace layout_port {

class RuleGlobs {
public:
  RuleGlobs() = default; // all rules

  // `patterns` without commas. A pattern that fits no rule page is an error:
  // one line, empty on success.
  std::string set(const std::vector<std::string> &patterns);

  bool allows(llvm::StringRef rule) const;

private:
  std::vector<std::string> patterns_;
};

} // namespace layout_port
