// Which instruction makes a given lane map.
#pragma once

#include "layout_port/layouts/Plan.h"

#include <optional>

namespace layout_port::solve {

// The chip's rows, looked up once.
const std::vector<const isa::CrossLaneMove *> &crossLaneRows(isa::Arch arch);

// The cheapest instruction by which each lane reads lane `source(thread)`, when
// `words` words are moved one after the other (so that latency is paid once).
// `source` depends on the thread's lane bits and may depend on its warp bits. `inverse`
// is the map from sender to receiver, if it has one.
LaneInstruction chooseLaneInstruction(isa::Arch arch, int laneBits, const AffineBits &source,
                                      const AffineBits *inverse, int words);

// v_permlane16_swap or v_permlane32_swap, null where the chip has none for this bit.
const isa::CrossLaneMove *permlaneSwap(isa::Arch arch, int laneBit);

} // namespace layout_port::solve
