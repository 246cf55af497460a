#include "Registry.h"

#include "asm/AsmRule.h"
#include "census/Census.h"
#include "source/Manual.h"

#include "clang/Format/Format.h"
#include "clang/Tooling/Core/Replacement.h"
#include "llvm/ADT/STLExtras.h"

#include <algorithm>

namespace layout_port {

// One a rule folder; a new rule is declared here and listed below.
std::unique_ptr<Rule> makeShuffleRule();
std::unique_ptr<Rule> makeVoteRule();
std::unique_ptr<Rule> makeWarpSizeRule();
std::unique_ptr<Rule> makeLaunchBoundsRule();
std::unique_ptr<Rule> makeCvtaRule();
std::unique_ptr<Rule> makeKernelPointerRule();
std::unique_ptr<Rule> makeRenameRule();

static std::vector<std::unique_ptr<Rule>> allRules(std::vector<RuntimeChunk> &made) {
  std::vector<std::unique_ptr<Rule>> rules;
  rules.push_back(makeAsmRule(made));
  rules.push_back(makeShuffleRule());
  rules.push_back(makeVoteRule());
  rules.push_back(makeWarpSizeRule());
  rules.push_back(makeLaunchBoundsRule());
  rules.push_back(makeCvtaRule());
  rules.push_back(makeKernelPointerRule());
  rules.push_back(makeRenameRule());
  return rules;
}

static std::string leftoverReason(const std::string &construct) {
  if (construct == "asm")
    return "inline assembly that no rule understood";
  if (construct == "include")
    return "a CUDA header without a counterpart in the rename tables";
  return "'" + construct + "' is CUDA's and no rule ports it yet";
}

static void addLeftovers(const Program &program, std::vector<Site> &sites) {
  for (const CensusItem &item : unexplained(program, takeCensus(program), sites)) {
    const Token &token = program.file(item.file).tokens[item.token];
    Site site;
    site.file = item.file;
    site.begin = token.offset;
    site.end = token.end();
    site.rule = "census";
    site.construct = item.construct;
    site.reason = leftoverReason(item.construct);
    sites.push_back(site);
  }
}

static bool contains(const Site &outer, const Site &inner) {
  return outer.file == inner.file && outer.begin <= inner.begin && inner.end <= outer.end;
}

// A manual site comments out its whole statement: what else lay in there is part
// of it, and of two manual sites in one statement the first speaks for both.
static void dropCovered(std::vector<Site> &sites) {
  std::vector<Site> kept;
  for (size_t i = 0; i < sites.size(); ++i) {
    bool covered = false;
    for (size_t j = 0; j < sites.size() && !covered; ++j)
      covered = i != j && sites[j].tier == Tier::Manual && contains(sites[j], sites[i]) &&
                (!contains(sites[i], sites[j]) || j < i || sites[i].tier != Tier::Manual);
    if (!covered)
      kept.push_back(sites[i]);
  }
  sites = std::move(kept);
}

// Written functions as a person would lay them out.
static void format(RuntimeChunk &chunk) {
  clang::format::FormatStyle style = clang::format::getLLVMStyle();
  style.ColumnLimit = 100;
  const auto edits = clang::format::reformat(
      style, chunk.text, {clang::tooling::Range(0, chunk.text.size())}, "chunk.cpp");
  if (llvm::Expected<std::string> text = clang::tooling::applyAllReplacements(chunk.text, edits))
    chunk.text = *text;
  else
    llvm::consumeError(text.takeError());
}

PortedProgram portProgram(const Program &program) {
  PortedProgram result;
  for (const std::unique_ptr<Rule> &rule : allRules(result.made))
    rule->match(program, result.sites);
  llvm::for_each(result.made, format);
  addLeftovers(program, result.sites);
  for (Site &site : result.sites)
    if (site.tier == Tier::Manual && site.edits.empty())
      makeManual(program, site);
  dropCovered(result.sites);
  llvm::stable_sort(result.sites, [](const Site &a, const Site &b) {
    return a.file != b.file ? a.file < b.file : a.begin < b.begin;
  });
  return result;
}

} // namespace layout_port
