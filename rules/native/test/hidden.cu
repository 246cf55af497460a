// What an address is made of, hidden from a quick look: the thread's index in what stands in front of
// a constructor's body, in default values and other names; a count that is changed in a lambda or for each
// element of a range; memory that is read as a member, in a function or by reference.
//
// RUN: %layout-port %s -o %t.hip --target gfx90a,gfx942,gfx950 --verify --launch %S/Inputs/hidden.yaml 2>&1 | FileCheck %s --check-prefix=REPORT
//
// REPORT-DAG: tripsByPointer is not native: the two warps of a wave may part at a condition on the thread: k < trips
// REPORT-DAG: tripsByType is not native: the two warps of a wave may part at a condition on the thread: k < trips
// REPORT-DAG: byTemporary keeps 'a' in CUDA's layout and moves it for each product: the address is computed by 'Tid', which reads the thread's index itself
// REPORT-DAG: byAnotherName keeps 'a' in CUDA's layout and moves it for each product: threadIdx is used as a whole
// REPORT-DAG: tripsByLambda is not native: the two warps of a wave may part at a condition on the thread: k < trips
// REPORT-DAG: tripsByRange is not native: the two warps of a wave may part at a condition on the thread: k < trips
// REPORT-NOT: {{refuted|(byConstructor|byMembersValue|byMember|byDefault|memberRead|functionRead|referenceRead|packed|doubled|byValue) is not native}}
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

struct Tid {
  __device__ Tid() : lane(threadIdx.x % 32), warp(threadIdx.x / 32) {}
  int lane, warp;
};

__global__ void __launch_bounds__(64) byConstructor(const half *A, const half *B, float *C, int K) {
  const Tid id;
  const int lane = id.lane, warp = id.warp, g = lane / 4, t = lane % 4;
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
    *(float2 *)&C[row * 16 + col] = make_float2(acc[j][0], acc[j][1]);
    *(float2 *)&C[(row + 8) * 16 + col] = make_float2(acc[j][2], acc[j][3]);
  }
}

__global__ void __launch_bounds__(64) byTemporary(const half *A, const half *B, float *C, int K) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, g = Tid().lane / 4, t = lane % 4;
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
    *(float2 *)&C[row * 16 + col] = make_float2(acc[j][0], acc[j][1]);
    *(float2 *)&C[(row + 8) * 16 + col] = make_float2(acc[j][2], acc[j][3]);
  }
}

struct Index {
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
};

__global__ void __launch_bounds__(64) byMembersValue(const half *A, const half *B, float *C, int K) {
  const Index id{};
  const int lane = id.lane, warp = id.warp, g = lane / 4, t = lane % 4;
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
    *(float2 *)&C[row * 16 + col] = make_float2(acc[j][0], acc[j][1]);
    *(float2 *)&C[(row + 8) * 16 + col] = make_float2(acc[j][2], acc[j][3]);
  }
}

struct Both {
  Tid id;
};

__global__ void __launch_bounds__(64) byMember(const half *A, const half *B, float *C, int K) {
  const Both both{};
  const int lane = both.id.lane, warp = both.id.warp, g = lane / 4, t = lane % 4;
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
    *(float2 *)&C[row * 16 + col] = make_float2(acc[j][0], acc[j][1]);
    *(float2 *)&C[(row + 8) * 16 + col] = make_float2(acc[j][2], acc[j][3]);
  }
}

__device__ int quad(int of = threadIdx.x % 32) { return of / 4; }

__global__ void __launch_bounds__(64) byDefault(const half *A, const half *B, float *C, int K) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, g = quad(), t = lane % 4;
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
    *(float2 *)&C[row * 16 + col] = make_float2(acc[j][0], acc[j][1]);
    *(float2 *)&C[(row + 8) * 16 + col] = make_float2(acc[j][2], acc[j][3]);
  }
}

__global__ void __launch_bounds__(64) byAnotherName(const half *A, const half *B, float *C, int K) {
  const auto &thread = threadIdx;
  const int lane = thread.x % 32, warp = thread.x / 32, g = lane / 4, t = lane % 4;
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
    *(float2 *)&C[row * 16 + col] = make_float2(acc[j][0], acc[j][1]);
    *(float2 *)&C[(row + 8) * 16 + col] = make_float2(acc[j][2], acc[j][3]);
  }
}

__global__ void __launch_bounds__(64) tripsByLambda(const half *A, const half *B, float *C, int K) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, g = lane / 4, t = lane % 4;
  int trips = K / 2;
  auto more = [&] { trips = K; };
  if (warp == 0)
    more();
  float acc[2][4] = {};
  for (int k = 0; k < trips; k += 16) {
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
    *(float2 *)&C[row * 16 + col] = make_float2(acc[j][0], acc[j][1]);
    *(float2 *)&C[(row + 8) * 16 + col] = make_float2(acc[j][2], acc[j][3]);
  }
}

struct Range {
  int count;
  struct At {
    int i;
    __device__ bool operator!=(const At &other) const { return i != other.i; }
    __device__ void operator++() { ++i; }
    __device__ int operator*() const { return i; }
  };
  __device__ At begin() const { return {0}; }
  __device__ At end() const { return {count}; }
};

__global__ void __launch_bounds__(64) tripsByRange(const half *A, const half *B, float *C, int K) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, g = lane / 4, t = lane % 4;
  int trips = 0;
  for (int step : Range{warp + 2})
    trips += 16;
  float acc[2][4] = {};
  for (int k = 0; k < trips; k += 16) {
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
    *(float2 *)&C[row * 16 + col] = make_float2(acc[j][0], acc[j][1]);
    *(float2 *)&C[(row + 8) * 16 + col] = make_float2(acc[j][2], acc[j][3]);
  }
}

// Memory that is another when the address is made stays read where it was.
__global__ void __launch_bounds__(64) memberRead(const half *A, const half *B, float *C, int K) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, g = lane / 4, t = lane % 4;
  __shared__ int2 items[64];
  items[threadIdx.x] = make_int2(warp * 16 + g, t);
  __syncthreads();
  const int start = items[threadIdx.x].x;
  __syncthreads();
  items[threadIdx.x] = make_int2(0, 0);
  __syncthreads();
  float acc[2][4] = {};
  for (int k = 0; k < K; k += 16) {
    uint32_t a[4], b[2];
    const half *p = A + (blockIdx.x * 32 + start) * K + t * 2 + k;
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

__device__ int itemAt(const int *items, int i) { return items[i]; }

__global__ void __launch_bounds__(64) functionRead(const half *A, const half *B, float *C, int K) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, g = lane / 4, t = lane % 4;
  __shared__ int items[64];
  items[threadIdx.x] = warp * 16 + g;
  __syncthreads();
  const int start = itemAt(items, threadIdx.x);
  __syncthreads();
  items[threadIdx.x] = 0;
  __syncthreads();
  float acc[2][4] = {};
  for (int k = 0; k < K; k += 16) {
    uint32_t a[4], b[2];
    const half *p = A + (blockIdx.x * 32 + start) * K + t * 2 + k;
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

__global__ void __launch_bounds__(64) referenceRead(const half *A, const half *B, float *C, int K) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, g = lane / 4, t = lane % 4;
  __shared__ int items[64];
  items[threadIdx.x] = warp * 16 + g;
  __syncthreads();
  const int &item = items[threadIdx.x];
  const int start = item;
  __syncthreads();
  items[threadIdx.x] = 0;
  __syncthreads();
  float acc[2][4] = {};
  for (int k = 0; k < K; k += 16) {
    uint32_t a[4], b[2];
    const half *p = A + (blockIdx.x * 32 + start) * K + t * 2 + k;
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

__device__ uint32_t packed(half low, half high) {
  half2 both = __halves2half2(low, high);
  return *(uint32_t *)&both;
}

// Read by another type than it has: it is still what each thread was given.
__global__ void __launch_bounds__(64) packed(const half *A, const half *B, float *C, int K) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, g = lane / 4, t = lane % 4;
  float acc[2][4] = {};
  for (int k = 0; k < K; k += 16) {
    uint32_t a[4], b[2];
    const half *p = A + ((blockIdx.x * 2 + warp) * 16 + g) * K + t * 2 + k;
    a[0] = packed(p[0], p[1]);
    a[1] = packed(p[8 * K], p[8 * K + 1]);
    a[2] = packed(p[8], p[9]);
    a[3] = packed(p[8 * K + 8], p[8 * K + 9]);
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

__device__ uint32_t doubled(uint32_t x) {
  const half2 twice = __hadd2(*(half2 *)&x, *(half2 *)&x);
  return *(uint32_t *)&twice;
}

__global__ void __launch_bounds__(64) doubled(const half *A, const half *B, float *C, int K) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, g = lane / 4, t = lane % 4;
  float acc[2][4] = {};
  for (int k = 0; k < K; k += 16) {
    uint32_t a[4], b[2];
    const half *p = A + ((blockIdx.x * 2 + warp) * 16 + g) * K + t * 2 + k;
    a[0] = doubled(word(p));
    a[1] = doubled(word(p + 8 * K));
    a[2] = doubled(word(p + 8));
    a[3] = doubled(word(p + 8 * K + 8));
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

struct Which {
  int lane, warp;
};
__device__ int warpOf(Which which) { return which.warp; }

__global__ void __launch_bounds__(64) byValue(const half *A, const half *B, float *C, int K) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, g = lane / 4, t = lane % 4;
  const Which which = {lane, warp};
  float acc[2][4] = {};
  for (int k = 0; k < K; k += 16) {
    uint32_t a[4], b[2];
    const half *p = A + ((blockIdx.x * 2 + warp) * 16 + g) * K + t * 2 + k;
    a[0] = word(p);
    a[1] = word(p + 8 * K);
    a[2] = word(p + 8);
    a[3] = word(p + 8 * K + 8);
    for (int j = 0; j < 2; ++j) {
      const half *q = B + (j * 8 + g + warpOf(which) * 8) % 16 * K + k + t * 2;
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

__global__ void __launch_bounds__(64) tripsByPointer(const half *A, const half *B, float *C, int K) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, g = lane / 4, t = lane % 4;
  const int *whose = &warp;
  const int trips = K - 16 * *whose;
  float acc[2][4] = {};
  for (int k = 0; k < trips; k += 16) {
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
    *(float2 *)&C[row * 16 + col] = make_float2(acc[j][0], acc[j][1]);
    *(float2 *)&C[(row + 8) * 16 + col] = make_float2(acc[j][2], acc[j][3]);
  }
}

__global__ void __launch_bounds__(64) tripsByType(const half *A, const half *B, float *C, int K) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, g = lane / 4, t = lane % 4;
  int left = K - warp * 16;
  const int trips = *(int *)&left;
  float acc[2][4] = {};
  for (int k = 0; k < trips; k += 16) {
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
    *(float2 *)&C[row * 16 + col] = make_float2(acc[j][0], acc[j][1]);
    *(float2 *)&C[(row + 8) * 16 + col] = make_float2(acc[j][2], acc[j][3]);
  }
}
