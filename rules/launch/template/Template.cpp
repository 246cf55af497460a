// A member template of an object or type that depends on template parameters: nvcc takes it without
// `template`, clang reads the angle brackets as comparisons.
//
//   offset = tile.row<16>(offset);   ──▶   offset = tile.template row<16>(offset);
//   x = Op::by<2>(x);                ──▶   x = Op::template by<2>(x);
//
// https://eel.is/c++draft/temp.names#6. The parser says where the type is dependent.
#include "source/Match.h"

namespace layout_port {

namespace {

class TemplateRule : public Rule {
public:
  llvm::StringRef name() const override { return "launch-template"; }

  void match(const Program &program, std::vector<Site> &sites) const override {
    forEachIdentifier(program, [&](unsigned f, const SourceFile &file, size_t i) {
      const unsigned begin = file.tokens[i].offset;
      if (!program.facts.withoutTemplate.count({f, begin}))
        return;
      Site site = siteAt(file, f, i, i + 1, name(), file.tokens.spelling(i), Tier::Renamed,
                         "clang wants 'template' before a member template of a dependent type");
      site.edits.push_back({f, begin, 0, "template "});
      sites.push_back(site);
    });
  }
};

} // namespace

std::unique_ptr<Rule> makeTemplateRule() { return std::make_unique<TemplateRule>(); }

} // namespace layout_port
