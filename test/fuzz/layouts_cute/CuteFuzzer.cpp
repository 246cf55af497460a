// The text front on any bytes: no crash, no hang, errors of one line. What is read
// prints as a text that reads back as the same.
#include "layout_port/layouts/Cute.h"

#include <cstdlib>

using namespace layout_port;

static void check(bool ok) {
  if (!ok)
    std::abort();
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const std::string text(reinterpret_cast<const char *>(data), size);
  const Result<std::string> value = cute::evaluate(text);
  if (!value) {
    check(value.error().message.find('\n') == std::string::npos);
    return 0;
  }
  const Result<std::string> again = cute::evaluate(*value);
  check(again.ok() && *again == *value);
  if (const Result<cute::Function> function = cute::parseFunction(text))
    if (const Result<cute::CuteAffine> affine = cute::cuteToAffine(*function))
      check(cute::linearToCute(affine->matrix).ok() || affine->matrix.totalInBits() > 0);
  return 0;
}
