#include "commands/batch/Tree.h"

#include "census/Census.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <algorithm>

namespace layout_port {

namespace fs = llvm::sys::fs;
namespace path = llvm::sys::path;

static bool namesCuda(const std::string &file) {
  constexpr uint64_t mostBytes = 16u << 20; // larger than any source: data
  uint64_t size = 0;
  if (fs::file_size(file, size) || size > mostBytes)
    return false;
  auto buffer = llvm::MemoryBuffer::getFile(file);
  if (!buffer || (*buffer)->getBuffer().contains('\0'))
    return false;
  Program program;
  program.files.push_back(std::make_unique<SourceFile>(file, std::move(*buffer)));
  return !takeCensus(program).empty();
}

static TreeFile::Kind kindOf(const std::string &file) {
  using Kind = TreeFile::Kind;
  const llvm::StringRef extension = path::extension(file);
  if (extension == ".cu")
    return Kind::Source;
  const Kind kind = llvm::StringSwitch<Kind>(extension)
                        .Cases({".cpp", ".cc", ".cxx", ".c++", ".C"}, Kind::Source)
                        .Cases({".cuh", ".h", ".hpp", ".hh", ".hxx", ".h++"}, Kind::Header)
                        .Cases({".inl", ".inc", ".tcc", ".ipp"}, Kind::Header)
                        .Default(Kind::Other);
  return kind != Kind::Other && namesCuda(file) ? kind : Kind::Other;
}

std::vector<TreeFile> walkTree(const std::string &folder, const std::string &except) {
  std::vector<TreeFile> files;
  std::error_code error;
  for (fs::recursive_directory_iterator i(folder, error, /*follow_symlinks=*/false), end;
       i != end && !error; i.increment(error)) {
    const std::string &file = i->path();
    bool same = false;
    if (i->type() == fs::file_type::directory_file) {
      if (path::filename(file).starts_with(".") || (!fs::equivalent(file, except, same) && same))
        i.no_push();
      continue;
    }
    if (!fs::is_regular_file(file))
      continue;
    llvm::StringRef relative = file;
    relative.consume_front(folder);
    files.push_back({relative.ltrim('/').str(), kindOf(file)});
  }
  llvm::sort(files, [](const TreeFile &a, const TreeFile &b) { return a.path < b.path; });
  return files;
}

std::string outputName(llvm::StringRef source, const std::vector<TreeFile> &files) {
  if (path::extension(source) != ".cu")
    return source.str();
  const std::string name = source.drop_back(3).str() + ".hip";
  const bool taken = llvm::any_of(files, [&](const TreeFile &file) { return file.path == name; });
  return taken ? source.str() + ".hip" : name;
}

} // namespace layout_port
