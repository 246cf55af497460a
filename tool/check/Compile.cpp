#include "check/Compile.h"

#include "compile/Child.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/ThreadPool.h"
#include "llvm/Support/raw_ostream.h"

namespace layout_port {

static std::string pathOf(llvm::StringRef a, llvm::StringRef b) {
  llvm::SmallString<256> path(a);
  llvm::sys::path::append(path, b);
  return std::string(path);
}

static bool writeFile(const std::string &path, llvm::StringRef text) {
  llvm::sys::fs::create_directories(llvm::sys::path::parent_path(path));
  std::error_code error;
  llvm::raw_fd_ostream out(path, error);
  out << text;
  return !error;
}

static std::vector<std::string> commandLine(const CheckOptions &options, const Resources &resources,
                                            const std::string &folder, const std::string &target) {
  const bool host = target == "host";
  std::vector<std::string> args = {resources.clang,
                                   "-x",
                                   "hip",
                                   "-c",
                                   "-O3",
                                   "-w",
                                   "-nogpulib",
                                   "-nogpuinc",
                                   "-DLAYOUT_PORT_CHECK",
                                   "-fno-color-diagnostics",
                                   "-fshow-overloads=best",
                                   "-fmacro-backtrace-limit=1"};
  if (host)
    args.insert(args.end(), {"--offload-host-only", "--offload-arch=gfx942"});
  else
    args.insert(args.end(),
                {"--offload-device-only", "--no-gpu-bundle-output", "--offload-arch=" + target});
  args.insert(args.end(), {"-isystem", resources.shareDir + "/hip", "-include", "hip/hip_runtime.h",
                           "-iquote", options.inputDir});
  if (options.allowManual)
    args.push_back("-DLP_ALLOW_MANUAL");
  args.insert(args.end(), options.flags.begin(), options.flags.end());
  args.insert(args.end(),
              {"-idirafter", pathOf(folder, "missing"),
               pathOf(pathOf(folder, "tree"), options.path), "-o", pathOf(folder, target + ".o")});
  return args;
}

// Diagnostics speak of the output by its own name, not of where it was compiled.
static std::string withoutFolder(std::string text, const std::string &folder) {
  for (size_t at = text.find(folder); at != std::string::npos; at = text.find(folder, at))
    text.erase(at, folder.size());
  return text;
}

static CheckResult compileOne(const CheckOptions &options, const Resources &resources,
                              const std::string &folder, const std::string &target) {
  CheckResult result;
  result.target = target;
  const std::string log = pathOf(folder, target + ".log");
  const std::vector<std::string> args = commandLine(options, resources, folder, target);
  const ChildEnd end = runToEnd(args, log, options.seconds);
  result.compiled = end.succeeded();
  if (auto text = llvm::MemoryBuffer::getFile(log))
    result.diagnostics = withoutFolder((*text)->getBuffer().str(), pathOf(folder, "tree") + "/");
  // An exit code is worth a line only where clang did not say why.
  if (end.code < 0 || (end.code > 0 && !llvm::StringRef(result.diagnostics).contains("error:")))
    result.diagnostics += resources.clang + " " + end.problem + "\n";
  return result;
}

std::vector<CheckResult> compileOutput(const CheckOptions &options, const Resources &resources) {
  std::vector<CheckResult> results;
  std::vector<std::string> targets = options.targets;
  targets.push_back("host");
  for (const std::string &target : targets)
    results.push_back({target, false, ""});
  llvm::SmallString<128> folder;
  if (resources.clang.empty() || llvm::sys::fs::createUniqueDirectory("layout-port", folder)) {
    for (CheckResult &result : results)
      result.diagnostics = resources.clang.empty() ? "no clang++-22 was found to compile with\n"
                                                   : "no temporary folder could be made\n";
    return results;
  }
  const llvm::scope_exit cleanup([&] { llvm::sys::fs::remove_directories(folder); });
  const std::string tree = pathOf(folder, "tree");
  writeFile(pathOf(tree, options.path), options.text);
  for (const EmittedFile &file : options.beside)
    writeFile(pathOf(tree, file.path), file.text);
  llvm::sys::fs::create_directories(pathOf(folder, "missing"));
  for (const std::string &header : options.missingHeaders)
    if (!llvm::StringRef(header).contains(".."))
      writeFile(pathOf(pathOf(folder, "missing"), header), "");
  llvm::DefaultThreadPool pool(llvm::hardware_concurrency());
  for (CheckResult &result : results)
    pool.async([&] { result = compileOne(options, resources, folder.str().str(), result.target); });
  pool.wait();
  return results;
}

} // namespace layout_port
