// Addresses in wrappers, of names that mean something else, or nothing, where the wrapper is
// called: of its namespace, its class, its template's parameters, which have types of their own.
//
// RUN: %prove --launch %S/outer_names.yaml 2>&1 | FileCheck %S/Inputs/native_proved.txt
// RUN: %ported %t.hip | FileCheck %s
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <stdint.h>

constexpr int pitch = 16; // not that of the tiles

namespace tiles {
constexpr int pitch = 24;
typedef uint32_t Address;
typedef half Number;
namespace {
__device__ inline Address smem(const void *p) { return (Address)__cvta_generic_to_shared(p); }
} // namespace

__device__ inline void mma(float (&d)[4], const uint32_t (&a)[4], const uint32_t (&b)[2]) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
               "{%8,%9}, {%0,%1,%2,%3};\n"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
struct Row {
  int number;
  __device__ operator int() const { return number * pitch; }
};
__device__ inline void rows16(uint32_t (&r)[4], const half *tile, int row, int k, int width = pitch) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];\n"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(smem(tile + row * width + k)));
}
template <int Rows, class Layout>
__device__ inline void rows8(uint32_t (&r)[2], const half *tile, int row, int k) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];\n"
               : "=r"(r[0]), "=r"(r[1])
               : "r"(smem((const Number *)tile + (Rows + row) * Layout::pitch + k)));
}
struct Loader {
  static constexpr int step = 8;
  static __device__ Address at(const half *p) { return smem(p); }
  static __device__ void rows8(uint32_t (&r)[2], const half *tile, Row j, Row row, int k) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];\n"
                 : "=r"(r[0]), "=r"(r[1]) : "r"(at(tile + j + row + k + step - 8)));
  }
};
} // namespace tiles

struct Padded {
  static constexpr int pitch = 24;
};

#define COPY                                                                                       \
  __syncthreads();                                                                                 \
  *(uint4 *)(sA + threadIdx.x / 2 * 24 + threadIdx.x % 2 * 8) =                                    \
      *(const uint4 *)(A + (blockIdx.x * 32 + threadIdx.x / 2) * K + k + threadIdx.x % 2 * 8);     \
  if (threadIdx.x < 32)                                                                            \
    *(uint4 *)(sB + threadIdx.x / 2 * 24 + threadIdx.x % 2 * 8) =                                  \
        *(const uint4 *)(B + threadIdx.x / 2 * K + k + threadIdx.x % 2 * 8);                       \
  __syncthreads();

// CHECK-LABEL: void {{.*}} inNamespace(
// CHECK: const auto width = tiles::pitch;
// CHECK: return tiles::smem(tile + row * width + givenK);
// CHECK: return tiles::smem((const tiles::Number *)tile + (0 + row) * Padded::pitch + givenK);
__global__ void __launch_bounds__(64) inNamespace(const half *A, const half *B, float *C, int K) {
  __shared__ __align__(16) half sA[32 * 24], sB[16 * 24];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  float c[2][4] = {};
  for (int k = 0; k < K; k += 16) {
    COPY
    uint32_t a[4], b[2];
    tiles::rows16(a, sA, warp * 16 + lane % 16, lane / 16 * 8);
    for (int j = 0; j < 2; j++) {
      tiles::rows8<0, Padded>(b, sB, j * 8 + lane % 8, lane / 8 % 2 * 8);
      tiles::mma(c[j], a, b);
    }
  }
  for (int j = 0; j < 2; j++)
    for (int h = 0; h < 2; h++)
      *(float2 *)&C[(blockIdx.x * 32 + warp * 16 + lane / 4 + h * 8) * 16 + j * 8 + lane % 4 * 2] =
          make_float2(c[j][2 * h], c[j][2 * h + 1]);
}

// A name of the kernel's own hides that of the namespace around it.
namespace tiles {
// CHECK-LABEL: void {{.*}} inClass(
// CHECK: const auto width = ::tiles::pitch;
// CHECK: return ::tiles::smem(tile + row * width + givenK);
// CHECK: const Row givenJ = {j * 8};
// CHECK: return ::tiles::Loader::at(tile + givenJ + row + givenK + ::tiles::Loader::step - 8);
__global__ void __launch_bounds__(64) inClass(const half *A, const half *B, float *C, int K) {
  __shared__ __align__(16) half sA[32 * 24], sB[16 * 24];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, pitch = 16;
  float c[2][4] = {};
  const int smem = pitch, tiles = smem;
  for (int k = 0; k < K; k += tiles) {
    COPY
    uint32_t a[4], b[2];
    rows16(a, sA, warp * 16 + lane % 16, lane / 16 * 8);
    for (int j = 0; j < 2; j++) {
      Loader::rows8(b, sB, {j * 8}, Row{lane % 8}, lane / 8 % 2 * 8);
      mma(c[j], a, b);
    }
  }
  for (int j = 0; j < 2; j++)
    for (int h = 0; h < 2; h++)
      *(float2 *)&C[(blockIdx.x * 32 + warp * 16 + lane / 4 + h * 8) * 16 + j * 8 + lane % 4 * 2] =
          make_float2(c[j][2 * h], c[j][2 * h + 1]);
}
} // namespace tiles

// The arguments of the call are of the kernel's template: other numbers in its other instances.
// CHECK-LABEL: void {{.*}} inTemplate(
// CHECK: return tiles::smem((const tiles::Number *)tile + ((Step - 8) + row) * Layout::pitch + givenK);
template <int Step, class Layout>
__global__ void __launch_bounds__(64) inTemplate(const half *A, const half *B, float *C, int K) {
  __shared__ __align__(16) half sA[32 * 24], sB[16 * 24];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  float c[2][4] = {};
  for (int k = 0; k < K; k += 16) {
    COPY
    uint32_t a[4], b[2];
    tiles::rows16(a, sA, warp * 16 + lane % 16, lane / 16 * 8);
    for (int j = 0; j < 2; j++) {
      tiles::rows8<Step - 8, Layout>(b, sB, (Step == 8 ? j : 1 - j) * 8 + lane % 8, lane / 8 % 2 * 8);
      tiles::mma(c[j], a, b);
    }
  }
  for (int j = 0; j < 2; j++)
    for (int h = 0; h < 2; h++)
      *(float2 *)&C[(blockIdx.x * 32 + warp * 16 + lane / 4 + h * 8) * 16 + j * 8 + lane % 4 * 2] =
          make_float2(c[j][2 * h], c[j][2 * h + 1]);
}
template __global__ void inTemplate<8, Padded>(const half *, const half *, float *, int);

// A number is what the parameter is, not what the call says: (row - 20 + 0u) % 32 is row + 12 where
// row is less than 20. By the name 'place' the kernel would call another function, and by 'kPitch'
// mean another number.
constexpr int kPitch = 24;
__device__ inline int place(long row) { return (int)row; }
namespace typed {
template <unsigned Mod>
__device__ inline void rows16(uint32_t (&r)[4], const half *tile, int row, int k) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];\n"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"(tiles::smem(tile + ((row - 20) % Mod + 20) % 32 * kPitch + k)));
}
template <class T, T Zero, unsigned char Most, bool IsOne>
__device__ inline void rows8(uint32_t (&r)[2], const half *tile, int row, int k) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];\n"
               : "=r"(r[0]), "=r"(r[1])
               : "r"(tiles::smem(tile + (place(row) + Most / 256 + IsOne - 1 + Zero) * kPitch + k)));
}
} // namespace typed
namespace others {
__device__ inline int place(int row) { return row ^ 1; }
} // namespace others
using namespace others;

// CHECK-LABEL: void {{.*}} inTypes(
// CHECK: return tiles::smem(tile + ((row - 20) % ((unsigned int)(kPitch + 8)) + 20) % 32 * ::kPitch + givenK);
// CHECK: return tiles::smem(tile + (::place(row) + ((unsigned char)255) / 256 + ((bool)(2 - 1)) - 1 + ((long)0)) * ::kPitch + givenK);
template <int kPitch>
__global__ void __launch_bounds__(64) inTypes(const half *A, const half *B, float *C, int K) {
  __shared__ __align__(16) half sA[32 * 24], sB[16 * 24];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  float c[2][4] = {};
  for (int k = 0; k < K; k += 16) {
    COPY
    uint32_t a[4], b[2];
    typed::rows16<kPitch + 8>(a, sA, warp * 16 + lane % 16, lane / 16 * 8);
    for (int j = 0; j < 2; j++) {
      typed::rows8<long, 0, 255, 2 - 1>(b, sB, j * 8 + lane % 8, lane / 8 % 2 * 8);
      tiles::mma(c[j], a, b);
    }
  }
  for (int j = 0; j < 2; j++)
    for (int h = 0; h < 2; h++)
      *(float2 *)&C[(blockIdx.x * 32 + warp * 16 + lane / 4 + h * 8) * 16 + j * 8 + lane % 4 * 2] =
          make_float2(c[j][2 * h], c[j][2 * h + 1]);
}
template __global__ void inTypes<24>(const half *, const half *, float *, int);

namespace shapes {
template <int Rows, int Columns> struct Shape {
  static constexpr int rows = Rows, columns = Columns;
};
typedef Shape<16, 8> Wide;
typedef Shape<8, 8> Narrow;
} // namespace shapes
using namespace shapes;

// What the text says through a type is one class in all instances.
// CHECK-LABEL: void {{.*}} throughTypes(
// CHECK: const auto row = warp * shapes::Wide::rows + lane % shapes::Wide::rows;
// CHECK: const auto row = j * shapes::Narrow::rows + lane % shapes::Narrow::rows;
template <int Step>
__global__ void __launch_bounds__(64) throughTypes(const half *A, const half *B, float *C, int K) {
  __shared__ __align__(16) half sA[32 * 24], sB[16 * 24];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  float c[2][4] = {};
  for (int k = 0; k < K; k += Step) {
    COPY
    uint32_t a[4], b[2];
    tiles::rows16(a, sA, warp * Wide::rows + lane % Wide::rows, lane / Wide::rows * Narrow::columns);
    for (int j = 0; j < 2; j++) {
      tiles::rows8<0, Padded>(b, sB, j * Narrow::rows + lane % Narrow::rows, lane / 8 % 2 * 8);
      tiles::mma(c[j], a, b);
    }
  }
  for (int j = 0; j < 2; j++)
    for (int h = 0; h < 2; h++)
      *(float2 *)&C[(blockIdx.x * 32 + warp * 16 + lane / 4 + h * 8) * 16 + j * 8 + lane % 4 * 2] =
          make_float2(c[j][2 * h], c[j][2 * h + 1]);
}
template __global__ void throughTypes<16>(const half *, const half *, float *, int);
