// Speed of the SIMT machine on a GEMM through mma.sync, and on its port to gfx942 as
// the tool writes it: lane-operations per second, and the time of one run of a side
// (placing the buffers included) in each domain, on one core and on two. Kernels are compiled and
// decoded once.
#include "proof/Run.h"

#include <llvm/Support/FileUtilities.h>
#include <llvm/Support/Program.h>

#include <benchmark/benchmark.h>

#include <thread>

namespace layout_port::verify {
namespace {

LaunchFile gemmLaunch(uint32_t m, uint32_t n, uint32_t k) {
  auto number = [](uint64_t x) { return std::to_string(x); };
  const std::string text = "buffers:\n  A: {type: f16, count: " + number(uint64_t(m) * k) +
                           "}\n  B: {type: f16, count: " + number(uint64_t(k) * n) +
                           "}\n  C: {type: f32, count: " + number(uint64_t(m) * n) +
                           ", init: zero, out: true}\nlaunches:\n  - {kernel: gemm, grid: [" +
                           number(n / 32) + ", " + number((m + 31) / 32) +
                           "], block: [128], args: [A, B, C, {i32: " + number(m) +
                           "}, {i32: " + number(n) + "}, {i32: " + number(k) + "}, {f32: 1.0}]}\n";
  return *parseLaunchFile(text, "gemm");
}

const std::string kSource = std::string(KERNEL_FOLDER) + "/gemm_f16.cu";

// Null, and the benchmark skipped, when it does not compile.
Side *loadSide(const std::string &path, bool hip) {
  llvm::Expected<CompiledModule> module = compileDevice(path, CompileOptions());
  if (module)
    return new Side(std::move(*module), hip);
  llvm::errs() << llvm::toString(module.takeError()) << "\n";
  return nullptr;
}

Side *cudaSide() {
  static Side *side = loadSide(kSource, false);
  return side;
}

Side *hipSide() {
  static Side *side = [] {
    llvm::SmallString<128> port;
    llvm::sys::fs::createTemporaryFile("gemm", "hip", port);
    const llvm::FileRemover remove(port);
    const llvm::StringRef args[] = {LAYOUT_PORT_TOOL, kSource, "--quiet", "--target",
                                    "gfx942",         "-o",    port.str()};
    llvm::sys::ExecuteAndWait(LAYOUT_PORT_TOOL, args);
    return loadSide(std::string(port), true);
  }();
  return side;
}

struct Shape {
  uint32_t m, n, k;
};
constexpr Shape kCube{128, 128, 128}, kLong{1024, 1024, 256};

// helpers: cores beside one a side, for the blocks of its launch.
void runSides(benchmark::State &state, const std::vector<Side *> &sides, Shape shape, Domain domain,
              int helpers = 0) {
  for (Side *side : sides)
    if (!side)
      return state.SkipWithError("the kernel does not compile");
  const LaunchFile file = gemmLaunch(shape.m, shape.n, shape.k);
  RunOptions options;
  options.domain = domain;
  options.observe = true;
  uint64_t operations = 0;
  for (Side *side : sides)
    operations += side->run(file, options).counts.total.laneOperations;
  options.observe = false;
  Cores cores(helpers);
  options.cores = helpers ? &cores : nullptr;
  for (auto _ : state) {
    // As a proof runs them: the sides at once.
    std::vector<std::thread> others;
    for (size_t i = 1; i < sides.size(); ++i)
      others.emplace_back([&, i] { benchmark::DoNotOptimize(sides[i]->run(file, options)); });
    benchmark::DoNotOptimize(sides[0]->run(file, options));
    for (std::thread &other : others)
      other.join();
  }
  state.counters["lane_ops"] = benchmark::Counter(double(operations) * double(state.iterations()),
                                                  benchmark::Counter::kIsRate);
}

void cudaField128(benchmark::State &s) { runSides(s, {cudaSide()}, kCube, Domain::Field); }
void cudaFloat128(benchmark::State &s) { runSides(s, {cudaSide()}, kCube, Domain::Float); }
void hipField128(benchmark::State &s) { runSides(s, {hipSide()}, kCube, Domain::Field); }
void bothField128(benchmark::State &s) {
  runSides(s, {cudaSide(), hipSide()}, kCube, Domain::Field);
}
void cudaField1024(benchmark::State &s) { runSides(s, {cudaSide()}, kLong, Domain::Field); }
void hipField1024(benchmark::State &s) { runSides(s, {hipSide()}, kLong, Domain::Field); }
void cudaTwoCores1024(benchmark::State &s) { runSides(s, {cudaSide()}, kLong, Domain::Field, 1); }
void hipTwoCores1024(benchmark::State &s) { runSides(s, {hipSide()}, kLong, Domain::Field, 1); }
void bothField1024(benchmark::State &s) {
  runSides(s, {cudaSide(), hipSide()}, kLong, Domain::Field);
}
#define LP_MACHINE_BENCHMARK(name) BENCHMARK(name)->Unit(benchmark::kMillisecond)->UseRealTime()
LP_MACHINE_BENCHMARK(cudaField128);
LP_MACHINE_BENCHMARK(cudaFloat128);
LP_MACHINE_BENCHMARK(hipField128);
LP_MACHINE_BENCHMARK(bothField128);
LP_MACHINE_BENCHMARK(cudaField1024);
LP_MACHINE_BENCHMARK(cudaTwoCores1024);
LP_MACHINE_BENCHMARK(hipField1024);
LP_MACHINE_BENCHMARK(hipTwoCores1024);
LP_MACHINE_BENCHMARK(bothField1024);

} // namespace
} // namespace layout_port::verify
