// Names of kernels as their source has them.
#pragma once

#include <llvm/ADT/StringRef.h>

#include <string>

namespace layout_port::verify {

// "_Z5scaleIfLi4EEvPfi", that is "void scale<float, 4>(float*, int)" -> "scale<float, 4>".
std::string kernelName(llvm::StringRef mangled);

} // namespace layout_port::verify
