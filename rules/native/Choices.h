// Of two variables, one is chosen, and its value is read:
//
//   s[j] = key <= row ? x : kMasked;        read(key <= row ? x : kMasked)
//
//   ──▶  key <= row ? read(x) : read(kMasked)
//
// C++ makes a place of it when both are places. The recovery follows values that are chosen, so the
// tree says it that way before it begins; the text is what it was.
#pragma once

namespace clang {
class ASTContext;
} // namespace clang

namespace layout_port::native {

// In all functions that user files define.
void readChoices(clang::ASTContext &context);

} // namespace layout_port::native
