// The runtime function that calls an epilogue's statements for the elements a lane holds,
// as the lane, warp and tile of the CUDA program that would have held them.
#pragma once

#include "device/Runtime.h"
#include "native/Scheme.h"

namespace layout_port::native {

// What the statements are called with: f([lane,] [warp,] [tile,] [lower,] [pair,] neighbours...).
struct PairForm {
  int arrays = 1;        // of which it gets neighbours: other tiles, of the same layout
  int tiles = 1;         // accumulator tiles handed over at once
  bool isPacked = false; // the neighbours along n are one register in CUDA
  bool takesLane = false, takesWarp = false, takesTile = false;
  bool takesLower = false;  // 1 in the lower eight rows of the tile
  bool takesPair = false;   // which of the two warps, 0 or 1
  bool isOfOneWarp = false; // which is an argument: only its elements
  bool changes = false;     // what f makes of the elements stays
};

// (tiles..., [tile index of the first,] f): f for every pair of neighbours along n.
Result<RuntimeChunk> pairFunction(const std::string &name, const PairForm &form,
                                  const Scheme &scheme);

// (f): f for every row that this lane has a whole sum of, once for each warp; lanes 4 and 5
// stand for the lanes of a quad.
RuntimeChunk rowFunction(const std::string &name, const PairForm &form);

} // namespace layout_port::native
