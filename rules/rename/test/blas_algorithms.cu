// cuBLAS takes no notice of an algorithm by number since sm_80: hipBLAS chooses for itself.
// https://docs.nvidia.com/cuda/cublas/#cublasgemmalgo-t
// RUN: %layout-port %s --rules=rename -o %t.hip 2>%t.err && FileCheck --check-prefix=REPORT %s < %t.err
// RUN: %ported %t.hip | FileCheck %s
// REPORT: rename {{.*}} cuBLAS takes no notice of it since sm_80, hipBLAS knows no other
// REPORT: compiled: gfx942 yes host yes
#include <cublas_v2.h>
#include <cuda_fp16.h>
void gemm(cublasHandle_t handle, half *a, half *b, float *c, int n, bool guess) {
  float one = 1, zero = 0;
  // CHECK: hipblasSetMathMode(handle, HIPBLAS_TENSOR_OP_MATH);
  cublasSetMathMode(handle, CUBLAS_TENSOR_OP_MATH);
  // CHECK: hipblasGemmAlgo_t algorithm = guess ? HIPBLAS_GEMM_DEFAULT : HIPBLAS_GEMM_DEFAULT;
  cublasGemmAlgo_t algorithm = guess ? CUBLAS_GEMM_ALGO5_TENSOR_OP : CUBLAS_GEMM_DEFAULT;
  // CHECK: for (int i = HIPBLAS_GEMM_DEFAULT; i <= HIPBLAS_GEMM_DEFAULT; ++i)
  for (int i = CUBLAS_GEMM_ALGO0; i <= CUBLAS_GEMM_ALGO23; ++i)
    // CHECK: HIPBLAS_COMPUTE_32F, static_cast<hipblasGemmAlgo_t>(i));
    cublasGemmEx(handle, CUBLAS_OP_N, CUBLAS_OP_T, n, n, n, &one, a, CUDA_R_16F, n, b, CUDA_R_16F, n,
                 &zero, c, CUDA_R_32F, n, CUBLAS_COMPUTE_32F, static_cast<cublasGemmAlgo_t>(i));
  cublasGemmEx(handle, CUBLAS_OP_N, CUBLAS_OP_T, n, n, n, &one, a, CUDA_R_16F, n, b, CUDA_R_16F, n,
               &zero, c, CUDA_R_32F, n, CUBLAS_COMPUTE_32F, algorithm);
  // A type of data for what is computed in.
  // CHECK: &zero, c, HIP_R_32F, n, HIPBLAS_COMPUTE_32F, HIPBLAS_GEMM_DEFAULT);
  cublasGemmEx(handle, CUBLAS_OP_N, CUBLAS_OP_T, n, n, n, &one, a, CUDA_R_16F, n, b, CUDA_R_16F, n,
               &zero, c, CUDA_R_32F, n, CUDA_R_32F, CUBLAS_GEMM_DEFAULT);
}
