// What to do with kernels whose blocks are one warp (`--warp-blocks=pad|keep`).
#pragma once

#include "Rule.h"
#include "source/Program.h"

#include <memory>
#include <string>
#include <vector>

namespace layout_port {

enum class WarpBlocks {
  Keep, // 32 threads, half of a wave: matrix instructions do without MFMA
  Pad,  // 64, the second half a mirror of the first, where that is safe
};

// Kernels that are padded, and why others of one warp are not (one line each).
struct WarpBlockPorts {
  std::vector<std::string> padded;
  std::vector<std::string> notes;
};

// Adds to `sites` what pads the one-warp kernels of `program`.
WarpBlockPorts padWarpBlocks(const Program &program, std::vector<Site> &sites);

} // namespace layout_port
