// What the elements of a kernel's buffers are. A launch from main says only where they lie.
#pragma once

#include "launch/LaunchFile.h"

#include <llvm/IR/Function.h>

#include <optional>

namespace layout_port::verify {

// One a parameter; none where it is no pointer, or points to something without one element type.
// The name's parameter types decide ("_Z1kPK6__halfPf"); for a kernel without any (extern "C"),
// the floats that are loaded and stored through the pointer.
std::vector<std::optional<ElementType>> pointeeTypes(const llvm::Function &kernel);

// Of a __device__ variable: its innermost element.
std::optional<ElementType> variableType(const llvm::Type *type);

} // namespace layout_port::verify
