#include "report/Report.h"

#include "source/DeadArms.h"
#include "source/Edits.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/WithColor.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace layout_port {

unsigned Report::count(Tier tier) const {
  return llvm::count_if(sites,
                        [&](const Site &site) { return site.tier == tier && !site.unreached; });
}

unsigned Report::unreached() const {
  return llvm::count_if(sites, [](const Site &site) { return site.unreached; });
}

bool Report::compiled() const {
  return !checks.empty() && llvm::all_of(checks, [](const CheckResult &c) { return c.compiled; });
}

static constexpr Tier allTiers[] = {Tier::Native, Tier::Bridged, Tier::Emulated, Tier::Renamed,
                                    Tier::Manual};

namespace {

// What stands in the output for a stretch of the input.
class OutputText {
public:
  OutputText(const Report &report, const Program &program)
      : program_(program), edits_(program.files.size()) {
    for (const Site &site : report.sites)
      for (const Edit &edit : site.edits)
        edits_[edit.file].add(edit);
    for (EditList &list : edits_)
      list.sort();
  }

  std::string of(const Site &site) const {
    return edits_[site.file].apply(program_.file(site.file).text(), site.begin, site.end);
  }

private:
  const Program &program_;
  std::vector<EditList> edits_;
};

} // namespace

static llvm::json::Object siteJson(const Site &site, const Report &report, const Program &program,
                                   const OutputText &output) {
  const SourceFile &file = program.file(site.file);
  unsigned line = 0, column = 0;
  file.tokens.lineAndColumn(site.begin, line, column);
  const llvm::StringRef before = file.text().slice(site.begin, site.end);
  return llvm::json::Object{{"file", file.path},
                            {"line", line},
                            {"column", column},
                            {"rule", site.rule},
                            {"construct", site.construct},
                            {"tier", tierName(site.tier)},
                            {"targets", llvm::json::Array(report.targets)},
                            {"reason", llvm::json::fixUTF8(site.reason)},
                            {"unreached", site.unreached},
                            {"text_before", llvm::json::fixUTF8(before)},
                            {"text_after", llvm::json::fixUTF8(output.of(site))}};
}

static llvm::json::Array proofsJson(const Report &report) {
  llvm::json::Array proofs;
  for (const ProofResult &proof : report.proofs)
    proofs.push_back(llvm::json::Object{{"target", proof.target},
                                        {"verdict", proof.verdict},
                                        {"reason", proof.reason},
                                        {"bound", proof.bound},
                                        {"assumptions", llvm::json::Array(proof.assumptions)},
                                        {"thin", llvm::json::Array(proof.thin)},
                                        {"except_manual_sites", proof.exceptManual}});
  return proofs;
}

// Where a site begins, as editors read it: "kernel.cu:12".
static std::string placeOf(const Site &site, const Program &program) {
  unsigned line = 0, column = 0;
  program.file(site.file).tokens.lineAndColumn(site.begin, line, column);
  return program.file(site.file).path + ":" + std::to_string(line);
}

namespace {

// The sites of one rule that became the same tier for the same reason.
struct ReasonRow {
  const Site *first = nullptr;
  unsigned count = 0;
};

} // namespace

// By rule, then tier, then where each reason is given first.
static std::vector<ReasonRow> reasonRows(const Report &report) {
  std::vector<ReasonRow> rows;
  std::map<std::tuple<std::string, Tier, std::string>, size_t> known;
  for (const Site &site : report.sites) {
    const auto [it, isNew] = known.try_emplace({site.rule, site.tier, site.reason}, rows.size());
    if (isNew)
      rows.push_back({&site, 0});
    ++rows[it->second].count;
  }
  llvm::stable_sort(rows, [](const ReasonRow &a, const ReasonRow &b) {
    return std::tie(a.first->rule, a.first->tier) < std::tie(b.first->rule, b.first->tier);
  });
  return rows;
}

// One line a rule, tier and reason: "  tensor-mma   1 bridged   one MFMA a warp ... (k.cu:88)".
static void printRules(llvm::raw_ostream &out, const Report &report, const Program &program) {
  for (const ReasonRow &row : reasonRows(report))
    if (row.first->tier != Tier::Manual)
      out << llvm::formatv("  {0,-17} {1,4} {2,-9} {3} ({4}{5})\n", row.first->rule, row.count,
                           tierName(row.first->tier), row.first->reason,
                           row.count > 1 ? "first " : "", placeOf(*row.first, program));
}

static llvm::json::Array reasonsJson(const Report &report, const Program &program) {
  llvm::json::Array reasons;
  for (const ReasonRow &row : reasonRows(report)) {
    unsigned line = 0, column = 0;
    program.file(row.first->file).tokens.lineAndColumn(row.first->begin, line, column);
    reasons.push_back(llvm::json::Object{{"rule", row.first->rule},
                                         {"tier", tierName(row.first->tier)},
                                         {"reason", llvm::json::fixUTF8(row.first->reason)},
                                         {"count", row.count},
                                         {"file", program.file(row.first->file).path},
                                         {"line", line}});
  }
  return reasons;
}

static llvm::json::Object summaryJson(const Report &report, const Program &program) {
  llvm::json::Object tiers, compiled, diagnostics;
  for (const Tier tier : allTiers)
    tiers[tierName(tier)] = report.count(tier);
  for (const CheckResult &check : report.checks) {
    compiled[check.target] = check.compiled;
    if (!check.compiled)
      diagnostics[check.target] = llvm::json::fixUTF8(check.diagnostics);
  }
  return llvm::json::Object{{"input", report.input},
                            {"sites", report.sites.size()},
                            {"tiers", std::move(tiers)},
                            {"reasons", reasonsJson(report, program)},
                            {"unreached", report.unreached()},
                            {"targets", llvm::json::Array(report.targets)},
                            {"compiled", std::move(compiled)},
                            {"diagnostics", std::move(diagnostics)},
                            {"compiled_with_allow_manual", report.allowedManual},
                            {"proofs", proofsJson(report)},
                            {"notes", llvm::json::Array(report.notes)},
                            {"port_seconds", report.portSeconds},
                            {"check_seconds", report.checkSeconds}};
}

std::string reportJson(const Report &report, const Program &program) {
  llvm::json::Array sites;
  const OutputText output(report, program);
  for (const Site &site : report.sites)
    sites.push_back(siteJson(site, report, program, output));
  std::string text;
  llvm::raw_string_ostream out(text);
  llvm::json::Value document =
      llvm::json::Object{{"sites", std::move(sites)}, {"summary", summaryJson(report, program)}};
  out << llvm::formatv("{0:2}", document) << "\n";
  return text;
}

static void printManual(llvm::raw_ostream &out, const Report &report, const Program &program) {
  const DeadArms arms(program);
  for (const Site &site : report.sites) {
    if (site.tier != Tier::Manual)
      continue;
    const SourceFile &file = program.file(site.file);
    unsigned line = 0, column = 0;
    file.tokens.lineAndColumn(site.begin, line, column);
    out << file.path << ":" << line << ":" << column << ": ";
    if (site.unreached)
      llvm::WithColor(out, llvm::HighlightColor::Note) << "note: ";
    else
      llvm::WithColor(out, llvm::HighlightColor::Warning) << "manual: ";
    if (site.unreached)
      out << (arms.hold(site.file, site.begin, site.end) ? "in an #if arm that is not compiled: "
                                                         : "in a macro that nothing expands: ");
    out << site.construct << ": " << site.reason << "\n";
  }
}

static void printChecks(llvm::raw_ostream &out, const Report &report) {
  if (report.checks.empty())
    return;
  const unsigned manual = report.count(Tier::Manual);
  out << "  compiled:";
  for (const CheckResult &check : report.checks) {
    out << " " << check.target;
    if (check.compiled)
      out << " yes";
    else
      llvm::WithColor(out, llvm::HighlightColor::Error) << " NO";
  }
  if (report.allowedManual)
    out << " (but for " << manual << " manual " << (manual == 1 ? "site" : "sites")
        << ", with -DLP_ALLOW_MANUAL)";
  out << llvm::formatv("; {0:F2} s\n", report.checkSeconds);
  for (const CheckResult &check : report.checks)
    if (!check.compiled) {
      out << "  " << check.target << ":\n" << check.diagnostics;
      return;
    }
}

void printSummary(llvm::raw_ostream &out, const Report &report, const Program &program) {
  out << report.input << ": " << report.sites.size()
      << (report.sites.size() == 1 ? " site" : " sites");
  for (const Tier tier : allTiers)
    if (const unsigned n = report.count(tier))
      out << ", " << n << " " << tierName(tier);
  if (const unsigned n = report.unreached())
    out << ", " << n << " in text that is not compiled";
  out << llvm::formatv(" ({0:F2} s)\n", report.portSeconds);
  printRules(out, report, program);
  for (const std::string &note : report.notes)
    out << "  note: " << note << "\n";
  printManual(out, report, program);
  printChecks(out, report);
  for (const ProofResult &proof : report.proofs)
    out << "  verify " << proof.target << ": " << proof.verdict
        << (proof.exceptManual ? " but for the manual sites" : "") << ": " << proof.reason << "\n";
}

} // namespace layout_port
