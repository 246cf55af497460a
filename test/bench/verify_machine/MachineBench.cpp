// Speed of the SIMT machine: lane-operations per second on a GEMM, in each domain.
// The kernel is compiled once; decoding is not timed.
#include "proof/Run.h"

#include <benchmark/benchmark.h>

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

void gemm(benchmark::State &state, Domain domain) {
  llvm::Expected<CompiledModule> module =
      compileDevice(std::string(KERNEL_FOLDER) + "/gemm_f16.cu", CompileOptions());
  if (!module) {
    state.SkipWithError(llvm::toString(module.takeError()).c_str());
    return;
  }
  Side side(std::move(*module), false);
  const LaunchFile file =
      gemmLaunch(uint32_t(state.range(0)), uint32_t(state.range(1)), uint32_t(state.range(2)));
  RunOptions options;
  options.domain = domain;
  options.observe = true;
  const uint64_t operations = side.run(file, options).counts.laneOperations;
  options.observe = false;
  for (auto _ : state)
    benchmark::DoNotOptimize(side.run(file, options).steps);
  state.counters["lane_ops"] = benchmark::Counter(double(operations) * double(state.iterations()),
                                                  benchmark::Counter::kIsRate);
}

void inField(benchmark::State &state) { gemm(state, Domain::Field); }
void inFloat(benchmark::State &state) { gemm(state, Domain::Float); }
BENCHMARK(inField)->Args({128, 128, 128})->Args({1024, 1024, 256})->Unit(benchmark::kMillisecond);
BENCHMARK(inFloat)->Args({128, 128, 128})->Unit(benchmark::kMillisecond);

} // namespace
} // namespace layout_port::verify
