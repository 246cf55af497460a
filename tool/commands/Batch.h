// `layout-port batch DIR -o OUTDIR`: a whole folder.
//
//   walk ▶ one child process a source, a few at once ▶ publish ▶ one summary, one JSON
//
// A child writes into a folder of its own; what it wrote is moved to OUTDIR when it
// has ended well. So a crash, a hang or a greedy file costs that file and no other.
#pragma once

#include "llvm/ADT/ArrayRef.h"

namespace layout_port::commands {

// args[0] is the program's name. Returns the exit status:
//   0  every source ported and compiled
//   1  some source needs a person, or failed
//   2  trouble, nothing was ported
int batch(llvm::ArrayRef<const char *> args);

} // namespace layout_port::commands
