// Operands that are changed in place by other than one way for all lanes and tiles, views of them that
// other code uses, tiles in another order beside other code, and wrappers that set to zero what their
// product does not begin with.
//
// RUN: %layout-port %s -o %t.hip --target gfx942 2>&1 | FileCheck %s
#include <cuda_fp16.h>
#include <stdint.h>

__device__ void mma(float (&d)[4], const uint32_t (&a)[4], const uint32_t (&b)[2]) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
               "{%8,%9}, {%0,%1,%2,%3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
__device__ void ldsm4(uint32_t (&r)[4], const half *p) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"((uint32_t)__cvta_generic_to_shared(p)));
}
__device__ void ldsm2(uint32_t (&r)[2], const half *p) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%2];"
               : "=r"(r[0]), "=r"(r[1]) : "r"((uint32_t)__cvta_generic_to_shared(p)));
}
template <int N> __device__ void negate(uint32_t (&r)[N]) {
  for (int i = 0; i < N; ++i)
    r[i] ^= 0x80008000u;
}
template <int N> __device__ void mask(uint32_t (&r)[N], uint32_t by) {
  for (int i = 0; i < N; ++i)
    r[i] &= by;
}
template <int N> __device__ void negateOfLane(uint32_t (&r)[N]) {
  for (int i = 0; i < N; ++i)
    r[i] ^= threadIdx.x % 2 ? 0x80008000u : 0u;
}
template <int N> __device__ void negateSome(uint32_t (&r)[N]) {
  for (int i = 0; i < N; i += 2)
    r[i] ^= 0x80008000u;
}

__device__ int laneId() { return threadIdx.x % 32; }
struct Self {
  int lane;
  __device__ Self() : lane(threadIdx.x % 32) {}
};
struct Two {
  int first, second;
};
__device__ void from(float (&d)[4], const uint32_t (&a)[4], const uint32_t (&b)[2], float (&c)[4]) {
  c[0] = c[1] = c[2] = c[3] = 0.f;
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
               "{%8,%9}, {%10,%11,%12,%13};"
               : "=f"(d[0]), "=f"(d[1]), "=f"(d[2]), "=f"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), "f"(c[0]),
                 "f"(c[1]), "f"(c[2]), "f"(c[3]));
}
__device__ void negateInTurn(uint32_t &x) {
  static int calls = 0;
  x ^= calls++ % 2 ? 0x80008000u : 0u;
}
template <bool behind>
__device__ void zeroing(float (&d)[4], const uint32_t (&a)[4], uint32_t (&b)[2]) {
  if constexpr (!behind)
    d[0] = d[1] = 0.f;
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
               "{%8,%9}, {%0,%1,%2,%3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
  if constexpr (behind)
    d[0] = d[1] = 0.f;
}

// CHECK-DAG: note: byLane keeps 'a' in CUDA's layout and moves it for each product: 'a' is an operand and is used by other code
__global__ void __launch_bounds__(64) byLane(float *C, int K, uint32_t given) {
  __shared__ half sa[32][24], sb[32][24];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  float c[4][4] = {};
  for (int k = 0; k < K; k += 16) {
    uint32_t a[4], b[4][2];
    ldsm4(a, &sa[warp * 16 + lane % 16][lane / 16 * 8]);
    for (int j = 0; j < 4; ++j)
      ldsm2(b[j], &sb[j * 8 + lane % 8][lane / 8 % 2 * 8]);
    negateOfLane(a);
    for (int j = 0; j < 4; ++j)
      mma(c[j], a, b[j]);
  }
  for (int j = 0; j < 4; ++j)
    for (int e = 0; e < 4; ++e)
      C[(warp * 16 + lane / 4 + e / 2 * 8) * 32 + j * 8 + lane % 4 * 2 + e % 2] = c[j][e];
}

// CHECK-DAG: note: bySome keeps 'a' in CUDA's layout and moves it for each product: 'a' is an operand and is used by other code
__global__ void __launch_bounds__(64) bySome(float *C, int K, uint32_t given) {
  __shared__ half sa[32][24], sb[32][24];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  float c[4][4] = {};
  for (int k = 0; k < K; k += 16) {
    uint32_t a[4], b[4][2];
    ldsm4(a, &sa[warp * 16 + lane % 16][lane / 16 * 8]);
    for (int j = 0; j < 4; ++j)
      ldsm2(b[j], &sb[j * 8 + lane % 8][lane / 8 % 2 * 8]);
    negateSome(a);
    for (int j = 0; j < 4; ++j)
      mma(c[j], a, b[j]);
  }
  for (int j = 0; j < 4; ++j)
    for (int e = 0; e < 4; ++e)
      C[(warp * 16 + lane / 4 + e / 2 * 8) * 32 + j * 8 + lane % 4 * 2 + e % 2] = c[j][e];
}

// CHECK-DAG: note: someTiles keeps 'b' in CUDA's layout and moves it for each product: 'b' is an operand and is used by other code
__global__ void __launch_bounds__(64) someTiles(float *C, int K, uint32_t given) {
  __shared__ half sa[32][24], sb[32][24];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  float c[4][4] = {};
  for (int k = 0; k < K; k += 16) {
    uint32_t a[4], b[4][2];
    ldsm4(a, &sa[warp * 16 + lane % 16][lane / 16 * 8]);
    for (int j = 0; j < 4; ++j)
      ldsm2(b[j], &sb[j * 8 + lane % 8][lane / 8 % 2 * 8]);
    for (int j = 0; j < 2; ++j)
      negate(b[j]);
    for (int j = 0; j < 4; ++j)
      mma(c[j], a, b[j]);
  }
  for (int j = 0; j < 4; ++j)
    for (int e = 0; e < 4; ++e)
      C[(warp * 16 + lane / 4 + e / 2 * 8) * 32 + j * 8 + lane % 4 * 2 + e % 2] = c[j][e];
}

// CHECK-DAG: note: oneTile keeps 'b' in CUDA's layout and moves it for each product: 'b' is an operand and is used by other code
__global__ void __launch_bounds__(64) oneTile(float *C, int K, uint32_t given) {
  __shared__ half sa[32][24], sb[32][24];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  float c[4][4] = {};
  for (int k = 0; k < K; k += 16) {
    uint32_t a[4], b[4][2];
    ldsm4(a, &sa[warp * 16 + lane % 16][lane / 16 * 8]);
    for (int j = 0; j < 4; ++j)
      ldsm2(b[j], &sb[j * 8 + lane % 8][lane / 8 % 2 * 8]);
    negate(b[1]);
    for (int j = 0; j < 4; ++j)
      mma(c[j], a, b[j]);
  }
  for (int j = 0; j < 4; ++j)
    for (int e = 0; e < 4; ++e)
      C[(warp * 16 + lane / 4 + e / 2 * 8) * 32 + j * 8 + lane % 4 * 2 + e % 2] = c[j][e];
}

// CHECK-DAG: note: underCondition keeps 'b' in CUDA's layout and moves it for each product: 'b' is an operand and is used by other code
__global__ void __launch_bounds__(64) underCondition(float *C, int K, uint32_t given) {
  __shared__ half sa[32][24], sb[32][24];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  float c[4][4] = {};
  for (int k = 0; k < K; k += 16) {
    uint32_t a[4], b[4][2];
    ldsm4(a, &sa[warp * 16 + lane % 16][lane / 16 * 8]);
    for (int j = 0; j < 4; ++j)
      ldsm2(b[j], &sb[j * 8 + lane % 8][lane / 8 % 2 * 8]);
    for (int j = 0; j < 4; ++j)
      if (j == given)
        negate(b[j]);
    for (int j = 0; j < 4; ++j)
      mma(c[j], a, b[j]);
  }
  for (int j = 0; j < 4; ++j)
    for (int e = 0; e < 4; ++e)
      C[(warp * 16 + lane / 4 + e / 2 * 8) * 32 + j * 8 + lane % 4 * 2 + e % 2] = c[j][e];
}

// CHECK-DAG: note: byTile keeps 'b' in CUDA's layout and moves it for each product: 'b' is an operand and is used by other code
__global__ void __launch_bounds__(64) byTile(float *C, int K, uint32_t given) {
  __shared__ half sa[32][24], sb[32][24];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  float c[4][4] = {};
  for (int k = 0; k < K; k += 16) {
    uint32_t a[4], b[4][2];
    ldsm4(a, &sa[warp * 16 + lane % 16][lane / 16 * 8]);
    for (int j = 0; j < 4; ++j)
      ldsm2(b[j], &sb[j * 8 + lane % 8][lane / 8 % 2 * 8]);
    for (int j = 0; j < 4; ++j)
      for (int r = 0; r < 2; ++r)
        b[j][r] &= 0xffffu << j;
    for (int j = 0; j < 4; ++j)
      mma(c[j], a, b[j]);
  }
  for (int j = 0; j < 4; ++j)
    for (int e = 0; e < 4; ++e)
      C[(warp * 16 + lane / 4 + e / 2 * 8) * 32 + j * 8 + lane % 4 * 2 + e % 2] = c[j][e];
}

// CHECK-DAG: note: byArgument keeps 'a' in CUDA's layout and moves it for each product: 'a' is an operand and is used by other code
__global__ void __launch_bounds__(64) byArgument(float *C, int K, uint32_t given) {
  __shared__ half sa[32][24], sb[32][24];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  float c[4][4] = {};
  for (int k = 0; k < K; k += 16) {
    uint32_t a[4], b[4][2];
    ldsm4(a, &sa[warp * 16 + lane % 16][lane / 16 * 8]);
    for (int j = 0; j < 4; ++j)
      ldsm2(b[j], &sb[j * 8 + lane % 8][lane / 8 % 2 * 8]);
    mask(a, given >> lane);
    for (int j = 0; j < 4; ++j)
      mma(c[j], a, b[j]);
  }
  for (int j = 0; j < 4; ++j)
    for (int e = 0; e < 4; ++e)
      C[(warp * 16 + lane / 4 + e / 2 * 8) * 32 + j * 8 + lane % 4 * 2 + e % 2] = c[j][e];
}

// CHECK-DAG: note: viewed keeps 'b' in CUDA's layout and moves it for each product: 'b' is an operand and is used by other code
__global__ void __launch_bounds__(64) viewed(float *C, int K, uint32_t given) {
  __shared__ half sa[32][24], sb[32][24];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  float c[4][4] = {};
  for (int k = 0; k < K; k += 16) {
    uint32_t a[4], b[4][2];
    ldsm4(a, &sa[warp * 16 + lane % 16][lane / 16 * 8]);
    for (int j = 0; j < 4; ++j)
      ldsm2(b[j], &sb[j * 8 + lane % 8][lane / 8 % 2 * 8]);
    half *h = (half *)b[1];
    h[lane % 4] = __float2half(1.f);
    for (int j = 0; j < 4; ++j)
      mma(c[j], a, b[j]);
  }
  for (int j = 0; j < 4; ++j)
    for (int e = 0; e < 4; ++e)
      C[(warp * 16 + lane / 4 + e / 2 * 8) * 32 + j * 8 + lane % 4 * 2 + e % 2] = c[j][e];
}

// CHECK-DAG: note: readInOrder is not native: 'c' takes its tiles in another order in a loop that does more than multiply
__global__ void __launch_bounds__(64) readInOrder(float *C, int K, uint32_t given) {
  __shared__ half sa[32][24], sb[32][24];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  float c[4][4] = {};
  for (int k = 0; k < K; k += 16) {
    uint32_t a[4], b[4][2];
    ldsm4(a, &sa[warp * 16 + lane % 16][lane / 16 * 8]);
    for (int j = 0; j < 4; ++j)
      ldsm2(b[j], &sb[j * 8 + lane % 8][lane / 8 % 2 * 8]);
    for (int j = 0; j < 4; ++j) {
      const int n = 3 - j;
      ldsm2(b[n], &sb[n * 8 + lane % 8][lane / 8 % 2 * 8]);
      mma(c[n], a, b[n]);
    }
  }
  for (int j = 0; j < 4; ++j)
    for (int e = 0; e < 4; ++e)
      C[(warp * 16 + lane / 4 + e / 2 * 8) * 32 + j * 8 + lane % 4 * 2 + e % 2] = c[j][e];
}

// CHECK-DAG: note: zeroedBehind is not native: 'c' is used between the products: rows r and r + 8 of a tile are not treated alike in 'c'
__global__ void __launch_bounds__(64) zeroedBehind(float *C, int K, uint32_t given) {
  __shared__ half sa[32][24], sb[32][24];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  float c[4][4] = {};
  for (int k = 0; k < K; k += 16) {
    uint32_t a[4], b[4][2];
    ldsm4(a, &sa[warp * 16 + lane % 16][lane / 16 * 8]);
    for (int j = 0; j < 4; ++j)
      ldsm2(b[j], &sb[j * 8 + lane % 8][lane / 8 % 2 * 8]);
    for (int j = 0; j < 4; ++j)
      zeroing<true>(c[j], a, b[j]);
  }
  for (int j = 0; j < 4; ++j)
    for (int e = 0; e < 4; ++e)
      C[(warp * 16 + lane / 4 + e / 2 * 8) * 32 + j * 8 + lane % 4 * 2 + e % 2] = c[j][e];
}

// CHECK-DAG: note: zeroedOthers is not native: a wrapper sets to zero what mma.m16n8k16.f16 does not begin with
__global__ void __launch_bounds__(64) zeroedOthers(float *C, int K, uint32_t given) {
  __shared__ half sa[32][24], sb[32][24];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  float c[4][4] = {};
  for (int k = 0; k < K; k += 16) {
    uint32_t a[4], b[4][2];
    ldsm4(a, &sa[warp * 16 + lane % 16][lane / 16 * 8]);
    for (int j = 0; j < 4; ++j)
      ldsm2(b[j], &sb[j * 8 + lane % 8][lane / 8 % 2 * 8]);
    for (int j = 0; j < 4; ++j)
      zeroing<false>(c[j], a, b[j]);
  }
  for (int j = 0; j < 4; ++j)
    for (int e = 0; e < 4; ++e)
      C[(warp * 16 + lane / 4 + e / 2 * 8) * 32 + j * 8 + lane % 4 * 2 + e % 2] = c[j][e];
}

// CHECK-DAG: note: byLaneFunction keeps 'a' in CUDA's layout and moves it for each product: 'a' is an operand and is used by other code
__global__ void __launch_bounds__(64) byLaneFunction(float *C, int K, uint32_t given) {
  __shared__ half sa[32][24], sb[32][24];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  float c[4][4] = {};
  for (int k = 0; k < K; k += 16) {
    uint32_t a[4], b[4][2];
    ldsm4(a, &sa[warp * 16 + lane % 16][lane / 16 * 8]);
    for (int j = 0; j < 4; ++j)
      ldsm2(b[j], &sb[j * 8 + lane % 8][lane / 8 % 2 * 8]);
    const uint32_t sign = laneId() < 16 ? 0x80008000u : 0u;
    for (auto &x : a)
      x ^= sign;
    for (int j = 0; j < 4; ++j)
      mma(c[j], a, b[j]);
  }
  for (int j = 0; j < 4; ++j)
    for (int e = 0; e < 4; ++e)
      C[(warp * 16 + lane / 4 + e / 2 * 8) * 32 + j * 8 + lane % 4 * 2 + e % 2] = c[j][e];
}

// CHECK-DAG: note: byCalls keeps 'a' in CUDA's layout and moves it for each product: 'a' is an operand and is used by other code
__global__ void __launch_bounds__(64) byCalls(float *C, int K, uint32_t given) {
  __shared__ half sa[32][24], sb[32][24];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  float c[4][4] = {};
  for (int k = 0; k < K; k += 16) {
    uint32_t a[4], b[4][2];
    ldsm4(a, &sa[warp * 16 + lane % 16][lane / 16 * 8]);
    for (int j = 0; j < 4; ++j)
      ldsm2(b[j], &sb[j * 8 + lane % 8][lane / 8 % 2 * 8]);
    for (auto &x : a)
      negateInTurn(x);
    for (int j = 0; j < 4; ++j)
      mma(c[j], a, b[j]);
  }
  for (int j = 0; j < 4; ++j)
    for (int e = 0; e < 4; ++e)
      C[(warp * 16 + lane / 4 + e / 2 * 8) * 32 + j * 8 + lane % 4 * 2 + e % 2] = c[j][e];
}

// CHECK-DAG: note: byObject keeps 'a' in CUDA's layout and moves it for each product: 'a' is an operand and is used by other code
__global__ void __launch_bounds__(64) byObject(float *C, int K, uint32_t given) {
  __shared__ half sa[32][24], sb[32][24];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  float c[4][4] = {};
  for (int k = 0; k < K; k += 16) {
    uint32_t a[4], b[4][2];
    ldsm4(a, &sa[warp * 16 + lane % 16][lane / 16 * 8]);
    for (int j = 0; j < 4; ++j)
      ldsm2(b[j], &sb[j * 8 + lane % 8][lane / 8 % 2 * 8]);
    const Self self;
    for (auto &x : a)
      x ^= self.lane < 16 ? 0x80008000u : 0u;
    for (int j = 0; j < 4; ++j)
      mma(c[j], a, b[j]);
  }
  for (int j = 0; j < 4; ++j)
    for (int e = 0; e < 4; ++e)
      C[(warp * 16 + lane / 4 + e / 2 * 8) * 32 + j * 8 + lane % 4 * 2 + e % 2] = c[j][e];
}

// CHECK-DAG: note: byBinding keeps 'a' in CUDA's layout and moves it for each product: 'a' is an operand and is used by other code
__global__ void __launch_bounds__(64) byBinding(float *C, int K, uint32_t given) {
  __shared__ half sa[32][24], sb[32][24];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  float c[4][4] = {};
  for (int k = 0; k < K; k += 16) {
    uint32_t a[4], b[4][2];
    ldsm4(a, &sa[warp * 16 + lane % 16][lane / 16 * 8]);
    for (int j = 0; j < 4; ++j)
      ldsm2(b[j], &sb[j * 8 + lane % 8][lane / 8 % 2 * 8]);
    const auto [own, other] = Two{lane, warp};
    for (auto &x : a)
      x ^= own < 16 ? 0x80008000u : 0u;
    for (int j = 0; j < 4; ++j)
      mma(c[j], a, b[j]);
  }
  for (int j = 0; j < 4; ++j)
    for (int e = 0; e < 4; ++e)
      C[(warp * 16 + lane / 4 + e / 2 * 8) * 32 + j * 8 + lane % 4 * 2 + e % 2] = c[j][e];
}

// CHECK-DAG: note: ofLanesTile keeps 'b' in CUDA's layout and moves it for each product: 'b' is an operand and is used by other code
__global__ void __launch_bounds__(64) ofLanesTile(float *C, int K, uint32_t given) {
  __shared__ half sa[32][24], sb[32][24];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  float c[4][4] = {};
  for (int k = 0; k < K; k += 16) {
    uint32_t a[4], b[4][2];
    ldsm4(a, &sa[warp * 16 + lane % 16][lane / 16 * 8]);
    for (int j = 0; j < 4; ++j)
      ldsm2(b[j], &sb[j * 8 + lane % 8][lane / 8 % 2 * 8]);
    negate(b[lane & 1]);
    for (int j = 0; j < 4; ++j)
      mma(c[j], a, b[j]);
  }
  for (int j = 0; j < 4; ++j)
    for (int e = 0; e < 4; ++e)
      C[(warp * 16 + lane / 4 + e / 2 * 8) * 32 + j * 8 + lane % 4 * 2 + e % 2] = c[j][e];
}

// CHECK-DAG: note: asOftenAsTile keeps 'b' in CUDA's layout and moves it for each product: 'b' is an operand and is used by other code
__global__ void __launch_bounds__(64) asOftenAsTile(float *C, int K, uint32_t given) {
  __shared__ half sa[32][24], sb[32][24];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  float c[4][4] = {};
  for (int k = 0; k < K; k += 16) {
    uint32_t a[4], b[4][2];
    ldsm4(a, &sa[warp * 16 + lane % 16][lane / 16 * 8]);
    for (int j = 0; j < 4; ++j)
      ldsm2(b[j], &sb[j * 8 + lane % 8][lane / 8 % 2 * 8]);
    for (int j = 0; j < 4; ++j)
      for (int q = 0; q < j; ++q)
        negate(b[j]);
    for (int j = 0; j < 4; ++j)
      mma(c[j], a, b[j]);
  }
  for (int j = 0; j < 4; ++j)
    for (int e = 0; e < 4; ++e)
      C[(warp * 16 + lane / 4 + e / 2 * 8) * 32 + j * 8 + lane % 4 * 2 + e % 2] = c[j][e];
}

// CHECK-DAG: note: filledThenChanged is not native: 'h', which points into a fragment, is used by other code, too
__global__ void __launch_bounds__(64) filledThenChanged(float *C, int K, uint32_t given) {
  __shared__ half sa[32][24], sb[32][24];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  float c[4][4] = {};
  for (int k = 0; k < K; k += 16) {
    uint32_t a[4], b[4][2];
    ldsm4(a, &sa[warp * 16 + lane % 16][lane / 16 * 8]);
    for (int j = 0; j < 4; ++j)
      ldsm2(b[j], &sb[j * 8 + lane % 8][lane / 8 % 2 * 8]);
    for (int j = 0; j < 4; ++j) {
      half *h = (half *)b[j];
      for (int i = 0; i < 4; ++i)
        h[i] = sb[j * 8 + lane / 4][lane % 4 * 2 + i % 2 + i / 2 * 8];
      if (lane % 4 == 1)
        h[1] = __float2half(3.f);
    }
    for (int j = 0; j < 4; ++j)
      mma(c[j], a, b[j]);
  }
  for (int j = 0; j < 4; ++j)
    for (int e = 0; e < 4; ++e)
      C[(warp * 16 + lane / 4 + e / 2 * 8) * 32 + j * 8 + lane % 4 * 2 + e % 2] = c[j][e];
}

// CHECK-DAG: note: zeroedElsewhere is not native: a wrapper sets to zero what mma.m16n8k16.f16 does not begin with
__global__ void __launch_bounds__(64) zeroedElsewhere(float *C, int K, uint32_t given) {
  __shared__ half sa[32][24], sb[32][24];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  float c[4][4] = {};
  for (int k = 0; k < K; k += 16) {
    uint32_t a[4], b[4][2];
    ldsm4(a, &sa[warp * 16 + lane % 16][lane / 16 * 8]);
    for (int j = 0; j < 4; ++j)
      ldsm2(b[j], &sb[j * 8 + lane % 8][lane / 8 % 2 * 8]);
    float z[4] = {1, 2, 3, 4};
    for (int j = 0; j < 4; ++j)
      from(c[j], a, b[j], z);
    C[threadIdx.x] = z[0];
  }
  for (int j = 0; j < 4; ++j)
    for (int e = 0; e < 4; ++e)
      C[(warp * 16 + lane / 4 + e / 2 * 8) * 32 + j * 8 + lane % 4 * 2 + e % 2] = c[j][e];
}
