// What to say when a kernel wants more shared memory than a chip has.
#pragma once

#include "llvm/ADT/StringRef.h"

#include <string>
#include <vector>

namespace layout_port {

// One line for each "local memory (80000) exceeds limit (65536) in 'k(float*)'" of
// clang's diagnostics for `target`: the figures, and what can be done. NVIDIA's
// cards give a block up to 227 KiB, so ports meet this limit often.
std::vector<std::string> ldsAdvice(llvm::StringRef diagnostics, llvm::StringRef target);

// The same for a kernel that is launched with `bytes` in all; empty if `target` has them.
std::string ldsAdviceFor(llvm::StringRef kernel, uint64_t bytes, llvm::StringRef target);

} // namespace layout_port
