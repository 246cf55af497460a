#include "Registry.h"

#include "asm/AsmRule.h"
#include "census/Census.h"
#include "native/NativeRule.h"
#include "source/DeadArms.h"
#include "source/Manual.h"
#include "source/Steering.h"
#include "warp/widen/Widen.h"

#include "clang/Format/Format.h"
#include "clang/Tooling/Core/Replacement.h"
#include "llvm/ADT/STLExtras.h"

#include <algorithm>

namespace layout_port {

// One a rule folder; a new rule is declared here and listed below.
std::unique_ptr<Rule> makeShuffleRule(const WarpFacts &warps);
std::unique_ptr<Rule> makeArmsRule(const WarpFacts &warps);
std::unique_ptr<Rule> makeSpinRule();
std::unique_ptr<Rule> makeVoteRule();
std::unique_ptr<Rule> makeGroupsRule();
std::unique_ptr<Rule> makePipelineRule();
std::unique_ptr<Rule> makeWmmaRule(const PortCaps &caps, const WarpFacts &warps);
std::unique_ptr<Rule> makeWarpSizeRule();
std::unique_ptr<Rule> makeLaunchBoundsRule();
std::unique_ptr<Rule> makeCvtaRule();
std::unique_ptr<Rule> makeKernelPointerRule();
std::unique_ptr<Rule> makeIntrinsicsRule();
std::unique_ptr<Rule> makeAtomicCallRule();
std::unique_ptr<Rule> makeMixedLimitsRule();
std::unique_ptr<Rule> makeBlasHalvesRule();
std::unique_ptr<Rule> makeCubWarpsRule();
std::unique_ptr<Rule> makeRestrictRule();
std::unique_ptr<Rule> makeTemplateRule();
std::unique_ptr<Rule> makeChevronsRule();
std::unique_ptr<Rule> makeHipGuardsRule();
std::unique_ptr<Rule> makeRenameRule(std::vector<RuntimeChunk> &made);

static std::vector<std::unique_ptr<Rule>> allRules(std::vector<RuntimeChunk> &made,
                                                   const PortCaps &caps, const WarpFacts &warps) {
  std::vector<std::unique_ptr<Rule>> rules;
  rules.push_back(makeAsmRule(made, caps, warps));
  rules.push_back(makeWmmaRule(caps, warps));
  rules.push_back(makeArmsRule(warps));
  rules.push_back(makeSpinRule());
  rules.push_back(makeGroupsRule());
  rules.push_back(makePipelineRule());
  rules.push_back(makeShuffleRule(warps));
  rules.push_back(makeVoteRule());
  rules.push_back(makeWarpSizeRule());
  rules.push_back(makeLaunchBoundsRule());
  rules.push_back(makeCvtaRule());
  rules.push_back(makeKernelPointerRule());
  rules.push_back(makeIntrinsicsRule());
  rules.push_back(makeAtomicCallRule());
  rules.push_back(makeMixedLimitsRule());
  rules.push_back(makeBlasHalvesRule());
  rules.push_back(makeCubWarpsRule());
  rules.push_back(makeRestrictRule());
  rules.push_back(makeTemplateRule());
  rules.push_back(makeChevronsRule());
  rules.push_back(makeHipGuardsRule());
  rules.push_back(makeRenameRule(made));
  return rules;
}

// "cuda_utils.h", which nobody finds: more likely of the program than of CUDA.
static bool isMissingInQuotes(const Program &program, const CensusItem &item) {
  const unsigned at = program.file(item.file).tokens[item.token].offset;
  return llvm::any_of(program.includes, [&](const Include &include) {
    return include.missing && !include.angled && include.file == item.file && include.begin == at;
  });
}

static std::string leftoverReason(const Program &program, const CensusItem &item) {
  const std::string &construct = item.construct;
  if (construct == "asm")
    return "inline assembly that no rule understood";
  if (construct == "include")
    return isMissingInQuotes(program, item)
               ? "a header that was not found; if it is your own, give its folder behind --: -IDIR"
               : "a CUDA header without a counterpart in the rename tables";
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
    site.reason = leftoverReason(program, item);
    sites.push_back(site);
  }
}

// A name that the tables know to have no counterpart. What no rule knows, and PTX that cannot be
// ported, is manual wherever it stands.
static bool isManualName(const Site &site) {
  return site.tier == Tier::Manual && site.rule == "rename";
}

static void findUnreached(const DeadArms &arms, std::vector<Site> &sites) {
  for (Site &site : sites)
    site.unreached |= isManualName(site) && arms.hold(site.file, site.begin, site.end);
}

// The whole statement becomes a comment. It may reach out of a dead arm that the name is in.
static void commentOut(const Program &program, const DeadArms &arms, Site &site) {
  const bool isDead = arms.hold(site.file, site.begin, site.end);
  makeManual(program, site);
  if (isDead && !arms.hold(site.file, site.begin, site.end))
    site.unreached = false;
}

// A manual site comments out its whole statement: what else lay in there is part
// of it, and of two manual sites in one statement the first speaks for both.
// `sites` are sorted; each manual statement is looked for once.
static void settleManual(const Program &program, const DeadArms &arms, std::vector<Site> &sites) {
  std::vector<Site> manual;
  for (Site &site : sites) {
    if (site.tier != Tier::Manual)
      continue;
    const bool inside =
        !manual.empty() && manual.back().file == site.file && site.begin < manual.back().end;
    if (inside) {
      manual.back().unreached &= site.unreached;
      continue;
    }
    if (site.edits.empty())
      commentOut(program, arms, site);
    manual.push_back(site);
  }
  const auto covered = [&](const Site &site) {
    auto next = llvm::upper_bound(manual, site, [](const Site &a, const Site &b) {
      return a.file != b.file ? a.file < b.file : a.begin < b.begin;
    });
    return next != manual.begin() && std::prev(next)->file == site.file &&
           site.begin < std::prev(next)->end;
  };
  std::vector<Site> kept = manual;
  for (const Site &site : sites)
    if (site.tier != Tier::Manual && !covered(site))
      kept.push_back(site);
  sites = std::move(kept);
}

static void sortByPlace(std::vector<Site> &sites) {
  llvm::stable_sort(sites, [](const Site &a, const Site &b) {
    return a.file != b.file ? a.file < b.file : a.begin < b.begin;
  });
}

// What uses a declaration that is left to a person, and what that declares, and so on.
static void leaveDependents(const Program &program, const Uses &uses, const DeadArms &arms,
                            std::vector<Site> &sites) {
  while (true) {
    std::vector<Site> more = dependents(program, uses, sites);
    if (more.empty())
      return;
    llvm::move(more, std::back_inserter(sites));
    sortByPlace(sites);
    settleManual(program, arms, sites);
    sortByPlace(sites);
  }
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

// A site that may not be ported: by its own cap, or because it calls the device
// runtime and no site may.
static void leaveToPerson(Site &site, const PortCaps &caps) {
  const bool single = caps.sites.count({site.file, site.begin}) != 0;
  const bool free = caps.best != Tier::Manual || site.runtime.empty() || site.rule == "rename";
  if (single ? caps.at(site.file, site.begin) != Tier::Manual : free)
    return;
  site.tier = Tier::Manual;
  site.edits.clear();
  site.reason = "the port of this site could not be proved right";
}

// A site of a rule that `--rules` switched off. What needed no edit stays.
static void switchOff(Site &site) {
  if (site.tier == Tier::Manual || site.edits.empty())
    return;
  site.tier = Tier::Manual;
  site.edits.clear();
  site.runtime.clear();
  site.reason = "rule " + site.rule + " is switched off by --rules";
}

PortedProgram portProgram(const Program &program, const PortCaps &wanted, const RuleGlobs &rules,
                          const PortChoices &choices, const WarpFacts &warps, const Uses &uses) {
  PortedProgram result;
  const Steering steering = findSteering(program);
  const PortCaps caps = steeredCaps(wanted, steering);
  std::vector<Site> padding;
  if (choices.warpBlocks == WarpBlocks::Pad && rules.allows("launch-odd-warps")) {
    WarpBlockPorts blocks = padWarpBlocks(program, padding);
    result.padded = std::move(blocks.padded);
    result.unpadded = std::move(blocks.unpadded);
    llvm::move(blocks.notes, std::back_inserter(result.notes));
  }
  native::NativePort natively;
  if (rules.allows("native"))
    natively = native::portNatively(program, caps, result.padded, result.unpadded, choices.targets);
  result.made = natively.made;
  llvm::append_range(result.notes, steering.notes);
  llvm::append_range(result.notes, natively.notes);
  for (const std::unique_ptr<Rule> &rule : allRules(result.made, caps, warps))
    rule->match(program, result.sites);
  llvm::move(padding, std::back_inserter(result.sites));
  if (choices.widen && rules.allows("warp-widen")) {
    WidenedReductions widened = widenReductions(program);
    native::dropReplaced(widened.sites, result.sites);
    llvm::move(widened.sites, std::back_inserter(result.sites));
    llvm::move(widened.notes, std::back_inserter(result.notes));
  }
  native::dropReplaced(natively.sites, result.sites);
  llvm::move(natively.sites, std::back_inserter(result.sites));
  for (Site &site : result.sites)
    leaveToPerson(site, caps);
  for (Site &site : result.sites)
    if (!rules.allows(site.rule))
      switchOff(site);
  llvm::for_each(result.made, format);
  keepText(program, steering, result.sites);
  addLeftovers(program, result.sites);
  sortByPlace(result.sites);
  const DeadArms arms(program);
  findUnreached(arms, result.sites);
  settleManual(program, arms, result.sites);
  sortByPlace(result.sites);
  leaveDependents(program, uses, arms, result.sites);
  return result;
}

} // namespace layout_port
