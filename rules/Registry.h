// The rules by name, and the port of one program by all of them.
#pragma once

#include "Rule.h"
#include "device/Runtime.h"
#include "launch/odd_warps/OddWarps.h"
#include "pages/Globs.h"
#include "source/Program.h"
#include "source/Uses.h"
#include "source/WarpFacts.h"

#include <map>
#include <memory>
#include <vector>

namespace layout_port {

struct PortedProgram {
  std::vector<Site> sites; // by file and position
  std::vector<RuntimeChunk> made;
  std::vector<std::string> notes;              // why a kernel is not native, one line each
  std::vector<std::string> padded;             // kernels whose blocks of 32 threads are of 64 now
  std::map<std::string, std::string> unpadded; // that were to be, and why they are not
};

// What a port may change for speed, if the caller wants it.
struct PortChoices {
  WarpBlocks warpBlocks = WarpBlocks::Keep;
  bool widen = false; // reductions of a block over waves instead of warps
  // The chips that the port is for; none: all. It is right on others, too.
  std::vector<std::string> targets;
};

// Runs every rule, then the census: what no site answers for becomes a manual
// site of rule "census". Every manual site carries its LP_MANUAL edit.
//
// `caps` limits the tiers: at Tier::Emulated a site does not become MFMA, at
// Tier::Manual it is left for a person. A whole-run best of Tier::Manual leaves
// only what would call the device runtime. What a rule that `rules` does not allow
// would have ported is manual. So is what uses, by `uses`, a declaration that is left to a person.
PortedProgram portProgram(const Program &program, const PortCaps &caps = {},
                          const RuleGlobs &rules = {}, const PortChoices &choices = {},
                          const WarpFacts &warps = {}, const Uses &uses = {});

} // namespace layout_port
