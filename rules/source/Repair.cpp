#include "source/Repair.h"

#include "source/AsmStatement.h"

#include "llvm/ADT/StringExtras.h"

#include <algorithm>

using namespace clang;

namespace layout_port {

void Repairs::sort() {
  std::stable_sort(insertions_.begin(), insertions_.end(),
                   [](const Insertion &a, const Insertion &b) { return a.offset < b.offset; });
}

std::string Repairs::apply(llvm::StringRef text) const {
  std::string mended;
  mended.reserve(text.size() + insertions_.size());
  unsigned at = 0;
  for (const Insertion &insertion : insertions_) {
    mended += text.slice(at, insertion.offset);
    mended += insertion.byte;
    at = insertion.offset;
  }
  mended += text.substr(at);
  return mended;
}

unsigned Repairs::original(unsigned offset) const {
  unsigned before = 0; // insertions in front of `offset`
  for (const Insertion &insertion : insertions_) {
    if (insertion.offset + before >= offset)
      break;
    ++before;
  }
  return offset - before;
}

namespace {

class Finder {
public:
  explicit Finder(llvm::StringRef text) : tokens_(text) {}

  Repairs run() {
    std::vector<size_t> unreadable;
    for (const AsmStatement &statement : findAsmStatements(tokens_, unreadable))
      mend(statement);
    repairs_.sort();
    return std::move(repairs_);
  }

private:
  // Brackets are counted from the one that opens the statement: at depth 1 stand
  // the template, the operands and the colons between them.
  void mend(const AsmStatement &statement) {
    int depth = 0;
    bool inTemplate = true;
    std::vector<size_t> pieces;
    for (size_t i = statement.firstToken; i < statement.lastToken; ++i) {
      const tok::TokenKind kind = tokens_[i].kind;
      if (kind == tok::l_paren || kind == tok::l_square || kind == tok::l_brace)
        ++depth;
      if (kind == tok::r_paren || kind == tok::r_square || kind == tok::r_brace)
        --depth;
      if (depth != 1)
        continue;
      if (kind == tok::colon || kind == tok::coloncolon)
        inTemplate = false;
      if (inTemplate && kind == tok::string_literal)
        pieces.push_back(i);
      if (!inTemplate && kind == tok::r_paren && beginsOperand(i + 1))
        repairs_.insert(tokens_[i].end(), ',');
    }
    // Without a colon it is basic asm, where a percent sign is only itself.
    if (!inTemplate)
      for (const size_t piece : pieces)
        doublePercents(tokens_[piece].offset, tokens_.spelling(piece));
  }

  bool beginsOperand(size_t i) const {
    return i < tokens_.size() &&
           (tokens_[i].kind == tok::string_literal || tokens_[i].kind == tok::l_square);
  }

  // `%laneid`: a percent sign before a word. A letter before a digit or '[' is an
  // operand's modifier, and `%%`, `%{`, `%|`, `%}`, `%=` mean what they mean.
  void doublePercents(unsigned offset, llvm::StringRef literal) {
    for (size_t i = 0; i + 1 < literal.size(); ++i) {
      if (literal[i] != '%')
        continue;
      const char next = literal[i + 1];
      const char behind = i + 2 < literal.size() ? literal[i + 2] : '\0';
      if ((llvm::isAlpha(next) || next == '_') && !llvm::isDigit(behind) && behind != '[')
        repairs_.insert(offset + i, '%');
      else
        ++i;
    }
  }

  TokenStream tokens_;
  Repairs repairs_;
};

} // namespace

Repairs findRepairs(llvm::StringRef text) {
  if (!text.contains("asm"))
    return Repairs();
  return Finder(text).run();
}

} // namespace layout_port
