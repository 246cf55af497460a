// Sums over rows, in a scalar for either row of a lane, that an epilogue cannot make where the
// elements lie: each lane has one of the two rows, and other columns than in CUDA. The kernel is
// native all the same, and its accumulators go back to CUDA's layout behind the loop.
// RUN: %layout-port %s -o %t.hip --target gfx942 2>&1 | FileCheck %s \
// RUN:   --implicit-check-not='{{(ofSums) keeps}}'
#include <cuda_fp16.h>
#include <stdint.h>

__device__ void ldsm4(uint32_t (&r)[4], uint32_t a) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(a));
}
__device__ void ldsm2(uint32_t (&r)[2], uint32_t a) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%2];" : "=r"(r[0]), "=r"(r[1]) : "r"(a));
}
__device__ void mma(float (&d)[4], const uint32_t (&a)[4], const uint32_t (&b)[2]) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
               "{%8,%9}, {%0,%1,%2,%3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

#define KERNEL(name) __global__ void __launch_bounds__(64) name(float *C)
#define SETUP                                                                                      \
  __shared__ half s[1024];                                                                         \
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, row = warp * 16 + lane / 4;          \
  const uint32_t base = (uint32_t)__cvta_generic_to_shared(s);                                     \
  float c[2][4] = {};                                                                              \
  uint32_t a[4], b[2];

// CHECK-DAG: otherStart keeps its epilogue, behind a conversion of 'c': 's0' and 's1' do not begin as one constant ({{.*}}epilogue_sums_kept.cu:[[@LINE+9]])
KERNEL(otherStart) {
  SETUP
  ldsm4(a, base + (warp * 16 + lane % 16) * 32);
  for (int j = 0; j < 2; ++j) {
    ldsm2(b, base + (j * 8 + lane % 8) * 32);
    mma(c[j], a, b);
  }
  float s0 = 0.f, s1 = 1.f;
  for (int j = 0; j < 2; ++j) {
    s0 += c[j][0];
    s1 += c[j][2];
  }
  s0 += __shfl_xor_sync(0xffffffff, s0, 1);
  s0 += __shfl_xor_sync(0xffffffff, s0, 2);
  s1 += __shfl_xor_sync(0xffffffff, s1, 1);
  s1 += __shfl_xor_sync(0xffffffff, s1, 2);
  C[row] = s0;
  C[row + 8] = s1;
}

// CHECK-DAG: otherType keeps its epilogue, behind a conversion of 'c': 's0' and 's1' are not of one type (
KERNEL(otherType) {
  SETUP
  ldsm4(a, base + (warp * 16 + lane % 16) * 32);
  for (int j = 0; j < 2; ++j) {
    ldsm2(b, base + (j * 8 + lane % 8) * 32);
    mma(c[j], a, b);
  }
  float s0 = 0.f;
  double s1 = 0.f;
  for (int j = 0; j < 2; ++j) {
    s0 += c[j][0];
    s1 += c[j][2];
  }
  s0 += __shfl_xor_sync(0xffffffff, s0, 1);
  s0 += __shfl_xor_sync(0xffffffff, s0, 2);
  s1 += __shfl_xor_sync(0xffffffff, s1, 1);
  s1 += __shfl_xor_sync(0xffffffff, s1, 2);
  C[row] = s0;
  C[row + 8] = s1;
}

// CHECK-DAG: byReference keeps its epilogue, behind a conversion of 'c': a sum over a row is used in another way than across its quad ({{.*}}epilogue_sums_kept.cu:[[@LINE+9]])
KERNEL(byReference) {
  SETUP
  ldsm4(a, base + (warp * 16 + lane % 16) * 32);
  for (int j = 0; j < 2; ++j) {
    ldsm2(b, base + (j * 8 + lane % 8) * 32);
    mma(c[j], a, b);
  }
  float s0 = 0.f, s1 = 0.f;
  float &other = s0;
  other += 2.f;
  for (int j = 0; j < 2; ++j) {
    s0 += c[j][0];
    s1 += c[j][2];
  }
  s0 += __shfl_xor_sync(0xffffffff, s0, 1);
  s0 += __shfl_xor_sync(0xffffffff, s0, 2);
  s1 += __shfl_xor_sync(0xffffffff, s1, 1);
  s1 += __shfl_xor_sync(0xffffffff, s1, 2);
  C[row] = s0;
  C[row + 8] = s1;
}

// CHECK-DAG: running keeps its epilogue, behind a conversion of 'c': a part of a sum over a row is used before it is whole ({{.*}}epilogue_sums_kept.cu:[[@LINE+12]])
KERNEL(running) {
  SETUP
  ldsm4(a, base + (warp * 16 + lane % 16) * 32);
  for (int j = 0; j < 2; ++j) {
    ldsm2(b, base + (j * 8 + lane % 8) * 32);
    mma(c[j], a, b);
  }
  float s0 = 0.f, s1 = 0.f;
  for (int j = 0; j < 2; ++j) {
    s0 += c[j][0];
    s1 += c[j][2];
    C[64 + row * 16 + j * 8 + lane % 4 * 2] = s0;
    C[64 + (row + 8) * 16 + j * 8 + lane % 4 * 2] = s1;
  }
  s0 += __shfl_xor_sync(0xffffffff, s0, 1);
  s0 += __shfl_xor_sync(0xffffffff, s0, 2);
  s1 += __shfl_xor_sync(0xffffffff, s1, 1);
  s1 += __shfl_xor_sync(0xffffffff, s1, 2);
  C[row] = s0;
  C[row + 8] = s1;
}

// CHECK-DAG: decides keeps its epilogue, behind a conversion of 'c': a part of a sum over a row is used before it is whole ({{.*}}epilogue_sums_kept.cu:[[@LINE+12]])
KERNEL(decides) {
  SETUP
  ldsm4(a, base + (warp * 16 + lane % 16) * 32);
  for (int j = 0; j < 2; ++j) {
    ldsm2(b, base + (j * 8 + lane % 8) * 32);
    mma(c[j], a, b);
  }
  float s0 = 0.f, s1 = 0.f;
  for (int j = 0; j < 2; ++j) {
    s0 += c[j][0];
    s1 += c[j][2];
    if (s0 > 1.f)
      C[64 + row * 16 + j * 8 + lane % 4 * 2] = c[j][1];
    if (s1 > 1.f)
      C[64 + (row + 8) * 16 + j * 8 + lane % 4 * 2] = c[j][3];
  }
  s0 += __shfl_xor_sync(0xffffffff, s0, 1);
  s0 += __shfl_xor_sync(0xffffffff, s0, 2);
  s1 += __shfl_xor_sync(0xffffffff, s1, 1);
  s1 += __shfl_xor_sync(0xffffffff, s1, 2);
  C[row] = s0;
  C[row + 8] = s1;
}

// Results stay where they lie: it is read as if it stood between two products.
KERNEL(ofSums) {
  SETUP
  ldsm4(a, base + (warp * 16 + lane % 16) * 32);
  for (int j = 0; j < 2; ++j) {
    ldsm2(b, base + (j * 8 + lane % 8) * 32);
    mma(c[j], a, b);
  }
  float s0 = 0.f, s1 = 0.f, t0 = 0.f, t1 = 0.f;
  for (int j = 0; j < 2; ++j) {
    s0 += c[j][0];
    s1 += c[j][2];
    t0 += c[j][1] * s0;
    t1 += c[j][3] * s1;
  }
  s0 += __shfl_xor_sync(0xffffffff, s0, 1);
  s0 += __shfl_xor_sync(0xffffffff, s0, 2);
  s1 += __shfl_xor_sync(0xffffffff, s1, 1);
  s1 += __shfl_xor_sync(0xffffffff, s1, 2);
  t0 += __shfl_xor_sync(0xffffffff, t0, 1);
  t0 += __shfl_xor_sync(0xffffffff, t0, 2);
  t1 += __shfl_xor_sync(0xffffffff, t1, 1);
  t1 += __shfl_xor_sync(0xffffffff, t1, 2);
  C[row] = s0 + t0;
  C[row + 8] = s1 + t1;
}

// One of the two rows alone, outside of the loop over tiles: a lane of either row would do it.
// CHECK-DAG: besides keeps its epilogue, behind a conversion of 'c': a part of a sum over a row is used before it is whole ({{.*}}epilogue_sums_kept.cu:[[@LINE+10]])
KERNEL(besides) {
  SETUP
  ldsm4(a, base + (warp * 16 + lane % 16) * 32);
  for (int j = 0; j < 2; ++j) {
    ldsm2(b, base + (j * 8 + lane % 8) * 32);
    mma(c[j], a, b);
  }
  float s0 = 0.f, s1 = 0.f;
  for (int i = 0; i < 2; ++i) {
    s0 += 1.f;
    for (int j = 0; j < 2; ++j) {
      s0 += c[j][0];
      s1 += c[j][2];
    }
  }
  s0 += __shfl_xor_sync(0xffffffff, s0, 1);
  s0 += __shfl_xor_sync(0xffffffff, s0, 2);
  s1 += __shfl_xor_sync(0xffffffff, s1, 1);
  s1 += __shfl_xor_sync(0xffffffff, s1, 2);
  C[row] = s0;
  C[row + 8] = s1;
}

// Places in loops of their own.
// CHECK-DAG: twice keeps its epilogue, behind a conversion of 'c': several elements are written to one place ({{.*}}epilogue_sums_kept.cu:[[@LINE+11]])
KERNEL(twice) {
  SETUP
  ldsm4(a, base + (warp * 16 + lane % 16) * 32);
  for (int j = 0; j < 2; ++j) {
    ldsm2(b, base + (j * 8 + lane % 8) * 32);
    mma(c[j], a, b);
  }
  for (int j = 0; j < 2; ++j) {
    const int col = j * 8 + lane % 4 * 2;
    for (int e = 0; e < 4; ++e)
      C[(row + e / 2 * 8) * 16 + col + e % 2] = c[j][e];
    C[row * 16 + col] = c[j][0] * 2.f;
    C[(row + 8) * 16 + col] = c[j][2] * 2.f;
  }
}
