// What results begin with is asked for once, where it stands: whoever else is given it would have
// another lane's. So where it goes elsewhere, too (to memory, into another variable, through a
// number of another type), it stays CUDA's, and the sums come into the MFMA's layout behind it.
//
// RUN: %prove --launch %S/begins_kept.yaml 2>&1 | FileCheck %S/Inputs/native_tested.txt
// RUN: %ported %t.hip | FileCheck %s --implicit-check-not=lp::of_element
#include <cuda_fp16.h>
#include <stdint.h>

struct Numbers {
  int first;
  int steps[2];
};

__device__ __forceinline__ uint32_t word(const half *p) {
  return *reinterpret_cast<const uint32_t *>(p);
}

#define SETUP                                                                                      \
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;                                      \
  const int g = lane / 4, t = lane % 4;                                                            \
  float c[2][4] = {};
#define KERNEL(name)                                                                               \
  __global__ void __launch_bounds__(64)                                                            \
      name(const half *A, const half *B, const float *bias, float *C, float *E, Numbers n)

// CHECK-LABEL: KERNEL(keptToo)
// CHECK: lp::to_wave_layout(c[i]);
KERNEL(keptToo) {
  SETUP
  float x[2];
  for (int j = 0; j < 2; ++j) {
    x[j] = c[j][0] = c[j][2] = bias[j * 8 + t * 2];
    c[j][1] = c[j][3] = bias[j * 8 + t * 2 + 1];
  }
  for (int k = 0; k < 48; k += 16) {
    uint32_t a[4], b[2][2];
    for (int r = 0; r < 4; ++r)
      a[r] = word(A + (warp * 16 + g + r % 2 * 8) * 48 + k + t * 2 + r / 2 * 8);
    for (int j = 0; j < 2; ++j)
      for (int r = 0; r < 2; ++r)
        b[j][r] = word(B + (j * 8 + g) * 48 + k + t * 2 + r * 8);
    for (int j = 0; j < 2; ++j)
      asm volatile(
          "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
          "{%8,%9}, {%0,%1,%2,%3};"
          : "+f"(c[j][0]), "+f"(c[j][1]), "+f"(c[j][2]), "+f"(c[j][3])
          : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[j][0]), "r"(b[j][1]));
  }
  E[threadIdx.x] = x[0] + x[1];
  float *out = C + (warp * 16 + g) * 16 + t * 2;
  for (int j = 0; j < 2; ++j) {
    out[j * 8] = c[j][0];
    out[j * 8 + 1] = c[j][1];
    out[8 * 16 + j * 8] = c[j][2];
    out[8 * 16 + j * 8 + 1] = c[j][3];
  }
}

// CHECK-LABEL: KERNEL(storedToo)
// CHECK: lp::to_wave_layout(c[i]);
KERNEL(storedToo) {
  SETUP
  for (int j = 0; j < 2; ++j) {
    E[threadIdx.x + j * 64] = c[j][0] = c[j][2] = bias[j * 8 + t * 2];
    c[j][1] = c[j][3] = bias[j * 8 + t * 2 + 1];
  }
  for (int k = 0; k < 48; k += 16) {
    uint32_t a[4], b[2][2];
    for (int r = 0; r < 4; ++r)
      a[r] = word(A + (warp * 16 + g + r % 2 * 8) * 48 + k + t * 2 + r / 2 * 8);
    for (int j = 0; j < 2; ++j)
      for (int r = 0; r < 2; ++r)
        b[j][r] = word(B + (j * 8 + g) * 48 + k + t * 2 + r * 8);
    for (int j = 0; j < 2; ++j)
      asm volatile(
          "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
          "{%8,%9}, {%0,%1,%2,%3};"
          : "+f"(c[j][0]), "+f"(c[j][1]), "+f"(c[j][2]), "+f"(c[j][3])
          : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[j][0]), "r"(b[j][1]));
  }
  float *out = C + (warp * 16 + g) * 16 + t * 2;
  for (int j = 0; j < 2; ++j) {
    out[j * 8] = c[j][0];
    out[j * 8 + 1] = c[j][1];
    out[8 * 16 + j * 8] = c[j][2];
    out[8 * 16 + j * 8 + 1] = c[j][3];
  }
}

// CHECK-LABEL: KERNEL(declaredToo)
// CHECK: lp::to_wave_layout(c[i]);
KERNEL(declaredToo) {
  SETUP
  const float x = c[0][0] = bias[t * 2], y = c[0][2] = bias[t * 2 + 1];
  for (int k = 0; k < 48; k += 16) {
    uint32_t a[4], b[2][2];
    for (int r = 0; r < 4; ++r)
      a[r] = word(A + (warp * 16 + g + r % 2 * 8) * 48 + k + t * 2 + r / 2 * 8);
    for (int j = 0; j < 2; ++j)
      for (int r = 0; r < 2; ++r)
        b[j][r] = word(B + (j * 8 + g) * 48 + k + t * 2 + r * 8);
    for (int j = 0; j < 2; ++j)
      asm volatile(
          "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
          "{%8,%9}, {%0,%1,%2,%3};"
          : "+f"(c[j][0]), "+f"(c[j][1]), "+f"(c[j][2]), "+f"(c[j][3])
          : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[j][0]), "r"(b[j][1]));
  }
  E[threadIdx.x] = x + y;
  float *out = C + (warp * 16 + g) * 16 + t * 2;
  for (int j = 0; j < 2; ++j) {
    out[j * 8] = c[j][0];
    out[j * 8 + 1] = c[j][1];
    out[8 * 16 + j * 8] = c[j][2];
    out[8 * 16 + j * 8 + 1] = c[j][3];
  }
}

// CHECK-LABEL: KERNEL(asked)
// CHECK: lp::to_wave_layout(c[i]);
KERNEL(asked) {
  SETUP
  int count = 0;
  for (int j = 0; j < 2; ++j)
    if ((c[j][0] = c[j][2] = bias[j * 8 + t * 2]) > 1.f)
      ++count;
  for (int k = 0; k < 48; k += 16) {
    uint32_t a[4], b[2][2];
    for (int r = 0; r < 4; ++r)
      a[r] = word(A + (warp * 16 + g + r % 2 * 8) * 48 + k + t * 2 + r / 2 * 8);
    for (int j = 0; j < 2; ++j)
      for (int r = 0; r < 2; ++r)
        b[j][r] = word(B + (j * 8 + g) * 48 + k + t * 2 + r * 8);
    for (int j = 0; j < 2; ++j)
      asm volatile(
          "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
          "{%8,%9}, {%0,%1,%2,%3};"
          : "+f"(c[j][0]), "+f"(c[j][1]), "+f"(c[j][2]), "+f"(c[j][3])
          : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[j][0]), "r"(b[j][1]));
  }
  E[threadIdx.x] = count;
  float *out = C + (warp * 16 + g) * 16 + t * 2;
  for (int j = 0; j < 2; ++j) {
    out[j * 8] = c[j][0];
    out[j * 8 + 1] = c[j][1];
    out[8 * 16 + j * 8] = c[j][2];
    out[8 * 16 + j * 8 + 1] = c[j][3];
  }
}

// One value for both halves, and here those are the two warps.
// CHECK-LABEL: KERNEL(byWarp)
// CHECK: lp::to_wave_layout(c[i]);
KERNEL(byWarp) {
  SETUP
  for (int j = 0; j < 2; ++j)
    c[j][0] = c[j][2] = bias[warp * 16 + j * 8 + t * 2];
  for (int k = 0; k < 48; k += 16) {
    uint32_t a[4], b[2][2];
    for (int r = 0; r < 4; ++r)
      a[r] = word(A + (warp * 16 + g + r % 2 * 8) * 48 + k + t * 2 + r / 2 * 8);
    for (int j = 0; j < 2; ++j)
      for (int r = 0; r < 2; ++r)
        b[j][r] = word(B + (j * 8 + g) * 48 + k + t * 2 + r * 8);
    for (int j = 0; j < 2; ++j)
      asm volatile(
          "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
          "{%8,%9}, {%0,%1,%2,%3};"
          : "+f"(c[j][0]), "+f"(c[j][1]), "+f"(c[j][2]), "+f"(c[j][3])
          : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[j][0]), "r"(b[j][1]));
  }
  float *out = C + (warp * 16 + g) * 16 + t * 2;
  for (int j = 0; j < 2; ++j) {
    out[j * 8] = c[j][0];
    out[j * 8 + 1] = c[j][1];
    out[8 * 16 + j * 8] = c[j][2];
    out[8 * 16 + j * 8 + 1] = c[j][3];
  }
}

// CHECK-LABEL: KERNEL(rounded)
// CHECK: lp::to_wave_layout(c[i]);
KERNEL(rounded) {
  SETUP
  int whole[2];
  for (int j = 0; j < 2; ++j)
    c[j][0] = c[j][2] = whole[j] = bias[j * 8 + t * 2];
  for (int k = 0; k < 48; k += 16) {
    uint32_t a[4], b[2][2];
    for (int r = 0; r < 4; ++r)
      a[r] = word(A + (warp * 16 + g + r % 2 * 8) * 48 + k + t * 2 + r / 2 * 8);
    for (int j = 0; j < 2; ++j)
      for (int r = 0; r < 2; ++r)
        b[j][r] = word(B + (j * 8 + g) * 48 + k + t * 2 + r * 8);
    for (int j = 0; j < 2; ++j)
      asm volatile(
          "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
          "{%8,%9}, {%0,%1,%2,%3};"
          : "+f"(c[j][0]), "+f"(c[j][1]), "+f"(c[j][2]), "+f"(c[j][3])
          : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[j][0]), "r"(b[j][1]));
  }
  E[threadIdx.x] = whole[0] + whole[1];
  float *out = C + (warp * 16 + g) * 16 + t * 2;
  for (int j = 0; j < 2; ++j) {
    out[j * 8] = c[j][0];
    out[j * 8 + 1] = c[j][1];
    out[8 * 16 + j * 8] = c[j][2];
    out[8 * 16 + j * 8 + 1] = c[j][3];
  }
}

// CHECK-LABEL: KERNEL(stepped)
// CHECK: lp::to_wave_layout(c[i]);
KERNEL(stepped) {
  SETUP
  for (int j = 0; j < 2; ++j) {
    int at = j * 8;
    c[j][0] = c[j][2] = bias[at += t * 2];
  }
  for (int k = 0; k < 48; k += 16) {
    uint32_t a[4], b[2][2];
    for (int r = 0; r < 4; ++r)
      a[r] = word(A + (warp * 16 + g + r % 2 * 8) * 48 + k + t * 2 + r / 2 * 8);
    for (int j = 0; j < 2; ++j)
      for (int r = 0; r < 2; ++r)
        b[j][r] = word(B + (j * 8 + g) * 48 + k + t * 2 + r * 8);
    for (int j = 0; j < 2; ++j)
      asm volatile(
          "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
          "{%8,%9}, {%0,%1,%2,%3};"
          : "+f"(c[j][0]), "+f"(c[j][1]), "+f"(c[j][2]), "+f"(c[j][3])
          : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[j][0]), "r"(b[j][1]));
  }
  float *out = C + (warp * 16 + g) * 16 + t * 2;
  for (int j = 0; j < 2; ++j) {
    out[j * 8] = c[j][0];
    out[j * 8 + 1] = c[j][1];
    out[8 * 16 + j * 8] = c[j][2];
    out[8 * 16 + j * 8 + 1] = c[j][3];
  }
}

// Of one of the two rows that a lane has.
// CHECK-LABEL: KERNEL(byHalf)
// CHECK: lp::to_wave_layout(c[i]);
KERNEL(byHalf) {
  SETUP
  for (int j = 0; j < 2; ++j) {
    c[j][0] = bias[lane];
    c[j][1] = bias[lane + 1];
  }
  for (int k = 0; k < 48; k += 16) {
    uint32_t a[4], b[2][2];
    for (int r = 0; r < 4; ++r)
      a[r] = word(A + (warp * 16 + g + r % 2 * 8) * 48 + k + t * 2 + r / 2 * 8);
    for (int j = 0; j < 2; ++j)
      for (int r = 0; r < 2; ++r)
        b[j][r] = word(B + (j * 8 + g) * 48 + k + t * 2 + r * 8);
    for (int j = 0; j < 2; ++j)
      asm volatile(
          "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
          "{%8,%9}, {%0,%1,%2,%3};"
          : "+f"(c[j][0]), "+f"(c[j][1]), "+f"(c[j][2]), "+f"(c[j][3])
          : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[j][0]), "r"(b[j][1]));
  }
  float *out = C + (warp * 16 + g) * 16 + t * 2;
  for (int j = 0; j < 2; ++j) {
    out[j * 8] = c[j][0];
    out[j * 8 + 1] = c[j][1];
    out[8 * 16 + j * 8] = c[j][2];
    out[8 * 16 + j * 8 + 1] = c[j][3];
  }
}

// By a function, of some lanes.
__device__ void addSome(float (&c)[2][4], int lane, const float *bias) {
  if (lane < 16)
    for (int j = 0; j < 2; ++j)
      for (int e = 0; e < 4; ++e)
        c[j][e] = bias[lane + e];
}
// CHECK-LABEL: KERNEL(byLane)
// CHECK: lp::to_wave_layout(c[i]);
KERNEL(byLane) {
  SETUP
  addSome(c, lane, bias);
  for (int k = 0; k < 48; k += 16) {
    uint32_t a[4], b[2][2];
    for (int r = 0; r < 4; ++r)
      a[r] = word(A + (warp * 16 + g + r % 2 * 8) * 48 + k + t * 2 + r / 2 * 8);
    for (int j = 0; j < 2; ++j)
      for (int r = 0; r < 2; ++r)
        b[j][r] = word(B + (j * 8 + g) * 48 + k + t * 2 + r * 8);
    for (int j = 0; j < 2; ++j)
      asm volatile(
          "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
          "{%8,%9}, {%0,%1,%2,%3};"
          : "+f"(c[j][0]), "+f"(c[j][1]), "+f"(c[j][2]), "+f"(c[j][3])
          : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[j][0]), "r"(b[j][1]));
  }
  float *out = C + (warp * 16 + g) * 16 + t * 2;
  for (int j = 0; j < 2; ++j) {
    out[j * 8] = c[j][0];
    out[j * 8 + 1] = c[j][1];
    out[8 * 16 + j * 8] = c[j][2];
    out[8 * 16 + j * 8 + 1] = c[j][3];
  }
}

// By a constructor, another number in each register.
struct Rising {
  float v[4];
  __device__ Rising() {
    for (int e = 0; e < 4; ++e)
      v[e] = e;
  }
};
// CHECK-LABEL: KERNEL(byConstructor)
// CHECK: lp::to_wave_layout(c.v);
KERNEL(byConstructor) {
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int g = lane / 4, t = lane % 4;
  Rising c;
  for (int k = 0; k < 48; k += 16) {
    uint32_t a[4], b[1][2];
    for (int r = 0; r < 4; ++r)
      a[r] = word(A + (warp * 16 + g + r % 2 * 8) * 48 + k + t * 2 + r / 2 * 8);
    for (int j = 0; j < 1; ++j)
      for (int r = 0; r < 2; ++r)
        b[j][r] = word(B + (j * 8 + g) * 48 + k + t * 2 + r * 8);
    for (int j = 0; j < 1; ++j)
      asm volatile(
          "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
          "{%8,%9}, {%0,%1,%2,%3};"
          : "+f"(c.v[0]), "+f"(c.v[1]), "+f"(c.v[2]), "+f"(c.v[3])
          : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[j][0]), "r"(b[j][1]));
  }
  float *out = C + (warp * 16 + g) * 16 + t * 2;
  for (int j = 0; j < 1; ++j) {
    out[j * 8] = c.v[0];
    out[j * 8 + 1] = c.v[1];
    out[8 * 16 + j * 8] = c.v[2];
    out[8 * 16 + j * 8 + 1] = c.v[3];
  }
}
