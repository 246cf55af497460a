// Speed of the SIMT machine: lane-operations per second, and the time of one run of a
// side (placing the buffers included) in each domain, on one core and on two. Kernels are
// compiled and decoded once.
//
//   hgemm   test/verify/examples: 64 x 64 tiles, loops unrolled as tensor-core kernels have
//           them; its native and its bridged port by hand
//   rolled  test/verify/kernels/gemm_f16.cu: inner loops left rolled, fragments in private
//           memory; its port to gfx942 as the tool writes it
#include "proof/Run.h"

#include <llvm/Support/FileUtilities.h>
#include <llvm/Support/Program.h>

#include <benchmark/benchmark.h>

#include <thread>

namespace layout_port::verify {
namespace {

struct Shape {
  uint32_t m, n, k;
};
constexpr Shape kCube{128, 128, 128}, kLong{1024, 1024, 256};

std::string text(uint64_t x) { return std::to_string(x); }

LaunchFile rolledLaunch(Shape s) {
  return *parseLaunchFile(
      "buffers:\n  A: {type: f16, count: " + text(uint64_t(s.m) * s.k) +
          "}\n  B: {type: f16, count: " + text(uint64_t(s.k) * s.n) +
          "}\n  C: {type: f32, count: " + text(uint64_t(s.m) * s.n) +
          ", init: zero, out: true}\nlaunches:\n  - {kernel: gemm, grid: [" + text(s.n / 32) +
          ", " + text((s.m + 31) / 32) + "], block: [128], args: [A, B, C, {i32: " + text(s.m) +
          "}, {i32: " + text(s.n) + "}, {i32: " + text(s.k) + "}, {f32: 1.0}]}\n",
      "rolled");
}

LaunchFile hgemmLaunch(Shape s) {
  return *parseLaunchFile(
      "buffers:\n  A: {type: f16, count: " + text(uint64_t(s.m) * s.k) +
          "}\n  B: {type: f16, count: " + text(uint64_t(s.k) * s.n) +
          "}\n  C: {type: f16, count: " + text(uint64_t(s.m) * s.n) +
          ", init: zero, out: true}\n  rowsum: {type: f32, count: " + text(s.m) +
          ", init: zero, out: true}\nlaunches:\n  - {kernel: hgemm, grid: [" + text(s.n / 64) +
          ", " + text(s.m / 64) + "], block: [128], shared: 256, args: [A, B, C, rowsum, {i32: " +
          text(s.m) + "}, {i32: " + text(s.n) + "}, {i32: " + text(s.k) + "}]}\n",
      "hgemm");
}

using SidePointer = std::unique_ptr<Side>;

// Null, and the benchmark skipped, when it does not compile.
SidePointer loadSide(const std::string &path, bool hip) {
  llvm::Expected<CompiledModule> module = compileDevice(path, CompileOptions());
  if (module)
    return std::make_unique<Side>(std::move(*module), hip);
  llvm::errs() << llvm::toString(module.takeError()) << "\n";
  return nullptr;
}

const std::string kRolled = std::string(KERNEL_FOLDER) + "/gemm_f16.cu";

SidePointer loadRolledPort() {
  llvm::SmallString<128> port;
  llvm::sys::fs::createTemporaryFile("gemm", "hip", port);
  const llvm::FileRemover remove(port);
  const llvm::StringRef args[] = {LAYOUT_PORT_TOOL, kRolled, "--quiet", "--target",
                                  "gfx942",         "-o",    port.str()};
  llvm::sys::ExecuteAndWait(LAYOUT_PORT_TOOL, args);
  return loadSide(std::string(port), true);
}

enum Program { kHgemmCuda, kHgemmNative, kHgemmBridge, kRolledCuda, kRolledHip };

Side *sideOf(Program program) {
  static std::map<Program, SidePointer> sides;
  const std::string examples = EXAMPLE_FOLDER;
  const auto load = [&] {
    switch (program) {
    case kHgemmCuda:
      return loadSide(examples + "/hgemm.cu", false);
    case kHgemmNative:
      return loadSide(examples + "/hgemm_native.hip", true);
    case kHgemmBridge:
      return loadSide(examples + "/hgemm_bridge.hip", true);
    case kRolledCuda:
      return loadSide(kRolled, false);
    case kRolledHip:
      return loadRolledPort();
    }
    return SidePointer();
  };
  if (!sides.count(program))
    sides[program] = load();
  return sides[program].get();
}

// helpers: cores beside one a side, for the blocks of its launch.
void runSides(benchmark::State &state, const std::vector<Program> &programs, Shape shape,
              Domain domain, int helpers = 0) {
  std::vector<Side *> sides;
  for (Program program : programs)
    sides.push_back(sideOf(program));
  if (std::count(sides.begin(), sides.end(), nullptr))
    return state.SkipWithError("the kernel does not compile");
  const LaunchFile file = programs[0] < kRolledCuda ? hgemmLaunch(shape) : rolledLaunch(shape);
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

// name, programs, shape, domain, helpers
#define LP_MACHINE_BENCHMARK(name, ...)                                                            \
  void name(benchmark::State &state) { runSides(state, __VA_ARGS__); }                             \
  BENCHMARK(name)->Unit(benchmark::kMillisecond)->UseRealTime()
LP_MACHINE_BENCHMARK(hgemmCuda128, {kHgemmCuda}, kCube, Domain::Field);
LP_MACHINE_BENCHMARK(hgemmNative128, {kHgemmNative}, kCube, Domain::Field);
LP_MACHINE_BENCHMARK(hgemmBridge128, {kHgemmBridge}, kCube, Domain::Field);
LP_MACHINE_BENCHMARK(hgemmCudaFloat128, {kHgemmCuda}, kCube, Domain::Float);
LP_MACHINE_BENCHMARK(hgemmNativeFloat128, {kHgemmNative}, kCube, Domain::Float);
LP_MACHINE_BENCHMARK(hgemmBoth128, {kHgemmCuda, kHgemmNative}, kCube, Domain::Field);
LP_MACHINE_BENCHMARK(rolledCuda128, {kRolledCuda}, kCube, Domain::Field);
LP_MACHINE_BENCHMARK(rolledHip128, {kRolledHip}, kCube, Domain::Field);
LP_MACHINE_BENCHMARK(rolledCudaFloat128, {kRolledCuda}, kCube, Domain::Float);
LP_MACHINE_BENCHMARK(hgemmCuda1024, {kHgemmCuda}, kLong, Domain::Field);
LP_MACHINE_BENCHMARK(hgemmNative1024, {kHgemmNative}, kLong, Domain::Field);
LP_MACHINE_BENCHMARK(hgemmBoth1024, {kHgemmCuda, kHgemmNative}, kLong, Domain::Field);
LP_MACHINE_BENCHMARK(rolledCuda1024, {kRolledCuda}, kLong, Domain::Field);
LP_MACHINE_BENCHMARK(rolledCudaTwoCores1024, {kRolledCuda}, kLong, Domain::Field, 1);
LP_MACHINE_BENCHMARK(rolledHip1024, {kRolledHip}, kLong, Domain::Field);
LP_MACHINE_BENCHMARK(rolledHipTwoCores1024, {kRolledHip}, kLong, Domain::Field, 1);

} // namespace
} // namespace layout_port::verify
