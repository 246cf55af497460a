// What a verdict may not be silent about: inputs that are no numbers, and buffers that nobody
// compares.
#include <cuda_fp16.h>
#include <cuda_runtime.h>

__global__ void masked(const float *A, float *B, float *C) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  C[t] = isnan(A[t]) ? 0.f : A[t];
}

__global__ void infinite(const float *A, float *B, float *C) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  C[t] = isinf(A[t]) ? 1.f : A[t];
}

__global__ void grown(const float *A, const int *B, float *C) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  C[t] = expf(A[t]) * expf(2.f * A[t]) + B[t];
}

// Thirds of three: some are whole again, some all but whole.
__global__ void divided(const float *A, const int *B, float *C) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  C[t] = A[t] / (t + 1) * (t + 1) * B[t];
}

__global__ void cancelled(const float *A, const int *B, float *C) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  C[t] = A[t] / (t + 1) * (t + 1) + B[t];
}

// Whose exponent is counted up, where no field follows: a great number comes and goes.
__global__ void moved(const float *A, const int *B, float *C) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  const float great = __uint_as_float(__float_as_uint(A[t]) + 0x06000000u) / 7.f;
  C[t] = great + B[t] / 7.f - great;
}

// Too great for a float in one order of the sum.
__global__ void overflown(const float *A, const int *B, float *C) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  const float x = A[t] * 0x1p126f, y = B[t] % 4 * 0x1p126f;
  C[t] = x + y - x;
}

__global__ void shrunk(const float *A, const int *B, __half *C) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  C[t] = __float2half(expf(-fabsf(A[t])) * expf(-fabsf(A[t])) * B[t]);
}

__global__ void copied(const float *A, float *B, float *C) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
#if WRITES & 1
  B[t] = 0.f;
#endif
  C[t] = A[t];
}
