// A persistent kernel whose place in the list of tiles is an object, and whose tile is a struct
// that it gives: all threads have the same numbers, so the epilogue is run where the elements lie.
//
// RUN: %prove --launch %S/persistent_places.yaml 2>&1 | FileCheck %S/Inputs/native_proved.txt
// RUN: %ported %t.hip | FileCheck %s --check-prefix=TEXT
// TEXT-NOT: to_warp_layout
// TEXT: lp::each_pair(acc[j],
#include <cuda_fp16.h>
#include <cuda_runtime.h>

struct Place {
  int row, column;
};
class Places {
  int at_, count_, wide_;

public:
  __device__ Places(int high, int wide) : at_(blockIdx.x), count_(high * wide), wide_(wide) {}
  __device__ bool areLeft() const { return at_ < count_; }
  __device__ void next() { at_ += gridDim.x; }
  __device__ Place now() const { return {at_ / wide_ * 32, at_ % wide_ * 16}; }
};

__device__ __forceinline__ void ldsm4(unsigned (&r)[4], const half *p) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];\n"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"((unsigned)__cvta_generic_to_shared(p)));
}
__device__ __forceinline__ void ldsm2(unsigned (&r)[2], const half *p) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];\n"
               : "=r"(r[0]), "=r"(r[1])
               : "r"((unsigned)__cvta_generic_to_shared(p)));
}
__device__ __forceinline__ void mma(float (&d)[4], const unsigned (&a)[4], const unsigned (&b)[2]) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
               "{%8,%9}, {%0,%1,%2,%3};\n"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

__global__ void __launch_bounds__(64)
    persistent(const half *__restrict__ A, const half *__restrict__ B, float *__restrict__ C, int M,
               int N, int K) {
  __shared__ __align__(16) half sA[32][24], sB[16][24];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  for (Places places(M / 32, N / 16); places.areLeft(); places.next()) {
    const Place place = places.now();
    float acc[2][4] = {};
    for (int k = 0; k < K; k += 16) {
      *(uint4 *)&sA[threadIdx.x / 2][threadIdx.x % 2 * 8] =
          *(const uint4 *)&A[(place.row + threadIdx.x / 2) * K + k + threadIdx.x % 2 * 8];
      if (threadIdx.x < 32)
        *(uint4 *)&sB[threadIdx.x / 2][threadIdx.x % 2 * 8] =
            *(const uint4 *)&B[(place.column + threadIdx.x / 2) * K + k + threadIdx.x % 2 * 8];
      __syncthreads();
      unsigned a[4];
      ldsm4(a, &sA[warp * 16 + lane % 16][lane / 16 * 8]);
      for (int j = 0; j < 2; ++j) {
        unsigned b[2];
        ldsm2(b, &sB[j * 8 + lane % 8][lane / 8 % 2 * 8]);
        mma(acc[j], a, b);
      }
      __syncthreads();
    }
    for (int j = 0; j < 2; ++j) {
      float *c = C + (place.row + warp * 16 + lane / 4) * N + place.column + j * 8 + lane % 4 * 2;
      *(float2 *)c = make_float2(acc[j][0], acc[j][1]);
      *(float2 *)(c + 8 * N) = make_float2(acc[j][2], acc[j][3]);
    }
  }
}
