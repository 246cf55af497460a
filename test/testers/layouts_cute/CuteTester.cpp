// CuTe layouts against their definitions: the laws of the algebra on random layouts,
// element by element, and the F2 bridge on all small power-of-two layouts.
#include "layout_port/layouts/Cute.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

using namespace layout_port;
using namespace layout_port::cute;

namespace {

constexpr unsigned seed = 20261121;
constexpr int runs = 6000;

int64_t at(const Layout &layout, int64_t index) { return *layout.offset(IntTuple(index)); }

// ---- Random layouts --------------------------------------------------------------

IntTuple randomShape(std::mt19937 &rng, int depth = 0) {
  static const int64_t sizes[] = {1, 2, 2, 3, 4, 4, 6, 8};
  if (depth == 2 || rng() % 2)
    return sizes[rng() % std::size(sizes)];
  std::vector<IntTuple> modes;
  for (unsigned i = 0, n = 1 + rng() % 3; i < n; ++i)
    modes.push_back(randomShape(rng, depth + 1));
  return modes;
}

IntTuple shaped(const IntTuple &like, const std::vector<int64_t> &leaves, size_t &next) {
  if (!like.isTuple())
    return leaves[next++];
  std::vector<IntTuple> modes;
  for (const IntTuple &m : like.modes())
    modes.push_back(shaped(m, leaves, next));
  return modes;
}

// Compact in a random order of modes, sometimes with gaps, sometimes with broadcasts,
// sometimes with any strides at all.
Layout randomLayout(std::mt19937 &rng) {
  const IntTuple shape = randomShape(rng);
  const std::vector<int64_t> sizes = shape.leaves();
  std::vector<size_t> order(sizes.size());
  for (size_t i = 0; i < order.size(); ++i)
    order[i] = i;
  std::shuffle(order.begin(), order.end(), rng);
  const bool gaps = rng() % 3 == 0, zeros = rng() % 4 == 0, wild = rng() % 6 == 0;
  std::vector<int64_t> strides(sizes.size());
  int64_t next = 1;
  for (const size_t i : order) {
    strides[i] = wild ? static_cast<int64_t>(rng() % 9) : zeros && rng() % 2 ? 0 : next;
    next *= sizes[i] * (gaps ? 1 + rng() % 3 : 1);
  }
  size_t leaf = 0;
  return *Layout::make(shape, shaped(shape, strides, leaf));
}

Layout smallLayout(std::mt19937 &rng) {
  Layout layout = randomLayout(rng);
  while (layout.size() > 4096)
    layout = randomLayout(rng);
  return layout;
}

std::set<int64_t> image(const Layout &layout) {
  std::set<int64_t> offsets;
  for (int64_t i = 0; i < layout.size(); ++i)
    offsets.insert(at(layout, i));
  return offsets;
}

bool isInjective(const Layout &layout) {
  return static_cast<int64_t>(image(layout).size()) == layout.size();
}

// All strides of `b` act on the index of `a` without two modes adding up to a carry:
// B injective is not enough, so composition is only defined mode by mode.
bool isSeparable(const Layout &a, const Layout &b) {
  for (int64_t i = 0; i < b.size(); ++i) {
    int64_t sum = 0, rest = i;
    for (const Mode &m : b.leaves()) {
      sum += at(a, rest % m.shape * m.stride);
      rest /= m.shape;
    }
    if (sum != at(a, at(b, i)))
      return false;
  }
  return true;
}

// ---- Laws ------------------------------------------------------------------------

void checkCoalesce(const Layout &layout) {
  const Layout simple = coalesce(layout);
  ASSERT_EQ(simple.size(), layout.size());
  ASSERT_LE(simple.depth(), 1);
  for (int64_t i = 0; i < layout.size(); ++i)
    ASSERT_EQ(at(simple, i), at(layout, i)) << layout.toString();
}

void checkComposition(const Layout &a, const Layout &b, int &defined) {
  const Result<Layout> r = composition(a, b);
  if (!r || !isSeparable(a, b))
    return;
  ++defined;
  ASSERT_TRUE(compatible(b.shape(), r->shape())) << a.toString() << " o " << b.toString();
  for (int64_t i = 0; i < b.size(); ++i)
    ASSERT_EQ(at(*r, i), at(a, at(b, i)))
        << a.toString() << " o " << b.toString() << " = " << r->toString() << " at " << i;
}

// Each mode starts at a multiple of what the modes below it cover: no gap is left over.
bool fitsWithoutGaps(const Layout &layout) {
  std::vector<Mode> modes = filter(layout).leaves();
  std::sort(modes.begin(), modes.end(), [](Mode x, Mode y) { return x.stride < y.stride; });
  int64_t covered = 1;
  for (const Mode &m : modes) {
    if (m.stride % covered != 0)
      return false;
    covered = std::max<int64_t>(1, m.stride * m.shape);
  }
  return true;
}

void checkComplement(const Layout &layout, int64_t cotarget, int &defined) {
  const Result<Layout> r = complement(layout, IntTuple(cotarget));
  if (!r)
    return;
  ++defined;
  const std::set<int64_t> used = image(layout);
  int64_t last = 0;
  for (int64_t i = 1; i < r->size(); ++i) {
    ASSERT_GT(at(*r, i), last) << layout.toString();
    last = at(*r, i);
    ASSERT_FALSE(used.count(last)) << layout.toString() << " meets " << r->toString();
  }
  if (fitsWithoutGaps(layout))
    ASSERT_GE(Layout::concat({layout, *r})->cosize(), cotarget) << layout.toString();
}

void checkInverses(const Layout &layout, int &left) {
  const Layout right = *rightInverse(layout);
  for (int64_t i = 0; i < right.size(); ++i)
    ASSERT_EQ(at(layout, at(right, i)), i) << layout.toString();
  const Result<Layout> l = leftInverse(layout);
  if (!l)
    return;
  ++left;
  const bool injective = isInjective(layout);
  for (int64_t i = 0; i < layout.size(); ++i) {
    const int64_t index = at(*l, at(layout, i));
    ASSERT_EQ(at(coalesce(layout), index), at(layout, i)) << layout.toString();
    if (injective)
      ASSERT_EQ(index, i) << layout.toString();
  }
}

void checkNullspace(const Layout &layout) {
  const Layout null = *nullspace(layout);
  ASSERT_EQ(null.size(), layout.size() / filter(layout).size()) << layout.toString();
  for (int64_t i = 0; i < null.size(); ++i)
    ASSERT_EQ(at(layout, at(null, i)), 0) << layout.toString();
}

// Tile and rest together reach every element of the layout, when the tiles cover its
// indices evenly.
void checkDivide(const Layout &layout, const Layout &tiler, int &defined) {
  const Result<Layout> parts = logicalDivide(layout, Tiler::of(tiler));
  if (!parts)
    return;
  ASSERT_EQ(parts->rank(), 2);
  ASSERT_TRUE(compatible(tiler.shape(), parts->mode(0).shape()));
  const Layout rest = *complement(tiler, IntTuple(layout.size()));
  const Layout tiles = *Layout::concat({tiler, rest});
  if (parts->size() != layout.size() || tiles.cosize() != layout.size() || !isInjective(tiles))
    return;
  ++defined;
  ASSERT_EQ(image(*parts), image(layout)) << layout.toString() << " / " << tiler.toString();
}

// The block comes back as mode 0, and its copies do not meet.
void checkProduct(const Layout &block, const Layout &tiler, int &defined) {
  const Result<Layout> product = logicalProduct(block, Tiler::of(tiler));
  if (!product)
    return;
  ASSERT_EQ(product->mode(0), block);
  ASSERT_TRUE(compatible(tiler.shape(), product->mode(1).shape()));
  if (!isInjective(block) || !isInjective(tiler) || product->size() > 1 << 14)
    return;
  ++defined;
  ASSERT_TRUE(isInjective(*product)) << block.toString() << " x " << tiler.toString();
}

void checkWidths(const Layout &layout) {
  if (const Result<Layout> wide = upcast(layout, 2)) {
    ASSERT_TRUE(congruent(wide->shape(), layout.shape()));
    ASSERT_LE(wide->cosize(), layout.cosize());
  }
  if (const Result<Layout> narrow = downcast(layout, 4)) {
    const Result<Layout> back = upcast(*narrow, 4);
    ASSERT_TRUE(back);
    ASSERT_EQ(*back, layout);
  }
}

void checkCommonVector(const Layout &a, const Layout &b) {
  const Result<int64_t> vector = maxCommonVector(a, b);
  const Result<Layout> inverse = rightInverse(b);
  if (!vector)
    return;
  for (int64_t i = 0; i < *vector; ++i)
    ASSERT_EQ(at(a, at(*inverse, i)), i) << a.toString() << ", " << b.toString();
}

} // namespace

TEST(CuteTester, LawsOfTheAlgebra) {
  std::mt19937 rng(seed);
  int compositions = 0, complements = 0, left = 0, divides = 0, products = 0;
  for (int run = 0; run < runs; ++run) {
    SCOPED_TRACE("seed " + std::to_string(seed) + ", run " + std::to_string(run));
    const Layout a = smallLayout(rng), b = smallLayout(rng);
    checkCoalesce(a);
    checkComposition(a, b, compositions);
    checkComplement(a, 1 + rng() % 64, complements);
    checkInverses(a, left);
    checkNullspace(a);
    checkDivide(a, b, divides);
    checkProduct(a, b, products);
    checkWidths(a);
    checkCommonVector(a, b);
    if (testing::Test::HasFatalFailure())
      return;
  }
  // The laws were met, not avoided.
  EXPECT_GT(compositions, runs / 4);
  EXPECT_GT(complements, runs / 4);
  EXPECT_GT(left, runs / 4);
  EXPECT_GT(divides, runs / 40);
  EXPECT_GT(products, runs / 20);
}

// ---- Swizzled layouts --------------------------------------------------------------

namespace {

// Two modes of powers of two, compact in either order, behind a random swizzle.
struct Swizzled {
  Swizzle swizzle;
  Layout layout;
  Function function;
};

Swizzled randomSwizzled(std::mt19937 &rng) {
  const int64_t bits = 1 + rng() % 3, shift = bits + rng() % 2;
  const Swizzle swizzle = *Swizzle::make(bits, rng() % 4, rng() % 2 ? shift : -shift);
  const int64_t rows = 1 << rng() % 5, cols = 1 << rng() % 5;
  const bool rowMajor = rng() % 2;
  const Layout layout =
      *Layout::make(std::vector<IntTuple>{rows, cols},
                    std::vector<IntTuple>{rowMajor ? cols : 1, rowMajor ? 1 : rows});
  const int64_t offset = rng() % 3 ? 0 : rng() % 64;
  return {swizzle, layout, Composed{swizzle, offset, layout}};
}

// A row of the slice is the row of the whole, up to a constant.
void checkRows(const Swizzled &s) {
  for (int64_t row = 0; row < s.layout.mode(0).size(); ++row) {
    const auto whole = [&](int64_t col) {
      return *s.function.apply(std::vector<IntTuple>{row, col});
    };
    const Result<Function> slice =
        cute::slice(std::vector<IntTuple>{row, IntTuple::underscore()}, s.function);
    ASSERT_TRUE(slice) << s.function.toString() << ": " << slice.error().message;
    for (int64_t col = 0; col < s.layout.mode(1).size(); ++col)
      ASSERT_EQ(*slice->apply(IntTuple(col)) - *slice->apply(IntTuple(0)), whole(col) - whole(0))
          << s.function.toString() << " row " << row << " = " << slice->toString();
  }
}

void checkSwizzledInverse(const Swizzled &s, int &inverted) {
  const Result<Function> inverse = leftInverse(s.function);
  if (!inverse)
    return;
  ++inverted;
  for (int64_t i = 0; i < s.layout.size(); ++i)
    ASSERT_EQ(*inverse->apply(IntTuple(*s.function.apply(IntTuple(i)))), i)
        << s.function.toString() << " and " << inverse->toString();
}

} // namespace

TEST(CuteTester, SlicesAndInversesOfSwizzledLayouts) {
  std::mt19937 rng(seed);
  int inverted = 0;
  for (int run = 0; run < runs / 2; ++run) {
    SCOPED_TRACE("seed " + std::to_string(seed) + ", run " + std::to_string(run));
    const Swizzled s = randomSwizzled(rng);
    checkRows(s);
    checkSwizzledInverse(s, inverted);
    if (testing::Test::HasFatalFailure())
      return;
  }
  EXPECT_GT(inverted, runs / 4);
}

// Whatever is read prints so that it reads back as the same.
TEST(CuteTester, TextRoundTrip) {
  std::mt19937 rng(seed);
  for (int run = 0; run < runs; ++run) {
    const Layout layout = randomLayout(rng);
    ASSERT_EQ(*parseLayout(layout.toString()), layout) << "seed " << seed;
  }
}

// ---- The F2 bridge, exhaustively ---------------------------------------------------

namespace {

// f(x) = XOR of f at the bits of x, for all x: linear by definition.
bool isLinear(const Function &f, int bits) {
  for (int64_t x = 0; x < int64_t(1) << bits; ++x) {
    int64_t sum = 0;
    for (int b = 0; b < bits; ++b)
      if (x >> b & 1)
        sum ^= *f.apply(IntTuple(int64_t(1) << b));
    if (sum != *f.apply(IntTuple(x)))
      return false;
  }
  return true;
}

// The bridge says yes exactly for linear functions, with the right matrix, and the way
// back ends at the same function.
void checkBridge(const Function &f, int bits, int &linear, int &refused) {
  const Result<LinearLayout> matrix = cuteToLinear(f);
  ASSERT_EQ(matrix.ok(), isLinear(f, bits)) << f.toString();
  if (!matrix) {
    ++refused;
    return;
  }
  ++linear;
  for (int64_t x = 0; x < int64_t(1) << bits; ++x)
    ASSERT_EQ(static_cast<int64_t>(matrix->apply(x)), *f.apply(IntTuple(x))) << f.toString();
  const Result<Function> back = linearToCute(*matrix);
  ASSERT_TRUE(back) << f.toString() << ": " << back.error().message;
  for (int64_t x = 0; x < int64_t(1) << bits; ++x)
    ASSERT_EQ(*back->apply(IntTuple(x)), *f.apply(IntTuple(x)))
        << f.toString() << " and " << back->toString();
}

struct Case {
  Layout layout;
  int bits;
};

// Shapes (2^a), (2^a,2^b), (2^a,2^b,2^c) of up to 2^5 elements; strides 0 to 17.
std::vector<Case> allSmallLayouts() {
  std::vector<Case> cases;
  const int kMostBits = 5, kMostStride = 17;
  const auto add = [&](const std::vector<int64_t> &s, const std::vector<int64_t> &d, int bits) {
    cases.push_back({*Layout::make(std::vector<IntTuple>(s.begin(), s.end()),
                                   std::vector<IntTuple>(d.begin(), d.end())),
                     bits});
  };
  for (int a = 0; a <= kMostBits; ++a)
    for (int64_t x = 0; x <= kMostStride; ++x) {
      add({1 << a}, {x}, a);
      for (int b = 1; a > 0 && a + b <= kMostBits; ++b)
        for (int64_t y = 0; y <= kMostStride; ++y) {
          add({1 << a, 1 << b}, {x, y}, a + b);
          for (int c = 1; a + b + c <= 4; ++c)
            for (int64_t z = 0; z <= kMostStride; ++z)
              add({1 << a, 1 << b, 1 << c}, {x, y, z}, a + b + c);
        }
    }
  return cases;
}

} // namespace

TEST(CuteTester, EverySmallPowerOfTwoLayoutIsBridgedRightly) {
  int linear = 0, refused = 0;
  for (const Case &c : allSmallLayouts()) {
    checkBridge(c.layout, c.bits, linear, refused);
    if (testing::Test::HasFatalFailure())
      return;
  }
  EXPECT_GT(linear, 1000);
  EXPECT_GT(refused, 1000);
}

TEST(CuteTester, EverySwizzleOfSmallLayoutsIsBridgedRightly) {
  int linear = 0, refused = 0;
  for (const std::string layout : {"32:1", "(4,8):(8,1)", "(4,4):(1,8)", "(2,4,2):(4,1,16)",
                                   "(2,2,2):(3,4,8)", "(4,4):(1,3)", "16:2"})
    for (int bits = 1; bits <= 3; ++bits)
      for (int base = 0; base <= 3; ++base)
        for (int shift = -4; shift <= 4; ++shift)
          for (int64_t offset : {0, 1, 8, 64}) {
            const Result<Swizzle> swizzle = Swizzle::make(bits, base, shift);
            if (!swizzle)
              continue;
            const Layout inner = *parseLayout(layout);
            int size = 0;
            while (inner.size() >> size > 1)
              ++size;
            checkBridge(Composed{*swizzle, offset, inner}, size, linear, refused);
            if (testing::Test::HasFatalFailure())
              return;
          }
  EXPECT_GT(linear, 100);
  EXPECT_GT(refused, 100);
}
