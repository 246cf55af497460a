// Computations of one lane: arithmetic, bits, comparisons.
#include "PtxTesting.h"

using namespace layout_port::ptx;

TEST(Arithmetic, WideProductsAreTwiceAsWide) {
  const One<Arithmetic> mul("mul.wide.u16 %0, %1, %2;");
  EXPECT_EQ(mul->part, ProductPart::Wide);
  EXPECT_EQ(mul->type, Type::U16);
  EXPECT_EQ(mul->result, Type::U32);
  EXPECT_EQ(One<Arithmetic>("mad.wide.s32 %0, %1, %2, %3;")->result, Type::S64);
  EXPECT_EQ(One<Arithmetic>("mul.lo.s32 %0, %1, %2;")->result, Type::S32);
}

TEST(Arithmetic, CountsAreThirtyTwoBitsWide) {
  EXPECT_EQ(One<Arithmetic>("popc.b64 %0, %1;")->result, Type::U32);
  EXPECT_EQ(One<Arithmetic>("brev.b64 %0, %1;")->result, Type::B64);
}

TEST(Arithmetic, ReadsEveryFlagOfAHalfFma) {
  const One<Arithmetic> fma("fma.rn.ftz.relu.f16x2 %0, %1, %2, %3;");
  EXPECT_EQ(fma->operation, Operation::Fma);
  EXPECT_EQ(fma->rounding, Rounding::NearestEven);
  EXPECT_TRUE(fma->flush);
  EXPECT_TRUE(fma->relu);
  EXPECT_FALSE(fma->saturate);
  EXPECT_EQ(fma->sources.size(), 3u);
  EXPECT_EQ(elementOf(fma->type), Type::F16);
}

TEST(Arithmetic, MixedPrecisionNamesTheTypeOfItsLeadingSources) {
  const One<Arithmetic> add("add.rn.f32.bf16 %0, %1, %2;");
  EXPECT_EQ(add->type, Type::F32);
  EXPECT_EQ(add->leading, Type::BF16);
  EXPECT_EQ(One<Arithmetic>("add.f32 %0, %1, %2;")->leading, std::nullopt);
}

TEST(Arithmetic, CarriesAreKept) {
  EXPECT_TRUE(One<Arithmetic>("add.cc.u32 %0, %1, %2;")->carryOut);
  const One<Arithmetic> last("addc.u32 %0, %1, %2;");
  EXPECT_EQ(last->operation, Operation::AddCarry);
  EXPECT_FALSE(last->carryOut);
}

TEST(Lop3, TheTableIsANumberOrAnAsmOperand) {
  EXPECT_EQ(One<BitTable>("lop3.b32 %0, %1, %2, %3, 0xEA;")->table, 0xEAu);
  const One<BitTable> bound("lop3.b32 %0, %1, %2, %3, %4;");
  EXPECT_EQ(bound->table, std::nullopt);
  EXPECT_EQ(bound->tableOperand->index, 4);
}

TEST(Lop3, MayWriteAPredicateToo) {
  const One<BitTable> t("{.reg .pred p, q; lop3.and.b32 %0|p, %1, %2, %3, 0x80, !q;}");
  EXPECT_EQ(t->combine, BitTable::Combine::And);
  EXPECT_EQ(t->predicate->name, "p");
  EXPECT_TRUE(t->condition->negated);
}

TEST(Prmt, KnowsItsModes) {
  EXPECT_EQ(One<BytePermute>("prmt.b32 %0, %1, %2, 0x5410;")->mode, BytePermute::Mode::Default);
  EXPECT_EQ(One<BytePermute>("prmt.b32.rc16 %0, %1, %2, 1;")->mode, BytePermute::Mode::Replicate16);
}

TEST(Setp, SecondPredicateAndCombination) {
  const One<Compare> c("{.reg .pred p, q, r; setp.ge.xor.u32 p|q, %0, 5, !r;}");
  EXPECT_EQ(c->comparison, Comparison::Ge);
  EXPECT_EQ(c->combine, Compare::Combine::Xor);
  EXPECT_EQ(c->second->name, "q");
  EXPECT_TRUE(c->condition->negated);
  EXPECT_EQ(c->type, Type::U32);
}

TEST(Set, TypesAreResultThenSources) {
  const One<Compare> c("set.lt.f16x2.f16x2 %0, %1, %2;");
  EXPECT_FALSE(c->toPredicate);
  EXPECT_EQ(c->result, Type::F16x2);
  EXPECT_EQ(One<Compare>("set.lt.u32.f32 %0, %1, %2;")->type, Type::F32);
}

TEST(Set, ResultsFitTheirSources) {
  EXPECT_EQ(refusal("set.lt.b16.f32 %0, %1, %2;"),
            "set.lt.b16.f32: a comparison of .f32 gives no .b16");
  EXPECT_EQ(refusal("set.lt.ftz.u32.f64 %0, %1, %2;"), ".ftz compares .f32, .f16 or .f16x2");
}

TEST(Slct, ChoosesBySign) {
  const One<Select> s("slct.ftz.u32.f32 %0, %1, %2, %3;");
  EXPECT_TRUE(s->bySign);
  EXPECT_EQ(s->conditionType, Type::F32);
  EXPECT_EQ(refusal("slct.ftz.u32.s32 %0, %1, %2, %3;"), "slct.ftz chooses by an f32");
}
