// threadIdx, blockIdx, blockDim, gridDim, warpSize: reads of a field become calls of builtins.
#pragma once

#define LP_FIELD(field, value)                                                                     \
  __declspec(property(get = __lp_get_##field)) unsigned int field;                                 \
  static __forceinline__ __device__ unsigned int __lp_get_##field() { return value; }
#define LP_VARIABLE(name, vx, vy, vz)                                                              \
  struct __lp_##name##_t {                                                                         \
    LP_FIELD(x, vx)                                                                                \
    LP_FIELD(y, vy)                                                                                \
    LP_FIELD(z, vz)                                                                                \
    __forceinline__ __device__ operator dim3() const { return dim3(x, y, z); }                     \
    __forceinline__ __device__ operator uint3() const { return uint3(x, y, z); }                   \
  };                                                                                               \
  extern const __device__ __attribute__((weak)) __lp_##name##_t name;

// The number of blocks stands at the head of the implicit kernel arguments:
// https://llvm.org/docs/AMDGPUUsage.html#code-object-v5-metadata (hidden_block_count_x, ...).
#define LP_BLOCK_COUNT(i)                                                                          \
  (((__attribute__((address_space(4))) const unsigned int *)__builtin_amdgcn_implicitarg_ptr())[i])

LP_VARIABLE(threadIdx, __builtin_amdgcn_workitem_id_x(), __builtin_amdgcn_workitem_id_y(),
            __builtin_amdgcn_workitem_id_z())
LP_VARIABLE(blockIdx, __builtin_amdgcn_workgroup_id_x(), __builtin_amdgcn_workgroup_id_y(),
            __builtin_amdgcn_workgroup_id_z())
LP_VARIABLE(blockDim, __builtin_amdgcn_workgroup_size_x(), __builtin_amdgcn_workgroup_size_y(),
            __builtin_amdgcn_workgroup_size_z())
LP_VARIABLE(gridDim, LP_BLOCK_COUNT(0), LP_BLOCK_COUNT(1), LP_BLOCK_COUNT(2))
#undef LP_FIELD
#undef LP_VARIABLE

// 64 on CDNA, and no constant expression, as in current ROCm.
struct __lp_warpSize_t {
  __forceinline__ __host__ __device__ operator int() const {
#ifdef __HIP_DEVICE_COMPILE__
    return __builtin_amdgcn_wavefrontsize();
#else
    return 64;
#endif
  }
};
static constexpr __lp_warpSize_t warpSize{};

#define hipThreadIdx_x threadIdx.x
#define hipThreadIdx_y threadIdx.y
#define hipThreadIdx_z threadIdx.z
#define hipBlockIdx_x blockIdx.x
#define hipBlockIdx_y blockIdx.y
#define hipBlockIdx_z blockIdx.z
#define hipBlockDim_x blockDim.x
#define hipBlockDim_y blockDim.y
#define hipBlockDim_z blockDim.z
#define hipGridDim_x gridDim.x
#define hipGridDim_y gridDim.y
#define hipGridDim_z gridDim.z
