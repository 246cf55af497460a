// The bridge between CuTe layouts and F2.
//
// A layout adds: index bits x_b each contribute c_b = stride * 2^i, and so does an
// offset. A LinearLayout XORs. The two agree exactly when no addition carries in a
// way that depends on x:
//
//   (4,4):(4,1)    columns 4, 8, 1, 2: disjoint bits, + is ^          linear
//   (4,2):(1,3)    columns 1, 2, 3:    1 + 3 = 4, but 1 ^ 3 = 2       not linear
//
// A swizzle is a linear bijection itself, so it does not matter for the question.
#include "cute/Detail.h"

#include <algorithm>
#include <optional>

namespace layout_port::cute {

static bool isPowerOfTwo(int64_t x) { return x > 0 && (x & (x - 1)) == 0; }

static int log2OfPower(int64_t x) {
  int bits = 0;
  while (x >> bits > 1)
    ++bits;
  return bits;
}

static int bitWidth(uint64_t x) {
  int bits = 0;
  for (; x; x >>= 1)
    ++bits;
  return bits;
}

// ---- CuTe to F2 ----------------------------------------------------------------

// The layout that says where the index goes; nothing when there is a tree of functions.
static const Layout *domainOf(const Function &function) {
  if (function.composed())
    return domainOf(function.composed()->inner);
  return function.layout();
}

// The smallest value of offset + layout, which must not be negative.
static int64_t leastOffset(const Layout &layout) {
  int64_t least = 0;
  for (const Mode &m : layout.leaves())
    least += std::min<int64_t>(0, (m.shape - 1) * m.stride);
  return least;
}

static Result<bool> checkDomain(const Function &function) {
  const Layout *layout = domainOf(function);
  if (!layout)
    return makeError("%s has no domain", function.toString().c_str());
  if (!isPowerOfTwo(layout->size()))
    return makeError("not linear: the size %lld of %s is no power of two",
                     static_cast<long long>(layout->size()), layout->toString().c_str());
  const Composed *composed = function.composed();
  if (composed && !function.outerSwizzle())
    return makeError("only layouts and swizzled layouts become linear, not %s",
                     function.toString().c_str());
  if (composed && function.outerSwizzle()->bits > 0 && function.outerSwizzle()->shift == 0)
    return makeError("%s clears bits and is no bijection",
                     function.outerSwizzle()->toString().c_str());
  const int64_t offset = composed ? composed->offset : 0;
  if (offset + leastOffset(*layout) < 0)
    return makeError("not linear: %s reaches negative offsets", function.toString().c_str());
  if (offset + layout->cosize() > kMaxOffset)
    return makeError("%s reaches offsets beyond 2^60", function.toString().c_str());
  return true;
}

static Error notLinear(const Function &function, uint64_t x, uint64_t y, uint64_t zero, uint64_t fx,
                       uint64_t fy, uint64_t fxy) {
  return makeError("not linear: f = %s, x = %llu, y = %llu: f(x^y) = %llu, but "
                   "f(x)^f(y)^f(0) = %llu^%llu^%llu = %llu",
                   function.toString().c_str(), static_cast<unsigned long long>(x),
                   static_cast<unsigned long long>(y), static_cast<unsigned long long>(fxy),
                   static_cast<unsigned long long>(fx), static_cast<unsigned long long>(fy),
                   static_cast<unsigned long long>(zero),
                   static_cast<unsigned long long>(fx ^ fy ^ zero));
}

// It is enough to look at pairs of index bits. Let f be affine on the bits below bit k
// and adding column c to v = f(lower bits) not be XOR with a constant. At the lowest
// carry that is not the same for all v, v_i differs among them while c_i and the carry
// into i do not agree; then it differs between v = f(0) and f(2^j) for some j < k, and
// the pair (2^j, 2^k) shows it.
Result<CuteAffine> cuteToAffine(const Function &function, const std::string &in,
                                const std::string &out) {
  if (const Result<bool> ok = checkDomain(function); !ok)
    return ok.error();
  const auto at = [&](uint64_t x) {
    return static_cast<uint64_t>(*function.apply(IntTuple(static_cast<int64_t>(x))));
  };
  const int bits = log2OfPower(domainOf(function)->size());
  const uint64_t zero = at(0);
  f2::Columns columns;
  uint64_t reached = zero;
  for (int k = 0; k < bits; ++k) {
    const uint64_t x = uint64_t(1) << k, fx = at(x);
    for (int j = 0; j < k; ++j) {
      const uint64_t y = uint64_t(1) << j, fy = at(y), fxy = at(x | y);
      if (fxy != (fx ^ fy ^ zero))
        return notLinear(function, x, y, zero, fx, fy, fxy);
    }
    columns.push_back(fx ^ zero);
    reached |= fx;
  }
  const Result<LinearLayout> matrix = LinearLayout::fromColumns(
      {LayoutDim{in, bits}}, {LayoutDim{out, bitWidth(reached)}}, std::move(columns));
  if (!matrix)
    return matrix.error();
  return CuteAffine{*matrix, zero};
}

Result<LinearLayout> cuteToLinear(const Function &function, const std::string &in,
                                  const std::string &out) {
  const Result<CuteAffine> affine = cuteToAffine(function, in, out);
  if (!affine)
    return affine.error();
  if (affine->constant != 0)
    return makeError("affine, not linear: f = %s, x = y = 0: f(0^0) = %llu, but f(0)^f(0) = 0",
                     function.toString().c_str(),
                     static_cast<unsigned long long>(affine->constant));
  return affine->matrix;
}

// ---- F2 to CuTe ----------------------------------------------------------------

// Index bits whose columns double make one mode: 1,2,4 -> 8:1.
static std::vector<Mode> modesOf(const f2::Columns &columns, int begin, int end) {
  std::vector<Mode> modes;
  for (int i = begin; i < end; ++i)
    modes.push_back({2, static_cast<int64_t>(columns[i])});
  return coalesceModes(modes);
}

// Disjoint bits: then adding is XOR.
static bool areDisjoint(const f2::Columns &columns) {
  uint64_t seen = 0;
  for (const uint64_t c : columns) {
    if (seen & c)
      return false;
    seen |= c;
  }
  return true;
}

static Result<Layout> layoutOf(const LinearLayout &map, const f2::Columns &columns) {
  if (map.ins().size() <= 1)
    return checkedFlat(modesOf(columns, 0, static_cast<int>(columns.size())));
  std::vector<Layout> modes;
  int begin = 0;
  for (const LayoutDim &in : map.ins()) {
    const Result<Layout> mode = checkedFlat(modesOf(columns, begin, begin + in.bits));
    if (!mode)
      return mode;
    modes.push_back(*mode);
    begin += in.bits;
  }
  return Layout::concat(modes);
}

// The matrix before the swizzle: Sw is its own inverse.
static f2::Columns swizzled(const f2::Columns &columns, const Swizzle &swizzle) {
  f2::Columns result;
  for (const uint64_t c : columns)
    result.push_back(static_cast<uint64_t>(swizzle(static_cast<int64_t>(c))));
  return result;
}

// A swizzle after which the columns are disjoint, with the fewest bits; of those with
// the largest base, then the smallest shift, positive first.
static std::optional<Swizzle> findSwizzle(const f2::Columns &columns, int outBits) {
  for (int bits = 1; 2 * bits <= outBits; ++bits)
    for (int base = outBits - 2 * bits; base >= 0; --base)
      for (int shift = bits; base + shift + bits <= outBits; ++shift)
        for (const int sign : {1, -1}) {
          const Result<Swizzle> swizzle = Swizzle::make(bits, base, sign * shift);
          if (swizzle && areDisjoint(swizzled(columns, *swizzle)))
            return *swizzle;
        }
  return std::nullopt;
}

Result<Function> linearToCute(const LinearLayout &map) {
  const f2::Columns &columns = map.columns();
  for (const uint64_t c : columns)
    if (c > static_cast<uint64_t>(kMaxOffset))
      return makeError("a layout with offsets beyond 2^60");
  if (areDisjoint(columns)) {
    const Result<Layout> layout = layoutOf(map, columns);
    return layout ? Result<Function>(Function(*layout)) : layout.error();
  }
  const std::optional<Swizzle> swizzle = findSwizzle(columns, map.totalOutBits());
  if (!swizzle)
    return makeError("no CuTe layout, also with a swizzle, is this map: its bases share bits");
  const Result<Layout> layout = layoutOf(map, swizzled(columns, *swizzle));
  if (!layout)
    return layout.error();
  return Function(Composed{Function(*swizzle), 0, Function(*layout)});
}

} // namespace layout_port::cute
