// Epilogues in which one row of a tile has a say in what becomes of the other: they stay where CUDA
// has both rows in one lane.
//
// RUN: %layout-port %s -o %t.hip --target gfx90a,gfx942,gfx950 --verify --launch %S/Inputs/rows_apart.yaml 2>&1 | FileCheck %s --check-prefix=REPORT
//
// REPORT-DAG: leftByElement keeps its epilogue, behind a conversion of 'acc': an element of one row decides whether its tile is left
// REPORT-DAG: leftBetween keeps its epilogue, behind a conversion of 'acc': an element of one row decides whether its tile is left
// REPORT-DAG: leftInFunction keeps its epilogue, behind a conversion of 'acc': in 'storeSome', an element of one row decides whether its tile is left
// REPORT-DAG: oldInFunction keeps its epilogue, behind a conversion of 'acc': 'C' is read for one row of a tile where the other's element is written
// REPORT-DAG: readInFunction keeps its epilogue, behind a conversion of 'acc': 'sums' may be the memory that the epilogue writes
// REPORT-DAG: readThroughPointer keeps its epilogue, behind a conversion of 'acc': the epilogue hands memory to 'valueAt'
// REPORT-DAG: twoInstances keeps its epilogue, behind a conversion of 'acc': in 'storeColumn', what is written once for one row would be another in its other instances
// REPORT-DAG: throughAddress keeps its epilogue, behind a conversion of 'acc': the two rows of a tile are treated differently
// REPORT-DAG: narrowed keeps its epilogue, behind a conversion of 'acc': which register of the accumulator is meant is not clear
// REPORT-NOT: {{refuted|readApart keeps}}
// REPORT: verify gfx90a: proved
// REPORT: verify gfx942: proved
// REPORT: verify gfx950: proved
#include <cuda_fp16.h>
#include <stdint.h>

__device__ __forceinline__ uint32_t word(const half *p) { return *(const uint32_t *)p; }
__device__ __forceinline__ void mma(float (&d)[4], const uint32_t (&a)[4], const uint32_t (&b)[2]) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
               "{%8,%9}, {%0,%1,%2,%3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

// An element of the upper row leaves both out.
__global__ void __launch_bounds__(64) leftByElement(const half *A, const half *B, float *C, int K) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, g = lane / 4, t = lane % 4;
  float acc[2][4] = {};
  for (int k = 0; k < K; k += 16) {
    uint32_t a[4], b[2];
    const half *p = A + ((blockIdx.x * 2 + warp) * 16 + g) * K + t * 2 + k;
    a[0] = word(p);
    a[1] = word(p + 8 * K);
    a[2] = word(p + 8);
    a[3] = word(p + 8 * K + 8);
    for (int j = 0; j < 2; ++j) {
      const half *q = B + (j * 8 + g) * K + k + t * 2;
      b[0] = word(q);
      b[1] = word(q + 8);
      mma(acc[j], a, b);
    }
  }
  const int row = (blockIdx.x * 2 + warp) * 16 + g;
  for (int j = 0; j < 2; ++j) {
    const int col = j * 8 + t * 2;
    if (acc[j][0] > 0.f)
      continue;
    C[row * 16 + col] = acc[j][0];
    C[row * 16 + col + 1] = acc[j][1];
    C[(row + 8) * 16 + col] = acc[j][2];
    C[(row + 8) * 16 + col + 1] = acc[j][3];
  }
}

__global__ void __launch_bounds__(64) leftBetween(const half *A, const half *B, float *C, int K) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, g = lane / 4, t = lane % 4;
  float acc[2][4] = {};
  for (int k = 0; k < K; k += 16) {
    uint32_t a[4], b[2];
    const half *p = A + ((blockIdx.x * 2 + warp) * 16 + g) * K + t * 2 + k;
    a[0] = word(p);
    a[1] = word(p + 8 * K);
    a[2] = word(p + 8);
    a[3] = word(p + 8 * K + 8);
    for (int j = 0; j < 2; ++j) {
      const half *q = B + (j * 8 + g) * K + k + t * 2;
      b[0] = word(q);
      b[1] = word(q + 8);
      mma(acc[j], a, b);
    }
  }
  const int row = (blockIdx.x * 2 + warp) * 16 + g;
  for (int j = 0; j < 2; ++j) {
    const int col = j * 8 + t * 2;
    C[row * 16 + col] = acc[j][0];
    if (acc[j][1] > 0.f)
      continue;
    C[(row + 8) * 16 + col] = acc[j][2];
  }
}

__device__ void storeSome(float *C, const float (&c)[4], int row, int col) {
  if (c[0] > 0.f)
    return;
  C[row * 16 + col] = c[0];
  C[(row + 8) * 16 + col] = c[2];
}

__global__ void __launch_bounds__(64) leftInFunction(const half *A, const half *B, float *C, int K) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, g = lane / 4, t = lane % 4;
  float acc[2][4] = {};
  for (int k = 0; k < K; k += 16) {
    uint32_t a[4], b[2];
    const half *p = A + ((blockIdx.x * 2 + warp) * 16 + g) * K + t * 2 + k;
    a[0] = word(p);
    a[1] = word(p + 8 * K);
    a[2] = word(p + 8);
    a[3] = word(p + 8 * K + 8);
    for (int j = 0; j < 2; ++j) {
      const half *q = B + (j * 8 + g) * K + k + t * 2;
      b[0] = word(q);
      b[1] = word(q + 8);
      mma(acc[j], a, b);
    }
  }
  const int row = (blockIdx.x * 2 + warp) * 16 + g;
  for (int j = 0; j < 2; ++j) {
    const int col = j * 8 + t * 2;
    storeSome(C, acc[j], row, col);
  }
}

__device__ void storeSum(float *C, const float (&c)[4], int row, int col) {
  C[row * 16 + col] = c[0];
  C[(row + 8) * 16 + col] = c[2] + C[row * 16 + col];
}

__global__ void __launch_bounds__(64) oldInFunction(const half *A, const half *B, float *C, int K) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, g = lane / 4, t = lane % 4;
  float acc[2][4] = {};
  for (int k = 0; k < K; k += 16) {
    uint32_t a[4], b[2];
    const half *p = A + ((blockIdx.x * 2 + warp) * 16 + g) * K + t * 2 + k;
    a[0] = word(p);
    a[1] = word(p + 8 * K);
    a[2] = word(p + 8);
    a[3] = word(p + 8 * K + 8);
    for (int j = 0; j < 2; ++j) {
      const half *q = B + (j * 8 + g) * K + k + t * 2;
      b[0] = word(q);
      b[1] = word(q + 8);
      mma(acc[j], a, b);
    }
  }
  const int row = (blockIdx.x * 2 + warp) * 16 + g;
  for (int j = 0; j < 2; ++j) {
    const int col = j * 8 + t * 2;
    storeSum(C, acc[j], row, col);
  }
}

__device__ float sums[2048];
__device__ float sumAt(int i) { return sums[i]; }

// What a function reads is read here.
__global__ void __launch_bounds__(64) readInFunction(const half *A, const half *B, float *C, int K) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, g = lane / 4, t = lane % 4;
  float acc[2][4] = {};
  for (int k = 0; k < K; k += 16) {
    uint32_t a[4], b[2];
    const half *p = A + ((blockIdx.x * 2 + warp) * 16 + g) * K + t * 2 + k;
    a[0] = word(p);
    a[1] = word(p + 8 * K);
    a[2] = word(p + 8);
    a[3] = word(p + 8 * K + 8);
    for (int j = 0; j < 2; ++j) {
      const half *q = B + (j * 8 + g) * K + k + t * 2;
      b[0] = word(q);
      b[1] = word(q + 8);
      mma(acc[j], a, b);
    }
  }
  const int row = (blockIdx.x * 2 + warp) * 16 + g;
  for (int j = 0; j < 2; ++j) {
    const int col = j * 8 + t * 2;
    sums[row * 16 + col] = acc[j][0];
    sums[(row + 8) * 16 + col] = acc[j][2] + sumAt(row * 16 + col);
    C[row * 16 + col] = acc[j][1];
    C[(row + 8) * 16 + col] = acc[j][3];
  }
}

__device__ float valueAt(const float *from, int i) { return from[i]; }

__global__ void __launch_bounds__(64) readThroughPointer(const half *A, const half *B, float *C, int K) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, g = lane / 4, t = lane % 4;
  float acc[2][4] = {};
  for (int k = 0; k < K; k += 16) {
    uint32_t a[4], b[2];
    const half *p = A + ((blockIdx.x * 2 + warp) * 16 + g) * K + t * 2 + k;
    a[0] = word(p);
    a[1] = word(p + 8 * K);
    a[2] = word(p + 8);
    a[3] = word(p + 8 * K + 8);
    for (int j = 0; j < 2; ++j) {
      const half *q = B + (j * 8 + g) * K + k + t * 2;
      b[0] = word(q);
      b[1] = word(q + 8);
      mma(acc[j], a, b);
    }
  }
  const int row = (blockIdx.x * 2 + warp) * 16 + g;
  for (int j = 0; j < 2; ++j) {
    const int col = j * 8 + t * 2;
    C[row * 16 + col] = acc[j][0];
    C[(row + 8) * 16 + col] = acc[j][2] + valueAt(C, row * 16 + col);
  }
}

__constant__ float table[4] = {1.f, 2.f, 3.f, 4.f};
__device__ float entry(int i) { return table[i]; }

// Of memory that nobody writes, it may.
__global__ void __launch_bounds__(64) readApart(const half *A, const half *B, float *C, int K) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, g = lane / 4, t = lane % 4;
  float acc[2][4] = {};
  for (int k = 0; k < K; k += 16) {
    uint32_t a[4], b[2];
    const half *p = A + ((blockIdx.x * 2 + warp) * 16 + g) * K + t * 2 + k;
    a[0] = word(p);
    a[1] = word(p + 8 * K);
    a[2] = word(p + 8);
    a[3] = word(p + 8 * K + 8);
    for (int j = 0; j < 2; ++j) {
      const half *q = B + (j * 8 + g) * K + k + t * 2;
      b[0] = word(q);
      b[1] = word(q + 8);
      mma(acc[j], a, b);
    }
  }
  const int row = (blockIdx.x * 2 + warp) * 16 + g;
  for (int j = 0; j < 2; ++j) {
    const int col = j * 8 + t * 2;
    C[row * 16 + col] = acc[j][0] + entry(col % 4);
    C[(row + 8) * 16 + col] = acc[j][2] + entry(col % 4);
  }
}

template <int N> __device__ void storeColumn(float *C, const float (&c)[4], int row, int col) {
  C[row * 16 + col + N] = c[N];
  C[(row + 8) * 16 + col + N] = c[N + 2];
}

// One text is two functions.
__global__ void __launch_bounds__(64) twoInstances(const half *A, const half *B, float *C, int K) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, g = lane / 4, t = lane % 4;
  float acc[2][4] = {};
  for (int k = 0; k < K; k += 16) {
    uint32_t a[4], b[2];
    const half *p = A + ((blockIdx.x * 2 + warp) * 16 + g) * K + t * 2 + k;
    a[0] = word(p);
    a[1] = word(p + 8 * K);
    a[2] = word(p + 8);
    a[3] = word(p + 8 * K + 8);
    for (int j = 0; j < 2; ++j) {
      const half *q = B + (j * 8 + g) * K + k + t * 2;
      b[0] = word(q);
      b[1] = word(q + 8);
      mma(acc[j], a, b);
    }
  }
  const int row = (blockIdx.x * 2 + warp) * 16 + g;
  for (int j = 0; j < 2; ++j) {
    const int col = j * 8 + t * 2;
    storeColumn<0>(C, acc[j], row, col);
  }
  for (int j = 0; j < 2; ++j) {
    const int col = j * 8 + t * 2;
    storeColumn<1>(C, acc[j], row, col);
  }
}

__global__ void __launch_bounds__(64) throughAddress(const half *A, const half *B, float *C, int K) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, g = lane / 4, t = lane % 4;
  float acc[2][4] = {};
  for (int k = 0; k < K; k += 16) {
    uint32_t a[4], b[2];
    const half *p = A + ((blockIdx.x * 2 + warp) * 16 + g) * K + t * 2 + k;
    a[0] = word(p);
    a[1] = word(p + 8 * K);
    a[2] = word(p + 8);
    a[3] = word(p + 8 * K + 8);
    for (int j = 0; j < 2; ++j) {
      const half *q = B + (j * 8 + g) * K + k + t * 2;
      b[0] = word(q);
      b[1] = word(q + 8);
      mma(acc[j], a, b);
    }
  }
  const int row = (blockIdx.x * 2 + warp) * 16 + g;
  for (int j = 0; j < 2; ++j) {
    const int col = j * 8 + t * 2;
    float2 s = {0.f, 0.f};
    (&s)->x = acc[j][0];
    C[row * 16 + col] = acc[j][0];
    C[(row + 8) * 16 + col] = acc[j][2] + s.x;
  }
}

struct Four {
  float x[4];
  __device__ float &operator[](bool i) { return x[i]; }
};

// x[0], x[1], x[1], x[1].
__global__ void __launch_bounds__(64) narrowed(const half *A, const half *B, float *C, int K) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, g = lane / 4, t = lane % 4;
  Four acc[2] = {};
  for (int k = 0; k < K; k += 16) {
    uint32_t a[4], b[2];
    const half *p = A + ((blockIdx.x * 2 + warp) * 16 + g) * K + t * 2 + k;
    a[0] = word(p);
    a[1] = word(p + 8 * K);
    a[2] = word(p + 8);
    a[3] = word(p + 8 * K + 8);
    for (int j = 0; j < 2; ++j) {
      const half *q = B + (j * 8 + g) * K + k + t * 2;
      b[0] = word(q);
      b[1] = word(q + 8);
      mma(acc[j].x, a, b);
    }
  }
  const int row = (blockIdx.x * 2 + warp) * 16 + g;
  for (int j = 0; j < 2; ++j) {
    const int col = j * 8 + t * 2;
    for (int e = 0; e < 4; ++e)
      C[(row + e / 2 * 8) * 16 + col + e % 2] = acc[j][e];
  }
}
