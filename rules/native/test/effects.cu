// What changes something where it is computed is not run by other lanes, nor more often: not in
// addresses and operands, and not beside the stores.
//
// RUN: %layout-port %s -o %t.hip --target gfx90a,gfx942,gfx950 --verify --launch %S/Inputs/effects.yaml 2>&1 | FileCheck %s --check-prefix=REPORT \
// RUN:   --implicit-check-not='{{constexprBeside keeps}}'
//
// REPORT-DAG: inAddress keeps 'a' in CUDA's layout and moves it for each product: 'a': its value assigns on the way
// REPORT-DAG: inConstructor keeps 'a' in CUDA's layout and moves it for each product: 'a': its value changes something where it is computed
// REPORT-DAG: inConversion keeps 'a' in CUDA's layout and moves it for each product: 'a': its value assigns on the way
// REPORT-DAG: atomicBeside keeps its epilogue, behind a conversion of 'acc': the epilogue does more than hand on
// REPORT-DAG: callsBeside keeps its epilogue, behind a conversion of 'acc': the epilogue calls 'counted'
// REPORT-DAG: otherRowsElement keeps its epilogue, behind a conversion of 'acc': 'C' is read for one row of a tile where the other's element is written
// REPORT-DAG: otherRowsOld keeps its epilogue, behind a conversion of 'acc': 'C' is read for one row of a tile where the other's element is written
// REPORT-NOT: {{refuted|(inVariable|throughMember|ownElement|ownOfRow|eitherRow|computes).*(not native|keeps)}}
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

__device__ int next(int *p) { return (*p)++; }

__global__ void __launch_bounds__(64) inAddress(const half *A, const half *B, float *C, int K, int *n) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, g = lane / 4, t = lane % 4;
  float acc[2][4] = {};
  for (int k = 0; k < K; k += 16) {
    uint32_t a[4], b[2];
    const half *p = A + ((blockIdx.x * 2 + warp) * 16 + g) * K + t * 2 + k;
    a[0] = word(p + next(n + blockIdx.x * 64 + threadIdx.x) / 1000);
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
    *(float2 *)&C[row * 16 + col] = make_float2(acc[j][0], acc[j][1]);
    *(float2 *)&C[(row + 8) * 16 + col] = make_float2(acc[j][2], acc[j][3]);
  }
}

__global__ void __launch_bounds__(64) inVariable(const half *A, const half *B, float *C, int K, int *n) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, g = lane / 4, t = lane % 4;
  const int start = next(n + blockIdx.x * 64 + threadIdx.x) / 1000 + (blockIdx.x * 2 + warp) * 16 + g;
  float acc[2][4] = {};
  for (int k = 0; k < K; k += 16) {
    uint32_t a[4], b[2];
    const half *p = A + start * K + t * 2 + k;
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
    *(float2 *)&C[row * 16 + col] = make_float2(acc[j][0], acc[j][1]);
    *(float2 *)&C[(row + 8) * 16 + col] = make_float2(acc[j][2], acc[j][3]);
  }
}

struct Count {
  __device__ Count(int *p) : at(*p) { *p += 1; }
  int at;
};

__global__ void __launch_bounds__(64) inConstructor(const half *A, const half *B, float *C, int K, int *n) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, g = lane / 4, t = lane % 4;
  float acc[2][4] = {};
  for (int k = 0; k < K; k += 16) {
    uint32_t a[4], b[2];
    const half *p = A + ((blockIdx.x * 2 + warp) * 16 + g) * K + t * 2 + k;
    a[0] = word(p + Count(n + blockIdx.x * 64 + threadIdx.x).at / 1000);
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
    *(float2 *)&C[row * 16 + col] = make_float2(acc[j][0], acc[j][1]);
    *(float2 *)&C[(row + 8) * 16 + col] = make_float2(acc[j][2], acc[j][3]);
  }
}

struct Counter {
  __device__ operator int() const { return (*at)++ / 1000; }
  int *at;
};

__global__ void __launch_bounds__(64) inConversion(const half *A, const half *B, float *C, int K, int *n) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, g = lane / 4, t = lane % 4;
  const Counter counter{n + blockIdx.x * 64 + threadIdx.x};
  float acc[2][4] = {};
  for (int k = 0; k < K; k += 16) {
    uint32_t a[4], b[2];
    const half *p = A + ((blockIdx.x * 2 + warp) * 16 + g) * K + t * 2 + k;
    a[0] = word(p + counter);
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
    *(float2 *)&C[row * 16 + col] = make_float2(acc[j][0], acc[j][1]);
    *(float2 *)&C[(row + 8) * 16 + col] = make_float2(acc[j][2], acc[j][3]);
  }
}

struct Walk {
  int &at;
};

__global__ void __launch_bounds__(64) throughMember(const half *A, const half *B, float *C, int K) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, g = lane / 4, t = lane % 4;
  int at = ((blockIdx.x * 2 + warp) * 16 + g) * K + t * 2;
  const Walk walk{at};
  float acc[2][4] = {};
  for (int k = 0; k < K; k += 16) {
    uint32_t a[4], b[2];
    const half *p = A + at - k + k;
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
    walk.at += 16;
  }
  const int row = (blockIdx.x * 2 + warp) * 16 + g;
  for (int j = 0; j < 2; ++j) {
    const int col = j * 8 + t * 2;
    *(float2 *)&C[row * 16 + col] = make_float2(acc[j][0], acc[j][1]);
    *(float2 *)&C[(row + 8) * 16 + col] = make_float2(acc[j][2], acc[j][3]);
  }
}

__global__ void __launch_bounds__(64) atomicBeside(const half *A, const half *B, float *C, int K, int *n) {
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
    atomicAdd(&n[row], 1);
    *(float2 *)&C[row * 16 + col] = make_float2(acc[j][0], acc[j][1]);
    *(float2 *)&C[(row + 8) * 16 + col] = make_float2(acc[j][2], acc[j][3]);
  }
  if (lane == 0) // it is not read to its end
    return;
}

__device__ int calls[4096];
__device__ float counted(float x, int i) {
  calls[i]++;
  return x + calls[i];
}

__global__ void __launch_bounds__(64) callsBeside(const half *A, const half *B, float *C, int K) {
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
    const float s = counted(0.f, blockIdx.x * 64 + threadIdx.x);
    *(float2 *)&C[row * 16 + col] = make_float2(acc[j][0] + s, acc[j][1]);
    *(float2 *)&C[(row + 8) * 16 + col] = make_float2(acc[j][2] + s, acc[j][3]);
  }
}

struct Adder {
  constexpr __device__ bool operator()(int i) const {
    p[i] += 1;
    return true;
  }
  int *p;
};

__global__ void __launch_bounds__(64) constexprBeside(const half *A, const half *B, float *C, int K, int *n) {
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
    Adder{n}(blockIdx.x * 64 + threadIdx.x);
    *(float2 *)&C[row * 16 + col] = make_float2(acc[j][0], acc[j][1]);
    *(float2 *)&C[(row + 8) * 16 + col] = make_float2(acc[j][2], acc[j][3]);
  }
}

// The lower row reads what the statement of the upper one has written.
__global__ void __launch_bounds__(64) otherRowsElement(const half *A, const half *B, float *C, int K) {
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
    C[(row + 8) * 16 + col] = acc[j][2] + C[row * 16 + col];
  }
}

__global__ void __launch_bounds__(64) otherRowsOld(const half *A, const half *B, float *C, int K) {
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
    const float old = C[row * 16 + col];
    C[row * 16 + col] = acc[j][0] + 1.f;
    C[(row + 8) * 16 + col] = acc[j][2] + old;
  }
}

// Its own: that stays where it is.
__global__ void __launch_bounds__(64) ownElement(const half *A, const half *B, float *C, int K) {
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
    const float old = C[row * 16 + col];
    C[row * 16 + col] = acc[j][0] + 2.f * old;
    C[(row + 8) * 16 + col] = acc[j][2];
  }
}

__global__ void __launch_bounds__(64) ownOfRow(const half *A, const half *B, float *C, int K) {
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
    for (int r = 0; r < 2; ++r) {
      const float before = C[(row + 8 * r) * 16 + col];
      C[(row + 8 * r) * 16 + col] = acc[j][2 * r] + before;
    }
  }
}

// The author's 'else' stays his own.
__global__ void __launch_bounds__(64) eitherRow(const half *A, const half *B, float *C, int K, int upper) {
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
    if (upper)
      C[row * 16 + col] = acc[j][0];
    else
      C[(row + 8) * 16 + col] = acc[j][2];
  }
}

struct Place {
  __device__ Place(int row, int column) : row(row) { at = row * 2 + column; }
  __device__ int operator()(int pitch) const { return row * pitch + (at - row * 2); }
  int row, at = 0;
};
__device__ int halved(int x) {
  const int parts = 2;
  return x / parts;
}

// Functions, constructors and operators that only compute may be run by any lane.
__global__ void __launch_bounds__(64) computes(const half *A, const half *B, float *C, int K) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, g = lane / 4, t = lane % 4;
  float acc[2][4] = {};
  for (int k = 0; k < K; k += 16) {
    uint32_t a[4], b[2];
    const half *p = A + Place((blockIdx.x * 2 + warp) * 16 + g, halved(t * 4))(K) + k;
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
    const int col = halved(j * 16 + t * 4);
    *(float2 *)&C[row * 16 + col] = make_float2(acc[j][0], acc[j][1]);
    *(float2 *)&C[(row + 8) * 16 + col] = make_float2(acc[j][2], acc[j][3]);
  }
}
