// `__restrict__` on what is no pointer: nvcc takes it, clang does not.
//
//   __global__ void k(float *__restrict__ p, int __restrict__ n)
//                                            ──▶  ..., int n)
//
// The parser says where (a typedef may well be a pointer), so only code that is
// compiled is touched.
#include "source/Match.h"

namespace layout_port {

namespace {

class RestrictRule : public Rule {
public:
  llvm::StringRef name() const override { return "launch-restrict"; }

  void match(const Program &program, std::vector<Site> &sites) const override {
    forEachIdentifier(program, [&](unsigned f, const SourceFile &file, size_t i) {
      const TokenStream &tokens = file.tokens;
      if (!program.facts.restrictOnValue.count({f, tokens[i].offset}) || tokens[i].directive >= 0)
        return;
      Site site = siteAt(file, f, i, i + 1, name(), tokens.spelling(i), Tier::Renamed,
                         "clang takes it on pointers only; on a value it says nothing");
      const bool blank = site.end < file.text().size() && file.text()[site.end] == ' ';
      site.edits.push_back({f, site.begin, site.end - site.begin + blank, ""});
      sites.push_back(site);
    });
  }
};

} // namespace

std::unique_ptr<Rule> makeRestrictRule() { return std::make_unique<RestrictRule>(); }

} // namespace layout_port
