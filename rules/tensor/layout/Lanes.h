// Writing F2 maps of lane and loop bits as C++.
//
// A map column by column, out = XOR of columns[i] over the set bits i of an
// index, is written as shifted and masked runs of that index:
//
//   columns of `lane` {4, 8, 16, 0, 1, 2}   ──▶   ((lane & 7) << 2) | (lane >> 4)
#pragma once

#include "layout_port/layouts/F2.h"

#include <string>
#include <vector>

namespace layout_port {

// One index variable with its columns.
struct IndexBits {
  std::string name;
  f2::Columns columns;
};

// C++ for constant ^ XOR of the columns. Fully parenthesised where precedence
// would surprise a reader; "0" when nothing is left.
std::string f2Expression(const std::vector<IndexBits> &indices, uint64_t constant);

// C++ that picks names[constant ^ XOR of the columns of `index`]: a plain name,
// or nested conditionals on the index's bits.
std::string f2Select(const std::vector<std::string> &names, const IndexBits &index,
                     uint64_t constant);

} // namespace layout_port
