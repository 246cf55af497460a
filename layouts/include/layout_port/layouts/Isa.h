// The instruction tables: which lane's which register holds which matrix element.
//
// The facts are rows of parameters in layouts/isa/*.inc: shapes, types, cycles,
// the *form* of each operand, and where that is written down. This header is the
// typed view. docs/isa.md says how to add an instruction or a chip.
//
//   auto mfma = isa::findMatrixInstruction("v_mfma_f32_16x16x16_f16", isa::Arch::Gfx942);
//   auto a = isa::operandLayout(**mfma, 'A');   // register, lane -> m, k, block
//
// Conventions, the same for every operand of every instruction:
//   - in-dims register, lane (and warp, for the warpgroups of wgmma), minor first.
//     Bit n of `register` is bit n of the *element* index inside a lane: elements
//     are packed little-endian, element e lies in 32-bit register e*bits/32.
//     A dim with one value keeps its name and has no bits.
//   - out-dims: A is (m, k), B is (k, n), C and D are (m, n), and then `block`.
//     AMD operands always have `block`, of size 1 for a single product; NVIDIA
//     operands have it only where there are several (m8n8k4 with f16).
//     ldmatrix and stmatrix are (matrix, row, col); movmatrix is (row_of_input,
//     col_of_input).
//   - a zero column means copies: gfx11 reads A and B once for each 16 lanes.
#pragma once

#include "layout_port/layouts/LinearLayout.h"
#include "layout_port/layouts/Result.h"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace layout_port::isa {

//===-- Chips --------------------------------------------------------------===//

enum class Arch : uint8_t { Gfx908, Gfx90a, Gfx942, Gfx950, Gfx11, Gfx12, Nvidia };
inline constexpr int kNumArchs = 7;

// "gfx942"; any gfx11xx is Gfx11 and gfx12xx Gfx12; sm_NN, compute_NN and
// "nvidia" are Nvidia. Target suffixes (gfx942:sramecc+:xnack-) are dropped.
Result<Arch> parseArch(std::string_view name);
const char *archName(Arch arch);

struct ArchInfo {
  Arch arch;
  const char *name;
  int waveSize;               // lanes a wave; gfx11 and gfx12 have 64 as well
  int ldsBytes;               // LDS a workgroup may use; 0 where it varies (NVIDIA)
  int ldsBytesClock;          // peak LDS bytes a clock and compute unit; 0 unknown
  const char *fp8;            // encoding of fp8 and bf8: "FNUZ", "OCP" or ""
  bool mfmaFlushesSubnormals; // f16 and bf16 operands
  const char *note;
};
const ArchInfo &archInfo(Arch arch);

//===-- How sure a row is --------------------------------------------------===//

// High: two independent sources agree, or measured on the hardware.
// Medium: one authoritative source, or a measurement of a neighbouring chip.
// Low: inferred; works if the chip resembles its neighbours.
// Unknown: no source; the row states what is assumed in its place.
enum class Confidence : uint8_t { Unknown, Low, MediumLow, Medium, MediumHigh, High };
const char *confidenceName(Confidence confidence);

struct Source {
  const char *tag;
  const char *url;
  const char *what;
};

//===-- Element types ------------------------------------------------------===//

// Integer types of matrix operands carry no sign here: I8 is the 8-bit integer
// lane, IU8 one whose sign the instruction chooses. Any8 is any 8-bit float of
// f8f6f4.
enum class ElementType : uint8_t {
  F64,
  F32,
  TF32,
  XF32,
  F16,
  BF16,
  FP8,
  BF8,
  Any8,
  FP4,
  I32,
  I8,
  IU8,
  I4,
  IU4,
  B1
};
int elementBits(ElementType type);
const char *elementTypeName(ElementType type);

//===-- Matrix instructions ------------------------------------------------===//

enum class MatrixFamily : uint8_t { Mfma, Wmma, MmaSync, Wgmma, MatrixMove };

// The closed form of an operand: its layout as an equation in the shape, the
// element width and the wave size. The equations stand in isa/Fragments.cpp.
enum class FragmentForm : uint8_t {
  None,           // not in registers (B of wgmma)
  MfmaInput,      // k runs inside the lane first, then over lane groups
  MfmaInputSplit, // the same in pieces of 16 k: 8-bit f8f6f4
  MfmaAcc,        // four neighbouring rows a lane, lane groups, then the next four
  MfmaAcc64,      // one row a lane, lane groups first (f64)
  Wmma11Input,    // each 16 lanes have all of it: a row a lane
  Wmma11Acc,      // rows dealt to the groups of 16 lanes in turn
  Wmma12Input,    // 8 bytes of k a half wave, then the next
  Wmma12Acc,      // 8 rows a half wave
  PtxA,           // quads: lane / 4 is a row, lane % 4 a 32-bit register of columns
  PtxB,           // the same for B's columns
  PtxC,           // the same in pairs of columns
  QuadPairARow,   // m8n8k4 with f16: m across lanes, k inside
  QuadPairACol,   //   m inside, k across
  QuadPairBRow,   //   n inside, k across
  QuadPairBCol,   //   n across, k inside
  QuadPairC16,    //   m across, n inside
  QuadPairC32,    //   bit 1 of m and n exchanged between lane and element
  Ldmatrix,       // 8x8 matrices: a row a quad, two columns a lane
  LdmatrixTrans,  //   a column a quad, two rows a lane
  Movmatrix       //   the same, in coordinates of the input
};

struct MatrixInstruction {
  MatrixFamily family;
  const char *name;    // as the newest chip that has it spells it; unique with waveSize and archs
  const char *builtin; // clang's, without __builtin_amdgcn_; "" for PTX
  const char *types;   // NVIDIA: the element types that share this layout; "" otherwise
  unsigned archs;      // bit (1 << Arch) for each chip that has it
  int waveSize;
  int warps;           // warps that hold a fragment together: 4 for wgmma, else 1
  int m, n, k, blocks; // ldmatrix: blocks is the number of 8x8 matrices
  ElementType a, b, acc;
  FragmentForm formA, formB, formAcc;
  int accSlotStride; // 2 where a 16-bit result leaves half of each register alone
  std::array<uint16_t, kNumArchs> cyclesOn; // issue cycles; 0: absent or unknown
  const Source *source, *secondSource;      // secondSource->url is "" when there is none
  Confidence confidence;

  bool availableOn(Arch arch) const { return archs >> static_cast<int>(arch) & 1; }
  int cycles(Arch arch) const { return cyclesOn[static_cast<int>(arch)]; }
  // Multiply-adds count two; four SIMDs a compute unit. 0 where cycles are unknown.
  int opsPerClock(Arch arch) const {
    return cycles(arch) ? 2 * m * n * k * blocks * 4 / cycles(arch) : 0;
  }
  bool singleSource() const { return !*secondSource->url; }
  // What the chip's assembler calls it: gfx908 and gfx90a write no underscore
  // before the input type and no block count.
  std::string mnemonic(Arch arch) const;
  // One sentence for the user: sources, and whether there is only one.
  std::string provenance() const;
};

// All rows, in the order of the tables.
const std::vector<MatrixInstruction> &matrixInstructions();

// Finds an instruction by any of its spellings: mnemonics of old and new chips,
// clang builtins, LLVM intrinsics, `mfma.f32_16x16x16f16`, `mma.m16n8k16.f16`, a
// full PTX mnemonic (mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32),
// `ldmatrix.x4.trans`. A trailing operand (`.A`) is no part of the name. waveSize
// matters for gfx11 and gfx12 only; 0 means what the name says, else 32. The error
// names the chips that have it, or the nearest names.
Result<const MatrixInstruction *> findMatrixInstruction(std::string_view name, Arch arch,
                                                        int waveSize = 0);
// The same, on whatever chip has it (the newest first).
Result<const MatrixInstruction *> findMatrixInstruction(std::string_view name);

// "mma.m16n8k16.f16.A" -> the name and 'A'; without a trailing operand, 0.
std::pair<std::string_view, char> splitOperand(std::string_view name);

// One operand's place in registers, as numbers. row and column are (m, k) for A,
// (k, n) for B, (m, n) for C and D.
struct Fragment {
  FragmentForm form;
  const char *rowDim, *colDim;
  int rows, cols, blocks;
  int elementBits;
  int elementsPerLane, lanes, warps;
};
struct MatrixCoord {
  int row, col, block;
};
// operand: 'A', 'B', 'C' or 'D'. For ldmatrix, stmatrix and movmatrix every
// operand means the one register fragment.
Result<Fragment> fragmentOf(const MatrixInstruction &instruction, char operand);
// The equation itself: which matrix element lies in this element of this lane.
MatrixCoord coordOf(const Fragment &fragment, int lane, int element, int warp = 0);

// The operand as a layout. coordOf at the unit vectors; the tests show for every
// row that the two agree everywhere, that is, that the form is linear.
Result<LinearLayout> operandLayout(const MatrixInstruction &instruction, char operand);

// All in one, from what a person types: the operand in the name or beside it ("" or
// "A"; needed unless the instruction has one fragment only), the chip ("" for any;
// PTX instructions take none and ignore it), waveSize as in findMatrixInstruction.
Result<LinearLayout> operandLayout(std::string_view name, std::string_view operand,
                                   std::string_view arch, int waveSize = 0);

} // namespace layout_port::isa
