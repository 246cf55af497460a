// Statements that do nothing: `static_assert(..)`, `;`, `(void)0` that is left of an assert.
// Nothing in the recovery has to know them, so they leave the tree before it begins; the text is
// what it was.
#pragma once

namespace clang {
class ASTContext;
} // namespace clang

namespace layout_port::native {

// In all functions that user files define.
void dropEmptyStatements(clang::ASTContext &context);

} // namespace layout_port::native
