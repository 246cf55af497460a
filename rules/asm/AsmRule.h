// Every asm statement of the program: parsed, lowered, or manual with a reason.
#pragma once

#include "Rule.h"
#include "device/Runtime.h"
#include "source/WarpFacts.h"

#include <vector>

namespace layout_port {

// Fills `made` with the runtime chunks that lowerings wrote while matching.
std::unique_ptr<Rule> makeAsmRule(std::vector<RuntimeChunk> &made, const PortCaps &caps,
                                  const WarpFacts &warps);

} // namespace layout_port
