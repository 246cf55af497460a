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
// of all lanes, a value must not pass through a third lane: lp::shfl_xor_some, shfl_up_some.
//
//   T fromLeader(T v)  ──▶  T fromLeader(LP_MAYBE_UNDEF T v)
//
//   v += __shfl_xor_sync(full, v, o)        ──▶  v += lp::reduce_step(v, 16 / o)
//   n = __shfl_up_sync(full, v, d)          ──▶  n = lp::scan_step(v, d, 0)
//
// Where all five steps of a reduction or scan are seen (warp/trees/Trees.h), and their order
// changes no rounding, they run over rows of 16 lanes first, by DPP alone.
//
// Of a value that is only asked of one lane the others may have none yet. A parameter
// on the way to such a shuffle must say so, or clang takes every lane for the leader.
// https://docs.nvidia.com/cuda/cuda-c-programming-guide/#warp-shuffle-functions
#include "source/Edits.h"
#include "source/Match.h"
#include "source/WarpFacts.h"
#include "warp/uniform/Uniform.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
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

// The first token of the parameter `name` of the function whose body begins at `open`,
// if it is passed by value; tokens.size() otherwise.
size_t parameterByValue(const TokenStream &tokens, size_t open, llvm::StringRef name) {
  size_t close = open;
  while (close > 0 && tokens[close].kind != tok::r_paren)
    if (tokens[--close].kind == tok::semi)
      return tokens.size();
  size_t begin = close;
  for (int depth = 1; begin > 0 && depth > 0;) {
    --begin;
    depth += (tokens[begin].kind == tok::r_paren) - (tokens[begin].kind == tok::l_paren);
  }
  std::vector<TokenStream::Range> parameters;
  if (!tokens.callArguments(begin, parameters, close))
    return tokens.size();
  for (const TokenStream::Range parameter : parameters) {
    const llvm::StringRef text = tokens.textOf(parameter);
    if (parameter.last > parameter.first + 1 && tokens.is(parameter.last - 1, name) &&
        !text.contains('&') && !text.contains('*'))
      return parameter.first;
  }
  return tokens.size();
}

// Does the brace at `open` begin a member that has a `this`? In those clang freezes the
// wrong argument.
bool isMember(const TokenStream &tokens, size_t open) {
  for (size_t t = open; t-- > 0 && tokens[t].kind != tok::semi && tokens[t].kind != tok::r_brace;)
    if (tokens.is(t, "static"))
      return false;
  int depth = 0;
  for (size_t t = open; t-- > 0;) {
    if (tokens[t].directive >= 0)
      continue;
    depth += (tokens[t].kind == tok::r_brace) - (tokens[t].kind == tok::l_brace);
    if (depth < 0)
      for (depth = 0; t-- > 0 && tokens[t].kind != tok::semi && tokens[t].kind != tok::r_brace;)
        if (tokens.is(t, "struct") || tokens.is(t, "class"))
          return true;
  }
  return false;
}

class ShuffleRule : public Rule {
public:
  explicit ShuffleRule(const WarpFacts &warps) : warps_(warps) {}

  llvm::StringRef name() const override { return "warp-shuffle"; }

  void match(const Program &program, std::vector<Site> &sites) const override {
    std::set<Place> marked; // parameters that may be undefined
    forEachIdentifier(program, [&](unsigned f, const SourceFile &file, size_t i) {
      const ShuffleName shuffle = parseName(file.tokens.spelling(i));
      if (shuffle.base.empty())
        return;
      sites.push_back(port(program, f, file, i, shuffle));
      if (shuffle.base == "__shfl" && sites.back().tier != Tier::Manual)
        markParameter(f, file.tokens, i, shuffle.sync ? 1 : 0, marked, sites.back());
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
    const bool isOneStep = function != "shfl_xor" && tokens.textOf(args[first + 1]) == "1";
    if (function != "shfl" && !isOneStep &&
        !takesWholeWarp(program, {f, tokens[i].offset}, shuffle)) {
      target = site.runtime[0] = target + "_some";
      site.reason += ", of which perhaps not all take part";
    }
    if (function == "shfl" && !hasWidth && asksOneLane(program, f, tokens, i, args[first + 1]) &&
        takesWholeWarp(program, {f, tokens[i].offset}, shuffle)) {
      target = site.runtime[0] = "shfl_uniform";
      site.reason = "one lane for all threads of the block: v_readlane, one a warp";
    }
    const ShufflePart part = warps_.shuffleAt({f, tokens[i].offset});
    if (part.kind == ShufflePart::Kind::FirstLane) {
      target = site.runtime[0] = "shfl_xor";
      site.reason = "a step of a tree whose result only lane 0 looks at: to it XOR brings the same";
    } else if (part.kind != ShufflePart::Kind::Alone) {
      addStep(tokens, f, i, args, close, part, site);
      return site;
    }
    if (part.kind == ShufflePart::Kind::Alone && !part.text.empty())
      site.reason += "; not all steps at once: " + part.text;
    addEdits(tokens, f, i, args, shuffle.sync, "lp::" + target, site);
    return site;
  }

  // One lane for the whole block, by the values that the kernel computes and by what its text
  // mentions: a number is known to the device runtime anyway. A header's kernels may be others in
  // another file.
  bool asksOneLane(const Program &program, unsigned f, const TokenStream &tokens, size_t i,
                   TokenStream::Range lane) const {
    const auto known = warps_.sharedLanes.find({f, tokens[i].offset});
    return f == 0 && known != warps_.sharedLanes.end() && known->second &&
           tokens[lane.first].kind != tok::numeric_constant && tokens[i].directive < 0 &&
           !hasSideEffects(tokens.textOf(lane)) && Uniformity(tokens, i).of(lane) == Varies::Never;
  }

  // How many lanes are taken together in the step by `lanes` of 16, 8, 4, 2, 1.
  static std::string heldAt(llvm::StringRef lanes, const std::string &quoted, unsigned first) {
    unsigned number = 0;
    if (!lanes.getAsInteger(0, number) && number > 0)
      return std::to_string(first / number);
    const bool single = llvm::all_of(lanes, [](char c) { return llvm::isAlnum(c) || c == '_'; });
    return std::to_string(first) + " / " + (single ? quoted : "(" + quoted + ")");
  }

  static void addStep(const TokenStream &tokens, unsigned f, size_t i,
                      const std::vector<TokenStream::Range> &args, size_t close,
                      const ShufflePart &part, Site &site) {
    const auto quoted = [&](const TokenStream::Range &range) {
      return sourceRange(tokens[range.first].offset, tokens[range.last - 1].end());
    };
    const bool reduces = part.kind == ShufflePart::Kind::Reduction;
    std::string last = quoted(args[2]);
    if (reduces && part.steps)
      last = heldAt(tokens.textOf(args[2]), last, part.steps);
    else if (!reduces)
      last += ", " + (part.text == "=" ? quoted(args[1]) : part.text);
    site.runtime = {reduces ? "reduce_step" : "scan_step"};
    site.reason = reduces ? "a step of a reduction of all 32 lanes: rows of 16 first, by DPP alone"
                          : "a step of a scan of all 32 lanes: rows of 16 first, by DPP alone";
    site.edits.push_back({f, site.begin, tokens[close].end() - site.begin,
                          "lp::" + site.runtime[0] + "(" + quoted(args[1]) + ", " + last + ")"});
  }

  // The value that argument `value` of a shuffle by index names, if it is a parameter:
  // it may be undefined. A member takes it by reference instead.
  static void markParameter(unsigned f, const TokenStream &tokens, size_t i, size_t value,
                            std::set<Place> &marked, Site &site) {
    std::vector<TokenStream::Range> args;
    size_t close = i;
    if (tokens[i].directive >= 0 || !tokens.callArguments(i + 1, args, close) ||
        args[value].last != args[value].first + 1)
      return;
    const TokenStream::Range body = Uniformity(tokens, i).body();
    if (body.last == body.first)
      return;
    const size_t first = parameterByValue(tokens, body.first, tokens.spelling(args[value].first));
    if (first == tokens.size() || !marked.insert({f, tokens[first].offset}).second)
      return;
    if (!isMember(tokens, body.first)) {
      site.edits.push_back({f, tokens[first].offset, 0, "LP_MAYBE_UNDEF "});
      return;
    }
    size_t name = first;
    while (!tokens.is(name, tokens.spelling(args[value].first)))
      ++name;
    if (!isChanged(tokens, body, tokens.spelling(name))) {
      if (!tokens.is(first, "const"))
        site.edits.push_back({f, tokens[first].offset, 0, "const "});
      site.edits.push_back({f, tokens[name].offset, 0, "&"});
    }
  }

  static bool isChanged(const TokenStream &tokens, TokenStream::Range body, llvm::StringRef name) {
    for (size_t i = body.first; i < body.last; ++i)
      if (tokens.is(i, name) &&
          (hasSideEffects(tokens.textOf({i, i + 2})) || tokens.is(i - 1, "++") ||
           tokens.is(i - 1, "--") || tokens.is(i - 1, "&")))
        return true;
    return false;
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

  const WarpFacts &warps_;
};

} // namespace

std::unique_ptr<Rule> makeShuffleRule(const WarpFacts &warps) {
  return std::make_unique<ShuffleRule>(warps);
}

} // namespace layout_port
