// Random identities of the layout algebra. The second engine is the definition: a layout
// is a function on a few bits, so what an operation promises is checked by evaluating
// both sides, or by trying all inputs. More than 100,000 layouts in all.
#include "RandomLayouts.h"
#include "layout_port/layouts/Affine.h"
#include "layout_port/layouts/F2.h"
#include "layout_port/layouts/LinearLayout.h"

#include <gtest/gtest.h>

#include <set>

using namespace layout_port;
using LL = LinearLayout;

namespace {

constexpr uint64_t runs = 8000;

// Runs the body for many seeds and stops at the first that fails, naming it.
template <typename Body> void forSeeds(Body body) {
  for (uint64_t seed = 0; seed < runs; ++seed) {
    RandomLayouts random(seed);
    body(random);
    if (testing::Test::HasFailure()) {
      ADD_FAILURE() << "seed " << seed;
      return;
    }
  }
}

// Every output of the layout, by trying every input.
std::set<uint64_t> imageByTrial(const LL &a) {
  std::set<uint64_t> image;
  for (uint64_t x = 0; x < uint64_t(1) << a.totalInBits(); ++x)
    image.insert(a.apply(x));
  return image;
}

// The span of the vectors, by adding up every subset.
std::set<uint64_t> spanByTrial(const f2::Columns &vectors) {
  std::set<uint64_t> span;
  for (uint64_t x = 0; x < uint64_t(1) << vectors.size(); ++x)
    span.insert(f2::apply(vectors, x));
  return span;
}

LL randomLayout(RandomLayouts &random, const std::string &in, const std::string &out) {
  return random.layout(random.dims(in, static_cast<int>(random.below(8))),
                       random.dims(out, static_cast<int>(random.below(8))));
}

LL fromColumns(const std::vector<LayoutDim> &ins, const std::vector<LayoutDim> &outs,
               const f2::Columns &columns) {
  const Result<LL> made = LL::fromColumns(ins, outs, columns);
  EXPECT_TRUE(made) << made.error().message;
  return *made;
}

} // namespace

// (b o a)(x) = b(a(x)), also when b's in-dims stand in another order and are larger.
TEST(Algebra, ComposeIsApplicationTwice) {
  forSeeds([](RandomLayouts &random) {
    const LL a = randomLayout(random, "i", "m");
    std::vector<LayoutDim> middle = random.shuffled(a.outs());
    for (LayoutDim &dim : middle)
      dim.bits += static_cast<int>(random.below(2));
    const LL b = random.layout(middle, random.dims("o", static_cast<int>(random.below(8))));
    const Result<LL> both = a.compose(b);
    ASSERT_TRUE(both) << both.error().message;
    for (int i = 0; i < 4; ++i) {
      const uint64_t x = random.bits(a.totalInBits());
      LL::NamedValues between;
      const LL::Basis outs = a.splitOut(a.apply(x));
      for (size_t d = 0; d < outs.size(); ++d)
        between.emplace_back(a.outs()[d].name, outs[d]);
      const Result<LL::NamedValues> named = b.apply(between);
      ASSERT_TRUE(named);
      const LL::Basis got = both->splitOut(both->apply(x));
      for (size_t d = 0; d < got.size(); ++d)
        ASSERT_EQ(got[d], (*named)[d].second);
    }
  });
}

TEST(Algebra, ComposeIsAssociative) {
  forSeeds([](RandomLayouts &random) {
    const LL a = randomLayout(random, "i", "m");
    const LL b = random.layout(a.outs(), random.dims("n", static_cast<int>(random.below(8))));
    const LL c = random.layout(b.outs(), random.dims("o", static_cast<int>(random.below(8))));
    ASSERT_EQ(*a.compose(b)->compose(c), *a.compose(*b.compose(c)));
  });
}

// In each in-dim the low bits go through the first factor, the high bits through the
// second, whose coordinates stand above the first's.
TEST(Algebra, ProductActsOnLowAndHighBits) {
  forSeeds([](RandomLayouts &random) {
    const LL a = randomLayout(random, "i", "o"), b = randomLayout(random, "i", "o");
    const Result<LL> ab = LL::product(a, b);
    ASSERT_TRUE(ab) << ab.error().message;
    LL::Basis coordinates, low(a.ins().size()), high(b.ins().size());
    for (const LayoutDim &dim : ab->ins()) {
      const uint64_t x = random.bits(dim.bits);
      coordinates.push_back(x);
      if (a.hasIn(dim.name))
        low[a.inIndex(dim.name)] = x & f2::lowMask(a.inBits(dim.name));
      if (b.hasIn(dim.name))
        high[b.inIndex(dim.name)] = x >> a.inBits(dim.name);
    }
    const LL::Basis outA = a.splitOut(a.apply(a.joinIn(low)));
    const LL::Basis outB = b.splitOut(b.apply(b.joinIn(high)));
    const LL::Basis out = ab->splitOut(ab->apply(ab->joinIn(coordinates)));
    for (size_t d = 0; d < out.size(); ++d) {
      const std::string &name = ab->outs()[d].name;
      const uint64_t lowPart = a.hasOut(name) ? outA[a.outIndex(name)] : 0;
      const uint64_t highPart = b.hasOut(name) ? outB[b.outIndex(name)] : 0;
      ASSERT_EQ(out[d], lowPart | highPart << a.outBits(name));
    }
  });
}

TEST(Algebra, ProductIsAssociative) {
  forSeeds([](RandomLayouts &random) {
    const LL a = randomLayout(random, "i", "o"), b = randomLayout(random, "i", "o"),
             c = randomLayout(random, "i", "o");
    ASSERT_EQ(*LL::product(*LL::product(a, b), c), *LL::product(a, *LL::product(b, c)));
  });
}

// (a x b) / a times a is a x b again, and the quotient is b up to dims of size 1.
TEST(Algebra, DivisionUndoesTheProduct) {
  forSeeds([](RandomLayouts &random) {
    const LL a = randomLayout(random, "i", "o"), b = randomLayout(random, "i", "o");
    const LL ab = a * b;
    const Result<LL> right = ab.divideLeft(a), left = ab.divideRight(b);
    ASSERT_TRUE(right) << right.error().message;
    ASSERT_TRUE(left) << left.error().message;
    ASSERT_EQ(a * *right, ab);
    ASSERT_EQ(*left * b, ab);
    ASSERT_EQ(right->columns().size(), b.columns().size());
    for (const LayoutDim &dim : b.ins())
      for (int i = 0; i < dim.bits; ++i)
        for (const LayoutDim &out : b.outs())
          ASSERT_EQ(right->basis(dim.name, i, out.name), b.basis(dim.name, i, out.name));
  });
}

// Whatever division answers, it is right: a quotient multiplies back, and after an error
// none of the candidates does (the only candidate is the block of the matrix).
TEST(Algebra, DivisionOfUnrelatedLayouts) {
  forSeeds([](RandomLayouts &random) {
    const LL a = randomLayout(random, "i", "o");
    const LL b = random.layout(random.dims("i", static_cast<int>(random.below(2))),
                               random.dims("o", static_cast<int>(random.below(2))));
    if (const Result<LL> c = a.divideLeft(b))
      ASSERT_EQ(*LL::product(b, *c), a);
    if (const Result<LL> c = a.divideRight(b))
      ASSERT_EQ(*LL::product(*c, b), a);
  });
}

TEST(Algebra, InverseOnBothSides) {
  forSeeds([](RandomLayouts &random) {
    const int n = static_cast<int>(random.below(random.below(8) == 0 ? 65 : 12));
    const LL a = fromColumns(random.dims("i", n), random.dims("o", n), random.invertible(n));
    const Result<LL> inverse = a.invert();
    ASSERT_TRUE(inverse) << inverse.error().message;
    ASSERT_TRUE(a.compose(*inverse)->isIdentity());
    ASSERT_TRUE(inverse->compose(a)->isIdentity());
    ASSERT_EQ(*inverse->invert(), a);
  });
}

// a(R(y)) = y; R has pivots only; the lightest R is no heavier than any input of y.
TEST(Algebra, RightInverses) {
  forSeeds([](RandomLayouts &random) {
    const int out = static_cast<int>(random.below(5));
    const int in = out + static_cast<int>(random.below(5));
    const LL a =
        fromColumns(random.dims("i", in), random.dims("o", out), random.surjective(in, out));
    const Result<LL> right = a.pseudoinvert(), light = a.minWeightRightInverse();
    ASSERT_TRUE(right && light);
    ASSERT_TRUE(right->compose(a)->isIdentity());
    ASSERT_TRUE(light->compose(a)->isIdentity());
    for (int r = 0; r < out; ++r) {
      ASSERT_EQ(right->column(r) & ~f2::pivots(a.columns()), 0u);
      uint64_t best = right->column(r);
      for (uint64_t x = 0; x < uint64_t(1) << in; ++x)
        if (a.apply(x) == uint64_t(1) << r && f2::popcount(x) < f2::popcount(best))
          best = x;
      ASSERT_EQ(f2::popcount(light->column(r)), f2::popcount(best));
    }
  });
}

// a(x) = b(C(x)) with equal dims mapped to themselves; an error only when some output of
// a is none of b's.
TEST(Algebra, InvertAndCompose) {
  forSeeds([](RandomLayouts &random) {
    const std::vector<LayoutDim> outs = random.dims("o", static_cast<int>(random.below(6)));
    LL a = random.layout(random.dims("i", static_cast<int>(random.below(8))), outs);
    LL b =
        random.layout(random.dims("j", static_cast<int>(random.below(8))), random.shuffled(outs));
    // Give them a common in-dim, often with equal bases.
    const std::vector<LayoutDim> shared = {{"shared", static_cast<int>(random.below(3))}};
    const LL common = random.layout(shared, a.outs());
    const LL same = *common.transposeOuts(b.outNames());
    a = *a.concatIns(common);
    b = *b.concatIns(random.coin() ? same : random.layout(shared, b.outs()));
    const std::set<uint64_t> reached = imageByTrial(b);
    const LL turned = *a.transposeOuts(b.outNames());
    bool solvable = true;
    for (const uint64_t column : turned.columns())
      solvable = solvable && reached.count(column);
    const Result<LL> c = a.invertAndCompose(b);
    ASSERT_EQ(bool(c), solvable);
    if (!c)
      return;
    ASSERT_EQ(*c->compose(b), turned);
    ASSERT_EQ(c->ins(), a.ins());
    ASSERT_EQ(c->outs(), b.ins());
    if (*b.sublayout({"shared"}, b.outNames()) == same) {
      for (int i = 0; i < a.inBits("shared"); ++i)
        ASSERT_EQ(c->column(c->inOffset("shared") + i), uint64_t(1) << (b.inOffset("shared") + i));
    }
  });
}

// a(X(y)) = b(y) with X zero on the free variables of a; an error only without solution.
TEST(Algebra, Lstsq) {
  forSeeds([](RandomLayouts &random) {
    const LL a = randomLayout(random, "i", "o");
    const LL b = random.coin() ? random.layout(random.dims("y", 3), a.outs())
                               : *random.layout(random.dims("y", 3), a.ins()).compose(a);
    const std::set<uint64_t> reached = imageByTrial(a);
    bool solvable = true;
    for (const uint64_t column : b.columns())
      solvable = solvable && reached.count(column);
    const Result<LL> x = a.lstsq(b);
    ASSERT_EQ(bool(x), solvable);
    if (!x)
      return;
    ASSERT_EQ(*x->compose(a), b);
    const uint64_t free = a.joinIn([&] {
      LL::Basis masks;
      for (const auto &mask : a.freeVariableMasks())
        masks.push_back(mask.second);
      return masks;
    }());
    for (const uint64_t column : x->columns())
      ASSERT_EQ(column & free, 0u);
  });
}

// Rank, kernel and image against counting.
TEST(Algebra, RankByCounting) {
  forSeeds([](RandomLayouts &random) {
    const LL a = randomLayout(random, "i", "o");
    const std::set<uint64_t> image = imageByTrial(a);
    ASSERT_EQ(image.size(), uint64_t(1) << a.rank());
    ASSERT_EQ(a.isSurjective(), image.size() == uint64_t(1) << a.totalOutBits());
    ASSERT_EQ(a.isInjective(), image.size() == uint64_t(1) << a.totalInBits());
    ASSERT_EQ(spanByTrial(f2::image(a.columns())), image);
    const f2::Columns kernel = f2::kernel(a.columns());
    ASSERT_EQ(static_cast<int>(kernel.size()), a.totalInBits() - a.rank());
    ASSERT_EQ(f2::rank(kernel), static_cast<int>(kernel.size()));
    for (const uint64_t x : kernel)
      ASSERT_EQ(a.apply(x), 0u);
  });
}

// With the free variables at 0 every output is reached exactly once.
TEST(Algebra, FreeVariablesAreTheRedundantOnes) {
  forSeeds([](RandomLayouts &random) {
    const LL a = randomLayout(random, "i", "o");
    LL::Basis masks;
    for (const auto &mask : a.freeVariableMasks())
      masks.push_back(mask.second);
    const uint64_t free = a.joinIn(masks);
    std::set<uint64_t> image;
    uint64_t tried = 0;
    for (uint64_t x = 0; x < uint64_t(1) << a.totalInBits(); ++x)
      if (!(x & free))
        image.insert(a.apply(x)), ++tried;
    ASSERT_EQ(image.size(), tried);
    ASSERT_EQ(image, imageByTrial(a));
  });
}

// Intersection and common complement against the sets they speak of.
TEST(Algebra, Subspaces) {
  forSeeds([](RandomLayouts &random) {
    const int n = static_cast<int>(random.below(8));
    const f2::Columns u = random.columns(static_cast<int>(random.below(5)), n);
    const f2::Columns v = random.columns(static_cast<int>(random.below(5)), n);
    const std::set<uint64_t> inU = spanByTrial(u), inV = spanByTrial(v);
    std::set<uint64_t> inBoth;
    for (const uint64_t x : inU)
      if (inV.count(x))
        inBoth.insert(x);
    ASSERT_EQ(spanByTrial(f2::intersection(u, v)), inBoth);
    ASSERT_EQ(spanByTrial(f2::reducedBasis(u)), inU);
    const f2::Columns c = f2::commonComplement(u, v, n);
    ASSERT_EQ(f2::rank(c), static_cast<int>(c.size()));
    ASSERT_EQ(static_cast<int>(c.size()), n - std::max(f2::rank(u), f2::rank(v)));
    for (const uint64_t x : spanByTrial(c)) {
      ASSERT_EQ(x & ~f2::lowMask(n), 0u);
      ASSERT_TRUE(x == 0 || (!inU.count(x) && !inV.count(x)));
    }
    const f2::Columns rest = f2::complement(u, n);
    f2::Columns whole = u;
    whole.insert(whole.end(), rest.begin(), rest.end());
    ASSERT_EQ(f2::rank(whole), n);
    ASSERT_EQ(static_cast<int>(rest.size()), n - f2::rank(u));
  });
}

// Reshapes and transposes and their undoing; sublayouts are the layout at other dims 0.
TEST(Algebra, ReshapesKeepTheFunction) {
  forSeeds([](RandomLayouts &random) {
    const LL a = randomLayout(random, "i", "o");
    ASSERT_EQ(*a.transposeIns(random.shuffled(a.inNames()))->transposeIns(a.inNames()), a);
    ASSERT_EQ(*a.transposeOuts(random.shuffled(a.outNames()))->transposeOuts(a.outNames()), a);
    LL::NamedSizes ins, outs;
    for (const LayoutDim &dim : a.ins())
      ins.emplace_back(dim.name, dim.size());
    for (const LayoutDim &dim : a.outs())
      outs.emplace_back(dim.name, dim.size());
    ASSERT_EQ(*a.flattenIns().flattenOuts().reshapeIns(ins)->reshapeOuts(outs), a);
    ASSERT_EQ(*LL::fromBases(a.bases(), a.outSizes()), a);
    const std::string in = a.ins()[random.below(a.ins().size())].name;
    const std::string out = a.outs()[random.below(a.outs().size())].name;
    const Result<LL> part = a.sublayout({in}, {out});
    ASSERT_TRUE(part);
    LL::Basis coordinates(a.ins().size(), 0);
    coordinates[a.inIndex(in)] = random.bits(a.inBits(in));
    ASSERT_EQ(part->apply(coordinates[a.inIndex(in)]),
              a.splitOut(a.apply(a.joinIn(coordinates)))[a.outIndex(out)]);
    const Result<LL> trimmed = a.removeZeroBases(in);
    ASSERT_TRUE(trimmed);
    ASSERT_EQ(imageByTrial(*trimmed), imageByTrial(a));
  });
}

// A layout times an identity of its own, in any order of dims, has that as quotient.
TEST(Algebra, QuotientByAnIdentity) {
  forSeeds([](RandomLayouts &random) {
    const LL a = randomLayout(random, "i", "o");
    const LL own = LL::identity1D(uint64_t(1) << random.below(4), "own", "own");
    const LL both = random.coin() ? a * own : own * a;
    ASSERT_TRUE(both.isIdentityOn("own"));
    ASSERT_EQ(*both.quotient({"own"}), a);
    const LL other = randomLayout(random, "own", "own");
    for (const LayoutDim &dim : other.ins())
      if (other.isIdentityOn(dim.name))
        ASSERT_EQ(other.inBits(dim.name), other.outBits(dim.name));
  });
}

// The definition of numConsecutive, tried on every input.
TEST(Algebra, ConsecutiveElementsByTrial) {
  forSeeds([](RandomLayouts &random) {
    LL a = randomLayout(random, "i", "o");
    if (random.coin())
      a = LL::identity1D(uint64_t(1) << random.below(4), "i0", "o0") * a;
    const int first = a.ins()[0].bits;
    const uint64_t outMask = f2::lowMask(a.outs()[0].bits);
    const auto holds = [&](uint64_t v) {
      for (uint64_t x = 0; x < uint64_t(1) << a.totalInBits(); ++x) {
        const uint64_t low = x & (v - 1);
        const uint64_t base = a.apply(x - low);
        if (a.apply(x) != base + low || (base & outMask) + low > outMask)
          return false;
      }
      return true;
    };
    uint64_t best = 1;
    while (best * 2 <= uint64_t(1) << first && holds(best * 2))
      best *= 2;
    ASSERT_EQ(a.numConsecutive(), best);
  });
}

TEST(Algebra, AffineLayoutsComposeAndInvert) {
  forSeeds([](RandomLayouts &random) {
    const int n = static_cast<int>(random.below(8));
    const std::vector<LayoutDim> middle = random.dims("m", n);
    const AffineLayout a = {fromColumns(random.dims("i", n), middle, random.invertible(n)),
                            random.bits(n)};
    const AffineLayout b = {random.layout(random.shuffled(middle), random.dims("o", 4)),
                            random.bits(4)};
    const Result<AffineLayout> both = a.compose(b), inverse = a.invert();
    ASSERT_TRUE(both && inverse);
    const LL turn = *a.linear.transposeOuts(b.linear.inNames());
    const uint64_t x = random.bits(n);
    ASSERT_EQ(inverse->apply(a.apply(x)), x);
    const LL identity = fromColumns(middle, middle, [&] {
      f2::Columns columns;
      for (int i = 0; i < n; ++i)
        columns.push_back(uint64_t(1) << i);
      return columns;
    }());
    const LL reorder = *identity.transposeOuts(b.linear.inNames());
    ASSERT_EQ(both->apply(x), b.apply(reorder.apply(a.apply(x))));
    const Result<AffineFit> fit =
        fitAffine(a.linear.ins(), {"o", 4}, [&](uint64_t y) { return both->apply(y); });
    ASSERT_TRUE(fit && *fit);
    ASSERT_EQ(fit->affine->linear.columns(), both->linear.columns());
    ASSERT_EQ(fit->affine->constant, both->constant);
  });
}
