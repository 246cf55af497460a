// Cooperative groups, as far as ROCm 6.3 has them: blocks, grids, tiles of a wave, coalesced
// threads. https://rocm.docs.amd.com/projects/HIP/en/latest/how-to/cooperative_groups.html
#pragma once
#include "hip/hip_runtime.h"

namespace cooperative_groups {

#define LP_CG static __forceinline__ __device__
#define LP_CG_MEMBER __forceinline__ __device__
#define LP_CG_SYNC LP_CG_MEMBER __attribute__((convergent))

LP_CG uint32_t lp_block_rank() {
  return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}
LP_CG uint32_t lp_block_size() { return blockDim.x * blockDim.y * blockDim.z; }

// Any group of threads, by its size and the rank of this one.
class thread_group {
public:
  LP_CG_MEMBER uint32_t size() const { return size_; }
  LP_CG_MEMBER uint32_t thread_rank() const { return rank_; }
  LP_CG_MEMBER bool is_valid() const { return size_ != 0; }
  LP_CG_SYNC void sync() const {
    if (size_ > 64)
      __syncthreads();
    else
      __builtin_amdgcn_fence(__ATOMIC_ACQ_REL, "wavefront");
  }
  LP_CG_MEMBER thread_group(uint32_t size, uint32_t rank) : size_(size), rank_(rank) {}

protected:
  uint32_t size_, rank_;
};

class thread_block : public thread_group {
public:
  LP_CG_MEMBER thread_block() : thread_group(lp_block_size(), lp_block_rank()) {}
  LP_CG_MEMBER dim3 group_dim() const { return blockDim; }
  LP_CG_MEMBER dim3 group_index() const { return blockIdx; }
  LP_CG_MEMBER dim3 thread_index() const { return threadIdx; }
  LP_CG_SYNC void sync() const { __syncthreads(); }
};
LP_CG thread_block this_thread_block() { return thread_block(); }

#ifdef LAYOUT_PORT_CHECK
extern "C" __device__ inline void __ockl_grid_sync() { __builtin_amdgcn_s_barrier(); }
#else
extern "C" __device__ void __ockl_grid_sync();
#endif
class grid_group : public thread_group {
public:
  LP_CG_MEMBER grid_group()
      : thread_group(lp_block_size() * gridDim.x * gridDim.y * gridDim.z,
                     lp_block_rank() +
                         lp_block_size() *
                             (blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z))) {}
  LP_CG_SYNC void sync() const { __ockl_grid_sync(); }
};
LP_CG grid_group this_grid() { return grid_group(); }

// `n` neighbouring lanes of a wave, n a power of two up to 64.
template <unsigned int n, typename Parent = void> class thread_block_tile : public thread_group {
public:
  LP_CG_MEMBER explicit thread_block_tile(uint32_t parentRank, uint32_t parentSize)
      : thread_group(n, parentRank % n), index_(parentRank / n), count_(parentSize / n) {}
  static constexpr uint32_t numThreads = n;
  LP_CG_MEMBER constexpr uint32_t size() const { return n; }
  LP_CG_MEMBER uint32_t meta_group_rank() const { return index_; }
  LP_CG_MEMBER uint32_t meta_group_size() const { return count_; }
  template <typename T> LP_CG_SYNC T shfl(T value, int lane) const {
    return __shfl(value, lane, n);
  }
  template <typename T> LP_CG_SYNC T shfl_up(T value, unsigned int delta) const {
    return __shfl_up(value, delta, n);
  }
  template <typename T> LP_CG_SYNC T shfl_down(T value, unsigned int delta) const {
    return __shfl_down(value, delta, n);
  }
  template <typename T> LP_CG_SYNC T shfl_xor(T value, unsigned int mask) const {
    return __shfl_xor(value, mask, n);
  }
  LP_CG_SYNC unsigned long long ballot(int predicate) const {
    unsigned long long all = __ballot(predicate) >> (__lane_id() & ~(n - 1));
    return n == 64 ? all : all & ((1ull << (n & 63)) - 1);
  }
  LP_CG_SYNC int any(int predicate) const { return ballot(predicate) != 0; }
  LP_CG_SYNC int all(int predicate) const { return ballot(!predicate) == 0; }
  LP_CG_SYNC void sync() const { __builtin_amdgcn_fence(__ATOMIC_ACQ_REL, "wavefront"); }

private:
  uint32_t index_, count_;
};
template <unsigned int n, typename Group>
LP_CG thread_block_tile<n> tiled_partition(const Group &g) {
  return thread_block_tile<n>(g.thread_rank(), g.size());
}
LP_CG thread_group tiled_partition(const thread_group &g, unsigned int n) {
  return thread_group(n, g.thread_rank() % n);
}

// The lanes that are active together.
class coalesced_group : public thread_group {
public:
  LP_CG_SYNC coalesced_group(unsigned long long members)
      : thread_group((uint32_t)__popcll(members),
                     __builtin_amdgcn_mbcnt_hi((uint32_t)(members >> 32),
                                               __builtin_amdgcn_mbcnt_lo((uint32_t)members, 0))),
        members_(members) {}
  LP_CG_SYNC unsigned long long ballot(int predicate) const {
    return __ballot(predicate) & members_;
  }
  LP_CG_SYNC int any(int predicate) const { return ballot(predicate) != 0; }
  LP_CG_SYNC int all(int predicate) const { return ballot(predicate) == members_; }
  template <typename T> LP_CG_SYNC T shfl(T value, int rank) const {
    unsigned long long rest = members_;
    for (int i = 0; i < rank; ++i)
      rest &= rest - 1;
    return __shfl(value, __ffsll(rest) - 1, 64);
  }

private:
  unsigned long long members_;
};
LP_CG coalesced_group coalesced_threads() { return coalesced_group(__activemask()); }

template <typename Group> LP_CG void sync(const Group &g) { g.sync(); }
template <typename Group> LP_CG uint32_t thread_rank(const Group &g) { return g.thread_rank(); }
template <typename Group> LP_CG uint32_t group_size(const Group &g) { return g.size(); }

#undef LP_CG
#undef LP_CG_MEMBER
#undef LP_CG_SYNC
} // namespace cooperative_groups
