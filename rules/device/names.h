// The device runtime, continued: functions of CUDA that HIP lacks, each under CUDA's
// name without its leading underscores. A chunk here is found by its name: the row in
// rules/rename says DeviceRuntime, and the call becomes lp::name. No rule is needed.

//# ldca:
// A load with a cache hint; the hint says nothing about the value.
template <class T> __device__ __forceinline__ T ldca(const T *p) { return *p; }

//# ldcg:
// A load with a cache hint; the hint says nothing about the value.
template <class T> __device__ __forceinline__ T ldcg(const T *p) { return *p; }

//# ldcs:
// A load with a cache hint; the hint says nothing about the value.
template <class T> __device__ __forceinline__ T ldcs(const T *p) { return *p; }

//# ldlu:
// A load with a cache hint; the hint says nothing about the value.
template <class T> __device__ __forceinline__ T ldlu(const T *p) { return *p; }

//# stcg:
// A store with a cache hint; the hint says nothing about the value.
template <class T> __device__ __forceinline__ void stcg(T *p, T v) { *p = v; }

//# stcs:
// A store with a cache hint; the hint says nothing about the value.
template <class T> __device__ __forceinline__ void stcs(T *p, T v) { *p = v; }

//# stwb:
// A store with a cache hint; the hint says nothing about the value.
template <class T> __device__ __forceinline__ void stwb(T *p, T v) { *p = v; }

//# stwt:
// A store with a cache hint; the hint says nothing about the value.
template <class T> __device__ __forceinline__ void stwt(T *p, T v) { *p = v; }

//# dp4a: bits
// c plus the sum of the products of four signed or unsigned bytes.
__device__ __forceinline__ int dp4a(int a, int b, int c) {
  for (int i = 0; i < 32; i += 8)
    c += (signed char)(a >> i) * (signed char)(b >> i);
  return c;
}
__device__ __forceinline__ unsigned dp4a(unsigned a, unsigned b, unsigned c) {
  for (int i = 0; i < 32; i += 8)
    c += (a >> i & 0xff) * (b >> i & 0xff);
  return c;
}
__device__ __forceinline__ int dp4a(char4 a, char4 b, int c) {
  return dp4a(bits<int>(a), bits<int>(b), c);
}
__device__ __forceinline__ unsigned dp4a(uchar4 a, uchar4 b, unsigned c) {
  return dp4a(bits<unsigned>(a), bits<unsigned>(b), c);
}

//# isShared:
__device__ __forceinline__ unsigned isShared(const void *p) {
  return __builtin_amdgcn_is_shared((const __attribute__((address_space(0))) void *)p);
}

//# isLocal:
__device__ __forceinline__ unsigned isLocal(const void *p) {
  return __builtin_amdgcn_is_private((const __attribute__((address_space(0))) void *)p);
}

//# isGlobal: isShared isLocal
__device__ __forceinline__ unsigned isGlobal(const void *p) { return !isShared(p) && !isLocal(p); }

//# float2bfloat162_rn:
__device__ __forceinline__ __hip_bfloat162 float2bfloat162_rn(float x) {
  return {__float2bfloat16(x), __float2bfloat16(x)};
}

//# floats2bfloat162_rn:
__device__ __forceinline__ __hip_bfloat162 floats2bfloat162_rn(float x, float y) {
  return {__float2bfloat16(x), __float2bfloat16(y)};
}

//# make_bfloat162:
__device__ __forceinline__ __hip_bfloat162 make_bfloat162(__hip_bfloat16 x, __hip_bfloat16 y) {
  return {x, y};
}

//# atomicAdd_block:
template <class T> __device__ __forceinline__ T atomicAdd_block(T *p, T v) {
  return __hip_atomic_fetch_add(p, v, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_WORKGROUP);
}

//# atomicSub_block:
template <class T> __device__ __forceinline__ T atomicSub_block(T *p, T v) {
  return __hip_atomic_fetch_add(p, T(0) - v, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_WORKGROUP);
}

//# atomicAnd_block:
template <class T> __device__ __forceinline__ T atomicAnd_block(T *p, T v) {
  return __hip_atomic_fetch_and(p, v, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_WORKGROUP);
}

//# atomicOr_block:
template <class T> __device__ __forceinline__ T atomicOr_block(T *p, T v) {
  return __hip_atomic_fetch_or(p, v, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_WORKGROUP);
}

//# atomicXor_block:
template <class T> __device__ __forceinline__ T atomicXor_block(T *p, T v) {
  return __hip_atomic_fetch_xor(p, v, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_WORKGROUP);
}

//# atomicMax_block:
template <class T> __device__ __forceinline__ T atomicMax_block(T *p, T v) {
  return __hip_atomic_fetch_max(p, v, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_WORKGROUP);
}

//# atomicMin_block:
template <class T> __device__ __forceinline__ T atomicMin_block(T *p, T v) {
  return __hip_atomic_fetch_min(p, v, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_WORKGROUP);
}

//# atomicExch_block:
template <class T> __device__ __forceinline__ T atomicExch_block(T *p, T v) {
  return __hip_atomic_exchange(p, v, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_WORKGROUP);
}

//# atomicCAS_block:
template <class T> __device__ __forceinline__ T atomicCAS_block(T *p, T expected, T v) {
  __hip_atomic_compare_exchange_strong(p, &expected, v, __ATOMIC_RELAXED, __ATOMIC_RELAXED,
                                       __HIP_MEMORY_SCOPE_WORKGROUP);
  return expected;
}
