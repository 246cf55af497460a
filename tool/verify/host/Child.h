// The child process that a program's main runs in.
#pragma once

#include "host/Jit.h"

#include <atomic>

namespace layout_port::verify {

struct HostLimits {
  double seconds = 60;                 // that main may spend outside the device
  uint64_t memory = uint64_t(2) << 30; // bytes that it may allocate
};

// Names of the tool's functions that a program may call.
llvm::ArrayRef<llvm::StringRef> providedNames();

// Shared between parent and child: what killed the program.
struct FaultPage {
  std::atomic<int> signal;
  std::atomic<uint64_t> address;
};

// Runs the program; requests and replies (share/host/call.h) go through `socket`. Does not return.
[[noreturn]] void runChild(int socket, int output, FaultPage *fault, const HostProgram &program,
                           const std::vector<std::string> &arguments, const HostLimits &limits);

} // namespace layout_port::verify
