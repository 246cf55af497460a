// Device functions of CUDA's headers that HIP lacks or means otherwise, and that one
// function of the device runtime replaces:
//
//   __dp4a(a, b, c)   ──▶  lp::dp4a(a, b, c)
//   __ldcg(p)         ──▶  lp::ldcg(p)
//   __vsubss4(a, b)   ──▶  lp::vsubss4(a, b)
//
// The name without its underscores is the function's; the tables of rules/rename say
// which names need one (DeviceRuntime), and rules/device has those that exist. Names
// that other rules port (shuffles, votes, pipelines, ...) are theirs.
#include "device/Runtime.h"
#include "rename/Tables.h"
#include "source/Match.h"

namespace layout_port {

namespace {

class IntrinsicsRule : public Rule {
public:
  IntrinsicsRule() {
    for (const RuntimeChunk &chunk : deviceRuntime())
      if (llvm::StringRef(chunk.name).starts_with("cuda_"))
        chunks_.insert(chunk.name);
  }

  llvm::StringRef name() const override { return "intrinsics"; }

  void match(const Program &program, std::vector<Site> &sites) const override {
    forEachIdentifier(program, [&](unsigned f, const SourceFile &file, size_t i) {
      const llvm::StringRef spelled = file.tokens.spelling(i);
      const std::string function = spelled.ltrim('_').str();
      if (!chunks_.count("cuda_" + function) || program.facts.userNames.count(spelled.str()) ||
          isMember(file.tokens, i) || !needsRuntime(spelled))
        return;
      sites.push_back(port(f, file, i, function));
    });
  }

private:
  static bool needsRuntime(llvm::StringRef spelled) {
    const rename::Name *row = rename::lookup(spelled);
    return row && row->support == rename::Support::DeviceRuntime;
  }
  static bool isMember(const TokenStream &tokens, size_t i) {
    return i > 0 && (tokens.is(i - 1, ".") || tokens.is(i - 1, "->"));
  }

  Site port(unsigned f, const SourceFile &file, size_t i, const std::string &function) const {
    Site site = siteAt(file, f, i, i + 1, name(), file.tokens.spelling(i), Tier::Emulated,
                       "a function of the device runtime of the same meaning");
    site.edits.push_back({f, site.begin, site.end - site.begin, "lp::" + function});
    site.runtime = {"cuda_" + function};
    return site;
  }

  std::set<std::string> chunks_;
};

} // namespace

std::unique_ptr<Rule> makeIntrinsicsRule() { return std::make_unique<IntrinsicsRule>(); }

} // namespace layout_port
