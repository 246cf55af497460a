// What a class template's methods call their own: constants, functions, types and parameters of the
// class are said through the object, or the class, that the kernel calls the method for, since each
// instance of the kernel has others.
//
// RUN: %prove --launch %S/of_class.yaml 2>&1 | FileCheck %S/Inputs/native_proved.txt
// RUN: %ported %t.hip | FileCheck %s
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdint.h>

template <class T, int Rows, int Pad> struct Tile {
  typedef T Number;
  static constexpr int pitch = 16 + Pad;
  T cells[Rows * pitch];

  static __device__ int place(int row, int k) { return row * pitch + k; }
  __device__ void rows16(uint32_t (&r)[4], int row, int k, int offset = pitch) const {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];\n"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"((uint32_t)__cvta_generic_to_shared(cells + place(row - 1, k) + offset)));
  }
  __device__ void rows8(uint32_t (&r)[2], int row, int k) const {
    const Number *p = (const Number *)cells + row % Rows * pitch;
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];\n"
                 : "=r"(r[0]), "=r"(r[1]) : "r"((uint32_t)__cvta_generic_to_shared(p + k)));
  }
};
template <int Pad> struct Reader {
  enum { pitch = 16 + Pad };
  static __device__ void rows8(uint32_t (&r)[2], const half *p, int row, int k) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];\n"
                 : "=r"(r[0]), "=r"(r[1])
                 : "r"((uint32_t)__cvta_generic_to_shared(p + row * pitch + k + Pad - Pad)));
  }
};
__device__ inline void mma(float (&d)[4], const uint32_t (&a)[4], const uint32_t (&b)[2]) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
               "{%8,%9}, {%0,%1,%2,%3};\n"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

template <int Pitch> __device__ void copyRows(half *tile, const half *X, int rows, int K, int k) {
  for (int v = threadIdx.x; v < rows * 2; v += 64)
    *(uint4 *)(tile + v / 2 * Pitch + v % 2 * 8) = *(const uint4 *)(X + v / 2 * K + k + v % 2 * 8);
}
__device__ void store(float *p, float x, float y) { *(float2 *)p = make_float2(x, y); }

// 2 warps of 16 x 16, one above the other.
// CHECK-LABEL: void {{.*}} byObject(
// CHECK: const auto offset = tA.pitch;
// CHECK: return (uint32_t)lp::cvta_generic_to_shared(tA.cells + tA.place(row - 1, givenK) + offset);
// CHECK: const auto p = (const typename decltype(tB)::Number *)tB.cells + row % kColumns * tB.pitch;
template <int PadA, int PadB>
__global__ void __launch_bounds__(64) byObject(const half *A, const half *B, float *C, int K) {
  constexpr int kColumns = 16;
  using TileB = Tile<half, kColumns, PadB>;
  __shared__ __align__(16) Tile<half, 32, PadA> tA;
  __shared__ __align__(16) TileB tB;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  float c[2][4] = {};
  for (int k = 0; k < K; k += 16) {
    __syncthreads();
    copyRows<16 + PadA>(tA.cells, A + blockIdx.x * 32 * K, 32, K, k);
    copyRows<16 + PadB>(tB.cells, B, 16, K, k);
    __syncthreads();
    uint32_t a[4], b[2];
    tA.rows16(a, warp * 16 + lane % 16, lane / 16 * 8);
    for (int j = 0; j < 2; j++) {
      tB.rows8(b, j * 8 + lane % 8, lane / 8 % 2 * 8);
      mma(c[j], a, b);
    }
  }
  for (int j = 0; j < 2; j++)
    for (int h = 0; h < 2; h++)
      store(&C[(blockIdx.x * 32 + warp * 16 + lane / 4 + h * 8) * 16 + j * 8 + lane % 4 * 2],
            c[j][2 * h], c[j][2 * h + 1]);
}
template __global__ void byObject<8, 24>(const half *, const half *, float *, int);
template __global__ void byObject<24, 8>(const half *, const half *, float *, int);

// CHECK-LABEL: void {{.*}} byClass(
// CHECK: const auto offset = tiles[stage].pitch;
// CHECK: tiles[stage].cells + tiles[stage].place(row - 1, givenK) + offset
// CHECK: return (uint32_t)lp::cvta_generic_to_shared(p + row * Reader<Pad * 2>::pitch + givenK + (Pad * 2) - (Pad * 2));
template <int Pad>
__global__ void __launch_bounds__(64) byClass(const half *A, const half *B, float *C, int K) {
  __shared__ __align__(16) Tile<half, 32, Pad> tiles[2];
  __shared__ __align__(16) half sB[16 * (16 + Pad * 2)];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  float c[2][4] = {};
  for (int k = 0; k < K; k += 16) {
    const int stage = k / 16 % 2;
    __syncthreads();
    copyRows<16 + Pad>(tiles[stage].cells, A + blockIdx.x * 32 * K, 32, K, k);
    copyRows<16 + Pad * 2>(sB, B, 16, K, k);
    __syncthreads();
    uint32_t a[4], b[2];
    tiles[stage].rows16(a, warp * 16 + lane % 16, lane / 16 * 8);
    for (int j = 0; j < 2; j++) {
      Reader<Pad * 2>::rows8(b, sB, j * 8 + lane % 8, lane / 8 % 2 * 8);
      mma(c[j], a, b);
    }
  }
  for (int j = 0; j < 2; j++)
    for (int h = 0; h < 2; h++)
      store(&C[(blockIdx.x * 32 + warp * 16 + lane / 4 + h * 8) * 16 + j * 8 + lane % 4 * 2],
            c[j][2 * h], c[j][2 * h + 1]);
}
template __global__ void byClass<8>(const half *, const half *, float *, int);
template __global__ void byClass<24>(const half *, const half *, float *, int);
