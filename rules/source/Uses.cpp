#include "source/Uses.h"

#include "source/Manual.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace layout_port {

namespace {

// The ranges that are left to a person, none of which lies in another.
class ManualRanges {
public:
  explicit ManualRanges(const std::vector<Site> &sites) {
    for (const Site &site : sites)
      if (site.tier == Tier::Manual)
        sites_[{site.file, site.begin}] = &site;
  }

  const Site *around(Place place) const {
    const auto next = sites_.upper_bound(place);
    if (next == sites_.begin())
      return nullptr;
    const Site *site = std::prev(next)->second;
    return site->file == place.first && place.second < site->end ? site : nullptr;
  }

private:
  std::map<Place, const Site *> sites_;
};

// The name at `begin`.
llvm::StringRef nameAt(const SourceFile &file, unsigned begin) {
  return file.text().substr(begin).take_while(
      [](char c) { return llvm::isAlnum(c) || c == '_' || c == '$'; });
}

} // namespace

std::vector<Site> dependents(const Program &program, const Uses &uses,
                             const std::vector<Site> &sites) {
  const ManualRanges ranges(sites);
  std::vector<Site> made;
  for (const auto &[use, declaration] : uses) {
    const Site *removed = ranges.around(declaration);
    if (!removed || removed->unreached || ranges.around(use))
      continue;
    const SourceFile &file = program.file(use.first);
    const llvm::StringRef name = nameAt(file, use.second);
    if (name.empty())
      continue;
    unsigned line = 0, column = 0;
    program.file(declaration.first).tokens.lineAndColumn(declaration.second, line, column);
    Site site;
    site.file = use.first;
    site.begin = use.second;
    site.end = use.second + static_cast<unsigned>(name.size());
    site.rule = removed->rule;
    site.construct = name.str();
    site.reason =
        "'" + name.str() + "' is declared in line " + std::to_string(line) +
        (use.first == declaration.first ? "" : " of " + program.file(declaration.first).path) +
        ", which is left to a person";
    makeManual(program, site);
    made.push_back(std::move(site));
  }
  return made;
}

} // namespace layout_port
