// Second derivations: the layouts once more, as loops over the formulas of the
// manuals and examples, in the direction they are written there; and CuTe's layouts
// for every mma.sync shape and wgmma. Nothing here shares code with isa/Fragments.cpp.
#include "layout_port/layouts/Isa.h"

#include <gtest/gtest.h>

#include <cctype>
#include <map>
#include <set>

using namespace layout_port;
using namespace layout_port::isa;

namespace {

const MatrixInstruction &find(std::string_view name, Arch arch, int wave = 0) {
  const auto row = findMatrixInstruction(name, arch, wave);
  EXPECT_TRUE(row) << row.error().message;
  return **row;
}

void expectAt(const MatrixInstruction &row, char operand, int lane, int element, int first,
              int second, int block = 0, int warp = 0) {
  const MatrixCoord coord = coordOf(*fragmentOf(row, operand), lane, element, warp);
  ASSERT_EQ(coord.row, first) << row.name << " " << operand << " lane " << lane << " element "
                              << element;
  ASSERT_EQ(coord.col, second) << row.name << " " << operand << " lane " << lane << " element "
                               << element;
  ASSERT_EQ(coord.block, block) << row.name << " " << operand << " lane " << lane;
}

bool isMfma(const MatrixInstruction &row) { return row.family == MatrixFamily::Mfma; }

} // namespace

//===-- CDNA: from matrix element to lane, as AMD's ISA manuals write it ----===//

// Elements a lane K_L = K * M * blocks / 64. A[i][k] of block b lies in
// lane = i + M * (b + blocks * (k / K_L)), element k % K_L; B alike with j.
TEST(MfmaFormula, InputsByElement) {
  for (const MatrixInstruction &row : matrixInstructions()) {
    if (!isMfma(row) || row.formA != FragmentForm::MfmaInput)
      continue;
    for (int b = 0; b < row.blocks; ++b)
      for (int k = 0; k < row.k; ++k) {
        const int perLaneA = row.k * row.m * row.blocks / 64;
        for (int i = 0; i < row.m; ++i)
          expectAt(row, 'A', i + row.m * (b + row.blocks * (k / perLaneA)), k % perLaneA, i, k, b);
        const int perLaneB = row.k * row.n * row.blocks / 64;
        for (int j = 0; j < row.n; ++j)
          expectAt(row, 'B', j + row.n * (b + row.blocks * (k / perLaneB)), k % perLaneB, k, j, b);
      }
  }
}

// Groups of four rows, block by block, are dealt like cards to the 64 / N lane groups.
TEST(MfmaFormula, ResultsByElement) {
  for (const MatrixInstruction &row : matrixInstructions()) {
    if (!isMfma(row) || row.formAcc != FragmentForm::MfmaAcc)
      continue;
    int dealt = 0;
    for (int b = 0; b < row.blocks; ++b)
      for (int i = 0; i < row.m; i += 4, ++dealt)
        for (int j = 0; j < row.n; ++j)
          for (int h = 0; h < 4; ++h) {
            const int groups = 64 / row.n;
            expectAt(row, 'D', dealt % groups * row.n + j, h + 4 * (dealt / groups), i + h, j, b);
          }
  }
}

// f64: single rows are dealt; the blocks of 4x4x4 lie side by side in a lane group.
TEST(MfmaFormula, F64ResultsByElement) {
  const MatrixInstruction &big = find("v_mfma_f64_16x16x4_f64", Arch::Gfx90a);
  for (int i = 0; i < 16; ++i)
    for (int j = 0; j < 16; ++j)
      expectAt(big, 'D', j + 16 * (i % 4), i / 4, i, j);
  const MatrixInstruction &small = find("v_mfma_f64_4x4x4f64", Arch::Gfx90a);
  for (int b = 0; b < 4; ++b)
    for (int i = 0; i < 4; ++i)
      for (int j = 0; j < 4; ++j)
        expectAt(small, 'D', j + 4 * b + 16 * i, 0, i, j, b);
}

// The example programs of the ROCm blog on matrix cores read A as
//   fp8: A[(lane % 32) * 64 + 16 * (lane / 32) + 32 * piece + e], two pieces of 16
//   fp4: A[(lane % 32) * 64 + 32 * (lane / 32) + e], 32 elements
// https://rocm.blogs.amd.com/software-tools-optimization/matrix-cores-cdna/README.html
TEST(MfmaFormula, F8f6f4AsTheRocmBlogLoadsIt) {
  const MatrixInstruction &fp8 = find("v_mfma_scale_f32_32x32x64_f8f6f4.8bit", Arch::Gfx950);
  const MatrixInstruction &fp4 = find("v_mfma_scale_f32_32x32x64_f8f6f4.fp4", Arch::Gfx950);
  for (int lane = 0; lane < 64; ++lane)
    for (int e = 0; e < 32; ++e) {
      const int piece = e / 16;
      expectAt(fp8, 'A', lane, e, lane % 32, 16 * (lane / 32) + 32 * piece + e % 16);
      expectAt(fp4, 'A', lane, e, lane % 32, 32 * (lane / 32) + e);
    }
}

// Published gfx950 kernels give a lane eight neighbouring k of the double-depth f16.
TEST(MfmaFormula, DoubleDepthF16HasEightNeighboursALane) {
  const MatrixInstruction &a = find("v_mfma_f32_16x16x32_f16", Arch::Gfx950);
  const MatrixInstruction &b = find("v_mfma_f32_32x32x16_bf16", Arch::Gfx950);
  for (int lane = 0; lane < 64; ++lane)
    for (int e = 0; e < 8; ++e) {
      expectAt(a, 'A', lane, e, lane % 16, 8 * (lane / 16) + e);
      expectAt(b, 'B', lane, e, 8 * (lane / 32) + e, lane % 32);
    }
}

// Two public models disagree about this one; the manual's table has rows 0-3, 8-11,
// 16-19, 24-27 in the lower half wave.
TEST(MfmaFormula, ResultOf32x32GoesInStepsOfEightRows) {
  const MatrixInstruction &row = find("v_mfma_f32_32x32x8_f16", Arch::Gfx942);
  for (int lane = 0; lane < 64; ++lane)
    for (int e = 0; e < 16; ++e)
      expectAt(row, 'D', lane, e, e % 4 + 8 * (e / 4) + 4 * (lane / 32), lane % 32);
}

//===-- RDNA3: the example of https://gpuopen.com/learn/wmma_on_rdna3/ ------===//

TEST(WmmaFormula, Gfx11Wave32AsGpuOpenLoadsAndStores) {
  for (const MatrixInstruction &row : matrixInstructions()) {
    if (row.family != MatrixFamily::Wmma || !row.availableOn(Arch::Gfx11) || row.waveSize != 32)
      continue;
    for (int thread = 0; thread < 32; ++thread) {
      const int lane = thread % 16;
      for (int ele = 0; ele < 16; ++ele) {
        expectAt(row, 'A', thread, ele, lane, ele);
        expectAt(row, 'B', thread, ele, ele, lane);
      }
      for (int ele = 0; ele < 8; ++ele)
        expectAt(row, 'D', thread, ele, 2 * ele + thread / 16, lane);
    }
  }
}

//===-- NVIDIA: CuTe's layouts ---------------------------------------------===//

namespace {

// "((4,8),2):((16,1),8)": a shape tree and a stride tree of the same form, both read
// as flat lists; the thread part comes first.
struct CuteLayout {
  std::vector<int> shape, stride;
  int threadModes = 0; // how many of the flat modes belong to the thread
};

std::vector<int> numbersIn(const std::string &text) {
  std::vector<int> out;
  for (size_t at = 0; at < text.size();) {
    if (!std::isdigit(static_cast<unsigned char>(text[at]))) {
      ++at;
      continue;
    }
    size_t used = 0;
    out.push_back(std::stoi(text.substr(at), &used));
    at += used;
  }
  return out;
}

CuteLayout parseCute(const std::string &text) {
  const size_t colon = text.find(':');
  CuteLayout out{numbersIn(text.substr(0, colon)), numbersIn(text.substr(colon + 1))};
  // The thread part is the first element of the outer pair.
  const bool nested = text[1] == '(';
  out.threadModes = nested ? static_cast<int>(numbersIn(text.substr(0, text.find(')'))).size()) : 1;
  return out;
}

int indexOf(const CuteLayout &layout, int thread, int value) {
  int index = 0;
  for (size_t mode = 0; mode < layout.shape.size(); ++mode) {
    int &rest = static_cast<int>(mode) < layout.threadModes ? thread : value;
    index += rest % layout.shape[mode] * layout.stride[mode];
    rest /= layout.shape[mode];
  }
  return index;
}

struct CuteRow {
  const char *name;
  char operand;
  const char *layout;
};
const CuteRow cuteRows[] = {
#define CUTE(name, operand, layout) {name, operand, layout},
#include "CuteTraits.inc"
};

// Checks one thread of one row; `lane` and `block` say where the thread is.
void expectCute(const MatrixInstruction &row, const CuteRow &cute, int thread, int lane, int block,
                int warp) {
  const CuteLayout layout = parseCute(cute.layout);
  const int elements = fragmentOf(row, cute.operand)->elementsPerLane;
  for (int e = 0; e < elements; ++e) {
    const int index = indexOf(layout, thread, e);
    if (cute.operand == 'B') // n + N k, against (k, n)
      expectAt(row, 'B', lane, e, index / row.n, index % row.n, block, warp);
    else
      expectAt(row, cute.operand, lane, e, index % row.m, index / row.m, block, warp);
  }
}

} // namespace

TEST(PtxFormula, CuteTraitsAgreeElementByElement) {
  for (const CuteRow &cute : cuteRows) {
    const MatrixInstruction &row = find(cute.name, Arch::Nvidia);
    if (row.blocks == 4)
      for (int lane = 0; lane < 32; ++lane) // quad pairs: lanes (4, 2):(1, 16)
        expectCute(row, cute, lane % 4 + 4 * (lane / 16), lane, lane / 4 % 4, 0);
    else
      for (int thread = 0; thread < 32 * row.warps; ++thread)
        expectCute(row, cute, thread, thread % 32, 0, thread / 32);
  }
}

TEST(PtxFormula, EveryMmaSyncOperandHasACuteTrait) {
  std::set<std::pair<std::string, char>> covered;
  for (const CuteRow &cute : cuteRows)
    covered.insert({find(cute.name, Arch::Nvidia).name, cute.operand});
  for (const MatrixInstruction &row : matrixInstructions())
    for (const char operand : {'A', 'B', 'C'})
      if (row.family == MatrixFamily::MmaSync)
        EXPECT_TRUE(covered.count({row.name, operand})) << row.name << " " << operand;
}

// CuTe has one result layout for each n and one A layout for each k of wgmma: they
// depend on nothing else.
TEST(PtxFormula, WgmmaResultsDependOnNAndInputsOnKOnly) {
  std::map<int, LinearLayout> results, inputs;
  for (const MatrixInstruction &row : matrixInstructions()) {
    if (row.family != MatrixFamily::Wgmma)
      continue;
    const LinearLayout d = *operandLayout(row, 'D'), a = *operandLayout(row, 'A');
    EXPECT_EQ(results.emplace(row.n, d).first->second, d) << row.name;
    EXPECT_EQ(inputs.emplace(row.k, a).first->second, a) << row.name;
  }
  EXPECT_EQ(results.size(), 6u);
  EXPECT_EQ(inputs.size(), 3u);
}

// The manual's words for m16n8k16 with 16-bit elements: row = groupID for a_i with
// 0 <= i < 2 or 4 <= i < 6, else groupID + 8; column = 2 threadID_in_group + (i & 1),
// plus 8 for i >= 4.
TEST(PtxFormula, M16n8k16InTheWordsOfTheManual) {
  const MatrixInstruction &row = find("mma.m16n8k16.f16", Arch::Nvidia);
  for (int lane = 0; lane < 32; ++lane) {
    const int groupId = lane >> 2, inGroup = lane % 4;
    for (int i = 0; i < 8; ++i) {
      const bool upper = (0 <= i && i < 2) || (4 <= i && i < 6);
      expectAt(row, 'A', lane, i, upper ? groupId : groupId + 8,
               inGroup * 2 + (i & 1) + (i >= 4 ? 8 : 0));
    }
    for (int i = 0; i < 4; ++i) {
      expectAt(row, 'B', lane, i, inGroup * 2 + (i & 1) + (i >= 2 ? 8 : 0), groupId);
      expectAt(row, 'C', lane, i, i < 2 ? groupId : groupId + 8, inGroup * 2 + (i & 1));
    }
  }
}

// ldmatrix: lane l gets elements 2 (l % 4) and 2 (l % 4) + 1 of row l / 4 of each
// matrix; transposed, of column l / 4. CuTe's copy traits say the same in bits:
// matrices of 1024 bits, rows of 128.
TEST(PtxFormula, LdmatrixByTheManualAndByCutesCopyTraits) {
  for (const int count : {1, 2, 4})
    for (const bool trans : {false, true}) {
      const std::string name = "ldmatrix.x" + std::to_string(count) + (trans ? ".trans" : "");
      const MatrixInstruction &row = find(name, Arch::Nvidia);
      for (int lane = 0; lane < 32; ++lane)
        for (int e = 0; e < 2 * count; ++e) {
          const int cuteBit = trans ? lane % 4 * 256 + lane / 4 * 16 + e % 2 * 128 + e / 2 * 1024
                                    : lane * 32 + e % 2 * 16 + e / 2 * 1024;
          expectAt(row, 'D', lane, e, cuteBit % 1024 / 128, cuteBit % 128 / 16, cuteBit / 1024);
          const int along = 2 * (lane % 4) + e % 2, across = lane / 4;
          expectAt(row, 'D', lane, e, trans ? along : across, trans ? across : along, e / 2);
          expectAt(find("st" + name.substr(2), Arch::Nvidia), 'D', lane, e, trans ? along : across,
                   trans ? across : along, e / 2);
        }
    }
}
