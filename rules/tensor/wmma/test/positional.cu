// Which element a lane holds, CUDA leaves open: what depends on it is a person's.
// RUN: not %layout-port %s -o %t.hip 2>%t.err
// RUN: FileCheck %s < %t.err
#include <mma.h>
using namespace nvcuda::wmma;
typedef fragment<accumulator, 16, 16, 16, float> Sums;
typedef fragment<matrix_a, 16, 16, 16, half, row_major> Left;
__device__ void take(float *);
__device__ void keep(float &sum, float e);

__device__ void positional(Sums &c, Sums &d, Left &a, const float *bias) {
  // CHECK: positional.cu:[[#@LINE+1]]:{{[0-9]+}}: manual: fragment.x: uses one element of a fragment by its number: which element of the matrix that is, CUDA leaves open
  c.x[0] += 1;
  // CHECK: positional.cu:[[#@LINE+1]]:{{[0-9]+}}: manual: fragment.x: uses one element of a fragment by its number
  for (int i = 0; i < 4; ++i) c.x[i] = 0;
  // CHECK: positional.cu:[[#@LINE+1]]:{{[0-9]+}}: manual: fragment.x: the number of a fragment's element is used for something else: which element that is, CUDA leaves open
  for (int i = 0; i < c.num_elements; ++i) c.x[i] += bias[i];
  const int lane = threadIdx.x % 32;
  const float b = bias[lane / 4];
  // CHECK: positional.cu:[[#@LINE+1]]:{{[0-9]+}}: manual: fragment.x: elements of a fragment meet a value that differs by lane: which element a lane holds, CUDA leaves open
  for (int i = 0; i < c.num_elements; ++i) c.x[i] += b;
  // CHECK: positional.cu:[[#@LINE+1]]:{{[0-9]+}}: manual: fragment.x: elements move between fragments of different use or shape, whose layouts differ
  for (int i = 0; i < c.num_elements; ++i) a.x[i] = __float2half(c.x[i]);
  // CHECK: positional.cu:[[#@LINE+1]]:{{[0-9]+}}: manual: fragment.x: takes the elements of a fragment as a whole: their order is not CUDA's
  take(c.x);
  // CHECK: positional.cu:[[#@LINE+1]]:{{[0-9]+}}: manual: c: takes the elements of a fragment as a whole: their order is not CUDA's
  float *bytes = reinterpret_cast<float *>(&c);
  // Each lane would have others, or have them in another order.
  float sum = 0, *to = bytes;
  // CHECK: positional.cu:[[#@LINE+1]]:{{[0-9]+}}: manual: fragment.x: 'sum' may keep something of one element for the next: which elements a lane holds, and in which order, CUDA leaves open
  for (int i = 0; i < c.num_elements; ++i) sum += c.x[i];
  // CHECK: positional.cu:[[#@LINE+1]]:{{[0-9]+}}: manual: fragment.x: 'to' may keep something of one element for the next
  for (int i = 0; i < c.num_elements; ++i) *to++ = c.x[i];
  // CHECK: positional.cu:[[#@LINE+1]]:{{[0-9]+}}: manual: fragment.x: 'sum' may keep something of one element for the next
  for (float &e : c.x) e += sum++;
  // CHECK: positional.cu:[[#@LINE+1]]:{{[0-9]+}}: manual: fragment.x: 'keep' may keep something of one element for the next
  for (int i = 0; i < c.num_elements; ++i) keep(sum, c.x[i]);
  // CHECK: positional.cu:[[#@LINE+1]]:{{[0-9]+}}: manual: fragment.x: 'break' may keep something of one element for the next
  for (int i = 0; i < c.num_elements; ++i) { if (c.x[i] > 1) break; c.x[i] = 0; }
  // Not all of them, or as many as another has.
  // CHECK: positional.cu:[[#@LINE+1]]:{{[0-9]+}}: manual: fragment.x: uses one element of a fragment by its number
  for (int i = 0; i < c.num_elements / 2; ++i) c.x[i] = 0;
  // CHECK: positional.cu:[[#@LINE+1]]:{{[0-9]+}}: manual: fragment.x: uses one element of a fragment by its number
  for (int i = 0; i < c.num_elements; ++i) a.x[i] = 0;
  // A value of the warp is the same for all its lanes.
  // CHECK-NOT: manual:
  const int warp = threadIdx.x / 32;
  const float w = bias[warp];
  for (int i = 0; i < c.num_elements; ++i)
    d.x[i] = c.x[i] * w;
}
