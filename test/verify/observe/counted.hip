// Kernels whose figures can be counted by hand, for test/unit/verify_observe.
#include <hip/hip_runtime.h>

typedef float Float4 __attribute__((ext_vector_type(4)));
typedef _Float16 Half4 __attribute__((ext_vector_type(4)));

// Each trip: a 16-byte global load, an LDS store and load of 16 bytes, a barrier each
// way, a global store of 16 bytes.
extern "C" __global__ void copies(const Float4 *in, Float4 *out, int trips, int stride) {
  __shared__ Float4 tile[64];
  const unsigned t = threadIdx.x;
  for (int i = 0; i < trips; ++i) { // the loop
    tile[t] = in[i * 64 + t];
    __syncthreads();
    out[i * stride * 64 + t * stride] = tile[t ^ 1];
    __syncthreads();
  }
}

// A column of a matrix of 32 floats a row: each lane in the same bank.
extern "C" __global__ void readsAColumn(const float *in, float *out) {
  __shared__ float tile[64 * 32];
  const unsigned t = threadIdx.x;
  for (int i = 0; i < 32; ++i)
    tile[i * 64 + t] = in[i * 64 + t];
  __syncthreads();
  out[t] = tile[t * 32];
}

// One of each, twice in an inner loop of four trips.
extern "C" __global__ void movesLanes(const int *in, int *out, const Half4 *a, Float4 *c,
                                      int trips) {
  const unsigned t = threadIdx.x;
  int x = in[t];
  Float4 sum = c[t];
  for (int i = 0; i < trips; ++i) {
    sum = __builtin_amdgcn_mfma_f32_16x16x16f16(a[t], a[t], sum, 0, 0, 0);
    x += __builtin_amdgcn_mov_dpp(x, 0xb1, 0xf, 0xf, true);
    x += __builtin_amdgcn_ds_bpermute(int(t ^ 32) << 2, x);
    x += __builtin_amdgcn_readlane(x, 5);
    x ^= __builtin_amdgcn_perm(x, i, 0x03020504);
  }
  c[t] = sum;
  out[t] = x;
}
