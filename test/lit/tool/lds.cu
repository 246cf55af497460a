// More shared memory than the chip has: an error with figures, and what would help.
// RUN: not %layout-port %s --target gfx942,gfx950 -o %t.hip 2>%t.err
// RUN: FileCheck %s < %t.err
// CHECK: note: tile(float*) wants 80000 bytes of shared memory a block, gfx942 has 65536: 14464 too many. Fewer pipeline stages or a smaller tile bring it down; gfx950 has 163840
// CHECK: compiled: gfx942 NO gfx950 yes
__global__ void tile(float *p) {
  __shared__ float s[20000];
  s[threadIdx.x] = p[threadIdx.x];
  __syncthreads();
  p[threadIdx.x] = s[19999 - threadIdx.x];
}
