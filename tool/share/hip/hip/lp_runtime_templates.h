// The C++ side of the HIP runtime API: overloads that take typed pointers, kernels and symbols. Only
// those that ROCm has, so that a file that compiles here compiles there.
#pragma once

template <typename T> static inline hipError_t hipMalloc(T **devPtr, size_t size) {
  return ::hipMalloc((void **)devPtr, size);
}
template <typename T>
static inline hipError_t hipMallocPitch(T **devPtr, size_t *pitch, size_t width, size_t height) {
  return ::hipMallocPitch((void **)devPtr, pitch, width, height);
}
template <typename T>
static inline hipError_t hipMallocManaged(T **devPtr, size_t size,
                                          unsigned int flags = hipMemAttachGlobal) {
  return ::hipMallocManaged((void **)devPtr, size, flags);
}
template <typename T>
static inline hipError_t hipHostMalloc(T **ptr, size_t size,
                                       unsigned int flags = hipHostMallocDefault) {
  return ::hipHostMalloc((void **)ptr, size, flags);
}
template <typename T>
static inline hipError_t hipHostAlloc(T **ptr, size_t size,
                                      unsigned int flags = hipHostAllocDefault) {
  return ::hipHostAlloc((void **)ptr, size, flags);
}
template <typename T>
static inline hipError_t hipMallocAsync(T **devPtr, size_t size, hipStream_t stream) {
  return ::hipMallocAsync((void **)devPtr, size, stream);
}
template <typename T>
static inline hipError_t hipMallocAsync(T **devPtr, size_t size, hipMemPool_t pool,
                                        hipStream_t stream) {
  return ::hipMallocFromPoolAsync((void **)devPtr, size, pool, stream);
}
template <typename T>
static inline hipError_t hipMallocFromPoolAsync(T **devPtr, size_t size, hipMemPool_t pool,
                                                hipStream_t stream) {
  return ::hipMallocFromPoolAsync((void **)devPtr, size, pool, stream);
}

template <typename T> hipError_t hipGetSymbolAddress(void **devPtr, const T &symbol) {
  return ::hipGetSymbolAddress(devPtr, (const void *)&symbol);
}
template <typename T> hipError_t hipGetSymbolSize(size_t *size, const T &symbol) {
  return ::hipGetSymbolSize(size, (const void *)&symbol);
}
template <typename T>
hipError_t hipMemcpyToSymbol(const T &symbol, const void *src, size_t size, size_t offset = 0,
                             hipMemcpyKind kind = hipMemcpyHostToDevice) {
  return ::hipMemcpyToSymbol((const void *)&symbol, src, size, offset, kind);
}
template <typename T>
hipError_t hipMemcpyToSymbolAsync(const T &symbol, const void *src, size_t size, size_t offset,
                                  hipMemcpyKind kind, hipStream_t stream = 0) {
  return ::hipMemcpyToSymbolAsync((const void *)&symbol, src, size, offset, kind, stream);
}
template <typename T>
hipError_t hipMemcpyFromSymbol(void *dst, const T &symbol, size_t size, size_t offset = 0,
                               hipMemcpyKind kind = hipMemcpyDeviceToHost) {
  return ::hipMemcpyFromSymbol(dst, (const void *)&symbol, size, offset, kind);
}
template <typename T>
hipError_t hipMemcpyFromSymbolAsync(void *dst, const T &symbol, size_t size, size_t offset,
                                    hipMemcpyKind kind, hipStream_t stream = 0) {
  return ::hipMemcpyFromSymbolAsync(dst, (const void *)&symbol, size, offset, kind, stream);
}

template <typename T>
static inline hipError_t hipOccupancyMaxPotentialBlockSize(int *gridSize, int *blockSize, T f,
                                                           size_t dynamicShared = 0,
                                                           int blockSizeLimit = 0) {
  return ::hipOccupancyMaxPotentialBlockSize(gridSize, blockSize,
                                             reinterpret_cast<const void *>(f), dynamicShared,
                                             blockSizeLimit);
}
template <typename T>
static inline hipError_t hipOccupancyMaxPotentialBlockSizeWithFlags(int *gridSize, int *blockSize,
                                                                    T f, size_t dynamicShared = 0,
                                                                    int blockSizeLimit = 0,
                                                                    unsigned int flags = 0) {
  return ::hipOccupancyMaxPotentialBlockSize(gridSize, blockSize,
                                             reinterpret_cast<const void *>(f), dynamicShared,
                                             blockSizeLimit);
}
template <typename Function, typename T>
hipError_t hipOccupancyMaxPotentialBlockSizeVariableSMem(int *gridSize, int *blockSize, T f,
                                                         Function sharedOfBlockSize,
                                                         int blockSizeLimit = 0);
template <typename Function, typename T>
hipError_t hipOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(int *gridSize, int *blockSize,
                                                                  T f, Function sharedOfBlockSize,
                                                                  int blockSizeLimit = 0,
                                                                  unsigned int flags = 0);
template <typename T>
inline hipError_t hipOccupancyMaxActiveBlocksPerMultiprocessor(int *numBlocks, T f, int blockSize,
                                                               size_t dynamicShared) {
  return ::hipOccupancyMaxActiveBlocksPerMultiprocessor(
      numBlocks, reinterpret_cast<const void *>(f), blockSize, dynamicShared);
}
template <typename T>
inline hipError_t
hipOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *numBlocks, T f, int blockSize,
                                                      size_t dynamicShared, unsigned int flags) {
  return ::hipOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
      numBlocks, reinterpret_cast<const void *>(f), blockSize, dynamicShared, flags);
}
template <typename T>
inline hipError_t hipLaunchCooperativeKernel(T f, dim3 gridDim, dim3 blockDim, void **args,
                                             unsigned int sharedMem, hipStream_t stream) {
  return ::hipLaunchCooperativeKernel(reinterpret_cast<const void *>(f), gridDim, blockDim, args,
                                      sharedMem, stream);
}

template <typename T> hipChannelFormatDesc hipCreateChannelDesc();
static inline hipPitchedPtr make_hipPitchedPtr(void *p, size_t pitch, size_t xsize, size_t ysize) {
  return hipPitchedPtr{p, pitch, xsize, ysize};
}
static inline hipPos make_hipPos(size_t x, size_t y, size_t z) { return hipPos{x, y, z}; }
static inline hipExtent make_hipExtent(size_t w, size_t h, size_t d) { return hipExtent{w, h, d}; }
