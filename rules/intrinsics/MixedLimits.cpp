// min and max of two integers of different types. CUDA has a function for each pair, which
// compares in the type of the result; HIP's template for mixed types compares as doubles and
// gives one.
//
//   int i; unsigned n;
//   x[min(i, n)]   ──▶  x[lp::min<unsigned int>(i, n)]
//
// https://docs.nvidia.com/cuda/cuda-math-api/cuda_math_api/group__CUDA__MATH__INT.html
#include "source/Match.h"

namespace layout_port {

namespace {

class MixedLimitsRule : public Rule {
public:
  llvm::StringRef name() const override { return "intrinsics"; }

  void match(const Program &program, std::vector<Site> &sites) const override {
    forEachIdentifier(program, [&](unsigned f, const SourceFile &file, size_t i) {
      const llvm::StringRef function = file.tokens.spelling(i);
      if (function != "min" && function != "max")
        return;
      const auto types = program.facts.shuffleTypes.find({f, file.tokens[i].offset});
      if (types == program.facts.shuffleTypes.end())
        return;
      Site site =
          siteAt(file, f, i, i + 1, name(), function, Tier::Emulated,
                 "in the type that CUDA compares in: HIP's, of two types, compares doubles");
      if (types->second.size() > 1) {
        site.tier = Tier::Manual;
        site.reason = "the types that " + function.str() +
                      " compares differ between instantiations: cast the arguments to one type";
        sites.push_back(std::move(site));
        return;
      }
      site.edits.push_back({f, site.begin, site.end - site.begin,
                            "lp::" + function.str() + "<" + *types->second.begin() + ">"});
      site.runtime = {"limits"};
      sites.push_back(std::move(site));
    });
  }
};

} // namespace

std::unique_ptr<Rule> makeMixedLimitsRule() { return std::make_unique<MixedLimitsRule>(); }

} // namespace layout_port
