#include "frontend/Resources.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"

namespace layout_port {

static std::string pathOf(llvm::StringRef a, llvm::StringRef b) {
  llvm::SmallString<256> path(a);
  llvm::sys::path::append(path, b);
  llvm::sys::path::remove_dots(path, /*remove_dot_dot=*/true);
  return std::string(path);
}

// The first of `candidates` that has a folder `inside`.
static std::string firstDirectory(std::initializer_list<std::string> candidates,
                                  llvm::StringRef inside) {
  for (const std::string &candidate : candidates)
    if (!candidate.empty() && llvm::sys::fs::is_directory(pathOf(candidate, inside)))
      return candidate;
  return "";
}

static std::string findClang(llvm::StringRef binDir) {
  for (const char *name : {"clang++-22", "clang++"})
    if (auto found = llvm::sys::findProgramByName(name, {LAYOUT_PORT_CLANG_BIN_DIR, binDir}))
      return *found;
  if (auto found = llvm::sys::findProgramByName("clang++-22"))
    return *found;
  return "";
}

std::string findResources(const char *argv0, const std::string &resourceDir, Resources &resources) {
  static int anchor;
  const std::string exe = llvm::sys::fs::getMainExecutable(argv0, &anchor);
  const std::string binDir = llvm::sys::path::parent_path(exe).str();
  const std::string prefix = llvm::sys::path::parent_path(binDir).str();
  if (!resourceDir.empty() && !llvm::sys::fs::is_directory(pathOf(resourceDir, "include")))
    return "--resource-dir: no folder 'include' in '" + resourceDir + "'";
  resources.resourceDir = firstDirectory(
      {resourceDir, pathOf(prefix, "lib/clang/22"), LAYOUT_PORT_RESOURCE_DIR}, "include");
  if (resources.resourceDir.empty())
    return "clang's builtin headers were not found: give --resource-dir (what "
           "'clang-22 -print-resource-dir' prints)";
  resources.shareDir =
      firstDirectory({pathOf(prefix, "share/layout-port"), LAYOUT_PORT_SOURCE_SHARE_DIR}, "cuda");
  if (resources.shareDir.empty())
    return "the CUDA parse headers (share/layout-port/cuda) were not found beside '" + exe + "'";
  resources.clang = findClang(binDir);
  resources.precompiledDir = pathOf(prefix, "lib/layout-port");
  return "";
}

} // namespace layout_port
