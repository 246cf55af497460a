// What is done to each element of a fragment alike, in all its forms.
// RUN: %layout-port %s --target gfx90a,gfx942,gfx950 -o %t.hip --verify --launch %S/Inputs/elements.yaml 2>&1 | FileCheck %s --check-prefix=REPORT
// REPORT: tensor-wmma 12 emulated the same is done to every element: their order does not matter
// REPORT: compiled: gfx90a yes gfx942 yes gfx950 yes host yes
// REPORT-NEXT: verify gfx90a: proved: all outputs
// REPORT-NEXT: verify gfx942: proved: all outputs
// REPORT-NEXT: verify gfx950: proved: all outputs
#include <mma.h>
using namespace nvcuda;
typedef wmma::fragment<wmma::accumulator, 16, 16, 16, float> Sums;
__device__ float relu(float x) { return x > 0 ? x : 0; }
struct Tile { Sums acc[2]; };
__global__ void fine(float *o, const float *p, float alpha, int n, float *total) {
  Tile tile;
  Sums c;
  for (int i = 0; i < 2; i++) wmma::load_matrix_sync(tile.acc[i], p + 256 * i, 16, wmma::mem_row_major);
  wmma::load_matrix_sync(c, p, 16, wmma::mem_row_major);
  for (auto &e : c.x) e = relu(e) * alpha;
  for (float &e : tile.acc[1].x) { float twice = e + e; twice += n; e = twice; }
  for (int t = 0; t < c.num_elements; ++t) {
    float v = tile.acc[0].x[t];
    v *= alpha;
    if (v > 1) v = 1; else v += 2;
    float &to = c.x[t];
    to += v;
    ++tile.acc[1].x[t];
    tile.acc[1].x[t]--;
    c.x[t] += tile.acc[1].x[t];
    float few[2];
    few[0] = c.x[t];
    c.x[t] = few[0] * 0.5f;
    for (int k = 0; k < n; ++k) c.x[t] += k;
    atomicAdd(total, c.x[t]);
  }
  wmma::store_matrix_sync(o, c, 16, wmma::mem_row_major);
}
