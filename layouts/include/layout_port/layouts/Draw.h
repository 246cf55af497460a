// Draw: layouts as people read them: a matrix, a table, a picture.
//
//   matrix     which input bit goes to which output bit
//   table      (row, col) -> lane:register, as in the header of LinearLayout.h
//   SVG        the same table with a colour a lane; bank maps before and after
//
// Rows are the first out-dim and columns the second; each value of the others (block)
// has a table of its own. A layout with one out-dim is one row, wrapped. A cell that
// several hold (a broadcast) names the lowest of them and ends in '*'.
//
// A layout with in-dim `offset` (shared memory) shows the offset; one without lanes
// the flattened input.
#pragma once

#include "layout_port/layouts/LinearLayout.h"
#include "layout_port/layouts/Result.h"

#include <string>
#include <vector>

namespace layout_port::draw {

// The most elements that are drawn; more is an error that says so.
inline constexpr int kMaxDrawnBits = 12;

//           register  lane
//            1  2     1  2  4
//   dim0.1   .  1     .  .  .
std::string matrix(const LinearLayout &layout);

// Errors: more than 2^12 elements or inputs, no out-dims.
Result<std::string> table(const LinearLayout &layout);

// A whole SVG document. Errors: as table().
Result<std::string> svg(const LinearLayout &layout, const std::string &title);

// Numbers in a grid, coloured by value modulo `colours`: bank maps side by side.
struct NumberGrid {
  std::string caption;
  std::vector<std::vector<int>> rows;
};
std::string svg(const std::vector<NumberGrid> &grids, const std::string &title,
                const std::string &legend, int colours);

} // namespace layout_port::draw
