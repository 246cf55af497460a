// A loop's pragma goes with the loop that is left to a person, and the rest compiles.
// RUN: not %layout-port %s -o %t.hip 2>%t.err
// RUN: %ported %t.hip | FileCheck %s
// RUN: FileCheck %s --check-prefix=ERR < %t.err
// ERR: compiled: gfx942 yes host yes (but for 2 manual sites
__global__ void loops(int *p) {
  // CHECK: /* #pragma unroll 4
  // CHECK-NEXT: for (int i = 0; i < 4; ++i)
  // CHECK-NEXT: asm volatile("wgmma.commit_group.sync.aligned;"); */ LP_MANUAL("wgmma
#pragma unroll 4
  for (int i = 0; i < 4; ++i)
    asm volatile("wgmma.commit_group.sync.aligned;");
  int i = 0;
  // CHECK: /* #pragma unroll
  // CHECK-NEXT: while (i++ < 3) asm
#pragma unroll
  while (i++ < 3) asm volatile("wgmma.fence.sync.aligned;");
  // CHECK: #pragma unroll
  // CHECK-NEXT: for (int k = 0; k < 2; ++k)
  // CHECK-NEXT: p[k] = k;
#pragma unroll
  for (int k = 0; k < 2; ++k)
    p[k] = k;
}
