// The search for the sites that make a port wrong, over faults that are known.
#include "commands/TierSearch.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

using namespace layout_port;

namespace {

// n sites, some of which are wrong at and above a tier; Manual: at every tier.
class World {
public:
  explicit World(std::vector<Tier> tiers) {
    for (size_t i = 0; i < tiers.size(); ++i)
      sites.push_back({{0, unsigned(100 * i)}, tiers[i]});
    rightFrom.assign(tiers.size(), Tier::Native);
  }
  SearchResult search(unsigned most = 40) {
    return searchTiers(sites, Trial(), [&](const Trial &trial) { return holds(trial); }, most);
  }
  bool holds(const Trial &trial) const {
    for (size_t i = 0; i < sites.size(); ++i) {
      const Tier tier =
          std::max(sites[i].tier, trial.caps.at(sites[i].place.first, sites[i].place.second));
      if (!trial.removed.count(sites[i].place) && tier < rightFrom[i])
        return false;
    }
    return true;
  }
  Tier capOf(const SearchResult &result, size_t i) const {
    return result.caps.at(sites[i].place.first, sites[i].place.second);
  }

  std::vector<SearchSite> sites;
  std::vector<Tier> rightFrom; // the best tier at which the site is right
};

} // namespace

TEST(TierSearch, OneWrongSiteDropsAlone) {
  World world(std::vector<Tier>(16, Tier::Bridged));
  world.rightFrom[11] = Tier::Emulated;
  const SearchResult result = world.search();
  EXPECT_TRUE(result.settled);
  EXPECT_EQ(result.dropped, std::vector<SitePlace>{world.sites[11].place});
  EXPECT_TRUE(result.manual.empty());
  EXPECT_EQ(result.caps.sites.size(), 1u);
  EXPECT_LE(result.proofs, 1u + 4u + 1u) << "1 + log2 16 + the last one";
}

TEST(TierSearch, ANativeSiteDropsNoFurtherThanItMust) {
  World world({Tier::Native, Tier::Native, Tier::Emulated});
  world.rightFrom[1] = Tier::Bridged;
  SearchResult result = world.search();
  EXPECT_EQ(world.capOf(result, 1), Tier::Bridged);
  EXPECT_EQ(result.caps.sites.size(), 1u);
  world.rightFrom[1] = Tier::Emulated;
  result = world.search();
  EXPECT_EQ(world.capOf(result, 1), Tier::Emulated);
  EXPECT_EQ(result.caps.sites.size(), 1u);
}

TEST(TierSearch, WithoutARightTierASiteIsLeftToAPerson) {
  World world({Tier::Bridged, Tier::Emulated, Tier::Emulated, Tier::Bridged});
  world.rightFrom[2] = Tier::Manual;
  const SearchResult result = world.search();
  EXPECT_TRUE(result.settled);
  EXPECT_EQ(result.manual, std::vector<SitePlace>{world.sites[2].place});
  EXPECT_TRUE(result.dropped.empty());
}

TEST(TierSearch, WrongInBothTiersIsManualAndWrongInOneDrops) {
  World world({Tier::Bridged, Tier::Bridged, Tier::Emulated, Tier::Bridged});
  world.rightFrom[0] = Tier::Emulated;
  world.rightFrom[3] = Tier::Manual;
  const SearchResult result = world.search();
  EXPECT_EQ(result.dropped, std::vector<SitePlace>{world.sites[0].place});
  EXPECT_EQ(result.manual, std::vector<SitePlace>{world.sites[3].place});
}

TEST(TierSearch, WhatNoSiteExplainsIsLeftWhole) {
  World world(std::vector<Tier>(3, Tier::Bridged));
  const SearchResult result =
      searchTiers(world.sites, Trial(), [](const Trial &) { return false; });
  EXPECT_FALSE(result.settled);
  EXPECT_EQ(result.manual.size(), 3u);
  EXPECT_FALSE(searchTiers({}, Trial(), [](const Trial &) { return false; }).settled);
}

TEST(TierSearch, EveryWorldEndsRight) {
  const unsigned seed = 20240613;
  std::mt19937 random(seed);
  const Tier tiers[] = {Tier::Native, Tier::Bridged, Tier::Emulated};
  for (int round = 0; round < 2000; ++round) {
    std::vector<Tier> own;
    for (unsigned i = 0, n = 1 + random() % 12; i < n; ++i)
      own.push_back(tiers[random() % 3]);
    World world(own);
    for (unsigned faults = 1 + random() % 3; faults; --faults) {
      const Tier worse[] = {Tier::Bridged, Tier::Emulated, Tier::Manual};
      world.rightFrom[random() % own.size()] = worse[random() % 3];
    }
    if (world.holds(Trial()))
      continue;
    const SearchResult result = world.search(12 + random() % 60);
    // What is left is right, whether the search had proofs enough or not.
    Trial final;
    final.caps = result.caps;
    for (const SitePlace &place : result.manual)
      final.removed.insert(place);
    ASSERT_TRUE(world.holds(final)) << "seed " << seed << " round " << round;
  }
}

TEST(TierSearch, NoSiteDropsWithoutNeed) {
  const unsigned seed = 20240614;
  std::mt19937 random(seed);
  for (int round = 0; round < 500; ++round) {
    World world(std::vector<Tier>(1 + random() % 30, Tier::Bridged));
    std::set<SitePlace> wrong;
    for (unsigned faults = 1 + random() % 3; faults; --faults) {
      const size_t i = random() % world.sites.size();
      world.rightFrom[i] = Tier::Emulated;
      wrong.insert(world.sites[i].place);
    }
    const SearchResult result = world.search();
    ASSERT_EQ(std::set<SitePlace>(result.dropped.begin(), result.dropped.end()), wrong)
        << "seed " << seed << " round " << round;
  }
}
