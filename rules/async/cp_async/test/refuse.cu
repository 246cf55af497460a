// Bulk copies are another machine: refused by name.
// RUN: not %layout-port %s --target gfx942 -o %t.hip 2>%t.err
// RUN: FileCheck %s < %t.err
// CHECK: refuse.cu:[[#@LINE+2]]:3: manual: cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes
__device__ void bulk(unsigned s, const void *g, unsigned n, unsigned bar) {
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];"
               :: "r"(s), "l"(g), "r"(n), "r"(bar) : "memory");
}
