// Cooperative groups: blocks, grids, tiles, coalesced threads.
// https://docs.nvidia.com/cuda/cuda-c-programming-guide/#cooperative-groups
#pragma once
#include "cuda_runtime.h"
#include <type_traits>

// Of a pointer in asm: 64 bits.
#define _CG_ASM_PTR_CONSTRAINT "l"

#define LP_CG static __forceinline__ __device__
#define LP_CG_MEMBER __forceinline__ __device__
#define LP_CG_SYNC LP_CG_MEMBER __attribute__((convergent))

namespace cooperative_groups {
inline namespace __v1 {

namespace details {
LP_CG unsigned int block_rank() {
  return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}
LP_CG unsigned int block_size() { return blockDim.x * blockDim.y * blockDim.z; }
LP_CG unsigned int grid_block_rank() {
  return blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
}
LP_CG unsigned int grid_block_count() { return gridDim.x * gridDim.y * gridDim.z; }
LP_CG unsigned int lane() { return __nvvm_read_ptx_sreg_laneid(); }
LP_CG unsigned int lanes_below() { return __nvvm_read_ptx_sreg_lanemask_lt(); }

// Shuffles a value of any type: a number as it is, anything else by 32-bit words.
template <typename T, typename Shuffle>
LP_CG __attribute__((convergent)) T shuffle(T value, Shuffle move) {
  if constexpr (std::is_arithmetic_v<T> && sizeof(T) >= 4) {
    return move(value);
  } else {
    unsigned int words[(sizeof(T) + 3) / 4] = {};
    __builtin_memcpy(words, &value, sizeof(T));
#pragma unroll
    for (unsigned int &word : words)
      word = move(word);
    __builtin_memcpy(&value, words, sizeof(T));
    return value;
  }
}
} // namespace details

// Any group of threads, by its size and the rank of this one.
class thread_group {
public:
  LP_CG_MEMBER thread_group(unsigned int size, unsigned int rank, unsigned int mask)
      : size_(size), rank_(rank), mask_(mask) {}
  LP_CG_MEMBER unsigned long long size() const { return size_; }
  LP_CG_MEMBER unsigned long long num_threads() const { return size_; }
  LP_CG_MEMBER unsigned long long thread_rank() const { return rank_; }
  LP_CG_MEMBER bool is_valid() const { return size_ != 0; }
  LP_CG_SYNC void sync() const {
    if (mask_)
      __syncwarp(mask_);
    else
      __syncthreads();
  }
  LP_CG_MEMBER unsigned int lp_mask() const { return mask_; }

protected:
  unsigned int size_, rank_;
  unsigned int mask_; // the warp's lanes that are members; 0 for a block
};

class thread_block : public thread_group {
public:
  LP_CG_MEMBER thread_block() : thread_group(details::block_size(), details::block_rank(), 0) {}
  static LP_CG_MEMBER unsigned int size() { return details::block_size(); }
  static LP_CG_MEMBER unsigned int num_threads() { return details::block_size(); }
  static LP_CG_MEMBER unsigned int thread_rank() { return details::block_rank(); }
  static LP_CG_MEMBER dim3 group_index() { return blockIdx; }
  static LP_CG_MEMBER dim3 thread_index() { return threadIdx; }
  static LP_CG_MEMBER dim3 group_dim() { return blockDim; }
  static LP_CG_MEMBER dim3 dim_threads() { return blockDim; }
  static LP_CG_SYNC void sync() { __syncthreads(); }
  struct arrival_token {};
  static LP_CG_SYNC arrival_token barrier_arrive() { return {}; }
  static LP_CG_SYNC void barrier_wait(arrival_token &&) { __syncthreads(); }
};
LP_CG thread_block this_thread_block() { return thread_block(); }

extern "C" __device__ void __lp_grid_sync() __attribute__((convergent));
class grid_group : public thread_group {
public:
  LP_CG_MEMBER grid_group()
      : thread_group(details::block_size() * details::grid_block_count(),
                     details::block_rank() + details::block_size() * details::grid_block_rank(),
                     0) {}
  static LP_CG_MEMBER dim3 group_dim() { return gridDim; }
  static LP_CG_MEMBER dim3 dim_blocks() { return gridDim; }
  static LP_CG_MEMBER unsigned int block_rank() { return details::grid_block_rank(); }
  static LP_CG_MEMBER unsigned int num_blocks() { return details::grid_block_count(); }
  static LP_CG_MEMBER dim3 block_index() { return blockIdx; }
  // Needs a cooperative launch; the simulator gives it a meaning.
  static LP_CG_SYNC void sync() { __lp_grid_sync(); }
};
LP_CG grid_group this_grid() { return grid_group(); }

class cluster_group : public thread_group {
public:
  LP_CG_MEMBER cluster_group() : thread_group(details::block_size(), details::block_rank(), 0) {}
  static LP_CG_MEMBER unsigned int block_rank() { return 0; }
  static LP_CG_MEMBER unsigned int num_blocks() { return 1; }
  template <typename T> static LP_CG_MEMBER T *map_shared_rank(T *p, int) { return p; }
  static LP_CG_SYNC void sync() { __syncthreads(); }
};
LP_CG cluster_group this_cluster() { return cluster_group(); }

// `n` neighbouring lanes of a warp, n a power of two up to 32.
template <unsigned int n, typename Parent = void> class thread_block_tile : public thread_group {
public:
  LP_CG_MEMBER thread_block_tile(unsigned int parentRank, unsigned int parentSize)
      : thread_group(n, parentRank % n, tile_mask()), index_(parentRank / n),
        count_((parentSize + n - 1) / n) {}
  template <typename Other>
  LP_CG_MEMBER thread_block_tile(const thread_block_tile<n, Other> &other)
      : thread_group(other), index_(other.meta_group_rank()), count_(other.meta_group_size()) {}
  static LP_CG_MEMBER constexpr unsigned int size() { return n; }
  static LP_CG_MEMBER constexpr unsigned int num_threads() { return n; }
  LP_CG_MEMBER unsigned int meta_group_rank() const { return index_; }
  LP_CG_MEMBER unsigned int meta_group_size() const { return count_; }
  LP_CG_SYNC void sync() const { __syncwarp(mask_); }
  template <typename T> LP_CG_SYNC T shfl(T value, int rank) const {
    return details::shuffle(value, [&](auto v) { return __shfl_sync(mask_, v, rank, n); });
  }
  template <typename T> LP_CG_SYNC T shfl_up(T value, unsigned int delta) const {
    return details::shuffle(value, [&](auto v) { return __shfl_up_sync(mask_, v, delta, n); });
  }
  template <typename T> LP_CG_SYNC T shfl_down(T value, unsigned int delta) const {
    return details::shuffle(value, [&](auto v) { return __shfl_down_sync(mask_, v, delta, n); });
  }
  template <typename T> LP_CG_SYNC T shfl_xor(T value, unsigned int lanes) const {
    return details::shuffle(value, [&](auto v) { return __shfl_xor_sync(mask_, v, lanes, n); });
  }
  LP_CG_SYNC unsigned int ballot(int predicate) const {
    return (__ballot_sync(mask_, predicate) & mask_) >> (details::lane() & ~(n - 1));
  }
  LP_CG_SYNC int any(int predicate) const { return __any_sync(mask_, predicate); }
  LP_CG_SYNC int all(int predicate) const { return __all_sync(mask_, predicate); }
  template <typename T> LP_CG_SYNC unsigned int match_any(T value) const {
    return (__match_any_sync(mask_, value) & mask_) >> (details::lane() & ~(n - 1));
  }
  template <typename T> LP_CG_SYNC unsigned int match_all(T value, int &predicate) const {
    return (__match_all_sync(mask_, value, &predicate) & mask_) >> (details::lane() & ~(n - 1));
  }

private:
  static LP_CG_MEMBER unsigned int tile_mask() {
    return n == 32 ? ~0u : ((1u << (n & 31)) - 1) << (details::lane() & ~(n - 1));
  }
  unsigned int index_, count_;
};
template <unsigned int n, typename Parent>
LP_CG thread_block_tile<n, Parent> tiled_partition(const Parent &g) {
  return thread_block_tile<n, Parent>((unsigned int)g.thread_rank(), (unsigned int)g.size());
}
LP_CG thread_group tiled_partition(const thread_group &g, unsigned int n) {
  unsigned int mask = n == 32 ? ~0u : ((1u << (n & 31)) - 1) << (details::lane() & ~(n - 1));
  return thread_group(n, (unsigned int)g.thread_rank() % n, mask);
}

// The lanes that are active together.
class coalesced_group : public thread_group {
public:
  LP_CG_SYNC explicit coalesced_group(unsigned int mask, unsigned int index = 0,
                                      unsigned int count = 1)
      : thread_group(__popc(mask), __popc(mask & details::lanes_below()), mask), index_(index),
        count_(count) {}
  LP_CG_MEMBER unsigned int size() const { return size_; }
  LP_CG_MEMBER unsigned int num_threads() const { return size_; }
  LP_CG_MEMBER unsigned int thread_rank() const { return rank_; }
  LP_CG_MEMBER unsigned int meta_group_rank() const { return index_; }
  LP_CG_MEMBER unsigned int meta_group_size() const { return count_; }
  LP_CG_SYNC void sync() const { __syncwarp(mask_); }
  template <typename T> LP_CG_SYNC T shfl(T value, unsigned int rank) const {
    return details::shuffle(value, [&](auto v) { return __shfl_sync(mask_, v, lane_of(rank)); });
  }
  template <typename T> LP_CG_SYNC T shfl_up(T value, unsigned int delta) const {
    return details::shuffle(value, [&](auto v) {
      return __shfl_sync(mask_, v, lane_of(rank_ < delta ? rank_ : rank_ - delta));
    });
  }
  template <typename T> LP_CG_SYNC T shfl_down(T value, unsigned int delta) const {
    return details::shuffle(value, [&](auto v) {
      return __shfl_sync(mask_, v, lane_of(rank_ + delta < size_ ? rank_ + delta : rank_));
    });
  }
  LP_CG_SYNC unsigned int ballot(int predicate) const {
    return pack(__ballot_sync(mask_, predicate) & mask_);
  }
  LP_CG_SYNC int any(int predicate) const { return __any_sync(mask_, predicate); }
  LP_CG_SYNC int all(int predicate) const { return __all_sync(mask_, predicate); }
  template <typename T> LP_CG_SYNC unsigned int match_any(T value) const {
    return pack(__match_any_sync(mask_, value) & mask_);
  }
  template <typename T> LP_CG_SYNC unsigned int match_all(T value, int &predicate) const {
    return pack(__match_all_sync(mask_, value, &predicate) & mask_);
  }
  // `n` neighbouring ranks; the last group may have fewer.
  LP_CG_MEMBER coalesced_group lp_tile(unsigned int n) const {
    const unsigned int first = rank_ / n * n;
    unsigned int mask = 0;
    for (unsigned int rank = first; rank < first + n && rank < size_; ++rank)
      mask |= 1u << lane_of(rank);
    return coalesced_group(mask, rank_ / n, (size_ + n - 1) / n);
  }

private:
  unsigned int index_, count_;
  LP_CG_MEMBER int lane_of(unsigned int rank) const {
    unsigned int rest = mask_;
    for (unsigned int i = 0; i < rank; ++i)
      rest &= rest - 1;
    return __ffs((int)rest) - 1;
  }
  LP_CG_MEMBER unsigned int pack(unsigned int lanes) const {
    unsigned int packed = 0, i = 0;
    for (unsigned int rest = mask_; rest; rest &= rest - 1, ++i)
      packed |= (lanes >> (__ffs((int)rest) - 1) & 1) << i;
    return packed;
  }
};
LP_CG coalesced_group tiled_partition(const coalesced_group &g, unsigned int n) {
  return g.lp_tile(n);
}
LP_CG coalesced_group coalesced_threads() { return coalesced_group(__activemask()); }

// Group 1 has the predicate, group 0 has not; members that agree stay one group.
template <typename Group> LP_CG coalesced_group binary_partition(const Group &g, bool predicate) {
  const unsigned int all = g.lp_mask(), yes = __ballot_sync(all, predicate) & all;
  if (yes == all || !yes)
    return coalesced_group(all);
  return coalesced_group(predicate ? yes : all & ~yes, predicate, 2);
}
// Groups are counted by their first lanes.
template <typename Group, typename T>
LP_CG coalesced_group labeled_partition(const Group &g, T label) {
  const unsigned int all = g.lp_mask(), mine = __match_any_sync(all, label);
  const unsigned int first = mine & -mine;
  const unsigned int firsts = __ballot_sync(all, first == 1u << details::lane()) & all;
  return coalesced_group(mine, __popc(firsts & (first - 1)), __popc(firsts));
}
template <typename Group> LP_CG coalesced_group labeled_partition(const Group &g, bool label) {
  return binary_partition(g, label);
}

template <typename Group> LP_CG void sync(const Group &g) { g.sync(); }
template <typename Group> LP_CG auto thread_rank(const Group &g) { return g.thread_rank(); }
template <typename Group> LP_CG auto group_size(const Group &g) { return g.size(); }

// One thread of the group runs the function.
template <typename Group, typename Function> LP_CG void invoke_one(const Group &g, Function &&f) {
  if (g.thread_rank() == 0)
    f();
}
template <typename Group, typename Function>
LP_CG auto invoke_one_broadcast(const Group &g, Function &&f) {
  decltype(f()) value = {};
  if (g.thread_rank() == 0)
    value = f();
  return g.shfl(value, 0);
}

} // namespace __v1
} // namespace cooperative_groups

#undef LP_CG
#undef LP_CG_MEMBER
#undef LP_CG_SYNC
