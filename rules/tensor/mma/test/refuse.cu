// What mma cannot become yet is manual: the text stays in a comment beside
// LP_MANUAL with the reason, and the output compiles but for it.
// RUN: not %layout-port %s --target gfx90a,gfx942,gfx950 -o %t.hip 2>%t.err
// RUN: %ported %t.hip | FileCheck %s
// RUN: FileCheck %s --check-prefix=ERR < %t.err
// ERR: refuse.cu:{{[0-9]+}}:3: manual: mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.xor.popc
// ERR: refuse.cu:{{[0-9]+}}:3: manual: wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16
// ERR: compiled: gfx90a yes gfx942 yes gfx950 yes host yes (but for 2 manual sites, with -DLP_ALLOW_MANUAL)
__device__ void b1(int *d, unsigned *a, unsigned *b) {
  // CHECK: /* asm volatile("mma.sync.aligned.m16n8k256
  // CHECK: LP_MANUAL("
  asm volatile("mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.xor.popc {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
               : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
__device__ void wgmma(float *d, unsigned long long a, unsigned long long b) {
  // CHECK: /* asm volatile("wgmma.mma_async
  asm volatile("wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0,%1,%2,%3}, %4, %5, 1, 1, 1, 0, 0;"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "l"(a), "l"(b));
}
