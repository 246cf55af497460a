// The tree of the functions that user files define, for passes that change it before the recovery
// reads it (Accessors.h, Choices.h, Empty.h).
#pragma once

#include "clang/AST/DynamicRecursiveASTVisitor.h"

namespace clang {
class ASTContext;
} // namespace clang

namespace layout_port::native {

// The visitor may change what it sees, in instances of templates, too.
void changeUserTree(clang::ASTContext &context, clang::DynamicRecursiveASTVisitor &visitor);

} // namespace layout_port::native
