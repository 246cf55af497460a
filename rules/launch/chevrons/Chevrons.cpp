// A launch whose brackets hold a blank: nvcc takes it, clang does not.
//
//   k << <grid, block >> >(x);   ──▶   k <<<grid, block >>>(x);
#include "source/Chevrons.h"
#include "source/Match.h"

namespace layout_port {

namespace {

class ChevronsRule : public Rule {
public:
  llvm::StringRef name() const override { return "launch-chevrons"; }

  void match(const Program &program, std::vector<Site> &sites) const override {
    for (unsigned f = 0; f < program.files.size(); ++f) {
      const SourceFile &file = program.file(f);
      for (const BlankedChevrons &chevrons : findBlankedChevrons(file.tokens)) {
        Site site = siteAt(file, f, chevrons.token, chevrons.token + 2, name(), chevrons.joined,
                           Tier::Renamed, "clang takes no blank in a launch's brackets");
        site.edits.push_back(
            {f, chevrons.begin, chevrons.end - chevrons.begin, chevrons.joined.str()});
        sites.push_back(std::move(site));
      }
    }
  }
};

} // namespace

std::unique_ptr<Rule> makeChevronsRule() { return std::make_unique<ChevronsRule>(); }

} // namespace layout_port
