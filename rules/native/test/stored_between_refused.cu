// Results that are stored between the products, where another lane must not write them in the
// thread's stead: by reason. Nothing of it is native.
// RUN: %layout-port %s -o %t.hip --target gfx942 2>&1 | FileCheck %s
// RUN: %ported %t.hip | FileCheck %s --check-prefix=OUT
// OUT-NOT: of_element
#include <cuda_fp16.h>
#include <stdint.h>

__device__ void ldsm4(uint32_t (&r)[4], const half *p) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"((uint32_t)__cvta_generic_to_shared(p)));
}
__device__ void ldsm2(uint32_t (&r)[2], const half *p) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%2];"
               : "=r"(r[0]), "=r"(r[1]) : "r"((uint32_t)__cvta_generic_to_shared(p)));
}
__device__ void mma(float (&d)[4], const uint32_t (&a)[4], const uint32_t (&b)[2]) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
               "{%8,%9}, {%0,%1,%2,%3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

#define SETUP                                                                                      \
  __shared__ half s[2048];                                                                         \
  __shared__ float t[32][8];                                                                       \
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, row = warp * 16 + lane / 4;          \
  const int column = lane % 4 * 2;                                                                 \
  float c[4] = {};                                                                                 \
  uint32_t a[4], b[2];

// In each, c is multiplied by itself, so that code between the products works on it.

// CHECK-DAG: readBack is not native: 'c' is used between the products: results are stored to memory between the products: 't' is used otherwise without a barrier between, or it cannot be told
__global__ void __launch_bounds__(64) readBack(float *C, int n) {
  SETUP
  for (int i = 0; i < n; ++i) {
    ldsm4(a, &s[(warp * 16 + lane % 16) * 16 + lane / 16 * 8]);
    ldsm2(b, &s[1024 + lane % 16 * 16]);
    mma(c, a, b);
    for (int r = 0; r < 4; ++r)
      c[r] *= c[r];
    t[row][column] = c[0];
    t[row + 8][column] = c[2];
    C[threadIdx.x] = t[threadIdx.x % 32][0];
    __syncthreads();
  }
  C[threadIdx.x] = c[0] + c[1] + c[2] + c[3];
}

// CHECK-DAG: pointed is not native: 'c' is used between the products: results are stored to memory between the products: 't' is used otherwise without a barrier between, or it cannot be told
__global__ void __launch_bounds__(64) pointed(float *C, int n) {
  SETUP
  for (int i = 0; i < n; ++i) {
    ldsm4(a, &s[(warp * 16 + lane % 16) * 16 + lane / 16 * 8]);
    ldsm2(b, &s[1024 + lane % 16 * 16]);
    mma(c, a, b);
    for (int r = 0; r < 4; ++r)
      c[r] *= c[r];
    const float *back = t[0];
    t[row][column] = c[0];
    t[row + 8][column] = c[2];
    C[threadIdx.x] = back[threadIdx.x];
    __syncthreads();
  }
  C[threadIdx.x] = c[0] + c[1] + c[2] + c[3];
}

// CHECK-DAG: inLambda is not native: 'c' is used between the products: results are stored to memory between the products: 't' is used otherwise without a barrier between, or it cannot be told
__global__ void __launch_bounds__(64) inLambda(float *C, int n) {
  SETUP
  for (int i = 0; i < n; ++i) {
    ldsm4(a, &s[(warp * 16 + lane % 16) * 16 + lane / 16 * 8]);
    ldsm2(b, &s[1024 + lane % 16 * 16]);
    mma(c, a, b);
    for (int r = 0; r < 4; ++r)
      c[r] *= c[r];
    const auto back = [&](int x) { const float *p = t[x]; return p[0]; };
    t[row][column] = c[0];
    t[row + 8][column] = c[2];
    C[threadIdx.x] = back(threadIdx.x % 32);
    __syncthreads();
  }
  C[threadIdx.x] = c[0] + c[1] + c[2] + c[3];
}

// CHECK-DAG: notEachTurn is not native: 'c' is used between the products: a loop whose count is not known is left, or goes on with its next turn, under a condition
__global__ void __launch_bounds__(64) notEachTurn(float *C, int n) {
  SETUP
  for (int i = 0; i < n; ++i) {
    ldsm4(a, &s[(warp * 16 + lane % 16) * 16 + lane / 16 * 8]);
    ldsm2(b, &s[1024 + lane % 16 * 16]);
    mma(c, a, b);
    for (int r = 0; r < 4; ++r)
      c[r] *= c[r];
    C[threadIdx.x] = t[threadIdx.x % 32][0];
    __syncthreads();
    t[row][column] = c[0];
    t[row + 8][column] = c[2];
    if (i == 3)
      continue;
    __syncthreads();
  }
  C[threadIdx.x] = c[0] + c[1] + c[2] + c[3];
}

// CHECK-DAG: onePlace is not native: 'c' is used between the products: results are stored to memory between the products: several elements are written to one place
__global__ void __launch_bounds__(64) onePlace(float *C, int n) {
  SETUP
  for (int i = 0; i < n; ++i) {
    ldsm4(a, &s[(warp * 16 + lane % 16) * 16 + lane / 16 * 8]);
    ldsm2(b, &s[1024 + lane % 16 * 16]);
    mma(c, a, b);
    for (int r = 0; r < 4; ++r)
      c[r] *= c[r];
    t[row % 16][column] = c[0];
    t[(row + 8) % 8][column] = c[2];
    __syncthreads();
  }
  C[threadIdx.x] = c[0] + c[1] + c[2] + c[3];
}

// CHECK-DAG: added is not native: 'c' is used between the products: results are stored to memory between the products
__global__ void __launch_bounds__(64) added(float *C, int n) {
  SETUP
  for (int i = 0; i < n; ++i) {
    ldsm4(a, &s[(warp * 16 + lane % 16) * 16 + lane / 16 * 8]);
    ldsm2(b, &s[1024 + lane % 16 * 16]);
    mma(c, a, b);
    for (int r = 0; r < 4; ++r)
      c[r] *= c[r];
    t[row][column] += c[0];
    t[row + 8][column] += c[2];
    __syncthreads();
  }
  C[threadIdx.x] = c[0] + c[1] + c[2] + c[3];
}

// CHECK-DAG: asResultsSay is not native: 'c' is used between the products: results are stored to memory between the products
__global__ void __launch_bounds__(64) asResultsSay(float *C, int n) {
  SETUP
  for (int i = 0; i < n; ++i) {
    ldsm4(a, &s[(warp * 16 + lane % 16) * 16 + lane / 16 * 8]);
    ldsm2(b, &s[1024 + lane % 16 * 16]);
    mma(c, a, b);
    for (int r = 0; r < 4; ++r)
      c[r] *= c[r];
    if (c[0] > 1.f)
      t[row][column] = c[0];
    if (c[2] > 1.f)
      t[row + 8][column] = c[2];
    __syncthreads();
  }
  C[threadIdx.x] = c[0] + c[1] + c[2] + c[3];
}

// CHECK-DAG: oneRow is not native: 'c' is used between the products: rows r and r + 8 of a tile are not stored alike
__global__ void __launch_bounds__(64) oneRow(float *C, int n) {
  SETUP
  for (int i = 0; i < n; ++i) {
    ldsm4(a, &s[(warp * 16 + lane % 16) * 16 + lane / 16 * 8]);
    ldsm2(b, &s[1024 + lane % 16 * 16]);
    mma(c, a, b);
    for (int r = 0; r < 4; ++r)
      c[r] *= c[r];
    t[row][column] = c[0];
    __syncthreads();
  }
  C[threadIdx.x] = c[0] + c[1] + c[2] + c[3];
}

// CHECK-DAG: otherColumn is not native: 'c' is used between the products: rows r and r + 8 of a tile are not stored alike
__global__ void __launch_bounds__(64) otherColumn(float *C, int n) {
  SETUP
  for (int i = 0; i < n; ++i) {
    ldsm4(a, &s[(warp * 16 + lane % 16) * 16 + lane / 16 * 8]);
    ldsm2(b, &s[1024 + lane % 16 * 16]);
    mma(c, a, b);
    for (int r = 0; r < 4; ++r)
      c[r] *= c[r];
    t[row][column] = c[0];
    t[row + 8][column] = c[3];
    __syncthreads();
  }
  C[threadIdx.x] = c[0] + c[1] + c[2] + c[3];
}

// CHECK-DAG: turns is not native: 'c' is used between the products: results are stored to memory between the products: where its address leads to is not clear
__global__ void __launch_bounds__(64) turns(float *C, float *now, float *next, int n) {
  SETUP
  for (int i = 0; i < n; ++i) {
    ldsm4(a, &s[(warp * 16 + lane % 16) * 16 + lane / 16 * 8]);
    ldsm2(b, &s[1024 + lane % 16 * 16]);
    mma(c, a, b);
    for (int r = 0; r < 4; ++r)
      c[r] *= c[r];
    now[row * 8 + column] = c[0];
    now[(row + 8) * 8 + column] = c[2];
    now = next;
    __syncthreads();
  }
  C[threadIdx.x] = c[0] + c[1] + c[2] + c[3];
}

// CHECK-DAG: slabs is not native: 'c' is used between the products: results are stored to memory between the products: memory is used between the two of them, which are written at once here
__global__ void __launch_bounds__(64) slabs(float *C, int n) {
  SETUP
  for (int i = 0; i < n; ++i) {
    ldsm4(a, &s[(warp * 16 + lane % 16) * 16 + lane / 16 * 8]);
    ldsm2(b, &s[1024 + lane % 16 * 16]);
    mma(c, a, b);
    for (int r = 0; r < 4; ++r)
      c[r] *= c[r];
    for (int h = 0; h < 2; ++h) {
      t[warp * 8 + lane / 4][column] = c[2 * h];
      __syncthreads();
      C[threadIdx.x] = t[threadIdx.x % 16][0];
      __syncthreads();
    }
    __syncthreads();
  }
  C[threadIdx.x] = c[0] + c[1] + c[2] + c[3];
}

// CHECK-DAG: lastWins is not native: 'c' is used between the products: results are stored to memory between the products: several elements are written to one place
__global__ void __launch_bounds__(64) lastWins(float *C, int n) {
  SETUP
  for (int i = 0; i < n; ++i) {
    ldsm4(a, &s[(warp * 16 + lane % 16) * 16 + lane / 16 * 8]);
    ldsm2(b, &s[1024 + lane % 16 * 16]);
    mma(c, a, b);
    for (int r = 0; r < 4; ++r)
      c[r] *= c[r];
    for (int h = 0; h < 2; ++h)
      t[lane / 4][column] = c[2 * h];
    __syncthreads();
  }
  C[threadIdx.x] = c[0] + c[1] + c[2] + c[3];
}

// CHECK-DAG: readBetween is not native: 'c' is used between the products: results are stored to memory between the products: memory is used between the two of them, which are written at once here
__global__ void __launch_bounds__(64) readBetween(float *C, int n) {
  SETUP
  for (int i = 0; i < n; ++i) {
    ldsm4(a, &s[(warp * 16 + lane % 16) * 16 + lane / 16 * 8]);
    ldsm2(b, &s[1024 + lane % 16 * 16]);
    mma(c, a, b);
    for (int r = 0; r < 4; ++r)
      c[r] *= c[r];
    t[row][column] = c[0];
    __syncthreads();
    C[threadIdx.x] = t[threadIdx.x % 32][0];
    __syncthreads();
    t[row + 8][column] = c[2];
    __syncthreads();
  }
  C[threadIdx.x] = c[0] + c[1] + c[2] + c[3];
}

// CHECK-DAG: otherName is not native: 'c' is used between the products: results are stored to memory between the products: memory is used between the two of them, which are written at once here
__global__ void __launch_bounds__(64) otherName(float *C, float *X, const float *Y, int n) {
  SETUP
  for (int i = 0; i < n; ++i) {
    ldsm4(a, &s[(warp * 16 + lane % 16) * 16 + lane / 16 * 8]);
    ldsm2(b, &s[1024 + lane % 16 * 16]);
    mma(c, a, b);
    for (int r = 0; r < 4; ++r)
      c[r] *= c[r];
    X[row * 8 + column] = c[0];
    C[threadIdx.x] = Y[threadIdx.x];
    X[(row + 8) * 8 + column] = c[2];
    __syncthreads();
  }
  C[threadIdx.x] = c[0] + c[1] + c[2] + c[3];
}

// CHECK-DAG: ofUnion is not native: 'c' is used between the products: results are stored to memory between the products: 'u' is used otherwise without a barrier between, or it cannot be told
__global__ void __launch_bounds__(64) ofUnion(float *C, int n) {
  SETUP
  __shared__ union {
    float f[32][8];
    int i[32][8];
  } u;
  for (int i = 0; i < n; ++i) {
    ldsm4(a, &s[(warp * 16 + lane % 16) * 16 + lane / 16 * 8]);
    ldsm2(b, &s[1024 + lane % 16 * 16]);
    mma(c, a, b);
    for (int r = 0; r < 4; ++r)
      c[r] *= c[r];
    u.f[row][column] = c[0];
    u.f[row + 8][column] = c[2];
    C[threadIdx.x] = u.i[threadIdx.x % 32][0];
    __syncthreads();
  }
  C[threadIdx.x] = c[0] + c[1] + c[2] + c[3];
}

// CHECK-DAG: twoNames is not native: 'c' is used between the products: results are stored to memory between the products: 't' is used otherwise without a barrier between, or it cannot be told
__global__ void __launch_bounds__(64) twoNames(float *C, int n) {
  SETUP
  const float *x, *y;
  x = y = t[0];
  for (int i = 0; i < n; ++i) {
    ldsm4(a, &s[(warp * 16 + lane % 16) * 16 + lane / 16 * 8]);
    ldsm2(b, &s[1024 + lane % 16 * 16]);
    mma(c, a, b);
    for (int r = 0; r < 4; ++r)
      c[r] *= c[r];
    t[row][column] = c[0];
    t[row + 8][column] = c[2];
    C[threadIdx.x] = x[threadIdx.x] + y[threadIdx.x];
    __syncthreads();
  }
  C[threadIdx.x] = c[0] + c[1] + c[2] + c[3];
}

// CHECK-DAG: keptInMemory is not native: 'c' is used between the products: results are stored to memory between the products: 't' is used otherwise without a barrier between, or it cannot be told
__global__ void __launch_bounds__(64) keptInMemory(float *C, int n) {
  SETUP
  __shared__ const float *at;
  at = t[0];
  __syncthreads();
  for (int i = 0; i < n; ++i) {
    ldsm4(a, &s[(warp * 16 + lane % 16) * 16 + lane / 16 * 8]);
    ldsm2(b, &s[1024 + lane % 16 * 16]);
    mma(c, a, b);
    for (int r = 0; r < 4; ++r)
      c[r] *= c[r];
    t[row][column] = c[0];
    t[row + 8][column] = c[2];
    C[threadIdx.x] = at[threadIdx.x];
    __syncthreads();
  }
  C[threadIdx.x] = c[0] + c[1] + c[2] + c[3];
}

extern __shared__ float dynamic[];
__device__ float last() { return dynamic[0]; }
// CHECK-DAG: ofAll is not native: 'c' is used between the products: results are stored to memory between the products: functions, or other names, get at 'dynamic' by themselves
__global__ void __launch_bounds__(64) ofAll(float *C, int n) {
  SETUP
  for (int i = 0; i < n; ++i) {
    ldsm4(a, &s[(warp * 16 + lane % 16) * 16 + lane / 16 * 8]);
    ldsm2(b, &s[1024 + lane % 16 * 16]);
    mma(c, a, b);
    for (int r = 0; r < 4; ++r)
      c[r] *= c[r];
    dynamic[row * 8 + column] = c[0];
    dynamic[(row + 8) * 8 + column] = c[2];
    C[threadIdx.x] = last();
    __syncthreads();
  }
  C[threadIdx.x] = c[0] + c[1] + c[2] + c[3];
}

// CHECK-DAG: readByAsm is not native: 'c' is used between the products: results are stored to memory between the products: memory is used between the two of them, which are written at once here
__global__ void __launch_bounds__(64) readByAsm(float *C, const float *x, int n) {
  SETUP
  for (int i = 0; i < n; ++i) {
    ldsm4(a, &s[(warp * 16 + lane % 16) * 16 + lane / 16 * 8]);
    ldsm2(b, &s[1024 + lane % 16 * 16]);
    mma(c, a, b);
    for (int r = 0; r < 4; ++r)
      c[r] *= c[r];
    float old;
    t[row][column] = c[0];
    asm volatile("ld.global.f32 %0, [%1];" : "=f"(old) : "l"(x + threadIdx.x));
    t[row + 8][column] = c[2];
    C[threadIdx.x] = old;
    __syncthreads();
  }
  C[threadIdx.x] = c[0] + c[1] + c[2] + c[3];
}

// CHECK-DAG: twoNamesOfAll is not native: 'c' is used between the products: results are stored to memory between the products: functions, or other names, get at 'first' by themselves
__global__ void __launch_bounds__(64) twoNamesOfAll(float *C, int n) {
  SETUP
  extern __shared__ float first[];
  extern __shared__ int second[];
  for (int i = 0; i < n; ++i) {
    ldsm4(a, &s[(warp * 16 + lane % 16) * 16 + lane / 16 * 8]);
    ldsm2(b, &s[1024 + lane % 16 * 16]);
    mma(c, a, b);
    for (int r = 0; r < 4; ++r)
      c[r] *= c[r];
    first[row * 8 + column] = c[0];
    first[(row + 8) * 8 + column] = c[2];
    C[threadIdx.x] = second[threadIdx.x];
    __syncthreads();
  }
  C[threadIdx.x] = c[0] + c[1] + c[2] + c[3];
}

// CHECK-DAG: leaves is not native: 'c' is used between the products: results are stored between the products where a loop or function is left
__global__ void __launch_bounds__(64) leaves(float *C, int n) {
  SETUP
  for (int i = 0; i < n; ++i) {
    ldsm4(a, &s[(warp * 16 + lane % 16) * 16 + lane / 16 * 8]);
    ldsm2(b, &s[1024 + lane % 16 * 16]);
    mma(c, a, b);
    for (int r = 0; r < 4; ++r)
      c[r] *= c[r];
    for (int j = 0; j < 2; ++j) {
      if (n == 7) {
        t[row][column + j] = c[j];
        t[row + 8][column + j] = c[2 + j];
        break;
      }
      c[j] += 1.f;
      c[2 + j] += 1.f;
    }
    __syncthreads();
  }
  C[threadIdx.x] = c[0] + c[1] + c[2] + c[3];
}
