// An offset that is a constant bound to "n".
// RUN: %layout-port %s -o %t.hip 2>%t.err
// RUN: %ported %t.hip | FileCheck %s
template <int step> __global__ void offsets(unsigned *d, const unsigned *p, unsigned s) {
  // CHECK: d[0] = *lp::global_at<unsigned>((unsigned long long)(p) + 4);
  asm volatile("ld.global.u32 %0, [%1+%2];" : "=r"(d[0]) : "l"(p), "n"(4));
  // CHECK: d[1] = *lp::lds_at<unsigned>((s) + (step * 4) + 8);
  asm volatile("ld.shared.u32 %0, [%1 + %2 + 8];" : "=r"(d[1]) : "r"(s), "n"(step * 4));
}
template __global__ void offsets<2>(unsigned *, const unsigned *, unsigned);
