// The command line of `layout-port verify`.
#include "commands/Verify.h"

#include "frontend/Flags.h"
#include "host/Session.h"
#include "launch/Template.h"
#include "observe/CountsReport.h"
#include "proof/Verify.h"

#include <llvm/Support/CommandLine.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/Path.h>
#include <llvm/Support/StringSaver.h>

#include <optional>

namespace layout_port::commands {
namespace {

using namespace layout_port::verify;

constexpr const char *kUsage =
    "usage: layout-port verify SOURCE.cu PORT.hip --launch FILE.yaml [options] [-- FLAGS]\n"
    "       layout-port verify PROGRAM.cu PROGRAM.hip [--args 'WORDS'] [options] [-- FLAGS]\n"
    "       layout-port verify SOURCE.cu --launch-template [KERNEL]\n"
    "\n"
    "Runs both sides on a SIMT machine and compares every output buffer. Exit code: 0\n"
    "proved or tested, 1 refuted or unknown, 2 trouble. .ll and .bc files are taken\n"
    "as they are. FLAGS, nvcc's or clang's, go to the compiler, for both sides.\n"
    "\n"
    "Without a launch file the mains of both programs are run, in child processes,\n"
    "with your rights, and every buffer is compared after every launch.\n"
    "\n"
    "  --launch FILE        kernels, shapes and buffers (see docs/verify.md)\n"
    "  --args 'WORDS'       arguments of both mains\n"
    "  --host-seconds N     time a main may spend outside of kernels (60)\n"
    "  --launch-template    write a launch file for SOURCE's kernels\n"
    "  --target ARCH        AMD GPU to compile the port for (gfx942)\n"
    "  --cuda-arch ARCH     NVIDIA GPU to compile the source for (sm_80)\n"
    "  --json FILE          write the report as JSON ('-': standard output)\n"
    "  --seeds N            seeds of the field domain (as many as 2^-40 needs)\n"
    "  --steps N            step limit of a launch, in millions (400)\n"
    "  --proof-steps N      of a program's launches, those longer are compared and not proved "
    "(10)\n"
    "  --memory MIB         memory limit, of a device and of a main (2048)\n"
    "  --cuda-path DIR      read kernels with this CUDA SDK's headers, not with our own\n"
    "  --rocm-path DIR      the same for the port: ROCm's or Debian's HIP headers\n"
    "  --cores N            cores to run on (all; the verdict does not depend on it)\n"
    "  --no-observers       compare values only\n"
    "  --counts             print what each side executed, by kernel and loop\n"
    "  --clang PATH         clang++ to compile with\n";

struct CommandLine {
  std::vector<std::string> files;
  std::string launch, json;
  bool launchTemplate = false;
  bool counts = false;
  CompileOptions compile;
  ProofOptions proof;
  SessionOptions session;
};

int trouble(const llvm::Twine &message) {
  llvm::errs() << "layout-port verify: " << message << "\n";
  return 2;
}

class Parser {
public:
  Parser(llvm::ArrayRef<const char *> args, CommandLine &line) : args_(args), line_(line) {}

  // Empty, or what is wrong.
  std::string run() {
    for (next_ = 0; next_ < args_.size() && error_.empty(); ++next_)
      one(args_[next_]);
    return error_;
  }

private:
  void one(llvm::StringRef word) {
    if (word == "--")
      return flags(args_.drop_front(next_ + 1));
    if (!word.starts_with("-") || word == "-") {
      line_.files.push_back(word.str());
      return;
    }
    auto [name, inlineValue] = word.split('=');
    value_ = word.contains('=') ? std::optional<std::string>(inlineValue.str()) : std::nullopt;
    if (name == "--launch")
      line_.launch = text(name);
    else if (name == "--launch-template")
      line_.launchTemplate = true;
    else if (name == "--target")
      line_.compile.hipArch = text(name);
    else if (name == "--cuda-arch")
      line_.compile.cudaArch = text(name);
    else if (name == "--cuda-path")
      line_.compile.cudaPath = text(name);
    else if (name == "--rocm-path")
      line_.compile.rocmPath = text(name);
    else if (name == "--json")
      line_.json = text(name);
    else if (name == "--args")
      line_.session.arguments = words(text(name));
    else if (name == "--host-seconds")
      line_.session.host.seconds = double(number(name, 1, 86400));
    else if (name == "--clang")
      line_.compile.clang = text(name);
    else if (name == "--seeds")
      line_.proof.seeds = unsigned(number(name, 1, 64));
    else if (name == "--steps")
      line_.proof.limits.steps = number(name, 1, 1u << 20) * 1000 * 1000;
    else if (name == "--proof-steps")
      line_.session.proofSteps = number(name, 1, 1u << 20) * 1000 * 1000;
    else if (name == "--memory")
      line_.proof.limits.memory = number(name, 1, 1u << 20) << 20;
    else if (name == "--cores")
      line_.proof.cores = unsigned(number(name, 1, 256));
    else if (name == "--no-observers")
      line_.proof.observe = false;
    else if (name == "--counts")
      line_.counts = true;
    else
      error_ = "unknown option '" + word.str() + "'";
  }
  // nvcc's as clang takes them, as where the port is made.
  void flags(llvm::ArrayRef<const char *> given) {
    next_ = args_.size();
    std::vector<std::string> words(given.begin(), given.end());
    error_ = expandResponseFiles(words, ".");
    const FlagTranslation translation = translateNvccFlags(words);
    line_.compile.flags = translation.flags;
    for (const std::string &unknown : translation.unknown)
      llvm::errs() << "layout-port verify: flag '" << unknown
                   << "' is not known and was not used\n";
  }
  std::string text(llvm::StringRef name) {
    if (value_)
      return *value_;
    if (next_ + 1 < args_.size())
      return args_[++next_];
    error_ = name.str() + " needs a value";
    return {};
  }
  // As a shell would split them.
  static std::vector<std::string> words(llvm::StringRef text) {
    llvm::BumpPtrAllocator allocator;
    llvm::StringSaver saver(allocator);
    llvm::SmallVector<const char *, 8> tokens;
    llvm::cl::TokenizeGNUCommandLine(text, saver, tokens);
    return {tokens.begin(), tokens.end()};
  }
  uint64_t number(llvm::StringRef name, uint64_t low, uint64_t high) {
    uint64_t value = 0;
    const std::string word = text(name);
    if (error_.empty() &&
        (llvm::StringRef(word).getAsInteger(10, value) || value < low || value > high))
      error_ = name.str() + ": '" + word + "' is not a number from " + std::to_string(low) +
               " to " + std::to_string(high);
    return value;
  }

  llvm::ArrayRef<const char *> args_;
  CommandLine &line_;
  size_t next_ = 0;
  std::optional<std::string> value_;
  std::string error_;
};

int writeTemplate(const CommandLine &line) {
  llvm::Expected<CompiledModule> source = compileDevice(line.files[0], line.compile);
  if (!source)
    return trouble(llvm::toString(source.takeError()));
  Side side(std::move(*source), false);
  llvm::Expected<std::string> text =
      launchTemplate(side, line.files.size() > 1 ? line.files[1] : "");
  if (!text)
    return trouble(llvm::toString(text.takeError()));
  llvm::outs() << *text;
  return 0;
}

int writeJson(const CommandLine &line, const Report &report) {
  if (line.json == "-") {
    printJson(llvm::outs(), report, line.files[0], line.files[1]);
    return 0;
  }
  std::error_code code;
  llvm::raw_fd_ostream out(line.json, code);
  if (code)
    return trouble("cannot write " + line.json + ": " + code.message());
  printJson(out, report, line.files[0], line.files[1]);
  return 0;
}

int tell(const CommandLine &line, const Report &report) {
  if (line.json != "-")
    print(llvm::outs(), report);
  if (line.counts && line.json != "-") {
    printCounts(llvm::outs(), "source", report.leftCounts);
    printCounts(llvm::outs(), "port", report.rightCounts);
  }
  if (!line.json.empty())
    if (int code = writeJson(line, report))
      return code;
  if (report.verdict == Verdict::Trouble)
    return 2;
  return report.verdict == Verdict::Proved || report.verdict == Verdict::Tested ? 0 : 1;
}

int compare(const CommandLine &line) {
  llvm::Expected<LaunchFile> launch = readLaunchFile(line.launch);
  if (!launch)
    return trouble(llvm::toString(launch.takeError()));
  llvm::Expected<CompiledModule> source = compileDevice(line.files[0], line.compile);
  if (!source)
    return trouble(llvm::toString(source.takeError()));
  llvm::Expected<CompiledModule> port = compileDevice(line.files[1], line.compile);
  if (!port)
    return trouble(llvm::toString(port.takeError()));
  const bool hip = llvm::Triple(port->module->getTargetTriple()).isAMDGPU();
  Side left(std::move(*source), false), right(std::move(*port), hip);
  if (std::string problem = checkLaunch(left, right, *launch); !problem.empty())
    return trouble(problem);
  return tell(line, prove(left, right, *launch, line.proof));
}

// Both programs' mains instead of a launch file.
int compareMains(CommandLine &line) {
  llvm::Expected<HostedPrograms> programs =
      loadPrograms(line.files[0], line.compile, line.files[1], line.compile);
  if (!programs)
    return trouble(llvm::toString(programs.takeError()));
  line.session.proof = line.proof;
  line.session.host.memory = line.proof.limits.memory;
  const Report report = verifyProgram(*programs->first, *programs->second, line.session);
  return report.verdict == Verdict::Trouble ? trouble(report.reason) : tell(line, report);
}

} // namespace

int verify(llvm::ArrayRef<const char *> words, Mender mend) {
  const llvm::ArrayRef<const char *> args = words.drop_front();
  for (const char *arg : args) {
    if (llvm::StringRef(arg) == "--")
      break;
    if (llvm::StringRef(arg) == "--help" || llvm::StringRef(arg) == "-h") {
      llvm::outs() << kUsage;
      return 0;
    }
  }
  CommandLine line;
  line.compile.executable = words.front();
  line.compile.mend = mend;
  if (std::string problem = Parser(args, line).run(); !problem.empty())
    return trouble(problem + " (--help lists the options)");
  if (line.launchTemplate && !line.files.empty() && line.files.size() <= 2)
    return writeTemplate(line);
  if (line.files.size() != 2)
    return trouble("expected a source and its port (--help shows how)");
  return line.launch.empty() ? compareMains(line) : compare(line);
}

} // namespace layout_port::commands
