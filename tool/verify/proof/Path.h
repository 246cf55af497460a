// From a wrong output back to the first store that went wrong.
//
// In the field domain every value has a fingerprint: its residues under several seeds,
// about 16 bits each. A store *has a counterpart* if the other side ever stores, or
// loads from global memory, a value with the same fingerprint. Correct ports move
// values about but compute the same ones, so the first store without a counterpart,
// in order of execution, is where the sides part:
//
//   source   A -> tile -> ... -> sum 4711 -> C[12]
//   port     A -> tile -> ... -> sum  815 -> C[12]      first without: the sum's store
//
// The path lists the stores without a counterpart in the block that wrote the first
// differing element, one a source line, ending with the store of that element. Where
// the list has that store only, all values stored before it occur on the other side:
// the values are right and the place, or what was combined last, is wrong.
//
// Limits: integers and raw bits have no fingerprint; a port that adds in another order
// has other partial sums in memory, which are no mistakes.
#pragma once

#include "observe/StoreTrace.h"
#include "proof/Run.h"

namespace layout_port::verify {

// Runs of one side, one a seed, all traced.
using TracedRuns = std::vector<RunResult>;

struct Path {
  std::vector<std::string> source, port; // one step a line, the earliest first
  std::string note;                      // why there is none
};

// `writer`: of the first differing element, on each side.
Path findPath(const TracedRuns &source, const TracedRuns &port, const Writer &sourceWriter,
              const Writer &portWriter);

} // namespace layout_port::verify
