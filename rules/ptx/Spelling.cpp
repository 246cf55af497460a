#include "ptx/Spelling.h"

namespace layout_port::ptx {
namespace {

constexpr int maxOperandIndex = 4096;

bool isDigit(char c) { return c >= '0' && c <= '9'; }
bool isLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool isSpace(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

class Unescaper {
public:
  Unescaper(std::string_view source, Spelling spelling,
            const std::vector<OperandConstant> &constants)
      : source(source), spelling(spelling), constants(constants) {}

  Outcome<PlainText> run() {
    while (at < source.size()) {
      if (!step())
        return problem;
    }
    out.origin.push_back(source.size());
    return std::move(out);
  }

private:
  std::string_view source;
  Spelling spelling;
  const std::vector<OperandConstant> &constants;
  std::size_t at = 0;
  PlainText out;
  Problem problem;

  char peek(std::size_t ahead = 0) const {
    return at + ahead < source.size() ? source[at + ahead] : '\0';
  }

  bool step() {
    if (spelling == Spelling::Extended && peek() == '%')
      return percent();
    if (spelling == Spelling::Llvm && peek() == '$')
      return dollar();
    const char c = peek();
    if (c == '\0' || (static_cast<unsigned char>(c) < 0x20 && !isSpace(c)))
      return fail("a control character in the asm text");
    put(c, 1);
    return true;
  }

  bool fail(const char *reason) {
    problem = {at, reason, ""};
    return false;
  }

  void put(char c, std::size_t sourceBytes) {
    out.text.push_back(c);
    out.origin.push_back(at);
    at += sourceBytes;
  }

  void put(std::string_view text, std::size_t sourceBytes) {
    for (const char c : text) {
      out.text.push_back(c);
      out.origin.push_back(at);
    }
    at += sourceBytes;
  }

  // %= and ${:uid} number each copy of an asm statement; one name stands for all.
  void putUniqueId(std::size_t sourceBytes) { put("_uid_", sourceBytes); }

  bool isInsideWord() const {
    if (out.text.empty())
      return false;
    const char before = out.text.back();
    return isLetter(before) || isDigit(before) || before == '.' || before == '_' || before == ':';
  }

  const OperandConstant *constantOf(const OperandReference &reference) const {
    for (const OperandConstant &constant : constants)
      if (reference.index >= 0 ? constant.index == reference.index
                               : constant.name == reference.name)
        return &constant;
    return nullptr;
  }

  void putReference(OperandReference reference, std::size_t sourceBytes) {
    const OperandConstant *constant = constantOf(reference);
    if (constant && reference.modifier == 0 && isInsideWord()) {
      put(std::to_string(constant->value), sourceBytes);
      return;
    }
    out.references.push_back(std::move(reference));
    put(operandMark, sourceBytes);
  }

  // Digits from source[from]; moves `from` past them. -1 when out of range.
  int number(std::size_t &from) const {
    int value = 0;
    for (; from < source.size() && isDigit(source[from]); ++from) {
      value = value * 10 + (source[from] - '0');
      if (value > maxOperandIndex)
        return -1;
    }
    return value;
  }

  bool percent() {
    const char next = peek(1);
    if (next == '%' || next == '{' || next == '}' || next == '|') {
      put(next, 2);
      return true;
    }
    if (next == '=') {
      putUniqueId(2);
      return true;
    }
    const bool modified = isLetter(next) && (isDigit(peek(2)) || peek(2) == '[');
    const std::size_t from = at + (modified ? 2 : 1);
    const char modifier = modified ? next : '\0';
    if (from < source.size() && isDigit(source[from]))
      return numbered(from, modifier);
    if (from < source.size() && source[from] == '[')
      return named(from, modifier);
    // A single `%laneid`, which nvcc takes: the percent sign of a register.
    put('%', 1);
    return true;
  }

  bool numbered(std::size_t from, char modifier) {
    const int index = number(from);
    if (index < 0)
      return fail("the number of an asm operand is out of range");
    putReference({index, "", modifier}, from - at);
    return true;
  }

  bool named(std::size_t bracket, char modifier) {
    const std::size_t close = source.find(']', bracket);
    if (close == std::string_view::npos || close == bracket + 1)
      return fail("an asm operand's name is not closed");
    putReference({-1, std::string(source.substr(bracket + 1, close - bracket - 1)), modifier},
                 close + 1 - at);
    return true;
  }

  bool dollar() {
    if (peek(1) == '$') {
      put('$', 2);
      return true;
    }
    if (isDigit(peek(1)))
      return numbered(at + 1, '\0');
    if (peek(1) == '{')
      return braced();
    return fail("'$' is not followed by an operand number");
  }

  // ${3}, ${3:h}, ${:uid}
  bool braced() {
    const std::size_t close = source.find('}', at);
    if (close == std::string_view::npos)
      return fail("'${' is not closed");
    const std::string_view inside = source.substr(at + 2, close - at - 2);
    if (inside == ":uid") {
      putUniqueId(close + 1 - at);
      return true;
    }
    std::size_t from = at + 2;
    if (!isDigit(peek(2)))
      return fail("'${' is not followed by an operand number");
    const int index = number(from);
    if (index < 0)
      return fail("the number of an asm operand is out of range");
    const std::string_view rest = source.substr(from, close - from);
    if (!rest.empty() && (rest.size() != 2 || rest[0] != ':'))
      return fail("an operand modifier is one letter after ':'");
    putReference({index, "", rest.empty() ? '\0' : rest[1]}, close + 1 - at);
    return true;
  }
};

} // namespace

Outcome<PlainText> unescape(std::string_view source, Spelling spelling,
                            const std::vector<OperandConstant> &constants) {
  return Unescaper(source, spelling, constants).run();
}

} // namespace layout_port::ptx
