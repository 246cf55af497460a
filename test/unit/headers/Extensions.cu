// A PyTorch extension as projects write them, CUB collectives, Thrust around a kernel.
#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAGuard.h>
#include <cub/cub.cuh>
#include <nvtx3/nvToolsExt.h>
#include <thrust/device_vector.h>
#include <torch/extension.h>

template <typename T, int threads> __global__ void rowSums(const T *in, float *out, int columns) {
  using Reduce = cub::BlockReduce<float, threads>;
  __shared__ typename Reduce::TempStorage storage;
  float sum = 0;
  for (int i = threadIdx.x; i < columns; i += threads)
    sum += (float)in[blockIdx.x * columns + i];
  sum = Reduce(storage).Sum(sum);
  if (threadIdx.x == 0)
    out[blockIdx.x] = sum;
}

torch::Tensor sumRows(torch::Tensor in) {
  TORCH_CHECK(in.is_cuda() && in.is_contiguous(), "expected a contiguous CUDA tensor");
  TORCH_CHECK(!in.device().is_meta(), "checks are statements: this one has no semicolon")
  const at::cuda::OptionalCUDAGuard guard(device_of(in));
  auto out = torch::empty({in.size(0)}, in.options().dtype(torch::kFloat32));
  cudaStream_t stream = at::cuda::getCurrentCUDAStream();
  AT_DISPATCH_FLOATING_TYPES_AND_HALF(in.scalar_type(), "rowSums", [&] {
    rowSums<scalar_t, 128><<<in.size(0), 128, 0, stream>>>(in.data_ptr<scalar_t>(),
                                                           out.data_ptr<float>(), in.size(1));
  });
  const torch::Tensor half = out.narrow(0, 0, 1).slice(0, 1);
  half.add_(out).mul_(0.5);
  at::acc_type<at::Half, true> total = at::elementSize(half.type());
  total += half.is_contiguous(at::MemoryFormat::ChannelsLast3d);
  py::list names;
  names.append(py::module_::import("os").attr("name"));
  std::map<int, float> tuned;
  thrust::device_vector<float> copy(16);
  nvtxRangePushA("rows");
  nvtxRangePop();
  return out;
}

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("row_sums", &sumRows, "sums of rows"); }
