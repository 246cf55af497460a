// Votes, masks and warp barriers of a 32-lane warp inside a 64-lane wave.
//
//   __ballot_sync(m, p)   ──▶  lp::ballot_sync(m, p)     this warp's 32 bits of the wave's ballot
//   __any_sync(m, p)      ──▶  lp::any_sync(m, p)
//   __all_sync(m, p)      ──▶  lp::all_sync(m, p)
//   __activemask()        ──▶  lp::activemask()
//   __match_any_sync(m, v) ─▶  lp::match_any_sync(m, v)
//   __reduce_add_sync(m, v) ▶  lp::reduce_add_sync(m, v)
//   __syncwarp()          ──▶  lp::syncwarp()
//
// Masks stay what the author wrote, 32-bit masks of a logical warp: the device
// runtime shifts the wave's 64 bits down by the half.
// https://docs.nvidia.com/cuda/cuda-c-programming-guide/#warp-vote-functions
#include "source/Match.h"

namespace layout_port {

namespace {

struct VoteRow {
  llvm::StringRef cuda;
  llvm::StringRef runtime; // chunk and function name in lp::
};

constexpr VoteRow voteRows[] = {
    {"__ballot_sync", "ballot_sync"},
    {"__any_sync", "any_sync"},
    {"__all_sync", "all_sync"},
    {"__ballot", "ballot"},
    {"__any", "any"},
    {"__all", "all"},
    {"__activemask", "activemask"},
    {"__syncwarp", "syncwarp"},
    {"__uni_sync", "uni_sync"},
    {"__fns", "fns"},
    {"__match_any_sync", "match_any_sync"},
    {"__match_all_sync", "match_all_sync"},
    {"__reduce_add_sync", "reduce_add_sync"},
    {"__reduce_min_sync", "reduce_min_sync"},
    {"__reduce_max_sync", "reduce_max_sync"},
    {"__reduce_and_sync", "reduce_and_sync"},
    {"__reduce_or_sync", "reduce_or_sync"},
    {"__reduce_xor_sync", "reduce_xor_sync"},
};

class VoteRule : public Rule {
public:
  llvm::StringRef name() const override { return "warp-vote"; }

  void match(const Program &program, std::vector<Site> &sites) const override {
    forEachIdentifier(program, [&](unsigned f, const SourceFile &file, size_t i) {
      for (const VoteRow &row : voteRows)
        if (isCallOf(file.tokens, i, row.cuda))
          sites.push_back(port(f, file, i, row));
    });
  }

private:
  Site port(unsigned f, const SourceFile &file, size_t i, const VoteRow &row) const {
    Site site = siteAt(file, f, i, i + 1, name(), row.cuda, Tier::Emulated,
                       "this warp's half of the 64-lane wave");
    site.edits.push_back(
        {f, file.tokens[i].offset, file.tokens[i].length, "lp::" + row.runtime.str()});
    site.runtime = {row.runtime.str()};
    return site;
  }
};

// warpSize is 64 in HIP on CDNA; the ported code still thinks in warps of 32.
class WarpSizeRule : public Rule {
public:
  llvm::StringRef name() const override { return "warp-size"; }

  void match(const Program &program, std::vector<Site> &sites) const override {
    forEachIdentifier(program, [&](unsigned f, const SourceFile &file, size_t i) {
      if (file.tokens.is(i, "warpSize") && !program.facts.userNames.count("warpSize"))
        sites.push_back(port(f, file, i));
    });
  }

private:
  // `warpSize`, and `prop.warpSize` / `prop->warpSize` of a device property.
  Site port(unsigned f, const SourceFile &file, size_t i) const {
    const TokenStream &tokens = file.tokens;
    size_t first = i;
    if (i >= 2 && (tokens.is(i - 1, ".") || tokens.is(i - 1, "->")))
      first = i - 2;
    Site site = siteAt(file, f, first, i + 1, name(), "warpSize", Tier::Emulated,
                       "a logical warp keeps its 32 lanes; HIP's warpSize is 64 here");
    if (first != i && tokens[first].kind != clang::tok::raw_identifier) {
      site.tier = Tier::Manual;
      site.reason = "cannot tell which device property this reads; a logical warp has 32 lanes";
      return site;
    }
    if (tokens.is(i + 1, "=") && first != i) {
      site.tier = Tier::Manual;
      site.reason = "assigns to the warp size";
      return site;
    }
    site.edits.push_back({f, site.begin, site.end - site.begin,
                          "32 /* " + file.text().slice(site.begin, site.end).str() + " */"});
    return site;
  }
};

} // namespace

std::unique_ptr<Rule> makeVoteRule() { return std::make_unique<VoteRule>(); }
std::unique_ptr<Rule> makeWarpSizeRule() { return std::make_unique<WarpSizeRule>(); }

} // namespace layout_port
