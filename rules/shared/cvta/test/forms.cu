// Shared addresses by intrinsic and by asm.
// RUN: %layout-port %s -o %t.hip 2>%t.err
// RUN: %ported %t.hip | FileCheck %s
__device__ unsigned byIntrinsic(const void *p) {
  // CHECK: return static_cast<unsigned>(lp::cvta_generic_to_shared(p));
  return static_cast<unsigned>(__cvta_generic_to_shared(p));
}
__device__ unsigned byAsm(const void *p) {
  unsigned a;
  // CHECK: do { unsigned long long ptx_u64addr; ptx_u64addr = lp::cvta_generic_to_shared((const void *)(p)); a = (unsigned)ptx_u64addr; } while (0);
  asm("{ .reg .u64 u64addr; cvta.to.shared.u64 u64addr, %1; cvt.u32.u64 %0, u64addr; }" : "=r"(a) : "l"(p));
  return a;
}
