// The pre-pass: what nvcc takes and clang does not, mended before parsing.
//
//   asm("..." : "=r"(a) "=r"(b))     ──▶  asm("..." : "=r"(a), "=r"(b))
//   asm("mov.u32 %0, %laneid;" : ..) ──▶  asm("mov.u32 %0, %%laneid;" : ..)
//   tile.row<16>(x)                  ──▶  tile.template row<16>(x)
//   T::row<16>(x)                    ──▶  T::template row<16>(x)
//   k << <1, 64 >> >(x);             ──▶  k  <<<1, 64  >>>(x);
//
// The two with `template` are wrong C++ where the type of `tile` depends on a template's parameters, and say
// nothing elsewhere: they are mended wherever the tokens leave no other meaning, and the parser tells
// where it was needed (https://eel.is/c++draft/temp.names#6).
//
// Only the parser sees the mended text. Rules work on the author's bytes, so that
// every offset it reports is led back to where the author wrote it.
#pragma once

#include "source/Chevrons.h"

#include "llvm/ADT/StringRef.h"

#include <string>
#include <vector>

namespace layout_port {

class Repairs {
public:
  struct Insertion {
    unsigned offset;      // in the author's text, before which the text goes
    llvm::StringRef text; // a literal: it outlives all
  };
  static constexpr llvm::StringLiteral comma = ",", percent = "%", keyword = "template ";

  // Blanks and brackets change places: the length stays.
  void join(const BlankedChevrons &chevrons) { joined_.push_back(chevrons); }
  void insert(unsigned offset, llvm::StringLiteral text) { insertions_.push_back({offset, text}); }
  // Must be called once after the last insert().
  void sort();

  bool empty() const { return insertions_.empty() && joined_.empty(); }
  const std::vector<Insertion> &insertions() const { return insertions_; }

  // `text` with all insertions.
  std::string apply(llvm::StringRef text) const;
  // The author's offset of a byte of the mended text; an inserted byte belongs to
  // the one it stands before.
  unsigned original(unsigned offset) const;
  // Was `template` put before the author's byte at `offset`?
  bool hasKeywordAt(unsigned offset) const;

private:
  std::vector<Insertion> insertions_;
  std::vector<BlankedChevrons> joined_;
};

// `text` must end in a NUL beyond its last byte.
Repairs findRepairs(llvm::StringRef text);

} // namespace layout_port
