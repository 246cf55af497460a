#include "source/Chevrons.h"

using namespace clang;

namespace layout_port {

// Tokens i and i + 1 of these kinds, with blanks between them and nothing else.
static bool isBlanked(const TokenStream &tokens, size_t i, tok::TokenKind first,
                      tok::TokenKind second) {
  return i + 1 < tokens.size() && tokens[i].kind == first && tokens[i + 1].kind == second &&
         tokens[i].directive == tokens[i + 1].directive && tokens[i].end() < tokens[i + 1].offset &&
         tokens.text().slice(tokens[i].end(), tokens[i + 1].offset).trim().empty();
}

// The `>> >` that ends the launch whose configuration begins at token i; size() where none does.
static size_t blankedEnd(const TokenStream &tokens, size_t i) {
  size_t end = tokens.size();
  for (const int directive = tokens[i].directive;
       i < tokens.size() && tokens[i].directive == directive; ++i) {
    const tok::TokenKind kind = tokens[i].kind;
    if (kind == tok::l_paren || kind == tok::l_brace || kind == tok::l_square) {
      i = tokens.matching(i);
      continue;
    }
    if (kind == tok::greatergreatergreater)
      return tokens.size();
    if (kind == tok::semi || kind == tok::r_paren || kind == tok::r_brace)
      break;
    if (isBlanked(tokens, i, tok::greatergreater, tok::greater) && tokens.is(i + 2, "(") &&
        end == tokens.size())
      end = i;
  }
  return end;
}

std::vector<BlankedChevrons> findBlankedChevrons(const TokenStream &tokens) {
  std::vector<BlankedChevrons> found;
  const auto add = [&](size_t i, llvm::StringRef joined) {
    found.push_back({i, tokens[i].offset, tokens[i + 1].end(), joined});
  };
  for (size_t i = 0; i + 2 < tokens.size(); ++i) {
    const bool opens = isBlanked(tokens, i, tok::lessless, tok::less);
    if (opens)
      add(i, "<<<");
    else if (tokens[i].kind != tok::lesslessless)
      continue;
    if (const size_t end = blankedEnd(tokens, i + (opens ? 2 : 1)); end < tokens.size())
      add(end, ">>>");
  }
  return found;
}

} // namespace layout_port
