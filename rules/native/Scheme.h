// Where everything of a product lies once two warps share a wave of 64 lanes.
//
// The product is transposed, D^T = B^T A^T: B is the first operand of a 16x16 MFMA, A the
// second. Fragment arrays keep their shape; what an index *means* changes, by a
// permutation of bits:
//
//              register r0   r1     lane 0-2   lane 3   lane 4,5    lane 5
//   CUDA  C        n0        m3     n1 n2 m0   m1..     ..m2        h (which warp)
//   here  C        n0        h      m0 m1 m2   m3       n1 n2
//
// So what was said of rows r and r + 8 is now said of both warps, h = 0 and h = 1, and
// lane bit 3 says which of the rows it is. A row of the MFMA's first operand has four
// bits; an n8 tile has three. The fourth is
//   h          when the warps of a pair have different columns and share A (Columns)
//   j0         else: two neighbouring n8 tiles share an MFMA, and each of the two warps
//              gets one of its own (Rows: they share B; Apart: they share nothing). Of an odd
//              number of tiles the last is by itself ("odd"); its sums lie like the others'
//
// A B that lies in memory along n (ldmatrix.trans) is read in vectors along n, whose
// elements belong to different MFMAs. Then the tile index takes the low bits of n
// ("turned"):
//
//   Columns   r0 = n2   r1 = h   lanes 4,5 = j0 j1   tile index bits 0,1 = n0 n1
//   Rows      r0 = n2   r1 = h   j0 = j0   lanes 4,5 = j1 j2   bits 1,2 = n0 n1
//
// which takes 4 or 8 tiles together. Where there are half as many, only n0 goes there, and a read
// is half as wide ("halfTurned"):
//
//   Columns   r0 = n1   r1 = h   lanes 4,5 = n2 j0   tile index bit 0 = n0
//   Rows      r0 = n1   r1 = h   j0 = j0   lanes 4,5 = n2 j1   bit 1 = n0
//
// Where the epilogue is re-evaluated in place (RecoverEpilogue.h), r1 need not mean h: a
// tile that is not turned is then "wide", four neighbours of n in each lane:
//
//   Columns   r0 = n0   r1 = n1   lane 4 = n2   lane 5 = h
//   else      r0 = n0   r1 = n1   lane 4 = n2   lane 5 = j0   tile index bit 0 = h
//
// Where CUDA's tiles have eight rows (m8n8k16), nobody has m3, and h takes its place: one
// MFMA does two neighbouring n8 tiles of both warps (Rows), or one tile of each, half of
// the rows being of use (single):
//
//   CUDA  C   register n0       lanes n1 n2 m0 m1 m2 | h
//   here  C   register n0, j0   lanes m0 m1 m2 h | n1 n2
//
// Bits of k lie as the MFMA has them; in bytes, b0-b2 in the lane, b3 and b4 above. The
// order of k does not matter to a product, as long as both operands have the same. So where
// the loop over k does nothing else, two of its steps are taken at once ("deep"): b0-b3 in
// the lane, b4 and the step above, and each lane reads the 16 bytes of a row that ldmatrix
// speaks of, for two MFMAs or one of twice the depth. An A
// made in registers from results (attention's P) has them as results have their columns,
// b2 and b3 in lane bits 4 and 5 and b4 in the register; B then is read to match
// ("farWords").
//
// Where tiles come in fours, a 32x32 MFMA does four of both warps ("large"): four n8 tiles, of
// warps that share B, or two by two, i0 and j0, of warps that share A. Its lanes have one bit of k,
// so each reads the 16 bytes of a row that ldmatrix speaks of, and of one warp alone:
//
//   CUDA  C          register n0 m3   lanes n1 n2 m0 m1 m2 | h
//   Rows  C          register n0 n1   lanes m0 m1 m2 m3 h | n2    tiles j0 j1
//   Columns  C       register n0 n1   lanes m0 m1 m2 m3 i0 | h    tiles j0, and n2 in place of i0
//
// f16's m8n8k4 is four products a warp, q = 0-3, a quad pair each. Its operands lie as an MFMA of
// sixteen 4x4 blocks wants them, transposed or not: four lanes are rows of one block. A block of A
// meets both of B: as it lies, and as the lane 16 away has it ("fourBlocks").
//
//                         register            lanes
//   CUDA  A row           k0 k1               m0 m1 q0 q1 m2 | h
//   CUDA  C  f32          n0 m1 n2            m0 n1 q0 q1 m2 | h
//   CUDA  C  f16          n0 n1 n2            m0 m1 q0 q1 m2 | h
//   here  C               n0 n1 (n2 ^ m2)     m0 m1 q0 q1 m2 | h
//
// A register of f64 is one number, 64 bits: its "word". So b0 and b1 are nobody's, b2 and b3 say
// which of a step's four numbers along k a lane has, as they do of tf32, and m16n8k16's A has b4
// and b5 in its registers ("fourWords").
#pragma once

#include "layout_port/layouts/Isa.h"
#include "native/FragmentProgram.h"
#include "tensor/mma/Numbers.h"

#include <map>

namespace layout_port::native {

enum class PairSide { Columns, Rows, Apart };

// Names of bits: m0-m3, n0-n2, i0 (tile index along m), j0-j2 (along n), h, b2-b4, s (step of k).
using Places = std::map<std::string, int>; // name -> bit

struct Scheme {
  PairSide side = PairSide::Apart;
  bool turned = false, halfTurned = false;
  // Rows and Apart: each n8 tile by itself, two MFMAs of which half the rows are of use,
  // where tiles do not come in pairs. The fourth row bit is nobody's (Rows) or says whose B
  // a row is (Apart).
  bool single = false;
  // In pairs, but for the last of an odd number of tiles.
  bool odd = false;
  // Tiles of eight rows: h is where m3 would be.
  bool eightRows = false;
  // f16's m8n8k4: nothing of the above; operands stay where they are.
  bool fourBlocks = false;
  // r1 = n1 (above).
  bool wide = false;
  // 16 bytes of k in the lane: two steps of the loop over k at once.
  bool deep = false;
  // Only 16 bytes of k: b2 and b3 lie above the lane's own four bytes.
  bool shallow = false;
  // Four tiles of both warps in one 32x32 MFMA: 16 bytes of k in the lane, or 8 (shallow).
  bool large = false;
  // The two words of a lane are 16 bytes of k apart (b4), not neighbours (b2): so each is
  // one register of the CUDA program, as it suits operands that are not read as vectors.
  bool farWords = false;
  // Four words of k in as many registers.
  bool fourWords = false;
  const isa::MatrixInstruction *mfma = nullptr; // whose operand layouts are meant
  // Lane bits of the MFMA's operands.
  Places firstLanes, secondLanes, resultLanes;
  // Bits of the result's element index; those of n and h.
  Places resultElements;
  // Bits of the tile index along n that now mean bits of n.
  Places tileBits;

  // Words of k, of one warp's operand, in a lane.
  int words() const { return large ? (shallow ? 2 : 4) : shallow ? 1 : deep || fourWords ? 4 : 2; }
  // A word is 64 bits, not 32.
  bool isDouble() const { return mfma && mfma->a == isa::ElementType::F64; }
  const char *wordType() const { return isDouble() ? "double" : "unsigned"; }
  // n8 tiles that the scheme takes together.
  int tilesTogether() const;
  // ... and m16 tiles.
  int rowTilesTogether() const { return large && side == PairSide::Columns ? 2 : 1; }
  // Index bit of the tile that says which warp an MFMA at this tile belongs to, or -1.
  int pairTileBit() const { return side == PairSide::Columns || single || eightRows ? -1 : 0; }
  // The lane has A of one warp and another lane of the other; else each lane has both.
  bool isOfOneWarp() const { return side == PairSide::Columns || eightRows || large; }
  // The 16 bytes of a row that ldmatrix speaks of are one lane's.
  bool hasWholeRows() const { return deep || large; }
};

// What is chosen; the rest follows from it.
struct Choice {
  PairSide side = PairSide::Apart;
  bool turned = false, single = false, shallow = false, farWords = false, wide = false,
       deep = false, eightRows = false, fourWords = false, halfTurned = false, odd = false,
       large = false;
};

// The scheme of a choice for MFMAs like `mfma` (16x16, or 32x32 where it is large; one block).
// Error: another shape.
Result<Scheme> makeScheme(const Choice &choice, const isa::MatrixInstruction &mfma);

// f16's m8n8k4, its operands by rows and by columns.
Result<Scheme> makeFourBlocks(const MmaSite &mma);

// Names of the bits that a result's register index and the low bits of its tile index
// mean, low to high, and of those of the lane.
struct ResultNames {
  std::vector<std::string> registers, tiles, lanes;
};
ResultNames resultNames(const Scheme &scheme);

// The result's layout, in words: (register, tile, lane) -> logical bits, as it is here
// and as CUDA has it. One word an element; `packed`: two n0 neighbours are one word, but not of a
// turned result, whose words hold two of n2.
struct BorderLayouts {
  LinearLayout here, cuda;
};
Result<BorderLayouts> borderLayouts(const Scheme &scheme, bool packed);

// The same of one operand's registers, one warp's tile: `here` is as a product takes them, of A
// with both warps' words in a lane where it has them. Error: a scheme that takes registers of
// several tiles, or of numbers of 64 bits.
Result<BorderLayouts> operandBorder(const Scheme &scheme, bool isA);

// The same of values that a row has, and each quad of lanes its own of it.
Result<BorderLayouts> rowBorderLayouts(const isa::MatrixInstruction &mfma);

// The element types that have an MFMA of so many rows, and with it the chip's instructions.
struct Arm {
  const isa::MatrixInstruction *instruction = nullptr;
  int words = 0; // of an operand, a lane
  std::vector<isa::Arch> archs;
  // What A's and B's numbers become, where the MFMA does not take them as they are.
  const OperandNumbers *a = nullptr, *b = nullptr;

  // MFMAs for the words that one takes: elements that widen to twice as many bits are two.
  int parts() const { return a && a->expansionBits() ? 2 : 1; }
  // Vector instructions that make a word of either operand.
  int operationsA() const { return a ? a->operations : 0; }
  int operationsB() const { return b ? b->operations : 0; }
  bool operator==(const Arm &other) const {
    return instruction == other.instruction && a == other.a && b == other.b;
  }
};
// For an mma of these types with `words` words of k in each lane, the best instruction
// of each chip, of 16 or 32 rows and columns. Error: a chip has none.
Result<std::vector<Arm>> armsFor(const MmaSite &mma, int words, const std::vector<isa::Arch> &archs,
                                 int rows = 16);

} // namespace layout_port::native
