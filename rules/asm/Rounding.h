// PTX's rounding in one direction, in the device runtime's words.
#pragma once

#include "ptx/decode/Common.h"

namespace layout_port {

// One of the enumerators of lp::direction; null where the rounding is to nearest.
inline const char *directionOf(ptx::Rounding rounding) {
  switch (rounding) {
  case ptx::Rounding::Zero:
    return "toward_zero";
  case ptx::Rounding::Down:
    return "down";
  case ptx::Rounding::Up:
    return "up";
  default:
    return nullptr;
  }
}

} // namespace layout_port
