// What to do with kernels whose blocks are an odd number of warps (`--warp-blocks=pad|keep`).
#pragma once

#include "Rule.h"
#include "source/Program.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace layout_port {

enum class WarpBlocks {
  Keep, // the last one is half of a wave: its matrix instructions do without MFMA
  Pad,  // whole waves, the other half a mirror of the last warp, where that is safe
};

// Kernels that are padded, and why others are not (also one line each, as notes).
struct WarpBlockPorts {
  std::vector<std::string> padded;
  std::map<std::string, std::string> unpadded;
  std::vector<std::string> notes;
};

// Adds to `sites` what pads the blocks of the kernels of `program`.
WarpBlockPorts padWarpBlocks(const Program &program, std::vector<Site> &sites);

} // namespace layout_port
