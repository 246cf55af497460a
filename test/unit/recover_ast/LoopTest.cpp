// Loops: trip counts, closed forms of what they carry, and what holds behind them.
#include "Probe.h"

using namespace layout_port;
using namespace layout_port::recover;

namespace {

std::string kernel(const std::string &body) {
  return "__global__ void __launch_bounds__(128) k(const float *A, float *C, int N, int K) {\n" +
         body + "\n}\n";
}

} // namespace

TEST(Loops, CountersOfAllKinds) {
  Kernel k(kernel(R"(
    for (int i = 0; i < 4; ++i) probe("up", i);
    for (int d = 16; d >= 1; d >>= 1) probe("half", d);
    for (int j = 7; j >= 0; j -= 2) probe("down", j);
    for (int m = 3; m != 12; m += 3) probe("ne", m);
    int w = 0; while (w < 6) { probe("while", w); w += 2; }
    probe("after", w);
    for (int q = threadIdx.x; q < 512; q += 128) probe("strided", q);
    for (int s = 0; s < K; s += 32) probe("unknown", s);
  )"));
  EXPECT_EQ(k.text("up"), "i");
  const unsigned halves[] = {16, 8, 4, 2, 1};
  for (unsigned t = 0; t < 5; ++t)
    EXPECT_EQ(k.value("half", 0, {{"d", t}}), halves[t]) << t;
  for (unsigned t = 0; t < 4; ++t)
    EXPECT_EQ(k.value("down", 0, {{"j", t}}), 7 - 2 * t);
  EXPECT_EQ(k.sum("ne"), "m * 3 + 3");
  EXPECT_EQ(k.text("while"), "w * 2");
  EXPECT_EQ(k.text("after"), "6");
  EXPECT_EQ(k.value("strided", 77, {{"q", 2}}), 77u + 256);
  EXPECT_EQ(k.graph().variableAt(k.at("strided")->support.back()).size, 4u);
  EXPECT_EQ(k.text("unknown"), "s * 32");
  EXPECT_EQ(k.graph().variableAt(k.at("up")->support[0]).size, 4u);
  for (const BranchSite &b : k.seen.branches)
    EXPECT_EQ(b.uniformity, Uniformity::Uniform) << "line " << b.line;
}

TEST(Loops, TripCountsThatDiffer) {
  Kernel k(kernel(R"(
    int warp = threadIdx.x / 32;
    for (int i = threadIdx.x; i < 100; i += 128) probe("a", i);
    for (int i = warp; i < 8; i += 4) probe("b", i);
    for (int i = warp; i < 7; i += 4) probe("c", i);
    for (int i = warp / 2; i < 3; i += 2) probe("d", i);
    for (int i = 0; i < 4; ++i) { if (A[i] > threadIdx.x) break; probe("e", i); }
  )"));
  std::vector<Uniformity> loops;
  for (const BranchSite &b : k.seen.branches)
    if (b.isLoop)
      loops.push_back(b.uniformity);
  EXPECT_THAT(loops, testing::ElementsAre(Uniformity::Divergent, Uniformity::Uniform,
                                          Uniformity::WarpUniform, Uniformity::PairUniform,
                                          Uniformity::Divergent));
}

TEST(Loops, PointerAndAddressWalks) {
  Kernel k(kernel(R"(
    __shared__ __align__(1024) char s[8192];
    unsigned addr = smem(s) + (threadIdx.x & 7) * 128, flip = addr, stairs = addr;
    const float *p = A + threadIdx.x;
    for (int i = 0; i < 4; ++i) {
      probe("addr", addr); probe("flip", flip); probe("stairs", stairs); probe("p", p);
      addr += 32; flip ^= 64; stairs ^= i * 32; p += K;
    }
    probe("end", addr); probe("flipEnd", flip);
  )"));
  EXPECT_EQ(k.sum("addr"), "s + (lane & 7) * 128 + i * 32");
  for (unsigned i = 0; i < 4; ++i) {
    EXPECT_EQ(k.value("flip", 3, {{"i", i}}), 384u ^ (i & 1 ? 64 : 0));
    const unsigned stairs[] = {0, 0, 32, 96};
    EXPECT_EQ(k.value("stairs", 3, {{"i", i}}), 384u ^ stairs[i]);
  }
  EXPECT_EQ(k.form("stairs").kind, FormKind::Piecewise);
  EXPECT_EQ(k.form("flip").kind, FormKind::AffineF2);
  EXPECT_EQ(k.sum("end"), "s + (lane & 7) * 128 + 128");
  const Form p = k.form("p");
  EXPECT_EQ(p.kind, FormKind::AffineF2) << p.reason;
  ASSERT_EQ(p.strided.size(), 1u);
  EXPECT_EQ(k.graph().toString(p.strided[0].stride), "K");
}

// addr ^= k * 32 along k, from the start again each time.
TEST(Loops, XorAlongK) {
  Kernel k(kernel(R"(
    __shared__ __align__(1024) char s[8192];
    int lane = threadIdx.x & 31;
    unsigned base = smem(s) + (lane & 7) * 128 + ((lane >> 4 ^ lane & 7) << 4);
    for (int kk = 0; kk < 4; ++kk) probe("a", base ^ kk * 32);
  )"));
  EXPECT_EQ(k.form("a").kind, FormKind::AffineF2);
  EXPECT_TRUE(k.form("a").assumptions.empty());
}

TEST(Loops, RingStages) {
  Kernel k(kernel(R"(
    int stage = 0, toggle = 0, next = 2, wrap = 0;
    for (int kt = 0; kt < K / 32; ++kt) {
      probe("stage", stage); probe("toggle", toggle); probe("next", next); probe("wrap", wrap);
      stage = (stage + 1) % 3; toggle ^= 1; next = next == 2 ? 0 : next + 1;
      if (++wrap == 4) wrap = 0;
    }
  )"));
  for (unsigned t = 0; t < 9; ++t) {
    EXPECT_EQ(k.value("stage", 0, {{"kt", t}}), t % 3);
    EXPECT_EQ(k.value("toggle", 0, {{"kt", t}}), t % 2);
    EXPECT_EQ(k.value("next", 0, {{"kt", t}}), (t + 2) % 3);
    EXPECT_EQ(k.value("wrap", 0, {{"kt", t}}), t % 4);
  }
  EXPECT_EQ(k.uniform("stage"), Uniformity::Uniform);
}

// A value computed in one iteration and used in the next.
TEST(Loops, OneIterationLate) {
  Kernel k(kernel(R"(
    int last = -1;
    for (int i = 0; i < 5; ++i) { probe("last", last); last = i * 10 + threadIdx.x; }
    probe("after", last);
  )"));
  EXPECT_EQ(int(k.value("last", 7, {{"i", 0}})), -1);
  EXPECT_EQ(k.value("last", 7, {{"i", 3}}), 27u);
  EXPECT_EQ(k.value("after", 7), 47u);
}

TEST(Loops, ArraysOfAddresses) {
  Kernel k(kernel(R"(
    __shared__ __align__(16) float s[64][40];
    const float *row[4]; int off[2][3];
    for (int i = 0; i < 4; ++i) row[i] = s[i * 16 + (threadIdx.x & 15)];
    for (int a = 0; a < 2; ++a)
      for (int b = 0; b < 3; ++b) off[a][b] = a * 100 + b * 7;
    for (int j = 0; j < 4; ++j) probe("row", row[j] + 8);
    for (int b = 0; b < 2; ++b) probe("off", off[1][b + 1]);
    int four[4]; four[0] = 5; four[1] = 1; four[2] = 9; four[3] = threadIdx.x;
    for (int j = 0; j < 4; ++j) probe("four", four[j]);
  )"));
  EXPECT_EQ(k.sum("row"), "s + (lane & 15) * 160 + j * 2560 + 32");
  EXPECT_EQ(k.value("off", 0, {{"b", 1}}), 114u);
  const unsigned four[] = {5, 1, 9, 77};
  for (unsigned j = 0; j < 4; ++j)
    EXPECT_EQ(k.value("four", 77, {{"j", j}}), four[j]);
}

// Reading an element that another iteration writes is not reading this iteration's.
TEST(Loops, OtherIterationsElements) {
  Kernel k(kernel(R"(
    int a[4];
    for (int i = 0; i < 4; ++i) { a[i] = i * 3; probe("same", a[i]); probe("before", a[(i + 3) & 3]); }
  )"));
  EXPECT_EQ(k.text("same"), "i * 3");
  EXPECT_EQ(k.form("before").kind, FormKind::Unknown);
}

// Elements that only some iterations wrote keep what they had, for some threads.
TEST(Loops, TripsThatDifferLeaveArraysUnknown) {
  Kernel k(kernel(R"(
    int a[4] = {0, 0, 0, 0}, b[4];
    for (int i = 0; i < (threadIdx.x & 3); ++i) a[i] = 1;
    probe("a", a[3]);
    for (int i = 0; i < 4; ++i) { if (A[i] > 0) break; b[i] = 1; }
    probe("b", b[3]);
    int x = 3; do { probe("x", x); x += 2; } while (x < 9); probe("after", x);
  )"));
  EXPECT_EQ(k.form("a").kind, FormKind::Unknown);
  EXPECT_EQ(k.form("b").kind, FormKind::Unknown);
  EXPECT_EQ(k.graph().variableAt(k.at("x")->support[0]).size, 3u);
  EXPECT_EQ(k.text("after"), "9");
}

TEST(Loops, ContinueAndBreak) {
  Kernel k(kernel(R"(
    int n = 0, m = 0;
    for (int i = 0; i < 6; ++i) { if (i & 1) continue; n += 1; probe("n", n); }
    for (int i = 0; i < 6; ++i) { if (K == i) break; m += 2; probe("m", m); }
    probe("nAfter", n); probe("mAfter", m);
  )"));
  EXPECT_EQ(k.uniform("mAfter"), Uniformity::Uniform);
  EXPECT_EQ(k.form("mAfter").number.isConstant(), true);
  EXPECT_EQ(k.value("m", 0, {{"i", 3}}), 8u);
}

TEST(Loops, NestedWalks) {
  Kernel k(kernel(R"(
    int at = threadIdx.x & 3;
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 5; ++j) { probe("at", at); at += 4; }
    probe("after", at);
  )"));
  EXPECT_EQ(k.value("at", 2, {{"i", 2}, {"j", 3}}), 2u + 4 * 13);
  EXPECT_EQ(k.value("after", 2), 2u + 60);
}
