// What each family means, as bases that can be checked by hand against the pictures of
// its instruction or against a compiler that prints them.
#include "layout_port/layouts/Encodings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace layout_port;
using LL = LinearLayout;
using Bases = std::vector<LL::Basis>;

namespace {

Encoding blocked(PerDim sizePerThread, PerDim threadsPerWarp, PerDim warpsPerCta, PerDim order,
                 CtaParams cta = {}) {
  return {BlockedEncoding{sizePerThread, threadsPerWarp, warpsPerCta, order, cta}};
}

Encoding mma(uint64_t version, PerDim instrShape, PerDim warps, CtaParams cta = {}) {
  return {NvidiaMmaEncoding{version, instrShape, warps, cta}};
}

Encoding mfma(PerDim warps, PerDim instrShape, bool transposed, PerDim tilesPerWarp = {},
              uint64_t bits = 32) {
  AmdMfmaEncoding e;
  e.warpsPerCta = warps;
  e.instrShape = instrShape;
  e.isTransposed = transposed;
  e.tilesPerWarp = tilesPerWarp;
  e.elementBitWidth = bits;
  return {e};
}

Encoding wmma(uint64_t version, bool transposed, PerDim warps) {
  AmdWmmaEncoding e;
  e.version = version;
  e.isTransposed = transposed;
  e.warpsPerCta = warps;
  return {e};
}

EncodingPtr parent(const Encoding &e) { return std::make_shared<const Encoding>(e); }
Encoding slice(const Encoding &of, uint64_t dim) { return {SliceEncoding{parent(of), dim}}; }
Encoding dot(const Encoding &of, uint64_t opIdx, uint64_t kWidth) {
  return {DotOperandEncoding{parent(of), opIdx, kWidth}};
}

LL encode(const Encoding &e, const PerDim &shape) {
  const Result<LL> layout = toLinearLayout(e, shape);
  EXPECT_TRUE(layout) << layout.error().message;
  return layout ? *layout : LL();
}

// The expected layout over dim0, dim1, ... of the shape.
LL expected(const LL::NamedBases &bases, const PerDim &shape) {
  LL::NamedSizes outs;
  for (size_t d = 0; d < shape.size(); ++d)
    outs.emplace_back("dim" + std::to_string(d), shape[d]);
  const Result<LL> layout = LL::fromBases(bases, outs);
  EXPECT_TRUE(layout) << layout.error().message;
  return layout ? *layout : LL();
}

LL distributed(const Bases &registers, const Bases &lanes, const Bases &warps, const Bases &blocks,
               const PerDim &shape) {
  return expected({{"register", registers}, {"lane", lanes}, {"warp", warps}, {"block", blocks}},
                  shape);
}

LL shared(const Bases &offsets, const PerDim &shape) {
  return expected({{"offset", offsets}, {"block", {}}}, shape);
}

#define EXPECT_ENCODES(ENCODING, SHAPE, EXPECTED)                                                  \
  do {                                                                                             \
    const LL got = encode(ENCODING, SHAPE), want = EXPECTED;                                       \
    EXPECT_EQ(got, want) << "got\n" << got.toString() << "want\n" << want.toString();              \
  } while (false)

} // namespace

// ---- blocked --------------------------------------------------------------------------

TEST(Blocked, TheHeadersExample) {
  const PerDim shape = {16, 16};
  EXPECT_ENCODES(
      blocked({1, 2}, {8, 4}, {1, 2}, {1, 0}), shape,
      distributed({{0, 1}, {8, 0}}, {{0, 2}, {0, 4}, {1, 0}, {2, 0}, {4, 0}}, {{0, 8}}, {}, shape));
}

TEST(Blocked, RegistersWrapAroundWhereTheTensorIsLarger) {
  EXPECT_ENCODES(blocked({1}, {4}, {4}, {0}), PerDim({128}),
                 distributed({{16}, {32}, {64}}, {{1}, {2}}, {{4}, {8}}, {}, {128}));
  EXPECT_ENCODES(blocked({2}, {4}, {1}, {0}), PerDim({32}),
                 distributed({{1}, {8}, {16}}, {{2}, {4}}, {}, {}, {32}));
}

TEST(Blocked, HighBasesBecomeZeroWhereTheTensorIsSmaller) {
  EXPECT_ENCODES(blocked({4}, {4}, {4}, {0}), PerDim({8}),
                 distributed({{1}, {2}}, {{4}, {0}}, {{0}, {0}}, {}, {8}));
  const PerDim skinny = {1, 64};
  EXPECT_ENCODES(blocked({1, 1}, {32, 1}, {1, 8}, {0, 1}), skinny,
                 distributed({{0, 8}, {0, 16}, {0, 32}}, {{0, 0}, {0, 0}, {0, 0}, {0, 0}, {0, 0}},
                             {{0, 1}, {0, 2}, {0, 4}}, {}, skinny));
}

TEST(Blocked, BlocksSplitOrCopy) {
  EXPECT_ENCODES(blocked({1}, {4}, {4}, {0}, {{4}, {2}, {0}}), PerDim({32}),
                 distributed({}, {{1}, {2}}, {{4}, {8}}, {{16}, {0}}, {32}));
  const PerDim shape = {128, 16};
  EXPECT_ENCODES(blocked({1, 4}, {8, 4}, {4, 1}, {1, 0}, {{2, 2}, {2, 1}, {1, 0}}), shape,
                 distributed({{0, 1}, {0, 2}, {32, 0}}, {{0, 4}, {0, 8}, {1, 0}, {2, 0}, {4, 0}},
                             {{8, 0}, {16, 0}}, {{0, 0}, {64, 0}}, shape));
}

TEST(Blocked, BlocksAreFilledBeforeWarps) {
  EXPECT_ENCODES(blocked({1}, {1}, {4}, {0}, {{2}, {2}, {0}}), PerDim({4}),
                 distributed({}, {}, {{1}, {0}}, {{2}}, {4}));
  EXPECT_ENCODES(blocked({1}, {1}, {1}, {0}, {{4}, {4}, {0}}), PerDim({2}),
                 distributed({}, {}, {}, {{1}, {0}}, {2}));
}

TEST(Blocked, RepeatsAlongTheOrder) {
  const PerDim shape = {1024, 128};
  EXPECT_ENCODES(
      blocked({2, 2}, {4, 8}, {2, 2}, {1, 0}, {{2, 2}, {2, 2}, {1, 0}}), shape,
      distributed({{0, 1}, {1, 0}, {0, 32}, {16, 0}, {32, 0}, {64, 0}, {128, 0}, {256, 0}},
                  {{0, 2}, {0, 4}, {0, 8}, {2, 0}, {4, 0}}, {{0, 16}, {8, 0}}, {{0, 64}, {512, 0}},
                  shape));
}

TEST(Blocked, FourDims) {
  const PerDim shape = {2, 1, 1, 1};
  const LL::Basis zero = {0, 0, 0, 0};
  EXPECT_ENCODES(blocked({1, 1, 1, 4}, {2, 1, 1, 16}, {1, 2, 4, 1}, {3, 0, 1, 2}), shape,
                 distributed({zero, zero}, {zero, zero, zero, zero, {1, 0, 0, 0}},
                             {zero, zero, zero}, {}, shape));
}

// ---- slice ----------------------------------------------------------------------------

TEST(Slice, DropsADimAndTheRegistersThatRepeat) {
  const Encoding of = blocked({2, 4}, {4, 2}, {2, 2}, {1, 0}, {{2, 2}, {2, 2}, {1, 0}});
  EXPECT_ENCODES(
      slice(of, 0), PerDim({128}),
      distributed({{1}, {2}, {16}, {32}}, {{4}, {0}, {0}}, {{8}, {0}}, {{64}, {0}}, {128}));
  EXPECT_ENCODES(slice(of, 1), PerDim({128}),
                 distributed({{1}, {16}, {32}}, {{0}, {2}, {4}}, {{0}, {8}}, {{0}, {64}}, {128}));
}

TEST(Slice, OfAnMmaAccumulator) {
  const Encoding of = mma(2, {16, 8}, {2, 2});
  EXPECT_ENCODES(
      slice(of, 0), PerDim({128}),
      distributed({{1}, {16}, {32}, {64}}, {{2}, {4}, {0}, {0}, {0}}, {{8}, {0}}, {}, {128}));
  EXPECT_ENCODES(slice(of, 1), PerDim({8}),
                 distributed({}, {{0}, {0}, {1}, {2}, {4}}, {{0}, {0}}, {}, {8}));
}

TEST(Slice, OfASlice) {
  const Encoding of = blocked({1, 1, 2}, {2, 4, 4}, {1, 1, 1}, {2, 1, 0});
  EXPECT_ENCODES(slice(slice(of, 2), 0), PerDim({4}),
                 distributed({}, {{0}, {0}, {1}, {2}, {0}}, {}, {}, {4}));
}

TEST(Slice, OfAnOperand) {
  EXPECT_ENCODES(slice(dot(mma(2, {16, 8}, {1, 1}), 0, 8), 1), PerDim({16}),
                 distributed({{8}}, {{0}, {0}, {1}, {2}, {4}}, {}, {}, {16}));
  EXPECT_ENCODES(slice(dot(mma(3, {16, 16, 8}, {4, 1}), 0, 2), 0), PerDim({16}),
                 distributed({{1}, {8}}, {{2}, {4}, {0}, {0}, {0}}, {{0}, {0}}, {}, {16}));
}

// ---- nvidia_mma -------------------------------------------------------------------------

TEST(NvidiaMma, Version2) {
  const Bases lanes = {{0, 2}, {0, 4}, {1, 0}, {2, 0}, {4, 0}};
  EXPECT_ENCODES(mma(2, {16, 8}, {1, 1}), PerDim({32, 32}),
                 distributed({{0, 1}, {8, 0}, {0, 8}, {0, 16}, {16, 0}}, lanes, {}, {}, {32, 32}));
  EXPECT_ENCODES(mma(2, {16, 8}, {2, 2}), PerDim({32, 16}),
                 distributed({{0, 1}, {8, 0}}, lanes, {{0, 8}, {16, 0}}, {}, {32, 16}));
}

TEST(NvidiaMma, Version2WithBatchAndBlocks) {
  const PerDim shape = {64, 128, 128};
  EXPECT_ENCODES(mma(2, {1, 16, 8}, {16, 1, 1}, {{4, 2, 2}, {4, 2, 1}, {2, 1, 0}}), shape,
                 distributed({{0, 0, 1},
                              {0, 8, 0},
                              {0, 0, 8},
                              {0, 0, 16},
                              {0, 0, 32},
                              {0, 0, 64},
                              {0, 16, 0},
                              {0, 32, 0}},
                             {{0, 0, 2}, {0, 0, 4}, {0, 1, 0}, {0, 2, 0}, {0, 4, 0}},
                             {{1, 0, 0}, {2, 0, 0}, {4, 0, 0}, {8, 0, 0}},
                             {{0, 0, 0}, {0, 64, 0}, {16, 0, 0}, {32, 0, 0}}, shape));
}

TEST(NvidiaMma, Version3NumbersWarpsDownTheRows) {
  const Bases lanes = {{0, 2}, {0, 4}, {1, 0}, {2, 0}, {4, 0}};
  EXPECT_ENCODES(mma(3, {16, 32, 16}, {4, 2}), PerDim({128, 64}),
                 distributed({{0, 1}, {8, 0}, {0, 8}, {0, 16}, {64, 0}}, lanes,
                             {{16, 0}, {32, 0}, {0, 32}}, {}, {128, 64}));
  EXPECT_ENCODES(mma(3, {16, 16, 8}, {4, 4}), PerDim({32, 32}),
                 distributed({{0, 1}, {8, 0}, {0, 8}}, lanes, {{16, 0}, {0, 0}, {0, 16}, {0, 0}},
                             {}, {32, 32}));
}

// PTX: operand A of m16n8k16 has k0 = half, k1,k2 = l0,l1, m0-2 = l2-4, m3 = r0, k3 = r1;
// B has k0 = half, k1,k2 = l0,l1, n0-2 = l2-4, k3 = r0.
TEST(NvidiaMma, OperandsAreThoseOfThePtxManual) {
  const Encoding of = mma(2, {16, 8}, {1, 1});
  EXPECT_ENCODES(dot(of, 0, 2), PerDim({16, 16}),
                 distributed({{0, 1}, {8, 0}, {0, 8}}, {{0, 2}, {0, 4}, {1, 0}, {2, 0}, {4, 0}}, {},
                             {}, {16, 16}));
  EXPECT_ENCODES(
      dot(of, 1, 2), PerDim({16, 8}),
      distributed({{1, 0}, {8, 0}}, {{2, 0}, {4, 0}, {0, 1}, {0, 2}, {0, 4}}, {}, {}, {16, 8}));
}

TEST(NvidiaMma, WarpsAlongTheOtherOperandHoldCopies) {
  const Encoding of = mma(2, {16, 8}, {2, 2});
  const LL a = encode(dot(of, 0, 2), {32, 16}), b = encode(dot(of, 1, 2), {16, 16});
  EXPECT_EQ(a.bases()[2].second, (Bases{{0, 0}, {16, 0}}));
  EXPECT_EQ(b.bases()[2].second, (Bases{{0, 8}, {0, 0}}));
}

TEST(NvidiaMma, WideOperandsOfTwoByTwoWarps) {
  const Encoding of = mma(2, {16, 8}, {2, 2});
  EXPECT_ENCODES(dot(of, 0, 8), PerDim({64, 128}),
                 distributed({{0, 1}, {0, 2}, {0, 4}, {8, 0}, {0, 32}, {0, 64}, {32, 0}},
                             {{0, 8}, {0, 16}, {1, 0}, {2, 0}, {4, 0}}, {{0, 0}, {16, 0}}, {},
                             {64, 128}));
  EXPECT_ENCODES(dot(of, 1, 8), PerDim({128, 32}),
                 distributed({{1, 0}, {2, 0}, {4, 0}, {32, 0}, {64, 0}, {0, 16}},
                             {{8, 0}, {16, 0}, {0, 1}, {0, 2}, {0, 4}}, {{0, 8}, {0, 0}}, {},
                             {128, 32}));
}

// ---- amd_mfma ---------------------------------------------------------------------------

TEST(AmdMfma, Accumulator32x32) {
  const Bases lanes = {{0, 1}, {0, 2}, {0, 4}, {0, 8}, {0, 16}, {4, 0}};
  const Encoding e = mfma({2, 4}, {32, 32, 8}, false);
  EXPECT_ENCODES(e, PerDim({32, 32}),
                 distributed({{1, 0}, {2, 0}, {8, 0}, {16, 0}}, lanes, {{0, 0}, {0, 0}, {0, 0}}, {},
                             {32, 32}));
  EXPECT_ENCODES(e, PerDim({128, 128}),
                 distributed({{1, 0}, {2, 0}, {8, 0}, {16, 0}, {64, 0}}, lanes,
                             {{0, 32}, {0, 64}, {32, 0}}, {}, {128, 128}));
}

TEST(AmdMfma, TransposedSwapsRegistersAndLanesOnly) {
  EXPECT_ENCODES(mfma({2, 4}, {32, 32, 8}, true), PerDim({64, 32}),
                 distributed({{0, 1}, {0, 2}, {0, 8}, {0, 16}},
                             {{1, 0}, {2, 0}, {4, 0}, {8, 0}, {16, 0}, {0, 4}},
                             {{0, 0}, {0, 0}, {32, 0}}, {}, {64, 32}));
}

TEST(AmdMfma, Accumulator16x16) {
  const Bases lanes = {{0, 1}, {0, 2}, {0, 4}, {0, 8}, {4, 0}, {8, 0}};
  EXPECT_ENCODES(mfma({1, 1}, {16, 16, 16}, false), PerDim({16, 16}),
                 distributed({{1, 0}, {2, 0}}, lanes, {}, {}, {16, 16}));
  // f64: one element a lane, then the next four rows.
  EXPECT_ENCODES(mfma({1, 1}, {16, 16, 4}, false, {}, 64), PerDim({16, 16}),
                 distributed({{4, 0}, {8, 0}}, {{0, 1}, {0, 2}, {0, 4}, {0, 8}, {1, 0}, {2, 0}}, {},
                             {}, {16, 16}));
}

TEST(AmdMfma, Accumulators4x64And64x4AreEachOthersTransposes) {
  EXPECT_ENCODES(mfma({1, 1}, {4, 64, 4}, false), PerDim({4, 64}),
                 distributed({{1, 0}, {2, 0}}, {{0, 1}, {0, 2}, {0, 4}, {0, 8}, {0, 16}, {0, 32}},
                             {}, {}, {4, 64}));
  EXPECT_ENCODES(mfma({1, 1}, {64, 4, 4}, true), PerDim({64, 4}),
                 distributed({{0, 1}, {0, 2}}, {{1, 0}, {2, 0}, {4, 0}, {8, 0}, {16, 0}, {32, 0}},
                             {}, {}, {64, 4}));
}

TEST(AmdMfma, The16BlocksOf4x4HoldCopies) {
  EXPECT_ENCODES(mfma({1, 1}, {4, 4, 64}, false), PerDim({4, 4}),
                 distributed({{1, 0}, {2, 0}}, {{0, 1}, {0, 2}, {0, 0}, {0, 0}, {0, 0}, {0, 0}}, {},
                             {}, {4, 4}));
}

TEST(AmdMfma, TilesPerWarpComeBeforeWarpsAndNFirst) {
  EXPECT_ENCODES(mfma({2, 2}, {16, 16, 16}, false, {2, 2}), PerDim({128, 128}),
                 distributed({{1, 0}, {2, 0}, {0, 16}, {0, 64}, {16, 0}, {64, 0}},
                             {{0, 1}, {0, 2}, {0, 4}, {0, 8}, {4, 0}, {8, 0}}, {{0, 32}, {32, 0}},
                             {}, {128, 128}));
}

TEST(AmdMfma, WithBatch) {
  EXPECT_ENCODES(mfma({2, 4, 1}, {32, 32, 8}, false), PerDim({2, 64, 32}),
                 distributed({{0, 1, 0}, {0, 2, 0}, {0, 8, 0}, {0, 16, 0}},
                             {{0, 0, 1}, {0, 0, 2}, {0, 0, 4}, {0, 0, 8}, {0, 0, 16}, {0, 4, 0}},
                             {{0, 32, 0}, {0, 0, 0}, {1, 0, 0}}, {}, {2, 64, 32}));
}

TEST(AmdMfma, OperandB) {
  const Bases lanes = {{0, 1}, {0, 2}, {0, 4}, {0, 8}, {0, 16}, {8, 0}};
  const Encoding e = dot(mfma({1, 8}, {32, 32, 16}, false), 1, 8);
  EXPECT_ENCODES(e, PerDim({128, 128}),
                 distributed({{1, 0}, {2, 0}, {4, 0}, {16, 0}, {32, 0}, {64, 0}}, lanes,
                             {{0, 32}, {0, 64}, {0, 0}}, {}, {128, 128}));
  EXPECT_ENCODES(e, PerDim({32, 64}),
                 distributed({{1, 0}, {2, 0}, {4, 0}, {16, 0}}, lanes, {{0, 32}, {0, 0}, {0, 0}},
                             {}, {32, 64}));
  const Encoding narrow = dot(mfma({1, 4}, {16, 16, 32}, false), 1, 8);
  EXPECT_ENCODES(narrow, PerDim({1, 128}),
                 distributed({{0, 0}, {0, 0}, {0, 0}, {0, 64}},
                             {{0, 1}, {0, 2}, {0, 4}, {0, 8}, {0, 0}, {0, 0}}, {{0, 16}, {0, 32}},
                             {}, {1, 128}));
}

TEST(AmdMfma, OperandA) {
  const Encoding e = dot(mfma({1, 4}, {16, 16, 32}, false), 0, 8);
  EXPECT_ENCODES(e, PerDim({128, 128}),
                 distributed({{0, 1}, {0, 2}, {0, 4}, {0, 32}, {0, 64}, {16, 0}, {32, 0}, {64, 0}},
                             {{1, 0}, {2, 0}, {4, 0}, {8, 0}, {0, 8}, {0, 16}}, {{0, 0}, {0, 0}},
                             {}, {128, 128}));
  const PerDim batched = {1, 256, 256};
  EXPECT_ENCODES(dot(mfma({1, 1, 8}, {16, 16, 32}, false), 0, 8), batched,
                 distributed({{0, 0, 1},
                              {0, 0, 2},
                              {0, 0, 4},
                              {0, 0, 32},
                              {0, 0, 64},
                              {0, 0, 128},
                              {0, 16, 0},
                              {0, 32, 0},
                              {0, 64, 0},
                              {0, 128, 0}},
                             {{0, 1, 0}, {0, 2, 0}, {0, 4, 0}, {0, 8, 0}, {0, 0, 8}, {0, 0, 16}},
                             {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}}, {}, batched));
  EXPECT_EQ(encode(dot(mfma({2, 4}, {32, 32, 8}, false), 0, 4), {64, 32}),
            encode(dot(mfma({2, 4}, {32, 32, 8}, true), 0, 4), {64, 32}));
}

TEST(AmdMfma, The64WideOperandTakesSixteenPasses) {
  EXPECT_ENCODES(dot(mfma({1, 1}, {64, 4, 64}, true), 0, 4), PerDim({64, 64}),
                 distributed({{0, 1}, {0, 2}, {0, 4}, {0, 8}, {0, 16}, {0, 32}},
                             {{1, 0}, {2, 0}, {4, 0}, {8, 0}, {16, 0}, {32, 0}}, {}, {}, {64, 64}));
  EXPECT_ENCODES(dot(mfma({1, 1}, {64, 4, 64}, true), 1, 4), PerDim({64, 4}),
                 distributed({{1, 0}, {2, 0}}, {{0, 1}, {0, 2}, {4, 0}, {8, 0}, {16, 0}, {32, 0}},
                             {}, {}, {64, 4}));
}

// ---- amd_wmma ---------------------------------------------------------------------------

TEST(AmdWmma, Version1InterleavesTheHalvesRowByRow) {
  const Bases lanes = {{0, 1}, {0, 2}, {0, 4}, {0, 8}, {1, 0}};
  const Encoding e = wmma(1, false, {2, 4});
  EXPECT_ENCODES(
      e, PerDim({16, 32}),
      distributed({{2, 0}, {4, 0}, {8, 0}}, lanes, {{0, 16}, {0, 0}, {0, 0}}, {}, {16, 32}));
  EXPECT_ENCODES(e, PerDim({128, 128}),
                 distributed({{2, 0}, {4, 0}, {8, 0}, {0, 64}, {32, 0}, {64, 0}}, lanes,
                             {{0, 16}, {0, 32}, {16, 0}}, {}, {128, 128}));
}

TEST(AmdWmma, Version2GivesEachHalfEightRows) {
  EXPECT_ENCODES(wmma(2, false, {1, 1}), PerDim({16, 16}),
                 distributed({{1, 0}, {2, 0}, {4, 0}}, {{0, 1}, {0, 2}, {0, 4}, {0, 8}, {8, 0}}, {},
                             {}, {16, 16}));
  EXPECT_ENCODES(wmma(2, true, {1, 1}), PerDim({16, 16}),
                 distributed({{0, 1}, {0, 2}, {0, 4}}, {{1, 0}, {2, 0}, {4, 0}, {8, 0}, {0, 8}}, {},
                             {}, {16, 16}));
}

TEST(AmdWmma, WithBatch) {
  EXPECT_ENCODES(wmma(1, false, {2, 4, 1}), PerDim({8, 16, 16}),
                 distributed({{0, 2, 0}, {0, 4, 0}, {0, 8, 0}, {2, 0, 0}, {4, 0, 0}},
                             {{0, 0, 1}, {0, 0, 2}, {0, 0, 4}, {0, 0, 8}, {0, 1, 0}},
                             {{0, 0, 0}, {0, 0, 0}, {1, 0, 0}}, {}, {8, 16, 16}));
}

TEST(AmdWmma, OperandsOfVersion1AreHeldTwice) {
  EXPECT_ENCODES(dot(wmma(1, false, {1, 1}), 0, 16), PerDim({16, 16}),
                 distributed({{0, 1}, {0, 2}, {0, 4}, {0, 8}},
                             {{1, 0}, {2, 0}, {4, 0}, {8, 0}, {0, 0}}, {}, {}, {16, 16}));
  EXPECT_ENCODES(dot(wmma(2, false, {1, 1}), 1, 8), PerDim({16, 16}),
                 distributed({{1, 0}, {2, 0}, {4, 0}}, {{0, 1}, {0, 2}, {0, 4}, {0, 8}, {8, 0}}, {},
                             {}, {16, 16}));
}

TEST(AmdWmma, OperandsWithBatchRepeatAlongKFirst) {
  const PerDim a = {4, 128, 32};
  EXPECT_ENCODES(
      dot(wmma(1, false, {2, 4, 1}), 0, 16), a,
      distributed({{0, 0, 1}, {0, 0, 2}, {0, 0, 4}, {0, 0, 8}, {0, 0, 16}, {0, 64, 0}, {2, 0, 0}},
                  {{0, 1, 0}, {0, 2, 0}, {0, 4, 0}, {0, 8, 0}, {0, 0, 0}},
                  {{0, 16, 0}, {0, 32, 0}, {1, 0, 0}}, {}, a));
  EXPECT_ENCODES(dot(wmma(2, false, {2, 4, 1}), 1, 8), a,
                 distributed({{0, 1, 0},
                              {0, 2, 0},
                              {0, 4, 0},
                              {0, 16, 0},
                              {0, 32, 0},
                              {0, 64, 0},
                              {0, 0, 16},
                              {2, 0, 0}},
                             {{0, 0, 1}, {0, 0, 2}, {0, 0, 4}, {0, 0, 8}, {0, 8, 0}},
                             {{0, 0, 0}, {0, 0, 0}, {1, 0, 0}}, {}, a));
  // kWidth 16 with two half waves covers more than the 16 of the instruction.
  EXPECT_ENCODES(dot(wmma(2, false, {2, 4}), 0, 16), PerDim({32, 128}),
                 distributed({{0, 1}, {0, 2}, {0, 4}, {0, 8}, {0, 32}, {0, 64}},
                             {{1, 0}, {2, 0}, {4, 0}, {8, 0}, {0, 16}}, {{0, 0}, {0, 0}, {16, 0}},
                             {}, {32, 128}));
}

// ---- dot_operand of blocked ---------------------------------------------------------------

TEST(BlockedOperand, HoldsAllOfK) {
  const Encoding of = blocked({1, 1}, {4, 8}, {2, 1}, {1, 0});
  EXPECT_ENCODES(dot(of, 0, 0), PerDim({8, 4}),
                 distributed({{0, 1}, {0, 2}}, {{0, 0}, {0, 0}, {0, 0}, {1, 0}, {2, 0}}, {{4, 0}},
                             {}, {8, 4}));
  EXPECT_ENCODES(dot(of, 1, 0), PerDim({4, 8}),
                 distributed({{1, 0}, {2, 0}}, {{0, 1}, {0, 2}, {0, 4}, {0, 0}, {0, 0}}, {{0, 0}},
                             {}, {4, 8}));
}

TEST(BlockedOperand, WithBatch) {
  const Encoding of = blocked({2, 2, 4}, {2, 4, 4}, {2, 2, 2}, {2, 1, 0});
  const PerDim a = {16, 32, 4};
  EXPECT_ENCODES(dot(of, 0, 0), a,
                 distributed({{0, 0, 1}, {0, 0, 2}, {0, 1, 0}, {1, 0, 0}, {0, 16, 0}, {8, 0, 0}},
                             {{0, 0, 0}, {0, 0, 0}, {0, 2, 0}, {0, 4, 0}, {2, 0, 0}},
                             {{0, 0, 0}, {0, 8, 0}, {4, 0, 0}}, {}, a));
}

// ---- shared memory ------------------------------------------------------------------------

static Encoding swizzled(uint64_t vec, uint64_t perPhase, uint64_t maxPhase, PerDim order,
                         CtaParams cta = {}) {
  return {SwizzledSharedEncoding{vec, perPhase, maxPhase, order, cta}};
}

TEST(SwizzledShared, PhasesFollowPerPhaseAndMaxPhase) {
  EXPECT_ENCODES(
      swizzled(2, 2, 4, {1, 0}), PerDim({32, 32}),
      shared({{0, 1}, {0, 2}, {0, 4}, {0, 8}, {0, 16}, {1, 0}, {2, 2}, {4, 4}, {8, 0}, {16, 0}},
             {32, 32}));
  EXPECT_ENCODES(swizzled(1, 1, 4, {0, 1}), PerDim({4, 8}),
                 shared({{1, 0}, {2, 0}, {1, 1}, {2, 2}, {0, 4}}, {4, 8}));
}

TEST(SwizzledShared, OneDimIsPlain) {
  EXPECT_ENCODES(swizzled(1, 1, 1, {0}), PerDim({4}), shared({{1}, {2}}, {4}));
}

TEST(SwizzledShared, EachBlockSwizzlesItsOwnPiece) {
  EXPECT_ENCODES(swizzled(1, 1, 4, {1, 0}, {{2, 1}, {2, 1}, {1, 0}}), PerDim({4, 4}),
                 expected({{"offset", {{0, 1}, {0, 2}, {1, 1}}}, {"block", {{2, 0}}}}, {4, 4}));
}

TEST(SwizzledShared, OuterDimsAreNotSwizzled) {
  EXPECT_ENCODES(swizzled(1, 1, 2, {2, 1, 0}), PerDim({2, 2, 2}),
                 shared({{0, 0, 1}, {0, 1, 1}, {1, 0, 0}}, {2, 2, 2}));
}

TEST(AmdRotatingShared, ThePhaseRotatesFromBlockToBlock) {
  EXPECT_ENCODES(Encoding{(AmdRotatingSharedEncoding{1, 1, 4, {1, 0}, {}})}, PerDim({16, 4}),
                 shared({{0, 1}, {0, 2}, {1, 1}, {2, 2}, {4, 1}, {8, 2}}, {16, 4}));
}

static Encoding nvmma(uint64_t bytes, bool transposed, uint64_t bits, bool fp4 = false) {
  return {NvmmaSharedEncoding{bytes, transposed, bits, fp4, {}}};
}

TEST(NvmmaShared, SwizzleWidths) {
  EXPECT_ENCODES(nvmma(32, false, 16), PerDim({8, 16}),
                 shared({{0, 1}, {0, 2}, {0, 4}, {0, 8}, {1, 0}, {2, 0}, {4, 8}}, {8, 16}));
  EXPECT_ENCODES(
      nvmma(64, false, 16), PerDim({8, 32}),
      shared({{0, 1}, {0, 2}, {0, 4}, {0, 8}, {0, 16}, {1, 0}, {2, 8}, {4, 16}}, {8, 32}));
  EXPECT_ENCODES(
      nvmma(128, false, 16), PerDim({8, 64}),
      shared({{0, 1}, {0, 2}, {0, 4}, {0, 8}, {0, 16}, {0, 32}, {1, 8}, {2, 16}, {4, 32}},
             {8, 64}));
}

TEST(NvmmaShared, WiderTensorsAreStripsOfOneSwizzleWidth) {
  EXPECT_ENCODES(
      nvmma(32, false, 16), PerDim({16, 32}),
      shared({{0, 1}, {0, 2}, {0, 4}, {0, 8}, {1, 0}, {2, 0}, {4, 8}, {8, 0}, {0, 16}}, {16, 32}));
}

TEST(NvmmaShared, Transposed) {
  EXPECT_ENCODES(nvmma(32, true, 16), PerDim({16, 8}),
                 shared({{1, 0}, {2, 0}, {4, 0}, {8, 0}, {0, 1}, {0, 2}, {8, 4}}, {16, 8}));
}

TEST(NvmmaShared, Fp4PaddingRepeatsElements) {
  EXPECT_ENCODES(nvmma(32, false, 8, true), PerDim({8, 16}),
                 shared({{0, 1}, {0, 2}, {0, 4}, {0, 0}, {0, 8}, {1, 0}, {2, 0}, {4, 8}}, {8, 16}));
}

TEST(NvmmaShared, WithoutSwizzleRowsAreCutIntoBoxesOf256) {
  EXPECT_ENCODES(
      nvmma(0, false, 16), PerDim({2, 512}),
      shared(
          {{0, 1}, {0, 2}, {0, 4}, {0, 8}, {0, 16}, {0, 32}, {0, 64}, {0, 128}, {1, 0}, {0, 256}},
          {2, 512}));
}

TEST(NvmmaShared, ATensorSmallerThanTheTileIsAnError) {
  EXPECT_FALSE(toLinearLayout(nvmma(128, false, 16), {8, 32}));
  EXPECT_FALSE(toLinearLayout(nvmma(128, false, 16), {4, 64}));
}

TEST(PaddedShared, TheLayoutIsTheOneBeforePadding) {
  PaddedSharedEncoding e;
  e.intervals = {32, 128};
  e.paddings = {4, 8};
  e.order = {1, 0};
  EXPECT_ENCODES(Encoding{e}, PerDim({2, 4}), shared({{0, 1}, {0, 2}, {1, 0}}, {2, 4}));
  EXPECT_EQ(paddedOffset(e, 31), 31u);
  EXPECT_EQ(paddedOffset(e, 32), 36u);
  EXPECT_EQ(paddedOffset(e, 130), 130u + 4 * 4 + 8);
}

TEST(PaddedShared, BasesMayBeGiven) {
  PaddedSharedEncoding e;
  e.offset = {{0, 1}, {1, 0}, {0, 2}};
  EXPECT_ENCODES(Encoding{e}, PerDim({2, 4}), shared({{0, 1}, {1, 0}, {0, 2}}, {2, 4}));
}

// ---- names and errors -----------------------------------------------------------------------

TEST(Encodings, EveryFamilyCanBeMadeByName) {
  EXPECT_EQ(encodingFamilies().size(), 10u);
  for (const std::string &family : encodingFamilies())
    EXPECT_EQ(familyName(*makeEncoding(family)), family);
  EXPECT_FALSE(makeEncoding("mma"));
}

TEST(Encodings, ParametersAreVisitedUnderTheirPublicNames) {
  Encoding e = *makeEncoding("amd_mfma");
  std::vector<std::string> names;
  visitParams(e, [&](const char *name, auto &) { names.push_back(name); });
  EXPECT_THAT(names, testing::ElementsAre("version", "instrShape", "isTransposed", "warpsPerCTA",
                                          "tilesPerWarp", "elementBitWidth", "CTAsPerCGA",
                                          "CTASplitNum", "CTAOrder"));
}

TEST(Encodings, BadParametersAreErrors) {
  EXPECT_FALSE(toLinearLayout(blocked({1}, {32}, {4}, {0}), {100}));
  EXPECT_FALSE(toLinearLayout(blocked({1}, {32}, {3}, {0}), {128}));
  EXPECT_FALSE(toLinearLayout(blocked({1, 1}, {8, 4}, {1, 4}, {1, 1}), {16, 16}));
  EXPECT_FALSE(toLinearLayout(blocked({1}, {32}, {4}, {0}), {16, 16}));
  EXPECT_FALSE(toLinearLayout(mma(1, {16, 16}, {1, 1}), {16, 16}));
  EXPECT_FALSE(toLinearLayout(mfma({1, 1}, {8, 8, 8}, false), {16, 16}));
  EXPECT_FALSE(toLinearLayout(mfma({1, 1}, {64, 4, 4}, false), {64, 4}));
  EXPECT_FALSE(toLinearLayout(dot(mma(3, {16, 16, 16}, {4, 1}), 1, 2), {16, 16}));
  EXPECT_FALSE(toLinearLayout(dot(swizzled(1, 1, 1, {1, 0}), 0, 2), {16, 16}));
  EXPECT_FALSE(toLinearLayout(slice(swizzled(1, 1, 1, {1, 0}), 0), {16}));
  EXPECT_FALSE(toLinearLayout(Encoding{SliceEncoding{}}, {16}));
  EXPECT_FALSE(toLinearLayout(nvmma(48, false, 16), {16, 64}));
  EXPECT_FALSE(toLinearLayout(blocked({uint64_t(1) << 40}, {uint64_t(1) << 40}, {1}, {0}), {16}));
  EXPECT_FALSE(toLinearLayout(blocked({1}, {32}, {4}, {0}), {}));
}
