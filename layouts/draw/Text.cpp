// Layouts as text: the matrix and the table.
#include "Holders.h"

#include "layout_port/layouts/Draw.h"

#include <algorithm>

namespace layout_port::draw {

namespace {

std::string padded(const std::string &text, size_t width) {
  return text + std::string(width > text.size() ? width - text.size() : 0, ' ');
}

std::string rightTrimmed(std::string text) {
  text.erase(text.find_last_not_of(' ') + 1);
  return text;
}

// "dim0.8": the bit with this weight.
std::string bitName(const std::string &dim, int bit) {
  return dim + "." + std::to_string(f2::shiftLeft(1, bit));
}

// The columns of one in-dim: wide enough for its weights and its name.
struct ColumnGroup {
  std::string name;
  int first, bits;
  size_t cell, width;
};

std::vector<ColumnGroup> columnGroups(const LinearLayout &layout) {
  std::vector<ColumnGroup> groups;
  int first = 0;
  for (const LayoutDim &dim : layout.ins()) {
    if (dim.bits) {
      const size_t cell = std::to_string(f2::shiftLeft(1, dim.bits - 1)).size() + 1;
      groups.push_back(
          {dim.name, first, dim.bits, cell, std::max(cell * dim.bits, dim.name.size() + 1) + 1});
    }
    first += dim.bits;
  }
  return groups;
}

template <typename CellText>
std::string matrixLine(const std::vector<ColumnGroup> &groups, CellText &&text) {
  std::string line;
  for (const ColumnGroup &group : groups) {
    std::string part;
    for (int i = 0; i < group.bits; ++i)
      part += padded(text(group, i), group.cell);
    line += padded(part, group.width);
  }
  return line;
}

} // namespace

std::string matrix(const LinearLayout &layout) {
  const std::vector<ColumnGroup> groups = columnGroups(layout);
  size_t margin = 2;
  for (const LayoutDim &dim : layout.outs())
    if (dim.bits)
      margin = std::max(margin, bitName(dim.name, dim.bits - 1).size() + 2);
  std::string names;
  for (const ColumnGroup &group : groups)
    names += padded(group.name, group.width);
  std::string text = rightTrimmed(padded("", margin) + names) + "\n";
  text += rightTrimmed(padded("", margin) + matrixLine(groups,
                                                       [](const ColumnGroup &, int i) {
                                                         return std::to_string(f2::shiftLeft(1, i));
                                                       })) +
          "\n";
  int row = 0;
  for (const LayoutDim &dim : layout.outs())
    for (int bit = 0; bit < dim.bits; ++bit, ++row)
      text +=
          rightTrimmed(padded(bitName(dim.name, bit), margin) +
                       matrixLine(groups,
                                  [&](const ColumnGroup &group, int i) -> std::string {
                                    return layout.column(group.first + i) >> row & 1 ? "1" : ".";
                                  })) +
          "\n";
  return text;
}

namespace {

std::string cellText(const std::optional<Holder> &cell) {
  return cell ? cell->text + (cell->copies ? "*" : "") : "-";
}

std::string sheetText(const Sheet &sheet) {
  size_t width = std::to_string(sheet.cols).size() + 1;
  for (const std::optional<Holder> &cell : sheet.cells)
    width = std::max(width, cellText(cell).size() + 2);
  const std::string corner = sheet.rowName + (sheet.colName.empty() ? "" : " \\ " + sheet.colName);
  const uint64_t step = sheet.colName.empty() ? sheet.cols : 1;
  const size_t margin = std::max(corner.size(), std::to_string(sheet.rows * step).size()) + 2;
  std::string text = sheet.name.empty() ? "" : sheet.name + "\n";
  text += padded(corner, margin);
  for (uint64_t col = 0; col < sheet.cols; ++col)
    text += padded(std::to_string(col), width);
  text = rightTrimmed(text) + "\n";
  for (uint64_t row = 0; row < sheet.rows; ++row) {
    std::string line = padded(std::to_string(row * step), margin);
    for (uint64_t col = 0; col < sheet.cols; ++col)
      line += padded(cellText(sheet.at(row, col)), width);
    text += rightTrimmed(line) + "\n";
  }
  return text;
}

} // namespace

Result<std::string> table(const LinearLayout &layout) {
  const Result<std::vector<Sheet>> sheets = sheetsOf(layout);
  if (!sheets)
    return sheets.error();
  std::string text;
  for (const Sheet &sheet : *sheets)
    text += (text.empty() ? "" : "\n") + sheetText(sheet);
  return text;
}

} // namespace layout_port::draw
