#include "commands/Port.h"

#include "Registry.h"
#include "check/Compile.h"
#include "commands/PortProof.h"
#include "commands/port/Notes.h"
#include "commands/port/Options.h"
#include "frontend/Parse.h"
#include "pages/Pages.h"
#include "report/Diff.h"
#include "report/Report.h"
#include "source/Emit.h"

#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <chrono>
#include <map>

namespace layout_port::commands {

static int trouble(const llvm::Twine &message) {
  llvm::errs() << "layout-port: error: " << message << "\n";
  return 2;
}

// A syntax error hides code from the parser and would make a broken output: it
// stops the port, unless it may only stem from a header that is not here.
static const Diagnostic *fatalError(const ParseResult &parsed) {
  if (!parsed.missingHeaders.empty() || parsed.errors.empty())
    return nullptr;
  const Diagnostic &first = parsed.errors.front();
  return first.isParseIssue && first.inUserFile ? &first : nullptr;
}

// Text to a file that is there whole or not at all.
static std::string writeAtomically(const std::string &path, llvm::StringRef text) {
  if (path == "-") {
    llvm::outs() << text;
    llvm::outs().flush();
    return "";
  }
  if (llvm::Error error = llvm::writeToOutput(path, [&](llvm::raw_ostream &out) -> llvm::Error {
        out << text;
        return llvm::Error::success();
      }))
    return "'" + path + "': " + llvm::toString(std::move(error));
  return "";
}

namespace {

class Clock {
public:
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

// A file that already is HIP and holds nothing of CUDA stays as it is.
bool isPortedAlready(const Program &program, const std::vector<Site> &sites) {
  const bool edited = llvm::any_of(sites, [](const Site &s) { return !s.edits.empty(); });
  return !edited && program.file(0).text().contains("hip/hip_runtime.h");
}

// LP_MANUAL in an input was written by an earlier port: still a person's work.
void addEarlierManual(const Program &program, std::vector<Site> &sites) {
  const TokenStream &tokens = program.file(0).tokens;
  for (size_t i = 0; i < tokens.size(); ++i) {
    if (!tokens.is(i, "LP_MANUAL") || !tokens.is(i + 1, "(") || tokens[i].directive >= 0)
      continue;
    Site site;
    site.begin = tokens[i].offset;
    site.end = tokens[i].end();
    site.rule = "manual";
    site.construct = "LP_MANUAL";
    site.reason = tokens.spelling(i + 2).trim('"').str();
    sites.push_back(site);
  }
}

void runChecks(const PortJob &job, const ParseResult &parsed, const std::string &text,
               Report &report) {
  const Clock clock;
  CheckOptions options;
  options.text = text;
  options.inputDir = llvm::sys::path::parent_path(job.input).str();
  if (options.inputDir.empty())
    options.inputDir = ".";
  options.flags = job.flags;
  options.missingHeaders = parsed.missingHeaders;
  options.targets = job.targets;
  options.allowManual = report.count(Tier::Manual) > 0;
  report.checks = compileOutput(options, job.resources);
  report.allowedManual = options.allowManual;
  report.checkSeconds = clock.seconds();
}

int finish(const PortJob &job, const Report &report, bool changes) {
  if (job.looksOnly())
    return changes ? 1 : 0;
  const bool proved =
      !job.verify || (!report.proofs.empty() &&
                      llvm::all_of(report.proofs, [](const ProofResult &p) { return p.holds(); }));
  return report.count(Tier::Manual) == 0 && report.compiled() && proved ? 0 : 1;
}

bool anyRefuted(const std::vector<ProofResult> &proofs) {
  return llvm::any_of(proofs, [](const ProofResult &p) { return p.refuted(); });
}

// "// layout-port: gfx942 proved, ..." as the first line of the output.
std::string withVerdict(const std::string &text, const std::vector<ProofResult> &proofs) {
  std::string line = "// layout-port verify:";
  for (const ProofResult &proof : proofs)
    line += " " + proof.target + " " + proof.verdict + (&proof == &proofs.back() ? "" : ",");
  return line + " for the launch shape it was run with\n" + text;
}

// Proves the emission; a refuted port drops a tier and is proved again, so that
// a refuted kernel is never written as ported.
std::string proveAndEmit(const PortJob &job, const Program &program, PortedProgram &ported,
                         Emission &emission, Report &report) {
  for (const Tier best : {job.maxTier, Tier::Emulated, Tier::Manual}) {
    if (!report.proofs.empty()) {
      report.notes.push_back(std::string("verify refuted the port: tried again, ") +
                             (best == Tier::Emulated ? "without MFMA" : "its sites left manual"));
      ported = portProgram(program, PortCaps{best, {}}, job.rules);
      emission = emit(program, ported.sites, ported.made);
      if (!emission.error.empty())
        return emission.error;
    }
    if (best == Tier::Manual)
      return "";
    ProofRequest request;
    request.input = job.input;
    request.output = emission.text;
    request.launch = job.launch;
    request.flags = job.flags;
    request.targets = job.targets;
    request.executable = job.executable;
    request.allowManual =
        llvm::any_of(ported.sites, [](const Site &s) { return s.tier == Tier::Manual; });
    std::string problem;
    report.proofs = provePort(request, problem);
    if (!problem.empty()) {
      report.notes.push_back("verify could not run: " + problem);
      return "";
    }
    if (!anyRefuted(report.proofs)) {
      emission.text = withVerdict(emission.text, report.proofs);
      return "";
    }
  }
  return "";
}

int run(const PortJob &job) {
  const Clock clock;
  ParseOptions options{job.input, job.cudaPath, job.cudaArch, job.flags};
  ParseResult parsed;
  const std::string unreadable = parseBothSides(options, job.resources, parsed);
  if (!unreadable.empty())
    return trouble(unreadable);
  if (const Diagnostic *error = fatalError(parsed))
    return trouble(error->file + ":" + llvm::Twine(error->line) + ":" + llvm::Twine(error->column) +
                   ": " + error->message + ": the source does not parse, mend it first");
  const Program &program = parsed.program;
  PortedProgram ported = portProgram(program, PortCaps{job.maxTier, {}}, job.rules);
  Report report;
  report.input = job.input;
  report.targets = job.targets;
  report.notes = job.notes;
  addParseNotes(parsed, report.notes);
  Emission emission;
  if (isPortedAlready(program, ported.sites)) {
    emission.text = program.file(0).text().str();
    report.notes.push_back("already HIP: nothing to port");
    addEarlierManual(program, ported.sites);
  } else {
    emission = emit(program, ported.sites, ported.made);
  }
  if (!emission.error.empty())
    return trouble(emission.error);
  const bool changes = emission.text != program.file(0).text();
  if (job.verify && changes && !job.looksOnly()) {
    const std::string problem = proveAndEmit(job, program, ported, emission, report);
    if (!problem.empty())
      return trouble(problem);
  }
  for (const unsigned header : emission.inlinedHeaders)
    report.notes.push_back("header '" + program.file(header).path +
                           "' holds CUDA: its ported text stands in the output");
  llvm::append_range(report.notes, ported.notes);
  addLaunchNotes(program, ported.sites, report.notes);
  addArmNotes(program, ported.sites, job.cudaArch, report.notes);
  report.sites = std::move(ported.sites);
  report.portSeconds = clock.seconds();
  if (job.showDiff) {
    llvm::outs() << unifiedDiff(program.file(0).text(), emission.text, job.input,
                                job.output == "-" ? job.input : job.output);
  } else if (!job.checkOnly) {
    runChecks(job, parsed, emission.text, report);
    const std::string problem = writeAtomically(job.output, emission.text);
    if (!problem.empty())
      return trouble(problem);
  }
  if (!job.json.empty()) {
    const std::string problem = writeAtomically(job.json, reportJson(report, program));
    if (!problem.empty())
      return trouble("--json " + problem);
  }
  if (!job.quiet)
    printSummary(llvm::errs(), report, program);
  return finish(job, report, changes);
}

} // namespace

static int printRuleList() {
  std::map<std::string, std::string> summaries;
  for (const RulePage &page : rulePages())
    for (const std::string &name : page.names)
      summaries[name] = page.summary;
  for (const auto &[name, summary] : summaries)
    llvm::outs() << llvm::formatv("{0,-22} {1}\n", name, summary);
  return 0;
}

static int printRulePage(llvm::StringRef name) {
  const RulePage *page = findRulePage(name);
  if (!page)
    return trouble("--explain: no rule is called '" + name + "': see --list-rules");
  llvm::outs() << page->text;
  return 0;
}

int port(llvm::ArrayRef<const char *> args) {
  const PortRequest request = parsePortOptions(args);
  if (!request.error.empty())
    return trouble(request.error);
  switch (request.kind) {
  case PortRequest::Kind::ListRules:
    return printRuleList();
  case PortRequest::Kind::Explain:
    return printRulePage(request.explain);
  case PortRequest::Kind::Port:
    break;
  }
  return run(request.job);
}

} // namespace layout_port::commands
