// Launches whose brackets hold a blank: `k << <grid, block >> >(x)`. Visual Studio formats them
// so, and nvcc takes it.
#pragma once

#include "source/Tokens.h"

#include <vector>

namespace layout_port {

// Bytes [begin, end) of `<< <` or `>> >`, blanks included.
struct BlankedChevrons {
  size_t token; // the `<<` or `>>`
  unsigned begin, end;
  llvm::StringRef joined; // "<<<" or ">>>"
};

// All of a file. `<< <` is nothing else in C++; `>> >` closes templates too, and is taken for the
// end of a launch only behind its begin, before a parenthesis, where no `>>>` ends it.
std::vector<BlankedChevrons> findBlankedChevrons(const TokenStream &tokens);

} // namespace layout_port
