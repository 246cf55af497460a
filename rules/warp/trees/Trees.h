// Reductions and scans of a warp that are seen whole, on the AST.
//
//   for (int o = 16; o > 0; o /= 2)        for (int d = 1; d < 32; d *= 2) {
//     v += __shfl_xor_sync(full, v, o);      int n = __shfl_up_sync(full, v, d);
//                                            if (lane >= d) v += n; }
//
// Step by step each shuffle must bring what it says, and XOR 16 and most shifts in 32
// lanes have no DPP. All five steps together only need to end alike: they may run over
// rows of 16 lanes first, and then from row to row (lp::reduce_step, lp::scan_step).
//
// Seen whole means: the five steps follow each other in a loop or line by line, for all
// 32 lanes; each does `v = v op moved` with an operator whose order is free; and nothing
// else looks at v in between. A tree of __shfl_down leaves the whole in lane 0 only, and
// something else in the others: nobody else may look at it, in this function or, where it
// is returned, in those that call it.
#pragma once

#include "source/WarpFacts.h"

#include "clang/Basic/SourceLocation.h"

#include <functional>
#include <optional>

namespace clang {
class ASTContext;
}

namespace layout_port {

// Notes the part of each shuffle of the translation unit in facts.shuffleParts; an
// instantiation of a template, or a use of a macro, each by itself.
void findTrees(clang::ASTContext &context,
               const std::function<std::optional<Place>(clang::SourceLocation)> &placeOf,
               WarpFacts &facts);

} // namespace layout_port
