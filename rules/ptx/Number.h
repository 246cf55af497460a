// Integer and float literals of PTX.
//
//   16  0x1F  017  0b101  16U      integers
//   0f3F800000  0d3FF0000000000000  the bits of a float, of a double
//   1.5  1.0e-3                     a double
//
// https://docs.nvidia.com/cuda/parallel-thread-execution/#constants
#pragma once

#include "ptx/Ast.h"

#include <optional>
#include <string_view>

namespace layout_port::ptx {

std::optional<Immediate> parseNumber(std::string_view text);

} // namespace layout_port::ptx
