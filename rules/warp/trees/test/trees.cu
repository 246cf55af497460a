// Reductions and scans that are seen whole: DPP alone where the order of the operations does
// not matter, the author's order where it does.
// RUN: %layout-port %s --target gfx90a,gfx942,gfx950 -o %t.hip --json %t.json --verify --launch %S/Inputs/trees.yaml 2>&1 | FileCheck %s --check-prefix=REPORT
// RUN: %ported %t.hip | FileCheck %s
// RUN: FileCheck %s --check-prefix=WHY < %t.json
// RUN: %clang-hip --offload-arch=gfx90a -O3 -S --no-gpu-bundle-output %t.hip -o - | FileCheck %s --check-prefix=ISA
// REPORT: compiled: gfx90a yes gfx942 yes gfx950 yes host yes
// REPORT: verify gfx90a: {{proved|tested}}
// REPORT: verify gfx942: {{proved|tested}}
// REPORT: verify gfx950: {{proved|tested}}
#define FULL 0xffffffffu

// No instruction of the LDS pipe.
// ISA-LABEL: {{^}}_Z7largestPf:
// ISA-NOT: {{ds_swizzle|ds_bpermute}}
// ISA: row_bcast:15
// ISA-NOT: {{ds_swizzle|ds_bpermute}}
// ISA: s_endpgm
__global__ void largest(float *p) {
  float v = p[threadIdx.x];
  for (int o = 16; o > 0; o >>= 1)
    // WHY: "reason": "a step of a reduction of all 32 lanes: rows of 16 first, by DPP alone"
    // CHECK: v = fmaxf(v, lp::reduce_step(v, 16 / o));
    v = fmaxf(v, __shfl_xor_sync(FULL, v, o));
  p[threadIdx.x] = v;
}
// Upwards the rows come first as they are written: the same sums.
// ISA-LABEL: {{^}}_Z6upwardPf:
// ISA-NOT: {{ds_swizzle|ds_bpermute}}
// ISA: s_endpgm
__global__ void upward(float *p) {
  float v = p[threadIdx.x];
  for (int o = 1; o < 32; o *= 2)
    // CHECK: v += lp::reduce_step(v, o);
    v += __shfl_xor_sync(FULL, v, o);
  p[threadIdx.x] = v;
}
// Downwards XOR 16 is the first: rounding keeps its order.
__global__ void downward(float *p) {
  float v = p[threadIdx.x];
  for (int o = 16; o > 0; o /= 2)
    // WHY: "reason": "inside the warp's 32 of 64 lanes; not all steps at once: the order of its roundings is the author's"
    // CHECK: v += lp::shfl_xor(v, o);
    v += __shfl_xor_sync(FULL, v, o);
  p[threadIdx.x] = v;
}
// A tree that lane 0 alone looks at: to it XOR brings the same, in the same order.
// ISA-LABEL: {{^}}_Z5firstPfi:
// ISA: ds_swizzle
// ISA-NOT: {{ds_swizzle|ds_bpermute}}
// ISA: s_endpgm
__device__ float warpSum(float v) {
  for (int o = 16; o; o >>= 1)
    // WHY: "reason": "a step of a tree whose result only lane 0 looks at: to it XOR brings the same"
    // CHECK: v += lp::shfl_xor(v, o);
    v += __shfl_down_sync(FULL, v, o);
  return v;
}
__global__ void first(float *p, int n) {
  const int lane = threadIdx.x % 32;
  const float sum = warpSum(p[threadIdx.x]);
  if (lane == 0)
    p[threadIdx.x] = sum * n;
}
// Whole numbers have no order. Every lane looks, lane 0 alone, every lane at a down-tree.
// ISA-LABEL: {{^}}_Z5wholePii:
// ISA: s_endpgm
__global__ void whole(int *p, int n) {
  const int lane = threadIdx.x & 31;
  int a = p[threadIdx.x], b = a * 3, c = a;
#pragma unroll
  for (int i = 4; i >= 0; --i)
    // CHECK: a += lp::reduce_step(a, 16 / (1 << i));
    a += __shfl_xor_sync(FULL, a, 1 << i);
  for (int o = 16; o > 0; o >>= 1)
    // CHECK: b ^= lp::reduce_step(b, 16 / o);
    b ^= __shfl_down_sync(FULL, b, o);
  for (int o = 16; o > 0; o >>= 1)
    // WHY: "reason": "inside the warp's 32 of 64 lanes; not all steps at once: lanes other than the first look at its result"
    // CHECK: c += lp::shfl_down(c, o);
    c += __shfl_down_sync(FULL, c, o);
  p[threadIdx.x] = a + c;
  if (lane == 0)
    p[threadIdx.x] += b * n;
}
// Scans: of whole numbers by rows, of floats step by step.
// ISA-LABEL: {{^}}_Z5scansPiPf:
__global__ void scans(int *p, float *q) {
  const int lane = threadIdx.x & 31;
  int v = p[threadIdx.x];
  for (int d = 1; d < 32; d <<= 1) {
    // WHY: "reason": "a step of a scan of all 32 lanes: rows of 16 first, by DPP alone"
    // CHECK: int n = lp::scan_step(v, d, 0);
    int n = __shfl_up_sync(FULL, v, d);
    if (lane >= d)
      v += n;
  }
  float f = q[threadIdx.x];
  for (int d = 1; d < 32; d <<= 1) {
    // CHECK: float n = lp::shfl_up(f, d);
    float n = __shfl_up_sync(FULL, f, d);
    if (lane >= d)
      f += n;
  }
  // Wrong by one lane: no scan.
  int w = v;
  for (int d = 1; d < 32; d <<= 1) {
    // WHY: "reason": "inside the warp's 32 of 64 lanes; not all steps at once: its lanes are not seen to add from as far as they may"
    // CHECK: int n = lp::shfl_up(w, d);
    int n = __shfl_up_sync(FULL, w, d);
    if (lane > d)
      w += n;
  }
  p[threadIdx.x] = v ^ w;
  q[threadIdx.x] = f;
}
// What looks like a tree and is none.
__global__ void others(int *p, int n) {
  const int lane = threadIdx.x & 31;
  int a = p[threadIdx.x], b = a, c = a, e = a;
  for (int o = 16; o > 0; o /= 2) {
    // CHECK: const int moved = lp::shfl_xor(a, o);
    const int moved = __shfl_xor_sync(FULL, a, o);
    a += moved;
    n ^= moved;
  }
  for (int o = 8; o > 0; o /= 2)
    // CHECK: b += lp::shfl_xor(b, o);
    b += __shfl_xor_sync(FULL, b, o);
  for (int o = 16; o > 0; o /= 2)
    // CHECK: c -= lp::shfl_xor(c, o);
    c -= __shfl_xor_sync(FULL, c, o);
  for (int o = 16; o > 0; o /= 2)
    // CHECK: e += lp::shfl_down(e, o);
    e += __shfl_down_sync(FULL, e, o);
again:
  if (lane == 0)
    p[threadIdx.x] = e;
  if (!p)
    goto again;
  if (lane)
    p[threadIdx.x] = a + 3 * b + 5 * c + 7 * n;
}
