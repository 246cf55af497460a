#include "commands/Port.h"

#include "Registry.h"
#include "check/Compile.h"
#include "commands/PortProof.h"
#include "commands/PortVerify.h"
#include "frontend/Flags.h"
#include "frontend/Parse.h"
#include "frontend/Resources.h"
#include "pages/Pages.h"
#include "report/Diff.h"
#include "report/Report.h"
#include "source/Emit.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

#include <chrono>
#include <map>

namespace cl = llvm::cl;

namespace layout_port::commands {

static constexpr llvm::StringRef overview =
    "Ports CUDA source to HIP for AMD's CDNA cards.\n\n"
    "  layout-port kernel.cu -o kernel.hip          port one file\n"
    "  layout-port kernel.cu -o k.hip -- -Iinclude  with compiler flags\n"
    "  layout-port kernel.cu --diff                 only show what would change\n\n"
    "Every construct that must change is a site with a tier: native, bridged,\n"
    "emulated, renamed, or manual. A manual site is left in a comment beside\n"
    "LP_MANUAL(\"reason\"), which does not compile; define LP_ALLOW_MANUAL to look at\n"
    "the rest. The output is compiled with clang for every target before the summary\n"
    "says that it compiles.\n\n"
    "Exit status: 0 everything ported and compiled; 1 output written, but named sites\n"
    "need a person (or --check/--diff would change something); 2 trouble, nothing\n"
    "written.";

static cl::OptionCategory category("layout-port options");

static cl::opt<std::string> inputArg(cl::Positional, cl::desc("IN"), cl::cat(category));
static cl::opt<std::string> outputArg("o", cl::desc("Write the HIP file here (default: stdout)"),
                                      cl::value_desc("file"), cl::cat(category));
static cl::opt<bool> inPlace("i", cl::desc("Write over the input"), cl::cat(category));
static cl::list<std::string> targetArgs("target", cl::CommaSeparated,
                                        cl::desc("Chips to compile for: gfx90a, gfx942, gfx950 "
                                                 "(default: gfx942); one output serves all"),
                                        cl::value_desc("gfx942,..."), cl::cat(category));
static cl::opt<std::string> maxTierArg("max-tier",
                                       cl::desc("The best tier a site may get: native (default), "
                                                "bridged, emulated"),
                                       cl::value_desc("tier"), cl::init("native"),
                                       cl::cat(category));
static cl::list<std::string> ruleArgs("rules", cl::CommaSeparated,
                                      cl::desc("Port with these rules only, e.g. -tensor-* for all "
                                               "but the tensor rules; what the others would port "
                                               "is manual"),
                                      cl::value_desc("globs"), cl::cat(category));
static cl::opt<bool> listRules("list-rules", cl::desc("List the rules, a line each"),
                               cl::cat(category));
static cl::opt<std::string> explainRule("explain", cl::desc("Print the page of a rule"),
                                        cl::value_desc("rule"), cl::cat(category));
static cl::opt<std::string> buildDir("p", cl::desc("Folder of a compile_commands.json"),
                                     cl::value_desc("folder"), cl::cat(category));
static cl::opt<std::string> jsonFile("json", cl::desc("Write the report here as JSON"),
                                     cl::value_desc("file"), cl::cat(category));
static cl::opt<bool> showDiff("diff", cl::desc("Print what would change; write nothing"),
                              cl::cat(category));
static cl::opt<bool> checkOnly("check", cl::desc("Exit 1 if anything would change; write nothing"),
                               cl::cat(category));
static cl::opt<std::string> cudaPath("cuda-path",
                                     cl::desc("Read the CUDA headers of this SDK instead of the "
                                              "ones that come with layout-port"),
                                     cl::value_desc("folder"), cl::cat(category));
static cl::opt<std::string> resourceDir("resource-dir", cl::desc("clang's builtin headers"),
                                        cl::value_desc("folder"), cl::cat(category));
static cl::opt<bool> verifyArg("verify",
                                cl::desc("Prove the port on the SIMT machine before writing it"),
                                cl::cat(category));
static cl::opt<std::string> launchFile("launch",
                                       cl::desc("With --verify: kernels, shapes and buffers "
                                                "(default: what verify --launch-template writes)"),
                                       cl::value_desc("file"), cl::cat(category));
static cl::opt<std::string> breakRuleArg("break-rule", cl::Hidden,
                                         cl::desc("For layout-port's own tests: make the sites of a "
                                                  "rule wrong, RULE|TIER|FROM|TO[|LINE]"),
                                         cl::cat(category));
static cl::opt<bool> quiet("quiet", cl::desc("Print errors only"), cl::cat(category));

static int trouble(const llvm::Twine &message) {
  llvm::errs() << "layout-port: error: " << message << "\n";
  return 2;
}

// What stops a run before it reads the source; empty when nothing does.
static std::string inputProblem(const std::string &path) {
  if (path.empty())
    return "no input file: see --help";
  llvm::sys::fs::file_status status;
  if (llvm::sys::fs::status(path, status))
    return "'" + path + "': no such file";
  if (llvm::sys::fs::is_directory(status))
    return "'" + path + "' is a folder: give one CUDA file";
  auto buffer = llvm::MemoryBuffer::getFile(path);
  if (!buffer)
    return "'" + path + "': " + buffer.getError().message();
  const llvm::StringRef text = (*buffer)->getBuffer();
  if (text.trim().empty())
    return "'" + path + "' is empty: there is nothing to port";
  if (text.contains('\0'))
    return "'" + path + "' is not text: give CUDA source";
  return "";
}

static std::string outputProblem(const std::string &input, const std::string &output) {
  if (output.empty() || output == "-")
    return "";
  bool same = false;
  if (!llvm::sys::fs::equivalent(input, output, same) && same)
    return "-o names the input itself: use -i to write over it";
  if (llvm::sys::fs::is_directory(output))
    return "-o '" + output + "' is a folder: name a file";
  llvm::StringRef folder = llvm::sys::path::parent_path(output);
  if (folder.empty())
    folder = ".";
  if (!llvm::sys::fs::is_directory(folder))
    return "-o '" + output + "': there is no folder '" + folder.str() + "'";
  if (llvm::sys::fs::access(folder, llvm::sys::fs::AccessMode::Write))
    return "-o '" + output + "': the folder cannot be written to";
  return "";
}

static std::string chooseTargets(std::vector<std::string> &targets) {
  targets.assign(targetArgs.begin(), targetArgs.end());
  if (targets.empty())
    targets = {"gfx942"};
  for (const std::string &target : targets)
    if (target != "gfx90a" && target != "gfx942" && target != "gfx950")
      return "--target: unknown chip '" + target + "': choose from gfx90a, gfx942, gfx950";
  return "";
}

static std::string chooseMaxTier(Tier &tier) {
  for (const Tier known : {Tier::Native, Tier::Bridged, Tier::Emulated})
    if (maxTierArg == tierName(known)) {
      tier = known;
      return "";
    }
  return "--max-tier: unknown tier '" + maxTierArg + "': choose from native, bridged, emulated";
}

// A syntax error hides code from the parser and would make a broken output: it
// stops the port, unless it may only stem from a header that is not here.
static const Diagnostic *fatalError(const ParseResult &parsed) {
  if (!parsed.missingHeaders.empty() || parsed.errors.empty())
    return nullptr;
  const Diagnostic &first = parsed.errors.front();
  return first.isParseIssue && first.inUserFile ? &first : nullptr;
}

static std::vector<std::string> notesOf(const ParseResult &parsed) {
  std::vector<std::string> notes;
  for (const std::string &header : parsed.missingHeaders)
    notes.push_back("header '" + header + "' was not found: read as empty");
  constexpr size_t shown = 5;
  for (size_t i = 0; i < parsed.errors.size() && i < shown; ++i) {
    const Diagnostic &d = parsed.errors[i];
    notes.push_back("while parsing, " + d.file + ":" + std::to_string(d.line) + ": " + d.message);
  }
  if (parsed.errors.size() > shown)
    notes.push_back("and " + std::to_string(parsed.errors.size() - shown) +
                    " more parse errors; what they hide was ported from its tokens alone");
  return notes;
}

// A block that is no whole number of waves never takes the MFMA arm of a bridged
// site in its last wave: right, but slow, and worth a line.
static void addLaunchNotes(const Program &program, const std::vector<Site> &sites,
                           std::vector<std::string> &notes) {
  const bool bridged = llvm::any_of(
      sites, [](const Site &s) { return s.tier == Tier::Bridged && s.rule == "tensor-mma"; });
  for (const auto &[place, launch] : program.facts.launches) {
    if (!bridged || launch.threads % 64 == 0)
      continue;
    unsigned line = 0, column = 0;
    program.file(place.first).tokens.lineAndColumn(place.second, line, column);
    notes.push_back(launch.kernel + " is launched with " + std::to_string(launch.threads) +
                    " threads a block (" + program.file(place.first).path + ":" +
                    std::to_string(line) +
                    "): its last half wave multiplies without MFMA; whole waves need a "
                    "multiple of 64");
  }
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

struct Job {
  std::string input, output;
  std::vector<std::string> targets, flags;
  Tier maxTier = Tier::Native;
  RuleGlobs rules;
  Resources resources;
  const char *executable = "";
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

void runChecks(const Job &job, const ParseResult &parsed, const std::string &text, Report &report) {
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

int finish(const Report &report, bool changes) {
  if (checkOnly || showDiff)
    return changes ? 1 : 0;
  const bool proved =
      !verifyArg || (!report.proofs.empty() &&
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

PortedProgram portWith(const Job &job, const Program &program, const PortCaps &caps) {
  PortedProgram ported = portProgram(program, caps, job.rules);
  if (!breakRuleArg.empty())
    breakRule(program, breakRuleArg, ported.sites);
  return ported;
}

// Proves the emission; what is refuted drops a tier or is left to a person.
void proveAndEmit(const Job &job, const Program &program, PortedProgram &ported,
                  Emission &emission, Report &report) {
  VerifyJob verify{program, {}, PortCaps{job.maxTier, {}},
                   [&](const PortCaps &caps) { return portWith(job, program, caps); }};
  verify.request.input = job.input;
  verify.request.launch = launchFile;
  verify.request.flags = job.flags;
  verify.request.targets = job.targets;
  verify.request.executable = job.executable;
  VerifiedPort first;
  first.ported = std::move(ported);
  first.emission = std::move(emission);
  VerifiedPort result = verifyPort(verify, std::move(first));
  ported = std::move(result.ported);
  emission = std::move(result.emission);
  report.proofs = std::move(result.proofs);
  report.notes.insert(report.notes.end(), result.notes.begin(), result.notes.end());
  if (!report.proofs.empty() && emission.error.empty())
    emission.text = withVerdict(emission.text, report.proofs);
}

int run(const Job &job) {
  const Clock clock;
  ParseOptions options{job.input, cudaPath, job.flags};
  ParseResult parsed;
  const std::string unreadable = parseBothSides(options, job.resources, parsed);
  if (!unreadable.empty())
    return trouble(unreadable);
  if (const Diagnostic *error = fatalError(parsed))
    return trouble(error->file + ":" + llvm::Twine(error->line) + ":" + llvm::Twine(error->column) +
                   ": " + error->message + ": the source does not parse, mend it first");
  const Program &program = parsed.program;
  PortedProgram ported = portWith(job, program, PortCaps{job.maxTier, {}});
  Report report;
  report.input = job.input;
  report.targets = job.targets;
  report.notes = notesOf(parsed);
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
  if (verifyArg && changes && !checkOnly && !showDiff) {
    proveAndEmit(job, program, ported, emission, report);
    if (!emission.error.empty())
      return trouble(emission.error);
  }
  for (const unsigned header : emission.inlinedHeaders)
    report.notes.push_back("header '" + program.file(header).path +
                           "' holds CUDA: its ported text stands in the output");
  llvm::append_range(report.notes, ported.notes);
  addLaunchNotes(program, ported.sites, report.notes);
  report.sites = std::move(ported.sites);
  report.portSeconds = clock.seconds();
  if (showDiff) {
    llvm::outs() << unifiedDiff(program.file(0).text(), emission.text, job.input,
                                job.output == "-" ? job.input : job.output);
  } else if (!checkOnly) {
    runChecks(job, parsed, emission.text, report);
    const std::string problem = writeAtomically(job.output, emission.text);
    if (!problem.empty())
      return trouble(problem);
  }
  if (!jsonFile.empty()) {
    const std::string problem = writeAtomically(jsonFile, reportJson(report, program));
    if (!problem.empty())
      return trouble("--json " + problem);
  }
  if (!quiet)
    printSummary(llvm::errs(), report, program);
  return finish(report, changes);
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

// IN ... -- FLAGS
static std::vector<const char *> splitAtDashes(llvm::ArrayRef<const char *> args,
                                               std::vector<std::string> &flags) {
  std::vector<const char *> own;
  bool after = false;
  for (const char *arg : args) {
    if (!after && llvm::StringRef(arg) == "--")
      after = true;
    else if (after)
      flags.push_back(arg);
    else
      own.push_back(arg);
  }
  return own;
}

int port(llvm::ArrayRef<const char *> args) {
  Job job;
  job.executable = args[0];
  std::vector<std::string> userFlags;
  const std::vector<const char *> own = splitAtDashes(args, userFlags);
  cl::HideUnrelatedOptions(category);
  std::string usage;
  llvm::raw_string_ostream usageOut(usage);
  if (!cl::ParseCommandLineOptions(own.size(), own.data(), overview, &usageOut)) {
    const llvm::StringRef first = llvm::StringRef(usage).ltrim().split('\n').first;
    const size_t colon = first.find(": ");
    return trouble(colon == llvm::StringRef::npos ? first : first.substr(colon + 2));
  }
  if (listRules)
    return printRuleList();
  if (!explainRule.empty())
    return printRulePage(explainRule);
  job.input = inputArg;
  if (inPlace && !outputArg.empty())
    return trouble("-i and -o exclude each other");
  job.output = inPlace ? job.input : outputArg.empty() ? "-" : outputArg.getValue();
  std::string problem = inputProblem(job.input);
  if (problem.empty() && !inPlace)
    problem = outputProblem(job.input, job.output);
  if (problem.empty() && !jsonFile.empty())
    problem = outputProblem(job.input, jsonFile);
  if (problem.empty() && !launchFile.empty() && !llvm::sys::fs::exists(launchFile))
    problem = "--launch '" + launchFile + "': no such file";
  if (problem.empty())
    problem = chooseTargets(job.targets);
  if (problem.empty())
    problem = chooseMaxTier(job.maxTier);
  if (problem.empty())
    problem = job.rules.set({ruleArgs.begin(), ruleArgs.end()});
  if (problem.empty() && !cudaPath.empty() &&
      !llvm::sys::fs::exists(cudaPath + "/include/cuda_runtime.h"))
    problem = "--cuda-path: no include/cuda_runtime.h in '" + cudaPath + "'";
  if (problem.empty())
    problem = findResources(args[0], resourceDir, job.resources);
  if (problem.empty() && !buildDir.empty())
    problem = flagsFromDatabase(buildDir, job.input, job.flags);
  if (!problem.empty())
    return trouble(problem);
  const std::vector<std::string> translated = translateNvccFlags(userFlags);
  job.flags.insert(job.flags.end(), translated.begin(), translated.end());
  return run(job);
}

} // namespace layout_port::commands
