// See Compile.h.
#include "compile/Compile.h"

#include <llvm/IRReader/IRReader.h>
#include <llvm/Support/FileSystem.h>
#include <llvm/Support/FileUtilities.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/Path.h>
#include <llvm/Support/Program.h>
#include <llvm/Support/SourceMgr.h>

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

llvm::Expected<CompiledModule> readModule(const std::string &file, const std::string &name) {
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
  return result;
}

// The language, the side of it and the headers.
std::vector<std::string> sideArguments(Part part, bool cuda, const CompileOptions &options) {
  const std::string share = findShare(options);
  std::vector<std::string> args;
  if (cuda)
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
    args.insert(args.end(), {"--cuda-device-only", "--cuda-feature=+ptx80"});
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

llvm::Expected<CompiledModule> runClang(const std::string &source,
                                        const std::vector<std::string> &sideArgs,
                                        const CompileOptions &options) {
  llvm::Expected<std::string> clang = findClang(options);
  if (!clang)
    return clang.takeError();
  llvm::SmallString<128> out, log;
  if (fs::createTemporaryFile("layout-port", "bc", out) ||
      fs::createTemporaryFile("layout-port", "log", log))
    return llvm::createStringError("cannot make a temporary file");
  llvm::FileRemover removeOut(out), removeLog(log);
  std::vector<std::string> args = {*clang};
  args.insert(args.end(), sideArgs.begin(), sideArgs.end());
  args.insert(args.end(), {"-std=c++17", "-O1", "-gline-tables-only", "-emit-llvm", "-c"});
  args.insert(args.end(), options.flags.begin(), options.flags.end());
  args.insert(args.end(), {source, "-o", std::string(out)});
  llvm::SmallVector<llvm::StringRef, 32> argv(args.begin(), args.end());
  const std::optional<llvm::StringRef> redirects[] = {llvm::StringRef(""), llvm::StringRef(log),
                                                      llvm::StringRef(log)};
  std::string problem;
  const int code =
      llvm::sys::ExecuteAndWait(*clang, argv, std::nullopt, redirects, 300, 0, &problem);
  if (code == 0)
    return readModule(std::string(out), source);
  auto text = llvm::MemoryBuffer::getFile(log);
  std::string reason = text ? firstError((*text)->getBuffer()) : problem;
  if (reason.empty())
    reason = problem.empty() ? "clang failed" : problem;
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
  if (part == Part::Host && isCuda(source)) // kernels are registered only if there is a binary
    args.insert(args.end(), {"-Xclang", "-fcuda-include-gpubinary", "-Xclang", "/dev/null"});
  return runClang(source, args, options);
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
