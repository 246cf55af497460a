#include "Rows.h"

namespace layout_port::probe {
namespace {

class Reader {
public:
  Reader(const std::string &text, size_t at) : text_(text), at_(at) {}

  // At a `{`.
  Cell list() {
    Cell cell;
    ++at_;
    for (skip(); text_[at_] != '}'; skip()) {
      cell.list.push_back(text_[at_] == '{' ? list() : word());
      skip();
      if (text_[at_] == ',')
        ++at_;
    }
    ++at_;
    return cell;
  }

private:
  void skip() { at_ = text_.find_first_not_of(" \n", at_); }
  Cell word() {
    Cell cell;
    if (text_[at_] == '"') {
      for (++at_; text_[at_] != '"'; ++at_) {
        at_ += text_[at_] == '\\';
        cell.text += text_[at_];
      }
      ++at_;
      return cell;
    }
    const size_t end = text_.find_first_of(",}\n", at_);
    cell.text = text_.substr(at_, end - at_);
    at_ = end;
    return cell;
  }

  const std::string &text_;
  size_t at_;
};

} // namespace

std::vector<uint32_t> Cell::words() const {
  std::vector<uint32_t> values;
  for (const Cell &cell : list)
    values.push_back(uint32_t(cell.number()));
  return values;
}

std::vector<Cell> rowsOf(const std::string &program, const std::string &table) {
  const std::string head = " " + table + "[] = ";
  const size_t at = program.find(head);
  if (at == std::string::npos)
    return {};
  std::vector<Cell> rows = Reader(program, at + head.size()).list().list;
  while (!rows.empty() && rows.back().list.empty())
    rows.pop_back();
  return rows;
}

} // namespace layout_port::probe
