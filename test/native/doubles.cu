// f64: m8n8k4, which Ampere has, from padded tiles in shared memory with a scaled epilogue, and
// Hopper's m16n8k4, k8 and k16. A register of an operand is one number.
//
// RUN: %prove --launch %S/doubles.yaml 2>&1 | FileCheck %S/Inputs/native_proved.txt
#include <cuda_runtime.h>

__device__ inline void dmma884(double (&d)[2], double a, double b) {
  asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%0,%1};\n"
               : "+d"(d[0]), "+d"(d[1]) : "d"(a), "d"(b));
}

constexpr int BM = 32, BN = 32, BK = 8, PAD = 4;

// 2 x 2 warps of 2 x 2 tiles of 8 x 8; the warps of a wave share B. Rows padded by four numbers.
__global__ void __launch_bounds__(128) dgemm884(const double *A, const double *B, double *C, int n,
                                                int k, double alpha) {
  __shared__ double sA[BM][BK + PAD], sB[BN][BK + PAD];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int wm = warp % 2 * 16, wn = warp / 2 * 16;
  double acc[2][2][2] = {};
  for (int k0 = 0; k0 < k; k0 += BK) {
    for (int v = threadIdx.x; v < BM * BK; v += 128) {
      sA[v / BK][v % BK] = A[(blockIdx.y * BM + v / BK) * k + k0 + v % BK];
      sB[v / BK][v % BK] = B[(blockIdx.x * BN + v / BK) * k + k0 + v % BK];
    }
    __syncthreads();
    for (int kk = 0; kk < BK; kk += 4) {
      double a[2], b[2];
      for (int t = 0; t < 2; t++) {
        a[t] = sA[wm + t * 8 + lane / 4][kk + lane % 4];
        b[t] = sB[wn + t * 8 + lane / 4][kk + lane % 4];
      }
      for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++)
          dmma884(acc[i][j], a[i], b[j]);
    }
    __syncthreads();
  }
  for (int i = 0; i < 2; i++)
    for (int j = 0; j < 2; j++) {
      const int row = blockIdx.y * BM + wm + i * 8 + lane / 4;
      const int col = blockIdx.x * BN + wn + j * 8 + lane % 4 * 2;
      C[row * n + col] = alpha * acc[i][j][0];
      C[row * n + col + 1] = alpha * acc[i][j][1];
    }
}

// Each warp has 16 rows of its own and all columns: two n8 tiles an MFMA.
__global__ void __launch_bounds__(64) dgemm1688(const double *A, const double *B, double *C, int n,
                                                int k) {
  const int lane = threadIdx.x & 31, g = lane >> 2, t = lane & 3;
  const int row = blockIdx.y * 32 + (threadIdx.x >> 5) * 16 + g;
  double c[4][4] = {};
  for (int k0 = 0; k0 < k; k0 += 8) {
    double a[4], b[4][2];
    for (int r = 0; r < 4; r++)
      a[r] = A[(row + (r & 1) * 8) * k + k0 + t + (r >> 1) * 4];
#pragma unroll
    for (int j = 0; j < 4; j++) {
      const double *p = B + (blockIdx.x * 32 + j * 8 + g) * k + k0 + t;
      b[j][0] = p[0];
      b[j][1] = p[4];
    }
#pragma unroll
    for (int j = 0; j < 4; j++)
      asm volatile("mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 "
                   "{%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};\n"
                   : "+d"(c[j][0]), "+d"(c[j][1]), "+d"(c[j][2]), "+d"(c[j][3])
                   : "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]), "d"(b[j][0]), "d"(b[j][1]));
  }
  for (int j = 0; j < 4; j++) {
    const int col = blockIdx.x * 32 + j * 8 + t * 2;
    *(double2 *)&C[row * n + col] = make_double2(c[j][0], c[j][1]);
    *(double2 *)&C[(row + 8) * n + col] = make_double2(c[j][2], c[j][3]);
  }
}

// Four numbers of k a lane. Warps have columns of their own and share A.
__global__ void __launch_bounds__(64) dgemm16816(const double *A, const double *B, double *C,
                                                 int n, int k) {
  const int lane = threadIdx.x & 31, g = lane >> 2, t = lane & 3;
  const int row = blockIdx.y * 16 + g, col = blockIdx.x * 16 + (threadIdx.x >> 5) * 8;
  double c[4] = {0.0, 0.0, 0.0, 0.0};
  for (int k0 = 0; k0 < k; k0 += 16) {
    double a[8], b[4];
    for (int r = 0; r < 8; r++)
      a[r] = A[(row + r % 2 * 8) * k + k0 + t + r / 2 * 4];
    for (int r = 0; r < 4; r++)
      b[r] = B[(col + g) * k + k0 + t + r * 4];
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64 {%0,%1,%2,%3}, "
                 "{%4,%5,%6,%7,%8,%9,%10,%11}, {%12,%13,%14,%15}, {%0,%1,%2,%3};\n"
                 : "+d"(c[0]), "+d"(c[1]), "+d"(c[2]), "+d"(c[3])
                 : "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]), "d"(a[4]), "d"(a[5]), "d"(a[6]),
                   "d"(a[7]), "d"(b[0]), "d"(b[1]), "d"(b[2]), "d"(b[3]));
  }
  C[row * n + col + t * 2] = c[0];
  C[row * n + col + t * 2 + 1] = c[1];
  C[(row + 8) * n + col + t * 2] = c[2];
  C[(row + 8) * n + col + t * 2 + 1] = c[3];
}

// One step of four, two n8 tiles a warp, whose warps share nothing; an epilogue that looks at all
// sums of a lane at once, so they go back to CUDA's lanes.
__global__ void __launch_bounds__(64) dgemm1684(const double *A, const double *B, double *C,
                                                double *sums, int n, int k) {
  const int lane = threadIdx.x & 31, g = lane >> 2, t = lane & 3, warp = threadIdx.x >> 5;
  const int row = blockIdx.y * 32 + warp * 16 + g, col = blockIdx.x * 32 + warp * 16;
  double c[2][4] = {};
  for (int k0 = 0; k0 < k; k0 += 4) {
    double a[2], b[2][1];
    a[0] = A[row * k + k0 + t];
    a[1] = A[(row + 8) * k + k0 + t];
    for (int j = 0; j < 2; j++) {
      b[j][0] = B[(col + j * 8 + g) * k + k0 + t];
      asm volatile("mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64 "
                   "{%0,%1,%2,%3}, {%4,%5}, {%6}, {%0,%1,%2,%3};\n"
                   : "+d"(c[j][0]), "+d"(c[j][1]), "+d"(c[j][2]), "+d"(c[j][3])
                   : "d"(a[0]), "d"(a[1]), "d"(b[j][0]));
    }
  }
  double sum = 0;
  for (int j = 0; j < 2; j++) {
    C[row * n + col + j * 8 + t * 2] = c[j][0];
    C[row * n + col + j * 8 + t * 2 + 1] = c[j][1];
    C[(row + 8) * n + col + j * 8 + t * 2] = c[j][2];
    C[(row + 8) * n + col + j * 8 + t * 2 + 1] = c[j][3];
    sum += c[j][0] + c[j][1] + c[j][2] + c[j][3];
  }
  sums[blockIdx.y * 64 + threadIdx.x] = sum;
}
