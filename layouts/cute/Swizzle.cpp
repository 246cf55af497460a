// Swizzles, and layouts composed with them.
//
//   Sw<B,M,S>(x) = x ^ ((x & YYY) >> S)
//
// "Sw o offset o layout" is not a layout, but most operations only concern the domain
// and so the inner layout. The rest of this file moves a swizzle through a layout:
// L o Sw = Sw' o L when L carries the bits of YYY and ZZZ to two runs of bits.
// https://github.com/NVIDIA/cutlass/blob/main/include/cute/swizzle_layout.hpp
#include "cute/Detail.h"

#include <algorithm>

namespace layout_port::cute {

// ---- The swizzle ---------------------------------------------------------------

Result<Swizzle> Swizzle::make(int64_t bits, int64_t base, int64_t shift) {
  const int64_t kMostBits = 31;
  if (bits < 0 || base < 0)
    return makeError("a swizzle's bits and base are not negative");
  if (bits > kMostBits || base > kMostBits || absolute(shift) > kMostBits ||
      bits + base + absolute(shift) > kMostBits)
    return makeError("a swizzle of more than %lld bits", static_cast<long long>(kMostBits));
  if (absolute(shift) < bits)
    return makeError("Sw<%lld,%lld,%lld>: |shift| is less than bits, so the two bit fields overlap",
                     static_cast<long long>(bits), static_cast<long long>(base),
                     static_cast<long long>(shift));
  return Swizzle{static_cast<int>(bits), static_cast<int>(base), static_cast<int>(shift)};
}

int64_t Swizzle::yyyMask() const {
  return ((int64_t(1) << bits) - 1) << (base + std::max(0, shift));
}

int64_t Swizzle::zzzMask() const {
  return ((int64_t(1) << bits) - 1) << (base - std::min(0, shift));
}

int64_t Swizzle::operator()(int64_t offset) const {
  const int64_t yyy = offset & yyyMask();
  return offset ^ (shift >= 0 ? yyy >> shift : yyy << -shift);
}

std::string Swizzle::toString() const {
  return "Sw<" + std::to_string(bits) + "," + std::to_string(base) + "," + std::to_string(shift) +
         ">";
}

static int lowestBit(int64_t mask) {
  int bit = 0;
  while (bit < 63 && !(mask >> bit & 1))
    ++bit;
  return bit;
}

static int bitCount(int64_t mask) {
  int count = 0;
  for (; mask; mask &= mask - 1)
    ++count;
  return count;
}

Result<Swizzle> makeSwizzle(int64_t yyy, int64_t zzz) {
  if (yyy == 0 && zzz == 0)
    return Swizzle();
  const Error error = makeError("masks %lld and %lld are not two runs of bits of one length",
                                static_cast<long long>(yyy), static_cast<long long>(zzz));
  if (yyy <= 0 || zzz <= 0 || bitCount(yyy) != bitCount(zzz))
    return error;
  const int y = lowestBit(yyy), z = lowestBit(zzz);
  const Result<Swizzle> swizzle = Swizzle::make(bitCount(yyy), std::min(y, z), y - z);
  if (!swizzle || swizzle->yyyMask() != yyy || swizzle->zzzMask() != zzz)
    return error;
  return swizzle;
}

// ---- Functions -----------------------------------------------------------------

Function::Function(Composed composed)
    : node_(std::make_shared<const Composed>(std::move(composed))) {}

const Composed *Function::composed() const {
  const auto *node = std::get_if<std::shared_ptr<const Composed>>(&node_);
  return node ? node->get() : nullptr;
}

const Swizzle *Function::outerSwizzle() const {
  return composed() && composed()->inner.layout() ? composed()->outer.swizzle() : nullptr;
}

Result<int64_t> Function::apply(const IntTuple &coordinate) const {
  if (const Layout *l = layout())
    return l->offset(coordinate);
  if (const Swizzle *s = swizzle()) {
    if (!coordinate.isInt() || absolute(coordinate.value()) > kMaxOffset)
      return makeError("a swizzle maps an integer below 2^60, not %s",
                       coordinate.toString().c_str());
    return (*s)(coordinate.value());
  }
  const Result<int64_t> inner = composed()->inner.apply(coordinate);
  if (!inner)
    return inner;
  return composed()->outer.apply(IntTuple(composed()->offset + *inner));
}

std::string Function::toString() const {
  if (const Layout *l = layout())
    return l->toString();
  if (const Swizzle *s = swizzle())
    return s->toString();
  return composed()->outer.toString() + " o " + std::to_string(composed()->offset) + " o " +
         composed()->inner.toString();
}

// outer o offset o inner; a swizzle of no bits at offset 0 vanishes.
static Function compose(const Function &outer, int64_t offset, const Function &inner) {
  if (outer.swizzle() && outer.swizzle()->bits == 0 && offset == 0)
    return inner;
  return Function(Composed{outer, offset, inner});
}

// ---- Moving a swizzle through a layout -----------------------------------------

// Is layout(inner(x)) = outer(layout(x)) on the layout's domain?
static bool commutes(const Layout &layout, const Swizzle &inner, const Swizzle &outer) {
  if (layout.size() > int64_t(1) << 16)
    return false;
  for (int64_t x = 0; x < layout.size(); ++x) {
    const Result<int64_t> swizzled = layout.offset(IntTuple(inner(x)));
    if (!swizzled || *swizzled != outer(layout(x)))
      return false;
  }
  return true;
}

// The swizzle of the offsets where a layout has Sw's bits; with `mask`, only those bits
// of YYY and what they are XORed into.
static Result<Swizzle> carriedSwizzle(const Layout &layout, const Swizzle &swizzle, int64_t mask) {
  const int64_t yyy = swizzle.yyyMask() & mask;
  const Result<int64_t> y = layout.offset(IntTuple(yyy));
  const Result<int64_t> z = layout.offset(IntTuple(swizzle(yyy) ^ yyy));
  if (!y || !z)
    return y ? z.error() : y.error();
  return makeSwizzle(*y, *z);
}

// The bits of the layout's indices.
static int64_t indexBits(const Layout &layout) {
  int64_t bits = 0;
  while (bits < layout.size() - 1)
    bits = bits * 2 + 1;
  return bits;
}

// layout o Sw = Sw' o layout. CuTe carries all of YYY and ZZZ; where the layout's indices
// end before, only a part of them counts.
static Result<Function> passThrough(const Layout &layout, const Swizzle &swizzle) {
  for (const int64_t mask : {swizzle.yyyMask(), indexBits(layout)}) {
    const Result<Swizzle> outer = carriedSwizzle(layout, swizzle, mask);
    if (outer && commutes(layout, swizzle, *outer))
      return compose(*outer, 0, layout);
  }
  return makeError("no swizzle after %s equals %s before it", layout.toString().c_str(),
                   swizzle.toString().c_str());
}

static Result<Function> merge(const Swizzle &a, const Swizzle &b) {
  if (a.shift != b.shift)
    return makeError("%s and %s shift differently and do not merge", a.toString().c_str(),
                     b.toString().c_str());
  const Result<Swizzle> both = makeSwizzle(a.yyyMask() ^ b.yyyMask(), a.zzzMask() ^ b.zzzMask());
  if (!both)
    return both.error();
  return Function(*both);
}

// outer o offset o (inner o b)
template <typename B> static Result<Function> composeInner(const Composed &a, const B &b) {
  const Result<Function> inner = composition(a.inner, b);
  return inner ? compose(a.outer, a.offset, *inner) : inner;
}

Result<Function> composition(const Function &a, const Function &b) {
  if (const Composed *composed = a.composed())
    return composeInner(*composed, b);
  if (const Swizzle *swizzle = a.swizzle())
    return b.swizzle() ? merge(*swizzle, *b.swizzle()) : Result<Function>(compose(a, 0, b));
  if (b.layout()) {
    const Result<Layout> result = composition(*a.layout(), *b.layout());
    return result ? Result<Function>(*result) : result.error();
  }
  if (b.swizzle())
    return passThrough(*a.layout(), *b.swizzle());
  if (b.composed()->offset != 0)
    return makeError("a layout before an offset: %s", b.toString().c_str());
  const Result<Function> first = composition(a, b.composed()->outer);
  return first ? composition(*first, b.composed()->inner) : first;
}

Result<Function> composition(const Function &a, const Tiler &tiler) {
  if (const Composed *composed = a.composed())
    return composeInner(*composed, tiler);
  if (tiler.kind == Tiler::Kind::ByLayout)
    return composition(a, Function(tiler.layout));
  if (a.swizzle())
    return makeError("a swizzle has no modes to tile");
  const Result<Layout> result = composition(*a.layout(), tiler);
  return result ? Result<Function>(*result) : result.error();
}

// ---- Inverses ------------------------------------------------------------------

// (Sw o L)^-1 = L^-1 o Sw, and (Sw o offset o L)^-1 = L^-1 o -offset o Sw.
static Result<Function> invert(const Function &function,
                               Result<Layout> (*invertLayout)(const Layout &)) {
  if (function.swizzle())
    return function;
  if (const Layout *layout = function.layout()) {
    const Result<Layout> inverse = invertLayout(*layout);
    return inverse ? Result<Function>(*inverse) : inverse.error();
  }
  const Composed &composed = *function.composed();
  const Result<Function> outer = invert(composed.outer, invertLayout);
  const Result<Function> inner = invert(composed.inner, invertLayout);
  if (!outer || !inner)
    return outer ? inner : outer;
  if (function.outerSwizzle() && composed.offset == 0)
    return composition(*inner, *outer);
  return compose(*inner, -composed.offset, *outer);
}

Result<Function> rightInverse(const Function &function) {
  return invert(function, [](const Layout &l) { return rightInverse(l); });
}

Result<Function> leftInverse(const Function &function) {
  return invert(function, [](const Layout &l) { return leftInverse(l); });
}

// ---- Element width -------------------------------------------------------------

static Result<int> widthBits(int64_t n) {
  if (n < 1 || n > kMaxSize || bitCount(n) != 1)
    return makeError("a swizzle is recast by a power of two, not %lld", static_cast<long long>(n));
  return lowestBit(n);
}

static Result<Swizzle> upcast(const Swizzle &swizzle, int64_t n) {
  const Result<int> width = widthBits(n);
  if (!width)
    return width.error();
  const int base = swizzle.base - *width;
  if (base >= 0)
    return Swizzle{swizzle.bits, base, swizzle.shift};
  return Swizzle{std::max(swizzle.bits + base, 0), 0, swizzle.shift};
}

static Result<Swizzle> downcast(const Swizzle &swizzle, int64_t n) {
  const Result<int> width = widthBits(n);
  if (!width)
    return width.error();
  return Swizzle::make(swizzle.bits, swizzle.base + *width, swizzle.shift);
}

template <typename T> static Result<Function> asFunction(const Result<T> &result) {
  return result ? Result<Function>(*result) : result.error();
}

Result<Function> upcast(const Function &function, int64_t n) {
  if (function.layout())
    return asFunction(upcast(*function.layout(), n));
  if (function.swizzle())
    return asFunction(upcast(*function.swizzle(), n));
  const Composed &composed = *function.composed();
  const Result<Function> outer = upcast(composed.outer, n), inner = upcast(composed.inner, n);
  if (!outer || !inner)
    return outer ? inner : outer;
  if (composed.offset % n != 0)
    return makeError("offset %lld is not divided by %lld", static_cast<long long>(composed.offset),
                     static_cast<long long>(n));
  return Function(Composed{*outer, composed.offset / n, *inner});
}

Result<Function> downcast(const Function &function, int64_t n) {
  if (function.layout())
    return asFunction(downcast(*function.layout(), n));
  if (function.swizzle())
    return asFunction(downcast(*function.swizzle(), n));
  const Composed &composed = *function.composed();
  const Result<Function> outer = downcast(composed.outer, n), inner = downcast(composed.inner, n);
  if (!outer || !inner)
    return outer ? inner : outer;
  const int64_t offset = satMul(composed.offset, n);
  if (absolute(offset) > kMaxOffset)
    return makeError("an offset beyond 2^60");
  return Function(Composed{*outer, offset, *inner});
}

// ---- Common vectors ------------------------------------------------------------

// The layout that decides which elements lie side by side.
static const Layout *domainLayout(const Function &function) {
  return function.outerSwizzle() ? function.composed()->inner.layout() : function.layout();
}

// A swizzle moves blocks of 2^M elements and keeps each in order; two equal swizzles
// keep what the layouts have in common.
Result<int64_t> maxCommonVector(const Function &a, const Function &b) {
  const Layout *layoutA = domainLayout(a), *layoutB = domainLayout(b);
  if (!layoutA || !layoutB)
    return makeError("max_common_vector takes layouts and swizzled layouts");
  const Swizzle *swizzleA = a.outerSwizzle(), *swizzleB = b.outerSwizzle();
  // CuTe asks max_common_vector(layout, swizzled) the other way round.
  const bool swap = swizzleB && !swizzleA;
  const Result<int64_t> vector =
      swap ? maxCommonVector(*layoutB, *layoutA) : maxCommonVector(*layoutA, *layoutB);
  if (!vector || (swizzleA && swizzleB && *swizzleA == *swizzleB))
    return vector;
  int64_t result = *vector;
  for (const Swizzle *swizzle : {swizzleA, swizzleB})
    if (swizzle)
      result = std::min(result, int64_t(1) << swizzle->base);
  return result;
}

// ---- Products ------------------------------------------------------------------

// The swizzle of the product, as CuTe finds it: the active bits of YYY and ZZZ go through
// L to tiles of the product. This is right where L is its own inverse.
static Result<Swizzle> followTiles(const Layout &product, const Layout &tiles,
                                   const Swizzle &swizzle) {
  int64_t moved[2];
  for (const bool z : {false, true}) {
    const int64_t mask = z ? swizzle.zzzMask() : swizzle.yyyMask();
    const Result<int64_t> tile = tiles.offset(IntTuple(tiles(tiles.size() - 1) & mask));
    if (!tile)
      return tile.error();
    const Result<int64_t> offset =
        product.offset(IntTuple(std::vector<IntTuple>{IntTuple(0), IntTuple(*tile)}));
    if (!offset)
      return offset.error();
    moved[z] = *offset;
  }
  return makeSwizzle(moved[0], moved[1]);
}

// Does Sw' o (A, A* o L) put every element where (A, A* o Sw o L) does?
static bool isProduct(const Layout &product, const Swizzle &outer, const Layout &block,
                      const Layout &free, const Swizzle &swizzle, const Layout &tiles) {
  if (product.size() > int64_t(1) << 16)
    return false;
  for (int64_t i = 0; i < product.size(); ++i) {
    const int64_t tile = tiles(i / block.size());
    const Result<int64_t> start = free.offset(IntTuple(swizzle(tile)));
    if (!start || outer(product(i)) != block(i % block.size()) + *start)
      return false;
  }
  return true;
}

// A x (Sw o L) = Sw' o (A x L): the bits that Sw moves among L's tiles are followed to
// where the product puts them.
Result<Function> logicalProduct(const Layout &block, const Function &tiler) {
  if (tiler.layout())
    return asFunction(logicalProduct(block, Tiler::of(*tiler.layout())));
  if (!tiler.outerSwizzle() || tiler.composed()->offset != 0)
    return makeError("no product with %s", tiler.toString().c_str());
  const Swizzle &swizzle = *tiler.outerSwizzle();
  const Layout &tiles = *tiler.composed()->inner.layout();
  const Result<Layout> product = logicalProduct(block, Tiler::of(tiles));
  if (!product)
    return product.error();
  const Result<Layout> free = complement(block, IntTuple(satMul(block.size(), tiles.cosize())));
  if (!free)
    return free.error();
  // Or from the places that A leaves free: A* takes the bits to where they lie.
  const int64_t active = tiles(tiles.size() - 1);
  for (const Result<Swizzle> &outer :
       {followTiles(*product, tiles, swizzle), carriedSwizzle(*free, swizzle, active)})
    if (outer && isProduct(*product, *outer, block, *free, swizzle, tiles))
      return compose(*outer, 0, *product);
  return makeError("no swizzle after the product is %s in it", swizzle.toString().c_str());
}

// ---- Slices --------------------------------------------------------------------

// The swizzle's view of an offset: five fields, low bits, ZZZ (or YYY), the bits
// between, YYY (or ZZZ), the rest; with a stride for each that keeps or drops it.
static Layout swizzleFields(const Swizzle &swizzle, bool keepSwizzled, bool keepOthers) {
  const int distance = static_cast<int>(absolute(swizzle.shift));
  const int starts[5] = {0, swizzle.base, swizzle.base + swizzle.bits, swizzle.base + distance,
                         swizzle.base + distance + swizzle.bits};
  std::vector<IntTuple> shapes, strides;
  for (int i = 0; i < 5; ++i) {
    const bool swizzled = i == 1 || i == 3;
    const int bits = i < 4 ? starts[i + 1] - starts[i] : 0;
    const bool keep = (swizzled ? keepSwizzled : keepOthers) && (bits > 0 || i == 4);
    shapes.push_back(int64_t(1) << bits);
    strides.push_back(keep ? int64_t(1) << starts[i] : 0);
  }
  return trustedLayout(IntTuple(std::move(shapes)), IntTuple(std::move(strides)));
}

static bool isPowerOfTwoOrZero(int64_t x) { return x >= 0 && (x & (x - 1)) == 0; }

// The offset of a coordinate where each leaf occupies bits of its own.
static Result<int64_t> xorOffset(const Layout &layout, const IntTuple &coordinate) {
  const Result<IntTuple> natural = idx2crd(coordinate, layout.shape());
  if (!natural)
    return natural.error();
  const std::vector<int64_t> c = natural->leaves();
  const std::vector<Mode> leaves = layout.leaves();
  if (c.size() != leaves.size())
    return makeError("coordinate %s does not fit %s", coordinate.toString().c_str(),
                     layout.toString().c_str());
  int64_t offset = 0;
  for (size_t i = 0; i < c.size(); ++i) {
    if (!isPowerOfTwoOrZero(satMul(leaves[i].shape, leaves[i].stride)))
      return makeError("%s is not made of bits, so a swizzle of it has no slices",
                       layout.toString().c_str());
    offset ^= satMul(c[i], leaves[i].stride) & satMul(leaves[i].shape - 1, leaves[i].stride);
  }
  return offset;
}

// Sw as a layout on offsets that meet YYY or ZZZ but not both, from a fixed offset on:
//
//   bit i of ZZZ, its YYY bit fixed to y:   + Z 2^i or, where y flips it, - Z 2^i
//   bit i of YYY, its ZZZ bit fixed to z:   + (Y+Z) 2^i, or (Y-Z) 2^i where z is set
static Result<Layout> decayedSwizzle(const Swizzle &swizzle, int64_t offset) {
  const int64_t z = swizzle.zzzMask() & -swizzle.zzzMask();
  const int64_t y = swizzle.yyyMask() & -swizzle.yyyMask();
  std::vector<Mode> zzz, yyy;
  for (int i = 0; i < swizzle.bits; ++i) {
    zzz.push_back({2, ((offset & y << i) == 0 ? z : -z) * (int64_t(1) << i)});
    yyy.push_back({2, ((offset & z << i) == 0 ? y + z : y - z) * (int64_t(1) << i)});
  }
  const std::vector<Mode> &low = z < y ? zzz : yyy, &high = z < y ? yyy : zzz;
  const int distance = static_cast<int>(absolute(swizzle.shift));
  std::vector<Mode> modes = {{int64_t(1) << swizzle.base, 1}};
  modes.insert(modes.end(), low.begin(), low.end());
  modes.push_back(
      {int64_t(1) << (distance - swizzle.bits), int64_t(1) << (swizzle.base + swizzle.bits)});
  modes.insert(modes.end(), high.begin(), high.end());
  modes.push_back({1, int64_t(1) << (swizzle.base + swizzle.bits + distance)});
  return checkedFlat(modes);
}

// The integers of a coordinate, without its `_`.
static IntTuple fixedPart(const IntTuple &coordinate) {
  if (!coordinate.isTuple())
    return coordinate;
  std::vector<IntTuple> fixed;
  for (const IntTuple &m : coordinate.modes()) {
    const IntTuple part = fixedPart(m);
    if (part.isInt())
      fixed.push_back(part);
    fixed.insert(fixed.end(), part.modes().begin(), part.modes().end());
  }
  return IntTuple(std::move(fixed));
}

// Sw o offset o layout with some coordinates fixed: `function`, up to a constant that
// a slice drops.
static Result<Function> sliceSwizzled(const Swizzle &swizzle, int64_t offset, const Layout &kept,
                                      const Layout &fixed, const IntTuple &coordinate) {
  const Layout fields = swizzleFields(swizzle, true, false);
  const Result<Layout> fixedSwizzled = composition(fields, fixed);
  const Result<Layout> fixedOthers = composition(swizzleFields(swizzle, false, true), fixed);
  const Result<Layout> keptSwizzled = composition(fields, kept);
  for (const Result<Layout> *part : {&fixedSwizzled, &fixedOthers, &keptSwizzled})
    if (!*part)
      return part->error();
  const Result<int64_t> fixedBits = xorOffset(*fixedSwizzled, coordinate);
  if (!fixedBits)
    return fixedBits.error();
  const int64_t start = offset ^ *fixedBits;
  // The bits that the slice can still reach; if one of them flips another, Sw stays.
  const int64_t active = (*keptSwizzled)(keptSwizzled->size() - 1);
  if ((active & ~swizzle(active)) != 0)
    return compose(swizzle, start, kept);
  const Result<Layout> decayed = decayedSwizzle(swizzle, start);
  if (!decayed)
    return decayed.error();
  return asFunction(composition(*decayed, kept));
}

// Do the slice and the whole differ by a constant only?
static bool isSlice(const Function &slice, const Swizzle &swizzle, int64_t start,
                    const Layout &kept) {
  if (kept.size() > int64_t(1) << 16)
    return false;
  const Result<int64_t> first = slice.apply(IntTuple(0));
  for (int64_t i = 0; i < kept.size(); ++i) {
    const Result<int64_t> offset = slice.apply(IntTuple(i));
    if (!first || !offset ||
        *offset - *first != swizzle(start + kept(i)) - swizzle(start + kept(0)))
      return false;
  }
  return true;
}

Result<Function> slice(const IntTuple &coordinate, const Function &function) {
  if (const Layout *layout = function.layout())
    return asFunction(sliceLayout(coordinate, *layout));
  if (!function.outerSwizzle())
    return makeError("only layouts and swizzled layouts are sliced, not %s",
                     function.toString().c_str());
  const Swizzle &swizzle = *function.outerSwizzle();
  const int64_t offset = function.composed()->offset;
  const Layout &layout = *function.composed()->inner.layout();
  const Result<Layout> kept = sliceLayout(coordinate, layout);
  if (!kept)
    return kept.error();
  const IntTuple fixedCoordinate = fixedPart(coordinate);
  if (fixedCoordinate.isUnderscore() || fixedCoordinate.leafCount() == 0)
    return compose(swizzle, offset, *kept);
  const Result<Layout> fixed = dice(coordinate, layout);
  if (!fixed)
    return fixed.error();
  const Result<int64_t> fixedOffset = fixed->offset(fixedCoordinate);
  if (!fixedOffset)
    return fixedOffset.error();
  Result<Function> result = sliceSwizzled(swizzle, offset, *kept, *fixed, fixedCoordinate);
  if (result && !isSlice(*result, swizzle, offset + *fixedOffset, *kept))
    return compose(swizzle, offset + *fixedOffset, *kept); // an offset that carries
  return result;
}

} // namespace layout_port::cute
