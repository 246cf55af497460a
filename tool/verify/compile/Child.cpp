// See Child.h.
#include "compile/Child.h"

#include <llvm/ADT/SmallVector.h>
#include <llvm/Support/Program.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <optional>
#include <thread>

namespace layout_port {

using Instant = std::chrono::steady_clock::time_point;
using Milliseconds = std::chrono::milliseconds;

// Short compiles are not held up, long ones are not watched closely.
static Milliseconds pauseAfter(Milliseconds waited) {
  return std::clamp(waited / 50, Milliseconds(1), Milliseconds(50));
}

static ChildEnd endOf(const llvm::sys::ProcessInfo &ended, const std::string &message) {
  if (ended.ReturnCode == 0)
    return {0, ""};
  if (ended.ReturnCode > 0)
    return {ended.ReturnCode, "ended with exit code " + std::to_string(ended.ReturnCode)};
  // -1: nothing ran; -2: it did not reach an exit. https://llvm.org/doxygen/Program_8h.html
  if (ended.ReturnCode == -1)
    return {-1, "could not be started: " + message};
  return {-1, "was killed by a signal (" + message + ")"};
}

static ChildEnd kill(const llvm::sys::ProcessInfo &child, unsigned seconds) {
  ::kill(child.Pid, SIGKILL);
  llvm::sys::Wait(child, std::nullopt);
  return {-1, "took longer than " + std::to_string(seconds) + " s"};
}

ChildEnd runToEnd(const std::vector<std::string> &args, const std::string &log, unsigned seconds) {
  const llvm::SmallVector<llvm::StringRef, 32> argv(args.begin(), args.end());
  const std::optional<llvm::StringRef> redirects[] = {llvm::StringRef(""), llvm::StringRef(log),
                                                      llvm::StringRef(log)};
  std::string message;
  bool failed = false;
  const Instant start = std::chrono::steady_clock::now();
  const llvm::sys::ProcessInfo child = llvm::sys::ExecuteNoWait(
      args[0], argv, std::nullopt, redirects, /*MemoryLimit=*/0, &message, &failed);
  if (failed)
    return {-1, "could not be started: " + message};
  for (;;) {
    const llvm::sys::ProcessInfo now =
        llvm::sys::Wait(child, 0, &message, nullptr, /*Polling=*/true);
    if (now.Pid != 0)
      return endOf(now, message);
    const auto waited =
        std::chrono::duration_cast<Milliseconds>(std::chrono::steady_clock::now() - start);
    if (waited >= std::chrono::seconds(seconds))
      return kill(child, seconds);
    std::this_thread::sleep_for(pauseAfter(waited));
  }
}

} // namespace layout_port
