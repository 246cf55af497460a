// The carry analysis against the definition: try every input.
#include "RandomLayouts.h"
#include "layout_port/layouts/Strided.h"

#include <gtest/gtest.h>

using namespace layout_port;

// Strides as they occur: powers of two, rows with padding, anything, negative ones.
static int64_t randomStride(RandomLayouts &random) {
  const int64_t power = int64_t(1) << random.below(8);
  switch (random.below(4)) {
  case 0:
    return power;
  case 1:
    return power + (int64_t(1) << random.below(8));
  case 2:
    return -power;
  default:
    return static_cast<int64_t>(random.below(100)) - 20;
  }
}

static StridedMap randomMap(RandomLayouts &random) {
  StridedMap map;
  for (uint64_t f = 0, count = 1 + random.below(3); f < count; ++f) {
    const std::string name = "f" + std::to_string(f);
    const int bits = static_cast<int>(random.below(4));
    map.fields.push_back(random.below(4) ? StridedField::ofStride(name, bits, randomStride(random))
                                         : StridedField::padded(name, bits, randomStride(random),
                                                                uint64_t(1) << random.below(3),
                                                                randomStride(random)));
  }
  map.base = random.coin() ? 0 : random.below(300);
  map.width = random.coin() ? 64 : 1 + static_cast<int>(random.below(12));
  return map;
}

TEST(Strided, VerdictsAgreeWithTrial) {
  uint64_t affine = 0;
  for (uint64_t seed = 0; seed < 100000; ++seed) {
    RandomLayouts random(seed);
    const StridedMap map = randomMap(random);
    const int bits = RandomLayouts::total(map.dims());
    const Result<AffineFit> fit = stridedToAffine(map, "o");
    ASSERT_TRUE(fit) << fit.error().message << ", seed " << seed;
    const Result<AffineFit> trial =
        fitAffine(map.dims(), {"o", 64}, [&](uint64_t x) { return map.apply(x); });
    ASSERT_TRUE(trial);
    ASSERT_EQ(bool(*fit), bool(*trial)) << "seed " << seed;
    if (*fit) {
      ++affine;
      for (uint64_t x = 0; x < uint64_t(1) << bits; ++x)
        ASSERT_EQ(fit->affine->apply(x), map.apply(x)) << "seed " << seed;
      continue;
    }
    for (const AffineCounterexample &c : {*fit->counterexample, *trial->counterexample}) {
      ASSERT_EQ(c.a & c.b, 0u);
      ASSERT_NE(map.apply(0) ^ map.apply(c.a) ^ map.apply(c.b) ^ map.apply(c.a | c.b), 0u)
          << "seed " << seed;
    }
  }
  EXPECT_GT(affine, 10000u) << "both verdicts occur often";
  EXPECT_LT(affine, 90000u);
}
