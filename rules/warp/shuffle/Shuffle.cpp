// __shfl*_sync and the pre-Volta __shfl*: moves inside a 32-lane warp.
//
//   __shfl_xor_sync(mask, v, 1)      ──▶  __shfl_xor(v, 1, 32)
//   __shfl_sync(mask, v, src, 8)     ──▶  __shfl(v, src, 8)
//
// The default width of HIP's shuffles is the wave, 64 lanes, so every shuffle
// names its width: 32 where the author named none. The mask goes: lanes of an
// AMD wave are in step, a 32-bit mask cannot speak of a 64-lane wave, and the
// *_sync forms are missing before ROCm 6.2. Types that HIP's shuffles do not
// take go through lp::shfl, which moves any trivially copyable value in words.
// https://docs.nvidia.com/cuda/cuda-c-programming-guide/#warp-shuffle-functions
#include "source/Match.h"

#include "llvm/ADT/StringSwitch.h"

using namespace clang;

namespace layout_port {

namespace {

struct ShuffleName {
  llvm::StringRef base; // "__shfl_xor"; empty when this is no shuffle
  bool sync = false;
};

ShuffleName parseName(llvm::StringRef name) {
  ShuffleName result;
  result.sync = name.ends_with("_sync");
  const llvm::StringRef base = result.sync ? name.drop_back(5) : name;
  result.base = llvm::StringSwitch<llvm::StringRef>(base)
                    .Cases({"__shfl", "__shfl_up", "__shfl_down", "__shfl_xor"}, base)
                    .Default("");
  return result;
}

// The types HIP's own __shfl overloads take without a conversion.
bool hipShuffles(llvm::StringRef type) {
  return llvm::StringSwitch<bool>(type)
      .Cases({"int", "unsigned int", "float", "double"}, true)
      .Cases({"long", "unsigned long", "long long", "unsigned long long"}, true)
      .Default(false);
}

bool allHipTypes(const Program &program, Place place) {
  const auto it = program.facts.shuffleTypes.find(place);
  if (it == program.facts.shuffleTypes.end())
    return true; // never expanded or instantiated: the plain name is the best guess
  for (const std::string &type : it->second)
    if (!hipShuffles(type))
      return false;
  return true;
}

class ShuffleRule : public Rule {
public:
  llvm::StringRef name() const override { return "warp-shuffle"; }

  void match(const Program &program, std::vector<Site> &sites) const override {
    forEachIdentifier(program, [&](unsigned f, const SourceFile &file, size_t i) {
      const ShuffleName shuffle = parseName(file.tokens.spelling(i));
      if (!shuffle.base.empty())
        sites.push_back(port(program, f, file, i, shuffle));
    });
  }

private:
  Site port(const Program &program, unsigned f, const SourceFile &file, size_t i,
            const ShuffleName &shuffle) const {
    const TokenStream &tokens = file.tokens;
    const llvm::StringRef spelled = tokens.spelling(i);
    std::vector<TokenStream::Range> args;
    size_t close = i;
    Site site = siteAt(file, f, i, i + 1, name(), spelled, Tier::Manual, "");
    if (!tokens.callArguments(i + 1, args, close)) {
      site.reason = "a shuffle that is not called here: name its width of 32 by hand";
      return site;
    }
    site.end = tokens[close].end();
    const size_t first = shuffle.sync ? 1 : 0;
    if (args.size() < first + 2 || args.size() > first + 3) {
      site.reason = "cannot tell value, lane and width of this shuffle apart";
      return site;
    }
    if (shuffle.sync && hasSideEffects(tokens.textOf(args[0]))) {
      site.reason = "the mask expression has a side effect that would be lost";
      return site;
    }
    const bool hasWidth = args.size() == first + 3;
    const bool hip = allHipTypes(program, {f, tokens[i].offset});
    const std::string target =
        hip ? shuffle.base.str() : "lp::" + shuffle.base.drop_front(2).str();
    site.tier = Tier::Emulated;
    site.reason = hasWidth ? "the author's width kept" : "32 of 64 lanes: width 32 named";
    if (!hip)
      site.runtime = {"shfl"};
    if (!shuffle.sync && hasWidth && hip) {
      site.reason = "already names its width";
      return site;
    }
    addEdits(tokens, f, i, args, close, shuffle.sync, hasWidth, target, site);
    return site;
  }

  static void addEdits(const TokenStream &tokens, unsigned f, size_t i,
                       const std::vector<TokenStream::Range> &args, size_t close, bool sync,
                       bool hasWidth, const std::string &target, Site &site) {
    if (tokens.spelling(i) != target)
      site.edits.push_back({f, tokens[i].offset, tokens[i].length, target});
    if (sync) {
      const unsigned begin = tokens[args[0].first].offset;
      site.edits.push_back({f, begin, tokens[args[1].first].offset - begin, ""});
    }
    if (!hasWidth)
      site.edits.push_back({f, tokens[close].offset, 0, ", 32"});
  }
};

} // namespace

std::unique_ptr<Rule> makeShuffleRule() { return std::make_unique<ShuffleRule>(); }

} // namespace layout_port
