// Reductions of a block over waves of 64 lanes instead of warps of 32 (`--widen`).
#pragma once

#include "Rule.h"
#include "source/Program.h"

#include <string>
#include <vector>

namespace layout_port {

struct WidenedReductions {
  std::vector<Site> sites;        // they replace what other rules say of their text
  std::vector<std::string> notes; // one line for each reduction that stays as it is, and why
};

WidenedReductions widenReductions(const Program &program);

} // namespace layout_port
