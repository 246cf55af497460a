// From the AST of a kernel to its fragment program.
//
// Every mma and ldmatrix that the kernel reaches is looked up: written in place, by a
// macro, or in a wrapper function whose asm operands are its parameters; the operands
// are traced to the kernel's own variables. Addresses become functions of (lane, warp).
#pragma once

#include "native/FragmentProgram.h"

#include "clang/Basic/SourceLocation.h"

#include <functional>
#include <set>
#include <string>

namespace clang {
class ASTContext;
}

namespace layout_port::native {

// (file number, byte offset) of a place in a user file.
using PlaceOf = std::function<std::optional<std::pair<unsigned, unsigned>>(clang::SourceLocation)>;

// Every kernel of the translation unit that multiplies matrices, each instantiation of
// a template by itself. Device side only. `blocks`: what is known of their launches, by name.
std::vector<Kernel> recoverKernels(clang::ASTContext &context, const PlaceOf &placeOf,
                                   const std::map<std::string, LaunchShape> &blocks = {});

} // namespace layout_port::native
