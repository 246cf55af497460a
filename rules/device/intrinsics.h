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
