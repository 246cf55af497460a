#include "frontend/RepairingFiles.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/MemoryBuffer.h"

namespace layout_port {

namespace {

class MendedFile : public llvm::vfs::File {
public:
  MendedFile(llvm::vfs::Status status, llvm::StringRef text) : status_(status), text_(text) {}

  llvm::ErrorOr<llvm::vfs::Status> status() override { return status_; }
  llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> getBuffer(const llvm::Twine &name, int64_t,
                                                               bool, bool) override {
    return llvm::MemoryBuffer::getMemBufferCopy(text_, name);
  }
  std::error_code close() override { return {}; }

private:
  llvm::vfs::Status status_;
  llvm::StringRef text_;
};

} // namespace

RepairingFiles::RepairingFiles(std::vector<std::string> systemFolders)
    : ProxyFileSystem(llvm::vfs::getRealFileSystem()), systemFolders_(std::move(systemFolders)) {}

const RepairingFiles::Mended *RepairingFiles::mended(llvm::StringRef path,
                                                     const llvm::vfs::Status &status) {
  if (status.getType() != llvm::sys::fs::file_type::regular_file ||
      llvm::any_of(systemFolders_,
                   [&](const std::string &folder) { return path.starts_with(folder); }))
    return nullptr;
  const auto [entry, isNew] = known_.try_emplace(path, nullptr);
  if (!isNew)
    return entry->second.get();
  const auto buffer = llvm::MemoryBuffer::getFile(path);
  if (!buffer)
    return nullptr;
  Repairs repairs = findRepairs((*buffer)->getBuffer());
  if (!repairs.empty()) {
    std::string text = repairs.apply((*buffer)->getBuffer());
    entry->second = std::make_unique<Mended>(Mended{std::move(repairs), std::move(text)});
  }
  return entry->second.get();
}

std::string mendedText(llvm::StringRef text) {
  const std::string copy = text.str(); // ends in a NUL
  const Repairs repairs = findRepairs(copy);
  return repairs.empty() ? std::string() : repairs.apply(copy);
}

llvm::ErrorOr<llvm::vfs::Status> RepairingFiles::status(const llvm::Twine &path) {
  auto real = ProxyFileSystem::status(path);
  if (!real)
    return real;
  llvm::SmallString<256> name;
  path.toVector(name);
  const Mended *file = mended(name, *real);
  return file ? llvm::vfs::Status::copyWithNewSize(*real, file->text.size()) : real;
}

llvm::ErrorOr<std::unique_ptr<llvm::vfs::File>>
RepairingFiles::openFileForRead(const llvm::Twine &path) {
  auto status = this->status(path);
  llvm::SmallString<256> name;
  path.toVector(name);
  if (status)
    if (const Mended *file = mended(name, *status))
      return std::make_unique<MendedFile>(*status, file->text);
  return ProxyFileSystem::openFileForRead(path);
}

const Repairs *RepairingFiles::repairsOf(llvm::StringRef path) const {
  const auto known = known_.find(path);
  return known == known_.end() || !known->second ? nullptr : &known->second->repairs;
}

} // namespace layout_port
