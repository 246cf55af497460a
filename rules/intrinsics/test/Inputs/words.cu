// What words.cu means, written out byte by byte.
template <class T, int N, class F> __device__ unsigned each(unsigned a, unsigned b, F f) {
  unsigned r = 0;
  for (int i = 0; i < N; ++i) {
    const int bits = 32 / N;
    const unsigned mask = bits == 8 ? 0xff : 0xffff;
    r |= ((unsigned)f((int)(T)(a >> bits * i & mask), (int)(T)(b >> bits * i & mask)) & mask) << bits * i;
  }
  return r;
}
typedef signed char s8;
typedef unsigned char u8;
__device__ int dot(int a, int b, int n) {
  int sum = 0;
  for (int i = 0; i < n; ++i)
    sum += (int)(s8)(a >> 8 * i) * (int)(s8)(b >> 8 * i);
  return sum;
}
__global__ void words(unsigned *d, const unsigned *a, const float4 *f, float4 *g, int *s) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned x = a[2 * t] * 2654435761u, y = a[2 * t + 1] * 2246822519u;
  d[8 * t] = each<u8, 4>(x, y, [](int p, int q) { return p + q; }) + each<s8, 4>(x, y, [](int p, int q) {
               return p - q < -128 ? -128 : p - q > 127 ? 127 : p - q;
             });
  d[8 * t + 1] = each<u8, 4>(x & 0x0f0f0f0f, y, [](int p, int q) { return p == q ? 255 : 0; }) ^
                 each<u8, 4>(x, 0, [](int p, int q) { return p != q ? 255 : 0; });
  d[8 * t + 2] = each<short, 2>(x, y, [](int p, int q) { return p > q ? p : q; }) +
                 each<u8, 4>(x, y, [](int p, int q) { return p < q ? p : q; });
  unsigned sad = 0;
  for (int i = 0; i < 4; ++i) {
    const int p = x >> 8 * i & 255, q = y >> 8 * i & 255;
    sad += p < q ? q - p : p - q;
  }
  d[8 * t + 3] = each<u8, 4>(x, y, [](int p, int q) { return p < q ? q - p : p - q; }) + sad +
                 each<u8, 4>(x, y, [](int p, int q) { return (p + q + 1) / 2; });
  s[2 * t] = dot(x, y, 4) + t;
  unsigned u = 7;
  for (int i = 0; i < 4; ++i)
    u += (x >> 8 * i & 255) * (y >> 8 * i & 255);
  const int halves = (int)(short)x * (int)(s8)y + (int)(short)(x >> 16) * (int)(s8)(y >> 8);
  s[2 * t + 1] = (int)u + halves + 1;
  g[t] = f[t];
  d[8 * t + 4] = a[t];
}
