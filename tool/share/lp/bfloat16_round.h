// float to bfloat16 by its bits, for the host: the compiler's own conversion calls __truncsfbf2, which
// libgcc has since 13 only.
#pragma once

// Nearest, ties to even: add half of the last kept place, less one unless that place is odd.
static inline constexpr __bf16 __lp_round_to_bfloat16(float f) {
  unsigned int bits = __builtin_bit_cast(unsigned int, f);
  bool isNaN = (bits & 0x7fffffff) > 0x7f800000;
  unsigned int rounded = isNaN ? bits | 0x400000 : bits + 0x7fff + (bits >> 16 & 1);
  return __builtin_bit_cast(__bf16, (unsigned short)(rounded >> 16));
}
