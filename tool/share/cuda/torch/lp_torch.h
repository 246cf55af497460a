// PyTorch, as a shell: what extension code around kernels names, without bodies. Kernels themselves
// use little of it (at::Half, data_ptr).  https://pytorch.org/cppdocs/
#pragma once
#include "../cuda_bf16.h"
#include "../cuda_fp16.h"
#include "../cuda_fp8.h"
#include "../cuda_runtime.h"
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <iostream>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <tuple>
#include <vector>

typedef struct _object PyObject;

namespace c10 {

enum class ScalarType : int8_t {
  Byte,
  Char,
  Short,
  Int,
  Long,
  Half,
  Float,
  Double,
  ComplexHalf,
  ComplexFloat,
  ComplexDouble,
  Bool,
  QInt8,
  QUInt8,
  QInt32,
  BFloat16,
  QUInt4x2,
  QUInt2x4,
  Bits1x8,
  Bits2x4,
  Bits4x2,
  Bits8,
  Bits16,
  Float8_e5m2,
  Float8_e4m3fn,
  Float8_e5m2fnuz,
  Float8_e4m3fnuz,
  UInt16,
  UInt32,
  UInt64,
  Undefined
};
enum class DeviceType : int8_t { CPU, CUDA };
enum class MemoryFormat : int8_t { Contiguous, Preserve, ChannelsLast };
enum class Layout : int8_t { Strided, Sparse };
typedef int8_t DeviceIndex;

struct alignas(2) Half {
  unsigned short x;
  Half() = default;
  __host__ __device__ Half(float f) : x(__half_as_ushort(__float2half(f))) {}
  __host__ __device__ Half(__half h) : x(__half_as_ushort(h)) {}
  __host__ __device__ operator float() const { return __half2float(__ushort_as_half(x)); }
  __host__ __device__ operator __half() const { return __ushort_as_half(x); }
};
struct alignas(2) BFloat16 {
  unsigned short x;
  BFloat16() = default;
  __host__ __device__ BFloat16(float f) : x(__bfloat16_as_ushort(__float2bfloat16(f))) {}
  __host__ __device__ BFloat16(__nv_bfloat16 h) : x(__bfloat16_as_ushort(h)) {}
  __host__ __device__ operator float() const { return __bfloat162float(__ushort_as_bfloat16(x)); }
  __host__ __device__ operator __nv_bfloat16() const { return __ushort_as_bfloat16(x); }
};
#define LP_ARITHMETIC_OP(T, op)                                                                    \
  inline __host__ __device__ T operator op(const T &a, const T &b) {                               \
    return float(a) op float(b);                                                                   \
  }                                                                                                \
  inline __host__ __device__ T &operator op## = (T & a, const T &b) { return a = a op b; }         \
  inline __host__ __device__ float operator op(const T &a, float b) { return float(a) op b; }      \
  inline __host__ __device__ float operator op(float a, const T &b) { return a op float(b); }      \
  inline __host__ __device__ float &operator op## = (float &a, const T &b) {                       \
    return a = a op float(b);                                                                      \
  }                                                                                                \
  inline __host__ __device__ double operator op(const T &a, double b) { return float(a) op b; }    \
  inline __host__ __device__ double operator op(double a, const T &b) { return a op float(b); }    \
  inline __host__ __device__ T operator op(const T &a, int b) { return float(a) op float(b); }     \
  inline __host__ __device__ T operator op(int a, const T &b) { return float(a) op float(b); }
#define LP_ARITHMETIC(T)                                                                           \
  LP_ARITHMETIC_OP(T, +)                                                                           \
  LP_ARITHMETIC_OP(T, -)                                                                           \
  LP_ARITHMETIC_OP(T, *)                                                                           \
  LP_ARITHMETIC_OP(T, /)                                                                           \
  inline __host__ __device__ T operator-(const T &a) { return -float(a); }
LP_ARITHMETIC(Half)
LP_ARITHMETIC(BFloat16)
#undef LP_ARITHMETIC
#undef LP_ARITHMETIC_OP
struct Float8_e4m3fn {
  uint8_t x;
};
struct Float8_e5m2 {
  uint8_t x;
};

class Device {
public:
  Device(DeviceType type, DeviceIndex index = -1);
  Device(const std::string &name);
  DeviceIndex index() const;
  DeviceType type() const;
  bool is_cuda() const;
  bool operator==(const Device &other) const;
  bool operator!=(const Device &other) const;
};

template <typename T> class ArrayRef {
public:
  ArrayRef();
  ArrayRef(const T &value);
  ArrayRef(std::initializer_list<T> values);
  ArrayRef(const std::vector<T> &values);
  const T &operator[](size_t i) const;
  size_t size() const;
  const T *begin() const;
  const T *end() const;
  std::vector<T> vec() const;
};
typedef ArrayRef<int64_t> IntArrayRef;
template <typename T> using optional = std::optional<T>;
using std::nullopt;
class SymInt;

class Scalar {
public:
  Scalar();
  Scalar(double value);
  template <typename T> T to() const;
  float toFloat() const;
  double toDouble() const;
};

} // namespace c10

namespace caffe2 {
class TypeMeta {
public:
  bool operator==(c10::ScalarType type) const;
  bool operator!=(c10::ScalarType type) const;
  bool operator==(const TypeMeta &other) const;
  bool operator!=(const TypeMeta &other) const;
  size_t itemsize() const;
  std::string name() const;
  c10::ScalarType toScalarType() const;
  operator c10::ScalarType() const;
};
} // namespace caffe2

namespace c10 {

class TensorOptions {
public:
  TensorOptions();
  TensorOptions(ScalarType type);
  TensorOptions(Device device);
  TensorOptions dtype(ScalarType type) const;
  TensorOptions dtype(caffe2::TypeMeta type) const;
  caffe2::TypeMeta dtype() const;
  Device device() const;
  TensorOptions device(Device device) const;
  TensorOptions device(DeviceType type, DeviceIndex index = -1) const;
  TensorOptions device(const std::string &name) const;
  TensorOptions layout(Layout layout) const;
  TensorOptions requires_grad(bool flag) const;
  TensorOptions memory_format(MemoryFormat format) const;
};
std::ostream &operator<<(std::ostream &out, const TensorOptions &options);

const char *toString(ScalarType type);
std::ostream &operator<<(std::ostream &out, ScalarType type);
std::ostream &operator<<(std::ostream &out, const Device &device);

} // namespace c10

namespace at {

using c10::ArrayRef;
using c10::BFloat16;
using c10::Device;
using c10::DeviceIndex;
using c10::DeviceType;
using c10::Half;
using c10::IntArrayRef;
using c10::MemoryFormat;
using c10::optional;
using c10::Scalar;
using c10::ScalarType;
using c10::TensorOptions;

inline constexpr ScalarType kByte = ScalarType::Byte, kChar = ScalarType::Char,
                            kShort = ScalarType::Short, kInt = ScalarType::Int,
                            kLong = ScalarType::Long, kHalf = ScalarType::Half,
                            kFloat = ScalarType::Float, kDouble = ScalarType::Double,
                            kBool = ScalarType::Bool, kBFloat16 = ScalarType::BFloat16,
                            kFloat8_e4m3fn = ScalarType::Float8_e4m3fn,
                            kFloat8_e5m2 = ScalarType::Float8_e5m2, kUInt8 = ScalarType::Byte,
                            kInt8 = ScalarType::Char, kInt16 = ScalarType::Short,
                            kInt32 = ScalarType::Int, kInt64 = ScalarType::Long,
                            kFloat16 = ScalarType::Half, kFloat32 = ScalarType::Float,
                            kFloat64 = ScalarType::Double;
inline constexpr DeviceType kCUDA = DeviceType::CUDA, kCPU = DeviceType::CPU;

// Strides and sizes for kernels that index tensors themselves.
struct DefaultPtrTraits {};
struct RestrictPtrTraits {};
template <typename T> struct DefaultPtrTraitsOf {
  typedef T *PtrType;
};
template <typename T, size_t n, typename Traits = DefaultPtrTraits, typename Index = int64_t>
class PackedTensorAccessor;
template <typename T, size_t n, typename Traits, typename Index> struct LpAccessorOf {
  typedef PackedTensorAccessor<T, n, Traits, Index> type;
};
template <typename T, typename Traits, typename Index> struct LpAccessorOf<T, 0, Traits, Index> {
  typedef T &type;
};
template <typename T, size_t n, typename Traits, typename Index> class PackedTensorAccessor {
public:
  __host__ __device__ PackedTensorAccessor(T *data, const Index *sizes, const Index *strides)
      : data_(data) {
    for (size_t i = 0; i < n; ++i) {
      sizes_[i] = sizes[i];
      strides_[i] = strides[i];
    }
  }
  __host__ __device__ T *data() const { return data_; }
  __host__ __device__ Index size(Index i) const { return sizes_[i]; }
  __host__ __device__ Index stride(Index i) const { return strides_[i]; }
  __host__ __device__ typename LpAccessorOf<T, n - 1, Traits, Index>::type
  operator[](Index i) const {
    if constexpr (n == 1)
      return data_[i * strides_[0]];
    else
      return PackedTensorAccessor<T, n - 1, Traits, Index>(data_ + i * strides_[0], sizes_ + 1,
                                                           strides_ + 1);
  }

private:
  T *data_;
  Index sizes_[n], strides_[n];
};

class Tensor {
public:
  Tensor();
  void *data_ptr() const;
  template <typename T> T *data_ptr() const;
  template <typename T> const T *const_data_ptr() const;
  template <typename T> T *mutable_data_ptr() const;
  void *mutable_data_ptr() const;
  const void *const_data_ptr() const;
  template <typename T> T *data() const;
  Tensor data() const;
  int64_t size(int64_t dim) const;
  IntArrayRef sizes() const;
  int64_t stride(int64_t dim) const;
  IntArrayRef strides() const;
  int64_t dim() const;
  int64_t ndimension() const;
  int64_t numel() const;
  size_t nbytes() const;
  size_t element_size() const;
  int64_t storage_offset() const;
  ScalarType scalar_type() const;
  caffe2::TypeMeta dtype() const;
  Device device() const;
  DeviceIndex get_device() const;
  TensorOptions options() const;
  bool is_cuda() const;
  bool is_contiguous(MemoryFormat format = MemoryFormat::Contiguous) const;
  bool defined() const;
  bool is_cpu() const;
  Tensor contiguous(MemoryFormat format = MemoryFormat::Contiguous) const;
  Tensor view(IntArrayRef sizes) const;
  Tensor reshape(IntArrayRef sizes) const;
  Tensor flatten(int64_t first = 0, int64_t last = -1) const;
  Tensor transpose(int64_t a, int64_t b) const;
  Tensor permute(IntArrayRef dims) const;
  Tensor t() const;
  Tensor to(ScalarType type) const;
  Tensor to(Device device) const;
  Tensor to(TensorOptions options) const;
  Tensor cuda() const;
  Tensor cpu() const;
  Tensor clone() const;
  Tensor detach() const;
  Tensor squeeze(int64_t dim) const;
  Tensor unsqueeze(int64_t dim) const;
  Tensor slice(int64_t dim, int64_t begin, int64_t end, int64_t step = 1) const;
  Tensor select(int64_t dim, int64_t index) const;
  Tensor sum() const;
  Tensor sum(IntArrayRef dims, bool keep = false) const;
  Tensor operator[](int64_t i) const;
  Tensor &zero_();
  Tensor &fill_(Scalar value);
  Tensor &copy_(const Tensor &other, bool async = false);
  Tensor &resize_(IntArrayRef sizes);
  template <typename T> T item() const;
  template <typename T, size_t n, typename Traits = DefaultPtrTraits>
  PackedTensorAccessor<T, n, Traits, int32_t> packed_accessor32() const;
  template <typename T, size_t n, typename Traits = DefaultPtrTraits>
  PackedTensorAccessor<T, n, Traits, int64_t> packed_accessor64() const;
  template <typename T, size_t n> PackedTensorAccessor<T, n> accessor() const;
};
Tensor operator+(const Tensor &a, const Tensor &b);
Tensor operator-(const Tensor &a, const Tensor &b);
Tensor operator*(const Tensor &a, const Tensor &b);
Tensor operator/(const Tensor &a, const Tensor &b);

Tensor empty(IntArrayRef sizes, TensorOptions options = {});
Tensor zeros(IntArrayRef sizes, TensorOptions options = {});
Tensor ones(IntArrayRef sizes, TensorOptions options = {});
Tensor full(IntArrayRef sizes, Scalar value, TensorOptions options = {});
Tensor randn(IntArrayRef sizes, TensorOptions options = {});
Tensor empty_like(const Tensor &other, TensorOptions options = {});
Tensor zeros_like(const Tensor &other, TensorOptions options = {});
Tensor ones_like(const Tensor &other, TensorOptions options = {});
Tensor from_blob(void *data, IntArrayRef sizes, TensorOptions options = {});
Tensor matmul(const Tensor &a, const Tensor &b);
Tensor cat(ArrayRef<Tensor> tensors, int64_t dim = 0);

namespace indexing {
struct Slice {};
} // namespace indexing

namespace cuda {

class CUDAStream {
public:
  operator cudaStream_t() const;
  cudaStream_t stream() const;
  void synchronize() const;
  DeviceIndex device_index() const;
};
CUDAStream getCurrentCUDAStream(DeviceIndex device = -1);
CUDAStream getDefaultCUDAStream(DeviceIndex device = -1);
CUDAStream getStreamFromPool(bool high = false, DeviceIndex device = -1);
cudaDeviceProp *getCurrentDeviceProperties();
cudaDeviceProp *getDeviceProperties(DeviceIndex device);
class CUDAGuard {
public:
  explicit CUDAGuard(Device device);
  explicit CUDAGuard(DeviceIndex device);
};
class OptionalCUDAGuard {
public:
  OptionalCUDAGuard();
  explicit OptionalCUDAGuard(std::optional<Device> device);
};
class CUDAStreamGuard {
public:
  explicit CUDAStreamGuard(CUDAStream stream);
};

} // namespace cuda

std::optional<Device> device_of(const Tensor &tensor);
std::ostream &operator<<(std::ostream &out, const Tensor &tensor);

} // namespace at

namespace c10 {
namespace cuda {
using at::cuda::CUDAGuard;
using at::cuda::CUDAStream;
using at::cuda::CUDAStreamGuard;
using at::cuda::getCurrentCUDAStream;
using at::cuda::getDefaultCUDAStream;
using at::cuda::getStreamFromPool;
using at::cuda::OptionalCUDAGuard;
DeviceIndex current_device();
void set_device(DeviceIndex device);
} // namespace cuda
template <typename T> class OptionalRef;
} // namespace c10

static inline __device__ c10::Half __ldg(const c10::Half *p) { return *p; }
static inline __device__ c10::BFloat16 __ldg(const c10::BFloat16 *p) { return *p; }

namespace torch {

using namespace at;
using at::Tensor;
using c10::optional;
using Dtype = c10::ScalarType;
template <typename T, size_t n, typename Traits = at::DefaultPtrTraits>
using PackedTensorAccessor32 = at::PackedTensorAccessor<T, n, Traits, int32_t>;
template <typename T, size_t n, typename Traits = at::DefaultPtrTraits>
using PackedTensorAccessor64 = at::PackedTensorAccessor<T, n, Traits, int64_t>;

inline at::TensorOptions dtype(c10::ScalarType type) { return at::TensorOptions(type); }
inline at::TensorOptions device(c10::Device device) { return at::TensorOptions(device); }

class Library {
public:
  template <typename F> Library &def(const char *schema, F &&f);
  Library &def(const char *schema);
  template <typename F> Library &impl(const char *name, F &&f);
  template <typename F> Library &impl(const char *name, c10::DeviceType key, F &&f);
};

} // namespace torch

namespace pybind11 {
class module_ {
public:
  template <typename F, typename... Extra>
  module_ &def(const char *name, F &&f, const Extra &...extra);
  module_ &doc();
  const char *operator=(const char *text);
};
typedef module_ module;
class arg {
public:
  constexpr explicit arg(const char *name) {}
  template <typename T> arg &operator=(const T &value);
};
} // namespace pybind11
namespace py = pybind11;

#define TORCH_EXTENSION_NAME lp_extension
#define PYBIND11_MODULE(name, variable)                                                            \
  [[maybe_unused]] static void lp_pybind_##name(py::module_ &variable)
#define TORCH_LIBRARY(name, variable)                                                              \
  [[maybe_unused]] static void lp_library_##name(torch::Library &variable)
#define TORCH_LIBRARY_IMPL(name, key, variable)                                                    \
  [[maybe_unused]] static void lp_library_##name##_##key(torch::Library &variable)
#define TORCH_LIBRARY_FRAGMENT(name, variable)                                                     \
  [[maybe_unused]] static void lp_fragment_##name(torch::Library &variable)
#define TORCH_CHECK(condition, ...) ((condition) ? (void)0 : __builtin_trap())
#define TORCH_CHECK_NOT_IMPLEMENTED TORCH_CHECK
#define TORCH_CHECK_EQ(a, b) TORCH_CHECK((a) == (b))
#define TORCH_INTERNAL_ASSERT TORCH_CHECK
#define AT_ASSERT TORCH_CHECK
#define AT_ASSERTM TORCH_CHECK
#define AT_ERROR(...) __builtin_trap()
#define TORCH_WARN(...) (void)0
#define AT_CUDA_CHECK(e) (void)(e)
#define C10_CUDA_CHECK(e) (void)(e)
#define TORCH_CUDABLAS_CHECK(e) (void)(e)
#define C10_CUDA_KERNEL_LAUNCH_CHECK() (void)cudaGetLastError()
#define C10_HOST_DEVICE __host__ __device__
#define C10_DEVICE __device__
#define C10_HOST __host__
#define C10_LAUNCH_BOUNDS_1(n) __launch_bounds__(n)
#define C10_LAUNCH_BOUNDS_2(n, m) __launch_bounds__(n, m)
#define CUDA_KERNEL_LOOP(i, n)                                                                     \
  for (int64_t i = blockIdx.x * blockDim.x + threadIdx.x; i < (n); i += blockDim.x * gridDim.x)

// Dispatch by element type: the body is parsed once for each type of the family.
#define AT_DISPATCH_CASE(TYPE_, ...)                                                               \
  case TYPE_: {                                                                                    \
    using scalar_t [[maybe_unused]] = typename at::LpTypeOf<TYPE_>::type;                          \
    __VA_ARGS__();                                                                                 \
    break;                                                                                         \
  }
#define AT_DISPATCH_SWITCH(TYPE_, name, ...)                                                       \
  [&] {                                                                                            \
    switch (TYPE_) {                                                                               \
      __VA_ARGS__                                                                                  \
    default:                                                                                       \
      break;                                                                                       \
    }                                                                                              \
  }()
#define AT_DISPATCH_CASE_FLOATING_TYPES(...)                                                       \
  AT_DISPATCH_CASE(at::ScalarType::Double, __VA_ARGS__)                                            \
  AT_DISPATCH_CASE(at::ScalarType::Float, __VA_ARGS__)
#define AT_DISPATCH_FLOATING_TYPES(TYPE_, name, ...)                                               \
  AT_DISPATCH_SWITCH(TYPE_, name, AT_DISPATCH_CASE_FLOATING_TYPES(__VA_ARGS__))
#define AT_DISPATCH_FLOATING_TYPES_AND_HALF(TYPE_, name, ...)                                      \
  AT_DISPATCH_SWITCH(TYPE_, name,                                                                  \
                     AT_DISPATCH_CASE_FLOATING_TYPES(__VA_ARGS__)                                  \
                         AT_DISPATCH_CASE(at::ScalarType::Half, __VA_ARGS__))
#define AT_DISPATCH_FLOATING_TYPES_AND(extra, TYPE_, name, ...)                                    \
  AT_DISPATCH_SWITCH(TYPE_, name,                                                                  \
                     AT_DISPATCH_CASE_FLOATING_TYPES(__VA_ARGS__)                                  \
                         AT_DISPATCH_CASE(extra, __VA_ARGS__))
#define AT_DISPATCH_FLOATING_TYPES_AND2(extra1, extra2, TYPE_, name, ...)                          \
  AT_DISPATCH_SWITCH(TYPE_, name,                                                                  \
                     AT_DISPATCH_CASE_FLOATING_TYPES(__VA_ARGS__)                                  \
                         AT_DISPATCH_CASE(extra1, __VA_ARGS__)                                     \
                             AT_DISPATCH_CASE(extra2, __VA_ARGS__))
#define AT_DISPATCH_REDUCED_FLOATING_TYPES(TYPE_, name, ...)                                       \
  AT_DISPATCH_SWITCH(TYPE_, name,                                                                  \
                     AT_DISPATCH_CASE(at::ScalarType::Half, __VA_ARGS__)                           \
                         AT_DISPATCH_CASE(at::ScalarType::BFloat16, __VA_ARGS__))
#define AT_DISPATCH_INTEGRAL_TYPES(TYPE_, name, ...)                                               \
  AT_DISPATCH_SWITCH(TYPE_, name,                                                                  \
                     AT_DISPATCH_CASE(at::ScalarType::Int, __VA_ARGS__)                            \
                         AT_DISPATCH_CASE(at::ScalarType::Long, __VA_ARGS__))
#define AT_PRIVATE_CASE_TYPE_USING_HINT(TYPE_, hint, ...) AT_DISPATCH_CASE(TYPE_, __VA_ARGS__)

namespace at {
template <c10::ScalarType> struct LpTypeOf;
#define LP_TYPE(name, T)                                                                           \
  template <> struct LpTypeOf<c10::ScalarType::name> {                                             \
    typedef T type;                                                                                \
  };
LP_TYPE(Byte, uint8_t)
LP_TYPE(Char, int8_t)
LP_TYPE(Short, int16_t)
LP_TYPE(Int, int32_t)
LP_TYPE(Long, int64_t)
LP_TYPE(Half, c10::Half)
LP_TYPE(Float, float)
LP_TYPE(Double, double)
LP_TYPE(Bool, bool)
LP_TYPE(BFloat16, c10::BFloat16)
LP_TYPE(Float8_e4m3fn, c10::Float8_e4m3fn)
LP_TYPE(Float8_e5m2, c10::Float8_e5m2)
#undef LP_TYPE
} // namespace at
