// What the AST says of the places where a warp works together, beside AstFacts: steps of
// reductions and scans, and who comes to a matrix product.
#pragma once

#include "source/Program.h"

#include <map>
#include <set>
#include <string>
#include <tuple>

namespace layout_port {

// A shuffle seen as one step of a reduction or scan (warp/trees), or as none.
struct ShufflePart {
  // FirstLane: a step of a tree whose result only lane 0 looks at, in the author's order.
  enum class Kind { Alone, FirstLane, Reduction, Scan };
  Kind kind = Kind::Alone;
  unsigned steps = 0; // Reduction: 16 where the steps go 16, 8, 4, 2, 1; 0 where they go up
  std::string text;   // Scan: what a lane adds whose row of 16 lanes has nothing to add;
                      // Alone: why it is no step, where it looks like one

  bool operator<(const ShufflePart &other) const {
    return std::tie(kind, steps, text) < std::tie(other.kind, other.steps, other.text);
  }
};

// Whether the two warps of a wave come to a matrix product together (warp/halves).
struct WaveState {
  enum class Kind { Unknown, Whole, Perhaps, Half };
  Kind kind = Kind::Unknown;
  std::string why; // a clause: "its two warps may part by 'warp < n' (line 20)"

  bool operator<(const WaveState &other) const {
    return std::tie(kind, why) < std::tie(other.kind, other.why);
  }
};

// A macro expands, a template is instantiated, a function is called any number of times: all
// that was seen at a place.
struct WarpFacts {
  std::map<Place, std::set<ShufflePart>> shuffleParts; // by the place of the shuffle's name
  std::map<Place, std::set<WaveState>> waveStates;     // of `asm`, or of the function's name
  // Whether all threads of a block ask for the same lane (warp/uniform), by the place of the
  // shuffle's name.
  std::map<Place, bool> sharedLanes;

  // What all of them agree on; otherwise the least that can be said.
  ShufflePart shuffleAt(Place place) const;
  WaveState waveAt(Place place) const;
};

} // namespace layout_port
