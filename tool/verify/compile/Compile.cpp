// See Compile.h.
#include "compile/Compile.h"

#include "compile/Child.h"

#include <llvm/IR/DebugInfo.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Verifier.h>
#include <llvm/IRReader/IRReader.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Support/CommandLine.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/FormatVariadic.h>
#include <llvm/Support/JSON.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/Path.h>
#include <llvm/Support/Program.h>
#include <llvm/Support/SourceMgr.h>
#include <llvm/Transforms/Scalar/EarlyCSE.h>

#include <algorithm>

namespace layout_port::verify {
namespace {

namespace fs = llvm::sys::fs;
namespace path = llvm::sys::path;

std::string besideExecutable(const CompileOptions &options, llvm::StringRef relative) {
  const std::string self = fs::getMainExecutable(options.executable.c_str(),
                                                 reinterpret_cast<void *>(&besideExecutable));
  llvm::SmallString<256> place(path::parent_path(self));
  path::append(place, relative);
  return std::string(place);
}

llvm::Expected<std::string> findClang(const CompileOptions &options) {
  if (!options.clang.empty())
    return options.clang;
  for (const std::string &candidate :
       {besideExecutable(options, "clang++"), std::string(LAYOUT_PORT_CLANG)})
    if (fs::can_execute(candidate))
      return candidate;
  if (auto found = llvm::sys::findProgramByName("clang++-22"))
    return *found;
  return llvm::createStringError("clang++ was not found: give its path with --clang");
}

// Installed: <prefix>/share/layout-port beside <prefix>/bin. In a build tree: the
// source's tool/share.
std::string findShare(const CompileOptions &options) {
  if (!options.shareFolder.empty())
    return options.shareFolder;
  const std::string installed = besideExecutable(options, "../share/layout-port");
  return fs::is_directory(installed) ? installed : std::string(LAYOUT_PORT_SHARE);
}

std::string firstError(llvm::StringRef log) {
  llvm::SmallVector<llvm::StringRef, 8> lines;
  log.split(lines, '\n');
  for (llvm::StringRef line : lines)
    if (line.contains("error:"))
      return line.str();
  return log.split('\n').first.str();
}

// LLVM's readers end the process where a module is not well formed: they are told not to look.
void lookLater() {
  static const bool done = [] {
    auto &options = llvm::cl::getRegisteredOptions();
    const auto found = options.find("disable-auto-upgrade-debug-info");
    if (found != options.end())
      static_cast<llvm::cl::opt<bool> *>(found->second)->setValue(true);
    return true;
  }();
  (void)done;
}

// clang 22 keeps the range of a bool on the load of a float next to it, where both are of a struct
// that it takes apart.
void dropWrongRanges(llvm::Module &module) {
  for (llvm::Function &function : module)
    for (llvm::Instruction &instruction : llvm::instructions(function))
      if (instruction.getMetadata(llvm::LLVMContext::MD_range) &&
          !instruction.getType()->isIntOrIntVectorTy())
        instruction.setMetadata(llvm::LLVMContext::MD_range, nullptr);
}

// What is not well formed in the module; empty: nothing.
std::string whyBroken(llvm::Module &module) {
  std::string text;
  llvm::raw_string_ostream out(text);
  bool isDebugInfo = false;
  if (llvm::verifyModule(module, &out, &isDebugInfo))
    return llvm::StringRef(text).split('\n').first.str();
  if (isDebugInfo)
    llvm::StripDebugInfo(module);
  return "";
}

llvm::Expected<CompiledModule> readModule(const std::string &file, const std::string &name) {
  lookLater();
  CompiledModule result;
  result.context = std::make_unique<llvm::LLVMContext>();
  result.path = name;
  llvm::SMDiagnostic diagnostic;
  result.module = llvm::parseIRFile(file, diagnostic, *result.context);
  if (!result.module)
    return llvm::createStringError(name + ": " + diagnostic.getMessage() +
                                   (diagnostic.getLineNo() > 0
                                        ? " (line " + llvm::Twine(diagnostic.getLineNo()) + ")"
                                        : llvm::Twine()));
  dropWrongRanges(*result.module);
  if (const std::string reason = whyBroken(*result.module); !reason.empty())
    return llvm::createStringError(name + ": LLVM IR that is not well formed: " + reason);
  return result;
}

// What is computed or read twice with nothing between is done once: -O1 unrolls loops behind its
// last look for that, and a code object would read shared memory once too. Nothing else moves.
void mergeCommon(llvm::Module &module) {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager graphs;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder;
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(graphs);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, graphs, modules);
  llvm::EarlyCSEPass pass(/*UseMemorySSA=*/true);
  for (llvm::Function &function : module)
    if (!function.isDeclaration())
      functions.invalidate(function, pass.run(function, functions));
}

// The language, the side of it and the headers.
std::vector<std::string> sideArguments(Part part, bool cuda, const CompileOptions &options) {
  const std::string share = findShare(options);
  std::vector<std::string> args;
  if (cuda && part == Part::Device && !options.cudaPath.empty())
    args = {"-x",
            "cuda",
            "--cuda-path=" + options.cudaPath,
            "-nocudalib",
            "-w",
            "--cuda-gpu-arch=" + options.cudaArch,
            "-isystem",
            options.cudaPath + "/include/cccl"};
  else if (!cuda && part == Part::Device && !options.rocmPath.empty())
    args = {"-x",
            "hip",
            "--rocm-path=" + options.rocmPath,
            "-nogpulib",
            "-w",
            "--offload-arch=" + options.hipArch,
            "-D__AMDGCN_WAVEFRONT_SIZE=64"}; // older headers ask for it, clang has it no more
  else if (cuda)
    args = {"-x",         "cuda",
            "-nocudainc", "-nocudalib",
            "-isystem",   share + "/cuda",
            "-include",   "cuda_runtime.h",
            "-w",         "--cuda-gpu-arch=" + options.cudaArch};
  else
    args = {"-x",        "hip",
            "-nogpuinc", "-nogpulib",
            "-isystem",  share + "/hip",
            "-include",  "hip/hip_runtime.h",
            "-w",        "--offload-arch=" + options.hipArch};
  if (part == Part::Device && cuda)
    // Lanes without a value take part in shuffles (`int v; if (leader) v = ...;`): nvcc does
    // not conclude from the call that all lanes have one, as clang would.
    args.insert(args.end(), {"--cuda-device-only", "-fno-discard-value-names",
                             "--cuda-feature=+ptx80", "-Xclang", "-no-enable-noundef-analysis"});
  else if (part == Part::Device)
    args.push_back("--offload-device-only");
  else // names let buffers be called what main calls them; the emulation spares a TLS linker
    args.insert(args.end(), {cuda ? "--cuda-host-only" : "--offload-host-only", "-fPIC",
                             "-femulated-tls", "-fno-discard-value-names"});
  // Without an SDK to tell its version, clang would write launches as CUDA 9 did.
  if (part != Part::Device && cuda)
    args.insert(args.end(), {"-Xclang", "-target-sdk-version=12.4"});
  return args;
}

class TemporaryFile {
public:
  explicit TemporaryFile(llvm::StringRef suffix) {
    if (fs::createTemporaryFile("layout-port", suffix, path_))
      path_.clear();
  }
  ~TemporaryFile() {
    if (!path_.empty())
      fs::remove(path_);
  }
  bool made() const { return !path_.empty(); }
  std::string path() const { return std::string(path_); }
  std::string text() const {
    auto buffer = llvm::MemoryBuffer::getFile(path_);
    return buffer ? (*buffer)->getBuffer().str() : std::string();
  }
  void write(llvm::StringRef text) const {
    std::error_code code;
    llvm::raw_fd_ostream(path_, code) << text;
  }

private:
  llvm::SmallString<128> path_;
};

// Empty, or why clang failed.
std::string spawn(const std::string &clang, std::vector<std::string> args) {
  const TemporaryFile log("log");
  if (!log.made())
    return "cannot make a temporary file";
  args.insert(args.begin(), clang);
  constexpr unsigned mostSeconds = 300;
  const ChildEnd end = runToEnd(args, log.path(), mostSeconds);
  if (end.succeeded())
    return {};
  const std::string reason = end.code > 0 ? firstError(log.text()) : "";
  return reason.empty() ? clang + " " + end.problem : reason;
}

// The names after the colon of a make rule.
std::vector<std::string> prerequisites(llvm::StringRef rule) {
  std::vector<std::string> names;
  std::string name;
  rule = rule.split(": ").second;
  for (size_t i = 0; i <= rule.size(); ++i) {
    const bool escaped = i + 1 < rule.size() && rule[i] == '\\';
    if (i < rule.size() && !escaped && !isspace(static_cast<unsigned char>(rule[i]))) {
      name += rule[i];
    } else if (escaped && rule[i + 1] == ' ') {
      name += rule[++i];
    } else if (!escaped && !name.empty()) {
      names.push_back(std::move(name));
      name.clear();
    }
  }
  return names;
}

// The source and the headers it includes as clang should read them: copies in temporary
// files that an overlay puts in their places.
// https://clang.llvm.org/docs/ClangCommandLineReference.html#cmdoption-clang-ivfsoverlay
class MendedFiles {
public:
  explicit MendedFiles(Mender mend) : mend_(mend), overlay_("yaml") {}

  // False: no file needs it.
  bool find(const std::string &clang, std::vector<std::string> args, const std::string &source) {
    const TemporaryFile rule("d");
    if (!rule.made() || !overlay_.made())
      return false;
    args.insert(args.end(), {"-MM", "-MF", rule.path(), source});
    if (!spawn(clang, args).empty())
      return false;
    llvm::json::Array roots;
    for (const std::string &name : prerequisites(rule.text()))
      addFile(name, roots);
    overlay_.write(
        llvm::formatv("{0}", llvm::json::Value(llvm::json::Object{{"version", 0},
                                                                  {"use-external-names", false},
                                                                  {"roots", std::move(roots)}}))
            .str());
    return !copies_.empty();
  }
  std::vector<std::string> arguments() const { return {"-ivfsoverlay", overlay_.path()}; }

private:
  void addFile(const std::string &name, llvm::json::Array &roots) {
    auto buffer = llvm::MemoryBuffer::getFile(name);
    const std::string text = buffer ? mend_((*buffer)->getBuffer()) : std::string();
    if (text.empty())
      return;
    llvm::SmallString<256> absolute(name);
    fs::make_absolute(absolute);
    path::remove_dots(absolute, true);
    copies_.push_back(std::make_unique<TemporaryFile>("cu"));
    copies_.back()->write(text);
    roots.push_back(llvm::json::Object{{"type", "file"},
                                       {"name", std::string(absolute)},
                                       {"external-contents", copies_.back()->path()}});
  }

  Mender mend_;
  TemporaryFile overlay_;
  std::vector<std::unique_ptr<TemporaryFile>> copies_;
};

// Without the runtime header that nvcc and hipcc include by themselves.
std::vector<std::string> withoutInclude(std::vector<std::string> args) {
  const auto at = std::find(args.begin(), args.end(), "-include");
  if (at != args.end())
    args.erase(at, at + 2);
  return args;
}

llvm::Expected<CompiledModule> runClang(const std::string &source,
                                        const std::vector<std::string> &sideArgs,
                                        const CompileOptions &options, bool mends = false) {
  llvm::Expected<std::string> clang = findClang(options);
  if (!clang)
    return clang.takeError();
  const TemporaryFile out("bc");
  if (!out.made())
    return llvm::createStringError("cannot make a temporary file");
  std::vector<std::string> args = sideArgs;
  args.insert(args.end(), {"-std=c++17", "-O1", "-gline-tables-only"});
  args.insert(args.end(), options.flags.begin(), options.flags.end());
  std::vector<std::string> whole = args;
  whole.insert(whole.end(), {"-emit-llvm", "-c", source, "-o", out.path()});
  std::string reason = spawn(*clang, whole);
  if (!reason.empty() && mends && options.mend) {
    MendedFiles files(options.mend);
    if (files.find(*clang, args, source)) {
      const std::vector<std::string> more = files.arguments();
      whole.insert(whole.end(), more.begin(), more.end());
      reason = spawn(*clang, whole);
    }
  }
  // A source that declares what it needs itself, and cannot bear ours beside it.
  if (const std::vector<std::string> bare = withoutInclude(whole);
      !reason.empty() && bare.size() != whole.size() && spawn(*clang, bare).empty())
    reason.clear();
  if (reason.empty())
    return readModule(out.path(), source);
  return llvm::createStringError(source + " does not compile: " + reason);
}

bool isCuda(llvm::StringRef source) {
  const llvm::StringRef extension = path::extension(source);
  return extension == ".cu" || extension == ".cuh";
}

} // namespace

llvm::Expected<CompiledModule> compile(Part part, const std::string &source,
                                       const CompileOptions &options) {
  if (!fs::exists(source))
    return llvm::createStringError("cannot read " + source + ": no such file");
  const llvm::StringRef extension = path::extension(source);
  if (extension == ".ll" || extension == ".bc")
    return readModule(source, source);
  std::vector<std::string> args = sideArguments(part, isCuda(source), options);
  // *(uint32_t *)&h[0] is in every second kernel, and means what it says there.
  args.push_back("-fno-strict-aliasing");
  if (part == Part::Host && isCuda(source)) // kernels are registered only if there is a binary
    args.insert(args.end(), {"-Xclang", "-fcuda-include-gpubinary", "-Xclang", "/dev/null"});
  llvm::Expected<CompiledModule> compiled = runClang(source, args, options, isCuda(source));
  if (compiled && part == Part::Device)
    mergeCommon(*compiled->module);
  return compiled;
}

llvm::Expected<CompiledModule> compileHostRuntime(bool cuda, unsigned sharedBytes,
                                                  const CompileOptions &options) {
  const std::string share = findShare(options);
  std::vector<std::string> args = {"-x",
                                   "c++",
                                   "-isystem",
                                   share + (cuda ? "/cuda" : "/hip"),
                                   "-w",
                                   "-fPIC",
                                   "-femulated-tls",
                                   "-fno-exceptions",
                                   "-DLP_SHARED_BYTES=" + std::to_string(sharedBytes),
                                   "-DLP_ARCH=\"" + options.hipArch + "\""};
  if (!cuda)
    args.push_back("-DLP_HIP");
  CompileOptions own = options;
  own.flags.clear(); // the program's macros are not meant for the runtime
  return runClang(share + "/host/runtime.cpp", args, own);
}

} // namespace layout_port::verify
