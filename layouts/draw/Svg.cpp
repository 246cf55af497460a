// Layouts as pictures: SVG 1.1 without scripts, fonts or links, readable in print.
// https://www.w3.org/TR/SVG11/
#include "Holders.h"

#include "layout_port/layouts/Draw.h"

#include <algorithm>
#include <cstdio>

namespace layout_port::draw {

namespace {

// All lengths in pixels.
constexpr int kCellHeight = 24, kMargin = 16, kLabel = 34, kTitle = 30, kLegend = 26, kGap = 36;

// Eight hues, one for each value modulo 8, as CuTe's own pictures have; each further
// eight is a shade darker, four shades in turn.
std::string colourOf(uint64_t value) {
  constexpr int hues[8][3] = {{175, 210, 255}, {255, 205, 160}, {185, 235, 180}, {250, 185, 195},
                              {215, 195, 245}, {250, 240, 150}, {165, 232, 225}, {220, 214, 204}};
  const int *hue = hues[value % 8];
  const int percent = 100 - 8 * static_cast<int>(value / 8 % 4);
  char text[8];
  std::snprintf(text, sizeof text, "#%02x%02x%02x", hue[0] * percent / 100, hue[1] * percent / 100,
                hue[2] * percent / 100);
  return text;
}

std::string escaped(const std::string &text) {
  std::string safe;
  for (const char c : text)
    if (c == '<')
      safe += "&lt;";
    else if (c == '>')
      safe += "&gt;";
    else if (c == '&')
      safe += "&amp;";
    else if (static_cast<unsigned char>(c) >= 0x20)
      safe += c;
  return safe;
}

// Collects elements and knows how large the picture has become.
class Canvas {
public:
  void rectangle(int x, int y, int width, int height, const std::string &fill) {
    grow(x + width, y + height);
    body_ += "<rect x=\"" + std::to_string(x) + "\" y=\"" + std::to_string(y) + "\" width=\"" +
             std::to_string(width) + "\" height=\"" + std::to_string(height) + "\" fill=\"" + fill +
             "\" stroke=\"#555\" stroke-width=\"0.6\"/>\n";
  }
  // `anchor` is start, middle or end; y is the baseline.
  void text(int x, int y, const std::string &text, const char *anchor, int size,
            const char *fill = "#111") {
    // A digit is about 0.6 em wide.
    grow(*anchor == 's' ? x + static_cast<int>(text.size()) * size * 6 / 10 : x, y + size / 3);
    body_ += "<text x=\"" + std::to_string(x) + "\" y=\"" + std::to_string(y) +
             "\" text-anchor=\"" + anchor + "\" font-size=\"" + std::to_string(size) +
             "\" fill=\"" + fill + "\">" + escaped(text) + "</text>\n";
  }
  std::string document() const {
    const std::string width = std::to_string(width_ + kMargin);
    const std::string height = std::to_string(height_ + kMargin);
    return "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" + width + "\" height=\"" + height +
           "\" viewBox=\"0 0 " + width + " " + height +
           "\" font-family=\"DejaVu Sans, Helvetica, Arial, sans-serif\">\n"
           "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n" +
           body_ + "</svg>\n";
  }

private:
  void grow(int x, int y) {
    width_ = std::max(width_, x);
    height_ = std::max(height_, y);
  }
  std::string body_;
  int width_ = 0, height_ = 0;
};

struct Cell {
  std::string text, fill;
};

// A grid with its row and column numbers; `at(row, col)` makes a cell.
struct GridShape {
  uint64_t rows, cols, rowStep;
  int cellWidth;
};
template <typename CellAt>
void drawGrid(Canvas &canvas, int left, int top, const GridShape &shape, CellAt &&at) {
  const int x0 = left + kLabel, y0 = top + 18;
  for (uint64_t col = 0; col < shape.cols; ++col)
    canvas.text(x0 + static_cast<int>(col) * shape.cellWidth + shape.cellWidth / 2, y0 - 5,
                std::to_string(col), "middle", 10, "#666");
  for (uint64_t row = 0; row < shape.rows; ++row) {
    const int y = y0 + static_cast<int>(row) * kCellHeight;
    canvas.text(x0 - 6, y + 16, std::to_string(row * shape.rowStep), "end", 10, "#666");
    for (uint64_t col = 0; col < shape.cols; ++col) {
      const Cell cell = at(row, col);
      const int x = x0 + static_cast<int>(col) * shape.cellWidth;
      canvas.rectangle(x, y, shape.cellWidth, kCellHeight, cell.fill);
      canvas.text(x + shape.cellWidth / 2, y + 16, cell.text, "middle", 11);
    }
  }
}

Cell cellOf(const std::optional<Holder> &holder) {
  if (!holder)
    return {"", "#ffffff"};
  return {holder->text + (holder->copies ? "*" : ""), colourOf(holder->colour)};
}

int cellWidthOf(const std::vector<Sheet> &sheets) {
  size_t longest = 2;
  for (const Sheet &sheet : sheets)
    for (const std::optional<Holder> &cell : sheet.cells)
      if (cell)
        longest = std::max(longest, cell->text.size() + cell->copies);
  return static_cast<int>(longest) * 7 + 8;
}

std::string legendOf(const LinearLayout &layout) {
  if (!layout.hasIn("lane"))
    return "number and colour: the input (offset) that maps here";
  std::string text = "T lane (its colour)";
  if (layout.inBits("register"))
    text += ", r register (element of the lane)";
  if (layout.inBits("warp"))
    text += ", w warp";
  if (layout.inBits("block"))
    text += ", b block";
  return text + "; * held more than once";
}

std::string captionOf(const Sheet &sheet) {
  const std::string axes =
      sheet.colName.empty() ? sheet.rowName : sheet.rowName + " down, " + sheet.colName + " across";
  return sheet.name.empty() ? axes : sheet.name + ": " + axes;
}

} // namespace

Result<std::string> svg(const LinearLayout &layout, const std::string &title) {
  const Result<std::vector<Sheet>> sheets = sheetsOf(layout);
  if (!sheets)
    return sheets.error();
  Canvas canvas;
  canvas.text(kMargin, kTitle, title, "start", 16);
  canvas.text(kMargin, kTitle + 20, legendOf(layout), "start", 11, "#444");
  int top = kTitle + kLegend;
  const int cellWidth = cellWidthOf(*sheets);
  for (const Sheet &sheet : *sheets) {
    canvas.text(kMargin, top + 16, captionOf(sheet), "start", 11, "#444");
    top += 22;
    const uint64_t step = sheet.colName.empty() ? sheet.cols : 1;
    drawGrid(canvas, kMargin, top, {sheet.rows, sheet.cols, step, cellWidth},
             [&](uint64_t row, uint64_t col) { return cellOf(sheet.at(row, col)); });
    top += 18 + static_cast<int>(sheet.rows) * kCellHeight + 12;
  }
  return canvas.document();
}

std::string svg(const std::vector<NumberGrid> &grids, const std::string &title,
                const std::string &legend, int colours) {
  Canvas canvas;
  canvas.text(kMargin, kTitle, title, "start", 16);
  canvas.text(kMargin, kTitle + 20, legend, "start", 11, "#444");
  int left = kMargin;
  const int top = kTitle + kLegend;
  constexpr int cellWidth = 30;
  for (const NumberGrid &grid : grids) {
    canvas.text(left + kLabel, top + 16, grid.caption, "start", 12);
    const uint64_t rows = grid.rows.size(), cols = rows ? grid.rows[0].size() : 0;
    drawGrid(canvas, left, top + 22, {rows, cols, 1, cellWidth}, [&](uint64_t row, uint64_t col) {
      const int number = grid.rows[row][col];
      return Cell{std::to_string(number), colourOf(colours > 0 ? number % colours : number)};
    });
    const int captionWidth = static_cast<int>(grid.caption.size()) * 7;
    left += kLabel + std::max(static_cast<int>(cols) * cellWidth, captionWidth) + kGap;
  }
  return canvas.document();
}

} // namespace layout_port::draw
