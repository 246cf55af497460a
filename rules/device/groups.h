// Device runtime, part 4: cooperative groups whose tiles live in warps of 32 lanes.
//
// HIP's own groups know tiles of a 64-lane wave: a tile of 32 has no match, no
// reduce, no scans, no labelled partition, a coalesced group spans both warps, and
// masks have 64 bits. These speak of a warp. Names and meaning are CUDA's; what the
// whole grid would have to wait for is not here. Members take values by reference, as
// all threads but one may come without a value (clang's maybe_undef misses by one in
// members).
// https://docs.nvidia.com/cuda/cuda-c-programming-guide/#cooperative-groups

//# cg: syncwarp lanemask
namespace cg {
__device__ __forceinline__ unsigned block_rank() {
  return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}
__device__ __forceinline__ unsigned block_size() { return blockDim.x * blockDim.y * blockDim.z; }

// Any group of threads: size, this thread's rank, and the warp's lanes that are
// members; no lanes for a block.
class thread_group {
public:
  __device__ __forceinline__ thread_group(unsigned size, unsigned rank, unsigned mask)
      : size_(size), rank_(rank), mask_(mask) {}
  __device__ __forceinline__ unsigned long long size() const { return size_; }
  __device__ __forceinline__ unsigned long long num_threads() const { return size_; }
  __device__ __forceinline__ unsigned long long thread_rank() const { return rank_; }
  __device__ __forceinline__ bool is_valid() const { return size_ != 0; }
  __device__ __forceinline__ unsigned member_mask() const { return mask_; }
  __device__ __forceinline__ void sync() const {
    if (mask_)
      syncwarp(mask_);
    else
      __syncthreads();
  }

protected:
  unsigned size_, rank_, mask_;
};

class thread_block : public thread_group {
public:
  __device__ __forceinline__ thread_block() : thread_group(block_size(), block_rank(), 0) {}
  static __device__ __forceinline__ unsigned size() { return block_size(); }
  static __device__ __forceinline__ unsigned num_threads() { return block_size(); }
  static __device__ __forceinline__ unsigned thread_rank() { return block_rank(); }
  static __device__ __forceinline__ dim3 group_index() { return dim3(blockIdx.x, blockIdx.y, blockIdx.z); }
  static __device__ __forceinline__ dim3 thread_index() {
    return dim3(threadIdx.x, threadIdx.y, threadIdx.z);
  }
  static __device__ __forceinline__ dim3 group_dim() {
    return dim3(blockDim.x, blockDim.y, blockDim.z);
  }
  static __device__ __forceinline__ dim3 dim_threads() { return group_dim(); }
  static __device__ __forceinline__ void sync() { __syncthreads(); }
  struct arrival_token {};
  static __device__ __forceinline__ arrival_token barrier_arrive() { return {}; }
  static __device__ __forceinline__ void barrier_wait(arrival_token &&) { __syncthreads(); }
};
__device__ __forceinline__ thread_block this_thread_block() { return thread_block(); }

template <class Group> __device__ __forceinline__ void sync(const Group &g) { g.sync(); }
template <class Group> __device__ __forceinline__ auto thread_rank(const Group &g) {
  return g.thread_rank();
}
template <class Group> __device__ __forceinline__ auto group_size(const Group &g) {
  return g.size();
}
template <class Group> __device__ __forceinline__ void wait(const Group &g) { g.sync(); }
template <unsigned n, class Group> __device__ __forceinline__ void wait_prior(const Group &g) {
  g.sync();
}
} // namespace cg

//# cg_grid: cg
namespace cg {
// Ranks and sizes of the grid; no sync: that needs a cooperative launch.
class grid_group {
public:
  static __device__ __forceinline__ dim3 group_dim() { return dim3(gridDim.x, gridDim.y, gridDim.z); }
  static __device__ __forceinline__ dim3 dim_blocks() { return group_dim(); }
  static __device__ __forceinline__ dim3 block_index() { return thread_block::group_index(); }
  static __device__ __forceinline__ unsigned long long block_rank() {
    return blockIdx.x + gridDim.x * (blockIdx.y + (unsigned long long)(gridDim.y) * blockIdx.z);
  }
  static __device__ __forceinline__ unsigned long long num_blocks() {
    return (unsigned long long)(gridDim.x) * gridDim.y * gridDim.z;
  }
  static __device__ __forceinline__ unsigned long long size() { return num_blocks() * block_size(); }
  static __device__ __forceinline__ unsigned long long num_threads() { return size(); }
  static __device__ __forceinline__ unsigned long long thread_rank() {
    return block_rank() * block_size() + cg::block_rank();
  }
  static __device__ __forceinline__ bool is_valid() { return true; }
};
__device__ __forceinline__ grid_group this_grid() { return {}; }
} // namespace cg

//# cg_coalesced: cg ballot fns shfl_idx match_any_sync match_all_sync
namespace cg {
// Lanes of one warp, in the order of their numbers.
class coalesced_group : public thread_group {
public:
  __device__ __forceinline__ explicit coalesced_group(unsigned mask, unsigned index = 0,
                                                      unsigned count = 1)
      : thread_group(__builtin_popcount(mask), __builtin_popcount(mask & lanemask_lt()), mask),
        index_(index), count_(count) {}
  __device__ __forceinline__ unsigned size() const { return size_; }
  __device__ __forceinline__ unsigned num_threads() const { return size_; }
  __device__ __forceinline__ unsigned thread_rank() const { return rank_; }
  __device__ __forceinline__ unsigned meta_group_rank() const { return index_; }
  __device__ __forceinline__ unsigned meta_group_size() const { return count_; }
  __device__ __forceinline__ void sync() const { syncwarp(mask_); }
  // The lane of a rank.
  __device__ __forceinline__ int lane_of(unsigned rank) const { return fns(mask_, 0, rank + 1); }
  template <class T> __device__ __forceinline__ T shfl(const T &v, unsigned rank) const {
    return lp::shfl(v, lane_of(rank % size_));
  }
  template <class T> __device__ __forceinline__ T shfl_up(const T &v, unsigned delta) const {
    return lp::shfl(v, lane_of(rank_ < delta ? rank_ : rank_ - delta));
  }
  template <class T> __device__ __forceinline__ T shfl_down(const T &v, unsigned delta) const {
    return lp::shfl(v, lane_of(rank_ + delta < size_ ? rank_ + delta : rank_));
  }
  __device__ __forceinline__ int any(int p) const { return (lp::ballot(p) & mask_) != 0; }
  __device__ __forceinline__ int all(int p) const { return !(lp::ballot(!p) & mask_); }
  __device__ __forceinline__ unsigned ballot(int p) const { return ranks(lp::ballot(p)); }
  template <class T> __device__ __forceinline__ unsigned match_any(T v) const {
    return ranks(match_any_sync(mask_, v));
  }
  template <class T> __device__ __forceinline__ unsigned match_all(T v, int &same) const {
    return ranks(match_all_sync(mask_, v, &same));
  }

private:
  // A mask of lanes as a mask of ranks.
  __device__ __forceinline__ unsigned ranks(unsigned lanes) const {
    unsigned result = 0, rank = 0;
    for (unsigned rest = mask_; rest; rest &= rest - 1, ++rank)
      result |= (lanes >> __builtin_ctz(rest) & 1) << rank;
    return result;
  }
  unsigned index_, count_;
};
__device__ __forceinline__ coalesced_group coalesced_threads() {
  return coalesced_group(ballot(true));
}
} // namespace cg

//# cg_tile: cg ballot shfl_idx shfl_up shfl_down shfl_xor match_any_sync match_all_sync
namespace cg {
// n neighbouring lanes of a warp.
template <unsigned n, class Parent = void> class thread_block_tile : public thread_group {
  static_assert(n <= 32 && (n & (n - 1)) == 0, "a tile lies inside a warp of 32 lanes");

public:
  __device__ __forceinline__ thread_block_tile(unsigned parentRank, unsigned parentSize)
      : thread_group(n, parentRank % n, (~0u >> (32 - n)) << first()), index_(parentRank / n),
        count_((parentSize + n - 1) / n) {}
  template <class Other>
  __device__ __forceinline__ thread_block_tile(const thread_block_tile<n, Other> &other)
      : thread_group(other), index_(other.meta_group_rank()), count_(other.meta_group_size()) {}
  static __device__ __forceinline__ constexpr unsigned size() { return n; }
  static __device__ __forceinline__ constexpr unsigned num_threads() { return n; }
  __device__ __forceinline__ unsigned thread_rank() const { return lane64() % n; }
  __device__ __forceinline__ unsigned meta_group_rank() const { return index_; }
  __device__ __forceinline__ unsigned meta_group_size() const { return count_; }
  __device__ __forceinline__ void sync() const { syncwarp(mask_); }
  template <class T> __device__ __forceinline__ T shfl(const T &v, int rank) const {
    return lp::shfl(v, rank, n);
  }
  template <class T> __device__ __forceinline__ T shfl_up(const T &v, unsigned delta) const {
    return lp::shfl_up(v, delta, n);
  }
  template <class T> __device__ __forceinline__ T shfl_down(const T &v, unsigned delta) const {
    return lp::shfl_down(v, delta, n);
  }
  template <class T> __device__ __forceinline__ T shfl_xor(const T &v, unsigned mask) const {
    return lp::shfl_xor(v, mask, n);
  }
  __device__ __forceinline__ int any(int p) const { return (lp::ballot(p) & mask_) != 0; }
  __device__ __forceinline__ int all(int p) const { return !(lp::ballot(!p) & mask_); }
  __device__ __forceinline__ unsigned ballot(int p) const {
    return (lp::ballot(p) & mask_) >> first();
  }
  template <class T> __device__ __forceinline__ unsigned match_any(T v) const {
    return match_any_sync(mask_, v) >> first();
  }
  template <class T> __device__ __forceinline__ unsigned match_all(T v, int &same) const {
    return match_all_sync(mask_, v, &same) >> first();
  }

private:
  static __device__ __forceinline__ unsigned first() { return lane64() & 31 & ~(n - 1); }
  unsigned index_, count_;
};
template <unsigned n, class Parent>
__device__ __forceinline__ thread_block_tile<n, Parent> tiled_partition(const Parent &g) {
  return thread_block_tile<n, Parent>(g.thread_rank(), g.size());
}
// A size that only the run knows.
__device__ __forceinline__ thread_group tiled_partition(const thread_group &g, unsigned n) {
  const unsigned first = lane64() & 31 & ~(n - 1);
  return thread_group(n, g.thread_rank() % n, (~0u >> (32 - n)) << first);
}
} // namespace cg

//# cg_coalesced_tiles: cg_coalesced
namespace cg {
// n neighbouring ranks of a coalesced group; the last group may be smaller.
__device__ __forceinline__ coalesced_group tiled_partition(const coalesced_group &g, unsigned n) {
  const unsigned first = g.thread_rank() & ~(n - 1);
  unsigned mask = 0;
  for (unsigned rank = first; rank < first + n && rank < g.size(); ++rank)
    mask |= 1u << g.lane_of(rank);
  return coalesced_group(mask, g.thread_rank() / n, (g.size() + n - 1) / n);
}
} // namespace cg

//# cg_labeled: cg_coalesced
namespace cg {
// The members with p, group 1, and those without, group 0; all of them if they agree.
template <class Group>
__device__ __forceinline__ coalesced_group binary_partition(const Group &g, bool p) {
  const unsigned all = g.member_mask(), yes = ballot(p) & all;
  if (yes == all || !yes)
    return coalesced_group(all);
  return coalesced_group(p ? yes : all & ~yes, p, 2);
}
// Groups of members with one label, counted by their first lanes.
template <class Group, class T>
__device__ __forceinline__ coalesced_group labeled_partition(const Group &g, T label) {
  const unsigned mine = match_any_sync(g.member_mask(), label);
  const unsigned leaders =
      ballot(__builtin_popcount(mine & lanemask_lt()) == 0) & g.member_mask();
  const unsigned before = (1u << __builtin_ctz(mine)) - 1;
  return coalesced_group(mine, __builtin_popcount(leaders & before), __builtin_popcount(leaders));
}
template <class Group>
__device__ __forceinline__ coalesced_group labeled_partition(const Group &g, bool label) {
  return binary_partition(g, label);
}
} // namespace cg

//# cg_operators: cg
namespace cg {
template <class T = void> struct plus {
  __host__ __device__ __forceinline__ T operator()(T a, T b) const { return a + b; }
};
template <class T = void> struct less {
  __host__ __device__ __forceinline__ T operator()(T a, T b) const { return b < a ? b : a; }
};
template <class T = void> struct greater {
  __host__ __device__ __forceinline__ T operator()(T a, T b) const { return a < b ? b : a; }
};
template <class T = void> struct bit_and {
  __host__ __device__ __forceinline__ T operator()(T a, T b) const { return a & b; }
};
template <class T = void> struct bit_or {
  __host__ __device__ __forceinline__ T operator()(T a, T b) const { return a | b; }
};
template <class T = void> struct bit_xor {
  __host__ __device__ __forceinline__ T operator()(T a, T b) const { return a ^ b; }
};
// plus<void>: the type is that of the operands.
template <template <class> class Op> struct deduced {
  template <class T> __host__ __device__ __forceinline__ T operator()(T a, T b) const {
    return Op<T>()(a, b);
  }
};
template <> struct plus<void> : deduced<plus> {};
template <> struct less<void> : deduced<less> {};
template <> struct greater<void> : deduced<greater> {};
template <> struct bit_and<void> : deduced<bit_and> {};
template <> struct bit_or<void> : deduced<bit_or> {};
template <> struct bit_xor<void> : deduced<bit_xor> {};
// May values be taken together in any order, to the same bits? Those of floats round, and
// less and greater choose by order between NaNs and between zeros.
template <class Op, class T> constexpr bool any_order = false;
template <class T, class V> constexpr bool any_order<plus<T>, V> = __is_integral(V);
template <class T, class V> constexpr bool any_order<less<T>, V> = __is_integral(V);
template <class T, class V> constexpr bool any_order<greater<T>, V> = __is_integral(V);
template <class T, class V> constexpr bool any_order<bit_and<T>, V> = __is_integral(V);
template <class T, class V> constexpr bool any_order<bit_or<T>, V> = __is_integral(V);
template <class T, class V> constexpr bool any_order<bit_xor<T>, V> = __is_integral(V);
} // namespace cg

//# cg_reduce_tile: cg_tile cg_operators reduce_step
namespace cg {
// CUDA's butterfly, downwards; in any order five steps of DPPs for a whole warp.
template <unsigned n, class Parent, class T, class Op>
__device__ __forceinline__ auto reduce(const thread_block_tile<n, Parent> &, T v, Op op) {
  typedef __remove_cvref(decltype(op(v, v))) Sum; // plus<int> counts bools
  Sum sum = v;
#pragma unroll
  for (unsigned offset = n / 2; offset > 0; offset /= 2)
    if constexpr (n == 32 && any_order<Op, Sum>)
      sum = op(sum, reduce_step(sum, 16 / offset));
    else
      sum = op(sum, lp::shfl_xor(sum, offset, n));
  return sum;
}
} // namespace cg

//# cg_ranked_scan: cg
namespace cg {
// Kogge and Stone over ranks, for a group whose size only the run knows.
template <class Group, class T, class Op>
__device__ __forceinline__ T ranked_scan(const Group &g, T v, Op op) {
  for (unsigned offset = 1; offset < g.size(); offset *= 2) {
    const T below = g.shfl_up(v, offset);
    v = g.thread_rank() >= offset ? op(v, below) : v;
  }
  return v;
}
} // namespace cg

//# cg_reduce_coalesced: cg_coalesced cg_operators cg_ranked_scan reduce_sync shfl_xor
namespace cg {
// CUDA's order: a butterfly for a whole warp, else the last rank of a scan.
template <class T, class Op>
__device__ __forceinline__ auto reduce(const coalesced_group &g, T v, Op op) {
  typedef __remove_cvref(decltype(op(v, v))) Sum;
  Sum sum = v;
  if constexpr (any_order<Op, Sum>)
    return reduce_sync(g.member_mask(), sum, op);
  if (g.size() < 32)
    return g.shfl(ranked_scan(g, sum, op), g.size() - 1);
#pragma unroll
  for (int offset = 16; offset > 0; offset /= 2)
    sum = op(sum, lp::shfl_xor(sum, offset));
  return sum;
}
} // namespace cg

//# cg_scan: cg_tile cg_operators cg_ranked_scan scan_step shfl_up
namespace cg {
// Is the size of a group a constant?
template <class Group> struct constant_size {
  static constexpr unsigned value = 0;
};
template <unsigned n, class Parent> struct constant_size<thread_block_tile<n, Parent>> {
  static constexpr unsigned value = n;
};
// Kogge and Stone. In any order rows of 16 come first, by row_shr; then the second row of a
// warp adds the last lane of the first.
template <unsigned n, class T, class Op>
__device__ __forceinline__ T tile_scan(T v, Op op) {
  const unsigned in = lane64() % n;
#pragma unroll
  for (unsigned offset = 1; offset < n; offset *= 2) {
    if constexpr (n == 32 && any_order<Op, T>) {
      const T below = scan_step(v, offset, v);
      v = in % (offset == 16 ? 32 : 16) >= offset ? op(v, below) : v;
    } else {
      const T below = lp::shfl_up(v, offset, n);
      v = in >= offset ? op(v, below) : v;
    }
  }
  return v;
}
template <class Group, class T, class Op>
__device__ __forceinline__ auto inclusive_scan(const Group &g, T v, Op op) {
  const __remove_cvref(decltype(op(v, v))) own = v;
  if constexpr (constant_size<Group>::value != 0)
    return tile_scan<constant_size<Group>::value>(own, op);
  else
    return ranked_scan(g, own, op);
}
template <class Group, class T>
__device__ __forceinline__ auto inclusive_scan(const Group &g, T v) {
  return inclusive_scan(g, v, plus<T>());
}
template <class Group, class T, class Op>
__device__ __forceinline__ auto exclusive_scan(const Group &g, T v, Op op) {
  const auto below = g.shfl_up(inclusive_scan(g, v, op), 1);
  return g.thread_rank() == 0 ? decltype(inclusive_scan(g, v, op))() : below;
}
template <class Group, class T>
__device__ __forceinline__ auto exclusive_scan(const Group &g, T v) {
  return exclusive_scan(g, v, plus<T>());
}
} // namespace cg

//# cg_invoke: cg shfl_from
namespace cg {
// One thread of the group runs the function.
template <class Group, class Function>
__device__ __forceinline__ void invoke_one(const Group &g, Function &&f) {
  if (g.thread_rank() == 0)
    f();
}
template <class Group, class Function>
__device__ __forceinline__ auto invoke_one_broadcast(const Group &g, Function &&f) {
  decltype(f()) value = {};
  if (g.thread_rank() == 0)
    value = f();
  return g.shfl(value, 0);
}
} // namespace cg

//# copy_async:
// An asynchronous copy that is done when the call returns: CUDA lets it be done at
// any time before its wait. Pieces of 16, 8, 4 or 1 bytes as sizes and addresses allow.
template <class Piece>
__device__ __forceinline__ void copy_pieces(char *to, const char *from, size_t bytes, size_t first,
                                            size_t step) {
  for (size_t i = first; i < bytes / sizeof(Piece); i += step)
    reinterpret_cast<Piece *>(to)[i] = reinterpret_cast<const Piece *>(from)[i];
}
__device__ __forceinline__ void copy_async(void *to, const void *from, size_t bytes, size_t rank,
                                           size_t threads) {
  typedef unsigned words2 __attribute__((ext_vector_type(2), may_alias));
  typedef unsigned words4 __attribute__((ext_vector_type(4), may_alias));
  typedef unsigned word __attribute__((may_alias));
  char *t = static_cast<char *>(to);
  const char *f = static_cast<const char *>(from);
  const size_t bits = reinterpret_cast<size_t>(t) | reinterpret_cast<size_t>(f) | bytes;
  if (bits % 16 == 0)
    copy_pieces<words4>(t, f, bytes, rank, threads);
  else if (bits % 8 == 0)
    copy_pieces<words2>(t, f, bytes, rank, threads);
  else if (bits % 4 == 0)
    copy_pieces<word>(t, f, bytes, rank, threads);
  else
    copy_pieces<char>(t, f, bytes, rank, threads);
}

//# cg_copy: cg copy_async
namespace cg {
template <class Group, class To, class From, class Size>
__device__ __forceinline__ void memcpy_async(const Group &g, To *to, const From *from, Size bytes) {
  copy_async(to, from, bytes, g.thread_rank(), g.size());
}
// By elements of both sides: the smaller count.
template <class Group, class T, class ToCount, class FromCount>
__device__ __forceinline__ void memcpy_async(const Group &g, T *to, ToCount toCount, const T *from,
                                             FromCount fromCount) {
  const size_t count = size_t(toCount) < size_t(fromCount) ? toCount : fromCount;
  copy_async(to, from, count * sizeof(T), g.thread_rank(), g.size());
}
} // namespace cg
