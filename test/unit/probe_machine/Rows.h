// The tables of an emitted probe, read back from its text, so that a test can change
// them and see the check fail.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace layout_port::probe {

// "{a, "b", {1, 2}}": a list, or one word or string.
struct Cell {
  std::string text;
  std::vector<Cell> list;

  uint64_t number() const { return std::stoull(text, nullptr, 0); }
  std::vector<uint32_t> words() const;
};

// The rows of the table of that name, without the empty one that ends it.
std::vector<Cell> rowsOf(const std::string &program, const std::string &table);

} // namespace layout_port::probe
