// What stands around a place of the author's file.
//
// clang may read a mended copy of it (source/Repair.h), whose bytes lie further on:
//
//   the author's   a.f<16>(x);             byte 2 is `f`
//   clang's        a.template f<16>(x);    byte 11
//
// Places are the author's everywhere else, so text beside one is looked for from a location that is
// known in both. Blanks, directives and the `;` that it is about are never mended.
#pragma once

#include "native/FragmentProgram.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/Stmt.h"
#include "clang/Basic/SourceManager.h"
#include "clang/Lex/Lexer.h"

namespace layout_port::native {

class Around {
public:
  // A piece of code, or the use of the macro that writes it, and where the author has it.
  Around(const clang::ASTContext &context, clang::SourceRange code, const TextRange &range)
      : range_(range) {
    const clang::SourceManager &sm = context.getSourceManager();
    code = sm.getExpansionRange(code).getAsRange();
    const llvm::StringRef text = sm.getBufferData(sm.getFileID(code.getBegin()));
    before_ = text.take_front(sm.getFileOffset(code.getBegin()));
    behind_ = text.drop_front(sm.getFileOffset(
        clang::Lexer::getLocForEndOfToken(code.getEnd(), 0, sm, context.getLangOpts())));
  }

  const TextRange &range() const { return range_; }
  llvm::StringRef before() const { return before_; } // from the file's first byte
  llvm::StringRef behind() const { return behind_; } // up to its last

  // Takes what stands behind it along, up to the beginning of `rest`.
  void growTo(llvm::StringRef rest) {
    range_.end += static_cast<unsigned>(behind_.size() - rest.size());
    behind_ = rest;
  }
  // ... and another piece, if nothing but blanks stands between.
  bool growOver(const Around &next) {
    if (behind_.ltrim().data() != next.before_.end())
      return false;
    range_.end = next.range_.end;
    behind_ = next.behind_;
    return true;
  }
  bool hasSemicolon() const { return behind_.data()[-1] == ';'; } // as its last byte
  // A `;` behind blanks; false: there is none.
  bool takeSemicolon() {
    const llvm::StringRef rest = behind_.ltrim();
    if (rest.starts_with(";"))
      growTo(rest.drop_front());
    return rest.starts_with(";");
  }
  // With its lines where nothing else stands on them.
  TextRange withLines() const {
    const llvm::StringRef first = before_.rtrim(kBlanks), rest = behind_.ltrim(kBlanks);
    if (!first.ends_with("\n") || !rest.starts_with("\n"))
      return range_;
    return {range_.file, range_.begin - static_cast<unsigned>(before_.size() - first.size()),
            range_.end + static_cast<unsigned>(behind_.size() - rest.size()) + 1};
  }

private:
  static constexpr llvm::StringLiteral kBlanks = " \t\r";
  TextRange range_;
  llvm::StringRef before_, behind_;
};

} // namespace layout_port::native
