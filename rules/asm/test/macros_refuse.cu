// What a macro's parameters make of PTX and cannot be ported keeps its name.
// RUN: not %layout-port %s -o %t.hip 2>%t.err
// RUN: FileCheck %s < %t.err
// RUN: %ported %t.hip | FileCheck %s --check-prefix=OUT

// A use inside another macro that stands for several texts.
// CHECK: macros_refuse.cu:[[#@LINE+1]]:{{[0-9]+}}: manual: asm: the PTX text differs between expansions of one use of the macro, in another macro
#define OP(op, d, a) asm(#op ".b32 %0, %1, 3;" : "=r"(d) : "r"(a))
#define BOTH(op, d, a) OP(op, d, a)
// One of the texts is refused.
// CHECK: macros_refuse.cu:[[#@LINE+1]]:{{[0-9]+}}: manual: wgmma.fence.sync.aligned: wgmma: wgmma reads its operands
#define FENCE(what) asm volatile(what ".sync.aligned;")
// A use that no expansion was seen of is stopped, not guessed.
// OUT: #define CMP_min(op, d, a, b) d = __builtin_elementwise_min((unsigned)(a), (unsigned)(b))
// OUT-NEXT: #define CMP(op, d, a, b) LP_MANUAL("the PTX text differs between uses of this macro, and this use was not seen")
// OUT-NEXT: #define CMP_max(op, d, a, b) d = __builtin_elementwise_max((unsigned)(a), (unsigned)(b))
#define CMP(op, d, a, b) asm(#op ".u32 %0, %1, %2;" : "=r"(d) : "r"(a), "r"(b))
// A carry flag that leaves its statement.
__global__ void kernel(unsigned *d) {
  BOTH(and, d[0], d[1]);
  BOTH(or, d[0], d[1]);
  FENCE("wgmma.fence");
  // OUT: CMP_min(min, d[0], d[1], d[2]);
  CMP(min, d[0], d[1], d[2]);
  CMP(max, d[0], d[1], d[2]);
#ifdef OTHER
  // OUT: CMP(add, d[0], d[1], d[2]);
  CMP(add, d[0], d[1], d[2]);
#endif
}
// CHECK: compiled: gfx942 yes host yes (but for 2 manual sites
