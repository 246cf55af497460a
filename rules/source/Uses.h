// Which names of the user's stand for what: a use of a variable, function or type of a user
// file, and where that is declared.
//
// A statement that is left to a person takes its declarations with it; what uses them would
// no longer compile, so it is left to a person as well:
//
//   /* cudaLaunchConfig_t c = {}; */ LP_MANUAL("cudaLaunchConfig_t: HIP has no such name");
//   /* c.gridDim = 4; */             LP_MANUAL("'c' is declared in line 7, which is left ...");
#pragma once

#include "Rule.h"
#include "source/Program.h"

namespace layout_port {

// Place of a use -> place of the declaration.
using Uses = std::map<Place, Place>;

// Sites, manual already, for what uses a declaration that lies in a manual site of `sites`.
std::vector<Site> dependents(const Program &program, const Uses &uses,
                             const std::vector<Site> &sites);

} // namespace layout_port
