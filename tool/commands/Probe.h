// The command `layout-port probe`: writes a HIP program that checks the instruction
// tables on a card.
#pragma once

#include "llvm/ADT/ArrayRef.h"

namespace layout_port::commands {

// args[0] is the program's name. Returns the exit code: 0 written, 2 trouble.
int probe(llvm::ArrayRef<const char *> args);

} // namespace layout_port::commands
