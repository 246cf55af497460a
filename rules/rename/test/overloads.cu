// Functions that CUDA overloads by their number of arguments have a name each in HIP; names that
// CUDA's headers bring along ask for HIP's header; a name that a dead arm stands in for is CUDA's.
// RUN: %layout-port %s -o %t.hip 2>%t.err
// RUN: %ported %t.hip | FileCheck %s
// RUN: FileCheck %s --check-prefix=ERR < %t.err
// ERR: compiled: gfx942 yes host yes;
// CHECK: #include <hip/hip_bf16.h>
#include <cublas_v2.h>
#include <cuda_runtime.h>
#include <nccl.h>
#if CUDART_VERSION < 11020
#define CUBLAS_TF32_TENSOR_OP_MATH CUBLAS_TENSOR_OP_MATH
#endif
typedef __nv_bfloat16 value;
void overloads(cudaGraph_t graph, cublasHandle_t handle) {
  cudaEvent_t event;
  // CHECK: hipEventCreateWithFlags(&event, hipEventDisableTiming);
  cudaEventCreate(&event, cudaEventDisableTiming);
  // CHECK: hipEventCreate(&event);
  cudaEventCreate(&event);
  cudaGraphExec_t exec;
  // CHECK: hipGraphInstantiate(&exec, graph, nullptr, nullptr, 0);
  cudaGraphInstantiate(&exec, graph);
  // CHECK: hipGraphInstantiateWithFlags(&exec, graph, 0);
  cudaGraphInstantiate(&exec, graph, 0);
  // CHECK: hipGraphInstantiate(&exec, graph, nullptr, nullptr, 0);
  cudaGraphInstantiate(&exec, graph, nullptr, nullptr, 0);
  // CHECK: hipblasSetMathMode(handle, HIPBLAS_TF32_TENSOR_OP_MATH);
  cublasSetMathMode(handle, CUBLAS_TF32_TENSOR_OP_MATH);
}
// CHECK: return hipblasStatusToString(status);
const char *name(cublasStatus_t status) { return cublasGetStatusString(status); }
// NCCL's names are RCCL's.
// CHECK: return ncclAllReduce(p, p, n, ncclBfloat16, ncclSum, comm, stream);
ncclResult_t sum(value *p, size_t n, ncclComm_t comm, cudaStream_t stream) {
  return ncclAllReduce(p, p, n, ncclBfloat16, ncclSum, comm, stream);
}
