// Cross-lane functions of a wave: lane id, votes, shuffles. Masks and ballots have 64 bits, and
// widths default to the wave's 64 lanes.
//
// A shuffle is a gather through the LDS crossbar, ds_bpermute: lane l reads the register of lane
// address / 4. Within a segment of `width` lanes (a power of two), with s the first lane of l's
// segment:
//   __shfl(v, k)       lane s + k mod width
//   __shfl_up(v, d)    lane l - d, or l itself when that is before s
//   __shfl_down(v, d)  lane l + d, or l itself when that is past the segment
//   __shfl_xor(v, m)   lane l ^ m, or l itself when that is past the segment
#pragma once
#include "hip/host_defines.h"

#define LP_DEVICE static __forceinline__ __device__ __attribute__((convergent))

LP_DEVICE unsigned int __lane_id() {
  return __builtin_amdgcn_mbcnt_hi(~0u, __builtin_amdgcn_mbcnt_lo(~0u, 0u));
}

LP_DEVICE unsigned long long __ballot64(int predicate) {
  return __builtin_amdgcn_ballot_w64(predicate != 0);
}
LP_DEVICE unsigned long long __ballot(int predicate) { return __ballot64(predicate); }
LP_DEVICE unsigned long long __activemask() { return __ballot64(1); }
LP_DEVICE int __any(int predicate) { return __ballot64(predicate) != 0; }
LP_DEVICE int __all(int predicate) { return __ballot64(predicate) == __activemask(); }

LP_DEVICE unsigned int __hip_ds_bpermute(int index, unsigned int value) {
  return (unsigned int)__builtin_amdgcn_ds_bpermute(index, (int)value);
}
LP_DEVICE float __hip_ds_bpermutef(int index, float value) {
  return __builtin_bit_cast(float,
                            __builtin_amdgcn_ds_bpermute(index, __builtin_bit_cast(int, value)));
}
#define __hip_ds_swizzle(value, pattern) __builtin_amdgcn_ds_swizzle(value, pattern)
#define __hip_move_dpp(value, control, row_mask, bank_mask, bound_control)                         \
  __builtin_amdgcn_mov_dpp(value, control, row_mask, bank_mask, bound_control)

// The lane each kind of shuffle reads.
LP_DEVICE int __lp_lane_of(int lane, int width) {
  int self = (int)__lane_id();
  return (lane & (width - 1)) + (self & ~(width - 1));
}
LP_DEVICE int __lp_lane_up(unsigned int delta, int width) {
  int self = (int)__lane_id(), lane = self - (int)delta;
  return lane < (self & ~(width - 1)) ? self : lane;
}
LP_DEVICE int __lp_lane_down(unsigned int delta, int width) {
  int self = (int)__lane_id();
  return (self & (width - 1)) + (int)delta >= width ? self : self + (int)delta;
}
LP_DEVICE int __lp_lane_xor(int mask, int width) {
  int self = (int)__lane_id(), lane = self ^ mask;
  return lane >= ((self + width) & ~(width - 1)) ? self : lane;
}

// A value of 4 or 8 bytes from a lane, by 32-bit words.
template <typename T> LP_DEVICE T __lp_read_lane(T value, int lane) {
  static_assert(sizeof(T) == 4 || sizeof(T) == 8, "shuffles move 32 or 64 bits");
  if constexpr (sizeof(T) == 4) {
    int word = __builtin_bit_cast(int, value);
    return __builtin_bit_cast(T, __builtin_amdgcn_ds_bpermute(lane << 2, word));
  } else {
    unsigned long long bits = __builtin_bit_cast(unsigned long long, value);
    unsigned int low = (unsigned int)__builtin_amdgcn_ds_bpermute(lane << 2, (int)bits);
    unsigned int high = (unsigned int)__builtin_amdgcn_ds_bpermute(lane << 2, (int)(bits >> 32));
    return __builtin_bit_cast(T, (unsigned long long)high << 32 | low);
  }
}

#define LP_SHUFFLES(T)                                                                             \
  LP_DEVICE T __shfl(T value, int lane, int width = warpSize) {                                    \
    return __lp_read_lane(value, __lp_lane_of(lane, width));                                       \
  }                                                                                                \
  LP_DEVICE T __shfl_up(T value, unsigned int delta, int width = warpSize) {                       \
    return __lp_read_lane(value, __lp_lane_up(delta, width));                                      \
  }                                                                                                \
  LP_DEVICE T __shfl_down(T value, unsigned int delta, int width = warpSize) {                     \
    return __lp_read_lane(value, __lp_lane_down(delta, width));                                    \
  }                                                                                                \
  LP_DEVICE T __shfl_xor(T value, int mask, int width = warpSize) {                                \
    return __lp_read_lane(value, __lp_lane_xor(mask, width));                                      \
  }
LP_SHUFFLES(int)
LP_SHUFFLES(unsigned int)
LP_SHUFFLES(long)
LP_SHUFFLES(unsigned long)
LP_SHUFFLES(long long)
LP_SHUFFLES(unsigned long long)
LP_SHUFFLES(float)
LP_SHUFFLES(double)
#undef LP_SHUFFLES

// The forms with a mask of the lanes that take part, on by default since ROCm 7 and with
// HIP_ENABLE_WARP_SYNC_BUILTINS before.
#define LP_MASK(Mask) static_assert(sizeof(Mask) == 8, "the mask must be a 64-bit integer")
template <typename Mask> LP_DEVICE unsigned long long __ballot_sync(Mask mask, int predicate) {
  LP_MASK(Mask);
  return __ballot64(predicate) & mask;
}
template <typename Mask> LP_DEVICE int __any_sync(Mask mask, int predicate) {
  LP_MASK(Mask);
  return __ballot_sync(mask, predicate) != 0;
}
template <typename Mask> LP_DEVICE int __all_sync(Mask mask, int predicate) {
  LP_MASK(Mask);
  return __ballot_sync(mask, predicate) == mask;
}
template <typename Mask, typename T>
LP_DEVICE T __shfl_sync(Mask mask, T value, int lane, int width = warpSize) {
  LP_MASK(Mask);
  return __shfl(value, lane, width);
}
template <typename Mask, typename T>
LP_DEVICE T __shfl_up_sync(Mask mask, T value, unsigned int delta, int width = warpSize) {
  LP_MASK(Mask);
  return __shfl_up(value, delta, width);
}
template <typename Mask, typename T>
LP_DEVICE T __shfl_down_sync(Mask mask, T value, unsigned int delta, int width = warpSize) {
  LP_MASK(Mask);
  return __shfl_down(value, delta, width);
}
template <typename Mask, typename T>
LP_DEVICE T __shfl_xor_sync(Mask mask, T value, int laneMask, int width = warpSize) {
  LP_MASK(Mask);
  return __shfl_xor(value, laneMask, width);
}
// The lanes of the mask that hold the same value: each of the mask's lanes is asked in turn.
template <typename Mask, typename T>
LP_DEVICE unsigned long long __match_any_sync(Mask mask, T value) {
  LP_MASK(Mask);
  unsigned long long mine = 0;
  for (int lane = 0; lane < 64; ++lane) {
    unsigned long long same = __ballot64(__lp_read_lane(value, lane) == value);
    if ((int)__lane_id() == lane)
      mine = same;
  }
  return mine & mask;
}
template <typename Mask, typename T>
LP_DEVICE unsigned long long __match_all_sync(Mask mask, T value, int *predicate) {
  LP_MASK(Mask);
  *predicate = __match_any_sync(mask, value) == mask;
  return *predicate ? mask : 0;
}
#undef LP_MASK
#undef LP_DEVICE
