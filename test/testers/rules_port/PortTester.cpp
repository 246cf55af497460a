// Random mutations of CUDA text through rules, census and emitter: no crash, and
// what must hold of every port holds.
#include "PortText.h"

#include <gtest/gtest.h>
#include <random>

using namespace layout_port;

namespace {

const char *const seedText = R"cuda(#include <cuda_runtime.h>
#include <cuda_fp16.h>
#define LDSM(R0, R1, a) \
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%2];\n" \
               : "=r"(R0), "=r"(R1) : "r"(a))
#if __CUDA_ARCH__ >= 800
__global__ void __launch_bounds__(128, 2) k(float *p, unsigned *q, int n) {
  float d[4]; unsigned a[4], b[2];
  LDSM(b[0], b[1], (unsigned)__cvta_generic_to_shared(p));
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
    : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" :: "r"(q[0]), "l"(p));
  p[0] += __shfl_xor_sync(0xffffffff, d[0], 1) + __shfl_sync(__activemask(), d[1], n & 3, 8);
  if (__any_sync(~0u, n)) q[1] = __match_any_sync(~0u, n); else q[2] = warpSize;
}
#endif
void run(float *p) { cudaFuncSetAttribute(k, cudaFuncAttributeMaxDynamicSharedMemorySize, 1); cudaFree(p); }
)cuda";

// Deletes, doubles or moves a piece, or drops in a bracket or quote.
std::string mutate(std::string text, std::mt19937 &random) {
  const auto below = [&](size_t n) { return n ? random() % n : 0; };
  for (size_t edits = 1 + below(6); edits; --edits) {
    const size_t at = below(text.size()), length = below(std::min<size_t>(40, text.size() - at));
    const std::string piece = text.substr(at, length);
    switch (below(4)) {
    case 0:
      text.erase(at, length);
      break;
    case 1:
      text.insert(at, piece);
      break;
    case 2:
      text.insert(below(text.size()), piece);
      break;
    default:
      text.insert(at, 1, "(){}[];,:\"'\\\n#*/"[below(16)]);
    }
  }
  return text;
}

} // namespace

TEST(PortTester, NothingOfCudaIsLeftWithoutASite) {
  const unsigned seed = 7;
  std::mt19937 random(seed);
  for (int round = 0; round < 300; ++round) {
    const std::string text = mutate(seedText, random);
    const PortedText result = portText(text);
    ASSERT_TRUE(
        unexplained(result.program, takeCensus(result.program), result.ported.sites).empty())
        << "seed " << seed << " round " << round << "\n" << text;
    ASSERT_EQ(result.emission.error, "") << "seed " << seed << " round " << round;
    for (const Site &site : result.ported.sites) {
      ASSERT_LE(site.begin, site.end);
      ASSERT_LE(site.end, text.size());
      ASSERT_FALSE(site.reason.empty()) << site.construct;
    }
  }
}

// What is outside of all edits is copied byte for byte.
TEST(PortTester, UntouchedTextIsCopied) {
  const unsigned seed = 8;
  std::mt19937 random(seed);
  for (int round = 0; round < 300; ++round) {
    std::string filler;
    for (int i = 0; i < 40; ++i)
      filler += " \t;x1/*c*/\r\n+-"[random() % 13];
    const std::string text = "int a; // " + std::to_string(round) + "\n" + "int b;" + filler;
    const PortedText result = portText(text);
    ASSERT_NE(result.emission.text.find(text), std::string::npos) << "seed " << seed << "\n" << text;
  }
}
