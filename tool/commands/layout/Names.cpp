// Layouts as people name them on the command line.
#include "Commands.h"
#include "Json.h"

#include "layout_port/layouts/Cute.h"

namespace layout_port::layout_command {

using llvm::StringRef;

namespace {

Result<LinearLayout> fromJsonText(StringRef text) {
  const Result<llvm::json::Value> value = wire::parse(text);
  if (!value)
    return value.error();
  return wire::layoutFromJson(*value);
}

// "blocked {...} 16,16"
Result<LinearLayout> fromEncodingText(StringRef text) {
  const size_t open = text.find('{'), close = text.rfind('}');
  if (close == StringRef::npos)
    return makeError("an encoding is: FAMILY {\"param\": ...} SHAPE");
  const Result<llvm::json::Value> params = wire::parse(text.slice(open, close + 1));
  if (!params)
    return params.error();
  const Result<Encoding> encoding = wire::encodingFromJson(text.take_front(open).trim(), *params);
  if (!encoding)
    return encoding.error();
  const Result<std::vector<int64_t>> shape = numberList("shape", text.drop_front(close + 1).trim());
  if (!shape)
    return shape.error();
  return toLinearLayout(*encoding, PerDim(shape->begin(), shape->end()));
}

Result<LinearLayout> fromCuteText(StringRef text) {
  const Result<cute::Function> function = cute::parseFunction(text.str());
  if (!function)
    return function.error();
  return cute::cuteToLinear(*function);
}

} // namespace

Result<LinearLayout> layoutNamed(StringRef text, StringRef operand, StringRef arch, int wave) {
  text = text.trim();
  if (text.starts_with("{"))
    return fromJsonText(text);
  if (text.contains('{'))
    return fromEncodingText(text);
  if (text.contains(':') || text.starts_with("("))
    return fromCuteText(text);
  return isa::operandLayout(text.str(), operand.str(), arch.str(), wave);
}

} // namespace layout_port::layout_command
