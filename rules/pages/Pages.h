// The page of each rule: the `.md` that lies beside it, embedded.
//
// A page's heading names the rules it speaks of (`# warp-vote, warp-size`), as
// reports show them. A rule folder with a page is listed by `--list-rules` and
// explained by `--explain` without being named anywhere else.
#pragma once

#include "llvm/ADT/StringRef.h"

#include <string>
#include <vector>

namespace layout_port {

struct RulePage {
  std::vector<std::string> names; // of the heading, at least one
  std::string summary;            // the first sentence that is no code
  llvm::StringRef text;           // the whole page
};

// Reads a page; `names` is empty when its first line is no heading.
RulePage readPage(llvm::StringRef text);

// Sorted by first name.
const std::vector<RulePage> &rulePages();

// The page that speaks of rule `name`, or null.
const RulePage *findRulePage(llvm::StringRef name);

} // namespace layout_port
