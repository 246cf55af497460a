// Do the two warps of a wave come to a matrix product, or a barrier of the block, together?
//
//   if (warp == 1) mma(...);                no: one warp of the pair            Half
//   if (warp < 2) mma(...);                 both or none                        Whole
//   if (warp >= n) return;  mma(...);       who knows n                         Perhaps
//   for (i = 0; i < warp; ++i) mma(...);    the last trip is one warp's         Perhaps
//
// MFMA needs all 64 lanes. Where one half never comes with the other, each half multiplies
// by itself; everywhere else a bridged product asks at run time, and the report says why it
// has to. A condition that hangs on nothing but the thread is evaluated for every thread of a
// block, so it may be written in any way.
#pragma once

#include "source/WarpFacts.h"

#include "clang/Basic/SourceLocation.h"

#include <functional>
#include <optional>

namespace clang {
class ASTContext;
}

namespace layout_port {

// Notes every mma.sync, wmma::mma_sync and __syncthreads that a kernel of the translation unit
// comes to.
void findWaveStates(clang::ASTContext &context,
                    const std::function<std::optional<Place>(clang::SourceLocation)> &placeOf,
                    WarpFacts &facts);

} // namespace layout_port
