#include "source/Manual.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <algorithm>

using namespace clang;

namespace layout_port {

static bool isOpen(tok::TokenKind k) {
  return k == tok::l_paren || k == tok::l_square || k == tok::l_brace;
}
static bool isClose(tok::TokenKind k) {
  return k == tok::r_paren || k == tok::r_square || k == tok::r_brace;
}

// The token at or behind `offset`.
static size_t tokenAt(const TokenStream &tokens, unsigned offset) {
  size_t low = 0, high = tokens.size() - 1;
  while (low < high) {
    const size_t middle = (low + high) / 2;
    if (tokens[middle].end() <= offset)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

// The body of the macro definition around token i: [first, last).
static TokenStream::Range macroBody(const TokenStream &tokens, size_t i) {
  const Directive &d = tokens.directives()[tokens[i].directive];
  size_t first = std::min<size_t>(d.firstToken + 3, d.lastToken);
  if (first < d.lastToken && tokens[first].kind == tok::l_paren &&
      tokens[first].offset == tokens[first - 1].end())
    first = std::min<size_t>(tokens.matching(first) + 1, d.lastToken);
  return {first, d.lastToken};
}

// `else {`, `) const {`, `namespace a::b {`, `struct A : B {`.
static bool namesBlock(const TokenStream &tokens, size_t name) {
  static constexpr llvm::StringRef words[] = {
      "else", "do",     "try",   "const", "noexcept", "override", "final",  "namespace",
      "enum", "struct", "class", "union", "public",   "private",  "virtual"};
  for (size_t t = name + 1; t-- > 0;) {
    const tok::TokenKind k = tokens[t].kind;
    if (k == tok::colon ||
        (k == tok::raw_identifier && llvm::is_contained(words, tokens.spelling(t))))
      return true;
    if (k != tok::raw_identifier && k != tok::coloncolon)
      return false;
  }
  return false;
}

// May the '{' at `open` begin an initializer, by the token before it?
static bool opensInitializer(const TokenStream &tokens, size_t open) {
  if (open == 0)
    return false;
  switch (tokens[open - 1].kind) {
  case tok::equal:
  case tok::comma:
  case tok::l_paren:
  case tok::greater:
    return true;
  case tok::raw_identifier:
    return !namesBlock(tokens, open - 1);
  default:
    return false;
  }
}

// Does the '}' at `close` end an initializer, as in `Packed{f(x)}`? A block holds a
// ';' of its own, or stands behind what only a block stands behind. Returns the
// '{', or tokens.size() for a block.
static size_t initializerOpen(const TokenStream &tokens, size_t close) {
  int depth = 0;
  for (size_t t = close; t-- > 0;) {
    const tok::TokenKind k = tokens[t].kind;
    if (tokens[t].directive != tokens[close].directive)
      return tokens.size();
    if (isClose(k))
      ++depth;
    else if (depth > 0 && isOpen(k))
      --depth;
    else if (depth == 0 && k == tok::semi)
      return tokens.size();
    else if (isOpen(k))
      return k == tok::l_brace && opensInitializer(tokens, t) ? t : tokens.size();
  }
  return tokens.size();
}

static bool isInitializer(const TokenStream &tokens, size_t open) {
  const size_t close = tokens.matching(open);
  return close < tokens.size() && initializerOpen(tokens, close) == open;
}

// First token of the statement or declaration around token i: behind the last
// ';', '{' or '}' to the left that is not inside brackets of its own.
static size_t statementStart(const TokenStream &tokens, size_t i) {
  int depth = 0;
  for (size_t t = i; t-- > 0;) {
    const tok::TokenKind k = tokens[t].kind;
    if (tokens[t].directive >= 0) {
      if (depth == 0)
        return t + 1;
      continue;
    }
    if (k == tok::r_paren || k == tok::r_square)
      ++depth;
    else if ((k == tok::l_paren || k == tok::l_square) && depth > 0)
      --depth;
    else if (depth > 0)
      continue;
    else if (k == tok::semi)
      return t + 1;
    else if (k == tok::r_brace && initializerOpen(tokens, t) < tokens.size())
      t = initializerOpen(tokens, t);
    else if (k == tok::r_brace || (k == tok::l_brace && !isInitializer(tokens, t)))
      return t + 1;
  }
  return 0;
}

// One past the ';' or the '}' that ends the simple statement starting at `first`.
static size_t simpleStatementEnd(const TokenStream &tokens, size_t first) {
  for (size_t t = first; t < tokens.size(); ++t) {
    if (isOpen(tokens[t].kind)) {
      const bool brace = tokens[t].kind == tok::l_brace && !isInitializer(tokens, t);
      t = tokens.matching(t);
      if (t == tokens.size())
        return t;
      if (brace && !tokens.is(t + 1, ";") && !tokens.is(t + 1, ",") && !tokens.is(t + 1, ")"))
        return t + 1;
      continue;
    }
    if (tokens[t].kind == tok::semi)
      return t + 1;
    if (isClose(tokens[t].kind))
      return t;
  }
  return tokens.size();
}

// The same with the else branches that hang on it.
static size_t statementEnd(const TokenStream &tokens, size_t first) {
  size_t end = simpleStatementEnd(tokens, first);
  while (tokens.is(end, "else"))
    end = simpleStatementEnd(tokens, end + 1);
  return end;
}

// Do tokens [first, equal) declare a variable that `{}` may initialize: `const float x =`,
// `Pair p[2] =`? Not `auto x`, whose type is that of the value, nor a reference.
static bool declaresVariable(const TokenStream &tokens, size_t first, size_t equal) {
  static constexpr llvm::StringRef words[] = {"auto",  "return", "else",  "case",    "goto",
                                              "throw", "delete", "using", "typename"};
  bool isDeclaration = false;
  for (size_t t = first; t < equal; ++t) {
    const tok::TokenKind k = tokens[t].kind;
    if (tokens[t].directive >= 0 || k == tok::period || k == tok::arrow || k == tok::l_paren ||
        k == tok::amp || k == tok::ampamp || k == tok::semi || k == tok::equal ||
        (k == tok::raw_identifier && llvm::is_contained(words, tokens.spelling(t))))
      return false;
    const bool typeBefore =
        t > first && (tokens[t - 1].kind == tok::raw_identifier ||
                      tokens[t - 1].kind == tok::greater || tokens[t - 1].kind == tok::star);
    isDeclaration |=
        k == tok::raw_identifier && typeBefore && tokens[first].kind == tok::raw_identifier;
    if (k == tok::l_square)
      t = std::min(tokens.matching(t), equal);
  }
  return isDeclaration;
}

// The initializer around token i of a declaration in [first, last): behind its '=', to the
// ',' or ';'. Empty where there is none of that form. Its name stays declared then.
static TokenStream::Range initializerAround(const TokenStream &tokens, TokenStream::Range statement,
                                            size_t i) {
  const TokenStream::Range none{0, 0};
  size_t equal = statement.first;
  while (equal < i && tokens[equal].kind != tok::equal)
    equal = isOpen(tokens[equal].kind) ? tokens.matching(equal) + 1 : equal + 1;
  if (equal >= i || !declaresVariable(tokens, statement.first, equal))
    return none;
  TokenStream::Range range{equal + 1, equal + 1};
  for (size_t t = equal + 1; t < statement.last; ++t) {
    const tok::TokenKind k = tokens[t].kind;
    if (tokens[t].directive >= 0 || k == tok::less) // may be a list of template arguments
      return none;
    if (isOpen(k))
      t = tokens.matching(t);
    else if (k == tok::comma || k == tok::semi) {
      range.last = t;
      if (i < t)
        break;
      while (t < statement.last && tokens[t].kind != tok::equal)
        ++t;
      range.first = t + 1;
    }
  }
  return range.first <= i && i < range.last ? range : none;
}

// What a directive does, for who reads on in that direction: it enters a conditional, leaves the
// one around it, or passes to another of its arms.
enum class Arm { None, Enters, Leaves, Other };

static Arm armAt(const Directive &d, bool forward) {
  if (d.name == "if" || d.name == "ifdef" || d.name == "ifndef")
    return forward ? Arm::Enters : Arm::Leaves;
  if (d.name == "endif")
    return forward ? Arm::Leaves : Arm::Enters;
  return d.name.starts_with("el") ? Arm::Other : Arm::None;
}

// Does `range` hold each #if with its #endif?
static bool holdsWholeConditionals(const TokenStream &tokens, TokenStream::Range range) {
  int depth = 0;
  for (size_t t = range.first; t < range.last; ++t) {
    if (tokens[t].directive < 0)
      continue;
    const Directive &d = tokens.directives()[tokens[t].directive];
    const Arm arm = armAt(d, /*forward=*/true);
    if (depth == 0 && (arm == Arm::Leaves || arm == Arm::Other))
      return false;
    depth += arm == Arm::Enters ? 1 : arm == Arm::Leaves ? -1 : 0;
    t = d.lastToken - 1;
  }
  return depth == 0;
}

// A comment that took a part of an #if ... #endif would leave the rest without its other half:
// the range ends where token i's arm does, and takes a conditional that it began to its end.
static TokenStream::Range wholeArms(const TokenStream &tokens, TokenStream::Range range, size_t i) {
  if (holdsWholeConditionals(tokens, range))
    return range;
  int depth = 0;
  for (size_t t = i; t < tokens.size() && (t < range.last || depth > 0); ++t) {
    if (tokens[t].directive < 0)
      continue;
    const Directive &d = tokens.directives()[tokens[t].directive];
    const Arm arm = armAt(d, /*forward=*/true);
    if (depth == 0 && (arm == Arm::Leaves || arm == Arm::Other)) {
      range.last = d.firstToken;
      break;
    }
    depth += arm == Arm::Enters ? 1 : arm == Arm::Leaves ? -1 : 0;
    t = d.lastToken - 1;
    range.last = std::max<size_t>(range.last, d.lastToken);
  }
  depth = 0;
  for (size_t t = i; t-- > 0 && (t >= range.first || depth > 0);) {
    if (tokens[t].directive < 0)
      continue;
    const Directive &d = tokens.directives()[tokens[t].directive];
    const Arm arm = armAt(d, /*forward=*/false);
    if (depth == 0 && (arm == Arm::Leaves || arm == Arm::Other)) {
      range.first = d.lastToken;
      break;
    }
    depth += arm == Arm::Enters ? 1 : arm == Arm::Leaves ? -1 : 0;
    t = d.firstToken;
    range.first = std::min<size_t>(range.first, d.firstToken);
  }
  return range;
}

// `#pragma unroll` and its kin say something about the statement behind them.
static bool isLoopPragma(const TokenStream &tokens, const Directive &d) {
  if (d.name != "pragma" || d.firstToken + 2 >= d.lastToken)
    return false;
  static constexpr llvm::StringRef words[] = {"unroll", "nounroll", "unroll_and_jam",
                                              "nounroll_and_jam"};
  const llvm::StringRef first = tokens.spelling(d.firstToken + 2);
  if (first == "clang")
    return tokens.is(d.firstToken + 3, "loop");
  return llvm::is_contained(words, first) ||
         (first == "GCC" && tokens.is(d.firstToken + 3, "unroll"));
}

// Where the comment begins: at the pragmas that belong to the statement.
static unsigned commentBegin(const TokenStream &tokens, size_t first) {
  while (first > 0 && tokens[first - 1].directive >= 0 &&
         isLoopPragma(tokens, tokens.directives()[tokens[first - 1].directive]))
    first = tokens.directives()[tokens[first - 1].directive].firstToken;
  return tokens[first].offset;
}

static std::string inComment(llvm::StringRef text) {
  std::string out = "/* ";
  for (size_t i = 0; i < text.size(); ++i) {
    out += text[i];
    if (i + 1 < text.size() &&
        ((text[i] == '*' && text[i + 1] == '/') || (text[i] == '/' && text[i + 1] == '*')))
      out += ' ';
  }
  return out + " */";
}

static std::string quoted(llvm::StringRef text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\')
      out += '\\';
    out += c == '\n' ? ' ' : c;
  }
  return out + "\"";
}

// #include of a header that has no counterpart: the line itself is commented out.
static void commentInclude(const SourceFile &file, const Directive &d, Site &site) {
  site.begin = d.begin;
  site.end = d.end;
  site.edits = {{site.file, d.begin, d.end - d.begin,
                 "// " + file.text().slice(d.begin, d.end).str() + "\nLP_MANUAL(" +
                     quoted(site.reason) + ");"}};
}

// `float x = f(y), z;`: what is declared stays so, with a value of nothing.
static void commentInitializer(const SourceFile &file, TokenStream::Range value, Site &site) {
  site.begin = file.tokens[value.first].offset;
  site.end = file.tokens[value.last - 1].end();
  site.edits = {{site.file, site.begin, site.end - site.begin,
                 "{} " + inComment(file.text().slice(site.begin, site.end)) + " LP_MANUAL(" +
                     quoted(site.reason) + ")"}};
}

void makeManual(const Program &program, Site &site) {
  const SourceFile &file = program.file(site.file);
  const TokenStream &tokens = file.tokens;
  site.tier = Tier::Manual;
  site.runtime = {"manual"};
  const size_t i = tokenAt(tokens, site.begin);
  const int directive = tokens[i].directive;
  if (directive >= 0 && tokens.directives()[directive].name == "include")
    return commentInclude(file, tokens.directives()[directive], site);
  TokenStream::Range range{0, 0};
  if (directive >= 0) {
    range = macroBody(tokens, i);
  } else {
    range.first = statementStart(tokens, i);
    range.last = statementEnd(tokens, range.first);
  }
  const size_t last = range.last;
  if (directive < 0 && range.first <= i && i < range.last)
    range = wholeArms(tokens, range, i);
  const bool isCut = range.last < last; // the statement goes on behind the arm
  if (range.first >= range.last || i < range.first || i >= range.last)
    range = {i, i + 1};
  if (directive < 0)
    if (const auto value = initializerAround(tokens, range, i); value.first < value.last)
      return commentInitializer(file, value, site);
  site.begin = directive < 0 ? commentBegin(tokens, range.first) : tokens[range.first].offset;
  site.end = tokens[range.last - 1].end();
  const bool semicolon = directive < 0 && !isCut;
  site.edits = {{site.file, site.begin, site.end - site.begin,
                 inComment(file.text().slice(site.begin, site.end)) + " LP_MANUAL(" +
                     quoted(site.reason) + ")" + (semicolon ? ";" : "")}};
}

} // namespace layout_port
