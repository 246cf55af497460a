// What was recovered of a kernel's fragments and what is made of it, as text for a person:
// the fragment program with every layout, the plans in their order with their prices, and
// what stands in the way of others.
#pragma once

#include "native/NativeRule.h"

#include <map>
#include <string>

namespace layout_port::native {

// Fragments, operations and the plan of every kernel that multiplies matrices; or (line != 0)
// what of it stands at this line of the file, and the plan. Empty when there is none.
std::string explainFragments(const Program &program, const PortCaps &caps, unsigned line);

// The plans of every such kernel, the cheapest first, with prices on each chip. `padded`: kernels
// whose blocks of one warp are padded to a wave; `unpadded`: that were to be, and why they are not;
// `targets`: the chips that the port is for, none: all.
std::string explainPlans(const Program &program, const PortCaps &caps,
                         const std::vector<std::string> &padded,
                         const std::map<std::string, std::string> &unpadded,
                         const std::vector<std::string> &targets);

} // namespace layout_port::native
