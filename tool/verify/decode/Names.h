// Names of kernels as their source has them.
#pragma once

#include <llvm/ADT/StringRef.h>

#include <string>

namespace layout_port::verify {

// "_Z5scaleIfLi4EEvPfi", that is "void scale<float, 4>(float*, int)" -> "scale<float, 4>".
std::string kernelName(llvm::StringRef mangled);
// But for spaces.
bool isSpelled(llvm::StringRef name, llvm::StringRef as);
// Equal for names that agree: up to what the APIs call their types (k<__nv_bfloat16>,
// k<__hip_bfloat16>; FNUZ or not), the spelling of types and numbers (k<half, uint32_t, 4>,
// k<__half, unsigned int, 4u>) and namespaces without a name.
std::string comparableName(llvm::StringRef name);

} // namespace layout_port::verify
