// From source text to indices: each test is a kernel with probes.
#include "Probe.h"

using namespace layout_port;
using namespace layout_port::recover;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

// A kernel of 128 threads in one dimension.
std::string kernel(const std::string &body, const std::string &before = "") {
  return before +
         "\n__global__ void __launch_bounds__(128) k(const float *A, float *C, int N, int K) {\n" +
         body + "\n}\n";
}

} // namespace

// ---- Threads -------------------------------------------------------------------

TEST(Threads, AllSpellingsOfLaneAndWarp) {
  Kernel k(kernel(R"(
    const int tid = threadIdx.x;
    probe("a", tid & 31);        probe("b", tid % 32);
    probe("c", threadIdx.x & 0x1f); probe("d", threadIdx.x % warpSize);
    unsigned l; asm("mov.u32 %0, %%laneid;" : "=r"(l)); probe("e", l);
    probe("f", tid >> 5);        probe("g", threadIdx.x / 32);
    probe("h", tid - tid / 32 * 32);
  )"));
  for (const char *name : {"a", "b", "c", "d", "e"})
    EXPECT_EQ(k.text(name), "lane") << name;
  for (const char *name : {"f", "g"})
    EXPECT_EQ(k.text(name), "h + wave * 2") << name;
  EXPECT_EQ(k.sum("h"), "lane");
}

TEST(Threads, BlocksOfTwoDimensions) {
  Kernel k(R"(
    __global__ void k(int *C) {
      int lane = threadIdx.x, warp = threadIdx.y;
      probe("lane", lane); probe("warp", warp); probe("linear", threadIdx.y * blockDim.x + threadIdx.x);
    }
    void host(int *C) { k<<<4, dim3(32, 4)>>>(C); })");
  EXPECT_EQ(k.text("lane"), "lane");
  EXPECT_EQ(k.text("warp"), "h + wave * 2");
  EXPECT_EQ(k.walk->block().threads(), 128u);
  EXPECT_THAT(k.walk->block().notes, ElementsAre("block (32, 4, 1) from the launch at line 6"));
  for (unsigned t : {0u, 37u, 127u})
    EXPECT_EQ(k.value("linear", t), t);
}

TEST(Threads, WideBlocksOfTwoDimensions) {
  Kernel k(R"(
    __global__ void k(int *C) { probe("x", threadIdx.x); probe("y", threadIdx.y); }
    void host(int *C) { k<<<4, dim3(16, 16)>>>(C); })");
  EXPECT_EQ(k.value("x", 77), 13u);
  EXPECT_EQ(k.value("y", 77), 4u);
}

TEST(Threads, WhatIsAssumedIsSaid) {
  Kernel flat("__global__ void k(int *C) { probe(\"x\", threadIdx.x); }");
  EXPECT_THAT(flat.walk->block().notes, ElementsAre("assumed: blocks of one dimension"));
  Kernel two("__global__ void k(int *C) { probe(\"x\", threadIdx.x); probe(\"y\", threadIdx.y); }");
  EXPECT_THAT(two.walk->block().notes, ElementsAre("assumed: blocks of (32, W) threads"));
  EXPECT_EQ(two.text("x"), "lane");
}

// ---- Expressions -----------------------------------------------------------------

TEST(Expressions, PrecedenceIsClangs) {
  Kernel k(kernel(R"(
    int lane = threadIdx.x % 32, row = lane >> 2, c = lane & 3;
    probe("a", row * 4 + lane % 4 ^ row);
    probe("b", c ^ row / 2 & 3);
    probe("c", (c + row / 2) % 4);
  )"));
  for (unsigned t = 0; t < 32; ++t) {
    const unsigned row = t >> 2, c = t & 3;
    EXPECT_EQ(k.value("a", t), (row * 4 + t % 4) ^ row);
    EXPECT_EQ(k.value("b", t), c ^ (row / 2 & 3));
    EXPECT_EQ(k.value("c", t), (c + row / 2) % 4);
  }
  EXPECT_EQ(k.form("a").kind, FormKind::AffineF2);
  EXPECT_EQ(k.form("c").kind, FormKind::Piecewise);
}

TEST(Expressions, ConversionsAreCpps) {
  Kernel k(kernel(R"(
    int lane = threadIdx.x & 31;
    probe("a", (unsigned char)(lane * 16));
    short s = lane * 3000; probe("b", (int)s);
    probe("c", (unsigned)lane - 5u > 3u);   probe("d", (int)lane - 5 > 3);
    probe("e", (size_t)(lane - 1));         probe("f", (long long)((unsigned)lane - 1));
    bool odd = lane & 1; probe("g", odd + 1);
  )"));
  EXPECT_EQ(k.value("a", 17), 16u);
  EXPECT_EQ(int64_t(k.value("b", 11)), int16_t(33000));
  EXPECT_EQ(k.value("c", 2), 1u);
  EXPECT_EQ(k.value("d", 2), 0u);
  EXPECT_EQ(k.value("e", 0), ~uint64_t(0));
  EXPECT_EQ(k.value("f", 0), 0xFFFFFFFFu);
  EXPECT_EQ(k.value("g", 3), 2u);
}

TEST(Expressions, ConstantsOfAllKinds) {
  Kernel k(kernel(R"(
    constexpr int half = BM / 2;
    probe("a", half + Tile<64>::rows + kTable[2] + sizeof(double) + E2 + (int)'a');
    probe("b", kTable[threadIdx.x & 3]);
    probe("c", if_constexpr<true>());
  )",
                  R"(
    #define BM 64
    enum { E1, E2 = 7 };
    constexpr int kTable[4] = {3, 1, 4, 1};
    template <int N> struct Tile { static constexpr int rows = N / 4; };
    template <bool b> __device__ int if_constexpr() { if constexpr (b) return 5; else return 6; }
  )"));
  EXPECT_EQ(k.text("a"), std::to_string(32 + 16 + 4 + 8 + 7 + 'a'));
  EXPECT_EQ(k.value("b", 2), 4u);
  EXPECT_EQ(k.value("b", 3), 1u);
  EXPECT_EQ(k.text("c"), "5");
}

TEST(Expressions, EachInstantiationHasItsOwn) {
  Kernel k(R"(
    template <int BK, typename T> __global__ void k(T *C) {
      __shared__ T s[64][BK];
      probe("a", smem(&s[threadIdx.x & 15][0]) - smem(s));
    }
    template __global__ void k<32, float>(float *);
    template __global__ void k<40, unsigned short>(unsigned short *);)");
  ASSERT_EQ(k.kernels.size(), 2u);
  EXPECT_EQ(k.value("a", 3), 3u * 32 * 4);
  k.start(k.kernels[1]);
  EXPECT_EQ(k.value("a", 3), 3u * 40 * 2);
}

// ---- Variables and branches --------------------------------------------------------

TEST(Variables, AssignedUnderABranch) {
  Kernel k(kernel(R"(
    int lane = threadIdx.x & 31, i = lane & 7;
    if (lane > 15) i += 8;
    probe("i", i);
    int j;
    if (lane < 8) j = lane; else { j = 2; j *= lane; }
    probe("j", j);
    int u = 1;
    if (N > 5) u = K;
    probe("u", u);
  )"));
  const Form form = k.form("i");
  ASSERT_EQ(form.kind, FormKind::AffineF2);
  EXPECT_THAT(form.number.affine->linear.columns(), ElementsAre(1, 2, 4, 0, 8));
  EXPECT_EQ(k.value("j", 5), 5u);
  EXPECT_EQ(k.value("j", 9), 18u);
  EXPECT_EQ(k.value("u", 0, {{"N", 6}, {"K", 77}}), 77u);
  EXPECT_EQ(k.value("u", 0, {{"N", 5}, {"K", 77}}), 1u);
  EXPECT_EQ(k.uniform("u"), Uniformity::Uniform);
}

TEST(Variables, ReferencesPointersAndStructs) {
  Kernel k(kernel(R"(
    int lane = threadIdx.x & 31;
    int a[3] = {lane, 5};
    int &r = a[2];
    r = a[0] * a[1];
    probe("r", a[2]);
    int *p = a; p += 2; *p += 1;
    probe("p", a[2]);
    Pair q{lane, 4}; q.y += q.x; Pair copy = q; q.x = 0;
    probe("y", copy.y); probe("x", copy.x);
    change(q.x, lane); probe("changed", q.x);
    probe("method", q.sum());
    auto [first, second] = copy; probe("bound", first + second);
  )",
                  R"(
    struct Pair { int x, y; __device__ int sum() const { return x + y; } };
    __device__ void change(int &x, int by) { x += by * 3; }
  )"));
  EXPECT_EQ(k.sum("r"), "lane * 5");
  EXPECT_EQ(k.sum("p"), "lane * 5 + 1");
  EXPECT_EQ(k.sum("y"), "lane + 4");
  EXPECT_EQ(k.sum("x"), "lane");
  EXPECT_EQ(k.sum("changed"), "lane * 3");
  EXPECT_EQ(k.sum("method"), "lane * 4 + 4");
}

TEST(Variables, FunctionsAndLambdas) {
  Kernel k(kernel(R"(
    int lane = threadIdx.x & 31, stage = 0;
    auto at = [&](int r, int c) { return swizzle(r, c) + stage * 512; };
    stage = 1;
    auto copied = [=](int r) { return r + stage; };
    stage = 2;
    probe("a", at(lane & 15, (lane >> 4) * 8));
    probe("b", copied(lane));
    probe("early", early(lane));
    probe("out", twice([&](int x) { return x * lane; }));
  )",
                  R"(
    __device__ int swizzle(int r, int c) { return r * 32 + ((((c >> 3) ^ (r >> 1)) & 3) << 3) + (c & 7); }
    __device__ int early(int x) { if (x < 4) return 7; if (x < 9) return x; return 2 * x; }
    template <class F> __device__ int twice(F f) { return f(1) + f(2); }
  )"));
  for (unsigned t = 0; t < 32; ++t) {
    const unsigned r = t & 15, c = (t >> 4) * 8;
    EXPECT_EQ(k.value("a", t), r * 32 + ((((c >> 3) ^ (r >> 1)) & 3) << 3) + (c & 7) + 1024);
    EXPECT_EQ(k.value("b", t), t + 1);
    EXPECT_EQ(k.value("early", t), t < 4 ? 7 : t < 9 ? t : 2 * t);
    EXPECT_EQ(k.value("out", t), 3 * t);
  }
  EXPECT_EQ(k.form("a").kind, FormKind::AffineF2);
}

TEST(Variables, ParametersThatAreAssigned) {
  Kernel k(kernel(R"(
    if (threadIdx.x == 5) N = 7;
    probe("n", N);
    for (int i = 0; i < 3; ++i) K += 2;
    probe("k", K);
    A += 4; probe("a", A);
  )"));
  EXPECT_EQ(k.value("n", 5, {{"N", 3}}), 7u);
  EXPECT_EQ(k.value("n", 6, {{"N", 3}}), 3u);
  EXPECT_EQ(k.sum("k"), "K + 6");
  EXPECT_EQ(k.sum("a"), "A + 16");
}

TEST(Variables, ASwitchOnAConstant) {
  Kernel k(kernel(R"(
    int x = 1;
    switch (MODE) { case 1: x = 2; break; case 3: x = threadIdx.x & 7; break; default: x = 9; }
    probe("x", x);
    int y = 1;
    int z = 3;
    switch (N) { case 1: y = 5; break; case 2: z = y; break; default: y = 6; }
    probe("y", y); probe("z", z);
  )",
                  "#define MODE 3"));
  EXPECT_EQ(k.value("x", 13), 5u);
  EXPECT_EQ(k.form("y").kind, FormKind::Unknown);
  EXPECT_EQ(k.form("z").kind, FormKind::Unknown);
}

// ---- Addresses -----------------------------------------------------------------------

TEST(Addresses, SharedBaseObjectsAreKept) {
  Kernel k(kernel(R"(
    __shared__ __align__(128) float tile[64][32];
    extern __shared__ float dynamic[];
    unsigned a = smem(&tile[threadIdx.x >> 1][(threadIdx.x & 1) * 16]);
    a ^= (threadIdx.x & 1) * 32;
    probe("a", a);
    const float *p = dynamic + 64; p += threadIdx.x;
    probe("p", p);
  )"));
  Index offset = nullptr;
  const auto *tile = static_cast<const Object *>(baseObject(k.graph(), k.at("a"), &offset));
  ASSERT_TRUE(tile);
  EXPECT_EQ(tile->name, "tile");
  EXPECT_EQ(tile->space, Space::Shared);
  EXPECT_EQ(tile->bytes, 64u * 32 * 4);
  EXPECT_TRUE(k.form("a").assumptions.empty());
  const auto *dynamic = static_cast<const Object *>(baseObject(k.graph(), k.at("p"), &offset));
  ASSERT_TRUE(dynamic);
  EXPECT_EQ(dynamic->name, "dynamic");
  EXPECT_EQ(k.graph().toString(offset), "lane * 4 + h * 128 + wave * 256 + 256");
}

TEST(Addresses, GlobalAccessesWithSymbolicStride) {
  Kernel k(kernel(R"(
    int row = blockIdx.y * 64 + (threadIdx.x >> 2), col = (threadIdx.x & 3) * 2;
    *(float2 *)&C[(size_t)row * N + col] = *(const float2 *)(A + row * K + col);
    C[row] = A[threadIdx.x];
  )"));
  ASSERT_EQ(k.seen.accesses.size(), 4u);
  EXPECT_EQ(k.seen.accesses[0].kind, AccessSite::Kind::Load);
  EXPECT_EQ(k.seen.accesses[0].bytes, 8u);
  EXPECT_EQ(k.seen.accesses[0].place.object->name, "A");
  EXPECT_EQ(k.seen.accesses[1].kind, AccessSite::Kind::Store);
  EXPECT_EQ(k.seen.accesses[1].place.object->name, "C");
  const Form form = classify(k.graph(), k.seen.accesses[1].place.offset);
  ASSERT_EQ(form.kind, FormKind::AffineF2) << form.reason;
  ASSERT_EQ(form.strided.size(), 1u);
  EXPECT_EQ(k.graph().toString(form.strided[0].stride), "N");
  EXPECT_EQ(k.seen.accesses[2].bytes, 4u);
  EXPECT_EQ(k.seen.accesses[3].line, 6u);
}

TEST(Addresses, AsmOperandsThroughWrappers) {
  Kernel k(kernel(R"(
    __shared__ __align__(16) unsigned short s[2][64 * 32];
    int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
    for (int kt = 0; kt < K / 32; ++kt) {
      unsigned frag[2][4];
      for (int i = 0; i < 2; i++)
        ldsm4(frag[i], smem(&s[kt & 1][((warp >> 1) * 32 + i * 16 + (lane & 15)) * 32 + (lane >> 4) * 8]));
    }
  )"));
  ASSERT_EQ(k.seen.asms.size(), 1u);
  const AsmSite &site = k.seen.asms[0];
  ASSERT_EQ(site.operands.size(), 5u);
  EXPECT_EQ(site.line, 9u);
  EXPECT_EQ(site.operands[2].place.object->name, "frag");
  EXPECT_EQ(k.graph().toString(site.operands[2].place.offset), "i * 16 + 8");
  const Index address = site.operands[4].value;
  EXPECT_FALSE(dependsOn(k.graph(), address, k.threads().pair));
  EXPECT_TRUE(dependsOn(k.graph(), address, k.threads().wave));
  const Form form = classify(k.graph(), address);
  ASSERT_EQ(form.kind, FormKind::AffineF2) << form.reason;
  EXPECT_EQ(k.graph().toString(form.uniform), "s + (kt & 1) * 4096");
  ASSERT_EQ(k.seen.controls[0].loops.size(), 2u);
  EXPECT_EQ(k.graph().variableAt(k.seen.controls[0].loops[0].variable).size, 0u);
  EXPECT_EQ(k.graph().variableAt(k.seen.controls[0].loops[1].variable).size, 2u);
  EXPECT_EQ(k.seen.controls[0].loops[0].trips, Uniformity::Uniform);
}

TEST(Addresses, CvtaInAsm) {
  Kernel k(kernel(R"(
    __shared__ float s[64];
    unsigned a;
    asm("{ .reg .u64 u; cvta.to.shared.u64 u, %1; cvt.u32.u64 %0, u; }" : "=r"(a) : "l"(s + (threadIdx.x & 3)));
    probe("a", a);
  )"));
  EXPECT_EQ(k.sum("a"), "s + (lane & 3) * 4");
}

// ---- What lanes see of each other ------------------------------------------------------

TEST(Shuffles, SourceLanes) {
  Kernel k(kernel(R"(
    float v = A[threadIdx.x];
    int lane = threadIdx.x & 31;
    v += __shfl_xor_sync(~0u, v, 2);
    v += __shfl_down_sync(~0u, v, 8);
    v += __shfl_up_sync(~0u, v, 1, 8);
    v += __shfl_sync(~0u, v, lane & ~3);
    v += __shfl_sync(~0u, v, 1, 4);
    C[0] = v;
    int warp = __shfl_sync(~0u, threadIdx.x / 32, 0);
    probe("warp", warp);
    probe("neighbour", __shfl_xor_sync(~0u, lane * 3, 1));
  )"));
  ASSERT_EQ(k.seen.shuffles.size(), 7u);
  const auto source = [&](int i, unsigned lane) {
    return k.graph().evaluate(k.seen.shuffles[i].source, {{{k.threads().lane, lane}}, {}});
  };
  for (unsigned lane = 0; lane < 32; ++lane) {
    EXPECT_EQ(source(0, lane), lane ^ 2);
    EXPECT_EQ(source(1, lane), lane + 8 < 32 ? lane + 8 : lane);
    EXPECT_EQ(source(2, lane), lane % 8 ? lane - 1 : lane);
    EXPECT_EQ(source(3, lane), lane & ~3u);
    EXPECT_EQ(source(4, lane), (lane & ~3u) | 1);
    EXPECT_EQ(k.value("neighbour", lane), (lane ^ 1) * 3);
  }
  EXPECT_EQ(k.uniform("warp"), Uniformity::WarpUniform);
  EXPECT_EQ(k.value("warp", 100), 3u);
}

// ---- Uniformity ------------------------------------------------------------------------

TEST(Control, ConditionsAndTheirUniformity) {
  Kernel k(kernel(R"(
    if (N > 3) probe("a", 1);
    if (threadIdx.x < 64) probe("b", 1);
    if (threadIdx.x / 32 == 0) probe("c", 1);
    if ((threadIdx.x & 31) == 0) probe("d", 1);
    if (A[0] > 0.f) probe("e", 1);
    if (A[threadIdx.x] > 0.f) probe("f", 1);
    if (__any_sync(~0u, A[threadIdx.x] > 0.f)) probe("g", 1);
    if (blockIdx.x * 64 + (threadIdx.x >> 5) * 16 < N) probe("h", 1);
  )"));
  std::vector<Uniformity> found;
  for (const BranchSite &b : k.seen.branches)
    found.push_back(b.uniformity);
  EXPECT_THAT(found,
              ElementsAre(Uniformity::Uniform, Uniformity::PairUniform, Uniformity::WarpUniform,
                          Uniformity::Divergent, Uniformity::Uniform, Uniformity::Divergent,
                          Uniformity::WarpUniform, Uniformity::WarpUniform));
}

TEST(Control, EarlyReturnsStayInForce) {
  Kernel k(kernel(R"(
    if (threadIdx.x >= N) return;
    __syncthreads();
    if (N == 7) { if (K == 3) return; }
    __syncthreads();
  )"));
  ASSERT_EQ(k.seen.barriers.size(), 2u);
  ASSERT_EQ(k.seen.barriers[0].conditions.size(), 1u);
  EXPECT_TRUE(k.seen.barriers[0].conditions[0].isExit);
  EXPECT_EQ(uniformity(k.graph(), k.seen.barriers[0].conditions[0].value, k.threads()),
            Uniformity::Divergent);
  ASSERT_EQ(k.seen.barriers[1].conditions.size(), 2u);
  EXPECT_EQ(uniformity(k.graph(), k.seen.barriers[1].conditions[1].value, k.threads()),
            Uniformity::Uniform);
}

// ---- What is not known says why -----------------------------------------------------------

TEST(Unknown, NamesConstructAndLine) {
  Kernel k(kernel(R"(
    int i = ((const int *)A)[threadIdx.x];
    probe("loaded", i + 4);
    probe("called", other(threadIdx.x));
    int never; probe("never", never);
    union { int a; float b; } u; u.b = 1.f; probe("float", (int)(threadIdx.x * 0.5f));
  )",
                  "__device__ int other(int);"));
  EXPECT_EQ(k.reason("loaded"),
            "line 4: ((const int *)A)[threadIdx.x] is loaded from global memory");
  EXPECT_EQ(k.reason("called"), "line 6: other() is not followed");
  EXPECT_EQ(k.reason("never"), "line 7: the value of never is not known: it has no value yet");
  EXPECT_THAT(k.reason("float"), HasSubstr("FloatingToIntegral"));
  // Uniformly loaded values are uniform, whatever they are.
  Kernel u(kernel(R"(int i = ((const int *)A)[blockIdx.x]; probe("i", i * 2 + threadIdx.x);)"));
  EXPECT_EQ(u.form("i").kind, FormKind::AffineF2);
}

TEST(Unknown, GotoIsNotFollowed) {
  Kernel k(kernel("int i = 0;\nagain: i += 2;\nif (i < N) goto again;\nprobe(\"i\", i);"));
  EXPECT_EQ(k.walk->problem(), "goto at line 5 is not followed");
}

TEST(Unknown, RecursionAndHugeCodeEnd) {
  Kernel k(kernel("probe(\"f\", fib(threadIdx.x)); probe(\"g\", deep<64>(threadIdx.x));", R"(
    __device__ int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
    template <int N> __device__ int deep(int x) {
      if constexpr (N == 0) return x;
      else { for (int i = 0; i < 3; ++i) x = deep<N - 1>(x) + deep<N - 1>(x + 1); return x; }
    })"));
  EXPECT_EQ(k.form("f").kind, FormKind::Unknown);
  EXPECT_THAT(k.walk->problem(), HasSubstr("too long to follow"));
}
