// The pre-pass: what nvcc takes and clang does not, mended before parsing.
//
//   asm("..." : "=r"(a) "=r"(b))     ──▶  asm("..." : "=r"(a), "=r"(b))
//   asm("mov.u32 %0, %laneid;" : ..) ──▶  asm("mov.u32 %0, %%laneid;" : ..)
//
// Only the parser sees the mended text. Rules work on the author's bytes, so that
// every offset it reports is led back to where the author wrote it.
#pragma once

#include "llvm/ADT/StringRef.h"

#include <string>
#include <vector>

namespace layout_port {

class Repairs {
public:
  struct Insertion {
    unsigned offset; // in the author's text, before which the byte goes
    char byte;
  };

  void insert(unsigned offset, char byte) { insertions_.push_back({offset, byte}); }
  // Must be called once after the last insert().
  void sort();

  bool empty() const { return insertions_.empty(); }
  const std::vector<Insertion> &insertions() const { return insertions_; }

  // `text` with all insertions.
  std::string apply(llvm::StringRef text) const;
  // The author's offset of a byte of the mended text; an inserted byte belongs to
  // the one it stands before.
  unsigned original(unsigned offset) const;

private:
  std::vector<Insertion> insertions_;
};

// `text` must end in a NUL beyond its last byte.
Repairs findRepairs(llvm::StringRef text);

} // namespace layout_port
