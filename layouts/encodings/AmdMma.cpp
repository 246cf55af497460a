// Accumulators and operands of MFMA (64 lanes) and WMMA (32 lanes).
// https://github.com/ROCm/amd_matrix_instruction_calculator prints the same tables.
#include "encodings/Families.h"
#include "encodings/Tile.h"

#include <algorithm>

namespace layout_port {
namespace encodings {

static Result<bool> checkRank(const char *family, size_t rank) {
  if (rank != 2 && rank != 3)
    return makeError("%s wants rank 2 or 3, not %zu", family, rank);
  return true;
}

static Result<bool> checkMfmaShape(const AmdMfmaEncoding &e) {
  const PerDim &s = e.instrShape;
  if (s.size() != 2 && s.size() != 3)
    return makeError("amd_mfma wants instrShape [m, n, k]");
  const bool square = s[0] == s[1] && (s[0] == 4 || s[0] == 16 || s[0] == 32);
  const bool tall = s[0] == 64 && s[1] == 4, wide = s[0] == 4 && s[1] == 64;
  if (!square && !tall && !wide)
    return makeError("there is no MFMA of %llu x %llu", static_cast<unsigned long long>(s[0]),
                     static_cast<unsigned long long>(s[1]));
  if (tall && !e.isTransposed)
    return makeError("amd_mfma 64x4 exists only transposed (as 4x64 with operands swapped)");
  return true;
}

static Result<AmdMfmaEncoding> completeMfma(const AmdMfmaEncoding &e, size_t rank) {
  if (const Result<bool> good = checkRank("amd_mfma", rank); !good)
    return good.error();
  AmdMfmaEncoding complete = e;
  if (const Result<bool> good = checkMfmaShape(e); !good)
    return good.error();
  if (e.elementBitWidth != 32 && e.elementBitWidth != 64)
    return makeError("an MFMA accumulator has 32 or 64 bits, not %llu",
                     static_cast<unsigned long long>(e.elementBitWidth));
  if (e.tilesPerWarp.empty())
    complete.tilesPerWarp.assign(rank, 1);
  if (const Result<bool> good = checkPowers(
          {{"tilesPerWarp", complete.tilesPerWarp}, {"warpsPerCTA", e.warpsPerCta}}, rank);
      !good)
    return good.error();
  const Result<CtaParams> cta = completeCta(e.cta, rank);
  if (!cta)
    return cta.error();
  complete.cta = *cta;
  return complete;
}

namespace {
// The two dims of an accumulator as the instruction sees them: lanes first fill `along`,
// registers run along `down`. Transposing swaps the two.
struct AccumulatorDims {
  std::string along, down;
  uint64_t alongSize;
};
} // namespace

// One instruction's accumulator: `height` registers down (4 words, or 1 double), then the
// lanes, first along and then down, then the registers again down the rest.
static Tile mfmaTile(const AmdMfmaEncoding &e, const AccumulatorDims &dims) {
  constexpr uint64_t lanes = 64;
  const uint64_t height = e.elementBitWidth == 64 ? 1 : 4;
  const uint64_t repeats = e.instrShape[0] * e.instrShape[1] / (lanes * height);
  Tile tile;
  return tile.identity(height, "register", dims.down)
      .identity(dims.alongSize, "lane", dims.along)
      .identity(lanes / dims.alongSize, "lane", dims.down)
      .identity(repeats, "register", dims.down);
}

// Instructions are numbered along n first, over the whole width of the tensor and not
// only of one block of tilesPerWarp x warpsPerCTA, and then along m.
Result<LinearLayout> amdMfma(const AmdMfmaEncoding &params, const PerDim &shape) {
  const size_t rank = shape.size();
  const Result<AmdMfmaEncoding> e = completeMfma(params, rank);
  if (!e)
    return e.error();
  const uint64_t m = rank - 2, n = rank - 1;
  const std::string dimM = dimName(m), dimN = dimName(n);
  const AccumulatorDims dims = e->isTransposed ? AccumulatorDims{dimM, dimN, e->instrShape[0]}
                                               : AccumulatorDims{dimN, dimM, e->instrShape[1]};
  const uint64_t coveredN = e->instrShape[1] * e->warpsPerCta[n] * e->tilesPerWarp[n];
  Tile tile = mfmaTile(*e, dims);
  tile.orderOuts({dimN, dimM})
      .identity(e->tilesPerWarp[n], "register", dimN)
      .identity(e->warpsPerCta[n], "warp", dimN)
      .identity(shape[n] / coveredN, "register", dimN)
      .identity(e->tilesPerWarp[m], "register", dimM)
      .identity(e->warpsPerCta[m], "warp", dimM);
  if (rank == 3)
    tile.identity(e->warpsPerCta[0], "warp", dimName(0));
  return combineWithBlocks(tile, e->cta, shape);
}

// The k extent of one pass of an operand: kWidth elements in each of the lanes left over
// by the other dim. The 64-wide operand of 64x4 and 4x64 takes 16 passes.
static uint64_t mfmaOperandPasses(const AmdMfmaEncoding &e, uint64_t opIdx) {
  const bool wideA = e.instrShape[0] == 64 && opIdx == 0;
  const bool wideB = e.instrShape[1] == 64 && opIdx == 1;
  return wideA || wideB ? 16 : 1;
}

Result<LinearLayout> amdMfmaOperand(const DotOperandEncoding &dot, const AmdMfmaEncoding &parent,
                                    const PerDim &shape) {
  constexpr uint64_t lanes = 64;
  const size_t rank = shape.size();
  const Result<AmdMfmaEncoding> e = completeMfma(parent, rank);
  if (!e)
    return e.error();
  const OperandDims dims = operandDims(dot, rank);
  const std::string dimK = dimName(dims.k), dimNonK = dimName(dims.nonK);
  const uint64_t nonKSize = e->instrShape[dot.opIdx];
  const uint64_t passes = mfmaOperandPasses(*e, dot.opIdx);
  const uint64_t kTile = lanes / nonKSize * dot.kWidth * passes;
  Tile tile;
  tile.identity(dot.kWidth, "register", dimK)
      .identity(nonKSize, "lane", dimNonK)
      .identity(lanes / nonKSize, "lane", dimK)
      .identity(passes, "register", dimK)
      .identity(std::max<uint64_t>(shape[dims.k] / kTile, 1), "register", dimK)
      .identity(e->tilesPerWarp[dims.nonK], "register", dimNonK)
      .orderOuts({dimK, dimNonK});
  // Warps that differ along k of this operand have to hold the same elements. They are
  // laid out along k all the same, and then cut off: the tile covers all of k already.
  tile.identityNd(e->warpsPerCta, "warp", matrixOrder(rank));
  return combineWithBlocks(tile, e->cta, shape);
}

static Result<AmdWmmaEncoding> completeWmma(const AmdWmmaEncoding &e, size_t rank) {
  if (const Result<bool> good = checkRank("amd_wmma", rank); !good)
    return good.error();
  AmdWmmaEncoding complete = e;
  if (e.version < 1 || e.version > 3)
    return makeError("amd_wmma has version 1, 2 or 3, not %llu",
                     static_cast<unsigned long long>(e.version));
  if (complete.instrShape.size() == 2)
    complete.instrShape.push_back(16);
  if (const Result<bool> good = checkPowers(complete.instrShape, 3, "instrShape"); !good)
    return good.error();
  if (complete.instrShape[0] != 16 || complete.instrShape[1] != 16)
    return makeError("there is no WMMA of %llu x %llu",
                     static_cast<unsigned long long>(complete.instrShape[0]),
                     static_cast<unsigned long long>(complete.instrShape[1]));
  if (const Result<bool> good = checkPowers(e.warpsPerCta, rank, "warpsPerCTA"); !good)
    return good.error();
  const Result<CtaParams> cta = completeCta(e.cta, rank);
  if (!cta)
    return cta.error();
  complete.cta = *cta;
  return complete;
}

// 16 x 16 in 32 lanes of 8 registers. Version 1 interleaves the half waves row by row,
// later versions give each eight rows:
//
//   version 1   register i, half h -> row 2 i + h      later   row i + 8 h
static Tile wmmaTile(uint64_t version, const std::string &along, const std::string &down) {
  Tile tile;
  tile.identity(1, "register", down);
  if (version == 1)
    return tile.identity(16, "lane", along).identity(2, "lane", down).identity(8, "register", down);
  return tile.identity(8, "register", down).identity(16, "lane", along).identity(2, "lane", down);
}

Result<LinearLayout> amdWmma(const AmdWmmaEncoding &params, const PerDim &shape) {
  const size_t rank = shape.size();
  const Result<AmdWmmaEncoding> e = completeWmma(params, rank);
  if (!e)
    return e.error();
  const PerDim repeatOrder = matrixOrder(rank);
  const std::string dimM = dimName(rank - 2), dimN = dimName(rank - 1);
  Tile tile = e->isTransposed ? wmmaTile(e->version, dimM, dimN) : wmmaTile(e->version, dimN, dimM);
  if (rank == 3)
    tile.identity(1, "register", dimName(0));
  tile.orderOuts(dimNames(repeatOrder)).identityNd(e->warpsPerCta, "warp", repeatOrder);
  return combineWithBlocks(tile, e->cta, shape);
}

// A lane holds kWidth elements along k; sixteen lanes stand along the other dim, and the
// two half waves hold the same elements (version 1) or the next kWidth (later).
Result<LinearLayout> amdWmmaOperand(const DotOperandEncoding &dot, const AmdWmmaEncoding &parent,
                                    const PerDim &shape) {
  constexpr uint64_t lanes = 32;
  const size_t rank = shape.size();
  const Result<AmdWmmaEncoding> e = completeWmma(parent, rank);
  if (!e)
    return e.error();
  const OperandDims dims = operandDims(dot, rank);
  const std::string dimK = dimName(dims.k), dimNonK = dimName(dims.nonK);
  const uint64_t nonKSize = e->instrShape[dot.opIdx];
  const uint64_t depth = lanes / nonKSize;
  const PerDim order = operandOrder(dot.opIdx, rank);
  Tile tile;
  tile.identity(dot.kWidth, "register", dimK).identity(nonKSize, "lane", dimNonK);
  e->version == 1 ? tile.broadcast(depth, "lane", dimK) : tile.identity(depth, "lane", dimK);
  tile.identity(e->instrShape[2] / (depth * dot.kWidth), "register", dimK);
  if (rank == 3)
    tile.identity(1, "register", dimName(0));
  tile.orderOuts(dimNames(order));
  Tile warps;
  for (const uint64_t dim : matrixOrder(rank))
    dim == dims.k ? warps.broadcast(e->warpsPerCta[dim], "warp", dimName(dim))
                  : warps.identity(e->warpsPerCta[dim], "warp", dimName(dim));
  warps.orderOuts(dimNames(order));
  return combineWithBlocks(tile.times(warps.layout()), e->cta, shape);
}

} // namespace encodings
} // namespace layout_port
