// Where pieces of an AST stand in the user's files, and their text.
#pragma once

#include "native/FragmentProgram.h"
#include "native/Recover.h"
#include "source/Edits.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/Expr.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Lex/Lexer.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

namespace layout_port::native {

class Texts {
public:
  Texts(const clang::ASTContext &context, const PlaceOf &placeOf)
      : context_(context), sm_(context.getSourceManager()), placeOf_(placeOf) {}

  // Where the tokens of `range` stand in one user file; macro arguments count.
  std::optional<TextRange> range(clang::SourceRange range) const {
    const clang::CharSourceRange chars = clang::Lexer::makeFileCharRange(
        clang::CharSourceRange::getTokenRange(range), sm_, context_.getLangOpts());
    return chars.isValid() ? between(chars.getBegin(), chars.getEnd()) : std::nullopt;
  }

  // Of a statement that may be (part of) a macro's expansion: the whole invocation.
  std::optional<TextRange> statement(clang::SourceRange range) const {
    if (range.getBegin().isMacroID() || range.getEnd().isMacroID())
      range = sm_.getExpansionRange(range).getAsRange();
    const clang::SourceLocation end =
        clang::Lexer::getLocForEndOfToken(range.getEnd(), 0, sm_, context_.getLangOpts());
    return between(range.getBegin(), end);
  }

  // Quoted where it stands in the file; else as clang prints it.
  std::string quote(const clang::Expr *expr, unsigned file) const {
    if (const auto r = range(expr->getSourceRange()); r && r->file == file)
      return sourceRange(r->begin, r->end);
    return printed(expr);
  }

  std::string printed(const clang::Stmt *stmt, clang::PrinterHelper *helper = nullptr) const {
    std::string text;
    llvm::raw_string_ostream out(text);
    stmt->printPretty(out, helper, clang::PrintingPolicy(context_.getLangOpts()));
    return replaced(ofWarps(out.str()), "__cvta_generic_to_shared", "lp::cvta_generic_to_shared");
  }

  std::string spelled(const clang::Expr *expr) const {
    const clang::CharSourceRange chars = clang::Lexer::makeFileCharRange(
        clang::CharSourceRange::getTokenRange(expr->getSourceRange()), sm_, context_.getLangOpts());
    return chars.isValid()
               ? ofWarps(clang::Lexer::getSourceText(chars, sm_, context_.getLangOpts()))
               : printed(expr);
  }

private:
  // A word of the text, by another.
  static std::string replaced(llvm::StringRef text, llvm::StringRef word, llvm::StringRef other) {
    const auto isOfName = [&](size_t at) {
      return at < text.size() && (llvm::isAlnum(text[at]) || text[at] == '_');
    };
    std::string out;
    size_t from = 0;
    for (size_t at = text.find(word); at != text.npos; at = text.find(word, at + 1)) {
      if ((at && isOfName(at - 1)) || isOfName(at + word.size()))
        continue; // a part of another name
      out += (text.slice(from, at) + other).str();
      from = at + word.size();
    }
    return out + text.substr(from).str();
  }
  // No other rule's edit reaches text that is copied: warpSize is 32 there, too.
  static std::string ofWarps(llvm::StringRef text) { return replaced(text, "warpSize", "32"); }

  std::optional<TextRange> between(clang::SourceLocation begin, clang::SourceLocation end) const {
    const auto first = placeOf_(begin), last = placeOf_(end);
    if (!first || !last || first->first != last->first || last->second < first->second)
      return std::nullopt;
    return TextRange{first->first, first->second, last->second};
  }

  const clang::ASTContext &context_;
  const clang::SourceManager &sm_;
  const PlaceOf &placeOf_;
};

} // namespace layout_port::native
