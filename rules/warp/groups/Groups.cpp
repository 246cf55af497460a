// Cooperative groups: HIP's own where they mean the same, else the device runtime's.
//
//   #include <cooperative_groups.h>      ──▶  // #include <cooperative_groups.h>
//   namespace cg = cooperative_groups;   ──▶  namespace cg = lp::cg;
//   cg::reduce(tile, v, cg::plus<int>()) ──▶  unchanged
//   grid.sync()                          ──▶  manual
//
// A program that only speaks of blocks keeps the names, which are HIP's too. One that
// has tiles or coalesced groups means warps of 32 lanes, which HIP's groups on a wave
// of 64 do not.
// https://docs.nvidia.com/cuda/cuda-c-programming-guide/#cooperative-groups
#include "source/Match.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace clang;

namespace layout_port {

namespace {

// The chunks behind a name of the namespace; what only blocks have is in "cg".
llvm::StringRef chunkOf(llvm::StringRef name) {
  return llvm::StringSwitch<llvm::StringRef>(name)
      .Cases({"tiled_partition", "thread_block_tile"}, "cg_tile")
      .Cases({"coalesced_threads", "coalesced_group"}, "cg_coalesced")
      .Cases({"labeled_partition", "binary_partition"}, "cg_labeled")
      .Cases({"plus", "less", "greater", "bit_and", "bit_or", "bit_xor"}, "cg_operators")
      .Cases({"inclusive_scan", "exclusive_scan"}, "cg_scan")
      .Cases({"this_grid", "grid_group"}, "cg_grid")
      .Cases({"invoke_one", "invoke_one_broadcast"}, "cg_invoke")
      .Case("memcpy_async", "cg_copy")
      .Default("");
}

// What the program says of groups, in all its files.
struct Vocabulary {
  std::set<std::string> chunks = {"cg"};
  bool used = false;  // the namespace is named at all
  bool blocks = true; // only blocks and the grid
};

bool mentions(const Program &program, llvm::StringRef name) {
  bool found = false;
  forEachIdentifier(program, [&](unsigned, const SourceFile &file, size_t i) {
    found |= file.tokens.is(i, name);
  });
  return found;
}

Vocabulary readVocabulary(const Program &program) {
  Vocabulary v;
  forEachIdentifier(program, [&](unsigned, const SourceFile &file, size_t i) {
    const llvm::StringRef name = file.tokens.spelling(i);
    v.used |= name == "cooperative_groups";
    if (const llvm::StringRef chunk = chunkOf(name); !chunk.empty())
      v.chunks.insert(chunk.str());
  });
  const bool tiles = v.chunks.count("cg_tile") != 0;
  const bool coalesced = v.chunks.count("cg_coalesced") || v.chunks.count("cg_labeled");
  v.blocks = !tiles && !coalesced && !v.chunks.count("cg_copy") && !v.chunks.count("cg_invoke");
  if (mentions(program, "reduce")) {
    if (tiles)
      v.chunks.insert("cg_reduce_tile");
    if (coalesced)
      v.chunks.insert("cg_reduce_coalesced");
  }
  if (tiles && coalesced)
    v.chunks.insert("cg_coalesced_tiles");
  return v;
}

class GroupsRule : public Rule {
public:
  llvm::StringRef name() const override { return "warp-groups"; }

  void match(const Program &program, std::vector<Site> &sites) const override {
    const Vocabulary vocabulary = readVocabulary(program);
    if (!vocabulary.used)
      return;
    for (unsigned f = 0; f < program.files.size(); ++f)
      includes(f, program.file(f), vocabulary, sites);
    forEachIdentifier(program, [&](unsigned f, const SourceFile &file, size_t i) {
      if (isInInclude(file, i))
        return;
      if (file.tokens.is(i, "cooperative_groups"))
        sites.push_back(port(f, file, i, vocabulary));
      else
        refuse(program, f, file, i, sites);
    });
  }

private:
  // Names of headers: a piece of them may be spelled like the namespace.
  static bool isInInclude(const SourceFile &file, size_t token) {
    const int directive = file.tokens[token].directive;
    return directive >= 0 && file.tokens.directives()[directive].name == "include";
  }

  void includes(unsigned f, const SourceFile &file, const Vocabulary &vocabulary,
                std::vector<Site> &sites) const {
    for (const Directive &d : file.tokens.directives()) {
      const llvm::StringRef text = file.text().slice(d.begin, d.end);
      if (d.name != "include" || !text.contains("cooperative_groups"))
        continue;
      Site site = siteAt(file, f, d.firstToken, d.lastToken, name(), text, Tier::Renamed,
                         "groups of 32-lane warps are those of the device runtime");
      const size_t open = text.find_first_of("<\"");
      if (vocabulary.blocks && text.contains("cooperative_groups.h")) {
        site.reason = "the header's HIP name";
        site.edits.push_back({f, d.begin + unsigned(open), unsigned(text.size() - open),
                              "<hip/hip_cooperative_groups.h>"});
      } else {
        site.edits.push_back({f, d.begin, 0, "// "});
      }
      sites.push_back(site);
    }
  }

  Site port(unsigned f, const SourceFile &file, size_t i, const Vocabulary &vocabulary) const {
    Site site = siteAt(file, f, i, i + 1, name(), "cooperative_groups", Tier::Renamed,
                       "blocks and grids mean the same in HIP");
    if (vocabulary.blocks)
      return site;
    site.tier = Tier::Emulated;
    site.reason = "groups of a 32-lane warp, from the device runtime";
    site.edits.push_back({f, site.begin, site.end - site.begin, "lp::cg"});
    site.runtime.assign(vocabulary.chunks.begin(), vocabulary.chunks.end());
    return site;
  }

  void refuse(const Program &program, unsigned f, const SourceFile &file, size_t i,
              std::vector<Site> &sites) const {
    const std::string reason = problem(program, f, file, i);
    if (!reason.empty())
      sites.push_back(
          siteAt(file, f, i, i + 1, name(), file.tokens.spelling(i), Tier::Manual, reason));
  }

  static std::string problem(const Program &program, unsigned f, const SourceFile &file, size_t i) {
    const TokenStream &tokens = file.tokens;
    const llvm::StringRef name = tokens.spelling(i);
    if (program.facts.gridSyncs.count({f, tokens[i].offset}))
      return "waits for the whole grid: HIP's grid_group::sync does too, but only in a kernel "
             "launched with hipLaunchCooperativeKernel on blocks that all fit at once";
    if (name == "this_multi_grid" || name == "multi_grid_group")
      return "a grid over several devices has no counterpart in HIP";
    if (name == "this_cluster" || name == "cluster_group")
      return "AMD GPUs have no thread block clusters";
    unsigned size = 0;
    if ((name == "tiled_partition" || name == "thread_block_tile") && tokens.is(i + 1, "<") &&
        !tokens.spelling(i + 2).getAsInteger(0, size) && size > 32)
      return "a tile of more than 32 threads spans warps: its barrier needs named barriers";
    return "";
  }
};

} // namespace

std::unique_ptr<Rule> makeGroupsRule() { return std::make_unique<GroupsRule>(); }

} // namespace layout_port
