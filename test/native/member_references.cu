// An object that holds references to shared memory and to what the kernel is launched with: where they
// lead all threads agree on.
//
// RUN: %prove --launch %S/member_references.yaml 2>&1 | FileCheck %S/Inputs/native_proved.txt
// RUN: %ported %t.hip | FileCheck %s
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdint.h>

struct Problem {
  const half *A, *B;
  float *C;
  int N, K;
};
struct __align__(16) Tiles {
  half a[64][24];
  half b[32][24];
};

class Loop {
  float acc_[4][4];
  Tiles &tiles_;
  const Problem &problem_;
  const int warp_, lane_;

  __device__ void fetch(int k) {
    for (int v = threadIdx.x; v < 128; v += 128)
      *(uint4 *)&tiles_.a[v / 2][v % 2 * 8] =
          *(const uint4 *)&problem_.A[(blockIdx.y * 64 + v / 2) * problem_.K + k + v % 2 * 8];
    for (int v = threadIdx.x; v < 64; v += 128)
      *(uint4 *)&tiles_.b[v / 2][v % 2 * 8] =
          *(const uint4 *)&problem_.B[(blockIdx.x * 32 + v / 2) * problem_.K + k + v % 2 * 8];
  }

  // CHECK-LABEL: void step() {
  // CHECK: lp::load_a(a, [&](int lane_, int warp_) {
  // CHECK-NEXT: &tiles_.a[warp_ * 16 + lane_ % 16][lane_ / 16 * 8]
  __device__ void step() {
    unsigned a[4];
    unsigned p = static_cast<unsigned>(
        __cvta_generic_to_shared(&tiles_.a[warp_ * 16 + lane_ % 16][lane_ / 16 * 8]));
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(a[0]), "=r"(a[1]), "=r"(a[2]), "=r"(a[3]) : "r"(p) : "memory");
    for (int j = 0; j < 4; j++) {
      unsigned b[2];
      unsigned p = static_cast<unsigned>(
          __cvta_generic_to_shared(&tiles_.b[j * 8 + lane_ % 8][lane_ / 8 % 2 * 8]));
      asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%2];"
                   : "=r"(b[0]), "=r"(b[1]) : "r"(p) : "memory");
      float(&c)[4] = acc_[j];
      asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
                   "{%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                   : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
                   : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
    }
  }

public:
  __device__ Loop(Tiles &tiles, const Problem &problem)
      : tiles_(tiles), problem_(problem), warp_(threadIdx.x / 32), lane_(threadIdx.x % 32) {
    for (int j = 0; j < 4; j++)
      for (int e = 0; e < 4; e++)
        acc_[j][e] = 0.f;
  }

  __device__ void run() {
    for (int k = 0; k < problem_.K; k += 16) {
      __syncthreads();
      fetch(k);
      __syncthreads();
      step();
    }
  }

  __device__ void store() const {
    const int row = blockIdx.y * 64 + warp_ * 16 + lane_ / 4;
    const int col = blockIdx.x * 32 + lane_ % 4 * 2;
    for (int j = 0; j < 4; j++)
      for (int e = 0; e < 4; e++)
        problem_.C[(row + e / 2 * 8) * problem_.N + col + 8 * j + e % 2] = acc_[j][e];
  }
};

__global__ void __launch_bounds__(128) throughReferences(Problem problem) {
  __shared__ Tiles tiles;
  Loop loop(tiles, problem);
  loop.run();
  loop.store();
}
