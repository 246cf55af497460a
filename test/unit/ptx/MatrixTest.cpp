// mma, ldmatrix, stmatrix, movmatrix.
#include "PtxTesting.h"

#include "layout_port/layouts/Isa.h"

using namespace layout_port;
using namespace layout_port::ptx;

TEST(Mma, TheCommonestSpellingOfAll) {
  const One<Mma> mma("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
                     "{%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};\n");
  EXPECT_EQ(mma->name, "mma.m16n8k16.f16");
  EXPECT_EQ(mma->fragment, "mma.m16n8k16.f16");
  EXPECT_EQ(mma->m * 10000 + mma->n * 100 + mma->k, 160816u);
  EXPECT_EQ(mma->typeD, Type::F32);
  EXPECT_EQ(mma->typeA, Type::F16);
  EXPECT_EQ(mma->a.size(), 4u);
  EXPECT_EQ(mma->b[1]->index, 9);
  EXPECT_EQ(mma->c[3]->index, 3);
}

TEST(Mma, TypesAreReadInTheOrderDABC) {
  const One<Mma> mma("mma.sync.aligned.m16n8k32.row.col.satfinite.s32.u8.s8.s32 "
                     "{%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%10,%11,%12,%13};");
  EXPECT_EQ(mma->typeA, Type::U8);
  EXPECT_EQ(mma->typeB, Type::S8);
  EXPECT_EQ(mma->typeC, Type::S32);
  EXPECT_TRUE(mma->satfinite);
  EXPECT_EQ(mma->name, "mma.m16n8k32.u8.s8");
  EXPECT_EQ(mma->fragment, "mma.m16n8k32.s8");
}

// One row a shape and type: spelling, then the registers of D, A, B and C as the
// PTX ISA counts them.
struct DenseCase {
  const char *shapeAndTypes;
  unsigned d, a, b, c;
};

class DenseMma : public testing::TestWithParam<DenseCase> {};

static std::string vectorOf(unsigned registers) {
  std::string text = "{";
  for (unsigned r = 0; r < registers; ++r)
    text += (r ? ",%" : "%") + std::to_string(r);
  return text + "}";
}

static std::string mmaText(const std::string &types, unsigned d, unsigned a, unsigned b,
                           unsigned c) {
  return "mma.sync.aligned." + types + " " + vectorOf(d) + ", " + vectorOf(a) + ", " + vectorOf(b) +
         ", " + vectorOf(c) + ";";
}

TEST_P(DenseMma, TakesExactlyItsRegisters) {
  const DenseCase &t = GetParam();
  const One<Mma> mma(mmaText(t.shapeAndTypes, t.d, t.a, t.b, t.c));
  EXPECT_NE(refusal(mmaText(t.shapeAndTypes, t.d + 1, t.a, t.b, t.c)), "(decoded)");
  EXPECT_NE(refusal(mmaText(t.shapeAndTypes, t.d, t.a + 1, t.b, t.c)), "(decoded)");
  EXPECT_NE(refusal(mmaText(t.shapeAndTypes, t.d, t.a, t.b + 1, t.c)), "(decoded)");
  EXPECT_NE(refusal(mmaText(t.shapeAndTypes, t.d, t.a, t.b, t.c + 1)), "(decoded)");
}

// Two derivations of one fact: the registers this library counts from the shape
// are those that the layouts library's equations fill.
static void expectFilled(const isa::MatrixInstruction &row, char operand, Type type,
                         std::size_t registers) {
  const auto fragment = isa::fragmentOf(row, operand);
  ASSERT_TRUE(fragment.ok()) << row.name << operand;
  const unsigned registerBits = bitsOf(type) == 64 ? 64 : 32;
  EXPECT_EQ(fragment->elementsPerLane * bitsOf(type) / registerBits, registers)
      << row.name << " " << operand;
}

TEST_P(DenseMma, ItsFragmentIsARowOfTheLayoutsLibrary) {
  const DenseCase &t = GetParam();
  const One<Mma> mma(mmaText(t.shapeAndTypes, t.d, t.a, t.b, t.c));
  const auto row = isa::findMatrixInstruction(mma->fragment, isa::Arch::Nvidia);
  ASSERT_TRUE(row.ok()) << mma->fragment << ": " << row.error().message;
  EXPECT_EQ((*row)->m, static_cast<int>(mma->m));
  EXPECT_EQ((*row)->n, static_cast<int>(mma->n));
  EXPECT_EQ((*row)->k, static_cast<int>(mma->k));
  EXPECT_EQ((*row)->blocks, static_cast<int>(mma->blocks));
  expectFilled(**row, 'A', mma->typeA, t.a);
  expectFilled(**row, 'B', mma->typeB, t.b);
  expectFilled(**row, 'D', mma->typeD, t.d);
}

INSTANTIATE_TEST_SUITE_P(
    All, DenseMma,
    testing::Values(DenseCase{"m8n8k4.row.col.f16.f16.f16.f16", 4, 2, 2, 4},
                    DenseCase{"m8n8k4.col.row.f32.f16.f16.f32", 8, 2, 2, 8},
                    DenseCase{"m8n8k4.row.row.f32.f16.f16.f16", 8, 2, 2, 4},
                    DenseCase{"m8n8k4.row.col.f64.f64.f64.f64", 2, 1, 1, 2},
                    DenseCase{"m16n8k8.row.col.f16.f16.f16.f16", 2, 2, 1, 2},
                    DenseCase{"m16n8k8.row.col.f32.f16.f16.f32", 4, 2, 1, 4},
                    DenseCase{"m16n8k8.row.col.f32.bf16.bf16.f32", 4, 2, 1, 4},
                    DenseCase{"m16n8k4.row.col.f32.tf32.tf32.f32", 4, 2, 1, 4},
                    DenseCase{"m16n8k8.row.col.f32.tf32.tf32.f32", 4, 4, 2, 4},
                    DenseCase{"m16n8k16.row.col.f16.f16.f16.f16", 2, 4, 2, 2},
                    DenseCase{"m16n8k16.row.col.f32.bf16.bf16.f32", 4, 4, 2, 4},
                    DenseCase{"m16n8k4.row.col.f64.f64.f64.f64", 4, 2, 1, 4},
                    DenseCase{"m16n8k8.row.col.f64.f64.f64.f64", 4, 4, 2, 4},
                    DenseCase{"m16n8k16.row.col.f64.f64.f64.f64", 4, 8, 4, 4},
                    DenseCase{"m8n8k16.row.col.s32.s8.s8.s32", 2, 1, 1, 2},
                    DenseCase{"m16n8k16.row.col.s32.u8.u8.s32", 4, 2, 1, 4},
                    DenseCase{"m16n8k32.row.col.s32.s8.u8.s32", 4, 4, 2, 4},
                    DenseCase{"m8n8k32.row.col.satfinite.s32.s4.s4.s32", 2, 1, 1, 2},
                    DenseCase{"m16n8k32.row.col.s32.u4.s4.s32", 4, 2, 1, 4},
                    DenseCase{"m16n8k64.row.col.s32.s4.s4.s32", 4, 4, 2, 4},
                    DenseCase{"m16n8k32.row.col.f32.e4m3.e5m2.f32", 4, 4, 2, 4},
                    DenseCase{"m16n8k32.row.col.f16.e5m2.e5m2.f16", 2, 4, 2, 2},
                    DenseCase{"m16n8k16.row.col.f32.e4m3.e4m3.f32", 4, 2, 1, 4}));

TEST(Mma, SaysWhatIsWrong) {
  EXPECT_EQ(refusal(mmaText("m16n8k16.row.col.f32.f16.f16.f32", 4, 3, 2, 4)),
            "mma.m16n8k16.f16 needs 4 registers for A, here are 3");
  EXPECT_EQ(refusal(mmaText("m16n8k16.col.row.f32.f16.f16.f32", 4, 4, 2, 4)),
            "mma.m16n8k16.f16 takes A by rows and B by columns (.row.col)");
  EXPECT_EQ(refusal(mmaText("m16n8k16.row.col.f32.f16.f16.f16", 4, 4, 2, 2)),
            "mma.m16n8k16.f16 has C and D of one type");
  EXPECT_EQ(refusal(mmaText("m8n8k4.row.col.f16.f16.f16.f32", 4, 2, 2, 8)),
            "mma.m8n8k4.f16.row.col.f16 cannot round an f32 C to an f16 D");
  EXPECT_EQ(refusal(mmaText("m16n8k16.row.col.satfinite.f32.f16.f16.f32", 4, 4, 2, 4)),
            "mma.m16n8k16.f16 does not saturate: only integers do");
  EXPECT_EQ(refusal(mmaText("m16n8k16.row.col.f32.f16.bf16.f32", 4, 4, 2, 4)),
            "mma has no such shape with these types: "
            "mma.sync.aligned.m16n8k16.row.col.f32.f16.bf16.f32");
}

// ptxas wants the braces; a front end that leaves them out means the same.
TEST(Mma, OneRegisterMayLackItsBraces) {
  const One<Mma> mma("mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 {%0,%1}, %2, %3, {%0,%1};");
  EXPECT_EQ(mma->a.size(), 1u);
  EXPECT_EQ(mma->b[0]->index, 3);
}

TEST(Mma, FourBlockNamesCarryLayoutsAndAccumulator) {
  const One<Mma> mma(mmaText("m8n8k4.col.row.f32.f16.f16.f32", 8, 2, 2, 8));
  EXPECT_EQ(mma->blocks, 4u);
  EXPECT_EQ(mma->orderA, MatrixOrder::Col);
  EXPECT_EQ(mma->orderB, MatrixOrder::Row);
  EXPECT_EQ(mma->name, "mma.m8n8k4.f16.col.row.f32");
  EXPECT_EQ(mma->fragment, "mma.m8n8k4.f16.col.row.f32");
}

TEST(Ldmatrix, ModifiersStandInAnyOrder) {
  for (const char *text : {"ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];",
                           "ldmatrix.sync.aligned.x4.m8n8.trans.shared.b16 {%0,%1,%2,%3}, [%4];",
                           "ldmatrix.sync.aligned.trans.x4.m8n8.shared.b16 {%0,%1,%2,%3}, [%4];",
                           "ldmatrix.sync.aligned.m8n8.x4.shared.trans.b16 {%0,%1,%2,%3}, [%4];",
                           "ldmatrix.sync.aligned.m8n8.x4.trans.shared::cta.b16 "
                           "{%0,%1,%2,%3}, [%4 + 32];",
                           "ldmatrix.sync.aligned.m8n8.x4.trans.b16 {%0,%1,%2,%3}, [%4];"}) {
    const One<MatrixMove> move(text);
    EXPECT_EQ(move->name, "ldmatrix.m8n8.x4.trans.b16") << text;
    EXPECT_EQ(move->tiles, 4u);
    EXPECT_TRUE(move->transposed);
    EXPECT_EQ(move->registers[3]->index, 3);
    EXPECT_EQ(move->address->elements[0].index, 4);
  }
}

TEST(Ldmatrix, TheSpaceIsSharedOrGeneric) {
  EXPECT_EQ(One<MatrixMove>("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];")->space,
            Space::Shared);
  EXPECT_EQ(One<MatrixMove>("ldmatrix.sync.aligned.m8n8.x1.b16 %0, [%1];")->space, Space::Generic);
}

TEST(Ldmatrix, TheCountDecidesTheRegisters) {
  EXPECT_EQ(refusal("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1}, [%2];"),
            "ldmatrix.m8n8.x4.b16 needs 4 registers, here are 2");
}

TEST(Stmatrix, StoresItsRegisters) {
  const One<MatrixMove> move("stmatrix.sync.aligned.x2.m8n8.shared.b16 [%0], {%1, %2};");
  EXPECT_EQ(move->kind, MatrixMove::Kind::Store);
  EXPECT_EQ(move->registers[1]->index, 2);
  EXPECT_EQ(move->address->elements[0].index, 0);
}

TEST(MatrixMoves, TheirNamesAreRowsOfTheLayoutsLibrary) {
  for (const char *text : {"ldmatrix.sync.aligned.x1.m8n8.shared.b16 {%0}, [%1];",
                           "ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0,%1}, [%2];",
                           "stmatrix.sync.aligned.m8n8.trans.x4.b16 [%0], {%1,%2,%3,%4};",
                           "movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;"}) {
    const One<MatrixMove> move(text);
    EXPECT_TRUE(isa::findMatrixInstruction(move->name, isa::Arch::Nvidia).ok()) << move->name;
  }
}

TEST(Movmatrix, TransposesOneTile) {
  const One<MatrixMove> move("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;");
  EXPECT_EQ(move->kind, MatrixMove::Kind::Transpose);
  EXPECT_EQ(move->source->index, 1);
}
