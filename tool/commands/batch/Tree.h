// What lies in the folder of a batch, and what is to be done with each file.
#pragma once

#include "llvm/ADT/StringRef.h"

#include <string>
#include <vector>

namespace layout_port {

struct TreeFile {
  enum class Kind {
    Source, // ported: a .cu, or a C++ file whose tokens name CUDA
    Header, // holds CUDA: ported with the sources that include it, or by itself
    Other,  // copied
  };
  std::string path; // relative to the folder, with '/'
  Kind kind = Kind::Other;
};

// All files below `folder`, by path. Hidden folders, links to folders and `except`
// (the folder of outputs) are left out.
std::vector<TreeFile> walkTree(const std::string &folder, const std::string &except);

// Where a source goes: a/k.cu ──▶ a/k.hip, or a/k.cu.hip when that is taken.
std::string outputName(llvm::StringRef source, const std::vector<TreeFile> &files);

} // namespace layout_port
