// Calls of the text front, short enough that a test reads as a table of facts.
#pragma once

#include "layout_port/layouts/Cute.h"

#include <string>
#include <vector>

namespace layout_port::cute {

// The result, or "error: ..." .
inline std::string eval(const std::string &function, const std::vector<std::string> &args) {
  const Result<std::string> result = evaluate(function, args);
  return result ? *result : "error: " + result.error().message;
}

inline std::string eval(const std::string &expression) {
  const Result<std::string> result = evaluate(expression);
  return result ? *result : "error: " + result.error().message;
}

inline bool isError(const std::string &text) { return text.rfind("error: ", 0) == 0; }

} // namespace layout_port::cute
