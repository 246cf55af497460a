// A unified diff of two texts by lines, as `diff -u` prints it.
#pragma once

#include "llvm/ADT/StringRef.h"

#include <string>

namespace layout_port {

// Empty when the texts are equal.
std::string unifiedDiff(llvm::StringRef oldText, llvm::StringRef newText, llvm::StringRef oldName,
                        llvm::StringRef newName);

} // namespace layout_port
