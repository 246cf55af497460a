// Values of the expression language: what a parser reads and a function returns.
#pragma once

#include "layout_port/layouts/Cute.h"

#include <string>
#include <variant>
#include <vector>

namespace layout_port::cute {

// An integer or tuple, a layout or swizzle, a tiler.
using Value = std::variant<IntTuple, Function, Tiler>;

// Reads a whole text. Calls are evaluated on the way.
Result<Value> parseValue(const std::string &text);
Result<Value> call(const std::string &function, const std::vector<Value> &args);
std::string toString(const Value &value);
// The user's text for a message: in quotes, on one line, not long.
std::string quoted(const std::string &text);

// What a value can stand for: a shape for its compact layout, a layout or shape for a
// tiler.
Result<Function> asFunctionValue(const Value &value);
Result<Layout> asLayout(const Value &value);
Result<Tiler> asTiler(const Value &value);
Result<IntTuple> asTuple(const Value &value);

} // namespace layout_port::cute
