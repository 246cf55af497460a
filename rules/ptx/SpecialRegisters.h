// The special registers (%laneid, %tid.x, ...) of SpecialRegisters.inc, by name.
#pragma once

#include <string_view>

namespace layout_port::ptx {

struct SpecialRegister {
  std::string_view name; // without the '%'
  unsigned bits;         // of one component
  unsigned components;   // 1, or 4 for .x .y .z .w
};

// `name` with or without its '%'; nullptr when PTX has no such register.
const SpecialRegister *findSpecialRegister(std::string_view name);

} // namespace layout_port::ptx
