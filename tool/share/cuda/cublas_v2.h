// cuBLAS: types, and the prototypes that kernels' test programs call.
// https://docs.nvidia.com/cuda/cublas/
#pragma once
#include "cuComplex.h"
#include "cuda_fp16.h"
#include "cuda_runtime.h"
#include "library_types.h"

#define CUBLAS_VER_MAJOR 12
#define CUBLAS_VER_MINOR 8
#define CUBLAS_VER_PATCH 0
#define CUBLAS_VERSION 120800

struct cublasContext;
typedef cublasContext *cublasHandle_t;
typedef cudaDataType cublasDataType_t;

enum cublasStatus_t {
  CUBLAS_STATUS_SUCCESS = 0,
  CUBLAS_STATUS_NOT_INITIALIZED = 1,
  CUBLAS_STATUS_ALLOC_FAILED = 3,
  CUBLAS_STATUS_INVALID_VALUE = 7,
  CUBLAS_STATUS_ARCH_MISMATCH = 8,
  CUBLAS_STATUS_MAPPING_ERROR = 11,
  CUBLAS_STATUS_EXECUTION_FAILED = 13,
  CUBLAS_STATUS_INTERNAL_ERROR = 14,
  CUBLAS_STATUS_NOT_SUPPORTED = 15,
  CUBLAS_STATUS_LICENSE_ERROR = 16
};
enum cublasFillMode_t { CUBLAS_FILL_MODE_LOWER, CUBLAS_FILL_MODE_UPPER, CUBLAS_FILL_MODE_FULL };
enum cublasDiagType_t { CUBLAS_DIAG_NON_UNIT, CUBLAS_DIAG_UNIT };
enum cublasSideMode_t { CUBLAS_SIDE_LEFT, CUBLAS_SIDE_RIGHT };
enum cublasOperation_t {
  CUBLAS_OP_N = 0,
  CUBLAS_OP_T = 1,
  CUBLAS_OP_C = 2,
  CUBLAS_OP_HERMITAN = 2,
  CUBLAS_OP_CONJG = 3
};
enum cublasPointerMode_t { CUBLAS_POINTER_MODE_HOST, CUBLAS_POINTER_MODE_DEVICE };
enum cublasAtomicsMode_t { CUBLAS_ATOMICS_NOT_ALLOWED, CUBLAS_ATOMICS_ALLOWED };
enum cublasMath_t {
  CUBLAS_DEFAULT_MATH = 0,
  CUBLAS_TENSOR_OP_MATH = 1,
  CUBLAS_PEDANTIC_MATH = 2,
  CUBLAS_TF32_TENSOR_OP_MATH = 3,
  CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION = 16
};
enum cublasComputeType_t {
  CUBLAS_COMPUTE_16F = 64,
  CUBLAS_COMPUTE_16F_PEDANTIC = 65,
  CUBLAS_COMPUTE_32F = 68,
  CUBLAS_COMPUTE_32F_PEDANTIC = 69,
  CUBLAS_COMPUTE_64F = 70,
  CUBLAS_COMPUTE_64F_PEDANTIC = 71,
  CUBLAS_COMPUTE_32I = 72,
  CUBLAS_COMPUTE_32I_PEDANTIC = 73,
  CUBLAS_COMPUTE_32F_FAST_16F = 74,
  CUBLAS_COMPUTE_32F_FAST_16BF = 75,
  CUBLAS_COMPUTE_32F_FAST_TF32 = 77
};
// Algorithm n is n, its tensor-core form 100 + n.
enum cublasGemmAlgo_t {
  CUBLAS_GEMM_DFALT = -1,
  CUBLAS_GEMM_DEFAULT = -1,
#define LP_ALGO(n) CUBLAS_GEMM_ALGO##n = n
  LP_ALGO(0), LP_ALGO(1), LP_ALGO(2), LP_ALGO(3), LP_ALGO(4), LP_ALGO(5), LP_ALGO(6), LP_ALGO(7),
  LP_ALGO(8), LP_ALGO(9), LP_ALGO(10), LP_ALGO(11), LP_ALGO(12), LP_ALGO(13), LP_ALGO(14),
  LP_ALGO(15), LP_ALGO(16), LP_ALGO(17), LP_ALGO(18), LP_ALGO(19), LP_ALGO(20), LP_ALGO(21),
  LP_ALGO(22), LP_ALGO(23),
#undef LP_ALGO
  CUBLAS_GEMM_DEFAULT_TENSOR_OP = 99,
  CUBLAS_GEMM_DFALT_TENSOR_OP = 99,
#define LP_ALGO(n) CUBLAS_GEMM_ALGO##n##_TENSOR_OP = 100 + n
  LP_ALGO(0), LP_ALGO(1), LP_ALGO(2), LP_ALGO(3), LP_ALGO(4), LP_ALGO(5), LP_ALGO(6), LP_ALGO(7),
  LP_ALGO(8), LP_ALGO(9), LP_ALGO(10), LP_ALGO(11), LP_ALGO(12), LP_ALGO(13), LP_ALGO(14),
  LP_ALGO(15),
#undef LP_ALGO
};

extern "C" {
cublasStatus_t cublasCreate(cublasHandle_t *handle);
cublasStatus_t cublasDestroy(cublasHandle_t handle);
cublasStatus_t cublasGetVersion(cublasHandle_t handle, int *version);
cublasStatus_t cublasGetProperty(libraryPropertyType type, int *value);
size_t cublasGetCudartVersion();
const char *cublasGetStatusName(cublasStatus_t status);
const char *cublasGetStatusString(cublasStatus_t status);
cublasStatus_t cublasSetWorkspace(cublasHandle_t handle, void *workspace, size_t size);
cublasStatus_t cublasSetStream(cublasHandle_t handle, cudaStream_t stream);
cublasStatus_t cublasGetStream(cublasHandle_t handle, cudaStream_t *stream);
cublasStatus_t cublasSetPointerMode(cublasHandle_t handle, cublasPointerMode_t mode);
cublasStatus_t cublasGetPointerMode(cublasHandle_t handle, cublasPointerMode_t *mode);
cublasStatus_t cublasSetAtomicsMode(cublasHandle_t handle, cublasAtomicsMode_t mode);
cublasStatus_t cublasSetMathMode(cublasHandle_t handle, cublasMath_t mode);
cublasStatus_t cublasGetMathMode(cublasHandle_t handle, cublasMath_t *mode);
cublasStatus_t cublasSetVector(int n, int elemSize, const void *x, int incx, void *y, int incy);
cublasStatus_t cublasGetVector(int n, int elemSize, const void *x, int incx, void *y, int incy);
cublasStatus_t cublasSetMatrix(int rows, int cols, int elemSize, const void *A, int lda, void *B,
                               int ldb);
cublasStatus_t cublasGetMatrix(int rows, int cols, int elemSize, const void *A, int lda, void *B,
                               int ldb);

// The level 1, 2 and 3 functions that come once for each element type.
#define LP_BLAS(L, T)                                                                              \
  cublasStatus_t cublas##L##axpy(cublasHandle_t handle, int n, const T *alpha, const T *x,         \
                                 int incx, T *y, int incy);                                        \
  cublasStatus_t cublas##L##scal(cublasHandle_t handle, int n, const T *alpha, T *x, int incx);    \
  cublasStatus_t cublas##L##copy(cublasHandle_t handle, int n, const T *x, int incx, T *y,         \
                                 int incy);                                                        \
  cublasStatus_t cublas##L##swap(cublasHandle_t handle, int n, T *x, int incx, T *y, int incy);    \
  cublasStatus_t cublas##L##gemv(cublasHandle_t handle, cublasOperation_t trans, int m, int n,     \
                                 const T *alpha, const T *A, int lda, const T *x, int incx,        \
                                 const T *beta, T *y, int incy);                                   \
  cublasStatus_t cublas##L##trsm(cublasHandle_t handle, cublasSideMode_t side,                     \
                                 cublasFillMode_t uplo, cublasOperation_t trans,                   \
                                 cublasDiagType_t diag, int m, int n, const T *alpha, const T *A,  \
                                 int lda, T *B, int ldb);                                          \
  cublasStatus_t cublas##L##syrk(cublasHandle_t handle, cublasFillMode_t uplo,                     \
                                 cublasOperation_t trans, int n, int k, const T *alpha,            \
                                 const T *A, int lda, const T *beta, T *C, int ldc);               \
  cublasStatus_t cublas##L##geam(cublasHandle_t handle, cublasOperation_t transa,                  \
                                 cublasOperation_t transb, int m, int n, const T *alpha,           \
                                 const T *A, int lda, const T *beta, const T *B, int ldb, T *C,    \
                                 int ldc);                                                         \
  LP_BLAS_GEMM(L, T)
#define LP_BLAS_GEMM(L, T)                                                                         \
  cublasStatus_t cublas##L##gemm(cublasHandle_t handle, cublasOperation_t transa,                  \
                                 cublasOperation_t transb, int m, int n, int k, const T *alpha,    \
                                 const T *A, int lda, const T *B, int ldb, const T *beta, T *C,    \
                                 int ldc);                                                         \
  cublasStatus_t cublas##L##gemmBatched(                                                           \
      cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m, int n,     \
      int k, const T *alpha, const T *const *A, int lda, const T *const *B, int ldb,               \
      const T *beta, T *const *C, int ldc, int batchCount);                                        \
  cublasStatus_t cublas##L##gemmStridedBatched(                                                    \
      cublasHandle_t handle, cublasOperation_t transa, cublasOperation_t transb, int m, int n,     \
      int k, const T *alpha, const T *A, int lda, long long strideA, const T *B, int ldb,          \
      long long strideB, const T *beta, T *C, int ldc, long long strideC, int batchCount);
#define LP_BLAS_REAL(L, l, T)                                                                      \
  cublasStatus_t cublas##L##dot(cublasHandle_t handle, int n, const T *x, int incx, const T *y,    \
                                int incy, T *result);                                              \
  cublasStatus_t cublas##L##nrm2(cublasHandle_t handle, int n, const T *x, int incx, T *result);   \
  cublasStatus_t cublas##L##asum(cublasHandle_t handle, int n, const T *x, int incx, T *result);   \
  cublasStatus_t cublas##L##ger(cublasHandle_t handle, int m, int n, const T *alpha, const T *x,   \
                                int incx, const T *y, int incy, T *A, int lda);                    \
  cublasStatus_t cublasI##l##amax(cublasHandle_t handle, int n, const T *x, int incx,              \
                                  int *result);                                                    \
  cublasStatus_t cublasI##l##amin(cublasHandle_t handle, int n, const T *x, int incx, int *result);
LP_BLAS(S, float)
LP_BLAS(D, double)
LP_BLAS(C, cuComplex)
LP_BLAS(Z, cuDoubleComplex)
LP_BLAS_GEMM(H, __half)
LP_BLAS_REAL(S, s, float)
LP_BLAS_REAL(D, d, double)
#undef LP_BLAS
#undef LP_BLAS_GEMM
#undef LP_BLAS_REAL

cublasStatus_t cublasSgemmEx(cublasHandle_t handle, cublasOperation_t transa,
                             cublasOperation_t transb, int m, int n, int k, const float *alpha,
                             const void *A, cudaDataType Atype, int lda, const void *B,
                             cudaDataType Btype, int ldb, const float *beta, void *C,
                             cudaDataType Ctype, int ldc);
cublasStatus_t cublasGemmEx(cublasHandle_t handle, cublasOperation_t transa,
                            cublasOperation_t transb, int m, int n, int k, const void *alpha,
                            const void *A, cudaDataType Atype, int lda, const void *B,
                            cudaDataType Btype, int ldb, const void *beta, void *C,
                            cudaDataType Ctype, int ldc, cublasComputeType_t computeType,
                            cublasGemmAlgo_t algo);
cublasStatus_t cublasGemmBatchedEx(cublasHandle_t handle, cublasOperation_t transa,
                                   cublasOperation_t transb, int m, int n, int k,
                                   const void *alpha, const void *const A[], cudaDataType Atype,
                                   int lda, const void *const B[], cudaDataType Btype, int ldb,
                                   const void *beta, void *const C[], cudaDataType Ctype, int ldc,
                                   int batchCount, cublasComputeType_t computeType,
                                   cublasGemmAlgo_t algo);
cublasStatus_t cublasGemmStridedBatchedEx(cublasHandle_t handle, cublasOperation_t transa,
                                          cublasOperation_t transb, int m, int n, int k,
                                          const void *alpha, const void *A, cudaDataType Atype,
                                          int lda, long long strideA, const void *B,
                                          cudaDataType Btype, int ldb, long long strideB,
                                          const void *beta, void *C, cudaDataType Ctype, int ldc,
                                          long long strideC, int batchCount,
                                          cublasComputeType_t computeType, cublasGemmAlgo_t algo);
}

// The form before cuBLAS 11, with a data type for the arithmetic.
cublasStatus_t cublasGemmEx(cublasHandle_t handle, cublasOperation_t transa,
                            cublasOperation_t transb, int m, int n, int k, const void *alpha,
                            const void *A, cudaDataType Atype, int lda, const void *B,
                            cudaDataType Btype, int ldb, const void *beta, void *C,
                            cudaDataType Ctype, int ldc, cudaDataType computeType,
                            cublasGemmAlgo_t algo);
