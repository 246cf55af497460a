// Errors as values for the layouts library.
//
// layouts/ is plain C++17 and has no llvm::Expected. A function that can fail
// returns Result<T>: either the value, or an Error whose message is one line,
// says what was wrong and, where that helps, what to do. Nothing in layouts/
// throws or aborts on bad input.
//
//   Result<int> r = parse(text);
//   if (!r)
//     return r.error();
//   use(*r);
#pragma once

#include <optional>
#include <string>
#include <utility>

namespace layout_port {

struct Error {
  std::string message;
};

template <typename T> class [[nodiscard]] Result {
public:
  Result(T value) : value_(std::move(value)) {}
  Result(Error error) : error_(std::move(error)) {}

  explicit operator bool() const { return value_.has_value(); }
  bool ok() const { return value_.has_value(); }

  // The value; only when ok().
  T &operator*() { return *value_; }
  const T &operator*() const { return *value_; }
  T *operator->() { return &*value_; }
  const T *operator->() const { return &*value_; }

  // The error; an empty message when ok().
  const Error &error() const { return error_; }

private:
  std::optional<T> value_;
  Error error_;
};

// printf-style construction of an Error.
Error makeError(const char *format, ...) __attribute__((format(printf, 1, 2)));

} // namespace layout_port
