// Which sites of a refuted port are to blame, and how far each must drop.
//
// A proof judges a whole port; only trials tell its sites apart. Two kinds:
//
//   drop    a site takes its next lower tier, the others stay
//   remove  a site is taken out of the source *and* of the port (its results become
//           the same numbers on both sides), the others stay
//
// First, drop. All sites that have a lower tier drop together, tier by tier, until the
// port is not refuted any more; then the fewest that must drop are found:
//
//   sites        a b c d e f g h      dropped so far  prefix -> refuted?
//   all dropped  holds                {}              abcd holds, ab refuted, abc refuted
//                                     {d}             {d} alone holds: done
//
// A prefix is halved until the site that turns the verdict is known, which is kept
// dropped; then the same for what is left. k sites of n cost k (1 + log2 n) + 1 proofs.
//
// If the lowest tier of everything is refuted too, some site has no right tier. Then
// the same search removes sites instead of dropping them. Each site found takes the
// best lower tier that is not refuted while the rest of them are still removed, or is
// left to a person.
#pragma once

#include "Rule.h"

#include <functional>
#include <set>
#include <vector>

namespace layout_port {

using SitePlace = std::pair<unsigned, unsigned>; // file, offset

struct SearchSite {
  SitePlace place;
  Tier tier = Tier::Emulated; // as it was ported
};

// A port to try: caps, and the sites that are removed on both sides.
struct Trial {
  PortCaps caps;
  std::set<SitePlace> removed;
};

// True: the trial holds, as far as it can be told.
using Judge = std::function<bool(const Trial &)>;

struct SearchResult {
  PortCaps caps; // the caps to port with; Tier::Manual for what is left to a person
  std::vector<SitePlace> dropped, manual;
  unsigned proofs = 0;
  bool settled = false; // false: no set of sites was found, and all are left to a person
};

// `refuted` is the trial that began it: its caps are kept, and what it removes stays
// removed. `most`: how many proofs may be spent.
SearchResult searchTiers(const std::vector<SearchSite> &sites, const Trial &refuted,
                         const Judge &holds, unsigned most = 40);

} // namespace layout_port
