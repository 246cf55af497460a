// The closed forms: where an operand's elements lie, as equations.
//
// A row of the tables names a form and gives the shape; the form is one function
// from (lane, element, warp) to (row, col, block). Sources of the equations: the
// layout chapters of AMD's CDNA3/CDNA4 and RDNA3/RDNA4 ISA manuals, whose formulas
// the calculator https://github.com/ROCm/amd_matrix_instruction_calculator also
// computes, and the fragment chapters of the PTX ISA,
// https://docs.nvidia.com/cuda/parallel-thread-execution/#matrix-fragments-for-mma-m16n8k16-with-floating-point-type
//
// In the equations: i is the index along the non-contracted side of A or B (its
// extent `side` is M or N), k the contracted one, b the block, l the lane, e the
// element, w the warp. For results, i is the row m and j the column n.
#include "layout_port/layouts/Isa.h"

#include <algorithm>

namespace layout_port::isa {
namespace {

// An input element as (i, k, b); the caller orders it as (m, k) or (k, n).
struct InputCoord {
  int i, k, block;
};

struct InputShape {
  int side, depth, blocks, bits, elements, lanes;
};

//===-- CDNA ---------------------------------------------------------------===//

// l = (k / E) * side * blocks + b * side + i,   e = k % E
InputCoord mfmaInput(const InputShape &s, int l, int e) {
  return {l % s.side, e + s.elements * (l / (s.side * s.blocks)), l / s.side % s.blocks};
}

// As mfmaInput, but k goes round the lane groups in pieces of 16:
// l = side * (k / 16 % G) + i,   e = k % 16 + 16 * (k / (16 G)),   G = lanes / side
InputCoord mfmaInputSplit(const InputShape &s, int l, int e) {
  constexpr int piece = 16;
  const int groups = s.lanes / s.side;
  return {l % s.side, e % piece + piece * (l / s.side) + piece * groups * (e / piece), 0};
}

// q = i / 4 + (M / 4) * b;   l = (q % G) * N + j,   e = i % 4 + 4 * (q / G),   G = lanes / N
MatrixCoord mfmaAcc(const Fragment &f, int l, int e) {
  const int groups = f.lanes / f.cols, quadsOfRows = f.rows / 4;
  const int q = l / f.cols + groups * (e / 4);
  return {e % 4 + 4 * (q % quadsOfRows), l % f.cols, q / quadsOfRows};
}

// l = (i % G) * N * blocks + b * N + j,   e = i / G,   G = lanes / (N * blocks)
MatrixCoord mfmaAcc64(const Fragment &f, int l, int e) {
  const int perRow = f.cols * f.blocks, groups = f.lanes / perRow;
  return {l / perRow + groups * e, l % f.cols, l / f.cols % f.blocks};
}

//===-- RDNA ---------------------------------------------------------------===//

// gfx11: every 16 lanes hold the whole operand.   l % 16 = i,   e = k
InputCoord wmma11Input(const InputShape &s, int l, int e) { return {l % s.side, e, 0}; }

// gfx11: l = j + N * (i % G),   e = i / G,   G = lanes / N
MatrixCoord wmma11Acc(const Fragment &f, int l, int e) {
  const int groups = f.lanes / f.cols;
  return {l / f.cols + groups * e, l % f.cols, 0};
}

// gfx12: a wave64 is a wave32 whose upper half of registers lies in lanes 32-63.
// `elements` is what one lane of 64 (or of 32) holds; the answer is the element
// that a lane of 32 would call this one.
int wave32Element(int lanes, int elements, int l, int e) {
  return lanes == 64 ? e + elements * (l / 32) : e;
}

// gfx12, of 32 lanes: 8 bytes (c elements) of k a half wave, then the next.
// l % 16 = i,   k = e % c + c * (l / 16) + 2 c * (e / c)
// When a lane of 64 would hold less than one register, lanes 32-63 are not read.
InputCoord wmma12Input(const InputShape &s, int l, int e) {
  const bool upperIdle = s.elements * 32 == s.side * s.depth;
  const int e32 = upperIdle ? e : wave32Element(s.lanes, s.elements, l, e);
  const int chunk = std::min(64 / s.bits, s.side * s.depth / 32);
  return {l % s.side, e32 % chunk + chunk * (l / 16 % 2) + 2 * chunk * (e32 / chunk), 0};
}

// gfx12, of 32 lanes: l = j + N * (i / 8),   e = i % 8
MatrixCoord wmma12Acc(const Fragment &f, int l, int e) {
  const int e32 = wave32Element(f.lanes, f.elementsPerLane, l, e);
  return {e32 + 8 * (l / 16 % 2), l % f.cols, 0};
}

//===-- PTX ----------------------------------------------------------------===//

// g = l / 4 (PTX: groupID), t = l % 4 (threadID_in_group).
// pack = elements of one 32-bit register, at least 1; r = e / pack.
// H = row halves of 8 that one warp holds.
int packOf(int bits) { return std::max(1, 32 / bits); }
int rowHalves(const Fragment &f) { return f.rows / f.warps / 8; }

// m = g + 8 * (r % H) + 16 * w,   k = e % pack + pack * t + 4 pack * (r / H)
MatrixCoord ptxA(const Fragment &f, int l, int e, int w) {
  const int pack = packOf(f.elementBits), halves = rowHalves(f), r = e / pack;
  return {l / 4 + 8 * (r % halves) + 16 * w, e % pack + pack * (l % 4) + 4 * pack * (r / halves),
          0};
}

// n = g,   k = e % pack + pack * t + 4 pack * r
MatrixCoord ptxB(const Fragment &f, int l, int e) {
  const int pack = packOf(f.elementBits), r = e / pack;
  return {e % pack + pack * (l % 4) + 4 * pack * r, l / 4, 0};
}

// m = g + 8 * (e / 2 % H) + 16 * w,   n = e % 2 + 2 t + 8 * (e / 2 / H)
MatrixCoord ptxC(const Fragment &f, int l, int e, int w) {
  const int halves = rowHalves(f), pair = e / 2;
  return {l / 4 + 8 * (pair % halves) + 16 * w, e % 2 + 2 * (l % 4) + 8 * (pair / halves), 0};
}

// m8n8k4 with f16. Quad pair b holds one product in its lanes
// {4b..4b+3} and {16+4b..16+4b+3}: t = l % 4, h = l / 16, b = l / 4 % 4.
// "Across lanes" is t + 4 h; "inside" is e (+ 4 h where only four elements lie there).
MatrixCoord quadPair(FragmentForm form, int l, int e) {
  const int t = l % 4, h = l / 16, b = l / 4 % 4;
  switch (form) {
  case FragmentForm::QuadPairARow: // m across lanes, k inside
    return {t + 4 * h, e, b};
  case FragmentForm::QuadPairACol: // m inside, k across the quad
    return {e + 4 * h, t, b};
  case FragmentForm::QuadPairBRow: // k across the quad, n inside
    return {t, e + 4 * h, b};
  case FragmentForm::QuadPairBCol: // k inside, n across lanes
    return {e, t + 4 * h, b};
  case FragmentForm::QuadPairC16: // m across lanes, n inside
    return {t + 4 * h, e, b};
  default: // QuadPairC32: bit 1 of m and of n change places between lane and element
    return {(t & 1) + (e & 2) + 4 * h, (e & 1) + (t & 2) + (e & 4), b};
  }
}

// Matrix q = e / 2; row g and columns 2 t, 2 t + 1; .trans exchanges the two.
MatrixCoord ldmatrix(int l, int e, bool transposed) {
  const int outer = l / 4, inner = 2 * (l % 4) + e % 2;
  return transposed ? MatrixCoord{inner, outer, e / 2} : MatrixCoord{outer, inner, e / 2};
}

//===-- Operand to form ----------------------------------------------------===//

bool isInput(FragmentForm form) {
  return form == FragmentForm::MfmaInput || form == FragmentForm::MfmaInputSplit ||
         form == FragmentForm::Wmma11Input || form == FragmentForm::Wmma12Input;
}

InputCoord inputCoord(FragmentForm form, const InputShape &s, int l, int e) {
  switch (form) {
  case FragmentForm::MfmaInput:
    return mfmaInput(s, l, e);
  case FragmentForm::MfmaInputSplit:
    return mfmaInputSplit(s, l, e);
  case FragmentForm::Wmma11Input:
    return wmma11Input(s, l, e);
  default:
    return wmma12Input(s, l, e);
  }
}

// How many elements of an AMD input lie in one lane.
int inputElements(const MatrixInstruction &in, int side, int bits) {
  const int total = side * in.k * in.blocks;
  if (in.formA == FragmentForm::Wmma11Input)
    return in.k; // each 16 lanes have all of it
  const int even = total / in.waveSize;
  if (in.formA == FragmentForm::Wmma12Input && even * bits < 32)
    return total / 32; // lanes 32-63 are not read
  return even;
}

Fragment moveFragment(const MatrixInstruction &in) {
  const bool mov = in.formAcc == FragmentForm::Movmatrix;
  return {in.formAcc,
          mov ? "row_of_input" : "row",
          mov ? "col_of_input" : "col",
          8,
          8,
          in.blocks,
          elementBits(in.acc),
          2 * in.blocks,
          in.waveSize,
          1};
}

Fragment inputFragment(const MatrixInstruction &in, bool isA) {
  Fragment f{};
  f.form = isA ? in.formA : in.formB;
  f.rowDim = isA ? "m" : "k";
  f.colDim = isA ? "k" : "n";
  f.rows = isA ? in.m : in.k;
  f.cols = isA ? in.k : in.n;
  f.blocks = in.blocks;
  f.elementBits = elementBits(isA ? in.a : in.b);
  f.lanes = in.waveSize;
  f.warps = in.warps;
  f.elementsPerLane = isInput(f.form) ? inputElements(in, isA ? in.m : in.n, f.elementBits)
                                      : f.rows * f.cols * f.blocks / (f.lanes * f.warps);
  return f;
}

Fragment accFragment(const MatrixInstruction &in) {
  return {in.formAcc,
          "m",
          "n",
          in.m,
          in.n,
          in.blocks,
          elementBits(in.acc),
          in.m * in.n * in.blocks / (in.waveSize * in.warps),
          in.waveSize,
          in.warps};
}

//===-- Form to layout -----------------------------------------------------===//

// The out-dims of an operand, in order. AMD keeps a block of size 1.
LinearLayout::NamedSizes outDims(const MatrixInstruction &in, const Fragment &f) {
  using Size = LinearLayout::NamedSizes::value_type;
  const Size row{f.rowDim, f.rows}, col{f.colDim, f.cols};
  if (in.family == MatrixFamily::MatrixMove && f.form != FragmentForm::Movmatrix)
    return {Size("matrix", f.blocks), row, col};
  LinearLayout::NamedSizes dims = {row, col};
  const bool amd = in.family == MatrixFamily::Mfma || in.family == MatrixFamily::Wmma;
  if (amd || f.blocks > 1)
    dims.emplace_back("block", f.blocks);
  return dims;
}

LinearLayout::Basis basisOf(const MatrixCoord &coord, const LinearLayout::NamedSizes &dims,
                            const Fragment &f) {
  LinearLayout::Basis basis;
  for (const auto &[dim, size] : dims)
    basis.push_back(dim == f.rowDim ? coord.row : dim == f.colDim ? coord.col : coord.block);
  return basis;
}

} // namespace

Result<Fragment> fragmentOf(const MatrixInstruction &in, char operand) {
  if (operand != 'A' && operand != 'B' && operand != 'C' && operand != 'D')
    return makeError("operand '%c' of %s: expected A, B, C or D", operand, in.name);
  if (in.family == MatrixFamily::MatrixMove)
    return moveFragment(in);
  if (operand == 'C' || operand == 'D')
    return accFragment(in);
  Fragment f = inputFragment(in, operand == 'A');
  if (f.form == FragmentForm::None)
    return makeError("%s reads %c from shared memory: it has no register fragment", in.name,
                     operand);
  return f;
}

MatrixCoord coordOf(const Fragment &f, int lane, int element, int warp) {
  const bool isA = f.rowDim[0] == 'm';
  if (isInput(f.form)) {
    const InputShape shape{isA ? f.rows : f.cols, isA ? f.cols : f.rows, f.blocks,
                           f.elementBits,         f.elementsPerLane,     f.lanes};
    const InputCoord c = inputCoord(f.form, shape, lane, element);
    return isA ? MatrixCoord{c.i, c.k, c.block} : MatrixCoord{c.k, c.i, c.block};
  }
  switch (f.form) {
  case FragmentForm::MfmaAcc:
    return mfmaAcc(f, lane, element);
  case FragmentForm::MfmaAcc64:
    return mfmaAcc64(f, lane, element);
  case FragmentForm::Wmma11Acc:
    return wmma11Acc(f, lane, element);
  case FragmentForm::Wmma12Acc:
    return wmma12Acc(f, lane, element);
  case FragmentForm::PtxA:
    return ptxA(f, lane, element, warp);
  case FragmentForm::PtxB:
    return ptxB(f, lane, element);
  case FragmentForm::PtxC:
    return ptxC(f, lane, element, warp);
  case FragmentForm::Ldmatrix:
    return ldmatrix(lane, element, false);
  case FragmentForm::LdmatrixTrans:
  case FragmentForm::Movmatrix:
    return ldmatrix(lane, element, true);
  default:
    return quadPair(f.form, lane, element);
  }
}

Result<LinearLayout> operandLayout(const MatrixInstruction &in, char operand) {
  const Result<Fragment> f = fragmentOf(in, operand);
  if (!f)
    return f.error();
  const LinearLayout::NamedSizes outs = outDims(in, *f);
  LinearLayout::NamedBases bases = {{"register", {}}, {"lane", {}}};
  for (int e = 1; e < f->elementsPerLane; e *= 2)
    bases[0].second.push_back(basisOf(coordOf(*f, 0, e), outs, *f));
  for (int l = 1; l < f->lanes; l *= 2)
    bases[1].second.push_back(basisOf(coordOf(*f, l, 0), outs, *f));
  if (f->warps > 1) {
    bases.emplace_back("warp", std::vector<LinearLayout::Basis>());
    for (int w = 1; w < f->warps; w *= 2)
      bases[2].second.push_back(basisOf(coordOf(*f, 0, 0, w), outs, *f));
  }
  return LinearLayout::fromBases(bases, outs);
}

} // namespace layout_port::isa
