// Kernels that are a name for a function, which does all that they do:
//
//   __global__ void forward(Params p) {
//     extern __shared__ char memory[];
//     compute<Traits>(p, memory, blockIdx.x);
//   }
//
// Such a function's text is as good as the kernel's own: its parameters are the same for all threads,
// nothing comes in front of it that parts them, and nothing behind it.
#pragma once

#include "clang/AST/Decl.h"
#include "clang/AST/Expr.h"

#include <map>
#include <vector>

namespace layout_port::native {

class WholeTexts {
public:
  explicit WholeTexts(clang::ASTContext &context) : context_(context) {}
  // The function that does all of the kernel, and is named there alone; the kernel itself, where
  // there is none. It counts as a kernel from then on (isKernelText).
  const clang::FunctionDecl &of(const clang::FunctionDecl &kernel);

private:
  const clang::FunctionDecl *calledBy(const clang::FunctionDecl &kernel) const;
  void nameShared(const clang::FunctionDecl &function, const clang::CallExpr &call) const;
  bool isAllOfKernels(const clang::FunctionDecl &function, int depth);

  clang::ASTContext &context_;
  // Who names each instance of the functions written at a place; null: nobody's text.
  std::map<clang::SourceLocation,
           std::map<const clang::FunctionDecl *, std::vector<const clang::FunctionDecl *>>>
      callers_;
  std::map<const clang::FunctionDecl *, const clang::FunctionDecl *> texts_; // by kernel
};

// A kernel, or a function that is all of one.
bool isKernelText(const clang::FunctionDecl &function);

// A parameter of such a function that names what the kernel is given, and changes nothing of it.
bool isConstantOfKernel(const clang::VarDecl &variable);

} // namespace layout_port::native
