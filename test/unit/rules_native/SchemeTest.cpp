// The schemes of the native tier against the MFMA's own layouts.
#include "native/Scheme.h"
#include "native/Write.h"

#include "gtest/gtest.h"

#include <set>

using namespace layout_port;
using namespace layout_port::native;

namespace {

const isa::MatrixInstruction &mfma(const char *name) {
  return **isa::findMatrixInstruction(name, isa::Arch::Gfx942);
}

const PairSide kSides[] = {PairSide::Columns, PairSide::Rows, PairSide::Apart};

// Name of the row bit that the first operand's lane bit `lane` is.
std::string nameAt(const Places &places, int bit) {
  for (const auto &[name, at] : places)
    if (at == bit)
      return name;
  return "";
}

// Of f64 a lane has every fourth row, of the others four neighbours.
using Products = testing::TestWithParam<const char *>;
INSTANTIATE_TEST_SUITE_P(Scheme, Products,
                         testing::Values("v_mfma_f32_16x16x16_f16", "v_mfma_f64_16x16x4_f64"));

TEST_P(Products, OperandsAndResultAgreeOnWhatARowIs) {
  for (const PairSide side : kSides)
    for (const bool turned : {false, true}) {
      const isa::MatrixInstruction &row = mfma(GetParam());
      const auto scheme = makeScheme(Choice{side, turned}, row);
      ASSERT_TRUE(scheme) << scheme.error().message;
      const auto first = isa::operandLayout(row, 'A'), second = isa::operandLayout(row, 'B');
      const auto result = isa::operandLayout(row, 'D');
      std::map<uint64_t, std::string> rowNames, columnNames;
      for (int lane = 0; lane < 6; ++lane) {
        if (const uint64_t m = first->basis("lane", lane, "m"))
          rowNames[m] = nameAt(scheme->firstLanes, lane);
        if (const uint64_t n = second->basis("lane", lane, "n"))
          columnNames[n] = nameAt(scheme->secondLanes, lane);
      }
      for (int lane = 0; lane < 6; ++lane) {
        if (const uint64_t m = result->basis("lane", lane, "m"))
          EXPECT_EQ(rowNames[m], nameAt(scheme->resultLanes, lane));
        if (const uint64_t n = result->basis("lane", lane, "n"))
          EXPECT_EQ(columnNames[n], nameAt(scheme->resultLanes, lane));
      }
      for (int e = 0; e < 2; ++e)
        EXPECT_EQ(rowNames[result->basis("register", e, "m")], nameAt(scheme->resultElements, e));
    }
}

TEST(Scheme, BothOperandsHoldTheSameK) {
  for (const char *name : {"v_mfma_f32_16x16x16_f16", "v_mfma_f32_16x16x16_bf16",
                           "v_mfma_i32_16x16x32_i8", "v_mfma_f32_16x16x8_xf32"}) {
    const auto scheme = makeScheme(Choice{PairSide::Columns, false}, mfma(name));
    ASSERT_TRUE(scheme);
    EXPECT_EQ(scheme->firstLanes.at("b3"), scheme->secondLanes.at("b3")) << name;
    EXPECT_EQ(scheme->firstLanes.at("b4"), scheme->secondLanes.at("b4")) << name;
  }
}

TEST(Scheme, TheWorkedExample) {
  // examples/hgemm: lanes m0-m3, j0, j1; elements n2, h; tile index n0, n1.
  const auto scheme = makeScheme(Choice{PairSide::Columns, true}, mfma("v_mfma_f32_16x16x16_f16"));
  ASSERT_TRUE(scheme);
  EXPECT_EQ(scheme->resultElements, (Places{{"n2", 0}, {"h", 1}}));
  EXPECT_EQ(scheme->resultLanes,
            (Places{{"m0", 0}, {"m1", 1}, {"m2", 2}, {"m3", 3}, {"j0", 4}, {"j1", 5}}));
  EXPECT_EQ(scheme->tileBits, (Places{{"n0", 0}, {"n1", 1}}));
  EXPECT_EQ(scheme->tilesTogether(), 4);
}

TEST(Scheme, TilesTogether) {
  const isa::MatrixInstruction &row = mfma("v_mfma_f32_16x16x16_f16");
  EXPECT_EQ(makeScheme(Choice{PairSide::Columns, false}, row)->tilesTogether(), 1);
  EXPECT_EQ(makeScheme(Choice{PairSide::Rows, false}, row)->tilesTogether(), 2);
  EXPECT_EQ(makeScheme(Choice{PairSide::Apart, true}, row)->tilesTogether(), 8);
}

TEST(Scheme, OnlySquareTiles) {
  const auto wide = makeScheme(Choice{PairSide::Rows, false}, mfma("v_mfma_f32_32x32x8_f16"));
  ASSERT_FALSE(wide);
  EXPECT_EQ(wide.error().message, "v_mfma_f32_32x32x8_f16 is not a 16x16 product");
}

TEST(Scheme, Large) {
  const isa::MatrixInstruction &row = mfma("v_mfma_f32_32x32x8_f16");
  Choice choice{PairSide::Rows};
  choice.large = true;
  const auto rows = makeScheme(choice, row);
  ASSERT_TRUE(rows);
  EXPECT_EQ(rows->resultElements, (Places{{"n0", 0}, {"n1", 1}, {"j0", 2}, {"j1", 3}}));
  EXPECT_EQ(rows->resultLanes,
            (Places{{"m0", 0}, {"m1", 1}, {"m2", 2}, {"m3", 3}, {"h", 4}, {"n2", 5}}));
  EXPECT_EQ(rows->firstLanes.at("b4"), rows->secondLanes.at("b4"));
  EXPECT_EQ(rows->tilesTogether(), 4);
  EXPECT_EQ(rows->rowTilesTogether(), 1);
  choice.side = PairSide::Columns;
  const auto columns = makeScheme(choice, row);
  ASSERT_TRUE(columns);
  EXPECT_EQ(columns->resultElements, (Places{{"n0", 0}, {"n1", 1}, {"n2", 2}, {"j0", 3}}));
  EXPECT_EQ(columns->resultLanes,
            (Places{{"m0", 0}, {"m1", 1}, {"m2", 2}, {"m3", 3}, {"i0", 4}, {"h", 5}}));
  EXPECT_EQ(columns->tilesTogether(), 2);
  EXPECT_EQ(columns->rowTilesTogether(), 2);
  choice.large = false;
  EXPECT_FALSE(makeScheme(choice, row));
}

TEST(Scheme, HalfTurned) {
  Choice choice{PairSide::Rows, true};
  choice.halfTurned = true;
  const auto scheme = makeScheme(choice, mfma("v_mfma_f32_16x16x16_f16"));
  ASSERT_TRUE(scheme);
  EXPECT_EQ(scheme->resultElements, (Places{{"n1", 0}, {"j0", 1}}));
  EXPECT_EQ(scheme->resultLanes,
            (Places{{"m0", 0}, {"m1", 1}, {"m2", 2}, {"m3", 3}, {"n2", 4}, {"j1", 5}}));
  EXPECT_EQ(scheme->tileBits, (Places{{"n0", 1}}));
  EXPECT_EQ(scheme->tilesTogether(), 4);
}

TEST(Border, HoldsTheSameElementsInBothLayouts) {
  for (const PairSide side : kSides)
    for (const int turned : {0, 1, 2}) {
      Choice choice{side, turned != 0};
      choice.halfTurned = turned == 2;
      const auto scheme = makeScheme(choice, mfma("v_mfma_f32_16x16x16_f16"));
      const auto border = borderLayouts(*scheme, false);
      ASSERT_TRUE(border);
      std::set<uint64_t> here, cuda;
      for (uint64_t i = 0; i < uint64_t(1) << border->here.totalInBits(); ++i) {
        here.insert(border->here.apply(i));
        cuda.insert(border->cuda.apply(i));
      }
      EXPECT_EQ(here, cuda);
      EXPECT_EQ(here.size(), uint64_t(1) << border->here.totalInBits()) << "no element twice";
    }
}

TEST(Border, HoldsTheSameElementsOfLargeTiles) {
  for (const PairSide side : {PairSide::Rows, PairSide::Columns}) {
    Choice choice{side};
    choice.large = true;
    const auto scheme = makeScheme(choice, mfma("v_mfma_f32_32x32x8_f16"));
    const auto border = borderLayouts(*scheme, false);
    ASSERT_TRUE(border);
    std::set<uint64_t> here, cuda;
    for (uint64_t i = 0; i < uint64_t(1) << border->here.totalInBits(); ++i) {
      here.insert(border->here.apply(i));
      cuda.insert(border->cuda.apply(i));
    }
    EXPECT_EQ(here, cuda);
    EXPECT_EQ(here.size(), uint64_t(1) << border->here.totalInBits()) << "no element twice";
  }
}

TEST(Border, CudaIsTheMmaResult) {
  const auto scheme = makeScheme(Choice{PairSide::Columns, false}, mfma("v_mfma_f32_16x16x16_f16"));
  const auto border = borderLayouts(*scheme, false);
  const auto d = isa::operandLayout("mma.m16n8k16.f16", "D", "");
  for (uint64_t flat = 0; flat < 128; ++flat) {
    const LinearLayout::Basis at = d->splitOut(d->apply(flat));
    // Logical bits: m in 0-3, n in 4-6.
    EXPECT_EQ(border->cuda.apply(flat), at[0] | at[1] << 4);
  }
}

TEST(Arms, TheBestOfEachChip) {
  MmaSite mma;
  mma.name = "mma.m16n8k32.s8";
  mma.typeA = mma.typeB = ptx::Type::S8;
  const auto arms = armsFor(mma, 2, {isa::Arch::Gfx90a, isa::Arch::Gfx942, isa::Arch::Gfx950});
  ASSERT_TRUE(arms);
  ASSERT_EQ(arms->size(), 2u);
  EXPECT_STREQ((*arms)[0].instruction->builtin, "mfma_i32_16x16x16i8");
  EXPECT_STREQ((*arms)[1].instruction->builtin, "mfma_i32_16x16x32_i8");
}

// There is no unsigned MFMA: the signed one, of bytes that are less by 128 (Write.cpp).
TEST(Arms, UnsignedBytesTakeTheSignedProduct) {
  MmaSite mma;
  mma.name = "mma.m16n8k32.u8.s8";
  mma.typeA = ptx::Type::U8;
  mma.typeB = ptx::Type::S8;
  const auto arms = armsFor(mma, 2, {isa::Arch::Gfx90a, isa::Arch::Gfx942, isa::Arch::Gfx950});
  ASSERT_TRUE(arms) << arms.error().message;
  for (const Arm &arm : *arms)
    EXPECT_EQ(arm.instruction->a, isa::ElementType::I8) << arm.instruction->name;
}

// What both operands lack: 128 * 128 for each of the 32 bytes of k that two words of a lane, in four
// groups of lanes, are.
TEST(Arms, UnsignedBytesAreCorrected) {
  MmaSite mma;
  mma.name = "mma.m16n8k32.u8";
  mma.typeA = mma.typeB = ptx::Type::U8;
  mma.typeD = ptx::Type::S32;
  const auto chunk = mfmaFunction("mfma_u8", mma, 2, {isa::Arch::Gfx942});
  ASSERT_TRUE(chunk) << chunk.error().message;
  EXPECT_NE(chunk->text.find("b0 ^= 0x80808080u;"), std::string::npos) << chunk->text;
  EXPECT_NE(chunk->text.find("a1 ^= 0x80808080u;"), std::string::npos) << chunk->text;
  EXPECT_NE(chunk->text.find("- bits<words4>(less) + 524288u)"), std::string::npos) << chunk->text;
}

MmaSite eightBitFloats(ptx::Type a, ptx::Type b) {
  MmaSite mma;
  mma.name = "mma.m16n8k32";
  mma.typeA = a;
  mma.typeB = b;
  return mma;
}

// gfx950 takes the bytes as they are, gfx942 as FNUZ numbers, gfx90a as two bf16 each.
TEST(Arms, EightBitFloatsAreWhatAChipHas) {
  const auto arms = armsFor(eightBitFloats(ptx::Type::E4M3, ptx::Type::E4M3), 2,
                            {isa::Arch::Gfx90a, isa::Arch::Gfx942, isa::Arch::Gfx950});
  ASSERT_TRUE(arms) << arms.error().message;
  ASSERT_EQ(arms->size(), 3u);
  EXPECT_EQ((*arms)[0].instruction->a, isa::ElementType::BF16);
  EXPECT_EQ((*arms)[0].parts(), 2);
  EXPECT_EQ((*arms)[1].instruction->a, isa::ElementType::FP8);
  EXPECT_EQ((*arms)[1].a->scaleBits, -1);
  EXPECT_EQ((*arms)[2].instruction->a, isa::ElementType::FP8);
  EXPECT_EQ((*arms)[2].a, nullptr);
}

// B is the MFMA's first operand, A the second.
TEST(Arms, MixedFloatsKeepTheirSides) {
  const auto arms = armsFor(eightBitFloats(ptx::Type::E5M2, ptx::Type::E4M3), 2,
                            {isa::Arch::Gfx942, isa::Arch::Gfx950});
  ASSERT_TRUE(arms) << arms.error().message;
  ASSERT_EQ(arms->size(), 2u);
  EXPECT_EQ((*arms)[0].instruction->a, isa::ElementType::BF16); // FNUZ lacks infinities
  EXPECT_STREQ((*arms)[1].instruction->builtin, "mfma_f32_16x16x32_fp8_bf8");
}

// Each nibble is 16 times as large in both operands, and takes a byte.
TEST(Arms, NibblesAreBytesInTwoParts) {
  MmaSite mma = eightBitFloats(ptx::Type::S4, ptx::Type::S4);
  mma.typeD = ptx::Type::S32;
  const auto chunk = mfmaFunction("mfma_s4", mma, 2, {isa::Arch::Gfx942});
  ASSERT_TRUE(chunk) << chunk.error().message;
  EXPECT_NE(chunk->text.find("even_b1 = b1 << 4 & 0xf0f0f0f0u;"), std::string::npos) << chunk->text;
  EXPECT_NE(chunk->text.find("odd_a0 = a0 & 0xf0f0f0f0u;"), std::string::npos) << chunk->text;
  EXPECT_NE(chunk->text.find("c += scaled >> 8;"), std::string::npos) << chunk->text;
}

} // namespace
