// Forms of the index expressions that kernels really have, and the traps among them.
#include "Build.h"

#include <gmock/gmock.h>

using namespace layout_port::recover;
using testing::ElementsAre;

namespace {

uint64_t weight(const NumericForm &form, int field, int bit) {
  return form.strided->fields[field].weights[bit];
}

} // namespace

// ---- The four kinds ------------------------------------------------------------

TEST(Forms, XorSwizzleIsAffineOverF2) {
  Block b;
  const E row = b.lane & 15, chunk = b.lane >> 4;
  const Form form = b.form(row * 64 + ((chunk ^ (row & 7)) << 3));
  ASSERT_EQ(form.kind, FormKind::AffineF2) << form.reason;
  EXPECT_THAT(form.number.affine->linear.columns(), ElementsAre(72, 144, 288, 512, 8));
  EXPECT_EQ(form.number.affine->constant, 0u);
  EXPECT_FALSE(form.number.strided); // row * 72, but not at chunk 1
}

TEST(Forms, PaddingIsAffineOverTheIntegersOnly) {
  Block b;
  const Form form = b.form((b.lane >> 2) * 40 + (b.lane & 3));
  ASSERT_EQ(form.kind, FormKind::AffineInt);
  EXPECT_FALSE(form.number.affine);
  EXPECT_THAT(form.number.strided->fields[0].weights, ElementsAre(1, 2, 40, 80, 160));
}

// 36 = 0b100100 shifted by up to two bits never meets itself: eight such rows are linear too.
TEST(Forms, SomePaddingIsLinearForFewRows) {
  Block b;
  EXPECT_EQ(b.form((b.lane >> 2) * 36 + (b.lane & 3)).kind, FormKind::AffineF2);
  EXPECT_EQ(b.form((b.lane >> 1) * 36 + (b.lane & 1)).kind, FormKind::AffineInt);
}

TEST(Forms, RowMajorIsBoth) {
  Block b;
  const Form form = b.form((b.lane >> 2) * 32 + (b.lane & 3) * 2 + 1);
  ASSERT_EQ(form.kind, FormKind::AffineF2);
  ASSERT_TRUE(form.number.strided);
  EXPECT_EQ(form.number.affine->constant, 1u);
  EXPECT_EQ(weight(form.number, 0, 2), 32u);
}

// A rotation carries: not linear, but each half of one deciding bit is.
TEST(Forms, RotationIsPiecewise) {
  Block b;
  const E col = b.lane & 3, row = b.lane >> 2;
  const Form form = b.form((col + row / 2) % 4);
  ASSERT_EQ(form.kind, FormKind::Piecewise);
  ASSERT_EQ(form.number.pieces.size(), 2u);
  for (uint64_t lane = 0; lane < 32; ++lane) {
    const Piece &piece = form.number.pieces[(lane & form.number.pieces[1].mask) != 0];
    EXPECT_EQ((lane & piece.mask), piece.value);
    const uint64_t expected = ((lane & 3) + (lane >> 2) / 2) % 4;
    EXPECT_EQ(form.number.at(lane), expected);
    EXPECT_EQ(piece.affine ? piece.affine->apply(lane) : piece.strided->apply(lane), expected);
  }
}

TEST(Forms, ASquareIsATable) {
  Block b;
  const Form form = b.form(b.lane * b.lane % 29);
  ASSERT_EQ(form.kind, FormKind::Table);
  EXPECT_EQ(form.number.at(31), 31u * 31u % 29u);
}

// `if (lane > 15) i += 8;` is one bit, moved.
TEST(Forms, ABranchOnOneLaneBitIsLinear) {
  Block b;
  const E i = b.lane & 7;
  const E after = b.select(b.lane.number(15) < b.lane, i + 8, i);
  const Form form = b.form(after);
  ASSERT_EQ(form.kind, FormKind::AffineF2);
  EXPECT_THAT(form.number.affine->linear.columns(), ElementsAre(1, 2, 4, 0, 8));
}

TEST(Forms, ABranchOnTwoLaneBitsIsPiecewise) {
  Block b;
  const E far = b.lane.number(23) < b.lane; // lane >= 24: bits 3 and 4
  const Form form = b.form(b.select(far, b.lane * 3 + 100, b.lane * 5));
  EXPECT_EQ(form.kind, FormKind::Piecewise);
  EXPECT_EQ(form.number.pieces.size(), 4u);
}

// ---- Precedence as C++ has it ----------------------------------------------------

// After a sum, ^ takes the whole address: i + c ^ row is (i + c) ^ row.
TEST(Forms, XorBindsLooserThanPlus) {
  Block b;
  const E row = b.lane >> 2, c = b.lane & 3;
  const Form whole = b.form(row * 4 + c ^ row);
  ASSERT_EQ(whole.kind, FormKind::AffineF2);
  EXPECT_THAT(whole.number.affine->linear.columns(), ElementsAre(1, 2, 5, 10, 20));
  // i % d ^ row and c ^ r / 2 & 3.
  EXPECT_EQ(b.form(b.lane % 4 ^ row).number.at(13), uint64_t(13 % 4 ^ 3));
  EXPECT_EQ(b.form(c ^ row / 2 & 3).number.at(29), uint64_t(1 ^ (7 / 2 & 3)));
}

// ---- Uniform parts ---------------------------------------------------------------

TEST(Forms, PointersAndStridesStandApart) {
  Block b;
  // base + row * K + k0 + col, in halves: 2 * (...)
  const E base = b.buffer("A", 4).to(kI64);
  const E row = b.lane >> 2, col = (b.lane & 3) * 2;
  const E offset = (row * b.K).to(kI64) + b.symbol("k0", kI32).to(kI64) + col.to(kI64);
  const Form form = b.form(base + offset * 2);
  ASSERT_EQ(form.kind, FormKind::AffineF2) << form.reason;
  EXPECT_THAT(form.number.affine->linear.columns(), ElementsAre(4, 8, 0, 0, 0));
  ASSERT_EQ(form.strided.size(), 1u);
  EXPECT_EQ(b.graph.toString(form.strided[0].stride), "K");
  EXPECT_THAT(form.strided[0].form.affine->linear.columns(), ElementsAre(0, 0, 2, 4, 8));
  EXPECT_EQ(form.uniform->support.size(), 0u);
  EXPECT_TRUE(form.assumptions.empty());
}

// XOR on the u32 address of a buffer that is aligned far enough needs no assumption.
TEST(Forms, XorOnAnAlignedAddress) {
  Block b;
  const E base = b.buffer("tile", 7);
  const E row = (b.lane & 7).to(kU32);
  const Form form = b.form((base + row * 128) ^ (row << 4));
  ASSERT_EQ(form.kind, FormKind::AffineF2) << form.reason;
  EXPECT_TRUE(form.assumptions.empty());
  EXPECT_EQ(b.graph.toString(form.uniform), "tile");
  EXPECT_THAT(form.number.affine->linear.columns(), ElementsAre(144, 288, 576, 0, 0));
}

// With 16 bytes only, the author relied on more: that is an assumption a port can see to.
TEST(Forms, XorOnALessAlignedAddressAssumes) {
  Block b;
  const E row = (b.lane & 7).to(kU32);
  const Form form = b.form((b.smem + row * 128) ^ (row << 4));
  ASSERT_EQ(form.kind, FormKind::AffineF2) << form.reason;
  ASSERT_EQ(form.assumptions.size(), 1u);
  EXPECT_EQ(toString(b.graph, form.assumptions[0]), "smem is aligned to 128 bytes");
}

// addr ^= k * 32 along k: XOR of a loop index onto the address.
TEST(Forms, XorWalkAlongK) {
  Block b;
  const E base = b.buffer("tile", 10);
  const E row = (b.lane & 7).to(kU32);
  const E addr = base + row * 128 + ((b.lane.to(kU32) >> 4 ^ row) << 4);
  const Form form = b.form(addr ^ b.j.to(kU32) * 32);
  ASSERT_EQ(form.kind, FormKind::AffineF2) << form.reason;
  EXPECT_EQ(form.number.inputs, (std::vector<VariableId>{b.threads.lane, b.jId}));
  EXPECT_THAT(form.number.affine->linear.columns(),
              ElementsAre(128 + 16, 256 + 32, 512 + 64, 0, 16, 32, 64));
}

TEST(Forms, AStageOfARingIsUniform) {
  Block b;
  const E stage = (b.t & 1).to(kU32);
  const Form form = b.form(b.smem + stage * 4096 + (b.lane & 15).to(kU32) * 64);
  ASSERT_EQ(form.kind, FormKind::AffineF2) << form.reason;
  EXPECT_EQ(b.graph.toString(form.uniform), "smem + (t & 1) * 4096");
  EXPECT_EQ(form.uniformZeroBits, 4u);
}

TEST(Forms, UnknownSaysWhy) {
  Block b;
  const Index loaded =
      b.graph.opaque("table[lane]", kI32, {b.lane.index}, "line 7: loaded from memory");
  const Form form = b.form(E{&b.graph, loaded} * 4 + b.lane);
  EXPECT_EQ(form.kind, FormKind::Unknown);
  EXPECT_EQ(form.reason, "line 7: loaded from memory");
  const Form mixed = b.form((b.lane + b.K) / 3);
  EXPECT_EQ(mixed.kind, FormKind::Unknown);
  EXPECT_EQ(mixed.reason, "lanes and unknown values do not come apart in (lane + K) / 3");
}

// Variables that come apart by addition stay out of the inputs; others join them.
TEST(Forms, OnlyWhatIsAsked) {
  Block b;
  const Form apart = b.form(b.lane * 4 + b.j * 128, {b.threads.lane});
  EXPECT_EQ(apart.number.inputs, (std::vector<VariableId>{b.threads.lane}));
  EXPECT_EQ(b.graph.toString(apart.uniform), "j * 128");
  const Form joint = b.form((b.lane ^ b.j) * 4, {b.threads.lane});
  EXPECT_EQ(joint.number.inputs, (std::vector<VariableId>{b.threads.lane, b.jId}));
}

// ---- Wrapping --------------------------------------------------------------------

TEST(Forms, SixteenBitsWrap) {
  Block b;
  const IndexType u16{16, false};
  const E wrapped = ((b.thread + 65500).to(u16)).to(kI32);
  EXPECT_NE(b.form(wrapped).kind, FormKind::AffineInt);
  EXPECT_EQ(b.graph.evaluate(wrapped.index, {{{b.threads.lane, 30}, {b.threads.pair, 1}}, {}}),
            (62 + 65500) % 65536u);
  const IndexType i16{16, true};
  EXPECT_EQ(int64_t(b.graph.evaluate((b.lane * 3000).to(i16).to(kI32).index,
                                     {{{b.threads.lane, 11}}, {}})),
            int16_t(33000));
}

TEST(Forms, UnsignedDifferencesWrapAndSignedDoNot) {
  Block b;
  const E u = (b.lane.to(kU32) - 1).to(kU64);
  const E s = (b.lane - 1).to(kI64);
  EXPECT_EQ(b.graph.evaluate(u.index, {}), 0xFFFFFFFFu);
  EXPECT_EQ(int64_t(b.graph.evaluate(s.index, {})), -1);
  EXPECT_EQ(b.form(s).kind, FormKind::AffineInt);
  EXPECT_EQ(b.form(u).kind, FormKind::Table);
}

// 32-bit indices with a block offset: the widening is only right if they do not wrap, and
// for unsigned ones the language does not promise that.
TEST(Forms, WideningOfAMixedUnsignedIndexIsAssumed) {
  Block b;
  const E block = b.symbol("blockIdx.x", kU32);
  const E global = block * 128 + b.thread.to(kU32);
  const Form form = b.form(global.to(kU64) * 4);
  ASSERT_EQ(form.kind, FormKind::AffineF2) << form.reason;
  ASSERT_EQ(form.assumptions.size(), 1u);
  EXPECT_EQ(toString(b.graph, form.assumptions[0]),
            "blockIdx.x * 128 + (lane + (h + wave * 2) * 32) does not wrap around");
  EXPECT_TRUE(b.form((b.symbol("by", kI32) * 128 + b.thread).to(kI64) * 4).assumptions.empty());
}

// ---- Dependence ------------------------------------------------------------------

TEST(Dependence, IsOfTheValueNotOfTheText) {
  Block b;
  EXPECT_FALSE(b.depends((b.lane & 31) >> 5, b.threads.lane));
  EXPECT_FALSE(b.depends(b.lane - (b.lane & 31), b.threads.lane));
  EXPECT_FALSE(b.depends(b.K + b.lane - b.lane, b.threads.lane));
  EXPECT_TRUE(b.depends(b.lane >> 4, b.threads.lane));
  EXPECT_FALSE(b.depends(b.warp >> 1, b.threads.pair));
  EXPECT_TRUE(b.depends(b.warp >> 1, b.threads.wave));
  EXPECT_TRUE(b.depends(b.warp & 1, b.threads.pair));
  EXPECT_FALSE(b.depends(b.warp & 1, b.threads.wave));
}

// Two by two warps: A's rows by warp >> 1, so a pair reads the same A and different B.
TEST(Dependence, APairOfWarpsSharesAnOperand) {
  Block b;
  const E row = (b.warp >> 1) * 32 + (b.lane & 15), col = (b.warp & 1) * 32 + b.j * 8;
  const E a = b.smem + ((row * 32 + ((b.lane >> 4 ^ row >> 1) & 3) * 8) * 2).to(kU32);
  const E bb = b.smem + (((b.lane & 15) * 64 + (col ^ (b.lane & 7) * 8)) * 2).to(kU32);
  EXPECT_FALSE(b.depends(a, b.threads.pair));
  EXPECT_TRUE(b.depends(bb, b.threads.pair));
}

// Too many joint values to try all: decided by shape.
TEST(Dependence, OfManyVariablesByShape) {
  Block b;
  E e = b.lane;
  for (int i = 0; i < 6; ++i) {
    const VariableId v = b.graph.addVariable({"i" + std::to_string(i), 8, Role::Loop});
    e = e * 8 + E{&b.graph, b.graph.variable(v)};
  }
  const E low = e & 0x3FFFF;
  EXPECT_FALSE(b.depends(low, b.threads.lane));
  EXPECT_TRUE(b.depends(e, b.threads.lane));
  const Form form = b.form(e ^ e >> 3);
  EXPECT_EQ(form.kind, FormKind::AffineF2) << form.reason;
  // Padding, by terms.
  EXPECT_EQ(b.form(e * 9 + b.lane).kind, FormKind::AffineInt);
}

TEST(Dependence, UniformityOfConditions) {
  Block b;
  const auto is = [&](E e) { return uniformity(b.graph, e.index, b.threads); };
  EXPECT_EQ(is(b.t * 32 < b.K), Uniformity::Uniform);
  EXPECT_EQ(is(b.thread < 64), Uniformity::PairUniform);
  EXPECT_EQ(is(b.warp == 0), Uniformity::WarpUniform);
  EXPECT_EQ(is(b.thread < 96), Uniformity::WarpUniform);
  EXPECT_EQ(is(b.lane == 0), Uniformity::Divergent);
  EXPECT_EQ(is(b.lane + b.K < b.K + 32), Uniformity::Uniform); // always true
  EXPECT_EQ(is(b.warp * 16 < b.K), Uniformity::WarpUniform);
}

// ---- Differences and alignment -----------------------------------------------------

TEST(Difference, OfNeighbouringAddresses) {
  Block b;
  const E row = b.lane >> 2;
  const E c0 = (row * b.K + (b.lane & 3) * 2).to(kI64) * 2;
  const E c1 = (row * b.K + (b.lane & 3) * 2 + 1).to(kI64) * 2;
  const E c2 = ((row + 8) * b.K + (b.lane & 3) * 2).to(kI64) * 2;
  EXPECT_EQ(difference(b.graph, c1.index, c0.index), 2);
  EXPECT_EQ(difference(b.graph, c0.index, c1.index), -2);
  EXPECT_EQ(difference(b.graph, c2.index, c0.index), std::nullopt); // 16 K
  // A swizzle's neighbours inside a chunk.
  const E s0 = (row * 64 + ((b.j ^ row & 7) << 3)), s1 = (row * 64 + ((b.j ^ row & 7) << 3) + 4);
  EXPECT_EQ(difference(b.graph, s1.index, s0.index), 4);
}

TEST(Difference, BaseObjects) {
  Block b;
  Index offset = nullptr;
  const E address = b.smem + (b.lane * 16).to(kU32);
  EXPECT_EQ(baseObject(b.graph, address.index, &offset), &b);
  EXPECT_EQ(b.graph.toString(offset), "lane * 16");
  EXPECT_EQ(baseObject(b.graph, (address + b.smem).index), nullptr);
  EXPECT_EQ(baseObject(b.graph, b.lane.index), nullptr);
}

TEST(Alignment, KnownZeroBits) {
  Block b;
  const auto zeros = [&](E e) { return knownZeroBits(b.graph, e.index); };
  EXPECT_EQ(zeros(b.lane * 8), 3u);
  EXPECT_EQ(zeros((b.lane * 3 & 28) * 4), 4u);
  EXPECT_EQ(zeros(b.smem + (b.lane * 64).to(kU32)), 4u);
  EXPECT_EQ(zeros(b.smem + (b.lane * 8).to(kU32)), 3u);
  EXPECT_EQ(zeros((b.lane + 1) * 2 - b.lane * 2), 1u); // always 2
  EXPECT_EQ(zeros(b.K * 8 + b.lane * 16), 3u);
  EXPECT_EQ(zeros(b.K), 0u);
}

TEST(Printing, AsCppWouldWriteIt) {
  Block b;
  EXPECT_EQ(b.graph.toString(((b.lane + 1) * 4 ^ (b.j & 3)).index), "(lane + 1) * 4 ^ j");
  EXPECT_EQ(b.graph.toString((b.lane - (b.j - 1)).index), "lane - (j - 1)");
}
