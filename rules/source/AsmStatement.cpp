#include "source/AsmStatement.h"

#include "source/AsmAlias.h"

#include "clang/Basic/LangOptions.h"
#include "clang/Lex/LiteralSupport.h"
#include "llvm/ADT/StringExtras.h"

using namespace clang;

namespace layout_port {

const AsmOperand *AsmStatement::operand(size_t n) const {
  if (n < outputs.size())
    return &outputs[n];
  n -= outputs.size();
  return n < inputs.size() ? &inputs[n] : nullptr;
}

static bool isAsmKeyword(llvm::StringRef s) { return s == "asm" || s == "__asm__" || s == "__asm"; }

static bool isAsmQualifier(llvm::StringRef s) {
  return s == "volatile" || s == "__volatile__" || s == "__volatile" || s == "inline" ||
         s == "goto";
}

std::optional<std::string> literalValue(llvm::StringRef spelling) {
  if (spelling.consume_front("R\"")) {
    const size_t open = spelling.find('(');
    if (open == llvm::StringRef::npos)
      return std::nullopt;
    const std::string close = (")" + spelling.take_front(open) + "\"").str();
    if (!spelling.ends_with(close))
      return std::nullopt;
    return spelling.substr(open + 1, spelling.size() - open - 1 - close.size()).str();
  }
  if (!spelling.consume_front("\"") || !spelling.consume_back("\""))
    return std::nullopt;
  std::string value;
  for (size_t i = 0; i < spelling.size(); ++i) {
    if (spelling[i] != '\\') {
      value += spelling[i];
      continue;
    }
    if (++i == spelling.size())
      return std::nullopt;
    switch (spelling[i]) {
    case 'n':
      value += '\n';
      break;
    case 't':
      value += '\t';
      break;
    case 'r':
      value += '\r';
      break;
    case '\n':
      break; // spliced line
    case '\r':
      if (i + 1 < spelling.size() && spelling[i + 1] == '\n')
        ++i;
      break;
    case '"':
    case '\'':
    case '\\':
    case '?':
      value += spelling[i];
      break;
    default:
      return std::nullopt; // octal and hex escapes do not occur in PTX text
    }
  }
  return value;
}

// Joins the literals of tokens [first, last); nothing if one is not a literal.
static std::optional<std::string> joinedLiterals(const TokenStream &tokens, size_t first,
                                                 size_t last) {
  std::string joined;
  if (first == last)
    return std::nullopt;
  for (size_t i = first; i < last; ++i) {
    if (tokens[i].kind != tok::string_literal)
      return std::nullopt;
    const std::optional<std::string> value = literalValue(tokens.spelling(i));
    if (!value)
      return std::nullopt;
    joined += *value;
  }
  return joined;
}

// The constraint in tokens [first, last). Where a macro's parameters build it, as in
// `"=" #letter` or `how`, its tokens between question marks: what they stand for is known
// where the macro is used.
static std::string constraintText(const TokenStream &tokens, size_t first, size_t last) {
  if (const std::optional<std::string> literal = joinedLiterals(tokens, first, last))
    return *literal;
  return "?" + tokens.textOf({first, last}).str() + "?";
}

// [name] "constraint" (expression), with the commas between operands optional:
// nvcc accepts operands that only stand beside each other.
static bool parseOperands(const TokenStream &tokens, size_t first, size_t last,
                          std::vector<AsmOperand> &operands) {
  size_t i = first;
  while (i < last) {
    if (tokens[i].kind == tok::comma) {
      ++i;
      continue;
    }
    AsmOperand operand;
    if (tokens[i].kind == tok::l_square) {
      if (i + 2 >= last || tokens[i + 2].kind != tok::r_square)
        return false;
      operand.name = tokens.spelling(i + 1).str();
      i += 3;
    }
    size_t open = i;
    while (open < last &&
           (tokens[open].kind == tok::string_literal || tokens[open].kind == tok::raw_identifier ||
            tokens[open].kind == tok::hash))
      ++open;
    if (open == i || open >= last || tokens[open].kind != tok::l_paren)
      return false;
    const size_t close = tokens.matching(open);
    if (close >= last)
      return false;
    operand.constraint = constraintText(tokens, i, open);
    operand.expression = tokens.textOf({open + 1, close}).str();
    if (open + 1 < close) {
      operand.begin = tokens[open + 1].offset;
      operand.end = tokens[close - 1].end();
    }
    operands.push_back(operand);
    i = close + 1;
  }
  return true;
}

// Splits the parenthesised part at its top-level colons; `::` is two of them.
static std::vector<TokenStream::Range> sections(const TokenStream &tokens, size_t open,
                                                size_t close) {
  std::vector<TokenStream::Range> parts;
  size_t first = open + 1;
  for (size_t i = first; i < close; ++i) {
    const tok::TokenKind kind = tokens[i].kind;
    if (kind == tok::l_paren || kind == tok::l_square || kind == tok::l_brace) {
      i = tokens.matching(i);
      continue;
    }
    if (kind != tok::colon && kind != tok::coloncolon)
      continue;
    parts.push_back({first, i});
    if (kind == tok::coloncolon)
      parts.push_back({i, i});
    first = i + 1;
  }
  parts.push_back({first, close});
  return parts;
}

static bool parseAsm(const TokenStream &tokens, size_t start, AsmStatement &result) {
  size_t i = start + 1;
  for (; i < tokens.size() && isAsmQualifier(tokens.spelling(i)); ++i)
    result.isVolatile |= tokens.spelling(i).contains("volatile");
  if (i >= tokens.size() || tokens[i].kind != tok::l_paren)
    return false;
  const size_t close = tokens.matching(i);
  if (close == tokens.size())
    return false;
  result.begin = tokens[start].offset;
  result.end = tokens[close].end();
  result.firstToken = start;
  result.lastToken = close + 1;
  result.inMacro = tokens[start].directive >= 0;
  const std::vector<TokenStream::Range> parts = sections(tokens, i, close);
  if (parts.size() > 4)
    return false;
  result.text = joinedLiterals(tokens, parts[0].first, parts[0].last);
  result.firstPiece = parts[0].first;
  result.lastPiece = parts[0].last;
  if (parts.size() > 1 && !parseOperands(tokens, parts[1].first, parts[1].last, result.outputs))
    return false;
  if (parts.size() > 2 && !parseOperands(tokens, parts[2].first, parts[2].last, result.inputs))
    return false;
  if (parts.size() > 3)
    for (size_t t = parts[3].first; t < parts[3].last; ++t)
      if (tokens[t].kind == tok::string_literal)
        result.clobbers.push_back(tokens.spelling(t).str());
  return true;
}

// `#define ASM asm volatile`
static bool definesAsmAlias(const TokenStream &tokens, const Directive &d) {
  if (d.name != "define" || d.firstToken + 4 > d.lastToken ||
      !isAsmKeyword(tokens.spelling(d.firstToken + 3)))
    return false;
  for (size_t i = d.firstToken + 4; i < d.lastToken; ++i)
    if (!isAsmQualifier(tokens.spelling(i)))
      return false;
  return true;
}

std::set<std::string> asmAliases(const TokenStream &tokens) {
  std::set<std::string> aliases;
  for (const Directive &d : tokens.directives())
    if (definesAsmAlias(tokens, d))
      aliases.insert(tokens.spelling(d.firstToken + 2).str());
  return aliases;
}

bool isInAsmAlias(const TokenStream &tokens, size_t i) {
  const int d = tokens[i].directive;
  return d >= 0 && definesAsmAlias(tokens, tokens.directives()[d]);
}

std::vector<AsmStatement> findAsmStatements(const TokenStream &tokens,
                                            std::vector<size_t> &unreadable) {
  std::vector<AsmStatement> statements;
  const std::set<std::string> aliases = asmAliases(tokens);
  const auto begins = [&](size_t i) {
    return isAsmKeyword(tokens.spelling(i)) ||
           (aliases.count(tokens.spelling(i).str()) && tokens.is(i + 1, "("));
  };
  for (size_t i = 0; i < tokens.size(); ++i) {
    if (tokens[i].kind != tok::raw_identifier || !begins(i))
      continue;
    AsmStatement statement;
    if (!parseAsm(tokens, i, statement)) {
      unreadable.push_back(i);
      continue;
    }
    i = statement.lastToken - 1;
    statements.push_back(std::move(statement));
  }
  return statements;
}

} // namespace layout_port
