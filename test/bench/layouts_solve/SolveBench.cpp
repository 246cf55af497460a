// How long the solvers take. Targets: a conversion plan or a swizzle under 1 ms, a
// retile enumeration under 10 ms.
#include "layout_port/layouts/Convert.h"
#include "layout_port/layouts/Gather.h"
#include "layout_port/layouts/Retile.h"
#include "layout_port/layouts/Swizzle.h"

#include <benchmark/benchmark.h>

using namespace layout_port;

namespace {

constexpr isa::Arch kMi300 = isa::Arch::Gfx942;

LinearLayout operand(const char *name, char which) {
  return *isa::operandLayout(**isa::findMatrixInstruction(name), which);
}

// `bits` lane and register bits reversed: nothing stays where it was.
std::pair<LinearLayout, LinearLayout> reversed(int registers) {
  const int bits = registers + 6;
  f2::Columns forward, backward;
  for (int i = 0; i < bits; ++i) {
    forward.push_back(uint64_t(1) << i);
    backward.push_back(uint64_t(1) << (bits - 1 - i));
  }
  const auto made = [&](f2::Columns columns) {
    return *LinearLayout::fromColumns({{"register", registers}, {"lane", 6}}, {{"x", bits}},
                                      std::move(columns));
  };
  return {made(forward), made(backward)};
}

void convertOperands(benchmark::State &state) {
  const LinearLayout src = operand("v_mfma_f32_32x32x8_f16", 'C');
  const LinearLayout dst = *operand("v_mfma_f32_32x32x8_f16", 'C')
                                .renameOut("m", "t")
                                ->renameOut("n", "m")
                                ->renameOut("t", "n");
  for (auto _ : state)
    benchmark::DoNotOptimize(planConversion(src, dst, static_cast<int>(state.range(0)), kMi300));
}
BENCHMARK(convertOperands)->Arg(8)->Arg(16)->Arg(32)->Arg(64);

void convertReversed(benchmark::State &state) {
  const auto [src, dst] = reversed(static_cast<int>(state.range(0)));
  for (auto _ : state)
    benchmark::DoNotOptimize(planConversion(src, dst, 8, isa::Arch::Gfx950));
}
BENCHMARK(convertReversed)->DenseRange(1, 6);

void solveTranspose(benchmark::State &state) {
  const auto [src, dst] = reversed(static_cast<int>(state.range(0)));
  for (auto _ : state)
    benchmark::DoNotOptimize(solveSwizzle(src, dst, 16, kMi300));
}
BENCHMARK(solveTranspose)->DenseRange(1, 6);

void retileHgemm(benchmark::State &state) {
  const RetileRequest request{"mma.m16n8k16.f16", kMi300, {"j0", "j1"}, {"i0"}, {"kk0"},
                              PairBit::N, 256};
  for (auto _ : state)
    benchmark::DoNotOptimize(retile(request));
}
BENCHMARK(retileHgemm)->Unit(benchmark::kMillisecond);

void retileManySpareBits(benchmark::State &state) {
  const RetileRequest request{"mma.m16n8k16.f16", isa::Arch::Gfx950, {"j0", "j1", "j2"},
                              {"i0", "i1"},       {"kk0", "kk1"},    PairBit::N, 256};
  for (auto _ : state)
    benchmark::DoNotOptimize(retile(request));
}
BENCHMARK(retileManySpareBits)->Unit(benchmark::kMillisecond);

} // namespace
