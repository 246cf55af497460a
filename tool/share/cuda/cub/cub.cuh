// CUB: block and warp collectives with bodies that a warp of 32 can run, device-wide algorithms as
// declarations. https://nvidia.github.io/cccl/cub/
#pragma once
#include "../cuda_runtime.h"
#include <limits>
#include <type_traits>

#define CUB_VERSION 200800
#define CUB_PTX_ARCH 800
#define CubDebugExit(e) (void)(e)
#define CubDebug(e) (e)

namespace cub {

#define LP_OPERATOR(name, expression)                                                              \
  struct name {                                                                                    \
    template <typename A, typename B>                                                              \
    __forceinline__ __host__ __device__ auto operator()(const A &a, const B &b) const {            \
      return expression;                                                                           \
    }                                                                                              \
  };
LP_OPERATOR(Sum, a + b)
LP_OPERATOR(Max, a < b ? b : a)
LP_OPERATOR(Min, b < a ? b : a)
LP_OPERATOR(Equality, a == b)
#undef LP_OPERATOR

struct NullType {};
template <typename K, typename V> struct KeyValuePair {
  K key;
  V value;
};
struct ArgMax {
  template <typename T>
  __forceinline__ __host__ __device__ T operator()(const T &a, const T &b) const {
    return b.value > a.value || (b.value == a.value && b.key < a.key) ? b : a;
  }
};
struct ArgMin {
  template <typename T>
  __forceinline__ __host__ __device__ T operator()(const T &a, const T &b) const {
    return b.value < a.value || (b.value == a.value && b.key < a.key) ? b : a;
  }
};

__forceinline__ __device__ unsigned int LaneId() { return __nvvm_read_ptx_sreg_laneid(); }
__forceinline__ __device__ int RowMajorTid(int x, int y, int z) {
  return (int)threadIdx.x + x * ((int)threadIdx.y + y * (int)threadIdx.z);
}

// A value of any size through 32-bit shuffles.
template <typename T>
__forceinline__ __device__ __attribute__((convergent)) T lp_shuffle(T value, int lane) {
  T result;
  constexpr int words = (sizeof(T) + 3) / 4;
  unsigned int buffer[words] = {};
  __builtin_memcpy(buffer, &value, sizeof(T));
#pragma unroll
  for (int i = 0; i < words; ++i)
    buffer[i] = __shfl_sync(~0u, buffer[i], lane);
  __builtin_memcpy(&result, buffer, sizeof(T));
  return result;
}

template <typename T, int n = 32, int arch = 0> class WarpReduce {
public:
  struct TempStorage {
    T lp_unused;
  };
  __forceinline__ __device__ WarpReduce(TempStorage &) {}
  template <typename Op> __forceinline__ __device__ T Reduce(T value, Op op) {
#pragma unroll
    for (int offset = n / 2; offset > 0; offset /= 2) {
      int lane = (int)LaneId();
      T other = lp_shuffle(value, (lane & ~(n - 1)) | ((lane + offset) & (n - 1)));
      value = op(value, other);
    }
    return value;
  }
  template <typename Op> __forceinline__ __device__ T Reduce(T value, Op op, int valid) {
    int rank = (int)LaneId() & (n - 1);
#pragma unroll
    for (int offset = 1; offset < n; offset *= 2) {
      T other = lp_shuffle(value, (int)LaneId() + offset);
      if (rank + offset < valid)
        value = op(value, other);
    }
    return value;
  }
  __forceinline__ __device__ T Sum(T value) { return Reduce(value, cub::Sum()); }
};

template <typename T, int n = 32, int arch = 0> class WarpScan {
public:
  struct TempStorage {
    T lp_unused;
  };
  __forceinline__ __device__ WarpScan(TempStorage &) {}
  template <typename Op> __forceinline__ __device__ void InclusiveScan(T value, T &result, Op op) {
    int rank = (int)LaneId() & (n - 1);
#pragma unroll
    for (int offset = 1; offset < n; offset *= 2) {
      T below = lp_shuffle(value, (int)LaneId() - offset);
      if (rank >= offset)
        value = op(below, value);
    }
    result = value;
  }
  __forceinline__ __device__ void InclusiveSum(T value, T &result) {
    InclusiveScan(value, result, cub::Sum());
  }
  __forceinline__ __device__ void ExclusiveSum(T value, T &result) {
    T inclusive;
    InclusiveSum(value, inclusive);
    result = inclusive - value;
  }
};

enum BlockReduceAlgorithm {
  BLOCK_REDUCE_RAKING_COMMUTATIVE_ONLY,
  BLOCK_REDUCE_RAKING,
  BLOCK_REDUCE_WARP_REDUCTIONS
};
enum BlockScanAlgorithm { BLOCK_SCAN_RAKING, BLOCK_SCAN_RAKING_MEMOIZE, BLOCK_SCAN_WARP_SCANS };
enum BlockLoadAlgorithm {
  BLOCK_LOAD_DIRECT,
  BLOCK_LOAD_STRIPED,
  BLOCK_LOAD_VECTORIZE,
  BLOCK_LOAD_TRANSPOSE,
  BLOCK_LOAD_WARP_TRANSPOSE,
  BLOCK_LOAD_WARP_TRANSPOSE_TIMESLICED
};
enum BlockStoreAlgorithm {
  BLOCK_STORE_DIRECT,
  BLOCK_STORE_STRIPED,
  BLOCK_STORE_VECTORIZE,
  BLOCK_STORE_TRANSPOSE,
  BLOCK_STORE_WARP_TRANSPOSE,
  BLOCK_STORE_WARP_TRANSPOSE_TIMESLICED
};

// One slot a thread in shared memory; thread 0 holds the result, in the order of the ranks.
template <typename T, int x, BlockReduceAlgorithm algorithm = BLOCK_REDUCE_WARP_REDUCTIONS,
          int y = 1, int z = 1, int arch = 0>
class BlockReduce {
public:
  struct TempStorage {
    T lp_slots[x * y * z];
  };
  __forceinline__ __device__ BlockReduce(TempStorage &storage) : storage_(storage) {}
  template <typename Op> __forceinline__ __device__ T Reduce(T value, Op op) {
    return Reduce(value, op, x * y * z);
  }
  template <typename Op> __forceinline__ __device__ T Reduce(T value, Op op, int valid) {
    int rank = RowMajorTid(x, y, z);
    storage_.lp_slots[rank] = value;
    __syncthreads();
    if (rank == 0)
      for (int i = 1; i < valid; ++i)
        value = op(value, storage_.lp_slots[i]);
    __syncthreads();
    return value;
  }
  template <int items, typename Op> __forceinline__ __device__ T Reduce(T (&values)[items], Op op) {
    T partial = values[0];
    for (int i = 1; i < items; ++i)
      partial = op(partial, values[i]);
    return Reduce(partial, op);
  }
  __forceinline__ __device__ T Sum(T value) { return Reduce(value, cub::Sum()); }
  __forceinline__ __device__ T Sum(T value, int valid) { return Reduce(value, cub::Sum(), valid); }
  template <int items> __forceinline__ __device__ T Sum(T (&values)[items]) {
    return Reduce(values, cub::Sum());
  }

private:
  TempStorage &storage_;
};

template <typename T, int x, BlockScanAlgorithm algorithm = BLOCK_SCAN_RAKING, int y = 1, int z = 1,
          int arch = 0>
class BlockScan {
public:
  struct TempStorage {
    T lp_slots[x * y * z];
  };
  __forceinline__ __device__ BlockScan(TempStorage &storage) : storage_(storage) {}
  template <typename Op>
  __forceinline__ __device__ void InclusiveScan(T value, T &result, Op op, T &total) {
    int rank = RowMajorTid(x, y, z);
    storage_.lp_slots[rank] = value;
    __syncthreads();
    T running = storage_.lp_slots[0];
    result = running;
    for (int i = 1; i < x * y * z; ++i) {
      running = op(running, storage_.lp_slots[i]);
      if (i == rank)
        result = running;
    }
    total = running;
    __syncthreads();
  }
  template <typename Op> __forceinline__ __device__ void InclusiveScan(T value, T &result, Op op) {
    T total;
    InclusiveScan(value, result, op, total);
  }
  __forceinline__ __device__ void InclusiveSum(T value, T &result) {
    InclusiveScan(value, result, cub::Sum());
  }
  __forceinline__ __device__ void InclusiveSum(T value, T &result, T &total) {
    InclusiveScan(value, result, cub::Sum(), total);
  }
  __forceinline__ __device__ void ExclusiveSum(T value, T &result) {
    T inclusive;
    InclusiveSum(value, inclusive);
    result = inclusive - value;
  }
  __forceinline__ __device__ void ExclusiveSum(T value, T &result, T &total) {
    T inclusive;
    InclusiveSum(value, inclusive, total);
    result = inclusive - value;
  }

private:
  TempStorage &storage_;
};

template <typename T, int x, int items, BlockLoadAlgorithm algorithm = BLOCK_LOAD_DIRECT, int y = 1,
          int z = 1, int arch = 0>
class BlockLoad {
public:
  struct TempStorage {
    T lp_unused;
  };
  __forceinline__ __device__ BlockLoad() {}
  __forceinline__ __device__ BlockLoad(TempStorage &) {}
  template <typename Iterator>
  __forceinline__ __device__ void Load(Iterator from, T (&values)[items]) {
    for (int i = 0; i < items; ++i)
      values[i] = from[RowMajorTid(x, y, z) * items + i];
  }
  template <typename Iterator>
  __forceinline__ __device__ void Load(Iterator from, T (&values)[items], int valid) {
    for (int i = 0; i < items; ++i)
      if (RowMajorTid(x, y, z) * items + i < valid)
        values[i] = from[RowMajorTid(x, y, z) * items + i];
  }
  template <typename Iterator, typename Default>
  __forceinline__ __device__ void Load(Iterator from, T (&values)[items], int valid,
                                       Default other) {
    for (int i = 0; i < items; ++i)
      values[i] = other;
    Load(from, values, valid);
  }
};
template <typename T, int x, int items, BlockStoreAlgorithm algorithm = BLOCK_STORE_DIRECT,
          int y = 1, int z = 1, int arch = 0>
class BlockStore {
public:
  struct TempStorage {
    T lp_unused;
  };
  __forceinline__ __device__ BlockStore() {}
  __forceinline__ __device__ BlockStore(TempStorage &) {}
  template <typename Iterator>
  __forceinline__ __device__ void Store(Iterator to, T (&values)[items]) {
    for (int i = 0; i < items; ++i)
      to[RowMajorTid(x, y, z) * items + i] = values[i];
  }
  template <typename Iterator>
  __forceinline__ __device__ void Store(Iterator to, T (&values)[items], int valid) {
    for (int i = 0; i < items; ++i)
      if (RowMajorTid(x, y, z) * items + i < valid)
        to[RowMajorTid(x, y, z) * items + i] = values[i];
  }
};
template <typename Key, int x, int items, typename Value = NullType> class BlockRadixSort {
public:
  struct TempStorage {
    Key lp_unused;
  };
  __device__ BlockRadixSort(TempStorage &);
  __device__ void Sort(Key (&keys)[items], int begin = 0, int end = sizeof(Key) * 8);
  __device__ void SortDescending(Key (&keys)[items], int begin = 0, int end = sizeof(Key) * 8);
  template <typename V>
  __device__ void Sort(Key (&keys)[items], V (&values)[items], int begin = 0,
                       int end = sizeof(Key) * 8);
  template <typename V>
  __device__ void SortDescending(Key (&keys)[items], V (&values)[items], int begin = 0,
                                 int end = sizeof(Key) * 8);
};

// Device-wide algorithms; each takes its temporary storage first.
struct DeviceReduce {
  template <typename In, typename Out>
  static cudaError_t Sum(void *storage, size_t &bytes, In in, Out out, int n,
                         cudaStream_t stream = 0);
  template <typename In, typename Out>
  static cudaError_t Max(void *storage, size_t &bytes, In in, Out out, int n,
                         cudaStream_t stream = 0);
  template <typename In, typename Out>
  static cudaError_t Min(void *storage, size_t &bytes, In in, Out out, int n,
                         cudaStream_t stream = 0);
  template <typename In, typename Out>
  static cudaError_t ArgMax(void *storage, size_t &bytes, In in, Out out, int n,
                            cudaStream_t stream = 0);
  template <typename In, typename Out, typename Op, typename T>
  static cudaError_t Reduce(void *storage, size_t &bytes, In in, Out out, int n, Op op, T initial,
                            cudaStream_t stream = 0);
};
struct DeviceSegmentedReduce {
  template <typename In, typename Out, typename Offsets>
  static cudaError_t Sum(void *storage, size_t &bytes, In in, Out out, int segments, Offsets begin,
                         Offsets end, cudaStream_t stream = 0);
};
struct DeviceScan {
  template <typename In, typename Out>
  static cudaError_t ExclusiveSum(void *storage, size_t &bytes, In in, Out out, int n,
                                  cudaStream_t stream = 0);
  template <typename In, typename Out>
  static cudaError_t InclusiveSum(void *storage, size_t &bytes, In in, Out out, int n,
                                  cudaStream_t stream = 0);
};
struct DeviceRadixSort {
  template <typename K, typename V>
  static cudaError_t SortPairs(void *storage, size_t &bytes, const K *keysIn, K *keysOut,
                               const V *valuesIn, V *valuesOut, int n, int begin = 0,
                               int end = sizeof(K) * 8, cudaStream_t stream = 0);
  template <typename K, typename V>
  static cudaError_t SortPairsDescending(void *storage, size_t &bytes, const K *keysIn, K *keysOut,
                                         const V *valuesIn, V *valuesOut, int n, int begin = 0,
                                         int end = sizeof(K) * 8, cudaStream_t stream = 0);
  template <typename K>
  static cudaError_t SortKeys(void *storage, size_t &bytes, const K *in, K *out, int n,
                              int begin = 0, int end = sizeof(K) * 8, cudaStream_t stream = 0);
};
struct DeviceSegmentedRadixSort {
  template <typename K, typename V, typename Offsets>
  static cudaError_t SortPairs(void *storage, size_t &bytes, const K *keysIn, K *keysOut,
                               const V *valuesIn, V *valuesOut, int n, int segments, Offsets begin,
                               Offsets end, int beginBit = 0, int endBit = sizeof(K) * 8,
                               cudaStream_t stream = 0);
  template <typename K, typename V, typename Offsets>
  static cudaError_t SortPairsDescending(void *storage, size_t &bytes, const K *keysIn, K *keysOut,
                                         const V *valuesIn, V *valuesOut, int n, int segments,
                                         Offsets begin, Offsets end, int beginBit = 0,
                                         int endBit = sizeof(K) * 8, cudaStream_t stream = 0);
};
struct DeviceSegmentedSort {
  template <typename K, typename V, typename Begin, typename End>
  static cudaError_t SortPairs(void *storage, size_t &bytes, const K *keysIn, K *keysOut,
                               const V *valuesIn, V *valuesOut, int n, int segments, Begin begin,
                               End end, cudaStream_t stream = 0);
  template <typename K, typename V, typename Begin, typename End>
  static cudaError_t SortPairsDescending(void *storage, size_t &bytes, const K *keysIn, K *keysOut,
                                         const V *valuesIn, V *valuesOut, int n, int segments,
                                         Begin begin, End end, cudaStream_t stream = 0);
};
struct DeviceSelect {
  template <typename In, typename Flags, typename Out, typename Count>
  static cudaError_t Flagged(void *storage, size_t &bytes, In in, Flags flags, Out out, Count count,
                             int n, cudaStream_t stream = 0);
};
struct DeviceHistogram {};

template <typename T> struct CountingInputIterator {
  T value;
  __host__ __device__ CountingInputIterator(T v) : value(v) {}
  __host__ __device__ T operator[](ptrdiff_t i) const { return value + (T)i; }
  __host__ __device__ T operator*() const { return value; }
  __host__ __device__ CountingInputIterator operator+(ptrdiff_t i) const { return value + (T)i; }
};
template <typename Value, typename Function, typename In> struct TransformInputIterator {
  In in;
  Function function;
  __host__ __device__ TransformInputIterator(In i, Function f) : in(i), function(f) {}
  __host__ __device__ Value operator[](ptrdiff_t i) const { return function(in[i]); }
};

} // namespace cub
