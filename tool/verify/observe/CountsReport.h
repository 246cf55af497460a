// The counts of a run, as text for people and as JSON.
#pragma once

#include "observe/Counters.h"

#include <llvm/Support/JSON.h>
#include <llvm/Support/raw_ostream.h>

namespace layout_port::verify {

// One paragraph a kernel and loop; figures that are zero are left out.
void printCounts(llvm::raw_ostream &out, llvm::StringRef side, const Counts &counts);
llvm::json::Object toJson(const Counts &counts);

} // namespace layout_port::verify
