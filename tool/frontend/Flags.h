// Compiler flags for a CUDA file: from behind `--`, or from a compilation
// database written for nvcc. clang knows most of them under other names.
#pragma once

#include <string>
#include <vector>

namespace layout_port {

// nvcc's flags as clang takes them. What selects architectures, passes options to
// other stages or names outputs is dropped: the tool chooses those itself.
//   -arch=sm_80 -gencode arch=... -Xcompiler -Wall --expt-relaxed-constexpr  ──▶  (nothing)
//   --use_fast_math -std=c++14 -isystem X -I X -D X=1 -include X             ──▶  kept or translated
std::vector<std::string> translateNvccFlags(const std::vector<std::string> &flags);

// The flags of `input` in BUILD/compile_commands.json, translated, with relative
// include paths made absolute. One-line error text, empty on success.
std::string flagsFromDatabase(const std::string &buildDir, const std::string &input,
                              std::vector<std::string> &flags);

} // namespace layout_port
