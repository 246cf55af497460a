#include "ptx/Parser.h"

#include "ptx/Lexer.h"
#include "ptx/Number.h"
#include "ptx/SpecialRegisters.h"

#include <unordered_map>

namespace layout_port::ptx {
namespace {

// Which declaration a name means, seen from inside nested scopes: a stack of
// maps, innermost last. Parameterised names (t<5>) are kept by their stem.
class Names {
public:
  void enter() { scopes.emplace_back(); }
  void leave() { scopes.pop_back(); }
  void declare(const Declaration &d, int index) { scopes.back()[d.name] = index; }

  int find(const std::string &name, const std::vector<Declaration> &declarations) const {
    const std::size_t stem = stemLength(name);
    for (auto scope = scopes.rbegin(); scope != scopes.rend(); ++scope) {
      const auto plain = scope->find(name);
      if (plain != scope->end() && declarations[plain->second].count == 0)
        return plain->second;
      const int numbered = findNumbered(*scope, name, stem, declarations);
      if (numbered >= 0)
        return numbered;
    }
    return -1;
  }

private:
  using Scope = std::unordered_map<std::string, int>;
  std::vector<Scope> scopes;

  static constexpr std::size_t maxIndexDigits = 8;

  // The length of `name` without its trailing digits.
  static std::size_t stemLength(const std::string &name) {
    const std::size_t last = name.find_last_not_of("0123456789");
    return last == std::string::npos ? 0 : last + 1;
  }

  // r12 may be r<20>'s 12th or r1<5>'s 2nd: try each split of the digits.
  static int findNumbered(const Scope &scope, const std::string &name, std::size_t stem,
                          const std::vector<Declaration> &declarations) {
    if (stem == name.size() || name.size() - stem > maxIndexDigits)
      return -1;
    for (std::size_t cut = stem; cut < name.size(); ++cut) {
      const auto hit = scope.find(name.substr(0, cut));
      if (hit == scope.end())
        continue;
      if (std::stoul(name.substr(cut)) < declarations[hit->second].count)
        return hit->second;
    }
    return -1;
  }
};

class Parser {
public:
  Parser(const PlainText &plain, const std::vector<Token> &tokens, const ParseOptions &options)
      : plain(plain), tokens(tokens), options(options) {}

  Outcome<Block> run() {
    openScope(-1);
    while (!isEnd())
      if (!statement())
        return problem;
    if (open.size() > 1)
      return Problem{tokens[at].span.begin, "a '{' is not closed", ""};
    return std::move(block);
  }

private:
  const PlainText &plain;
  const std::vector<Token> &tokens;
  const ParseOptions &options;
  std::size_t at = 0;
  Block block;
  Names names;
  std::vector<int> open; // scopes around the current token, innermost last
  Problem problem;

  // ---- tokens

  const Token &token() const { return tokens[at]; }
  bool isEnd() const { return token().kind == Token::Kind::End; }
  bool isPunct(std::string_view p) const {
    return token().kind == Token::Kind::Punct && token().text == p;
  }
  bool accept(std::string_view p) {
    if (!isPunct(p))
      return false;
    ++at;
    return true;
  }
  bool expect(std::string_view p, const char *after) {
    if (accept(p))
      return true;
    return fail("expected '" + std::string(p) + "' after " + after);
  }
  bool fail(std::string reason) { return failAt(token().span.begin, std::move(reason)); }
  bool failAt(std::size_t offset, std::string reason) {
    problem = {offset, std::move(reason), ""};
    return false;
  }
  std::size_t previousEnd() const { return tokens[at - 1].span.end; }

  // ---- scopes

  void openScope(int parent) {
    open.push_back(static_cast<int>(block.scopes.size()));
    block.scopes.push_back({parent});
    names.enter();
  }
  int scope() const { return open.back(); }

  bool enterBlock() {
    if (open.size() > options.maxNesting)
      return fail("blocks are nested too deeply");
    ++at;
    openScope(scope());
    return true;
  }

  bool leaveBlock() {
    if (open.size() == 1)
      return fail("a '}' without a '{'");
    ++at;
    open.pop_back();
    names.leave();
    return true;
  }

  // ---- statements

  bool statement() {
    if (accept(";"))
      return true;
    if (isPunct("{"))
      return enterBlock();
    if (isPunct("}"))
      return leaveBlock();
    if (token().kind == Token::Kind::DotWord)
      return directive();
    if (isLabel())
      return label();
    return instruction();
  }

  // A statement ends at ';', and the last one may leave it out.
  bool endOfStatement(const char *after) { return isEnd() || expect(";", after); }

  bool isLabel() const {
    return token().kind == Token::Kind::Name && tokens[at + 1].kind == Token::Kind::Punct &&
           tokens[at + 1].text == ":";
  }

  bool label() {
    block.labels.push_back(
        {token().span, scope(), std::string(token().text), block.instructions.size()});
    at += 2;
    return true;
  }

  bool instruction() {
    Instruction i;
    i.span.begin = token().span.begin;
    i.scope = scope();
    if (isPunct("@") && !guard(i))
      return false;
    if (token().kind != Token::Kind::Name)
      return fail("expected an instruction");
    i.opcodeOffset = token().span.begin;
    i.opcode = std::string(token().text);
    ++at;
    for (; token().kind == Token::Kind::DotWord; ++at) {
      i.modifiers.emplace_back(token().text);
      i.modifierOffsets.push_back(token().span.begin);
    }
    const bool joins = token().kind == Token::Kind::Operand && token().glued;
    const std::size_t first = token().span.begin;
    const bool hasOperands = isEnd() || isPunct(";") || operandList(i.operands);
    i.span.end = previousEnd();
    if (!hasOperands || !endOfStatement("an instruction"))
      return joins ? failAt(first, "an operand is part of the name of an instruction, and its "
                                   "value is not known here")
                   : false;
    block.instructions.push_back(std::move(i));
    return true;
  }

  bool guard(Instruction &i) {
    ++at;
    Guard g;
    if (!operand(g.predicate, 0))
      return false;
    if (!isScalar(g.predicate))
      return failAt(g.predicate.span.begin, "a guard is @p or @!p");
    i.guard = std::move(g);
    return true;
  }

  static bool isScalar(const Operand &o) {
    return o.is(Operand::Kind::AsmOperand) || o.is(Operand::Kind::Register) ||
           o.is(Operand::Kind::Symbol) || o.is(Operand::Kind::Special);
  }

  // ---- operands

  bool operandList(std::vector<Operand> &list) {
    do {
      list.emplace_back();
      if (!operand(list.back(), 0))
        return false;
    } while (accept(","));
    return true;
  }

  // operand := simple [ '|' simple ]
  bool operand(Operand &o, unsigned depth) {
    if (!simpleOperand(o, depth))
      return false;
    if (!isPunct("|") || o.is(Operand::Kind::Immediate))
      return true;
    ++at;
    Operand pair;
    pair.kind = Operand::Kind::Pair;
    pair.elements.push_back(std::move(o));
    pair.elements.emplace_back();
    if (!simpleOperand(pair.elements.back(), depth))
      return false;
    pair.span = {pair.elements[0].span.begin, previousEnd()};
    o = std::move(pair);
    return true;
  }

  bool simpleOperand(Operand &o, unsigned depth) {
    if (depth > options.maxNesting)
      return fail("operands are nested too deeply");
    o.span.begin = token().span.begin;
    if (!operandBody(o, depth))
      return false;
    o.span.end = previousEnd();
    return true;
  }

  bool operandBody(Operand &o, unsigned depth) {
    if (isPunct("{"))
      return group(o, Operand::Kind::Vector, "}", depth);
    if (isPunct("["))
      return address(o, depth);
    if (startsConstant())
      return immediate(o);
    if (isPunct("("))
      return group(o, Operand::Kind::Tuple, ")", depth);
    o.negated = accept("!");
    return reference(o);
  }

  // {a, b} or (a, b); both may be empty.
  bool group(Operand &o, Operand::Kind kind, const char *close, unsigned depth) {
    o.kind = kind;
    ++at;
    if (accept(close))
      return true;
    do {
      o.elements.emplace_back();
      if (!operand(o.elements.back(), depth + 1))
        return false;
    } while (accept(","));
    return expect(close, "a list of operands");
  }

  bool reference(Operand &o) {
    if (token().kind == Token::Kind::Operand)
      asmOperand(o);
    else if (token().kind == Token::Kind::Name)
      named(o);
    else
      return fail(isFraction() ? "a number begins with a digit: 0.5, not .5"
                               : "expected an operand");
    if (token().kind == Token::Kind::DotWord && token().glued) {
      o.component = std::string(token().text);
      ++at;
    }
    return o.is(Operand::Kind::Symbol) ? symbolOffset(o) : true;
  }

  // .5 or -.5, which PTX does not have: a word behind a dot is a modifier.
  // https://docs.nvidia.com/cuda/parallel-thread-execution/#floating-point-constants
  bool isFraction() const {
    const Token &t = tokens[at + (isPunct("-") ? 1 : 0)];
    return t.kind == Token::Kind::DotWord && !t.text.empty() && t.text[0] >= '0' &&
           t.text[0] <= '9';
  }

  void asmOperand(Operand &o) {
    const OperandReference &r = plain.references[token().reference];
    o.kind = Operand::Kind::AsmOperand;
    o.index = r.index;
    o.name = r.name;
    const auto named = std::find(options.names.begin(), options.names.end(), r.name);
    if (!r.name.empty() && named != options.names.end())
      o.index = static_cast<int>(named - options.names.begin());
    o.modifier = r.modifier;
    ++at;
  }

  void named(Operand &o) {
    o.name = std::string(token().text);
    ++at;
    if (o.name == "_") {
      o.kind = Operand::Kind::Sink;
      return;
    }
    o.declaration = names.find(o.name, block.declarations);
    if (o.declaration >= 0 && block.declarations[o.declaration].space == "reg")
      o.kind = Operand::Kind::Register;
    else if (o.declaration < 0 && o.name[0] == '%' && findSpecialRegister(o.name))
      o.kind = Operand::Kind::Special;
    else
      o.kind = Operand::Kind::Symbol;
  }

  // buf+4, outside of an address
  bool symbolOffset(Operand &o) {
    if (!isPunct("+") && !isPunct("-"))
      return true;
    const bool minus = isPunct("-");
    ++at;
    std::int64_t value = 0;
    if (!constant(value))
      return false;
    o.offset = wrap(minus ? 0 - bitsOf(value) : bitsOf(value));
    return true;
  }

  // [a + b + 16, {c, d}]
  bool address(Operand &o, unsigned depth) {
    o.kind = Operand::Kind::Address;
    ++at;
    if (!addend(o, false))
      return false;
    while (isPunct("+") || isPunct("-")) {
      const bool minus = isPunct("-");
      ++at;
      if (!addend(o, minus))
        return false;
    }
    while (accept(",")) {
      o.extra.emplace_back();
      if (!operand(o.extra.back(), depth + 1))
        return false;
    }
    return expect("]", "an address");
  }

  bool addend(Operand &o, bool minus) {
    if (startsConstant()) {
      std::int64_t value = 0;
      if (!product(value, 0))
        return false;
      o.offset = wrap(bitsOf(o.offset) + (minus ? 0 - bitsOf(value) : bitsOf(value)));
      return true;
    }
    o.elements.emplace_back();
    Operand &e = o.elements.back();
    e.span.begin = token().span.begin;
    e.negated = minus;
    if (token().kind == Token::Kind::Operand)
      asmOperand(e);
    else if (token().kind == Token::Kind::Name)
      named(e);
    else
      return fail("expected a register or a number in an address");
    if (e.is(Operand::Kind::Sink))
      return failAt(e.span.begin, "'_' is not an address");
    if (token().kind == Token::Kind::DotWord && token().glued) {
      e.component = std::string(token().text);
      ++at;
    }
    e.span.end = previousEnd();
    return true;
  }

  // ---- constant expressions: + - * / << >> & ^ | unary - ~ and parentheses

  static std::uint64_t bitsOf(std::int64_t v) { return static_cast<std::uint64_t>(v); }
  static std::int64_t wrap(std::uint64_t v) { return static_cast<std::int64_t>(v); }

  // Whether the tokens from here are a number: a digit, behind any of - ~ (.
  bool startsConstant() const {
    std::size_t i = at;
    while (tokens[i].kind == Token::Kind::Punct &&
           (tokens[i].text == "-" || tokens[i].text == "+" || tokens[i].text == "~" ||
            tokens[i].text == "(")) {
      if (++i - at > options.maxNesting)
        return false;
    }
    return tokens[i].kind == Token::Kind::Number;
  }

  bool immediate(Operand &o) {
    o.kind = Operand::Kind::Immediate;
    if (floatImmediate(o.immediate))
      return true;
    std::int64_t value = 0;
    if (!constant(value))
      return false;
    o.immediate = {Immediate::Kind::Integer, bitsOf(value)};
    return true;
  }

  // A float stands alone, with at most one sign.
  bool floatImmediate(Immediate &out) {
    const bool minus = isPunct("-");
    const Token &t = tokens[at + minus];
    if (t.kind != Token::Kind::Number)
      return false;
    const std::optional<Immediate> value = parseNumber(t.text);
    if (!value || value->kind == Immediate::Kind::Integer)
      return false;
    at += minus ? 2 : 1;
    out = *value;
    const unsigned sign = out.kind == Immediate::Kind::Float32 ? 31 : 63;
    if (minus)
      out.bits ^= std::uint64_t(1) << sign;
    return true;
  }

  bool constant(std::int64_t &value) { return binary(value, 0, 0); }

  // Binding strength of the binary operator here; 0 when there is none.
  unsigned strength() const {
    if (token().kind != Token::Kind::Punct)
      return 0;
    const std::string_view p = token().text;
    if (p == "|")
      return 1;
    if (p == "^")
      return 2;
    if (p == "&")
      return 3;
    if (p == "<<" || p == ">>")
      return 4;
    if (p == "+" || p == "-")
      return 5;
    return p == "*" || p == "/" ? productStrength : 0;
  }
  static constexpr unsigned productStrength = 6;

  // One operand of the sum inside an address: products bind, sums do not.
  bool product(std::int64_t &value, unsigned depth) {
    return binary(value, productStrength - 1, depth);
  }

  // Precedence climbing: reads operators that bind more strongly than `above`.
  bool binary(std::int64_t &value, unsigned above, unsigned depth) {
    if (!unary(value, depth))
      return false;
    while (strength() > above) {
      const unsigned s = strength();
      const Token &op = token();
      ++at;
      std::int64_t right = 0;
      if (!binary(right, s, depth + 1) || !apply(op, value, right))
        return false;
    }
    return true;
  }

  bool unary(std::int64_t &value, unsigned depth) {
    if (depth > options.maxNesting)
      return fail("a constant is nested too deeply");
    if (accept("-") || accept("~") || accept("+")) {
      const char sign = tokens[at - 1].text[0];
      if (!unary(value, depth + 1))
        return false;
      value = sign == '-' ? wrap(0 - bitsOf(value)) : sign == '~' ? ~value : value;
      return true;
    }
    if (accept("("))
      return binary(value, 0, depth + 1) && expect(")", "a constant");
    return number(value);
  }

  bool number(std::int64_t &value) {
    if (token().kind != Token::Kind::Number)
      return fail("expected a number");
    const std::optional<Immediate> parsed = parseNumber(token().text);
    if (!parsed)
      return fail("not a number PTX knows: " + std::string(token().text.substr(0, 40)));
    if (parsed->kind != Immediate::Kind::Integer)
      return fail("expected an integer");
    value = wrap(parsed->bits);
    ++at;
    return true;
  }

  bool apply(const Token &op, std::int64_t &left, std::int64_t right) {
    const std::uint64_t l = bitsOf(left);
    const std::uint64_t r = bitsOf(right);
    const std::string_view p = op.text;
    if (p == "/" && (right == 0 || (right == -1 && left == INT64_MIN)))
      return failAt(op.span.begin, "a constant is divided by zero");
    if (p == "<<" || p == ">>") {
      if (r > 63)
        return failAt(op.span.begin, "a constant is shifted by more than 63");
      left = p == "<<" ? wrap(l << r) : left >> r;
      return true;
    }
    left = p == "+"   ? wrap(l + r)
           : p == "-" ? wrap(l - r)
           : p == "*" ? wrap(l * r)
           : p == "/" ? left / right
           : p == "&" ? left & right
           : p == "|" ? left | right
                      : left ^ right;
    return true;
  }

  // ---- directives and declarations

  static bool isSpace(std::string_view word) {
    return word == "reg" || word == "shared" || word == "local" || word == "global" ||
           word == "const" || word == "param";
  }

  bool directive() {
    if (isSpace(token().text))
      return declaration();
    Directive d;
    d.name = std::string(token().text);
    d.span.begin = token().span.begin;
    while (!isEnd() && !isPunct(";") && !isPunct("{") && !isPunct("}"))
      ++at;
    d.span.end = previousEnd();
    block.directives.push_back(std::move(d));
    return endOfStatement("a directive");
  }

  bool declaration() {
    Declaration d;
    d.scope = scope();
    d.space = std::string(token().text);
    ++at;
    if (!declarationType(d))
      return false;
    do {
      if (!declarator(d))
        return false;
    } while (accept(","));
    return endOfStatement("a declaration");
  }

  // .align 4 .v2 .f32
  bool declarationType(Declaration &d) {
    for (; token().kind == Token::Kind::DotWord; ++at) {
      const std::string_view word = token().text;
      if (word == "align") {
        ++at;
        if (!size(d.align))
          return false;
        --at;
      } else if (word == "v2" || word == "v4" || word == "v8")
        d.vector = static_cast<unsigned>(word[1] - '0');
      else if (d.type.empty())
        d.type = std::string(word);
      else
        return fail("a declaration has one type");
    }
    return !d.type.empty() || fail("a declaration needs a type");
  }

  bool size(std::uint64_t &value) {
    std::int64_t parsed = 0;
    if (!constant(parsed))
      return false;
    if (parsed < 0 || parsed > INT32_MAX)
      return fail("a size is out of range");
    value = bitsOf(parsed);
    return true;
  }

  // name, name<5> or name[16][2]
  bool declarator(Declaration &d) {
    if (token().kind != Token::Kind::Name)
      return fail("expected the name of a declaration");
    d.name = std::string(token().text);
    d.span = token().span;
    d.count = 0;
    d.length = 0;
    ++at;
    if (!parameterCount(d) || !arrayLength(d))
      return false;
    if (isPunct("="))
      return fail("an initialised variable is not understood");
    d.span.end = previousEnd();
    names.declare(d, static_cast<int>(block.declarations.size()));
    block.declarations.push_back(d);
    return true;
  }

  bool parameterCount(Declaration &d) {
    if (!accept("<"))
      return true;
    std::int64_t count = 0;
    if (!number(count))
      return false;
    if (count < 1 || count > 1000000)
      return fail("the number of registers is out of range");
    d.count = static_cast<unsigned>(count);
    return expect(">", "the number of registers");
  }

  bool arrayLength(Declaration &d) {
    for (std::uint64_t length = 0; accept("["); d.length = d.length ? d.length * length : length)
      if (!size(length) || !expect("]", "the length of an array"))
        return false;
      else if (d.length && length > INT32_MAX / d.length)
        return fail("a size is out of range");
    return true;
  }
};

} // namespace

Outcome<Block> parse(std::string_view text, const ParseOptions &options) {
  if (text.size() > options.maxBytes)
    return Problem{0, "the asm text is larger than " + std::to_string(options.maxBytes) + " bytes",
                   ""};
  const Outcome<PlainText> plain = unescape(text, options.spelling, options.constants);
  if (!plain)
    return plain.error();
  const Outcome<std::vector<Token>> tokens = lex(*plain);
  if (!tokens)
    return tokens.error();
  return Parser(*plain, *tokens, options).run();
}

} // namespace layout_port::ptx
