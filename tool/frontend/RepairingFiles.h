// The files as clang should read them: the user's with the pre-pass applied, all
// others as they are.
#pragma once

#include "source/Repair.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/Support/VirtualFileSystem.h"

#include <memory>
#include <string>
#include <vector>

namespace layout_port {

class RepairingFiles : public llvm::vfs::ProxyFileSystem {
public:
  // What lies under one of `systemFolders` is left alone.
  explicit RepairingFiles(std::vector<std::string> systemFolders);

  llvm::ErrorOr<llvm::vfs::Status> status(const llvm::Twine &path) override;
  llvm::ErrorOr<std::unique_ptr<llvm::vfs::File>> openFileForRead(const llvm::Twine &path) override;

  // The repairs of a file that was read, or null when it needed none.
  const Repairs *repairsOf(llvm::StringRef path) const;

private:
  struct Mended {
    Repairs repairs;
    std::string text;
  };
  // Null for a file that is not the user's, cannot be read or needs no repair.
  const Mended *mended(llvm::StringRef path, const llvm::vfs::Status &status);

  std::vector<std::string> systemFolders_;
  llvm::StringMap<std::unique_ptr<Mended>> known_; // null: needs none
};

// The text of one file, mended; empty when it needs no repair.
std::string mendedText(llvm::StringRef text);

} // namespace layout_port
