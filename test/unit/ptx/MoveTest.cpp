// mov, cvta, cvt.
#include "PtxTesting.h"

using namespace layout_port::ptx;

TEST(Move, ReadsSpecialRegisters) {
  const One<Move> move("mov.u32 %0, %%laneid;");
  EXPECT_EQ(move->kind, Move::Kind::Scalar);
  EXPECT_EQ(move->sources[0]->name, "%laneid");
}

TEST(Move, PacksLowPartFirst) {
  const One<Move> move("mov.b32 %0, {%1, %2};");
  EXPECT_EQ(move->kind, Move::Kind::Pack);
  EXPECT_EQ(move->partBits, 16u);
  EXPECT_EQ(move->sources[0]->index, 1);
}

TEST(Move, UnpacksIntoTwoOrFour) {
  const One<Move> two("mov.b64 {%0, %1}, %2;");
  EXPECT_EQ(two->kind, Move::Kind::Unpack);
  EXPECT_EQ(two->partBits, 32u);
  EXPECT_EQ(One<Move>("{.reg .b8 a,b,c,d; mov.b32 {a, b, c, d}, %0;}")->partBits, 8u);
  EXPECT_EQ(refusal("mov.b16 {%0, %1, %2, %3}, %4;"), "mov.b16 cannot hold 4 parts");
  EXPECT_EQ(refusal("mov.u32 {%0, %1}, %2;"), "mov packs and unpacks only .b types");
}

TEST(Cvta, GoesBothWays) {
  const One<AddressConversion> to("cvta.to.shared.u64 %0, %1;");
  EXPECT_TRUE(to->toSpace);
  EXPECT_EQ(to->space, Space::Shared);
  EXPECT_EQ(to->bits, 64u);
  EXPECT_FALSE(One<AddressConversion>("cvta.global.u64 %0, %1;")->toSpace);
}

TEST(Convert, PackedSourcesComeHighFirst) {
  const One<Convert> c("cvt.rn.relu.bf16x2.f32 %0, %1, %2;");
  EXPECT_EQ(c->to, Type::BF16x2);
  EXPECT_EQ(c->from, Type::F32);
  EXPECT_TRUE(c->relu);
  EXPECT_EQ(c->sources[0]->index, 1);
}

TEST(Convert, EightBitFloats) {
  EXPECT_EQ(One<Convert>("cvt.rn.satfinite.e4m3x2.f32 %0, %1, %2;")->to, Type::E4M3x2);
  EXPECT_EQ(One<Convert>("cvt.rn.f16x2.e5m2x2 %0, %1;")->from, Type::E5M2x2);
  EXPECT_EQ(refusal("cvt.rn.e4m3x2.f32 %0, %1, %2;"), "cvt.rn.e4m3x2.f32 lacks .satfinite");
}

TEST(Convert, RoundingIsGivenExactlyWhereItMatters) {
  EXPECT_EQ(One<Convert>("cvt.rna.tf32.f32 %0, %1;")->rounding, Rounding::NearestAway);
  EXPECT_TRUE(One<Convert>("cvt.rzi.ftz.s32.f32 %0, %1;")->toInteger);
  EXPECT_EQ(One<Convert>("cvt.f32.f16 %0, %1;")->rounding, Rounding::None);
  EXPECT_EQ(One<Convert>("cvt.u32.u16 %0, %1;")->to, Type::U32);
  EXPECT_EQ(refusal("cvt.f16.f32 %0, %1;"), "cvt.f16.f32 needs .rn, .rz, .rm or .rp");
  EXPECT_EQ(refusal("cvt.s32.f32 %0, %1;"), "cvt.s32.f32 needs .rni, .rzi, .rmi or .rpi");
  EXPECT_EQ(refusal("cvt.f32.s32 %0, %1;"), "cvt.f32.s32 needs .rn, .rz, .rm or .rp");
  EXPECT_EQ(refusal("cvt.rn.u32.u16 %0, %1;"), "cvt.rn.u32.u16: integers are not rounded");
}

TEST(Convert, ClampsBelongToNarrowedFloats) {
  EXPECT_TRUE(One<Convert>("cvt.rn.satfinite.f16.f32 %0, %1;")->satfinite);
  EXPECT_TRUE(One<Convert>("cvt.rna.satfinite.tf32.f32 %0, %1;")->satfinite);
  EXPECT_EQ(refusal("cvt.rn.relu.f16.s32 %0, %1;"),
            ".relu belongs to f32 made f16, bf16 or tf32 by .rn or .rz");
  EXPECT_EQ(refusal("cvt.rp.satfinite.bf16.f32 %0, %1;"),
            ".satfinite belongs to f32 made f16, bf16 or tf32 by .rn or .rz");
  EXPECT_EQ(refusal("cvt.rn.f32.f32 %0, %1;"), "cvt.rn.f32.f32 rounds only to integers");
}
