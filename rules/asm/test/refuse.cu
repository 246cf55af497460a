// What stays manual, each with its reason, and an output that compiles but for it.
// RUN: not %layout-port %s -o %t.hip 2>%t.err
// RUN: FileCheck %s < %t.err
__device__ void refused(unsigned *d, unsigned long long p, float f) {
  // CHECK: refuse.cu:[[#@LINE+1]]:3: manual: wgmma.fence.sync.aligned: wgmma: wgmma reads its operands from shared memory by descriptor
  asm volatile("wgmma.fence.sync.aligned;");
  // CHECK: refuse.cu:[[#@LINE+1]]:3: manual: tcgen05.wait::ld.sync.aligned: tcgen05: tcgen05 works on tensor memory
  asm volatile("tcgen05.wait::ld.sync.aligned;");
  // CHECK: refuse.cu:[[#@LINE+1]]:3: manual: mbarrier.inval.shared.b64: mbarrier: mbarrier counts transactions and arrivals
  asm volatile("mbarrier.inval.shared.b64 [%0];" ::"r"(d[0]));
  // CHECK: refuse.cu:[[#@LINE+1]]:3: manual: barrier.cluster.arrive: barrier.cluster.arrive: AMD has no thread block clusters
  asm volatile("barrier.cluster.arrive;");
  // CHECK: refuse.cu:[[#@LINE+1]]:3: manual: setmaxnreg.inc.sync.aligned.u32: setmaxnreg: AMD cannot move registers between running waves
  asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
  // CHECK: refuse.cu:[[#@LINE+1]]:3: manual: griddepcontrol.wait: griddepcontrol: dependent launches overlap two kernels
  asm volatile("griddepcontrol.wait;");
  // CHECK: refuse.cu:[[#@LINE+1]]:3: manual: bar.arrive: a barrier that is only arrived at
  asm volatile("bar.arrive 1, 64;");
  // CHECK: refuse.cu:[[#@LINE+1]]:3: manual: bar.sync: a barrier of a number of threads that is not known to be the whole block
  asm volatile("bar.sync 1, 64;");
  // CHECK: refuse.cu:[[#@LINE+1]]:3: manual: exit: exit ends one thread, s_endpgm a whole wave
  asm volatile("exit;");
  // CHECK: refuse.cu:[[#@LINE+1]]:3: manual: add.cc.u32: it leaves the carry flag to another asm statement
  asm volatile("add.cc.u32 %0, %1, %1;" : "=r"(d[0]) : "r"(d[1]));
  // CHECK: refuse.cu:[[#@LINE+1]]:3: manual: addc.u32: it reads the carry flag of another asm statement
  asm volatile("addc.u32 %0, %1, %1;" : "=r"(d[0]) : "r"(d[1]));
  // CHECK: refuse.cu:[[#@LINE+1]]:3: manual: add.rz.f64: add that rounds other than to nearest: AMD's rounding is a mode of the wave
  asm volatile("add.rz.f64 %0, %1, %1;" : "=d"(*(double *)d) : "d"(2.0));
  // CHECK: refuse.cu:[[#@LINE+1]]:3: manual: ld.local.b32: memory that AMD addresses otherwise
  asm volatile("ld.local.b32 %0, [%1];" : "=r"(d[0]) : "l"(p));
  // CHECK: refuse.cu:[[#@LINE+1]]:3: manual: asm: PTX: control flow inside an asm statement
  asm volatile("{ LOOP: bra LOOP; }");
  // CHECK: refuse.cu:[[#@LINE+1]]:3: manual: mov.u32: AMD has no counterpart of the special register %smid
  asm volatile("mov.u32 %0, %%smid;" : "=r"(d[0]));
  // CHECK: refuse.cu:[[#@LINE+1]]:3: manual: cvt.rm.f64.s64: no lowering for the rounding or types of cvt.f64.s64
  asm volatile("cvt.rm.f64.s64 %0, %1;" : "=d"(*(double *)d) : "l"(p));
}
// CHECK: compiled: gfx942 yes host yes (but for 16 manual sites, with -DLP_ALLOW_MANUAL)
