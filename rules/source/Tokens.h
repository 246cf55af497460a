// The raw tokens of one file: every token that stands in the text, in dead
// #if arms and macro bodies too, with its byte offset.
//
// The AST sees one preprocessing of a file; a port must hold for all of them.
// So constructs are found on raw tokens, and the AST only adds what tokens
// cannot know (types, expanded strings, which function this is).
#pragma once

#include "clang/Basic/TokenKinds.h"
#include "llvm/ADT/StringRef.h"

#include <vector>

namespace layout_port {

struct Token {
  clang::tok::TokenKind kind;
  unsigned offset;
  unsigned length;
  bool startOfLine; // first on its line, an escaped newline not counted
  int directive;    // index into TokenStream::directives, or -1

  unsigned end() const { return offset + length; }
};

// `#name ...`, from the '#' to the end of its last token.
struct Directive {
  llvm::StringRef name;
  unsigned firstToken; // the '#'
  unsigned lastToken;  // one past its last token
  unsigned begin, end; // bytes
};

class TokenStream {
public:
  // Lexes `text`, which must outlive this object and end in a NUL beyond its
  // last byte (as llvm::MemoryBuffer and std::string guarantee).
  explicit TokenStream(llvm::StringRef text);

  llvm::StringRef text() const { return text_; }
  size_t size() const { return tokens_.size(); }
  const Token &operator[](size_t i) const { return tokens_[i]; }
  llvm::StringRef spelling(size_t i) const {
    return text_.substr(tokens_[i].offset, tokens_[i].length);
  }
  bool is(size_t i, llvm::StringRef text) const { return i < size() && spelling(i) == text; }
  const std::vector<Directive> &directives() const { return directives_; }

  // The index of the token that closes the bracket opened at `open`, or size()
  // if it never closes (or closes outside the directive it began in).
  size_t matching(size_t open) const;

  // The argument ranges [first, last) of the call whose '(' is token `open`,
  // split at top-level commas; empty for `()`. `close` receives the index of ')'.
  // Angle brackets are not counted: a template argument list with a comma at
  // the top level of a macro argument would split there for the preprocessor too.
  struct Range {
    size_t first, last;
  };
  bool callArguments(size_t open, std::vector<Range> &args, size_t &close) const;

  // The source text of tokens [first, last), comments included, trimmed.
  llvm::StringRef textOf(Range range) const;

  // 1-based.
  void lineAndColumn(unsigned offset, unsigned &line, unsigned &column) const;

private:
  size_t templateEnd(size_t open, size_t close) const;
  llvm::StringRef text_;
  std::vector<Token> tokens_;
  std::vector<Directive> directives_;
  std::vector<unsigned> lineStarts_;
};

} // namespace layout_port
