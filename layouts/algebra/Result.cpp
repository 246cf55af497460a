#include "layout_port/layouts/Result.h"

#include <cstdarg>
#include <cstdio>

namespace layout_port {

Error makeError(const char *format, ...) {
  va_list args, again;
  va_start(args, format);
  va_copy(again, args);
  const int length = std::vsnprintf(nullptr, 0, format, args);
  va_end(args);
  std::string message(length > 0 ? static_cast<size_t>(length) : 0, '\0');
  std::vsnprintf(message.data(), message.size() + 1, format, again);
  va_end(again);
  return Error{std::move(message)};
}

} // namespace layout_port
