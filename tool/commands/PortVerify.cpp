// See PortVerify.h.
#include "commands/PortVerify.h"

#include "commands/TierSearch.h"
#include "source/Edits.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace layout_port {
namespace {

SitePlace placeOf(const Site &site) { return {site.file, site.begin}; }

std::string nameOf(const Program &program, const Site &site) {
  unsigned line = 0, column = 0;
  program.file(site.file).tokens.lineAndColumn(site.begin, line, column);
  return program.file(site.file).path + ":" + std::to_string(line) + ":" + std::to_string(column) +
         ": " + site.construct;
}

// Sites whose port is code of ours; a name or a launch bound has no tier to drop to.
bool canBeBlamed(const Site &site) {
  return site.tier <= Tier::Emulated && !site.edits.empty() && site.rule != "rename" &&
         !llvm::StringRef(site.rule).starts_with("launch");
}

bool anyManual(const std::vector<Site> &sites) {
  return llvm::any_of(sites, [](const Site &s) { return s.tier == Tier::Manual; });
}

// What stands where a site was removed. Its results become numbers that differ from
// thread to thread, the same on both sides, so that nothing after it is hidden.
std::string remains(const Program &program, const Site &site) {
  const auto number = [](size_t i) { return "(threadIdx.x % 61 + " + std::to_string(i + 2) + ")"; };
  if (site.tier == Tier::Manual) // an initializer is "{}" then, and stays one
    return !site.edits.empty() && llvm::StringRef(site.edits.front().text).starts_with("{} ") ? "{}"
                                                                                              : ";";
  const SourceFile &file = program.file(site.file);
  for (const AsmStatement &statement : file.asmStatements) {
    if (statement.begin != site.begin)
      continue;
    std::string text = "do { ";
    for (size_t i = 0; i < statement.outputs.size(); ++i)
      if (llvm::StringRef(statement.outputs[i].constraint).starts_with("="))
        text += "(" + statement.outputs[i].expression + ") = " + number(i) + "; ";
    return text + "} while (0)";
  }
  return number(0);
}

// Takes the sites at `places` out, with whatever lies in them.
std::vector<Site> without(const Program &program, const std::vector<Site> &sites,
                          const std::set<SitePlace> &places) {
  std::vector<Site> result;
  unsigned file = 0, end = 0; // of the last one taken out; sites are sorted
  for (const Site &site : sites) {
    if (end && site.file == file && site.begin < end)
      continue;
    result.push_back(site);
    if (!places.count(placeOf(site)))
      continue;
    file = site.file;
    end = site.end;
    result.back().edits = {{site.file, site.begin, site.end - site.begin, remains(program, site)}};
    result.back().runtime.clear();
  }
  return result;
}

// The source with those sites taken out; empty when there are none.
std::string sourceWithout(const Program &program, const std::vector<Site> &sites,
                          const std::set<SitePlace> &places) {
  if (places.empty())
    return "";
  std::vector<Site> removed;
  for (Site &site : without(program, sites, places))
    if (places.count(placeOf(site)))
      removed.push_back(std::move(site));
  std::string text = emit(program, removed, {}).text;
  constexpr llvm::StringRef include = "#include <hip/hip_runtime.h>";
  const size_t at = text.find(include.str());
  if (at != std::string::npos && !program.file(0).text().contains(include))
    text.erase(at, include.size());
  return text;
}

class Verifier {
public:
  Verifier(const VerifyJob &job, VerifiedPort first)
      : job_(job), port_(std::move(first)), caps_(job.caps) {}

  VerifiedPort run() {
    constexpr unsigned rounds = 3; // another target may refute what holds on the first
    for (unsigned round = 0; round <= rounds; ++round) {
      if (!prove())
        return std::move(port_);
      const auto refuted = llvm::find_if(port_.proofs, [](auto &p) { return p.refuted(); });
      if (refuted == port_.proofs.end())
        return std::move(port_);
      port_.notes.push_back("verify refuted the port on " + refuted->target + ": " +
                            refuted->reason);
      if (round == rounds || !mend(refuted->target)) {
        giveUp();
        return std::move(port_);
      }
    }
    return std::move(port_);
  }

private:
  // False: nothing could be run.
  bool prove() {
    std::set<SitePlace> manual;
    for (const Site &site : port_.ported.sites)
      if (site.tier == Tier::Manual)
        manual.insert(placeOf(site));
    std::string problem;
    port_.proofs =
        proofsOf(port_.ported.sites, manual, port_.emission.text, job_.request.targets, problem);
    if (!problem.empty())
      port_.notes.push_back("verify could not run: " + problem);
    return problem.empty();
  }

  std::vector<ProofResult> proofsOf(const std::vector<Site> &sites,
                                    const std::set<SitePlace> &removed, const std::string &output,
                                    const std::vector<std::string> &targets,
                                    std::string &problem) const {
    ProofRequest request = job_.request;
    request.output = output;
    request.targets = targets;
    request.allowManual = anyManual(sites);
    request.source = sourceWithout(job_.program, sites, removed);
    std::vector<ProofResult> proofs = provePort(request, problem);
    for (ProofResult &proof : proofs)
      proof.exceptManual = request.allowManual;
    return proofs;
  }

  // Searches on one target and ports anew. False: nothing to search.
  bool mend(const std::string &target) {
    std::vector<SearchSite> sites;
    Trial refuted;
    refuted.caps = caps_;
    for (const Site &site : port_.ported.sites) {
      if (canBeBlamed(site))
        sites.push_back({placeOf(site), site.tier});
      else if (site.tier == Tier::Manual)
        refuted.removed.insert(placeOf(site));
    }
    if (sites.empty())
      return false;
    const SearchResult found =
        searchTiers(sites, refuted, [&](const Trial &trial) { return holds(trial, target); });
    tell(found);
    caps_ = found.caps;
    port_.ported = job_.port(caps_);
    port_.emission = emit(job_.program, port_.ported.sites, port_.ported.made);
    return port_.emission.error.empty();
  }

  // With sites removed both sides may come to nothing; only a proof counts then.
  bool holds(const Trial &trial, const std::string &target) const {
    const PortedProgram ported = job_.port(trial.caps);
    const Emission emission =
        emit(job_.program, without(job_.program, ported.sites, trial.removed), ported.made);
    std::string problem;
    const std::vector<ProofResult> proofs =
        proofsOf(ported.sites, trial.removed, emission.text, {target}, problem);
    if (!emission.error.empty() || !problem.empty() || proofs.empty())
      return false;
    return trial.removed.empty() ? !proofs[0].refuted()
                                 : proofs[0].holds() && !proofs[0].undefinedOutputs;
  }

  void tell(const SearchResult &found) {
    const auto note = [&](const SitePlace &place, const std::string &what) {
      for (const Site &site : port_.ported.sites)
        if (placeOf(site) == place)
          port_.notes.push_back("verify refuted " + nameOf(job_.program, site) + " (" +
                                tierName(site.tier).str() + "): " + what);
    };
    for (const SitePlace &place : found.dropped)
      note(place, tierName(found.caps.at(place.first, place.second)).str() + " instead");
    for (const SitePlace &place : found.manual)
      note(place, found.settled ? "no lower tier is right: left to a person"
                                : "no single site could be blamed: all are left to a person");
    port_.notes.push_back("verify took " + std::to_string(found.proofs) +
                          " more proofs to find the sites");
  }

  // Nothing that can be blamed is left, and the port is still wrong.
  void giveUp() {
    Site site;
    site.rule = "verify";
    site.construct = "the whole file";
    site.reason =
        "verify refuted this port, and no site could be blamed: " + port_.proofs.front().reason;
    const llvm::StringRef text = job_.program.file(0).text();
    site.begin = site.end = unsigned(text.size());
    std::string quoted;
    llvm::raw_string_ostream(quoted) << llvm::StringRef(site.reason);
    for (char &c : quoted)
      c = c == '"' || c == '\\' || c == '\n' ? '\'' : c;
    site.edits = {{0, site.begin, 0, "\nLP_MANUAL(\"" + quoted + "\");\n"}};
    site.runtime = {"manual"};
    port_.ported.sites.push_back(site);
    port_.emission = emit(job_.program, port_.ported.sites, port_.ported.made);
  }

  const VerifyJob &job_;
  VerifiedPort port_;
  PortCaps caps_;
};

} // namespace

VerifiedPort verifyPort(const VerifyJob &job, VerifiedPort first) {
  return Verifier(job, std::move(first)).run();
}

unsigned breakRule(const Program &program, llvm::StringRef how, std::vector<Site> &sites) {
  llvm::SmallVector<llvm::StringRef, 5> part;
  how.split(part, '|');
  unsigned wanted = 0, broken = 0;
  if (part.size() < 4 || (part.size() > 4 && part[4].getAsInteger(10, wanted)))
    return 0;
  std::string wrong = part[3].str();
  for (size_t at = wrong.find("\\n"); at != std::string::npos; at = wrong.find("\\n"))
    wrong.replace(at, 2, "\n");
  for (Site &site : sites) {
    unsigned line = 0, column = 0;
    program.file(site.file).tokens.lineAndColumn(site.begin, line, column);
    if (part[0] != site.rule || part[1] != tierName(site.tier) || (wanted && wanted != line))
      continue;
    bool hit = false;
    for (Edit &edit : site.edits) {
      const std::string text = plainText(edit.text, program.file(edit.file).text());
      const size_t at = text.find(part[2].str());
      if (hit || at == std::string::npos)
        continue;
      edit.text = text;
      edit.text.replace(at, part[2].size(), wrong);
      hit = true;
    }
    broken += hit;
  }
  return broken;
}

} // namespace layout_port
