// The command line by which clang parses one side of a CUDA file.
#pragma once

#include "frontend/Parse.h"

#include <string>
#include <vector>

namespace layout_port {

// With `precompiled`, that file stands in for cuda_runtime.h; see Precompiled.h.
std::vector<std::string> parserCommandLine(const ParseOptions &options, const Resources &resources,
                                           bool device, const std::string &precompiled);

} // namespace layout_port
