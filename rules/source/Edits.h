// Applying edits to a file, with edits inside edits.
//
// A rule that rewrites a whole statement still wants the author's operands in
// its new text, *with* whatever other rules change inside them:
//
//   asm("..." :: "r"(__cvta_generic_to_shared(p)))      edit 1: the statement
//                    ^^^^^^^^^^^^^^^^^^^^^^^^           edit 2: inside an operand
//   ──▶ lp::ldmatrix_x4(..., lp::cvta_generic_to_shared(p))
//
// So the text of an edit may quote ranges of its own file with sourceRange();
// they are rendered with the edits that lie inside them. An edit that lies
// inside another's range and in none of its quotes is lost with the old text.
#pragma once

#include "Rule.h"
#include "source/Program.h"

#include <string>
#include <vector>

namespace layout_port {

// A piece of edit text that stands for bytes [begin, end) of the edited file.
std::string sourceRange(unsigned begin, unsigned end);

// The ranges that an edit text quotes, in its order.
std::vector<std::pair<unsigned, unsigned>> quotedRanges(llvm::StringRef editText);

// `text` with quotes replaced by what the source says there, no edits applied.
std::string plainText(llvm::StringRef editText, llvm::StringRef source);

// The edits of one file, sorted; the later of two that start at the same place
// and overlap without nesting is dropped and returned in `dropped`.
class EditList {
public:
  void add(const Edit &edit) { edits_.push_back(edit); }
  bool empty() const { return edits_.empty(); }
  // Must be called once after the last add(). Outer edits first.
  void sort();
  // The text of [begin, end) of `source` with edits applied.
  std::string apply(llvm::StringRef source, unsigned begin, unsigned end) const;

private:
  std::string render(llvm::StringRef source, const Edit &edit, size_t index) const;
  std::string apply(llvm::StringRef source, unsigned begin, unsigned end, size_t from) const;

  std::vector<Edit> edits_;
};

} // namespace layout_port
