// Every spelling finds its row, and what cannot be found says what is near.
#include "layout_port/layouts/Isa.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace layout_port;
using namespace layout_port::isa;
using testing::HasSubstr;

static std::string nameOf(std::string_view text, Arch arch, int wave = 0) {
  const auto row = findMatrixInstruction(text, arch, wave);
  return row ? (*row)->name : "error: " + row.error().message;
}

TEST(IsaNames, OldAndNewMnemonicsAndBuiltinsAreOneRow) {
  for (const char *name :
       {"v_mfma_f32_16x16x16_f16", "v_mfma_f32_16x16x16f16", "mfma.f32_16x16x16f16",
        "__builtin_amdgcn_mfma_f32_16x16x16f16", "llvm.amdgcn.mfma.f32.16x16x16f16",
        "mfma_f32_16x16x16_f16", "V_MFMA_F32_16X16X16_F16"})
    for (const Arch arch : {Arch::Gfx908, Arch::Gfx90a, Arch::Gfx942, Arch::Gfx950})
      EXPECT_EQ(nameOf(name, arch), "v_mfma_f32_16x16x16_f16") << name;
}

TEST(IsaNames, ABlockCountAndThe1kMayBeLeftOutWhereNothingElseHasTheName) {
  EXPECT_EQ(nameOf("mfma.f32_16x16x4f16", Arch::Gfx942), "v_mfma_f32_16x16x4_4b_f16");
  EXPECT_EQ(nameOf("v_mfma_f32_16x16x16bf16_1k", Arch::Gfx90a), "v_mfma_f32_16x16x16_bf16");
  EXPECT_EQ(nameOf("mfma.f32_16x16x16bf16", Arch::Gfx942), "v_mfma_f32_16x16x16_bf16");
}

TEST(IsaNames, TheTwoBf16OfOneShapeStayApart) {
  EXPECT_EQ(nameOf("v_mfma_f32_32x32x4bf16", Arch::Gfx908), "v_mfma_f32_32x32x4bf16");
  EXPECT_EQ(nameOf("v_mfma_f32_32x32x4bf16_1k", Arch::Gfx90a), "v_mfma_f32_32x32x4_2b_bf16");
  EXPECT_THAT(nameOf("v_mfma_f32_32x32x4bf16", Arch::Gfx942),
              HasSubstr("exists on gfx908, gfx90a, not on gfx942"));
}

TEST(IsaNames, F8f6f4NamesTheOperandWidth) {
  EXPECT_EQ(nameOf("v_mfma_scale_f32_16x16x128_f8f6f4", Arch::Gfx950),
            "v_mfma_scale_f32_16x16x128_f8f6f4.8bit");
  EXPECT_EQ(nameOf("v_mfma_f32_16x16x128_f8f6f4", Arch::Gfx950),
            "v_mfma_scale_f32_16x16x128_f8f6f4.8bit");
  EXPECT_EQ(nameOf("v_mfma_scale_f32_16x16x128_f8f6f4.fp4", Arch::Gfx950),
            "v_mfma_scale_f32_16x16x128_f8f6f4.fp4");
}

TEST(IsaNames, WmmaTakesTheWaveFromTheNameOrTheCaller) {
  const auto wave = [](std::string_view name, int asked) {
    return (*findMatrixInstruction(name, Arch::Gfx12, asked))->waveSize;
  };
  EXPECT_EQ(wave("v_wmma_f32_16x16x16_f16", 0), 32);
  EXPECT_EQ(wave("v_wmma_f32_16x16x16_f16", 64), 64);
  EXPECT_EQ(wave("__builtin_amdgcn_wmma_f32_16x16x16_f16_w64_gfx12", 0), 64);
  EXPECT_THAT(nameOf("wmma_f32_16x16x16_f16_w64", Arch::Gfx11, 32), HasSubstr("waves of 64"));
}

TEST(IsaNames, PtxShortAndFullNames) {
  EXPECT_EQ(nameOf("mma.m16n8k16.f16", Arch::Nvidia), "mma.m16n8k16.f16");
  EXPECT_EQ(nameOf("mma.m16n8k16.bf16", Arch::Nvidia), "mma.m16n8k16.f16");
  EXPECT_EQ(nameOf("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32", Arch::Nvidia),
            "mma.m16n8k16.f16");
  EXPECT_EQ(nameOf("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16", Arch::Nvidia),
            "mma.m16n8k16.f16");
  EXPECT_EQ(nameOf("mma.sync.aligned.m16n8k32.row.col.satfinite.s32.s8.u8.s32", Arch::Nvidia),
            "mma.m16n8k32.s8");
  EXPECT_EQ(nameOf("mma.m16n8k32.e4m3", Arch::Nvidia), "mma.m16n8k32.s8");
  EXPECT_EQ(nameOf("mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32.xor.popc", Arch::Nvidia),
            "mma.m8n8k128.b1");
  EXPECT_EQ(nameOf("wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16", Arch::Nvidia),
            "wgmma.m64n128k16");
  EXPECT_THAT(nameOf("mma.m16n8k32", Arch::Nvidia), HasSubstr("mma.m16n8k32.s8, mma.m16n8k32.s4"));
}

TEST(IsaNames, QuadPairProductsAreChosenByTheirQualifiers) {
  EXPECT_EQ(nameOf("mma.m8n8k4.f16", Arch::Nvidia), "mma.m8n8k4.f16.row.col.f32");
  EXPECT_EQ(nameOf("mma.m8n8k4.f16.row.col.f16", Arch::Nvidia), "mma.m8n8k4.f16.row.col.f16");
  EXPECT_EQ(nameOf("mma.sync.aligned.m8n8k4.col.row.f32.f16.f16.f32", Arch::Nvidia),
            "mma.m8n8k4.f16.col.row.f32");
  EXPECT_EQ(nameOf("mma.m8n8k4.f64", Arch::Nvidia), "mma.m8n8k4.f64");
}

TEST(IsaNames, MatrixMoves) {
  EXPECT_EQ(nameOf("ldmatrix.x4.trans", Arch::Nvidia), "ldmatrix.m8n8.x4.trans.b16");
  EXPECT_EQ(nameOf("ldmatrix.sync.aligned.m8n8.x2.shared::cta.b16", Arch::Nvidia),
            "ldmatrix.m8n8.x2.b16");
  EXPECT_EQ(nameOf("ldmatrix.sync.aligned.x4.m8n8.shared.b16", Arch::Nvidia),
            "ldmatrix.m8n8.x4.b16");
  EXPECT_EQ(nameOf("ldmatrix/stmatrix.m8n8.x1.b16", Arch::Nvidia), "ldmatrix.m8n8.x1.b16");
  EXPECT_EQ(nameOf("stmatrix.x2", Arch::Nvidia), "stmatrix.m8n8.x2.b16");
  EXPECT_EQ(nameOf("movmatrix", Arch::Nvidia), "movmatrix.m8n8.trans.b16");
  EXPECT_THAT(nameOf("ldmatrix.m16n16.x2.trans.b8", Arch::Nvidia), HasSubstr("unknown"));
  EXPECT_THAT(nameOf("ldmatrix", Arch::Nvidia), HasSubstr("may mean"));
}

TEST(IsaNames, SparseAndScaledProductsAreNotTakenForDenseOnes) {
  EXPECT_THAT(nameOf("mma.sp.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", Arch::Nvidia),
              HasSubstr("unknown"));
  EXPECT_THAT(nameOf("mma.sync.aligned.m16n8k64.row.col.kind::mxf4.block_scale.f32.e2m1.e2m1.f32",
                     Arch::Nvidia),
              HasSubstr("unknown"));
  EXPECT_THAT(nameOf("wgmma.m64n24k16", Arch::Nvidia), HasSubstr("unknown"));
}

TEST(IsaNames, UnknownNamesSayWhatIsNear) {
  EXPECT_THAT(nameOf("v_mfma_f32_16x16x17_f16", Arch::Gfx942),
              HasSubstr("v_mfma_f32_16x16x16_f16"));
  EXPECT_THAT(nameOf("v_mfma_f32_16x16x32_f16", Arch::Gfx942), HasSubstr("exists on gfx950"));
  EXPECT_THAT(nameOf("v_mfma_f32_16x16x8_xf32", Arch::Gfx950), HasSubstr("exists on gfx942"));
  EXPECT_THAT(nameOf("mma.m16n8k16.s4", Arch::Nvidia), HasSubstr("mma.m16n8k16."));
  EXPECT_FALSE(findMatrixInstruction("", Arch::Gfx942));
  EXPECT_FALSE(findMatrixInstruction("...", Arch::Gfx942));
}

TEST(IsaNames, WithoutAChipTheNewestWins) {
  EXPECT_STREQ((*findMatrixInstruction("mma.m16n8k16.f16"))->name, "mma.m16n8k16.f16");
  EXPECT_STREQ((*findMatrixInstruction("v_mfma_f32_16x16x8_xf32"))->name,
               "v_mfma_f32_16x16x8_xf32");
  EXPECT_TRUE((*findMatrixInstruction("wmma_f32_16x16x16_f16"))->availableOn(Arch::Gfx12));
}

TEST(IsaNames, EveryRowIsFoundByItsOwnNames) {
  for (const MatrixInstruction &row : matrixInstructions())
    for (int a = 0; a < kNumArchs; ++a) {
      const Arch arch = static_cast<Arch>(a);
      if (!row.availableOn(arch))
        continue;
      const auto byName = findMatrixInstruction(row.name, arch, row.waveSize);
      ASSERT_TRUE(byName) << byName.error().message;
      EXPECT_EQ(*byName, &row) << row.name;
      const bool fp4 = row.a == ElementType::FP4; // its mnemonic also means 8 bits
      if (fp4 || !*row.builtin)
        continue;
      EXPECT_EQ(*findMatrixInstruction(row.mnemonic(arch), arch, row.waveSize), &row);
      EXPECT_EQ(*findMatrixInstruction(std::string("__builtin_amdgcn_") + row.builtin, arch), &row);
    }
}

TEST(IsaNames, Archs) {
  EXPECT_EQ(*parseArch("gfx942"), Arch::Gfx942);
  EXPECT_EQ(*parseArch("gfx90a:sramecc+:xnack-"), Arch::Gfx90a);
  EXPECT_EQ(*parseArch("gfx1100"), Arch::Gfx11);
  EXPECT_EQ(*parseArch("gfx1201"), Arch::Gfx12);
  EXPECT_EQ(*parseArch("sm_80"), Arch::Nvidia);
  EXPECT_FALSE(parseArch("gfx940"));
  EXPECT_FALSE(parseArch("gfx1250"));
  EXPECT_FALSE(parseArch(""));
}

// What a request or a command line says, in one call.
TEST(IsaNames, OperandLayoutsAsTyped) {
  const auto a = operandLayout("mma.m16n8k16.f16", "A", "");
  ASSERT_TRUE(a);
  EXPECT_EQ(*operandLayout("mma.m16n8k16.f16.A", "", "gfx942"), *a);
  EXPECT_EQ(*operandLayout("mma.m16n8k16.bf16.A", "A", "sm_80"), *a);
  EXPECT_TRUE(operandLayout("ldmatrix.x4.trans", "", ""));
  EXPECT_EQ(operandLayout("v_wmma_f32_16x16x16_f16", "A", "gfx1201", 64)->inSize("lane"), 64u);
  EXPECT_EQ(operandLayout("v_wmma_f32_16x16x16_f16", "A", "gfx1100")->inSize("lane"), 32u);
  for (const auto &bad :
       {operandLayout("mma.m16n8k16.f16", "", ""), operandLayout("mma.m16n8k16.f16", "AB", ""),
        operandLayout("mma.m16n8k16.f16", "E", ""), operandLayout("mma.m16n8k16.f16.B", "A", ""),
        operandLayout("v_mfma_f32_16x16x16_f16", "A", "gfx1")})
    EXPECT_FALSE(bad);
}
