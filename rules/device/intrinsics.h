// The device runtime's counterparts of functions of CUDA's headers. Chunks as in
// runtime.h; cuda_NAME has lp::NAME, which replaces NAME with its leading underscores.

//# simd_words: bits
// Bytes and halves of a word.
typedef signed char char4x __attribute__((ext_vector_type(4)));
typedef unsigned char uchar4x __attribute__((ext_vector_type(4)));
typedef short short2w __attribute__((ext_vector_type(2)));
typedef unsigned short ushort2w __attribute__((ext_vector_type(2)));
// f of each element, computed in int.
template <class V, int N, class F>
__device__ __forceinline__ unsigned per_element(unsigned a, unsigned b, F f) {
  V x = bits<V>(a), y = bits<V>(b);
  for (int i = 0; i < N; ++i)
    x[i] = f((int)x[i], (int)y[i]);
  return bits<unsigned>(x);
}

//# limits:
template <class T> __host__ __device__ __forceinline__ T min(T a, T b) { return a < b ? a : b; }
template <class T> __host__ __device__ __forceinline__ T max(T a, T b) { return a < b ? b : a; }

//# clamped:
__device__ __forceinline__ int clamped(int x, int least, int most) {
  return x < least ? least : x > most ? most : x;
}

//# cuda_dp4a: dot4
__device__ __forceinline__ int dp4a(int a, int b, int c) {
  return dot4<true, true>(a, b, c);
}
__device__ __forceinline__ unsigned dp4a(unsigned a, unsigned b, unsigned c) {
  return dot4<false, false>(a, b, c);
}

//# cuda_dp2a_lo: dp2a
__device__ __forceinline__ int dp2a_lo(int a, int b, int c) {
  return dp2a<true, true, false>(a, b, c);
}
__device__ __forceinline__ unsigned dp2a_lo(unsigned a, unsigned b, unsigned c) {
  return dp2a<false, false, false>(a, b, c);
}

//# cuda_dp2a_hi: dp2a
__device__ __forceinline__ int dp2a_hi(int a, int b, int c) {
  return dp2a<true, true, true>(a, b, c);
}
__device__ __forceinline__ unsigned dp2a_hi(unsigned a, unsigned b, unsigned c) {
  return dp2a<false, false, true>(a, b, c);
}

//# cuda_ldca:
template <class T> __device__ __forceinline__ T ldca(const T *p) { return *p; }

//# cuda_ldcg:
template <class T> __device__ __forceinline__ T ldcg(const T *p) { return *p; }

//# cuda_ldcs:
template <class T> __device__ __forceinline__ T ldcs(const T *p) { return *p; }

//# cuda_ldlu:
template <class T> __device__ __forceinline__ T ldlu(const T *p) { return *p; }

//# cuda_ldcv:
template <class T> __device__ __forceinline__ T ldcv(const T *p) {
  __atomic_signal_fence(__ATOMIC_SEQ_CST); // read again, never from a register
  return *p;
}

//# cuda_stwb:
template <class T, class V> __device__ __forceinline__ void stwb(T *p, const V &v) { *p = v; }

//# cuda_stcg:
template <class T, class V> __device__ __forceinline__ void stcg(T *p, const V &v) { *p = v; }

//# cuda_stcs:
template <class T, class V> __device__ __forceinline__ void stcs(T *p, const V &v) { *p = v; }

//# cuda_stwt:
template <class T, class V> __device__ __forceinline__ void stwt(T *p, const V &v) { *p = v; }

//# cuda_nanosleep: nanosleep

//# cuda_isShared:
__device__ __forceinline__ unsigned isShared(const void *p) { return __builtin_amdgcn_is_shared(p); }

//# cuda_isLocal:
__device__ __forceinline__ unsigned isLocal(const void *p) { return __builtin_amdgcn_is_private(p); }

//# cuda_isGlobal:
__device__ __forceinline__ unsigned isGlobal(const void *p) {
  return !__builtin_amdgcn_is_shared(p) && !__builtin_amdgcn_is_private(p);
}

//# cuda_vabs2: simd_words
__device__ __forceinline__ unsigned vabs2(unsigned a) {
  return per_element<short2w, 2>(a, a, [](int x, int) { return x < 0 ? -x : x; });
}

//# cuda_vabsss2: simd_words clamped
__device__ __forceinline__ unsigned vabsss2(unsigned a) {
  return per_element<short2w, 2>(a, a, [](int x, int) { return clamped(x < 0 ? -x : x, -32768, 32767); });
}

//# cuda_vneg2: simd_words
__device__ __forceinline__ unsigned vneg2(unsigned a) {
  return per_element<short2w, 2>(a, a, [](int x, int) { return -x; });
}

//# cuda_vnegss2: simd_words clamped
__device__ __forceinline__ unsigned vnegss2(unsigned a) {
  return per_element<short2w, 2>(a, a, [](int x, int) { return clamped(-x, -32768, 32767); });
}

//# cuda_vabsdiffs2: simd_words
__device__ __forceinline__ unsigned vabsdiffs2(unsigned a, unsigned b) {
  return per_element<short2w, 2>(a, b, [](int x, int y) { return x < y ? y - x : x - y; });
}

//# cuda_vabsdiffu2: simd_words
__device__ __forceinline__ unsigned vabsdiffu2(unsigned a, unsigned b) {
  return per_element<ushort2w, 2>(a, b, [](int x, int y) { return x < y ? y - x : x - y; });
}

//# cuda_vadd2: simd_words
__device__ __forceinline__ unsigned vadd2(unsigned a, unsigned b) {
  return per_element<ushort2w, 2>(a, b, [](int x, int y) { return x + y; });
}

//# cuda_vsub2: simd_words
__device__ __forceinline__ unsigned vsub2(unsigned a, unsigned b) {
  return per_element<ushort2w, 2>(a, b, [](int x, int y) { return x - y; });
}

//# cuda_vaddss2: simd_words clamped
__device__ __forceinline__ unsigned vaddss2(unsigned a, unsigned b) {
  return per_element<short2w, 2>(a, b, [](int x, int y) { return clamped(x + y, -32768, 32767); });
}

//# cuda_vsubss2: simd_words clamped
__device__ __forceinline__ unsigned vsubss2(unsigned a, unsigned b) {
  return per_element<short2w, 2>(a, b, [](int x, int y) { return clamped(x - y, -32768, 32767); });
}

//# cuda_vaddus2: simd_words clamped
__device__ __forceinline__ unsigned vaddus2(unsigned a, unsigned b) {
  return per_element<ushort2w, 2>(a, b, [](int x, int y) { return clamped(x + y, 0, 65535); });
}

//# cuda_vsubus2: simd_words clamped
__device__ __forceinline__ unsigned vsubus2(unsigned a, unsigned b) {
  return per_element<ushort2w, 2>(a, b, [](int x, int y) { return clamped(x - y, 0, 65535); });
}

//# cuda_vavgs2: simd_words
__device__ __forceinline__ unsigned vavgs2(unsigned a, unsigned b) {
  return per_element<short2w, 2>(a, b, [](int x, int y) { return (x + y + (x + y >= 0)) >> 1; });
}

//# cuda_vavgu2: simd_words
__device__ __forceinline__ unsigned vavgu2(unsigned a, unsigned b) {
  return per_element<ushort2w, 2>(a, b, [](int x, int y) { return (x + y + 1) >> 1; });
}

//# cuda_vhaddu2: simd_words
__device__ __forceinline__ unsigned vhaddu2(unsigned a, unsigned b) {
  return per_element<ushort2w, 2>(a, b, [](int x, int y) { return (x + y) >> 1; });
}

//# cuda_vmaxs2: simd_words
__device__ __forceinline__ unsigned vmaxs2(unsigned a, unsigned b) {
  return per_element<short2w, 2>(a, b, [](int x, int y) { return x < y ? y : x; });
}

//# cuda_vmins2: simd_words
__device__ __forceinline__ unsigned vmins2(unsigned a, unsigned b) {
  return per_element<short2w, 2>(a, b, [](int x, int y) { return x < y ? x : y; });
}

//# cuda_vmaxu2: simd_words
__device__ __forceinline__ unsigned vmaxu2(unsigned a, unsigned b) {
  return per_element<ushort2w, 2>(a, b, [](int x, int y) { return x < y ? y : x; });
}

//# cuda_vminu2: simd_words
__device__ __forceinline__ unsigned vminu2(unsigned a, unsigned b) {
  return per_element<ushort2w, 2>(a, b, [](int x, int y) { return x < y ? x : y; });
}

//# cuda_vcmpeq2: simd_words
__device__ __forceinline__ unsigned vcmpeq2(unsigned a, unsigned b) {
  return per_element<ushort2w, 2>(a, b, [](int x, int y) { return x == y ? -1 : 0; });
}

//# cuda_vseteq2: simd_words
__device__ __forceinline__ unsigned vseteq2(unsigned a, unsigned b) {
  return per_element<ushort2w, 2>(a, b, [](int x, int y) { return x == y ? 1 : 0; });
}

//# cuda_vcmpne2: simd_words
__device__ __forceinline__ unsigned vcmpne2(unsigned a, unsigned b) {
  return per_element<ushort2w, 2>(a, b, [](int x, int y) { return x != y ? -1 : 0; });
}

//# cuda_vsetne2: simd_words
__device__ __forceinline__ unsigned vsetne2(unsigned a, unsigned b) {
  return per_element<ushort2w, 2>(a, b, [](int x, int y) { return x != y ? 1 : 0; });
}

//# cuda_vcmpges2: simd_words
__device__ __forceinline__ unsigned vcmpges2(unsigned a, unsigned b) {
  return per_element<short2w, 2>(a, b, [](int x, int y) { return x >= y ? -1 : 0; });
}

//# cuda_vsetges2: simd_words
__device__ __forceinline__ unsigned vsetges2(unsigned a, unsigned b) {
  return per_element<short2w, 2>(a, b, [](int x, int y) { return x >= y ? 1 : 0; });
}

//# cuda_vcmpgeu2: simd_words
__device__ __forceinline__ unsigned vcmpgeu2(unsigned a, unsigned b) {
  return per_element<ushort2w, 2>(a, b, [](int x, int y) { return x >= y ? -1 : 0; });
}

//# cuda_vsetgeu2: simd_words
__device__ __forceinline__ unsigned vsetgeu2(unsigned a, unsigned b) {
  return per_element<ushort2w, 2>(a, b, [](int x, int y) { return x >= y ? 1 : 0; });
}

//# cuda_vcmpgts2: simd_words
__device__ __forceinline__ unsigned vcmpgts2(unsigned a, unsigned b) {
  return per_element<short2w, 2>(a, b, [](int x, int y) { return x > y ? -1 : 0; });
}

//# cuda_vsetgts2: simd_words
__device__ __forceinline__ unsigned vsetgts2(unsigned a, unsigned b) {
  return per_element<short2w, 2>(a, b, [](int x, int y) { return x > y ? 1 : 0; });
}

//# cuda_vcmpgtu2: simd_words
__device__ __forceinline__ unsigned vcmpgtu2(unsigned a, unsigned b) {
  return per_element<ushort2w, 2>(a, b, [](int x, int y) { return x > y ? -1 : 0; });
}

//# cuda_vcmples2: simd_words
__device__ __forceinline__ unsigned vcmples2(unsigned a, unsigned b) {
  return per_element<short2w, 2>(a, b, [](int x, int y) { return x <= y ? -1 : 0; });
}

//# cuda_vsetles2: simd_words
__device__ __forceinline__ unsigned vsetles2(unsigned a, unsigned b) {
  return per_element<short2w, 2>(a, b, [](int x, int y) { return x <= y ? 1 : 0; });
}

//# cuda_vsetleu2: simd_words
__device__ __forceinline__ unsigned vsetleu2(unsigned a, unsigned b) {
  return per_element<ushort2w, 2>(a, b, [](int x, int y) { return x <= y ? 1 : 0; });
}

//# cuda_vcmplts2: simd_words
__device__ __forceinline__ unsigned vcmplts2(unsigned a, unsigned b) {
  return per_element<short2w, 2>(a, b, [](int x, int y) { return x < y ? -1 : 0; });
}

//# cuda_vsetlts2: simd_words
__device__ __forceinline__ unsigned vsetlts2(unsigned a, unsigned b) {
  return per_element<short2w, 2>(a, b, [](int x, int y) { return x < y ? 1 : 0; });
}

//# cuda_vcmpltu2: simd_words
__device__ __forceinline__ unsigned vcmpltu2(unsigned a, unsigned b) {
  return per_element<ushort2w, 2>(a, b, [](int x, int y) { return x < y ? -1 : 0; });
}

//# cuda_vsetltu2: simd_words
__device__ __forceinline__ unsigned vsetltu2(unsigned a, unsigned b) {
  return per_element<ushort2w, 2>(a, b, [](int x, int y) { return x < y ? 1 : 0; });
}

//# cuda_vsads2: simd_words
__device__ __forceinline__ unsigned vsads2(unsigned a, unsigned b) {
  const short2w x = bits<short2w>(a), y = bits<short2w>(b);
  unsigned sum = 0;
  for (int i = 0; i < 2; ++i)
    sum += x[i] < y[i] ? y[i] - x[i] : x[i] - y[i];
  return sum;
}

//# cuda_vsadu2: simd_words
__device__ __forceinline__ unsigned vsadu2(unsigned a, unsigned b) {
  const ushort2w x = bits<ushort2w>(a), y = bits<ushort2w>(b);
  unsigned sum = 0;
  for (int i = 0; i < 2; ++i)
    sum += x[i] < y[i] ? y[i] - x[i] : x[i] - y[i];
  return sum;
}

//# cuda_vabs4: simd_words
__device__ __forceinline__ unsigned vabs4(unsigned a) {
  return per_element<char4x, 4>(a, a, [](int x, int) { return x < 0 ? -x : x; });
}

//# cuda_vabsss4: simd_words clamped
__device__ __forceinline__ unsigned vabsss4(unsigned a) {
  return per_element<char4x, 4>(a, a, [](int x, int) { return clamped(x < 0 ? -x : x, -128, 127); });
}

//# cuda_vneg4: simd_words
__device__ __forceinline__ unsigned vneg4(unsigned a) {
  return per_element<char4x, 4>(a, a, [](int x, int) { return -x; });
}

//# cuda_vnegss4: simd_words clamped
__device__ __forceinline__ unsigned vnegss4(unsigned a) {
  return per_element<char4x, 4>(a, a, [](int x, int) { return clamped(-x, -128, 127); });
}

//# cuda_vabsdiffs4: simd_words
__device__ __forceinline__ unsigned vabsdiffs4(unsigned a, unsigned b) {
  return per_element<char4x, 4>(a, b, [](int x, int y) { return x < y ? y - x : x - y; });
}

//# cuda_vabsdiffu4: simd_words
__device__ __forceinline__ unsigned vabsdiffu4(unsigned a, unsigned b) {
  return per_element<uchar4x, 4>(a, b, [](int x, int y) { return x < y ? y - x : x - y; });
}

//# cuda_vadd4: simd_words
__device__ __forceinline__ unsigned vadd4(unsigned a, unsigned b) {
  return per_element<uchar4x, 4>(a, b, [](int x, int y) { return x + y; });
}

//# cuda_vsub4: simd_words
__device__ __forceinline__ unsigned vsub4(unsigned a, unsigned b) {
  return per_element<uchar4x, 4>(a, b, [](int x, int y) { return x - y; });
}

//# cuda_vaddss4: simd_words clamped
__device__ __forceinline__ unsigned vaddss4(unsigned a, unsigned b) {
  return per_element<char4x, 4>(a, b, [](int x, int y) { return clamped(x + y, -128, 127); });
}

//# cuda_vsubss4: simd_words clamped
__device__ __forceinline__ unsigned vsubss4(unsigned a, unsigned b) {
  return per_element<char4x, 4>(a, b, [](int x, int y) { return clamped(x - y, -128, 127); });
}

//# cuda_vaddus4: simd_words clamped
__device__ __forceinline__ unsigned vaddus4(unsigned a, unsigned b) {
  return per_element<uchar4x, 4>(a, b, [](int x, int y) { return clamped(x + y, 0, 255); });
}

//# cuda_vsubus4: simd_words clamped
__device__ __forceinline__ unsigned vsubus4(unsigned a, unsigned b) {
  return per_element<uchar4x, 4>(a, b, [](int x, int y) { return clamped(x - y, 0, 255); });
}

//# cuda_vavgs4: simd_words
__device__ __forceinline__ unsigned vavgs4(unsigned a, unsigned b) {
  return per_element<char4x, 4>(a, b, [](int x, int y) { return (x + y + (x + y >= 0)) >> 1; });
}

//# cuda_vavgu4: simd_words
__device__ __forceinline__ unsigned vavgu4(unsigned a, unsigned b) {
  return per_element<uchar4x, 4>(a, b, [](int x, int y) { return (x + y + 1) >> 1; });
}

//# cuda_vhaddu4: simd_words
__device__ __forceinline__ unsigned vhaddu4(unsigned a, unsigned b) {
  return per_element<uchar4x, 4>(a, b, [](int x, int y) { return (x + y) >> 1; });
}

//# cuda_vmaxs4: simd_words
__device__ __forceinline__ unsigned vmaxs4(unsigned a, unsigned b) {
  return per_element<char4x, 4>(a, b, [](int x, int y) { return x < y ? y : x; });
}

//# cuda_vmins4: simd_words
__device__ __forceinline__ unsigned vmins4(unsigned a, unsigned b) {
  return per_element<char4x, 4>(a, b, [](int x, int y) { return x < y ? x : y; });
}

//# cuda_vmaxu4: simd_words
__device__ __forceinline__ unsigned vmaxu4(unsigned a, unsigned b) {
  return per_element<uchar4x, 4>(a, b, [](int x, int y) { return x < y ? y : x; });
}

//# cuda_vminu4: simd_words
__device__ __forceinline__ unsigned vminu4(unsigned a, unsigned b) {
  return per_element<uchar4x, 4>(a, b, [](int x, int y) { return x < y ? x : y; });
}

//# cuda_vcmpeq4: simd_words
__device__ __forceinline__ unsigned vcmpeq4(unsigned a, unsigned b) {
  return per_element<uchar4x, 4>(a, b, [](int x, int y) { return x == y ? -1 : 0; });
}

//# cuda_vseteq4: simd_words
__device__ __forceinline__ unsigned vseteq4(unsigned a, unsigned b) {
  return per_element<uchar4x, 4>(a, b, [](int x, int y) { return x == y ? 1 : 0; });
}

//# cuda_vcmpne4: simd_words
__device__ __forceinline__ unsigned vcmpne4(unsigned a, unsigned b) {
  return per_element<uchar4x, 4>(a, b, [](int x, int y) { return x != y ? -1 : 0; });
}

//# cuda_vsetne4: simd_words
__device__ __forceinline__ unsigned vsetne4(unsigned a, unsigned b) {
  return per_element<uchar4x, 4>(a, b, [](int x, int y) { return x != y ? 1 : 0; });
}

//# cuda_vcmpges4: simd_words
__device__ __forceinline__ unsigned vcmpges4(unsigned a, unsigned b) {
  return per_element<char4x, 4>(a, b, [](int x, int y) { return x >= y ? -1 : 0; });
}

//# cuda_vsetges4: simd_words
__device__ __forceinline__ unsigned vsetges4(unsigned a, unsigned b) {
  return per_element<char4x, 4>(a, b, [](int x, int y) { return x >= y ? 1 : 0; });
}

//# cuda_vcmpgeu4: simd_words
__device__ __forceinline__ unsigned vcmpgeu4(unsigned a, unsigned b) {
  return per_element<uchar4x, 4>(a, b, [](int x, int y) { return x >= y ? -1 : 0; });
}

//# cuda_vsetgeu4: simd_words
__device__ __forceinline__ unsigned vsetgeu4(unsigned a, unsigned b) {
  return per_element<uchar4x, 4>(a, b, [](int x, int y) { return x >= y ? 1 : 0; });
}

//# cuda_vcmpgts4: simd_words
__device__ __forceinline__ unsigned vcmpgts4(unsigned a, unsigned b) {
  return per_element<char4x, 4>(a, b, [](int x, int y) { return x > y ? -1 : 0; });
}

//# cuda_vsetgts4: simd_words
__device__ __forceinline__ unsigned vsetgts4(unsigned a, unsigned b) {
  return per_element<char4x, 4>(a, b, [](int x, int y) { return x > y ? 1 : 0; });
}

//# cuda_vcmpgtu4: simd_words
__device__ __forceinline__ unsigned vcmpgtu4(unsigned a, unsigned b) {
  return per_element<uchar4x, 4>(a, b, [](int x, int y) { return x > y ? -1 : 0; });
}

//# cuda_vsetgtu4: simd_words
__device__ __forceinline__ unsigned vsetgtu4(unsigned a, unsigned b) {
  return per_element<uchar4x, 4>(a, b, [](int x, int y) { return x > y ? 1 : 0; });
}

//# cuda_vcmples4: simd_words
__device__ __forceinline__ unsigned vcmples4(unsigned a, unsigned b) {
  return per_element<char4x, 4>(a, b, [](int x, int y) { return x <= y ? -1 : 0; });
}

//# cuda_vsetles4: simd_words
__device__ __forceinline__ unsigned vsetles4(unsigned a, unsigned b) {
  return per_element<char4x, 4>(a, b, [](int x, int y) { return x <= y ? 1 : 0; });
}

//# cuda_vcmpleu4: simd_words
__device__ __forceinline__ unsigned vcmpleu4(unsigned a, unsigned b) {
  return per_element<uchar4x, 4>(a, b, [](int x, int y) { return x <= y ? -1 : 0; });
}

//# cuda_vsetleu4: simd_words
__device__ __forceinline__ unsigned vsetleu4(unsigned a, unsigned b) {
  return per_element<uchar4x, 4>(a, b, [](int x, int y) { return x <= y ? 1 : 0; });
}

//# cuda_vcmplts4: simd_words
__device__ __forceinline__ unsigned vcmplts4(unsigned a, unsigned b) {
  return per_element<char4x, 4>(a, b, [](int x, int y) { return x < y ? -1 : 0; });
}

//# cuda_vsetlts4: simd_words
__device__ __forceinline__ unsigned vsetlts4(unsigned a, unsigned b) {
  return per_element<char4x, 4>(a, b, [](int x, int y) { return x < y ? 1 : 0; });
}

//# cuda_vcmpltu4: simd_words
__device__ __forceinline__ unsigned vcmpltu4(unsigned a, unsigned b) {
  return per_element<uchar4x, 4>(a, b, [](int x, int y) { return x < y ? -1 : 0; });
}

//# cuda_vsetltu4: simd_words
__device__ __forceinline__ unsigned vsetltu4(unsigned a, unsigned b) {
  return per_element<uchar4x, 4>(a, b, [](int x, int y) { return x < y ? 1 : 0; });
}

//# cuda_vsads4: simd_words
__device__ __forceinline__ unsigned vsads4(unsigned a, unsigned b) {
  const char4x x = bits<char4x>(a), y = bits<char4x>(b);
  unsigned sum = 0;
  for (int i = 0; i < 4; ++i)
    sum += x[i] < y[i] ? y[i] - x[i] : x[i] - y[i];
  return sum;
}

//# cuda_vsadu4: simd_words
__device__ __forceinline__ unsigned vsadu4(unsigned a, unsigned b) {
  const uchar4x x = bits<uchar4x>(a), y = bits<uchar4x>(b);
  unsigned sum = 0;
  for (int i = 0; i < 4; ++i)
    sum += x[i] < y[i] ? y[i] - x[i] : x[i] - y[i];
  return sum;
}

//# cuda_hadd_rn:
// Not fused with what comes before or after.
template <class T> __device__ __forceinline__ T hadd_rn(T a, T b) {
#pragma clang fp contract(off)
  return a + b;
}

//# cuda_hadd2_rn:
template <class T> __device__ __forceinline__ T hadd2_rn(T a, T b) {
#pragma clang fp contract(off)
  return T(a.x + b.x, a.y + b.y);
}

//# cuda_hsub_rn:
// Not fused with what comes before or after.
template <class T> __device__ __forceinline__ T hsub_rn(T a, T b) {
#pragma clang fp contract(off)
  return a - b;
}

//# cuda_hsub2_rn:
template <class T> __device__ __forceinline__ T hsub2_rn(T a, T b) {
#pragma clang fp contract(off)
  return T(a.x - b.x, a.y - b.y);
}

//# cuda_hmul_rn:
// Not fused with what comes before or after.
template <class T> __device__ __forceinline__ T hmul_rn(T a, T b) {
#pragma clang fp contract(off)
  return a * b;
}

//# cuda_hmul2_rn:
template <class T> __device__ __forceinline__ T hmul2_rn(T a, T b) {
#pragma clang fp contract(off)
  return T(a.x * b.x, a.y * b.y);
}

//# cuda_hmax2:
// A number rather than NaN.
template <class T> __device__ __forceinline__ T hmax2(T a, T b) {
  const auto pick = [](auto x, auto y) { return x != x ? y : y != y ? x : x < y ? y : x; };
  return T(pick(a.x, b.x), pick(a.y, b.y));
}

//# cuda_hmax2_nan:
// NaN rather than a number.
template <class T> __device__ __forceinline__ T hmax2_nan(T a, T b) {
  const auto pick = [](auto x, auto y) { return x != x ? x : y != y ? y : x < y ? y : x; };
  return T(pick(a.x, b.x), pick(a.y, b.y));
}

//# cuda_hmin2:
// A number rather than NaN.
template <class T> __device__ __forceinline__ T hmin2(T a, T b) {
  const auto pick = [](auto x, auto y) { return x != x ? y : y != y ? x : x > y ? y : x; };
  return T(pick(a.x, b.x), pick(a.y, b.y));
}

//# cuda_hmin2_nan:
// NaN rather than a number.
template <class T> __device__ __forceinline__ T hmin2_nan(T a, T b) {
  const auto pick = [](auto x, auto y) { return x != x ? x : y != y ? y : x > y ? y : x; };
  return T(pick(a.x, b.x), pick(a.y, b.y));
}

//# cuda_floats2bfloat162_rn: bfloat2 bits
__device__ __forceinline__ __hip_bfloat162 floats2bfloat162_rn(float a, float b) {
  return bits<__hip_bfloat162>(bfloat2{(__bf16)a, (__bf16)b});
}

//# cuda_float2bfloat162_rn: bfloat2 bits
__device__ __forceinline__ __hip_bfloat162 float2bfloat162_rn(float a) {
  return bits<__hip_bfloat162>(bfloat2{(__bf16)a, (__bf16)a});
}

//# cuda_make_bfloat162:
__host__ __device__ __forceinline__ __hip_bfloat162 make_bfloat162(__hip_bfloat16 a, __hip_bfloat16 b) {
  __hip_bfloat162 r;
  r.x = a;
  r.y = b;
  return r;
}

//# cuda_double2half: bits
__device__ __forceinline__ __half double2half(double x) { return bits<__half>((_Float16)x); }

//# cuda_int2bfloat16_rn: bits
__device__ __forceinline__ __hip_bfloat16 int2bfloat16_rn(int x) {
  return bits<__hip_bfloat16>((__bf16)x);
}

//# cuda_bfloat162int_rn: to_integer bits
__device__ __forceinline__ int bfloat162int_rn(__hip_bfloat16 x) {
  return to_integer<int>(__builtin_rintf((float)bits<__bf16>(x)));
}

//# cuda_bfloat162int_rz: to_integer bits
__device__ __forceinline__ int bfloat162int_rz(__hip_bfloat16 x) {
  return to_integer<int>(__builtin_truncf((float)bits<__bf16>(x)));
}

//# cuda_bfloat162int_rd: to_integer bits
__device__ __forceinline__ int bfloat162int_rd(__hip_bfloat16 x) {
  return to_integer<int>(__builtin_floorf((float)bits<__bf16>(x)));
}

//# cuda_bfloat162int_ru: to_integer bits
__device__ __forceinline__ int bfloat162int_ru(__hip_bfloat16 x) {
  return to_integer<int>(__builtin_ceilf((float)bits<__bf16>(x)));
}

//# cuda_uint2bfloat16_rn: bits
__device__ __forceinline__ __hip_bfloat16 uint2bfloat16_rn(unsigned x) {
  return bits<__hip_bfloat16>((__bf16)x);
}

//# cuda_bfloat162uint_rn: to_integer bits
__device__ __forceinline__ unsigned bfloat162uint_rn(__hip_bfloat16 x) {
  return to_integer<unsigned>(__builtin_rintf((float)bits<__bf16>(x)));
}

//# cuda_bfloat162uint_rz: to_integer bits
__device__ __forceinline__ unsigned bfloat162uint_rz(__hip_bfloat16 x) {
  return to_integer<unsigned>(__builtin_truncf((float)bits<__bf16>(x)));
}

//# cuda_bfloat162uint_rd: to_integer bits
__device__ __forceinline__ unsigned bfloat162uint_rd(__hip_bfloat16 x) {
  return to_integer<unsigned>(__builtin_floorf((float)bits<__bf16>(x)));
}

//# cuda_bfloat162uint_ru: to_integer bits
__device__ __forceinline__ unsigned bfloat162uint_ru(__hip_bfloat16 x) {
  return to_integer<unsigned>(__builtin_ceilf((float)bits<__bf16>(x)));
}

//# cuda_short2bfloat16_rn: bits
__device__ __forceinline__ __hip_bfloat16 short2bfloat16_rn(short x) {
  return bits<__hip_bfloat16>((__bf16)x);
}

//# cuda_bfloat162short_rn: to_integer bits
__device__ __forceinline__ short bfloat162short_rn(__hip_bfloat16 x) {
  return to_integer<short>(__builtin_rintf((float)bits<__bf16>(x)));
}

//# cuda_bfloat162short_rz: to_integer bits
__device__ __forceinline__ short bfloat162short_rz(__hip_bfloat16 x) {
  return to_integer<short>(__builtin_truncf((float)bits<__bf16>(x)));
}

//# cuda_bfloat162short_rd: to_integer bits
__device__ __forceinline__ short bfloat162short_rd(__hip_bfloat16 x) {
  return to_integer<short>(__builtin_floorf((float)bits<__bf16>(x)));
}

//# cuda_bfloat162short_ru: to_integer bits
__device__ __forceinline__ short bfloat162short_ru(__hip_bfloat16 x) {
  return to_integer<short>(__builtin_ceilf((float)bits<__bf16>(x)));
}

//# cuda_ushort2bfloat16_rn: bits
__device__ __forceinline__ __hip_bfloat16 ushort2bfloat16_rn(unsigned short x) {
  return bits<__hip_bfloat16>((__bf16)x);
}

//# cuda_bfloat162ushort_rn: to_integer bits
__device__ __forceinline__ unsigned short bfloat162ushort_rn(__hip_bfloat16 x) {
  return to_integer<unsigned short>(__builtin_rintf((float)bits<__bf16>(x)));
}

//# cuda_bfloat162ushort_rz: to_integer bits
__device__ __forceinline__ unsigned short bfloat162ushort_rz(__hip_bfloat16 x) {
  return to_integer<unsigned short>(__builtin_truncf((float)bits<__bf16>(x)));
}

//# cuda_bfloat162ushort_rd: to_integer bits
__device__ __forceinline__ unsigned short bfloat162ushort_rd(__hip_bfloat16 x) {
  return to_integer<unsigned short>(__builtin_floorf((float)bits<__bf16>(x)));
}

//# cuda_bfloat162ushort_ru: to_integer bits
__device__ __forceinline__ unsigned short bfloat162ushort_ru(__hip_bfloat16 x) {
  return to_integer<unsigned short>(__builtin_ceilf((float)bits<__bf16>(x)));
}

//# cuda_ll2bfloat16_rn: bits
__device__ __forceinline__ __hip_bfloat16 ll2bfloat16_rn(long long x) {
  return bits<__hip_bfloat16>((__bf16)x);
}

//# cuda_bfloat162ll_rn: to_integer bits
__device__ __forceinline__ long long bfloat162ll_rn(__hip_bfloat16 x) {
  return to_integer<long long>(__builtin_rintf((float)bits<__bf16>(x)));
}

//# cuda_bfloat162ll_rz: to_integer bits
__device__ __forceinline__ long long bfloat162ll_rz(__hip_bfloat16 x) {
  return to_integer<long long>(__builtin_truncf((float)bits<__bf16>(x)));
}

//# cuda_bfloat162ll_rd: to_integer bits
__device__ __forceinline__ long long bfloat162ll_rd(__hip_bfloat16 x) {
  return to_integer<long long>(__builtin_floorf((float)bits<__bf16>(x)));
}

//# cuda_bfloat162ll_ru: to_integer bits
__device__ __forceinline__ long long bfloat162ll_ru(__hip_bfloat16 x) {
  return to_integer<long long>(__builtin_ceilf((float)bits<__bf16>(x)));
}

//# cuda_ull2bfloat16_rn: bits
__device__ __forceinline__ __hip_bfloat16 ull2bfloat16_rn(unsigned long long x) {
  return bits<__hip_bfloat16>((__bf16)x);
}

//# cuda_bfloat162ull_rn: to_integer bits
__device__ __forceinline__ unsigned long long bfloat162ull_rn(__hip_bfloat16 x) {
  return to_integer<unsigned long long>(__builtin_rintf((float)bits<__bf16>(x)));
}

//# cuda_bfloat162ull_rz: to_integer bits
__device__ __forceinline__ unsigned long long bfloat162ull_rz(__hip_bfloat16 x) {
  return to_integer<unsigned long long>(__builtin_truncf((float)bits<__bf16>(x)));
}

//# cuda_bfloat162ull_rd: to_integer bits
__device__ __forceinline__ unsigned long long bfloat162ull_rd(__hip_bfloat16 x) {
  return to_integer<unsigned long long>(__builtin_floorf((float)bits<__bf16>(x)));
}

//# cuda_bfloat162ull_ru: to_integer bits
__device__ __forceinline__ unsigned long long bfloat162ull_ru(__hip_bfloat16 x) {
  return to_integer<unsigned long long>(__builtin_ceilf((float)bits<__bf16>(x)));
}

//# cuda_fadd_rz: directed_float
__device__ __forceinline__ float fadd_rz(float a, float b) { return add_directed<toward_zero>(a, b); }

//# cuda_fsub_rz: directed_float
__device__ __forceinline__ float fsub_rz(float a, float b) { return sub_directed<toward_zero>(a, b); }

//# cuda_fmul_rz: directed_float
__device__ __forceinline__ float fmul_rz(float a, float b) { return mul_directed<toward_zero>(a, b); }

//# cuda_fdiv_rz: directed_float
__device__ __forceinline__ float fdiv_rz(float a, float b) { return div_directed<toward_zero>(a, b); }

//# cuda_fmaf_rz: directed_float
__device__ __forceinline__ float fmaf_rz(float a, float b, float c) { return fma_directed<toward_zero>(a, b, c); }

//# cuda_frcp_rz: directed_float
__device__ __forceinline__ float frcp_rz(float a) { return div_directed<toward_zero>(1.0f, a); }

//# cuda_fsqrt_rz: directed_float
__device__ __forceinline__ float fsqrt_rz(float a) { return sqrt_directed<toward_zero>(a); }

//# cuda_fadd_rd: directed_float
__device__ __forceinline__ float fadd_rd(float a, float b) { return add_directed<down>(a, b); }

//# cuda_fsub_rd: directed_float
__device__ __forceinline__ float fsub_rd(float a, float b) { return sub_directed<down>(a, b); }

//# cuda_fmul_rd: directed_float
__device__ __forceinline__ float fmul_rd(float a, float b) { return mul_directed<down>(a, b); }

//# cuda_fdiv_rd: directed_float
__device__ __forceinline__ float fdiv_rd(float a, float b) { return div_directed<down>(a, b); }

//# cuda_fmaf_rd: directed_float
__device__ __forceinline__ float fmaf_rd(float a, float b, float c) { return fma_directed<down>(a, b, c); }

//# cuda_frcp_rd: directed_float
__device__ __forceinline__ float frcp_rd(float a) { return div_directed<down>(1.0f, a); }

//# cuda_fsqrt_rd: directed_float
__device__ __forceinline__ float fsqrt_rd(float a) { return sqrt_directed<down>(a); }

//# cuda_fadd_ru: directed_float
__device__ __forceinline__ float fadd_ru(float a, float b) { return add_directed<up>(a, b); }

//# cuda_fsub_ru: directed_float
__device__ __forceinline__ float fsub_ru(float a, float b) { return sub_directed<up>(a, b); }

//# cuda_fmul_ru: directed_float
__device__ __forceinline__ float fmul_ru(float a, float b) { return mul_directed<up>(a, b); }

//# cuda_fdiv_ru: directed_float
__device__ __forceinline__ float fdiv_ru(float a, float b) { return div_directed<up>(a, b); }

//# cuda_fmaf_ru: directed_float
__device__ __forceinline__ float fmaf_ru(float a, float b, float c) { return fma_directed<up>(a, b, c); }

//# cuda_frcp_ru: directed_float
__device__ __forceinline__ float frcp_ru(float a) { return div_directed<up>(1.0f, a); }

//# cuda_fsqrt_ru: directed_float
__device__ __forceinline__ float fsqrt_ru(float a) { return sqrt_directed<up>(a); }

//# cuda_fadd_rn: add_rn
__device__ __forceinline__ float fadd_rn(float a, float b) { return add_rn(a, b); }

//# cuda_fsub_rn: sub_rn
__device__ __forceinline__ float fsub_rn(float a, float b) { return sub_rn(a, b); }

//# cuda_fmul_rn: mul_rn
__device__ __forceinline__ float fmul_rn(float a, float b) { return mul_rn(a, b); }

//# cuda_dadd_rn: add_rn
__device__ __forceinline__ double dadd_rn(double a, double b) { return add_rn(a, b); }

//# cuda_dsub_rn: sub_rn
__device__ __forceinline__ double dsub_rn(double a, double b) { return sub_rn(a, b); }

//# cuda_dmul_rn: mul_rn
__device__ __forceinline__ double dmul_rn(double a, double b) { return mul_rn(a, b); }

//# cuda_fsqrt_rn:
// Rounded to nearest; HIP takes the native root.
__device__ __forceinline__ float fsqrt_rn(float a) { return __builtin_sqrtf(a); }

//# cuda_frsqrt_rn:
// Rounded to nearest; HIP takes the native one.
__device__ __forceinline__ float frsqrt_rn(float a) {
  return (float)(1.0 / __builtin_sqrt((double)a));
}

//# cuda_viaddmax_s32:
__host__ __device__ __forceinline__ int viaddmax_s32(int a, int b, int c) {
  const int sum = (int)((unsigned)a + b);
  return sum > c ? sum : c;
}

//# cuda_vimax3_s32:
__host__ __device__ __forceinline__ int vimax3_s32(int a, int b, int c) {
  return __builtin_elementwise_max(__builtin_elementwise_max(a, b), c);
}

//# cuda_vibmax_s32:
__host__ __device__ __forceinline__ int vibmax_s32(int a, int b, bool *first) {
  *first = a >= b;
  return *first ? a : b;
}

//# cuda_viaddmax_u32:
__host__ __device__ __forceinline__ unsigned viaddmax_u32(unsigned a, unsigned b, unsigned c) {
  const unsigned sum = a + b;
  return sum > c ? sum : c;
}

//# cuda_vimax3_u32:
__host__ __device__ __forceinline__ unsigned vimax3_u32(unsigned a, unsigned b, unsigned c) {
  return __builtin_elementwise_max(__builtin_elementwise_max(a, b), c);
}

//# cuda_vibmax_u32:
__host__ __device__ __forceinline__ unsigned vibmax_u32(unsigned a, unsigned b, bool *first) {
  *first = a >= b;
  return *first ? a : b;
}

//# cuda_viaddmax_s32_relu: cuda_viaddmax_s32
__host__ __device__ __forceinline__ int viaddmax_s32_relu(int a, int b, int c) {
  const int x = viaddmax_s32(a, b, c);
  return x > 0 ? x : 0;
}

//# cuda_vimax3_s32_relu: cuda_vimax3_s32
__host__ __device__ __forceinline__ int vimax3_s32_relu(int a, int b, int c) {
  const int x = vimax3_s32(a, b, c);
  return x > 0 ? x : 0;
}

//# cuda_vimax_s32_relu:
__host__ __device__ __forceinline__ int vimax_s32_relu(int a, int b) {
  return __builtin_elementwise_max(__builtin_elementwise_max(a, b), 0);
}

//# cuda_vimax3_s16x2: simd_words
__device__ __forceinline__ unsigned vimax3_s16x2(unsigned a, unsigned b, unsigned c) {
  const auto pick = [](int x, int y) { return x > y ? x : y; };
  return per_element<short2w, 2>(per_element<short2w, 2>(a, b, pick), c, pick);
}

//# cuda_viaddmax_s16x2: simd_words
__device__ __forceinline__ unsigned viaddmax_s16x2(unsigned a, unsigned b, unsigned c) {
  const unsigned sum = per_element<short2w, 2>(a, b, [](int x, int y) { return x + y; });
  return per_element<short2w, 2>(sum, c, [](int x, int y) { return x > y ? x : y; });
}

//# cuda_vibmax_s16x2: simd_words
__device__ __forceinline__ unsigned vibmax_s16x2(unsigned a, unsigned b, bool *high, bool *low) {
  const short2w x = bits<short2w>(a), y = bits<short2w>(b);
  *low = x[0] >= y[0];
  *high = x[1] >= y[1];
  return per_element<short2w, 2>(a, b, [](int x, int y) { return x > y ? x : y; });
}

//# cuda_vimax3_u16x2: simd_words
__device__ __forceinline__ unsigned vimax3_u16x2(unsigned a, unsigned b, unsigned c) {
  const auto pick = [](int x, int y) { return x > y ? x : y; };
  return per_element<ushort2w, 2>(per_element<ushort2w, 2>(a, b, pick), c, pick);
}

//# cuda_viaddmax_u16x2: simd_words
__device__ __forceinline__ unsigned viaddmax_u16x2(unsigned a, unsigned b, unsigned c) {
  const unsigned sum = per_element<ushort2w, 2>(a, b, [](int x, int y) { return x + y; });
  return per_element<ushort2w, 2>(sum, c, [](int x, int y) { return x > y ? x : y; });
}

//# cuda_vibmax_u16x2: simd_words
__device__ __forceinline__ unsigned vibmax_u16x2(unsigned a, unsigned b, bool *high, bool *low) {
  const ushort2w x = bits<ushort2w>(a), y = bits<ushort2w>(b);
  *low = x[0] >= y[0];
  *high = x[1] >= y[1];
  return per_element<ushort2w, 2>(a, b, [](int x, int y) { return x > y ? x : y; });
}

//# cuda_vimax3_s16x2_relu: cuda_vimax3_s16x2
__device__ __forceinline__ unsigned vimax3_s16x2_relu(unsigned a, unsigned b, unsigned c) {
  return per_element<short2w, 2>(vimax3_s16x2(a, b, c), 0, [](int x, int) { return x > 0 ? x : 0; });
}

//# cuda_viaddmax_s16x2_relu: cuda_viaddmax_s16x2
__device__ __forceinline__ unsigned viaddmax_s16x2_relu(unsigned a, unsigned b, unsigned c) {
  return per_element<short2w, 2>(viaddmax_s16x2(a, b, c), 0, [](int x, int) { return x > 0 ? x : 0; });
}

//# cuda_vimax_s16x2_relu: simd_words
__device__ __forceinline__ unsigned vimax_s16x2_relu(unsigned a, unsigned b) {
  return per_element<short2w, 2>(per_element<short2w, 2>(a, b, [](int x, int y) { return x > y ? x : y; }), 0, [](int x, int) { return x > 0 ? x : 0; });
}

//# cuda_viaddmin_s32:
__host__ __device__ __forceinline__ int viaddmin_s32(int a, int b, int c) {
  const int sum = (int)((unsigned)a + b);
  return sum < c ? sum : c;
}

//# cuda_vimin3_s32:
__host__ __device__ __forceinline__ int vimin3_s32(int a, int b, int c) {
  return __builtin_elementwise_min(__builtin_elementwise_min(a, b), c);
}

//# cuda_vibmin_s32:
__host__ __device__ __forceinline__ int vibmin_s32(int a, int b, bool *first) {
  *first = a <= b;
  return *first ? a : b;
}

//# cuda_viaddmin_u32:
__host__ __device__ __forceinline__ unsigned viaddmin_u32(unsigned a, unsigned b, unsigned c) {
  const unsigned sum = a + b;
  return sum < c ? sum : c;
}

//# cuda_vimin3_u32:
__host__ __device__ __forceinline__ unsigned vimin3_u32(unsigned a, unsigned b, unsigned c) {
  return __builtin_elementwise_min(__builtin_elementwise_min(a, b), c);
}

//# cuda_vibmin_u32:
__host__ __device__ __forceinline__ unsigned vibmin_u32(unsigned a, unsigned b, bool *first) {
  *first = a <= b;
  return *first ? a : b;
}

//# cuda_viaddmin_s32_relu: cuda_viaddmin_s32
__host__ __device__ __forceinline__ int viaddmin_s32_relu(int a, int b, int c) {
  const int x = viaddmin_s32(a, b, c);
  return x > 0 ? x : 0;
}

//# cuda_vimin3_s32_relu: cuda_vimin3_s32
__host__ __device__ __forceinline__ int vimin3_s32_relu(int a, int b, int c) {
  const int x = vimin3_s32(a, b, c);
  return x > 0 ? x : 0;
}

//# cuda_vimin_s32_relu:
__host__ __device__ __forceinline__ int vimin_s32_relu(int a, int b) {
  return __builtin_elementwise_max(__builtin_elementwise_min(a, b), 0);
}

//# cuda_vimin3_s16x2: simd_words
__device__ __forceinline__ unsigned vimin3_s16x2(unsigned a, unsigned b, unsigned c) {
  const auto pick = [](int x, int y) { return x < y ? x : y; };
  return per_element<short2w, 2>(per_element<short2w, 2>(a, b, pick), c, pick);
}

//# cuda_viaddmin_s16x2: simd_words
__device__ __forceinline__ unsigned viaddmin_s16x2(unsigned a, unsigned b, unsigned c) {
  const unsigned sum = per_element<short2w, 2>(a, b, [](int x, int y) { return x + y; });
  return per_element<short2w, 2>(sum, c, [](int x, int y) { return x < y ? x : y; });
}

//# cuda_vibmin_s16x2: simd_words
__device__ __forceinline__ unsigned vibmin_s16x2(unsigned a, unsigned b, bool *high, bool *low) {
  const short2w x = bits<short2w>(a), y = bits<short2w>(b);
  *low = x[0] <= y[0];
  *high = x[1] <= y[1];
  return per_element<short2w, 2>(a, b, [](int x, int y) { return x < y ? x : y; });
}

//# cuda_vimin3_u16x2: simd_words
__device__ __forceinline__ unsigned vimin3_u16x2(unsigned a, unsigned b, unsigned c) {
  const auto pick = [](int x, int y) { return x < y ? x : y; };
  return per_element<ushort2w, 2>(per_element<ushort2w, 2>(a, b, pick), c, pick);
}

//# cuda_viaddmin_u16x2: simd_words
__device__ __forceinline__ unsigned viaddmin_u16x2(unsigned a, unsigned b, unsigned c) {
  const unsigned sum = per_element<ushort2w, 2>(a, b, [](int x, int y) { return x + y; });
  return per_element<ushort2w, 2>(sum, c, [](int x, int y) { return x < y ? x : y; });
}

//# cuda_vibmin_u16x2: simd_words
__device__ __forceinline__ unsigned vibmin_u16x2(unsigned a, unsigned b, bool *high, bool *low) {
  const ushort2w x = bits<ushort2w>(a), y = bits<ushort2w>(b);
  *low = x[0] <= y[0];
  *high = x[1] <= y[1];
  return per_element<ushort2w, 2>(a, b, [](int x, int y) { return x < y ? x : y; });
}

//# cuda_vimin3_s16x2_relu: cuda_vimin3_s16x2
__device__ __forceinline__ unsigned vimin3_s16x2_relu(unsigned a, unsigned b, unsigned c) {
  return per_element<short2w, 2>(vimin3_s16x2(a, b, c), 0, [](int x, int) { return x > 0 ? x : 0; });
}

//# cuda_viaddmin_s16x2_relu: cuda_viaddmin_s16x2
__device__ __forceinline__ unsigned viaddmin_s16x2_relu(unsigned a, unsigned b, unsigned c) {
  return per_element<short2w, 2>(viaddmin_s16x2(a, b, c), 0, [](int x, int) { return x > 0 ? x : 0; });
}

//# cuda_vimin_s16x2_relu: simd_words
__device__ __forceinline__ unsigned vimin_s16x2_relu(unsigned a, unsigned b) {
  return per_element<short2w, 2>(per_element<short2w, 2>(a, b, [](int x, int y) { return x < y ? x : y; }), 0, [](int x, int) { return x > 0 ? x : 0; });
}

//# cuda_vcmpleu2: simd_words
__device__ __forceinline__ unsigned vcmpleu2(unsigned a, unsigned b) {
  return per_element<ushort2w, 2>(a, b, [](int x, int y) { return x <= y ? -1 : 0; });
}

//# cuda_vsetgtu2: simd_words
__device__ __forceinline__ unsigned vsetgtu2(unsigned a, unsigned b) {
  return per_element<ushort2w, 2>(a, b, [](int x, int y) { return x > y ? 1 : 0; });
}

//# cuda_htanh:
// In float.
template <class T> __device__ __forceinline__ T htanh(T x) { return T(tanhf((float)x)); }

//# cuda_htanh_approx: tanh_approx
template <class T> __device__ __forceinline__ T htanh_approx(T x) {
  return T(tanh_approx((float)x));
}

//# cuda_h2tanh: cuda_htanh
template <class T> __device__ __forceinline__ T h2tanh(T x) {
  return T(htanh(x.x), htanh(x.y));
}

//# cuda_h2tanh_approx: cuda_htanh_approx
template <class T> __device__ __forceinline__ T h2tanh_approx(T x) {
  return T(htanh_approx(x.x), htanh_approx(x.y));
}

//# atomic_call:
// Of any other type the function is HIP's.
template <class T, class V> __device__ __forceinline__ T atomicAdd(T *p, V x) {
  return ::atomicAdd(p, (T)x);
}
template <class T, class V, class W> __device__ __forceinline__ T atomicCAS(T *p, V expected, W x) {
  return ::atomicCAS(p, (T)expected, (T)x);
}

//# atomic_call_half: atomic_call atomic_add_16 bits
__device__ __forceinline__ __half atomicAdd(__half *p, __half x) {
  return bits<__half>(atomic_add_16<_Float16, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT>(
      (unsigned *)p, bits<unsigned short>(x)));
}

//# atomic_call_bfloat16: atomic_call atomic_add_16 bits
__device__ __forceinline__ __hip_bfloat16 atomicAdd(__hip_bfloat16 *p, __hip_bfloat16 x) {
  return bits<__hip_bfloat16>(atomic_add_16<__bf16, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT>(
      (unsigned *)p, bits<unsigned short>(x)));
}

//# atomic_call_half2: atomic_call atomic_add_pair bits half2
__device__ __forceinline__ __half2 atomicAdd(__half2 *p, __half2 x) {
  return bits<__half2>(atomic_add_pair<half2, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT>(
      (unsigned *)p, bits<unsigned>(x)));
}

//# atomic_call_bfloat162: atomic_call atomic_add_pair bits bfloat2
__device__ __forceinline__ __hip_bfloat162 atomicAdd(__hip_bfloat162 *p, __hip_bfloat162 x) {
  return bits<__hip_bfloat162>(
      atomic_add_pair<bfloat2, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT>((unsigned *)p,
                                                                           bits<unsigned>(x)));
}

//# atomic_call_float2: atomic_call
// Element by element, as in CUDA.
__device__ __forceinline__ float2 atomicAdd(float2 *p, float2 x) {
  return float2{::atomicAdd(&p->x, x.x), ::atomicAdd(&p->y, x.y)};
}

//# atomic_call_float4: atomic_call
// Element by element, as in CUDA.
__device__ __forceinline__ float4 atomicAdd(float4 *p, float4 x) {
  return float4{::atomicAdd(&p->x, x.x), ::atomicAdd(&p->y, x.y), ::atomicAdd(&p->z, x.z),
                ::atomicAdd(&p->w, x.w)};
}

//# atomic_call_ushort: atomic_call atomic_cas_16
__device__ __forceinline__ unsigned short atomicCAS(unsigned short *p, unsigned short expected,
                                                    unsigned short x) {
  return atomic_cas_16<__ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT>((unsigned *)p, expected, x);
}

//# half_masks:
// All bits of each half in which f of the two numbers holds.
template <class H, class F> __device__ __forceinline__ unsigned half_mask(H a, H b, F f) {
  return (f(__low2float(a), __low2float(b)) ? 0xffffu : 0u) |
         (f(__high2float(a), __high2float(b)) ? 0xffff0000u : 0u);
}

//# cuda_heq2_mask: half_masks
template <class H> __device__ __forceinline__ unsigned heq2_mask(H a, H b) {
  return half_mask(a, b, [](float x, float y) { return x == y; });
}

//# cuda_hne2_mask: half_masks
template <class H> __device__ __forceinline__ unsigned hne2_mask(H a, H b) {
  return half_mask(a, b, [](float x, float y) { return x < y || x > y; });
}

//# cuda_hle2_mask: half_masks
template <class H> __device__ __forceinline__ unsigned hle2_mask(H a, H b) {
  return half_mask(a, b, [](float x, float y) { return x <= y; });
}

//# cuda_hge2_mask: half_masks
template <class H> __device__ __forceinline__ unsigned hge2_mask(H a, H b) {
  return half_mask(a, b, [](float x, float y) { return x >= y; });
}

//# cuda_hlt2_mask: half_masks
template <class H> __device__ __forceinline__ unsigned hlt2_mask(H a, H b) {
  return half_mask(a, b, [](float x, float y) { return x < y; });
}

//# cuda_hgt2_mask: half_masks
template <class H> __device__ __forceinline__ unsigned hgt2_mask(H a, H b) {
  return half_mask(a, b, [](float x, float y) { return x > y; });
}

//# cuda_hequ2_mask: half_masks
template <class H> __device__ __forceinline__ unsigned hequ2_mask(H a, H b) {
  return half_mask(a, b, [](float x, float y) { return !(x < y || x > y); });
}

//# cuda_hneu2_mask: half_masks
template <class H> __device__ __forceinline__ unsigned hneu2_mask(H a, H b) {
  return half_mask(a, b, [](float x, float y) { return !(x == y); });
}

//# cuda_hleu2_mask: half_masks
template <class H> __device__ __forceinline__ unsigned hleu2_mask(H a, H b) {
  return half_mask(a, b, [](float x, float y) { return !(x > y); });
}

//# cuda_hgeu2_mask: half_masks
template <class H> __device__ __forceinline__ unsigned hgeu2_mask(H a, H b) {
  return half_mask(a, b, [](float x, float y) { return !(x < y); });
}

//# cuda_hltu2_mask: half_masks
template <class H> __device__ __forceinline__ unsigned hltu2_mask(H a, H b) {
  return half_mask(a, b, [](float x, float y) { return !(x >= y); });
}

//# cuda_hgtu2_mask: half_masks
template <class H> __device__ __forceinline__ unsigned hgtu2_mask(H a, H b) {
  return half_mask(a, b, [](float x, float y) { return !(x <= y); });
}

//# cuda_hfma_relu:
template <class H> __device__ __forceinline__ H hfma_relu(H a, H b, H c) {
  const H sum = __hfma(a, b, c), zero = H(0.0f);
  return __hlt(sum, zero) ? zero : sum;
}

//# cuda_atomicAdd_block:
// As seen by the block alone.
template <class T, class V> __device__ __forceinline__ T atomicAdd_block(T *p, V x) {
  return __hip_atomic_fetch_add(p, (T)x, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_WORKGROUP);
}

//# cuda_atomicSub_block:
template <class T, class V> __device__ __forceinline__ T atomicSub_block(T *p, V x) {
  return __hip_atomic_fetch_sub(p, (T)x, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_WORKGROUP);
}

//# cuda_atomicMin_block:
template <class T, class V> __device__ __forceinline__ T atomicMin_block(T *p, V x) {
  return __hip_atomic_fetch_min(p, (T)x, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_WORKGROUP);
}

//# cuda_atomicMax_block:
template <class T, class V> __device__ __forceinline__ T atomicMax_block(T *p, V x) {
  return __hip_atomic_fetch_max(p, (T)x, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_WORKGROUP);
}

//# cuda_atomicAnd_block:
template <class T, class V> __device__ __forceinline__ T atomicAnd_block(T *p, V x) {
  return __hip_atomic_fetch_and(p, (T)x, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_WORKGROUP);
}

//# cuda_atomicOr_block:
template <class T, class V> __device__ __forceinline__ T atomicOr_block(T *p, V x) {
  return __hip_atomic_fetch_or(p, (T)x, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_WORKGROUP);
}

//# cuda_atomicXor_block:
template <class T, class V> __device__ __forceinline__ T atomicXor_block(T *p, V x) {
  return __hip_atomic_fetch_xor(p, (T)x, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_WORKGROUP);
}

//# cuda_atomicExch_block:
template <class T, class V> __device__ __forceinline__ T atomicExch_block(T *p, V x) {
  return __hip_atomic_exchange(p, (T)x, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_WORKGROUP);
}

//# cuda_atomicCAS_block: atomic_cas
template <class T, class V, class W>
__device__ __forceinline__ T atomicCAS_block(T *p, V expected, W x) {
  return atomic_cas<__ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_WORKGROUP>(p, (T)expected, (T)x);
}

//# cuda_atomicInc_block: atomic_inc_dec
__device__ __forceinline__ unsigned atomicInc_block(unsigned *p, unsigned most) {
  return atomic_inc<__ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_WORKGROUP>(p, most);
}

//# cuda_atomicDec_block: atomic_inc_dec
__device__ __forceinline__ unsigned atomicDec_block(unsigned *p, unsigned most) {
  return atomic_dec<__ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_WORKGROUP>(p, most);
}
