// What stands behind cuda:: is counted: the standard library and thrust's policies have names in HIP, the
// rest is a person's.
// RUN: not %layout-port %s -o %t.hip 2>%t.err
// RUN: %ported %t.hip | FileCheck %s
// RUN: FileCheck %s --check-prefix=REPORT < %t.err
// CHECK: #include <type_traits>
#include <cuda/std/type_traits>
#include <cuda/std/limits>
template <class T> __device__ bool isFloat(T x) {
  // CHECK: return std::is_same_v<T, float> && x < std::numeric_limits<float>::max();
  return cuda::std::is_same_v<T, float> && x < cuda::std::numeric_limits<float>::max();
}
__global__ void count(int *p, float x) {
  // REPORT: [[#@LINE+1]]:3: manual: cuda::atomic_ref: 'cuda::atomic_ref' is CUDA's and no rule ports it yet
  cuda::atomic_ref<int, cuda::thread_scope_device> counter(*p);
  // REPORT: [[#@LINE+1]]:{{[0-9]+}}: manual: cuda::std: 'cuda::std' is CUDA's and no rule ports it yet
  __shared__ cuda::std::atomic<int> own;
  // REPORT: [[#@LINE+1]]:{{[0-9]+}}: manual: cuda::latch: 'cuda::latch' is CUDA's and no rule ports it yet
  __shared__ cuda::latch done;
  p[1] = isFloat(x);
}
#define EXEC(s) thrust::cuda::par.on(s)
// CHECK: #define EXEC(s) thrust::hip::par.on(s)
// REPORT: compiled: gfx942 yes host yes (but for
