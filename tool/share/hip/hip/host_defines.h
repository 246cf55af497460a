// HIP's function and variable qualifiers, spelled with the attributes that Clang gives them.
#pragma once

#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __managed__ __attribute__((managed))
#define __forceinline__ inline __attribute__((always_inline))
#define __align__(n) __attribute__((aligned(n)))

// The second number counts waves per SIMD, unlike CUDA's blocks per multiprocessor.
#define __lp_launch_bounds_1(threads) __attribute__((amdgpu_flat_work_group_size(1, threads)))
#define __lp_launch_bounds_2(threads, waves)                                                       \
  __attribute__((amdgpu_flat_work_group_size(1, threads), amdgpu_waves_per_eu(waves)))
#define __lp_launch_bounds_pick(a, b, chosen, ...) chosen
#define __launch_bounds__(...)                                                                     \
  __lp_launch_bounds_pick(__VA_ARGS__, __lp_launch_bounds_2, __lp_launch_bounds_1, )(__VA_ARGS__)

#ifndef __HIP_PLATFORM_AMD__
#define __HIP_PLATFORM_AMD__ 1
#endif
#ifndef __HIPCC__
#define __HIPCC__ 1
#endif
