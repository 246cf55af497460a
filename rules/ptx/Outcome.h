// Errors as values for the PTX library, with the place they speak of.
//
// An asm template is one string joined from many literals, so an error has to
// say where: `offset` counts bytes of that string. `reason` is one line for the
// report; `advice`, where there is any, says what a person can do.
//
//   Outcome<Block> block = parse(text, options);
//   if (!block)
//     report(block.error().offset, block.error().reason);
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>

namespace layout_port::ptx {

// Bytes [begin, end) of the text that was given to parse().
struct Span {
  std::size_t begin = 0;
  std::size_t end = 0;
};

struct Problem {
  std::size_t offset = 0;
  std::string reason;
  std::string advice;
};

template <typename T> class [[nodiscard]] Outcome {
public:
  Outcome(T value) : value_(std::move(value)) {}
  Outcome(Problem problem) : problem_(std::move(problem)) {}

  explicit operator bool() const { return value_.has_value(); }
  bool ok() const { return value_.has_value(); }

  // The value; only when ok().
  T &operator*() { return *value_; }
  const T &operator*() const { return *value_; }
  T *operator->() { return &*value_; }
  const T *operator->() const { return &*value_; }

  // What went wrong; empty when ok().
  const Problem &error() const { return problem_; }

private:
  std::optional<T> value_;
  Problem problem_;
};

} // namespace layout_port::ptx
