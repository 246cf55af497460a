// Compiler flags for a CUDA file: from behind `--`, or from a compilation
// database written for nvcc. clang knows most of them under other names.
#pragma once

#include <string>
#include <vector>

namespace layout_port {

struct FlagTranslation {
  std::vector<std::string> flags;   // for clang
  std::vector<std::string> unknown; // neither nvcc's nor clang's as far as we know: not used
};

// nvcc's flags as clang takes them. Kept is what decides how the source reads:
// macros, include paths, the language. What selects architectures, passes options
// to other stages or names outputs is dropped: the tool chooses those itself.
//   --use_fast_math --std c++17 --define-macro X=1 -I=d   ──▶  -ffast-math -std=c++17 -DX=1 -Id
//   -Xcompiler -Wall,-DX=1 -isystem d                     ──▶  -DX=1 -isystem d
//   -arch=sm_80 -gencode arch=... --expt-relaxed-constexpr -lineinfo -O3  ──▶  (nothing)
FlagTranslation translateNvccFlags(const std::vector<std::string> &flags);

// `words` with the files that `@file`, `--options-file file` and `-optf file` name
// read in their place; relative names are looked up in `directory`. A file that
// cannot be read is an error: one line, empty on success.
std::string expandResponseFiles(std::vector<std::string> &words, const std::string &directory);

// The flags of `input` in BUILD/compile_commands.json, translated, with relative
// include paths made absolute. One-line error text, empty on success.
std::string flagsFromDatabase(const std::string &buildDir, const std::string &input,
                              FlagTranslation &translation);

} // namespace layout_port
