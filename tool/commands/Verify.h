// `layout-port verify`: proves that a HIP port computes what its CUDA source does.
#pragma once

#include <llvm/ADT/ArrayRef.h>
#include <llvm/ADT/StringRef.h>

#include <string>

namespace layout_port::commands {

// args[0] is the program's name. Returns the exit status:
//   0  proved or tested
//   1  refuted or unknown
//   2  trouble
// mend: the text of a CUDA file as clang takes it, see verify/compile/Compile.h.
int verify(llvm::ArrayRef<const char *> args, std::string (*mend)(llvm::StringRef) = nullptr);

} // namespace layout_port::commands
