// __launch_bounds__(T, B): B means blocks per multiprocessor in CUDA and waves
// per SIMD in HIP. B blocks of T threads are B * ceil(T / 64) waves on the four
// SIMDs of a compute unit:
//
//   __launch_bounds__(T, B)  ──▶  __launch_bounds__(T, ceil(B * ceil(T/64) / 4))
//   __maxnreg__(N)           ──▶                   registers of another machine: dropped
//
// https://rocm.docs.amd.com/projects/HIP/en/latest/how-to/hip_cpp_language_extensions.html#launch-bounds
#include "source/Match.h"

namespace layout_port {

namespace {

class LaunchBoundsRule : public Rule {
public:
  llvm::StringRef name() const override { return "launch-bounds"; }

  void match(const Program &program, std::vector<Site> &sites) const override {
    forEachIdentifier(program, [&](unsigned f, const SourceFile &file, size_t i) {
      if (isCallOf(file.tokens, i, "__launch_bounds__"))
        port(program, f, file, i, sites);
      else if (isCallOf(file.tokens, i, "__maxnreg__"))
        dropRegisters(f, file, i, sites);
    });
  }

private:
  // A macro that stands for several arguments: `#define BOUNDS 256, 2`.
  static bool holdsComma(const Program &program, llvm::StringRef name) {
    for (const std::unique_ptr<SourceFile> &file : program.files)
      for (const Directive &d : file->tokens.directives())
        if (d.name == "define" && file->tokens.is(d.firstToken + 2, name))
          for (size_t t = d.firstToken + 3; t < d.lastToken; ++t)
            if (file->tokens.is(t, ","))
              return true;
    return false;
  }

  void dropRegisters(unsigned f, const SourceFile &file, size_t i, std::vector<Site> &sites) const {
    const size_t close = file.tokens.matching(i + 1);
    if (close == file.tokens.size())
      return;
    Site site = siteAt(file, f, i, close + 1, name(), "__maxnreg__", Tier::Renamed,
                       "a limit of NVIDIA's registers: dropped, clang takes what the block leaves");
    site.edits.push_back({f, site.begin, site.end - site.begin, ""});
    sites.push_back(site);
  }

  void port(const Program &program, unsigned f, const SourceFile &file, size_t i,
            std::vector<Site> &sites) const {
    const TokenStream &tokens = file.tokens;
    std::vector<TokenStream::Range> args;
    size_t close = i;
    if (!tokens.callArguments(i + 1, args, close))
      return;
    if (args.size() == 1 && holdsComma(program, tokens.textOf(args[0]))) {
      sites.push_back(siteAt(file, f, i, close + 1, name(), "__launch_bounds__", Tier::Manual,
                             "its arguments stand in a macro: write them here, the second is "
                             "waves per SIMD in HIP"));
      return;
    }
    if (args.empty())
      return;
    const bool looksLikeTwo = hasBareComma(tokens.textOf(args[0]));
    if (args.size() == 1 && !looksLikeTwo)
      return; // one argument means the same on both sides
    if (args.size() == 1) {
      Site site = siteAt(file, f, i, close + 1, name(), "__launch_bounds__", Tier::Renamed,
                         "in parentheses: HIP's macro would part it at the comma");
      site.edits.push_back(inParentheses(tokens, f, args[0]));
      sites.push_back(site);
      return;
    }
    Site site = siteAt(file, f, i, close + 1, name(), "__launch_bounds__", Tier::Renamed,
                       "blocks per multiprocessor became waves per SIMD");
    if (args.size() > 2) {
      site.tier = Tier::Manual;
      site.reason = "a cluster size has no counterpart in HIP: drop the third argument";
      sites.push_back(site);
      return;
    }
    if (looksLikeTwo)
      site.edits.push_back(inParentheses(tokens, f, args[0]));
    const unsigned begin = tokens[args[1].first].offset;
    const unsigned end = tokens[args[1].last - 1].end();
    site.edits.push_back(
        {f, begin, end - begin, waves(tokens.textOf(args[0]), tokens.textOf(args[1]))});
    sites.push_back(site);
  }

  // Traits<M, N>::threads: to HIP's macro these are two arguments. A variadic macro's own may be, as
  // may those of Traits<__VA_ARGS__>.
  static bool hasBareComma(llvm::StringRef argument) {
    int depth = 0;
    if (argument.contains("<__VA_ARGS__>"))
      return true;
    for (const char c : argument) {
      depth += c == '(' ? 1 : c == ')' ? -1 : 0;
      if (c == ',' && depth == 0)
        return true;
    }
    return false;
  }

  static Edit inParentheses(const TokenStream &tokens, unsigned f, TokenStream::Range argument) {
    const llvm::StringRef text = tokens.textOf(argument);
    return {f, tokens[argument.first].offset, static_cast<unsigned>(text.size()),
            ("(" + text + ")").str()};
  }

  static std::string waves(llvm::StringRef threads, llvm::StringRef blocks) {
    unsigned t = 0, b = 0;
    if (!threads.getAsInteger(0, t) && !blocks.getAsInteger(0, b))
      return std::to_string((b * ((t + 63) / 64) + 3) / 4);
    return ("((" + blocks + ") * (((" + threads + ") + 63) / 64) + 3) / 4").str();
  }
};

} // namespace

std::unique_ptr<Rule> makeLaunchBoundsRule() { return std::make_unique<LaunchBoundsRule>(); }

} // namespace layout_port
