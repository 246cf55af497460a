// Explain: the text that a person gets, and how long a long kernel takes.
#include "Probe.h"

#include "recover/Explain.h"
#include "recover/Sites.h"

#include <ctime>

using namespace layout_port;
using namespace layout_port::recover;
using testing::HasSubstr;
using testing::Not;

namespace {

const char *tile = R"(
__global__ void __launch_bounds__(128) k(float *C, int N) {
  __shared__ __align__(16) float padded[32][40];
  __shared__ __align__(16) unsigned short s[64 * 32];
  int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  padded[lane][warp] = 1.f;
  __syncthreads();
  unsigned frag[4];
  ldsm4(frag, smem(s + ((warp >> 1) * 16 + (lane & 15)) * 32 + (lane >> 4) * 8));
  float v = padded[warp][lane];
  v += __shfl_xor_sync(~0u, v, 2);
  if (lane == 0) C[blockIdx.x * N + warp] = v + frag[0];
}
)";

std::string explained(const std::string &code, unsigned line = 0) {
  const auto unit = parseCuda(code);
  std::string text;
  for (const clang::FunctionDecl *kernel : findKernels(unit->getASTContext()))
    text += explainKernel(unit->getASTContext(), kernel, line);
  return text;
}

// Many tiles, many statements: 700 lines of what kernels are made of.
std::string longKernel(int lines) {
  std::string body;
  for (int i = 0; i * 7 < lines; ++i) {
    const std::string n = std::to_string(i);
    body +=
        "    {\n      int r" + n + " = warp * 16 + (lane & 15) + " + n + ";\n" +
        "      unsigned f[4];\n      for (int j = 0; j < 4; ++j) {\n        ldsm4(f, smem(s + (r" +
        n + " * 32 + ((((lane >> 4) * 8 + j * 16) >> 3 ^ r" + n +
        " >> 1) & 3) * 8) % 2048));\n        C[(size_t)(r" + n +
        ") * N + kt + j * 8] = f[0];\n      }\n    }\n";
  }
  return "__global__ void __launch_bounds__(128) k(float *C, int N) {\n"
         "  __shared__ __align__(16) unsigned short s[4096];\n"
         "  int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;\n"
         "  for (int kt = 0; kt < N; kt += 32) {\n" +
         body + "  }\n}\n";
}

} // namespace

TEST(Explain, AKernelAsText) {
  const std::string text = explained(tile);
  EXPECT_THAT(text, HasSubstr("kernel k, line 2\n  at most 128 threads, from __launch_bounds__"));
  EXPECT_THAT(text, HasSubstr("line 6: store, 4 bytes, shared padded\n"
                              "      offset affine over the integers\n"
                              "        160 * lane + 4 * h + 8 * wave"));
  EXPECT_THAT(text, HasSubstr("line 9: ldmatrix.m8n8.x4.b16, 16 bytes, shared s"));
  EXPECT_THAT(text, HasSubstr("aligned to 16 bytes; the same for both warps of a wave"));
  EXPECT_THAT(text, HasSubstr("line 11: __shfl_xor_sync, reads lane affine over F2"));
  EXPECT_THAT(text, HasSubstr("line 12: branch, divergent: lane == 0"));
  EXPECT_THAT(text, HasSubstr("offset affine over F2, plus uniform N * blockIdx.x * 4\n"));
}

// 32 lanes at a row stride of 160 bytes: banks 0, 8, 16, 24 and again: 8 lanes a bank.
TEST(Explain, BankConflictsByTheTruePhases) {
  const std::string text = explained(tile, 6);
  EXPECT_THAT(text, HasSubstr("as ds_write_b32: gfx90a 16 passes of at least 2 (confidence low), "
                              "gfx942 16 passes of at least 2 (confidence low)"));
  EXPECT_THAT(text, Not(HasSubstr("line 9")));
  // Rows of 160 bytes read along the row have no conflict.
  EXPECT_THAT(explained(tile, 10), HasSubstr("gfx942 2 passes of at least 2 (confidence medium)"));
}

TEST(Explain, OneLine) {
  EXPECT_EQ(explained(tile, 4), "");
  EXPECT_THAT(explained(tile, 12), HasSubstr("global C"));
}

TEST(Explain, SitesWithPtxDecoded) {
  Kernel kernel(tile);
  KernelWalk walk(kernel.unit->getASTContext(), kernel.kernels[0]);
  const KernelSites sites = findSites(walk, kernel.unit->getASTContext());
  ASSERT_EQ(sites.memory.size(), 4u);
  EXPECT_EQ(sites.memory[1].what, "ldmatrix.m8n8.x4.b16");
  EXPECT_EQ(sites.memory[1].lanes, 32u);
  ASSERT_EQ(sites.memory[1].registers.size(), 4u);
  EXPECT_EQ(sites.memory[1].registers[3].place.object->name, "frag");
  EXPECT_EQ(uniformityOf(walk, sites.memory[3].control), Uniformity::Divergent);
}

// Processor time, for the machine may be busy.
TEST(Explain, AKernelOf700Lines) {
  Kernel kernel(longKernel(700));
  const std::clock_t cpu = std::clock();
  KernelWalk walk(kernel.unit->getASTContext(), kernel.kernels[0]);
  const KernelSites sites = findSites(walk, kernel.unit->getASTContext());
  int linear = 0;
  for (const MemorySite &site : sites.memory)
    linear += classify(walk.graph(), site.place.offset).kind != FormKind::Unknown;
  const double seconds = double(std::clock() - cpu) / CLOCKS_PER_SEC;
  EXPECT_EQ(sites.memory.size(), 200u);
  EXPECT_EQ(linear, 200);
  EXPECT_LT(seconds, 1.0);
  RecordProperty("milliseconds", int(seconds * 1000));
  std::printf("recovery of 700 lines: %.0f ms\n", seconds * 1000);
}
