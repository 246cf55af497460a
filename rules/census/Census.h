// A second opinion on what must be ported, from raw tokens alone.
//
// Rules can overlook things: a parse error hides a function from the AST, a dead
// #if arm is never parsed, an opcode is new. The census knows no rule. It counts
// every token that smells of CUDA, and each must lie inside a site that some rule
// answers for; what is left over becomes `manual`. So nothing is passed through
// in silence.
#pragma once

#include "Rule.h"
#include "source/Program.h"

namespace layout_port {

struct CensusItem {
  unsigned file = 0;
  size_t token = 0;
  std::string construct; // what it is called in the report
};

// Every CUDA construct of the program, in order of file and position.
std::vector<CensusItem> takeCensus(const Program &program);

// The items that no site answers for.
std::vector<CensusItem> unexplained(const Program &program, const std::vector<CensusItem> &census,
                                    const std::vector<Site> &sites);

// Is the input HIP, with nothing in it that only CUDA has? Shuffles, votes, warpSize and
// __launch_bounds__ have both languages, and mean in HIP what they say there.
bool isHip(const Program &program);

} // namespace layout_port
