// The shared-memory families: offset -> element.
#include "encodings/Families.h"
#include "encodings/Tile.h"

#include <algorithm>

namespace layout_port {
namespace encodings {

// Rows of columns: offset bits run over the columns (order[0]), then over the rows
// (order[1]), each row's bit with the columns that `swizzle` XORs in, then over the
// other dims as they are.
template <typename Swizzle>
static Tile swizzledTile(const PerDim &sizes, const PerDim &order, Swizzle swizzle) {
  const uint64_t columns = sizes[order[0]], rows = sizes[order[1]];
  LinearLayout::NamedBases bases = {{"offset", {}}};
  for (uint64_t column = 1; column < columns; column *= 2)
    bases[0].second.push_back({0, column});
  for (uint64_t row = 1; row < rows; row *= 2)
    bases[0].second.push_back({row, swizzle(row) % columns});
  Tile tile(
      LinearLayout::fromBases(bases, {{dimName(order[1]), rows}, {dimName(order[0]), columns}}));
  for (size_t i = 2; i < order.size(); ++i)
    tile.identity(sizes[order[i]], "offset", dimName(order[i]));
  return tile;
}

static Result<bool> checkPhases(uint64_t vec, uint64_t perPhase, uint64_t maxPhase) {
  if (vec == 0 || perPhase == 0 || maxPhase == 0)
    return makeError("vec, perPhase and maxPhase are at least 1");
  return true;
}

// Rank 1: nothing to swizzle.
static Result<LinearLayout> plain1D(const CtaParams &cta, const PerDim &shape) {
  Tile tile;
  tile.identity(shapePerCta(cta, shape)[0], "offset", dimName(0));
  return combineWithBlocks(tile, cta, shape);
}

Result<LinearLayout> swizzledShared(const SwizzledSharedEncoding &e, const PerDim &shape) {
  const Result<PerDim> order = completeOrder(e.order, shape.size(), "order");
  const Result<CtaParams> cta = completeCta(e.cta, shape.size());
  if (!order || !cta)
    return order ? cta.error() : order.error();
  if (const Result<bool> good = checkPhases(e.vec, e.perPhase, e.maxPhase); !good)
    return good.error();
  if (shape.size() == 1)
    return plain1D(*cta, shape);
  const Tile tile = swizzledTile(shapePerCta(*cta, shape), *order, [&](uint64_t row) {
    return e.vec * (row / e.perPhase % e.maxPhase);
  });
  return combineWithBlocks(tile, *cta, shape);
}

// The tile is taken of the whole tensor and then fitted to the block's piece.
Result<LinearLayout> amdRotatingShared(const AmdRotatingSharedEncoding &e, const PerDim &shape) {
  const Result<PerDim> order = completeOrder(e.order, shape.size(), "order");
  const Result<CtaParams> cta = completeCta(e.cta, shape.size());
  if (!order || !cta)
    return order ? cta.error() : order.error();
  if (const Result<bool> good = checkPhases(e.vec, e.perPhase, e.maxPhase); !good)
    return good.error();
  if (shape.size() == 1)
    return plain1D(*cta, shape);
  const Tile tile = swizzledTile(shape, *order, [&](uint64_t row) {
    const uint64_t phase = row / e.perPhase % e.maxPhase;
    const uint64_t block = row / e.maxPhase / e.perPhase % e.maxPhase;
    return e.vec * (phase ^ block);
  });
  return combineWithBlocks(tile, *cta, shape);
}

// ---- nvmma_shared ----------------------------------------------------------------

static Result<bool> checkNvmma(const NvmmaSharedEncoding &e, size_t rank) {
  const uint64_t width = e.swizzlingByteWidth;
  if (width != 0 && width != 32 && width != 64 && width != 128)
    return makeError("swizzlingByteWidth is 0, 32, 64 or 128, not %llu",
                     static_cast<unsigned long long>(width));
  if (!isPowerOfTwo(e.elementBitWidth) || e.elementBitWidth > 128)
    return makeError("elementBitWidth is a power of two up to 128");
  if (width != 0 && rank < 2)
    return makeError("a swizzled nvmma_shared has at least two dims");
  return true;
}

// The box that one TMA copy moves: at most 256 along each dim, and exactly the swizzle
// width along the contiguous one. Counted in packed elements.
static Result<PerDim> tmaBox(const NvmmaSharedEncoding &e, const PerDim &shapePerBlock) {
  PerDim box = shapePerBlock;
  uint64_t &contiguous = e.transposed ? box.front() : box.back();
  if (e.fp4Padded)
    contiguous *= 2;
  for (uint64_t &size : box)
    size = std::min<uint64_t>(size, 256);
  if (e.swizzlingByteWidth != 0) {
    const uint64_t wanted = 8 * e.swizzlingByteWidth / e.elementBitWidth;
    if (contiguous < wanted)
      return makeError("the tensor is narrower than the swizzle: %llu elements of %llu",
                       static_cast<unsigned long long>(contiguous),
                       static_cast<unsigned long long>(wanted));
    contiguous = wanted;
  }
  if (e.fp4Padded)
    contiguous /= 2;
  return box;
}

// fp4: offset 16 i + j and 16 i + j + 8 hold the same element 8 i + j.
static uint64_t packFp4(uint64_t column) { return column / 16 * 8 + column % 8; }

// Eight rows of one swizzle width: row r's 16-byte groups are XORed with the phase.
static Tile coreMatrix(const NvmmaSharedEncoding &e) {
  constexpr uint64_t rows = 8;
  const uint64_t columns = 8 * e.swizzlingByteWidth / e.elementBitWidth;
  const uint64_t vec = 128 / e.elementBitWidth;
  const uint64_t perPhase = 128 / e.swizzlingByteWidth, maxPhase = e.swizzlingByteWidth / 16;
  LinearLayout::NamedBases bases = {{"offset", {}}};
  for (uint64_t column = 1; column < columns; column *= 2)
    bases[0].second.push_back({0, e.fp4Padded ? packFp4(column) : column});
  for (uint64_t row = 1; row < rows; row *= 2) {
    const uint64_t column = vec * (row / perPhase % maxPhase);
    bases[0].second.push_back({row, e.fp4Padded ? packFp4(column) : column});
  }
  return Tile(LinearLayout::fromSurjectiveBases(bases, {dimName(0), dimName(1)}));
}

// The same elements under the sizes of `shape`, the last dim fastest on both sides.
static Result<LinearLayout> reshapeRowMajor(const LinearLayout &layout, const PerDim &shape) {
  LinearLayout::Names reversed = layout.outNames();
  std::reverse(reversed.begin(), reversed.end());
  LinearLayout::NamedSizes sizes;
  for (size_t d = shape.size(); d-- > 0;)
    sizes.emplace_back(dimName(d), shape[d]);
  const Result<LinearLayout> turned = layout.transposeOuts(reversed);
  if (!turned)
    return turned.error();
  const Result<LinearLayout> reshaped = turned->reshapeOuts(sizes);
  if (!reshaped)
    return reshaped.error();
  return reshaped->transposeOuts(dimNames(shape.size()));
}

// Dim d of the result is dim order[d] of the layout.
static Result<LinearLayout> permuteDims(const LinearLayout &layout, const PerDim &order) {
  const Result<LinearLayout> turned = layout.transposeOuts(dimNames(order));
  if (!turned)
    return turned.error();
  std::vector<LayoutDim> outs = turned->outs();
  for (size_t d = 0; d < outs.size(); ++d)
    outs[d].name = dimName(d);
  return LinearLayout::fromColumns(turned->ins(), outs, turned->columns());
}

// The box seen as a matrix [rows, columns]: all dims but the last are rows.
static PerDim collapse(const NvmmaSharedEncoding &e, const PerDim &box) {
  PerDim matrix = {1, box.back()};
  for (size_t d = 0; d + 1 < box.size(); ++d)
    matrix[0] *= box[d];
  if (e.transposed)
    std::swap(matrix[0], matrix[1]);
  return matrix;
}

// A box of core matrices: first down the rows, then along the columns; then the box's own
// dims back.
static Result<LinearLayout> swizzledBox(const NvmmaSharedEncoding &e, const PerDim &box) {
  const PerDim matrix = collapse(e, box);
  Tile tile = coreMatrix(e);
  if (!tile.ok())
    return tile.take();
  if (matrix[0] < tile.layout().outSize(dimName(0)) ||
      matrix[1] < tile.layout().outSize(dimName(1)))
    return makeError("the tensor is smaller than one swizzled tile of %llu x %llu",
                     static_cast<unsigned long long>(tile.layout().outSize(dimName(0))),
                     static_cast<unsigned long long>(tile.layout().outSize(dimName(1))));
  const Result<LinearLayout> grown = tile.growTo(matrix).take();
  if (!grown)
    return grown.error();
  if (!e.transposed)
    return reshapeRowMajor(*grown, box);
  PerDim turnedBox = box, order = {box.size() - 1};
  std::rotate(turnedBox.begin(), turnedBox.begin() + 1, turnedBox.end());
  for (size_t d = 0; d + 1 < box.size(); ++d)
    order.push_back(d);
  const Result<LinearLayout> reshaped = reshapeRowMajor(*grown, turnedBox);
  if (!reshaped)
    return reshaped.error();
  return permuteDims(*reshaped, order);
}

Result<LinearLayout> nvmmaShared(const NvmmaSharedEncoding &e, const PerDim &shape) {
  const Result<CtaParams> cta = completeCta(e.cta, shape.size());
  if (!cta)
    return cta.error();
  if (const Result<bool> good = checkNvmma(e, shape.size()); !good)
    return good.error();
  const PerDim perBlock = shapePerCta(*cta, shape);
  const Result<PerDim> box = tmaBox(e, perBlock);
  if (!box)
    return box.error();
  Tile tile;
  if (e.swizzlingByteWidth == 0)
    tile.identityNd(*box, "offset", matrixOrder(shape.size()));
  else
    tile = Tile(swizzledBox(e, *box));
  return combineWithBlocks(tile.growTo(perBlock), *cta, shape);
}

// ---- padded_shared ---------------------------------------------------------------

static Result<bool> checkPadding(const PaddedSharedEncoding &e) {
  if (e.intervals.size() != e.paddings.size())
    return makeError("padded_shared has %zu intervals and %zu paddings", e.intervals.size(),
                     e.paddings.size());
  for (const uint64_t interval : e.intervals)
    if (!isPowerOfTwo(interval))
      return makeError("a padding interval is a power of two");
  for (const uint64_t padding : e.paddings)
    if (!isPowerOfTwo(padding))
      return makeError("a padding is a power of two");
  return true;
}

static Result<LinearLayout> fromGivenBases(const PaddedSharedEncoding &e, const PerDim &shape) {
  LinearLayout::NamedSizes sizes;
  for (size_t d = 0; d < shape.size(); ++d)
    sizes.emplace_back(dimName(d), shape[d]);
  return LinearLayout::fromBases({{"offset", e.offset}, {"block", e.block}}, sizes);
}

Result<LinearLayout> paddedShared(const PaddedSharedEncoding &e, const PerDim &shape) {
  if (const Result<bool> good = checkPadding(e); !good)
    return good.error();
  if (!e.offset.empty() || !e.block.empty())
    return fromGivenBases(e, shape);
  const Result<PerDim> order = completeOrder(e.order, shape.size(), "order");
  const Result<CtaParams> cta = completeCta(e.cta, shape.size());
  if (!order || !cta)
    return order ? cta.error() : order.error();
  Tile tile;
  tile.identityNd(shape, "offset", *order);
  return combineWithBlocks(tile, *cta, shape);
}

} // namespace encodings

uint64_t paddedOffset(const PaddedSharedEncoding &e, uint64_t offset) {
  uint64_t padded = offset;
  for (size_t i = 0; i < e.intervals.size() && i < e.paddings.size(); ++i)
    if (e.intervals[i])
      padded += offset / e.intervals[i] * e.paddings[i];
  return padded;
}

} // namespace layout_port
