// Objects that write what they are given: all threads have them alike, so any lane may call them for
// the elements that it has.
//
// RUN: %prove --launch %S/functors.yaml 2>&1 | FileCheck %S/Inputs/native_proved.txt
// RUN: %ported %t.hip | FileCheck %s
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdint.h>

__device__ __forceinline__ uint32_t smem(const void *p) {
  return (uint32_t)__cvta_generic_to_shared(p);
}
__device__ __forceinline__ void ldsm4(uint32_t (&r)[4], uint32_t at) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(at));
}
__device__ __forceinline__ void ldsm2(uint32_t (&r)[2], uint32_t at) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%2];"
               : "=r"(r[0]), "=r"(r[1]) : "r"(at));
}
__device__ __forceinline__ void mma(float (&c)[4], const uint32_t (&a)[4], const uint32_t (&b)[2]) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, "
               "{%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
               : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

constexpr int kPitch = 40;

struct Tiles {
  half a[64 * kPitch], b[64 * kPitch];
};

// 64 x 64 of C a block of four warps, 32 x 32 each.
__device__ __forceinline__ void stage(Tiles &t, const half *A, const half *B, int k0, int K) {
  const int r = threadIdx.x / 4, c = threadIdx.x % 4 * 8;
  for (int i = 0; i < 64; i += 32) {
    *(uint4 *)&t.a[(r + i) * kPitch + c] = *(const uint4 *)&A[(blockIdx.y * 64 + r + i) * K + k0 + c];
    *(uint4 *)&t.b[(r + i) * kPitch + c] = *(const uint4 *)&B[(blockIdx.x * 64 + r + i) * K + k0 + c];
  }
}


// What is made of the sums, by one who knows where they go.
struct Epilogue {
  float *C;
  int N;
  float alpha, beta;
  __device__ void operator()(int row, int col, float x, float y) const {
    float2 *to = (float2 *)&C[row * N + col];
    *to = make_float2(alpha * x + beta * to->x, alpha * y + beta * to->y);
  }
};

__global__ void __launch_bounds__(128)
    called(const half *A, const half *B, float *C, float alpha, float beta, int N, int K) {
  __shared__ __align__(16) Tiles t;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int wm = warp / 2 * 32, wn = warp % 2 * 32;
  float acc[2][4][4] = {};
  for (int k0 = 0; k0 < K; k0 += 32) {
    stage(t, A, B, k0, K);
    __syncthreads();
    for (int kk = 0; kk < 32; kk += 16)
      for (int i = 0; i < 2; ++i) {
        uint32_t a[4], b[2];
        ldsm4(a, smem(&t.a[(wm + i * 16 + lane % 16) * kPitch + kk + lane / 16 * 8]));
        for (int j = 0; j < 4; ++j) {
          ldsm2(b, smem(&t.b[(wn + j * 8 + lane % 8) * kPitch + kk + lane / 8 % 2 * 8]));
          mma(acc[i][j], a, b);
        }
      }
    __syncthreads();
  }
  const int row0 = blockIdx.y * 64 + wm, col0 = blockIdx.x * 64 + wn;
  const Epilogue epilogue{C, N, alpha, beta};
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 4; ++j) {
      const int row = row0 + i * 16 + lane / 4, col = col0 + j * 8 + lane % 4 * 2;
      epilogue(row, col, acc[i][j][0], acc[i][j][1]);
      epilogue(row + 8, col, acc[i][j][2], acc[i][j][3]);
    }
}

class Writer {
public:
  __device__ Writer(half *out, const half *bias, int rows, int ld)
      : out_(out), bias_(bias), rows_(rows), ld_(ld) {}
  __device__ __forceinline__ void store(int row, int col, float x, float y) const {
    if (row < rows_)
      *reinterpret_cast<half2 *>(out_ + row * ld_ + col) =
          __floats2half2_rn(x + __half2float(bias_[col]), y + __half2float(bias_[col + 1]));
  }

private:
  half *out_;
  const half *bias_;
  int rows_, ld_;
};

// What it reads is another parameter's memory.
__global__ void __launch_bounds__(128)
    written(const half *A, const half *B, half *__restrict__ D, const half *__restrict__ bias, int M,
            int N, int K) {
  __shared__ __align__(16) Tiles t;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  float acc[8][4] = {};
  for (int k0 = 0; k0 < K; k0 += 32) {
    stage(t, A, B, k0, K);
    __syncthreads();
    for (int kk = 0; kk < 32; kk += 16) {
      uint32_t a[4], b[2];
      ldsm4(a, smem(&t.a[(warp * 16 + lane % 16) * kPitch + kk + lane / 16 * 8]));
      for (int j = 0; j < 8; ++j) {
        ldsm2(b, smem(&t.b[(j * 8 + lane % 8) * kPitch + kk + lane / 8 % 2 * 8]));
        mma(acc[j], a, b);
      }
    }
    __syncthreads();
  }
  const int row0 = blockIdx.y * 64 + warp * 16, col0 = blockIdx.x * 64;
  Writer writer(D, bias, M, N);
  for (int j = 0; j < 8; ++j)
    for (int r = 0; r < 2; ++r)
      writer.store(row0 + lane / 4 + r * 8, col0 + j * 8 + lane % 4 * 2, acc[j][2 * r], acc[j][2 * r + 1]);
}


// CHECK-NOT: to_warp_layout
// CHECK: const Epilogue epilogue{C, N, alpha, beta};
// CHECK: lp::each_pair{{.*}}(acc[i][j], [&](int lane, int lower, const auto &v) {
// CHECK-NEXT: const int row = row0 + i * 16 + lane / 4, col = col0 + j * 8 + lane % 4 * 2;
// CHECK-NEXT: epilogue(row + 8 * lower, col, v[0], v[1]);
// CHECK-NEXT: });
// CHECK: Writer writer(D, bias, M, N);
// CHECK: writer.store(row0 + lane / 4 + r * 8, col0 + j * 8 + lane % 4 * 2, v[0], v[1]);
