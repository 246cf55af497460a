// Shorthands for tests that speak of one line of PTX.
#pragma once

#include "ptx/Parser.h"
#include "ptx/decode/Decode.h"

#include <gtest/gtest.h>

#include <string_view>

namespace layout_port::ptx {

// The block of `text`, which must parse.
inline Block parsed(std::string_view text, Spelling spelling = Spelling::Extended) {
  ParseOptions options;
  options.spelling = spelling;
  Outcome<Block> block = parse(text, options);
  EXPECT_TRUE(block.ok()) << text << "\n" << block.error().reason;
  return block ? std::move(*block) : Block{};
}

// "12: reason" of a text that must not parse.
inline std::string parseError(std::string_view text, const ParseOptions &options = {}) {
  const Outcome<Block> block = parse(text, options);
  if (block)
    return "(parsed)";
  return std::to_string(block.error().offset) + ": " + block.error().reason;
}

// One parsed instruction with its meaning; keeps the Block that Meaning points into.
template <typename T> class One {
public:
  explicit One(std::string_view text, Spelling spelling = Spelling::Extended)
      : block(parsed(text, spelling)), meaning(decoded()) {
    EXPECT_TRUE(meaning.ok()) << text << "\n" << meaning.error().reason;
    EXPECT_TRUE(meaning && std::get_if<T>(&*meaning)) << text << ": another kind of meaning";
  }
  const T *operator->() const { return std::get_if<T>(&*meaning); }
  const T &operator*() const { return *std::get_if<T>(&*meaning); }

private:
  Block block;
  Outcome<Meaning> meaning;

  Outcome<Meaning> decoded() {
    if (block.instructions.empty())
      return Problem{0, "no instruction", ""};
    return decode(block.instructions.back(), block);
  }
};

// Why the last instruction of `text` has no meaning.
inline std::string refusal(std::string_view text) {
  const Block block = parsed(text);
  if (block.instructions.empty())
    return "(no instruction)";
  const Outcome<Meaning> meaning = decode(block.instructions.back(), block);
  return meaning ? "(decoded)" : meaning.error().reason;
}

} // namespace layout_port::ptx
