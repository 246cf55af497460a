// The machine, thing by thing: calls, memory of every kind, atomics, branches, blocks. Each
// kernel of test/verify/machine/machine.cu runs as CUDA's and as AMD's code, with warps of 32
// and waves of 64 lanes, and must give what a plain loop gives.
#include "proof/Run.h"

#include <gtest/gtest.h>

#include <functional>

namespace layout_port::verify {
namespace {

Side &side(bool hip) {
  static std::unique_ptr<Side> sides[2];
  if (!sides[hip]) {
    llvm::Expected<CompiledModule> module = compileDevice(
        std::string(MACHINE_FOLDER) + (hip ? "/machine.hip" : "/machine.cu"), CompileOptions());
    if (!module) {
      ADD_FAILURE() << llvm::toString(module.takeError());
      std::abort();
    }
    sides[hip] = std::make_unique<Side>(std::move(*module), hip);
  }
  return *sides[hip];
}

BufferSpec buffer(const std::string &name, const std::string &type, uint64_t count, Init init,
                  bool out) {
  BufferSpec spec;
  spec.name = name;
  spec.type = llvm::cantFail(parseElementType(type));
  spec.count = count;
  spec.init = init;
  spec.out = out;
  return spec;
}

ArgumentSpec given(const std::string &name) {
  ArgumentSpec argument;
  argument.kind = ArgumentSpec::Buffer;
  argument.buffer = name;
  return argument;
}

LaunchSpec launch(const std::string &kernel, std::array<uint32_t, 3> grid,
                  std::array<uint32_t, 3> block, std::vector<std::string> buffers) {
  LaunchSpec spec;
  spec.kernel = spec.kernelHip = kernel;
  spec.grid = grid;
  spec.block = block;
  for (const std::string &name : buffers)
    spec.args.push_back(given(name));
  return spec;
}

// in: 0 to 127, in another order.
LaunchFile overInts(const std::string &kernel, std::array<uint32_t, 3> grid = {2, 1, 1},
                    std::array<uint32_t, 3> block = {64, 1, 1}) {
  LaunchFile file;
  file.buffers = {buffer("in", "i32", 128, Init::Index, true),
                  buffer("out", "i32", 128, Init::Zero, true)};
  file.buffers[0].below = 100;
  file.launches = {launch(kernel, grid, block, {"in", "out"})};
  return file;
}

template <class T> std::vector<T> valuesOf(const RunResult &run, const std::string &name) {
  const std::vector<uint8_t> &bytes = run.buffers.at(name).bytes;
  std::vector<T> values(bytes.size() / sizeof(T));
  std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

RunResult run(bool hip, const LaunchFile &file, uint64_t steps = 10 * 1000 * 1000) {
  RunOptions options;
  options.domain = Domain::Exact;
  options.observe = true;
  options.limits.steps = steps;
  return side(hip).run(file, options);
}

using Wanted = std::function<int(const std::vector<int> &in, int i)>;

// out[i] of every thread, on both sides.
void expectInts(const LaunchFile &file, const Wanted &want) {
  for (bool hip : {false, true}) {
    const RunResult result = run(hip, file);
    ASSERT_EQ(result.error, "") << (hip ? "HIP" : "CUDA");
    for (const Finding &finding : result.findings)
      ADD_FAILURE() << finding.text;
    const std::vector<int> in = file.find("in") ? valuesOf<int>(result, "in") : std::vector<int>();
    const std::vector<int> out = valuesOf<int>(result, "out");
    for (int i = 0; i < int(out.size()); ++i)
      ASSERT_EQ(out[size_t(i)], want(in, i)) << (hip ? "HIP" : "CUDA") << " thread " << i;
  }
}

int steps(int n, int most) {
  int count = 0;
  for (; n != 1 && count < most; ++count)
    n = n % 2 ? 3 * n + 1 : n / 2;
  return count;
}

TEST(Machine, LanesInThreeMemories) {
  expectInts(overInts("threeMemories"), [](const std::vector<int> &in, int i) {
    const int thread = i % 64, x = in[size_t(i)];
    const int old = thread % 3 == 0 ? thread + x % 2 : 1000 + x;
    return thread % 3 == 2 ? 5107 : old + 2 * (old + 107);
  });
}

TEST(Machine, CallsOfSomeLanes) {
  expectInts(overInts("calls"), [](const std::vector<int> &in, int i) {
    const int x = in[size_t(i)];
    return (i % 3 ? steps(x, 50) + steps(x + 1, 7) : 0) * 100 + steps(i + 1, 20);
  });
}

TEST(Machine, AStructByValue) {
  LaunchFile file;
  file.buffers = {buffer("out", "i32", 128, Init::Zero, true)};
  file.launches = {launch("byValue", {2, 1, 1}, {64, 1, 1}, {"out"})};
  struct {
    int base = 5;
    float factor = 1.5f;
    int table[4] = {2, 4, 6, 8};
  } numbers;
  ArgumentSpec bytes;
  bytes.kind = ArgumentSpec::Bytes;
  bytes.bytes.resize(sizeof numbers);
  std::memcpy(bytes.bytes.data(), &numbers, sizeof numbers);
  file.launches[0].args.insert(file.launches[0].args.begin(), bytes);
  expectInts(file, [](const std::vector<int> &, int i) { return 5 + 3 * (i % 4 + 1); });
  file.launches[0].kernel = file.launches[0].kernelHip = "byValueChanged";
  expectInts(file, [](const std::vector<int> &, int i) {
    return 5 - i + (i % 4 == 0 ? 3 : 2) + (i % 4 == 3 ? 9 : 8) * 10;
  });
}

TEST(Machine, VariablesOfTheModule) {
  LaunchFile file;
  file.buffers = {buffer("out", "i32", 128, Init::Zero, true)};
  file.launches = {launch("variables", {2, 1, 1}, {64, 1, 1}, {"out"})};
  const int primes[] = {2, 3, 5, 7, 11};
  expectInts(file, [&](const std::vector<int> &, int i) {
    return (i % 8) * (i % 8) + 1000 * primes[i % 5];
  });
  // What one launch wrote the next one reads.
  file.launches.push_back(launch("readTouched", {2, 1, 1}, {64, 1, 1}, {"out"}));
  expectInts(file, [](const std::vector<int> &, int) { return 128; });
}

TEST(Machine, SharedMemoryOfBothKinds) {
  LaunchFile file = overInts("shared");
  file.launches[0].shared = 256;
  expectInts(file, [](const std::vector<int> &in, int i) {
    const int block = i / 64 * 64, thread = i % 64;
    return in[size_t(block + 63 - thread)] + 2 * in[size_t(block + (thread + 1) % 64)];
  });
}

TEST(Machine, PrivateArraysAndCopies) {
  expectInts(overInts("privateMemory"), [](const std::vector<int> &in, int i) {
    int copy[16] = {}, sum = 0;
    for (int k = 0; k < 1 + in[size_t(i)] % 16; ++k)
      copy[k] = in[size_t(i + k) % 128] + k;
    for (int k = 0; k < 16; ++k)
      sum += copy[(k * 5 + i) % 16] * (k + 1);
    return sum;
  });
}

TEST(Machine, WideAtomics) {
  LaunchFile file;
  file.buffers = {buffer("in", "i32", 128, Init::Index, true),
                  buffer("sums", "u64", 4, Init::Zero, true),
                  buffer("limits", "i32", 3, Init::Iota, true)};
  file.buffers[0].below = 100;
  file.launches = {launch("atomics", {2, 1, 1}, {64, 1, 1}, {"in", "sums", "limits"})};
  for (bool hip : {false, true}) {
    const RunResult result = run(hip, file);
    ASSERT_EQ(result.error, "");
    const auto in = valuesOf<int>(result, "in");
    uint64_t sums[4] = {};
    int least = 0, most = 1, product = 2;
    for (size_t i = 0; i < in.size(); ++i) {
      sums[i % 4] += uint64_t(in[i]) << 32 | 1;
      least = std::min(least, in[i]);
      most = std::max(most, in[i]);
      product = product * 3 % 1009;
    }
    EXPECT_EQ(valuesOf<uint64_t>(result, "sums"), std::vector<uint64_t>(sums, sums + 4));
    EXPECT_EQ(valuesOf<int>(result, "limits"), (std::vector<int>{least, most, product}));
  }
}

TEST(Machine, AtomicsOfBytesAndHalves) {
  LaunchFile file;
  file.buffers = {buffer("in", "i32", 128, Init::Index, true),
                  buffer("bytes", "u8", 8, Init::Zero, true),
                  buffer("halves", "u16", 8, Init::Zero, true)};
  file.buffers[0].below = 100;
  file.launches = {launch("smallAtomics", {2, 1, 1}, {64, 1, 1}, {"in", "bytes", "halves"})};
  for (bool hip : {false, true}) {
    const RunResult result = run(hip, file);
    ASSERT_EQ(result.error, "") << (hip ? "HIP" : "CUDA");
    const auto in = valuesOf<int>(result, "in");
    std::vector<uint8_t> bytes(8);
    std::vector<uint16_t> halves(8);
    for (size_t i = 0; i < in.size(); ++i) {
      bytes[i % 8] = uint8_t(bytes[i % 8] + in[i]);
      halves[i % 8] = uint16_t(halves[i % 8] ^ (in[i] * 257));
    }
    EXPECT_EQ(valuesOf<uint8_t>(result, "bytes"), bytes);
    EXPECT_EQ(valuesOf<uint16_t>(result, "halves"), halves);
  }
}

TEST(Machine, SwitchesAndEarlyReturns) {
  expectInts(overInts("ways"), [](const std::vector<int> &in, int i) {
    const int x = in[size_t(i)];
    switch (x % 11) {
    case 0:
      return 7;
    case 2:
      return steps(x + 1, 9);
    case 3:
    case 5:
      return -x;
    case 9:
      return 0;
    default:
      return x ^ 0x55;
    }
  });
}

TEST(Machine, ElementsOfVectorsAtRunTime) {
  expectInts(overInts("vectors"), [](const std::vector<int> &in, int i) {
    const int x = in[size_t(i)];
    int v[] = {x, x + 1, x + 2, x + 3};
    v[x % 4] *= 10;
    return v[i % 4] + v[3 - i % 4] * 1000;
  });
}

TEST(Machine, WavesThatLeaveBeforeABarrier) {
  LaunchFile file = overInts("leaving", {1, 1, 1}, {128, 1, 1});
  expectInts(file, [](const std::vector<int> &in, int i) {
    return i < 64 ? in[size_t(63 - i)] + in[size_t(127 - i)] : 0;
  });
}

TEST(Machine, HalvesOfWavesThatLeaveBeforeABarrier) {
  LaunchFile file = overInts("leavingInHalves", {1, 1, 1}, {128, 1, 1});
  expectInts(file, [](const std::vector<int> &in, int i) {
    return i % 32 < 16 ? in[size_t(i ^ 32)] + in[size_t((i ^ 32) + 16)] : 0;
  });
}

TEST(Machine, LanesThatGoPastABarrier) {
  for (bool hip : {false, true}) {
    const RunResult result = run(hip, overInts("pastABarrier", {1, 1, 1}, {128, 1, 1}));
    EXPECT_TRUE(result.error.empty()) << result.error;
    ASSERT_FALSE(result.findings.empty());
    EXPECT_EQ(result.findings.front().kind, ProblemKind::DivergentBarrier);
  }
}

TEST(Machine, ThreeAxes) {
  LaunchFile file;
  file.buffers = {buffer("out", "i32", 6 * 6 * 6 * 4, Init::Zero, true)};
  file.launches = {launch("axes", {3, 2, 2}, {4, 3, 6}, {"out"})};
  expectInts(file, [](const std::vector<int> &, int i) {
    return i % 12 + 100 * (i / 12 % 6) + 10000 * (i / 72);
  });
}

TEST(Machine, ATrapEndsTheRun) {
  LaunchFile file = overInts("trapping");
  file.buffers[0].below = 78;
  file.buffers[0].init = Init::Iota;
  for (bool hip : {false, true}) {
    const RunResult result = run(hip, file);
    EXPECT_NE(result.error.find("trap"), std::string::npos) << result.error;
    ASSERT_FALSE(result.findings.empty());
    EXPECT_EQ(result.findings.front().kind, ProblemKind::Trap);
    EXPECT_NE(result.findings.front().text.find("machine.cu:"), std::string::npos)
        << result.findings.front().text;
  }
}

TEST(Machine, RecursionIsRefusedByName) {
  for (bool hip : {false, true}) {
    const std::string error = side(hip).check(overInts("recursive"));
    EXPECT_NE(error.find("recurs"), std::string::npos) << error;
    EXPECT_EQ(error.find('\n'), std::string::npos) << error;
  }
}

TEST(Machine, AnEndlessLoopMeetsTheStepLimit) {
  for (bool hip : {false, true}) {
    const RunResult result = run(hip, overInts("endless"), 20000);
    EXPECT_NE(result.error.find("step limit of 20000 reached: an endless loop?"), std::string::npos)
        << result.error;
    EXPECT_NE(result.error.find("machine.cu:"), std::string::npos) << result.error;
  }
}

} // namespace
} // namespace layout_port::verify
