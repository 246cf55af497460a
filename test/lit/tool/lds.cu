// More shared memory than the chip has: an error with figures, and what would help.
// RUN: not %layout-port %s --target gfx942,gfx950 -o %t.hip --json %t.json 2>%t.err
// RUN: FileCheck %s < %t.err
// RUN: python3 %S/Inputs/check_report.py %t.json
// CHECK: note: tile(float*) wants 80000 bytes of shared memory a block, gfx942 has 65536: 14464 too many. Fewer pipeline stages or a smaller tile bring it down; gfx950 has 163840
// CHECK: compiled: gfx942 NO gfx950 yes
__global__ void tile(float *p) {
  __shared__ float s[20000];
  s[threadIdx.x] = p[threadIdx.x];
  __syncthreads();
  p[threadIdx.x] = s[19999 - threadIdx.x];
}

// As the launch asks for it, with what the kernel declares itself.
// RUN: sed -n 's/^\/\/dynamic: //p' %s > %t.cu
// RUN: not %layout-port %t.cu --target gfx942,gfx950 -o %t.hip 2>%t.err
// RUN: FileCheck %s --check-prefix=DYNAMIC < %t.err
// DYNAMIC: .cu:6: k wants 66560 bytes of shared memory a block, gfx942 has 65536: 1024 too many. Fewer pipeline stages or a smaller tile bring it down; gfx950 has 163840
// DYNAMIC: .cu:7: k wants 132096 bytes of shared memory a block, gfx942 has 65536: 66560 too many.
// DYNAMIC: compiled: gfx942 NO gfx950 yes
// DYNAMIC-NEXT: gfx942:
// DYNAMIC-NEXT: .cu:6: k wants 66560 bytes
//dynamic: __global__ void k(float *p) { extern __shared__ float s[]; __shared__ float t[256]; t[0] = s[0] = *p; }
//dynamic: void f(float *p, int n) {
//dynamic:   const int stages = 2;
//dynamic:   int bytes = stages * 32 * 1024, other = n;
//dynamic:   other = 1 << 20;
//dynamic:   cudaFuncSetAttribute(k, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
//dynamic:   k<<<1, 64, 2 * bytes>>>(p);
//dynamic:   k<<<1, 64, other>>>(p);
//dynamic: }
