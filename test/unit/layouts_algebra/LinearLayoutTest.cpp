// Facts about LinearLayout that a person can check by hand.
#include "layout_port/layouts/LinearLayout.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

using namespace layout_port;
using LL = LinearLayout;
using testing::ElementsAre;

namespace {

LL layout(const LL::NamedBases &bases, const LL::NamedSizes &outs) {
  const Result<LL> made = LL::fromBases(bases, outs);
  EXPECT_TRUE(made) << made.error().message;
  return made ? *made : LL();
}

LL id(uint64_t size, const char *in, const char *out) { return LL::identity1D(size, in, out); }

} // namespace

TEST(LinearLayout, TheTutorialTile) {
  const LL tile =
      layout({{"register", {{0, 1}, {1, 0}}}, {"lane", {{0, 2}, {0, 4}, {2, 0}, {4, 0}}}},
             {{"row", 8}, {"col", 8}});
  EXPECT_EQ(*tile.apply({{"register", 3}, {"lane", 5}}), (LL::NamedValues{{"row", 3}, {"col", 3}}));
  EXPECT_TRUE(tile.isInvertible());
}

TEST(LinearLayout, BitsOfDimsLieMinorToMajor) {
  const LL tile =
      layout({{"register", {{0, 1}}}, {"lane", {{1, 0}, {2, 1}}}}, {{"m", 4}, {"n", 2}});
  EXPECT_EQ(tile.columns(), (f2::Columns{0b100, 0b001, 0b110}));
  EXPECT_EQ(tile.inOffset("lane"), 1);
  EXPECT_EQ(tile.outOffset("n"), 2);
  EXPECT_THAT(tile.basis("lane", 1), ElementsAre(2, 1));
  EXPECT_EQ(tile.basis("lane", 1, "m"), 2u);
}

// ---- Building ----------------------------------------------------------------------

TEST(Building, OneDimLayouts) {
  EXPECT_EQ(id(4, "i", "o"), layout({{"i", {{1}, {2}}}}, {{"o", 4}}));
  EXPECT_EQ(id(1, "i", "o"), layout({{"i", {}}}, {{"o", 1}}));
  EXPECT_EQ(id(0, "i", "o"), LL::empty());
  EXPECT_EQ(LL::zeros1D(4, "i", "o"), layout({{"i", {{0}, {0}}}}, {{"o", 1}}));
  EXPECT_EQ(LL::zeros1D(2, "i", "o", 8), layout({{"i", {{0}}}}, {{"o", 8}}));
  EXPECT_EQ(LL::strided1D(4, 8, "i", "o"), layout({{"i", {{8}, {16}}}}, {{"o", 32}}));
}

TEST(Building, SizesAreInferredOnlyForSurjectiveLayouts) {
  const Result<LL> inferred = LL::fromSurjectiveBases({{"i", {{1}, {3}}}}, {"o"});
  ASSERT_TRUE(inferred);
  EXPECT_EQ(inferred->outSize("o"), 4u);
  EXPECT_FALSE(LL::fromSurjectiveBases({{"i", {{1}, {4}}}}, {"o"}));
}

TEST(Building, BadBasesAreErrors) {
  EXPECT_FALSE(LL::fromBases({{"i", {{4}}}}, {{"o", 4}})) << "too large";
  EXPECT_FALSE(LL::fromBases({{"i", {{1}}}}, {{"o", 3}})) << "not a power of two";
  EXPECT_FALSE(LL::fromBases({{"i", {{1}}}}, {{"o", 0}}));
  EXPECT_FALSE(LL::fromBases({{"i", {{1, 1}}}}, {{"o", 2}})) << "too many coordinates";
  EXPECT_FALSE(LL::fromBases({{"i", {{1}}}, {"i", {{1}}}}, {{"o", 2}})) << "a name twice";
  EXPECT_FALSE(LL::fromBases({{"i", {{1, 0}}}}, {{"o", 2}, {"o", 2}}));
  EXPECT_FALSE(LL::fromBases({{"i", std::vector<LL::Basis>(65, {0})}}, {{"o", 2}}));
  EXPECT_FALSE(LL::fromColumns({{"i", 1}}, {{"o", 1}}, {}));
  EXPECT_FALSE(LL::fromColumns({{"i", 1}}, {{"o", 1}}, {2}));
  EXPECT_FALSE(LL::fromColumns({{"i", -1}}, {{"o", 1}}, {}));
}

TEST(Building, SixtyFourBitsOnBothSides) {
  f2::Columns columns;
  for (int i = 0; i < 64; ++i)
    columns.push_back(uint64_t(1) << (63 - i));
  const Result<LL> reversal = LL::fromColumns({{"a", 32}, {"b", 32}}, {{"o", 64}}, columns);
  ASSERT_TRUE(reversal);
  const Result<LL> inverse = reversal->invert();
  ASSERT_TRUE(inverse) << inverse.error().message;
  EXPECT_TRUE(reversal->compose(*inverse)->isIdentity());
  EXPECT_EQ(reversal->apply(1), uint64_t(1) << 63);
}

// ---- Products ----------------------------------------------------------------------

TEST(Product, AppendsSharedDims) {
  EXPECT_EQ(id(4, "i", "o") * id(2, "i", "o"), id(8, "i", "o"));
  EXPECT_EQ(id(4, "i", "o1") * id(8, "i", "o2"),
            layout({{"i", {{1, 0}, {2, 0}, {0, 1}, {0, 2}, {0, 4}}}}, {{"o1", 4}, {"o2", 8}}));
  EXPECT_EQ(id(8, "i", "o") * LL::zeros1D(4, "i", "o"),
            layout({{"i", {{1}, {2}, {4}, {0}, {0}}}}, {{"o", 8}}));
  EXPECT_EQ(LL::empty() * id(8, "i", "o"), id(8, "i", "o"));
  EXPECT_EQ(LL::zeros1D(4, "i", "o1") * layout({{"i", {}}}, {{"o2", 1}}),
            layout({{"i", {{0, 0}, {0, 0}}}}, {{"o1", 1}, {"o2", 1}}));
}

TEST(Product, MergesTheOrdersOfDims) {
  const auto named = [](std::vector<const char *> names) {
    LL all;
    for (const char *name : names)
      all *= id(2, name, "o");
    return all;
  };
  const auto merged = [&](std::vector<const char *> a, std::vector<const char *> b) {
    const Result<LL> product = LL::product(named(a), named(b));
    return product ? product->inNames() : LL::Names{"error"};
  };
  EXPECT_THAT(merged({"a", "b"}, {"a", "c"}), ElementsAre("a", "b", "c"));
  EXPECT_THAT(merged({"a", "b"}, {"b", "c"}), ElementsAre("a", "b", "c"));
  EXPECT_THAT(merged({"b"}, {"a", "b"}), ElementsAre("a", "b"));
  EXPECT_THAT(merged({"a", "b"}, {"b", "a"}), ElementsAre("error"));
}

TEST(Product, MoreThan64BitsIsAnError) {
  const LL wide = id(uint64_t(1) << 40, "i", "o");
  EXPECT_FALSE(LL::product(wide, wide));
}

TEST(Division, UndoesTheProduct) {
  const LL b = id(8, "i", "o"), c = LL::zeros1D(16, "i", "o");
  EXPECT_EQ(*(b * c).divideLeft(b), c);
  EXPECT_EQ(*(b * c).divideRight(c), b);
  EXPECT_EQ(*(c * b).divideLeft(c), b);
}

TEST(Division, TheQuotientKeepsAllDims) {
  EXPECT_EQ(*id(8, "i", "o").divideLeft(id(8, "i", "o")), id(1, "i", "o"));
  EXPECT_EQ(*id(8, "i", "o").divideRight(id(4, "i", "o")), id(2, "i", "o"));
  const LL a = layout({{"in2", {{0, 1}, {1, 0}}}, {"in1", {{2, 0}, {0, 2}}}}, {{"x", 4}, {"y", 4}});
  const LL b = layout({{"in2", {{0, 1}, {1, 0}}}}, {{"x", 2}, {"y", 2}});
  EXPECT_EQ(*a.divideLeft(b),
            layout({{"in2", {}}, {"in1", {{1, 0}, {0, 1}}}}, {{"x", 2}, {"y", 2}}));
}

TEST(Division, WithoutAQuotientIsAnError) {
  EXPECT_FALSE(id(8, "i", "o").divideLeft(id(16, "i", "o")));
  EXPECT_FALSE(id(8, "i", "o").divideLeft(LL::zeros1D(2, "i", "o")));
  EXPECT_FALSE(id(8, "i", "o").divideLeft(id(2, "j", "o")));
  // The high column reaches into the low rows, or the other way round.
  EXPECT_FALSE(layout({{"i", {{1}, {3}}}}, {{"o", 4}}).divideLeft(id(2, "i", "o")));
  EXPECT_FALSE(layout({{"i", {{3}, {2}}}}, {{"o", 4}}).divideLeft(id(2, "i", "o")));
  EXPECT_FALSE(layout({{"i", {{1}, {3}}}}, {{"o", 4}}).divideRight(id(2, "i", "o")));
  EXPECT_FALSE(layout({{"i", {{3}, {2}}}}, {{"o", 4}}).divideRight(id(2, "i", "o")));
}

TEST(Division, ADivisorWithItsDimsInAnotherOrderIsAnError) {
  const LL a = id(2, "i", "x") * id(2, "j", "y");
  EXPECT_TRUE(a.divideLeft(id(2, "i", "x")));
  EXPECT_TRUE(a.divideLeft(id(2, "j", "y")));
  EXPECT_FALSE(a.divideLeft(id(2, "j", "y") * id(2, "i", "x")));
  EXPECT_FALSE(a.divideRight(id(2, "j", "y") * id(2, "i", "x")));
}

TEST(Concat, PutsLayoutsSideBySide) {
  const LL a = id(2, "a", "o"), b = id(2, "b", "o");
  EXPECT_EQ(*a.concatIns(b), layout({{"a", {{1}}}, {"b", {{1}}}}, {{"o", 2}}));
  EXPECT_EQ(*id(2, "i", "x").concatOuts(id(2, "i", "y")),
            layout({{"i", {{1, 1}}}}, {{"x", 2}, {"y", 2}}));
  EXPECT_FALSE(a.concatIns(a)) << "the same in-dim twice";
  EXPECT_FALSE(a.concatIns(id(4, "b", "o"))) << "another out-dim";
  EXPECT_FALSE(a.concatOuts(b)) << "another in-dim";
}

// ---- Solving -----------------------------------------------------------------------

TEST(Compose, ThisFirst) {
  const LL first =
      layout({{"in1", {{1, 1}, {0, 1}}}, {"in2", {{1, 0}, {1, 2}}}}, {{"out1", 2}, {"out2", 4}});
  const LL second =
      layout({{"out1", {{2, 2}, {1, 0}}}, {"out2", {{1, 1}, {2, 1}}}}, {{"out3", 4}, {"out4", 4}});
  EXPECT_EQ(*first.compose(second), layout({{"in1", {{3, 3}, {1, 1}}}, {"in2", {{2, 2}, {0, 3}}}},
                                           {{"out3", 4}, {"out4", 4}}));
}

TEST(Compose, TheDimsBetweenMustAgree) {
  EXPECT_FALSE(id(4, "i", "x").compose(id(4, "y", "o")));
  EXPECT_FALSE(id(4, "i", "x").compose(id(2, "x", "o"))) << "values that the second lacks";
  EXPECT_TRUE(id(4, "i", "x").compose(id(8, "x", "o")));
}

TEST(Inverse, UndoesAndExistsOnlyForSquareLayoutsOfFullRank) {
  const LL tile = layout({{"i", {{1}, {3}}}}, {{"o", 4}});
  EXPECT_EQ(*tile.invert(), layout({{"o", {{1}, {3}}}}, {{"i", 4}}));
  EXPECT_FALSE(LL::zeros1D(2, "i", "o", 2).invert());
  EXPECT_FALSE(layout({{"i", {{1}, {1}}}}, {{"o", 2}}).invert());
}

TEST(Pseudoinverse, TakesLowBitsFirst) {
  const LL twice = layout({{"register", {{1}}}, {"lane", {{1}, {2}}}}, {{"o", 4}});
  EXPECT_EQ(*twice.pseudoinvert(),
            layout({{"o", {{1, 0}, {0, 2}}}}, {{"register", 2}, {"lane", 4}}));
  EXPECT_FALSE(LL::zeros1D(2, "i", "o", 2).pseudoinvert());
}

TEST(Pseudoinverse, MinimumWeightPrefersOneBitToMany) {
  const LL gray = layout({{"i", {{1}, {3}, {2}}}}, {{"o", 4}});
  EXPECT_EQ(*gray.pseudoinvert(), layout({{"o", {{1}, {3}}}}, {{"i", 8}}));
  EXPECT_EQ(*gray.minWeightRightInverse(), layout({{"o", {{1}, {4}}}}, {{"i", 8}}));
}

TEST(InvertAndCompose, FindsWhereTheElementLies) {
  const LL a = layout({{"in1", {{2}, {1}, {4}}}}, {{"o", 8}});
  const LL b = layout({{"in2", {{4}, {1}, {2}}}}, {{"o", 8}});
  EXPECT_EQ(*a.invertAndCompose(b), layout({{"in1", {{4}, {2}, {1}}}}, {{"in2", 8}}));
}

TEST(InvertAndCompose, ReadsEqualValuesFromOnePlace) {
  const LL a = layout({{"in1", {{2}, {1}, {4}}}}, {{"o", 8}});
  const LL b = layout({{"in2", {{0}, {2}, {1}, {4}}}}, {{"o", 8}});
  EXPECT_EQ(*a.invertAndCompose(b), layout({{"in1", {{2}, {4}, {8}}}}, {{"in2", 16}}));
  const LL wide = layout({{"in1", {{1}}}, {"in2", {{0}}}}, {{"o", 2}});
  const LL other = layout({{"in3", {{1}}}, {"in4", {{0}}}}, {{"o", 2}});
  EXPECT_EQ(*wide.invertAndCompose(other),
            layout({{"in1", {{1, 0}}}, {"in2", {{0, 0}}}}, {{"in3", 2}, {"in4", 2}}));
}

TEST(InvertAndCompose, EqualDimsMapToThemselves) {
  const LL a = layout({{"lane", {{1}, {2}}}, {"warp", {{0}}}}, {{"o", 4}});
  const LL b = layout({{"lane", {{2}, {1}}}, {"warp", {{0}}}}, {{"o", 4}});
  EXPECT_EQ(*a.invertAndCompose(b),
            layout({{"lane", {{2, 0}, {1, 0}}}, {"warp", {{0, 1}}}}, {{"lane", 4}, {"warp", 2}}));
}

// The lane of b also holds what `register` has, and register is equal: still solvable.
TEST(InvertAndCompose, UsesEqualDimsWhereTheRestIsNotEnough) {
  const LL a = layout({{"register", {{1}}}, {"lane", {{3}}}}, {{"o", 4}});
  const LL b = layout({{"register", {{1}}}, {"lane", {{2}}}}, {{"o", 4}});
  EXPECT_EQ(*a.invertAndCompose(b),
            layout({{"register", {{1, 0}}}, {"lane", {{1, 1}}}}, {{"register", 2}, {"lane", 2}}));
}

TEST(InvertAndCompose, AnElementThatIsNotThereIsAnError) {
  EXPECT_FALSE(id(4, "i", "o").invertAndCompose(LL::zeros1D(4, "j", "o", 4)));
  EXPECT_FALSE(id(4, "i", "o").invertAndCompose(id(2, "j", "o")));
  EXPECT_FALSE(id(4, "i", "o").invertAndCompose(id(4, "j", "x")));
  EXPECT_TRUE(id(2, "i", "o").invertAndCompose(id(4, "j", "o"))) << "a part of the elements";
}

TEST(InvertAndCompose, TheOrderOfOutDimsDoesNotMatter) {
  const LL a = layout({{"i", {{1, 0}, {0, 1}}}}, {{"x", 2}, {"y", 2}});
  const LL b = layout({{"j", {{1, 0}, {0, 1}}}}, {{"y", 2}, {"x", 2}});
  EXPECT_EQ(*a.invertAndCompose(b), layout({{"i", {{2}, {1}}}}, {{"j", 4}}));
}

TEST(Lstsq, SetsFreeVariablesToZero) {
  const LL a = layout({{"i", {{1}, {1}, {2}}}}, {{"o", 4}});
  EXPECT_EQ(*a.lstsq(id(4, "x", "o")), layout({{"x", {{1}, {4}}}}, {{"i", 8}}));
  EXPECT_FALSE(LL::zeros1D(2, "i", "o", 4).lstsq(id(4, "x", "o")));
}

// ---- Looking -----------------------------------------------------------------------

TEST(Query, RankAndItsConsequences) {
  const LL a = layout({{"i", {{1}, {1}}}}, {{"o", 4}});
  EXPECT_EQ(a.rank(), 1);
  EXPECT_FALSE(a.isSurjective());
  EXPECT_FALSE(a.isInjective());
  EXPECT_TRUE(id(4, "i", "o").isInvertible());
  EXPECT_TRUE(id(4, "i", "o").isIdentity());
  EXPECT_FALSE(layout({{"i", {{1}, {2}}}}, {{"o", 8}}).isIdentity());
}

TEST(Query, FreeVariablesAndZeroBases) {
  const LL a = layout({{"in1", {{1, 1}, {2, 2}, {0, 0}}}, {"in2", {{1, 0}, {0, 1}, {2, 0}}}},
                      {{"out1", 4}, {"out2", 4}});
  EXPECT_EQ(a.freeVariableMasks(), (LL::NamedValues{{"in1", 0b100}, {"in2", 0b10}}));
  EXPECT_EQ(a.zeroBases(), (LL::NamedValues{{"in1", 0b100}, {"in2", 0}}));
}

TEST(Query, ConsecutiveElements) {
  EXPECT_EQ(id(1, "i", "o").numConsecutive(), 1u);
  EXPECT_EQ((id(4, "i1", "o") * id(8, "i2", "o")).numConsecutive(), 4u);
  EXPECT_EQ((id(4, "i", "o1") * id(8, "i", "o2")).numConsecutive(), 4u);
  EXPECT_EQ((id(4, "i1", "o") * id(8, "i2", "p")).numConsecutive("i2", "p"), 8u);
  const auto consecutive = [](const std::vector<LL::Basis> &bases) {
    return layout({{"i", bases}}, {{"o", 16}}).numConsecutive();
  };
  EXPECT_EQ(consecutive({{1}, {2}, {4}, {9}}), 1u) << "another basis has bit 0";
  EXPECT_EQ(consecutive({{1}, {2}, {4}, {10}}), 2u);
  EXPECT_EQ(consecutive({{1}, {4}, {2}}), 2u);
  EXPECT_EQ(consecutive({{2}, {1}}), 1u);
}

TEST(Query, TrivialOver) {
  const LL::NamedSizes outs = {{"d1", 4}, {"d2", 8}, {"d3", 4}};
  const std::vector<LL::Basis> d1 = {{1, 0, 2}, {2, 0, 1}}, d2 = {{0, 1, 0}, {0, 2, 0}, {0, 4, 0}};
  const LL apart = layout({{"d1", d1}, {"d2", d2}, {"d3", {{0, 0, 1}, {0, 0, 2}}}}, outs);
  EXPECT_TRUE(apart.isIdentityOn("d2"));
  EXPECT_FALSE(apart.isIdentityOn("d1")) << "d1 also reaches d3";
  const LL mixed = layout({{"d1", d1}, {"d2", d2}, {"d3", {{0, 1, 1}, {0, 0, 2}}}}, outs);
  EXPECT_FALSE(mixed.isIdentityOn("d2")) << "d3 reaches d2";
  EXPECT_FALSE(apart.isIdentityOn("d4"));
}

TEST(Query, AppliesByNameInAnyOrder) {
  const LL a = layout({{"in1", {{4, 2}, {2, 1}, {1, 0}}}, {"in2", {{1, 2}, {2, 1}}}},
                      {{"out1", 8}, {"out2", 4}});
  EXPECT_EQ(*a.apply({{"in2", 1}, {"in1", 1}}), (LL::NamedValues{{"out1", 5}, {"out2", 0}}));
  EXPECT_FALSE(a.apply(LL::NamedValues{{"in1", 1}}));
  EXPECT_FALSE(a.apply({{"in1", 1}, {"in1", 2}}));
}

TEST(Query, Print) {
  EXPECT_EQ(layout({{"r", {{1, 0}}}, {"w", {}}}, {{"x", 2}, {"y", 4}}).toString(),
            "r=1 -> (1, 0)\nw has size 1\nout dims: x (2), y (4)\n");
}

// ---- Reshaping ---------------------------------------------------------------------

TEST(Reshape, TransposeReordersDims) {
  const LL a = id(4, "i", "x") * id(2, "j", "y");
  EXPECT_EQ(*a.transposeOuts({"y", "x"}),
            layout({{"i", {{0, 1}, {0, 2}}}, {"j", {{1, 0}}}}, {{"y", 2}, {"x", 4}}));
  EXPECT_EQ(*a.transposeIns({"j", "i"}),
            layout({{"j", {{0, 1}}}, {"i", {{1, 0}, {2, 0}}}}, {{"x", 4}, {"y", 2}}));
  EXPECT_FALSE(a.transposeIns({"j"}));
  EXPECT_FALSE(a.transposeIns({"j", "j"}));
}

TEST(Reshape, CutsTheFlattenedBitsAnew) {
  const LL a = layout({{"in1", {{1}, {4}, {8}}}, {"in2", {{3}}}}, {{"o", 16}});
  EXPECT_EQ(*a.reshapeIns({{"x", 2}, {"y", 8}}),
            layout({{"x", {{1}}}, {"y", {{4}, {8}, {3}}}}, {{"o", 16}}));
  EXPECT_EQ(*a.reshapeOuts({{"x", 2}, {"y", 8}}),
            layout({{"in1", {{1, 0}, {0, 2}, {0, 4}}}, {"in2", {{1, 1}}}}, {{"x", 2}, {"y", 8}}));
  EXPECT_FALSE(a.reshapeIns({{"x", 2}}));
  EXPECT_FALSE(a.reshapeOuts({{"x", 2}}));
}

TEST(Reshape, FlattenGoesIntoTheFirstDim) {
  const LL a = layout({{"in1", {{1, 0}, {4, 1}}}, {"in2", {{3, 2}}}}, {{"x", 16}, {"y", 8}});
  EXPECT_EQ(a.flattenIns().flattenOuts(), layout({{"in1", {{1}, {20}, {35}}}}, {{"x", 128}}));
  EXPECT_EQ(LL::empty().flattenIns().flattenOuts(), LL::empty());
}

TEST(Reshape, SqueezeAndRename) {
  const LL a = id(2, "i", "x") * id(1, "j", "y");
  EXPECT_EQ(*a.squeezeIn("j")->squeezeOut("y"), id(2, "i", "x"));
  EXPECT_FALSE(a.squeezeIn("i"));
  EXPECT_FALSE(a.squeezeIn("k"));
  EXPECT_EQ(*id(2, "i", "x").renameIn("i", "k")->renameOut("x", "z"), id(2, "k", "z"));
  EXPECT_FALSE(a.renameIn("i", "j")) << "in use";
}

TEST(Reshape, Resize) {
  const LL a = layout({{"i", {{1}, {6}}}, {"j", {{4}}}}, {{"o", 8}});
  EXPECT_EQ(*a.resizeIn("i", 2), layout({{"i", {{1}}}, {"j", {{4}}}}, {{"o", 8}}));
  EXPECT_EQ(*a.resizeIn("i", 8), layout({{"i", {{1}, {6}, {0}}}, {"j", {{4}}}}, {{"o", 8}}));
  EXPECT_EQ(*a.resizeOut("o", 4), layout({{"i", {{1}, {0}}}, {"j", {{0}}}}, {{"o", 4}}));
  EXPECT_FALSE(a.resizeIn("i", 3));
  EXPECT_FALSE(a.resizeOut("i", 2));
}

TEST(Reshape, SublayoutAndQuotient) {
  const LL a = layout({{"in1", {{1, 0}, {0, 1}}}, {"in2", {{0, 1}}}}, {{"x", 2}, {"y", 2}});
  EXPECT_EQ(*a.sublayout({"in2", "in1"}, {"x"}),
            layout({{"in1", {{1}, {0}}}, {"in2", {{0}}}}, {{"x", 2}}));
  EXPECT_EQ(*a.sublayout({}, {}), LL::empty());
  EXPECT_FALSE(a.sublayout({"in3"}, {"x"}));
  EXPECT_TRUE(a.sublayoutIsZero({"in2"}, {"x"}));
  EXPECT_FALSE(a.sublayoutIsZero({"in2"}, {"y"}));
  const LL b = id(2, "w", "w") * id(4, "l", "x");
  EXPECT_EQ(*b.quotient({"w"}), id(4, "l", "x"));
  EXPECT_FALSE(b.quotient({"l"}));
  EXPECT_FALSE(LL::empty().quotient({"w"}));
}

TEST(Reshape, RemoveZeroBases) {
  const LL a = layout({{"i", {{0}, {1}, {0}}}, {"j", {{0}}}}, {{"o", 4}});
  EXPECT_EQ(*a.removeZeroBases("i"), layout({{"i", {{1}}}, {"j", {{0}}}}, {{"o", 4}}));
}
