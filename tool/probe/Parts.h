// What the parts of the emitter share: text out, and which chips a row is for.
#pragma once

#include "layout_port/layouts/Isa.h"

#include <sstream>
#include <string>
#include <vector>

namespace layout_port::probe {

// Kernels stand before tables in the program, since the tables name them.
struct Program {
  std::vector<isa::Arch> archs;
  std::ostringstream kernels, matrixRows, moveRows, transposeRows, ldsRows;

  // Which of the program's chips have the row, as a bit set of indices into archs.
  template <typename Row> unsigned chipsOf(const Row &row) const {
    unsigned bits = 0;
    for (size_t i = 0; i < archs.size(); ++i)
      bits |= unsigned(row.availableOn(archs[i])) << i;
    return bits;
  }
  // "defined(__gfx90a__) || defined(__gfx942__)"
  std::string condition(unsigned chips) const;
};

// A C string literal.
std::string quoted(std::string_view text);

// Each appends its kernels and rows. Error: a row whose layout the tables cannot give.
Result<bool> emitMatrixRows(Program &program);
Result<bool> emitMoveRows(Program &program);
Result<bool> emitTransposeRows(Program &program);
Result<bool> emitLdsRows(Program &program);

} // namespace layout_port::probe
