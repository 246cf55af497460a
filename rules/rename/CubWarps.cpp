// CUB's collectives of a warp: their width is 32 where none is given, hipCUB's is that of the
// wave, 64.
//
//   cub::WarpReduce<float>           ──▶  hipcub::WarpReduce<float, 32>
//   cub::WarpLoad<int, 4>            ──▶  hipcub::WarpLoad<int, 4, hipcub::WARP_LOAD_DIRECT, 32>
//   cub::LaneId()                         counts to 63 there: manual
//
// https://nvidia.github.io/cccl/cub/, https://github.com/ROCm/hipCUB (backend/rocprim/warp,
// util_ptx.hpp, config.hpp: LOGICAL_WARP_THREADS = HIPCUB_DEVICE_WARP_THREADS).
#include "source/Match.h"

#include "llvm/ADT/STLExtras.h"

#include <optional>

using namespace clang;

namespace layout_port {

namespace {

struct Collective {
  llvm::StringRef name;
  unsigned width;        // which template argument it is
  llvm::StringRef other; // what stands before it where that is not given either
};

constexpr Collective collectives[] = {
    {"WarpReduce", 1, ""},
    {"WarpScan", 1, ""},
    {"WarpExchange", 2, ""},
    {"WarpMergeSort", 2, ""},
    {"WarpLoad", 3, ", hipcub::WARP_LOAD_DIRECT"},
    {"WarpStore", 3, ", hipcub::WARP_STORE_DIRECT"},
};

constexpr llvm::StringLiteral ofWaves[] = {"LaneId",      "WarpId",      "WarpMask",   "LaneMaskLt",
                                           "LaneMaskLe",  "LaneMaskGt",  "LaneMaskGe", "ShuffleUp",
                                           "ShuffleDown", "ShuffleIndex"};

// The arguments of a template argument list, and where it closes.
struct Arguments {
  unsigned count = 0;
  size_t close = 0;
};

std::optional<Arguments> templateArguments(const TokenStream &tokens, size_t open) {
  if (!tokens.is(open, "<"))
    return std::nullopt;
  Arguments found;
  int depth = 0;
  for (size_t i = open; i < tokens.size(); ++i) {
    const tok::TokenKind kind = tokens[i].kind;
    if (kind == tok::l_paren) {
      i = tokens.matching(i);
      continue;
    }
    depth += (kind == tok::less) - (kind == tok::greater) - 2 * (kind == tok::greatergreater);
    if (kind == tok::semi || kind == tok::l_brace || depth < 0)
      return std::nullopt; // a comparison, or `>>` that closes more than this list
    found.count += depth == 1 && kind == tok::comma;
    if (depth == 0) {
      found.count += i > open + 1;
      found.close = i;
      return found;
    }
  }
  return std::nullopt;
}

class CubWarpsRule : public Rule {
public:
  llvm::StringRef name() const override { return "rename"; }

  void match(const Program &program, std::vector<Site> &sites) const override {
    std::set<unsigned> usesCub;
    for (unsigned f = 0; f < program.files.size(); ++f)
      for (size_t i = 0; i < program.file(f).tokens.size(); ++i)
        if (isUsingCub(program.file(f).tokens, i))
          usesCub.insert(f);
    forEachIdentifier(program, [&](unsigned f, const SourceFile &file, size_t i) {
      const TokenStream &tokens = file.tokens;
      const bool isQualified = i >= 2 && tokens.is(i - 1, "::") && tokens.is(i - 2, "cub");
      const bool isMember =
          i >= 1 && (tokens.is(i - 1, ".") || tokens.is(i - 1, "->") || tokens.is(i - 1, "::"));
      if (!isQualified && (isMember || !usesCub.count(f) ||
                           program.facts.userNames.count(tokens.spelling(i).str())))
        return;
      const auto *row =
          llvm::find_if(collectives, [&](const Collective &c) { return tokens.is(i, c.name); });
      if (row != std::end(collectives))
        widen(f, file, i, *row, sites);
      else if (llvm::is_contained(ofWaves, tokens.spelling(i)))
        sites.push_back(siteAt(file, f, i, i + 1, name(), tokens.spelling(i), Tier::Manual,
                               "hipCUB's speaks of the 64 lanes of a wave, the port of warps of "
                               "32: compute it from the thread's number, or shuffle directly"));
    });
  }

private:
  static bool isUsingCub(const TokenStream &tokens, size_t i) {
    return tokens.is(i, "using") && tokens.is(i + 1, "namespace") && tokens.is(i + 2, "cub") &&
           tokens.is(i + 3, ";");
  }

  void widen(unsigned f, const SourceFile &file, size_t i, const Collective &row,
             std::vector<Site> &sites) const {
    const TokenStream &tokens = file.tokens;
    const auto given = templateArguments(tokens, i + 1);
    const unsigned least = row.other.empty() ? row.width : row.width - 1;
    if (given && given->count > row.width)
      return; // a width of the author's
    Site site = siteAt(file, f, i, i + 1, name(), row.name, Tier::Manual,
                       "its width is 64 in hipCUB where none is given, and where it belongs cannot "
                       "be seen here: name 32");
    if (given && given->count >= least) {
      site.tier = Tier::Renamed;
      site.reason = "hipCUB's width is 64 where none is given";
      site.edits.push_back({f, tokens[given->close].offset, 0,
                            (given->count < row.width ? row.other.str() : "") + ", 32"});
    }
    sites.push_back(std::move(site));
  }
};

} // namespace

std::unique_ptr<Rule> makeCubWarpsRule() { return std::make_unique<CubWarpsRule>(); }

} // namespace layout_port
