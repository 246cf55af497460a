// `layout-port IN [-o OUT]`: one file, whole.
//
//   read ▶ parse both sides ▶ rules and census ▶ emit ▶ compile -c ▶ write ▶ report
#pragma once

#include "llvm/ADT/ArrayRef.h"

namespace layout_port::commands {

// args[0] is the program's name. Returns the exit status:
//   0  everything ported and compiled
//   1  output written, but named sites need a person (or --check/--diff would
//      change something)
//   2  trouble, nothing written
int port(llvm::ArrayRef<const char *> args);

} // namespace layout_port::commands
