// Any line gets an answer that is one line of JSON. Start it with the requests of
// docs/serve.md as a corpus.
#include "commands/layout/Serve.h"

#include "llvm/Support/JSON.h"

#include <cstdint>
#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const std::string answer =
      layout_port::serve::answerLine({reinterpret_cast<const char *>(data), size});
  llvm::Expected<llvm::json::Value> parsed = llvm::json::parse(answer);
  if (!parsed || !parsed->getAsObject() || answer.find('\n') != std::string::npos)
    std::abort();
  return 0;
}
