// `layout-port explain kernel.cu[:LINE]`: what was recovered of each kernel.
#pragma once

#include "llvm/ADT/ArrayRef.h"

namespace layout_port::commands {

// args[0] is the program's name. Returns the exit code: 0 explained, 1 nothing there to
// explain, 2 trouble.
int explain(llvm::ArrayRef<const char *> args);

} // namespace layout_port::commands
