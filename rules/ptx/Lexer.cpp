#include "ptx/Lexer.h"

namespace layout_port::ptx {
namespace {

bool isDigit(char c) { return c >= '0' && c <= '9'; }
bool isLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool isSpace(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
bool isWord(char c) { return isLetter(c) || isDigit(c) || c == '_'; }
bool startsName(char c) { return isLetter(c) || c == '_' || c == '$' || c == '%'; }
bool continuesName(char c) { return isWord(c) || c == '$'; }

class Lexer {
public:
  explicit Lexer(const PlainText &plain) : plain(plain), text(plain.text) {}

  Outcome<std::vector<Token>> run() {
    for (;;) {
      const std::size_t before = at;
      if (!skipBlanks())
        return problem;
      glued = at == before && at != 0;
      if (at == text.size())
        break;
      if (!token())
        return problem;
    }
    push(Token::Kind::End, at, at);
    return std::move(tokens);
  }

private:
  const PlainText &plain;
  std::string_view text;
  std::size_t at = 0;
  bool glued = false;
  std::size_t references = 0;
  std::vector<Token> tokens;
  Problem problem;

  char peek(std::size_t ahead = 0) const {
    return at + ahead < text.size() ? text[at + ahead] : '\0';
  }

  bool fail(std::size_t where, const char *reason) {
    problem = {plain.origin[where], reason, ""};
    return false;
  }

  void push(Token::Kind kind, std::size_t begin, std::size_t end) {
    Token t;
    t.kind = kind;
    t.text = text.substr(begin, end - begin);
    t.span = {plain.origin[begin], plain.origin[end]};
    t.glued = glued;
    tokens.push_back(t);
  }

  // White space and comments. Marks inside a comment still count as references.
  bool skipBlanks() {
    while (at < text.size()) {
      if (isSpace(peek()))
        ++at;
      else if (peek() == '/' && peek(1) == '/')
        skipTo(text.find('\n', at), 0);
      else if (peek() == '/' && peek(1) == '*') {
        const std::size_t close = text.find("*/", at + 2);
        if (close == std::string_view::npos)
          return fail(at, "a comment is not closed");
        skipTo(close, 2);
      } else
        break;
    }
    return true;
  }

  void skipTo(std::size_t where, std::size_t extra) {
    const std::size_t end = where == std::string_view::npos ? text.size() : where + extra;
    for (; at < end; ++at)
      references += text[at] == operandMark;
  }

  template <typename Predicate> void advanceWhile(Predicate accepts) {
    while (at < text.size() && accepts(text[at]))
      ++at;
  }

  bool token() {
    const char c = peek();
    if (c == operandMark)
      return operand();
    if (isDigit(c))
      return number();
    if (c == '.')
      return dotWord();
    if (c == '"')
      return string();
    if (startsName(c))
      return name();
    return punct();
  }

  bool operand() {
    ++at;
    push(Token::Kind::Operand, at - 1, at);
    tokens.back().reference = references++;
    return true;
  }

  bool name() {
    const std::size_t begin = at++;
    advanceWhile(continuesName);
    if (at == begin + 1 && (text[begin] == '%' || text[begin] == '$'))
      return fail(begin, "a lone '%' or '$'");
    push(Token::Kind::Name, begin, at);
    return true;
  }

  bool dotWord() {
    const std::size_t begin = ++at;
    advanceWhile(isWord);
    while (peek() == ':' && peek(1) == ':' && isWord(peek(2))) {
      at += 2;
      advanceWhile(isWord);
    }
    if (at == begin)
      return fail(begin - 1, "a lone '.'");
    push(Token::Kind::DotWord, begin, at);
    tokens.back().span.begin = plain.origin[begin - 1]; // the dot
    return true;
  }

  bool isHexadecimal() const {
    return peek() == '0' && (peek(1) == 'x' || peek(1) == 'X' || peek(1) == 'f' || peek(1) == 'F' ||
                             peek(1) == 'd' || peek(1) == 'D');
  }

  // 12, 0x1f, 0b101, 0f3f800000, 0d..., 1.5, 1.5e-3, 0., each with an optional U.
  bool number() {
    const std::size_t begin = at;
    const bool hexadecimal = isHexadecimal();
    advanceWhile(isWord);
    if (!hexadecimal && peek() == '.' && (isDigit(peek(1)) || !startsName(peek(1)))) {
      ++at;
      advanceWhile(isWord);
    }
    const bool exponent = !hexadecimal && (text[at - 1] == 'e' || text[at - 1] == 'E');
    if (exponent && (peek() == '+' || peek() == '-') && isDigit(peek(1))) {
      ++at;
      advanceWhile(isDigit);
    }
    push(Token::Kind::Number, begin, at);
    return true;
  }

  bool string() {
    const std::size_t close = text.find('"', at + 1);
    if (close == std::string_view::npos)
      return fail(at, "a string is not closed");
    const std::size_t begin = at + 1;
    skipTo(close, 1);
    push(Token::Kind::String, begin, close);
    return true;
  }

  bool punct() {
    static constexpr std::string_view single = "{}[]()<>,;:@!|&^~+-*/=?";
    if (single.find(peek()) == std::string_view::npos)
      return fail(at, "a character that PTX does not have");
    const bool shift = (peek() == '<' || peek() == '>') && peek(1) == peek();
    const std::size_t length = shift ? 2 : 1;
    push(Token::Kind::Punct, at, at + length);
    at += length;
    return true;
  }
};

} // namespace

Outcome<std::vector<Token>> lex(const PlainText &plain) { return Lexer(plain).run(); }

} // namespace layout_port::ptx
