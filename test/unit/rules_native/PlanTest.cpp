// Plans and their prices, of a kernel that is put together here:
//
//   for (k < ?) for (i < 2) for (j < 4)  acc[i][j] += a[i] * b[j]      m16n8k16, f16
#include "native/LanePlaces.h"
#include "native/Price.h"
#include "native/Solve.h"

#include "gtest/gtest.h"

using namespace layout_port;
using namespace layout_port::native;

namespace {

Loop loopOf(const std::string &name, std::optional<int64_t> turns, unsigned begin) {
  Loop loop;
  loop.variable = name;
  loop.range = {0, begin, 1000 - begin};
  if (turns) {
    loop.first = 0;
    loop.last = turns;
    loop.step = 1;
    loop.increment = {0, begin + 1, begin + 2};
  }
  return loop;
}

Index indexOf(const std::string &variable) {
  Index index;
  index.text = index.variable = variable;
  index.scale = 1;
  return index;
}

std::vector<Slot> registersOf(const std::string &name, uint64_t declaration, int count,
                              const std::vector<std::pair<std::string, int64_t>> &tile) {
  std::vector<Slot> slots(count);
  for (int r = 0; r < count; ++r) {
    Slot &slot = slots[r];
    slot.variable = name;
    slot.declaration = declaration;
    slot.tileText = name;
    for (const auto &[variable, extent] : tile) {
      slot.tile.push_back(indexOf(variable));
      slot.extents.push_back(extent);
      slot.extentTexts.push_back(std::to_string(extent));
      slot.tileText += "[" + variable + "]";
    }
    slot.reg = r;
    slot.text = slot.tileText + "[" + std::to_string(r) + "]";
  }
  return slots;
}

enum : uint64_t { kAcc = 1, kA = 2, kB = 3 };

struct Shares {
  bool a = true, b = false;
  bool transposedB = false;
  int64_t tilesN = 4;
};

Kernel kernelWith(const Shares &shares) {
  Kernel kernel;
  kernel.name = "k";
  kernel.range = {0, 0, 1000};
  const Loop k = loopOf("k", std::nullopt, 100), i = loopOf("i", 2, 200),
             j = loopOf("j", shares.tilesN, 300);
  MmaSite mma;
  mma.range = {0, 400, 410};
  mma.name = "mma.m16n8k16.f16";
  mma.m = 16;
  mma.n = 8;
  mma.k = 16;
  mma.typeA = mma.typeB = ptx::Type::F16;
  mma.typeC = mma.typeD = ptx::Type::F32;
  mma.d = mma.c = registersOf("acc", kAcc, 4, {{"i", 2}, {"j", shares.tilesN}});
  mma.a = registersOf("a", kA, 4, {{"i", 2}});
  mma.b = registersOf("b", kB, 2, {{"j", shares.tilesN}});
  mma.loops = {k, i, j};
  LoadSite a, b;
  a.range = {0, 210, 220};
  a.registers = mma.a;
  a.loops = {k, i};
  a.address.dependsOnPair = a.address.usesWarp = !shares.a;
  a.address.loopVariables = {"k", "i"};
  b.range = {0, 310, 320};
  b.registers = mma.b;
  b.loops = {k, j};
  b.transposed = shares.transposedB;
  b.address.dependsOnPair = b.address.usesWarp = !shares.b;
  b.address.loopVariables = {"k", "j"};
  kernel.mmas = {mma};
  kernel.loads = {a, b};
  kernel.quietLoops = {k.range, i.range, j.range};
  return kernel;
}

KernelPlans plansOf(const Kernel &kernel) {
  KernelPlans plans;
  const auto refusal = planKernel(kernel, {}, plans);
  EXPECT_FALSE(refusal) << refusal->reason;
  return plans;
}

const isa::MatrixInstruction &f16Mfma() {
  return **isa::findMatrixInstruction("v_mfma_f32_16x16x16_f16", isa::Arch::Gfx942);
}

TEST(Plan, TheCheapestIsFirstAndTheOrderIsThatOfThePrices) {
  for (const bool a : {false, true})
    for (const bool b : {false, true})
      for (const bool transposed : {false, true}) {
        const Kernel kernel = kernelWith({a, b, transposed, 8});
        const KernelPlans plans = plansOf(kernel);
        ASSERT_FALSE(plans.plans.empty());
        for (size_t i = 1; i < plans.plans.size(); ++i)
          EXPECT_LE(plans.plans[i - 1].total, plans.plans[i].total);
      }
}

TEST(Plan, SharedOperandsDecideTheSide) {
  EXPECT_EQ(plansOf(kernelWith({true, false})).plans[0].products[0].scheme.side, PairSide::Columns);
  EXPECT_EQ(plansOf(kernelWith({false, true})).plans[0].products[0].scheme.side, PairSide::Rows);
  EXPECT_EQ(plansOf(kernelWith({false, false})).plans[0].products[0].scheme.side, PairSide::Apart);
}

TEST(Plan, WhatLiesAlongNIsReadAlongN) {
  EXPECT_TRUE(plansOf(kernelWith({true, false, true})).plans[0].products[0].scheme.turned);
  EXPECT_FALSE(plansOf(kernelWith({true, false, false})).plans[0].products[0].scheme.turned);
}

// Who reads two tiles at once must find what each would have found in its own turn.
TEST(Plan, TilesAreNotReadTogetherWhereMemoryChangesBetweenThem) {
  Kernel kernel = kernelWith({false, true});
  EXPECT_EQ(plansOf(kernel).plans[0].products[0].scheme.tilesTogether(), 4);
  kernel.quietLoops.clear();
  EXPECT_EQ(plansOf(kernel).plans[0].products[0].scheme.tilesTogether(), 1);
}

// Four tiles fill a 32x32 MFMA: along n, or two by two, where the warps share A.
TEST(Plan, FourTilesGoIntoOneLargeMfma) {
  const auto isLarge = [](const Kernel &kernel) {
    return plansOf(kernel).plans[0].products[0].scheme.large;
  };
  EXPECT_TRUE(isLarge(kernelWith({false, true})));
  EXPECT_TRUE(isLarge(kernelWith({true, false})));
  EXPECT_FALSE(isLarge(kernelWith({false, false})));
  EXPECT_FALSE(isLarge(kernelWith({false, true, false, 6})));
  EXPECT_TRUE(isLarge(kernelWith({true, false, false, 6})));
  EXPECT_FALSE(isLarge(kernelWith({true, false, true}))); // B is read along n
}

// Where the warps share A, two m16 tiles are read and multiplied as two n8 tiles are.
TEST(Plan, RowTilesOfALargeMfmaAreAlike) {
  const auto isLarge = [](const Kernel &kernel) {
    return plansOf(kernel).plans[0].products[0].scheme.large;
  };
  Kernel ownB = kernelWith({true, false});
  for (Slot &slot : ownB.mmas[0].b)
    slot.turns = {"i"};
  EXPECT_FALSE(isLarge(ownB));
  Kernel walks = kernelWith({true, false});
  walks.loads[0].address.walksIn = {"i"};
  EXPECT_FALSE(isLarge(walks));
  Kernel three = kernelWith({true, false});
  for (auto *slots : {&three.mmas[0].d, &three.mmas[0].c, &three.mmas[0].a})
    for (Slot &slot : *slots)
      slot.extents[0] = 3;
  three.mmas[0].loops[1].last = three.loads[0].loops[1].last = 3;
  EXPECT_FALSE(isLarge(three));
  Kernel between = kernelWith({true, false});
  FragmentUse use;
  use.declaration = kAcc;
  use.range = use.place = {0, 250, 260}; // in the loop over i
  use.isFill = true;
  between.uses = {use};
  EXPECT_FALSE(isLarge(between));
}

TEST(Plan, TilesWithAnAEachAreNotTakenTogether) {
  Kernel kernel = kernelWith({false, true});
  for (Slot &slot : kernel.mmas[0].a)
    slot.turns = {"i", "j"};
  EXPECT_EQ(plansOf(kernel).plans[0].products[0].scheme.tilesTogether(), 1);
}

TEST(Plan, TilesThatDoNotPairAreBlockedWithTheReason) {
  const KernelPlans plans = plansOf(kernelWith({false, true, false, 1}));
  EXPECT_TRUE(plans.plans[0].products[0].scheme.single);
  ASSERT_FALSE(plans.blocked.empty());
  EXPECT_EQ(plans.blocked[0].why.reason,
            "'acc' has 1 tiles along n, and the two warps of a wave need 2 together");
}

TEST(Plan, AllButTheLastOfAnOddNumberOfTilesPair) {
  const KernelPlans plans = plansOf(kernelWith({false, true, false, 3}));
  EXPECT_TRUE(plans.plans[0].products[0].scheme.odd);
  EXPECT_FALSE(plans.plans[0].products[0].scheme.single);
  ASSERT_FALSE(plans.blocked.empty());
  EXPECT_EQ(plans.blocked[0].why.reason,
            "'acc' has 3 tiles along n, and the two warps of a wave need 2 together");
}

TEST(Plan, TwiceTheSameIsTheSame) {
  const Kernel kernel = kernelWith({false, false, true, 8});
  const KernelPlans one = plansOf(kernel), two = plansOf(kernel);
  ASSERT_EQ(one.plans.size(), two.plans.size());
  for (size_t i = 0; i < one.plans.size(); ++i) {
    EXPECT_EQ(one.plans[i].total, two.plans[i].total);
    EXPECT_EQ(one.plans[i].products[0].scheme.side, two.plans[i].products[0].scheme.side);
    EXPECT_EQ(one.plans[i].products[0].scheme.turned, two.plans[i].products[0].scheme.turned);
  }
}

// ---- prices

Price priceWith(const Kernel &kernel, const Choice &choice, isa::Arch arch) {
  Product product;
  product.d = kAcc;
  product.mmas = {&kernel.mmas[0]};
  product.a = {kA};
  product.b = {kB};
  product.nDim = 1;
  product.nDimB = 0;
  product.scheme = *makeScheme(choice, f16Mfma());
  return Pricer(kernel).price(product, arch);
}

TEST(Price, MfmaClocksAreTheRowsTimesTheTurns) {
  const Kernel kernel = kernelWith({});
  const Price price = priceWith(kernel, {PairSide::Columns}, isa::Arch::Gfx942);
  EXPECT_EQ(price.mfmas, 2 * 4); // i, j; the loop of unknown length once
  EXPECT_EQ(price.mfma, kTurns * 2 * 4 * f16Mfma().cycles(isa::Arch::Gfx942));
}

TEST(Price, ATileByItselfTakesTwiceTheMfmas) {
  const Kernel kernel = kernelWith({false, true});
  Choice single{PairSide::Rows};
  single.single = true;
  EXPECT_EQ(priceWith(kernel, single, isa::Arch::Gfx942).mfma,
            2 * priceWith(kernel, {PairSide::Rows}, isa::Arch::Gfx942).mfma);
}

TEST(Price, ALargeMfmaDoesFourTilesOfBothWarps) {
  const Kernel kernel = kernelWith({false, true});
  Choice large{PairSide::Rows};
  large.large = true;
  const isa::MatrixInstruction &row =
      **isa::findMatrixInstruction("v_mfma_f32_32x32x8_f16", isa::Arch::Gfx942);
  Product product;
  product.d = kAcc;
  product.mmas = {&kernel.mmas[0]};
  product.a = {kA};
  product.b = {kB};
  product.nDim = 1;
  product.nDimB = 0;
  product.scheme = *makeScheme(large, row);
  Pricer pricer(kernel);
  EXPECT_EQ(pricer.price(product, isa::Arch::Gfx942).mfmas, 2 * 4 / 4 * 2);
  EXPECT_EQ(pricer.price(product, isa::Arch::Gfx950).mfmas, 2 * 4 / 4);
  EXPECT_EQ(pricer.price(product, isa::Arch::Gfx942).reads, 2 + 4 / 4);
}

TEST(Price, Gfx950NeedsHalfTheInstructionsForTwiceTheDepth) {
  const Kernel kernel = kernelWith({});
  Choice deep{PairSide::Columns};
  deep.deep = true;
  // Without a loop to halve: twice the words of k in each product.
  EXPECT_EQ(priceWith(kernel, deep, isa::Arch::Gfx942).mfmas, 2 * 2 * 4);
  EXPECT_EQ(priceWith(kernel, deep, isa::Arch::Gfx950).mfmas, 2 * 4);
}

TEST(Price, OneReadATileAndWhoeverSharesNothingReadsAForBothWarps) {
  const Kernel kernel = kernelWith({});
  EXPECT_EQ(priceWith(kernel, {PairSide::Columns}, isa::Arch::Gfx942).reads, 2 + 4);
  EXPECT_EQ(priceWith(kernelWith({false, false}), {PairSide::Apart}, isa::Arch::Gfx942).reads,
            2 * 2 + 4);
}

TEST(Price, OperandsAcrossKAreReadElementByElementOrForFourTilesAtOnce) {
  Kernel kernel = kernelWith({true, false, true});
  const Price narrow = priceWith(kernel, {PairSide::Columns}, isa::Arch::Gfx942);
  Choice turned{PairSide::Columns};
  turned.turned = true;
  const Price wide = priceWith(kernel, turned, isa::Arch::Gfx942);
  EXPECT_EQ(narrow.reads, 2 + 4 * 4);
  EXPECT_EQ(wide.reads, 2 + 4);
  EXPECT_LT(wide.lds, narrow.lds);
}

TEST(Price, SumsThatStayCostNoConversion) {
  const Kernel kernel = kernelWith({});
  Product product;
  product.d = kAcc;
  product.mmas = {&kernel.mmas[0]};
  product.a = {kA};
  product.b = {kB};
  product.scheme = *makeScheme({PairSide::Columns}, f16Mfma());
  Pricer pricer(kernel);
  const Price moved = pricer.price(product, isa::Arch::Gfx942);
  const Epilogue epilogue;
  product.epilogue = &epilogue;
  const Price stays = pricer.price(product, isa::Arch::Gfx942);
  EXPECT_GT(moved.once, stays.once);
  EXPECT_EQ(moved.mfma, stays.mfma);
}

TEST(Price, UnknownAddressesAreSaidToBeUnknown) {
  EXPECT_FALSE(priceWith(kernelWith({}), {PairSide::Columns}, isa::Arch::Gfx942).knowsBanks);
}

// A row of `stride` bytes a lane: offset = stride * lane.
std::shared_ptr<const LanePlaces> rowsOf(uint64_t stride) {
  recover::NumericForm form;
  form.kind = recover::FormKind::Table;
  form.inputs = {0, 1};
  form.dims = {{"lane", 5}, {"pair", 1}};
  std::vector<uint64_t> table;
  for (uint64_t flat = 0; flat < 64; ++flat)
    table.push_back(stride * (flat % 32));
  form.table = std::make_shared<const std::vector<uint64_t>>(table);
  return std::make_shared<LanePlaces>(form, 0, 1);
}

TEST(Price, BankConflictsAreCountedAtThePlansOwnAddresses) {
  Kernel padded = kernelWith({}), plain = kernelWith({});
  for (LoadSite &load : padded.loads)
    load.places = rowsOf(80); // 16 bytes of padding behind each 64
  for (LoadSite &load : plain.loads)
    load.places = rowsOf(128);
  const Price free = priceWith(padded, {PairSide::Columns}, isa::Arch::Gfx942);
  const Price bad = priceWith(plain, {PairSide::Columns}, isa::Arch::Gfx942);
  EXPECT_TRUE(free.knowsBanks && bad.knowsBanks);
  EXPECT_EQ(free.reads, bad.reads);
  EXPECT_GT(bad.passes, free.passes);
  EXPECT_GT(bad.lds, free.lds);
}

} // namespace
