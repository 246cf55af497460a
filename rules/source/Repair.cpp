#include "source/Repair.h"

#include "source/AsmStatement.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <algorithm>
#include <set>

using namespace clang;

namespace layout_port {

void Repairs::sort() {
  std::stable_sort(insertions_.begin(), insertions_.end(),
                   [](const Insertion &a, const Insertion &b) { return a.offset < b.offset; });
}

std::string Repairs::apply(llvm::StringRef authors) const {
  std::string text = authors.str();
  for (const BlankedChevrons &chevrons : joined_) {
    const size_t at = chevrons.end - chevrons.joined.size();
    for (unsigned i = chevrons.begin; i < at; ++i)
      if (!llvm::isSpace(text[i]))
        text[i] = ' ';
    text.replace(at, chevrons.joined.size(), chevrons.joined.str());
  }
  std::string mended;
  mended.reserve(text.size() + insertions_.size());
  unsigned at = 0;
  for (const Insertion &insertion : insertions_) {
    mended.append(text, at, insertion.offset - at);
    mended += insertion.text;
    at = insertion.offset;
  }
  mended.append(text, at);
  return mended;
}

unsigned Repairs::original(unsigned offset) const {
  unsigned before = 0; // inserted bytes in front of `offset`
  for (const Insertion &insertion : insertions_) {
    if (offset < insertion.offset + before)
      break;
    if (offset < insertion.offset + before + insertion.text.size())
      return insertion.offset;
    before += insertion.text.size();
  }
  return offset - before;
}

bool Repairs::hasKeywordAt(unsigned offset) const {
  return llvm::any_of(insertions_, [&](const Insertion &insertion) {
    return insertion.offset == offset && insertion.text == keyword;
  });
}

namespace {

class Finder {
public:
  explicit Finder(llvm::StringRef text) : tokens_(text) {}

  Repairs run() {
    std::vector<size_t> unreadable;
    for (const AsmStatement &statement : findAsmStatements(tokens_, unreadable))
      mend(statement);
    const std::set<llvm::StringRef> types = typeParameters();
    for (size_t i = 0; i + 1 < tokens_.size(); ++i)
      if (isMemberTemplateCall(i, types))
        repairs_.insert(tokens_[i + 1].offset, Repairs::keyword);
    for (const BlankedChevrons &chevrons : findBlankedChevrons(tokens_))
      repairs_.join(chevrons);
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
        repairs_.insert(tokens_[i].end(), Repairs::comma);
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
        repairs_.insert(offset + i, Repairs::percent);
      else
        ++i;
    }
  }

  // T of `template <typename T, class... Ts>`.
  std::set<llvm::StringRef> typeParameters() const {
    std::set<llvm::StringRef> names;
    for (size_t i = 0; i + 2 < tokens_.size(); ++i) {
      if (!tokens_.is(i, "typename") && !tokens_.is(i, "class"))
        continue;
      const size_t name = tokens_[i + 1].kind == tok::ellipsis ? i + 2 : i + 1;
      if (tokens_.is(name + 1, ",") || tokens_.is(name + 1, ">") || tokens_.is(name + 1, "="))
        names.insert(tokens_.spelling(name));
    }
    return names;
  }

  // `.name<arguments>(` or `T::name<arguments>(`, token i being the dot, arrow or `::`, written
  // without blanks around the angle brackets, as nobody writes (a.b < c) > (d). Behind other names
  // than those of type parameters `::` may belong to a definition.
  bool isMemberTemplateCall(size_t i, const std::set<llvm::StringRef> &types) const {
    const tok::TokenKind kind = tokens_[i].kind;
    const bool isScope = kind == tok::coloncolon && i > 0 && types.count(tokens_.spelling(i - 1));
    return (kind == tok::period || kind == tok::arrow || isScope) &&
           tokens_[i + 1].kind == tok::raw_identifier && isGlued(i + 2, tok::less) &&
           isGlued(closingAngle(i + 2) + 1, tok::l_paren);
  }

  // Does token i follow its neighbour at once?
  bool isGlued(size_t i, tok::TokenKind kind) const {
    return i < tokens_.size() && tokens_[i].kind == kind &&
           tokens_[i].offset == tokens_[i - 1].end() &&
           tokens_[i].directive == tokens_[i - 1].directive;
  }

  // The token that closes the template arguments opened at `open`; size() where they are none:
  // what stands there is names, numbers and arithmetic.
  size_t closingAngle(size_t open) const {
    unsigned angles = 0, parens = 0;
    for (size_t i = open; i < tokens_.size() && tokens_[i].directive == tokens_[open].directive;
         ++i) {
      const tok::TokenKind kind = tokens_[i].kind;
      parens += kind == tok::l_paren;
      angles += kind == tok::less;
      const unsigned closed = kind == tok::greater ? 1 : kind == tok::greatergreater ? 2 : 0;
      if (closed > angles)
        break; // a shift
      angles -= closed;
      if (angles == 0)
        return parens == 0 ? i : tokens_.size();
      if ((kind == tok::r_paren && parens-- == 0) || !standsInArguments(kind))
        break;
    }
    return tokens_.size();
  }

  static bool standsInArguments(tok::TokenKind kind) {
    switch (kind) {
    case tok::raw_identifier:
    case tok::numeric_constant:
    case tok::char_constant:
    case tok::less:
    case tok::greater:
    case tok::greatergreater:
    case tok::l_paren:
    case tok::r_paren:
    case tok::coloncolon:
    case tok::comma:
    case tok::plus:
    case tok::minus:
    case tok::star:
    case tok::slash:
    case tok::percent:
      return true;
    default:
      return false;
    }
  }

  TokenStream tokens_;
  Repairs repairs_;
};

} // namespace

Repairs findRepairs(llvm::StringRef text) {
  if (!text.contains("asm") && !text.contains(">(") && !text.contains("<<"))
    return Repairs();
  return Finder(text).run();
}

} // namespace layout_port
