// Names that cuda_runtime.h brings to host code: HIP's has time and assert, not <math.h>.
// RUN: %layout-port %s --target gfx942 -o %t.hip 2>%t.err
// RUN: %ported %t.hip | FileCheck %s
// CHECK: #include <hip/hip_runtime.h>
// CHECK-NEXT: #include <hipblas/hipblas.h>
// CHECK-NEXT: #include <hip/hip_fp16.h>
// CHECK-NEXT: #include <math.h>
#include <cuda_runtime.h>
#include <cublas_v2.h>
#include <cuda_fp16.h>
int check(const float *x, int n) {
  srand(time(0));
  assert(n > 0);
  for (int i = 0; i < n; ++i)
    if (!isfinite(x[i]))
      return i;
  return n;
}
cublasStatus_t multiply(cublasHandle_t handle, const half *a, const half *b, half *c, int n) {
  const half alpha = __float2half(1), beta = __float2half(0);
  // CHECK: return hipblasHgemm(handle, HIPBLAS_OP_N, HIPBLAS_OP_T, n, n, n, (hipblasHalf *)(&alpha), (hipblasHalf *)(a), n, (hipblasHalf *)(b), n, (hipblasHalf *)(&beta), (hipblasHalf *)(c), n);
  return cublasHgemm(handle, CUBLAS_OP_N, CUBLAS_OP_T, n, n, n, &alpha, a, n, b, n, &beta, c, n);
}
// The device has its own.
__global__ void kernel(float *x) { x[0] = isnan(x[1]) ? 0 : x[1]; }
