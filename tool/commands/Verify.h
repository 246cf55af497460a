// `layout-port verify`: proves that a HIP port computes what its CUDA source does.
#pragma once

#include <llvm/ADT/ArrayRef.h>

namespace layout_port::commands {

// args: without the program's and the command's name. Returns the exit code:
// 0 proved or tested, 1 refuted or unknown, 2 trouble.
int verify(llvm::ArrayRef<const char *> args, const char *executable = "");

} // namespace layout_port::commands
