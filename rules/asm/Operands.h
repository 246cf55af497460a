// What asm does with its operands and a sequence of C++ statements would not:
//
//   evaluates each once                a side effect gets a local variable
//   reads inputs before outputs are    an input that a written output may change
//   written (all registers are apart)  is kept in a local variable
//   starts an output from an input     out = in; first, where they are not the same
//   that is tied to it by number
#pragma once

#include "asm/Lowering.h"

#include <set>
#include <string>
#include <vector>

namespace layout_port {

// Appends local variables to `preamble` and lets `binding` use them; the operands in
// `once` get one in any case. The problem in one line, or nothing.
std::string prepareOperands(const ptx::Block &block, const AsmStatement &statement,
                            const std::set<size_t> &once, Binding &binding,
                            std::vector<std::string> &preamble);

// Does the expression call a function that may do more than look at its arguments?
bool calls(llvm::StringRef expression);

} // namespace layout_port
