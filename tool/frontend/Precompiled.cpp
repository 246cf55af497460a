#include "frontend/Precompiled.h"

#include "frontend/CommandLine.h"

#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/FrontendActions.h"
#include "clang/Tooling/Tooling.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace clang;

namespace layout_port {

static std::string fileFor(llvm::StringRef folder, bool device) {
  llvm::SmallString<256> path(folder);
  llvm::sys::path::append(path, device ? "device.pch" : "host.pch");
  return std::string(path);
}

// -DNAME that no header of ours or of the system asks for, and folders of headers.
static bool isHarmless(llvm::StringRef flag) {
  if (flag.consume_front("-D"))
    return !flag.empty() && flag[0] != '_' && !flag.starts_with("NDEBUG");
  return flag.starts_with("-I") && flag.size() > 2;
}

std::string precompiledHeader(const ParseOptions &options, const Resources &resources,
                              bool device) {
  if (resources.precompiledDir.empty() || !options.cudaPath.empty() ||
      options.cudaArch != ParseOptions().cudaArch || !llvm::all_of(options.flags, isHarmless))
    return "";
  const std::string path = fileFor(resources.precompiledDir, device);
  return llvm::sys::fs::exists(path) ? path : "";
}

namespace {

class Precompile : public GeneratePCHAction {
public:
  explicit Precompile(std::string path) : path_(std::move(path)) {}

  std::unique_ptr<ASTConsumer> CreateASTConsumer(CompilerInstance &ci, StringRef input) override {
    ci.getFrontendOpts().OutputFile = path_;
    return GeneratePCHAction::CreateASTConsumer(ci, input);
  }

private:
  std::string path_;
};

} // namespace

std::string precompileHeaders(const Resources &resources, const std::string &folder) {
  if (llvm::sys::fs::create_directories(folder))
    return "the folder '" + folder + "' cannot be made";
  ParseOptions options;
  options.input = resources.shareDir + "/lp/precompiled.h";
  for (const bool device : {true, false}) {
    const std::string path = fileFor(folder, device);
    llvm::sys::fs::remove(path); // it would be used to parse itself
    llvm::IntrusiveRefCntPtr<FileManager> files(new FileManager(FileSystemOptions()));
    tooling::ToolInvocation invocation(parserCommandLine(options, resources, device, ""),
                                       std::make_unique<Precompile>(path), files.get());
    if (!invocation.run())
      return "'" + options.input + "' could not be parsed";
  }
  return "";
}

} // namespace layout_port
