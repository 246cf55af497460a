// A conversion plan as HIP source: what `layout-port layout convert` prints.
#pragma once

#include "layout_port/layouts/Plan.h"

namespace layout_port::layout_command {

// A function `convert(const T (&in)[N], T (&out)[M])` with T the unsigned integer of a
// slot. Its arguments are the lane's registers; every lane of the wave has to call it.
// Errors: slots of less than a byte; NVIDIA; an instruction without source text.
Result<std::string> hipText(const ConversionPlan &plan);

} // namespace layout_port::layout_command
