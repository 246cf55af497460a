// What the algebra costs: everything here should take microseconds.
#include "layout_port/layouts/Encodings.h"
#include "layout_port/layouts/LinearLayout.h"
#include "layout_port/layouts/Strided.h"

#include <benchmark/benchmark.h>

using namespace layout_port;

static const PerDim shape = {128, 128};

static Encoding blocked() { return {BlockedEncoding{{1, 8}, {16, 4}, {4, 1}, {1, 0}, {}}}; }

static Encoding mfma() {
  AmdMfmaEncoding e;
  e.instrShape = {32, 32, 8};
  e.warpsPerCta = {2, 2};
  return {e};
}

static void encodeBlocked(benchmark::State &state) {
  const Encoding e = blocked();
  for (auto _ : state)
    benchmark::DoNotOptimize(toLinearLayout(e, shape));
}
BENCHMARK(encodeBlocked);

static void encodeMfmaOperand(benchmark::State &state) {
  const Encoding e = {DotOperandEncoding{std::make_shared<const Encoding>(mfma()), 0, 8}};
  for (auto _ : state)
    benchmark::DoNotOptimize(toLinearLayout(e, shape));
}
BENCHMARK(encodeMfmaOperand);

static void invert(benchmark::State &state) {
  const LinearLayout layout = *toLinearLayout(mfma(), shape);
  for (auto _ : state)
    benchmark::DoNotOptimize(layout.invert());
}
BENCHMARK(invert);

static void compose(benchmark::State &state) {
  const LinearLayout layout = *toLinearLayout(mfma(), shape);
  const LinearLayout inverse = *layout.invert();
  for (auto _ : state)
    benchmark::DoNotOptimize(layout.compose(inverse));
}
BENCHMARK(compose);

static void invertAndCompose(benchmark::State &state) {
  const LinearLayout from = *toLinearLayout(blocked(), shape), to = *toLinearLayout(mfma(), shape);
  for (auto _ : state)
    benchmark::DoNotOptimize(to.invertAndCompose(from));
}
BENCHMARK(invertAndCompose);

static void minWeightRightInverse(benchmark::State &state) {
  const Encoding e = {DotOperandEncoding{std::make_shared<const Encoding>(mfma()), 0, 8}};
  const LinearLayout layout = *toLinearLayout(e, shape);
  for (auto _ : state)
    benchmark::DoNotOptimize(layout.minWeightRightInverse());
}
BENCHMARK(minWeightRightInverse);

static void rank(benchmark::State &state) {
  const LinearLayout layout = *toLinearLayout(blocked(), shape);
  for (auto _ : state)
    benchmark::DoNotOptimize(layout.rank());
}
BENCHMARK(rank);

static void carryAnalysis(benchmark::State &state) {
  StridedMap map;
  map.fields = {StridedField::ofStride("col", 6, 2), StridedField::ofStride("row", 6, 128)};
  for (auto _ : state)
    benchmark::DoNotOptimize(stridedToAffine(map, "address"));
}
BENCHMARK(carryAnalysis);
