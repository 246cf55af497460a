// __shfl*_sync and the pre-Volta __shfl*: moves inside a 32-lane warp.
//
//   __shfl_xor_sync(mask, v, 1)      ──▶  lp::shfl_xor(v, 1)
//   __shfl_sync(mask, v, src, 8)     ──▶  lp::shfl(v, src, 8)
//
// HIP's own shuffles default to the width of the wave, 64 lanes, always go through
// the LDS pipe, and do not cut the lane operand to five bits as PTX does. Those of
// the device runtime default to 32 lanes, take any trivially copyable value, and
// become DPP where clang knows the lane. The mask goes: lanes of an AMD wave are in
// step, and a 32-bit mask cannot speak of a 64-lane wave. Where it is not the constant
// of all lanes, an XOR must not pass through a third lane: lp::shfl_xor_some.
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
      site.reason = "a shuffle that is not called here: its mask and width cannot be seen";
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
    site.tier = Tier::Emulated;
    site.reason = hasWidth ? "inside the author's width" : "inside the warp's 32 of 64 lanes";
    const llvm::StringRef function = shuffle.base.drop_front(2);
    site.runtime = {function == "shfl" ? "shfl_idx" : function.str()};
    std::string target = function.str();
    if (function == "shfl_xor" && !takesWholeWarp(program, {f, tokens[i].offset}, shuffle)) {
      target = site.runtime[0] = "shfl_xor_some";
      site.reason += ", of which perhaps not all take part";
    }
    addEdits(tokens, f, i, args, shuffle.sync, "lp::" + target, site);
    return site;
  }

  // Does the mask say, as a constant, that all 32 lanes take part?
  static bool takesWholeWarp(const Program &program, Place place, const ShuffleName &shuffle) {
    return shuffle.sync && program.facts.wholeMasks.count(place) &&
           !program.facts.partialMasks.count(place);
  }

  static void addEdits(const TokenStream &tokens, unsigned f, size_t i,
                       const std::vector<TokenStream::Range> &args, bool sync,
                       const std::string &target, Site &site) {
    site.edits.push_back({f, tokens[i].offset, tokens[i].length, target});
    if (!sync)
      return;
    const unsigned begin = tokens[args[0].first].offset;
    site.edits.push_back({f, begin, tokens[args[1].first].offset - begin, ""});
  }
};

} // namespace

std::unique_ptr<Rule> makeShuffleRule() { return std::make_unique<ShuffleRule>(); }

} // namespace layout_port
