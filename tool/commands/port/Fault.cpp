#include "commands/port/Fault.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"

#include <chrono>
#include <cstdlib>
#include <thread>
#include <vector>

namespace layout_port {

void faultOnDemand(const std::string &input) {
  const auto wanted = llvm::sys::Process::GetEnv("LAYOUT_PORT_FAULT");
  if (!wanted)
    return;
  const auto [kind, file] = llvm::StringRef(*wanted).split(':');
  if (file != llvm::sys::path::filename(input))
    return;
  if (kind == "crash")
    std::abort();
  while (kind == "hang")
    std::this_thread::sleep_for(std::chrono::seconds(1));
  std::vector<std::vector<char>> held;
  while (kind == "memory")
    held.emplace_back(64u << 20, 1);
}

} // namespace layout_port
