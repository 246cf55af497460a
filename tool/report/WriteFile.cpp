#include "report/WriteFile.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"

namespace fs = llvm::sys::fs;

namespace layout_port {

static std::string writeTo(llvm::raw_fd_ostream &out, llvm::StringRef text) {
  out << text;
  out.flush();
  const std::error_code error = out.error();
  out.clear_error();
  return error ? error.message() : "";
}

static std::string writeInto(const std::string &path, llvm::StringRef text) {
  std::error_code error;
  llvm::raw_fd_ostream out(path, error);
  return error ? error.message() : writeTo(out, text);
}

static std::string replace(llvm::StringRef path, unsigned mode, llvm::StringRef text) {
  auto file = fs::TempFile::create(path + ".%%%%%%", mode);
  if (!file)
    return llvm::toString(file.takeError());
  std::string problem;
  {
    llvm::raw_fd_ostream out(file->FD, /*shouldClose=*/false);
    problem = writeTo(out, text);
  }
  if (!problem.empty()) {
    llvm::consumeError(file->discard());
    return problem;
  }
  llvm::Error error = file->keep(path);
  return error ? llvm::toString(std::move(error)) : "";
}

std::string writeWhole(const std::string &path, llvm::StringRef text) {
  if (path == "-") {
    const std::string problem = writeTo(llvm::outs(), text);
    return problem.empty() ? "" : "stdout: " + problem;
  }
  llvm::SmallString<256> real(path);
  unsigned mode = fs::all_read | fs::all_write; // less what the umask takes
  std::string problem;
  fs::file_status status;
  const bool exists = !fs::status(path, status) && fs::exists(status);
  if (exists && !fs::is_regular_file(status)) {
    problem = writeInto(path, text);
  } else {
    if (exists) {
      mode = status.permissions();
      if (fs::real_path(path, real))
        real = path;
    }
    problem = replace(real, mode, text);
    if (exists && problem.empty())
      fs::setPermissions(real, status.permissions()); // what the umask took too
  }
  return problem.empty() ? "" : "'" + path + "': " + problem;
}

} // namespace layout_port
