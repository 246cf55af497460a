// hipBLASLt: matrix multiplication by descriptors, as far as cuBLASLt programs name it.
//
// For checking ported files only: enumerators have no values of the library's, and nothing has a
// body. https://rocm.docs.amd.com/projects/hipBLASLt/
#pragma once
#include "hipblas/hipblas.h"
#include <stdint.h>

typedef void *hipblasLtHandle_t;
typedef struct hipblasLtMatrixLayoutOpaque_t *hipblasLtMatrixLayout_t;
typedef struct hipblasLtMatmulDescOpaque_t *hipblasLtMatmulDesc_t;
typedef struct hipblasLtMatrixTransformDescOpaque_t *hipblasLtMatrixTransformDesc_t;
typedef struct hipblasLtMatmulPreferenceOpaque_t *hipblasLtMatmulPreference_t;
struct hipblasLtMatmulAlgo_t {
  uint64_t data[8];
};
struct hipblasLtMatmulHeuristicResult_t {
  hipblasLtMatmulAlgo_t algo;
  size_t workspaceSize;
  hipblasStatus_t state;
  float wavesCount;
  int reserved[4];
};
enum hipblasLtPointerMode_t {
  HIPBLASLT_POINTER_MODE_HOST,
  HIPBLASLT_POINTER_MODE_DEVICE,
  HIPBLASLT_POINTER_MODE_ALPHA_DEVICE_VECTOR_BETA_HOST
};
enum hipblasLtOrder_t { HIPBLASLT_ORDER_COL, HIPBLASLT_ORDER_ROW };
enum hipblasLtMatrixLayoutAttribute_t {
  HIPBLASLT_MATRIX_LAYOUT_TYPE,
  HIPBLASLT_MATRIX_LAYOUT_ORDER,
  HIPBLASLT_MATRIX_LAYOUT_ROWS,
  HIPBLASLT_MATRIX_LAYOUT_COLS,
  HIPBLASLT_MATRIX_LAYOUT_LD,
  HIPBLASLT_MATRIX_LAYOUT_BATCH_COUNT,
  HIPBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET
};
enum hipblasLtMatmulDescAttributes_t {
  HIPBLASLT_MATMUL_DESC_POINTER_MODE,
  HIPBLASLT_MATMUL_DESC_TRANSA,
  HIPBLASLT_MATMUL_DESC_TRANSB,
  HIPBLASLT_MATMUL_DESC_EPILOGUE,
  HIPBLASLT_MATMUL_DESC_BIAS_POINTER,
  HIPBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER,
  HIPBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD,
  HIPBLASLT_MATMUL_DESC_EPILOGUE_AUX_BATCH_STRIDE,
  HIPBLASLT_MATMUL_DESC_A_SCALE_POINTER,
  HIPBLASLT_MATMUL_DESC_B_SCALE_POINTER,
  HIPBLASLT_MATMUL_DESC_C_SCALE_POINTER,
  HIPBLASLT_MATMUL_DESC_D_SCALE_POINTER,
  HIPBLASLT_MATMUL_DESC_AMAX_D_POINTER,
  HIPBLASLT_MATMUL_DESC_EPILOGUE_AUX_SCALE_POINTER,
  HIPBLASLT_MATMUL_DESC_BIAS_DATA_TYPE
};
enum hipblasLtMatrixTransformDescAttributes_t {
  HIPBLASLT_MATRIX_TRANSFORM_DESC_SCALE_TYPE,
  HIPBLASLT_MATRIX_TRANSFORM_DESC_POINTER_MODE,
  HIPBLASLT_MATRIX_TRANSFORM_DESC_TRANSA,
  HIPBLASLT_MATRIX_TRANSFORM_DESC_TRANSB
};
enum hipblasLtEpilogue_t {
  HIPBLASLT_EPILOGUE_DEFAULT,
  HIPBLASLT_EPILOGUE_RELU,
  HIPBLASLT_EPILOGUE_BIAS,
  HIPBLASLT_EPILOGUE_RELU_BIAS,
  HIPBLASLT_EPILOGUE_GELU,
  HIPBLASLT_EPILOGUE_GELU_AUX,
  HIPBLASLT_EPILOGUE_GELU_BIAS,
  HIPBLASLT_EPILOGUE_GELU_AUX_BIAS,
  HIPBLASLT_EPILOGUE_DGELU,
  HIPBLASLT_EPILOGUE_DGELU_BGRAD,
  HIPBLASLT_EPILOGUE_BGRADA,
  HIPBLASLT_EPILOGUE_BGRADB
};
enum hipblasLtMatmulPreferenceAttributes_t {
  HIPBLASLT_MATMUL_PREF_SEARCH_MODE,
  HIPBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES
};

extern "C" {
hipblasStatus_t hipblasLtCreate(hipblasLtHandle_t *lightHandle);
hipblasStatus_t hipblasLtDestroy(hipblasLtHandle_t lightHandle);
hipblasStatus_t hipblasLtMatmul(hipblasLtHandle_t lightHandle, hipblasLtMatmulDesc_t computeDesc,
                                const void *alpha, const void *A, hipblasLtMatrixLayout_t Adesc,
                                const void *B, hipblasLtMatrixLayout_t Bdesc, const void *beta,
                                const void *C, hipblasLtMatrixLayout_t Cdesc, void *D,
                                hipblasLtMatrixLayout_t Ddesc, const hipblasLtMatmulAlgo_t *algo,
                                void *workspace, size_t workspaceSizeInBytes, hipStream_t stream);
hipblasStatus_t hipblasLtMatrixTransform(hipblasLtHandle_t lightHandle,
                                         hipblasLtMatrixTransformDesc_t transformDesc,
                                         const void *alpha, const void *A,
                                         hipblasLtMatrixLayout_t Adesc, const void *beta,
                                         const void *B, hipblasLtMatrixLayout_t Bdesc, void *C,
                                         hipblasLtMatrixLayout_t Cdesc, hipStream_t stream);
hipblasStatus_t hipblasLtMatrixLayoutCreate(hipblasLtMatrixLayout_t *matLayout, hipDataType type,
                                            uint64_t rows, uint64_t cols, int64_t ld);
hipblasStatus_t hipblasLtMatrixLayoutDestroy(hipblasLtMatrixLayout_t matLayout);
hipblasStatus_t hipblasLtMatrixLayoutSetAttribute(hipblasLtMatrixLayout_t matLayout,
                                                  hipblasLtMatrixLayoutAttribute_t attr,
                                                  const void *buf, size_t sizeInBytes);
hipblasStatus_t hipblasLtMatrixLayoutGetAttribute(hipblasLtMatrixLayout_t matLayout,
                                                  hipblasLtMatrixLayoutAttribute_t attr, void *buf,
                                                  size_t sizeInBytes, size_t *sizeWritten);
hipblasStatus_t hipblasLtMatmulDescCreate(hipblasLtMatmulDesc_t *matmulDesc,
                                          hipblasComputeType_t computeType, hipDataType scaleType);
hipblasStatus_t hipblasLtMatmulDescDestroy(hipblasLtMatmulDesc_t matmulDesc);
hipblasStatus_t hipblasLtMatmulDescSetAttribute(hipblasLtMatmulDesc_t matmulDesc,
                                                hipblasLtMatmulDescAttributes_t attr,
                                                const void *buf, size_t sizeInBytes);
hipblasStatus_t hipblasLtMatmulDescGetAttribute(hipblasLtMatmulDesc_t matmulDesc,
                                                hipblasLtMatmulDescAttributes_t attr, void *buf,
                                                size_t sizeInBytes, size_t *sizeWritten);
hipblasStatus_t hipblasLtMatrixTransformDescCreate(hipblasLtMatrixTransformDesc_t *transformDesc,
                                                   hipDataType scaleType);
hipblasStatus_t hipblasLtMatrixTransformDescDestroy(hipblasLtMatrixTransformDesc_t transformDesc);
hipblasStatus_t
hipblasLtMatrixTransformDescSetAttribute(hipblasLtMatrixTransformDesc_t transformDesc,
                                         hipblasLtMatrixTransformDescAttributes_t attr,
                                         const void *buf, size_t sizeInBytes);
hipblasStatus_t
hipblasLtMatrixTransformDescGetAttribute(hipblasLtMatrixTransformDesc_t transformDesc,
                                         hipblasLtMatrixTransformDescAttributes_t attr, void *buf,
                                         size_t sizeInBytes, size_t *sizeWritten);
hipblasStatus_t hipblasLtMatmulPreferenceCreate(hipblasLtMatmulPreference_t *pref);
hipblasStatus_t hipblasLtMatmulPreferenceDestroy(hipblasLtMatmulPreference_t pref);
hipblasStatus_t hipblasLtMatmulPreferenceSetAttribute(hipblasLtMatmulPreference_t pref,
                                                      hipblasLtMatmulPreferenceAttributes_t attr,
                                                      const void *buf, size_t sizeInBytes);
hipblasStatus_t hipblasLtMatmulPreferenceGetAttribute(hipblasLtMatmulPreference_t pref,
                                                      hipblasLtMatmulPreferenceAttributes_t attr,
                                                      void *buf, size_t sizeInBytes,
                                                      size_t *sizeWritten);
hipblasStatus_t hipblasLtMatmulAlgoGetHeuristic(
    hipblasLtHandle_t lightHandle, hipblasLtMatmulDesc_t operationDesc,
    hipblasLtMatrixLayout_t Adesc, hipblasLtMatrixLayout_t Bdesc, hipblasLtMatrixLayout_t Cdesc,
    hipblasLtMatrixLayout_t Ddesc, hipblasLtMatmulPreference_t preference, int requestedAlgoCount,
    hipblasLtMatmulHeuristicResult_t *heuristicResultsArray, int *returnAlgoCount);
}
