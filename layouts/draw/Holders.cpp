// Who holds each element; see Holders.h.
#include "Holders.h"

#include "layout_port/layouts/Draw.h"

#include <algorithm>

namespace layout_port::draw {

namespace {

// A row of a one-dim layout is wrapped after this many elements.
constexpr uint64_t kWrap = 16;

// "w1 T5:r2"; the parts whose dim has one value only are left out, but the lane.
std::string nameOf(const LinearLayout &layout, const LinearLayout::Basis &at) {
  const auto value = [&](const char *dim) {
    const int i = layout.inIndex(dim);
    return std::to_string(i < 0 ? 0 : at[i]);
  };
  std::string text;
  for (const auto &[dim, letter] : {std::pair("block", "b"), std::pair("warp", "w")})
    if (layout.inBits(dim))
      text += letter + value(dim) + " ";
  text += "T" + value("lane");
  if (layout.inBits("register"))
    text += ":r" + value("register");
  return text;
}

Holder holderOf(const LinearLayout &layout, uint64_t input) {
  if (!layout.hasIn("lane"))
    return {input, std::to_string(input), false};
  const LinearLayout::Basis at = layout.splitIn(input);
  return {at[layout.inIndex("lane")], nameOf(layout, at), false};
}

// The grid that a flattened output belongs to: rows and columns are the first two dims.
struct Grid {
  int rowBits, colBits, sheetBits;
  bool wrapped;

  explicit Grid(const LinearLayout &layout)
      : rowBits(layout.outs()[0].bits), colBits(0), sheetBits(0),
        wrapped(layout.outs().size() == 1) {
    if (wrapped) {
      colBits = std::min(rowBits, 4);
      rowBits -= colBits;
      return;
    }
    colBits = layout.outs()[1].bits;
    sheetBits = layout.totalOutBits() - rowBits - colBits;
  }
  uint64_t row(uint64_t out) const { return wrapped ? out >> colBits : out & f2::lowMask(rowBits); }
  uint64_t col(uint64_t out) const {
    return wrapped ? out & f2::lowMask(colBits) : out >> rowBits & f2::lowMask(colBits);
  }
  uint64_t sheet(uint64_t out) const { return f2::shiftRight(out, rowBits + colBits); }
};
static_assert(kWrap == 1 << 4, "Grid wraps after 4 bits");

// "block 1", "matrix 2, batch 0"
std::string sheetName(const LinearLayout &layout, const Grid &grid, uint64_t sheet) {
  std::string text;
  if (grid.sheetBits == 0)
    return text;
  const LinearLayout::Basis at = layout.splitOut(sheet << (grid.rowBits + grid.colBits));
  for (size_t i = 2; i < layout.outs().size(); ++i)
    text += (text.empty() ? "" : ", ") + layout.outs()[i].name + " " + std::to_string(at[i]);
  return text;
}

std::vector<Sheet> emptySheets(const LinearLayout &layout, const Grid &grid) {
  std::vector<Sheet> sheets(uint64_t(1) << grid.sheetBits);
  for (uint64_t i = 0; i < sheets.size(); ++i) {
    Sheet &sheet = sheets[i];
    sheet.name = sheetName(layout, grid, i);
    sheet.rows = uint64_t(1) << grid.rowBits;
    sheet.cols = uint64_t(1) << grid.colBits;
    sheet.rowName = layout.outs()[0].name;
    sheet.colName = grid.wrapped ? "" : layout.outs()[1].name;
    sheet.cells.resize(sheet.rows * sheet.cols);
  }
  return sheets;
}

} // namespace

Result<std::vector<Sheet>> sheetsOf(const LinearLayout &layout) {
  if (layout.outs().empty())
    return makeError("a layout without out-dims has no picture");
  if (std::max(layout.totalInBits(), layout.totalOutBits()) > kMaxDrawnBits)
    return makeError("more than 2^%d elements: too many to draw", kMaxDrawnBits);
  const Grid grid(layout);
  std::vector<Sheet> sheets = emptySheets(layout, grid);
  for (uint64_t input = 0; input < uint64_t(1) << layout.totalInBits(); ++input) {
    const uint64_t out = layout.apply(input);
    Sheet &sheet = sheets[grid.sheet(out)];
    std::optional<Holder> &cell = sheet.cells[grid.row(out) * sheet.cols + grid.col(out)];
    if (cell)
      cell->copies = true;
    else
      cell = holderOf(layout, input);
  }
  return sheets;
}

} // namespace layout_port::draw
