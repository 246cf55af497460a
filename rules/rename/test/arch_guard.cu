// __CUDA_ARCH__ is undefined in HIP: a guard would empty the kernel in silence.
// RUN: %layout-port %s -o %t.hip 2>%t.err
// RUN: %ported %t.hip | FileCheck %s
// RUN: %clang-hip --offload-arch=gfx942 -O1 -S %t.hip -o - | FileCheck %s --check-prefix=ISA
// CHECK: #define LP_CUDA_ARCH 800
__global__ void guarded(int *p) {
// CHECK: #if defined(LP_CUDA_ARCH) && LP_CUDA_ARCH >= 700
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 700
  // ISA: _Z7guardedPi:
  // ISA: 0x1092
  // ISA: store_dword
  *p = 4242;
#endif
}
