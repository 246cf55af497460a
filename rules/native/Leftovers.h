// Variables that the author declared for text which is written anew:
//
//   const int row = lane / 4;                 (goes)
//   ldsm4(a, tile + row * 64);     ──▶        lp::load_a(a, [&](int lane, int) {
//                                               const int row = lane / 4;
//                                               return tile + row * 64;
//                                             });
//
// They would stay as unused variables, beside others of their names. A declaration goes where all
// of its mentions are in text that is gone, and the new text declares the name itself wherever it
// says it. What had no mention before stays as it is.
#pragma once

#include "native/NativeRule.h"

namespace layout_port::native {

// Sites that remove such declarations of these kernels. `port`: what is written.
std::vector<Site> removeLeftovers(const Program &program,
                                  const std::vector<const Kernel *> &kernels,
                                  const NativePort &port);

} // namespace layout_port::native
