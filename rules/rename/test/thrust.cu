// Thrust is rocThrust under the same names, but for the system's namespace and headers; CUB's headers
// are all of hipCUB's one. What neither has is a person's.
// RUN: %layout-port %s --target gfx90a,gfx942,gfx950 -o %t.hip 2>&1 | FileCheck %s --check-prefix=REPORT
// RUN: %ported %t.hip | FileCheck %s
// REPORT-NOT: {{manual|not found|while parsing}}
// REPORT: compiled: gfx90a yes gfx942 yes gfx950 yes host yes
// CHECK: #include <hipcub/hipcub.hpp>
// CHECK: #include <hipcub/hipcub.hpp>
#include <cub/block/block_reduce.cuh>
#include <cub/device/device_select.cuh>
#include <thrust/binary_search.h>
#include <thrust/count.h>
#include <thrust/device_vector.h>
#include <thrust/host_vector.h>
#include <thrust/inner_product.h>
#include <thrust/iterator/transform_iterator.h>
#include <thrust/iterator/zip_iterator.h>
#include <thrust/random.h>
#include <thrust/sort.h>
#include <thrust/transform_reduce.h>
#include <thrust/unique.h>
// CHECK: #include <thrust/system/hip/execution_policy.h>
#include <thrust/system/cuda/execution_policy.h>

struct Square {
  __host__ __device__ float operator()(float x) const { return x * x; }
};
__global__ void scale(float *x) {
  typedef cub::BlockReduce<float, 128> Reduce;
  __shared__ Reduce::TempStorage storage;
  const float sum = Reduce(storage).Sum(x[threadIdx.x]);
  thrust::default_random_engine engine(threadIdx.x);
  thrust::uniform_real_distribution<float> noise(0, 1);
  x[threadIdx.x] = sum + noise(engine);
}
float norm(cudaStream_t stream, const std::vector<float> &values) {
  thrust::device_vector<float> x(values.begin(), values.end()), y(x.size(), 1.0f);
  thrust::device_vector<int> keys(x.size());
  // CHECK: thrust::sequence(thrust::hip::par.on(stream), keys.begin(), keys.end());
  thrust::sequence(thrust::cuda::par.on(stream), keys.begin(), keys.end());
  scale<<<1, 128, 0, stream>>>(thrust::raw_pointer_cast(x.data()));
  thrust::sort_by_key(thrust::device, x.begin(), x.end(), keys.begin(), thrust::greater<float>());
  const auto last = thrust::unique(x.begin(), x.end());
  const auto squares = thrust::make_transform_iterator(x.begin(), Square());
  const auto pairs = thrust::make_zip_iterator(thrust::make_tuple(x.begin(), y.begin()));
  const float first = thrust::get<0>(*pairs) + *squares;
  const float dot = thrust::inner_product(x.begin(), last, y.begin(), 0.0f);
  const float sum = thrust::transform_reduce(x.begin(), x.end(), Square(), 0.0f, thrust::plus<float>());
  const ptrdiff_t ones = thrust::count(y.begin(), y.end(), 1.0f);
  const auto place = thrust::lower_bound(thrust::device, x.begin(), x.end(), 0.5f);
  thrust::host_vector<float> back = x;
  void *storage = nullptr;
  size_t bytes = 0;
  // CHECK: hipcub::DeviceSelect::If(storage, bytes, x.begin(), y.begin(), keys.begin(), 128, Square(), stream);
  cub::DeviceSelect::If(storage, bytes, x.begin(), y.begin(), keys.begin(), 128, Square(), stream);
  return first + dot + sum + ones + (place - x.begin()) + back[0];
}
