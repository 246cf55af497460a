// See TierSearch.h.
#include "commands/TierSearch.h"

#include "llvm/ADT/STLExtras.h"

#include <numeric>

namespace layout_port {
namespace {

Tier below(Tier tier) {
  return tier >= Tier::Emulated ? tier : static_cast<Tier>(static_cast<int>(tier) + 1);
}

class Search {
public:
  Search(const std::vector<SearchSite> &sites, const Trial &refuted, const Judge &judge,
         unsigned most)
      : sites_(sites), base_(refuted), judge_(judge), most_(most) {}

  SearchResult run() {
    result_.caps = base_.caps;
    if (!bySiteTiers() && !byRemoval())
      leaveAll();
    return std::move(result_);
  }

private:
  using Set = std::set<size_t>; // of indices into sites_

  bool holds(const Trial &trial) {
    ++result_.proofs;
    return judge_(trial);
  }
  bool spent() const { return result_.proofs >= most_; }

  // The fewest sites whose change turns the verdict, given that all of them do.
  // `with` makes the trial in which a set is changed. Empty: the proofs ran out.
  template <class With> Set fewest(const std::vector<size_t> &candidates, With with) {
    Set found;
    while (found.empty() || !holds(with(found))) {
      size_t low = 0, high = candidates.size(); // prefix of low does not do, of high does
      while (high - low > 1) {
        if (spent())
          return {};
        const size_t middle = (low + high) / 2;
        Set tried = found;
        tried.insert(candidates.begin(), candidates.begin() + std::ptrdiff_t(middle));
        (holds(with(tried)) ? high : low) = middle;
      }
      if (spent() || !found.insert(candidates[low]).second)
        return {};
    }
    return found;
  }

  // Tiers, all together, then the fewest. False: even the lowest are refuted.
  bool bySiteTiers() {
    std::vector<Tier> tiers;
    for (const SearchSite &site : sites_)
      tiers.push_back(site.tier);
    for (;;) {
      std::vector<size_t> lower;
      std::vector<Tier> next = tiers;
      for (size_t i = 0; i < sites_.size(); ++i) {
        next[i] = below(tiers[i]);
        if (next[i] != sites_[i].tier)
          lower.push_back(i);
      }
      if (next == tiers || spent())
        return false;
      tiers = next;
      const auto with = [&](const Set &set) {
        Trial trial = base_;
        for (const size_t i : set)
          trial.caps.sites[sites_[i].place] = tiers[i];
        return trial;
      };
      if (!holds(with(Set(lower.begin(), lower.end()))))
        continue;
      Set blamed = fewest(lower, with);
      if (blamed.empty()) // proofs ran out: what is known to hold
        blamed.insert(lower.begin(), lower.end());
      for (const size_t i : blamed)
        drop(i, tiers[i]);
      return result_.settled = true;
    }
  }

  // False: removing all of them does not do either, or cannot be tried.
  bool byRemoval() {
    std::vector<size_t> all(sites_.size());
    std::iota(all.begin(), all.end(), size_t(0));
    const auto without = [&](const Set &set) {
      Trial trial = base_;
      trial.caps = result_.caps;
      for (const size_t i : set)
        trial.removed.insert(sites_[i].place);
      return trial;
    };
    if (all.empty() || spent() || !holds(without(Set(all.begin(), all.end()))))
      return false;
    const Set blamed = fewest(all, without);
    if (blamed.empty())
      return false;
    Set removed = blamed;
    for (const size_t i : blamed) {
      removed.erase(i);
      bool saved = false;
      for (Tier tier = below(sites_[i].tier), last = sites_[i].tier; tier != last && !saved;
           last = tier, tier = below(tier)) {
        Trial trial = without(removed);
        trial.caps.sites[sites_[i].place] = tier;
        saved = !spent() && holds(trial);
        if (saved)
          drop(i, tier);
      }
      if (saved)
        continue;
      removed.insert(i);
      leave(i);
    }
    return result_.settled = true;
  }

  void leaveAll() {
    for (size_t i = 0; i < sites_.size(); ++i)
      leave(i);
    result_.dropped.clear();
  }
  void drop(size_t i, Tier tier) {
    result_.caps.sites[sites_[i].place] = tier;
    result_.dropped.push_back(sites_[i].place);
  }
  void leave(size_t i) {
    result_.caps.sites[sites_[i].place] = Tier::Manual;
    result_.manual.push_back(sites_[i].place);
  }

  const std::vector<SearchSite> &sites_;
  const Trial &base_;
  const Judge &judge_;
  unsigned most_;
  SearchResult result_;
};

} // namespace

SearchResult searchTiers(const std::vector<SearchSite> &sites, const Trial &refuted,
                         const Judge &holds, unsigned most) {
  return Search(sites, refuted, holds, most).run();
}

} // namespace layout_port
