// libFuzzer: any text through tokens, asm statements, PTX, rules, census, emitter.
#include "PortText.h"

#include <cstdlib>

using namespace layout_port;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const std::string text(reinterpret_cast<const char *>(data), size);
  if (text.find('\0') != std::string::npos)
    return 0; // the command refuses what is not text
  const PortedText result = portText(text);
  // Whatever the text: nothing of CUDA is left without a site.
  if (!unexplained(result.program, takeCensus(result.program), result.ported.sites).empty())
    abort();
  return 0;
}
