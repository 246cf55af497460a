// The subcommands of `layout-port layout` for people. Each takes the words after its
// name and returns the exit code that Layout.h describes.
#pragma once

#include "Options.h"

#include "layout_port/layouts/LinearLayout.h"

namespace layout_port::layout_command {

int show(llvm::ArrayRef<const char *> args);
int convert(llvm::ArrayRef<const char *> args);
int banks(llvm::ArrayRef<const char *> args);
int swizzle(llvm::ArrayRef<const char *> args);
int retile(llvm::ArrayRef<const char *> args);
int cute(llvm::ArrayRef<const char *> args);

// A layout as a person names it:
//   mma.m16n8k16.f16.A, v_mfma_f32_16x16x16_f16.D     an operand (of --arch)
//   (8,8):(8,1)                                       a CuTe layout
//   Sw<3,0,3> o 0 o (8,8):(8,1)                       with a swizzle
//   {"bases": ..., "out": ...}                        as serve writes it
//   blocked {"sizePerThread": [1,2], ...} 16,16       an encoding and a shape
Result<LinearLayout> layoutNamed(llvm::StringRef text, llvm::StringRef operand,
                                 llvm::StringRef arch, int wave);

// Prints and returns the exit code: the command line is wrong; there is no answer.
int usageError(const Error &error);
int noAnswer(const Error &error);
// Writes a file; the error says which.
Result<bool> writeFile(const std::string &path, llvm::StringRef text);

} // namespace layout_port::layout_command
