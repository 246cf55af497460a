#include "commands/port/Options.h"

#include "frontend/Flags.h"
#include "frontend/Parse.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/WithColor.h"
#include "llvm/Support/raw_ostream.h"

#include <set>

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
static cl::opt<std::string>
    warpBlocksArg("warp-blocks",
                  cl::desc("Blocks of an odd number of warps: keep (default), or pad them to "
                           "whole waves where the kernel and all its launches are in view"),
                  cl::value_desc("what"), cl::init("keep"), cl::cat(category));
static cl::opt<bool> widenArg("widen",
                              cl::desc("Make reductions of a block 64 lanes wide where the code "
                                       "around them proves it right"),
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
static cl::opt<bool> explainPlan("explain-plan",
                                 cl::desc("Print the native plans of each kernel in their order, "
                                          "with prices; without -o or -i, write nothing"),
                                 cl::cat(category));
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
static cl::opt<std::string> cudaArch("cuda-arch",
                                     cl::desc("Compile the #if arms of this architecture; the "
                                              "others are ported from their tokens"),
                                     cl::value_desc("sm_80"), cl::init("sm_80"), cl::cat(category));
static cl::opt<std::string> headersArg("headers",
                                       cl::desc("Where ported headers go: inline (in the output, "
                                                "default) or alongside (files beside it)"),
                                       cl::value_desc("where"), cl::init("inline"),
                                       cl::cat(category));
static cl::opt<std::string>
    runtimeArg("runtime",
               cl::desc("Where the device runtime goes: inline (default) or "
                        "include (layout_port_runtime.h beside the output)"),
               cl::value_desc("where"), cl::init("inline"), cl::cat(category));
// What `batch` tells its children about the tree they work in, and how long the compile check
// may take.
static cl::opt<std::string> sourceRoot("source-root", cl::Hidden, cl::cat(category));
static cl::opt<std::string> outputRoot("output-root", cl::Hidden, cl::cat(category));
static cl::opt<unsigned> checkSeconds("check-seconds", cl::Hidden, cl::init(300),
                                      cl::cat(category));
static cl::opt<std::string> resourceDir("resource-dir", cl::desc("clang's builtin headers"),
                                        cl::value_desc("folder"), cl::cat(category));
static cl::opt<bool> verifyPort("verify",
                                cl::desc("Prove the port on the SIMT machine before writing it"),
                                cl::cat(category));
static cl::opt<std::string> launchFile("launch",
                                       cl::desc("With --verify: kernels, shapes and buffers "
                                                "(default: what verify --launch-template writes)"),
                                       cl::value_desc("file"), cl::cat(category));
static cl::opt<std::string> breakRuleArg("break-rule", cl::Hidden,
                                         cl::desc("For layout-port's own tests: make the sites of "
                                                  "a rule wrong, RULE|TIER|FROM|TO[|LINE]"),
                                         cl::cat(category));
static cl::opt<bool> quiet("quiet", cl::desc("Print errors only"), cl::cat(category));

// What stops a run before it reads the source; empty when nothing does.
static std::string inputProblem(const std::string &path) {
  if (path.empty())
    return "no input file: see --help";
  llvm::sys::fs::file_status status;
  if (llvm::sys::fs::status(path, status))
    return "'" + path + "': no such file";
  if (llvm::sys::fs::is_directory(status))
    return "'" + path + "' is a folder: give one CUDA file";
  constexpr uint64_t mostBytes = 8u << 20; // no source anyone wrote is larger
  if (status.getSize() > mostBytes)
    return llvm::formatv("'{0}' has {1:F1} MB: a source file may have {2:F1} MB", path,
                         status.getSize() / 1e6, mostBytes / 1e6);
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

static bool isSameFile(const std::string &a, const std::string &b) {
  bool same = false;
  return a == b || (!llvm::sys::fs::equivalent(a, b, same) && same);
}

// `option` is -o or --json.
static std::string outputProblem(llvm::StringRef option, const std::string &input,
                                 const std::string &output) {
  if (output.empty() || output == "-")
    return "";
  if (isSameFile(input, output))
    return option == "-o" ? "-o names the input itself: use -i to write over it"
                          : (option + " names the input itself").str();
  const std::string named = (option + " '" + output + "'").str();
  if (llvm::sys::fs::is_directory(output))
    return named + " is a folder: name a file";
  llvm::StringRef folder = llvm::sys::path::parent_path(output);
  if (folder.empty())
    folder = ".";
  if (!llvm::sys::fs::is_directory(folder))
    return named + ": there is no folder '" + folder.str() + "'";
  if (llvm::sys::fs::access(folder, llvm::sys::fs::AccessMode::Write))
    return named + ": the folder cannot be written to";
  return "";
}

static std::string chooseTargets(std::vector<std::string> &targets) {
  targets.assign(targetArgs.begin(), targetArgs.end());
  if (targets.empty())
    targets = {"gfx942"};
  for (const std::string &target : targets)
    if (target != "gfx90a" && target != "gfx942" && target != "gfx950")
      return "--target: unknown chip '" + target + "': choose from gfx90a, gfx942, gfx950";
  std::set<std::string> known; // a chip named twice is one
  llvm::erase_if(targets, [&](const std::string &target) { return !known.insert(target).second; });
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

static std::string chooseWarpBlocks(PortChoices &choices) {
  choices.widen = widenArg;
  if (warpBlocksArg != "keep" && warpBlocksArg != "pad")
    return "--warp-blocks: '" + warpBlocksArg + "': choose from keep, pad";
  choices.warpBlocks = warpBlocksArg == "pad" ? WarpBlocks::Pad : WarpBlocks::Keep;
  return "";
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

// `--headers` and `--runtime`: inline, or separate under a name of its own.
static std::string chooseDelivery(const cl::opt<std::string> &option, llvm::StringRef separate,
                                  const PortJob &job, Delivery &delivery) {
  const std::string name = ("--" + option.ArgStr).str();
  if (option == "inline")
    return "";
  if (option != separate.str())
    return name + ": '" + option + "': choose from inline, " + separate.str();
  if (job.output == "-" && !job.looksOnly())
    return name + "=" + separate.str() + " writes files beside the output: name it with -o";
  delivery = Delivery::Separate;
  return "";
}

static std::string folderOf(const std::string &file) {
  const llvm::StringRef folder = llvm::sys::path::parent_path(file);
  return folder.empty() ? "." : folder.str();
}

static std::string checkCudaPath() {
  if (cudaPath.empty() || llvm::sys::fs::exists(cudaPath + "/include/cuda_runtime.h"))
    return "";
  return "--cuda-path: no include/cuda_runtime.h in '" + cudaPath + "'";
}

static std::string checkCudaArch() {
  if (cudaArchNumber(cudaArch))
    return "";
  return "--cuda-arch: unknown architecture '" + cudaArch + "': give one such as sm_80";
}

// The flags of the database, then those behind `--`.
static std::string collectFlags(std::vector<std::string> words, PortJob &job) {
  FlagTranslation flags;
  if (!buildDir.empty())
    if (const std::string problem = flagsFromDatabase(buildDir, job.input, flags); !problem.empty())
      return problem;
  if (const std::string problem = expandResponseFiles(words, "."); !problem.empty())
    return problem;
  const FlagTranslation own = translateNvccFlags(words);
  job.flags = flags.flags;
  job.flags.insert(job.flags.end(), own.flags.begin(), own.flags.end());
  flags.unknown.insert(flags.unknown.end(), own.unknown.begin(), own.unknown.end());
  for (const std::string &unknown : flags.unknown)
    job.notes.push_back("flag '" + unknown + "' is not known and was not used");
  return "";
}

// The first problem of the options together; `flags` are the words behind `--`.
static std::string fillJob(const char *argv0, const std::vector<std::string> &flags, PortJob &job) {
  if (inPlace && !outputArg.empty())
    return "-i and -o exclude each other";
  job.executable = argv0;
  job.input = inputArg;
  job.output = inPlace ? job.input : outputArg.empty() ? "-" : outputArg.getValue();
  job.json = jsonFile;
  job.cudaPath = cudaPath;
  job.cudaArch = cudaArch;
  job.showDiff = showDiff;
  job.checkOnly = checkOnly;
  job.explainPlan = explainPlan;
  job.quiet = quiet;
  job.verify = verifyPort;
  job.launch = launchFile;
  job.breakRule = breakRuleArg;
  job.inPlace = inPlace;
  job.checkSeconds = checkSeconds;
  job.sourceRoot = sourceRoot.empty() ? folderOf(job.input) : sourceRoot.getValue();
  job.outputRoot = outputRoot.empty() ? folderOf(job.output) : outputRoot.getValue();
  std::string problem = inputProblem(job.input);
  const auto also = [&](auto check) {
    if (problem.empty())
      problem = check();
  };
  also([&] { return inPlace ? "" : outputProblem("-o", job.input, job.output); });
  also([&] { return outputProblem("--json", job.input, job.json); });
  also([&]() -> std::string {
    return !job.json.empty() && job.json != "-" && isSameFile(job.json, job.output)
               ? "--json names the output too"
               : "";
  });
  also([&]() -> std::string {
    return job.launch.empty() || llvm::sys::fs::exists(job.launch)
               ? ""
               : "--launch '" + job.launch + "': no such file";
  });
  also([&] { return chooseTargets(job.targets); });
  also([&] { return chooseMaxTier(job.maxTier); });
  also([&] { return chooseWarpBlocks(job.choices); });
  also([&] { return job.rules.set({ruleArgs.begin(), ruleArgs.end()}); });
  also([&] { return chooseDelivery(headersArg, "alongside", job, job.headers); });
  also([&] { return chooseDelivery(runtimeArg, "include", job, job.runtime); });
  also(checkCudaPath);
  also(checkCudaArch);
  also([&] { return findResources(argv0, resourceDir, job.resources); });
  also([&] { return collectFlags(flags, job); });
  return problem;
}

// cl's usage text, down to what went wrong.
static std::string firstComplaint(llvm::StringRef usage) {
  const llvm::StringRef first = usage.ltrim().split('\n').first;
  const size_t colon = first.find(": ");
  return (colon == llvm::StringRef::npos ? first : first.substr(colon + 2)).str();
}

PortRequest parsePortOptions(llvm::ArrayRef<const char *> args) {
  PortRequest request;
  std::vector<std::string> flags;
  const std::vector<const char *> own = splitAtDashes(args, flags);
  cl::HideUnrelatedOptions({&category, &llvm::getColorCategory()});
  std::string usage;
  llvm::raw_string_ostream usageOut(usage);
  if (!cl::ParseCommandLineOptions(own.size(), own.data(), overview, &usageOut)) {
    request.error = firstComplaint(usage);
    if (usage.empty()) // a wrong value: cl has said so
      request.kind = PortRequest::Kind::Refused;
    return request;
  }
  request.explain = explainRule;
  if (listRules)
    request.kind = PortRequest::Kind::ListRules;
  else if (!explainRule.empty())
    request.kind = PortRequest::Kind::Explain;
  else
    request.error = fillJob(args[0], flags, request.job);
  return request;
}

} // namespace layout_port::commands
