#include "commands/Port.h"

#include "Registry.h"
#include "census/Census.h"
#include "check/Compile.h"
#include "check/LdsLimit.h"
#include "commands/PortProof.h"
#include "commands/PortVerify.h"
#include "commands/port/DropNative.h"
#include "commands/port/Fault.h"
#include "commands/port/Notes.h"
#include "commands/port/Options.h"
#include "commands/port/Placement.h"
#include "commands/port/StandardHeaders.h"
#include "frontend/Parse.h"
#include "launch/LaunchFile.h"
#include "native/ExplainPlan.h"
#include "pages/Pages.h"
#include "report/Diff.h"
#include "report/Report.h"
#include "report/WriteFile.h"
#include "source/Emit.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/WithColor.h"
#include "llvm/Support/raw_ostream.h"

#include <chrono>
#include <map>

namespace layout_port::commands {

static int trouble(const llvm::Twine &message) {
  llvm::WithColor::error(llvm::errs(), "layout-port") << message << "\n";
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

namespace {

class Clock {
public:
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

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

// -DNAME, -DNAME=value, -D NAME: the names.
std::vector<std::string> definedByFlags(const std::vector<std::string> &flags) {
  std::vector<std::string> names;
  for (size_t i = 0; i < flags.size(); ++i) {
    llvm::StringRef flag = flags[i];
    if (!flag.consume_front("-D"))
      continue;
    if (flag.empty() && i + 1 < flags.size())
      flag = flags[++i];
    names.push_back(flag.take_until([](char c) { return c == '=' || c == '('; }).str());
  }
  return names;
}

// Headers and the runtime, when they are files of their own.
std::vector<EmittedFile> besideMain(const Emission &emission) {
  std::vector<EmittedFile> files = emission.headers;
  if (!emission.runtimeHeader.empty())
    files.push_back({runtimeHeaderName.str(), emission.runtimeHeader});
  return files;
}

// The port of a parsed program: sites, the text and the files beside it.
struct Port {
  PortedProgram ported;
  Emission emission;
};

// What a ported header in a file of its own includes from beside it: those that stay as they are.
void addUnchangedHeaders(const Program &program, const Emission &emission, const Placement &place,
                         std::vector<EmittedFile> &beside) {
  for (unsigned f = 1; f < program.files.size() && !emission.headers.empty(); ++f)
    if (!llvm::is_contained(emission.portedHeaders, f))
      beside.push_back({place.unchanged(f), program.file(f).text().str()});
}

bool anyManual(const std::vector<Site> &sites) {
  return llvm::any_of(sites, [](const Site &s) { return s.tier == Tier::Manual && !s.unreached; });
}

std::vector<CheckResult> check(const PortJob &job, const ParseResult &parsed, const Port &port,
                               const Placement &place, const std::vector<std::string> &targets) {
  CheckOptions options;
  options.text = port.emission.text;
  options.path = place(0);
  addUnchangedHeaders(parsed.program, port.emission, place, options.beside);
  llvm::append_range(options.beside, besideMain(port.emission));
  options.inputDir = llvm::sys::path::parent_path(job.input).str();
  if (options.inputDir.empty())
    options.inputDir = ".";
  options.flags = job.flags;
  options.missingHeaders = parsed.missingHeaders;
  options.targets = targets;
  options.seconds = job.checkSeconds;
  options.allowManual = anyManual(port.ported.sites);
  return compileOutput(options, job.resources);
}

void addCheckNotes(const ParseResult &parsed, Report &report) {
  for (CheckResult &check : report.checks) {
    for (std::string &advice : ldsAdvice(check.diagnostics, check.target))
      report.notes.push_back(std::move(advice));
    addSharedNotes(parsed, check, report.notes);
  }
}

int finish(const PortJob &job, const Report &report, bool changes) {
  if (job.looksOnly())
    return changes && (job.showDiff || job.checkOnly) ? 1 : 0;
  const bool proved =
      !job.verify || (!report.proofs.empty() &&
                      llvm::all_of(report.proofs, [](const ProofResult &p) { return p.holds(); }));
  return report.count(Tier::Manual) == 0 && report.compiled() && proved ? 0 : 1;
}

// "// layout-port: gfx942 proved, ..." as the first line of the output.
std::string withVerdict(const std::string &text, const std::vector<ProofResult> &proofs) {
  std::string line = "// layout-port verify:";
  for (const ProofResult &proof : proofs)
    line += " " + proof.target + " " + proof.verdict + (&proof == &proofs.back() ? "" : ",");
  line += " for the launch shape it was run with";
  if (proofs.front().exceptManual)
    line += ", but for the manual sites";
  return line + "\n" + text;
}

// "ns::kernel<32>" -> "kernel".
llvm::StringRef bareName(llvm::StringRef kernel) {
  kernel = kernel.take_until([](char c) { return c == '<'; });
  const size_t scope = kernel.rfind("::");
  return (scope == kernel.npos ? kernel : kernel.drop_front(scope + 2)).trim();
}

// The blocks of the launch file tell whether waves are whole; the port checks it when it
// runs. A file that does not read is the prover's to report.
void learnFromLaunchFile(const std::string &path, AstFacts &facts) {
  if (path.empty())
    return;
  auto file = verify::readLaunchFile(path);
  if (!file) {
    llvm::consumeError(file.takeError());
    return;
  }
  for (native::Kernel &kernel : facts.kernels) {
    bool seen = false, whole = true;
    for (const verify::LaunchSpec &launch : file->launches)
      if (bareName(launch.kernel) == kernel.name) {
        seen = true;
        whole &= launch.block[0] * launch.block[1] * launch.block[2] % 64 == 0;
      }
    kernel.assumesWholeWaves |= seen && whole;
  }
}

PortedProgram portWith(const PortJob &job, const ParseResult &parsed, const PortCaps &caps) {
  PortChoices choices = job.choices;
  choices.targets = job.targets;
  PortedProgram ported =
      portProgram(parsed.program, caps, job.rules, choices, parsed.warps, parsed.uses);
  if (!job.breakRule.empty())
    breakRule(parsed.program, job.breakRule, ported.sites);
  return ported;
}

// What an earlier port left beside this output: its chunks stay in the header.
std::string withEarlierChunks(const std::string &path, const std::string &header) {
  const auto earlier = llvm::MemoryBuffer::getFile(path);
  return earlier ? mergeRuntimeHeaders((*earlier)->getBuffer(), header) : header;
}

std::string writeBeside(const PortJob &job, const Emission &emission) {
  for (const EmittedFile &file : besideMain(emission)) {
    const std::string path = job.outputRoot + "/" + file.path;
    if (llvm::sys::fs::create_directories(llvm::sys::path::parent_path(path)))
      return "the folder of '" + path + "' cannot be made";
    const bool isRuntime = file.path == runtimeHeaderName;
    const std::string problem =
        writeWhole(path, isRuntime ? withEarlierChunks(path, file.text) : file.text);
    if (!problem.empty())
      return problem;
  }
  return "";
}

void addHeaderNotes(const PortJob &job, const Program &program, const Emission &emission,
                    std::vector<std::string> &notes) {
  for (size_t i = 0; i < emission.portedHeaders.size(); ++i)
    notes.push_back("header '" + program.file(emission.portedHeaders[i]).path + "' holds CUDA: " +
                    (emission.headers.empty()
                         ? std::string("its ported text stands in the output")
                         : "ported to '" + job.outputRoot + "/" + emission.headers[i].path + "'"));
}

Port makePort(const PortJob &job, const ParseResult &parsed, const PortCaps &caps,
              const EmitOptions &options) {
  const Program &program = parsed.program;
  Port port;
  if (isHip(program)) {
    port.emission.text = program.file(0).text().str();
    addEarlierManual(program, port.ported.sites);
    return port;
  }
  port.ported = portWith(job, parsed, caps);
  port.emission = emit(program, port.ported.sites, port.ported.made, options);
  return port;
}

// What to drop of a port that did not pass `checks`; see DropNative.h.
std::optional<Dropped> dropWhatFails(const PortJob &job, const ParseResult &parsed,
                                     const EmitOptions &options, const Placement &place,
                                     const PortCaps &caps, const Port &port,
                                     const std::vector<CheckResult> &checks) {
  const auto failed = llvm::find_if(checks, [](const CheckResult &c) { return !c.compiled; });
  if (failed == checks.end())
    return std::nullopt;
  const auto compiles = [&](const PortCaps &lower) {
    const Port trial = makePort(job, parsed, lower, options);
    const bool isHost = failed->target == "host";
    return trial.emission.error.empty() &&
           llvm::none_of(
               check(job, parsed, trial, place, {isHost ? job.targets.front() : failed->target}),
               [&](const CheckResult &c) { return c.target == failed->target && !c.compiled; });
  };
  return dropNative(parsed.program, port.ported.sites, caps, *failed, compiles);
}

// Proves the port, as one text; what is refuted drops a tier or is left to a person.
std::string prove(const PortJob &job, const ParseResult &parsed, const PortCaps &caps,
                  const EmitOptions &options, Port &port, Report &report) {
  const Program &program = parsed.program;
  VerifyJob verify{
      program, {}, caps, [&](const PortCaps &lower) { return portWith(job, parsed, lower); }};
  verify.request.input = job.input;
  verify.request.launch = job.launch;
  verify.request.flags = job.flags;
  verify.request.targets = job.targets;
  verify.request.executable = job.executable;
  verify.request.padded = port.ported.padded;
  VerifiedPort first;
  first.emission = emit(program, port.ported.sites, port.ported.made);
  first.ported = std::move(port.ported);
  if (!first.emission.error.empty())
    return first.emission.error;
  VerifiedPort result = verifyPort(verify, std::move(first));
  port.ported = std::move(result.ported);
  report.proofs = std::move(result.proofs);
  report.notes.insert(report.notes.end(), result.notes.begin(), result.notes.end());
  if (!result.emission.error.empty())
    return result.emission.error;
  port.emission = emit(program, port.ported.sites, port.ported.made, options);
  return port.emission.error;
}

// Compiles what was ported, and proves it where that is asked for; what fails drops a tier.
std::string settle(const PortJob &job, const ParseResult &parsed, const EmitOptions &options,
                   const Placement &place, Port &port, Report &report) {
  PortCaps caps{job.maxTier, {}, {}};
  report.checks = check(job, parsed, port, place, job.targets);
  if (std::optional<Dropped> dropped =
          dropWhatFails(job, parsed, options, place, caps, port, report.checks)) {
    caps = dropped->caps;
    report.notes.push_back(dropped->note);
    port = makePort(job, parsed, caps, options);
    report.checks = check(job, parsed, port, place, job.targets);
  }
  if (!job.verify || isHip(parsed.program))
    return port.emission.error;
  const std::string compiled = port.emission.text;
  if (std::string problem = prove(job, parsed, caps, options, port, report); !problem.empty())
    return problem;
  if (port.emission.text != compiled)
    report.checks = check(job, parsed, port, place, job.targets);
  if (!report.proofs.empty())
    port.emission.text = withVerdict(port.emission.text, report.proofs);
  return "";
}

int run(const PortJob &job) {
  const Clock clock;
  faultOnDemand(job.input);
  ParseOptions options{job.input, job.cudaPath, job.cudaArch, job.flags};
  ParseResult parsed;
  const std::string unreadable = parseBothSides(options, job.resources, parsed);
  if (!unreadable.empty())
    return trouble(unreadable);
  if (const Diagnostic *error = fatalError(parsed))
    return trouble(error->file + ":" + llvm::Twine(error->line) + ":" + llvm::Twine(error->column) +
                   ": " + error->message + ": the source does not parse, mend it first");
  learnFromLaunchFile(job.launch, parsed.program.facts);
  for (const std::string &macro : definedByFlags(job.flags))
    parsed.program.flagMacros.insert(macro);
  const Program &program = parsed.program;
  const Placement place(program, job.sourceRoot, job.outputRoot,
                        job.output == "-" ? "output.hip" : job.output, job.inPlace);
  EmitOptions emitOptions;
  emitOptions.headers = job.headers;
  emitOptions.runtime = job.runtime;
  emitOptions.place = [&](unsigned file) { return place(file); };
  emitOptions.macros = definedByFlags(job.flags);
  emitOptions.standardHeaders = standardHeaders(parsed);
  Report report;
  report.input = job.input;
  report.targets = job.targets;
  report.notes = job.notes;
  if (!isHip(program)) // no CUDA header is missed there
    addParseNotes(parsed, report.notes);
  else
    report.notes.push_back("already HIP: nothing to port");
  Port port = makePort(job, parsed, PortCaps{job.maxTier, {}, {}}, emitOptions);
  report.portSeconds = clock.seconds();
  if (port.emission.error.empty() && !job.looksOnly())
    port.emission.error = settle(job, parsed, emitOptions, place, port, report);
  if (!port.emission.error.empty())
    return trouble(port.emission.error);
  report.checkSeconds = clock.seconds() - report.portSeconds;
  const Emission &emission = port.emission;
  const bool changes = emission.text != program.file(0).text();
  addHeaderNotes(job, program, emission, report.notes);
  llvm::append_range(report.notes, port.ported.notes);
  addTypePunNotes(program, report.notes);
  addLaunchNotes(program, port.ported, report.notes);
  addArmNotes(program, port.ported.sites, job.cudaArch, report.notes);
  const std::vector<std::string> padded = std::move(port.ported.padded);
  const std::map<std::string, std::string> unpadded = std::move(port.ported.unpadded);
  report.sites = std::move(port.ported.sites);
  report.allowedManual = report.count(Tier::Manual) > 0;
  if (job.showDiff)
    llvm::outs() << unifiedDiff(program.file(0).text(), emission.text, job.input,
                                job.output == "-" ? job.input : job.output);
  if (job.explainPlan)
    llvm::outs() << native::explainPlans(program, PortCaps{job.maxTier, {}, {}}, padded, unpadded,
                                         job.targets);
  if (!job.looksOnly()) {
    addCheckNotes(parsed, report);
    std::string problem = writeBeside(job, emission);
    if (problem.empty())
      problem = writeWhole(job.output, emission.text);
    if (!problem.empty())
      return trouble(problem);
  }
  if (!job.json.empty()) {
    const std::string problem = writeWhole(job.json, reportJson(report, program));
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
  case PortRequest::Kind::Refused:
    return 2;
  case PortRequest::Kind::Port:
    break;
  }
  return run(request.job);
}

} // namespace layout_port::commands
