// The command `layout-port layout`: looking at layouts, and asking the solvers.
//
//   layout-port layout show|convert|banks|swizzle|retile|cute ...   for people
//   layout-port layout serve                                       for scripts
//
// A thin front over layouts/: it reads names, CuTe strings and JSON, and prints.
#pragma once

#include "llvm/ADT/ArrayRef.h"

namespace layout_port::commands {

// args[0] is the program's name. Returns the exit code: 0 done, 1 there is no answer
// (and why), 2 the command line is wrong.
int layout(llvm::ArrayRef<const char *> args);

} // namespace layout_port::commands
