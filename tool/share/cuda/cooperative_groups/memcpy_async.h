// cg::memcpy_async and its waits, over cp.async.
#pragma once
#include "../cooperative_groups.h"
#include "../cuda/pipeline"

namespace cooperative_groups {
inline namespace __v1 {

// `count` in bytes.
template <typename Group, typename To, typename From, typename Size>
static __forceinline__ __device__ void memcpy_async(const Group &g, To *to, const From *from,
                                                    Size count) {
  cuda::pipeline<cuda::thread_scope_thread> p;
  cuda::memcpy_async(g, (char *)to, (const char *)from, (size_t)count, p);
  __pipeline_commit();
}
template <typename Group> static __forceinline__ __device__ void wait(const Group &g) {
  __pipeline_wait_prior(0);
  g.sync();
}
template <unsigned int n, typename Group>
static __forceinline__ __device__ void wait_prior(const Group &g) {
  __pipeline_wait_prior(n);
  g.sync();
}

} // namespace __v1
} // namespace cooperative_groups
