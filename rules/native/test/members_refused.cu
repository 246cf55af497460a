// Members that no other lane's can be had of: what they are is not known, or nobody can be asked.
//
// RUN: %layout-port %s -o %t.hip --target gfx942 > %t.log 2>&1
// RUN: FileCheck %s < %t.log
#include <cuda_fp16.h>
#include <cuda_runtime.h>

constexpr int kLd = 24;

__device__ __forceinline__ void ldsm4(unsigned (&r)[4], const half *p) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"((unsigned)__cvta_generic_to_shared(p)));
}
__device__ __forceinline__ void ldsm2(unsigned (&r)[2], const half *p) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%2];"
               : "=r"(r[0]), "=r"(r[1]) : "r"((unsigned)__cvta_generic_to_shared(p)));
}
__device__ __forceinline__ void mma(float (&c)[4], const unsigned (&a)[4], const unsigned (&b)[2]) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
               "{%8,%9}, {%0,%1,%2,%3};"
               : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
__device__ __forceinline__ void takeB(unsigned (&b)[2], const half *s, int lane) {
  ldsm2(b, s + lane % 8 * kLd + lane / 8 % 2 * 8);
}
#define KERNEL(name) __global__ void __launch_bounds__(64) name(float *C, int n)
#define BEGIN __shared__ half sA[32 * kLd], sB[8 * kLd]
#define STEPS                 \
  it.begin();                 \
  for (int k = 0; k < n; ++k) \
    it.step(sA, sB);          \
  C[threadIdx.x] = it.c[0] + it.c[1] + it.c[2] + it.c[3]
#define CLEAR c[0] = c[1] = c[2] = c[3] = 0.f

struct OfBits {
  float c[4];
  int row : 8;
  __device__ void begin() {
    row = threadIdx.x / 32 * 16;
    CLEAR;
  }
  __device__ void step(const half *sA, const half *sB) {
    const int lane = threadIdx.x % 32;
    unsigned a[4], b[2];
    ldsm4(a, sA + (row + lane % 16) * kLd + lane / 16 * 8);
    takeB(b, sB, lane);
    mma(c, a, b);
  }
};
// CHECK-DAG: ofBits is not native: the address is computed from members of a class
KERNEL(ofBits) {
  BEGIN;
  OfBits it;
  STEPS;
}

struct InArray {
  float c[4];
  int rows[2];
  __device__ void begin() {
    rows[0] = rows[1] = threadIdx.x / 32 * 16;
    CLEAR;
  }
  __device__ void step(const half *sA, const half *sB) {
    const int lane = threadIdx.x % 32;
    unsigned a[4], b[2];
    ldsm4(a, sA + (rows[0] + lane % 16) * kLd + lane / 16 * 8);
    takeB(b, sB, lane);
    mma(c, a, b);
  }
};
// CHECK-DAG: inArray is not native: the address is computed from members of a class
KERNEL(inArray) {
  BEGIN;
  InArray it;
  STEPS;
}

struct Nested {
  float c[4];
  struct {
    int row;
  } place;
  __device__ void begin() {
    place.row = threadIdx.x / 32 * 16;
    CLEAR;
  }
  __device__ void step(const half *sA, const half *sB) {
    const int lane = threadIdx.x % 32;
    unsigned a[4], b[2];
    ldsm4(a, sA + (place.row + lane % 16) * kLd + lane / 16 * 8);
    takeB(b, sB, lane);
    mma(c, a, b);
  }
};
// CHECK-DAG: nested is not native: the address is computed from members of a class
KERNEL(nested) {
  BEGIN;
  Nested it;
  STEPS;
}

struct OfUnion {
  float c[4];
  union {
    int row;
    unsigned bits;
  };
  __device__ void begin() {
    row = threadIdx.x / 32 * 16;
    CLEAR;
  }
  __device__ void step(const half *sA, const half *sB) {
    const int lane = threadIdx.x % 32;
    unsigned a[4], b[2];
    ldsm4(a, sA + (row + lane % 16) * kLd + lane / 16 * 8);
    takeB(b, sB, lane);
    mma(c, a, b);
  }
};
// CHECK-DAG: ofUnion is not native: the address is computed from members of a class
KERNEL(ofUnion) {
  BEGIN;
  OfUnion it;
  STEPS;
}

// Lanes are asked for 32 or 64 bits.
struct Short {
  float c[4];
  short row;
  __device__ void begin() {
    row = threadIdx.x / 32 * 16;
    row += 0;
    CLEAR;
  }
  __device__ void step(const half *sA, const half *sB) {
    const int lane = threadIdx.x % 32;
    unsigned a[4], b[2];
    ldsm4(a, sA + (row + lane % 16) * kLd + lane / 16 * 8);
    takeB(b, sB, lane);
    mma(c, a, b);
  }
};
// CHECK-DAG: ofShort is not native: 'row' is a member that no other lane can be asked for
KERNEL(ofShort) {
  BEGIN;
  Short it;
  STEPS;
}

// The name that it is asked by is taken.
struct Taken {
  float c[4];
  int row, row_;
  __device__ void begin() {
    row_ = 0;
    row = threadIdx.x / 32 * 16;
    row += row_;
    CLEAR;
  }
  __device__ void step(const half *sA, const half *sB) {
    const int lane = threadIdx.x % 32;
    unsigned a[4], b[2];
    ldsm4(a, sA + (row + lane % 16) * kLd + lane / 16 * 8);
    takeB(b, sB, lane);
    mma(c, a, b);
  }
};
// CHECK-DAG: taken is not native: 'row' is a member that no other lane can be asked for
KERNEL(taken) {
  BEGIN;
  Taken it;
  STEPS;
}

// A variable of the method has its name.
struct Hidden {
  float c[4];
  int row;
  __device__ void begin() {
    row = threadIdx.x / 32 * 16;
    CLEAR;
  }
  __device__ void step(const half *sA, const half *sB) {
    const int lane = threadIdx.x % 32, row = 0;
    unsigned a[4], b[2];
    ldsm4(a, sA + (this->row + row + lane % 16) * kLd + lane / 16 * 8);
    takeB(b, sB, lane);
    mma(c, a, b);
  }
};
// CHECK-DAG: hidden is not native: 'row' is a member, and a variable where it is used
KERNEL(hidden) {
  BEGIN;
  Hidden it;
  STEPS;
}

__device__ __forceinline__ unsigned word(const half *p) { return *reinterpret_cast<const unsigned *>(p); }

// Where the operand is put together, as it is.
struct Pointing {
  const half *from;
  __device__ void load(unsigned (&f)[4], int lane) const {
    const int at = lane / 4 * kLd + lane % 4 * 2;
    f[0] = word(from + at);
    f[1] = word(from + at + 8 * kLd);
    f[2] = word(from + at + 8);
    f[3] = word(from + at + 8 * kLd + 8);
  }
};
// CHECK-DAG: pointing keeps 'a' in CUDA's layout and moves it for each product: 'a': its value reads members of its class
KERNEL(pointing) {
  BEGIN;
  float c[4] = {};
  unsigned a[4], b[2];
  const int lane = threadIdx.x % 32;
  Pointing it;
  it.from = sA + threadIdx.x / 32 * 16 * kLd;
  it.load(a, lane);
  takeB(b, sB, lane);
  mma(c, a, b);
  C[threadIdx.x] = c[0] + c[1] + c[2] + c[3] + n;
}

// It leads to what the thread has for itself.
struct Leading {
  float c[4];
  const int *top;
  __device__ Leading(const int *t) : top(t) {}
  __device__ void begin() { CLEAR; }
  __device__ void step(const half *sA, const half *sB) {
    const int lane = threadIdx.x % 32;
    unsigned a[4], b[2];
    ldsm4(a, sA + (*top + lane % 16) * kLd + lane / 16 * 8);
    takeB(b, sB, lane);
    mma(c, a, b);
  }
};
// CHECK-DAG: leading is not native: 'top', a member, may point to a variable of the thread's own
KERNEL(leading) {
  BEGIN;
  int top = threadIdx.x / 32 * 16;
  Leading it(&top);
  top += n;
  STEPS;
}

// ... by another name.
struct Renamed {
  float c[4];
  const int *top;
  __device__ Renamed(const int *t) : top(t) {}
  __device__ void begin() { CLEAR; }
  __device__ void step(const half *sA, const half *sB) {
    const int lane = threadIdx.x % 32;
    unsigned a[4], b[2];
    const int *from = top;
    ldsm4(a, sA + (*from + lane % 16) * kLd + lane / 16 * 8);
    takeB(b, sB, lane);
    mma(c, a, b);
  }
};
// CHECK-DAG: renamed is not native: 'top', a member, may point to a variable of the thread's own
KERNEL(renamed) {
  BEGIN;
  int top = threadIdx.x / 32 * 16;
  Renamed it(&top);
  top += n;
  STEPS;
}

// ... read by a function.
__device__ int valueOf(const int *p) { return *p; }
struct Read {
  float c[4];
  const int *top;
  __device__ Read(const int *t) : top(t) {}
  __device__ void begin() { CLEAR; }
  __device__ void step(const half *sA, const half *sB) {
    const int lane = threadIdx.x % 32;
    unsigned a[4], b[2];
    ldsm4(a, sA + (valueOf(top) + lane % 16) * kLd + lane / 16 * 8);
    takeB(b, sB, lane);
    mma(c, a, b);
  }
};
// CHECK-DAG: read is not native: 'top', a member, may point to a variable of the thread's own
KERNEL(read) {
  BEGIN;
  int top = threadIdx.x / 32 * 16;
  Read it(&top);
  top += n;
  STEPS;
}

// ... to an array, or a struct.
struct Several {
  float c[4];
  const int *tops;
  int n;
  __device__ void place(const int *t, int i) {
    tops = t;
    n = i;
  }
  __device__ void begin() { CLEAR; }
  __device__ void step(const half *sA, const half *sB) {
    const int lane = threadIdx.x % 32;
    unsigned a[4], b[2];
    ldsm4(a, sA + (tops[n] + lane % 16) * kLd + lane / 16 * 8);
    takeB(b, sB, lane);
    mma(c, a, b);
  }
};
// CHECK-DAG: several is not native: 'tops', a member, may point to a variable of the thread's own
KERNEL(several) {
  BEGIN;
  int tops[2] = {int(threadIdx.x / 32 * 16), int(16 - threadIdx.x / 32 * 16)};
  Several it;
  it.place(tops, n % 2);
  STEPS;
}

struct Place {
  int top;
};
struct InStruct {
  float c[4];
  const Place *place;
  __device__ void take(const Place &p) { place = &p; }
  __device__ void begin() { CLEAR; }
  __device__ void step(const half *sA, const half *sB) {
    const int lane = threadIdx.x % 32;
    unsigned a[4], b[2];
    ldsm4(a, sA + (place->top + lane % 16) * kLd + lane / 16 * 8);
    takeB(b, sB, lane);
    mma(c, a, b);
  }
};
// CHECK-DAG: inStruct is not native: 'place', a member, may point to a variable of the thread's own
KERNEL(inStruct) {
  BEGIN;
  Place place;
  place.top = threadIdx.x / 32 * 16;
  InStruct it;
  it.take(place);
  STEPS;
}
