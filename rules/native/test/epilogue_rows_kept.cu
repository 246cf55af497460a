// What keeps an epilogue that reads values of rows (sums, maxima found between the products) from
// running where the elements lie. The kernel is native all the same, and both go back to CUDA's
// lanes behind the loop.
// RUN: %layout-port %s -o %t.hip --target gfx942 2>&1 | FileCheck %s \
// RUN:   --implicit-check-not='{{(acrossRows|oneLane|tooLate) keeps}}'
// RUN: %ported %t.hip | FileCheck %s --check-prefix=OUT
// OUT-NOT: each_row
// OUT: lp: accumulators in the layout of CUDA
// OUT: lp: values of rows in the lanes of CUDA
// OUT-NEXT: lp::to_warp_rows(l[0], l[1]);
// OUT-NOT: each_row
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

// c[j][2 * r] of row r, of which l[r] is the sum over the lane's columns.
#define KERNEL(name)                                                                               \
  __global__ void __launch_bounds__(64) name(float *C, float *L, int n)
#define SUMS                                                                                       \
  __shared__ half s[1024];                                                                         \
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;                                      \
  const uint32_t base = (uint32_t)__cvta_generic_to_shared(s);                                     \
  float c[2][4] = {}, l[2] = {};                                                                   \
  uint32_t a[4], b[2];

// CHECK-DAG: swapped keeps its epilogue, behind a conversion of 'c': the turn of one row uses the other row ({{.*}}epilogue_rows_kept.cu:[[@LINE+13]])
KERNEL(swapped) {
  SUMS
  for (int i = 0; i < n; ++i) {
    ldsm4(a, base + (warp * 16 + lane % 16) * 32);
    for (int j = 0; j < 2; ++j) {
      ldsm2(b, base + (j * 8 + lane % 8) * 32);
      mma(c[j], a, b);
    }
    for (int e = 0; e < 4; ++e)
      l[e >> 1] += c[0][e] + c[1][e];
  }
  for (int r = 0; r < 2; ++r) {
    const int row = warp * 16 + lane / 4 + r * 8;
    for (int j = 0; j < 2; ++j)
      C[row * 16 + j * 8 + lane % 4 * 2] = c[j][2 * r] / l[1 - r];
  }
}

// CHECK-DAG: onlyPairs keeps its epilogue, behind a conversion of 'c': the lanes of a quad may have different values of 'l' ({{.*}}epilogue_rows_kept.cu:[[@LINE+16]])
KERNEL(onlyPairs) {
  SUMS
  for (int i = 0; i < n; ++i) {
    ldsm4(a, base + (warp * 16 + lane % 16) * 32);
    for (int j = 0; j < 2; ++j) {
      ldsm2(b, base + (j * 8 + lane % 8) * 32);
      mma(c[j], a, b);
    }
    for (int e = 0; e < 4; ++e)
      l[e >> 1] += c[0][e] + c[1][e];
  }
  for (int r = 0; r < 2; ++r) {
    l[r] += __shfl_xor_sync(0xffffffff, l[r], 1);
    const int row = warp * 16 + lane / 4 + r * 8;
    for (int j = 0; j < 2; ++j)
      C[row * 16 + j * 8 + lane % 4 * 2] = c[j][2 * r] / l[r];
  }
  if (lane == 0) // it is not read to its end
    return;
}

// Results stay where they lie: it is read as if it stood between two products.
KERNEL(acrossRows) {
  SUMS
  for (int i = 0; i < n; ++i) {
    ldsm4(a, base + (warp * 16 + lane % 16) * 32);
    for (int j = 0; j < 2; ++j) {
      ldsm2(b, base + (j * 8 + lane % 8) * 32);
      mma(c[j], a, b);
    }
    for (int e = 0; e < 4; ++e)
      l[e >> 1] += c[0][e] + c[1][e];
  }
  for (int r = 0; r < 2; ++r) {
    l[r] += __shfl_xor_sync(0xffffffff, l[r], 1);
    l[r] += __shfl_xor_sync(0xffffffff, l[r], 4);
    const int row = warp * 16 + lane / 4 + r * 8;
    for (int j = 0; j < 2; ++j)
      C[row * 16 + j * 8 + lane % 4 * 2] = c[j][2 * r] / l[r];
  }
}

// Results stay where they lie: it is read as if it stood between two products.
KERNEL(oneLane) {
  SUMS
  for (int i = 0; i < n; ++i) {
    ldsm4(a, base + (warp * 16 + lane % 16) * 32);
    for (int j = 0; j < 2; ++j) {
      ldsm2(b, base + (j * 8 + lane % 8) * 32);
      mma(c[j], a, b);
    }
    for (int e = 0; e < 4; ++e)
      l[e >> 1] += c[0][e] + c[1][e];
  }
  for (int r = 0; r < 2; ++r) {
    l[r] += __shfl_xor_sync(0xffffffff, l[r], 1);
    l[r] += __shfl_xor_sync(0xffffffff, l[r], 2);
    if (lane % 4 == 1)
      l[r] += 1.f;
    const int row = warp * 16 + lane / 4 + r * 8;
    for (int j = 0; j < 2; ++j)
      C[row * 16 + j * 8 + lane % 4 * 2] = c[j][2 * r] / l[r];
  }
}

// CHECK-DAG: carried keeps its epilogue, behind a conversion of 'c': 'total' is kept in registers by lane ({{.*}}epilogue_rows_kept.cu:[[@LINE+16]])
KERNEL(carried) {
  SUMS
  for (int i = 0; i < n; ++i) {
    ldsm4(a, base + (warp * 16 + lane % 16) * 32);
    for (int j = 0; j < 2; ++j) {
      ldsm2(b, base + (j * 8 + lane % 8) * 32);
      mma(c[j], a, b);
    }
    for (int e = 0; e < 4; ++e)
      l[e >> 1] += c[0][e] + c[1][e];
  }
  float total = 0.f;
  for (int r = 0; r < 2; ++r) {
    l[r] += __shfl_xor_sync(0xffffffff, l[r], 1);
    l[r] += __shfl_xor_sync(0xffffffff, l[r], 2);
    total += l[r];
    const int row = warp * 16 + lane / 4 + r * 8;
    for (int j = 0; j < 2; ++j)
      C[row * 16 + j * 8 + lane % 4 * 2] = c[j][2 * r] / total;
  }
}

// CHECK-DAG: onePlace keeps its epilogue, behind a conversion of 'c': several elements are written to one place ({{.*}}epilogue_rows_kept.cu:[[@LINE+13]])
KERNEL(onePlace) {
  SUMS
  for (int i = 0; i < n; ++i) {
    ldsm4(a, base + (warp * 16 + lane % 16) * 32);
    for (int j = 0; j < 2; ++j) {
      ldsm2(b, base + (j * 8 + lane % 8) * 32);
      mma(c[j], a, b);
    }
    for (int e = 0; e < 4; ++e)
      l[e >> 1] += c[0][e] + c[1][e];
  }
  for (int r = 0; r < 2; ++r) {
    L[warp * 8 + lane / 4] = l[r];
    const int row = warp * 16 + lane / 4 + r * 8;
    for (int j = 0; j < 2; ++j)
      C[row * 16 + j * 8 + lane % 4 * 2] = c[j][2 * r];
  }
}

// CHECK-DAG: exchanged keeps its epilogue, behind a conversion of 'c': the order of 'atomicExch' of several elements is lost ({{.*}}epilogue_rows_kept.cu:[[@LINE+13]])
KERNEL(exchanged) {
  SUMS
  for (int i = 0; i < n; ++i) {
    ldsm4(a, base + (warp * 16 + lane % 16) * 32);
    for (int j = 0; j < 2; ++j) {
      ldsm2(b, base + (j * 8 + lane % 8) * 32);
      mma(c[j], a, b);
    }
    for (int e = 0; e < 4; ++e)
      l[e >> 1] += c[0][e] + c[1][e];
  }
  for (int r = 0; r < 2; ++r) {
    atomicExch(&L[warp * 8 + lane / 4], l[r]);
    const int row = warp * 16 + lane / 4 + r * 8;
    for (int j = 0; j < 2; ++j)
      C[row * 16 + j * 8 + lane % 4 * 2] = c[j][2 * r];
  }
}

// CHECK-DAG: readsBack keeps its epilogue, behind a conversion of 'c': 'L' is read behind the epilogue without a barrier ({{.*}}epilogue_rows_kept.cu:[[@LINE+18]])
KERNEL(readsBack) {
  SUMS
  for (int i = 0; i < n; ++i) {
    ldsm4(a, base + (warp * 16 + lane % 16) * 32);
    for (int j = 0; j < 2; ++j) {
      ldsm2(b, base + (j * 8 + lane % 8) * 32);
      mma(c[j], a, b);
    }
    for (int e = 0; e < 4; ++e)
      l[e >> 1] += c[0][e] + c[1][e];
  }
  for (int r = 0; r < 2; ++r) {
    const int row = warp * 16 + lane / 4 + r * 8;
    L[row] = l[r];
    for (int j = 0; j < 2; ++j)
      C[row * 16 + j * 8 + lane % 4 * 2] = c[j][2 * r];
  }
  C[1024 + threadIdx.x] = L[threadIdx.x];
}

// CHECK-DAG: shufflesLanes keeps its epilogue, behind a conversion of 'c': a shuffle in the epilogue is not one of values of rows ({{.*}}epilogue_rows_kept.cu:[[@LINE+13]])
KERNEL(shufflesLanes) {
  SUMS
  for (int i = 0; i < n; ++i) {
    ldsm4(a, base + (warp * 16 + lane % 16) * 32);
    for (int j = 0; j < 2; ++j) {
      ldsm2(b, base + (j * 8 + lane % 8) * 32);
      mma(c[j], a, b);
    }
    for (int e = 0; e < 4; ++e)
      l[e >> 1] += c[0][e] + c[1][e];
  }
  for (int r = 0; r < 2; ++r) {
    const float next = __shfl_xor_sync(0xffffffff, (float)lane, 1);
    const int row = warp * 16 + lane / 4 + r * 8;
    for (int j = 0; j < 2; ++j)
      C[row * 16 + j * 8 + lane % 4 * 2] = c[j][2 * r] + next;
  }
}

// Results stay where they lie: it is read as if it stood between two products.
KERNEL(tooLate) {
  SUMS
  for (int i = 0; i < n; ++i) {
    ldsm4(a, base + (warp * 16 + lane % 16) * 32);
    for (int j = 0; j < 2; ++j) {
      ldsm2(b, base + (j * 8 + lane % 8) * 32);
      mma(c[j], a, b);
    }
    for (int e = 0; e < 4; ++e)
      l[e >> 1] += c[0][e] + c[1][e];
  }
  for (int r = 0; r < 2; ++r) {
    const int row = warp * 16 + lane / 4 + r * 8;
    L[row] = l[r];
    l[r] += __shfl_xor_sync(0xffffffff, l[r], 1);
    for (int j = 0; j < 2; ++j)
      C[row * 16 + j * 8 + lane % 4 * 2] = c[j][2 * r];
  }
}

// Places in loops of their own, beside the tiles: the turn of one row writes where the other's does.
// CHECK-DAG: crossing keeps its epilogue, behind a conversion of 'c': several elements are written to one place ({{.*}}epilogue_rows_kept.cu:[[@LINE+15]])
KERNEL(crossing) {
  SUMS
  for (int i = 0; i < n; ++i) {
    ldsm4(a, base + (warp * 16 + lane % 16) * 32);
    for (int j = 0; j < 2; ++j) {
      ldsm2(b, base + (j * 8 + lane % 8) * 32);
      mma(c[j], a, b);
    }
    for (int e = 0; e < 4; ++e)
      l[e >> 1] += c[0][e] + c[1][e];
  }
  for (int r = 0; r < 2; ++r) {
    l[r] += __shfl_xor_sync(0xffffffff, l[r], 1);
    l[r] += __shfl_xor_sync(0xffffffff, l[r], 2);
    L[warp * 16 + lane / 4 + r * 8] = l[r];
    for (int x = 0; x < 2; ++x)
      L[warp * 16 + lane / 4 + (1 - r) * 8 + x * 64] = l[r] * 3.f;
    const int row = warp * 16 + lane / 4 + r * 8;
    for (int j = 0; j < 2; ++j)
      C[row * 16 + j * 8 + lane % 4 * 2] = c[j][2 * r] / l[r];
  }
}

// CHECK-DAG: ofOneRow keeps its epilogue, behind a conversion of 'c': rows r and r + 8 of a tile are not treated alike in 'first' (
KERNEL(ofOneRow) {
  SUMS
  for (int i = 0; i < n; ++i) {
    ldsm4(a, base + (warp * 16 + lane % 16) * 32);
    for (int j = 0; j < 2; ++j) {
      ldsm2(b, base + (j * 8 + lane % 8) * 32);
      mma(c[j], a, b);
    }
    for (int e = 0; e < 4; ++e)
      l[e >> 1] += c[0][e] + c[1][e];
  }
  const float first = 1.f / l[0];
  for (int r = 0; r < 2; ++r) {
    const int row = warp * 16 + lane / 4 + r * 8;
    for (int j = 0; j < 2; ++j)
      C[row * 16 + j * 8 + lane % 4 * 2] = c[j][2 * r];
  }
  L[(warp * 16 + lane / 4) * 4 + lane % 4] = first;
}
