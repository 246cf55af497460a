// Shuffles in every form: element types, widths, lanes known and unknown at compile
// time, odd deltas, pre-Volta names through a macro.
#include <cuda_fp16.h>

struct Pair {
  float value;
  int index;
  short tag;
};

template <class T> __device__ T fromTemplate(T v, int lane) {
  return __shfl_sync(0xffffffffu, v, lane);
}
__device__ Pair exchange(Pair p, int lane) {
  p.value = __shfl_sync(0xffffffffu, p.value, lane);
  p.index = __shfl_sync(0xffffffffu, p.index, lane);
  p.tag = __shfl_sync(0xffffffffu, p.tag, lane);
  return p;
}
template <int width> __device__ int subwarp(int v) {
  v += __shfl_xor_sync(0xffffffffu, v, width / 2, width) * 3;
  v += __shfl_down_sync(0xffffffffu, v, 1, width) * 5;
  return v + __shfl_up_sync(0xffffffffu, v, width / 2, width) * 7;
}

// Every XOR below 32, one and two instructions away.
__global__ void butterflies(const int *in, int *out) {
  const int t = (blockIdx.x * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  const int v = in[t];
  int *o = out + t * 32;
#pragma unroll
  for (int mask = 0; mask < 32; ++mask)
    o[mask] = __shfl_xor_sync(0xffffffffu, v, mask);
}

// Up, down and broadcasts by constants, in every width.
template <int width> __device__ void shifts(int v, int *o) {
#pragma unroll
  for (int d = 0; d < 32; d += d < 3 ? 1 : 4) {
    o[d] = __shfl_up_sync(0xffffffffu, v, d, width);
    o[32 + d] = __shfl_down_sync(0xffffffffu, v, d, width);
    o[64 + d] = __shfl_sync(0xffffffffu, v, d, width);
    o[96 + d] = __shfl_xor_sync(0xffffffffu, v, d, width);
  }
}
__global__ void constants(const int *in, int *out, int groups) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  shifts<2>(in[t], out + t * 640);
  shifts<4>(in[t], out + t * 640 + 128);
  shifts<8>(in[t], out + t * 640 + 256);
  shifts<16>(in[t], out + t * 640 + 384);
  shifts<32>(in[t], out + t * 640 + 512);
}

// The same with lanes and widths that only the run knows, deltas beyond 31 among them.
__global__ void computed(const int *in, int *out, int delta, int width) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  int *o = out + t * 4;
  o[0] = __shfl_up_sync(0xffffffffu, in[t], delta, width);
  o[1] = __shfl_down_sync(0xffffffffu, in[t], delta, width);
  o[2] = __shfl_sync(0xffffffffu, in[t], in[t] + delta, width);
  o[3] = __shfl_xor_sync(0xffffffffu, in[t], delta, width);
}

__global__ void types(const int *in, const __half2 *halves, double *d, long long *l, __half2 *h,
                      float *f, int *s) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31;
  d[t] = __shfl_down_sync(0xffffffffu, double(in[t]) * 0.5, 3);
  l[t] = __shfl_xor_sync(0xffffffffu, (long long)in[t] << 33 | lane, 9);
  const Pair pair = {in[t] * 0.25f, lane, short(in[t])};
  const Pair moved = exchange(pair, in[t] & 31);
  s[t] = moved.index + moved.tag * 32;
  f[t] = moved.value;
  h[t] = fromTemplate(halves[t], lane ^ 5);
  s[t] += fromTemplate(in[t], (lane * 7 + 3) % 32) + subwarp<4>(in[t]) + subwarp<8>(in[t]) * 11 + subwarp<16>(in[t]) * 13;
}
