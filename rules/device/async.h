// Device runtime, part 5: cuda::pipeline, cuda::barrier and the __pipeline_ calls.
//
// Copies are done when they are issued, which CUDA allows, so a pipeline of one
// thread has nothing to wait for, and one of a block waits at a block barrier, as does
// a cuda::barrier.
// https://nvidia.github.io/cccl/libcudacxx/extended_api/synchronization_primitives.html

//# async_types:
enum thread_scope {
  thread_scope_system,
  thread_scope_device,
  thread_scope_block,
  thread_scope_thread
};
template <size_t alignment> struct aligned_size_t {
  size_t value;
  __host__ __device__ constexpr explicit aligned_size_t(size_t v) : value(v) {}
  __host__ __device__ constexpr operator size_t() const { return value; }
};

//# memcpy_async: async_types copy_async
template <class To, class From, class Size, class Sync>
__device__ __forceinline__ void memcpy_async(To *to, const From *from, Size bytes, Sync &) {
  copy_async(to, from, bytes, 0, 1);
}
template <class Group, class To, class From, class Size, class Sync>
__device__ __forceinline__ void memcpy_async(const Group &g, To *to, const From *from, Size bytes,
                                             Sync &) {
  copy_async(to, from, bytes, g.thread_rank(), g.size());
}

//# pipeline: async_types
template <thread_scope scope, unsigned char stages> struct pipeline_shared_state {};

// All threads of a block produce and consume: nobody reads a stage before all have
// filled it, nobody fills one before all have read it.
template <thread_scope scope> class pipeline {
public:
  __device__ __forceinline__ void producer_acquire() { meet(); }
  __device__ __forceinline__ void producer_commit() {}
  __device__ __forceinline__ void consumer_wait() { meet(); }
  __device__ __forceinline__ void consumer_release() {}
  __device__ __forceinline__ bool quit() { return true; }

private:
  static __device__ __forceinline__ void meet() {
    if (scope != thread_scope_thread)
      __syncthreads();
  }
};
template <unsigned n, thread_scope scope>
__device__ __forceinline__ void pipeline_consumer_wait_prior(pipeline<scope> &p) {
  p.consumer_wait();
}
__device__ __forceinline__ pipeline<thread_scope_thread> make_pipeline() { return {}; }
template <class Group, thread_scope scope, unsigned char stages>
__device__ __forceinline__ pipeline<scope>
make_pipeline(const Group &, pipeline_shared_state<scope, stages> *) {
  return {};
}

//# barrier: async_types
// All threads of the block come to every wait (a port where they might not is refused),
// so the barrier of the block waits for all arrivals: none need be counted.
struct nothing_to_complete {
  __device__ __forceinline__ void operator()() const {}
};
template <thread_scope scope, class Completion = nothing_to_complete> class barrier {
public:
  struct arrival_token {};
  barrier() = default;
  __device__ explicit barrier(int, Completion done = {}) : done_(done) {}
  friend __device__ __forceinline__ void init(barrier *, int) {}
  friend __device__ __forceinline__ void init(barrier *b, int, Completion done) { b->done_ = done; }
  __device__ __forceinline__ arrival_token arrive(int = 1) { return {}; }
  __device__ __forceinline__ void wait(arrival_token) const { meet(); }
  __device__ __forceinline__ void wait_parity(bool) const { meet(); }
  __device__ __forceinline__ void arrive_and_wait() { meet(); }
  __device__ __forceinline__ void arrive_and_drop() {}

private:
  // One thread completes a phase before any goes on.
  __device__ __forceinline__ void meet() const {
    __syncthreads();
    if (__is_same(Completion, nothing_to_complete))
      return;
    if (threadIdx.x + threadIdx.y + threadIdx.z == 0)
      Completion(done_)();
    __syncthreads();
  }
  Completion done_;
};

//# pipeline_memcpy_async: copy_async
// The last `zfill` of `bytes` become zero and are not read.
__device__ __forceinline__ void pipeline_memcpy_async(void *to, const void *from, size_t bytes,
                                                      size_t zfill = 0) {
  copy_async(to, from, bytes - zfill, 0, 1);
  for (size_t i = bytes - zfill; i < bytes; ++i)
    static_cast<char *>(to)[i] = 0;
}

//# pipeline_commit:
__device__ __forceinline__ void pipeline_commit() {}

//# pipeline_wait_prior:
// Copies are done when they are issued; other threads see them after the barrier
// that the source has here too.
__device__ __forceinline__ void pipeline_wait_prior(size_t) {}
