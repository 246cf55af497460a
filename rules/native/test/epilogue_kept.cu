// What keeps an epilogue from running where the elements lie, by name and line; the kernel is
// native all the same, and its accumulators go back to CUDA's layout behind the loop.
// RUN: %layout-port %s -o %t.hip --target gfx942 2>&1 | FileCheck %s \
// RUN:   --implicit-check-not='{{comesBack keeps}}'
// RUN: %ported %t.hip | FileCheck %s --check-prefix=PORT
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
__device__ void store(float *p, const float (&c)[4]) { *(float4 *)p = *(const float4 *)c; }

#define SETUP                                                                                      \
  __shared__ half s[1024];                                                                         \
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;                                      \
  const uint32_t base = (uint32_t)__cvta_generic_to_shared(s);                                     \
  float c[4] = {};                                                                                 \
  uint32_t a[4], b[2];                                                                             \
  const int row = lane / 4, col = warp * 8 + lane % 4 * 2;

// CHECK-DAG: shuffled keeps its epilogue, behind a conversion of 'c': the epilogue calls '__shfl_sync' ({{.*}}epilogue_kept.cu:[[@LINE+7]])
// PORT: lp: accumulators in the layout of CUDA
__global__ void __launch_bounds__(64) shuffled(float *C) {
  SETUP
  ldsm4(a, base + lane % 16 * 32 + lane / 16 * 16);
  ldsm2(b, base + (warp * 8 + lane % 8) * 32 + lane / 8 % 2 * 16);
  mma(c, a, b);
  C[row * 16 + col] = __shfl_sync(0xffffffffu, c[0], lane ^ 1);
}

__device__ void count(int *n) { atomicAdd(n, 1); }
__device__ int ownColumn(int by) {
  unsigned lane;
  asm("mov.u32 %0, %%laneid;" : "=r"(lane));
  return (lane % 4 ^ lane / 4 % 2) * by;
}

// CHECK-DAG: counted keeps its epilogue, behind a conversion of 'c': the epilogue calls 'count', which uses an atomic of its own ({{.*}}epilogue_kept.cu:[[@LINE+7]])
__global__ void __launch_bounds__(64) counted(float *C, int *n) {
  SETUP
  ldsm4(a, base + lane % 16 * 32 + lane / 16 * 16);
  ldsm2(b, base + (warp * 8 + lane % 8) * 32 + lane / 8 % 2 * 16);
  mma(c, a, b);
  for (int e = 0; e < 4; ++e) {
    count(n + col);
    C[(row + e / 2 * 8) * 16 + col + e % 2] = c[e];
  }
}

// CHECK-DAG: asked keeps its epilogue, behind a conversion of 'c': the epilogue calls 'ownColumn', which reads the thread's index itself
__global__ void __launch_bounds__(64) asked(float *C) {
  SETUP
  ldsm4(a, base + lane % 16 * 32 + lane / 16 * 16);
  ldsm2(b, base + (warp * 8 + lane % 8) * 32 + lane / 8 % 2 * 16);
  mma(c, a, b);
  for (int e = 0; e < 4; ++e)
    C[(row + e / 2 * 8) * 16 + warp * 8 + ownColumn(2) + e % 2] = c[e];
}

// CHECK-DAG: bothRows keeps its epilogue, behind a conversion of 'c': one statement uses both rows of a tile ({{.*}}epilogue_kept.cu:[[@LINE+6]])
__global__ void __launch_bounds__(64) bothRows(float *C) {
  SETUP
  ldsm4(a, base + lane % 16 * 32 + lane / 16 * 16);
  ldsm2(b, base + (warp * 8 + lane % 8) * 32 + lane / 8 % 2 * 16);
  mma(c, a, b);
  C[row * 16 + col] = c[0] + c[2];
}

// CHECK-DAG: whole keeps its epilogue, behind a conversion of 'c': in 'store', 'c' is used in another way than by its registers ({{.*}}epilogue_kept.cu:[[@LINE+6]])
__global__ void __launch_bounds__(64) whole(float *C) {
  SETUP
  ldsm4(a, base + lane % 16 * 32 + lane / 16 * 16);
  ldsm2(b, base + (warp * 8 + lane % 8) * 32 + lane / 8 % 2 * 16);
  mma(c, a, b);
  store(&C[row * 16 + col], c);
}

// A thread that writes, or counts up, one place for several of its elements does it in an order.
// CHECK-DAG: lastWins keeps its epilogue, behind a conversion of 'c': several elements are written to one place ({{.*}}epilogue_kept.cu:[[@LINE+7]])
__global__ void __launch_bounds__(64) lastWins(float *C) {
  SETUP
  ldsm4(a, base + lane % 16 * 32 + lane / 16 * 16);
  ldsm2(b, base + (warp * 8 + lane % 8) * 32 + lane / 8 % 2 * 16);
  mma(c, a, b);
  for (int e = 0; e < 4; ++e)
    C[threadIdx.x] = c[e];
}

// CHECK-DAG: countsUp keeps its epilogue, behind a conversion of 'c': several elements are written to one place ({{.*}}epilogue_kept.cu:[[@LINE+6]])
__global__ void __launch_bounds__(64) countsUp(float *C) {
  SETUP
  ldsm4(a, base + lane % 16 * 32 + lane / 16 * 16);
  ldsm2(b, base + (warp * 8 + lane % 8) * 32 + lane / 8 % 2 * 16);
  mma(c, a, b);
  C[row * 16 + col] += c[0];
  C[row * 16 + col] += c[2];
}

// CHECK-DAG: aliased keeps its epilogue, behind a conversion of 'c': 'D' may be the memory that the epilogue writes; '// layout-port: noalias(D)' would tell ({{.*}}epilogue_kept.cu:[[@LINE+8]])


__global__ void __launch_bounds__(64) aliased(float *C, const float *D) {
  SETUP
  ldsm4(a, base + lane % 16 * 32 + lane / 16 * 16);
  ldsm2(b, base + (warp * 8 + lane % 8) * 32 + lane / 8 % 2 * 16);
  mma(c, a, b);
  C[row * 16 + col] = c[0] + D[row * 16 + col + 1];
  C[(row + 8) * 16 + col] = c[2] + D[(row + 8) * 16 + col + 1];
}

// CHECK-DAG: note: told assumes, on the author's word, nothing else leads to the memory of 'D'
// layout-port: noalias(D)
__global__ void __launch_bounds__(64) told(float *C, const float *D) {
  SETUP
  ldsm4(a, base + lane % 16 * 32 + lane / 16 * 16);
  ldsm2(b, base + (warp * 8 + lane % 8) * 32 + lane / 8 % 2 * 16);
  mma(c, a, b);
  C[row * 16 + col] = c[0] + D[row * 16 + col + 1];
  C[(row + 8) * 16 + col] = c[2] + D[(row + 8) * 16 + col + 1];
}

// CHECK-DAG: readBack keeps its epilogue, behind a conversion of 'c': 's' is read behind the epilogue without a barrier ({{.*}}epilogue_kept.cu:[[@LINE+8]])
__global__ void __launch_bounds__(64) readBack(float *C) {
  SETUP
  ldsm4(a, base + lane % 16 * 32 + lane / 16 * 16);
  ldsm2(b, base + (warp * 8 + lane % 8) * 32 + lane / 8 % 2 * 16);
  mma(c, a, b);
  s[row * 16 + col] = __float2half(c[0]);
  s[(row + 8) * 16 + col] = __float2half(c[2]);
  C[threadIdx.x] = __half2float(s[row * 16 + col]);
}

// CHECK-DAG: someLanes keeps its epilogue, behind a conversion of 'c': some lanes of a wave may not reach the epilogue: lane >= 16 ({{.*}}epilogue_kept.cu:[[@LINE+6]])
__global__ void __launch_bounds__(64) someLanes(float *C) {
  SETUP
  ldsm4(a, base + lane % 16 * 32 + lane / 16 * 16);
  ldsm2(b, base + (warp * 8 + lane % 8) * 32 + lane / 8 % 2 * 16);
  mma(c, a, b);
  if (lane >= 16)
    return;
  C[row * 16 + col] = c[0];
  C[(row + 8) * 16 + col] = c[2];
}

// CHECK-DAG: counted keeps its epilogue, behind a conversion of 'c': 'at' is changed in the epilogue ({{.*}}epilogue_kept.cu:[[@LINE+8]])
__global__ void __launch_bounds__(64) counted(float *C) {
  SETUP
  ldsm4(a, base + lane % 16 * 32 + lane / 16 * 16);
  ldsm2(b, base + (warp * 8 + lane % 8) * 32 + lane / 8 % 2 * 16);
  mma(c, a, b);
  float *at = C + row * 16 + col;
  *at = c[0];
  at += 128;
  *at = c[2];
}

// For most numbers of the launch each element has a place of its own, and for some two of one
// thread's share one.
// CHECK-DAG: periodic keeps its epilogue, behind a conversion of 'c': whether each element is written to a place of its own is not clear ({{.*}}epilogue_kept.cu:[[@LINE+7]])
__global__ void __launch_bounds__(64) periodic(float *C, int period) {
  SETUP
  ldsm4(a, base + lane % 16 * 32 + lane / 16 * 16);
  ldsm2(b, base + (warp * 8 + lane % 8) * 32 + lane / 8 % 2 * 16);
  mma(c, a, b);
  for (int e = 0; e < 4; ++e)
    C[(row + e / 2 * 8) % period * 16 + col + e % 2] += c[e];
}

// CHECK-DAG: periodicByHand keeps its epilogue, behind a conversion of 'c': whether each element is written to a place of its own is not clear ({{.*}}epilogue_kept.cu:[[@LINE+7]])
__global__ void __launch_bounds__(64) periodicByHand(float *C, int period) {
  SETUP
  ldsm4(a, base + lane % 16 * 32 + lane / 16 * 16);
  ldsm2(b, base + (warp * 8 + lane % 8) * 32 + lane / 8 % 2 * 16);
  mma(c, a, b);
  float *to = C + col;
  to[row % period * 16] = c[0];
  to[(row + 8) % period * 16] = c[2];
}

// CHECK-DAG: scattered keeps its epilogue, behind a conversion of 'c': whether each element is written to a place of its own is not clear ({{.*}}epilogue_kept.cu:[[@LINE+7]])
__global__ void __launch_bounds__(64) scattered(float *C, const int *map) {
  SETUP
  ldsm4(a, base + lane % 16 * 32 + lane / 16 * 16);
  ldsm2(b, base + (warp * 8 + lane % 8) * 32 + lane / 8 % 2 * 16);
  mma(c, a, b);
  for (int e = 0; e < 4; ++e)
    C[map[row + e / 2 * 8] * 16 + col + e % 2] = c[e];
}

// The same for all elements of a thread: which part of C is not their matter.
// CHECK-NOT: headed keeps its epilogue
__global__ void __launch_bounds__(64) headed(float *C, const int *map, int heads) {
  SETUP
  ldsm4(a, base + lane % 16 * 32 + lane / 16 * 16);
  ldsm2(b, base + (warp * 8 + lane % 8) * 32 + lane / 8 % 2 * 16);
  mma(c, a, b);
  float *to = C + map[blockIdx.x / heads] + blockIdx.x % heads * 256;
  for (int e = 0; e < 4; ++e)
    to[(row + e / 2 * 8) * 16 + col + e % 2] = c[e];
}

// One lane of a warp writes all its elements to one place.
// CHECK-DAG: oneLane keeps its epilogue, behind a conversion of 'c': several elements are written to one place ({{.*}}epilogue_kept.cu:[[@LINE+7]])
__global__ void __launch_bounds__(64) oneLane(float *C) {
  SETUP
  ldsm4(a, base + lane % 16 * 32 + lane / 16 * 16);
  ldsm2(b, base + (warp * 8 + lane % 8) * 32 + lane / 8 % 2 * 16);
  mma(c, a, b);
  for (int e = 0; e < 4; ++e)
    C[lane == 7 ? 2000 + warp : (row + e / 2 * 8) * 16 + col + e % 2] = c[e];
}

// Lanes that leave the loop over tiles are gone for the tiles behind as well, not for this one.
// CHECK-DAG: skipped keeps its epilogue, behind a conversion of 'd': a statement of the epilogue is not followed (
__global__ void __launch_bounds__(64) skipped(float *C, int n) {
  SETUP
  float d[2][4] = {};
  ldsm4(a, base + lane % 16 * 32 + lane / 16 * 16);
  for (int j = 0; j < 2; ++j) {
    ldsm2(b, base + (warp * 16 + j * 8 + lane % 8) * 32 + lane / 8 % 2 * 16);
    mma(d[j], a, b);
  }
  for (int j = 0; j < 2; ++j) {
    C[row * 32 + col + j * 8] = d[j][0];
    C[(row + 8) * 32 + col + j * 8] = d[j][2];
    if (col + j * 8 >= n)
      break;
  }
}

// Whoever skips a row of tiles here skips what is not the tiles' too.
// CHECK-DAG: skippedAround keeps its epilogue, behind a conversion of 'd': some lanes of a wave may not reach the epilogue: row + i * 16 >= n ({{.*}}epilogue_kept.cu:[[@LINE+12]])
__global__ void __launch_bounds__(64) skippedAround(float *C, int n) {
  SETUP
  float d[2][2][4] = {};
  for (int i = 0; i < 2; ++i) {
    ldsm4(a, base + (i * 16 + lane % 16) * 32 + lane / 16 * 16);
    for (int j = 0; j < 2; ++j) {
      ldsm2(b, base + (warp * 16 + j * 8 + lane % 8) * 32 + lane / 8 % 2 * 16);
      mma(d[i][j], a, b);
    }
  }
  for (int i = 0; i < 2; ++i) {
    if (row + i * 16 >= n)
      continue;
    for (int j = 0; j < 2; ++j) {
      C[(row + i * 16) * 32 + col + j * 8] = d[i][j][0];
      C[(row + i * 16 + 8) * 32 + col + j * 8] = d[i][j][2];
    }
    C[1024 + threadIdx.x * 2 + i] = 1.f;
  }
}

// What stands between the statements of the two rows may leave out the lower row alone, not what
// comes of the upper row behind it.
// CHECK-DAG: skippedBetween keeps its epilogue, behind a conversion of 'd': a tile is left between the rows that its statements speak of (
__global__ void __launch_bounds__(64) skippedBetween(float *C, int n) {
  SETUP
  float d[2][4] = {};
  ldsm4(a, base + lane % 16 * 32 + lane / 16 * 16);
  for (int j = 0; j < 2; ++j) {
    ldsm2(b, base + (warp * 16 + j * 8 + lane % 8) * 32 + lane / 8 % 2 * 16);
    mma(d[j], a, b);
  }
  for (int j = 0; j < 2; ++j) {
    C[row * 32 + col + j * 8] = d[j][0];
    if (row + 8 >= n)
      continue;
    C[(row + 8) * 32 + col + j * 8] = d[j][2];
    C[row * 32 + col + 1 + j * 8] = d[j][1];
    C[(row + 8) * 32 + col + 1 + j * 8] = d[j][3];
  }
}

// Elements that are skipped, and values that change on the way to memory, stay where they lie.
// CHECK-NOT: guarded keeps its epilogue
// PORT-LABEL: guarded(
// PORT: for (int e = 2 * lower; e < 2 * lower + 2; ++e) {
// PORT: continue;
// PORT: x = x > 0.f ? x : 0.f;
__global__ void __launch_bounds__(64) guarded(float *C, int M, int N) {
  SETUP
  ldsm4(a, base + lane % 16 * 32 + lane / 16 * 16);
  ldsm2(b, base + (warp * 8 + lane % 8) * 32 + lane / 8 % 2 * 16);
  mma(c, a, b);
  for (int e = 0; e < 4; ++e) {
    if (row + e / 2 * 8 >= M || col + e % 2 >= N)
      continue;
    float x = c[e] * 0.5f;
    x = x > 0.f ? x : 0.f;
    C[(row + e / 2 * 8) * 16 + col + e % 2] = x;
  }
}

// Words of two halves: the division drops the same of every place, so none meet.
// PORT-LABEL: words(
// PORT: lp::each_pair(
__global__ void __launch_bounds__(64) words(uint32_t *C, int N) {
  SETUP
  ldsm4(a, base + lane % 16 * 32 + lane / 16 * 16);
  ldsm2(b, base + (warp * 8 + lane % 8) * 32 + lane / 8 % 2 * 16);
  mma(c, a, b);
  for (int r = 0; r < 2; ++r)
    C[((row + r * 8) * 2 * N + warp * 8) / 2 + lane % 4] = __float_as_uint(c[2 * r] + c[2 * r + 1]);
}

// What is changed and what is read of the upper row would trade places, were some of its statements
// put to those of the lower row and others not.
// CHECK-DAG: outOfOrder keeps its epilogue, behind a conversion of 'c': the two rows of a tile are treated differently ({{.*}}epilogue_kept.cu:[[@LINE+6]])
__global__ void __launch_bounds__(64) outOfOrder(float *C) {
  SETUP
  ldsm4(a, base + lane % 16 * 32 + lane / 16 * 16);
  ldsm2(b, base + (warp * 8 + lane % 8) * 32 + lane / 8 % 2 * 16);
  mma(c, a, b);
  c[0] *= 2.f;
  C[row * 16 + col] = c[0];
  c[2] *= 2.f;
}

// CHECK-DAG: ofAnother keeps its epilogue, behind a conversion of 'c': which register of the accumulator is meant is not clear ({{.*}}epilogue_kept.cu:[[@LINE+7]])
__global__ void __launch_bounds__(64) ofAnother(float *C) {
  SETUP
  ldsm4(a, base + lane % 16 * 32 + lane / 16 * 16);
  ldsm2(b, base + (warp * 8 + lane % 8) * 32 + lane / 8 % 2 * 16);
  mma(c, a, b);
  for (int e = 0; e < 4; ++e) {
    c[e ^ 2] += c[e];
    C[(row + e / 2 * 8) * 16 + col + e % 2] = c[e];
  }
}

struct Put {
  float *to;
  __device__ void operator()(int at, float x) const { to[at] = x; }
};
// CHECK-DAG: handsOver keeps its epilogue, behind a conversion of 'c': several elements are written to one place ({{.*}}epilogue_kept.cu:[[@LINE-2]])
__global__ void __launch_bounds__(64) handsOver(Put put) {
  SETUP
  ldsm4(a, base + lane % 16 * 32 + lane / 16 * 16);
  ldsm2(b, base + (warp * 8 + lane % 8) * 32 + lane / 8 % 2 * 16);
  mma(c, a, b);
  for (int e = 0; e < 4; ++e)
    put((row + e / 2 * 8) * 16 + col / 2, c[e]);
}

// CHECK-DAG: ownNumber keeps its epilogue, behind a conversion of 'd': its tile is numbered by 'j', which the epilogue declares itself ({{.*}}epilogue_kept.cu:[[@LINE+11]])
__global__ void __launch_bounds__(64) ownNumber(float *C) {
  SETUP
  float d[1][1][4] = {};
  ldsm4(a, base + lane % 16 * 32 + lane / 16 * 16);
  ldsm2(b, base + (warp * 8 + lane % 8) * 32 + lane / 8 % 2 * 16);
  mma(d[0][0], a, b);
  for (int i = 0; i < 1; ++i)
    for (int n = 0; n < 1; ++n) {
      const int j = n ^ 0;
      for (int e = 0; e < 4; ++e)
        C[(row + e / 2 * 8) * 16 + col + e % 2] = d[i][j][e];
    }
  if (lane == 0) // it is not read to its end
    return;
}

// CHECK-DAG: otherRows keeps its epilogue, behind a conversion of 'c': one statement uses both rows of a tile ({{.*}}epilogue_kept.cu:[[@LINE+10]])
// CHECK-DAG: otherRows keeps its epilogue, behind a conversion of 'd': one statement uses both rows of a tile
__global__ void __launch_bounds__(64) otherRows(float *C) {
  SETUP
  float d[4] = {};
  ldsm4(a, base + lane % 16 * 32 + lane / 16 * 16);
  ldsm2(b, base + (warp * 8 + lane % 8) * 32 + lane / 8 % 2 * 16);
  mma(c, a, b);
  mma(d, a, b);
  for (int e = 0; e < 4; ++e)
    C[(row + e / 2 * 8) * 16 + col + e % 2] = c[e] * d[3 - e];
}

// CHECK-DAG: ofLane keeps its epilogue, behind a conversion of 'c': the epilogue calls a lambda, which reads the thread's index itself ({{.*}}epilogue_kept.cu:[[@LINE+8]])
__global__ void __launch_bounds__(64) ofLane(float *C) {
  SETUP
  ldsm4(a, base + lane % 16 * 32 + lane / 16 * 16);
  ldsm2(b, base + (warp * 8 + lane % 8) * 32 + lane / 8 % 2 * 16);
  mma(c, a, b);
  auto put = [&](int r, int at, float x) { C[(row + r) * 16 + at] = x; };
  for (int e = 0; e < 4; ++e)
    put(e / 2 * 8, col + e % 2, c[e]);
}

// CHECK-DAG: ofPlaces keeps its epilogue, behind a conversion of 'c': several elements are written to one place
__global__ void __launch_bounds__(64) ofPlaces(float *C) {
  SETUP
  ldsm4(a, base + lane % 16 * 32 + lane / 16 * 16);
  ldsm2(b, base + (warp * 8 + lane % 8) * 32 + lane / 8 % 2 * 16);
  mma(c, a, b);
  auto put = [&](int r, int at, float x) { C[r * 16 + at / 2] = x; };
  for (int e = 0; e < 4; ++e)
    put(row + e / 2 * 8, col + e % 2, c[e]);
}

// CHECK-DAG: countsCalls keeps its epilogue, behind a conversion of 'c': the epilogue calls a lambda, which does more than write to places that it is given
__global__ void __launch_bounds__(64) countsCalls(float *C) {
  SETUP
  int calls = 0;
  ldsm4(a, base + lane % 16 * 32 + lane / 16 * 16);
  ldsm2(b, base + (warp * 8 + lane % 8) * 32 + lane / 8 % 2 * 16);
  mma(c, a, b);
  auto put = [&](int r, int at, float x) { C[r * 16 + at + calls++] = x; };
  for (int e = 0; e < 4; ++e)
    put(row + e / 2 * 8, col + e % 2, c[e]);
}

// A byte that grows comes back.
// Results stay where they lie: it is read as if it stood between two products.
__global__ void __launch_bounds__(64) comesBack(float *C) {
  SETUP
  float d[4][4] = {};
  ldsm4(a, base + lane % 16 * 32 + lane / 16 * 16);
  for (int j = 0; j < 4; ++j) {
    ldsm2(b, base + (warp * 32 + j * 8 + lane % 8) * 32 + lane / 8 % 2 * 16);
    mma(d[j], a, b);
  }
  for (int j = 0; j < 4; ++j) {
    const unsigned char at = j * 100;
    if (at >= 150)
      break;
    C[row * 64 + col + j * 8] = d[j][0];
    C[(row + 8) * 64 + col + j * 8] = d[j][2];
  }
}
