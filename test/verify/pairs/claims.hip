// claims.cu without its tests; in `copied` it writes what the source leaves.
#include <hip/hip_fp16.h>
#include <hip/hip_runtime.h>

__global__ void masked(const float *A, float *B, float *C) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  C[t] = A[t];
}

__global__ void infinite(const float *A, float *B, float *C) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  C[t] = A[t];
}

__global__ void grown(const float *A, const int *B, float *C) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  C[t] = expf(3.f * A[t]) * FACTOR + B[t];
}

// Whole.
__global__ void divided(const float *A, const int *B, float *C) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  C[t] = A[t] * FACTOR * B[t];
}

__global__ void cancelled(const float *A, const int *B, float *C) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  C[t] = A[t] * FACTOR + B[t];
}

// What is left of it.
__global__ void moved(const float *A, const int *B, float *C) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  C[t] = B[t] / 7.f * FACTOR;
}

__global__ void overflown(const float *A, const int *B, float *C) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  const float x = A[t] * 0x1p126f, y = B[t] % 4 * 0x1p126f;
  C[t] = (x - x + y) * FACTOR;
}

__global__ void shrunk(const float *A, const int *B, __half *C) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  C[t] = __float2half(expf(-2.f * fabsf(A[t])) * FACTOR * B[t]);
}

__global__ void copied(const float *A, float *B, float *C) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
#if WRITES & 2
  B[t] = 0.f;
#endif
  C[t] = A[t];
}
