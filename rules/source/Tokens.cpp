#include "source/Tokens.h"

#include "clang/Basic/LangOptions.h"
#include "clang/Lex/Lexer.h"

#include <algorithm>

using namespace clang;

namespace layout_port {

static LangOptions cudaLangOptions() {
  LangOptions options;
  options.CPlusPlus = options.CPlusPlus11 = options.CPlusPlus14 = options.CPlusPlus17 = true;
  options.CXXOperatorNames = options.Bool = options.WChar = true;
  options.CUDA = true;
  options.LineComment = true;
  return options;
}

TokenStream::TokenStream(llvm::StringRef text) : text_(text) {
  const LangOptions options = cudaLangOptions();
  Lexer lexer(SourceLocation::getFromRawEncoding(2), options, text.begin(), text.begin(),
              text.end());
  clang::Token raw;
  bool inDirective = false;
  while (true) {
    lexer.LexFromRawLexer(raw);
    if (raw.is(tok::eof))
      break;
    const unsigned offset = raw.getLocation().getRawEncoding() - 2;
    if (raw.isAtStartOfLine())
      inDirective = false;
    if (raw.is(tok::hash) && raw.isAtStartOfLine()) {
      inDirective = true;
      const unsigned index = tokens_.size();
      directives_.push_back({"", index, index + 1, offset, offset + raw.getLength()});
    }
    const int directive = inDirective ? static_cast<int>(directives_.size()) - 1 : -1;
    tokens_.push_back({raw.getKind(), offset, raw.getLength(), raw.isAtStartOfLine(), directive});
    if (!inDirective)
      continue;
    Directive &d = directives_.back();
    d.lastToken = tokens_.size();
    d.end = tokens_.back().end();
    if (d.lastToken - d.firstToken == 2)
      d.name = spelling(d.firstToken + 1);
  }
  lineStarts_.push_back(0);
  for (unsigned i = 0; i < text.size(); ++i)
    if (text[i] == '\n')
      lineStarts_.push_back(i + 1);
}

static tok::TokenKind closer(tok::TokenKind kind) {
  switch (kind) {
  case tok::l_paren:
    return tok::r_paren;
  case tok::l_square:
    return tok::r_square;
  case tok::l_brace:
    return tok::r_brace;
  default:
    return tok::unknown;
  }
}

size_t TokenStream::matching(size_t open) const {
  std::vector<tok::TokenKind> expected;
  const int directive = tokens_[open].directive;
  for (size_t i = open; i < tokens_.size(); ++i) {
    const Token &t = tokens_[i];
    if (t.directive != directive) {
      // A directive inside a bracket outside of directives is skipped; leaving
      // the macro body that the bracket began in is an unclosed bracket.
      if (directive < 0)
        continue;
      return size();
    }
    if (const tok::TokenKind close = closer(t.kind); close != tok::unknown) {
      expected.push_back(close);
      continue;
    }
    if (t.kind != tok::r_paren && t.kind != tok::r_square && t.kind != tok::r_brace)
      continue;
    if (expected.empty() || expected.back() != t.kind)
      return size();
    expected.pop_back();
    if (expected.empty())
      return i;
  }
  return size();
}

// Traits<M, N>::threads: the last token of what stands in <> from `open` on; `close` where that is
// no list of template arguments. A comparison, a < b, c > d, goes on with a value.
size_t TokenStream::templateEnd(size_t open, size_t close) const {
  if (tokens_[open].kind != tok::less || open == 0 || tokens_[open - 1].kind != tok::raw_identifier)
    return close;
  int depth = 0;
  for (size_t i = open; i < close; ++i) {
    const tok::TokenKind kind = tokens_[i].kind;
    if (closer(kind) != tok::unknown) {
      i = matching(i);
      continue;
    }
    if (kind == tok::semi || kind == tok::ampamp || kind == tok::pipepipe)
      return close;
    depth += kind == tok::less;
    depth -= kind == tok::greater ? 1 : kind == tok::greatergreater ? 2 : 0;
    if (depth > 0)
      continue;
    const tok::TokenKind next = tokens_[i + 1].kind;
    const bool ends = next == tok::coloncolon || next == tok::l_paren || next == tok::l_brace ||
                      next == tok::comma || next == tok::r_paren;
    return ends ? i : close;
  }
  return close;
}

bool TokenStream::callArguments(size_t open, std::vector<Range> &args, size_t &close) const {
  args.clear();
  if (open >= size() || tokens_[open].kind != tok::l_paren)
    return false;
  close = matching(open);
  if (close == size())
    return false;
  size_t first = open + 1;
  if (first == close)
    return true;
  for (size_t i = first; i < close; ++i) {
    if (closer(tokens_[i].kind) != tok::unknown) {
      const size_t end = matching(i);
      if (end == size())
        return false;
      i = end;
      continue;
    }
    if (const size_t end = templateEnd(i, close); end != close) {
      i = end;
      continue;
    }
    if (tokens_[i].kind != tok::comma)
      continue;
    args.push_back({first, i});
    first = i + 1;
  }
  args.push_back({first, close});
  return true;
}

llvm::StringRef TokenStream::textOf(Range range) const {
  if (range.first >= range.last)
    return "";
  const unsigned begin = tokens_[range.first].offset;
  return text_.substr(begin, tokens_[range.last - 1].end() - begin);
}

void TokenStream::lineAndColumn(unsigned offset, unsigned &line, unsigned &column) const {
  const auto it = std::upper_bound(lineStarts_.begin(), lineStarts_.end(), offset);
  line = it - lineStarts_.begin();
  column = offset - *(it - 1) + 1;
}

} // namespace layout_port
