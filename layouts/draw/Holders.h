// Who holds each element: what both the table and the picture show.
#pragma once

#include "layout_port/layouts/LinearLayout.h"
#include "layout_port/layouts/Result.h"

#include <optional>
#include <string>
#include <vector>

namespace layout_port::draw {

struct Holder {
  uint64_t colour = 0; // the lane, or what stands for it
  std::string text;    // "T5:r2"
  bool copies = false; // others hold it too
};

// One table: the elements of one value of the third and further out-dims.
struct Sheet {
  std::string name; // "block 1", "" if there is only one
  uint64_t rows = 1, cols = 1;
  std::string rowName, colName;
  std::vector<std::optional<Holder>> cells; // row-major

  const std::optional<Holder> &at(uint64_t row, uint64_t col) const {
    return cells[row * cols + col];
  }
};

Result<std::vector<Sheet>> sheetsOf(const LinearLayout &layout);

} // namespace layout_port::draw
