// Do all threads of a block ask for the same lane?
//
//   for (int i = 0; i < n; ++i) sum += __shfl_sync(~0u, v, i);      yes: two v_readlane
//   __shfl_sync(~0u, v, leader[threadIdx.x]);                       no: through the LDS pipe
//
// Judged by the values that a walk of the kernel finds, for shuffles in the kernel's own text:
// what a device function is handed, another file may choose.
#pragma once

#include "source/WarpFacts.h"

#include "clang/Basic/SourceLocation.h"

#include <functional>
#include <optional>

namespace clang {
class ASTContext;
}

namespace layout_port {

// Notes every __shfl_sync that a kernel of the translation unit comes to.
void findSharedLanes(clang::ASTContext &context,
                     const std::function<std::optional<Place>(clang::SourceLocation)> &placeOf,
                     WarpFacts &facts);

} // namespace layout_port
