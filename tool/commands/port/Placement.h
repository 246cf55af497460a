// Where the files of a port go, when headers or the runtime are files of their own.
//
//   source root/a/k.cu       ──▶  output root/a/k.hip      (what -o says)
//   source root/inc/ptx.h    ──▶  output root/inc/ptx.h    the tree's shape is kept
//   elsewhere, as "x/y.h"    ──▶  output root/x/y.h        by the name it was included as
//
// Without roots these are the folders of IN and of -o. A header never lands on the
// file it was read from, unless the port is in place: it is then called ptx.hip.h.
#pragma once

#include "source/Program.h"

#include <string>
#include <vector>

namespace layout_port {

class Placement {
public:
  // `outputRoot` is where `output` lies or a folder above it.
  Placement(const Program &program, llvm::StringRef sourceRoot, llvm::StringRef outputRoot,
            llvm::StringRef output, bool inPlace);

  // Relative to the output root, with '/'.
  const std::string &operator()(unsigned file) const { return paths_[file]; }

  // Where a header that is not ported lies beside them, when the tree is copied.
  const std::string &unchanged(unsigned file) const { return unchanged_[file]; }

private:
  std::vector<std::string> paths_, unchanged_;
};

} // namespace layout_port
