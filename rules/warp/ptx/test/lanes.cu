// Shuffles, votes, matches and reductions in PTX form, special registers, tiles.
// RUN: %layout-port %s --target gfx90a,gfx942,gfx950 -o %t.hip 2>%t.err
// RUN: %ported %t.hip | FileCheck %s
// RUN: not grep -E "^ *asm" %t.hip
// RUN: %layout-port verify %s %t.hip --launch %S/Inputs/lanes.yaml | FileCheck %s --check-prefix=SAME
// SAME: {{^}}tested: all outputs
__global__ void lanes(unsigned *D, const unsigned *A, const unsigned *B) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned a = A[t], b = B[t], full = 0xffffffffu;
  unsigned d[20];
  // CHECK: d[0] = lp::shfl_xor((unsigned)a, 3u);
  asm volatile("shfl.sync.bfly.b32 %0, %1, 3, 0x1f, 0xffffffff;" : "=r"(d[0]) : "r"(a));
  // CHECK: d[1] = lp::shfl((unsigned)a, b & 7, 8);
  asm volatile("shfl.sync.idx.b32 %0, %1, %2, 0x181f, %3;" : "=r"(d[1]) : "r"(a), "r"(b & 7), "r"(full));
  // CHECK: do { bool ptx_p; { bool lp_inside; d[2] = lp::shfl_ptx<0>((unsigned)a, 3u, 0u, lp_inside); ptx_p = lp_inside; } if (ptx_p) d[2] = (unsigned)(d[2]) + 5u; } while (0);
  asm volatile("{ .reg .pred p; shfl.sync.up.b32 %0|p, %1, 3, 0, 0xffffffff; @p add.u32 %0, %0, 5; }" : "=r"(d[2]) : "r"(a));
  // CHECK: do { bool ptx_p; { bool lp_inside; d[3] = lp::shfl_ptx<1>((unsigned)a, b & 3, 0x101fu, lp_inside); ptx_p = lp_inside; } if (!ptx_p) d[3] = 1u; } while (0);
  asm volatile("{ .reg .pred p; shfl.sync.down.b32 %0|p, %1, %2, 0x101f, 0xffffffff; @!p mov.u32 %0, 1; }" : "=r"(d[3]) : "r"(a), "r"(b & 3));
  // CHECK: do { bool ptx_p; ptx_p = (unsigned)a < (unsigned)b; d[4] = lp::ballot_sync(0xffffffffu, ptx_p); } while (0);
  asm volatile("{ .reg .pred p; setp.lt.u32 p, %1, %2; vote.sync.ballot.b32 %0, p, 0xffffffff; }" : "=r"(d[4]) : "r"(a), "r"(b));
  // CHECK: do { bool ptx_p; bool ptx_q; ptx_p = (unsigned)a < (unsigned)b; ptx_q = lp::any_sync(0xffffffffu, !ptx_p); d[5] = ptx_q ? 1u : 2u; } while (0);
  asm volatile("{ .reg .pred p, q; setp.lt.u32 p, %1, %2; vote.sync.any.pred q, !p, 0xffffffff; selp.u32 %0, 1, 2, q; }" : "=r"(d[5]) : "r"(a), "r"(b));
  // CHECK: d[6] = lp::match_any_sync(0xffffffffu, (unsigned)(a & 3));
  asm volatile("match.any.sync.b32 %0, %1, 0xffffffff;" : "=r"(d[6]) : "r"(a & 3));
  // CHECK: d[7] = lp::reduce_add_sync(0xffffffffu, (unsigned)a);
  asm volatile("redux.sync.add.u32 %0, %1, 0xffffffff;" : "=r"(d[7]) : "r"(a));
  // CHECK: d[8] = lp::reduce_min_sync(0xffffffffu, (int)(a - b));
  asm volatile("redux.sync.min.s32 %0, %1, 0xffffffff;" : "=r"(d[8]) : "r"(a - b));
  // CHECK: d[9] = lp::reduce_xor_sync(0xffffffffu, (unsigned)a);
  asm volatile("redux.sync.xor.b32 %0, %1, 0xffffffff;" : "=r"(d[9]) : "r"(a));
  // CHECK: d[10] = lp::activemask();
  asm volatile("activemask.b32 %0;" : "=r"(d[10]));
  // CHECK: d[11] = lp::laneid();
  asm volatile("mov.u32 %0, %%laneid;" : "=r"(d[11]));
  // CHECK: d[12] = lp::warpid();
  asm volatile("mov.u32 %0, %%warpid;" : "=r"(d[12]));
  // CHECK: d[13] = lp::lanemask_lt();
  asm volatile("mov.u32 %0, %%lanemask_lt;" : "=r"(d[13]));
  // CHECK: d[14] = lp::lanemask_ge();
  asm volatile("mov.u32 %0, %%lanemask_ge;" : "=r"(d[14]));
  // CHECK: d[15] = blockIdx.x;
  asm volatile("mov.u32 %0, %%ctaid.x;" : "=r"(d[15]));
  // CHECK: d[16] = blockDim.x * blockIdx.x + threadIdx.x;
  asm volatile("mad.lo.u32 %0, %%ntid.x, %%ctaid.x, %%tid.x;" : "=r"(d[16]));
  // CHECK: lp::syncwarp(0xffffffffu);
  asm volatile("bar.warp.sync 0xffffffff;");
  // CHECK: d[17] = lp::movmatrix_trans(a);
  asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(d[17]) : "r"(a));
  __shared__ unsigned tiles[2][32 * 4];
  const unsigned row = (unsigned)__cvta_generic_to_shared(&tiles[threadIdx.x / 32][(threadIdx.x % 32) * 4]);
  // CHECK: lp::stmatrix_x2_trans(row, a, b);
  asm volatile("stmatrix.sync.aligned.m8n8.x2.trans.shared.b16 [%0], {%1, %2};" ::"r"(row), "r"(a), "r"(b));
  // CHECK: lp::syncwarp(0xffffffffu);
  asm volatile("bar.warp.sync 0xffffffff;");
  // CHECK: lp::ldmatrix_x2(d[18], d[19], row);
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared::cta.b16 {%0, %1}, [%2];" : "=r"(d[18]), "=r"(d[19]) : "r"(row));
  for (int i = 0; i < 20; ++i)
    D[20 * t + i] = d[i];
}
__global__ void tiles(unsigned *D, const unsigned *A) {
  __shared__ unsigned tiles[2][32 * 4];
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned *own = &tiles[threadIdx.x / 32][(threadIdx.x % 32) * 4];
  const unsigned row = (unsigned)__cvta_generic_to_shared(own);
  unsigned a[4] = {A[4 * t], A[4 * t + 1], A[4 * t + 2], A[4 * t + 3]}, d[4];
  // CHECK: lp::stmatrix_x4(row, a[0], a[1], a[2], a[3]);
  asm volatile("stmatrix.sync.aligned.x4.m8n8.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(row), "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]));
  // CHECK: lp::syncwarp(0xffffffffu);
  asm volatile("bar.warp.sync 0xffffffff;");
  // CHECK: lp::ldmatrix_x4_trans(d[0], d[1], d[2], d[3], row);
  asm volatile("ldmatrix.sync.aligned.x4.trans.m8n8.shared.b16 {%0, %1, %2, %3}, [%4];" : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3]) : "r"(row));
  // CHECK: lp::syncwarp(0xffffffffu);
  asm volatile("bar.warp.sync 0xffffffff;");
  // CHECK: lp::stmatrix_x1_trans(row, d[1]);
  asm volatile("stmatrix.sync.aligned.m8n8.x1.trans.shared.b16 [%0], {%1};" ::"r"(row), "r"(d[1]));
  // CHECK: lp::syncwarp(0xffffffffu);
  asm volatile("bar.warp.sync 0xffffffff;");
  // CHECK: lp::ldmatrix_x1(d[1], lp::cvta_generic_to_shared((const void *)(own)));
  asm volatile("ldmatrix.sync.aligned.m8n8.x1.b16 {%0}, [%1];" : "=r"(d[1]) : "l"(own));
  for (int i = 0; i < 4; ++i)
    D[4 * t + i] = d[i];
}
