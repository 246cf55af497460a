// The text forms: tuples, layouts, swizzles, tilers, and calls of functions on them.
//
//   chain   = primary [ "o" ( integer "o" chain | chain ) ]
//   primary = tuple [ ":" tuple ] | "Sw" "<" b "," m "," s ">" | "<" chain, ... ">"
//           | name "(" chain, ... ")"
//   tuple   = integer | "_" | "(" chain, ... ")"
//
// Two functions joined by "o" are composed; "A o 5 o B" is c -> A(5 + B(c)). A list in
// parentheses is an integer tuple, or, when there are layouts in it, their
// concatenation.
#include "cute/Value.h"

#include <cctype>
#include <optional>

namespace layout_port::cute {

namespace {

constexpr size_t kLongestText = 65536;
constexpr int kDeepest = 64;

class Parser {
public:
  explicit Parser(const std::string &text) : text_(text) {}

  Result<Value> whole() {
    if (text_.size() > kLongestText)
      return makeError("a text of more than %zu characters", kLongestText);
    Result<Value> value = chain();
    if (!value)
      return value;
    skipBlanks();
    return at_ == text_.size() ? value : Result<Value>(unexpected());
  }

private:
  // ---- Characters --------------------------------------------------------------

  void skipBlanks() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])))
      ++at_;
  }
  char peek() {
    skipBlanks();
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  char charAt(size_t i) const { return i < text_.size() ? text_[i] : '\0'; }
  bool accept(char c) {
    if (peek() != c)
      return false;
    ++at_;
    return true;
  }
  static bool isDigit(char c) { return std::isdigit(static_cast<unsigned char>(c)); }
  static bool isNameChar(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }
  static bool startsName(char c) { return std::isalpha(static_cast<unsigned char>(c)); }

  std::string name() {
    const size_t start = at_;
    while (isNameChar(charAt(at_)))
      ++at_;
    return text_.substr(start, at_ - start);
  }
  // "o" alone, not the beginning of a name or a call.
  bool acceptCircle() {
    if (peek() != 'o' || isNameChar(charAt(at_ + 1)))
      return false;
    ++at_;
    return true;
  }

  Error unexpected() {
    skipBlanks();
    if (at_ >= text_.size())
      return makeError("the text ends too early");
    const char c = std::isprint(static_cast<unsigned char>(text_[at_])) ? text_[at_] : '?';
    return makeError("unexpected '%c' at character %zu", c, at_ + 1);
  }

  // ---- Integers and lists ------------------------------------------------------

  // 12, -3, and a static integer as CuTe prints it, _12.
  Result<int64_t> integer() {
    const bool isStatic = peek() == '_' && (isDigit(charAt(at_ + 1)) || charAt(at_ + 1) == '-');
    if (isStatic)
      ++at_;
    const bool negative = accept('-');
    if (!isDigit(peek()))
      return unexpected();
    int64_t value = 0;
    for (; isDigit(charAt(at_)); ++at_) {
      const int digit = text_[at_] - '0';
      if (value > (kMaxOffset - digit) / 10)
        return makeError("an integer beyond 2^60");
      value = value * 10 + digit;
    }
    return negative ? -value : value;
  }

  bool atInteger() {
    const char c = peek(), next = charAt(at_ + 1);
    return isDigit(c) || c == '-' || (c == '_' && (isDigit(next) || next == '-'));
  }

  // What lies between an opening and a closing bracket; a comma may follow the last.
  Result<std::vector<Value>> list(char close) {
    std::vector<Value> values;
    while (!accept(close)) {
      if (!values.empty() && !accept(','))
        return unexpected();
      if (!values.empty() && accept(close))
        break;
      Result<Value> value = chain();
      if (!value)
        return value.error();
      values.push_back(std::move(*value));
    }
    return values;
  }

  // ---- Grammar -----------------------------------------------------------------

  Result<Value> chain() {
    if (depth_ == kDeepest)
      return makeError("brackets or calls nested more than %d deep", kDeepest);
    ++depth_;
    Result<Value> value = openChain();
    --depth_;
    return value;
  }

  Result<Value> openChain() {
    const Result<Value> outer = primary();
    if (!outer || !acceptCircle())
      return outer;
    const std::optional<int64_t> offset = offsetBeforeCircle();
    const Result<Value> inner = chain();
    if (!inner)
      return inner;
    return offset ? composedForm(*outer, *offset, *inner) : call("composition", {*outer, *inner});
  }

  // The "5 o" of "A o 5 o B".
  std::optional<int64_t> offsetBeforeCircle() {
    const size_t start = at_;
    if (atInteger())
      if (const Result<int64_t> offset = integer(); offset && acceptCircle())
        return *offset;
    at_ = start;
    return std::nullopt;
  }

  static Result<Value> composedForm(const Value &a, int64_t offset, const Value &b) {
    const Result<Function> outer = asFunctionValue(a), inner = asFunctionValue(b);
    if (!outer || !inner)
      return outer ? inner.error() : outer.error();
    return Value(Function(Composed{*outer, offset, *inner}));
  }

  Result<Value> primary() {
    const char c = peek();
    if (c == '<')
      return tilerTuple();
    if (startsName(c))
      return nameOrSwizzle();
    Result<Value> tuple = tupleOrConcat();
    if (!tuple || !accept(':'))
      return tuple;
    const Result<Value> stride = tupleOrConcat();
    if (!stride)
      return stride;
    const IntTuple *shapes = std::get_if<IntTuple>(&*tuple);
    const IntTuple *strides = std::get_if<IntTuple>(&*stride);
    if (!shapes || !strides)
      return makeError("shape and stride are integer tuples");
    Result<Layout> layout = Layout::make(*shapes, *strides);
    if (!layout)
      return layout.error();
    return Value(Function(std::move(*layout)));
  }

  Result<Value> tupleOrConcat() {
    if (atInteger()) {
      const Result<int64_t> value = integer();
      return value ? Result<Value>(Value(IntTuple(*value))) : value.error();
    }
    if (accept('_'))
      return Value(IntTuple::underscore());
    if (!accept('('))
      return unexpected();
    const Result<std::vector<Value>> values = list(')');
    if (!values)
      return values.error();
    return tupleOf(*values);
  }

  static Result<Value> tupleOf(const std::vector<Value> &values) {
    std::vector<IntTuple> modes;
    for (const Value &v : values)
      if (const IntTuple *tuple = std::get_if<IntTuple>(&v))
        modes.push_back(*tuple);
    if (modes.empty() && values.empty())
      return makeError("an empty tuple");
    if (modes.size() < values.size())
      return call("make_layout", values);
    IntTuple tuple(std::move(modes));
    if (tuple.leafCount() > kMaxLeaves)
      return makeError("a tuple of more than %d integers", kMaxLeaves);
    return Value(std::move(tuple));
  }

  Result<Value> tilerTuple() {
    accept('<');
    const Result<std::vector<Value>> values = list('>');
    if (!values)
      return values.error();
    if (values->empty())
      return makeError("an empty tiler");
    std::vector<Tiler> modes;
    for (const Value &v : *values) {
      Result<Tiler> mode = asTiler(v);
      if (!mode)
        return mode.error();
      modes.push_back(std::move(*mode));
    }
    return Value(Tiler::byMode(std::move(modes)));
  }

  Result<Value> nameOrSwizzle() {
    const std::string word = name();
    if (peek() == '<' && (word == "Sw" || word == "Swizzle" || word == "S"))
      return swizzle();
    if (!accept('('))
      return unexpected();
    const Result<std::vector<Value>> values = list(')');
    if (!values)
      return values.error();
    return call(word, *values);
  }

  // Sw<3,4,3>; Sw<3,4> means Sw<3,4,3>, as in CuTe.
  Result<Value> swizzle() {
    accept('<');
    int64_t parts[3] = {0, 0, 0};
    for (int i = 0; i < 3; ++i) {
      if (i == 2 && peek() == '>') {
        parts[2] = parts[0];
        break;
      }
      if (i > 0 && !accept(','))
        return unexpected();
      const Result<int64_t> part = integer();
      if (!part)
        return part.error();
      parts[i] = *part;
    }
    if (!accept('>'))
      return unexpected();
    const Result<Swizzle> swizzle = Swizzle::make(parts[0], parts[1], parts[2]);
    if (!swizzle)
      return swizzle.error();
    return Value(Function(*swizzle));
  }

  const std::string &text_;
  size_t at_ = 0;
  int depth_ = 0;
};

} // namespace

Result<Value> parseValue(const std::string &text) { return Parser(text).whole(); }

std::string quoted(const std::string &text) {
  constexpr size_t kLongest = 60;
  std::string shown = text.substr(0, kLongest);
  for (char &c : shown)
    if (!std::isprint(static_cast<unsigned char>(c)))
      c = '?';
  return "'" + shown + (text.size() > kLongest ? "...'" : "'");
}

template <typename T> static Result<T> inText(const Result<T> &result, const std::string &text) {
  if (result)
    return result;
  return makeError("%s: %s", quoted(text).c_str(), result.error().message.c_str());
}

Result<IntTuple> parseIntTuple(const std::string &text) {
  const Result<Value> value = parseValue(text);
  return inText(value ? asTuple(*value) : Result<IntTuple>(value.error()), text);
}

Result<Layout> parseLayout(const std::string &text) {
  const Result<Value> value = parseValue(text);
  return inText(value ? asLayout(*value) : Result<Layout>(value.error()), text);
}

Result<Function> parseFunction(const std::string &text) {
  const Result<Value> value = parseValue(text);
  return inText(value ? asFunctionValue(*value) : Result<Function>(value.error()), text);
}

Result<Tiler> parseTiler(const std::string &text) {
  const Result<Value> value = parseValue(text);
  return inText(value ? asTiler(*value) : Result<Tiler>(value.error()), text);
}

} // namespace layout_port::cute
