// `layout-port verify`: proves that a HIP port computes what its CUDA source does.
#pragma once

#include <llvm/ADT/ArrayRef.h>

namespace layout_port::commands {

// args[0] is the program's name. Returns the exit status:
//   0  proved or tested
//   1  refuted or unknown
//   2  trouble
int verify(llvm::ArrayRef<const char *> args);

} // namespace layout_port::commands
