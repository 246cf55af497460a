#include "commands/port/Placement.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

namespace layout_port {

namespace path = llvm::sys::path;

// Absolute, links resolved as far as the path exists.
static std::string realPath(llvm::StringRef name) {
  llvm::SmallString<256> real;
  if (!llvm::sys::fs::real_path(name, real))
    return std::string(real);
  llvm::SmallString<256> parent = path::parent_path(name);
  if (!llvm::sys::fs::real_path(parent.empty() ? "." : parent.str(), real)) {
    path::append(real, path::filename(name));
    return std::string(real);
  }
  real = name;
  llvm::sys::fs::make_absolute(real);
  path::remove_dots(real, true);
  return std::string(real);
}

// `file` relative to `root`; empty when it lies elsewhere.
static std::string below(llvm::StringRef root, llvm::StringRef file) {
  if (!file.consume_front(root) || (!root.ends_with("/") && !file.consume_front("/")))
    return "";
  return file.str();
}

// "../common/./x.h" ──▶ "common/x.h"
static std::string withoutDots(llvm::StringRef name) {
  llvm::SmallString<256> kept;
  for (auto part = path::begin(name); part != path::end(name); ++part)
    if (*part != ".." && *part != "." && *part != "/")
      path::append(kept, *part);
  return std::string(kept);
}

static std::string includedAs(const Program &program, unsigned file) {
  for (const Include &include : program.includes)
    if (include.target == static_cast<int>(file))
      return include.spelled;
  return path::filename(program.file(file).path).str();
}

// inc/ptx.h ──▶ inc/ptx.hip.h
static std::string renamed(llvm::StringRef name) {
  llvm::SmallString<256> other(name);
  path::replace_extension(other, ".hip" + path::extension(name));
  return std::string(other);
}

Placement::Placement(const Program &program, llvm::StringRef sourceRoot, llvm::StringRef outputRoot,
                     llvm::StringRef output, bool inPlace) {
  const std::string from = realPath(sourceRoot), to = realPath(outputRoot);
  std::string main = below(to, realPath(output));
  if (main.empty())
    main = path::filename(output).str();
  paths_.push_back(main);
  unchanged_.push_back(main);
  for (unsigned f = 1; f < program.files.size(); ++f) {
    const std::string original = realPath(program.file(f).path);
    std::string place = below(from, original);
    if (place.empty())
      place = withoutDots(includedAs(program, f));
    unchanged_.push_back(place);
    if (!inPlace && to + "/" + place == original)
      place = renamed(place);
    paths_.push_back(place);
  }
}

} // namespace layout_port
