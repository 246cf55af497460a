// The tile swizzle search; the header tells the mathematics.
#include "layout_port/layouts/TileSwizzle.h"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace layout_port {

using cute::Swizzle;

static constexpr int64_t kMostElements = int64_t(1) << 18;
static constexpr int64_t kMostUnits = 1024;

const char *toString(TileSwizzleKind kind) {
  switch (kind) {
  case TileSwizzleKind::Swizzle:
    return "swizzle";
  case TileSwizzleKind::Xor:
    return "xor";
  case TileSwizzleKind::RowPermutation:
    return "row permutation";
  case TileSwizzleKind::Padding:
    break;
  }
  return "padding";
}

static Result<bool> checkTile(const SwizzleTile &tile) {
  const auto inRange = [](int64_t x, int64_t most) { return x >= 1 && x <= most; };
  for (const int64_t x : {tile.rows, tile.cols, tile.stride, tile.vector})
    if (!inRange(x, kMostElements))
      return makeError("rows, columns, stride and vector are 1 to 2^18, not %lld",
                       static_cast<long long>(x));
  if (!inRange(tile.bankUnits, kMostUnits))
    return makeError("a phase serves 1 to %lld units, not %lld", static_cast<long long>(kMostUnits),
                     static_cast<long long>(tile.bankUnits));
  if (tile.stride < tile.cols)
    return makeError("rows overlap: stride %lld is less than %lld columns",
                     static_cast<long long>(tile.stride), static_cast<long long>(tile.cols));
  if (tile.rows * std::max(tile.stride, tile.vector) > kMostElements)
    return makeError("a tile of more than 2^18 elements");
  return true;
}

// Vectors of a row, the last one perhaps in part.
static int64_t vectorsPerRow(const SwizzleTile &tile) {
  return (tile.stride + tile.vector - 1) / tile.vector;
}

// ---- Measuring -----------------------------------------------------------------

// Counts how often each bank is hit, and the most that any was.
class BankCounter {
public:
  explicit BankCounter(int64_t banks) : hits_(banks) {}
  void clear() {
    std::fill(hits_.begin(), hits_.end(), 0);
    most_ = 0;
  }
  void hit(int64_t unit) { most_ = std::max(most_, ++hits_[unit % banks()]); }
  int64_t most() const { return most_; }

private:
  int64_t banks() const { return static_cast<int64_t>(hits_.size()); }
  std::vector<int64_t> hits_;
  int64_t most_ = 0;
};

// Worst phase over aligned runs of bankUnits along one axis: unitAt(i, j) is the unit of
// place i along the run in lane of runs j. Stops above `limit`.
template <typename F>
static int64_t worstPhase(int64_t length, int64_t lanes, int64_t bankUnits, int64_t limit,
                          const F &unitAt) {
  BankCounter counter(bankUnits);
  int64_t worst = 1;
  for (int64_t j = 0; j < lanes; ++j)
    for (int64_t start = 0; start < length && worst <= limit; start += bankUnits) {
      counter.clear();
      for (int64_t i = start; i < std::min(length, start + bankUnits); ++i)
        counter.hit(unitAt(i, j));
      worst = std::max(worst, counter.most());
    }
  return worst;
}

// unitAt(row, v) is where vector v of a row lies, in units. Counting stops when an axis
// exceeds its limit.
template <typename F>
static TilePasses passesOf(const SwizzleTile &tile, const TilePasses &limit, const F &unitAt) {
  const int64_t vectors = vectorsPerRow(tile);
  TilePasses passes;
  passes.columns = worstPhase(tile.rows, vectors, tile.bankUnits, limit.columns,
                              [&](int64_t row, int64_t v) { return unitAt(row, v); });
  if (passes.columns <= limit.columns)
    passes.rows = worstPhase(vectors, tile.rows, tile.bankUnits, limit.rows,
                             [&](int64_t v, int64_t row) { return unitAt(row, v); });
  return passes;
}

static TilePasses worstPossible(const SwizzleTile &tile) {
  return {tile.bankUnits, tile.bankUnits};
}

Result<TilePasses> tilePasses(const SwizzleTile &tile, const std::vector<int64_t> &offsets) {
  if (const Result<bool> ok = checkTile(tile); !ok)
    return ok.error();
  if (static_cast<int64_t>(offsets.size()) != tile.rows * tile.stride)
    return makeError("a table of %zu offsets for %lld rows of %lld", offsets.size(),
                     static_cast<long long>(tile.rows), static_cast<long long>(tile.stride));
  for (const int64_t offset : offsets)
    if (offset < 0)
      return makeError("a negative offset");
  return passesOf(tile, worstPossible(tile), [&](int64_t row, int64_t v) {
    return offsets[row * tile.stride + v * tile.vector] / tile.vector;
  });
}

// ---- Tables --------------------------------------------------------------------

template <typename F>
static std::vector<int64_t> tableOf(const SwizzleTile &tile, const F &offsetAt) {
  std::vector<int64_t> offsets;
  offsets.reserve(tile.rows * tile.stride);
  for (int64_t row = 0; row < tile.rows; ++row)
    for (int64_t col = 0; col < tile.stride; ++col)
      offsets.push_back(offsetAt(row, col));
  return offsets;
}

Result<std::vector<int64_t>> swizzledOffsets(const SwizzleTile &tile, const Swizzle &swizzle) {
  if (const Result<bool> ok = checkTile(tile); !ok)
    return ok.error();
  return tableOf(tile, [&](int64_t row, int64_t col) { return swizzle(row * tile.stride + col); });
}

static bool isUnique(std::vector<int64_t> offsets) {
  std::sort(offsets.begin(), offsets.end());
  return std::adjacent_find(offsets.begin(), offsets.end()) == offsets.end();
}

Result<bool> checkTileOffsets(const SwizzleTile &tile, const std::vector<int64_t> &offsets,
                              int64_t passes) {
  const Result<TilePasses> measured = tilePasses(tile, offsets);
  if (!measured)
    return measured.error();
  if (!isUnique(offsets))
    return makeError("two elements lie at one offset");
  for (int64_t row = 0; row < tile.rows; ++row)
    for (int64_t col = 0; col < tile.stride; ++col) {
      const int64_t first = offsets[row * tile.stride + col / tile.vector * tile.vector];
      if (first % tile.vector != 0 || offsets[row * tile.stride + col] != first + col % tile.vector)
        return makeError("the vector of (%lld, %lld) is not together and aligned",
                         static_cast<long long>(row), static_cast<long long>(col));
    }
  if (measured->columns != passes)
    return makeError("columns take %lld passes, not %lld",
                     static_cast<long long>(measured->columns), static_cast<long long>(passes));
  return true;
}

Result<std::string> bankMap(const SwizzleTile &tile, const std::vector<int64_t> &offsets) {
  if (const Result<TilePasses> ok = tilePasses(tile, offsets); !ok)
    return ok.error();
  const size_t width = std::to_string(tile.bankUnits - 1).size();
  std::string map;
  for (int64_t row = 0; row < tile.rows; ++row) {
    for (int64_t col = 0; col < tile.stride; col += tile.vector) {
      const int64_t unit = offsets[row * tile.stride + col] / tile.vector;
      const std::string bank = std::to_string(unit % tile.bankUnits);
      map += (col ? " " : "") + std::string(width - bank.size(), ' ') + bank;
    }
    map += "\n";
  }
  return map;
}

// ---- Swizzles ------------------------------------------------------------------

static bool isPowerOfTwo(int64_t x) { return x > 0 && (x & (x - 1)) == 0; }

static int bitWidth(int64_t x) {
  int bits = 0;
  for (; x > 0; x >>= 1)
    ++bits;
  return bits;
}

// Does the swizzle stay within the tile's elements?
static bool keepsFootprint(const SwizzleTile &tile, const Swizzle &swizzle) {
  const int64_t footprint = tile.rows * tile.stride;
  const int64_t block = int64_t(1) << (swizzle.base + swizzle.bits);
  for (int64_t offset = footprint / block * block; offset < footprint; ++offset)
    if (swizzle(offset) >= footprint)
      return false;
  return true;
}

// Of swizzles that do equally well, the better first: allowed by CuTe, few bits, near.
static auto rankOf(const Swizzle &s) {
  return std::make_tuple(!s.isAllowedByCute(), s.bits, s.shift, s.base);
}

static bool isBetter(const BestSwizzle &a, const BestSwizzle &b) {
  return std::make_tuple(a.passes.columns, a.passes.rows, rankOf(a.swizzle)) <
         std::make_tuple(b.passes.columns, b.passes.rows, rankOf(b.swizzle));
}

// All Sw<B,M,S> that keep vectors whole and change the bank: M from the vector's bits
// on, M+B up to the bank's last bit, S up to the offset's last bit.
template <typename F> static void forEachSwizzle(const SwizzleTile &tile, const F &visit) {
  const int vectorBits = bitWidth(tile.vector) - 1;
  const int bankBits = bitWidth(tile.bankUnits - 1);
  const int offsetBits = bitWidth(tile.rows * tile.stride - 1);
  for (int bits = 1; bits <= bankBits; ++bits)
    for (int base = vectorBits; base + bits <= vectorBits + bankBits; ++base)
      for (int shift = 1; base + shift < offsetBits; ++shift)
        visit(Swizzle{bits, base, shift});
}

static TilePasses passesOf(const SwizzleTile &tile, const Swizzle &swizzle,
                           const TilePasses &limit) {
  return passesOf(tile, limit, [&](int64_t row, int64_t v) {
    return swizzle(row * tile.stride + v * tile.vector) / tile.vector;
  });
}

static bool isFree(const TilePasses &passes) { return passes.columns == 1 && passes.rows == 1; }

// In both searches the rows are whole vectors of a power of two elements.

// A swizzle without conflicts. Most candidates fail in their first phase.
static std::optional<Swizzle> findFreeSwizzle(const SwizzleTile &tile) {
  const Swizzle none{0, bitWidth(tile.vector) - 1, 1};
  if (isFree(passesOf(tile, none, TilePasses())))
    return none;
  std::optional<Swizzle> best;
  forEachSwizzle(tile, [&](const Swizzle &swizzle) {
    if (!best || rankOf(swizzle) < rankOf(*best))
      if (isFree(passesOf(tile, swizzle, TilePasses())) && keepsFootprint(tile, swizzle))
        best = swizzle;
  });
  return best;
}

// The swizzle with the fewest conflicts.
static BestSwizzle findBestSwizzle(const SwizzleTile &tile) {
  const Swizzle none{0, bitWidth(tile.vector) - 1, 1};
  BestSwizzle best{none, passesOf(tile, none, worstPossible(tile))};
  forEachSwizzle(tile, [&](const Swizzle &swizzle) {
    const TilePasses limit{best.passes.columns, tile.bankUnits};
    const BestSwizzle candidate{swizzle, passesOf(tile, swizzle, limit)};
    if (isBetter(candidate, best) && keepsFootprint(tile, swizzle))
      best = candidate;
  });
  return best;
}

static bool swizzlesApply(const SwizzleTile &tile) {
  return isPowerOfTwo(tile.vector) && tile.stride % tile.vector == 0;
}

Result<BestSwizzle> bestTileSwizzle(const SwizzleTile &tile) {
  if (const Result<bool> ok = checkTile(tile); !ok)
    return ok.error();
  if (!swizzlesApply(tile))
    return makeError(
        "a swizzle keeps vectors of a power of two elements, in rows of whole vectors");
  if (const std::optional<Swizzle> swizzle = findFreeSwizzle(tile))
    return BestSwizzle{*swizzle, TilePasses()};
  return findBestSwizzle(tile);
}

// ---- Solutions -----------------------------------------------------------------

static std::string num(int64_t x) { return std::to_string(x); }

static std::string hex(int64_t x) {
  std::string digits;
  for (; x; x >>= 4)
    digits.insert(digits.begin(), "0123456789abcdef"[x & 15]);
  return "0x" + (digits.empty() ? "0" : digits);
}

static std::string rowMajor(int64_t stride) { return "row*" + num(stride) + " + col"; }

static cute::Layout rowMajorLayout(const SwizzleTile &tile, int64_t stride) {
  const cute::IntTuple shape(std::vector<cute::IntTuple>{tile.rows, tile.stride});
  return *cute::Layout::make(shape, cute::IntTuple(std::vector<cute::IntTuple>{stride, 1}));
}

static TileSwizzle bySwizzle(const SwizzleTile &tile, const Swizzle &swizzle) {
  TileSwizzle result;
  result.kind = TileSwizzleKind::Swizzle;
  result.swizzle = swizzle;
  result.offsets = *swizzledOffsets(tile, swizzle);
  const cute::Layout layout = rowMajorLayout(tile, tile.stride);
  if (swizzle.bits == 0) {
    result.cute = cute::Function(layout);
    result.formula = rowMajor(tile.stride);
    return result;
  }
  result.formula = "o ^ ((o & " + hex(swizzle.yyyMask()) + ") >> " + num(swizzle.shift) +
                   ") with o = " + rowMajor(tile.stride);
  if (swizzle.isAllowedByCute())
    result.cute = cute::Function(cute::Composed{swizzle, 0, layout});
  else
    result.formula += "; " + swizzle.toString() + ", which CuTe's static_assert forbids (S < B)";
  return result;
}

// The band of a row is displaced by row / rowsPerBand % displacements.
struct Bands {
  int64_t rowsPerBand;
  int64_t displacements;
};

static Bands bandsOf(const SwizzleTile &tile) {
  const int64_t g = std::gcd(tile.stride / tile.vector, tile.bankUnits);
  return {tile.bankUnits / g, g};
}

// v' in elements: row*stride + v'*vector + col%vector.
template <typename F>
static TileSwizzle byBands(const SwizzleTile &tile, TileSwizzleKind kind, const std::string &text,
                           const F &displace) {
  const Bands bands = bandsOf(tile);
  TileSwizzle result;
  result.kind = kind;
  result.offsets = tableOf(tile, [&](int64_t row, int64_t col) {
    const int64_t by = row / bands.rowsPerBand % bands.displacements;
    return row * tile.stride + displace(col / tile.vector, by) * tile.vector + col % tile.vector;
  });
  result.formula = "row*" + num(tile.stride) + " + " + text +
                   (tile.vector == 1 ? "" : "*" + num(tile.vector) + " + col%" + num(tile.vector));
  return result;
}

static std::string vectorOf(const SwizzleTile &tile) {
  return tile.vector == 1 ? "col" : "col/" + num(tile.vector);
}

static std::string displacementOf(const Bands &bands) {
  const std::string band = bands.rowsPerBand == 1 ? "row" : "row/" + num(bands.rowsPerBand);
  return band + "%" + num(bands.displacements);
}

static TileSwizzle byXor(const SwizzleTile &tile) {
  const std::string text = "(" + vectorOf(tile) + " ^ " + displacementOf(bandsOf(tile)) + ")";
  return byBands(tile, TileSwizzleKind::Xor, text, [](int64_t v, int64_t by) { return v ^ by; });
}

static TileSwizzle byRotation(const SwizzleTile &tile) {
  const int64_t vectors = tile.stride / tile.vector;
  const std::string text =
      "(" + vectorOf(tile) + " + " + displacementOf(bandsOf(tile)) + ")%" + num(vectors);
  return byBands(tile, TileSwizzleKind::RowPermutation, text,
                 [=](int64_t v, int64_t by) { return (v + by) % vectors; });
}

// Rows `stride` apart, whole vectors: are bankUnits of them in different banks?
static bool isFreeOfConflicts(const SwizzleTile &tile, int64_t stride) {
  return worstPhase(std::min(tile.rows, tile.bankUnits), 1, tile.bankUnits, 1,
                    [&](int64_t row, int64_t) { return row * (stride / tile.vector); }) == 1;
}

static TileSwizzle byPadding(const SwizzleTile &tile) {
  int64_t stride = vectorsPerRow(tile) * tile.vector;
  while (!isFreeOfConflicts(tile, stride))
    stride += tile.vector;
  TileSwizzle result;
  result.kind = TileSwizzleKind::Padding;
  result.offsets = tableOf(tile, [&](int64_t row, int64_t col) { return row * stride + col; });
  result.cute = cute::Function(rowMajorLayout(tile, stride));
  result.formula = rowMajor(stride);
  return result;
}

static TileSwizzle solve(const SwizzleTile &tile) {
  if (tile.stride % tile.vector != 0)
    return byPadding(tile);
  if (swizzlesApply(tile))
    if (const std::optional<Swizzle> swizzle = findFreeSwizzle(tile))
      return bySwizzle(tile, *swizzle);
  return isPowerOfTwo(bandsOf(tile).displacements) ? byXor(tile) : byRotation(tile);
}

Result<TileSwizzle> solveTileSwizzle(const SwizzleTile &tile) {
  if (const Result<bool> ok = checkTile(tile); !ok)
    return ok.error();
  TileSwizzle result = solve(tile);
  const std::vector<int64_t> asIs =
      tableOf(tile, [&](int64_t row, int64_t col) { return row * tile.stride + col; });
  result.before = *tilePasses(tile, asIs);
  result.after = *tilePasses(tile, result.offsets);
  result.footprint = *std::max_element(result.offsets.begin(), result.offsets.end()) + 1;
  return result;
}

} // namespace layout_port
