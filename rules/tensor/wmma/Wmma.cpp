// nvcuda::wmma onto the fragments of the device runtime, whose names are the same.
//
//   using namespace nvcuda;          ──▶  namespace wmma = lp::wmma;
//   nvcuda::wmma::mma_sync(...)      ──▶  lp::wmma::mma_sync(...)
//   wmma::fragment<...> f;           ──▶  unchanged
//   f.x[i] in a loop over all i      ──▶  unchanged
//   f.x[3]                           ──▶  manual
//
// rules/device/wmma.h says which lane holds what and why nothing moves between lanes.
// https://docs.nvidia.com/cuda/cuda-c-programming-guide/#warp-matrix-functions
#include "source/Match.h"
#include "source/WarpFacts.h"
#include "tensor/wmma/Elements.h"

#include "llvm/ADT/StringSwitch.h"

using namespace clang;

namespace layout_port {

namespace {

struct WmmaFunction {
  llvm::StringRef name;
  llvm::StringRef chunk;
};

constexpr WmmaFunction functions[] = {
    {"mma_sync", "wmma_mma"},          {"bmma_sync", "wmma_bmma"},
    {"load_matrix_sync", "wmma_load"}, {"store_matrix_sync", "wmma_store"},
    {"fill_fragment", "wmma_fill"},    {"__float_to_tf32", "wmma_tf32"},
};

llvm::StringRef chunkOf(llvm::StringRef name) {
  for (const WmmaFunction &function : functions)
    if (function.name == name)
      return function.chunk;
  return "wmma_types";
}

class WmmaRule : public Rule {
public:
  WmmaRule(const PortCaps &caps, const WarpFacts &warps) : caps_(caps), warps_(warps) {}

  llvm::StringRef name() const override { return "tensor-wmma"; }

  void match(const Program &program, std::vector<Site> &sites) const override {
    for (unsigned f = 0; f < program.files.size(); ++f)
      matchFile(program, f, sites);
  }

private:
  void matchFile(const Program &program, unsigned f, std::vector<Site> &sites) const {
    const SourceFile &file = program.file(f);
    const TokenStream &tokens = file.tokens;
    for (size_t i = 0; i < tokens.size(); ++i) {
      if (tokens[i].kind != tok::raw_identifier || isMacroNameInDirective(tokens, i))
        continue;
      if (isUsingNvcuda(tokens, i)) {
        sites.push_back(alias(f, file, i));
        i += 2;
      } else if (tokens.is(i, "nvcuda") || tokens.is(i, "wmma"))
        i = qualified(program, f, file, i, sites);
      else if (isPlainCall(program, f, i))
        sites.push_back(port(program, f, file, i, i, ""));
      else if (program.facts.fragmentTypes.count({f, tokens[i].offset}) && tokens.is(i, "x"))
        elements(program, f, file, i, sites);
      else if (program.facts.fragmentsAsBytes.count({f, tokens[i].offset}))
        sites.push_back(siteAt(file, f, i, i + 1, name(), tokens.spelling(i), Tier::Manual,
                               "takes the elements of a fragment as a whole: their order is not "
                               "CUDA's"));
    }
  }

  // using namespace nvcuda;
  static bool isUsingNvcuda(const TokenStream &tokens, size_t i) {
    return tokens.is(i, "using") && tokens.is(i + 1, "namespace") && tokens.is(i + 2, "nvcuda") &&
           tokens.is(i + 3, ";");
  }

  Site alias(unsigned f, const SourceFile &file, size_t i) const {
    Site site = siteAt(file, f, i, i + 3, name(), "nvcuda", Tier::Renamed,
                       "the namespace of the device runtime");
    site.edits.push_back({f, site.begin, site.end - site.begin, "namespace wmma = lp::wmma"});
    site.runtime = {"wmma_types"};
    return site;
  }

  // After `using namespace nvcuda::wmma`, and only where the parser saw CUDA's.
  static bool isPlainCall(const Program &program, unsigned f, size_t i) {
    const TokenStream &tokens = program.file(f).tokens;
    return chunkOf(tokens.spelling(i)) != "wmma_types" && tokens.is(i + 1, "(") &&
           program.facts.fragmentTypes.count({f, tokens[i].offset});
  }

  // nvcuda::wmma::mma_sync, wmma::row_major: the whole chain is one site.
  size_t qualified(const Program &program, unsigned f, const SourceFile &file, size_t i,
                   std::vector<Site> &sites) const {
    const TokenStream &tokens = file.tokens;
    if (!tokens.is(i, "nvcuda") && program.facts.userNames.count("wmma") && tokens.is(i + 1, "="))
      return i; // namespace wmma = nvcuda::wmma
    size_t last = i;
    while (tokens.is(last + 1, "::") && tokens[last + 2].kind == tok::raw_identifier)
      last += 2;
    const std::string space = tokens.is(i, "nvcuda") ? "lp" : "";
    if (tokens.is(i, "nvcuda") && !tokens.is(i + 2, "wmma"))
      sites.push_back(siteAt(file, f, i, last + 1, name(), tokens.spelling(last), Tier::Manual,
                             "a preview of CUDA 11: use cuda::pipeline"));
    else
      sites.push_back(port(program, f, file, i, last, space));
    return last;
  }

  // Tokens first to last name something of wmma; `space` replaces the first.
  Site port(const Program &program, unsigned f, const SourceFile &file, size_t first, size_t last,
            const std::string &space) const {
    const TokenStream &tokens = file.tokens;
    const llvm::StringRef what = tokens.spelling(last);
    Site site = siteAt(file, f, first, last + 1, name(), what, Tier::Renamed,
                       "the device runtime's, in an order of elements of its own");
    site.runtime = {chunkOf(what).str()};
    if (!space.empty())
      site.edits.push_back({f, tokens[first].offset, tokens[first].length, space});
    if (what == "mma_sync")
      product(program, f, tokens, last, site);
    else if (site.runtime[0] != "wmma_types")
      describe(what, site);
    return site;
  }

  static void describe(llvm::StringRef what, Site &site) {
    site.tier = Tier::Emulated;
    site.reason = llvm::StringSwitch<std::string>(what)
                      .Case("bmma_sync", "each lane counts bits for its two elements")
                      .Cases({"load_matrix_sync", "store_matrix_sync"},
                             "each lane moves its row of a block of four, as MFMA wants it")
                      .Default("element by element");
  }

  void product(const Program &program, unsigned f, const TokenStream &tokens, size_t i,
               Site &site) const {
    site.tier = Tier::Emulated;
    const WaveState wave = warps_.waveAt({f, tokens[i].offset});
    const bool half = wave.kind == WaveState::Kind::Half;
    const std::string why = wave.why.empty() ? "" : ": " + wave.why;
    if (isSmall(program, {f, tokens[i].offset})) {
      site.reason = "8 x 8: each lane multiplies its row by its two columns";
    } else if (half || caps_.at(f, site.begin) > Tier::Bridged) {
      site.reason = "each half wave multiplies by itself, without MFMA" + (half ? why : "");
      site.edits.push_back({f, tokens[i].offset, tokens[i].length, "mma_sync_halves"});
      site.runtime = {"wmma_mma_halves"};
    } else {
      site.tier = Tier::Bridged;
      site.reason =
          std::string("both warps of a wave in MFMAs of 16 blocks, with no move between lanes; "
                      "whether the wave is whole is tested at run time") +
          why;
    }
  }

  static bool isSmall(const Program &program, Place place) {
    const auto known = program.facts.fragmentTypes.find(place);
    if (known == program.facts.fragmentTypes.end())
      return false;
    for (const std::string &type : known->second)
      if (llvm::StringRef(type).contains(", 8, 8, "))
        return true;
    return false;
  }

  void elements(const Program &program, unsigned f, const SourceFile &file, size_t i,
                std::vector<Site> &sites) const {
    const std::string problem = positionalUse(program, f, i);
    Site site = siteAt(file, f, i, i + 1, name(), "fragment.x", Tier::Emulated,
                       "the same is done to every element: their order does not matter");
    if (!problem.empty()) {
      site.tier = Tier::Manual;
      site.reason = problem;
    }
    sites.push_back(site);
  }

  const PortCaps &caps_;
  const WarpFacts &warps_;
};

} // namespace

std::unique_ptr<Rule> makeWmmaRule(const PortCaps &caps, const WarpFacts &warps) {
  return std::make_unique<WmmaRule>(caps, warps);
}

} // namespace layout_port
