// The CUDA parse headers, parsed once when the tool is built or installed: a file then costs
// its own lines.
//
//   build, install   layout-port precompile-headers DIR      DIR/device.pch, DIR/host.pch
//   every run        clang -include-pch DIR/device.pch ...   instead of -include cuda_runtime.h
//
// They serve the usual case: no SDK, the default architecture, flags that change neither the
// language nor a macro that the headers ask for. Anything else, and a file that clang does not
// take (a header changed, another clang), is parsed from the headers as before.
// https://clang.llvm.org/docs/PCHInternals.html
#pragma once

#include "frontend/Parse.h"

#include <string>

namespace layout_port {

// Where the one for a side lies; empty where none serves these options.
std::string precompiledHeader(const ParseOptions &options, const Resources &resources, bool device);

// Writes both into a folder, which is made. One-line error text, empty on success.
std::string precompileHeaders(const Resources &resources, const std::string &folder);

} // namespace layout_port
