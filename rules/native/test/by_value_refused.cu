// Wrappers that return fragments by value, where what takes them is no variable that could stand for
// what is returned, or where more is done.
// RUN: %layout-port %s -o %t.hip --target gfx942 > %t.log 2>&1
// RUN: FileCheck %s < %t.log
#include <cuda_fp16.h>
#include <stdint.h>

struct FragA {
  uint32_t r[4];
};
struct FragB {
  uint32_t r[2];
};
struct Empty {};
struct Named : Empty {
  uint32_t r[2];
};

__device__ FragA loadA(const half *p) {
  FragA a;
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(a.r[0]), "=r"(a.r[1]), "=r"(a.r[2]), "=r"(a.r[3])
               : "r"((uint32_t)__cvta_generic_to_shared(p)));
  return a;
}
__device__ FragB loadB(const half *p) {
  FragB b;
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%2];"
               : "=r"(b.r[0]), "=r"(b.r[1]) : "r"((uint32_t)__cvta_generic_to_shared(p)));
  return b;
}
__device__ Named loadNamed(const half *p) {
  Named b;
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%2];"
               : "=r"(b.r[0]), "=r"(b.r[1]) : "r"((uint32_t)__cvta_generic_to_shared(p)));
  return b;
}
// Its number of columns goes nowhere.
__device__ FragB loadOf(const half *p, int columns) {
  FragB b;
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%2];"
               : "=r"(b.r[0]), "=r"(b.r[1]) : "r"((uint32_t)__cvta_generic_to_shared(p)));
  return b;
}
// Its second word is the function's own.
__device__ FragB loadHalf(const half *p) {
  FragB b = {{0, 0}};
  asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];"
               : "=r"(b.r[0]) : "r"((uint32_t)__cvta_generic_to_shared(p)));
  return b;
}
// ... is another one afterwards.
__device__ FragB loadChanged(const half *p) {
  FragB b;
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%2];"
               : "=r"(b.r[0]), "=r"(b.r[1]) : "r"((uint32_t)__cvta_generic_to_shared(p)));
  b.r[1] ^= 0x80008000u;
  return b;
}
__device__ FragB loadOther(const half *p) {
  FragB b, zero = {{0, 0}};
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%2];"
               : "=r"(b.r[0]), "=r"(b.r[1]) : "r"((uint32_t)__cvta_generic_to_shared(p)));
  return zero;
}
__device__ void mma(float4 &d, const FragA &a, const FragB &b) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
               "{%8,%9}, {%0,%1,%2,%3};"
               : "+f"(d.x), "+f"(d.y), "+f"(d.z), "+f"(d.w)
               : "r"(a.r[0]), "r"(a.r[1]), "r"(a.r[2]), "r"(a.r[3]), "r"(b.r[0]), "r"(b.r[1]));
}
__device__ float4 product(FragA a, FragB b, float4 c) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
               "{%8,%9}, {%0,%1,%2,%3};"
               : "+f"(c.x), "+f"(c.y), "+f"(c.z), "+f"(c.w)
               : "r"(a.r[0]), "r"(a.r[1]), "r"(a.r[2]), "r"(a.r[3]), "r"(b.r[0]), "r"(b.r[1]));
  return c;
}

#define KERNEL(name) __global__ void __launch_bounds__(64) name(const half *A, float *C, int n)
#define BEGIN                                                                                      \
  __shared__ half s[48 * 16];                                                                      \
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;                                      \
  for (int i = threadIdx.x; i < 48 * 16; i += 64)                                                  \
    s[i] = A[i];                                                                                   \
  __syncthreads();                                                                                 \
  const half *ofA = s + (warp * 16 + lane % 16) * 16 + lane / 16 * 8;                              \
  const half *ofB = s + (32 + lane % 8) * 16 + lane / 8 % 2 * 8;                                   \
  float4 c[2] = {};
#define END                                                                                        \
  for (int j = 0; j < 2; ++j) {                                                                    \
    C[threadIdx.x * 8 + j * 4] = c[j].x;                                                           \
    C[threadIdx.x * 8 + j * 4 + 1] = c[j].y;                                                       \
    C[threadIdx.x * 8 + j * 4 + 2] = c[j].z;                                                       \
    C[threadIdx.x * 8 + j * 4 + 3] = c[j].w;                                                       \
  }

KERNEL(several) {
  BEGIN
  FragA a = loadA(ofA);
  // CHECK-DAG: several is not native: 'b' takes what 'loadB' returns and is declared together with other variables ({{.*}}:[[# @LINE + 1]])
  FragB b = loadB(ofB), b1 = {};
  b1 = loadB(ofB + 128);
  mma(c[0], a, b);
  mma(c[1], a, b1);
  END
}

KERNEL(inHead) {
  BEGIN
  FragA a = loadA(ofA);
  // CHECK-DAG: inHead is not native: 'b' takes what 'loadB' returns in the head of a statement ({{.*}}:[[# @LINE + 1]])
  for (FragB b = loadB(ofB); n > 0; --n)
    mma(c[0], a, b);
  END
}

KERNEL(reference) {
  BEGIN
  FragA a = loadA(ofA);
  // CHECK-DAG: reference is not native: 'b' takes what 'loadB' returns and is no plain variable ({{.*}}:[[# @LINE + 1]])
  const FragB &b = loadB(ofB);
  mma(c[0], a, b);
  END
}

KERNEL(shared) {
  BEGIN
  FragA a = loadA(ofA);
  __shared__ FragB of[64];
  // CHECK-DAG: shared is not native: a destination of ldmatrix is not a register of a fragment variable ({{.*}}:[[# @LINE + 1]])
  of[threadIdx.x] = loadB(ofB);
  FragB b = of[threadIdx.x];
  mma(c[0], a, b);
  END
}

KERNEL(braced) {
  BEGIN
  FragA a = loadA(ofA);
  // CHECK-DAG: braced is not native: 'b' is declared in another way than T x = loadB(...) ({{.*}}:[[# @LINE + 1]])
  FragB b(loadB(ofB));
  mma(c[0], a, b);
  END
}

KERNEL(sliced) {
  BEGIN
  FragA a = loadA(ofA);
  FragB b = loadB(ofB);
  // CHECK-DAG: sliced is not native: what 'loadNamed' returns becomes another type ({{.*}}:[[# @LINE + 1]])
  Empty e = loadNamed(ofB);
  mma(c[0], a, b);
  END
}

KERNEL(chained) {
  BEGIN
  FragA a = loadA(ofA);
  FragB b, other;
  // CHECK-DAG: chained is not native: what 'loadB' returns is used in an expression: give it a variable of its own ({{.*}}:[[# @LINE + 1]])
  b = other = loadB(ofB);
  mma(c[0], a, b);
  END
}

KERNEL(member) {
  BEGIN
  FragA a = loadA(ofA);
  FragB b;
  // CHECK-DAG: member is not native: what 'loadB' returns is used in an expression: give it a variable of its own ({{.*}}:[[# @LINE + 1]])
  b.r[0] = loadB(ofB).r[1];
  b.r[1] = b.r[0];
  mma(c[0], a, b);
  END
}

KERNEL(argument) {
  BEGIN
  FragA a = loadA(ofA);
  // CHECK-DAG: argument is not native: what 'loadB' returns is used in an expression: give it a variable of its own ({{.*}}:[[# @LINE + 1]])
  mma(c[0], a, loadB(ofB)), mma(c[1], a, loadB(ofB));
  END
}

KERNEL(bothArguments) {
  BEGIN
  // CHECK-DAG: bothArguments is not native: what '{{load[AB]|product}}' returns is used in an expression: give it a variable of its own ({{.*}}:[[# @LINE + 1]])
  c[1] = c[0] = product(loadA(ofA), loadB(ofB), c[0]);
  END
}

KERNEL(bound) {
  BEGIN
  FragA a = loadA(ofA);
  FragB first;
  // CHECK-DAG: bound is not native: what 'loadB' returns is used in an expression: give it a variable of its own ({{.*}}:[[# @LINE + 1]])
  FragB &b = first = loadB(ofB);
  mma(c[0], a, b);
  END
}

KERNEL(countsPlaces) {
  BEGIN
  FragA a = loadA(ofA);
  FragB b[2];
  int j = 0;
  // CHECK-DAG: countsPlaces is not native: the statement that takes what 'loadB' returns changes something else, too ({{.*}}:[[# @LINE + 1]])
  b[j++] = loadB(ofB);
  b[j] = loadB(ofB + 128);
  mma(c[0], a, b[0]);
  mma(c[1], a, b[1]);
  END
}

KERNEL(countsColumns) {
  BEGIN
  FragA a = loadA(ofA);
  // CHECK-DAG: countsColumns is not native: the statement that takes what 'loadOf' returns changes something else, too ({{.*}}:[[# @LINE + 1]])
  FragB b = loadOf(ofB, n++);
  mma(c[n & 1], a, b);
  END
}

KERNEL(readsItself) {
  BEGIN
  FragA a = loadA(ofA);
  FragB b[2] = {};
  // CHECK-DAG: readsItself is not native: what 'loadB' returns goes where its own arguments are read from ({{.*}}:[[# @LINE + 1]])
  b[0] = loadB(ofB + b[1].r[0] % 2 * 128);
  mma(c[0], a, b[0]);
  END
}

KERNEL(declaredSums) {
  BEGIN
  FragA a = loadA(ofA);
  FragB b = loadB(ofB);
  // CHECK-DAG: declaredSums is not native: 'sums' is declared with the sums that 'product' returns: declare it before ({{.*}}:[[# @LINE + 1]])
  float4 sums = product(a, b, c[0]);
  c[1] = sums;
  END
}

KERNEL(listedSums) {
  BEGIN
  FragA a = loadA(ofA);
  FragB b = loadB(ofB);
  // CHECK-DAG: listedSums is not native: 'sums' is declared with the sums that 'product' returns: declare it before ({{.*}}:[[# @LINE + 1]])
  float4 sums[2] = {product(a, b, c[0]), product(a, b, c[1])};
  c[0] = sums[0], c[1] = sums[1];
  END
}

KERNEL(otherSums) {
  BEGIN
  FragA a = loadA(ofA);
  FragB b = loadB(ofB);
  // CHECK-DAG: otherSums is not native: an accumulator that is read from one variable and written to another ({{.*}}:[[# @LINE + 1]])
  c[1] = product(a, b, c[0]);
  END
}

KERNEL(halfOfIt) {
  BEGIN
  FragA a = loadA(ofA);
  // CHECK-DAG: halfOfIt keeps 'b.r' in CUDA's layout and moves it for each product: operand B of mma.m16n8k16.f16 is neither read by ldmatrix nor put together in one place
  FragB b = loadHalf(ofB);
  mma(c[0], a, b);
  END
}

KERNEL(changed) {
  BEGIN
  FragA a = loadA(ofA);
  // CHECK-DAG: changed keeps 'b.r' in CUDA's layout and moves it for each product: operand B of mma.m16n8k16.f16 is neither read by ldmatrix nor put together in one place
  FragB b = loadChanged(ofB);
  mma(c[0], a, b);
  END
}

KERNEL(another) {
  BEGIN
  FragA a = loadA(ofA);
  // CHECK-DAG: another keeps 'b.r' in CUDA's layout and moves it for each product: operand B of mma.m16n8k16.f16 is neither read by ldmatrix nor put together in one place
  FragB b = loadOther(ofB);
  mma(c[0], a, b);
  END
}

KERNEL(parted) {
  BEGIN
  FragA a = loadA(ofA);
  FragB b = {};
  if (lane < n)
    // CHECK-DAG: parted is not native: the two warps of a wave may part at a condition on the thread: lane < n
    b = loadB(ofB);
  mma(c[0], a, b);
  END
}

KERNEL(scales) {
  BEGIN
  FragA a = loadA(ofA);
  FragB b = loadB(ofB);
  for (int k = 0; k < n; ++k) {
    c[0] = product(a, b, c[0]);
    // CHECK-DAG: scales is not native: 'c' is used between the products: rows r and r + 8 of a tile are not treated alike in 'c'
    c[0].x *= .5f;
  }
  END
}
