// nvcuda::experimental::pipeline: the C++ face of the pipeline primitives.
#pragma once
#include "cuda_pipeline_primitives.h"

namespace nvcuda {
namespace experimental {

class pipeline {
public:
  __device__ pipeline() = default;
  pipeline(const pipeline &) = delete;
  pipeline &operator=(const pipeline &) = delete;
  __forceinline__ __device__ size_t commit() {
    __pipeline_commit();
    return batch_++;
  }
  __forceinline__ __device__ void commit_and_wait() {
    commit();
    __pipeline_wait_prior(0);
  }
  __forceinline__ __device__ void wait(size_t batch) { __pipeline_wait_prior(batch_ - batch - 1); }
  template <unsigned int n> __forceinline__ __device__ void wait_prior() {
    __pipeline_wait_prior(n);
  }

private:
  size_t batch_ = 0;
};

template <typename T>
__forceinline__ __device__ void memcpy_async(T &to, const T &from, pipeline &) {
  __pipeline_memcpy_async(&to, &from, sizeof(T));
}

} // namespace experimental
} // namespace nvcuda
