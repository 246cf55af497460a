// What was recovered of a kernel, as text for a person: its memory accesses with the form
// of their addresses, their bank conflicts, its matrix products, shuffles and branches.
#pragma once

#include "recover/FromAst.h"

#include <string>

namespace layout_port::recover {

// All of it, or (line != 0) only what stands at this line, in the kernel or in a function
// that it calls. Empty when nothing does.
std::string explainKernel(clang::ASTContext &context, const clang::FunctionDecl *kernel,
                          unsigned line);

} // namespace layout_port::recover
