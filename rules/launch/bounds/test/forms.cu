// The second argument of __launch_bounds__ counts blocks in CUDA, waves in HIP.
// RUN: %layout-port %s --target gfx90a,gfx942,gfx950 -o %t.hip 2>&1 | FileCheck %s --check-prefix=REPORT
// REPORT: compiled: gfx90a yes gfx942 yes gfx950 yes host yes
// RUN: %ported %t.hip | FileCheck %s
constexpr int threads = 256;
// CHECK: void __launch_bounds__(128) one()
__global__ void __launch_bounds__(128) one() {}
// 2 blocks of 128 threads are 4 waves, one a SIMD.
// CHECK: void __launch_bounds__(128, 1) two()
__global__ void __launch_bounds__(128, 2) two() {}
// 3 blocks of 256 threads are 12 waves, 3 a SIMD.
// CHECK: void __launch_bounds__(threads, ((3) * (((threads) + 63) / 64) + 3) / 4) three()
__global__ void __launch_bounds__(threads, 3) three() {}
// NVIDIA's registers are no measure here.
// CHECK: void {{ *}}limited()
__global__ void __maxnreg__(64) limited() {}
// To HIP's macro the comma between template arguments would part two arguments.
template <int M, int N> struct Traits {
  static constexpr int threads = M * N;
};
// CHECK: void __launch_bounds__((Traits<M, N>::threads)) traits()
template <int M, int N> __global__ void __launch_bounds__(Traits<M, N>::threads) traits() {}
template __global__ void traits<32, 4>();
// CHECK: void __launch_bounds__((Traits<32, 4>::threads), ((2) * (((Traits<32, 4>::threads) + 63) / 64) + 3) / 4) both()
__global__ void __launch_bounds__(Traits<32, 4>::threads, 2) both() {}
// CHECK: void __launch_bounds__(((unsigned)Traits<8, 4>::threads)) converted()
__global__ void __launch_bounds__((unsigned)Traits<8, 4>::threads) converted() {}
// CHECK: void __launch_bounds__((Traits<64, 4>::threads)) already()
__global__ void __launch_bounds__((Traits<64, 4>::threads)) already() {}
// CHECK: __launch_bounds__((Traits<__VA_ARGS__>::threads)) NAME()
#define DEFINE_KERNEL(NAME, ...)                                                                    \
  __global__ void __launch_bounds__(Traits<__VA_ARGS__>::threads) NAME() {}
DEFINE_KERNEL(defined, 16, 8)
