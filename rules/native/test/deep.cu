// One product of several takes two steps of k a read (16 bytes of a row instead of 8) where its
// loop over k is its own and nothing else hangs on the steps.
//
// RUN: %layout-port %s -o %t.hip --target gfx90a,gfx942,gfx950 --verify --launch %S/Inputs/deep.yaml 2>&1 | FileCheck %s --check-prefix=REPORT
// RUN: %ported %t.hip | FileCheck %s
//
// REPORT-NOT: {{is not native|refuted|unknown}}
// REPORT: compiled: gfx90a yes gfx942 yes gfx950 yes
// REPORT: verify gfx90a: proved
// REPORT: verify gfx942: proved
// REPORT: verify gfx950: proved
#include <cuda_fp16.h>
#include <stdint.h>

__device__ void ldsm4(uint32_t *r, uint32_t a) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(a));
}
__device__ void ldsm2(uint32_t *r, uint32_t a) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%2];" : "=r"(r[0]), "=r"(r[1]) : "r"(a));
}
__device__ void ldsm2t(uint32_t *r, uint32_t a) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0,%1}, [%2];" : "=r"(r[0]), "=r"(r[1]) : "r"(a));
}
__device__ void mma(float *d, const uint32_t *a, const uint32_t *b) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
               "{%8,%9}, {%0,%1,%2,%3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
__device__ uint32_t pack(float lower, float upper) {
  const half2 both = __floats2half2_rn(lower, upper);
  return *reinterpret_cast<const uint32_t *>(&both);
}
// Rows of 64 elements, whose chunks of 8 are swizzled.
__device__ uint32_t at(const half *tile, int row, int col) {
  return (uint32_t)__cvta_generic_to_shared(tile + row * 64 + (col / 8 ^ row % 8) * 8 + col % 8);
}
__device__ void fetch(half *tile, const half *from) {
  for (int i = threadIdx.x; i < 64 * 64; i += blockDim.x)
    tile[i / 64 * 64 + (i % 64 / 8 ^ i / 64 % 8) * 8 + i % 8] = from[i];
}
// CHECK-LABEL: chain(
__global__ void __launch_bounds__(128) chain(const half *Q, const half *K, const half *V, float *O) {
  __shared__ __align__(128) half q[64 * 64], k[64 * 64], v[64 * 64];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  fetch(q, Q + blockIdx.x * 64 * 64);
  fetch(k, K);
  fetch(v, V);
  __syncthreads();
  float s[8][4] = {}, o[8][4] = {};
  // CHECK: for (int c = 0; c < 64; c += 32) {
  for (int c = 0; c < 64; c += 16) {
    // CHECK-NEXT: uint32_t a[8], b[4];
    uint32_t a[4], b[2];
    // CHECK-NEXT: lp::load_a{{.*}}, c);
    ldsm4(a, at(q, warp * 16 + lane % 16, c + lane / 16 * 8));
#pragma unroll
    for (int j = 0; j < 8; ++j) {
      // CHECK: lp::load_b{{.*}}, j, c);
      ldsm2(b, at(k, j * 8 + lane % 8, c + lane / 8 % 2 * 8));
      mma(s[j], a, b);
    }
  }
  // O += P V, with P from the results.
#pragma unroll
  for (int step = 0; step < 4; ++step) {
    uint32_t p[4], w[2];
    for (int i = 0; i < 4; ++i)
      p[i] = pack(s[2 * step + i / 2][i % 2 * 2], s[2 * step + i / 2][i % 2 * 2 + 1]);
    for (int j = 0; j < 8; ++j) {
      ldsm2t(w, at(v, step * 16 + lane % 16, j * 8));
      mma(o[j], p, w);
    }
  }
  for (int j = 0; j < 8; ++j)
    for (int r = 0; r < 4; ++r)
      O[(blockIdx.x * 64 + warp * 16 + lane / 4 + r / 2 * 8) * 64 + j * 8 + lane % 4 * 2 + r % 2] =
          o[j][r];
}

// Three steps: one would be left.
// CHECK-LABEL: threeSteps(
__global__ void __launch_bounds__(128)
threeSteps(const half *Q, const half *K, const half *V, float *O) {
  __shared__ __align__(128) half q[64 * 64], k[64 * 64], v[64 * 64];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  fetch(q, Q + blockIdx.x * 64 * 64);
  fetch(k, K);
  fetch(v, V);
  __syncthreads();
  float s[8][4] = {}, o[8][4] = {};
  // CHECK: for (int c = 0; c < 48; c += 16) {
  for (int c = 0; c < 48; c += 16) {
    // CHECK-NEXT: uint32_t a[4], b[2];
    uint32_t a[4], b[2];
    ldsm4(a, at(q, warp * 16 + lane % 16, c + lane / 16 * 8));
#pragma unroll
    for (int j = 0; j < 8; ++j) {
      ldsm2(b, at(k, j * 8 + lane % 8, c + lane / 8 % 2 * 8));
      mma(s[j], a, b);
    }
  }
  // O += P V, with P from the results.
#pragma unroll
  for (int step = 0; step < 4; ++step) {
    uint32_t p[4], w[2];
    for (int i = 0; i < 4; ++i)
      p[i] = pack(s[2 * step + i / 2][i % 2 * 2], s[2 * step + i / 2][i % 2 * 2 + 1]);
    for (int j = 0; j < 8; ++j) {
      ldsm2t(w, at(v, step * 16 + lane % 16, j * 8));
      mma(o[j], p, w);
    }
  }
  for (int j = 0; j < 8; ++j)
    for (int r = 0; r < 4; ++r)
      O[(blockIdx.x * 64 + warp * 16 + lane / 4 + r / 2 * 8) * 64 + j * 8 + lane % 4 * 2 + r % 2] =
          o[j][r];
}

// Results are scaled between two steps: after two at once it would be too late for the first.
// CHECK-LABEL: scaledEachStep(
__global__ void __launch_bounds__(128)
scaledEachStep(const half *Q, const half *K, const half *V, float *O) {
  __shared__ __align__(128) half q[64 * 64], k[64 * 64], v[64 * 64];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  fetch(q, Q + blockIdx.x * 64 * 64);
  fetch(k, K);
  fetch(v, V);
  __syncthreads();
  float s[8][4] = {}, o[8][4] = {};
  // CHECK: for (int c = 0; c < 64; c += 16) {
  for (int c = 0; c < 64; c += 16) {
    // CHECK-NEXT: uint32_t a[4], b[2];
    uint32_t a[4], b[2];
    ldsm4(a, at(q, warp * 16 + lane % 16, c + lane / 16 * 8));
    for (int j = 0; j < 8; ++j)
      for (int r = 0; r < 4; ++r)
        s[j][r] *= 2.f;
#pragma unroll
    for (int j = 0; j < 8; ++j) {
      ldsm2(b, at(k, j * 8 + lane % 8, c + lane / 8 % 2 * 8));
      mma(s[j], a, b);
    }
  }
  // O += P V, with P from the results.
#pragma unroll
  for (int step = 0; step < 4; ++step) {
    uint32_t p[4], w[2];
    for (int i = 0; i < 4; ++i)
      p[i] = pack(s[2 * step + i / 2][i % 2 * 2], s[2 * step + i / 2][i % 2 * 2 + 1]);
    for (int j = 0; j < 8; ++j) {
      ldsm2t(w, at(v, step * 16 + lane % 16, j * 8));
      mma(o[j], p, w);
    }
  }
  for (int j = 0; j < 8; ++j)
    for (int r = 0; r < 4; ++r)
      O[(blockIdx.x * 64 + warp * 16 + lane / 4 + r / 2 * 8) * 64 + j * 8 + lane % 4 * 2 + r % 2] =
          o[j][r];
}

// Another product stands in the loop.
// CHECK-LABEL: twoInALoop(
__global__ void __launch_bounds__(128)
twoInALoop(const half *Q, const half *K, const half *V, float *O) {
  __shared__ __align__(128) half q[64 * 64], k[64 * 64], v[64 * 64];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  fetch(q, Q + blockIdx.x * 64 * 64);
  fetch(k, K);
  fetch(v, V);
  __syncthreads();
  float s[8][4] = {}, t[8][4] = {}, o[8][4] = {};
  // CHECK: for (int c = 0; c < 64; c += 16) {
  for (int c = 0; c < 64; c += 16) {
    // CHECK-NEXT: uint32_t a[4], b[2];
    uint32_t a[4], b[2];
    ldsm4(a, at(q, warp * 16 + lane % 16, c + lane / 16 * 8));
#pragma unroll
    for (int j = 0; j < 8; ++j) {
      ldsm2(b, at(k, j * 8 + lane % 8, c + lane / 8 % 2 * 8));
      mma(s[j], a, b);
    }
#pragma unroll
    for (int j = 0; j < 8; ++j) {
      ldsm2(b, at(k, j * 8 + lane % 8, c + lane / 8 % 2 * 8));
      mma(t[j], a, b);
    }
  }
  for (int j = 0; j < 8; ++j)
    for (int r = 0; r < 4; ++r)
      s[j][r] += t[j][r];
  // O += P V, with P from the results.
#pragma unroll
  for (int step = 0; step < 4; ++step) {
    uint32_t p[4], w[2];
    for (int i = 0; i < 4; ++i)
      p[i] = pack(s[2 * step + i / 2][i % 2 * 2], s[2 * step + i / 2][i % 2 * 2 + 1]);
    for (int j = 0; j < 8; ++j) {
      ldsm2t(w, at(v, step * 16 + lane % 16, j * 8));
      mma(o[j], p, w);
    }
  }
  for (int j = 0; j < 8; ++j)
    for (int r = 0; r < 4; ++r)
      O[(blockIdx.x * 64 + warp * 16 + lane / 4 + r / 2 * 8) * 64 + j * 8 + lane % 4 * 2 + r % 2] =
          o[j][r];
}

// The tile is another in each step, through a variable of its own: of the sums, of a register that is
// read, or because one step has fewer of them. The warps of a wave share A here, so that tiles go by
// themselves.
#define BEGIN                                                                                      \
  __shared__ __align__(128) half q[64 * 64], k[64 * 64];                                           \
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;                                      \
  fetch(q, Q + blockIdx.x * 64 * 64);                                                              \
  fetch(k, K);                                                                                     \
  __syncthreads();                                                                                 \
  float s[4][4] = {};
#define READ_B(j) at(k, warp % 2 * 32 + (j) * 8 + lane % 8, c + lane / 8 % 2 * 8)
#define END                                                                                        \
  for (int j = 0; j < 4; ++j)                                                                      \
    for (int r = 0; r < 4; ++r)                                                                    \
      O[(blockIdx.x * 32 + warp / 2 * 16 + lane / 4 + r / 2 * 8) * 64 + warp % 2 * 32 + j * 8 +    \
        lane % 4 * 2 + r % 2] = s[j][r];

// CHECK-LABEL: sumsByStep(
__global__ void __launch_bounds__(128) sumsByStep(const half *Q, const half *K, float *O) {
  BEGIN
  // CHECK: for (int c = 0; c < 32; c += 16) {
  for (int c = 0; c < 32; c += 16) {
    uint32_t a[4], b[4][2];
    ldsm4(a, at(q, warp / 2 * 16 + lane % 16, c + lane / 16 * 8));
    for (int j = 0; j < 4; ++j)
      ldsm2(b[j], READ_B(j));
    for (int j = 0; j < 4; ++j) {
      const int turned = j ^ (c / 16);
      mma(s[turned], a, b[j]);
    }
  }
  END
}

// CHECK-LABEL: registersByStep(
__global__ void __launch_bounds__(128) registersByStep(const half *Q, const half *K, float *O) {
  BEGIN
  // CHECK: for (int c = 0; c < 32; c += 16) {
  for (int c = 0; c < 32; c += 16) {
    uint32_t a[4], b[4][2];
    ldsm4(a, at(q, warp / 2 * 16 + lane % 16, c + lane / 16 * 8));
    for (int j = 0; j < 4; ++j) {
      const int turned = c ? j : 3 - j;
      ldsm2(b[turned], READ_B(j));
    }
    for (int j = 0; j < 4; ++j)
      mma(s[j], a, b[j]);
  }
  END
}

// CHECK-LABEL: fewerByStep(
__global__ void __launch_bounds__(128) fewerByStep(const half *Q, const half *K, float *O) {
  BEGIN
  // CHECK: for (int c = 0; c < 32; c += 16) {
  for (int c = 0; c < 32; c += 16) {
    uint32_t a[4], b[4][2];
    ldsm4(a, at(q, warp / 2 * 16 + lane % 16, c + lane / 16 * 8));
    for (int j = 0; j < 4; ++j)
      ldsm2(b[j], READ_B(j));
    for (int j = c / 16; j < 4; ++j)
      mma(s[j], a, b[j]);
  }
  END
}

// The same without any of that goes two steps at once.
// CHECK-LABEL: stepsAlike(
__global__ void __launch_bounds__(128) stepsAlike(const half *Q, const half *K, float *O) {
  BEGIN
  // CHECK: for (int c = 0; c < 32; c += 32) {
  for (int c = 0; c < 32; c += 16) {
    uint32_t a[4], b[4][2];
    ldsm4(a, at(q, warp / 2 * 16 + lane % 16, c + lane / 16 * 8));
    for (int j = 0; j < 4; ++j)
      ldsm2(b[j], READ_B(j));
    for (int j = 0; j < 4; ++j)
      mma(s[j], a, b[j]);
  }
  END
}
